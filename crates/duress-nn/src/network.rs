//! Networks as data: a graph of operators with their weights.

use std::fmt;

use duress_tensors::NewTensor;
use serde::{Deserialize, Serialize};

use crate::operator::LARGEST;
pub use crate::operator::{
    BatchNorm, Bend, Conv, Dense, ItemShape, Normalise, Operator, OperatorList, Window,
};

/// A classifier of images, as data. Whoever holds one can rely on its parts fitting together.
///
/// ```
/// use duress_nn::network::{Conv, Dense, Network, NetworkNode, Normalise, Operator, Window};
/// let conv = Conv {
///     inputs: 1,
///     outputs: 2,
///     groups: 1,
///     window: Window::square(3, 1, 1),
///     weights: vec![0.1; 18],
///     bias: vec![],
/// };
/// let dense = Dense { inputs: 2, outputs: 2, weights: vec![1.0, 0.0, 0.0, 1.0], bias: vec![0.0; 2] };
/// let nodes = vec![
///     NetworkNode::new("normalise", [], Operator::Normalise(Normalise::identity(1))),
///     NetworkNode::new("conv1", [0], Operator::Conv(conv)),
///     NetworkNode::new("relu", [1], Operator::Relu),
///     NetworkNode::new("pool", [2], Operator::GlobalAvgPool),
///     NetworkNode::new("fc", [3], Operator::Dense(dense)),
/// ];
/// let classes = vec!["cat".to_string(), "dog".to_string()];
/// let network = Network::new([1, 2, 2], classes, nodes).unwrap();
/// assert_eq!(network.shapes()[1], [2, 2, 2]);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Network {
    input: ItemShape,
    classes: Vec<String>,
    nodes: Vec<NetworkNode>,
    #[serde(skip)]
    shapes: Vec<ItemShape>,
}

/// An operator in its place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkNode {
    /// What it is called: in a PyTorch model, the key of its weights without `.weight`.
    pub name: String,
    /// The nodes it takes its inputs from, by their place; all of them come before it.
    pub inputs: Vec<usize>,
    pub operator: Operator,
}

/// More values than this for one item, all nodes together, are a mistake in a file.
const LARGEST_IN_ALL: usize = 1 << 30;

/// A list of numbers that training changes.
pub(crate) struct LearntList<'a> {
    /// Whether it is drawn to zero: weights are, biases and the scales of norms are not.
    pub(crate) decays: bool,
    pub(crate) values: &'a mut Vec<f32>,
}

/// Why nodes do not make a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(String);

impl Network {
    /// A network whose nodes fit together. The first node normalises the image, the last one gives
    /// the logits.
    pub fn new(
        input: ItemShape,
        classes: Vec<String>,
        nodes: Vec<NetworkNode>,
    ) -> Result<Network, Malformed> {
        let mut network = Network {
            input,
            classes,
            shapes: Vec::with_capacity(nodes.len()),
            nodes,
        };
        for at in 0..network.nodes.len() {
            let shape = network.shape(at).map_err(|why| network.wrong(at, &why))?;
            network.shapes.push(shape);
        }
        let values: usize = network
            .shapes
            .iter()
            .map(|shape| shape.iter().product::<usize>())
            .sum();
        if values > LARGEST_IN_ALL {
            return Err(Malformed(format!(
                "its nodes give {values} values for one image; at most {LARGEST_IN_ALL} can be held"
            )));
        }
        let outputs = network
            .shapes
            .last()
            .map_or(0, |shape| shape.iter().product());
        if network.classes.len() < 2 || outputs != network.classes.len() {
            return Err(Malformed(format!(
                "{outputs} outputs for {} classes",
                network.classes.len()
            )));
        }
        Ok(network)
    }

    /// A network of operators one after another, each given what the last one gave.
    pub fn chain(
        input: ItemShape,
        classes: Vec<String>,
        operators: Vec<Operator>,
    ) -> Result<Network, Malformed> {
        let node = |(at, operator): (usize, Operator)| {
            NetworkNode::new(
                format!("{at}"),
                at.checked_sub(1).as_slice().to_vec(),
                operator,
            )
        };
        Network::new(
            input,
            classes,
            operators.into_iter().enumerate().map(node).collect(),
        )
    }

