//! What a step of training lowers: the terms of an objective, over the views of a batch.

use duress_core::objective::cross_entropy;

use serde::{Deserialize, Serialize};

use super::class_maps::OutputGrid;
use super::concepts::{ConceptResponse, ConceptWish};

/// How much each term counts beside the cross-entropy of the first view, whose weight is one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct TermWeights {
    /// KL(first view ‖ attacked view).
    pub(super) robust: f64,
    /// One minus the similarity of the class maps of the first and the attacked view.
    pub(super) stability: f64,
    /// KL(first view ‖ view with artefacts).
    pub(super) consistency: f64,
    /// How far answers move along a concept.
    pub(super) concept: f64,
}

/// Which place each view has among those of a batch; the first is what is taught.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ViewPlaces {
    pub(super) attacked: Option<usize>,
    pub(super) with_artefacts: Option<usize>,
    /// Both ends of a concept, and what is wanted along it.
    pub(super) concept: Option<([usize; 2], ConceptWish)>,
}

/// A batch as its loss sees it.
pub(super) struct BatchLoss<'a> {
    pub(super) grid: OutputGrid,
    pub(super) labels: &'a [u32],
    /// What each item counts in the cross-entropy, together one, as PyTorch does. The other terms are
    /// means over items.
    pub(super) item_shares: &'a [f64],
    pub(super) weights: TermWeights,
    pub(super) places: ViewPlaces,
}

/// What a batch lost, term by term, each without its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TermValues {
    /// Cross-entropy of what was taught.
    pub task: f64,
    /// KL between what was taught and what was attacked.
    pub robust: f64,
    /// One minus the similarity of class maps.
    pub stability: f64,
    /// KL between what was taught and the same with artefacts.
    pub consistency: f64,
    /// What is lost by how far answers move along concepts.
    pub concept: f64,
}

impl TermWeights {
    /// The weighted sum of some terms.
    pub(super) fn total(&self, terms: &TermValues) -> f64 {
        terms.task
            + self.robust * terms.robust
            + self.stability * terms.stability
            + self.consistency * terms.consistency
            + self.concept * terms.concept
    }
}

impl TermValues {
    /// Adds a share of other terms to these.
    pub(super) fn add(&mut self, other: &TermValues, share: f64) {
        self.task += share * other.task;
        self.robust += share * other.robust;
        self.stability += share * other.stability;
        self.consistency += share * other.consistency;
        self.concept += share * other.concept;
    }
}

