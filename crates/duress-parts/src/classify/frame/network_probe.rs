//! A probe: images and the logits that somebody's framework gave for them, against which a network
//! that was read from a file is held before anything runs.

use std::path::Path;

use duress_core::problem::Problem;
use duress_nn::compiled::Compiled;
use duress_nn::file::network::ReadNetwork;
use duress_tables::formats::npz::{self, Tensor};

/// How far logits may be from the framework's, as a share of the largest: other orders of sums and
/// the short floats of a GPU stay below it, another stride, pool or ε does not.
const TOLERANCE: f64 = 1e-3;

/// Refuses a network whose logits are not those of the probe.
pub(crate) fn check(read: &ReadNetwork, probe: &Path) -> Result<(), Problem> {
    let arrays = npz::tensors(probe)?;
    let array = |name: &str| {
        arrays.get(name).ok_or_else(|| {
            let there: Vec<&str> = arrays.keys().map(String::as_str).collect();
            Problem::new(format!("there is no array `{name}` in the probe"))
                .expected("`inputs` (images × channels × height × width, from 0 to 1) and `logits` (images × classes)")
                .hint(format!("there is: {}", there.join(", ")))
        })
    };
    let compare = || {
        let inputs = array("inputs")?;
        let logits = array("logits")?;
        fitting(read, inputs, logits)?;
        let pixels: Vec<f32> = inputs.values.iter().map(|&x| x as f32).collect();
        let own = Compiled::new(read.network.clone()).logits(&pixels);
        agree(read, &own, logits)
    };
    compare().map_err(|problem: Problem| problem.in_file(probe))
}

/// Refuses arrays of other shapes than the network has.
fn fitting(read: &ReadNetwork, inputs: &Tensor, logits: &Tensor) -> Result<(), Problem> {
    let input = read.network.input();
    let classes = read.network.classes().len();
    let images = inputs.shape.first().copied().unwrap_or(0);
    let wanted = [&[images][..], &input[..]].concat();
    if inputs.shape != wanted || images == 0 {
        return Err(
            Problem::new(format!("the shape of `inputs` is {:?}", inputs.shape)).expected(format!(
                "some images of {input:?} (channels, height, width), as the dataset has them"
            )),
        );
    }
    if logits.shape != [images, classes] {
        return Err(
            Problem::new(format!("the shape of `logits` is {:?}", logits.shape)).expected(format!(
                "[{images}, {classes}]: a row per image, a number per class"
            )),
        );
    }
    if let Some(odd) = logits.values.iter().find(|x| !x.is_finite()) {
        return Err(Problem::new(format!("`logits` has {odd}")).expected("numbers that are finite"));
    }
    let beyond = |x: &&f64| !(-1e-6..=1.0 + 1e-6).contains(*x);
    match inputs.values.iter().find(beyond) {
        Some(odd) => Err(Problem::new(format!("`inputs` has {odd}"))
            .expected("pixels from 0 to 1, before they are normalised")),
        None => Ok(()),
    }
}

fn agree(read: &ReadNetwork, own: &[f32], theirs: &Tensor) -> Result<(), Problem> {
    let largest = theirs
        .values
        .iter()
        .fold(0.0_f64, |most, x| most.max(x.abs()));
    if let Some(at) = own.iter().position(|x| !x.is_finite()) {
        let image = at / read.network.classes().len();
        let wrong = format!(
            "the network as it was read gives {} for image {image}",
            own[at]
        );
        return Err(Problem::new(wrong).expected("finite logits, as the probe has them"));
    }
    let off = |(own, theirs): (&f32, &f64)| (f64::from(*own) - theirs).abs();
    let apart = own.iter().zip(&theirs.values).map(off).enumerate();
    let Some((at, most)) = apart.max_by(|(_, one), (_, other)| one.total_cmp(other)) else {
        return Ok(());
    };
    if most <= TOLERANCE * largest.max(f64::MIN_POSITIVE) {
        return Ok(());
    }
    let classes = read.network.classes();
    let image = at / classes.len();
    let class = at % classes.len();
    let problem = Problem::new(format!(
        "the network as it was read gives other logits than the probe: {:.1} % of the largest apart, {} against {} for `{}` of image {image}",
        100.0 * most / largest.max(f64::MIN_POSITIVE),
        own[at],
        theirs.values[at],
        classes[class]
    ))
    .expected(format!("the same to {} % of the largest", 100.0 * TOLERANCE));
    let normalised = "`mean`, `std` and `order` as it was trained with".to_string();
    let doubtful: Vec<String> = read.assumed.iter().cloned().chain([normalised]).collect();
    Err(problem.hint(format!("what may be otherwise: {}", doubtful.join("; "))))
}