    /// Channels, height and width of what it takes.
    pub fn input(&self) -> ItemShape {
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

    /// The nodes, each after those it takes its inputs from.
    pub fn nodes(&self) -> &[NetworkNode] {
        &self.nodes
    }

    /// The shape of what each node gives for one image.
    pub fn shapes(&self) -> &[ItemShape] {
        &self.shapes
    }

    /// The same network with the numbers that `source` has for each name and shape, such as
    /// `layer1.0.conv1.weight`.
    pub fn filled<E: fmt::Display>(
        mut self,
        mut source: impl FnMut(&str, &[usize]) -> Result<Vec<f32>, E>,
    ) -> Result<Network, Malformed> {
        for node in &mut self.nodes {
            for held in node.operator.held_mut() {
                let name = format!("{}.{}", node.name, held.name);
                *held.values = source(&name, &held.shape)
                    .map_err(|why| Malformed(format!("`{name}`: {why}")))?;
            }
        }
        Network::new(self.input, self.classes, self.nodes)
    }

    /// The same network with these names for its classes.
    pub fn with_classes(self, classes: Vec<String>) -> Result<Network, Malformed> {
        Network::new(self.input, classes, self.nodes)
    }

    /// The same network with this normalisation.
    pub fn with_normalise(mut self, normalise: Normalise) -> Result<Network, Malformed> {
        self.nodes[0].operator = Operator::Normalise(normalise);
        Network::new(self.input, self.classes, self.nodes)
    }

    /// The same network with every number moved toward that of another of the same layers, by a
    /// share of the way.
    pub(crate) fn moved_toward(mut self, other: &Network, share: f64) -> Network {
        let share = share as f32;
        for (node, other) in self.nodes.iter_mut().zip(&other.nodes) {
            let mut other = other.operator.clone();
            let lists = node.operator.held_mut().into_iter().zip(other.held_mut());
            for (mine, theirs) in lists {
                let both = mine.values.iter_mut().zip(theirs.values.iter());
                both.for_each(|(mine, theirs)| *mine += share * (theirs - *mine));
            }
        }
        self
    }

    /// All that training changes by its gradient, in a fixed order.
    pub(crate) fn learnt_mut(&mut self) -> impl Iterator<Item = LearntList<'_>> {
        let held = self
            .nodes
            .iter_mut()
            .flat_map(|node| node.operator.held_mut());
        held.filter(|held| held.learnt).map(|held| LearntList {
            decays: held.shape.len() > 1,
            values: held.values,
        })
    }

    /// The batch norm at a node.
    pub(crate) fn norm_mut(&mut self, node: usize) -> Option<&mut BatchNorm> {
        match &mut self.nodes[node].operator {
            Operator::BatchNorm(norm) => Some(norm),
            _ => None,
        }
    }

    fn shape(&self, at: usize) -> Result<ItemShape, String> {
        let node = &self.nodes[at];
        if let Some(late) = node.inputs.iter().find(|&&from| from >= at) {
            return Err(format!(
                "takes its input from node {late}, which does not come before it"
            ));
        }
        match &node.operator {
            Operator::Normalise(normalise) if at == 0 && node.inputs.is_empty() => {
                possible(self.input)?;
                normalise.check(self.input[0]).map(|()| self.input)
            }
            _ if at == 0 => Err("the first node must normalise the image".into()),
            operator => {
                let given: Vec<ItemShape> =
                    node.inputs.iter().map(|&from| self.shapes[from]).collect();
                operator.shape(&given)
            }
        }
    }

    fn wrong(&self, at: usize, why: &str) -> Malformed {
        let node = &self.nodes[at];
        Malformed(format!(
            "node {at} `{}` ({}): {why}",
            node.name,
            node.operator.name()
        ))
    }
}

