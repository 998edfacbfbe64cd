//! Parts: what a study can name, described well enough to be listed, explained, checked and built.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::data::Source;
use crate::gauge::Gauge;
use crate::problem::Problem;
use crate::rater::Rater;
use crate::severity::Severity;
use crate::stressor::Stressor;
use crate::subject::SubjectPart;
use crate::word::Word;

/// One part: its name in a study, its keys, its text, and how it is built from checked keys.
pub struct Part {
    /// What a study calls it.
    pub name: &'static str,
    /// Raised when the part's answers to the same study change, so that kept answers are not
    /// mistaken for new ones.
    pub version: u32,
    /// The keys it takes.
    pub fields: &'static [Field],
    /// The source of the file it is in; its opening comment is its explanation.
    pub source: &'static str,
    /// How it is built.
    pub build: Build,
}

/// How a part of each kind is built.
pub enum Build {
    /// A dataset.
    Dataset(fn(&Params) -> Result<Box<dyn Source>, Problem>),
    /// A subject.
    Subject(fn(&Params) -> Result<SubjectPart, Problem>),
    /// A stressor.
    Stressor(fn(&Params) -> Result<Stressor, Problem>),
    /// A gauge.
    Gauge(fn(&Params) -> Result<Gauge, Problem>),
    /// A rater.
    Rater(fn(&Params) -> Result<Box<dyn Rater>, Problem>),
}

crate::words! {
    /// What a part is; in the order in which a registry lists the kinds.
    pub enum PartKind {
        /// What subjects are asked about.
        Dataset = "dataset",
        /// What reads answers.
        Gauge = "gauge",
        /// What rates answers.
        Rater = "rater",
        /// What presses.
        Stressor = "stressor",
        /// What is under test.
        Subject = "subject",
    }
}

impl Part {
    /// Which kind of part it is.
    pub fn kind(&self) -> PartKind {
        match self.build {
            Build::Dataset(_) => PartKind::Dataset,
            Build::Subject(_) => PartKind::Subject,
            Build::Stressor(_) => PartKind::Stressor,
            Build::Gauge(_) => PartKind::Gauge,
            Build::Rater(_) => PartKind::Rater,
        }
    }

    /// The text `duress explain` prints: the opening comment of the part's file.
    pub fn explanation(&self) -> String {
        let lines = self
            .source
            .lines()
            .map_while(|line| line.strip_prefix("//!"));
        lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The first sentence of that text: its first paragraph.
    pub fn summary(&self) -> String {
        let text = self.explanation();
        let first: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();
        first.join(" ").trim_end_matches('.').to_string()
    }
}

/// One key a part takes.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// What may stand there.
    pub takes: Takes,
    /// What it means, in one sentence.
    pub doc: &'static str,
    /// What it is when it is left out; `None` when it may not be, `Some("")` when leaving it out
    /// means nothing is set.
    pub default: Option<&'static str>,
}

/// What may stand behind a key.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// A number in a range; fractions may be written as text (`"8/255"`).
    Number(f64, f64),
    /// A whole number in a range.
    Whole(i64, i64),
    /// Any text.
    Text,
    /// One of the words of a list; parts hand over [`Word::spellings`] of the enum that
    /// [`Params::choice`] reads.
    Choice(fn() -> Vec<&'static str>),
    /// True or false.
    Flag,
    /// A file, relative to the study's folder.
    File,
    /// A list of texts.
    Texts,
    /// A list of whole numbers, each in a range.
    Wholes(i64, i64),
    /// A list of numbers, each in a range; fractions may be written as text.
    Numbers(f64, f64),
    /// A table, whose keys the part reads itself.
    Table,
    /// The name of another subject of the study.
    Subject,
}

impl Takes {
    /// The sentence a message says after "expected".
    pub fn expectation(&self) -> String {
        match self {
            Takes::Number(f64::MIN, f64::MAX) => "a number".into(),
            Takes::Number(low, high) if *high == f64::MAX => format!("a number at or above {low}"),
            Takes::Number(low, high) => format!("a number from {low} to {high}"),
            Takes::Whole(low, i64::MAX) => format!("a whole number at or above {low}"),
            Takes::Whole(low, high) => format!("a whole number from {low} to {high}"),
            Takes::Text => "a text".into(),
            Takes::Choice(words) => format!("one of {}", words().join(", ")),
            Takes::Flag => "true or false".into(),
            Takes::File => "the path of a file".into(),
            Takes::Texts => "a list of texts".into(),
            Takes::Wholes(low, high) => format!("a list of whole numbers from {low} to {high}"),
            Takes::Numbers(low, high) => format!("a list of numbers from {low} to {high}"),
            Takes::Table => "a table, such as { key = \"value\" }".into(),
            Takes::Subject => "the name of another subject of this study".into(),
        }
    }
}

