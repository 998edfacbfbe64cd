//! The classes that an attack aims at, item by item.

use duress_core::objective::Aim;
use duress_core::subject::Failure;

use super::ladder::LadderState;

/// The most likely other classes of each item, found when an item is first attacked.
pub(super) struct Aims {
    /// How many there are at most; with 0 nobody aims.
    most: usize,
    /// How many starts an item has, for each class if it aims.
    starts: usize,
    /// Empty until they were asked for.
    found: Vec<Vec<Aim>>,
}

impl Aims {
    pub(super) fn new(most: usize, starts: usize) -> Aims {
        Aims {
            most,
            starts,
            found: Vec::new(),
        }
    }

    /// Asks for the classes of those who are attacked and have none yet.
    pub(super) fn find(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        if self.most == 0 {
            return Ok(());
        }
        self.found.resize(ladder.items.len(), Vec::new());
        let attacked = ladder.roster().into_iter().map(|entry| entry.item);
        let without: Vec<usize> = attacked
            .filter(|&item| self.found[item].is_empty())
            .collect();
        let found = ladder.aims(&without, self.most)?;
        for (item, aims) in without.into_iter().zip(found) {
            self.found[item] = aims;
        }
        Ok(())
    }

    /// The class that a run of an item aims at; none where nobody aims, or after the last run.
    pub(super) fn aim(&self, item: usize, run: usize) -> Option<Aim> {
        self.found.get(item)?.get(run / self.starts).copied()
    }

    /// How many runs an item has.
    pub(super) fn runs(&self, item: usize) -> usize {
        match self.most {
            0 => self.starts,
            _ => self.starts * self.found[item].len(),
        }
    }
}
