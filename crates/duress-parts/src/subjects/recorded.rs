//! Answers that were given elsewhere, from CSV, Parquet, npz, npy, JSON lines or xlsx files.
//!
//! # What it does
//! Looks up a subject's answers, one file per circumstance. `files` is a path in which `{subject}`, `{seed}`, `{ladder}`,
//! `{severity}` and `{variant}` are filled in; a severity is written as the study writes it, with `-` for `/` (`8/255` becomes `8-255`). The clean
//! answers are where `clean` says, or where `files` leads with ladder `clean` and severity `0`. A path without `{seed}` gives the
//! same answers for every seed.
//!
//! Answers come in three forms. *Probabilities* and *logits* have a column per class, named as the class (or with a `prefix`),
//! or one column of lists, or one array with two axes. *Labels* have a column `prediction` and perhaps one `confidence`. With `form
//! = "auto"`, columns or arrays of numbers are probabilities when every row is within [0, 1] and sums to 1, logits when the
//! values go beyond, and refused when they are nearly but not quite probabilities; an array called `logits`, `probs` or
//! `probabilities` is what it is called. What was found is kept with the answers.
//!
//! A subject that writes has `form = "texts"`: one text per row in the column `text`, for a rater to read.
//!
//! A structure learner has `form = "graph"`: one file is one graph over the dataset's variables, as a list of edges (`from`, `to`,
//! perhaps `score`) or as a table of who acts on whom, causes in rows, effects in columns; what is not 0 is an edge.
//! A graph without edges is a table of zeros, since a file without rows is refused.
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

use std::path::{Path, PathBuf};

use duress_core::answer::{Answers, ClassAnswers, Said, TextAnswers};
use duress_core::data::Items;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::subject::{Circumstances, Recording, Subjected};

use crate::files;
use crate::files::labels::{listed, no_class_twice, positions};
use crate::files::rows::rows_of;
use crate::files::scores::{Form, Scores};
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
            doc: "where the answers are, with {subject}, {seed}, {ladder}, {severity} and {variant} to be filled in",
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
            takes: Takes::Choice(&["auto", "probabilities", "logits", "labels", "texts", "graph"]),
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
            name: "text",
            takes: Takes::Text,
            doc: "the column with what was written, for `form = \"texts\"`; when left out, `text`",
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
const PLACES: [&str; 5] = ["subject", "seed", "ladder", "severity", "variant"];

/// Where answers are and how they are to be read.
struct Recorded {
    folder: PathBuf,
    files: Template,
    clean: Option<Template>,
    id: Option<String>,
    /// What numbers per class are; `None` when there are none, but labels.
    form: Option<Form>,
    classes: Vec<String>,
    prefix: String,
    values: Option<String>,
    prediction: Option<String>,
    confidence: Option<String>,
    /// Where texts are; `None` when the answers are classes.
    text: Option<String>,
    /// Whether a file holds a graph.
    graph: bool,
    ignore: Vec<String>,
}

/// Where in a file the answers are.
struct Layout {
    id: Option<String>,
    body: Body,
}

