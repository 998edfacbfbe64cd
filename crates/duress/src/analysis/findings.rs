//! Findings: everything a report may show. Every number comes with n, unit, method and convention.

use std::fmt;

use duress_core::gauge::{Detail, Ends, Scale};
use duress_core::name::Name;
use duress_core::severity::Severity;
use duress_core::stressor::Realised;
use serde::{Deserialize, Serialize};

/// Raised when the file's shape changes; a reader for each older shape stays.
pub const VERSION: u32 = 1;

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// The shape of this file.
    pub version: u32,
    /// What was asked.
    pub study: StudyCard,
    /// What made the answers and the numbers.
    pub made: Made,
    /// The datasets.
    pub datasets: Vec<DatasetCard>,
    /// The subjects.
    pub subjects: Vec<SubjectCard>,
    /// The ladders.
    pub ladders: Vec<LadderCard>,
    /// Conditions with a name of their own.
    pub conditions: Vec<ConditionCard>,
    /// The gauges.
    pub gauges: Vec<GaugeCard>,
    /// How many cells there are, and how they ended.
    pub cells: CellCount,
    /// The claims, in the order of the study.
    pub claims: Vec<ClaimFinding>,
    /// A gauge at a place.
    pub estimates: Vec<Estimate>,
    /// Paired differences.
    pub contrasts: Vec<Contrast>,
    /// A gauge on the items of one value of a column.
    #[serde(default)]
    pub slices: Vec<Slice>,
    /// A gauge over the severities of a ladder.
    pub curves: Vec<Curve>,
    /// Levels to compare with, such as chance.
    #[serde(default)]
    pub levels: Vec<Level>,
    /// What was expected before anything was measured, by whom.
    #[serde(default)]
    pub expectations: Vec<Expectation>,
    /// What attacks asked.
    #[serde(default)]
    pub efforts: Vec<Effort>,
    /// What stress came to, where that can be counted.
    #[serde(default)]
    pub realised: Vec<RealisedStress>,
    /// Doubts, each beside what it touches.
    pub caveats: Vec<Caveat>,
    /// Worst items, before and after.
    pub exhibits: Vec<Exhibit>,
    /// Cells without answers, with the reason.
    pub failures: Vec<FailedCell>,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyCard {
    /// Its name.
    pub name: String,
    /// The heading of the report.
    #[serde(default)]
    pub title: String,
    /// The formats figures are written in: of `svg`, `png`, `pdf`; all when there is none.
    #[serde(default)]
    pub figures: Vec<String>,
    /// How tables write numbers: with `intervals`, or as `mean-sd` over seeds.
    #[serde(default)]
    pub numbers: String,
    /// Whose files, names and columns are written beside the report's own.
    #[serde(default)]
    pub layouts: Vec<String>,
    /// The hash of the study file.
    pub hash: String,
    /// The hashes of earlier versions that were run in the same folder, oldest first.
    pub earlier: Vec<String>,
    /// The study file itself.
    pub text: String,
    /// The seeds, one replicate each.
    pub seeds: Vec<u64>,
    /// What is resampled: `items`, `seeds` or `items-and-seeds`.
    pub units: String,
    /// The level of every interval.
    pub level: f64,
    /// What this many seeds and items can show at all, in sentences.
    pub power: Vec<String>,
}

/// What made the answers and the numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Made {
    /// The version of duress.
    pub duress: String,
    /// Operating system and processor, with the instruction sets in use.
    pub machine: String,
    /// Every part in use, as `kind name vN`.
    pub parts: Vec<String>,
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
    pub answers: Vec<String>,
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
    pub acts_on: String,
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
    /// `cell`, `pair`, `ladder` or `subject`.
    pub scope: String,
    /// Direction, convention, unit.
    pub scale: Scale,
    /// One sentence about it.
    pub summary: String,
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

/// A value, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// A finite number.
    Value(f64),
    /// The reason.
    Undefined(String),
}

impl Reading {
    /// The number, if there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            Reading::Value(value) => Some(*value),
            Reading::Undefined(_) => None,
        }
    }
}

/// Under which stress.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Under {
    /// None.
    Clean,
    /// A rung of a ladder above the clean one.
    Rung {
        /// The ladder.
        ladder: Name,
        /// How hard.
        severity: Severity,
    },
    /// A condition with a name of its own.
    Condition(Name),
    /// A whole ladder, for ladder gauges.
    Ladder(Name),
    /// All that was asked of the subject, for subject gauges.
    Everything,
}

