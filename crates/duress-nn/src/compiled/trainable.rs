//! Networks being trained: the loss of a batch, and its gradient by every weight.

use std::sync::Arc;

use duress_stats::parallel::Budget;

use crate::compiled::lower::{Purpose, lower};
use crate::compiled::program::{CompiledProgram, StepKernel};
use crate::compiled::training_state::TrainingState;
use crate::compiled::{Job, WORTHWHILE, Workspace, effort, longest_segment, run_steps_together};
use crate::instructions::InstructionSet;
use crate::kernel::aligned::Aligned;
use crate::network::{Conv, LearntList, Malformed, Network, Operator};

/// How much of what a batch norm remembers is replaced by what it measures in a batch.
const MOMENTUM: f32 = 0.1;

#[derive(Debug)]
pub(crate) struct TrainableNetwork {
    network: Network,
    set: InstructionSet,
    /// The most threads it works with; how many it gets is up to the budget.
    pub(crate) threads: usize,
    program: CompiledProgram,
    training: TrainingState,
    zeros: Aligned,
    effort: usize,
    /// Fewer multiplications than this are left to one thread.
    pub(crate) worthwhile: usize,
    workspace: Workspace,
}

impl TrainableNetwork {
    pub(crate) fn new(
        network: Network,
        set: InstructionSet,
        threads: usize,
    ) -> Result<TrainableNetwork, Malformed> {
        if let Some(node) = network
            .nodes()
            .iter()
            .find(|node| matches!(node.operator, Operator::Dropout(share) if share > 0.0))
        {
            return Err(Malformed::new(format!(
                "node `{}` (dropout) cannot be taught here",
                node.name
            )));
        }
        let program = lower(&network, Purpose::Teaching, set);
        let zeros = Aligned::zeros(longest_segment(&program).max(1));
        let training = TrainingState::new(&network);
        let effort = effort(&program);
        Ok(TrainableNetwork {
            network,
            set,
            threads,
            program,
            training,
            zeros,
            effort,
            worthwhile: WORTHWHILE,
            workspace: Workspace::default(),
        })
    }

    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    /// The sum over a batch of what `loss` says an item adds, given its logits, while it writes how
    /// that changes with them. Afterwards [`TrainableNetwork::gradients`] has how the sum changes with each
    /// learnt list, and batch norms remember what they measured.
    pub(crate) fn accumulate_gradients(
        &mut self,
        pixels: &[f32],
        mut loss: impl FnMut(usize, &[f32], &mut [f32]) -> f64,
    ) -> f64 {
        self.training.begin_batch(&self.network);
        let items = pixels.len() / self.network.input_size();
        let worthwhile = items * self.effort >= self.worthwhile;
        let most = if worthwhile { self.threads - 1 } else { 0 };
        let helpers = Budget::current().spare(most);
        let team = 1 + helpers.threads();
        let job = Job {
            network: &self.network,
            set: self.set,
            pixels,
            zeros: &self.zeros,
            training: Some(&self.training),
        };
        let work = self.workspace.make_execution(&self.program, job);
        let finders = &mut self.workspace.finders;
        let program = &self.program;
        run_steps_together(&work, finders, team, 0..program.forward_steps);
        let k = self.network.classes().len();
        let mut total = 0.0;
        let logits = work.buffer_values(program.logits).to_vec();
        work.write_logit_gradient(
            program.logit_gradient.expect("teaching goes back"),
            |slopes| {
                for (item, (row, slope)) in logits
                    .chunks_exact(k)
                    .zip(slopes.chunks_exact_mut(k))
                    .enumerate()
                {
                    total += loss(item, row, slope);
                }
            },
        );
        run_steps_together(
            &work,
            finders,
            team,
            program.forward_steps..program.steps.len(),
        );
        self.update_running_norms(items);
        total
    }

    /// How the last batch's loss changes with each learnt list, and the lists.
    pub(crate) fn gradients(&mut self) -> impl Iterator<Item = (LearntList<'_>, &mut [f32])> {
        self.network.learnt_mut().zip(
            self.training
                .slopes
                .iter_mut()
                .map(|slopes| slopes.values()),
        )
    }

    /// What batch norms remember moves toward what they measured.
    fn update_running_norms(&mut self, items: usize) {
        for norm in &mut self.training.norms {
            let [_, height, width] = self.network.shapes()[norm.node];
            let n = (items * height * width) as f32;
            let mean = norm.mean.values();
            let variance = norm.variance.values();
            let Some(kept) = self.network.norm_mut(norm.node) else {
                continue;
            };
            let moved = |kept: &mut f32, found: f32| *kept += MOMENTUM * (found - *kept);
            kept.mean
                .iter_mut()
                .zip(mean)
                .for_each(|(kept, found)| moved(kept, *found));
            let unbiased = n / (n - 1.0).max(1.0);
            kept.variance
                .iter_mut()
                .zip(variance)
                .for_each(|(kept, found)| moved(kept, *found * unbiased));
        }
    }

    /// Packs the weights again after they have changed.
    pub(crate) fn repack_weights(&mut self) {
        let forward_steps = self.program.forward_steps;
        for (at, step) in self.program.steps.iter_mut().enumerate() {
            match &mut step.kernel {
                StepKernel::Product { product, node, .. } => {
                    let (weights, bias) = match &self.network.nodes()[*node].operator {
                        Operator::Conv(conv) => (&conv.weights, &conv.bias),
                        Operator::Dense(dense) => (&dense.weights, &dense.bias),
                        _ => unreachable!("only convolutions and dense layers are products"),
                    };
                    let product = Arc::get_mut(product).expect("a step has its product to itself");
                    let bias = product.is_forward().then_some(&bias[..]);
                    product.pack_weights(self.set, weights, None, bias);
                }
                StepKernel::Depthwise {
                    weights,
                    bias,
                    node,
                    ..
                } => {
                    let Operator::Conv(conv) = &self.network.nodes()[*node].operator else {
                        continue;
                    };
                    let weights = Arc::get_mut(weights).expect("a step has its weights to itself");
                    depthwise_by_tap(conv, weights);
                    if let Some(bias) =
                        Arc::get_mut(bias).filter(|_| at < forward_steps && !conv.bias.is_empty())
                    {
                        bias.copy_from_slice(&conv.bias);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Weights of a depthwise convolution as taps × channels.
fn depthwise_by_tap(conv: &Conv, weights: &mut [f32]) {
    let taps: usize = conv.window.kernel.iter().product();
    for (at, weight) in conv.weights.iter().enumerate() {
        weights[at % taps * conv.outputs + at / taps] = *weight;
    }
}
