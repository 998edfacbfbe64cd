//! What a table of a classifier's answers holds, guessed from the names of its columns and, where
//! these leave it open, from the numbers.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use duress_core::answer::SUM_TOLERANCE;
use duress_core::problem::Problem;

use super::score_column::{Meaning, ScoreColumn, Threshold};
use super::words::{
    CONFIDENCE_COLUMNS, ID_COLUMNS, LABEL_COLUMNS, LISTS, NO_CLASSES, PREDICTION_COLUMNS, PREFIXES,
    ROW_CLASSES, ROW_VALUES, SECOND_CLASS, UNNAMED, says_logits,
};
use super::{AnswerColumns, AnswerForm, named_or_usual};
use crate::formats;
use crate::labels::{classes_of, in_order, listed, names_beside, no_class_twice};
use crate::table::{Head, by_name, find_column, no_column};

/// What is known about a table beforehand; all of it may be left to be found out.
#[derive(Clone, Debug, Default)]
pub struct TableHints {
    /// The column with the true class.
    pub label: Option<String>,
    /// The column with the ids.
    pub id: Option<String>,
    /// The column with the scores: of an arrangement, or of the second of two classes.
    pub score: Option<String>,
    /// The classes, in order.
    pub classes: Vec<String>,
    /// The form of the answers.
    pub form: AnswerForm,
    /// The column that says which items belong together.
    pub cluster: Option<String>,
    /// A table of two columns that says of each text that was arranged what structure it has.
    pub structures: Option<PathBuf>,
}

/// Where in a table the truth and the answers are.
#[derive(Clone, Debug, PartialEq)]
pub struct TableGuess {
    /// The column with the true class.
    pub label: String,
    /// The column with the ids beside the true classes.
    pub label_id: Option<String>,
    /// The column with the ids beside the answers.
    pub id: Option<String>,
    /// The classes, in order.
    pub classes: Vec<String>,
    /// The form of the answers.
    pub form: AnswerForm,
    /// Where the answers are.
    pub answers: AnswerColumns,
    /// Why it was guessed so, where somebody could have read it otherwise.
    pub reasons: Vec<Reason>,
    /// The columns beside the answers that nobody reads.
    pub unread: Vec<String>,
    /// Those beside the true classes.
    pub label_unread: Vec<String>,
    /// The column that says which items belong together, where one was named.
    pub cluster: Option<String>,
}

/// Why a table was guessed to be so.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// A column beside a list has the names of its classes.
    ClassesNamedIn {
        /// The column.
        column: String,
    },
    /// The predictions follow from a column of numbers, which is therefore about a class.
    GoesWithPrediction {
        /// The column of numbers.
        column: String,
        /// The column of predictions, which is not read.
        prediction: String,
        /// The class that it is about.
        about: String,
        /// Where the predictions change, if not at one half.
        threshold: Option<Threshold>,
    },
    /// The same, where predictions are to be read: the numbers are then not how sure each was.
    IsNoConfidence {
        /// The column of numbers.
        column: String,
        /// The column of predictions.
        prediction: String,
    },
}

/// Whether a column is where the truth would be.
pub fn has_label(heads: &[Head]) -> bool {
    LABEL_COLUMNS.find(heads).is_some()
}

/// Guesses what a table of answers and truth holds.
pub fn guess(file: &Path, hints: &TableHints) -> Result<TableGuess, Problem> {
    guess_with_truth_in(file, file, hints)
}

