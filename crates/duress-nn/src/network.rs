//! Networks as data: operators with their weights, in the order they are applied.

use std::fmt;

use duress_core::seed::Seed;
use serde::{Deserialize, Serialize};

/// A classifier of images, as data. Whoever holds one can rely on its parts fitting together.
///
/// ```
/// use duress_core::seed::Seed;
/// use duress_nn::network::{Network, Normalise};
/// let classes = vec!["cat".to_string(), "dog".to_string()];
/// let network = Network::fresh([1, 2, 2], classes, Normalise::none(1), &[3], Seed::new(1)).unwrap();
/// assert_eq!(network.logits(&[0.0, 0.5, 1.0, 0.5]).len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Network {
    input: [usize; 3],
    classes: Vec<String>,
    operators: Vec<Operator>,
}

/// One step of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// Brings every channel to a common scale.
    Normalise(Normalise),
    /// A weighted sum of all inputs for each output.
    Dense(Dense),
    /// What is negative becomes zero.
    Relu,
}

/// `(x − mean) · scale`, channel by channel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Normalise {
    /// What is subtracted.
    pub mean: Vec<f32>,
    /// What is multiplied with: one over the standard deviation.
    pub scale: Vec<f32>,
}

/// A dense layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dense {
    /// How many values it takes.
    pub inputs: usize,
    /// How many it gives.
    pub outputs: usize,
    /// Inputs × outputs, row by row.
    pub weights: Vec<f32>,
    /// One per output.
    pub bias: Vec<f32>,
}

/// Why operators do not make a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(String);

impl Network {
    /// A network whose operators fit together.
    pub fn new(
        input: [usize; 3],
        classes: Vec<String>,
        operators: Vec<Operator>,
    ) -> Result<Network, Malformed> {
        let network = Network { input, classes, operators };
        network.check().map(|()| network)
    }

    /// A network of dense layers with fresh weights; without `hidden` layers it is linear in its normalised input.
    pub fn fresh(
        input: [usize; 3],
        classes: Vec<String>,
        normalise: Normalise,
        hidden: &[usize],
        seed: Seed,
    ) -> Result<Network, Malformed> {
        let mut operators = vec![Operator::Normalise(normalise)];
        let mut inputs = size(input)?;
        for (depth, &outputs) in hidden.iter().chain([&classes.len()]).enumerate() {
            let last = depth == hidden.len();
            operators.push(Operator::Dense(Dense::fresh(
                inputs,
                outputs,
                last,
                seed.child(depth.to_string()),
            )));
            operators.extend((!last).then_some(Operator::Relu));
            inputs = outputs;
        }
        Network::new(input, classes, operators)
    }

    /// Channels, height and width of what it takes.
    pub fn input(&self) -> [usize; 3] {
        self.input
    }

    /// How many values an image has.
    pub fn input_size(&self) -> usize {
        self.input.iter().product()
    }

    /// The names of the classes, in the order of the logits.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The operators, in the order they are applied.
    pub fn operators(&self) -> &[Operator] {
        &self.operators
    }

    /// All that training changes, in a fixed order.
    pub(crate) fn parameters_mut(&mut self) -> impl Iterator<Item = &mut Vec<f32>> {
        self.operators.iter_mut().flat_map(|operator| match operator {
            Operator::Dense(dense) => vec![&mut dense.weights, &mut dense.bias],
            Operator::Normalise(_) | Operator::Relu => Vec::new(),
        })
    }

    fn check(&self) -> Result<(), Malformed> {
        let mut width = size(self.input)?;
        for (at, operator) in self.operators.iter().enumerate() {
            let wrong = |why: String| Malformed(format!("operator {at}: {why}"));
            match operator {
                Operator::Normalise(normalise) if at == 0 => {
                    normalise.check(self.input[0]).map_err(wrong)?;
                }
                Operator::Normalise(_) => return Err(wrong("normalises, which only the first may".into())),
                Operator::Dense(dense) => {
                    dense.check(width).map_err(wrong)?;
                    width = dense.outputs;
                }
                Operator::Relu => {}
            }
        }
        if self.classes.len() < 2 || width != self.classes.len() {
            return Err(Malformed(format!("{width} outputs for {} classes", self.classes.len())));
        }
        Ok(())
    }
}

