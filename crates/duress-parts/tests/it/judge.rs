//! The parts for judges under dose: what every part must pass, and values worked out by hand. A new
//! part is tested by adding one line.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::path::Path;
use std::sync::Arc;

use duress_core::answer::{Answers, RatingAnswers};
use duress_core::data::{Dataset, Inputs, Items, Source, Split, Text};
use duress_core::gauge::{Columns, Gauge, Mean, Meter, Rung, Undefined, open_cell};
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Stressor, press};
use duress_core::subject::{Subject, SubjectPart, fit};
use duress_core::testkit;
use duress_core::truth::{Sealed, Truth};
use duress_parts::judge::{datasets, gauges, stressors, subjects};
use duress_parts::shared::gauges::mean_rating;

use crate::built::{cell, gauge};

type Keys<'a> = &'a [(&'a str, Raw)];

const INJECTORS: &[&Part] = &[
    &stressors::inject_factual_error::PART,
    &stressors::inject_spelling::PART,
];

const DATASETS: &[&Part] = &[&datasets::judged_responses::PART];

const SUBJECTS: &[&Part] = &[&subjects::rules_judge::PART];

const CELL_GAUGES: &[&Part] = &[&gauges::quality::PART, &mean_rating::PART];

/// How the scores of a perfect judge move.
enum Moves {
    WithTheDose,
    Never,
}

/// Gauges of a ladder, with the word for `over` where they take one, and what is perfect to them.
const LADDER_GAUGES: &[(&Part, Option<&str>, Moves)] = &[
    (
        &gauges::dose_kendall::PART,
        Some("means"),
        Moves::WithTheDose,
    ),
    (
        &gauges::dose_kendall::PART,
        Some("items"),
        Moves::WithTheDose,
    ),
    (
        &gauges::dose_spearman::PART,
        Some("means"),
        Moves::WithTheDose,
    ),
    (
        &gauges::dose_spearman::PART,
        Some("items"),
        Moves::WithTheDose,
    ),
    (&gauges::monotonic::PART, None, Moves::WithTheDose),
    (&gauges::off_target_slope::PART, None, Moves::Never),
];

pub(crate) fn checked() -> Vec<&'static Part> {
    let alone = DATASETS.iter().chain(SUBJECTS).chain(INJECTORS);
    alone
        .chain(CELL_GAUGES)
        .copied()
        .chain(LADDER_GAUGES.iter().map(|(part, ..)| *part))
        .collect()
}

#[test]
fn every_part_keeps_the_rules_of_its_kind() {
    for part in DATASETS {
        testkit::check_source(source(part).as_ref());
    }
    let data = responses();
    for part in INJECTORS {
        testkit::check_blind(
            injector(part).as_ref(),
            data.test(),
            &[1.0, 2.0, 3.0, 4.0, 5.0],
        );
    }
    for part in SUBJECTS {
        testkit::check_subject(judge(part).as_ref(), data.test(), data.test().items());
    }
    let case = |values: &[f64]| (Truth::Nothing, ratings(values));
    for part in CELL_GAUGES {
        testkit::check_cell_gauge(
            cell(part, &[]).as_ref(),
            &[case(&[10.0, 50.0, 35.0, 80.0])],
            &case(&[100.0, 100.0]),
        );
    }
}

#[test]
fn every_gauge_of_a_ladder_keeps_the_rules() {
    let case = |score: fn(usize, usize) -> Option<f64>| {
        let at = |dose: usize| (0..5).map(|item| score(dose, item)).collect();
        testkit::LadderCase {
            rungs: doses(&(0..6).map(at).collect::<Vec<Vec<Option<f64>>>>()),
            columns: Columns::new(),
        }
    };
    let cases = [
        case(|dose, item| Some(((17 * dose + 31 * item + 7 * dose * item) % 47) as f64)),
        case(|dose, item| {
            let there = (dose, item) != (2, 3);
            there.then_some((90 - 10 * dose + (item * dose) % 13) as f64)
        }),
    ];
    let falling = case(|dose, item| Some((90 - 10 * dose + item) as f64));
    let flat = case(|_, item| Some(item as f64));
    let through = cell(&gauges::quality::PART, &[]).scale();
    for (part, over, moves) in LADDER_GAUGES {
        let mut keys = vec![("of", Raw::Text("quality".into()))];
        keys.extend(over.map(|over| ("over", Raw::Text(over.into()))));
        let Gauge::Ladder(gauge) = gauge(part, &keys) else {
            panic!("{} reads no ladder", part.name)
        };
        let perfect = match moves {
            Moves::WithTheDose => &falling,
            Moves::Never => &flat,
        };
        testkit::check_ladder_gauge(gauge.as_ref(), &through, &cases, perfect);
    }
}

#[test]
fn every_response_takes_five_errors_of_each_kind_and_each_is_one_more_than_before() {
    let data = responses();
    let items = data.test().items();
    assert!(items.len() >= 24);
    for part in INJECTORS {
        let blind = injector(part);
        for seed in [1, 2, 3] {
            let rung = |k: u32| {
                press(
                    blind.as_ref(),
                    data.test(),
                    &severity(f64::from(k)),
                    0,
                    Seed::new(seed),
                )
                .unwrap()
            };
            let rungs: Vec<Split> = (0..=5).map(rung).collect();
            for i in 0..items.len() {
                assert!(
                    (0..=5).all(|k| blind.takes_part(items, i, &severity(f64::from(k)), 0)),
                    "{}",
                    &items.ids()[i]
                );
                for pair in rungs.windows(2) {
                    let [before, after] = [&pair[0], &pair[1]]
                        .map(|split| split.items().texts().unwrap()[i].text.clone());
                    assert_eq!(words_changed(&before, &after), 1, "{before}\n{after}");
                }
            }
        }
    }
}

/// How many words differ; injected errors keep the number of words.
fn words_changed(a: &str, b: &str) -> usize {
    let (a, b): (Vec<&str>, Vec<&str>) = (
        a.split_whitespace().collect(),
        b.split_whitespace().collect(),
    );
    assert_eq!(a.len(), b.len());
    a.iter().zip(&b).filter(|(a, b)| a != b).count()
}

#[test]
fn a_text_without_room_for_k_errors_does_not_take_part_at_k() {
    let text = Text::new("It opened in 1932 with eight lanes.")
        .with("source", "Opened in 1932, eight lanes.");
    let items = Items::new(vec!["x".into()], Inputs::Texts(vec![text])).unwrap();
    let facts = injector(&stressors::inject_factual_error::PART);
    assert_eq!(
        [1.0, 2.0, 3.0].map(|k| facts.takes_part(&items, 0, &severity(k), 0)),
        [true, true, false]
    );
    let pressed = Pressed {
        items: &items,
        truth: None,
        variant: 0,
    };
    assert_eq!(
        facts.press(pressed, &severity(3.0), Seed::new(1)).unwrap(),
        items,
        "no half-done steps"
    );
    assert!(
        facts
            .press(pressed, &severity(0.5), Seed::new(1))
            .unwrap_err()
            .why
            .contains("whole numbers")
    );
}

#[test]
fn the_rules_judge_finds_nothing_wrong_with_the_shipped_responses() {
    let rated = judged(responses().test().items());
    for (i, row) in rated.rows().iter().enumerate() {
        assert_eq!(row.as_ref().unwrap(), &[100.0; 3], "response {i}");
    }
}

#[test]
fn the_rules_judge_follows_the_dose_in_t_and_nowhere_else() {
    let data = responses();
    for part in INJECTORS {
        let blind = injector(part);
        let at = |k: u32| {
            judged(
                press(
                    blind.as_ref(),
                    data.test(),
                    &severity(f64::from(k)),
                    0,
                    Seed::new(1),
                )
                .unwrap()
                .items(),
            )
        };
        let rungs = |dimension: &str| {
            let quality = cell(
                &gauges::quality::PART,
                &[("dimension", Raw::Text(dimension.into()))],
            );
            let rung = |k: u32| Rung {
                severity: severity(f64::from(k)),
                variant: 0,
                meter: open_cell(
                    quality.as_ref(),
                    &Sealed::new(Truth::Nothing),
                    &Answers::Ratings(at(k)),
                )
                .unwrap(),
            };
            (0..=5).map(rung).collect::<Vec<_>>()
        };
        let n = data.test().items().len();
        assert_eq!(
            read(&gauges::dose_kendall::PART, &[], &rungs("T"), n),
            Ok(-1.0),
            "{}",
            part.name
        );
        assert_eq!(read(&gauges::monotonic::PART, &[], &rungs("T"), n), Ok(1.0));
        for off in ["B", "E"] {
            let of = [("of", Raw::Text("off".into()))];
            assert_eq!(
                read(&gauges::off_target_slope::PART, &of, &rungs(off), n),
                Ok(0.0)
            );
            let why = read(&gauges::dose_kendall::PART, &[], &rungs(off), n)
                .unwrap_err()
                .why;
            assert!(why.contains("the same at every dose"), "{why}");
        }
    }
}

#[test]
fn a_response_without_a_source_has_no_rating_and_is_not_perfect() {
    let items = Items::new(
        vec!["x".into()],
        Inputs::Texts(vec![Text::new("It is so.")]),
    )
    .unwrap();
    assert!(
        judged(&items).rows()[0]
            .as_ref()
            .unwrap_err()
            .why
            .contains("no source")
    );
}

#[test]
fn six_means_give_tau_in_multiples_of_two_fifteenths_and_the_flag_allows_one_discordant_pair() {
    let of = |part: &'static Part, means: [f64; 6]| {
        read(part, &[], &doses(&means.map(|mean| vec![Some(mean)])), 1)
    };
    let mut draws = Seed::new(4).draws();
    for _ in 0..200 {
        let mut means = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        draws.shuffle(&mut means);
        let steps = of(&gauges::dose_kendall::PART, means).unwrap() * 15.0 / 2.0 + 0.5;
        assert!((steps - steps.round()).abs() < 1e-9, "{means:?}");
    }
    let falling = [6.0, 5.0, 4.0, 3.0, 2.0, 1.0];
    let one_swap = [5.0, 6.0, 4.0, 3.0, 2.0, 1.0];
    let two_swaps = [5.0, 6.0, 3.0, 4.0, 2.0, 1.0];
    assert_eq!(of(&gauges::dose_kendall::PART, falling), Ok(-1.0));
    assert!((of(&gauges::dose_kendall::PART, one_swap).unwrap() + 13.0 / 15.0).abs() < 1e-12);
    assert_eq!(
        [falling, one_swap, two_swaps].map(|means| of(&gauges::monotonic::PART, means).unwrap()),
        [1.0, 1.0, 0.0]
    );
    assert_eq!(of(&gauges::dose_spearman::PART, falling), Ok(-1.0));
    assert!((of(&gauges::dose_spearman::PART, one_swap).unwrap() + 33.0 / 35.0).abs() < 1e-12);
    assert!(
        of(&gauges::dose_spearman::PART, [1.0; 6])
            .unwrap_err()
            .why
            .contains("the same at every dose")
    );
}

