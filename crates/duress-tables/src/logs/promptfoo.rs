//! Results of promptfoo: a row for each test and prompt with provider, in no order. A repeat is
//! another test with the same variables, and nothing marks it. `error` holds reasons of assertions
//! too: only `failureReason` 2 and `response.error` mean that a call failed.

use std::collections::HashMap;

use duress_core::answer::{Absence, AbsenceKind};
use duress_core::problem::Problem;
use serde_json::Value;

use super::json::{said_in, text};
use super::{EvalLog, LogProgram, LoggedAnswer};

/// What `failureReason` says of a call that failed.
const CALL_FAILED: u64 = 2;

/// Reads `results.json`.
pub(super) fn read_object(log: &Value) -> Result<EvalLog, Problem> {
    let rows = log.pointer("/results/results").and_then(Value::as_array);
    read_rows(rows.into_iter().flatten())
}

/// Reads rows, of `results.jsonl` or from within `results.json`.
pub(super) fn read_rows<'a>(rows: impl Iterator<Item = &'a Value>) -> Result<EvalLog, Problem> {
    let mut rows: Vec<&Value> = rows.collect();
    let place = |row: &Value| (row["testIdx"].as_u64(), row["promptIdx"].as_u64());
    rows.sort_by_key(|row| place(row));
    let mut first_test: HashMap<String, u64> = HashMap::new();
    let mut times: HashMap<(u64, String), u32> = HashMap::new();
    let mut answers = Vec::new();
    for row in rows {
        let test = row["testIdx"].as_u64();
        let test = test.ok_or_else(|| Problem::new("a row has no `testIdx`"))?;
        let same = format!("{}{}", row["vars"], row["testCase"]["assert"]);
        let item = *first_test.entry(same).or_insert(test);
        let series = series(row);
        let epoch = times.entry((item, series.clone())).or_default();
        *epoch += 1;
        let mut answer = answer(row, item, *epoch);
        answer.series = series;
        answers.push(answer);
    }
    let mut log = EvalLog::new(LogProgram::Promptfoo, answers);
    if log.answers.iter().any(|answer| answer.epoch > 1) {
        log.remarks.push(
            "tests with the same variables and assertions are taken for repeats of one: promptfoo does not mark them".into(),
        );
    }
    Ok(log)
}

/// The provider, and the prompt.
fn series(row: &Value) -> String {
    let provider = &row["provider"];
    let provider = text(provider, "label").filter(|label| !label.is_empty());
    let provider = provider
        .or_else(|| text(&row["provider"], "id"))
        .or(row["provider"].as_str());
    let prompt = text(&row["prompt"], "label").unwrap_or_default();
    format!("{} {}", provider.unwrap_or_default(), prompt.trim())
}

fn answer(row: &Value, item: u64, epoch: u32) -> LoggedAnswer {
    let said = said(row);
    let asked = said_in(&row["prompt"]["raw"]);
    let mut answer = LoggedAnswer::new(format!("test-{item}"), asked, said.clone());
    answer.epoch = epoch;
    let mut score = |name: &str, value: Option<f64>| {
        if let Some(value) = value {
            let value = said.as_ref().map(|_| value).map_err(Clone::clone);
            answer.scores.insert(name.into(), value);
        }
    };
    let success = row["success"].as_bool();
    score(
        "success",
        success.map(|success| f64::from(u8::from(success))),
    );
    score("score", row["score"].as_f64());
    for (name, value) in row["namedScores"].as_object().into_iter().flatten() {
        score(name, value.as_f64());
    }
    let components = row["gradingResult"]["componentResults"].as_array();
    for part in components.into_iter().flatten() {
        if let Some(kind) = text(&part["assertion"], "type") {
            score(
                kind,
                part["pass"].as_bool().map(|pass| f64::from(u8::from(pass))),
            );
        }
    }
    answer
}

fn said(row: &Value) -> Result<String, Absence> {
    let response = &row["response"];
    let failed = row["failureReason"].as_u64() == Some(CALL_FAILED);
    if let Some(error) = text(response, "error").or(text(row, "error").filter(|_| failed)) {
        return Err(Absence::new(AbsenceKind::Failed, error));
    }
    let output = match &response["output"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    if response["isRefusal"] == Value::Bool(true) {
        return Err(Absence::new(AbsenceKind::Refused, output));
    }
    match text(response, "finishReason") {
        Some("content_filter") => Err(Absence::new(AbsenceKind::Refused, output)),
        Some("length") => Err(Absence::new(AbsenceKind::CutOff, "the reply was cut off")),
        _ if output.trim().is_empty() => {
            Err(Absence::new(AbsenceKind::Empty, "the reply holds nothing"))
        }
        _ => Ok(output),
    }
}
