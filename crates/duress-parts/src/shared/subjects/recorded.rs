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
//! or the logit of the second, called `probability`, `score`, `y_pred_proba`, `logit` or as
//! `positive` says; a score is told to be logits when more than a tenth of it lies outside [0, 1],
//! and refused when less does, or when all of it is from 0 to 100 and may be percentages. What is
//! called a probability (`prob_1`, `p_pos`, `probs` …) is never taken for logits.
//!
//! Columns named in `scores` are kept beside the answers: a number per item that was measured about
//! its answer, such as how stable its explanation is. Gauges of selective prediction ask for one by
//! name (`stability`).
//!
//! A *temperature* divides all logits: the one `temperature` gives, or the one that fits the
//! answers in the file `fit-temperature-on`, which has the true classes beside them and no item of
//! the test. A subject with and one without it, on the same files, give its effect as a contrast.
//!
//! *Maps* that were made elsewhere, of how much each pixel had to do with an answer, lie where `maps`
//! says: npz (an array `maps` of [items, height, width], perhaps `ids`, perhaps flags `explained`) or
//! npy, in the size of the images. `maps-by` says by which method, as gauges of explanations name
//! them. Of what such a gauge asks only the method is compared: class, layer and draws are those
//! that whoever made the maps chose, which the report says.
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
//! A file may have the true classes beside the answers, in `label`, `y_true`, `target` … or where
//! `label` says. Nobody is scored against them, but they must be the dataset's: a file in which
//! they are not is refused with how many differ and the first of them.
//!
//! Rows belong to items by the `id` column, in any order. An item without a row has no answer, and
//! the reason is kept; a row without an item is refused. Without an `id` column rows belong to
//! items by position, and must be as many. `id = ""` names the column without a name, which is the
//! index that pandas wrote.
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
use std::fmt;
use std::path::{Path, PathBuf};

use duress_core::answer::{Answers, Said, TextAnswers};
use duress_core::data::{Items, Split, TableUse};
use duress_core::explanation::{Attribution, Explanation};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::subject::{Circumstances, Recording, SubjectPart};
use duress_core::word::Word;
use duress_tables::formats;
use duress_tables::graph;
use duress_tables::labels::{no_class_twice, positions};
use duress_tables::layout::answers::{AnswersLayout, no_row_in};
use duress_tables::layout::stated::StatedLayout;
use duress_tables::layout::words::{CLASS_NAMES, LABEL_COLUMNS};
use duress_tables::layout::{AnswerColumns, AnswerForm};
use duress_tables::own_labels::{OwnLabels, own_label_column};
use duress_tables::rows::rows_of;
use duress_tables::table::{Head, Table, Want, by_name, find_column, no_column};
use duress_tables::template::Template;
use duress_tables::wording::Wording;

use crate::shared::frame::recorded_files::{CLEAN, RecordedFiles, template};
use crate::shared::frame::recorded_maps::{CLEAN_MAPS, MAPS, MAPS_BY, RecordedMaps};
use crate::shared::frame::temperature_scaling;

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
        CLEAN,
        Field {
            name: "id",
            takes: Takes::Text,
            doc: "the column with the ids; when left out, `id` or `ids`, else rows belong to items by position",
            default: Some(""),
        },
        Field {
            name: "form",
            takes: Takes::Choice(RecordedForm::spellings),
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
            name: "label",
            takes: Takes::Text,
            doc: "the column with the true class as this file has it, which must be the dataset's; when left out, one called as true classes are (`label`, `y_true`, `target` …)",
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
        MAPS,
        CLEAN_MAPS,
        MAPS_BY,
        Field {
            name: "ignore",
            takes: Takes::Texts,
            doc: "columns that are no classes",
            default: Some("label labels"),
        },
    ],
    source: include_str!("recorded.rs"),
    build: Build::Subject(|params| Ok(SubjectPart::Recorded(Box::new(Recorded::new(params)?)))),
};

/// Where answers are and how they are to be read.
pub(crate) struct Recorded {
    files: RecordedFiles,
    /// Where in a file they are, as far as the study says.
    pub(crate) stated: StatedLayout,
    temperature: Temperature,
    /// The column with the true classes as the files have them.
    label: Option<String>,
    /// Where texts are; `None` when the answers are classes.
    text: Option<String>,
    /// Whether a file holds a graph.
    graph: bool,
    /// Where maps are that explain the classes.
    maps: Option<RecordedMaps>,
}

/// What logits are divided by.
enum Temperature {
    One,
    Given(f64),
    /// What fits the answers in this file, with the true classes in a column that may be named.
    Fitted(Template, Option<String>),
}

/// In what form recorded answers are: one of the forms that answers about classes have, or texts,
/// or a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordedForm {
    Classes(AnswerForm),
    Texts,
    Graph,
}

