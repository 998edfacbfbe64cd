//! What gauges of selective prediction share: their keys, what is accepted, and the curve over
//! thresholds.

use std::sync::Arc;

use duress_core::explanation::{Attribution, AttributionMethod, MapMeasure};
use duress_core::gauge::{
    Accepted, CellGauge, CellRead, Detail, Direction, Ends, Gated, Gauge, Meter, Scale, Undefined,
    Unit,
};
use duress_core::part::{Field, Params, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::word::Word;
use duress_stats::statistic::{AcceptanceRule, Selective, SelectiveMeasure, Statistic};

use crate::classify::frame::attribution_keys::{item_count, with_usual_keys};
use crate::classify::frame::confidence::{
    CONFIDENCE, ConfidenceKind, Sureness, TEMPERATURE, sureness,
};
use crate::classify::frame::neighbours::steadiness;

/// The keys of a gauge at a threshold.
pub(crate) static FIELDS: [Field; 10] = [
    THRESHOLD,
    COVERAGE,
    CONFIDENCE,
    TEMPERATURE,
    STABILITY,
    STABILITY_THRESHOLD,
    STEADINESS,
    STEADINESS_RADIUS,
    STEADINESS_DRAWS,
    STEADINESS_ITEMS,
];

const THRESHOLD: Field = Field {
    name: "threshold",
    takes: Takes::Number(-f64::MAX, f64::MAX),
    doc: "what has a higher confidence than this is accepted; not used when `coverage` is set",
    default: Some("0.8"),
};

const COVERAGE: Field = Field {
    name: "coverage",
    takes: Takes::Number(1e-6, 1.0),
    doc: "accept at least this share of the items, the surest; the threshold follows from it",
    default: Some(""),
};

const STABILITY: Field = Field {
    name: "stability",
    takes: Takes::Text,
    doc: "accept only what also has enough of this score, one of the `scores` of recorded answers",
    default: Some(""),
};

const STABILITY_THRESHOLD: Field = Field {
    name: "stability-threshold",
    takes: Takes::Number(-f64::MAX, f64::MAX),
    doc: "how much of it is not enough: more than this is accepted",
    default: Some("0.75"),
};

pub(crate) const STEADINESS: Field = Field {
    name: "steadiness",
    takes: Takes::Choice(AttributionMethod::spellings),
    doc: "accept only what also has an explanation by this method that hardly changes in SSIM from one neighbour of the image to the next (`explanation-steadiness`); `stability-threshold` says how much that is",
    default: Some(""),
};

pub(crate) const STEADINESS_RADIUS: Field = Field {
    name: "steadiness-radius",
    takes: Takes::Number(1e-9, 1.0),
    doc: "with `steadiness`: how far a pixel of a neighbour may be away, in pixel units",
    default: Some("4/255"),
};

pub(crate) const STEADINESS_DRAWS: Field = Field {
    name: "steadiness-draws",
    takes: Takes::Whole(1, 10_000),
    doc: "with `steadiness`: how many neighbours are looked at",
    default: Some("8"),
};

pub(crate) const STEADINESS_ITEMS: Field = Field {
    name: "steadiness-items",
    takes: Takes::Whole(0, i64::MAX),
    doc: "with `steadiness`: how many items take part, evenly spread over the split; 0 for all",
    default: Some("0"),
};

/// What the score is called that `steadiness` asks for.
pub(crate) const STEADY: &str = "steadiness";

/// The question for how steady the explanations are that the keys name.
pub(crate) fn steadiness_question(params: &Params) -> Result<Option<Question>, Problem> {
    let Some(method) = params.choice_if("steadiness") else {
        return Ok(None);
    };
    let of = Attribution {
        items: item_count(params, "steadiness-items"),
        ..Attribution::new(method)
    };
    let of = with_usual_keys(of)?;
    let draws = params.count("steadiness-draws");
    let radius = params.number("steadiness-radius");
    steadiness(of, MapMeasure::Ssim, draws, radius).map(Some)
}

/// A gauge of what is accepted at a threshold.
pub(crate) struct SelectiveGauge {
    /// What it reads, in words.
    what: &'static str,
    read: SelectiveMeasure,
    direction: Direction,
    best: Option<f64>,
    ends: Ends,
    gate: AcceptanceRule,
    kind: ConfidenceKind,
    /// The score that must be above a threshold too.
    stable: Option<(String, f64)>,
    /// The question whose answers are that score, where it is not kept beside the answers.
    steady: Option<Question>,
}

impl SelectiveGauge {
    /// The gauge that reads `what` where the keys say, with its best value and its ends.
    pub(crate) fn gauge(
        params: &Params,
        what: &'static str,
        read: SelectiveMeasure,
        direction: Direction,
        (best, ends): (Option<f64>, Ends),
    ) -> Result<Gauge, Problem> {
        let steady = steadiness_question(params)?;
        let stability = match (params.text_if("stability"), steady) {
            (Some(_), Some(_)) => {
                let wrong = "`stability` and `steadiness` both name a score";
                return Err(Problem::new(wrong).expected("one of the two"));
            }
            (named, None) => named,
            (None, Some(_)) => Some(STEADY),
        };
        let gate = match params.number_if("coverage") {
            Some(_) if stability.is_some() => {
                return Err(Problem::new("`coverage` and `stability` both say what is accepted").expected(
                    "`threshold` beside `stability`: a share can be reached with many pairs of thresholds",
                ));
            }
            Some(share) => AcceptanceRule::Covering(share),
            None => AcceptanceRule::Above(params.number("threshold")),
        };
        let stable = stability.map(|name| (name.to_string(), params.number("stability-threshold")));
        let kind = ConfidenceKind::from_params(params);
        Ok(Gauge::Cell(Box::new(SelectiveGauge {
            what,
            read,
            direction,
            best,
            ends,
            gate,
            kind,
            stable,
            steady,
        })))
    }

    /// What is accepted over thresholds: fifty from 0.50 to 0.99, or ten of the confidence with ten
    /// of the other score.
    fn thresholds(&self, read: CellRead<'_>) -> Option<Detail> {
        let sure = sureness(read, self.kind).ok()?;
        let Some((name, _)) = &self.stable else {
            let at = |k: u32| accepted(&sure, f64::from(50 + k) / 100.0, |_| true);
            return Some(Detail::Thresholds((0..50).filter_map(at).collect()));
        };
        let score = sure.score(name).ok()?;
        let step = |k: u32| f64::from(50 + 5 * k) / 100.0;
        let pairs = (0..10).flat_map(|row| (0..10).map(move |column| (step(row), step(column))));
        let gated = |(above, threshold): (f64, f64)| {
            Some(Gated {
                above,
                accepted: accepted(&sure, threshold, |i| score[i] > above)?,
            })
        };
        Some(Detail::Gates {
            score: name.clone(),
            points: pairs.filter_map(gated).collect(),
        })
    }
}

impl CellGauge for SelectiveGauge {
    fn scale(&self) -> Scale {
        let gate = match (self.gate, &self.stable) {
            (AcceptanceRule::Above(threshold), None) => {
                format!("accepted where confidence > {threshold}")
            }
            (AcceptanceRule::Above(threshold), Some((name, above))) => {
                format!("accepted where confidence > {threshold} and {name} > {above}")
            }
            (AcceptanceRule::Covering(share), _) => {
                format!("accepted the surest, at least {share} of all, equal confidences together")
            }
        };
        Scale {
            reads: Question::Classes,
            direction: self.direction,
            best: self.best,
            ends: self.ends,
            unit: Unit::Items,
            convention: format!("{}; {gate}; {}", self.what, self.kind.in_words()),
            compat: false,
        }
    }

    fn needs(&self) -> Option<&str> {
        self.stable.as_ref().map(|(name, _)| name.as_str())
    }

    fn score_from(&self) -> Option<Question> {
        self.steady
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let sure = sureness(read, self.kind)?;
        let selective = match (&self.stable, self.gate) {
            (Some((name, above)), AcceptanceRule::Above(threshold)) => {
                let score = sure.score(name)?;
                Selective::accepting(&sure.of, threshold, |i| score[i] > *above, self.read)
            }
            _ => Selective::from_confidences(&sure.of, self.gate, self.read),
        };
        sure.meter(selective)
    }

    /// One gauge shows all thresholds, so that the others need not show them again.
    fn detail(&self, read: CellRead<'_>) -> Option<Detail> {
        (self.read == SelectiveMeasure::Accuracy)
            .then(|| self.thresholds(read))
            .flatten()
    }
}

fn accepted(sure: &Sureness<'_>, threshold: f64, also: impl Fn(usize) -> bool) -> Option<Accepted> {
    let sorted =
        Selective::accepting(&sure.of, threshold, also, SelectiveMeasure::Coverage).ok()?;
    let sorted = sorted.sorted(&vec![1; sorted.units()]);
    let read = |what| sorted.measure(what).ok();
    Some(Accepted {
        threshold,
        coverage: read(SelectiveMeasure::Coverage)?,
        accuracy: read(SelectiveMeasure::Accuracy),
    })
}
