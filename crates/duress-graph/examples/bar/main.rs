//! Prints directed F1 of learners over the stress tests, seed by seed, then the means and how far
//! the first learner is ahead of each other one, paired by seed: `cargo run --release -p duress-graph
//! --example bar FIRST-SEED SEEDS CONDITION,… LEARNER,…`.
//!
//! A condition is `[FAMILY:]BASE[+RATE]`: `clean`, `noise-1.0`, `mnar`, `bias`, `mnar-and-bias`,
//! `all-high`, `compound_full`, `compound_mnar_bias` or `extreme`, with RATE hidden on top; `@R` after it
//! leaves regime R out; the family `none` has no edge; `%KEY=VALUE` at its end draws from another recipe: `variables`
//! (with 18/13 edges each), `windows`, `wiring`, `intervention`. Seconds are those on a processor. A learner is its name, `+robust` where outliers are drawn in, `/X` where another
//! false share than 0.05 is asked for, `~PART` where a part of `rc-gnn` is switched off. With a fifth word, `pairs`, the
//! probability and the score of every pair are printed too, whether it was chosen, and how it stands in the true graph;
//! with `simulated`, statistics of the data beside those of windows drawn from the fitted model. At the end, how far what `rc-gnn` says of pairs is from
//! what is true of them, weighted over ten bins.

mod conditions;
mod learners;
mod predictive;
mod relation;

use std::collections::BTreeMap;

use duress_core::answer::GraphAnswer;
use duress_core::data::Windows;
use duress_core::graph::Graph;
use duress_core::seed::Seed;
use duress_graph::measure::Overlap;

use crate::conditions::draw;
use crate::learners::learn;
use crate::predictive::hold_against;
use crate::relation::{Relation, relations};

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
    let asked = std::env::args().nth(5).unwrap_or_default();
    let mut said = Vec::new();
    println!("condition\tlearner\tseed\tdirected-f1\tfalse\tchosen\tf1-oracle-k\tseconds");
    for condition in word(3).split(',') {
        let mut fits: BTreeMap<&str, Vec<Fit>> = BTreeMap::new();
        for seed in first..first + count {
            let (truth, windows) = draw(condition, Seed::new(seed));
            for &learner in &learners {
                let fit = fit(learner, &truth, &windows);
                println!(
                    "{condition}\t{learner}\t{seed}\t{:.3}\t{}\t{}\t{:.3}\t{:.2}",
                    fit.f1, fit.false_found, fit.chosen, fit.oracle, fit.seconds
                );
                if asked == "pairs" {
                    fit.pairs.iter().for_each(|pair| {
                        println!(
                            "pair\t{condition}\t{learner}\t{seed}\t{:.5}\t{:.3}\t{}\t{:?}",
                            pair.probability, pair.score, pair.chosen, pair.truth
                        );
                    });
                }
                let known = |pair: &SaidOfPair| (pair.probability, pair.truth == Relation::Edge);
                if asked == "simulated"
                    && let Some(parts) = learner.strip_prefix("rc-gnn")
                {
                    hold_against(condition, seed, &learners::rc_gnn(parts), &windows);
                }
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
