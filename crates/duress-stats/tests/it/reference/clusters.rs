//! Answers about clusters of items crossed with replicates.

use duress_stats::UndefinedReason;
use duress_stats::components::{Components, Scope};
use duress_stats::evidence::Evidence;
use duress_stats::sources::{Factor, within_clusters};

use super::case::{Answer, Case};

pub(crate) fn answer(case: &Case) -> Result<Answer, UndefinedReason> {
    let rows = case.rows("x");
    let groups: Vec<usize> = case.sample("groups").iter().map(|g| *g as usize).collect();
    // An answer that is absent is written as infinite.
    let present = |row: &[f64]| {
        row.iter()
            .filter(|x| x.is_finite())
            .copied()
            .collect::<Vec<_>>()
    };
    let counts: Vec<f64> = rows.iter().map(|row| present(row).len() as f64).collect();
    let readings: Vec<f64> = rows
        .iter()
        .zip(&counts)
        .map(|(row, n)| present(row).iter().sum::<f64>() / n)
        .collect();
    let added = |s: usize, j: usize| {
        let value = rows[s][j];
        value.is_finite().then(|| (value - readings[s]) / counts[s])
    };
    if case.ask() == "sources" {
        let found = within_clusters(&readings, added, &groups)?;
        let named = found.into_iter().map(|source| {
            let name = match source.factor {
                Factor::Cluster => "cluster",
                Factor::Item => "item",
                Factor::Replicate => "replicate",
                Factor::Template => "template",
                Factor::Rest => "rest",
            };
            (name.to_string(), source.variance)
        });
        return Ok(named.collect());
    }
    let labels = vec![groups.as_slice(); rows.len()];
    let found = Components::crossed(&readings, groups.len(), added, Some(&labels))?;
    let (error, freedom) = (found.error(Scope::Both), found.freedom(Scope::Both));
    let evidence = match case.ask() {
        "few" => Evidence::of_components(&found, Scope::Both, (Some(0.0), Some(1.0)), true)?,
        _ => Evidence::student(found.estimate, error, freedom)?,
    };
    let interval = evidence.interval(0.95)?;
    let all = [
        ("estimate", found.estimate),
        ("error", error),
        ("freedom", freedom),
        ("low", interval.low),
        ("high", interval.high),
    ];
    Ok(all.map(|(name, value)| (name.to_string(), value)).into())
}
