//! Cards: what was asked, of what and of whom, and what made the answers and the numbers.

use duress_core::floor::FloorKind;
use duress_core::gauge::{Scale, Scope};
use duress_core::name::Name;
use duress_core::severity::Severity;
use serde::{Deserialize, Serialize};

use crate::words::{ActsOn, AnswersRead, FigureFormat, Layout, NumberForm, Units};

/// What was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StudyCard {
    /// Its name.
    pub name: String,
    /// The heading of the report.
    #[serde(default)]
    pub title: String,
    /// The formats figures are written in: of `svg`, `png`, `pdf`; all when there is none.
    #[serde(default)]
    pub figures: Vec<FigureFormat>,
    /// How tables write numbers: with `intervals`, or as `mean-sd` over seeds.
    #[serde(default)]
    pub numbers: NumberForm,
    /// Whose files, names and columns are written beside the report's own.
    #[serde(default)]
    pub layouts: Vec<Layout>,
    /// The dataset those are about; none where they are about all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts_on: Option<Name>,
    /// The hash of the study file.
    pub hash: String,
    /// The hashes of earlier versions that were run in the same folder, oldest first.
    pub earlier: Vec<String>,
    /// The study file itself.
    pub text: String,
    /// The seeds, one replicate each.
    pub seeds: Vec<u64>,
    /// What is resampled: `items`, `seeds` or `items-and-seeds`.
    pub units: Units,
    /// The level of every interval.
    pub level: f64,
    /// What this many seeds and items can show at all, in sentences.
    pub power: Vec<String>,
    /// How many times as steep as the rest together a step has to be shown to be, to be a cliff.
    #[serde(
        default = "usual_cliff_factor",
        skip_serializing_if = "is_usual_cliff_factor"
    )]
    pub cliff_factor: f64,
    /// The numbers of seeds at which claims were declared to be judged; none: once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<usize>,
}

/// What it was before it could be chosen.
fn usual_cliff_factor() -> f64 {
    4.0
}

/// Files of before say nothing of it, and stay as they are when they are written again.
fn is_usual_cliff_factor(factor: &f64) -> bool {
    *factor == usual_cliff_factor()
}

impl StudyCard {
    /// The card of a study by its name, with everything else to be said.
    pub fn new(name: &str, units: Units, level: f64) -> StudyCard {
        StudyCard {
            name: name.into(),
            title: String::new(),
            figures: Vec::new(),
            numbers: NumberForm::default(),
            layouts: Vec::new(),
            layouts_on: None,
            hash: String::new(),
            earlier: Vec::new(),
            text: String::new(),
            seeds: Vec::new(),
            units,
            level,
            power: Vec::new(),
            cliff_factor: usual_cliff_factor(),
            looks: Vec::new(),
        }
    }
}

/// What made the answers and the numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Made {
    /// The version of duress.
    pub duress: String,
    /// The commit it was built from, with `+` behind it where files were changed; absent: unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Operating system and processor, with the instruction sets in use.
    pub machine: String,
    /// Every part in use, as `kind name vN`.
    pub parts: Vec<String>,
    /// The files that were read: data, recorded answers, checkpoints, what a command names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileRead>,
}

impl Made {
    /// Made by this version on this machine, from parts and files to be said.
    pub fn new(duress: &str, machine: &str) -> Made {
        Made {
            duress: duress.into(),
            commit: None,
            machine: machine.into(),
            parts: Vec::new(),
            files: Vec::new(),
        }
    }
}

/// A file that was read, as it was then.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileRead {
    /// Its path, as the study writes it.
    pub path: String,
    /// The hash of its bytes (BLAKE3).
    pub hash: String,
    /// The columns, arrays or keys in it that nobody read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
}

/// A dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetCard {
    /// Its name in the study.
    pub name: Name,
    /// The part, or the base it is derived from.
    pub source: String,
    /// The dataset it is derived from, if it is.
    #[serde(default)]
    pub base: Option<Name>,
    /// The regime that is left out of what is fitted and is all that is tested, if one is.
    #[serde(default)]
    pub held_out: Option<u32>,
    /// Its fingerprint; one for each seed where it varies.
    pub fingerprints: Vec<String>,
    /// Items fitted on.
    pub fit_items: usize,
    /// Items tested on.
    pub test_items: usize,
    /// What a reader should know about it.
    pub remarks: Vec<String>,
}

/// A subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubjectCard {
    /// Its name in the study.
    pub name: Name,
    /// The part.
    pub part: String,
    /// The dataset it is fitted on.
    pub on: Name,
    /// Whether the same seed gives the same answers.
    pub reproducible: bool,
    /// As what a classifier's answers were read: probabilities, logits or labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<AnswersRead>,
}

/// A ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderCard {
    /// Its name in the study.
    pub name: Name,
    /// The stressor.
    pub stressor: String,
    /// What its severity counts.
    pub unit: String,
    /// Where it acts: `train`, `test`, `both` or `elsewhere`.
    pub acts_on: ActsOn,
    /// The rungs, the clean one first.
    pub severities: Vec<Severity>,
    /// Whether the stressor looks at the truth.
    pub sees_truth: bool,
    /// Whether it is an attack: it asks the subject.
    #[serde(default)]
    pub aware: bool,
}

/// A condition with a name of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionCard {
    /// Its name in the study.
    pub name: Name,
    /// What presses, in order, in words.
    pub presses: String,
}

/// A gauge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaugeCard {
    /// Its name in the study.
    pub name: String,
    /// How much of the answers it reads at once.
    pub scope: Scope,
    /// Direction, convention, unit.
    pub scale: Scale,
    /// One sentence about it.
    pub summary: String,
    /// What it is the floor of, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<GaugeFloor>,
}

/// Of which gauges a gauge is a floor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GaugeFloor {
    /// What the floor shows.
    pub kind: FloorKind,
    /// The gauges.
    pub of: Vec<String>,
}

impl GaugeCard {
    /// Whether it is a floor of this gauge.
    pub fn is_floor_of(&self, gauge: &str) -> bool {
        let floor = self.floor.as_ref();
        floor.is_some_and(|floor| floor.of.iter().any(|one| one == gauge))
    }
}

/// How many cells there are, and how they ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellCount {
    /// In the plan.
    pub planned: usize,
    /// With answers.
    pub answered: usize,
    /// Without, and with a reason.
    pub failed: usize,
}
