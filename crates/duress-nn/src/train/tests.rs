//! What training promises, on images that can be learnt.

use std::sync::Mutex;

use duress_core::data::Images;
use duress_core::fitting::FitProgress;
use duress_core::seed::Seed;
use duress_core::truth::Labels;

use super::lesson::divide;
use super::*;
use crate::architecture::Residual;
use crate::compiled::Compiled;
use crate::compiled::trainable::TrainableNetwork;
use crate::learner::View;
use crate::lesion::artefact::{Artefact, render};
use crate::lesion::concept::Concept;
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

fn lesson<'a>(images: &'a Images, labels: &'a Labels) -> LabelledImages<'a> {
    LabelledImages {
        images,
        labels,
        clusters: None,
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
        None,
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

/// Colour images of 8 × 8: which half is brighter is the class.
fn bright_halves(items: usize, seed: u64) -> (Images, Labels) {
    let mut draws = Seed::new(seed).draws();
    let label = |item: usize| (item % 2) as u32;
    let mut pixel = |at: usize| {
        let left = at % 8 < 4;
        let bright = u32::from(left) == label(at / 192);
        (0.6 * draws.uniform() + if bright { 0.4 } else { 0.0 }) as f32
    };
    let pixels = (0..items * 192).map(&mut pixel).collect();
    let classes = vec!["left".to_string(), "right".to_string()];
    let labels = Labels::new(classes, (0..items).map(label).collect());
    (Images::new([3, 8, 8], pixels).unwrap(), labels.unwrap())
}

const ATTACK: InnerAttack = InnerAttack {
    reach: 0.1,
    steps: 4,
    step: 0.6,
    start: AttackStart::Near,
};

fn residual_recipe(objective: TrainingObjective) -> TrainingRecipe {
    TrainingRecipe {
        objective,
        epochs: 4,
        batch: 16,
        rate: 0.01,
        ..TrainingRecipe::new(Layers::Residual(Residual::small(4, 1)))
    }
}

fn tri_objective() -> TriObjective {
    TriObjective {
        attack: ATTACK,
        robust: 1.0,
        explanation: 1.0,
        stability: 1.0,
        consistency: 1.0,
        consistency_artefacts: 0.3,
        concept: 0.0,
        concepts: ConceptTerm::usual(),
    }
}

/// What a network loses under the attack it may have been taught with.
fn attacked_loss(network: &Network, images: &Images, labels: &Labels) -> f64 {
    let asked = Compiled::new(network.clone());
    let climbs = inner::Climbs::CrossEntropy(labels.of());
    let mut noise = Seed::new(77).draws();
    let attacked = ATTACK.attacked(&asked, images.pixels(), climbs, &mut noise);
    let losses = asked.losses(&attacked, labels.of(), None);
    losses.iter().map(|loss| loss.loss).sum::<f64>() / losses.len() as f64
}

#[test]
fn every_objective_against_attacks_loses_less_to_one_than_the_baseline() {
    let (images, labels) = bright_halves(96, 1);
    let (fresh, truth) = bright_halves(64, 2);
    let network = |objective| {
        let recipe = TrainingRecipe {
            epochs: 8,
            ..residual_recipe(objective)
        };
        train(&images, &labels, &recipe, Seed::new(3)).unwrap()
    };
    let baseline = network(TrainingObjective::Baseline);
    let lost = attacked_loss(&baseline, &fresh, &truth);
    for objective in [
        TrainingObjective::Adversarial(ATTACK),
        TrainingObjective::Trades {
            beta: 6.0,
            attack: ATTACK,
        },
        TrainingObjective::TriObjective(tri_objective()),
    ] {
        let taught = network(objective.clone());
        let loss = attacked_loss(&taught, &fresh, &truth);
        assert!(loss < 0.8 * lost, "{objective:?}: {loss} {lost}");
        assert!(share_right(&taught, &fresh, &truth) > 0.9, "{objective:?}");
    }
}

#[test]
fn a_term_that_is_switched_off_leaves_what_is_left() {
    let (images, labels) = bright_halves(48, 1);
    let network = |objective| {
        let recipe = residual_recipe(objective);
        train(&images, &labels, &recipe, Seed::new(3)).unwrap()
    };
    let off = TriObjective {
        robust: 0.0,
        explanation: 0.0,
        ..tri_objective()
    };
    let baseline = network(TrainingObjective::Baseline);
    assert_eq!(network(TrainingObjective::TriObjective(off)), baseline);
    let robust_alone = TriObjective {
        robust: 6.0,
        explanation: 0.0,
        ..tri_objective()
    };
    let trades = network(TrainingObjective::Trades {
        beta: 6.0,
        attack: ATTACK,
    });
    let robust_alone = network(TrainingObjective::TriObjective(robust_alone));
    assert_eq!(robust_alone, trades);
    assert_ne!(trades, baseline);
}

#[test]
fn each_term_lowers_what_it_is_for_on_images_that_were_not_taught() {
    let (images, labels) = bright_halves(96, 1);
    let (fresh, truth) = bright_halves(64, 5);
    let without = TriObjective {
        robust: 0.0,
        stability: 0.0,
        consistency: 0.0,
        ..tri_objective()
    };
    let terms = |tri: &TriObjective| {
        let recipe = TrainingRecipe {
            epochs: 8,
            ..residual_recipe(TrainingObjective::TriObjective(tri.clone()))
        };
        let network = train(&images, &labels, &recipe, Seed::new(3)).unwrap();
        let further = TrainingRecipe {
            layers: Layers::Given(Box::new(network)),
            ..residual_recipe(TrainingObjective::TriObjective(tri_objective()))
        };
        let session = TrainingSession::new(lesson(&fresh, &truth), &further, Seed::new(4)).unwrap();
        session.terms_on_all()
    };
    let none = terms(&without);
    let robust = terms(&TriObjective {
        robust: 6.0,
        ..without.clone()
    });
    assert!(robust.robust < 0.7 * none.robust, "{robust:?} {none:?}");
    let stability = terms(&TriObjective {
        stability: 6.0,
        ..without.clone()
    });
    assert!(
        stability.stability < 0.7 * none.stability,
        "{stability:?} {none:?}"
    );
    let consistency = terms(&TriObjective {
        consistency: 6.0,
        ..without
    });
    assert!(
        consistency.consistency < 0.7 * none.consistency,
        "{consistency:?} {none:?}"
    );
}

#[test]
fn every_key_of_a_recipe_changes_what_is_learnt() {
    let (images, labels) = bright_halves(48, 1);
    let plain = residual_recipe(TrainingObjective::Baseline);
    let network = |recipe: &TrainingRecipe| train(&images, &labels, recipe, Seed::new(3)).unwrap();
    let before = network(&plain);
    let augmented = |augmentation| TrainingRecipe {
        augmentation,
        ..plain.clone()
    };
    let none = Augmentation::default();
    for changed in [
        TrainingRecipe {
            schedule: RateSchedule::Steps,
            ..plain.clone()
        },
        TrainingRecipe {
            schedule: RateSchedule::Constant,
            ..plain.clone()
        },
        TrainingRecipe {
            warm_up: 1,
            ..plain.clone()
        },
        TrainingRecipe {
            sampling: Sampling::Balanced,
            ..plain.clone()
        },
        TrainingRecipe {
            averaging: Some(0.5),
            ..plain.clone()
        },
        TrainingRecipe {
            dropout: 0.3,
            ..plain.clone()
        },
        TrainingRecipe {
            artefact_augmentation: 0.5,
            ..plain.clone()
        },
        augmented(Augmentation { flip: true, ..none }),
        augmented(Augmentation { shift: 1, ..none }),
        augmented(Augmentation {
            rotation: 10.0,
            ..none
        }),
        augmented(Augmentation {
            colour: 0.2,
            ..none
        }),
        TrainingRecipe {
            objective: TrainingObjective::Adversarial(ATTACK),
            plain_epochs: 2,
            ..plain.clone()
        },
    ] {
        let after = network(&changed);
        assert_ne!(after, before, "{changed:?}");
        assert_eq!(after, network(&changed), "{changed:?}");
    }
    let all_plain = TrainingRecipe {
        objective: TrainingObjective::Adversarial(ATTACK),
        plain_epochs: 4,
        ..plain
    };
    assert_eq!(network(&all_plain), before);
}

#[test]
fn training_goes_on_from_a_network_that_is_given_and_tells_of_every_epoch() {
    let (images, labels) = bright_halves(48, 1);
    let plain = residual_recipe(TrainingObjective::Baseline);
    let taught = |recipe: &TrainingRecipe| {
        train_kept(lesson(&images, &labels), recipe, Seed::new(3), &Unkept).unwrap()
    };
    let first = taught(&plain);
    let further = TrainingRecipe {
        layers: Layers::Given(Box::new(first.network)),
        ..plain
    };
    let curve = [first.epochs, taught(&further).epochs].concat();
    let epochs: Vec<usize> = curve.iter().map(|record| record.epoch).collect();
    assert_eq!(epochs, [1, 2, 3, 4, 1, 2, 3, 4]);
    assert!(curve[4].loss < 0.5 * curve[0].loss, "{curve:?}");
    assert!(curve[1].rate > curve[3].rate);
    let (small, _) = halves(8);
    let wrong = train(&small, &halves(8).1, &further, Seed::new(3)).unwrap_err();
    assert!(wrong.to_string().contains("[3, 8, 8]"), "{wrong}");
}

#[test]
fn an_objective_of_class_maps_is_refused_where_there_are_none() {
    let (images, labels) = halves(16);
    let recipe = TrainingRecipe {
        objective: TrainingObjective::TriObjective(tri_objective()),
        ..recipe()
    };
    let why = train(&images, &labels, &recipe, Seed::new(1)).unwrap_err();
    assert!(why.to_string().contains("global average pooling"), "{why}");
}

#[test]
fn gradients_over_several_views_are_those_of_differences() {
    let (images, labels) = bright_halves(6, 1);
    let (others, _) = bright_halves(6, 9);
    let classes = labels.classes().to_vec();
    let normalise = crate::network::Normalise::identity(3);
    let network = Residual::small(4, 1)
        .network([3, 8, 8], classes, normalise, Seed::new(1))
        .unwrap();
    let maps = class_maps::ClassMaps::new(&network).unwrap();
    let batch = terms::BatchLoss {
        grid: maps.grid(),
        labels: labels.of(),
        item_shares: &[1.0 / 6.0; 6],
        weights: terms::TermWeights {
            robust: 2.0,
            stability: 1.0,
            consistency: 1.0,
            concept: 0.0,
        },
        places: terms::ViewPlaces {
            attacked: Some(1),
            with_artefacts: Some(2),
            concept: None,
        },
    };
    let views = [
        View::measured(images.pixels()),
        View::measured(others.pixels()),
        View::remembered(others.pixels()),
    ];
    let evaluate = |network: Network| {
        let set = crate::instructions::InstructionSet::best_available();
        let mut taught = TrainableNetwork::new(network, set, 2).unwrap();
        let loss = taught.accumulate_gradients(&views, |outputs, slopes| {
            let terms = batch.evaluate(outputs, slopes);
            batch.weights.total(&terms)
        });
        let slopes: Vec<Vec<f32>> = taught
            .gradients()
            .map(|(_, slope)| slope.to_vec())
            .collect();
        (loss, slopes)
    };
    let taught = maps.taught().unwrap();
    let (_, slopes) = evaluate(taught.clone());
    let largest = slopes
        .iter()
        .flatten()
        .fold(0.0_f32, |top, slope| top.max(slope.abs()));
    let mut draws = Seed::new(6).draws();
    for _ in 0..40 {
        let list = draws.below(slopes.len());
        let at = draws.below(slopes[list].len());
        let moved = |by: f32| {
            let mut network = taught.clone();
            network.learnt_mut().nth(list).unwrap().values[at] += by;
            evaluate(network).0
        };
        let difference = (moved(2e-3) - moved(-2e-3)) / 4e-3;
        let slope = f64::from(slopes[list][at]);
        assert!(
            (difference - slope).abs() < 0.02 * f64::from(largest) + 0.02 * slope.abs(),
            "list {list} at {at}: {difference} {slope}"
        );
    }
}

/// Keeps what is half done after every step, and is killed after so many.
struct KilledAfter {
    steps: usize,
    seen: Mutex<usize>,
    kept: Mutex<Option<Vec<u8>>>,
}

impl KilledAfter {
    fn new(steps: usize, kept: Option<Vec<u8>>) -> KilledAfter {
        KilledAfter {
            steps,
            seen: Mutex::new(0),
            kept: Mutex::new(kept),
        }
    }
}

impl FitKeeper for KilledAfter {
    fn half_done(&self) -> Option<Vec<u8>> {
        self.kept.lock().unwrap().clone()
    }

    fn is_due(&self) -> bool {
        true
    }

    fn keep(&self, half_done: &[u8]) -> Result<(), Failure> {
        *self.kept.lock().unwrap() = Some(half_done.to_vec());
        let mut seen = self.seen.lock().unwrap();
        *seen += 1;
        match *seen == self.steps {
            true => Err(Failure::unable("killed")),
            false => Ok(()),
        }
    }

    fn hear(&self, progress: &FitProgress) {
        assert!(progress.done <= progress.of);
        assert_eq!(progress.watched[0].0, "loss");
        assert_eq!(progress.watched[1].0, "learning rate");
    }
}

#[test]
fn a_training_killed_after_any_step_comes_to_the_same_bits() {
    let (images, labels) = bright_halves(20, 1);
    let everything = TrainingRecipe {
        epochs: 3,
        batch: 6,
        dropout: 0.2,
        sampling: Sampling::Balanced,
        averaging: Some(0.5),
        plain_epochs: 1,
        early_stopping: Some(EarlyStopping {
            share: 0.2,
            patience: 1,
        }),
        ..residual_recipe(TrainingObjective::TriObjective(TriObjective {
            concept: 0.5,
            concepts: ConceptTerm {
                refresh: 2,
                pairs: 2,
                ..ConceptTerm::usual()
            },
            ..tri_objective()
        }))
    };
    let sgd = TrainingRecipe {
        epochs: 2,
        batch: 8,
        optimiser: Optimiser::Sgd { momentum: 0.9 },
        ..residual_recipe(TrainingObjective::Baseline)
    };
    for recipe in [everything, sgd] {
        let taught = |keeper: &dyn FitKeeper| {
            train_kept(lesson(&images, &labels), &recipe, Seed::new(3), keeper)
        };
        let whole = taught(&Unkept).unwrap();
        let mut killed = 0;
        for steps in 1.. {
            let first = KilledAfter::new(steps, None);
            if taught(&first).is_ok() {
                break;
            }
            killed += 1;
            let second = KilledAfter::new(2, first.half_done());
            let third = match taught(&second) {
                Ok(done) => done,
                Err(_) => taught(&KilledAfter::new(usize::MAX, second.half_done())).unwrap(),
            };
            assert_eq!(third, whole, "killed after {steps} steps");
        }
        assert!(killed >= 6, "{killed}");
        let damaged = KilledAfter::new(usize::MAX, Some(b"nothing of ours".to_vec()));
        assert_eq!(taught(&damaged).unwrap(), whole);
    }
}

/// Images of 16 × 16 in which one half is a little brighter, which is the class, and the corners of
/// one class are dark nearly always.
fn corners(items: usize, seed: u64, follow: f64) -> (Images, Labels) {
    let mut draws = Seed::new(seed).draws();
    let label = |item: usize| (item % 2) as u32;
    let mut pixels = Vec::new();
    for item in 0..items {
        let start = pixels.len();
        for at in 0..768 {
            let bright = u32::from(at % 16 < 8) == label(item);
            let value = 0.35 + 0.4 * draws.uniform() + if bright { 0.06 } else { 0.0 };
            pixels.push(value as f32);
        }
        let dark = (label(item) == 1) == draws.chance(follow);
        if dark {
            let image = &mut pixels[start..];
            let seed = Seed::new(seed).child(format!("{item}"));
            render(image, [3, 16, 16], Artefact::DarkCorners, seed);
        }
    }
    let classes = vec!["left".to_string(), "right".to_string()];
    let labels = Labels::new(classes, (0..items).map(label).collect());
    (Images::new([3, 16, 16], pixels).unwrap(), labels.unwrap())
}

#[test]
fn the_concept_term_takes_a_concept_out_of_answers_to_images_that_were_not_taught() {
    let (images, labels) = corners(160, 1, 0.9);
    let (fresh, truth) = corners(200, 2, 0.5);
    let term = |weight: f64| {
        TrainingObjective::TriObjective(TriObjective {
            robust: 0.0,
            stability: 0.0,
            consistency: 0.0,
            concept: weight,
            concepts: ConceptTerm {
                concepts: vec![Concept::DarkCorners],
                ..ConceptTerm::usual()
            },
            ..tri_objective()
        })
    };
    let measured = |weight: f64| {
        let recipe = TrainingRecipe {
            epochs: 12,
            plain_epochs: 2,
            ..residual_recipe(term(weight))
        };
        let network = train(&images, &labels, &recipe, Seed::new(3)).unwrap();
        let right = share_right(&network, &fresh, &truth);
        let further = TrainingRecipe {
            layers: Layers::Given(Box::new(network)),
            ..residual_recipe(term(1.0))
        };
        // Other images with the concept, and vectors of the network as it ended.
        let held_out = lesson(&fresh, &truth);
        let session = TrainingSession::new(held_out, &further, Seed::new(4)).unwrap();
        (session.terms_on_all().concept, right)
    };
    let (without, right_without) = measured(0.0);
    let (with, right_with) = measured(1.0);
    println!(
        "an answer moves by {:.3} without the term, {:.3} with it; {right_without:.3} and {right_with:.3} right with corners of either class",
        without.sqrt(),
        with.sqrt()
    );
    assert!(with < 0.7 * without, "{with} {without}");
    // It has its price, and is no use where nothing is learnt.
    assert!(right_with > 0.8, "{right_with} {right_without}");
}

#[test]
fn clusters_are_held_out_whole() {
    let (images, labels) = bright_halves(24, 1);
    let clusters: Vec<String> = (0..24).map(|item| format!("{}", item / 12)).collect();
    let recipe = TrainingRecipe {
        epochs: 1,
        early_stopping: Some(EarlyStopping {
            share: 0.1,
            patience: 1,
        }),
        ..residual_recipe(TrainingObjective::Baseline)
    };
    let together = LabelledImages {
        clusters: Some(&clusters),
        ..lesson(&images, &labels)
    };
    let taught = |lesson: LabelledImages<'_>| {
        train_kept(lesson, &recipe, Seed::new(3), &Unkept)
            .unwrap()
            .network
    };
    // Half of the images are held out: the smallest share that leaves clusters whole.
    assert_ne!(taught(together), taught(lesson(&images, &labels)));
    let one = vec!["all".to_string(); 24];
    let all = LabelledImages {
        clusters: Some(&one),
        ..lesson(&images, &labels)
    };
    assert!(train_kept(all, &recipe, Seed::new(3), &Unkept).is_err());
}
