//! Specimens: one lesion on somebody's skin, with everything about it drawn.

use duress_core::seed::{Draws, Seed};

use super::outline::Outline;
use super::patches::Patches;
use super::traits::{LesionTraits, Trait};

/// A colour as red, green and blue.
pub(super) type Colour = [f32; 3];

const FAIR: Colour = [0.91, 0.73, 0.66];
const TANNED: Colour = [0.74, 0.54, 0.43];

/// The skin around lesions: its colour, which is a patient's, and its mottling.
#[derive(Clone, Debug)]
pub struct Skin {
    tone: Colour,
    mottling: Patches,
}

impl Skin {
    /// The skin of somebody.
    pub fn new(seed: Seed) -> Skin {
        Skin {
            tone: mixed(FAIR, TANNED, seed.draws().uniform() as f32),
            mottling: Patches::new(7, seed.child("mottling")),
        }
    }

    /// The colour at a point.
    pub(super) fn at(&self, x: f32, y: f32) -> Colour {
        let mottled = 1.0 + 0.04 * self.mottling.at(x, y);
        self.tone.map(|value| value * mottled)
    }
}

const BROWN: Colour = [0.22, 0.12, 0.08];
const RED: Colour = [0.72, 0.22, 0.24];
const BLUE: Colour = [0.33, 0.41, 0.58];
const BLACK: Colour = [0.12, 0.08, 0.08];
const HORN: Colour = [0.97, 0.90, 0.74];
const SCAR: Colour = [0.96, 0.86, 0.82];

/// The most dots of a kind.
const DOTS: usize = 14;

/// A round dot.
#[derive(Clone, Copy, Debug)]
struct Dot {
    x: f32,
    y: f32,
    radius: f32,
}

/// One lesion.
#[derive(Clone, Debug)]
pub struct Specimen {
    traits: LesionTraits,
    outline: Outline,
    /// Where pigment is thicker on one side.
    heavy_side: (f32, f32),
    pigment: Patches,
    veil: Patches,
    /// Where the net of pigment begins.
    net: (f32, f32),
    globules: Vec<Dot>,
    cysts: Vec<Dot>,
}

impl Specimen {
    /// A lesion with these traits. What is drawn does not depend on them: the same seed with more
    /// of a trait is the same lesion with more of it.
    pub fn new(traits: LesionTraits, seed: Seed) -> Specimen {
        let outline = Outline::new(&traits, seed.child("outline"));
        let mut draws = seed.draws();
        let turn = draws.between(0.0, std::f64::consts::TAU);
        let dots = |label: &str, which: Trait| {
            let mut draws = seed.child(label).draws();
            let count = libm::round(DOTS as f64 * traits.get(which)) as usize;
            let all: Vec<Dot> = (0..DOTS)
                .map(|_| Dot::within(outline.radius(), &mut draws))
                .collect();
            all[..count].to_vec()
        };
        Specimen {
            outline,
            heavy_side: (libm::cos(turn) as f32, libm::sin(turn) as f32),
            pigment: Patches::new(6, seed.child("pigment")),
            veil: Patches::new(5, seed.child("veil")),
            net: (draws.uniform() as f32, draws.uniform() as f32),
            globules: dots("globules", Trait::Globules),
            cysts: dots("cysts", Trait::Cysts),
            traits,
        }
    }

    /// How much of a point the lesion has, from 0 outside to 1 inside, and the share of the way
    /// from the middle to its border.
    pub(super) fn presence(&self, x: f32, y: f32) -> (f32, f32) {
        let away = libm::sqrtf(x * x + y * y);
        if away == 0.0 {
            return (1.0, 0.0);
        }
        let reach = self.outline.reach(x / away, y / away);
        let presence = ((reach - away) / SOFT_BORDER + 0.5).clamp(0.0, 1.0);
        (presence, away / reach)
    }

    /// Its colour at a point, on skin of a colour.
    pub(super) fn colour(&self, x: f32, y: f32, outwards: f32, skin: Colour) -> Colour {
        let of = |which: Trait| self.traits.get(which) as f32;
        let colour = mixed(skin, BROWN, self.pigment(x, y, outwards));
        let colour = mixed(colour, RED, 0.75 * of(Trait::Redness));
        let veiled = (0.35 + 1.3 * self.veil.at(x, y)).clamp(0.0, 1.0);
        let colour = mixed(colour, BLUE, 0.9 * of(Trait::Blueness) * veiled);
        let colour = mixed(colour, BLACK, 0.65 * covered(&self.globules, x, y));
        let colour = mixed(colour, HORN, 0.65 * covered(&self.cysts, x, y));
        let centre = (1.2 - 2.0 * outwards * outwards).clamp(0.0, 1.0);
        mixed(colour, SCAR, 0.85 * of(Trait::PaleCentre) * centre)
    }

    /// How much pigment there is at a point, from 0 to 1.
    fn pigment(&self, x: f32, y: f32, outwards: f32) -> f32 {
        let of = |which: Trait| self.traits.get(which) as f32;
        let even = 0.15 + 0.75 * of(Trait::Darkness);
        let thinner_outwards = 1.0 - 0.25 * outwards * outwards;
        let aside = (x * self.heavy_side.0 + y * self.heavy_side.1) / self.outline.radius();
        let lopsided = 1.0 + 0.6 * of(Trait::Asymmetry) * aside;
        let patchy = 0.7 * of(Trait::ColourVariation) * self.pigment.at(x, y);
        let netted = 0.25 * of(Trait::Network) * self.net(x, y);
        (even * thinner_outwards * lopsided + patchy + netted).clamp(0.0, 1.0)
    }

    /// A net: −1 in its holes, 1 where its threads cross.
    fn net(&self, x: f32, y: f32) -> f32 {
        let thread = |along: f32, first: f32| {
            let place = THREADS * along + first;
            // A wave of parabolas: as good as a cosine to the eye, and the same bits everywhere.
            let share = place - libm::floorf(place) - 0.5;
            1.0 - 8.0 * share * share
        };
        let mesh = thread(x, self.net.0).max(thread(y, self.net.1));
        mesh.clamp(-1.0, 1.0)
    }
}

/// Over how much of a half image the border fades.
const SOFT_BORDER: f32 = 0.09;

/// How many threads of a net there are across half an image.
const THREADS: f32 = 3.6;

impl Dot {
    /// A dot within a disk.
    fn within(radius: f32, draws: &mut Draws) -> Dot {
        let away = 0.85 * radius * libm::sqrt(draws.uniform()) as f32;
        let turn = draws.between(0.0, std::f64::consts::TAU);
        Dot {
            x: away * libm::cos(turn) as f32,
            y: away * libm::sin(turn) as f32,
            radius: draws.between(0.04, 0.075) as f32,
        }
    }
}

/// How much of a point dots cover.
fn covered(dots: &[Dot], x: f32, y: f32) -> f32 {
    let cover = |dot: &Dot| {
        let (right, down) = (x - dot.x, y - dot.y);
        let near = 1.0 - (right * right + down * down) / (dot.radius * dot.radius * 2.0);
        near.clamp(0.0, 1.0)
    };
    dots.iter().map(cover).fold(0.0, f32::max)
}

fn mixed(from: Colour, to: Colour, share: f32) -> Colour {
    let mut colour = from;
    for (value, towards) in colour.iter_mut().zip(to) {
        *value += share * (towards - *value);
    }
    colour
}
