//! The side of duress-nn in `peers/explanations/bench.py`: does what each line of its input says, and
//! answers with a line.
//!
//! `load WIDTH BLOCKS SIDE FILE THREADS` a residual net with PyTorch's weights, `images FILE ITEMS`
//! and `moved FILE` the pixels before and after stress; `explain`, `stability`, `deletion`,
//! `insertion` and `integrated STEPS` do that for all images and say the means, `memory` the largest
//! resident size so far, `cpu` the main thread's processor time.
#![expect(clippy::unwrap_used, reason = "an example that its driver watches")]

use std::io::{BufRead, Write};

use duress_core::seed::Seed;
use duress_nn::architecture::Residual;
use duress_nn::attribution::measure::{
    cosine, per_item, spearman, ssim, top_k_intersection, unit_distance,
};
use duress_nn::attribution::{
    CamSign, ChannelReduction, CurveRecipe, CutNetwork, Fill, Imputation, IntegratedRecipe,
    TargetBatch, area, deletion, grad_cam, insertion, integrated_gradients,
};
use duress_nn::compiled::Compiled;
use duress_nn::instructions::InstructionSet;
use duress_nn::network::{Network, Normalise};
use duress_stats::UndefinedReason;
use duress_stats::parallel::Budget;

fn main() {
    let mut bench = Bench::default();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let answer = Budget::new(bench.threads.max(1)).enter(|| bench.obey(&line));
        println!("{answer}");
        std::io::stdout().flush().unwrap();
    }
}

type Measure<'a> = dyn Fn(&[f32], &[f32]) -> Result<f64, UndefinedReason> + Sync + 'a;

#[derive(Default)]
struct Bench {
    compiled: Option<Compiled>,
    cut: Option<CutNetwork>,
    side: usize,
    threads: usize,
    pixels: Vec<f32>,
    moved: Vec<f32>,
    targets: Vec<u32>,
    maps: Vec<f32>,
    moved_maps: Vec<f32>,
}

impl Bench {
    fn obey(&mut self, line: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["load", width, blocks, side, file, threads] => {
                self.side = side.parse().unwrap();
                self.threads = threads.parse().unwrap();
                let layers = Residual::small(width.parse().unwrap(), blocks.parse().unwrap());
                self.load(&filled(&layers, self.side, file))
            }
            ["images", file, items] => {
                self.pixels = floats(&std::fs::read(file).unwrap());
                self.targets = (0..items.parse().unwrap())
                    .map(|item: u32| item % 10)
                    .collect();
                "ready".into()
            }
            ["moved", file] => {
                self.moved = floats(&std::fs::read(file).unwrap());
                "ready".into()
            }
            ["explain"] => {
                let cut = self.cut.as_ref().unwrap();
                let cam = |pixels| grad_cam(cut, self.batch(pixels), CamSign::Positive).unwrap();
                (self.maps, self.moved_maps) = (cam(&self.pixels), cam(&self.moved));
                mean(self.maps.iter().copied().map(f64::from))
            }
            ["stability"] => self.stability(),
            ["deletion"] => self.curve(true),
            ["insertion"] => self.curve(false),
            ["integrated", steps] => {
                let recipe = IntegratedRecipe {
                    steps: steps.parse().unwrap(),
                    baseline: Fill::Black,
                    channels: ChannelReduction::Sum,
                };
                let batch = self.batch(&self.pixels);
                let compiled = self.compiled.as_ref().unwrap();
                let maps = integrated_gradients(compiled, batch, recipe).unwrap();
                mean(maps.into_iter().map(|value| f64::from(value.abs())))
            }
            ["memory"] => peak(),
            ["cpu"] => cpu(),
            _ => format!("no such thing: {line}"),
        }
    }

    fn load(&mut self, network: &Network) -> String {
        let set = InstructionSet::best_available();
        let layer = network.default_cam_layer().unwrap().name;
        self.cut = Some(CutNetwork::with(network, &layer, set, self.threads).unwrap());
        self.compiled = Some(Compiled::with(network.clone(), set, self.threads));
        set.to_string()
    }

    fn batch<'a>(&'a self, pixels: &'a [f32]) -> TargetBatch<'a> {
        TargetBatch::new([3, self.side, self.side], pixels, &self.targets)
    }

    fn stability(&self) -> String {
        let places = self.side * self.side;
        let size = [self.side; 2];
        let all = |measure: &Measure<'_>| per_item(&self.maps, &self.moved_maps, places, measure);
        let found = [
            all(&|a, b| ssim(a, b, size)),
            all(&spearman),
            all(&cosine),
            all(&unit_distance),
            all(&|a, b| top_k_intersection(a, b, places / 10)),
        ];
        let means = found.map(|values| mean(values.into_iter().filter_map(Result::ok)));
        means.join(" ")
    }

    fn curve(&self, is_deletion: bool) -> String {
        let recipe = CurveRecipe {
            steps: 50,
            missing: Imputation::Fill(Fill::Black),
        };
        let seeds: Vec<Seed> = (0..self.targets.len() as u64).map(Seed::new).collect();
        let compiled = self.compiled.as_ref().unwrap();
        let batch = self.batch(&self.pixels);
        let curves = match is_deletion {
            true => deletion(compiled, batch, &self.maps, recipe, &seeds),
            false => insertion(compiled, batch, &self.maps, recipe, &seeds),
        };
        mean(curves.unwrap().chunks_exact(51).map(area))
    }
}

/// A residual net with the weights of a file: a line of JSON that says where each list is, then the
/// numbers.
fn filled(layers: &Residual, side: usize, file: &str) -> Network {
    let bytes = std::fs::read(file).unwrap();
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap();
    let places: serde_json::Value = serde_json::from_slice(&bytes[..end]).unwrap();
    let numbers = floats(&bytes[end + 1..]);
    let classes = (0..10).map(|class| class.to_string()).collect();
    let normalise = Normalise {
        mean: vec![0.5; 3],
        scale: vec![4.0; 3],
        order: Vec::new(),
    };
    let fresh = layers.network([3, side, side], classes, normalise, Seed::new(1));
    let found = fresh.unwrap().filled(|name, shape| {
        let start = places[name].as_u64().ok_or("it is not there")? as usize;
        Ok::<_, &str>(numbers[start..start + shape.iter().product::<usize>()].to_vec())
    });
    found.unwrap()
}

fn mean(values: impl Iterator<Item = f64>) -> String {
    let values: Vec<f64> = values.collect();
    (values.iter().sum::<f64>() / values.len() as f64).to_string()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let each = |four: &[u8]| f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
    bytes.chunks_exact(4).map(each).collect()
}

fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM"));
    let size = line.and_then(|line| line.split_whitespace().nth(1));
    size.unwrap_or("0").to_string()
}

/// Seconds of processor time of the main thread so far, which does everything where there is one
/// thread.
fn cpu() -> String {
    let spent = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let first = spent.split(' ').next().and_then(|field| field.parse().ok());
    let nanoseconds: f64 = first.unwrap_or(0.0);
    (nanoseconds / 1e9).to_string()
}
