//! Tap tables: which places a window sees, and which windows see a place.

use crate::network::Window;

/// For each place of the output, the taps that lie inside and where; or the other way round, for
/// each place of the input.
#[derive(Clone, Debug)]
pub(crate) struct TapTable {
    starts: Vec<u32>,
    /// Tap and place.
    pairs: Vec<[u32; 2]>,
    /// How many places it leads to.
    pub(crate) places: usize,
    pub(crate) taps: usize,
}

impl TapTable {
    /// What each window sees.
    pub(crate) fn of_windows(window: &Window, image: [usize; 2]) -> TapTable {
        let grid = window.places(image).unwrap_or_default();
        let mut table = TapTable {
            starts: vec![0],
            pairs: Vec::new(),
            places: image[0] * image[1],
            taps: window.kernel[0] * window.kernel[1],
        };
        for place in 0..grid[0] * grid[1] {
            let corner = [
                place / grid[1] * window.stride[0],
                place % grid[1] * window.stride[1],
            ];
            for tap in 0..table.taps {
                let of = [tap / window.kernel[1], tap % window.kernel[1]];
                let along = |side: usize| {
                    let at = corner[side] + of[side] * window.dilation[side];
                    at.checked_sub(window.padding[2 * side])
                        .filter(|&at| at < image[side])
                };
                if let (Some(y), Some(x)) = (along(0), along(1)) {
                    table.pairs.push([tap as u32, (y * image[1] + x) as u32]);
                }
            }
            table.starts.push(table.pairs.len() as u32);
        }
        table
    }

    /// For each place of the input the windows that see it, in the order of the windows: going back,
    /// a place sums what they say in that order.
    pub(crate) fn transposed(&self) -> TapTable {
        let mut all: Vec<[u32; 3]> = Vec::with_capacity(self.pairs.len());
        for place in 0..self.len() {
            all.extend(
                self.taps_at(place)
                    .iter()
                    .map(|&[tap, to]| [to, place as u32, tap]),
            );
        }
        all.sort_unstable();
        let mut starts = vec![0; self.places + 1];
        all.iter()
            .for_each(|[to, ..]| starts[*to as usize + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let pairs = all
            .into_iter()
            .map(|[_, place, tap]| [tap, place])
            .collect();
        TapTable {
            starts,
            pairs,
            places: self.len(),
            taps: self.taps,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn taps_at(&self, place: usize) -> &[[u32; 2]] {
        &self.pairs[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// One over how many values each window of an average has, or would have if what lies outside
/// counted.
pub(crate) fn average_factors(window: &Window, image: [usize; 2], count_outside: bool) -> Vec<f32> {
    let [down, across] = window.places(image).unwrap_or_default();
    let table = TapTable::of_windows(window, image);
    let along = |side: usize, at: usize| {
        // Even when what lies outside counts, what lies beyond the padding does not.
        let end = image[side] + window.padding[2 * side] + window.padding[2 * side + 1];
        let start = at * window.stride[side];
        (0..window.kernel[side])
            .filter(|k| start + k * window.dilation[side] < end)
            .count()
    };
    let share = |place: usize| {
        let all = along(0, place / across) * along(1, place % across);
        1.0 / if count_outside {
            all
        } else {
            table.taps_at(place).len()
        }
        .max(1) as f32
    };
    (0..down * across).map(share).collect()
}
