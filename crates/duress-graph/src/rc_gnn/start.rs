//! Where messages start: lines between all variables, as a linear model of hidden states has them.

use duress_core::data::Windows;

use crate::learners::em_kalman::StateSpaceModel;
use crate::panel::{Scaling, StandardisedPanel};
use crate::rc_gnn::messages::{BASIS, MessageGraph, StateMessage};

/// Rounds of EM: most of their gain comes first.
const ROUNDS: usize = 2;

/// A line from every variable to every other, with outliers drawn in; `None` where no such model can
/// be had.
pub(super) fn linear_graph(windows: &Windows, regimes: usize) -> Option<MessageGraph> {
    let panel = StandardisedPanel::scaled(windows, Scaling::Robust).ok()?;
    let model = StateSpaceModel::first_rounds(&panel, ROUNDS).ok()?.pop()?;
    let d = panel.variables().len();
    // States of unit variance: what is not noise.
    let size: Vec<f64> = model
        .noise
        .iter()
        .map(|noise| libm::sqrt((1.0 - noise).max(0.1)))
        .collect();
    let line = |to: usize, from: usize| {
        let mut weights = [0.0; BASIS];
        weights[0] = model.follow[(to, from)] * size[from] / size[to];
        StateMessage {
            from,
            weights,
            deltas: vec![0.0; regimes],
        }
    };
    let innovation = |to: usize| (model.drift[to] / (size[to] * size[to])).clamp(0.05, 1.0);
    Some(MessageGraph {
        into: (0..d)
            .map(|to| (0..d).map(|from| line(to, from)).collect())
            .collect(),
        base: vec![0.0; d],
        innovation: (0..d).map(innovation).collect(),
    })
}
