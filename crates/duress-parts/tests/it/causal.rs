//! The parts for causal graphs: what every part must pass, and what holds between them. A new part
//! is tested by adding one line.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use duress_core::answer::{Answers, GraphAnswer, RatingAnswers};
use duress_core::data::{Dataset, Inputs, Items, Source, Split, Windows};
use duress_core::gauge::{CellGauge, Gauge, Mean, Rung, Undefined, Whole, open_cell};
use duress_core::graph::Graph;
use duress_core::name::Name;
use duress_core::part::{Build, Params, Part, PartKind, Raw};
use duress_core::question::Question;
use duress_core::rater::rate;
use duress_core::seed::{Draws, Seed};
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Stressor, press};
use duress_core::subject::{Failure, Subject, SubjectPart, fit};
use duress_core::testkit;
use duress_core::truth::{Sealed, Truth};
use duress_parts::causal::presets::PRESETS;
use duress_parts::causal::{datasets, gauges, raters, stressors, subjects};
use duress_parts::registry::Registry;
use duress_parts::shared;
use duress_stats::tests::little;

type Keys = &'static [(&'static str, Raw)];

const DATASETS: &[(&Part, Keys)] = &[
    (
        &datasets::lorenz_96::PART,
        &[
            ("variables", Raw::Whole(5)),
            ("windows", Raw::Whole(20)),
            ("test-windows", Raw::Whole(10)),
        ],
    ),
    (
        &datasets::temporal_sem::PART,
        &[
            ("windows", Raw::Whole(30)),
            ("test-windows", Raw::Whole(10)),
        ],
    ),
    (
        &datasets::temporal_sem::PART,
        &[("edges", Raw::Whole(0)), ("windows", Raw::Whole(4))],
    ),
    (
        &datasets::temporal_sem::PART,
        &[
            ("variables", Raw::Whole(1)),
            ("edges", Raw::Whole(0)),
            ("steps", Raw::Whole(1)),
            ("windows", Raw::Whole(1)),
        ],
    ),
    (
        &datasets::temporal_sem::PART,
        &[
            ("standardise", Raw::Flag(false)),
            ("regimes", Raw::Whole(1)),
        ],
    ),
];

/// Every word that a key of the simulated data takes.
const CHOICES: &[(&str, &[&str])] = &[
    ("family", &["mix", "tanh", "linear", "mlp", "instantaneous"]),
    ("wiring", &["erdos-renyi", "scale-free"]),
    ("lag", &["one", "zero", "mixed"]),
    ("intervention", &["none", "soft", "hard"]),
];

const SUBJECTS: &[(&Part, Keys)] = &[
    (&subjects::correlation::PART, &[]),
    (&subjects::dagma::PART, &[]),
    (&subjects::dynotears::PART, &[]),
    (&subjects::em_kalman::PART, &[]),
    (&subjects::j_pcmci::PART, &[]),
    (&subjects::kalman_basis::PART, &[]),
    (&subjects::lagged_regression::PART, &[]),
    (&subjects::mask_only::PART, &[]),
    (&subjects::nonlinear_var::PART, &[]),
    (&subjects::notears::PART, &[]),
    (&subjects::pc::PART, &[]),
    (&subjects::pcmci::PART, &[]),
    (&subjects::random::PART, &[]),
    (&subjects::rc_gnn::PART, &[]),
    (&subjects::var_lingam::PART, &[]),
    (
        &subjects::lagged_regression::PART,
        &[("stable", Raw::Number(0.6))],
    ),
];

const STRESSORS: &[(&Part, Keys, &[f64])] = &[
    (&stressors::bias_additive::PART, &[], &[0.2, 0.5, 1.0]),
    (&stressors::bias_cubic::PART, &[], &[0.05, 0.1, 0.2]),
    (
        &stressors::bias_multiplicative::PART,
        &[],
        &[0.15, 0.5, 1.0],
    ),
    (&stressors::dead_sensor::PART, &[], &[0.1, 0.3, 1.0]),
    (&stressors::discretise::PART, &[], &[0.25, 0.5, 1.0]),
    (&stressors::drift::PART, &[], &[0.01, 0.05, 0.2]),
    (&stressors::hidden_causes::PART, &[], &[0.25, 0.5, 1.0]),
    (&stressors::missing_mar::PART, &[], RATES),
    (&stressors::missing_mcar::PART, &[], RATES),
    (&stressors::missing_mnar_self::PART, &[], RATES),
    (&stressors::missing_mnar_tails::PART, &[], RATES),
    (&stressors::missing_mnar_threshold::PART, &[], RATES),
    (&stressors::missing_structural::PART, &[], RATES),
    (&stressors::noise::PART, &[], &[0.1, 0.5, 1.0]),
    (
        &stressors::noise_heteroscedastic::PART,
        &[],
        &[0.1, 0.3, 0.5],
    ),
    (&stressors::outliers::PART, &[], &[0.03, 0.1, 0.5]),
    (&stressors::regimes::PART, &[], &[0.5, 1.0]),
    (&stressors::resample_windows::PART, &[], &[1.0]),
    (&stressors::rescale::PART, &[], &[0.5, 1.0]),
    (&stressors::season::PART, &[], &[0.5, 1.0, 2.0]),
    (&stressors::time_jitter::PART, &[], &[0.25, 0.5, 1.0]),
    (&stressors::trend::PART, &[], &[0.5, 1.0, 2.0]),
    (&stressors::unequal_sampling::PART, &[], &[0.25, 0.5, 1.0]),
];

