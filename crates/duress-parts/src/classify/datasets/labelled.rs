//! Items known by id only, or texts, with their true labels, from a CSV, Parquet, npz, JSON lines or xlsx
//! file.
//!
//! # What it does
//! Reads one label per item. Labels are the names of classes, or whole numbers that are positions
//! in `classes`. Without `classes`, the classes are the labels that occur, in order (by number
//! where all are whole numbers); name them when a class may be missing from the file, since the
//! order and number of classes are part of the data. `prefix` takes them from the header instead: a
//! column `p_cat` names the class `cat` when the prefix is `p_`. Without an `id` column the ids are
//! the row numbers, from 0. In a `long` table, with a row per item and class, an item's rows agree
//! in its label. `columns` are kept, to slice or to cluster by; a column called as groups of items
//! are (`patient`, `lesion_id`, `user`, `document` …) is kept without being named, so that it can be
//! said when a study ignores it. With `text`, an item is the text of that column, which stressors
//! press and subjects read, and the columns of `beside` stand beside it, seen and not pressed: the
//! options of a question, a source.
//!
//! # Why it matters
//! Recorded answers are scored against this file and no other: the files of answers may hold labels
//! too, but those are only compared with this one, so that two subjects cannot be scored against
//! two truths.
//!
//! # Promise
//! A label outside the classes, an id that is there twice, a missing column or a row of another
//! length is refused with its line.
//!
//! # Example
//! ```toml
//! [dataset.lesions]
//! use     = "labelled"
//! file    = "labels.csv"          # image,diagnosis,site,patient
//! id      = "image"
//! label   = "diagnosis"
//! classes = ["benign", "malignant"]
//! columns = ["site"]              # to slice by
//! cluster = "patient"             # images of one patient are not independent
//! ```
//!
//! # Reference
//! The layout scikit-learn's `y_true` has in a file; RFC 4180 for CSV.

use std::collections::HashMap;
use std::path::PathBuf;

use duress_core::data::{Dataset, InputKind, Inputs, Items, Source, Split, TableUse, Text};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::texts::Texts;
use duress_core::truth::{Labels, Truth};
use duress_tables::formats;
use duress_tables::labels::{alike_remark, classes_of, no_class_twice, positions};
use duress_tables::layout::words::{ID_COLUMNS, LABEL_COLUMNS, says_group};
use duress_tables::table::{Head, Table, Want, by_name, find_column};
use duress_tables::wording::Wording;

use crate::classify::frame::class_names::CLASSES;

/// The part.
pub static PART: Part = Part {
    name: "labelled",
    version: 1,
    fields: &[
        Field {
            name: "file",
            takes: Takes::File,
            doc: "the table with a row per item",
            default: None,
        },
        Field {
            name: "label",
            takes: Takes::Text,
            doc: "the column with the true class; when left out, `label` or `labels`",
            default: Some(""),
        },
        Field {
            name: "id",
            takes: Takes::Text,
            doc: "the column with the ids; when left out, `id` or `ids`, else rows are numbered from 0",
            default: Some(""),
        },
        CLASSES,
        Field {
            name: "prefix",
            takes: Takes::Text,
            doc: "take the classes from the columns whose names begin so",
            default: Some(""),
        },
        Field {
            name: "columns",
            takes: Takes::Texts,
            doc: "columns to slice or to cluster by",
            default: Some(""),
        },
        Field {
            name: "text",
            takes: Takes::Text,
            doc: "the column with the text that subjects read; when left out, items are known by id only",
            default: Some(""),
        },
        Field {
            name: "beside",
            takes: Takes::Texts,
            doc: "columns that subjects see beside the text, and that nobody presses",
            default: Some(""),
        },
        Field {
            name: "long",
            takes: Takes::Flag,
            doc: "whether an item may have several rows, as in a table with a row per item and class; they must agree",
            default: Some("false"),
        },
    ],
    source: include_str!("labelled.rs"),
    build: Build::Dataset(|params| Ok(Box::new(Labelled::new(params)?))),
};

/// A table of labels.
pub(crate) struct Labelled {
    pub(crate) file: PathBuf,
    label: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
    prefix: Option<String>,
    columns: Vec<String>,
    text: Option<String>,
    beside: Vec<String>,
    long: bool,
    pub(crate) wording: Wording,
}

/// Where in the file things are.
pub(crate) struct LabelColumns {
    label: String,
    id: Option<String>,
    classes: Vec<String>,
    /// Those that are kept.
    columns: Vec<String>,
}

