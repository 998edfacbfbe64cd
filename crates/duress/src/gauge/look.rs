//! What a table of a classifier's answers holds, told from the names of its columns.

use std::collections::BTreeSet;
use std::path::Path;

use duress_core::answer::SUM_TOLERANCE;
use duress_core::problem::Problem;
use duress_tables::formats;
use duress_tables::labels::{classes_of, listed, names_beside, no_class_twice};
use duress_tables::table::{Head, by_name, find_column, no_column};

use super::Told;
use super::beside::{Beside, Sense, neither};

/// Where in a table the truth and the answers are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// The column with the true class.
    pub(crate) label: String,
    /// The column with the ids beside the true classes.
    pub(crate) label_id: Option<String>,
    /// The column with the ids beside the answers.
    pub(crate) id: Option<String>,
    /// The classes, in order.
    pub(crate) classes: Vec<String>,
    /// The form of the answers, as `recorded` has it.
    pub(crate) form: &'static str,
    /// Where the answers are.
    pub(crate) body: Body,
    /// How that was told, where somebody could have read it otherwise.
    pub(crate) told: Vec<String>,
    /// The columns beside the answers that nobody reads.
    pub(crate) unread: Vec<String>,
    /// Those beside the true classes.
    pub(crate) label_unread: Vec<String>,
}

/// Where the answers are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// In a column per class.
    Columns {
        /// What stands before the name of a class.
        prefix: String,
    },
    /// In a list per row.
    List {
        /// The column.
        name: String,
    },
    /// In a row per item and class.
    Long {
        /// The column with the class.
        class: String,
        /// The column with its number.
        value: String,
    },
    /// In one column, about the second of two classes.
    Second {
        /// The column.
        name: String,
    },
    /// A class per row.
    Labels {
        /// The column.
        prediction: String,
        /// How sure it was.
        confidence: Option<String>,
    },
}

impl Body {
    /// Whether the answers are in this column.
    fn is_in(&self, column: &str, classes: &[String]) -> bool {
        match self {
            Body::Columns { prefix } => column
                .strip_prefix(prefix.as_str())
                .is_some_and(|class| classes.iter().any(|one| one == class)),
            Body::List { name } | Body::Second { name } => name == column,
            Body::Long { class, value } => [class, value].iter().any(|name| *name == column),
            Body::Labels {
                prediction,
                confidence,
            } => prediction == column || confidence.as_deref() == Some(column),
        }
    }
}

pub(super) const LABELS: [&str; 10] = [
    "label",
    "labels",
    "y_true",
    "true_label",
    "truth",
    "target",
    "targets",
    "gold",
    "class",
    "y",
];
const IDS: [&str; 7] = [
    "id",
    "ids",
    "item",
    "item_id",
    "image_id",
    "sample_id",
    "uid",
];
pub(super) const PREDICTIONS: [&str; 7] = [
    "prediction",
    "predictions",
    "pred",
    "predicted",
    "y_pred",
    "predicted_label",
    "answer",
];
/// What people call how sure a prediction is, and nothing else.
pub(super) const CONFIDENCES: [&str; 4] = ["confidence", "conf", "max_prob", "max_probability"];
/// What people call the class, and its number, in a row per item and class.
const CLASS: [&str; 3] = ["class", "class_name", "category"];
const VALUES: [&str; 6] = ["probability", "prob", "logit", "value", "score", "p"];
/// What people call the probability of the second of two classes; beside predictions, also how sure
/// they are.
pub(super) const SECONDS: [&str; 10] = [
    "probability",
    "prob",
    "proba",
    "p",
    "score",
    "logit",
    "y_prob",
    "y_proba",
    "y_score",
    "y_pred_proba",
];
/// Of what people call numbers, what no class is called.
const NO_CLASSES: [&str; 3] = ["probability", "prob", "score"];
const LISTS: [&str; 6] = [
    "probabilities",
    "probs",
    "proba",
    "logits",
    "scores",
    "values",
];
/// What people put before the name of a class.
const PREFIXES: [&str; 10] = [
    "p_",
    "prob_",
    "probs_",
    "proba_",
    "probability_",
    "probs.",
    "probabilities.",
    "logit_",
    "logits_",
    "logits.",
];

/// What a column is called that pandas wrote for its index.
const UNNAMED: [&str; 3] = ["", "__index_level_0__", "Unnamed: 0"];

/// Whether a column is where the truth would be.
pub(crate) fn has_label(heads: &[Head]) -> bool {
    usual(heads, &LABELS).is_some()
}

