//! Cascading randomisation: networks that forget what they were taught, from the logits down.
//!
//! An explanation that stays while the weights are drawn anew does not explain the network (Adebayo
//! et al., 2018).

use duress_core::seed::Seed;

use crate::architecture::drawn;
use crate::network::{BatchNorm, Conv, Dense, Network, Operator};

/// A network whose last layers are drawn anew.
#[derive(Clone, Debug)]
pub struct RandomisedNetwork {
    /// The first layer that was drawn anew; so were all after it.
    pub layer: String,
    /// How many convolutions and dense layers were drawn anew.
    pub layers: usize,
    pub network: Network,
}

/// The network with its last layer drawn anew, its last two, and so on to all of them. Layers are
/// convolutions and dense layers in the order of the nodes.
///
/// Weights are normal with variance 2 / fan-in, biases zero, and the batch norms after a layer that
/// was drawn anew are as before any training: what PyTorch's `reset_parameters` calls a beginning,
/// with the variance that keeps values from fading (He et al., 2015). A layer's draws depend on its
/// name and the seed, so one network of the cascade contains the other's.
pub fn cascading_randomisation(
    network: &Network,
    seed: Seed,
) -> impl Iterator<Item = RandomisedNetwork> {
    let is_layer = |operator: &Operator| matches!(operator, Operator::Conv(_) | Operator::Dense(_));
    let nodes = network.nodes().iter().enumerate().rev();
    let layers: Vec<usize> = nodes
        .filter(|(_, node)| is_layer(&node.operator))
        .map(|(at, _)| at)
        .collect();
    let whole = network.clone();
    layers.into_iter().enumerate().map(move |(done, first)| {
        let network = drawn_from(&whole, first, seed);
        RandomisedNetwork {
            layer: network.nodes()[first].name.clone(),
            layers: done + 1,
            network,
        }
    })
}

/// The network with every layer from a node on drawn anew.
fn drawn_from(network: &Network, first: usize, seed: Seed) -> Network {
    let mut nodes = network.nodes().to_vec();
    for (at, node) in nodes.iter_mut().enumerate().skip(first) {
        let seed = seed.child(format!("{at} {}", node.name));
        match &mut node.operator {
            Operator::Conv(conv) => draw_conv(conv, seed),
            Operator::Dense(dense) => draw_dense(dense, seed),
            Operator::BatchNorm(norm) => {
                *norm = BatchNorm {
                    epsilon: norm.epsilon,
                    ..BatchNorm::fresh(norm.scale.len())
                }
            }
            _ => {}
        }
    }
    Network::new(network.input(), network.classes().to_vec(), nodes)
        .expect("other weights of the same shapes fit as well")
}

fn draw_conv(conv: &mut Conv, seed: Seed) {
    let fan = conv.weights.len() / conv.outputs;
    conv.weights = drawn(conv.weights.len(), 2.0, fan, seed);
    conv.bias.fill(0.0);
}

fn draw_dense(dense: &mut Dense, seed: Seed) {
    dense.weights = drawn(dense.weights.len(), 2.0, dense.inputs, seed);
    dense.bias.fill(0.0);
}
