//! The nearest image found to break each item: what attacks that look for the shortest way keep.
//!
//! Such an attack does not know a budget, so it runs once: every rung takes what is near enough.

use duress_core::subject::{Failure, Loss};

use super::ladder::{Entry, LadderState};
use super::oracle::Goal;
use crate::ball::distance;

/// What was found so far, item by item.
#[derive(Default)]
pub(super) struct Nearest {
    found: Vec<Option<Break>>,
    tried: Vec<bool>,
}

/// An image that breaks an item, and how far it is from the clean one.
struct Break {
    far: f64,
    pixels: Vec<f32>,
}

impl Nearest {
    /// Whoever stands and was not attacked yet; they count as attacked from now on.
    pub(super) fn untried(&mut self, ladder: &LadderState<'_>) -> Vec<Entry> {
        self.found.resize_with(ladder.items.len(), || None);
        self.tried.resize(ladder.items.len(), false);
        let tried = &mut self.tried;
        let mut roster = ladder.roster();
        roster.retain(|entry| !std::mem::replace(&mut tried[entry.item], true));
        roster
    }

    /// How far the nearest image is that breaks an item.
    pub(super) fn far(&self, item: usize) -> Option<f64> {
        self.found[item].as_ref().map(|found| found.far)
    }

    /// Keeps an image that breaks an item, if it is nearer than what is kept.
    pub(super) fn offer(&mut self, item: usize, here: &[f32], ladder: &LadderState<'_>) {
        let far = distance(ladder.norm, ladder.images.image(item), here);
        if self.far(item).is_none_or(|kept| far < kept) {
            self.found[item] = Some(Break {
                far,
                pixels: here.to_vec(),
            });
        }
    }

    /// Tells the ladder who falls within a budget.
    pub(super) fn settle(
        &self,
        ladder: &mut LadderState<'_>,
        budget: f64,
        goal: Goal,
    ) -> Result<(), Failure> {
        // It broke the item when it was found; how much it hurts where it does not is not known.
        let broken = Loss {
            loss: f64::NEG_INFINITY,
            right: false,
        };
        for entry in ladder.roster() {
            if let Some(found) = self.found[entry.item].as_ref()
                && found.far <= budget
            {
                ladder.learn(entry, broken, &found.pixels, goal)?;
            }
        }
        Ok(())
    }
}
