//! The sign test: how often one of a pair is larger.
//!
//! Under the null a difference that is not zero is positive with probability ½; p is binomial and
//! exact for every n. Zeros are left out. Source: W. J. Dixon and A. M. Mood, JASA 41 (1946) 557.

use crate::dist::Binomial;
use crate::effect::Effect;
use crate::moments::differences;
use crate::{RouteTaken, Side, TestResult, UndefinedReason, check};

/// Whether `x` exceeds `y` more or less often than half of the time.
///
/// ```
/// use duress_stats::{Side, tests::sign};
///
/// let test = sign(&[1.0, 2.0, 3.0], &[0.0, 0.0, 0.0], Side::TwoSided).unwrap();
/// assert_eq!(test.p, 0.25); // the smallest p three pairs can give
/// ```
///
/// # Errors
/// Samples of different lengths, or no difference that is not zero.
pub fn sign(x: &[f64], y: &[f64], side: Side) -> Result<TestResult, UndefinedReason> {
    let nonzero: Vec<f64> = differences(x, y)?
        .into_iter()
        .filter(|d| *d != 0.0)
        .collect();
    check::at_least("differences that are not zero", nonzero.len(), 1)?;
    let n = nonzero.len();
    let positive = nonzero.iter().filter(|d| **d > 0.0).count();
    let effect = Effect {
        name: "share_positive",
        value: positive as f64 / n as f64,
    };
    let p = p_of_coin(positive as u64, n as u64, side)?;
    Ok(TestResult {
        route: Some(RouteTaken::Exact),
        effect: Some(effect),
        ..TestResult::without_extras("sign test, exact", "positive", positive as f64, p, side, n)
    })
}

/// p of `heads` out of `n` throws of a fair coin; counted in integers where they fit, so that 2⁻ⁿ
/// is exactly that.
pub(super) fn p_of_coin(heads: u64, n: u64, side: Side) -> Result<f64, UndefinedReason> {
    if n <= 60 {
        let patterns = (1_u64 << n) as f64;
        let tail = |least: u64| ways_at_least(least, n) as f64 / patterns;
        return Ok(side.of_tails(tail(n - heads), tail(heads)));
    }
    let coin = Binomial::new(n, 0.5)?;
    let upper = if heads == 0 { 1.0 } else { coin.sf(heads - 1) };
    Ok(side.of_tails(coin.cdf(heads), upper))
}

/// Patterns of `n ≤ 60` throws with at least this many heads.
fn ways_at_least(least: u64, n: u64) -> u64 {
    let mut ways = 1_u64;
    let mut sum = 0;
    for tails in 0..=n - least {
        sum += ways;
        ways = (u128::from(ways) * u128::from(n - tails) / u128::from(tails + 1)) as u64;
    }
    sum
}
