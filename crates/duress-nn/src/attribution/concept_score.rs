//! TCAV: whether the logit of a class rises when a layer moves toward a concept.

use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::subject::Failure;

use super::batch::{TargetBatch, target_slopes};
use super::concept_vector::{ConceptVector, VectorRecipe, concept_vector};
use super::cut::CutNetwork;

duress_core::words! {
    /// What of a layer a direction is looked for in.
    pub enum LayerSpace {
        /// All its values, place by place, as published.
        Values = "values",
        /// The mean of each channel: a concept is the same wherever it is seen. Needs fewer examples.
        ChannelMeans = "channel-means",
    }
}

/// How concepts are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConceptScoreRecipe {
    pub space: LayerSpace,
    pub vector: VectorRecipe,
}

/// Pixels of images with a concept, and of several sets without it that are otherwise at random.
#[derive(Clone, Copy, Debug)]
pub struct ConceptExamples<'a> {
    pub with: &'a [f32],
    pub counter_sets: &'a [Vec<f32>],
}

/// What is found along one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorScore {
    pub vector: ConceptVector,
    /// How the logit of each image's target changes along the direction, per unit of the layer.
    pub sensitivities: Vec<f64>,
    /// The share of images for which it rises.
    pub score: f64,
}

/// What is found of a concept.
#[derive(Clone, Debug, PartialEq)]
pub struct ConceptScores {
    /// The concept against each counter-set.
    pub concept: Vec<VectorScore>,
    /// Each counter-set against the next, the last against the first: what any direction does. Of
    /// only two sets there is one such direction, of a single one none.
    pub random: Vec<VectorScore>,
}

/// The TCAV scores (Kim et al., 2018) of images' targets for a concept at the layer where the network
/// is cut: the share of images whose logit rises along the concept's direction, once for every
/// counter-set, and along directions between counter-sets.
///
/// The derivative is that of the logit, as published; the published script takes that of the loss.
pub fn concept_scores(
    network: &CutNetwork,
    examples: ConceptExamples<'_>,
    batch: TargetBatch<'_>,
    recipe: ConceptScoreRecipe,
    seed: Seed,
) -> Result<ConceptScores, ConceptProblem> {
    let space = Space::new(network, recipe.space);
    let with = space.rows(network, examples.with);
    let sets: Vec<Vec<f32>> = examples
        .counter_sets
        .iter()
        .map(|set| space.rows(network, set))
        .collect();
    let vector = |with: &[f32], without: &[f32], label: String| {
        concept_vector(
            with,
            without,
            space.width(),
            recipe.vector,
            seed.child(label),
        )
    };
    let concept = sets.iter().enumerate();
    let concept: Result<Vec<ConceptVector>, Problem> = concept
        .map(|(number, set)| vector(&with, set, format!("concept {number}")))
        .collect();
    let pairs = match sets.len() {
        0 | 1 => 0,
        2 => 1,
        more => more,
    };
    let random: Result<Vec<ConceptVector>, Problem> = (0..pairs)
        .map(|number| {
            let next = &sets[(number + 1) % sets.len()];
            vector(&sets[number], next, format!("random {number}"))
        })
        .collect();
    let mut vectors = concept?;
    let of_concept = vectors.len();
    vectors.extend(random?);
    let directions: Vec<&[f32]> = vectors.iter().map(|v| &v.direction[..]).collect();
    let found = sensitivities(network, batch, &space, &directions)?;
    let scores = vectors.into_iter().zip(found);
    let mut concept: Vec<VectorScore> = scores.map(|(v, found)| scored(v, found)).collect();
    let random = concept.split_off(of_concept);
    Ok(ConceptScores { concept, random })
}

/// Why there are no scores.
#[derive(Clone, Debug)]
pub enum ConceptProblem {
    /// The examples give no direction.
    Examples(Problem),
    /// The network did not answer.
    Network(Failure),
}

impl From<Problem> for ConceptProblem {
    fn from(problem: Problem) -> ConceptProblem {
        ConceptProblem::Examples(problem)
    }
}

impl From<Failure> for ConceptProblem {
    fn from(failure: Failure) -> ConceptProblem {
        ConceptProblem::Network(failure)
    }
}

impl std::fmt::Display for ConceptProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConceptProblem::Examples(problem) => problem.fmt(f),
            ConceptProblem::Network(failure) => failure.fmt(f),
        }
    }
}

impl std::error::Error for ConceptProblem {}

/// How the logit of each image's target changes along each of some directions, image by image. Goes
/// back through the network once, whatever their number.
pub(super) fn sensitivities(
    network: &CutNetwork,
    batch: TargetBatch<'_>,
    space: &Space,
    directions: &[&[f32]],
) -> Result<Vec<Vec<f64>>, Failure> {
    let mut found = vec![Vec::with_capacity(batch.len()); directions.len()];
    let copies = (2 * space.size()).div_ceil(batch.size());
    for items in batch.parts(copies) {
        let part = batch.part(items);
        let values = network.below().logits(part.pixels());
        let above = TargetBatch::new(network.layer().shape, &values, part.targets());
        let slopes = target_slopes(network.above(), above, |_| 1.0)?;
        for slopes in slopes.chunks_exact(space.size()) {
            let slopes = space.slopes(slopes);
            for (found, direction) in found.iter_mut().zip(directions) {
                let both = slopes.iter().zip(*direction);
                let along = both.map(|(slope, by)| slope * f64::from(*by));
                found.push(along.sum());
            }
        }
    }
    Ok(found)
}

fn scored(vector: ConceptVector, sensitivities: Vec<f64>) -> VectorScore {
    let rising = sensitivities.iter().filter(|along| **along > 0.0).count();
    VectorScore {
        vector,
        score: rising as f64 / sensitivities.len().max(1) as f64,
        sensitivities,
    }
}

/// A layer's values as rows in which directions are looked for.
pub(super) struct Space {
    space: LayerSpace,
    channels: usize,
    places: usize,
}

impl Space {
    pub(super) fn new(network: &CutNetwork, space: LayerSpace) -> Space {
        let [channels, height, width] = network.layer().shape;
        Space {
            space,
            channels,
            places: height * width,
        }
    }

    /// How many values the layer has.
    fn size(&self) -> usize {
        self.channels * self.places
    }

    /// How many values a row has.
    fn width(&self) -> usize {
        match self.space {
            LayerSpace::Values => self.size(),
            LayerSpace::ChannelMeans => self.channels,
        }
    }

    /// One row for each image.
    fn rows(&self, network: &CutNetwork, pixels: &[f32]) -> Vec<f32> {
        let values = network.below().logits(pixels);
        let mean = |plane: &[f32]| {
            let sum: f64 = plane.iter().copied().map(f64::from).sum();
            (sum / self.places as f64) as f32
        };
        match self.space {
            LayerSpace::Values => values,
            LayerSpace::ChannelMeans => values.chunks_exact(self.places).map(mean).collect(),
        }
    }

    /// How a logit changes with each value of a row. A channel's mean moves when all its places do.
    fn slopes(&self, slopes: &[f32]) -> Vec<f64> {
        let sum = |plane: &[f32]| plane.iter().copied().map(f64::from).sum();
        match self.space {
            LayerSpace::Values => slopes.iter().copied().map(f64::from).collect(),
            LayerSpace::ChannelMeans => slopes.chunks_exact(self.places).map(sum).collect(),
        }
    }
}
