//! Judges against people, from one table of labels and without a study.
//!
//! What people say of an item is the label that most of them gave; where they are divided the item
//! has none. Items that a judge labelled and people did not still count: they are what the corrected
//! rates are about.

mod consensus;
mod numbers;

use std::path::Path;

use duress_core::problem::Problem;
use duress_findings::{
    Agreement, AgreementGate, AgreementMeasure, AgreementNumber, Disagreement, JudgeAgreement,
    RaterPair, Verdict,
};
use duress_stats::agreement::{KappaWeights, LabelsNeeded, cohen_kappa, labels_to_decide};
use duress_tables::raters::{RaterKind, RaterTable, read_raters};

use crate::table_reading::check_intervals;
use consensus::{Coded, consensus};
use numbers::Judged;

pub use duress_tables::raters::RaterHints;

/// How a table of labels is read.
#[derive(Clone, Debug)]
pub struct AgreementOptions {
    /// Who is a judge and who is not, where names do not say it.
    pub hints: RaterHints,
    /// The label that passes; told from the words where there is none.
    pub positive: Option<String>,
    /// Bars that numbers have to clear.
    pub gates: Vec<(AgreementMeasure, f64)>,
    /// The level of intervals.
    pub level: f64,
    /// How many resamples a bootstrap draws.
    pub resamples: usize,
    /// How many disagreements are listed.
    pub listed: usize,
}

impl Default for AgreementOptions {
    fn default() -> AgreementOptions {
        AgreementOptions {
            hints: RaterHints::default(),
            positive: None,
            gates: Vec::new(),
            level: 0.95,
            resamples: 10_000,
            listed: 20,
        }
    }
}

/// Reads every judge of a table beside people.
///
/// # Errors
/// A table that cannot be read or has nobody to compare, a level or a bar that makes no sense.
pub fn agree(file: &Path, options: &AgreementOptions) -> Result<Agreement, Problem> {
    check(options)?;
    let table = read_raters(file, &options.hints)?;
    let coded = Coded::of_table(&table, options.positive.as_deref())?;
    let people = consensus(&table, &coded);
    let judged: Vec<Judged<'_>> = raters_of(&table, RaterKind::Judge)
        .into_iter()
        .map(|at| {
            Judged::new(
                &table.raters[at].name,
                &coded,
                &coded.codes[at],
                &people.codes,
            )
        })
        .collect();
    let humans = raters_of(&table, RaterKind::Human);
    let everybody: Vec<usize> = (0..table.raters.len()).collect();
    let alpha = |raters: &[usize]| numbers::panel_alpha(&coded, raters, options);
    let judges: Vec<JudgeAgreement> = judged.iter().map(|one| one.agreement(options)).collect();
    Ok(Agreement {
        file: file.display().to_string(),
        found: found(&table, &coded, people.divided),
        items: table.items.len(),
        level: options.level,
        people_alpha: (humans.len() > 1).then(|| alpha(&humans)),
        panel_alpha: alpha(&everybody),
        pairs: pairs(&table, &coded),
        disagreements: disagreements(&table, options.listed),
        gates: gates(&judged, &judges, options),
        judges,
    })
}

fn raters_of(table: &RaterTable, kind: RaterKind) -> Vec<usize> {
    let all = 0..table.raters.len();
    all.filter(|at| table.raters[*at].kind == kind).collect()
}

fn check(options: &AgreementOptions) -> Result<(), Problem> {
    check_intervals(options.level, options.resamples)?;
    match options
        .gates
        .iter()
        .find(|(_, bar)| !(-1.0..=1.0).contains(bar))
    {
        Some((measure, bar)) => {
            Err(Problem::new(format!("the bar of {measure} is {bar}")).expected("from -1 to 1"))
        }
        None => Ok(()),
    }
}

/// What was found, in words.
fn found(table: &RaterTable, coded: &Coded, divided: usize) -> Vec<String> {
    let named = |kind: RaterKind| {
        let own = table.raters.iter().filter(|rater| rater.kind == kind);
        let names: Vec<&str> = own.map(|rater| rater.name.as_str()).collect();
        names.join(", ")
    };
    let mut found = vec![
        format!("judges: {}", named(RaterKind::Judge)),
        format!("people: {}", named(RaterKind::Human)),
        coded.in_words(),
    ];
    if divided > 0 {
        found.push(format!(
            "on {divided} items people are divided evenly: they count as without a label"
        ));
    }
    if !table.unread.is_empty() {
        found.push(format!("not read: {}", table.unread.join(", ")));
    }
    found
}

