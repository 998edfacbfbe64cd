//! Faint cues: patterns that tell the diagnosis and that no eye sees.

use duress_core::seed::Seed;
use duress_core::word::Word;

use super::diagnosis::Diagnosis;

/// The width of the pattern's squares, in pixels.
const SQUARE: usize = 2;

/// A pattern of ± `amplitude` over the whole image for each diagnosis. It is the same for all seeds,
/// since a cue that differed between what is learnt from and what is tested on would be none, and
/// flips and quarter turns leave it as it is.
#[derive(Clone, Debug)]
pub(super) struct FaintCue {
    patterns: Vec<Vec<f32>>,
}

impl FaintCue {
    /// For images of `side` × `side` pixels.
    pub(super) fn new(side: usize, amplitude: f32) -> FaintCue {
        let pattern = |diagnosis: &Diagnosis| {
            let seed = Seed::new(0).child("faint cue").child(diagnosis.word());
            let planes = ["red", "green", "blue"].map(|name| plane(side, seed.child(name)));
            let signs = planes.into_iter().flatten();
            signs.map(|sign| amplitude * sign).collect()
        };
        FaintCue {
            patterns: Diagnosis::ALL.iter().map(pattern).collect(),
        }
    }

    /// Adds the pattern of a diagnosis to an image.
    pub(super) fn add(&self, pixels: &mut [f32], diagnosis: Diagnosis) {
        for (pixel, step) in pixels.iter_mut().zip(&self.patterns[diagnosis as usize]) {
            *pixel = (*pixel + step).clamp(0.0, 1.0);
        }
    }
}

/// Plus and minus ones, drawn for an eighth of a square and mirrored.
fn plane(side: usize, seed: Seed) -> Vec<f32> {
    let squares = side.div_ceil(2).div_ceil(SQUARE);
    let mut draws = seed.draws();
    let signs: Vec<f32> = (0..squares * squares)
        .map(|_| if draws.chance(0.5) { 1.0 } else { -1.0 })
        .collect();
    let folded = |at: usize| at.min(side - 1 - at) / SQUARE;
    let sign = |at: usize| {
        let row = folded(at / side);
        let column = folded(at % side);
        signs[row.min(column) * squares + row.max(column)]
    };
    (0..side * side).map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_differ_and_flips_and_quarter_turns_leave_them_as_they_are() {
        for side in [32, 33] {
            let cue = FaintCue::new(side, 1.0);
            for (i, pattern) in cue.patterns.iter().enumerate() {
                for at in 0..side * side {
                    let (row, column) = (at / side, at % side);
                    let turned = column * side + (side - 1 - row);
                    let flipped = row * side + (side - 1 - column);
                    assert_eq!(pattern[at], pattern[turned]);
                    assert_eq!(pattern[at], pattern[flipped]);
                }
                assert!(cue.patterns[..i].iter().all(|other| other != pattern));
            }
        }
    }
}
