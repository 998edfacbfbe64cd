//! Answers that were given elsewhere, from CSV, Parquet, npz, npy, PyTorch, JSON lines or xlsx
//! files.
//!
//! # What it does
//! Looks up a subject's answers, one file per circumstance. `files` is a path in which `{subject}`,
//! `{seed}`, `{ladder}`, `{severity}` and `{variant}` are filled in; a severity is written as the
//! study writes it, with `-` for `/` (`8/255` becomes `8-255`), and a number without quotes without
//! zeros at its end (`0.10` looks for `0.1`, `"0.10"` for `0.10`). The clean answers are where
//! `clean` says, or where `files` leads with ladder `clean` and severity `0`. A path without
//! `{seed}` gives the same answers for every seed.
//!
//! Answers come in three forms. *Probabilities* and *logits* have a column per class, named as the
//! class (or with a `prefix`), or one column of lists, or one array with two axes. *Labels* have a
//! column `prediction` and perhaps one `confidence`. With `form = "auto"`, columns or arrays of
//! numbers are probabilities when every row is within [0, 1] and sums to 1, logits when the values
//! go beyond, and refused when they are nearly but not quite probabilities; an array called
//! `logits`, `probs` or `probabilities` is what it is called. What was found is kept with the
//! answers.
//!
//! A table may be *long*, with a row per item and class: a column `class`, one `probability` (or
//! `logit`, `value`, `score`) and one with ids. Two classes may have *one column*, the probability
//! or the logit of the second, called `probability`, `score`, `y_pred_proba` or as `positive` says;
//! it is told to be logits when more than a tenth of it lies outside [0, 1], and refused when less
//! does.
//!
//! Columns named in `scores` are kept beside the answers: a number per item that was measured about
//! its answer, such as how stable its explanation is. Gauges of selective prediction ask for one by
//! name (`stability`).
//!
//! A *temperature* divides all logits: the one `temperature` gives, or the one that fits the
//! answers in the file `fit-temperature-on`, which has the true classes beside them and no item of
//! the test. A subject with and one without it, on the same files, give its effect as a contrast.
//!
//! A subject that writes has `form = "texts"`: one text per row in the column `text`, for a rater
//! to read.
//!
//! A structure learner has `form = "graph"`: one file is one graph over the dataset's variables, as
//! a list of edges (`from`, `to`, perhaps `score`) or as a table of who acts on whom, causes in
//! rows, effects in columns; what is not 0 is an edge. A graph without edges is a table of zeros,
//! since a file without rows is refused.
//!
//! An array or a list has its classes in the order of `classes`, else of an array `classes`,
//! `class_names` or `classes_` beside it with as many names, else they are the numbers from 0.
//! Where the study states `classes` in another order than the dataset's, they are put into the
//! dataset's; where only the file has another order, it is refused.
//!
//! Rows belong to items by the `id` column, in any order. An item without a row has no answer, and
//! the reason is kept; a row without an item is refused. Without an `id` column rows belong to
//! items by position, and must be as many.
//!
//! # Why it matters
//! Most people come with predictions, not with a model. Orders of rows and of classes that differ
//! between files are the most common way to a wrong table, and nobody notices: here both are part
//! of the data and compared by name.
//!
//! # Promise
//! The names and the order of classes are those of `classes`, else of the file's columns other than
//! the id, the prediction, the confidence, `ignore` and columns without a name (the index that
//! pandas writes); for lists and arrays the numbers from 0. A gauge refuses to compare them with a
//! truth whose classes are others. Rows that do not sum to 1, numbers that are not finite, labels
//! outside the classes, ids that are there twice are refused with file and line.
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

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use duress_core::answer::{Answers, ClassAnswers, Said, TextAnswers};
use duress_core::data::Items;
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::subject::{Circumstances, Recording, Subjected};

