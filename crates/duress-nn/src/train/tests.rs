//! What training promises, on images that can be learnt.

use duress_core::data::Images;
use duress_core::seed::Seed;
use duress_core::truth::Labels;

use super::session::divide;
use super::*;
use crate::architecture::Residual;
use crate::compiled::Compiled;
use crate::network::Network;

/// Two classes that differ in which half of the image is brighter; one class is three times as
/// frequent.
fn halves(items: usize) -> (Images, Labels) {
    let mut draws = Seed::new(9).draws();
    let label = |i: usize| u32::from(i.is_multiple_of(4));
    let mut pixel = |i: usize, at: usize| {
        let bright = u32::from(at < 2) == label(i);
        (0.4 * draws.uniform() + if bright { 0.6 } else { 0.0 }) as f32
    };
    let pixels = (0..items * 4).map(|at| pixel(at / 4, at % 4)).collect();
    let labels = Labels::new(
        vec!["left".into(), "right".into()],
        (0..items).map(label).collect(),
    );
    (Images::new([1, 2, 2], pixels).unwrap(), labels.unwrap())
}

fn recipe() -> TrainingRecipe {
    TrainingRecipe {
        layers: Layers::Dense(vec![5]),
        epochs: 20,
        batch: 8,
        optimiser: Optimiser::Adam,
        rate: 0.02,
        weight_decay: 1e-4,
        class_weights: ClassWeights::Balanced,
        early_stopping: None,
        ..TrainingRecipe::new(Layers::Dense(vec![5]))
    }
}

fn share_right(network: &Network, images: &Images, labels: &Labels) -> f64 {
    let losses = Compiled::new(network.clone()).losses(images.pixels(), labels.of(), None);
    losses.iter().filter(|loss| loss.right).count() as f64 / losses.len() as f64
}

#[test]
fn every_recipe_learns_what_can_be_learnt() {
    let (images, labels) = halves(64);
    let stopping = Some(EarlyStopping {
        share: 0.25,
        patience: 5,
    });
    let sgd = Optimiser::Sgd { momentum: 0.9 };
    for recipe in [
        recipe(),
        TrainingRecipe {
            layers: Layers::Dense(vec![]),
            ..recipe()
        },
        TrainingRecipe {
            layers: Layers::Dense(vec![6, 4]),
            ..recipe()
        },
        TrainingRecipe {
            optimiser: sgd,
            rate: 0.1,
            ..recipe()
        },
        TrainingRecipe {
            class_weights: ClassWeights::Equal,
            ..recipe()
        },
        TrainingRecipe {
            early_stopping: stopping,
            ..recipe()
        },
        TrainingRecipe {
            layers: Layers::Residual(Residual::small(4, 1)),
            ..recipe()
        },
    ] {
        let network = train(&images, &labels, &recipe, Seed::new(1)).unwrap();
        assert!(share_right(&network, &images, &labels) > 0.98, "{recipe:?}");
    }
}

#[test]
fn a_network_taught_under_attack_loses_less_to_it() {
    let (images, labels) = halves(64);
    let attacked = TrainingRecipe {
        objective: TrainingObjective::Adversarial(InnerAttack::one_step(0.25)),
        epochs: 60,
        ..recipe()
    };
    let plain = TrainingRecipe {
        epochs: 60,
        ..recipe()
    };
    let loss = |recipe: &TrainingRecipe| {
        let network = train(&images, &labels, recipe, Seed::new(3)).unwrap();
        let compiled = Compiled::new(network);
        let mut slope = vec![0.0; images.pixels().len()];
        compiled.losses(images.pixels(), labels.of(), Some(&mut slope));
        let moved: Vec<f32> = images
            .pixels()
            .iter()
            .zip(&slope)
            .map(|(x, s)| (x + 0.25 * s.signum()).clamp(0.0, 1.0))
            .collect();
        let losses = compiled.losses(&moved, labels.of(), None);
        losses.iter().map(|loss| loss.loss).sum::<f64>() / losses.len() as f64
    };
    let taught = loss(&attacked);
    let plain = loss(&plain);
    assert!(taught < 0.9 * plain, "{taught} {plain}");
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
    let (images, labels) = halves(32);
    let train = |seed| train(&images, &labels, &recipe(), Seed::new(seed)).unwrap();
    assert_eq!(train(1), train(1));
    assert_ne!(train(1), train(2));
}

#[test]
fn a_rate_that_is_too_large_is_said_and_not_returned() {
    let (images, labels) = halves(32);
    let sgd = Optimiser::Sgd { momentum: 0.9 };
    let wild = TrainingRecipe {
        optimiser: sgd,
        rate: 1e30,
        ..recipe()
    };
    let why = train(&images, &labels, &wild, Seed::new(1)).unwrap_err();
    assert!(matches!(why, Untrained::Diverged { .. }), "{why}");
}

#[test]
fn early_stopping_keeps_the_best_epoch_not_the_last() {
    let (images, labels) = halves(48);
    let noisy = Labels::new(labels.classes().to_vec(), {
        let mut draws = Seed::new(2).draws();
        labels
            .of()
            .iter()
            .map(|&label| if draws.chance(0.3) { 1 - label } else { label })
            .collect()
    });
    let (long, noisy) = (
        TrainingRecipe {
            epochs: 300,
            layers: Layers::Dense(vec![32]),
            ..recipe()
        },
        noisy.unwrap(),
    );
    let stopping = EarlyStopping {
        share: 0.3,
        patience: 10,
    };
    let stopped = TrainingRecipe {
        early_stopping: Some(stopping),
        ..long.clone()
    };
    let (taught, held_out) = divide(
        images.len(),
        Some(stopping),
        Seed::new(1).child("validation"),
    );
    let kept = train(&images, &noisy, &stopped, Seed::new(1)).unwrap();
    let pixels = taught
        .iter()
        .flat_map(|&i| images.image(i))
        .copied()
        .collect();
    let of = taught.iter().map(|&i| noisy.of()[i]).collect();
    let (images_taught, labels_taught) = (
        Images::new([1, 2, 2], pixels).unwrap(),
        Labels::new(noisy.classes().to_vec(), of).unwrap(),
    );
    let last = train(&images_taught, &labels_taught, &long, Seed::new(1)).unwrap();
    let loss = |network: &Network| {
        let losses = Compiled::new(network.clone()).losses(images.pixels(), noisy.of(), None);
        held_out.iter().map(|&i| losses[i].loss).sum::<f64>()
    };
    assert!(loss(&kept) < loss(&last), "{} {}", loss(&kept), loss(&last));
}

#[test]
fn nothing_to_learn_from_is_said() {
    let images = Images::new([1, 2, 2], vec![]).unwrap();
    let labels = Labels::new(vec!["a".into(), "b".into()], vec![]).unwrap();
    assert!(train(&images, &labels, &recipe(), Seed::new(1)).is_err());
}
