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

/// The key `redrawn`.
pub(crate) const REDRAWN: Field = Field {
    name: "redrawn",
    takes: Takes::Flag,
    doc: "of a method that draws by chance: compares with the same map drawn anew instead, which is the floor of noise",
    default: Some("false"),
};

/// The question how alike a map is to the same map with other draws.
pub(crate) fn redrawn(
    of: Attribution,
    measure: MapMeasure,
    top: Option<f64>,
    draws: usize,
) -> Result<Question, Problem> {
    if !of.method.draws() {
        let wrong = format!("`redrawn`, and `{}` draws nothing by chance", of.method);
        return Err(Problem::new(wrong).expected("a method that does: `smooth-grad`"));
    }
    Ok(Question::explanation(Explanation::Redrawn {
        of,
        measure,
        top: top.map(severity).transpose()?,
        draws: draws as u32,
    }))
}

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
