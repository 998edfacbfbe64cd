//! Prints directed and skeleton F1 of the learners over families and missingness: `cargo run
//! --release -p duress-graph --example rivals [first-seed] [seeds] [family,…] [rate,…]
//! [learner,…]`.

use std::fmt;
use std::time::Instant;

use duress_core::answer::GraphAnswer;
use duress_core::data::Windows;
use duress_core::graph::Graph;
use duress_core::seed::Seed;
use duress_core::subject::Failure;
use duress_core::word::Word;
use duress_graph::learners::correlation::{PairedSteps, correlate};
use duress_graph::learners::dynotears::Penalty;
use duress_graph::learners::pc::Pc;
use duress_graph::learners::pcmci::Pcmci;
use duress_graph::learners::{
    dagma, dynotears, em_kalman, independent_rows, lagged_regression, mask_only, nonlinear_var,
    notears,
};
use duress_graph::measure::{Overlap, Reversal, structural_hamming_distance};
use duress_graph::missing;
use duress_graph::panel::StandardisedPanel;
use duress_graph::select::{EdgeSelection, Null, Rule, Score};
use duress_graph::sem::{MechanismFamily, Sem, SemRecipe};

const WINDOWS: usize = 500;
const STEPS: usize = 24;

/// The learners, each with how its edges are chosen.
const LEARNERS: &[&str] = &[
    "correlation theoretical",
    "lagged-regression empirical",
    "lagged-regression permutation",
    "nonlinear-var empirical",
    "em-kalman empirical",
    "mask-only empirical",
    "notears threshold",
    "notears permutation",
    "dagma threshold",
    "dagma permutation",
    "dynotears threshold",
    "dynotears permutation",
    "pc alpha",
    "pcmci alpha",
];

/// The learner, and what came of it over the seeds.
struct Line {
    learner: &'static str,
    directed: Vec<f64>,
    skeleton: Vec<f64>,
    distance: Vec<f64>,
    wrong: Vec<f64>,
    milliseconds: Vec<f64>,
    failed: usize,
}

fn main() {
    let word =
        |at: usize, default: &str| std::env::args().nth(at).unwrap_or_else(|| default.into());
    let number = |at: usize, default: u64| word(at, "").parse().unwrap_or(default);
    let (first, count) = (number(1, 1), number(2, 5));
    let (families, rates) = (
        word(3, "mix,tanh,linear,none"),
        word(4, "0,0.1,0.2,0.4,0.6,0.8"),
    );
    let chosen = word(5, "");
    println!("family\tmcar\tlearner\tdirected-f1\tskeleton-f1\tshd\tfalse\tms\tfailed");
    for family in families.split(',') {
        for rate in rates.split(',').map(|rate| rate.parse().expect("a rate")) {
            let named = |line: &&str| {
                chosen.is_empty() || chosen.split(',').any(|some| line.starts_with(some))
            };
            let mut lines: Vec<Line> = LEARNERS
                .iter()
                .copied()
                .filter(|l| named(l))
                .map(Line::new)
                .collect();
            for seed in first..first + count {
                let (truth, windows) = data(family, rate, Seed::new(seed));
                lines.iter_mut().for_each(|line| line.add(&truth, &windows));
            }
            lines
                .iter()
                .for_each(|line| println!("{family}\t{rate}\t{line}"));
        }
    }
}

impl Line {
    fn new(learner: &'static str) -> Line {
        let [directed, skeleton, distance, wrong, milliseconds] =
            std::array::from_fn(|_| Vec::new());
        Line {
            learner,
            directed,
            skeleton,
            distance,
            wrong,
            milliseconds,
            failed: 0,
        }
    }

    fn add(&mut self, truth: &Graph, windows: &Windows) {
        let started = Instant::now();
        let Ok(answer) = learn(self.learner, windows) else {
            self.failed += 1;
            return;
        };
        self.milliseconds
            .push(started.elapsed().as_secs_f64() * 1e3);
        let graph = answer.graph;
        let directed = Overlap::directed(truth, &graph).expect("same variables");
        let skeleton = Overlap::skeleton(truth, &graph).expect("same variables");
        let distance =
            structural_hamming_distance(truth, &graph, Reversal::One).expect("same variables");
        self.directed.extend(directed.f1());
        self.skeleton.extend(skeleton.f1());
        self.wrong.push(directed.false_found as f64);
        self.distance.push(distance as f64);
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mean = |values: &[f64]| match values.len() {
            0 => "undefined".into(),
            n => format!("{:.3}", values.iter().sum::<f64>() / n as f64),
        };
        let columns = [
            &self.directed,
            &self.skeleton,
            &self.distance,
            &self.wrong,
            &self.milliseconds,
        ];
        write!(
            f,
            "{}\t{}\t{}",
            self.learner,
            columns.map(|values| mean(values)).join("\t"),
            self.failed
        )
    }
}

fn data(family: &str, rate: f64, seed: Seed) -> (Graph, Windows) {
    let recipe = match MechanismFamily::from_word(family) {
        Some(family) => SemRecipe {
            family,
            ..SemRecipe::default()
        },
        None => SemRecipe {
            edges: 0,
            ..SemRecipe::default()
        },
    };
    let sem = Sem::draw_model(&recipe, seed.child("model"));
    let regimes: Vec<u32> = (0..WINDOWS as u32).map(|w| w % 3).collect();
    let window = |w: usize| {
        sem.window(
            regimes[w] as usize,
            STEPS,
            seed.child(format!("window-{w}")),
        )
    };
    let values = (0..WINDOWS).flat_map(window).collect();
    let truth = sem.graph();
    let mut windows =
        Windows::new(truth.variables().to_vec(), STEPS, regimes, values).expect("finite values");
    for w in 0..WINDOWS {
        missing::completely_at_random(
            &mut windows,
            w,
            rate,
            seed.child(format!("missing-{w}")).draws(),
        );
    }
    (truth, windows)
}

fn learn(learner: &str, windows: &Windows) -> Result<GraphAnswer, Failure> {
    let (learner, how) = learner
        .split_once(' ')
        .expect("a learner and a way of choosing");
    let panel = StandardisedPanel::new(windows)?;
    let score: Score<'_> = match learner {
        "correlation" => &|panel| correlate(panel, PairedSteps::Lagged),
        "lagged-regression" => &lagged_regression::regress,
        "nonlinear-var" => &nonlinear_var::regress,
        "em-kalman" => &em_kalman::score,
        "mask-only" => &mask_only::regress,
        "notears" => &|panel| independent_rows::score(panel, 0.1, notears::fit),
        "dagma" => &|panel| independent_rows::score(panel, 0.03, dagma::fit),
        "dynotears" => &|panel| {
            dynotears::score(
                panel,
                Penalty {
                    now: 0.1,
                    before: 0.1,
                },
            )
        },
        "pc" => {
            return Pc {
                alpha: 0.01,
                depth: 3,
                false_share: None,
            }
            .learn(&panel);
        }
        _ => {
            return Pcmci::default().learn(&panel);
        }
    };
    let rule = match Null::from_word(how) {
        Some(null) => Rule::FalseShare { share: 0.05, null },
        None => Rule::Threshold(0.3),
    };
    EdgeSelection {
        rule,
        acyclic: true,
        stable: 0.0,
    }
    .learn(&panel, Seed::new(1), score)
}
