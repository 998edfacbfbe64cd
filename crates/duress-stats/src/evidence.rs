//! Evidence: an estimate with what is known of its error, from which intervals and one-sided
//! p-values come by the same method, so that they can never disagree.
//!
//! | kind | limit at tail τ | for |
//! |---|---|---|
//! | `Student` | `θ̂ ± t(ν) · SE` | means, differences, drops, areas |
//! | `Logit` | the same on the log-odds between the ends the reading has; where few units carry the variance, with fewer degrees of freedom, up to Clopper and Pearson's limits of as many units | a reading with two ends, alone |
//! | `Wilson` | the score interval | the share of right items, one replicate |
//! | `Bounded` | quantiles of the mean under random uniform order statistics | few values, many on an end |
//! | `Unvaried` | `θ̂ ± (distance to the end)(1 − τ^(1/n))` | n units that do not differ at all |
//! | `Resampled` | quantiles of resamples, widened by what replicates add | readings that are not smooth |
//!
//! Sources: E. B. Wilson, JASA 22 (1927) 209; E. Learned-Miller and P. S. Thomas, *A new confidence
//! interval for the mean of a bounded random variable*, arXiv:1905.06208 (2019); C. J. Clopper and
//! E. S. Pearson, Biometrika 26 (1934) 404, whose limits `Unvaried` equals on an end; G. Y. Zou and
//! A. Donner, Stat. Med. 27 (2008) 1693, for the way a resampled limit is widened.

use crate::components::{Components, Scope};
use crate::dist::{Normal, StudentT};
use crate::interval::wilson;
use crate::log_odds::{FewCarry, LogOdds};
use crate::random::RandomStream;
use crate::{Interval, Side, UndefinedReason, check};

/// How many sets of uniform order statistics a bounded mean is held against.
const BOUNDED_DRAWS: u64 = 20_000;

/// An estimate and what is known of its error.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    estimate: f64,
    kind: Kind,
}

/// How limits and p-values are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceMethod {
    /// Student's t.
    Student,
    /// Student's t of log-odds.
    LogOdds,
    /// Wilson's score interval.
    Wilson,
    /// The bound of units that do not differ.
    Unvaried,
    /// Quantiles of a bounded mean.
    BoundedMean,
    /// Resamples.
    Bootstrap,
}

impl EvidenceMethod {
    /// In a word or two.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            EvidenceMethod::Student => "t",
            EvidenceMethod::LogOdds => "t of log-odds",
            EvidenceMethod::Wilson => "Wilson",
            EvidenceMethod::Unvaried => "units that do not vary",
            EvidenceMethod::BoundedMean => "bounded mean",
            EvidenceMethod::Bootstrap => "bootstrap",
        }
    }
}

impl std::fmt::Display for EvidenceMethod {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.in_words())
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Student {
        error: f64,
        freedom: f64,
    },
    Logit(LogOdds),
    Wilson {
        right: u64,
        of: u64,
    },
    Unvaried {
        units: usize,
        low: f64,
        high: f64,
    },
    /// Upper limits of the mean and of the mean turned round, in ascending order.
    Bounded {
        upper: Vec<f64>,
        lower: Vec<f64>,
    },
    Resampled {
        draws: Vec<f64>,
        error: f64,
        freedom: f64,
    },
}

impl Evidence {
    /// An estimate with a standard error on Student's t.
    ///
    /// ```
    /// use duress_stats::{Side, evidence::Evidence};
    ///
    /// let found = Evidence::student(0.4, 0.1, 10.0).unwrap();
    /// let p = found.p(0.0, Side::Greater).unwrap();
    /// assert!((p - 0.001_259_166_3).abs() < 1e-10);
    /// assert!(found.interval(0.95).unwrap().low > 0.0);
    /// ```
    ///
    /// # Errors
    /// A value that is not finite, an error or degrees of freedom that are not above zero.
    pub fn student(estimate: f64, error: f64, freedom: f64) -> Result<Evidence, UndefinedReason> {
        check::finite("the estimate", &[estimate])?;
        check::positive("the standard error", error)?;
        check::positive("degrees of freedom", freedom)?;
        Ok(Evidence {
            estimate,
            kind: Kind::Student { error, freedom },
        })
    }

