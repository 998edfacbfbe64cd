//! What every rater must pass.

use super::answers;
use crate::answer::Answers;
use crate::data::{Items, Split};
use crate::rater::{Rated, Rater};
use crate::truth::Truth;

/// A rater rates every item in the dimensions it says, the same way every time; where there is an
/// answer about each item, whatever else there is to rate, and it gives no rating where there is no
/// answer.
pub fn check_rater(rater: &dyn Rater, split: &Split, said: &Answers) {
    assert_eq!(
        rater.rates(),
        said.question(),
        "a rater is checked on answers it says it rates"
    );
    let references = match split.truth().open() {
        Truth::References(references) => Some(references.as_slice()),
        Truth::Labels(_) | Truth::Graph(_) | Truth::Regimes { .. } | Truth::Nothing => None,
    };
    let all = rate(rater, split.items(), references, said);
    if rater.reproducible() {
        assert_eq!(
            rate(rater, split.items(), references, said),
            all,
            "the same answers, the same ratings"
        );
    }
    // A rating of one answer about all items may depend on all items.
    if answers::items(said).is_none() {
        return;
    }
    for i in [0, split.items().len() / 2, split.items().len() - 1] {
        let one = split.items().select(&[i]);
        let references = references.map(|all| &all[i..=i]);
        let answer = answers::select(said, &[i]);
        let alone = rate(rater, &one, references, &answer);
        assert!(
            answers::distance(&alone, &all, i) == 0.0,
            "the rating of item {i} depends on the others"
        );
        if let Some(none) = answers::absent(&answer, &"timed out".into()) {
            assert_eq!(
                rate(rater, &one, references, &none).absent().len(),
                1,
                "an item without an answer must have no rating"
            );
        }
    }
}

fn rate(
    rater: &dyn Rater,
    items: &Items,
    references: Option<&[Vec<String>]>,
    answers: &Answers,
) -> Answers {
    let rated = rater.rate(Rated {
        items,
        references,
        answers,
    });
    let rated = rated.unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(
        rated.dimensions(),
        rater.dimensions(),
        "a rater must rate in the dimensions it says"
    );
    let rated = Answers::Ratings(rated);
    assert_eq!(
        rated.validate(items.len()),
        Ok(()),
        "ratings must be about the items rated"
    );
    rated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Absence, RatingAnswers, TextAnswers};
    use crate::data::{Inputs, Text};
    use crate::question::Question;
    use crate::subject::Failure;

    /// Makes ratings wrong in one way.
    type Wrongly = fn(&[Result<f64, Absence>]) -> Vec<Result<f64, Absence>>;

    /// Rates a text by its length, less what `wrong` makes of it.
    struct Length {
        wrong: Wrongly,
    }

    impl Rater for Length {
        fn rates(&self) -> Question {
            Question::Text
        }

        fn dimensions(&self) -> Vec<String> {
            vec!["length".into()]
        }

        fn rate(&self, rated: Rated<'_>) -> Result<RatingAnswers, Failure> {
            let Answers::Texts(said) = rated.answers else {
                return Err(Failure::unable("rates texts"));
            };
            let lengths: Vec<_> = said
                .texts
                .iter()
                .map(|text| text.clone().map(|text| text.len() as f64))
                .collect();
            let rows = (self.wrong)(&lengths);
            let rows = rows.into_iter().map(|row| row.map(|value| vec![value]));
            Ok(RatingAnswers::new(self.dimensions(), rows.collect()))
        }
    }

    fn check(rater: &Length) {
        let words = ["a", "bcd", "ef"];
        let items = Items::new(
            words.iter().map(|word| (*word).into()).collect(),
            Inputs::Texts(words.iter().map(|word| Text::new(*word)).collect()),
        )
        .unwrap();
        let split = Split::new(items, Truth::Nothing).unwrap();
        let texts = words.iter().map(|word| Ok((*word).into())).collect();
        check_rater(rater, &split, &Answers::Texts(TextAnswers { texts }));
    }

    #[test]
    fn a_rater_of_each_answer_passes() {
        check(&Length {
            wrong: <[_]>::to_vec,
        });
    }

    #[test]
    #[should_panic(expected = "the rating of item 0 depends on the others")]
    fn a_rater_that_compares_answers_with_each_other_fails() {
        check(&Length {
            wrong: |all| {
                let longest = all.iter().flatten().copied().fold(0.0, f64::max);
                let part = |one: &Result<f64, _>| one.clone().map(|length| length / longest);
                all.iter().map(part).collect()
            },
        });
    }

    #[test]
    #[should_panic(expected = "an item without an answer must have no rating")]
    fn a_rater_of_what_was_not_said_fails() {
        check(&Length {
            wrong: |all| {
                let zero = |one: &Result<f64, _>| Ok(one.clone().unwrap_or(0.0));
                all.iter().map(zero).collect()
            },
        });
    }
}
