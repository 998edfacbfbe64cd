//! Surroundings: what moves several variables at once and is not among them. Trend, season and hidden
//! causes.
//!
//! Which variables are moved, and how strongly relative to each other, is drawn once for a data set;
//! severities are in the data's own units.

use duress_core::data::Windows;
use duress_core::seed::{Draws, Seed};

/// How much of a hidden cause is left after a step.
const MEMORY: f64 = 0.7;

/// Adds to each variable a line through each window, from −½ to ½ of `size` times a number that is
/// normal for each variable.
pub fn trend(windows: &mut Windows, size: f64, seed: Seed) {
    let last = windows.steps().saturating_sub(1).max(1) as f64;
    let slopes = numbers(windows.variables().len(), seed.child("slopes"));
    for window in 0..windows.len() {
        add(windows, window, |step, variable| {
            size * slopes[variable] * (step as f64 / last - 0.5)
        });
    }
}

/// Adds to each variable a sine of this many steps with amplitude `size`. Variables have phases of
/// their own, windows begin anywhere in it.
pub fn season(
    windows: &mut Windows,
    size: f64,
    period: f64,
    seed: Seed,
    of_window: impl Fn(usize) -> Draws,
) {
    let turn = 2.0 * std::f64::consts::PI;
    let mut draws = seed.child("phases").draws();
    let phases: Vec<f64> = windows
        .variables()
        .iter()
        .map(|_| draws.uniform())
        .collect();
    for window in 0..windows.len() {
        let begins = of_window(window).uniform();
        add(windows, window, |step, variable| {
            let at = step as f64 / period + begins + phases[variable];
            size * libm::sin(turn * at)
        });
    }
}

/// Adds hidden causes: each an autoregression of unit variance that two variables hear with weight
/// `size`, one at once and one a step later. `causes` pairs of variables are drawn.
pub fn hidden_causes(
    windows: &mut Windows,
    size: f64,
    causes: usize,
    seed: Seed,
    of_window: impl Fn(usize) -> Draws,
) {
    let d = windows.variables().len();
    if d < 2 {
        return;
    }
    let mut draws = seed.child("pairs").draws();
    let pairs: Vec<(usize, usize)> = (0..causes)
        .map(|_| {
            let first = draws.below(d);
            let other = draws.below(d - 1);
            (first, other + usize::from(other >= first))
        })
        .collect();
    for window in 0..windows.len() {
        let mut draws = of_window(window);
        for &(soon, late) in &pairs {
            let path = remembered(windows.steps() + 1, &mut draws);
            add(windows, window, |step, variable| {
                let at_once = if variable == soon {
                    path[step + 1]
                } else {
                    0.0
                };
                let later = if variable == late { path[step] } else { 0.0 };
                size * (at_once + later)
            });
        }
    }
}

/// An autoregression of unit variance.
fn remembered(steps: usize, draws: &mut Draws) -> Vec<f64> {
    let rest = libm::sqrt(1.0 - MEMORY * MEMORY);
    let mut level = draws.normal();
    (0..steps)
        .map(|_| {
            let now = level;
            level = MEMORY * level + rest * draws.normal();
            now
        })
        .collect()
}

fn numbers(count: usize, seed: Seed) -> Vec<f64> {
    let mut draws = seed.draws();
    (0..count).map(|_| draws.normal()).collect()
}

/// Adds to every value that can be seen.
fn add(windows: &mut Windows, window: usize, by: impl Fn(usize, usize) -> f64) {
    for step in 0..windows.steps() {
        for variable in 0..windows.variables().len() {
            if let Some(x) = windows.get(window, step, variable) {
                windows.set(window, step, variable, x + by(step, variable));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zeros(windows: usize) -> Windows {
        let names = ["a", "b", "c"].map(String::from).to_vec();
        Windows::new(names, 24, vec![0; windows], vec![0.0; windows * 72]).unwrap()
    }

    fn of_window(w: usize) -> Draws {
        Seed::new(7).child(w.to_string()).draws()
    }

    #[test]
    fn a_trend_is_a_line_and_the_same_in_every_window() {
        let mut windows = zeros(2);
        trend(&mut windows, 2.0, Seed::new(1));
        let at = |w: usize, t: usize| windows.get(w, t, 1).unwrap();
        assert!((at(0, 23) + at(0, 0)).abs() < 1e-12 && at(0, 23).abs() > 0.01);
        assert!((at(0, 2) - 2.0 * at(0, 1) + at(0, 0)).abs() < 1e-12);
        assert_eq!(at(0, 5), at(1, 5));
    }

    #[test]
    fn a_season_comes_back_after_its_period() {
        let mut windows = zeros(2);
        season(&mut windows, 1.5, 12.0, Seed::new(1), of_window);
        let at = |w: usize, t: usize, v: usize| windows.get(w, t, v).unwrap();
        assert!((at(0, 3, 0) - at(0, 15, 0)).abs() < 1e-9);
        assert!(
            (at(0, 3, 0) - at(1, 3, 0)).abs() > 1e-6,
            "windows begin anywhere"
        );
        let largest = (0..24).map(|t| at(0, t, 2).abs()).fold(0.0, f64::max);
        assert!(largest <= 1.5 && largest > 1.3);
    }

    #[test]
    fn a_hidden_cause_moves_two_variables_one_of_them_later() {
        let mut windows = zeros(400);
        hidden_causes(&mut windows, 1.0, 1, Seed::new(2), of_window);
        let moved: Vec<usize> = (0..3)
            .filter(|&v| windows.get(0, 0, v).is_some_and(|x| x != 0.0))
            .collect();
        let [a, b] = moved[..] else {
            panic!("two variables: {moved:?}")
        };
        let same = |from: usize, to: usize| {
            (0..400).all(|w| (1..24).all(|t| windows.get(w, t - 1, from) == windows.get(w, t, to)))
        };
        assert!(same(a, b) || same(b, a));
    }
}
