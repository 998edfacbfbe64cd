//! State dicts that PyTorch wrote, with the logits it gave (`peers/probes`): what weights do not say
//! is refused by the probe until it is stated, and then the logits are PyTorch's.
#![expect(clippy::unwrap_used, reason = "in a test an error is a failure")]

use std::path::Path;

use duress_core::data::{Images, Inputs, Items};
use duress_core::part::{Build, Params, Raw};
use duress_core::problem::Problem;
use duress_core::subject::{Subject, SubjectPart};
use duress_nn::architecture::{Stem, StrideIn};
use duress_nn::compiled::Compiled;
use duress_nn::file::network::{NetworkHints, ResidualHints, network};
use duress_nn::network::Normalise;
use duress_parts::classify::subjects;
use duress_tables::formats::npz;
use serde_json::{Map, Value};

const PROBES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/probes/");
const MEAN: [f64; 3] = [0.485, 0.456, 0.406];
const STD: [f64; 3] = [0.229, 0.224, 0.225];

/// How far logits may be from PyTorch's, as a share of the largest.
const TOLERANCE: f64 = 1e-4;

/// Every network with the keys that it needs.
fn networks() -> Vec<(String, Map<String, Value>)> {
    let text = std::fs::read_to_string(format!("{PROBES}keys.json")).unwrap();
    let all: Map<String, Value> = serde_json::from_str(&text).unwrap();
    let keys = |value: Value| value.as_object().unwrap().clone();
    all.into_iter()
        .map(|(name, value)| (name, keys(value)))
        .collect()
}

fn list(numbers: &[f64]) -> Raw {
    Raw::List(numbers.iter().map(|x| Raw::Number(*x)).collect())
}

fn subject(name: &str, stated: &Map<String, Value>) -> Box<dyn Subject> {
    let path = |ending: &str| Raw::Text(format!("{PROBES}{name}.{ending}"));
    let mut keys = vec![
        ("file", path("pth")),
        ("mean", list(&MEAN)),
        ("std", list(&STD)),
        ("probe", path("npz")),
    ];
    keys.extend(stated.iter().map(|(key, value)| {
        let value = match value.as_str() {
            Some(word) => Raw::Text(word.into()),
            None => Raw::Number(value.as_f64().unwrap()),
        };
        (key.as_str(), value)
    }));
    let part = &subjects::network::PART;
    let Build::Subject(build) = part.build else {
        panic!("network is a subject")
    };
    match build(&Params::of(part, &keys, Path::new("")).unwrap()).unwrap() {
        SubjectPart::Live(subject) => subject,
        SubjectPart::Recorded(_) => panic!("a network is asked here"),
    }
}

fn normalise() -> Normalise {
    Normalise {
        mean: MEAN.map(|x| x as f32).to_vec(),
        scale: STD.map(|x| (1.0 / x) as f32).to_vec(),
        order: Vec::new(),
    }
}

fn check(name: &str, stated: &Map<String, Value>) -> Result<(), Problem> {
    let images = Images::new([3, 16, 16], vec![0.5; 3 * 16 * 16]).unwrap();
    let items = Items::new(vec!["any".into()], Inputs::Images(images)).unwrap();
    subject(name, stated).suits(1, &items, None)
}

#[test]
fn a_probe_refuses_what_is_unusual_until_the_study_says_it() {
    let networks = networks();
    let unusual = networks.iter().filter(|(_, keys)| !keys.is_empty()).count();
    assert!(unusual >= 5 && unusual < networks.len(), "{unusual}");
    for (name, keys) in &networks {
        assert_eq!(check(name, keys), Ok(()), "{name} with {keys:?}");
        // Each of the keys is needed.
        for left_out in keys.keys() {
            let mut fewer = keys.clone();
            fewer.remove(left_out);
            let why = check(name, &fewer).unwrap_err().to_string();
            assert!(why.contains("gives other logits"), "{name}: {why}");
            assert!(why.contains(&format!("`{left_out}`")), "{name}: {why}");
        }
    }
}

#[test]
fn logits_are_those_of_pytorch() {
    for (name, keys) in networks() {
        let probe = npz::tensors(format!("{PROBES}{name}.npz").as_ref()).unwrap();
        let (inputs, theirs) = (&probe["inputs"], &probe["logits"].values);
        let stem = keys.get("stem").map(|word| match word.as_str().unwrap() {
            "stride-1-pool" => (1, true),
            "stride-2" => (2, false),
            other => panic!("{other}"),
        });
        let hints = NetworkHints {
            input: Some([3, 16, 16]),
            normalise: Some(normalise()),
            residual: ResidualHints {
                stem: stem.map(|(stride, pool)| Stem { stride, pool }),
                stride_in: keys.get("stride-in").map(|_| StrideIn::Narrowing),
                epsilon: keys.get("epsilon").map(|x| x.as_f64().unwrap() as f32),
            },
            ..NetworkHints::default()
        };
        let read = network(format!("{PROBES}{name}.pth").as_ref(), &hints).unwrap();
        let pixels: Vec<f32> = inputs.values.iter().map(|x| *x as f32).collect();
        let ours = Compiled::new(read).logits(&pixels);
        assert_eq!(ours.len(), theirs.len(), "{name}");
        let largest = theirs.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (ours, theirs) in ours.iter().zip(theirs) {
            let apart = (f64::from(*ours) - theirs).abs();
            assert!(apart <= TOLERANCE * largest, "{name}: {ours} {theirs}");
        }
    }
}

#[test]
fn weights_with_batch_norms_folded_into_them_are_refused_by_name() {
    let hints = NetworkHints {
        input: Some([3, 16, 16]),
        normalise: Some(normalise()),
        ..NetworkHints::default()
    };
    let why = network(format!("{PROBES}folded.pth").as_ref(), &hints)
        .unwrap_err()
        .to_string();
    assert!(why.contains("bn1") || why.contains("conv1.bias"), "{why}");
}
