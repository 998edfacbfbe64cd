//! Gauges of explanations, and classifiers that are explained.

use duress_core::answer::{Absence, Answers, AttributionMap, CurveAnswers, MapAnswers};
use duress_core::explanation::{
    AskedExplanation, Attribution, AttributionMethod, Erasure, Explanation, Fill, MapMeasure,
};
use duress_core::gauge::{Gauge, open_cell};
use duress_core::mask::Masks;
use duress_core::part::{Build, Params, Part, Raw};
use duress_core::question::Question;
use duress_core::severity::Severity;
use duress_core::subject::Explainer;
use duress_core::testkit::{self, PairCase};
use duress_core::truth::{Labels, Sealed, Truth};
use duress_core::word::Word;
use duress_parts::classify::gauges;
use std::path::Path;

use super::{FEW, MLP, cell_gauge, classes, text};

/// Gauges of one map each.
const MAP_GAUGES: &[&Part] = &[
    &gauges::constant_maps::PART,
    &gauges::mask_overlap::PART,
    &gauges::pointing_game::PART,
    &gauges::relevance_mass::PART,
    &gauges::sparseness::PART,
];

/// Gauges of what became of maps, and the number that is best.
const CURVE_GAUGES: &[(&Part, f64)] = &[
    (&gauges::deletion::PART, 0.0),
    (&gauges::insertion::PART, 1.0),
    (&gauges::infidelity::PART, 0.0),
    (&gauges::max_sensitivity::PART, 0.0),
    (&gauges::explanation_steadiness::PART, 1.0),
    (&gauges::survives_randomisation::PART, 0.0),
];

pub(super) fn checked() -> Vec<&'static Part> {
    let curves = CURVE_GAUGES.iter().map(|(part, _)| *part);
    let maps = MAP_GAUGES.iter().copied();
    maps.chain(curves)
        .chain([&gauges::explanation_stability::PART, &gauges::tcav::PART])
        .collect()
}

/// SSIM wants windows of 11 × 11.
const SIDE: usize = 12;

fn asked(explanation: Explanation) -> AskedExplanation {
    AskedExplanation::new(explanation)
}

fn map_of(method: AttributionMethod) -> AskedExplanation {
    asked(Explanation::Map(Attribution::new(method)))
}

/// The mask of item `i`: a rectangle that grows with it.
fn mask(i: usize) -> Vec<bool> {
    let inside = |place: usize| place / SIDE < 3 + i && place % SIDE < 4;
    (0..SIDE * SIDE).map(inside).collect()
}

fn truth(items: usize) -> Truth {
    let masks: Vec<Vec<bool>> = (0..items).map(mask).collect();
    let labels = Labels::new(classes(&["a", "b"]), vec![0; items]).unwrap();
    let masks = Masks::new([SIDE, SIDE], &masks).unwrap();
    Truth::Labels(labels.with_masks(masks).unwrap())
}

/// Maps of some bumpy ground, each item its own; `None` leaves one out.
fn bumpy(items: usize, phase: f32, absent: Option<usize>) -> Answers {
    let map = |i: usize| {
        if absent == Some(i) {
            return Err(Absence::not_taking_part());
        }
        let value = |place: usize| ((place * (i + 2)) as f32 * 0.37 + phase).sin();
        let values: Vec<f32> = (0..SIDE * SIDE).map(value).collect();
        Ok(AttributionMap::new(&values))
    };
    let maps = (0..items).map(map).collect();
    let asked = map_of(AttributionMethod::GradCam);
    Answers::Maps(MapAnswers::new(asked, (SIDE, SIDE), maps))
}

/// Maps that are the masks.
fn perfect(items: usize) -> Answers {
    let map = |i: usize| {
        let values: Vec<f32> = mask(i)
            .into_iter()
            .map(|inside| f32::from(u8::from(inside)))
            .collect();
        Ok(AttributionMap::new(&values))
    };
    let asked = map_of(AttributionMethod::GradCam);
    Answers::Maps(MapAnswers::new(
        asked,
        (SIDE, SIDE),
        (0..items).map(map).collect(),
    ))
}

fn rows(rows: Vec<Result<Vec<f64>, Absence>>) -> Answers {
    let asked = asked(Explanation::Randomised {
        of: Attribution::new(AttributionMethod::GradCam),
        measure: MapMeasure::Ssim,
    });
    let points = vec!["0".into(), "1".into()];
    Answers::Curves(CurveAnswers::new(asked, points, rows))
}

#[test]
fn every_gauge_of_maps_keeps_the_rules() {
    for part in MAP_GAUGES {
        let cases = [
            (truth(5), bumpy(5, 0.0, None)),
            (truth(5), bumpy(5, 1.0, Some(2))),
            (truth(1), bumpy(1, 0.5, None)),
        ];
        let gauge = cell_gauge(part, &[]);
        testkit::check_cell_gauge(gauge.as_ref(), &cases, &(truth(4), perfect(4)));
    }
}

