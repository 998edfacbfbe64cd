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
use duress_core::gauge::{
    Columns, Gauge, Mean, Meter, Rung, SealedCell, Undefined, Views, open_cell, open_pair,
};
use duress_core::name::Name;
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::place::Under;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Pressed, Stressor, press};
use duress_core::subject::{Circumstances, Subject, SubjectPart, fit};
use duress_core::testkit;
use duress_core::truth::{Sealed, Truth};
use duress_parts::judge::{datasets, gauges, stressors, subjects};
use duress_parts::shared::gauges::mean_rating;

use crate::built::{cell, gauge};

type Keys<'a> = &'a [(&'a str, Raw)];

const INJECTORS: &[&Part] = &[
    &stressors::inject_assumption_not_stated::PART,
    &stressors::inject_confirmation::PART,
    &stressors::inject_cultural_bias::PART,
    &stressors::inject_demographic_bias::PART,
    &stressors::inject_factual_error::PART,
    &stressors::inject_gender_bias::PART,
    &stressors::inject_hallucination::PART,
    &stressors::inject_inconsistency::PART,
    &stressors::inject_missing_context::PART,
    &stressors::inject_overly_complex::PART,
    &stressors::inject_political_bias::PART,
    &stressors::inject_spelling::PART,
    &stressors::inject_sycophancy::PART,
    &stressors::inject_unclear_explanation::PART,
];

/// What should raise no score, and what should move none.
const LURES_AND_PLACEBOS: &[&Part] = &[
    &stressors::lure_authority::PART,
    &stressors::lure_flattery::PART,
    &stressors::lure_formatting::PART,
    &stressors::lure_instruction::PART,
    &stressors::lure_padding::PART,
    &stressors::lure_self_praise::PART,
    &stressors::placebo_reordered_list::PART,
    &stressors::placebo_synonym::PART,
    &stressors::placebo_white_space::PART,
];

/// The two kinds of error that the rules judge sees best.
const SEEN_BEST: &[&Part] = &[
    &stressors::inject_factual_error::PART,
    &stressors::inject_spelling::PART,
];

const RECORDINGS: &[&Part] = &[
    &subjects::recorded_judgements::PART,
    &subjects::recorded_ratings::PART,
];

const PAIR_STRESSORS: &[&Part] = &[&stressors::swap_responses::PART];

const PAIR_DATASETS: &[&Part] = &[&datasets::judged_pairs::PART];

const PAIR_GAUGES: &[&Part] = &[
    &gauges::both_orders_accuracy::PART,
    &gauges::first_slot_preference::PART,
    &gauges::order_consistency::PART,
    &gauges::tie_share::PART,
];

const DATASETS: &[&Part] = &[&datasets::judged_responses::PART];

const SUBJECTS: &[&Part] = &[&subjects::planted_judge::PART, &subjects::rules_judge::PART];

const CELL_GAUGES: &[&Part] = &[&gauges::quality::PART, &mean_rating::PART];

/// Gauges that need to be told of a second dimension.
const GAP_GAUGES: &[&Part] = &[&gauges::quality_gap::PART];

/// Gauges of several calls about each item.
const CALL_GAUGES: &[&Part] = &[&gauges::call_error::PART, &gauges::interval_coverage::PART];

/// How the scores of a perfect judge move.
enum Moves {
    WithTheDose,
    Never,
    /// There is no perfect reading.
    Somehow,
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
    (&gauges::falling_share::PART, None, Moves::WithTheDose),
    (&gauges::falling_sign_p::PART, None, Moves::Somehow),
    (&gauges::dose_kendall_p::PART, None, Moves::Somehow),
    (&gauges::dose_spearman_p::PART, None, Moves::Somehow),
    (&gauges::dose_slope::PART, None, Moves::Somehow),
    (
        &gauges::first_error_discrimination::PART,
        None,
        Moves::WithTheDose,
    ),
    (&gauges::half_dose::PART, None, Moves::Somehow),
    (&gauges::moved_share::PART, None, Moves::Somehow),
    (&gauges::off_target_slope::PART, None, Moves::Never),
];

pub(crate) fn checked() -> Vec<&'static Part> {
    let alone = DATASETS.iter().chain(SUBJECTS).chain(INJECTORS);
    let alone = alone.chain(LURES_AND_PLACEBOS).chain(PAIR_STRESSORS);
    let alone = alone.chain(RECORDINGS).chain(PAIR_DATASETS);
    alone
        .chain(PAIR_GAUGES)
        .chain(CELL_GAUGES)
        .chain(CALL_GAUGES)
        .chain(GAP_GAUGES)
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
    for part in INJECTORS.iter().chain(LURES_AND_PLACEBOS) {
        testkit::check_blind(
            injector(part).as_ref(),
            data.test(),
            &[1.0, 2.0, 3.0, 4.0, 5.0],
        );
    }
    for part in PAIR_STRESSORS {
        testkit::check_blind(injector(part).as_ref(), pairs().test(), &[1.0]);
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

/// Ratings of items by so many calls, normal about 60 with a deviation of 10.
fn calls(items: usize, count: usize) -> Answers {
    let mut draws = Seed::new(11).draws();
    let names = (1..=count).map(|call| format!("T-call-{call}"));
    let row = |_| Ok((0..count).map(|_| 60.0 + 10.0 * draws.normal()).collect());
    let rows = (0..items).map(row).collect();
    Answers::Ratings(RatingAnswers::new(names.collect(), rows))
}

#[test]
fn every_gauge_of_calls_keeps_the_rules() {
    let case = || (Truth::Nothing, calls(9, 18));
    for part in CALL_GAUGES {
        testkit::check_cell_gauge(cell(part, &[]).as_ref(), &[case()], &case());
    }
}

#[test]
fn intervals_of_normal_calls_cover_as_often_as_they_should_and_shrink_with_the_root() {
    let read = |part: &'static Part, calls: i64, answers: &Answers| {
        let gauge = cell(part, &[("calls", Raw::Whole(calls))]);
        let meter = open_cell(gauge.as_ref(), &Sealed::new(Truth::Nothing), answers);
        meter.and_then(|meter| meter.plain())
    };
    let answers = calls(8_000, 20);
    let cover = |calls| read(&gauges::interval_coverage::PART, calls, &answers).unwrap();
    // P(|t| ≤ q √(15 / (15 + calls))): .9409 and .9260; four standard errors of 8,000.
    assert!((cover(3) - 0.9409).abs() < 0.0106, "{}", cover(3));
    assert!((cover(5) - 0.9260).abs() < 0.0118, "{}", cover(5));
    let error = |calls| read(&gauges::call_error::PART, calls, &answers).unwrap();
    assert!((error(3) / error(5) - (5.0_f64 / 3.0).sqrt()).abs() < 0.02);
    assert!((error(5) - 10.0 / 5.0_f64.sqrt()).abs() < 0.1);
    let one = read(&gauges::interval_coverage::PART, 1, &answers).unwrap_err();
    assert!(one.why.contains("one call"), "{}", one.why);
    let names = (1..=18).map(|call| format!("T-call-{call}")).collect();
    let same = Answers::Ratings(RatingAnswers::new(names, vec![Ok(vec![70.0; 18]); 3]));
    let vacuous = read(&gauges::interval_coverage::PART, 3, &same).unwrap_err();
    assert!(vacuous.why.contains("says the same"), "{}", vacuous.why);
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
            there.then_some((90 - 14 * dose + (item * dose) % 13) as f64)
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
            Moves::WithTheDose | Moves::Somehow => &falling,
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
        let rung = |k: u32| {
            let severity = severity(f64::from(k));
            press(blind.as_ref(), data.test(), &severity, 0, Seed::new(1)).unwrap()
        };
        let rungs: Vec<Split> = (0..=5).map(rung).collect();
        for i in 0..items.len() {
            let most = severity(5.0);
            assert!(
                blind.takes_part(items, i, &most, 0),
                "{} {}",
                part.name,
                &items.ids()[i]
            );
            let steps = blind.steps(items, i, &most, Seed::new(1)).unwrap().unwrap();
            assert_eq!(steps.len(), 5);
            for (pair, step) in rungs.windows(2).zip(&steps) {
                let [before, after] = [&pair[0], &pair[1]]
                    .map(|split| split.items().texts().unwrap()[i].text.clone());
                assert_eq!(before[step.span.clone()], step.before, "{}", part.name);
                let mut made = before;
                made.replace_range(step.span.clone(), &step.after);
                assert_eq!(made, after, "{}", part.name);
            }
        }
    }
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
fn what_cannot_be_pressed_says_why() {
    let texts = [
        "",
        "水滴石穿，绳锯木断。",
        "let x = vec![1];",
        "12 34 56",
        "It is so, and that is that.",
    ];
    let items = Items::new(
        (0..texts.len()).map(|i| i.to_string()).collect(),
        Inputs::Texts(texts.iter().map(|text| Text::new(*text)).collect()),
    )
    .unwrap();
    for part in INJECTORS {
        let blind = injector(part);
        let why = |i: usize| {
            blind
                .steps(&items, i, &severity(10.0), Seed::new(1))
                .unwrap()
        };
        let told = |i: usize, word: &str| {
            let why = why(i).unwrap_err();
            assert!(why.contains(word), "{}: {why}", part.name);
        };
        told(0, "empty");
        told(1, "another script");
        told(2, "no English sentence");
        told(3, "no English sentence");
        told(4, "place");
    }
}

#[test]
fn planted_judges_are_noticed_by_the_gauges_of_a_study() {
    let data = responses();
    let blind = injector(&stressors::inject_hallucination::PART);
    let rungs = |habit: &str| {
        let quality = cell(&gauges::quality::PART, &[]);
        let rung = |k: u32| {
            let split = press(
                blind.as_ref(),
                data.test(),
                &severity(f64::from(k)),
                0,
                Seed::new(1),
            );
            let answers = Answers::Ratings(planted(habit, split.unwrap().items()));
            let truth = Sealed::new(Truth::Nothing);
            let meter = open_cell(quality.as_ref(), &truth, &answers).unwrap();
            Rung {
                severity: severity(f64::from(k)),
                variant: 0,
                name: None,
                meter,
            }
        };
        (0..=5).map(rung).collect::<Vec<_>>()
    };
    let n = data.test().items().len();
    let share = |habit: &str| read(&gauges::falling_share::PART, &[], &rungs(habit), n);
    let tau = |habit: &str| read(&gauges::dose_kendall::PART, &[], &rungs(habit), n);
    // A constant judge has nothing to correlate; a lover of length gives more for made-up
    // sentences; a coin and a picker of the middle have no slope to speak of.
    assert!(
        tau("constant")
            .unwrap_err()
            .why
            .contains("same at every dose")
    );
    assert_eq!(tau("length-lover"), Ok(1.0));
    assert_eq!(share("length-lover"), Ok(0.0));
    assert!(
        (0.1..0.9).contains(&share("random").unwrap()),
        "{:?}",
        share("random")
    );
    let slope = read(&gauges::dose_slope::PART, &[], &rungs("middle-picker"), n).unwrap();
    assert!(slope.abs() < 0.2, "{slope}");
    assert_eq!(
        read(
            &gauges::first_error_discrimination::PART,
            &[],
            &rungs("constant"),
            n
        ),
        Ok(0.5)
    );
}

#[test]
fn a_judge_of_pairs_that_looks_at_places_is_noticed() {
    let data = pairs();
    let swap = injector(&stressors::swap_responses::PART);
    let swapped = press(swap.as_ref(), data.test(), &severity(1.0), 0, Seed::new(1)).unwrap();
    let both = |part: &'static Part, habit: &str| {
        let Gauge::Pair(gauge) = gauge(part, &[]) else {
            panic!("{} reads pairs", part.name)
        };
        let truth = Sealed::new(Truth::Nothing);
        let (clean, pressed) = (
            planted(habit, data.test().items()),
            planted(habit, swapped.items()),
        );
        let (clean, pressed) = (Answers::Ratings(clean), Answers::Ratings(pressed));
        let (one, other) = (Views::default(), Views::default());
        let meter = open_pair(
            gauge.as_ref(),
            SealedCell::new(&truth, &clean, &one),
            SealedCell::new(&truth, &pressed, &other),
        );
        meter.unwrap().plain().unwrap()
    };
    assert_eq!(both(&gauges::order_consistency::PART, "first-picker"), 0.0);
    assert_eq!(
        both(&gauges::first_slot_preference::PART, "first-picker"),
        0.5
    );
    assert_eq!(both(&gauges::order_consistency::PART, "length-lover"), 1.0);
    assert_eq!(
        both(&gauges::first_slot_preference::PART, "length-lover"),
        0.0
    );
    assert_eq!(both(&gauges::tie_share::PART, "middle-picker"), 1.0);
    assert_eq!(both(&gauges::tie_share::PART, "first-picker"), 0.0);
}

#[test]
fn pairs_are_read_from_a_file_and_a_judge_is_right_only_in_both_orders() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize, label: &str| {
        let long = "a longer answer ".repeat(i);
        format!(
            r#"{{"pair_id":"p{i}","source":"made","question":"?","response_A":"{long}","response_B":"short","label":"{label}"}}"#
        )
    };
    let rows = [
        row(1, "A>B"),
        row(2, "B>A"),
        row(3, "A>B"),
        row(4, "A>B"),
        "{}".into(),
    ];
    std::fs::write(folder.path().join("pairs.jsonl"), rows.join("\n")).unwrap();
    let part = &datasets::judged_pairs::PART;
    let Build::Dataset(build) = part.build else {
        panic!("pairs are a dataset")
    };
    let keys = [("file", Raw::Text("pairs.jsonl".into()))];
    let params = Params::of(part, &keys, folder.path()).unwrap();
    let source = build(&params).unwrap();
    testkit::check_source(source.as_ref());
    let data = source.load(Seed::new(1)).unwrap();
    assert!(data.remarks()[0].contains("row 5"), "{:?}", data.remarks());
    let swap = injector(&stressors::swap_responses::PART);
    let swapped = press(swap.as_ref(), data.test(), &severity(1.0), 0, Seed::new(1)).unwrap();
    let accuracy = |habit: &str| {
        let Gauge::Pair(gauge) = gauge(&gauges::both_orders_accuracy::PART, &[]) else {
            panic!("it reads pairs")
        };
        let clean = Answers::Ratings(planted(habit, data.test().items()));
        let pressed = Answers::Ratings(planted(habit, swapped.items()));
        let (one, other) = (Views::default(), Views::default());
        let truth = data.test().truth();
        let meter = open_pair(
            gauge.as_ref(),
            SealedCell::new(truth, &clean, &one),
            SealedCell::new(truth, &pressed, &other),
        );
        meter.unwrap().plain().unwrap()
    };
    assert_eq!(accuracy("length-lover"), 0.75);
    assert_eq!(accuracy("first-picker"), 0.0);
}

