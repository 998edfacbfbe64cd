//! Training state: gradients and batch statistics of one batch, and the steps that fill them.
//!
//! Threads share these steps by channels, sixteen at a time: a sum over the batch belongs to one
//! thread, which adds up pixels in order. Threads that each summed some of the pixels would make the
//! bits depend on how many of them there are.
#![expect(
    unsafe_code,
    reason = "threads fill one list together, each its own share"
)]

use std::cell::UnsafeCell;
use std::ops::Range;

use duress_core::seed::Seed;

use crate::compiled::execution::Execution;
use crate::compiled::lower::drops;
use crate::compiled::program::Buffer;
use crate::compiled::tap_table::TapTable;
use crate::compiled::trainable::{NormUse, View};
use crate::network::{BatchNorm, Network, Operator};

/// Numbers that several threads fill, each its own share.
#[derive(Debug)]
pub(crate) struct SharedFloats(Box<[UnsafeCell<f32>]>);

// SAFETY: threads write to disjoint shares, and read only what was written before they last waited
// for each other.
unsafe impl Sync for SharedFloats {}

impl SharedFloats {
    fn new(len: usize) -> SharedFloats {
        SharedFloats((0..len).map(|_| UnsafeCell::new(0.0)).collect())
    }

    pub(crate) fn pointer(&self) -> *mut f32 {
        self.0.as_ptr().cast_mut().cast()
    }

    /// # Safety
    /// Nobody may write to it meanwhile.
    unsafe fn as_slice(&self) -> &[f32] {
        // SAFETY: an `UnsafeCell<f32>` lies as an `f32` does.
        unsafe { std::slice::from_raw_parts(self.pointer(), self.0.len()) }
    }

    /// # Safety
    /// Nobody else may look at this share meanwhile.
    #[expect(clippy::mut_from_ref, reason = "threads write to disjoint shares")]
    unsafe fn share_mut(&self, range: Range<usize>) -> &mut [f32] {
        assert!(range.end <= self.0.len());
        // SAFETY: the share lies within, and the caller vouches for the rest.
        unsafe { std::slice::from_raw_parts_mut(self.pointer().add(range.start), range.len()) }
    }

    pub(crate) fn values(&mut self) -> &mut [f32] {
        // SAFETY: it is borrowed for as long as the slice lives.
        unsafe { std::slice::from_raw_parts_mut(self.pointer(), self.0.len()) }
    }
}

/// How the loss changes with each learnt list, and what batch norms measured.
#[derive(Debug)]
pub(crate) struct TrainingState {
    pub(crate) slopes: Vec<SharedFloats>,
    pub(crate) norms: Vec<NormStatistics>,
    pub(crate) dropouts: Vec<DropoutDraws>,
}

/// What a dropout forgets of a batch.
#[derive(Debug)]
pub(crate) struct DropoutDraws {
    share: f32,
    channels: usize,
    /// By item and channel: zero, or what the others are raised by.
    factors: Vec<f32>,
}

impl DropoutDraws {
    pub(crate) fn factors(&self) -> &[f32] {
        &self.factors
    }

    /// Draws for so many items; without a seed nothing is forgotten, as when the network is asked.
    fn draw(&mut self, items: usize, seed: Option<Seed>) {
        self.factors.clear();
        let all = items * self.channels;
        let Some(seed) = seed else {
            return self.factors.resize(all, 1.0);
        };
        let raised = 1.0 / (1.0 - self.share);
        let mut draws = seed.draws();
        let factor = |_| match draws.chance(f64::from(self.share)) {
            true => 0.0,
            false => raised,
        };
        self.factors.extend((0..all).map(factor));
    }
}

/// What a batch norm measured in a batch.
#[derive(Debug)]
pub(crate) struct NormStatistics {
    /// Which node it is, and where its scale is among the learnt lists.
    pub(crate) node: usize,
    learnt: usize,
    taught: [Vec<f32>; 2],
    uses: NormUse,
    epsilon: f32,
    pub(crate) mean: SharedFloats,
    pub(crate) variance: SharedFloats,
    /// `(x − mean) · scale + shift`.
    scale: SharedFloats,
    /// On the way back: `above · scale + (x − mean) · by_x + plain`.
    by_x: SharedFloats,
    plain: SharedFloats,
}

