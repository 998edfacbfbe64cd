//! Patches: a smooth random surface, for what varies from place to place.

use duress_core::seed::Seed;

/// Heights on a square grid with a smooth surface between them (value noise), in [−1, 1].
#[derive(Clone, Debug)]
pub(super) struct Patches {
    heights: Vec<f32>,
    cells: usize,
}

impl Patches {
    /// `cells` × `cells` patches over the square from −1 to 1; the surface repeats itself beyond.
    pub(super) fn new(cells: usize, seed: Seed) -> Patches {
        let mut draws = seed.draws();
        let heights = (0..cells * cells)
            .map(|_| draws.between(-1.0, 1.0) as f32)
            .collect();
        Patches { heights, cells }
    }

    /// The height at a point.
    pub(super) fn at(&self, x: f32, y: f32) -> f32 {
        let (left, right, across) = self.between(x);
        let (upper, lower, down) = self.between(y);
        let height = |row: usize, column: usize| self.heights[row * self.cells + column];
        let above = mix(height(upper, left), height(upper, right), across);
        let below = mix(height(lower, left), height(lower, right), across);
        mix(above, below, down)
    }

    /// The two grid lines around a coordinate, and how far it is from the first to the second.
    fn between(&self, coordinate: f32) -> (usize, usize, f32) {
        let place = (coordinate + 1.0) / 2.0 * self.cells as f32;
        let line = libm::floorf(place);
        let share = place - line;
        let first = (line as isize).rem_euclid(self.cells as isize) as usize;
        let smooth = share * share * (3.0 - 2.0 * share);
        (first, (first + 1) % self.cells, smooth)
    }
}

fn mix(from: f32, to: f32, share: f32) -> f32 {
    from + share * (to - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_smooth_and_within_their_range() {
        let patches = Patches::new(4, Seed::new(2));
        let mut last = patches.at(-1.5, 0.3);
        for step in 1..3000 {
            let x = -1.5 + step as f32 * 0.001;
            let here = patches.at(x, 0.3);
            assert!((-1.0..=1.0).contains(&here));
            assert!((here - last).abs() < 0.01, "a jump at {x}");
            last = here;
        }
    }
}
