//! Gauges of classifiers, read from answers that are written down here.

use super::*;

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