impl NetworkNode {
    /// An operator with its name and inputs.
    pub fn new(
        name: impl Into<String>,
        inputs: impl Into<Vec<usize>>,
        operator: Operator,
    ) -> NetworkNode {
        NetworkNode {
            name: name.into(),
            inputs: inputs.into(),
            operator,
        }
    }
}

fn possible(input: ItemShape) -> Result<(), String> {
    let size = input
        .iter()
        .try_fold(1_usize, |size, &side| size.checked_mul(side));
    match size {
        Some(1..=LARGEST) => Ok(()),
        _ => Err(format!("images of {input:?} cannot be")),
    }
}

/// A network as it was read, before anyone has looked at it; or one without its numbers.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unchecked {
    input: ItemShape,
    classes: Vec<String>,
    nodes: Vec<NetworkNode>,
}

impl Network {
    /// Everything but its numbers: of each list one zero is left, so that it is known to be there.
    pub(crate) fn outline(&self) -> Unchecked {
        let mut nodes = self.nodes.clone();
        for held in nodes.iter_mut().flat_map(|node| node.operator.held_mut()) {
            *held.values = vec![0.0];
        }
        Unchecked {
            input: self.input,
            classes: self.classes.clone(),
            nodes,
        }
    }

    /// Its numbers, each list with PyTorch's name and shape.
    pub(crate) fn tensors(&self) -> Vec<NewTensor> {
        let mut tensors = Vec::new();
        for node in &self.nodes {
            for held in node.operator.clone().held_mut() {
                tensors.push(NewTensor {
                    name: format!("{}.{}", node.name, held.name),
                    shape: held.shape,
                    values: std::mem::take(held.values),
                });
            }
        }
        tensors
    }
}

impl Unchecked {
    /// The network with the numbers that `source` has for each name.
    pub(crate) fn filled(
        mut self,
        mut source: impl FnMut(&str) -> Option<Vec<f32>>,
    ) -> Result<Network, Malformed> {
        for node in &mut self.nodes {
            for held in node.operator.held_mut() {
                let name = format!("{}.{}", node.name, held.name);
                *held.values = source(&name)
                    .ok_or_else(|| Malformed(format!("`{name}` is not in the file")))?;
            }
        }
        Network::try_from(self)
    }
}

impl TryFrom<Unchecked> for Network {
    type Error = Malformed;
    fn try_from(read: Unchecked) -> Result<Network, Malformed> {
        Network::new(read.input, read.classes, read.nodes)
    }
}

impl Malformed {
    /// Why something that was read does not make a network.
    pub fn new(why: impl Into<String>) -> Malformed {
        Malformed(why.into())
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
        Operator::Dense(Dense {
            inputs,
            outputs,
            weights: vec![0.5; inputs * outputs],
            bias: vec![0.0; outputs],
        })
    }

    fn conv(inputs: usize, outputs: usize, groups: usize) -> Conv {
        let weights = vec![0.5; outputs * inputs / groups.max(1) * 9];
        Conv {
            inputs,
            outputs,
            groups,
            window: Window::square(3, 1, 1),
            weights,
            bias: vec![],
        }
    }

    fn refused(input: ItemShape, operators: Vec<Operator>, expected: &str) {
        let classes = vec!["a".to_string(), "b".to_string()];
        let first = Operator::Normalise(Normalise::identity(input[0].min(3)));
        let operators = std::iter::once(first).chain(operators).collect();
        let why = Network::chain(input, classes, operators)
            .unwrap_err()
            .to_string();
        assert!(why.contains(expected), "{why}");
    }

