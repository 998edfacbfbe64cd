//! Learners: a network and an optimiser, one step at a time.

use crate::compiled::trainable::TrainableNetwork;
pub use crate::compiled::trainable::{MovedLayer, NormUse, View};
use crate::instructions::InstructionSet;
use crate::network::{Malformed, Network};
use duress_core::objective::cross_entropy;

/// How a step is made of a gradient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Optimiser {
    /// Gradient descent with momentum; weight decay is part of the gradient.
    Sgd {
        /// The share of the last step that is kept.
        momentum: f64,
    },
    /// Adam with decoupled weight decay (Loshchilov and Hutter, 2019), β = (0.9, 0.999).
    Adam,
}

/// A network that learns from one batch after another, with the statistics of the batch in its
/// norms.
///
/// The same batches give the same bits, whatever the number of threads.
#[derive(Debug)]
pub struct BatchLearner {
    taught: TrainableNetwork,
    optimiser: Optimiser,
    weight_decay: f64,
    /// What the optimiser remembers of each list: the running means of the gradient and of its
    /// square.
    steps: Vec<[Vec<f32>; 2]>,
    /// The powers of Adam's two decay rates, which correct the running means for having begun at
    /// zero.
    powers: [f64; 2],
}

/// What an optimiser remembers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OptimiserMemory {
    /// Of each list: the running means of the gradient and of its square; none before the first step.
    pub(crate) steps: Vec<[Vec<f32>; 2]>,
    pub(crate) powers: [f64; 2],
}

impl BatchLearner {
    /// A network that has yet to learn; weights, not biases, are drawn to zero by `weight_decay`.
    pub fn new(
        network: Network,
        optimiser: Optimiser,
        weight_decay: f64,
    ) -> Result<BatchLearner, Malformed> {
        let taught = TrainableNetwork::new(network, InstructionSet::best_available(), usize::MAX)?;
        Ok(BatchLearner {
            taught,
            optimiser,
            weight_decay,
            steps: Vec::new(),
            powers: [1.0; 2],
        })
    }

    /// The same learner, at work with at most this many threads.
    pub fn with_threads(mut self, threads: usize) -> BatchLearner {
        self.taught.threads = threads.max(1);
        self
    }

    /// The network as it is now.
    pub fn network(&self) -> &Network {
        self.taught.network()
    }

    /// What it goes on from, beside its network: what the optimiser remembers.
    pub(crate) fn memory(&self) -> OptimiserMemory {
        OptimiserMemory {
            steps: self.steps.clone(),
            powers: self.powers,
        }
    }

    /// Goes on from a network of the same layers, and from what the optimiser remembered then.
    pub(crate) fn take_up(&mut self, network: Network, memory: OptimiserMemory) {
        self.taught.refill(network);
        self.steps = memory.steps;
        self.powers = memory.powers;
    }

    /// Lowers the mean cross-entropy of a batch, each item with the weight of its label, by one
    /// step of size `rate`; returns what it was before, or nothing when that, or a weight, is no
    /// longer a number.
    pub fn learn_batch(
        &mut self,
        pixels: &[f32],
        labels: &[u32],
        weight: impl Fn(u32) -> f64,
        rate: f64,
    ) -> Option<f64> {
        let total: f64 = labels.iter().map(|&label| weight(label)).sum();
        let of = |item: usize, logits: &[f32], slope: &mut [f32]| {
            let weight = weight(labels[item]) / total;
            weight * cross_entropy(logits, labels[item], weight, Some(slope)).loss
        };
        self.step_down(pixels, of, rate)
    }

    /// Lowers any sum over the items of a batch: `loss` says what an item adds to it, given its
    /// logits, and writes how that changes with them.
    pub fn step_down(
        &mut self,
        pixels: &[f32],
        loss: impl FnMut(usize, &[f32], &mut [f32]) -> f64,
        rate: f64,
    ) -> Option<f64> {
        let loss = of_each_item(self.network().classes().len(), loss);
        self.step_down_views(&[View::measured(pixels)], loss, rate)
    }

