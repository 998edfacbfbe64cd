//! Raters: subjects whose items are another cell's answers. Planned, kept, failed and resumed like
//! any other, never called inside a gauge.
//!
//! Two kinds of thing rate. A [`Rater`] comes ready and sees answers of whatever form beside the
//! items and references. A [`Subject`] that answers ratings about texts rates texts: each is handed
//! to it as an item ([`TextsToRate`]), so whatever can be a subject, a process say, can be a rater.

use std::path::PathBuf;

use crate::answer::{Absence, Answers, RatingAnswers};
use crate::data::{InputKind, Inputs, Items, Split, Text};
use crate::fitting::FitTerms;
use crate::problem::Problem;
use crate::question::Question;
use crate::seed::Seed;
use crate::subject::{
    Abilities, AtOnce, Failure, FailureKind, Fitted, Learns, Subject, SubjectPart, fit_on_nothing,
    fit_under,
};
use crate::truth::{Sealed, Truth};

/// Rates what a subject said, item by item; it comes ready.
pub trait Rater: Send + Sync {
    /// The answers it can rate.
    fn rates(&self) -> Question;

    /// Whether the same answers are always rated the same.
    fn reproducible(&self) -> bool {
        true
    }

    /// How many sets of answers it takes at once.
    fn at_once(&self) -> AtOnce {
        AtOnce::Any
    }

    /// The files whose content decides its ratings; that content is part of a rating's identity.
    fn sources(&self) -> Result<Vec<PathBuf>, Problem> {
        Ok(Vec::new())
    }

    /// The dimensions it rates in, in order.
    fn dimensions(&self) -> Vec<String>;

    /// The ratings of these answers.
    fn rate(&self, rated: Rated<'_>) -> Result<RatingAnswers, Failure>;
}

/// What a rater is handed.
#[derive(Clone, Copy)]
pub struct Rated<'a> {
    /// The items as they were before stress.
    pub items: &'a Items,
    /// The references, one list per item, where the dataset has them.
    pub references: Option<&'a [Vec<String>]>,
    /// What the subject said.
    pub answers: &'a Answers,
}

/// Whatever rates in a study.
pub enum AnyRater {
    /// It comes ready.
    Ready(Box<dyn Rater>),
    /// It is readied and asked as it would be under test.
    Subject(Box<dyn Subject>),
}

impl AnyRater {
    /// A subject as a rater of texts; refused where it does not rate them.
    pub fn subject(part: &str, subject: SubjectPart) -> Result<AnyRater, Problem> {
        let wrong = match subject {
            SubjectPart::Live(live) => match wrong_for_texts(&live.abilities()) {
                None => return Ok(AnyRater::Subject(live)),
                Some(wrong) => wrong,
            },
            SubjectPart::Recorded(_) => "looks up answers that were given elsewhere".into(),
        };
        Err(Problem::new(format!("subject `{part}` {wrong}"))
            .expected("a rater, or a subject that answers ratings about texts"))
    }

    /// The answers it can rate.
    pub fn rates(&self) -> Question {
        match self {
            AnyRater::Ready(rater) => rater.rates(),
            AnyRater::Subject(_) => Question::Text,
        }
    }

    /// Whether the same answers are always rated the same.
    pub fn reproducible(&self) -> bool {
        match self {
            AnyRater::Ready(rater) => rater.reproducible(),
            AnyRater::Subject(subject) => subject.abilities().reproducible,
        }
    }

    /// How many sets of answers it takes at once.
    pub fn at_once(&self) -> AtOnce {
        match self {
            AnyRater::Ready(rater) => rater.at_once(),
            AnyRater::Subject(subject) => subject.abilities().at_once,
        }
    }

    /// What it must be taught before it can rate.
    pub fn learns(&self) -> Learns {
        match self {
            AnyRater::Ready(_) => Learns::Nothing,
            AnyRater::Subject(subject) => subject.abilities().learns,
        }
    }

    /// The files whose content decides its ratings under one of the study's seeds.
    pub fn sources(&self, replicate: u64) -> Result<Vec<PathBuf>, Problem> {
        match self {
            AnyRater::Ready(rater) => rater.sources(),
            AnyRater::Subject(subject) => subject.sources(replicate),
        }
    }
}

