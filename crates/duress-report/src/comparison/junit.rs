//! A comparison as JUnit XML: one case per comparison, a failure where it is worse.

use crate::words;
use duress_findings::{Change, Comparison, Moved};

/// As JUnit XML: one case per comparison, a failure where it is worse.
pub fn junit(comparison: &Comparison) -> String {
    let cases: String = comparison.changes.iter().map(case).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"duress compare\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n{cases}</testsuite>\n",
        comparison.changes.len(),
        comparison.count(Moved::Worse),
        comparison.count(Moved::Undefined),
    )
}

fn case(change: &Change) -> String {
    let said = safe(&format!(
        "{} to {}, change {}",
        words::reading(&change.before),
        words::reading(&change.after),
        words::signed(&change.difference)
    ));
    let inside = match change.verdict {
        Moved::Worse => format!("<failure message=\"{said}\"/>"),
        Moved::Undefined => format!("<skipped message=\"{said}\"/>"),
        _ => format!("<system-out>{said}</system-out>"),
    };
    let name = safe(&change.place.in_words(true));
    format!(
        "  <testcase classname=\"{}\" name=\"{name}\">{inside}</testcase>\n",
        safe(&change.gauge)
    )
}

/// Text as XML takes it; control characters that XML forbids become a visible sign.
fn safe(text: &str) -> String {
    let text = duress_figure::label::tame(text);
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
