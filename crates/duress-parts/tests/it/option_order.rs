//! Option order: what its stressor, its gauges and its planted subject must pass, and the identities
//! that hold for whoever sees no position and for whoever sees nothing else.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::path::Path;
use std::sync::Arc;

use duress_core::answer::{Answers, ClassAnswers};
use duress_core::data::{Inputs, Items, Split, Text};
use duress_core::gauge::{
    Columns, Detail, Gauge, Mean, Meter, Rung, SealedCell, Views, open_rungs, rungs_detail,
};
use duress_core::name::Name;
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Stressor};
use duress_core::subject::{Fitted, Subject, SubjectPart, fit};
use duress_core::testkit;
use duress_core::truth::{Labels, Sealed, Truth};
use duress_parts::order::{gauges, stressors, subjects};

use crate::built::gauge;

const GAUGES: &[&Part] = &[
    &gauges::flip_rate::PART,
    &gauges::position_gap::PART,
    &gauges::position_preference::PART,
    &gauges::worst_order::PART,
];

pub(crate) fn checked() -> Vec<&'static Part> {
    let others = [
        &stressors::option_order::PART,
        &subjects::option_picker::PART,
        &gauges::template_spread::PART,
    ];
    GAUGES.iter().copied().chain(others).collect()
}

#[test]
fn options_are_moved_and_what_is_said_of_a_letter_is_kept_as_what_stood_there() {
    for orders in ["full", "cyclic", "sampled"] {
        let keys = [("orders", Raw::Text(orders.into()))];
        testkit::check_blind(moving(&keys).as_ref(), &questions(), &[3.0, 4.0]);
    }
    let blind = moving(&[("orders", Raw::Text("cyclic".into()))]);
    let rung = Severity::new(3.0).unwrap();
    assert_eq!(blind.variant_name(&rung, 0).as_deref(), Some("BCDA"));
    let split = questions();
    let pressed = Pressed {
        items: split.items(),
        truth: None,
        variant: 0,
    };
    let after = blind.press(pressed, &rung, Seed::new(1)).unwrap();
    let before = &split.items().texts().unwrap()[0];
    let shown = &after.texts().unwrap()[0];
    assert_eq!(shown.beside("A"), before.beside("B"));
    assert_eq!(shown.beside("D"), before.beside("A"));
    let meant = blind.stands_for(&after, 0).unwrap();
    assert_eq!(meant, [1, 2, 3, 0]);
    let odd = Severity::new(2.0).unwrap();
    let why = blind.press(pressed, &odd, Seed::new(1)).unwrap_err();
    assert!(why.why.contains("are 3, 4"), "{}", why.why);
}