use crate::scaling;
use duress_tables::formats;
use duress_tables::graph;
use duress_tables::labels::{listed, names_beside, no_class_twice, positions};
use duress_tables::long::{Long, gather};
use duress_tables::rows::rows_of;
use duress_tables::scores::{Form, Scores, take};
use duress_tables::table::{Head, ROW, Table, Want, both, by_name, find_column, in_row, no_column};
use duress_tables::template::Template;

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
            takes: Takes::Choice(&[
                "auto",
                "probabilities",
                "logits",
                "labels",
                "texts",
                "graph",
            ]),
            doc: "in what form the answers are",
            default: Some("auto"),
        },
        Field {
            name: "classes",
            takes: Takes::Texts,
            doc: "the names of the classes: which columns are meant, or in which order those of an array stand; when left out, as the file has them",
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
            name: "positive",
            takes: Takes::Text,
            doc: "the only column of numbers, with the probability or the logit of the second of two classes",
            default: Some(""),
        },
        Field {
            name: "class",
            takes: Takes::Text,
            doc: "in a table with a row per item and class, the column with the class; when left out, `class`",
            default: Some(""),
        },
        Field {
            name: "temperature",
            takes: Takes::Number(1e-3, 1e3),
            doc: "what all logits are divided by",
            default: Some(""),
        },
        Field {
            name: "fit-temperature-on",
            takes: Takes::Text,
            doc: "a file of answers with their true classes, other than the test, on which the temperature is fitted; with places as in `files`",
            default: Some(""),
        },
        Field {
            name: "validation-label",
            takes: Takes::Text,
            doc: "the column with the true class in that file; when left out, `label` or `labels`",
            default: Some(""),
        },
        Field {
            name: "text",
            takes: Takes::Text,
            doc: "the column with what was written, for `form = \"texts\"`; when left out, `text`",
            default: Some(""),
        },
        Field {
            name: "scores",
            takes: Takes::Texts,
            doc: "columns with a number per item that was measured about its answer, for a gauge to ask for by name",
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
pub(crate) struct Recorded {
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
    positive: Option<String>,
    class: Option<String>,
    temperature: Temperature,
    /// Where texts are; `None` when the answers are classes.
    text: Option<String>,
    /// Whether a file holds a graph.
    graph: bool,
    ignore: Vec<String>,
    scores: Vec<String>,
}

/// What logits are divided by.
enum Temperature {
    One,
    Given(f64),
    /// What fits the answers in this file, with the true classes in a column that may be named.
    Fitted(Template, Option<String>),
}

/// Where in a file the answers are.
pub(crate) struct Layout {
    id: Option<String>,
    /// The true classes, where a temperature is fitted on the file.
    label: Option<String>,
    /// What was measured about each answer.
    scores: Vec<String>,
    body: Body,
}

enum Body {
    /// A column per class.
    Columns {
        columns: Vec<String>,
        classes: Vec<String>,
        form: Form,
    },
    /// A list per row.
    List { name: String, form: Form },
    /// A row per item and class.
    Long {
        class: String,
        value: String,
        form: Form,
    },
    /// A number per row, about the second of two classes.
    Positive { name: String, form: Form },
    /// A class per row.
    Labels {
        prediction: String,
        confidence: Option<String>,
    },
}

impl Recorded {
    pub(crate) fn new(params: &Params) -> Result<Recorded, Problem> {
        let text = |key| params.text_if(key).map(String::from);
        let template = |text: &str| Template::parse(text, &PLACES);
        no_class_twice(params.texts("classes"))?;
        let temperature = match (
            params.number_if("temperature"),
            params.text_if("fit-temperature-on"),
        ) {
            (None, None) => Temperature::One,
            (Some(given), None) => Temperature::Given(given),
            (None, Some(file)) => Temperature::Fitted(template(file)?, text("validation-label")),
            (Some(_), Some(_)) => {
                return Err(Problem::new(
                    "`temperature` and `fit-temperature-on` both say what logits are divided by",
                )
                .expected("one of the two"));
            }
        };
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
            positive: text("positive"),
            class: text("class"),
            temperature,
            text: (params.text("form") == "texts")
                .then(|| text("text").unwrap_or_else(|| "text".into())),
            graph: params.text("form") == "graph",
            ignore: params.texts("ignore").to_vec(),
            scores: params.texts("scores").to_vec(),
        })
    }

    fn path(&self, at: &Circumstances) -> Result<PathBuf, Problem> {
        let values = |ladder: &str| places(at, ladder);
        match (&at.ladder, &self.clean) {
            (Some(ladder), _) if at.variant.is_some() && !self.files.has("variant") => {
                Err(Problem::new(
                    "`files` leads to the same file for different ways to press equally hard",
                )
                .expected(format!(
                    "{{variant}} in it, since `{ladder}` has several at severity {}",
                    at.severity
                )))
            }
            (Some(ladder), _)
                if !["ladder", "severity", "variant"]
                    .iter()
                    .any(|place| self.files.has(place)) =>
            {
                Err(
                    Problem::new("`files` leads to the same file with and without stress")
                        .expected(format!(
                            "{{ladder}} and {{severity}} in it, since there is a ladder `{ladder}`"
                        )),
                )
            }
            (Some(ladder), _) => self
                .files
                .find(&self.folder, "files", &values(ladder.as_str())),
            (None, Some(clean)) => clean.find(&self.folder, "clean", &values("clean")),
            (None, None) => self.files.find(&self.folder, "files", &values("clean")),
        }
    }
}

