//! Stress that was applied before the answers were recorded.
//!
//! # What it does
//! Nothing here. It gives a ladder its name and its severities, so that recorded answers can be
//! looked up for each rung and read like any others: curves, areas, break points and claims.
//!
//! # Why it matters
//! Most people come with predictions, not with a model. What pressed on the model then is theirs to
//! say; the report shows such a ladder as stressed elsewhere, so that nobody takes it for something
//! that was checked.
//!
//! # Severity
//! Any numbers at or above 0, in a unit of your own that `unit` says in words. 0 is the clean rung.
//! With `arrangements = 4` the severities are inversions of four units, and each is as many
//! variants as there are orders with that many inversions: `{variant}` in the paths of `recorded`
//! is then the order, from `ABDC` to `DCBA`. Where a text repeats a unit some orders look alike: as
//! with `arrangement`, each distinct one counts once, at its fewest inversions, and what was
//! recorded for the others is left out.
//!
//! # Promise
//! None: what was done elsewhere cannot be checked here.
//!
//! # Example
//! ```toml
//! [ladder.pgd]
//! use        = "elsewhere"
//! severities = ["2/255", "4/255", "8/255"]
//! unit       = "largest change of a pixel"
//! ```
//!
//! # Reference
//! The subject `recorded`, which has the answers.

use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::severity::Severity;
use duress_core::stressor::Stressor;
use duress_text::arrangement::{Permutation, counts_for};

/// The part.
pub static PART: Part = Part {
    name: "elsewhere",
    version: 2,
    fields: &[
        Field {
            name: "unit",
            takes: Takes::Text,
            doc: "what the severity counts, in words; when left out, `as recorded`, or `inversions` of arrangements",
            default: Some(""),
        },
        Field {
            name: "arrangements",
            takes: Takes::Whole(0, 6),
            doc: "how many units were put into another order, each order in a file of its own; 0: not what was done",
            default: Some("0"),
        },
    ],
    source: include_str!("elsewhere.rs"),
    build: Build::Stressor(|params| Ok(elsewhere(params))),
};

fn elsewhere(params: &Params) -> Stressor {
    let variants = orders(params.count("arrangements"));
    let unit = if variants.is_empty() {
        "as recorded"
    } else {
        "inversions"
    };
    Stressor::Elsewhere {
        unit: params.text_if("unit").unwrap_or(unit).into(),
        counts: (!variants.is_empty())
            .then_some(|text: &str, order: &str| counts_for(text, order).unwrap_or(false)),
        variants,
    }
}

/// The orders of some units by their inversions, the original left out.
fn orders(units: usize) -> Vec<(Severity, Vec<String>)> {
    let by = Permutation::by_inversions(units)
        .into_iter()
        .enumerate()
        .skip(1);
    let named = |(inversions, orders): (usize, Vec<Permutation>)| {
        let severity = Severity::new(inversions as f64).ok()?;
        Some((severity, orders.iter().map(ToString::to_string).collect()))
    };
    by.filter_map(named).collect()
}
