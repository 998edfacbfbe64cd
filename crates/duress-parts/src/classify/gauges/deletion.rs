//! How much of the probability is left while the strongest pixels are taken away.
//!
//! # What it does
//! Takes pixels away in the order of a map, the strongest first, in `steps` equal shares, and puts
//! what `fill` says in their place; the area under the probability of the class, from the whole
//! image to nothing of it.
//!
//! # Why it matters
//! If a map is right, the answer goes as soon as the pixels go that it points at.
//!
//! # Promise
//! Lower is better, and depends on the subject as much as on the map: compare it with the same gauge
//! of a floor (`attribution = "centre-gaussian"`, `"edge-detector"`) and with the same `fill`. An
//! image with black patches is none that a subject has met; `fill = "noisy-linear"` is ROAD's answer
//! to that.
//!
//! # Example
//! ```toml
//! [gauge.deletion]
//! use = "deletion"
//! attribution = "grad-cam"
//! ```
//!
//! # Reference
//! V. Petsiuk, A. Das and K. Saenko, RISE, BMVC 2018; Y. Rong et al., A consistent and efficient
//! evaluation strategy for attribution methods, ICML 2022 (ROAD).

use duress_core::explanation::Erasure;
use duress_core::gauge::{Direction, Gauge};
use duress_core::part::{Build, Params, Part};
use duress_core::problem::Problem;
use duress_nn::attribution::measure;

use crate::classify::frame::attribution_keys::attribution_fields;
use crate::classify::frame::curve_gauge::CurveGauge;
use crate::classify::frame::erasure::{FILL, STEPS, erasure_gauge};
use crate::classify::frame::explanation_scale::{COMPAT, CompatTool, compat_scale};

/// The part.
pub static PART: Part = Part {
    name: "deletion",
    version: 1,
    fields: attribution_fields![STEPS, FILL, COMPAT],
    source: include_str!("deletion.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(gauge(params)?)))),
};

fn gauge(params: &Params) -> Result<CurveGauge, Problem> {
    let gauge = erasure_gauge(params, Erasure::Deletion, Direction::Lower)?;
    Ok(match params.choice_if("compat") {
        Some(CompatTool::Quantus) => {
            let most = params.count("steps") as f64 - 1.0;
            CurveGauge {
                scale: compat_scale(gauge.scale, None, (Some(0.0), Some(most)), AS_QUANTUS),
                number: Box::new(measure::quantus_pixel_flipping_area),
                ..gauge
            }
        }
        None => gauge,
    })
}

const AS_QUANTUS: &str = "as Quantus' PixelFlipping of grey images: trapezoids as wide as 1, without the point of the whole image";