/// Looks at a table that holds answers and truth.
pub(crate) fn look(file: &Path, told: &Told) -> Result<Look, Problem> {
    look_beside(file, file, told)
}

/// Looks at a table of answers whose truth is in another.
pub(crate) fn look_beside(file: &Path, truth: &Path, told: &Told) -> Result<Look, Problem> {
    no_class_twice(&told.classes)?;
    let truth_heads = formats::heads(truth)?;
    let label = label(&truth_heads, told).map_err(|problem| problem.in_file(truth))?;
    let heads = if file == truth {
        truth_heads.clone()
    } else {
        formats::heads(file)?
    };
    let id = |heads: &[Head]| {
        Ok(named_or_usual(heads, told.id.as_deref(), &IDS)?.filter(|id| *id != label))
    };
    let label_id = id(&truth_heads).map_err(|problem: Problem| problem.in_file(truth))?;
    let own_id = id(&heads).map_err(|problem: Problem| problem.in_file(file))?;
    let looking = Looking {
        file,
        heads: &heads,
        told,
        truth,
        label,
        id: own_id,
    };
    let Found {
        body,
        classes,
        told: how,
        read,
    } = looking.found().map_err(|problem| problem.in_file(file))?;
    let form = match (told.form.as_str(), &body) {
        ("probabilities", _) => "probabilities",
        ("logits", _) => "logits",
        (_, Body::Labels { .. }) => "labels",
        (
            _,
            Body::Columns { prefix: name } | Body::List { name } | Body::Long { value: name, .. },
        ) if name.starts_with("logit") => "logits",
        (_, Body::Second { name }) if name.starts_with("logit") => "logits",
        _ => "auto",
    };
    let unread = |heads: &[Head], id: &Option<String>| -> Vec<String> {
        let own = |name: &str| {
            [Some(&looking.label), id.as_ref(), read.as_ref()]
                .iter()
                .any(|own| own.is_some_and(|own| own == name))
        };
        let names = heads
            .iter()
            .map(|head| head.name.as_str())
            .filter(|name| !UNNAMED.contains(name));
        names
            .filter(|name| !own(name) && !body.is_in(name, &classes))
            .map(String::from)
            .collect()
    };
    let (unread, label_unread) = (unread(&heads, &looking.id), unread(&truth_heads, &label_id));
    let Looking { label, id, .. } = looking;
    Ok(Look {
        label,
        label_id,
        id,
        classes,
        form,
        body,
        told: how,
        unread,
        label_unread,
    })
}

fn label(heads: &[Head], told: &Told) -> Result<String, Problem> {
    named_or_usual(heads, told.label.as_deref(), &LABELS)?.ok_or_else(|| {
        Problem::new("no column is called as true classes are")
            .expected(format!("a column such as {}", LABELS[..4].join(", ")))
            .hint(format!("`--label` names it; there is: {}", names(heads)))
    })
}

/// A column that was named, which must be there; else the first that is called as such columns are.
pub(super) fn named_or_usual(
    heads: &[Head],
    named: Option<&str>,
    words: &[&str],
) -> Result<Option<String>, Problem> {
    match named {
        Some(_) => find_column(heads, named, &[]),
        None => Ok(usual(heads, words)),
    }
}

pub(super) fn usual(heads: &[Head], words: &[&str]) -> Option<String> {
    let called = |word: &&str| {
        heads
            .iter()
            .find(|head| !head.listed && head.name.eq_ignore_ascii_case(word))
    };
    words.iter().find_map(called).map(|head| head.name.clone())
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
    told: &'a Told,
    /// The table with the truth.
    truth: &'a Path,
    /// Its column with the true class.
    label: String,
    id: Option<String>,
}

/// What was found.
struct Found {
    body: Body,
    classes: Vec<String>,
    told: Vec<String>,
    /// A further column that was read.
    read: Option<String>,
}

impl From<(Body, Vec<String>)> for Found {
    fn from((body, classes): (Body, Vec<String>)) -> Found {
        Found {
            body,
            classes,
            told: Vec::new(),
            read: None,
        }
    }
}

