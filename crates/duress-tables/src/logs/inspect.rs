//! Logs of Inspect: a zip archive of JSON (`.eval`; Zstandard inside, deflate in old ones), or one
//! JSON object. A run that was killed has no header, and the samples that were whole.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use duress_core::answer::{Absence, AbsenceKind};
use duress_core::problem::Problem;
use duress_tensors::bound::{Bound, BoundedRead};
use serde_json::Value;
use zip::{CompressionMethod, ZipArchive};

use super::json::{letter_position, one_or_several, parse, said_in, text, text_or_number};
use super::{EvalLog, LogProgram, LoggedAnswer};

/// Reads a `.eval` file.
pub(super) fn read_archive(file: &Path) -> Result<EvalLog, Problem> {
    let input = File::open(file);
    let input = input.map_err(|error| Problem::new(format!("it cannot be opened: {error}")))?;
    let bound = Bound::of(&input);
    let damaged = |error: String| {
        Problem::new(format!("this is no zip archive, or it is damaged: {error}"))
            .expected("a log that Inspect wrote")
    };
    let mut archive =
        ZipArchive::new(BufReader::new(input)).map_err(|why| damaged(why.to_string()))?;
    let names: Vec<String> = archive
        .file_names()
        .flatten()
        .map(Cow::into_owned)
        .collect();
    let is_sample = |name: &&String| name.starts_with("samples/") && name.ends_with(".json");
    let mut read = |name: &String| {
        let bytes = member(&mut archive, name, bound);
        let bytes = bytes.map_err(|why| damaged(format!("{name}: {why}")))?;
        parse(&bytes).map_err(|problem| problem.hint(format!("in its `{name}`")))
    };
    let mut answers = Vec::new();
    for name in names.iter().filter(is_sample) {
        answers.push(answer(&read(name)?)?);
    }
    let mut log = log(answers);
    match names.iter().find(|name| *name == "header.json") {
        Some(header) => remark_on_status(&read(header)?, &mut log),
        None => log.remarks.push(
            "the run was ended before it was done: the samples that were finished are read".into(),
        ),
    }
    Ok(log)
}

/// Says of a run that failed or was ended that it did.
fn remark_on_status(header: &Value, log: &mut EvalLog) {
    if text(header, "status").is_some_and(|status| status != "success") {
        let status = &header["status"];
        log.remarks.push(format!(
            "its status is {status}: the samples that were finished are read"
        ));
    }
}

/// What a member of an archive holds. Zstandard, which may be several frames one after another, is
/// undone here: the archive's reader does not know it.
fn member(
    archive: &mut ZipArchive<BufReader<File>>,
    name: &str,
    bound: Bound,
) -> Result<Vec<u8>, String> {
    let at = archive.index_for_name(name).ok_or("it is not there")?;
    let raw = archive.by_index_raw(at).map_err(|why| why.to_string())?;
    let mut bytes = Vec::new();
    let read = match raw.compression() {
        CompressionMethod::ZSTD => {
            let frames = zstd::stream::read::Decoder::new(raw).map_err(|why| why.to_string())?;
            BoundedRead::new(frames, bound, 1).read_to_end(&mut bytes)
        }
        _ => {
            drop(raw);
            let entry = archive.by_index(at).map_err(|why| why.to_string())?;
            BoundedRead::new(entry, bound, 1).read_to_end(&mut bytes)
        }
    };
    read.map(|_| bytes).map_err(|why| why.to_string())
}

/// Reads a log that is one JSON object.
pub(super) fn read_object(log: &Value) -> Result<EvalLog, Problem> {
    let samples = log["samples"].as_array().into_iter().flatten();
    let answers = samples.map(answer).collect::<Result<Vec<_>, _>>()?;
    let mut read = self::log(answers);
    remark_on_status(log, &mut read);
    Ok(read)
}

fn log(mut answers: Vec<LoggedAnswer>) -> EvalLog {
    answers.sort_by(|one, other| (one.epoch, &one.item).cmp(&(other.epoch, &other.item)));
    EvalLog::new(LogProgram::Inspect, answers)
}

fn answer(sample: &Value) -> Result<LoggedAnswer, Problem> {
    let id = sample.get("id").and_then(text_or_number);
    let id = id.ok_or_else(|| Problem::new("a sample has no `id`"))?;
    let said = said(sample);
    let asked = said_in(sample.get("input").unwrap_or(&Value::Null));
    let mut answer = LoggedAnswer::new(id, asked, said);
    answer.epoch = sample["epoch"]
        .as_u64()
        .and_then(|epoch| u32::try_from(epoch).ok())
        .unwrap_or(1);
    answer.choices = one_or_several(sample.get("choices").filter(|choices| !choices.is_null()));
    answer.target = one_or_several(sample.get("target"));
    answer.scores = scores(sample, &answer.said);
    if !answer.choices.is_empty() {
        answer.right = match &answer.target[..] {
            [letter] => letter_position(letter).filter(|at| *at < answer.choices.len()),
            _ => None,
        };
        answer.chosen = Some(chosen(sample, &answer));
    }
    Ok(answer)
}

