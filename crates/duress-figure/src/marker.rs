//! Markers and dashes: what tells series apart without colour.

use crate::ink::{Ink, SERIES};
use crate::scene::{Mark, Stroke};

/// How many pairs of marker and dash there are before they repeat.
const SHAPES: usize = 6;
const DASHES: [&[f64]; SHAPES] = [
    &[],
    &[7.0, 3.0],
    &[2.0, 2.5],
    &[9.0, 3.0, 2.0, 3.0],
    &[4.5, 2.5],
    &[12.0, 3.0],
];
/// The dash of everything that was not measured here.
pub const ELSEWHERE: &[f64] = &[1.2, 3.2];

/// Which marker and dash a series has: another one each time its colour comes again.
fn kind(series: usize) -> usize {
    (series + series / SERIES) % SHAPES
}

pub fn stroke(series: usize, width: f64) -> Stroke {
    Stroke::dashed(Ink::Series(series), width, DASHES[kind(series)])
}

pub fn marker(at: (f64, f64), series: usize, size: f64) -> Mark {
    shape(at, kind(series), size, Ink::Series(series)).stroked(Stroke::solid(Ink::Paper, 0.9))
}

/// The marker of a series on a ground of its own colour.
pub(crate) fn paper_marker(at: (f64, f64), series: usize, size: f64) -> Mark {
    shape(at, kind(series), size, Ink::Paper)
}

/// The marker of something from elsewhere: a hollow diamond in grey.
pub fn elsewhere(at: (f64, f64), size: f64) -> Mark {
    shape(at, 3, size * 1.1, Ink::Paper).stroked(Stroke::solid(Ink::Elsewhere, 1.3))
}

fn shape((x, y): (f64, f64), kind: usize, size: f64, ink: Ink) -> Mark {
    let corners = |points: &[(f64, f64)]| {
        Mark::area(
            points
                .iter()
                .map(|(dx, dy)| (x + dx * size, y + dy * size))
                .collect(),
            ink,
        )
    };
    match kind {
        0 => Mark::circle((x, y), size, ink),
        1 => corners(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]),
        2 => corners(&[(0.0, -1.15), (1.1, 0.8), (-1.1, 0.8)]),
        3 => corners(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
        4 => corners(&[(0.0, 1.15), (1.1, -0.8), (-1.1, -0.8)]),
        _ => corners(&PLUS),
    }
}

const PLUS: [(f64, f64); 12] = [
    (-0.4, -1.15),
    (0.4, -1.15),
    (0.4, -0.4),
    (1.15, -0.4),
    (1.15, 0.4),
    (0.4, 0.4),
    (0.4, 1.15),
    (-0.4, 1.15),
    (-0.4, 0.4),
    (-1.15, 0.4),
    (-1.15, -0.4),
    (-0.4, -0.4),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixteen_series_differ_in_colour_or_in_dash_and_marker() {
        let looks = |series: usize| {
            let drawn = |mark: Mark| format!("{mark:?}");
            [
                format!("{:?}", (Ink::Series(series).colour(), DASHES[kind(series)])),
                // The same place and size: what differs is shape and colour.
                drawn(shape((0.0, 0.0), kind(series), 1.0, Ink::Text))
                    + &Ink::Series(series).colour().to_string(),
            ]
        };
        for one in 0..16 {
            for other in 0..one {
                let same = looks(one).into_iter().zip(looks(other));
                let same = same.filter(|(a, b)| a == b).count();
                assert_eq!(same, 0, "{one} and {other}");
            }
        }
    }
}
