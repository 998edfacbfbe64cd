//! Reasons to doubt that what an attack did not break is robust.

use duress_core::stressor::AttackDoubt;
use duress_stats::interval::clopper_pearson;

/// A difference of the loss at the same point, relative to 1 + loss, that no rounding explains.
const RANDOMISED: f64 = 1e-3;

/// The share of ascents that may end on the rise before that is said.
const RISING: f64 = 0.25;

/// The share of items that the last of several starts may break before that is said.
const LATE_BREAKS: f64 = 0.01;

/// The share of probed items for which a small step up may fail to rise before that is said.
const SHATTERED: f64 = 0.5;

/// The share of what gradients left standing that answers alone may break: one more attack finds one
/// more item now and then, whatever it goes by.
const ANSWERS_BREAK: f64 = 0.01;

/// How sure it has to be that it is a larger share.
const SURE: f64 = 0.95;

fn more_than(part: usize, whole: usize, share: f64) -> bool {
    part as f64 > share * whole as f64
}

/// The least share that a part of a whole can be, by chance.
fn at_least(part: usize, whole: usize) -> f64 {
    let share = clopper_pearson(part as u64, whole as u64, SURE);
    share.map_or(0.0, |share| share.low)
}

/// What became of the items.
pub(super) struct Settled {
    /// How many were right when clean.
    pub(super) right: usize,
    /// Per item, whether nothing broke it.
    pub(super) standing: Vec<bool>,
    /// Per item, whether its softmax is saturated when clean.
    pub(super) saturated: Vec<bool>,
}

impl Settled {
    /// That gradients were zero for some items; nothing where they are none.
    fn zero_gradients(&self, flat: &[usize]) -> Option<AttackDoubt> {
        let saturated = flat.iter().filter(|item| self.saturated[**item]);
        (!flat.is_empty()).then(|| AttackDoubt::ZeroGradients {
            items: flat.len(),
            of: self.right,
            saturated: saturated.count(),
        })
    }
}

/// How the loss of an ascent moved at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AscentEnd {
    Rising,
    Level,
    Falling,
}

impl AscentEnd {
    /// Of an ascent that gained so much late and on the whole; a share `enough` of the whole counts.
    pub(super) fn from_gains(late: f64, whole: f64, enough: f64) -> AscentEnd {
        let least = enough * whole.max(0.0);
        if late > least {
            AscentEnd::Rising
        } else if late < -least {
            AscentEnd::Falling
        } else {
            AscentEnd::Level
        }
    }
}

/// What one attack noticed about its own ascents: one that cannot see where to go leaves items
/// standing as well.
pub(super) struct AscentNotes {
    /// What the attack is called.
    label: String,
    /// Per item, whether a gradient was asked for, and whether some gradient was zero everywhere.
    climbed: Vec<bool>,
    flat: Vec<bool>,
    /// How many of the ascents that broke nothing ended while their loss still rose, and how many while
    /// it fell as fast.
    rising: usize,
    falling: usize,
    ended: usize,
    /// How many items the last of several starts broke, of those it was tried on.
    late_breaks: usize,
    last_starts: usize,
    /// For how many of the probed items a small step along the gradient did not raise the loss.
    misled: usize,
    probed: usize,
    /// Whether losses are known up to noise only, so that some of the probed look misled by chance.
    noisy: bool,
}

impl AscentNotes {
    pub(super) fn none(label: String, items: usize) -> AscentNotes {
        AscentNotes {
            label,
            climbed: vec![false; items],
            flat: vec![false; items],
            rising: 0,
            falling: 0,
            ended: 0,
            late_breaks: 0,
            last_starts: 0,
            misled: 0,
            probed: 0,
            noisy: false,
        }
    }

    /// The gradients of some items are asked for.
    pub(super) fn note_climbed(&mut self, which: &[usize]) {
        which.iter().for_each(|&item| self.climbed[item] = true);
    }

