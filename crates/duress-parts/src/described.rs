//! What the report says about every dataset of windows with a graph.

use duress_core::data::{Inputs, Items, Windows};
use duress_core::truth::Truth;
use duress_graph::sortability;

/// Sortability where the graph is known, the share of values that are hidden, and the regimes.
pub(crate) fn windows(items: &Items, truth: &Truth) -> Vec<String> {
    let Inputs::Windows(windows) = items.inputs() else { return Vec::new() };
    let mut said = Vec::new();
    said.extend(truth.graph().map(|graph| sortability::in_words(graph, windows)));
    said.extend(hidden(windows));
    said.push(regimes(windows));
    said
}

fn hidden(windows: &Windows) -> Option<String> {
    let share = windows.hidden_share();
    (share > 0.0).then(|| format!("{:.1} % of the values fitted are hidden", 100.0 * share))
}

fn regimes(windows: &Windows) -> String {
    let mut all: Vec<u32> = windows.regimes().to_vec();
    all.sort_unstable();
    let counts: Vec<String> = all.chunk_by(|a, b| a == b).map(|same| same.len().to_string()).collect();
    match counts.len() {
        1 => "one regime: there is none to be left out".into(),
        n if n <= 12 => format!("{n} regimes with {} windows fitted", counts.join(", ")),
        n => format!("{n} regimes"),
    }
}
