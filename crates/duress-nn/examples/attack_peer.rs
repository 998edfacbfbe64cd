//! Attacks a network with weights from elsewhere up a ladder, as often as it is told to: one half
//! of `peers/attacks`.
//!
//! The folder in its argument holds `job.json`, and as raw little-endian numbers `weights.f32`,
//! `images.f32` and `labels.u8`. For each line on standard input it runs the ladder once, writes
//! `adversarial.f32`, and prints the seconds, who was right on each rung, and what was asked.

use std::borrow::Cow;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::data::{Images, Inputs, Items, Split};
use duress_core::objective::Objective;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Aware, climb};
use duress_core::subject::{Differentiable, Failure, Fitted, LogitSlope, LogitSlopes, Loss};
use duress_core::truth::{Labels, Truth};
use duress_nn::architecture::{Residual, resnet};
use duress_nn::attack::{Apgd, Ascent, Limits, Norm, Suite};
use duress_nn::compiled::Compiled;
use duress_nn::file::{self, network::NetworkHints};
use duress_nn::network::{Network, Normalise};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Job {
    kind: String,
    /// A network in a file, when that is the kind.
    #[serde(default)]
    file: PathBuf,
    input: [usize; 3],
    classes: usize,
    /// The widths of hidden layers of an mlp; width and blocks of a small residual network.
    #[serde(default)]
    widths: Vec<usize>,
    #[serde(default)]
    mean: Vec<f32>,
    #[serde(default)]
    deviation: Vec<f32>,
    #[serde(default)]
    order: Vec<usize>,
    #[serde(default)]
    tensors: Vec<(String, Vec<usize>)>,
    severities: Vec<String>,
    norm: String,
    steps: usize,
    /// `pgd`, `apgd` or `attack-suite`.
    #[serde(default)]
    attack: String,
    /// How many classes `apgd` aims at, on the DLR; with 0 it climbs the cross-entropy.
    #[serde(default)]
    targets: usize,
    /// The deviation of noise that is added to every image, other noise each time; none where it is
    /// left out.
    #[serde(default)]
    noise: f64,
}

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("a folder"));
    let job: Job =
        serde_json::from_slice(&bytes(&folder, "job.json")).unwrap_or_else(|why| panic!("{why}"));
    let network = if job.kind == "file" {
        read(&job)
    } else {
        network(&job, numbers(&folder, "weights.f32"))
    };
    let subject = Subject::new(network, job.noise);
    let split = split(&job, &subject, &folder);
    let severities: Vec<Severity> = job
        .severities
        .iter()
        .map(|text| Severity::parse(text).unwrap_or_else(|why| panic!("{why}")))
        .collect();
    let norm = if job.norm == "l2" {
        Norm::L2
    } else {
        Norm::Linf
    };
    let attack = attack(&job, norm);
    println!(
        "{}",
        json!({ "instructions": subject.compiled.instructions().to_string() })
    );
    for line in std::io::stdin().lock().lines() {
        let seed = line.expect("a seed").trim().parse().expect("a seed");
        let begun = Instant::now();
        let climbed = climb(
            attack.as_ref(),
            &subject,
            &split,
            &severities,
            Seed::new(seed),
        )
        .unwrap_or_else(|why| panic!("{why}"));
        let labels = bytes(&folder, "labels.u8");
        let mut right = vec![subject.right(split.items(), &labels)];
        right.extend(
            climbed
                .rungs
                .iter()
                .map(|rung| subject.right(rung, &labels)),
        );
        let seconds = begun.elapsed().as_secs_f64();
        write(&folder, &climbed.rungs);
        let spent = climbed.spent.last().expect("a rung");
        let doubts: Vec<String> = climbed.doubts.iter().map(ToString::to_string).collect();
        let said = json!({
            "seconds": seconds, "right": right, "doubts": doubts,
            "queries": spent.queries.iter().sum::<u32>(), "gradients": spent.gradients.iter().sum::<u32>(),
        });
        println!("{said}");
    }
}

