//! Where a network can be cut in two, and the two networks that makes.
//!
//! Grad-CAM and concept vectors need the value of a layer and the slope of a logit with it. Where
//! everything flows through one node, both come from networks as they are: the part below gives the
//! value as its outputs, the part above takes it for its image. Nothing has to be kept on the way
//! through a compiled network, whose buffers lie over one another.

use duress_core::problem::Problem;

use crate::compiled::Compiled;
use crate::instructions::InstructionSet;
use crate::network::{ItemShape, Network, NetworkNode, Normalise, Operator};

/// A place where a network can be cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutLayer {
    /// The name of the node whose value is the only thing that flows on.
    pub name: String,
    /// The channels, height and width of that value.
    pub shape: ItemShape,
}

impl CutLayer {
    /// Whether its value says where something is.
    pub fn has_places(&self) -> bool {
        self.shape[1] * self.shape[2] > 1
    }
}

impl Network {
    /// Where it can be cut in two, from the image to the logits; neither of these is among them. A
    /// step of a file that became several nodes under one name is cut after the last of them.
    pub fn cut_layers(&self) -> Vec<CutLayer> {
        let flow = Flow::new(self);
        let last = self.nodes().len() - 1;
        let nodes = (1..last).filter(|&node| {
            let values = self.shapes()[node].iter().product::<usize>();
            flow.is_used[node] && values > 1 && flow.bypasses(node).is_empty()
        });
        let is_last_of_name = |node: &usize| self.node_of(&self.nodes()[*node].name) == Some(*node);
        let layer = |node: usize| CutLayer {
            name: self.nodes()[node].name.clone(),
            shape: self.shapes()[node],
        };
        nodes.filter(is_last_of_name).map(layer).collect()
    }

    /// The layer that class activation maps are usually taken at: the last one that says where
    /// something is, before pooling takes that away.
    pub fn default_cam_layer(&self) -> Result<CutLayer, Problem> {
        let layers = self.cut_layers();
        let with_places = layers.into_iter().rfind(CutLayer::has_places);
        with_places.ok_or_else(|| {
            Problem::new(
                "the network has no layer between image and logits that says where something is",
            )
            .hint("take an attribution that needs no layer, such as the input gradient")
        })
    }

    /// The part that makes the value of a node from pixels, and the part that makes logits from
    /// that value. The first one's outputs, and the second one's image, are that value channel by
    /// channel, row by row.
    ///
    /// Logits through both are those of the whole, bit for bit, except where the cut parts a
    /// convolution from its batch norm: these are one product in the whole, and agree to rounding.
    ///
    /// ```
    /// use duress_core::seed::Seed;
    /// use duress_nn::architecture::Residual;
    /// use duress_nn::compiled::Compiled;
    /// use duress_nn::network::Normalise;
    /// let classes = ["a", "b"].map(String::from).to_vec();
    /// let network = Residual::small(4, 1).network([1, 8, 8], classes, Normalise::identity(1), Seed::new(1)).unwrap();
    /// let (below, above) = network.split_at("layer2.0.relu").unwrap();
    /// let image = [0.5; 64];
    /// let value = Compiled::new(below).logits(&image);
    /// assert_eq!(Compiled::new(above).logits(&value), Compiled::new(network).logits(&image));
    /// ```
    pub fn split_at(&self, node: &str) -> Result<(Network, Network), Problem> {
        let cut = self.cut_node(node)?;
        Ok((self.below(cut), self.above(cut)))
    }

    /// The last node of a name.
    fn node_of(&self, name: &str) -> Option<usize> {
        self.nodes().iter().rposition(|node| node.name == name)
    }

    fn cut_node(&self, name: &str) -> Result<usize, Problem> {
        let layers = || self.cut_layers().into_iter().map(|layer| layer.name);
        let nearest = |problem: Problem| {
            let layers: Vec<String> = layers().collect();
            problem.nearest(name, layers.iter().map(String::as_str))
        };
        let Some(node) = self.node_of(name) else {
            return Err(nearest(Problem::new(format!(
                "the network has no layer `{name}`"
            ))));
        };
        let flow = Flow::new(self);
        let bypasses = flow.bypasses(node);
        if let Some((from, to)) = bypasses.first() {
            let name_of = |node: &usize| &self.nodes()[*node].name;
            return Err(nearest(Problem::new(format!(
                "the network cannot be cut at `{name}`: `{}` reaches `{}` beside it",
                name_of(from),
                name_of(to),
            ))));
        }
        let is_between = node > 0 && node + 1 < self.nodes().len() && flow.is_used[node];
        match is_between && self.shapes()[node].iter().product::<usize>() > 1 {
            true => Ok(node),
            false => Err(nearest(
                Problem::new(format!("the network cannot be cut at `{name}`"))
                    .expected("a layer between image and logits with more than one value"),
            )),
        }
    }

