//! Concept activation vectors while a network is taught: which way a layer moves when a concept is
//! drawn into an image, and how far the answer goes with it.
//!
//! A vector is the mean difference of a layer's values, channel by channel, between images with a
//! concept and the same images without (a signal vector, Pahde et al., 2022, at the layer of Kim et
//! al., 2018). The derivative of the logits along it is taken as a central difference, so that going
//! back through it needs first derivatives only, and with the statistics that batch norms remember:
//! those of the batch would take a shift of the layer out again at once. The layer is a batch norm,
//! whose shift is where a view of the batch can be moved.

use duress_core::seed::Seed;
use duress_core::word::Word;

use crate::compiled::Compiled;
use crate::lesion::concept::{Concept, ConceptKind, ConceptRecipe, concept_pair};
use crate::network::{ItemShape, Malformed, Network, Operator};

/// The concept term of a tri-objective.
#[derive(Clone, Debug, PartialEq)]
pub struct ConceptTerm {
    /// Which concepts; artefacts should move no answer, what physicians look at should.
    pub concepts: Vec<Concept>,
    /// The batch norm at which vectors are taken; when left out, the last one of the last stage but
    /// one. After the last stage a vector would say the same of every image.
    pub layer: Option<String>,
    pub form: ConceptForm,
    /// After how many steps vectors are taken anew: a network moves away from old ones.
    pub refresh: usize,
    /// From how many pairs of images each is taken.
    pub pairs: usize,
}

duress_core::words! {
    /// What is lowered of how far an answer moves with an artefact. Never a signed sum of it: that has
    /// no lower end.
    pub enum ConceptForm {
        /// Its square.
        Squared = "squared",
        /// What its square has beyond a small one.
        Hinged = "hinged",
    }
}

impl ConceptTerm {
    /// All concepts, squared, anew every eight steps.
    pub fn usual() -> ConceptTerm {
        ConceptTerm {
            concepts: Concept::ALL.to_vec(),
            layer: None,
            form: ConceptForm::Squared,
            refresh: 8,
            pairs: 32,
        }
    }
}

/// The share of a concept's own way that a layer is moved either way. The fewer ReLUs bend in between,
/// the nearer the difference is to the derivative; with less, rounding would show.
pub(super) const STEP: f32 = 0.02;

/// An answer that moves by less than this, in logits, is left alone by the hinge.
const SLACK: f64 = 0.1;

/// An answer that moves by this, in logits, moves enough with what physicians look at.
const ENOUGH: f64 = 0.5;

/// What is wanted of an answer along a concept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConceptWish {
    /// It stays.
    Stays(ConceptForm),
    /// It moves, either way.
    Moves,
}

/// How far an answer moves along a concept, from its logits at both ends.
pub(super) struct ConceptResponse {
    /// Of each logit, the derivative less the mean of all: what all logits share changes nothing.
    moves: Vec<f64>,
    /// The mean of their squares.
    pub(super) square: f64,
}

impl ConceptResponse {
    pub(super) fn new(ahead: &[f64], behind: &[f64]) -> ConceptResponse {
        let span = 2.0 * f64::from(STEP);
        let both = ahead.iter().zip(behind);
        let mut moves: Vec<f64> = both
            .map(|(ahead, behind)| (ahead - behind) / span)
            .collect();
        let mean = moves.iter().sum::<f64>() / moves.len() as f64;
        moves.iter_mut().for_each(|by| *by -= mean);
        let square = moves.iter().map(|by| by * by).sum::<f64>() / moves.len() as f64;
        ConceptResponse { moves, square }
    }

    /// What is lost by it, and how that changes with its square.
    pub(super) fn loss(&self, wish: ConceptWish) -> (f64, f64) {
        match wish {
            ConceptWish::Stays(ConceptForm::Squared) => (self.square, 1.0),
            ConceptWish::Stays(ConceptForm::Hinged) => {
                let beyond = self.square - SLACK * SLACK;
                (beyond.max(0.0), if beyond > 0.0 { 1.0 } else { 0.0 })
            }
            ConceptWish::Moves => {
                let short = 1.0 - self.square / (ENOUGH * ENOUGH);
                let slope = -1.0 / (ENOUGH * ENOUGH);
                (short.max(0.0), if short > 0.0 { slope } else { 0.0 })
            }
        }
    }

    /// How its square changes with each logit at the end ahead; at the other end, the opposite.
    pub(super) fn slope_ahead(&self) -> Vec<f64> {
        let by = 1.0 / (f64::from(STEP) * self.moves.len() as f64);
        self.moves.iter().map(|moved| moved * by).collect()
    }
}