/// Why a subject cannot rate texts.
fn wrong_for_texts(abilities: &Abilities) -> Option<String> {
    if !abilities.answers.contains(&Question::Ratings) {
        let answers: Vec<String> = abilities.answers.iter().map(ToString::to_string).collect();
        return Some(format!("answers {}", answers.join(", ")));
    }
    (abilities.accepts != InputKind::Texts).then(|| format!("accepts {}", abilities.accepts))
}

/// Readies a subject that rates: on the split it learns from, on nothing where it learns nothing.
pub fn fit(
    subject: &dyn Subject,
    learns_from: Option<&Split>,
    terms: FitTerms<'_>,
    seed: Seed,
) -> Result<Box<dyn Fitted>, Failure> {
    match learns_from {
        Some(split) => fit_under(subject, split, terms, seed),
        None => fit_on_nothing(subject, terms, seed),
    }
}

/// Rates answers; opens the references for it.
pub fn rate(
    rater: &dyn Rater,
    items: &Items,
    truth: &Sealed<Truth>,
    answers: &Answers,
) -> Result<Answers, Failure> {
    rater
        .rate(Rated {
            items,
            references: references(truth),
            answers,
        })
        .map(Answers::Ratings)
}

fn references(truth: &Sealed<Truth>) -> Option<&[Vec<String>]> {
    match truth.open() {
        Truth::References(references) => Some(references.as_slice()),
        _ => None,
    }
}

/// The field of a rated text that holds the item it is about, as it was before stress.
pub const ABOUT: &str = "about";

/// The field of a rated text that holds its first reference; a second is in `reference-2`.
pub const REFERENCE: &str = "reference";

/// Texts that a subject wrote, as the items of a subject that rates them: the text is what was
/// said; beside it stand what stood beside the item, the item's own text as `about`, and the
/// references as `reference`, `reference-2` and so on.
#[derive(Debug)]
pub struct TextsToRate {
    items: Items,
    /// Of every item, why there is nothing to rate.
    absent: Vec<Option<Absence>>,
}

impl TextsToRate {
    /// The texts that were said; opens the references for the rater.
    pub fn new(
        items: &Items,
        truth: &Sealed<Truth>,
        answers: &Answers,
    ) -> Result<TextsToRate, Failure> {
        let Answers::Texts(said) = answers else {
            return Err(Failure::unable(format!(
                "rates texts; was given answers to `{}`",
                answers.question()
            )));
        };
        let references = references(truth);
        let mut ids = Vec::new();
        let mut texts = Vec::new();
        for (i, text) in said.texts.iter().enumerate() {
            if let Ok(text) = text {
                let own = references.map_or(&[][..], |all| all[i].as_slice());
                texts.push(text_to_rate(items, i, text, own)?);
                ids.push(items.ids()[i].to_string());
            }
        }
        let items = Items::new(ids, Inputs::Texts(texts))
            .map_err(|problem| Failure::unable(problem.to_string()))?;
        let absent = said.texts.iter().map(|text| text.clone().err()).collect();
        Ok(TextsToRate { items, absent })
    }

    /// What the rater is asked about; may be none at all.
    pub fn items(&self) -> &Items {
        &self.items
    }

    /// The ratings of all items, from those of the texts that are there: what was absent stays
    /// absent, for its own reason.
    pub fn ratings(&self, answers: Answers) -> Result<Answers, Failure> {
        let nonsense = |why: String| Failure::new(FailureKind::Nonsense, why);
        let valid = answers.validate(self.items.len());
        let rated = match answers {
            Answers::Ratings(rated) => rated,
            other => {
                let said = other.question();
                let wanted = Question::Ratings;
                return Err(nonsense(format!("answered {said} when asked for {wanted}")));
            }
        };
        valid.map_err(nonsense)?;
        let dimensions = rated.dimensions().to_vec();
        let mut come = rated.rows().iter();
        let row = |absent: &Option<Absence>| match absent {
            Some(why) => Err(why.clone()),
            None => come
                .next()
                .cloned()
                .unwrap_or_else(|| unreachable!("as many rows as texts")),
        };
        let rows = self.absent.iter().map(row).collect();
        Ok(Answers::Ratings(RatingAnswers::new(dimensions, rows)))
    }
}

