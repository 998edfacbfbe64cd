//! What an attack asks through: losses, classes to aim at and answers, with the label inside.

use std::sync::OnceLock;

use crate::answer::{Answers, ClassAnswers, Said};
use crate::data::{Images, Inputs, Items};
use crate::objective::{Aim, Objective, rivals};
use crate::question::Question;
use crate::subject::{Differentiable, Failure, FailureKind, Fitted, LogitSlopes, Loss};
use crate::truth::Labels;

/// What an attack may ask about. The label is inside and cannot be got out.
pub struct Target<'a> {
    pub(super) subject: &'a dyn Fitted,
    pub(super) slopes: Option<&'a dyn Differentiable>,
    pub(super) items: &'a Items,
    pub(super) labels: &'a Labels,
    pub(super) source: Option<Box<Target<'a>>>,
}

/// What a subject tells whoever attacks it, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tells {
    /// Its answers only.
    Answers,
    /// Also its cross-entropy, with a gradient.
    Loss,
    /// Also its logits, with any slope back to the pixels.
    Logits,
}

impl<'a> Target<'a> {
    /// Another subject, asked about the same items, for an attack that climbs the slopes of one to
    /// break another; there where the attack [names](super::Aware::source) one.
    pub fn source(&self) -> Option<&Target<'a>> {
        self.source.as_deref()
    }

    /// What can be asked for.
    pub fn tells(&self) -> Tells {
        match self.slopes {
            None => Tells::Answers,
            Some(slopes) if slopes.logit_slopes().is_none() => Tells::Loss,
            Some(_) => Tells::Logits,
        }
    }

    /// An objective at `images` of the items at positions `which`, towards the class that each aims
    /// at (`aims` is empty where none does), and its gradient where one is asked for.
    pub fn loss(
        &self,
        which: &[usize],
        images: &[f32],
        objective: Objective,
        aims: &[Aim],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        let labels = self.labels_of(which);
        let slopes = self.slopes()?;
        if objective == Objective::CrossEntropy && aims.is_empty() {
            return slopes.loss(images, &labels, gradient);
        }
        let network = self.logit_slopes()?;
        let aim = |at: usize| aims.get(at).copied();
        let Some(gradient) = gradient else {
            let logits = network.logits(images)?;
            let rows = logits.chunks_exact(slopes.classes().len()).enumerate();
            return Ok(rows
                .map(|(at, row)| objective.evaluate(row, labels[at], aim(at), None))
                .collect());
        };
        let losses: Vec<OnceLock<Loss>> = which.iter().map(|_| OnceLock::new()).collect();
        let slope = |at: usize, logits: &[f32], slope: &mut [f32]| {
            let found = objective.evaluate(logits, labels[at], aim(at), Some(slope));
            losses[at].get_or_init(|| found);
        };
        network.backward(images, &slope, gradient)?;
        let each = losses.into_iter().map(OnceLock::into_inner);
        each.collect::<Option<Vec<Loss>>>().ok_or_else(|| {
            Failure::new(FailureKind::Nonsense, "logits of some images were not told")
        })
    }

    /// What can be known of `images` of the items at positions `which` from the answers about them:
    /// the largest other logit (or logarithm of a probability) minus the label's; where only labels
    /// are answered, 1 for a wrong one and 0 for a right one.
    pub fn answers(&self, which: &[usize], images: &[f32]) -> Result<Vec<Loss>, Failure> {
        let said = self.class_answers(which, images)?;
        if said.classes() != self.labels.classes() {
            return Err(other_classes(said.classes(), self.labels.classes()));
        }
        let labels = self.labels_of(which);
        (0..which.len())
            .map(|at| answered_loss(&said, at, labels[at]))
            .collect()
    }

    /// For each of the items at positions `which`, the `most` likely classes other than its label,
    /// as answered about `images`.
    pub fn aims(
        &self,
        which: &[usize],
        images: &[f32],
        most: usize,
    ) -> Result<Vec<Vec<Aim>>, Failure> {
        let network = self.logit_slopes()?;
        let logits = network.logits(images)?;
        let rows = logits.chunks_exact(self.labels.classes().len());
        let likely = |(row, label): (&[f32], u32)| {
            let scores: Vec<f64> = row.iter().map(|&logit| f64::from(logit)).collect();
            let mut aims = rivals(&scores, label);
            aims.truncate(most);
            aims
        };
        Ok(rows.zip(self.labels_of(which)).map(likely).collect())
    }

    /// Whether what the subject tells as logits about `images` are probabilities: none below 0, and
    /// all of an image sum to 1.
    pub fn tells_probabilities(&self, images: &[f32]) -> Result<bool, Failure> {
        let logits = self.logit_slopes()?.logits(images)?;
        let is_distribution = |row: &[f32]| {
            let sum: f64 = row.iter().map(|&logit| f64::from(logit)).sum();
            row.iter().all(|logit| *logit >= 0.0) && (sum - 1.0).abs() < 1e-3
        };
        let mut rows = logits.chunks_exact(self.labels.classes().len());
        Ok(rows.all(is_distribution))
    }

    fn labels_of(&self, which: &[usize]) -> Vec<u32> {
        which.iter().map(|&i| self.labels.of()[i]).collect()
    }

    fn slopes(&self) -> Result<&dyn Differentiable, Failure> {
        self.slopes
            .ok_or_else(|| Failure::unable("the attack needs gradients, the subject gives none"))
    }

    fn logit_slopes(&self) -> Result<&dyn LogitSlopes, Failure> {
        self.slopes()?.logit_slopes().ok_or_else(|| {
            Failure::unable(
                "the subject tells the gradient of its cross-entropy only: other losses need its logits and \
                 slopes back to the pixels (a process says `slopes` in its hello, see docs/command.md)",
            )
        })
    }

    fn class_answers(&self, which: &[usize], images: &[f32]) -> Result<ClassAnswers, Failure> {
        let shape = self.items.images()?.shape();
        let images = Images::new(shape, images.to_vec())
            .map_err(|why| Failure::new(FailureKind::OverBudget, why.to_string()))?;
        // An item may be asked about several times in a batch, so ids are of places in it.
        let ids = (0..which.len()).map(|at| at.to_string()).collect();
        let asked = Items::new(ids, Inputs::Images(images))
            .map_err(|why| Failure::unable(why.to_string()))?;
        match self.subject.answer(Question::Classes, &asked)? {
            Answers::Classes(said) if said.len() == which.len() => Ok(said),
            other => Err(Failure::new(
                FailureKind::Nonsense,
                format!("asked for classes, answered {}", other.question()),
            )),
        }
    }
}