/// The one way a stress is written out: in tables of cells, in lists of answers, in reports. A
/// condition has a name and no severity.
impl fmt::Display for Under {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Under::Clean => write!(f, "clean"),
            Under::Rung { ladder, severity } => write!(f, "{ladder} {severity}"),
            Under::Condition(name) => write!(f, "{name}"),
            Under::Ladder(name) => write!(f, "all of {name}"),
            Under::Everything => write!(f, "everything"),
        }
    }
}

/// Where something was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The subject.
    pub subject: Name,
    /// The dataset it was tested on.
    pub dataset: Name,
    /// Under which stress.
    pub under: Under,
}

/// What an attack had asked when it was done with a rung, from the beginning of its ladder on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Where.
    pub place: Place,
    /// Items, over all seeds.
    pub items: usize,
    /// How often the subject was asked about an item, on average.
    pub queries: f64,
    /// How often that was for a gradient.
    pub gradients: f64,
    /// How often it was asked about the item it was asked about most.
    pub most: u32,
}

/// What stress came to, beside what was asked for; the same for every subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RealisedStress {
    /// What was pressed.
    pub dataset: Name,
    /// Its windows: `tested` or `fitted`.
    pub windows: String,
    /// By what.
    pub under: Under,
    /// Over how many seeds the means are taken.
    pub seeds: usize,
    /// Means of what each press came to.
    pub mean: Realised,
}

/// From where to where a value may reasonably be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How often such an interval holds the value.
    pub level: f64,
}

/// A number with what it takes to trust it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// The number.
    pub value: Reading,
    /// Its interval, or why there is none.
    pub interval: Result<Range, String>,
    /// Items per replicate.
    pub items: usize,
    /// Replicates.
    pub replicates: usize,
    /// What was resampled, in words.
    pub unit: String,
    /// How the interval was made.
    pub method: String,
}

impl Range {
    /// The part of it that lies between the ends a value can have; that keeps the level, since the
    /// value lies there too.
    pub fn within(self, (low, high): Ends) -> Range {
        let kept = |end: f64| {
            end.max(low.unwrap_or(f64::NEG_INFINITY))
                .min(high.unwrap_or(f64::INFINITY))
        };
        Range {
            low: kept(self.low),
            high: kept(self.high),
            ..self
        }
    }
}

impl Quantity {
    /// Why the interval lies beside the number, where it does.
    pub fn missed(&self) -> Option<&'static str> {
        let (Reading::Value(value), Ok(range)) = (&self.value, &self.interval) else {
            return None;
        };
        match (range.low..=range.high).contains(value) {
            true => None,
            false if self.method.starts_with(BASIC) => {
                Some("the number is biased, and the interval takes the bias off")
            }
            false => Some("resampled items repeat, which this number does not bear"),
        }
    }

    /// The same, with its interval kept between the ends the value can have, and its method saying
    /// so.
    ///
    /// A t interval and one of resamples turned round know no ends; shares and resamples stay
    /// within them by themselves.
    pub fn within(mut self, ends: Ends) -> Quantity {
        let words = match ends {
            (Some(low), Some(high)) => format!("within {low} and {high}"),
            (Some(low), None) => format!("not below {low}"),
            (None, Some(high)) => format!("not above {high}"),
            (None, None) => return self,
        };
        let knows_no_ends = self.method == T_OVER_SEEDS || self.method.starts_with(BASIC);
        if self.interval.is_ok() && knows_no_ends {
            self.interval = self.interval.map(|range| range.within(ends));
            self.method = format!("{}, kept {}", self.method, words.replace('-', "−"));
        }
        self
    }
}

/// The method of an interval over readings of seeds.
pub(super) const T_OVER_SEEDS: &str = "t over seeds";
/// The method of an interval from resamples that were turned round.
pub(super) const BASIC: &str = "basic bootstrap";

/// A gauge at a place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Where.
    pub place: Place,
    /// The gauge.
    pub gauge: String,
    /// The mean over replicates.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// The value of each seed.
    pub by_seed: Vec<(u64, Reading)>,
    /// What the number is made of, for every seed that has a detail.
    #[serde(default)]
    pub details: Vec<(u64, Detail)>,
}

