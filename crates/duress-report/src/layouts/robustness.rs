//! Learners under stress: `artifacts/robustness`.
//!
//! One long table of every reading, a summary of every drop beside what was expected, the curve
//! over missing values, the bars over corruptions, and the table of regimes left out.

use super::{LayoutFiles, Piece, cell, of_seeds};
use crate::digest::Digest;
use crate::figures::{corruption_figure, missingness_figure};
use crate::stress_summary::{self, ConditionPair, stress_of, stress_rows, subject};
use crate::tables::format::csv::{File, number};
use crate::tables::format::markdown_document;
use crate::words::mean_and_sd;
use duress_findings::Layout;
use duress_findings::{DatasetCard, Place, Scope, SubjectCard, Under};

pub(super) const LAYOUT: LayoutFiles = LayoutFiles {
    word: Layout::Robustness,
    folder: "artifacts/robustness",
    gauges: &[DIRECTED, "skeleton-f1", "shd", LIKELIHOOD],
    columns: super::plain,
    pieces,
};

const DIRECTED: &str = "directed-f1";
const LIKELIHOOD: &str = "held-out-likelihood";

fn pieces(digest: &Digest<'_>) -> Vec<Piece> {
    let path = |name: &str| format!("{}/{name}", LAYOUT.folder);
    let stressed = stress_rows(digest);
    let tables = [stress_summary::short_table(&stressed)];
    let in_markdown = markdown_document(&tables, &digest.findings.study.name);
    let mut all = vec![
        Piece::text(path("robustness_long.csv"), long(digest)),
        Piece::text(
            path("robustness_summary.csv"),
            stress_summary::csv(&stressed),
        ),
        Piece::text(path("robustness_summary.md"), in_markdown),
    ];
    let missing = |stressor: &str| stressor.starts_with("missing-");
    let curves = digest
        .panels
        .iter()
        .filter(|panel| panel.gauge.name == DIRECTED);
    for (i, panel) in curves
        .filter(|panel| missing(&panel.ladder.stressor))
        .enumerate()
    {
        let tail = if i == 0 {
            String::new()
        } else {
            format!("_{}", panel.dataset)
        };
        let name = path(&format!("missingness_curve{tail}.png"));
        all.push(Piece::figure(name, missingness_figure(digest, panel)));
    }
    let bars = corruption_figure(digest, DIRECTED);
    all.extend(bars.map(|scene| Piece::figure(path("corruption_comparison.png"), scene)));
    let left_out = left_out(digest);
    if !left_out.is_empty() {
        all.push(Piece::text(path("loro.csv"), loro(&left_out)));
    }
    all
}

/// Every reading of every seed.
fn long(digest: &Digest<'_>) -> String {
    let heads = [
        "subject",
        "fitted_on",
        "tested_on",
        "stress",
        "condition",
        "gauge",
        "seed",
        "value",
        "undefined",
    ];
    let mut file = File::new(&heads);
    for estimate in &digest.findings.estimates {
        let place = &estimate.place;
        let on = subject(digest, place).map_or(String::new(), |card| card.on.to_string());
        for (seed, reading) in &estimate.by_seed {
            let why = match reading {
                duress_findings::Reading::Undefined(why) => why.to_string(),
                duress_findings::Reading::Value(_) => String::new(),
            };
            file.row(&[
                place.subject.to_string(),
                on.clone(),
                place.dataset.to_string(),
                stress_of(&place.under),
                place.under.to_string(),
                estimate.gauge.clone(),
                seed.to_string(),
                cell(reading.value()),
                why,
            ]);
        }
    }
    file.text()
}

/// A regime left out, in one of the three forms that mean something.
struct LeftOut {
    subject: String,
    part: String,
    base: String,
    regime: u32,
    form: &'static str,
    gauge: String,
    pair: ConditionPair,
}

/// Every subject fitted without a regime, beside the same part fitted with all.
fn left_out(digest: &Digest<'_>) -> Vec<LeftOut> {
    let mut all = Vec::new();
    for refit in &digest.findings.subjects {
        let held = digest
            .findings
            .datasets
            .iter()
            .find(|card| card.name == refit.on);
        let Some((held, Some(base), Some(regime))) =
            held.map(|card| (card, card.base.clone(), card.held_out))
        else {
            continue;
        };
        let full = digest
            .findings
            .subjects
            .iter()
            .find(|card| card.part == refit.part && card.on == base);
        let Some(full) = full else { continue };
        for (form, dataset, gauge) in forms(digest, held, &base) {
            let at = |subject: &SubjectCard| Place {
                subject: subject.name.clone(),
                dataset: dataset.clone(),
                under: Under::Clean,
            };
            let pair = ConditionPair::new(digest, &gauge, &at(full), &at(refit));
            if !of_seeds(digest, &gauge, &at(refit)).is_empty() {
                all.push(LeftOut {
                    subject: refit.name.to_string(),
                    part: refit.part.clone(),
                    base: base.to_string(),
                    regime,
                    form,
                    gauge,
                    pair,
                });
            }
        }
    }
    all
}

