//! Training: from images and their labels to a network.

use std::fmt;

use duress_core::data::Images;
use duress_core::seed::{Draws, Seed};
use duress_core::truth::Labels;

use crate::architecture::Residual;
use crate::compiled::Compiled;
use crate::learner::BatchLearner;
pub use crate::learner::Optimiser;
use crate::network::{Malformed, Network, Normalise};

/// How a network is made and taught.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingRecipe {
    pub layers: Layers,
    /// How often it sees every image.
    pub epochs: usize,
    /// How many images go into a step.
    pub batch: usize,
    /// How a step is made of a gradient.
    pub optimiser: Optimiser,
    /// The first step size; it falls to zero along half a cosine.
    pub rate: f64,
    /// How strongly weights (not biases) are drawn to zero.
    pub weight_decay: f64,
    pub class_weights: ClassWeights,
    /// When to stop before the last epoch.
    pub early_stopping: Option<EarlyStopping>,
    /// How far each pixel of what is taught is moved against the network first; 0 teaches the
    /// images as they are.
    pub adversarial: f64,
}

/// What a network is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Layers {
    /// Dense layers; the widths of the hidden ones, none for a linear network.
    Dense(Vec<usize>),
    /// Residual blocks of convolutions.
    Residual(Residual),
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
}

pub fn train(
    images: &Images,
    labels: &Labels,
    recipe: &TrainingRecipe,
    seed: Seed,
) -> Result<Network, Untrained> {
    let (taught, held_out) = divide(
        images.len(),
        recipe.early_stopping,
        seed.child("validation"),
    );
    if taught.is_empty() {
        return Err(Untrained::NothingToLearn(format!(
            "{} images are too few",
            images.len()
        )));
    }
    let shape = images.shape();
    let classes = labels.classes().to_vec();
    let normalise = channel_scale(images, &taught);
    let first = seed.child("weights");
    let network = match &recipe.layers {
        Layers::Dense(hidden) => Network::fresh(shape, classes, normalise, hidden, first),
        Layers::Residual(residual) => residual.network(shape, classes, normalise, first),
    };
    let learner = network
        .and_then(|network| BatchLearner::new(network, recipe.optimiser, recipe.weight_decay));
    let training = Training {
        learner: learner.map_err(Untrained::Malformed)?,
        lesson: TrainingSet {
            images,
            labels,
            class_weights: class_weights(labels, &taught, recipe.class_weights),
        },
        recipe,
        noise: seed.child("adversarial").draws(),
        step: 0,
        total: recipe.epochs * taught.len().div_ceil(recipe.batch.max(1)),
    };
    training.run_epochs(taught, &held_out, seed.child("order").draws())
}

/// Which images are taught, and which are held out.
fn divide(images: usize, stopping: Option<EarlyStopping>, seed: Seed) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..images).collect();
    let Some(stopping) = stopping else {
        return (order, Vec::new());
    };
    seed.draws().shuffle(&mut order);
    // At least one is held out, or there would be nothing to stop by.
    let held_out = ((images as f64 * stopping.share) as usize)
        .max(1)
        .min(images);
    let taught = order.split_off(held_out);
    (taught, order)
}

/// Mean zero and variance one over the images taught; a channel that never varies is only shifted.
fn channel_scale(images: &Images, which: &[usize]) -> Normalise {
    let [channels, height, width] = images.shape();
    let plane = height * width;
    let mut normalise = Normalise::identity(channels);
    for channel in 0..channels {
        let values = || {
            let of = move |&i: &usize| &images.image(i)[channel * plane..(channel + 1) * plane];
            which.iter().flat_map(of).map(|&x| f64::from(x))
        };
        let n = (which.len() * plane) as f64;
        let mean = values().sum::<f64>() / n;
        let variance = values().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        normalise.mean[channel] = mean as f32;
        if variance > 1e-12 {
            normalise.scale[channel] = (1.0 / libm::sqrt(variance)) as f32;
        }
    }
    normalise
}

