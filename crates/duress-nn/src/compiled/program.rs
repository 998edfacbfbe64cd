//! Programs: a network as steps over buffers, each with its place in one workspace.

use std::sync::Arc;

use crate::compiled::activation::Activation;
use crate::compiled::product::Product;
use crate::compiled::tap_table::TapTable;
use crate::kernel::tile::ClipBounds;
use crate::network::ItemShape;

/// A buffer, by its number.
pub(crate) type Buffer = usize;

/// One bit per value of a buffer, in words of sixteen channels, by where they begin for one item.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bits(pub(crate) usize);

/// One step: what is computed, where to, and what is done to it on the way.
#[derive(Clone, Debug)]
pub(crate) struct ProgramStep {
    pub(crate) what: StepKernel,
    pub(crate) out: Buffer,
    /// Added to it.
    pub(crate) add: Option<Buffer>,
    /// What these bits do not let through becomes zero.
    pub(crate) mask: Option<Bits>,
    /// It is clipped …
    pub(crate) clip: Option<ClipBounds>,
    /// … and what was not beyond the bounds is remembered.
    pub(crate) keep: Option<Bits>,
}

/// What a step computes.
#[derive(Clone, Debug)]
pub(crate) enum StepKernel {
    /// The image, channels last, normalised and with borders: top, bottom, left, right.
    Image { padding: [usize; 4] },
    /// A convolution or a dense layer.
    Product {
        product: Arc<Product>,
        node: usize,
        from: Buffer,
    },
    /// A convolution of each channel for itself: taps × channels, and a bias.
    Depthwise {
        table: Arc<TapTable>,
        node: usize,
        weights: Arc<Vec<f32>>,
        bias: Arc<Vec<f32>>,
        from: Buffer,
    },
    /// The largest value of each window and, if it is to be remembered, which tap it was.
    Max {
        table: Arc<TapTable>,
        args: Option<usize>,
        from: Buffer,
    },
    /// The way back: each value takes what the windows say in which it was the largest.
    MaxBack {
        table: Arc<TapTable>,
        args: usize,
        from: Buffer,
    },
    /// Sums over windows, each place of the input or the output (on the way back) times its share.
    Sums {
        table: Arc<TapTable>,
        shares: Arc<Vec<f32>>,
        back: bool,
        from: Buffer,
    },
    /// What is there already: a sum, a clipped value, a masked one.
    Copy { from: Buffer },
    /// Channel by channel.
    Affine {
        scale: Arc<Vec<f32>>,
        shift: Option<Arc<Vec<f32>>>,
        from: Buffer,
    },
    /// A curve, value by value.
    Activation { curve: Activation, from: Buffer },
    /// The slope above times that of the curve where the value was.
    ActivationBack {
        curve: Activation,
        at: Buffer,
        from: Buffer,
    },
    /// Two values multiplied; the second is the same for all pixels if it is `wide`.
    Times {
        wide: bool,
        by: Buffer,
        from: Buffer,
    },
    /// Two values multiplied and summed over all pixels.
    TimesSum {
        pixels: usize,
        by: Buffer,
        from: Buffer,
    },
    /// Channels side by side.
    Join { from: Vec<(Buffer, usize)> },
    /// Some of the channels, beginning with this one.
    Split {
        first: usize,
        channels: usize,
        from: Buffer,
    },
    /// Channels by their numbers, out of so many.
    Pick {
        channels: Vec<usize>,
        of: usize,
        from: Buffer,
    },
    /// The way back from that.
    PickBack { channels: Vec<usize>, from: Buffer },
    /// Channel by channel instead of pixel by pixel.
    Flatten { shape: ItemShape, from: Buffer },
    /// The way back from that.
    Unflatten { shape: ItemShape, from: Buffer },
    /// Mean and variance of each channel over the batch.
    Measure { norm: usize, from: Buffer },
    /// Brings channels to what was measured.
    Norm { norm: usize, from: Buffer },
    /// How the loss changes with scale and shift of a norm.
    NormSlopes {
        norm: usize,
        at: Buffer,
        from: Buffer,
    },
    /// How it changes with what the norm was given.
    NormBack {
        norm: usize,
        at: Buffer,
        from: Buffer,
    },
    /// How it changes with the weights of a product, and with its bias.
    Slopes {
        product: Arc<Product>,
        at: Buffer,
        from: Buffer,
        weights: usize,
        bias: Option<usize>,
    },
    /// How it changes with the weights of a depthwise convolution, and with its bias.
    DepthwiseSlopes {
        table: Arc<TapTable>,
        at: Buffer,
        from: Buffer,
        weights: usize,
        bias: Option<usize>,
    },
}

