//! What gauges that look at images around an image share: their keys, and what is asked.

use duress_core::explanation::{Attribution, Explanation, MapMeasure};
use duress_core::part::{Field, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;

use super::attribution_keys::severity;

/// The key `draws`.
pub(crate) const DRAWS: Field = Field {
    name: "draws",
    takes: Takes::Whole(1, 10_000),
    doc: "how many neighbours of an image are looked at",
    default: Some("8"),
};

/// The key `radius`.
pub(crate) const RADIUS: Field = Field {
    name: "radius",
    takes: Takes::Number(1e-9, 1.0),
    doc: "how far a pixel of a neighbour may be away, in pixel units",
    default: Some("4/255"),
};

/// The question how alike a map is to those of its neighbours.
pub(crate) fn steadiness(
    of: Attribution,
    measure: MapMeasure,
    draws: usize,
    radius: f64,
) -> Result<Question, Problem> {
    Ok(Question::explanation(Explanation::Steadiness {
        of,
        measure: likeness(measure)?,
        draws: draws as u32,
        radius: severity(radius)?,
    }))
}

/// A measure that is higher where maps are more alike.
pub(crate) fn likeness(measure: MapMeasure) -> Result<MapMeasure, Problem> {
    match measure {
        MapMeasure::L2 => Err(Problem::new("`measure = \"l2\"` is a distance")
            .expected("a likeness: `ssim`, `spearman`, `cosine` or `top-k`")),
        likeness => Ok(likeness),
    }
}
