//! What stress cost, a row for each place that has something to be compared with: for one study, or for
//! several together.

use std::fs;
use std::io;
use std::path::Path;

use crate::digest::Digest;
use crate::tables::expectation_of;
use crate::tables::format::csv::{File, number};
use crate::tables::format::{
    Number, Spread, Table, TableCell, html_document, markdown_document, numbers,
    words as words_column,
};
use crate::words::mean_and_sd;
use duress_findings::{Estimate, Expectation, Findings, Place, SubjectCard, Under};

/// The table's name.
pub(crate) const STRESS_SUMMARY: &str = "stress-summary";

/// The gauge a short summary is about.
const HEADLINE: &str = "directed-f1";

/// One place beside what it is compared with.
pub(crate) struct StressRow {
    study: String,
    part: String,
    place: Place,
    /// The ladder, `condition`, or from which dataset to which.
    stress: String,
    gauge: String,
    pair: ConditionPair,
    expected: Option<Expectation>,
    /// How the result stands to what was expected; empty where nothing was.
    stands: &'static str,
}

/// Every place that has something to be compared with: under stress, with its clean twin; carried
/// to another dataset, with the same part fitted there.
pub(crate) fn stress_rows(digest: &Digest<'_>) -> Vec<StressRow> {
    let row = |estimate: &Estimate| {
        let (stress, baseline) = compared_with(digest, estimate)?;
        let place = &estimate.place;
        let about = |one: &&Expectation| one.gauge == estimate.gauge && one.place == *place;
        Some(StressRow {
            study: digest.findings.study.name.clone(),
            part: subject(digest, place).map_or_else(String::new, |card| card.part.clone()),
            place: place.clone(),
            stress,
            gauge: estimate.gauge.clone(),
            pair: ConditionPair::new(digest, &estimate.gauge, &baseline, place),
            expected: digest.findings.expectations.iter().find(about).cloned(),
            stands: expectation_of(digest, estimate),
        })
    };
    digest.findings.estimates.iter().filter_map(row).collect()
}

/// Writes what several runs found, a row for each stress, into `folder`: `stress_summary.csv` with all of it,
/// `stress_summary.md` and `index.html` with directed F1 of the parts something was expected of, or of all
/// where nothing was.
pub fn write_stress_summary(runs: &[Findings], folder: &Path) -> io::Result<()> {
    let rows: Vec<StressRow> = runs
        .iter()
        .flat_map(|findings| stress_rows(&Digest::of(findings)))
        .collect();
    let tables = [short_table(&rows)];
    let title = "What stress cost";
    fs::create_dir_all(folder)?;
    fs::write(folder.join("stress_summary.csv"), csv(&rows))?;
    fs::write(
        folder.join("stress_summary.md"),
        markdown_document(&tables, title),
    )?;
    fs::write(folder.join("index.html"), html_document(&tables, title))
}

