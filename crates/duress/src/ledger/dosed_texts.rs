//! The texts of a study of doses and what was said of them, in the files that readers of the layout
//! `sensitivity` look for: `sampled_dataset.jsonl`, and `T_spelling_k3_perturbed.jsonl` and
//! `…_results.jsonl` for each subtype and number of errors, with `execution.log`.
//!
//! A report sees findings only; files that list items are written here, while the data is there.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use duress_core::answer::{Answers, RatingAnswers};
use duress_core::data::{Items, Text};
use duress_core::question::Question;
use duress_core::severity::Severity;
use duress_core::stressor::{Blind, Stressor};
use duress_parts::judge::category_of;
use serde_json::{Value, json};

use super::{Kept, Ledger, LedgerEntry};
use crate::plan::{Cell, Plan};

/// Where they are within a report.
const FOLDER: &str = "results/sensitivity_analysis";

/// Writes all of them.
pub(crate) fn write_dosed_texts(plan: &Plan, ledger: &Ledger, report: &Path) -> io::Result<()> {
    let mut log = String::new();
    for cell in plan.cells() {
        let Some(dosed) = DosedCell::of_cell(plan, cell) else {
            continue;
        };
        let apart = folder_of(plan, cell);
        let folder = report.join(FOLDER).join(&apart);
        fs::create_dir_all(&folder)?;
        if dosed.k == 0 {
            let sampled = dosed.items.texts().into_iter().flatten().zip(0..);
            let sampled = sampled.map(|(text, item)| dosed.sample(item, text));
            write_lines(&folder.join("sampled_dataset.jsonl"), sampled)?;
        }
        for name in dosed.names(plan) {
            let of_items = 0..dosed.items.len();
            let perturbed = of_items.map(|item| dosed.perturbed(item, &name));
            write_lines(
                &folder.join(format!("{name}_k{}_perturbed.jsonl", dosed.k)),
                perturbed,
            )?;
            let entry = ledger.entry(plan.id(cell)).map_err(io::Error::other)?;
            let (results, told) = dosed.results(entry, &name);
            write_lines(
                &folder.join(format!("{name}_k{}_results.jsonl", dosed.k)),
                results.into_iter(),
            )?;
            let path = apart.join(format!("{name}_k{}", dosed.k));
            log += &format!("{}: {told}\n", path.display());
        }
    }
    match log.is_empty() {
        true => Ok(()),
        false => fs::write(report.join(FOLDER).join("execution.log"), log),
    }
}

/// What tells the files of a cell from those of others: nothing where one judge rates one dataset;
/// otherwise the judge, as the report of the layout calls its folder, and the seed.
fn folder_of(plan: &Plan, cell: Cell) -> PathBuf {
    let places = plan.subjects.iter().map(|judge| judge.test_on.len());
    let places: usize = places.sum();
    let judge = &plan.study.subjects[cell.subject].name;
    let dataset = &plan.study.datasets[cell.test].name;
    let mut folder = PathBuf::new();
    match (places, plan.subjects[cell.subject].test_on.len()) {
        (1, _) => {}
        (_, 1) => folder.push(judge.as_str()),
        _ => folder.push(format!("{judge}-on-{dataset}")),
    }
    if plan.study.seeds.len() > 1 {
        folder.push(format!("seed-{}", plan.study.seeds[cell.replicate]));
    }
    folder
}

/// A cell about texts with so many errors, or with none.
struct DosedCell<'a> {
    items: &'a Items,
    columns: &'a BTreeMap<String, Vec<String>>,
    k: usize,
    /// How the errors were put in; none at the clean rung.
    dose: Option<(&'a dyn Blind, &'a Severity, duress_core::seed::Seed)>,
    subtype: Option<String>,
}

