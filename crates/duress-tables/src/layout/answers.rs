//! From a table whose layout is known to answers about items.

use std::path::Path;

use duress_core::answer::{Absence, AbsenceKind, ClassAnswers, Said};
use duress_core::data::Items;
use duress_core::problem::Problem;

use super::AnswerColumns;
use super::words::says_probabilities;
use crate::labels::{listed, names_beside, positions_where_said};
use crate::long::{Long, gather};
use crate::rows::rows_of;
use crate::scores::{Form, Scores, take};
use crate::table::{Head, ROW, Table, Want, both, by_name, in_row};
use crate::wording::Wording;

/// Where in a file the answers of a classifier are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswersLayout {
    /// The column with the ids; without one, rows belong to items by position.
    pub id: Option<String>,
    /// The column with the true classes, where these are wanted too.
    pub label: Option<String>,
    /// Columns with a number that was measured about each answer.
    pub scores: Vec<String>,
    /// Where the answers are.
    pub columns: AnswerColumns,
    /// What numbers are; labels have none.
    pub form: Form,
    /// The classes in order: those that were stated, or those that have a column; empty where
    /// nobody has said which there are.
    pub classes: Vec<String>,
    /// How problems name what could be stated.
    pub wording: Wording,
}

/// Why an item has no answer.
pub fn no_row_in(file: &Path) -> Absence {
    Absence::new(
        AbsenceKind::Unrecorded,
        format!(
            "there is no row with its id in {}",
            file.file_name().unwrap_or_default().to_string_lossy()
        ),
    )
}

