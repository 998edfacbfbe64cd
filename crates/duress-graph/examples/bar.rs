//! Prints directed F1 of learners over the stress tests, seed by seed, then the means and how far
//! the first learner is ahead of each other one, paired by seed: `cargo run --release -p duress-graph
//! --example bar FIRST-SEED SEEDS CONDITION,… LEARNER,…`.
//!
//! A condition is `[FAMILY:]BASE[+RATE]`: `clean`, `noise-1.0`, `mnar`, `bias`, `mnar-and-bias`,
//! `all-high`, `compound_full`, `compound_mnar_bias` or `extreme`, with RATE hidden on top; `@R` after it
//! leaves regime R out; the family `none` has no edge; `%KEY=VALUE` at its end draws from another recipe: `variables`
//! (with 18/13 edges each), `windows`, `wiring`, `intervention`. Seconds are those on a processor. A learner is its name, `+robust` where outliers are drawn in, `/X` where another
//! false share than 0.05 is asked for, `~PART` where a part of `rc-gnn` is switched off. With a fifth word, `pairs`, the
//! probability and the score of every pair are printed too, whether it was chosen, and how it stands in the true graph. At the end, how far what `rc-gnn` says of pairs is from
//! what is true of them, weighted over ten bins.

use std::collections::BTreeMap;

use duress_core::answer::GraphAnswer;
use duress_core::data::Windows;
use duress_core::graph::Graph;
use duress_core::seed::{Draws, Seed};
use duress_core::subject::Failure;
use duress_core::word::Word;
use duress_graph::corruption;
use duress_graph::learners::correlation::{PairedSteps, correlate};
use duress_graph::learners::pc::Pc;
use duress_graph::learners::pcmci::{PairTest, Pcmci};
use duress_graph::learners::{
    dagma, em_kalman, independent_rows, kalman_basis, lagged_regression, nonlinear_var, notears,
    var_lingam,
};
use duress_graph::matrix::Square;
use duress_graph::measure::Overlap;
use duress_graph::missing::{self, Chance};
use duress_graph::panel::{Scaling, StandardisedPanel};
use duress_graph::rc_gnn::{MessageShape, NoiseModel, RcGnn};
use duress_graph::select::{EdgeSelection, Null, Rule, Score};
use duress_graph::sem::{Intervention, MechanismFamily, Sem, SemRecipe, Wiring};

const STEPS: usize = 24;

/// One fit.
struct Fit {
    f1: f64,
    false_found: f64,
    chosen: f64,
    /// Directed F1 with the number of edges from the truth.
    oracle: f64,
    seconds: f64,
    /// What was said of each pair, where the learner says probabilities.
    pairs: Vec<SaidOfPair>,
}

/// What was said of a pair, and what is true of it.
struct SaidOfPair {
    probability: f64,
    score: f64,
    chosen: bool,
    truth: Relation,
}

/// How an ordered pair stands in the true graph.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    Edge,
    /// An edge the other way.
    Reversed,
    /// Cause and effect by way of others.
    Ancestor,
    /// Effect and cause by way of others.
    Descendant,
    /// Effects of one cause.
    Siblings,
    Unrelated,
}

fn main() {
    let word = |at: usize| {
        std::env::args()
            .nth(at)
            .expect("seed, seeds, conditions, learners")
    };
    let first: u64 = word(1).parse().expect("a seed");
    let count: u64 = word(2).parse().expect("a number of seeds");
    let learners = word(4);
    let learners: Vec<&str> = learners.split(',').collect();
    let show = std::env::args().nth(5).is_some();
    let mut said = Vec::new();
    println!("condition\tlearner\tseed\tdirected-f1\tfalse\tchosen\tf1-oracle-k\tseconds");
    for condition in word(3).split(',') {
        let mut fits: BTreeMap<&str, Vec<Fit>> = BTreeMap::new();
        for seed in first..first + count {
            let (truth, windows) = data(condition, Seed::new(seed));
            for &learner in &learners {
                let fit = fit(learner, &truth, &windows);
                println!(
                    "{condition}\t{learner}\t{seed}\t{:.3}\t{}\t{}\t{:.3}\t{:.2}",
                    fit.f1, fit.false_found, fit.chosen, fit.oracle, fit.seconds
                );
                if show {
                    fit.pairs.iter().for_each(|pair| {
                        println!(
                            "pair\t{condition}\t{learner}\t{seed}\t{:.5}\t{:.3}\t{}\t{:?}",
                            pair.probability, pair.score, pair.chosen, pair.truth
                        );
                    });
                }
                let known = |pair: &SaidOfPair| (pair.probability, pair.truth == Relation::Edge);
                said.extend(fit.pairs.iter().map(known));
                fits.entry(learner).or_default().push(fit);
            }
        }
        learners
            .iter()
            .for_each(|learner| summarise(condition, learner, &fits[learners[0]], &fits[learner]));
    }
    calibration(&said);
}

