//! How fast tensors go to a process and come back: an echo, 64 images of 3 × 224 × 224 at a time.

use std::path::Path;
use std::time::Instant;

use duress_core::data::{Images, Inputs, Items, Split};
use duress_core::part::{Build, Params, Raw};
use duress_core::seed::Seed;
use duress_core::subject::{SubjectPart, fit};
use duress_core::truth::{Labels, Truth};
use duress_parts::shared::subjects::command::PART;

/// Megabytes a second that must be moved.
const BAR: f64 = 500.0;
const SHAPE: [usize; 3] = [3, 224, 224];
const IMAGES: usize = 64;
const ROUNDS: usize = 9;

fn main() {
    let size: usize = SHAPE.iter().product();
    let pixels: Vec<f32> = (0..IMAGES * size)
        .map(|i| (i % 256) as f32 / 255.0)
        .collect();
    let text = |text: &str| Raw::Text(text.into());
    let command = vec![text(env!("CARGO_BIN_EXE_command-child")), text("echo")];
    let keys = [
        ("command", Raw::List(command)),
        ("accepts", text("images")),
        ("answers", text("classes")),
        ("protocol", text("binary")),
        ("gradients", Raw::Flag(true)),
    ];
    let params = Params::of(&PART, &keys, Path::new("")).expect("the keys are right");
    let Build::Subject(build) = PART.build else {
        unreachable!("command is a subject")
    };
    let Ok(SubjectPart::Live(subject)) = build(&params) else {
        unreachable!("the keys fit together")
    };
    let images = Images::new(SHAPE, pixels[..size].to_vec()).expect("one image");
    let items = Items::new(vec!["one".into()], Inputs::Images(images)).expect("one item");
    let labels = Labels::new(vec!["a".into(), "b".into()], vec![0]).expect("one label");
    let split = Split::new(items, Truth::Labels(labels)).expect("one item with its label");
    let fitted = fit(subject.as_ref(), &split, Seed::new(1)).expect("the echo starts");
    let slope = fitted.differentiable().expect("it offers gradients");
    let labels = vec![0; IMAGES];
    let mut gradient = vec![0.0; pixels.len()];
    let mut seconds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            // An attack has its gradient in memory already, and so does this.
            gradient.fill(0.0);
            let begun = Instant::now();
            slope
                .loss(&pixels, &labels, Some(&mut gradient))
                .expect("the echo answers");
            let took = begun.elapsed().as_secs_f64();
            assert!(gradient == pixels, "an echo says what it was told");
            took
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    let megabytes = (4 * pixels.len()) as f64 / 1e6;
    let (there, both) = (
        megabytes / seconds[ROUNDS / 2],
        2.0 * megabytes / seconds[ROUNDS / 2],
    );
    println!(
        "command echo, {megabytes:.0} MB of images there and the same back, median of {ROUNDS}:"
    );
    let verdict = if there >= BAR { "met" } else { "missed" };
    println!(
        "  {there:.0} MB/s there and as much back ({both:.0} MB/s moved); bar {BAR} MB/s each way: {verdict}"
    );
}
