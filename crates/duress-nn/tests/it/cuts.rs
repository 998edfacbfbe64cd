//! Networks from files, cut in two: both parts together answer as the whole.

use duress_nn::attribution::CutNetwork;
use duress_nn::compiled::Compiled;
use duress_nn::network::{Network, Operator};

use crate::networks::{cases, fixture_network, pixels};

/// Whether a batch norm takes what a node gives: then both are one product in the whole.
fn is_normed(network: &Network, name: &str) -> bool {
    let at = network.nodes().iter().rposition(|node| node.name == name);
    network.nodes().iter().any(|node| {
        matches!(node.operator, Operator::BatchNorm(_)) && node.inputs.first() == at.as_ref()
    })
}

#[test]
fn every_network_from_a_file_can_be_cut_and_answers_the_same() {
    let mut cuts = 0;
    for case in cases() {
        let network = fixture_network(&case);
        let images = pixels(&case);
        let whole = Compiled::new(network.clone()).logits(&images);
        let layers = network.cut_layers();
        assert!(!layers.is_empty(), "{}", case.file);
        for layer in layers {
            let cut = CutNetwork::new(&network, &layer.name).unwrap();
            assert_eq!(cut.layer().shape, layer.shape);
            let through = cut.above().logits(&cut.below().logits(&images));
            if !is_normed(&network, &layer.name) {
                assert_eq!(through, whole, "{} at {}", case.file, layer.name);
            }
            for (through, whole) in through.iter().zip(&whole) {
                assert!(
                    (through - whole).abs() < 1e-4,
                    "{} {}",
                    case.file,
                    layer.name
                );
            }
            cuts += 1;
        }
    }
    assert!(cuts > 100, "{cuts}");
}
