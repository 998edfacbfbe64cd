//! Weather: snow, frost and fog.

use duress_core::seed::Draws;

use super::blur::{Motion, motion_taps};
use super::filter::{Border, Stretch, correlate, stretch};
use super::plasma::plasma;
use super::{Picture, Size, luma};

/// How it snows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snow {
    /// Mean and standard deviation of what flakes are made of.
    pub mean: f64,
    pub spread: f64,
    /// How large flakes are.
    pub zoom: f64,
    /// From where on something is a flake.
    pub threshold: f64,
    /// How flakes fall while the shutter is open.
    pub fall: Motion,
    /// How much of the picture is left as it is; the rest is whitened.
    pub kept: f64,
}

/// Snow: falling flakes, seen twice, the second time turned upside down, before a whitened picture.
pub fn snow(picture: &mut Picture<'_>, snow: Snow, draws: &mut Draws) {
    let size = picture.size();
    let degrees = draws.between(-135.0, -45.0);
    let flakes = falling_flakes(size, snow, degrees, draws);
    let brightness = picture.brightness();
    let kept = snow.kept as f32;
    for plane in picture.planes() {
        for (at, pixel) in plane.iter_mut().enumerate() {
            let whitened = pixel.max(brightness[at] * 1.5 + 0.5);
            let turned = flakes[flakes.len() - 1 - at];
            *pixel = kept * *pixel + (1.0 - kept) * whitened + flakes[at] + turned;
        }
    }
}

/// One layer of flakes, in levels of eight bits.
fn falling_flakes(size: Size, snow: Snow, degrees: f64, draws: &mut Draws) -> Vec<f32> {
    let flake = |_| (snow.mean + snow.spread * draws.normal()) as f32;
    let grains: Vec<f32> = (0..size.area()).map(flake).collect();
    let down = Stretch::of_the_middle(size.height, snow.zoom);
    let right = Stretch::of_the_middle(size.width, snow.zoom);
    let zoomed = Size {
        height: down.len(),
        width: right.len(),
    };
    let mut layer = Vec::with_capacity(zoomed.area());
    stretch(&grains, size, &down, &right, |_, row| {
        layer.extend_from_slice(row)
    });
    let threshold = snow.threshold as f32;
    for value in &mut layer {
        *value = if *value < threshold {
            0.0
        } else {
            value.min(1.0)
        };
    }
    correlate(
        &mut layer,
        zoomed,
        &motion_taps(snow.fall, degrees),
        Border::Nearest,
    );
    let rows = layer.chunks_exact(zoomed.width).take(size.height);
    rows.flat_map(|row| &row[..size.width])
        .map(|value| libm::rintf(value * 255.0) / 255.0)
        .collect()
}

/// Fog: a surface of plasma over the picture, and all of it darkened so that what was brightest
/// still fits. `thick` is how much light the fog adds, `decay` how smooth it is.
pub fn fog(picture: &mut Picture<'_>, thick: f64, decay: f64, draws: &mut Draws) {
    let surface = plasma(picture.size(), decay, draws);
    let brightest = picture.pixels.iter().copied().fold(0.0, f32::max);
    let thick = thick as f32;
    if brightest == 0.0 {
        return;
    }
    let fits = brightest / (brightest + thick);
    for plane in picture.planes() {
        for (pixel, height) in plane.iter_mut().zip(&surface) {
            *pixel = (*pixel + thick * height) * fits;
        }
    }
}

/// What pieces of a frosted pane are like, as large as pictures of some size.
#[derive(Clone, Copy)]
struct PanePieces {
    /// Their mean colour.
    colour: [f32; 3],
    /// How far pixels of a piece stray from its own mean.
    within: [f32; 3],
    /// How far means of pieces stray from the mean of all.
    between: [f32; 3],
}

/// A frosted pane.
struct Pane {
    /// Pieces of 64 and of 224 pixels a side. Pieces are cut out anywhere, so that the middle of a pane
    /// is met more often than its rim, the more so the larger they are.
    small: PanePieces,
    large: PanePieces,
    /// How often such a pane is met, in fifths.
    fifths: usize,
}

/// The sides that pieces were measured at.
const SMALL_SIDE: f32 = 64.0;
const LARGE_SIDE: f32 = 224.0;

/// What the photographs of the published script are like: moments of the colours of the pieces that it
/// cuts out of them, and how often each is drawn (two of the five files it draws from are the same
/// picture). The photographs themselves are not ours to ship; the surface of a pane is generated.
const PANES: [Pane; 4] = [
    Pane {
        small: PanePieces {
            colour: [0.302, 0.583, 0.649],
            within: [0.069, 0.042, 0.040],
            between: [0.078, 0.047, 0.043],
        },
        large: PanePieces {
            colour: [0.302, 0.580, 0.644],
            within: [0.090, 0.054, 0.051],
            between: [0.062, 0.033, 0.026],
        },
        fifths: 1,
    },
    Pane {
        small: PanePieces {
            colour: [0.784, 0.802, 0.838],
            within: [0.061, 0.062, 0.063],
            between: [0.047, 0.051, 0.054],
        },
        large: PanePieces {
            colour: [0.776, 0.793, 0.829],
            within: [0.074, 0.076, 0.079],
            between: [0.025, 0.028, 0.029],
        },
        fifths: 2,
    },
    Pane {
        small: PanePieces {
            colour: [0.551, 0.610, 0.659],
            within: [0.085, 0.086, 0.089],
            between: [0.060, 0.060, 0.064],
        },
        large: PanePieces {
            colour: [0.566, 0.624, 0.674],
            within: [0.100, 0.101, 0.106],
            between: [0.029, 0.029, 0.031],
        },
        fifths: 1,
    },
    Pane {
        small: PanePieces {
            colour: [0.425, 0.469, 0.514],
            within: [0.131, 0.129, 0.127],
            between: [0.095, 0.091, 0.086],
        },
        large: PanePieces {
            colour: [0.397, 0.442, 0.488],
            within: [0.139, 0.137, 0.134],
            between: [0.052, 0.050, 0.047],
        },
        fifths: 1,
    },
];

