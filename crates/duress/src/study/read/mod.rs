//! From nodes to a study: each section in turn, all problems in one go.

mod analysis;
mod claim;
mod comparison;
mod dataset;
mod floor;
mod gauge;
mod place;
mod press;
mod rater;
mod report;
mod stress;
mod subject;

use std::ops::Range;
use std::path::Path;

use duress_core::name::Name;
use duress_core::part::{Part, PartKind, Raw};
use duress_core::problem::Problem;
use duress_parts::registry::Registry;

use gauge::NamedForGauges;

use super::key_check;
use super::keys::{self, Key};
use super::node::{self, Node, Tree};
use super::reader::{Reader, Spanned};
use super::renamed;
use super::{
    Chosen, ConditionDecl, FORMAT, GaugeDecl, LadderDecl, Study, SubjectDecl, VariedDraw, Vary,
};

/// What every section needs while it is read.
struct StudyReader<'a> {
    registry: &'a Registry,
    folder: &'a Path,
    problems: Vec<Problem>,
    /// The datasets, subjects, raters, ladders and conditions that have a section, sound or not: a
    /// mistake in one is not told again by what refers to it.
    declared: Vec<(Referent, Name)>,
    /// The gauges that are wrong, for the same reason.
    wrong_gauges: Vec<String>,
    /// Whether it is known which replicates there are: what is wrong with them would be told again
    /// by every file of theirs.
    replicates_are_known: bool,
}

duress_core::words! {
    /// What a section can refer to by name.
    enum Referent {
        Dataset = "dataset",
        Subject = "subject",
        Ladder = "ladder",
        Condition = "condition",
        Rater = "rater",
        /// One of the datasets that the subject in question is tested on.
        TestedDataset = "tested dataset",
    }
}