fn class_weights(labels: &Labels, which: &[usize], how: ClassWeights) -> Vec<f64> {
    let classes = labels.classes().len();
    if how == ClassWeights::Equal {
        return vec![1.0; classes];
    }
    let mut counts = vec![0_usize; classes];
    which
        .iter()
        .for_each(|&i| counts[labels.of()[i] as usize] += 1);
    // A class nobody is taught has no item whose weight could matter.
    counts
        .iter()
        .map(|&count| which.len() as f64 / (classes * count.max(1)) as f64)
        .collect()
}

struct TrainingSet<'a> {
    images: &'a Images,
    labels: &'a Labels,
    class_weights: Vec<f64>,
}

impl TrainingSet<'_> {
    fn weight(&self, label: u32) -> f64 {
        self.class_weights[label as usize]
    }

    fn gather(&self, which: &[usize]) -> (Vec<f32>, Vec<u32>) {
        let pixels = which
            .iter()
            .flat_map(|&i| self.images.image(i))
            .copied()
            .collect();
        (pixels, which.iter().map(|&i| self.labels.of()[i]).collect())
    }
}

struct Training<'a> {
    learner: BatchLearner,
    lesson: TrainingSet<'a>,
    recipe: &'a TrainingRecipe,
    /// What the starts of attacks are drawn from.
    noise: Draws,
    step: usize,
    total: usize,
}

impl Training<'_> {
    fn run_epochs(
        mut self,
        mut order: Vec<usize>,
        held_out: &[usize],
        mut draws: Draws,
    ) -> Result<Network, Untrained> {
        let mut best: Option<(f64, usize, Network)> = None;
        for epoch in 1..=self.recipe.epochs {
            draws.shuffle(&mut order);
            let diverged = Untrained::Diverged { epoch };
            let batches: Vec<&[usize]> = order.chunks(self.recipe.batch.max(1)).collect();
            for batch in batches {
                self.learn(batch).ok_or_else(|| diverged.clone())?;
            }
            let Some(stopping) = self.recipe.early_stopping else {
                continue;
            };
            let loss = self.held_out_loss(held_out);
            if best.as_ref().is_none_or(|(lowest, ..)| loss < *lowest) {
                best = Some((loss, epoch, self.learner.network().clone()));
            } else if best
                .as_ref()
                .is_some_and(|(_, at, _)| epoch - at >= stopping.patience)
            {
                break;
            }
        }
        Ok(best.map_or_else(|| self.learner.network().clone(), |(.., network)| network))
    }

    /// One step; nothing when the loss is no longer a number.
    fn learn(&mut self, batch: &[usize]) -> Option<f64> {
        let (mut pixels, labels) = self.lesson.gather(batch);
        if self.recipe.adversarial > 0.0 {
            pixels = self.attacked(pixels, &labels);
        }
        let turned = std::f64::consts::PI * self.step as f64 / self.total as f64;
        let rate = self.recipe.rate * 0.5 * (1.0 + libm::cos(turned));
        self.step += 1;
        let lesson = &self.lesson;
        self.learner
            .learn_batch(&pixels, &labels, |label| lesson.weight(label), rate)
    }

    /// The images after one step up the loss from a random start, within reach and within [0, 1]:
    /// adversarial training with steps of 1.25 times the reach is about as good as with many small
    /// ones (Wong, Rice and Kolter, 2020).
    fn attacked(&mut self, pixels: Vec<f32>, labels: &[u32]) -> Vec<f32> {
        let reach = self.recipe.adversarial as f32;
        let start: Vec<f32> = pixels
            .iter()
            .map(|x| (x + reach * (2.0 * self.noise.uniform() as f32 - 1.0)).clamp(0.0, 1.0))
            .collect();
        let mut slope = vec![0.0; pixels.len()];
        Compiled::new(self.learner.network().clone()).losses(&start, labels, Some(&mut slope));
        let moved = start
            .iter()
            .zip(&slope)
            .zip(&pixels)
            .map(|((start, slope), x)| {
                let step = if *slope == 0.0 {
                    0.0
                } else {
                    1.25 * reach * slope.signum()
                };
                (start + step).clamp(x - reach, x + reach).clamp(0.0, 1.0)
            });
        moved.collect()
    }

    /// The mean loss on images that are not taught.
    fn held_out_loss(&self, which: &[usize]) -> f64 {
        let (pixels, labels) = self.lesson.gather(which);
        let losses = Compiled::new(self.learner.network().clone()).losses(&pixels, &labels, None);
        let mut sum = 0.0;
        let mut weights = 0.0;
        for (loss, &label) in losses.iter().zip(&labels) {
            sum += loss.loss * self.lesson.weight(label);
            weights += self.lesson.weight(label);
        }
        sum / weights
    }
}

