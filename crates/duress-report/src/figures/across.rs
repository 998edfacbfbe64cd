//! Figures across places: clean against pressed, everything at a glance, bars over conditions,
//! graphs.

use std::collections::HashMap;

use duress_core::gauge::Direction;
use duress_core::name::Name;
use duress_core::number::{self, NumberFormat};
use duress_figure::bars::{Bar, BarGroup, BarSeries, Bars};
use duress_figure::curve::DataOrigin;
use duress_figure::frame::Titles;
use duress_figure::graph::Graphs;
use duress_figure::heat::{Heat, HeatCell, HeatScale};
use duress_figure::reference::{ReferenceLine, ReferencePosition};
use duress_figure::tradeoff::{Tradeoff, TradeoffSubject};

use super::curves::{doubted, ends, ends_of};
use super::details::{MOST_BARS, bar_series};
use crate::digest::{Digest, Panel};
use crate::words;
use duress_findings::{
    Estimate, Exhibit, Expectation, GaugeCard, Place, Quantity, Range, Sight, Under,
};

/// Rows and columns of a heat map that can still be read.
const ROWS: usize = 32;
const COLUMNS: usize = 26;

/// Every subject's clean value against its value at the hardest rung.
pub(super) fn tradeoff(digest: &Digest<'_>, panel: &Panel<'_>) -> Option<Tradeoff> {
    let hardest = panel
        .ladder
        .severities
        .last()
        .filter(|severity| !severity.is_clean())?;
    let under = Under::Rung {
        ladder: panel.ladder.name.clone(),
        severity: hardest.clone(),
    };
    let place = |subject: &Name, under: &Under| Place {
        subject: subject.clone(),
        dataset: panel.dataset.clone(),
        under: under.clone(),
    };
    let gauge = panel.gauge;
    let subject = |name: &Name| {
        let clean = digest.estimate(&gauge.name, &place(name, &Under::Clean))?;
        let pressed = digest.estimate(&gauge.name, &place(name, &under))?;
        measured(digest, name, clean, pressed)
    };
    let mut subjects: Vec<TradeoffSubject> = panel
        .curves
        .iter()
        .filter_map(|curve| subject(&curve.subject))
        .collect();
    if subjects.len() < 2 {
        return None;
    }
    for curve in &panel.curves {
        let expected = |under: &Under| {
            let place = place(&curve.subject, under);
            digest
                .findings
                .expectations
                .iter()
                .find(|e| e.gauge == gauge.name && e.place == place)
        };
        if let (Some(clean), Some(pressed)) = (expected(&Under::Clean), expected(&under)) {
            subjects.push(expected_subject(digest, &curve.subject, clean, pressed));
        }
    }
    let higher = match gauge.scale.direction {
        Direction::Higher => true,
        Direction::Lower => false,
        // Where neither way is better nothing is traded.
        Direction::Neither => return None,
    };
    let (arrow, pressed) = (
        words::direction(gauge),
        format!("at {} {hardest}", panel.ladder.name),
    );
    let quantities = panel
        .curves
        .iter()
        .flat_map(|curve| &curve.points)
        .map(|point| &point.quantity);
    Some(Tradeoff {
        titles: Titles {
            title: format!(
                "{}: clean against {} {hardest}",
                gauge.name, panel.ladder.name
            ),
            remark: format!(
                "Small: each seed. Large: the mean, with its interval both ways. Numbers: clean → {} {hardest}.{}",
                panel.ladder.name,
                doubted(digest, panel)
            ),
            x: format!("{}, clean {arrow}", gauge.name),
            y: format!("{} {pressed} {arrow}", gauge.name),
        },
        higher: (higher, higher),
        ends: ends(gauge, quantities),
        equal: "clean = robust".into(),
        subjects,
    })
}

fn measured(
    digest: &Digest<'_>,
    name: &Name,
    clean: &Estimate,
    pressed: &Estimate,
) -> Option<TradeoffSubject> {
    let mean = (
        clean.quantity.value.value()?,
        pressed.quantity.value.value()?,
    );
    let ends = |quantity: &Quantity| {
        quantity
            .interval
            .as_ref()
            .ok()
            .map(|range: &Range| (range.low, range.high))
    };
    let by_seed: HashMap<u64, f64> = pressed
        .by_seed
        .iter()
        .filter_map(|(seed, reading)| Some((*seed, reading.value()?)))
        .collect();
    let seeds = clean
        .by_seed
        .iter()
        .filter_map(|(seed, reading)| Some((reading.value()?, *by_seed.get(seed)?)));
    Some(TradeoffSubject {
        name: name.to_string(),
        key: digest.key(name),
        style: digest.style(name),
        origin: DataOrigin::Measured,
        mean,
        intervals: (ends(&clean.quantity), ends(&pressed.quantity)),
        seeds: seeds.collect(),
        words: from_to(mean),
        tip: format!(
            "{name}: clean {}, pressed {}",
            words::quantity(&clean.quantity),
            words::quantity(&pressed.quantity)
        ),
    })
}

