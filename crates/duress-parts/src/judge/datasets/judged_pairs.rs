//! Pairs of responses of which one is better, from files as JudgeBench, RewardBench, LLMBar and
//! MT-Bench have them.
//!
//! # What it does
//! Gives each first response as a text with the second beside it, as `other`, and the `prompt`. Which
//! of the two is better is the truth, and sealed. RewardBench 2 gives a pair for each wrong response;
//! votes of MT-Bench about one pair and turn are counted together. RewardBench says which response
//! was chosen and not which stood first: that alternates by id.
//!
//! # Why it matters
//! A judge of pairs is right or wrong about them, and the same in both orders or not:
//! `both-orders-accuracy`, `order-consistency`, `first-slot-preference`.
//!
//! # Promise
//! A row that is no pair is listed with its reason, and the rest is read.
//!
//! # Example
//! ```toml
//! [dataset.pairs]
//! use = "judged-pairs"
//! file = "judgebench.jsonl"
//! ```
//!
//! # Reference
//! S. Tan et al., JudgeBench, 2024; N. Lambert et al., RewardBench, 2024; Z. Zeng et al., LLMBar,
//! 2023; L. Zheng et al., MT-Bench, 2023.

use std::path::PathBuf;

use duress_core::data::{Dataset, InputKind, Inputs, Items, Split, Text};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::truth::{Labels, Truth};
use duress_core::word::Word;
use duress_tables::pairs::{BetterResponse, ResponsePair, read_pairs};

use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "judged-pairs",
    version: 1,
    fields: &[Field {
        name: "file",
        takes: Takes::Text,
        doc: "the pairs, relative to the study: JSON lines, or one JSON list",
        default: None,
    }],
    source: include_str!("judged_pairs.rs"),
    build: Build::Dataset(|params| {
        let file = params.folder().join(params.text("file"));
        Ok(FixedSource::boxed(
            InputKind::Texts,
            Question::Ratings,
            JudgedPairs { file },
        ))
    }),
};

/// How many rows that are no pair are named.
const NAMED: usize = 5;

struct JudgedPairs {
    file: PathBuf,
}

impl Load for JudgedPairs {
    fn load(&self) -> Result<Dataset, Problem> {
        let read = read_pairs(&self.file)?;
        let text = |pair: &ResponsePair| {
            Text::new(pair.first.as_str())
                .with("other", pair.second.as_str())
                .with("prompt", pair.prompt.as_str())
        };
        let better = |pair: &ResponsePair| {
            let at = BetterResponse::ALL
                .iter()
                .position(|one| *one == pair.better);
            at.unwrap_or_default() as u32
        };
        let classes = BetterResponse::spellings()
            .into_iter()
            .map(String::from)
            .collect();
        let labels = Labels::new(classes, read.pairs.iter().map(better).collect());
        let items = Items::new(
            read.pairs.iter().map(|pair| pair.id.clone()).collect(),
            Inputs::Texts(read.pairs.iter().map(text).collect()),
        )?;
        let split = Split::new(items, Truth::Labels(labels.map_err(Problem::new)?))?;
        let groups = read.pairs.iter().map(|pair| pair.group.clone()).collect();
        let dataset = Dataset::new(None, split.with_column("group", groups))?;
        Ok(match read.left_out.is_empty() {
            true => dataset,
            false => {
                let named = read.left_out.iter().take(NAMED);
                let named: Vec<String> = named.map(|(row, why)| format!("{row}: {why}")).collect();
                let count = read.left_out.len();
                dataset.with_remark(format!("{count} rows are no pairs: {}", named.join("; ")))
            }
        })
    }
}
