//! How alike a map stays when the network forgets everything.
//!
//! # What it does
//! Draws the last layer of the network anew, then the last two, and so on to all of them, makes the
//! map of the same class each time, and measures how alike it is to the map of the network as it is.
//! The reading is the likeness with all layers drawn anew, without its sign; the curve shows the
//! way there.
//!
//! # Why it matters
//! A map that stays is made from the image, not from what the network learnt: an edge detector. It
//! explains nothing, however well it scores elsewhere.
//!
//! # Promise
//! Lower is better, 0 is best. Where the mean is above a half the report doubts the explanation
//! itself. Only networks of ours can be asked: what is drawn anew has to be known. A map that is the
//! same everywhere does not take part; one that becomes so counts as not alike.
//!
//! # Example
//! ```toml
//! [gauge.survives-randomisation]
//! use = "survives-randomisation"
//! attribution = "integrated-gradients"
//! ```
//!
//! # Reference
//! J. Adebayo et al., Sanity checks for saliency maps, NeurIPS 2018.

use std::sync::Arc;

use duress_core::explanation::Explanation;
use duress_core::gauge::{
    CellGauge, CellRead, Detail, Direction, Gauge, Meter, SHARE, Scale, Undefined,
};
use duress_core::part::{Build, Params, Part};
use duress_core::problem::Problem;
use duress_core::question::Question;

use crate::classify::frame::attribution_keys::{attribution, attribution_fields};
use crate::classify::frame::curve_gauge::CurveGauge;
use crate::classify::frame::explanation_scale::explanation_scale;
use crate::classify::frame::neighbours::likeness;
use crate::shared::frame::map_likeness::MEASURE;

/// The part.
pub static PART: Part = Part {
    name: "survives-randomisation",
    version: 1,
    fields: attribution_fields![MEASURE],
    source: include_str!("survives_randomisation.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(gauge(params)?)))),
};

/// Above what likeness a map is doubted: it then has more in common with that of a network which
/// learnt nothing than not.
const DOUBTED: f64 = 0.5;

/// The likeness, and what follows from a high one.
struct SurvivesRandomisation(CurveGauge);

impl CellGauge for SurvivesRandomisation {
    fn scale(&self) -> Scale {
        self.0.scale()
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        self.0.open(read)
    }

    fn doubts_above(&self) -> Option<f64> {
        Some(DOUBTED)
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        self.0.detail(read)
    }
}

fn gauge(params: &Params) -> Result<SurvivesRandomisation, Problem> {
    let question = Question::explanation(Explanation::Randomised {
        of: attribution(params)?,
        measure: likeness(params.choice("measure"))?,
    });
    Ok(SurvivesRandomisation(CurveGauge {
        scale: explanation_scale(
            question,
            Direction::Lower,
            Some(0.0),
            SHARE,
            "likeness, without its sign, to the map of the network with all layers drawn anew",
        ),
        number: Box::new(|row| row.last().map_or(0.0, |alike| alike.abs().min(1.0))),
        axes: Some(("share of layers drawn anew", "likeness")),
    }))
}
