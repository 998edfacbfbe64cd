//! Draws statistics of data beside those of windows drawn from a fitted `rc-gnn`, from the lines that the
//! example `bar` of duress-graph prints when asked for `simulated`: `cargo run --release -p duress-graph
//! --example bar … simulated | cargo run -p duress-figure --example predictive > predictive.svg`.

use std::io::BufRead;

use duress_figure::curve::{CurveSeries, Curves, DataOrigin, Point};
use duress_figure::frame::Titles;
use duress_figure::multiples::Multiples;
use duress_figure::svg::{self, Dress};

/// One statistic: of the data, and the middle and the 95 % of what was drawn.
struct Compared {
    panel: String,
    real: f64,
    drawn: f64,
    within: (f64, f64),
}

fn main() {
    let lines: Vec<String> = std::io::stdin()
        .lock()
        .lines()
        .map(|line| line.expect("text"))
        .collect();
    let all: Vec<Compared> = lines.iter().filter_map(|line| compared(line)).collect();
    let mut panels: Vec<String> = Vec::new();
    for one in &all {
        if !panels.contains(&one.panel) {
            panels.push(one.panel.clone());
        }
    }
    let figure = Multiples {
        titles: Titles {
            title: "Data, and windows drawn from the fitted model".into(),
            remark: "Each statistic of each variable or pair, ordered by the data; the band holds 95 % of 20 sets of windows drawn."
                .into(),
            x: String::new(),
            y: String::new(),
        },
        panels: panels.iter().map(|panel| curves(panel, &all)).collect(),
        key: vec![("data".into(), 0, 0), ("drawn".into(), 1, 1)],
    };
    println!("{}", svg::write(&figure.draw(900.0), Dress::Alone));
}

/// The statistics of one panel, in the order of the data.
fn curves(panel: &str, all: &[Compared]) -> Curves {
    let mut own: Vec<&Compared> = all.iter().filter(|one| one.panel == panel).collect();
    own.sort_by(|a, b| a.real.total_cmp(&b.real));
    let outside = own
        .iter()
        .filter(|one| one.real < one.within.0 || one.real > one.within.1)
        .count();
    let point = |nth: usize, y: f64, interval: Option<(f64, f64)>| Point {
        x: nth as f64,
        y: Some(y),
        interval,
        spread: None,
        tip: format!("{y:.3}"),
    };
    let series = |name: &str, style: usize, points: Vec<Point>| CurveSeries {
        name: name.into(),
        key: style,
        style: Some(style),
        origin: DataOrigin::Measured,
        marked: style == 0 && own.len() < 40,
        thin: false,
        points,
    };
    let real = own.iter().enumerate();
    let drawn = own.iter().enumerate();
    Curves {
        titles: Titles {
            title: format!("{panel} ({outside} of {} outside)", own.len()),
            x: "ordered by the data".into(),
            ..Titles::default()
        },
        ticks: Vec::new(),
        ends: (None, None),
        series: vec![
            series(
                "data",
                0,
                real.map(|(nth, one)| point(nth, one.real, None)).collect(),
            ),
            series(
                "drawn",
                1,
                drawn
                    .map(|(nth, one)| point(nth, one.drawn, Some(one.within)))
                    .collect(),
            ),
        ],
        references: Vec::new(),
        reach: Vec::new(),
        tagged: false,
    }
}

/// A share of hundredths is not seen on a scale of spreads and correlations.
const TOO_SMALL: &str = "tails";

/// `drawn CONDITION SEED STATISTIC NTH REAL MIDDLE LOW HIGH`, parted by tabs.
fn compared(line: &str) -> Option<Compared> {
    let words: Vec<&str> = line.strip_prefix("drawn\t")?.split('\t').collect();
    let [condition, _, statistic, _, real, drawn, low, high] = words[..] else {
        return None;
    };
    if statistic == TOO_SMALL {
        return None;
    }
    Some(Compared {
        panel: format!("{condition}: {statistic}"),
        real: real.parse().ok()?,
        drawn: drawn.parse().ok()?,
        within: (low.parse().ok()?, high.parse().ok()?),
    })
}
