//! Windows drawn from a fitted model, to be held against those it was fitted on.

use duress_core::data::Windows;
use duress_core::seed::{Draws, Seed};
use duress_core::subject::Failure;

use crate::matrix::{Square, row_by_row};
use crate::rc_gnn::RcGnnFit;
use crate::rc_gnn::messages::MessageGraph;
use crate::rc_gnn::sensor::{Sensor, WIDTHS, level};

/// Steps before a window begins.
const WARM_UP: usize = 50;

/// As many windows as the model was fitted on, in the same regimes, with the same gaps.
pub(super) fn simulate_windows(fit: &RcGnnFit, seed: Seed) -> Result<Windows, Failure> {
    let series = &fit.series;
    let d = series.width();
    let mut values = Vec::with_capacity(series.windows() * series.steps * d);
    for window in 0..series.windows() {
        let mut draws = seed.child(format!("window-{window}")).draws();
        let regime = series.regime[window];
        let mut state = vec![0.0; d];
        for step in 0..WARM_UP + series.steps {
            state = next_state(&fit.messages, &state, &fit.deltas[regime], &mut draws);
            if step >= WARM_UP {
                for (v, sensor) in fit.sensors.iter().enumerate() {
                    let (middle, scale) = series.scales[regime][v];
                    let seen = sensor.loudness * (state[v] + noise(sensor, state[v], &mut draws));
                    values.push(middle + scale * seen);
                }
            }
        }
    }
    let regimes = series.regime.iter().map(|&r| series.regimes[r]).collect();
    let mut windows = Windows::new(series.variables.clone(), series.steps, regimes, values)
        .map_err(|problem| Failure::unable(problem.to_string()))?;
    for (w, t) in row_by_row(series.windows(), series.steps) {
        (0..d)
            .filter(|&v| series.get(w, t, v).is_none())
            .for_each(|v| windows.hide(w, t, v));
    }
    Ok(windows)
}

fn next_state(graph: &MessageGraph, state: &[f64], louder: &Square, draws: &mut Draws) -> Vec<f64> {
    let next = |to: usize| {
        let heard = graph.into[to].iter();
        let said = heard.map(|m| (1.0 + louder[(m.from, to)]) * m.says(state[m.from]));
        graph.base[to] + said.sum::<f64>()
    };
    (0..state.len())
        .map(|to| next(to) + libm::sqrt(graph.innovation[to]) * draws.normal())
        .collect()
}

fn noise(sensor: &Sensor, x: f64, draws: &mut Draws) -> f64 {
    let mut left = draws.uniform();
    let shares = &sensor.shares[level(x)];
    let width = (0..WIDTHS.len()).find(|&k| {
        left -= shares[k];
        left < 0.0
    });
    WIDTHS[width.unwrap_or(WIDTHS.len() - 1)] * draws.normal()
}
