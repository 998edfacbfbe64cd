//! The parts for classifiers: what every part must pass, and what holds between them. A new part is
//! tested by adding one line.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

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

const DATASETS: &[(&Part, Keys)] = &[
    (&datasets::digits::PART, &[]),
    (&datasets::digits::PART, SMALL),
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
    (&stressors::rays::PART, || {
        vec![("queries", Raw::Whole(100))]
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
        .map(|(part, _)| *part);
    let with_words = AWARE.iter().chain(SUBJECTS).chain(SUBJECT_GAUGES);
    with_keys
        .chain(with_words.map(|(part, _)| *part))
        .chain(BLIND.iter().map(|(part, ..)| *part))
        .chain(PAIR_GAUGES.iter().chain(LADDER_GAUGES).copied())
        .collect()
}

#[test]
fn digits_are_the_same_for_every_seed_and_a_larger_share_keeps_the_smaller() {
    let ids = |share: f64| {
        let loaded = load(&[("fit-share", Raw::Number(share))], 1);
        loaded.fit().unwrap().items().ids().to_vec()
    };
    let (half, most) = (ids(0.5), ids(0.9));
    assert!(half.iter().all(|id| most.contains(id)));
    assert_eq!(load(&[], 1).test(), load(&[], 2).test());
    assert_eq!(
        DIGITS.fit().unwrap().items().len() + DIGITS.test().items().len(),
        1797
    );
    assert_eq!(
        DIGITS.test().columns()["class"].len(),
        DIGITS.test().items().len()
    );
}

#[test]
fn trained_networks_read_digits_they_have_not_seen() {
    let check = |keys: &[(&str, Raw)], least: f64| {
        let fitted = fit_on_digits(keys, 7);
        let right = accuracy(fitted.as_ref(), &DIGITS, DIGITS.test().items());
        assert!(right > least, "{keys:?}: {right}");
    };
    check(&[], 0.95);
    check(&[("network", text("linear"))], 0.9);
    check(&[("validation", Raw::Number(0.2))], 0.95);
    check(
        &[("network", text("residual")), ("epochs", Raw::Whole(10))],
        0.95,
    );
}

#[test]
fn a_network_taught_under_attack_withstands_more_of_it() {
    let robust = |keys: &[(&str, Raw)]| {
        let fitted = fit_on_digits(keys, 7);
        let pgd = attack(&stressors::pgd::PART, &[]);
        let severity = [Severity::parse("16/255").unwrap()];
        let climbed = climb(
            pgd.as_ref(),
            fitted.as_ref(),
            DIGITS.test(),
            &severity,
            Seed::new(1),
        );
        accuracy(fitted.as_ref(), &DIGITS, &climbed.unwrap().rungs[0])
    };
    let (plain, taught) = (robust(&[]), robust(&[("adversarial", text("16/255"))]));
    assert!(taught > plain + 0.05, "{taught} {plain}");
}

#[test]
fn a_checkpoint_answers_with_the_same_bits_and_hostile_bytes_are_refused() {
    let trained = subject(&subjects::trained::PART, &[]);
    let checkpoint = MLP.checkpoint();
    let restored = trained.restore(&checkpoint).unwrap();
    assert_eq!(restored.checkpoint(), checkpoint);
    let items = DIGITS.test().items();
    assert_eq!(
        restored.answer(Question::Classes, items),
        MLP.answer(Question::Classes, items)
    );
    for hostile in hostile_checkpoints(&checkpoint) {
        let shown = String::from_utf8_lossy(&hostile[..hostile.len().min(200)]).into_owned();
        match trained.restore(&hostile) {
            Ok(_) => panic!("restored from {shown}"),
            Err(failure) => assert_eq!(failure.kind, FailureKind::Unable, "{shown}: {failure}"),
        }
    }
}

fn hostile_checkpoints(sound: &[u8]) -> Vec<Vec<u8>> {
    let sound_text = String::from_utf8(sound.to_vec()).unwrap();
    let mut hostile: Vec<Vec<u8>> = vec![
        vec![],
        vec![0xff; 64],
        b"null".to_vec(),
        "[".repeat(100_000).into_bytes(),
        sound_text
            .replacen("[1,8,8]", "[18446744073709551615,8,8]", 1)
            .into_bytes(),
        sound_text
            .replacen("[1,8,8]", "[4294967296,4294967296,1]", 1)
            .into_bytes(),
        sound_text.replacen("[1,8,8]", "[1,8,9]", 1).into_bytes(),
        sound_text
            .replacen("\"outputs\":64", "\"outputs\":9223372036854775807", 1)
            .into_bytes(),
        sound_text
            .replacen("\"weights\":[", "\"weights\":[1e39,", 1)
            .into_bytes(),
        sound_text
            .replacen("\"weights\":[", "\"weights\":[null,", 1)
            .into_bytes(),
    ];
    hostile.extend([1, sound.len() / 2, sound.len() - 1].map(|length| sound[..length].to_vec()));
    hostile
}

#[test]
fn what_a_subject_cannot_do_is_a_failure_that_says_so() {
    let images = Images::new([1, 2, 2], vec![0.5; 4]).unwrap();
    let other = Items::new(vec!["x".into()], Inputs::Images(images)).unwrap();
    let check = |answer: Result<Answers, Failure>, expected: &str| {
        let failure = answer.unwrap_err();
        assert!(failure.why.contains(expected), "{failure}");
    };
    check(MLP.answer(Question::Classes, &other), "images of [1, 2, 2]");
    check(
        MLP.answer(Question::Graph, DIGITS.test().items()),
        "asked for graph",
    );
    // A decay that overshoots zero a hundredfold at every step.
    let tenfold = |key| (key, Raw::Number(10.0));
    let wild = [
        ("optimiser", text("sgd")),
        tenfold("learning-rate"),
        tenfold("weight-decay"),
    ];
    let wild = subject(&subjects::trained::PART, &wild);
    let failure = fit(wild.as_ref(), DIGITS.fit().unwrap(), Seed::new(1))
        .err()
        .unwrap();
    assert!(failure.why.contains("diverged"), "{failure}");
}

#[test]
fn keys_that_contradict_each_other_are_refused() {
    let check = |part: &'static Part, keys: &[(&str, Raw)], expected: &str| {
        let params = params(part, keys);
        let problem = match &part.build {
            Build::Subject(build) => build(&params).err(),
            Build::Stressor(build) => build(&params).err(),
            _ => None,
        };
        let problem = problem.unwrap().to_string();
        assert!(problem.contains(expected), "{problem}");
    };
    let hidden = |widths: &[i64]| {
        (
            "hidden",
            Raw::List(widths.iter().map(|&w| Raw::Whole(w)).collect()),
        )
    };
    check(
        &subjects::trained::PART,
        &[("network", text("linear")), hidden(&[5])],
        "in a linear network",
    );
    check(
        &subjects::trained::PART,
        &[hidden(&[])],
        "at least one hidden layer",
    );
    let restarts = [
        ("restarts", Raw::Whole(2)),
        ("random-start", Raw::Flag(false)),
    ];
    check(&stressors::pgd::PART, &restarts, "from the same start");
}

/// Two classes, random weights and images: each pixel's worst value within ε and the box is known,
/// so is the worst margin.
#[test]
fn fgsm_reaches_the_known_optimum_of_a_linear_network_in_linf() {
    let (network, split, labels) = linear(2, 400);
    let severities = severities(&[0.02, 0.05, 0.1, 0.2]);
    let climbed = run(
        attack(&stressors::fgsm::PART, &[]).as_ref(),
        network.as_ref(),
        &split,
        &severities,
    );
    for (rung, severity) in climbed.rungs.iter().zip(&severities) {
        let said = answers(network.as_ref(), rung);
        for (i, &label) in labels.iter().enumerate() {
            let image = split.items().images().unwrap().image(i);
            let worst = worst_margin(
                network.as_ref(),
                image,
                label as usize,
                1 - label as usize,
                severity.value(),
            );
            assert_eq!(
                said.label(i) == Some(label),
                worst > 0.0,
                "item {i} at {severity}: {worst}"
            );
        }
    }
}

/// With more classes the optimum is the worst over rivals: PGD may miss it, but must never claim
/// more, and seldom less.
#[test]
fn pgd_breaks_nothing_that_is_provably_safe_and_nearly_all_that_is_not() {
    let (network, split, labels) = linear(4, 300);
    let severities = severities(&[0.02, 0.05, 0.1]);
    let keys = [("restarts", Raw::Whole(3)), ("steps", Raw::Whole(20))];
    let climbed = run(
        attack(&stressors::pgd::PART, &keys).as_ref(),
        network.as_ref(),
        &split,
        &severities,
    );
    let (mut breakable, mut broken) = (0, 0);
    for (rung, severity) in climbed.rungs.iter().zip(&severities) {
        let said = answers(network.as_ref(), rung);
        for (i, &label) in labels.iter().enumerate() {
            let image = split.items().images().unwrap().image(i);
            let rivals = (0..4).filter(|&rival| rival != label as usize);
            let margin = |rival| {
                worst_margin(
                    network.as_ref(),
                    image,
                    label as usize,
                    rival,
                    severity.value(),
                )
            };
            let safe = rivals.map(margin).fold(f64::INFINITY, f64::min) > 1e-5;
            let fell = said.label(i) != Some(label);
            assert!(!(safe && fell), "item {i} is safe at {severity}");
            breakable += usize::from(!safe);
            broken += usize::from(fell);
        }
    }
    assert!(
        broken as f64 >= 0.95 * breakable as f64,
        "{broken} of {breakable}"
    );
}

#[test]
fn accuracy_never_rises_with_severity_and_pgd_is_no_weaker_than_fgsm() {
    let rungs: Vec<f64> = (1..=8).map(|k| 0.04 * f64::from(k)).collect();
    let read = |attack: Box<dyn Aware>| -> Vec<f64> {
        let climbed = run(
            attack.as_ref(),
            MLP.as_ref(),
            DIGITS.test(),
            &severities(&rungs),
        );
        assert!(climbed.doubts.is_empty(), "{:?}", climbed.doubts);
        climbed
            .rungs
            .iter()
            .map(|rung| accuracy(MLP.as_ref(), &DIGITS, rung))
            .collect()
    };
    let fgsm = read(attack(&stressors::fgsm::PART, &[]));
    let pgd = read(attack(&stressors::pgd::PART, &[]));
    for curve in [&fgsm, &pgd] {
        assert!(curve.windows(2).all(|pair| pair[1] <= pair[0]), "{curve:?}");
    }
    assert!(
        pgd.iter().zip(&fgsm).all(|(pgd, fgsm)| pgd <= fgsm),
        "{pgd:?} {fgsm:?}"
    );
    assert!(pgd[7] < 0.05, "{pgd:?}");
}

#[test]
fn an_attack_is_spared_what_cannot_change_the_answer() {
    let few_steps = attack(&stressors::pgd::PART, &[]);
    let one = run(
        few_steps.as_ref(),
        MLP.as_ref(),
        DIGITS.test(),
        &severities(&[0.3]),
    )
    .spent;
    let many = run(
        few_steps.as_ref(),
        MLP.as_ref(),
        DIGITS.test(),
        &severities(&[0.3, 0.4, 0.5, 0.6]),
    )
    .spent;
    let total = |spent: &[Spent]| f64::from(spent.last().unwrap().queries.iter().sum::<u32>());
    assert!(
        total(&many) < 1.25 * total(&one),
        "{} {}",
        total(&many),
        total(&one)
    );
}

#[test]
fn a_subject_with_another_order_of_classes_is_not_attacked() {
    let (_, split, _) = linear(2, 4);
    let (network, ..) = linear(4, 4);
    let fgsm = attack(&stressors::fgsm::PART, &[]);
    let failure = climb(
        fgsm.as_ref(),
        network.as_ref(),
        &split,
        &severities(&[0.1]),
        Seed::new(1),
    );
    assert!(failure.unwrap_err().why.contains("the dataset's are"));
}

#[test]
fn two_orders_of_classes_are_shown_and_never_compared() {
    let said = probabilities(&["b", "a"], &[0.9, 0.1]);
    let truth = truth(&["a", "b"], &[0]);
    for (part, keys) in CELL_GAUGES {
        let why = open_cell(cell_gauge(part, keys).as_ref(), &truth, &said)
            .err()
            .unwrap()
            .why;
        assert!(
            why.contains(r#"["a", "b"]"#) && why.contains(r#"["b", "a"]"#),
            "{why}"
        );
    }
}

#[test]
fn accuracy_counts_what_has_an_answer_and_tells_classes_apart() {
    let said =
        Answers::Classes(class_answers(&["a", "b", "c"], &[0, 1, 1, 0]).without(3, "timed out"));
    let (truth, gauge) = (
        truth(&["a", "b", "c"], &[0, 0, 1, 1]),
        cell_gauge(&gauges::accuracy::PART, &[]),
    );
    assert_eq!(
        open_cell(gauge.as_ref(), &truth, &said).unwrap().plain(),
        Ok(2.0 / 3.0)
    );
    let Some(Detail::Groups(groups)) = detail(
        gauge.as_ref(),
        SealedCell::new(&truth, &said, &Views::default()),
    ) else {
        panic!("no groups")
    };
    let values: Vec<(usize, Option<f64>)> =
        groups.iter().map(|g| (g.n, g.value.clone().ok())).collect();
    assert_eq!(values, [(2, Some(0.5)), (1, Some(1.0)), (0, None)]);
}

#[test]
fn the_flip_radius_is_the_middle_items_and_says_when_it_is_censored() {
    let read = |keys: &[(&str, Raw)], rungs: &[(f64, &[Option<f64>])], weights: &[u32]| {
        let gauge = ladder_gauge(&gauges::flip_radius::PART, keys);
        let rungs: Vec<Rung> = rungs
            .iter()
            .map(|(severity, right)| share_rung(*severity, right))
            .collect();
        gauge.open(&rungs, &Columns::new())?.read(weights)
    };
    let (yes, no) = (Some(1.0), Some(0.0));
    let rungs: [(f64, &[Option<f64>]); 3] = [
        (0.0, &[no, yes, yes, yes, yes]),
        (0.1, &[no, no, yes, yes, None]),
        (0.2, &[no, no, no, yes, no]),
    ];
    // Radii 0, 0.1, 0.2, above 0.2, and one that is not known.
    assert_eq!(read(&[], &rungs, &[1, 1, 1, 1, 1]), Ok(0.1));
    assert_eq!(
        read(&[], &rungs, &[0, 1, 2, 1, 9]),
        Ok(0.2),
        "an item counts as often as its weight says"
    );
    assert_eq!(
        read(&[("share", Raw::Number(0.75))], &rungs, &[1; 5]),
        Ok(0.2)
    );
    assert_eq!(
        read(&[("share", Raw::Number(0.25))], &rungs, &[1; 5]),
        Ok(0.0)
    );
    let why = read(&[], &rungs, &[1, 1, 1, 4, 1]).unwrap_err().why;
    assert_eq!(
        why,
        "4 of 7 items are not flipped up to 0.2: the radius asked for is above it"
    );
    assert!(
        read(&[], &rungs, &[0; 5])
            .unwrap_err()
            .why
            .contains("no item takes part")
    );
    let graded = ladder_gauge(&gauges::flip_radius::PART, &[]);
    let graded = graded
        .open(&[mean_rung(0.0, &[Some(0.5)])], &Columns::new())
        .err()
        .unwrap();
    assert!(graded.why.contains("right or wrong"), "{graded}");
}

#[test]
fn certified_is_what_is_right_and_may_move_as_far_as_the_severity() {
    let gauge = pair_gauge(&gauges::certified_accuracy::PART);
    let truth = truth(&["a", "b"], &[0, 0, 0, 1]);
    let read = |said: &ClassAnswers, severity: f64| {
        let said = Answers::Classes(said.clone());
        let views = Views::default();
        let cell = SealedCell::new(&truth, &said, &views);
        let severity = Severity::new(severity).unwrap();
        open_pair_at(gauge.as_ref(), cell, cell, &severity)?.plain()
    };
    let said = class_answers(&["a", "b"], &[0, 0, 1, 1]);
    let certified = said
        .clone()
        .with_score("certified-radius", vec![0.5, 0.1, 0.9, 0.3]);
    assert_eq!(read(&certified, 0.1), Ok(0.75));
    assert_eq!(read(&certified, 0.3), Ok(0.5));
    assert_eq!(read(&certified, 0.6), Ok(0.0));
    assert!(read(&said, 0.1).unwrap_err().why.contains("not smoothed"));
}

#[test]
fn attack_success_is_counted_over_what_was_right_when_clean() {
    let gauge = pair_gauge(&gauges::attack_success_rate::PART);
    let truth = truth(&["a", "b"], &[0, 0, 0, 1]);
    let read = |clean: &[u32], pressed: &[u32]| {
        let labels = |of: &[u32]| Answers::Classes(class_answers(&["a", "b"], of));
        open_pair(
            gauge.as_ref(),
            SealedCell::new(&truth, &labels(clean), &Views::default()),
            SealedCell::new(&truth, &labels(pressed), &Views::default()),
        )?
        .plain()
    };
    assert_eq!(read(&[0, 0, 1, 1], &[1, 0, 1, 0]), Ok(2.0 / 3.0));
    assert_eq!(read(&[0, 0, 0, 1], &[0, 0, 0, 1]), Ok(0.0));
    assert!(
        read(&[1, 1, 1, 0], &[1, 1, 1, 1])
            .unwrap_err()
            .why
            .contains("right when clean")
    );
    let meter = open_pair(
        gauge.as_ref(),
        SealedCell::new(
            &truth,
            &Answers::Classes(class_answers(&["a", "b"], &[0, 1, 1, 0])),
            &Views::default(),
        ),
        SealedCell::new(
            &truth,
            &Answers::Classes(class_answers(&["a", "b"], &[1, 1, 1, 0])),
            &Views::default(),
        ),
    );
    assert!(
        meter
            .unwrap()
            .read(&[0, 1, 1, 1])
            .unwrap_err()
            .why
            .contains("right when clean")
    );
}

#[test]
fn the_bins_of_ece_add_up_to_it_and_an_edge_belongs_below() {
    let gauge = cell_gauge(&gauges::ece::PART, &[("bins", Raw::Whole(10))]);
    let said = probabilities(
        &["a", "b"],
        &[0.9, 0.1, 0.2, 0.8, 0.8, 0.2, 1.0, 0.0, 0.55, 0.45],
    );
    let truth = truth(&["a", "b"], &[0, 1, 1, 0, 1]);
    let Some(Detail::Bins(bins)) = detail(
        gauge.as_ref(),
        SealedCell::new(&truth, &said, &Views::default()),
    ) else {
        panic!("no bins")
    };
    let total: usize = bins.iter().map(|bin| bin.n).sum();
    let gap = |bin: &duress_core::gauge::Bin| {
        (bin.confidence.unwrap_or(0.0) - bin.accuracy.unwrap_or(0.0)).abs() * bin.n as f64 / 5.0
    };
    let value = open_cell(gauge.as_ref(), &truth, &said)
        .unwrap()
        .plain()
        .unwrap();
    assert_eq!((total, bins[7].n, bins[8].n), (5, 2, 1));
    assert!((bins.iter().map(gap).sum::<f64>() - value).abs() < 1e-12);
}

#[test]
fn the_risk_coverage_curve_ends_with_everything_answered() {
    let gauge = cell_gauge(&gauges::aurc::PART, &[]);
    let said = probabilities(&["a", "b"], &[0.9, 0.1, 0.8, 0.2, 0.8, 0.2, 0.4, 0.6]);
    let truth = truth(&["a", "b"], &[0, 0, 1, 0]);
    let Some(Detail::Curve { points, .. }) = detail(
        gauge.as_ref(),
        SealedCell::new(&truth, &said, &Views::default()),
    ) else {
        panic!("no curve")
    };
    assert_eq!(points, [(0.25, 0.0), (0.75, 1.0 / 3.0), (1.0, 0.5)]);
    let value = open_cell(gauge.as_ref(), &truth, &said)
        .unwrap()
        .plain()
        .unwrap();
    let by_hand = (0.0 + 0.5 / 2.0 + 1.0 / 3.0 + 2.0 / 4.0) / 4.0;
    assert!((value - by_hand).abs() < 1e-12, "{value} {by_hand}");
}

#[test]
fn answers_without_confidence_or_without_any_answer_are_undefined_for_calibration() {
    let truth = truth(&["a", "b"], &[0]);
    for part in [&gauges::ece::PART, &gauges::aurc::PART] {
        let read = |said: ClassAnswers| {
            let undefined = open_cell(
                cell_gauge(part, &[]).as_ref(),
                &truth,
                &Answers::Classes(said),
            )
            .err();
            undefined.unwrap().why
        };
        assert!(read(class_answers(&["a", "b"], &[0])).contains("without a confidence"));
        assert!(
            read(class_answers(&["a", "b"], &[0]).without(0, "lost"))
                .contains("no item has an answer")
        );
    }
}

#[test]
fn the_area_is_the_trapezoid_over_unequal_steps_with_variants_averaged() {
    let gauge = ladder_gauge(&shared::gauges::area::PART, &[]);
    assert_eq!(gauge.of(), "accuracy");
    let rungs = [
        rung(0.0, 0, 1.0),
        rung(0.1, 0, 0.7),
        rung(0.1, 1, 0.5),
        rung(0.4, 0, 0.2),
    ];
    let by_hand = (0.1 * (1.0 + 0.6) / 2.0 + 0.3 * (0.6 + 0.2) / 2.0) / 0.4;
    let value = gauge
        .open(&rungs, &Columns::new())
        .unwrap()
        .plain()
        .unwrap();
    assert!((value - by_hand).abs() < 1e-12, "{value} {by_hand}");
    let why = |rungs: &[Rung]| gauge.open(rungs, &Columns::new()).err().unwrap().why;
    assert!(why(&rungs[..1]).contains("two severities"));
    assert!(why(&[]).contains("without rungs"));
    assert!(why(&[rung(0.0, 0, 1.0), mean_rung(0.5, &[None, None])]).contains("different items"));
}

#[test]
fn the_area_of_means_is_the_mean_of_areas_and_says_so() {
    let gauge = ladder_gauge(&shared::gauges::area::PART, &[]);
    let (clean, low, high) = (
        [Some(1.0), Some(1.0), None],
        [Some(1.0), Some(0.0), None],
        [Some(0.0), Some(0.0), None],
    );
    let rungs = [
        mean_rung(0.0, &clean),
        mean_rung(0.2, &low),
        mean_rung(1.0, &high),
    ];
    let meter = gauge.open(&rungs, &Columns::new()).unwrap();
    let by_hand = |weights: &[u32]| {
        let read = |k: usize| rungs[k].meter.read(weights).unwrap();
        0.2 * (read(0) + read(1)) / 2.0 + 0.8 * (read(1) + read(2)) / 2.0
    };
    for weights in [[1, 1, 1], [3, 1, 0], [0, 2, 5]] {
        assert!((meter.read(&weights).unwrap() - by_hand(&weights)).abs() < 1e-12);
    }
    assert!(meter.per_item().is_some());
    let gappy = gauge
        .open(
            &[
                mean_rung(0.0, &clean),
                mean_rung(1.0, &[None, Some(1.0), None]),
            ],
            &Columns::new(),
        )
        .unwrap();
    assert!(
        gappy.per_item().is_none(),
        "other items take part: no area of a single item"
    );
    assert_eq!(gappy.plain(), Ok(1.0));
    assert!(
        gappy
            .read(&[1, 0, 0])
            .unwrap_err()
            .why
            .contains("at severity 1")
    );
}

/// Ladders with these shares of right answers among four items, from the clean rung up.
fn right_of_four(ladders: &[(&str, &[usize])]) -> Vec<(Name, Vec<Rung>)> {
    let rung = |(severity, right): (usize, &usize)| {
        let items: Vec<Option<f64>> = (0..4).map(|i| Some((i < *right).into())).collect();
        share_rung(severity as f64, &items)
    };
    let ladder = |(name, right): &(&str, &[usize])| {
        let rungs = right.iter().enumerate().map(rung).collect();
        (Name::new(name).unwrap(), rungs)
    };
    ladders.iter().map(ladder).collect()
}

#[test]
fn a_mean_over_ladders_counts_every_ladder_the_same_and_no_clean_rung() {
    let ladders = right_of_four(&[("fog", &[4, 2, 0]), ("snow", &[4, 3])]);
    let read = |keys: &[(&str, Raw)]| {
        let gauge = subject_gauge(&shared::gauges::mean_over_ladders::PART, keys);
        gauge
            .open(&ladders, &Columns::new())
            .map(|meter| meter.plain().unwrap())
    };
    let only = |name: &str| [("ladders", Raw::List(vec![text(name)]))];
    assert_eq!(read(&[]).unwrap(), 0.5);
    assert_eq!(read(&only("fog")).unwrap(), 0.25);
    let why = read(&only("frost")).unwrap_err().why;
    assert!(
        why.contains("no ladder `frost` presses it; there is fog, snow"),
        "{why}"
    );
}

#[test]
fn corruption_errors_are_quotients_ladder_by_ladder() {
    let ours = right_of_four(&[("fog", &[4, 3, 2]), ("snow", &[4, 2, 2])]);
    let theirs = right_of_four(&[("fog", &[3, 1, 1]), ("snow", &[3, 3, 1])]);
    let read = |part: &Part, reference: &[(Name, Vec<Rung>)]| {
        let gauge = subject_gauge(part, &REFERENCE());
        assert_eq!(gauge.reference(), Some("baseline"));
        let meter = gauge.open_beside(&ours, reference, &Columns::new())?;
        meter.plain()
    };
    let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 1e-12, "{found}");
    let (whole, relative) = (
        &gauges::mean_corruption_error::PART,
        &gauges::relative_corruption_error::PART,
    );
    near(
        read(whole, &theirs).unwrap(),
        (0.375 / 0.75 + 0.5 / 0.5) / 2.0,
    );
    near(
        read(relative, &theirs).unwrap(),
        (0.375 / 0.5 + 0.5 / 0.25) / 2.0,
    );
    near(read(whole, &ours).unwrap(), 1.0);
    let unmoved = right_of_four(&[("fog", &[4, 4, 4]), ("snow", &[4, 4, 4])]);
    let why = read(whole, &unmoved).unwrap_err().why;
    assert!(
        why.contains("on ladder `fog` the reference has an error of 0"),
        "{why}"
    );
    let why = read(whole, &theirs[..1]).unwrap_err().why;
    assert!(
        why.contains("on ladder `snow`: it does not press the reference"),
        "{why}"
    );
    let fewer = right_of_four(&[("fog", &[3, 1]), ("snow", &[3, 3])]);
    let why = read(whole, &fewer).unwrap_err().why;
    assert!(why.contains("pressed at other severities"), "{why}");
}

#[test]
fn published_errors_of_alexnet_are_divided_by_under_the_names_of_corruptions() {
    let keys = [("constants", text("alexnet"))];
    let open = |part: &Part, ladders: &[(&str, &[usize])]| {
        let gauge = subject_gauge(part, &keys);
        let meter = gauge.open(&right_of_four(ladders), &Columns::new());
        meter
            .map(|meter| meter.plain().unwrap())
            .map_err(|undefined| undefined.why)
    };
    let half: &[usize] = &[4, 2, 2, 2, 2, 2];
    let (whole, relative) = (
        &gauges::mean_corruption_error::PART,
        &gauges::relative_corruption_error::PART,
    );
    assert_eq!(open(whole, &[("fog", half)]).unwrap(), 0.5 / 0.819_324);
    let beyond = open(relative, &[("snow", half)]).unwrap();
    assert!((beyond - 0.5 / (0.866_816 - 0.435)).abs() < 1e-12);
    let unknown = open(whole, &[("rain", half)]).unwrap_err();
    assert!(
        unknown.contains("on ladder `rain`: no error of AlexNet is published"),
        "{unknown}"
    );
    let short = open(whole, &[("fog", &half[..3])]).unwrap_err();
    assert!(
        short.contains("a mean over the severities 1, 2, 3, 4 and 5"),
        "{short}"
    );
    let scale = cell_gauge(&gauges::accuracy::PART, &[]).scale();
    let said = subject_gauge(whole, &keys).scale(&scale).convention;
    assert!(
        said.contains("a published constant that was not measured here"),
        "{said}"
    );
}

#[test]
fn corruption_errors_need_one_thing_to_divide_by() {
    let Build::Gauge(build) = gauges::mean_corruption_error::PART.build else {
        panic!("a gauge")
    };
    let refused = |keys: &[(&str, Raw)]| {
        let built = build(&params(&gauges::mean_corruption_error::PART, keys));
        built.err().unwrap().to_string()
    };
    assert!(refused(&[]).contains("nothing to divide errors by"));
    let both = [("reference", text("a")), ("constants", text("alexnet"))];
    assert!(refused(&both).contains("both a `reference` and `constants`"));
}

#[test]
fn corruptions_take_grey_pictures_and_the_smallest() {
    for shape in [[1, 8, 8], [3, 1, 1], [2, 3, 5], [3, 5, 2]] {
        let few = photographs(2, shape);
        for (part, keys, _) in BLIND {
            let blind = corruption(part, &keys());
            let most = Severity::new(blind.pressure().most).unwrap();
            let pressed = press(blind.as_ref(), &few, &most, 0, Seed::new(1));
            pressed.unwrap_or_else(|why| panic!("{} on {shape:?}: {why}", part.name));
        }
    }
}

#[test]
fn the_harmonic_mean_is_high_only_when_both_are() {
    let ladders = |top: f64| {
        let rungs = vec![rung(0.0, 0, 0.8), rung(0.1, 0, 0.4), rung(0.2, 0, top)];
        vec![(Name::new("pgd").unwrap(), rungs)]
    };
    let open = |keys: &[(&str, Raw)], ladders: &[(Name, Vec<Rung>)]| {
        subject_gauge(&shared::gauges::harmonic_mean::PART, keys)
            .open(ladders, &Columns::new())?
            .plain()
    };
    let near = |value: Result<f64, Undefined>, expected: f64| {
        assert!(
            (value.clone().unwrap() - expected).abs() < 1e-12,
            "{value:?} {expected}"
        );
    };
    near(open(&[], &ladders(0.2)), 2.0 * 0.8 * 0.2 / 1.0);
    near(open(&[], &ladders(0.0)), 0.0);
    near(
        open(
            &[("ladder", text("pgd")), ("severity", text("1/10"))],
            &ladders(0.2),
        ),
        2.0 * 0.8 * 0.4 / 1.2,
    );
    let why =
        |keys: &[(&str, Raw)], ladders: &[(Name, Vec<Rung>)]| open(keys, ladders).unwrap_err().why;
    assert!(
        why(&[("severity", Raw::Number(0.3))], &ladders(0.2))
            .contains("no rung at 0.3; there is 0, 0.1, 0.2")
    );
    assert!(why(&[("ladder", text("noise"))], &ladders(0.2)).contains("there is pgd"));
    let two = [ladders(0.2), vec![(Name::new("noise").unwrap(), vec![])]].concat();
    assert!(why(&[], &two).contains("several ladders press it: pgd, noise"));
    assert!(why(&[], &[]).contains("no ladder presses it"));
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

/// A linear network of 12 pixels with random weights and no normalisation, and items it gets right
/// or wrong by chance.
fn linear(k: usize, n: usize) -> (Box<dyn Fitted>, Split, Vec<u32>) {
    let mut draws = Seed::new(8).draws();
    let weights = (0..12 * k).map(|_| draws.normal() as f32).collect();
    let dense = Dense {
        inputs: 12,
        outputs: k,
        weights,
        bias: vec![0.0; k],
    };
    let names: Vec<String> = (0..k).map(|class| class.to_string()).collect();
    let operators = vec![
        Operator::Normalise(Normalise::identity(1)),
        Operator::Flatten,
        Operator::Dense(dense),
    ];
    let network = Network::chain([1, 3, 4], names.clone(), operators).unwrap();
    let checkpoint = serde_json::to_vec(&network).unwrap();
    let pixels = (0..12 * n).map(|_| draws.uniform() as f32).collect();
    let ids = (0..n).map(|i| i.to_string()).collect();
    let items = Items::new(ids, Inputs::Images(Images::new([1, 3, 4], pixels).unwrap())).unwrap();
    let fitted = subject(&subjects::trained::PART, &[])
        .restore(&checkpoint)
        .unwrap();
    // Mostly what the network says, so that there is something to break.
    let said = answers(fitted.as_ref(), &items);
    let label = |i: usize| {
        if i.is_multiple_of(10) {
            draws_below(k, i)
        } else {
            said.label(i).unwrap()
        }
    };
    let labels: Vec<u32> = (0..n).map(label).collect();
    let split = Split::new(
        items,
        Truth::Labels(Labels::new(names, labels.clone()).unwrap()),
    )
    .unwrap();
    (fitted, split, labels)
}

fn draws_below(k: usize, i: usize) -> u32 {
    Seed::new(i as u64).draws().below(k) as u32
}

/// The smallest lead of `label` over `rival` within `budget` in L∞ and the box, found pixel by
/// pixel.
fn worst_margin(
    network: &dyn Fitted,
    image: &[f32],
    label: usize,
    rival: usize,
    budget: f64,
) -> f64 {
    let network: Network = serde_json::from_slice(&network.checkpoint()).unwrap();
    let Operator::Dense(dense) = &network.nodes()[2].operator else {
        panic!("not linear")
    };
    let pixel = |(at, &x): (usize, &f32)| {
        let weight = |class: usize| f64::from(dense.weights[class * dense.inputs + at]);
        let lead = weight(label) - weight(rival);
        lead * (f64::from(x) - budget * lead.signum()).clamp(0.0, 1.0)
    };
    image.iter().enumerate().map(pixel).sum()
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
        meter: Arc::new(Fixed(value)),
    }
}

fn mean_rung(severity: f64, values: &[Option<f64>]) -> Rung {
    let meter = Arc::new(duress_core::gauge::Mean::over(values.to_vec()));
    Rung {
        severity: Severity::new(severity).unwrap(),
        variant: 0,
        meter,
    }
}

fn share_rung(severity: f64, right: &[Option<f64>]) -> Rung {
    let meter = Arc::new(duress_core::gauge::Mean::share(right.to_vec()));
    Rung {
        severity: Severity::new(severity).unwrap(),
        variant: 0,
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