impl<'a> DosedCell<'a> {
    fn of_cell(plan: &'a Plan, cell: Cell) -> Option<DosedCell<'a>> {
        let test = plan.dataset(cell.test, cell.replicate).dataset().test();
        let items = test.items();
        let columns = test.columns();
        let is_rated = cell.question == Question::Ratings && cell.rater.is_none();
        if !is_rated || items.texts().is_err() {
            return None;
        }
        let Some(at) = cell.stress else {
            return Some(DosedCell {
                items,
                columns,
                k: 0,
                dose: None,
                subtype: None,
            });
        };
        let (stress, rung) = plan.rung(at);
        let subtype = subtype_of(stress.name.as_str());
        let ([planned], [severity]) = (stress.stressors.as_slice(), rung.severities.as_slice())
        else {
            return None;
        };
        let Stressor::Blind(blind) = &*planned.stressor else {
            return None;
        };
        category_of(&subtype)?;
        let seed = plan.stress_seed(cell.replicate, planned.part, 0);
        Some(DosedCell {
            items,
            columns,
            k: severity.value() as usize,
            dose: Some((blind.as_ref(), severity, seed)),
            subtype: Some(subtype),
        })
    }

    /// `T_spelling`; the clean rung is that of every subtype.
    fn names(&self, plan: &Plan) -> Vec<String> {
        let all = plan
            .stresses
            .iter()
            .map(|stress| subtype_of(stress.name.as_str()));
        let own = all.filter(|subtype| self.subtype.as_ref().is_none_or(|own| own == subtype));
        own.filter_map(|subtype| Some(format!("{}_{subtype}", category_of(&subtype)?)))
            .collect()
    }

    fn column(&self, name: &str, item: usize) -> Option<&str> {
        let column = self.columns.get(name)?;
        Some(column[item].as_str())
    }

    /// Several models may have answered one sample, each under an id of its own.
    fn sample_id(&self, item: usize) -> &str {
        let named = self.column("sample_id", item);
        named.unwrap_or_else(|| self.items.ids().get(item))
    }

    fn sample(&self, item: usize, text: &Text) -> Value {
        let beside = |name: &str| text.beside(name).unwrap_or_default();
        json!({
            "sample_id": self.sample_id(item),
            "unique_dataset_id": self.items.ids().get(item),
            "prompt": beside("prompt"),
            "response": text.text,
            "model": self.column("model", item),
            "source_article": beside("source"),
            "has_source": !beside("source").is_empty(),
        })
    }

    fn perturbed(&self, item: usize, name: &str) -> Value {
        let Ok(texts) = self.items.texts() else {
            return Value::Null;
        };
        let text = &texts[item];
        let mut row = self.sample(item, text);
        let (dimension, subtype) = name.split_once('_').unwrap_or((name, ""));
        row["error_type_injected"] = json!(dimension);
        row["error_subtype_injected"] = json!(subtype);
        let Some((blind, severity, seed)) = self.dose else {
            row["k_errors_injected"] = json!(0);
            row["original_response"] = json!(text.text);
            row["change_descriptions"] = json!([]);
            return row;
        };
        match blind.steps(self.items, item, severity, seed) {
            Some(Ok(steps)) => {
                let mut response = text.text.clone();
                for step in &steps {
                    response.replace_range(step.span.clone(), &step.after);
                }
                row["response"] = json!(response);
                row["k_errors_injected"] = json!(steps.len());
                row["original_response"] = json!(text.text);
                row["change_descriptions"] = json!(steps);
            }
            Some(Err(why)) => {
                row["injection_failed"] = json!(true);
                row["error"] = json!(why);
            }
            None => row["error"] = json!("no steps are known"),
        }
        row
    }

    /// Which item a result is about, and under what.
    fn about(&self, item: usize, name: &str) -> Value {
        let (dimension, subtype) = name.split_once('_').unwrap_or((name, ""));
        json!({
            "sample_id": self.sample_id(item),
            "unique_dataset_id": self.items.ids().get(item),
            "error_type": dimension,
            "error_subtype": subtype,
            "k_errors_injected": self.k,
        })
    }

    /// What was said of each item, and how many have no rating.
    fn results(&self, entry: Option<LedgerEntry>, name: &str) -> (Vec<Value>, String) {
        let (kept, why) = match entry {
            Some(LedgerEntry::Answered(kept)) => (Some(kept), String::new()),
            Some(LedgerEntry::Failed(failure)) => (None, failure.why),
            None => (None, "not asked".into()),
        };
        let rows: Vec<Value> = (0..self.items.len())
            .map(|item| {
                let mut row = self.about(item, name);
                result(&mut row, item, kept.as_deref(), &why);
                row
            })
            .collect();
        let without = rows.iter().filter(|row| row.get("error").is_some()).count();
        let told = format!("{} rated, {without} without a rating", rows.len() - without);
        (rows, told)
    }
}

/// A ladder is called after its subtype, with `-` or `_`.
fn subtype_of(ladder: &str) -> String {
    ladder.replace('-', "_")
}

/// `agg_quality_T` from 0 to 100, and `agg_score_T`, the severity that it stands for; `trust_quality` and
/// `trust_score` weigh the three together.
fn result(row: &mut Value, item: usize, kept: Option<&Kept>, why: &str) {
    match kept.map(|kept| &kept.answers) {
        Some(Answers::Ratings(rated)) => match &rated.rows()[item] {
            Ok(values) => {
                for (dimension, value) in rated.dimensions().iter().zip(values) {
                    row[format!("agg_quality_{dimension}")] = json!(value);
                    row[format!("agg_score_{dimension}")] = json!(severity_behind(*value));
                }
                row["trust_quality"] = json!(total(rated, item, Some));
                row["trust_score"] = json!(total(rated, item, severity_behind));
            }
            Err(absence) => row["error"] = json!(absence.why),
        },
        Some(_) => row["error"] = json!("the answer is no rating"),
        None => row["error"] = json!(why),
    }
}

/// The severity whose quality this is; none where quality is no longer above 0, or is none.
fn severity_behind(quality: f64) -> Option<f64> {
    let severity = -2.0 * (quality / 100.0).ln();
    (quality <= 100.0 && severity.is_finite()).then(|| severity.max(0.0))
}

/// .5 T + .3 E + .2 B of what qualities stand for, where all three are rated.
fn total(rated: &RatingAnswers, item: usize, of: fn(f64) -> Option<f64>) -> Option<f64> {
    let shares = [("T", 0.5), ("E", 0.3), ("B", 0.2)];
    let parts = shares.iter();
    parts
        .map(|(name, share)| Some(share * of(rated.rating(item, name)?)?))
        .sum()
}

fn write_lines(file: &Path, rows: impl Iterator<Item = Value>) -> io::Result<()> {
    let lines: String = rows.map(|row| format!("{row}\n")).collect();
    fs::write(file, lines)
}
