//! The arithmetic of inference: variance components, evidence, verdicts and looks, against what is
//! known of them otherwise.

use duress_stats::components::{Components, Scope};
use duress_stats::correct::Correction;
use duress_stats::dist::Normal;
use duress_stats::effect::{d_av, d_pooled, d_z, hedges_g};
use duress_stats::evidence::Evidence;
use duress_stats::power::equivalence_power;
use duress_stats::random::RandomStream;
use duress_stats::tests::{paired_t, tost_paired};
use duress_stats::verdict::{Claimed, MarginVerdict, Outlook, TwoNulls, judge_family};
use duress_stats::{Side, interval, looks};

const ENDS: (Option<f64>, Option<f64>) = (Some(0.0), Some(1.0));

/// A table of values, replicates by units.
fn table(replicates: usize, units: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut stream = RandomStream::new(seed, 0);
    (0..replicates)
        .map(|_| (0..units).map(|_| stream.next_unit()).collect())
        .collect()
}

fn components(rows: &[Vec<f64>], clusters: Option<&[usize]>) -> Components {
    let mean = |row: &Vec<f64>| row.iter().sum::<f64>() / row.len() as f64;
    let readings: Vec<f64> = rows.iter().map(mean).collect();
    let added = |s: usize, j: usize| Some((rows[s][j] - readings[s]) / rows[s].len() as f64);
    let clusters = clusters.map(|labels| vec![labels; rows.len()]);
    Components::crossed(&readings, rows[0].len(), added, clusters.as_deref())
        .expect("a table of at least two units")
}

#[test]
fn the_error_over_replicates_is_that_of_student_on_their_readings() {
    let rows = table(4, 30, 1);
    let readings: Vec<f64> = rows
        .iter()
        .map(|row| row.iter().sum::<f64>() / 30.0)
        .collect();
    let found = Evidence::of_components(&components(&rows, None), Scope::Replicates, ENDS, false)
        .unwrap()
        .interval(0.9)
        .unwrap();
    let known = interval::student_t(&readings, 0.9).unwrap();
    assert!((found.low - known.low).abs() < 1e-12 && (found.high - known.high).abs() < 1e-12);
}

#[test]
fn the_error_over_items_is_that_of_student_on_their_means() {
    let rows = table(3, 50, 2);
    let means: Vec<f64> = (0..50)
        .map(|j| rows.iter().map(|row| row[j]).sum::<f64>() / 3.0)
        .collect();
    let found = components(&rows, None);
    let known = paired_t(&means, &[0.0; 50], Side::TwoSided, 0.95).unwrap();
    let student = Evidence::student(
        found.estimate,
        found.error(Scope::Items),
        found.freedom(Scope::Items),
    )
    .unwrap();
    assert!(
        (student.p(0.45, Side::TwoSided).unwrap() - {
            let shifted = paired_t(&means, &[0.45; 50], Side::TwoSided, 0.95).unwrap();
            shifted.p
        })
        .abs()
            < 1e-12
    );
    assert!((known.estimate.unwrap() - found.estimate).abs() < 1e-12);
}

#[test]
fn clusters_of_one_item_change_nothing_and_copies_of_items_add_nothing() {
    let rows = table(3, 40, 3);
    let own: Vec<usize> = (0..40).collect();
    assert_eq!(components(&rows, None), components(&rows, Some(&own)));
    let doubled: Vec<Vec<f64>> = rows
        .iter()
        .map(|row| [&row[..], &row[..]].concat())
        .collect();
    let pairs: Vec<usize> = (0..80).map(|j| j % 40).collect();
    let (once, twice) = (components(&rows, None), components(&doubled, Some(&pairs)));
    for scope in [Scope::Items, Scope::Replicates, Scope::Both] {
        assert!((once.error(scope) - twice.error(scope)).abs() < 1e-14);
        assert!((once.freedom(scope) - twice.freedom(scope)).abs() < 1e-9);
    }
}

#[test]
fn both_is_never_surer_than_one_factor_and_identical_replicates_are_one() {
    for seed in 0..50 {
        let found = components(&table(3, 12, seed), None);
        let both = found.error(Scope::Both);
        assert!(both >= found.error(Scope::Items) && both >= found.error(Scope::Replicates));
    }
    let one = table(1, 20, 9);
    let same = components(&[one[0].clone(), one[0].clone(), one[0].clone()], None);
    let alone = components(&one, None);
    assert!(same.identical_replicates() && !alone.identical_replicates());
    assert!((same.error(Scope::Both) - alone.error(Scope::Both)).abs() < 1e-15);
    assert!((same.freedom(Scope::Both) - 19.0).abs() < 1e-9);
}

