//! Blocks: studies of one setting, looked at after several numbers of seeds; each look is a row.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use duress::run::RunPaths;
use duress::{Registry, RunOptions, Study};
use duress_findings::{ClaimFinding, Findings, Quantity, Shape, Under, Verdict};

use crate::binary::{Binary, THROUGH_BINARY};
use crate::graph::{self, MADE_GRAPH, MADE_LEARNER};
use crate::line::{Bar, Line, Row};
use crate::model::{CLUSTER, ITEMS, MADE_ANSWERS, MADE_ITEMS, Made, SPREADS};
use crate::truth::in_population;
use crate::{comparison, rival};

/// How many studies are run as one file: each with its own data, subjects and families.
pub(crate) const TOGETHER: usize = 20;

/// The gauges whose differences and own intervals are counted together.
const GAUGES: [&str; 5] = ["auroc-macro", "f1", "mcc", "aurc", "ece"];

/// Those that are read of many items.
const LEFT_OUT: [&str; 2] = ["auroc-macro", "f1"];

/// How many these are.
const MANY: usize = 1000;

/// The margin of an equivalence, which is the true difference too.
const MARGIN: f64 = 0.1;

/// How much accuracy falls per rung, where it falls.
const FALL: f64 = 0.06;

/// The difference of a family's claims that are not null.
const EFFECT: f64 = 0.15;

/// What the studies of a block are held to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Cover of an accuracy and of a difference that is zero; verdicts on that difference.
    Accuracy,
    /// The same of other gauges.
    Gauges,
    /// The same of gauges that leave items out in groups, of more items than are left out one by one.
    ManyItems,
    /// A ladder on which nothing happens: break points; areas, drops, attack success rates.
    Noise,
    /// A ladder on which accuracy falls by as much each step: cliffs.
    Linear,
    /// Ten claims in one family, of which so many are true: any verdict on the others.
    Family(usize),
    /// Equivalence where the truth is the margin.
    Equivalence,
    /// Two runs of one truth: any change.
    Compare,
    /// F1 of learnt graphs, free or mostly perfect.
    Graphs(graph::Ceiling),
    /// A difference that is there, beside what rivals make of it.
    Power,
}

/// How seeds and items meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Design {
    /// All seeds met the same items.
    Crossed,
    /// Each seed met its own.
    Nested,
    /// The same items, and one answer in twenty is not there.
    Absent,
}

/// Studies of one setting.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) kind: Kind,
    pub(crate) spread: usize,
    pub(crate) design: Design,
    pub(crate) accuracy: f64,
    /// After how many seeds there is a look.
    pub(crate) looks: Vec<usize>,
    pub(crate) studies: usize,
}

/// Counts of a block, by row and measure, in the order of their names.
#[derive(Default)]
pub(crate) struct Tally(BTreeMap<(Row, String), (Bar, u64, u64)>);

impl Tally {
    pub(crate) fn count(&mut self, row: &Row, measure: &str, bar: Bar, hit: bool) {
        let key = (row.clone(), measure.to_string());
        let (_, hits, of) = self.0.entry(key).or_insert((bar, 0, 0));
        *hits += u64::from(hit);
        *of += 1;
    }

    pub(crate) fn set(&mut self, row: &Row, measure: &str, bar: Bar, hits: u64, of: u64) {
        let key = (row.clone(), measure.to_string());
        self.0.insert(key, (bar, hits, of));
    }

    pub(crate) fn hits(&self, row: &Row, measure: &str) -> u64 {
        let found = self.0.get(&(row.clone(), measure.to_string()));
        found.map_or(0, |(_, hits, _)| *hits)
    }

    pub(crate) fn lines(self) -> Vec<Line> {
        let each = self.0.into_iter();
        each.map(|((row, measure), (bar, hits, of))| Line {
            row,
            measure,
            bar,
            hits,
            of,
        })
        .collect()
    }
}

/// A claim that every study of a block makes.
#[derive(Clone, Copy)]
struct Asked {
    /// What is claimed about, as the table calls it.
    measure: &'static str,
    gauge: &'static str,
    /// Where it is read and what it is compared with, if not another subject when clean.
    keys: &'static str,
    against: &'static str,
}

