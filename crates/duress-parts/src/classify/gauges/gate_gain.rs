//! How much more of the accepted answers is right where a steady explanation is asked for too.
//!
//! # What it does
//! Accepts what is confident *and* has a steady explanation (`steadiness`, by which method), with two
//! thresholds that are chosen on answers about other items (`chosen-on`): of all pairs that accept
//! at least `coverage` of those items, the pair under which most of what is accepted is right. The
//! grid has the threshold of steadiness at every twentieth of the items, down to one that asks for
//! nothing, and for each the highest threshold of confidence that leaves enough. On the items that are
//! read, the share that is right of what this gate accepts, minus that of as many of the surest.
//!
//! # Why it matters
//! Whether an explanation helps to refuse answers is a question about items that nothing was chosen
//! on, at equal coverage: a gate that only refuses more looks better for free.
//!
//! # Promise
//! Higher is better. 0 means that confidence alone does as well. Where the gate accepts nothing there
//! is no reading.
//!
//! # Example
//! ```toml
//! [gauge.gate-gain]
//! use = "gate-gain"
//! steadiness = "grad-cam"
//! coverage = 0.8
//! chosen-on = "validation" # a dataset of this study
//! ```
//!
//! # Reference
//! Y. Geifman and R. El-Yaniv, Selective classification for deep neural networks, NeurIPS 2017 (a
//! threshold chosen on other items).

use std::sync::Arc;

use duress_core::gauge::{
    CellGauge, CellRead, Direction, Gauge, Meter, SIGNED, Scale, Undefined, Unit,
};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_stats::UndefinedReason;
use duress_stats::statistic::Statistic;

use crate::classify::frame::confidence::{CONFIDENCE, ConfidenceKind, TEMPERATURE, sureness};
use crate::classify::frame::selective_prediction::{
    STEADINESS, STEADINESS_DRAWS, STEADINESS_ITEMS, STEADINESS_RADIUS, STEADY, steadiness_question,
};

/// The part.
pub static PART: Part = Part {
    name: "gate-gain",
    version: 1,
    fields: &[
        Field {
            name: "coverage",
            takes: Takes::Number(1e-6, 1.0),
            doc: "the share of the items chosen on that has to be accepted, at least",
            default: Some("0.8"),
        },
        CONFIDENCE,
        TEMPERATURE,
        Field {
            default: Some("grad-cam"),
            ..STEADINESS
        },
        STEADINESS_RADIUS,
        STEADINESS_DRAWS,
        STEADINESS_ITEMS,
    ],
    source: include_str!("gate_gain.rs"),
    build: Build::Gauge(|params| Ok(Gauge::Cell(Box::new(GateGain::new(params)?)))),
};

/// Into how many parts the items are divided by thresholds of steadiness.
const GRID: usize = 20;

struct GateGain {
    coverage: f64,
    kind: ConfidenceKind,
    steady: Question,
}

/// Confidence and steadiness of an answer, and whether it is right.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GatedAnswer {
    confidence: f64,
    steadiness: f64,
    right: bool,
}

/// Two thresholds; what is above both is accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AcceptanceGate {
    confidence: f64,
    steadiness: f64,
}

impl GateGain {
    fn new(params: &Params) -> Result<GateGain, Problem> {
        let steady = steadiness_question(params)?;
        let steady = steady.unwrap_or_else(|| unreachable!("the key has a default"));
        Ok(GateGain {
            coverage: params.number("coverage"),
            kind: ConfidenceKind::from_params(params),
            steady,
        })
    }

    fn answers(&self, read: CellRead<'_>) -> Result<Vec<GatedAnswer>, Undefined> {
        let sure = sureness(read, self.kind)?;
        let steadiness = sure.score(STEADY)?;
        let both = sure.of.values().iter().zip(sure.of.right());
        let answer = |((confidence, right), steadiness): ((&f64, &bool), f64)| GatedAnswer {
            confidence: *confidence,
            steadiness,
            right: *right,
        };
        Ok(both.zip(steadiness).map(answer).collect())
    }
}

impl CellGauge for GateGain {
    fn scale(&self) -> Scale {
        Scale {
            reads: Question::Classes,
            direction: Direction::Higher,
            best: None,
            ends: SIGNED,
            unit: Unit::Items,
            convention: format!(
                "share right of what is confident and steady minus that of as many of the surest; \
                 thresholds of at least {} coverage chosen on other items; {}; {}",
                self.coverage,
                self.kind.in_words(),
                self.steady
            ),
            compat: false,
        }
    }

    fn needs(&self) -> Option<&str> {
        Some(STEADY)
    }

    fn score_from(&self) -> Option<Question> {
        Some(self.steady)
    }

    fn chooses(&self) -> bool {
        true
    }

    fn open(&self, _read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        Err(Undefined::new(
            "its thresholds are chosen on other items: `chosen-on` names a dataset",
        ))
    }

    fn open_chosen(
        &self,
        read: CellRead<'_>,
        others: CellRead<'_>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let gate = chosen_gate(&self.answers(others)?, self.coverage)
            .ok_or_else(|| Undefined::new("there is no item to choose thresholds on"))?;
        let answers = self.answers(read)?;
        let gain = PairedGate::new(answers, gate);
        sureness(read, self.kind)?.meter(Ok(gain))
    }
}