impl Estimate {
    /// What the number is made of, for the first seed that has a detail.
    pub fn detail(&self) -> Option<&Detail> {
        self.details.first().map(|(_, detail)| detail)
    }
}

/// A gauge at a place, on the items that have one value in one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Where.
    pub place: Place,
    /// The gauge.
    pub gauge: String,
    /// The column.
    pub column: String,
    /// The value of that column.
    pub slice: String,
    /// What is read there; its items are the slice's.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// Whether it is the worst of its column at this place.
    pub worst: bool,
}

/// A paired difference: `of` minus `against`, on the same units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contrast {
    /// The place whose value counts positive.
    pub of: Place,
    /// The place whose value counts negative.
    pub against: Place,
    /// The gauge.
    pub gauge: String,
    /// The difference.
    #[serde(flatten)]
    pub quantity: Quantity,
}

/// Why a curve has no break point when every rung is known.
pub const NOWHERE: &str = "nowhere: no drop stands apart from zero";
/// The same, where the hardest rung is better than clean, and the interval of that excludes zero.
pub const BETTER: &str = "nowhere: it is better at the hardest than when clean";

/// Why the curve of a gauge without a better way has none.
pub const NEITHER: &str = "neither way is better";

/// A gauge over the severities of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// The subject.
    pub subject: Name,
    /// The dataset it was tested on.
    pub dataset: Name,
    /// The ladder.
    pub ladder: Name,
    /// The gauge.
    pub gauge: String,
    /// The points, the clean rung first.
    pub points: Vec<CurvePoint>,
    /// Trapezoid over severity, divided by the severity range.
    pub area: Quantity,
    /// What each step takes, in the gauge's bad direction: positive is worse; where neither way is
    /// better, what it falls by.
    pub drops: Vec<Drop>,
    /// The smallest severity at which the interval of the drop against clean excludes zero, or why
    /// there is none.
    pub break_point: Result<Severity, String>,
    /// Whether one step takes more than half of the total drop.
    pub shape: Shape,
    /// Kendall's τ-b of value against severity, in the direction of "worse with severity": 1 is a
    /// steady fall.
    pub monotonicity: Reading,
}

/// One point of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// How hard.
    pub severity: Severity,
    /// What was read.
    #[serde(flatten)]
    pub quantity: Quantity,
}

/// What one step of a ladder takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drop {
    /// From this rung.
    pub from: Severity,
    /// To this one.
    pub to: Severity,
    /// How much worse, in points of the gauge.
    pub step: Quantity,
    /// The same per unit of severity.
    pub per_unit: Reading,
}

/// How a curve falls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// One step takes more than half of the total drop.
    Cliff {
        /// From this rung.
        from: Severity,
        /// To this one.
        to: Severity,
        /// Its share of the total drop.
        share: f64,
        /// The interval of that share.
        interval: Result<Range, String>,
    },
    /// No step does.
    Graceful {
        /// The largest step's share of the total drop.
        largest_share: f64,
    },
    /// The total drop does not stand apart from zero.
    NoDrop,
    /// It cannot be said, and why.
    Undefined(String),
}

/// A level to compare with: chance, a rule without learning. Computed here, so it counts as
/// measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Level {
    /// What it is called.
    pub name: String,
    /// The gauge it is a value of.
    pub gauge: String,
    /// The dataset it holds on; none: all.
    pub dataset: Option<Name>,
    /// The value.
    pub value: f64,
}

/// What somebody expected, or measured elsewhere. Never shown as if it were a measurement of this
/// study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectation {
    /// Where it should hold.
    pub place: Place,
    /// The gauge.
    pub gauge: String,
    /// The lower end of what is expected.
    pub low: f64,
    /// The upper end of what is expected.
    pub high: f64,
    /// Who expects it: a brief, a paper.
    pub source: String,
}