const RATES: &[f64] = &[0.1, 0.2, 0.4, 0.6, 0.8, 1.0];

const GAUGES: &[(&Part, Keys)] = &[
    (&gauges::directed_f1::PART, &[]),
    (&gauges::directed_f1_oracle_k::PART, &[]),
    (&gauges::edge_auprc::PART, &[]),
    (&gauges::edge_auroc::PART, &[]),
    (&gauges::edge_precision::PART, &[]),
    (&gauges::edge_recall::PART, &[]),
    (&gauges::false_edges::PART, &[]),
    (&gauges::orientation_accuracy::PART, &[]),
    (&gauges::shd::PART, &[]),
    (&gauges::shd::PART, &[("reversal-cost", Raw::Whole(2))]),
    (&gauges::shd_cpdag::PART, &[]),
    (&gauges::shd_reversal_2::PART, &[]),
    (&gauges::sid::PART, &[]),
    (&gauges::skeleton_f1::PART, &[]),
    (&gauges::skeleton_f1_oracle_k::PART, &[]),
];

const RATING_GAUGES: &[&Part] = &[&gauges::held_out_likelihood::PART];

const SUBJECT_GAUGES: &[&Part] = &[&shared::gauges::interaction::PART];

const RATERS: &[&Part] = &[&raters::graph_likelihood::PART];

#[test]
fn every_dataset_keeps_the_rules() {
    for (part, keys) in DATASETS {
        testkit::check_source(dataset(part, keys).as_ref());
    }
    for (key, word) in CHOICES
        .iter()
        .flat_map(|(key, words)| words.iter().map(move |word| (key, word)))
    {
        let few = [
            ("windows", Raw::Whole(6)),
            ("test-windows", Raw::Whole(6)),
            ("steps", Raw::Whole(5)),
        ];
        let keys = [&few[..], &[(*key, Raw::Text((*word).into()))]].concat();
        testkit::check_source(dataset(&datasets::temporal_sem::PART, &keys).as_ref());
    }
}

#[test]
fn every_stressor_keeps_the_rules() {
    for (part, keys, rungs) in STRESSORS {
        testkit::check_blind(stressor(part, keys).as_ref(), small().test(), rungs);
    }
    let along = [("along", Raw::Text("truth".into()))];
    let seeing = stressor(&stressors::missing_structural::PART, &along);
    assert!(
        seeing.pressure().sees_truth,
        "it says that it sees the truth"
    );
    assert!(
        !stressor(&stressors::missing_structural::PART, &[])
            .pressure()
            .sees_truth
    );
    testkit::check_blind(seeing.as_ref(), small().test(), RATES);
}

#[test]
fn every_subject_keeps_the_rules() {
    for (part, keys) in SUBJECTS {
        let data = small();
        testkit::check_subject(
            subject(part, keys).as_ref(),
            data.fit().unwrap(),
            data.test().items(),
        );
    }
}

#[test]
fn every_gauge_keeps_the_rules() {
    let (truth, same) = (graph(3, &[(0, 1), (1, 2)]), graph(3, &[(0, 1), (1, 2)]));
    let others = [
        graph(3, &[]),
        graph(3, &[(1, 0), (2, 0)]),
        graph(2, &[(0, 1)]),
    ];
    let mut cases: Vec<(Truth, Answers)> = others
        .into_iter()
        .map(|other| case(&truth, other))
        .collect();
    cases.extend([
        case(&graph(3, &[]), graph(3, &[])),
        case(&graph(1, &[]), graph(1, &[])),
    ]);
    for (part, keys) in GAUGES {
        testkit::check_cell_gauge(
            gauge(part, keys).as_ref(),
            &cases,
            &case(&truth, same.clone()),
        );
    }
}

#[test]
fn every_gauge_of_ratings_keeps_the_rules() {
    let case = |values: &[f64]| {
        let rows = values.iter().map(|value| Ok(vec![*value])).collect();
        let rated = RatingAnswers::new(vec!["log-likelihood".into()], rows);
        (Truth::Nothing, Answers::Ratings(rated))
    };
    for part in RATING_GAUGES {
        testkit::check_cell_gauge(
            gauge(part, &[]).as_ref(),
            &[case(&[-1.5, -0.25, -3.0, 0.5])],
            &case(&[1.0, 2.0]),
        );
    }
}

