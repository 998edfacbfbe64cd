//! Regimes: where a message is louder or not heard at all.

use crate::rc_gnn::evidence::Loudness;

/// Fewer regimes than this have nothing to be compared with.
const FEWEST: usize = 2;

/// How much louder each message is in each regime than in all: the difference, drawn towards none by
/// as much as errors explain it. `of` are the messages of one model, all together.
pub(super) fn deltas(of: &[&Loudness]) -> Vec<Vec<f64>> {
    let regimes = of.first().map_or(0, |one| one.by_regime.len());
    if regimes < FEWEST {
        return of.iter().map(|_| vec![0.0; regimes]).collect();
    }
    let real = real_variance(of);
    let draw = |one: &Loudness, (value, error): (f64, f64)| {
        let shrink = real / (real + error * error).max(1e-9);
        (shrink * (value / one.value - 1.0)).clamp(-1.0, 1.0)
    };
    of.iter()
        .map(|one| {
            let apart = one.by_regime.iter();
            let known = |pair: &&(f64, f64)| pair.1 > 0.0 && one.value > 0.0;
            apart
                .map(|pair| Some(pair).filter(known).map_or(0.0, |p| draw(one, *p)))
                .collect()
        })
        .collect()
}

/// The variance of loudness over regimes beyond what errors explain (DerSimonian and Laird's moment
/// estimate, messages alike).
fn real_variance(of: &[&Loudness]) -> f64 {
    let mut sum = 0.0;
    let mut count = 0.0;
    for one in of {
        for (value, error) in one.by_regime.iter().filter(|(_, error)| *error > 0.0) {
            let off = value - one.value;
            // Far-off regimes with large errors would decide alone.
            let weight = 1.0 / (0.05 + error * error);
            sum += weight * (off * off - error * error);
            count += weight;
        }
    }
    if count > 0.0 {
        (sum / count).max(0.0)
    } else {
        0.0
    }
}

/// Log-odds of a message when how much it differs between regimes counts as error too: a cause acts in
/// all of them. What was heard beyond the odds `before` goes with the square of its loudness in errors.
pub(super) fn invariant_odds(odds: f64, before: f64, one: &Loudness) -> f64 {
    let steady = match one.z > 0.0 {
        true => (invariant_score(one) / one.z).clamp(0.0, 1.0),
        false => 1.0,
    };
    before + steady * steady * (odds - before)
}

fn invariant_score(one: &Loudness) -> f64 {
    let known: Vec<(f64, f64)> = one
        .by_regime
        .iter()
        .copied()
        .filter(|p| p.1 > 0.0)
        .collect();
    let n = known.len() as f64;
    if known.len() < FEWEST || one.z == 0.0 {
        return one.z;
    }
    let mean = known.iter().map(|p| p.0).sum::<f64>() / n;
    let spread = known
        .iter()
        .map(|p| (p.0 - mean) * (p.0 - mean))
        .sum::<f64>()
        / (n - 1.0);
    let errors = known.iter().map(|p| p.1 * p.1).sum::<f64>() / n;
    let error = one.value / one.z;
    one.value / libm::sqrt(error * error + (spread - errors).max(0.0) / n)
}

/// Whether an edge is there in a regime: nearer to as loud as everywhere than to silence.
pub(super) fn heard_in(one: &Loudness, regime: usize) -> bool {
    let (value, error) = one.by_regime[regime];
    error == 0.0 || value > 0.5 * one.value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loudness(by_regime: &[(f64, f64)]) -> Loudness {
        Loudness {
            z: 10.0,
            value: 1.0,
            by_regime: by_regime.to_vec(),
        }
    }

    #[test]
    fn what_errors_explain_is_no_difference() {
        let same = loudness(&[(1.1, 0.3), (0.8, 0.3), (1.2, 0.3)]);
        assert!(deltas(&[&same])[0].iter().all(|d| *d == 0.0));
        assert_eq!(invariant_score(&same), 10.0);
        let cut = loudness(&[(1.4, 0.05), (1.5, 0.05), (0.02, 0.05)]);
        let found = &deltas(&[&cut])[0];
        assert!(found[2] < -0.8 && found[0] > 0.3, "{found:?}");
        assert!(invariant_score(&cut) < 5.0);
        assert!(heard_in(&cut, 0) && !heard_in(&cut, 2));
    }
}
