//! The two figures of learners under stress: the curve over missing values and the bars over corruptions,
//! both with the standard deviation over seeds beside the interval, and correlation as a line.

use duress_core::name::Name;
use duress_figure::curve::DataOrigin;
use duress_figure::reference::{ReferenceLine, ReferencePosition};
use duress_figure::scene::Scene;

use super::{WIDTH, across, curves};
use crate::digest::{Digest, Panel};
use crate::words::mean_and_sd;
use duress_findings::{Place, Under};

/// The learner that is a line in both figures: what a graph is worth that took no learning.
const BASELINE: &str = "correlation";

/// Directed F1, or another gauge, over the severities of one ladder.
pub(crate) fn missingness_figure(digest: &Digest<'_>, panel: &Panel<'_>) -> Scene {
    let gauge = &panel.gauge.name;
    let mut figure = curves::panel_curves(digest, panel);
    let ends = figure.ends;
    for (series, curve) in figure.series.iter_mut().zip(&panel.curves) {
        for (drawn, point) in series.points.iter_mut().zip(&curve.points) {
            let under = match point.severity.is_clean() {
                true => Under::Clean,
                false => Under::Rung {
                    ladder: curve.ladder.clone(),
                    severity: point.severity.clone(),
                },
            };
            let place = Place {
                subject: curve.subject.clone(),
                dataset: curve.dataset.clone(),
                under,
            };
            drawn.spread = spread(digest, gauge, &place, ends);
        }
    }
    let line = baseline(digest, gauge, Some(panel.dataset));
    figure.references.extend(line);
    figure.titles.remark += " Whiskers: one standard deviation over seeds.";
    figure.draw(WIDTH)
}

/// Bars over clean and the conditions that have a name of their own; none where there is no such
/// condition.
pub(crate) fn corruption_figure(digest: &Digest<'_>, gauge: &str) -> Option<Scene> {
    let card = digest
        .findings
        .gauges
        .iter()
        .find(|card| card.name == gauge)?;
    let pressed = digest.findings.estimates.iter().any(|estimate| {
        estimate.gauge == gauge && matches!(estimate.place.under, Under::Condition(_))
    });
    let mut bars = pressed
        .then(|| across::conditions(digest, card))
        .flatten()?;
    let place = |name: &str| {
        digest
            .findings
            .conditions
            .iter()
            .position(|card| card.name.as_str() == name)
    };
    bars.groups.sort_by_key(|group| place(&group.name));
    for estimate in &digest.findings.estimates {
        let Place {
            subject,
            dataset,
            under,
        } = &estimate.place;
        let group = bars.groups.iter_mut().find(|group| {
            let on = group.remark.is_empty() || group.remark == dataset.as_str();
            on && group.name == under.to_string()
        });
        let at = bars
            .series
            .iter()
            .position(|series| series.name == subject.as_str());
        if let (true, Some(group), Some(at)) = (estimate.gauge == gauge, group, at)
            && let Some(bar) = &mut group.bars[at]
        {
            bar.spread = spread(digest, gauge, &estimate.place, bars.ends);
        }
    }
    across::expect(&mut bars, digest, card);
    bars.references.extend(baseline(digest, gauge, None));
    bars.titles.remark += " Broad strokes: one standard deviation over seeds.";
    Some(bars.draw(WIDTH))
}

/// One standard deviation over seeds to either side of their mean, as far as the scale goes.
fn spread(
    digest: &Digest<'_>,
    gauge: &str,
    place: &Place,
    (lowest, highest): (Option<f64>, Option<f64>),
) -> Option<(f64, f64)> {
    let by_seed = &digest.estimate(gauge, place)?.by_seed;
    let values: Vec<f64> = by_seed
        .iter()
        .filter_map(|(_, reading)| reading.value())
        .collect();
    let (mean, sd) = mean_and_sd(&values);
    let (mean, sd) = (mean?, sd?);
    let low = lowest.map_or(mean - sd, |end| end.max(mean - sd));
    let high = highest.map_or(mean + sd, |end| end.min(mean + sd));
    Some((low, high))
}

/// What correlation reads without stress, on this dataset or on the one it was fitted on.
fn baseline(digest: &Digest<'_>, gauge: &str, on: Option<&Name>) -> Option<ReferenceLine> {
    let card = digest
        .findings
        .subjects
        .iter()
        .find(|card| card.part == BASELINE && on.is_none_or(|dataset| card.on == *dataset))?;
    let place = Place {
        subject: card.name.clone(),
        dataset: card.on.clone(),
        under: Under::Clean,
    };
    let value = digest.estimate(gauge, &place)?.quantity.value.value()?;
    Some(ReferenceLine {
        name: format!("{BASELINE}, unstressed"),
        at: ReferencePosition::Y(value),
        origin: DataOrigin::Measured,
    })
}
