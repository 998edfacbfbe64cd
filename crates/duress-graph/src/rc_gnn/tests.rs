//! Tests of the whole model.

use duress_core::data::Windows;
use duress_core::fitting::FitKeeper;
use duress_core::seed::{Draws, Seed};

use super::*;

use crate::matrix::row_by_row;

const STEPS: usize = 16;

/// Windows of `a → b → c`, `b` by the square of `a`, `c` by a line unless it is cut in regime 1; `d`
/// for itself. Regimes differ in gain and offset.
fn chain(windows: usize, cut: bool, noise: impl Fn(f64, &mut Draws) -> f64) -> Windows {
    let mut draws = Seed::new(3).draws();
    let mut values = Vec::new();
    for window in 0..windows {
        let second = window % 2 == 1;
        let mut x = [0.0; 4];
        for step in 0..STEPS + 20 {
            let bend = 0.45 * (x[0] * x[0] - 1.0);
            let line = if cut && second { 0.0 } else { 0.5 * x[1] };
            let drive = [0.7 * x[0], 0.5 * x[1] + bend, 0.5 * x[2] + line, 0.7 * x[3]];
            x = drive.map(|drive| drive + 0.6 * draws.normal());
            if step >= 20 {
                let (gain, offset) = if second { (2.0, 3.0) } else { (1.0, 0.0) };
                values.extend(x.map(|x| offset + gain * (x + noise(x, &mut draws))));
            }
        }
    }
    let names = ["a", "b", "c", "d"].map(String::from).to_vec();
    let regimes = (0..windows as u32).map(|w| w % 2).collect();
    Windows::new(names, STEPS, regimes, values).unwrap()
}

/// Noise that grows with the signal, and outliers.
fn rough(x: f64, draws: &mut Draws) -> f64 {
    let plain = 0.3 * (1.0 + x.abs()) * draws.normal();
    if draws.chance(0.05) {
        plain + 8.0 * draws.normal()
    } else {
        plain
    }
}

/// Hides values, high ones more often.
fn with_gaps(mut windows: Windows, rate: f64) -> Windows {
    let mut draws = Seed::new(5).draws();
    for (w, t) in row_by_row(windows.len(), STEPS) {
        for v in 0..windows.variables().len() {
            let high = windows.get(w, t, v).is_some_and(|x| x > 1.0);
            if draws.chance(if high { (2.0 * rate).min(0.9) } else { rate }) {
                windows.hide(w, t, v);
            }
        }
    }
    windows
}

fn fitted(model: RcGnn, windows: &Windows) -> RcGnnFit {
    model.fit(windows, Seed::new(1), &mut |_, _| {}).unwrap()
}

#[test]
fn bends_and_lines_are_found_through_noise_outliers_and_gaps() {
    let fit = fitted(RcGnn::default(), &with_gaps(chain(240, false, rough), 0.3));
    assert_eq!(
        fit.answer.graph.edges(),
        [(0, 1), (1, 2)],
        "{}",
        fit.answer.rule
    );
    assert!(fit.probabilities[(0, 1)] > 0.9 && fit.probabilities[(1, 0)] < 0.5);
    assert!(fit.strengths[(0, 1)] > 0.1 && fit.strengths[(3, 2)] < 0.1);
    assert!(
        fit.losses[4] < fit.losses[0],
        "messages foretell: {:?}",
        fit.losses
    );
}

#[test]
fn every_part_can_be_switched_off_and_has_an_effect() {
    let windows = with_gaps(chain(120, true, rough), 0.2);
    let whole = RcGnn::default();
    let scores = fitted(whole, &windows).answer.scores;
    for other in [
        RcGnn {
            noise: NoiseModel::Mixed,
            ..whole
        },
        RcGnn {
            noise: NoiseModel::Plain,
            ..whole
        },
        RcGnn {
            bias: false,
            ..whole
        },
        RcGnn {
            shape: MessageShape::Quartic,
            ..whole
        },
        RcGnn {
            shape: MessageShape::Linear,
            ..whole
        },
        RcGnn {
            covariance: false,
            ..whole
        },
        RcGnn { rounds: 0, ..whole },
        RcGnn {
            invariance: true,
            ..whole
        },
        RcGnn {
            gaps: true,
            ..whole
        },
    ] {
        assert_ne!(fitted(other, &windows).answer.scores, scores, "{other:?}");
    }
}