    /// A gradient of `item` was zero everywhere.
    pub(super) fn note_flat(&mut self, item: usize) {
        self.flat[item] = true;
    }

    /// An ascent broke nothing and ended.
    pub(super) fn note_end(&mut self, end: AscentEnd) {
        self.rising += usize::from(end == AscentEnd::Rising);
        self.falling += usize::from(end == AscentEnd::Falling);
        self.ended += 1;
    }

    /// The last of several starts of an item ended, having broken it or not.
    pub(super) fn note_last_start(&mut self, broke: bool) {
        self.late_breaks += usize::from(broke);
        self.last_starts += 1;
    }

    /// A small step along the gradient was tried, and raised the loss or not; `noisy` where the subject
    /// is randomised.
    pub(super) fn note_probe(&mut self, rose: bool, noisy: bool) {
        self.misled += usize::from(!rose);
        self.probed += 1;
        self.noisy = noisy;
    }

    fn flat_items(&self) -> Vec<usize> {
        (0..self.flat.len()).filter(|&i| self.flat[i]).collect()
    }

    fn shattered(&self) -> Option<AttackDoubt> {
        let is_shattered = match self.noisy {
            true => at_least(self.misled, self.probed) > SHATTERED,
            false => more_than(self.misled, self.probed, SHATTERED),
        };
        is_shattered.then_some(AttackDoubt::ShatteredGradients {
            misled: self.misled,
            probed: self.probed,
        })
    }

    /// Where losses are noisy as many seem to rise as to fall: what counts is by how many more rise.
    fn still_rising(&self) -> Option<AttackDoubt> {
        let rising = match self.noisy {
            true => self.rising.saturating_sub(self.falling),
            false => self.rising,
        };
        more_than(rising, self.ended, RISING).then_some(AttackDoubt::StillRising {
            rising,
            ended: self.ended,
        })
    }

    fn restarts_still_break(&self) -> Option<AttackDoubt> {
        more_than(self.late_breaks, self.last_starts, LATE_BREAKS).then_some(
            AttackDoubt::RestartsStillBreak {
                broken: self.late_breaks,
                tried: self.last_starts,
            },
        )
    }

    /// A doubt of this attack that others of its ensemble do not share.
    fn alone(&self, says: AttackDoubt) -> AttackDoubt {
        AttackDoubt::OfOneStage {
            stage: self.label.clone(),
            says: Box::new(says),
        }
    }
}

/// A doubt about ascents: how many of them an attack looked at, and what it says.
type AscentDoubt = (
    fn(&AscentNotes) -> usize,
    fn(&AscentNotes) -> Option<AttackDoubt>,
);

const ASCENT_DOUBTS: [AscentDoubt; 3] = [
    (|notes| notes.probed, AscentNotes::shattered),
    (|notes| notes.ended, AscentNotes::still_rising),
    (|notes| notes.last_starts, AscentNotes::restarts_still_break),
];

/// How many items fell to answers alone after every gradient had failed, of how many.
#[derive(Clone, Copy)]
struct FallenToAnswers {
    broken: usize,
    tried: usize,
}

impl FallenToAnswers {
    fn least_share(self) -> f64 {
        at_least(self.broken, self.tried)
    }
}

/// What gives reason to doubt that a standing item is robust.
#[derive(Default)]
pub(super) struct DoubtNotes {
    /// What each attack noticed about itself.
    pub(super) ascents: Vec<AscentNotes>,
    /// How many of the `asked_twice` clean items had another loss the second time.
    moody: usize,
    asked_twice: usize,
    /// How many of the fallen items that were `looked_at_again` withstood a larger budget.
    pub(super) weaker: usize,
    pub(super) looked_at_again: usize,
    /// Rung by rung, what answers alone broke of what every gradient had left.
    by_answers: Vec<FallenToAnswers>,
    /// Whether what the subject tells as logits are probabilities.
    pub(super) probabilities: bool,
    /// For how many of how many items another subject that was climbed had no slope.
    blind_source: Option<(usize, usize)>,
}

