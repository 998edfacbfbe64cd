//! The other side of `peers/graphs`: makes data and runs learners on them, one task per line of
//! standard input, one JSON line each.
//!
//! Tables are files of f64, little endian, row by row. `rows PATH VARIABLES EDGES ROWS SEED` writes
//! independent rows of a linear model; `windows PATH FAMILY VARIABLES EDGES WINDOWS STEPS SEED`
//! writes windows of a temporal model. Both print the true edges. `notears|dagma PATH VARIABLES
//! PENALTY`, `pc PATH VARIABLES ALPHA DEPTH`, `dynotears PATH VARIABLES STEPS PENALTY` and `pcmci
//! PATH VARIABLES STEPS ALPHA DEPTH`, `lagged-regression|nonlinear-var|em-kalman PATH VARIABLES
//! STEPS` print what was found, and the CPU seconds from a table in memory to the result.

#![expect(
    clippy::unwrap_used,
    reason = "a bench may panic when its driver says something else than agreed"
)]

use std::io::BufRead;

use duress_core::data::Windows;
use duress_core::seed::Seed;
use duress_core::word::Word;
use duress_graph::learners::em_kalman::StateSpaceModel;
use duress_graph::learners::pc::Pc;
use duress_graph::learners::pcmci::Pcmci;
use duress_graph::learners::{dagma, dynotears, lagged_regression, nonlinear_var, notears};
use duress_graph::matrix::{Square, add_times, row_by_row};
use duress_graph::panel::StandardisedPanel;
use duress_graph::rows::WeightedRows;
use duress_graph::select::{EdgeSelection, Null, Rule};
use duress_graph::sem::{MechanismFamily, Sem, SemRecipe};
use serde_json::{Value, json};

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        println!("{}", answer(&words));
    }
}

fn answer(words: &[&str]) -> Value {
    let whole = |at: usize| words[at].parse::<usize>().unwrap();
    let number = |at: usize| words[at].parse::<f64>().unwrap();
    let path = words[1];
    match words[0] {
        "rows" => rows(path, whole(2), whole(3), whole(4), whole(5)),
        "windows" => {
            let recipe = SemRecipe {
                variables: whole(3),
                edges: whole(4),
                regimes: 1,
                ..SemRecipe::default()
            };
            windows(
                path,
                SemRecipe {
                    family: MechanismFamily::from_word(words[2]).unwrap(),
                    ..recipe
                },
                whole(5),
                whole(6),
                whole(7),
            )
        }
        learner => {
            let (table, d) = (read(path), whole(2));
            let (found, seconds) = cpu_timed(|| match learner {
                "notears" => json!(
                    notears::fit(&moments(&table, d), &notears::penalties(d, number(3)))
                        .unwrap()
                        .cells()
                ),
                "dagma" => {
                    json!(
                        dagma::fit(&moments(&table, d), &notears::penalties(d, number(3)))
                            .unwrap()
                            .cells()
                    )
                }
                "pc" => {
                    let class = Pc {
                        alpha: number(3),
                        depth: whole(4),
                        false_share: None,
                    }
                    .class(&independent(&table, d))
                    .unwrap();
                    let pairs = row_by_row(d, d);
                    json!(
                        pairs
                            .map(|(a, b)| u8::from(class.may_point(a, b)))
                            .collect::<Vec<_>>()
                    )
                }
                "dynotears" => {
                    let penalty = dynotears::Penalty {
                        now: number(4),
                        before: number(4),
                    };
                    let weights = dynotears::fit(&lagged(&table, d, whole(3)), d, penalty).unwrap();
                    json!({"now": weights.now.cells(), "before": weights.before.cells()})
                }
                "pcmci" => {
                    let learner = Pcmci {
                        alpha: number(4),
                        depth: whole(5),
                        ..Pcmci::default()
                    };
                    json!(
                        learner
                            .learn(&panel(&table, d, whole(3)))
                            .unwrap()
                            .graph
                            .edges()
                    )
                }
                "lagged-regression" | "nonlinear-var" => {
                    let panel = panel(&table, d, whole(3));
                    let scores = match learner {
                        "nonlinear-var" => nonlinear_var::regress(&panel).unwrap(),
                        _ => lagged_regression::regress(&panel).unwrap(),
                    };
                    let rule = Rule::FalseShare {
                        share: 0.05,
                        null: Null::Theoretical,
                    };
                    let chosen = EdgeSelection {
                        rule,
                        acyclic: false,
                        stable: 0.0,
                    }
                    .choose(&scores)
                    .graph;
                    let pairs = (0..d as u32).flat_map(|a| (0..d as u32).map(move |b| (a, b)));
                    json!(
                        pairs
                            .map(|pair| u8::from(chosen.edges().contains(&pair)))
                            .collect::<Vec<_>>()
                    )
                }
                "em-kalman" => {
                    let models = StateSpaceModel::rounds(&panel(&table, d, whole(3))).unwrap();
                    let (first, last) = (&models[0], &models[models.len() - 1]);
                    let start = json!({"follow": first.follow.cells(), "drift": first.drift, "noise": first.noise,
                        "start": first.start.cells()});
                    json!({"found": last.follow.cells(), "start": start, "rounds": models.len() - 1})
                }
                other => panic!("no task {other}"),
            });
            match found {
                Value::Object(mut parts) if parts.contains_key("found") => {
                    parts.insert("seconds".into(), json!(seconds));
                    Value::Object(parts)
                }
                found => json!({"seconds": seconds, "found": found}),
            }
        }
    }
}