fn expected_subject(
    digest: &Digest<'_>,
    name: &Name,
    clean: &Expectation,
    pressed: &Expectation,
) -> TradeoffSubject {
    TradeoffSubject {
        name: format!("{name}, {}", clean.source),
        key: digest.key(name),
        style: digest.style(name),
        origin: DataOrigin::Elsewhere,
        mean: (
            f64::midpoint(clean.low, clean.high),
            f64::midpoint(pressed.low, pressed.high),
        ),
        intervals: (
            Some((clean.low, clean.high)),
            Some((pressed.low, pressed.high)),
        ),
        seeds: Vec::new(),
        words: from_to((
            f64::midpoint(clean.low, clean.high),
            f64::midpoint(pressed.low, pressed.high),
        )),
        tip: format!("expected by {}, not measured", clean.source),
    }
}

fn from_to((clean, pressed): (f64, f64)) -> String {
    let digits = NumberFormat::alike(&[clean, pressed]);
    format!("{} → {}", digits.write(clean), digits.write(pressed))
}

/// Subjects by rungs, all ladders side by side.
pub(super) fn heat(digest: &Digest<'_>, gauge: &GaugeCard, panels: &[&Panel<'_>]) -> Option<Heat> {
    let mut columns = Vec::new();
    let mut groups = Vec::new();
    for panel in panels {
        if columns.len() + panel.ladder.severities.len() > COLUMNS {
            break;
        }
        let name = match digest.several_datasets() {
            true => format!("{}, {}", panel.ladder.name, panel.dataset),
            false => panel.ladder.name.to_string(),
        };
        groups.push((columns.len(), name));
        columns.extend(
            panel
                .ladder
                .severities
                .iter()
                .map(|severity| (*panel, severity)),
        );
    }
    if groups.len() < 2 {
        return None;
    }
    // A subject that was asked nothing here would only be a row of gaps.
    let asked = |name: &&Name| {
        columns
            .iter()
            .any(|(panel, _)| panel.curves.iter().any(|c| c.subject == **name))
    };
    let rows: Vec<&Name> = digest
        .findings
        .subjects
        .iter()
        .map(|subject| &subject.name)
        .filter(asked)
        .take(ROWS)
        .collect();
    if rows.len() < 2 {
        return None;
    }
    let mut cells = Vec::new();
    let mut doubts = Vec::new();
    for subject in &rows {
        for (panel, severity) in &columns {
            let curve = panel.curves.iter().find(|curve| curve.subject == **subject);
            let is_doubted = curve.is_some_and(|curve| digest.is_doubted(curve));
            doubts.push(is_doubted && !severity.is_clean());
            let point = curve.and_then(|curve| {
                curve
                    .points
                    .iter()
                    .find(|point| point.severity == **severity)
            });
            cells.push(point.and_then(|point| {
                let value = point.quantity.value.value()?;
                let tip = format!(
                    "{subject}, {} {severity}: {}",
                    panel.ladder.name,
                    words::quantity(&point.quantity)
                );
                Some(HeatCell {
                    value,
                    words: String::new(),
                    tip,
                })
            }));
        }
    }
    let values: Vec<f64> = cells
        .iter()
        .flatten()
        .map(|cell: &HeatCell| cell.value)
        .collect();
    let digits = NumberFormat::alike(&values);
    for (cell, &is_doubted) in cells.iter_mut().zip(&doubts) {
        if let Some(cell) = cell {
            let mark = if is_doubted { "†" } else { "" };
            cell.words = format!("{}{mark}", digits.write(cell.value));
        }
    }
    let of_doubts = match doubts.contains(&true) {
        true => " † Doubted by the attack itself.",
        false => "",
    };
    let values = values.iter().copied();
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
        (l.min(v), h.max(v))
    });
    let scale = match (low <= high, low >= 0.0 && high <= 1.0) {
        (false, _) | (_, true) => HeatScale::Sequential(0.0, 1.0),
        (true, false) => HeatScale::Sequential(low, high),
    };
    let left_out = match (
        digest.findings.subjects.len() > ROWS,
        groups.len() < panels.len(),
    ) {
        (false, false) => "",
        _ => " What does not fit is in the tables.",
    };
    Some(Heat {
        titles: Titles {
            title: format!("{} at a glance", gauge.name),
            remark: format!("{}.{left_out}{of_doubts}", words::axis(gauge)),
            x: "severity".into(),
            y: "subject".into(),
        },
        rows: rows.iter().map(ToString::to_string).collect(),
        columns: columns
            .iter()
            .map(|(_, severity)| severity.to_string())
            .collect(),
        groups,
        cells,
        scale,
        shade: format!("shade: {}", gauge.name),
    })
}

