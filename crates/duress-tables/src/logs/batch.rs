//! Outputs of batches: OpenAI's, whose failures stand in another file and whose order is not the
//! input's, and vLLM's, whose failures stand in the same file and whose `error` is an object or a
//! text. What was asked stands in the input, which is looked for beside the output.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use duress_core::answer::{Absence, AbsenceKind};
use duress_core::problem::Problem;
use serde_json::{Value, json};

use super::json::{NumberedLine, read_lines, said_in, text};
use super::{EvalLog, LogProgram, LoggedAnswer};

/// A line of a file of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchRow {
    /// Its number in the file, from 1.
    pub line: usize,
    /// Its `custom_id`.
    pub id: String,
    /// What it tells.
    pub content: BatchContent,
}

/// What a line of a file of a batch tells.
#[derive(Clone, Debug, PartialEq)]
pub enum BatchContent {
    /// What is asked: it is a line of an input.
    Asked,
    /// A reply, or an error, with its status.
    Came(u16, Value),
    /// Nobody was asked: the batch ran out of time, or was ended.
    NotAsked,
}

/// The lines of a file of a batch, an input or an output, of OpenAI's or of vLLM's.
pub fn read_rows(file: &Path) -> Result<Vec<BatchRow>, Problem> {
    let row = |(line, value): NumberedLine| {
        let wrong = |what: &str| Problem::new(what).on_line(line);
        let id = text(&value, "custom_id").ok_or_else(|| wrong("a line has no `custom_id`"))?;
        let id = id.to_string();
        let content = content(value).map_err(|bad| wrong(&bad.to_string()))?;
        Ok(BatchRow { line, id, content })
    };
    let rows = read_lines(file).and_then(|lines| lines.into_iter().map(row).collect());
    rows.map_err(|problem: Problem| problem.in_file(file))
}

/// What is wrong with a line of a file of a batch.
enum BadRow {
    NeitherSide,
    Status(Value),
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadRow::NeitherSide => f.write_str(
                "a line has neither `method`, as inputs have, nor `response` or `error`, as outputs have",
            ),
            BadRow::Status(status) => write!(f, "`status_code` is {status}, which is none of HTTP"),
        }
    }
}

fn content(mut line: Value) -> Result<BatchContent, BadRow> {
    if line.get("method").is_some() {
        return Ok(BatchContent::Asked);
    }
    let status = line.pointer("/response/status_code").map(status);
    let status = status.transpose()?.flatten();
    if let Some(error) = line.get("error").filter(|error| !error.is_null()) {
        return Ok(match text(error, "code") {
            Some("batch_expired" | "batch_cancelled") => BatchContent::NotAsked,
            // vLLM's stands inside another of the same name, or is a text.
            _ if error.get("error").is_some() => BatchContent::Came(failed(status), error.clone()),
            _ => BatchContent::Came(failed(status), json!({ "error": error })),
        });
    }
    let body = line.pointer_mut("/response/body").map(Value::take);
    let body = body.ok_or(BadRow::NeitherSide)?;
    Ok(BatchContent::Came(status.unwrap_or(200), body))
}

/// A status of HTTP; none where the line says none.
fn status(said: &Value) -> Result<Option<u16>, BadRow> {
    let known = |status: &u64| (100..600).contains(status);
    match said {
        Value::Null => Ok(None),
        other => match other.as_u64().filter(known) {
            Some(status) => Ok(u16::try_from(status).ok()),
            None => Err(BadRow::Status(other.clone())),
        },
    }
}

/// The status of an error, also where the line says none.
fn failed(status: Option<u16>) -> u16 {
    status.filter(|status| *status >= 400).unwrap_or(500)
}

