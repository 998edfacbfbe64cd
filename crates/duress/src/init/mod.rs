//! The first step: a commented study, from what somebody already has or from the data that come
//! with duress.

mod draft;
mod folder;
mod idioms;
mod index;
mod windows;
mod write;

use std::path::{Path, PathBuf};

use duress_core::problem::Problem;
use duress_parts::registry::Registry;

use crate::plan;
use crate::study::{Rejected, Study};

/// A kind of model, as `init` calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    /// Classifiers.
    Classify,
    /// Learners of causal structure.
    Causal,
    /// Readers of scrambled text.
    Order,
    /// Judges of responses.
    Judge,
    /// Language models behind an endpoint.
    Endpoint,
}

impl ModelKind {
    /// All of them.
    pub const ALL: [ModelKind; 5] = [
        ModelKind::Classify,
        ModelKind::Causal,
        ModelKind::Order,
        ModelKind::Judge,
        ModelKind::Endpoint,
    ];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            ModelKind::Classify => "classify",
            ModelKind::Causal => "causal",
            ModelKind::Order => "order",
            ModelKind::Judge => "judge",
            ModelKind::Endpoint => "endpoint",
        }
    }
}

/// What a study is to be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StudyTopic {
    /// Data that come with duress.
    Shipped(ModelKind),
    /// Answers of a classifier, in a table or a folder of tables.
    Answers(PathBuf),
    /// Items of somebody's own, in a table, with the subject that comes with duress.
    Items(ModelKind, PathBuf),
}

impl StudyTopic {
    /// Reads `[KIND] [PATH]` as it was typed; nothing typed is about classifiers.
    pub fn parse(words: &[String]) -> Result<StudyTopic, Problem> {
        let kind = |word: &str| ModelKind::ALL.into_iter().find(|kind| kind.word() == word);
        let kinds = || ModelKind::ALL.map(ModelKind::word);
        match words {
            [] => Ok(StudyTopic::Shipped(ModelKind::Classify)),
            [word] if kind(word).is_some() => Ok(StudyTopic::Shipped(
                kind(word).unwrap_or(ModelKind::Classify),
            )),
            [path] if Path::new(path).exists() => Ok(StudyTopic::Answers(path.into())),
            [word] => Err(Problem::new(format!(
                "`{word}` is neither a kind of study nor a file or folder"
            ))
            .nearest(word, kinds())),
            [word, path] => {
                match kind(word) {
                    Some(_) if !Path::new(path).exists() => {
                        Err(Problem::new("there is no such file or folder").in_file(path))
                    }
                    Some(ModelKind::Classify) => Ok(StudyTopic::Answers(path.into())),
                    Some(kind) => Ok(StudyTopic::Items(kind, path.into())),
                    None => Err(Problem::new(format!("`{word}` is no kind of study"))
                        .nearest(word, kinds())),
                }
            }
            _ => Err(Problem::new("too many words")
                .expected("a kind of study, a file or folder, or both")),
        }
    }
}

/// The text of a study that is to stand in the file `out`.
pub fn study(about: &StudyTopic, out: &Path, registry: &Registry) -> Result<String, Problem> {
    let text = match about {
        StudyTopic::Shipped(kind) => draft::of(*kind, registry)?,
        StudyTopic::Answers(path) => folder::study(path, out)?,
        StudyTopic::Items(ModelKind::Causal, path) => return on_windows(path, out, registry),
        StudyTopic::Items(ModelKind::Order, path) => {
            let text = idioms::study(path, out, registry)?;
            return planned(&text, out, registry).map(|()| text);
        }
        StudyTopic::Items(kind, path) => {
            let text = draft::on(*kind, path, out)?;
            return planned(&text, out, registry).map(|()| text);
        }
    };
    // Of recorded answers some things may be left to the user, who is told so in the study.
    parsed(&text, out, registry).map(|_| text)
}

/// A study of windows, with the true edges that lie beside them where these are about them.
fn on_windows(table: &Path, out: &Path, registry: &Registry) -> Result<String, Problem> {
    let truth = windows::truth_beside(table);
    let text = windows::study(table, truth.as_deref(), None, out)?;
    match (planned(&text, out, registry), truth) {
        (Ok(()), _) => Ok(text),
        (Err(why), None) => Err(why),
        (Err(why), Some(truth)) => {
            let text = windows::study(table, None, Some(&truth), out)?;
            planned(&text, out, registry).map_err(|_| why)?;
            Ok(text)
        }
    }
}

fn parsed(text: &str, out: &Path, registry: &Registry) -> Result<Study, Problem> {
    Study::parse(out, text, registry).map_err(unsound)
}

/// Whether `check` would call a study sound.
fn planned(text: &str, out: &Path, registry: &Registry) -> Result<(), Problem> {
    let study = parsed(text, out, registry)?;
    plan::make(study, registry).map(drop).map_err(unsound)
}

/// The first of the problems, and how many more there are.
fn unsound(rejected: Rejected) -> Problem {
    let mut problems = rejected.problems.into_iter();
    let first = problems.next();
    let why = first.map_or_else(String::new, |problem| problem.to_string());
    let rest: Vec<String> = problems.map(|problem| problem.to_string()).collect();
    let wrong = Problem::new(format!("no sound study can be made of this: {why}"));
    match rest.is_empty() {
        true => wrong,
        false => wrong.hint(format!("and: {}", rest.join("; "))),
    }
}