    /// Lowers anything that depends on the logits of several views of a batch, by one step of size
    /// `rate`: `loss` says what it is, and writes how it changes with each logit. Returns what it
    /// was before, or nothing when that, or a weight, is no longer a number.
    pub fn step_down_views(
        &mut self,
        views: &[View<'_>],
        loss: impl FnOnce(&[Vec<f32>], &mut [Vec<f32>]) -> f64,
        rate: f64,
    ) -> Option<f64> {
        let loss = self.taught.accumulate_gradients(views, loss);
        self.powers = [self.powers[0] * ADAM[0], self.powers[1] * ADAM[1]];
        let mut sound = loss.is_finite();
        for (at, (learnt, slope)) in self.taught.gradients().enumerate() {
            if self.steps.len() <= at {
                self.steps
                    .push([vec![0.0; slope.len()], vec![0.0; slope.len()]]);
            }
            let [mean, square] = &mut self.steps[at];
            let decay = if learnt.decays {
                self.weight_decay
            } else {
                0.0
            };
            match self.optimiser {
                Optimiser::Sgd { momentum } => {
                    sgd_step(learnt.values, slope, mean, rate, momentum, decay)
                }
                Optimiser::Adam => adam_step(
                    learnt.values,
                    slope,
                    [mean, square],
                    rate,
                    decay,
                    self.powers,
                ),
            }
            sound &= learnt.values.iter().all(|x| x.is_finite());
        }
        self.taught.repack_weights();
        sound.then_some(loss)
    }
}

/// The loss of a batch shown in one view, as the sum of what each item adds, given its logits of so
/// many classes.
pub(crate) fn of_each_item<Each>(
    classes: usize,
    mut each: Each,
) -> impl FnOnce(&[Vec<f32>], &mut [Vec<f32>]) -> f64
where
    Each: FnMut(usize, &[f32], &mut [f32]) -> f64,
{
    move |logits, slopes| {
        let rows = logits[0].chunks_exact(classes);
        let rows = rows.zip(slopes[0].chunks_exact_mut(classes));
        rows.enumerate()
            .map(|(item, (row, slope))| each(item, row, slope))
            .sum()
    }
}

fn sgd_step(
    parameter: &mut [f32],
    slope: &[f32],
    step: &mut [f32],
    rate: f64,
    momentum: f64,
    decay: f64,
) {
    let rate = rate as f32;
    let momentum = momentum as f32;
    let decay = decay as f32;
    for ((x, slope), step) in parameter.iter_mut().zip(slope).zip(step) {
        *step = momentum * *step + (slope + decay * *x);
        *x -= rate * *step;
    }
}

/// Adam's decay rates for the mean of the gradient and of its square, and what keeps the quotient
/// finite.
const ADAM: [f64; 2] = [0.9, 0.999];
const ADAM_EPSILON: f32 = 1e-8;

fn adam_step(
    parameter: &mut [f32],
    slope: &[f32],
    [mean, square]: [&mut Vec<f32>; 2],
    rate: f64,
    decay: f64,
    powers: [f64; 2],
) {
    let [keep, keep_square] = ADAM.map(|rate| rate as f32);
    let shrink = (1.0 - rate * decay) as f32;
    let step = (rate / (1.0 - powers[0])) as f32;
    let unbias = (1.0 / (1.0 - powers[1])) as f32;
    for (((x, &slope), mean), square) in parameter.iter_mut().zip(slope).zip(mean).zip(square) {
        *mean = keep * *mean + (1.0 - keep) * slope;
        *square = keep_square * *square + (1.0 - keep_square) * slope * slope;
        *x = shrink * *x - step * *mean / ((*square * unbias).sqrt() + ADAM_EPSILON);
    }
}
