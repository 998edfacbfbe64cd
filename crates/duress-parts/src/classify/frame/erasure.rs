//! What `deletion` and `insertion` share: their keys, and the area under a curve.

use duress_core::explanation::{Erasure, Explanation, Fill};
use duress_core::gauge::{Direction, SHARE};
use duress_core::part::{Field, Params, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::word::Word;
use duress_nn::attribution::area;

use super::attribution_keys::attribution;
use super::curve_gauge::CurveGauge;
use super::explanation_scale::explanation_scale;

/// The key `steps`.
pub(crate) const STEPS: Field = Field {
    name: "steps",
    takes: Takes::Whole(1, 1000),
    doc: "in how many equal shares pixels are taken",
    default: Some("50"),
};

/// The key `fill`.
pub(crate) const FILL: Field = Field {
    name: "fill",
    takes: Takes::Choice(Fill::spellings),
    doc: "what stands where a pixel is not",
    default: Some("black"),
};

const AREA: &str =
    "area under the probability of the class, trapezoids over equal shares of the pixels";

/// The area under the probability while pixels go, or come back.
pub(crate) fn erasure_gauge(
    params: &Params,
    erasure: Erasure,
    direction: Direction,
) -> Result<CurveGauge, Problem> {
    let fill: Fill = params.choice("fill");
    let steps = params.count("steps") as u32;
    let question = Question::explanation(Explanation::Curve {
        of: attribution(params)?,
        erasure,
        fill,
        steps,
    });
    Ok(CurveGauge {
        scale: explanation_scale(question, direction, None, SHARE, AREA),
        number: Box::new(area),
        axes: Some(match erasure {
            Erasure::Deletion => ("share of pixels taken away", "probability"),
            Erasure::Insertion => ("share of pixels put back", "probability"),
        }),
    })
}
