//! One or more examples of every figure kind, with the awkward cases: long names, ties, gaps, no
//! values, other scripts.

#![expect(
    clippy::unwrap_used,
    reason = "what a test makes up is known to be right"
)]

use duress_figure::bars::{Bar, BarGroup, BarSeries, Bars};
use duress_figure::curve::{CurveSeries, Curves, DataOrigin, Point};
use duress_figure::forest::{Forest, ForestRow};
use duress_figure::frame::Titles;
use duress_figure::graph::Graphs;
use duress_figure::heat::{Heat, HeatCell, HeatScale};
use duress_figure::multiples::Multiples;
use duress_figure::reference::{ReferenceLine, ReferencePosition};
use duress_figure::reliability::{Reliability, ReliabilityBin, ReliabilityPanel};
use duress_figure::scene::Scene;
use duress_figure::tradeoff::{Tradeoff, TradeoffSubject};

/// Every kind, by name.
pub(crate) fn all() -> Vec<(&'static str, Scene)> {
    vec![
        (
            "curves",
            curves(&["baseline", "trades", "tri-objective"]).draw(680.0),
        ),
        (
            "curves-narrow",
            curves(&["baseline", "tri-objective"]).draw(330.0),
        ),
        ("curves-hard", hard_curves().draw(680.0)),
        ("curves-crowd", crowd().draw(680.0)),
        ("curves-empty", curves(&[]).draw(680.0)),
        ("forest", forest().draw(680.0)),
        ("risk-coverage", risk_coverage().draw(680.0)),
        ("multiples", multiples().draw(680.0)),
        ("multiples-narrow", multiples().draw(330.0)),
        ("reliability", reliability(3).draw(680.0)),
        ("reliability-four", reliability(4).draw(680.0)),
        ("reliability-one", reliability(1).draw(330.0)),
        ("tradeoff", tradeoff().draw(680.0)),
        ("tradeoff-narrow", tradeoff().draw(330.0)),
        ("heat", heat().draw(680.0)),
        ("confusion", confusion(5).draw(680.0)),
        ("confusion-many", confusion(24).draw(680.0)),
        ("graphs", graphs(6).draw(680.0)),
        ("graphs-many", graphs(24).draw(680.0)),
        ("graphs-shares", shared_graphs(9).draw(680.0)),
        ("bars", bars(4, 3).draw(680.0)),
        ("bars-many", bars(26, 5).draw(680.0)),
    ]
}

fn titles(title: &str, x: &str, y: &str) -> Titles {
    Titles {
        title: title.into(),
        remark: "Mean of 3 seeds, 200 items each; bands are 95 % bootstrap intervals over items and seeds."
            .into(),
        x: x.into(),
        y: y.into(),
    }
}

fn point(x: f64, y: f64) -> Point {
    Point {
        spread: None,
        x,
        y: Some(y),
        interval: Some((y - 0.04, y + 0.05)),
        tip: format!("{y:.3}"),
    }
}

fn curves(names: &[&str]) -> Curves {
    let severities = ["0", "1/255", "2/255", "4/255", "8/255", "16/255"];
    let value = |text: &str| {
        text.split_once('/').map_or(0.0, |(a, b)| {
            a.parse::<f64>().unwrap() / b.parse::<f64>().unwrap()
        })
    };
    let ticks: Vec<(f64, String)> = severities
        .iter()
        .map(|text| (value(text), (*text).to_owned()))
        .collect();
    let series = names.iter().enumerate().map(|(i, name)| CurveSeries {
        name: (*name).into(),
        key: i,
        style: Some(i),
        origin: DataOrigin::Measured,
        marked: true,
        thin: false,
        points: ticks
            .iter()
            .map(|(x, _)| {
                point(
                    *x,
                    0.12 + 0.75 * (-x * (60.0 - 20.0 * i as f64).max(4.0 * i as f64)).exp(),
                )
            })
            .collect(),
    });
    Curves {
        titles: titles(
            "Accuracy under PGD",
            "severity of pgd: L∞ radius in units of [0, 1]",
            "accuracy, share of items ↑ better",
        ),
        ticks: ticks.clone(),
        ends: (Some(0.0), Some(1.0)),
        series: series.collect(),
        references: vec![ReferenceLine {
            name: "chance".into(),
            at: ReferencePosition::Y(0.1),
            origin: DataOrigin::Measured,
        }],
        reach: Vec::new(),
        tagged: true,
    }
}

