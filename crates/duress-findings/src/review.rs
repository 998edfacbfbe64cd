//! Reviews: what stressors did to texts, step by step, for people to look at, and what they said.

use serde::Serialize;

/// One step that was done to a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReviewStep {
    /// Made from what was done and to what: the same step has the same id in every sheet, and an id
    /// tells nobody of what kind the step is.
    pub id: String,
    /// The dataset.
    pub dataset: String,
    /// The seed of the study.
    pub seed: u64,
    /// The item.
    pub item: String,
    /// Which step of the item it is, from 1.
    pub k: usize,
    /// What kind of change it is.
    pub kind: String,
    /// Who made it.
    pub by: String,
    /// The whole text, with `[-what was taken out-]` and `{+what was put in+}`.
    pub diff: String,
    /// Where these marks begin, in bytes: a text may hold such marks itself.
    pub marks_at: usize,
    /// What was taken out.
    pub before: String,
    /// What was put in.
    pub after: String,
    /// What was asked.
    pub prompt: String,
    /// What the text follows from.
    pub source: String,
}

/// What people said of steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Review {
    /// The file.
    pub file: String,
    /// How many steps were answered about.
    pub answered: usize,
    /// Rows without an answer.
    pub unanswered: usize,
    /// How kinds were told apart by somebody who was not told them; empty where nobody was asked.
    pub named: Vec<KindNamed>,
    /// What was accepted and rejected; empty where nobody was asked.
    pub judged: Vec<KindJudged>,
}

/// What the steps of one kind were taken for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KindNamed {
    /// The kind.
    pub kind: String,
    /// How many of its steps were answered about.
    pub steps: usize,
    /// How many were named rightly.
    pub right: usize,
    /// What the others were taken for, and how often, most often first.
    pub taken_for: Vec<(String, usize)>,
}

/// How many steps of one kind were accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KindJudged {
    /// The kind.
    pub kind: String,
    /// How many are errors of this kind, in the eyes of who looked.
    pub accepted: usize,
    /// How many are not.
    pub rejected: usize,
}

impl Review {
    /// The share of steps whose kind was named rightly; none where nobody was asked.
    pub fn share_named(&self) -> Option<f64> {
        let steps: usize = self.named.iter().map(|kind| kind.steps).sum();
        let right: usize = self.named.iter().map(|kind| kind.right).sum();
        (steps > 0).then(|| right as f64 / steps as f64)
    }
}

impl KindNamed {
    /// The share of its steps that were named rightly.
    pub fn share(&self) -> f64 {
        self.right as f64 / self.steps.max(1) as f64
    }
}
