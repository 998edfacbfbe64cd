//! Traits: what tells one lesion from another, each from 0 to 1.

use duress_core::seed::Draws;
use duress_core::word::Word;

duress_core::words! {
    /// One thing that can be more or less so about a lesion.
    pub enum Trait {
        /// From light brown to black.
        Darkness = "darkness",
        /// How red it is.
        Redness = "redness",
        /// Blue-grey areas.
        Blueness = "blueness",
        /// How many colours it has: how much its pigment varies from place to place.
        ColourVariation = "colour-variation",
        /// How different its two halves are, in outline and in pigment.
        Asymmetry = "asymmetry",
        /// How ragged its border is.
        BorderIrregularity = "border-irregularity",
        /// A net of pigment.
        Network = "network",
        /// Dark dots.
        Globules = "globules",
        /// Pale dots: cysts of horn, or scale.
        Cysts = "cysts",
        /// A white middle, as of a scar.
        PaleCentre = "pale-centre",
        /// How large it is.
        Extent = "extent",
    }
}

/// How many traits there are.
pub const TRAITS: usize = Trait::ALL.len();

/// A value from 0 to 1 for every trait.
///
/// ```
/// use duress_nn::lesion::traits::{LesionTraits, Trait};
/// let traits = LesionTraits::new([0.5; 11]).with(Trait::Asymmetry, 0.9);
/// assert_eq!(traits.get(Trait::Asymmetry), 0.9);
/// assert_eq!(traits.get(Trait::Redness), 0.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LesionTraits([f64; TRAITS]);

impl LesionTraits {
    /// Values in the order of [`Trait`]; what leaves [0, 1] is clipped to it.
    pub fn new(values: [f64; TRAITS]) -> LesionTraits {
        LesionTraits(values.map(|value| value.clamp(0.0, 1.0)))
    }

    /// How much of a trait there is.
    pub fn get(&self, which: Trait) -> f64 {
        self.0[which as usize]
    }

    /// The same with another value of one trait.
    #[must_use]
    pub fn with(mut self, which: Trait, value: f64) -> LesionTraits {
        self.0[which as usize] = value.clamp(0.0, 1.0);
        self
    }

    /// The same, each trait moved by a normal draw with this deviation.
    #[must_use]
    pub fn scattered(self, deviation: f64, draws: &mut Draws) -> LesionTraits {
        LesionTraits::new(self.0.map(|value| value + deviation * draws.normal()))
    }
}