#[test]
fn feedback_is_an_edge_both_ways_where_it_may_be() {
    let mut draws = Seed::new(9).draws();
    let mut values = Vec::new();
    for _ in 0..150 {
        let mut x = [0.0; 5];
        for step in 0..STEPS + 20 {
            let drive = [0.4 * x[0] - 0.5 * x[1], 0.4 * x[1] + 0.5 * x[0]];
            x = std::array::from_fn(|v| {
                drive.get(v).map_or(0.6 * x[v], |d| *d) + 0.6 * draws.normal()
            });
            if step >= 20 {
                values.extend(x);
            }
        }
    }
    let names = ["a", "b", "c", "d", "e"].map(String::from).to_vec();
    let windows = Windows::new(names, STEPS, vec![0; 150], values).unwrap();
    let both = fitted(
        RcGnn {
            feedback: true,
            ..RcGnn::default()
        },
        &windows,
    );
    let one = fitted(RcGnn::default(), &windows);
    assert!(both.answer.graph.has(0, 1) && both.answer.graph.has(1, 0));
    assert!(one.answer.graph.has(0, 1) != one.answer.graph.has(1, 0));
}

#[test]
fn a_fit_is_the_same_again_and_goes_on_from_where_it_was() {
    let windows = with_gaps(chain(60, false, rough), 0.3);
    let mut kept = None;
    let mut told = Vec::new();
    let whole = RcGnn::default()
        .fit(&windows, Seed::new(1), &mut |progress, state| {
            told.push(progress);
            if progress.round == 1 {
                kept = Some(serde_json::to_string(state).unwrap());
            }
        })
        .unwrap();
    assert_eq!(
        told.iter().map(|p| p.round).collect::<Vec<_>>(),
        [0, 1, 2, 3]
    );
    assert!(told.iter().all(|p| p.loss.is_finite() && p.rounds == 4));
    assert_eq!(fitted(RcGnn::default(), &windows).answer, whole.answer);
    let state = serde_json::from_str(&kept.unwrap()).unwrap();
    let resumed = RcGnn::default().resume(&windows, Seed::new(1), Some(state), &mut |_, _| {});
    let resumed = resumed.unwrap();
    assert_eq!(resumed.answer, whole.answer);
    assert_eq!(resumed.probabilities, whole.probabilities);
}

/// Keeps what is half done after every round, and is killed after the first.
#[derive(Default)]
struct KilledOnce {
    kept: std::sync::Mutex<Option<Vec<u8>>>,
    heard: std::sync::Mutex<Vec<u64>>,
}

impl FitKeeper for KilledOnce {
    fn half_done(&self) -> Option<Vec<u8>> {
        self.kept.lock().unwrap().clone()
    }

    fn is_due(&self) -> bool {
        true
    }

    fn keep(&self, half_done: &[u8]) -> Result<(), Failure> {
        let killed = self.kept.lock().unwrap().replace(half_done.to_vec());
        killed.map(|_| ()).ok_or(Failure::unable("killed"))
    }

    fn hear(&self, progress: &duress_core::fitting::FitProgress) {
        self.heard.lock().unwrap().push(progress.done);
    }
}

#[test]
fn a_killed_fit_goes_on_where_it_was_kept() {
    let windows = with_gaps(chain(60, false, |_, _| 0.0), 0.3);
    let keeper = KilledOnce::default();
    let fit = || RcGnn::default().fit_kept(&windows, Seed::new(1), &keeper);
    assert_eq!(fit().err().unwrap(), Failure::unable("killed"));
    let whole = fitted(RcGnn::default(), &windows);
    let resumed = fit().unwrap();
    assert_eq!(resumed.answer, whole.answer);
    assert_eq!(resumed.probabilities, whole.probabilities);
    // All rounds the first time, for nobody was there to stop it, and only those left the second.
    assert_eq!(*keeper.heard.lock().unwrap(), [1, 2, 3, 4, 2, 3, 4]);
}