/// What is filled in.
fn places(at: &Circumstances, ladder: &str) -> Vec<(&'static str, String)> {
    let variant = at.variant.clone().unwrap_or_else(|| "0".into());
    let (subject, seed, severity) = (&at.subject, at.seed, &at.severity);
    let texts = [
        subject.to_string(),
        seed.to_string(),
        ladder.into(),
        severity.to_string(),
        variant,
    ];
    PLACES.into_iter().zip(texts).collect()
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
        let mut files = vec![self.path(at)?];
        files.extend(self.validation(at).transpose()?.map(|(path, _)| path));
        Ok(files)
    }

    fn classes(&self, at: &Circumstances) -> Result<Option<Vec<String>>, Problem> {
        if self.text.is_some() {
            return Ok(None);
        }
        let path = self.path(at)?;
        let layout = self
            .layout(&formats::heads(&path)?)
            .map_err(|problem| problem.in_file(&path))?;
        Ok(match layout.body {
            Body::Columns { classes, .. } => Some(classes),
            Body::Positive { name, .. } => Some(self.two_classes(&name)?),
            _ if self.classes.is_empty() => None,
            _ => Some(self.classes.clone()),
        })
    }

    fn look_up(&self, at: &Circumstances, items: &Items) -> Result<Answers, Problem> {
        let path = self.path(at)?;
        if self.graph {
            let windows = items
                .windows()
                .map_err(|failure| Problem::new(failure.why))?;
            return graph::read(&path, windows.variables()).map(Answers::Graph);
        }
        if let Some(column) = &self.text {
            return self.texts_in(&path, column, items).map(Answers::Texts);
        }
        let (table, layout) = self.read(&path, None)?;
        let answers = self
            .answers_in(table, &layout, Some(items))
            .map_err(|problem| problem.in_file(&path))?;
        let answers = match self.temperature_at(at, Some(items))? {
            None => answers,
            Some(temperature) => {
                scaling::scaled(&answers, temperature).map_err(|problem| problem.in_file(&path))?
            }
        };
        Ok(Answers::Classes(answers))
    }

    fn orders_classes(&self) -> bool {
        !self.classes.is_empty()
    }

    fn scores(&self) -> &[String] {
        &self.scores
    }

    fn remarks(&self, at: &Circumstances, answers: &Answers) -> Vec<String> {
        let Answers::Classes(said) = answers else {
            return Vec::new();
        };
        let mut remarks = Vec::new();
        let without_ids = |path: Result<PathBuf, Problem>| {
            let heads = path
                .and_then(|path| formats::heads(&path))
                .unwrap_or_default();
            find_column(&heads, self.id.as_deref(), &["id", "ids"]).is_ok_and(|id| id.is_none())
        };
        if without_ids(self.path(at)) {
            remarks.push(
                "Its rows are taken to be in the order of the items: there are no ids.".into(),
            );
        }
        if let Some(path) = self.validation(at)
            && without_ids(path.map(|(path, _)| path))
        {
            remarks.push(
                "Whether its temperature was fitted on items of the test cannot be told: there are no ids."
                    .into(),
            );
        }
        if self.form == Some(Form::Auto) && matches!(said.said(), Said::Logits(_)) {
            remarks.push(
                "Its answers are read as logits, told from the numbers; `form` would decide."
                    .into(),
            );
        }
        let below = said.below_chance();
        if below > 0 {
            remarks.push(format!(
                "{below} of its confidences are below 1/{0}, which the largest of {0} probabilities is not: perhaps they are about one class, which is `positive`.",
                said.classes().len()
            ));
        }
        if let Ok(Some(temperature)) = self.temperature_at(at, None) {
            let from = match self.validation(at) {
                Some(Ok((path, _))) => {
                    format!(
                        ", fitted on {}",
                        path.file_name().unwrap_or_default().to_string_lossy()
                    )
                }
                _ => String::new(),
            };
            remarks.push(format!(
                "Its logits are divided by the temperature {temperature:.4}{from}."
            ));
        }
        remarks
    }
}

