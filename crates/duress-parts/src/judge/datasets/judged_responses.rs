//! Responses to be judged, each with its prompt and the source it follows from, shipped with duress
//! or from your own file.
//!
//! # What it does
//! Gives 24 English responses of three to five sentences as texts, with `prompt` and `source`
//! beside them, in the column `topic`: bridges and buildings, exploration, astronomy, biology,
//! geography, technology, history, or earth science. The responses say nothing that is not in their
//! source and are written to be clear and fair. With `file`, a table with the columns `response`
//! and, where they are known, `id`, `prompt` and `source`; every other column can be sliced by, as
//! can `length`, in quarters. Lines of JSON (`.jsonl`) may each have keys of their own, and also those
//! of TrustScore (`unique_dataset_id`, `source_article`); one without a source is read. An empty
//! response is left out, with a remark.
//!
//! # Why it matters
//! Errors can be put into a text that has none and counted. Sources full of numbers, dates and
//! names make it plain what is false.
//!
//! # Promise
//! Written for duress; the facts are common knowledge in encyclopaedias, checked by memory and not
//! against one. A judge is scored by how it follows the errors put in, so a wrong date in both
//! source and response does no harm. Every response has places for five errors of each kind that
//! can be injected. There is no true score.
//!
//! # Example
//! ```toml
//! [dataset.responses]
//! use = "judged-responses"
//! ```
//!
//! # Reference
//! `crates/duress-parts/data/responses.jsonl`, under duress's own licence.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use duress_core::data::{Dataset, InputKind, Inputs, Items, Split, TableUse, Text};
use duress_core::part::{Build, Field, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::truth::Truth;
use duress_tables::formats;
use duress_tables::table::{find_column, named_columns, no_column, other_columns, plain_texts};
use duress_text::length;

use crate::judge::frame::shipped_responses::{RESPONSES, Response};
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "judged-responses",
    version: 3,
    fields: &[Field {
        name: "file",
        takes: Takes::Text,
        doc: "your own table instead, relative to the study: id, prompt, source, response",
        default: Some(""),
    }],
    source: include_str!("judged_responses.rs"),
    build: Build::Dataset(|params| {
        let file = params
            .text_if("file")
            .map(|file| params.folder().join(file));
        let from = JudgedResponses { file };
        Ok(FixedSource::boxed(
            InputKind::Texts,
            Question::Ratings,
            from,
        ))
    }),
};

struct JudgedResponses {
    file: Option<PathBuf>,
}

/// Responses with what stands beside them, and the columns they can be sliced by.
struct FoundColumns {
    ids: Vec<String>,
    texts: Vec<Text>,
    columns: Vec<(String, Vec<String>)>,
    /// What is there and cannot be a column.
    unread: Vec<String>,
}

impl Load for JudgedResponses {
    fn load(&self) -> Result<Dataset, Problem> {
        let found = match &self.file {
            Some(file) if file.extension().is_some_and(|ending| ending == "jsonl") => {
                from_lines(file)?
            }
            Some(file) => from_file(file)?,
            None => shipped(),
        };
        let unread = found.unread_remark();
        let empty = found.without_response();
        let (found, remark) = found.with_responses_only(&empty)?;
        let lengths = length::length_bins(
            &found
                .texts
                .iter()
                .map(|text| text.text.as_str())
                .collect::<Vec<_>>(),
        );
        let split = Split::new(
            Items::new(found.ids, Inputs::Texts(found.texts))?,
            Truth::Nothing,
        )?;
        let columns = found
            .columns
            .into_iter()
            .chain([("length".to_owned(), lengths)]);
        let dataset = Dataset::new(None, split.with_columns(columns))?;
        let remarks = remark.into_iter().chain(unread);
        Ok(remarks.fold(dataset, |dataset, remark| dataset.with_remark(remark)))
    }

    fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        // Lines of JSON may each have keys of their own: there is no header to hold them against.
        let is_table = |file: &&PathBuf| file.extension().is_none_or(|ending| ending != "jsonl");
        let own = self.file.iter().filter(is_table);
        own.map(|file| formats::table_use(file, |heads| Ok(named_columns(heads))))
            .collect()
    }
}