impl DoubtNotes {
    /// A clean item was asked about a second time.
    pub(super) fn note_second_answer(&mut self, first: f64, again: f64) {
        let moody = (first - again).abs() > RANDOMISED * (1.0 + first.abs());
        self.moody += usize::from(moody);
        self.asked_twice += 1;
    }

    pub(super) fn is_randomised(&self) -> bool {
        self.moody > 0
    }

    /// On a rung, answers alone broke some of what every gradient had left.
    pub(super) fn note_answers(&mut self, broken: usize, tried: usize) {
        self.by_answers.push(FallenToAnswers { broken, tried });
    }

    /// That on some rung they broke more than one more attack would.
    fn answers_still_break(&self) -> Option<AttackDoubt> {
        let rungs = self.by_answers.iter();
        let worst = rungs.max_by(|a, b| a.least_share().total_cmp(&b.least_share()))?;
        (worst.least_share() > ANSWERS_BREAK).then_some(AttackDoubt::AnswersStillBreak {
            broken: worst.broken,
            tried: worst.tried,
        })
    }

    /// Another subject was climbed, with these doubts.
    pub(super) fn note_source(&mut self, doubts: &[AttackDoubt]) {
        for doubt in doubts {
            let found = match doubt {
                AttackDoubt::ZeroGradients { items, of, .. } => (*items, *of),
                AttackDoubt::ShatteredGradients { misled, probed } => (*misled, *probed),
                _ => continue,
            };
            self.blind_source = self.blind_source.max(Some(found));
        }
    }

    /// All that is to be said.
    pub(super) fn said(&self, settled: &Settled) -> Vec<AttackDoubt> {
        let has_climbed = |one: &&AscentNotes| one.climbed.contains(&true);
        let climbing: Vec<&AscentNotes> = self.ascents.iter().filter(has_climbed).collect();
        let mut doubts = match climbing[..] {
            [only] => of_one_attack(only, settled),
            _ => of_ensemble(&climbing, settled),
        };
        doubts.extend(self.of_the_whole());
        doubts
    }

    fn of_the_whole(&self) -> impl Iterator<Item = AttackDoubt> {
        let doubts = [
            self.is_randomised().then_some(AttackDoubt::Randomised {
                differ: self.moody,
                asked: self.asked_twice,
            }),
            (self.weaker > 0).then_some(AttackDoubt::LargerIsWeaker {
                withstood: self.weaker,
                looked: self.looked_at_again,
            }),
            self.answers_still_break(),
            self.probabilities
                .then_some(AttackDoubt::ProbabilityOutputs),
            self.blind_source
                .map(|(items, of)| AttackDoubt::BlindSource { items, of }),
        ];
        doubts.into_iter().flatten()
    }
}

fn of_one_attack(only: &AscentNotes, settled: &Settled) -> Vec<AttackDoubt> {
    let of_ascents = ASCENT_DOUBTS.iter().filter_map(|(_, doubt)| doubt(only));
    let flat = settled.zero_gradients(&only.flat_items());
    flat.into_iter().chain(of_ascents).collect()
}

