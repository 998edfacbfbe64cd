//! How alike the maps of an image are before and under stress.
//!
//! # What it does
//! Takes the map of each item when nothing presses and its map under the stress, both of the same
//! class (what the subject says of the clean image, unless `towards` says otherwise), and measures
//! how alike the two are: `ssim`, `spearman`, `cosine`, `l2` or `top-k`. An item whose map is the
//! same everywhere, before or under stress, has no such number and does not take part;
//! `constant-maps` says how many those are.
//!
//! # Why it matters
//! An attack that leaves the answer may turn its explanation round; a reader who trusts the one
//! because of the other is misled.
//!
//! # Promise
//! Identical maps give 1 (`l2`: 0). `spearman` and `top-k` see the order of places only, so
//! they do not change with what keeps that order. Maps are kept in half precision beside their
//! largest value, eleven bits of it.
//!
//! Of a method that draws by chance (`smooth-grad`) the same maps with other draws are read beside it
//! (`redrawn = true`, by itself): what stress does is shown where it is more than that.
//!
//! # Example
//! ```toml
//! [gauge.map-ssim]
//! use = "explanation-stability"
//! attribution = "grad-cam"
//! measure = "ssim"
//! ```
//!
//! # Reference
//! Z. Wang et al., Image quality assessment, *IEEE Transactions on Image Processing* 13 (2004) 600–612
//! (windows of 11 × 11 with a normal weight of 1.5 pixels; maps from 0 to 1 each); A. Ghorbani, A.
//! Abid and J. Zou, Interpretation of neural networks is fragile, AAAI 2019 (rank correlation, top-k).

use std::sync::Arc;

use duress_core::explanation::MapMeasure;
use duress_core::floor::Floor;
use duress_core::gauge::{
    CellRead, Direction, Ends, Gauge, Mean, Meter, PairGauge, SHARE, SIGNED, Scale, Undefined,
};
use duress_core::part::{Build, Params, Part};
use duress_core::problem::Problem;
use duress_core::question::Question;

use crate::classify::frame::attribution_keys::{attribution, attribution_fields, map_question};
use crate::classify::frame::curve_gauge::CurveGauge;
use crate::classify::frame::explanation_scale::{explanation_scale, other_draws};
use crate::classify::frame::map_gauge::maps;
use crate::classify::frame::neighbours::{REDRAWN, redrawn};
use crate::shared::frame::map_likeness::{MEASURE, TOP, likeness, measure_in_words};

/// The part.
pub static PART: Part = Part {
    name: "explanation-stability",
    version: 1,
    fields: attribution_fields![MEASURE, TOP, REDRAWN],
    source: include_str!("explanation_stability.rs"),
    build: Build::Gauge(|params| match params.flag("redrawn") {
        true => Ok(Gauge::Cell(Box::new(other_draws_gauge(params)?))),
        false => Ok(Gauge::Pair(Box::new(ExplanationStability::new(params)?))),
    }),
};

struct ExplanationStability {
    scale: Scale,
    measure: MapMeasure,
    top: f64,
}

impl ExplanationStability {
    fn new(params: &Params) -> Result<ExplanationStability, Problem> {
        let (measure, top) = (params.choice("measure"), params.number("top"));
        Ok(ExplanationStability {
            scale: scale(map_question(params)?, measure, top),
            measure,
            top,
        })
    }
}

/// The same measure between the map and the same map with other draws, which needs no stress.
fn other_draws_gauge(params: &Params) -> Result<CurveGauge, Problem> {
    let (measure, top) = (params.choice("measure"), params.number("top"));
    let looks_at_top = measure == MapMeasure::TopK;
    let question = redrawn(
        attribution(params)?,
        measure,
        looks_at_top.then_some(top),
        1,
    )?;
    Ok(CurveGauge {
        scale: scale(question, measure, top),
        number: Box::new(|row| row[0]),
        axes: None,
    })
}

fn scale(question: Question, measure: MapMeasure, top: f64) -> Scale {
    let (direction, best) = match measure {
        MapMeasure::L2 => (Direction::Lower, 0.0),
        _ => (Direction::Higher, 1.0),
    };
    let ends: Ends = match measure {
        MapMeasure::TopK => SHARE,
        MapMeasure::L2 => (Some(0.0), Some(2.0)),
        MapMeasure::Ssim | MapMeasure::Spearman | MapMeasure::Cosine => SIGNED,
    };
    let convention = measure_in_words(measure, top);
    explanation_scale(question, direction, Some(best), ends, &convention)
}

impl PairGauge for ExplanationStability {
    fn scale(&self) -> Scale {
        self.scale.clone()
    }

    fn floors(&self) -> &'static [Floor] {
        other_draws(self.scale.reads)
    }

    fn open(
        &self,
        clean: CellRead<'_>,
        pressed: CellRead<'_>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let before = maps(clean.answers)?;
        let after = maps(pressed.answers)?;
        let size = [before.height(), before.width()];
        let mut why = None;
        let mut numbers = Vec::with_capacity(before.maps().len());
        for pair in before.maps().iter().zip(after.maps()) {
            let (Ok(before), Ok(after)) = pair else {
                numbers.push(None);
                continue;
            };
            let alike = likeness(
                self.measure,
                self.top,
                &before.values(),
                &after.values(),
                size,
            );
            numbers.push(alike.as_ref().ok().copied());
            why = why.or(alike.err());
        }
        match (numbers.iter().all(Option::is_none), why) {
            (false, _) => Ok(Arc::new(Mean::over(numbers))),
            (true, Some(why)) => Err(Undefined::new(format!(
                "no two maps can be compared: {why}"
            ))),
            (true, None) => Err(Undefined::new(
                "no item was explained before and under stress",
            )),
        }
    }
}