#[test]
fn every_rater_keeps_the_rules() {
    let data = small();
    let learner = subject(&subjects::lagged_regression::PART, &[]);
    let answers = learn(learner.as_ref(), data.fit().unwrap()).unwrap();
    for part in RATERS {
        let Build::Rater(build) = part.build else {
            panic!("{} is no rater", part.name)
        };
        let rater = build(&params(part, &[])).unwrap();
        testkit::check_rater(rater.as_ref(), data.test(), &answers);
    }
}

#[test]
fn every_gauge_of_a_subject_keeps_the_rules() {
    let rung = |severity: f64, values: [f64; 5]| Rung {
        severity: Severity::new(severity).unwrap(),
        variant: 0,
        name: None,
        meter: Arc::new(Mean::over(values.map(Some).to_vec())),
    };
    let under = |name: &str, values: [f64; 5]| {
        let rungs = vec![rung(0.0, [0.9, 0.8, 1.0, 0.7, 0.95]), rung(1.0, values)];
        (Name::new(name).unwrap(), rungs)
    };
    let case = testkit::SubjectCase {
        ladders: vec![
            under("one", [0.8, 0.7, 0.9, 0.7, 0.9]),
            under("two", [0.7, 0.8, 0.6, 0.4, 0.5]),
            under("both", [0.4, 0.3, 0.5, 0.1, 0.2]),
        ],
        columns: BTreeMap::new(),
    };
    let through = gauge(&gauges::directed_f1::PART, &[]).scale();
    for part in SUBJECT_GAUGES {
        let keys = [
            ("both", Raw::Text("both".into())),
            (
                "apart",
                Raw::List(vec![Raw::Text("one".into()), Raw::Text("two".into())]),
            ),
        ];
        let Build::Gauge(build) = part.build else {
            panic!("{} is no gauge", part.name)
        };
        let Gauge::Subject(gauge) = build(&params(part, &keys)).unwrap() else {
            panic!("{} reads no subject", part.name)
        };
        testkit::check_subject_gauge(gauge.as_ref(), &through, std::slice::from_ref(&case), &case);
    }
}

pub(crate) fn checked() -> Vec<&'static Part> {
    let with_keys = DATASETS.iter().chain(SUBJECTS).chain(GAUGES);
    let alone = RATING_GAUGES.iter().chain(SUBJECT_GAUGES).chain(RATERS);
    with_keys
        .map(|(part, _)| *part)
        .chain(STRESSORS.iter().map(|(part, ..)| *part))
        .chain(alone.copied())
        .collect()
}

#[test]
fn a_directed_f1_of_one_is_the_same_graph_to_every_other_gauge() {
    let mut draws = Seed::new(1).draws();
    let mut perfect = 0;
    for _ in 0..3000 {
        let (truth, answer) = (random_graph(&mut draws), random_graph(&mut draws));
        let read =
            |part: &'static Part, keys: Keys| read(gauge(part, keys).as_ref(), &truth, &answer);
        if read(&gauges::directed_f1::PART, &[]) == Ok(1.0) {
            perfect += 1;
            assert_eq!(read(&gauges::skeleton_f1::PART, &[]), Ok(1.0));
            assert_eq!(read(&gauges::shd::PART, &[]), Ok(0.0));
            for (part, keys) in GAUGES {
                // A graph with a cycle is in no class and has no adjustment; all others agree that
                // it is the same.
                let best = gauge(part, keys).scale().best.unwrap();
                match read(part, keys) {
                    Ok(value) => assert_eq!(value, best, "{}", part.name),
                    Err(undefined) => assert!(
                        undefined.why.contains("cycle") || undefined.why.contains("every pair"),
                        "{undefined}"
                    ),
                }
            }
        }
        let (once, twice) = (
            read(&gauges::shd::PART, &[]).unwrap(),
            read(&gauges::shd_reversal_2::PART, &[]).unwrap(),
        );
        assert!(once <= twice && twice <= 2.0 * once, "{once} {twice}");
    }
    assert!(
        perfect > 10,
        "the property was put to the test {perfect} times"
    );
}

#[test]
fn graphs_over_other_variables_are_not_compared_and_both_are_shown() {
    let truth = graph(2, &[(0, 1)]);
    let turned = Graph::new(vec!["x1".into(), "x0".into()], [(0, 1)]).unwrap();
    for (part, keys) in GAUGES {
        let why = read(gauge(part, keys).as_ref(), &truth, &turned)
            .unwrap_err()
            .why;
        assert!(why.contains("x0, x1") && why.contains("x1, x0"), "{why}");
    }
}