#[test]
fn every_gauge_of_what_became_of_maps_keeps_the_rules() {
    let some = |a: f64, b: f64| Ok(vec![a, b]);
    for (part, best) in CURVE_GAUGES {
        let cases = [
            (
                truth(3),
                rows(vec![some(1.0, 0.5), some(0.9, 0.2), some(1.0, 0.0)]),
            ),
            (
                truth(2),
                rows(vec![some(0.3, 0.6), Err("not explained".into())]),
            ),
        ];
        let perfect = rows(vec![some(*best, *best), some(*best, *best)]);
        let gauge = cell_gauge(part, &[]);
        testkit::check_cell_gauge(gauge.as_ref(), &cases, &(truth(2), perfect));
    }
}

fn stability(measure: MapMeasure) -> Box<dyn duress_core::gauge::PairGauge> {
    let part = &gauges::explanation_stability::PART;
    let keys = [("measure", text(measure.word()))];
    let Build::Gauge(build) = part.build else {
        panic!("a gauge")
    };
    match build(&Params::of(part, &keys, Path::new("")).unwrap()).unwrap() {
        Gauge::Pair(gauge) => gauge,
        other => panic!("reads a {}", other.scope()),
    }
}

#[test]
fn stability_keeps_the_rules_by_every_measure() {
    let case = |items: usize, phase: f32, absent: Option<usize>| PairCase {
        truth: truth(items),
        clean: bumpy(items, 0.0, None),
        pressed: bumpy(items, phase, absent),
    };
    for measure in MapMeasure::ALL {
        let cases = [
            case(5, 0.0, None),
            case(5, 0.7, Some(1)),
            case(3, 2.0, None),
        ];
        testkit::check_pair_gauge(stability(*measure).as_ref(), &cases);
    }
}

#[test]
fn a_dataset_without_masks_leaves_localisation_undefined_with_the_reason() {
    let labels = Labels::new(classes(&["a", "b"]), vec![0; 3]).unwrap();
    let truth = Sealed::new(Truth::Labels(labels));
    let gauge = cell_gauge(&gauges::pointing_game::PART, &[]);
    let why = open_cell(gauge.as_ref(), &truth, &bumpy(3, 0.0, None)).err();
    assert!(why.unwrap().why.contains("no masks"));
}

#[test]
fn a_key_that_a_method_has_no_use_for_is_refused() {
    let check = |keys: &[(&str, Raw)], says: &str| {
        let part = &gauges::deletion::PART;
        let Build::Gauge(build) = part.build else {
            panic!("a gauge")
        };
        let built = build(&Params::of(part, keys, Path::new("")).unwrap());
        let told = built
            .err()
            .map(|problem| problem.to_string())
            .unwrap_or_default();
        assert!(told.contains(says), "{told}");
    };
    let method = |word: &str| ("attribution", text(word));
    check(
        &[("samples", Raw::Whole(5))],
        "`samples` means nothing to `grad-cam`",
    );
    check(
        &[method("occlusion"), ("layer", text("x"))],
        "`layer` means nothing to `occlusion`",
    );
    let from_neighbours = ("baseline", text("noisy-linear"));
    check(
        &[method("integrated-gradients"), from_neighbours],
        "has none",
    );
}

/// Everything that can be asked of a network without places between its image and its logits.
fn explanations() -> Vec<AskedExplanation> {
    let small = |value: f64| Severity::new(value).unwrap();
    let plain = [
        AttributionMethod::InputGradient,
        AttributionMethod::GradientTimesInput,
        AttributionMethod::CentreGaussian,
        AttributionMethod::EdgeDetector,
    ];
    let mut all: Vec<Attribution> = plain.into_iter().map(Attribution::new).collect();
    all.push(Attribution {
        samples: Some(5),
        fill: Some(Fill::Mean),
        ..Attribution::new(AttributionMethod::IntegratedGradients)
    });
    let smooth = Attribution {
        samples: Some(4),
        noise: Some(small(0.1)),
        ..Attribution::new(AttributionMethod::SmoothGrad)
    };
    all.push(smooth.clone());
    all.push(Attribution {
        patch: Some(3),
        fill: Some(Fill::Blur),
        ..Attribution::new(AttributionMethod::Occlusion)
    });
    let gradient = Attribution::new(AttributionMethod::InputGradient);
    let curve = |erasure, fill| Explanation::Curve {
        of: gradient.clone(),
        erasure,
        fill,
        steps: 4,
    };
    let mut asked: Vec<Explanation> = all.into_iter().map(Explanation::Map).collect();
    asked.extend([
        curve(Erasure::Deletion, Fill::Black),
        curve(Erasure::Insertion, Fill::NoisyLinear),
        Explanation::Infidelity {
            of: gradient.clone(),
            draws: 3,
            noise: small(0.1),
            scaled: true,
        },
        Explanation::Redrawn {
            of: smooth.clone(),
            measure: MapMeasure::Cosine,
            top: None,
            draws: 2,
        },
        Explanation::MaxSensitivity {
            of: smooth,
            draws: 2,
            radius: small(0.05),
        },
        Explanation::Steadiness {
            of: gradient.clone(),
            measure: MapMeasure::Spearman,
            draws: 2,
            radius: small(0.05),
        },
        Explanation::Randomised {
            of: gradient,
            measure: MapMeasure::Cosine,
        },
    ]);
    asked.into_iter().map(AskedExplanation::new).collect()
}

