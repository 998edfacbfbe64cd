//! A made-up truth: answers of subjects whose accuracy in the population is known exactly, as parts
//! that a study can name.
//!
//! Item j is answered rightly by a subject for a seed where `edge + item + own item + seed + noise`
//! is above zero, all normal, so that the accuracy over new items and new seeds is Φ(edge / √(sum
//! of variances)). Everything is drawn from (study, seed, subject, rung) by counting.

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::data::{Dataset, InputKind, Inputs, Items, Source, Split};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::place::Under;
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{Circumstances, Recording, SubjectPart};
use duress_core::truth::{Labels, Truth};
use duress_stats::dist::Normal;
use duress_stats::random::RandomStream;

/// How many items a study has, if nothing else is said.
pub(crate) const ITEMS: usize = 200;

/// The column that names an item's cluster.
pub(crate) const CLUSTER: &str = "patient";

/// What dominates: standard deviations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spread {
    /// Between items, for all subjects alike.
    pub(crate) item: f64,
    /// Between items, of each subject by itself.
    pub(crate) own: f64,
    /// Between seeds of a subject.
    pub(crate) seed: f64,
    /// What is left.
    pub(crate) noise: f64,
    /// How many neighbours share what is theirs: more than one makes a cluster.
    pub(crate) together: usize,
}

impl Spread {
    /// All but what seeds add: how answers of one seed scatter.
    pub(crate) fn within_seed(&self) -> f64 {
        let squares = [self.item, self.own, self.noise].map(|sd| sd * sd);
        squares.iter().sum::<f64>().sqrt()
    }

    pub(crate) fn total(&self) -> f64 {
        self.within_seed().hypot(self.seed)
    }
}

/// The structures of the rows, by name.
pub(crate) const SPREADS: [(&str, Spread); 5] = [
    ("items", spread([1.0, 0.5, 0.02, 0.5], 1)),
    ("seeds", spread([1.0, 0.1, 0.35, 0.5], 1)),
    ("both", spread([1.0, 0.5, 0.1, 0.5], 1)),
    ("residual", spread([0.0, 0.0, 0.0, 1.0], 1)),
    ("clusters", spread([1.0, 0.5, 0.02, 0.5], 5)),
];

const fn spread([item, own, seed, noise]: [f64; 4], together: usize) -> Spread {
    Spread {
        item,
        own,
        seed,
        noise,
        together,
    }
}

pub(crate) const fn field(name: &'static str, takes: Takes, default: &'static str) -> Field {
    Field {
        name,
        takes,
        doc: "of the made-up truth",
        default: Some(default),
    }
}

/// Items of two classes.
pub(crate) static MADE_ITEMS: Part = Part {
    name: "made-items",
    version: 1,
    fields: &[
        field("study", Takes::Whole(0, 1_000_000_000), "0"),
        field("nested", Takes::Flag, "false"),
        field("together", Takes::Whole(1, 1000), "1"),
        field("items", Takes::Whole(1, 100_000), "200"),
    ],
    source: "//! Items of a made-up truth.",
    build: Build::Dataset(|params| {
        Ok(Box::new(MadeItems {
            study: params.count("study"),
            nested: params.flag("nested"),
            together: params.count("together"),
            items: params.count("items"),
        }))
    }),
};

struct MadeItems {
    study: usize,
    nested: bool,
    together: usize,
    items: usize,
}

impl Source for MadeItems {
    fn kind(&self) -> InputKind {
        InputKind::Unseen
    }

    fn offers(&self) -> Question {
        Question::Classes
    }

    fn varies(&self) -> bool {
        self.nested
    }

