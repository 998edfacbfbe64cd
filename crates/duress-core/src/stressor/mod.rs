//! Stressors: what makes life harder, and the promises they are held to.

mod climb;
mod distance;
mod doubt;
mod promise;
mod step;
mod target;

use std::collections::BTreeSet;

use crate::data::{InputKind, Inputs, Items, Split};
use crate::seed::Seed;
use crate::severity::Severity;
use crate::subject::Failure;
use crate::truth::Truth;

pub use climb::{Climb, Spent, climb, climb_from};
pub use distance::{Realised, distortion, edit_distance, realised};
pub use doubt::AttackDoubt;
pub use promise::Promise;
pub use step::{PreparedSteps, StressStep};
pub use target::{Target, Tells};

/// What a stressor is like, so that a plan can tell what fits together.
#[derive(Clone, Debug, PartialEq)]
pub struct Pressure {
    /// The inputs it can press.
    pub accepts: InputKind,
    /// What its severity counts, in words.
    pub unit: &'static str,
    /// The largest severity that makes sense.
    pub most: f64,
    /// Whether it looks at the truth; shown in the report.
    pub sees_truth: bool,
    /// What it will not do.
    pub promise: Promise,
}

/// For what it holds that distortion does not fall as severity rises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monotone {
    /// For every item by itself.
    EachItem,
    /// For the mean over items only: a change of contrast, a compression or a zoom may bring an
    /// item nearer to what it was at a harder rung.
    InTheMean,
}

/// A stressor part.
pub enum Stressor {
    /// Sees the item.
    Blind(Box<dyn Blind>),
    /// Asks the subject.
    Aware(Box<dyn Aware>),
    /// Was applied before the answers were recorded.
    Elsewhere {
        /// What its severity counts, in words.
        unit: String,
        /// The names of the ways to press, by severity, where there are several.
        variants: Vec<(Severity, Vec<String>)>,
        /// Whether a text takes part in the way of this name; all do where there is none.
        counts: Option<fn(text: &str, variant: &str) -> bool>,
    },
}

impl Stressor {
    /// What it is like; `None` for what happened elsewhere.
    pub fn pressure(&self) -> Option<Pressure> {
        match self {
            Stressor::Blind(blind) => Some(blind.pressure()),
            Stressor::Aware(aware) => Some(aware.pressure()),
            Stressor::Elsewhere { .. } => None,
        }
    }

    /// In how many ways it can press this hard.
    pub fn variants(&self, severity: &Severity) -> usize {
        match self {
            Stressor::Blind(blind) => blind.variants(severity),
            Stressor::Aware(_) => 1,
            Stressor::Elsewhere { .. } => self.named(severity).map_or(1, <[String]>::len),
        }
    }

    /// Whether an item takes part at this severity and variant; one that does not has no answer.
    pub fn takes_part(
        &self,
        items: &Items,
        item: usize,
        severity: &Severity,
        variant: usize,
    ) -> bool {
        match self {
            Stressor::Blind(blind) => blind.takes_part(items, item, severity, variant),
            Stressor::Aware(_) => true,
            Stressor::Elsewhere { counts, .. } => {
                let name = self.named(severity).and_then(|names| names.get(variant));
                match (counts, items.inputs(), name) {
                    (Some(counts), Inputs::Texts(texts), Some(name)) => {
                        counts(&texts[item].text, name)
                    }
                    _ => true,
                }
            }
        }
    }

    /// What one of several ways to press this hard is called, where they have names.
    pub fn variant_name(&self, severity: &Severity, variant: usize) -> Option<String> {
        match self {
            Stressor::Blind(blind) => blind.variant_name(severity, variant),
            Stressor::Aware(_) => None,
            Stressor::Elsewhere { .. } => self.named(severity)?.get(variant).cloned(),
        }
    }

    /// Whether its severity counts steps, of which there is no half.
    pub fn counts_steps(&self) -> bool {
        match self {
            Stressor::Blind(blind) => blind.counts_steps(),
            Stressor::Aware(_) | Stressor::Elsewhere { .. } => false,
        }
    }

    /// Whether its variants are templates of a question.
    pub fn varies_templates(&self) -> bool {
        match self {
            Stressor::Blind(blind) => blind.varies_templates(),
            Stressor::Aware(_) | Stressor::Elsewhere { .. } => false,
        }
    }

    /// What the ways to press this hard are called, for what was applied elsewhere and can only be
    /// looked up by name.
    fn named(&self, severity: &Severity) -> Option<&[String]> {
        match self {
            Stressor::Elsewhere { variants, .. } => variants
                .iter()
                .find(|(at, _)| at == severity)
                .map(|(_, names)| names.as_slice()),
            Stressor::Blind(_) | Stressor::Aware(_) => None,
        }
    }
}

/// A corruption: it sees the item, not the subject.
pub trait Blind: Send + Sync {
    /// What it is like.
    fn pressure(&self) -> Pressure;

