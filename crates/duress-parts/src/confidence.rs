//! What every gauge of confidence reads: how sure the subject was of each answer, and whether it was right.

use std::sync::Arc;

use duress_core::answer::Answers;
use duress_core::gauge::{Meter, Undefined, same_classes};
use duress_core::truth::Truth;
use duress_stats::statistic::Statistic;

/// How sure and how right, for the items that have an answer.
pub(crate) struct Sureness {
    /// The confidence in each answer.
    pub(crate) confidence: Vec<f64>,
    /// Whether it was right.
    pub(crate) right: Vec<bool>,
    /// The positions of these items among all.
    which: Vec<usize>,
    items: usize,
}

/// Reads sureness from answers, or says why there is none.
pub(crate) fn sureness(truth: &Truth, answers: &Answers) -> Result<Sureness, Undefined> {
    let (labels, said) = same_classes(truth, answers)?;
    let items = said.len();
    let mut sure = Sureness { confidence: Vec::new(), right: Vec::new(), which: Vec::new(), items };
    for (i, &label) in labels.of().iter().enumerate() {
        let Some(answer) = said.label(i) else { continue };
        let confidence = said.confidence(i).ok_or_else(|| {
            Undefined::new("the answers are labels without a confidence; probabilities or logits have one")
        })?;
        sure.confidence.push(confidence);
        sure.right.push(answer == label);
        sure.which.push(i);
    }
    if sure.which.is_empty() { Err(Undefined::new("no item has an answer")) } else { Ok(sure) }
}

impl Sureness {
    /// The meter of a statistic of these items; what has no answer does not take part.
    pub(crate) fn meter<S: Statistic + Send + 'static>(
        self,
        statistic: Result<S, duress_stats::Undefined>,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let statistic = statistic.map_err(in_words)?;
        Ok(Arc::new(Through { statistic, which: self.which, items: self.items }))
    }
}

/// A weighted statistic of some of the items, as a meter of all.
struct Through<S> {
    statistic: S,
    which: Vec<usize>,
    items: usize,
}

impl<S: Statistic + Send> Meter for Through<S> {
    fn units(&self) -> usize {
        self.items
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        if self.which.len() == self.items {
            return self.statistic.at(weights).map_err(in_words);
        }
        let weights: Vec<u32> = self.which.iter().map(|&i| weights[i]).collect();
        self.statistic.at(&weights).map_err(in_words)
    }
}

fn in_words(why: duress_stats::Undefined) -> Undefined {
    Undefined::new(why.to_string().trim_start_matches("undefined: "))
}