#[test]
fn a_graph_that_is_given_is_simulated_over_its_names() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("edges.csv");
    let text = |word: &str| Raw::Text(word.into());
    let names = || Raw::List(["lake", "river", "rain"].map(text).to_vec());
    let load = |edges: &str| {
        std::fs::write(&file, edges).unwrap();
        let graph = text(file.to_str().unwrap());
        let keys = [
            ("names", names()),
            ("graph", graph),
            ("windows", Raw::Whole(8)),
        ];
        dataset(&datasets::temporal_sem::PART, &keys).load(Seed::new(4))
    };
    let data = load("from,to\nrain,river\nriver,lake\n").unwrap();
    let truth = data.test().truth().for_the_ledger().graph().unwrap();
    assert_eq!(truth.variables(), ["lake", "river", "rain"]);
    assert_eq!(truth.edges(), [(1, 0), (2, 1)]);
    let Err(refused) = load("from,to\nrain,river\nriver,rain\n") else {
        panic!("a cycle cannot be simulated");
    };
    assert!(refused.to_string().contains("closes a cycle"), "{refused}");
    let named = dataset(
        &datasets::temporal_sem::PART,
        &[("names", names()), ("edges", Raw::Whole(2))],
    );
    let random = named.load(Seed::new(4)).unwrap();
    let truth = random.test().truth().for_the_ledger().graph().unwrap();
    assert_eq!((truth.variables().len(), truth.edges().len()), (3, 2));
    assert_eq!(truth.variables()[0], "lake");
}

#[test]
fn the_share_of_hidden_values_is_the_share_asked_for() {
    let data = dataset(&datasets::temporal_sem::PART, &[])
        .load(Seed::new(3))
        .unwrap();
    let hiding = STRESSORS.iter().filter(|(_, _, rungs)| *rungs == RATES);
    for (part, rate) in hiding.flat_map(|(part, ..)| [0.1, 0.5, 0.8].map(|rate| (part, rate))) {
        let pressed = hide(stressor(part, &[]).as_ref(), data.fit().unwrap(), rate);
        let share = pressed.items().windows().unwrap().hidden_share();
        // 156,000 values: the standard error is below 0.0013.
        assert!(
            (share - rate).abs() < 0.005,
            "{}: {share} for {rate}",
            part.name
        );
    }
}

#[test]
fn a_preset_names_parts_that_are_there_and_can_be_pressed_in_its_order() {
    for preset in PRESETS {
        let mut split = small().fit().unwrap().clone();
        for one in preset.press {
            let part = Registry::standard()
                .find(PartKind::Stressor, one.stressor)
                .unwrap();
            let keys: Vec<(&str, Raw)> = one
                .keys
                .iter()
                .map(|(key, x)| (*key, Raw::Whole(*x)))
                .collect();
            split = hide(stressor(part, &keys).as_ref(), &split, one.severity);
        }
        assert_ne!(&split, small().fit().unwrap(), "{}", preset.name);
        let windows = split.items().windows().unwrap();
        assert!(windows.hidden_share() < 0.5 && windows.regimes().iter().max().unwrap() < &5);
        assert_eq!(
            split.columns()["regime"][7],
            windows.regimes()[7].to_string()
        );
    }
}

#[test]
fn regimes_that_cut_edges_have_a_truth_each_and_one_held_out_is_scored_against_its_own() {
    let keys = [
        ("intervention", Raw::Text("hard".into())),
        ("windows", Raw::Whole(30)),
        ("test-windows", Raw::Whole(30)),
    ];
    let data = dataset(&datasets::temporal_sem::PART, &keys)
        .load(Seed::new(3))
        .unwrap();
    let whole = data
        .test()
        .truth()
        .for_the_ledger()
        .graph()
        .unwrap()
        .clone();
    for regime in 0..3 {
        let held = data.hold_out(regime).unwrap();
        let own = held.test().truth().for_the_ledger().graph().unwrap();
        assert!(own.edges().iter().all(|&(from, to)| whole.has(from, to)));
        assert_eq!(
            own.edges().len() < whole.edges().len(),
            regime > 0,
            "only the first is left alone"
        );
        assert_eq!(
            (held.fit().unwrap().items().len(), held.test().items().len()),
            (20, 10)
        );
    }
}

