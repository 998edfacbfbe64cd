//! Answers of every kind, taken apart and compared. Each match names all kinds, so that a new one
//! does not compile until its rules are decided.

use crate::answer::{Absence, Answers, ClassAnswers, RatingAnswers, Said, TextAnswers, softmax};

/// How many items there is an answer about each; `None` where one answer is about them all.
pub(super) fn items(answers: &Answers) -> Option<usize> {
    match answers {
        Answers::Classes(said) => Some(said.len()),
        Answers::Texts(said) => Some(said.texts.len()),
        Answers::Ratings(said) => Some(said.rows().len()),
        Answers::Maps(said) => Some(said.maps().len()),
        Answers::Curves(said) => Some(said.rows().len()),
        Answers::Graph(_) => None,
    }
}

/// The answers about the items at these positions, in this order; a position may be there twice.
pub(super) fn select(answers: &Answers, which: &[usize]) -> Answers {
    match answers {
        Answers::Classes(said) => Answers::Classes(select_classes(said, which)),
        Answers::Texts(said) => Answers::Texts(TextAnswers {
            texts: pick(&said.texts, which),
        }),
        Answers::Ratings(said) => Answers::Ratings(RatingAnswers::new(
            said.dimensions().to_vec(),
            pick(said.rows(), which),
        )),
        Answers::Maps(said) => Answers::Maps(said.with_maps(pick(said.maps(), which))),
        Answers::Curves(said) => Answers::Curves(said.with_rows(pick(said.rows(), which))),
        Answers::Graph(_) => answers.clone(),
    }
}

/// The values at these positions.
pub(super) fn pick<T: Clone>(values: &[T], which: &[usize]) -> Vec<T> {
    which.iter().map(|&i| values[i].clone()).collect()
}

fn select_classes(said: &ClassAnswers, which: &[usize]) -> ClassAnswers {
    let classes = said.classes().len();
    let rows = |all: &[f64]| -> Vec<f64> {
        which
            .iter()
            .flat_map(|&i| all[i * classes..(i + 1) * classes].iter().copied())
            .collect()
    };
    let chosen = match said.said() {
        Said::Probabilities(all) => Said::Probabilities(rows(all)),
        Said::Logits(all) => Said::Logits(rows(all)),
        Said::Labels { label, confidence } => Said::Labels {
            label: pick(label, which),
            confidence: confidence.as_ref().map(|all| pick(all, which)),
        },
    };
    let mut selected = ClassAnswers::new(said.classes().to_vec(), chosen);
    for (name, of) in said.scores() {
        selected = selected.with_score(name, pick(of, which));
    }
    for (position, item) in which.iter().enumerate() {
        if let Some(why) = said.absent().get(item) {
            selected = selected.without(position, why.clone());
        }
    }
    selected
}

/// Answers of the same form about one item that has none; `None` where one answer is about all
/// items.
pub(super) fn absent(one: &Answers, why: &Absence) -> Option<Answers> {
    match one {
        Answers::Classes(said) => Some(Answers::Classes(said.clone().without(0, why.clone()))),
        Answers::Texts(_) => Some(Answers::Texts(TextAnswers {
            texts: vec![Err(why.clone())],
        })),
        Answers::Ratings(said) => Some(Answers::Ratings(RatingAnswers::new(
            said.dimensions().to_vec(),
            vec![Err(why.clone())],
        ))),
        Answers::Maps(said) => Some(Answers::Maps(said.with_maps(vec![Err(why.clone())]))),
        Answers::Curves(said) => Some(Answers::Curves(said.with_rows(vec![Err(why.clone())]))),
        Answers::Graph(_) => None,
    }
}

/// How far the answer about the only item of `alone` is from that about item `i` of `all`: in the
/// probability of a class, in a confidence or a score beside it; where neither is there, 0 when it
/// is the same and infinitely far when it is not.
pub(super) fn distance(alone: &Answers, all: &Answers, i: usize) -> f64 {
    let together = select(all, &[i]);
    match (&together, alone) {
        (Answers::Classes(together), Answers::Classes(alone)) => class_distance(alone, together),
        (Answers::Classes(_), _) => f64::INFINITY,
        (
            Answers::Texts(_)
            | Answers::Ratings(_)
            | Answers::Maps(_)
            | Answers::Curves(_)
            | Answers::Graph(_),
            alone,
        ) => exactly(together == *alone),
    }
}

fn class_distance(alone: &ClassAnswers, together: &ClassAnswers) -> f64 {
    if alone.classes() != together.classes() || alone.absent().get(&0) != together.absent().get(&0)
    {
        return f64::INFINITY;
    }
    if alone.absent().contains_key(&0) {
        return 0.0;
    }
    let said = match (alone.said(), together.said()) {
        (Said::Probabilities(a), Said::Probabilities(b)) => largest_gap(a, b),
        (Said::Logits(a), Said::Logits(b)) => largest_gap(&softmax(a), &softmax(b)),
        (
            Said::Labels {
                label: a,
                confidence: sure_a,
            },
            Said::Labels {
                label: b,
                confidence: sure_b,
            },
        ) => match (sure_a, sure_b) {
            _ if a != b => f64::INFINITY,
            (Some(sure_a), Some(sure_b)) => largest_gap(sure_a, sure_b),
            (sure_a, sure_b) => exactly(sure_a == sure_b),
        },
        (Said::Probabilities(_) | Said::Logits(_) | Said::Labels { .. }, _) => f64::INFINITY,
    };
    said.max(score_distance(alone, together))
}

