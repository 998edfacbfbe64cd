//! How often an answer rises along a concept.
//!
//! # What it does
//! Draws images that show a `concept` (`ink-marks`, `hair`, `bubbles`, `ruler-marks`,
//! `dark-corners`, and `asymmetry`, `border-irregularity`, `colour-variation`) and `sets` sets of
//! images that do not, finds in a `layer` of the network the direction that tells the concept from
//! each set, and takes the slope of the logit of each item along it. The reading is the share of
//! slopes above zero, over items and sets.
//!
//! # Why it matters
//! It says in the words of a physician what a network goes by: answers should not rise with a ruler
//! beside the lesion.
//!
//! # Promise
//! One half is what a direction without meaning gives on average; neither way is better in itself. A
//! direction that tells fewer than `least-accuracy` of the images held out is none of the concept
//! and is left out; where more than half are, there is no reading. What is read is made of the score
//! against each set, of the scores along directions that tell one set from another, and of the
//! two-sided p of Welch's t-test between the two. Only networks of ours can be asked. Behind the last
//! joining of places the slope is the same for all items of a class, so the layer before is taken
//! unless named. Artefacts and traits are drawings of skin lesions: for other images they mean
//! nothing.
//!
//! # Example
//! ```toml
//! [gauge.tcav-ruler]
//! use = "tcav"
//! concept = "ruler-marks"
//! ```
//!
//! # Reference
//! B. Kim et al., Interpretability beyond feature attribution: quantitative testing with concept
//! activation vectors (TCAV), ICML 2018; directions in the means of channels rather than in all
//! values, since drawn concepts lie anywhere.

use std::sync::Arc;

use duress_core::answer::CurveAnswers;
use duress_core::explanation::Explanation;
use duress_core::gauge::{
    CellGauge, CellRead, Detail, Direction, Gauge, Group, Mean, Meter, SHARE, Scale, Undefined,
    Unit,
};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::question::Question;
use duress_core::word::Word;
use duress_nn::lesion::concept::Concept;
use duress_stats::Side;
use duress_stats::tests::welch_t;

use crate::classify::frame::attribution_keys::{ITEMS, LAYER, TOWARDS, item_count, towards};
use crate::classify::frame::curve_gauge::curves;
use crate::shared::frame::concept_direction::ConceptPoint;

/// The part.
pub static PART: Part = Part {
    name: "tcav",
    version: 1,
    fields: &[
        Field {
            name: "concept",
            takes: Takes::Choice(Concept::spellings),
            doc: "what the answers may rise along",
            default: None,
        },
        Field {
            name: "sets",
            takes: Takes::Whole(1, 1000),
            doc: "how many sets of images without it a concept is found against",
            default: Some("10"),
        },
        Field {
            name: "images",
            takes: Takes::Whole(6, 10_000),
            doc: "how many images show the concept, and how many each set has",
            default: Some("50"),
        },
        Field {
            name: "least-accuracy",
            takes: Takes::Number(0.0, 1.0),
            doc: "the share of images held out that a direction has to tell right",
            default: Some("0.7"),
        },
        TOWARDS,
        LAYER,
        ITEMS,
    ],
    source: include_str!("tcav.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(Tcav::new(params))))),
};

struct Tcav {
    question: Question,
    least_accuracy: f64,
}

impl Tcav {
    fn new(params: &Params) -> Tcav {
        let question = Question::explanation(Explanation::Concept {
            concept: params.choice::<Concept>("concept").to_string(),
            towards: towards(params),
            layer: params.text_if("layer").map(String::from),
            sets: params.count("sets") as u32,
            images: params.count("images") as u32,
            items: item_count(params, "items"),
        });
        Tcav {
            question,
            least_accuracy: params.number("least-accuracy"),
        }
    }

    /// The points with the slopes along directions that tell the concept.
    fn telling(&self, curves: &CurveAnswers) -> Result<Vec<usize>, Undefined> {
        let slopes = ConceptPoint::Slope.positions(curves.points());
        let accuracies = ConceptPoint::Accuracy.positions(curves.points());
        let explained = curves.rows().iter().flatten().next();
        let row = explained.ok_or_else(|| Undefined::new("no item was explained"))?;
        let both = slopes.iter().zip(accuracies);
        let telling = both.filter(|(_, accuracy)| row[*accuracy] >= self.least_accuracy);
        let telling: Vec<usize> = telling.map(|(slope, _)| *slope).collect();
        match 2 * telling.len() < slopes.len() || telling.is_empty() {
            true => Err(Undefined::new(format!(
                "only {} of {} directions tell the concept in {} of the images held out",
                telling.len(),
                slopes.len(),
                self.least_accuracy
            ))),
            false => Ok(telling),
        }
    }
}

impl CellGauge for Tcav {
    fn scale(&self) -> Scale {
        Scale {
            reads: self.question,
            direction: Direction::Neither,
            best: None,
            ends: SHARE,
            unit: Unit::Items,
            convention: format!(
                "share of slopes above zero, mean over sets whose direction tells at least {} of the images held out; {}",
                self.least_accuracy, self.question
            ),
            compat: false,
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let curves = curves(read.answers)?;
        let telling = self.telling(curves)?;
        let share = |row: &Vec<f64>| {
            let rising = telling.iter().filter(|at| row[**at] > 0.0).count();
            rising as f64 / telling.len() as f64
        };
        let shares = curves.rows().iter();
        let shares = shares.map(|row| row.as_ref().ok().map(share));
        Ok(Arc::new(Mean::over(shares.collect())))
    }

    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        let curves = curves(read.answers).ok()?;
        let rows: Vec<&Vec<f64>> = curves.rows().iter().flatten().collect();
        let score = |at: &usize| {
            let rising = rows.iter().filter(|row| row[*at] > 0.0).count();
            rising as f64 / rows.len() as f64
        };
        let concept: Vec<f64> = self.telling(curves).ok()?.iter().map(score).collect();
        let random = ConceptPoint::RandomSlope.positions(curves.points());
        let random: Vec<f64> = random.iter().map(score).collect();
        let p = welch_t(&concept, &random, Side::TwoSided, 0.95)
            .map(|test| test.p)
            .map_err(|why| Undefined::new(why.to_string()));
        let group = |name: String, n: usize, value| Group { name, n, value };
        let numbered = |what: &'static str, scores: Vec<f64>| {
            let each = scores.into_iter().enumerate();
            each.map(move |(nth, score)| (format!("{what} {nth}"), score))
        };
        let scores = numbered("against set", concept).chain(numbered("random direction", random));
        let scores = scores.map(|(name, score)| group(name, rows.len(), Ok(score)));
        let test = group(
            "two-sided p against random directions".into(),
            rows.len(),
            p,
        );
        Some(Detail::Groups(scores.chain([test]).collect()))
    }
}
