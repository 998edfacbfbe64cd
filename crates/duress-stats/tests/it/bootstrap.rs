//! What a bootstrap must do beyond the numbers: respect its design, say how it was made, and refuse
//! when it would mislead.

use duress_stats::bootstrap::{
    Bootstrapped, Config, Design, IntervalKind, Nesting, TwoLevelMean, bootstrap,
    bootstrap_two_level,
};
use duress_stats::statistic::{
    Auroc, PairedDifference, Proportion, SampleMean, Statistic, from_fn,
};
use duress_stats::{UndefinedReason, interval};

const KINDS: [IntervalKind; 4] = [
    IntervalKind::Percentile,
    IntervalKind::Basic,
    IntervalKind::Bca,
    IntervalKind::Studentised { inner: 50 },
];

fn config(resamples: usize) -> Config {
    Config {
        resamples,
        seed: 9,
        ..Config::default()
    }
}

/// Values 0, 1, 2, … with a bend.
fn values(n: usize) -> Vec<f64> {
    (0..n)
        .map(|i| (i * i % 17) as f64 + i as f64 / 10.0)
        .collect()
}

fn run(statistic: &impl Statistic, design: Design<'_>, kind: IntervalKind) -> Bootstrapped {
    bootstrap(statistic, design, kind, config(1999)).expect("these data have an interval")
}

#[test]
fn every_kind_comes_close_to_t_at_moderate_n() {
    let values = values(200);
    let exact = interval::student_t(&values, 0.95).unwrap();
    for kind in KINDS {
        let result = run(&SampleMean::new(&values).unwrap(), Design::Simple, kind);
        let slack = 0.12 * exact.width();
        assert!(
            (result.interval.low - exact.low).abs() < slack,
            "{result:?}"
        );
        assert!(
            (result.interval.high - exact.high).abs() < slack,
            "{result:?}"
        );
    }
}

#[test]
fn a_closure_gives_the_interval_of_the_short_cut() {
    let values = values(60);
    let mean = SampleMean::new(&values).unwrap();
    let closure = from_fn(60, |w: &[u32]| mean.at_weights(w));
    for kind in [
        IntervalKind::Percentile,
        IntervalKind::Basic,
        IntervalKind::Bca,
    ] {
        let (a, b) = (
            run(&mean, Design::Simple, kind),
            run(&closure, Design::Simple, kind),
        );
        assert!(
            (a.interval.low - b.interval.low).abs() < 1e-9
                && (a.interval.high - b.interval.high).abs() < 1e-9
        );
    }
}

#[test]
fn large_data_without_a_short_cut_say_that_the_jackknife_was_grouped() {
    let values = values(3000);
    let mean = SampleMean::new(&values).unwrap();
    let closure = from_fn(3000, |w: &[u32]| mean.at_weights(w));
    let grouped = bootstrap(&closure, Design::Simple, IntervalKind::Bca, config(999)).unwrap();
    let exact = bootstrap(&mean, Design::Simple, IntervalKind::Bca, config(999)).unwrap();
    assert_eq!(
        grouped.interval.method,
        "BCa (grouped jackknife, 1000 groups) bootstrap, 3000 items"
    );
    assert_eq!(exact.interval.method, "BCa bootstrap, 3000 items");
    assert!((grouped.interval.low - exact.interval.low).abs() < 0.01 * exact.interval.width());
}

#[test]
fn clusters_widen_and_strata_narrow_what_they_should() {
    // Four copies of each value: as clusters they hold a quarter of the information.
    let values: Vec<f64> = values(50).into_iter().flat_map(|v| [v; 4]).collect();
    let clusters: Vec<usize> = (0..200).map(|i| i / 4).collect();
    let mean = SampleMean::new(&values).unwrap();
    for kind in KINDS {
        let simple = run(&mean, Design::Simple, kind).standard_error;
        let clustered = run(&mean, Design::Clustered(&clusters), kind).standard_error;
        assert!(
            (clustered / simple - 2.0).abs() < 0.15,
            "{kind:?}: {clustered} {simple}"
        );
    }
    let halves: Vec<usize> = (0..200).map(|i| usize::from(values[i] > 8.0)).collect();
    let stratified = run(&mean, Design::Stratified(&halves), IntervalKind::Bca);
    assert!(
        stratified.standard_error
            < 0.8 * run(&mean, Design::Simple, IntervalKind::Bca).standard_error
    );
    assert_eq!(
        stratified.interval.method,
        "BCa bootstrap, 200 items in 2 strata"
    );
}

