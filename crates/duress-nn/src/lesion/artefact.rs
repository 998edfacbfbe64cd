//! Artefacts: what may lie over an image of a lesion and says nothing about it.
//!
//! [`render`] draws one, [`ArtefactSet::render`] several, and [`ArtefactRates`] draws which ones
//! without asking for a label: what to teach a network with so that it does not rely on them.
//!
//! ```
//! use duress_core::seed::Seed;
//! use duress_nn::lesion::artefact::ArtefactRates;
//! let mut pixels = vec![0.7; 3 * 32 * 32];
//! let drawn = ArtefactRates::all(0.9).render(&mut pixels, [3, 32, 32], Seed::new(1).child("item-7"));
//! assert!(!drawn.is_empty() && pixels.iter().any(|pixel| *pixel != 0.7));
//! ```

use duress_core::seed::Seed;
use duress_core::word::Word;

use crate::corruption::Picture;
use crate::corruption::overlay::{self, Bubbles};

duress_core::words! {
    /// What may lie over an image, from the skin up to the lens: the order they are drawn in.
    pub enum Artefact {
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
    }
}

/// How many artefacts there are.
pub const ARTEFACTS: usize = Artefact::ALL.len();

/// Draws one artefact over an image of `shape` = channels, height, width. How much of it there is,
/// and where, comes from the seed.
pub fn render(pixels: &mut [f32], shape: [usize; 3], artefact: Artefact, seed: Seed) {
    let mut picture = Picture::new(pixels, shape);
    let seed = seed.child(artefact.word());
    let mut amount = seed.child("amount").draws();
    match artefact {
        Artefact::InkMarks => overlay::ink(&mut picture, 2 + amount.below(2), seed),
        Artefact::Hair => overlay::hair(&mut picture, 8 + amount.below(9), seed),
        Artefact::Bubbles => {
            let bubbles = Bubbles {
                radius: amount.between(20.0, 30.0),
                count: 16,
            };
            overlay::bubbles(&mut picture, bubbles, seed);
        }
        Artefact::RulerMarks => {
            let length = amount.between(0.05, 0.08);
            overlay::ruler(&mut picture, length, &mut seed.draws());
        }
        Artefact::DarkCorners => overlay::dark_corners(&mut picture, amount.between(0.95, 1.15)),
    }
}

/// Which artefacts an image has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArtefactSet([bool; ARTEFACTS]);

impl ArtefactSet {
    /// These ones.
    pub fn of(artefacts: &[Artefact]) -> ArtefactSet {
        let mut set = ArtefactSet::default();
        artefacts.iter().for_each(|one| set.0[*one as usize] = true);
        set
    }

    /// Whether one is among them.
    pub fn has(self, artefact: Artefact) -> bool {
        self.0[artefact as usize]
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self == ArtefactSet::default()
    }

    /// Draws all of them over an image; each looks as it would alone.
    pub fn render(self, pixels: &mut [f32], shape: [usize; 3], seed: Seed) {
        let there = Artefact::ALL.iter().filter(|one| self.has(**one));
        there.for_each(|one| render(pixels, shape, *one, seed));
    }
}

/// How often each artefact is there, whatever the label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArtefactRates([f64; ARTEFACTS]);

impl ArtefactRates {
    /// The chance of each, in the order of [`Artefact`].
    ///
    /// # Panics
    /// When one is no chance: below 0 or above 1.
    pub fn new(chances: [f64; ARTEFACTS]) -> ArtefactRates {
        let proper = chances.iter().all(|chance| (0.0..=1.0).contains(chance));
        assert!(proper, "chances of {chances:?}");
        ArtefactRates(chances)
    }

    /// The same chance for all.
    pub fn all(chance: f64) -> ArtefactRates {
        ArtefactRates::new([chance; ARTEFACTS])
    }

    /// The chance of one.
    pub fn chance(&self, of: Artefact) -> f64 {
        self.0[of as usize]
    }

    /// Draws which ones there are, each for itself.
    pub fn draw(&self, seed: Seed) -> ArtefactSet {
        let mut draws = seed.child("which artefacts").draws();
        ArtefactSet(self.0.map(|chance| draws.chance(chance)))
    }

    /// Draws which ones there are, and then draws them over an image. The seed should be that of
    /// the item, and of the epoch where every epoch has its own.
    pub fn render(&self, pixels: &mut [f32], shape: [usize; 3], seed: Seed) -> ArtefactSet {
        let set = self.draw(seed);
        set.render(pixels, shape, seed);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_artefact_is_seen_on_every_image_and_stays_in_range() {
        for side in [32, 64] {
            let shape = [3, side, side];
            for &artefact in Artefact::ALL {
                for item in 0..50 {
                    let mut pixels = vec![0.7; 3 * side * side];
                    render(&mut pixels, shape, artefact, Seed::new(item));
                    assert!(pixels.iter().all(|pixel| (0.0..=1.0).contains(pixel)));
                    let moved = pixels.iter().map(|p| (p - 0.7_f32).abs()).sum::<f32>();
                    let mean = moved / pixels.len() as f32;
                    assert!(mean > 0.002, "{artefact} moved pixels by {mean}");
                }
            }
        }
    }

    #[test]
    fn rates_are_met_and_an_artefact_looks_the_same_beside_others() {
        let rates = ArtefactRates::new([0.1, 0.3, 0.5, 0.0, 1.0]);
        let n = 4000;
        let sets: Vec<ArtefactSet> = (0..n).map(|i| rates.draw(Seed::new(i))).collect();
        for &artefact in Artefact::ALL {
            let share = sets.iter().filter(|set| set.has(artefact)).count() as f64 / n as f64;
            assert!(
                (share - rates.chance(artefact)).abs() < 0.03,
                "{artefact}: {share}"
            );
        }
        let shape = [3, 32, 32];
        let drawn = |artefacts: &[Artefact]| {
            let mut pixels = vec![0.7; 3 * 32 * 32];
            ArtefactSet::of(artefacts).render(&mut pixels, shape, Seed::new(4));
            pixels
        };
        let hair = drawn(&[Artefact::Hair]);
        let both = drawn(&[Artefact::Hair, Artefact::DarkCorners]);
        let middle = 16 * 32 + 16;
        assert_eq!(hair[middle - 8..middle + 8], both[middle - 8..middle + 8]);
    }
}