const fn asked(measure: &'static str, gauge: &'static str) -> Asked {
    Asked {
        measure,
        gauge,
        keys: "",
        against: "",
    }
}

impl Block {
    pub(crate) fn row(&self, seeds: usize) -> Row {
        let kind = match self.kind {
            Kind::Accuracy => "accuracy".to_string(),
            Kind::Gauges => "gauges".to_string(),
            Kind::ManyItems => format!("gauges of {MANY} items"),
            Kind::Noise => "ladder of noise".to_string(),
            Kind::Linear => "ladder with a linear fall".to_string(),
            Kind::Family(0) => "family of ten nulls".to_string(),
            Kind::Family(effects) => format!("family of {effects} + {}", 10 - effects),
            Kind::Equivalence => "equivalence at its margin".to_string(),
            Kind::Compare => "compare".to_string(),
            Kind::Graphs(graph::Ceiling::Free) => "graph F1".to_string(),
            Kind::Graphs(graph::Ceiling::Mostly) => "graph F1 at its ceiling".to_string(),
            Kind::Power => "power".to_string(),
        };
        let design = match self.design {
            Design::Crossed => "crossed",
            Design::Nested => "nested",
            Design::Absent => "5 % absent",
        };
        Row {
            kind,
            dominates: SPREADS[self.spread].0.to_string(),
            seeds,
            design: design.to_string(),
            accuracy: self.accuracy.to_string(),
        }
    }

    /// The setting without a number of seeds.
    pub(crate) fn name(&self) -> String {
        let row = self.row(0);
        let looks: Vec<String> = self.looks.iter().map(usize::to_string).collect();
        format!(
            "{}, {} dominate, {}, {}, {} seeds",
            row.kind,
            row.dominates,
            row.design,
            row.accuracy,
            looks.join("/")
        )
    }

    /// The number of its first study: no two blocks share one, unless their names hash alike.
    pub(crate) fn first(&self) -> usize {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = self.name().bytes().fold(0xcbf2_9ce4_8422_2325, mix);
        (hash % 8192) as usize * 100_000
    }

    /// Runs all studies from number `first` on.
    pub(crate) fn run(
        &self,
        first: usize,
        folder: &Path,
        binary: Option<&Binary>,
    ) -> Result<Vec<Line>, String> {
        let mut tally = Tally::default();
        match self.kind {
            Kind::Compare => comparison::run(self, first, folder, binary, &mut tally)?,
            _ => {
                for batch in 0..self.studies.div_ceil(TOGETHER) {
                    let from = first + batch * TOGETHER;
                    let count = TOGETHER.min(first + self.studies - from);
                    let through = binary.filter(|_| batch % THROUGH_BINARY == 0);
                    self.batch(from, count, folder, through, &mut tally)?;
                }
            }
        }
        if self.kind == Kind::Power {
            rival::run(self, first, &mut tally)?;
        }
        Ok(tally.lines())
    }

    /// One file of studies, looked at after each number of seeds. Answers are kept between looks,
    /// and nothing else is: each look is the first of its own study.
    fn batch(
        &self,
        first: usize,
        count: usize,
        folder: &Path,
        binary: Option<&Binary>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let run = folder.join(format!("run-{first}"));
        for &seeds in &self.looks {
            let text = self.study(seeds, first..first + count, folder);
            let found = find(&text, &run)?;
            if let Some(binary) = binary.filter(|_| self.goes_through_binary()) {
                binary.same_findings(self, seeds, first..first + count, &found)?;
            }
            self.tally(seeds, &found, first..first + count, tally)?;
            forget_all_but_answers(&run).map_err(|why| why.to_string())?;
        }
        fs::remove_dir_all(&run).map_err(|why| why.to_string())
    }

    /// Recorded answers have no clusters of each seed's own: their labels are in one file.
    fn goes_through_binary(&self) -> bool {
        self.design != Design::Nested || SPREADS[self.spread].1.together == 1
    }