/// How often Little's test calls gaps in independent rows not completely at random, at 0.05.
fn little_rejects(part: &Part, rate: f64) -> f64 {
    let blind = stressor(part, &[]);
    let rejects = |seed: u64| {
        let mut draws = Seed::new(seed).draws();
        let mut values = Vec::new();
        for _ in 0..200 {
            let shared = draws.normal();
            values.extend((0..4).map(|_| 0.7 * shared + 0.7 * draws.normal()));
        }
        let windows = Windows::new(
            (0..4).map(|v| format!("x{v}")).collect(),
            1,
            vec![0; 200],
            values,
        )
        .unwrap();
        let ids = (0..200).map(|w| format!("{seed}-{w}")).collect();
        let split = Split::new(
            Items::new(ids, Inputs::Windows(windows)).unwrap(),
            Truth::Nothing,
        )
        .unwrap();
        let pressed = press(
            blind.as_ref(),
            &split,
            &Severity::new(rate).unwrap(),
            0,
            Seed::new(seed),
        )
        .unwrap();
        let hidden = pressed.items().windows().unwrap();
        let rows: Vec<Vec<Option<f64>>> = (0..200)
            .map(|w| (0..4).map(|v| hidden.get(w, 0, v)).collect())
            .collect();
        little(&rows).unwrap().significant(0.05)
    };
    (0..300).filter(|&seed| rejects(seed)).count() as f64 / 300.0
}

#[test]
fn littles_test_holds_its_rate_under_mcar_and_sees_what_depends_on_values_that_are_there() {
    // 300 trials at 0.05 have a standard error of 0.013.
    let mcar = little_rejects(&stressors::missing_mcar::PART, 0.2);
    assert!((0.015..0.095).contains(&mcar), "{mcar}");
    let power: Vec<(&str, f64)> = [
        &stressors::missing_mar::PART,
        &stressors::missing_mnar_self::PART,
        &stressors::missing_mnar_threshold::PART,
        &stressors::missing_structural::PART,
    ]
    .map(|part| (part.name, little_rejects(part, 0.3)))
    .to_vec();
    assert!(power.iter().all(|(_, power)| *power > 0.5), "{power:?}");
    println!("Little's test rejects: MCAR {mcar:.3}, {power:?}");
}

#[test]
fn a_likelihood_rates_windows_and_its_gauge_is_their_mean() {
    let data = small();
    let answers = learn(
        subject(&subjects::lagged_regression::PART, &[]).as_ref(),
        data.fit().unwrap(),
    )
    .unwrap();
    let Build::Rater(build) = raters::graph_likelihood::PART.build else {
        panic!("a rater")
    };
    let rater = build(&params(&raters::graph_likelihood::PART, &[])).unwrap();
    let items = data.test().items();
    let rated = rate(rater.as_ref(), items, data.test().truth(), &answers).unwrap();
    assert_eq!(rated.validate(items.len()), Ok(()));
    let gauge = gauge(&gauges::held_out_likelihood::PART, &[]);
    let meter = open_cell(gauge.as_ref(), data.test().truth(), &rated).unwrap();
    let Answers::Ratings(rows) = &rated else {
        panic!("ratings")
    };
    let mean = rows
        .rows()
        .iter()
        .map(|row| row.as_ref().unwrap()[0])
        .sum::<f64>()
        / items.len() as f64;
    assert!((meter.plain().unwrap() - mean).abs() < 1e-12);
    assert!(
        open_cell(gauge.as_ref(), data.test().truth(), &answers).is_err(),
        "a graph is no rating"
    );
}

#[test]
fn an_interaction_is_what_stresses_cost_beyond_their_sum() {
    let keys = [
        ("both", Raw::Text("both".into())),
        (
            "apart",
            Raw::List(vec![Raw::Text("one".into()), Raw::Text("two".into())]),
        ),
    ];
    let Build::Gauge(build) = shared::gauges::interaction::PART.build else {
        panic!("a gauge")
    };
    let Gauge::Subject(gauge) = build(&params(&shared::gauges::interaction::PART, &keys)).unwrap()
    else {
        panic!()
    };
    let under = |name: &str, value: f64| {
        let rung = |value: f64| Rung {
            severity: Severity::clean(),
            variant: 0,
            name: None,
            meter: Arc::new(Whole(value)),
        };
        (Name::new(name).unwrap(), vec![rung(0.9), rung(value)])
    };
    let conditions = [
        under("one", 0.8),
        under("two", 0.7),
        under("both", 0.4),
        under("other", 0.0),
    ];
    let value = gauge
        .open(&conditions, &BTreeMap::new())
        .unwrap()
        .plain()
        .unwrap();
    assert!(
        (value - 0.2).abs() < 1e-12,
        "0.5 together, 0.1 and 0.2 apart: {value}"
    );
    let why = gauge
        .open(&conditions[..2], &BTreeMap::new())
        .err()
        .unwrap()
        .why;
    assert!(
        why.contains("no condition `both` presses it; there is one, two"),
        "{why}"
    );
    let one = [
        ("both", Raw::Text("b".into())),
        ("apart", Raw::List(vec![Raw::Text("one".into())])),
    ];
    assert!(
        build(&params(&shared::gauges::interaction::PART, &one))
            .err()
            .unwrap()
            .message
            .contains("1 conditions")
    );
}

