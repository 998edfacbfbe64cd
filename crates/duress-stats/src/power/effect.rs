//! Critical values, detectable effects and sample sizes of the paired t test.

use std::cell::Cell;
use std::fmt;

use super::Setting;
use crate::dist::{NoncentralT, StudentT};
use crate::test::Short;
use crate::{Side, UndefinedReason, check};

/// The largest n that is searched for.
const MOST: usize = 100_000_000;

/// The chance that a paired t test on `n` pairs rejects at `alpha` when the true standardised
/// difference is `d_z`.
///
/// For `Side::Less` a negative `d_z` is the effect looked for.
///
/// ```
/// use duress_stats::Side;
/// use duress_stats::power::paired_t_power;
///
/// let power = paired_t_power(0.5, 34, 0.05, Side::TwoSided).unwrap();
/// assert!((power - 0.8078).abs() < 1e-4);
/// ```
///
/// # Errors
/// Fewer than two pairs, `alpha` outside (0, 1), or `d_z` not finite.
pub fn paired_t_power(d_z: f64, n: usize, alpha: f64, side: Side) -> Result<f64, UndefinedReason> {
    let critical = critical(n, alpha, side)?;
    let law = NoncentralT::new(n as f64 - 1.0, d_z * libm::sqrt(n as f64))?;
    Ok(match side {
        Side::TwoSided => (law.sf(critical) + law.cdf(-critical)).min(1.0),
        Side::Greater => law.sf(critical),
        Side::Less => law.cdf(-critical),
    })
}

pub(super) fn critical(n: usize, alpha: f64, side: Side) -> Result<f64, UndefinedReason> {
    check::at_least("pairs", n, 2)?;
    check::open_unit("alpha", alpha)?;
    let tail = if side == Side::TwoSided {
        0.5 * alpha
    } else {
        alpha
    };
    StudentT::new(n as f64 - 1.0)?.upper_quantile(tail)
}

/// What t must exceed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CriticalT {
    /// The setting it holds in.
    pub setting: Setting,
    /// Pairs.
    pub n: usize,
    /// The critical value.
    pub t: f64,
    /// The observed standardised difference it corresponds to, `t/√n`.
    pub d_z: f64,
}

/// The smallest effect that is found with the power asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Detectable {
    /// The setting it holds in.
    pub setting: Setting,
    /// Pairs.
    pub n: usize,
    /// The power asked for.
    pub power: f64,
    /// The smallest detectable standardised difference, as a size.
    pub d_z: f64,
}

/// The number of pairs an effect needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Needed {
    /// The setting it holds in.
    pub setting: Setting,
    /// The effect looked for, as a size.
    pub d_z: f64,
    /// The power asked for.
    pub power: f64,
    /// The smallest number of pairs.
    pub n: usize,
}

/// How far differences may scatter for equivalence to stand at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WidestSpread {
    /// The setting it holds in.
    pub setting: Setting,
    /// Pairs.
    pub n: usize,
    /// The margin on either side.
    pub margin: f64,
    /// The standard deviation of the differences at which an interval centred on 0 just fills the
    /// margins.
    pub spread: f64,
}

impl CriticalT {
    /// The same about single values that are held against a line, instead of pairs.
    #[must_use]
    pub fn of_values(&self, units: &str, line: f64) -> String {
        let Self { setting, n, t, d_z } = self;
        format!(
            "With {n} {units}, {setting}, t({}) must exceed {} for the first claim to stand: a mean more than {} standard deviations beyond {}.",
            n - 1,
            Short(*t),
            Short(*d_z),
            Short(line)
        )
    }
}

impl Detectable {
    /// The same about single values that are held against a line, instead of pairs.
    #[must_use]
    pub fn of_values(&self, units: &str, line: f64) -> String {
        let Self {
            setting,
            n,
            power,
            d_z,
        } = self;
        format!(
            "With {n} {units}, {setting}, the smallest distance from {} found in {} % of studies is {} standard deviations.",
            Short(line),
            Short(100.0 * power),
            Short(*d_z)
        )
    }
}

impl Setting {
    /// How far differences of `n` pairs may scatter for two one-sided t tests to show equivalence
    /// within ±`margin`.
    ///
    /// ```
    /// use duress_stats::Side;
    /// use duress_stats::power::Setting;
    ///
    /// let widest = Setting::single(0.05, Side::Greater).widest_spread(3, 0.02).unwrap();
    /// assert!((widest.spread - 0.02 * 3_f64.sqrt() / 2.919_985_580_353_726).abs() < 1e-12);
    /// ```
    ///
    /// # Errors
    /// Fewer than two pairs, a margin that is not above 0, or a setting without a threshold.
    pub fn widest_spread(&self, n: usize, margin: f64) -> Result<WidestSpread, UndefinedReason> {
        check::positive("the margin", margin)?;
        let t = critical(n, self.threshold()?, Side::Greater)?;
        Ok(WidestSpread {
            setting: *self,
            n,
            margin,
            spread: margin * libm::sqrt(n as f64) / t,
        })
    }