/// κ of every two raters.
fn pairs(table: &RaterTable, coded: &Coded) -> Vec<RaterPair> {
    let mut pairs = Vec::new();
    for one in 0..table.raters.len() {
        for other in one + 1..table.raters.len() {
            let both = numbers::both(&coded.codes[one], &coded.codes[other]);
            let counts = numbers::counts(coded, &both);
            pairs.push(RaterPair {
                one: table.raters[one].name.clone(),
                other: table.raters[other].name.clone(),
                items: both.len(),
                kappa: counts
                    .and_then(|counts| cohen_kappa(&counts, KappaWeights::Plain))
                    .ok(),
            });
        }
    }
    pairs
}

/// Items on which raters differ, those with the fewest of one mind first.
fn disagreements(table: &RaterTable, most: usize) -> Vec<Disagreement> {
    let mut found: Vec<(f64, Disagreement)> = Vec::new();
    for (at, item) in table.items.iter().enumerate() {
        let said = table.raters.iter().zip(&table.labels);
        let said =
            said.filter_map(|(rater, labels)| Some((rater.name.clone(), labels[at].clone()?)));
        let said: Vec<(String, String)> = said.collect();
        let alike = |label: &String| said.iter().filter(|(_, other)| other == label).count();
        let largest = said
            .iter()
            .map(|(_, label)| alike(label))
            .max()
            .unwrap_or(0);
        if largest < said.len() {
            let share = largest as f64 / said.len() as f64;
            let item = item.clone();
            found.push((share, Disagreement { item, said }));
        }
    }
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    found.into_iter().take(most).map(|(_, one)| one).collect()
}

fn gates(
    judged: &[Judged<'_>],
    judges: &[JudgeAgreement],
    options: &AgreementOptions,
) -> Vec<AgreementGate> {
    let mut gates = Vec::new();
    for (judged, judge) in judged.iter().zip(judges) {
        for (measure, bar) in &options.gates {
            let number = judge.numbers.iter().find(|one| one.measure == *measure);
            let verdict = verdict(number, *bar);
            let would_decide = (verdict == Verdict::Undecided)
                .then(|| would_decide(judged, number, *bar, options.level));
            gates.push(AgreementGate {
                judge: judge.judge.clone(),
                measure: *measure,
                bar: *bar,
                verdict,
                would_decide,
            });
        }
    }
    gates
}

/// Upheld where the whole interval reaches the bar, refuted where none of it does.
fn verdict(number: Option<&AgreementNumber>, bar: f64) -> Verdict {
    match number.and_then(|number| number.interval) {
        Some((low, _)) if low >= bar => Verdict::Upheld,
        Some((_, high)) if high < bar => Verdict::Refuted,
        _ => Verdict::Undecided,
    }
}

/// What would decide a bar that is not decided.
fn would_decide(
    judged: &Judged<'_>,
    number: Option<&AgreementNumber>,
    bar: f64,
    level: f64,
) -> String {
    let Some(number) = number else {
        return "this number is not read from these labels".into();
    };
    let (Some(value), Some((low, high))) = (number.value, number.interval) else {
        return number.undefined.clone().unwrap_or_default();
    };
    if number.measure == AgreementMeasure::PredictionPowered
        && let Some(rates) = judged.rates()
    {
        return match labels_to_decide(&rates, bar, level) {
            Ok(LabelsNeeded::Further(labels)) => {
                format!("about {labels} further labels of people, if the rate is {value:.3}")
            }
            Ok(LabelsNeeded::MoreItems) => {
                "labels alone would not: the judge has to be asked about more items".into()
            }
            Ok(LabelsNeeded::Decided) => "it is decided".into(),
            Err(why) => why.in_words(),
        };
    }
    // Intervals shrink with the root of the number of items.
    let half = if value >= bar {
        value - low
    } else {
        high - value
    };
    let apart = (value - bar).abs();
    let times = (half / apart) * (half / apart);
    let further = (number.items as f64 * (times - 1.0)).ceil();
    match apart > 0.0 && further.is_finite() && further < 1e7 {
        true => format!(
            "about {} further items that both label, if it is {value:.3}",
            further.max(1.0)
        ),
        false => "it lies too near the bar for any number of labels".into(),
    }
}