impl BatchLoss<'_> {
    /// The terms of a batch, given the outputs of each view; adds to `slopes` how their weighted sum
    /// changes with them.
    pub(super) fn evaluate(&self, outputs: &[Vec<f32>], slopes: &mut [Vec<f32>]) -> TermValues {
        let mut terms = TermValues::default();
        for item in 0..self.labels.len() {
            self.add_task(item, outputs, slopes, &mut terms);
            if let Some(attacked) = self.places.attacked {
                let views = [0, attacked];
                terms.robust +=
                    self.add_divergence(item, views, self.weights.robust, outputs, slopes);
                if self.weights.stability > 0.0 {
                    terms.stability += self.add_stability(item, attacked, outputs, slopes);
                }
            }
            if let Some(other) = self.places.with_artefacts {
                let weight = self.weights.consistency;
                terms.consistency += self.add_divergence(item, [0, other], weight, outputs, slopes);
            }
            if let Some((ends, wish)) = self.places.concept {
                terms.concept += self.add_concept(item, ends, wish, outputs, slopes);
            }
        }
        terms
    }

    fn add_task(
        &self,
        item: usize,
        outputs: &[Vec<f32>],
        slopes: &mut [Vec<f32>],
        terms: &mut TermValues,
    ) {
        let weight = self.item_shares[item];
        let logits = self.grid.logits(self.of_item(&outputs[0], item));
        let logits: Vec<f32> = logits.iter().map(|&logit| logit as f32).collect();
        let mut slope = vec![0.0; logits.len()];
        let loss = cross_entropy(&logits, self.labels[item], weight, Some(&mut slope)).loss;
        terms.task += weight * loss;
        let slope: Vec<f64> = slope.iter().map(|&slope| f64::from(slope)).collect();
        let room = self.of_item_mut(&mut slopes[0], item);
        self.grid.add_logit_slopes(room, &slope, 1.0);
    }

    /// An item's share of the mean KL between the answers to two views. Both are moved.
    fn add_divergence(
        &self,
        item: usize,
        [first, second]: [usize; 2],
        weight: f64,
        outputs: &[Vec<f32>],
        slopes: &mut [Vec<f32>],
    ) -> f64 {
        let share = 1.0 / self.labels.len() as f64;
        let first_logits = self.grid.logits(self.of_item(&outputs[first], item));
        let second_logits = self.grid.logits(self.of_item(&outputs[second], item));
        let divergence = Divergence::new(&first_logits, &second_logits);
        if weight > 0.0 {
            let room = self.of_item_mut(&mut slopes[first], item);
            let slope = divergence.slope_of_first();
            self.grid.add_logit_slopes(room, &slope, weight * share);
            let room = self.of_item_mut(&mut slopes[second], item);
            let slope = divergence.slope_of_second();
            self.grid.add_logit_slopes(room, &slope, weight * share);
        }
        share * divergence.value
    }

    /// An item's share of one minus the mean similarity of its label's maps. Both are moved.
    fn add_stability(
        &self,
        item: usize,
        attacked: usize,
        outputs: &[Vec<f32>],
        slopes: &mut [Vec<f32>],
    ) -> f64 {
        let share = 1.0 / self.labels.len() as f64;
        let weight = self.weights.stability * share;
        let label = self.labels[item];
        let clean = self.grid.class_map(self.of_item(&outputs[0], item), label);
        let moved = self
            .grid
            .class_map(self.of_item(&outputs[attacked], item), label);
        let similarity = MapSimilarity::new(&clean, &moved);
        for (view, slope) in [
            (0, similarity.slope(&clean, &moved)),
            (attacked, similarity.slope(&moved, &clean)),
        ] {
            let room = self.of_item_mut(&mut slopes[view], item);
            self.grid.add_map_slopes(room, label, &slope, -weight);
        }
        share * (1.0 - similarity.value)
    }

    /// An item's share of the mean loss by how far answers move along a concept. Both ends are moved.
    fn add_concept(
        &self,
        item: usize,
        ends: [usize; 2],
        wish: ConceptWish,
        outputs: &[Vec<f32>],
        slopes: &mut [Vec<f32>],
    ) -> f64 {
        let share = 1.0 / self.labels.len() as f64;
        let logits = ends.map(|view| self.grid.logits(self.of_item(&outputs[view], item)));
        let response = ConceptResponse::new(&logits[0], &logits[1]);
        let (loss, by_square) = response.loss(wish);
        let weight = self.weights.concept * share * by_square;
        let slope = response.slope_ahead();
        for (view, sign) in [(ends[0], 1.0), (ends[1], -1.0)] {
            let room = self.of_item_mut(&mut slopes[view], item);
            self.grid.add_logit_slopes(room, &slope, sign * weight);
        }
        share * loss
    }

    fn of_item<'v>(&self, outputs: &'v [f32], item: usize) -> &'v [f32] {
        &outputs[item * self.grid.outputs()..][..self.grid.outputs()]
    }

    fn of_item_mut<'v>(&self, slopes: &'v mut [f32], item: usize) -> &'v mut [f32] {
        &mut slopes[item * self.grid.outputs()..][..self.grid.outputs()]
    }
}

/// KL(softmax of the first logits ‖ softmax of the second).
pub(super) struct Divergence {
    first: Vec<f64>,
    second: Vec<f64>,
    log_ratio: Vec<f64>,
    pub(super) value: f64,
}

impl Divergence {
    pub(super) fn new(first: &[f64], second: &[f64]) -> Divergence {
        let log_first = log_softmax(first);
        let log_second = log_softmax(second);
        let log_ratio: Vec<f64> = log_first
            .iter()
            .zip(&log_second)
            .map(|(first, second)| first - second)
            .collect();
        let first: Vec<f64> = log_first.into_iter().map(libm::exp).collect();
        let value = first
            .iter()
            .zip(&log_ratio)
            .map(|(p, ratio)| p * ratio)
            .sum();
        Divergence {
            first,
            second: log_second.into_iter().map(libm::exp).collect(),
            log_ratio,
            value,
        }
    }

    fn slope_of_first(&self) -> Vec<f64> {
        let each = self.first.iter().zip(&self.log_ratio);
        each.map(|(p, ratio)| p * (ratio - self.value)).collect()
    }

    pub(super) fn slope_of_second(&self) -> Vec<f64> {
        let each = self.second.iter().zip(&self.first);
        each.map(|(q, p)| q - p).collect()
    }
}

fn log_softmax(logits: &[f64]) -> Vec<f64> {
    let top = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logits.iter().map(|logit| libm::exp(logit - top)).sum();
    let log_sum = top + libm::log(sum);
    logits.iter().map(|logit| logit - log_sum).collect()
}

/// Keeps the similarity of two flat maps at one: the C₂ of SSIM for maps that range over one logit.
const FLAT: f64 = 0.03 * 0.03;

/// How alike two maps are: the contrast and structure of SSIM with one window as large as the map,
/// (2 cov + C) / (var + var + C). The luminance is left out, for a class map may be shifted as a
/// whole without meaning anything else.
struct MapSimilarity {
    value: f64,
    /// Twice the covariance and the sum of variances, with what keeps flat maps alike.
    shared: f64,
    spread: f64,
}

