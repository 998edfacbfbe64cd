//! Judging: responses with errors put into them, and subjects that rate them.

pub mod datasets;
mod frame;
pub mod gauges;
pub mod rated_doses;
pub mod stressors;
pub mod subjects;

/// The dimension that a kind of error counts in, T, B or E; none for what is no kind of error.
pub fn category_of(subtype: &str) -> Option<String> {
    let subtype = duress_text::judge::Subtype::named(subtype).ok()?;
    Some(subtype.category.to_string())
}

/// What a step, as [`marked`](duress_core::stressor::StressStep::marked) in its text, is known by; it
/// tells nobody of what kind the step is. It begins with a letter: a spreadsheet would take
/// `12345678e901` for a number.
pub fn step_id(marked: &str) -> String {
    format!("s{}", &blake3::hash(marked.as_bytes()).to_hex()[..12])
}
