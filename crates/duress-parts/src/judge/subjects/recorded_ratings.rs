//! Ratings that a judge gave elsewhere, from CSV, JSON lines, Parquet or xlsx files.
//!
//! # What it does
//! Looks up a judge's ratings: one file per circumstance, or one table for all. `files` is a path in
//! which `{subject}`, `{seed}`, `{ladder}` and `{severity}` are filled in; the ratings without stress
//! are where `clean` says, else where `files` leads with ladder `clean` and severity `0`. In a table
//! for all, the columns `ladder` (or `subtype`) and `severity` (or `k`, `dose`) say which rows are
//! meant, and rows with severity 0 are the clean ones, of whatever ladder. `dimensions` names the
//! columns with ratings; without it, every column of numbers that is none of these.
//!
//! Scores that FastChat's judge gave to single answers (`model_judgment`) are read as they are: an item
//! is called `question_id/turn/model`, its dimension is `score`, and −1 is no rating.
//!
//! Any scorer can be tested so: let duress write the texts (docs/judge.md says where), score them with
//! whatever you have, and study the table.
//!
//! # Why it matters
//! A judge that cannot be called, or has been paid for already, can still be tested.
//!
//! # Promise
//! Rows belong to items by `id`; an item without a row, or with an empty cell, `NA` or `NaN` in one
//! of the dimensions, has no rating, and the reason is kept: it is never 0 and never perfect. A row
//! of an item that the dataset does not have is refused, and so is one that is there twice.
//!
//! # Example
//! ```toml
//! [subject.mine]
//! use = "recorded-ratings"
//! files = "ratings.csv"        # id,ladder,severity,T,B,E
//! dimensions = ["T", "B", "E"]
//! ```
//!
//! # Reference
//! docs/judge.md, "Your own judge".

use std::collections::BTreeMap;
use std::path::PathBuf;

use duress_core::answer::{Absence, AbsenceKind, Answers, RatingAnswers};
use duress_core::data::{Items, TableUse};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::subject::{Circumstances, Recording, SubjectPart};
use duress_tables::formats;
use duress_tables::table::{Head, Table, no_column, plain_texts};

use crate::judge::frame::rating_words::{DOSE_WORDS, ID_WORDS, LADDER_WORDS, column_called};
use crate::shared::frame::recorded_files::{CLEAN, RecordedFiles};

/// The part.
pub static PART: Part = Part {
    name: "recorded-ratings",
    version: 1,
    fields: &[
        Field {
            name: "files",
            takes: Takes::Text,
            doc: "where the ratings are, with {subject}, {seed}, {ladder} and {severity} to be filled in, or one table for all",
            default: None,
        },
        CLEAN,
        Field {
            name: "id",
            takes: Takes::Text,
            doc: "the column with the ids; when left out, `id` or `item`",
            default: Some(""),
        },
        Field {
            name: "dimensions",
            takes: Takes::Texts,
            doc: "the columns with ratings; when left out, every other column of numbers",
            default: Some(""),
        },
    ],
    source: include_str!("recorded_ratings.rs"),
    build: Build::Subject(|params| {
        Ok(SubjectPart::Recorded(Box::new(RecordedRatings::new(
            params,
        )?)))
    }),
};

const NOTHING: [&str; 6] = ["", "na", "nan", "null", "none", "-"];

/// What to do about a judge that was asked about the same responses once for each kind of error.
const ONE_CLEAN: &str = "ratings without an error differ between ladders, and a study has one for each item: keep one, or name a table of them with `clean`; `duress gauge` reads each ladder with its own";

struct RecordedRatings {
    files: RecordedFiles,
    id: Option<String>,
    dimensions: Vec<String>,
}

/// Which columns of a table are what.
struct RatingColumns {
    /// Columns whose cells, joined by `/`, are the id.
    id: Vec<String>,
    ladder: Option<String>,
    severity: Option<String>,
    dimensions: Vec<String>,
    /// A number that stands for no rating.
    unrated: Option<f64>,
}

