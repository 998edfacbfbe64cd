//! Estimates: gauges at places, on slices, as paired differences; and levels to compare them with.

use duress_core::gauge::Detail;
use duress_core::name::Name;
use duress_core::place::Place;
use serde::{Deserialize, Serialize};

use crate::id::Id;
use crate::quantity::{Quantity, Reading};
use crate::variance::VariancePart;

/// A gauge at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Estimate {
    /// How it is quoted.
    pub id: Id,
    /// Where.
    pub place: Place,
    /// The gauge.
    pub gauge: String,
    /// The mean over replicates.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// Where its variance comes from, as far as the design tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variance: Vec<VariancePart>,
    /// The value of each seed.
    pub by_seed: Vec<(u64, Reading)>,
    /// What the number is made of, for every seed that has a detail.
    #[serde(default)]
    pub details: Vec<(u64, Detail)>,
}

impl Estimate {
    /// A gauge at a place, without what its seeds say.
    pub fn new(gauge: &str, place: Place, quantity: Quantity) -> Estimate {
        Estimate {
            id: Id::estimate(gauge, &place),
            place,
            gauge: gauge.into(),
            quantity,
            variance: Vec::new(),
            by_seed: Vec::new(),
            details: Vec::new(),
        }
    }

    /// What the number is made of, for the first seed that has a detail.
    pub fn detail(&self) -> Option<&Detail> {
        self.details.first().map(|(_, detail)| detail)
    }
}

/// A gauge at a place, on the items that have one value in one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Slice {
    /// How it is quoted.
    pub id: Id,
    /// Where.
    pub place: Place,
    /// The gauge.
    pub gauge: String,
    /// The column.
    pub column: String,
    /// The value of that column.
    pub slice: String,
    /// What is read there; its items are the slice's.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// Whether it is the worst of its column at this place.
    pub worst: bool,
}

impl Slice {
    /// A gauge at a place, where `column` is `slice`.
    pub fn new(
        gauge: &str,
        place: Place,
        (column, slice): (&str, &str),
        quantity: Quantity,
    ) -> Slice {
        Slice {
            id: Id::slice(gauge, &place, column, slice),
            place,
            gauge: gauge.into(),
            column: column.into(),
            slice: slice.into(),
            quantity,
            worst: false,
        }
    }
}

/// A paired difference: `of` minus `against`, on the same units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Contrast {
    /// How it is quoted.
    pub id: Id,
    /// The place whose value counts positive.
    pub of: Place,
    /// The place whose value counts negative.
    pub against: Place,
    /// The gauge.
    pub gauge: String,
    /// The difference.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// Where its variance comes from, as far as the design tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variance: Vec<VariancePart>,
}

impl Contrast {
    /// The difference of a gauge at two places.
    pub fn new(gauge: &str, of: Place, against: Place, quantity: Quantity) -> Contrast {
        Contrast {
            id: Id::contrast(gauge, &of, &against),
            of,
            against,
            gauge: gauge.into(),
            quantity,
            variance: Vec::new(),
        }
    }
}

/// A level to compare with: chance, a rule without learning. Computed here, so it counts as
/// measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// What it is called.
    pub name: String,
    /// The gauge it is a value of.
    pub gauge: String,
    /// The dataset it holds on; none: all.
    pub dataset: Option<Name>,
    /// The value.
    pub value: f64,
}

/// What somebody expected, or measured elsewhere. Never shown as if it were a measurement of this
/// study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// Where it should hold.
    pub place: Place,
    /// The gauge.
    pub gauge: String,
    /// The lower end of what is expected.
    pub low: f64,
    /// The upper end of what is expected.
    pub high: f64,
    /// Who expects it: a brief, a paper.
    pub source: String,
}
