//! Hypothesis tests. Each names its null, its alternative and the route its p-value took.
//!
//! | test | null | exact for |
//! |---|---|---|
//! | [`paired_t`], [`welch_t`] | equal means | normal values, any n ≥ 2 |
//! | [`wilcoxon`] | differences symmetric about 0 | n ≤ 50 by default, ties and zeros included |
//! | [`sign`] | median difference 0 | every n |
//! | [`sign_flip`] | differences symmetric about 0 | n ≤ 30 |
//! | [`mcnemar`] | equal error rates on the same items | every n |
//! | [`tost_paired`], [`tost_welch`] | means differ by at least the margin | normal values |
//! | [`kendall`] | independence | n ≤ 33 by default, ties included where counting is feasible |
//! | [`spearman`] | independence | n ≤ 11, ties included |
//! | [`page`] | no trend over treatments within blocks | up to 8 treatments, 50 blocks |
//! | [`jonckheere`] | no trend over ordered groups | n ≤ 33 by default |
//! | [`little`] | values are missing completely at random | asymptotic |
//! | [`delong`], [`delong_paired`] | AUROC equal to a value, or to another AUROC | asymptotic |
//!
//! A two-sided p is twice the smaller tail, at most 1, in every test.

mod counting;
mod delong;
mod jonckheere;
mod kendall;
mod little;
mod mcnemar;
mod page;
mod sign;
pub(crate) mod sign_flip;
mod spearman;
mod student;
mod tost;
mod wilcoxon;

pub use delong::{delong, delong_error, delong_paired};
pub use jonckheere::jonckheere;
pub use kendall::kendall;
pub use little::little;
pub use mcnemar::{McNemar, mcnemar, paired_shares};
pub use page::page;
pub use sign::sign;
pub use sign_flip::sign_flip;
pub use spearman::spearman;
pub use student::{one_sample_t, paired_t, welch_t};
pub use tost::{tost_paired, tost_welch};
pub(crate) use wilcoxon::signed_ranks;
pub use wilcoxon::{Zeros, wilcoxon};

use crate::dist::Normal;
use crate::{Side, UndefinedReason};

/// The p-value of a z on a side.
fn p_of_z(z: f64, side: Side) -> f64 {
    side.of_tails(Normal.cdf(z), Normal.sf(z))
}

/// `(statistic − mean)/sd`, moved `step` towards the mean first when `continuity` is on (SciPy's
/// rule: on a one-sided test the move is always against the alternative).
fn standardised(
    distance: f64,
    variance: f64,
    step: f64,
    continuity: bool,
    side: Side,
) -> Result<f64, UndefinedReason> {
    if variance <= 0.0 {
        return Err(UndefinedReason::NoSpread {
            what: "the arrangements under the null",
        });
    }
    let move_by = match (continuity, side) {
        (false, _) => 0.0,
        (true, Side::Greater) => step,
        (true, Side::Less) => -step,
        (true, Side::TwoSided) if distance == 0.0 => 0.0,
        (true, Side::TwoSided) => step * distance.signum(),
    };
    Ok((distance - move_by) / libm::sqrt(variance))
}

/// p by Monte Carlo: the observed arrangement counts as one of those drawn.
fn p_of_hits(lower: usize, upper: usize, resamples: usize, side: Side) -> f64 {
    let share = |hits: usize| (hits + 1) as f64 / (resamples + 1) as f64;
    side.of_tails(share(lower), share(upper))
}
