//! A random graph, the floor under every learner.
//!
//! # What it does
//! Draws an order of the variables and random scores that follow it; the strongest are the edges.
//! How many there are never comes from the truth: `edges` says it, or, when that is left out, there
//! are as many as lagged regression chooses on the same windows with its default rule
//! (Benjamini–Hochberg at 0.05 against an empirical null, no cycles); on windows of one step, which
//! that cannot read, as PC finds with its own.
//!
//! # Why it matters
//! An F1 of 0.2 sounds like something until chance reaches it. A learner that does not beat this
//! has learnt nothing.
//!
//! # Promise
//! The graph has no cycle and depends on the seed and on the number of edges alone. Windows that
//! neither can be fitted to are a failure with its reason when `edges` is left out.
//!
//! # Example
//! ```toml
//! [subject.chance]
//! use   = "random"
//! on    = "sensors"
//! edges = 18
//! ```
//!
//! # Reference
//! Erdős and Rényi, *Publicationes Mathematicae* 6 (1959) 290–297.

use duress_core::data::Windows;
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::subject::{Failure, SubjectPart};
use duress_graph::learner::StructureLearner;
use duress_graph::learners::pc::Pc;
use duress_graph::learners::{lagged_regression, random};
use duress_graph::panel::StandardisedPanel;
use duress_graph::select::{EdgeSelection, Null, Rule};

/// The part.
pub static PART: Part = Part {
    name: "random",
    version: 1,
    fields: &[Field {
        name: "edges",
        takes: Takes::Whole(0, 124_750),
        doc: "how many edges there are; 0 means as many as lagged regression, or PC where there is no lag, chooses on the same windows",
        default: Some("0"),
    }],
    source: include_str!("random.rs"),
    build: Build::Subject(|params| {
        let edges = params.count("edges");
        Ok(SubjectPart::Live(Box::new(StructureLearner::new(
            move |windows: &Windows, seed| {
                let (count, what) = match edges {
                    1.. => (edges, format!("{edges} edges, a number the study gives")),
                    0 => {
                        let (count, who) = as_another(&StandardisedPanel::new(windows)?)?;
                        (count, format!("{count} edges, as many as {who} chose"))
                    }
                };
                let mut answer = random::draw_graph(windows.variables(), count, seed)?;
                answer.rule = format!("{}: {what}", answer.rule);
                Ok(answer)
            },
        ))))
    }),
};

/// How many edges a learner chooses without the truth, and which.
fn as_another(panel: &StandardisedPanel) -> Result<(usize, &'static str), Failure> {
    let (answer, who) = match panel.steps() {
        1 => (
            Pc {
                alpha: 0.01,
                depth: 3,
                false_share: None,
            }
            .learn(panel)?,
            "PC",
        ),
        _ => {
            let rule = Rule::FalseShare {
                share: 0.05,
                null: Null::Empirical,
            };
            let selection = EdgeSelection {
                rule,
                acyclic: true,
                stable: 0.0,
            };
            (
                selection.choose(&lagged_regression::regress(panel)?),
                "lagged regression",
            )
        }
    };
    Ok((answer.graph.edges().len(), who))
}