#[test]
fn lagged_regression_recovers_a_linear_model_and_beats_correlation_on_the_mix() {
    let f1 = |family: &str, part: &'static Part| {
        let keys = [
            ("family", Raw::Text(family.into())),
            ("windows", Raw::Whole(300)),
        ];
        let data = dataset(&datasets::temporal_sem::PART, &keys)
            .load(Seed::new(7))
            .unwrap();
        let answers = learn(subject(part, &[]).as_ref(), data.fit().unwrap()).unwrap();
        let meter = open_cell(
            gauge(&gauges::directed_f1::PART, &[]).as_ref(),
            data.test().truth(),
            &answers,
        );
        meter.unwrap().plain().unwrap()
    };
    assert!(f1("linear", &subjects::lagged_regression::PART) > 0.9);
    let (lines, pairs) = (
        f1("mix", &subjects::lagged_regression::PART),
        f1("mix", &subjects::correlation::PART),
    );
    assert!(lines > pairs + 0.05, "{lines} {pairs}");
}

#[test]
fn every_way_of_choosing_edges_is_named_in_the_rule() {
    let data = small();
    let rule = |part: &'static Part, keys: &[(&str, Raw)]| match learn(
        subject(part, keys).as_ref(),
        data.fit().unwrap(),
    )
    .unwrap()
    {
        Answers::Graph(answer) => answer.rule,
        other => panic!("{other:?}"),
    };
    let text = |value: &str| Raw::Text(value.into());
    let by = |null: &str| rule(&subjects::lagged_regression::PART, &[("null", text(null))]);
    assert!(
        by("empirical").contains("an empirical null of spread"),
        "{}",
        by("empirical")
    );
    assert!(by("theoretical").contains("a standard normal null"));
    assert!(by("permutation").contains("a permutation null of"));
    let halved = rule(
        &subjects::correlation::PART,
        &[("stable", Raw::Number(0.6))],
    );
    assert!(
        halved.contains("at least 0.6 of 50 random halves"),
        "{halved}"
    );
    assert!(
        rule(&subjects::dynotears::PART, &[("null", text("none"))]).contains("|weight| above 0.3")
    );
    let shuffled = rule(&subjects::dynotears::PART, &[]);
    assert!(shuffled.contains("a permutation null of"), "{shuffled}");
    assert!(rule(&subjects::pc::PART, &[]).starts_with("PC, Fisher z at 0.01"));
    assert!(rule(&subjects::random::PART, &[]).contains("as many as lagged regression chose"));
    let given = rule(&subjects::random::PART, &[("edges", Raw::Whole(4))]);
    assert!(
        given.contains("4 edges, a number the study gives"),
        "{given}"
    );
}

#[test]
fn every_learner_but_the_controls_beats_chance_on_lagged_linear_windows() {
    let keys = [
        ("family", Raw::Text("linear".into())),
        ("windows", Raw::Whole(300)),
    ];
    let data = dataset(&datasets::temporal_sem::PART, &keys)
        .load(Seed::new(11))
        .unwrap();
    let f1 = |part: &'static Part, keys: Keys| {
        let answers = learn(subject(part, keys).as_ref(), data.fit().unwrap()).unwrap();
        let meter = open_cell(
            gauge(&gauges::directed_f1::PART, &[]).as_ref(),
            data.test().truth(),
            &answers,
        );
        meter.unwrap().plain().unwrap()
    };
    let chance = f1(&subjects::random::PART, &[]);
    assert_eq!(
        f1(&subjects::mask_only::PART, &[]),
        0.0,
        "nothing is hidden, so masks say nothing"
    );
    for (part, keys) in SUBJECTS
        .iter()
        .filter(|(part, _)| !["random", "mask-only"].contains(&part.name))
    {
        let found = f1(part, keys);
        assert!(
            found > chance + 0.2,
            "{}: {found} where chance has {chance}",
            part.name
        );
    }
}

#[test]
fn a_dataset_says_what_a_reader_should_know() {
    let remarks = |keys: &[(&str, Raw)]| {
        dataset(&datasets::temporal_sem::PART, keys)
            .load(Seed::new(1))
            .unwrap()
            .remarks()
            .join("\n")
    };
    let few = ("windows", Raw::Whole(20));
    let mix = remarks(std::slice::from_ref(&few));
    for said in [
        "varsortability 0.50",
        "R²-sortability",
        "autocorrelation-sortability",
        "linear methods",
        "3 regimes",
    ] {
        assert!(mix.contains(said), "{said}: {mix}");
    }
    let raw = remarks(&[
        few.clone(),
        ("standardise", Raw::Flag(false)),
        ("family", Raw::Text("tanh".into())),
    ]);
    assert!(
        raw.contains("varsortability") && !raw.contains("linear methods"),
        "{raw}"
    );
    assert!(remarks(&[few, ("edges", Raw::Whole(0))]).contains("every edge found is false"));
}