impl Looking<'_> {
    fn found(&self) -> Result<Found, Problem> {
        let prediction = usual(self.heads, &PREDICTIONS).filter(|name| *name != self.label);
        if self.told.form == "labels" {
            if self.told.score.is_some() {
                return Err(Problem::new(
                    "`--form labels` reads what was said, `--score` numbers about the second class",
                )
                .expected("one of the two"));
            }
            return self.labels(prediction.ok_or_else(|| no_column(PREDICTIONS[0], self.heads))?);
        }
        if self.told.score.is_some() {
            return self.second().map(Found::from);
        }
        if let Some(list) = self.list() {
            return self.listed(list);
        }
        let auto = ["", "auto"].contains(&self.told.form.as_str());
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
    fn numbers(&self) -> Result<(Body, Vec<String>), Problem> {
        if let Some((class, value)) = self.long() {
            let classes = match self.told.classes.is_empty() {
                true => occurring(self.file, &[&class])?,
                false => self.told.classes.clone(),
            };
            return Ok((Body::Long { class, value }, classes));
        }
        if let Some(prefix) = self.prefix() {
            let classes = match self.told.classes.is_empty() {
                true => self.behind(&prefix),
                false => self.told.classes.clone(),
            };
            return Ok((Body::Columns { prefix }, classes));
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
        let class = usual(self.heads, &CLASS).filter(|name| *name != self.label)?;
        let value = usual(self.heads, &VALUES)?;
        self.id.as_ref().map(|_| (class, value))
    }

    /// One column of numbers, about the second of two classes: called as such columns are, as the
    /// class it is about, or named.
    fn second(&self) -> Result<(Body, Vec<String>), Problem> {
        let mut classes = match self.told.classes.is_empty() {
            true => both(occurring(self.truth, &[&self.label])?),
            false => self.told.classes.clone(),
        };
        let named = find_column(self.heads, self.told.score.as_deref(), &[])?;
        let about = self.rest().into_iter().find(|name| classes.contains(name));
        let called = usual(self.heads, &SECONDS).filter(|name| *name != self.label);
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
        if self.told.classes.is_empty() && Some(&name) == about.as_ref() && classes[0] == name {
            classes.reverse();
        }
        Ok((Body::Second { name }, classes))
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
        LISTS.iter().find_map(called).or_else(only)
    }

    fn listed(&self, list: &Head) -> Result<Found, Problem> {
        let name = list.name.clone();
        if !self.told.classes.is_empty() {
            return Ok((Body::List { name }, self.told.classes.clone()).into());
        }
        // Given back before anything else is read: it may be most of the memory there is.
        let width = formats::read(self.file, &mut |heads| Ok(by_name(heads, &[&name], &[])))?
            .numbers(&name)
            .0;
        let true_classes = occurring(self.truth, &[&self.label])?;
        if let Some((column, classes)) = self.named_beside(width, &true_classes) {
            let told = vec![format!("the classes are called as `{column}` has them")];
            return Ok(Found {
                body: Body::List { name },
                classes,
                told,
                read: Some(column),
            });
        }
        if true_classes
            .iter()
            .all(|class| class.parse::<f64>().is_ok())
        {
            return Ok((
                Body::List { name },
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
            return Ok((Body::List { name }, flags.map(String::from).to_vec()).into());
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
        let named = |class: &String| {
            names.contains(class) || class.parse().is_ok_and(|at: usize| at < width)
        };
        true_classes.iter().all(named).then_some((column, names))
    }

    /// What stands before the names of the classes: of those that were told, or of at least two
    /// columns.
    fn prefix(&self) -> Option<String> {
        let has = |name: &str| {
            self.heads
                .iter()
                .any(|head| !head.listed && head.name == name)
        };
        let told = &self.told.classes;
        let fits = |prefix: &&str| match told.is_empty() {
            true => self.behind(prefix).len() > 1,
            false => told.iter().all(|class| has(&format!("{prefix}{class}"))),
        };
        let bare: &[&str] = if told.is_empty() { &[] } else { &[""] };
        bare.iter()
            .chain(&PREFIXES)
            .find(|prefix| fits(prefix))
            .map(|prefix| (*prefix).into())
    }

    /// Whether every class that occurs is itself a column.
    fn classes_are_columns(&self) -> Result<bool, Problem> {
        let (occurring, rest) = (occurring(self.truth, &[&self.label])?, self.rest());
        Ok(self.told.classes.is_empty() && occurring.iter().all(|class| rest.contains(class)))
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
            let own = name == self.label || self.id.as_deref() == Some(name);
            let called = |words: &[&str]| words.iter().any(|word| name.eq_ignore_ascii_case(word));
            own || UNNAMED.contains(&name)
                || called(&PREDICTIONS)
                || called(&CONFIDENCES)
                || called(&LABELS)
                || called(&NO_CLASSES)
        };
        let rest = self
            .heads
            .iter()
            .filter(|head| !head.listed && !other(&head.name));
        rest.map(|head| head.name.clone()).collect()
    }

    fn columns(&self) -> Result<(Body, Vec<String>), Problem> {
        let told = &self.told.classes;
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
                Body::Columns {
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
        let (classes, further): (Vec<&str>, Vec<&str>) = rest
            .iter()
            .map(String::as_str)
            .partition(|name| occurring.iter().any(|class| class == name));
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
        let is_class = |name: &&String| {
            [&classes, &more]
                .iter()
                .any(|some| some.contains(&name.as_str()))
        };
        Ok(rest.iter().filter(is_class).cloned().collect())
    }

    fn labels(&self, prediction: String) -> Result<Found, Problem> {
        let classes = match self.told.classes.is_empty() {
            true => self.said_or_true(&prediction)?,
            false => self.told.classes.clone(),
        };
        let confidence = usual(self.heads, &CONFIDENCES);
        // A logit of two classes is about the second; of more, it says nothing alone.
        let other = usual(self.heads, &SECONDS).filter(|name| {
            *name != self.label && !(classes.len() > 2 && name.starts_with("logit"))
        });
        match other.filter(|_| confidence.is_none()) {
            Some(column) => self.labels_beside(prediction, column, both(classes)),
            None => Ok((
                Body::Labels {
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
        let mut beside = Beside::default();
        let numbers = table.numbers(&column).1;
        table
            .texts(&prediction)
            .iter()
            .zip(numbers)
            .for_each(|(said, x)| beside.add(said, *x));
        let sense = beside.sense(&column, &classes);
        let labels = self.told.form == "labels";
        let told = sense.in_words(&column, &prediction, &classes);
        match sense {
            Sense::Second(_) | Sense::First(_) if labels => {
                let told = vec![format!(
                    "`{column}` goes with `{prediction}`, and so is not how sure each was"
                )];
                Ok(Found {
                    body: Body::Labels {
                        prediction,
                        confidence: None,
                    },
                    classes,
                    told,
                    read: None,
                })
            }
            Sense::Neither if !labels => Err(neither(&column, &prediction, &classes)),
            Sense::Sure | Sense::Neither => Ok((
                Body::Labels {
                    prediction,
                    confidence: Some(column),
                },
                classes,
            )
                .into()),
            Sense::First(_) if !self.told.classes.is_empty() => {
                Err(first_told(&column, &prediction, &classes))
            }
            Sense::Second(_) | Sense::First(_) => {
                if matches!(sense, Sense::First(_)) {
                    classes.reverse();
                }
                Ok(Found {
                    body: Body::Second { name: column },
                    classes,
                    told,
                    read: None,
                })
            }
        }
    }

    /// The classes that were said or are true.
    fn said_or_true(&self, prediction: &str) -> Result<Vec<String>, Problem> {
        if self.file == self.truth {
            return occurring(self.file, &[&self.label, prediction]);
        }
        let mut all = occurring(self.file, &[prediction])?;
        all.extend(occurring(self.truth, &[&self.label])?);
        Ok(in_order(all.into_iter().collect()))
    }
}

/// Classes, with the other of the two that go together where a file holds one of them only.
pub(super) fn both(classes: Vec<String>) -> Vec<String> {
    let pair = ["0", "1"];
    match classes.as_slice() {
        [only] if pair.contains(&only.as_str()) => pair.map(String::from).to_vec(),
        _ => classes,
    }
}

/// The problem that a column is about the first of the classes as they were told.
pub(super) fn first_told(column: &str, prediction: &str, classes: &[String]) -> Problem {
    let [first, second] =
        [classes.first(), classes.last()].map(|class| class.map_or("", String::as_str));
    Problem::new(format!(
        "`{column}` is about `{first}`, since `{prediction}` says that where it is high"
    ))
    .expected(format!("`{second}`, the second of the classes"))
    .hint(format!("`--classes {second},{first}`"))
}

/// The classes that occur in some columns, in order.
fn occurring(file: &Path, columns: &[&str]) -> Result<Vec<String>, Problem> {
    let table = formats::read(file, &mut |heads| Ok(by_name(heads, &[], columns)))?;
    let all = columns
        .iter()
        .flat_map(|name| classes_of(table.texts(name)));
    Ok(in_order(all.collect()))
}

/// By number where all are whole numbers, else by letter.
pub(super) fn in_order(all: BTreeSet<String>) -> Vec<String> {
    let mut classes: Vec<String> = all.into_iter().collect();
    if classes.iter().all(|class| class.parse::<i64>().is_ok()) {
        classes.sort_by_key(|class| class.parse::<i64>().unwrap_or_default());
    }
    classes
}
