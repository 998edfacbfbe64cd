//! What gauges read in the population of the made-up truth: averaged over new seeds, with unlimited
//! items and, for `ece`, the same bins.

use duress_stats::dist::Normal;

use crate::model::{Spread, sure};

/// Quantiles of what seeds add.
const SEEDS: usize = 201;
/// Points at which the distribution of answers is taken.
const POINTS: usize = 4001;
/// The bins of `ece` when a study says nothing else.
const BINS: usize = 15;

/// What a gauge reads in the population; none where it is not known.
pub(crate) fn in_population(gauge: &str, spread: &Spread, accuracy: f64) -> Option<f64> {
    let edge = spread.total() * quantile(accuracy);
    let within = spread.within_seed();
    match gauge {
        // Both classes are as frequent and as hard: precision and recall are the accuracy.
        "accuracy" | "f1" => Some(accuracy),
        "mcc" => Some(2.0 * accuracy - 1.0),
        // P(M + M' > 0) of two answers of one seed, averaged over seeds.
        "auroc-macro" => {
            let scatter = (2.0 * within * within + 4.0 * spread.seed * spread.seed).sqrt();
            Some(Normal.cdf(2.0 * edge / scatter))
        }
        "aurc" => Some(over_seeds(spread.seed, |shift| aurc(edge + shift, within))),
        "ece" => Some(over_seeds(spread.seed, |shift| ece(edge + shift, within))),
        _ => None,
    }
}

fn quantile(p: f64) -> f64 {
    Normal.quantile(p).unwrap_or(0.0)
}

fn over_seeds(sd: f64, reading: impl Fn(f64) -> f64) -> f64 {
    let at = |k: usize| sd * quantile((k as f64 + 0.5) / SEEDS as f64);
    (0..SEEDS).map(|k| reading(at(k))).sum::<f64>() / SEEDS as f64
}

/// Answers by how far they are from the edge between the classes, the farthest first: distance, and
/// how many are right and wrong there.
fn by_distance(mean: f64, sd: f64) -> impl Iterator<Item = (f64, f64, f64)> {
    let far = mean.abs() + 8.0 * sd;
    let step = far / POINTS as f64;
    (0..POINTS).rev().map(move |at| {
        let distance = (at as f64 + 0.5) * step;
        let mass = |margin: f64| Normal.pdf((margin - mean) / sd) * step / sd;
        (distance, mass(distance), mass(-distance))
    })
}

/// The mean over coverages of the share wrong among what is covered.
fn aurc(mean: f64, sd: f64) -> f64 {
    let (mut covered, mut wrong, mut area) = (0.0, 0.0, 0.0);
    for (_, right_here, wrong_here) in by_distance(mean, sd) {
        let here = right_here + wrong_here;
        covered += here;
        wrong += wrong_here;
        area += here * wrong / covered.max(f64::MIN_POSITIVE);
    }
    area
}

fn ece(mean: f64, sd: f64) -> f64 {
    let mut gaps = [0.0; BINS];
    for (distance, right, wrong) in by_distance(mean, sd) {
        let confidence = sure(distance);
        let bin = (confidence * BINS as f64).ceil() as usize;
        gaps[bin.clamp(1, BINS) - 1] += right - confidence * (right + wrong);
    }
    gaps.iter().map(|gap| gap.abs()).sum()
}