/// How far said probabilities are from the share of edges among such pairs.
fn calibration(said: &[(f64, bool)]) {
    const BINS: usize = 10;
    let mut gap = 0.0;
    for bin in 0..BINS {
        let inside = |p: f64| ((p * BINS as f64) as usize).min(BINS - 1) == bin;
        let own: Vec<&(f64, bool)> = said.iter().filter(|(p, _)| inside(*p)).collect();
        if own.is_empty() {
            continue;
        }
        let n = own.len() as f64;
        let expected = own.iter().map(|(p, _)| p).sum::<f64>() / n;
        let found = own.iter().filter(|(_, truth)| *truth).count() as f64 / n;
        gap += n / said.len() as f64 * (expected - found).abs();
        println!("= said {expected:.3}\ttrue {found:.3}\tof {n} pairs");
    }
    if !said.is_empty() {
        println!("= weighted gap {gap:.4}");
    }
}

/// One line of means, marked with `=`.
fn summarise(condition: &str, learner: &str, first: &[Fit], of: &[Fit]) {
    let n = of.len() as f64;
    let mean = |value: &dyn Fn(&Fit) -> f64| of.iter().map(value).sum::<f64>() / n;
    let f1 = mean(&|fit| fit.f1);
    let deviation = libm::sqrt(of.iter().map(|fit| (fit.f1 - f1).powi(2)).sum::<f64>() / (n - 1.0));
    let share = |fit: &Fit| fit.false_found / fit.chosen.max(1.0);
    let leads: Vec<f64> = first.iter().zip(of).map(|(a, b)| a.f1 - b.f1).collect();
    let lead = leads.iter().sum::<f64>() / n;
    let spread = libm::sqrt(leads.iter().map(|x| (x - lead).powi(2)).sum::<f64>() / (n - 1.0));
    println!(
        "= {condition}\t{learner}\tf1 {f1:.3} ± {deviation:.3}\tK {:.3}\tfalse {:.2} of {:.1}, share {:.3}\tlead of first {lead:+.3}, se {:.3}\t{:.2} s",
        mean(&|fit| fit.oracle),
        mean(&|fit| fit.false_found),
        mean(&|fit| fit.chosen),
        mean(&share),
        spread / libm::sqrt(n),
        mean(&|fit| fit.seconds)
    );
}

fn fit(learner: &str, truth: &Graph, windows: &Windows) -> Fit {
    let started = processor_seconds();
    let (answer, probabilities) =
        learn(learner, windows).unwrap_or_else(|why| panic!("{learner}: {why}"));
    let seconds = processor_seconds() - started;
    let d = truth.variables().len();
    let relations = relations(truth);
    let pair = |at: usize| {
        let p = probabilities.as_ref()?.cells()[at];
        (at / d != at % d).then(|| SaidOfPair {
            probability: p,
            score: answer.scores[at],
            chosen: answer.graph.has((at / d) as u32, (at % d) as u32),
            truth: relations[at],
        })
    };
    let pairs = (0..d * d).filter_map(pair).collect();
    let overlap = Overlap::directed(truth, &answer.graph).expect("same variables");
    Fit {
        f1: overlap.f1().unwrap_or(0.0),
        false_found: overlap.false_found as f64,
        chosen: answer.graph.edges().len() as f64,
        oracle: oracle(truth, &answer),
        seconds,
        pairs,
    }
}

