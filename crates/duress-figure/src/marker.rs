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

pub fn stroke(series: usize, width: f64) -> Stroke {
    let dash = DASHES[(series + series / SERIES) % SHAPES];
    Stroke::dashed(Ink::Series(series), width, dash)
}

pub fn marker(at: (f64, f64), series: usize, size: f64) -> Mark {
    shape(at, series + series / SERIES, size, Ink::Series(series))
        .stroked(Stroke::solid(Ink::Paper, 0.9))
}

/// The marker of a series on a ground of its own colour.
pub(crate) fn paper_marker(at: (f64, f64), series: usize, size: f64) -> Mark {
    shape(at, series + series / SERIES, size, Ink::Paper)
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
    match kind % SHAPES {
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
