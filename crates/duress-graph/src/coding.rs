//! Coding: what people make of values before a learner sees them. A few levels instead of numbers,
//! another scale.

use duress_core::data::Windows;
use duress_core::seed::Seed;

duress_core::words! {
    /// What a variable is brought to.
    pub enum CommonScale {
        /// Mean 0 and variance 1.
        Standard = "standard",
        /// From 0 to 1.
        MinMax = "min-max",
    }
}

/// Makes variables discrete: with probability `share`, once for the data set, a variable says only
/// which of `levels` equally frequent levels its value is in, as the mean of that level.
pub fn discretise(windows: &mut Windows, share: f64, levels: usize, seed: Seed) {
    let mut draws = seed.child("discrete").draws();
    for variable in 0..windows.variables().len() {
        if !draws.chance(share) {
            continue;
        }
        let mut seen = places(windows, variable);
        seen.sort_by(|a, b| a.2.total_cmp(&b.2));
        let n = seen.len();
        for level in 0..levels {
            let own = &seen[level * n / levels..(level + 1) * n / levels];
            let mean = own.iter().map(|(.., x)| x).sum::<f64>() / own.len().max(1) as f64;
            for &(window, step, _) in own {
                windows.set(window, step, variable, mean);
            }
        }
    }
}

/// Brings each variable, over all windows, `share` of the way to a common scale.
pub fn rescale(windows: &mut Windows, share: f64, to: CommonScale) {
    for variable in 0..windows.variables().len() {
        let seen = places(windows, variable);
        let (middle, size) = match to {
            CommonScale::Standard => moments(&seen),
            CommonScale::MinMax => range(&seen),
        };
        if size > 0.0 {
            for (window, step, x) in seen {
                let scaled = (x - middle) / size;
                windows.set(window, step, variable, (1.0 - share) * x + share * scaled);
            }
        }
    }
}

/// Window, step and value of all that is seen of a variable.
fn places(windows: &Windows, variable: usize) -> Vec<(usize, usize, f64)> {
    (0..windows.len())
        .flat_map(|w| (0..windows.steps()).map(move |t| (w, t)))
        .filter_map(|(w, t)| Some((w, t, windows.get(w, t, variable)?)))
        .collect()
}

fn moments(seen: &[(usize, usize, f64)]) -> (f64, f64) {
    let n = seen.len().max(1) as f64;
    let mean = seen.iter().map(|(.., x)| x).sum::<f64>() / n;
    let square = seen
        .iter()
        .map(|(.., x)| (x - mean) * (x - mean))
        .sum::<f64>();
    (mean, libm::sqrt(square / n))
}

fn range(seen: &[(usize, usize, f64)]) -> (f64, f64) {
    let low = seen.iter().map(|(.., x)| *x).fold(f64::INFINITY, f64::min);
    let high = seen
        .iter()
        .map(|(.., x)| *x)
        .fold(f64::NEG_INFINITY, f64::max);
    (low, high - low)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal() -> Windows {
        let mut draws = Seed::new(1).draws();
        let values = (0..600).map(|_| 5.0 + 2.0 * draws.normal()).collect();
        Windows::new(vec!["a".into(), "b".into()], 10, vec![0; 30], values).unwrap()
    }

    #[test]
    fn a_discrete_variable_has_so_many_levels_of_one_size() {
        let mut windows = normal();
        discretise(&mut windows, 1.0, 3, Seed::new(2));
        let mut values: Vec<f64> = places(&windows, 0).into_iter().map(|(.., x)| x).collect();
        values.sort_by(f64::total_cmp);
        let levels: Vec<usize> = values.chunk_by(|a, b| a == b).map(<[f64]>::len).collect();
        assert_eq!(levels, [100, 100, 100]);
        let mean = |windows: &Windows| moments(&places(windows, 0)).0;
        assert!((mean(&windows) - mean(&normal())).abs() < 1e-9);
    }

    #[test]
    fn a_common_scale_is_reached_at_one_and_half_way_at_a_half() {
        let mut standard = normal();
        rescale(&mut standard, 1.0, CommonScale::Standard);
        let (mean, deviation) = moments(&places(&standard, 1));
        assert!(mean.abs() < 1e-9 && (deviation - 1.0).abs() < 1e-9);
        let mut unit = normal();
        rescale(&mut unit, 1.0, CommonScale::MinMax);
        assert_eq!(range(&places(&unit, 1)), (0.0, 1.0));
        let mut half = normal();
        rescale(&mut half, 0.5, CommonScale::MinMax);
        let plain = normal().get(3, 4, 0).unwrap();
        let middle = 0.5 * (plain + unit.get(3, 4, 0).unwrap());
        assert!((half.get(3, 4, 0).unwrap() - middle).abs() < 1e-12);
    }
}
