//! The power of two one-sided tests.

use super::effect::critical;
use crate::dist::{ChiSquared, Normal};
use crate::special::integrate;
use crate::{Side, UndefinedReason, check};

/// The chance that two one-sided paired t tests on `n` pairs, each at `alpha`, show the truth to lie
/// within ±`margin` when it is `truth`; both in standard deviations of the differences.
///
/// Given the standard deviation s that is observed, the mean has to lie within `margin − t s/√n`;
/// that chance is integrated over the distribution of s (D. J. Schuirmann, J. Pharmacokinet.
/// Biopharm. 15 (1987) 657; K. F. Phillips, ibid. 18 (1990) 137).
///
/// ```
/// use duress_stats::power::equivalence_power;
///
/// let power = equivalence_power(1.0, 0.0, 12, 0.05).unwrap();
/// assert!((power - 0.891).abs() < 0.005);
/// // Three pairs show nothing within one standard deviation.
/// assert!(equivalence_power(1.0, 0.0, 3, 0.05).unwrap() < 0.13);
/// ```
///
/// # Errors
/// Fewer than two pairs, `alpha` outside (0, 1), a margin that is not above 0, or a truth that is
/// not finite.
pub fn equivalence_power(
    margin: f64,
    truth: f64,
    n: usize,
    alpha: f64,
) -> Result<f64, UndefinedReason> {
    check::positive("the margin", margin)?;
    check::finite("the truth", &[truth])?;
    let t = critical(n, alpha, Side::Greater)?;
    let root = libm::sqrt(n as f64);
    let freedom = n as f64 - 1.0;
    let law = ChiSquared::new(freedom)?;
    let above = root * (margin - truth);
    let below = root * (margin + truth);
    let inside = |s: f64| {
        let chance = Normal.cdf(above - t * s) - Normal.cdf(t * s - below);
        // The density of s, from that of (n − 1) s², which is chi-squared.
        let density = 2.0 * freedom * s * law.pdf(freedom * s * s);
        chance.max(0.0) * density
    };
    let widest = root * margin / t;
    // The law of s is narrow about 1 where n is large; beyond ten deviations nothing is left of it.
    let deviation = libm::sqrt(0.5 / freedom);
    let cuts = [-10.0, -3.0, 0.0, 3.0, 10.0, 14.0];
    let cuts = cuts.map(|cut| (1.0 + cut * deviation).clamp(0.0, widest));
    let pieces = cuts
        .windows(2)
        .map(|cut| integrate(&inside, cut[0], cut[1]));
    Ok(pieces.sum::<f64>().clamp(0.0, 1.0))
}
