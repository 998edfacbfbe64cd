//! What a dermatoscope brings into a picture beside the lesion: dark corners, rulers, ink, bubbles
//! and hair. Lengths are for pictures whose shorter side has 224 pixels and scale with it.

use duress_core::seed::{Draws, Seed};

use super::stroke::{StrokePoint, StrokeSheet};
use super::{Picture, Size};

/// The shorter side that lengths are for.
const USUAL_SIDE: f32 = 224.0;

/// Black outside a circle about the middle, whose radius is `reach` times half the shorter side.
pub fn dark_corners(picture: &mut Picture<'_>, reach: f64) {
    let size = picture.size();
    let radius = reach as f32 * shorter_side(size) / 2.0;
    let middle = (
        (size.height - 1) as f32 / 2.0,
        (size.width - 1) as f32 / 2.0,
    );
    let outside = |at: usize| {
        let down = (at / size.width) as f32 - middle.0;
        let right = (at % size.width) as f32 - middle.1;
        (libm::sqrtf(down * down + right * right) + 0.5 - radius).clamp(0.0, 1.0)
    };
    let coverage: Vec<f32> = (0..size.area()).map(outside).collect();
    picture.cover([0.0; 3], &coverage);
}

/// Bubbles of immersion fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bubbles {
    /// The largest radius, in pixels.
    pub radius: f64,
    /// The most of them.
    pub count: usize,
}

/// The fewest bubbles, and the smallest radius of one.
const FEWEST_BUBBLES: usize = 7;
const SMALLEST_BUBBLE: f32 = 3.0;

/// Pale disks with a rim. The same draws give the same bubbles, larger and more of them.
pub fn bubbles(picture: &mut Picture<'_>, bubbles: Bubbles, seed: Seed) {
    let size = picture.size();
    let scale = scale_of(size);
    let count = {
        let more = (bubbles.count + 1).saturating_sub(FEWEST_BUBBLES) as f64;
        FEWEST_BUBBLES + (more * seed.draws().uniform()) as usize
    };
    let mut sheet = StrokeSheet::new(size);
    for bubble in 0..count {
        let mut draws = seed.child(format!("bubble {bubble}")).draws();
        let largest = bubbles.radius as f32;
        let radius = SMALLEST_BUBBLE + (largest - SMALLEST_BUBBLE) * draws.uniform() as f32;
        let centre = somewhere(size, &mut draws);
        let inside = 100.0 / 255.0;
        let rim = 130.0 / 255.0;
        sheet.disk(centre, radius * scale, inside, (2.0 * scale, rim));
    }
    picture.cover([1.0; 3], sheet.coverage());
}

/// What is drawn before a picture with strokes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Strokes {
    count: usize,
    /// The thinnest and the widest, in pixels.
    width: (f64, f64),
    /// How long, as a share of the shorter side: at least and at most.
    length: (f64, f64),
    /// How much they bend, as a share of their length.
    bend: f64,
}

/// `count` dark hairs across a picture; more of them are those there were and others.
pub fn hair(picture: &mut Picture<'_>, count: usize, seed: Seed) {
    let hairs = Strokes {
        count,
        width: (1.0, 2.5),
        length: (0.4, 1.2),
        bend: 0.3,
    };
    let colours = [[0.09, 0.06, 0.05], [0.22, 0.13, 0.09], [0.32, 0.22, 0.15]];
    draw_strokes(picture, hairs, &colours, 0.9, seed);
}

/// `count` strokes of a surgeon's marker; more of them are those there were and others.
pub fn ink(picture: &mut Picture<'_>, count: usize, seed: Seed) {
    let marks = Strokes {
        count,
        width: (5.0, 11.0),
        length: (0.15, 0.5),
        bend: 0.5,
    };
    let colours = [[0.25, 0.16, 0.45], [0.13, 0.2, 0.5], [0.1, 0.1, 0.14]];
    draw_strokes(picture, marks, &colours, 0.75, seed);
}

fn draw_strokes(
    picture: &mut Picture<'_>,
    strokes: Strokes,
    colours: &[[f32; 3]],
    opacity: f32,
    seed: Seed,
) {
    let size = picture.size();
    let colour = colours[seed.draws().below(colours.len())];
    let mut sheet = StrokeSheet::new(size);
    for stroke in 0..strokes.count {
        let mut draws = seed.child(format!("stroke {stroke}")).draws();
        draw_stroke(&mut sheet, size, strokes, &mut draws);
    }
    let coverage: Vec<f32> = sheet
        .coverage()
        .iter()
        .map(|share| share * opacity)
        .collect();
    picture.cover(colour, &coverage);
}

