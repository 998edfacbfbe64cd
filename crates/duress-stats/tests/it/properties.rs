//! What must hold for any data: symmetry, invariance, bounds, and limits that meet.

use duress_stats::bootstrap::{Config, Design, IntervalKind, bootstrap};
use duress_stats::correct::Correction;
use duress_stats::dist::{Binomial, ChiSquared, FisherF, StudentT};
use duress_stats::statistic::{
    Auroc, EqualWidthEce, Proportion, RiskCoverageArea, SampleMean, Statistic, auroc,
};
use duress_stats::tests::{self, McNemar};
use duress_stats::verdict::{MarginVerdict, Orientation, judge};
use duress_stats::{Interval, Route, Side, TestResult, UndefinedReason, Zeros, effect, interval};
use proptest::prelude::*;

const SIDES: [Side; 3] = [Side::TwoSided, Side::Greater, Side::Less];

fn mirrored(side: Side) -> Side {
    match side {
        Side::TwoSided => Side::TwoSided,
        Side::Greater => Side::Less,
        Side::Less => Side::Greater,
    }
}

/// Two samples of the same length, on a coarse grid so that ties and zeros are common.
fn pairs() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    prop::collection::vec((-8_i32..8, -8_i32..8), 2..24).prop_map(|v| {
        v.into_iter()
            .map(|(a, b)| (f64::from(a) / 4.0, f64::from(b) / 4.0))
            .unzip()
    })
}

/// Scores with a class, both classes present.
fn scored() -> impl Strategy<Value = (Vec<f64>, Vec<bool>)> {
    prop::collection::vec((0_u8..12, any::<bool>()), 4..40).prop_map(|v| {
        let (scores, mut positive): (Vec<f64>, Vec<bool>) =
            v.into_iter().map(|(s, p)| (f64::from(s) / 12.0, p)).unzip();
        positive[..2].copy_from_slice(&[true, false]);
        (scores, positive)
    })
}

type PairTest = fn(&[f64], &[f64], Side) -> Result<TestResult, UndefinedReason>;

type TTest = fn(&[f64], &[f64], Side, f64) -> Result<TestResult, UndefinedReason>;
type Routed = fn(&[f64], &[f64], Route) -> TestResult;

const PAIR_TESTS: [PairTest; 8] = [
    |x, y, side| tests::paired_t(x, y, side, 0.95),
    |x, y, side| tests::welch_t(x, y, side, 0.95),
    |x, y, side| tests::wilcoxon(x, y, side, Zeros::Wilcox, Route::Exact),
    |x, y, side| {
        tests::wilcoxon(
            x,
            y,
            side,
            Zeros::Pratt,
            Route::Asymptotic { continuity: true },
        )
    },
    |x, y, side| tests::wilcoxon(x, y, side, Zeros::Split, Route::Auto),
    |x, y, side| tests::sign(x, y, side),
    |x, y, side| tests::sign_flip(x, y, side, Route::Exact),
    |x, y, side| {
        tests::sign_flip(
            x,
            y,
            side,
            Route::Permutation {
                resamples: 99,
                seed: 3,
            },
        )
    },
];

