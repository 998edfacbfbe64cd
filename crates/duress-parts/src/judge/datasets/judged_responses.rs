//! Responses to be judged, each with its prompt and the source it follows from, shipped with duress
//! or from your own file.
//!
//! # What it does
//! Gives 24 English responses of three to five sentences as texts, with `prompt` and `source`
//! beside them, in the column `topic`: bridges and buildings, exploration, astronomy, biology,
//! geography, technology, history, or earth science. The responses say nothing that is not in their
//! source and are written to be clear and fair. With `file`, a table with the columns `response`
//! and, where they are known, `id`, `prompt` and `source`; every other column can be sliced by, as
//! can `length`, in quarters.
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
    version: 2,
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
}

impl Load for JudgedResponses {
    fn load(&self) -> Result<Dataset, Problem> {
        let found = match &self.file {
            Some(file) => from_file(file)?,
            None => shipped(),
        };
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
        Dataset::new(None, split.with_columns(columns))
    }

    fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        let own = self.file.iter();
        own.map(|file| formats::table_use(file, |heads| Ok(named_columns(heads))))
            .collect()
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
    }
}

fn from_file(file: &Path) -> Result<FoundColumns, Problem> {
    let (mut beside, mut id, mut others) = (Vec::new(), None, Vec::new());
    let table = formats::read(file, &mut |heads| {
        find_column(heads, None, &["response"])?.ok_or_else(|| no_column("response", heads))?;
        id = find_column(heads, None, &["id", "ids"])?;
        let has = |name: &&str| heads.iter().any(|head| head.name == *name);
        beside = ["prompt", "source"].into_iter().filter(has).collect();
        others = other_columns(heads, &["response", "prompt", "source", "id", "ids"]);
        Ok(plain_texts(heads))
    })?;
    let cell = |column: &str, row: usize| table.texts(column).get(row).to_owned();
    let rows = || 0..table.rows();
    if let Some(empty) = rows().find(|&row| cell("response", row).trim().is_empty()) {
        return Err(table.at(
            empty,
            Problem::new("`response` is empty").expected("a text"),
        ));
    }
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
    })
}