/// The temperature.
impl Recorded {
    /// The file it is fitted on and the column with the true classes, where it is fitted.
    fn validation(&self, at: &Circumstances) -> Option<Result<(PathBuf, Option<&str>), Problem>> {
        let Temperature::Fitted(file, label) = &self.temperature else {
            return None;
        };
        let path = file.find(&self.folder, "fit-temperature-on", &places(at, "clean"));
        Some(path.map(|path| (path, label.as_deref())))
    }

    fn temperature_at(
        &self,
        at: &Circumstances,
        items: Option<&Items>,
    ) -> Result<Option<f64>, Problem> {
        if let Temperature::Given(temperature) = self.temperature {
            return Ok(Some(temperature));
        }
        let Some((path, label)) = self.validation(at).transpose()? else {
            return Ok(None);
        };
        let (table, layout) = self.read(&path, Some(label))?;
        self.fitted(table, &layout, items)
            .map(Some)
            .map_err(|problem| problem.in_file(&path))
    }

    fn fitted(&self, table: Table, layout: &Layout, items: Option<&Items>) -> Result<f64, Problem> {
        let label = layout
            .label
            .clone()
            .ok_or_else(|| Problem::new("there is no column with the true classes"))?;
        if let (Some(id), Some(items)) = (&layout.id, items) {
            let tested: HashSet<&str> = items.ids().iter().collect();
            if let Some(row) = table.texts(id).iter().position(|id| tested.contains(id)) {
                let both = Problem::new(format!(
                    "{:?} is an item of the test too",
                    table.texts(id).get(row)
                ));
                return Err(table.at(
                    row,
                    both.expected("a temperature fitted on other items than those tested"),
                ));
            }
        }
        let truth = table.clone();
        let answers = self.answers_in(table, layout, None)?;
        let (of, _) = positions(&truth, &label, answers.classes())?;
        scaling::fit(&answers, &of)
    }

    /// A table with what is wanted of it; with `label`, the true classes too.
    fn read(&self, path: &Path, label: Option<Option<&str>>) -> Result<(Table, Layout), Problem> {
        let mut layout = None;
        let table = formats::read(path, &mut |heads| {
            let mut found = self.layout(heads)?;
            if let Some(named) = label {
                let column = find_column(heads, named, &["label", "labels"])?;
                found.label = Some(column.ok_or_else(|| no_column("label", heads))?);
            }
            let wants = found.wants(heads)?;
            layout = Some(found);
            Ok(wants)
        })?;
        let layout = layout.ok_or_else(|| Problem::new("the table has no header").in_file(path))?;
        Ok((table, layout))
    }
}

/// Texts, which need no classes.
impl Recorded {
    fn texts_in(&self, path: &Path, column: &str, items: &Items) -> Result<TextAnswers, Problem> {
        let mut id = None;
        let table = formats::read(path, &mut |heads| {
            id = find_column(heads, self.id.as_deref(), &["id", "ids"])?;
            find_column(heads, Some(column), &[])?;
            let wanted: Vec<&str> = id.as_deref().into_iter().chain([column]).collect();
            Ok(by_name(heads, &[], &wanted))
        })?;
        let rows =
            rows_of(&table, id.as_deref(), items).map_err(|problem| problem.in_file(path))?;
        let texts = table.texts(column);
        let said = |row: Option<usize>| match row {
            Some(row) => Ok(texts.get(row).to_string()),
            None => Err(no_row(table.file())),
        };
        Ok(TextAnswers {
            texts: rows.into_iter().map(said).collect(),
        })
    }
}

/// Why an item has no answer.
fn no_row(file: &Path) -> String {
    format!(
        "there is no row with its id in {}",
        file.file_name().unwrap_or_default().to_string_lossy()
    )
}

