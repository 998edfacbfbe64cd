//! Answers that were given elsewhere, from CSV, Parquet, npz or npy files.
//!
//! # What it does
//! Looks up a classifier's answers, one file per circumstance. `files` is a path in which `{subject}`, `{seed}`, `{ladder}` and
//! `{severity}` are filled in; a severity is written as the study writes it, with `-` for `/` (`8/255` becomes `8-255`). The clean
//! answers are where `clean` says, or where `files` leads with ladder `clean` and severity `0`. A path without `{seed}` gives the
//! same answers for every seed.
//!
//! Answers come in three forms. *Probabilities* and *logits* have a column per class, named as the class (or with a `prefix`),
//! or one column of lists, or one array with two axes. *Labels* have a column `prediction` and perhaps one `confidence`. With `form
//! = "auto"`, columns or arrays of numbers are probabilities when every row is within [0, 1] and sums to 1, logits when the
//! values go beyond, and refused when they are nearly but not quite probabilities; an array called `logits`, `probs` or
//! `probabilities` is what it is called. What was found is kept with the answers.
//!
//! Rows belong to items by the `id` column, in any order. An item without a row has no answer, and the reason is kept; a row
//! without an item is refused. Without an `id` column rows belong to items by position, and must be as many.
//!
//! # Why it matters
//! Most people come with predictions, not with a model. Orders of rows and of classes that differ between files are the most common
//! way to a wrong table, and nobody notices: here both are part of the data and compared by name.
//!
//! # Promise
//! The names and the order of classes are those of `classes`, else of the file's columns other than the id, the prediction, the
//! confidence, `ignore` and columns without a name (the index that pandas writes); for lists and arrays the numbers from 0. A
//! gauge refuses to compare them with a truth whose classes are others. Rows that do not sum to 1, numbers that are not
//! finite, labels outside the classes, ids that are there twice are refused with file and line.
//!
//! # Example
//! ```toml
//! [subject.baseline]
//! use   = "recorded"
//! files = "preds/{subject}_seed{seed}_{ladder}_{severity}.csv"   # id,benign,malignant
//! clean = "preds/{subject}_seed{seed}_clean.csv"
//! ```
//!
//! # Reference
//! The layouts of scikit-learn's `predict_proba` and of `numpy.savez(probs=…, ids=…)`.

use std::collections::HashMap;
use std::path::PathBuf;

use duress_core::answer::{Answers, ClassAnswers, SUM_TOLERANCE, Said};
use duress_core::data::Items;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::subject::{Circumstances, Recording, Subjected};

use crate::files;
use crate::files::labels::{listed, no_class_twice, positions};
use crate::files::table::{Head, Table, Want, by_name, find_column, no_column};
use crate::files::template::Template;

/// The part.
pub static PART: Part = Part {
    name: "recorded",
    version: 1,
    fields: &[
        Field {
            name: "files",
            takes: Takes::Text,
            doc: "where the answers are, with {subject}, {seed}, {ladder} and {severity} to be filled in",
            default: None,
        },
        Field {
            name: "clean",
            takes: Takes::Text,
            doc: "where the answers without stress are; when left out, `files` with ladder clean and severity 0",
            default: Some(""),
        },
        Field {
            name: "id",
            takes: Takes::Text,
            doc: "the column with the ids; when left out, `id` or `ids`, else rows belong to items by position",
            default: Some(""),
        },
        Field {
            name: "form",
            takes: Takes::Choice(&["auto", "probabilities", "logits", "labels"]),
            doc: "in what form the answers are",
            default: Some("auto"),
        },
        Field {
            name: "classes",
            takes: Takes::Texts,
            doc: "the names of the classes, in the order of the columns; when left out, the file's columns",
            default: Some(""),
        },
        Field {
            name: "prefix",
            takes: Takes::Text,
            doc: "what stands before the name of a class in the name of its column",
            default: Some(""),
        },
        Field {
            name: "values",
            takes: Takes::Text,
            doc: "the array, or the column of lists, with a number per class; when left out, `probabilities`, `probs` or `logits`",
            default: Some(""),
        },
        Field {
            name: "prediction",
            takes: Takes::Text,
            doc: "the column with the class that was said; naming it means `form = \"labels\"`; when left out, `prediction`",
            default: Some(""),
        },
        Field {
            name: "confidence",
            takes: Takes::Text,
            doc: "the column that says how sure it was; when left out, `confidence` if there is one",
            default: Some(""),
        },
        Field {
            name: "ignore",
            takes: Takes::Texts,
            doc: "columns that are no classes",
            default: Some("label labels"),
        },
    ],
    source: include_str!("recorded.rs"),
    build: Build::Subject(|params| Ok(Subjected::Recorded(Box::new(Recorded::new(params)?)))),
};