    /// The study file of several studies at once, of made-up parts.
    fn study(&self, seeds: usize, studies: std::ops::Range<usize>, marks: &Path) -> String {
        let nested = self.design == Design::Nested;
        let mut text = self.head(seeds);
        for study in studies.clone() {
            if let Kind::Graphs(ceiling) = self.kind {
                text += &graph::study(study, ceiling, marks);
                continue;
            }
            let together = SPREADS[self.spread].1.together;
            let _ = writeln!(
                text,
                "dataset.d{study} = {{ use = \"made-items\", study = {study}, nested = {nested}, together = {together}, items = {}{} }}",
                self.items(),
                self.cluster()
            );
            for one in self.subjects(study) {
                let _ = writeln!(
                    text,
                    "subject.s{study}-{} = {{ use = \"made-answers\", on = \"d{study}\", study = {study}, who = {}, spread = {}, accuracy = {}, fall = {}, nested = {nested}, absent = {}, sure = {}, items = {}, marks = {marks:?} }}",
                    one.who,
                    one.who,
                    self.spread,
                    one.accuracy,
                    one.fall,
                    one.absent,
                    one.sure,
                    one.items,
                );
            }
        }
        text + &self.rest(studies)
    }

    pub(crate) fn cluster(&self) -> String {
        match SPREADS[self.spread].1.together {
            1 => String::new(),
            _ => format!(", cluster = \"{CLUSTER}\""),
        }
    }

    /// How a study begins: its seeds and its ladder.
    pub(crate) fn head(&self, seeds: usize) -> String {
        let seeds: Vec<usize> = (1..=seeds).collect();
        let ladder = match self.has_ladder() {
            true => "ladder.storm = { use = \"elsewhere\", severities = [1, 2, 3, 4, 5] }\n",
            false => "",
        };
        format!("name = \"simulated\"\nseeds = {seeds:?}\n{ladder}")
    }

    /// How it ends: its gauges and claims.
    pub(crate) fn rest(&self, studies: std::ops::Range<usize>) -> String {
        let area = match self.has_ladder() {
            true => "[gauge.area]\nuse = \"area\"\n",
            false => "",
        };
        let mut text = format!(
            "\n[analysis]\ngauges = {:?}\nresamples = 400\n{area}",
            self.gauges()
        );
        for study in studies {
            for (at, one) in self.asked().iter().enumerate() {
                text += &self.claim(study, at, one);
            }
        }
        text
    }

    fn items(&self) -> usize {
        match self.kind {
            Kind::ManyItems => MANY,
            _ => ITEMS,
        }
    }

    pub(crate) fn has_ladder(&self) -> bool {
        matches!(self.kind, Kind::Noise | Kind::Linear | Kind::Compare)
    }

