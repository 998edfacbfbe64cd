//! The Jonckheere–Terpstra test for a trend over ordered independent groups.
//!
//! `J = Σ_{a<b} #(x_a < x_b) + ½ #(x_a = x_b)`. With the group as one variable and the value as the
//! other, `2J` is Kendall's S plus the number of pairs in different groups, so the distributions,
//! exact or asymptotic, are those of [`super::kendall`], ties included. Sources: T. J. Terpstra,
//! Indag. Math. 14 (1952) 327; A. R. Jonckheere, Biometrika 41 (1954) 133.

use super::kendall::RankedPairs;
use crate::order::MOST;
use crate::{Route, Side, TestResult, UndefinedReason, check};

/// Whether values rise (or fall) over groups in their hypothesised order.
///
/// ```
/// use duress_stats::{Route, Side, tests::jonckheere};
///
/// let groups = [vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]];
/// let test = jonckheere(&groups, Side::Greater, Route::Auto).unwrap();
/// assert_eq!(test.statistic, 12.0);
/// assert!((test.p - 1.0 / 90.0).abs() < 1e-15);
/// ```
///
/// # Errors
/// Fewer than two groups, an empty group, all values equal, or an exact route that cannot be
/// counted.
pub fn jonckheere<G: AsRef<[f64]>>(
    groups: &[G],
    side: Side,
    route: Route,
) -> Result<TestResult, UndefinedReason> {
    check::at_least("groups", groups.len(), 2)?;
    let mut group = Vec::new();
    let mut value = Vec::new();
    let mut between = 0;
    for (index, members) in groups.iter().enumerate() {
        let members = members.as_ref();
        check::at_least("values in a group", members.len(), 1)?;
        check::finite("a group", members)?;
        between += value.len() * members.len();
        value.extend_from_slice(members);
        group.extend(std::iter::repeat_n(index as f64, members.len()));
    }
    check::at_most("the number of values", value.len(), MOST)?;
    let pairs = RankedPairs::from_samples(&group, &value);
    if pairs.variance() <= 0.0 {
        return Err(UndefinedReason::NoSpread { what: "the values" });
    }
    let (how, p) = pairs.p_value(side, route)?;
    let j = 0.5 * (pairs.score as f64 + between as f64);
    Ok(TestResult::without_extras(
        format!("Jonckheere–Terpstra over {} groups, {how}", groups.len()),
        "J",
        j,
        p,
        side,
        value.len(),
    ))
}