#[test]
fn the_variances_of_a_made_up_table_are_found() {
    let (replicates, units) = (60, 400);
    let mut stream = RandomStream::new(4, 4);
    let mut normal = |sd: f64| {
        let twelve: f64 = (0..12).map(|_| stream.next_unit()).sum();
        sd * (twelve - 6.0)
    };
    let of_units: Vec<f64> = (0..units).map(|_| normal(1.0)).collect();
    let rows: Vec<Vec<f64>> = (0..replicates)
        .map(|_| {
            let shift = normal(0.5);
            of_units
                .iter()
                .map(|unit| unit + shift + normal(2.0))
                .collect()
        })
        .collect();
    let [unit, replicate, rest] = components(&rows, None).variances();
    assert!((unit - 1.0).abs() < 0.2, "{unit}");
    assert!((replicate - 0.25).abs() < 0.15, "{replicate}");
    assert!((rest - 4.0).abs() < 0.1, "{rest}");
}

#[test]
fn an_interval_and_its_p_value_never_disagree() {
    let draws: Vec<f64> = (0..999).map(|i| f64::from(i) / 999.0 * 0.2 + 0.4).collect();
    let all = [
        Evidence::student(0.5, 0.1, 4.0).unwrap(),
        Evidence::logit(0.9, 0.03, 3.0, (0.0, 1.0)).unwrap(),
        Evidence::share(17, 20).unwrap(),
        Evidence::unvaried(0.25, 8, (0.0, 1.0)).unwrap(),
        Evidence::bounded(&[1.0, 1.0, 0.7, 0.9], (0.0, 1.0)).unwrap(),
        Evidence::resampled(0.5, draws.clone(), 0.0, 1.0).unwrap(),
        Evidence::resampled(0.5, draws, 0.05, 2.0).unwrap(),
    ];
    for evidence in all {
        for level in [0.8, 0.9, 0.98] {
            let (interval, tail) = (evidence.interval(level).unwrap(), 0.5 * (1.0 - level));
            let close = |p: f64| (p / tail - 1.0).abs() < 0.03;
            let greater = evidence.p(interval.low, Side::Greater).unwrap();
            let less = evidence.p(interval.high, Side::Less).unwrap();
            assert!(
                close(greater),
                "{}: {greater} at {level}",
                evidence.method()
            );
            assert!(close(less), "{}: {less} at {level}", evidence.method());
        }
    }
}

#[test]
fn no_spread_has_an_answer_between_ends_and_a_reason_without() {
    let rows = vec![vec![0.0; 30]; 3];
    let found = components(&rows, None);
    let low = Evidence::of_components(&found, Scope::Both, ENDS, true)
        .unwrap()
        .interval(0.95)
        .unwrap();
    let exact = interval::clopper_pearson(0, 30, 0.95).unwrap();
    assert!(low.low == 0.0 && (low.high - exact.high).abs() < 1e-12);
    assert!(Evidence::of_components(&found, Scope::Both, (None, None), true).is_err());
    assert!(Evidence::of_replicates(&[0.5, 0.5, 0.5], (None, None)).is_err());
    let replicates = Evidence::of_replicates(&[1.0, 1.0, 1.0], ENDS).unwrap();
    let interval = replicates.interval(0.95).unwrap();
    assert_eq!(interval.high, 1.0);
    assert!((interval.low - 0.025_f64.powf(1.0 / 3.0)).abs() < 0.01);
}

#[test]
fn a_family_is_adjusted_in_each_direction_by_itself() {
    let nulls = |beyond: f64| TwoNulls {
        not_beyond: beyond,
        not_short: 1.0 - beyond,
    };
    let judged =
        judge_family(&[nulls(0.02), nulls(0.02)], &[0.05, 0.05], Correction::Holm).unwrap();
    assert!(
        judged
            .iter()
            .all(|one| one.verdict == MarginVerdict::Upheld)
    );
    let three = [nulls(0.02), nulls(0.02), nulls(0.5)];
    let judged = judge_family(&three, &[0.05; 3], Correction::Holm).unwrap();
    assert!(
        judged
            .iter()
            .all(|one| one.verdict == MarginVerdict::Undecided)
    );
    let two = [nulls(0.04), nulls(0.96)];
    let judged = judge_family(&two, &[0.1; 2], Correction::Holm).unwrap();
    assert_eq!(judged[0].verdict, MarginVerdict::Upheld);
    assert_eq!(judged[1].verdict, MarginVerdict::Refuted);
}

#[test]
fn two_one_sided_tests_are_those_of_the_paired_t() {
    let (x, y) = ([0.31, 0.28, 0.33, 0.30], [0.30, 0.29, 0.31, 0.30]);
    let known = tost_paired(&x, &y, -0.05, 0.05, 0.05).unwrap();
    let differences: Vec<f64> = x.iter().zip(&y).map(|(a, b)| a - b).collect();
    let found = Evidence::of_replicates(&differences, (None, None)).unwrap();
    let nulls = Claimed::Between(-0.05, 0.05)
        .two_nulls(|null, side| found.p(null, side))
        .unwrap();
    assert!((nulls.not_beyond - known.p).abs() < 1e-12);
}

