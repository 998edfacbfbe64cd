//! Networks that were trained elsewhere, and processes with gradients, attacked through the real
//! command.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::harness::ended as duress;

/// Weights that PyTorch trained on digits and on nothing much (`cargo xtask peers weights`).
fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../duress-nn/tests/fixtures")
}

/// A study of subjects on digits under PGD, in a folder with the weights beside it.
fn study(subjects: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("checkpoints")).unwrap();
    for entry in fs::read_dir(fixtures().join("digits")).unwrap().flatten() {
        fs::copy(
            entry.path(),
            folder.path().join("checkpoints").join(entry.file_name()),
        )
        .unwrap();
    }
    write(folder.path(), subjects);
    folder
}

fn write(folder: &Path, subjects: &str) {
    let text = format!(
        r#"
name = "networks"
seeds = [42, 123]
[dataset.digits]
use = "digits"
fit-share = 0.9
{subjects}
[ladder.pgd]
use = "pgd"
steps = 5
severities = ["8/255", "48/255"]
[analysis]
gauges = ["accuracy"]
"#
    );
    fs::write(folder.join("study.toml"), text).unwrap();
}

fn run(folder: &Path) -> String {
    let (code, said) = duress(folder, &["run", "study.toml", "--out", "run"]);
    assert_eq!(code, 0, "{said}");
    said
}

/// The accuracy of a subject when clean and up the ladder.
fn accuracies(folder: &Path, subject: &str) -> Vec<f64> {
    let findings: Value =
        serde_json::from_slice(&fs::read(folder.join("run/5-findings.json")).unwrap()).unwrap();
    let estimates = findings["estimates"].as_array().unwrap();
    let mine = estimates
        .iter()
        .filter(|one| one["place"]["subject"] == subject && one["gauge"] == "accuracy");
    mine.filter_map(|one| one["value"]["value"].as_f64())
        .collect()
}

fn refused(subject: &str, expected: &[&str]) {
    let folder = study(subject);
    let harmful = fixtures().join("../../../duress-tensors/tests/fixtures");
    for entry in [fixtures(), harmful]
        .iter()
        .flat_map(|from| fs::read_dir(from).unwrap().flatten())
        .filter(|entry| entry.path().is_file())
    {
        fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    let whole = fs::read(fixtures().join("mlp.pth")).unwrap();
    fs::write(
        folder.path().join("truncated.pth"),
        &whole[..whole.len() - 40],
    )
    .unwrap();
    let (code, said) = duress(folder.path(), &["check", "study.toml", "--timing", "0"]);
    assert_eq!(code, 2, "{said}");
    for part in expected {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
    assert!(!folder.path().join("this-file-must-not-exist").exists());
}

const MLP: &str = r#"
[subject.mlp]
use = "network"
on = "digits"
file = "checkpoints"
model = "mlp"
architecture = "mlp"
mean = [0.3]
std = [0.4]
"#;

const RESIDUAL: &str = r#"
[subject.residual]
use = "network"
on = "digits"
file = "checkpoints/{model}_seed{seed}_best.safetensors"
model = "residual"
classes = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
size = [8]
mean = [0.3]
std = [0.4]
"#;

#[test]
fn networks_found_by_seed_are_attacked_and_other_weights_are_asked_anew() {
    let folder = study(&[MLP, RESIDUAL].concat());
    run(folder.path());
    for (subject, least) in [("mlp", 0.98), ("residual", 0.9)] {
        let [clean, weak, strong] = accuracies(folder.path(), subject)[..] else {
            panic!("three rungs")
        };
        assert!(
            clean > least && weak < clean && strong < weak / 2.0,
            "{subject}: {clean} {weak} {strong}"
        );
    }
    let before = accuracies(folder.path(), "mlp");
    run(folder.path());
    assert_eq!(accuracies(folder.path(), "mlp"), before);
    // The other seed's weights under this seed's name: the keys are the same, the content is not.
    let checkpoints = folder.path().join("checkpoints");
    fs::copy(
        checkpoints.join("mlp_seed123_best.pth"),
        checkpoints.join("mlp_seed42_best.pth"),
    )
    .unwrap();
    run(folder.path());
    assert_ne!(accuracies(folder.path(), "mlp"), before);
}

#[test]
fn a_process_with_gradients_is_attacked_through_a_whole_study() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("there is no python3 here: the process is not tested");
        return;
    }
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/command/nearest_mean.py");
    let subject = format!(
        r#"
[subject.process]
use = "command"
on = "digits"
command = ["python3", {:?}]
accepts = "images"
answers = "classes"
learns = "labels"
gradients = true
"#,
        script.to_str().unwrap()
    );
    let folder = study(&subject);
    run(folder.path());
    let [clean, weak, strong] = accuracies(folder.path(), "process")[..] else {
        panic!("three rungs")
    };
    assert!(
        clean > 0.85 && weak < clean && strong < weak / 2.0,
        "{clean} {weak} {strong}"
    );
}

