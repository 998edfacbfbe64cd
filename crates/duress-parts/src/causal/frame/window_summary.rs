//! What the report says about every dataset of windows with a graph.

use duress_core::data::{Inputs, Items, Windows};
use duress_core::truth::Truth;
use duress_graph::sortability;
use duress_stats::tests::little;

/// Sortability where the graph is known, the share of values that are hidden, and the regimes.
pub(crate) fn windows(items: &Items, truth: &Truth) -> Vec<String> {
    let Inputs::Windows(windows) = items.inputs() else {
        return Vec::new();
    };
    let mut said = Vec::new();
    said.extend(
        truth
            .graph()
            .map(|graph| sortability::in_words(graph, windows)),
    );
    said.extend(hidden(windows));
    said.push(regimes(windows));
    said
}

/// The same of windows that are independent of each other, with Little's test of whether their gaps
/// depend on anything.
pub(crate) fn independent_windows(items: &Items, truth: &Truth) -> Vec<String> {
    let mut said = windows(items, truth);
    if let Inputs::Windows(windows) = items.inputs() {
        said.extend(gaps(windows));
    }
    said
}

/// Rows and variables that Little's test is put to: beyond them it says what it says below.
const MOST_ROWS: usize = 500;
const MOST_VARIABLES: usize = 20;

/// Little's test on one step of each window: steps of a window are alike, windows are not.
fn gaps(windows: &Windows) -> Option<String> {
    let d = windows.variables().len();
    if windows.hidden_share() == 0.0 || d > MOST_VARIABLES {
        return None;
    }
    let step = windows.steps() / 2;
    let row = |w: usize| (0..d).map(|v| windows.get(w, step, v)).collect();
    let rows: Vec<Vec<Option<f64>>> = (0..windows.len().min(MOST_ROWS)).map(row).collect();
    Some(match little(&rows) {
        Ok(test) => format!(
            "Little's test on one step of {} windows: p = {:.2}{}",
            test.n,
            test.p,
            if test.significant(0.05) {
                ", the gaps are not completely at random"
            } else {
                ""
            }
        ),
        Err(why) => format!("Little's test on one step of each window: {why}"),
    })
}

fn hidden(windows: &Windows) -> Option<String> {
    let share = windows.hidden_share();
    (share > 0.0).then(|| format!("{:.1} % of the values fitted are hidden", 100.0 * share))
}

fn regimes(windows: &Windows) -> String {
    let mut all: Vec<u32> = windows.regimes().to_vec();
    all.sort_unstable();
    let counts: Vec<String> = all
        .chunk_by(|a, b| a == b)
        .map(|same| same.len().to_string())
        .collect();
    match counts.len() {
        1 => "one regime: there is none to be left out".into(),
        n if n <= 12 => format!("{n} regimes with {} windows fitted", counts.join(", ")),
        n => format!("{n} regimes"),
    }
}