/// What several attacks doubt, each on what the ones before left. A doubt that all who could have it
/// share is one about the number. One that others do not share is told of the attack that has it: that
/// is what an ensemble is for.
fn of_ensemble(climbing: &[&AscentNotes], settled: &Settled) -> Vec<AttackDoubt> {
    let blocked = |item: &usize| {
        let mut tried = climbing.iter().filter(|one| one.climbed[*item]).peekable();
        settled.standing[*item] && tried.peek().is_some() && tried.all(|one| one.flat[*item])
    };
    let blocked: Vec<usize> = (0..settled.standing.len()).filter(blocked).collect();
    let of_all = |says: AttackDoubt| AttackDoubt::OfAllStages {
        says: Box::new(says),
    };
    let of_blocked = settled.zero_gradients(&blocked).map(of_all);
    let mut doubts: Vec<AttackDoubt> = of_blocked.into_iter().collect();
    for one in climbing {
        let mut flat = one.flat_items();
        flat.retain(|item| !blocked.contains(item));
        doubts.extend(settled.zero_gradients(&flat).map(|says| one.alone(says)));
    }
    for (looked, doubt) in ASCENT_DOUBTS {
        let looked = climbing.iter().filter(|one| looked(one) > 0);
        let found: Vec<(&&AscentNotes, Option<AttackDoubt>)> =
            looked.map(|one| (one, doubt(one))).collect();
        let shared = found.iter().all(|(_, doubt)| doubt.is_some());
        let mut told = found.into_iter().filter_map(|(one, doubt)| {
            let says = doubt?;
            Some(if shared {
                of_all(says)
            } else {
                one.alone(says)
            })
        });
        match shared {
            true => doubts.extend(told.next_back()),
            false => doubts.extend(told),
        }
    }
    doubts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_that_hides_what_a_step_does_is_not_taken_for_gradients_that_mislead() {
        let told = |misled: usize, noisy: bool| {
            let mut notes = AscentNotes::none("apgd".into(), 16);
            (0..16).for_each(|at| notes.note_probe(at >= misled, noisy));
            notes.shattered().is_some()
        };
        assert!(!told(8, false) && told(9, false));
        assert!(!told(12, true), "12 of 16 is what a coin may show");
        assert!(told(13, true));
    }

    #[test]
    fn noise_that_rises_as_often_as_it_falls_is_not_taken_for_a_rise() {
        let told = |rising: usize, falling: usize, noisy: bool| {
            let mut notes = AscentNotes::none("pgd".into(), 1);
            notes.note_probe(true, noisy);
            (0..rising).for_each(|_| notes.note_end(AscentEnd::Rising));
            (0..falling).for_each(|_| notes.note_end(AscentEnd::Falling));
            (rising + falling..100).for_each(|_| notes.note_end(AscentEnd::Level));
            notes.still_rising().is_some()
        };
        assert!(told(40, 35, false));
        assert!(!told(40, 35, true), "noise");
        assert!(told(40, 5, true), "more than noise");
        assert_eq!(AscentEnd::from_gains(0.2, 1.0, 0.1), AscentEnd::Rising);
        assert_eq!(AscentEnd::from_gains(-0.2, 1.0, 0.1), AscentEnd::Falling);
        assert_eq!(AscentEnd::from_gains(0.05, 1.0, 0.1), AscentEnd::Level);
        assert_eq!(AscentEnd::from_gains(0.0, -1.0, 0.1), AscentEnd::Level);
    }

    #[test]
    fn answers_that_break_one_more_item_are_no_reason_to_doubt_and_a_share_of_them_is() {
        let told = |rungs: &[(usize, usize)]| {
            let mut notes = DoubtNotes::default();
            for &(broken, tried) in rungs {
                notes.note_answers(broken, tried);
            }
            notes.answers_still_break()
        };
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[(0, 0)]), None, "nothing was left to try");
        assert_eq!(told(&[(1, 550)]), None);
        assert_eq!(told(&[(1, 20)]), None, "one of few is not shown to be many");
        assert_eq!(
            told(&[(10, 550)]),
            None,
            "1.8 %, and 0.9 % cannot be excluded"
        );
        let shown =
            |broken: usize, tried: usize| Some(AttackDoubt::AnswersStillBreak { broken, tried });
        assert_eq!(told(&[(12, 500)]), shown(12, 500));
        assert_eq!(told(&[(3, 20)]), shown(3, 20));
        assert_eq!(
            told(&[(0, 600), (12, 500), (1, 400)]),
            shown(12, 500),
            "rungs on which gradients work do not hide one on which they do not"
        );
    }
}
