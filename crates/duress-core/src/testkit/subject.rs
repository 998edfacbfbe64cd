//! What every subject must pass, asked here or recorded elsewhere.

use super::answers;
use crate::answer::Answers;
use crate::data::{Items, Split};
use crate::question::Question;
use crate::seed::Seed;
use crate::subject::{self, Abilities, Circumstances, Recording, Subject};

/// A subject gives the same answers for the same seed and from its checkpoint, for any batch, as
/// far as it says.
pub fn check_subject(subject: &dyn Subject, fit_on: &Split, test: &Items) {
    let abilities = subject.abilities();
    assert!(
        !abilities.answers.is_empty(),
        "a subject must answer some question"
    );
    for question in abilities.answers.clone() {
        check_answers(subject, &abilities, question, fit_on, test);
    }
}

fn check_answers(
    subject: &dyn Subject,
    abilities: &Abilities,
    question: Question,
    fit_on: &Split,
    test: &Items,
) {
    let fit = |seed| {
        subject::fit(subject, fit_on, Seed::new(seed)).unwrap_or_else(|failure| panic!("{failure}"))
    };
    let ask = |fitted: &dyn subject::Fitted, items: &Items| {
        let answers = fitted
            .answer(question, items)
            .unwrap_or_else(|failure| panic!("{failure}"));
        checked(answers, question, items)
    };
    let fitted = fit(1);
    let all = ask(fitted.as_ref(), test);
    let restored = subject
        .restore(&fitted.checkpoint())
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(
        ask(restored.as_ref(), test),
        all,
        "a checkpoint must answer as what it was made from"
    );
    if abilities.reproducible {
        assert_eq!(
            ask(fit(1).as_ref(), test),
            all,
            "the same seed must give the same answers"
        );
    }
    assert_eq!(
        fitted.differentiable().is_some(),
        abilities.gradients,
        "a subject must say whether it offers gradients"
    );
    // One answer about all items is about which items there are.
    if answers::items(&all).is_some() {
        for i in [0, test.len() / 2, test.len() - 1] {
            let alone = ask(fitted.as_ref(), &test.select(&[i]));
            assert!(
                answers::distance(&alone, &all, i) <= abilities.batch_tolerance,
                "the answer about item {i} depends on the batch"
            );
        }
    }
}

/// Recorded answers are about the items asked for, the same every time, and each item's own
/// whatever else is asked for.
pub fn check_recording(recording: &dyn Recording, at: &Circumstances, items: &Items) {
    assert!(
        !recording.answers().is_empty(),
        "a recording must answer some question"
    );
    for question in recording.answers() {
        let look_up = |items: &Items| {
            let answers = recording
                .look_up(at, question, items)
                .unwrap_or_else(|problem| panic!("{problem}"));
            checked(answers, question, items)
        };
        let all = look_up(items);
        assert_eq!(
            look_up(items),
            all,
            "what was recorded must stay what it was"
        );
        if answers::items(&all).is_some() {
            // A recording may refuse ids that nobody asks about, so items are asked for in another
            // order and not one by one.
            let last = items.len() - 1;
            let reversed: Vec<usize> = (0..=last).rev().collect();
            let turned = look_up(&items.select(&reversed));
            for i in [0, last / 2, last] {
                let own = answers::select(&turned, &[last - i]);
                assert!(
                    answers::distance(&own, &all, i) == 0.0,
                    "the answer recorded for item {i} depends on where it is asked for"
                );
            }
        }
    }
    let sources = recording
        .sources(at)
        .unwrap_or_else(|problem| panic!("{problem}"));
    assert!(
        !sources.is_empty(),
        "a recording must name the files that hold its answers"
    );
}