/// How each ordered pair stands in the true graph.
fn relations(truth: &Graph) -> Vec<Relation> {
    let d = truth.variables().len();
    let edge = |i: usize, k: usize| truth.has(i as u32, k as u32);
    let mut leads: Vec<bool> = (0..d * d).map(|at| edge(at / d, at % d)).collect();
    for by in 0..d {
        for at in 0..d * d {
            leads[at] |= leads[at / d * d + by] && leads[by * d + at % d];
        }
    }
    let related = |at: usize| {
        let (i, k) = (at / d, at % d);
        match () {
            () if edge(i, k) => Relation::Edge,
            () if edge(k, i) => Relation::Reversed,
            () if leads[i * d + k] => Relation::Ancestor,
            () if leads[k * d + i] => Relation::Descendant,
            () if (0..d).any(|c| leads[c * d + i] && leads[c * d + k]) => Relation::Siblings,
            () => Relation::Unrelated,
        }
    };
    (0..d * d).map(related).collect()
}

/// How long this process has been on processors: on a busy machine the clock on the wall measures others.
fn processor_seconds() -> f64 {
    const TICKS: f64 = 100.0;
    let ran = std::fs::read_to_string("/proc/self/stat").expect("Linux keeps times");
    let (_, after_name) = ran.rsplit_once(')').expect("a name in brackets");
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |at: usize| fields[at].parse::<f64>().expect("a number");
    (ticks(11) + ticks(12)) / TICKS
}

/// F1 of as many of the strongest pairs as the truth has edges.
fn oracle(truth: &Graph, answer: &GraphAnswer) -> f64 {
    let d = truth.variables().len();
    let count = truth.edges().len();
    let mut pairs: Vec<usize> = (0..d * d).filter(|at| at / d != at % d).collect();
    pairs.sort_by(|&a, &b| answer.scores[b].total_cmp(&answer.scores[a]));
    let hit = |at: &&usize| truth.has((**at / d) as u32, (**at % d) as u32);
    pairs[..count].iter().filter(hit).count() as f64 / count.max(1) as f64
}

/// The graph, and the probability of each pair where the learner says it.
fn learn(learner: &str, windows: &Windows) -> Result<(GraphAnswer, Option<Square>), Failure> {
    let (name, share) = learner
        .split_once('/')
        .map_or((learner, 0.05), |(name, share)| {
            (name, share.parse().expect("a false share"))
        });
    let (name, scaling) = match name.strip_suffix("+robust") {
        Some(name) => (name, Scaling::Robust),
        None => (name, Scaling::Moments),
    };
    if let Some(parts) = name.strip_prefix("rc-gnn") {
        let mut model = rc_gnn(parts);
        if learner.contains('/') {
            model.false_share = share;
        }
        let fit = model.fit(windows, Seed::new(1), &mut |_, _| {})?;
        return Ok((fit.answer, Some(fit.probabilities)));
    }
    Ok((rival(name, share, scaling, windows)?, None))
}

fn rival(
    name: &str,
    share: f64,
    scaling: Scaling,
    windows: &Windows,
) -> Result<GraphAnswer, Failure> {
    let panel = StandardisedPanel::scaled(windows, scaling)?;
    let mut null = Null::Empirical;
    let score: Score<'_> = match name {
        "correlation" => {
            null = Null::Theoretical;
            &|panel| correlate(panel, PairedSteps::Lagged)
        }
        "lagged-regression" => &lagged_regression::regress,
        "nonlinear-var" => &nonlinear_var::regress,
        "kalman-basis" => &kalman_basis::regress,
        "em-kalman" => &em_kalman::score,
        "notears" => {
            null = Null::Permutation;
            &|panel| independent_rows::score(panel, 0.1, notears::fit)
        }
        "dagma" => {
            null = Null::Permutation;
            &|panel| independent_rows::score(panel, 0.03, dagma::fit)
        }
        "var-lingam" => &var_lingam::score,
        "pc" => {
            return Pc {
                alpha: 0.01,
                depth: 3,
                false_share: Some(share),
            }
            .learn(&panel);
        }
        "pcmci" | "pcmci-ranks" | "pcmci-curves" => {
            return pcmci(name, share).learn(&panel);
        }
        "j-pcmci" | "j-pcmci-ranks" | "j-pcmci-curves" => {
            let together = StandardisedPanel::pooled(windows, scaling)?;
            return pcmci(name, share).learn(&together);
        }
        other => panic!("no learner is called {other}"),
    };
    EdgeSelection {
        rule: Rule::FalseShare { share, null },
        acyclic: true,
        stable: 0.0,
    }
    .learn(&panel, Seed::new(1), score)
}