/// How many responses that are empty are named.
const NAMED: usize = 5;

impl FoundColumns {
    /// That keys hold lists or objects, which nobody reads.
    fn unread_remark(&self) -> Option<String> {
        let names = self.unread.join(", ");
        (!names.is_empty()).then(|| format!("keys with lists or objects are not read: {names}"))
    }

    /// The positions of responses in which there is nothing.
    fn without_response(&self) -> Vec<usize> {
        let texts = self.texts.iter().enumerate();
        let empty = texts.filter(|(_, text)| text.text.trim().is_empty());
        empty.map(|(at, _)| at).collect()
    }

    /// The others, and a remark on who was left out: there is nothing to judge in an empty response.
    fn with_responses_only(
        self,
        empty: &[usize],
    ) -> Result<(FoundColumns, Option<String>), Problem> {
        if empty.is_empty() {
            return Ok((self, None));
        }
        if empty.len() == self.texts.len() {
            return Err(Problem::new("every `response` is empty").expected("a text"));
        }
        let named: Vec<&str> = empty
            .iter()
            .take(NAMED)
            .map(|at| self.ids[*at].as_str())
            .collect();
        let more = match empty.len() > NAMED {
            true => ", …",
            false => "",
        };
        let are = match empty.len() {
            1 => "1 response is".to_owned(),
            several => format!("{several} responses are"),
        };
        let remark = format!("{are} empty and left out: {}{more}", named.join(", "));
        let kept = |at: &usize| !empty.contains(at);
        fn at_places<T: Clone>(all: &[T], places: &[usize]) -> Vec<T> {
            places.iter().map(|at| all[*at].clone()).collect()
        }
        let places: Vec<usize> = (0..self.texts.len()).filter(kept).collect();
        let columns = self.columns.into_iter();
        let found = FoundColumns {
            ids: at_places(&self.ids, &places),
            texts: at_places(&self.texts, &places),
            columns: columns
                .map(|(name, values)| (name, at_places(&values, &places)))
                .collect(),
            unread: self.unread,
        };
        Ok((found, Some(remark)))
    }
}

/// What the keys of JSON lines may be called.
const ID_KEYS: [&str; 4] = ["id", "ids", "unique_dataset_id", "sample_id"];
const SOURCE_KEYS: [&str; 4] = ["source", "source_article", "article", "context"];

/// Lines of JSON, each with the keys it has: one without `source` is a response without a source.
fn from_lines(file: &Path) -> Result<FoundColumns, Problem> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Problem::new(error.to_string()).in_file(file))?;
    let mut ids = Vec::new();
    let mut texts = Vec::new();
    let mut further = FurtherKeys::default();
    let mut is_named = false;
    let lines = text.lines().enumerate();
    for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let row: serde_json::Value = serde_json::from_str(line).map_err(|why| {
            let wrong = format!("line {}: not JSON: {why}", at + 1);
            Problem::new(wrong).in_file(file)
        })?;
        let value = |keys: &[&str]| keys.iter().find_map(|key| plain_text(&row[*key]));
        is_named |= row.get("response").is_some();
        let response = value(&["response"]).unwrap_or_default();
        let mut text = Text::new(response);
        if let Some(prompt) = value(&["prompt"]) {
            text = text.with("prompt", prompt);
        }
        if let Some(source) = value(&SOURCE_KEYS) {
            text = text.with("source", source);
        }
        ids.push(value(&ID_KEYS).unwrap_or_else(|| at.to_string()));
        further.add(&row, texts.len());
        texts.push(text);
    }
    if texts.is_empty() {
        return Err(Problem::new("there is no response in it").in_file(file));
    }
    if !is_named {
        let keys: Vec<&str> = further.said.keys().map(String::as_str).collect();
        let wrong = format!("no line has a `response`; there is: {}", keys.join(", "));
        return Err(Problem::new(wrong).expected(NAMES).in_file(file));
    }
    Ok(FoundColumns {
        columns: further.columns(texts.len()),
        unread: further.unread.into_iter().collect(),
        ids,
        texts,
    })
}