/// What a path may have filled in.
const PLACES: [&str; 4] = ["subject", "seed", "ladder", "severity"];

/// Where answers are and how they are to be read.
struct Recorded {
    folder: PathBuf,
    files: Template,
    clean: Option<Template>,
    id: Option<String>,
    form: Form,
    classes: Vec<String>,
    prefix: String,
    values: Option<String>,
    prediction: Option<String>,
    confidence: Option<String>,
    ignore: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Auto,
    Probabilities,
    Logits,
    Labels,
}

/// Where in a file the answers are.
struct Layout {
    id: Option<String>,
    form: Form,
    body: Body,
}

enum Body {
    /// A column per class.
    Columns { columns: Vec<String>, classes: Vec<String> },
    /// A list per row.
    List(String),
    /// A class per row.
    Labels { prediction: String, confidence: Option<String> },
}

impl Recorded {
    fn new(params: &Params) -> Result<Recorded, Problem> {
        let text = |key| params.text_if(key).map(String::from);
        let template = |text: &str| Template::parse(text, &PLACES);
        no_class_twice(params.texts("classes"))?;
        Ok(Recorded {
            folder: params.folder().into(),
            files: template(params.text("files"))?,
            clean: params.text_if("clean").map(template).transpose()?,
            id: text("id"),
            form: match params.text("form") {
                "probabilities" => Form::Probabilities,
                "logits" => Form::Logits,
                "labels" => Form::Labels,
                _ => Form::Auto,
            },
            classes: params.texts("classes").to_vec(),
            prefix: text("prefix").unwrap_or_default(),
            values: text("values"),
            prediction: text("prediction"),
            confidence: text("confidence"),
            ignore: params.texts("ignore").to_vec(),
        })
    }

    fn path(&self, at: &Circumstances) -> Result<PathBuf, Problem> {
        let values = |ladder: &str| {
            let texts = [at.subject.to_string(), at.seed.to_string(), ladder.into(), at.severity.to_string()];
            PLACES.into_iter().zip(texts).collect::<Vec<_>>()
        };
        match (&at.ladder, &self.clean) {
            (Some(ladder), _) if !self.files.has("ladder") && !self.files.has("severity") => {
                Err(Problem::new("`files` leads to the same file with and without stress").expected(format!(
                    "{{ladder}} and {{severity}} in it, since there is a ladder `{ladder}`"
                )))
            }
            (Some(ladder), _) => self.files.find(&self.folder, "files", &values(ladder.as_str())),
            (None, Some(clean)) => clean.find(&self.folder, "clean", &values("clean")),
            (None, None) => self.files.find(&self.folder, "files", &values("clean")),
        }
    }
}

impl Recording for Recorded {
    fn answers(&self) -> Question {
        Question::Classes
    }

    fn sources(&self, at: &Circumstances) -> Result<Vec<PathBuf>, Problem> {
        Ok(vec![self.path(at)?])
    }

