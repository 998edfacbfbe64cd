//! Learnt graphs of a made-up truth: how many edges are found and how many are false is binomial,
//! so that the mean of F1 over new replicates is a finite sum.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

use duress_core::answer::{Answers, GraphAnswer};
use duress_core::data::{Dataset, InputKind, Inputs, Items, Source, Split, Windows};
use duress_core::graph::Graph;
use duress_core::part::{Build, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{Circumstances, Recording, SubjectPart};
use duress_core::truth::Truth;
use duress_stats::dist::Binomial;
use duress_stats::random::RandomStream;

use crate::model::{field, mark_of};

const VARIABLES: u32 = 8;
/// True edges, and as many others that may be found falsely.
const EDGES: u64 = 12;

/// How near F1 is to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ceiling {
    /// It varies freely.
    Free,
    /// Seven graphs in ten are perfect.
    Mostly,
}

impl Ceiling {
    /// The chances that a true edge is found and that a false one is.
    fn chances(self) -> (f64, f64) {
        match self {
            Ceiling::Free => (0.7, 0.2),
            Ceiling::Mostly => (0.98, 0.01),
        }
    }
}

/// The mean of F1 over new replicates.
pub(crate) fn in_population(ceiling: Ceiling) -> f64 {
    let (found, wrong) = ceiling.chances();
    let chance = |p: f64, k: u64| Binomial::new(EDGES, p).map_or(0.0, |law| law.pmf(k));
    let mut mean = 0.0;
    for hits in 0..=EDGES {
        for extra in 0..=EDGES {
            let f1 = 2.0 * hits as f64 / (EDGES + hits + extra) as f64;
            mean += chance(found, hits) * chance(wrong, extra) * f1;
        }
    }
    mean
}

/// The lines of a study.
pub(crate) fn study(study: usize, ceiling: Ceiling, marks: &Path) -> String {
    let perfect = ceiling == Ceiling::Mostly;
    let subject = |who: usize| {
        format!(
            "subject.s{study}-{who} = {{ use = \"made-learner\", on = \"d{study}\", study = {study}, who = {who}, perfect = {perfect}, marks = {marks:?} }}\n"
        )
    };
    let dataset = format!("dataset.d{study} = {{ use = \"made-graph\", study = {study} }}\n");
    dataset + &subject(0) + &subject(1)
}

fn variables() -> Vec<String> {
    (0..VARIABLES).map(|at| format!("v{at}")).collect()
}

/// Edges from earlier to later variables: the first are true, the next may be found falsely.
fn edges() -> impl Iterator<Item = (u32, u32)> {
    (0..VARIABLES).flat_map(|to| (0..to).map(move |from| (from, to)))
}

/// Writes the true graph, and learnt ones as recorded; says how a study names them.
pub(crate) fn record(
    study: usize,
    ceiling: Ceiling,
    seeds: usize,
    folder: &Path,
) -> io::Result<String> {
    fs::write(folder.join("steps.csv"), steps())?;
    fs::write(
        folder.join("truth.csv"),
        edge_list(edges().take(EDGES as usize)),
    )?;
    let mut text = format!(
        "dataset.d{study} = {{ use = \"windows\", file = \"steps.csv\", truth = \"truth.csv\", steps = 4 }}\n"
    );
    for who in 0..2 {
        let name = format!("s{study}-{who}");
        let learner = Learner {
            study: study as u64,
            who,
            ceiling,
            marks: PathBuf::new(),
        };
        for seed in 1..=seeds as u64 {
            let file = folder.join(format!("{name}_{seed}.csv"));
            fs::write(file, edge_list(learner.found(seed).into_iter()))?;
        }
        let _ = writeln!(
            text,
            "subject.{name} = {{ use = \"recorded\", on = \"d{study}\", form = \"graph\", files = \"{{subject}}_{{seed}}.csv\" }}"
        );
    }
    Ok(text)
}

fn edge_list(edges: impl Iterator<Item = (u32, u32)>) -> String {
    let line = |(from, to): (u32, u32)| format!("v{from},v{to}\n");
    "from,to\n".to_string() + &edges.map(line).collect::<String>()
}