/// The answers, if they are to the question and about the items.
fn checked(answers: Answers, question: Question, items: &Items) -> Answers {
    assert_eq!(
        answers.question(),
        question,
        "the question must be answered"
    );
    assert_eq!(
        answers.validate(items.len()),
        Ok(()),
        "answers must be about the items asked about"
    );
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answers, ClassAnswers, RatingAnswers, Said, TextAnswers};
    use crate::data::{InputKind, Inputs, Text};
    use crate::subject::{AtOnce, Failure, Fitted, Learns, Lesson};
    use crate::truth::Truth;

    /// Says about each item what `say` makes of all of them.
    #[derive(Clone, Copy)]
    struct Speaker {
        question: Question,
        say: fn(&[Text]) -> Answers,
    }

    impl Subject for Speaker {
        fn abilities(&self) -> Abilities {
            Abilities {
                accepts: InputKind::Texts,
                answers: vec![self.question],
                learns: Learns::Nothing,
                gradients: false,
                reproducible: true,
                batch_tolerance: 0.0,
                at_once: AtOnce::Any,
            }
        }

        fn fit(&self, _lesson: &Lesson<'_>, _seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
            Ok(Box::new(*self))
        }

        fn restore(&self, _checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
            Ok(Box::new(*self))
        }
    }

    impl Fitted for Speaker {
        fn answer(&self, _question: Question, items: &Items) -> Result<Answers, Failure> {
            Ok((self.say)(items.texts()?))
        }

        fn checkpoint(&self) -> Vec<u8> {
            Vec::new()
        }
    }

    fn check(question: Question, say: fn(&[Text]) -> Answers) {
        let words = ["a", "bcd", "ef"];
        let items = Items::new(
            words.map(String::from).to_vec(),
            Inputs::Texts(words.map(Text::new).to_vec()),
        )
        .unwrap();
        let split = Split::new(items.clone(), Truth::Nothing).unwrap();
        check_subject(&Speaker { question, say }, &split, &items);
    }

    fn labels(label: Vec<u32>, confidence: Option<Vec<f64>>) -> Answers {
        let said = Said::Labels { label, confidence };
        Answers::Classes(ClassAnswers::new(vec!["odd".into(), "even".into()], said))
    }

    #[test]
    fn a_subject_that_looks_at_each_item_passes() {
        check(Question::Classes, |items| {
            let even = |item: &Text| item.text.len().is_multiple_of(2).into();
            labels(items.iter().map(even).collect(), None)
        });
    }

    #[test]
    #[should_panic(expected = "the answer about item 0 depends on the batch")]
    fn labels_that_depend_on_the_batch_fail() {
        check(Question::Classes, |items| {
            labels(vec![(items.len() == 1).into(); items.len()], None)
        });
    }

    #[test]
    #[should_panic(expected = "the answer about item 0 depends on the batch")]
    fn a_confidence_that_depends_on_the_batch_fails() {
        check(Question::Classes, |items| {
            let sure = 1.0 / items.len() as f64;
            labels(vec![0; items.len()], Some(vec![sure; items.len()]))
        });
    }

    #[test]
    #[should_panic(expected = "the answer about item 0 depends on the batch")]
    fn an_answer_that_is_missing_in_a_batch_only_fails() {
        check(Question::Classes, |items| {
            let all = labels(vec![0; items.len()], None);
            match all {
                Answers::Classes(said) if items.len() > 1 => {
                    Answers::Classes(said.without(0, "crowded out"))
                }
                all => all,
            }
        });
    }

    #[test]
    #[should_panic(expected = "the answer about item 1 depends on the batch")]
    fn texts_that_depend_on_the_batch_fail() {
        check(Question::Text, |items| {
            let first = &items[0].text;
            let texts = items.iter().map(|_| Ok(first.clone())).collect();
            Answers::Texts(TextAnswers { texts })
        });
    }

    #[test]
    #[should_panic(expected = "the answer about item 0 depends on the batch")]
    fn ratings_that_depend_on_the_batch_fail() {
        check(Question::Ratings, |items| {
            let rows = items.iter().map(|_| Ok(vec![items.len() as f64]));
            Answers::Ratings(RatingAnswers::new(vec!["T".into()], rows.collect()))
        });
    }
}
