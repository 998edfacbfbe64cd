//! Execution: one program at work on one batch, step by step, and where steps find their buffers.
//!
//! Products have kernels of their own; everything else goes pixel by pixel here, in plain loops that
//! are compiled once for each instruction set. A step is shared among threads by pixels of its
//! output, never by terms of a sum, so that the order of sums does not depend on the number of
//! threads.
#![expect(
    unsafe_code,
    reason = "threads share one workspace, each with its own share of every buffer"
)]

use std::ops::Range;

use crate::compiled::product::{Finder, ProductBuffers};
use crate::compiled::program::{Bits, Buffer, CompiledProgram, ProgramStep, StepKernel};
use crate::compiled::tap_table::TapTable;
use crate::compiled::training_state::TrainingState;
use crate::instructions::InstructionSet;
use crate::kernel::tile::{self, ClipBounds, Finish};
use crate::network::{ItemShape, Normalise, Operator};

/// A pixel among those of all items, its item, and its place there.
#[derive(Clone, Copy)]
struct BatchPixel {
    pixel: usize,
    item: usize,
    place: usize,
}

/// A step's pixels, one after the other: each is finished when the next is asked for.
struct StepPixels<'a> {
    next: BatchPixel,
    /// Whether one has been given out that is not finished.
    begun: bool,
    end: usize,
    /// How many pixels an item has, and how many values and words of bits a pixel.
    pixels: usize,
    channels: usize,
    words: usize,
    out: *mut f32,
    add: Option<&'a [f32]>,
    mask: Option<*mut u16>,
    clip: Option<ClipBounds>,
    keep: Option<*mut u16>,
}

impl<'a> Iterator for StepPixels<'a> {
    type Item = (BatchPixel, &'a mut [f32]);

    #[inline(always)]
    fn next(&mut self) -> Option<(BatchPixel, &'a mut [f32])> {
        if self.begun {
            self.finish(self.next.pixel);
            self.advance();
        }
        self.begun = self.next.pixel < self.end;
        // SAFETY: each pixel falls to one thread, and is given out once.
        self.begun
            .then(|| (self.next, unsafe { self.values(self.next.pixel) }))
    }
}

impl<'a> StepPixels<'a> {
    /// # Safety
    /// Nobody else may look at the pixel meanwhile.
    #[inline(always)]
    unsafe fn values(&self, pixel: usize) -> &'a mut [f32] {
        // SAFETY: the buffer holds all pixels.
        unsafe {
            std::slice::from_raw_parts_mut(self.out.add(pixel * self.channels), self.channels)
        }
    }

    /// Counted, not divided: a division for every pixel would take longer than many of the steps.
    #[inline(always)]
    fn advance(&mut self) {
        let at = &mut self.next;
        at.pixel += 1;
        at.place += 1;
        if at.place == self.pixels {
            (at.item, at.place) = (at.item + 1, 0);
        }
    }

    /// Adds, masks and clips what was computed, many values at a time.
    #[inline(always)]
    fn finish(&self, pixel: usize) {
        if self.add.is_none() && self.mask.is_none() && self.clip.is_none() {
            return;
        }
        for block in 0..self.words {
            let start = pixel * self.channels + block * LANES;
            let channels = LANES.min(self.channels - block * LANES);
            // SAFETY: each pixel falls to one thread, which is done with it, and what lies behind it
            // in the share is computed later; words of bits belong to one pixel.
            unsafe {
                let lanes = match self.has_whole_lanes(start) {
                    true => LANES,
                    false => channels,
                };
                let out = std::slice::from_raw_parts_mut(self.out.add(start), lanes);
                let word = pixel * self.words + block;
                match <&mut [f32; LANES]>::try_from(&mut *out) {
                    Ok(out) => self.finish_block(out, start, word, channels),
                    Err(_) => self.finish_block(out, start, word, channels),
                }
            }
        }
    }

