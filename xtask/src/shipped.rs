//! The studies that come with the project, and how CI runs each of them.

use std::path::{Path, PathBuf};

use crate::step::{fresh, root};
use crate::{sachs, stand_in_series};

/// How CI runs a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CiForm {
    /// As it is.
    Whole,
    /// Another study file stands for it: the same text with less data. It has a line of its own.
    Quick(&'static str),
    /// With another address, beside a real server that `real_server` starts.
    Served,
    /// As it is, on made-up tables of the shape of data that may not be shipped.
    StandIn,
    /// Not here: a test makes such data and runs it.
    InTest,
}

/// A study, how CI runs it, the seconds it may take on an idle machine, and a file it must leave.
#[derive(Debug)]
pub(crate) struct Shipped {
    /// Its path under `studies/`.
    pub(crate) study: &'static str,
    pub(crate) form: CiForm,
    pub(crate) seconds: f64,
    pub(crate) leaves: &'static str,
}

/// The graphs beside studies of real data.
const GRAPHS: [&str; 2] = ["opinion.csv", "confluence.csv"];

const PAGE: &str = "6-report/index.html";

const fn shipped(study: &'static str, form: CiForm, seconds: f64, leaves: &'static str) -> Shipped {
    Shipped {
        study,
        form,
        seconds,
        leaves,
    }
}

const fn long(study: &'static str, quick: &'static str) -> Shipped {
    shipped(study, CiForm::Quick(quick), 0.0, PAGE)
}

/// Every study under `studies/`; a test holds this list against the folder.
pub(crate) const STUDIES: &[Shipped] = &[
    shipped("quickstart/study.toml", CiForm::Whole, 120.0, PAGE),
    shipped(
        "classify/attack-spectrum/study.toml",
        CiForm::Whole,
        120.0,
        "6-report/results/rq1_attack_spectrum/attack_spectrum.csv",
    ),
    shipped(
        "classify/recorded/study.toml",
        CiForm::Whole,
        60.0,
        "6-report/results/rq3_selective/curve_baseline_seed42.csv",
    ),
    shipped("classify/census/study.toml", CiForm::Whole, 60.0, PAGE),
    shipped("classify/corruptions/study.toml", CiForm::Whole, 60.0, PAGE),
    shipped(
        "classify/attack-suite/study.toml",
        CiForm::Whole,
        60.0,
        PAGE,
    ),
    shipped("classify/masked/study.toml", CiForm::Whole, 90.0, PAGE),
    long("classify/train/study.toml", "classify/train/quick.toml"),
    long("classify/train/choose.toml", "classify/sweep/quick.toml"),
    long("classify/train/bar.toml", "classify/sweep/quick.toml"),
    long("classify/ablation/study.toml", "classify/sweep/quick.toml"),
    long("classify/sweep/study.toml", "classify/sweep/quick.toml"),
    shipped(
        "classify/train/quick.toml",
        CiForm::Whole,
        150.0,
        "6-report/results/rq1_complete/rq1_statistical_tests.csv",
    ),
    shipped("classify/sweep/quick.toml", CiForm::Whole, 90.0, PAGE),
    long(
        "classify/tri-objective/study.toml",
        "classify/tri-objective/quick.toml",
    ),
    shipped(
        "classify/tri-objective/quick.toml",
        CiForm::Whole,
        240.0,
        "6-report/results/rq1_complete/rq1_statistical_tests.csv",
    ),
    shipped("classify/isic/study.toml", CiForm::InTest, 0.0, PAGE),
    shipped("classify/real/study.toml", CiForm::Whole, 90.0, PAGE),
    shipped(
        "order/idioms.toml",
        CiForm::Whole,
        60.0,
        "6-report/results/order/order_scores.csv",
    ),
    shipped(
        "order/four-languages/study.toml",
        CiForm::Whole,
        60.0,
        "6-report/results/order/order_scores.xlsx",
    ),
    shipped("order/options/study.toml", CiForm::Whole, 60.0, PAGE),
    shipped("order/endpoint/study.toml", CiForm::Served, 60.0, PAGE),
    shipped("endpoint/classify/study.toml", CiForm::Served, 60.0, PAGE),
    shipped("judge/endpoint/study.toml", CiForm::Served, 60.0, PAGE),
    shipped("judge/dose.toml", CiForm::Whole, 60.0, PAGE),
    shipped(
        "judge/sensitivity.toml",
        CiForm::Whole,
        60.0,
        "6-report/results/sensitivity_analysis/sensitivity_report.json",
    ),
    shipped("judge/specificity.toml", CiForm::Whole, 60.0, PAGE),
    shipped("judge/bias.toml", CiForm::Whole, 60.0, PAGE),
    shipped("judge/pairs/study.toml", CiForm::Whole, 60.0, PAGE),
    shipped("causal/sachs.toml", CiForm::StandIn, 60.0, PAGE),
    shipped("causal/real/study.toml", CiForm::StandIn, 60.0, PAGE),
    shipped("causal/real/rivers.toml", CiForm::StandIn, 60.0, PAGE),
    long("causal/growth.toml", "causal/quick/growth.toml"),
    long(
        "causal/corruption-matrix.toml",
        "causal/quick/corruption-matrix.toml",
    ),
    long(
        "causal/leave-one-regime-out.toml",
        "causal/quick/leave-one-regime-out.toml",
    ),
    long("causal/missingness.toml", "causal/quick/missingness.toml"),
    long("causal/shift.toml", "causal/quick/shift.toml"),
    long(
        "causal/unseen-regime.toml",
        "causal/quick/unseen-regime.toml",
    ),
    shipped("causal/quick/growth.toml", CiForm::Whole, 60.0, PAGE),
    shipped(
        "causal/quick/corruption-matrix.toml",
        CiForm::Whole,
        60.0,
        PAGE,
    ),
    shipped(
        "causal/quick/leave-one-regime-out.toml",
        CiForm::Whole,
        60.0,
        PAGE,
    ),
    shipped("causal/quick/missingness.toml", CiForm::Whole, 60.0, PAGE),
    shipped("causal/quick/shift.toml", CiForm::Whole, 60.0, PAGE),
    shipped("causal/quick/unseen-regime.toml", CiForm::Whole, 60.0, PAGE),
];

