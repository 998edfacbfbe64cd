//! Class maps: a network that pools and then weighs, taught as one that weighs and leaves the
//! pooling to the loss.
//!
//! A dense layer after global average pooling gives the mean over all places of what a 1 × 1
//! convolution with the same weights gives at each. Those values are the class activation map, which
//! for such a network is Grad-CAM (Selvaraju et al., 2017, section 3.1). A loss that sees them
//! before they are pooled can say anything about the map, and going back through the convolution
//! needs first derivatives only. Networks of any other shape have no such map: their Grad-CAM
//! depends on a derivative, and a loss of it on a second one.

use crate::network::{Conv, Dense, Malformed, Network, NetworkNode, Operator, Window};

/// A network, and the same one as it is taught: with class maps for outputs, the classes of a place
/// beside each other.
#[derive(Debug)]
pub(super) struct ClassMaps {
    network: Network,
    /// How many nodes come before the pooling.
    kept: usize,
}

/// How the outputs of a network that is being taught become logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutputGrid {
    pub(super) classes: usize,
    /// How many places a map has; 1 where outputs are logits already.
    pub(super) places: usize,
}

impl ClassMaps {
    /// Takes a network apart, or says why it has no class maps.
    pub(super) fn new(network: &Network) -> Result<ClassMaps, Malformed> {
        let last = network.nodes().len() - 1;
        let refused = |found: &str| {
            Malformed::new(format!(
                "a class activation map needs global average pooling and one dense layer at the end, here is {found}: elsewhere the stability of explanations would need second derivatives"
            ))
        };
        let Operator::Dense(_) = &network.nodes()[last].operator else {
            return Err(refused(network.nodes()[last].operator.name()));
        };
        let mut pool = network.nodes()[last].inputs[0];
        while matches!(network.nodes()[pool].operator, Operator::Flatten) {
            pool = network.nodes()[pool].inputs[0];
        }
        if network.nodes()[pool].operator != Operator::GlobalAvgPool {
            return Err(refused(network.nodes()[pool].operator.name()));
        }
        Ok(ClassMaps {
            network: network.clone(),
            kept: pool,
        })
    }

    pub(super) fn grid(&self) -> OutputGrid {
        let features = self.network.nodes()[self.kept].inputs[0];
        let [_, height, width] = self.network.shapes()[features];
        OutputGrid {
            classes: self.network.classes().len(),
            places: height * width,
        }
    }

    /// The network that is taught. Its outputs are named by class and place.
    pub(super) fn taught(&self) -> Result<Network, Malformed> {
        let grid = self.grid();
        let features = self.network.nodes()[self.kept].inputs[0];
        let (name, dense) = self.head();
        let conv = Conv {
            inputs: dense.inputs,
            outputs: dense.outputs,
            groups: 1,
            window: Window::square(1, 1, 0),
            weights: dense.weights.clone(),
            bias: dense.bias.clone(),
        };
        let mut nodes = self.network.nodes()[..self.kept].to_vec();
        nodes.push(NetworkNode::new(name, [features], Operator::Conv(conv)));
        let output = |at: usize| {
            let class = &self.network.classes()[at % grid.classes];
            format!("{class} at {}", at / grid.classes)
        };
        let outputs = (0..grid.classes * grid.places).map(output).collect();
        Network::new(self.network.input(), outputs, nodes)
    }

    /// The network that was taught, with its pooling and its classes again.
    pub(super) fn pooled(&self, taught: &Network) -> Network {
        let mut nodes = taught.nodes()[..self.kept].to_vec();
        nodes.extend_from_slice(&self.network.nodes()[self.kept..]);
        let last = nodes.len() - 1;
        if let (Operator::Dense(dense), Operator::Conv(conv)) = (
            &mut nodes[last].operator,
            &taught.nodes()[self.kept].operator,
        ) {
            dense.weights.clone_from(&conv.weights);
            dense.bias.clone_from(&conv.bias);
        }
        Network::new(self.network.input(), self.network.classes().to_vec(), nodes)
            .expect("nodes that fitted together fit together again")
    }