/// Of all pairs of thresholds that accept enough, that under which most is right; of equal ones that
/// which asks for less steadiness.
fn chosen_gate(answers: &[GatedAnswer], coverage: f64) -> Option<AcceptanceGate> {
    let mut steadiness: Vec<f64> = answers.iter().map(|one| one.steadiness).collect();
    steadiness.sort_by(f64::total_cmp);
    let needed = (coverage * answers.len() as f64).ceil() as usize;
    let at = |part: usize| match part * answers.len() / GRID {
        0 => f64::NEG_INFINITY,
        below => steadiness[below - 1],
    };
    let gates = (0..GRID).filter_map(|part| {
        let steady = at(part);
        let steady_ones = answers.iter().filter(|one| one.steadiness > steady);
        let mut steady_ones: Vec<&GatedAnswer> = steady_ones.collect();
        steady_ones.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
        let accepted = steady_ones.get(..needed.max(1))?;
        let right = accepted.iter().filter(|one| one.right).count();
        let gate = AcceptanceGate {
            // The least sure of those accepted is accepted too.
            confidence: accepted.last()?.confidence.next_down(),
            steadiness: steady,
        };
        Some((right, gate))
    });
    let best = gates.reduce(|best, one| if one.0 > best.0 { one } else { best });
    best.map(|(_, gate)| gate)
}

/// What a gate accepts against as many of the surest, on the same items.
struct PairedGate {
    answers: Vec<GatedAnswer>,
    gate: AcceptanceGate,
    /// The positions of the answers, the surest first.
    by_confidence: Vec<usize>,
}

impl PairedGate {
    fn new(answers: Vec<GatedAnswer>, gate: AcceptanceGate) -> PairedGate {
        let mut by_confidence: Vec<usize> = (0..answers.len()).collect();
        by_confidence.sort_by(|a, b| answers[*b].confidence.total_cmp(&answers[*a].confidence));
        PairedGate {
            answers,
            gate,
            by_confidence,
        }
    }

    fn accepts(&self, one: &GatedAnswer) -> bool {
        one.confidence > self.gate.confidence && one.steadiness > self.gate.steadiness
    }

    /// How many right answers there are among so many of the surest; of those that are equally sure
    /// at the end, the share that is right.
    fn right_of_surest(&self, weights: &[u32], accepted: f64) -> f64 {
        let mut left = accepted;
        let mut right = 0.0;
        let same =
            |a: &usize, b: &usize| self.answers[*a].confidence == self.answers[*b].confidence;
        for equal in self.by_confidence.chunk_by(same) {
            let count: f64 = equal.iter().map(|at| f64::from(weights[*at])).sum();
            let of_these = equal.iter().filter(|at| self.answers[**at].right);
            let right_here: f64 = of_these.map(|at| f64::from(weights[*at])).sum();
            if count >= left {
                let share = if count > 0.0 { left / count } else { 0.0 };
                return right + right_here * share;
            }
            left -= count;
            right += right_here;
        }
        right
    }
}

impl Statistic for PairedGate {
    fn units(&self) -> usize {
        self.answers.len()
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let mut accepted = 0.0;
        let mut right = 0.0;
        let both = self.answers.iter().zip(weights);
        for (one, weight) in both.filter(|(one, _)| self.accepts(one)) {
            accepted += f64::from(*weight);
            right += f64::from(*weight) * f64::from(u8::from(one.right));
        }
        if accepted == 0.0 {
            return Err(UndefinedReason::Because("nothing is accepted".into()));
        }
        Ok((right - self.right_of_surest(weights, accepted)) / accepted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(all: &[(f64, f64, bool)]) -> Vec<GatedAnswer> {
        let one = |&(confidence, steadiness, right): &(f64, f64, bool)| GatedAnswer {
            confidence,
            steadiness,
            right,
        };
        all.iter().map(one).collect()
    }

    #[test]
    fn a_gate_that_sees_what_confidence_does_not_gains() {
        // Confidence says nothing, steadiness everything.
        let all: Vec<(f64, f64, bool)> = (0..40)
            .map(|i| (0.5 + f64::from(i % 7) / 100.0, f64::from(i % 2), i % 2 == 1))
            .collect();
        let all = answers(&all);
        let gate = chosen_gate(&all, 0.4).unwrap();
        assert_eq!(gate.steadiness, 0.0);
        let gain = PairedGate::new(all, gate).at_weights(&[1; 40]).unwrap();
        assert!(gain > 0.4, "{gain}");
    }

    #[test]
    fn where_steadiness_says_nothing_the_gate_asks_for_none_and_gains_nothing() {
        let all: Vec<(f64, f64, bool)> = (0..40)
            .map(|i| (f64::from(i) / 40.0, 0.5, i >= 10))
            .collect();
        let all = answers(&all);
        let gate = chosen_gate(&all, 0.5).unwrap();
        assert_eq!(gate.steadiness, f64::NEG_INFINITY);
        assert_eq!(PairedGate::new(all, gate).at_weights(&[1; 40]), Ok(0.0));
    }

    #[test]
    fn equally_sure_ones_at_the_end_count_their_share() {
        let all = answers(&[(0.9, 1.0, true), (0.5, 0.0, true), (0.5, 1.0, false)]);
        let gate = AcceptanceGate {
            confidence: 0.1,
            steadiness: 0.5,
        };
        // Two accepted, one right; of the two surest one and a half.
        assert_eq!(PairedGate::new(all, gate).at_weights(&[1; 3]), Ok(-0.25));
    }
}