    fn load(&self, seed: Seed) -> Result<Dataset, Problem> {
        let own = match self.nested {
            true => seed.child("items").draws().uniform(),
            false => self.study as f64,
        };
        let ids = (0..self.items)
            .map(|item| format!("{own}-{item}"))
            .collect();
        let labels = (0..self.items).map(truth).collect();
        let labels = Labels::new(classes(), labels).map_err(|why| Problem::new(why.to_string()))?;
        let items = Items::new(ids, Inputs::Unseen(self.items))?;
        let mut split = Split::new(items, Truth::Labels(labels))?;
        if self.together > 1 {
            let patients = (0..self.items).map(|item| format!("{own}-{}", item / self.together));
            split = split.with_column(CLUSTER, patients.collect());
        }
        Dataset::new(None, split)
    }
}

/// The true class of an item: clusters have both.
pub(crate) fn truth(item: usize) -> u32 {
    (item % 2) as u32
}

pub(crate) fn classes() -> Vec<String> {
    vec!["no".into(), "yes".into()]
}

/// Answers to them.
pub(crate) static MADE_ANSWERS: Part = Part {
    name: "made-answers",
    version: 1,
    fields: &[
        field("study", Takes::Whole(0, 1_000_000_000), "0"),
        field("who", Takes::Whole(0, 100), "0"),
        field("spread", Takes::Whole(0, 4), "0"),
        field("accuracy", Takes::Number(0.0, 1.0), "0.8"),
        field("fall", Takes::Number(0.0, 1.0), "0"),
        field("nested", Takes::Flag, "false"),
        field("absent", Takes::Flag, "false"),
        field("sure", Takes::Flag, "false"),
        field("items", Takes::Whole(1, 100_000), "200"),
        field("marks", Takes::Text, ""),
    ],
    source: "//! Answers of a made-up truth.",
    build: Build::Subject(|params| Ok(SubjectPart::Recorded(Box::new(Made::new(params))))),
};

/// A made-up subject.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) study: u64,
    pub(crate) who: u64,
    pub(crate) spread: Spread,
    pub(crate) accuracy: f64,
    /// How much accuracy falls per unit of severity.
    pub(crate) fall: f64,
    pub(crate) nested: bool,
    pub(crate) absent: bool,
    /// Whether it says how sure it is of each class, and not the class alone.
    pub(crate) sure: bool,
    pub(crate) items: usize,
    /// Where a file for each seed and rung tells cells apart.
    pub(crate) marks: PathBuf,
}

/// How one item is answered: how far above zero, or not at all.
pub(crate) type Margin = Option<f64>;

impl Made {
    fn new(params: &Params) -> Made {
        Made {
            study: params.count("study") as u64,
            who: params.count("who") as u64,
            spread: SPREADS[params.count("spread")].1,
            accuracy: params.number("accuracy"),
            fall: params.number("fall"),
            nested: params.flag("nested"),
            absent: params.flag("absent"),
            sure: params.flag("sure"),
            items: params.count("items"),
            marks: params.text("marks").into(),
        }
    }

    fn normals(&self, kind: u64, seed: u64, who: u64, rung: u64) -> Normals {
        let key = self.study << 24 | kind << 20 | seed << 8 | who;
        Normals {
            stream: RandomStream::new(key, rung),
            spare: None,
        }
    }

    /// What a seed adds to all of a subject's answers at a severity.
    fn of_seed(&self, seed: u64, severity: f64) -> f64 {
        self.spread.seed * self.normals(2, seed, self.who, rung(severity)).next()
    }

    fn edge(&self, severity: f64) -> f64 {
        let accuracy = (self.accuracy - self.fall * severity).clamp(1e-6, 1.0 - 1e-6);
        self.spread.total() * Normal.quantile(accuracy).unwrap_or(0.0)
    }

    /// The accuracy of one seed on all items there are.
    pub(crate) fn accuracy_of_seed(&self, seed: u64) -> f64 {
        let shift = self.edge(0.0) + self.of_seed(seed, 0.0);
        Normal.cdf(shift / self.spread.within_seed())
    }