#[test]
fn a_gap_is_one_dimension_less_another_item_by_item() {
    let rated = |rows: &[[f64; 2]]| {
        let rows = rows.iter().map(|row| Ok(row.to_vec())).collect();
        let dimensions = ["T", "B"].map(String::from).to_vec();
        Answers::Ratings(RatingAnswers::new(dimensions, rows))
    };
    let case = |rows: &[[f64; 2]]| (Truth::Nothing, rated(rows));
    let keys = [("beside", Raw::Text("B".into()))];
    for part in GAP_GAUGES {
        let gap = cell(part, &keys);
        let some = case(&[[80.0, 90.0], [50.0, 20.0], [10.0, 60.0]]);
        testkit::check_cell_gauge(gap.as_ref(), &[some], &case(&[[100.0, 100.0]; 2]));
        let truth = Sealed::new(Truth::Nothing);
        let read = |rows: &[[f64; 2]]| open_cell(gap.as_ref(), &truth, &rated(rows));
        let meter = read(&[[80.0, 90.0], [50.0, 20.0]]).unwrap();
        assert_eq!(meter.plain(), Ok(10.0));
        assert_eq!(meter.read(&[2, 0]), Ok(-10.0));
        assert!(
            read(&[[80.0, 101.0]])
                .err()
                .unwrap()
                .why
                .contains("outside")
        );
    }
}