/// What lines of JSON say beside responses, prompts, sources and ids.
#[derive(Default)]
struct FurtherKeys {
    /// By key and line.
    said: BTreeMap<String, BTreeMap<usize, String>>,
    /// Keys with lists or objects, which are no columns.
    unread: BTreeSet<String>,
}

impl FurtherKeys {
    fn add(&mut self, row: &serde_json::Value, line: usize) {
        let used = |keys: &[&'static str]| {
            let known = |key: &&&str| plain_text(&row[**key]).is_some();
            keys.iter().find(known).copied()
        };
        let own = [
            used(&ID_KEYS),
            used(&SOURCE_KEYS),
            Some("response"),
            Some("prompt"),
        ];
        for (key, value) in row.as_object().into_iter().flatten() {
            if own.contains(&Some(key.as_str())) {
                continue;
            }
            match value {
                serde_json::Value::Array(_) | serde_json::Value::Object(_) => {
                    self.unread.insert(key.clone());
                }
                serde_json::Value::Bool(flag) => self.say(key, line, flag.to_string()),
                other => self.say(key, line, plain_text(other).unwrap_or_default()),
            }
        }
    }

    fn say(&mut self, key: &str, line: usize, value: String) {
        self.said.entry(key.into()).or_default().insert(line, value);
    }

    fn columns(&self, lines: usize) -> Vec<(String, Vec<String>)> {
        let column = |(key, said): (&String, &BTreeMap<usize, String>)| {
            let cell = |line| said.get(&line).cloned().unwrap_or_default();
            (key.clone(), (0..lines).map(cell).collect())
        };
        self.said.iter().map(column).collect()
    }
}

/// A text or a number; nothing where there is neither, or nothing in it.
fn plain_text(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn shipped() -> FoundColumns {
    let text = |shipped: &Response| {
        let text = Text::new(shipped.response.as_str());
        text.with("prompt", shipped.prompt.as_str())
            .with("source", shipped.source.as_str())
    };
    let topics = RESPONSES
        .iter()
        .map(|shipped| shipped.topic.clone())
        .collect();
    FoundColumns {
        ids: RESPONSES.iter().map(|shipped| shipped.id.clone()).collect(),
        texts: RESPONSES.iter().map(text).collect(),
        columns: vec![("topic".into(), topics)],
        unread: Vec::new(),
    }
}

/// What somebody is told whose table has other names.
const NAMES: &str =
    "what is judged as `response`, what was asked as `prompt`, what it follows from as `source`";

fn from_file(file: &Path) -> Result<FoundColumns, Problem> {
    let mut beside = Vec::new();
    let mut id = None;
    let mut others = Vec::new();
    let table = formats::read(file, &mut |heads| {
        find_column(heads, None, &["response"])?
            .ok_or_else(|| no_column("response", heads).expected(NAMES))?;
        id = find_column(heads, None, &["id", "ids"])?;
        let has = |name: &&str| heads.iter().any(|head| head.name == *name);
        beside = ["prompt", "source"].into_iter().filter(has).collect();
        others = other_columns(heads, &["response", "prompt", "source", "id", "ids"]);
        Ok(plain_texts(heads))
    })?;
    let cell = |column: &str, row: usize| table.texts(column).get(row).to_owned();
    let rows = || 0..table.rows();
    let text = |row: usize| {
        beside
            .iter()
            .fold(Text::new(cell("response", row)), |text, name| {
                text.with(name, cell(name, row))
            })
    };
    let name = |row: usize| {
        id.as_ref()
            .map_or_else(|| row.to_string(), |id| cell(id, row))
    };
    let column = |name: &String| (name.clone(), rows().map(|row| cell(name, row)).collect());
    Ok(FoundColumns {
        ids: rows().map(name).collect(),
        texts: rows().map(text).collect(),
        columns: others.iter().map(column).collect(),
        unread: Vec::new(),
    })
}