    /// The same for a reading between two ends, on the scale of its log-odds. On an end itself there
    /// are no log-odds, and none is given.
    ///
    /// ```
    /// use duress_stats::evidence::Evidence;
    ///
    /// let found = Evidence::logit(0.97, 0.02, 50.0, (0.0, 1.0)).unwrap().interval(0.95).unwrap();
    /// assert!(found.high < 1.0 && found.low < 0.93);
    /// ```
    ///
    /// # Errors
    /// As [`Evidence::student`], or an estimate that does not lie strictly between the ends.
    pub fn logit(
        estimate: f64,
        error: f64,
        freedom: f64,
        (low, high): (f64, f64),
    ) -> Result<Evidence, UndefinedReason> {
        let plain = Evidence::student(estimate, error, freedom)?;
        if low < estimate && estimate < high {
            return Ok(Evidence {
                estimate,
                kind: Kind::Logit(LogOdds {
                    estimate,
                    own: (error, freedom),
                    or: None,
                    few: None,
                    low,
                    high,
                }),
            });
        }
        drop(plain);
        Err(UndefinedReason::OutOfRange {
            what: "the estimate",
            value: estimate,
            expected: "strictly between its ends",
        })
    }

    /// The share of right ones among independent units.
    ///
    /// # Errors
    /// No unit, or more right ones than units.
    pub fn share(right: u64, of: u64) -> Result<Evidence, UndefinedReason> {
        wilson(right, of, 0.95)?;
        Ok(Evidence {
            estimate: right as f64 / of as f64,
            kind: Kind::Wilson { right, of },
        })
    }

    /// Units that do not differ at all: what share of others could differ without one among so many?
    ///
    /// ```
    /// use duress_stats::evidence::Evidence;
    ///
    /// let none = Evidence::unvaried(0.0, 3, (0.0, 1.0)).unwrap().interval(0.95).unwrap();
    /// assert_eq!(none.low, 0.0);
    /// assert!((none.high - 0.707_598_23).abs() < 1e-8); // Clopper and Pearson's for 0 of 3
    /// ```
    ///
    /// # Errors
    /// No unit, or a value outside the ends.
    pub fn unvaried(
        value: f64,
        units: usize,
        (low, high): (f64, f64),
    ) -> Result<Evidence, UndefinedReason> {
        check::at_least("units", units, 1)?;
        check::finite("the value and its ends", &[value, low, high])?;
        if low <= value && value <= high {
            return Ok(Evidence {
                estimate: value,
                kind: Kind::Unvaried { units, low, high },
            });
        }
        Err(UndefinedReason::OutOfRange {
            what: "the value",
            value,
            expected: "between its ends",
        })
    }

