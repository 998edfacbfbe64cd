//! McNemar's test: two classifiers on the same items.
//!
//! Only items on which they disagree count. Under the null each of the `first_only + second_only`
//! disagreements goes either way with probability ½. *Exact*: the binomial tail. *Mid-p*: half the
//! probability of the observed count is taken off, which is closer to nominal size. *Asymptotic*:
//! `z = (b−c)/√(b+c)`, with Edwards's correction `|b−c|−1` if asked. Sources: Q. McNemar,
//! Psychometrika 12 (1947) 153; M. W. Fagerland et al., BMC Med. Res. Methodol. 13 (2013) 91.

use super::sign::p_of_coin;
use super::{p_of_z, standardised};
use crate::dist::Binomial;
use crate::effect::Effect;
use crate::{RouteTaken, Side, TestResult, UndefinedReason, check};

/// The form of McNemar's test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McNemar {
    /// The binomial tail: never too small.
    Exact,
    /// The binomial tail without half of the observed count.
    MidP,
    /// The normal limit.
    Asymptotic {
        /// Edwards's continuity correction.
        continuity: bool,
    },
}

/// Whether the first of two classifiers is right more often than the second by `null`, on `items` of
/// which it alone got `first_only` and the other alone `second_only`: Tango's score test, which is
/// McNemar's asymptotic one at a null of zero (T. Tango, Stat. Med. 17 (1998) 891).
///
/// ```
/// use duress_stats::{Side, tests::paired_shares};
///
/// let test = paired_shares(12, 2, 100, 0.0, Side::TwoSided).unwrap();
/// assert!((test.statistic - 10.0 / 14_f64.sqrt()).abs() < 1e-12);
/// assert!(paired_shares(12, 2, 100, 0.1, Side::Greater).unwrap().p > 0.4);
/// ```
///
/// # Errors
/// A null outside (−1, 1), more disagreements than items, or none of them at a null of zero.
pub fn paired_shares(
    first_only: u64,
    second_only: u64,
    items: u64,
    null: f64,
    side: Side,
) -> Result<TestResult, UndefinedReason> {
    check::at_least("items", items as usize, 1)?;
    check::at_most(
        "discordant items",
        (first_only + second_only) as usize,
        items as usize,
    )?;
    check::open_unit("half of one plus the null", 0.5 * (1.0 + null))?;
    let b = first_only as f64;
    let c = second_only as f64;
    let n = items as f64;
    // The share that only the second got, as likely as can be under the null.
    let linear = -b - c + (2.0 * n - b + c) * null;
    let constant = -c * null * (1.0 - null);
    let root = libm::sqrt((linear * linear - 8.0 * n * constant).max(0.0));
    let second = (root - linear) / (4.0 * n);
    let variance = n * (2.0 * second + null * (1.0 - null));
    if variance <= 0.0 {
        return Err(UndefinedReason::TooFew {
            what: "discordant items",
            need: 1,
            got: 0,
        });
    }
    let z = (b - c - n * null) / libm::sqrt(variance);
    let p = p_of_z(z, side);
    Ok(TestResult {
        estimate: Some((b - c) / n),
        ..TestResult::without_extras("paired shares, score test", "z", z, p, side, items as usize)
    })
}

/// Whether two classifiers are right equally often, from the items only the first and only the
/// second got right.
///
/// ```
/// use duress_stats::{Side, tests::{McNemar, mcnemar}};
///
/// let test = mcnemar(12, 2, Side::TwoSided, McNemar::Exact).unwrap();
/// assert!((test.p - 0.012_939_453_125).abs() < 1e-15);
/// ```
///
/// # Errors
/// No item on which they disagree.
pub fn mcnemar(
    first_only: u64,
    second_only: u64,
    side: Side,
    form: McNemar,
) -> Result<TestResult, UndefinedReason> {
    let n = first_only + second_only;
    check::at_least("discordant items", n as usize, 1)?;
    let effect = Effect {
        name: "share_first_only",
        value: first_only as f64 / n as f64,
    };
    let difference = first_only as f64 - second_only as f64;
    let (taken, symbol, statistic, p) = match form {
        McNemar::Exact => (
            RouteTaken::Exact,
            "first only",
            first_only as f64,
            p_of_coin(first_only, n, side)?,
        ),
        McNemar::MidP => (
            RouteTaken::MidP,
            "first only",
            first_only as f64,
            mid_p(first_only, n, side)?,
        ),
        McNemar::Asymptotic { continuity } => {
            let z = standardised(difference, n as f64, 1.0, continuity, side)?;
            let taken = RouteTaken::Asymptotic { continuity };
            (taken, "z", z, p_of_z(z, side))
        }
    };
    let name = format!("McNemar, {taken}");
    Ok(TestResult {
        route: Some(taken),
        effect: Some(effect),
        ..TestResult::without_extras(name, symbol, statistic, p, side, n as usize)
    })
}

fn mid_p(heads: u64, n: u64, side: Side) -> Result<f64, UndefinedReason> {
    let coin = Binomial::new(n, 0.5)?;
    let half = 0.5 * coin.pmf(heads);
    let below = if heads == 0 { 0.0 } else { coin.cdf(heads - 1) };
    Ok(side.of_tails(below + half, coin.sf(heads) + half))
}