    /// What a paired t must exceed for the first claim to stand.
    ///
    /// # Errors
    /// Fewer than two pairs, or a setting without a threshold.
    pub fn critical_t(&self, n: usize) -> Result<CriticalT, UndefinedReason> {
        let t = critical(n, self.threshold()?, self.side)?;
        Ok(CriticalT {
            setting: *self,
            n,
            t,
            d_z: t / libm::sqrt(n as f64),
        })
    }

    /// The smallest standardised difference that `n` pairs find with this power.
    ///
    /// # Errors
    /// Fewer than two pairs, or a power outside (α, 1).
    pub fn detectable(&self, n: usize, power: f64) -> Result<Detectable, UndefinedReason> {
        // The claims of a study mostly ask the same, one after the other, and the answer takes
        // milliseconds: hundreds of integrals.
        thread_local! {
            static LAST: Cell<Option<Detectable>> = const { Cell::new(None) };
        }
        let same = |last: &Detectable| (last.setting, last.n, last.power) == (*self, n, power);
        if let Some(last) = LAST.get().filter(same) {
            return Ok(last);
        }
        let found = self.find_detectable(n, power)?;
        LAST.set(Some(found));
        Ok(found)
    }

    fn find_detectable(&self, n: usize, power: f64) -> Result<Detectable, UndefinedReason> {
        let alpha = self.threshold()?;
        above_alpha(power, alpha)?;
        let short = |d_z: f64| Ok(upward(d_z, n, alpha, self.side)? < power);
        let mut high = 1.0;
        while short(high)? {
            high *= 2.0;
        }
        let mut low = 0.0;
        // Halving 60 times leaves less than the rounding of the power itself.
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            *(if short(middle)? { &mut low } else { &mut high }) = middle;
        }
        Ok(Detectable {
            setting: *self,
            n,
            power,
            d_z: 0.5 * (low + high),
        })
    }

    /// The number of pairs with which a standardised difference of this size is found with this
    /// power.
    ///
    /// # Errors
    /// An effect of zero, a power outside (α, 1), or more than 10⁸ pairs.
    pub fn needed(&self, d_z: f64, power: f64) -> Result<Needed, UndefinedReason> {
        let alpha = self.threshold()?;
        above_alpha(power, alpha)?;
        let size = libm::fabs(d_z);
        check::positive("the size of the effect", size)?;
        let short = |n: usize| Ok(upward(size, n, alpha, self.side)? < power);
        let mut high = 2;
        while short(high)? {
            high *= 2;
            if high > MOST {
                return Err(UndefinedReason::Unreachable {
                    what: "number of pairs below 10⁸",
                });
            }
        }
        let mut low = high / 2;
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            *(if short(middle)? { &mut low } else { &mut high }) = middle;
        }
        let n = if high == 2 || short(low)? { high } else { low };
        Ok(Needed {
            setting: *self,
            d_z: size,
            power,
            n: n.max(2),
        })
    }
}

/// Power against an effect in the direction the side looks at.
fn upward(size: f64, n: usize, alpha: f64, side: Side) -> Result<f64, UndefinedReason> {
    let side = if side == Side::Less {
        Side::Greater
    } else {
        side
    };
    paired_t_power(size, n, alpha, side)
}

fn above_alpha(power: f64, alpha: f64) -> Result<(), UndefinedReason> {
    check::open_unit("power", power)?;
    match power > alpha {
        true => Ok(()),
        false => Err(UndefinedReason::OutOfRange {
            what: "power",
            value: power,
            expected: "above alpha",
        }),
    }
}

impl fmt::Display for CriticalT {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { setting, n, t, d_z } = self;
        write!(
            f,
            "With {n} pairs, {setting}, t({}) must exceed {} for the first claim to stand: an observed d_z above {}.",
            n - 1,
            Short(*t),
            Short(*d_z)
        )
    }
}

impl fmt::Display for Detectable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            setting,
            n,
            power,
            d_z,
        } = self;
        write!(
            f,
            "With {n} pairs, {setting}, the smallest effect found in {} % of studies is d_z = {}.",
            Short(100.0 * power),
            Short(*d_z)
        )
    }
}

impl fmt::Display for WidestSpread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            setting,
            n,
            margin,
            spread,
        } = self;
        let alpha = setting.threshold().unwrap_or(setting.alpha);
        write!(
            f,
            "With {n} pairs, two one-sided tests at {} each, equivalence within ±{} can stand only if the differences have a \
             standard deviation below {}, even where they average to 0.",
            Short(alpha),
            Short(*margin),
            Short(*spread)
        )
    }
}

impl fmt::Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            setting,
            d_z,
            power,
            n,
        } = self;
        write!(
            f,
            "An effect of d_z = {} is found in {} % of studies with {n} pairs ({setting}).",
            Short(*d_z),
            Short(100.0 * power)
        )
    }
}
