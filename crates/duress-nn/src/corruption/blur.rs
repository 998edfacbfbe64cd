//! Blurs: out of focus, through frosted glass, in motion, while zooming, and normal ones.

use duress_core::seed::Draws;

use super::filter::{
    Border, Stretch, Tap, correlate, gaussian as gaussian_of_plane, normalised_gaussian, separable,
    stretch,
};
use super::{Picture, Size};

/// A normal blur of standard deviation `sigma`, in pixels.
pub fn gaussian(picture: &mut Picture<'_>, sigma: f64) {
    let size = picture.size();
    for plane in picture.planes() {
        gaussian_of_plane(plane, size, sigma, Border::Nearest);
    }
}

/// A lens out of focus: every point becomes a disk of `radius` pixels, whose rim is softened by a
/// normal blur of standard deviation `softness`.
pub fn defocus(picture: &mut Picture<'_>, radius: f64, softness: f64) {
    let size = picture.size();
    let taps = disk(radius, softness);
    for plane in picture.planes() {
        correlate(plane, size, &taps, Border::Mirror);
    }
}

/// Up to this radius a disk is drawn on a grid of one size, and its rim is softened over three
/// pixels; larger ones over five.
const SMALL_DISK: f64 = 8.0;

/// The weights of a disk. The published script softens it on a grid that it may touch (radius 8 and
/// 10), with mirrored borders, which adds about 1 % of light; so does this.
fn disk(radius: f64, softness: f64) -> Vec<Tap> {
    let small = radius <= SMALL_DISK;
    let reach = if small { SMALL_DISK } else { radius } as isize;
    let side = 2 * reach as usize + 1;
    let inside = |at: usize| {
        let down = (at / side) as isize - reach;
        let right = (at % side) as isize - reach;
        ((down * down + right * right) as f64) <= radius * radius
    };
    let mut weights: Vec<f32> = (0..side * side).map(|at| inside(at).into()).collect();
    let total: f32 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
    let rim = normalised_gaussian(softness, if small { 1 } else { 2 });
    let size = Size {
        height: side,
        width: side,
    };
    separable(&mut weights, size, &rim, &rim, Border::Mirror);
    let tap = |(at, &weight): (usize, &f32)| Tap {
        down: (at / side) as isize - reach,
        right: (at % side) as isize - reach,
        weight,
    };
    let taps = weights.iter().enumerate().map(tap);
    taps.filter(|tap| tap.weight > 0.0).collect()
}

/// What is seen through frosted glass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glass {
    /// The standard deviation of the blur before and after, in pixels.
    pub sigma: f64,
    /// How far pixels are taken from.
    pub reach: usize,
    /// How often all pixels are taken from elsewhere.
    pub rounds: usize,
}

/// Frosted glass: a blur, then every pixel from a random neighbour, then a blur again. The published
/// script means to swap neighbours but copies; so does this. In between, levels are those of eight
/// bits.
pub fn glass(picture: &mut Picture<'_>, glass: Glass, draws: &mut Draws) {
    gaussian(picture, glass.sigma);
    for pixel in picture.pixels.iter_mut() {
        *pixel = libm::floorf(*pixel * 255.0) / 255.0;
    }
    for _ in 0..glass.rounds {
        take_from_neighbours(picture, glass.reach, draws);
    }
    gaussian(picture, glass.sigma);
}

fn take_from_neighbours(picture: &mut Picture<'_>, reach: usize, draws: &mut Draws) {
    let Size { height, width } = picture.size();
    let area = height * width;
    let inside = |n: usize| (reach + 1..(n + 1).saturating_sub(reach)).rev();
    for row in inside(height) {
        for column in inside(width) {
            // From −reach to reach − 1, as the published script draws it.
            let right = draws.below(2 * reach);
            let down = draws.below(2 * reach);
            let from = (row + down - reach) * width + column + right - reach;
            for plane in 0..picture.channels {
                let pixels = &mut picture.pixels[plane * area..(plane + 1) * area];
                pixels[row * width + column] = pixels[from];
            }
        }
    }
}

/// A movement while the shutter is open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Half of how far it goes, in pixels.
    pub radius: usize,
    /// How soon it fades: a normal law of this standard deviation, in pixels.
    pub sigma: f64,
}

