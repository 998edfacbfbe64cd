//! Missing pixels as the weighted mean of their neighbours.
//!
//! Every missing pixel is to be the mean of its up to eight neighbours, direct ones counted 1/6 and
//! diagonal ones 1/12, those beyond the edge left out (Rong et al., 2022, and their script). That is a
//! linear system with a symmetric, positive definite matrix wherever a single pixel is known, solved
//! by conjugate gradients.

use crate::network::ItemShape;

const DIRECT: f64 = 1.0 / 6.0;
const DIAGONAL: f64 = 1.0 / 12.0;

/// What is left of the right side when a solution is good enough: below a thousandth of a level of
/// eight bits.
const GOOD_ENOUGH: f64 = 1e-6;

/// Puts into `image` what is missing of it. What stands there is where the search begins. Where
/// nothing is known there is nothing to go by, and it stays.
pub(super) fn fill_missing(image: &mut [f32], shape: ItemShape, known: &[bool]) {
    let [_, height, width] = shape;
    let grid = Grid::new([height, width], known);
    if grid.missing.len() == known.len() || grid.missing.is_empty() {
        return;
    }
    for plane in image.chunks_exact_mut(height * width) {
        grid.fill(plane);
    }
}

/// The places of an image with a rim of one place around it, so that every place has neighbours.
struct Grid {
    width: usize,
    stride: usize,
    known: Vec<bool>,
    /// The missing places, in the grid with its rim.
    missing: Vec<usize>,
    /// How much the neighbours of each missing place that are inside count together.
    inside: Vec<f64>,
}

impl Grid {
    fn new([height, width]: [usize; 2], known: &[bool]) -> Grid {
        let stride = width + 2;
        let mut grid = Grid {
            width,
            stride,
            known: vec![false; stride * (height + 2)],
            missing: Vec::new(),
            inside: Vec::new(),
        };
        let mut is_inside = vec![0.0; grid.known.len()];
        for (place, &is_known) in known.iter().enumerate() {
            let at = grid.with_rim(place);
            is_inside[at] = 1.0;
            match is_known {
                true => grid.known[at] = true,
                false => grid.missing.push(at),
            }
        }
        let count = |&at: &usize| grid.neighbours(&is_inside, at);
        grid.inside = grid.missing.iter().map(count).collect();
        grid
    }

    fn with_rim(&self, place: usize) -> usize {
        (place / self.width + 1) * self.stride + place % self.width + 1
    }

    fn without_rim(&self, at: usize) -> usize {
        (at / self.stride - 1) * self.width + at % self.stride - 1
    }

    /// The weighted sum of the neighbours of a place.
    fn neighbours(&self, values: &[f64], at: usize) -> f64 {
        let (above, below) = (at - self.stride, at + self.stride);
        let direct = values[at - 1] + values[at + 1] + values[above] + values[below];
        let diagonal =
            values[above - 1] + values[above + 1] + values[below - 1] + values[below + 1];
        DIRECT * direct + DIAGONAL * diagonal
    }

    /// What the matrix makes of values at the missing places; elsewhere they are zero.
    fn times(&self, values: &[f64], out: &mut [f64]) {
        for ((&at, &inside), out) in self.missing.iter().zip(&self.inside).zip(out) {
            *out = inside * values[at] - self.neighbours(values, at);
        }
    }

    fn fill(&self, plane: &mut [f32]) {
        let mut known = vec![0.0; self.known.len()];
        let mut values = known.clone();
        for (place, &pixel) in plane.iter().enumerate() {
            let at = self.with_rim(place);
            match self.known[at] {
                true => known[at] = f64::from(pixel),
                false => values[at] = f64::from(pixel),
            }
        }
        let right_side = |&at: &usize| self.neighbours(&known, at);
        let right_side: Vec<f64> = self.missing.iter().map(right_side).collect();
        self.solve(&mut values, &right_side);
        for &at in &self.missing {
            plane[self.without_rim(at)] = values[at] as f32;
        }
    }

    /// Conjugate gradients from where `values` are.
    fn solve(&self, values: &mut [f64], right_side: &[f64]) {
        let mut product = vec![0.0; self.missing.len()];
        self.times(values, &mut product);
        let left = right_side.iter().zip(&product);
        let mut residual: Vec<f64> = left.map(|(right, product)| right - product).collect();
        let mut direction = vec![0.0; values.len()];
        self.scatter(&residual, &mut direction, 0.0);
        let mut square = dot(&residual, &residual);
        let enough = GOOD_ENOUGH * GOOD_ENOUGH * dot(right_side, right_side);
        // In exact arithmetic it ends after as many rounds as there are unknowns.
        for _ in 0..self.missing.len() {
            if square <= enough {
                break;
            }
            self.times(&direction, &mut product);
            let along: Vec<f64> = self.missing.iter().map(|&at| direction[at]).collect();
            let step = square / dot(&along, &product);
            for (&at, along) in self.missing.iter().zip(&along) {
                values[at] += step * along;
            }
            let both = residual.iter_mut().zip(&product);
            both.for_each(|(residual, product)| *residual -= step * product);
            let next = dot(&residual, &residual);
            self.scatter(&residual, &mut direction, next / square);
            square = next;
        }
    }

    /// A residual in the grid, on top of a share of what was there.
    fn scatter(&self, residual: &[f64], direction: &mut [f64], share: f64) {
        for (&at, residual) in self.missing.iter().zip(residual) {
            direction[at] = residual + share * direction[at];
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_pixel_is_the_weighted_mean_of_its_neighbours() {
        let mut image = [0.0, 0.6, 0.0, 0.6, 9.0, 0.6, 0.0, 0.6, 0.0_f32];
        let known = [true, true, true, true, false, true, true, true, true];
        fill_missing(&mut image, [1, 3, 3], &known);
        assert!((image[4] - 0.4).abs() < 1e-6, "{}", image[4]);
        // In a corner the three neighbours that are there count 1/6, 1/6 and 1/12.
        let mut image = [9.0, 0.5, 0.0, 1.0, 0.2, 0.0, 0.0, 0.0, 0.0_f32];
        let mut known = [true; 9];
        known[0] = false;
        fill_missing(&mut image, [1, 3, 3], &known);
        let expected = (0.5 * 2.0 + 1.0 * 2.0 + 0.2) / 5.0;
        assert!((image[0] - expected).abs() < 1e-6, "{}", image[0]);
    }

    #[test]
    fn what_is_missing_lies_between_what_is_known() {
        // Known at both ends only: a plane between them, wherever the search begins.
        let width = 24;
        let known: Vec<bool> = (0..width * 5)
            .map(|place| [0, width - 1].contains(&(place % width)))
            .collect();
        let ends = |place: usize| {
            if place.is_multiple_of(width) {
                0.0
            } else {
                1.0
            }
        };
        let mut image: Vec<f32> = (0..width * 5).map(ends).collect();
        fill_missing(&mut image, [1, 5, width], &known);
        for (place, pixel) in image.iter().enumerate() {
            let expected = (place % width) as f32 / (width - 1) as f32;
            assert!((pixel - expected).abs() < 1e-4, "{place}: {pixel}");
        }
    }

    #[test]
    fn an_image_of_which_nothing_is_known_stays_as_it_is() {
        let mut image = [0.3; 9];
        fill_missing(&mut image, [1, 3, 3], &[false; 9]);
        assert_eq!(image, [0.3; 9]);
    }
}
