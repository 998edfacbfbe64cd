//! Rows: what is simulated, as study files, and what came of it.

use std::fmt::Write;
use std::path::Path;

use duress::{Registry, RunOptions, Study};
use duress_findings::{Findings, Shape, Verdict};
use duress_stats::Side;
use duress_stats::dist::Binomial;

use crate::model::{MADE_ANSWERS, MADE_ITEMS, SPREADS};

/// How many studies are run as one file: each with its own data, subjects and family.
const TOGETHER: usize = 20;

/// What a row holds its studies to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    /// Cover of an accuracy and of a difference that is zero; verdicts on that difference.
    Null,
    /// As above, of another gauge; its difference alone.
    NullOf(&'static str),
    /// Ten true nulls in one family: any verdict at all.
    Family,
    /// Equivalence where the truth is the margin: upheld.
    Boundary,
    /// A ladder on which nothing happens: a break point.
    BreakPoint,
    /// A ladder on which accuracy falls by as much each step: a cliff.
    Linear,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) asked: Asked,
    pub(crate) spread: usize,
    pub(crate) seeds: usize,
    pub(crate) nested: bool,
    pub(crate) absent: bool,
    pub(crate) accuracy: f64,
}

/// What studies of a row did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) studies: u64,
    /// Intervals of the accuracy that held it, and of the difference.
    pub(crate) held: [u64; 2],
    /// False verdicts: upheld, refuted; or what else the row counts, once.
    pub(crate) wrong: [u64; 2],
}

impl Tally {
    pub(crate) fn add(&mut self, other: Tally) {
        self.studies += other.studies;
        for i in 0..2 {
            self.held[i] += other.held[i];
            self.wrong[i] += other.wrong[i];
        }
    }
}

impl Row {
    pub(crate) fn name(&self) -> String {
        let design = match (self.nested, self.absent) {
            (true, _) => "nested",
            (_, true) => "5 % absent",
            _ => "crossed",
        };
        let asked = match self.asked {
            Asked::Null => "accuracy".to_string(),
            Asked::NullOf(gauge) => gauge.to_string(),
            Asked::Family => "family of ten".to_string(),
            Asked::Boundary => "equivalence at its margin".to_string(),
            Asked::BreakPoint => "break point of noise".to_string(),
            Asked::Linear => "cliff of a linear fall".to_string(),
        };
        format!(
            "{asked}, {} dominate, {} seeds, {design}, {}",
            SPREADS[self.spread].0, self.seeds, self.accuracy
        )
    }

    /// Whether the accuracy's own interval is held to its level: with one seed it is meant for that
    /// seed, of which the truth is another.
    pub(crate) fn holds_accuracy(&self) -> bool {
        self.asked == Asked::Null && (self.seeds > 1 || SPREADS[self.spread].1.seed < 0.05)
    }

    pub(crate) fn holds_difference(&self) -> bool {
        let meant_for_others = self.seeds > 1 || SPREADS[self.spread].1.seed < 0.05;
        matches!(self.asked, Asked::Null | Asked::NullOf(_)) && meant_for_others
    }

    pub(crate) fn judges(&self) -> bool {
        self.seeds > 1 || SPREADS[self.spread].1.seed < 0.05
    }

    /// Runs `studies` of them from number `first` on.
    pub(crate) fn run(&self, first: usize, studies: usize, folder: &Path) -> Result<Tally, String> {
        let mut tally = Tally::default();
        let mut at = first;
        while at < first + studies {
            let count = TOGETHER.min(first + studies - at);
            let found = self.findings(at, count, folder)?;
            tally.add(self.count(&found, at, count));
            at += count;
        }
        Ok(tally)
    }

    fn findings(&self, first: usize, count: usize, folder: &Path) -> Result<Findings, String> {
        let registry = || Registry::standard().with(&MADE_ITEMS).with(&MADE_ANSWERS);
        let text = self.study(first, count, folder);
        let study = Study::parse(Path::new("simulated.toml"), &text, &registry());
        let study = study.map_err(|rejected| format!("{rejected:?}"))?;
        let folder = folder.join(format!("{first}"));
        let mut options = RunOptions::in_folder(&folder);
        options.jobs = 1;
        options.registry = registry();
        let found = duress::run(&study, &options, &|_| {});
        let findings = found.map_err(|why| why.to_string())?;
        std::fs::remove_dir_all(&folder).map_err(|why| why.to_string())?;
        Ok(findings)
    }

