//! The keys of the parts that read a table as it was guessed.

use duress_core::part::Raw;
use duress_core::word::Word;
use duress_tables::layout::AnswerColumns;
use duress_tables::layout::guess::TableGuess;

/// The keys of a `labelled` dataset on this table.
pub(crate) fn dataset_keys(guess: &TableGuess, file: &str) -> Vec<(&'static str, Raw)> {
    let mut keys = vec![("file", text(file)), ("label", text(&guess.label))];
    keys.extend(guess.label_id.as_deref().map(|id| ("id", text(id))));
    if matches!(guess.answers, AnswerColumns::Long { .. }) {
        keys.push(("long", Raw::Flag(true)));
    }
    keys.push(("classes", texts(&guess.classes)));
    let cluster = guess.cluster.iter().cloned().collect::<Vec<_>>();
    if !cluster.is_empty() {
        keys.push(("columns", texts(&cluster)));
    }
    keys
}

/// The keys of a `recorded` subject whose answers are in `files`.
pub(crate) fn subject_keys(guess: &TableGuess, files: &str) -> Vec<(&'static str, Raw)> {
    let mut keys = vec![("files", text(files))];
    keys.extend(guess.id.as_deref().map(|id| ("id", text(id))));
    match &guess.answers {
        AnswerColumns::PerClass { prefix } if !prefix.is_empty() => {
            keys.push(("prefix", text(prefix)));
        }
        AnswerColumns::PerClass { .. } => {}
        AnswerColumns::List { column } => keys.push(("values", text(column))),
        AnswerColumns::Long { class, value } => {
            keys.push(("class", text(class)));
            keys.push(("values", text(value)));
        }
        AnswerColumns::SecondClass { column } => keys.push(("positive", text(column))),
        AnswerColumns::Labels {
            prediction,
            confidence,
        } => {
            keys.push(("prediction", text(prediction)));
            keys.extend(confidence.as_deref().map(|name| ("confidence", text(name))));
        }
    }
    keys.push(("form", text(guess.form.word())));
    keys.push(("classes", texts(&guess.classes)));
    keys
}

fn text(text: &str) -> Raw {
    Raw::Text(text.into())
}

fn texts(all: &[String]) -> Raw {
    Raw::List(all.iter().cloned().map(Raw::Text).collect())
}