/// PCMCI+ with the test its name ends in, and with regimes as context where it begins with `j-`.
fn pcmci(name: &str, share: f64) -> Pcmci {
    let test = match name.rsplit('-').next() {
        Some("ranks") => PairTest::Ranks,
        Some("curves") => PairTest::Curves,
        _ => PairTest::Lines,
    };
    Pcmci {
        test,
        context: name.starts_with("j-"),
        false_share: Some(share),
        ..Pcmci::default()
    }
}

/// The model with parts changed: `~covariance~noise=plain` and the like.
fn rc_gnn(parts: &str) -> RcGnn {
    let mut model = RcGnn::default();
    for part in parts.split('~').skip(1) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match key {
            "covariance" => model.covariance = false,
            "bias" => model.bias = false,
            "noise" => model.noise = NoiseModel::from_word(value).expect("a noise"),
            "shape" => model.shape = MessageShape::from_word(value).expect("a shape"),
            "rounds" => model.rounds = value.parse().expect("a number"),
            "sensors" => model.sensors_again = false,
            "lines" => model.linear_start = false,
            "deltas" => model.deltas = false,
            "invariance" => model.invariance = true,
            other => panic!("no part is called {other}"),
        }
    }
    model
}

fn data(condition: &str, seed: Seed) -> (Graph, Windows) {
    if let Some((condition, regime)) = condition.split_once('@') {
        let (truth, windows) = data(condition, seed);
        let regime = regime.parse().expect("a regime");
        return (truth, without_regime(&windows, regime));
    }
    let (condition, settings) = condition.split_once('%').unwrap_or((condition, ""));
    let (family, rest) = condition.split_once(':').unwrap_or(("mix", condition));
    let (base, rate) = rest.split_once('+').unwrap_or((rest, "0"));
    let mut recipe = SemRecipe {
        regimes: if base == "compound_mnar_bias" { 1 } else { 3 },
        ..SemRecipe::default()
    };
    let windows = set(&mut recipe, settings);
    match MechanismFamily::from_word(family) {
        Some(family) => recipe.family = family,
        None => recipe.edges = 0,
    }
    let sem = Sem::draw_model(&recipe, seed.child("model"));
    let mut windows = simulate(&sem, windows, recipe.regimes, seed);
    let mut press = Press {
        windows: &mut windows,
        seed: seed.child("press"),
    };
    press.base(base);
    press.each(
        "mcar",
        rate.parse().expect("a rate"),
        missing::completely_at_random,
    );
    (sem.graph(), windows)
}

/// Changes a recipe by `KEY=VALUE%…`; how many windows there shall be.
fn set(recipe: &mut SemRecipe, settings: &str) -> usize {
    let mut windows = 500;
    for (key, value) in settings.split('%').filter_map(|one| one.split_once('=')) {
        let number = || value.parse::<usize>().expect("a number");
        match key {
            "variables" => {
                recipe.edges = number() * recipe.edges / recipe.variables;
                recipe.variables = number();
            }
            "windows" => windows = number(),
            "intervention" => {
                recipe.intervention = Intervention::from_word(value).expect("an intervention");
            }
            "wiring" => recipe.wiring = Wiring::from_word(value).expect("a wiring"),
            other => panic!("no setting is called {other}"),
        }
    }
    windows
}