/// Steps, and where their buffers lie. Everything is counted for one item, and lies one after
/// another for several.
#[derive(Debug)]
pub(crate) struct CompiledProgram {
    pub(crate) steps: Vec<ProgramStep>,
    /// How many of the steps go forward.
    pub(crate) turn: usize,
    pub(crate) shapes: Vec<ItemShape>,
    /// Where each buffer begins.
    pub(crate) places: Vec<usize>,
    /// How many values, words of bits and arguments of maxima an item needs.
    pub(crate) room: usize,
    pub(crate) bits: usize,
    pub(crate) args: usize,
    pub(crate) logits: Buffer,
    /// How the loss changes with the logits: where the way back begins.
    pub(crate) above: Option<Buffer>,
    /// How it changes with the image, and how large its cells are.
    pub(crate) below: Option<(Buffer, usize)>,
}

impl StepKernel {
    /// The buffers it reads.
    fn reads(&self) -> Vec<Buffer> {
        match self {
            StepKernel::Image { .. } => Vec::new(),
            StepKernel::Product { from, .. }
            | StepKernel::Depthwise { from, .. }
            | StepKernel::Max { from, .. }
            | StepKernel::MaxBack { from, .. }
            | StepKernel::Sums { from, .. }
            | StepKernel::Copy { from }
            | StepKernel::Affine { from, .. }
            | StepKernel::Activation { from, .. }
            | StepKernel::Split { from, .. }
            | StepKernel::Pick { from, .. }
            | StepKernel::PickBack { from, .. }
            | StepKernel::Flatten { from, .. }
            | StepKernel::Unflatten { from, .. }
            | StepKernel::Measure { from, .. }
            | StepKernel::Norm { from, .. } => vec![*from],
            StepKernel::ActivationBack { at, from, .. }
            | StepKernel::Times { by: at, from, .. }
            | StepKernel::TimesSum { by: at, from, .. }
            | StepKernel::NormSlopes { at, from, .. }
            | StepKernel::NormBack { at, from, .. }
            | StepKernel::Slopes { at, from, .. }
            | StepKernel::DepthwiseSlopes { at, from, .. } => vec![*at, *from],
            StepKernel::Join { from } => from.iter().map(|(buffer, _)| *buffer).collect(),
        }
    }
}

impl CompiledProgram {
    /// Gives every buffer a place, so that no two that are needed at the same time overlap.
    pub(crate) fn placed(mut self) -> CompiledProgram {
        let mut last = vec![0; self.shapes.len()];
        for (at, step) in self.steps.iter().enumerate() {
            for buffer in step
                .what
                .reads()
                .into_iter()
                .chain(step.add)
                .chain([step.out])
            {
                last[buffer] = at;
            }
        }
        let end = self.steps.len();
        last[self.logits] = last[self.logits].max(self.turn);
        if let Some((below, _)) = self.below {
            last[below] = end;
        }
        let mut live: Vec<(usize, usize, Buffer)> = Vec::new();
        self.places = vec![usize::MAX; self.shapes.len()];
        for at in 0..=end {
            if at == self.turn {
                self.above
                    .into_iter()
                    .for_each(|above| self.place(above, &mut live));
            }
            let Some(step) = self.steps.get(at) else {
                break;
            };
            let out = step.out;
            self.place(out, &mut live);
            live.retain(|&(.., buffer)| last[buffer] > at);
        }
        self
    }

    /// The first gap that is large enough.
    fn place(&mut self, buffer: Buffer, live: &mut Vec<(usize, usize, Buffer)>) {
        if self.places[buffer] != usize::MAX {
            return;
        }
        let size: usize = self.shapes[buffer].iter().product();
        live.sort_unstable();
        let mut start = 0;
        for &(from, to, _) in live.iter() {
            if start + size <= from {
                break;
            }
            start = start.max(to);
        }
        self.places[buffer] = start;
        self.room = self.room.max(start + size);
        live.push((start, start + size, buffer));
    }
}
