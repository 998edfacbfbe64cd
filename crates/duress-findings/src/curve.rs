//! Curves: a gauge over the severities of a ladder.

use duress_core::name::Name;
use duress_core::number;
use duress_core::severity::Severity;
use serde::{Deserialize, Serialize};

use crate::id::Id;
use crate::quantity::{Quantity, Range, Reading};
use crate::reason::AbsenceReason;
use crate::resampled::Resampled;
use crate::tagged::tagged;

tagged! {
    /// Why a curve has no break point.
    pub enum NoBreak {
        /// Every rung is known, no drop stands apart from zero, and one that matters would have.
        Nowhere = "nowhere" => "nowhere: no drop stands apart from zero";
        /// No drop stands apart from zero, but neither would one that matters have: n is too small.
        NotShown {
            /// The smallest drop at the hardest rung that would have stood apart; none where n shows
            /// nothing of any size.
            least: Option<f64>,
            /// What n counts.
            unit: Resampled,
        } = "not-shown" => "not shown ({unit}): {}", out_of_reach(*least);
        /// The hardest rung is better than clean, and the interval of that excludes zero.
        Improves = "improves" => "nowhere: it is better at the hardest than when clean";
        /// Neither way is better.
        NeitherIsBetter = "neither-is-better" => "neither way is better";
        /// The values are differences from clean, which is not among them.
        AlreadyAgainstClean = "already-against-clean" => "every value is already against clean";
        /// It cannot be said, since it is not known whether this rung is worse than clean.
        Unknown {
            /// The mildest rung of which that is not known.
            at: Severity,
            /// Why it is not.
            why: AbsenceReason,
        } = "unknown" => "unknown: at {at}, {why}";
    }
}

/// What n could not have shown, in words.
fn out_of_reach(least: Option<f64>) -> String {
    match least {
        Some(least) => format!("no drop below {} could be", number::short(least)),
        None => "no drop of any size could be".into(),
    }
}

/// A gauge over the severities of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Curve {
    /// How it is quoted.
    pub id: Id,
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
    /// The mildest severity reached when drops against clean are tested from the hardest down, or
    /// why there is none.
    pub break_point: Result<Severity, NoBreak>,
    /// Whether one step is far steeper than the rest.
    pub shape: Shape,
    /// Kendall's τ-b of value against severity, in the direction of "worse with severity": 1 is a
    /// steady fall.
    pub monotonicity: Reading,
}

impl Curve {
    /// A curve without points, of which nothing can be said yet.
    pub fn new(gauge: &str, subject: &Name, dataset: &Name, ladder: &Name) -> Curve {
        let nothing = AbsenceReason::NothingToRead;
        Curve {
            id: Id::curve(gauge, subject, dataset, ladder),
            subject: subject.clone(),
            dataset: dataset.clone(),
            ladder: ladder.clone(),
            gauge: gauge.into(),
            points: Vec::new(),
            area: Quantity::absent(nothing.clone()),
            drops: Vec::new(),
            break_point: Err(NoBreak::Nowhere),
            shape: Shape::Undefined(nothing.clone()),
            monotonicity: Reading::Undefined(nothing),
        }
    }
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
#[non_exhaustive]
pub enum Shape {
    /// One step is shown to fall, and to be steeper than the rest together by more than the factor.
    Cliff {
        /// From this rung.
        from: Severity,
        /// To this one.
        to: Severity,
        /// Its share of the total drop.
        share: f64,
        /// The interval of that share.
        interval: Result<Range, AbsenceReason>,
    },
    /// A fall is shown, and every step is shown not to be that steep.
    Graceful {
        /// The largest step's share of the total drop.
        largest_share: f64,
    },
    /// The total drop does not stand apart from zero, and one that matters would have.
    NoDrop,
    /// The total drop does not stand apart from zero, but neither would one that matters have.
    DropNotShown {
        /// The smallest drop that would have stood apart; none where n shows nothing of any size.
        least: Option<f64>,
        /// What n counts.
        unit: Resampled,
    },
    /// A fall is shown, and neither of the two.
    NotShown,
    /// It cannot be said, and why.
    Undefined(AbsenceReason),
}
