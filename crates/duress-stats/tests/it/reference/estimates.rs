//! Answers about intervals, effect sizes, corrections, power, bootstrap limits, weighted statistics
//! and curves.

use duress_stats::bootstrap::{acceleration, basic_interval, bca_interval, percentile_interval};
use duress_stats::correct::{Correction, bh, by, holm, holm_sidak, hommel};
use duress_stats::curve::{CurveReading, SeverityCurve};
use duress_stats::power::{Setting, paired_t_power};
use duress_stats::statistic::{
    Auroc, EqualWidthEce, RiskCoverageArea, SampleMean, Statistic, auroc,
};
use duress_stats::verdict::Orientation;
use duress_stats::{Interval, UndefinedReason, effect, interval};

use super::case::{Answer, Case, listed, one};

pub(crate) fn answer(case: &Case) -> Result<Answer, UndefinedReason> {
    let ask = case.ask();
    match ask {
        "wilson" | "clopper_pearson" | "student_t" => closed_form(case).map(ends),
        "holm" => holm(&case.sample("p")).map(listed),
        "holm_sidak" => holm_sidak(&case.sample("p")).map(listed),
        "hommel" => hommel(&case.sample("p")).map(listed),
        "bh" => bh(&case.sample("p")).map(listed),
        "by" => by(&case.sample("p")).map(listed),
        "auroc" | "ece" | "aurc" | "auroc_large" => weighted(case).map(one),
        "paired_t_power" | "detectable" | "needed" | "critical_t" => power(case).map(one),
        "curve" => curve(case),
        _ if ask.starts_with("bootstrap.") => limits(case).map(ends),
        _ => effect_size(case).map(one),
    }
}

fn ends(interval: Interval) -> Answer {
    listed([interval.low, interval.high])
}

fn closed_form(case: &Case) -> Result<Interval, UndefinedReason> {
    let level = case.number("level");
    let counts = || (case.count("successes") as u64, case.count("trials") as u64);
    match case.ask() {
        "wilson" => interval::wilson(counts().0, counts().1, level),
        "clopper_pearson" => interval::clopper_pearson(counts().0, counts().1, level),
        _ => interval::student_t(&case.sample("x"), level),
    }
}

fn effect_size(case: &Case) -> Result<f64, UndefinedReason> {
    let (x, y) = (case.sample("x"), case.sample("y"));
    let effect = match case.ask() {
        "d_pooled" => effect::d_pooled(&x, &y),
        "d_av" => effect::d_av(&x, &y),
        "d_z" => effect::d_z(&x, &y),
        "hedges_g" => effect::hedges_g(&x, &y),
        "common_language" => effect::common_language(&x, &y),
        "rank_biserial" => effect::rank_biserial(&x, &y),
        "rank_biserial_paired" => effect::rank_biserial_paired(&x, &y),
        unknown => panic!("no effect {unknown}"),
    };
    effect.map(|e| e.value)
}

fn weighted(case: &Case) -> Result<f64, UndefinedReason> {
    if case.ask() == "auroc_large" {
        let (scores, other) = (case.sample("x"), case.sample("other"));
        let truth: Vec<bool> = scores
            .iter()
            .zip(&other)
            .map(|(s, o)| *o < 0.3 + 0.4 * s)
            .collect();
        let value = Auroc::new(&scores, &truth)?.value()?;
        assert_eq!(value, auroc(&scores, &truth)?);
        return Ok(value);
    }
    let (x, truth, weights) = (
        case.sample("x"),
        case.bools("positive"),
        case.weights("weights"),
    );
    match case.ask() {
        "auroc" => Auroc::new(&x, &truth)?.at_weights(&weights),
        "ece" => EqualWidthEce::new(&x, &truth, case.count("bins"))?.at_weights(&weights),
        _ => RiskCoverageArea::new(&x, &truth)?.at_weights(&weights),
    }
}

fn power(case: &Case) -> Result<f64, UndefinedReason> {
    let (alpha, side) = (case.number("alpha"), case.side());
    let single = Setting::single(alpha, side);
    match case.ask() {
        "paired_t_power" => paired_t_power(case.number("d"), case.count("n"), alpha, side),
        "detectable" => Ok(single
            .detectable(case.count("n"), case.number("power"))?
            .d_z),
        "needed" => Ok(single.needed(case.number("d"), case.number("power"))?.n as f64),
        _ => {
            let family = Setting {
                correction: Correction::Holm,
                claims: case.count("claims"),
                ..single
            };
            Ok(family.critical_t(case.count("n"))?.t)
        }
    }
}

fn limits(case: &Case) -> Result<Interval, UndefinedReason> {
    let (x, resamples, level) = (
        case.sample("x"),
        case.sample("resamples"),
        case.number("level"),
    );
    let mean = SampleMean::new(&x)?;
    match case.ask() {
        "bootstrap.percentile" => percentile_interval(&resamples, level),
        "bootstrap.basic" => basic_interval(mean.value()?, &resamples, level),
        _ => {
            let left_out = mean.leave_one_out().expect("a mean has a short cut");
            let left_out = left_out.into_iter().collect::<Result<_, _>>()?;
            bca_interval(mean.value()?, &resamples, acceleration(&[left_out])?, level)
        }
    }
}

fn curve(case: &Case) -> Result<Answer, UndefinedReason> {
    let curve = SeverityCurve::new(&case.sample("x"), &case.sample("y"), Orientation::Higher)?;
    let readings = [
        ("area", CurveReading::Area),
        ("largest", CurveReading::LargestStep),
        ("total", CurveReading::TotalDrop),
        ("mean", CurveReading::MeanDegradation),
        ("max", CurveReading::MaxDegradation),
        ("tau", CurveReading::Monotonicity),
    ];
    readings
        .into_iter()
        .map(|(name, reading)| Ok((name.to_owned(), reading.read_from(&curve)?)))
        .collect()
}
