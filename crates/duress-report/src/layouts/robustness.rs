//! Learners under stress: `artifacts/robustness`.
//!
//! One long table of every reading, a summary of every drop beside what was expected, the curve
//! over missing values, the bars over corruptions, and the table of regimes left out.

use super::{LayoutFiles, Piece, cell, of_seed, of_seeds};
use crate::digest::Digest;
use crate::figures::{conditions_figure, panel_figure};
use crate::tables::format::csv::{File, number};
use crate::words::mean_and_sd;
use duress_findings::Layout;
use duress_findings::{DatasetCard, Estimate, Place, Scope, SubjectCard, Under};

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
    let mut all = vec![
        Piece::text(path("robustness_long.csv"), long(digest)),
        Piece::text(path("robustness_summary.csv"), summary(digest)),
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
        all.push(Piece::figure(name, panel_figure(digest, panel)));
    }
    let bars = conditions_figure(digest, DIRECTED);
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
                stress(&place.under),
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

/// The ladder or `condition`, or nothing when clean.
fn stress(under: &Under) -> String {
    match under {
        Under::Rung { ladder, .. } | Under::Ladder(ladder) => ladder.to_string(),
        Under::Condition(_) => "condition".into(),
        Under::Clean | Under::Everything => String::new(),
    }
}

fn subject<'a>(digest: &Digest<'a>, place: &Place) -> Option<&'a SubjectCard> {
    digest
        .findings
        .subjects
        .iter()
        .find(|card| card.name == place.subject)
}

/// Every place that has something to be compared with: under stress, with its clean twin; carried
/// to another dataset, with the same part fitted there.
fn summary(digest: &Digest<'_>) -> String {
    let mut file = File::new(&[
        "subject",
        "dataset",
        "stress",
        "condition",
        "gauge",
        "n_seeds",
        "baseline_mean",
        "baseline_std",
        "result_mean",
        "result_std",
        "drop_points_mean",
        "drop_points_std",
        "drop_percent",
        "expected_low",
        "expected_high",
        "expected_by",
        "within_expectation",
    ]);
    for estimate in &digest.findings.estimates {
        let Some((what, baseline)) = compared_with(digest, estimate) else {
            continue;
        };
        let place = &estimate.place;
        let pair = ConditionPair::new(digest, &estimate.gauge, &baseline, place);
        let (base_mean, base_sd) = mean_and_sd(&pair.baseline);
        let (mean, sd) = mean_and_sd(&pair.result);
        let (drop, drop_sd) = pair.drop();
        let expected = digest
            .findings
            .expectations
            .iter()
            .find(|e| e.gauge == estimate.gauge && e.place == *place);
        let within = expected
            .zip(mean)
            .map(|(e, mean)| (e.low..=e.high).contains(&mean));
        file.row(&[
            place.subject.to_string(),
            place.dataset.to_string(),
            what,
            place.under.to_string(),
            estimate.gauge.clone(),
            pair.result.len().to_string(),
            cell(base_mean),
            cell(base_sd),
            cell(mean),
            cell(sd),
            cell(drop),
            cell(drop_sd),
            cell(pair.percent()),
            cell(expected.map(|e| e.low)),
            cell(expected.map(|e| e.high)),
            expected.map_or(String::new(), |e| {
                format!("{} (expected, not measured)", e.source)
            }),
            within.map_or(String::new(), |within| {
                if within { "within" } else { "beyond" }.into()
            }),
        ]);
    }
    file.text()
}

/// What a place is compared with, and what that is called.
fn compared_with(digest: &Digest<'_>, estimate: &Estimate) -> Option<(String, Place)> {
    let place = &estimate.place;
    match &place.under {
        Under::Rung { .. } | Under::Condition(_) => Some((
            stress(&place.under),
            Place {
                under: Under::Clean,
                ..place.clone()
            },
        )),
        Under::Clean => {
            let own = subject(digest, place)?;
            let there = |card: &&SubjectCard| card.part == own.part && card.on == place.dataset;
            let there = digest
                .findings
                .subjects
                .iter()
                .filter(|_| own.on != place.dataset)
                .find(there)?;
            Some((
                format!("{} → {}", own.on, place.dataset),
                Place {
                    subject: there.name.clone(),
                    ..place.clone()
                },
            ))
        }
        Under::Ladder(_) | Under::Everything => None,
    }
}

/// Two places read over the same seeds.
struct ConditionPair {
    baseline: Vec<f64>,
    result: Vec<f64>,
    /// 1 where higher is better.
    sign: f64,
}

impl ConditionPair {
    fn new(digest: &Digest<'_>, gauge: &str, baseline: &Place, result: &Place) -> ConditionPair {
        let seeds = digest.findings.study.seeds.iter();
        let both = seeds.filter_map(|&seed| {
            Some((
                of_seed(digest, gauge, baseline, seed)?,
                of_seed(digest, gauge, result, seed)?,
            ))
        });
        let (baseline, result) = both.unzip();
        ConditionPair {
            baseline,
            result,
            sign: if digest.rises(gauge) { 1.0 } else { -1.0 },
        }
    }

    /// How much worse, in points of the gauge: mean and standard deviation over seeds.
    fn drop(&self) -> (Option<f64>, Option<f64>) {
        let drops = self
            .baseline
            .iter()
            .zip(&self.result)
            .map(|(b, r)| self.sign * (b - r));
        mean_and_sd(&drops.collect::<Vec<_>>())
    }

    /// The same in percent of the mean baseline; none where that is not above 0.
    fn percent(&self) -> Option<f64> {
        let baseline = mean_and_sd(&self.baseline).0.filter(|mean| *mean > 0.0)?;
        Some(100.0 * self.drop().0? / baseline)
    }

    /// The result as a share of the baseline, mean and standard deviation over seeds; none where a
    /// baseline is not above 0.
    fn ratio(&self) -> (Option<f64>, Option<f64>) {
        let ratios: Option<Vec<f64>> = self
            .baseline
            .iter()
            .zip(&self.result)
            .map(|(b, r)| (*b > 0.0).then(|| r / b))
            .collect();
        ratios.map_or((None, None), |ratios| mean_and_sd(&ratios))
    }
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
