//! Networks from files: what torch and ONNX Runtime answered (`cargo xtask peers weights`) is
//! answered here.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::path::{Path, PathBuf};

use duress_core::word::Word;
use duress_nn::compiled::Compiled;
use duress_nn::file::network::{Architecture, NetworkHints, ResidualHints, network, sources};
use duress_nn::network::{Network, Normalise, Operator};
use serde::Deserialize;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

#[derive(Deserialize)]
pub(crate) struct Case {
    pub(crate) file: String,
    input: [usize; 3],
    logits: Vec<f64>,
    architecture: Option<String>,
    mean: Option<Vec<f32>>,
    std: Option<Vec<f32>>,
    #[serde(default)]
    order: Vec<usize>,
    #[serde(default)]
    probabilities: bool,
}

impl Case {
    fn wanted(&self) -> NetworkHints {
        let scale = |std: &Vec<f32>| std.iter().map(|std| 1.0 / std).collect();
        NetworkHints {
            architecture: self
                .architecture
                .as_deref()
                .map_or(Architecture::Auto, |n| Architecture::from_word(n).unwrap()),
            classes: ["a", "b", "c", "d", "e"].map(String::from).to_vec(),
            input: Some(self.input),
            normalise: self
                .mean
                .clone()
                .zip(self.std.as_ref().map(scale))
                .map(|(mean, scale)| Normalise {
                    mean,
                    scale,
                    order: Vec::new(),
                }),
            order: self.order.clone(),
            residual: ResidualHints::default(),
            output: None,
        }
    }
}

pub(crate) fn cases() -> Vec<Case> {
    serde_json::from_slice(&std::fs::read(fixture("networks.json")).unwrap()).unwrap()
}

fn case(file: &str) -> Case {
    cases().into_iter().find(|case| case.file == file).unwrap()
}

/// A case's network, as its file has it.
pub(crate) fn fixture_network(case: &Case) -> Network {
    network(&fixture(&case.file), &case.wanted()).unwrap_or_else(|why| panic!("{why}"))
}

/// The same images as the script makes.
pub(crate) fn pixels(case: &Case) -> Vec<f32> {
    let count = 3 * case.input.iter().product::<usize>();
    (0..count)
        .map(|i| ((i * 37 + i / 7 * 11 + 11) % 101) as f32 / 100.0)
        .collect()
}

fn softmax(logits: &[f64]) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f64::MIN, f64::max);
    let powers: Vec<f64> = logits.iter().map(|x| (x - largest).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

fn assert_near(what: &str, ours: &[f64], theirs: &[f64], relative: f64) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    let largest = theirs
        .iter()
        .fold(0.0_f64, |largest, x| largest.max(x.abs()));
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert!(
            (ours - theirs).abs() <= relative * largest,
            "{what}: {ours} instead of {theirs}"
        );
    }
}

#[test]
fn every_network_answers_as_the_software_that_wrote_it() {
    let cases = cases();
    assert!(cases.len() >= 26, "{}", cases.len());
    for case in cases {
        let read = fixture_network(&case);
        assert_eq!(
            (read.input(), read.classes()),
            (case.input, &case.wanted().classes[..]),
            "{}",
            case.file
        );
        let logits = Compiled::new(read).logits(&pixels(&case));
        let mut ours: Vec<f64> = logits.into_iter().map(f64::from).collect();
        if case.probabilities {
            ours = ours.chunks_exact(5).flat_map(softmax).collect();
        }
        assert_near(&case.file, &ours, &case.logits, 1e-5);
    }
}

