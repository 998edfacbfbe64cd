//! Canny's edges of a plane of eight-bit levels.

use super::Size;
use super::filter::Border;

/// Where a plane of levels from 0 to 255 has an edge: slopes (Sobel, 3 × 3) whose size, the sum of
/// their absolute parts, is largest across the edge, from `low` on where they hang together with one
/// above `high`.
pub(super) fn edges(plane: &[f32], size: Size, low: f32, high: f32) -> Vec<bool> {
    let slopes = slopes(plane, size);
    let candidate = |at: usize| slopes[at].size() > low && is_ridge(&slopes, size, at);
    let candidates: Vec<bool> = (0..size.area()).map(candidate).collect();
    let mut found = vec![false; size.area()];
    let strong = |&at: &usize| candidates[at] && slopes[at].size() > high;
    let mut open: Vec<usize> = (0..size.area()).filter(strong).collect();
    open.iter().for_each(|&at| found[at] = true);
    while let Some(at) = open.pop() {
        for next in neighbours(at, size) {
            if candidates[next] && !found[next] {
                found[next] = true;
                open.push(next);
            }
        }
    }
    found
}

#[derive(Clone, Copy)]
struct PixelSlope {
    right: f32,
    down: f32,
}

impl PixelSlope {
    fn size(self) -> f32 {
        self.right.abs() + self.down.abs()
    }
}

fn slopes(plane: &[f32], size: Size) -> Vec<PixelSlope> {
    let slope = |at: usize| {
        let row = (at / size.width) as isize;
        let column = (at % size.width) as isize;
        let level = |down: isize, right: isize| {
            let row = Border::Nearest.position(row + down, size.height);
            plane[row * size.width + Border::Nearest.position(column + right, size.width)]
        };
        let across = |down: isize| level(down, 1) - level(down, -1);
        let along = |right: isize| level(1, right) - level(-1, right);
        PixelSlope {
            right: across(-1) + 2.0 * across(0) + across(1),
            down: along(-1) + 2.0 * along(0) + along(1),
        }
    };
    (0..size.area()).map(slope).collect()
}

/// tan 22.5°: between it and its inverse a slope counts as diagonal.
const DIAGONAL: f32 = 0.414_213_56;

/// Whether the slope is largest along its own direction; of two equal ones the first counts, along a
/// diagonal neither.
fn is_ridge(slopes: &[PixelSlope], size: Size, at: usize) -> bool {
    let here = slopes[at];
    let beside = |down: isize, right: isize| {
        let row = (at / size.width).checked_add_signed(down);
        let column = (at % size.width).checked_add_signed(right);
        match (row, column) {
            (Some(row), Some(column)) if row < size.height && column < size.width => {
                slopes[row * size.width + column].size()
            }
            _ => 0.0,
        }
    };
    let right = here.right.abs();
    let down = here.down.abs();
    if down < DIAGONAL * right {
        here.size() > beside(0, -1) && here.size() >= beside(0, 1)
    } else if down > (2.0 + DIAGONAL) * right {
        here.size() > beside(-1, 0) && here.size() >= beside(1, 0)
    } else {
        let sign = if (here.right < 0.0) == (here.down < 0.0) {
            1
        } else {
            -1
        };
        here.size() > beside(-1, -sign) && here.size() > beside(1, sign)
    }
}

fn neighbours(at: usize, size: Size) -> impl Iterator<Item = usize> {
    let row = at / size.width;
    let column = at % size.width;
    let rows = row.saturating_sub(1)..(row + 2).min(size.height);
    rows.flat_map(move |row| {
        let columns = column.saturating_sub(1)..(column + 2).min(size.width);
        columns.map(move |column| row * size.width + column)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_of_a_step_is_one_pixel_wide_and_a_faint_one_is_none() {
        let size = Size {
            height: 6,
            width: 8,
        };
        let step = |height: f32| -> Vec<f32> {
            let level = |at: usize| if at % 8 < 4 { 0.0 } else { height };
            (0..48).map(level).collect()
        };
        let found = edges(&step(200.0), size, 50.0, 150.0);
        for row in found.chunks(8) {
            assert_eq!(row.iter().filter(|edge| **edge).count(), 1, "{row:?}");
        }
        assert!(!edges(&step(10.0), size, 50.0, 150.0).contains(&true));
    }
}
