//! The texts of studies that several tests have in common.

/// A study of the idioms in a file, scrambled, which the section `subject` reads.
pub(crate) fn scrambled(file: &str, subject: &str, severities: &[u32]) -> String {
    format!(
        r#"name = "scrambled"
[dataset.own]
use = "idioms"
file = "{file}"
{subject}
[ladder.scrambled]
use = "arrangement"
severities = {severities:?}
[rater.words]
use = "lexical"
[analysis]
gauges = ["s-acc"]
units = "items"
"#
    )
}

/// A subject that looks idioms up.
pub(crate) const LOOKUP: &str = r#"[subject.lookup]
use = "lookup"
on = "own""#;

/// A study of recorded answers about two classes, with the true ones in `labels`; the keys `more` of
/// its subject come last, and sections behind them.
pub(crate) fn yes_or_no(labels: &str, answers: &str, more: &str) -> String {
    format!(
        r#"name = "yes-or-no"
[dataset.items]
use = "labelled"
file = "{labels}"
classes = ["no", "yes"]
[subject.net]
use = "recorded"
files = "{answers}"
classes = ["no", "yes"]
{more}
"#
    )
}
