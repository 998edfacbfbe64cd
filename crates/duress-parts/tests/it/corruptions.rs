//! Corruptions beside `imagecorruptions`: levels where there is no chance, moments of the change
//! where there is. The reference is made by `cargo xtask peers corruptions`.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::collections::BTreeMap;
use std::path::Path;

use duress_core::data::{Images, Inputs, Items};
use duress_core::part::{Build, Params, PartKind, Raw};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Stressor};
use duress_parts::registry::Registry;
use serde::Deserialize;

/// What `imagecorruptions` made of the pictures below.
#[derive(Deserialize)]
struct Reference {
    /// By corruption and level: every so many-th level of eight bits of two pictures, rows of pixels
    /// of channels.
    samples: BTreeMap<String, Vec<Vec<f64>>>,
    /// By corruption and level: how all pictures changed, in levels of eight bits.
    moments: BTreeMap<String, Vec<Moments>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Moments {
    mean: f64,
    absolute: f64,
    sd: f64,
}

const SIDE: usize = 64;
const PICTURES: usize = 200;
const STRIDE: usize = 97;

/// How far levels may be off on average: Pillow rounds where the rest of the package cuts off.
const OFF: f64 = 1.0;

#[test]
fn corruptions_without_chance_are_those_of_imagecorruptions_within_a_level() {
    let pictures = pictures(2);
    for (name, levels) in &reference().samples {
        for (level, theirs) in (1..=5).zip(levels) {
            let ours = corrupted(name, &pictures, level, 5);
            let ours = (0..2).flat_map(|i| rows_of_pixels(ours.image(i)));
            let off: Vec<f64> = ours
                .zip(theirs)
                .map(|(ours, theirs)| (ours - theirs).abs())
                .collect();
            assert_eq!(off.len(), theirs.len());
            let mean = off.iter().sum::<f64>() / off.len() as f64;
            assert!(mean <= OFF, "{name} at {level}: {mean:.3} levels off");
        }
    }
}

/// Levels of eight bits in the order of the reference: pixel by pixel, channels innermost, every so
/// many-th.
fn rows_of_pixels(image: &[f32]) -> impl Iterator<Item = f64> {
    let area = SIDE * SIDE;
    let in_their_order = (0..area).flat_map(move |at| (0..3).map(move |c| image[c * area + at]));
    in_their_order.step_by(STRIDE).map(eight_bits)
}

/// As the package makes levels of what it has computed: it cuts off.
fn eight_bits(value: f32) -> f64 {
    f64::from(value * 255.0 + 1e-3).floor()
}

/// By how much moments may differ: the mean by this share of their standard deviation, mean absolute
/// change and standard deviation by this share of themselves.
const TOLERANCE: f64 = 0.02;

/// Corruptions in which one draw moves a whole picture (a direction, a surface, a pane, a few drops), and
/// how often each picture is corrupted: from one round to the next the moments of 200 pictures differ
/// by 1 to 5 %, so that a single one would say nothing about 2 %. The reference draws as often.
const ROUNDS: [(&str, u64); 4] = [
    ("motion-blur", 12),
    ("fog", 36),
    ("frost", 100),
    ("spatter", 36),
];

#[test]
fn corruptions_with_chance_change_as_much_as_those_of_imagecorruptions() {
    let drawn_often = ROUNDS.map(|(name, _)| name);
    let once = reference().moments.into_keys();
    for name in once.filter(|name| !drawn_often.contains(&name.as_str())) {
        check_moments(&name);
    }
}

#[test]
fn motion_blur_with_chance_changes_as_much_as_that_of_imagecorruptions() {
    check_moments("motion-blur");
}

#[test]
fn fog_with_chance_changes_as_much_as_that_of_imagecorruptions() {
    check_moments("fog");
}

#[test]
fn frost_with_chance_changes_as_much_as_that_of_imagecorruptions() {
    check_moments("frost");
}

#[test]
fn spatter_with_chance_changes_as_much_as_that_of_imagecorruptions() {
    check_moments("spatter");
}

/// That mean, mean absolute value and standard deviation of the change are those of the reference, at
/// every level.
fn check_moments(name: &str) {
    let pictures = pictures(PICTURES);
    let rounds = ROUNDS.iter().find(|(often, _)| *often == name);
    let rounds = rounds.map_or(1, |(_, rounds)| *rounds);
    let mut found = Vec::new();
    let mut holds = true;
    for (level, theirs) in (1..=5).zip(&reference().moments[name]) {
        let mut sums = ChangeSums::default();
        for seed in 5..5 + rounds {
            sums.add(&pictures, &corrupted(name, &pictures, level, seed));
        }
        let ours = sums.moments();
        let off = [
            (ours.mean - theirs.mean) / theirs.sd,
            ours.absolute / theirs.absolute - 1.0,
            ours.sd / theirs.sd - 1.0,
        ];
        holds &= off.iter().all(|off| off.abs() <= TOLERANCE);
        let off = off.map(|off| 100.0 * off);
        found.push(format!("{name} at {level}: {off:.2?} % off"));
    }
    println!("{}", found.join("\n"));
    assert!(holds, "{}", found.join("\n"));
}

/// Sums over changed values, in levels of eight bits.
#[derive(Default)]
struct ChangeSums {
    values: f64,
    sum: f64,
    absolute: f64,
    squares: f64,
}

impl ChangeSums {
    fn add(&mut self, before: &Images, after: &Images) {
        for (before, after) in before.pixels().iter().zip(after.pixels()) {
            let change = eight_bits(*after) - eight_bits(*before);
            self.values += 1.0;
            self.sum += change;
            self.absolute += change.abs();
            self.squares += change * change;
        }
    }

