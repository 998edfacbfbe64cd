//! The nearest image found to break each item: what attacks that look for the shortest way keep.
//!
//! Such an attack does not know a budget, so it runs once: every rung takes what is near enough.

use duress_core::subject::{Failure, Loss};

use super::ladder::{Entry, LadderState, Method, is_flat};
use super::oracle::Goal;
use super::seats::{Seated, Seating, Seats, Waiting};
use crate::ball::distance;

/// An attack that looks for the shortest way: it searches once, and serves every rung.
pub(super) trait ShortestWay: Seating {
    /// What it is called.
    const LABEL: &'static str;

    /// What it asks for.
    const GOAL: Goal;

    /// What it has found.
    fn nearest(&mut self) -> &mut Nearest;

    /// What has to be known of those who are attacked, before they are.
    fn prepare(&mut self, _ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

impl<Search: ShortestWay> Method for Search {
    fn label(&self) -> String {
        Search::LABEL.into()
    }

    fn goal(&self) -> Goal {
        Search::GOAL
    }

    fn looks_ahead(&self) -> bool {
        false
    }

    fn press(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        let untried = self.nearest().untried(ladder);
        self.prepare(ladder)?;
        self.serve(ladder, untried.into_iter().map(Waiting::first))?;
        self.nearest().settle(ladder);
        Ok(())
    }
}

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
    fn untried(&mut self, ladder: &LadderState<'_>) -> Vec<Entry> {
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

    /// Takes in what was found at a seat: whether it breaks the item, and whether there is a way on.
    pub(super) fn take_in<T: Seated>(
        &mut self,
        seat: usize,
        found: Loss,
        seats: &Seats<T>,
        ladder: &mut LadderState<'_>,
    ) {
        let item = seats.which[seat];
        if is_flat(seats.slope_at(seat)) {
            ladder.ascent_notes().note_flat(item);
        }
        if !found.right {
            self.offer(item, seats.pixels_at(seat), ladder);
        }
    }

    /// Tells the ladder who falls within its budget.
    fn settle(&self, ladder: &mut LadderState<'_>) {
        // It broke the item when it was found; how much it hurts where it does not is not known.
        let broken = Loss {
            loss: f64::NEG_INFINITY,
            right: false,
        };
        for entry in ladder.roster() {
            if let Some(found) = self.found[entry.item].as_ref()
                && found.far <= ladder.budget
            {
                ladder.learn(entry, broken, &found.pixels);
            }
        }
    }
}