impl fmt::Display for Untrained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untrained::NothingToLearn(why) => write!(f, "there is nothing to learn from: {why}"),
            Untrained::Malformed(why) => write!(f, "{why}"),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes that differ in which half of the image is brighter; one class is three times as
    /// frequent.
    fn halves(items: usize) -> (Images, Labels) {
        let mut draws = Seed::new(9).draws();
        let label = |i: usize| u32::from(i.is_multiple_of(4));
        let mut pixel = |i: usize, at: usize| {
            let bright = u32::from(at < 2) == label(i);
            (0.4 * draws.uniform() + if bright { 0.6 } else { 0.0 }) as f32
        };
        let pixels = (0..items * 4).map(|at| pixel(at / 4, at % 4)).collect();
        let labels = Labels::new(
            vec!["left".into(), "right".into()],
            (0..items).map(label).collect(),
        );
        (Images::new([1, 2, 2], pixels).unwrap(), labels.unwrap())
    }

    fn recipe() -> TrainingRecipe {
        TrainingRecipe {
            layers: Layers::Dense(vec![5]),
            epochs: 20,
            batch: 8,
            optimiser: Optimiser::Adam,
            rate: 0.02,
            weight_decay: 1e-4,
            class_weights: ClassWeights::Balanced,
            early_stopping: None,
            adversarial: 0.0,
        }
    }

    fn share_right(network: &Network, images: &Images, labels: &Labels) -> f64 {
        let losses = Compiled::new(network.clone()).losses(images.pixels(), labels.of(), None);
        losses.iter().filter(|loss| loss.right).count() as f64 / losses.len() as f64
    }

    #[test]
    fn every_recipe_learns_what_can_be_learnt() {
        let (images, labels) = halves(64);
        let stopping = Some(EarlyStopping {
            share: 0.25,
            patience: 5,
        });
        let sgd = Optimiser::Sgd { momentum: 0.9 };
        for recipe in [
            recipe(),
            TrainingRecipe {
                layers: Layers::Dense(vec![]),
                ..recipe()
            },
            TrainingRecipe {
                layers: Layers::Dense(vec![6, 4]),
                ..recipe()
            },
            TrainingRecipe {
                optimiser: sgd,
                rate: 0.1,
                ..recipe()
            },
            TrainingRecipe {
                class_weights: ClassWeights::Equal,
                ..recipe()
            },
            TrainingRecipe {
                early_stopping: stopping,
                ..recipe()
            },
            TrainingRecipe {
                layers: Layers::Residual(Residual::small(4, 1)),
                ..recipe()
            },
        ] {
            let network = train(&images, &labels, &recipe, Seed::new(1)).unwrap();
            assert!(share_right(&network, &images, &labels) > 0.98, "{recipe:?}");
        }
    }

    #[test]
    fn a_network_taught_under_attack_loses_less_to_it() {
        let (images, labels) = halves(64);
        let attacked = TrainingRecipe {
            adversarial: 0.25,
            epochs: 60,
            ..recipe()
        };
        let plain = TrainingRecipe {
            epochs: 60,
            ..recipe()
        };
        let loss = |recipe: &TrainingRecipe| {
            let network = train(&images, &labels, recipe, Seed::new(3)).unwrap();
            let compiled = Compiled::new(network);
            let mut slope = vec![0.0; images.pixels().len()];
            compiled.losses(images.pixels(), labels.of(), Some(&mut slope));
            let moved: Vec<f32> = images
                .pixels()
                .iter()
                .zip(&slope)
                .map(|(x, s)| (x + 0.25 * s.signum()).clamp(0.0, 1.0))
                .collect();
            let losses = compiled.losses(&moved, labels.of(), None);
            losses.iter().map(|loss| loss.loss).sum::<f64>() / losses.len() as f64
        };
        let taught = loss(&attacked);
        let plain = loss(&plain);
        assert!(taught < 0.9 * plain, "{taught} {plain}");
    }

    #[test]
    fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
        let (images, labels) = halves(32);
        let train = |seed| train(&images, &labels, &recipe(), Seed::new(seed)).unwrap();
        assert_eq!(train(1), train(1));
        assert_ne!(train(1), train(2));
    }

    #[test]
    fn a_rate_that_is_too_large_is_said_and_not_returned() {
        let (images, labels) = halves(32);
        let sgd = Optimiser::Sgd { momentum: 0.9 };
        let wild = TrainingRecipe {
            optimiser: sgd,
            rate: 1e30,
            ..recipe()
        };
        let why = train(&images, &labels, &wild, Seed::new(1)).unwrap_err();
        assert!(matches!(why, Untrained::Diverged { .. }), "{why}");
    }

    #[test]
    fn early_stopping_keeps_the_best_epoch_not_the_last() {
        let (images, labels) = halves(48);
        let noisy = Labels::new(labels.classes().to_vec(), {
            let mut draws = Seed::new(2).draws();
            labels
                .of()
                .iter()
                .map(|&label| if draws.chance(0.3) { 1 - label } else { label })
                .collect()
        });
        let (long, noisy) = (
            TrainingRecipe {
                epochs: 300,
                layers: Layers::Dense(vec![32]),
                ..recipe()
            },
            noisy.unwrap(),
        );
        let stopping = EarlyStopping {
            share: 0.3,
            patience: 10,
        };
        let stopped = TrainingRecipe {
            early_stopping: Some(stopping),
            ..long.clone()
        };
        let (taught, held_out) = divide(
            images.len(),
            Some(stopping),
            Seed::new(1).child("validation"),
        );
        let kept = train(&images, &noisy, &stopped, Seed::new(1)).unwrap();
        let pixels = taught
            .iter()
            .flat_map(|&i| images.image(i))
            .copied()
            .collect();
        let of = taught.iter().map(|&i| noisy.of()[i]).collect();
        let (images_taught, labels_taught) = (
            Images::new([1, 2, 2], pixels).unwrap(),
            Labels::new(noisy.classes().to_vec(), of).unwrap(),
        );
        let last = train(&images_taught, &labels_taught, &long, Seed::new(1)).unwrap();
        let loss = |network: &Network| {
            let losses = Compiled::new(network.clone()).losses(images.pixels(), noisy.of(), None);
            held_out.iter().map(|&i| losses[i].loss).sum::<f64>()
        };
        assert!(loss(&kept) < loss(&last), "{} {}", loss(&kept), loss(&last));
    }

    #[test]
    fn nothing_to_learn_from_is_said() {
        let images = Images::new([1, 2, 2], vec![]).unwrap();
        let labels = Labels::new(vec!["a".into(), "b".into()], vec![]).unwrap();
        assert!(train(&images, &labels, &recipe(), Seed::new(1)).is_err());
    }
}