#[test]
fn the_total_is_half_t_three_tenths_e_and_a_fifth_b() {
    let dimensions = ["T", "B", "E"].map(String::from).to_vec();
    let rated = RatingAnswers::new(dimensions, vec![Ok(vec![100.0, 50.0, 0.0])]);
    let keys = [("dimension", Raw::Text("total".into()))];
    let total = cell(&gauges::quality::PART, &keys);
    let truth = Sealed::new(Truth::Nothing);
    let meter = open_cell(total.as_ref(), &truth, &Answers::Ratings(rated)).unwrap();
    assert_eq!(meter.plain(), Ok(60.0));
    let lacking = open_cell(total.as_ref(), &truth, &ratings(&[1.0]));
    assert!(lacking.err().unwrap().why.contains("`E`"));
}

#[test]
fn p_values_and_half_doses_are_those_worked_out_by_hand() {
    let of = |part: &'static Part, means: [f64; 6]| {
        read(part, &[], &doses(&means.map(|mean| vec![Some(mean)])), 1)
    };
    let falling = [60.0, 50.0, 40.0, 20.0, 10.0, 5.0];
    let p = of(&gauges::dose_kendall_p::PART, falling).unwrap();
    assert!((p - 2.0 / 720.0).abs() < 1e-12, "{p}");
    let p = of(&gauges::dose_spearman_p::PART, falling).unwrap();
    assert!((p - 2.0 / 720.0).abs() < 1e-12, "{p}");
    assert_eq!(of(&gauges::half_dose::PART, falling), Ok(2.5));
    let never = of(
        &gauges::half_dose::PART,
        [60.0, 50.0, 40.0, 40.0, 40.0, 31.0],
    );
    assert!(never.unwrap_err().why.contains("does not fall to a half"));
    let five: Vec<Vec<Option<f64>>> = (0..3)
        .map(|k| (0..5).map(|_| Some(9.0 - f64::from(k))).collect())
        .collect();
    let p = read(&gauges::falling_sign_p::PART, &[], &doses(&five), 5).unwrap();
    assert_eq!(p, 2.0 / 32.0);
}