impl MapSimilarity {
    fn new(a: &[f64], b: &[f64]) -> MapSimilarity {
        let places = a.len() as f64;
        let mean_a = mean(a);
        let mean_b = mean(b);
        let mut shared = 0.0;
        let mut spread = 0.0;
        for (a, b) in a.iter().zip(b) {
            let da = a - mean_a;
            let db = b - mean_b;
            shared += 2.0 * da * db / places;
            spread += (da * da + db * db) / places;
        }
        shared += FLAT;
        spread += FLAT;
        MapSimilarity {
            value: shared / spread,
            shared,
            spread,
        }
    }

    /// How it changes with each place of `of`, one of the two maps, given the other.
    fn slope(&self, of: &[f64], other: &[f64]) -> Vec<f64> {
        let places = of.len() as f64;
        let mean_of = mean(of);
        let mean_other = mean(other);
        let each = |(of, other): (&f64, &f64)| {
            let toward = (other - mean_other) / self.spread;
            let apart = (of - mean_of) * self.shared / (self.spread * self.spread);
            2.0 * (toward - apart) / places
        };
        of.iter().zip(other).map(each).collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::super::concepts::ConceptForm;
    use super::*;

    const GRID: OutputGrid = OutputGrid {
        classes: 3,
        places: 4,
    };

    fn outputs(seed: u64) -> Vec<Vec<f32>> {
        let mut draws = Seed::new(seed).draws();
        let mut view = || (0..2 * 12).map(|_| draws.normal() as f32).collect();
        let mut views: Vec<Vec<f32>> = vec![view(), view(), view(), view()];
        // The ends of a concept are near each other.
        let near = views[3].iter().map(|x| x + 0.1 * draws.normal() as f32);
        let near = near.collect();
        views.push(near);
        views
    }

    const SQUARED: ConceptWish = ConceptWish::Stays(ConceptForm::Squared);

    fn batch(weights: TermWeights, wish: ConceptWish) -> BatchLoss<'static> {
        BatchLoss {
            grid: GRID,
            labels: &[2, 0],
            item_shares: &[0.2, 0.8],
            weights,
            places: ViewPlaces {
                attacked: Some(1),
                with_artefacts: Some(2),
                concept: Some(([3, 4], wish)),
            },
        }
    }

    #[test]
    fn slopes_of_every_term_are_those_of_differences() {
        let none = TermWeights::default();
        let robust = TermWeights {
            robust: 6.0,
            ..none
        };
        let stability = TermWeights {
            stability: 0.7,
            ..none
        };
        let consistency = TermWeights {
            consistency: 3.0,
            ..none
        };
        let concept = TermWeights {
            concept: 0.8,
            ..none
        };
        for (weights, wish) in [
            (none, SQUARED),
            (robust, SQUARED),
            (stability, SQUARED),
            (consistency, SQUARED),
            (concept, SQUARED),
            (concept, ConceptWish::Stays(ConceptForm::Hinged)),
            (concept, ConceptWish::Moves),
        ] {
            let batch = batch(weights, wish);
            let total = |outputs: &[Vec<f32>]| {
                let mut slopes = vec![vec![0.0; 24]; 5];
                let terms = batch.evaluate(outputs, &mut slopes);
                (weights.total(&terms), slopes)
            };
            let at = outputs(1);
            let (_, slopes) = total(&at);
            for view in 0..5 {
                for which in 0..24 {
                    let step = 1e-2_f32;
                    let moved = |by: f32| {
                        let mut outputs = at.clone();
                        outputs[view][which] += by;
                        total(&outputs).0
                    };
                    let difference = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
                    let slope = f64::from(slopes[view][which]);
                    assert!(
                        (difference - slope).abs() < 2e-3 * (1.0 + slope.abs()),
                        "{weights:?} view {view} output {which}: {difference} {slope}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_term_without_weight_moves_nothing_and_is_told_all_the_same() {
        let batch = batch(TermWeights::default(), SQUARED);
        let mut slopes = vec![vec![0.0; 24]; 5];
        let terms = batch.evaluate(&outputs(2), &mut slopes);
        assert!(terms.robust > 0.0 && terms.consistency > 0.0, "{terms:?}");
        assert!(slopes[1..].iter().flatten().all(|slope| *slope == 0.0));
    }

    #[test]
    fn flat_maps_are_alike_and_a_flat_map_is_unlike_any_other() {
        assert_eq!(MapSimilarity::new(&[1.0; 4], &[3.0; 4]).value, 1.0);
        let unlike = MapSimilarity::new(&[1.0; 4], &[0.0, 9.0, 0.0, 9.0]).value;
        assert!(unlike < 1e-3, "{unlike}");
        let opposite = MapSimilarity::new(&[0.0, 1.0], &[1.0, 0.0]).value;
        assert!(opposite < -0.99, "{opposite}");
    }
}
