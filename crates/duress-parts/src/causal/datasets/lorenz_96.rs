//! Windows from Lorenz-96, a chaotic system of variables on a circle, with its graph.
//!
//! # What it does
//! dx_i/dt = (x_{i+1} − x_{i−2}) x_{i−1} − x_i + `force`, by a Runge–Kutta method of the fourth order,
//! read every `interval` of time. Each window has a start of its own and is read once it is on the
//! attractor. Three variables act on each: the next one and the two before.
//!
//! # Why it matters
//! Nothing here was made for any learner: messages multiply, act within a step, and close cycles. The
//! usual test of methods for nonlinear time series.
//!
//! # Promise
//! The truth is that of the equations. Read at a coarse `interval`, effects of effects are in the data
//! too, and no learner can tell them apart.
//!
//! # Example
//! ```toml
//! [dataset.circle]
//! use       = "lorenz-96"
//! variables = 10
//! force     = 10
//! ```
//!
//! # Reference
//! E. N. Lorenz, "Predictability: a problem partly solved", ECMWF seminar on predictability, 1996.

use duress_core::data::{Dataset, InputKind, Inputs, Items, REGIME, Source, Split, Windows};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::truth::Truth;
use duress_graph::lorenz::Lorenz96;

use crate::causal::frame::window_summary;

/// The part.
pub static PART: Part = Part {
    name: "lorenz-96",
    version: 1,
    fields: &[
        Field {
            name: "variables",
            takes: Takes::Whole(4, 1000),
            doc: "how many variables there are on the circle",
            default: Some("10"),
        },
        Field {
            name: "force",
            takes: Takes::Number(0.0, 100.0),
            doc: "what drives all variables: chaotic from about 8 on",
            default: Some("10"),
        },
        Field {
            name: "interval",
            takes: Takes::Number(0.001, 10.0),
            doc: "time between two steps of a window",
            default: Some("0.1"),
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
    ],
    source: include_str!("lorenz_96.rs"),
    build: Build::Dataset(|params| {
        Ok(Box::new(Circle {
            system: Lorenz96 {
                variables: params.count("variables"),
                force: params.number("force"),
                interval: params.number("interval"),
            },
            windows: params.count("windows"),
            test_windows: params.count("test-windows"),
            steps: params.count("steps"),
        }))
    }),
};

struct Circle {
    system: Lorenz96,
    windows: usize,
    test_windows: usize,
    steps: usize,
}

impl Circle {
    /// Windows called `name-0`, `name-1`, …
    fn split(&self, name: &str, count: usize, seed: Seed) -> Result<Split, Problem> {
        let graph = self.system.graph();
        let ids: Vec<String> = (0..count).map(|w| format!("{name}-{w}")).collect();
        let values = ids
            .iter()
            .flat_map(|id| self.system.window(self.steps, seed.child(id)))
            .collect();
        let names = graph.variables().to_vec();
        let windows = Windows::new(names, self.steps, vec![0; count], values)?;
        let items = Items::new(ids, Inputs::Windows(windows))?;
        let regimes = vec!["0".into(); count];
        Ok(Split::new(items, Truth::Graph(graph))?.with_column(REGIME, regimes))
    }
}

impl Source for Circle {
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
        let fit = self.split("fit", self.windows, seed)?;
        let test = self.split("test", self.test_windows, seed)?;
        let remark = "the graph closes cycles, so `sid` and `shd-cpdag` have no value, and learners that leave cycles out cannot find all of it";
        Ok(Dataset::new(Some(fit), test)?
            .with_remark(remark)
            .described_by(window_summary::independent_windows))
    }
}
