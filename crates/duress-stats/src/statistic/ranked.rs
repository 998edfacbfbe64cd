//! Items sorted once by a score, each marked or not, with the ends of ties known: what every area
//! of a ranking walks over.

use crate::order::{sorted, tied_runs};

pub(super) const MARKED: u32 = 1 << 31;
pub(super) const LAST_OF_TIE: u32 = 1 << 30;
pub(super) const INDEX: u32 = LAST_OF_TIE - 1;

/// Item indices in the order of their scores, with the mark and the end of a tie in the top bits.
#[derive(Debug, Clone)]
pub(super) struct Ranked {
    items: Vec<u32>,
}

/// Items of one score, as far as they have weight.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ScoreTie {
    /// Their weight.
    pub(super) size: u64,
    /// The weight of those that are marked.
    pub(super) marked: u64,
    /// The last of them.
    pub(super) last: usize,
}

impl ScoreTie {
    fn add(&mut self, item: u32, weights: &[u32]) {
        self.last = (item & INDEX) as usize;
        let weight = u64::from(weights[self.last]);
        self.size += weight;
        self.marked += weight & 0_u64.wrapping_sub(u64::from(item >> 31));
    }
}

impl Ranked {
    /// The highest score first; scores are finite and not more than [`INDEX`].
    pub(super) fn falling(scores: &[f64], marked: impl Fn(usize) -> bool) -> Self {
        let entries = sorted(scores);
        let mut items: Vec<u32> = Vec::with_capacity(entries.len());
        for tie in tied_runs(&entries).rev() {
            items.extend(
                tie.iter()
                    .map(|e| e.index() as u32 | if marked(e.index()) { MARKED } else { 0 }),
            );
            if let Some(last) = items.last_mut() {
                *last |= LAST_OF_TIE;
            }
        }
        Self { items }
    }

    /// The items with their bits.
    pub(super) fn items(&self) -> &[u32] {
        &self.items
    }

    /// The items of one score after those of another.
    pub(super) fn tied_items(&self) -> impl DoubleEndedIterator<Item = &[u32]> {
        self.items.split_inclusive(|item| item & LAST_OF_TIE != 0)
    }

    /// Goes through the ties that have weight, the highest score first.
    pub(super) fn visit_ties(&self, weights: &[u32], mut visit: impl FnMut(ScoreTie)) {
        let mut tie = ScoreTie::default();
        for &item in &self.items {
            tie.add(item, weights);
            if item & LAST_OF_TIE != 0 {
                if tie.size > 0 {
                    visit(tie);
                }
                tie = ScoreTie::default();
            }
        }
    }

    /// Goes through the ties that have weight, the lowest score first.
    pub(super) fn visit_ties_back(&self, weights: &[u32], mut visit: impl FnMut(ScoreTie)) {
        for items in self.tied_items().rev() {
            let mut tie = ScoreTie::default();
            items.iter().for_each(|&item| tie.add(item, weights));
            if tie.size > 0 {
                visit(tie);
            }
        }
    }
}