enum Body {
    /// A column per class.
    Columns { columns: Vec<String>, classes: Vec<String>, form: Form },
    /// A list per row.
    List { name: String, form: Form },
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
                "probabilities" => Some(Form::Probabilities),
                "logits" => Some(Form::Logits),
                "labels" => None,
                _ => Some(Form::Auto),
            },
            classes: params.texts("classes").to_vec(),
            prefix: text("prefix").unwrap_or_default(),
            values: text("values"),
            prediction: text("prediction"),
            confidence: text("confidence"),
            text: (params.text("form") == "texts").then(|| text("text").unwrap_or_else(|| "text".into())),
            graph: params.text("form") == "graph",
            ignore: params.texts("ignore").to_vec(),
        })
    }

    fn path(&self, at: &Circumstances) -> Result<PathBuf, Problem> {
        let values = |ladder: &str| {
            let variant = at.variant.clone().unwrap_or_else(|| "0".into());
            let (subject, seed, severity) = (&at.subject, at.seed, &at.severity);
            let texts = [subject.to_string(), seed.to_string(), ladder.into(), severity.to_string(), variant];
            PLACES.into_iter().zip(texts).collect::<Vec<_>>()
        };
        match (&at.ladder, &self.clean) {
            (Some(ladder), _) if at.variant.is_some() && !self.files.has("variant") => {
                Err(Problem::new("`files` leads to the same file for different ways to press equally hard")
                    .expected(format!(
                        "{{variant}} in it, since `{ladder}` has several at severity {}",
                        at.severity
                    )))
            }
            (Some(ladder), _)
                if !["ladder", "severity", "variant"].iter().any(|place| self.files.has(place)) =>
            {
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
        match (&self.text, self.graph) {
            (_, true) => Question::Graph,
            (Some(_), false) => Question::Text,
            (None, false) => Question::Classes,
        }
    }

    fn sources(&self, at: &Circumstances) -> Result<Vec<PathBuf>, Problem> {
        Ok(vec![self.path(at)?])
    }

    fn look_up(&self, at: &Circumstances, items: &Items) -> Result<Answers, Problem> {
        let path = self.path(at)?;
        if self.graph {
            let windows = items.windows().map_err(|failure| Problem::new(failure.why))?;
            return files::graph::read(&path, windows.variables()).map(Answers::Graph);
        }
        if let Some(column) = &self.text {
            return self.texts_in(&path, column, items).map(Answers::Texts);
        }
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

/// Texts, which need no classes.
impl Recorded {
    fn texts_in(&self, path: &Path, column: &str, items: &Items) -> Result<TextAnswers, Problem> {
        let mut id = None;
        let table = files::read(path, &mut |heads| {
            id = find_column(heads, self.id.as_deref(), &["id", "ids"])?;
            find_column(heads, Some(column), &[])?;
            let wanted: Vec<&str> = id.as_deref().into_iter().chain([column]).collect();
            Ok(by_name(heads, &[], &wanted))
        })?;
        let rows = rows_of(&table, id.as_deref(), items).map_err(|problem| problem.in_file(path))?;
        let texts = table.texts(column);
        let said = |row: Option<usize>| match row {
            Some(row) => Ok(texts.get(row).to_string()),
            None => Err(no_row(table.file())),
        };
        Ok(TextAnswers { texts: rows.into_iter().map(said).collect() })
    }
}

/// Why an item has no answer.
fn no_row(file: &Path) -> String {
    format!("there is no row with its id in {}", file.file_name().unwrap_or_default().to_string_lossy())
}

/// What a file's columns say about where the answers are.
impl Recorded {
    fn layout(&self, heads: &[Head]) -> Result<Layout, Problem> {
        let id = find_column(heads, self.id.as_deref(), &["id", "ids"])?;
        let body = match self.form {
            None => self.labels(heads)?,
            Some(Form::Auto) if self.prediction.is_some() => self.labels(heads)?,
            Some(form) => self.numbers(heads, id.as_deref(), form)?,
        };
        Ok(Layout { id, body })
    }

    /// Numbers per class: in the list that was named or is called as such lists are, in a column per class, or in the only list
    /// there is; where there are none, but predictions, labels after all.
    fn numbers(&self, heads: &[Head], id: Option<&str>, form: Form) -> Result<Body, Problem> {
        if let Some(name) = self.named_list(heads, form)? {
            return Ok(Body::List { form: form.or_as_called(&name), name });
        }
        let classes = self.class_columns(heads, id);
        let columns: Vec<String> = classes.iter().map(|class| format!("{}{class}", self.prefix)).collect();
        let has = |name: &str| heads.iter().any(|head| head.name == name);
        let some = columns.len() > 1 && columns.iter().any(|column| has(column));
        let mut lists = heads.iter().filter(|head| head.listed);
        match (columns.iter().find(|column| !has(column)), lists.next(), lists.next()) {
            (None, ..) if some => Ok(Body::Columns { columns, classes, form }),
            (_, Some(only), None) if !some => Ok(Body::List { name: only.name.clone(), form }),
            _ if !some && form == Form::Auto && has(PREDICTION) => self.labels(heads),
            (Some(missing), ..) => Err(no_column(missing, heads)),
            (None, ..) => Err(no_answers(heads)),
        }
    }

    fn named_list(&self, heads: &[Head], form: Form) -> Result<Option<String>, Problem> {
        if let Some(name) = find_column(heads, self.values.as_deref(), &[])? {
            let listed = heads.iter().any(|head| head.name == name && head.listed);
            return match listed {
                true => Ok(Some(name)),
                false => {
                    Err(Problem::new(format!("`{name}` has one number in a row")).expected("one per class"))
                }
            };
        }
        let called: &[&str] = match form {
            Form::Logits => &["logits"],
            _ => &["probabilities", "probs", "logits"],
        };
        let lists: Vec<Head> = heads.iter().filter(|head| head.listed).cloned().collect();
        find_column(&lists, None, called)
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
    fn class_columns(&self, heads: &[Head], id: Option<&str>) -> Vec<String> {
        if !self.classes.is_empty() {
            return self.classes.clone();
        }
        let other = |name: &str| {
            let own = [self.prediction.as_deref(), self.confidence.as_deref(), id].contains(&Some(name));
            own || [PREDICTION, CONFIDENCE, INDEX, ""].contains(&name)
                || self.ignore.iter().any(|no| no == name)
        };
        let classes = heads.iter().filter(|head| !head.listed && !other(&head.name));
        let classes = classes.filter_map(|head| head.name.strip_prefix(self.prefix.as_str()));
        classes.map(String::from).collect()
    }
}

const PREDICTION: &str = "prediction";
const CONFIDENCE: &str = "confidence";
/// What pandas calls an index without a name when it writes Parquet.
const INDEX: &str = "__index_level_0__";

fn no_answers(heads: &[Head]) -> Problem {
    let names: Vec<&str> = heads.iter().map(|head| head.name.as_str()).collect();
    Problem::new(format!("there are no answers among the columns {}", names.join(", "))).expected(
        "a column per class, a column `prediction`, or an array with a row per item (`values = …` says which)",
    )
}

impl Layout {
    fn wants(&self, heads: &[Head]) -> Vec<Want> {
        let mut texts: Vec<&str> = self.id.as_deref().into_iter().collect();
        let numbers: Vec<&str> = match &self.body {
            Body::Columns { columns, .. } => columns.iter().map(String::as_str).collect(),
            Body::List { name, .. } => vec![name],
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
            Body::Columns { columns, classes, form } => {
                (classes.clone(), Scores::of_columns(table, columns).say(*form, &rows)?)
            }
            Body::List { name, form } => {
                let scores = Scores::of_list(table, name);
                (self.classes_of_list(name, scores.classes())?, scores.say(*form, &rows)?)
            }
        };
        let absent = rows.iter().enumerate().filter(|(_, row)| row.is_none());
        Ok(absent.fold(ClassAnswers::new(classes, said), |answers, (i, _)| {
            answers.without(i, no_row(table.file()))
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
