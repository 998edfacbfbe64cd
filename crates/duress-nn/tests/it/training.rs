//! Fifty steps of each objective, beside PyTorch: `peers/training/run.py` makes the values, from the
//! same draws.

#![expect(clippy::unwrap_used, reason = "tests may panic")]
use duress_core::data::Images;
use duress_core::fitting::Unkept;
use duress_core::seed::Seed;
use duress_core::truth::Labels;
use duress_nn::network::{
    BatchNorm, Conv, Dense, Network, NetworkNode, Normalise, Operator, Window,
};
use duress_nn::train::{
    AttackStart, ConceptTerm, InnerAttack, LabelledImages, Layers, Optimiser, TrainingObjective,
    TrainingRecipe, TriObjective, train_kept,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct PeerCase {
    objective: String,
    optimiser: String,
    losses: Vec<f64>,
}

const ITEMS: usize = 24;

fn norm(channels: usize) -> Operator {
    Operator::BatchNorm(BatchNorm {
        scale: vec![1.0; channels],
        shift: vec![0.0; channels],
        mean: vec![0.0; channels],
        variance: vec![1.0; channels],
        epsilon: 1e-5,
    })
}

fn network(classes: Vec<String>) -> Network {
    let mut draws = Seed::new(1).child("network").draws();
    let mut drawn = |count: usize| {
        (0..count)
            .map(|_| 0.3 * (draws.normal() as f32))
            .collect::<Vec<f32>>()
    };
    let conv = |inputs, outputs, stride, weights| {
        Operator::Conv(Conv {
            inputs,
            outputs,
            groups: 1,
            window: Window::square(3, stride, 1),
            weights,
            bias: Vec::new(),
        })
    };
    let first = conv(3, 4, 1, drawn(4 * 27));
    let second = conv(4, 8, 2, drawn(8 * 36));
    let head = Operator::Dense(Dense {
        inputs: 8,
        outputs: 3,
        weights: drawn(24),
        bias: vec![0.0; 3],
    });
    let normalise = Operator::Normalise(Normalise {
        mean: vec![0.5; 3],
        scale: vec![2.0; 3],
        order: Vec::new(),
    });
    let nodes = vec![
        NetworkNode::new("normalise", [], normalise),
        NetworkNode::new("conv1", [0], first),
        NetworkNode::new("bn1", [1], norm(4)),
        NetworkNode::new("relu1", [2], Operator::Relu),
        NetworkNode::new("conv2", [3], second),
        NetworkNode::new("bn2", [4], norm(8)),
        NetworkNode::new("relu2", [5], Operator::Relu),
        NetworkNode::new("pool", [6], Operator::GlobalAvgPool),
        NetworkNode::new("fc", [7], head),
    ];
    Network::new([3, 8, 8], classes, nodes).unwrap()
}

fn recipe(case: &PeerCase, network: Network) -> TrainingRecipe {
    let attack = |start| InnerAttack {
        reach: 0.1,
        steps: 5,
        step: 0.5,
        start,
    };
    let (optimiser, rate) = match case.optimiser.as_str() {
        "sgd" => (Optimiser::Sgd { momentum: 0.9 }, 0.05),
        _ => (Optimiser::Adam, 0.01),
    };
    TrainingRecipe {
        objective: match case.objective.as_str() {
            "baseline" => TrainingObjective::Baseline,
            "adversarial" => TrainingObjective::Adversarial(attack(AttackStart::Uniform)),
            "trades" => TrainingObjective::Trades {
                beta: 6.0,
                attack: attack(AttackStart::Near),
            },
            _ => TrainingObjective::TriObjective(TriObjective {
                // Very near the image some signs hang on the last bit, and with maps in the loss fifty
                // steps part for good.
                attack: attack(AttackStart::Uniform),
                robust: 1.0,
                explanation: 1.0,
                stability: 0.5,
                consistency: 0.0,
                consistency_artefacts: 0.0,
                concept: 0.0,
                concepts: ConceptTerm::usual(),
            }),
        },
        epochs: case.losses.len(),
        // One batch an epoch, so that every step is told.
        batch: ITEMS,
        optimiser,
        rate,
        weight_decay: 5e-4,
        ..TrainingRecipe::new(Layers::Given(Box::new(network)))
    }
}

#[test]
fn the_first_fifty_steps_of_every_objective_lose_what_pytorch_loses() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/training.json");
    let cases: Vec<PeerCase> =
        serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let mut draws = Seed::new(1).child("images").draws();
    let pixels = (0..ITEMS * 192).map(|_| draws.uniform() as f32).collect();
    let images = Images::new([3, 8, 8], pixels).unwrap();
    let label = |item: usize| match item % 4 {
        0 => 0,
        _ => 1 + (item % 2) as u32,
    };
    let classes = ["a", "b", "c"].map(String::from).to_vec();
    let labels = Labels::new(classes.clone(), (0..ITEMS).map(label).collect()).unwrap();
    for case in cases {
        let recipe = recipe(&case, network(classes.clone()));
        let lesson = LabelledImages {
            images: &images,
            labels: &labels,
            clusters: None,
        };
        let trained = train_kept(lesson, &recipe, Seed::new(3), &Unkept).unwrap();
        let losses: Vec<f64> = trained.epochs.iter().map(|record| record.loss).collect();
        let worst = losses
            .iter()
            .zip(&case.losses)
            .map(|(ours, theirs)| (ours - theirs).abs())
            .fold(0.0, f64::max);
        println!(
            "{} {}: at most {worst:.1e} apart",
            case.objective, case.optimiser
        );
        assert!(
            worst < 1e-3,
            "{} {}: {losses:?}",
            case.objective,
            case.optimiser
        );
    }
}
