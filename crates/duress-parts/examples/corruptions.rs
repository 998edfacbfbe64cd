//! Measures every corruption of ImageNet-C on one thread and prints milliseconds per image of
//! 224 × 224 as JSON, the mean over the five levels: one half of `peers/corruptions`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use duress_core::data::{Images, Inputs, Items};
use duress_core::part::{Build, Params, PartKind, Raw};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Stressor};
use duress_parts::registry::Registry;

const SIDE: usize = 224;
const ROUNDS: usize = 5;

const NAMES: [&str; 19] = [
    "gaussian-noise",
    "shot-noise",
    "impulse-noise",
    "defocus-blur",
    "glass-blur",
    "motion-blur",
    "zoom-blur",
    "snow",
    "frost",
    "fog",
    "brightness",
    "contrast",
    "elastic-transform",
    "pixelate",
    "jpeg-compression",
    "speckle-noise",
    "gaussian-blur",
    "spatter",
    "saturate",
];

fn main() {
    let items = picture();
    let milliseconds: BTreeMap<&str, f64> = NAMES
        .iter()
        .map(|&name| (name, fastest(corruption(name).as_ref(), &items)))
        .collect();
    let text = serde_json::to_string(&milliseconds).unwrap_or_else(|why| panic!("{why}"));
    println!("{text}");
}

fn fastest(blind: &dyn Blind, items: &Items) -> f64 {
    let round = |_| {
        let start = Instant::now();
        for level in 1..=5 {
            let severity = Severity::new(f64::from(level)).unwrap_or_else(|why| panic!("{why}"));
            let pressed = Pressed {
                items,
                truth: None,
                variant: 0,
            };
            let pressed = blind.press(pressed, &severity, Seed::new(1));
            std::hint::black_box(pressed).unwrap_or_else(|why| panic!("{why}"));
        }
        start.elapsed().as_secs_f64() * 1e3 / 5.0
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

fn corruption(name: &str) -> Box<dyn Blind> {
    let registry = Registry::standard();
    let part = registry
        .find(PartKind::Stressor, name)
        .unwrap_or_else(|why| panic!("{why}"));
    let Build::Stressor(build) = part.build else {
        panic!("{name} is no stressor")
    };
    let levels = [("levels", Raw::Text("imagenet-c".into()))];
    let keys: &[(&str, Raw)] = match name {
        "gaussian-noise" => &levels,
        _ => &[],
    };
    let params = Params::of(part, keys, Path::new("")).unwrap_or_else(|why| panic!("{why:?}"));
    match build(&params).unwrap_or_else(|why| panic!("{why}")) {
        Stressor::Blind(blind) => blind,
        _ => panic!("{name} is not blind"),
    }
}

/// Slopes, a disk and grain.
fn picture() -> Items {
    let mut draws = Seed::new(7).draws();
    let mut pixels = Vec::with_capacity(3 * SIDE * SIDE);
    for channel in 0..3 {
        for at in 0..SIDE * SIDE {
            let (down, right) = ((at / SIDE) as f64 - 100.0, (at % SIDE) as f64 - 90.0);
            let disk = if down * down + right * right < 2500.0 {
                0.2
            } else {
                0.0
            };
            let value = 0.2 + 0.1 * f64::from(channel) + 0.001 * (down + right) + disk;
            pixels.push((value + draws.between(-0.03, 0.03)).clamp(0.0, 1.0) as f32);
        }
    }
    let images = Images::new([3, SIDE, SIDE], pixels).unwrap_or_else(|why| panic!("{why}"));
    Items::new(vec!["picture".into()], Inputs::Images(images)).unwrap_or_else(|why| panic!("{why}"))
}