#[test]
fn a_network_of_our_own_comes_back_with_its_classes_and_its_normalisation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("network.json");
    let case = case("residual.pth");
    let written = network(&fixture(&case.file), &case.wanted()).unwrap();
    std::fs::write(&file, serde_json::to_vec(&written).unwrap()).unwrap();
    assert_eq!(network(&file, &NetworkHints::default()).unwrap(), written);
    let check = |wanted: NetworkHints, expected: &[&str]| {
        let why = network(&file, &wanted).unwrap_err().to_string();
        assert!(expected.iter().all(|part| why.contains(part)), "{why}");
    };
    let other = ["b", "a", "c", "d", "e"].map(String::from).to_vec();
    check(
        NetworkHints {
            classes: other,
            ..NetworkHints::default()
        },
        &["a, b, c, d, e", "b, a, c, d, e"],
    );
    check(
        NetworkHints {
            input: Some([1, 9, 9]),
            ..NetworkHints::default()
        },
        &["[1, 8, 8]", "[1, 9, 9]"],
    );
    check(
        NetworkHints {
            normalise: Some(Normalise::identity(1)),
            ..NetworkHints::default()
        },
        &["normalises its images itself"],
    );
    check(
        NetworkHints {
            order: vec![0],
            ..NetworkHints::default()
        },
        &["normalises its images itself", "`order`"],
    );
    std::fs::write(&file, b"{\"input\": [1, 8, 8]}").unwrap();
    check(
        NetworkHints::default(),
        &["missing field `classes`", "network.json"],
    );
}

#[test]
fn what_does_not_fit_is_refused_with_what_was_found_and_expected() {
    let check = |file: &str, change: &dyn Fn(&mut NetworkHints), expected: &[&str]| {
        let mut wanted = case(file).wanted();
        change(&mut wanted);
        let why = network(&fixture(file), &wanted).unwrap_err().to_string();
        assert!(
            why.contains(file) && expected.iter().all(|part| why.contains(part)),
            "{why}"
        );
    };
    let three = |wanted: &mut NetworkHints| wanted.classes.truncate(3);
    for file in ["residual.pth", "mlp.pth", "vgg_17.onnx"] {
        check(
            file,
            &three,
            &[
                "the network has 5 outputs",
                "expected 3, one per class: a, b, c",
            ],
        );
    }
    check(
        "residual.pth",
        &|wanted| wanted.normalise = None,
        &["how the images are normalised", "`mean` and `std`"],
    );
    check(
        "residual.pth",
        &|wanted| wanted.input = None,
        &["how large the images are", "size"],
    );
    check(
        "residual.pth",
        &|wanted| wanted.input = Some([3, 8, 8]),
        &["images with 1 channels", "[3, 8, 8]"],
    );
    let fifty = |wanted: &mut NetworkHints| wanted.architecture = Architecture::ResNet50;
    check(
        "residual.pth",
        &fifty,
        &[
            "a residual network of [1, 1, 1] blocks from width 2 on",
            "a ResNet-50",
        ],
    );
    check("mlp.pth", &fifty, &["no residual network", "`1.weight`"]);
    check(
        "mlp.pth",
        &|wanted| wanted.architecture = Architecture::Auto,
        &["`1.weight`", "architecture = \"mlp\"", "ONNX"],
    );
    let mlp = |wanted: &mut NetworkHints| wanted.architecture = Architecture::Mlp;
    check(
        "residual.pth",
        &mlp,
        &["`conv1.weight` of [2, 1, 3, 3] is no part of dense layers"],
    );
    check(
        "mlp.pth",
        &|wanted| wanted.input = Some([1, 9, 9]),
        &["takes 64 flat values, is given [81, 1, 1]"],
    );
    check(
        "vgg_17.onnx",
        &|wanted| wanted.input = Some([3, 32, 32]),
        &["[?, 3, 16, 16]", "[3, 32, 32]"],
    );
    check("lists.onnx", &|wanted| wanted.input = None, &["[?, 64]"]);
    check(
        "lists.onnx",
        &|wanted| wanted.input = Some([1, 7, 7]),
        &["[?, 64]", "[1, 7, 7]"],
    );
}

#[test]
fn operators_that_are_lacking_are_named_with_their_nodes_and_those_there_are() {
    let why = network(&fixture("unknown_operators.onnx"), &NetworkHints::default())
        .unwrap_err()
        .to_string();
    for part in [
        "`/act/Sinh` (Sinh) and 1 more",
        "of `` (LSTM)",
        "BatchNormalization, ",
        "MaxPool",
        "`command` subject",
    ] {
        assert!(why.contains(part), "{part}: {why}");
    }
}

