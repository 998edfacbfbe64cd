//! Compiled networks: weights packed for this machine, steps and buffers laid out, ready to be
//! asked.
//!
//! Values lie channels last. Batch norms are folded into the convolutions before them; additions,
//! clipping and the masks of the way back happen while sums are still at hand. Convolutions read
//! their windows through pointers, without copies. The workspace is kept from one call to the next.
//!
//! What is said about an item does not depend on the other items in the batch, on the number of
//! threads, or on the instruction set: every sum has one order, with the same fused steps.

mod activation;
mod differentiable;
mod execution;
mod lower;
mod product;
mod program;
#[cfg(test)]
mod reference;
mod refill;
mod tap_table;
pub(crate) mod trainable;
pub(crate) mod training_state;
mod winograd;

use std::sync::{Barrier, Mutex, OnceLock, PoisonError};

use duress_core::subject::Loss;
use duress_stats::parallel::{Budget, Spare};

use crate::compiled::execution::{Execution, normalise};
use crate::compiled::lower::{Purpose, lower};
use crate::compiled::product::Finder;
use crate::compiled::program::{CompiledProgram, StepKernel};
use crate::instructions::InstructionSet;
use crate::kernel::aligned::Aligned;
use crate::network::Network;
use duress_core::objective::cross_entropy;

/// A network that is ready to be asked.
///
/// ```
/// use duress_core::seed::Seed;
/// use duress_nn::compiled::Compiled;
/// use duress_nn::network::{Network, Normalise};
/// let classes = vec!["cat".to_string(), "dog".to_string()];
/// let network = Network::fresh([1, 2, 2], classes, Normalise::identity(1), &[3], Seed::new(1)).unwrap();
/// let compiled = Compiled::new(network);
/// assert_eq!(compiled.logits(&[0.0, 0.5, 1.0, 0.5]).len(), 2);
/// ```
#[derive(Debug)]
pub struct Compiled {
    network: Network,
    set: InstructionSet,
    /// The most threads it works with; how many it gets is up to the budget.
    threads: usize,
    forward: CompiledProgram,
    gradient: OnceLock<CompiledProgram>,
    zeros: Aligned,
    /// Multiplications an item takes, forward.
    effort: usize,
    /// Fewer multiplications than this are left to one thread.
    worthwhile: usize,
    idle: Mutex<Vec<Workspace>>,
}

/// What a thread works in.
#[derive(Default)]
struct Workspace {
    room: Aligned,
    bits: Vec<u16>,
    args: Vec<u16>,
    finders: Vec<Finder>,
}

/// How many bytes of values a thread should have on its hands at once: with more items in a chunk
/// the weights are read less often, with fewer the values stay closer to the core.
const AT_HAND: usize = 48 << 20;

/// Fewer multiplications than this are not worth waking another thread for.
const WORTHWHILE: usize = 4 << 20;

/// Given the place of an item in the batch and its logits, writes d(objective)/d(logits).
pub use duress_core::subject::LogitSlope as LogitGradient;

impl Compiled {
    /// A network made ready for this machine: its best instruction set, and as many threads as the
    /// budget has free whenever it is asked.
    pub fn new(network: Network) -> Compiled {
        Compiled::with(network, InstructionSet::best_available(), usize::MAX)
    }

    /// A network made ready for an instruction set and at most a number of threads.
    ///
    /// # Panics
    /// When the machine does not have the instruction set.
    pub fn with(network: Network, set: InstructionSet, threads: usize) -> Compiled {
        assert!(
            InstructionSet::available().contains(&set),
            "this machine has no {set}"
        );
        let forward = lower(&network, Purpose::Forward, set);
        let zeros = longest_segment(&forward);
        let effort = effort(&forward);
        Compiled {
            network,
            set,
            threads: threads.max(1),
            forward,
            gradient: OnceLock::new(),
            zeros: Aligned::zeros(zeros.max(1 << 12)),
            effort,
            worthwhile: WORTHWHILE,
            idle: Mutex::default(),
        }
    }

    /// Takes over the weights of a network of the same layers, and keeps its workspaces.
    pub(crate) fn refill(&mut self, network: Network) {
        self.forward.refill(&network, self.set);
        if let Some(gradient) = self.gradient.get_mut() {
            gradient.refill(&network, self.set);
        }
        self.network = network;
    }

