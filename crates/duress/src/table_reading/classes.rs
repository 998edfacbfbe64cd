//! A table of a classifier's answers, read by the parts that a study would name.

use std::path::Path;
use std::sync::Arc;

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::data::Dataset;
use duress_core::gauge::{self, CellGauge, Detail, Gauge, SealedCell, Views};
use duress_core::number;
use duress_core::part::{Build, Params, PartKind, Raw};
use duress_core::problem::{Problem, ProblemCause};
use duress_core::truth::{Sealed, Truth};
use duress_parts::classify::scored_table;
use duress_parts::registry::Registry;
use duress_stats::interval::wilson;
use duress_tables::labels::listed;
use duress_tables::layout::guess::{TableGuess, guess};
use duress_tables::layout::{AnswerColumns, AnswerForm};
use duress_tables::wording::Wording;

use super::TableHints;
use super::cluster_words::{cluster_words, clusters_by};
use super::keys::{dataset_keys, subject_keys};
use super::reasons::in_words;
use crate::analysis::clusters::Clusters;

/// Answers with what is true.
#[derive(Clone)]
pub(super) struct Classes {
    pub(super) truth: Sealed<Truth>,
    pub(super) answers: Answers,
    pub(super) items: usize,
    pub(super) found: Vec<String>,
    /// Which items belong together, where some do.
    pub(super) clusters: Option<Arc<Clusters>>,
    pub(super) views: Views,
}

impl Classes {
    /// As gauges are opened on it.
    pub(super) fn sealed(&self) -> SealedCell<'_> {
        SealedCell::new(&self.truth, &self.answers, &self.views)
    }
}

pub(super) fn read(
    file: &Path,
    hints: &TableHints,
    registry: &Registry,
) -> Result<Classes, Problem> {
    let guess = guess(file, hints)?;
    let params = |kind, name, keys: Vec<(&'static str, Raw)>| {
        let part = registry.find(kind, name)?;
        Params::of(part, &keys, folder(file)).map_err(|mut problems| problems.swap_remove(0))
    };
    let name = file_name(file);
    if name.contains(['{', '}']) {
        // In the paths of recorded answers braces are places to be filled in.
        return Err(Problem::new("the name of the file has braces")
            .expected("a name without")
            .in_file(file));
    }
    let truth = params(PartKind::Dataset, "labelled", dataset_keys(&guess, &name))?;
    let said = params(PartKind::Subject, "recorded", subject_keys(&guess, &name))?;
    let (dataset, answers) = scored_table::read(&truth, &said, Wording::Flags)
        .map_err(|problem| placed(problem, file))?;
    let items = dataset.test().items();
    answers
        .validate(items.len())
        .map_err(|nonsense| Problem::new(nonsense).in_file(file))?;
    let mut found = found(&guess, &answers, &dataset);
    let columns = dataset.test().columns();
    found.extend(cluster_words(guess.cluster.as_deref(), columns));
    found.extend(absent(dataset.test().truth(), &answers, registry));
    let mut read = Classes {
        truth: dataset.test().truth().clone(),
        items: items.len(),
        answers,
        found,
        clusters: clusters_by(guess.cluster.as_deref(), columns),
        views: Views::default(),
    };
    read.found.extend(turned(&guess, hints, &read, registry));
    read.found
        .extend(below_chance(&read, guess.classes.len(), registry));
    Ok(read)
}

pub(super) fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

