//! Lures: what is put into a text to be judged so that it looks better and is not; each has its
//! file.

mod authority;
mod flattery;
mod formatting;
mod instruction;
mod padding;
mod self_praise;

use crate::dose::Recipe;

duress_core::words! {
    /// What lures a judge into giving more.
    pub enum Lure {
        /// Sentences without content.
        Padding = "padding",
        /// Bold type, headings and lists, around what was there.
        Formatting = "formatting",
        /// Experts and institutions that are said to agree.
        Authority = "authority",
        /// Praise of whoever judges.
        Flattery = "flattery",
        /// Praise of the answer by itself.
        SelfPraise = "self_praise",
        /// Orders to whoever judges.
        Instruction = "instruction",
    }
}

impl Lure {
    /// How it is made.
    pub fn recipe(self) -> Recipe {
        let name = duress_core::word::Word::word(self);
        match self {
            Lure::Padding => Recipe::of_remarks(name, padding::REMARKS),
            Lure::Formatting => Recipe::at_sites(name, formatting::sites, &[]),
            Lure::Authority => Recipe::of_remarks(name, authority::REMARKS),
            Lure::Flattery => Recipe::of_remarks(name, flattery::REMARKS),
            Lure::SelfPraise => Recipe::of_remarks(name, self_praise::REMARKS),
            Lure::Instruction => Recipe::of_remarks(name, instruction::REMARKS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dose::MOST_CHANGES;
    use duress_core::seed::Seed;
    use duress_core::word::Word;

    #[test]
    fn every_lure_is_put_in_one_at_a_time_and_takes_no_word_away() {
        let text = "The bridge opened in 1932. It has eight lanes for cars. Two towers stand beside the water of the bay.";
        for lure in Lure::ALL {
            let recipe = lure.recipe();
            assert!(recipe.remarks().is_empty() || recipe.remarks().len() > MOST_CHANGES);
            for seed in 0..30 {
                let dosed = recipe.dose(text, "", 5, Seed::new(seed)).unwrap();
                assert_eq!(dosed.steps.len(), 5, "{lure}");
                let kept = dosed
                    .steps
                    .iter()
                    .all(|step| step.after.contains(&step.before));
                assert!(
                    kept && dosed.text.len() > text.len(),
                    "{lure}: {}",
                    dosed.text
                );
            }
        }
    }
}
