//! What was said of each item when clean and under stress, for the gauges that compare the two.

use duress_core::gauge::{CellRead, Direction, Ends, Scale, Undefined, Unit, same_classes};
use duress_core::question::Question;

/// The scale of what stress took away, over items.
pub(crate) fn loss_scale(ends: Ends, convention: &str) -> Scale {
    Scale {
        reads: Question::Classes,
        direction: Direction::Lower,
        best: Some(0.0),
        ends,
        unit: Unit::Items,
        convention: convention.into(),
        compat: false,
    }
}

/// What `compare` makes of each item: of its true class, and of what was said when clean and under
/// stress, where something was. `Undefined` for the reason `nobody` where it makes nothing of any.
pub(crate) fn compare_items(
    clean: CellRead<'_>,
    pressed: CellRead<'_>,
    compare: impl Fn(u32, Option<u32>, Option<u32>) -> Option<f64>,
    nobody: &str,
) -> Result<Vec<Option<f64>>, Undefined> {
    let (labels, before) = same_classes(clean)?;
    let (_, after) = same_classes(pressed)?;
    let compared: Vec<Option<f64>> = labels
        .of()
        .iter()
        .enumerate()
        .map(|(i, &label)| compare(label, before.label(i), after.label(i)))
        .collect();
    match compared.iter().all(Option::is_none) {
        true => Err(Undefined::new(nobody)),
        false => Ok(compared),
    }
}
