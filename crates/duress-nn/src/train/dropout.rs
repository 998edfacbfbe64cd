//! Dropout: a network with a layer that forgets, while it is taught, and without it again.

use crate::network::{Malformed, Network, NetworkNode, Operator};

/// What the node is called.
const NAME: &str = "dropout";

/// The same network, forgetting channels of what its last dense layer weighs. Before global pooling
/// that is the same as after it, and leaves the pooling beside the layer.
pub(super) fn with_dropout(network: &Network, share: f64) -> Result<Network, Malformed> {
    let last = network.nodes().len() - 1;
    let refused = |found: &str| {
        Err(Malformed::new(format!(
            "dropout acts on what a last dense layer weighs, here is {found}"
        )))
    };
    if !matches!(network.nodes()[last].operator, Operator::Dense(_)) {
        return refused(network.nodes()[last].operator.name());
    }
    let mut user = last;
    let mut features = network.nodes()[user].inputs[0];
    while matches!(
        network.nodes()[features].operator,
        Operator::Flatten | Operator::GlobalAvgPool
    ) {
        (user, features) = (features, network.nodes()[features].inputs[0]);
    }
    if features == 0 {
        return refused("a dense layer that weighs pixels");
    }
    let mut nodes = network.nodes()[..user].to_vec();
    nodes.push(NetworkNode::new(
        NAME,
        [features],
        Operator::Dropout(share as f32),
    ));
    for (at, node) in network.nodes().iter().enumerate().skip(user) {
        let mut node = node.clone();
        for from in &mut node.inputs {
            *from = match (at == user, *from) {
                (true, _) => user,
                (false, from) if from >= user => from + 1,
                (false, from) => from,
            };
        }
        nodes.push(node);
    }
    Network::new(network.input(), network.classes().to_vec(), nodes)
}

/// The same network without what it forgets while it is taught.
pub(super) fn without_dropout(network: Network) -> Network {
    let forgets = |node: &NetworkNode| matches!(node.operator, Operator::Dropout(_));
    if !network.nodes().iter().any(forgets) {
        return network;
    }
    // Where each node is found once those before it are gone.
    let mut places: Vec<usize> = Vec::with_capacity(network.nodes().len());
    let mut nodes: Vec<NetworkNode> = Vec::new();
    for node in network.nodes() {
        if forgets(node) {
            places.push(places[node.inputs[0]]);
            continue;
        }
        let inputs: Vec<usize> = node.inputs.iter().map(|&from| places[from]).collect();
        places.push(nodes.len());
        nodes.push(NetworkNode::new(&*node.name, inputs, node.operator.clone()));
    }
    Network::new(network.input(), network.classes().to_vec(), nodes)
        .expect("what does nothing when it is asked is not missed")
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;
    use crate::architecture::Residual;
    use crate::compiled::Compiled;
    use crate::compiled::trainable::TrainableNetwork;
    use crate::instructions::InstructionSet;
    use crate::learner::View;
    use crate::network::Normalise;

    fn classes() -> Vec<String> {
        ["a", "b"].map(String::from).to_vec()
    }

    fn residual() -> Network {
        Residual::small(4, 1)
            .network([1, 8, 8], classes(), Normalise::identity(1), Seed::new(1))
            .unwrap()
    }

    fn dense(hidden: &[usize]) -> Network {
        let normalise = Normalise::identity(1);
        Network::fresh([1, 4, 4], classes(), normalise, hidden, Seed::new(1)).unwrap()
    }

    fn pixels(count: usize) -> Vec<f32> {
        let mut draws = Seed::new(2).draws();
        (0..count).map(|_| draws.uniform() as f32).collect()
    }

    #[test]
    fn a_network_is_asked_as_without_it_and_comes_back_as_it_was() {
        for network in [residual(), dense(&[6, 5])] {
            let forgetting = with_dropout(&network, 0.5).unwrap();
            assert_eq!(forgetting.nodes().len(), network.nodes().len() + 1);
            let pixels = pixels(3 * network.input_size());
            let asked = Compiled::new(forgetting.clone()).logits(&pixels);
            assert_eq!(asked, Compiled::new(network.clone()).logits(&pixels));
            assert_eq!(without_dropout(forgetting), network);
        }
        assert!(with_dropout(&dense(&[]), 0.5).is_err());
    }

    /// The loss (the sum of squared logits), the logits, and the gradient by each learnt list.
    fn taught(network: &Network, pixels: &[f32], seed: Option<Seed>) -> Taught {
        let set = InstructionSet::best_available();
        let mut taught = TrainableNetwork::new(network.clone(), set, 2).unwrap();
        let view = View {
            dropout: seed,
            ..View::measured(pixels)
        };
        let mut seen = Vec::new();
        let loss = taught.accumulate_gradients(&[view], |logits, slopes| {
            seen = logits[0].clone();
            let both = slopes[0].iter_mut().zip(&logits[0]);
            both.for_each(|(slope, logit)| *slope = 2.0 * logit);
            seen.iter().map(|logit| f64::from(logit * logit)).sum()
        });
        let slopes = taught.gradients().map(|(_, slope)| slope.to_vec());
        (loss, seen, slopes.collect())
    }

    type Taught = (f64, Vec<f32>, Vec<Vec<f32>>);

    #[test]
    fn channels_are_forgotten_in_their_share_and_the_mean_stays() {
        let network = dense(&[40]);
        let forgetting = with_dropout(&network, 0.3).unwrap();
        let pixels = pixels(50 * 16);
        let (_, kept, _) = taught(&network, &pixels, None);
        let (_, same, _) = taught(&forgetting, &pixels, None);
        assert_eq!(kept, same);
        let draws = 400;
        let mut mean = vec![0.0; kept.len()];
        for draw in 0..draws {
            let (_, some, _) = taught(&forgetting, &pixels, Some(Seed::new(draw)));
            assert_ne!(some, kept);
            let both = mean.iter_mut().zip(&some);
            both.for_each(|(mean, x)| *mean += f64::from(*x) / draws as f64);
        }
        let off = mean.iter().zip(&kept).map(|(mean, x)| mean - f64::from(*x));
        let off = off.sum::<f64>() / kept.len() as f64;
        assert!(off.abs() < 0.03, "{off}");
    }

    /// A list with few ReLUs behind it, which differences would meet, and all of them before dropout.
    #[test]
    fn the_way_back_forgets_what_the_way_there_forgot() {
        let last_norm = residual().learnt_mut().count() - 3;
        for (network, list) in [(dense(&[12]), 0), (residual(), last_norm)] {
            let forgetting = with_dropout(&network, 0.4).unwrap();
            let pixels = pixels(5 * network.input_size());
            let seed = Some(Seed::new(4));
            let (_, _, slopes) = taught(&forgetting, &pixels, seed);
            let slopes = &slopes[list];
            let largest = slopes.iter().fold(0.0_f32, |top, x| top.max(x.abs()));
            for at in 0..slopes.len() {
                let moved = |by: f32| {
                    let mut network = forgetting.clone();
                    network.learnt_mut().nth(list).unwrap().values[at] += by;
                    taught(&network, &pixels, seed).0
                };
                let difference = (moved(2e-4) - moved(-2e-4)) / 4e-4;
                let slope = f64::from(slopes[at]);
                assert!(
                    (difference - slope).abs() < 0.05 * f64::from(largest),
                    "{list} {at}: {difference} {slope}"
                );
            }
        }
    }
}