/// Nine files of the challenge's kind: every depth and colour that there is, one of a single pixel,
/// and one that was cut short.
fn lesions(folder: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../duress-parts/tests/fixtures/images");
    let mut truth = String::from("image,MEL,NV,BCC,AKIEC,BKL,DF,VASC\n");
    fs::create_dir(folder.join("isic")).unwrap();
    let files = [
        "baseline.jpg",
        "cmyk.jpg",
        "grey.jpg",
        "grey16.png",
        "one.png",
        "palette.png",
        "progressive.jpg",
        "rgba.png",
    ];
    for (at, name) in files.iter().chain(&["rgb.png"]).enumerate() {
        let mut bytes = fs::read(from.join(name)).unwrap();
        let ending = name.rsplit_once('.').unwrap().1;
        if at == files.len() {
            bytes.truncate(60);
        }
        fs::write(folder.join(format!("isic/ISIC_{at:07}.{ending}")), bytes).unwrap();
        truth += &format!("ISIC_{at:07},1.0,0.0,0.0,0.0,0.0,0.0,0.0\n");
    }
    fs::write(folder.join("isic_GroundTruth.csv"), truth).unwrap();
}

/// A network that says melanoma, by so little that a pattern of alternating pixels makes it a
/// naevus.
fn hesitant(folder: &Path) {
    let pattern = |at: usize| {
        if (at / 8 + at).is_multiple_of(2) {
            1.0
        } else {
            -1.0
        }
    };
    let weight = |at: usize| {
        if at / 192 == 1 {
            pattern(at) / 192.0
        } else {
            0.0
        }
    };
    let weights: Vec<f64> = (0..7 * 192).map(weight).collect();
    let node = |name: &str, inputs: &[usize], operator: Value| serde_json::json!({ "name": name, "inputs": inputs, "operator": operator });
    let normalise =
        serde_json::json!({ "normalise": { "mean": [0.5, 0.5, 0.5], "scale": [1.0, 1.0, 1.0] } });
    let bias = [0.05, 0.0, -1.0, -1.0, -1.0, -1.0, -1.0];
    let dense = serde_json::json!({ "dense": { "inputs": 192, "outputs": 7, "weights": weights, "bias": bias } });
    let network = serde_json::json!({
        "input": [3, 8, 8],
        "classes": ["MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC"],
        "nodes": [node("image", &[], normalise), node("flat", &[0], "flatten".into()), node("fc", &[1], dense)],
    });
    fs::write(
        folder.join("hesitant_seed42_best.json"),
        network.to_string(),
    )
    .unwrap();
}

