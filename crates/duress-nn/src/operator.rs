//! Operators: what a node of a network does with what it is given, and the weights it does it with.
//!
//! Weights lie as PyTorch writes them: convolutions as outputs × inputs per group × height × width,
//! dense layers as outputs × inputs. How they lie while they are used is decided when a network is
//! compiled.

use serde::{Deserialize, Serialize};

/// Channels, height and width of one item's value; what is flat has height and width 1.
pub type ItemShape = [usize; 3];

/// More values than this for one item are a mistake in a file, not a picture.
pub(crate) const LARGEST: usize = 1 << 28;

/// More values than this in all windows of a pool are a mistake in a file.
const LONGEST_LIST: usize = 1 << 26;

/// One step of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Operator {
    /// Brings every channel of the image to a common scale. The first node, and only the first: it
    /// takes the image.
    Normalise(Normalise),
    /// A weighted sum over a window, for each output channel.
    Conv(Conv),
    /// Brings every channel to the mean and deviation it was taught.
    BatchNorm(BatchNorm),
    /// What is negative becomes zero.
    Relu,
    /// What is negative is multiplied by this.
    LeakyRelu(f32),
    /// What is beyond the bounds becomes the bound; ReLU6 is 0 and 6.
    Clip {
        low: f32,
        high: f32,
    },
    /// 1 / (1 + exp(−x)).
    Sigmoid,
    /// x · sigmoid(x).
    Silu,
    /// clip(x / 6 + 1/2, 0, 1).
    HardSigmoid,
    /// x · clip(x / 6 + 1/2, 0, 1).
    HardSwish,
    /// A function of each value by itself.
    Bend(Bend),
    /// The largest value of a window; what lies outside is never the largest.
    MaxPool(Window),
    /// The mean of a window.
    AvgPool {
        window: Window,
        /// Whether what lies outside counts, as zero.
        count_outside: bool,
    },
    GlobalAvgPool,
    /// The sum of two values of one shape.
    Add,
    /// The product of two values; the second has the shape of the first, or one value per channel.
    Mul,
    /// The channels of all inputs, one after another.
    Concat,
    /// These channels of the input, in this order.
    Pick(Vec<usize>),
    /// All values in one row: channel by channel, row by row.
    Flatten,
    /// A weighted sum of all inputs for each output.
    Dense(Dense),
    /// While being taught, forgets whole channels, each with this chance, and raises the others so
    /// that their mean stays; otherwise does nothing.
    Dropout(f32),
}

/// A function of one value that is no clipping.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Bend {
    Tanh,
    /// The error function, 2/√π · ∫₀ˣ exp(−t²) dt.
    Erf,
    /// x · Φ(x), with the normal distribution.
    Gelu,
    /// The same with Φ as a tanh has it: x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³))).
    GeluTanh,
    /// What is negative becomes this times (exp(x) − 1).
    Elu(f32),
    /// The same with another factor, and all times a scale.
    Selu {
        alpha: f32,
        scale: f32,
    },
    /// ln(1 + exp(x)).
    Softplus,
    /// x · tanh(ln(1 + exp(x))).
    Mish,
    /// The nearest whole number, of two the even one. Its slope is zero; on the way back it is taken
    /// for 1, so that an attack can see through it (straight-through).
    Round,
}

impl Bend {
    fn name(self) -> &'static str {
        match self {
            Bend::Tanh => "tanh",
            Bend::Erf => "erf",
            Bend::Gelu => "gelu",
            Bend::GeluTanh => "gelu-tanh",
            Bend::Elu(_) => "elu",
            Bend::Selu { .. } => "selu",
            Bend::Softplus => "softplus",
            Bend::Mish => "mish",
            Bend::Round => "round",
        }
    }

    fn check(self) -> Result<(), String> {
        match self {
            Bend::Elu(alpha) => finite(&[alpha]),
            Bend::Selu { alpha, scale } => finite(&[alpha, scale]),
            _ => Ok(()),
        }
    }
}

/// `(x − mean) · scale`, channel by channel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Normalise {
    pub mean: Vec<f32>,
    /// What is multiplied with: one over the standard deviation.
    pub scale: Vec<f32>,
    /// Which channel of the image each of these is, where it is not the one in the same place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<usize>,
}

/// Where the windows of a convolution or a pool lie. All pairs are height, then width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    pub kernel: [usize; 2],
    pub stride: [usize; 2],
    /// How far windows reach beyond the edges: top, bottom, left, right.
    pub padding: [usize; 4],
    /// How far apart the values of a window are; 1 for neighbours.
    pub dilation: [usize; 2],
    /// Whether a last window that only partly fits counts, as long as it begins inside.
    #[serde(default)]
    pub ceil: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conv {
    pub inputs: usize,
    pub outputs: usize,
    /// In how many groups channels are kept apart; as many as inputs for a depthwise convolution.
    pub groups: usize,
    pub window: Window,
    /// Outputs × inputs per group × height × width.
    pub weights: Vec<f32>,
    /// One per output, or none at all.
    pub bias: Vec<f32>,
}