    fn moments(&self) -> Moments {
        let mean = self.sum / self.values;
        Moments {
            mean,
            absolute: self.absolute / self.values,
            sd: (self.squares / self.values - mean * mean).sqrt(),
        }
    }
}

fn corrupted(name: &str, pictures: &Images, level: u32, seed: u64) -> Images {
    let ids = (0..pictures.len())
        .map(|i| format!("picture {i}"))
        .collect();
    let items = Items::new(ids, Inputs::Images(pictures.clone())).unwrap();
    let pressed = Pressed {
        items: &items,
        truth: None,
        variant: 0,
    };
    let level = Severity::new(f64::from(level)).unwrap();
    let pressed = corruption(name)
        .press(pressed, &level, Seed::new(seed))
        .unwrap();
    pressed.images().unwrap().clone()
}

fn corruption(name: &str) -> Box<dyn Blind> {
    let registry = Registry::standard();
    let part = registry.find(PartKind::Stressor, name).unwrap();
    let Build::Stressor(build) = part.build else {
        panic!("{name} is no stressor")
    };
    let levels = [("levels", Raw::Text("imagenet-c".into()))];
    let keys: &[(&str, Raw)] = match name {
        "gaussian-noise" => &levels,
        _ => &[],
    };
    match build(&Params::of(part, keys, Path::new("")).unwrap()).unwrap() {
        Stressor::Blind(blind) => blind,
        _ => panic!("{name} is not blind"),
    }
}

fn reference() -> Reference {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/corruptions.json"
    );
    serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
}

fn pictures(n: usize) -> Images {
    let pixels = (0..n as u64).flat_map(picture).collect();
    Images::new([3, SIDE, SIDE], pixels).unwrap()
}

/// The pictures of `peers/corruptions/run.py`, from whole numbers: waves, a disk, and grain.
fn picture(index: u64) -> Vec<f32> {
    let mut pixels = Vec::with_capacity(3 * SIDE * SIDE);
    for channel in 0..3 {
        for at in 0..SIDE * SIDE {
            let level = level_at(index, channel, (at / SIDE) as i64, (at % SIDE) as i64);
            pixels.push(level as f32 / 255.0);
        }
    }
    pixels
}

fn level_at(index: u64, channel: u64, row: i64, column: i64) -> i64 {
    let side = SIDE as i64;
    let mut level = 60 + scattered(&[index, channel]) % 120;
    for wave in 0..2 {
        let across = scattered(&[index, 10 + wave]) % 4;
        let down = 1 + scattered(&[index, 20 + wave]) % 3;
        let period = 9 + scattered(&[index, 30 + wave]) % 30;
        let height = 20 + scattered(&[index, 40 + wave, channel]) % 40;
        let along = (column * across + row * down) % (2 * period);
        level += (along - period).abs() * height / period - height / 2;
    }
    let right = scattered(&[index, 50]) % side;
    let below = scattered(&[index, 51]) % side;
    let radius = side / 8 + scattered(&[index, 52]) % (side / 4);
    if (column - right).pow(2) + (row - below).pow(2) < radius * radius {
        level += scattered(&[index, 53, channel]) % 121 - 60;
    }
    let place = (index * 3 + channel) * 65_536 + row as u64 * 256 + column as u64;
    let grain = (place.wrapping_mul(2_654_435_761) % (1 << 32)) >> 20;
    (level + grain as i64 % 17 - 8).clamp(0, 255)
}

/// 16 bits that depend on whole numbers.
fn scattered(numbers: &[u64]) -> i64 {
    let mix = |mixed: u64, number: &u64| {
        (mixed * 31 + number + 1).wrapping_mul(2_654_435_761) % (1 << 32)
    };
    (numbers.iter().fold(0, mix) >> 16) as i64
}
