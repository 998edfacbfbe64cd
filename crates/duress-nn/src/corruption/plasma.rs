//! Plasma: a rough random surface that repeats itself, for fog and frost.

use duress_core::seed::Draws;

use super::Size;

/// How far the first midpoints stray, before the surface is scaled to [0, 1].
const FIRST_WIBBLE: f64 = 100.0;

/// A surface in [0, 1] that covers `size`, by midpoint displacement (diamond-square) on the smallest
/// square with a power of two a side. Each halving of the grid divides what midpoints stray by
/// `decay` twice. The same draws give the same bumps whatever the decay.
pub(super) fn plasma(size: Size, decay: f64, draws: &mut Draws) -> Vec<f32> {
    let side = size.height.max(size.width).next_power_of_two();
    let mut surface = Surface {
        side,
        heights: vec![0.0; side * side],
    };
    let mut step = side;
    let mut wibble = FIRST_WIBBLE;
    while step >= 2 {
        let half = step / 2;
        let mut stray = || wibble * wibble * draws.between(-1.0, 1.0);
        surface.fill(step, (half, half), Surface::corners, &mut stray);
        surface.fill(step, (0, half), Surface::beside, &mut stray);
        surface.fill(step, (half, 0), Surface::beside, &mut stray);
        step = half;
        wibble /= decay;
    }
    surface.scaled(size)
}

struct Surface {
    side: usize,
    heights: Vec<f64>,
}

impl Surface {
    fn at(&self, row: usize, column: usize) -> f64 {
        // Sides are powers of two, so that a mask goes round the edge.
        let mask = self.side - 1;
        self.heights[(row & mask) * self.side + (column & mask)]
    }

    /// The sum of the four corners around a point.
    fn corners(&self, half: usize, row: usize, column: usize) -> f64 {
        let up = row - half;
        let left = column - half;
        let down = row + half;
        let right = column + half;
        self.at(up, left) + self.at(down, left) + self.at(up, right) + self.at(down, right)
    }

    /// The sum of the four beside a point: above, below, left and right.
    fn beside(&self, half: usize, row: usize, column: usize) -> f64 {
        let up = row + self.side - half;
        let left = column + self.side - half;
        self.at(up, column)
            + self.at(row + half, column)
            + self.at(row, left)
            + self.at(row, column + half)
    }

    /// Every `step`-th point from the first on: the mean of `four` around it, and what it strays.
    fn fill(
        &mut self,
        step: usize,
        first: (usize, usize),
        four: impl Fn(&Surface, usize, usize, usize) -> f64,
        stray: &mut impl FnMut() -> f64,
    ) {
        for row in (first.0..self.side).step_by(step) {
            for column in (first.1..self.side).step_by(step) {
                let around = four(self, step / 2, row, column);
                self.heights[row * self.side + column] = around / 4.0 + stray();
            }
        }
    }

    /// The corner of `size`, after the whole surface was scaled to [0, 1].
    fn scaled(&self, size: Size) -> Vec<f32> {
        let least = self.heights.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self
            .heights
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let range = if most > least { most - least } else { 1.0 };
        let rows = self.heights.chunks_exact(self.side).take(size.height);
        rows.flat_map(|row| &row[..size.width])
            .map(|height| ((height - least) / range) as f32)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;

    #[test]
    fn a_surface_reaches_from_0_to_1_and_is_smooth_when_bumps_decay_fast() {
        let size = Size {
            height: 64,
            width: 64,
        };
        let rough = plasma(size, 1.2, &mut Seed::new(3).draws());
        let smooth = plasma(size, 3.0, &mut Seed::new(3).draws());
        let jumps =
            |plane: &[f32]| -> f32 { plane.windows(2).map(|two| (two[1] - two[0]).abs()).sum() };
        for plane in [&rough, &smooth] {
            assert!(plane.contains(&0.0) && plane.contains(&1.0));
        }
        assert!(jumps(&rough) > 4.0 * jumps(&smooth));
    }

    #[test]
    fn a_single_point_is_flat() {
        let size = Size {
            height: 1,
            width: 1,
        };
        assert_eq!(plasma(size, 2.0, &mut Seed::new(3).draws()), [0.0]);
    }
}
