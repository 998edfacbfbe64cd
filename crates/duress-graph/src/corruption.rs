//! Corruption: what happens to the values of a window before anyone sees them.
//!
//! Severities are in the data's own units: for standardised data, in standard deviations of the
//! signal. Every value and every window has its own draws, whether it can be seen or not, so a
//! higher severity is the same corruption turned up.

use std::collections::BTreeSet;

use duress_core::data::Windows;
use duress_core::seed::{Draws, Seed};

/// How much of a drift is left after a step.
const DRIFT_MEMORY: f64 = 0.95;

/// No gain falls below this: a sensor that reads its signal backwards is another sensor.
pub const LEAST_GAIN: f64 = 0.05;

/// Adds independent Gaussian noise with standard deviation `sd`.
pub fn noise(windows: &mut Windows, window: usize, sd: f64, mut draws: Draws) {
    each_value(windows, window, |x| {
        let z = draws.normal();
        x.map(|x| x + sd * z)
    });
}

/// Adds independent Gaussian noise with standard deviation `sd · (1 + |x|)`: loud signals are noisy
/// signals.
pub fn heteroscedastic_noise(windows: &mut Windows, window: usize, sd: f64, mut draws: Draws) {
    each_value(windows, window, |x| {
        let z = draws.normal();
        x.map(|x| x + sd * (1.0 + x.abs()) * z)
    });
}

/// Moves the share `rate` of the values by up to `scale`, up or down.
pub fn outliers(windows: &mut Windows, window: usize, rate: f64, scale: f64, mut draws: Draws) {
    each_value(windows, window, |x| {
        let hit = draws.chance(rate);
        let up = draws.chance(0.5);
        let size = draws.uniform();
        let moved = if up { scale * size } else { -scale * size };
        x.map(|x| if hit { x + moved } else { x })
    });
}

/// Adds a drift to each variable: an autoregression of 0.95 whose steps have standard deviation
/// `sd`, begun where it has settled.
pub fn drift(windows: &mut Windows, window: usize, sd: f64, mut draws: Draws) {
    let settled = 1.0 / libm::sqrt(1.0 - DRIFT_MEMORY * DRIFT_MEMORY);
    for variable in 0..windows.variables().len() {
        let mut level = settled * draws.normal();
        for step in 0..windows.steps() {
            if let Some(x) = windows.get(window, step, variable) {
                windows.set(window, step, variable, x + sd * level);
            }
            level = DRIFT_MEMORY * level + draws.normal();
        }
    }
}

/// Multiplies each variable by a gain uniform within `most` of 1.
pub fn multiplicative_bias(windows: &mut Windows, window: usize, most: f64, mut draws: Draws) {
    each_variable(windows, window, || {
        let gain = gain(1.0 + most * draws.between(-1.0, 1.0));
        move |x| gain * x
    });
}

/// Adds to each variable an offset uniform within `most` of 0.
pub fn additive_bias(windows: &mut Windows, window: usize, most: f64, mut draws: Draws) {
    each_variable(windows, window, || {
        let offset = most * draws.between(-1.0, 1.0);
        move |x| x + offset
    });
}

/// Adds to each variable a cubic of itself, whose coefficient of x^g is normal with standard
/// deviation `size / g`.
pub fn cubic_bias(windows: &mut Windows, window: usize, size: f64, mut draws: Draws) {
    each_variable(windows, window, || {
        let [one, two, three] = [1.0, 2.0, 3.0].map(|g| size / g * draws.normal());
        let gain = gain(1.0 + one);
        move |x| gain * x + two * x * x + three * x * x * x
    });
}

fn gain(drawn: f64) -> f64 {
    drawn.max(LEAST_GAIN)
}

