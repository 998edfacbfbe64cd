//! What numbers are made of: reliability, classes, confusion, risk and coverage, at clean and at the hardest rungs.

use duress_core::gauge::{Accepted, Bin as GaugeBin, Detail, Gated, Group as GaugeGroup};
use duress_figure::bars::{Bar, BarSeries, Bars, Group};
use duress_figure::curve::{Curves, Origin, Point, Series};
use duress_figure::frame::Titles;
use duress_figure::heat::{Cell, Heat, Scale};
use duress_figure::number;
use duress_figure::reliability::{Bin, Panel, Reliability};
use duress_figure::scene::Scene;

use super::WIDTH;
use crate::analysis::findings::{Estimate, GaugeCard, Under};
use crate::report::digest::Digest;
use crate::report::words;

/// Confusion matrices of this many subjects are drawn; the rest is in the findings.
const MATRICES: usize = 4;
/// Bars of this many subjects beside each other can still be told apart.
pub(super) const MOST_BARS: usize = 8;
/// Beyond this many classes a matrix would be dust.
const CLASSES: usize = 40;

/// Every figure of one gauge's details at one place, with the name of each.
pub(super) fn all(digest: &Digest<'_>, gauge: &GaugeCard, under: &Under) -> Vec<(String, Scene)> {
    let at = |estimate: &&Estimate| estimate.gauge == gauge.name && estimate.place.under == *under;
    let estimates: Vec<&Estimate> = digest.findings.estimates.iter().filter(at).collect();
    let named = |estimate: &&&Estimate| {
        digest.style(&estimate.place.subject).is_some() && estimate.detail().is_some()
    };
    let estimates: Vec<&Estimate> = estimates.iter().filter(named).copied().collect();
    let scenes = match estimates.first().and_then(|estimate| estimate.detail()) {
        None => Vec::new(),
        Some(Detail::Bins(_)) => vec![("reliability".into(), reliability(digest, gauge, under, &estimates))],
        Some(Detail::Groups(_)) => vec![("classes".into(), classes(digest, gauge, under, &estimates))],
        Some(Detail::Matrix { .. }) => confusions(digest, gauge, under, &estimates),
        Some(Detail::Curve { .. }) => selective(digest, gauge, under, &estimates),
        Some(Detail::Gates { .. }) => gates(digest, gauge, under, &estimates),
        Some(Detail::Thresholds(_)) => {
            vec![("thresholds".into(), thresholds(digest, gauge, under, &estimates))]
        }
    };
    let place = words::under(under);
    scenes.into_iter().map(|(kind, scene)| (format!("{kind}-{}-{place}", gauge.name), scene)).collect()
}

fn remark(estimates: &[&Estimate]) -> String {
    let seed = estimates.first().and_then(|estimate| estimate.by_seed.first()).map(|(seed, _)| *seed);
    seed.map_or_else(String::new, |seed| format!("Seed {seed}."))
}

fn whose(digest: &Digest<'_>, estimate: &Estimate) -> String {
    match digest.several_datasets() {
        true => format!("{}, {}", estimate.place.subject, estimate.place.dataset),
        false => estimate.place.subject.to_string(),
    }
}

fn reliability(digest: &Digest<'_>, gauge: &GaugeCard, under: &Under, estimates: &[&Estimate]) -> Scene {
    let bin = |bin: &GaugeBin| Bin {
        range: (bin.low, bin.high),
        n: bin.n as u64,
        point: bin.confidence.zip(bin.accuracy),
    };
    let panel = |estimate: &&Estimate| match estimate.detail() {
        Some(Detail::Bins(bins)) => Some(Panel {
            name: whose(digest, estimate),
            key: digest.key(&estimate.place.subject),
            style: digest.style(&estimate.place.subject)?,
            remark: format!("{} {}", gauge.name, words::quantity(&estimate.quantity)),
            bins: bins.iter().map(bin).collect(),
        }),
        _ => None,
    };
    let figure = Reliability {
        titles: Titles {
            title: format!("Reliability, {}", words::under(under)),
            remark: format!(
                "Points: mean confidence and share right of each bin; dashed: perfect. Below: how many items. Bins: {}",
                remark(estimates).to_lowercase()
            ),
            x: "confidence".into(),
            y: "share that is right".into(),
        },
        panels: estimates.iter().filter_map(panel).collect(),
    };
    figure.draw(WIDTH)
}

