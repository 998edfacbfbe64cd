//! Curves: a gauge over the severities of a ladder.

use std::fmt;

use duress_core::name::Name;
use duress_core::severity::Severity;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::quantity::{Quantity, Range, Reading};

/// Why a curve has no break point. In a file it is its sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum NoBreak {
    /// Every rung is known, and the drop at the hardest is not shown.
    Nowhere,
    /// The hardest rung is better than clean, and the interval of that excludes zero.
    Improves,
    /// Neither way is better.
    NeitherIsBetter,
    /// It cannot be said, and why.
    Unknown(String),
}

impl NoBreak {
    /// Reads what `Display` wrote.
    pub fn read(words: &str) -> NoBreak {
        [
            NoBreak::Nowhere,
            NoBreak::Improves,
            NoBreak::NeitherIsBetter,
        ]
        .into_iter()
        .find(|one| one.to_string() == words)
        .unwrap_or_else(|| NoBreak::Unknown(words.into()))
    }
}

impl fmt::Display for NoBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoBreak::Nowhere => "nowhere: no drop stands apart from zero",
            NoBreak::Improves => "nowhere: it is better at the hardest than when clean",
            NoBreak::NeitherIsBetter => "neither way is better",
            NoBreak::Unknown(why) => why,
        })
    }
}

impl Serialize for NoBreak {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for NoBreak {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NoBreak, D::Error> {
        String::deserialize(deserializer).map(|words| NoBreak::read(&words))
    }
}

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
    /// The mildest severity reached when drops against clean are tested from the hardest down, or
    /// why there is none.
    pub break_point: Result<Severity, NoBreak>,
    /// Whether one step is far steeper than the rest.
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
    /// One step is shown to fall, and to be steeper than the rest together by more than the factor.
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
    /// A fall is shown, and every step is shown not to be that steep.
    Graceful {
        /// The largest step's share of the total drop.
        largest_share: f64,
    },
    /// The total drop does not stand apart from zero.
    NoDrop,
    /// A fall is shown, and neither of the two.
    NotShown,
    /// It cannot be said, and why.
    Undefined(String),
}