/// The concepts of a training, and which way each moves the layer now.
pub(super) struct ConceptVectors {
    concepts: Vec<ConceptImages>,
    layer: String,
    form: ConceptForm,
    refresh: usize,
    /// By concept; none before they are taken for the first time.
    pub(super) vectors: Vec<Vec<f32>>,
}

/// Images with a concept, and the same images without.
struct ConceptImages {
    concept: Concept,
    with: Vec<f32>,
    without: Vec<f32>,
}

impl ConceptVectors {
    /// Draws the images for a network, or says why it has no such vectors.
    pub(super) fn new(
        term: &ConceptTerm,
        network: &Network,
        seed: Seed,
    ) -> Result<ConceptVectors, Malformed> {
        let side = drawable_side(network.input())?;
        let layer = match &term.layer {
            Some(layer) => layer.clone(),
            None => usual_layer(network)?,
        };
        layer_node(network, &layer)?;
        if term.concepts.is_empty() {
            return Err(Malformed::new("a concept term without concepts"));
        }
        let images = |&concept: &Concept| ConceptImages::new(concept, term.pairs, side, seed);
        Ok(ConceptVectors {
            concepts: term.concepts.iter().map(images).collect(),
            layer,
            form: term.form,
            refresh: term.refresh.max(1),
            vectors: Vec::new(),
        })
    }

    /// Takes the vectors anew where a step is one before which that is due.
    pub(super) fn refresh(&mut self, step: usize, network: &Network) {
        if self.vectors.is_empty() || step.is_multiple_of(self.refresh) {
            self.vectors = self.taken(network);
        }
    }

    /// The vectors of a network as it answers.
    fn taken(&self, network: &Network) -> Vec<Vec<f32>> {
        let node = self.node(network);
        let layer = Compiled::new(up_to(network, node));
        let channels = network.shapes()[node][0];
        let vector = |images: &ConceptImages| {
            let with = channel_means(&layer.logits(&images.with), channels);
            let without = channel_means(&layer.logits(&images.without), channels);
            let both = with.iter().zip(&without);
            both.map(|(with, without)| (with - without) as f32)
                .collect()
        };
        self.concepts.iter().map(vector).collect()
    }

    /// The layer, as a node of a network that has it.
    pub(super) fn node(&self, network: &Network) -> usize {
        layer_node(network, &self.layer).expect("it was found when training began")
    }

    /// The concept a step is about: one after another.
    pub(super) fn turn(&self, step: usize) -> usize {
        step % self.concepts.len()
    }

    pub(super) fn wish(&self, concept: usize) -> ConceptWish {
        match self.concepts[concept].concept.kind() {
            ConceptKind::Artefact(_) => ConceptWish::Stays(self.form),
            ConceptKind::Medical(_) => ConceptWish::Moves,
        }
    }

    /// By how much the layer is moved at both ends of a concept.
    pub(super) fn ends(&self, concept: usize) -> [Vec<f32>; 2] {
        let along = |step: f32| {
            let vector = &self.vectors[concept];
            vector.iter().map(|by| step * by).collect()
        };
        [along(STEP), along(-STEP)]
    }

    /// The mean over concepts and images of what is lost by them, with vectors of the network itself.
    pub(super) fn mean_loss(&self, network: &Network, pixels: &[f32]) -> f64 {
        let vectors = ConceptVectors {
            concepts: Vec::new(),
            layer: self.layer.clone(),
            form: self.form,
            refresh: self.refresh,
            vectors: self.taken(network),
        };
        let losses = (0..self.concepts.len()).flat_map(|concept| {
            let responses = vectors.responses(concept, network, pixels);
            let loss = |response: ConceptResponse| response.loss(self.wish(concept)).0;
            responses.into_iter().map(loss).collect::<Vec<f64>>()
        });
        let losses: Vec<f64> = losses.collect();
        losses.iter().sum::<f64>() / losses.len() as f64
    }

    /// How far the answer to each image moves along a concept.
    pub(super) fn responses(
        &self,
        concept: usize,
        network: &Network,
        pixels: &[f32],
    ) -> Vec<ConceptResponse> {
        let node = self.node(network);
        let logits = self.ends(concept).map(|by| {
            let logits = Compiled::new(moved(network, node, &by)).logits(pixels);
            logits.into_iter().map(f64::from).collect::<Vec<f64>>()
        });
        let classes = network.classes().len();
        let ahead = logits[0].chunks_exact(classes);
        let both = ahead.zip(logits[1].chunks_exact(classes));
        both.map(|(ahead, behind)| ConceptResponse::new(ahead, behind))
            .collect()
    }
}