/// A norm to be read.
pub(crate) struct NormView<'a> {
    pub(crate) mean: &'a [f32],
    pub(crate) scale: &'a [f32],
    pub(crate) shift: &'a [f32],
    pub(crate) by_x: &'a [f32],
    pub(crate) plain: &'a [f32],
}

impl TrainingState {
    pub(crate) fn new(network: &Network) -> TrainingState {
        let mut lists = TrainingState {
            slopes: Vec::new(),
            norms: Vec::new(),
            dropouts: Vec::new(),
        };
        for (node, of) in network.nodes().iter().enumerate() {
            let mut operator = of.operator.clone();
            let learnt = lists.slopes.len();
            for held in operator.held_mut().into_iter().filter(|held| held.learnt) {
                lists.slopes.push(SharedFloats::new(held.values.len()));
            }
            match &of.operator {
                Operator::BatchNorm(norm) => {
                    lists.norms.push(NormStatistics::new(node, learnt, norm));
                }
                Operator::Dropout(share) if drops(&of.operator) => {
                    lists.dropouts.push(DropoutDraws {
                        share: *share,
                        channels: network.shapes()[node][0],
                        factors: Vec::new(),
                    });
                }
                _ => {}
            }
        }
        lists
    }

    /// Forgets the last batch, and takes over the scales and shifts as they are now; means and
    /// variances too, where those remembered are used.
    pub(crate) fn begin_batch(&mut self, network: &Network, view: &View<'_>) {
        self.slopes
            .iter_mut()
            .for_each(|slopes| slopes.values().fill(0.0));
        for norm in &mut self.norms {
            if let Operator::BatchNorm(now) = &network.nodes()[norm.node].operator {
                norm.take_over(now, view);
            }
        }
        let items = view.pixels.len() / network.input_size();
        for (at, dropout) in self.dropouts.iter_mut().enumerate() {
            let seed = view.dropout.map(|seed| seed.child(format!("{at}")));
            dropout.draw(items, seed);
        }
    }

    /// Adds what another view of the batch found.
    pub(crate) fn add_gradients(&mut self, other: &mut TrainingState) {
        for (sum, slopes) in self.slopes.iter_mut().zip(&mut other.slopes) {
            let both = sum.values().iter_mut().zip(slopes.values());
            both.for_each(|(sum, slope)| *sum += *slope);
        }
    }

    pub(crate) fn gradient_pointer(&self, list: usize) -> *mut f32 {
        self.slopes[list].pointer()
    }

    pub(crate) fn norm_view(&self, norm: usize) -> NormView<'_> {
        let norm = &self.norms[norm];
        // SAFETY: a step that reads a norm comes after the one that measured it.
        unsafe {
            NormView {
                mean: norm.mean.as_slice(),
                scale: norm.scale.as_slice(),
                shift: &norm.taught[1],
                by_x: norm.by_x.as_slice(),
                plain: norm.plain.as_slice(),
            }
        }
    }
}

impl NormStatistics {
    fn new(node: usize, learnt: usize, norm: &BatchNorm) -> NormStatistics {
        let list = || SharedFloats::new(norm.scale.len());
        NormStatistics {
            node,
            learnt,
            taught: [norm.scale.clone(), norm.shift.clone()],
            uses: NormUse::Measured,
            epsilon: norm.epsilon,
            mean: list(),
            variance: list(),
            scale: list(),
            by_x: list(),
            plain: list(),
        }
    }
}

impl NormStatistics {
    /// Scales and shifts as they are now, moved as a view has it; means and variances too, where
    /// those remembered are used.
    fn take_over(&mut self, now: &BatchNorm, view: &View<'_>) {
        self.taught[0].copy_from_slice(&now.scale);
        self.taught[1].copy_from_slice(&now.shift);
        if let Some(moved) = view.moved.filter(|moved| moved.node == self.node) {
            let both = self.taught[1].iter_mut().zip(moved.by);
            both.for_each(|(shift, by)| *shift += by);
        }
        self.uses = view.norms;
        if view.norms == NormUse::Remembered {
            self.mean.values().copy_from_slice(&now.mean);
            self.variance.values().copy_from_slice(&now.variance);
        }
    }

