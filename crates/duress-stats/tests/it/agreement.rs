//! Agreement beside scikit-learn, statsmodels, SciPy and krippendorff, and corrected rates beside
//! their own definitions (`peers/agreement`), and by simulation.

use duress_stats::agreement::{
    AlphaDistance, JudgedRates, KappaWeights, LabelsNeeded, PairCounts, Patterns, RatedUnits,
    cohen_kappa, gwet_ac1, krippendorff_alpha, labels_to_decide, pair_tau, pattern_interval,
    prediction_powered, rogan_gladen,
};
use duress_stats::dist::{Binomial, ChiSquared, StudentT};
use duress_stats::random::RandomStream;
use serde_json::Value;

fn cases(what: &str) -> Vec<Value> {
    let all = include_str!("../data/agreement.jsonl").lines();
    let all = all.map(|line| serde_json::from_str::<Value>(line).expect("a case is JSON"));
    all.filter(|case| case["what"] == what).collect()
}

fn near(value: f64, wanted: &Value, what: &str) {
    let wanted = wanted.as_f64().expect("a number is wanted");
    assert!(
        (value - wanted).abs() < 1e-10,
        "{what}: {value}, not {wanted}"
    );
}

#[test]
fn pairs_agree_with_peers() {
    let cases = cases("pair");
    assert!(cases.len() >= 6);
    for case in cases {
        let counts: Vec<u64> = serde_json::from_value(case["counts"].clone()).unwrap();
        let k = case["categories"].as_u64().unwrap() as usize;
        let counts = PairCounts::of_counts(k, &counts).unwrap();
        let kappa = |weights| cohen_kappa(&counts, weights).unwrap();
        near(kappa(KappaWeights::Plain), &case["kappa"], "kappa");
        near(kappa(KappaWeights::Linear), &case["linear"], "linear");
        near(
            kappa(KappaWeights::Quadratic),
            &case["quadratic"],
            "quadratic",
        );
        near(gwet_ac1(&counts).unwrap(), &case["ac1"], "ac1");
        near(pair_tau(&counts).unwrap(), &case["tau"], "tau");
    }
}

#[test]
fn alpha_agrees_with_krippendorff() {
    let cases = cases("alpha");
    assert!(cases.len() >= 4);
    for case in cases {
        let units: Vec<Vec<f64>> = serde_json::from_value(case["units"].clone()).unwrap();
        let units = RatedUnits::new(&units).unwrap();
        let alpha =
            |distance| krippendorff_alpha(&units, units.patterns().counts(), distance).unwrap();
        near(alpha(AlphaDistance::Nominal), &case["nominal"], "nominal");
        near(alpha(AlphaDistance::Ordinal), &case["ordinal"], "ordinal");
        near(
            alpha(AlphaDistance::Interval),
            &case["interval"],
            "interval",
        );
    }
}

fn judged([tp, people, judge, tn, pass, fail]: [u64; 6]) -> JudgedRates {
    JudgedRates {
        both_pass: tp,
        only_people_pass: people,
        only_judge_passes: judge,
        both_fail: tn,
        unlabelled_pass: pass,
        unlabelled_fail: fail,
    }
}

#[test]
fn corrected_rates_are_those_worked_out_item_by_item() {
    let cases = cases("rate");
    assert!(cases.len() >= 4);
    for case in cases {
        let counts: [u64; 6] = serde_json::from_value(case["counts"].clone()).unwrap();
        let rates = judged(counts);
        near(
            rogan_gladen(&rates, 0.95).unwrap().rate,
            &case["rogan_gladen"],
            "Rogan–Gladen",
        );
        let powered = prediction_powered(&rates, 0.95).unwrap();
        near(powered.rate, &case["powered"], "prediction-powered");
        let t = StudentT::new(rates.labelled() as f64 - 1.0).unwrap();
        let t = t.upper_quantile(0.025).unwrap();
        let error = case["standard_error"].as_f64().unwrap();
        let half = powered.interval.width() / 2.0;
        assert!((half - t * error).abs() < 1e-10, "{half} {}", t * error);
    }
}

#[test]
fn a_judge_no_better_than_chance_corrects_nothing() {
    let coin = judged([5, 5, 5, 5, 50, 50]);
    assert!(rogan_gladen(&coin, 0.95).is_err());
    assert!(prediction_powered(&coin, 0.95).is_ok());
    assert!(rogan_gladen(&judged([0; 6]), 0.95).is_err());
    assert!(prediction_powered(&judged([0; 6]), 0.95).is_err());
}

#[test]
fn further_labels_decide_what_these_do_not() {
    let rates = judged([45, 5, 10, 40, 5500, 4500]);
    let Ok(LabelsNeeded::Further(labels)) = labels_to_decide(&rates, 0.45, 0.95) else {
        panic!("100 labels do not tell .5 from .45")
    };
    // With so many more in the same shares the bar is outside the interval.
    let times = 1 + labels / 100 + 1;
    let more = judged([45 * times, 5 * times, 10 * times, 40 * times, 5500, 4500]);
    assert_eq!(
        labels_to_decide(&more, 0.45, 0.95),
        Ok(LabelsNeeded::Decided)
    );
    let few_items = judged([45, 5, 10, 40, 11, 9]);
    let near = labels_to_decide(&few_items, 0.499, 0.95);
    assert!(matches!(
        near,
        Ok(LabelsNeeded::Further(_) | LabelsNeeded::MoreItems)
    ));
}