/// `(x − mean) / √(variance + epsilon) · scale + shift`, channel by channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchNorm {
    pub scale: Vec<f32>,
    pub shift: Vec<f32>,
    /// The mean it remembers from being taught.
    pub mean: Vec<f32>,
    /// The variance it remembers from being taught.
    pub variance: Vec<f32>,
    /// What keeps the quotient finite.
    pub epsilon: f32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dense {
    pub inputs: usize,
    pub outputs: usize,
    /// Outputs × inputs, row by row.
    pub weights: Vec<f32>,
    /// One per output, or none at all.
    pub bias: Vec<f32>,
}

/// A list of numbers that an operator holds.
#[derive(Debug)]
pub struct OperatorList<'a> {
    /// PyTorch's word for it: `weight`, `bias`, `running_mean`, `running_var`.
    pub name: &'static str,
    /// Its shape, as PyTorch writes it.
    pub shape: Vec<usize>,
    /// Whether training changes it by its gradient, rather than by what goes through.
    pub learnt: bool,
    pub values: &'a mut Vec<f32>,
}

impl Operator {
    /// What it is called in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Operator::Normalise(_) => "normalise",
            Operator::Conv(_) => "conv",
            Operator::BatchNorm(_) => "batch-norm",
            Operator::Relu => "relu",
            Operator::LeakyRelu(_) => "leaky-relu",
            Operator::Clip { .. } => "clip",
            Operator::Sigmoid => "sigmoid",
            Operator::Silu => "silu",
            Operator::HardSigmoid => "hard-sigmoid",
            Operator::HardSwish => "hard-swish",
            Operator::Bend(bend) => bend.name(),
            Operator::MaxPool(_) => "max-pool",
            Operator::AvgPool { .. } => "avg-pool",
            Operator::GlobalAvgPool => "global-avg-pool",
            Operator::Add => "add",
            Operator::Mul => "mul",
            Operator::Concat => "concat",
            Operator::Pick(_) => "pick",
            Operator::Flatten => "flatten",
            Operator::Dense(_) => "dense",
            Operator::Dropout(_) => "dropout",
        }
    }

    /// All it holds, in the order of a PyTorch state dict; normalisation is no part of one.
    pub fn held_mut(&mut self) -> Vec<OperatorList<'_>> {
        match self {
            Operator::Conv(conv) => {
                let [height, width] = conv.window.kernel;
                let shape = vec![
                    conv.outputs,
                    conv.inputs / conv.groups.max(1),
                    height,
                    width,
                ];
                with_bias(shape, &mut conv.weights, &mut conv.bias)
            }
            Operator::Dense(dense) => with_bias(
                vec![dense.outputs, dense.inputs],
                &mut dense.weights,
                &mut dense.bias,
            ),
            Operator::BatchNorm(norm) => {
                let shape = vec![norm.scale.len()];
                let held = |name, learnt, values| OperatorList {
                    name,
                    shape: shape.clone(),
                    learnt,
                    values,
                };
                vec![
                    held("weight", true, &mut norm.scale),
                    held("bias", true, &mut norm.shift),
                    held("running_mean", false, &mut norm.mean),
                    held("running_var", false, &mut norm.variance),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// The shape of what it gives for what it takes, or why it cannot take that.
    pub(crate) fn shape(&self, given: &[ItemShape]) -> Result<ItemShape, String> {
        let wanted = match self {
            Operator::Normalise(_) => 0..=0,
            Operator::Add | Operator::Mul => 2..=2,
            Operator::Concat => 1..=usize::MAX,
            _ => 1..=1,
        };
        if !wanted.contains(&given.len()) {
            return Err(format!(
                "takes {} inputs, is given {}",
                wanted.start(),
                given.len()
            ));
        }
        let shape = self.shape_of_right_count(given)?;
        let size = shape
            .iter()
            .try_fold(1_usize, |size, &side| size.checked_mul(side));
        match size {
            Some(1..=LARGEST) => Ok(shape),
            _ => Err(format!("would give values of {shape:?}")),
        }
    }

    fn shape_of_right_count(&self, given: &[ItemShape]) -> Result<ItemShape, String> {
        let one = given.first().copied().unwrap_or_default();
        match self {
            Operator::Normalise(_) => Err("only the first node takes the image".into()),
            Operator::Conv(conv) => conv.shape(one),
            Operator::BatchNorm(norm) => norm.check(one[0]).map(|()| one),
            Operator::MaxPool(window) | Operator::AvgPool { window, .. } => {
                if window
                    .padding
                    .iter()
                    .zip([0, 0, 1, 1])
                    .any(|(&by, side)| by >= window.kernel[side].max(1))
                {
                    return Err(format!(
                        "is padded by {:?}, a whole window or more",
                        window.padding
                    ));
                }
                if window.kernel.iter().any(|&side| side > 255) {
                    return Err(format!(
                        "has a window of {:?}; at most 255 are allowed",
                        window.kernel
                    ));
                }
                let [height, width] = window.places([one[1], one[2]])?;
                window.can_be_listed([height, width])?;
                Ok([one[0], height, width])
            }
            Operator::GlobalAvgPool => Ok([one[0], 1, 1]),
            Operator::Add if given[0] != given[1] => {
                Err(format!("adds {:?} and {:?}", given[0], given[1]))
            }
            Operator::Mul if given[1] != one && given[1] != [one[0], 1, 1] => {
                Err(format!("multiplies {:?} with {:?}", given[0], given[1]))
            }
            Operator::Concat => joined(given),
            Operator::Pick(channels) => match channels.iter().find(|&&channel| channel >= one[0]) {
                Some(channel) => Err(format!("picks channel {channel} of {}", one[0])),
                None => Ok([channels.len(), one[1], one[2]]),
            },
            Operator::Flatten => Ok([one.iter().product(), 1, 1]),
            Operator::Dense(dense) => dense.shape(one),
            Operator::LeakyRelu(by) => finite(&[*by]).map(|()| one),
            Operator::Bend(bend) => bend.check().map(|()| one),
            Operator::Clip { low, high } if low.is_nan() || high.is_nan() || low > high => {
                Err(format!("clips from {low} to {high}"))
            }
            Operator::Dropout(share) if !(0.0..1.0).contains(share) => {
                Err(format!("forgets a share of {share}"))
            }
            Operator::Add
            | Operator::Mul
            | Operator::Clip { .. }
            | Operator::Dropout(_)
            | Operator::Relu
            | Operator::Sigmoid
            | Operator::Silu
            | Operator::HardSigmoid
            | Operator::HardSwish => Ok(one),
        }
    }
}

fn with_bias<'a>(
    shape: Vec<usize>,
    weights: &'a mut Vec<f32>,
    bias: &'a mut Vec<f32>,
) -> Vec<OperatorList<'a>> {
    let biased = !bias.is_empty();
    let outputs = vec![shape[0]];
    let mut held = vec![OperatorList {
        name: "weight",
        shape,
        learnt: true,
        values: weights,
    }];
    held.extend(biased.then_some(OperatorList {
        name: "bias",
        shape: outputs,
        learnt: true,
        values: bias,
    }));
    held
}

