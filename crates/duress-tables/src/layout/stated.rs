//! A layout that a study states: by its keys and, where it leaves one out, by the plainest words.

use std::collections::HashSet;

use duress_core::problem::Problem;

use super::answers::AnswersLayout;
use super::words::{
    CONFIDENCE_COLUMNS, ID_COLUMNS, LISTS, PREDICTION_COLUMNS, ROW_CLASSES, ROW_VALUES,
    SECOND_CLASS, UNNAMED,
};
use super::{AnswerColumns, AnswerForm};
use crate::scores::Form;
use crate::table::{Head, find_column, no_column};
use crate::wording::Wording;

/// What a study says about where in a file the answers are; whatever is empty is found.
#[derive(Clone, Debug, Default)]
pub struct StatedLayout {
    /// The column with the ids.
    pub id: Option<String>,
    /// In what form the answers are.
    pub form: AnswerForm,
    /// The classes, in order.
    pub classes: Vec<String>,
    /// What stands before the name of a class in the name of its column.
    pub prefix: String,
    /// The list, or in a row per item and class the column, with the numbers.
    pub values: Option<String>,
    /// The column with the class that was said.
    pub prediction: Option<String>,
    /// The column that says how sure it was.
    pub confidence: Option<String>,
    /// The only column of numbers, about the second of two classes.
    pub positive: Option<String>,
    /// The column with the class, in a row per item and class.
    pub class: Option<String>,
    /// Columns that are no classes.
    pub ignore: Vec<String>,
    /// Columns with a number that was measured about each answer.
    pub scores: Vec<String>,
    /// How problems name what could be stated.
    pub wording: Wording,
}

impl StatedLayout {
    /// The column with the ids, if there is one.
    pub fn id_column(&self, heads: &[Head]) -> Result<Option<String>, Problem> {
        find_column(heads, self.id.as_deref(), ID_COLUMNS.plain())
    }

    /// Where in a file with these columns the answers are.
    pub fn layout(&self, heads: &[Head]) -> Result<AnswersLayout, Problem> {
        let id = self.id_column(heads)?;
        let places = match self.form.of_numbers() {
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
        if matches!(places.columns, AnswerColumns::Long { .. }) && !self.scores.is_empty() {
            return Err(
                Problem::new("`scores` of a table with a row per item and class")
                    .expected("a row per item, with a column per class"),
            );
        }
        Ok(AnswersLayout {
            id,
            label: None,
            scores: self.scores.clone(),
            columns: places.columns,
            form: places.form,
            classes: places.classes.unwrap_or_else(|| self.classes.clone()),
            wording: self.wording,
        })
    }

    /// Numbers per class: in the list that was named or is called as such lists are, in a column
    /// per class, or in the only list there is; where there are none, but predictions, labels after
    /// all.
    fn numbers(
        &self,
        heads: &[Head],
        id: Option<&str>,
        form: Form,
    ) -> Result<StatedPlaces, Problem> {
        if self.positive.is_some()
            && let Some(column) = self.one_column(heads)?
        {
            return Ok(StatedPlaces::numbers(
                AnswerColumns::SecondClass { column },
                form,
            ));
        }
        if let Some(column) = self.named_list(heads, form)? {
            let form = form.or_as_called(&column);
            return Ok(StatedPlaces::numbers(AnswerColumns::List { column }, form));
        }
        let classes = self.class_columns(heads, id);
        let columns: Vec<String> = classes
            .iter()
            .map(|class| format!("{}{class}", self.prefix))
            .collect();
        let there: HashSet<&str> = heads.iter().map(|head| head.name.as_str()).collect();
        let has = |name: &str| there.contains(name);
        let some = columns.len() > 1 && columns.iter().any(|column| has(column));
        let missing = columns.iter().find(|column| !has(column));
        let mut lists = heads.iter().filter(|head| head.listed);
        match (missing, lists.next(), lists.next()) {
            (None, ..) if some => {
                let prefix = self.prefix.clone();
                Ok(StatedPlaces {
                    classes: Some(classes),
                    ..StatedPlaces::numbers(
                        AnswerColumns::PerClass { prefix },
                        form.or_as_called(&self.prefix),
                    )
                })
            }
            (_, Some(only), None) if !some => {
                let column = only.name.clone();
                Ok(StatedPlaces::numbers(AnswerColumns::List { column }, form))
            }
            _ if !some && form == Form::Auto && has(PREDICTION_COLUMNS.first()) => {
                self.labels(heads)
            }
            _ => match (self.one_column(heads)?.filter(|_| !some), missing) {
                (Some(column), _) => Ok(StatedPlaces::numbers(
                    AnswerColumns::SecondClass { column },
                    form,
                )),
                (None, Some(missing)) => Err(no_column(missing, heads)),
                (None, None) => Err(no_answers(heads)),
            },
        }
    }

    /// A row per item and class: when the column of classes is named, or both columns are called as
    /// they usually are.
    fn long(
        &self,
        heads: &[Head],
        id: Option<&str>,
        form: Form,
    ) -> Result<Option<StatedPlaces>, Problem> {
        let Some(class) = find_column(heads, self.class.as_deref(), ROW_CLASSES.plain())? else {
            return Ok(None);
        };
        let value = find_column(heads, self.values.as_deref(), ROW_VALUES.plain())?;
        match (value, id) {
            (Some(value), Some(_)) => {
                let form = form.or_as_called(&value);
                Ok(Some(StatedPlaces::numbers(
                    AnswerColumns::Long { class, value },
                    form,
                )))
            }
            _ if self.class.is_none() => Ok(None),
            (None, _) => Err(no_column(ROW_VALUES.first(), heads)),
            (_, None) => Err(no_column(ID_COLUMNS.first(), heads)),
        }
    }

    /// The one column of numbers about two classes.
    fn one_column(&self, heads: &[Head]) -> Result<Option<String>, Problem> {
        if self.positive.is_none() && ![0, 2].contains(&self.classes.len()) {
            return Ok(None);
        }
        find_column(heads, self.positive.as_deref(), SECOND_CLASS.plain())
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
            _ => LISTS.plain(),
        };
        let lists: Vec<Head> = heads.iter().filter(|head| head.listed).cloned().collect();
        find_column(&lists, None, called)
    }

