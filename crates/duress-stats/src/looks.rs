//! Looks: what a claim may spend of its level each time the data are looked at.
//!
//! Declared looks share the level by O'Brien and Fleming's spending function
//! `α*(t) = 2 − 2Φ(z_{α/2} / √t)` at the fraction t of the units planned; each look is tested at what
//! it adds, which holds whatever the dependence between looks. A look that nobody declared spends
//! half of what the one before it had. Sources: K. K. G. Lan and D. L. DeMets, Biometrika 70 (1983)
//! 659; P. C. O'Brien and T. R. Fleming, Biometrics 35 (1979) 549.

use crate::dist::Normal;
use crate::{UndefinedReason, check};

/// The level of each declared look, for ascending numbers of units; they add up to `alpha`.
///
/// ```
/// let levels = duress_stats::looks::declared(0.05, &[3, 5, 10]).unwrap();
/// assert!(levels[0] < levels[1] && levels[1] < levels[2]);
/// assert!((levels.iter().sum::<f64>() - 0.05).abs() < 1e-12);
/// ```
///
/// # Errors
/// No look, numbers that do not ascend from 1 on, or `alpha` outside (0, 1).
pub fn declared(alpha: f64, units: &[usize]) -> Result<Vec<f64>, UndefinedReason> {
    check::open_unit("alpha", alpha)?;
    check::at_least("looks", units.len(), 1)?;
    let ascends = units[0] > 0 && units.windows(2).all(|pair| pair[0] < pair[1]);
    if !ascends {
        return Err(UndefinedReason::Because(
            "looks are numbers of units that ascend".into(),
        ));
    }
    let last = units[units.len() - 1] as f64;
    let edge = Normal.upper_quantile(0.5 * alpha)?;
    let spent = |n: usize| 2.0 * Normal.sf(edge / libm::sqrt(n as f64 / last));
    let mut before = 0.0;
    Ok(units
        .iter()
        .map(|&n| {
            let now = spent(n) - before;
            before += now;
            now
        })
        .collect())
}

/// The level of a look that was not declared, after so many earlier ones: α, α/2, α/4 …, which
/// together spend less than 2α.
///
/// ```
/// assert_eq!(duress_stats::looks::undeclared(0.04, 0), 0.04);
/// assert_eq!(duress_stats::looks::undeclared(0.04, 2), 0.01);
/// ```
#[must_use]
pub fn undeclared(alpha: f64, earlier: u32) -> f64 {
    alpha * libm::exp2(-f64::from(earlier))
}
