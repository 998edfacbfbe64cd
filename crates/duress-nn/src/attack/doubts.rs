//! Reasons to doubt that what an attack did not break is robust.

use duress_core::stressor::AttackDoubt;

/// A loss below which the softmax is called saturated.
const SATURATED: f64 = 1e-6;

/// A difference of the loss at the same point, relative to 1 + loss, that no rounding explains.
const RANDOMISED: f64 = 1e-3;

/// The share of ascents that may end on the rise before that is said.
const RISING: f64 = 0.25;

/// The share of items that the last of several starts may break before that is said.
const LATE_BREAKS: f64 = 0.01;

/// The share of probed items for which a small step up may fail to rise before that is said.
const SHATTERED: f64 = 0.5;

/// What gives reason to doubt that a standing item is robust: an attack that cannot see where to go
/// leaves items standing as well.
#[derive(Default)]
pub(super) struct DoubtNotes {
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
    /// How many of the ascents that broke nothing ended while their loss still rose.
    rising: usize,
    ended: usize,
    /// How many items the last of several starts broke, of those it was tried on.
    late_breaks: usize,
    last_starts: usize,
    /// For how many of the probed items a small step along the gradient did not raise the loss.
    misled: usize,
    probed: usize,
    /// How many items fell to answers alone after every gradient had failed, of how many.
    pub(super) fell_to_answers: usize,
    pub(super) tried_by_answers: usize,
    /// Whether what the subject tells as logits are probabilities.
    pub(super) probabilities: bool,
}

impl DoubtNotes {
    /// No doubt about any of `items` items.
    pub(super) fn none(items: usize) -> DoubtNotes {
        DoubtNotes {
            flat: vec![false; items],
            ..DoubtNotes::default()
        }
    }

    /// A gradient of `item` was zero everywhere.
    pub(super) fn note_flat(&mut self, item: usize, clean_loss: f64) {
        if !self.flat[item] {
            self.flat[item] = true;
            self.saturated += usize::from(clean_loss.abs() < SATURATED);
        }
    }

    /// A clean item was asked about a second time.
    pub(super) fn note_second_answer(&mut self, first: f64, again: f64) {
        let moody = (first - again).abs() > RANDOMISED * (1.0 + first.abs());
        self.moody += usize::from(moody);
        self.asked_twice += 1;
    }

    pub(super) fn is_randomised(&self) -> bool {
        self.moody > 0
    }

    /// An ascent broke nothing and ended, on the rise or not.
    pub(super) fn note_end(&mut self, rising: bool) {
        self.rising += usize::from(rising);
        self.ended += 1;
    }

    /// The last of several starts of an item ended, having broken it or not.
    pub(super) fn note_last_start(&mut self, broke: bool) {
        self.late_breaks += usize::from(broke);
        self.last_starts += 1;
    }

    /// A small step along the gradient was tried, and raised the loss or not.
    pub(super) fn note_probe(&mut self, rose: bool) {
        self.misled += usize::from(!rose);
        self.probed += 1;
    }

    /// All that is to be said; so many items were `right` when clean.
    pub(super) fn said(&self, right: usize) -> Vec<AttackDoubt> {
        let items = self.flat.iter().filter(|flat| **flat).count();
        let more_than = |part: usize, whole: usize, share: f64| part as f64 > share * whole as f64;
        let doubts = [
            (items > 0).then_some(AttackDoubt::ZeroGradients {
                items,
                of: right,
                saturated: self.saturated,
            }),
            (self.probed > 0 && more_than(self.misled, self.probed, SHATTERED)).then_some(
                AttackDoubt::ShatteredGradients {
                    misled: self.misled,
                    probed: self.probed,
                },
            ),
            self.is_randomised().then_some(AttackDoubt::Randomised {
                differ: self.moody,
                asked: self.asked_twice,
            }),
            (self.weaker > 0).then_some(AttackDoubt::LargerIsWeaker {
                withstood: self.weaker,
                looked: self.looked_at_again,
            }),
            more_than(self.rising, self.ended, RISING).then_some(AttackDoubt::StillRising {
                rising: self.rising,
                ended: self.ended,
            }),
            more_than(self.late_breaks, self.last_starts, LATE_BREAKS).then_some(
                AttackDoubt::RestartsStillBreak {
                    broken: self.late_breaks,
                    tried: self.last_starts,
                },
            ),
            (self.fell_to_answers > 0).then_some(AttackDoubt::AnswersBeatGradients {
                broken: self.fell_to_answers,
                tried: self.tried_by_answers,
            }),
            self.probabilities
                .then_some(AttackDoubt::ProbabilityOutputs),
        ];
        doubts.into_iter().flatten().collect()
    }
}
