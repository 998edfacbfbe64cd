//! Prints directed and skeleton F1 of the linear learners over families and missingness:
//! `cargo run --release -p duress-graph --example rivals [first-seed] [seeds]`.

use std::fmt;
use std::time::Instant;

use duress_core::answer::GraphAnswer;
use duress_core::data::Windows;
use duress_core::graph::Graph;
use duress_core::seed::Seed;
use duress_graph::correlation::{self, Steps};
use duress_graph::measure::{Overlap, Reversal, structural_hamming_distance};
use duress_graph::panel::Panel;
use duress_graph::select::{Null, Selection};
use duress_graph::sem::{Family, Recipe, Sem};
use duress_graph::{lagged, missing};

const WINDOWS: usize = 500;
const STEPS: usize = 24;

/// The learner, the null its edges are chosen against, and what came of it over the seeds.
struct Line {
    learner: &'static str,
    null: &'static str,
    directed: Vec<f64>,
    skeleton: Vec<f64>,
    distance: Vec<f64>,
    wrong: Vec<f64>,
    milliseconds: Vec<f64>,
}

fn main() {
    let number = |at: usize, default: u64| {
        std::env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (first, count) = (number(1, 1), number(2, 5));
    println!("family\tmcar\tlearner\tnull\tdirected-f1\tskeleton-f1\tshd\tfalse\tms");
    for family in ["mix", "tanh", "linear", "none"] {
        for rate in [0.0, 0.1, 0.2, 0.4, 0.6, 0.8] {
            let mut lines: Vec<Line> = Vec::new();
            for learner in ["lagged-regression", "correlation"] {
                lines.extend(Null::NAMES.iter().map(|null| Line::new(learner, null)));
            }
            for seed in first..first + count {
                let (truth, windows) = data(family, rate, Seed::new(seed));
                lines.iter_mut().for_each(|line| line.add(&truth, &windows));
            }
            lines.iter().for_each(|line| println!("{family}\t{rate}\t{line}"));
        }
    }
}

impl Line {
    fn new(learner: &'static str, null: &'static str) -> Line {
        let [directed, skeleton, distance, wrong, milliseconds] = std::array::from_fn(|_| Vec::new());
        Line { learner, null, directed, skeleton, distance, wrong, milliseconds }
    }

    fn add(&mut self, truth: &Graph, windows: &Windows) {
        let started = Instant::now();
        let graph = learn(self.learner, self.null, windows).graph;
        self.milliseconds.push(started.elapsed().as_secs_f64() * 1e3);
        let directed = Overlap::directed(truth, &graph).expect("same variables");
        let skeleton = Overlap::skeleton(truth, &graph).expect("same variables");
        let distance = structural_hamming_distance(truth, &graph, Reversal::One).expect("same variables");
        self.directed.extend(directed.f1());
        self.skeleton.extend(skeleton.f1());
        self.wrong.push(directed.false_found as f64);
        self.distance.push(distance as f64);
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mean = |values: &[f64]| match values.len() {
            0 => "undefined".into(),
            n => format!("{:.3}", values.iter().sum::<f64>() / n as f64),
        };
        let columns = [&self.directed, &self.skeleton, &self.distance, &self.wrong, &self.milliseconds];
        write!(f, "{}\t{}\t{}", self.learner, self.null, columns.map(|values| mean(values)).join("\t"))
    }
}

fn data(family: &str, rate: f64, seed: Seed) -> (Graph, Windows) {
    let recipe = match Family::named(family) {
        Some(family) => Recipe { family, ..Recipe::default() },
        None => Recipe { edges: 0, ..Recipe::default() },
    };
    let sem = Sem::draw(&recipe, seed.child("model"));
    let regimes: Vec<u32> = (0..WINDOWS as u32).map(|w| w % 3).collect();
    let window = |w: usize| sem.window(regimes[w] as usize, STEPS, seed.child(format!("window-{w}")));
    let values = (0..WINDOWS).flat_map(window).collect();
    let truth = sem.graph();
    let mut windows =
        Windows::new(truth.variables().to_vec(), STEPS, regimes, values).expect("finite values");
    for w in 0..WINDOWS {
        missing::completely_at_random(&mut windows, w, rate, seed.child(format!("missing-{w}")).draws());
    }
    (truth, windows)
}

fn learn(learner: &str, null: &str, windows: &Windows) -> GraphAnswer {
    let null = Null::named(null).expect("one of the names");
    let selection = Selection { false_share: 0.05, null, acyclic: true };
    let panel = Panel::new(windows).expect("varied values");
    let scores = match learner {
        "correlation" => correlation::correlate(&panel, Steps::Lagged),
        _ => lagged::regress(&panel),
    };
    selection.choose(&scores.expect("enough values"))
}