/// Bars of the subjects asked about the first dataset: more would be dust.
fn classes(digest: &Digest<'_>, gauge: &GaugeCard, under: &Under, estimates: &[&Estimate]) -> Scene {
    let first = estimates.first().map(|estimate| &estimate.place.dataset);
    let estimates: Vec<&Estimate> =
        estimates.iter().copied().filter(|one| Some(&one.place.dataset) == first).take(MOST_BARS).collect();
    let groups_of = |estimate: &Estimate| match estimate.detail() {
        Some(Detail::Groups(groups)) => groups.clone(),
        _ => Vec::new(),
    };
    let by_subject: Vec<Vec<GaugeGroup>> = estimates.iter().map(|estimate| groups_of(estimate)).collect();
    // Subjects can differ in how many they have: a precision counts what each of them found.
    let mut names: Vec<(&str, usize, usize)> = Vec::new();
    for group in by_subject.iter().flatten() {
        match names.iter_mut().find(|(name, ..)| *name == group.name) {
            Some((_, least, most)) => (*least, *most) = (group.n.min(*least), group.n.max(*most)),
            None => names.push((&group.name, group.n, group.n)),
        }
    }
    let bar = |groups: &Vec<GaugeGroup>, name: &str| {
        let value = groups.iter().find(|group| group.name == name)?.value.as_ref().ok().copied()?;
        Some(Bar { value, interval: None, tip: format!("{name}: {} {}", gauge.name, number::short(value)) })
    };
    let group = |(name, least, most): &(&str, usize, usize)| Group {
        name: (*name).to_owned(),
        remark: if least == most { format!("n = {most}") } else { format!("n = {least} to {most}") },
        bars: by_subject.iter().map(|groups| bar(groups, name)).collect(),
    };
    let values: Vec<f64> =
        by_subject.iter().flatten().filter_map(|group| group.value.as_ref().ok().copied()).collect();
    let share = values.iter().all(|value| (0.0..=1.0).contains(value));
    let figure = Bars {
        titles: Titles {
            title: format!("{} by class or group, {}", gauge.name, words::under(under)),
            remark: format!("{} A dash: no value.{}", remark(&estimates), digest.left_out()),
            x: String::new(),
            y: words::axis(gauge),
        },
        ends: if share { (Some(0.0), Some(1.0)) } else { (None, None) },
        series: estimates.iter().map(|estimate| bar_series(digest, estimate)).collect(),
        groups: names.iter().map(group).collect(),
    };
    figure.draw(WIDTH)
}

pub(super) fn bar_series(digest: &Digest<'_>, estimate: &Estimate) -> BarSeries {
    BarSeries {
        name: whose(digest, estimate),
        key: digest.key(&estimate.place.subject),
        style: digest.style(&estimate.place.subject).unwrap_or(0),
        origin: Origin::Measured,
    }
}

