//! Attributions: which places of an image an answer rests on, how true that is, and how it changes.
//! Knows no study.
//!
//! What asks a network is one file each: maps by gradients ([`input_gradient`],
//! [`integrated_gradients`], [`smooth_grad`]), by the values of a layer ([`grad_cam`]) and by covering
//! ([`occlusion`]); how the answer changes while places are taken away ([`deletion`],
//! [`insertion`]), how well a map foretells changes ([`infidelity`]), and what a map becomes when the
//! image moves a little ([`max_sensitivity`]) or the weights are drawn anew
//! ([`cascading_randomisation`]); and whether a class goes with a concept ([`concept_scores`]).
//! [`centre_gaussian`] and [`edge_detector`] are floors that ask nobody:
//! what is not better than these shows nothing. What is read from maps alone is in [`measure`].
//!
//! Conventions of all of them: a map has one value per place, height × width, row by row; several
//! maps lie one after another. What is explained is the logit of one class per image, the target,
//! before any softmax. Networks are cut at a layer ([`CutNetwork`]) rather than tapped: below and
//! above are networks of their own. Memory is bounded: at most [`AT_ONCE`] bytes of images are made at
//! a time, whatever the number of steps, draws or windows. Chance comes from one seed per image, so
//! that neither the order of images nor the batches change a map.

mod batch;
mod cam;
mod channels;
mod concept_score;
mod concept_vector;
mod curve;
mod cut;
mod fill;
mod floor;
mod gradient;
mod imputation;
mod infidelity;
mod integrated;
pub mod measure;
mod occlusion;
mod only_logits;
mod randomisation;
mod sensitivity;
mod smooth;

pub use batch::{AT_ONCE, TargetBatch};
pub use cam::{CamSign, grad_cam, grad_cam_plus_plus};
pub use channels::ChannelReduction;
pub use concept_score::{
    ConceptExamples, ConceptProblem, ConceptScoreRecipe, ConceptScores, LayerSpace, VectorScore,
    concept_scores,
};
pub use concept_vector::{ConceptVector, VectorRecipe, concept_vector};
pub use curve::{CurveRecipe, area, deletion, insertion};
pub use cut::{CutLayer, CutNetwork};
pub use fill::{Fill, Imputation};
pub use floor::{centre_gaussian, edge_detector};
pub use gradient::{gradient_times_input, input_gradient};
pub use infidelity::{InfidelityForm, InfidelityRecipe, infidelity};
pub use integrated::{IntegratedRecipe, integrated_gradients};
pub use occlusion::{OcclusionRecipe, occlusion};
pub use only_logits::OnlyLogits;
pub use randomisation::{RandomisedNetwork, cascading_randomisation};
pub use sensitivity::{Explain, SensitivityForm, SensitivityRecipe, max_sensitivity, moved};
pub use smooth::{SmoothRecipe, smooth_grad};

#[cfg(test)]
mod reference;
#[cfg(test)]
mod tests;