impl Pane {
    /// Pieces as large as a picture: between the sizes that were measured, as far as these go.
    fn pieces(&self, size: Size) -> PanePieces {
        let side = size.height.max(size.width) as f32;
        let share = ((side - SMALL_SIDE) / (LARGE_SIDE - SMALL_SIDE)).clamp(0.0, 1.0);
        let mixed = |small: [f32; 3], large: [f32; 3]| {
            [0, 1, 2].map(|channel| small[channel] + share * (large[channel] - small[channel]))
        };
        PanePieces {
            colour: mixed(self.small.colour, self.large.colour),
            within: mixed(self.small.within, self.large.within),
            between: mixed(self.small.between, self.large.between),
        }
    }
}

/// How quickly the bumps of a pane decay: rough, as crystals are.
const FROST_DECAY: f64 = 1.4;

/// Frost: `kept` of the picture and `added` of a frosted pane.
pub fn frost(picture: &mut Picture<'_>, kept: f64, added: f64, draws: &mut Draws) {
    let drawn = draws.below(5);
    let mut panes = PANES
        .iter()
        .flat_map(|pane| std::iter::repeat_n(pane, pane.fifths));
    let pane = panes.nth(drawn).unwrap_or(&PANES[0]);
    let pieces = pane.pieces(picture.size());
    let brighter = draws.normal() as f32;
    let surface = standardised(plasma(picture.size(), FROST_DECAY, draws));
    let kept = kept as f32;
    let added = added as f32;
    let in_colour = picture.channels == 3;
    for (channel, plane) in picture.planes().enumerate() {
        let of_channel = |values: [f32; 3]| match in_colour {
            true => values[channel],
            false => luma(values),
        };
        let mean = of_channel(pieces.colour) + brighter * of_channel(pieces.between);
        let within = of_channel(pieces.within);
        for (pixel, height) in plane.iter_mut().zip(&surface) {
            let ice = (mean + within * height).clamp(0.0, 1.0);
            *pixel = kept * *pixel + added * ice;
        }
    }
}

/// The surface with mean 0 and standard deviation 1.
fn standardised(mut surface: Vec<f32>) -> Vec<f32> {
    let n = surface.len() as f64;
    let mean = surface.iter().map(|v| f64::from(*v)).sum::<f64>() / n;
    let squares: f64 = surface.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum();
    let spread = libm::sqrt(squares / n);
    let per_spread = if spread > 0.0 { 1.0 / spread } else { 0.0 };
    for value in &mut surface {
        *value = ((f64::from(*value) - mean) * per_spread) as f32;
    }
    surface
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;

    #[test]
    fn fog_of_no_thickness_and_frost_of_no_weight_leave_everything() {
        let pixels: Vec<f32> = (0..192).map(|at| (at % 7) as f32 / 7.0).collect();
        let mut changed = pixels.clone();
        fog(
            &mut Picture::new(&mut changed, [3, 8, 8]),
            0.0,
            2.0,
            &mut Seed::new(1).draws(),
        );
        frost(
            &mut Picture::new(&mut changed, [3, 8, 8]),
            1.0,
            0.0,
            &mut Seed::new(1).draws(),
        );
        assert_eq!(changed, pixels);
    }

    #[test]
    fn black_stays_black_in_fog_and_gets_whiter_in_snow() {
        let mut pixels = vec![0.0; 3 * 16 * 16];
        let mut draws = Seed::new(1).draws();
        fog(
            &mut Picture::new(&mut pixels, [3, 16, 16]),
            2.0,
            2.0,
            &mut draws,
        );
        assert!(pixels.iter().all(|pixel| *pixel == 0.0));
        let hard = Snow {
            mean: 0.55,
            spread: 0.3,
            zoom: 2.5,
            threshold: 0.85,
            fall: Motion {
                radius: 12,
                sigma: 12.0,
            },
            kept: 0.55,
        };
        snow(
            &mut Picture::new(&mut pixels, [3, 16, 16]),
            hard,
            &mut draws,
        );
        assert!(pixels.iter().all(|pixel| *pixel > 0.2));
    }

    #[test]
    fn the_panes_fill_five_fifths() {
        assert_eq!(PANES.iter().map(|pane| pane.fifths).sum::<usize>(), 5);
    }
}