impl ConceptImages {
    fn new(concept: Concept, pairs: usize, side: usize, seed: Seed) -> ConceptImages {
        let recipe = ConceptRecipe {
            side,
            spread: 0.1,
            contrast: 1.0,
        };
        let mut images = ConceptImages {
            concept,
            with: Vec::new(),
            without: Vec::new(),
        };
        for number in 0..pairs.max(1) {
            let pair = concept_pair(concept, recipe, number, seed);
            images.with.extend(pair.with);
            images.without.extend(pair.without);
        }
        images
    }
}

/// Concepts are drawn into square images in colour.
fn drawable_side([channels, height, width]: ItemShape) -> Result<usize, Malformed> {
    match channels == 3 && height == width {
        true => Ok(height),
        false => Err(Malformed::new(format!(
            "concepts are drawn into square images of three channels, these have {channels} of {height} × {width}"
        ))),
    }
}

/// The batch norm of a name.
fn layer_node(network: &Network, name: &str) -> Result<usize, Malformed> {
    let is_norm = |node: usize| matches!(network.nodes()[node].operator, Operator::BatchNorm(_));
    let mut nodes = 0..network.nodes().len();
    match nodes.find(|&node| network.nodes()[node].name == name) {
        Some(node) if is_norm(node) => Ok(node),
        found => {
            let norms: Vec<&str> = (0..network.nodes().len())
                .filter(|&node| is_norm(node))
                .map(|node| &*network.nodes()[node].name)
                .collect();
            let what = found.map_or("not there", |_| "no batch norm");
            Err(Malformed::new(format!(
                "concept vectors are taken at a batch norm, and `{name}` is {what}; there are {}",
                norms.join(", ")
            )))
        }
    }
}

/// The last batch norm of the last stage but one, beside its path past the block.
fn usual_layer(network: &Network) -> Result<String, Malformed> {
    let stage = |name: &str| -> Option<usize> {
        let (stage, rest) = name.strip_prefix("layer")?.split_once('.')?;
        (!rest.contains("downsample")).then_some(())?;
        stage.parse().ok()
    };
    let norms = network.nodes().iter();
    let norms = norms.filter(|node| matches!(node.operator, Operator::BatchNorm(_)));
    let staged: Vec<(usize, &str)> = norms
        .filter_map(|node| Some((stage(&node.name)?, &*node.name)))
        .collect();
    let last = staged.iter().map(|(stage, _)| *stage).max().unwrap_or(0);
    let wanted = staged.iter().rev().find(|(stage, _)| stage + 1 == last);
    wanted.map(|(_, name)| name.to_string()).ok_or_else(|| {
        Malformed::new(
            "concept vectors are taken at a batch norm before the last stage, and this network has no stages; name the layer",
        )
    })
}

/// A network that ends with a node, whose values are its outputs: the channels of a place beside each
/// other.
fn up_to(network: &Network, node: usize) -> Network {
    let outputs: usize = network.shapes()[node].iter().product();
    let names = (0..outputs).map(|at| at.to_string()).collect();
    let nodes = network.nodes()[..=node].to_vec();
    Network::new(network.input(), names, nodes).expect("the beginning of a network is one")
}

/// The mean of each channel over all images and places.
fn channel_means(values: &[f32], channels: usize) -> Vec<f64> {
    let mut means = vec![0.0; channels];
    let places = values.chunks_exact(channels);
    let share = 1.0 / places.len() as f64;
    for place in places {
        let both = means.iter_mut().zip(place);
        both.for_each(|(mean, value)| *mean += share * f64::from(*value));
    }
    means
}