/// Bars over clean and the conditions that have a name of their own.
pub(super) fn conditions(digest: &Digest<'_>, gauge: &GaugeCard) -> Option<Bars> {
    let unders: Vec<(&Name, &Under)> = digest.unders(&gauge.name);
    let unders: Vec<_> = unders
        .into_iter()
        .filter(|(_, under)| matches!(under, Under::Clean | Under::Condition(_)))
        .collect();
    if unders.len() < 2 {
        return None;
    }
    let subjects = digest
        .findings
        .subjects
        .iter()
        .filter(|subject| digest.style(&subject.name).is_some());
    let names: Vec<&Name> = subjects.map(|subject| &subject.name).collect();
    let find = |name: &Name, dataset: &Name, under: &Under| {
        let place = Place {
            subject: name.clone(),
            dataset: dataset.clone(),
            under: under.clone(),
        };
        digest.estimate(&gauge.name, &place)
    };
    let quantities = digest
        .findings
        .estimates
        .iter()
        .filter(|e| e.gauge == gauge.name)
        .map(|e| &e.quantity);
    let ends = ends(gauge, quantities);
    let (low, high) = (
        ends.0.unwrap_or(f64::NEG_INFINITY),
        ends.1.unwrap_or(f64::INFINITY),
    );
    let bar = |estimate: &Estimate| {
        let interval = estimate.quantity.interval.as_ref().ok();
        Some(Bar {
            spread: None,
            value: estimate.quantity.value.value()?,
            interval: interval.map(|range| (range.low.max(low), range.high.min(high))),
            tip: format!(
                "{}: {}",
                estimate.place.in_words(digest.several_datasets()),
                words::quantity(&estimate.quantity)
            ),
        })
    };
    let group = |(dataset, under): &(&Name, &Under)| BarGroup {
        name: under.to_string(),
        remark: if digest.several_datasets() {
            dataset.to_string()
        } else {
            String::new()
        },
        bars: names
            .iter()
            .map(|name| find(name, dataset, under).and_then(bar))
            .collect(),
    };
    let first = |name: &&&Name| {
        unders
            .iter()
            .find_map(|(dataset, under)| find(name, dataset, under))
    };
    // The groups say the dataset.
    let plainly = |e: &Estimate| BarSeries {
        name: e.place.subject.to_string(),
        ..bar_series(digest, e)
    };
    let series: Vec<_> = names
        .iter()
        .filter_map(|name| first(&name))
        .map(plainly)
        .collect();
    let asked = |(dataset, under): &(&Name, &Under)| {
        names
            .iter()
            .filter(|name| find(name, dataset, under).is_some())
            .count()
    };
    // Where most subjects were asked about datasets of their own, bars would be gaps for the most
    // part.
    if names.len() > MOST_BARS
        || 2 * unders.iter().map(asked).sum::<usize>() < names.len() * unders.len()
    {
        return None;
    }
    (series.len() == names.len()).then(|| Bars {
        titles: Titles {
            title: format!("{} under each condition", gauge.name),
            remark: format!(
                "Error bars are the intervals of the table, as far as the scale goes. A dash: no value.{}",
                digest.left_out()
            ),
            x: String::new(),
            y: words::axis(gauge),
        },
        ends,
        series,
        groups: unders.iter().map(group).collect(),
        references: Vec::new(),
    })
}

/// Puts what was expected beside what was measured, as bars of their own kind.
pub(super) fn expect(bars: &mut Bars, digest: &Digest<'_>, gauge: &GaugeCard) {
    let expected: Vec<&Expectation> = digest
        .findings
        .expectations
        .iter()
        .filter(|one| one.gauge == gauge.name)
        .collect();
    let mut subjects: Vec<&Name> = expected.iter().map(|one| &one.place.subject).collect();
    subjects.dedup();
    for subject in subjects {
        bars.series.push(BarSeries {
            name: expected
                .iter()
                .find(|one| one.place.subject == *subject)
                .map_or(String::new(), |one| one.source.clone()),
            key: digest.key(subject),
            style: digest.style(subject).unwrap_or(0),
            origin: DataOrigin::Elsewhere,
        });
        for group in &mut bars.groups {
            let here = |one: &&&Expectation| {
                let on = group.remark.is_empty() || group.remark == one.place.dataset.as_str();
                one.place.subject == *subject && on && one.place.under.to_string() == group.name
            };
            group.bars.push(expected.iter().find(here).map(|one| Bar {
                spread: None,
                value: f64::midpoint(one.low, one.high),
                interval: (one.low < one.high).then_some((one.low, one.high)),
                tip: format!("expected by {}, not measured", one.source),
            }));
        }
    }
}

