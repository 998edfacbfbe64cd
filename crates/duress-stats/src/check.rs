//! The border: inputs are checked here once and trusted inside.

use crate::UndefinedReason;

pub(crate) fn finite(what: &'static str, values: &[f64]) -> Result<(), UndefinedReason> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(at) => Err(UndefinedReason::NotFinite { what, at }),
        None => Ok(()),
    }
}

pub(crate) fn at_least(what: &'static str, got: usize, need: usize) -> Result<(), UndefinedReason> {
    if got < need {
        Err(UndefinedReason::TooFew { what, need, got })
    } else {
        Ok(())
    }
}

pub(crate) fn at_most(what: &'static str, got: usize, limit: usize) -> Result<(), UndefinedReason> {
    if got > limit {
        Err(UndefinedReason::TooLarge { what, limit, got })
    } else {
        Ok(())
    }
}

pub(crate) fn paired<A, B>(left: &[A], right: &[B]) -> Result<(), UndefinedReason> {
    if left.len() == right.len() {
        Ok(())
    } else {
        Err(UndefinedReason::Unpaired {
            left: left.len(),
            right: right.len(),
        })
    }
}

/// A probability strictly between 0 and 1: a level, an alpha, a power.
pub(crate) fn open_unit(what: &'static str, value: f64) -> Result<(), UndefinedReason> {
    within(
        what,
        value,
        value > 0.0 && value < 1.0,
        "a number strictly between 0 and 1",
    )
}

pub(crate) fn closed_unit(what: &'static str, value: f64) -> Result<(), UndefinedReason> {
    within(
        what,
        value,
        (0.0..=1.0).contains(&value),
        "a number from 0 to 1",
    )
}

pub(crate) fn positive(what: &'static str, value: f64) -> Result<(), UndefinedReason> {
    within(
        what,
        value,
        value > 0.0 && value.is_finite(),
        "a finite number above 0",
    )
}

pub(crate) fn not_negative(what: &'static str, value: f64) -> Result<(), UndefinedReason> {
    within(
        what,
        value,
        value >= 0.0 && value.is_finite(),
        "a finite number, 0 or above",
    )
}

/// Two tails of one distribution: probabilities that sum to one.
pub(crate) fn tails(p: f64, q: f64) -> Result<(), UndefinedReason> {
    closed_unit("p", p)?;
    closed_unit("q", q)?;
    within(
        "p + q",
        p + q,
        libm::fabs(p + q - 1.0) <= 1e-14,
        "tails that sum to 1",
    )
}

fn within(
    what: &'static str,
    value: f64,
    holds: bool,
    expected: &'static str,
) -> Result<(), UndefinedReason> {
    if holds {
        Ok(())
    } else {
        Err(UndefinedReason::OutOfRange {
            what,
            value,
            expected,
        })
    }
}

/// Two finite samples that can be ranked against each other: from two pairs to `most`.
pub(crate) fn rankable_pairs(x: &[f64], y: &[f64], most: usize) -> Result<(), UndefinedReason> {
    finite_pair(x, y)?;
    at_least("pairs", x.len(), 2)?;
    at_most("the number of pairs", x.len(), most)
}

/// Two finite samples of equal length.
pub(crate) fn finite_pair(x: &[f64], y: &[f64]) -> Result<(), UndefinedReason> {
    paired(x, y)?;
    finite("the first sample", x)?;
    finite("the second sample", y)
}
