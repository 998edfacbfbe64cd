//! Reasons to doubt that what an attack did not break is robust.

/// A loss below which the softmax is called saturated.
const SATURATED: f64 = 1e-6;

/// A difference of the loss at the same point, relative to 1 + loss, that no rounding explains.
const RANDOMISED: f64 = 1e-3;

/// What gives reason to doubt that a standing item is robust: an attack that cannot see where to go
/// leaves items standing as well.
#[derive(Default)]
pub(super) struct AttackDoubts {
    /// Per item, whether some gradient was zero everywhere.
    flat: Vec<bool>,
    /// How many of those items have a saturated softmax when clean.
    saturated: usize,
    /// How many of the `asked_twice` clean items had another loss the second time.
    moody: usize,
    asked_twice: usize,
    /// How many of the fallen items that were `looked_at_again` withstood a larger budget.
    pub(super) weaker: usize,
    pub(super) looked_at_again: usize,
}

impl AttackDoubts {
    /// No doubt about any of `items` items.
    pub(super) fn none(items: usize) -> AttackDoubts {
        AttackDoubts {
            flat: vec![false; items],
            ..AttackDoubts::default()
        }
    }

    /// A gradient of `item` was zero everywhere.
    pub(super) fn note_flat(&mut self, item: usize, clean_loss: f64) {
        if !self.flat[item] {
            self.flat[item] = true;
            self.saturated += usize::from(clean_loss < SATURATED);
        }
    }

    /// A clean item was asked about a second time.
    pub(super) fn note_second_answer(&mut self, first: f64, again: f64) {
        let moody = (first - again).abs() > RANDOMISED * (1.0 + first.abs());
        self.moody += usize::from(moody);
        self.asked_twice += 1;
    }

    /// Each doubt as a sentence; so many items were `right` when clean.
    pub(super) fn in_words(&self, right: usize) -> Vec<String> {
        let flat = self.flat.iter().filter(|flat| **flat).count();
        let mut doubts = Vec::new();
        if flat > 0 {
            doubts.push(format!(
                "the gradient was exactly zero somewhere on the way for {flat} of {right} items ({} with a saturated \
                 softmax): the attack could not move there, and what it did not break says little",
                self.saturated
            ));
        }
        if self.moody > 0 {
            doubts.push(format!(
                "{} of {} clean items asked about twice gave two different losses: the subject is randomised, and one \
                 attack overstates its robustness",
                self.moody, self.asked_twice
            ));
        }
        if self.weaker > 0 {
            doubts.push(format!(
                "a larger severity looks weaker: {} of {} looks again at items broken lower down did not break them",
                self.weaker, self.looked_at_again
            ));
        }
        doubts
    }
}