/// Guesses what a table of answers holds whose truth is in another.
pub fn guess_with_truth_in(
    file: &Path,
    truth: &Path,
    hints: &TableHints,
) -> Result<TableGuess, Problem> {
    no_class_twice(&hints.classes)?;
    let truth_heads = formats::heads(truth)?;
    let label = label(&truth_heads, hints).map_err(|problem| problem.in_file(truth))?;
    let heads = if file == truth {
        truth_heads.clone()
    } else {
        formats::heads(file)?
    };
    let id = |heads: &[Head]| {
        Ok(named_or_usual(heads, hints.id.as_deref(), ID_COLUMNS)?.filter(|id| *id != label))
    };
    let cluster = find_column(&truth_heads, hints.cluster.as_deref(), &[]);
    let cluster = cluster.map_err(|problem| problem.in_file(truth))?;
    let label_id = id(&truth_heads).map_err(|problem: Problem| problem.in_file(truth))?;
    let own_id = id(&heads).map_err(|problem: Problem| problem.in_file(file))?;
    let looking = Looking {
        file,
        heads: &heads,
        hints,
        truth,
        label,
        id: own_id,
    };
    let Found {
        answers,
        classes,
        reasons,
        read,
    } = looking.found().map_err(|problem| problem.in_file(file))?;
    let form = match hints.form {
        AnswerForm::Probabilities | AnswerForm::Logits => hints.form,
        AnswerForm::Auto | AnswerForm::Labels => answers.form_as_called(),
    };
    let (unread, label_unread) = {
        let is_answer = answers.includes(&classes);
        let unread = |heads: &[Head], id: &Option<String>| -> Vec<String> {
            let own = |name: &str| {
                [
                    Some(&looking.label),
                    id.as_ref(),
                    read.as_ref(),
                    cluster.as_ref(),
                ]
                .iter()
                .any(|own| own.is_some_and(|own| own == name))
            };
            let names = heads
                .iter()
                .map(|head| head.name.as_str())
                .filter(|name| !UNNAMED.all().contains(name));
            names
                .filter(|name| !own(name) && !is_answer(name))
                .map(String::from)
                .collect()
        };
        (unread(&heads, &looking.id), unread(&truth_heads, &label_id))
    };
    let Looking { label, id, .. } = looking;
    Ok(TableGuess {
        label,
        label_id,
        id,
        classes,
        form,
        answers,
        reasons,
        unread,
        label_unread,
        cluster,
    })
}

fn label(heads: &[Head], hints: &TableHints) -> Result<String, Problem> {
    named_or_usual(heads, hints.label.as_deref(), LABEL_COLUMNS)?.ok_or_else(|| {
        Problem::new("no column is called as true classes are")
            .expected(format!(
                "a column such as {}",
                LABEL_COLUMNS.all()[..4].join(", ")
            ))
            .hint(format!("`--label` names it; there is: {}", names(heads)))
    })
}

fn names(heads: &[Head]) -> String {
    let named: Vec<&str> = heads
        .iter()
        .take(12)
        .map(|head| head.name.as_str())
        .collect();
    let more = if heads.len() > named.len() {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", named.join(", "))
}

/// A table that is being looked at, once it is known where the truth is.
struct Looking<'a> {
    file: &'a Path,
    heads: &'a [Head],
    hints: &'a TableHints,
    /// The table with the truth.
    truth: &'a Path,
    /// Its column with the true class.
    label: String,
    id: Option<String>,
}

/// What was found.
struct Found {
    answers: AnswerColumns,
    classes: Vec<String>,
    reasons: Vec<Reason>,
    /// A further column that was read.
    read: Option<String>,
}

impl From<(AnswerColumns, Vec<String>)> for Found {
    fn from((answers, classes): (AnswerColumns, Vec<String>)) -> Found {
        Found {
            answers,
            classes,
            reasons: Vec::new(),
            read: None,
        }
    }
}

