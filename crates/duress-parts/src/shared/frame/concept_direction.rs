//! How the logits of a network change along a concept: which images show it, where it is looked for,
//! and the row of numbers that is answered.

use duress_core::seed::Seed;
use duress_core::subject::Failure;
use duress_core::word::Word;
use duress_nn::attribution::{
    ConceptExamples, ConceptProblem, ConceptScoreRecipe, CutLayer, CutNetwork, LayerSpace,
    TargetBatch, VectorRecipe, VectorScore, concept_scores,
};
use duress_nn::lesion::concept::{Concept, ConceptRecipe, concept_pair};
use duress_nn::network::Network;

use super::explaining::Rows;

/// What a point of an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConceptPoint {
    /// The slope of the logit along the concept, found against a set.
    Slope,
    /// The slope along what tells one set from another: what any direction does.
    RandomSlope,
    /// How many of the images held out the concept's direction tells right.
    Accuracy,
}

impl ConceptPoint {
    fn word(self) -> &'static str {
        match self {
            ConceptPoint::Slope => "slope",
            ConceptPoint::RandomSlope => "random slope",
            ConceptPoint::Accuracy => "accuracy",
        }
    }

    /// The positions of the points of this kind.
    pub(crate) fn positions(self, points: &[String]) -> Vec<usize> {
        let of_kind = |at: &usize| {
            let kind = points[*at].rsplit_once(' ').map(|(kind, _)| kind);
            kind == Some(self.word())
        };
        (0..points.len()).filter(of_kind).collect()
    }
}

/// The network, cut where a concept is looked for.
pub(crate) fn concept_cut(network: &Network, layer: Option<&str>) -> Result<CutNetwork, Failure> {
    let named = match layer {
        Some(layer) => layer.to_string(),
        None => usual_layer(network)?.name,
    };
    CutNetwork::new(network, &named).map_err(|problem| Failure::unable(problem.to_string()))
}

/// The last layer that has more places than the last one with any: behind that the rest may be
/// linear, and a direction would say the same of every image.
fn usual_layer(network: &Network) -> Result<CutLayer, Failure> {
    let last = network
        .default_cam_layer()
        .map_err(|problem| Failure::unable(problem.to_string()))?;
    let places = |layer: &CutLayer| layer.shape[1] * layer.shape[2];
    let layers = network.cut_layers();
    let earlier = layers
        .into_iter()
        .rfind(|layer| places(layer) > places(&last));
    Ok(earlier.unwrap_or(last))
}

/// The slopes of each item's logit along a concept, with those along random directions and how well
/// the concept is told.
pub(crate) fn along_concept(
    cut: &CutNetwork,
    concept: &str,
    (sets, images): (u32, u32),
    batch: TargetBatch<'_>,
) -> Result<(Vec<String>, Rows), Failure> {
    let drawn = examples(concept, batch.shape(), sets as usize, images as usize)?;
    let examples = ConceptExamples {
        with: &drawn.0,
        counter_sets: &drawn.1,
    };
    let recipe = ConceptScoreRecipe {
        space: LayerSpace::ChannelMeans,
        vector: VectorRecipe::usual(),
    };
    let seed = Seed::new(0).child("concept vectors");
    let scores = concept_scores(cut, examples, batch, recipe, seed);
    let scores = scores.map_err(|problem| match problem {
        ConceptProblem::Examples(problem) => Failure::unable(problem.to_string()),
        ConceptProblem::Network(failure) => failure,
    })?;
    let names = |kind: ConceptPoint, count: usize| {
        (0..count).map(move |nth| format!("{} {nth}", kind.word()))
    };
    let points = names(ConceptPoint::Slope, scores.concept.len())
        .chain(names(ConceptPoint::RandomSlope, scores.random.len()))
        .chain(names(ConceptPoint::Accuracy, scores.concept.len()));
    let row = |item: usize| {
        let slope = |score: &VectorScore| score.sensitivities[item];
        let slopes = scores.concept.iter().chain(&scores.random).map(slope);
        let accuracies = scores.concept.iter().map(|score| score.vector.accuracy);
        Ok(slopes.chain(accuracies).collect())
    };
    Ok((points.collect(), (0..batch.len()).map(row).collect()))
}

/// Images that show a concept, and sets of other images that do not: all drawn, none of them an item
/// of the study.
fn examples(
    concept: &str,
    [channels, height, width]: [usize; 3],
    sets: usize,
    images: usize,
) -> Result<(Vec<f32>, Vec<Vec<f32>>), Failure> {
    let known = Concept::from_word(concept).ok_or_else(|| {
        let words = Concept::spellings().join(", ");
        Failure::unable(format!("knows no concept `{concept}`; there is {words}"))
    })?;
    if channels != 3 || height != width {
        return Err(Failure::unable(format!(
            "concepts are drawn into square images of three channels, these have {channels} of {height} × {width}"
        )));
    }
    let recipe = ConceptRecipe {
        side: height,
        spread: 0.1,
        contrast: 1.0,
    };
    let seed = Seed::new(0).child("concept images");
    let pair = |number: usize| concept_pair(known, recipe, number, seed);
    let with = (0..images).flat_map(|number| pair(number).with).collect();
    let set = |nth: usize| {
        let first = (nth + 1) * images;
        let numbers = first..first + images;
        numbers.flat_map(|number| pair(number).without).collect()
    };
    Ok((with, (0..sets).map(set).collect()))
}