#[test]
fn recorded_ratings_are_looked_up_by_item_ladder_and_dose() {
    let folder = tempfile::tempdir().unwrap();
    let table = "id,ladder,k,T,B\na,spelling,0,90,80\nb,spelling,0,70,NA\na,spelling,1,60,80\na,facts,1,10,80\nb,spelling,1,good,80\n";
    std::fs::write(folder.path().join("ratings.csv"), table).unwrap();
    let part = &subjects::recorded_ratings::PART;
    let rated = |under: Under, keys: Keys<'_>, ids: &[&str]| {
        let Build::Subject(build) = part.build else {
            panic!("recorded ratings are a subject")
        };
        let params = Params::of(part, keys, folder.path()).unwrap();
        let SubjectPart::Recorded(recording) = build(&params).unwrap() else {
            panic!("it was asked elsewhere")
        };
        let at = Circumstances {
            subject: Name::new("mine").unwrap(),
            seed: 1,
            under,
            variant: None,
        };
        let texts = ids.iter().map(|_| Text::new("x")).collect();
        let ids = ids.iter().map(ToString::to_string).collect();
        let items = Items::new(ids, Inputs::Texts(texts)).unwrap();
        match recording.look_up(&at, Question::Ratings, &items) {
            Ok(Answers::Ratings(rated)) => Ok(rated),
            Ok(_) => panic!("ratings were asked for"),
            Err(problem) => Err(problem.to_string()),
        }
    };
    let files = ("files", Raw::Text("ratings.csv".into()));
    let rung = |ladder: &str| Under::Rung {
        ladder: Name::new(ladder).unwrap(),
        severity: severity(1.0),
    };
    let only_t = ("dimensions", Raw::List(vec![Raw::Text("T".into())]));
    let keys = [files.clone(), only_t];
    let clean = rated(Under::Clean, &keys, &["b", "a"]).unwrap();
    assert_eq!(
        [clean.rating(0, "T"), clean.rating(1, "T")],
        [Some(70.0), Some(90.0)]
    );
    let facts = rated(rung("facts"), &keys, &["a", "b"]).unwrap();
    assert_eq!(facts.rating(0, "T"), Some(10.0));
    assert!(facts.rows()[1].as_ref().unwrap_err().why.contains("no row"));
    let spelt = rated(rung("spelling"), &keys, &["a", "b"]).unwrap();
    assert!(
        spelt.rows()[1]
            .as_ref()
            .unwrap_err()
            .why
            .contains("no number")
    );
    assert!(
        rated(rung("spelling"), &keys, &["a"])
            .unwrap_err()
            .contains("no item")
    );
    let found = rated(Under::Clean, &[files], &["a", "b"]);
    // `good` is no number, so T is no column of ratings by itself.
    assert_eq!(found.unwrap().dimensions(), ["B"]);
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
    for part in SEEN_BEST {
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
                name: None,
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
        name: None,
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

fn pairs() -> Dataset {
    let pair = |i: usize| {
        let text = Text::new("It is long ".repeat(i + 2));
        text.with("other", "It is short ".repeat(i % 3 + 1).as_str())
    };
    let ids = (0..6).map(|i| format!("pair {i}")).collect();
    let items = Items::new(ids, Inputs::Texts((0..6).map(pair).collect())).unwrap();
    let split = Split::new(items, Truth::Nothing).unwrap();
    Dataset::new(None, split).unwrap()
}

fn planted(habit: &str, items: &Items) -> RatingAnswers {
    let part = &subjects::planted_judge::PART;
    let Build::Subject(build) = part.build else {
        panic!("a judge is a subject")
    };
    let keys = [("habit", Raw::Text(habit.into()))];
    let SubjectPart::Live(judge) = build(&params(part, &keys)).unwrap() else {
        panic!("it is asked here")
    };
    let split = Split::new(items.clone(), Truth::Nothing).unwrap();
    let fitted = fit(judge.as_ref(), &split, Seed::new(1)).unwrap();
    match fitted.answer(Question::Ratings, items).unwrap() {
        Answers::Ratings(rated) => rated,
        _ => panic!("a judge rates"),
    }
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