/// A movement in a direction between −45 and 45 degrees.
pub fn motion(picture: &mut Picture<'_>, motion: Motion, draws: &mut Draws) {
    motion_along(picture, motion, draws.between(-45.0, 45.0));
}

/// A movement in a direction, in degrees.
pub fn motion_along(picture: &mut Picture<'_>, motion: Motion, degrees: f64) {
    let size = picture.size();
    let taps = motion_taps(motion, degrees);
    for plane in picture.planes() {
        correlate(plane, size, &taps, Border::Nearest);
    }
}

pub(super) fn motion_taps(motion: Motion, degrees: f64) -> Vec<Tap> {
    let length = 2 * motion.radius + 1;
    let fading = |at: usize| libm::exp(-0.5 * (at * at) as f64 / (motion.sigma * motion.sigma));
    let total: f64 = (0..length).map(fading).sum();
    let angle = degrees.to_radians();
    let down = libm::sin(angle);
    let right = libm::cos(angle);
    let tap = |at: usize| Tap {
        down: libm::ceil(at as f64 * down - 0.5) as isize,
        right: libm::ceil(at as f64 * right - 0.5) as isize,
        weight: (fading(at) / total) as f32,
    };
    (0..length).map(tap).collect()
}

/// Zooming while the shutter is open: the mean of the picture and of `factors` enlargements of its
/// middle.
pub fn zoom(picture: &mut Picture<'_>, factors: &[f64]) {
    let size = picture.size();
    let axis = |n: usize, factor: f64| Stretch::of_the_middle(n, factor).cropped(n);
    let of_factor = |&factor: &f64| (axis(size.height, factor), axis(size.width, factor));
    let stretches: Vec<(Stretch, Stretch)> = factors.iter().map(of_factor).collect();
    let share = 1.0 / (factors.len() + 1) as f32;
    for plane in picture.planes() {
        let mut sum = plane.to_vec();
        for (down, right) in &stretches {
            stretch(plane, size, down, right, |row, values| {
                let out = &mut sum[row * size.width..][..values.len()];
                out.iter_mut()
                    .zip(values)
                    .for_each(|(sum, value)| *sum += value);
            });
        }
        for (pixel, sum) in plane.iter_mut().zip(sum) {
            *pixel = sum * share;
        }
    }
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;

    fn blurred(
        act: impl Fn(&mut Picture<'_>),
        shape: [usize; 3],
        value: fn(usize) -> f32,
    ) -> Vec<f32> {
        let mut pixels: Vec<f32> = (0..shape.iter().product()).map(value).collect();
        act(&mut Picture::new(&mut pixels, shape));
        pixels
    }

    #[test]
    fn no_blur_changes_what_is_constant_whatever_the_size() {
        let act = |picture: &mut Picture<'_>| {
            defocus(picture, 6.0, 0.5);
            motion(
                picture,
                Motion {
                    radius: 20,
                    sigma: 15.0,
                },
                &mut Seed::new(1).draws(),
            );
            zoom(picture, &[1.0, 1.1, 1.3]);
            gaussian(picture, 6.0);
        };
        for shape in [[1, 1, 1], [3, 2, 5], [2, 8, 8], [3, 31, 17]] {
            let pixels = blurred(act, shape, |_| 0.5);
            assert!(
                pixels.iter().all(|pixel| (pixel - 0.5).abs() < 1e-5),
                "{shape:?}"
            );
        }
    }

    #[test]
    fn glass_takes_pixels_from_near_by_and_leaves_a_picture_that_is_too_small() {
        let thick = Glass {
            sigma: 0.0,
            reach: 4,
            rounds: 1,
        };
        let through = |picture: &mut Picture<'_>| glass(picture, thick, &mut Seed::new(1).draws());
        let stripes = |at: usize| (at % 2) as f32;
        assert_eq!(
            blurred(through, [1, 8, 8], stripes),
            blurred(|_| (), [1, 8, 8], stripes)
        );
        let taken = blurred(through, [1, 32, 32], stripes);
        assert_ne!(taken, blurred(|_| (), [1, 32, 32], stripes));
        assert!(taken.iter().all(|pixel| *pixel == 0.0 || *pixel == 1.0));
    }
}