/// What was said, or why nothing was: a stop that is no end, an error, a limit, a refusal.
fn said(sample: &Value) -> Result<String, Absence> {
    let message = sample.pointer("/error/message").and_then(Value::as_str);
    if let Some(message) = message.or_else(|| text(sample, "error")) {
        return Err(Absence::new(AbsenceKind::Failed, message));
    }
    let limit = sample.get("limit").filter(|limit| !limit.is_null());
    if let Some(limit) = limit {
        let reason = text(limit, "reason")
            .or_else(|| text(limit, "type"))
            .or(limit.as_str());
        let why = reason.unwrap_or("a limit was reached");
        return Err(Absence::new(AbsenceKind::CutOff, why));
    }
    let output = &sample["output"];
    let completion = text(output, "completion").unwrap_or_default();
    let choice = &output["choices"][0];
    let parts = choice.pointer("/message/content").and_then(Value::as_array);
    let refuses = |part: &Value| part["refusal"] == Value::Bool(true);
    let refused = choice.pointer("/stop_details/type").and_then(Value::as_str) == Some("refusal")
        || parts.is_some_and(|parts| parts.iter().any(refuses));
    match text(choice, "stop_reason") {
        _ if refused => Err(Absence::new(AbsenceKind::Refused, completion)),
        Some("content_filter") => Err(Absence::new(AbsenceKind::Refused, "a filter stopped it")),
        Some("max_tokens") => Err(Absence::new(AbsenceKind::CutOff, "the reply was cut off")),
        // The text of the server's error stands where the answer would.
        Some("model_length") => Err(Absence::new(AbsenceKind::TooLong, completion)),
        _ if completion.trim().is_empty() => {
            Err(Absence::new(AbsenceKind::Empty, "the reply holds nothing"))
        }
        _ => Ok(completion.into()),
    }
}

fn scores(
    sample: &Value,
    said: &Result<String, Absence>,
) -> BTreeMap<String, Result<f64, Absence>> {
    let mut scores = BTreeMap::new();
    for (scorer, score) in sample["scores"].as_object().into_iter().flatten() {
        match &score["value"] {
            Value::Object(several) => {
                for (key, value) in several {
                    scores.insert(format!("{scorer}.{key}"), graded(value, score, said));
                }
            }
            value => {
                scores.insert(scorer.clone(), graded(value, score, said));
            }
        }
    }
    scores
}

/// C is 1, P a half, I and N 0; what is no answer has no score, whatever the scorer made of it.
fn graded(value: &Value, score: &Value, said: &Result<String, Absence>) -> Result<f64, Absence> {
    if let Err(absence) = said {
        return Err(absence.clone());
    }
    let reason = text(score, "reason");
    match reason {
        Some("no_response") => {
            return Err(Absence::new(AbsenceKind::Empty, "the reply holds nothing"));
        }
        Some("invalid_response_format") => {
            return Err(Absence::new(
                AbsenceKind::Unparsable,
                "the scorer found no answer in it",
            ));
        }
        _ => {}
    }
    let number = match value {
        Value::String(grade) => match grade.as_str() {
            "C" => Some(1.0),
            "P" => Some(0.5),
            "I" | "N" => Some(0.0),
            other => other.parse().ok(),
        },
        Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
        value => value.as_f64(),
    };
    number.ok_or_else(|| {
        let why = reason.map_or("it was not scored".into(), |reason| {
            format!("it was not scored: {reason}")
        });
        Absence::new(AbsenceKind::Failed, why)
    })
}

/// The choice that the scorer read in the reply.
fn chosen(sample: &Value, answer: &LoggedAnswer) -> Result<(usize, Option<f64>), Absence> {
    if let Err(absence) = &answer.said {
        return Err(absence.clone());
    }
    let scorers = sample["scores"].as_object().into_iter().flatten();
    let letters = scorers.filter_map(|(_, score)| text(score, "answer"));
    let mut classes = letters.filter_map(letter_position);
    let class = classes.find(|class| *class < answer.choices.len());
    class.map(|class| (class, None)).ok_or_else(|| {
        Absence::new(
            AbsenceKind::Unparsable,
            "the scorer found no choice in the reply, or several",
        )
    })
}
