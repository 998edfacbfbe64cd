//! Architectures: networks by their names, with fresh weights.

mod dense;
mod resnet;

pub use resnet::{EPSILON, Residual, Stem, StrideIn, resnet};

use duress_core::seed::Seed;

use crate::network::{Conv, NetworkNode, Operator, Window};

/// Normal draws of variance `gain` / `fan`, as many as asked for.
pub(crate) fn drawn(count: usize, gain: f64, fan: usize, seed: Seed) -> Vec<f32> {
    let spread = libm::sqrt(gain / fan.max(1) as f64);
    let mut draws = seed.draws();
    (0..count)
        .map(|_| (spread * draws.normal()) as f32)
        .collect()
}

/// Nodes being put one after another.
struct Nodes {
    nodes: Vec<NetworkNode>,
    /// What first weights are drawn from; they are zero when they are to be filled in.
    seed: Option<Seed>,
    /// What batch norms add to a variance.
    epsilon: f32,
}

impl Nodes {
    /// Adds a node and says its place.
    fn add(&mut self, name: impl Into<String>, inputs: &[usize], operator: Operator) -> usize {
        self.nodes.push(NetworkNode::new(name, inputs, operator));
        self.nodes.len() - 1
    }

    fn weights(&self, name: &str, count: usize, gain: f64, fan: usize) -> Vec<f32> {
        self.seed.map_or_else(
            || vec![0.0; count],
            |seed| drawn(count, gain, fan, seed.child(name)),
        )
    }

    /// A convolution without bias, its weights drawn with the variance that keeps gradients alive
    /// (He et al., 2015).
    fn conv(&mut self, name: String, from: usize, channels: [usize; 2], window: Window) -> usize {
        let [inputs, outputs] = channels;
        let area = window.kernel[0] * window.kernel[1];
        let weights = self.weights(&name, outputs * inputs * area, 2.0, outputs * area);
        let conv = Conv {
            inputs,
            outputs,
            groups: 1,
            window,
            weights,
            bias: Vec::new(),
        };
        self.add(name, &[from], Operator::Conv(conv))
    }
}