    fn look_up(&self, at: &Circumstances, items: &Items) -> Result<Answers, Problem> {
        let path = self.path(at)?;
        let mut layout = None;
        let table = files::read(&path, &mut |heads| {
            let found = self.layout(heads)?;
            let wants = found.wants(heads);
            layout = Some(found);
            Ok(wants)
        })?;
        let layout = layout.ok_or_else(|| Problem::new("the table has no header").in_file(&path))?;
        let answers = self.answers_in(&table, &layout, items).map_err(|problem| problem.in_file(&path))?;
        Ok(Answers::Classes(answers))
    }
}

/// What a file's columns say about where the answers are.
impl Recorded {
    fn layout(&self, heads: &[Head]) -> Result<Layout, Problem> {
        let id = find_column(heads, self.id.as_deref(), &["id", "ids"])?;
        if self.form == Form::Labels || (self.form == Form::Auto && self.prediction.is_some()) {
            return Ok(Layout { id, form: Form::Labels, body: self.labels(heads)? });
        }
        if let Some(list) = find_column(heads, self.values.as_deref(), &[])?.or_else(|| lone_list(heads)) {
            return Ok(Layout { id, form: self.form.or_as_called(&list), body: Body::List(list) });
        }
        let classes = self.class_columns(heads, id.as_deref())?;
        let columns: Vec<String> = classes.iter().map(|class| format!("{}{class}", self.prefix)).collect();
        let has = |name: &String| heads.iter().any(|head| head.name == *name);
        let predicted = heads.iter().any(|head| head.name == PREDICTION);
        match columns.iter().find(|column| !has(column)) {
            _ if self.form == Form::Auto && predicted && (columns.len() < 2 || !columns.iter().any(has)) => {
                Ok(Layout { id, form: Form::Labels, body: self.labels(heads)? })
            }
            Some(missing) => Err(no_column(missing, heads)),
            None if columns.len() < 2 => Err(no_answers(heads)),
            None => Ok(Layout { id, form: self.form, body: Body::Columns { columns, classes } }),
        }
    }

    fn labels(&self, heads: &[Head]) -> Result<Body, Problem> {
        let prediction = find_column(heads, self.prediction.as_deref(), &[PREDICTION])?;
        let prediction = prediction.ok_or_else(|| no_column(PREDICTION, heads))?;
        if self.classes.is_empty() {
            return Err(Problem::new("nothing says which classes there are")
                .expected("`classes = […]`: a class that was never predicted is not in the file"));
        }
        Ok(Body::Labels {
            prediction,
            confidence: find_column(heads, self.confidence.as_deref(), &[CONFIDENCE])?,
        })
    }

    /// The classes, as the study names them or as the file has columns.
    fn class_columns(&self, heads: &[Head], id: Option<&str>) -> Result<Vec<String>, Problem> {
        if !self.classes.is_empty() {
            return Ok(self.classes.clone());
        }
        let other = |name: &str| {
            let own = [self.prediction.as_deref(), self.confidence.as_deref(), id].contains(&Some(name));
            own || [PREDICTION, CONFIDENCE, INDEX, ""].contains(&name)
                || self.ignore.iter().any(|no| no == name)
        };
        let classes = heads.iter().filter(|head| !head.listed && !other(&head.name));
        let classes = classes.filter_map(|head| head.name.strip_prefix(self.prefix.as_str()));
        Ok(classes.map(String::from).collect())
    }
}

const PREDICTION: &str = "prediction";
const CONFIDENCE: &str = "confidence";
/// What pandas calls an index without a name when it writes Parquet.
const INDEX: &str = "__index_level_0__";

/// The list that is called as answers are called, else the only one there is.
fn lone_list(heads: &[Head]) -> Option<String> {
    let lists: Vec<&Head> = heads.iter().filter(|head| head.listed).collect();
    let called = ["probabilities", "probs", "logits"];
    let known = called.iter().find_map(|name| lists.iter().find(|head| head.name == *name));
    match (known, lists.as_slice()) {
        (Some(head), _) => Some(head.name.clone()),
        (None, [only]) => Some(only.name.clone()),
        _ => None,
    }
}

