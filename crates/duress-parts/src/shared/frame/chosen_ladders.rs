//! The ladders that a gauge of several ladders reads: those that are named, or all.

use duress_core::gauge::{Rung, Undefined};
use duress_core::name::Name;
use duress_core::part::{Field, Takes};

/// The key that names them.
pub(crate) const LADDERS: Field = Field {
    name: "ladders",
    takes: Takes::Texts,
    doc: "the ladders that are read; all when left out",
    default: Some(""),
};

/// The ladders that were named, or all, by name: so that no sum depends on the order of a study.
pub(crate) fn chosen_ladders<'a>(
    ladders: &'a [(Name, Vec<Rung>)],
    wanted: &[String],
) -> Result<Vec<&'a (Name, Vec<Rung>)>, Undefined> {
    let is_there = |name: &String| ladders.iter().any(|(there, _)| there.as_str() == name);
    if let Some(absent) = wanted.iter().find(|name| !is_there(name)) {
        let there: Vec<&str> = ladders.iter().map(|(name, _)| name.as_str()).collect();
        return Err(Undefined::new(format!(
            "no ladder `{absent}` presses it; there is {}",
            there.join(", ")
        )));
    }
    let is_wanted =
        |name: &Name| wanted.is_empty() || wanted.iter().any(|one| one == name.as_str());
    let mut chosen: Vec<&(Name, Vec<Rung>)> =
        ladders.iter().filter(|(name, _)| is_wanted(name)).collect();
    chosen.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
    if chosen.is_empty() {
        return Err(Undefined::new("no ladder presses it"));
    }
    Ok(chosen)
}