impl Looking<'_> {
    fn found(&self) -> Result<Found, Problem> {
        let prediction = PREDICTION_COLUMNS
            .find(self.heads)
            .filter(|name| *name != self.label);
        if self.hints.form == AnswerForm::Labels {
            if self.hints.score.is_some() {
                return Err(Problem::new(
                    "`--form labels` reads what was said, `--score` numbers about the second class",
                )
                .expected("one of the two"));
            }
            return self.labels(
                prediction.ok_or_else(|| no_column(PREDICTION_COLUMNS.first(), self.heads))?,
            );
        }
        if self.hints.score.is_some() {
            return self.second().map(Found::from);
        }
        if let Some(list) = self.list() {
            return self.listed(list);
        }
        let auto = self.hints.form == AnswerForm::Auto;
        match prediction {
            Some(prediction) if auto && !self.has_columns()? => self.labels(prediction),
            _ => self.numbers().map(Found::from),
        }
    }

    /// Whether there is a column or a row per class.
    fn has_columns(&self) -> Result<bool, Problem> {
        Ok(self.long().is_some() || self.prefix().is_some() || self.classes_are_columns()?)
    }

    /// Numbers per class, or about the second of two.
    fn numbers(&self) -> Result<(AnswerColumns, Vec<String>), Problem> {
        if let Some((class, value)) = self.long() {
            let classes = match self.hints.classes.is_empty() {
                true => occurring(self.file, &[&class])?,
                false => self.hints.classes.clone(),
            };
            return Ok((AnswerColumns::Long { class, value }, classes));
        }
        if let Some(prefix) = self.prefix() {
            let classes = match self.hints.classes.is_empty() {
                true => self.behind(&prefix),
                false => self.hints.classes.clone(),
            };
            return Ok((AnswerColumns::PerClass { prefix }, classes));
        }
        if self.rest().len() < 2 {
            self.second()
        } else {
            self.columns()
        }
    }

    /// The columns of a table with a row per item and class: the class, which is not the true one,
    /// and its number.
    fn long(&self) -> Option<(String, String)> {
        let class = ROW_CLASSES
            .find(self.heads)
            .filter(|name| *name != self.label)?;
        let value = ROW_VALUES.find(self.heads)?;
        self.id.as_ref().map(|_| (class, value))
    }

    /// One column of numbers, about the second of two classes: called as such columns are, as the
    /// class it is about, or named.
    fn second(&self) -> Result<(AnswerColumns, Vec<String>), Problem> {
        let mut classes = match self.hints.classes.is_empty() {
            true => with_other_of_pair(occurring(self.truth, &[&self.label])?),
            false => self.hints.classes.clone(),
        };
        let named = find_column(self.heads, self.hints.score.as_deref(), &[])?;
        let set = name_set(&classes);
        let about = self
            .rest()
            .into_iter()
            .find(|name| set.contains(name.as_str()));
        let called = SECOND_CLASS
            .find(self.heads)
            .filter(|name| *name != self.label);
        let Some(name) = named.or_else(|| about.clone()).or(called) else {
            return self.columns();
        };
        match classes.as_slice() {
            [_, _] => {}
            some => {
                return Err(Problem::new(format!(
                    "`{name}` is one column of numbers, and `{}` has {} class{}",
                    self.label,
                    some.len(),
                    if some.len() == 1 { "" } else { "es" }
                ))
                .expected("two classes, of which it is about the second; or a column per class")
                .hint("`--classes` names the classes in order"));
            }
        }
        // A column called as a class is about that class, whichever comes first by letter.
        if self.hints.classes.is_empty() && Some(&name) == about.as_ref() && classes[0] == name {
            classes.reverse();
        }
        Ok((AnswerColumns::SecondClass { column: name }, classes))
    }

    /// The list with a number per class.
    fn list(&self) -> Option<&Head> {
        let lists = || self.heads.iter().filter(|head| head.listed);
        let called = |word: &&str| lists().find(|head| head.name.eq_ignore_ascii_case(word));
        let only = || {
            if lists().count() == 1 {
                lists().next()
            } else {
                None
            }
        };
        LISTS.all().iter().find_map(called).or_else(only)
    }

    fn listed(&self, list: &Head) -> Result<Found, Problem> {
        let name = list.name.clone();
        if !self.hints.classes.is_empty() {
            return Ok((
                AnswerColumns::List { column: name },
                self.hints.classes.clone(),
            )
                .into());
        }
        // Given back before anything else is read: it may be most of the memory there is.
        let width = formats::read(self.file, &mut |heads| Ok(by_name(heads, &[&name], &[])))?
            .numbers(&name)
            .0;
        let true_classes = occurring(self.truth, &[&self.label])?;
        if let Some((column, classes)) = self.named_beside(width, &true_classes) {
            return Ok(Found {
                answers: AnswerColumns::List { column: name },
                classes,
                reasons: vec![Reason::ClassesNamedIn {
                    column: column.clone(),
                }],
                read: Some(column),
            });
        }
        if true_classes
            .iter()
            .all(|class| class.parse::<f64>().is_ok())
        {
            return Ok((
                AnswerColumns::List { column: name },
                (0..width).map(|class| class.to_string()).collect(),
            )
                .into());
        }
        let flags = ["False", "True"];
        if width == 2
            && true_classes
                .iter()
                .all(|class| flags.contains(&class.as_str()))
        {
            return Ok((
                AnswerColumns::List { column: name },
                flags.map(String::from).to_vec(),
            )
                .into());
        }
        Err(Problem::new(format!(
            "nothing says which class each of the {width} numbers in `{name}` is about: `{}` has names, {}",
            self.label,
            listed(&true_classes)
        ))
        .expected(format!(
            "{width} names in that order, in an array `classes`; or true classes as whole numbers from 0"
        ))
        .hint("`--classes` names them; in a study, the key `classes` of the dataset and of the subject"))
    }

    /// The array of an archive, beside those of rows, that names `width` classes, the true ones or
    /// their positions among them.
    fn named_beside(&self, width: usize, true_classes: &[String]) -> Option<(String, Vec<String>)> {
        let (column, names) = names_beside(self.file, width).ok()??;
        let set = name_set(&names);
        let named = |class: &String| {
            set.contains(class.as_str()) || class.parse().is_ok_and(|at: usize| at < width)
        };
        true_classes.iter().all(named).then_some((column, names))
    }

    /// What stands before the names of the classes: of those that were told, or of at least two
    /// columns.
    fn prefix(&self) -> Option<String> {
        let single = self.heads.iter().filter(|head| !head.listed);
        let there: HashSet<&str> = single.map(|head| head.name.as_str()).collect();
        let has = |name: &str| there.contains(name);
        let told = &self.hints.classes;
        let fits = |prefix: &&str| match told.is_empty() {
            true => self.behind(prefix).len() > 1,
            false => told.iter().all(|class| has(&format!("{prefix}{class}"))),
        };
        let bare: &[&str] = if told.is_empty() { &[] } else { &[""] };
        bare.iter()
            .chain(PREFIXES.all())
            .find(|prefix| fits(prefix))
            .map(|prefix| (*prefix).into())
    }

    /// Whether every class that occurs is itself a column.
    fn classes_are_columns(&self) -> Result<bool, Problem> {
        let occurring = occurring(self.truth, &[&self.label])?;
        let rest = self.rest();
        let columns = name_set(&rest);
        let is_column = |class: &String| columns.contains(class.as_str());
        Ok(self.hints.classes.is_empty() && occurring.iter().all(is_column))
    }

    fn behind(&self, prefix: &str) -> Vec<String> {
        let heads = self.heads.iter().filter(|head| !head.listed);
        heads
            .filter_map(|head| head.name.strip_prefix(prefix))
            .map(String::from)
            .collect()
    }

    /// The columns nobody knows anything about.
    fn rest(&self) -> Vec<String> {
        let other = |name: &str| {
            let own = name == self.label
                || self.id.as_deref() == Some(name)
                || self.hints.cluster.as_deref() == Some(name);
            let known = [
                PREDICTION_COLUMNS,
                CONFIDENCE_COLUMNS,
                LABEL_COLUMNS,
                NO_CLASSES,
            ];
            own || UNNAMED.all().contains(&name) || known.iter().any(|words| words.has(name))
        };
        let rest = self
            .heads
            .iter()
            .filter(|head| !head.listed && !other(&head.name));
        rest.map(|head| head.name.clone()).collect()
    }

    fn columns(&self) -> Result<(AnswerColumns, Vec<String>), Problem> {
        let told = &self.hints.classes;
        let there: BTreeSet<&str> = self.heads.iter().map(|head| head.name.as_str()).collect();
        if let Some(missing) = told.iter().find(|class| !there.contains(class.as_str())) {
            return Err(no_column(missing, self.heads));
        }
        let classes = if told.is_empty() {
            self.class_columns()?
        } else {
            told.clone()
        };
        match classes.as_slice() {
            [] => Err(Problem::new(format!(
                "there are no answers among the columns {}",
                names(self.heads)
            ))
            .expected("a column per class, a list per row, or a column `prediction`")),
            [one] => Err(Problem::new(format!(
                "`{one}` is the only column that could hold numbers"
            ))
            .expected("a column per class; or one column about the second of two classes")
            .hint(format!(
                "`--score {one}` says that it is about the second of two classes"
            ))),
            _ => Ok((
                AnswerColumns::PerClass {
                    prefix: String::new(),
                },
                classes,
            )),
        }
    }

    /// Of the columns nobody knows anything about, those that are classes: where every class that
    /// occurs has one, a further one is a class that no item has, unless rows sum to 1 without it,
    /// or it holds no numbers.
    fn class_columns(&self) -> Result<Vec<String>, Problem> {
        let rest = self.rest();
        // Columns that count are classes; the true ones need not be looked up in a table of
        // millions.
        if rest
            .iter()
            .enumerate()
            .all(|(number, name)| *name == number.to_string())
        {
            return Ok(rest);
        }
        let occurring = occurring(self.truth, &[&self.label])?;
        let occurs = name_set(&occurring);
        let (classes, further): (Vec<&str>, Vec<&str>) = rest
            .iter()
            .map(String::as_str)
            .partition(|name| occurs.contains(name));
        if classes.len() < occurring.len().max(2) || further.is_empty() {
            return Ok(rest);
        }
        let table = formats::read(self.file, &mut |heads| {
            Ok(by_name(heads, &classes, &further))
        })?;
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let numeric: Vec<&str> = further
            .into_iter()
            .filter(|name| table.texts(name).iter().all(|text| number(text).is_some()))
            .collect();
        let proper = |more: &[&str]| {
            (0..table.rows()).all(|row| {
                let own = classes.iter().map(|name| table.numbers(name).1[row]);
                let others = more
                    .iter()
                    .filter_map(|name| number(table.texts(name).get(row)));
                let (sum, within) = own.chain(others).fold((0.0, true), |(sum, within), p| {
                    (sum + p, within && (0.0..=1.0).contains(&p))
                });
                within && (sum - 1.0).abs() <= SUM_TOLERANCE
            })
        };
        // With all of them first: a class that no item has may have been given exactly nothing.
        let more = match (proper(&numeric), proper(&[])) {
            (true, _) => numeric,
            (false, true) => Vec::new(),
            (false, false) if numeric.is_empty() => numeric,
            (false, false) => {
                return Err(Problem::new(format!(
                    "no item is of the class `{}`, and the numbers are no probabilities that would tell whether it is one",
                    numeric[0]
                ))
                .expected("columns of classes that occur")
                .hint("`--classes` names the columns that are classes, in order"));
            }
        };
        let named: HashSet<&str> = classes.into_iter().chain(more).collect();
        let is_class = |name: &&String| named.contains(name.as_str());
        Ok(rest.iter().filter(is_class).cloned().collect())
    }

    fn labels(&self, prediction: String) -> Result<Found, Problem> {
        let classes = match self.hints.classes.is_empty() {
            true => self.said_or_true(&prediction)?,
            false => self.hints.classes.clone(),
        };
        let confidence = CONFIDENCE_COLUMNS.find(self.heads);
        // A logit of two classes is about the second; of more, it says nothing alone.
        let other = SECOND_CLASS
            .find(self.heads)
            .filter(|name| *name != self.label && !(classes.len() > 2 && says_logits(name)));
        match other.filter(|_| confidence.is_none()) {
            Some(column) => self.labels_beside(prediction, column, with_other_of_pair(classes)),
            None => Ok((
                AnswerColumns::Labels {
                    prediction,
                    confidence,
                },
                classes,
            )
                .into()),
        }
    }

    /// Predictions with a column that may be about the second class or say how sure each is.
    fn labels_beside(
        &self,
        prediction: String,
        column: String,
        mut classes: Vec<String>,
    ) -> Result<Found, Problem> {
        let table = formats::read(self.file, &mut |heads| {
            Ok(by_name(heads, &[&column], &[&prediction]))
        })?;
        let mut scores = ScoreColumn::default();
        let numbers = table.numbers(&column).1;
        table
            .texts(&prediction)
            .iter()
            .zip(numbers)
            .for_each(|(said, x)| scores.add(said, *x));
        let meaning = scores.meaning(&column, &classes);
        let labels = |confidence: Option<String>| AnswerColumns::Labels {
            prediction: prediction.clone(),
            confidence,
        };
        if self.hints.form == AnswerForm::Labels {
            let about_a_class = matches!(meaning, Meaning::SecondClass(_) | Meaning::FirstClass(_));
            return Ok(Found {
                answers: labels((!about_a_class).then(|| column.clone())),
                classes,
                reasons: about_a_class
                    .then_some(Reason::IsNoConfidence { column, prediction })
                    .into_iter()
                    .collect(),
                read: None,
            });
        }
        if let Some(problem) = meaning.problem(&column, &prediction, &classes) {
            return Err(problem);
        }
        let reason = meaning.reason(&column, &prediction, &classes);
        match meaning {
            Meaning::FirstClass(_) if !self.hints.classes.is_empty() => {
                return Err(about_the_first(&column, &prediction, &classes));
            }
            Meaning::FirstClass(_) => classes.reverse(),
            Meaning::SecondClass(_) => {}
            Meaning::Confidence | Meaning::Neither | Meaning::NoProbability(_) => {
                return Ok((labels(Some(column)), classes).into());
            }
        }
        Ok(Found {
            answers: AnswerColumns::SecondClass { column },
            classes,
            reasons: reason.into_iter().collect(),
            read: None,
        })
    }

    /// The classes that were said or are true.
    fn said_or_true(&self, prediction: &str) -> Result<Vec<String>, Problem> {
        if self.file == self.truth {
            return occurring(self.file, &[&self.label, prediction]);
        }
        let mut all = occurring(self.file, &[prediction])?;
        all.extend(occurring(self.truth, &[&self.label])?);
        Ok(in_order(all.iter().map(String::as_str)))
    }
}