#[test]
fn huge_and_tiny_values_have_effects_and_tests_that_return() {
    let done = tost_paired(&[1.0, 1.0, 1.0], &[0.0, -1e308, -1e308], -0.5, 0.5, 0.05).unwrap();
    assert!(done.p > 0.5 && done.statistic.is_finite());
    let x = [1.0, 2.0, 4.0];
    let y = [2.0, 2.5, 3.0];
    for factor in [1e-300, 1e-200, 1e160, 1e300] {
        let scaled = |of: &[f64; 3]| of.map(|value| value * factor);
        for effect in [d_pooled, d_av, d_z, hedges_g] {
            let plain = effect(&x, &y).unwrap().value;
            let large = effect(&scaled(&x), &scaled(&y)).unwrap().value;
            assert!(
                (plain / large - 1.0).abs() < 1e-12,
                "{factor}: {plain} {large}"
            );
        }
    }
}

#[test]
fn a_true_null_is_not_promised_a_decision_it_cannot_have() {
    let on_the_margin = Outlook {
        distance: 0.0,
        error: 0.02,
        alpha: 0.05,
    };
    let later = |n: usize| (0.02 * (5.0 / n as f64).sqrt(), n as f64 - 1.0);
    let needed = on_the_margin.needed(5, 1_000_000, 0.8, later).unwrap();
    let far = Outlook {
        distance: 0.05,
        ..on_the_margin
    };
    assert!(
        needed > 10 * far.needed(5, 1_000_000, 0.8, later).unwrap(),
        "{needed}"
    );
    assert!(on_the_margin.needed(5, 50, 0.8, later).is_err());
}

#[test]
fn looks_spend_no_more_than_there_is() {
    let levels = looks::declared(0.01, &[1, 2, 3, 4, 100]).unwrap();
    assert!((levels.iter().sum::<f64>() - 0.01).abs() < 1e-12);
    assert!(looks::declared(0.01, &[3, 3]).is_err());
    let all: f64 = (0..40).map(|k| looks::undeclared(0.05, k)).sum();
    assert!(all < 0.1);
}

/// Readings between their ends, of few replicates.
#[test]
fn a_reading_alone_is_at_no_tail_surer_than_student_over_its_replicates_or_both_together() {
    let mut other_counts = 0;
    for seed in 0..60 {
        let found = components(&table(3, 12, seed), None);
        let alone = |scope| Evidence::of_components(&found, scope, ENDS, true).unwrap();
        let (both, replicates) = (alone(Scope::Both), alone(Scope::Replicates));
        let own = Evidence::logit(
            found.estimate,
            found.error(Scope::Both),
            found.freedom(Scope::Both),
            (0.0, 1.0),
        )
        .unwrap();
        for level in [0.5, 0.8, 0.9, 0.95, 0.99, 0.999] {
            let of = |evidence: &Evidence| evidence.interval(level).unwrap();
            let (wide, others) = (of(&both), [of(&replicates), of(&own)]);
            for other in others {
                assert!(
                    wide.low <= other.low + 1e-12 && wide.high >= other.high - 1e-12,
                    "{level}: {wide:?} {other:?}"
                );
            }
            other_counts += usize::from(of(&replicates).low < of(&own).low);
            // Interval and p-value are of one method: the end of the interval is just excluded.
            let tail = 0.5 * (1.0 - level);
            assert!((both.p(wide.low, Side::Greater).unwrap() - tail).abs() < 1e-9);
            assert!((both.p(wide.high, Side::Less).unwrap() - tail).abs() < 1e-9);
        }
    }
    assert!(
        other_counts > 20,
        "where replicates alone reach further: {other_counts}"
    );
}

/// Forty clusters of five, of which `bad` have one wrong item for one replicate in ten.
fn nearly_perfect(bad: usize) -> Components {
    let mut rows = vec![vec![1.0; 200]; 10];
    (0..bad).for_each(|cluster| rows[0][5 * cluster] = 0.0);
    let groups: Vec<usize> = (0..200).map(|item| item / 5).collect();
    components(&rows, Some(&groups))
}