    /// The network it was made from.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The instructions it runs on.
    pub fn instructions(&self) -> InstructionSet {
        self.set
    }

    /// The logits of each image, item after item.
    ///
    /// # Panics
    /// Like all passes: when `pixels` are not whole images of the network's shape. Check that where
    /// images come in.
    pub fn logits(&self, pixels: &[f32]) -> Vec<f32> {
        let items = self.count(pixels);
        let mut logits = vec![0.0; items * self.network.classes().len()];
        self.run_program(&self.forward, pixels, &mut logits, &mut [], &|_, _, _| {});
        logits
    }

    /// The cross-entropy of each image at its label and, added to `gradient`, how it changes with
    /// each pixel.
    pub fn losses(
        &self,
        pixels: &[f32],
        labels: &[u32],
        gradient: Option<&mut [f32]>,
    ) -> Vec<Loss> {
        let Some(gradient) = gradient else {
            let logits = self.logits(pixels);
            let rows = logits
                .chunks_exact(self.network.classes().len())
                .zip(labels);
            return rows
                .map(|(row, &label)| cross_entropy(row, label, 1.0, None))
                .collect();
        };
        let losses: Vec<OnceLock<Loss>> = labels.iter().map(|_| OnceLock::new()).collect();
        let logit_gradient = |item: usize, logits: &[f32], slope: &mut [f32]| {
            losses[item].get_or_init(|| cross_entropy(logits, labels[item], 1.0, Some(slope)));
        };
        self.backward(pixels, &logit_gradient, gradient);
        losses
            .into_iter()
            .map(|loss| loss.into_inner().expect("every item has its turn"))
            .collect()
    }

    /// The logits of each image and, added to `gradient`, d(objective)/d(pixels), given
    /// d(objective)/d(logits) item by item.
    pub fn backward(
        &self,
        pixels: &[f32],
        logit_gradient: &LogitGradient<'_>,
        gradient: &mut [f32],
    ) -> Vec<f32> {
        assert_eq!(
            pixels.len(),
            gradient.len(),
            "a gradient has as many values as the images"
        );
        let program = self
            .gradient
            .get_or_init(|| lower(&self.network, Purpose::Gradient, self.set));
        let mut logits = vec![0.0; self.count(pixels) * self.network.classes().len()];
        self.run_program(program, pixels, &mut logits, gradient, logit_gradient);
        logits
    }

    fn count(&self, pixels: &[f32]) -> usize {
        let size = self.network.input_size();
        assert!(
            pixels.len().is_multiple_of(size),
            "pixels must be whole images"
        );
        pixels.len() / size
    }

    /// The threads that help with some items, for as long as they are kept.
    fn helpers(&self, items: usize) -> Spare {
        let worthwhile = items * self.effort >= self.worthwhile;
        let most = if worthwhile { self.threads - 1 } else { 0 };
        Budget::current().spare(most)
    }

    /// How many items are taken at once by each of some threads.
    fn chunk(program: &CompiledProgram, items: usize, threads: usize) -> usize {
        let most = (AT_HAND / (4 * program.room.max(1))).clamp(1, 256);
        items.div_ceil(threads).clamp(1, most)
    }

    fn run_program(
        &self,
        program: &CompiledProgram,
        pixels: &[f32],
        logits: &mut [f32],
        gradient: &mut [f32],
        logit_gradient: &LogitGradient<'_>,
    ) {
        let items = self.count(pixels);
        let helpers = self.helpers(items);
        let threads = 1 + helpers.threads();
        let chunk = Compiled::chunk(program, items, threads);
        let (size, k) = (
            chunk * self.network.input_size(),
            chunk * self.network.classes().len(),
        );
        let jobs = pixels.chunks(size).zip(logits.chunks_mut(k)).enumerate();
        let mut gradients = gradient.chunks_mut(size);
        let jobs = Mutex::new(
            jobs.map(|(at, (pixels, logits))| (at * chunk, pixels, logits, gradients.next())),
        );
        let workers = threads.min(items.div_ceil(chunk));
        // With fewer items than threads, threads share an item.
        let team = if workers == 1 { threads } else { 1 };
        let work = || {
            let mut workspace = lock(&self.idle).pop().unwrap_or_default();
            loop {
                let Some((first, pixels, logits, gradient)) = lock(&jobs).next() else {
                    break;
                };
                let work = workspace.make_execution(program, self.job(pixels));
                self.run_chunk(
                    &work,
                    &mut workspace.finders,
                    team,
                    first,
                    logits,
                    gradient,
                    logit_gradient,
                );
            }
            lock(&self.idle).push(workspace);
        };
        std::thread::scope(|scope| {
            (1..workers).for_each(|_| drop(scope.spawn(work)));
            work();
        });
    }

