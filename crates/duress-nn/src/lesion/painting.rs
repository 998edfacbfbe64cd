//! Painting: a lesion on skin becomes pixels, and a mask of where it is.

use super::specimen::{Skin, Specimen};
use super::view::LesionView;

/// An image of a lesion without artefacts.
#[derive(Clone, Debug, PartialEq)]
pub struct Painting {
    /// Red, green and blue planes in [0, 1].
    pub pixels: Vec<f32>,
    /// Which pixels the lesion has at least half of, row by row.
    pub mask: Vec<bool>,
}

/// Paints a lesion as a view shows it, `side` × `side` pixels. `contrast` multiplies what the lesion
/// differs from the skin by: at 0 there is only skin, and nothing is left of the lesion but its
/// mask.
pub fn paint(
    specimen: &Specimen,
    skin: &Skin,
    view: &LesionView,
    side: usize,
    contrast: f32,
) -> Painting {
    let area = side * side;
    let mut pixels = vec![0.0; 3 * area];
    let mut mask = Vec::with_capacity(area);
    let coordinate = |at: usize| (2 * at + 1) as f32 / side as f32 - 1.0;
    for at in 0..area {
        let (x, y) = view.on_skin(coordinate(at % side), coordinate(at / side));
        let under = skin.at(x, y);
        let (presence, outwards) = specimen.presence(x, y);
        mask.push(presence >= 0.5);
        let mut colour = under;
        if presence > 0.0 {
            let lesion = specimen.colour(x, y, outwards, under);
            for (value, lesion) in colour.iter_mut().zip(lesion) {
                *value += contrast * presence * (lesion - *value);
            }
        }
        for (channel, value) in colour.into_iter().enumerate() {
            pixels[channel * area + at] = value.clamp(0.0, 1.0);
        }
    }
    view.develop(&mut pixels);
    Painting { pixels, mask }
}
