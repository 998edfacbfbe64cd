//! What software does to pictures: elastic warping and pixelation.

use duress_core::seed::Draws;

use super::filter::{Border, gaussian_weights, separable};
use super::{Picture, Size};

/// Moves every pixel by a smooth random field: up to half a hundredth of the height before smoothing
/// over a hundredth of the sides, then `strength` times that.
pub fn elastic(picture: &mut Picture<'_>, strength: f64, draws: &mut Draws) {
    let size = picture.size();
    let right = smooth_field(size, strength, draws);
    let down = smooth_field(size, strength, draws);
    for plane in picture.planes() {
        let before = plane.to_vec();
        for (at, pixel) in plane.iter_mut().enumerate() {
            let row = (at / size.width) as f32 + down[at];
            let column = (at % size.width) as f32 + right[at];
            *pixel = between_pixels(&before, size, row, column);
        }
    }
}

fn smooth_field(size: Size, strength: f64, draws: &mut Draws) -> Vec<f32> {
    let most = 0.005 * size.height as f64;
    let mut field: Vec<f32> = (0..size.area())
        .map(|_| draws.between(-most, most) as f32)
        .collect();
    let weights = |n: usize| gaussian_weights(0.01 * n as f64, 3.0);
    separable(
        &mut field,
        size,
        &weights(size.height),
        &weights(size.width),
        Border::Reflect,
    );
    field
        .iter_mut()
        .for_each(|move_by| *move_by *= strength as f32);
    field
}

fn between_pixels(plane: &[f32], size: Size, row: f32, column: f32) -> f32 {
    let above = libm::floorf(row);
    let left = libm::floorf(column);
    let down = row - above;
    let right = column - left;
    let rows =
        [above as isize, above as isize + 1].map(|at| Border::Reflect.position(at, size.height));
    let columns =
        [left as isize, left as isize + 1].map(|at| Border::Reflect.position(at, size.width));
    let along = |row: usize| {
        let (a, b) = (
            plane[row * size.width + columns[0]],
            plane[row * size.width + columns[1]],
        );
        a + right * (b - a)
    };
    let upper = along(rows[0]);
    let lower = along(rows[1]);
    upper + down * (lower - upper)
}

/// Shrinks the picture to a `share` of its sides, each pixel the mean of those it covers, and
/// enlarges it again without smoothing.
pub fn pixelate(picture: &mut Picture<'_>, share: f64) {
    let size = picture.size();
    let axis = |n: usize| Boxes::new(n, ((n as f64 * share) as usize).clamp(1, n));
    let rows = axis(size.height);
    let columns = axis(size.width);
    for plane in picture.planes() {
        let narrow: Vec<f32> = plane
            .chunks_exact(size.width)
            .flat_map(|row| columns.means(|at| row[at]))
            .collect();
        let width = columns.ranges.len();
        let small: Vec<Vec<f32>> = (0..width)
            .map(|column| rows.means(|at| narrow[at * width + column]).collect())
            .collect();
        for (at, pixel) in plane.iter_mut().enumerate() {
            let row = at / size.width;
            let column = at % size.width;
            *pixel = small[columns.covering(column)][rows.covering(row)];
        }
    }
}

/// The boxes of input pixels that make one output pixel each.
struct Boxes {
    inputs: usize,
    ranges: Vec<(usize, usize)>,
}

impl Boxes {
    /// As Pillow's `BOX` takes them: a pixel belongs to the box in which its middle lies.
    fn new(inputs: usize, outputs: usize) -> Boxes {
        let scale = inputs as f64 / outputs as f64;
        let range = |at: usize| {
            let centre = (at as f64 + 0.5) * scale;
            let inside = |pixel: &usize| {
                let away = (*pixel as f64 + 0.5 - centre) / scale;
                away > -0.5 && away <= 0.5
            };
            let first = (centre - 0.5 * scale) as usize;
            let near = first..(first + scale as usize + 2).min(inputs);
            let mut held = near.filter(inside);
            let from = held.next().unwrap_or(first);
            (from, held.next_back().unwrap_or(from) + 1)
        };
        Boxes {
            inputs,
            ranges: (0..outputs).map(range).collect(),
        }
    }

    fn means(&self, value: impl Fn(usize) -> f32) -> impl Iterator<Item = f32> {
        self.ranges.iter().map(move |&(from, to)| {
            let sum: f32 = (from..to).map(&value).sum();
            sum / (to - from) as f32
        })
    }

    /// The box that covers an input pixel when boxes are stretched to the old size.
    fn covering(&self, pixel: usize) -> usize {
        ((pixel as f64 + 0.5) * self.ranges.len() as f64 / self.inputs as f64) as usize
    }
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;

    fn ramp(n: usize) -> Vec<f32> {
        (0..n).map(|at| at as f32 / n as f32).collect()
    }

    #[test]
    fn pixels_of_whole_boxes_are_their_means() {
        let mut pixels = ramp(16);
        pixelate(&mut Picture::new(&mut pixels, [1, 4, 4]), 0.5);
        let corner = (0.0 + 1.0 + 4.0 + 5.0) / 64.0;
        assert_eq!([pixels[0], pixels[1], pixels[4], pixels[5]], [corner; 4]);
        let mut whole = ramp(16);
        pixelate(&mut Picture::new(&mut whole, [1, 4, 4]), 1.0);
        assert_eq!(whole, ramp(16));
        let mut tiny = ramp(6);
        pixelate(&mut Picture::new(&mut tiny, [1, 2, 3]), 0.1);
        assert!(tiny.iter().all(|pixel| (pixel - 2.5 / 6.0).abs() < 1e-6));
    }

    #[test]
    fn a_field_of_no_strength_moves_nothing() {
        let mut pixels = ramp(3 * 20 * 10);
        let mut draws = Seed::new(1).draws();
        elastic(&mut Picture::new(&mut pixels, [3, 20, 10]), 0.0, &mut draws);
        assert_eq!(pixels, ramp(3 * 20 * 10));
    }
}