    /// In how many ways it can press this hard.
    fn variants(&self, _severity: &Severity) -> usize {
        1
    }

    /// What one of these ways is called, where there are several and they have names.
    fn variant_name(&self, _severity: &Severity, _variant: usize) -> Option<String> {
        None
    }

    /// Whether its severity counts steps, of which there is no half: a study may only name whole
    /// numbers then.
    fn counts_steps(&self) -> bool {
        false
    }

    /// Whether its variants are other words for one question: templates, which could have been
    /// others, so that how much they vary an answer is told apart.
    fn varies_templates(&self) -> bool {
        false
    }

    /// Whether what happens to an item depends on the other items too, as for a threshold that is a
    /// quantile of them all.
    fn depends_on_other_items(&self) -> bool {
        false
    }

    /// For what it holds that it distorts no less as the severity rises.
    fn monotone(&self) -> Monotone {
        Monotone::EachItem
    }

    /// Whether an item takes part at this severity and variant; one that does not is not asked
    /// about, and has no answer.
    fn takes_part(
        &self,
        _items: &Items,
        _item: usize,
        _severity: &Severity,
        _variant: usize,
    ) -> bool {
        true
    }

    /// For a stressor that shows the options of a question in another order: which class each class
    /// that is said of a pressed item stands for. Answers are kept in those terms. None by default:
    /// a class is what it is called.
    fn stands_for(&self, _pressed: &Items, _item: usize) -> Option<Vec<usize>> {
        None
    }

    /// What pressing this hard does to an item, step by step, or why it cannot be done; `None` for
    /// a stressor that does not work in steps. They are kept in the run's folder.
    fn steps(
        &self,
        _items: &Items,
        _item: usize,
        _severity: &Severity,
        _seed: Seed,
    ) -> Option<Result<Vec<StressStep>, String>> {
        None
    }

    /// What decides its changes, where its keys do not: the content of a file. Cells are known by
    /// this then.
    fn identity(&self) -> Option<String> {
        None
    }

    /// The model that makes its changes, where one does.
    fn made_by(&self) -> Option<&str> {
        None
    }

    /// Asks whoever makes its changes for up to `most` of each item, and keeps them; `None` for a
    /// stressor that makes its own.
    fn prepare(&self, _items: &Items, _most: usize) -> Option<Result<PreparedSteps, Failure>> {
        None
    }

    /// Steps that a sheet rejects and that are none of these items': what was reviewed is not what
    /// is there.
    fn rejected_elsewhere(&self, _items: &Items) -> BTreeSet<String> {
        BTreeSet::new()
    }

    /// The items under stress. `seed` does not depend on the severity, so rungs of a ladder share
    /// their draws and nest; the draws of an item come from [`Items::seed`].
    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        seed: Seed,
    ) -> Result<Items, Failure>;
}

/// What a blind stressor is handed.
#[derive(Clone, Copy)]
pub struct Pressed<'a> {
    /// The items before stress.
    pub items: &'a Items,
    /// The truth, for a stressor that declared it.
    pub truth: Option<&'a Truth>,
    /// Which of the variants.
    pub variant: usize,
}

/// An attack: it asks the subject, through a loss that has the label inside.
pub trait Aware: Send + Sync {
    /// What it is like.
    fn pressure(&self) -> Pressure;

    /// What it asks of a subject.
    fn needs(&self) -> Needs {
        Needs::Gradients
    }

    /// What it goes by.
    fn goes_by(&self) -> GoesBy {
        GoesBy::Gradients
    }

    /// The other subject of the study whose slopes it climbs, by name; none by default.
    fn source(&self) -> Option<&str> {
        None
    }

    /// The items at each severity, in the order given (rising). Draws of an item come from
    /// [`Items::seed`].
    fn climb(
        &self,
        items: &Items,
        target: &Target<'_>,
        severities: &[Severity],
        seed: Seed,
    ) -> Result<Climb, Failure>;
}

/// What an attack asks of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Answers only, so that anybody can be attacked.
    Answers,
    /// How a loss changes with the pixels.
    Gradients,
}

/// What an attack goes by, for whoever compares two of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoesBy {
    /// The subject's own gradients.
    Gradients,
    /// The subject's answers only.
    Answers,
    /// The gradients of another subject.
    Transfer,
    /// All that a subject tells.
    Everything,
}

/// Presses a split with a blind stressor, and checks its promise. Severity 0 does not even call it.
pub fn press(
    stressor: &dyn Blind,
    split: &Split,
    severity: &Severity,
    variant: usize,
    seed: Seed,
) -> Result<Split, Failure> {
    if severity.is_clean() {
        return Ok(split.clone());
    }
    let pressure = stressor.pressure();
    let truth = pressure.sees_truth.then(|| split.truth().open());
    let pressed = stressor.press(
        Pressed {
            items: split.items(),
            truth,
            variant,
        },
        severity,
        seed,
    )?;
    pressure.promise.check(split.items(), &pressed, severity)?;
    Ok(split.with_items(pressed))
}
