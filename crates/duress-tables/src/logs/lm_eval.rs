//! Samples of lm-evaluation-harness: a line for each document and filter. Log-likelihoods are texts,
//! and what a filter could not read is `[invalid]`.
//!
//! Before 0.4.4 no line says which filter it is of: then all documents come once for the first, once
//! for the second, and so on.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use duress_core::answer::{Absence, AbsenceKind};
use duress_core::problem::Problem;
use serde_json::Value;

use super::json::{NumberedLine, said_in, text, text_or_number};
use super::{EvalLog, LogProgram, LoggedAnswer};

/// What a filter writes that found nothing.
const INVALID: &str = "[invalid]";

pub(super) fn read(lines: &[NumberedLine], _file: &Path) -> Result<EvalLog, Problem> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut answers: Vec<LoggedAnswer> = Vec::new();
    let mut places: BTreeMap<(String, u32), usize> = BTreeMap::new();
    let several = has_several_filters(lines);
    for (at, line) in lines {
        let sample = Sample::read(line).map_err(|problem| problem.on_line(*at))?;
        let nth = seen.entry(sample.item.clone()).or_default();
        *nth += 1;
        let filter = text(line, "filter").map_or_else(|| format!("filter {nth}"), String::from);
        for mut answer in sample.answers() {
            if answer.epoch == 1 {
                answer.scores = scores(line, &filter, several, &sample.filtered());
            }
            let key = (answer.item.clone(), answer.epoch);
            match places.get(&key) {
                Some(place) => answers[*place].scores.extend(answer.scores),
                None => {
                    places.insert(key, answers.len());
                    answers.push(answer);
                }
            }
        }
    }
    Ok(EvalLog::new(LogProgram::LmEval, answers))
}

fn has_several_filters(lines: &[NumberedLine]) -> bool {
    let first = lines.first().and_then(|(_, line)| line.get("doc_id"));
    let same = lines.iter().filter(|(_, line)| line.get("doc_id") == first);
    same.count() > 1
}

/// A line that is one of these has the values of metrics beside its own keys.
const OWN_KEYS: [&str; 11] = [
    "doc_id",
    "doc",
    "target",
    "arguments",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
    "doc_hash",
    "prompt_hash",
    "target_hash",
];

fn scores(
    line: &Value,
    filter: &str,
    several: bool,
    filtered: &[String],
) -> BTreeMap<String, Result<f64, Absence>> {
    let invalid = filtered.iter().any(|text| text == INVALID);
    let unread = || Absence::new(AbsenceKind::Unparsable, "the filter found no answer in it");
    let named = |(metric, value): (&String, &Value)| {
        let name = match several {
            true => format!("{metric},{filter}"),
            false => metric.clone(),
        };
        let value = value.as_f64()?;
        Some((name, if invalid { Err(unread()) } else { Ok(value) }))
    };
    let metrics = line.as_object().into_iter().flatten();
    let metrics = metrics.filter(|(key, _)| !OWN_KEYS.contains(&key.as_str()));
    metrics.filter_map(named).collect()
}

/// A line.
struct Sample<'a> {
    item: String,
    line: &'a Value,
    responses: &'a [Value],
}