#[test]
fn a_share_near_its_end_is_no_surer_than_the_few_clusters_that_carry_its_errors() {
    let found = nearly_perfect(1);
    let kept = |scope| Evidence::of_components(&found, scope, ENDS, true).unwrap();
    let plain = Evidence::logit(
        found.estimate,
        found.error(Scope::Items),
        found.freedom(Scope::Items),
        (0.0, 1.0),
    );
    let (few, plain) = (kept(Scope::Items), plain.unwrap());
    let low = |evidence: &Evidence| evidence.interval(0.95).unwrap().low;
    // One cluster that errs in a fiftieth of its answers: as good as none of forty, not of 2,000.
    let exact = interval::clopper_pearson(40, 40, 0.95).unwrap().low;
    assert!(low(&plain) > 0.99 && (low(&few) - exact).abs() < 0.002);
    for level in [0.5, 0.8, 0.9, 0.95, 0.99, 0.999] {
        let it = few.interval(level).unwrap();
        let tail = 0.5 * (1.0 - level);
        assert!((few.p(it.low, Side::Greater).unwrap() - tail).abs() < 1e-9);
        // Closer to the end than numbers are told apart, the limit is the end.
        let of_high = few.p(it.high, Side::Less).unwrap();
        assert!((of_high - tail).abs() < 1e-9 || it.high > 1.0 - 1e-9);
        assert!(it.low <= plain.interval(level).unwrap().low);
    }
}

#[test]
fn where_every_cluster_adds_as_much_all_of_them_count() {
    let rows = vec![[1.0, 0.0, 1.0, 1.0, 0.0, 0.0].to_vec(); 1];
    let found = components(&rows, None);
    assert!((found.carriers() - 6.0).abs() < 1e-12);
    assert_eq!(found.carried_freedom(Scope::Items), None);
    assert!(nearly_perfect(2).carriers() < 3.0);
}

/// Student's t against zero on the first `n` of some values.
#[expect(clippy::unwrap_used, reason = "a test may panic")]
fn p_of(values: &[f64], n: usize) -> f64 {
    let found = Evidence::of_replicates(&values[..n], (None, None)).unwrap();
    found.p(0.0, Side::Greater).unwrap()
}

#[test]
fn looking_three_times_upholds_no_more_than_the_level() {
    let at = [3, 5, 10];
    let declared = looks::declared(0.05, &at).unwrap();
    let halved: Vec<f64> = (0..3).map(|k| looks::undeclared(0.05, k)).collect();
    let studies = 20_000;
    let (mut once_each, mut spent, mut halving) = (0, 0, 0);
    let mut stream = RandomStream::new(15, 0);
    for _ in 0..studies {
        let values: Vec<f64> = (0..10)
            .map(|_| Normal.upper_quantile(stream.next_unit()).unwrap())
            .collect();
        let p = at.map(|n| p_of(&values, n));
        let any = |levels: &[f64]| p.iter().zip(levels).any(|(p, level)| p <= level);
        once_each += u32::from(any(&[0.05; 3]));
        spent += u32::from(any(&declared));
        halving += u32::from(any(&halved));
    }
    let share = |count: u32| f64::from(count) / f64::from(studies);
    println!(
        "looks: {} at α each, {} declared, {} halved",
        share(once_each),
        share(spent),
        share(halving)
    );
    // At α each time, a true null is upheld about twice as often as it may be.
    assert!(share(once_each) > 0.08);
    assert!(
        share(spent) <= 0.055 && share(spent) > 0.03,
        "{}",
        share(spent)
    );
    assert!(share(halving) <= 0.1, "{}", share(halving));
}

#[test]
fn the_power_of_equivalence_is_how_often_it_is_shown() {
    // Simulated in plain Python, 60,000 studies each (standard error up to 0.002).
    for (margin, truth, n, simulated) in [
        (1.0, 0.0, 12, 0.891),
        (1.0, 0.0, 3, 0.124),
        (0.5, 0.1, 30, 0.630),
        (4.0, 1.0, 5, 1.0),
        (2.0, 0.0, 3, 0.561),
    ] {
        let power = equivalence_power(margin, truth, n, 0.05).unwrap();
        assert!(
            (power - simulated).abs() < 0.008,
            "{margin} {truth} {n}: {power}"
        );
    }
    // With many pairs it is that of the normal limit.
    let many = equivalence_power(0.02, 0.0, 40_000, 0.05).unwrap();
    let room = 0.02 * 200.0 - 1.644_853_626_951_472_2;
    let limit = 2.0 * Normal.cdf(room) - 1.0;
    assert!((many - limit).abs() < 1e-3, "{many}, {limit}");
}

#[test]
fn a_claim_of_parts_is_shown_by_all_and_refuted_by_one() {
    let p = |not_beyond: f64, not_short: f64| TwoNulls {
        not_beyond,
        not_short,
    };
    let parts = [p(0.01, 0.99), p(0.2, 0.01), p(0.04, 0.5)];
    assert_eq!(TwoNulls::of_all(&parts), p(0.2, 0.03));
    assert_eq!(TwoNulls::of_all(&parts[..1]), parts[0]);
}
