//! Maps, curves, measures and concepts against Captum, Quantus, scikit-image and scikit-learn
//! (`peers/explanations/run.py`, which says where these are not what their papers say).

use std::collections::BTreeMap;

use duress_core::seed::Seed;
use serde::Deserialize;

use super::concept_score::{self, Space};
use super::concept_vector::Plane;
use super::imputation::fill_missing;
use super::measure::{
    cosine, entropy, mask_overlap, pointing_game, quantus_pixel_flipping_area,
    quantus_pointing_game, quantus_relevance_mass, quantus_sparseness, relevance_mass, sparseness,
    spearman, ssim, unit_distance,
};
use super::*;
use crate::architecture::Residual;
use crate::compiled::Compiled;
use crate::network::{ItemShape, Network, Normalise};

const SHAPE: ItemShape = [3, 16, 16];
const TARGETS: [u32; 2] = [1, 2];

/// What PyTorch's engine and ours may differ by, as a share of the largest value.
const NEAR: f64 = 1e-5;

type Named = BTreeMap<String, Vec<f64>>;

#[derive(Deserialize)]
struct Reference {
    logits: Vec<f64>,
    maps: Named,
    curves: Named,
    #[serde(rename = "pixel flipping")]
    pixel_flipping: Vec<f64>,
    #[serde(rename = "pixel flipping areas")]
    pixel_flipping_areas: Vec<f64>,
    faithfulness: Named,
    measures: BTreeMap<String, f64>,
    imputation: Vec<f64>,
    concepts: Named,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("../../tests/explanations.json")).unwrap()
}

/// Numbers in [0, 1), as `run.py` makes them.
fn generated(count: usize, salt: u32) -> Vec<f64> {
    let one = |at: u32| {
        let mut h = at.wrapping_add(salt.wrapping_mul(1_000_003));
        for (shift, factor) in [(16, 0x85eb_ca6b), (13, 0xc2b2_ae35), (16, 1_u32)] {
            h = (h ^ (h >> shift)).wrapping_mul(factor);
        }
        f64::from(h) / 4_294_967_296.0
    };
    (0..count as u32).map(one).collect()
}

fn network(channels: usize) -> Network {
    let normalise = Normalise {
        mean: vec![0.4; channels],
        scale: (0..channels).map(|k| 2.0 + 0.5 * k as f32).collect(),
        order: Vec::new(),
    };
    let classes = ["0", "1", "2"].map(String::from).to_vec();
    let shape = [channels, SHAPE[1], SHAPE[2]];
    let fresh = Residual::small(6, 1).network(shape, classes, normalise, Seed::new(1));
    fresh.unwrap().filled(weights).unwrap()
}

fn weights(name: &str, shape: &[usize]) -> Result<Vec<f32>, String> {
    let bytes = name.bytes().enumerate();
    let salt = bytes
        .map(|(at, byte)| (at as u32 + 1) * u32::from(byte))
        .sum();
    let is_spread = name.ends_with("weight") || name.ends_with("running_var");
    let value = |u: f64| match shape {
        [_, rest @ ..] if !rest.is_empty() => {
            let fan: usize = rest.iter().product();
            (2.0 * u - 1.0) * (6.0 / fan as f64).sqrt()
        }
        _ if is_spread => u + 0.5,
        _ => u - 0.5,
    };
    let values = generated(shape.iter().product(), salt).into_iter();
    Ok(values.map(|u| value(u) as f32).collect())
}

fn images() -> Vec<f32> {
    let values = generated(2 * SHAPE.iter().product::<usize>(), 7_777);
    values.into_iter().map(|u| u as f32).collect()
}

fn seeds() -> [Seed; 2] {
    [Seed::new(0), Seed::new(1)]
}

fn near(name: &str, found: &[f32], expected: &[f64], share: f64) {
    let found: Vec<f64> = found.iter().copied().map(f64::from).collect();
    near_wide(name, &found, expected, share);
}

fn near_wide(name: &str, found: &[f64], expected: &[f64], share: f64) {
    assert_eq!(found.len(), expected.len(), "{name}");
    let largest = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let gaps = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let gap = gaps.fold(0.0, f64::max) / largest;
    assert!(gap < share, "{name}: {gap} apart");
}

/// The map that curves and measures are taken of, as `run.py` read it from the file.
fn gradient(reference: &Reference) -> Vec<f32> {
    let map = &reference.maps["input gradient, sum"];
    map.iter().map(|value| *value as f32).collect()
}