const RANK_TESTS: [PairTest; 4] = [
    |x, y, side| tests::kendall(x, y, side, Route::Auto),
    |x, y, side| tests::kendall(x, y, side, Route::Asymptotic { continuity: true }),
    |x, y, side| tests::spearman(x, y, side, Route::Auto),
    |x, y, side| {
        tests::kendall(
            x,
            y,
            side,
            Route::Permutation {
                resamples: 99,
                seed: 3,
            },
        )
    },
];

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn p_is_a_probability_and_the_sides_fit((x, y) in pairs()) {
        for test in PAIR_TESTS.iter().chain(&RANK_TESTS) {
            let p: Vec<f64> = match SIDES.iter().map(|s| test(&x, &y, *s)).collect::<Result<Vec<_>, _>>() {
                Ok(results) => results.iter().map(|r| r.p).collect(),
                Err(_) => continue,
            };
            prop_assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{p:?}");
            // Both one-sided tails hold the observed value, and the two-sided p is twice the
            // smaller.
            prop_assert!(p[1] + p[2] > 1.0 - 1e-9, "{p:?}");
            prop_assert!(near(p[0], (2.0 * p[1].min(p[2])).min(1.0)) || p[0] <= 2.0 * p[1].min(p[2]), "{p:?}");
        }
    }

    #[test]
    fn exchanging_the_samples_exchanges_the_sides((x, y) in pairs()) {
        for test in &PAIR_TESTS[..7] {
            for side in SIDES {
                match (test(&x, &y, side), test(&y, &x, mirrored(side))) {
                    (Ok(a), Ok(b)) => prop_assert!(near(a.p, b.p), "{a} / {b}"),
                    (a, b) => prop_assert_eq!(a.is_err(), b.is_err()),
                }
            }
        }
    }

    #[test]
    fn moving_and_stretching_both_samples_changes_no_p((x, y) in pairs(), by in -50_i32..50, times in 1_i32..64) {
        let map = |v: &[f64]| v.iter().map(|v| v * f64::from(times) + f64::from(by)).collect::<Vec<_>>();
        for test in &PAIR_TESTS {
            match (test(&x, &y, Side::Greater), test(&map(&x), &map(&y), Side::Greater)) {
                (Ok(a), Ok(b)) => prop_assert!(near(a.p, b.p), "{a} / {b}"),
                (a, b) => prop_assert_eq!(a.is_err(), b.is_err()),
            }
        }
    }

    #[test]
    fn rank_tests_see_order_only((x, y) in pairs()) {
        let cubed: Vec<f64> = x.iter().map(|v| v * v * v).collect();
        let falling: Vec<f64> = y.iter().map(|v| -v).collect();
        for test in &RANK_TESTS[..3] {
            let Ok(plain) = test(&x, &y, Side::Greater) else { continue };
            prop_assert!(near(plain.p, test(&cubed, &y, Side::Greater).unwrap().p));
            prop_assert!(near(plain.p, test(&y, &x, Side::Greater).unwrap().p));
            let turned = test(&x, &falling, Side::Less).unwrap();
            prop_assert!(near(plain.p, turned.p) && near(plain.statistic, -turned.statistic), "{plain} / {turned}");
        }
    }

    #[test]
    fn intervals_grow_with_the_level_and_hold_the_estimate(k in 0_u64..40, more in 0_u64..40, level in 0.5..0.98_f64) {
        prop_assume!(k + more > 0);
        for make in [interval::wilson, interval::clopper_pearson] {
            let narrow = make(k, k + more, level).unwrap();
            let wide = make(k, k + more, level + 0.01).unwrap();
            prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high);
            prop_assert!(narrow.contains(k as f64 / (k + more) as f64));
            prop_assert!(narrow.low >= 0.0 && narrow.high <= 1.0);
        }
    }

    #[test]
    fn an_interval_excludes_zero_when_the_test_rejects((x, y) in pairs(), alpha in 0.01..0.4_f64) {
        for test in [tests::paired_t as TTest, tests::welch_t] {
            for side in SIDES {
                let Ok(found) = test(&x, &y, side, 1.0 - alpha) else { continue };
                prop_assume!((found.p - alpha).abs() > 1e-9);
                prop_assert_eq!(found.significant(alpha), found.interval.unwrap().excludes_zero());
            }
        }
    }

    #[test]
    fn rejection_is_monotone_in_alpha((x, y) in pairs(), alpha in 0.001..0.5_f64) {
        for test in &PAIR_TESTS {
            let Ok(found) = test(&x, &y, Side::TwoSided) else { continue };
            prop_assert!(!found.significant(alpha) || found.significant(alpha + 0.1));
        }
    }

    #[test]
    fn adjusted_p_never_shrinks_and_keeps_its_order(p in prop::collection::vec(0.0..=1.0_f64, 1..30)) {
        use Correction::*;
        let adjusted = |c: Correction| c.adjust(&p).unwrap();
        for correction in [Holm, HolmSidak, Hommel, BenjaminiHochberg, BenjaminiYekutieli] {
            let q = adjusted(correction);
            for i in 0..p.len() {
                prop_assert!(q[i] >= p[i] - 1e-15 && q[i] <= 1.0);
                for j in 0..p.len() {
                    prop_assert!(p[i] > p[j] || q[i] <= q[j] + 1e-15);
                }
            }
        }
        let pairs = [(Hommel, Holm), (HolmSidak, Holm), (BenjaminiHochberg, Hommel), (BenjaminiHochberg, BenjaminiYekutieli)];
        for (sharper, blunter) in pairs {
            prop_assert!(adjusted(sharper).iter().zip(adjusted(blunter)).all(|(a, b)| *a <= b + 1e-12));
        }
    }

    #[test]
    fn quantiles_undo_tails(df in 0.5..200.0_f64, other in 0.5..200.0_f64, p in 1e-12..0.999_f64) {
        let t = StudentT::new(df).unwrap();
        prop_assert!(near(t.cdf(t.quantile(p).unwrap()), p));
        let chi = ChiSquared::new(df).unwrap();
        prop_assert!(near(chi.cdf(chi.quantile(p).unwrap()), p));
        let f = FisherF::new(df, other).unwrap();
        prop_assert!(near(f.sf(f.upper_quantile(p).unwrap()), p));
    }

    #[test]
    fn binomial_tails_are_sums_of_masses(n in 1_u64..60, k in 0_u64..60, p in 0.0..=1.0_f64) {
        let law = Binomial::new(n, p).unwrap();
        let sum: f64 = (0..=k.min(n)).map(|k| law.pmf(k)).sum();
        prop_assert!((law.cdf(k.min(n)) - sum).abs() < 1e-12);
        prop_assert!((law.cdf(k) + law.sf(k) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn leaving_one_out_is_what_zero_weight_gives((score, truth) in scored()) {
        let values: Vec<f64> = score.iter().map(|s| s * 3.0 - 1.0).collect();
        let all: [Box<dyn Statistic>; 5] = [
            Box::new(SampleMean::new(&values).unwrap()),
            Box::new(Proportion::new(&truth).unwrap()),
            Box::new(Auroc::new(&score, &truth).unwrap()),
            Box::new(EqualWidthEce::new(&score, &truth, 15).unwrap()),
            Box::new(RiskCoverageArea::new(&score, &truth).unwrap()),
        ];
        for statistic in &all {
            let short_cut = statistic.leave_one_out().expect("each has one");
            for (i, without) in short_cut.into_iter().enumerate() {
                let mut weights = vec![1; score.len()];
                weights[i] = 0;
                match (without, statistic.at_weights(&weights)) {
                    (Ok(a), Ok(b)) => prop_assert!((a - b).abs() < 1e-12, "{a} {b}"),
                    (a, b) => prop_assert_eq!(a.is_err(), b.is_err()),
                }
            }
        }
    }

    #[test]
    fn weights_are_copies((score, truth) in scored(), seed in any::<u64>()) {
        let weights: Vec<u32> = (0..score.len()).map(|i| 1 + (seed >> (i % 32) & 1) as u32).collect();
        let repeat = |i: usize| std::iter::repeat_n(i, weights[i] as usize);
        let copies: Vec<usize> = (0..score.len()).flat_map(repeat).collect();
        let long: Vec<f64> = copies.iter().map(|&i| score[i]).collect();
        let truths: Vec<bool> = copies.iter().map(|&i| truth[i]).collect();
        let same = |a: f64, b: f64| (a - b).abs() < 1e-12;
        prop_assert!(same(Auroc::new(&score, &truth).unwrap().at_weights(&weights).unwrap(), auroc(&long, &truths).unwrap()));
        let ece = |s: &[f64], t: &[bool]| EqualWidthEce::new(s, t, 15).unwrap();
        prop_assert!(same(ece(&score, &truth).at_weights(&weights).unwrap(), ece(&long, &truths).value().unwrap()));
        let aurc = |s: &[f64], t: &[bool]| RiskCoverageArea::new(s, t).unwrap();
        prop_assert!(same(aurc(&score, &truth).at_weights(&weights).unwrap(), aurc(&long, &truths).value().unwrap()));
    }

    #[test]
    fn aurc_does_not_see_the_order_of_items((score, truth) in scored(), seed in any::<u64>()) {
        let mut order: Vec<usize> = (0..score.len()).collect();
        duress_stats::random::RandomStream::new(seed, 0).shuffle(&mut order);
        let shuffled: Vec<f64> = order.iter().map(|&i| score[i]).collect();
        let truths: Vec<bool> = order.iter().map(|&i| truth[i]).collect();
        let a = RiskCoverageArea::new(&score, &truth).unwrap().value().unwrap();
        let b = RiskCoverageArea::new(&shuffled, &truths).unwrap().value().unwrap();
        prop_assert!((a - b).abs() < 1e-12);
    }

    #[test]
    fn auroc_delong_and_common_language_are_one_number((score, truth) in scored()) {
        let pick = |wanted: bool| -> Vec<f64> {
            score.iter().zip(&truth).filter(|(_, t)| **t == wanted).map(|(s, _)| *s).collect()
        };
        let value = auroc(&score, &truth).unwrap();
        prop_assert!(near(value, effect::common_language(&pick(true), &pick(false)).unwrap().value));
        if let Ok(test) = tests::delong(&score, &truth, 0.5, Side::TwoSided, 0.95) {
            prop_assert!(near(value, test.estimate.unwrap()));
            prop_assert!(test.interval.unwrap().contains(value));
        }
    }

    #[test]
    fn one_seed_one_answer_for_any_number_of_threads((score, truth) in scored(), seed in any::<u64>(), threads in 1_usize..6) {
        let labels: Vec<usize> = (0..score.len()).map(|i| i % 5).collect();
        let strata: Vec<usize> = truth.iter().map(|t| usize::from(*t)).collect();
        let ece = EqualWidthEce::new(&score, &truth, 15).unwrap();
        for design in [Design::Simple, Design::Clustered(&labels), Design::Stratified(&strata)] {
            for kind in [IntervalKind::Percentile, IntervalKind::Basic, IntervalKind::Bca, IntervalKind::Studentised { inner: 20 }] {
                let config = Config { resamples: 60, level: 0.8, seed, threads };
                let alone = bootstrap(&ece, design, kind, Config { threads: 1, ..config });
                prop_assert_eq!(bootstrap(&ece, design, kind, config), alone);
            }
        }
    }

    #[test]
    fn verdicts_follow_the_margin(low in -1.0..1.0_f64, width in 0.0..1.0_f64, margin in 0.0..1.0_f64) {
        let interval = Interval::new(low, low + width, 0.95, "any").unwrap();
        let verdict = judge(&interval, margin, Orientation::Higher).unwrap();
        prop_assert_eq!(verdict, judge(&interval.negated(), margin, Orientation::Lower).unwrap());
        prop_assert_eq!(verdict == MarginVerdict::Undecided, interval.contains(margin));
        if verdict == MarginVerdict::Upheld {
            prop_assert_eq!(judge(&interval, 0.5 * margin, Orientation::Higher).unwrap(), MarginVerdict::Upheld);
        }
    }

    #[test]
    fn mcnemar_is_the_sign_test_on_disagreements(b in 0_u64..40, c in 0_u64..40) {
        prop_assume!(b + c > 0);
        let x: Vec<f64> = (0..b + c).map(|i| if i < b { 1.0 } else { 0.0 }).collect();
        let y: Vec<f64> = x.iter().map(|v| 1.0 - v).collect();
        for side in SIDES {
            let exact = tests::mcnemar(b, c, side, McNemar::Exact).unwrap().p;
            prop_assert_eq!(exact, tests::sign(&x, &y, side).unwrap().p);
            prop_assert!(tests::mcnemar(b, c, side, McNemar::MidP).unwrap().p <= exact);
        }
    }
}

#[test]
fn exact_and_asymptotic_meet_as_n_grows() {
    let sample = |stream: u64, n: usize| -> Vec<f64> {
        let mut stream = duress_stats::random::RandomStream::new(5, stream);
        (0..n).map(|_| stream.next_unit()).collect()
    };
    let gap = |n: usize, test: Routed| {
        let (x, y) = (sample(1, n), sample(2, n));
        let large = Route::Asymptotic { continuity: true };
        (test(&x, &y, Route::Exact).p - test(&x, &y, large).p).abs()
    };
    let wilcoxon: Routed =
        |x, y, route| tests::wilcoxon(x, y, Side::TwoSided, Zeros::Wilcox, route).unwrap();
    let kendall: Routed = |x, y, route| tests::kendall(x, y, Side::TwoSided, route).unwrap();
    for (n, test) in [
        (20, wilcoxon),
        (100, wilcoxon),
        (400, wilcoxon),
        (20, kendall),
        (100, kendall),
    ] {
        assert!(gap(n, test) < 0.5 / n as f64, "{n}: {}", gap(n, test));
    }
}

#[test]
fn monte_carlo_meets_exact() {
    const X: [f64; 8] = [0.3, 0.9, 0.4, 1.4, 0.8, 1.1, 0.2, 0.6];
    const Y: [f64; 8] = [0.1, 0.5, 0.6, 0.7, 0.9, 0.4, 0.3, 0.5];
    let drawn = Route::Permutation {
        resamples: 40_000,
        seed: 1,
    };
    for test in [
        (|r| tests::kendall(&X, &Y, Side::Greater, r))
            as fn(Route) -> Result<TestResult, UndefinedReason>,
        |r| tests::spearman(&X, &Y, Side::Greater, r),
        |r| tests::wilcoxon(&X, &Y, Side::Greater, Zeros::Wilcox, r),
        |r| tests::sign_flip(&X, &Y, Side::Greater, r),
        |r| tests::jonckheere(&[&X[..4], &Y[..]], Side::Greater, r),
        |r| tests::page(&[&X[..5], &Y[..5], &X[3..]], Side::Greater, r),
    ] {
        let (exact, near) = (test(Route::Exact).unwrap(), test(drawn).unwrap());
        assert!((exact.p - near.p).abs() < 0.012, "{exact} / {near}");
        assert_eq!(exact.statistic, near.statistic);
    }
}