/// Ties, a gap, a name of 300 characters, Chinese, an expectation, an undefined series.
fn hard_curves() -> Curves {
    let long = "a-very-long-name ".repeat(18);
    let mut figure = curves(&[
        "same",
        "same-too",
        long.as_str(),
        "黑色素瘤分类器",
        "gap",
        "undefined",
        "seven",
        "eight",
    ]);
    figure.series[1].points = figure.series[0].points.clone();
    figure.series[4].points[2].y = None;
    figure.series[5]
        .points
        .iter_mut()
        .for_each(|point| point.y = None);
    figure.series.push(CurveSeries {
        name: "paper".into(),
        key: 8,
        style: Some(8),
        origin: DataOrigin::Elsewhere,
        marked: true,
        thin: false,
        points: vec![point(0.0, 0.83), point(8.0 / 255.0, 0.47)],
    });
    figure.references.push(ReferenceLine {
        name: "target".into(),
        at: ReferencePosition::Y(0.5),
        origin: DataOrigin::Elsewhere,
    });
    figure.references.push(ReferenceLine {
        name: "limit".into(),
        at: ReferencePosition::X(6.0 / 255.0),
        origin: DataOrigin::Elsewhere,
    });
    figure
}

fn crowd() -> Curves {
    let names: Vec<String> = (0..60).map(|i| format!("subject-{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut figure = curves(&names);
    for (i, series) in figure.series.iter_mut().enumerate() {
        series.style = (i < 5).then_some(i);
        for (j, point) in series.points.iter_mut().enumerate() {
            point.y =
                Some(0.9 - 0.1 * j as f64 - 0.004 * ((i * 7) % 60) as f64 * (j as f64).sqrt());
            point.interval = point.y.map(|y| (y - 0.02, y + 0.02));
        }
    }
    figure
}

fn forest() -> Forest {
    let row = |name: &str, value: f64, half: f64, stands: bool| ForestRow {
        name: name.into(),
        value: Some(value),
        interval: Some((value - half, value + half)),
        margins: vec![0.35],
        stands,
        origin: DataOrigin::Measured,
        words: format!(
            "{} [{}, {}]",
            sign(value),
            sign(value - half),
            sign(value + half)
        ),
        tip: name.into(),
    };
    let mut rows = vec![
        row("tri-objective − baseline at pgd 8/255", 0.42, 0.05, true),
        row("trades − baseline at pgd 8/255", 0.16, 0.21, false),
        row(
            &"a name of three hundred characters ".repeat(9),
            -0.11,
            0.06,
            true,
        ),
    ];
    rows.push(ForestRow {
        value: None,
        interval: None,
        words: "no class has both labels".into(),
        stands: false,
        ..rows[0].clone()
    });
    rows.push(ForestRow {
        origin: DataOrigin::Elsewhere,
        name: "expected by the brief".into(),
        stands: false,
        ..rows[0].clone()
    });
    let mut titles = titles(
        "Differences in accuracy",
        "difference in accuracy, points of share (right: better)",
        "",
    );
    titles.remark =
        "Paired on the same items; filled: the interval excludes zero. Dashed tick: the claim's margin."
            .into();
    let other = ForestRow {
        interval: Some((28.0, 71.0)),
        value: Some(43.5),
        margins: vec![3.0],
        ..rows[0].clone()
    };
    rows.push(ForestRow {
        name: "of another size".into(),
        words: "43.50 [28.00, 71.00]".into(),
        ..other
    });
    Forest {
        titles,
        zero: 0.0,
        breaks: vec![rows.len() - 1],
        rows,
    }
}

fn sign(value: f64) -> String {
    duress_core::number::signed(value)
}

fn bars(groups: usize, series: usize) -> Bars {
    let bar = |g: usize, s: usize| {
        let value = 0.3 + 0.6 * (((g * 5 + s * 3) % 11) as f64 / 11.0);
        (g + s != 4).then(|| Bar {
            spread: None,
            value,
            interval: Some((value - 0.06, value + 0.05)),
            tip: format!("{value:.3}"),
        })
    };
    let group = |g: usize| BarGroup {
        name: format!("class number {g}"),
        remark: format!("n = {}", 20 + g),
        bars: (0..series).map(|s| bar(g, s)).collect(),
    };
    Bars {
        titles: titles("Recall per class", "", "recall, share of items ↑ better"),
        ends: (Some(0.0), Some(1.0)),
        series: (0..series)
            .map(|s| BarSeries {
                name: format!("subject {s}"),
                key: s,
                style: s,
                origin: if s == 2 {
                    DataOrigin::Elsewhere
                } else {
                    DataOrigin::Measured
                },
            })
            .collect(),
        groups: (0..groups).map(group).collect(),
        references: vec![ReferenceLine {
            name: "chance".into(),
            at: ReferencePosition::Y(0.5),
            origin: DataOrigin::Measured,
        }],
    }
}

fn risk_coverage() -> Curves {
    let mut figure = curves(&[]);
    figure.titles.x = "coverage, share of items answered".into();
    figure.titles.y = "risk, share of the answered that is wrong ↓ lower is better".into();
    figure.ticks = Vec::new();
    figure.references = vec![ReferenceLine {
        name: "90 % coverage".into(),
        at: ReferencePosition::X(0.9),
        origin: DataOrigin::Measured,
    }];
    for (i, name) in ["baseline", "tri-objective"].into_iter().enumerate() {
        let error = 0.3 - 0.12 * i as f64;
        let plain = |thin: bool, name: &str, risk: &dyn Fn(f64) -> f64| CurveSeries {
            name: name.into(),
            key: i,
            style: Some(i),
            origin: DataOrigin::Measured,
            marked: false,
            thin,
            points: (1..=50)
                .map(|k| f64::from(k) / 50.0)
                .map(|c| Point {
                    spread: None,
                    x: c,
                    y: Some(risk(c)),
                    interval: None,
                    tip: String::new(),
                })
                .collect(),
        };
        figure.series.push(plain(false, name, &|c| error * c * c));
        figure.series.push(plain(true, "oracle", &|c| {
            ((c - (1.0 - error)) / c).max(0.0)
        }));
        figure.series.push(plain(true, "random", &|_| error));
    }
    figure
}

fn multiples() -> Multiples {
    let names = ["baseline", "trades", "tri-objective"];
    let panel = |i: usize| {
        let mut panel = curves(&names);
        panel.titles = Titles {
            title: format!("ladder number {i}"),
            y: "accuracy".into(),
            ..Titles::default()
        };
        panel
    };
    Multiples {
        titles: titles("Accuracy under five ladders", "", ""),
        panels: (0..5).map(panel).collect(),
        key: names
            .iter()
            .enumerate()
            .map(|(i, name)| ((*name).into(), i, i))
            .collect(),
    }
}

fn reliability(panels: usize) -> Reliability {
    let bin = |i: usize| {
        let low = i as f64 / 10.0;
        ReliabilityBin {
            range: (low, low + 0.1),
            n: (i * i * 4) as u64,
            point: (i > 1).then_some((low + 0.05, low * 0.9)),
        }
    };
    let panel = |i: usize| ReliabilityPanel {
        name: if i == 2 {
            "a long name ".repeat(25)
        } else {
            format!("subject {i}")
        },
        key: i,
        style: i,
        remarks: vec![
            "ECE 0.081 (seed 42)".into(),
            "mean 0.083 [0.060, 0.102], 3 seeds".into(),
        ],
        bins: (0..10).map(bin).collect(),
    };
    Reliability {
        titles: titles("Reliability, clean", "confidence", "share that is right"),
        panels: (0..panels).map(panel).collect(),
    }
}

fn tradeoff() -> Tradeoff {
    let subject = |i: usize, x: f64, y: f64| TradeoffSubject {
        name: [
            "baseline",
            "trades",
            "tri-objective",
            "mixup",
            "same as mixup",
        ][i]
            .into(),
        key: i,
        style: Some(i),
        origin: if i == 1 {
            DataOrigin::Elsewhere
        } else {
            DataOrigin::Measured
        },
        mean: (x, y),
        intervals: (Some((x - 0.03, x + 0.03)), Some((y - 0.06, y + 0.06))),
        seeds: vec![(x - 0.02, y + 0.02), (x + 0.02, y - 0.03), (x, y + 0.01)],
        words: format!("{x:.3} → {y:.3}"),
        tip: "a subject".into(),
    };
    Tradeoff {
        titles: titles(
            "Clean and pressed",
            "accuracy, clean ↑",
            "accuracy at pgd 8/255 ↑",
        ),
        higher: (true, true),
        ends: (Some(0.0), Some(1.0)),
        equal: "clean = robust".into(),
        subjects: vec![
            subject(0, 0.87, 0.12),
            subject(1, 0.6, 0.28),
            subject(2, 0.76, 0.55),
            subject(3, 0.82, 0.33),
            subject(4, 0.82, 0.33),
        ],
    }
}

fn heat() -> Heat {
    let cell = |i: usize| {
        let value = ((i * 7) % 24) as f64 / 24.0;
        (i != 5).then(|| HeatCell {
            value,
            words: duress_core::number::fixed(value, 2),
            tip: "a cell".into(),
        })
    };
    Heat {
        titles: titles("Accuracy everywhere", "severity", "subject"),
        rows: [
            "baseline",
            "tri-objective",
            "黑色素瘤分类器",
            &"long ".repeat(60),
        ]
        .map(String::from)
        .to_vec(),
        columns: ["0", "1/255", "2/255", "4/255", "0.1", "0.2", "0.4", "0.8"]
            .map(String::from)
            .to_vec(),
        groups: vec![(0, "pgd".into()), (4, "gaussian-noise".into())],
        cells: (0..32).map(cell).collect(),
        scale: HeatScale::Sequential(0.0, 1.0),
        shade: "shade: accuracy".into(),
    }
}

fn confusion(classes: usize) -> Heat {
    let cell = |i: usize| {
        let n = if i / classes == i % classes {
            50
        } else {
            (i * 7) % 5
        };
        Some(HeatCell {
            value: n as f64 / 60.0,
            words: n.to_string(),
            tip: "a cell".into(),
        })
    };
    Heat {
        titles: titles("Confusion, clean", "said", "true"),
        rows: (0..classes).map(|i| format!("class {i}")).collect(),
        columns: (0..classes).map(|i| format!("class {i}")).collect(),
        groups: Vec::new(),
        cells: (0..classes * classes).map(cell).collect(),
        scale: HeatScale::Sequential(0.0, 1.0),
        shade: "shade: accuracy".into(),
    }
}

/// Edges that were chosen more or less often.
fn shared_graphs(n: u32) -> Graphs {
    let mut graphs = graphs(n);
    for (_, edges) in &mut graphs.learned {
        for (at, (_, share)) in edges.iter_mut().enumerate() {
            *share = [1.0, 0.85, 0.6, 0.3, 0.12, 0.05][at % 6];
        }
    }
    graphs
}

fn graphs(n: u32) -> Graphs {
    let truth: Vec<(u32, u32)> = (0..n).map(|i| (i, (i * 5 + 1) % n)).collect();
    let wrong: Vec<(u32, u32)> = (0..n / 2).map(|i| (i, (i + 3) % n)).collect();
    let once = |edge: (u32, u32)| (edge, 1.0);
    let clean = truth.iter().copied().skip(1).map(once).collect();
    let pressed = truth
        .iter()
        .copied()
        .step_by(2)
        .chain(wrong)
        .map(once)
        .collect();
    Graphs {
        titles: titles("Learned beside true", "", ""),
        variables: (0..n)
            .map(|i| {
                if i == 2 {
                    "a long variable".into()
                } else {
                    format!("x{i}")
                }
            })
            .collect(),
        truth,
        learned: vec![("clean".into(), clean), ("missing 0.6".into(), pressed)],
    }
}
