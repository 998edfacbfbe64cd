//! Windows from a random temporal structural equation model whose graph is known.
//!
//! # What it does
//! Draws a graph without cycles (Erdős–Rényi or scale-free, exact number of edges), one mechanism
//! per edge and one memory per variable, once per seed, and simulates independent windows from it.
//! Every variable remembers itself (0.4 to 0.8) and hears its parents one step later (`lag =
//! "one"`), within the step (`"zero"`) or either (`"mixed"`); the parents carry the share `signal`
//! of the innovation variance, and every variable has unit variance. Each window is in one of the
//! regimes, in turn; a regime multiplies each variable by 1 ± gain and adds an offset. The truth is
//! the summary graph without self-loops. Items can be sliced by the column `regime`.
//!
//! Families: `mix` has tanh (50 %), random networks (20 %) and even networks (30 %), each edge
//! drawn for itself; `tanh`, `linear` and `mlp` have one mechanism throughout; `instantaneous` is
//! linear and within the step. On lagged `tanh` and `linear` data everything is easy; of
//! `instantaneous` data, being Gaussian, the direction cannot be told. The 30 % even mechanisms of
//! `mix` are there so that linear methods cannot win; the report says so.
//!
//! With `names` the variables are called as those of another dataset, so that a graph learnt here can be
//! carried there; with `graph`, a list of edges between them, that graph is simulated instead of a random
//! one, with mechanisms of its own for each seed.
//!
//! Regimes can intervene on the model: the first is left alone, each other one picks one to three
//! variables. With `intervention = "hard"` it sets them to a constant from [−1, 1] with noise of
//! 0.1, which cuts the edges into them: each regime then has a truth of its own, beside the whole
//! one, and a regime that is held out is scored against its own. With `"soft"` what the parents say
//! is halved and a constant added: no edge is cut.
//!
//! # Why it matters
//! A structure learner can be scored only where the graph is known. Raw simulated data often give
//! the graph away by their scale (varsortability), so variables are standardised on the windows
//! fitted unless `standardise = false`, and the report prints the varsortability before and after,
//! with R²- and autocorrelation-sortability, which standardising leaves as they are.
//!
//! # Promise
//! Windows to fit and windows to test are simulated apart: no test window shares a step with a
//! fitted one. A window depends on its id and the seed alone, not on how many others there are.
//!
//! # Example
//! ```toml
//! [dataset.sensors]
//! use     = "temporal-sem"
//! family  = "mix"
//! windows = 500
//! steps   = 24
//! ```
//!
//! # Reference
//! Reisach, Seiler and Weichwald, "Beware of the simulated DAG! Causal discovery benchmarks may be
//! easy to game", NeurIPS 2021.

use std::path::PathBuf;

use duress_core::data::{Dataset, InputKind, Inputs, Items, REGIME, Source, Split, Windows};
use duress_core::graph::Graph;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::truth::Truth;
use duress_core::word::Word;
use duress_graph::sem::{Intervention, Lag, Mechanism, MechanismFamily, Sem, SemRecipe, Wiring};
use duress_graph::sortability::{variances, varsortability};
use duress_graph::spread::shift_and_scale;

use crate::causal::frame::edge_list::true_graph;
use crate::causal::frame::window_summary;