/// A value as it stands in a study file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Raw {
    /// A number with a point.
    Number(f64),
    /// A whole number.
    Whole(i64),
    /// A text.
    Text(String),
    /// True or false.
    Flag(bool),
    /// A list.
    List(Vec<Raw>),
    /// A table.
    Table(BTreeMap<String, Raw>),
    /// Something no field takes: a date, or a list of tables.
    Other,
}

/// A key with its value, and where both stand.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_span: Range<usize>,
    /// The value.
    pub raw: Raw,
    /// Where the value stands.
    pub span: Range<usize>,
}

/// A checked value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A whole number.
    Whole(i64),
    /// A text, or a word.
    Text(String),
    /// True or false.
    Flag(bool),
    /// A path, as it was written.
    File(String),
    /// A list of texts.
    Texts(Vec<String>),
    /// A list of whole numbers.
    Wholes(Vec<i64>),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// The name of another subject. An identity has no names in it: whoever plans puts there what
    /// that subject is made of.
    Subject(#[serde(serialize_with = "without_name")] String),
    /// A table.
    Table(BTreeMap<String, Raw>),
}

fn without_name<S: serde::Serializer>(_name: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_unit()
}

/// The checked keys of one part in one study: every field is there with a value of its kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Params {
    values: BTreeMap<&'static str, Value>,
    #[serde(skip)]
    folder: PathBuf,
}

