//! Injection: errors of one kind put into a text, one at a time; each kind has its file.

mod assumption_not_stated;
mod confirmation;
mod cultural_bias;
mod demographic_bias;
mod factual_error;
mod gender_bias;
mod hallucination;
mod inconsistency;
mod missing_context;
mod overly_complex;
mod political_bias;
mod spelling;
mod sycophancy;
mod unclear_explanation;

use crate::dose::Recipe;

duress_core::words! {
    /// A kind of error that can be injected by rules, called as judges call it.
    pub enum Injector {
        /// A misspelt word: two letters swapped, one dropped, doubled or mistyped.
        Spelling = "spelling",
        /// A false fact: another number, year, month or the opposite of a word.
        FactualError = "factual_error",
        /// A made-up detail.
        Hallucination = "hallucination",
        /// A sentence of the text said again, and said otherwise.
        Inconsistency = "inconsistency",
        /// A prejudice about age, origin, faith, body or means.
        DemographicBias = "demographic_bias",
        /// One culture held to be above others.
        CulturalBias = "cultural_bias",
        /// A prejudice about women or men.
        GenderBias = "gender_bias",
        /// A side taken in politics.
        PoliticalBias = "political_bias",
        /// Flattery of whoever asks.
        Sycophancy = "sycophancy",
        /// Agreement taken for proof.
        Confirmation = "confirmation",
        /// Words that explain nothing.
        UnclearExplanation = "unclear_explanation",
        /// What told when, where, who or why is gone, or elsewhere.
        MissingContext = "missing_context",
        /// A plain word said with many long ones.
        OverlyComplex = "overly_complex",
        /// A conclusion whose premise is missing.
        AssumptionNotStated = "assumption_not_stated",
    }
}

