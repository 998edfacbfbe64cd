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

use duress_core::gauge::Detail;
use duress_core::problem::Problem;
use duress_findings::{Gauged, Gauging};
use duress_parts::registry::Registry;

use crate::analysis::alone::Resampling;

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
    pick::gauges(registry, &options.only, None)?;
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

/// What gauges are opened on: answers read from a table, with what is true.
#[derive(Clone)]
pub struct Material(Of);

#[derive(Clone)]
enum Of {
    Classes(classes::Classes),
    Scores(arrangements::ArrangementScores),
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
        let classes = classes::read(file, hints, registry)?;
        Ok(Material(Of::Classes(classes)))
    }

    /// Every gauge that applies.
    pub fn gauge(
        &self,
        options: &GaugeOptions,
        registry: &Registry,
    ) -> Result<Vec<Gauging>, Problem> {
        let resampling = Resampling {
            level: options.level,
            resamples: options.resamples,
        };
        let picking = pick::GaugePicking {
            registry,
            only: &options.only,
            resampling: options.intervals.then_some(resampling),
        };
        let gauging = |applying: pick::Applying<'_>| Gauging {
            gauge: applying.part.name.into(),
            dimension: None,
            ladder: None,
            scope: applying.gauge.scope(),
            summary: applying.part.summary(),
            scale: applying.scale,
            quantity: applying.quantity,
            detail: options
                .details
                .then(|| self.detail(applying.gauge))
                .flatten(),
        };
        match &self.0 {
            Of::Classes(classes) => picking.applying(pick::Answered::Classes(classes), gauging),
            Of::Scores(scores) => {
                picking.applying(pick::Answered::Scores(&scores.scores, None), gauging)
            }
            Of::Doses(doses) => picking.of_doses(doses, gauging),
        }
    }

    /// What was found, in words.
    pub fn found(&self) -> Vec<String> {
        match &self.0 {
            Of::Classes(classes) => classes.found.clone(),
            Of::Scores(scores) => scores.found.clone(),
            Of::Doses(doses) => doses.found.clone(),
        }
    }

    /// How many items it is about.
    pub fn items(&self) -> usize {
        match &self.0 {
            Of::Classes(classes) => classes.items,
            Of::Scores(scores) => scores.items,
            Of::Doses(doses) => doses.items,
        }
    }

    fn detail(&self, gauge: &duress_core::gauge::Gauge) -> Option<Detail> {
        match (&self.0, gauge) {
            (Of::Classes(classes), duress_core::gauge::Gauge::Cell(gauge)) => {
                duress_core::gauge::detail(gauge.as_ref(), classes.sealed())
            }
            _ => None,
        }
    }
}