/// What one answer says about the label.
fn answered_loss(said: &ClassAnswers, at: usize, label: u32) -> Result<Loss, Failure> {
    let Some(answer) = said.label(at) else {
        return Err(Failure::new(
            FailureKind::Nonsense,
            "there is no answer about an attacked image",
        ));
    };
    let width = said.classes().len();
    let margin = |scores: &[f64]| {
        let row = &scores[at * width..(at + 1) * width];
        let others = row
            .iter()
            .enumerate()
            .filter(|(class, _)| *class != label as usize)
            .map(|(_, score)| *score);
        others.fold(f64::NEG_INFINITY, f64::max) - row[label as usize]
    };
    let loss = match said.said() {
        Said::Logits(logits) => margin(logits),
        Said::Probabilities(probabilities) => {
            let logarithms: Vec<f64> = probabilities
                .iter()
                .map(|p| libm::log(p.max(f64::MIN_POSITIVE)))
                .collect();
            margin(&logarithms)
        }
        Said::Labels { .. } => f64::from(u8::from(answer != label)),
    };
    Ok(Loss {
        loss,
        right: answer == label,
    })
}

pub(super) fn other_classes(subject: &[String], dataset: &[String]) -> Failure {
    Failure::unable(format!(
        "the subject's classes are {subject:?}, the dataset's are {dataset:?}"
    ))
}
