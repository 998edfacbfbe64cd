//! Curves: a gauge over the severities of a ladder.

use duress_core::name::Name;
use duress_core::severity::Severity;
use serde::{Deserialize, Serialize};

use crate::quantity::{Quantity, Range, Reading};

/// Why a curve has no break point when every rung is known.
pub const NOWHERE: &str = "nowhere: no drop stands apart from zero";

/// The same, where the hardest rung is better than clean, and the interval of that excludes zero.
pub const BETTER: &str = "nowhere: it is better at the hardest than when clean";

/// Why the curve of a gauge without a better way has none.
pub const NEITHER: &str = "neither way is better";

/// A gauge over the severities of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The subject.
    pub subject: Name,
    /// The dataset it was tested on.
    pub dataset: Name,
    /// The ladder.
    pub ladder: Name,
    /// The gauge.
    pub gauge: String,
    /// The points, the clean rung first.
    pub points: Vec<CurvePoint>,
    /// Trapezoid over severity, divided by the severity range.
    pub area: Quantity,
    /// What each step takes, in the gauge's bad direction: positive is worse; where neither way is
    /// better, what it falls by.
    pub drops: Vec<Drop>,
    /// The smallest severity at which the interval of the drop against clean excludes zero, or why
    /// there is none.
    pub break_point: Result<Severity, String>,
    /// Whether one step takes more than half of the total drop.
    pub shape: Shape,
    /// Kendall's τ-b of value against severity, in the direction of "worse with severity": 1 is a
    /// steady fall.
    pub monotonicity: Reading,
}

/// One point of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// How hard.
    pub severity: Severity,
    /// What was read.
    #[serde(flatten)]
    pub quantity: Quantity,
}

/// What one step of a ladder takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drop {
    /// From this rung.
    pub from: Severity,
    /// To this one.
    pub to: Severity,
    /// How much worse, in points of the gauge.
    pub step: Quantity,
    /// The same per unit of severity.
    pub per_unit: Reading,
}

/// How a curve falls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One step takes more than half of the total drop.
    Cliff {
        /// From this rung.
        from: Severity,
        /// To this one.
        to: Severity,
        /// Its share of the total drop.
        share: f64,
        /// The interval of that share.
        interval: Result<Range, String>,
    },
    /// No step does.
    Graceful {
        /// The largest step's share of the total drop.
        largest_share: f64,
    },
    /// The total drop does not stand apart from zero.
    NoDrop,
    /// It cannot be said, and why.
    Undefined(String),
}
