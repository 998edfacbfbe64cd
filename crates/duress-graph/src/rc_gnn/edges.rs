//! Edges: from how surely messages are heard to a graph, without the truth.
//!
//! Scores are a mixture of those of pairs without an edge, normal about zero with the spread that the
//! weaker half shows, and of those of edges, which lie somewhere above. How much of each there is comes
//! from the scores themselves (Efron, *Large-Scale Inference*, 2010), and so does the probability that
//! a pair is an edge.

use crate::matrix::{Square, row_by_row};
use crate::robust::{MAD_OF_NORMAL, median};
use crate::select::without_cycles;

/// Where scores of edges may lie, in spreads of the null.
const PLACES: [f64; 11] = [1.2, 1.7, 2.4, 3.4, 4.8, 7.0, 10.0, 15.0, 25.0, 40.0, 65.0];

/// How wide they lie about a place, relative to it: as far as the next one.
const BLUR: f64 = 0.3;

/// How many pairs without an edge there are to begin with, beside those seen.
const DOUBT: f64 = 2.0;

const ROUNDS: usize = 60;

/// By how much, in log-likelihood, scores must be better explained with edges than without any to show
/// that there is one at all.
const SHOWN: f64 = 4.0;

/// Fewer pairs than this show no spread, and it is taken to be what messages learnt on folds that share
/// windows have without any edge.
const FEWEST_PAIRS: usize = 20;
const FOLDED_SPREAD: f64 = 1.4;

/// How widely messages that carry nothing spread, in standard errors, as the weaker half of all
/// shows; at least 1.
pub(super) fn null_spread(scores: &[f64]) -> f64 {
    if scores.len() < FEWEST_PAIRS {
        return FOLDED_SPREAD;
    }
    let middle = median(scores.to_vec()).unwrap_or(0.0).min(0.0);
    let off = scores.iter().map(|z| (z - middle).abs()).collect();
    median(off).map_or(1.0, |mad| (mad / MAD_OF_NORMAL).max(1.0))
}

/// The pairs above a score, strongest first, none that closes a cycle unless feedback may be.
pub(super) fn strongest(z: &Square, above: f64, feedback: bool) -> Vec<(usize, usize)> {
    let d = z.size();
    let mut pairs: Vec<(usize, usize)> = row_by_row(d, d)
        .filter(|&(i, k)| i != k && z[(i, k)] > above)
        .collect();
    pairs.sort_by(|a, b| z[*b].total_cmp(&z[*a]).then(a.cmp(b)));
    if feedback {
        pairs
    } else {
        without_cycles(d, &pairs)
    }
}

/// The most pairs, strongest first, of which no more than `share` are expected to be false.
pub(super) fn within_share(
    probability: &Square,
    z: &Square,
    share: f64,
    feedback: bool,
) -> Vec<(usize, usize)> {
    let all = strongest(z, 0.0, feedback);
    let mut doubt = 0.0;
    let mut count = 0;
    for (nth, &pair) in all.iter().enumerate() {
        doubt += 1.0 - probability[pair];
        if doubt <= share * (nth + 1) as f64 {
            count = nth + 1;
        }
    }
    all[..count].to_vec()
}

/// The probability of an edge at each of these scores, in spreads of the null.
pub(super) fn probabilities(scores: &[f64]) -> Vec<f64> {
    let density = |t: f64, k: usize| match k {
        0 => normal(t, 1.0),
        _ => {
            let place = PLACES[k - 1];
            normal(t - place, (BLUR * place).max(1.0))
        }
    };
    let mut shares = vec![0.1 / PLACES.len() as f64; PLACES.len() + 1];
    shares[0] = 0.9;
    let split = |shares: &[f64], t: f64| {
        let parts: Vec<f64> = (0..shares.len())
            .map(|k| shares[k] * density(t, k))
            .collect();
        let total: f64 = parts.iter().sum::<f64>().max(1e-300);
        parts.into_iter().map(|p| p / total).collect::<Vec<f64>>()
    };
    for _ in 0..ROUNDS {
        let mut sums = vec![0.0; shares.len()];
        sums[0] = DOUBT;
        for &t in scores {
            sums.iter_mut()
                .zip(split(&shares, t))
                .for_each(|(sum, part)| *sum += part);
        }
        let total: f64 = sums.iter().sum();
        shares = sums.into_iter().map(|sum| sum / total).collect();
    }
    let gain = |t: f64| {
        let with: f64 = (0..shares.len()).map(|k| shares[k] * density(t, k)).sum();
        libm::log(with.max(1e-300) / density(t, 0).max(1e-300))
    };
    if scores.iter().map(|&t| gain(t)).sum::<f64>() < SHOWN {
        return vec![0.0; scores.len()];
    }
    scores.iter().map(|&t| 1.0 - split(&shares, t)[0]).collect()
}

fn normal(x: f64, width: f64) -> f64 {
    // Tails heavy enough that no score is impossible.
    let z = (x / width).abs().min(37.0);
    0.398_942_280_401_432_7 / width * libm::exp(-0.5 * z * z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    #[test]
    fn without_edges_none_is_likely_and_with_some_those_are() {
        let mut draws = Seed::new(1).draws();
        let mut empty = Vec::new();
        let mut shown = 0;
        for _ in 0..40 {
            empty = (0..156).map(|_| draws.normal()).collect::<Vec<f64>>();
            shown += usize::from(probabilities(&empty).iter().any(|p| *p > 0.5));
        }
        assert!(shown <= 6, "{shown} of 40 empty graphs have an edge");
        let mut mixed = empty.clone();
        (0..18).for_each(|k| mixed[k] = 6.0 + f64::from(k as u32));
        let found = probabilities(&mixed);
        assert!(found[..18].iter().all(|p| *p > 0.9), "{:?}", &found[..18]);
        assert!(found[18..].iter().sum::<f64>() < 12.0);
    }

    #[test]
    fn the_share_holds_for_what_is_chosen() {
        let mut z = Square::zeros(4);
        let mut probability = Square::zeros(4);
        for (nth, (pair, p)) in [((0, 1), 0.99), ((1, 2), 0.95), ((2, 3), 0.8), ((0, 3), 0.4)]
            .into_iter()
            .enumerate()
        {
            (z[pair], probability[pair]) = (10.0 - nth as f64, p);
        }
        let count = |share| within_share(&probability, &z, share, false).len();
        assert_eq!([0.0, 0.02, 0.035, 0.1, 0.5].map(count), [0, 1, 2, 3, 4]);
    }
}