#[test]
fn constant_data_have_no_interval_and_the_reason_says_so() {
    for kind in KINDS {
        let constant = SampleMean::new(&[0.5; 10]).unwrap();
        assert!(matches!(
            bootstrap(&constant, Design::Simple, kind, config(999)),
            Err(UndefinedReason::NoSpread { .. } | UndefinedReason::MostlyUndefined { .. })
        ));
        let perfect = Proportion::new(&[true; 10]).unwrap();
        assert!(bootstrap(&perfect, Design::Simple, kind, config(999)).is_err());
    }
}

#[test]
fn resamples_without_a_value_are_counted_and_too_many_refused() {
    let scores: Vec<f64> = (0..60).map(f64::from).collect();
    let rare =
        |positives: usize| -> Vec<bool> { (0..60).map(|i| i % (60 / positives) == 0).collect() };
    let few = Auroc::new(&scores, &rare(4)).unwrap();
    let result = bootstrap(&few, Design::Simple, IntervalKind::Percentile, config(4000)).unwrap();
    // With four positives of sixty, a resample misses them all with probability (56/60)^60 = 1.6 %.
    assert!(
        (30..110).contains(&result.undefined),
        "{}",
        result.undefined
    );
    let one = Auroc::new(&scores, &rare(1)).unwrap();
    let why = bootstrap(&one, Design::Simple, IntervalKind::Percentile, config(4000)).unwrap_err();
    assert!(
        matches!(why, UndefinedReason::MostlyUndefined { .. }),
        "{why}"
    );
    assert!(why.to_string().contains("needs both classes"), "{why}");
}

#[test]
fn too_few_resamples_for_the_level_are_refused() {
    let mean = SampleMean::new(&values(10)).unwrap();
    let config = Config {
        resamples: 39,
        level: 0.95,
        ..Config::default()
    };
    assert!(matches!(
        bootstrap(&mean, Design::Simple, IntervalKind::Percentile, config),
        Err(UndefinedReason::TooFew { .. })
    ));
}

#[test]
fn a_contrast_of_statistics_is_paired() {
    let base = values(80);
    let shifted: Vec<f64> = base
        .iter()
        .enumerate()
        .map(|(i, v)| v + 1.0 + 0.01 * (i % 3) as f64)
        .collect();
    let gain = PairedDifference::new(
        SampleMean::new(&shifted).unwrap(),
        SampleMean::new(&base).unwrap(),
    )
    .unwrap();
    let result = run(&gain, Design::Simple, IntervalKind::Bca);
    assert!(
        result.interval.width() < 0.01,
        "what both share must cancel: {}",
        result.interval
    );
}

#[test]
fn two_levels_have_the_variance_of_their_design() {
    // Item effects shared by all replicates: crossing keeps them, nesting averages them away.
    let items = values(40);
    let grid = TwoLevelMean(
        (0..8)
            .map(|r| items.iter().map(|v| v + f64::from(r % 3) * 0.2).collect())
            .collect(),
    );
    let both = |nesting, kind| bootstrap_two_level(&grid, nesting, kind, config(1999)).unwrap();
    for kind in [
        IntervalKind::Percentile,
        IntervalKind::Basic,
        IntervalKind::Bca,
    ] {
        let (crossed, nested) = (both(Nesting::Crossed, kind), both(Nesting::Nested, kind));
        let item_error = run(
            &SampleMean::new(&items).unwrap(),
            Design::Simple,
            IntervalKind::Percentile,
        )
        .standard_error;
        assert!(
            (crossed.standard_error / item_error - 1.0).abs() < 0.1,
            "{crossed:?}"
        );
        assert!(
            (nested.standard_error / item_error - 1.0 / 8_f64.sqrt()).abs() < 0.1,
            "{nested:?}"
        );
    }
    assert_eq!(
        both(Nesting::Crossed, IntervalKind::Bca).interval.method,
        "BCa bootstrap, 8 outer units crossed with 40 inner"
    );
    assert_eq!(
        both(Nesting::Nested, IntervalKind::Bca).interval.method,
        "BCa (jackknife of outer units) bootstrap, 320 inner units nested in 8 outer"
    );
}

#[test]
fn uneven_grids_can_be_nested_but_not_crossed() {
    let grid = TwoLevelMean(vec![vec![1.0, 2.0, 4.0], vec![2.0, 3.0]]);
    let run = |nesting| bootstrap_two_level(&grid, nesting, IntervalKind::Percentile, config(200));
    assert_eq!(
        run(Nesting::Crossed),
        Err(UndefinedReason::Unpaired { left: 3, right: 2 })
    );
    assert!(run(Nesting::Nested).is_ok());
    let one = |threads| Config {
        threads,
        ..config(200)
    };
    let with = |threads| {
        bootstrap_two_level(
            &grid,
            Nesting::Nested,
            IntervalKind::Percentile,
            one(threads),
        )
    };
    assert_eq!(with(1), with(3));
}
