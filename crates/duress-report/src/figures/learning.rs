//! How subjects were taught: the loss, what it was on what was held out, and the learning rate.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use duress_core::number;
use duress_figure::curve::{CurveSeries, Curves, DataOrigin, Point};
use duress_figure::frame::Titles;
use duress_figure::scene::Scene;
use duress_findings::Fitting;

use super::WIDTH;
use crate::digest::Digest;
use crate::words;

/// A figure for each thing that was watched; what was watched on items held out is thin, beside what
/// it is to be compared with.
pub(super) fn all(digest: &Digest<'_>) -> Vec<(String, Scene)> {
    let fittings = &digest.findings.fittings;
    let mut names: Vec<&str> = Vec::new();
    for series in fittings.iter().flat_map(|fitting| &fitting.curve.series) {
        if series.name != HELD_OUT && !names.contains(&series.name.as_str()) {
            names.push(&series.name);
        }
    }
    let drawn = |name: &str| (format!("fitting-{name}"), figure(digest, name).draw(WIDTH));
    names.into_iter().map(drawn).collect()
}

/// What the objective came to on items held out, and what it is shown beside.
const HELD_OUT: &str = "validation";
const TAUGHT: &str = "loss";

fn figure(digest: &Digest<'_>, name: &str) -> Curves {
    let fittings = &digest.findings.fittings;
    let step = fittings.first().map_or("step", |one| &one.curve.step);
    let mut series: Vec<CurveSeries> = Vec::new();
    for fitting in fittings {
        series.extend(line(digest, fitting, name, false));
        if name == TAUGHT {
            series.extend(line(digest, fitting, HELD_OUT, true));
        }
    }
    name_once(&mut series);
    let held_out = series.iter().any(|line| line.thin);
    let remark = match held_out {
        true => {
            "A line for each seed. Thin: the same objective on what was held out, which chose the epoch that was kept."
        }
        false => "A line for each seed.",
    };
    Curves {
        titles: Titles {
            title: words::capital(&format!("{name} while subjects were taught")),
            remark: remark.into(),
            x: step.to_string(),
            y: name.into(),
        },
        ticks: Vec::new(),
        ends: (Some(0.0), None),
        series,
        references: Vec::new(),
        reach: Vec::new(),
        tagged: true,
    }
}

/// Of the lines of one subject only the one that ends in the middle has its name beside it.
fn name_once(series: &mut [CurveSeries]) {
    let end = |line: &CurveSeries| line.points.last().and_then(|point| point.y);
    let names: BTreeSet<String> = series.iter().map(|line| line.name.clone()).collect();
    for name in names {
        let mut lines: Vec<&mut CurveSeries> = series
            .iter_mut()
            .filter(|line| line.name == name && !line.thin)
            .collect();
        lines.sort_by(|a, b| end(a).partial_cmp(&end(b)).unwrap_or(Ordering::Equal));
        let middle = lines.len() / 2;
        for (at, line) in lines.into_iter().enumerate() {
            if at != middle {
                line.name.clear();
            }
        }
    }
}

fn line(digest: &Digest<'_>, fitting: &Fitting, name: &str, thin: bool) -> Option<CurveSeries> {
    let curve = &fitting.curve;
    let watched = curve.series.iter().find(|series| series.name == name)?;
    let point = |(at, &value): (usize, &f64)| {
        let kept = match curve.kept == Some(at + 1) {
            true => ", kept",
            false => "",
        };
        Point {
            x: (at + 1) as f64,
            y: Some(value),
            interval: None,
            spread: None,
            tip: format!(
                "{}, seed {}: {name} {} in {} {}{kept}",
                fitting.subject,
                fitting.seed,
                number::short(value),
                curve.step,
                at + 1
            ),
        }
    };
    Some(CurveSeries {
        name: fitting.subject.to_string(),
        key: digest.key(&fitting.subject),
        style: digest.style(&fitting.subject),
        origin: DataOrigin::Measured,
        marked: false,
        thin,
        points: watched.values.iter().enumerate().map(point).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_has_its_name_once_beside_the_line_that_ends_in_the_middle() {
        let line = |name: &str, end: f64, thin: bool| CurveSeries {
            name: name.into(),
            key: 0,
            style: None,
            origin: DataOrigin::Measured,
            marked: false,
            thin,
            points: vec![Point {
                x: 1.0,
                y: Some(end),
                interval: None,
                spread: None,
                tip: String::new(),
            }],
        };
        let mut series = vec![
            line("a", 3.0, false),
            line("a", 1.0, false),
            line("b", 0.5, false),
            line("a", 2.0, false),
            line("a", 9.0, true),
        ];
        name_once(&mut series);
        let named: Vec<(&str, Option<f64>)> = series
            .iter()
            .filter(|line| !line.thin && !line.name.is_empty())
            .map(|line| (line.name.as_str(), line.points[0].y))
            .collect();
        assert_eq!(named, [("b", Some(0.5)), ("a", Some(2.0))]);
    }
}
