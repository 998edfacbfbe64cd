//! Augmentation: an image as it could just as well have been taken.

use duress_core::seed::{Draws, Seed};

/// What is changed about an image each time it is taught; nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Augmentation {
    /// Whether half of the images are mirrored, left to right.
    pub flip: bool,
    /// By how many pixels at most it is shifted, each way; what comes in is mirrored at the border.
    pub shift: usize,
    /// By how many degrees at most it is turned, either way.
    pub rotation: f64,
    /// By which share at most brightness, contrast and saturation change, each for itself.
    pub colour: f64,
}

impl Augmentation {
    /// Whether it changes nothing.
    pub fn is_none(&self) -> bool {
        *self == Augmentation::default()
    }

    /// Changes one image of `shape` = channels, height, width.
    pub(super) fn apply(&self, image: &mut [f32], shape: [usize; 3], seed: Seed) {
        if self.is_none() {
            return;
        }
        let mut draws = seed.draws();
        self.move_pixels(image, shape, &mut draws);
        if self.colour > 0.0 {
            self.change_colours(image, shape, &mut draws);
        }
    }

    /// Mirrors, shifts and turns in one go, so that pixels are mixed once.
    fn move_pixels(&self, image: &mut [f32], [_, height, width]: [usize; 3], draws: &mut Draws) {
        let mirrored = self.flip && draws.chance(0.5);
        let reach = self.shift as f64;
        let mut shift = || {
            (draws.between(-reach, reach + 1.0))
                .floor()
                .clamp(-reach, reach)
        };
        let shifts = [shift(), shift()];
        let angle = draws.between(-self.rotation, self.rotation).to_radians();
        if !mirrored && shifts == [0.0; 2] && angle == 0.0 {
            return;
        }
        let middle = [(height - 1) as f64 / 2.0, (width - 1) as f64 / 2.0];
        let cosine = libm::cos(angle);
        let sine = libm::sin(angle);
        for plane in image.chunks_exact_mut(height * width) {
            let before = plane.to_vec();
            for (at, value) in plane.iter_mut().enumerate() {
                let down = (at / width) as f64 - middle[0];
                let right = (at % width) as f64 - middle[1];
                let right = if mirrored { -right } else { right };
                let source = [
                    middle[0] + cosine * down - sine * right + shifts[0],
                    middle[1] + sine * down + cosine * right + shifts[1],
                ];
                *value = between_pixels(&before, [height, width], source);
            }
        }
    }

    /// Brightness multiplies, contrast draws to the mean grey, saturation to each pixel's grey.
    fn change_colours(&self, image: &mut [f32], [channels, ..]: [usize; 3], draws: &mut Draws) {
        let mut factor = || draws.between(1.0 - self.colour, 1.0 + self.colour) as f32;
        let brightness = factor();
        let contrast = factor();
        let saturation = factor();
        image
            .iter_mut()
            .for_each(|value| *value = (*value * brightness).clamp(0.0, 1.0));
        let plane = image.len() / channels;
        let greys: Vec<f32> = (0..plane)
            .map(|at| grey(image, channels, plane, at))
            .collect();
        let mean = (greys.iter().map(|&grey| f64::from(grey)).sum::<f64>() / plane as f64) as f32;
        for (at, value) in image.iter_mut().enumerate() {
            let grey = mean + contrast * (greys[at % plane] - mean);
            let own = mean + contrast * (*value - mean);
            let mixed = if channels == 3 {
                grey + saturation * (own - grey)
            } else {
                own
            };
            *value = mixed.clamp(0.0, 1.0);
        }
    }
}

/// How bright a pixel is (ITU-R 601, as Pillow and torchvision take it), or its mean over channels.
fn grey(image: &[f32], channels: usize, plane: usize, at: usize) -> f32 {
    let of = |channel: usize| image[channel * plane + at];
    if channels == 3 {
        return 0.299 * of(0) + 0.587 * of(1) + 0.114 * of(2);
    }
    (0..channels).map(of).sum::<f32>() / channels as f32
}

/// The value at a place between pixels, mixed from the four around it; beyond the border the image
/// is mirrored.
fn between_pixels(plane: &[f32], [height, width]: [usize; 2], [down, right]: [f64; 2]) -> f32 {
    let corner = [down.floor(), right.floor()];
    let share = [(down - corner[0]) as f32, (right - corner[1]) as f32];
    let at = |by_down: i64, by_right: i64| {
        let row = reflected(corner[0] as i64 + by_down, height);
        let column = reflected(corner[1] as i64 + by_right, width);
        plane[row * width + column]
    };
    let upper = at(0, 0) * (1.0 - share[1]) + at(0, 1) * share[1];
    let lower = at(1, 0) * (1.0 - share[1]) + at(1, 1) * share[1];
    upper * (1.0 - share[0]) + lower * share[0]
}

/// A place brought inside by mirroring at the border, whose own pixel is not repeated.
fn reflected(at: i64, side: usize) -> usize {
    if side == 1 {
        return 0;
    }
    let round = 2 * (side as i64 - 1);
    let at = at.rem_euclid(round);
    at.min(round - at) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: [usize; 3] = [3, 5, 4];

    fn image() -> Vec<f32> {
        let mut draws = Seed::new(3).draws();
        (0..60).map(|_| draws.uniform() as f32).collect()
    }

    fn changed(augmentation: Augmentation, seed: u64) -> Vec<f32> {
        let mut image = image();
        augmentation.apply(&mut image, SHAPE, Seed::new(seed));
        image
    }

    #[test]
    fn nothing_asked_for_changes_nothing() {
        assert_eq!(changed(Augmentation::default(), 1), image());
    }

    #[test]
    fn a_flip_mirrors_about_half_of_the_images_and_leaves_the_others() {
        let flip = Augmentation {
            flip: true,
            ..Augmentation::default()
        };
        let mut mirrored = image();
        mirrored.chunks_exact_mut(4).for_each(|row| row.reverse());
        let flipped = (0..400)
            .filter(|&seed| {
                let found = changed(flip, seed);
                assert!(found == mirrored || found == image());
                found == mirrored
            })
            .count();
        assert!((160..240).contains(&flipped), "{flipped}");
    }

    #[test]
    fn a_shift_moves_whole_pixels_within_its_reach_both_ways_alike() {
        let shift = Augmentation {
            shift: 1,
            ..Augmentation::default()
        };
        let mut seen = std::collections::BTreeMap::new();
        for seed in 0..900 {
            let found = changed(shift, seed);
            let places = [-1_i64, 0, 1];
            let by = places
                .into_iter()
                .flat_map(|down| places.map(|right| (down, right)))
                .find(|&(down, right)| {
                    (0..20).all(|at| {
                        let row = reflected(at as i64 / 4 + down, 5);
                        let column = reflected(at as i64 % 4 + right, 4);
                        found[at] == image()[row * 4 + column]
                    })
                });
            *seen.entry(by.expect("whole pixels")).or_insert(0) += 1;
        }
        assert_eq!(seen.len(), 9);
        assert!(
            seen.values().all(|count| (60..145).contains(count)),
            "{seen:?}"
        );
    }

    #[test]
    fn turned_and_recoloured_images_stay_images_and_differ() {
        for augmentation in [
            Augmentation {
                rotation: 20.0,
                ..Augmentation::default()
            },
            Augmentation {
                colour: 0.3,
                ..Augmentation::default()
            },
        ] {
            let found = changed(augmentation, 4);
            assert_ne!(found, image());
            assert_eq!(found, changed(augmentation, 4));
            assert!(found.iter().all(|value| (0.0..=1.0).contains(value)));
        }
    }
}
