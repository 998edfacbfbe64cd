//! The answer about one item, for subjects that answer item by item.

use serde::{Deserialize, Serialize};

use super::{Absence, Answers, ClassAnswers, RatingAnswers, Said, TextAnswers, softmax};

/// What was said about one item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ItemAnswer {
    /// A text.
    Text(String),
    /// A rating in each dimension.
    Ratings(Vec<f64>),
    /// A class and, where it gave one, a confidence in [0, 1].
    Label(u32, Option<f64>),
    /// A probability of each class.
    Probabilities(Vec<f64>),
    /// A logit of each class.
    Logits(Vec<f64>),
    /// Nothing, and why.
    Absent(Absence),
}

/// What answers given item by item are made of, beside the items.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemForm {
    /// A text each.
    Texts,
    /// A rating each, in these dimensions.
    Ratings(Vec<String>),
    /// A label each, of these classes; or the probabilities or the logits of all of them, where every
    /// item that is answered has them.
    Labels(Vec<String>),
}

impl ItemForm {
    /// The answers about all items; one of another form than this is absent, as unparsable.
    ///
    /// ```
    /// use duress_core::answer::{Answers, ItemAnswer, ItemForm, TextAnswers};
    /// let said = vec![ItemAnswer::Text("a tower".into())];
    /// let texts = TextAnswers { texts: vec![Ok("a tower".into())] };
    /// assert_eq!(ItemForm::Texts.answers(said), Answers::Texts(texts));
    /// ```
    pub fn answers(&self, said: Vec<ItemAnswer>) -> Answers {
        match self {
            ItemForm::Texts => Answers::Texts(TextAnswers {
                texts: said.into_iter().map(text).collect(),
            }),
            ItemForm::Ratings(dimensions) => {
                let rows = said.into_iter().map(ratings).collect();
                Answers::Ratings(RatingAnswers::new(dimensions.clone(), rows))
            }
            ItemForm::Labels(classes) => Answers::Classes(match rows_of(classes.len(), &said) {
                Some(wrap) => rows(classes, said, wrap),
                None => labels(classes, said),
            }),
        }
    }
}

fn text(said: ItemAnswer) -> Result<String, Absence> {
    match said {
        ItemAnswer::Text(text) => Ok(text),
        other => Err(other.absence()),
    }
}

fn ratings(said: ItemAnswer) -> Result<Vec<f64>, Absence> {
    match said {
        ItemAnswer::Ratings(row) => Ok(row),
        other => Err(other.absence()),
    }
}

/// What rows of numbers are said as.
type SaidRows = fn(Vec<f64>) -> Said;

/// In which form there is a row for every item that is answered; none where that is not so.
fn rows_of(classes: usize, said: &[ItemAnswer]) -> Option<SaidRows> {
    let answered = || {
        let answered = |one: &&ItemAnswer| !matches!(one, ItemAnswer::Absent(_));
        said.iter().filter(answered)
    };
    let all = |row: fn(&ItemAnswer) -> Option<&Vec<f64>>| {
        let whole = |one: &ItemAnswer| row(one).is_some_and(|row| row.len() == classes);
        answered().next().is_some() && answered().all(whole)
    };
    let probable = all(|one| match one {
        ItemAnswer::Probabilities(row) => Some(row),
        _ => None,
    });
    let logits = all(|one| match one {
        ItemAnswer::Logits(row) => Some(row),
        _ => None,
    });
    match (probable, logits) {
        (true, _) => Some(Said::Probabilities),
        (_, true) => Some(Said::Logits),
        _ => None,
    }
}

fn rows(classes: &[String], said: Vec<ItemAnswer>, wrap: SaidRows) -> ClassAnswers {
    let mut rows = Vec::new();
    let mut absent = Vec::new();
    for (i, one) in said.into_iter().enumerate() {
        match one {
            ItemAnswer::Probabilities(row) | ItemAnswer::Logits(row) => rows.extend(row),
            other => {
                absent.push((i, other.absence()));
                rows.extend(classes.iter().map(|_| 0.0));
            }
        }
    }
    let answers = ClassAnswers::new(classes.to_vec(), wrap(rows));
    let without = |answers: ClassAnswers, (i, why)| answers.without(i, why);
    absent.into_iter().fold(answers, without)
}