/// What a file's columns say about where the answers are.
impl Recorded {
    pub(crate) fn layout(&self, heads: &[Head]) -> Result<Layout, Problem> {
        let id = find_column(heads, self.id.as_deref(), &["id", "ids"])?;
        let body = match self.form {
            None => self.labels(heads)?,
            Some(Form::Auto) if self.prediction.is_some() => self.labels(heads)?,
            // Where one column is named, a column called `class` beside it is something else.
            Some(form) => match self
                .long(heads, id.as_deref(), form)?
                .filter(|_| self.positive.is_none())
            {
                Some(long) => long,
                None => self.numbers(heads, id.as_deref(), form)?,
            },
        };
        for score in &self.scores {
            find_column(heads, Some(score), &[])?;
        }
        if matches!(body, Body::Long { .. }) && !self.scores.is_empty() {
            return Err(
                Problem::new("`scores` of a table with a row per item and class")
                    .expected("a row per item, with a column per class"),
            );
        }
        Ok(Layout {
            id,
            label: None,
            scores: self.scores.clone(),
            body,
        })
    }

    /// Numbers per class: in the list that was named or is called as such lists are, in a column
    /// per class, or in the only list there is; where there are none, but predictions, labels after
    /// all.
    fn numbers(&self, heads: &[Head], id: Option<&str>, form: Form) -> Result<Body, Problem> {
        if self.positive.is_some()
            && let Some(name) = self.one_column(heads)?
        {
            return Ok(Body::Positive { name, form });
        }
        if let Some(name) = self.named_list(heads, form)? {
            return Ok(Body::List {
                form: form.or_as_called(&name),
                name,
            });
        }
        let classes = self.class_columns(heads, id);
        let columns: Vec<String> = classes
            .iter()
            .map(|class| format!("{}{class}", self.prefix))
            .collect();
        let there: HashSet<&str> = heads.iter().map(|head| head.name.as_str()).collect();
        let has = |name: &str| there.contains(name);
        let some = columns.len() > 1 && columns.iter().any(|column| has(column));
        let mut lists = heads.iter().filter(|head| head.listed);
        match (
            columns.iter().find(|column| !has(column)),
            lists.next(),
            lists.next(),
        ) {
            (None, ..) if some => Ok(Body::Columns {
                columns,
                classes,
                form,
            }),
            (_, Some(only), None) if !some => Ok(Body::List {
                name: only.name.clone(),
                form,
            }),
            _ if !some && form == Form::Auto && has(PREDICTION) => self.labels(heads),
            (missing, ..) => match (self.one_column(heads)?.filter(|_| !some), missing) {
                (Some(name), _) => Ok(Body::Positive { name, form }),
                (None, Some(missing)) => Err(no_column(missing, heads)),
                (None, None) => Err(no_answers(heads)),
            },
        }
    }

    /// A row per item and class: when the column of classes is named, or both columns are called as
    /// they usually are.
    fn long(&self, heads: &[Head], id: Option<&str>, form: Form) -> Result<Option<Body>, Problem> {
        let Some(class) = find_column(heads, self.class.as_deref(), &["class"])? else {
            return Ok(None);
        };
        let value = find_column(
            heads,
            self.values.as_deref(),
            &["probability", "prob", "logit", "value", "score"],
        )?;
        match (value, id) {
            (Some(value), Some(_)) => {
                let form = if form == Form::Auto && value == "logit" {
                    Form::Logits
                } else {
                    form
                };
                Ok(Some(Body::Long { class, value, form }))
            }
            _ if self.class.is_none() => Ok(None),
            (None, _) => Err(no_column("probability", heads)),
            (_, None) => Err(no_column("id", heads)),
        }
    }

    /// The one column of numbers about two classes.
    fn one_column(&self, heads: &[Head]) -> Result<Option<String>, Problem> {
        if self.positive.is_none() && ![0, 2].contains(&self.classes.len()) {
            return Ok(None);
        }
        find_column(heads, self.positive.as_deref(), &POSITIVES)
    }

    /// The two classes that one column is about, of which it is about the second.
    fn two_classes(&self, column: &str) -> Result<Vec<String>, Problem> {
        match self.classes.len() {
            2 if self.classes[0] == column => Err(Problem::new(format!(
                "`{column}` is called as the first of the classes {}, and one column is about the second",
                self.classes.join(", ")
            ))
            .expected(format!("`{column}` as the second: `classes = […]` in that order"))),
            0 => Ok(vec!["0".into(), "1".into()]),
            2 => Ok(self.classes.clone()),
            n => Err(Problem::new(format!("one column of numbers for {n} classes"))
                .expected("two classes, of which it is about the second")),
        }
    }