#[test]
fn only_items_with_a_score_at_every_dose_count() {
    // The second item would turn the fall of the first into a rise, but it has no score at the last
    // dose.
    let rungs = doses(&[
        vec![Some(3.0), Some(0.0)],
        vec![Some(2.0), Some(50.0)],
        vec![Some(1.0), None],
    ]);
    assert_eq!(read(&gauges::dose_kendall::PART, &[], &rungs, 2), Ok(-1.0));
    assert_eq!(
        read(
            &gauges::dose_kendall::PART,
            &[("over", Raw::Text("items".into()))],
            &rungs,
            2
        ),
        Ok(-1.0)
    );
    let of = [("of", Raw::Text("quality".into()))];
    assert_eq!(
        read(&gauges::off_target_slope::PART, &of, &rungs, 2),
        Ok(-1.0)
    );
    let nobody = doses(&[vec![Some(1.0), None], vec![None, Some(1.0)]]);
    assert!(
        read(&gauges::dose_kendall::PART, &[], &nobody, 2)
            .unwrap_err()
            .why
            .contains("every dose")
    );
}

fn doses(scores: &[Vec<Option<f64>>]) -> Vec<Rung> {
    let rung = |(k, scores): (usize, &Vec<Option<f64>>)| Rung {
        severity: severity(k as f64),
        variant: 0,
        meter: Arc::new(Mean::over(scores.clone())) as Arc<dyn Meter>,
    };
    scores.iter().enumerate().map(rung).collect()
}