#[test]
fn the_windows_fitted_are_standardised_and_can_be_sliced_by_regime() {
    let data = small();
    let fit = data.fit().unwrap();
    let windows = fit.items().windows().unwrap();
    assert!(
        duress_graph::sortability::variances(windows)
            .iter()
            .all(|v| (v - 1.0).abs() < 0.01)
    );
    assert_eq!(fit.columns()["regime"][..4], ["0", "1", "2", "0"]);
    assert_eq!(windows.regimes()[..4], [0, 1, 2, 0]);
}

#[test]
fn too_many_edges_are_refused_with_the_number_that_fits() {
    let keys = [("variables", Raw::Whole(4)), ("edges", Raw::Whole(7))];
    let params = Params::of(&datasets::temporal_sem::PART, &keys, Path::new("")).unwrap();
    let Build::Dataset(build) = datasets::temporal_sem::PART.build else {
        panic!("a dataset")
    };
    let problem = build(&params).err().unwrap();
    assert!(problem.to_string().contains("at most 6"), "{problem}");
}

#[test]
fn data_that_cannot_be_learnt_from_give_a_reason_or_a_sound_answer() {
    let noise = |d: usize, steps: usize, n: usize| windows(d, steps, n, |_, draws| draws.normal());
    let gone = |mut data: Windows| {
        (0..data.len()).for_each(|w| (0..data.steps()).for_each(|t| data.hide(w, t, 0)));
        data
    };
    let constant = windows(
        3,
        10,
        60,
        |at, draws| if at % 3 == 1 { -4.2 } else { draws.normal() },
    );
    let copies = windows(2, 10, 60, |at, draws| {
        draws.normal() * 0.0 + (at / 2 * 7919 % 1013) as f64
    });
    check(
        gone(noise(3, 10, 60)),
        Err(&["`x0` has no two different observed values"]),
    );
    check(
        gone(noise(1, 10, 60)),
        Err(&["`x0` has no two different observed values"]),
    );
    check(
        constant,
        Err(&["`x1` has no two different observed values"]),
    );
    // Some count steps that have one before them, some pairs seen together, one the steps of a
    // window: each names its number.
    check(
        noise(3, 2, 3),
        Err(&["3 s", "3 t", "together 6 times", "windows of 2 steps"]),
    );
    check(noise(3, 2, 0), Err(&["no window"]));
    check(noise(1, 10, 60), Ok(()));
    check(copies, Ok(()));
    check(
        windows(2, 10, 60, |_, draws| 1e300 * draws.normal()),
        Ok(()),
    );
    check(
        windows(2, 10, 60, |_, draws| 1e-300 * draws.normal()),
        Ok(()),
    );
    check(windows(2, 10, 60, |_, draws| 1e9 + draws.normal()), Ok(()));
}

fn check(data: Windows, expected: Result<(), &[&str]>) {
    let d = data.variables().len();
    let ids = (0..data.len()).map(|w| w.to_string()).collect();
    let items = Items::new(ids, Inputs::Windows(data)).unwrap();
    let split = Split::new(items, Truth::Graph(graph(d as u32, &[]))).unwrap();
    for (part, keys) in SUBJECTS {
        match (learn(subject(part, keys).as_ref(), &split), expected) {
            (Ok(answers), Ok(())) => assert_eq!(answers.validate(split.items().len()), Ok(())),
            (Err(failure), Err(whys)) => {
                assert!(
                    whys.iter().any(|why| failure.why.contains(why)),
                    "{}: {failure}",
                    part.name
                );
            }
            (got, expected) => panic!("{}: {got:?}, expected {expected:?}", part.name),
        }
    }
}

#[test]
fn windows_of_one_step_are_refused_by_those_alone_that_need_a_lag() {
    let lagged = [
        "dynotears",
        "em-kalman",
        "j-pcmci",
        "kalman-basis",
        "lagged-regression",
        "nonlinear-var",
        "pcmci",
        "rc-gnn",
        "var-lingam",
    ];
    // A chain of three, one step each.
    let mut draws = Seed::new(4).draws();
    let mut row = || {
        let a = draws.normal();
        let b = a + draws.normal();
        [a, b, b + draws.normal()]
    };
    let values = (0..400).flat_map(|_| row()).collect();
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let data = Windows::new(names, 1, vec![0; 400], values).unwrap();
    let items = Items::new(
        (0..400).map(|w| w.to_string()).collect(),
        Inputs::Windows(data),
    )
    .unwrap();
    let split = Split::new(items, Truth::Graph(graph(3, &[(0, 1), (1, 2)]))).unwrap();
    for (part, keys) in SUBJECTS {
        let answer = learn(subject(part, keys).as_ref(), &split);
        if lagged.contains(&part.name) {
            let why = answer.unwrap_err().why;
            assert!(why.starts_with("windows of 1 step"), "{}: {why}", part.name);
            continue;
        }
        let Ok(Answers::Graph(answer)) = answer else {
            panic!("{}: {answer:?}", part.name)
        };
        let joined = |a: u32, b: u32| {
            answer
                .graph
                .edges()
                .iter()
                .any(|e| *e == (a, b) || *e == (b, a))
        };
        let found = [joined(0, 1), joined(1, 2), joined(0, 2)];
        match part.name {
            "correlation" => assert_eq!(
                (found, answer.graph.edges().len()),
                ([true; 3], 6),
                "both ways"
            ),
            "mask-only" => assert_eq!(found, [false; 3], "nothing is hidden"),
            "random" => assert_eq!(
                answer.graph.edges().len(),
                2,
                "as many as PC: {}",
                answer.rule
            ),
            "pc" => assert_eq!(
                found,
                [true, true, false],
                "the ends are apart given the middle"
            ),
            // Standardised, a chain has no order of variances, and a penalty on weights may put a
            // small one between its ends.
            _ => assert_eq!(found[..2], [true, true], "{}", part.name),
        }
    }
}

