//! Filters over a plane of values: weighted sums over neighbours, and linear resampling.

use super::Size;

/// What stands beyond the border of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// The last value goes on.
    Nearest,
    /// The plane mirrored, with its last value twice.
    Reflect,
    /// The plane mirrored about its last value.
    Mirror,
}

impl Border {
    /// The position among `n` that stands for position `at`.
    pub(super) fn position(self, at: isize, n: usize) -> usize {
        let last = n as isize - 1;
        let inside = match self {
            Border::Nearest => at.clamp(0, last),
            Border::Reflect => {
                let within = at.rem_euclid(2 * n as isize);
                within.min(2 * n as isize - 1 - within)
            }
            Border::Mirror if last == 0 => 0,
            Border::Mirror => {
                let within = at.rem_euclid(2 * last);
                within.min(2 * last - within)
            }
        };
        inside as usize
    }
}

/// A neighbour and how much it counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tap {
    pub(super) down: isize,
    pub(super) right: isize,
    pub(super) weight: f32,
}

/// The weights of a normal law at whole distances, summing to 1; as far out as `truncate` standard
/// deviations.
pub(super) fn gaussian_weights(sigma: f64, truncate: f64) -> Vec<f32> {
    let reach = (truncate * sigma + 0.5) as isize;
    normalised_gaussian(sigma, reach)
}

/// The same with a reach of its own.
pub(super) fn normalised_gaussian(sigma: f64, reach: isize) -> Vec<f32> {
    if reach == 0 {
        return vec![1.0];
    }
    let weight = |at: isize| libm::exp(-0.5 * (at * at) as f64 / (sigma * sigma));
    let weights: Vec<f64> = (-reach..=reach).map(weight).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|w| (w / total) as f32).collect()
}

/// The weighted sum over rows and columns one after the other.
pub(super) fn separable(
    plane: &mut [f32],
    size: Size,
    over_rows: &[f32],
    over_columns: &[f32],
    border: Border,
) {
    let as_taps = |weights: &[f32], tap: fn(isize, f32) -> Tap| -> Vec<Tap> {
        let reach = (weights.len() / 2) as isize;
        let from_centre = |(at, &weight): (usize, &f32)| tap(at as isize - reach, weight);
        weights.iter().enumerate().map(from_centre).collect()
    };
    let down = as_taps(over_rows, |down, weight| Tap {
        down,
        right: 0,
        weight,
    });
    let right = as_taps(over_columns, |right, weight| Tap {
        down: 0,
        right,
        weight,
    });
    correlate(plane, size, &down, border);
    correlate(plane, size, &right, border);
}

/// A normal blur of the same width in both directions.
pub(super) fn gaussian(plane: &mut [f32], size: Size, sigma: f64, border: Border) {
    let weights = gaussian_weights(sigma, 4.0);
    if weights.len() > 1 {
        separable(plane, size, &weights, &weights, border);
    }
}

/// Every value becomes the weighted sum over its neighbours. Tap by tap over whole rows, which a
/// compiler turns into vector instructions without changing the order of any sum.
pub(super) fn correlate(plane: &mut [f32], size: Size, taps: &[Tap], border: Border) {
    let reach_right = taps.iter().map(|tap| tap.right.unsigned_abs()).max();
    let reach_right = reach_right.unwrap_or(0);
    let padded = padded_rows(plane, size, reach_right, border);
    let stride = size.width + 2 * reach_right;
    for (row, out) in plane.chunks_exact_mut(size.width).enumerate() {
        out.fill(0.0);
        for tap in taps {
            let from = border.position(row as isize + tap.down, size.height);
            let start = from * stride + reach_right.wrapping_add_signed(tap.right);
            let source = &padded[start..start + size.width];
            for (value, &neighbour) in out.iter_mut().zip(source) {
                *value += tap.weight * neighbour;
            }
        }
    }
}