/// A study, or what is wrong with it, with what is left of it where others may look on.
pub(super) fn read(
    path: &Path,
    text: &str,
    registry: &Registry,
) -> Result<Study, (Vec<Problem>, Option<Box<Study>>)> {
    let mut nodes = node::parse(text).map_err(|problems| (problems, None))?;
    let remarks = renamed::bring_up_to_date(&mut nodes);
    let keys = key_check::keys_in(&nodes, text, path);
    if !keys.is_empty() {
        return Err((keys, None));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut reading = StudyReader {
        registry,
        folder,
        problems: Vec::new(),
        declared: Vec::new(),
        wrong_gauges: Vec::new(),
        replicates_are_known: false,
    };
    if nodes.is_empty() {
        let empty = Problem::new("the study is empty").in_file(path);
        let problems =
            vec![empty.hint("`duress schema` and studies/quickstart/study.toml show what goes in")];
        return Err((problems, None));
    }
    let top = Reader::new("the study", 0..0, &nodes, keys::TOP, &mut reading.problems);
    top.no_rest(&mut reading.problems);
    reading.format(&top);
    let study = reading.study(&top, path, text);
    match study {
        Some(study) if reading.problems.is_empty() => Ok(Study { remarks, ..study }),
        study => {
            let rest = study.filter(|_| reading.replicates_are_known);
            let rest = rest.map(|study| Box::new(study.without(&[], registry)));
            Err((reading.problems, rest))
        }
    }
}

impl StudyReader<'_> {
    /// The section of something that has a name, `ladder` and the like.
    fn named_section<'n>(
        &mut self,
        kind: &str,
        name: &Spanned<Name>,
        nodes: &'n [Node],
        keys: &'static [Key],
    ) -> Reader<'n> {
        let what = format!("{kind} `{}`", name.value);
        Reader::new(what, name.span.clone(), nodes, keys, &mut self.problems)
    }

    /// One of several sections without names, which has these keys and no others.
    fn unnamed_section<'n>(
        &mut self,
        what: &str,
        span: Range<usize>,
        nodes: &'n [Node],
        keys: &'static [Key],
    ) -> Reader<'n> {
        let reader = Reader::new(what, span, nodes, keys, &mut self.problems);
        reader.no_rest(&mut self.problems);
        reader
    }

    fn study(&mut self, top: &Reader<'_>, path: &Path, text: &str) -> Option<Study> {
        let name = self.study_name(top);
        let before = self.problems.len();
        let seeds = self.seeds(top);
        let vary = self.vary(top, seeds.len());
        self.replicates_are_known = self.problems.len() == before;
        let datasets = self.datasets(top);
        let subjects = self.subjects(top, &datasets);
        let ladders = self.ladders(top, &datasets, &subjects);
        let conditions = self.conditions(top, (&datasets, &subjects), &ladders);
        let section = self.section("analysis", top);
        let raters = self.raters(top, &datasets, &subjects);
        let for_gauges = NamedForGauges {
            datasets: &datasets,
            raters: &raters,
            ladders: &ladders,
            conditions: &conditions,
        };
        let gauges = self.gauges(top, &section, &for_gauges);
        let analysis = self.analysis(&section, &subjects, seeds.len());
        let (limit, expansion) = self.limits(top);
        let named = NamedInStudy {
            subjects: &subjects,
            ladders: &ladders,
            conditions: &conditions,
            gauges: &gauges,
        };
        let contrasts = self.contrasts(top, &named);
        let expectations = self.expectations(top, &named);
        let levels = self.levels(top, &named, &datasets);
        let report = self.report(top, name.as_ref(), &datasets);
        let claims = self.claims(top, &named, analysis.units);
        Some(Study {
            // What has no name, or a wrong one, is looked at all the same.
            name: name.or_else(|| Name::new("study").ok())?,
            path: path.into(),
            text: text.into(),
            hash: blake3::hash(text.as_bytes()).to_hex().to_string(),
            seeds: seeds.into(),
            vary,
            datasets: datasets.into(),
            subjects: subjects.into(),
            ladders,
            conditions,
            raters: raters.into(),
            gauges: gauges.into(),
            analysis,
            report,
            expectations,
            levels,
            contrasts,
            claims,
            limit,
            expansion,
            remarks: Vec::new(),
            is_whole: true,
        })
    }

    /// A study of another format may mean other things by the same keys.
    fn format(&mut self, top: &Reader<'_>) {
        let expected = format!("{FORMAT}: this duress reads studies of format {FORMAT}");
        let known = |raw: &Raw| matches!(raw, Raw::Whole(FORMAT)).then_some(());
        top.value("format", &expected, &mut self.problems, known);
    }

    fn study_name(&mut self, top: &Reader<'_>) -> Option<Name> {
        let text = top.text("name", &mut self.problems)?;
        Name::new(&text.value)
            .map_err(|why| {
                self.problems
                    .push(Problem::new(why.to_string()).at(text.span))
            })
            .ok()
    }

    fn seeds(&mut self, top: &Reader<'_>) -> Vec<u64> {
        let whole = |raw: &Raw| match raw {
            Raw::Whole(x) => u64::try_from(*x).ok(),
            _ => None,
        };
        let read = |raw: &Raw| match raw {
            Raw::List(list) if !list.is_empty() => {
                list.iter().map(whole).collect::<Option<Vec<u64>>>()
            }
            _ => None,
        };
        let expected = "a list of whole numbers at or above 0, below 2⁶³";
        let Some(seeds) = top.value("seeds", expected, &mut self.problems, read) else {
            return vec![1];
        };
        let twice = seeds
            .value
            .iter()
            .enumerate()
            .find(|(i, seed)| seeds.value[..*i].contains(seed));
        if let Some((_, seed)) = twice {
            let wrong = Problem::new(format!("seed {seed} is there twice"));
            self.problems.push(
                wrong
                    .expected("each seed once: a repeated replicate is no new evidence")
                    .at(seeds.span),
            );
        }
        seeds.value
    }

    fn vary(&mut self, top: &Reader<'_>, seeds: usize) -> Vary {
        let Some(words) = top.words::<VariedDraw>("vary", &mut self.problems) else {
            return Vary {
                data: true,
                stress: true,
                subject: true,
            };
        };
        if words.value.is_empty() && seeds > 1 {
            let wrong = Problem::new(format!("nothing varies over {seeds} seeds"));
            let expected = "one seed, or something that varies: a replicate that repeats another is no evidence";
            self.problems
                .push(wrong.expected(expected).at(words.span.clone()));
        }
        let has = |draw: VariedDraw| words.value.contains(&draw);
        Vary {
            data: has(VariedDraw::Data),
            stress: has(VariedDraw::Stress),
            subject: has(VariedDraw::Subject),
        }
    }

    /// The part that a section's `use` names.
    fn part(&mut self, kind: PartKind, reader: &Reader<'_>) -> Option<&'static Part> {
        self.part_by(reader, |registry, name| registry.find(kind, name))
    }

    fn part_by(
        &mut self,
        reader: &Reader<'_>,
        find: impl Fn(&Registry, &str) -> Result<&'static Part, Problem>,
    ) -> Option<&'static Part> {
        let named = reader.text("use", &mut self.problems)?;
        match find(self.registry, &named.value) {
            Ok(part) => Some(part),
            Err(problem) => {
                self.problems.push(
                    problem
                        .hint_if_none("`duress list` tells what there is")
                        .at(named.span),
                );
                None
            }
        }
    }

    fn chosen(&mut self, kind: PartKind, reader: &Reader<'_>) -> Option<Chosen> {
        let part = self.part(kind, reader)?;
        self.with_params(part, reader)
    }

    fn with_params(&mut self, part: &'static Part, reader: &Reader<'_>) -> Option<Chosen> {
        let params = reader.params(part, self.folder, &mut self.problems)?;
        Some(Chosen { part, params })
    }

    fn declare(&mut self, kind: Referent, sections: &[(Spanned<Name>, &[Node])]) {
        self.declared
            .extend(sections.iter().map(|(name, _)| (kind, name.value.clone())));
    }

    /// A section without a name of its own; empty when there is none.
    fn section<'n>(&mut self, key: &str, top: &Reader<'n>) -> Section<'n> {
        match top.node(key) {
            Some(Node {
                tree: Tree::Table(nodes),
                key_span,
                ..
            }) => Section {
                nodes,
                span: key_span.clone(),
            },
            None => Section {
                nodes: &[],
                span: 0..0,
            },
            Some(other) => {
                let wrong = Problem::new(format!("`{key}` is {}", other.entry().raw.in_words()));
                self.problems
                    .push(wrong.expected(format!("`[{key}]`")).at(other.span.clone()));
                Section {
                    nodes: &[],
                    span: 0..0,
                }
            }
        }
    }

    /// The name behind a text, if it is one of those known.
    fn known<'n>(
        &mut self,
        kind: Referent,
        text: &Spanned<String>,
        names: impl Iterator<Item = &'n Name>,
    ) -> Option<Name> {
        let declared = self
            .declared
            .iter()
            .filter(|(other, _)| *other == kind)
            .map(|(_, name)| name.clone());
        let words: Vec<Name> = names.cloned().chain(declared).collect();
        let found = words
            .iter()
            .find(|name| name.as_str() == text.value)
            .cloned();
        if found.is_none() {
            let wrong = Problem::new(format!("there is no {kind} `{}`", text.value));
            let wrong = wrong.nearest(&text.value, words.iter().map(Name::as_str));
            self.problems.push(wrong.at(text.span.clone()));
        }
        found
    }
}

/// What claims and contrasts may refer to.
struct NamedInStudy<'a> {
    subjects: &'a [SubjectDecl],
    ladders: &'a [LadderDecl],
    conditions: &'a [ConditionDecl],
    gauges: &'a [GaugeDecl],
}

/// A section without a name of its own.
struct Section<'a> {
    nodes: &'a [Node],
    span: Range<usize>,
}
