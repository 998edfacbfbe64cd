//! The items of an evaluation log, with what is right: for answers that a harness has logged.
//!
//! # What it does
//! Reads what was asked from a log of lm-evaluation-harness (`samples_*.jsonl`), Inspect (`.eval`,
//! `.json`), promptfoo (`results.json`, `.jsonl`), Every Eval Ever (`*_samples.jsonl`), HELM
//! (`scenario_state.json`) or the output of a batch. With `form = "choices"` the classes are letters,
//! A for the first choice, and an item's class is that of its right choice; items with several right
//! choices, or with none, are left out and counted. With `"score"` every item's class is `right`:
//! accuracy is then the share of answers that the harness's scorer found right. With `"texts"` what
//! is right are reference texts, for raters.
//!
//! # Why it matters
//! What was run elsewhere, perhaps for much money, gets intervals, paired contrasts and claims without
//! being asked again. The items of one log serve the answers of all that were asked the same.
//!
//! # Promise
//! An item is there once, however many epochs, filters or metrics the log has of it. Nothing is left
//! out without being counted.
//!
//! # Example
//! ```toml
//! [dataset.everyday]
//! use = "logged-items"
//! file = "samples_everyday_mc.jsonl"
//!
//! [subject.small]
//! use = "logged"
//! files = "small/samples_everyday_mc.jsonl"
//! ```
//!
//! # Reference
//! docs/endpoint.md has what is odd about each program's logs.

use std::collections::BTreeSet;
use std::path::PathBuf;

use duress_core::data::{Dataset, InputKind, Inputs, Items, Source, Split, Text};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::truth::{Labels, Truth};
use duress_core::word::Word;
use duress_tables::logs::{self, EvalLog, LoggedAnswer};

use crate::shared::frame::log_form::{LogForm, SCORED, check, letters};

/// The part.
pub static PART: Part = Part {
    name: "logged-items",
    version: 1,
    fields: &[
        Field {
            name: "file",
            takes: Takes::File,
            doc: "the log",
            default: None,
        },
        Field {
            name: "form",
            takes: Takes::Choice(LogForm::spellings),
            doc: "what answers are taken for",
            default: Some("choices"),
        },
    ],
    source: include_str!("logged_items.rs"),
    build: Build::Dataset(|params| Ok(Box::new(LoggedItems::new(params)))),
};

struct LoggedItems {
    file: PathBuf,
    form: LogForm,
}

impl LoggedItems {
    fn new(params: &Params) -> LoggedItems {
        LoggedItems {
            file: params.file("file"),
            form: params.choice("form"),
        }
    }

    /// What is right about items.
    fn truth(&self, log: &EvalLog, items: &[&LoggedAnswer]) -> Result<Truth, Problem> {
        let labels = |classes: Vec<String>, of: Vec<u32>| {
            Labels::new(classes, of)
                .map(Truth::Labels)
                .map_err(Problem::new)
        };
        match self.form {
            LogForm::Texts => {
                let references = items.iter().map(|item| item.target.clone());
                Ok(Truth::References(references.collect()))
            }
            LogForm::Score => labels(SCORED.map(String::from).to_vec(), vec![1; items.len()]),
            LogForm::Choices => {
                let right = items.iter().filter_map(|item| item.right);
                labels(letters(log), right.map(|class| class as u32).collect())
            }
        }
    }
}

impl Source for LoggedItems {
    fn kind(&self) -> InputKind {
        InputKind::Texts
    }

    fn offers(&self) -> Question {
        self.form.question()
    }

    fn varies(&self) -> bool {
        false
    }

    fn load(&self, _seed: Seed) -> Result<Dataset, Problem> {
        let log = logs::read(&self.file)?;
        check(&log, self.form, &self.file)?;
        let mut seen = BTreeSet::new();
        let once = log
            .answers
            .iter()
            .filter(|answer| seen.insert(&answer.item));
        let all: Vec<&LoggedAnswer> = once.collect();
        let has_truth = |item: &&&LoggedAnswer| match self.form {
            LogForm::Choices => item.right.is_some(),
            LogForm::Score | LogForm::Texts => true,
        };
        let items: Vec<&LoggedAnswer> = all.iter().filter(has_truth).copied().collect();
        let ids = items.iter().map(|item| item.item.clone()).collect();
        let texts = items
            .iter()
            .map(|item| Text::new(item.text.as_str()))
            .collect();
        let split = Split::new(
            Items::new(ids, Inputs::Texts(texts))?,
            self.truth(&log, &items)?,
        )
        .map_err(|problem| problem.in_file(&self.file))?;
        let left = all.len() - items.len();
        let left = (left > 0).then(|| {
            format!(
                "{left} of {} items have not one right choice, and are left out",
                all.len()
            )
        });
        let mut dataset = Dataset::new(None, split)?;
        for remark in log.remarks.iter().cloned().chain(left) {
            dataset = dataset.with_remark(remark);
        }
        Ok(dataset)
    }
}
