//! Studies on the data that come with duress, one for each kind.

use std::path::Path;

use duress_core::problem::Problem;
use duress_parts::registry::Registry;

use super::Kind;
use crate::study::Study;

/// The study of this kind, if all its parts are there.
pub(super) fn of(kind: Kind, registry: &Registry) -> Result<String, Problem> {
    let sound = |kind: &Kind| Study::parse(Path::new("study.toml"), text(*kind), registry).is_ok();
    if sound(&kind) {
        return Ok(text(kind).into());
    }
    let there: Vec<&str> = Kind::ALL.iter().filter(|kind| sound(kind)).map(|kind| kind.word()).collect();
    Err(Problem::new(format!("there are no parts for a study of the kind `{}`", kind.word()))
        .hint(format!("there is: {}", there.join(", "))))
}

fn text(kind: Kind) -> &'static str {
    match kind {
        Kind::Classify => include_str!("classify.toml"),
        Kind::Causal => include_str!("causal.toml"),
        Kind::Order => include_str!("order.toml"),
        Kind::Judge => include_str!("judge.toml"),
    }
}
