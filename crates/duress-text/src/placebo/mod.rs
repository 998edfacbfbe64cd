//! Placebos: changes to a text that change nothing for a reader; each has its file.

mod reordered_list;
mod synonym;
mod white_space;

use crate::dose::Recipe;

duress_core::words! {
    /// A change that should move no score.
    pub enum Placebo {
        /// More white space between words or sentences.
        WhiteSpace = "white_space",
        /// A word for another that means the same.
        Synonym = "synonym",
        /// Two neighbours of a list change places.
        ReorderedList = "reordered_list",
    }
}

impl Placebo {
    /// How it is made.
    pub fn recipe(self) -> Recipe {
        let name = duress_core::word::Word::word(self);
        match self {
            Placebo::WhiteSpace => Recipe::at_sites(name, white_space::sites, &[]),
            Placebo::Synonym => Recipe::at_sites(name, synonym::sites, &[]),
            Placebo::ReorderedList => Recipe::at_sites(name, reordered_list::sites, &[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;
    use std::collections::BTreeMap;

    const TEXT: &str = "The crew of Neil Armstrong, Buzz Aldrin and Michael Collins began the journey in July. They brought iron, \
        copper and tin, which were used for about two large bells.";

    fn letters(text: &str) -> BTreeMap<char, usize> {
        let mut counts = BTreeMap::new();
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            *counts.entry(c).or_default() += 1;
        }
        counts
    }

    #[test]
    fn white_space_changes_nothing_but_white_space() {
        for seed in 0..30 {
            let dosed = Placebo::WhiteSpace
                .recipe()
                .dose(TEXT, "", 5, Seed::new(seed))
                .unwrap();
            let words = |text: &str| {
                text.split_whitespace()
                    .map(String::from)
                    .collect::<Vec<_>>()
            };
            assert_eq!(words(&dosed.text), words(TEXT));
            assert_ne!(dosed.text, TEXT);
        }
    }

    #[test]
    fn a_list_has_the_same_members_in_another_order() {
        let recipe = Placebo::ReorderedList.recipe();
        assert_eq!(recipe.capacity(TEXT, ""), 2);
        let dosed = recipe.dose(TEXT, "", 2, Seed::new(1)).unwrap();
        assert_eq!(letters(&dosed.text), letters(TEXT));
        assert!(
            dosed
                .text
                .contains("Buzz Aldrin, Neil Armstrong and Michael Collins"),
            "{}",
            dosed.text
        );
        assert!(
            dosed.text.contains("copper, iron and tin"),
            "{}",
            dosed.text
        );
    }

    #[test]
    fn a_synonym_is_another_word_of_the_list() {
        let recipe = Placebo::Synonym.recipe();
        assert!(recipe.capacity(TEXT, "") >= 4);
        let dosed = recipe.dose(TEXT, "", 3, Seed::new(1)).unwrap();
        assert!(dosed.steps.iter().all(|step| step.before != step.after));
    }
}
