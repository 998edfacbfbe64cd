//! A comparison as text for a terminal.

use duress_figure::label::tame;

use crate::words;
use duress_findings::{Change, Comparison, Moved};

/// As text for a terminal, at most `width` columns.
pub fn table(comparison: &Comparison, width: usize) -> String {
    let mut text = format!("{}\n", comparison.verdict());
    // What is the same is counted above; a row for each would bury the rest.
    for moved in [
        Moved::Worse,
        Moved::Better,
        Moved::Changed,
        Moved::Undefined,
        Moved::Unclear,
    ] {
        let mut of_kind = comparison
            .changes
            .iter()
            .filter(|change| change.verdict == moved)
            .peekable();
        if of_kind.peek().is_some() {
            text.push_str(&format!("\n{}\n", moved));
        }
        of_kind.for_each(|change| text.push_str(&line(change, width)));
    }
    for said in comparison.remarks() {
        text.push_str(&format!("\n{}\n", tame(&said)));
    }
    text
}

/// Two lines where one would be too wide.
fn line(change: &Change, width: usize) -> String {
    let what = tame(&format!(
        "{}  {}",
        change.gauge,
        change.place.in_words(true)
    ));
    let values = format!(
        "{} → {}  {}",
        words::reading(&change.before),
        words::reading(&change.after),
        words::signed(&change.difference)
    );
    let values = tame(&values);
    let room = width.saturating_sub(4 + values.chars().count());
    if what.chars().count() <= room {
        format!("  {what:<room$}  {values}\n")
    } else {
        format!("  {what}\n    {values}\n")
    }
}
