//! The ladder that a gauge of several ladders reads: the one that is named, or the only one.

use duress_core::gauge::{Rung, Undefined};
use duress_core::name::Name;

/// The ladder that was named, or the only one.
pub(crate) fn chosen_ladder<'a>(
    ladders: &'a [(Name, Vec<Rung>)],
    wanted: Option<&str>,
) -> Result<&'a (Name, Vec<Rung>), Undefined> {
    let names = || {
        ladders
            .iter()
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    };
    match (wanted, ladders) {
        (Some(wanted), _) => {
            let found = ladders.iter().find(|(name, _)| name.as_str() == wanted);
            found.ok_or_else(|| {
                Undefined::new(format!(
                    "no ladder `{wanted}` presses it; there is {}",
                    names()
                ))
            })
        }
        (None, [only]) => Ok(only),
        (None, []) => Err(Undefined::new("no ladder presses it")),
        (None, _) => Err(Undefined::new(format!(
            "several ladders press it: {}; name one",
            names()
        ))),
    }
}