fn learn(subject: &dyn Subject, split: &Split) -> Result<Answers, Failure> {
    fit(subject, split, Seed::new(1))?.answer(Question::Graph, split.items())
}

fn windows(d: usize, steps: usize, n: usize, value: impl Fn(usize, &mut Draws) -> f64) -> Windows {
    let mut draws = Seed::new(21).draws();
    let values = (0..d * steps * n).map(|at| value(at, &mut draws)).collect();
    Windows::new(
        (0..d).map(|i| format!("x{i}")).collect(),
        steps,
        vec![0; n],
        values,
    )
    .unwrap()
}

fn small() -> Dataset {
    let keys = [
        ("windows", Raw::Whole(60)),
        ("test-windows", Raw::Whole(12)),
        ("steps", Raw::Whole(12)),
    ];
    dataset(&datasets::temporal_sem::PART, &keys)
        .load(Seed::new(5))
        .unwrap()
}

fn hide(blind: &dyn Blind, split: &Split, rate: f64) -> Split {
    press(blind, split, &Severity::new(rate).unwrap(), 0, Seed::new(2)).unwrap()
}

fn random_graph(draws: &mut Draws) -> Graph {
    let pairs = (0..3)
        .flat_map(|i| (0..3).map(move |k| (i, k)))
        .filter(|(i, k)| i != k);
    let chosen: Vec<(u32, u32)> = pairs.filter(|_| draws.chance(0.4)).collect();
    graph(3, &chosen)
}

fn graph(d: u32, edges: &[(u32, u32)]) -> Graph {
    Graph::new(
        (0..d).map(|i| format!("x{i}")).collect(),
        edges.iter().copied(),
    )
    .unwrap()
}

fn case(truth: &Graph, answer: Graph) -> (Truth, Answers) {
    let d = answer.variables().len() as u32;
    let scores = (0..d * d)
        .map(|at| f64::from(u8::from(answer.has(at / d, at % d))))
        .collect();
    (
        Truth::Graph(truth.clone()),
        Answers::Graph(GraphAnswer {
            graph: answer,
            scores,
            rule: "given".into(),
        }),
    )
}

fn read(gauge: &dyn CellGauge, truth: &Graph, answer: &Graph) -> Result<f64, Undefined> {
    let (truth, answers) = case(truth, answer.clone());
    open_cell(gauge, &Sealed::new(truth), &answers)?.plain()
}

fn params(part: &Part, keys: &[(&str, Raw)]) -> Params {
    Params::of(part, keys, Path::new(""))
        .unwrap_or_else(|problems| panic!("{}: {problems:?}", part.name))
}

fn dataset(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn Source> {
    let Build::Dataset(build) = part.build else {
        panic!("{} is a {}", part.name, part.kind())
    };
    build(&params(part, keys)).unwrap()
}

fn subject(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn Subject> {
    let Build::Subject(build) = part.build else {
        panic!("{} is a {}", part.name, part.kind())
    };
    match build(&params(part, keys)).unwrap() {
        SubjectPart::Live(subject) => subject,
        SubjectPart::Recorded(_) => panic!("{} is asked here", part.name),
    }
}

fn stressor(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn Blind> {
    let Build::Stressor(build) = part.build else {
        panic!("{} is a {}", part.name, part.kind())
    };
    match build(&params(part, keys)).unwrap() {
        Stressor::Blind(blind) => blind,
        _ => panic!("{} is blind", part.name),
    }
}

fn gauge(part: &Part, keys: &[(&str, Raw)]) -> Box<dyn CellGauge> {
    let Build::Gauge(build) = part.build else {
        panic!("{} is a {}", part.name, part.kind())
    };
    match build(&params(part, keys)).unwrap() {
        Gauge::Cell(gauge) => gauge,
        _ => panic!("{} reads a cell", part.name),
    }
}