fn no_answers(heads: &[Head]) -> Problem {
    let names: Vec<&str> = heads.iter().map(|head| head.name.as_str()).collect();
    Problem::new(format!("there are no answers among the columns {}", names.join(", "))).expected(
        "a column per class, a column `prediction`, or an array with a row per item (`values = …` says which)",
    )
}

impl Form {
    fn or_as_called(self, name: &str) -> Form {
        match (self, name) {
            (Form::Auto, "logits") => Form::Logits,
            (Form::Auto, "probabilities" | "probs") => Form::Probabilities,
            _ => self,
        }
    }
}

impl Layout {
    fn wants(&self, heads: &[Head]) -> Vec<Want> {
        let mut texts: Vec<&str> = self.id.as_deref().into_iter().collect();
        let numbers: Vec<&str> = match &self.body {
            Body::Columns { columns, .. } => columns.iter().map(String::as_str).collect(),
            Body::List(name) => vec![name],
            Body::Labels { prediction, confidence } => {
                texts.push(prediction);
                confidence.as_deref().into_iter().collect()
            }
        };
        by_name(heads, &numbers, &texts)
    }
}

/// From a table to answers about items.
impl Recorded {
    fn answers_in(&self, table: &Table, layout: &Layout, items: &Items) -> Result<ClassAnswers, Problem> {
        let rows = rows_of(table, layout.id.as_deref(), items)?;
        let (classes, said) = match &layout.body {
            Body::Labels { prediction, confidence } => {
                (self.classes.clone(), self.say_labels(table, prediction, confidence.as_deref(), &rows)?)
            }
            Body::Columns { columns, classes } => {
                let numbers = Numbers::of_columns(table, columns);
                (classes.clone(), numbers.say(layout.form, &rows)?)
            }
            Body::List(name) => {
                let numbers = Numbers::of_list(table, name);
                (self.classes_of_list(name, numbers.classes())?, numbers.say(layout.form, &rows)?)
            }
        };
        let name = table.file().file_name().unwrap_or_default().to_string_lossy();
        let absent = rows.iter().enumerate().filter(|(_, row)| row.is_none());
        Ok(absent.fold(ClassAnswers::new(classes, said), |answers, (i, _)| {
            answers.without(i, format!("there is no row with its id in {name}"))
        }))
    }

    fn classes_of_list(&self, name: &str, width: usize) -> Result<Vec<String>, Problem> {
        match self.classes.len() {
            0 => Ok((0..width).map(|class| class.to_string()).collect()),
            n if n == width => Ok(self.classes.clone()),
            n => Err(Problem::new(format!("`{name}` has {width} numbers in a row"))
                .expected(format!("{n}, one for each of {}", listed(&self.classes)))),
        }
    }

    fn say_labels(
        &self,
        table: &Table,
        prediction: &str,
        confidence: Option<&str>,
        rows: &[Option<usize>],
    ) -> Result<Said, Problem> {
        let (labels, _) = positions(table, prediction, &self.classes)?;
        let sure = confidence.map(|name| (name, table.numbers(name).1));
        if let Some((name, sure)) = sure
            && let Some(row) = sure.iter().position(|c| !(0.0..=1.0).contains(c))
        {
            let problem =
                Problem::new(format!("`{name}` is {}", sure[row])).expected("a confidence from 0 to 1");
            return Err(table.at(row, problem));
        }
        // What stands in the place of an absent answer is never read.
        let label = rows.iter().map(|row| row.map_or(0, |row| labels[row])).collect();
        let confidence =
            sure.map(|(_, sure)| rows.iter().map(|row| row.map_or(0.0, |row| sure[row])).collect());
        Ok(Said::Labels { label, confidence })
    }
}

