//! Stage 1 of 6: a study file becomes a study.

mod key_check;
mod keys;
mod node;
mod read;
mod reader;
mod remainder;
mod renamed;
pub mod schema;

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use duress_core::name::Name;
use duress_core::part::{Params, Part};
use duress_core::place::{Place, Under};
use duress_core::problem::Problem;
use duress_core::severity::Severity;
use duress_findings::GaugeFloor;
pub use duress_findings::words::{
    ActsOn, ClaimSide, ClaimTest, Correction, FigureFormat, Layout, NumberForm, Scope, Units,
};
use duress_parts::registry::Registry;
use duress_tables::formats::ENDINGS;

use crate::axis::{Axis, DatasetAt, GaugeAt, RaterAt, ReplicateAt, SubjectAt};
pub use reader::Spanned;

/// The format of study files that this duress reads.
pub const FORMAT: i64 = 1;

/// What the user asked for, checked as far as it can be without looking at data.
#[derive(Clone, Debug)]
pub struct Study {
    /// Its name.
    pub name: Name,
    /// The file it was read from.
    pub path: PathBuf,
    /// The text of that file.
    pub text: String,
    /// The hash of that text.
    pub hash: String,
    /// One replicate each.
    pub seeds: Axis<ReplicateAt, u64>,
    /// Which draws differ between replicates.
    pub vary: Vary,
    /// The datasets, in the order of the file; a base comes before what is derived from it.
    pub datasets: Axis<DatasetAt, DatasetDecl>,
    /// The subjects, in the order of the file.
    pub subjects: Axis<SubjectAt, SubjectDecl>,
    /// The ladders.
    pub ladders: Vec<LadderDecl>,
    /// The conditions with a name of their own.
    pub conditions: Vec<ConditionDecl>,
    /// What rates the answers of other subjects.
    pub raters: Axis<RaterAt, RaterDecl>,
    /// The gauges.
    pub gauges: Axis<GaugeAt, GaugeDecl>,
    /// How findings are made.
    pub analysis: AnalysisDecl,
    /// How the report looks.
    pub report: ReportDecl,
    /// Figures from elsewhere.
    pub expectations: Vec<ExpectationDecl>,
    /// Values to compare with.
    pub levels: Vec<LevelDecl>,
    /// Differences to report beside the usual ones.
    pub contrasts: Vec<ContrastDecl>,
    /// The hypotheses.
    pub claims: Vec<ClaimDecl>,
    /// Seconds a fit or a cell may take.
    pub limit: f64,
    /// How many times its size a file may expand to.
    pub expansion: u64,
    /// What its author should know: keys that have other names now.
    pub remarks: Vec<String>,
    /// Whether every section of its text is here: what is wrong is left out of a study that others
    /// only look at.
    pub(crate) is_whole: bool,
}

/// The column every dataset with labels has, whether or not it says so.
pub const CLASS_SLICE: &str = "class";

/// The places a study may have its own stressors act on.
const PRESSED_HERE: &[ActsOn] = &[ActsOn::Train, ActsOn::Test, ActsOn::Both];

/// What a claim's test may count.
const COUNTED_UNITS: &[Units] = &[Units::Seeds, Units::Items];

duress_core::words! {
    /// What may be drawn anew for each replicate.
    pub enum VariedDraw {
        /// The datasets that can.
        Data = "data",
        /// What stressors draw.
        Stress = "stress",
        /// What subjects draw while they are fitted.
        Subject = "subject",
    }
}

/// Which draws differ between replicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vary {
    /// The datasets that can.
    pub data: bool,
    /// What stressors draw.
    pub stress: bool,
    /// What subjects draw while they are fitted.
    pub subject: bool,
}

/// A part with its checked keys.
#[derive(Clone)]
pub struct Chosen {
    /// The part.
    pub part: &'static Part,
    /// Its keys.
    pub params: Params,
}

impl std::fmt::Debug for Chosen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.part.name, self.params)
    }
}

/// One stressor at one severity.
#[derive(Clone, Debug)]
pub struct Press {
    /// The stressor.
    pub chosen: Chosen,
    /// How hard.
    pub severity: Severity,
    /// Where it stands.
    pub span: Range<usize>,
}

/// `[dataset.NAME]`.
#[derive(Clone, Debug)]
pub struct DatasetDecl {
    /// Its name.
    pub name: Name,
    /// Where it comes from.
    pub from: Origin,
    /// Which of its items belong together, where it says so itself.
    pub cluster: Option<ClusterDecl>,
    /// Where it stands.
    pub span: Range<usize>,
}