/// Splits the windows into `regimes` regimes, where they have fewer, and gives each new one a mean
/// and a scale of its own: `size` · N(0, 1) and 1 + `size` · U(−½, ½) for each variable.
///
/// A regime that is there already keeps its number and, of its windows, an equal share; the new
/// ones are numbered so that the remainder by the number there was is the regime they come from.
/// Who meets another regime can tell: the label is in the data.
pub fn split_regimes(
    windows: &mut Windows,
    regimes: u32,
    size: f64,
    seed: Seed,
    of_window: impl Fn(usize) -> Draws,
) {
    let there: BTreeSet<u32> = windows.regimes().iter().copied().collect();
    let before = there.last().map_or(1, |last| last + 1);
    for window in 0..windows.len() {
        let own = windows.regimes()[window];
        let choice: Vec<u32> = (before..regimes)
            .filter(|new| new % before == own)
            .collect();
        let picked = of_window(window).below(1 + choice.len());
        let Some(&regime) = picked.checked_sub(1).and_then(|at| choice.get(at)) else {
            continue;
        };
        windows.set_regime(window, regime);
        let mut draws = seed.child("regime").child(regime.to_string()).draws();
        each_variable(windows, window, || {
            let offset = size * draws.normal();
            let gain = gain(1.0 + size * draws.between(-0.5, 0.5));
            move |x| gain * x + offset
        });
    }
}

/// Which window stands in the place of each: itself or, with probability `share`, one drawn from
/// all. At 1, a bootstrap.
pub fn resample(windows: usize, share: f64, of_window: impl Fn(usize) -> Draws) -> Vec<usize> {
    let drawn = |window: usize| {
        let mut draws = of_window(window);
        let moves = draws.chance(share);
        let other = draws.below(windows);
        if moves { other } else { window }
    };
    (0..windows).map(drawn).collect()
}

/// Changes every value that can be seen; `change` is called for the others too, so that their draws
/// are spent.
fn each_value(
    windows: &mut Windows,
    window: usize,
    mut change: impl FnMut(Option<f64>) -> Option<f64>,
) {
    for step in 0..windows.steps() {
        for variable in 0..windows.variables().len() {
            if let Some(x) = change(windows.get(window, step, variable)) {
                windows.set(window, step, variable, x);
            }
        }
    }
}