/// CPU time that the kernel's ticks resolve well.
const RESOLVED: f64 = 0.2;

/// What a task gives, and the seconds on a CPU that it takes: on a busy machine the clock on the wall
/// measures the others. A quick task is done again until the kernel's ticks resolve it.
fn cpu_timed(task: impl Fn() -> Value) -> (Value, f64) {
    let start = cpu_seconds();
    let mut times = 0.0;
    loop {
        let found = task();
        times += 1.0;
        let spent = cpu_seconds() - start;
        if spent > RESOLVED {
            return (found, spent / times);
        }
    }
}

fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace()
        .next()
        .unwrap()
        .parse::<f64>()
        .unwrap()
        * 1e-9
}

/// Independent rows of a linear model: Erdős–Rényi, weights ±(0.5 to 2), noise of variance 1, as
/// NOTEARS' authors simulate.
fn rows(path: &str, d: usize, edges: usize, n: usize, seed: usize) -> Value {
    let seed = Seed::new(seed as u64);
    let mut draws = seed.child("graph").draws();
    let mut order: Vec<usize> = (0..d).collect();
    draws.shuffle(&mut order);
    let mut pairs: Vec<(usize, usize)> = (0..d)
        .flat_map(|a| (a + 1..d).map(move |b| (a, b)))
        .collect();
    draws.shuffle(&mut pairs);
    let mut weights = Square::zeros(d);
    let mut truth = Vec::new();
    for (a, b) in pairs.into_iter().take(edges) {
        let sign = if draws.chance(0.5) { 1.0 } else { -1.0 };
        weights[(order[b], order[a])] = sign * draws.between(0.5, 2.0);
        truth.push((order[a], order[b]));
    }
    let mut noise = seed.child("noise").draws();
    let mut table = Vec::with_capacity(n * d);
    for _ in 0..n {
        let mut x = vec![0.0; d];
        for &j in &order {
            x[j] = duress_graph::matrix::dot(weights.row(j), &x) + noise.normal();
        }
        table.extend(x);
    }
    write(path, &table);
    json!({"edges": truth})
}

fn windows(path: &str, recipe: SemRecipe, n: usize, steps: usize, seed: usize) -> Value {
    let seed = Seed::new(seed as u64);
    let sem = Sem::draw_model(&recipe, seed.child("model"));
    let window = |w: usize| sem.window(0, steps, seed.child(format!("window-{w}")));
    write(path, &(0..n).flat_map(window).collect::<Vec<_>>());
    json!({"edges": sem.graph().edges()})
}

fn write(path: &str, table: &[f64]) {
    std::fs::write(
        path,
        table
            .iter()
            .flat_map(|x| x.to_le_bytes())
            .collect::<Vec<u8>>(),
    )
    .unwrap();
}

fn read(path: &str) -> Vec<f64> {
    let bytes = std::fs::read(path).unwrap();
    bytes
        .chunks_exact(8)
        .map(|x| f64::from_le_bytes(x.try_into().unwrap()))
        .collect()
}

fn moments(table: &[f64], d: usize) -> Square {
    let n = (table.len() / d) as f64;
    let mut mean = vec![0.0; d];
    table
        .chunks(d)
        .for_each(|row| add_times(&mut mean, 1.0 / n, row));
    let mut moments = Square::zeros(d);
    for row in table.chunks(d) {
        let centred: Vec<f64> = row.iter().zip(&mean).map(|(x, mean)| x - mean).collect();
        (0..d).for_each(|i| add_times(moments.row_mut(i), centred[i] / n, &centred));
    }
    moments
}

/// The moments of each step beside the one before, as they are: no scale, no centre, as causalnex
/// takes them.
fn lagged(table: &[f64], d: usize, steps: usize) -> Square {
    let (mut moments, mut count) = (Square::zeros(2 * d), 0.0);
    for window in table.chunks(d * steps) {
        for t in 1..steps {
            let mut row = window[t * d..(t + 1) * d].to_vec();
            row.extend(&window[(t - 1) * d..t * d]);
            (0..2 * d).for_each(|i| add_times(moments.row_mut(i), row[i], &row));
            count += 1.0;
        }
    }
    moments.scaled(1.0 / count)
}

fn independent(table: &[f64], d: usize) -> WeightedRows {
    let mut rows = WeightedRows::empty((0..d).map(|i| format!("x{i}")).collect(), 1);
    table
        .chunks(d)
        .for_each(|row| rows.push(0, row.iter().map(|&x| (x, 1.0))));
    rows
}

fn panel(table: &[f64], d: usize, steps: usize) -> StandardisedPanel {
    let names = (0..d).map(|i| format!("x{i}")).collect();
    let windows = Windows::new(
        names,
        steps,
        vec![0; table.len() / (d * steps)],
        table.to_vec(),
    )
    .unwrap();
    StandardisedPanel::new(&windows).unwrap()
}