/// What a study says about items that belong together.
#[derive(Clone, Debug)]
pub enum ClusterDecl {
    /// None do: `"none"`.
    Independent,
    /// The column that says which.
    By(Spanned<String>),
}

/// How a study says that items are independent.
pub const NO_CLUSTER: &str = "none";

/// Where a dataset comes from.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A part reads or generates it.
    Part(Chosen),
    /// Another dataset with stressors baked in.
    Derived {
        /// That dataset.
        base: Name,
        /// The stressors, in order.
        press: Vec<Press>,
        /// The regime that is left out of what is fitted and is all that is tested.
        hold_out: Option<u32>,
    },
}

/// `[subject.NAME]`.
#[derive(Clone, Debug)]
pub struct SubjectDecl {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub chosen: Chosen,
    /// The dataset it is fitted on.
    pub on: Name,
    /// The datasets it is tested on.
    pub test_on: Vec<Name>,
    /// Where it stands.
    pub span: Range<usize>,
}

duress_core::words! {
    /// What is kept of the items that a ladder presses.
    #[derive(Default)]
    pub enum LadderKeeps {
        /// A few of the worst, for the report.
        #[default]
        Worst = "worst",
        /// All images that an attack found, as they are.
        Adversarial = "adversarial",
    }
}

/// `[ladder.NAME]`.
#[derive(Clone, Debug)]
pub struct LadderDecl {
    /// Its name.
    pub name: Name,
    /// The stressor.
    pub chosen: Chosen,
    /// The rungs above the clean one, rising.
    pub severities: Vec<Severity>,
    /// Where it acts.
    pub acts_on: ActsOn,
    /// What is kept of the items it presses.
    pub keeps: LadderKeeps,
    /// The subjects it presses, where the study says so.
    pub subjects: Option<Spanned<Vec<Name>>>,
    /// The datasets it presses them on, where the study says so.
    pub datasets: Option<Spanned<Vec<Name>>>,
    /// Where it stands.
    pub span: Range<usize>,
}

/// `[condition.NAME]`.
#[derive(Clone, Debug)]
pub struct ConditionDecl {
    /// Its name.
    pub name: Name,
    /// The stressors, in order.
    pub press: Vec<Press>,
    /// Where they act.
    pub acts_on: ActsOn,
    /// The subjects they press, where the study says so.
    pub subjects: Option<Spanned<Vec<Name>>>,
    /// The datasets they press them on, where the study says so.
    pub datasets: Option<Spanned<Vec<Name>>>,
    /// Where it stands.
    pub span: Range<usize>,
}

/// `[rater.NAME]`.
#[derive(Clone, Debug)]
pub struct RaterDecl {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub chosen: Chosen,
    /// The dataset it is fitted on, where the study says so.
    pub on: Option<Name>,
    /// The subjects it rates, where the study says so.
    pub subjects: Option<Spanned<Vec<Name>>>,
    /// Where it stands.
    pub span: Range<usize>,
}

/// A gauge, by the name it has in the report.
#[derive(Clone, Debug)]
pub struct GaugeDecl {
    /// Its name: the part's, or that of `[gauge.NAME]`.
    pub name: String,
    /// What it is.
    pub chosen: Chosen,
    /// The rater it reads through, where the study says so.
    pub rater: Option<Name>,
    /// The dataset on which the temperature is fitted that answers are read at, where they are.
    pub temperature_on: Option<Name>,
    /// The dataset on which it chooses what it chooses of itself, where it does.
    pub chosen_on: Option<Name>,
    /// The datasets it is read on, where the study says so; all when it does not.
    pub datasets: Option<Vec<Name>>,
    /// Under what it is read, where the study says so; everything when it does not.
    pub at: Option<Vec<Under>>,
    /// What it is the floor of, where it is one.
    pub floor: Option<GaugeFloor>,
    /// Where it stands.
    pub span: Range<usize>,
}

impl GaugeDecl {
    /// Whether it is read on a dataset.
    pub fn is_read_on(&self, dataset: &Name) -> bool {
        let named = self.datasets.as_ref();
        named.is_none_or(|named| named.contains(dataset))
    }

    /// Whether it is read under this, as far as the study says.
    pub fn is_read_under(&self, under: &Under) -> bool {
        let covers = |one: &Under| match one {
            Under::Ladder(ladder) => under.stress() == Some(ladder),
            exactly => exactly == under,
        };
        self.at.as_ref().is_none_or(|all| all.iter().any(covers))
    }
}