    /// The study file of several studies at once.
    fn study(&self, first: usize, count: usize, folder: &Path) -> String {
        let seeds: Vec<usize> = (1..=self.seeds).collect();
        let gauge = self.gauge();
        let mut text = format!("name = \"simulated\"\nseeds = {seeds:?}\n");
        if matches!(self.asked, Asked::BreakPoint | Asked::Linear) {
            text += "ladder.storm = { use = \"elsewhere\", severities = [1, 2, 3, 4, 5] }\n";
        }
        let mut claims = String::new();
        for study in first..first + count {
            let fall = if self.asked == Asked::Linear {
                0.06
            } else {
                0.0
            };
            let gap = if self.asked == Asked::Boundary {
                0.02
            } else {
                0.0
            };
            let _ = writeln!(
                text,
                "dataset.d{study} = {{ use = \"made-items\", items = 200, study = {study}, nested = {} }}",
                self.nested
            );
            for who in 0..2 {
                let accuracy = self.accuracy - gap * f64::from(who);
                let _ = writeln!(
                    text,
                    "subject.s{study}-{who} = {{ use = \"made-answers\", on = \"d{study}\", study = {study}, who = {who}, spread = {}, accuracy = {accuracy}, fall = {fall}, nested = {}, absent = {}, marks = {:?} }}",
                    self.spread, self.nested, self.absent, folder
                );
            }
            claims += &self.claim(study, &gauge);
        }
        format!("{text}\n[analysis]\ngauges = [\"{gauge}\"]\nresamples = 400\n{claims}")
    }

    fn gauge(&self) -> String {
        match self.asked {
            Asked::NullOf(gauge) => gauge.into(),
            _ => "accuracy".into(),
        }
    }

    fn claim(&self, study: usize, gauge: &str) -> String {
        let family = match self.asked {
            Asked::Family => study / 10,
            _ => study,
        };
        let side = match self.asked {
            Asked::Boundary => "side = \"equivalent\"\nmargin = 0.02",
            Asked::BreakPoint | Asked::Linear => return String::new(),
            _ => "side = \"greater\"",
        };
        format!(
            "[[claim]]\nname = \"c{study}\"\nfamily = \"f{family}\"\ngauge = \"{gauge}\"\nof = \"s{study}-0\"\nagainst = \"s{study}-1\"\n{side}\n"
        )
    }

    fn count(&self, found: &Findings, first: usize, count: usize) -> Tally {
        let mut tally = Tally::default();
        match self.asked {
            Asked::BreakPoint | Asked::Linear => {
                for curve in &found.curves {
                    tally.studies += 1;
                    let shown = match self.asked {
                        Asked::BreakPoint => curve.break_point.is_ok(),
                        _ => matches!(curve.shape, Shape::Cliff { .. }),
                    };
                    tally.wrong[0] += u64::from(shown);
                }
            }
            Asked::Family => {
                for family in first / 10..(first + count) / 10 {
                    let name = format!("f{family}");
                    let any = |verdict: Verdict| {
                        let mut own = found.claims.iter().filter(|one| one.family == name);
                        u64::from(own.any(|one| one.verdict == verdict))
                    };
                    tally.studies += 1;
                    tally.wrong[0] += any(Verdict::Upheld);
                    tally.wrong[1] += any(Verdict::Refuted);
                }
            }
            Asked::Null | Asked::NullOf(_) | Asked::Boundary => {
                for claim in &found.claims {
                    tally.studies += 1;
                    let difference = claim.quantity.interval.as_ref();
                    let held = difference.is_ok_and(|it| it.low <= 0.0 && it.high >= 0.0);
                    tally.held[1] += u64::from(held);
                    tally.wrong[0] += u64::from(claim.verdict == Verdict::Upheld);
                    tally.wrong[1] += u64::from(claim.verdict == Verdict::Refuted);
                }
                let firsts = found.estimates.iter();
                for one in firsts.filter(|one| one.place.subject.as_str().ends_with("-0")) {
                    let interval = one.quantity.interval.as_ref();
                    let truth = self.accuracy;
                    let held = interval.is_ok_and(|it| it.low <= truth && truth <= it.high);
                    tally.held[0] += u64::from(held);
                }
            }
        }
        tally
    }

    /// What of the bar a tally fails, by an exact binomial test at 0.001.
    pub(crate) fn failures(&self, tally: &Tally) -> Vec<&'static str> {
        let mut failed = Vec::new();
        let n = tally.studies;
        let below = |held: u64| tail(held, n, 0.94, Side::Less) < 0.001;
        let above = |wrong: u64| tail(wrong, n, 0.055, Side::Greater) < 0.001;
        if self.holds_accuracy() && below(tally.held[0]) {
            failed.push("cover of the accuracy");
        }
        if self.holds_difference() && below(tally.held[1]) {
            failed.push("cover of the difference");
        }
        if self.judges() && above(tally.wrong[0]) {
            failed.push("upheld, or shown");
        }
        // Under an equivalence at its margin the truth is outside: to refute is right.
        if self.judges() && self.asked != Asked::Boundary && above(tally.wrong[1]) {
            failed.push("refuted");
        }
        failed
    }
}

fn tail(count: u64, of: u64, p: f64, side: Side) -> f64 {
    let Ok(law) = Binomial::new(of, p) else {
        return 1.0;
    };
    match side {
        Side::Less => law.cdf(count),
        _ if count == 0 => 1.0,
        _ => 1.0 - law.cdf(count - 1),
    }
}