    /// The factors of some channels, from the variance that is remembered.
    fn scale_by_what_is_remembered(&self, mine: Range<usize>) {
        // SAFETY: these channels fall to this thread alone, and nobody writes to the variance.
        let (variance, scale) = unsafe {
            (
                &self.variance.as_slice()[mine.clone()],
                self.scale.share_mut(mine.clone()),
            )
        };
        for (at, (scale, variance)) in scale.iter_mut().zip(variance).enumerate() {
            let deviation = libm::sqrt(f64::from(*variance) + f64::from(self.epsilon));
            *scale = (f64::from(self.taught[0][mine.start + at]) / deviation) as f32;
        }
    }
}

/// How many pixels are added up in f32 before the sum goes into an f64: over a whole batch an f32
/// would lose the small terms, and an f32 register holds twice as many channels as an f64 one.
const RUN: usize = 64;

/// The channels that fall to one of several threads.
fn share(channels: usize, part: usize, parts: usize) -> Range<usize> {
    let words = channels.div_ceil(16);
    (words * part / parts * 16).min(channels)..(words * (part + 1) / parts * 16).min(channels)
}

/// Adds up something about each channel over all pixels: in f32 over short runs, in f64 over those.
#[inline(always)]
fn summed(pixels: usize, sums: usize, mut add: impl FnMut(usize, &mut [f32])) -> Vec<f64> {
    let mut total = vec![0.0_f64; sums];
    let mut run = vec![0.0_f32; sums];
    for begin in (0..pixels).step_by(RUN) {
        run.fill(0.0);
        for pixel in begin..(begin + RUN).min(pixels) {
            add(pixel, &mut run);
        }
        total
            .iter_mut()
            .zip(&run)
            .for_each(|(total, run)| *total += f64::from(*run));
    }
    total
}

