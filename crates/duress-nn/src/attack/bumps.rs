//! The moves of the Square attack in L2: pairs of bumps, whose length is taken from elsewhere.

use duress_core::seed::Draws;

use crate::ball::{Norm, into_the_budget, length};

/// A fifth of the image is the side of the first bumps.
const FIRST_SIDES: usize = 5;

/// Smaller squares than this hold no pair of bumps.
const LEAST_SIDE: usize = 3;

/// A pair that the one before it cancels to less than this stands alone.
const CANCELLED: f64 = 1e-6;

/// An image that bumps move within a length.
pub(super) struct BumpField<'a> {
    pub(super) shape: [usize; 3],
    pub(super) clean: &'a [f32],
    pub(super) norm: Norm,
    pub(super) budget: f64,
}

/// A square of an image.
#[derive(Clone, Copy)]
struct Window {
    top: usize,
    left: usize,
    side: usize,
}

impl Window {
    fn drawn(side: usize, height: usize, width: usize, draws: &mut Draws) -> Window {
        Window {
            top: draws.below(height - side + 1),
            left: draws.below(width - side + 1),
            side,
        }
    }

    fn holds(self, row: usize, column: usize) -> bool {
        let within = |at: usize, from: usize| (from..from + self.side).contains(&at);
        within(row, self.top) && within(column, self.left)
    }

    /// The places of its pixels in a plane of this width, row by row.
    fn places(self, width: usize) -> impl Iterator<Item = usize> {
        let rows = self.top..self.top + self.side;
        rows.flat_map(move |row| (0..self.side).map(move |by| row * width + self.left + by))
    }
}

impl BumpField<'_> {
    /// The first proposal: a pair of bumps in every square of a grid, up or down in every channel.
    pub(super) fn begin(&self, draws: &mut Draws, here: &mut [f32]) {
        let [channels, height, width] = self.shape;
        let side = (height.min(width) / FIRST_SIDES).max(1);
        let mut change = vec![0.0; here.len()];
        for top in (0..=height - side).step_by(side) {
            for left in (0..=width - side).step_by(side) {
                let pair = pair_of_bumps(side, draws.chance(0.5));
                for plane in change.chunks_exact_mut(height * width).take(channels) {
                    let sign = sign(draws);
                    let places = Window { top, left, side }.places(width);
                    places
                        .zip(&pair)
                        .for_each(|(at, bump)| plane[at] = sign * bump);
                }
            }
        }
        self.show(&change, here);
    }

    /// The next proposal: one square is emptied, and what it held goes into a pair of bumps in
    /// another, together with what the budget still allows.
    pub(super) fn propose(&self, share: f64, draws: &mut Draws, here: &mut [f32]) {
        let [channels, height, width] = self.shape;
        let side = odd_side(share, height, width);
        let filled = Window::drawn(side, height, width, draws);
        let emptied = Window::drawn(side, height, width, draws);
        let pair = pair_of_bumps(side, draws.chance(0.5));
        let mut change: Vec<f64> = here
            .iter()
            .zip(self.clean)
            .map(|(&x, &clean)| f64::from(x) - f64::from(clean))
            .collect();
        let used: f64 = change.iter().map(|by| by * by).sum();
        let unused = (self.budget * self.budget - used).max(0.0) / channels as f64;
        for plane in change.chunks_exact_mut(height * width) {
            let sign = sign(draws);
            let freed = |(at, by): (usize, &f64)| {
                let row = at / width;
                let column = at % width;
                let inside = filled.holds(row, column) || emptied.holds(row, column);
                inside.then_some(by * by)
            };
            let freed: f64 = plane.iter().enumerate().filter_map(freed).sum();
            let old: Vec<f64> = filled.places(width).map(|at| plane[at]).collect();
            let was = length(old.iter().copied()).max(f64::MIN_POSITIVE);
            let signed = pair.iter().map(|bump| sign * bump);
            let mut new: Vec<f64> = old
                .iter()
                .zip(signed.clone())
                .map(|(old, bump)| old / was + bump)
                .collect();
            if length(new.iter().copied()) < CANCELLED {
                new = signed.collect();
            }
            let reach = libm::sqrt(unused + freed);
            let scale = reach / length(new.iter().copied()).max(f64::MIN_POSITIVE);
            emptied.places(width).for_each(|at| plane[at] = 0.0);
            filled
                .places(width)
                .zip(new)
                .for_each(|(at, new)| plane[at] = scale * new);
        }
        self.show(&change, here);
    }

    /// The image with a change that is as long as the budget allows.
    fn show(&self, change: &[f64], here: &mut [f32]) {
        let far = length(change.iter().copied()).max(f64::MIN_POSITIVE);
        let scale = self.budget / far;
        for ((x, &clean), by) in here.iter_mut().zip(self.clean).zip(change) {
            *x = (f64::from(clean) + scale * by) as f32;
        }
        into_the_budget(self.norm, self.budget, self.clean, here);
    }
}

