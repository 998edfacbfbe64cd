//! The parts for classifiers: what every part must pass, and what holds between them. A new part is
//! tested by adding one line.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

mod attacks;
mod corruption_errors;
mod explanations;
mod lesions;
mod networks;
mod readings;

use std::path::Path;
use std::sync::{Arc, LazyLock};

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::data::{Dataset, Images, Inputs, Items, Source, Split};
use duress_core::gauge::{
    CellGauge, Columns, Detail, Gauge, LadderGauge, Meter, PairGauge, Rung, SealedCell,
    SubjectGauge, Undefined, Views, detail, open_cell, open_pair, open_pair_at,
};
use duress_core::name::Name;
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Aware, Blind, Climb, Spent, Stressor, climb, press};
use duress_core::subject::{Failure, FailureKind, Fitted, Subject, SubjectPart, fit};
use duress_core::testkit;
use duress_core::truth::{Labels, Sealed, Truth};
use duress_nn::network::{Dense, Network, Normalise, Operator};
use duress_parts::classify::{datasets, gauges, stressors, subjects};
use duress_parts::shared;

type Keys = &'static [(&'static str, Raw)];

const SMALL: Keys = &[("fit-share", Raw::Number(0.95))];
const FEW_IMAGES: Keys = &[("train", Raw::Whole(90)), ("test", Raw::Whole(120))];

const DATASETS: &[(&Part, Keys)] = &[
    (&datasets::digits::PART, &[]),
    (&datasets::digits::PART, SMALL),
    (&datasets::generated_lesions::PART, FEW_IMAGES),
];