impl Sample<'_> {
    fn read(line: &Value) -> Result<Sample<'_>, Problem> {
        let lacks = |key: &str| Problem::new(format!("the sample has no `{key}`"));
        let number = line.get("doc_id").and_then(text_or_number);
        let number = number.ok_or_else(|| lacks("doc_id"))?;
        let own = line.pointer("/doc/id").and_then(text_or_number);
        let responses = line.get("resps").and_then(Value::as_array);
        Ok(Sample {
            item: own.unwrap_or(number),
            line,
            responses: responses.ok_or_else(|| lacks("resps"))?,
        })
    }

    /// What was said each time, or which choice was taken.
    fn answers(&self) -> Vec<LoggedAnswer> {
        match self.log_likelihoods() {
            Some(likelihoods) => vec![self.choice(&likelihoods)],
            None => self.texts(),
        }
    }

    fn prompt(&self) -> String {
        let prompt = self.line.pointer("/arguments/gen_args_0/arg_0");
        let prompt = prompt.or_else(|| self.line.pointer("/arguments/0/0"));
        match prompt {
            // With a chat template this is a list with one text that is JSON itself.
            Some(Value::Array(list)) => {
                let inner = list.first().and_then(Value::as_str).unwrap_or_default();
                serde_json::from_str(inner).map_or_else(|_| inner.into(), |chat| said_in(&chat))
            }
            Some(value) => said_in(value),
            None => String::new(),
        }
    }

    fn target(&self) -> Option<String> {
        self.line.get("target").and_then(text_or_number)
    }

    fn filtered(&self) -> Vec<String> {
        let filtered = self.line.get("filtered_resps").and_then(Value::as_array);
        filtered
            .into_iter()
            .flatten()
            .filter_map(text_or_number)
            .collect()
    }

    /// The log-likelihood of each choice, where choices were compared; they are texts, or numbers.
    fn log_likelihoods(&self) -> Option<Vec<f64>> {
        let one = |request: &Value| {
            let value = request.get(0)?.get(0)?;
            match value {
                Value::String(text) => text.parse().ok(),
                value => value.as_f64(),
            }
        };
        let pairs = |request: &Value| request.get(0).is_some_and(Value::is_array);
        let all = !self.responses.is_empty() && self.responses.iter().all(pairs);
        all.then(|| self.responses.iter().map(one).collect())
            .flatten()
    }

    fn choice(&self, likelihoods: &[f64]) -> LoggedAnswer {
        let choices: Vec<String> = (0..likelihoods.len())
            .map(|at| self.continuation(at).trim().to_string())
            .collect();
        let (class, sure) = likeliest(likelihoods);
        let target = self.target().unwrap_or_default();
        let mut answer =
            LoggedAnswer::new(self.item.clone(), self.prompt(), Ok(choices[class].clone()));
        answer.right = target.parse().ok().filter(|right| *right < choices.len());
        answer.target = answer
            .right
            .map(|right| choices[right].clone())
            .into_iter()
            .collect();
        answer.chosen = Some(Ok((class, Some(sure))));
        answer.choices = choices;
        answer
    }

    fn continuation(&self, at: usize) -> String {
        let named = self
            .line
            .pointer(&format!("/arguments/gen_args_{at}/arg_1"));
        let listed = || self.line.pointer(&format!("/arguments/{at}/1"));
        let text = named.or_else(listed).and_then(Value::as_str);
        text.unwrap_or_default().into()
    }

    fn texts(&self) -> Vec<LoggedAnswer> {
        let repeats = self.responses.first().map_or(&[][..], |first| match first {
            Value::Array(repeats) => repeats.as_slice(),
            one => std::slice::from_ref(one),
        });
        let answer = |(epoch, said): (u32, &Value)| {
            let said = text_or_number(said).filter(|said| !said.trim().is_empty());
            let none = || Absence::new(AbsenceKind::Empty, "the reply holds nothing");
            let mut answer =
                LoggedAnswer::new(self.item.clone(), self.prompt(), said.ok_or_else(none));
            answer.epoch = epoch;
            answer.target = self.target().into_iter().collect();
            answer
        };
        (1..).zip(repeats).map(answer).collect()
    }
}

/// The likeliest choice, the first of equally likely ones, and its share of the probability.
fn likeliest(likelihoods: &[f64]) -> (usize, f64) {
    let better = |best: usize, (at, log): (usize, &f64)| match *log > likelihoods[best] {
        true => at,
        false => best,
    };
    let best = likelihoods.iter().enumerate().fold(0, better);
    let all: f64 = likelihoods
        .iter()
        .map(|log| (log - likelihoods[best]).exp())
        .sum();
    (best, 1.0 / all)
}