    fn gauges(&self) -> Vec<&'static str> {
        match self.kind {
            Kind::Gauges => GAUGES.to_vec(),
            Kind::ManyItems => LEFT_OUT.to_vec(),
            Kind::Noise => vec!["accuracy", "attack-success-rate"],
            Kind::Compare => comparison::GAUGES.to_vec(),
            Kind::Graphs(_) => vec!["directed-f1"],
            _ => vec!["accuracy"],
        }
    }

    fn asked(&self) -> Vec<Asked> {
        match self.kind {
            Kind::Gauges => GAUGES.map(|gauge| asked(gauge, gauge)).to_vec(),
            Kind::ManyItems => LEFT_OUT.map(|gauge| asked(gauge, gauge)).to_vec(),
            Kind::Noise => vec![
                Asked {
                    keys: "at = { ladder = \"storm\" }\n",
                    ..asked("area", "area")
                },
                Asked {
                    keys: "at = { ladder = \"storm\", severity = 5 }\n",
                    ..asked("attack success rate", "attack-success-rate")
                },
                Asked {
                    keys: "at = { ladder = \"storm\", severity = 5 }\n",
                    against: "clean",
                    ..asked("drop", "accuracy")
                },
            ],
            Kind::Linear | Kind::Compare => Vec::new(),
            Kind::Graphs(_) => vec![asked("directed-f1", "directed-f1")],
            _ => vec![asked("accuracy", "accuracy")],
        }
    }

    fn claim(&self, study: usize, at: usize, one: &Asked) -> String {
        let family = match self.kind {
            Kind::Family(_) => study / 10,
            _ => study,
        };
        let side = match self.kind {
            Kind::Equivalence => format!("side = \"equivalent\"\nmargin = {MARGIN}\n"),
            _ => "side = \"greater\"\n".to_string(),
        };
        let against = match one.against {
            "" => format!("s{study}-1"),
            other => other.to_string(),
        };
        format!(
            "[[claim]]\nname = \"c{study}-{at}\"\nfamily = \"f{family}-{at}\"\ngauge = \"{}\"\nof = \"s{study}-0\"\nagainst = \"{against}\"\n{side}{}",
            one.gauge, one.keys
        )
    }

    /// The subjects of a study.
    pub(crate) fn subjects(&self, study: usize) -> Vec<Made> {
        let gap = match self.kind {
            Kind::Equivalence => MARGIN,
            Kind::Family(effects) if study % 10 < effects => EFFECT,
            Kind::Power => rival::gap(self),
            _ => 0.0,
        };
        let who = match self.kind {
            Kind::Linear | Kind::Compare => 0..1,
            _ => 0..2,
        };
        let one = |who: u64| Made {
            study: study as u64,
            who,
            spread: SPREADS[self.spread].1,
            accuracy: self.accuracy - gap * who as f64,
            fall: if self.kind == Kind::Linear { FALL } else { 0.0 },
            nested: self.design == Design::Nested,
            absent: self.design == Design::Absent,
            sure: matches!(self.kind, Kind::Gauges | Kind::ManyItems | Kind::Compare),
            items: self.items(),
            marks: Default::default(),
        };
        who.map(one).collect()
    }

    fn tally(
        &self,
        seeds: usize,
        found: &Findings,
        studies: std::ops::Range<usize>,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let row = self.row(seeds);
        let claims: BTreeMap<&str, &ClaimFinding> = found
            .claims
            .iter()
            .map(|claim| (claim.name.as_str(), claim))
            .collect();
        let claim = |study: usize, at: usize| {
            let name = format!("c{study}-{at}");
            claims
                .get(name.as_str())
                .copied()
                .ok_or(format!("{name} was not judged"))
        };
        for (at, one) in self.asked().iter().enumerate() {
            let all: Result<Vec<&ClaimFinding>, String> =
                studies.clone().map(|study| claim(study, at)).collect();
            match self.kind {
                Kind::Family(effects) => families(&row, &all?, effects, tally),
                _ => {
                    for (study, claim) in studies.clone().zip(all?) {
                        self.tally_claim(&row, study, one, claim, tally);
                    }
                }
            }
        }
        if !matches!(self.kind, Kind::Family(_)) {
            self.tally_estimates(&row, found, tally);
        }
        for curve in found.curves.iter().filter(|one| is_first(&one.subject)) {
            if curve.gauge != "accuracy" {
                continue;
            }
            if self.kind == Kind::Noise {
                let shown = curve.break_point.is_ok();
                tally.count(&row, "break point", Bar::False, shown);
            }
            let cliff = matches!(curve.shape, Shape::Cliff { .. });
            tally.count(&row, "cliff", Bar::False, cliff);
        }
        Ok(())
    }

    fn tally_claim(
        &self,
        row: &Row,
        study: usize,
        one: &Asked,
        claim: &ClaimFinding,
        tally: &mut Tally,
    ) {
        let truth = self.difference(row.seeds, study);
        let (upheld, refuted) = match self.kind {
            Kind::Power => {
                let upheld = claim.verdict == Verdict::Upheld;
                tally.count(row, "upheld by default", Bar::Told, upheld);
                return;
            }
            Kind::Equivalence => (true, true),
            _ => (truth <= 0.0, truth >= 0.0),
        };
        let measure = |what: &str| format!("{} {what}", one.measure);
        let held = holds(&claim.quantity, truth);
        tally.count(row, &measure("difference held"), Bar::Cover, held);
        let falsely = upheld && claim.verdict == Verdict::Upheld;
        tally.count(row, &measure("upheld"), Bar::False, falsely);
        let falsely = refuted && claim.verdict == Verdict::Refuted;
        tally.count(row, &measure("refuted"), Bar::False, falsely);
    }

    /// The true difference that a claim is about: with one seed, it is meant for that seed.
    fn difference(&self, seeds: usize, study: usize) -> f64 {
        match (self.kind, seeds) {
            (Kind::Accuracy, 1) => {
                let subjects = self.subjects(study);
                subjects[0].accuracy_of_seed(1) - subjects[1].accuracy_of_seed(1)
            }
            (Kind::Equivalence, _) => MARGIN,
            _ => 0.0,
        }
    }

    fn tally_estimates(&self, row: &Row, found: &Findings, tally: &mut Tally) {
        let spread = &SPREADS[self.spread].1;
        let clean = found.estimates.iter().filter(|one| {
            is_first(&one.place.subject)
                && matches!(one.place.under, Under::Clean | Under::Ladder(_))
        });
        for one in clean {
            let gauge = one.gauge.as_str();
            let truth = match (self.kind, gauge, row.seeds) {
                (Kind::Accuracy, _, 1) => study_of(&one.place.subject)
                    .and_then(|study| Some(self.subjects(study).first()?.accuracy_of_seed(1))),
                (Kind::Graphs(ceiling), ..) => Some(graph::in_population(ceiling)),
                (Kind::Noise, "area", _) => Some(self.accuracy),
                (Kind::Linear, "area", _) => Some(self.accuracy - 2.5 * FALL),
                _ => in_population(gauge, spread, self.accuracy),
            };
            if let Some(truth) = truth {
                let measure = format!("{gauge} held");
                tally.count(row, &measure, Bar::Cover, holds(&one.quantity, truth));
            }
        }
    }
}

