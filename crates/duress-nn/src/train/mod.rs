//! Training: from images and their labels to a network.

mod augment;
mod class_maps;
mod concepts;
mod dropout;
mod half_done;
mod inner;
mod lesson;
mod rate;
mod session;
mod terms;
#[cfg(test)]
mod tests;

use std::fmt;

use duress_core::data::Images;
use duress_core::fitting::{FitKeeper, Unkept};
use duress_core::seed::Seed;
use duress_core::subject::Failure;
use duress_core::truth::Labels;

use crate::architecture::Residual;
pub use crate::learner::Optimiser;
use crate::network::{Malformed, Network};
pub use augment::Augmentation;
pub use concepts::{ConceptForm, ConceptTerm};
pub use inner::{AttackStart, InnerAttack};
pub use lesson::LabelledImages;
pub use rate::RateSchedule;
use session::TrainingSession;
pub use session::{EpochRecord, TrainedNetwork};
pub use terms::TermValues;

/// How a network is made and taught.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingRecipe {
    pub layers: Layers,
    pub objective: TrainingObjective,
    /// How often it sees every image.
    pub epochs: usize,
    /// How many of the first epochs lower the cross-entropy alone, whatever the objective.
    pub plain_epochs: usize,
    /// How many images go into a step.
    pub batch: usize,
    /// How a step is made of a gradient.
    pub optimiser: Optimiser,
    /// The largest step size.
    pub rate: f64,
    pub schedule: RateSchedule,
    /// Over how many epochs the step size rises to the largest.
    pub warm_up: usize,
    /// How strongly weights (not biases) are drawn to zero.
    pub weight_decay: f64,
    pub class_weights: ClassWeights,
    pub sampling: Sampling,
    pub augmentation: Augmentation,
    /// How often each artefact is drawn into an image that is taught, whatever its label; 0 for
    /// never.
    pub artefact_augmentation: f64,
    /// The chance with which a channel that the last layer weighs is forgotten; 0 for never.
    pub dropout: f64,
    /// The share of the averaged weights that a step keeps, when it is the average that counts.
    pub averaging: Option<f64>,
    /// When to stop before the last epoch.
    pub early_stopping: Option<EarlyStopping>,
}

/// What a network is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Layers {
    /// Dense layers; the widths of the hidden ones, none for a linear network.
    Dense(Vec<usize>),
    /// Residual blocks of convolutions.
    Residual(Residual),
    /// A network that has learnt before, to be taught further.
    Given(Box<Network>),
}

/// What training lowers. Cross-entropy is weighted by class, every other term is a mean over items.
#[derive(Clone, Debug, PartialEq)]
pub enum TrainingObjective {
    /// The cross-entropy of images as they are.
    Baseline,
    /// The cross-entropy of attacked images (Madry et al., 2018).
    Adversarial(InnerAttack),
    /// Cross-entropy + β · KL(clean ‖ attacked) (Zhang et al., 2019).
    Trades { beta: f64, attack: InnerAttack },
    /// Cross-entropy + robust · KL(clean ‖ attacked) + explanation · (stability of the class
    /// activation map + consistency under artefacts + how far answers move along concepts).
    TriObjective(TriObjective),
}

/// The terms of a tri-objective, and how much each counts. One of weight 0 is switched off.
#[derive(Clone, Debug, PartialEq)]
pub struct TriObjective {
    pub attack: InnerAttack,
    /// λ of KL(clean ‖ attacked).
    pub robust: f64,
    /// λ of the terms of explanations together.
    pub explanation: f64,
    /// The share of the stability between the class activation maps of clean and attacked images.
    /// Needs a network that ends in global pooling and one dense layer.
    pub stability: f64,
    /// The share of KL(clean ‖ with artefacts), the label-blind concept term: artefacts are drawn
    /// into the image whatever its label, and should change nothing.
    pub consistency: f64,
    /// How often each artefact is drawn for that.
    pub consistency_artefacts: f64,
    /// The share of the concept term along concept activation vectors.
    pub concept: f64,
    /// What that is about.
    pub concepts: ConceptTerm,
}

duress_core::words! {
    /// How much every item of a lesson counts.
    pub enum ClassWeights {
        /// Every class counts alike: an item weighs items / (classes · items of its class).
        Balanced = "balanced",
        /// Every item counts alike.
        Equal = "equal",
    }
}

duress_core::words! {
    /// Which items an epoch shows.
    pub enum Sampling {
        /// Every item once, in a new order.
        Shuffled = "shuffled",
        /// As many as there are, each of a class drawn first, so that classes come alike often.
        Balanced = "balanced",
    }
}

/// Keeps the weights that were best on images held out of the lesson.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlyStopping {
    /// The share of the lesson that is held out.
    pub share: f64,
    /// After how many epochs without a better one to stop.
    pub patience: usize,
}

/// Why there is no network after training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untrained {
    /// There is nothing to learn from.
    NothingToLearn(String),
    /// The layers do not make a network.
    Malformed(Malformed),
    /// The loss stopped being a number.
    Diverged {
        /// In which epoch, from 1.
        epoch: usize,
    },
    /// What is half done could not be kept.
    NotKept(Failure),
}

/// Teaches a network.
pub fn train(
    images: &Images,
    labels: &Labels,
    recipe: &TrainingRecipe,
    seed: Seed,
) -> Result<Network, Untrained> {
    let lesson = LabelledImages {
        images,
        labels,
        clusters: None,
    };
    train_kept(lesson, recipe, seed, &Unkept).map(|trained| trained.network)
}

/// Teaches a network, tells of every step and epoch, and goes on where an earlier training was kept
/// half done: it comes to the same bits then.
pub fn train_kept(
    lesson: LabelledImages<'_>,
    recipe: &TrainingRecipe,
    seed: Seed,
    keeper: &dyn FitKeeper,
) -> Result<TrainedNetwork, Untrained> {
    TrainingSession::new(lesson, recipe, seed)?.run(keeper)
}

impl TrainingRecipe {
    /// Cross-entropy, Adam along half a cosine, classes alike, nothing else.
    pub fn new(layers: Layers) -> TrainingRecipe {
        TrainingRecipe {
            layers,
            objective: TrainingObjective::Baseline,
            epochs: 40,
            plain_epochs: 0,
            batch: 32,
            optimiser: Optimiser::Adam,
            rate: 0.003,
            schedule: RateSchedule::Cosine,
            warm_up: 0,
            weight_decay: 1e-4,
            class_weights: ClassWeights::Balanced,
            sampling: Sampling::Shuffled,
            augmentation: Augmentation::default(),
            artefact_augmentation: 0.0,
            dropout: 0.0,
            averaging: None,
            early_stopping: None,
        }
    }
}

impl fmt::Display for Untrained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untrained::NothingToLearn(why) => write!(f, "there is nothing to learn from: {why}"),
            Untrained::Malformed(why) => write!(f, "{why}"),
            Untrained::NotKept(why) => write!(f, "{why}"),
            Untrained::Diverged { epoch } => {
                write!(
                    f,
                    "training diverged in epoch {epoch}; a smaller learning rate may help"
                )
            }
        }
    }
}

impl std::error::Error for Untrained {}
