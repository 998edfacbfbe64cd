//! Curves over severity, one figure per gauge and ladder, or small multiples where there are many
//! ladders.

use duress_core::gauge::{Ends, SHARE};
use duress_core::name::Name;
use duress_core::number;
use duress_core::severity::Severity;
use duress_figure::curve::{CurveSeries, Curves, DataOrigin, Point};
use duress_figure::frame::Titles;
use duress_figure::multiples::Multiples;
use duress_figure::reference::{ReferenceLine, ReferencePosition};

use crate::digest::{Digest, Panel};
use crate::words;
use duress_findings::{Curve, Expectation, GaugeCard, Quantity, Under};

/// The panels of one gauge on one scale.
pub(super) fn multiples(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    panels: &[&Panel<'_>],
) -> Multiples {
    let small = |panel: &&Panel<'_>| {
        let mut curves = panel_curves(digest, panel);
        let title = match digest.several_datasets() {
            true => format!("{}, {}", panel.ladder.name, panel.dataset),
            false => panel.ladder.name.to_string(),
        };
        curves.titles.title = words::marked(&title, has_doubted(digest, panel));
        curves.titles.x = panel.ladder.unit.clone();
        curves.titles.remark = String::new();
        curves.titles.y = String::new();
        curves
    };
    // Who was not asked here needs no entry in the key.
    let asked = |name: &Name| {
        panels
            .iter()
            .flat_map(|panel| &panel.curves)
            .any(|curve| curve.subject == *name)
    };
    let here = || {
        digest
            .findings
            .subjects
            .iter()
            .filter(|subject| asked(&subject.name))
    };
    let named = here().filter_map(|subject| Some((subject, digest.style(&subject.name)?)));
    let basis = panels
        .first()
        .and_then(|panel| basis(panel))
        .unwrap_or_default();
    let crowd = here().count() - named.clone().count();
    let others = if crowd > 0 {
        format!(" Grey: {crowd} others.")
    } else {
        String::new()
    };
    let mut levels: Vec<String> = Vec::new();
    for level in panels
        .iter()
        .flat_map(|panel| digest.levels(&gauge.name, panel.dataset))
    {
        let words = format!(
            " Dashed and level: {}, {}.",
            level.name,
            number::tidy(level.value)
        );
        if !levels.contains(&words) {
            levels.push(words);
        }
    }
    let levels = levels.concat();
    let doubts = match panels.iter().any(|panel| has_doubted(digest, panel)) {
        true => " † Of some subjects doubted by the attack itself.",
        false => "",
    };
    Multiples {
        titles: Titles {
            title: format!("{} under every ladder", gauge.name),
            remark: format!(
                "{}, over severity. {basis}{others}{levels}{doubts}",
                words::axis(gauge)
            ),
            ..Titles::default()
        },
        panels: panels.iter().map(small).collect(),
        key: named
            .map(|(subject, style)| (subject.name.to_string(), digest.key(&subject.name), style))
            .collect(),
    }
}

/// What the numbers of a panel rest on: n of all its points, and how the intervals of the last were
/// made.
fn basis(panel: &Panel<'_>) -> Option<String> {
    let points = || {
        panel
            .curves
            .iter()
            .flat_map(|curve| &curve.points)
            .map(|point| &point.quantity)
    };
    let last = panel.curves.first().and_then(|curve| curve.points.last())?;
    let defined = || points().filter(|quantity| quantity.value.value().is_some());
    let (least, most) = (
        defined().map(|q| q.items).min()?,
        defined().map(|q| q.items).max()?,
    );
    let words = words::basis(&last.quantity);
    if least == most {
        return Some(format!("{words}."));
    }
    let range = format!(
        "n = {} to {}",
        number::count(least as u64),
        words::counted(most, "item")
    );
    let own = format!("n = {}", words::counted(last.quantity.items, "item"));
    Some(format!("{}.", words.replacen(&own, &range, 1)))
}

/// The natural ends of a gauge's axis: its own.
pub(super) fn ends<'a>(gauge: &GaugeCard, quantities: impl Iterator<Item = &'a Quantity>) -> Ends {
    ends_of(
        gauge.scale.ends,
        quantities.filter_map(|quantity| quantity.value.value()),
    )
}

/// The ends a gauge says it has; where it says none, values between 0 and 1 are taken for shares.
pub(super) fn ends_of(known: Ends, mut values: impl Iterator<Item = f64>) -> Ends {
    match known {
        (None, None) if values.all(|value| (0.0..=1.0).contains(&value)) => SHARE,
        known => known,
    }
}

