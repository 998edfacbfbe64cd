//! The side of duress-nn in `peers/networks/bench.py`: does what each line of its input says, and
//! answers with a line.
//!
//! `load NAME FILE THREADS` a network with PyTorch's weights, `forward`, `gradient`, `train` time
//! one call on the batch of `batch FILE ITEMS`, `trades` an epoch of TRADES on it, `show WHAT` writes
//! the numbers, `memory` says the largest resident size so far, `cpu` the main thread's processor
//! time.
#![expect(clippy::unwrap_used, reason = "an example that its driver watches")]

use std::io::{BufRead, Write};
use std::time::Instant;

use duress_core::data::Images;
use duress_core::seed::Seed;
use duress_core::truth::Labels;
use duress_nn::architecture::{Residual, resnet};
use duress_nn::compiled::Compiled;
use duress_nn::instructions::InstructionSet;
use duress_nn::learner::{BatchLearner, Optimiser};
use duress_nn::network::{Network, Normalise};
use duress_nn::train::{
    AttackStart, ClassWeights, InnerAttack, Layers, TrainingObjective, TrainingRecipe, train,
};
use duress_stats::parallel::Budget;

fn main() {
    let mut bench = Bench::default();
    for line in std::io::stdin().lock().lines() {
        let answer = bench.obey(&line.unwrap());
        println!("{answer}");
        std::io::stdout().flush().unwrap();
    }
}

#[derive(Default)]
struct Bench {
    compiled: Option<Compiled>,
    learner: Option<BatchLearner>,
    pixels: Vec<f32>,
    labels: Vec<u32>,
    gradient: Vec<f32>,
    logits: Vec<f32>,
    threads: usize,
}

impl Bench {
    fn obey(&mut self, line: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["load", name, file, threads] => {
                let (network, threads) = (filled(name, file), threads.parse().unwrap());
                self.threads = threads;
                let begun = Instant::now();
                self.compiled = Some(Compiled::with(
                    network.clone(),
                    InstructionSet::best_available(),
                    threads,
                ));
                let took = begun.elapsed().as_secs_f64();
                self.learner = None;
                if name != "resnet50" {
                    self.learner = Some(
                        BatchLearner::new(network, Optimiser::Sgd { momentum: 0.9 }, 1e-4)
                            .unwrap()
                            .with_threads(threads),
                    );
                }
                format!("{} {took}", self.compiled.as_ref().unwrap().instructions())
            }
            ["batch", file, items] => {
                self.pixels = floats(&std::fs::read(file).unwrap());
                let classes = self.compiled().network().classes().len() as u32;
                self.labels = (0..items.parse().unwrap())
                    .map(|item: u32| item % classes)
                    .collect();
                self.gradient = vec![0.0; self.pixels.len()];
                "ready".into()
            }
            ["forward"] => timed(|| self.logits = self.compiled().logits(&self.pixels)),
            ["gradient"] => {
                let compiled = self.compiled.as_ref().unwrap();
                self.gradient.fill(0.0);
                timed(|| {
                    drop(compiled.losses(&self.pixels, &self.labels, Some(&mut self.gradient)))
                })
            }
            ["train"] => {
                let learner = self.learner.as_mut().unwrap();
                timed(|| {
                    assert!(
                        learner
                            .learn_batch(&self.pixels, &self.labels, |_| 1.0, 0.01)
                            .is_some()
                    )
                })
            }
            ["trades"] => {
                let network = self.compiled().network().clone();
                let images = Images::new(network.input(), self.pixels.clone()).unwrap();
                let labels = Labels::new(network.classes().to_vec(), self.labels.clone()).unwrap();
                let recipe = trades(network, self.labels.len());
                // As many threads as the other side has.
                let budget = Budget::new(self.threads);
                timed(|| {
                    let taught = budget.enter(|| train(&images, &labels, &recipe, Seed::new(1)));
                    assert!(taught.is_ok());
                })
            }
            ["show", "logits"] => shown(&self.logits),
            ["show", "gradient"] => shown(&self.gradient),
            ["memory"] => peak(),
            ["cpu"] => cpu(),
            _ => format!("no such thing: {line}"),
        }
    }

    fn compiled(&self) -> &Compiled {
        self.compiled.as_ref().unwrap()
    }
}

/// An epoch of TRADES as its authors have it, ten inner steps, in batches of so many.
fn trades(network: Network, batch: usize) -> TrainingRecipe {
    TrainingRecipe {
        objective: TrainingObjective::Trades {
            beta: 6.0,
            attack: InnerAttack {
                reach: 8.0 / 255.0,
                steps: 10,
                step: 0.25,
                start: AttackStart::Near,
            },
        },
        epochs: 1,
        batch,
        optimiser: Optimiser::Sgd { momentum: 0.9 },
        rate: 0.01,
        class_weights: ClassWeights::Equal,
        ..TrainingRecipe::new(Layers::Given(Box::new(network)))
    }
}

/// A network by name, with the weights of a file: a line of JSON that says where each list is, then
/// the numbers.
fn filled(name: &str, file: &str) -> Network {
    let bytes = std::fs::read(file).unwrap();
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let places: serde_json::Value = serde_json::from_slice(&bytes[..end]).unwrap();
    let numbers = floats(&bytes[end + 1..]);
    let classes = |n: usize| (0..n).map(|class| class.to_string()).collect();
    let network = match name {
        "resnet50" => resnet(50, classes(1000), 224, Seed::new(1)),
        "resnet18" => resnet(18, classes(1000), 64, Seed::new(1)),
        _ => Residual::small(32, 2).network(
            [3, 32, 32],
            classes(10),
            Normalise::identity(3),
            Seed::new(1),
        ),
    };
    let found = network.unwrap().filled(|name, shape| {
        let start = places[name].as_u64().ok_or("it is not there")? as usize;
        Ok::<_, &str>(numbers[start..start + shape.iter().product::<usize>()].to_vec())
    });
    found.unwrap()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let each = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
    bytes.chunks_exact(4).map(each).collect()
}

fn timed(mut work: impl FnMut()) -> String {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64().to_string()
}

fn shown(values: &[f32]) -> String {
    serde_json::to_string(values).unwrap()
}

fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or("unknown");
    line.split_whitespace().nth(1).unwrap_or("0").to_string()
}

/// Seconds of processor time of the main thread so far, which does everything where there is one
/// thread.
fn cpu() -> String {
    let spent = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds: f64 = spent
        .split(' ')
        .next()
        .and_then(|field| field.parse().ok())
        .unwrap_or(0.0);
    (nanoseconds / 1e9).to_string()
}