fn made(name: &str, net: &Compiled, batch: TargetBatch<'_>) -> Vec<f32> {
    let sum = ChannelReduction::Sum;
    let integrated = |steps, baseline| {
        let recipe = IntegratedRecipe {
            steps,
            baseline,
            channels: sum,
        };
        integrated_gradients(net, batch, recipe)
    };
    let cut = |layer: &str| CutNetwork::new(net.network(), &format!("{layer}.0.relu")).unwrap();
    let smooth = SmoothRecipe {
        draws: 4,
        sigma: 0.1,
        channels: sum,
    };
    let found = match name {
        "input gradient, sum" => input_gradient(net, batch, sum),
        "input gradient, absolute sum" => input_gradient(net, batch, ChannelReduction::AbsoluteSum),
        "input gradient, absolute max" => input_gradient(net, batch, ChannelReduction::AbsoluteMax),
        "gradient times input" => gradient_times_input(net, batch, sum),
        "integrated gradients, black" => integrated(20, Fill::Black),
        "integrated gradients, mean" => integrated(33, Fill::Mean),
        "smooth grad" => smooth_grad(net, batch, smooth, &seeds()),
        "occlusion" => {
            let recipe = OcclusionRecipe::new(6, 4, Fill::Black).unwrap();
            occlusion(net, batch, recipe)
        }
        "grad-cam++, layer2" => grad_cam_plus_plus(&cut("layer2"), batch, CamSign::Positive),
        cam => {
            let (layer, sign) = cam
                .strip_prefix("grad-cam, ")
                .unwrap()
                .split_once(", ")
                .unwrap();
            let sign = match sign {
                "positive" => CamSign::Positive,
                _ => CamSign::Signed,
            };
            grad_cam(&cut(layer), batch, sign)
        }
    };
    found.unwrap()
}

#[test]
fn maps_are_those_of_captum() {
    let reference = reference();
    let net = Compiled::new(network(3));
    let pixels = images();
    near("logits", &net.logits(&pixels), &reference.logits, NEAR);
    let batch = TargetBatch::new(SHAPE, &pixels, &TARGETS);
    assert!(reference.maps.len() >= 15);
    for (name, expected) in &reference.maps {
        near(name, &made(name, &net, batch), expected, NEAR);
    }
}

#[test]
fn curves_are_those_of_their_definition_and_of_quantus_where_it_flips_pixels() {
    let reference = reference();
    let pixels = images();
    let maps = gradient(&reference);
    let batch = TargetBatch::new(SHAPE, &pixels, &TARGETS);
    let net = Compiled::new(network(3));
    for (name, expected) in &reference.curves {
        let (way, fill) = name.split_once(", ").unwrap();
        let fill = if fill == "black" {
            Fill::Black
        } else {
            Fill::Mean
        };
        let recipe = CurveRecipe {
            steps: 10,
            missing: Imputation::Fill(fill),
        };
        let found = match way {
            "deletion" => deletion(&net, batch, &maps, recipe, &seeds()),
            _ => insertion(&net, batch, &maps, recipe, &seeds()),
        };
        near(name, &found.unwrap(), expected, NEAR);
    }
    let grey: Vec<f32> = [&pixels[..256], &pixels[768..1024]].concat();
    let batch = TargetBatch::new([1, 16, 16], &grey, &TARGETS);
    let recipe = CurveRecipe {
        steps: 8,
        missing: Imputation::Fill(Fill::Black),
    };
    let found = deletion(&Compiled::new(network(1)), batch, &maps, recipe, &seeds()).unwrap();
    let after_the_first: Vec<f32> = found
        .chunks_exact(9)
        .flat_map(|c| c[1..].to_vec())
        .collect();
    near("quantus", &after_the_first, &reference.pixel_flipping, NEAR);
    let area = |curve: &[f32]| {
        let curve: Vec<f64> = curve.iter().copied().map(f64::from).collect();
        quantus_pixel_flipping_area(&curve)
    };
    let areas: Vec<f64> = found.chunks_exact(9).map(area).collect();
    near_wide("quantus", &areas, &reference.pixel_flipping_areas, NEAR);
}

#[test]
fn infidelity_and_max_sensitivity_are_those_of_captum() {
    let reference = reference();
    let pixels = images();
    let maps = gradient(&reference);
    let batch = TargetBatch::new(SHAPE, &pixels, &TARGETS);
    let net = Compiled::new(network(3));
    for (form, name) in [
        (InfidelityForm::Plain, "infidelity, plain"),
        (InfidelityForm::Scaled, "infidelity, scaled"),
    ] {
        let recipe = InfidelityRecipe {
            draws: 6,
            sigma: 0.2,
            form,
        };
        let found = infidelity(&net, batch, &maps, recipe, &seeds()).unwrap();
        near_wide(name, &found, &reference.faithfulness[name], 1e-4);
    }
    let explain =
        |batch: TargetBatch<'_>, _: &[Seed]| input_gradient(&net, batch, ChannelReduction::Sum);
    let recipe = SensitivityRecipe {
        draws: 6,
        radius: 0.05,
        form: SensitivityForm::Relative,
    };
    let found = max_sensitivity(&explain, batch, &maps, recipe, &seeds()).unwrap();
    let found: Vec<f64> = found.into_iter().map(Result::unwrap).collect();
    let expected = &reference.faithfulness["max-sensitivity, relative"];
    near_wide("max-sensitivity", &found, expected, 1e-4);
}