fn score_distance(alone: &ClassAnswers, together: &ClassAnswers) -> f64 {
    if !alone.scores().keys().eq(together.scores().keys()) {
        return f64::INFINITY;
    }
    let pairs = alone.scores().values().zip(together.scores().values());
    pairs.map(|(a, b)| largest_gap(a, b)).fold(0.0, f64::max)
}

/// The largest difference of two rows; infinite where they are not about the same, or one of two
/// values is no number.
fn largest_gap(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    let gap = |(a, b): (&f64, &f64)| {
        let gap = (a - b).abs();
        match a == b || (a.is_nan() && b.is_nan()) {
            true => 0.0,
            false if gap.is_nan() => f64::INFINITY,
            false => gap,
        }
    };
    a.iter().zip(b).map(gap).fold(0.0, f64::max)
}

fn exactly(same: bool) -> f64 {
    if same { 0.0 } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(said: Said) -> Answers {
        Answers::Classes(ClassAnswers::new(vec!["a".into(), "b".into()], said))
    }

    fn labels(label: &[u32], confidence: Option<&[f64]>) -> Answers {
        classes(Said::Labels {
            label: label.to_vec(),
            confidence: confidence.map(<[f64]>::to_vec),
        })
    }

    fn texts(all: &[&str]) -> Answers {
        let texts = all.iter().map(|text| Ok((*text).into())).collect();
        Answers::Texts(TextAnswers { texts })
    }

    fn ratings(all: &[f64]) -> Answers {
        let rows = all.iter().map(|value| Ok(vec![*value])).collect();
        Answers::Ratings(RatingAnswers::new(vec!["T".into()], rows))
    }

    #[test]
    fn another_answer_is_far_away_whatever_its_kind() {
        let check = |alone: Answers, all: Answers, expected: f64| {
            let found = distance(&alone, &all, 1);
            assert!(
                found == expected || (found - expected).abs() < 1e-12,
                "{alone:?} and {all:?}: {found}"
            );
        };
        let far = f64::INFINITY;
        check(labels(&[1], None), labels(&[0, 1], None), 0.0);
        check(labels(&[0], None), labels(&[0, 1], None), far);
        let sure = labels(&[0, 1], Some(&[0.9, 0.6]));
        check(labels(&[1], Some(&[0.5])), sure.clone(), 0.1);
        check(labels(&[1], None), sure, far);
        let rows = classes(Said::Probabilities(vec![0.9, 0.1, 0.25, 0.75]));
        check(
            classes(Said::Probabilities(vec![0.5, 0.5])),
            rows.clone(),
            0.25,
        );
        check(classes(Said::Logits(vec![0.0, 0.0])), rows, far);
        check(texts(&["b"]), texts(&["a", "b"]), 0.0);
        check(texts(&["a"]), texts(&["a", "b"]), far);
        check(ratings(&[2.0]), ratings(&[1.0, 2.0]), 0.0);
        check(ratings(&[1.0]), ratings(&[1.0, 2.0]), far);
        check(texts(&["a"]), ratings(&[1.0, 2.0]), far);
    }

    #[test]
    fn a_missing_answer_and_a_score_beside_it_are_compared_too() {
        let said = |score: f64| {
            ClassAnswers::new(vec!["a".into()], Said::Probabilities(vec![1.0]))
                .with_score("stable", vec![score])
        };
        let here = said(0.5);
        let gone = said(0.5).without(0, "lost");
        let apart = |a: &ClassAnswers, b: &ClassAnswers| {
            distance(
                &Answers::Classes(a.clone()),
                &Answers::Classes(b.clone()),
                0,
            )
        };
        assert_eq!(apart(&here, &gone), f64::INFINITY);
        assert_eq!(apart(&gone, &gone), 0.0);
        assert_eq!(apart(&here, &said(0.25)), 0.25);
    }

    #[test]
    fn items_are_selected_with_their_gaps_and_in_the_order_asked_for() {
        let Answers::Classes(all) = labels(&[0, 1, 1], Some(&[0.7, 0.8, 0.9])) else {
            panic!("classes")
        };
        let all = Answers::Classes(all.without(2, "lost"));
        let Answers::Classes(some) = select(&all, &[2, 0, 0]) else {
            panic!("classes")
        };
        assert_eq!([0, 1, 2].map(|i| some.label(i)), [None, Some(0), Some(0)]);
        assert_eq!(some.confidence(1), Some(0.7));
    }
}
