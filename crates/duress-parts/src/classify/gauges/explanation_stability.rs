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
use duress_core::gauge::{
    CellRead, Direction, Ends, Gauge, Mean, Meter, PairGauge, SHARE, SIGNED, Scale, Undefined, Unit,
};
use duress_core::part::{Build, Params, Part};
use duress_core::problem::Problem;
use duress_core::question::Question;

use crate::classify::frame::attribution_keys::{attribution_fields, map_question};
use crate::classify::frame::map_gauge::maps;
use crate::shared::frame::map_likeness::{MEASURE, TOP, likeness, measure_in_words};

/// The part.
pub static PART: Part = Part {
    name: "explanation-stability",
    version: 1,
    fields: attribution_fields![MEASURE, TOP],
    source: include_str!("explanation_stability.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Pair(Box::new(ExplanationStability::new(params)?)))),
};

struct ExplanationStability {
    question: Question,
    measure: MapMeasure,
    top: f64,
}

impl ExplanationStability {
    fn new(params: &Params) -> Result<ExplanationStability, Problem> {
        Ok(ExplanationStability {
            question: map_question(params)?,
            measure: params.choice("measure"),
            top: params.number("top"),
        })
    }

    fn ends(&self) -> Ends {
        match self.measure {
            MapMeasure::TopK => SHARE,
            MapMeasure::L2 => (Some(0.0), Some(2.0)),
            MapMeasure::Ssim | MapMeasure::Spearman | MapMeasure::Cosine => SIGNED,
        }
    }
}

impl PairGauge for ExplanationStability {
    fn scale(&self) -> Scale {
        let is_distance = self.measure == MapMeasure::L2;
        Scale {
            reads: self.question,
            direction: match is_distance {
                true => Direction::Lower,
                false => Direction::Higher,
            },
            best: Some(if is_distance { 0.0 } else { 1.0 }),
            ends: self.ends(),
            unit: Unit::Items,
            convention: format!(
                "{}; {}",
                measure_in_words(self.measure, self.top),
                self.question
            ),
            compat: false,
        }
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
