//! What exporters write around layers: activations that bend, padding that is computed, rounding, one
//! logit, two outputs. ONNX Runtime's answers (`cargo xtask peers weights`) are the answers here.

use std::path::{Path, PathBuf};

use duress_core::problem::Problem;
use duress_nn::compiled::Compiled;
use duress_nn::file::network::{NetworkHints, ReadNetwork, read};
use serde::Deserialize;

const INPUT: [usize; 3] = [1, 6, 6];

#[derive(Deserialize)]
struct Case {
    file: String,
    output: String,
    answers: Vec<f64>,
}

fn fixture(name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    fixtures.join(name)
}

fn read_file(name: &str, output: Option<&str>) -> Result<ReadNetwork, Problem> {
    let wanted = NetworkHints {
        input: Some(INPUT),
        output: output.map(String::from),
        ..NetworkHints::default()
    };
    read(&fixture(name), &wanted)
}

/// The same images as the script makes.
fn pixels() -> Vec<f32> {
    (0..3 * INPUT.iter().product::<usize>())
        .map(|i| ((i * 37 + i / 7 * 11 + 11) % 101) as f32 / 100.0)
        .collect()
}

/// Logits as the file has its output: probabilities, where a last step was left out.
fn as_written(read: &ReadNetwork, logits: &[f32]) -> Vec<f64> {
    let left_out = read.read_as.iter().any(|said| said.contains("left out"));
    let classes = read.network.classes().len();
    let rows = logits.chunks(classes).map(|row| {
        let row: Vec<f64> = row.iter().copied().map(f64::from).collect();
        match (left_out, classes) {
            (false, _) => row,
            (true, 2) => vec![duress_core::answer::softmax(&row)[1]],
            (true, _) => duress_core::answer::softmax(&row),
        }
    });
    rows.flatten().collect()
}

#[test]
fn every_file_answers_as_onnx_runtime_does() {
    let cases: Vec<Case> =
        serde_json::from_slice(&std::fs::read(fixture("bends.json")).unwrap()).unwrap();
    assert_eq!(cases.len(), 5);
    for case in cases {
        let read = read_file(&case.file, Some(&case.output)).unwrap_or_else(|why| panic!("{why}"));
        let logits = Compiled::new(read.network.clone()).logits(&pixels());
        let ours = as_written(&read, &logits);
        assert_eq!(ours.len(), case.answers.len(), "{}", case.file);
        let largest = case
            .answers
            .iter()
            .fold(0.0_f64, |most, x| most.max(x.abs()));
        for (ours, theirs) in ours.iter().zip(&case.answers) {
            assert!(
                (ours - theirs).abs() <= 1e-5 * largest,
                "{}: {ours} instead of {theirs}",
                case.file
            );
        }
    }
}

#[test]
fn gradients_are_those_of_the_answers() {
    for file in ["bends_17.onnx", "bends_20.onnx", "one_logit.onnx"] {
        let compiled = Compiled::new(read_file(file, None).unwrap().network);
        let image = &pixels()[..36];
        let rise = |_: usize, logits: &[f32], slope: &mut [f32]| {
            for (class, slope) in slope.iter_mut().enumerate() {
                *slope = class as f32 - logits.len() as f32 / 3.0;
            }
        };
        let value = |pixels: &[f32]| -> f64 {
            let logits = compiled.logits(pixels);
            let weight = |class: usize| class as f64 - logits.len() as f64 / 3.0;
            (0..logits.len())
                .map(|class| weight(class) * f64::from(logits[class]))
                .sum()
        };
        let mut gradient = vec![0.0; 36];
        compiled.backward(image, &rise, &mut gradient);
        let longest = gradient
            .iter()
            .fold(0.0_f64, |most, x| most.max(f64::from(x.abs())));
        assert!(longest > 0.0, "{file}");
        for at in 0..36 {
            let moved = |by: f32| {
                let mut moved = image.to_vec();
                moved[at] += by;
                value(&moved)
            };
            let step = 1.0 / 512.0;
            let finite = (moved(step) - moved(-step)) / f64::from(2.0 * step);
            let slope = f64::from(gradient[at]);
            assert!(
                (finite - slope).abs() < 2e-2 * longest,
                "{file}, pixel {at}: {finite} by differences, {slope} by the engine"
            );
        }
    }
}

#[test]
fn a_step_straight_through_rounding_has_the_slope_of_what_is_around_it() {
    let read = read_file("rounded.onnx", None).unwrap();
    assert!(
        read.read_as
            .iter()
            .any(|said| said.contains("straight-through")),
        "{:?}",
        read.read_as
    );
    let mut gradient = vec![0.0; 36];
    let image = &pixels()[..36];
    let first = |_: usize, _: &[f32], slope: &mut [f32]| slope[0] = 1.0;
    Compiled::new(read.network).backward(image, &first, &mut gradient);
    assert!(gradient.iter().any(|slope| *slope != 0.0));
}

#[test]
fn one_logit_becomes_two_classes_and_that_is_said() {
    let read = read_file("one_logit.onnx", None).unwrap();
    assert_eq!(read.network.classes(), ["0", "1"]);
    let said = read.read_as.join(" ");
    assert!(
        said.contains("Sigmoid") && said.contains("0 and z"),
        "{said}"
    );
    let logits = Compiled::new(read.network).logits(&pixels());
    assert!(logits.chunks(2).all(|row| row[0] == 0.0), "{logits:?}");
}

#[test]
fn an_output_is_chosen_by_its_name() {
    let why = read_file("two_outputs.onnx", None).unwrap_err().to_string();
    assert!(
        why.contains("label, probabilities") && why.contains("output ="),
        "{why}"
    );
    let why = read_file("two_outputs.onnx", Some("logits"))
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("no output `logits`") && why.contains("probabilities"),
        "{why}"
    );
    let read = read_file("two_outputs.onnx", Some("probabilities")).unwrap();
    assert!(
        read.read_as[0].contains("Softmax"),
        "behind an Identity: {:?}",
        read.read_as
    );
}

#[test]
fn trees_are_told_from_damaged_files() {
    let why = read_file("trees.onnx", None).unwrap_err().to_string();
    assert!(
        why.contains("decision trees") && why.contains("command"),
        "{why}"
    );
}
