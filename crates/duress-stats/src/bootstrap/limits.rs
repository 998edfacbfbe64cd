//! From resamples to an interval: pure functions of the numbers, comparable with other software.

use crate::dist::Normal;
use crate::{Interval, UndefinedReason, check};

/// Quantiles of the resamples, which must be sorted.
///
/// # Errors
/// No resamples, or `level` outside (0, 1).
pub fn percentile_interval(sorted: &[f64], level: f64) -> Result<Interval, UndefinedReason> {
    check::at_least("resamples", sorted.len(), 1)?;
    check::open_unit("level", level)?;
    let tail = 0.5 * (1.0 - level);
    Interval::new(
        quantile(sorted, tail),
        quantile(sorted, 1.0 - tail),
        level,
        "percentile bootstrap",
    )
}

/// The percentile interval reflected at `about`: the estimate, or halfway from it to what a biased
/// statistic would be in a population of the same items.
///
/// # Errors
/// As [`percentile_interval`].
pub fn basic_interval(about: f64, sorted: &[f64], level: f64) -> Result<Interval, UndefinedReason> {
    let Interval { low, high, .. } = percentile_interval(sorted, level)?;
    Interval::new(
        2.0 * about - high,
        2.0 * about - low,
        level,
        "basic bootstrap",
    )
}

/// Efron's BCa interval: quantiles at `Φ(z₀ + (z₀+z)/(1 − a(z₀+z)))`.
///
/// # Errors
/// All resamples lie on one side of the estimate, or the levels it needs lie beyond the outermost
/// resample.
pub fn bca_interval(
    estimate: f64,
    sorted: &[f64],
    acceleration: f64,
    level: f64,
) -> Result<Interval, UndefinedReason> {
    check::at_least("resamples", sorted.len(), 1)?;
    check::open_unit("level", level)?;
    // A resample equals the estimate when only the order of summation tells them apart.
    let slack = 1e-12 * (sorted[sorted.len() - 1] - sorted[0]);
    let below = sorted.partition_point(|v| *v < estimate - slack);
    let through = sorted.partition_point(|v| *v <= estimate + slack);
    let share = 0.5 * (below + through) as f64 / sorted.len() as f64;
    let bias = Normal
        .quantile(share)
        .map_err(|_| UndefinedReason::OutOfRange {
            what: "the share of resamples below the estimate",
            value: share,
            expected: "strictly between 0 and 1",
        })?;
    let z = Normal.upper_quantile(0.5 * (1.0 - level))?;
    let moved = |z: f64| -> Result<f64, UndefinedReason> {
        let sum = bias + z;
        let scale = 1.0 - acceleration * sum;
        match scale > 0.0 {
            true => Ok(quantile(sorted, Normal.cdf(bias + sum / scale))),
            false => Err(UndefinedReason::OutOfRange {
                what: "the acceleration",
                value: acceleration,
                expected: "small enough for the level",
            }),
        }
    };
    Interval::new(moved(-z)?, moved(z)?, level, "BCa bootstrap")
}

/// The acceleration from leave-one-out values, one list per stratum:
/// `a = ⅙ Σ_r Σ_i l³/n_r³ / (Σ_r Σ_i l²/n_r²)^{3/2}` with `l = (n_r − 1)(θ̄_r − θ₍ᵢ₎)`.
///
/// # Errors
/// Every value is the same, so there is no skewness to speak of.
pub fn acceleration(strata: &[Vec<f64>]) -> Result<f64, UndefinedReason> {
    let mut cubes = 0.0;
    let mut squares = 0.0;
    for values in strata {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        for value in values {
            let influence = (n - 1.0) * (mean - value) / n;
            squares += influence * influence;
            cubes += influence * influence * influence;
        }
    }
    match squares > 0.0 {
        true => Ok(cubes / (6.0 * squares * libm::sqrt(squares))),
        false => Err(UndefinedReason::NoSpread {
            what: "the leave-one-out values",
        }),
    }
}

/// Linear interpolation between order statistics (type 7).
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = p * (sorted.len() - 1) as f64;
    let floor = libm::floor(place);
    let at = floor as usize;
    let part = place - floor;
    let next = sorted[(at + 1).min(sorted.len() - 1)];
    sorted[at] + part * (next - sorted[at])
}