fn attack(job: &Job, norm: Norm) -> Box<dyn Aware> {
    let steps = job.steps;
    let targets = job.targets;
    let objective = match targets {
        0 => Objective::CrossEntropy,
        _ => Objective::Dlr,
    };
    let limits = Limits { norm, repeats: 4 };
    match job.attack.as_str() {
        "attack-suite" => Box::new(Suite { limits }),
        "apgd" => Box::new(Apgd {
            limits,
            objective,
            targets,
            steps,
            starts: 1,
        }),
        _ => Box::new(Ascent {
            limits,
            objective,
            targets,
            steps,
            step: 0.25,
            starts: 1,
            random_start: true,
        }),
    }
}

/// How many draws the noise is taken from.
const NOISE_DRAWS: usize = 1 << 20;

struct Subject {
    compiled: Compiled,
    /// A table of noise, empty where there is none. Drawing it anew for every answer took a quarter
    /// of a small network's time, where PyTorch draws many values at once.
    noise: Vec<f32>,
    asked: AtomicU64,
}

impl Subject {
    fn new(network: Network, deviation: f64) -> Subject {
        let mut draws = Seed::new(0).draws();
        let values = if deviation == 0.0 { 0 } else { NOISE_DRAWS };
        let noise = (0..values).map(|_| (deviation * draws.normal()) as f32);
        Subject {
            compiled: Compiled::new(network),
            noise: noise.collect(),
            asked: AtomicU64::new(0),
        }
    }

    /// What the network gets to see: every image with noise from another place of the table.
    fn shown<'a>(&self, images: &'a [f32]) -> Cow<'a, [f32]> {
        if self.noise.is_empty() {
            return Cow::Borrowed(images);
        }
        let mut draws = Seed::new(self.asked.fetch_add(1, Ordering::Relaxed)).draws();
        let size = self.compiled.network().input_size();
        let mut shown = images.to_vec();
        for image in shown.chunks_mut(size) {
            let from = draws.below(NOISE_DRAWS - size);
            let noise = &self.noise[from..from + size];
            image.iter_mut().zip(noise).for_each(|(x, by)| *x += by);
        }
        Cow::Owned(shown)
    }

    fn right(&self, items: &Items, labels: &[u8]) -> Vec<bool> {
        let pixels = self.shown(items.images().expect("images").pixels());
        let logits = self.compiled.logits(&pixels);
        let first_largest = |row: &[f32]| {
            let top = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            row.iter().position(|x| *x == top)
        };
        let rows = logits
            .chunks(self.compiled.network().classes().len())
            .zip(labels);
        rows.map(|(row, &label)| first_largest(row) == Some(label.into()))
            .collect()
    }
}

impl Fitted for Subject {
    fn answer(&self, _question: Question, items: &Items) -> Result<Answers, Failure> {
        let logits = self.compiled.logits(&self.shown(items.images()?.pixels()));
        let said = Said::Logits(logits.into_iter().map(f64::from).collect());
        let classes = self.compiled.network().classes().to_vec();
        Ok(Answers::Classes(ClassAnswers::new(classes, said)))
    }

    fn checkpoint(&self) -> Vec<u8> {
        Vec::new()
    }

    fn differentiable(&self) -> Option<&dyn Differentiable> {
        match self.noise.is_empty() {
            true => Some(&self.compiled),
            false => Some(self),
        }
    }
}

impl Differentiable for Subject {
    fn classes(&self) -> &[String] {
        self.compiled.network().classes()
    }

    fn loss(
        &self,
        images: &[f32],
        labels: &[u32],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        Differentiable::loss(&self.compiled, &self.shown(images), labels, gradient)
    }

    fn logit_slopes(&self) -> Option<&dyn LogitSlopes> {
        Some(self)
    }
}

impl LogitSlopes for Subject {
    fn logits(&self, images: &[f32]) -> Result<Vec<f32>, Failure> {
        LogitSlopes::logits(&self.compiled, &self.shown(images))
    }