/// One draw of labelled and unlabelled items from a known truth.
fn draw(stream: &mut RandomStream, truth: f64, tpr: f64, tnr: f64, n: u64, m: u64) -> JudgedRates {
    let mut counts = [0; 6];
    for item in 0..n + m {
        let passes = stream.next_unit() < truth;
        let judge = match passes {
            true => stream.next_unit() < tpr,
            false => stream.next_unit() >= tnr,
        };
        let at = match (item < n, passes, judge) {
            (true, true, true) => 0,
            (true, true, false) => 1,
            (true, false, true) => 2,
            (true, false, false) => 3,
            (false, _, true) => 4,
            (false, _, false) => 5,
        };
        counts[at] += 1;
    }
    judged(counts)
}

/// A truth, what the judge gets right, how many labels and how many items without.
type Setting = (f64, f64, f64, u64, u64);

/// How often both corrected intervals hold the truth, and how often they exist.
fn cover((truth, tpr, tnr, n, m): Setting, draws: u32) -> [f64; 3] {
    let mut stream = RandomStream::new(7, (truth * 1000.0) as u64 + n);
    let (mut rogan, mut powered, mut made) = (0, 0, 0);
    for _ in 0..draws {
        let rates = draw(&mut stream, truth, tpr, tnr, n, m);
        let both = (rogan_gladen(&rates, 0.95), prediction_powered(&rates, 0.95));
        let (Ok(one), Ok(other)) = both else {
            continue;
        };
        made += 1;
        rogan += u32::from(one.interval.contains(truth));
        powered += u32::from(other.interval.contains(truth));
    }
    let share = |count: u32| f64::from(count) / f64::from(made.max(1));
    [
        share(rogan),
        share(powered),
        f64::from(made) / f64::from(draws),
    ]
}

/// `cargo test -p duress-stats --test it corrected_intervals -- --nocapture` prints docs/judge.md's
/// table.
#[test]
fn corrected_intervals_cover_the_truth() {
    let plain = [
        (0.7, 0.9, 0.8, 100, 1000),
        (0.5, 0.8, 0.7, 60, 600),
        (0.3, 0.95, 0.9, 200, 2000),
        (0.5, 0.9, 0.9, 400, 4000),
    ];
    // Few labels of one kind: reported, and only held to be no disaster.
    let hard = [
        (0.95, 0.9, 0.8, 100, 1000),
        (0.9, 0.85, 0.7, 50, 1000),
        (0.7, 0.7, 0.5, 100, 1000),
    ];
    for (setting, least) in plain
        .map(|one| (one, 0.93))
        .into_iter()
        .chain(hard.map(|one| (one, 0.8)))
    {
        let [rogan, powered, made] = cover(setting, 2000);
        println!(
            "{setting:?}: Rogan-Gladen {rogan:.3}, prediction-powered {powered:.3}, defined {made:.3}"
        );
        assert!(
            rogan >= least && powered >= least,
            "{setting:?}: {rogan} {powered}"
        );
    }
}

#[test]
fn the_interval_of_kappa_covers_its_truth_and_does_not_depend_on_threads() {
    // Two raters with κ = .4 by construction: they agree by copying with chance .4.
    let mut covered = 0;
    for seed in 0..200 {
        let mut stream = RandomStream::new(11, seed);
        let mut pairs = Vec::new();
        for _ in 0..150 {
            let one = usize::from(stream.next_unit() < 0.5);
            let other = match stream.next_unit() < 0.4 {
                true => one,
                false => usize::from(stream.next_unit() < 0.5),
            };
            pairs.push((one, other));
        }
        let (patterns, keys) = Patterns::of_keys(&pairs);
        let kappa = |counts: &[u64]| {
            let mut cells = [0; 4];
            for ((one, other), count) in keys.iter().zip(counts) {
                cells[one * 2 + other] = *count;
            }
            cohen_kappa(&PairCounts::of_counts(2, &cells)?, KappaWeights::Plain)
        };
        let interval = pattern_interval(&patterns, kappa, 1000, 0.95, seed).unwrap();
        assert_eq!(
            interval,
            pattern_interval(&patterns, kappa, 1000, 0.95, seed).unwrap()
        );
        covered += u32::from(interval.contains(0.4));
    }
    assert!((182..=199).contains(&covered), "{covered} of 200");
}

#[test]
fn binomial_numbers_are_drawn_as_often_as_their_masses_say() {
    const DRAWS: usize = 100_000;
    for (n, p) in [
        (7, 0.3),
        (40, 0.2),
        (40, 0.25),
        (300, 0.9),
        (10_000, 0.5),
        (10_000, 0.0005),
    ] {
        let law = Binomial::new(n, p).unwrap();
        let mut stream = RandomStream::new(17, n);
        let mut drawn = vec![0_u32; n as usize + 1];
        for _ in 0..DRAWS {
            drawn[law.draw(&mut stream) as usize] += 1;
        }
        // Rare numbers are taken together, as the law of χ² asks.
        let mut distance = 0.0;
        let mut cells = 0;
        let mut expected = 0.0;
        let mut got = 0.0;
        for (k, drawn) in drawn.iter().enumerate() {
            expected += DRAWS as f64 * law.pmf(k as u64);
            got += f64::from(*drawn);
            let rest = DRAWS as f64 * law.sf(k as u64);
            if expected >= 10.0 && (rest >= 10.0 || k as u64 == n) {
                distance += (got - expected) * (got - expected) / expected;
                cells += 1;
                expected = 0.0;
                got = 0.0;
            }
        }
        if expected > 0.0 {
            distance += (got - expected) * (got - expected) / expected;
            cells += 1;
        }
        let p_value = ChiSquared::new(f64::from(cells - 1)).unwrap().sf(distance);
        assert!(p_value > 1e-4, "{n} {p}: χ² {distance} over {cells}");
    }
}
