//! How subjects were taught: the loss, what it was on what was held out, and the learning rate.

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
