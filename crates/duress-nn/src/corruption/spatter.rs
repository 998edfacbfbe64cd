//! Spatter on the lens: drops of water, or mud.

use duress_core::seed::Draws;

use super::distance::distance;
use super::edges::edges;
use super::filter::{Border, Tap, correlate, gaussian};
use super::{Picture, Size};

/// What spatters, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spatter {
    /// Mean and standard deviation of what drops are made of.
    pub mean: f64,
    pub spread: f64,
    /// How large drops are: the standard deviation of a blur, in pixels.
    pub sigma: f64,
    /// From where on something is a drop.
    pub threshold: f64,
    /// What drops are of.
    pub liquid: Liquid,
}

/// What drops are of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Liquid {
    /// Water, which brightens by at most this.
    Water {
        /// The most it adds.
        shine: f64,
    },
    /// Mud, whose rims are softened by a blur of this standard deviation.
    Mud {
        /// The standard deviation, in pixels.
        softness: f64,
    },
}

/// Pale turquoise, which is added.
const WATER: [f32; 3] = [175.0 / 255.0, 238.0 / 255.0, 238.0 / 255.0];

/// Brown, which covers.
const MUD: [f32; 3] = [63.0 / 255.0, 42.0 / 255.0, 20.0 / 255.0];

/// Mud that is thinner than this is none.
const THIN_MUD: f32 = 0.8;

/// Spatters a picture.
pub fn spatter(picture: &mut Picture<'_>, spatter: Spatter, draws: &mut Draws) {
    let size = picture.size();
    let drop = |_| (spatter.mean + spatter.spread * draws.normal()) as f32;
    let mut drops: Vec<f32> = (0..size.area()).map(drop).collect();
    gaussian(&mut drops, size, spatter.sigma, Border::Nearest);
    let threshold = spatter.threshold as f32;
    match spatter.liquid {
        Liquid::Water { shine } => {
            let shining = shining_drops(&drops, size, threshold, shine as f32);
            add_light(picture, &shining);
        }
        Liquid::Mud { softness } => {
            let mut mud: Vec<f32> = drops
                .iter()
                .map(|drop| (*drop > threshold).into())
                .collect();
            gaussian(&mut mud, size, softness, Border::Nearest);
            for value in &mut mud {
                *value = if *value < THIN_MUD { 0.0 } else { *value };
            }
            picture.cover(MUD, &mud);
        }
    }
}

fn add_light(picture: &mut Picture<'_>, shining: &[f32]) {
    let in_colour = picture.channels == 3;
    for (channel, plane) in picture.planes().enumerate() {
        let light = if in_colour {
            WATER[channel]
        } else {
            super::luma(WATER)
        };
        for (pixel, shine) in plane.iter_mut().zip(shining) {
            *pixel += shine * light;
        }
    }
}

/// How far from its rim water is thickest, in pixels.
const DEEP: f32 = 20.0;

/// An emboss: light from the upper left.
const EMBOSS: [[f32; 3]; 3] = [[-2.0, -1.0, 0.0], [-1.0, 1.0, 1.0], [0.0, 1.0, 2.0]];

/// How much light each pixel of water adds: drops that are thick far from their rims, embossed.
fn shining_drops(drops: &[f32], size: Size, threshold: f32, shine: f32) -> Vec<f32> {
    let level = |drop: &f32| {
        let kept = if *drop < threshold { 0.0 } else { *drop };
        libm::floorf(kept * 255.0).min(255.0)
    };
    let drops: Vec<f32> = drops.iter().map(level).collect();
    let rims = edges(&drops, size, 50.0, 150.0);
    let mut depth = distance(&rims, size, DEEP);
    box_blur(&mut depth, size);
    depth
        .iter_mut()
        .for_each(|value| *value = libm::floorf(*value + 1e-4));
    equalise(&mut depth);
    let emboss: Vec<Tap> = (0..9)
        .map(|at| Tap {
            down: at / 3 - 1,
            right: at % 3 - 1,
            weight: EMBOSS[at as usize / 3][at as usize % 3],
        })
        .collect();
    correlate(&mut depth, size, &emboss, Border::Mirror);
    depth
        .iter_mut()
        .for_each(|value| *value = value.clamp(0.0, 255.0));
    box_blur(&mut depth, size);
    let light = |(drop, depth): (&f32, &f32)| drop * libm::rintf(*depth);
    let mut light: Vec<f32> = drops.iter().zip(&depth).map(light).collect();
    let most = light.iter().copied().fold(0.0, f32::max);
    if most > 0.0 {
        light.iter_mut().for_each(|value| *value *= shine / most);
    }
    light
}

fn box_blur(plane: &mut [f32], size: Size) {
    let ninth = |at: isize| Tap {
        down: at / 3 - 1,
        right: at % 3 - 1,
        weight: 1.0 / 9.0,
    };
    let taps: Vec<Tap> = (0..9).map(ninth).collect();
    correlate(plane, size, &taps, Border::Mirror);
}

/// Spreads levels so that each is as frequent as any other, the lowest that occurs becoming 0.
fn equalise(levels: &mut [f32]) {
    let mut counts = [0_u32; 256];
    levels.iter().for_each(|level| counts[*level as usize] += 1);
    let lowest = counts.iter().position(|count| *count > 0).unwrap_or(0);
    let above = levels.len() as u32 - counts[lowest];
    if above == 0 {
        return;
    }
    let mut spread = [0.0_f32; 256];
    let mut sum = 0;
    for level in lowest + 1..256 {
        sum += counts[level];
        spread[level] = libm::rintf(255.0 * sum as f32 / above as f32);
    }
    levels
        .iter_mut()
        .for_each(|level| *level = spread[*level as usize]);
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;

    fn spattered(liquid: Liquid, shape: [usize; 3]) -> Vec<f32> {
        let mut pixels = vec![0.5; shape.iter().product()];
        let drops = Spatter {
            mean: 0.65,
            spread: 0.3,
            sigma: 2.0,
            threshold: 0.68,
            liquid,
        };
        let mut picture = Picture::new(&mut pixels, shape);
        spatter(&mut picture, drops, &mut Seed::new(9).draws());
        pixels
    }

    #[test]
    fn water_adds_light_and_mud_covers() {
        let wet = spattered(Liquid::Water { shine: 0.5 }, [3, 64, 64]);
        assert!(wet.iter().all(|pixel| (0.5..=1.0).contains(pixel)));
        assert!(wet.iter().any(|pixel| *pixel > 0.7));
        let muddy = spattered(Liquid::Mud { softness: 1.5 }, [3, 64, 64]);
        assert!(
            muddy
                .iter()
                .all(|pixel| (MUD[2] - 1e-6..=0.5).contains(pixel))
        );
        assert!(muddy.contains(&0.5) && muddy.iter().any(|pixel| *pixel < 0.1));
    }

    #[test]
    fn the_smallest_pictures_are_spattered_too() {
        for shape in [[1, 1, 1], [3, 2, 3], [1, 8, 8]] {
            let wet = spattered(Liquid::Water { shine: 0.5 }, shape);
            assert!(wet.iter().all(|pixel| pixel.is_finite()), "{shape:?}");
        }
    }

    #[test]
    fn equalised_levels_reach_from_0_to_255() {
        let mut levels = [3.0, 3.0, 4.0, 9.0];
        equalise(&mut levels);
        assert_eq!(levels, [0.0, 0.0, 128.0, 255.0]);
        let mut flat = [7.0; 5];
        equalise(&mut flat);
        assert_eq!(flat, [7.0; 5]);
    }
}