    /// The mean of independent values between two ends, whatever their distribution.
    ///
    /// ```
    /// use duress_stats::evidence::Evidence;
    ///
    /// let found = Evidence::bounded(&[1.0, 1.0, 0.9, 1.0, 0.95], (0.0, 1.0)).unwrap();
    /// let found = found.interval(0.95).unwrap();
    /// assert!(found.low > 0.4 && found.low < 0.6 && found.high > 0.97 && found.high <= 1.0);
    /// ```
    ///
    /// # Errors
    /// Fewer than two values, or one outside the ends.
    pub fn bounded(values: &[f64], (low, high): (f64, f64)) -> Result<Evidence, UndefinedReason> {
        check::at_least("values", values.len(), 2)?;
        check::finite("the values", values)?;
        if let Some(value) = values.iter().find(|v| **v < low || **v > high) {
            return Err(UndefinedReason::OutOfRange {
                what: "a value",
                value: *value,
                expected: "between its ends",
            });
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let turned: Vec<f64> = sorted
            .iter()
            .rev()
            .map(|value| low + high - value)
            .collect();
        let lower = limits_of_mean(&turned, high);
        Ok(Evidence {
            estimate: values.iter().sum::<f64>() / values.len() as f64,
            kind: Kind::Bounded {
                upper: limits_of_mean(&sorted, high),
                lower: lower.iter().rev().map(|limit| low + high - limit).collect(),
            },
        })
    }

    /// Resamples of units that scatter about the truth as the estimate does, widened by an
    /// independent error on Student's t: what replicates add. An error of zero adds nothing.
    ///
    /// # Errors
    /// No draw, draws that are all equal, or values that are not finite.
    pub fn resampled(
        estimate: f64,
        mut draws: Vec<f64>,
        error: f64,
        freedom: f64,
    ) -> Result<Evidence, UndefinedReason> {
        check::at_least("resamples", draws.len(), 2)?;
        check::finite("the resamples", &draws)?;
        check::finite("the estimate", &[estimate])?;
        check::not_negative("the standard error", error)?;
        draws.sort_by(f64::total_cmp);
        if draws.first() == draws.last() && error == 0.0 {
            return Err(UndefinedReason::NoSpread {
                what: "the resamples",
            });
        }
        Ok(Evidence {
            estimate,
            kind: Kind::Resampled {
                draws,
                error,
                freedom,
            },
        })
    }

    /// The mean of independent replicates: on Student's t, or for a bounded mean where a fifth of
    /// them or more lie on an end, or none differs from another.
    ///
    /// ```
    /// use duress_stats::evidence::{Evidence, EvidenceMethod};
    ///
    /// let t = Evidence::of_replicates(&[0.7, 0.8, 0.75], (Some(0.0), Some(1.0))).unwrap();
    /// assert_eq!(t.method(), EvidenceMethod::Student);
    /// let on_end = Evidence::of_replicates(&[1.0, 0.8, 1.0], (Some(0.0), Some(1.0))).unwrap();
    /// assert_eq!(on_end.method(), EvidenceMethod::BoundedMean);
    /// ```
    ///
    /// # Errors
    /// Fewer than two replicates, or no spread and no ends.
    pub fn of_replicates(
        values: &[f64],
        ends: (Option<f64>, Option<f64>),
    ) -> Result<Evidence, UndefinedReason> {
        check::at_least("replicates", values.len(), 2)?;
        let moments = crate::moments::Moments::from_values("replicates", values, 2)?;
        let both = ends.0.zip(ends.1);
        if let Some((low, high)) = both {
            let on_end = values.iter().filter(|v| **v <= low || **v >= high).count();
            let inside = values.iter().all(|v| (low..=high).contains(v));
            if inside && (5 * on_end >= values.len() || moments.constant()) {
                return Evidence::bounded(values, (low, high));
            }
        }
        if moments.constant() {
            return Err(UndefinedReason::NoSpread {
                what: "the values of the replicates",
            });
        }
        Evidence::student(moments.mean, moments.error(), moments.n - 1.0)
    }

    /// Crossed units and replicates. `ends` are those of what is estimated; `alone` says that it is a
    /// reading and not a difference of readings, whose distribution leans away from a near end.
    ///
    /// # Errors
    /// A scope over replicates with one of them only, or no spread and no ends.
    pub fn of_components(
        found: &Components,
        scope: Scope,
        ends: (Option<f64>, Option<f64>),
        alone: bool,
    ) -> Result<Evidence, UndefinedReason> {
        if scope == Scope::Replicates {
            check::at_least("replicates", found.replicates, 2)?;
        }
        let estimate = found.estimate;
        let error = found.error(scope);
        let both = ends.0.zip(ends.1);
        if error <= 1e-14 * libm::fabs(estimate) {
            let units = match scope {
                Scope::Replicates => found.replicates,
                Scope::Items | Scope::Both => found.units,
            };
            return match both {
                Some(ends) => Evidence::unvaried(estimate, units, ends),
                None => Err(UndefinedReason::NoSpread { what: "the values" }),
            };
        }
        let freedom = found.freedom(scope);
        match both {
            Some((low, high)) if alone && low < estimate && estimate < high => {
                let whole = Evidence::logit(estimate, error, freedom, (low, high))?;
                let whole = whole.where_few_carry(found, scope);
                Ok(match scope {
                    Scope::Both if found.replicates > 1 => whole.or_over_replicates(found),
                    _ => whole,
                })
            }
            _ => Evidence::student(estimate, error, freedom),
        }
    }

    /// The same, at no tail narrower than t over replicates: readings by themselves are skewed, and
    /// few degrees of freedom may reach further than the larger error does.
    fn or_over_replicates(mut self, found: &Components) -> Evidence {
        if let Kind::Logit(odds) = &mut self.kind {
            let error = found.error(Scope::Replicates);
            odds.or = (error > 0.0).then(|| (error, found.freedom(Scope::Replicates)));
        }
        self
    }

    /// The same, with what is known where few units carry the variance.
    fn where_few_carry(mut self, found: &Components, scope: Scope) -> Evidence {
        if let Kind::Logit(odds) = &mut self.kind {
            let units = found.units;
            odds.few = found
                .carried_freedom(scope)
                .map(|freedom| FewCarry { freedom, units });
        }
        self
    }

    /// The estimate.
    #[must_use]
    pub fn estimate(&self) -> f64 {
        self.estimate
    }

    /// The method.
    #[must_use]
    pub fn method(&self) -> EvidenceMethod {
        match self.kind {
            Kind::Student { .. } => EvidenceMethod::Student,
            Kind::Logit(_) => EvidenceMethod::LogOdds,
            Kind::Wilson { .. } => EvidenceMethod::Wilson,
            Kind::Unvaried { .. } => EvidenceMethod::Unvaried,
            Kind::Bounded { .. } => EvidenceMethod::BoundedMean,
            Kind::Resampled { .. } => EvidenceMethod::Bootstrap,
        }
    }

    /// The standard error and its degrees of freedom, for the kinds that have them; of two, those
    /// that reach further at a tail of 0.025.
    #[must_use]
    pub fn error(&self) -> Option<(f64, f64)> {
        let reach = |(error, freedom): (f64, f64)| {
            let student = StudentT::new(freedom).ok()?;
            Some(student.upper_quantile(0.025).ok()? * error)
        };
        match self.kind {
            Kind::Student { error, freedom } => Some((error, freedom)),
            Kind::Logit(LogOdds { own, or, .. }) => {
                or.filter(|other| reach(*other) > reach(own)).or(Some(own))
            }
            _ => None,
        }
    }

    /// The smallest one-sided p that could come out: what resamples can show at all.
    #[must_use]
    pub fn smallest_p(&self) -> f64 {
        match &self.kind {
            Kind::Resampled { draws, .. } => 1.0 / (draws.len() as f64 + 1.0),
            Kind::Bounded { upper, .. } => 1.0 / (upper.len() as f64 + 1.0),
            _ => 0.0,
        }
    }

    /// How many units that do not differ would show, at this tail, that the truth lies on the side of
    /// `null` on which the estimate does; none of other kinds, or where no number would.
    ///
    /// ```
    /// use duress_stats::{Side, evidence::Evidence};
    ///
    /// let none = Evidence::unvaried(0.0, 24, (-25.0, 25.0)).unwrap();
    /// assert_eq!(none.unvaried_units(1.0, 0.05), Some(74));
    /// let enough = Evidence::unvaried(0.0, 74, (-25.0, 25.0)).unwrap();
    /// assert!(enough.p(1.0, Side::Less).unwrap() <= 0.05);
    /// ```
    #[must_use]
    pub fn unvaried_units(&self, null: f64, tail: f64) -> Option<usize> {
        let Kind::Unvaried { low, high, .. } = self.kind else {
            return None;
        };
        let end = if null > self.estimate { high } else { low };
        let share = (null - self.estimate) / (end - self.estimate);
        if share >= 1.0 {
            return Some(1);
        }
        let units = libm::ceil(libm::log(tail) / libm::log1p(-share));
        (share > 0.0 && units.is_finite()).then_some(units as usize)
    }

    /// The two-sided interval at a level.
    ///
    /// # Errors
    /// `level` outside (0, 1), or more than the resamples can tell.
    pub fn interval(&self, level: f64) -> Result<Interval, UndefinedReason> {
        check::open_unit("level", level)?;
        let tail = 0.5 * (1.0 - level);
        if let Kind::Wilson { right, of } = self.kind {
            return wilson(right, of, level);
        }
        let ends = (
            self.limit(tail, Side::Greater)?,
            self.limit(tail, Side::Less)?,
        );
        Interval::new(
            ends.0.min(ends.1),
            ends.1.max(ends.0),
            level,
            self.method().in_words(),
        )
    }

    /// The limit that the truth lies beyond with chance `tail`: from below (`Side::Greater`, the
    /// limit of a claim that it is greater) or from above (`Side::Less`).
    fn limit(&self, tail: f64, side: Side) -> Result<f64, UndefinedReason> {
        let sign = if side == Side::Less { 1.0 } else { -1.0 };
        match &self.kind {
            Kind::Student { error, freedom } => {
                Ok(self.estimate + sign * StudentT::new(*freedom)?.upper_quantile(tail)? * error)
            }
            Kind::Logit(odds) => odds.limit(tail, sign),
            Kind::Wilson { right, of } => {
                let found = wilson(*right, *of, 1.0 - 2.0 * tail)?;
                Ok(if sign > 0.0 { found.high } else { found.low })
            }
            Kind::Unvaried { units, low, high } => {
                let end = if sign > 0.0 { *high } else { *low };
                let share = -libm::expm1(libm::log(tail) / *units as f64);
                Ok(self.estimate + (end - self.estimate) * share)
            }
            Kind::Bounded { upper, lower } => Ok(if sign > 0.0 {
                quantile(upper, 1.0 - tail)
            } else {
                quantile(lower, tail)
            }),
            Kind::Resampled {
                draws,
                error,
                freedom,
            } => {
                let at = quantile(draws, if sign > 0.0 { 1.0 - tail } else { tail });
                let added = match *error > 0.0 {
                    true => StudentT::new(*freedom)?.upper_quantile(tail)? * error,
                    false => 0.0,
                };
                let arm = sign * (at - self.estimate);
                // A limit on the wrong side of the estimate is moved outward by what is added.
                let arm = match arm >= 0.0 {
                    true => libm::hypot(arm, added),
                    false => arm + added,
                };
                Ok(self.estimate + sign * arm)
            }
        }
    }

    /// The p-value of the null that the truth is at most (`Side::Greater`) or at least (`Side::Less`)
    /// `null`: the smallest tail at which the limit excludes it. Two-sided: twice the smaller.
    ///
    /// # Errors
    /// A null that is not finite.
    pub fn p(&self, null: f64, side: Side) -> Result<f64, UndefinedReason> {
        check::finite("the null", &[null])?;
        match side {
            Side::TwoSided => {
                let greater = self.p(null, Side::Greater)?;
                let less = self.p(null, Side::Less)?;
                Ok((2.0 * greater.min(less)).min(1.0))
            }
            Side::Greater => self.one_sided(null, 1.0, side),
            Side::Less => self.one_sided(null, -1.0, side),
        }
    }

    fn one_sided(&self, null: f64, sign: f64, side: Side) -> Result<f64, UndefinedReason> {
        match &self.kind {
            Kind::Student { error, freedom } => {
                Ok(StudentT::new(*freedom)?.sf(sign * (self.estimate - null) / error))
            }
            Kind::Logit(odds) => odds.one_sided_p(null, sign),
            Kind::Wilson { of, .. } => {
                let error = libm::sqrt(null * (1.0 - null) / *of as f64);
                Ok(match error > 0.0 {
                    true => Normal.sf(sign * (self.estimate - null) / error),
                    false if sign * (self.estimate - null) > 0.0 => 0.0,
                    false => 1.0,
                })
            }
            Kind::Unvaried { units, low, high } => {
                let end = if sign > 0.0 { *low } else { *high };
                let gap = sign * (self.estimate - null);
                let room = sign * (self.estimate - end);
                Ok(match gap > 0.0 {
                    true if gap >= room => 0.0,
                    true => libm::exp(*units as f64 * libm::log1p(-gap / room)),
                    false => 1.0,
                })
            }
            Kind::Bounded { upper, lower } => Ok(if sign > 0.0 {
                share_at_most(lower, null)
            } else {
                1.0 - share_below(upper, null) + 1.0 / (upper.len() as f64 + 1.0)
            }
            .min(1.0)),
            Kind::Resampled { .. } => self.by_search(null, sign, side),
        }
    }

    /// The tail at which the limit reaches the null, between what resamples can tell and one half.
    fn by_search(&self, null: f64, sign: f64, side: Side) -> Result<f64, UndefinedReason> {
        let beyond = |tail: f64| Ok(sign * (self.limit(tail, side)? - null) > 0.0);
        let mut low = libm::log(self.smallest_p());
        let mut high = libm::log(0.5);
        if beyond(libm::exp(low))? {
            return Ok(libm::exp(low));
        }
        if !beyond(libm::exp(high))? {
            return Ok(1.0);
        }
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if beyond(libm::exp(middle))? {
                high = middle;
            } else {
                low = middle;
            }
        }
        Ok(libm::exp(high))
    }
}

