//! What every gauge of confidence reads: how sure the subject was of each answer, and whether it
//! was right.

use std::sync::Arc;

use duress_core::answer::{Said, softmax};
use duress_core::gauge::{CellRead, Meter, Undefined};
use duress_core::part::{Field, Params, Takes};
use duress_core::word::Word;
use duress_stats::parallel::map_indices;
use duress_stats::statistic::{Confidences, Statistic};

use crate::classify::frame::answered_items::{AnsweredItems, row, top};

/// What is taken for how sure a subject was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ConfidenceKind {
    /// The largest probability, or the confidence that was given.
    SoftmaxMax,
    /// One minus the entropy of the probabilities over that of equal ones.
    Entropy,
    /// The largest probability minus the second.
    Margin,
    /// The largest logit.
    MaxLogit,
    /// The logarithm of the sum of the logits' exponentials.
    Energy,
    /// The largest probability after the logits were divided by a temperature.
    Scaled(f64),
}

duress_core::words! {
    /// The words for it; the temperature is another key.
    enum ConfidenceWord {
        SoftmaxMax = "softmax-max",
        Entropy = "entropy",
        Margin = "margin",
        MaxLogit = "max-logit",
        Energy = "energy",
        TemperatureScaled = "temperature-scaled",
    }
}

/// The key that says what is taken for confidence.
pub(crate) const CONFIDENCE: Field = Field {
    name: "confidence",
    takes: Takes::Choice(ConfidenceWord::spellings),
    doc: "what is taken for how sure the subject was; `max-logit` and `energy` need logits",
    default: Some("softmax-max"),
};

/// The key beside it.
pub(crate) const TEMPERATURE: Field = Field {
    name: "temperature",
    takes: Takes::Number(1e-3, 1e3),
    doc: "what logits are divided by, for `confidence = \"temperature-scaled\"`",
    default: Some("1"),
};

impl ConfidenceKind {
    /// What the keys say.
    pub(crate) fn from_params(params: &Params) -> ConfidenceKind {
        match params.choice("confidence") {
            ConfidenceWord::SoftmaxMax => ConfidenceKind::SoftmaxMax,
            ConfidenceWord::Entropy => ConfidenceKind::Entropy,
            ConfidenceWord::Margin => ConfidenceKind::Margin,
            ConfidenceWord::MaxLogit => ConfidenceKind::MaxLogit,
            ConfidenceWord::Energy => ConfidenceKind::Energy,
            ConfidenceWord::TemperatureScaled => {
                ConfidenceKind::Scaled(params.number("temperature"))
            }
        }
    }

    /// As a convention says it.
    pub(crate) fn in_words(self) -> String {
        match self {
            ConfidenceKind::SoftmaxMax => "confidence = largest probability".into(),
            ConfidenceKind::Entropy => "confidence = 1 − entropy / ln(classes)".into(),
            ConfidenceKind::Margin => "confidence = largest − second probability".into(),
            ConfidenceKind::MaxLogit => "confidence = largest logit".into(),
            ConfidenceKind::Energy => "confidence = ln Σ exp(logit)".into(),
            ConfidenceKind::Scaled(t) => {
                format!("confidence = largest probability at temperature {t}")
            }
        }
    }

    /// Of a row of probabilities, where they say it.
    fn of_probabilities(self, row: &[f64]) -> f64 {
        match self {
            ConfidenceKind::SoftmaxMax | ConfidenceKind::MaxLogit | ConfidenceKind::Energy => {
                top(row).1.min(1.0)
            }
            ConfidenceKind::Entropy => evenness(row),
            ConfidenceKind::Margin => margin(row),
            ConfidenceKind::Scaled(t) => {
                // Logarithms of probabilities are logits; an impossible class stays impossible.
                let most = top(row).1;
                let sum: f64 = row.iter().map(|p| libm::pow(p / most, 1.0 / t)).sum();
                1.0 / sum
            }
        }
    }