impl Params {
    /// Checks entries against fields, and reports all problems at once. Paths are relative to
    /// `folder`.
    pub fn check(
        fields: &'static [Field],
        entries: &[Entry],
        folder: &Path,
    ) -> Result<Params, Vec<Problem>> {
        let mut problems: Vec<Problem> = entries
            .iter()
            .filter(|entry| fields.iter().all(|field| field.name != entry.key))
            .map(|entry| unknown_key(fields, entry))
            .collect();
        let mut values = BTreeMap::new();
        for field in fields {
            match field.value(entries.iter().find(|entry| entry.key == field.name)) {
                Ok(value) => values.extend(value.map(|value| (field.name, value))),
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() {
            Ok(Params {
                values,
                folder: folder.into(),
            })
        } else {
            Err(problems)
        }
    }

    /// Checked values from `key = value` pairs as a study would have them, for tests and other
    /// callers from code.
    pub fn of(part: &Part, pairs: &[(&str, Raw)], folder: &Path) -> Result<Params, Vec<Problem>> {
        let entry = |(key, raw): &(&str, Raw)| Entry {
            key: (*key).into(),
            key_span: 0..0,
            raw: raw.clone(),
            span: 0..0,
        };
        Params::check(
            part.fields,
            &pairs.iter().map(entry).collect::<Vec<_>>(),
            folder,
        )
    }

    /// The same with some keys as if they were not set.
    #[must_use]
    pub fn with_defaults(&self, fields: &'static [Field], keys: &[&str]) -> Params {
        let mut params = self.clone();
        for field in fields.iter().filter(|field| keys.contains(&field.name)) {
            params.values.remove(field.name);
            if let Ok(Some(default)) = field.value(None) {
                params.values.insert(field.name, default);
            }
        }
        params
    }

    /// The same with one key set to what this text would be as its default.
    ///
    /// # Panics
    /// When there is no such field, or the text is not what it takes: whoever spells it knows the
    /// part.
    #[must_use]
    pub fn with_spelled(mut self, fields: &'static [Field], key: &str, text: &str) -> Params {
        let field = fields.iter().find(|field| field.name == key);
        let field = field.unwrap_or_else(|| panic!("there is no field {key}"));
        if let Some(value) = field.read_default(text) {
            self.values.insert(field.name, value);
        }
        self
    }

    /// The number behind `key`.
    ///
    /// # Panics
    /// Like all of these: when the part declared no such field. That is the part's bug, and its
    /// first test shows it.
    pub fn number(&self, key: &str) -> f64 {
        match self.get(key) {
            Some(Value::Number(x)) => *x,
            other => panic!("field {key} is {other:?}, not a number"),
        }
    }

    /// Whether there is anything behind `key`: it was set, or has a default.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The number behind `key`, if it was set.
    pub fn number_if(&self, key: &str) -> Option<f64> {
        match self.get(key) {
            Some(Value::Number(x)) => Some(*x),
            _ => None,
        }
    }

    /// The whole number behind `key`.
    pub fn whole(&self, key: &str) -> i64 {
        match self.get(key) {
            Some(Value::Whole(x)) => *x,
            other => panic!("field {key} is {other:?}, not a whole number"),
        }
    }

    /// The whole number behind `key`, as a count.
    pub fn count(&self, key: &str) -> usize {
        usize::try_from(self.whole(key)).unwrap_or_else(|_| panic!("field {key} may be negative"))
    }

    /// The whole number behind `key`, as a count, if it was set.
    pub fn count_if(&self, key: &str) -> Option<usize> {
        match self.get(key) {
            Some(Value::Whole(x)) => usize::try_from(*x).ok(),
            _ => None,
        }
    }

    /// The word behind `key`.
    pub fn choice<W: Word>(&self, key: &str) -> W {
        self.choice_if(key)
            .unwrap_or_else(|| panic!("field {key} has no word"))
    }

    /// The word behind `key`, if it was set.
    ///
    /// # Panics
    /// When the field lists other words than these.
    pub fn choice_if<W: Word>(&self, key: &str) -> Option<W> {
        let word = self.text_if(key)?;
        let found = W::from_word(word);
        assert!(
            found.is_some(),
            "field {key} is {word:?}, which is not among the words it is read as"
        );
        found
    }

    /// The text behind `key`.
    pub fn text(&self, key: &str) -> &str {
        self.text_if(key)
            .unwrap_or_else(|| panic!("field {key} is not a text"))
    }

    /// The name of another subject behind `key`.
    ///
    /// # Panics
    /// When the part declared no subject under this name.
    pub fn subject(&self, key: &str) -> &str {
        match self.get(key) {
            Some(Value::Subject(name)) => name,
            other => panic!("field {key} is {other:?}, which is no subject"),
        }
    }

    /// The text behind `key`, if it was set.
    pub fn text_if(&self, key: &str) -> Option<&str> {
        match self.get(key) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The flag behind `key`.
    pub fn flag(&self, key: &str) -> bool {
        matches!(self.get(key), Some(Value::Flag(true)))
    }

    /// The texts behind `key`; none when it was not set.
    pub fn texts(&self, key: &str) -> &[String] {
        match self.get(key) {
            Some(Value::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// The whole numbers behind `key`, if it was set.
    pub fn wholes(&self, key: &str) -> Option<&[i64]> {
        match self.get(key) {
            Some(Value::Wholes(numbers)) => Some(numbers),
            _ => None,
        }
    }

    /// The numbers behind `key`, if it was set.
    pub fn numbers(&self, key: &str) -> Option<&[f64]> {
        match self.get(key) {
            Some(Value::Numbers(numbers)) => Some(numbers),
            _ => None,
        }
    }

    /// The table behind `key`; none when it was not set.
    pub fn table(&self, key: &str) -> Option<&BTreeMap<String, Raw>> {
        match self.get(key) {
            Some(Value::Table(table)) => Some(table),
            _ => None,
        }
    }

    /// The path behind `key`, from the study's folder.
    pub fn file(&self, key: &str) -> PathBuf {
        self.file_if(key)
            .unwrap_or_else(|| panic!("field {key} is not a path"))
    }

    /// The path behind `key`, from the study's folder, if it was set.
    pub fn file_if(&self, key: &str) -> Option<PathBuf> {
        match self.get(key) {
            Some(Value::File(path)) => Some(self.folder.join(path)),
            _ => None,
        }
    }

    /// The same with one more text behind `key`, if it is not there yet.
    ///
    /// # Panics
    /// When the part declared no list of texts under this name.
    #[must_use]
    pub fn with_text(mut self, key: &'static str, text: &str) -> Params {
        match self.values.entry(key).or_insert(Value::Texts(Vec::new())) {
            Value::Texts(texts) if texts.iter().any(|one| one == text) => {}
            Value::Texts(texts) => texts.push(text.into()),
            other => panic!("`{key}` is {other:?}, which is no list of texts"),
        }
        self
    }

    /// The folder paths are relative to.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }
}

impl Field {
    fn value(&self, entry: Option<&Entry>) -> Result<Option<Value>, Problem> {
        match (entry, self.default) {
            (Some(entry), _) => self.read(&entry.raw).map(Some).ok_or_else(|| {
                Problem::new(format!("`{}` is {}", self.name, entry.raw.in_words()))
                    .expected(self.takes.expectation())
                    .at(entry.span.clone())
            }),
            (None, None) => Err(
                Problem::new(format!("`{}` is missing", self.name)).expected(format!(
                    "`{} = …`: {} ({})",
                    self.name,
                    self.doc,
                    self.takes.expectation()
                )),
            ),
            (None, Some("")) => Ok(None),
            (None, Some(default)) => Ok(self.read_default(default)),
        }
    }

    fn read(&self, raw: &Raw) -> Option<Value> {
        match (self.takes, raw) {
            (Takes::Number(low, high), _) => {
                let x = raw.as_number()?;
                (low..=high).contains(&x).then_some(Value::Number(x))
            }
            (Takes::Whole(low, high), Raw::Whole(x)) => {
                (low..=high).contains(x).then_some(Value::Whole(*x))
            }
            (Takes::Text, Raw::Text(text)) => Some(Value::Text(text.clone())),
            (Takes::Choice(words), Raw::Text(text)) => words()
                .contains(&text.as_str())
                .then(|| Value::Text(text.clone())),
            (Takes::Flag, Raw::Flag(flag)) => Some(Value::Flag(*flag)),
            (Takes::File, Raw::Text(path)) => Some(Value::File(path.clone())),
            (Takes::Texts, Raw::List(list)) => all(list, Raw::as_text).map(Value::Texts),
            (Takes::Wholes(low, high), Raw::List(list)) => {
                let fits = |raw: &Raw| match raw {
                    Raw::Whole(x) if (low..=high).contains(x) => Some(*x),
                    _ => None,
                };
                all(list, fits).map(Value::Wholes)
            }
            (Takes::Numbers(low, high), Raw::List(list)) => {
                let fits = |raw: &Raw| {
                    raw.as_number()
                        .filter(|number| (low..=high).contains(number))
                };
                all(list, fits).map(Value::Numbers)
            }
            (Takes::Subject, Raw::Text(name)) => Some(Value::Subject(name.clone())),
            (Takes::Table, Raw::Table(table)) => {
                let known = table.values().all(Raw::is_known);
                known.then(|| Value::Table(table.clone()))
            }
            _ => None,
        }
    }

    fn read_default(&self, text: &str) -> Option<Value> {
        let raw = match self.takes {
            Takes::Whole(..) => Raw::Whole(text.parse().ok()?),
            Takes::Flag => Raw::Flag(text == "true"),
            Takes::Texts | Takes::Numbers(..) => Raw::List(
                text.split_whitespace()
                    .map(|word| Raw::Text(word.into()))
                    .collect(),
            ),
            Takes::Wholes(..) => Raw::List(
                text.split_whitespace()
                    .map(|word| word.parse().map(Raw::Whole))
                    .collect::<Result<_, _>>()
                    .ok()?,
            ),
            _ => Raw::Text(text.into()),
        };
        let value = self.read(&raw);
        assert!(
            value.is_some(),
            "the default {text:?} of field {} is not what it takes",
            self.name
        );
        value
    }
}

impl Raw {
    /// The value in words, for messages.
    pub fn in_words(&self) -> String {
        match self {
            Raw::Number(x) => x.to_string(),
            Raw::Whole(x) => x.to_string(),
            Raw::Text(text) => format!("{text:?}"),
            Raw::Flag(flag) => flag.to_string(),
            Raw::List(list) => {
                format!(
                    "[{}]",
                    list.iter()
                        .map(Raw::in_words)
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            }
            Raw::Table(_) => "a table".into(),
            Raw::Other => "a date or a list of tables".into(),
        }
    }

    /// Whether it is made of nothing but what a table may hold.
    fn is_known(&self) -> bool {
        match self {
            Raw::Other => false,
            Raw::List(list) => list.iter().all(Raw::is_known),
            Raw::Table(table) => table.values().all(Raw::is_known),
            _ => true,
        }
    }

    /// A number, however it is written.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Raw::Number(x) => Some(*x).filter(|x| x.is_finite()),
            Raw::Whole(x) => Some(*x as f64),
            Raw::Text(text) => match text.strip_prefix('-') {
                Some(rest) => Severity::parse(rest).ok().map(|s| -s.value()),
                None => Severity::parse(text).ok().map(|s| s.value()),
            },
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<String> {
        match self {
            Raw::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

fn unknown_key(fields: &[Field], entry: &Entry) -> Problem {
    Problem::new(format!("unknown key `{}`", entry.key))
        .at(entry.key_span.clone())
        .nearest(&entry.key, fields.iter().map(|field| field.name))
}

/// Every value of a list, if each can be read.
fn all<T>(list: &[Raw], read: impl Fn(&Raw) -> Option<T>) -> Option<Vec<T>> {
    list.iter().map(read).collect()
}
