//! Samples of Every Eval Ever: a line for each sample, epoch and metric. Epoch and filter stand in
//! `metadata`, as texts; of several-turn samples the answer is in `messages`.

use std::collections::BTreeMap;

use duress_core::answer::{Absence, AbsenceKind};
use duress_core::problem::Problem;
use serde_json::Value;

use super::json::{NumberedLine, one_or_several, said_in, text};
use super::{EvalLog, LogProgram, LoggedAnswer};

/// What lm-evaluation-harness writes where a filter found nothing; converters pass it on.
const INVALID: &str = "[invalid]";

pub(super) fn read(lines: &[NumberedLine]) -> Result<EvalLog, Problem> {
    let mut answers: Vec<LoggedAnswer> = Vec::new();
    let mut places: BTreeMap<(String, u32), usize> = BTreeMap::new();
    for (at, line) in lines {
        let id = text(line, "sample_id")
            .ok_or_else(|| Problem::new("a line has no `sample_id`").on_line(*at))?;
        let epoch = text(&line["metadata"], "epoch").and_then(|epoch| epoch.parse().ok());
        let key = (id.to_string(), epoch.unwrap_or(1));
        let place = *places.entry(key.clone()).or_insert_with(|| {
            answers.push(answer(line, &key));
            answers.len() - 1
        });
        let metric = text(line, "evaluation_result_id").or_else(|| text(line, "evaluation_name"));
        let metric = metric.unwrap_or("score").to_string();
        let scored = scored(line);
        answers[place].scores.insert(metric, scored);
    }
    Ok(EvalLog::new(LogProgram::EveryEvalEver, answers))
}

fn answer(line: &Value, (id, epoch): &(String, u32)) -> LoggedAnswer {
    let input = &line["input"];
    let asked = said_in(&input["raw"]);
    let mut answer = LoggedAnswer::new(id.clone(), asked, said(line));
    answer.epoch = *epoch;
    answer.choices = one_or_several(input.get("choices").filter(|choices| !choices.is_null()));
    answer.target = one_or_several(input.get("reference"));
    if !answer.choices.is_empty() {
        // The reference is a position, and the answer the text of a choice.
        let position = |text: &String| answer.choices.iter().position(|choice| choice == text);
        let right = answer.target.first();
        let number = right.and_then(|right| right.parse().ok());
        answer.right = number
            .filter(|at| *at < answer.choices.len())
            .or(right.and_then(position));
        let none = || Absence::new(AbsenceKind::Unparsable, "the answer is none of the choices");
        let chosen = |said: &String| position(said).map(|class| (class, None)).ok_or_else(none);
        answer.chosen = Some(match &answer.said {
            Ok(said) => chosen(said),
            Err(absence) => Err(absence.clone()),
        });
    }
    answer
}

fn said(line: &Value) -> Result<String, Absence> {
    if let Some(error) = line.get("error").filter(|error| !error.is_null()) {
        let why = error
            .as_str()
            .map_or_else(|| error.to_string(), String::from);
        return Err(Absence::new(AbsenceKind::Failed, why));
    }
    let raw = one_or_several(line.pointer("/output/raw"));
    let last = line["messages"]
        .as_array()
        .and_then(|messages| messages.last());
    let said = raw
        .first()
        .cloned()
        .or_else(|| last.map(|last| said_in(&last["content"])));
    let said = said.unwrap_or_default();
    match text(&line["metadata"], "stop_reason") {
        Some("content_filter") => Err(Absence::new(AbsenceKind::Refused, said)),
        Some("max_tokens" | "length") => {
            Err(Absence::new(AbsenceKind::CutOff, "the reply was cut off"))
        }
        Some("model_length") => Err(Absence::new(AbsenceKind::TooLong, said)),
        _ if said == INVALID => Err(Absence::new(
            AbsenceKind::Unparsable,
            "the filter found no answer in it",
        )),
        _ if said.trim().is_empty() => {
            Err(Absence::new(AbsenceKind::Empty, "the reply holds nothing"))
        }
        _ => Ok(said),
    }
}

fn scored(line: &Value) -> Result<f64, Absence> {
    said(line)?;
    let score = line.pointer("/evaluation/score").and_then(Value::as_f64);
    score.ok_or_else(|| Absence::new(AbsenceKind::Failed, "it was not scored"))
}
