//! A comparison as Markdown for a pull request.

use crate::words;
use duress_findings::{Comparison, Moved};

/// As Markdown for a pull request.
pub fn markdown(comparison: &Comparison) -> String {
    let sign = if comparison.count(Moved::Worse) > 0 {
        "✗"
    } else {
        "✓"
    };
    let mut text = format!("### {sign} {}\n\n", comparison.verdict());
    text.push_str(
        "| gauge | where | before | after | change | verdict |\n|---|---|---:|---:|---:|---|\n",
    );
    for change in &comparison.changes {
        let cells = [
            change.gauge.clone(),
            change.place.in_words(true),
            words::reading(&change.before),
            words::reading(&change.after),
            words::signed(&change.difference),
            change.verdict.to_string(),
        ];
        text.push_str(&format!(
            "| {} |\n",
            cells.map(|cell| safe(&cell)).join(" | ")
        ));
    }
    for said in comparison.remarks() {
        text.push_str(&format!("\n{}\n", safe(&said)));
    }
    text
}

/// Text that Markdown and HTML take as text.
fn safe(text: &str) -> String {
    let text = duress_figure::label::tame(text);
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('|', "\\|")
        .replace('`', "\\`")
}