fn draw_stroke(sheet: &mut StrokeSheet, size: Size, strokes: Strokes, draws: &mut Draws) {
    let middle = somewhere(size, draws);
    let angle = draws.between(0.0, std::f64::consts::TAU);
    let length = draws.between(strokes.length.0, strokes.length.1) as f32 * shorter_side(size);
    let bend = draws.between(-strokes.bend, strokes.bend) as f32 * length;
    let width = draws.between(strokes.width.0, strokes.width.1) as f32 * scale_of(size);
    let down = libm::sin(angle) as f32;
    let right = libm::cos(angle) as f32;
    let along = |share: f32, aside: f32| StrokePoint {
        down: middle.down + share * length * down + aside * right,
        right: middle.right + share * length * right - aside * down,
    };
    sheet.curve(along(-0.5, 0.0), along(0.0, bend), along(0.5, 0.0), width);
}

/// How many pixels lie between two marks of a ruler: about a millimetre.
const MILLIMETRE: f32 = 11.0;

/// A ruler along one of the four sides: its edge, a mark each millimetre, twice as long every fifth
/// and every tenth; marks are `length` of the shorter side long.
pub fn ruler(picture: &mut Picture<'_>, length: f64, draws: &mut Draws) {
    let size = picture.size();
    let side = draws.below(4);
    let inset = draws.between(0.02, 0.10) as f32 * shorter_side(size);
    let first = draws.uniform() as f32;
    let length = length as f32 * shorter_side(size);
    let scale = scale_of(size);
    let (along, across) = match side {
        0 | 1 => (size.width as f32, size.height as f32),
        _ => (size.height as f32, size.width as f32),
    };
    let at = |far: f32, deep: f32| {
        let deep = if side.is_multiple_of(2) {
            deep
        } else {
            across - 1.0 - deep
        };
        match side {
            0 | 1 => StrokePoint {
                down: deep,
                right: far,
            },
            _ => StrokePoint {
                down: far,
                right: deep,
            },
        }
    };
    let mut sheet = StrokeSheet::new(size);
    sheet.line(at(0.0, inset), at(along - 1.0, inset), scale);
    let mut mark = 0;
    loop {
        let far = (first + mark as f32) * MILLIMETRE * scale;
        if far >= along {
            break;
        }
        let times = match mark % 10 {
            0 => 3.0,
            5 => 2.0,
            _ => 1.0,
        };
        sheet.line(at(far, inset), at(far, inset + times * length), 1.3 * scale);
        mark += 1;
    }
    let coverage: Vec<f32> = sheet.coverage().iter().map(|share| share * 0.85).collect();
    picture.cover([0.08, 0.08, 0.1], &coverage);
}

fn shorter_side(size: Size) -> f32 {
    size.height.min(size.width) as f32
}

fn scale_of(size: Size) -> f32 {
    shorter_side(size) / USUAL_SIDE
}

fn somewhere(size: Size, draws: &mut Draws) -> StrokePoint {
    StrokePoint {
        down: draws.between(0.0, size.height as f64) as f32,
        right: draws.between(0.0, size.width as f64) as f32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(act: impl Fn(&mut Picture<'_>), shape: [usize; 3]) -> Vec<f32> {
        let mut pixels = vec![0.6; shape.iter().product()];
        act(&mut Picture::new(&mut pixels, shape));
        pixels
    }

    #[test]
    fn corners_are_black_and_the_middle_is_as_it_was() {
        let pixels = drawn(|picture| dark_corners(picture, 0.9), [3, 32, 48]);
        assert_eq!([pixels[0], pixels[47], pixels[31 * 48]], [0.0; 3]);
        assert_eq!(pixels[16 * 48 + 24], 0.6);
        let untouched = drawn(|picture| dark_corners(picture, 1.5), [1, 16, 16]);
        assert_eq!(untouched, vec![0.6; 256]);
    }

    #[test]
    fn more_hairs_are_those_there_were_and_others() {
        let hairs = |count: usize| {
            let act = |picture: &mut Picture<'_>| hair(picture, count, Seed::new(3));
            drawn(act, [3, 64, 64])
        };
        let few = hairs(3);
        let many = hairs(12);
        let covered = |pixels: &[f32]| pixels.iter().filter(|pixel| **pixel < 0.6).count();
        assert!(covered(&few) > 0 && covered(&many) > covered(&few));
        assert!(few.iter().zip(&many).all(|(few, many)| many <= few));
    }

    #[test]
    fn rulers_ink_and_bubbles_are_drawn_on_pictures_of_any_size() {
        for shape in [[1, 8, 8], [3, 1, 1], [3, 40, 17]] {
            let act = |picture: &mut Picture<'_>| {
                let seed = Seed::new(5);
                ruler(picture, 0.1, &mut seed.draws());
                ink(picture, 4, seed);
                let many = Bubbles {
                    radius: 17.0,
                    count: 25,
                };
                bubbles(picture, many, seed);
            };
            let pixels = drawn(act, shape);
            assert!(pixels.iter().all(|pixel| (0.0..=1.0).contains(pixel)));
        }
    }
}
