//! Matrices of one subject each: confusion, and what a gate of two thresholds lets through.

use duress_core::gauge::{Accepted, Detail, Gated, Grid, GridCell};
use duress_core::number;
use duress_figure::frame::Titles;
use duress_figure::heat::{Heat, HeatCell, HeatScale};
use duress_figure::scene::Scene;

use super::WIDTH;
use super::details::whose;
use crate::digest::Digest;
use crate::words;
use duress_findings::{Estimate, GaugeCard, Under};

/// Matrices of this many subjects are drawn; the rest is in the findings.
const MATRICES: usize = 4;
/// Beyond this many classes a matrix would be dust.
const CLASSES: usize = 40;

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
        figure.titles.title = format!("{what}, {}, {}", whose(digest, estimate), under);
        let subject = &estimate.place.subject;
        let file = match digest.several_datasets() {
            true => format!("{kind}-{subject}-{}", estimate.place.dataset),
            false => format!("{kind}-{subject}"),
        };
        Some((file, figure.draw(WIDTH)))
    };
    estimates.iter().take(MATRICES).filter_map(draw).collect()
}

/// Counts of true and said classes, over all seeds, one heat map per subject.
pub(super) fn confusions(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Vec<(String, Scene)> {
    heats(
        digest,
        under,
        estimates,
        ("matrix", "Confusion"),
        |estimate| {
            let Some(Detail::Matrix { names, .. }) = estimate.detail() else {
                return None;
            };
            let size = names.len();
            if size == 0 || size > CLASSES {
                return None;
            }
            let of_seeds = estimate
                .details
                .iter()
                .filter_map(|(_, detail)| match detail {
                    Detail::Matrix {
                        names: these,
                        counts,
                    } if these == names && counts.len() == size * size => Some(counts),
                    _ => None,
                });
            let mut counts = vec![0; size * size];
            let mut seeds = 0;
            for of_seed in of_seeds {
                counts
                    .iter_mut()
                    .zip(of_seed)
                    .for_each(|(sum, n)| *sum += n);
                seeds += 1;
            }
            let cell = |(i, &n): (usize, &u64)| {
                let row: u64 = counts[i / size * size..][..size].iter().sum();
                let tip = format!(
                    "true {}, said {}: {n} of {row}",
                    names[i / size],
                    names[i % size]
                );
                (row > 0).then(|| HeatCell {
                    value: n as f64 / row as f64,
                    words: number::count(n),
                    tip,
                })
            };
            let over = if seeds > 1 {
                format!(" of {seeds} seeds together")
            } else {
                String::new()
            };
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
                scale: HeatScale::Sequential(0.0, 1.0),
                shade: "shade: share of the true class".into(),
            })
        },
    )
}

/// A value for every way to press and group of items, one heat map per subject.
pub(super) fn grids(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Vec<(String, Scene)> {
    heats(
        digest,
        under,
        estimates,
        ("grid", "By arrangement and group"),
        |estimate| match estimate.detail() {
            Some(Detail::Grid(grid)) => Some(grid_heat(gauge, grid)),
            _ => None,
        },
    )
}

fn grid_heat(gauge: &GaugeCard, grid: &Grid) -> Heat {
    let values = || {
        grid.cells
            .iter()
            .filter_map(|cell| cell.value.as_ref().ok())
    };
    let most = values().fold(0.0, |most: f64, value| most.max(value.abs()));
    let negative = values().any(|value| *value < 0.0);
    let cell = |(i, cell): (usize, &GridCell)| {
        let value = *cell.value.as_ref().ok()?;
        let row = &grid.rows[i / grid.columns.len()];
        let column = &grid.columns[i % grid.columns.len()];
        let items = words::counted(cell.n, "item");
        Some(HeatCell {
            value,
            words: number::fixed(value, 2),
            tip: format!("{row}, {column}: {} over {items}", number::short(value)),
        })
    };
    Heat {
        titles: Titles {
            remark: format!(
                "What {} is made of; the first column is all items.",
                gauge.name
            ),
            x: grid.column_axis.clone(),
            y: grid.row_axis.clone(),
            ..Titles::default()
        },
        rows: grid.rows.clone(),
        columns: grid.columns.clone(),
        groups: Vec::new(),
        cells: grid.cells.iter().enumerate().map(cell).collect(),
        scale: match negative {
            true => HeatScale::Diverging(most),
            false => HeatScale::Sequential(0.0, most.max(1.0)),
        },
        shade: "shade: the value".into(),
    }
}

/// For each subject, what is answered when confidence and another score must both be above a
/// threshold: how right it is, and how much.
pub(super) fn gates(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Vec<(String, Scene)> {
    let right = heats(
        digest,
        under,
        estimates,
        ("gates", "Right of what is answered"),
        |estimate| {
            let cell = |point: &Gated| {
                let value = point.accepted.accuracy?;
                Some((value, number::fixed(value, 3)))
            };
            gate(
                gauge,
                estimate,
                "shade: share right of what is answered",
                cell,
            )
        },
    );
    let answered = heats(
        digest,
        under,
        estimates,
        ("gates-coverage", "Share answered"),
        |estimate| {
            let cell = |point: &Gated| {
                let value = point.accepted.coverage;
                Some((value, format!("{} %", number::fixed(100.0 * value, 0))))
            };
            gate(gauge, estimate, "shade: share answered", cell)
        },
    );
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
    let columns = points
        .iter()
        .take(columns)
        .map(|point| number::tidy(point.accepted.threshold));
    let tip = |point: &Gated| {
        format!(
            "confidence > {}, {score} > {}: {} answered, {} of it right",
            number::tidy(point.accepted.threshold),
            number::tidy(point.above),
            number::short(point.accepted.coverage),
            point.accepted.accuracy.map_or("none".into(), number::short)
        )
    };
    let cells: Vec<Option<HeatCell>> = points
        .iter()
        .map(|point| {
            cell(point).map(|(value, words)| HeatCell {
                value,
                words,
                tip: tip(point),
            })
        })
        .collect();
    let low = cells
        .iter()
        .flatten()
        .map(|cell| cell.value)
        .fold(1.0, f64::min);
    let mean = match seeds {
        1 => "One seed.".into(),
        seeds => {
            format!("Mean of {seeds} seeds, each over those pairs at which it answers anything.")
        }
    };
    Some(Heat {
        titles: Titles {
            remark: format!(
                "From {}: answered when both are above their threshold. {mean}",
                gauge.name
            ),
            x: "confidence must be above".into(),
            y: format!("{score} must be above"),
            ..Titles::default()
        },
        rows: rows.iter().map(|above| number::tidy(*above)).collect(),
        columns: columns.collect(),
        groups: Vec::new(),
        cells,
        scale: HeatScale::Sequential(low, 1.0),
        shade: shade.into(),
    })
}

/// The other score, what is answered at each pair of thresholds on average over seeds, and how many
/// seeds that is.
fn mean_gates(estimate: &Estimate) -> Option<(&str, Vec<Gated>, usize)> {
    let Some(Detail::Gates {
        score,
        points: first,
    }) = estimate.detail()
    else {
        return None;
    };
    let alike = |points: &&Vec<Gated>| {
        let at = |point: &Gated| (point.above, point.accepted.threshold);
        points.iter().map(at).eq(first.iter().map(at))
    };
    let of_seeds = estimate
        .details
        .iter()
        .filter_map(|(_, detail)| match detail {
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
