//! What `deletion` and `insertion` share: their keys, and the area under a curve.

use duress_core::explanation::{Erasure, Explanation, Fill};
use duress_core::gauge::{Direction, SHARE};
use duress_core::part::{Field, Params, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::word::Word;

use super::attribution_keys::attribution;
use super::curve_gauge::CurveGauge;

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
        question,
        direction,
        best: None,
        ends: SHARE,
        convention:
            "area under the probability of the class, trapezoids over equal shares of the pixels"
                .into(),
        number: Box::new(area),
        axes: Some(match erasure {
            Erasure::Deletion => ("share of pixels taken away", "probability"),
            Erasure::Insertion => ("share of pixels put back", "probability"),
        }),
    })
}

fn area(row: &[f64]) -> f64 {
    let trapezoids = row.windows(2).map(|ends| 0.5 * (ends[0] + ends[1]));
    trapezoids.sum::<f64>() / (row.len().max(2) - 1) as f64
}