/// A claim and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimFinding {
    /// Its name.
    pub name: String,
    /// The family it is corrected in.
    pub family: String,
    /// The claim as a sentence.
    pub sentence: String,
    /// The gauge.
    #[serde(default)]
    pub gauge: String,
    /// Where it was read.
    #[serde(default)]
    pub of: Option<Place>,
    /// What it was compared with, if anything.
    #[serde(default)]
    pub against: Option<Place>,
    /// What became of it.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub why: String,
    /// What would decide it, when it is undecided.
    pub would_decide: Option<String>,
    /// The difference or the value that was judged.
    pub quantity: Quantity,
    /// The interval the verdict rests on, after correction over the family.
    pub judged_by: Result<Range, String>,
    /// How that interval was made, and over how many units.
    #[serde(default)]
    pub judged_how: String,
    /// The margin.
    pub margin: f64,
    /// The side: `greater`, `less` or `equivalent`.
    pub side: String,
    /// The test against zero.
    pub test: Result<TestCard, String>,
    /// Effect sizes by name; the name says the denominator.
    pub effects: Vec<(String, Reading)>,
    /// What this n can show at all: smallest reachable p, smallest detectable effect, in sentences.
    pub power: Vec<String>,
}

impl ClaimFinding {
    /// Whether a difference was judged; else the value itself.
    pub fn is_difference(&self) -> bool {
        self.against.is_some()
    }

    /// The lines its interval is judged by.
    pub fn margins(&self) -> Vec<f64> {
        match self.side.as_str() {
            "equivalent" => vec![-self.margin, self.margin],
            "less" if self.is_difference() => vec![-self.margin],
            _ => vec![self.margin],
        }
    }
}

/// A test against zero: significance, which is not the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestCard {
    /// Which test, in which form.
    pub method: String,
    /// Its statistic.
    pub statistic: f64,
    /// Its p-value.
    pub p: f64,
    /// The p-value after correction over the family.
    pub p_adjusted: f64,
    /// The correction, with the size of the family.
    pub correction: String,
    /// The level.
    pub alpha: f64,
    /// Whether the adjusted p-value is below the level.
    pub significant: bool,
    /// How many units the test saw.
    pub n: usize,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The interval lies beyond the margin.
    Upheld,
    /// The interval lies wholly short of it.
    Refuted,
    /// Neither.
    Undecided,
}

/// A doubt the program raises itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Caveat {
    /// The doubt, as a sentence.
    pub text: String,
    /// The subject it touches; none: all.
    pub subject: Option<Name>,
    /// The dataset it touches; none: all.
    pub dataset: Option<Name>,
    /// The ladder it touches; none: all.
    pub ladder: Option<Name>,
    /// The gauge it touches; none: all.
    pub gauge: Option<String>,
    /// The claim it touches; none: all.
    pub claim: Option<String>,
}

/// One item, before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exhibit {
    /// Where.
    pub place: Place,
    /// The seed of the replicate.
    pub seed: u64,
    /// The item; for a graph, the dataset.
    pub item: String,
    /// What is true of it, in words.
    pub truth: String,
    /// What was said of it when clean.
    pub said_clean: String,
    /// What was said of it under stress.
    pub said_pressed: String,
    /// What it looks like.
    pub sight: Sight,
}

/// What an exhibit looks like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sight {
    /// An image, channels × height × width, each value 0–255.
    Image {
        /// Channels, height, width.
        shape: [usize; 3],
        /// Before stress.
        before: Vec<u8>,
        /// Under stress.
        after: Vec<u8>,
    },
    /// A text.
    Text {
        /// Before stress.
        before: String,
        /// Under stress.
        after: String,
    },
    /// A graph, learned beside true.
    Graph {
        /// The variables.
        variables: Vec<String>,
        /// The true edges.
        truth: Vec<(u32, u32)>,
        /// The edges learned when clean.
        clean: Vec<(u32, u32)>,
        /// The edges learned under stress.
        pressed: Vec<(u32, u32)>,
        /// How often each edge was chosen, over the seeds, where all of them had the same truth;
        /// else none.
        #[serde(default)]
        shares: Option<EdgeShares>,
    },
}

/// How often edges were chosen over several seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EdgeShares {
    /// How many seeds answered both clean and under stress.
    pub seeds: usize,
    /// Each edge that was chosen at all when clean, with the share of seeds that chose it.
    pub clean: Vec<((u32, u32), f64)>,
    /// The same under stress.
    pub pressed: Vec<((u32, u32), f64)>,
}

/// A cell without answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedCell {
    /// Where.
    pub place: Place,
    /// The seed of the replicate.
    pub seed: u64,
    /// What happened.
    pub why: String,
}