    #[test]
    fn nodes_that_do_not_fit_together_are_refused_by_name() {
        refused(
            [1, 2, 2],
            vec![Operator::Flatten, dense(3, 2)],
            "node 2 `2` (dense): takes 3 flat values, is given [4, 1, 1]",
        );
        refused([1, 2, 2], vec![dense(4, 2)], "is given [1, 2, 2]");
        refused(
            [1, 2, 2],
            vec![Operator::Flatten, dense(4, 3)],
            "3 outputs for 2 classes",
        );
        refused([1, 2, 2], vec![], "4 outputs for 2 classes");
        refused([0, 2, 2], vec![], "cannot be");
        refused([usize::MAX, 2, 2], vec![], "cannot be");
        let normalise = Operator::Normalise(Normalise::identity(1));
        refused(
            [1, 2, 2],
            vec![normalise],
            "(normalise): takes 0 inputs, is given 1",
        );
        refused([4, 2, 2], vec![], "3 means and 3 scales for 4 channels");
        refused(
            [1, 2, 2],
            vec![Operator::Add],
            "(add): takes 2 inputs, is given 1",
        );
        refused(
            [1, 2, 2],
            vec![Operator::Conv(conv(2, 2, 1))],
            "takes 2 channels, is given 1",
        );
        refused(
            [3, 2, 2],
            vec![Operator::Conv(conv(3, 2, 2))],
            "3 → 2 channels in 2 groups",
        );
        refused(
            [3, 2, 2],
            vec![Operator::Conv(conv(3, 3, 0))],
            "in 0 groups",
        );
        refused(
            [1, 2, 2],
            vec![Operator::MaxPool(Window::square(3, 1, 0))],
            "no window fits",
        );
        refused(
            [1, 2, 2],
            vec![Operator::MaxPool(Window::square(3, 0, 1))],
            "no window fits",
        );
        refused(
            [1, 9, 9],
            vec![Operator::MaxPool(Window::square(2, 1, 2))],
            "a whole window or more",
        );
        refused(
            [1, 2, 2],
            vec![Operator::BatchNorm(BatchNorm::fresh(2))],
            "2 scales for 1 channels",
        );
        refused(
            [1, 2, 2],
            vec![Operator::Clip {
                low: 1.0,
                high: 0.0,
            }],
            "clips from 1 to 0",
        );
        refused(
            [1, 2, 2],
            vec![Operator::Pick(vec![0, 1])],
            "(pick): picks channel 1 of 1",
        );
        refused(
            [1, 2, 2],
            vec![Operator::Pick(vec![])],
            "would give values of [0, 2, 2]",
        );
        refused(
            [1, 1 << 14, 1 << 14],
            vec![Operator::Relu; 4],
            "1342177280 values for one image",
        );
        let wide = Window {
            kernel: [255; 2],
            padding: [254; 4],
            ..Window::square(1, 1, 0)
        };
        refused(
            [1, 200, 200],
            vec![Operator::MaxPool(wide)],
            "454 × 454 windows of [255, 255]: too many",
        );
    }

    #[test]
    fn an_order_of_the_channels_names_each_of_them_once() {
        let first = |order: &[usize]| Normalise {
            order: order.to_vec(),
            ..Normalise::identity(3)
        };
        let nodes = |order: &[usize]| {
            vec![NetworkNode::new(
                "image",
                [],
                Operator::Normalise(first(order)),
            )]
        };
        let network = |order: &[usize]| {
            let classes = ["a", "b", "c"].map(String::from).to_vec();
            Network::new([3, 1, 1], classes, nodes(order))
        };
        assert!(network(&[]).is_ok() && network(&[2, 1, 0]).is_ok());
        for odd in [&[0, 1][..], &[0, 0, 1], &[1, 2, 3], &[0, 1, 2, 3]] {
            let why = network(odd).unwrap_err().to_string();
            assert!(why.contains("for 3 channels"), "{why}");
        }
    }