    fn named_list(&self, heads: &[Head], form: Form) -> Result<Option<String>, Problem> {
        if let Some(name) = find_column(heads, self.values.as_deref(), &[])? {
            let listed = heads.iter().any(|head| head.name == name && head.listed);
            return match listed {
                true => Ok(Some(name)),
                false => Err(Problem::new(format!("`{name}` has one number in a row"))
                    .expected("one per class")),
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
            let own =
                [self.prediction.as_deref(), self.confidence.as_deref(), id].contains(&Some(name));
            own || [PREDICTION, CONFIDENCE, INDEX, ""].contains(&name)
                || self.ignore.iter().chain(&self.scores).any(|no| no == name)
        };
        let classes = heads
            .iter()
            .filter(|head| !head.listed && !other(&head.name));
        let classes = classes.filter_map(|head| head.name.strip_prefix(self.prefix.as_str()));
        classes.map(String::from).collect()
    }
}

const PREDICTION: &str = "prediction";
/// What people call the probability of the second of two classes.
const POSITIVES: [&str; 9] = [
    "probability",
    "prob",
    "proba",
    "p",
    "score",
    "y_prob",
    "y_proba",
    "y_score",
    "y_pred_proba",
];
const CONFIDENCE: &str = "confidence";
/// What pandas calls an index without a name when it writes Parquet.
const INDEX: &str = "__index_level_0__";

fn no_answers(heads: &[Head]) -> Problem {
    let names: Vec<&str> = heads.iter().map(|head| head.name.as_str()).collect();
    Problem::new(format!("there are no answers among the columns {}", names.join(", "))).expected(
        "a column per class, a column `prediction`, or an array with a row per item (`values = …` says which)",
    )
}

/// Where the answers are in a table with a row per item.
enum Spread<'a> {
    Numbers {
        name: &'a str,
        form: Form,
        classes: Option<Vec<String>>,
    },
    Labels {
        prediction: &'a str,
        confidence: Option<&'a str>,
    },
}

/// Numbers of both classes from those of the second: probabilities, or logits against 0. Where
/// hardly any are outside [0, 1], these are damaged probabilities and not logits.
fn both_classes(table: &Table, name: &str, form: Form) -> Result<(Vec<f64>, Form), Problem> {
    let (_, second) = table.numbers(name);
    let beyond = |p: &f64| !(0.0..=1.0).contains(p);
    let many = second.iter().filter(|p| beyond(p)).count();
    if form == Form::Logits || form == Form::Auto && 10 * many > second.len() {
        return Ok((
            second.iter().flat_map(|z| [0.0, *z]).collect(),
            Form::Logits,
        ));
    }
    let Some(row) = second.iter().position(beyond) else {
        return Ok((
            second.iter().flat_map(|p| [1.0 - p, *p]).collect(),
            Form::Probabilities,
        ));
    };
    let others = match form {
        Form::Auto => format!(
            ", and {} of {} are from 0 to 1",
            second.len() - many,
            second.len()
        ),
        _ => String::new(),
    };
    let problem = Problem::new(format!("`{name}` is {}{others}", second[row]));
    let problem = problem.expected("a probability from 0 to 1");
    Err(table.at(
        row,
        problem.hint("if it is a logit, say `form = \"logits\"`"),
    ))
}

impl Layout {
    pub(crate) fn wants(&self, heads: &[Head]) -> Result<Vec<Want>, Problem> {
        let mut texts: Vec<&str> = self
            .id
            .iter()
            .chain(&self.label)
            .map(String::as_str)
            .collect();
        let (mut classes, mut numbers): (&[String], Vec<&str>) = (&[], Vec::new());
        match &self.body {
            Body::Columns { columns, .. } => classes = columns,
            Body::List { name, .. } | Body::Positive { name, .. } => numbers.push(name),
            Body::Long { class, value, .. } => {
                texts.push(class);
                numbers.push(value);
            }
            Body::Labels {
                prediction,
                confidence,
            } => {
                texts.push(prediction);
                numbers.extend(confidence.as_deref());
            }
        }
        numbers.extend(self.scores.iter().map(String::as_str));
        both(
            heads,
            in_row(heads, classes),
            by_name(heads, &numbers, &texts),
        )
    }
}

