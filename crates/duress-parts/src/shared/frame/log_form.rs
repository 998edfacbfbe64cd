//! What answers in a log are taken for: choices, scores, or texts.

use std::path::Path;

use duress_core::answer::{Absence, AbsenceKind, ItemAnswer};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_tables::logs::{EvalLog, LoggedAnswer};

duress_core::words! {
    /// What answers in a log are taken for.
    pub(crate) enum LogForm {
        Choices = "choices",
        Score = "score",
        Texts = "texts",
    }
}

/// The classes of answers that somebody scored.
pub(crate) const SCORED: [&str; 2] = ["wrong", "right"];

impl LogForm {
    pub(crate) fn question(self) -> Question {
        match self {
            LogForm::Choices | LogForm::Score => Question::Classes,
            LogForm::Texts => Question::Text,
        }
    }
}

/// The classes that choices are: as many letters as the item with the most choices has.
pub(crate) fn letters(log: &EvalLog) -> Vec<String> {
    let most = log.answers.iter().map(|answer| answer.choices.len()).max();
    (b'A'..=b'Z')
        .take(most.unwrap_or(0))
        .map(|letter| char::from(letter).to_string())
        .collect()
}

/// That a log holds what it is taken for.
pub(crate) fn check(log: &EvalLog, form: LogForm, file: &Path) -> Result<(), Problem> {
    if form == LogForm::Choices && letters(log).is_empty() {
        return Err(Problem::new("this log has no answers to choose from")
            .expected("`form = \"score\"` or `\"texts\"`")
            .in_file(file));
    }
    Ok(())
}

/// The series that is meant: the one that is named, or the only one.
pub(crate) fn series(log: &EvalLog, named: Option<&str>) -> Result<String, Problem> {
    let there = log.series();
    let listed = || {
        there
            .iter()
            .map(|one| format!("{one:?}"))
            .collect::<Vec<_>>()
            .join(", ")
    };
    match (named, there.len()) {
        (Some(name), _) if there.contains(name) => Ok(name.into()),
        (Some(name), _) => Err(Problem::new(format!("there is no series {name:?}"))
            .expected(format!("one of {}", listed()))
            .nearest(name, there.iter().copied())),
        (None, 1) => Ok(there.first().copied().unwrap_or_default().into()),
        (None, _) => Err(Problem::new("the log has several series of answers")
            .expected(format!("`series`, one of {}", listed()))),
    }
}

/// The score that is meant: the one that is named, or the only one.
pub(crate) fn score(log: &EvalLog, named: Option<&str>) -> Result<String, Problem> {
    let there = log.scores();
    let listed = || there.iter().copied().collect::<Vec<_>>().join(", ");
    match (named, there.len()) {
        (Some(name), _) if there.contains(name) => Ok(name.into()),
        (Some(name), _) => Err(Problem::new(format!("there is no score `{name}`"))
            .expected(format!("one of {}", listed()))
            .nearest(name, there.iter().copied())),
        (None, 0) => Err(Problem::new("the log has no scores").expected("`form = \"texts\"`")),
        (None, 1) => Ok(there.first().copied().unwrap_or_default().into()),
        (None, _) => Err(Problem::new("the log has several scores")
            .expected(format!("`score`, one of {}", listed()))),
    }
}

/// What an answer says, taken for something.
pub(crate) fn item_answer(
    answer: &LoggedAnswer,
    form: LogForm,
    score: &str,
) -> Result<ItemAnswer, Problem> {
    let said = match form {
        LogForm::Texts => answer.said.clone().map(ItemAnswer::Text),
        LogForm::Choices => match &answer.chosen {
            Some(chosen) => chosen
                .clone()
                .map(|(class, sure)| ItemAnswer::Label(class as u32, sure)),
            None => Err(unrecorded("it had nothing to choose from")),
        },
        LogForm::Score => match answer.scores.get(score) {
            Some(Ok(value)) => Ok(ItemAnswer::Label(
                right_or_wrong(answer, score, *value)?,
                None,
            )),
            Some(Err(absence)) => Err(absence.clone()),
            None => Err(answer
                .said
                .clone()
                .err()
                .unwrap_or_else(|| unrecorded("it has no such score"))),
        },
    };
    Ok(said.unwrap_or_else(ItemAnswer::Absent))
}

fn right_or_wrong(answer: &LoggedAnswer, score: &str, value: f64) -> Result<u32, Problem> {
    match value {
        1.0 => Ok(1),
        0.0 => Ok(0),
        value => Err(Problem::new(format!(
            "`{score}` of {} is {value}: neither right nor wrong",
            answer.item
        ))
        .expected("a score of 0 or 1; `score` names another")),
    }
}

/// Why an item has no answer that the log does not have.
pub(crate) fn unrecorded(why: &str) -> Absence {
    Absence::new(AbsenceKind::Unrecorded, why)
}