fn without_regime(windows: &Windows, regime: u32) -> Windows {
    let d = windows.variables().len();
    let kept: Vec<usize> = (0..windows.len())
        .filter(|&w| windows.regimes()[w] != regime)
        .collect();
    let cells = || {
        let steps = kept.iter().enumerate();
        let steps = steps.flat_map(|(new, &w)| (0..windows.steps()).map(move |t| (new, w, t)));
        steps.flat_map(move |(new, w, t)| (0..d).map(move |v| (new, w, t, v)))
    };
    let value = |(_, w, t, v): (usize, usize, usize, usize)| windows.get(w, t, v).unwrap_or(0.0);
    let values = cells().map(value).collect();
    let regimes = kept.iter().map(|&w| windows.regimes()[w]).collect();
    let mut left = Windows::new(
        windows.variables().to_vec(),
        windows.steps(),
        regimes,
        values,
    )
    .expect("finite values");
    cells()
        .filter(|&(_, w, t, v)| windows.get(w, t, v).is_none())
        .for_each(|(new, _, t, v)| left.hide(new, t, v));
    left
}

/// Windows of mean 0 and variance 1, all regimes together.
fn simulate(sem: &Sem, windows: usize, regimes: usize, seed: Seed) -> Windows {
    let d = sem.variables();
    let window = |w: usize| sem.window(w % regimes, STEPS, seed.child(format!("window-{w}")));
    let mut values: Vec<f64> = (0..windows).flat_map(window).collect();
    let n = (values.len() / d) as f64;
    for variable in 0..d {
        let own = || values.iter().skip(variable).step_by(d);
        let mean = own().sum::<f64>() / n;
        let deviation = libm::sqrt(own().map(|x| (x - mean).powi(2)).sum::<f64>() / n);
        let own = values.iter_mut().skip(variable).step_by(d);
        own.for_each(|x| *x = (*x - mean) / deviation);
    }
    let regimes = (0..windows).map(|w| (w % regimes) as u32).collect();
    Windows::new(sem.graph().variables().to_vec(), STEPS, regimes, values).expect("finite values")
}

/// Stress on windows.
struct Press<'a> {
    windows: &'a mut Windows,
    seed: Seed,
}

impl Press<'_> {
    fn base(&mut self, name: &str) {
        let gains = corruption::multiplicative_bias;
        let loud = corruption::heteroscedastic_noise;
        match name {
            "clean" => {}
            "mnar" => self.hide(0.3),
            "bias" => self.each("bias", 0.5, gains),
            "mnar-and-bias" => {
                self.each("bias", 0.5, gains);
                self.hide(0.3);
            }
            "all-high" => {
                self.each("bias", 1.0, gains);
                self.each("noise", 1.0, corruption::noise);
                self.hide(0.4);
            }
            "compound_mnar_bias" => {
                self.each("bias", 0.2, gains);
                self.hide(0.25);
            }
            "compound_full" => {
                self.regimes(3);
                self.each("bias", 0.15, gains);
                self.each("drift", 0.01, corruption::drift);
                self.each("noise", 0.3, loud);
                self.outliers(0.03, 5.0);
                self.hide(0.25);
            }
            "extreme" => {
                self.regimes(5);
                self.each("bias", 0.2, corruption::cubic_bias);
                self.each("drift", 0.05, corruption::drift);
                self.each("noise", 0.5, loud);
                self.outliers(0.1, 10.0);
                self.hide(0.4);
            }
            noise => {
                let size = noise.strip_prefix("noise-").expect("a known condition");
                self.each("noise", size.parse().expect("a size"), corruption::noise);
            }
        }
    }

    fn each(&mut self, label: &str, size: f64, act: impl Fn(&mut Windows, usize, f64, Draws)) {
        for w in 0..self.windows.len() {
            act(self.windows, w, size, of_window(self.seed.child(label), w));
        }
    }

    fn outliers(&mut self, rate: f64, scale: f64) {
        self.each("outliers", rate, |windows, w, rate, draws| {
            corruption::outliers(windows, w, rate, scale, draws);
        });
    }

    fn regimes(&mut self, count: u32) {
        let seed = self.seed.child("regimes");
        corruption::split_regimes(self.windows, count, 0.5, seed, |w| of_window(seed, w));
    }

    fn hide(&mut self, rate: f64) {
        let seed = self.seed.child("structural");
        let chance = Chance {
            shared: seed,
            of_window: &|w| of_window(seed, w),
        };
        missing::structural(self.windows, rate, None, &chance).expect("thirteen variables");
    }
}

fn of_window(seed: Seed, window: usize) -> Draws {
    seed.child(format!("window-{window}")).draws()
}
