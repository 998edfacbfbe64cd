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
    pub(crate) kernel: StepKernel,
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
    /// A convolution or a dense layer, and the batch norm that is in its weights.
    Product {
        product: Arc<Product>,
        node: usize,
        norm: Option<usize>,
        from: Buffer,
    },
    /// A convolution of each channel for itself: taps × channels, and a bias; and the batch norm that
    /// is in them.
    Depthwise {
        table: Arc<TapTable>,
        node: usize,
        norm: Option<usize>,
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
    /// Channel by channel: a batch norm that is asked.
    Affine {
        node: usize,
        scale: Arc<Vec<f32>>,
        shift: Option<Arc<Vec<f32>>>,
        from: Buffer,
    },
    /// An activation, value by value.
    Activation {
        activation: Activation,
        from: Buffer,
    },
    /// The slope above times that of the activation where the value was.
    ActivationBack {
        activation: Activation,
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
    /// Channels times what a dropout drew for them; the way back is the same.
    Drop { dropout: usize, from: Buffer },
    /// How the loss changes with scale and shift of a norm.
    NormGradients {
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
    ProductGradients {
        product: Arc<Product>,
        at: Buffer,
        from: Buffer,
        weights: usize,
        bias: Option<usize>,
    },
    /// How it changes with the weights of a depthwise convolution, and with its bias.
    DepthwiseGradients {
        table: Arc<TapTable>,
        at: Buffer,
        from: Buffer,
        weights: usize,
        bias: Option<usize>,
    },
}

/// Steps, and where their buffers lie.
///
/// Sizes and places are counted for one item: a batch of n items multiplies every place by n, so
/// that one program serves every batch. Within a buffer items lie one after another, and within an
/// item pixels do, channels last: the channels of a pixel are what a register takes at once, for
/// every kind of step.
#[derive(Debug)]
pub(crate) struct CompiledProgram {
    pub(crate) steps: Vec<ProgramStep>,
    /// How many of the steps go forward.
    pub(crate) forward_steps: usize,
    pub(crate) shapes: Vec<ItemShape>,
    /// Where each buffer begins.
    pub(crate) places: Vec<usize>,
    /// How many values, words of bits and arguments of maxima an item needs.
    pub(crate) room: usize,
    pub(crate) bits: usize,
    pub(crate) args: usize,
    pub(crate) logits: Buffer,
    /// d(objective)/d(logits): where the way back begins.
    pub(crate) logit_gradient: Option<Buffer>,
    /// d(objective)/d(image), and the side of the cells it comes in.
    pub(crate) image_gradient: Option<(Buffer, usize)>,
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
            | StepKernel::Norm { from, .. }
            | StepKernel::Drop { from, .. } => vec![*from],
            StepKernel::ActivationBack { at, from, .. }
            | StepKernel::Times { by: at, from, .. }
            | StepKernel::TimesSum { by: at, from, .. }
            | StepKernel::NormGradients { at, from, .. }
            | StepKernel::NormBack { at, from, .. }
            | StepKernel::ProductGradients { at, from, .. }
            | StepKernel::DepthwiseGradients { at, from, .. } => vec![*at, *from],
            StepKernel::Join { from } => from.iter().map(|(buffer, _)| *buffer).collect(),
        }
    }
}

impl CompiledProgram {
    /// Gives every buffer a place, so that no two that are needed at the same time overlap.
    ///
    /// A buffer lives from the step that writes it to the last that reads it, and takes the first
    /// gap among those alive. The logits live until the way back begins, for the caller reads them
    /// there; the gradient of the image lives to the end.
    pub(crate) fn placed(mut self) -> CompiledProgram {
        let mut last = vec![0; self.shapes.len()];
        for (at, step) in self.steps.iter().enumerate() {
            for buffer in step
                .kernel
                .reads()
                .into_iter()
                .chain(step.add)
                .chain([step.out])
            {
                last[buffer] = at;
            }
        }
        let end = self.steps.len();
        last[self.logits] = last[self.logits].max(self.forward_steps);
        if let Some((below, _)) = self.image_gradient {
            last[below] = end;
        }
        let mut live: Vec<(usize, usize, Buffer)> = Vec::new();
        self.places = vec![usize::MAX; self.shapes.len()];
        for at in 0..=end {
            if at == self.forward_steps {
                self.logit_gradient
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