fn joined(given: &[ItemShape]) -> Result<ItemShape, String> {
    let [_, height, width] = given[0];
    match given.iter().find(|shape| shape[1..] != [height, width]) {
        Some(odd) => Err(format!("joins {:?} and {odd:?}", given[0])),
        None => Ok([given.iter().map(|shape| shape[0]).sum(), height, width]),
    }
}

impl Window {
    /// Square windows of `side`, padded alike on all sides.
    pub fn square(side: usize, stride: usize, padding: usize) -> Window {
        let kernel = [side; 2];
        let stride = [stride; 2];
        Window {
            kernel,
            stride,
            padding: [padding; 4],
            dilation: [1; 2],
            ceil: false,
        }
    }

    /// How many windows fit into an image, down and across.
    pub(crate) fn places(&self, image: [usize; 2]) -> Result<[usize; 2], String> {
        let along = |side: usize| self.along(side, image[side]);
        match (along(0), along(1)) {
            (Some(down), Some(across)) => Ok([down, across]),
            _ => Err(format!(
                "no window fits: {self:?} over {} × {}",
                image[0], image[1]
            )),
        }
    }

    /// Pools and depthwise convolutions list what each of their windows sees.
    fn can_be_listed(&self, [down, across]: [usize; 2]) -> Result<(), String> {
        let sizes = [self.kernel[0], self.kernel[1], down, across];
        match sizes
            .iter()
            .try_fold(1_usize, |all, &size| all.checked_mul(size))
        {
            Some(..=LONGEST_LIST) => Ok(()),
            _ => Err(format!(
                "has {down} × {across} windows of {:?}: too many",
                self.kernel
            )),
        }
    }