impl Execution<'_> {
    /// Mean and variance over the batch of the channels that fall to one of several threads.
    #[inline(always)]
    pub(crate) fn measure_norm(&self, norm: usize, from: Buffer, part: usize, parts: usize) {
        let norm = &self.training_state().norms[norm];
        let wide = self.program.shapes[from][0];
        let from = self.buffer_values(from);
        let mine = share(wide, part, parts);
        let pixels = from.len() / wide;
        if norm.uses == NormUse::Remembered {
            norm.scale_by_what_is_remembered(mine);
            return;
        }
        let means = summed(pixels, mine.len(), |pixel, run| {
            let x = &from[pixel * wide..][mine.clone()];
            run.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
        });
        // SAFETY: these channels fall to this thread alone.
        let [mean, variance, scale] = unsafe {
            [
                norm.mean.share_mut(mine.clone()),
                norm.variance.share_mut(mine.clone()),
                norm.scale.share_mut(mine.clone()),
            ]
        };
        mean.iter_mut()
            .zip(means)
            .for_each(|(mean, sum)| *mean = (sum / pixels as f64) as f32);
        let squares = summed(pixels, mine.len(), |pixel, run| {
            let x = &from[pixel * wide..][mine.clone()];
            run.iter_mut()
                .zip(x)
                .zip(mean.iter())
                .for_each(|((sum, x), mean)| *sum += (x - mean) * (x - mean));
        });
        for (at, square) in squares.into_iter().enumerate() {
            let found = square / pixels as f64;
            variance[at] = found as f32;
            let deviation = libm::sqrt(found + f64::from(norm.epsilon));
            scale[at] = (f64::from(norm.taught[0][mine.start + at]) / deviation) as f32;
        }
    }

    /// How the loss changes with scale and shift, and what the way back needs of that.
    #[inline(always)]
    pub(crate) fn norm_gradients(
        &self,
        norm: usize,
        at: Buffer,
        from: Buffer,
        part: usize,
        parts: usize,
    ) {
        let lists = self.training_state();
        let wide = self.program.shapes[from][0];
        let norm = &lists.norms[norm];
        let at = self.buffer_values(at);
        let above = self.buffer_values(from);
        let mine = share(wide, part, parts);
        let pixels = above.len() / wide;
        // SAFETY: these channels fall to this thread alone, and were measured before.
        let [scales, shifts, by_x, plain, mean, variance] = unsafe {
            let share = |shared: &'_ SharedFloats| shared.pointer();
            let list = |pointer: *mut f32| {
                std::slice::from_raw_parts_mut(pointer.add(mine.start), mine.len())
            };
            [
                list(lists.gradient_pointer(norm.learnt)),
                list(lists.gradient_pointer(norm.learnt + 1)),
                list(share(&norm.by_x)),
                list(share(&norm.plain)),
                list(share(&norm.mean)),
                list(share(&norm.variance)),
            ]
        };
        let both = summed(pixels, 2 * mine.len(), |pixel, run| {
            let above = &above[pixel * wide..][mine.clone()];
            let x = &at[pixel * wide..][mine.clone()];
            let (plain, products) = run.split_at_mut(mine.len());
            plain
                .iter_mut()
                .zip(above)
                .for_each(|(sum, above)| *sum += above);
            let terms = above.iter().zip(x).zip(mean.iter());
            products
                .iter_mut()
                .zip(terms)
                .for_each(|(sum, ((above, x), mean))| *sum += above * (x - mean));
        });
        let (above_sums, products) = both.split_at(mine.len());
        let n = pixels as f64;
        for channel in 0..mine.len() {
            let inverse = 1.0 / libm::sqrt(f64::from(variance[channel]) + f64::from(norm.epsilon));
            let scale = f64::from(norm.taught[0][mine.start + channel]) * inverse;
            scales[channel] += (products[channel] * inverse) as f32;
            shifts[channel] += above_sums[channel] as f32;
            if norm.uses == NormUse::Remembered {
                // What is remembered does not depend on this batch.
                (by_x[channel], plain[channel]) = (0.0, 0.0);
                continue;
            }
            by_x[channel] = (-scale * inverse * inverse * products[channel] / n) as f32;
            plain[channel] = (-scale * above_sums[channel] / n) as f32;
        }
    }

    /// How the loss changes with the weights of a depthwise convolution: by channels.
    #[inline(always)]
    pub(crate) fn depthwise_gradients(
        &self,
        table: &TapTable,
        [at, from]: [Buffer; 2],
        weights: usize,
        bias: Option<usize>,
        part: usize,
        parts: usize,
    ) {
        let wide = self.program.shapes[from][0];
        let places = table.len();
        let at = self.buffer_values(at);
        let above = self.buffer_values(from);
        let mine = share(wide, part, parts);
        let mut sums = vec![0.0_f32; (table.taps + 1) * mine.len()];
        for pixel in 0..self.items * places {
            let above = &above[pixel * wide..][mine.clone()];
            for &[tap, place] in table.taps_at(pixel % places) {
                let x =
                    &at[(pixel / places * table.places + place as usize) * wide..][mine.clone()];
                let sums = &mut sums[tap as usize * mine.len()..][..mine.len()];
                let both = above.iter().zip(x);
                sums.iter_mut()
                    .zip(both)
                    .for_each(|(sum, (above, x))| *sum += above * x);
            }
            let last = &mut sums[table.taps * mine.len()..];
            last.iter_mut()
                .zip(above)
                .for_each(|(sum, above)| *sum += above);
        }
        let list = |list: usize| self.training_state().gradient_pointer(list);
        for (of, channel) in mine.clone().enumerate() {
            for tap in 0..table.taps {
                // SAFETY: these channels fall to this thread alone.
                unsafe {
                    *list(weights).add(channel * table.taps + tap) += sums[tap * mine.len() + of]
                };
            }
            if let Some(bias) = bias {
                // SAFETY: as above.
                unsafe { *list(bias).add(channel) += sums[table.taps * mine.len() + of] };
            }
        }
    }
}
