//! Random data through this crate and through anofox-statistics, an independent Rust
//! implementation.

use anofox_statistics as anofox;
use anofox_statistics::{Alternative, KendallVariant, PAdjustMethod, TTestKind};
use duress_stats::random::RandomStream;
use duress_stats::statistic::auroc;
use duress_stats::tests::{self, McNemar};
use duress_stats::{Route, Side, Zeros, correct};

const LARGE: Route = Route::Asymptotic { continuity: false };

fn sides() -> [(Side, Alternative); 3] {
    [
        (Side::TwoSided, Alternative::TwoSided),
        (Side::Greater, Alternative::Greater),
        (Side::Less, Alternative::Less),
    ]
}

/// Pairs of samples of many sizes, every other one with ties.
fn samples() -> impl Iterator<Item = (Vec<f64>, Vec<f64>)> {
    (0..120).map(|i| {
        let mut stream = RandomStream::new(11, i);
        let n = 4 + (i as usize * 7) % 60;
        let levels = if i % 2 == 0 { 1e9 } else { 8.0 };
        let mut sample = |shift: f64| {
            (0..n)
                .map(|_| (stream.next_unit() * levels).floor() / levels + shift)
                .collect()
        };
        (sample(0.1), sample(0.0))
    })
}

fn close(ours: f64, theirs: f64, tolerance: f64, what: &str) {
    let error = (ours - theirs).abs() / theirs.abs().max(1e-12);
    assert!(
        error <= tolerance,
        "{what}: {ours:e} is not {theirs:e} ({error:.1e})"
    );
}

#[test]
fn t_tests_agree() {
    for (x, y) in samples() {
        for (side, alternative) in sides() {
            let theirs = anofox::t_test(&x, &y, TTestKind::Welch, alternative, 0.0, None).unwrap();
            close(
                tests::welch_t(&x, &y, side, 0.95).unwrap().p,
                theirs.p_value,
                1e-9,
                "welch",
            );
            let theirs = anofox::t_test(&x, &y, TTestKind::Paired, alternative, 0.0, None).unwrap();
            close(
                tests::paired_t(&x, &y, side, 0.95).unwrap().p,
                theirs.p_value,
                1e-9,
                "paired",
            );
        }
    }
}

#[test]
fn wilcoxon_agrees_where_both_are_asymptotic_or_exact() {
    for (x, y) in samples() {
        let tied = y.iter().any(|v| (v * 8.0).fract() == 0.0);
        for (side, alternative) in sides() {
            let theirs =
                anofox::wilcoxon_signed_rank(&x, &y, alternative, true, false, None, None).unwrap();
            let ours = tests::wilcoxon(
                &x,
                &y,
                side,
                Zeros::Wilcox,
                Route::Asymptotic { continuity: true },
            )
            .unwrap();
            close(ours.statistic, theirs.statistic, 1e-12, "W+");
            close(ours.p, theirs.p_value.min(1.0), 1e-9, "corrected");
            if !tied && x.len() < 40 {
                let theirs =
                    anofox::wilcoxon_signed_rank(&x, &y, alternative, false, true, None, None)
                        .unwrap();
                let ours = tests::wilcoxon(&x, &y, side, Zeros::Wilcox, Route::Exact).unwrap();
                close(ours.p, theirs.p_value, 1e-9, "exact");
            }
        }
    }
}

#[test]
fn rank_correlations_agree() {
    for (x, y) in samples() {
        let theirs = anofox::kendall(&x, &y, KendallVariant::TauB).unwrap();
        let ours = tests::kendall(&x, &y, Side::TwoSided, LARGE).unwrap();
        close(ours.statistic, theirs.estimate, 1e-12, "tau");
        let theirs = anofox::spearman(&x, &y, None).unwrap();
        let ours = tests::spearman(&x, &y, Side::TwoSided, LARGE).unwrap();
        close(ours.statistic, theirs.estimate, 1e-10, "rho");
        close(ours.p, theirs.p_value, 1e-8, "rho's p");
    }
}

#[test]
fn corrections_mcnemar_and_auroc_agree() {
    for (x, y) in samples() {
        let p: Vec<f64> = x.iter().map(|v| v.clamp(0.0, 1.0)).collect();
        for (ours, method) in [
            (correct::holm(&p), PAdjustMethod::Holm),
            (correct::hommel(&p), PAdjustMethod::Hommel),
            (correct::bh(&p), PAdjustMethod::BH),
            (correct::by(&p), PAdjustMethod::BY),
        ] {
            let theirs = anofox::p_adjust(&p, method);
            ours.unwrap()
                .iter()
                .zip(theirs)
                .for_each(|(a, b)| close(*a, b, 1e-12, "adjusted p"));
        }
        let positives: Vec<bool> = y
            .iter()
            .enumerate()
            .map(|(i, v)| i == 0 || (i > 1 && *v > 0.5))
            .collect();
        let theirs = anofox::auc(&x, &positives).unwrap();
        close(auroc(&x, &positives).unwrap(), theirs, 1e-12, "auroc");
    }
    for (b, c) in [(1, 5), (12, 3), (60, 45)] {
        let table = [[9, b], [c, 9]];
        let exact = tests::mcnemar(b as u64, c as u64, Side::TwoSided, McNemar::Exact).unwrap();
        close(
            exact.p,
            anofox::mcnemar_exact(&table).unwrap().p_value,
            1e-10,
            "exact",
        );
        let corrected = tests::mcnemar(
            b as u64,
            c as u64,
            Side::TwoSided,
            McNemar::Asymptotic { continuity: true },
        );
        close(
            corrected.unwrap().p,
            anofox::mcnemar_test(&table, true).unwrap().p_value,
            1e-10,
            "corrected",
        );
    }
}