/// From a table to answers about items.
impl Recorded {
    /// The answers about items; without items, about every row.
    pub(crate) fn answers_in(
        &self,
        table: Table,
        layout: &Layout,
        items: Option<&Items>,
    ) -> Result<ClassAnswers, Problem> {
        let (mut table, body) = self.laid_out(table, layout)?;
        let rows = match items {
            Some(items) => rows_of(&table, layout.id.as_deref(), items)?,
            None => (0..table.rows()).map(Some).collect(),
        };
        let in_order = rows
            .iter()
            .enumerate()
            .all(|(item, row)| *row == Some(item));
        let (classes, said) = match body {
            Spread::Labels {
                prediction,
                confidence,
            } => (
                self.classes.clone(),
                self.say_labels(&table, prediction, confidence, &rows)?,
            ),
            Spread::Numbers {
                name,
                form,
                classes,
            } => {
                let scores = Scores::of(&table, name);
                let classes = match classes {
                    Some(classes) => classes,
                    None => self.classes_of_list(table.file(), name, scores.classes())?,
                };
                let said = match in_order {
                    true => take(&mut table, name, form)?,
                    false => scores.say(form, &rows)?,
                };
                (classes, said)
            }
        };
        let absent = rows.iter().enumerate().filter(|(_, row)| row.is_none());
        let answers = absent.fold(ClassAnswers::new(classes, said), |answers, (i, _)| {
            answers.without(i, no_row(table.file()))
        });
        Ok(layout.scores.iter().fold(answers, |answers, name| {
            let (_, all) = table.numbers(name);
            answers.with_score(
                name,
                rows.iter()
                    .map(|row| row.map_or(0.0, |row| all[row]))
                    .collect(),
            )
        }))
    }

    /// The table with a row per item, and where in it the answers are.
    fn laid_out<'a>(
        &self,
        table: Table,
        layout: &'a Layout,
    ) -> Result<(Table, Spread<'a>), Problem> {
        Ok(match &layout.body {
            Body::Labels {
                prediction,
                confidence,
            } => (
                table,
                Spread::Labels {
                    prediction,
                    confidence: confidence.as_deref(),
                },
            ),
            Body::Columns { classes, form, .. } => (
                table,
                Spread::Numbers {
                    name: ROW,
                    form: *form,
                    classes: Some(classes.clone()),
                },
            ),
            Body::List { name, form } => (
                table,
                Spread::Numbers {
                    name,
                    form: *form,
                    classes: None,
                },
            ),
            Body::Long { class, value, form } => {
                let id = layout.id.as_deref().unwrap_or_default();
                let (table, classes) = gather(&table, &Long { id, class, value }, &self.classes)?;
                (
                    table,
                    Spread::Numbers {
                        name: value,
                        form: *form,
                        classes: Some(classes),
                    },
                )
            }
            Body::Positive { name, form } => {
                let (values, form) = both_classes(&table, name, *form)?;
                let classes = Some(self.two_classes(name)?);
                (
                    table.with_numbers(name, 2, values),
                    Spread::Numbers {
                        name,
                        form,
                        classes,
                    },
                )
            }
        })
    }

    /// The classes of an array's columns: as the study says, as the file says beside it, or
    /// numbers.
    fn classes_of_list(
        &self,
        file: &Path,
        name: &str,
        width: usize,
    ) -> Result<Vec<String>, Problem> {
        match (
            self.classes.len(),
            names_beside(file, width)?.map(|(_, names)| names),
        ) {
            (0, None) => Ok((0..width).map(|class| class.to_string()).collect()),
            (0, Some(own)) => Ok(own),
            (n, Some(own)) if n == width && own != self.classes => Err(Problem::new(format!(
                "the file says that its classes are {}",
                listed(&own)
            ))
            .expected(format!("what the study says: {}", listed(&self.classes)))),
            (n, _) if n == width => Ok(self.classes.clone()),
            (n, _) => Err(
                Problem::new(format!("`{name}` has {width} numbers in a row"))
                    .expected(format!("{n}, one for each of {}", listed(&self.classes))),
            ),
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
            let problem = Problem::new(format!("`{name}` is {}", sure[row]))
                .expected("a confidence from 0 to 1");
            return Err(table.at(row, problem));
        }
        // What stands in the place of an absent answer is never read.
        let label = rows
            .iter()
            .map(|row| row.map_or(0, |row| labels[row]))
            .collect();
        let confidence = sure.map(|(_, sure)| {
            rows.iter()
                .map(|row| row.map_or(0.0, |row| sure[row]))
                .collect()
        });
        Ok(Said::Labels { label, confidence })
    }
}