    fn labels(&self, heads: &[Head]) -> Result<StatedPlaces, Problem> {
        let prediction = find_column(
            heads,
            self.prediction.as_deref(),
            PREDICTION_COLUMNS.plain(),
        )?;
        let prediction = prediction.ok_or_else(|| no_column(PREDICTION_COLUMNS.first(), heads))?;
        if self.classes.is_empty() {
            return Err(
                Problem::new("nothing says which classes there are").expected(format!(
                    "{}: a class that was never predicted is not in the file",
                    self.wording.classes()
                )),
            );
        }
        let confidence = find_column(
            heads,
            self.confidence.as_deref(),
            CONFIDENCE_COLUMNS.plain(),
        )?;
        Ok(StatedPlaces {
            columns: AnswerColumns::Labels {
                prediction,
                confidence,
            },
            form: Form::Auto,
            classes: None,
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
            let known = [PREDICTION_COLUMNS, CONFIDENCE_COLUMNS, UNNAMED];
            own || known.iter().any(|words| words.plain().contains(&name))
                || self.ignore.iter().chain(&self.scores).any(|no| no == name)
        };
        let classes = heads
            .iter()
            .filter(|head| !head.listed && !other(&head.name));
        let classes = classes.filter_map(|head| head.name.strip_prefix(self.prefix.as_str()));
        classes.map(String::from).collect()
    }
}

/// Where the answers are, and what they are.
struct StatedPlaces {
    columns: AnswerColumns,
    form: Form,
    /// The classes, where the columns name them.
    classes: Option<Vec<String>>,
}

impl StatedPlaces {
    fn numbers(columns: AnswerColumns, form: Form) -> StatedPlaces {
        StatedPlaces {
            columns,
            form,
            classes: None,
        }
    }
}

fn no_answers(heads: &[Head]) -> Problem {
    let names: Vec<&str> = heads.iter().map(|head| head.name.as_str()).collect();
    Problem::new(format!("there are no answers among the columns {}", names.join(", "))).expected(
        "a column per class, a column `prediction`, or an array with a row per item (`values = …` says which)",
    )
}