#[test]
fn pictures_of_every_kind_are_attacked_and_a_broken_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    lesions(folder.path());
    hesitant(folder.path());
    let study = |more: &str| {
        let text = format!(
            r#"
name = "lesions"
seeds = [42]
[dataset.lesions]
use = "isic-2018"
path = "isic"
size = 8
{more}
[subject.hesitant]
use = "network"
on = "lesions"
file = "."
[ladder.pgd]
use = "pgd"
severities = ["4/255", "16/255"]
[analysis]
gauges = ["accuracy", "flip-radius"]
"#
        );
        fs::write(folder.path().join("study.toml"), text).unwrap();
    };
    study("");
    let (code, said) = duress(folder.path(), &["run", "study.toml", "--out", "run"]);
    assert_eq!(code, 2, "{said}");
    assert!(
        said.contains("1 of 9 images") && said.contains("ISIC_0000008.png"),
        "{said}"
    );
    study("unreadable = \"leave-out\"");
    run(folder.path());
    let [clean, weak, strong] = accuracies(folder.path(), "hesitant")[..] else {
        panic!("three rungs")
    };
    assert!(
        clean >= 0.75 && weak <= clean && strong < weak,
        "{clean} {weak} {strong}"
    );
    let findings = fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap();
    assert!(
        findings.contains("1 of 9 images"),
        "what was left out is said"
    );
}

#[test]
fn files_that_cannot_be_are_refused_before_anything_runs() {
    let one = |file: &str, more: &str| {
        format!("[subject.odd]\nuse = \"network\"\non = \"digits\"\nfile = \"{file}\"\n{more}\n")
    };
    let plain = "architecture = \"mlp\"\nmean = [0]\nstd = [1]";
    refused(
        &one("truncated.pth", plain),
        &["truncated.pth", "not a whole archive", "wrote to its end"],
    );
    refused(
        &one("executes.pth", plain),
        &["executes.pth", "`posix.system`", "nothing was executed"],
    );
    refused(
        &one("unknown_operators.onnx", ""),
        &["`/act/Sinh` (Sinh)", "LSTM", "BatchNormalization"],
    );
    refused(&one("nan.pth", plain), &["a weight is NaN"]);
    refused(
        &one("mlp.pth", plain),
        &[
            "the network's classes are 0, 1, 2, 3, 4",
            "0, 1, 2, 3, 4, 5, 6, 7, 8, 9",
        ],
    );
    let ten = format!(
        "classes = [\"9\", \"8\", \"7\", \"6\", \"5\", \"4\", \"3\", \"2\", \"1\", \"0\"]\n{plain}"
    );
    refused(
        &one("mlp.pth", &ten),
        &["the network has 5 outputs", "10, one per class: 9, 8, 7"],
    );
    refused(
        &one("checkpoints/mlp_seed{seed}_best.pth", &ten),
        &[
            "9, 8, 7, 6, 5, 4, 3, 2, 1, 0",
            "the dataset's, in their order: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9",
        ],
    );
    refused(&one("vgg_17.onnx", ""), &["[?, 3, 16, 16]", "[1, 8, 8]"]);
    refused(
        &one("checkpoints/mlp_seed{seed}_best.pth", ""),
        &["do not tell", "architecture = \"mlp\""],
    );
    refused(
        &one("checkpoints/mlp_seed{sed}_best.pth", plain),
        &["`{sed}`", "did you mean `seed`?"],
    );
    refused(
        &one("checkpoints/{model}.pth", plain),
        &["there is no `model`"],
    );
    refused(
        &one("checkpoints/other_seed{seed}.pth", plain),
        &["other_seed42.pth", "seed = 42", "there is: "],
    );
    refused(
        &one("checkpoints", plain),
        &["holds 2 models for seed 42: mlp, residual"],
    );
    refused(
        &one("checkpoints", &format!("model = \"x\"\n{plain}")),
        &["no x_seed42_best.pth", "mlp_seed"],
    );
    refused(&one("mlp.pth", "mean = [0.5]"), &["`mean` without `std`"]);
    refused(
        &one("mlp.pth", &format!("order = \"bgr\"\n{plain}")),
        &["three colours", "1 channels"],
    );
    refused(
        &one(
            "mlp.pth",
            "architecture = \"mlp\"\nmean = [0, 0, 0]\nstd = [1, 1, 1]",
        ),
        &["3 numbers each", "which have 1"],
    );
    refused(
        &one("mlp.pth", &format!("size = [9, 9]\n{plain}")),
        &["9 × 9", "8 × 8"],
    );
    refused(
        &one("mlp.pth", "mean = [\"x\"]\nstd = [1]"),
        &["a list of numbers"],
    );
}
