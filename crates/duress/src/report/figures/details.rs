//! What numbers are made of: reliability, classes, confusion, risk and coverage, at clean and at the hardest rungs.

use duress_core::gauge::{Accepted, Bin as GaugeBin, Detail, Gated, Group as GaugeGroup};
use duress_core::question::Question;
use duress_figure::bars::{Bar, BarSeries, Bars, Group};
use duress_figure::curve::{At, Curves, Origin, Point, Reference, Series};
use duress_figure::frame::Titles;
use duress_figure::heat::{Cell, Heat, Scale};
use duress_figure::number;
use duress_figure::reliability::{Bin, Panel, Reliability};
use duress_figure::scene::Scene;

use super::WIDTH;
use super::curves::ends_of;
use crate::analysis::findings::{Estimate, GaugeCard, Under};
use crate::report::digest::Digest;
use crate::report::words;

/// Confusion matrices of this many subjects are drawn; the rest is in the findings.
const MATRICES: usize = 4;
/// Bars of this many subjects beside each other can still be told apart.
pub(super) const MOST_BARS: usize = 8;
/// Beyond this many classes a matrix would be dust.
const CLASSES: usize = 40;

/// The estimates of one gauge at one place that have details and a colour.
fn detailed<'a>(digest: &Digest<'a>, gauge: &GaugeCard, under: &Under) -> Vec<&'a Estimate> {
    let at = |estimate: &&Estimate| estimate.gauge == gauge.name && estimate.place.under == *under;
    let named =
        |estimate: &&Estimate| digest.style(&estimate.place.subject).is_some() && estimate.detail().is_some();
    digest.findings.estimates.iter().filter(at).filter(named).collect()
}