/// What FastChat's scores of single answers are called by, and the column they stand in.
const FASTCHAT_ID: [&str; 3] = ["question_id", "turn", "model"];
const FASTCHAT_SCORE: &str = "score";
/// What FastChat writes where a reply had no rating in it.
const FASTCHAT_UNRATED: f64 = -1.0;

impl RecordedRatings {
    fn new(params: &Params) -> Result<RecordedRatings, Problem> {
        Ok(RecordedRatings {
            files: RecordedFiles::new(params)?,
            id: params.text_if("id").map(String::from),
            dimensions: params.texts("dimensions").to_vec(),
        })
    }

    fn columns(&self, heads: &[Head]) -> Result<RatingColumns, Problem> {
        let find = |words: &[&str]| column_called(heads, words);
        let named = |name: &String| {
            let there = heads.iter().any(|head| head.name == *name);
            there
                .then(|| name.clone())
                .ok_or_else(|| no_column(name, heads))
        };
        if let Some(columns) = self.fastchat(heads) {
            return Ok(columns);
        }
        let id = match &self.id {
            Some(id) => named(id)?,
            None => find(&ID_WORDS).ok_or_else(|| no_column("id", heads))?,
        };
        let id = vec![id];
        let ladder = find(&LADDER_WORDS);
        let severity = find(&DOSE_WORDS);
        let dimensions = self.dimensions.iter().map(named);
        Ok(RatingColumns {
            id,
            ladder,
            severity,
            dimensions: dimensions.collect::<Result<_, _>>()?,
            unrated: None,
        })
    }

    /// The columns of FastChat's scores of single answers, where the table has them and nobody says
    /// otherwise.
    fn fastchat(&self, heads: &[Head]) -> Option<RatingColumns> {
        let has = |name: &str| heads.iter().any(|head| head.name == name);
        let says_otherwise = self.id.is_some() || !self.dimensions.is_empty();
        let all = FASTCHAT_ID.into_iter().chain([FASTCHAT_SCORE]);
        (!says_otherwise && all.clone().all(has)).then(|| RatingColumns {
            id: FASTCHAT_ID.map(String::from).to_vec(),
            ladder: None,
            severity: None,
            dimensions: vec![FASTCHAT_SCORE.into()],
            unrated: Some(FASTCHAT_UNRATED),
        })
    }
}

impl RatingColumns {
    /// Where no dimension is named: every other column that is numbers wherever it is something.
    fn with_found_dimensions(mut self, table: &Table, heads: &[String]) -> Result<Self, Problem> {
        if self.dimensions.is_empty() {
            let own = self.own();
            let free = heads.iter().filter(|head| !own.contains(head));
            let is_rating = |head: &&String| {
                let cells = || table.texts(head).iter();
                cells().all(|cell| is_nothing(cell) || cell.trim().parse::<f64>().is_ok())
                    && cells().any(|cell| !is_nothing(cell))
            };
            self.dimensions = free.filter(is_rating).cloned().collect();
        }
        match self.dimensions.is_empty() {
            true => Err(Problem::new("there is no column of ratings")
                .expected("numbers, in a column for each dimension")),
            false => Ok(self),
        }
    }

    /// The columns that are no ratings.
    fn own(&self) -> Vec<&String> {
        let further = self.ladder.iter().chain(&self.severity);
        self.id.iter().chain(further).collect()
    }

    /// What the item of a row is called.
    fn id_of(&self, table: &Table, row: usize) -> String {
        let cells: Vec<&str> = self.id.iter().map(|id| table.texts(id).get(row)).collect();
        cells.join("/")
    }

    /// Whether a row is about this stress.
    fn is_about(&self, table: &Table, row: usize, at: &Circumstances) -> bool {
        let cell = |column: &str| table.texts(column).get(row).trim();
        let dose = self.severity.as_deref().map(&cell);
        let dose = dose.and_then(|dose| dose.parse::<f64>().ok());
        match (at.under.stress(), at.under.severity(), dose) {
            (_, _, None) => self.severity.is_none(),
            (None, _, Some(dose)) => dose == 0.0,
            (Some(ladder), severity, Some(dose)) => {
                let same = self
                    .ladder
                    .as_deref()
                    .is_none_or(|column| cell(column) == ladder.as_str());
                same && severity.is_some_and(|severity| severity.value() == dose)
            }
        }
    }