    #[test]
    fn weights_that_are_too_few_or_no_numbers_are_refused() {
        let huge = Dense {
            inputs: 4,
            outputs: usize::MAX,
            weights: vec![1.0],
            bias: vec![],
        };
        refused(
            [1, 2, 2],
            vec![Operator::Flatten, Operator::Dense(huge)],
            "1 weights and 0 biases",
        );
        let odd = Dense {
            inputs: 1,
            outputs: 2,
            weights: vec![1.0, f32::NAN],
            bias: vec![0.0; 2],
        };
        refused([1, 1, 1], vec![Operator::Dense(odd)], "a weight is NaN");
        let norm = BatchNorm {
            variance: vec![-1.0],
            ..BatchNorm::fresh(1)
        };
        refused(
            [1, 2, 2],
            vec![Operator::BatchNorm(norm)],
            "a variance is -1",
        );
        let few = Conv {
            weights: vec![0.0; 8],
            ..conv(1, 1, 1)
        };
        refused(
            [1, 2, 2],
            vec![Operator::Conv(few)],
            "8 weights and 0 biases for 1 × [1, 3, 3]",
        );
    }

    #[test]
    fn a_node_cannot_look_ahead_and_only_the_first_takes_the_image() {
        let classes = || vec!["a".to_string(), "b".to_string()];
        let first = || NetworkNode::new("in", [], Operator::Normalise(Normalise::identity(2)));
        let check = |nodes: Vec<NetworkNode>, expected: &str| {
            let why = Network::new([2, 1, 1], classes(), nodes)
                .unwrap_err()
                .to_string();
            assert!(why.contains(expected), "{why}");
        };
        check(
            vec![first(), NetworkNode::new("odd", [1], Operator::Relu)],
            "node 1 `odd` (relu): takes its input from node 1",
        );
        check(
            vec![NetworkNode::new("odd", [], Operator::Relu)],
            "must normalise",
        );
        check(
            vec![
                first(),
                NetworkNode::new("again", [], Operator::Normalise(Normalise::identity(2))),
            ],
            "only the first node",
        );
        check(vec![], "0 outputs");
    }

    #[test]
    fn windows_are_counted_as_pytorch_does() {
        let places = |window: Window, side: usize| window.places([side, side]).unwrap()[0];
        assert_eq!(places(Window::square(7, 2, 3), 224), 112);
        assert_eq!(places(Window::square(3, 2, 1), 112), 56);
        assert_eq!(
            places(
                Window {
                    ceil: true,
                    ..Window::square(3, 2, 0)
                },
                6
            ),
            3
        );
        assert_eq!(
            places(
                Window {
                    ceil: true,
                    ..Window::square(2, 3, 1)
                },
                5
            ),
            2
        );
        // The window that would begin in the padding after the image does not count.
        assert_eq!(
            places(
                Window {
                    ceil: true,
                    ..Window::square(2, 2, 1)
                },
                5
            ),
            3
        );
        assert_eq!(
            places(
                Window {
                    dilation: [2; 2],
                    ..Window::square(3, 1, 0)
                },
                7
            ),
            3
        );
    }

    #[test]
    fn a_network_can_be_filled_by_the_names_of_its_weights() {
        let classes = vec!["a".to_string(), "b".to_string()];
        let nodes = vec![
            NetworkNode::new("in", [], Operator::Normalise(Normalise::identity(2))),
            NetworkNode::new("bn1", [0], Operator::BatchNorm(BatchNorm::fresh(2))),
            NetworkNode::new("fc", [1], dense(2, 2)),
        ];
        let network = Network::new([2, 1, 1], classes, nodes).unwrap();
        let mut asked = Vec::new();
        let filled = network.clone().filled(|name, shape| {
            asked.push(format!("{name} {shape:?}"));
            Ok::<_, String>(vec![0.25; shape.iter().product()])
        });
        let names = [
            "bn1.weight [2]",
            "bn1.bias [2]",
            "bn1.running_mean [2]",
            "bn1.running_var [2]",
            "fc.weight [2, 2]",
            "fc.bias [2]",
        ];
        assert_eq!(asked, names);
        let filled = filled.unwrap();
        let Operator::Dense(dense) = &filled.nodes()[2].operator else {
            panic!("no dense layer")
        };
        assert_eq!(dense.weights, [0.25; 4]);
        let why = network
            .filled(|_, _| Err("it is not there"))
            .unwrap_err()
            .to_string();
        assert!(why.contains("`bn1.weight`: it is not there"), "{why}");
    }
}