/// `1 − Σ U_(i) (x_(i+1) − x_(i))` with `x_(n+1)` the end, for many sets of uniform order
/// statistics, in ascending order; scaled to values that start anywhere.
fn limits_of_mean(sorted: &[f64], high: f64) -> Vec<f64> {
    let n = sorted.len();
    let mut uniform = vec![0.0; n];
    let mut limits: Vec<f64> = (0..BOUNDED_DRAWS)
        .map(|draw| {
            let mut stream = RandomStream::new(0, draw);
            uniform
                .iter_mut()
                .for_each(|slot| *slot = stream.next_unit());
            uniform.sort_by(f64::total_cmp);
            let steps = (0..n).map(|i| {
                let next = if i + 1 < n { sorted[i + 1] } else { high };
                uniform[i] * (next - sorted[i])
            });
            high - steps.sum::<f64>()
        })
        .collect();
    limits.sort_by(f64::total_cmp);
    limits
}

fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = p * (sorted.len() - 1) as f64;
    let at = libm::floor(place) as usize;
    let next = (at + 1).min(sorted.len() - 1);
    sorted[at] + (place - at as f64) * (sorted[next] - sorted[at])
}

fn share_below(sorted: &[f64], value: f64) -> f64 {
    sorted.partition_point(|one| *one < value) as f64 / (sorted.len() as f64 + 1.0)
}

/// Counts the estimate as one of them, so that it is never zero.
fn share_at_most(sorted: &[f64], value: f64) -> f64 {
    (1.0 + sorted.partition_point(|one| *one <= value) as f64) / (sorted.len() as f64 + 1.0)
}