/// The same network with what a batch norm gives moved.
fn moved(network: &Network, node: usize, by: &[f32]) -> Network {
    let mut network = network.clone();
    if let Some(norm) = network.norm_mut(node) {
        let both = norm.shift.iter_mut().zip(by);
        both.for_each(|(shift, by)| *shift += by);
    }
    network
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::Residual;
    use crate::compiled::trainable::TrainableNetwork;
    use crate::instructions::InstructionSet;
    use crate::learner::{MovedLayer, NormUse, View};
    use crate::network::Normalise;

    fn network() -> Network {
        let classes = ["a", "b", "c"].map(String::from).to_vec();
        let normalise = Normalise {
            mean: vec![0.6; 3],
            scale: vec![4.0; 3],
            order: Vec::new(),
        };
        Residual::small(4, 1)
            .network([3, 16, 16], classes, normalise, Seed::new(1))
            .unwrap()
    }

    fn pixels() -> Vec<f32> {
        let mut draws = Seed::new(2).draws();
        (0..5 * 768).map(|_| draws.uniform() as f32).collect()
    }

    /// A network whose norms remember something like these images.
    fn remembering(pixels: &[f32]) -> Network {
        let set = InstructionSet::best_available();
        let mut taught = TrainableNetwork::new(network(), set, 1).unwrap();
        for _ in 0..60 {
            taught.accumulate_gradients(&[View::measured(pixels)], |_, _| 0.0);
        }
        taught.network().clone()
    }

    fn vectors(network: &Network) -> ConceptVectors {
        let term = ConceptTerm {
            pairs: 4,
            ..ConceptTerm::usual()
        };
        let mut vectors = ConceptVectors::new(&term, network, Seed::new(3)).unwrap();
        vectors.refresh(0, network);
        vectors
    }

    /// The exact derivative of a logit of an image along a vector: by the shift of the norm.
    fn exact(network: &Network, view: View<'_>, node: usize, along: &[f32], logit: usize) -> f64 {
        let set = InstructionSet::best_available();
        let mut taught = TrainableNetwork::new(network.clone(), set, 1).unwrap();
        taught.accumulate_gradients(&[view], |_, slopes| {
            slopes[0][logit] = 1.0;
            0.0
        });
        let lists = network.nodes()[..node].iter().map(|node| {
            let mut operator = node.operator.clone();
            operator
                .held_mut()
                .iter()
                .filter(|held| held.learnt)
                .count()
        });
        // The scale of the norm comes before its shift.
        let shift = lists.sum::<usize>() + 1;
        let (_, slope) = taught.gradients().nth(shift).unwrap();
        let both = slope.iter().zip(along);
        both.map(|(slope, by)| f64::from(slope * by)).sum()
    }

    #[test]
    fn the_difference_is_the_derivative_of_the_network_as_it_answers() {
        let pixels = pixels();
        let network = remembering(&pixels);
        let vectors = vectors(&network);
        let node = vectors.node(&network);
        assert_eq!(network.nodes()[node].name, "layer2.0.bn2");
        let mut worst: f64 = 0.0;
        let mut largest: f64 = 0.0;
        for concept in 0..vectors.concepts.len() {
            let found = vectors.responses(concept, &network, &pixels);
            for (image, response) in found.iter().enumerate() {
                let view = View::remembered(&pixels);
                let along = &vectors.vectors[concept];
                let of = |class| exact(&network, view, node, along, 3 * image + class);
                let exact = [of(0), of(1), of(2)];
                let mean = exact.iter().sum::<f64>() / 3.0;
                for (found, exact) in response.moves.iter().zip(exact) {
                    worst = worst.max((found - (exact - mean)).abs());
                    largest = largest.max((exact - mean).abs());
                }
            }
        }
        println!("furthest from the derivative: {worst:.2e} of {largest:.2e}");
        // A ReLU that bends in between is the difference; most of them do not.
        assert!(worst < 0.02 * largest, "{worst} {largest}");
    }

    #[test]
    fn statistics_of_the_batch_would_take_the_concept_out_again() {
        let pixels = pixels();
        let network = remembering(&pixels);
        let vectors = vectors(&network);
        let node = vectors.node(&network);
        let size = |norms: NormUse| {
            let squares = (0..vectors.concepts.len()).flat_map(|concept| {
                let along = &vectors.vectors[concept];
                let view = View {
                    norms,
                    ..View::measured(&pixels)
                };
                // All images are moved alike, as while it is taught.
                let set = InstructionSet::best_available();
                let ends = vectors.ends(concept);
                let logits = ends.map(|by| {
                    let mut taught = TrainableNetwork::new(network.clone(), set, 1).unwrap();
                    let moved = Some(MovedLayer { node, by: &by });
                    let mut seen = Vec::new();
                    taught.accumulate_gradients(&[View { moved, ..view }], |logits, _| {
                        seen = logits[0].iter().map(|&x| f64::from(x)).collect();
                        0.0
                    });
                    seen
                });
                assert_eq!(along.len(), 8);
                let ahead = logits[0].chunks_exact(3);
                let both = ahead.zip(logits[1].chunks_exact(3));
                let square = |(ahead, behind)| ConceptResponse::new(ahead, behind).square;
                both.map(square).collect::<Vec<f64>>()
            });
            squares.sum::<f64>().sqrt()
        };
        let [measured, remembered] = [NormUse::Measured, NormUse::Remembered].map(size);
        println!("moved by {remembered:.3} as it answers, {measured:.4} as a batch is measured");
        assert!(remembered > 1.4 * measured, "{remembered} {measured}");
    }

    #[test]
    fn a_moved_view_is_a_network_with_another_shift() {
        let pixels = pixels();
        let network = remembering(&pixels);
        let vectors = vectors(&network);
        let node = vectors.node(&network);
        let [ahead, _] = vectors.ends(0);
        let set = InstructionSet::best_available();
        let mut taught = TrainableNetwork::new(network.clone(), set, 1).unwrap();
        let view = View {
            moved: Some(MovedLayer { node, by: &ahead }),
            ..View::remembered(&pixels)
        };
        let mut seen = Vec::new();
        taught.accumulate_gradients(&[view], |logits, _| {
            seen = logits[0].clone();
            0.0
        });
        let asked = Compiled::new(moved(&network, node, &ahead)).logits(&pixels);
        for (seen, asked) in seen.iter().zip(&asked) {
            assert!((seen - asked).abs() < 1e-4, "{seen} {asked}");
        }
    }

    /// The concept term of a network at both ends of its first concept, and its slope by the weights of
    /// the last layer.
    fn term(network: &Network, vectors: &ConceptVectors, pixels: &[f32]) -> (f64, Vec<f32>) {
        let set = InstructionSet::best_available();
        let mut taught = TrainableNetwork::new(network.clone(), set, 1).unwrap();
        let node = vectors.node(network);
        let ends = vectors.ends(0);
        let views = [&ends[0], &ends[1]].map(|by| View {
            moved: Some(MovedLayer { node, by }),
            ..View::remembered(pixels)
        });
        let loss = taught.accumulate_gradients(&views, |logits, slopes| {
            let wide = |row: &[f32]| row.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>();
            let mut total = 0.0;
            for at in (0..logits[0].len()).step_by(3) {
                let [ahead, behind] = [0, 1].map(|view: usize| wide(&logits[view][at..at + 3]));
                let response = ConceptResponse::new(&ahead, &behind);
                let (loss, by_square) = response.loss(vectors.wish(0));
                total += loss;
                for (class, slope) in response.slope_ahead().into_iter().enumerate() {
                    slopes[0][at + class] = (by_square * slope) as f32;
                    slopes[1][at + class] = -(by_square * slope) as f32;
                }
            }
            total
        });
        let lists: Vec<Vec<f32>> = taught
            .gradients()
            .map(|(_, slope)| slope.to_vec())
            .collect();
        // The bias comes last, and moves nothing along a concept.
        let [.., weights, bias] = &lists[..] else {
            panic!("a last layer has weights and a bias");
        };
        assert!(bias.iter().all(|slope| slope.abs() < 1e-4), "{bias:?}");
        (loss, weights.clone())
    }

    #[test]
    fn the_slope_of_the_term_by_weights_is_that_of_differences() {
        let pixels = pixels();
        let network = remembering(&pixels);
        let vectors = vectors(&network);
        let (_, slopes) = term(&network, &vectors, &pixels);
        let largest = slopes.iter().fold(0.0_f32, |top, x| top.max(x.abs()));
        assert!(largest > 1e-6, "{largest}");
        let last = network.clone().learnt_mut().count() - 2;
        for at in 0..slopes.len() {
            let moved = |by: f32| {
                let mut network = network.clone();
                network.learnt_mut().nth(last).unwrap().values[at] += by;
                term(&network, &vectors, &pixels).0
            };
            // The term is a square of what these weights give, so that no step is too long.
            let difference = moved(0.5) - moved(-0.5);
            let slope = f64::from(slopes[at]);
            assert!(
                (difference - slope).abs() < 0.03 * f64::from(largest),
                "{at}: {difference} {slope}"
            );
        }
    }

    #[test]
    fn layers_that_are_no_batch_norm_and_images_that_cannot_be_drawn_on_are_refused() {
        let network = network();
        let refused = |term: ConceptTerm| {
            let why = ConceptVectors::new(&term, &network, Seed::new(1)).err();
            why.expect("refused").to_string()
        };
        let named = |layer: &str| ConceptTerm {
            layer: Some(layer.into()),
            ..ConceptTerm::usual()
        };
        assert!(refused(named("layer2.0.conv1")).contains("no batch norm"));
        assert!(refused(named("nowhere")).contains("layer2.0.bn2"));
        assert!(drawable_side([1, 8, 8]).is_err());
        assert!(drawable_side([3, 8, 9]).is_err());
    }
}