    fn along(&self, side: usize, length: usize) -> Option<usize> {
        let [before, after] = [self.padding[2 * side], self.padding[2 * side + 1]];
        let reach = self.kernel[side]
            .checked_sub(1)?
            .checked_mul(self.dilation[side])?
            .checked_add(1)?;
        let room = length
            .checked_add(before)?
            .checked_add(after)?
            .checked_sub(reach)?;
        let stride = self.stride[side];
        if stride == 0 || self.dilation[side] == 0 || room >= LARGEST {
            return None;
        }
        let mut places = room / stride + 1;
        // One more window, unless it would begin beyond the last value.
        places += usize::from(self.ceil && room % stride != 0 && places * stride < length + before);
        Some(places)
    }
}

impl Conv {
    /// Whether each channel is for itself.
    pub(crate) fn is_depthwise(&self) -> bool {
        self.groups > 1 && self.groups == self.inputs && self.groups == self.outputs
    }

    fn shape(&self, [channels, height, width]: ItemShape) -> Result<ItemShape, String> {
        if self.inputs != channels {
            return Err(format!(
                "takes {} channels, is given {channels}",
                self.inputs
            ));
        }
        let even = |n: usize| self.groups > 0 && n.is_multiple_of(self.groups);
        if self.outputs == 0 || !even(self.inputs) || !even(self.outputs) {
            return Err(format!(
                "{} → {} channels in {} groups",
                self.inputs, self.outputs, self.groups
            ));
        }
        let [down, across] = self.window.places([height, width])?;
        if self.is_depthwise() {
            self.window.can_be_listed([down, across])?;
        }
        let each = [
            self.inputs / self.groups,
            self.window.kernel[0],
            self.window.kernel[1],
        ];
        check_weights(self.outputs, &each, &self.weights, &self.bias)?;
        Ok([self.outputs, down, across])
    }
}

impl Dense {
    fn shape(&self, given: ItemShape) -> Result<ItemShape, String> {
        if given != [self.inputs, 1, 1] {
            return Err(format!(
                "takes {} flat values, is given {given:?}",
                self.inputs
            ));
        }
        check_weights(self.outputs, &[self.inputs], &self.weights, &self.bias)?;
        Ok([self.outputs, 1, 1])
    }
}

fn check_weights(
    outputs: usize,
    each: &[usize],
    weights: &[f32],
    bias: &[f32],
) -> Result<(), String> {
    let expected = each
        .iter()
        .try_fold(outputs, |size, &side| size.checked_mul(side));
    let bias_fits = bias.is_empty() || bias.len() == outputs;
    if outputs == 0 || expected != Some(weights.len()) || !bias_fits {
        return Err(format!(
            "{} weights and {} biases for {outputs} × {each:?}",
            weights.len(),
            bias.len()
        ));
    }
    finite(weights).and(finite(bias))
}

impl BatchNorm {
    /// As it is before it has been taught anything.
    pub fn fresh(channels: usize) -> BatchNorm {
        let ones = vec![1.0; channels];
        let zeros = vec![0.0; channels];
        BatchNorm {
            scale: ones.clone(),
            shift: zeros.clone(),
            mean: zeros,
            variance: ones,
            epsilon: 1e-5,
        }
    }

    fn check(&self, channels: usize) -> Result<(), String> {
        let lists = [&self.scale, &self.shift, &self.mean, &self.variance];
        if lists.iter().any(|list| list.len() != channels) {
            return Err(format!(
                "{} scales for {channels} channels",
                self.scale.len()
            ));
        }
        lists.iter().try_for_each(|list| finite(list))?;
        finite(&[self.epsilon])?;
        match self
            .variance
            .iter()
            .find(|&&variance| variance + self.epsilon <= 0.0)
        {
            Some(variance) => Err(format!(
                "a variance is {variance}, with epsilon {}",
                self.epsilon
            )),
            None => Ok(()),
        }
    }
}

impl Normalise {
    /// Leaves `channels` channels as they are.
    pub fn identity(channels: usize) -> Normalise {
        Normalise {
            mean: vec![0.0; channels],
            scale: vec![1.0; channels],
            order: Vec::new(),
        }
    }

    /// The channel of the image that the network sees as this one.
    pub(crate) fn image_channel(&self, channel: usize) -> usize {
        self.order.get(channel).copied().unwrap_or(channel)
    }

    pub(crate) fn check(&self, channels: usize) -> Result<(), String> {
        let means = self.mean.len();
        let scales = self.scale.len();
        if means != channels || scales != channels {
            return Err(format!(
                "{means} means and {scales} scales for {channels} channels"
            ));
        }
        let mut sorted = self.order.clone();
        sorted.sort_unstable();
        if !self.order.is_empty() && !sorted.into_iter().eq(0..channels) {
            return Err(format!(
                "the order {:?} for {channels} channels",
                self.order
            ));
        }
        finite(&self.mean).and(finite(&self.scale))
    }
}

fn finite(values: &[f32]) -> Result<(), String> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(format!("a weight is {value}")),
        None => Ok(()),
    }
}
