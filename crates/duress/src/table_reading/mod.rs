//! The short way: a file instead of a study. Every gauge that applies to a table of answers, with
//! intervals.
//!
//! What a table holds is guessed from its columns ([`duress_tables::layout::guess`]) and then read
//! by the same parts a study would name, so the numbers are those of a study on the same file.

mod arrangements;
mod classes;
mod cluster_words;
mod doses;
mod keys;
mod pick;
mod reasons;
mod scored_ladder;
mod stream;

use std::path::Path;

use duress_core::problem::Problem;
use duress_findings::{Gauged, Gauging};
use duress_parts::registry::Registry;
use duress_tables::raters::{RaterHints, read_raters};

pub(crate) use keys::{dataset_keys, subject_keys};
pub(crate) use reasons::in_words;

pub use duress_tables::layout::AnswerForm;
pub use duress_tables::layout::guess::TableHints;
pub use duress_tensors::bound::allow as let_files_expand;

/// How the table is read.
#[derive(Clone, Debug)]
pub struct GaugeOptions {
    /// What is known beforehand.
    pub hints: TableHints,
    /// Only these gauges; all that apply when there is none.
    pub only: Vec<String>,
    /// Keys of gauges that are not at their default: gauge, key, value.
    pub keys: Vec<(String, String, String)>,
    /// Whether there are intervals.
    pub intervals: bool,
    /// Their level.
    pub level: f64,
    /// How many resamples a bootstrap draws.
    pub resamples: usize,
    /// Whether what each number is made of is kept.
    pub details: bool,
}

impl Default for GaugeOptions {
    fn default() -> GaugeOptions {
        let level = 0.95;
        let resamples = 2000;
        GaugeOptions {
            hints: TableHints::default(),
            only: Vec::new(),
            keys: Vec::new(),
            intervals: true,
            level,
            resamples,
            details: false,
        }
    }
}

/// Reads every gauge that applies from a table.
pub fn gauge(file: &Path, options: &GaugeOptions, registry: &Registry) -> Result<Gauged, Problem> {
    check_intervals(options.level, options.resamples)?;
    // A gauge that nobody knows is said before a large file is read.
    let picking = pick::GaugePicking::new(registry, options);
    picking.gauges(None)?;
    let answers = Material::read(file, &options.hints, registry)?;
    let gauges = answers.gauge(options, registry)?;
    Ok(Gauged {
        file: file.display().to_string(),
        found: answers.found(),
        items: answers.items(),
        gauges,
        with_intervals: options.intervals,
    })
}

pub use stream::stream;

/// That intervals of a table can be made at this level and from so many resamples.
pub(crate) fn check_intervals(level: f64, resamples: usize) -> Result<(), Problem> {
    if !(level > 0.0 && level < 1.0) {
        let problem = Problem::new(format!("the level is {level}"));
        return Err(problem.expected("between 0 and 1, as 0.95"));
    }
    if !(100..=1_000_000).contains(&resamples) {
        let problem = Problem::new(format!("{resamples} resamples"));
        return Err(problem.expected("from 100 to 1000000"));
    }
    Ok(())
}

/// A table that holds no answers, but judges beside people, is for another command.
fn or_agreement(problem: Problem, file: &Path) -> Problem {
    match read_raters(file, &RaterHints::default()) {
        Ok(_) => problem.hint(format!(
            "it has labels of judges and of people: `duress agree {}` reads those",
            file.display()
        )),
        Err(_) => problem,
    }
}

/// What gauges are opened on: answers read from a table, with what is true.
#[derive(Clone)]
pub struct Material(Of);

#[derive(Clone)]
enum Of {
    Classes(classes::Classes),
    Scores(arrangements::ModelScores),
    Doses(doses::DosedRatings),
}

impl Material {
    /// Reads a table.
    pub fn read(file: &Path, hints: &TableHints, registry: &Registry) -> Result<Material, Problem> {
        if let Some(scores) = arrangements::read(file, hints)? {
            return Ok(Material(Of::Scores(scores)));
        }
        if let Some(doses) = doses::read(file, hints, registry)? {
            return Ok(Material(Of::Doses(doses)));
        }
        let classes = classes::read(file, hints, registry);
        let classes = classes.map_err(|problem| or_agreement(problem, file))?;
        Ok(Material(Of::Classes(classes)))
    }

    /// Every gauge that applies, model by model.
    pub fn gauge(
        &self,
        options: &GaugeOptions,
        registry: &Registry,
    ) -> Result<Vec<Gauging>, Problem> {
        let picking = pick::GaugePicking::new(registry, options);
        let gauging = |model: Option<&String>, applying: pick::Applying<'_>| Gauging {
            model: model.cloned(),
            gauge: applying.part.name.into(),
            dimension: None,
            ladder: None,
            scope: applying.gauge.scope(),
            summary: applying.part.summary(),
            scale: applying.scale,
            quantity: applying.quantity,
            detail: applying.detail,
        };
        match &self.0 {
            Of::Classes(classes) => {
                let answers = pick::Answered::Classes(classes);
                picking.applying(answers, |applying| gauging(None, applying))
            }
            Of::Scores(models) => {
                let mut all = Vec::new();
                for (model, scores) in models {
                    let answers = pick::Answered::Scores(&scores.scores, None);
                    let read = |applying: pick::Applying<'_>| gauging(model.as_ref(), applying);
                    all.extend(picking.applying(answers, read)?);
                }
                Ok(all)
            }
            Of::Doses(doses) => picking.of_doses(doses, |applying| gauging(None, applying)),
        }
    }

    /// What was found, in words.
    pub fn found(&self) -> Vec<String> {
        match &self.0 {
            Of::Classes(classes) => classes.found.clone(),
            Of::Scores(models) => {
                let of = |(model, scores): &(Option<String>, arrangements::ArrangementScores)| {
                    let whose = model.as_ref().map(|name| format!("{name}: "));
                    let whose = whose.unwrap_or_default();
                    format!("{whose}{}", scores.found.join(" · "))
                };
                models.iter().map(of).collect()
            }
            Of::Doses(doses) => doses.found.clone(),
        }
    }

    /// How many items it is about; of several models, those of the one with the most.
    pub fn items(&self) -> usize {
        match &self.0 {
            Of::Classes(classes) => classes.items,
            Of::Scores(models) => models.iter().map(|(_, one)| one.items).max().unwrap_or(0),
            Of::Doses(doses) => doses.items,
        }
    }
}