type TableForm = (&'static str, duress_core::name::Name, String);

/// Where each form is read, by which gauges.
fn forms(
    digest: &Digest<'_>,
    held: &DatasetCard,
    base: &duress_core::name::Name,
) -> Vec<TableForm> {
    let mut forms = Vec::new();
    for card in digest
        .findings
        .gauges
        .iter()
        .filter(|card| card.scope == Scope::Cell)
    {
        match card.name == LIKELIHOOD {
            true => forms.push((PREDICTED, held.name.clone(), card.name.clone())),
            false => {
                forms.push((REFITTED, base.clone(), card.name.clone()));
                forms.push((OWN, held.name.clone(), card.name.clone()));
            }
        }
    }
    forms
}

const REFITTED: &str = "a: refitted without it and scored against the whole truth";
const OWN: &str = "b: scored against the truth of the regime itself";
const PREDICTED: &str = "c: likelihood of its windows";

/// A row for each regime left out, and after the regimes of a subject in one form their average.
fn loro(rows: &[LeftOut]) -> String {
    let mut file = File::new(&[
        "subject",
        "part",
        "dataset",
        "train_regimes",
        "regime_left_out",
        "form",
        "gauge",
        "n_seeds",
        "in_distribution_mean",
        "in_distribution_std",
        "left_out_mean",
        "left_out_std",
        "drop_points",
        "drop_percent",
        "ratio_mean",
        "ratio_std",
    ]);
    let mut done: Vec<&LeftOut> = Vec::new();
    for row in rows {
        if done.iter().any(|other| other.is_of_one_table(row)) {
            continue;
        }
        done.push(row);
        let table: Vec<&LeftOut> = rows
            .iter()
            .filter(|other| other.is_of_one_table(row))
            .collect();
        let mut regimes: Vec<u32> = table.iter().map(|row| row.regime).collect();
        regimes.sort_unstable();
        for row in &table {
            let kept = regimes.iter().filter(|regime| **regime != row.regime);
            let kept: Vec<String> = kept.map(|r| number(f64::from(*r))).collect();
            let left_out = number(f64::from(row.regime));
            file.row(&row.cells(&row.subject, &kept.join(" "), &left_out, &row.pair));
        }
        file.row(&row.cells("", "", "average", &averaged(&table)));
    }
    file.text()
}

/// Every seed's mean over the regimes left out.
fn averaged(table: &[&LeftOut]) -> ConditionPair {
    let seeds = table
        .iter()
        .map(|row| row.pair.result.len())
        .min()
        .unwrap_or(0);
    let mean = |of: &dyn Fn(&ConditionPair) -> f64| {
        table.iter().map(|row| of(&row.pair)).sum::<f64>() / table.len() as f64
    };
    ConditionPair {
        baseline: (0..seeds)
            .map(|seed| mean(&|pair| pair.baseline[seed]))
            .collect(),
        result: (0..seeds)
            .map(|seed| mean(&|pair| pair.result[seed]))
            .collect(),
        sign: table[0].pair.sign,
    }
}

impl LeftOut {
    /// Whether two rows differ in the regime alone.
    fn is_of_one_table(&self, other: &LeftOut) -> bool {
        self.part == other.part
            && self.base == other.base
            && self.form == other.form
            && self.gauge == other.gauge
    }

    fn cells(
        &self,
        subject: &str,
        kept: &str,
        left_out: &str,
        pair: &ConditionPair,
    ) -> Vec<String> {
        let (base, base_sd) = mean_and_sd(&pair.baseline);
        let (left, left_sd) = mean_and_sd(&pair.result);
        let shares = self.form != PREDICTED;
        let (ratio, ratio_sd) = if shares { pair.ratio() } else { (None, None) };
        vec![
            subject.into(),
            self.part.clone(),
            self.base.clone(),
            kept.into(),
            left_out.into(),
            self.form.into(),
            self.gauge.clone(),
            pair.result.len().to_string(),
            cell(base),
            cell(base_sd),
            cell(left),
            cell(left_sd),
            cell(pair.drop().0),
            cell(pair.percent().filter(|_| shares)),
            cell(ratio),
            cell(ratio_sd),
        ]
    }
}