    /// The same for some values from `start` on, of which so many are channels of the pixel.
    ///
    /// # Safety
    /// The word of bits must belong to these channels.
    #[inline(always)]
    unsafe fn finish_block(&self, out: &mut [f32], start: usize, word: usize, channels: usize) {
        if let Some(add) = self.add {
            tile::add_values(out, &add[start..][..out.len()]);
        }
        // SAFETY: the caller vouches for the word.
        unsafe {
            if let Some(mask) = self.mask {
                tile::apply_mask(out, &[*mask.add(word)]);
            }
            if let Some(bounds) = self.clip {
                if let Some(keep) = self.keep {
                    let mut bits = [0];
                    tile::keep_bits(out, bounds, &mut bits);
                    *keep.add(word) = bits[0] & (u16::MAX >> (LANES - channels));
                }
                tile::clip_values(out, bounds);
            }
        }
    }

    /// Whether the share has as many values from here on as are taken side by side. They may then be
    /// written, also those of the next pixels: these are computed later.
    #[inline(always)]
    fn has_whole_lanes(&self, start: usize) -> bool {
        start + LANES <= self.end * self.channels
    }

    /// Stores a block of the pixel that was given out last.
    #[inline(always)]
    fn store_lanes(&self, pixel: usize, block: usize, lanes: &[f32; LANES]) {
        let start = pixel * self.channels + block * LANES;
        // SAFETY: the pixel falls to this thread, and what lies behind it in the share is computed
        // later.
        unsafe { self.store_into(self.out, start, block, lanes) }
    }

    /// Stores a block of as many values as the step's pixels have, somewhere else.
    ///
    /// # Safety
    /// `out` must have as many values as the step's output, and this thread's share of them to itself.
    #[inline(always)]
    unsafe fn store_into<T: Copy>(
        &self,
        out: *mut T,
        start: usize,
        block: usize,
        lanes: &[T; LANES],
    ) {
        // SAFETY: the caller vouches for it.
        unsafe {
            if self.has_whole_lanes(start) {
                *out.add(start).cast::<[T; LANES]>() = *lanes;
                return;
            }
            let channels = LANES.min(self.channels - block * LANES);
            std::slice::from_raw_parts_mut(out.add(start), channels)
                .copy_from_slice(&lanes[..channels]);
        }
    }
}

/// A program at work on some items.
pub(crate) struct Execution<'a> {
    pub(crate) program: &'a CompiledProgram,
    pub(crate) set: InstructionSet,
    pub(crate) normalise: &'a Normalise,
    pub(crate) input: ItemShape,
    /// The images, channel by channel.
    pub(crate) pixels: &'a [f32],
    pub(crate) items: usize,
    pub(crate) room: *mut f32,
    pub(crate) bits: *mut u16,
    pub(crate) args: *mut u16,
    /// As many zeros as the longest segment has.
    pub(crate) zeros: &'a [f32],
    /// What is learnt, while teaching.
    pub(crate) training: Option<&'a TrainingState>,
}

// SAFETY: threads that share work write to disjoint shares of a step's buffer, and wait for each
// other between steps.
unsafe impl Sync for Execution<'_> {}

