//! From an interval and a margin to a verdict.
//!
//! A claim says that a difference is *higher* (or *lower*) by more than a margin. It is **upheld**
//! when the interval lies beyond the margin, **refuted** when it lies wholly short of it, and else
//! **undecided**. An end that touches the margin decides nothing. Equivalence asks whether the
//! difference lies inside ±margin; non-inferiority whether it is not worse than the margin.
//! Significance against zero is a separate answer: see [`crate::TestResult::significant`].

use std::fmt;

use crate::dist::StudentT;
use crate::{Interval, UndefinedReason, check};

/// The direction a claim points in, or the direction that is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Orientation {
    /// More is claimed, or more is better.
    Higher,
    /// Less is claimed, or less is better.
    Lower,
}

/// What became of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarginVerdict {
    /// The interval lies beyond the margin.
    Upheld,
    /// The interval lies wholly short of the margin.
    Refuted,
    /// The interval holds the margin.
    Undecided,
}

impl fmt::Display for MarginVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Upheld => "upheld",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
        })
    }
}

/// Whether the difference exceeds `margin` in the direction claimed.
///
/// ```
/// use duress_stats::Interval;
/// use duress_stats::verdict::{Orientation, MarginVerdict, judge};
///
/// let gain = Interval::new(0.36, 0.44, 0.95, "BCa").unwrap();
/// assert_eq!(judge(&gain, 0.35, Orientation::Higher).unwrap(), MarginVerdict::Upheld);
/// assert_eq!(judge(&gain, 0.40, Orientation::Higher).unwrap(), MarginVerdict::Undecided);
/// assert_eq!(judge(&gain, 0.45, Orientation::Higher).unwrap(), MarginVerdict::Refuted);
/// ```
///
/// # Errors
/// A margin that is negative or not finite (a negative margin is [`judge_noninferior`]).
pub fn judge(
    interval: &Interval,
    margin: f64,
    direction: Orientation,
) -> Result<MarginVerdict, UndefinedReason> {
    check::not_negative("the margin", margin)?;
    Ok(beyond(interval, margin, direction))
}

/// Whether the difference is not worse than `margin`, where `better` says which direction is good.
///
/// # Errors
/// A margin that is negative or not finite.
pub fn judge_noninferior(
    interval: &Interval,
    margin: f64,
    better: Orientation,
) -> Result<MarginVerdict, UndefinedReason> {
    check::not_negative("the margin", margin)?;
    Ok(beyond(interval, -margin, better))
}

/// Whether the difference lies inside ±`margin`. Use an interval at level 1 − 2α for a test at α
/// ([`crate::tests::tost_paired`]).
///
/// ```
/// use duress_stats::Interval;
/// use duress_stats::verdict::{MarginVerdict, judge_equivalent};
///
/// let interval = Interval::new(-0.004, 0.011, 0.90, "t").unwrap();
/// assert_eq!(judge_equivalent(&interval, 0.02).unwrap(), MarginVerdict::Upheld);
/// assert_eq!(judge_equivalent(&interval, 0.01).unwrap(), MarginVerdict::Undecided);
/// ```
///
/// # Errors
/// A margin that is not positive and finite.
pub fn judge_equivalent(
    interval: &Interval,
    margin: f64,
) -> Result<MarginVerdict, UndefinedReason> {
    check::positive("the margin", margin)?;
    Ok(if -margin < interval.low && interval.high < margin {
        MarginVerdict::Upheld
    } else if interval.low > margin || interval.high < -margin {
        MarginVerdict::Refuted
    } else {
        MarginVerdict::Undecided
    })
}

fn beyond(interval: &Interval, margin: f64, direction: Orientation) -> MarginVerdict {
    let seen = match direction {
        Orientation::Higher => interval.clone(),
        Orientation::Lower => interval.negated(),
    };
    if seen.low > margin {
        MarginVerdict::Upheld
    } else if seen.high < margin {
        MarginVerdict::Refuted
    } else {
        MarginVerdict::Undecided
    }
}