/// Whether a family of ten has a verdict that is false: its first `effects` claims are true.
fn families(row: &Row, claims: &[&ClaimFinding], effects: usize, tally: &mut Tally) {
    for family in claims.chunks_exact(10) {
        let any = |verdict: Verdict| family[effects..].iter().any(|one| one.verdict == verdict);
        tally.count(row, "any null upheld", Bar::False, any(Verdict::Upheld));
        tally.count(row, "any null refuted", Bar::False, any(Verdict::Refuted));
        for one in &family[..effects] {
            let upheld = one.verdict == Verdict::Upheld;
            tally.count(row, "true effects upheld", Bar::Told, upheld);
        }
    }
}

fn holds(quantity: &Quantity, truth: f64) -> bool {
    let interval = quantity.interval.as_ref();
    interval.is_ok_and(|it| it.low <= truth && truth <= it.high)
}

fn is_first(subject: &duress_core::name::Name) -> bool {
    subject.as_str().ends_with("-0")
}

/// The number of the study a subject belongs to.
fn study_of(subject: &duress_core::name::Name) -> Option<usize> {
    let (study, _) = subject.as_str().strip_prefix('s')?.split_once('-')?;
    study.parse().ok()
}

/// The parts that studies may name.
pub(crate) fn registry() -> Result<Registry, String> {
    [&MADE_ITEMS, &MADE_ANSWERS, &MADE_GRAPH, &MADE_LEARNER]
        .into_iter()
        .try_fold(Registry::standard(), Registry::with)
        .map_err(|taken| taken.to_string())
}

/// Runs a study on one thread: several run side by side.
pub(crate) fn find(text: &str, folder: &Path) -> Result<Findings, String> {
    let registry = registry()?;
    let study = Study::parse(Path::new("simulated.toml"), text, &registry);
    let study = study.map_err(|rejected| format!("{rejected:?}"))?;
    let mut options = RunOptions::in_folder(folder);
    options.jobs = 1;
    options.registry = registry;
    let found = duress::run(&study, &options, &|_| {});
    found.map_err(|why| why.to_string())
}

fn forget_all_but_answers(folder: &Path) -> std::io::Result<()> {
    let paths = RunPaths::new(folder);
    for file in [
        paths.study(),
        paths.plan(),
        paths.events(),
        paths.findings(),
        paths.manifest(),
    ] {
        fs::remove_file(file)?;
    }
    Ok(())
}