#[test]
fn who_sees_no_position_never_flips_and_who_sees_nothing_else_is_right_once_in_k() {
    let blind_reader = picker(&[]);
    testkit::check_subject(blind_reader.as_ref(), &questions(), questions().items());
    let read = |keys: &[(&str, Raw)], part: &'static Part, orders: &str| {
        let rungs = answered(keys, orders);
        let Gauge::Ladder(gauge) = gauge(part, &[]) else {
            panic!("{} reads a ladder", part.name)
        };
        let on_answers = gauge.on_answers().unwrap();
        let truth = truth();
        let views: Vec<Views> = rungs.iter().map(|_| Views::default()).collect();
        let sealed: Vec<_> = rungs
            .iter()
            .zip(&views)
            .map(|((severity, name, answers), views)| {
                let cell = SealedCell::new(&truth, answers, views);
                (severity.clone(), name.clone(), cell)
            })
            .collect();
        let meter = open_rungs(on_answers, &sealed).unwrap();
        assert_eq!(meter.units(), 6);
        let twice = meter.read(&[2; 6]).unwrap();
        let plain = meter.plain().unwrap();
        assert!((twice - plain).abs() < 1e-12, "weights count items");
        (plain, rungs_detail(on_answers, &sealed))
    };
    let first = [("picks", Raw::Text("position".into()))];
    for orders in ["cyclic", "full"] {
        assert_eq!(read(&[], &gauges::flip_rate::PART, orders).0, 0.0);
        assert_eq!(read(&[], &gauges::position_preference::PART, orders).0, 0.0);
        assert_eq!(read(&[], &gauges::position_gap::PART, orders).0, 0.0);
        assert_eq!(read(&first, &gauges::position_gap::PART, orders).0, 1.0);
        let (preference, detail) = read(&first, &gauges::position_preference::PART, orders);
        assert!((preference - 0.75).abs() < 1e-12);
        let Some(Detail::Spread(spread)) = detail else {
            panic!("shares by position")
        };
        assert!(spread.p < 0.01 && spread.floor < preference, "{spread:?}");
    }
    assert_eq!(read(&first, &gauges::flip_rate::PART, "cyclic").0, 1.0);
    let (worst, detail) = read(&first, &gauges::worst_order::PART, "cyclic");
    let Some(Detail::Grid(grid)) = detail else {
        panic!("accuracy by order")
    };
    assert_eq!(grid.rows, ["original", "BCDA", "DABC", "CDAB"]);
    let each: Vec<f64> = grid
        .cells
        .iter()
        .map(|cell| cell.value.clone().unwrap())
        .collect();
    assert!(
        (each.iter().sum::<f64>() / 4.0 - 0.25).abs() < 1e-12,
        "1/k: {each:?}"
    );
    assert_eq!(worst, each.iter().copied().fold(1.0, f64::min));
    let (_, detail) = read(&[], &gauges::position_preference::PART, "cyclic");
    assert!(matches!(detail, Some(Detail::Spread(spread)) if spread.p == 1.0));
}

#[test]
fn the_spread_of_templates_is_what_they_add_to_a_score() {
    let Gauge::Subject(spread) = gauge(
        &gauges::template_spread::PART,
        &[("of", Raw::Text("s-acc".into()))],
    ) else {
        panic!("a subject gauge")
    };
    let rung = |at: usize, shift: f64| Rung {
        severity: Severity::new(f64::from(u8::from(at > 0))).unwrap(),
        variant: at.saturating_sub(1),
        name: None,
        meter: Arc::new(Mean::over(
            (0..50)
                .map(|i| Some(f64::from(i % 5) / 10.0 + shift))
                .collect(),
        )) as Arc<dyn Meter>,
    };
    let read = |shifts: [f64; 3]| {
        let rungs: Vec<Rung> = shifts
            .iter()
            .enumerate()
            .map(|(at, by)| rung(at, *by))
            .collect();
        let ladders = [(Name::new("paraphrased").unwrap(), rungs)];
        let meter = spread.open(&ladders, &Columns::new()).unwrap();
        let detail = spread.detail(&ladders, &Columns::new());
        (meter.plain().unwrap(), detail)
    };
    assert_eq!(read([0.0; 3]).0, 0.0);
    // Means that lie 0.1 apart have a standard deviation of 0.1, and nothing else varies.
    let (found, detail) = read([0.0, 0.1, 0.2]);
    assert!((found - 0.1).abs() < 1e-9, "{found}");
    let Some(Detail::Groups(shares)) = detail else {
        panic!("shares")
    };
    let names: Vec<&str> = shares.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["item", "template", "rest"]);
    assert!(shares[2].value.clone().unwrap() < 1e-9);
}

#[test]
fn templates_without_two_items_in_common_have_no_spread_and_say_so() {
    let Gauge::Subject(spread) = gauge(
        &gauges::template_spread::PART,
        &[("of", Raw::Text("s-acc".into()))],
    ) else {
        panic!("a subject gauge")
    };
    let rung = |at: u8, scores: [Option<f64>; 3]| Rung {
        severity: Severity::new(f64::from(at)).unwrap(),
        variant: 0,
        name: None,
        meter: Arc::new(Mean::over(scores.into())) as Arc<dyn Meter>,
    };
    let clean = rung(0, [None, Some(0.5), Some(0.25)]);
    let asked_otherwise = rung(1, [Some(0.5), None, Some(0.5)]);
    let ladders = [(
        Name::new("paraphrased").unwrap(),
        vec![clean, asked_otherwise],
    )];
    let meter = spread.open(&ladders, &Columns::new()).unwrap();
    for (weights, shared) in [([1, 1, 0], 0), ([1, 1, 1], 1)] {
        let why = meter.read(&weights).unwrap_err().to_string();
        assert!(why.ends_with(&format!("there are {shared}")), "{why}");
    }
}

