//! Maps that ask no network: floors for everything that is measured of maps.

use super::batch::TargetBatch;

/// A normal law around the centre of the image: where things are on photographs. Its deviation is
/// this share of either side.
pub fn centre_gaussian([height, width]: [usize; 2], share: f64) -> Vec<f32> {
    let along = |side: usize| -> Vec<f64> {
        let deviation = share * side as f64;
        let middle = (side as f64 - 1.0) / 2.0;
        let height = |at: usize| {
            let away = (at as f64 - middle) / deviation;
            libm::exp(-0.5 * away * away)
        };
        (0..side).map(height).collect()
    };
    let across = along(width);
    let row = |down: f64| across.iter().map(move |across| (down * across) as f32);
    along(height).into_iter().flat_map(row).collect()
}

/// Where an image has edges: the length of Sobel's gradient of the mean over channels, whose border
/// goes on beyond the edge. The targets say nothing to it.
pub fn edge_detector(batch: TargetBatch<'_>) -> Vec<f32> {
    let [channels, height, width] = batch.shape();
    let mut maps = Vec::with_capacity(batch.len() * batch.places());
    for item in 0..batch.len() {
        let mut grey = vec![0.0_f32; height * width];
        for plane in batch.image(item).chunks_exact(height * width) {
            let both = grey.iter_mut().zip(plane);
            both.for_each(|(grey, pixel)| *grey += pixel / channels as f32);
        }
        maps.extend(sobel_lengths(&grey, [height, width]));
    }
    maps
}

fn sobel_lengths(grey: &[f32], [height, width]: [usize; 2]) -> Vec<f32> {
    let at = |row: usize, column: usize, [down, right]: [isize; 2]| {
        let row = row.saturating_add_signed(down).min(height - 1);
        let column = column.saturating_add_signed(right).min(width - 1);
        grey[row * width + column]
    };
    let length = |place: usize| {
        let look = |offset: [isize; 2]| at(place / width, place % width, offset);
        let right = look([-1, 1]) + 2.0 * look([0, 1]) + look([1, 1]);
        let left = look([-1, -1]) + 2.0 * look([0, -1]) + look([1, -1]);
        let lower = look([1, -1]) + 2.0 * look([1, 0]) + look([1, 1]);
        let upper = look([-1, -1]) + 2.0 * look([-1, 0]) + look([-1, 1]);
        let (across, down) = (right - left, lower - upper);
        (across * across + down * down).sqrt()
    };
    (0..height * width).map(length).collect()
}