/// The rows with `reach` more values on either side.
fn padded_rows(plane: &[f32], size: Size, reach: usize, border: Border) -> Vec<f32> {
    let mut padded = Vec::with_capacity(size.height * (size.width + 2 * reach));
    for row in plane.chunks_exact(size.width) {
        let beyond = |at: isize| row[border.position(at, size.width)];
        padded.extend((-(reach as isize)..0).map(beyond));
        padded.extend_from_slice(row);
        padded.extend((0..reach as isize).map(|at| beyond(size.width as isize + at)));
    }
    padded
}

/// Where each output value of a linear stretch lies between two input values.
pub(super) struct Stretch {
    first: usize,
    places: Vec<(usize, f32)>,
}

impl Stretch {
    /// The middle part of `n` values that, `factor` times as large, covers `n` again; ends on ends,
    /// as `scipy.ndimage.zoom` stretches.
    pub(super) fn of_the_middle(n: usize, factor: f64) -> Stretch {
        let part = libm::ceil(n as f64 / factor) as usize;
        let out = libm::rint(part as f64 * factor) as usize;
        let step = if out > 1 {
            (part - 1) as f64 / (out - 1) as f64
        } else {
            0.0
        };
        let place = |at: usize| {
            let exact = at as f64 * step;
            let below = (exact as usize).min(part.saturating_sub(2));
            (below, (exact - below as f64) as f32)
        };
        Stretch {
            first: (n - part) / 2,
            places: (0..out).map(place).collect(),
        }
    }

    /// Keeps the first `n` values at most.
    pub(super) fn cropped(mut self, n: usize) -> Stretch {
        self.places.truncate(n);
        self
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }
}

/// The plane stretched by `down` and `right`, handed over row by row.
pub(super) fn stretch(
    plane: &[f32],
    size: Size,
    down: &Stretch,
    right: &Stretch,
    mut take_row: impl FnMut(usize, &[f32]),
) {
    let mut between = vec![0.0_f32; size.width];
    let mut out = vec![0.0_f32; right.len()];
    let row_at = |at: usize| {
        let at = at.min(size.height - 1);
        &plane[at * size.width..(at + 1) * size.width]
    };
    for (row, &(below, share)) in down.places.iter().enumerate() {
        let one = row_at(down.first + below);
        let other = row_at(down.first + below + 1);
        for ((value, a), b) in between.iter_mut().zip(one).zip(other) {
            *value = a + share * (b - a);
        }
        for (value, &(left, share)) in out.iter_mut().zip(&right.places) {
            let a = between[right.first + left];
            let b = between[(right.first + left + 1).min(size.width - 1)];
            *value = a + share * (b - a);
        }
        take_row(row, &out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_border_says_which_value_stands_beyond_it() {
        let positions =
            |border: Border| -> Vec<usize> { (-4..8).map(|at| border.position(at, 4)).collect() };
        assert_eq!(
            positions(Border::Nearest),
            [0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3, 3]
        );
        assert_eq!(
            positions(Border::Reflect),
            [3, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 0]
        );
        assert_eq!(
            positions(Border::Mirror),
            [2, 3, 2, 1, 0, 1, 2, 3, 2, 1, 0, 1]
        );
        assert_eq!(Border::Mirror.position(-7, 1), 0);
    }

    #[test]
    fn a_blur_keeps_what_is_constant_and_a_stretch_by_one_keeps_everything() {
        let size = Size {
            height: 5,
            width: 7,
        };
        let mut flat = vec![0.25; size.area()];
        gaussian(&mut flat, size, 2.0, Border::Nearest);
        assert!(flat.iter().all(|value| (value - 0.25).abs() < 1e-6));
        let plane: Vec<f32> = (0..size.area()).map(|at| at as f32).collect();
        let mut out = Vec::new();
        let (down, right) = (
            Stretch::of_the_middle(5, 1.0),
            Stretch::of_the_middle(7, 1.0),
        );
        stretch(&plane, size, &down, &right, |_, row| {
            out.extend_from_slice(row)
        });
        assert_eq!(out, plane);
    }
}