#[test]
fn why_values_are_missing_is_told_and_makes_no_edge() {
    let mut windows = chain(200, false, |_, _| 0.0);
    for (w, t) in (0..200).flat_map(|w| (1..STEPS).map(move |t| (w, t))) {
        if windows.get(w, t, 3).is_some_and(|x| x > 0.5) && w % 2 == 0 {
            windows.hide(w, t, 0);
        }
    }
    let fit = fitted(RcGnn::default(), &windows);
    let reasons = &fit.gap_reasons;
    assert!(reasons[(3, 0)] > 5.0, "{reasons:?}");
    assert!(reasons[(3, 0)] > 2.0 * reasons[(1, 0)].abs());
    assert!(!fit.answer.graph.has(3, 0) && !fit.answer.graph.has(0, 3));
}

#[test]
fn an_edge_that_a_regime_cuts_is_not_in_the_graph_of_that_regime() {
    let fit = fitted(RcGnn::default(), &chain(240, true, |_, _| 0.0));
    let [(0, open), (1, cut)] = &fit.by_regime[..] else {
        panic!("two regimes: {:?}", fit.by_regime)
    };
    assert!(open.has(0, 1) && open.has(1, 2), "{open:?}");
    assert!(cut.has(0, 1) && !cut.has(1, 2), "{cut:?}");
    let [open, cut] = &fit.deltas[..] else {
        panic!("two regimes: {:?}", fit.deltas)
    };
    assert!(open[(1, 2)] > 0.3 && cut[(1, 2)] < -0.5, "{:?}", fit.deltas);
}

#[test]
fn simulated_windows_look_like_those_fitted() {
    let windows = with_gaps(chain(300, false, |_, draws| 0.4 * draws.normal()), 0.2);
    let drawn = fitted(RcGnn::default(), &windows)
        .simulate(Seed::new(8))
        .unwrap();
    assert_eq!(drawn.hidden_share(), windows.hidden_share());
    for v in 0..4 {
        let a = summary(&windows, v);
        let b = summary(&drawn, v);
        for (a, b, within) in [(a.0, b.0, 0.15), (a.1, b.1, 0.15), (a.2, b.2, 0.12)] {
            assert!((a - b).abs() < within, "variable {v}: {a} and {b}");
        }
    }
}

/// Median, distance of the quartiles, and correlation with the step before of values drawn in, of
/// regime 0.
fn summary(windows: &Windows, v: usize) -> (f64, f64, f64) {
    let places = (0..windows.len())
        .step_by(2)
        .flat_map(|w| (1..STEPS).map(move |t| (w, t)));
    let pairs: Vec<(f64, f64)> = places
        .filter_map(|(w, t)| Some((windows.get(w, t - 1, v)?, windows.get(w, t, v)?)))
        .collect();
    let mut sorted: Vec<f64> = pairs.iter().map(|p| p.1).collect();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[(share * sorted.len() as f64) as usize];
    let middle = at(0.5);
    let wide = at(0.75) - at(0.25);
    let inside = |x: f64| ((x - middle) / wide).clamp(-2.0, 2.0);
    let across: f64 = pairs.iter().map(|p| inside(p.0) * inside(p.1)).sum();
    let square: f64 = pairs.iter().map(|p| inside(p.1) * inside(p.1)).sum();
    (middle, wide / 1.349, across / square)
}

#[test]
fn what_cannot_be_learnt_from_is_refused_with_a_reason() {
    let names = vec!["a".to_string(), "b".to_string()];
    let flat = Windows::new(names.clone(), 4, vec![0; 9], vec![1.0; 72]).unwrap();
    let short = Windows::new(names, 1, vec![0; 9], (0..18).map(f64::from).collect()).unwrap();
    for (windows, why) in [(flat, "no two different"), (short, "1 step")] {
        let failure = RcGnn::default().fit(&windows, Seed::new(1), &mut |_, _| {});
        assert!(failure.unwrap_err().why.contains(why));
    }
}