/// `[analysis]`.
#[derive(Clone, Debug)]
pub struct AnalysisDecl {
    /// What is resampled.
    pub units: Units,
    /// Which items belong together, in datasets that do not say it themselves.
    pub cluster: Option<ClusterDecl>,
    /// The columns by whose values gauges are read too.
    pub slices: Spanned<Vec<String>>,
    /// The level of every interval.
    pub level: f64,
    /// How many resamples a bootstrap draws.
    pub resamples: usize,
    /// How p-values are corrected over a family.
    pub correction: Correction,
    /// The subject the others are contrasted with.
    pub reference: Option<Name>,
    /// How many times as steep as the rest together a step has to be shown to be, to be a cliff.
    pub cliff_factor: f64,
    /// The share of answers that may be absent at a place before claims about it are undecided.
    pub absent_at_most: f64,
    /// The numbers of seeds at which claims were declared to be judged, ascending; none: once.
    pub looks: Vec<usize>,
}

/// `[report]`.
#[derive(Clone, Debug)]
pub struct ReportDecl {
    /// Its heading.
    pub title: String,
    /// Items shown per subject and ladder.
    pub exhibits: usize,
    /// The formats figures are written in.
    pub figures: Vec<FigureFormat>,
    /// How tables write numbers: with `intervals`, or as `mean-sd` over seeds.
    pub numbers: NumberForm,
    /// Whose files, names and columns are written beside the report's own.
    pub layouts: Vec<Layout>,
    /// The dataset those are about, where they are about one of several.
    pub layouts_on: Option<Name>,
    /// Whether texts of items and replies are in findings and report.
    pub texts: TextsShown,
}

duress_core::words! {
    /// Whether texts of items and replies are shown.
    pub enum TextsShown {
        /// They are, where items are exhibited.
        Show = "show",
        /// They are not: they are nobody else's business.
        Hide = "hide",
    }
}

/// `[[expectation]]`: a figure from elsewhere.
#[derive(Clone, Debug)]
pub struct ExpectationDecl {
    /// The gauge.
    pub gauge: String,
    /// Where: never [`duress_core::place::Under::Everything`], which no study can say.
    pub place: Place,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Who expects it.
    pub source: String,
}

/// `[[level]]`: a value to compare with.
#[derive(Clone, Debug)]
pub struct LevelDecl {
    /// What it is called.
    pub name: String,
    /// The gauge.
    pub gauge: String,
    /// The dataset it holds on; none: all.
    pub on: Option<Name>,
    /// The value.
    pub value: f64,
}

/// `[[contrast]]`.
#[derive(Clone, Debug)]
pub struct ContrastDecl {
    /// The gauge.
    pub gauge: String,
    /// What counts positive.
    pub place: Place,
    /// The subject that counts negative, at the same place.
    pub against: Name,
}

/// What a claim's subject is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Against {
    /// Nothing: the value itself is judged.
    Nothing,
    /// Its own clean twin.
    Clean,
    /// Itself at the next milder rung of the ladder; clean below the first.
    MilderRung,
    /// Another subject at the same place.
    Subject(Name),
}

/// `[[claim]]`.
#[derive(Clone, Debug)]
pub struct ClaimDecl {
    /// Its name.
    pub name: String,
    /// The family it is corrected in.
    pub family: String,
    /// The level.
    pub alpha: f64,
    /// What it says: one thing, or several parts that all have to hold.
    pub statements: Vec<StatementDecl>,
    /// Where it stands.
    pub span: Range<usize>,
}

duress_core::words! {
    /// What becomes of a claim that rests on a number which its own attack doubts.
    pub enum Doubted {
        /// It is left undecided.
        Undecided = "undecided",
        /// It is judged all the same.
        Judged = "judged",
    }
}

/// One thing that a claim says: the claim itself, or one `[[claim.part]]` of it.
#[derive(Clone, Debug)]
pub struct StatementDecl {
    /// The name of the part; that of the claim where it has no parts.
    pub name: String,
    /// The gauge.
    pub gauge: String,
    /// What it is about.
    pub place: Place,
    /// What that is compared with.
    pub against: Against,
    /// The dataset whose reading is taken off on every side first, item by item.
    pub minus_on: Option<Name>,
    /// Which way.
    pub side: ClaimSide,
    /// How far.
    pub margin: f64,
    /// How it is tested.
    pub test: ClaimTest,
    /// What it is meant for, where that is not what the study's numbers are: new items, new seeds,
    /// or both.
    pub scope: Option<Units>,
    /// Whether a test that counts units counts items; else it counts seeds.
    pub by_items: bool,
    /// What becomes of it where its number is doubted.
    pub doubted: Doubted,
    /// Where it stands.
    pub span: Range<usize>,
}

impl ClaimDecl {
    /// Whether it has parts that are judged each by itself.
    pub fn has_parts(&self) -> bool {
        self.statements.len() > 1
    }