impl Normalise {
    /// Leaves `channels` channels as they are.
    pub fn none(channels: usize) -> Normalise {
        Normalise { mean: vec![0.0; channels], scale: vec![1.0; channels] }
    }

    fn check(&self, channels: usize) -> Result<(), String> {
        if self.mean.len() != channels || self.scale.len() != channels {
            return Err(format!(
                "{} means and {} scales for {channels} channels",
                self.mean.len(),
                self.scale.len()
            ));
        }
        finite(&self.mean).and(finite(&self.scale))
    }
}

impl Dense {
    /// Normal weights with variance 2/inputs before a ReLU (He et al., 2015) and 1/inputs at the end, where there is none.
    fn fresh(inputs: usize, outputs: usize, last: bool, seed: Seed) -> Dense {
        let spread = libm::sqrt(if last { 1.0 } else { 2.0 } / inputs.max(1) as f64);
        let mut draws = seed.draws();
        let weights = (0..inputs * outputs).map(|_| (spread * draws.normal()) as f32).collect();
        Dense { inputs, outputs, weights, bias: vec![0.0; outputs] }
    }

    fn check(&self, width: usize) -> Result<(), String> {
        if self.inputs != width {
            return Err(format!("takes {} values, is given {width}", self.inputs));
        }
        let weights = self.inputs.checked_mul(self.outputs);
        if self.outputs == 0 || weights != Some(self.weights.len()) || self.bias.len() != self.outputs {
            return Err(format!(
                "{} weights and {} biases for {} × {}",
                self.weights.len(),
                self.bias.len(),
                self.inputs,
                self.outputs
            ));
        }
        finite(&self.weights).and(finite(&self.bias))
    }
}

fn finite(values: &[f32]) -> Result<(), String> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(format!("a weight is {value}")),
        None => Ok(()),
    }
}

fn size(input: [usize; 3]) -> Result<usize, Malformed> {
    let size = input.iter().try_fold(1_usize, |size, &side| size.checked_mul(side));
    size.filter(|&size| size > 0).ok_or_else(|| Malformed(format!("images of {input:?} cannot be")))
}

/// A network as it was read, before anyone has looked at it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    input: [usize; 3],
    classes: Vec<String>,
    operators: Vec<Operator>,
}

impl TryFrom<Unchecked> for Network {
    type Error = Malformed;
    fn try_from(read: Unchecked) -> Result<Network, Malformed> {
        Network::new(read.input, read.classes, read.operators)
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a network: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(inputs: usize, outputs: usize) -> Operator {
        Operator::Dense(Dense::fresh(inputs, outputs, true, Seed::new(1)))
    }

    #[test]
    fn operators_that_do_not_fit_together_are_refused() {
        let classes = || vec!["a".to_string(), "b".to_string()];
        let check = |input: [usize; 3], operators: Vec<Operator>, expected: &str| {
            let why = Network::new(input, classes(), operators).unwrap_err().to_string();
            assert!(why.contains(expected), "{why}");
        };
        check([1, 2, 2], vec![dense(3, 2)], "takes 3 values, is given 4");
        check([1, 2, 2], vec![dense(4, 3)], "3 outputs for 2 classes");
        check([1, 2, 2], vec![], "4 outputs for 2 classes");
        check([0, 2, 2], vec![dense(4, 2)], "cannot be");
        check([usize::MAX, 2, 2], vec![dense(4, 2)], "cannot be");
        check(
            [1, 2, 2],
            vec![dense(4, 4), Operator::Normalise(Normalise::none(1)), dense(4, 2)],
            "only the first",
        );
        check([3, 2, 2], vec![Operator::Normalise(Normalise::none(1)), dense(12, 2)], "for 3 channels");
        let huge = Dense { inputs: 4, outputs: usize::MAX, weights: vec![1.0], bias: vec![] };
        check([1, 2, 2], vec![Operator::Dense(huge)], "1 weights and 0 biases");
        let odd = Dense { inputs: 1, outputs: 2, weights: vec![1.0, f32::NAN], bias: vec![0.0; 2] };
        check([1, 1, 1], vec![Operator::Dense(odd)], "a weight is NaN");
    }
}