impl AnswersLayout {
    /// What is to be read of a file with these columns.
    pub fn wants(&self, heads: &[Head]) -> Result<Vec<Want>, Problem> {
        let mut texts: Vec<&str> = self
            .id
            .iter()
            .chain(&self.label)
            .map(String::as_str)
            .collect();
        let (mut classes, mut numbers): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
        match &self.columns {
            AnswerColumns::PerClass { prefix } => {
                let column = |class: &String| format!("{prefix}{class}");
                classes = self.classes.iter().map(column).collect();
            }
            AnswerColumns::List { column } | AnswerColumns::SecondClass { column } => {
                numbers.push(column);
            }
            AnswerColumns::Long { class, value } => {
                texts.push(class);
                numbers.push(value);
            }
            AnswerColumns::Labels {
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
            in_row(heads, &classes),
            by_name(heads, &numbers, &texts),
        )
    }

    /// The classes that answers will have, where that can be said before they are read.
    pub fn known_classes(&self) -> Result<Option<Vec<String>>, Problem> {
        match &self.columns {
            AnswerColumns::SecondClass { column } => self.two_classes(column).map(Some),
            _ if self.classes.is_empty() => Ok(None),
            _ => Ok(Some(self.classes.clone())),
        }
    }

    /// The answers about items; without items, about every row.
    pub fn answers(&self, table: Table, items: Option<&Items>) -> Result<ClassAnswers, Problem> {
        let (mut table, numbers) = self.gathered(table)?;
        let rows = match items {
            Some(items) => rows_of(&table, self.id.as_deref(), items)?,
            None => (0..table.rows()).map(Some).collect(),
        };
        let (classes, said) = match numbers {
            Some(numbers) => self.say_numbers(&mut table, numbers, &rows)?,
            None => (self.classes.clone(), self.say_labels(&table, &rows)?),
        };
        let absent = |row: &Option<usize>| match row {
            Some(row) => self.nothing_said(&table, *row),
            None => Some(no_row_in(table.file())),
        };
        let answers = rows
            .iter()
            .enumerate()
            .filter_map(|(item, row)| Some((item, absent(row)?)))
            .fold(
                ClassAnswers::new(classes, said),
                |answers, (item, absence)| answers.without(item, absence),
            );
        Ok(self.scores.iter().fold(answers, |answers, name| {
            let (_, all) = table.numbers(name);
            answers.with_score(
                name,
                rows.iter()
                    .map(|row| row.map_or(0.0, |row| all[row]))
                    .collect(),
            )
        }))
    }

    /// The table with a row per item, and which numbers in it are the answers; `None` for labels.
    fn gathered(&self, table: Table) -> Result<(Table, Option<RowNumbers<'_>>), Problem> {
        let numbers = |name, form, classes| {
            Some(RowNumbers {
                name,
                form,
                classes,
            })
        };
        Ok(match &self.columns {
            AnswerColumns::Labels { .. } => (table, None),
            AnswerColumns::PerClass { .. } => {
                (table, numbers(ROW, self.form, Some(self.classes.clone())))
            }
            AnswerColumns::List { column } => (table, numbers(column, self.form, None)),
            AnswerColumns::Long { class, value } => {
                let id = self.id.as_deref().unwrap_or_default();
                let (table, classes) = gather(&table, &Long { id, class, value }, &self.classes)?;
                (table, numbers(value, self.form, Some(classes)))
            }
            AnswerColumns::SecondClass { column } => {
                let (values, form) = self.both_classes(&table, column)?;
                let classes = Some(self.two_classes(column)?);
                (
                    table.with_numbers(column, 2, values),
                    numbers(column, form, classes),
                )
            }
        })
    }

    fn say_numbers(
        &self,
        table: &mut Table,
        numbers: RowNumbers<'_>,
        rows: &[Option<usize>],
    ) -> Result<(Vec<String>, Said), Problem> {
        let RowNumbers {
            name,
            form,
            classes,
        } = numbers;
        let scores = Scores::of(table, name).worded(self.wording);
        let classes = match classes {
            Some(classes) => classes,
            None => self.classes_of_list(table.file(), name, scores.classes())?,
        };
        let in_order = rows
            .iter()
            .enumerate()
            .all(|(item, row)| *row == Some(item));
        let said = match in_order {
            true => take(table, name, form, self.wording)?,
            false => scores.say(form, rows)?,
        };
        Ok((classes, said))
    }

    /// The two classes that one column is about, of which it is about the second.
    fn two_classes(&self, column: &str) -> Result<Vec<String>, Problem> {
        match self.classes.len() {
            2 if self.classes[0] == column => Err(Problem::new(format!(
                "`{column}` is called as the first of the classes {}, and one column is about the second",
                self.classes.join(", ")
            ))
            .expected(format!(
                "`{column}` as the second: {} in that order",
                self.wording.classes()
            ))),
            0 => Ok(vec!["0".into(), "1".into()]),
            2 => Ok(self.classes.clone()),
            n => Err(Problem::new(format!("one column of numbers for {n} classes"))
                .expected("two classes, of which it is about the second")),
        }
    }

    /// Numbers of both classes from those of the second: probabilities, or logits against 0. Where
    /// hardly any are outside [0, 1], these are damaged probabilities and not logits; and so they
    /// are in a column that is called a probability. Numbers from 0 to 100 may be percentages, and
    /// are logits only where somebody says so.
    fn both_classes(&self, table: &Table, column: &str) -> Result<(Vec<f64>, Form), Problem> {
        let (_, second) = table.numbers(column);
        let beyond = |p: &f64| !(0.0..=1.0).contains(p);
        let many = second.iter().filter(|p| beyond(p)).count();
        let percent = 10 * many > second.len() && of_hundred(second);
        let logits = match self.form.or_as_called(column) {
            Form::Logits => true,
            Form::Auto => 10 * many > second.len() && !percent,
            Form::Probabilities => false,
        };
        if logits {
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
        let others = match self.form {
            Form::Auto if says_probabilities(column) => ", and is called a probability".into(),
            Form::Auto if percent => ", and all are from 0 to 100".into(),
            Form::Auto => format!(
                ", and {} of {} are from 0 to 1",
                second.len() - many,
                second.len()
            ),
            _ => String::new(),
        };
        let problem = Problem::new(format!("`{column}` is {}{others}", second[row]));
        let problem = problem.expected("a probability from 0 to 1");
        let logit = format!("if it is a logit, say {}", self.wording.logits());
        let hint = match percent {
            true => format!("{PERCENT}; {logit}"),
            false => logit,
        };
        Err(table.at(row, problem.hint(hint)))
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

    /// Why a row has no answer: where labels stand, an empty cell is none.
    fn nothing_said(&self, table: &Table, row: usize) -> Option<Absence> {
        let AnswerColumns::Labels { prediction, .. } = &self.columns else {
            return None;
        };
        let empty = table.texts(prediction).get(row).is_empty();
        empty.then(|| {
            Absence::new(
                AbsenceKind::Unrecorded,
                format!("its `{prediction}` is empty"),
            )
        })
    }

    fn say_labels(&self, table: &Table, rows: &[Option<usize>]) -> Result<Said, Problem> {
        let AnswerColumns::Labels {
            prediction,
            confidence,
        } = &self.columns
        else {
            unreachable!("what is not labels is numbers");
        };
        let (labels, _) = positions_where_said(table, prediction, &self.classes)?;
        let sure = confidence
            .as_deref()
            .map(|name| (name, table.numbers(name).1));
        if let Some((name, sure)) = sure
            && let Some(row) = sure.iter().position(|c| !(0.0..=1.0).contains(c))
        {
            let problem = Problem::new(format!("`{name}` is {}", sure[row]))
                .expected("a confidence from 0 to 1");
            return Err(table.at(
                row,
                match of_hundred(sure) {
                    true => problem.hint(PERCENT),
                    false => problem,
                },
            ));
        }
        // What stands in the place of an absent answer is never read.
        let label = rows
            .iter()
            .map(|row| row.and_then(|row| labels[row]).unwrap_or_default())
            .collect();
        let confidence = sure.map(|(_, sure)| {
            rows.iter()
                .map(|row| row.map_or(0.0, |row| sure[row]))
                .collect()
        });
        Ok(Said::Labels { label, confidence })
    }
}

/// What numbers from 0 to 100 are likely to be.
pub(super) const PERCENT: &str = "percent? Then divide by 100";

/// Whether numbers that are no probabilities could be percentages.
fn of_hundred(numbers: &[f64]) -> bool {
    numbers.iter().all(|x| (0.0..=100.0).contains(x))
}

/// Numbers per class in a table with a row per item.
struct RowNumbers<'a> {
    name: &'a str,
    form: Form,
    /// The classes, where they are known.
    classes: Option<Vec<String>>,
}