    /// How a statement of this claim is quoted: by the claim, and the part where there are several.
    pub fn quoted(&self, statement: &StatementDecl) -> String {
        match self.has_parts() {
            true => format!("{}: {}", self.name, statement.name),
            false => self.name.clone(),
        }
    }
}

/// What is wrong with a study: every problem, and the text they point into.
#[derive(Debug)]
pub struct Rejected {
    /// The study file.
    pub path: PathBuf,
    /// Its text, as far as it is text.
    pub text: String,
    /// The problems, in the order of the file.
    pub problems: Vec<Problem>,
    /// The study without what is wrong with it, where more can be looked for.
    pub(crate) rest: Option<Box<Study>>,
}

impl Rejected {
    /// Problems of a study whose text is known.
    pub fn new(path: &Path, text: &str, mut problems: Vec<Problem>) -> Rejected {
        problems.sort_by_key(|problem| problem.span.as_ref().map_or(usize::MAX, |span| span.start));
        Rejected {
            path: path.into(),
            text: text.into(),
            problems,
            rest: None,
        }
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problems: Vec<String> = self.problems.iter().map(ToString::to_string).collect();
        write!(f, "{}: {}", self.path.display(), problems.join("; "))
    }
}

impl std::error::Error for Rejected {}

impl Study {
    /// The next milder rung of the same ladder, clean below the first; `None` for what is no rung.
    pub(crate) fn milder_rung(&self, under: &Under) -> Option<Under> {
        let Under::Rung { ladder, severity } = under else {
            return None;
        };
        let decl = self.ladders.iter().find(|decl| decl.name == *ladder)?;
        let at = decl.severities.iter().position(|one| one == severity)?;
        Some(match at.checked_sub(1) {
            None => Under::Clean,
            Some(before) => Under::Rung {
                ladder: ladder.clone(),
                severity: decl.severities[before].clone(),
            },
        })
    }

    /// Reads a study from a file.
    pub fn read(path: &Path, registry: &Registry) -> Result<Study, Rejected> {
        let ending = path
            .extension()
            .map(|ending| ending.to_string_lossy().to_lowercase());
        if path.is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
            let table = Problem::new("this is a table and no study")
                .in_file(path)
                .expected("a TOML file");
            let file = path.display();
            let hint = format!(
                "`duress gauge {file}` reads it, `duress init {file}` writes a study for it"
            );
            return Err(Rejected::new(path, "", vec![table.hint(hint)]));
        }
        let bytes = std::fs::read(path).map_err(|error| {
            let problem = Problem::new(format!("cannot be read: {error}")).in_file(path);
            Rejected::new(path, "", vec![problem])
        })?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let good = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..good]
                .iter()
                .filter(|byte| **byte == b'\n')
                .count();
            let problem = Problem::new("this is not UTF-8 text")
                .in_file(path)
                .on_line(line);
            Rejected::new(
                path,
                "",
                vec![problem.expected("a TOML file saved as UTF-8")],
            )
        })?;
        Study::parse(path, &text, registry)
    }

    /// Reads a study from text; relative paths in it start at the folder of `path`.
    pub fn parse(path: &Path, text: &str, registry: &Registry) -> Result<Study, Rejected> {
        read::read(path, text, registry).map_err(|(problems, rest)| Rejected {
            rest,
            ..Rejected::new(path, text, problems)
        })
    }

    /// The same study with other seeds: what its text says of them is replaced, and nothing else.
    pub fn with_seeds(&self, seeds: &[u64], registry: &Registry) -> Result<Study, Rejected> {
        let nodes = node::parse(&self.text);
        let nodes = nodes.map_err(|problems| Rejected::new(&self.path, &self.text, problems))?;
        let text = match nodes.iter().find(|node| node.key == "seeds") {
            Some(node) => {
                let before = &self.text[..node.span.start];
                let after = &self.text[node.span.end..];
                format!("{before}{seeds:?}{after}")
            }
            None => format!("seeds = {seeds:?}\n{}", self.text),
        };
        Study::parse(&self.path, &text, registry)
    }

    /// The name that the text of a study gives it, whatever else is wrong with it.
    pub fn name_in(text: &str) -> Option<String> {
        let nodes = node::parse(text).ok()?;
        nodes
            .iter()
            .find(|node| node.key == "name")?
            .entry()
            .raw
            .as_text()
    }

    /// The subject of this name.
    ///
    /// # Panics
    /// When there is none; names inside a study were checked when it was read.
    pub fn subject(&self, name: &Name) -> &SubjectDecl {
        let found = self.subjects.iter().find(|subject| subject.name == *name);
        found.unwrap_or_else(|| panic!("subject {name} was checked when the study was read"))
    }
}