    /// How each item is answered, for a seed at a severity.
    pub(crate) fn margins(&self, seed: u64, severity: f64) -> Vec<Margin> {
        let Spread {
            item,
            own,
            noise,
            together,
            ..
        } = self.spread;
        let of_items = if self.nested { seed + 1 } else { 0 };
        let shift = self.edge(severity) + self.of_seed(seed, severity);
        let mut items = self.normals(0, of_items, 0, 0);
        let mut owns = self.normals(1, of_items, self.who, 0);
        let mut noises = self.normals(3, seed, self.who, rung(severity));
        let mut gone = self.normals(4, seed, self.who, 0).stream;
        let mut theirs = 0.0;
        let one = |at: usize| {
            if at.is_multiple_of(together) {
                theirs = item * items.next() + own * owns.next();
            }
            let margin = shift + theirs + noise * noises.next();
            let answered = !self.absent || gone.next_unit() >= 0.05;
            answered.then_some(margin)
        };
        (0..self.items).map(one).collect()
    }
}

/// Normal numbers, two at a time (G. E. P. Box and M. E. Muller, 1958).
struct Normals {
    stream: RandomStream,
    spare: Option<f64>,
}

impl Normals {
    fn next(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * (1.0 - self.stream.next_unit()).ln()).sqrt();
        let (sine, cosine) = (TAU * self.stream.next_unit()).sin_cos();
        self.spare = Some(radius * sine);
        radius * cosine
    }
}

fn rung(severity: f64) -> u64 {
    (severity * 16.0) as u64
}

/// How sure an answer is of the true class.
pub(crate) fn sure(margin: f64) -> f64 {
    1.0 / (1.0 + (-1.5 * margin).exp())
}

/// The class that an answer names.
pub(crate) fn named(item: usize, margin: Margin) -> u32 {
    match margin {
        Some(margin) if margin <= 0.0 => 1 - truth(item),
        _ => truth(item),
    }
}

fn severity(at: &Circumstances) -> f64 {
    match &at.under {
        Under::Rung { severity, .. } => severity.value(),
        _ => 0.0,
    }
}

fn mark(seed: u64, severity: f64) -> String {
    format!("{seed}-{severity}")
}

/// The file that tells a cell from others.
pub(crate) fn mark_of(marks: &Path, at: &Circumstances) -> PathBuf {
    marks.join(mark(at.seed, severity(at)))
}

/// Writes the files that tell seeds and rungs apart: what was recorded elsewhere is known by its
/// files, and answers that are made up have none.
pub(crate) fn write_marks(folder: &Path) -> std::io::Result<()> {
    for seed in 1..=10 {
        for severity in 0..=5 {
            let name = mark(seed, f64::from(severity));
            std::fs::write(folder.join(&name), &name)?;
        }
    }
    Ok(())
}

impl Recording for Made {
    fn answers(&self) -> Vec<Question> {
        vec![Question::Classes]
    }

    fn sources(&self, at: &Circumstances) -> Result<Vec<PathBuf>, Problem> {
        Ok(vec![mark_of(&self.marks, at)])
    }

    fn look_up(
        &self,
        at: &Circumstances,
        _question: Question,
        _items: &Items,
    ) -> Result<Answers, Problem> {
        let margins = self.margins(at.seed, severity(at));
        let each = || margins.iter().enumerate();
        let said = match self.sure {
            true => {
                let rows = each().flat_map(|(item, margin)| {
                    let sure = sure(margin.unwrap_or(0.0));
                    let yes = if truth(item) == 1 { sure } else { 1.0 - sure };
                    [1.0 - yes, yes]
                });
                Said::Probabilities(rows.collect())
            }
            false => Said::Labels {
                label: each().map(|(item, margin)| named(item, *margin)).collect(),
                confidence: None,
            },
        };
        let mut said = ClassAnswers::new(classes(), said);
        for (item, _) in each().filter(|(_, margin)| margin.is_none()) {
            said = said.without(item, "absent by design");
        }
        Ok(Answers::Classes(said))
    }

    fn classes(&self, _at: &Circumstances) -> Result<Option<Vec<String>>, Problem> {
        Ok(Some(classes()))
    }
}