    fn job<'a>(&'a self, pixels: &'a [f32]) -> Job<'a> {
        Job {
            network: &self.network,
            set: self.set,
            pixels,
            zeros: &self.zeros,
            training: None,
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one chunk of everything that is asked for"
    )]
    fn run_chunk(
        &self,
        work: &Execution<'_>,
        finders: &mut Vec<Finder>,
        team: usize,
        first: usize,
        logits: &mut [f32],
        gradient: Option<&mut [f32]>,
        logit_gradient: &LogitGradient<'_>,
    ) {
        let program = work.program;
        run_steps_together(work, finders, team, 0..program.forward_steps);
        logits.copy_from_slice(work.buffer_values(program.logits));
        if let Some((gradient, slopes)) = gradient.zip(program.logit_gradient) {
            work.write_logit_gradient(slopes, |slopes| {
                let k = self.network.classes().len();
                for (item, (row, slope)) in logits
                    .chunks_exact(k)
                    .zip(slopes.chunks_exact_mut(k))
                    .enumerate()
                {
                    logit_gradient(first + item, row, slope);
                }
            });
            run_steps_together(
                work,
                finders,
                team,
                program.forward_steps..program.steps.len(),
            );
            work.add_image_gradient(gradient);
        }
    }
}

/// What is to be done in a workspace.
struct Job<'a> {
    network: &'a Network,
    set: InstructionSet,
    pixels: &'a [f32],
    zeros: &'a [f32],
    training: Option<&'a training_state::TrainingState>,
}

impl Workspace {
    /// Makes room for some items.
    fn make_execution<'a>(&mut self, program: &'a CompiledProgram, job: Job<'a>) -> Execution<'a> {
        let items = job.pixels.len() / job.network.input_size();
        self.room.reserve(items * program.room);
        self.bits
            .resize(self.bits.len().max(items * program.bits), 0);
        self.args
            .resize(self.args.len().max(items * program.args), 0);
        Execution {
            program,
            set: job.set,
            normalise: normalise(&job.network.nodes()[0].operator),
            input: job.network.input(),
            pixels: job.pixels,
            items,
            room: self.room.as_mut_ptr(),
            bits: self.bits.as_mut_ptr(),
            args: self.args.as_mut_ptr(),
            zeros: job.zeros,
            training: job.training,
        }
    }
}

/// Runs steps with a team of threads that wait for each other after each: a step reads what others
/// wrote in the step before. Which thread computes a value does not matter to its bits, since a
/// value is always summed by one thread.
fn run_steps_together(
    work: &Execution<'_>,
    finders: &mut Vec<Finder>,
    team: usize,
    steps: std::ops::Range<usize>,
) {
    finders.resize_with(finders.len().max(team), Finder::default);
    if team == 1 {
        steps.for_each(|step| work.run_step(step, &mut finders[0], 0, 1));
        return;
    }
    let barrier = Barrier::new(team);
    let member = |part: usize, finder: &mut Finder| {
        for step in steps.clone() {
            work.run_step(step, finder, part, team);
            barrier.wait();
        }
    };
    let (member, (mine, others)) = (&member, finders.split_at_mut(1));
    std::thread::scope(|scope| {
        for (other, finder) in others[..team - 1].iter_mut().enumerate() {
            scope.spawn(move || member(other + 1, finder));
        }
        member(0, &mut mine[0]);
    });
}

/// How many zeros stand for a tap outside.
fn longest_segment(program: &CompiledProgram) -> usize {
    products(program)
        .map(|product| product.segment())
        .max()
        .unwrap_or(0)
}

fn effort(program: &CompiledProgram) -> usize {
    products(program)
        .map(|product| product.multiplications())
        .sum()
}

fn products(program: &CompiledProgram) -> impl Iterator<Item = &product::Product> {
    program.steps.iter().filter_map(|step| match &step.kernel {
        StepKernel::Product { product, .. } => Some(&**product),
        _ => None,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl std::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} values", self.room.len())
    }
}