/// Keys that hold words, which no constant can.
type MakeKeys = fn() -> Vec<(&'static str, Raw)>;

/// The published levels of corruptions, and some between.
const LEVELS: &[f64] = &[0.4, 1.0, 1.7, 2.0, 3.0, 4.0, 5.0];

/// Published levels differ in kind as well as in strength, so that some are milder than the one
/// before (`imagecorruptions` has the same): what rises is checked.
const FIRST_AND_THIRD: &[f64] = &[0.4, 1.0, 3.0];
const FIRST_AND_LAST: &[f64] = &[0.4, 1.0, 5.0];
const FIRST_AND_SECOND: &[f64] = &[0.4, 1.0, 2.0];

const DERMAMNIST: MakeKeys = || vec![("levels", text("dermamnist"))];
const UP: MakeKeys = || vec![("levels", text("dermamnist-up"))];
const DOWN: MakeKeys = || vec![("levels", text("dermamnist-down"))];

const BLIND: &[(&Part, MakeKeys, &[f64])] = &[
    (
        &stressors::gaussian_noise::PART,
        Vec::new,
        &[0.01, 0.05, 0.1, 0.3, 1.0],
    ),
    (
        &stressors::gaussian_noise::PART,
        || vec![("levels", text("imagenet-c"))],
        LEVELS,
    ),
    (&stressors::gaussian_noise::PART, DERMAMNIST, LEVELS),
    (&stressors::shot_noise::PART, Vec::new, LEVELS),
    (&stressors::shot_noise::PART, DERMAMNIST, LEVELS),
    (&stressors::impulse_noise::PART, Vec::new, LEVELS),
    (&stressors::impulse_noise::PART, DERMAMNIST, LEVELS),
    (&stressors::speckle_noise::PART, Vec::new, LEVELS),
    (&stressors::speckle_noise::PART, DERMAMNIST, LEVELS),
    (&stressors::gaussian_blur::PART, Vec::new, LEVELS),
    (&stressors::defocus_blur::PART, Vec::new, LEVELS),
    (&stressors::defocus_blur::PART, DERMAMNIST, LEVELS),
    (&stressors::glass_blur::PART, Vec::new, FIRST_AND_THIRD),
    (&stressors::motion_blur::PART, Vec::new, LEVELS),
    (&stressors::motion_blur::PART, DERMAMNIST, LEVELS),
    (&stressors::zoom_blur::PART, Vec::new, FIRST_AND_LAST),
    (&stressors::snow::PART, Vec::new, FIRST_AND_LAST),
    (&stressors::frost::PART, Vec::new, FIRST_AND_THIRD),
    (&stressors::fog::PART, Vec::new, FIRST_AND_LAST),
    (&stressors::brightness::PART, Vec::new, LEVELS),
    (&stressors::brightness::PART, UP, LEVELS),
    (&stressors::brightness::PART, DOWN, LEVELS),
    (&stressors::contrast::PART, Vec::new, LEVELS),
    (&stressors::contrast::PART, UP, LEVELS),
    (&stressors::contrast::PART, DOWN, LEVELS),
    (&stressors::elastic_transform::PART, Vec::new, LEVELS),
    (&stressors::pixelate::PART, Vec::new, FIRST_AND_LAST),
    (&stressors::pixelate::PART, DERMAMNIST, FIRST_AND_LAST),
    (&stressors::jpeg_compression::PART, Vec::new, FIRST_AND_LAST),
    (
        &stressors::jpeg_compression::PART,
        DERMAMNIST,
        FIRST_AND_LAST,
    ),
    (&stressors::spatter::PART, Vec::new, FIRST_AND_LAST),
    (&stressors::saturate::PART, Vec::new, FIRST_AND_SECOND),
    (&stressors::dark_corners::PART, Vec::new, LEVELS),
    (&stressors::bubbles::PART, Vec::new, LEVELS),
    (&stressors::hair::PART, Vec::new, LEVELS),
    (&stressors::ink_marks::PART, Vec::new, LEVELS),
    (&stressors::ruler_marks::PART, Vec::new, LEVELS),
];

const AWARE: &[(&Part, MakeKeys)] = &[
    (&stressors::fgsm::PART, Vec::new),
    (&stressors::fgsm::PART, || vec![("norm", text("l2"))]),
    (&stressors::pgd::PART, Vec::new),
    (&stressors::pgd::PART, || {
        vec![("norm", text("l2")), ("steps", Raw::Whole(5))]
    }),
    (&stressors::pgd::PART, || {
        vec![("restarts", Raw::Whole(3)), ("steps", Raw::Whole(4))]
    }),
    (&stressors::pgd::PART, || {
        vec![("random-start", Raw::Flag(false))]
    }),
    (&stressors::pgd::PART, || vec![("loss", text("margin"))]),
    (&stressors::apgd::PART, || vec![("steps", Raw::Whole(20))]),
    (&stressors::apgd::PART, || {
        vec![
            ("norm", text("l2")),
            ("loss", text("probability-margin")),
            ("steps", Raw::Whole(20)),
        ]
    }),
    (&stressors::apgd::PART, || {
        vec![
            ("loss", text("dlr")),
            ("targets", Raw::Whole(3)),
            ("restarts", Raw::Whole(2)),
            ("steps", Raw::Whole(10)),
        ]
    }),
    (&stressors::fmn::PART, || {
        vec![("norm", text("l2")), ("steps", Raw::Whole(20))]
    }),
    (&stressors::fmn::PART, || vec![("steps", Raw::Whole(20))]),
    (&stressors::fab::PART, || {
        vec![("steps", Raw::Whole(10)), ("targets", Raw::Whole(2))]
    }),
    (&stressors::fab::PART, || {
        vec![
            ("norm", text("l2")),
            ("steps", Raw::Whole(10)),
            ("targets", Raw::Whole(2)),
        ]
    }),
    (&stressors::square::PART, || {
        vec![("queries", Raw::Whole(50))]
    }),
    (&stressors::square::PART, || {
        vec![("norm", text("l2")), ("queries", Raw::Whole(50))]
    }),
    (&stressors::rays::PART, || {
        vec![("queries", Raw::Whole(100))]
    }),
    (&stressors::transfer::PART, || {
        vec![("from", text("another")), ("steps", Raw::Whole(10))]
    }),
    (&stressors::attack_suite::PART, Vec::new),
    (&stressors::attack_suite::PART, || {
        vec![("norm", text("l2"))]
    }),
];

const SUBJECTS: &[(&Part, MakeKeys)] = &[
    (&subjects::trained::PART, || {
        vec![("network", text("linear")), ("epochs", Raw::Whole(3))]
    }),
    (&subjects::trained::PART, || vec![("epochs", Raw::Whole(3))]),
    (&subjects::trained::PART, || {
        vec![("epochs", Raw::Whole(3)), ("optimiser", text("sgd"))]
    }),
    (&subjects::trained::PART, || {
        vec![("epochs", Raw::Whole(4)), ("validation", Raw::Number(0.2))]
    }),
    (&subjects::trained::PART, || {
        vec![
            ("network", text("residual")),
            ("width", Raw::Whole(4)),
            ("epochs", Raw::Whole(1)),
        ]
    }),
    (&subjects::trained::PART, || {
        vec![("epochs", Raw::Whole(2)), ("adversarial", text("8/255"))]
    }),
    (&subjects::trained::PART, || {
        vec![("epochs", Raw::Whole(2)), ("dropout", Raw::Number(0.2))]
    }),
    (&subjects::network::PART, || {
        from_file("mlp_seed42_best.pth", &[("architecture", text("mlp"))])
    }),
    (&subjects::network::PART, || {
        from_file("residual_seed123_best.safetensors", &[])
    }),
    (&subjects::trained::PART, || {
        let hidden = Raw::List(vec![Raw::Whole(33), Raw::Whole(7)]);
        vec![("epochs", Raw::Whole(3)), ("hidden", hidden)]
    }),
];

const CELL_GAUGES: &[(&Part, Keys)] = &[
    (&gauges::accuracy::PART, &[]),
    (&gauges::augrc::PART, &[]),
    (&gauges::aurc::PART, &[]),
    (&gauges::aurc_fd_shifts::PART, &[]),
    (&gauges::aurc_minus_error_rate::PART, &[]),
    (&gauges::aurc_torch_uncertainty::PART, &[]),
    (&gauges::auroc_macro::PART, &[]),
    (&gauges::balanced_accuracy::PART, &[]),
    (&gauges::brier::PART, &[]),
    (&gauges::coverage::PART, &[]),
    (&gauges::coverage::PART, AT_90),
    (&gauges::e_aurc::PART, &[]),
    (&gauges::ece::PART, &[]),
    (&gauges::ece::PART, &[("bins", Raw::Whole(1))]),
    (&gauges::ece_debiased::PART, &[]),
    (&gauges::ece_equal_mass::PART, &[]),
    (&gauges::ece_netcal::PART, &[]),
    (&gauges::ece_torchmetrics::PART, &[]),
    (&gauges::f1::PART, &[]),
    (&gauges::f1_weighted::PART, &[]),
    (&gauges::mcc::PART, &[]),
    (&gauges::mce::PART, &[]),
    (&gauges::nll::PART, &[]),
    (&gauges::temperature::PART, &[]),
    (&gauges::precision::PART, &[]),
    (&gauges::recall::PART, &[]),
    (&gauges::rejection_quality::PART, &[]),
    (&gauges::rejection_quality::PART, AT_90),
    (&gauges::risk_accepted::PART, AT_90),
    (&gauges::risk_rejected::PART, AT_90),
    (&gauges::selective_accuracy::PART, &[]),
    (&gauges::selective_accuracy::PART, AT_90),
    (&gauges::selective_improvement::PART, AT_90),
    (&gauges::selective_threshold::PART, AT_90),
];

const PAIR_GAUGES: &[&Part] = &[
    &gauges::accuracy_gap::PART,
    &gauges::attack_success_rate::PART,
];

const LADDER_GAUGES: &[&Part] = &[&shared::gauges::area::PART, &gauges::flip_radius::PART];

const SUBJECT_GAUGES: &[(&Part, MakeKeys)] = &[
    (&shared::gauges::harmonic_mean::PART, Vec::new),
    (&shared::gauges::harmonic_mean::PART, || {
        vec![("ladder", text("pgd")), ("severity", Raw::Number(1.0))]
    }),
    (&shared::gauges::mean_over_ladders::PART, Vec::new),
    (&gauges::mean_corruption_error::PART, REFERENCE),
    (&gauges::relative_corruption_error::PART, REFERENCE),
];

const REFERENCE: MakeKeys = || vec![("reference", text("baseline"))];

const AT_90: Keys = &[("coverage", Raw::Number(0.9))];

#[test]
fn every_dataset_keeps_the_rules() {
    for (part, keys) in DATASETS {
        testkit::check_source(source(part, keys).as_ref());
    }
}

#[test]
fn every_blind_stressor_keeps_the_rules() {
    let photographs = photographs(24, [3, 40, 48]);
    for (part, keys, rungs) in BLIND {
        println!("{}", part.name); // so that a failure says whose it is
        testkit::check_blind(corruption(part, &keys()).as_ref(), &photographs, rungs);
    }
}

/// Pictures in colour with what photographs have: slopes, patches, edges and some grain.
fn photographs(n: usize, shape: [usize; 3]) -> Split {
    let [channels, height, width] = shape;
    let mut pixels = Vec::with_capacity(n * channels * height * width);
    for image in 0..n {
        let mut draws = Seed::new(image as u64).draws();
        let tint: Vec<f64> = (0..channels).map(|_| draws.between(0.2, 0.7)).collect();
        let (slope, edge) = (draws.between(-0.3, 0.3), draws.below(width));
        for tint in tint {
            for at in 0..height * width {
                let (row, column) = (at / width, at % width);
                let patch = if column > edge { 0.2 } else { 0.0 };
                let grain = draws.between(-0.05, 0.05);
                let value = tint + slope * row as f64 / height as f64 + patch + grain;
                pixels.push(value.clamp(0.0, 1.0) as f32);
            }
        }
    }
    let ids = (0..n).map(|image| format!("photograph {image}")).collect();
    let images = Images::new(shape, pixels).unwrap();
    let items = Items::new(ids, Inputs::Images(images)).unwrap();
    let labels = Labels::new(classes(&["a", "b"]), vec![0; n]).unwrap();
    Split::new(items, Truth::Labels(labels)).unwrap()
}

#[test]
fn every_attack_keeps_the_rules() {
    for (part, keys) in AWARE {
        testkit::check_aware(
            attack(part, &keys()).as_ref(),
            MLP.as_ref(),
            FEW.test(),
            &[0.02, 0.1, 0.3, 1.0],
        );
    }
}

#[test]
fn every_subject_keeps_the_rules() {
    for (part, keys) in SUBJECTS {
        testkit::check_subject(
            subject(part, &keys()).as_ref(),
            DIGITS.fit().unwrap(),
            FEW.test().items(),
        );
    }
}

#[test]
fn every_cell_gauge_keeps_the_rules() {
    for (part, keys) in CELL_GAUGES {
        testkit::check_cell_gauge(cell_gauge(part, keys).as_ref(), &cases(), &perfect());
    }
}

/// Gauges of two classes, which read nothing of more.
const TWO_CLASS_GAUGES: &[(&Part, Keys)] = &[(&gauges::ece_torchmetrics_binary::PART, &[])];

#[test]
fn every_gauge_of_two_classes_keeps_the_rules() {
    let case = |of: Vec<u32>, second: Vec<f64>| {
        let rows = second.iter().flat_map(|p| [1.0 - p, *p]).collect();
        let said = ClassAnswers::new(classes(&["no", "yes"]), Said::Probabilities(rows));
        let truth = Labels::new(classes(&["no", "yes"]), of).unwrap();
        (Truth::Labels(truth), Answers::Classes(said))
    };
    let mut draws = Seed::new(5).draws();
    let second: Vec<f64> = (0..20).map(|_| draws.uniform()).collect();
    let of: Vec<u32> = (0..20).map(|_| draws.below(2) as u32).collect();
    let all = [
        case(of, second),
        case(vec![1; 4], vec![0.0, 0.5, 1.0, 1.0]),
        case(vec![0], vec![0.2]),
        cases().remove(0),
    ];
    let perfect = case(vec![0, 1, 1, 0], vec![0.0, 1.0, 1.0, 0.0]);
    for (part, keys) in TWO_CLASS_GAUGES {
        testkit::check_cell_gauge(cell_gauge(part, keys).as_ref(), &all, &perfect);
    }
}

/// Gauges of shares of several answers.
const REPEATED_GAUGES: &[(&Part, Keys)] = &[
    (
        &gauges::pass_all::PART,
        &[("repeats", Raw::Whole(4)), ("k", Raw::Whole(2))],
    ),
    (
        &gauges::repeat_stability::PART,
        &[("repeats", Raw::Whole(4))],
    ),
];

/// Truth and answers about two classes, the second of which was named so many times of four.
fn asked_four_times(of: &[u32], second: &[u8]) -> (Truth, Answers) {
    let rows = second
        .iter()
        .flat_map(|times| [1.0 - f64::from(*times) / 4.0, f64::from(*times) / 4.0])
        .collect();
    let said = ClassAnswers::new(classes(&["no", "yes"]), Said::Probabilities(rows));
    let truth = Labels::new(classes(&["no", "yes"]), of.to_vec()).unwrap();
    (Truth::Labels(truth), Answers::Classes(said))
}

#[test]
fn every_gauge_of_repeated_answers_keeps_the_rules() {
    let all = [
        asked_four_times(&[0, 1, 1, 0, 1], &[0, 4, 2, 3, 1]),
        asked_four_times(&[1; 4], &[0, 2, 4, 4]),
        asked_four_times(&[0], &[1]),
    ];
    let perfect = asked_four_times(&[0, 1, 1, 0], &[0, 4, 4, 0]);
    for (part, keys) in REPEATED_GAUGES {
        testkit::check_cell_gauge(cell_gauge(part, keys).as_ref(), &all, &perfect);
    }
}

#[test]
fn repeated_answers_are_counted_as_binomials_are() {
    let read =
        |part: &'static Part, keys: &'static [(&'static str, Raw)], case: &(Truth, Answers)| {
            let gauge = cell_gauge(part, keys);
            let meter = open_cell(gauge.as_ref(), &Sealed::new(case.0.clone()), &case.1);
            meter.map(|meter| meter.plain().unwrap())
        };
    // Right 4, 3, 2 and 1 times of 4: 1, 1/2, 1/6 and 0 of the pairs.
    let case = asked_four_times(&[1; 4], &[4, 3, 2, 1]);
    let (pass, stability) = (REPEATED_GAUGES[0], REPEATED_GAUGES[1]);
    let value = read(pass.0, pass.1, &case).unwrap();
    assert!(
        (value - (1.0 + 0.5 + 1.0 / 6.0) / 4.0).abs() < 1e-12,
        "{value}"
    );
    // Pairs that agree: 1, 1/2, 2/6 and 1/2.
    let value = read(stability.0, stability.1, &case).unwrap();
    assert!(
        (value - (1.0 + 0.5 + 1.0 / 3.0 + 0.5) / 4.0).abs() < 1e-12,
        "{value}"
    );
    let other = Answers::Classes(ClassAnswers::new(
        classes(&["no", "yes"]),
        Said::Probabilities(vec![0.3, 0.7]),
    ));
    let truth = Labels::new(classes(&["no", "yes"]), vec![1]).unwrap();
    let why = read(pass.0, pass.1, &(Truth::Labels(truth), other))
        .err()
        .unwrap();
    assert!(why.why.contains("`repeats`"), "{why}");
}

#[test]
fn every_pair_gauge_keeps_the_rules() {
    // The first three cases are three ways to answer about the same items.
    let three = &cases()[..3];
    let pair = |clean: usize, pressed: usize| testkit::PairCase {
        truth: three[0].0.clone(),
        clean: three[clean].1.clone(),
        pressed: three[pressed].1.clone(),
    };
    for part in PAIR_GAUGES {
        testkit::check_pair_gauge(
            pair_gauge(part).as_ref(),
            &[pair(0, 1), pair(1, 0), pair(0, 2), pair(2, 1)],
        );
    }
}

#[test]
fn every_ladder_gauge_keeps_the_rules() {
    let (yes, no) = (Some(1.0), Some(0.0));
    let case = |rungs: &[[Option<f64>; 5]]| testkit::LadderCase {
        rungs: climbed(rungs),
        columns: Columns::new(),
    };
    let cases = [
        case(&[[yes, yes, no, yes, yes], [yes, no, no, no, yes], [no; 5]]),
        case(&[[yes, None, no, yes, yes], [no, yes, no, None, yes], [no; 5]]),
    ];
    let perfect = case(&[[yes; 5], [yes; 5]]);
    let through = cell_gauge(&gauges::accuracy::PART, &[]).scale();
    for part in LADDER_GAUGES {
        let gauge = ladder_gauge(part, &[]);
        testkit::check_ladder_gauge(gauge.as_ref(), &through, &cases, &perfect);
    }
}

#[test]
fn every_subject_gauge_keeps_the_rules() {
    let (yes, no) = (Some(1.0), Some(0.0));
    let case = |names: &[&str], rungs: &[[Option<f64>; 5]]| testkit::SubjectCase {
        ladders: names
            .iter()
            .map(|name| (Name::new(name).unwrap(), climbed(rungs)))
            .collect(),
        columns: Columns::new(),
    };
    let rungs = [[yes, yes, no, yes, yes], [yes, no, no, no, yes]];
    let cases = [
        case(&["pgd"], &rungs),
        case(&["pgd", "fgsm"], &rungs),
        case(&["pgd"], &[rungs[0], [no; 5]]),
    ];
    let perfect = case(&["pgd"], &[[yes; 5], [yes; 5]]);
    let through = cell_gauge(&gauges::accuracy::PART, &[]).scale();
    for (part, keys) in SUBJECT_GAUGES {
        let gauge = subject_gauge(part, &keys());
        testkit::check_subject_gauge(gauge.as_ref(), &through, &cases, &perfect);
    }
}

/// Who is right at severities 0, 1, 2 …
fn climbed(rungs: &[[Option<f64>; 5]]) -> Vec<Rung> {
    let rung = |(k, right): (usize, &[Option<f64>; 5])| share_rung(k as f64, right);
    rungs.iter().enumerate().map(rung).collect()
}

pub(crate) fn checked() -> Vec<&'static Part> {
    let with_keys = DATASETS
        .iter()
        .chain(CELL_GAUGES)
        .chain(TWO_CLASS_GAUGES)
        .chain(REPEATED_GAUGES)
        .map(|(part, _)| *part);
    let with_words = AWARE.iter().chain(SUBJECTS).chain(SUBJECT_GAUGES);
    with_keys
        .chain(with_words.map(|(part, _)| *part))
        .chain(BLIND.iter().map(|(part, ..)| *part))
        .chain(PAIR_GAUGES.iter().chain(LADDER_GAUGES).copied())
        .chain(explanations::checked())
        .collect()
}

// What the tests are made of.

static DIGITS: LazyLock<Dataset> = LazyLock::new(|| load(&[], 1));
static FEW: LazyLock<Dataset> = LazyLock::new(|| load(SMALL, 1));
static MLP: LazyLock<Box<dyn Fitted>> = LazyLock::new(|| fit_on_digits(&[], 1));

fn text(word: &str) -> Raw {
    Raw::Text(word.into())
}

fn params(part: &Part, keys: &[(&str, Raw)]) -> Params {
    Params::of(part, keys, Path::new("")).unwrap()
}

fn source(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn Source> {
    let Build::Dataset(build) = part.build else {
        panic!("{} is no dataset", part.name)
    };
    build(&params(part, keys)).unwrap()
}

fn load(keys: &[(&str, Raw)], seed: u64) -> Dataset {
    source(&datasets::digits::PART, keys)
        .load(Seed::new(seed))
        .unwrap()
}

fn subject(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn Subject> {
    let Build::Subject(build) = part.build else {
        panic!("{} is no subject", part.name)
    };
    match build(&params(part, keys)).unwrap() {
        SubjectPart::Live(subject) => subject,
        SubjectPart::Recorded(_) => panic!("{} is recorded", part.name),
    }
}

/// The keys for weights that PyTorch trained on digits (`cargo xtask peers weights`).
fn from_file(name: &str, keys: &[(&'static str, Raw)]) -> Vec<(&'static str, Raw)> {
    let file = format!(
        "{}/../duress-nn/tests/fixtures/digits/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    let scale = |x: f64| Raw::List(vec![Raw::Number(x)]);
    [
        &[
            ("file", Raw::Text(file)),
            ("mean", scale(0.3)),
            ("std", scale(0.4)),
        ],
        keys,
    ]
    .concat()
}

fn fit_on_digits(keys: &[(&str, Raw)], seed: u64) -> Box<dyn Fitted> {
    let trained = subject(&subjects::trained::PART, keys);
    fit(trained.as_ref(), DIGITS.fit().unwrap(), Seed::new(seed)).unwrap()
}

fn stressor(part: &Part, keys: &[(&str, Raw)]) -> Stressor {
    let Build::Stressor(build) = part.build else {
        panic!("{} is no stressor", part.name)
    };
    build(&params(part, keys)).unwrap()
}

fn corruption(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn Blind> {
    match stressor(part, keys) {
        Stressor::Blind(blind) => blind,
        _ => panic!("{} is not blind", part.name),
    }
}

fn attack(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn Aware> {
    match stressor(part, keys) {
        Stressor::Aware(aware) => aware,
        _ => panic!("{} is not aware", part.name),
    }
}

fn gauge(part: &Part, keys: &[(&str, Raw)]) -> Gauge {
    let Build::Gauge(build) = part.build else {
        panic!("{} is no gauge", part.name)
    };
    build(&params(part, keys)).unwrap()
}

fn cell_gauge(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn CellGauge> {
    match gauge(part, keys) {
        Gauge::Cell(gauge) => gauge,
        other => panic!("{} reads a {}", part.name, other.scope()),
    }
}

fn pair_gauge(part: &Part) -> Box<dyn PairGauge> {
    match gauge(part, &[]) {
        Gauge::Pair(gauge) => gauge,
        other => panic!("{} reads a {}", part.name, other.scope()),
    }
}

fn ladder_gauge(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn LadderGauge> {
    match gauge(part, keys) {
        Gauge::Ladder(gauge) => gauge,
        other => panic!("{} reads a {}", part.name, other.scope()),
    }
}

fn subject_gauge(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn SubjectGauge> {
    match gauge(part, keys) {
        Gauge::Subject(gauge) => gauge,
        other => panic!("{} reads a {}", part.name, other.scope()),
    }
}

fn severities(values: &[f64]) -> Vec<Severity> {
    values
        .iter()
        .map(|&value| Severity::new(value).unwrap())
        .collect()
}

fn run(attack: &dyn Aware, subject: &dyn Fitted, split: &Split, severities: &[Severity]) -> Climb {
    climb(attack, subject, split, severities, Seed::new(3)).unwrap()
}

fn answers(subject: &dyn Fitted, items: &Items) -> ClassAnswers {
    match subject.answer(Question::Classes, items).unwrap() {
        Answers::Classes(answers) => answers,
        other => panic!("answered {}", other.question()),
    }
}

fn accuracy(subject: &dyn Fitted, dataset: &Dataset, items: &Items) -> f64 {
    let gauge = cell_gauge(&gauges::accuracy::PART, &[]);
    let said = Answers::Classes(answers(subject, items));
    open_cell(gauge.as_ref(), dataset.test().truth(), &said)
        .unwrap()
        .plain()
        .unwrap()
}

fn classes(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).into()).collect()
}

fn truth(names: &[&str], of: &[u32]) -> Sealed<Truth> {
    Sealed::new(Truth::Labels(
        Labels::new(classes(names), of.to_vec()).unwrap(),
    ))
}

fn probabilities(names: &[&str], rows: &[f64]) -> Answers {
    Answers::Classes(ClassAnswers::new(
        classes(names),
        Said::Probabilities(rows.to_vec()),
    ))
}

fn class_answers(names: &[&str], label: &[u32]) -> ClassAnswers {
    ClassAnswers::new(
        classes(names),
        Said::Labels {
            label: label.to_vec(),
            confidence: None,
        },
    )
}

struct Fixed(f64);

impl Meter for Fixed {
    fn units(&self) -> usize {
        3
    }

    fn read(&self, _: &[u32]) -> Result<f64, Undefined> {
        Ok(self.0)
    }
}

fn rung(severity: f64, variant: usize, value: f64) -> Rung {
    Rung {
        severity: Severity::new(severity).unwrap(),
        variant,
        name: None,
        meter: Arc::new(Fixed(value)),
    }
}

fn mean_rung(severity: f64, values: &[Option<f64>]) -> Rung {
    let meter = Arc::new(duress_core::gauge::Mean::over(values.to_vec()));
    Rung {
        severity: Severity::new(severity).unwrap(),
        variant: 0,
        name: None,
        meter,
    }
}

fn share_rung(severity: f64, right: &[Option<f64>]) -> Rung {
    let meter = Arc::new(duress_core::gauge::Mean::share(right.to_vec()));
    Rung {
        severity: Severity::new(severity).unwrap(),
        variant: 0,
        name: None,
        meter,
    }
}

type Case = (Truth, Answers);

const NAMES: [&str; 3] = ["a", "b", "c"];

fn labels(of: Vec<u32>) -> Truth {
    Truth::Labels(Labels::new(classes(&NAMES), of).unwrap())
}

/// Answers of every form: random, tied, wrong throughout, partly absent, single, none at all.
fn cases() -> Vec<Case> {
    let mut draws = Seed::new(4).draws();
    let said = |said: Said| ClassAnswers::new(classes(&NAMES), said);
    let logits: Vec<f64> = (0..60).map(|_| 2.0 * draws.normal()).collect();
    let of: Vec<u32> = (0..20).map(|_| draws.below(3) as u32).collect();
    let tied = [0.5, 0.25, 0.25].repeat(20);
    let confidence: Vec<f64> = (0..20).map(|_| draws.uniform()).collect();
    let given = |confidence| Said::Labels {
        label: of.clone(),
        confidence,
    };
    vec![
        (
            labels(of.clone()),
            Answers::Classes(said(Said::Logits(logits.clone()))),
        ),
        (
            labels(of.clone()),
            Answers::Classes(
                said(Said::Logits(logits))
                    .without(3, "lost")
                    .without(0, "lost"),
            ),
        ),
        (
            labels(of.clone()),
            Answers::Classes(said(Said::Probabilities(tied.clone()))),
        ),
        (
            labels(vec![2; 20]),
            Answers::Classes(said(Said::Probabilities(tied))),
        ),
        (
            labels(of.iter().map(|label| label / 2).collect()),
            Answers::Classes(said(given(Some(confidence)))),
        ),
        (labels(vec![1; 20]), Answers::Classes(said(given(None)))),
        (
            labels(vec![1]),
            Answers::Classes(said(Said::Probabilities(vec![0.0, 1.0, 0.0]))),
        ),
        (
            labels(vec![]),
            Answers::Classes(said(Said::Probabilities(vec![]))),
        ),
    ]
}

fn perfect() -> Case {
    let of = vec![0, 1, 2, 2, 1, 0, 0];
    let rows = of
        .iter()
        .flat_map(|&label| (0..3).map(move |class| f64::from(u8::from(class == label))));
    let said = Said::Probabilities(rows.collect());
    (
        labels(of),
        Answers::Classes(ClassAnswers::new(classes(&NAMES), said)),
    )
}