impl Word for RecordedForm {
    const ALL: &'static [RecordedForm] = &[
        RecordedForm::Classes(AnswerForm::Auto),
        RecordedForm::Classes(AnswerForm::Probabilities),
        RecordedForm::Classes(AnswerForm::Logits),
        RecordedForm::Classes(AnswerForm::Labels),
        RecordedForm::Texts,
        RecordedForm::Graph,
    ];

    fn word(self) -> &'static str {
        match self {
            RecordedForm::Classes(form) => form.word(),
            RecordedForm::Texts => "texts",
            RecordedForm::Graph => "graph",
        }
    }
}

impl fmt::Display for RecordedForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Recorded {
    pub(crate) fn new(params: &Params) -> Result<Recorded, Problem> {
        let text = |key| params.text_if(key).map(String::from);
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
        let form = params.choice("form");
        Ok(Recorded {
            files: RecordedFiles::new(params)?,
            stated: StatedLayout {
                id: text("id"),
                form: match form {
                    RecordedForm::Classes(form) => form,
                    RecordedForm::Texts | RecordedForm::Graph => AnswerForm::Auto,
                },
                classes: params.texts("classes").to_vec(),
                prefix: text("prefix").unwrap_or_default(),
                values: text("values"),
                prediction: text("prediction"),
                confidence: text("confidence"),
                positive: text("positive"),
                class: text("class"),
                ignore: params
                    .texts("ignore")
                    .iter()
                    .cloned()
                    .chain(text("label"))
                    .collect(),
                scores: params.texts("scores").to_vec(),
                wording: Wording::Study,
            },
            temperature,
            label: text("label"),
            text: (form == RecordedForm::Texts)
                .then(|| text("text").unwrap_or_else(|| "text".into())),
            graph: form == RecordedForm::Graph,
            maps: maps_beside(form, params)?,
        })
    }
}

/// Where maps are. Only what says classes has some.
fn maps_beside(form: RecordedForm, params: &Params) -> Result<Option<RecordedMaps>, Problem> {
    let maps = RecordedMaps::new(params)?;
    match (form, &maps) {
        (RecordedForm::Texts | RecordedForm::Graph, Some(_)) => {
            let wrong = format!("`maps` explain classes, and the answers are {form}");
            Err(Problem::new(wrong).expected("answers about classes, or no `maps`"))
        }
        _ => Ok(maps),
    }
}

impl Recording for Recorded {
    fn answers(&self) -> Vec<Question> {
        vec![match (&self.text, self.graph) {
            (_, true) => Question::Graph,
            (Some(_), false) => Question::Text,
            (None, false) => Question::Classes,
        }]
    }

    fn explains(&self, asked: &Explanation) -> bool {
        let maps = self.maps.as_ref();
        maps.is_some_and(|maps| maps.explains(asked))
    }

    fn sources(&self, at: &Circumstances) -> Result<Vec<PathBuf>, Problem> {
        let mut files = vec![self.files.own_path(at)?];
        files.extend(self.validation(at).transpose()?.map(|(path, _)| path));
        if let Some(maps) = &self.maps {
            files.extend(maps.paths(at)?);
        }
        Ok(files)
    }

    fn source_of(&self, at: &Circumstances, question: Question) -> Result<PathBuf, Problem> {
        match self.maps_asked(question) {
            Some((maps, of)) => maps.path(at, of.method),
            None => self.files.own_path(at),
        }
    }

    fn classes(&self, at: &Circumstances) -> Result<Option<Vec<String>>, Problem> {
        if self.text.is_some() {
            return Ok(None);
        }
        let path = self.files.own_path(at)?;
        let layout = self.stated.layout(&formats::heads(&path)?);
        let layout = layout.map_err(|problem| problem.in_file(&path))?;
        layout.known_classes()
    }

    fn look_up(
        &self,
        at: &Circumstances,
        question: Question,
        items: &Items,
    ) -> Result<Answers, Problem> {
        if let Question::Explanation(asked) = question
            && let Some((maps, of)) = self.maps_asked(question)
        {
            return maps.look_up(at, (asked, of), items).map(Answers::Maps);
        }
        let path = self.files.own_path(at)?;
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
        let answers = layout
            .answers(table, Some(items))
            .map_err(|problem| problem.in_file(&path))?;
        let answers = match self.temperature_at(at, Some(items))? {
            None => answers,
            Some(temperature) => temperature_scaling::scaled(&answers, temperature)
                .map_err(|problem| problem.in_file(&path))?,
        };
        Ok(Answers::Classes(answers))
    }

    fn orders_classes(&self) -> bool {
        !self.stated.classes.is_empty()
    }

    fn scores(&self) -> &[String] {
        &self.stated.scores
    }

    fn tables(&self, at: &Circumstances) -> Result<Vec<TableUse>, Problem> {
        let mut uses = vec![self.table_use(&self.files.own_path(at)?, self.label.as_deref())?];
        if let Some((path, label)) = self.validation(at).transpose()? {
            uses.push(self.table_use(&path, label)?);
        }
        if let Some(maps) = &self.maps {
            uses.extend(maps.tables(at)?);
        }
        Ok(uses)
    }