    fn below(&self, cut: usize) -> Network {
        let mut part = Part::default();
        for node in 0..=cut {
            part.add(node, &self.nodes()[node]);
        }
        // Values lie channels last while they are computed; flat ones lie channel by channel.
        let last = part.nodes.len() - 1;
        part.nodes
            .push(NetworkNode::new("cut", [last], Operator::Flatten));
        let outputs: usize = self.shapes()[cut].iter().product();
        let names = (0..outputs).map(|at| at.to_string()).collect();
        Network::new(self.input(), names, part.nodes).expect("the beginning of a network is one")
    }

    fn above(&self, cut: usize) -> Network {
        let shape = self.shapes()[cut];
        let flow = Flow::new(self);
        let mut part = Part::default();
        let as_is = Operator::Normalise(Normalise::identity(shape[0]));
        part.add(cut, &NetworkNode::new("cut", [], as_is));
        for node in cut + 1..self.nodes().len() {
            if flow.is_used[node] {
                part.add(node, &self.nodes()[node]);
            }
        }
        Network::new(shape, self.classes().to_vec(), part.nodes)
            .expect("the end of a network is one where nothing else flows into it")
    }
}

/// Some nodes of a network, numbered anew.
#[derive(Default)]
struct Part {
    nodes: Vec<NetworkNode>,
    /// The old number of each.
    numbers: Vec<usize>,
}

impl Part {
    fn add(&mut self, number: usize, node: &NetworkNode) {
        let place = |old: &usize| self.numbers.iter().position(|number| number == old);
        let inputs: Option<Vec<usize>> = node.inputs.iter().map(place).collect();
        let inputs = inputs.expect("what a part takes is in it");
        self.nodes.push(NetworkNode::new(
            node.name.clone(),
            inputs,
            node.operator.clone(),
        ));
        self.numbers.push(number);
    }
}

/// What flows where in a network.
struct Flow<'a> {
    network: &'a Network,
    /// Whether a node's value has any part in the logits.
    is_used: Vec<bool>,
}

impl Flow<'_> {
    fn new(network: &Network) -> Flow<'_> {
        let mut is_used = vec![false; network.nodes().len()];
        *is_used.last_mut().expect("a network has nodes") = true;
        for (at, node) in network.nodes().iter().enumerate().rev() {
            if is_used[at] {
                node.inputs.iter().for_each(|&from| is_used[from] = true);
            }
        }
        Flow { network, is_used }
    }

    /// What comes from before a node to after it without passing it: from where to where. Nodes stand
    /// after those they take from, so nothing else can get past.
    fn bypasses(&self, node: usize) -> Vec<(usize, usize)> {
        let after = node + 1..self.is_used.len();
        let after = after.filter(|&to| self.is_used[to]);
        let into = after.flat_map(|to| {
            let inputs = self.network.nodes()[to].inputs.iter();
            inputs.map(move |&from| (from, to))
        });
        into.filter(|&(from, _)| from < node).collect()
    }
}

/// A network compiled in two parts.
#[derive(Debug)]
pub struct CutNetwork {
    layer: CutLayer,
    below: Compiled,
    above: Compiled,
}

impl CutNetwork {
    /// A network cut at a layer.
    pub fn new(network: &Network, layer: &str) -> Result<CutNetwork, Problem> {
        CutNetwork::with(network, layer, InstructionSet::best_available(), usize::MAX)
    }

    /// The same for an instruction set and at most a number of threads.
    pub fn with(
        network: &Network,
        layer: &str,
        set: InstructionSet,
        threads: usize,
    ) -> Result<CutNetwork, Problem> {
        let (below, above) = network.split_at(layer)?;
        let layer = CutLayer {
            name: layer.to_string(),
            shape: above.input(),
        };
        Ok(CutNetwork {
            layer,
            below: Compiled::with(below, set, threads),
            above: Compiled::with(above, set, threads),
        })
    }

    /// Where it was cut.
    pub fn layer(&self) -> &CutLayer {
        &self.layer
    }

    /// From pixels to the layer.
    pub fn below(&self) -> &Compiled {
        &self.below
    }

    /// From the layer to logits.
    pub fn above(&self) -> &Compiled {
        &self.above
    }
}