    fn ratings(&self, table: &Table, row: usize) -> Result<Vec<f64>, Absence> {
        let rating = |dimension: &String| {
            let cell = table.texts(dimension).get(row).trim();
            let value = cell.parse::<f64>().ok().filter(|value| value.is_finite());
            if value.is_some() && value == self.unrated {
                let why = format!("`{cell}` in `{dimension}` says that the reply had no rating");
                return Err(Absence::new(AbsenceKind::Unparsable, why));
            }
            value.ok_or_else(|| match is_nothing(cell) {
                true => Absence::new(
                    AbsenceKind::Unrecorded,
                    format!("no rating in `{dimension}`"),
                ),
                false => Absence::new(
                    AbsenceKind::Unparsable,
                    format!("`{cell}` in `{dimension}` is no number"),
                ),
            })
        };
        self.dimensions.iter().map(rating).collect()
    }
}

fn is_nothing(cell: &str) -> bool {
    NOTHING.contains(&cell.trim().to_lowercase().as_str())
}

impl Recording for RecordedRatings {
    fn answers(&self) -> Vec<Question> {
        vec![Question::Ratings]
    }

    fn sources(&self, at: &Circumstances) -> Result<Vec<PathBuf>, Problem> {
        Ok(vec![self.files.path(at)?])
    }

    fn look_up(
        &self,
        at: &Circumstances,
        _question: Question,
        items: &Items,
    ) -> Result<Answers, Problem> {
        let path = self.files.path(at)?;
        let mut columns = None;
        let mut heads = Vec::new();
        let table = formats::read(&path, &mut |found| {
            columns = Some(self.columns(found)?);
            heads = found.iter().map(|head| head.name.clone()).collect();
            Ok(plain_texts(found))
        })?;
        let columns =
            columns.ok_or_else(|| Problem::new("the table has no header").in_file(&path))?;
        let columns = columns
            .with_found_dimensions(&table, &heads)
            .map_err(|problem| problem.in_file(&path))?;
        let places: BTreeMap<&str, usize> = items.ids().iter().zip(0..).collect();
        let mut rows: Vec<Option<usize>> = vec![None; items.len()];
        for row in (0..table.rows()).filter(|row| columns.is_about(&table, *row, at)) {
            let id = columns.id_of(&table, row);
            let Some(item) = places.get(id.as_str()) else {
                let stranger = Problem::new(format!("{id:?} is no item of the dataset"));
                return Err(table.at(row, stranger));
            };
            // The clean row may stand in every ladder; it is the same one.
            let clean = at.under.stress().is_none();
            match rows[*item] {
                Some(before)
                    if !clean
                        || columns.ratings(&table, before) != columns.ratings(&table, row) =>
                {
                    let twice = table.twice(&id, before, row);
                    return Err(match clean {
                        true => twice.hint(ONE_CLEAN),
                        false => twice,
                    });
                }
                _ => rows[*item] = Some(row),
            }
        }
        let rating = |row: &Option<usize>| match row {
            Some(row) => columns.ratings(&table, *row),
            None => Err(Absence::new(
                AbsenceKind::Unrecorded,
                "the table has no row for it",
            )),
        };
        let rated = rows.iter().map(rating).collect();
        Ok(Answers::Ratings(RatingAnswers::new(
            columns.dimensions.clone(),
            rated,
        )))
    }

    fn tables(&self, at: &Circumstances) -> Result<Vec<TableUse>, Problem> {
        let path = self.files.path(at)?;
        let used = formats::table_use(&path, |heads| {
            let columns = self.columns(heads)?;
            let own: Vec<String> = columns.own().into_iter().cloned().collect();
            // Which of the others are ratings is known only when they are read.
            let others = match columns.dimensions.is_empty() {
                true => heads.iter().map(|head| head.name.clone()).collect(),
                false => columns.dimensions,
            };
            Ok(own.into_iter().chain(others).collect())
        })?;
        Ok(vec![used])
    }
}
