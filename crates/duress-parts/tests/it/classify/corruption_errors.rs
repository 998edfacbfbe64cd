//! Errors under corruption: means over ladders, quotients, and what they are divided by.

use super::*;

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