fn text_to_rate(
    items: &Items,
    i: usize,
    said: &str,
    references: &[String],
) -> Result<Text, Failure> {
    let mut text = match items.inputs() {
        Inputs::Texts(texts) => beside(texts[i].pressed(said), ABOUT, &texts[i].text)?,
        _ => Text::new(said),
    };
    for (nth, reference) in references.iter().enumerate() {
        let name = match nth {
            0 => REFERENCE.to_string(),
            _ => format!("{REFERENCE}-{}", nth + 1),
        };
        text = beside(text, &name, reference)?;
    }
    Ok(text)
}

/// Puts something beside a text, where nothing of that name stands yet.
fn beside(text: Text, name: &str, value: &str) -> Result<Text, Failure> {
    match text.beside(name) {
        Some(_) => Err(Failure::unable(format!(
            "the items have a field `{name}` of their own, which a rater is told something else by"
        ))),
        None => Ok(text.with(name, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{AbsenceKind, TextAnswers};

    fn split() -> Split {
        let texts = ["one", "two", "three"].map(|text| Text::new(text).with("source", "a book"));
        let ids = ["a", "b", "c"].map(String::from).to_vec();
        let items = Items::new(ids, Inputs::Texts(texts.to_vec())).unwrap();
        let references = vec![
            vec!["1".into(), "I".into()],
            vec!["2".into()],
            vec!["3".into()],
        ];
        Split::new(items, Truth::References(references)).unwrap()
    }

    fn said() -> Answers {
        let refused = Absence {
            kind: AbsenceKind::Refused,
            why: "not that".into(),
        };
        let texts = vec![Ok("uno".into()), Err(refused), Ok("tres".into())];
        Answers::Texts(TextAnswers { texts })
    }

    #[test]
    fn a_text_to_rate_stands_beside_its_item_and_its_references() {
        let split = split();
        let to_rate = TextsToRate::new(split.items(), split.truth(), &said()).unwrap();
        let texts = to_rate.items().texts().unwrap();
        assert_eq!(texts.len(), 2);
        assert_eq!(texts[0].text, "uno");
        let beside = |name: &str| texts[0].beside(name);
        assert_eq!(beside("about"), Some("one"));
        assert_eq!(beside("source"), Some("a book"));
        assert_eq!(
            (beside("reference"), beside("reference-2")),
            (Some("1"), Some("I"))
        );
        assert_eq!(texts[1].beside("reference-2"), None);
    }

    #[test]
    fn what_was_absent_stays_absent_for_its_own_reason() {
        let split = split();
        let to_rate = TextsToRate::new(split.items(), split.truth(), &said()).unwrap();
        let rows = vec![Ok(vec![1.0]), Ok(vec![3.0])];
        let rated = Answers::Ratings(RatingAnswers::new(vec!["T".into()], rows));
        let Ok(Answers::Ratings(all)) = to_rate.ratings(rated) else {
            panic!("ratings")
        };
        assert_eq!(all.rating(0, "T"), Some(1.0));
        assert_eq!(all.rating(2, "T"), Some(3.0));
        let why = all.rows()[1].as_ref().unwrap_err();
        assert_eq!(why.kind, AbsenceKind::Refused);
    }

    #[test]
    fn too_few_ratings_are_nonsense() {
        let split = split();
        let to_rate = TextsToRate::new(split.items(), split.truth(), &said()).unwrap();
        let rated = Answers::Ratings(RatingAnswers::new(vec!["T".into()], vec![Ok(vec![1.0])]));
        let failure = to_rate.ratings(rated).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Nonsense);
    }

    #[test]
    fn a_field_that_would_be_taken_for_a_reference_is_refused() {
        let text = Text::new("one").with("reference", "mine");
        let items = Items::new(vec!["a".into()], Inputs::Texts(vec![text])).unwrap();
        let split = Split::new(items, Truth::References(vec![vec!["1".into()]])).unwrap();
        let answers = Answers::Texts(TextAnswers {
            texts: vec![Ok("uno".into())],
        });
        let failure = TextsToRate::new(split.items(), split.truth(), &answers).unwrap_err();
        assert!(failure.why.contains("`reference`"), "{failure}");
    }
}