fn read(
    part: &'static Part,
    keys: Keys<'_>,
    rungs: &[Rung],
    units: usize,
) -> Result<f64, Undefined> {
    match gauge(part, keys) {
        Gauge::Ladder(gauge) => gauge.open(rungs, &Columns::new())?.read(&vec![1; units]),
        _ => panic!("{} reads a ladder", part.name),
    }
}

fn ratings(values: &[f64]) -> Answers {
    let rows = values.iter().map(|value| Ok(vec![*value])).collect();
    Answers::Ratings(RatingAnswers::new(vec!["T".into()], rows))
}

fn judged(items: &Items) -> RatingAnswers {
    let split = Split::new(items.clone(), Truth::Nothing).unwrap();
    match fit(
        judge(&subjects::rules_judge::PART).as_ref(),
        &split,
        Seed::new(1),
    )
    .unwrap()
    .answer(Question::Ratings, items)
    .unwrap()
    {
        Answers::Ratings(rated) => rated,
        _ => panic!("a judge rates"),
    }
}

fn severity(value: f64) -> Severity {
    Severity::new(value).unwrap()
}

fn params(part: &Part, keys: Keys<'_>) -> Params {
    Params::of(part, keys, Path::new(""))
        .unwrap_or_else(|problems| panic!("{}: {problems:?}", part.name))
}

fn source(part: &Part) -> Box<dyn Source> {
    let Build::Dataset(build) = part.build else {
        panic!("{} is no dataset", part.name)
    };
    build(&params(part, &[])).unwrap()
}

fn responses() -> Dataset {
    let source = source(&datasets::judged_responses::PART);
    source.load(Seed::new(1)).unwrap()
}

fn injector(part: &Part) -> Box<dyn Blind> {
    let Build::Stressor(build) = part.build else {
        panic!("{} is a {}", part.name, part.kind())
    };
    match build(&params(part, &[])).unwrap() {
        Stressor::Blind(blind) => blind,
        _ => panic!("{} is blind", part.name),
    }
}

fn judge(part: &Part) -> Box<dyn Subject> {
    let Build::Subject(build) = part.build else {
        panic!("{} is no subject", part.name)
    };
    match build(&params(part, &[])).unwrap() {
        SubjectPart::Live(subject) => subject,
        SubjectPart::Recorded(_) => panic!("it is asked here"),
    }
}