/// Values that nobody learns from, since graphs are recorded; each variable changes.
fn steps() -> String {
    let mut text = variables().join(",") + "\n";
    for step in 0..40 {
        let value = |variable: u32| ((variable + 1) * 7 + step * step * (variable + 3)) % 11;
        let values: Vec<String> = (0..VARIABLES).map(|at| value(at).to_string()).collect();
        text += &(values.join(",") + "\n");
    }
    text
}

/// A dataset with a true graph.
pub(crate) static MADE_GRAPH: Part = Part {
    name: "made-graph",
    version: 1,
    fields: &[field("study", Takes::Whole(0, 1_000_000_000), "0")],
    source: "//! A graph of a made-up truth.",
    build: Build::Dataset(|params| {
        Ok(Box::new(MadeGraph {
            study: params.count("study"),
        }))
    }),
};

struct MadeGraph {
    study: usize,
}

impl Source for MadeGraph {
    fn kind(&self) -> InputKind {
        InputKind::Windows
    }

    fn offers(&self) -> Question {
        Question::Graph
    }

    fn varies(&self) -> bool {
        false
    }

    fn load(&self, _seed: Seed) -> Result<Dataset, Problem> {
        let values = vec![self.study as f64; VARIABLES as usize];
        let windows = Windows::new(variables(), 1, vec![0], values)?;
        let items = Items::new(vec![format!("{}", self.study)], Inputs::Windows(windows))?;
        let truth = Graph::new(variables(), edges().take(EDGES as usize))
            .map_err(|why| Problem::new(why.to_string()))?;
        Dataset::new(None, Split::new(items, Truth::Graph(truth))?)
    }
}

/// A learner of graphs.
pub(crate) static MADE_LEARNER: Part = Part {
    name: "made-learner",
    version: 1,
    fields: &[
        field("study", Takes::Whole(0, 1_000_000_000), "0"),
        field("who", Takes::Whole(0, 100), "0"),
        field("perfect", Takes::Flag, "false"),
        field("marks", Takes::Text, ""),
    ],
    source: "//! Graphs of a made-up truth.",
    build: Build::Subject(|params| Ok(SubjectPart::Recorded(Box::new(Learner::new(params))))),
};

struct Learner {
    study: u64,
    who: u64,
    ceiling: Ceiling,
    marks: PathBuf,
}

impl Learner {
    fn new(params: &Params) -> Learner {
        Learner {
            study: params.count("study") as u64,
            who: params.count("who") as u64,
            ceiling: match params.flag("perfect") {
                true => Ceiling::Mostly,
                false => Ceiling::Free,
            },
            marks: params.text("marks").into(),
        }
    }

    /// The edges it finds for a seed.
    fn found(&self, seed: u64) -> Vec<(u32, u32)> {
        let mut stream = RandomStream::new(self.study << 24 | seed << 8 | self.who, 5);
        let (found, wrong) = self.ceiling.chances();
        let there = |(nth, edge): (usize, (u32, u32))| {
            let chance = if (nth as u64) < EDGES { found } else { wrong };
            (stream.next_unit() < chance).then_some(edge)
        };
        let all = edges().take(2 * EDGES as usize).enumerate();
        all.filter_map(there).collect()
    }
}

impl Recording for Learner {
    fn answers(&self) -> Vec<Question> {
        vec![Question::Graph]
    }

    fn sources(&self, at: &Circumstances) -> Result<Vec<PathBuf>, Problem> {
        Ok(vec![mark_of(&self.marks, at)])
    }

    fn look_up(
        &self,
        at: &Circumstances,
        _question: Question,
        _items: &Items,
    ) -> Result<Answers, Problem> {
        let graph = Graph::new(variables(), self.found(at.seed))
            .map_err(|why| Problem::new(why.to_string()))?;
        Ok(Answers::Graph(GraphAnswer {
            graph,
            scores: vec![0.0; (VARIABLES * VARIABLES) as usize],
            rule: "drawn".into(),
        }))
    }
}
