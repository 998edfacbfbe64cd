//! Turns: how many questions a subject takes at once, and who has one.
//!
//! A question without a turn waits in the queue, where it holds no thread and its clock does not
//! run. A turn belongs to the thread that answers, not to the one that waits for the answer: a
//! subject that is late is still busy, and whoever is asked next must not pay for it. It must not
//! be waited for without end either, so a turn that stays out too long is given up.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use duress_core::subject::AtOnce;

use super::work::JobNeeds;
use crate::plan::{Id, Plan};

/// Who takes turns, and how many may have one at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TurnsOf {
    pub(super) who: Id,
    pub(super) at_once: usize,
}

impl TurnsOf {
    /// The turns that jobs take which need this; none where any number may be begun at once.
    pub(super) fn needing(plan: &Plan, needs: JobNeeds) -> Option<TurnsOf> {
        let whole = match needs {
            JobNeeds::Nothing => return None,
            JobNeeds::Subject(preparation) => plan.subjects[preparation.subject].identity.id,
            JobNeeds::ReadyRater(rater) => plan.raters[rater].identity.id,
            JobNeeds::Rater(preparation) => plan.raters[preparation.rater].identity.id,
        };
        let (who, at_once) = match at_once(plan, needs) {
            AtOnce::Any => return None,
            AtOnce::AtMost(most) => (needs.id(plan).unwrap_or(whole), most),
            AtOnce::Elsewhere(most) => (whole, most),
        };
        Some(TurnsOf {
            who,
            at_once: at_once.get(),
        })
    }
}

/// How many jobs that need this may be begun at once.
pub(super) fn at_once(plan: &Plan, needs: JobNeeds) -> AtOnce {
    match needs {
        JobNeeds::Nothing => AtOnce::Any,
        JobNeeds::Subject(preparation) => {
            let abilities = plan.subjects[preparation.subject].abilities.as_ref();
            abilities.map_or(AtOnce::Any, |abilities| abilities.at_once)
        }
        JobNeeds::ReadyRater(rater) => plan.raters[rater].rater.at_once(),
        JobNeeds::Rater(preparation) => plan.raters[preparation.rater].rater.at_once(),
    }
}

/// What names a turn that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket {
    who: Id,
    number: u64,
}

/// Whether a turn can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnChance {
    /// Now.
    Free,
    /// When somebody gives theirs back.
    Taken,
    /// Not any more: those who have them were late and have not come back.
    GivenUp,
}

/// All turns that are taken.
#[derive(Debug, Default)]
pub(super) struct Turns {
    taken: HashMap<Id, Vec<Holder>>,
    next: u64,
}

#[derive(Debug)]
struct Holder {
    number: u64,
    late_since: Option<Instant>,
}

impl Turns {
    /// Whether a turn can be had; one that is late for longer than `patience` is not waited for.
    pub(super) fn chance(&self, of: TurnsOf, patience: Duration) -> TurnChance {
        let holders = self.taken.get(&of.who).map_or(&[][..], Vec::as_slice);
        let lost = |holder: &&Holder| {
            holder
                .late_since
                .is_some_and(|since| since.elapsed() >= patience)
        };
        if holders.len() < of.at_once {
            TurnChance::Free
        } else if holders.iter().filter(lost).count() >= of.at_once {
            TurnChance::GivenUp
        } else {
            TurnChance::Taken
        }
    }

    pub(super) fn take(&mut self, of: TurnsOf) -> Ticket {
        self.next += 1;
        let who = of.who;
        let number = self.next;
        self.taken.entry(who).or_default().push(Holder {
            number,
            late_since: None,
        });
        Ticket { who, number }
    }

    pub(super) fn give_back(&mut self, ticket: Ticket) {
        if let Some(holders) = self.taken.get_mut(&ticket.who) {
            holders.retain(|holder| holder.number != ticket.number);
            if holders.is_empty() {
                self.taken.remove(&ticket.who);
            }
        }
    }

    /// Notes that the time of a turn is over, if it has not been given back.
    pub(super) fn late(&mut self, ticket: Ticket) {
        let holders = self.taken.get_mut(&ticket.who).into_iter().flatten();
        for holder in holders.filter(|holder| holder.number == ticket.number) {
            holder.late_since = Some(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_secs(3600);

    fn two() -> TurnsOf {
        TurnsOf {
            who: Id::joined("test", &[]),
            at_once: 2,
        }
    }

    #[test]
    fn there_are_as_many_turns_as_were_said() {
        let mut turns = Turns::default();
        let of = two();
        let first = turns.take(of);
        assert_eq!(turns.chance(of, PATIENCE), TurnChance::Free);
        turns.take(of);
        assert_eq!(turns.chance(of, PATIENCE), TurnChance::Taken);
        turns.give_back(first);
        assert_eq!(turns.chance(of, PATIENCE), TurnChance::Free);
    }

    #[test]
    fn only_when_all_who_have_a_turn_are_lost_is_it_given_up() {
        let mut turns = Turns::default();
        let of = two();
        let [first, second] = [turns.take(of), turns.take(of)];
        turns.late(first);
        assert_eq!(turns.chance(of, Duration::ZERO), TurnChance::Taken);
        turns.late(second);
        assert_eq!(turns.chance(of, Duration::ZERO), TurnChance::GivenUp);
        assert_eq!(turns.chance(of, PATIENCE), TurnChance::Taken);
        turns.give_back(second);
        assert_eq!(turns.chance(of, Duration::ZERO), TurnChance::Free);
    }
}