fn explainer() -> &'static dyn Explainer {
    MLP.explainer().unwrap()
}

#[test]
fn an_explanation_answers_what_was_asked_and_does_not_depend_on_other_items() {
    let items = FEW.test().items().select(&[0, 1, 2, 3]);
    for asked in explanations() {
        let towards = [0, 1, 2, 3];
        let all = explainer().explain(asked, &items, &towards).unwrap();
        assert_eq!(all.question(), Question::Explanation(asked));
        all.validate(4)
            .unwrap_or_else(|why| panic!("{asked}: {why}"));
        let alone = explainer()
            .explain(asked, &items.select(&[2]), &[2])
            .unwrap();
        let spread = alone.spread(&[2], 4, &"elsewhere".into());
        let only = all.only(&[2], &"elsewhere".into());
        assert_eq!(spread, only, "{asked}");
    }
}

#[test]
fn another_draw_is_other_noise_and_the_same_draw_the_same() {
    let items = FEW.test().items().select(&[0]);
    let map = |draw: u32| {
        let of = Attribution {
            samples: Some(3),
            noise: Some(Severity::new(0.3).unwrap()),
            draw,
            ..Attribution::new(AttributionMethod::SmoothGrad)
        };
        let Answers::Maps(maps) = explainer()
            .explain(asked(Explanation::Map(of)), &items, &[1])
            .unwrap()
        else {
            panic!("maps")
        };
        maps.maps()[0].clone().unwrap()
    };
    assert_eq!(map(0), map(0));
    assert_ne!(map(0), map(1));
}

#[test]
fn a_network_without_places_says_why_it_has_no_class_activation_map() {
    let items = FEW.test().items().select(&[0]);
    let cam = map_of(AttributionMethod::GradCam);
    let told = explainer()
        .explain(cam, &items, &[0])
        .err()
        .unwrap()
        .to_string();
    assert!(told.contains("no layer"), "{told}");
}

/// Slopes along a concept against two sets and along one random direction, and how well it is told.
fn slopes(rows: &[[f64; 3]], accuracies: [f64; 2]) -> Answers {
    let asked = asked(Explanation::Concept {
        concept: "hair".into(),
        towards: duress_core::explanation::Towards::CleanAnswer,
        layer: None,
        sets: 2,
        images: 20,
        items: 0,
    });
    let points = [
        "slope 0",
        "slope 1",
        "random slope 0",
        "accuracy 0",
        "accuracy 1",
    ];
    let points = points.map(String::from).to_vec();
    let row = |slopes: &[f64; 3]| Ok(slopes.iter().chain(&accuracies).copied().collect());
    Answers::Curves(CurveAnswers::new(
        asked,
        points,
        rows.iter().map(row).collect(),
    ))
}

#[test]
fn tcav_keeps_the_rules_and_leaves_out_directions_that_tell_nothing() {
    let gauge = cell_gauge(&gauges::tcav::PART, &[("concept", text("hair"))]);
    let rows = [[1.0, -1.0, 0.5], [2.0, 0.5, -0.5], [-1.0, -0.5, 1.0]];
    let cases = [
        (truth(3), slopes(&rows, [0.9, 0.9])),
        (truth(2), slopes(&rows[..2], [0.8, 0.75])),
    ];
    testkit::check_cell_gauge(
        gauge.as_ref(),
        &cases,
        &(truth(3), slopes(&rows, [1.0, 1.0])),
    );
    let read = |accuracies: [f64; 2]| {
        let truth = Sealed::new(truth(3));
        let opened = open_cell(gauge.as_ref(), &truth, &slopes(&rows, accuracies));
        opened.and_then(|meter| meter.plain())
    };
    assert_eq!(read([0.9, 0.9]), Ok(0.5));
    assert_eq!(read([0.9, 0.5]), Ok(2.0 / 3.0));
    assert!(
        read([0.6, 0.5])
            .unwrap_err()
            .why
            .contains("0 of 2 directions")
    );
}

