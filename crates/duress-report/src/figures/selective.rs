//! What may be refused: risk or accuracy over coverage, and both over the threshold.

use duress_core::gauge::{Accepted, COVERAGE, Detail, RISK};
use duress_core::number;
use duress_figure::curve::{CurveSeries, Curves, DataOrigin, Point};
use duress_figure::frame::Titles;
use duress_figure::reference::{ReferenceLine, ReferencePosition};
use duress_figure::scene::Scene;

use super::WIDTH;
use super::details::{detailed, remark, whose};
use crate::digest::Digest;
use crate::words;
use duress_findings::{Estimate, GaugeCard, Under};

/// A curve per subject; risk over coverage also as accuracy over coverage.
pub(super) fn all(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Vec<(String, Scene)> {
    let Some(Detail::Curve { x, y, .. }) = estimates.first().and_then(|estimate| estimate.detail())
    else {
        return Vec::new();
    };
    if is_risk(x, y) {
        let risk = risk_curves(digest, gauge, under, estimates, |risk| risk);
        let accuracy = risk_curves(digest, gauge, under, estimates, |risk| 1.0 - risk);
        return vec![
            ("risk-coverage".into(), risk.draw(WIDTH)),
            ("coverage-accuracy".into(), accuracy.draw(WIDTH)),
        ];
    }
    let plain = Curves {
        titles: Titles {
            title: words::capital(&format!("{y} over {x}, {}", under)),
            remark: format!("From {}. {}", gauge.name, remark(estimates)),
            x: x.clone(),
            y: y.clone(),
        },
        ticks: Vec::new(),
        ends: (Some(0.0), Some(1.0)),
        series: estimates
            .iter()
            .flat_map(|estimate| curve_series(digest, estimate, false, |y| y))
            .collect(),
        references: Vec::new(),
        reach: Vec::new(),
        tagged: true,
    };
    vec![("detail".into(), plain.draw(WIDTH))]
}

fn is_risk(x: &str, y: &str) -> bool {
    x == COVERAGE && y == RISK
}

/// Accuracy over coverage from this coverage on, with an upright line at a target.
pub(super) fn coverage_accuracy(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    (from, target): (f64, f64),
) -> Option<Curves> {
    let estimates = detailed(digest, gauge, under);
    match estimates.first().and_then(|estimate| estimate.detail()) {
        Some(Detail::Curve { x, y, .. }) if is_risk(x, y) => {}
        _ => return None,
    }
    let mut curves = risk_curves(digest, gauge, under, &estimates, |risk| 1.0 - risk);
    for series in &mut curves.series {
        // A level line is two points, one at each end.
        if let [first, _] = series.points.as_mut_slice() {
            first.x = first.x.max(from);
        }
        series.points.retain(|point| point.x >= from);
    }
    curves.references.push(ReferenceLine {
        name: format!("{} % coverage", number::tidy(100.0 * target)),
        at: ReferencePosition::X(target),
        origin: DataOrigin::Measured,
    });
    Some(curves)
}

/// Risk over coverage, or what `turn` makes of it, with the oracle and random answering of each
/// subject.
fn risk_curves(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
    turn: fn(f64) -> f64,
) -> Curves {
    let (what, overall) = match turn(0.0) == 0.0 {
        true => ("risk: share wrong of what is answered", "error rate"),
        false => ("accuracy: share right of what is answered", "accuracy"),
    };
    let title = what.split(':').next().unwrap_or(what);
    Curves {
        titles: Titles {
            title: words::capital(&format!("{title} over coverage, {}", under)),
            remark: format!(
                "From {}. {} Thin and level: the overall {overall}, which refusing at random keeps. Thin and bent: the oracle, which \
                 refuses the wrong answers first.",
                gauge.name,
                remark(estimates)
            ),
            x: "coverage: share of items answered".into(),
            y: what.into(),
        },
        ticks: Vec::new(),
        ends: (Some(0.0), Some(1.0)),
        series: estimates
            .iter()
            .flat_map(|estimate| curve_series(digest, estimate, true, turn))
            .collect(),
        references: Vec::new(),
        reach: Vec::new(),
        tagged: true,
    }
}

/// Coverage and accuracy of what is answered, over the threshold.
pub(super) fn thresholds(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Scene {
    let line = |estimate: &Estimate, what: &str, pick: fn(&Accepted) -> Option<f64>| {
        let Some(Detail::Thresholds(points)) = estimate.detail() else {
            return None;
        };
        let point = |point: &Accepted| Point {
            spread: None,
            x: point.threshold,
            y: pick(point),
            interval: None,
            tip: format!(
                "{}: {what} above {}",
                whose(digest, estimate),
                number::short(point.threshold)
            ),
        };
        Some(CurveSeries {
            name: whose(digest, estimate),
            key: digest.key(&estimate.place.subject),
            style: digest.style(&estimate.place.subject),
            origin: DataOrigin::Measured,
            marked: false,
            thin: what == "coverage",
            points: points.iter().map(point).collect(),
        })
    };
    let series = estimates.iter().flat_map(|estimate| {
        [
            line(estimate, "accuracy", |point| point.accuracy),
            line(estimate, "coverage", |point| Some(point.coverage)),
        ]
    });
    let figure = Curves {
        titles: Titles {
            title: format!("Accuracy and coverage over the threshold, {}", under),
            remark: format!(
                "From {}. Thick: accuracy of what is answered. Thin: coverage, the share that is answered. {}",
                gauge.name,
                remark(estimates)
            ),
            x: "confidence must be above".into(),
            y: "share".into(),
        },
        ticks: Vec::new(),
        ends: (Some(0.0), Some(1.0)),
        series: series.flatten().collect(),
        references: Vec::new(),
        reach: Vec::new(),
        tagged: true,
    };
    figure.draw(WIDTH)
}

fn curve_series(
    digest: &Digest<'_>,
    estimate: &Estimate,
    risky: bool,
    turn: fn(f64) -> f64,
) -> Vec<CurveSeries> {
    let Some(Detail::Curve { points, .. }) = estimate.detail() else {
        return Vec::new();
    };
    let line = |thin: bool, points: Vec<(f64, f64)>| CurveSeries {
        name: whose(digest, estimate),
        key: digest.key(&estimate.place.subject),
        style: digest.style(&estimate.place.subject),
        origin: DataOrigin::Measured,
        marked: false,
        thin,
        points: points
            .into_iter()
            .map(|(x, y)| {
                let tip = format!(
                    "{}: {} at {}",
                    estimate.place.subject,
                    number::short(turn(y)),
                    number::short(x)
                );
                Point {
                    spread: None,
                    x,
                    y: Some(turn(y)),
                    interval: None,
                    tip: if thin { String::new() } else { tip },
                }
            })
            .collect(),
    };
    let shown = thinned(points, 160);
    let Some(&(_, error)) = points.last().filter(|_| risky) else {
        return vec![line(false, shown)];
    };
    let oracle = |c: f64| (c, ((c - (1.0 - error)) / c.max(1e-9)).max(0.0));
    let grid = (1..=100).map(|i| f64::from(i) / 100.0);
    vec![
        line(false, shown),
        line(true, grid.map(oracle).collect()),
        line(true, vec![(0.0, error), (1.0, error)]),
    ]
}

/// At most this many points, the first and the last among them; no eye tells more apart.
fn thinned(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    if points.len() <= most {
        return points.to_vec();
    }
    (0..most)
        .map(|i| points[i * (points.len() - 1) / (most - 1)])
        .collect()
}