    fn head(&self) -> (&str, &Dense) {
        let last = self.network.nodes().last().expect("a network has nodes");
        match &last.operator {
            Operator::Dense(dense) => (&last.name, dense),
            _ => unreachable!("it ends in a dense layer, or it would have been refused"),
        }
    }
}

impl OutputGrid {
    /// A network whose outputs are its logits.
    pub(super) fn of_logits(network: &Network) -> OutputGrid {
        OutputGrid {
            classes: network.classes().len(),
            places: 1,
        }
    }

    /// How many outputs an item has.
    pub(super) fn outputs(self) -> usize {
        self.classes * self.places
    }

    /// The logits of an item: the mean of each class over all places.
    pub(super) fn logits(self, outputs: &[f32]) -> Vec<f64> {
        let mut logits = vec![0.0; self.classes];
        for place in outputs.chunks_exact(self.classes) {
            let both = logits.iter_mut().zip(place);
            both.for_each(|(logit, output)| *logit += f64::from(*output));
        }
        logits
            .iter_mut()
            .for_each(|logit| *logit /= self.places as f64);
        logits
    }

    /// Adds to the slopes of an item's outputs those of its logits, times `weight`.
    pub(super) fn add_logit_slopes(self, slopes: &mut [f32], of_logits: &[f64], weight: f64) {
        let share = weight / self.places as f64;
        for place in slopes.chunks_exact_mut(self.classes) {
            let both = place.iter_mut().zip(of_logits);
            both.for_each(|(slope, of_logit)| *slope += (share * of_logit) as f32);
        }
    }

    /// The map of one class of an item.
    pub(super) fn class_map(self, outputs: &[f32], class: u32) -> Vec<f64> {
        let places = outputs.chunks_exact(self.classes);
        places
            .map(|place| f64::from(place[class as usize]))
            .collect()
    }

    /// Adds to the slopes of an item's outputs those of the map of one class, times `weight`.
    pub(super) fn add_map_slopes(
        self,
        slopes: &mut [f32],
        class: u32,
        of_map: &[f64],
        weight: f64,
    ) {
        let places = slopes.chunks_exact_mut(self.classes).zip(of_map);
        places.for_each(|(place, slope)| place[class as usize] += (weight * slope) as f32);
    }
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;
    use crate::architecture::Residual;
    use crate::compiled::Compiled;
    use crate::network::Normalise;

    fn residual() -> Network {
        let classes = ["a", "b", "c"].map(String::from).to_vec();
        Residual::small(4, 1)
            .network([1, 8, 8], classes, Normalise::identity(1), Seed::new(1))
            .unwrap()
    }

    #[test]
    fn pooled_class_maps_are_the_logits() {
        let network = residual();
        let maps = ClassMaps::new(&network).unwrap();
        let mut draws = Seed::new(2).draws();
        let pixels: Vec<f32> = (0..3 * 64).map(|_| draws.uniform() as f32).collect();
        let outputs = Compiled::new(maps.taught().unwrap()).logits(&pixels);
        let grid = maps.grid();
        assert_eq!(grid.places, 4);
        let pooled: Vec<f64> = outputs
            .chunks_exact(grid.outputs())
            .flat_map(|item| grid.logits(item))
            .collect();
        let logits = Compiled::new(network.clone()).logits(&pixels);
        for (pooled, logit) in pooled.iter().zip(&logits) {
            assert!(
                (pooled - f64::from(*logit)).abs() < 1e-5,
                "{pooled} {logit}"
            );
        }
        assert_eq!(maps.pooled(&maps.taught().unwrap()), network);
    }

    #[test]
    fn a_network_without_pooling_before_its_last_layer_is_refused_with_the_reason() {
        let classes = vec!["a".to_string(), "b".to_string()];
        let normalise = Normalise::identity(1);
        let dense = Network::fresh([1, 2, 2], classes, normalise, &[3], Seed::new(1)).unwrap();
        let why = ClassMaps::new(&dense).unwrap_err().to_string();
        assert!(why.contains("second derivatives"), "{why}");
    }
}
