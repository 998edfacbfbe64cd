//! Adjusted p-values for a declared family of claims.
//!
//! | rule | controls | assumes |
//! |---|---|---|
//! | Holm | chance of any false claim | nothing |
//! | Holm–Šidák | the same | independent tests |
//! | Hommel | the same, never larger than Holm | independence or positive dependence (Simes) |
//! | Benjamini–Hochberg | expected share of false claims | independence or positive dependence |
//! | Benjamini–Yekutieli | the same | nothing |
//!
//! An adjusted p at or below α means the claim stands in its family at α. Sources: S. Holm, Scand.
//! J. Stat. 6 (1979) 65; G. Hommel, Biometrika 75 (1988) 383; S. P. Wright, Biometrics 48 (1992)
//! 1005 for Hommel's adjusted p; Y. Benjamini and Y. Hochberg, JRSS B 57 (1995) 289; Y. Benjamini
//! and D. Yekutieli, Ann. Stat. 29 (2001) 1165.

use std::fmt;

use crate::{UndefinedReason, check};

/// How a family of p-values is corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Correction {
    /// No correction: each claim stands alone.
    None,
    /// Holm's step-down rule.
    Holm,
    /// Holm's rule with Šidák's bound.
    HolmSidak,
    /// Hommel's rule.
    Hommel,
    /// Benjamini and Hochberg's false discovery rate.
    BenjaminiHochberg,
    /// Benjamini and Yekutieli's false discovery rate.
    BenjaminiYekutieli,
}

impl Correction {
    /// Adjusted p-values, in the order given.
    ///
    /// ```
    /// use duress_stats::correct::Correction;
    ///
    /// let adjusted = Correction::Holm.adjust(&[0.01, 0.04, 0.03]).unwrap();
    /// assert_eq!(adjusted, [0.03, 0.06, 0.06]);
    /// ```
    ///
    /// # Errors
    /// A p-value outside [0, 1].
    pub fn adjust(self, p: &[f64]) -> Result<Vec<f64>, UndefinedReason> {
        match self {
            Self::None => {
                p.iter().try_for_each(|&p| check::closed_unit("p", p))?;
                Ok(p.to_vec())
            }
            Self::Holm => holm(p),
            Self::HolmSidak => holm_sidak(p),
            Self::Hommel => hommel(p),
            Self::BenjaminiHochberg => bh(p),
            Self::BenjaminiYekutieli => by(p),
        }
    }

    /// What the smallest p of `m` must reach for the first claim to stand at `alpha`.
    ///
    /// # Errors
    /// `m` of 0, or `alpha` outside (0, 1).
    pub fn first_threshold(self, alpha: f64, m: usize) -> Result<f64, UndefinedReason> {
        check::open_unit("alpha", alpha)?;
        check::at_least("claims", m, 1)?;
        let claims = m as f64;
        Ok(match self {
            Self::None => alpha,
            Self::HolmSidak => -libm::expm1(libm::log1p(-alpha) / claims),
            Self::BenjaminiYekutieli => alpha / (claims * harmonic(m)),
            Self::Holm | Self::Hommel | Self::BenjaminiHochberg => alpha / claims,
        })
    }
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Holm => "Holm",
            Self::HolmSidak => "Holm–Šidák",
            Self::Hommel => "Hommel",
            Self::BenjaminiHochberg => "Benjamini–Hochberg",
            Self::BenjaminiYekutieli => "Benjamini–Yekutieli",
        })
    }
}

/// Holm: `max_{j≤i} (m−j+1) p₍ⱼ₎`.
///
/// # Errors
/// A p-value outside [0, 1].
pub fn holm(p: &[f64]) -> Result<Vec<f64>, UndefinedReason> {
    step_down(p, |p, left| p * left)
}

/// Holm–Šidák: `max_{j≤i} 1 − (1−p₍ⱼ₎)^{m−j+1}`.
///
/// # Errors
/// A p-value outside [0, 1].
pub fn holm_sidak(p: &[f64]) -> Result<Vec<f64>, UndefinedReason> {
    step_down(p, |p, left| -libm::expm1(left * libm::log1p(-p)))
}

/// Benjamini–Hochberg: `min_{j≥i} m p₍ⱼ₎ / j`.
///
/// # Errors
/// A p-value outside [0, 1].
pub fn bh(p: &[f64]) -> Result<Vec<f64>, UndefinedReason> {
    step_up(p, 1.0)
}

/// Benjamini–Yekutieli: Benjamini–Hochberg times `1 + 1/2 + … + 1/m`.
///
/// # Errors
/// A p-value outside [0, 1].
pub fn by(p: &[f64]) -> Result<Vec<f64>, UndefinedReason> {
    step_up(p, harmonic(p.len()))
}

/// Hommel, by Wright's algorithm.
///
/// # Errors
/// A p-value outside [0, 1].
pub fn hommel(p: &[f64]) -> Result<Vec<f64>, UndefinedReason> {
    let order = ascending(p)?;
    let m = p.len();
    let sorted: Vec<f64> = order.iter().map(|&i| p[i]).collect();
    let mut adjusted = sorted.clone();
    for size in 2..=m {
        let first = m - size;
        let scaled = |p: f64, rank: usize| size as f64 * p / rank as f64;
        let simes = sorted[first..]
            .iter()
            .zip(1..)
            .map(|(&p, rank)| scaled(p, rank))
            .fold(1.0, f64::min);
        for (i, a) in adjusted.iter_mut().enumerate() {
            let bound = if i < first {
                simes.min(scaled(sorted[i], 1))
            } else {
                simes
            };
            *a = a.max(bound);
        }
    }
    Ok(in_given_order(&order, adjusted.into_iter()))
}

fn ascending(p: &[f64]) -> Result<Vec<usize>, UndefinedReason> {
    p.iter().try_for_each(|&p| check::closed_unit("p", p))?;
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    Ok(order)
}

fn step_down(p: &[f64], adjust: impl Fn(f64, f64) -> f64) -> Result<Vec<f64>, UndefinedReason> {
    let order = ascending(p)?;
    let mut largest = 0.0_f64;
    let stepped = order.iter().enumerate().map(|(rank, &i)| {
        largest = largest.max(adjust(p[i], (p.len() - rank) as f64)).min(1.0);
        largest
    });
    Ok(in_given_order(&order, stepped))
}

fn step_up(p: &[f64], factor: f64) -> Result<Vec<f64>, UndefinedReason> {
    let mut order = ascending(p)?;
    order.reverse();
    let m = p.len() as f64;
    let mut smallest = 1.0_f64;
    let stepped = order.iter().enumerate().map(|(rank, &i)| {
        smallest = smallest.min(p[i] * factor * m / (m - rank as f64));
        smallest
    });
    Ok(in_given_order(&order, stepped))
}

fn in_given_order(order: &[usize], values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut placed = vec![0.0; order.len()];
    order
        .iter()
        .zip(values)
        .for_each(|(&i, value)| placed[i] = value);
    placed
}

fn harmonic(m: usize) -> f64 {
    (1..=m).map(|i| 1.0 / i as f64).sum()
}