/// Classes, with the other of the two that go together where a file holds one of them only.
pub fn with_other_of_pair(classes: Vec<String>) -> Vec<String> {
    let pair = ["0", "1"];
    match classes.as_slice() {
        [only] if pair.contains(&only.as_str()) => pair.map(String::from).to_vec(),
        _ => classes,
    }
}

/// The problem that a column is about the first of the classes as they were told.
pub fn about_the_first(column: &str, prediction: &str, classes: &[String]) -> Problem {
    let [first, second] =
        [classes.first(), classes.last()].map(|class| class.map_or("", String::as_str));
    Problem::new(format!(
        "`{column}` is about `{first}`, since `{prediction}` says that where it is high"
    ))
    .expected(format!("`{second}`, the second of the classes"))
    .hint(format!("`--classes {second},{first}`"))
}

/// Names to look others up in: there may be as many of both as there are classes.
pub(super) fn name_set(names: &[String]) -> HashSet<&str> {
    names.iter().map(String::as_str).collect()
}

/// The classes that occur in some columns, in order.
fn occurring(file: &Path, columns: &[&str]) -> Result<Vec<String>, Problem> {
    let table = formats::read(file, &mut |heads| Ok(by_name(heads, &[], columns)))?;
    let all: BTreeSet<String> = columns
        .iter()
        .flat_map(|name| classes_of(table.texts(name)))
        .collect();
    Ok(in_order(all.iter().map(String::as_str)))
}
