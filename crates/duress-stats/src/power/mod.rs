//! What n can show, said before the run.
//!
//! *Smallest reachable p*: an exact test on n units has finitely many outcomes, the most extreme of
//! which has probability 2⁻ⁿ (signs), 1/n! (orders) or (1/k!)ⁿ (orders within blocks) on one side,
//! twice that on two. *Critical t* and *smallest detectable effect* of a paired t test: power is
//! `P(T > t_crit)` under the noncentral t with `δ = d_z √n` (J. Cohen, *Statistical Power Analysis*
//! (1988), ch. 2, computed exactly). All of it at the α that is left for the first of m claims
//! after a correction.

mod effect;
mod equivalence;
mod reach;

pub use effect::{CriticalT, Detectable, Needed, WidestSpread, paired_t_power};
pub use equivalence::equivalence_power;
pub use reach::{ExactTest, Reach, smallest_p};

use std::fmt;

use crate::correct::Correction;
use crate::test::Short;
use crate::{Side, UndefinedReason};

/// The α of a family of claims, and the side on which they are tested.
///
/// ```
/// use duress_stats::Side;
/// use duress_stats::correct::Correction;
/// use duress_stats::power::{ExactTest, Setting};
///
/// // Three seeds, five claims, Holm at .01.
/// let setting = Setting { alpha: 0.01, side: Side::Greater, correction: Correction::Holm, claims: 5 };
/// assert_eq!(
///     setting.critical_t(3).unwrap().to_string(),
///     "With 3 pairs, 5 claims and Holm at 0.01 (greater), t(2) must exceed 15.76 for the first claim to stand: \
///      an observed d_z above 9.101."
/// );
/// assert_eq!(
///     setting.reach(ExactTest::SignFlip, 3).unwrap().to_string(),
///     "With 3 units the sign-flip test cannot give p below 0.125 (greater); 0.002 is needed, so no result can stand. \
///      9 units would do."
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// The family's α.
    pub alpha: f64,
    /// The alternative of each test.
    pub side: Side,
    /// How the family is corrected.
    pub correction: Correction,
    /// How many claims the family holds.
    pub claims: usize,
}

impl Setting {
    /// One claim by itself.
    #[must_use]
    pub fn single(alpha: f64, side: Side) -> Self {
        Self {
            alpha,
            side,
            correction: Correction::None,
            claims: 1,
        }
    }

    /// What the smallest p must reach.
    ///
    /// # Errors
    /// `alpha` outside (0, 1), or no claims.
    pub fn threshold(&self) -> Result<f64, UndefinedReason> {
        self.correction.first_threshold(self.alpha, self.claims)
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            alpha,
            side,
            correction,
            claims,
        } = self;
        match claims {
            1 => write!(f, "one claim at {} ({side})", Short(*alpha)),
            _ => write!(
                f,
                "{claims} claims and {} at {} ({side})",
                CorrectionName(*correction),
                Short(*alpha)
            ),
        }
    }
}

struct CorrectionName(Correction);

impl fmt::Display for CorrectionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Correction::None => f.write_str("no correction"),
            correction => write!(f, "{correction}"),
        }
    }
}