pub(super) fn read(lines: &[NumberedLine], file: &Path) -> Result<EvalLog, Problem> {
    if lines.iter().any(|(_, line)| line.get("method").is_some()) {
        return Err(Problem::new("this is the input of a batch, not its output")
            .expected("the file that the server wrote"));
    }
    let asked = asked(file);
    let failures = beside(file, "output", "errors").and_then(|file| read_lines(&file).ok());
    let all = lines.iter().chain(failures.iter().flatten());
    let answer = |(at, line): &NumberedLine| {
        let id = text(line, "custom_id");
        let id = id.ok_or_else(|| Problem::new("a line has no `custom_id`").on_line(*at))?;
        let text = asked.get(id).cloned().unwrap_or_default();
        Ok(LoggedAnswer::new(id.into(), text, said(line)))
    };
    let answers = all.map(answer).collect::<Result<Vec<_>, Problem>>()?;
    let mut log = EvalLog::new(LogProgram::Batch, answers);
    if asked.is_empty() {
        log.remarks.push(
            "what was asked is not known: there is no file beside it with `input` for `output` in its name".into(),
        );
    }
    Ok(log)
}

/// A file whose name has another word in place of one, where there is such a file.
fn beside(file: &Path, word: &str, other: &str) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let found = file.with_file_name(name.replacen(word, other, 1));
    (name.contains(word) && found.exists()).then_some(found)
}

/// What was asked, by id.
fn asked(file: &Path) -> HashMap<String, String> {
    let input = beside(file, "output", "input").and_then(|file| read_lines(&file).ok());
    let pair = |(_, line): NumberedLine| {
        let body = &line["body"];
        let asked = body.get("messages").or_else(|| body.get("input"))?;
        let last = asked.as_array().and_then(|messages| messages.last());
        let prompt = last.map_or_else(|| said_in(asked), |last| said_in(&last["content"]));
        Some((text(&line, "custom_id")?.to_string(), prompt))
    };
    input.into_iter().flatten().filter_map(pair).collect()
}

fn said(line: &Value) -> Result<String, Absence> {
    let body = &line["response"]["body"];
    let failed = line.get("error").filter(|error| !error.is_null());
    if let Some(error) = failed.or_else(|| body.get("error").filter(|error| !error.is_null())) {
        return Err(failure(error));
    }
    let none = || Absence::new(AbsenceKind::Unparsable, "the body holds no reply");
    match body.get("choices") {
        Some(choices) => chat(&choices[0]),
        None => match body.get("output") {
            Some(output) => response(body, output),
            None => Err(none()),
        },
    }
}

fn failure(error: &Value) -> Absence {
    let inner = error.get("error").unwrap_or(error);
    let message = text(inner, "message").or(error.as_str());
    let why = message.map_or_else(|| error.to_string(), String::from);
    let too_long =
        why.contains("context length") || text(inner, "code") == Some("context_length_exceeded");
    let kind = if too_long {
        AbsenceKind::TooLong
    } else {
        AbsenceKind::Failed
    };
    Absence::new(kind, why)
}

fn chat(choice: &Value) -> Result<String, Absence> {
    let message = &choice["message"];
    if let Some(refusal) = text(message, "refusal") {
        return Err(Absence::new(AbsenceKind::Refused, refusal));
    }
    whole(said_in(&message["content"]), text(choice, "finish_reason"))
}

/// The form of `/v1/responses`.
fn response(body: &Value, output: &Value) -> Result<String, Absence> {
    let messages = output.as_array().into_iter().flatten();
    let messages = messages.filter(|item| text(item, "type") == Some("message"));
    let parts: Vec<&Value> = messages
        .filter_map(|item| item["content"].as_array())
        .flatten()
        .collect();
    if let Some(refusal) = parts.iter().find_map(|part| text(part, "refusal")) {
        return Err(Absence::new(AbsenceKind::Refused, refusal));
    }
    let said: String = parts.iter().filter_map(|part| text(part, "text")).collect();
    let reason = body
        .pointer("/incomplete_details/reason")
        .and_then(Value::as_str);
    match reason {
        Some("max_output_tokens") => whole(said, Some("length")),
        Some(other) => whole(said, Some(other)),
        None => whole(said, None),
    }
}

fn whole(said: String, finish: Option<&str>) -> Result<String, Absence> {
    match finish {
        Some("length") => Err(Absence::new(AbsenceKind::CutOff, "the reply was cut off")),
        Some("content_filter") => Err(Absence::new(AbsenceKind::Refused, "a filter stopped it")),
        _ if said.trim().is_empty() => {
            Err(Absence::new(AbsenceKind::Empty, "the reply holds nothing"))
        }
        _ => Ok(said),
    }
}
