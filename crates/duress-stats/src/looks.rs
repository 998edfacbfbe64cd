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
    let last = units[units.len() - 1];
    let mut before = 0.0;
    let mut levels = Vec::new();
    for &n in units {
        let all = spent(alpha, n, last)?;
        levels.push(all - before);
        before = all;
    }
    Ok(levels)
}

/// What may be spent of `alpha` once `units` of `planned` are there: all of it at the end.
///
/// ```
/// let spent = |n| duress_stats::looks::spent(0.05, n, 10).unwrap();
/// assert!(spent(3) < 0.001 && spent(5) < 0.01);
/// assert!((spent(10) - 0.05).abs() < 1e-12);
/// ```
///
/// # Errors
/// `alpha` outside (0, 1), or no unit, or none planned.
pub fn spent(alpha: f64, units: usize, planned: usize) -> Result<f64, UndefinedReason> {
    check::open_unit("alpha", alpha)?;
    check::at_least("units", units.min(planned), 1)?;
    if units >= planned {
        return Ok(alpha);
    }
    let edge = Normal.upper_quantile(0.5 * alpha)?;
    let share = units as f64 / planned as f64;
    Ok(2.0 * Normal.sf(edge / libm::sqrt(share)))
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