pub(super) fn panel_curves(digest: &Digest<'_>, panel: &Panel<'_>) -> Curves {
    let severities: Vec<&Severity> = panel.ladder.severities.iter().collect();
    let points = panel.curves.iter().flat_map(|curve| &curve.points);
    let ends = ends(panel.gauge, points.map(|point| &point.quantity));
    let mut series: Vec<CurveSeries> = panel
        .curves
        .iter()
        .map(|curve| curve_series(digest, curve))
        .collect();
    let within = within(&mut series, ends);
    series.extend(expected_series(digest, panel));
    let references = digest
        .levels(&panel.gauge.name, panel.dataset)
        .map(|level| ReferenceLine {
            name: level.name.clone(),
            at: ReferencePosition::Y(level.value),
            origin: DataOrigin::Measured,
        });
    let on = if digest.several_datasets() {
        format!(" on {}", panel.dataset)
    } else {
        String::new()
    };
    Curves {
        titles: Titles {
            title: format!("{} under {}{on}", panel.gauge.name, panel.ladder.name),
            remark: format!(
                "{}{within}{}",
                basis(panel).unwrap_or_default(),
                doubted(digest, panel)
            ),
            x: format!("severity of {}: {}", panel.ladder.name, panel.ladder.unit),
            y: words::axis(panel.gauge),
        },
        ticks: severities
            .iter()
            .map(|severity| (severity.value(), severity.to_string()))
            .collect(),
        ends,
        series,
        references: references.collect(),
        reach: Vec::new(),
        tagged: true,
    }
}

fn has_doubted(digest: &Digest<'_>, panel: &Panel<'_>) -> bool {
    panel.curves.iter().any(|curve| digest.is_doubted(curve))
}

/// Whose curves the attack itself doubts.
pub(super) fn doubted(digest: &Digest<'_>, panel: &Panel<'_>) -> String {
    let names: Vec<&str> = panel
        .curves
        .iter()
        .filter(|curve| digest.is_doubted(curve))
        .map(|curve| curve.subject.as_str())
        .collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(" Doubted by the attack itself (†): {}.", names.join(", ")),
    }
}

/// Draws intervals no farther than the scale goes, and says so: the tables have all of them.
fn within(series: &mut [CurveSeries], (low, high): Ends) -> &'static str {
    let mut cut = false;
    for (from, to) in series
        .iter_mut()
        .flat_map(|one| &mut one.points)
        .filter_map(|p| p.interval.as_mut())
    {
        let was_from = *from;
        let was_to = *to;
        *from = from.max(low.unwrap_or(f64::NEG_INFINITY));
        *to = to.min(high.unwrap_or(f64::INFINITY));
        cut |= (*from, *to) != (was_from, was_to);
    }
    if cut {
        " Intervals are drawn as far as the scale goes."
    } else {
        ""
    }
}

fn curve_series(digest: &Digest<'_>, curve: &Curve) -> CurveSeries {
    let point = |severity: &Severity, quantity: &Quantity| Point {
        spread: None,
        x: severity.value(),
        y: quantity.value.value(),
        interval: quantity
            .interval
            .as_ref()
            .ok()
            .map(|range| (range.low, range.high)),
        tip: format!(
            "{}, {} {severity}: {} {}",
            curve.subject,
            curve.ladder,
            curve.gauge,
            words::quantity(quantity)
        ),
    };
    let style = digest.style(&curve.subject);
    CurveSeries {
        name: curve.subject.to_string(),
        key: digest.key(&curve.subject),
        style,
        origin: DataOrigin::Measured,
        marked: style.is_some(),
        thin: false,
        points: curve
            .points
            .iter()
            .map(|p| point(&p.severity, &p.quantity))
            .collect(),
    }
}

/// What was expected along a ladder, one series for each subject and source.
fn expected_series(digest: &Digest<'_>, panel: &Panel<'_>) -> Vec<CurveSeries> {
    let mut series: Vec<CurveSeries> = Vec::new();
    for expectation in &digest.findings.expectations {
        let Some(x) = expected_at(expectation, panel) else {
            continue;
        };
        let name = format!("{}, {}", expectation.place.subject, expectation.source);
        let middle = f64::midpoint(expectation.low, expectation.high);
        let tip = format!(
            "expected, not measured: {name}: {} to {}",
            number::short(expectation.low),
            number::short(expectation.high)
        );
        let point = Point {
            spread: None,
            x,
            y: Some(middle),
            interval: Some((expectation.low, expectation.high)),
            tip,
        };
        match series.iter_mut().find(|series| series.name == name) {
            Some(series) => series.points.push(point),
            None => series.push(CurveSeries {
                name,
                key: digest.key(&expectation.place.subject),
                style: digest.style(&expectation.place.subject),
                origin: DataOrigin::Elsewhere,
                marked: true,
                thin: false,
                points: vec![point],
            }),
        }
    }
    for series in &mut series {
        series.points.sort_by(|a, b| a.x.total_cmp(&b.x));
    }
    series
}

fn expected_at(expectation: &Expectation, panel: &Panel<'_>) -> Option<f64> {
    if expectation.gauge != panel.gauge.name || expectation.place.dataset != *panel.dataset {
        return None;
    }
    match &expectation.place.under {
        Under::Clean => Some(0.0),
        Under::Rung { ladder, severity } if *ladder == panel.ladder.name => Some(severity.value()),
        _ => None,
    }
}