    fn backward(
        &self,
        images: &[f32],
        slope: &LogitSlope<'_>,
        gradient: &mut [f32],
    ) -> Result<Vec<f32>, Failure> {
        LogitSlopes::backward(&self.compiled, &self.shown(images), slope, gradient)
    }
}

/// The normalisation that the job speaks of, if it does.
fn normalise(job: &Job) -> Option<Normalise> {
    let scale = job
        .deviation
        .iter()
        .map(|deviation| 1.0 / deviation)
        .collect();
    (!job.mean.is_empty()).then(|| Normalise {
        mean: job.mean.clone(),
        scale,
        order: Vec::new(),
    })
}

/// A network that is in a file.
fn read(job: &Job) -> Network {
    let (input, normalise, order) = (Some(job.input), normalise(job), job.order.clone());
    let wanted = NetworkHints {
        input,
        normalise,
        order,
        ..NetworkHints::default()
    };
    file::network::network(&job.file, &wanted).unwrap_or_else(|why| panic!("{why}"))
}

fn network(job: &Job, weights: Vec<f32>) -> Network {
    let classes: Vec<String> = (0..job.classes).map(|class| class.to_string()).collect();
    let normalise = normalise(job).expect("a mean and a deviation");
    let (seed, widths) = (Seed::new(0), &job.widths);
    let fresh = match job.kind.as_str() {
        "mlp" => Network::fresh(job.input, classes, normalise, widths, seed),
        "residual" => {
            Residual::small(widths[0], widths[1]).network(job.input, classes, normalise, seed)
        }
        "resnet18" => {
            resnet(18, classes, job.input[1], seed).and_then(|net| net.with_normalise(normalise))
        }
        other => panic!("no network is called {other}"),
    };
    let mut tensors: Vec<(&str, &[usize], &[f32])> = Vec::new();
    let mut rest = weights.as_slice();
    for (name, shape) in &job.tensors {
        let (values, behind) = rest.split_at(shape.iter().product());
        tensors.push((name, shape, values));
        rest = behind;
    }
    // By name where names agree, as torchvision's do; an mlp's are in the order of its layers.
    let filled = fresh.and_then(|net| {
        net.filled(|name, shape| {
            let at = tensors
                .iter()
                .position(|(own, _, _)| *own == name)
                .unwrap_or(0);
            let (own, given, values) = tensors.remove(at);
            if given == shape {
                Ok(values.to_vec())
            } else {
                Err(format!("{own} has shape {given:?}, not {shape:?}"))
            }
        })
    });
    filled.unwrap_or_else(|why| panic!("{why}"))
}

fn split(job: &Job, subject: &Subject, folder: &Path) -> Split {
    let labels: Vec<u32> = bytes(folder, "labels.u8")
        .into_iter()
        .map(u32::from)
        .collect();
    let images =
        Images::new(job.input, numbers(folder, "images.f32")).unwrap_or_else(|why| panic!("{why}"));
    let ids = (0..images.len()).map(|i| i.to_string()).collect();
    let items = Items::new(ids, Inputs::Images(images)).unwrap_or_else(|why| panic!("{why}"));
    let labels = Labels::new(subject.compiled.network().classes().to_vec(), labels)
        .unwrap_or_else(|why| panic!("{why}"));
    Split::new(items, Truth::Labels(labels)).unwrap_or_else(|why| panic!("{why}"))
}

fn write(folder: &Path, rungs: &[Items]) {
    let pixels = rungs
        .iter()
        .flat_map(|rung| rung.images().expect("images").pixels());
    let bytes: Vec<u8> = pixels.flat_map(|pixel| pixel.to_le_bytes()).collect();
    std::fs::write(folder.join("adversarial.f32"), bytes).unwrap_or_else(|why| panic!("{why}"));
}

fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
}

fn numbers(folder: &Path, name: &str) -> Vec<f32> {
    let number = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
    bytes(folder, name).chunks_exact(4).map(number).collect()
}