    /// Of a row of logits.
    fn of_logits(self, row: &[f64]) -> f64 {
        match self {
            ConfidenceKind::SoftmaxMax | ConfidenceKind::Scaled(_) => {
                let t = if let ConfidenceKind::Scaled(t) = self {
                    t
                } else {
                    1.0
                };
                let most = top(row).1;
                let sum: f64 = row.iter().map(|x| libm::exp((x - most) / t)).sum();
                1.0 / sum
            }
            ConfidenceKind::Entropy => evenness(&softmax(row)),
            ConfidenceKind::Margin => margin(&softmax(row)),
            ConfidenceKind::MaxLogit => top(row).1,
            ConfidenceKind::Energy => {
                let most = top(row).1;
                most + libm::log(row.iter().map(|x| libm::exp(x - most)).sum())
            }
        }
    }
}

fn evenness(probabilities: &[f64]) -> f64 {
    if probabilities.len() < 2 {
        return 1.0;
    }
    let part = |p: &f64| if *p > 0.0 { -p * libm::log(*p) } else { 0.0 };
    let entropy: f64 = probabilities.iter().map(part).sum();
    // Rounding must not make an even row less sure than nothing.
    (1.0 - entropy / libm::log(probabilities.len() as f64)).clamp(0.0, 1.0)
}

fn margin(probabilities: &[f64]) -> f64 {
    let (_, first, second) = top(probabilities);
    if probabilities.len() < 2 {
        first
    } else {
        first - second
    }
}

/// How sure and how right, for the items that have an answer.
pub(crate) struct Sureness<'a> {
    /// The confidence in each answer, and whether it was right.
    pub(crate) of: Arc<Confidences>,
    answered: AnsweredItems<'a>,
}

/// Reads sureness from answers, or says why there is none.
pub(crate) fn sureness<'a>(
    read: CellRead<'a>,
    kind: ConfidenceKind,
) -> Result<Sureness<'a>, Undefined> {
    let answered = AnsweredItems::new(read)?;
    let of = answered.view().sure(kind, || kind.of(&answered))?;
    Ok(Sureness { of, answered })
}

impl ConfidenceKind {
    /// How sure every answer is.
    fn of(self, answered: &AnsweredItems<'_>) -> Result<Vec<f64>, Undefined> {
        let view = answered.view();
        let said = answered.said();
        let k = answered.classes().len();
        let count = said.len();
        match answered.answers.said() {
            Said::Probabilities(rows) if self == ConfidenceKind::SoftmaxMax => {
                Ok(map_indices(count, |at| {
                    rows[view.item(at) * k + said[at] as usize].min(1.0)
                }))
            }
            Said::Probabilities(_)
                if matches!(self, ConfidenceKind::MaxLogit | ConfidenceKind::Energy) =>
            {
                Err(Undefined::new(
                    "the answers are probabilities, which do not say what the logits were",
                ))
            }
            Said::Probabilities(rows) => Ok(map_indices(count, |at| {
                self.of_probabilities(row(rows, k, view.item(at)))
            })),
            Said::Logits(rows) => Ok(map_indices(count, |at| {
                self.of_logits(row(rows, k, view.item(at)))
            })),
            Said::Labels {
                confidence: Some(all),
                ..
            } if self == ConfidenceKind::SoftmaxMax => {
                Ok(map_indices(count, |at| all[view.item(at)]))
            }
            Said::Labels {
                confidence: Some(_),
                ..
            } => Err(Undefined::new(
                "the answers are labels with one confidence; another needs the probabilities",
            )),
            Said::Labels {
                confidence: None, ..
            } => Err(Undefined::new(
                "the answers are labels without a confidence; probabilities or logits have one",
            )),
        }
    }
}

impl Sureness<'_> {
    /// What was measured about each answer under this name.
    pub(crate) fn score(&self, name: &str) -> Result<Vec<f64>, Undefined> {
        let answers = self.answered.answers;
        let of = answers.scores().get(name).ok_or_else(|| {
            Undefined::new(format!(
                "the answers have no score `{name}`; `scores = [\"{name}\"]` has recorded answers keep that column"
            ))
        })?;
        Ok((0..self.of.values().len())
            .map(|at| of[self.answered.view().item(at)])
            .collect())
    }

    /// The meter of a statistic of these items; what has no answer does not take part.
    pub(crate) fn meter<S: Statistic + Send + 'static>(
        self,
        statistic: Result<S, duress_stats::UndefinedReason>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        self.answered.meter(statistic)
    }
}
