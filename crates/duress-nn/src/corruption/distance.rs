//! How far every pixel is from the nearest of some pixels.

use super::Size;

/// The steps of a chamfer distance over 5 × 5 neighbours (Borgefors, 1986): straight, diagonal, and
/// a knight's move. They are OpenCV's.
const STRAIGHT: f32 = 1.0;
const DIAGONAL: f32 = 1.4;
const KNIGHT: f32 = 2.1969;

/// Steps to neighbours that a pass from the upper left has met before.
const BEHIND: [(isize, isize, f32); 8] = [
    (0, -1, STRAIGHT),
    (-1, 0, STRAIGHT),
    (-1, -1, DIAGONAL),
    (-1, 1, DIAGONAL),
    (-1, -2, KNIGHT),
    (-1, 2, KNIGHT),
    (-2, -1, KNIGHT),
    (-2, 1, KNIGHT),
];

/// The distance of every pixel to the nearest that is marked, no more than `most`.
pub(super) fn distance(marked: &[bool], size: Size, most: f32) -> Vec<f32> {
    let start = |&marked: &bool| if marked { 0.0 } else { most };
    let mut far: Vec<f32> = marked.iter().map(start).collect();
    for at in 0..size.area() {
        far[at] = nearest(&far, size, at, 1);
    }
    for at in (0..size.area()).rev() {
        far[at] = nearest(&far, size, at, -1);
    }
    far
}

fn nearest(far: &[f32], size: Size, at: usize, sign: isize) -> f32 {
    let row = at / size.width;
    let column = at % size.width;
    BEHIND.iter().fold(far[at], |least, &(down, right, step)| {
        let row = row.checked_add_signed(sign * down);
        let column = column.checked_add_signed(sign * right);
        match (row, column) {
            (Some(row), Some(column)) if row < size.height && column < size.width => {
                least.min(far[row * size.width + column] + step)
            }
            _ => least,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_straight_and_slanted_steps_up_to_the_largest() {
        let size = Size {
            height: 5,
            width: 9,
        };
        let mut marked = vec![false; 45];
        marked[2 * 9 + 2] = true;
        let far = distance(&marked, size, 5.0);
        assert_eq!(far[2 * 9 + 2], 0.0);
        assert_eq!(far[2 * 9 + 5], 3.0);
        assert_eq!(far[0], 2.0 * DIAGONAL);
        assert_eq!(far[9], KNIGHT);
        assert_eq!(far[8], 5.0);
    }
}