/// How many units would decide, if the estimate stayed where it is and intervals shrink with √n.
///
/// `boundary` is the point the interval must clear: the margin in the claim's direction (`-margin`
/// for [`Orientation::Lower`]). An estimate, not a promise: it is what to plan with.
///
/// ```
/// use duress_stats::Interval;
/// use duress_stats::verdict::units_to_decide;
///
/// let interval = Interval::new(0.30, 0.50, 0.95, "t").unwrap();
/// let needed = units_to_decide(0.40, &interval, 0.35, 10).unwrap();
/// assert_eq!(needed.units, 41);
/// assert_eq!(needed.to_string(), "about 41 units would decide (10 now), if the estimate stays at 0.4");
/// ```
///
/// # Errors
/// The estimate lies on the boundary, the interval has no end on that side, or more than 10¹²
/// units.
pub fn units_to_decide(
    estimate: f64,
    interval: &Interval,
    boundary: f64,
    units: usize,
) -> Result<UnitsToDecide, UndefinedReason> {
    check::finite("the estimate and the boundary", &[estimate, boundary])?;
    check::at_least("units", units, 1)?;
    let arm = if estimate > boundary {
        estimate - interval.low
    } else {
        interval.high - estimate
    };
    let ratio = arm / libm::fabs(estimate - boundary);
    let needed = units as f64 * ratio * ratio;
    if !needed.is_finite() || needed > 1e12 {
        return Err(UndefinedReason::Unreachable {
            what: "number of units",
        });
    }
    // Rounding must not turn 40.000000000000007 into 41 where 40 would touch the margin anyway.
    let rounded = libm::floor(needed * (1.0 + 1e-12)) as usize + 1;
    Ok(UnitsToDecide {
        estimate,
        now: units,
        units: rounded.max(units),
    })
}

/// The same for an interval of Student's t, whose quantile shrinks with more units too: with few of
/// them, most of the gain.
///
/// ```
/// use duress_stats::interval::student_t;
/// use duress_stats::verdict::units_to_decide_t;
///
/// let interval = student_t(&[0.0, 0.1], 0.9).unwrap();
/// assert_eq!(units_to_decide_t(0.05, &interval, 0.0, 2).unwrap().units, 8);
/// ```
///
/// # Errors
/// As [`units_to_decide`]; fewer than two units.
pub fn units_to_decide_t(
    estimate: f64,
    interval: &Interval,
    boundary: f64,
    units: usize,
) -> Result<UnitsToDecide, UndefinedReason> {
    check::at_least("units", units, 2)?;
    let enough = units_to_decide(estimate, interval, boundary, units)?;
    let tail = 0.5 * (1.0 - interval.level);
    let quantile = |n: usize| StudentT::new(n as f64 - 1.0)?.upper_quantile(tail);
    let gap = libm::fabs(estimate - boundary);
    let arm = if estimate > boundary {
        estimate - interval.low
    } else {
        interval.high - estimate
    };
    let spread = arm / quantile(units)? * libm::sqrt(units as f64);
    let clears = |n: usize| Ok(quantile(n)? * spread / libm::sqrt(n as f64) < gap);
    // With t held still `enough` would do, and t only shrinks: the first that does lies between.
    let (mut low, mut high) = (units, enough.units);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        *(if clears(middle)? { &mut high } else { &mut low }) = middle;
    }
    Ok(UnitsToDecide {
        units: high,
        ..enough
    })
}

/// See [`units_to_decide`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitsToDecide {
    /// Where the estimate is assumed to stay.
    pub estimate: f64,
    /// Units now.
    pub now: usize,
    /// Units that would decide.
    pub units: usize,
}

impl fmt::Display for UnitsToDecide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            estimate,
            now,
            units,
        } = self;
        let estimate = crate::test::Short(*estimate);
        write!(
            f,
            "about {units} units would decide ({now} now), if the estimate stays at {estimate}"
        )
    }
}