/// The part.
pub static PART: Part = Part {
    name: "temporal-sem",
    version: 1,
    fields: &[
        Field {
            name: "family",
            takes: Takes::Choice(MechanismFamily::spellings),
            doc: "which mechanisms the edges have",
            default: Some("mix"),
        },
        Field {
            name: "variables",
            takes: Takes::Whole(1, 500),
            doc: "how many variables there are",
            default: Some("13"),
        },
        Field {
            name: "edges",
            takes: Takes::Whole(0, 124_750),
            doc: "how many edges there are; 0 makes a control on which every edge found is false",
            default: Some("18"),
        },
        Field {
            name: "names",
            takes: Takes::Texts,
            doc: "what the variables are called, as many as there are then; x0, x1, … when left out",
            default: Some(""),
        },
        Field {
            name: "graph",
            takes: Takes::File,
            doc: "a table with a row per edge between `names`, or a `.bif` network: the graph that is simulated, instead of a random one",
            default: Some(""),
        },
        Field {
            name: "wiring",
            takes: Takes::Choice(Wiring::spellings),
            doc: "how the edges are spread: evenly, or with hubs",
            default: Some("erdos-renyi"),
        },
        Field {
            name: "lag",
            takes: Takes::Choice(Lag::spellings),
            doc: "when parents are heard: one step later, within the step, or each edge either way",
            default: Some("one"),
        },
        Field {
            name: "signal",
            takes: Takes::Number(0.0, 0.99),
            doc: "the share of the innovation variance that parents carry; 0.5 is a signal-to-noise ratio of 1",
            default: Some("0.5"),
        },
        Field {
            name: "intervention",
            takes: Takes::Choice(Intervention::spellings),
            doc: "what each regime but the first does to one to three variables",
            default: Some("none"),
        },
        Field {
            name: "windows",
            takes: Takes::Whole(1, 1_000_000),
            doc: "how many windows subjects are fitted on",
            default: Some("500"),
        },
        Field {
            name: "test-windows",
            takes: Takes::Whole(1, 1_000_000),
            doc: "how many further windows subjects are tested on",
            default: Some("100"),
        },
        Field {
            name: "steps",
            takes: Takes::Whole(1, 100_000),
            doc: "steps in a window",
            default: Some("24"),
        },
        Field {
            name: "regimes",
            takes: Takes::Whole(1, 1000),
            doc: "how many regimes the windows are in, in turn",
            default: Some("3"),
        },
        Field {
            name: "gain",
            takes: Takes::Number(0.0, 0.95),
            doc: "a regime multiplies a variable by a number uniform within this much of 1",
            default: Some("0.3"),
        },
        Field {
            name: "offset",
            takes: Takes::Number(0.0, 100.0),
            doc: "the standard deviation of what a regime adds to a variable",
            default: Some("0.5"),
        },
        Field {
            name: "standardise",
            takes: Takes::Flag,
            doc: "whether each variable is given mean 0 and variance 1 over the windows fitted, all regimes together",
            default: Some("true"),
        },
    ],
    source: include_str!("temporal_sem.rs"),
    build: Build::Dataset(|params| Ok(Box::new(TemporalSem::new(params)?))),
};

/// Windows from a random temporal structural equation model.
pub struct TemporalSem {
    recipe: SemRecipe,
    names: Vec<String>,
    graph: Option<PathBuf>,
    windows: usize,
    test_windows: usize,
    steps: usize,
    standardise: bool,
}

impl TemporalSem {
    fn new(params: &Params) -> Result<TemporalSem, Problem> {
        let names = params.texts("names").to_vec();
        let variables = match names.len() {
            0 => params.count("variables"),
            count => count,
        };
        let graph = params.file_if("graph");
        if graph.is_some() && names.is_empty() {
            return Err(Problem::new("`graph` needs `names`")
                .expected("the variables it is over, in the order they shall have"));
        }
        let edges = match graph {
            Some(_) => 0,
            None => params.count("edges"),
        };
        let most = variables * (variables - 1) / 2;
        if edges > most {
            return Err(
                Problem::new(format!("`edges` is {edges}")).expected(format!(
                    "at most {most}: {variables} variables have no more pairs"
                )),
            );
        }
        let recipe = SemRecipe {
            family: params.choice("family"),
            variables,
            edges,
            wiring: params.choice("wiring"),
            lag: params.choice("lag"),
            signal: params.number("signal"),
            intervention: params.choice("intervention"),
            regimes: params.count("regimes"),
            gain: params.number("gain"),
            offset: params.number("offset"),
        };
        Ok(TemporalSem {
            recipe,
            names,
            graph,
            windows: params.count("windows"),
            test_windows: params.count("test-windows"),
            steps: params.count("steps"),
            standardise: params.flag("standardise"),
        })
    }

    fn model(&self, seed: Seed) -> Result<Sem, Problem> {
        let Some(file) = &self.graph else {
            let sem = Sem::draw_model(&self.recipe, seed);
            return Ok(match self.names.is_empty() {
                true => sem,
                false => sem.named(&self.names),
            });
        };
        let truth = true_graph(file, &self.names)?;
        Sem::draw_model_of(&truth.graph, &self.recipe, seed).ok_or_else(|| {
            Problem::new("the graph closes a cycle")
                .in_file(file)
                .expected("one that can be simulated cause by cause")
        })
    }

