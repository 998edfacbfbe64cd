//! Answers from the log of an evaluation harness.
//!
//! # What it does
//! Looks up what a model said in a log of lm-evaluation-harness (`samples_*.jsonl`), Inspect
//! (`.eval`, `.json`), promptfoo (`results.json`, `.jsonl`), Every Eval Ever (`*_samples.jsonl`),
//! HELM (`scenario_state.json`), or in the output of a batch of OpenAI's or vLLM's. `files` is a path
//! in which `{subject}`, `{seed}`, `{ladder}`, `{severity}` and `{variant}` are filled in, as for
//! `recorded`. With `form = "choices"` the answer is the letter of the choice that was taken, with
//! its share of the probability where log-likelihoods were compared. With `"score"` it is `right` or
//! `wrong`, as `score` says, which has to be 0 or 1. With `"texts"` it is what was said.
//!
//! Where a log has several epochs, the study's seeds say which: `seeds = [1, 2, 3]`. Where it has
//! several models or prompts, `series` says whose answers are meant.
//!
//! # Why it matters
//! Harnesses count a refusal, a reply that was cut off and an error of the server as wrong answers, and
//! each does it in another way. Here they are absent, with their kind, and counted beside the number.
//!
//! # Promise
//! What is no answer has no score, whatever the harness's scorer made of it. An item that the log does
//! not have is absent. A killed or failed run is read as far as it came, and that is said.
//!
//! # Example
//! ```toml
//! [subject.tiny]
//! use = "logged"
//! files = "samples_everyday_gen.jsonl"
//! form = "score"
//! score = "exact_match,strict"      # metric and filter, where there are several
//! ```
//!
//! # Reference
//! The logs of lm-evaluation-harness 0.4.3 to 0.4.13, Inspect 0.3.130 to 0.3.285, promptfoo 0.121,
//! Every Eval Ever 0.3, HELM 0.5; docs/endpoint.md.

use std::collections::HashMap;
use std::path::PathBuf;

use duress_core::answer::{Answers, ItemAnswer, ItemForm};
use duress_core::data::Items;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::subject::{Circumstances, Recording, SubjectPart};
use duress_core::word::Word;
use duress_tables::logs::{self, EvalLog, LoggedAnswer};

use crate::shared::frame::log_form::{
    LogForm, SCORED, check, item_answer, letters, score, series, unrecorded,
};
use crate::shared::frame::recorded_files::{CLEAN, RecordedFiles};

/// The part.
pub static PART: Part = Part {
    name: "logged",
    version: 1,
    fields: &[
        Field {
            name: "files",
            takes: Takes::Text,
            doc: "the log, with {subject}, {seed}, {ladder}, {severity} and {variant} to be filled in",
            default: None,
        },
        CLEAN,
        Field {
            name: "form",
            takes: Takes::Choice(LogForm::spellings),
            doc: "what answers are taken for",
            default: Some("choices"),
        },
        Field {
            name: "score",
            takes: Takes::Text,
            doc: "the score that says what is right, for `form = \"score\"`; when left out, the only one",
            default: Some(""),
        },
        Field {
            name: "classes",
            takes: Takes::Texts,
            doc: "the letters of the dataset's choices, where this log has fewer, as one of a run that was ended has",
            default: Some(""),
        },
        Field {
            name: "series",
            takes: Takes::Text,
            doc: "whose answers, in a log with several models or prompts",
            default: Some(""),
        },
    ],
    source: include_str!("logged.rs"),
    build: Build::Subject(|params| Ok(SubjectPart::Recorded(Box::new(Logged::new(params)?)))),
};

struct Logged {
    files: RecordedFiles,
    form: LogForm,
    score: Option<String>,
    series: Option<String>,
    classes: Vec<String>,
}

impl Logged {
    fn new(params: &Params) -> Result<Logged, Problem> {
        let text = |key| params.text_if(key).map(String::from);
        Ok(Logged {
            files: RecordedFiles::new(params)?,
            form: params.choice("form"),
            score: text("score"),
            series: text("series"),
            classes: params.texts("classes").to_vec(),
        })
    }

    fn log(&self, at: &Circumstances) -> Result<(EvalLog, PathBuf), Problem> {
        let path = self.files.own_path(at)?;
        let log = logs::read(&path)?;
        check(&log, self.form, &path)?;
        Ok((log, path))
    }

    /// The answers that are meant, by item.
    fn meant<'a>(
        &self,
        log: &'a EvalLog,
        seed: u64,
    ) -> Result<HashMap<&'a str, &'a LoggedAnswer>, Problem> {
        let series = series(log, self.series.as_deref())?;
        let own = || log.answers.iter().filter(|answer| answer.series == series);
        let epochs = own().map(|answer| answer.epoch).max().unwrap_or(1);
        let epoch = if epochs > 1 { seed } else { 1 };
        let meant = own().filter(|answer| u64::from(answer.epoch) == epoch);
        let by_item: HashMap<&str, &LoggedAnswer> =
            meant.map(|answer| (answer.item.as_str(), answer)).collect();
        match by_item.is_empty() {
            true => Err(
                Problem::new(format!("the log has no epoch {seed}")).expected(format!(
                    "seeds from 1 to {epochs}: they say which epoch is meant"
                )),
            ),
            false => Ok(by_item),
        }
    }

    fn form_of(&self, log: &EvalLog) -> ItemForm {
        match self.form {
            LogForm::Choices if !self.classes.is_empty() => ItemForm::Labels(self.classes.clone()),
            LogForm::Choices => ItemForm::Labels(letters(log)),
            LogForm::Score => ItemForm::Labels(SCORED.map(String::from).to_vec()),
            LogForm::Texts => ItemForm::Texts,
        }
    }
}

impl Recording for Logged {
    fn answers(&self) -> Vec<Question> {
        vec![self.form.question()]
    }

    fn sources(&self, at: &Circumstances) -> Result<Vec<PathBuf>, Problem> {
        Ok(vec![self.files.own_path(at)?])
    }

    fn look_up(
        &self,
        at: &Circumstances,
        _question: Question,
        items: &Items,
    ) -> Result<Answers, Problem> {
        let (log, path) = self.log(at)?;
        let here = |problem: Problem| problem.in_file(&path);
        let score = match self.form {
            LogForm::Score => score(&log, self.score.as_deref()).map_err(here)?,
            LogForm::Choices | LogForm::Texts => String::new(),
        };
        let meant = self.meant(&log, at.seed).map_err(here)?;
        let none = || ItemAnswer::Absent(unrecorded("the log has no answer about it"));
        let answer = |id: &str| match meant.get(id) {
            Some(answer) => item_answer(answer, self.form, &score).map_err(here),
            None => Ok(none()),
        };
        let said = items
            .ids()
            .iter()
            .map(answer)
            .collect::<Result<Vec<_>, _>>()?;
        Ok(self.form_of(&log).answers(said))
    }

    fn remarks(&self, at: &Circumstances, _answers: &Answers) -> Vec<String> {
        self.log(at)
            .map_or_else(|_| Vec::new(), |(log, _)| log.remarks)
    }
}
