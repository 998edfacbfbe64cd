//! The first step: a commented study, from what somebody already has or from the data that come
//! with duress.

mod draft;
mod folder;
mod index;
mod windows;
mod write;

use std::path::{Path, PathBuf};

use duress_core::problem::Problem;
use duress_parts::registry::Registry;

use crate::study::Study;

/// A kind of model, as `init` calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Classifiers.
    Classify,
    /// Learners of causal structure.
    Causal,
    /// Readers of scrambled text.
    Order,
    /// Judges of responses.
    Judge,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Classify, Kind::Causal, Kind::Order, Kind::Judge];

    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Classify => "classify",
            Kind::Causal => "causal",
            Kind::Order => "order",
            Kind::Judge => "judge",
        }
    }
}

/// What a study is to be about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// Data that come with duress.
    Shipped(Kind),
    /// Answers of a classifier, in a table or a folder of tables.
    Answers(PathBuf),
    /// Items of somebody's own, in a table, with the subject that comes with duress.
    Items(Kind, PathBuf),
}

impl About {
    /// Reads `[KIND] [PATH]` as it was typed; nothing typed is about classifiers.
    pub fn parse(words: &[String]) -> Result<About, Problem> {
        let kind = |word: &str| Kind::ALL.into_iter().find(|kind| kind.word() == word);
        let kinds = || Kind::ALL.map(Kind::word);
        match words {
            [] => Ok(About::Shipped(Kind::Classify)),
            [word] if kind(word).is_some() => {
                Ok(About::Shipped(kind(word).unwrap_or(Kind::Classify)))
            }
            [path] if Path::new(path).exists() => Ok(About::Answers(path.into())),
            [word] => Err(Problem::new(format!(
                "`{word}` is neither a kind of study nor a file or folder"
            ))
            .nearest(word, kinds())),
            [word, path] => {
                match kind(word) {
                    Some(_) if !Path::new(path).exists() => {
                        Err(Problem::new("there is no such file or folder").in_file(path))
                    }
                    Some(Kind::Classify) => Ok(About::Answers(path.into())),
                    Some(kind) => Ok(About::Items(kind, path.into())),
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
pub fn study(about: &About, out: &Path, registry: &Registry) -> Result<String, Problem> {
    let text = match about {
        About::Shipped(kind) => draft::of(*kind, registry)?,
        About::Answers(path) => folder::study(path, out)?,
        About::Items(Kind::Causal, path) => windows::study(path, out)?,
        About::Items(kind, path) => draft::on(*kind, path, out)?,
    };
    match Study::parse(out, &text, registry) {
        Ok(_) => Ok(text),
        Err(rejected) => {
            let first = rejected.problems.into_iter().next();
            let why = first.map_or_else(String::new, |problem| problem.to_string());
            Err(Problem::new(format!(
                "no sound study can be made of this: {why}"
            )))
        }
    }
}
