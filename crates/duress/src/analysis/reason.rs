//! Why a statistic has no value, as findings say it.

use duress_findings::AbsenceReason;
use duress_stats::UndefinedReason;

/// The same reason in the words of the contract.
pub(crate) fn statistic(why: UndefinedReason) -> AbsenceReason {
    match why {
        UndefinedReason::TooFew { what, need, got } => AbsenceReason::TooFew {
            what: what.into(),
            need,
            got,
        },
        UndefinedReason::Unpaired { left, right } => AbsenceReason::Unpaired { left, right },
        UndefinedReason::NotFinite { what, at } => AbsenceReason::InputNotFinite {
            what: what.into(),
            at,
        },
        UndefinedReason::OutOfRange {
            what,
            value,
            expected,
        } => AbsenceReason::OutOfRange {
            what: what.into(),
            value: value.to_string(),
            expected: expected.into(),
        },
        UndefinedReason::NoSpread { what } => AbsenceReason::NoSpread { what: what.into() },
        UndefinedReason::OneClass {
            positives,
            negatives,
        } => AbsenceReason::OneClass {
            positives,
            negatives,
        },
        UndefinedReason::TooLarge { what, limit, got } => AbsenceReason::TooLarge {
            what: what.into(),
            limit,
            got,
        },
        UndefinedReason::MostlyUndefined {
            undefined,
            resamples,
            first,
        } => AbsenceReason::MostlyUndefined {
            undefined,
            resamples,
            first: Box::new(statistic(*first)),
        },
        UndefinedReason::Unreachable { what } => AbsenceReason::Unreachable { what: what.into() },
        UndefinedReason::Because(why) => AbsenceReason::Statistic { why },
        other => AbsenceReason::Other {
            kind: "statistic".into(),
            text: other.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_and_statistics_say_the_same_sentence() {
        let flat = UndefinedReason::NoSpread { what: "the values" };
        let all = [
            UndefinedReason::TooFew {
                what: "values",
                need: 2,
                got: 1,
            },
            UndefinedReason::Unpaired { left: 1, right: 2 },
            UndefinedReason::NotFinite { what: "x", at: 3 },
            UndefinedReason::OutOfRange {
                what: "the level",
                value: 1.5,
                expected: "between 0 and 1",
            },
            flat.clone(),
            UndefinedReason::OneClass {
                positives: 3,
                negatives: 0,
            },
            UndefinedReason::TooLarge {
                what: "n",
                limit: 5,
                got: 9,
            },
            UndefinedReason::MostlyUndefined {
                undefined: 7,
                resamples: 10,
                first: Box::new(flat),
            },
            UndefinedReason::Unreachable { what: "n" },
            UndefinedReason::Because("it rains".into()),
        ];
        for why in all {
            let said = why.to_string();
            assert_eq!(statistic(why).to_string(), said);
        }
    }
}