/// Bars of some gauges without stress, one group for each gauge.
pub(super) fn gauges(digest: &Digest<'_>, gauges: &[&str]) -> Option<Bars> {
    let first = gauges
        .first()
        .map(|gauge| clean(digest, gauge))
        .filter(|found| !found.is_empty())?;
    let bar = |gauge: &str, place: &Place| {
        let quantity = &digest.estimate(gauge, place)?.quantity;
        Some(Bar {
            spread: None,
            value: quantity.value.value()?,
            interval: quantity
                .interval
                .as_ref()
                .ok()
                .map(|range| (range.low, range.high)),
            tip: format!("{gauge}: {}", words::quantity(quantity)),
        })
    };
    let group = |gauge: &&str| BarGroup {
        name: (*gauge).to_owned(),
        remark: String::new(),
        bars: first
            .iter()
            .map(|estimate| bar(gauge, &estimate.place))
            .collect(),
    };
    let known = |gauge: &&str| {
        digest
            .findings
            .gauges
            .iter()
            .find(|card| card.name == *gauge)
    };
    let cards: Vec<&GaugeCard> = gauges.iter().filter_map(known).collect();
    let values = gauges.iter().flat_map(|gauge| clean(digest, gauge));
    let values = values.filter_map(|estimate| estimate.quantity.value.value());
    let better = cards.first().map_or("", |card| words::direction(card));
    Some(Bars {
        titles: Titles {
            title: gauges.join(" and "),
            remark: format!("Without stress. {} A dash: no value.", error_bars(&first)),
            x: String::new(),
            y: better.into(),
        },
        ends: ends_of(
            cards.first().map_or((None, None), |card| card.scale.ends),
            values,
        ),
        series: first
            .iter()
            .map(|estimate| bar_series(digest, estimate))
            .collect(),
        groups: gauges.iter().map(group).collect(),
        references: Vec::new(),
    })
}

/// What the error bars of these estimates are.
fn error_bars(estimates: &[&Estimate]) -> String {
    let range = estimates
        .iter()
        .find_map(|estimate| estimate.quantity.interval.as_ref().ok());
    range.map_or_else(String::new, |range| {
        format!(
            "Error bars are {} % intervals.",
            number::tidy(100.0 * range.level)
        )
    })
}

/// A gauge without stress, for every subject that has a colour.
fn clean<'a>(digest: &Digest<'a>, gauge: &str) -> Vec<&'a Estimate> {
    digest.coloured(gauge, &Under::Clean).collect()
}

/// The mean of a gauge over the subjects, without stress, as a line to compare with.
pub(super) fn mean_line(digest: &Digest<'_>, gauge: &str, name: &str) -> Option<ReferenceLine> {
    let values = clean(digest, gauge);
    let values: Vec<f64> = values
        .iter()
        .filter_map(|estimate| estimate.quantity.value.value())
        .collect();
    let mean = words::mean_and_sd(&values).0?;
    Some(ReferenceLine {
        name: name.into(),
        at: ReferencePosition::Y(mean),
        origin: DataOrigin::Measured,
    })
}

/// An exhibit's graph: learned beside true.
pub(super) fn graphs(digest: &Digest<'_>, exhibit: &Exhibit) -> Option<Graphs> {
    let Sight::Graph {
        variables,
        truth,
        clean,
        pressed,
        shares,
    } = &exhibit.sight
    else {
        return None;
    };
    let known = |edges: &[(u32, u32)]| {
        let within = |edge: &&(u32, u32)| (edge.0.max(edge.1) as usize) < variables.len();
        edges.iter().filter(within).copied().collect::<Vec<_>>()
    };
    Some(Graphs {
        titles: Titles {
            title: format!(
                "Learned beside true: {}",
                exhibit.place.in_words(digest.several_datasets())
            ),
            remark: match shares {
                None => format!("{}, seed {}.", exhibit.item, exhibit.seed),
                Some(shares) => format!(
                    "{}, {} seeds: drawn as found or not true where at least half of them chose it, the wider the more did.",
                    exhibit.item, shares.seeds
                ),
            },
            ..Titles::default()
        },
        variables: variables.clone(),
        truth: known(truth),
        learned: match shares {
            None => {
                let plain = |edges: &[(u32, u32)]| {
                    known(edges).into_iter().map(|edge| (edge, 1.0)).collect()
                };
                vec![
                    ("clean".into(), plain(clean)),
                    (exhibit.place.under.to_string(), plain(pressed)),
                ]
            }
            Some(shares) => {
                let inside = |((from, to), _): &&((u32, u32), f64)| {
                    (*from.max(to) as usize) < variables.len()
                };
                let sure = |all: &[((u32, u32), f64)]| all.iter().filter(inside).copied().collect();
                vec![
                    ("clean".into(), sure(&shares.clean)),
                    (exhibit.place.under.to_string(), sure(&shares.pressed)),
                ]
            }
        },
    })
}
