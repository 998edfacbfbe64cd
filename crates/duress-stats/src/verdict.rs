//! From an interval, or from the p-values of two nulls, and a margin to a verdict.
//!
//! A claim says that a difference is *higher* (or *lower*) by more than a margin. It is **upheld**
//! when the interval lies beyond the margin, **refuted** when it lies wholly short of it, and else
//! **undecided**. An end that touches the margin decides nothing. Equivalence asks whether the
//! difference lies inside ±margin; non-inferiority whether it is not worse than the margin.
//! Significance against zero is a separate answer: see [`crate::TestResult::significant`].

use std::fmt;

use crate::correct::Correction;
use crate::dist::{Normal, StudentT};
use crate::{Interval, Side, UndefinedReason, check};

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
    let mut low = units;
    let mut high = enough.units;
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

/// Where a claim says the truth lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Claimed {
    /// Above this.
    Above(f64),
    /// Below this.
    Below(f64),
    /// Strictly between these.
    Between(f64, f64),
}

/// The p-values of a claim's two nulls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoNulls {
    /// Of the null that the truth is not where the claim says: small upholds it.
    pub not_beyond: f64,
    /// Of the null that it is: small refutes it.
    pub not_short: f64,
}

impl TwoNulls {
    /// Nothing is known: neither null can be rejected.
    pub const NOTHING: TwoNulls = TwoNulls {
        not_beyond: 1.0,
        not_short: 1.0,
    };

    /// The nulls of a claim that holds when all of its parts do.
    ///
    /// That it does not hold is that some part does not, so each part has to be shown: the largest
    /// p counts (intersection–union: R. L. Berger, Technometrics 24 (1982) 295). That it does hold
    /// is that all parts do, and one of them shown to fail is enough: the smallest p counts as often
    /// as there are parts (Bonferroni, whatever the dependence).
    ///
    /// ```
    /// use duress_stats::verdict::TwoNulls;
    ///
    /// let parts = [0.01, 0.03].map(|p| TwoNulls { not_beyond: p, not_short: 1.0 - p });
    /// assert_eq!(TwoNulls::of_all(&parts), TwoNulls { not_beyond: 0.03, not_short: 1.0 });
    /// ```
    #[must_use]
    pub fn of_all(parts: &[TwoNulls]) -> TwoNulls {
        let shown = parts.iter().map(|part| part.not_beyond);
        let of_one = parts.iter().map(|part| part.as_one_of(parts.len()));
        TwoNulls {
            not_beyond: shown.fold(0.0, f64::max),
            not_short: of_one.map(|part| part.not_short).fold(1.0, f64::min),
        }
    }

    /// What one of so many parts brings into the claim by itself: [`TwoNulls::of_all`] is the
    /// largest and the smallest of these, so a claim is upheld when each part is and refuted when
    /// one is, in any family whose correction keeps the order of p-values.
    #[must_use]
    pub fn as_one_of(&self, parts: usize) -> TwoNulls {
        TwoNulls {
            not_beyond: self.not_beyond,
            not_short: (parts as f64 * self.not_short).min(1.0),
        }
    }
}

impl Claimed {
    /// The two p-values, from the one-sided p-value that the claim's own test has against any
    /// null: `p(null, Side::Greater)` is small where the truth is shown to be greater.
    ///
    /// To be upheld, a claim of two borders has to clear both (two one-sided tests); it is refuted
    /// beyond either, for which the smaller p counts twice.
    ///
    /// ```
    /// use duress_stats::evidence::Evidence;
    /// use duress_stats::verdict::Claimed;
    ///
    /// let found = Evidence::student(0.001, 0.004, 30.0).unwrap();
    /// let p = Claimed::Between(-0.02, 0.02).two_nulls(|null, side| found.p(null, side)).unwrap();
    /// assert!(p.not_beyond < 0.001 && p.not_short == 1.0);
    /// ```
    ///
    /// # Errors
    /// What `p` says.
    pub fn two_nulls<E>(self, p: impl Fn(f64, Side) -> Result<f64, E>) -> Result<TwoNulls, E> {
        let (not_beyond, not_short) = match self {
            Self::Above(line) => (p(line, Side::Greater)?, p(line, Side::Less)?),
            Self::Below(line) => (p(line, Side::Less)?, p(line, Side::Greater)?),
            Self::Between(low, high) => {
                let inside = p(low, Side::Greater)?.max(p(high, Side::Less)?);
                let outside = p(low, Side::Less)?.min(p(high, Side::Greater)?);
                (inside, (2.0 * outside).min(1.0))
            }
        };
        Ok(TwoNulls {
            not_beyond,
            not_short,
        })
    }
}

