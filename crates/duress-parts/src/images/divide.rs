//! Divides items into what is fitted and what is tested on, by content.
//!
//! Whether an item is fitted on depends on its own content (or its group) and the seed, on nothing
//! else: equal images are always on one side, names and order do not matter, more items move none
//! of the others, and a larger share keeps what a smaller one fitted on.

use std::collections::HashSet;

use duress_core::seed::Seed;

use super::gather::{Gathered, Pile};

/// The items to fit on, if there are to be any, and those to test on. The share is met on average,
/// not to the item.
pub(super) fn divide(pile: Pile, share: f64, seed: Seed) -> (Option<Pile>, Pile) {
    if share == 0.0 {
        return (None, pile);
    }
    let mut seen = HashSet::new();
    let contents: Vec<String> = pile.items.iter().map(content).collect();
    let twins = contents
        .iter()
        .filter(|content| !seen.insert(content.as_str()))
        .count();
    let twins = (twins > 0).then(|| {
        format!("{twins} items have the same content as another; equal ones are on one side")
    });
    let empty = || Pile {
        shape: pile.shape,
        columns: pile.columns.clone(),
        ..Pile::default()
    };
    let mut fit = empty();
    let mut test = empty().with_remarks(pile.remarks()).with_remarks(twins);
    for (item, content) in pile.items.into_iter().zip(&contents) {
        let fitted = seed
            .child(item.group.as_ref().unwrap_or(content))
            .draws()
            .chance(share);
        if fitted { &mut fit } else { &mut test }.items.push(item);
    }
    (Some(fit), test)
}

/// What is fitted on, without the items whose content is also tested on.
pub(super) fn without_twins(mut fit: Pile, test: &Pile) -> Pile {
    let tested: HashSet<String> = test.items.iter().map(content).collect();
    let before = fit.items.len();
    fit.items.retain(|item| !tested.contains(&content(item)));
    let dropped = before - fit.items.len();
    let remark = format!(
        "{dropped} items to fit on have the content of one that is tested on, and are left out"
    );
    fit.with_remarks((dropped > 0).then_some(remark))
}

fn content(item: &Gathered) -> String {
    let bytes: Vec<u8> = item
        .pixels
        .iter()
        .flat_map(|pixel| pixel.to_le_bytes())
        .collect();
    blake3::hash(&bytes).to_hex().to_string()
}