#[test]
fn weights_that_are_no_numbers_are_refused_by_the_name_of_their_layer() {
    let check = |file: &str, wanted: &NetworkHints, expected: &str| {
        let why = network(&fixture(file), wanted).unwrap_err().to_string();
        assert!(why.contains(expected), "{why}");
    };
    check(
        "nan.onnx",
        &NetworkHints::default(),
        "node `fc` (dense): a weight is NaN",
    );
    let wanted = NetworkHints {
        architecture: Architecture::Mlp,
        input: Some([1, 8, 8]),
        normalise: Some(Normalise::identity(1)),
        ..NetworkHints::default()
    };
    check("nan.pth", &wanted, "a weight is NaN");
}

#[test]
fn weights_beside_an_onnx_file_are_part_of_it_and_must_be_there() {
    assert_eq!(
        sources(&fixture("beside.onnx")).unwrap(),
        [fixture("beside.onnx"), fixture("beside.weights")]
    );
    assert_eq!(sources(&fixture("mlp.pth")).unwrap(), [fixture("mlp.pth")]);
    let folder = tempfile::tempdir().unwrap();
    let alone = folder.path().join("alone.onnx");
    std::fs::copy(fixture("beside.onnx"), &alone).unwrap();
    let why = network(&alone, &case("beside.onnx").wanted())
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("initializer `") && why.contains("beside.weights"),
        "{why}"
    );
    let bytes = std::fs::read(&alone).unwrap();
    let mut moved = bytes.clone();
    for at in 0..bytes.len() - 14 {
        if &bytes[at..at + 14] == b"beside.weights" {
            moved[at..at + 14].copy_from_slice(b"../side.weight");
        }
    }
    std::fs::write(&alone, moved).unwrap();
    let why = network(&alone, &case("beside.onnx").wanted())
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("`../side.weight`") && why.contains("in the folder of the model"),
        "{why}"
    );
}

/// A product of matrices and what is added to it are one dense layer, and dropout leaves nothing
/// behind.
#[test]
fn an_onnx_file_becomes_no_more_nodes_than_it_needs() {
    let names = |file: &str| -> Vec<&'static str> {
        let read = network(&fixture(file), &case(file).wanted()).unwrap();
        read.nodes()
            .iter()
            .map(|node| node.operator.name())
            .collect()
    };
    let expected = [
        "normalise",
        "flatten",
        "dense",
        "relu",
        "dense",
        "sigmoid",
        "dense",
        "batch-norm",
    ];
    assert_eq!(names("lists.onnx"), expected);
    let expected = [
        "normalise",
        "conv",
        "relu",
        "max-pool",
        "conv",
        "batch-norm",
        "global-avg-pool",
        "dense",
    ];
    assert_eq!(names("by_hand_13.onnx"), expected);
    assert!(!names("mobilenet_11.onnx").contains(&"dropout"));
}

#[test]
fn a_damaged_onnx_file_is_refused_and_nothing_panics() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged.onnx");
    for name in ["by_hand_18.onnx", "lists.onnx", "dense_20.onnx"] {
        let wanted = case(name).wanted();
        let whole = std::fs::read(fixture(name)).unwrap();
        let read = |bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            network(&file, &wanted)
        };
        for end in (0..whole.len()).step_by(13) {
            let why = read(&whole[..end]).expect_err("a file that was cut short");
            assert!(why.to_string().contains("damaged.onnx"), "{why}");
        }
        let mut bytes = whole;
        for at in (0..bytes.len()).step_by(5) {
            bytes[at] ^= 0xff;
            let _: Result<Network, _> = read(&bytes);
            bytes[at] ^= 0xff;
        }
    }
}

#[test]
fn a_whole_resnet_is_told_by_its_names() {
    let case = case("bottleneck.pth");
    let read = network(&fixture(&case.file), &case.wanted()).unwrap();
    let pools = read
        .nodes()
        .iter()
        .filter(|node| matches!(node.operator, Operator::MaxPool(_)))
        .count();
    assert_eq!(
        (pools, read.nodes().last().unwrap().name.as_str()),
        (1, "fc")
    );
}
