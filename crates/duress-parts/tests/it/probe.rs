//! What the weights of a residual network do not say: it is assumed aloud, can be stated, and a
//! probe settles it.
#![expect(clippy::unwrap_used, reason = "in a test an error is a failure")]

use std::path::Path;

use duress_core::answer::{Answers, Said};
use duress_core::data::{Dataset, Items};
use duress_core::part::{Build, Params, Raw};
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{Subject, SubjectPart, fit};
use duress_parts::classify::{datasets, subjects};
use duress_tables::testkit::{npy_of_numbers, npz};

const FIXTURES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../duress-nn/tests/fixtures/digits/"
);

fn digits() -> Dataset {
    let part = &datasets::digits::PART;
    let Build::Dataset(build) = part.build else {
        panic!("digits is a dataset")
    };
    let source = build(&Params::of(part, &[], Path::new("")).unwrap()).unwrap();
    source.load(Seed::new(1)).unwrap()
}

/// Weights of a small residual network that PyTorch trained on digits.
fn network(file: &str, keys: &[(&str, Raw)]) -> Box<dyn Subject> {
    let scale = |x: f64| Raw::List(vec![Raw::Number(x)]);
    let own = [
        ("file", Raw::Text(format!("{FIXTURES}{file}"))),
        ("mean", scale(0.3)),
        ("std", scale(0.4)),
    ];
    let part = &subjects::network::PART;
    let Build::Subject(build) = part.build else {
        panic!("network is a subject")
    };
    let params = Params::of(part, &[&own, keys].concat(), Path::new("")).unwrap();
    match build(&params).unwrap() {
        SubjectPart::Live(subject) => subject,
        SubjectPart::Recorded(_) => panic!("a network is asked here"),
    }
}

const RESIDUAL: &str = "residual_seed123_best.safetensors";

fn logits(subject: &dyn Subject, data: &Dataset, items: &Items) -> Vec<f64> {
    let fitted = fit(subject, data.fit().unwrap(), Seed::new(1)).unwrap();
    match fitted.answer(Question::Classes, items).unwrap() {
        Answers::Classes(said) => match said.said() {
            Said::Logits(logits) => logits.clone(),
            _ => panic!("a network answers with logits"),
        },
        other => panic!("{:?} were not asked for", other.question()),
    }
}

/// A probe with these logits, in a folder that stays as long as what is returned.
fn probe(items: &Items, logits: &[f64]) -> (tempfile::TempDir, Raw) {
    let pixels: Vec<f64> = items
        .images()
        .unwrap()
        .pixels()
        .iter()
        .map(|x| f64::from(*x))
        .collect();
    let n = items.len();
    let arrays = [
        ("inputs", npy_of_numbers(&[n, 1, 8, 8], &pixels)),
        ("logits", npy_of_numbers(&[n, 10], logits)),
    ];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("probe.npz");
    std::fs::write(&file, npz(&arrays)).unwrap();
    (folder, Raw::Text(file.to_string_lossy().into_owned()))
}

fn text(word: &str) -> Raw {
    Raw::Text(word.into())
}

#[test]
fn what_weights_do_not_say_is_said_to_be_assumed_until_somebody_says_it() {
    let data = digits();
    let items = data.test().items();
    let said = network(RESIDUAL, &[]).remarks(1, items).join(" ");
    for words in [
        "stride 1 and no pool",
        "`stem`",
        "ε = 1e-5",
        "`epsilon`",
        "`probe`",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    // It has no blocks in which a stride could be in two places.
    assert!(!said.contains("stride-in"), "{said}");
    // What is kept with the answers is the same.
    let fitted = fit(
        network(RESIDUAL, &[]).as_ref(),
        data.fit().unwrap(),
        Seed::new(1),
    );
    assert_eq!(fitted.unwrap().remarks().join(" "), said);
    let stated = [("stem", text("stride-1")), ("epsilon", Raw::Number(1e-5))];
    assert!(network(RESIDUAL, &stated).remarks(1, items).is_empty());
    // Where the file says everything, or is of another kind, the keys are a mistake.
    let mlp = [("architecture", text("mlp")), ("stem", text("stride-2"))];
    let why = network("mlp_seed42_best.pth", &mlp)
        .suits(1, items, None)
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("`stem`") && why.contains("this is none"),
        "{why}"
    );
}

#[test]
fn a_probe_tells_another_stem_and_another_epsilon_before_anything_runs() {
    let data = digits();
    let items = data.test().items().select(&[0, 1, 2, 3, 4, 5, 6, 7]);
    let usual = logits(network(RESIDUAL, &[]).as_ref(), &data, &items);
    for (key, value) in [
        ("stem", text("stride-1-pool")),
        ("stem", text("stride-2")),
        ("stem", text("stride-2-pool")),
        ("epsilon", Raw::Number(1e-2)),
    ] {
        let other = [(key, value)];
        let theirs = logits(network(RESIDUAL, &other).as_ref(), &data, &items);
        assert_ne!(theirs, usual, "{other:?}");
        let (_folder, file) = probe(&items, &theirs);
        let with_probe = [("probe", file)];
        let why = network(RESIDUAL, &with_probe)
            .suits(1, &items, None)
            .unwrap_err()
            .to_string();
        assert!(
            why.contains("gives other logits") && why.contains(&format!("`{key}`")),
            "{other:?}: {why}"
        );
        let mended = network(RESIDUAL, &[&with_probe[..], &other].concat());
        assert_eq!(mended.suits(1, &items, None), Ok(()), "{other:?}");
    }
    // The framework's own rounding is no difference.
    let rounded: Vec<f64> = usual.iter().map(|x| x * (1.0 + 1e-5)).collect();
    let (_folder, file) = probe(&items, &rounded);
    let agreed = network(RESIDUAL, &[("probe", file)]);
    assert_eq!(agreed.suits(1, &items, None), Ok(()));
    let said = agreed.remarks(1, &items).join(" ");
    assert!(said.contains("its logits are those of `probe`"), "{said}");
}

#[test]
fn a_probe_of_another_shape_or_scale_is_refused() {
    let data = digits();
    let items = data.test().items().select(&[0, 1]);
    let usual = logits(network(RESIDUAL, &[]).as_ref(), &data, &items);
    let (_folder, file) = probe(&items, &usual[..10]);
    assert!(
        network(RESIDUAL, &[("probe", file)])
            .suits(1, &items, None)
            .is_err()
    );
    for odd in [f64::NAN, f64::INFINITY] {
        let mut logits = usual.clone();
        logits[3] = odd;
        let (_folder, file) = probe(&items, &logits);
        let refused = network(RESIDUAL, &[("probe", file)]).suits(1, &items, None);
        let why = refused.unwrap_err().to_string();
        assert!(why.contains(&format!("`logits` has {odd}")), "{why}");
        assert!(!why.contains('%'), "{why}");
    }
}

#[test]
fn a_stride_that_could_only_be_in_one_place_is_not_stated() {
    let data = digits();
    let stated = network(RESIDUAL, &[("stride-in", text("1x1"))]);
    let refused = stated.suits(1, data.test().items(), None);
    let why = refused.unwrap_err().to_string();
    assert!(
        why.contains("`stride-in` is about blocks of three"),
        "{why}"
    );
}