type AnsweredRung = (Severity, Option<String>, Answers);

/// What the planted subject says at every order, in the terms of the original one.
fn answered(keys: &[(&str, Raw)], orders: &str) -> Vec<AnsweredRung> {
    let blind = moving(&[("orders", Raw::Text(orders.into()))]);
    let subject = ready(keys);
    let split = questions();
    let said = |items: &Items| match subject.answer(Question::Classes, items).unwrap() {
        Answers::Classes(said) => said,
        _ => panic!("classes"),
    };
    let clean = Answers::Classes(said(split.items()));
    let mut all = vec![(Severity::clean(), None, clean)];
    for inversions in 1..=6 {
        let rung = Severity::new(f64::from(inversions)).unwrap();
        let named =
            (0..24).filter_map(|variant| Some((variant, blind.variant_name(&rung, variant)?)));
        for (variant, name) in named {
            let pressed = Pressed {
                items: split.items(),
                truth: None,
                variant,
            };
            let after = blind.press(pressed, &rung, Seed::new(1)).unwrap();
            let meant: ClassAnswers = said(&after).standing_for(|i| blind.stands_for(&after, i));
            all.push((rung.clone(), Some(name), Answers::Classes(meant)));
        }
    }
    all
}

/// Six questions whose right option shares a word with them; right ones stand at every position.
fn questions() -> Split {
    let right = [0, 1, 2, 3, 1, 2];
    let text = |(at, &right): (usize, &usize)| {
        let text = Text::new(format!("which of these is number{at}"));
        ["A", "B", "C", "D"]
            .iter()
            .enumerate()
            .fold(text, |text, (option, name)| {
                let words = match option == right {
                    true => format!("it is number{at}"),
                    false => format!("wrong{option} answer"),
                };
                text.with(name, words)
            })
    };
    let texts = right.iter().enumerate().map(text).collect();
    let ids = (0..right.len()).map(|i| i.to_string()).collect();
    let items = Items::new(ids, Inputs::Texts(texts)).unwrap();
    let classes = ["A", "B", "C", "D"].map(String::from).to_vec();
    let of = right.iter().map(|&right| right as u32).collect();
    let labels = Labels::new(classes, of).unwrap();
    Split::new(items, Truth::Labels(labels)).unwrap()
}

fn truth() -> Sealed<Truth> {
    questions().truth().clone()
}

fn moving(keys: &[(&str, Raw)]) -> Box<dyn Blind> {
    let part = &stressors::option_order::PART;
    let Build::Stressor(build) = part.build else {
        panic!("a stressor")
    };
    let params = Params::of(part, keys, Path::new("")).unwrap();
    match build(&params).unwrap() {
        Stressor::Blind(blind) => blind,
        _ => panic!("it is blind"),
    }
}

fn picker(keys: &[(&str, Raw)]) -> Box<dyn Subject> {
    let part = &subjects::option_picker::PART;
    let Build::Subject(build) = part.build else {
        panic!("a subject")
    };
    let params = Params::of(part, keys, Path::new("")).unwrap();
    match build(&params).unwrap() {
        SubjectPart::Live(subject) => subject,
        SubjectPart::Recorded(_) => panic!("it is asked here"),
    }
}

fn ready(keys: &[(&str, Raw)]) -> Box<dyn Fitted> {
    fit(picker(keys).as_ref(), &questions(), Seed::new(1)).unwrap()
}
