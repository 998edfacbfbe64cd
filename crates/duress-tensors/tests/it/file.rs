//! Files with tensors: what torch and safetensors wrote (`cargo xtask peers weights`) is read back,
//! and nothing is executed.
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use duress_tensors::{ElementType, FileTensor, tensors, tensors_of};
use serde::Deserialize;

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn refusal(name: &str) -> String {
    tensors(&fixture(name)).unwrap_err().to_string()
}

#[derive(Deserialize)]
struct Expected {
    kind: String,
    shape: Vec<usize>,
    values: Vec<String>,
}

fn assert_is(name: &str, tensor: &FileTensor, expected: &Expected) {
    assert_eq!(tensor.element_type().to_string(), expected.kind, "{name}");
    assert_eq!(tensor.shape(), expected.shape, "{name}");
    match tensor.wholes() {
        Some(wholes) => {
            let expected: Vec<i64> = expected
                .values
                .iter()
                .map(|text| text.parse().unwrap())
                .collect();
            assert_eq!(wholes, expected, "{name}");
        }
        None => {
            let expected: Vec<f64> = expected
                .values
                .iter()
                .map(|text| text.parse().unwrap())
                .collect();
            assert_eq!(tensor.to_f64(), expected, "{name}");
        }
    }
}

#[test]
fn every_kind_and_every_stride_comes_back_from_every_form() {
    let expected = std::fs::read(fixture("tensors.json")).unwrap();
    let expected: BTreeMap<String, Expected> = serde_json::from_slice(&expected).unwrap();
    assert_eq!(expected.len(), 18);
    let check = |file: &str, prefix: &str| {
        let found = tensors(&fixture(file)).unwrap();
        for (name, expected) in &expected {
            let name = format!("{prefix}{name}");
            let (_, tensor) = found.iter().find(|(found, _)| *found == name).unwrap();
            assert_is(&name, tensor, expected);
        }
        found
    };
    check("tensors.safetensors", "");
    for file in [
        "checkpoint.pth",
        "checkpoint_legacy.pth",
        "checkpoint_protocol4.pth",
    ] {
        let found = check(file, "state_dict.module.");
        // The tensors of the optimiser are there too; numbers, texts and devices are passed over.
        assert_eq!(found.len(), 20, "{file}");
        let (_, average) = found
            .iter()
            .find(|(name, _)| name == "optimizer.state.0.exp_avg")
            .unwrap();
        assert_eq!(average.to_f32(), [1.0, 1.0]);
    }
}

#[test]
fn saved_tensors_without_names_get_some() {
    let lone = tensors(&fixture("lone.pt")).unwrap();
    assert_eq!(lone.len(), 1);
    assert_eq!(
        (lone[0].0.as_str(), lone[0].1.shape()),
        ("tensor", &[2, 3][..])
    );
    assert_eq!(lone[0].1.to_f32(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let listed = tensors(&fixture("listed.pt")).unwrap();
    let names: Vec<&str> = listed.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["0", "1.logits", "1.labels"]);
    assert_eq!(listed[2].1.wholes(), Some(vec![1]));
    let unsigned = tensors(&fixture("unsigned.pt")).unwrap();
    assert_eq!(
        (unsigned[0].1.element_type(), unsigned[0].1.wholes()),
        (ElementType::U16, Some(vec![65535, 1]))
    );
}

#[test]
fn a_file_of_a_big_endian_machine_gives_the_same_numbers() {
    assert_eq!(
        tensors(&fixture("big_endian.pt")).unwrap()[0].1.to_f32(),
        [1.5, -2.25]
    );
}

#[test]
fn a_pickle_that_asks_for_more_than_weights_is_refused_by_name() {
    let check = |file: &str, expected: &[&str]| {
        let why = refusal(file);
        assert!(
            expected.iter().all(|part| why.contains(part)),
            "{file}: {why}"
        );
    };
    check(
        "executes.pth",
        &["`posix.system`", "nothing was executed", "do not open"],
    );
    check(
        "executes_legacy.pth",
        &["`posix.system`", "nothing was executed"],
    );
    check(
        "module.pth",
        &[
            "`torch.nn.modules.linear.Linear`",
            "nothing was executed",
            "state_dict()",
        ],
    );
    check("complex.pth", &["`torch.ComplexFloatStorage`", "f32"]);
    check(
        "float8.pth",
        &["a kind of number that cannot be read", "bf16"],
    );
    check("float8.safetensors", &["tensor `w`", "F8_E4M3", "bf16"]);
    check(
        "script.pt",
        &["TorchScript", "nothing was executed", "ONNX"],
    );
    for odd in ["this-file-must-not-exist", "tests/this-file-must-not-exist"] {
        assert!(!Path::new(odd).exists());
    }
}

/// Every way to cut a file short, and a byte turned over at every place: a problem or other
/// numbers, never a panic.
#[test]
fn a_damaged_file_is_refused_and_nothing_panics() {
    for name in [
        "checkpoint.pth",
        "checkpoint_legacy.pth",
        "tensors.safetensors",
        "checkpoint_protocol4.pth",
    ] {
        let whole = std::fs::read(fixture(name)).unwrap();
        for end in 0..whole.len() {
            let why = tensors_of(&whole[..end]).expect_err(name);
            assert!(why.expected.is_some(), "{name} cut at {end}: {why}");
        }
        let read = |bytes: &[u8]| {
            if let Ok(found) = tensors_of(bytes) {
                found.iter().for_each(|(_, tensor)| drop(tensor.to_f64()));
            }
        };
        let mut bytes = whole;
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                bytes[at] ^= flip;
                read(&bytes);
                bytes[at] ^= flip;
            }
        }
    }
}

#[test]
fn a_file_of_another_kind_is_refused() {
    let check = |bytes: &[u8], expected: &str| {
        let why = tensors_of(bytes).unwrap_err().to_string();
        assert!(why.contains(expected), "{why}");
    };
    check(b"", "the file is empty");
    check(b"hello, this is a text", "neither");
    check(
        b"\x80\x04\x95\x0b\0\0\0\0\0\0\0}\x94\x8c\x01a\x94K\x01s.",
        "torch.save did not write",
    );
    check(
        b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
        "no data.pkl",
    );
    check(b"\x02\0\0\0\0\0\0\0{}", "there is no tensor");
    let why = tensors(Path::new("no/such/file.pth"))
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("no/such/file.pth") && why.contains("no such file"),
        "{why}"
    );
}
