//! Layout: where in a table the answers, what is true and the ids are.
//!
//! There are two ways to a layout. A study *states* it by keys ([`stated::StatedLayout`]), and what
//! it leaves out is found by the plainest words only. For the short way the layout is *guessed*
//! from the names of the columns and, where these leave it open, from the numbers
//! ([`guess::TableGuess`]); a guess has its reasons with it. Both describe the same five places for
//! answers ([`AnswerColumns`]) in the same words ([`words`]).

pub mod answers;
pub mod guess;
pub mod score_column;
pub mod stated;
pub mod words;

use std::collections::HashSet;

use duress_core::problem::Problem;

use crate::scores::Form;
use crate::table::{Head, find_column};
use words::{ColumnWords, says_logits};

/// Where the answers of a classifier are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerColumns {
    /// In a column per class.
    PerClass {
        /// What stands before the name of a class in the name of its column.
        prefix: String,
    },
    /// In a list per row.
    List {
        /// The column of lists.
        column: String,
    },
    /// In a row per item and class.
    Long {
        /// The column with the class.
        class: String,
        /// The column with its number.
        value: String,
    },
    /// In one column, about the second of two classes.
    SecondClass {
        /// The column.
        column: String,
    },
    /// A class per row.
    Labels {
        /// The column with the class.
        prediction: String,
        /// The column that says how sure it was.
        confidence: Option<String>,
    },
}

impl AnswerColumns {
    /// Whether the answers are in the column of a name. The classes are looked at once, here: there
    /// may be as many columns as there are classes.
    pub fn includes(&self, classes: &[String]) -> impl Fn(&str) -> bool {
        let classes = match self {
            AnswerColumns::PerClass { .. } => guess::name_set(classes),
            _ => HashSet::new(),
        };
        move |name| match self {
            AnswerColumns::PerClass { prefix } => name
                .strip_prefix(prefix.as_str())
                .is_some_and(|class| classes.contains(class)),
            AnswerColumns::List { column } | AnswerColumns::SecondClass { column } => {
                column == name
            }
            AnswerColumns::Long { class, value } => class == name || value == name,
            AnswerColumns::Labels {
                prediction,
                confidence,
            } => prediction == name || confidence.as_deref() == Some(name),
        }
    }

    /// The form that the names of the columns give away.
    fn form_as_called(&self) -> AnswerForm {
        let name = match self {
            AnswerColumns::PerClass { prefix } => prefix,
            AnswerColumns::List { column } | AnswerColumns::SecondClass { column } => column,
            AnswerColumns::Long { value, .. } => value,
            AnswerColumns::Labels { .. } => return AnswerForm::Labels,
        };
        match says_logits(name) {
            true => AnswerForm::Logits,
            false => AnswerForm::Auto,
        }
    }
}

duress_core::words! {
    /// In what form answers are, as somebody says it.
    #[derive(Default)]
    pub enum AnswerForm {
        /// To be told from names and numbers.
        #[default]
        Auto = "auto",
        /// Probabilities.
        Probabilities = "probabilities",
        /// Logits.
        Logits = "logits",
        /// Classes that were said.
        Labels = "labels",
    }
}

impl AnswerForm {
    /// What numbers are, if there are numbers.
    fn of_numbers(self) -> Option<Form> {
        match self {
            AnswerForm::Auto => Some(Form::Auto),
            AnswerForm::Probabilities => Some(Form::Probabilities),
            AnswerForm::Logits => Some(Form::Logits),
            AnswerForm::Labels => None,
        }
    }
}

/// A column that was named, which must be there; else the first that is called as such columns are.
pub fn named_or_usual(
    heads: &[Head],
    named: Option<&str>,
    words: ColumnWords,
) -> Result<Option<String>, Problem> {
    match named {
        Some(_) => find_column(heads, named, &[]),
        None => Ok(words.find(heads)),
    }
}