/// All rows with every digit.
pub(crate) fn csv(rows: &[StressRow]) -> String {
    let mut file = File::new(&[
        "study",
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
    let cell = |value: Option<f64>| value.map_or_else(String::new, number);
    for row in rows {
        let (base_mean, base_sd) = mean_and_sd(&row.pair.baseline);
        let (mean, sd) = mean_and_sd(&row.pair.result);
        let (drop, drop_sd) = row.pair.drop();
        let expected = row.expected.as_ref();
        file.row(&[
            row.study.clone(),
            row.place.subject.to_string(),
            row.place.dataset.to_string(),
            row.stress.clone(),
            row.place.under.to_string(),
            row.gauge.clone(),
            row.pair.result.len().to_string(),
            cell(base_mean),
            cell(base_sd),
            cell(mean),
            cell(sd),
            cell(drop),
            cell(drop_sd),
            cell(row.pair.percent()),
            cell(expected.map(|e| e.low)),
            cell(expected.map(|e| e.high)),
            expected.map_or(String::new(), |e| {
                format!("{} (expected, not measured)", e.source)
            }),
            row.stands.into(),
        ]);
    }
    file.text()
}

/// Directed F1 of the parts that something was expected of, or of all where nothing was.
pub(crate) fn short_table(rows: &[StressRow]) -> Table {
    let columns = vec![
        words_column("stress test"),
        words_column("subject on dataset"),
        words_column("stress"),
        words_column("gauge"),
        numbers("baseline"),
        numbers("result"),
        numbers("drop, points"),
        numbers("drop, percent"),
        words_column("expected, not measured here"),
        words_column("result is"),
    ];
    let mut table = Table::new(STRESS_SUMMARY, "What stress cost", columns);
    let asked = |part: &str| {
        rows.iter()
            .any(|row| row.part == part && row.expected.is_some())
    };
    let nothing_asked = rows.iter().all(|row| row.expected.is_none());
    let shown = |row: &&StressRow| {
        row.expected.is_some() || row.gauge == HEADLINE && (nothing_asked || asked(&row.part))
    };
    table.rows = rows.iter().filter(shown).map(StressRow::cells).collect();
    table.settled()
}

impl StressRow {
    fn cells(&self) -> Vec<TableCell> {
        let estimate = |(mean, sd): (Option<f64>, Option<f64>), signed: bool| match mean {
            Some(mean) => {
                let spread = sd.map_or(Spread::Unsaid, Spread::Deviation);
                TableCell::Estimate(Number::new(mean, spread, signed, None))
            }
            None => TableCell::Nothing,
        };
        let expected = self.expected.as_ref().map_or_else(String::new, |one| {
            let short = duress_core::number::short;
            format!("{} to {}: {}", short(one.low), short(one.high), one.source)
        });
        let stress = match &self.place.under {
            Under::Clean => self.stress.clone(),
            under => under.to_string(),
        };
        let (points, deviation) = self.pair.drop();
        let percent = self.pair.percent().map_or(TableCell::Nothing, |percent| {
            TableCell::Estimate(Number::plain(percent, 0))
        });
        vec![
            TableCell::Words(self.study.clone()),
            TableCell::Words(format!("{} on {}", self.place.subject, self.place.dataset)),
            TableCell::Words(stress),
            TableCell::Words(self.gauge.clone()),
            estimate(mean_and_sd(&self.pair.baseline), false),
            estimate(mean_and_sd(&self.pair.result), false),
            estimate((points, deviation), true),
            percent,
            TableCell::Words(expected),
            TableCell::Words(self.stands.into()),
        ]
    }
}

/// The ladder or `condition`, or nothing when clean.
pub(crate) fn stress_of(under: &Under) -> String {
    match under {
        Under::Rung { ladder, .. } | Under::Ladder(ladder) => ladder.to_string(),
        Under::Condition(_) => "condition".into(),
        Under::Clean | Under::Everything => String::new(),
    }
}

pub(crate) fn subject<'a>(digest: &Digest<'a>, place: &Place) -> Option<&'a SubjectCard> {
    digest
        .findings
        .subjects
        .iter()
        .find(|card| card.name == place.subject)
}

/// What a place is compared with, and what that is called.
fn compared_with(digest: &Digest<'_>, estimate: &Estimate) -> Option<(String, Place)> {
    let place = &estimate.place;
    match &place.under {
        Under::Rung { .. } | Under::Condition(_) => Some((
            stress_of(&place.under),
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
pub(crate) struct ConditionPair {
    pub(crate) baseline: Vec<f64>,
    pub(crate) result: Vec<f64>,
    /// 1 where higher is better.
    pub(crate) sign: f64,
}

impl ConditionPair {
    pub(crate) fn new(
        digest: &Digest<'_>,
        gauge: &str,
        baseline: &Place,
        result: &Place,
    ) -> ConditionPair {
        let seeds = digest.findings.study.seeds.iter();
        let both = seeds.filter_map(|&seed| {
            Some((
                digest.of_seed(gauge, baseline, seed)?,
                digest.of_seed(gauge, result, seed)?,
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
    pub(crate) fn drop(&self) -> (Option<f64>, Option<f64>) {
        let drops = self
            .baseline
            .iter()
            .zip(&self.result)
            .map(|(b, r)| self.sign * (b - r));
        mean_and_sd(&drops.collect::<Vec<_>>())
    }

    /// The same in percent of the mean baseline; none where that is not above 0.
    pub(crate) fn percent(&self) -> Option<f64> {
        let baseline = mean_and_sd(&self.baseline).0.filter(|mean| *mean > 0.0)?;
        Some(100.0 * self.drop().0? / baseline)
    }

    /// The result as a share of the baseline, mean and standard deviation over seeds; none where a
    /// baseline is not above 0.
    pub(crate) fn ratio(&self) -> (Option<f64>, Option<f64>) {
        let ratios: Option<Vec<f64>> = self
            .baseline
            .iter()
            .zip(&self.result)
            .map(|(b, r)| (*b > 0.0).then(|| r / b))
            .collect();
        ratios.map_or((None, None), |ratios| mean_and_sd(&ratios))
    }
}