/// Every figure of one gauge's details at one place, with the name of each.
pub(super) fn all(digest: &Digest<'_>, gauge: &GaugeCard, under: &Under) -> Vec<(String, Scene)> {
    let estimates = detailed(digest, gauge, under);
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
            remarks: summed_up(gauge, estimate),
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

/// The gauge for the seed whose bins are drawn, and over all seeds.
fn summed_up(gauge: &GaugeCard, estimate: &Estimate) -> Vec<String> {
    let whole = words::quantity(&estimate.quantity);
    let drawn = estimate.details.first().map(|(seed, _)| *seed);
    let own = estimate.by_seed.iter().find(|(seed, _)| Some(*seed) == drawn);
    match own.and_then(|(seed, reading)| Some((seed, reading.value()?))) {
        Some((seed, value)) if estimate.by_seed.len() > 1 => vec![
            format!("{} {} (seed {seed})", gauge.name, number::short(value)),
            format!("mean {whole}, {} seeds", estimate.quantity.replicates),
        ],
        _ => vec![format!("{} {whole}", gauge.name)],
    }
}

/// The values of a class or group for every seed that has one.
struct Member {
    name: String,
    /// The smallest and the largest number of items, over subjects and seeds.
    n: (usize, usize),
}

/// Bars of the subjects asked about the first dataset: more would be dust.
fn classes(digest: &Digest<'_>, gauge: &GaugeCard, under: &Under, estimates: &[&Estimate]) -> Scene {
    let first = estimates.first().map(|estimate| &estimate.place.dataset);
    let estimates: Vec<&Estimate> =
        estimates.iter().copied().filter(|one| Some(&one.place.dataset) == first).take(MOST_BARS).collect();
    let members = members(&estimates);
    let group = |member: &Member| Group {
        name: member.name.clone(),
        remark: match member.n {
            (least, most) if least == most => format!("n = {most}"),
            (least, most) => format!("n = {least} to {most}"),
        },
        bars: estimates.iter().map(|estimate| member_bar(gauge, estimate, &member.name)).collect(),
    };
    let groups: Vec<Group> = members.iter().map(group).collect();
    let values: Vec<f64> =
        groups.iter().flat_map(|group| group.bars.iter().flatten()).map(|bar| bar.value).collect();
    // Of classes the gauge has a value each; of other groups, such as precision and recall, it is made.
    let by_class = gauge.scale.reads == Question::Classes;
    let seeds = estimates.iter().map(|estimate| estimate.details.len()).max().unwrap_or(0);
    let mean = match seeds {
        0 | 1 => remark(&estimates),
        seeds => format!("Mean of {seeds} seeds; whiskers: the lowest and the highest of them."),
    };
    let figure = Bars {
        titles: Titles {
            title: match by_class {
                true => format!("{} by class, {}", gauge.name, words::under(under)),
                false => format!("What {} is made of, {}", gauge.name, words::under(under)),
            },
            remark: format!("{mean} A dash: no value.{}", digest.left_out()),
            x: String::new(),
            y: if by_class { words::axis(gauge) } else { "value of each part".into() },
        },
        ends: ends_of(gauge.scale.ends, values.iter().copied()),
        series: estimates.iter().map(|estimate| bar_series(digest, estimate)).collect(),
        groups,
        references: Vec::new(),
    };
    figure.draw(WIDTH)
}

fn groups_of(estimate: &Estimate) -> impl Iterator<Item = &GaugeGroup> {
    estimate.details.iter().flat_map(|(_, detail)| match detail {
        Detail::Groups(groups) => groups.as_slice(),
        _ => &[],
    })
}

/// The classes or groups of these estimates, in the order in which they come.
///
/// Subjects can differ in how many items each has: a precision counts what each of them found.
fn members(estimates: &[&Estimate]) -> Vec<Member> {
    let mut found: Vec<Member> = Vec::new();
    for group in estimates.iter().flat_map(|estimate| groups_of(estimate)) {
        match found.iter_mut().find(|member| member.name == group.name) {
            Some(member) => member.n = (group.n.min(member.n.0), group.n.max(member.n.1)),
            None => found.push(Member { name: group.name.clone(), n: (group.n, group.n) }),
        }
    }
    found
}

/// The mean over seeds; the whiskers reach from the lowest to the highest.
fn member_bar(gauge: &GaugeCard, estimate: &Estimate, name: &str) -> Option<Bar> {
    let values = groups_of(estimate).filter(|group| group.name == name);
    let values: Vec<f64> = values.filter_map(|group| group.value.as_ref().ok().copied()).collect();
    let value = words::mean_and_sd(&values).0?;
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let tip = format!(
        "{}, {name}: {} {}, {}",
        estimate.place.subject,
        gauge.name,
        number::short(value),
        words::counted(values.len(), "seed")
    );
    Some(Bar { value, interval: (values.len() > 1).then_some((low, high)), tip })
}

pub(super) fn bar_series(digest: &Digest<'_>, estimate: &Estimate) -> BarSeries {
    BarSeries {
        name: whose(digest, estimate),
        key: digest.key(&estimate.place.subject),
        style: digest.style(&estimate.place.subject).unwrap_or(0),
        origin: Origin::Measured,
    }
}

/// A heat map for each of the first subjects, with its title; the rest is in the findings.
fn heats(
    digest: &Digest<'_>,
    under: &Under,
    estimates: &[&Estimate],
    (kind, what): (&str, &str),
    heat: impl Fn(&Estimate) -> Option<Heat>,
) -> Vec<(String, Scene)> {
    let draw = |estimate: &&Estimate| {
        let mut figure = heat(estimate)?;
        figure.titles.title = format!("{what}, {}, {}", whose(digest, estimate), words::under(under));
        Some((format!("{kind}-{}", estimate.place.subject), figure.draw(WIDTH)))
    };
    estimates.iter().take(MATRICES).filter_map(draw).collect()
}

fn confusions(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Vec<(String, Scene)> {
    heats(digest, under, estimates, ("matrix", "Confusion"), |estimate| {
        let Some(Detail::Matrix { names, .. }) = estimate.detail() else { return None };
        let size = names.len();
        if size == 0 || size > CLASSES {
            return None;
        }
        let of_seeds = estimate.details.iter().filter_map(|(_, detail)| match detail {
            Detail::Matrix { names: these, counts } if these == names && counts.len() == size * size => {
                Some(counts)
            }
            _ => None,
        });
        let (mut counts, mut seeds) = (vec![0; size * size], 0);
        for of_seed in of_seeds {
            counts.iter_mut().zip(of_seed).for_each(|(sum, n)| *sum += n);
            seeds += 1;
        }
        let cell = |(i, &n): (usize, &u64)| {
            let row: u64 = counts[i / size * size..][..size].iter().sum();
            let tip = format!("true {}, said {}: {n} of {row}", names[i / size], names[i % size]);
            (row > 0).then(|| Cell { value: n as f64 / row as f64, words: number::count(n), tip })
        };
        let over = if seeds > 1 { format!(" of {seeds} seeds together") } else { String::new() };
        Some(Heat {
            titles: Titles {
                remark: format!("From {}. Items{over}.", gauge.name),
                x: "said".into(),
                y: "true".into(),
                ..Titles::default()
            },
            rows: names.clone(),
            columns: names.clone(),
            groups: Vec::new(),
            cells: counts.iter().enumerate().map(cell).collect(),
            scale: Scale::Sequential(0.0, 1.0),
            shade: "shade: share of the true class".into(),
        })
    })
}

/// For each subject, what is answered when confidence and another score must both be above a threshold: how right it is, and how much.
fn gates(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Vec<(String, Scene)> {
    let right = heats(digest, under, estimates, ("gates", "Right of what is answered"), |estimate| {
        let cell = |point: &Gated| {
            let value = point.accepted.accuracy?;
            Some((value, number::fixed(value, 3)))
        };
        gate(gauge, estimate, "shade: share right of what is answered", cell)
    });
    let answered = heats(digest, under, estimates, ("gates-coverage", "Share answered"), |estimate| {
        let cell = |point: &Gated| {
            let value = point.accepted.coverage;
            Some((value, format!("{} %", number::fixed(100.0 * value, 0))))
        };
        gate(gauge, estimate, "shade: share answered", cell)
    });
    right.into_iter().chain(answered).collect()
}

/// Both thresholds of a gate, with what `cell` reads at each pair of them, averaged over seeds.
fn gate(
    gauge: &GaugeCard,
    estimate: &Estimate,
    shade: &str,
    cell: impl Fn(&Gated) -> Option<(f64, String)>,
) -> Option<Heat> {
    let (score, points, seeds) = mean_gates(estimate)?;
    let mut rows: Vec<f64> = points.iter().map(|point| point.above).collect();
    rows.dedup();
    let columns = points.len() / rows.len().max(1);
    let columns = points.iter().take(columns).map(|point| number::tidy(point.accepted.threshold));
    let tip = |point: &Gated| {
        format!(
            "confidence > {}, {score} > {}: {} answered, {} of it right",
            number::tidy(point.accepted.threshold),
            number::tidy(point.above),
            number::short(point.accepted.coverage),
            point.accepted.accuracy.map_or("none".into(), number::short)
        )
    };
    let cells: Vec<Option<Cell>> = points
        .iter()
        .map(|point| cell(point).map(|(value, words)| Cell { value, words, tip: tip(point) }))
        .collect();
    let low = cells.iter().flatten().map(|cell| cell.value).fold(1.0, f64::min);
    let mean = match seeds {
        1 => "One seed.".into(),
        seeds => format!("Mean of {seeds} seeds, each over those pairs at which it answers anything."),
    };
    Some(Heat {
        titles: Titles {
            remark: format!("From {}: answered when both are above their threshold. {mean}", gauge.name),
            x: "confidence must be above".into(),
            y: format!("{score} must be above"),
            ..Titles::default()
        },
        rows: rows.iter().map(|above| number::tidy(*above)).collect(),
        columns: columns.collect(),
        groups: Vec::new(),
        cells,
        scale: Scale::Sequential(low, 1.0),
        shade: shade.into(),
    })
}

/// The other score, what is answered at each pair of thresholds on average over seeds, and how many seeds that is.
fn mean_gates(estimate: &Estimate) -> Option<(&str, Vec<Gated>, usize)> {
    let Some(Detail::Gates { score, points: first }) = estimate.detail() else { return None };
    let alike = |points: &&Vec<Gated>| {
        let at = |point: &Gated| (point.above, point.accepted.threshold);
        points.iter().map(at).eq(first.iter().map(at))
    };
    let of_seeds = estimate.details.iter().filter_map(|(_, detail)| match detail {
        Detail::Gates { points, .. } => Some(points),
        _ => None,
    });
    let of_seeds: Vec<&Vec<Gated>> = of_seeds.filter(alike).collect();
    let mean = |i: usize| {
        let accepted: Vec<&Accepted> = of_seeds.iter().map(|points| &points[i].accepted).collect();
        let coverage: Vec<f64> = accepted.iter().map(|one| one.coverage).collect();
        let accuracy: Vec<f64> = accepted.iter().filter_map(|one| one.accuracy).collect();
        Gated {
            above: first[i].above,
            accepted: Accepted {
                threshold: first[i].accepted.threshold,
                coverage: words::mean_and_sd(&coverage).0.unwrap_or(0.0),
                accuracy: words::mean_and_sd(&accuracy).0,
            },
        }
    };
    Some((score, (0..first.len()).map(mean).collect(), of_seeds.len()))
}

/// A curve per subject; risk over coverage also as accuracy over coverage.
fn selective(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Vec<(String, Scene)> {
    let Some(Detail::Curve { x, y, .. }) = estimates.first().and_then(|estimate| estimate.detail()) else {
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
            title: words::capital(&format!("{y} over {x}, {}", words::under(under))),
            remark: format!("From {}. {}", gauge.name, remark(estimates)),
            x: x.clone(),
            y: y.clone(),
        },
        ticks: Vec::new(),
        ends: (Some(0.0), Some(1.0)),
        series: estimates.iter().flat_map(|estimate| curve_series(digest, estimate, false, |y| y)).collect(),
        references: Vec::new(),
        reach: Vec::new(),
        tagged: true,
    };
    vec![("detail".into(), plain.draw(WIDTH))]
}

fn is_risk(x: &str, y: &str) -> bool {
    x.to_lowercase().contains("coverage") && y.to_lowercase().contains("risk")
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
    curves.references.push(Reference {
        name: format!("{} % coverage", number::tidy(100.0 * target)),
        at: At::X(target),
        origin: Origin::Measured,
    });
    Some(curves)
}

/// Risk over coverage, or what `turn` makes of it, with the oracle and random answering of each subject.
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
            title: words::capital(&format!("{title} over coverage, {}", words::under(under))),
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
        series: estimates.iter().flat_map(|estimate| curve_series(digest, estimate, true, turn)).collect(),
        references: Vec::new(),
        reach: Vec::new(),
        tagged: true,
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
            name: whose(digest, estimate),
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
            title: format!("Accuracy and coverage over the threshold, {}", words::under(under)),
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