fn sign(draws: &mut Draws) -> f64 {
    match draws.chance(0.5) {
        true => 1.0,
        false => -1.0,
    }
}

/// The side of squares that hold this share of the pixels: odd, so that a bump has a middle.
fn odd_side(share: f64, height: usize, width: usize) -> usize {
    let side = libm::round(libm::sqrt(share * (height * width) as f64)) as usize;
    let side = side.max(LEAST_SIDE) | 1;
    side.min(height).min(width)
}

/// A bump up in one half of a square and one down in the other, of length 1 together; above each
/// other or, `turned`, side by side.
fn pair_of_bumps(side: usize, turned: bool) -> Vec<f64> {
    let half = side / 2;
    let mut pair = bump(half, side);
    pair.extend(bump(side - half, side).into_iter().map(|by| -by));
    let far = length(pair.iter().copied()).max(f64::MIN_POSITIVE);
    let at = |place: usize| match turned {
        true => pair[place % side * side + place / side],
        false => pair[place],
    };
    (0..side * side).map(|place| at(place) / far).collect()
}

/// A bump of length 1: rectangles around a middle, each wider by one and lower than the one before.
fn bump(rows: usize, columns: usize) -> Vec<f64> {
    let widest = rows.max(columns) / 2;
    // What a pixel gets from all rectangles that reach it, by how far it is from the middle.
    let mut heights = vec![0.0; widest + 2];
    for reach in (0..=widest).rev() {
        heights[reach] = heights[reach + 1] + 1.0 / ((reach + 1) * (reach + 1)) as f64;
    }
    let height = |place: usize| {
        let row = place / columns;
        let column = place % columns;
        heights[row.abs_diff(rows / 2).max(column.abs_diff(columns / 2))]
    };
    let heights: Vec<f64> = (0..rows * columns).map(height).collect();
    let far = length(heights.iter().copied()).max(f64::MIN_POSITIVE);
    heights.into_iter().map(|height| height / far).collect()
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;

    /// Values of `eta` of the published script for sides 3 and 4.
    #[test]
    fn a_pair_of_bumps_is_the_published_one() {
        let pair = pair_of_bumps(3, false);
        let close = |found: &[f64], expected: &[f64]| {
            let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
            off.fold(0.0, f64::max) < 1e-9
        };
        assert!(close(&pair, &SIDE_3), "{pair:?}");
        assert!(close(&pair_of_bumps(4, false), &SIDE_4));
        let turned = pair_of_bumps(3, true);
        assert!((0..9).all(|at| turned[at] == pair[at % 3 * 3 + at / 3]));
    }

    const SIDE_3: [f64; 9] = [
        0.136082763488,
        0.68041381744,
        0.136082763488,
        -0.129099444874,
        -0.129099444874,
        -0.129099444874,
        -0.129099444874,
        -0.645497224368,
        -0.129099444874,
    ];
    const SIDE_4: [f64; 16] = [
        0.049401543575,
        0.16055501662,
        0.16055501662,
        0.16055501662,
        0.049401543575,
        0.16055501662,
        0.605168908798,
        0.16055501662,
        -0.049401543575,
        -0.16055501662,
        -0.16055501662,
        -0.16055501662,
        -0.049401543575,
        -0.16055501662,
        -0.605168908798,
        -0.16055501662,
    ];

    #[test]
    fn proposals_use_the_whole_budget_where_the_box_allows_it() {
        for shape in [[1, 1, 1], [1, 2, 3], [3, 8, 8], [1, 9, 7]] {
            let clean = vec![0.5; shape.iter().product()];
            let field = BumpField {
                shape,
                clean: &clean,
                norm: Norm::L2,
                budget: 0.4,
            };
            let mut draws = Seed::new(1).draws();
            let mut here = clean.clone();
            field.begin(&mut draws, &mut here);
            for share in [0.8, 0.4, 0.1, 0.003] {
                let far = length(here.iter().map(|x| f64::from(*x) - 0.5));
                assert!((far - 0.4).abs() < 1e-5, "{shape:?} {far}");
                field.propose(share, &mut draws, &mut here);
            }
        }
    }
}