impl Labelled {
    pub(crate) fn new(params: &Params) -> Result<Labelled, Problem> {
        let text = |key| params.text_if(key).map(String::from);
        let classes = params.texts("classes").to_vec();
        no_class_twice(&classes)?;
        if !classes.is_empty() && text("prefix").is_some() {
            return Err(
                Problem::new("`classes` and `prefix` both say which classes there are")
                    .expected("one of the two"),
            );
        }
        if text("text").is_none() && !params.texts("beside").is_empty() {
            return Err(Problem::new("`beside` without `text`")
                .expected("`text`, the column that the others stand beside"));
        }
        Ok(Labelled {
            file: params.file("file"),
            label: text("label"),
            id: text("id"),
            classes,
            prefix: text("prefix"),
            columns: params.texts("columns").to_vec(),
            text: text("text"),
            beside: params.texts("beside").to_vec(),
            long: params.flag("long"),
            wording: Wording::Study,
        })
    }

    pub(crate) fn layout(&self, heads: &[Head]) -> Result<LabelColumns, Problem> {
        let label =
            find_column(heads, self.label.as_deref(), LABEL_COLUMNS.plain())?.ok_or_else(|| {
                Problem::new("there is no column `label`")
                    .expected(format!(
                        "a column with the true class of each item; {} says which",
                        self.wording.label()
                    ))
                    .nearest("label", heads.iter().map(|head| head.name.as_str()))
            })?;
        for column in self.columns.iter().chain(&self.text).chain(&self.beside) {
            find_column(heads, Some(column), &[])?;
        }
        let classes = match &self.prefix {
            None => self.classes.clone(),
            Some(prefix) => heads
                .iter()
                .filter_map(|head| head.name.strip_prefix(prefix.as_str()))
                .map(String::from)
                .collect(),
        };
        match &self.prefix {
            Some(prefix) if classes.is_empty() => {
                Err(Problem::new(format!("no column begins with `{prefix}`"))
                    .nearest(prefix, names(heads)))
            }
            _ => {
                let id = find_column(heads, self.id.as_deref(), ID_COLUMNS.plain())?;
                let columns = self.kept_columns(heads, [Some(&label), id.as_ref()], &classes);
                Ok(LabelColumns {
                    label,
                    id,
                    classes,
                    columns,
                })
            }
        }
    }

    /// The columns that are named, and those that say which items belong together. In a long table
    /// the latter may be about single rows.
    fn kept_columns(
        &self,
        heads: &[Head],
        own: [Option<&String>; 2],
        classes: &[String],
    ) -> Vec<String> {
        let other = |name: &&String| {
            !own.contains(&Some(*name)) && !classes.contains(name) && !self.columns.contains(name)
        };
        let single = heads.iter().filter(|head| !head.listed && !self.long);
        let groups = single
            .map(|head| &head.name)
            .filter(|name| says_group(name))
            .filter(other);
        self.columns.iter().chain(groups).cloned().collect()
    }

    pub(crate) fn wants(&self, heads: &[Head], layout: &LabelColumns) -> Vec<Want> {
        let mut texts: Vec<&str> = layout.columns.iter().map(String::as_str).collect();
        texts.push(&layout.label);
        texts.extend(self.text.iter().chain(&self.beside).map(String::as_str));
        texts.extend(layout.id.as_deref());
        by_name(heads, &[], &texts)
    }

    /// What is true of the items of a table that was read.
    pub(crate) fn dataset(&self, table: &Table, layout: LabelColumns) -> Result<Dataset, Problem> {
        let (split, numbered) = self
            .split(table, layout)
            .map_err(|problem| problem.in_file(&self.file))?;
        let alike = split.classes().and_then(alike_remark);
        let dataset = Dataset::new(None, split)?;
        let dataset = alike.into_iter().fold(dataset, Dataset::with_remark);
        Ok(match numbered {
            true => dataset.with_remark(format!(
                "labels are whole numbers, read as positions in {}",
                self.wording.class_list()
            )),
            false => dataset,
        })
    }