fn confusions(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Vec<(String, Scene)> {
    let mut scenes = Vec::new();
    for estimate in estimates.iter().take(MATRICES) {
        let Some(Detail::Matrix { names, counts }) = estimate.detail() else { continue };
        if names.len() > CLASSES || names.is_empty() || counts.len() != names.len() * names.len() {
            continue;
        }
        let cell = |(i, &n): (usize, &u64)| {
            let row: u64 = counts[i / names.len() * names.len()..][..names.len()].iter().sum();
            let share = if row == 0 { 0.0 } else { n as f64 / row as f64 };
            let (truth, said) = (&names[i / names.len()], &names[i % names.len()]);
            let tip = format!("true {truth}, said {said}: {n} of {row}");
            (row > 0).then(|| Cell { value: share, words: number::count(n), tip })
        };
        let figure = Heat {
            titles: Titles {
                title: format!("{}, {}, {}", gauge.name, whose(digest, estimate), words::under(under)),
                remark: format!("Items; shade: share of the true class. {}", remark(estimates)),
                x: "said".into(),
                y: "true".into(),
            },
            rows: names.clone(),
            columns: names.clone(),
            groups: Vec::new(),
            cells: counts.iter().enumerate().map(cell).collect(),
            scale: Scale::Sequential(0.0, 1.0),
        };
        scenes.push((format!("matrix-{}", estimate.place.subject), figure.draw(WIDTH)));
    }
    scenes
}

/// For each subject, what is answered when confidence and another score must both be above a threshold.
fn gates(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Vec<(String, Scene)> {
    let mut scenes = Vec::new();
    for estimate in estimates.iter().take(MATRICES) {
        let Some(Detail::Gates { score, points }) = estimate.detail() else { continue };
        let mut names: Vec<String> = points.iter().map(|point| number::short(point.above)).collect();
        names.dedup();
        let columns = points.len() / names.len().max(1);
        let columns = points.iter().take(columns).map(|point| number::short(point.accepted.threshold));
        let cell = |point: &Gated| {
            let Accepted { threshold, coverage, accuracy } = &point.accepted;
            let accuracy = (*accuracy)?;
            let tip = format!(
                "confidence > {}, {score} > {}: {} answered, {} of it right",
                number::short(*threshold),
                number::short(point.above),
                number::short(*coverage),
                number::short(accuracy)
            );
            Some(Cell { value: accuracy, words: number::short(accuracy), tip })
        };
        let cells: Vec<Option<Cell>> = points.iter().map(cell).collect();
        let low = cells.iter().flatten().map(|cell| cell.value).fold(1.0, f64::min);
        let figure = Heat {
            titles: Titles {
                title: format!("{}, {}, {}", gauge.name, whose(digest, estimate), words::under(under)),
                remark: format!(
                    "Accuracy of what is answered when both are above their threshold. {}",
                    remark(estimates)
                ),
                x: "confidence must be above".into(),
                y: format!("{score} must be above"),
            },
            rows: names,
            columns: columns.collect(),
            groups: Vec::new(),
            cells,
            scale: Scale::Sequential(low, 1.0),
        };
        scenes.push((format!("gates-{}", estimate.place.subject), figure.draw(WIDTH)));
    }
    scenes
}

/// A curve per subject; risk over coverage also as accuracy over coverage, each with its oracle and random answering.
fn selective(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Vec<(String, Scene)> {
    let Some(Detail::Curve { x, y, .. }) = estimates.first().and_then(|estimate| estimate.detail()) else {
        return Vec::new();
    };
    let risky = x.to_lowercase().contains("coverage") && y.to_lowercase().contains("risk");
    let draw = |y_name: &str, turn: fn(f64) -> f64| {
        let series = estimates.iter().flat_map(|estimate| curve_series(digest, estimate, risky, turn));
        let compare = if risky {
            " Dotted: the same answers in the best order (oracle) and in random order."
        } else {
            ""
        };
        let figure = Curves {
            titles: Titles {
                title: format!("{y_name} over {x}, {}", words::under(under)),
                remark: format!("From {}. {}{compare}", gauge.name, remark(estimates)),
                x: x.clone(),
                y: y_name.into(),
            },
            ticks: Vec::new(),
            ends: (Some(0.0), Some(1.0)),
            series: series.collect(),
            references: Vec::new(),
            reach: Vec::new(),
            tagged: true,
        };
        figure.draw(WIDTH)
    };
    if risky {
        let accuracy = draw("accuracy of what is answered", |risk| 1.0 - risk);
        vec![("risk-coverage".into(), draw(y, |risk| risk)), ("coverage-accuracy".into(), accuracy)]
    } else {
        vec![("detail".into(), draw(y, |value| value))]
    }
}

/// Coverage and accuracy of what is answered, over the threshold.
fn thresholds(digest: &Digest<'_>, gauge: &GaugeCard, under: &Under, estimates: &[&Estimate]) -> Scene {
    let line = |estimate: &Estimate, what: &str, pick: fn(&Accepted) -> Option<f64>| {
        let Some(Detail::Thresholds(points)) = estimate.detail() else { return None };
        let point = |point: &Accepted| Point {
            x: point.threshold,
            y: pick(point),
            interval: None,
            tip: format!("{}: {what} above {}", whose(digest, estimate), number::short(point.threshold)),
        };
        Some(Series {
            name: format!("{}, {what}", whose(digest, estimate)),
            key: digest.key(&estimate.place.subject),
            style: digest.style(&estimate.place.subject),
            origin: Origin::Measured,
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
            title: format!("{} over the threshold, {}", gauge.name, words::under(under)),
            remark: format!(
                "Solid: accuracy of what is answered. Dotted: the share that is answered. {}",
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

fn curve_series(digest: &Digest<'_>, estimate: &Estimate, risky: bool, turn: fn(f64) -> f64) -> Vec<Series> {
    let Some(Detail::Curve { points, .. }) = estimate.detail() else { return Vec::new() };
    let line = |thin: bool, points: Vec<(f64, f64)>| Series {
        name: whose(digest, estimate),
        key: digest.key(&estimate.place.subject),
        style: digest.style(&estimate.place.subject),
        origin: Origin::Measured,
        marked: false,
        thin,
        points: points
            .into_iter()
            .map(|(x, y)| {
                let tip =
                    format!("{}: {} at {}", estimate.place.subject, number::short(turn(y)), number::short(x));
                Point { x, y: Some(turn(y)), interval: None, tip: if thin { String::new() } else { tip } }
            })
            .collect(),
    };
    let shown = thinned(points, 160);
    let Some(&(_, error)) = points.last().filter(|_| risky) else { return vec![line(false, shown)] };
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
    (0..most).map(|i| points[i * (points.len() - 1) / (most - 1)]).collect()
}