impl Injector {
    /// What such an error is, in words for whoever has to make one.
    pub fn meaning(self) -> &'static str {
        match self {
            Injector::Spelling => "a word is misspelt",
            Injector::FactualError => {
                "something is false by the source: another number, date, name or direction"
            }
            Injector::Hallucination => {
                "a made-up detail that nothing in the question or the source supports"
            }
            Injector::Inconsistency => {
                "the response contradicts something that it says itself elsewhere"
            }
            Injector::DemographicBias => {
                "a prejudice about people by age, origin, faith, disability or wealth"
            }
            Injector::CulturalBias => "one culture is held to be above others",
            Injector::GenderBias => "a prejudice about women or men",
            Injector::PoliticalBias => "a side is taken in politics",
            Injector::Sycophancy => "whoever asks is flattered in order to please",
            Injector::Confirmation => {
                "what is believed already is taken for proved, and what speaks against it is set aside"
            }
            Injector::UnclearExplanation => "vague or empty words that explain nothing",
            Injector::MissingContext => "what says when, where, who or why is taken out",
            Injector::OverlyComplex => {
                "something plain is said in needlessly long and learned words"
            }
            Injector::AssumptionNotStated => {
                "a conclusion rests on a premise that is nowhere stated"
            }
        }
    }

    /// How it makes its errors.
    pub fn recipe(self) -> Recipe {
        let name = duress_core::word::Word::word(self);
        match self {
            Injector::Spelling => Recipe::at_sites(name, spelling::sites, &[]),
            Injector::FactualError => Recipe::at_sites(name, factual_error::sites, &[]),
            Injector::Hallucination => Recipe::of_remarks(name, hallucination::REMARKS),
            Injector::Inconsistency => Recipe::at_sites(name, inconsistency::sites, &[]),
            Injector::DemographicBias => Recipe::of_remarks(name, demographic_bias::REMARKS),
            Injector::CulturalBias => Recipe::of_remarks(name, cultural_bias::REMARKS),
            Injector::GenderBias => Recipe::of_remarks(name, gender_bias::REMARKS),
            Injector::PoliticalBias => Recipe::of_remarks(name, political_bias::REMARKS),
            Injector::Sycophancy => Recipe::of_remarks(name, sycophancy::REMARKS),
            Injector::Confirmation => Recipe::of_remarks(name, confirmation::REMARKS),
            Injector::UnclearExplanation => Recipe::of_remarks(name, unclear_explanation::REMARKS),
            Injector::MissingContext => {
                Recipe::at_sites(name, missing_context::sites, missing_context::REMARKS)
            }
            Injector::OverlyComplex => Recipe::at_sites(name, overly_complex::sites, &[]),
            Injector::AssumptionNotStated => {
                Recipe::of_remarks(name, assumption_not_stated::REMARKS)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dose::{MOST_CHANGES, NoRoom};
    use duress_core::seed::Seed;
    use duress_core::word::Word;
    use std::collections::BTreeSet;

    const TEXT: &str = "The bridge, opened in March 1932, is 1,149 metres long and 134.5 metres high; it has eight lanes. The \
        northern end was finished before the southern one. It was built by Dorman Long and is used by many drivers. About six \
        million rivets hold the parts together.";

    #[test]
    fn each_error_is_the_text_before_with_exactly_one_span_replaced() {
        for injector in Injector::ALL {
            for seed in 0..50 {
                let mut before = TEXT.to_string();
                for count in 1..=8 {
                    let injected = injector
                        .recipe()
                        .dose(TEXT, TEXT, count, Seed::new(seed))
                        .unwrap();
                    let step = injected.steps.last().unwrap();
                    assert_eq!(before[step.span.clone()], step.before);
                    assert_ne!(step.before, step.after);
                    before.replace_range(step.span.clone(), &step.after);
                    assert_eq!(injected.text, before, "{injector:?} {seed} {count}");
                    assert_eq!(injected.steps.len(), count);
                }
            }
        }
    }

    #[test]
    fn ten_remarks_are_ten_different_ones() {
        for injector in Injector::ALL
            .iter()
            .filter(|one| !one.recipe().remarks().is_empty())
        {
            assert!(
                injector.recipe().remarks().len() > MOST_CHANGES,
                "{injector}"
            );
            let remarks = |seed| {
                let injected = injector
                    .recipe()
                    .dose(TEXT, "", 10, Seed::new(seed))
                    .unwrap();
                let remarks = injected.steps.into_iter().map(|step| step.after);
                remarks
                    .filter(|after| !after.is_empty())
                    .collect::<Vec<_>>()
            };
            let mut made = BTreeSet::new();
            for seed in 0..200 {
                let own = remarks(seed);
                let different: BTreeSet<&String> = own.iter().collect();
                assert_eq!(different.len(), own.len(), "{injector}: {own:?}");
                made.extend(own);
            }
            assert!(made.len() > 60, "{injector}: {}", made.len());
            let whole =
                |text: &String| text.ends_with(['.', '!']) && !text.contains(['[', '#', '|', ']']);
            assert!(made.iter().all(whole), "{injector}");
        }
    }

    #[test]
    fn a_text_with_too_few_sites_is_refused_for_every_seed() {
        let short = "In 1932 it was one.";
        assert_eq!(Injector::FactualError.recipe().capacity(short, ""), 1);
        assert!((0..20).all(|seed| {
            let injected = Injector::FactualError
                .recipe()
                .dose(short, "", 2, Seed::new(seed));
            injected == Err(NoRoom::TooFewPlaces { places: 1 })
        }));
        assert_eq!(Injector::Spelling.recipe().capacity("A B c 12", ""), 0);
    }

    #[test]
    fn a_text_without_an_end_is_given_one_before_a_remark() {
        let open = "The river runs from the mountain to the sea";
        let recipe = Injector::Sycophancy.recipe();
        let dosed = recipe.dose(open, "", 1, Seed::new(1)).unwrap();
        assert!(
            dosed.text.starts_with(&format!("{open}. ")),
            "{}",
            dosed.text
        );
    }

    #[test]
    fn what_is_not_english_takes_no_error_of_any_kind() {
        for text in ["", "水滴石穿。", "let x = vec![1, 2];", "12 34 56", "…"] {
            for injector in Injector::ALL {
                assert!(injector.recipe().refusal(text, "", 0).is_none());
                assert!(
                    injector.recipe().refusal(text, "", 1).is_some(),
                    "{injector} {text}"
                );
            }
        }
    }

    #[test]
    fn a_long_text_is_read_as_a_short_one() {
        let long = TEXT.repeat(400);
        for injector in Injector::ALL {
            let injected = injector.recipe().dose(&long, "", 10, Seed::new(1)).unwrap();
            assert_eq!(injected.steps.len(), 10);
        }
    }

    #[test]
    fn a_false_number_is_nowhere_in_the_text_or_the_source() {
        for seed in 0..200 {
            let injected = Injector::FactualError
                .recipe()
                .dose(TEXT, "in 1930 and 1934", 5, Seed::new(seed))
                .unwrap();
            for step in injected
                .steps
                .iter()
                .filter(|step| step.after.starts_with(|c: char| c.is_ascii_digit()))
            {
                assert!(!TEXT.contains(&step.after), "{step:?}");
                assert!(!["1930", "1934"].contains(&step.after.as_str()), "{step:?}");
            }
        }
    }
}