/// The row of each item; `None` where it has none.
fn rows_of(table: &Table, id: Option<&str>, items: &Items) -> Result<Vec<Option<usize>>, Problem> {
    let in_order = || Ok((0..table.rows()).map(Some).collect());
    let Some(id) = id else {
        return match table.rows() == items.len() {
            true => in_order(),
            false => Err(Problem::new(format!("there are {} rows for {} items", table.rows(), items.len()))
                .expected("as many rows as items, or a column with ids")),
        };
    };
    let ids = table.texts(id);
    if ids.iter().eq(items.ids().iter().map(String::as_str)) {
        return in_order();
    }
    let places: HashMap<&str, usize> = items.ids().iter().map(String::as_str).zip(0..).collect();
    let mut rows: Vec<Option<usize>> = vec![None; items.len()];
    for (row, text) in ids.iter().enumerate() {
        let Some(&item) = places.get(text) else {
            let problem = Problem::new(format!("the id {text:?} is not in the dataset"))
                .expected(format!("an id such as {:?}", items.ids().first().map_or("", String::as_str)));
            return Err(table.at(row, problem));
        };
        if let Some(before) = rows[item].replace(row) {
            return Err(table.twice(text, before, row));
        }
    }
    Ok(rows)
}

/// A number per row and class, whichever way the file has them.
struct Numbers<'a> {
    table: &'a Table,
    /// For each class, the values from its first on.
    columns: Vec<&'a [f64]>,
    /// How far apart two rows are.
    stride: usize,
}

impl<'a> Numbers<'a> {
    fn of_columns(table: &'a Table, columns: &[String]) -> Numbers<'a> {
        Numbers { table, columns: columns.iter().map(|name| table.numbers(name).1).collect(), stride: 1 }
    }

    fn of_list(table: &'a Table, name: &str) -> Numbers<'a> {
        let (stride, values) = table.numbers(name);
        Numbers { table, columns: (0..stride).map(|class| &values[class..]).collect(), stride }
    }

    fn classes(&self) -> usize {
        self.columns.len()
    }

    fn row(&self, row: usize) -> impl Iterator<Item = f64> {
        self.columns.iter().map(move |column| column[row * self.stride])
    }

    fn say(&self, form: Form, rows: &[Option<usize>]) -> Result<Said, Problem> {
        let form = self.settle(form)?;
        let mut all = Vec::with_capacity(rows.len() * self.classes());
        for row in rows {
            match row {
                Some(row) => all.extend(self.row(*row)),
                // What stands in the place of an absent answer is never read.
                None => all.resize(all.len() + self.classes(), 0.0),
            }
        }
        Ok(if form == Form::Logits { Said::Logits(all) } else { Said::Probabilities(all) })
    }

    /// Logits or probabilities, and every row one. A row of logits hardly ever looks like probabilities; where more than a
    /// tenth of the rows do, the others are damaged probabilities and not logits.
    fn settle(&self, form: Form) -> Result<Form, Problem> {
        if form == Form::Logits {
            return Ok(form);
        }
        let proper = (0..self.table.rows()).filter(|row| self.is_proper(*row)).count();
        let Some(first) = (0..self.table.rows()).find(|row| !self.is_proper(*row)) else {
            return Ok(Form::Probabilities);
        };
        let beyond = || (0..self.table.rows()).any(|row| self.row(row).any(|p| !(0.0..=1.0).contains(&p)));
        if form == Form::Auto && 10 * proper <= self.table.rows() && beyond() {
            return Ok(Form::Logits);
        }
        let sum: f64 = self.row(first).sum();
        let values: Vec<String> = self.row(first).take(8).map(|p| p.to_string()).collect();
        let problem = Problem::new(format!("the probabilities {} sum to {sum}", values.join(", ")))
            .expected("probabilities from 0 to 1 that sum to 1")
            .hint("if these are logits, say `form = \"logits\"`");
        Err(self.table.at(first, problem))
    }

    fn is_proper(&self, row: usize) -> bool {
        let sum: f64 = self.row(row).sum();
        // The same rule as in the core, where answers are checked once more.
        self.row(row).all(|p| (0.0..=1.0 + 1e-9).contains(&p)) && (sum - 1.0).abs() <= SUM_TOLERANCE
    }
}