    fn split(&self, table: &Table, layout: LabelColumns) -> Result<(Split, bool), Problem> {
        let rows = self.rows(table, &layout)?;
        let ids = match &layout.id {
            Some(id) => rows.iter().map(|&row| table.texts(id).get(row)).collect(),
            None => Texts::numbers(rows.len()),
        };
        let classes = match layout.classes.is_empty() {
            true => classes_of(table.texts(&layout.label)),
            false => layout.classes,
        };
        let (of, numbered) = positions(table, &layout.label, &classes)?;
        let of = rows.iter().map(|&row| of[row]).collect();
        let labels = Labels::new(classes, of).map_err(Problem::new)?;
        let items = Items::of(ids, self.inputs(table, &rows))?;
        let mut split = Split::new(items, Truth::Labels(labels))?;
        for column in &layout.columns {
            let values = rows
                .iter()
                .map(|&row| table.texts(column).get(row).to_string());
            split = split.with_column(column, values.collect());
        }
        Ok((split, numbered))
    }

    /// What subjects are shown: the texts, or nothing but ids.
    fn inputs(&self, table: &Table, rows: &[usize]) -> Inputs {
        let Some(column) = &self.text else {
            return Inputs::Unseen(rows.len());
        };
        let text = |row: &usize| {
            let text = Text::new(table.texts(column).get(*row));
            let beside = |text: Text, name: &String| text.with(name, table.texts(name).get(*row));
            self.beside.iter().fold(text, beside)
        };
        Inputs::Texts(rows.iter().map(text).collect())
    }

    /// The row of every item: all of them, or in a long table the first of each id.
    fn rows(&self, table: &Table, layout: &LabelColumns) -> Result<Vec<usize>, Problem> {
        let all = || (0..table.rows()).collect();
        match (&layout.id, self.long) {
            (None, true) => Err(Problem::new(
                "several rows may be about one item, and there is no column with ids",
            )),
            (None, false) => Ok(all()),
            (Some(id), false) => match table.texts(id).twice() {
                Some((before, row)) => Err(table.twice(table.texts(id).get(row), before, row)),
                None => Ok(all()),
            },
            (Some(id), true) => self.first_rows(table, layout, table.texts(id)),
        }
    }

    fn first_rows(
        &self,
        table: &Table,
        layout: &LabelColumns,
        ids: &Texts,
    ) -> Result<Vec<usize>, Problem> {
        let mut first = HashMap::new();
        let mut rows = Vec::new();
        for (row, id) in ids.iter().enumerate() {
            let before = *first.entry(id).or_insert(row);
            if before == row {
                rows.push(row);
            }
            let differs =
                |column: &&String| table.texts(column).get(row) != table.texts(column).get(before);
            if let Some(column) = [&layout.label]
                .into_iter()
                .chain(&self.columns)
                .find(differs)
            {
                let (now, then) = (
                    table.texts(column).get(row),
                    table.texts(column).get(before),
                );
                let problem = Problem::new(format!(
                    "`{column}` of {id:?} is {now:?}, and was {then:?} before"
                ));
                return Err(table.at(row, problem.expected("one for every item")));
            }
        }
        Ok(rows)
    }
}

fn names(heads: &[Head]) -> impl Iterator<Item = &str> {
    heads.iter().map(|head| head.name.as_str())
}

impl Source for Labelled {
    fn kind(&self) -> InputKind {
        match self.text {
            Some(_) => InputKind::Texts,
            None => InputKind::Unseen,
        }
    }

    fn offers(&self) -> Question {
        Question::Classes
    }

    fn varies(&self) -> bool {
        false
    }

    fn tables(&self) -> Result<Vec<TableUse>, Problem> {
        let prefixed = |name: &&str| {
            let prefix = self.prefix.as_deref();
            prefix.is_some_and(|prefix| name.starts_with(prefix))
        };
        let read = formats::table_use(&self.file, |heads| {
            let layout = self.layout(heads)?;
            let mut read = layout.columns;
            read.push(layout.label);
            read.extend(layout.id);
            read.extend(self.text.iter().chain(&self.beside).cloned());
            read.extend(names(heads).filter(prefixed).map(String::from));
            Ok(read)
        })?;
        Ok(vec![read])
    }

    fn load(&self, _seed: Seed) -> Result<Dataset, Problem> {
        let mut layout = None;
        let table = formats::read(&self.file, &mut |heads| {
            let found = self.layout(heads)?;
            let wants = self.wants(heads, &found);
            layout = Some(found);
            Ok(wants)
        })?;
        let layout =
            layout.ok_or_else(|| Problem::new("the table has no header").in_file(&self.file))?;
        self.dataset(&table, layout)
    }
}