#[test]
fn measures_are_those_of_their_peers() {
    let reference = reference();
    let maps = gradient(&reference);
    let (a, b) = maps.split_at(256);
    let size = [16, 16];
    let mask: Vec<bool> = (0..256)
        .map(|place| (3..9).contains(&(place / 16)) && (5..13).contains(&(place % 16)))
        .collect();
    let positive: Vec<f32> = a.iter().map(|value| value.max(0.0)).collect();
    let overlap = mask_overlap(a, &mask).unwrap();
    let found = [
        ("ssim", ssim(a, b, size).unwrap()),
        ("spearman", spearman(a, b).unwrap()),
        ("cosine", cosine(a, b).unwrap()),
        ("unit distance", unit_distance(a, b).unwrap()),
        ("sparseness", sparseness(a).unwrap()),
        ("entropy", entropy(a).unwrap()),
        ("relevance mass", relevance_mass(&positive, &mask).unwrap()),
        ("pointing game", pointing_game(a, &mask, size, 0.0).unwrap()),
        // The share of 48 places in a mask of 48, from their overlap.
        ("top k in mask", 2.0 * overlap / (1.0 + overlap)),
    ];
    let mut tied = a.to_vec();
    let top = a.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    (tied[0], tied[5 * 16 + 7]) = (2.0 * top, 2.0 * top);
    let as_quantus = [
        ("sparseness of quantus", quantus_sparseness(a).unwrap()),
        (
            "relevance mass of quantus",
            quantus_relevance_mass(a, &mask).unwrap(),
        ),
        (
            "pointing game of quantus, tied",
            quantus_pointing_game(&tied, &mask).unwrap(),
        ),
    ];
    assert_eq!(pointing_game(&tied, &mask, size, 0.0), Ok(0.5));
    assert_eq!(
        found.len() + as_quantus.len(),
        reference.measures.len(),
        "every value is compared"
    );
    for (name, found) in found.into_iter().chain(as_quantus) {
        let expected = reference.measures[name];
        // Quantus' sparseness adds 1e-7 to every value.
        let tolerance = if name == "sparseness" { 2e-6 } else { 1e-9 };
        assert!(
            (found - expected).abs() < tolerance,
            "{name}: {found} {expected}"
        );
    }
}

#[test]
fn missing_pixels_are_those_of_quantus_without_its_noise() {
    let pixels = images();
    let known: Vec<bool> = generated(256, 4321).iter().map(|u| *u >= 0.7).collect();
    let mut image = pixels[..768].to_vec();
    for (at, pixel) in image.iter_mut().enumerate() {
        if !known[at % 256] {
            *pixel = 0.5;
        }
    }
    fill_missing(&mut image, SHAPE, &known);
    near("imputation", &image, &reference().imputation, 1e-5);
}

#[test]
fn concept_planes_and_sensitivities_are_those_of_scikit_learn_and_autograd() {
    let reference = reference();
    let mut rows: Vec<f32> = generated(14 * 9, 99)
        .into_iter()
        .map(|u| u as f32)
        .collect();
    (0..6).for_each(|row| rows[9 * row + 2] += 0.5);
    let rows: Vec<&[f32]> = rows.chunks_exact(9).collect();
    for (name, weight) in [("weights, 1", 1.0), ("weights, 50", 50.0)] {
        let plane = Plane::fitted(&rows, 6, weight);
        let found = [&plane.weights[..], &[plane.offset]].concat();
        near_wide(name, &found, &reference.concepts[name], 1e-6);
    }
    let cut = CutNetwork::new(&network(3), "layer2.0.relu").unwrap();
    let pixels = images();
    let batch = TargetBatch::new(SHAPE, &pixels, &TARGETS);
    let [channels, height, width] = cut.layer().shape;
    for (space, name, count, salt) in [
        (
            LayerSpace::Values,
            "sensitivities",
            channels * height * width,
            77,
        ),
        (
            LayerSpace::ChannelMeans,
            "sensitivities of channels",
            channels,
            78,
        ),
    ] {
        let along = generated(count, salt).into_iter();
        let direction: Vec<f32> = along.map(|u| (u - 0.5) as f32).collect();
        let space = Space::new(&cut, space);
        let found = concept_score::sensitivities(&cut, batch, &space, &[&direction]).unwrap();
        near_wide(name, &found[0], &reference.concepts[name], 1e-5);
    }
}