/// Changes all values of a variable in one way, drawn for the window.
fn each_variable<F: Fn(f64) -> f64>(
    windows: &mut Windows,
    window: usize,
    mut draw: impl FnMut() -> F,
) {
    for variable in 0..windows.variables().len() {
        let change = draw();
        for step in 0..windows.steps() {
            if let Some(x) = windows.get(window, step, variable) {
                windows.set(window, step, variable, change(x));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(value: f64, windows: usize, regimes: u32) -> Windows {
        let of = (0..windows as u32).map(|w| w % regimes).collect();
        Windows::new(
            vec!["a".into(), "b".into()],
            50,
            of,
            vec![value; windows * 100],
        )
        .unwrap()
    }

    /// What a corruption adds to the value 2, over 200 windows: all of it, and window by window.
    fn added(change: impl Fn(&mut Windows, usize, Draws)) -> Vec<Vec<f64>> {
        let mut windows = flat(2.0, 200, 1);
        (0..200).for_each(|w| change(&mut windows, w, Seed::new(5).child(w.to_string()).draws()));
        let of = |w: usize| {
            (0..50)
                .map(|t| windows.get(w, t, 1).unwrap() - 2.0)
                .collect()
        };
        (0..200).map(of).collect()
    }

    fn deviation<'a>(values: impl Iterator<Item = &'a f64> + Clone) -> f64 {
        let n = values.clone().count() as f64;
        let mean = values.clone().sum::<f64>() / n;
        libm::sqrt(values.map(|x| (x - mean).powi(2)).sum::<f64>() / n)
    }

    fn check(added: &[Vec<f64>], expected: f64) {
        let found = deviation(added.iter().flatten());
        assert!(
            (found / expected - 1.0).abs() < 0.1,
            "{found}, expected {expected}"
        );
    }

    #[test]
    fn each_corruption_has_the_size_it_says() {
        check(&added(|x, w, draws| noise(x, w, 0.5, draws)), 0.5);
        check(
            &added(|x, w, draws| heteroscedastic_noise(x, w, 0.5, draws)),
            1.5,
        );
        // E[(s·U)²] = scale² / 3, at a tenth of the values.
        check(
            &added(|x, w, draws| outliers(x, w, 0.1, 6.0, draws)),
            libm::sqrt(0.1 * 36.0 / 3.0),
        );
        check(
            &added(|x, w, draws| drift(x, w, 0.1, draws)),
            0.1 / libm::sqrt(1.0 - 0.9025),
        );
        check(
            &added(|x, w, draws| multiplicative_bias(x, w, 0.3, draws)),
            2.0 * 0.3 / libm::sqrt(3.0),
        );
        check(
            &added(|x, w, draws| additive_bias(x, w, 0.3, draws)),
            0.3 / libm::sqrt(3.0),
        );
        let cubic = libm::sqrt(
            (0.1_f64 * 2.0).powi(2) + (0.05_f64 * 4.0).powi(2) + (0.1_f64 / 3.0 * 8.0).powi(2),
        );
        check(&added(|x, w, draws| cubic_bias(x, w, 0.1, draws)), cubic);
    }

    #[test]
    fn bias_is_one_number_per_window_and_drift_moves_slowly() {
        for bias in [multiplicative_bias, additive_bias, cubic_bias] {
            let added = added(|x, w, draws| bias(x, w, 0.2, draws));
            assert!(added.iter().all(|window| deviation(window.iter()) < 1e-12));
            assert!(
                deviation(added.iter().map(|window| &window[0])) > 0.05,
                "windows differ"
            );
        }
        let drifts = added(|x, w, draws| drift(x, w, 0.1, draws));
        let steps: Vec<f64> = drifts
            .iter()
            .flat_map(|d| d.windows(2).map(|p| p[1] - 0.95 * p[0]))
            .collect();
        assert!((deviation(steps.iter()) - 0.1).abs() < 0.01);
    }

    #[test]
    fn no_gain_turns_a_signal_round() {
        let added = added(|x, w, draws| multiplicative_bias(x, w, 3.0, draws));
        assert!(
            added
                .iter()
                .flatten()
                .all(|x| x + 2.0 >= 2.0 * LEAST_GAIN - 1e-12)
        );
    }

    #[test]
    fn what_is_hidden_stays_hidden_and_costs_the_others_nothing() {
        let pressed = |hide: bool| {
            let mut windows = flat(1.0, 1, 1);
            if hide {
                windows.hide(0, 0, 0);
            }
            noise(&mut windows, 0, 1.0, Seed::new(2).draws());
            (windows.get(0, 0, 0), windows.get(0, 49, 1))
        };
        assert_eq!(pressed(true).0, None);
        assert_eq!(pressed(true).1, pressed(false).1);
    }

    #[test]
    fn regimes_are_split_evenly_and_remember_where_they_come_from() {
        let mut windows = flat(0.0, 3000, 3);
        let of_window = |w: usize| Seed::new(3).child(w.to_string()).draws();
        split_regimes(&mut windows, 5, 1.0, Seed::new(8), of_window);
        let count = |regime: u32| {
            windows
                .regimes()
                .iter()
                .filter(|own| **own == regime)
                .count()
        };
        assert_eq!(count(2), 1000, "5 regimes from 3: the third is not split");
        assert!(
            [0, 1, 3, 4]
                .iter()
                .all(|&regime| count(regime).abs_diff(500) < 80)
        );
        for (w, &regime) in windows.regimes().iter().enumerate() {
            assert_eq!(regime as usize % 3, w % 3);
            assert_eq!(
                windows.get(w, 0, 0) == Some(0.0),
                regime < 3,
                "only what is new has moved"
            );
        }
        let mut enough = flat(0.0, 9, 3);
        split_regimes(&mut enough, 3, 1.0, Seed::new(8), of_window);
        assert_eq!(enough, flat(0.0, 9, 3));
    }

    #[test]
    fn a_bootstrap_draws_from_all_and_half_of_one_leaves_half() {
        let of_window = |w: usize| Seed::new(3).child(w.to_string()).draws();
        let (half, all) = (
            resample(2000, 0.5, of_window),
            resample(2000, 1.0, of_window),
        );
        let moved = |drawn: &[usize]| {
            drawn
                .iter()
                .enumerate()
                .filter(|(w, other)| w != *other)
                .count()
        };
        assert!(moved(&half).abs_diff(1000) < 120 && moved(&all) > 1990);
        let distinct: BTreeSet<&usize> = all.iter().collect();
        assert!(
            distinct.len().abs_diff(1264) < 80,
            "1 − 1/e of them: {}",
            distinct.len()
        );
    }
}
