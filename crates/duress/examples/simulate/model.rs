//! A made-up truth: answers of subjects whose accuracy in the population is known exactly, as parts
//! that a study can name.
//!
//! Item j is answered rightly by a subject for a seed where `a + item + own item + seed + noise` is
//! above zero, all normal, so that the accuracy over new items and new seeds is Φ(a / √(sum of
//! variances)). Everything is drawn from (study, seed, subject, item, rung) by counting.

use std::path::{Path, PathBuf};

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::data::{Dataset, Images, InputKind, Inputs, Items, Source, Split};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::place::Under;
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{Circumstances, Recording, SubjectPart};
use duress_core::truth::{Labels, Truth};
use duress_stats::dist::Normal;
use duress_stats::random::RandomStream;

/// What dominates.
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
}

impl Spread {
    fn total(&self) -> f64 {
        let squares = [self.item, self.own, self.seed, self.noise].map(|sd| sd * sd);
        squares.iter().sum::<f64>().sqrt()
    }
}

/// The structures of the rows, by name.
pub(crate) const SPREADS: [(&str, Spread); 4] = [
    ("items", spread(1.0, 0.5, 0.02, 0.5)),
    ("seeds", spread(1.0, 0.1, 0.35, 0.5)),
    ("both", spread(1.0, 0.5, 0.1, 0.5)),
    ("residual", spread(0.0, 0.0, 0.0, 1.0)),
];

const fn spread(item: f64, own: f64, seed: f64, noise: f64) -> Spread {
    Spread {
        item,
        own,
        seed,
        noise,
    }
}

const fn field(name: &'static str, takes: Takes, default: &'static str) -> Field {
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
        field("items", Takes::Whole(2, 1_000_000), "200"),
        field("study", Takes::Whole(0, 1_000_000_000), "0"),
        field("nested", Takes::Flag, "false"),
    ],
    source: "//! Items of a made-up truth.",
    build: Build::Dataset(|params| {
        Ok(Box::new(MadeItems {
            items: params.count("items"),
            study: params.count("study"),
            nested: params.flag("nested"),
        }))
    }),
};

struct MadeItems {
    items: usize,
    study: usize,
    nested: bool,
}

impl Source for MadeItems {
    fn kind(&self) -> InputKind {
        InputKind::Images
    }

    fn offers(&self) -> Question {
        Question::Classes
    }

    fn varies(&self) -> bool {
        self.nested
    }

    fn load(&self, seed: Seed) -> Result<Dataset, Problem> {
        let own = if self.nested {
            seed.child("items").draws().uniform()
        } else {
            self.study as f64 / 1e9
        };
        let pixels = (0..self.items).flat_map(|j| [own as f32, j as f32 / self.items as f32]);
        let images = Images::new([1, 1, 2], pixels.collect())?;
        let ids = (0..self.items).map(|j| format!("{own}-{j}")).collect();
        let labels = (0..self.items as u32).map(|j| j % 2).collect();
        let labels = Labels::new(classes(), labels).map_err(|why| Problem::new(why.to_string()))?;
        let items = Items::new(ids, Inputs::Images(images))?;
        Dataset::new(None, Split::new(items, Truth::Labels(labels))?)
    }
}

fn classes() -> Vec<String> {
    vec!["no".into(), "yes".into()]
}

/// Answers to them.
pub(crate) static MADE_ANSWERS: Part = Part {
    name: "made-answers",
    version: 1,
    fields: &[
        field("study", Takes::Whole(0, 1_000_000_000), "0"),
        field("who", Takes::Whole(0, 100), "0"),
        field("spread", Takes::Whole(0, 3), "0"),
        field("accuracy", Takes::Number(0.0, 1.0), "0.8"),
        field("fall", Takes::Number(0.0, 1.0), "0"),
        field("nested", Takes::Flag, "false"),
        field("absent", Takes::Flag, "false"),
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
    /// Where a file for each seed and rung tells cells apart.
    marks: PathBuf,
}

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
            marks: params.text("marks").into(),
        }
    }

    /// A normal draw that belongs to these numbers.
    fn normal(&self, kind: u64, seed: u64, who: u64, at: u64) -> f64 {
        let key = self.study << 24 | kind << 20 | seed << 8 | who;
        let unit = RandomStream::new(key, at).next_unit();
        let inside = unit.clamp(1e-15, 1.0 - 1e-15);
        Normal.quantile(inside).unwrap_or(0.0)
    }

    /// How far above zero each item's answer lies, for a seed at a severity; absent ones have none.
    pub(crate) fn margins(&self, seed: u64, severity: f64, items: usize) -> Vec<Option<f64>> {
        let accuracy = (self.accuracy - self.fall * severity).clamp(1e-6, 1.0 - 1e-6);
        let edge = self.spread.total() * Normal.quantile(accuracy).unwrap_or(0.0);
        let of_items = if self.nested { seed + 1 } else { 0 };
        let rung = (severity * 16.0) as u64;
        let shift = edge + self.spread.seed * self.normal(2, seed, self.who, rung);
        (0..items as u64)
            .map(|j| {
                let item = self.spread.item * self.normal(0, of_items, 0, j);
                let own = self.spread.own * self.normal(1, of_items, self.who, j);
                let noise = self.normal(3, seed, self.who, j << 8 | rung);
                let gone = self.absent && self.normal(4, seed, self.who, j) > 1.644_854;
                (!gone).then_some(shift + item + own + self.spread.noise * noise)
            })
            .collect()
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
        Ok(vec![self.marks.join(mark(at.seed, severity(at)))])
    }

    fn look_up(
        &self,
        at: &Circumstances,
        _question: Question,
        items: &Items,
    ) -> Result<Answers, Problem> {
        let margins = self.margins(at.seed, severity(at), items.len());
        let rows = margins.iter().enumerate().flat_map(|(j, margin)| {
            let sure = 1.0 / (1.0 + (-1.5 * margin.unwrap_or(0.0)).exp());
            let yes = if j % 2 == 1 { sure } else { 1.0 - sure };
            [1.0 - yes, yes]
        });
        let mut said = ClassAnswers::new(classes(), Said::Probabilities(rows.collect()));
        for (j, _) in margins
            .iter()
            .enumerate()
            .filter(|(_, margin)| margin.is_none())
        {
            said = said.without(j, "absent by design");
        }
        Ok(Answers::Classes(said))
    }

    fn classes(&self, _at: &Circumstances) -> Result<Option<Vec<String>>, Problem> {
        Ok(Some(classes()))
    }
}