    /// Windows called `name-0`, `name-1`, … with the regimes in turn.
    fn simulate(&self, sem: &Sem, name: &str, count: usize, seed: Seed) -> RawKeys {
        let ids: Vec<String> = (0..count).map(|w| format!("{name}-{w}")).collect();
        let regimes: Vec<u32> = (0..count)
            .map(|w| (w % self.recipe.regimes) as u32)
            .collect();
        let window = |(id, regime): (&String, &u32)| {
            sem.window(*regime as usize, self.steps, seed.child(id))
        };
        let values = ids.iter().zip(&regimes).flat_map(window).collect();
        RawKeys {
            ids,
            regimes,
            values,
        }
    }

    fn truth(&self, sem: &Sem) -> Truth {
        match self.recipe.intervention {
            Intervention::Hard => Truth::Regimes {
                whole: sem.graph(),
                by_regime: (0..self.recipe.regimes)
                    .map(|regime| sem.graph_in(regime))
                    .collect(),
            },
            Intervention::None | Intervention::Soft => Truth::Graph(sem.graph()),
        }
    }

    fn split(&self, raw: RawKeys, sem: &Sem) -> Result<Split, Problem> {
        let graph = sem.graph();
        let column = raw.regimes.iter().map(u32::to_string).collect();
        let windows = Windows::new(
            graph.variables().to_vec(),
            self.steps,
            raw.regimes,
            raw.values,
        )?;
        let items = Items::new(raw.ids, Inputs::Windows(windows))?;
        Ok(Split::new(items, self.truth(sem))?.with_column(REGIME, column))
    }

    fn even_remark(&self, sem: &Sem) -> String {
        let even = sem
            .mechanisms()
            .filter(|(.., how)| matches!(how, Mechanism::EvenMlp(_)))
            .count();
        format!(
            "family `mix`: 30 % of the mechanisms are even on average (here {even} of {}), and there so that linear methods \
             cannot win",
            sem.mechanisms().count()
        )
    }
}

impl Source for TemporalSem {
    fn kind(&self) -> InputKind {
        InputKind::Windows
    }

    fn offers(&self) -> Question {
        Question::Graph
    }

    fn varies(&self) -> bool {
        true
    }

    fn load(&self, seed: Seed) -> Result<Dataset, Problem> {
        let sem = self.model(seed.child("model"))?;
        let graph = sem.graph();
        let mut fit = self.simulate(&sem, "fit", self.windows, seed.child("windows"));
        let mut test = self.simulate(&sem, "test", self.test_windows, seed.child("windows"));
        let before = varsortability(&graph, &fit.variances(self, &graph)?);
        if self.standardise {
            let scales = fit.scales(self.recipe.variables);
            [&mut fit, &mut test]
                .into_iter()
                .for_each(|raw| raw.rescale(&scales));
        }
        let mut dataset = Dataset::new(Some(self.split(fit, &sem)?), self.split(test, &sem)?)?;
        if let (true, Some(before)) = (self.standardise, before) {
            dataset = dataset.with_remark(format!(
                "varsortability as simulated, before standardising: {before:.2}"
            ));
        }
        if self.recipe.family == MechanismFamily::Mix {
            dataset = dataset.with_remark(self.even_remark(&sem));
        }
        Ok(dataset.described_by(window_summary::independent_windows))
    }
}

/// Windows before they are items.
struct RawKeys {
    ids: Vec<String>,
    regimes: Vec<u32>,
    values: Vec<f64>,
}

impl RawKeys {
    fn variances(&self, part: &TemporalSem, graph: &Graph) -> Result<Vec<f64>, Problem> {
        let names = graph.variables().to_vec();
        let regimes = self.regimes.clone();
        Ok(variances(&Windows::new(
            names,
            part.steps,
            regimes,
            self.values.clone(),
        )?))
    }

    /// Mean and standard deviation of each variable; a variable with a single value keeps its
    /// scale.
    fn scales(&self, variables: usize) -> Vec<(f64, f64)> {
        let of = |variable: usize| {
            let values = self.values.iter().skip(variable).step_by(variables);
            shift_and_scale(&values.copied().collect::<Vec<f64>>())
        };
        (0..variables).map(of).collect()
    }

    fn rescale(&mut self, scales: &[(f64, f64)]) {
        for (at, x) in self.values.iter_mut().enumerate() {
            let (mean, deviation) = scales[at % scales.len()];
            *x = (*x - mean) / deviation;
        }
    }
}
