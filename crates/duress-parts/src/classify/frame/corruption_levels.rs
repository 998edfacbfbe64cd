//! The five published levels of a corruption, and what lies between them.

use duress_core::part::{Field, Params, Takes};
use duress_core::word::Word;

/// What the severity of a corruption with levels counts.
pub(crate) const UNIT: &str = "published level";

/// The highest level.
pub(crate) const MOST: f64 = 5.0;

duress_core::words! {
    /// Whose levels they are.
    pub(crate) enum LevelSet {
        ImagenetC = "imagenet-c",
        Dermamnist = "dermamnist",
    }
}

impl LevelSet {
    /// The key that chooses them.
    pub(crate) const LEVELS: Field = Field {
        name: "levels",
        takes: Takes::Choice(LevelSet::spellings),
        doc: "whose five levels: those of ImageNet-C, or those of MedMNIST-C for dermatoscopy",
        default: Some("imagenet-c"),
    };
}

/// The strengths at five levels, as each of those who published some has them.
pub(crate) struct Published<const N: usize> {
    pub(crate) imagenet_c: [[f64; N]; 5],
    pub(crate) dermamnist: [[f64; N]; 5],
}

impl<const N: usize> Published<N> {
    /// Those that the key `levels` chooses.
    pub(crate) fn chosen(self, params: &Params) -> [[f64; N]; 5] {
        match params.choice("levels") {
            LevelSet::ImagenetC => self.imagenet_c,
            LevelSet::Dermamnist => self.dermamnist,
        }
    }
}

/// What is between two levels, and between none and the first.
enum Between<const N: usize> {
    /// Strengths between theirs; these are what changes nothing.
    Strengths([f64; N]),
    /// A mixture of the two pictures, where some strength is a whole number or one of several kinds.
    Pictures,
}

/// The strengths of a corruption at its five published levels.
pub(crate) struct Levels<const N: usize> {
    between: Between<N>,
    published: [[f64; N]; 5],
}

impl<const N: usize> Levels<N> {
    /// Strengths that grow from `nothing`, which changes nothing, in straight lines from level to
    /// level.
    pub(crate) fn from_nothing(nothing: [f64; N], published: [[f64; N]; 5]) -> Levels<N> {
        Levels {
            between: Between::Strengths(nothing),
            published,
        }
    }

    /// Levels between which pictures are mixed.
    pub(crate) fn mixed(published: [[f64; N]; 5]) -> Levels<N> {
        Levels {
            between: Between::Pictures,
            published,
        }
    }

    /// Presses the pixels of a picture at a level; at 0 it does nothing at all.
    pub(crate) fn press(&self, pixels: &mut [f32], level: f64, act: impl Fn(&mut [f32], [f64; N])) {
        if level == 0.0 {
            return;
        }
        let level = level.min(MOST);
        match &self.between {
            Between::Strengths(nothing) => act(pixels, self.strengths(nothing, level)),
            Between::Pictures => self.press_mixed(pixels, level, act),
        }
    }

    fn strengths(&self, nothing: &[f64; N], level: f64) -> [f64; N] {
        let below = level as usize;
        let share = level.fract();
        let at = |whole: usize| match whole {
            0 => nothing,
            _ => &self.published[whole - 1],
        };
        if share == 0.0 {
            return *at(below);
        }
        let (below, above) = (at(below), at(below + 1));
        std::array::from_fn(|i| below[i] + share * (above[i] - below[i]))
    }

    fn press_mixed(&self, pixels: &mut [f32], level: f64, act: impl Fn(&mut [f32], [f64; N])) {
        let below = level as usize;
        let share = level.fract() as f32;
        let mut harder = (share > 0.0).then(|| pixels.to_vec());
        if below > 0 {
            act(pixels, self.published[below - 1]);
        }
        if let Some(harder) = &mut harder {
            act(harder, self.published[below]);
            for (pixel, harder) in pixels.iter_mut().zip(harder) {
                let milder = pixel.clamp(0.0, 1.0);
                *pixel = milder + share * (harder.clamp(0.0, 1.0) - milder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLISHED: [[f64; 1]; 5] = [[1.0], [2.0], [4.0], [8.0], [16.0]];

    fn pressed(levels: &Levels<1>, level: f64) -> f32 {
        let mut pixels = [0.0];
        levels.press(&mut pixels, level, |pixels, [strength]| {
            pixels[0] += strength as f32 / 16.0;
        });
        pixels[0]
    }

    #[test]
    fn published_levels_are_met_and_what_is_between_lies_on_straight_lines() {
        let both = [
            Levels::from_nothing([0.0], PUBLISHED),
            Levels::mixed(PUBLISHED),
        ];
        for levels in both {
            assert_eq!(pressed(&levels, 0.0), 0.0);
            assert_eq!(pressed(&levels, 0.5), 0.5 / 16.0);
            assert_eq!(pressed(&levels, 1.0), 1.0 / 16.0);
            assert_eq!(pressed(&levels, 3.25), 5.0 / 16.0);
            assert_eq!(pressed(&levels, 5.0), 1.0);
        }
    }
}