#[test]
fn maps_that_are_too_small_for_windows_say_so() {
    let small = |phase: f32| {
        let values: Vec<f32> = (0..64).map(|place| (place as f32 + phase).sin()).collect();
        let maps = vec![Ok(AttributionMap::new(&values))];
        let asked = map_of(AttributionMethod::GradCam);
        Answers::Maps(MapAnswers::new(asked, (8, 8), maps))
    };
    let truth = Sealed::new(truth(1));
    let views = duress_core::gauge::Views::default();
    let (clean, pressed) = (small(0.0), small(1.0));
    let cell = |answers| duress_core::gauge::SealedCell::new(&truth, answers, &views);
    let gauge = stability(MapMeasure::Ssim);
    let opened = duress_core::gauge::open_pair(gauge.as_ref(), cell(&clean), cell(&pressed));
    let why = opened.err().unwrap().why;
    assert!(why.contains("11"), "{why}");
}

#[test]
fn compat_forms_give_the_numbers_of_quantus_and_say_so() {
    // Highest at two places, one of them in the mask; negative elsewhere in it.
    let values: Vec<f32> = (0..SIDE * SIDE)
        .map(|place| match place {
            0 => 4.0,
            143 => 4.0,
            place if mask(0)[place] => -1.0,
            _ => 1.0,
        })
        .collect();
    let map = Ok(AttributionMap::new(&values));
    let asked = map_of(AttributionMethod::GradCam);
    let maps = Answers::Maps(MapAnswers::new(asked, (SIDE, SIDE), vec![map]));
    let sealed = Sealed::new(truth(1));
    let read = |part: &'static Part, compat: bool| {
        let keys: &[(&str, Raw)] = match compat {
            true => &[("compat", Raw::Text("quantus".into()))],
            false => &[],
        };
        let params = Params::of(part, keys, Path::new("")).unwrap();
        let Build::Gauge(build) = part.build else {
            panic!("a gauge")
        };
        let Ok(Gauge::Cell(gauge)) = build(&params) else {
            panic!("a cell gauge")
        };
        assert_eq!(gauge.scale().compat, compat);
        assert_eq!(gauge.scale().convention.contains("as Quantus"), compat);
        let meter = open_cell(gauge.as_ref(), &sealed, &maps).unwrap();
        meter.plain().unwrap()
    };
    assert_eq!(read(&gauges::pointing_game::PART, false), 0.5);
    assert_eq!(read(&gauges::pointing_game::PART, true), 1.0);
    // Twelve places in the mask: 4 − 11 of 4 + 4 − 11 + 131.
    assert_eq!(read(&gauges::relevance_mass::PART, true), -7.0 / 128.0);
    assert_eq!(read(&gauges::relevance_mass::PART, false), 4.0 / 139.0);
    let apart = read(&gauges::sparseness::PART, true) - read(&gauges::sparseness::PART, false);
    assert!(apart != 0.0 && apart.abs() < 1e-6, "{apart}");
}

#[test]
fn the_area_of_pixel_flipping_leaves_the_whole_image_out() {
    let row = Ok(vec![0.9, 0.5, 0.3]);
    let part = &gauges::deletion::PART;
    let keys = [
        ("compat", Raw::Text("quantus".into())),
        ("steps", Raw::Whole(2)),
    ];
    let params = Params::of(part, &keys, Path::new("")).unwrap();
    let Build::Gauge(build) = part.build else {
        panic!("a gauge")
    };
    let Ok(Gauge::Cell(gauge)) = build(&params) else {
        panic!("a cell gauge")
    };
    let asked = asked(Explanation::Randomised {
        of: Attribution::new(AttributionMethod::GradCam),
        measure: MapMeasure::Ssim,
    });
    let points = ["0/2", "1/2", "2/2"].map(String::from).to_vec();
    let answers = Answers::Curves(CurveAnswers::new(asked, points, vec![row]));
    let meter = open_cell(gauge.as_ref(), &Sealed::new(truth(1)), &answers).unwrap();
    assert_eq!(meter.plain(), Ok(0.4));
    assert_eq!(gauge.scale().ends, (Some(0.0), Some(1.0)));
}

#[test]
fn more_items_than_any_split_has_are_all_of_them() {
    let part = &gauges::sparseness::PART;
    for items in [i64::from(u32::MAX) + 2, i64::MAX] {
        let params = Params::of(part, &[("items", Raw::Whole(items))], Path::new("")).unwrap();
        let Build::Gauge(build) = part.build else {
            panic!("a gauge")
        };
        let gauge = build(&params).unwrap();
        let Question::Explanation(asked) = gauge.scale(None).unwrap().reads else {
            panic!("maps")
        };
        assert_eq!(asked.positions(7).len(), 7, "{items}");
    }
}
