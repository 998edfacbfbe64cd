//! What an interval and its p-values are made of, and the design behind it.

use duress_stats::components::{Components, Scope};
use duress_stats::evidence::Evidence;
use duress_stats::{Interval, Side};

use crate::analysis::reason;
use duress_findings::AbsenceReason;

/// What an interval and its p-values are made of.
pub(in crate::analysis) struct Known {
    pub(in crate::analysis) evidence: Evidence,
    pub(in crate::analysis) basis: Basis,
    pub(in crate::analysis) components: Option<Components>,
    /// Whether its units are clusters of items, and not items.
    pub(in crate::analysis) clustered: bool,
}

/// The one-sided p-values of a difference against zero.
pub(crate) struct TwoSides {
    /// That it is not above.
    pub(crate) above: f64,
    /// That it is not below.
    pub(crate) below: f64,
}

/// The design an error follows from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::analysis) enum Basis {
    /// Items crossed with seeds.
    Crossed,
    /// The items of one seed, or of seeds that do not differ.
    Items,
    /// Items, the seeds kept.
    ItemsKeptSeeds,
    /// Readings of seeds.
    Seeds,
}

impl Known {
    /// The interval at a level; beyond the tails that Satterthwaite's approximation was simulated
    /// for, never narrower than t over seeds, which needs none.
    pub(in crate::analysis) fn interval(&self, level: f64) -> Result<Interval, AbsenceReason> {
        let found = self.evidence.interval(level).map_err(reason::statistic)?;
        let Some(seeds) = self.over_seeds().filter(|_| level > 1.0 - 2.0 * NEAR_TAIL) else {
            return Ok(found);
        };
        let other = seeds.interval(level).map_err(reason::statistic)?;
        Ok(Interval {
            low: found.low.min(other.low),
            high: found.high.max(other.high),
            ..found
        })
    }

    /// The p-value of a one-sided null, by the same rule.
    pub(in crate::analysis) fn p(&self, null: f64, side: Side) -> Result<f64, AbsenceReason> {
        let p = self.evidence.p(null, side).map_err(reason::statistic)?;
        match self.over_seeds().filter(|_| p < NEAR_TAIL) {
            Some(seeds) => {
                let other = seeds.p(null, side).map_err(reason::statistic)?;
                Ok(p.max(other.min(NEAR_TAIL)))
            }
            None => Ok(p),
        }
    }

    /// Student's t over the seeds of a crossed design.
    fn over_seeds(&self) -> Option<Evidence> {
        let found = self.components.filter(|_| self.basis == Basis::Crossed)?;
        let (error, freedom) = (
            found.error(Scope::Replicates),
            found.freedom(Scope::Replicates),
        );
        Evidence::student(found.estimate, error, freedom).ok()
    }
}

/// Up to this tail Satterthwaite's degrees of freedom were simulated; further out, few seeds make
/// them too many.
const NEAR_TAIL: f64 = 0.025;