impl Shipped {
    /// A name for the folder of its run: its path without `study.toml`, in one word.
    pub(crate) fn folder(&self) -> String {
        let path = self.study.trim_end_matches("/study.toml");
        path.trim_end_matches(".toml").replace('/', "-")
    }

    /// The file to run; a study on stand-in data is copied beside them into `scratch`.
    pub(crate) fn file(&self, scratch: &Path) -> Result<PathBuf, String> {
        let file = root().join("studies").join(self.study);
        if self.form != CiForm::StandIn {
            return Ok(file);
        }
        let beside = scratch.join(format!("stand-in-{}", self.folder()));
        fresh(&beside)?;
        let copy = |from: &Path, name: &str| {
            let to = beside.join(name);
            let copied = std::fs::copy(from, &to).map(|_| to);
            copied.map_err(|error| format!("{}: {error}", from.display()))
        };
        for name in GRAPHS {
            let graph = file.with_file_name(name);
            if graph.exists() {
                copy(&graph, name)?;
            }
        }
        sachs::write(&beside)?;
        stand_in_series::write(&beside)?;
        copy(&file, "study.toml")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every study file under a folder, by its path under `studies/`.
    fn files(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                files(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "toml") {
                let name = path.strip_prefix(root().join("studies")).unwrap();
                found.push(name.display().to_string());
            }
        }
    }

    #[test]
    fn every_shipped_study_is_run_or_names_its_quick_form() {
        let mut there = Vec::new();
        files(&root().join("studies"), &mut there);
        there.sort();
        let mut listed: Vec<&str> = STUDIES.iter().map(|one| one.study).collect();
        listed.sort_unstable();
        assert_eq!(there, listed);
        for one in STUDIES {
            if let CiForm::Quick(quick) = one.form {
                let stands = STUDIES.iter().find(|other| other.study == quick);
                let stands = stands.unwrap_or_else(|| panic!("{quick} is not in the list"));
                assert_eq!(stands.form, CiForm::Whole, "{quick} is run");
            }
        }
    }

    #[test]
    fn a_quick_form_names_no_part_that_its_study_does_not() {
        for one in STUDIES {
            let CiForm::Quick(quick) = one.form else {
                continue;
            };
            let read = |name: &str| std::fs::read_to_string(root().join("studies").join(name));
            let whole = read(one.study).unwrap();
            let quick = read(quick).unwrap();
            let named = |text: &str| {
                let parts = text.lines().filter(|line| line.starts_with("use = "));
                let mut parts: Vec<String> = parts
                    .map(|line| line.split('"').nth(1).unwrap_or_default().to_string())
                    .collect();
                parts.sort();
                parts.dedup();
                parts
            };
            let known = named(&whole);
            let strange: Vec<String> = named(&quick)
                .into_iter()
                .filter(|part| !known.contains(part))
                .collect();
            assert_eq!(strange, Vec::<String>::new(), "{}", one.study);
        }
    }
}
