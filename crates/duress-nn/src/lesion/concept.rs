//! Concepts: images that have one thing, and the same images without it.

use duress_core::seed::Seed;
use duress_core::word::Word;

use super::artefact::{Artefact, render};
use super::diagnosis::DiagnosisFrequencies;
use super::painting::paint;
use super::specimen::{Skin, Specimen};
use super::traits::Trait;
use super::view::LesionView;

duress_core::words! {
    /// Something an image may have or lack.
    pub enum Concept {
        /// Strokes of a surgeon's marker.
        InkMarks = "ink-marks",
        /// Hair.
        Hair = "hair",
        /// Bubbles of immersion fluid.
        Bubbles = "bubbles",
        /// A ruler along one side.
        RulerMarks = "ruler-marks",
        /// The black rim of the lens.
        DarkCorners = "dark-corners",
        /// A lesion whose halves differ.
        Asymmetry = "asymmetry",
        /// A lesion with a ragged border.
        BorderIrregularity = "border-irregularity",
        /// A lesion of many colours.
        ColourVariation = "colour-variation",
    }
}

/// What a concept is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConceptKind {
    /// Something over the image, which says nothing about the lesion.
    Artefact(Artefact),
    /// Something of the lesion, which physicians look at.
    Medical(Trait),
}

impl Concept {
    /// What it is about.
    pub fn kind(self) -> ConceptKind {
        match self {
            Concept::InkMarks => ConceptKind::Artefact(Artefact::InkMarks),
            Concept::Hair => ConceptKind::Artefact(Artefact::Hair),
            Concept::Bubbles => ConceptKind::Artefact(Artefact::Bubbles),
            Concept::RulerMarks => ConceptKind::Artefact(Artefact::RulerMarks),
            Concept::DarkCorners => ConceptKind::Artefact(Artefact::DarkCorners),
            Concept::Asymmetry => ConceptKind::Medical(Trait::Asymmetry),
            Concept::BorderIrregularity => ConceptKind::Medical(Trait::BorderIrregularity),
            Concept::ColourVariation => ConceptKind::Medical(Trait::ColourVariation),
        }
    }
}

/// How much of a trait there is in images that have it, and in those that lack it.
const HIGH: f64 = 0.9;
const LOW: f64 = 0.1;

/// How concept images are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConceptRecipe {
    /// Height and width, in pixels.
    pub side: usize,
    /// The deviation of a lesion's traits from what is typical of its diagnosis.
    pub spread: f64,
    /// What lesion minus skin is multiplied by.
    pub contrast: f64,
}

/// One image with a concept and its twin without: red, green and blue planes in [0, 1].
#[derive(Clone, Debug, PartialEq)]
pub struct ConceptPair {
    /// With much of it.
    pub with: Vec<f32>,
    /// With none of it, or little; the same otherwise, bit for bit where the concept is not seen.
    pub without: Vec<f32>,
}

/// The pair with this number. All diagnoses are as frequent, so that a concept is none of them, and
/// there is no artefact but the one in question.
///
/// ```
/// use duress_core::seed::Seed;
/// use duress_nn::lesion::concept::{Concept, ConceptRecipe, concept_pair};
/// let recipe = ConceptRecipe { side: 32, spread: 0.1, contrast: 1.0 };
/// let pair = concept_pair(Concept::Hair, recipe, 0, Seed::new(1));
/// assert_ne!(pair.with, pair.without);
/// ```
pub fn concept_pair(
    concept: Concept,
    recipe: ConceptRecipe,
    number: usize,
    seed: Seed,
) -> ConceptPair {
    let seed = seed.child(concept.word()).child(format!("pair {number}"));
    match concept.kind() {
        ConceptKind::Artefact(artefact) => {
            let without = painted(recipe, seed, None);
            let mut with = without.clone();
            let shape = [3, recipe.side, recipe.side];
            render(&mut with, shape, artefact, seed.child("artefact"));
            ConceptPair { with, without }
        }
        ConceptKind::Medical(which) => ConceptPair {
            with: painted(recipe, seed, Some((which, HIGH))),
            without: painted(recipe, seed, Some((which, LOW))),
        },
    }
}

/// A lesion, with so much of a trait.
fn painted(recipe: ConceptRecipe, seed: Seed, fixed: Option<(Trait, f64)>) -> Vec<f32> {
    let mut draws = seed.child("traits").draws();
    let diagnosis = DiagnosisFrequencies::of_imbalance(0.0).draw(&mut draws);
    let drawn = diagnosis.prototype().scattered(recipe.spread, &mut draws);
    let traits = match fixed {
        Some((which, value)) => drawn.with(which, value),
        None => drawn,
    };
    let specimen = Specimen::new(traits, seed.child("specimen"));
    let skin = Skin::new(seed.child("skin"));
    let view = LesionView::new(seed.child("view"));
    paint(&specimen, &skin, &view, recipe.side, recipe.contrast as f32).pixels
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECIPE: ConceptRecipe = ConceptRecipe {
        side: 32,
        spread: 0.1,
        contrast: 1.0,
    };

    #[test]
    fn every_concept_is_seen_and_twins_are_alike_elsewhere() {
        for &concept in Concept::ALL {
            for number in 0..30 {
                let pair = concept_pair(concept, RECIPE, number, Seed::new(3));
                let moved = pair.with.iter().zip(&pair.without);
                let moved: Vec<f32> = moved.map(|(with, without)| with - without).collect();
                let mean = moved.iter().map(|by| by.abs()).sum::<f32>() / moved.len() as f32;
                assert!(mean > 0.001, "{concept} {number} moves pixels by {mean}");
                let untouched = moved.iter().filter(|by| **by == 0.0).count();
                assert!(untouched > moved.len() / 20, "{concept} {number}");
            }
        }
    }

    #[test]
    fn pairs_do_not_depend_on_how_many_there_are_and_differ() {
        let pair = |number| concept_pair(Concept::Asymmetry, RECIPE, number, Seed::new(3));
        assert_eq!(pair(4), pair(4));
        assert_ne!(pair(4), pair(5));
    }
}