pub(super) fn file_name(file: &Path) -> String {
    file.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// The problem with its file, and the way out where a column was taken for a class.
fn placed(problem: Problem, file: &Path) -> Problem {
    let problem = Problem {
        file: problem.file.or_else(|| Some(file.into())),
        ..problem
    };
    match problem.cause {
        Some(ProblemCause::NotANumber) => {
            problem.hint_if_none("`--classes` names the columns that are classes, if this is none")
        }
        _ => problem,
    }
}

/// The classes that no item is of.
fn absent(truth: &Sealed<Truth>, answers: &Answers, registry: &Registry) -> Option<String> {
    let recall = plain("recall", registry)?;
    let Some(Detail::Groups(groups)) = gauge::detail(
        recall.as_ref(),
        SealedCell::new(truth, answers, &Views::default()),
    ) else {
        return None;
    };
    let absent: Vec<String> = groups
        .into_iter()
        .filter(|one| one.n == 0)
        .map(|one| one.name)
        .collect();
    (!absent.is_empty()).then(|| format!("no item is {}", listed(&absent)))
}

/// Where one column was taken to be about the class that comes second by letter, whether it rather
/// goes with the first.
fn turned(
    guess: &TableGuess,
    hints: &TableHints,
    of: &Classes,
    registry: &Registry,
) -> Option<String> {
    let (AnswerColumns::SecondClass { column }, [first, second], true) =
        (&guess.answers, &guess.classes[..], hints.classes.is_empty())
    else {
        return None;
    };
    let auroc = plain("auroc-macro", registry)?;
    let (area, _) = gauge::once(auroc.as_ref(), of.sealed()).ok()?;
    (area < 0.5).then(|| {
        format!("items of `{second}` have the lower numbers: if `{column}` is about `{first}`, say `--classes {second},{first}`")
    })
}

/// That answers are right clearly less often than chance would be.
fn below_chance(of: &Classes, classes: usize, registry: &Registry) -> Option<String> {
    let accuracy = plain("accuracy", registry)?;
    let (share, items) = gauge::once(accuracy.as_ref(), of.sealed()).ok()?;
    let right = (share * items as f64).round() as u64;
    let interval = wilson(right, items as u64, 0.95).ok()?;
    (interval.high < 1.0 / classes.max(1) as f64)
        .then(|| "right less often than chance: are classes or columns swapped?".into())
}

/// A gauge with every key at its default.
fn plain(name: &str, registry: &Registry) -> Option<Box<dyn CellGauge>> {
    let part = registry.find(PartKind::Gauge, name).ok()?;
    let (Build::Gauge(build), params) = (&part.build, Params::of(part, &[], Path::new("")).ok()?)
    else {
        return None;
    };
    match build(&params) {
        Ok(Gauge::Cell(gauge)) => Some(gauge),
        _ => None,
    }
}

/// What was found, in words.
fn found(guess: &TableGuess, answers: &Answers, dataset: &Dataset) -> Vec<String> {
    let Answers::Classes(said) = answers else {
        return Vec::new();
    };
    let form = match said.said() {
        Said::Probabilities(_) => "probabilities of",
        Said::Logits(_) => "logits of",
        Said::Labels {
            confidence: Some(_),
            ..
        } => "predictions with a confidence, of",
        Said::Labels {
            confidence: None, ..
        } => "predictions without a confidence, of",
    };
    let count = number::count(said.classes().len() as u64);
    let mut found = vec![format!(
        "{form} {count} classes: {}",
        listed(said.classes())
    )];
    found.extend(how_read(guess, said));
    found.extend(guess.reasons.iter().flat_map(in_words));
    found.extend(unlikely(
        said.below_chance(),
        said.len(),
        said.classes().len(),
    ));
    found.push(format!("true classes in `{}`", guess.label));
    found.extend(guess.id.as_ref().map(|id| format!("ids in `{id}`")));
    if !guess.unread.is_empty() {
        found.push(format!("not read: {}", listed(&guess.unread)));
    }
    found.extend(unanswered(said));
    found.extend(dataset.remarks().iter().cloned());
    found
}

/// How many items have no answer, which nothing counts as right or wrong.
fn unanswered(said: &ClassAnswers) -> Option<String> {
    let absent = said.absent().len() as u64;
    let all = said.len() as u64;
    (absent > 0).then(|| {
        format!(
            "{} of {} items have no answer and count neither as right nor as wrong",
            number::count(absent),
            number::count(all)
        )
    })
}

/// That some confidences are lower than the largest of `classes` probabilities can be.
pub(super) fn unlikely(below: usize, all: usize, classes: usize) -> Option<String> {
    let below = number::count(below as u64);
    let all = number::count(all as u64);
    (below != "0").then(|| format!("{below} of {all} confidences are below 1/{classes}, which the largest of {classes} probabilities is not"))
}

/// How the numbers were read, where somebody could have read them otherwise.
fn how_read(guess: &TableGuess, said: &ClassAnswers) -> Vec<String> {
    let mut words = Vec::new();
    match (&guess.answers, said.classes()) {
        (AnswerColumns::Long { class, value }, _) => {
            words.push(format!(
                "a row per item and class, in `{class}` and `{value}`"
            ));
        }
        (AnswerColumns::SecondClass { column }, [_, second]) => {
            words.push(format!(
                "`{column}` is about `{second}`, the second of the two"
            ));
        }
        _ => {}
    }
    match (guess.form, &guess.answers, said.said()) {
        (AnswerForm::Auto, AnswerColumns::SecondClass { .. }, Said::Probabilities(_)) => {
            words.push("told to be probabilities, since all are from 0 to 1".into());
        }
        // An array called so is what it is called.
        (AnswerForm::Auto, AnswerColumns::List { column }, _) if column.starts_with("prob") => {}
        (AnswerForm::Auto, _, Said::Probabilities(_)) => {
            words.push("told to be probabilities, since every row sums to 1".into());
        }
        (AnswerForm::Auto, _, Said::Logits(_)) => {
            words.push("told to be logits, since some are outside [0, 1]".into());
        }
        _ => {}
    }
    words
}
