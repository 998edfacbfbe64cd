//! The colours of a map over an image: white where it says nothing, darker the more it says, so that
//! it can be told in print without colours; one hue for each sign.

/// From white to the strongest, at equal steps (Oranges and Blues of ColorBrewer, C. Brewer, 2003).
type Hue = [[f32; 3]; 4];

const FOR: Hue = [
    [255.0, 255.0, 255.0],
    [253.0, 190.0, 133.0],
    [230.0, 85.0, 13.0],
    [102.0, 30.0, 2.0],
];

const AGAINST: Hue = [
    [255.0, 255.0, 255.0],
    [158.0, 202.0, 225.0],
    [49.0, 130.0, 189.0],
    [6.0, 36.0, 90.0],
];

/// The pixels of a map whose values are from −127 to 127: three channels, one after the other.
pub(super) fn map_colours(values: &[i8]) -> Vec<u8> {
    let channel = |at: usize| values.iter().map(move |value| colour(*value)[at]);
    (0..3).flat_map(channel).collect()
}

fn colour(value: i8) -> [u8; 3] {
    let hue = if value < 0 { &AGAINST } else { &FOR };
    let steps = hue.len() - 1;
    let along = f32::from(value.unsigned_abs()).min(127.0) / 127.0 * steps as f32;
    let from = (along as usize).min(steps - 1);
    let share = along - from as f32;
    let mixed = |at: usize| hue[from][at] * (1.0 - share) + hue[from + 1][at] * share;
    [0, 1, 2].map(|at| mixed(at).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How light a colour is to the eye, as luma has it.
    fn lightness(value: i8) -> f32 {
        let [red, green, blue] = colour(value).map(f32::from);
        0.299 * red + 0.587 * green + 0.114 * blue
    }

    #[test]
    fn what_says_more_is_darker_whatever_its_sign() {
        assert_eq!(colour(0), [255, 255, 255]);
        for value in 1..=127_i8 {
            assert!(lightness(value) < lightness(value - 1), "{value}");
            assert!(lightness(-value) < lightness(1 - value), "-{value}");
        }
    }

    #[test]
    fn channels_stand_one_after_the_other() {
        let [red, green, blue] = colour(127);
        let pixels = map_colours(&[0, 127]);
        assert_eq!(pixels, [255, red, 255, green, 255, blue]);
    }
}
