//! Networks being trained: the loss of a batch, and its gradient by every weight.

use duress_core::seed::Seed;
use duress_stats::parallel::Budget;

use crate::compiled::lower::{Purpose, lower};
use crate::compiled::program::CompiledProgram;
use crate::compiled::training_state::TrainingState;
use crate::compiled::{Job, WORTHWHILE, Workspace, effort, longest_segment, run_steps_together};
use crate::instructions::InstructionSet;
use crate::kernel::aligned::Aligned;
use crate::network::{LearntList, Malformed, Network};

/// How much of what a batch norm remembers is replaced by what it measures in a batch.
const MOMENTUM: f32 = 0.1;

#[derive(Debug)]
pub(crate) struct TrainableNetwork {
    network: Network,
    set: InstructionSet,
    /// The most threads it works with; how many it gets is up to the budget.
    pub(crate) threads: usize,
    program: CompiledProgram,
    /// What each view of a batch is worked on with; the first one's gradients are the sum of all.
    desks: Vec<ViewDesk>,
    zeros: Aligned,
    effort: usize,
    /// Fewer multiplications than this are left to one thread.
    pub(crate) worthwhile: usize,
}

/// One way of showing a batch: its images, and what the network does with them.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub pixels: &'a [f32],
    /// Which statistics norms use on them.
    pub norms: NormUse,
    /// What dropouts draw from; without, they forget nothing.
    pub dropout: Option<Seed>,
    /// A layer whose values are moved.
    pub moved: Option<MovedLayer<'a>>,
}

/// What a batch norm gives, moved by so much in each channel, at every place.
#[derive(Clone, Copy, Debug)]
pub struct MovedLayer<'a> {
    /// Which node it is.
    pub node: usize,
    pub by: &'a [f32],
}

impl<'a> View<'a> {
    /// Images shown as a batch is learnt from: norms measure it.
    pub fn measured(pixels: &'a [f32]) -> View<'a> {
        View {
            pixels,
            norms: NormUse::Measured,
            dropout: None,
            moved: None,
        }
    }

    /// Images shown as the network is asked: norms use what they remember.
    pub fn remembered(pixels: &'a [f32]) -> View<'a> {
        View {
            norms: NormUse::Remembered,
            ..View::measured(pixels)
        }
    }
}

/// Which mean and variance batch norms bring a view to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormUse {
    /// Those of the view itself, which are then remembered.
    Measured,
    /// Those remembered, as when the network is asked.
    Remembered,
}

#[derive(Debug)]
struct ViewDesk {
    training: TrainingState,
    workspace: Workspace,
}

impl TrainableNetwork {
    pub(crate) fn new(
        network: Network,
        set: InstructionSet,
        threads: usize,
    ) -> Result<TrainableNetwork, Malformed> {
        let program = lower(&network, Purpose::Teaching, set);
        let zeros = Aligned::zeros(longest_segment(&program).max(1));
        let effort = effort(&program);
        Ok(TrainableNetwork {
            network,
            set,
            threads,
            program,
            desks: Vec::new(),
            zeros,
            effort,
            worthwhile: WORTHWHILE,
        })
    }

    pub(crate) fn network(&self) -> &Network {
        &self.network
    }

    /// Takes over the numbers of a network of the same layers.
    pub(crate) fn refill(&mut self, network: Network) {
        self.network = network;
        self.repack_weights();
    }

    /// What `loss` says of a batch that is shown in several views, given the logits of each, while it
    /// writes how that changes with them. Afterwards [`TrainableNetwork::gradients`] has how it
    /// changes with each learnt list, and batch norms remember what they measured, view after view.
    pub(crate) fn accumulate_gradients(
        &mut self,
        views: &[View<'_>],
        loss: impl FnOnce(&[Vec<f32>], &mut [Vec<f32>]) -> f64,
    ) -> f64 {
        self.lay_out_desks(views);
        let items: usize = views.iter().map(|view| self.items(view)).sum();
        let worthwhile = items * self.effort >= self.worthwhile;
        let most = if worthwhile { self.threads - 1 } else { 0 };
        let helpers = Budget::current().spare(most);
        let team = 1 + helpers.threads();
        let program = &self.program;
        let mut at_work = Vec::with_capacity(views.len());
        for (view, desk) in views.iter().zip(&mut self.desks) {
            let job = Job {
                network: &self.network,
                set: self.set,
                pixels: view.pixels,
                zeros: &self.zeros,
                training: Some(&desk.training),
            };
            let execution = desk.workspace.make_execution(program, job);
            at_work.push((execution, &mut desk.workspace.finders));
        }
        for (execution, finders) in &mut at_work {
            run_steps_together(execution, finders, team, 0..program.forward_steps);
        }
        let logits: Vec<Vec<f32>> = at_work
            .iter()
            .map(|(execution, _)| execution.buffer_values(program.logits).to_vec())
            .collect();
        let mut slopes: Vec<Vec<f32>> = logits.iter().map(|row| vec![0.0; row.len()]).collect();
        let total = loss(&logits, &mut slopes);
        let start = program.logit_gradient.expect("teaching goes back");
        for ((execution, finders), slopes) in at_work.iter_mut().zip(&slopes) {
            execution.write_logit_gradient(start, |room| room.copy_from_slice(slopes));
            let back = program.forward_steps..program.steps.len();
            run_steps_together(execution, finders, team, back);
        }
        drop(at_work);
        self.sum_views(views);
        total
    }

    fn items(&self, view: &View<'_>) -> usize {
        view.pixels.len() / self.network.input_size()
    }

    fn lay_out_desks(&mut self, views: &[View<'_>]) {
        while self.desks.len() < views.len() {
            self.desks.push(ViewDesk {
                training: TrainingState::new(&self.network),
                workspace: Workspace::default(),
            });
        }
        for (view, desk) in views.iter().zip(&mut self.desks) {
            desk.training.begin_batch(&self.network, view);
        }
    }

    /// Adds the gradients of all views, in their order, and lets norms remember.
    fn sum_views(&mut self, views: &[View<'_>]) {
        for (at, view) in views.iter().enumerate() {
            if view.norms == NormUse::Measured {
                self.update_running_norms(at, self.items(view));
            }
            if at > 0 {
                let (first, others) = self.desks.split_at_mut(at);
                first[0].training.add_gradients(&mut others[0].training);
            }
        }
    }

    /// How the last batch's loss changes with each learnt list, and the lists.
    pub(crate) fn gradients(&mut self) -> impl Iterator<Item = (LearntList<'_>, &mut [f32])> {
        let slopes = self
            .desks
            .first_mut()
            .into_iter()
            .flat_map(|desk| &mut desk.training.slopes);
        self.network
            .learnt_mut()
            .zip(slopes.map(|slopes| slopes.values()))
    }

    /// What batch norms remember moves toward what they measured in a view.
    fn update_running_norms(&mut self, view: usize, items: usize) {
        for norm in &mut self.desks[view].training.norms {
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
        self.program.refill(&self.network, self.set);
    }
}