/// The verdicts of a family: each direction is adjusted over all of its claims, whatever tests they
/// use, and decides at the claim's own `alphas`.
///
/// ```
/// use duress_stats::correct::Correction;
/// use duress_stats::verdict::{MarginVerdict, TwoNulls, judge_family};
///
/// let claims = [0.01, 0.03, 0.999].map(|p| TwoNulls { not_beyond: p, not_short: 1.0 - p });
/// let judged = judge_family(&claims, &[0.05; 3], Correction::Holm).unwrap();
/// let verdicts: Vec<_> = judged.iter().map(|one| one.verdict).collect();
/// assert_eq!(verdicts, [MarginVerdict::Upheld, MarginVerdict::Undecided, MarginVerdict::Refuted]);
/// ```
///
/// # Errors
/// As many levels as claims are needed, and p-values between 0 and 1.
pub fn judge_family(
    claims: &[TwoNulls],
    alphas: &[f64],
    correction: Correction,
) -> Result<Vec<Judged>, UndefinedReason> {
    check::paired(claims, alphas)?;
    let adjust =
        |of: fn(&TwoNulls) -> f64| correction.adjust(&claims.iter().map(of).collect::<Vec<_>>());
    let (beyond, short) = (adjust(|p| p.not_beyond)?, adjust(|p| p.not_short)?);
    let judged = beyond.into_iter().zip(short).zip(alphas);
    Ok(judged
        .map(|((not_beyond, not_short), alpha)| Judged {
            adjusted: TwoNulls {
                not_beyond,
                not_short,
            },
            verdict: if not_beyond <= *alpha {
                MarginVerdict::Upheld
            } else if not_short <= *alpha {
                MarginVerdict::Refuted
            } else {
                MarginVerdict::Undecided
            },
        })
        .collect())
}

/// A claim judged in its family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judged {
    /// Its p-values, adjusted.
    pub adjusted: TwoNulls,
    /// What became of it.
    pub verdict: MarginVerdict,
}

/// The chance that a border will be cleared, on either side of it, once the error has shrunk.
///
/// What is known now is the estimate with its error; the truth is taken to scatter about it by as
/// much, and what is yet to be drawn about the truth (predictive power with a flat prior: D. J.
/// Spiegelhalter, L. S. Freedman and P. R. Blackburn, Control. Clin. Trials 7 (1986) 8). An estimate
/// that happens to lie far out is so not taken at its word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlook {
    /// How far the estimate lies above the border.
    pub distance: f64,
    /// Its standard error now.
    pub error: f64,
    /// One-sided level.
    pub alpha: f64,
}

impl Outlook {
    /// The chances that the truth is shown to lie above the border, and below it, when the error is
    /// `later` with `freedom` degrees.
    ///
    /// ```
    /// use duress_stats::verdict::Outlook;
    ///
    /// let now = Outlook { distance: 0.02, error: 0.02, alpha: 0.05 };
    /// let (above, below) = now.chances(0.001, 100.0).unwrap();
    /// assert!(above > 0.8 && below > 0.1 && above + below < 1.0);
    /// ```
    ///
    /// # Errors
    /// Errors that are not above zero.
    pub fn chances(&self, later: f64, freedom: f64) -> Result<(f64, f64), UndefinedReason> {
        check::positive("the standard error", self.error)?;
        check::positive("the later standard error", later)?;
        let needed = later * StudentT::new(freedom)?.upper_quantile(self.alpha)?;
        let yet = self.error * self.error - later * later;
        if yet <= 0.0 {
            let shown = |holds: bool| f64::from(u8::from(holds));
            return Ok((
                shown(self.distance > needed),
                shown(-self.distance > needed),
            ));
        }
        let spread = libm::sqrt(yet);
        Ok((
            Normal.cdf((self.distance - needed) / spread),
            Normal.cdf((-self.distance - needed) / spread),
        ))
    }

    /// The smallest number above `now` at which the chance of deciding, either way, reaches
    /// `chance`; `later` gives error and degrees of freedom for a number.
    ///
    /// # Errors
    /// None up to `most`.
    pub fn needed(
        &self,
        now: usize,
        most: usize,
        chance: f64,
        later: impl Fn(usize) -> (f64, f64),
    ) -> Result<usize, UndefinedReason> {
        let enough = |n: usize| {
            let (error, freedom) = later(n);
            let (above, below) = self.chances(error, freedom)?;
            Ok(above + below >= chance)
        };
        let mut low = now;
        let mut high = now + 1;
        while !enough(high)? {
            if high >= most {
                return Err(UndefinedReason::Unreachable {
                    what: "number of units",
                });
            }
            (low, high) = (high, (2 * high).min(most));
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            *(if enough(middle)? { &mut high } else { &mut low }) = middle;
        }
        Ok(high)
    }
}