    fn compare_labels(&self, at: &Circumstances, split: &Split) -> Result<Option<String>, Problem> {
        if self.text.is_some() || self.graph {
            return Ok(None);
        }
        let path = self.files.own_path(at)?;
        let layout = self.stated.layout(&formats::heads(&path)?);
        let layout = layout.map_err(|problem| problem.in_file(&path))?;
        match OwnLabels::read(&path, &layout, self.label.as_deref())? {
            Some(labels) => labels.compare(split),
            None => Ok(None),
        }
    }

    fn remarks(&self, at: &Circumstances, answers: &Answers) -> Vec<String> {
        if let Some((maps, of)) = self.maps_asked(answers.question()) {
            return maps.remarks(at, of);
        }
        let Answers::Classes(said) = answers else {
            return Vec::new();
        };
        let mut remarks = Vec::new();
        let without_ids = |path: Result<PathBuf, Problem>| {
            let heads = path
                .and_then(|path| formats::heads(&path))
                .unwrap_or_default();
            self.stated.id_column(&heads).is_ok_and(|id| id.is_none())
        };
        if without_ids(self.files.own_path(at)) {
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
        if self.stated.form == AnswerForm::Auto && matches!(said.said(), Said::Logits(_)) {
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

/// Maps.
impl Recorded {
    /// Where the maps are that a question asks for, and which those are.
    fn maps_asked(&self, question: Question) -> Option<(&RecordedMaps, &'static Attribution)> {
        let Question::Explanation(asked) = question else {
            return None;
        };
        Some((self.maps.as_ref()?, asked.explanation().attribution()?))
    }
}

/// The temperature.
impl Recorded {
    /// The file it is fitted on and the column with the true classes, where it is fitted.
    fn validation(&self, at: &Circumstances) -> Option<Result<(PathBuf, Option<&str>), Problem>> {
        let Temperature::Fitted(file, label) = &self.temperature else {
            return None;
        };
        let path = self.files.find(file, "fit-temperature-on", at);
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

    fn fitted(
        &self,
        table: Table,
        layout: &AnswersLayout,
        items: Option<&Items>,
    ) -> Result<f64, Problem> {
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
        let answers = layout.answers(table, None)?;
        let (of, _) = positions(&truth, &label, answers.classes())?;
        temperature_scaling::fit(&answers, &of)
    }

    /// A table with what is wanted of it; with `label`, the true classes too.
    fn read(
        &self,
        path: &Path,
        label: Option<Option<&str>>,
    ) -> Result<(Table, AnswersLayout), Problem> {
        let mut layout = None;
        let table = formats::read(path, &mut |heads| {
            let mut found = self.stated.layout(heads)?;
            if let Some(named) = label {
                let column = find_column(heads, named, LABEL_COLUMNS.plain())?;
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

/// What is read of a file.
impl Recorded {
    fn table_use(&self, file: &Path, label: Option<&str>) -> Result<TableUse, Problem> {
        formats::table_use(file, |heads| match (&self.text, self.graph) {
            (_, true) => graph::columns_read(heads),
            (Some(text), false) => {
                let id = self.stated.id_column(heads)?;
                Ok(id.into_iter().chain([text.clone()]).collect())
            }
            (None, false) => self.columns_read(heads, label),
        })
    }

    /// Of answers about classes: these, what they are about, and what the study says is to be left.
    fn columns_read(&self, heads: &[Head], label: Option<&str>) -> Result<Vec<String>, Problem> {
        let layout = self.stated.layout(heads)?;
        let wanted = heads.iter().zip(layout.wants(heads)?);
        let wanted = wanted.filter(|(_, want)| *want != Want::Nothing);
        let mut read: Vec<String> = wanted.map(|(head, _)| head.name.clone()).collect();
        read.extend(own_label_column(heads, &layout, label)?);
        if matches!(layout.columns, AnswerColumns::List { .. }) {
            read.extend(CLASS_NAMES.plain().iter().map(|name| (*name).into()));
        }
        read.extend(self.stated.ignore.iter().cloned());
        Ok(read)
    }
}

/// Texts, which need no classes.
impl Recorded {
    fn texts_in(&self, path: &Path, column: &str, items: &Items) -> Result<TextAnswers, Problem> {
        let mut id = None;
        let table = formats::read(path, &mut |heads| {
            id = self.stated.id_column(heads)?;
            find_column(heads, Some(column), &[])?;
            let wanted: Vec<&str> = id.as_deref().into_iter().chain([column]).collect();
            Ok(by_name(heads, &[], &wanted))
        })?;
        let rows =
            rows_of(&table, id.as_deref(), items).map_err(|problem| problem.in_file(path))?;
        let texts = table.texts(column);
        let said = |row: Option<usize>| match row {
            Some(row) => Ok(texts.get(row).to_string()),
            None => Err(no_row_in(table.file())),
        };
        Ok(TextAnswers {
            texts: rows.into_iter().map(said).collect(),
        })
    }
}