/// The likeliest class, the first of those that are equally likely, and how likely it is.
fn likeliest(row: &[f64]) -> ItemAnswer {
    let better = |best: (usize, f64), (class, p): (usize, &f64)| match *p > best.1 {
        true => (class, *p),
        false => best,
    };
    let (class, p) = row.iter().enumerate().fold((0, f64::NEG_INFINITY), better);
    ItemAnswer::Label(class as u32, Some(p))
}

fn labels(classes: &[String], said: Vec<ItemAnswer>) -> ClassAnswers {
    let as_label = |one: ItemAnswer| match one {
        ItemAnswer::Probabilities(row) if row.len() == classes.len() => likeliest(&row),
        ItemAnswer::Logits(row) if row.len() == classes.len() => likeliest(&softmax(&row)),
        other => other,
    };
    let said: Vec<ItemAnswer> = said.into_iter().map(as_label).collect();
    let sure = |one: &ItemAnswer| !matches!(one, ItemAnswer::Label(_, None));
    let confident = said.iter().all(sure);
    let mut label = Vec::new();
    let mut confidence = Vec::new();
    let mut absent = Vec::new();
    for (i, one) in said.into_iter().enumerate() {
        let (class, how_sure) = match one {
            ItemAnswer::Label(class, how_sure) => (class, how_sure.unwrap_or(0.0)),
            other => {
                absent.push((i, other.absence()));
                (0, 0.0)
            }
        };
        label.push(class);
        confidence.push(how_sure);
    }
    let confidence = confident.then_some(confidence);
    let answers = ClassAnswers::new(classes.to_vec(), Said::Labels { label, confidence });
    absent
        .into_iter()
        .fold(answers, |answers, (i, why)| answers.without(i, why))
}

impl ItemAnswer {
    /// Why this is no answer of the form that was asked for.
    fn absence(self) -> Absence {
        match self {
            ItemAnswer::Absent(absence) => absence,
            other => Absence::new(
                super::AbsenceKind::Unparsable,
                format!("answered in another form than asked: {other:?}"),
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_of_all_answered_items_are_probabilities_and_else_labels() {
        let form = ItemForm::Labels(vec!["a".into(), "b".into()]);
        let sure = || ItemAnswer::Probabilities(vec![0.25, 0.75]);
        let absent = || ItemAnswer::Absent(Absence::not_taking_part());
        let classes = |said| match form.answers(said) {
            Answers::Classes(answers) => answers,
            other => panic!("{other:?}"),
        };
        let all = classes(vec![sure(), absent()]);
        assert!(matches!(all.said(), Said::Probabilities(_)));
        assert_eq!((all.label(0), all.label(1)), (Some(1), None));
        assert_eq!(all.validate(2), Ok(()));
        let mixed = classes(vec![sure(), ItemAnswer::Label(0, Some(0.5))]);
        assert!(matches!(mixed.said(), Said::Labels { .. }));
        assert_eq!((mixed.label(0), mixed.confidence(0)), (Some(1), Some(0.75)));
    }

    #[test]
    fn logits_of_all_answered_items_stay_logits() {
        let form = ItemForm::Labels(vec!["a".into(), "b".into()]);
        let row = || ItemAnswer::Logits(vec![0.0, 3.0_f64.ln()]);
        let classes = |said| match form.answers(said) {
            Answers::Classes(answers) => answers,
            other => panic!("{other:?}"),
        };
        let absent = ItemAnswer::Absent(Absence::not_taking_part());
        let all = classes(vec![row(), absent, row()]);
        assert!(matches!(all.said(), Said::Logits(rows) if rows.len() == 6));
        assert_eq!((all.label(2), all.label(1)), (Some(1), None));
        let mixed = classes(vec![row(), ItemAnswer::Probabilities(vec![0.5, 0.5])]);
        assert!(matches!(mixed.said(), Said::Labels { .. }));
        let sure = mixed.confidence(0).unwrap();
        assert!((sure - 0.75).abs() < 1e-12, "{sure}");
    }

    #[test]
    fn an_answer_of_another_form_is_absent_and_the_others_stand() {
        let form = ItemForm::Labels(vec!["a".into(), "b".into()]);
        let said = vec![
            ItemAnswer::Label(1, Some(0.75)),
            ItemAnswer::Text("b".into()),
            ItemAnswer::Absent(Absence::not_taking_part()),
        ];
        let Answers::Classes(answers) = form.answers(said) else {
            panic!("labels are classes")
        };
        assert_eq!([0, 1, 2].map(|i| answers.label(i)), [Some(1), None, None]);
        assert_eq!(answers.confidence(0), Some(0.75));
        assert_eq!(answers.validate(3), Ok(()));
    }
}