impl Execution<'_> {
    /// The part of step `at` that falls to one of several threads.
    pub(crate) fn run_step(&self, at: usize, finder: &mut Finder, part: usize, parts: usize) {
        let step = &self.program.steps[at];
        match &step.kernel {
            // SAFETY: the buffers were made for the product that reads and writes them.
            StepKernel::Product { product, from, .. } => unsafe {
                product.compute_rows(&self.product_buffers(step, *from), finder, part, parts);
            },
            StepKernel::ProductGradients {
                product,
                at,
                from,
                weights,
                bias,
            } => {
                let lists = self.training_state();
                let ends = self.product_buffers(step, *at);
                // SAFETY: as above, and threads take different weights.
                unsafe {
                    product.weight_gradients(
                        self.set,
                        &ends,
                        self.buffer_start(*from),
                        lists.gradient_pointer(*weights),
                        finder,
                        part,
                        parts,
                    );
                }
                if let Some(bias) = bias.filter(|_| part == 0) {
                    self.sum_pixels(*from, lists.gradient_pointer(bias));
                }
            }
            _ => match self.set {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: a set is only chosen where the machine has it.
                InstructionSet::Avx512 => unsafe { self.run_pixel_step_avx512(step, part, parts) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: as above.
                InstructionSet::Avx2 => unsafe { self.run_pixel_step_avx2(step, part, parts) },
                _ => self.run_pixel_step(step, part, parts),
            },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx2")]
    unsafe fn run_pixel_step_avx512(&self, step: &ProgramStep, part: usize, parts: usize) {
        self.run_pixel_step(step, part, parts);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn run_pixel_step_avx2(&self, step: &ProgramStep, part: usize, parts: usize) {
        self.run_pixel_step(step, part, parts);
    }

    pub(crate) fn training_state(&self) -> &TrainingState {
        self.training
            .expect("only a program for teaching has steps that teach")
    }

    fn buffer_start(&self, buffer: Buffer) -> *mut f32 {
        self.room
            .wrapping_add(self.program.places[buffer] * self.items)
    }

    fn product_buffers(&self, step: &ProgramStep, from: Buffer) -> ProductBuffers {
        let bits =
            |bits: Option<Bits>| bits.map_or(std::ptr::null_mut(), |bits| self.bit_words(bits));
        ProductBuffers {
            items: self.items,
            from: self.buffer_start(from),
            zeros: self.zeros.as_ptr(),
            finish: Finish {
                out: self.buffer_start(step.out),
                at: std::ptr::null(),
                add: step
                    .add
                    .map_or(std::ptr::null(), |add| self.buffer_start(add).cast_const()),
                mask: bits(step.mask),
                clip: step.clip,
                keep: bits(step.keep),
                bits_at: std::ptr::null(),
            },
        }
    }

    fn bit_words(&self, bits: Bits) -> *mut u16 {
        self.bits.wrapping_add(bits.0 * self.items)
    }

    /// All values of a buffer.
    pub(crate) fn buffer_values(&self, buffer: Buffer) -> &[f32] {
        let size: usize = self.program.shapes[buffer].iter().product();
        // SAFETY: every buffer lies within the workspace, and nobody writes to what a step reads.
        unsafe { std::slice::from_raw_parts(self.buffer_start(buffer), size * self.items) }
    }

    /// Lets `write` fill the buffer with which the way back begins, while no thread is at work.
    pub(crate) fn write_logit_gradient(&self, above: Buffer, write: impl FnOnce(&mut [f32])) {
        let size: usize = self.program.shapes[above].iter().product();
        // SAFETY: between the way forward and the way back nobody looks at any buffer.
        write(unsafe { self.buffer_values_mut(above, 0..size * self.items) });
    }

    /// Some values of a buffer, to be written.
    ///
    /// # Safety
    /// No one else may look at them meanwhile.
    #[expect(
        clippy::mut_from_ref,
        reason = "threads write to disjoint shares of one workspace"
    )]
    pub(crate) unsafe fn buffer_values_mut(
        &self,
        buffer: Buffer,
        range: Range<usize>,
    ) -> &mut [f32] {
        // SAFETY: the range lies within the buffer, and the caller vouches for the rest.
        unsafe {
            std::slice::from_raw_parts_mut(self.buffer_start(buffer).add(range.start), range.len())
        }
    }

    fn pixels_of(&self, buffer: Buffer) -> usize {
        self.program.shapes[buffer][1] * self.program.shapes[buffer][2]
    }

    /// The pixels of a step's output that fall to one of several threads, each to be computed and
    /// then finished.
    ///
    /// A loop over them, and not a call with what is to be done to each: a function that is handed
    /// over is compiled for any machine, and is called by kernels that are compiled for this one.
    #[inline(always)]
    fn step_pixels<'a>(
        &'a self,
        step: &'a ProgramStep,
        channels: usize,
        part: usize,
        parts: usize,
    ) -> StepPixels<'a> {
        let pixels = self.pixels_of(step.out);
        let total = self.items * pixels;
        let first = total * part / parts;
        let bits = |bits: Option<Bits>| bits.map(|bits| self.bit_words(bits));
        StepPixels {
            next: BatchPixel {
                pixel: first,
                item: first / pixels,
                place: first % pixels,
            },
            begun: false,
            end: total * (part + 1) / parts,
            pixels,
            channels,
            words: channels.div_ceil(16),
            out: self.buffer_start(step.out),
            add: step.add.map(|add| self.buffer_values(add)),
            mask: bits(step.mask),
            clip: step.clip,
            keep: bits(step.keep),
        }
    }

    /// The share of a step that goes pixel by pixel.
    #[inline(always)]
    fn run_pixel_step(&self, step: &ProgramStep, part: usize, parts: usize) {
        match &step.kernel {
            StepKernel::Product { .. } | StepKernel::ProductGradients { .. } => {
                unreachable!("these have kernels of their own")
            }
            StepKernel::Image { padding } => self.image(step, *padding, part, parts),
            StepKernel::Depthwise { .. } | StepKernel::MaxBack { .. } | StepKernel::Sums { .. } => {
                self.run_window_step(step, part, parts)
            }
            StepKernel::Max { table, args, from } => {
                self.max_pool(step, table, *args, *from, part, parts)
            }
            StepKernel::Join { .. }
            | StepKernel::Split { .. }
            | StepKernel::Pick { .. }
            | StepKernel::PickBack { .. }
            | StepKernel::Flatten { .. }
            | StepKernel::Unflatten { .. } => self.rearranged(step, part, parts),
            StepKernel::Times { .. } | StepKernel::TimesSum { .. } => self.times(step, part, parts),
            StepKernel::Measure { norm, from } => self.measure_norm(*norm, *from, part, parts),
            StepKernel::NormGradients { norm, at, from } => {
                self.norm_gradients(*norm, *at, *from, part, parts)
            }
            StepKernel::DepthwiseGradients {
                table,
                at,
                from,
                weights,
                bias,
            } => {
                self.depthwise_gradients(table, [*at, *from], *weights, *bias, part, parts);
            }
            StepKernel::Copy { .. }
            | StepKernel::Affine { .. }
            | StepKernel::Activation { .. }
            | StepKernel::ActivationBack { .. }
            | StepKernel::Norm { .. }
            | StepKernel::NormBack { .. }
            | StepKernel::Drop { .. } => {
                // With a number of channels that the compiler knows, a pixel needs no loop.
                match self.program.shapes[step.out][0] {
                    8 => self.pixel_by_pixel(step, 8, part, parts),
                    16 => self.pixel_by_pixel(step, 16, part, parts),
                    32 => self.pixel_by_pixel(step, 32, part, parts),
                    channels => self.pixel_by_pixel(step, channels, part, parts),
                }
            }
        }
    }

    /// Steps in which a pixel depends on the same pixel before.
    #[inline(always)]
    fn pixel_by_pixel(&self, step: &ProgramStep, channels: usize, part: usize, parts: usize) {
        let of = |pixel: usize| pixel * channels..(pixel + 1) * channels;
        match &step.kernel {
            StepKernel::Copy { from } => {
                let from = self.buffer_values(*from);
                for (BatchPixel { pixel, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    out.copy_from_slice(&from[of(pixel)]);
                }
            }
            StepKernel::Affine {
                scale, shift, from, ..
            } if scale.len() < LANES && step.mask.is_none() && step.keep.is_none() => {
                let shift = shift.as_ref().map(|shift| &shift[..]);
                self.affine_in_runs(step, scale, shift, *from, part, parts);
            }
            StepKernel::Affine {
                scale, shift, from, ..
            } => {
                let from = self.buffer_values(*from);
                for (BatchPixel { pixel, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    let x = from[of(pixel)].iter().zip(&**scale);
                    out.iter_mut()
                        .zip(x)
                        .for_each(|(out, (x, scale))| *out = x * scale);
                    shift.iter().for_each(|shift| tile::add_values(out, shift));
                }
            }
            StepKernel::Activation { activation, from } => {
                let from = self.buffer_values(*from);
                for (BatchPixel { pixel, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    activation.bend_all(&from[of(pixel)], out);
                }
            }
            StepKernel::ActivationBack {
                activation,
                at,
                from,
            } => {
                let at = self.buffer_values(*at);
                let from = self.buffer_values(*from);
                for (BatchPixel { pixel, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    activation.slope_all(&at[of(pixel)], &from[of(pixel)], out);
                }
            }
            StepKernel::Norm { norm, from } => {
                let from = self.buffer_values(*from);
                let norm = self.training_state().norm_view(*norm);
                for (BatchPixel { pixel, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    let x = &from[of(pixel)];
                    for channel in 0..channels {
                        let centred = x[channel] - norm.mean[channel];
                        out[channel] = centred * norm.scale[channel] + norm.shift[channel];
                    }
                }
            }
            StepKernel::NormBack { norm, at, from } => {
                let at = self.buffer_values(*at);
                let from = self.buffer_values(*from);
                let norm = self.training_state().norm_view(*norm);
                for (BatchPixel { pixel, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    let x = &at[of(pixel)];
                    let above = &from[of(pixel)];
                    for channel in 0..channels {
                        let centred = (x[channel] - norm.mean[channel]) * norm.by_x[channel];
                        out[channel] =
                            above[channel] * norm.scale[channel] + centred + norm.plain[channel];
                    }
                }
            }
            StepKernel::Drop { dropout, from } => {
                let from = self.buffer_values(*from);
                let factors = self.training_state().dropouts[*dropout].factors();
                for (BatchPixel { pixel, item, .. }, out) in
                    self.step_pixels(step, channels, part, parts)
                {
                    let both = from[of(pixel)].iter().zip(&factors[of(item)]);
                    out.iter_mut()
                        .zip(both)
                        .for_each(|(out, (x, factor))| *out = x * factor);
                }
            }
            other => unreachable!("{other:?} does not go pixel by pixel"),
        }
    }

    /// A factor and a shift for each of a few channels, many pixels at a time: one by one, with one
    /// channel, a pixel is a single number. (A cell is a few pixels, one after the other.)
    #[inline(always)]
    fn affine_in_runs(
        &self,
        step: &ProgramStep,
        scale: &[f32],
        shift: Option<&[f32]>,
        from: Buffer,
        part: usize,
        parts: usize,
    ) {
        let channels = scale.len();
        let run = RUN / channels * channels;
        let repeated =
            |each: &[f32]| -> Vec<f32> { each.iter().copied().cycle().take(run).collect() };
        let scale = repeated(scale);
        let shift = shift.map(repeated);
        let pixels = self.items * self.pixels_of(step.out);
        let each = self.program.shapes[step.out][0];
        let mine = pixels * part / parts * each..pixels * (part + 1) / parts * each;
        let from = &self.buffer_values(from)[mine.clone()];
        let add = step.add.map(|add| &self.buffer_values(add)[mine.clone()]);
        // SAFETY: each pixel falls to one thread.
        let out = unsafe { self.buffer_values_mut(step.out, mine) };
        for (at, (out, x)) in out.chunks_mut(run).zip(from.chunks(run)).enumerate() {
            let scaled = x.iter().zip(&scale);
            out.iter_mut()
                .zip(scaled)
                .for_each(|(out, (x, scale))| *out = x * scale);
            shift.iter().for_each(|shift| tile::add_values(out, shift));
            if let Some(add) = add {
                tile::add_values(out, &add[at * run..]);
            }
            if let Some(bounds) = step.clip {
                tile::clip_values(out, bounds);
            }
        }
    }

    /// Steps in which a pixel depends on a window, or on the windows that see it.
    #[inline(always)]
    fn run_window_step(&self, step: &ProgramStep, part: usize, parts: usize) {
        let channels = self.program.shapes[step.out][0];
        let of = |pixel: usize| pixel * channels..(pixel + 1) * channels;
        match &step.kernel {
            StepKernel::Depthwise {
                table,
                weights,
                bias,
                from,
                ..
            } => {
                let from = self.buffer_values(*from);
                for (at, out) in self.step_pixels(step, channels, part, parts) {
                    let base = at.item * table.places;
                    out.copy_from_slice(bias);
                    for &[tap, place] in table.taps_at(at.place) {
                        let both = from[of(base + place as usize)]
                            .iter()
                            .zip(&weights[of(tap as usize)]);
                        out.iter_mut()
                            .zip(both)
                            .for_each(|(sum, (x, w))| *sum += x * w);
                    }
                }
            }
            StepKernel::MaxBack { table, args, from } => {
                let from = self.buffer_values(*from);
                // SAFETY: the maxima of this buffer were written on the way forward.
                let args = unsafe {
                    std::slice::from_raw_parts(self.args.add(args * self.items), from.len())
                };
                let mut pixels = self.step_pixels(step, channels, part, parts);
                while let Some((at, _)) = pixels.next() {
                    let base = at.item * table.places;
                    for block in 0..channels.div_ceil(LANES) {
                        let mut sums = [0.0_f32; LANES];
                        for &[tap, place] in table.taps_at(at.place) {
                            let start = (base + place as usize) * channels + block * LANES;
                            let above = lanes_from(from, start);
                            let args = lanes_from(args, start);
                            for lane in 0..LANES {
                                let is_it = u32::from(args[lane]) == tap;
                                sums[lane] += if is_it { above[lane] } else { 0.0 };
                            }
                        }
                        pixels.store_lanes(at.pixel, block, &sums);
                    }
                }
            }
            StepKernel::Sums {
                table,
                shares,
                back,
                from,
            } => {
                let from = self.buffer_values(*from);
                for (at, out) in self.step_pixels(step, channels, part, parts) {
                    let base = at.item * table.places;
                    out.fill(0.0);
                    for &[_, place] in table.taps_at(at.place) {
                        let share = if *back { shares[place as usize] } else { 1.0 };
                        let x = &from[of(base + place as usize)];
                        out.iter_mut().zip(x).for_each(|(sum, x)| *sum += x * share);
                    }
                    if !*back {
                        out.iter_mut().for_each(|sum| *sum *= shares[at.place]);
                    }
                }
            }
            other => unreachable!("{other:?} has no windows"),
        }
    }

    /// Products of two values.
    #[inline(always)]
    fn times(&self, step: &ProgramStep, part: usize, parts: usize) {
        let channels = self.program.shapes[step.out][0];
        let of = |pixel: usize| pixel * channels..(pixel + 1) * channels;
        match &step.kernel {
            StepKernel::Times { wide, by, from } => {
                let by = self.buffer_values(*by);
                let from = self.buffer_values(*from);
                for (BatchPixel { pixel, item, .. }, out) in
                    self.step_pixels(step, channels, part, parts)
                {
                    let by = &by[of(if *wide { item } else { pixel })];
                    let both = from[of(pixel)].iter().zip(by);
                    out.iter_mut()
                        .zip(both)
                        .for_each(|(out, (x, by))| *out = x * by);
                }
            }
            StepKernel::TimesSum { pixels, by, from } => {
                let by = self.buffer_values(*by);
                let from = self.buffer_values(*from);
                for (BatchPixel { item, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    out.fill(0.0);
                    for pixel in item * pixels..(item + 1) * pixels {
                        let both = from[of(pixel)].iter().zip(&by[of(pixel)]);
                        out.iter_mut()
                            .zip(both)
                            .for_each(|(sum, (a, b))| *sum += a * b);
                    }
                }
            }
            other => unreachable!("{other:?} multiplies nothing"),
        }
    }

    /// Steps that only move values.
    #[inline(always)]
    fn rearranged(&self, step: &ProgramStep, part: usize, parts: usize) {
        let channels = self.program.shapes[step.out][0];
        match &step.kernel {
            StepKernel::Join { from } => {
                for (BatchPixel { pixel, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    let mut rest = out;
                    for &(buffer, wide) in from {
                        let (now, later) = rest.split_at_mut(wide);
                        now.copy_from_slice(&self.buffer_values(buffer)[pixel * wide..][..wide]);
                        rest = later;
                    }
                }
            }
            StepKernel::Split {
                first,
                channels: whole,
                from,
            } => {
                let from = self.buffer_values(*from);
                for (BatchPixel { pixel, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    out.copy_from_slice(&from[pixel * whole + first..][..channels]);
                }
            }
            StepKernel::Pick {
                channels: picked,
                of,
                from,
            } => {
                let from = self.buffer_values(*from);
                for (BatchPixel { pixel, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    let from = &from[pixel * of..][..*of];
                    out.iter_mut()
                        .zip(picked)
                        .for_each(|(out, &channel)| *out = from[channel]);
                }
            }
            StepKernel::PickBack {
                channels: picked,
                from,
            } => {
                let from = self.buffer_values(*from);
                for (BatchPixel { pixel, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    out.fill(0.0);
                    let from = &from[pixel * picked.len()..];
                    from.iter()
                        .zip(picked)
                        .for_each(|(above, &channel)| out[channel] += above);
                }
            }
            StepKernel::Flatten {
                shape: [deep, high, wide],
                from,
            } => {
                let from = self.buffer_values(*from);
                let plane = high * wide;
                for (BatchPixel { item, .. }, out) in self.step_pixels(step, channels, part, parts)
                {
                    let from = &from[item * plane * deep..][..plane * deep];
                    for (channel, out) in out.chunks_exact_mut(plane).enumerate() {
                        let values = from[channel..].iter().step_by(*deep);
                        out.iter_mut().zip(values).for_each(|(out, x)| *out = *x);
                    }
                }
            }
            StepKernel::Unflatten {
                shape: [deep, high, wide],
                from,
            } => {
                let from = self.buffer_values(*from);
                let plane = high * wide;
                for (BatchPixel { item, place, .. }, out) in
                    self.step_pixels(step, channels, part, parts)
                {
                    let values = from[item * plane * deep + place..].iter().step_by(plane);
                    out.iter_mut().zip(values).for_each(|(out, x)| *out = *x);
                }
            }
            other => unreachable!("{other:?} does more than move values"),
        }
    }

    /// The image, channels last, normalised, with zeros around it, line by line.
    #[inline(always)]
    fn image(
        &self,
        step: &ProgramStep,
        [top, bottom, left, right]: [usize; 4],
        part: usize,
        parts: usize,
    ) {
        let [channels, height, width] = self.input;
        let high = height + top + bottom;
        let wide = width + left + right;
        let plane = height * width;
        let normalise = self.normalise;
        let lines = self.items * high;
        for line in lines * part / parts..lines * (part + 1) / parts {
            let item = line / high;
            let y = (line % high).wrapping_sub(top);
            // SAFETY: each line falls to one thread.
            let out = unsafe {
                self.buffer_values_mut(
                    step.out,
                    line * wide * channels..(line + 1) * wide * channels,
                )
            };
            if y >= height {
                out.fill(0.0);
                continue;
            }
            out[..left * channels].fill(0.0);
            out[(left + width) * channels..].fill(0.0);
            for channel in 0..channels {
                let from = &self.pixels
                    [(item * channels + normalise.image_channel(channel)) * plane + y * width..]
                    [..width];
                let mean = normalise.mean[channel];
                let scale = normalise.scale[channel];
                let out = out[left * channels + channel..]
                    .iter_mut()
                    .step_by(channels);
                out.zip(from).for_each(|(out, x)| *out = (x - mean) * scale);
            }
        }
    }

    /// The largest value of each window and, where the way back needs it, which tap it was.
    #[inline(always)]
    fn max_pool(
        &self,
        step: &ProgramStep,
        table: &TapTable,
        args: Option<usize>,
        from: Buffer,
        part: usize,
        parts: usize,
    ) {
        let from = self.buffer_values(from);
        let channels = self.program.shapes[step.out][0];
        let mut pixels = self.step_pixels(step, channels, part, parts);
        while let Some((BatchPixel { pixel, item, place }, _)) = pixels.next() {
            let base = item * table.places;
            for block in 0..channels.div_ceil(LANES) {
                let mut most = [f32::NEG_INFINITY; LANES];
                let mut which = [u32::from(u16::MAX); LANES];
                for &[tap, place] in table.taps_at(place) {
                    let x = lanes_from(from, (base + place as usize) * channels + block * LANES);
                    for lane in 0..LANES {
                        let larger = x[lane] > most[lane];
                        which[lane] = if larger { tap } else { which[lane] };
                        most[lane] = if larger { x[lane] } else { most[lane] };
                    }
                }
                pixels.store_lanes(pixel, block, &most);
                if let Some(args) = args {
                    let start = pixel * channels + block * LANES;
                    let which = which.map(|tap| tap as u16);
                    // SAFETY: there are as many maxima as values.
                    unsafe {
                        let args = self.args.add(args * self.items);
                        pixels.store_into(args, start, block, &which);
                    }
                }
            }
        }
    }

    /// Adds the slopes of every pixel to those of a bias.
    fn sum_pixels(&self, from: Buffer, slopes: *mut f32) {
        let channels = self.program.shapes[from][0];
        // SAFETY: one thread does this, and the list is as long as the buffer has channels.
        let slopes = unsafe { std::slice::from_raw_parts_mut(slopes, channels) };
        for above in self.buffer_values(from).chunks_exact(channels) {
            tile::add_values(slopes, above);
        }
    }

    /// The gradient with the image, out of its cells, channel by channel, added to `gradient`.
    pub(crate) fn add_image_gradient(&self, gradient: &mut [f32]) {
        let (below, side) = self
            .program
            .image_gradient
            .expect("only a program that goes back to the pixels ends there");
        let [channels, height, width] = self.input;
        let [deep, high, wide] = self.program.shapes[below];
        let from = self.buffer_values(below);
        let plane = height * width;
        for at in 0..self.items * channels {
            let item = at / channels;
            let channel = at % channels;
            let scale = self.normalise.scale[channel];
            let out = &mut gradient
                [(item * channels + self.normalise.image_channel(channel)) * plane..][..plane];
            for y in 0..height {
                let line = &from[(item * high + y / side) * wide * deep..][..wide * deep];
                let out = &mut out[y * width..][..width];
                if side == 1 {
                    let slopes = line[channel..].iter().step_by(deep);
                    out.iter_mut()
                        .zip(slopes)
                        .for_each(|(out, slope)| *out += scale * slope);
                    continue;
                }
                for (x, out) in out.iter_mut().enumerate() {
                    let inside = (y % side * side + x % side) * channels + channel;
                    *out += scale * line[x / side * deep + inside];
                }
            }
        }
    }
}

/// As many values as are taken side by side where windows are looked through.
const LANES: usize = 16;

/// As many values as a run of pixels with few channels has at most.
const RUN: usize = 256;

/// Values from here on, also of the next pixels: who has fewer channels leaves the others aside. At
/// the end of a buffer, nothing stands for what is not there.
#[inline(always)]
fn lanes_from<T: Copy + Default>(values: &[T], start: usize) -> [T; LANES] {
    if let Some(whole) = values.get(start..start + LANES) {
        let mut lanes = [T::default(); LANES];
        lanes.copy_from_slice(whole);
        return lanes;
    }
    let mut lanes = [T::default(); LANES];
    let rest = &values[start..];
    lanes[..rest.len()].copy_from_slice(rest);
    lanes
}

/// The normalisation that a network begins with.
pub(crate) fn normalise(operator: &Operator) -> &Normalise {
    match operator {
        Operator::Normalise(normalise) => normalise,
        _ => unreachable!("the first node of a network normalises"),
    }
}
