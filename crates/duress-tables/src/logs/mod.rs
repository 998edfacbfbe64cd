//! Logs of evaluation harnesses: what a model was asked, what it said and how that was scored.
//!
//! Each program has a file here that knows its log; all of them become one [`EvalLog`], in which what
//! is no answer has its kind. Which program wrote a file is told from what stands in it.

pub mod batch;
mod every_eval_ever;
mod helm;
mod inspect;
mod json;
mod lm_eval;
mod promptfoo;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use duress_core::answer::Absence;
use duress_core::problem::Problem;
use serde_json::Value;

duress_core::words! {
    /// Who wrote a log.
    pub enum LogProgram {
        /// EleutherAI's lm-evaluation-harness.
        LmEval = "lm-evaluation-harness",
        /// Inspect.
        Inspect = "Inspect",
        /// promptfoo.
        Promptfoo = "promptfoo",
        /// Every Eval Ever.
        EveryEvalEver = "Every Eval Ever",
        /// Batches of OpenAI's or vLLM's.
        Batch = "batch",
        /// HELM.
        Helm = "HELM",
    }
}

/// What a log tells.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalLog {
    /// Who wrote it.
    pub program: LogProgram,
    /// All answers, in the order of the file.
    pub answers: Vec<LoggedAnswer>,
    /// What a reader should know.
    pub remarks: Vec<String>,
}

/// One answer about one item.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedAnswer {
    /// The item.
    pub item: String,
    /// Which time it was asked about, from 1.
    pub epoch: u32,
    /// Whose answer it is, and to which prompt, where a log has several.
    pub series: String,
    /// What was asked.
    pub text: String,
    /// The answers to choose from.
    pub choices: Vec<String>,
    /// What would be right: texts.
    pub target: Vec<String>,
    /// Which of the choices is right, where that is one.
    pub right: Option<usize>,
    /// What was said.
    pub said: Result<String, Absence>,
    /// Which of the choices was taken, and how sure that was.
    pub chosen: Option<Result<(usize, Option<f64>), Absence>>,
    /// How it was scored, by the name of the score.
    pub scores: BTreeMap<String, Result<f64, Absence>>,
}

impl LoggedAnswer {
    /// An answer about which nothing is known yet but what was asked.
    fn new(item: String, text: String, said: Result<String, Absence>) -> LoggedAnswer {
        LoggedAnswer {
            item,
            epoch: 1,
            series: String::new(),
            text,
            choices: Vec::new(),
            target: Vec::new(),
            right: None,
            said,
            chosen: None,
            scores: BTreeMap::new(),
        }
    }
}

impl EvalLog {
    fn new(program: LogProgram, answers: Vec<LoggedAnswer>) -> EvalLog {
        EvalLog {
            program,
            answers,
            remarks: Vec::new(),
        }
    }

    /// Whose answers there are.
    pub fn series(&self) -> BTreeSet<&str> {
        self.answers.iter().map(|one| one.series.as_str()).collect()
    }

    /// The scores that some answer has.
    pub fn scores(&self) -> BTreeSet<&str> {
        let names = self.answers.iter().flat_map(|one| one.scores.keys());
        names.map(String::as_str).collect()
    }
}

/// Reads a log, whoever wrote it.
pub fn read(file: &Path) -> Result<EvalLog, Problem> {
    let ending = file.extension().and_then(|ending| ending.to_str());
    let log = match ending {
        Some("eval") => inspect::read_archive(file),
        Some("json") => read_object(file),
        Some("jsonl" | "ndjson") => read_lines(file),
        Some("csv") => Err(Problem::new("a table is no log")
            .expected("the .json or .jsonl that promptfoo writes beside it: its CSV does not say which calls failed; other tables are for `recorded`")),
        _ => Err(
            Problem::new("the ending of the name does not say what kind of log it is")
                .expected("a name that ends in .eval, .json or .jsonl"),
        ),
    };
    let log = log.map_err(|problem| problem.in_file(file))?;
    match log.answers.is_empty() {
        true => Err(Problem::new("there is no answer in this log").in_file(file)),
        false => Ok(log),
    }
}

fn unknown(found: &str) -> Problem {
    Problem::new(format!("this is no log that is known: {found}")).expected(
        "samples of lm-evaluation-harness, a log of Inspect, results of promptfoo, samples of Every Eval Ever, outputs of a batch, or a scenario_state.json of HELM",
    )
}

fn read_object(file: &Path) -> Result<EvalLog, Problem> {
    let log = json::read_whole(file)?;
    if log.get("eval").is_some() && log.get("samples").is_some() {
        return inspect::read_object(&log);
    }
    if log.pointer("/results/results").is_some() {
        return promptfoo::read_object(&log);
    }
    match log.get("request_states") {
        Some(Value::Array(states)) => helm::read(states),
        _ => Err(unknown(
            "it has neither `samples`, `results` nor `request_states`",
        )),
    }
}

fn read_lines(file: &Path) -> Result<EvalLog, Problem> {
    let lines = json::read_lines(file)?;
    let has = |key: &str| {
        lines
            .first()
            .is_some_and(|(_, line)| line.get(key).is_some())
    };
    match () {
        () if has("doc_id") => lm_eval::read(&lines, file),
        () if has("sample_id") => every_eval_ever::read(&lines),
        () if has("custom_id") => batch::read(&lines, file),
        () if has("testIdx") => promptfoo::read_rows(lines.iter().map(|(_, line)| line)),
        () => Err(unknown(
            "its lines have neither `doc_id`, `sample_id`, `custom_id` nor `testIdx`",
        )),
    }
}
