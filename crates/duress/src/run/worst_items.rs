//! Exhibits: the items a cell keeps as they looked before and after, for the report to show.

use duress_core::answer::Answers;
use duress_core::data::{Images, Inputs, Split, Text};
use duress_core::exhibit;

use crate::ledger::KeptItem;

/// Items kept for exhibits, and the most bytes they may take.
const KEPT_ITEMS: usize = 12;
const KEPT_BYTES: usize = 512 * 1024;

/// The worst items as they looked, as far as there is room.
pub(super) fn keep_worst_items(split: &Split, pressed: &Split, answers: &Answers) -> Vec<KeptItem> {
    let (before, after) = match (split.items().inputs(), pressed.items().inputs()) {
        (Inputs::Images(before), Inputs::Images(after)) => (before, after),
        (Inputs::Texts(before), Inputs::Texts(after)) => return kept_texts(before, after),
        _ => return Vec::new(),
    };
    let room = (KEPT_BYTES / (2 * before.size())).min(KEPT_ITEMS);
    let worst = exhibit::worst(split.truth(), answers, room);
    let shape = before.shape();
    let item = |at: usize| KeptItem::Image {
        at,
        shape,
        before: hex(before, at),
        after: hex(after, at),
    };
    worst.into_iter().map(item).collect()
}

/// The first texts that were changed: which are worst is not known before they are rated.
fn kept_texts(before: &[Text], after: &[Text]) -> Vec<KeptItem> {
    let changed = before
        .iter()
        .zip(after)
        .enumerate()
        .filter(|(_, (was, is))| was != is);
    let kept = changed.map(|(at, (was, is))| KeptItem::Text {
        at,
        was: was.text.clone(),
        is: is.text.clone(),
    });
    let mut room = KEPT_BYTES;
    kept.take(KEPT_ITEMS)
        .take_while(|item| {
            let KeptItem::Text { was, is, .. } = item else {
                return false;
            };
            room = room.saturating_sub(was.len() + is.len());
            room > 0
        })
        .collect()
}

fn hex(images: &Images, at: usize) -> String {
    images
        .image(at)
        .iter()
        .map(|pixel| format!("{:02x}", (pixel * 255.0).round() as u8))
        .collect()
}
