//! The pointing game: whether a map is highest inside a mask.

use duress_stats::UndefinedReason;

use super::{check_mask, check_pointing};

/// 1 where the highest place of a map lies in the mask, or no farther from it than `tolerance` pixels
/// in a straight line (Zhang et al., 2018, with 15 at their image sizes); else 0. Where several places
/// are highest, the share of them that do.
pub fn pointing_game(
    map: &[f32],
    mask: &[bool],
    size: [usize; 2],
    tolerance: f64,
) -> Result<f64, UndefinedReason> {
    assert_eq!(map.len(), size[0] * size[1], "a map of {size:?}");
    check_mask(map, mask)?;
    check_pointing(map, "the values of the map")?;
    let top = map.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let highest: Vec<usize> = (0..map.len()).filter(|&place| map[place] == top).collect();
    let hits = highest
        .iter()
        .filter(|&&place| is_near(mask, place, size, tolerance))
        .count();
    Ok(hits as f64 / highest.len() as f64)
}

fn is_near(mask: &[bool], place: usize, [height, width]: [usize; 2], tolerance: f64) -> bool {
    let reach = tolerance.max(0.0) as usize;
    let (row, column) = (place / width, place % width);
    let rows = row.saturating_sub(reach)..height.min(row + reach + 1);
    let columns = column.saturating_sub(reach)..width.min(column + reach + 1);
    rows.flat_map(|row| columns.clone().map(move |column| (row, column)))
        .filter(|(row, column)| mask[row * width + column])
        .any(|(at_row, at_column)| {
            let down = at_row as f64 - row as f64;
            let right = at_column as f64 - column as f64;
            down * down + right * right <= tolerance * tolerance
        })
}
