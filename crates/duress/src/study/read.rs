//! From nodes to a study: each section in turn, all problems in one go.

use std::path::Path;

use duress_core::name::Name;
use duress_core::part::{Part, Raw};
use duress_core::problem::Problem;
use duress_core::word::Word;
use duress_parts::causal::presets;
use duress_parts::registry::Registry;

use super::keys;
use super::node::{self, Node, Tree};
use super::reader::{Reader, Spanned};
use super::renamed;
use super::*;

/// What every section needs while it is read.
struct StudyReader<'a> {
    registry: &'a Registry,
    folder: &'a Path,
    problems: Vec<Problem>,
    /// The datasets and subjects that have a section, sound or not: a mistake in one is not told
    /// again by what refers to it.
    declared: Vec<(&'static str, Name)>,
}

pub(super) fn read(path: &Path, text: &str, registry: &Registry) -> Result<Study, Vec<Problem>> {
    let mut nodes = node::parse(text)?;
    let remarks = renamed::bring_up_to_date(&mut nodes);
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut reading = StudyReader {
        registry,
        folder,
        problems: Vec::new(),
        declared: Vec::new(),
    };
    if nodes.is_empty() {
        let empty = Problem::new("the study is empty").in_file(path);
        return Err(vec![empty.hint(
            "`duress schema` and studies/quickstart/study.toml show what goes in",
        )]);
    }
    let top = Reader::new("the study", 0..0, &nodes, keys::TOP, &mut reading.problems);
    top.no_rest(&mut reading.problems);
    reading.format(&top);
    let study = reading.study(&top, path, text);
    match study {
        Some(study) if reading.problems.is_empty() => Ok(Study { remarks, ..study }),
        _ => Err(reading.problems),
    }
}

impl StudyReader<'_> {
    fn study(&mut self, top: &Reader<'_>, path: &Path, text: &str) -> Option<Study> {
        let name = self.study_name(top);
        let seeds = self.seeds(top);
        let vary = self.vary(top, seeds.len());
        let datasets = self.datasets(top);
        let subjects = self.subjects(top, &datasets);
        let ladders = self.ladders(top, &subjects);
        let conditions = self.conditions(top, &subjects, &ladders);
        let section = self.section("analysis", top);
        let raters = self.raters(top, &datasets, &subjects);
        let gauges = self.gauges(top, &section, &raters);
        let analysis = self.analysis(&section, &subjects, seeds.len());
        let limit = self.limit(top);
        let named = Named {
            subjects: &subjects,
            ladders: &ladders,
            conditions: &conditions,
            gauges: &gauges,
        };
        let contrasts = self.contrasts(top, &named);
        let expectations = self.expectations(top, &named);
        let levels = self.levels(top, &named, &datasets);
        let report = self.report(top, name.as_ref());
        let claims = self.claims(top, &named, analysis.units);
        Some(Study {
            name: name?,
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
            remarks: Vec::new(),
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
        let Some(words) = top.words::<Draw>("vary", &mut self.problems) else {
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
        let has = |draw: Draw| words.value.contains(&draw);
        Vary {
            data: has(Draw::Data),
            stress: has(Draw::Stress),
            subject: has(Draw::Subject),
        }
    }

    /// The part that a section's `use` names.
    fn part(&mut self, kind: &str, reader: &Reader<'_>) -> Option<&'static Part> {
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

    fn chosen(&mut self, kind: &str, reader: &Reader<'_>) -> Option<Chosen> {
        let part = self.part(kind, reader)?;
        self.with_params(part, reader)
    }

    fn with_params(&mut self, part: &'static Part, reader: &Reader<'_>) -> Option<Chosen> {
        let params = reader.params(part, self.folder, &mut self.problems)?;
        Some(Chosen { part, params })
    }

    fn datasets(&mut self, top: &Reader<'_>) -> Vec<DatasetDecl> {
        let sections = top.named("dataset", &mut self.problems);
        if sections.is_empty() {
            self.problems
                .push(Problem::new("the study has no dataset").expected("`[dataset.NAME]`"));
        }
        self.declare("dataset", &sections);
        let mut datasets: Vec<DatasetDecl> = Vec::new();
        for (name, nodes) in sections {
            let what = format!("dataset `{}`", name.value);
            let reader = Reader::new(
                what,
                name.span.clone(),
                nodes,
                keys::DATASET,
                &mut self.problems,
            );
            let from = match (reader.node("use"), reader.text("base", &mut self.problems)) {
                (Some(_), None) => self.chosen("dataset", &reader).map(Origin::Part),
                (None, Some(base)) => self.derived(&name.value, &reader, base, &datasets),
                _ => {
                    let wrong = Problem::new(format!(
                        "dataset `{}` has to come from somewhere",
                        name.value
                    ));
                    self.problems.push(
                        wrong
                            .expected("either `use` or `base`")
                            .at(name.span.clone()),
                    );
                    None
                }
            };
            datasets.extend(from.map(|from| DatasetDecl {
                name: name.value,
                from,
                span: name.span,
            }));
        }
        datasets
    }

    fn derived(
        &mut self,
        name: &Name,
        reader: &Reader<'_>,
        base: Spanned<String>,
        known: &[DatasetDecl],
    ) -> Option<Origin> {
        reader.no_rest(&mut self.problems);
        let mut press = self.preset(reader);
        press.extend(self.presses(reader));
        let hold_out = reader.whole("hold-out-regime", 0..=u32::MAX.into(), &mut self.problems);
        let span = base.span.clone();
        let base = self.known("dataset", &base, known.iter().map(|dataset| &dataset.name))?;
        let place = |wanted: &Name| self.declared.iter().position(|(_, other)| other == wanted);
        if place(&base) >= place(name) {
            let from = if base == *name {
                "itself".into()
            } else {
                format!("`{base}`, which stands below it")
            };
            let wrong = Problem::new(format!("dataset `{name}` is derived from {from}"));
            self.problems
                .push(wrong.expected("a base that stands above it").at(span));
        }
        Some(Origin::Derived {
            base,
            press,
            hold_out: hold_out.map(|regime| regime as u32),
        })
    }

    fn declare(&mut self, kind: &'static str, sections: &[(Spanned<Name>, &[Node])]) {
        self.declared
            .extend(sections.iter().map(|(name, _)| (kind, name.value.clone())));
    }

    fn presses(&mut self, reader: &Reader<'_>) -> Vec<Press> {
        let tables = reader.tables("press", &mut self.problems);
        tables
            .into_iter()
            .filter_map(|(span, nodes)| self.press(span, nodes))
            .collect()
    }

    /// The stressors of the preset that is named, if one is.
    fn preset(&mut self, reader: &Reader<'_>) -> Vec<Press> {
        let Some(named) = reader.text("preset", &mut self.problems) else {
            return Vec::new();
        };
        let Some(preset) = presets::find(&named.value) else {
            let wrong = Problem::new(format!("there is no preset `{}`", named.value));
            let words = presets::PRESETS.iter().map(|preset| preset.name);
            self.problems
                .push(wrong.nearest(&named.value, words).at(named.span));
            return Vec::new();
        };
        let press = |one: &presets::PresetPress| {
            let part = self.registry.find("stressor", one.stressor).ok()?;
            let keys: Vec<(&str, Raw)> = one
                .keys
                .iter()
                .map(|(key, x)| (*key, Raw::Whole(*x)))
                .collect();
            let params = Params::of(part, &keys, self.folder).ok()?;
            let severity = Severity::new(one.severity).ok()?;
            Some(Press {
                chosen: Chosen { part, params },
                severity,
                span: named.span.clone(),
            })
        };
        preset.press.iter().filter_map(press).collect()
    }

    fn press(&mut self, span: Range<usize>, nodes: &[Node]) -> Option<Press> {
        let reader = Reader::new(
            "a press",
            span.clone(),
            nodes,
            keys::PRESSED,
            &mut self.problems,
        );
        let chosen = self.chosen("stressor", &reader);
        let severity = reader.severity("severity", &mut self.problems);
        Some(Press {
            chosen: chosen?,
            severity: severity?,
            span,
        })
    }

    fn subjects(&mut self, top: &Reader<'_>, datasets: &[DatasetDecl]) -> Vec<SubjectDecl> {
        let sections = top.named("subject", &mut self.problems);
        if sections.is_empty() {
            self.problems
                .push(Problem::new("the study has no subject").expected("`[subject.NAME]`"));
        }
        self.declare("subject", &sections);
        sections
            .into_iter()
            .filter_map(|(name, nodes)| self.subject(name, nodes, datasets))
            .collect()
    }

    fn subject(
        &mut self,
        name: Spanned<Name>,
        nodes: &[Node],
        datasets: &[DatasetDecl],
    ) -> Option<SubjectDecl> {
        let what = format!("subject `{}`", name.value);
        let reader = Reader::new(
            what,
            name.span.clone(),
            nodes,
            keys::SUBJECT,
            &mut self.problems,
        );
        if name.value.as_str() == "clean" {
            let wrong = Problem::new(
                "a subject cannot be called `clean`: claims say \"clean\" for the unstressed twin",
            );
            self.problems.push(wrong.at(name.span.clone()));
        }
        let chosen = self.chosen("subject", &reader);
        let names = || datasets.iter().map(|dataset| &dataset.name);
        let on = match reader.text("on", &mut self.problems) {
            Some(on) => self.known("dataset", &on, names()),
            None if reader.node("on").is_some() => None,
            None if self
                .declared
                .iter()
                .filter(|(kind, _)| *kind == "dataset")
                .count()
                <= 1 =>
            {
                datasets.first().map(|only| only.name.clone())
            }
            None => {
                let wrong = Problem::new(format!(
                    "subject `{}` does not say what it is `on`",
                    name.value
                ));
                self.problems
                    .push(wrong.expected("`on = \"DATASET\"`").at(name.span.clone()));
                None
            }
        };
        let test_on = match reader.texts("test-on", &mut self.problems) {
            Some(list) if list.value.is_empty() => {
                let wrong = Problem::new(format!("subject `{}` is tested on nothing", name.value));
                self.problems.push(
                    wrong
                        .expected("at least one dataset in `test-on`")
                        .at(list.span),
                );
                Vec::new()
            }
            Some(list) => list
                .value
                .iter()
                .filter_map(|one| {
                    self.known(
                        "dataset",
                        &Spanned {
                            value: one.clone(),
                            span: list.span.clone(),
                        },
                        names(),
                    )
                })
                .collect(),
            None => on.iter().cloned().collect(),
        };
        Some(SubjectDecl {
            name: name.value,
            chosen: chosen?,
            on: on?,
            test_on,
            span: name.span,
        })
    }

    fn ladders(&mut self, top: &Reader<'_>, subjects: &[SubjectDecl]) -> Vec<LadderDecl> {
        let sections = top.named("ladder", &mut self.problems);
        sections
            .into_iter()
            .filter_map(|(name, nodes)| self.ladder(name, nodes, subjects))
            .collect()
    }

    fn ladder(
        &mut self,
        name: Spanned<Name>,
        nodes: &[Node],
        subjects: &[SubjectDecl],
    ) -> Option<LadderDecl> {
        let what = format!("ladder `{}`", name.value);
        let reader = Reader::new(
            what,
            name.span.clone(),
            nodes,
            keys::LADDER,
            &mut self.problems,
        );
        let chosen = self.chosen("stressor", &reader);
        let severities = reader.severities("severities", &mut self.problems);
        let acts_on = self.acts_on(&reader);
        let subjects = self.some_subjects(&reader, subjects);
        let severities = severities?.value;
        Some(LadderDecl {
            name: name.value,
            chosen: chosen?,
            severities,
            acts_on,
            subjects,
            span: name.span,
        })
    }

    fn acts_on(&mut self, reader: &Reader<'_>) -> ActsOn {
        reader
            .word_among("on", PRESSED_HERE, &mut self.problems)
            .unwrap_or(ActsOn::Test)
    }

    fn some_subjects(
        &mut self,
        reader: &Reader<'_>,
        all: &[SubjectDecl],
    ) -> Option<Spanned<Vec<Name>>> {
        let list = reader.texts("subjects", &mut self.problems)?;
        let mut names = Vec::new();
        for one in &list.value {
            let one = Spanned {
                value: one.clone(),
                span: list.span.clone(),
            };
            names.extend(self.known("subject", &one, all.iter().map(|subject| &subject.name)));
        }
        Some(Spanned {
            value: names,
            span: list.span,
        })
    }

    fn conditions(
        &mut self,
        top: &Reader<'_>,
        subjects: &[SubjectDecl],
        ladders: &[LadderDecl],
    ) -> Vec<ConditionDecl> {
        let sections = top.named("condition", &mut self.problems);
        let mut conditions = Vec::new();
        for (name, nodes) in sections {
            let what = format!("condition `{}`", name.value);
            let reader = Reader::new(
                what,
                name.span.clone(),
                nodes,
                keys::CONDITION,
                &mut self.problems,
            );
            reader.no_rest(&mut self.problems);
            if name.value.as_str() == "clean"
                || ladders.iter().any(|ladder| ladder.name == name.value)
            {
                let wrong = Problem::new(format!("the name `{}` is taken", name.value));
                self.problems.push(wrong.at(name.span.clone()));
            }
            let press = self.presses(&reader);
            let acts_on = self.acts_on(&reader);
            let subjects = self.some_subjects(&reader, subjects);
            conditions.push(ConditionDecl {
                name: name.value,
                press,
                acts_on,
                subjects,
                span: name.span,
            });
        }
        conditions
    }

    fn raters(
        &mut self,
        top: &Reader<'_>,
        datasets: &[DatasetDecl],
        subjects: &[SubjectDecl],
    ) -> Vec<RaterDecl> {
        let mut raters = Vec::new();
        for (name, nodes) in top.named("rater", &mut self.problems) {
            let what = format!("rater `{}`", name.value);
            let reader = Reader::new(
                what,
                name.span.clone(),
                nodes,
                keys::RATER,
                &mut self.problems,
            );
            let part = self.part_by(&reader, |registry, name| registry.find_rater(name));
            let chosen = part.and_then(|part| self.with_params(part, &reader));
            let on = reader.text("on", &mut self.problems);
            let names = datasets.iter().map(|dataset| &dataset.name);
            let on = on.and_then(|on| self.known("dataset", &on, names));
            let subjects = self.some_subjects(&reader, subjects);
            raters.extend(chosen.map(|chosen| RaterDecl {
                name: name.value,
                chosen,
                on,
                subjects,
                span: name.span,
            }));
        }
        raters
    }

    fn gauges(
        &mut self,
        top: &Reader<'_>,
        analysis: &Section<'_>,
        raters: &[RaterDecl],
    ) -> Vec<GaugeDecl> {
        let mut gauges: Vec<GaugeDecl> = Vec::new();
        for (name, nodes) in top.named("gauge", &mut self.problems) {
            let what = format!("gauge `{}`", name.value);
            let reader = Reader::new(
                what,
                name.span.clone(),
                nodes,
                keys::GAUGE,
                &mut self.problems,
            );
            let chosen = self.chosen("gauge", &reader);
            let of_that_name = self.registry.find("gauge", name.value.as_str());
            if let (Some(chosen), Ok(part)) = (&chosen, of_that_name)
                && part.name != chosen.part.name
            {
                let wrong = Problem::new(format!(
                    "gauge `{}` uses `{}`, and is called as another is",
                    part.name, chosen.part.name
                ));
                let wrong =
                    wrong.expected(format!("another name: `{}` is a gauge itself", part.name));
                self.problems.push(wrong.at(name.span.clone()));
            }
            let rater = reader.text("rater", &mut self.problems);
            let rater = rater
                .and_then(|one| self.known("rater", &one, raters.iter().map(|rater| &rater.name)));
            gauges.extend(chosen.map(|chosen| GaugeDecl {
                name: name.value.to_string(),
                chosen,
                rater,
                span: name.span.clone(),
            }));
        }
        let mut quiet = Vec::new();
        let reader = Reader::new(
            "[analysis]",
            analysis.span.clone(),
            analysis.nodes,
            keys::ANALYSIS,
            &mut quiet,
        );
        let listed = reader.texts("gauges", &mut self.problems);
        for name in listed.iter().flat_map(|list| &list.value) {
            let span = listed.as_ref().map_or(0..0, |list| list.span.clone());
            if gauges.iter().all(|gauge| gauge.name != *name) {
                gauges.extend(self.plain_gauge(name, span));
            }
        }
        // The list is how the user wants them read; what only has a table of its own follows.
        let names: Vec<String> = listed.map(|list| list.value).unwrap_or_default();
        gauges.sort_by_key(|gauge| {
            names
                .iter()
                .position(|name| *name == gauge.name)
                .unwrap_or(names.len())
        });
        if gauges.is_empty() && self.problems.is_empty() {
            let wrong = Problem::new("the study reads no gauge")
                .expected("`gauges = [\"…\"]` in `[analysis]`");
            self.problems.push(wrong.at(analysis.span.clone()));
        }
        gauges
    }

    /// A gauge named in the list: with every key at its default.
    fn plain_gauge(&mut self, name: &str, span: Range<usize>) -> Option<GaugeDecl> {
        let found = self.registry.find("gauge", name);
        let part = found
            .map_err(|problem| self.problems.push(problem.at(span.clone())))
            .ok()?;
        match Params::check(part.fields, &[], self.folder) {
            Ok(params) => {
                let chosen = Chosen { part, params };
                Some(GaugeDecl {
                    name: name.into(),
                    chosen,
                    rater: None,
                    span,
                })
            }
            Err(missing) => {
                let hint = format!("write `[gauge.{name}]` with `use = \"{name}\"` and its keys");
                self.problems.extend(
                    missing
                        .into_iter()
                        .map(|wrong| wrong.hint(hint.clone()).at(span.clone())),
                );
                None
            }
        }
    }

    fn analysis(
        &mut self,
        section: &Section<'_>,
        subjects: &[SubjectDecl],
        seeds: usize,
    ) -> AnalysisDecl {
        let problems = &mut self.problems;
        let reader = Reader::new(
            "[analysis]",
            section.span.clone(),
            section.nodes,
            keys::ANALYSIS,
            problems,
        );
        reader.no_rest(problems);
        let units = reader.word("units", problems);
        let scope = reader.word::<Scope>("scope", problems);
        let correction = reader
            .word("correction", problems)
            .unwrap_or(Correction::Holm);
        let level = reader
            .number("level", 0.5..=0.9999, problems)
            .unwrap_or(0.95);
        let resamples = reader
            .whole("resamples", 100..=1_000_000, problems)
            .unwrap_or(2000) as usize;
        let slices = reader.texts("slices", problems);
        let slices = slices.unwrap_or(Spanned {
            value: Vec::new(),
            span: section.span.clone(),
        });
        let reference = reader.text("reference", problems);
        let reference =
            reference.and_then(|one| self.known("subject", &one, subjects.iter().map(|s| &s.name)));
        let default = if seeds > 1 {
            Units::ItemsAndSeeds
        } else {
            Units::Items
        };
        AnalysisDecl {
            units: scope.map(Units::from).or(units).unwrap_or(default),
            slices,
            level,
            resamples,
            correction,
            reference,
        }
    }

    fn report(&mut self, top: &Reader<'_>, name: Option<&Name>) -> ReportDecl {
        let section = self.section("report", top);
        let problems = &mut self.problems;
        let reader = Reader::new(
            "[report]",
            section.span.clone(),
            section.nodes,
            keys::REPORT,
            problems,
        );
        reader.no_rest(problems);
        let title = reader.text("title", problems).map(|title| title.value);
        let exhibits = reader.whole("exhibits", 0..=50, problems).unwrap_or(3) as usize;
        let numbers = reader
            .word("numbers", problems)
            .unwrap_or(NumberForm::Intervals);
        let figures = reader.words("figures", problems);
        let layouts = reader.words("layouts", problems);
        ReportDecl {
            title: title
                .or_else(|| name.map(ToString::to_string))
                .unwrap_or_default(),
            exhibits,
            figures: figures.map_or_else(|| FigureFormat::ALL.to_vec(), |list| list.value),
            numbers,
            layouts: layouts.map_or_else(Vec::new, |list| list.value),
        }
    }

    fn limit(&mut self, top: &Reader<'_>) -> f64 {
        let section = self.section("run", top);
        let reader = Reader::new(
            "[run]",
            section.span,
            section.nodes,
            keys::RUN,
            &mut self.problems,
        );
        reader.no_rest(&mut self.problems);
        reader
            .number("limit", 0.001..=1e7, &mut self.problems)
            .unwrap_or(3600.0)
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
        kind: &str,
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
struct Named<'a> {
    subjects: &'a [SubjectDecl],
    ladders: &'a [LadderDecl],
    conditions: &'a [ConditionDecl],
    gauges: &'a [GaugeDecl],
}

impl StudyReader<'_> {
    fn contrasts(&mut self, top: &Reader<'_>, named: &Named<'_>) -> Vec<ContrastDecl> {
        let tables = top.tables("contrast", &mut self.problems);
        tables
            .into_iter()
            .filter_map(|(span, nodes)| self.contrast(span, nodes, named))
            .collect()
    }

    fn contrast(
        &mut self,
        span: Range<usize>,
        nodes: &[Node],
        named: &Named<'_>,
    ) -> Option<ContrastDecl> {
        let reader = Reader::new(
            "a contrast",
            span,
            nodes,
            keys::CONTRAST,
            &mut self.problems,
        );
        reader.no_rest(&mut self.problems);
        let gauge = self.gauge_named(&reader, named);
        let of = self.subject_named("of", &reader, named);
        let against = self.subject_named("against", &reader, named);
        let at = self.at(&reader, named);
        let on = of
            .as_ref()
            .and_then(|of| self.tested_on(&reader, of, named));
        Some(ContrastDecl {
            gauge: gauge?,
            of: of?,
            against: against?,
            at: at?,
            on: on?,
        })
    }

    fn expectations(&mut self, top: &Reader<'_>, named: &Named<'_>) -> Vec<ExpectationDecl> {
        let tables = top.tables("expectation", &mut self.problems);
        tables
            .into_iter()
            .filter_map(|(span, nodes)| self.expectation(span, nodes, named))
            .collect()
    }

    fn expectation(
        &mut self,
        span: Range<usize>,
        nodes: &[Node],
        named: &Named<'_>,
    ) -> Option<ExpectationDecl> {
        let reader = Reader::new(
            "an expectation",
            span,
            nodes,
            keys::EXPECTATION,
            &mut self.problems,
        );
        reader.no_rest(&mut self.problems);
        let gauge = self.gauge_named(&reader, named);
        let of = self.subject_named("of", &reader, named);
        let at = self.at(&reader, named);
        let on = of
            .as_ref()
            .and_then(|of| self.tested_on(&reader, of, named));
        let low = reader.number("low", -1e12..=1e12, &mut self.problems);
        let high = reader.number("high", -1e12..=1e12, &mut self.problems);
        if let (Some(low), Some(high)) = (low, high)
            && low > high
        {
            let wrong = Problem::new(format!("`low` is {low}, above `high`, {high}"));
            self.problems.push(wrong.at(reader.span()));
        }
        let source = reader.text("source", &mut self.problems)?.value;
        Some(ExpectationDecl {
            gauge: gauge?,
            of: of?,
            at: at?,
            on: on?,
            low: low?,
            high: high?,
            source,
        })
    }

    fn levels(
        &mut self,
        top: &Reader<'_>,
        named: &Named<'_>,
        datasets: &[DatasetDecl],
    ) -> Vec<LevelDecl> {
        let tables = top.tables("level", &mut self.problems);
        let mut levels = Vec::new();
        for (span, nodes) in tables {
            let reader = Reader::new("a level", span, nodes, keys::LEVEL, &mut self.problems);
            reader.no_rest(&mut self.problems);
            let name = reader.text("name", &mut self.problems);
            let gauge = self.gauge_named(&reader, named);
            let value = reader.number("value", -1e12..=1e12, &mut self.problems);
            let on = reader.text("on", &mut self.problems);
            let on = on
                .map(|on| self.known("dataset", &on, datasets.iter().map(|dataset| &dataset.name)));
            if let (Some(name), Some(gauge), Some(value)) = (name, gauge, value) {
                levels.push(LevelDecl {
                    name: name.value,
                    gauge,
                    on: on.flatten(),
                    value,
                });
            }
        }
        levels
    }

    fn claims(&mut self, top: &Reader<'_>, named: &Named<'_>, units: Units) -> Vec<ClaimDecl> {
        let mut claims: Vec<ClaimDecl> = Vec::new();
        for (span, nodes) in top.tables("claim", &mut self.problems) {
            let Some(claim) = self.claim(span.clone(), nodes, named, units) else {
                continue;
            };
            if claims.iter().any(|other| other.name == claim.name) {
                self.problems
                    .push(Problem::new(format!("two claims are called `{}`", claim.name)).at(span));
            }
            claims.push(claim);
        }
        claims
    }

    fn claim(
        &mut self,
        span: Range<usize>,
        nodes: &[Node],
        named: &Named<'_>,
        units: Units,
    ) -> Option<ClaimDecl> {
        let reader = Reader::new(
            "a claim",
            span.clone(),
            nodes,
            keys::CLAIM,
            &mut self.problems,
        );
        reader.no_rest(&mut self.problems);
        let name = reader.text("name", &mut self.problems);
        let gauge = self.gauge_named(&reader, named);
        let of = self.subject_named("of", &reader, named);
        let at = self.at(&reader, named);
        let on = of
            .as_ref()
            .and_then(|of| self.tested_on(&reader, of, named));
        let against = self.against(&reader, named);
        let side = reader
            .word("side", &mut self.problems)
            .unwrap_or(ClaimSide::Greater);
        let margin = self.margin(&reader, side);
        let test = self.claim_test(&reader, side);
        let unit = reader.word_among("unit", COUNTED_UNITS, &mut self.problems);
        let scope = reader.word::<Scope>("scope", &mut self.problems);
        let alpha = reader
            .number("alpha", 1e-6..=0.5, &mut self.problems)
            .unwrap_or(0.05);
        let family = reader.text("family", &mut self.problems);
        Some(ClaimDecl {
            name: name?.value,
            family: family.map_or_else(|| "all claims".into(), |family| family.value),
            gauge: gauge?,
            of: of?,
            against: against?,
            at: at?,
            on: on?,
            side,
            margin,
            test,
            scope: scope.map(Units::from).or(unit),
            by_items: match unit {
                Some(unit) => unit == Units::Items,
                None => units == Units::Items || test == ClaimTest::Mcnemar,
            },
            alpha,
            span,
        })
    }

    fn margin(&mut self, reader: &Reader<'_>, side: ClaimSide) -> f64 {
        let margin = reader
            .number("margin", -1e12..=1e12, &mut self.problems)
            .unwrap_or(0.0);
        if side == ClaimSide::Equivalent && margin <= 0.0 {
            let wrong = Problem::new("an equivalence claim without a margin above 0");
            let wrong = wrong.expected("`margin = …`: how far apart still counts as equivalent");
            self.problems.push(wrong.at(reader.span()));
        }
        margin
    }

    fn claim_test(&mut self, reader: &Reader<'_>, side: ClaimSide) -> ClaimTest {
        let equivalence = side == ClaimSide::Equivalent;
        let test = reader
            .word("test", &mut self.problems)
            .unwrap_or(ClaimTest::Design);
        let either = matches!(test, ClaimTest::Bootstrap | ClaimTest::Design);
        let fits = either || (test == ClaimTest::Tost) == equivalence;
        if !fits {
            let wrong = Problem::new(
                "`tost` is a test for `side = \"equivalent\"`, and the only one beside `design` and `bootstrap`",
            );
            self.problems.push(wrong.at(reader.span()));
        }
        test
    }

    fn gauge_named(&mut self, reader: &Reader<'_>, named: &Named<'_>) -> Option<String> {
        let text = reader.text("gauge", &mut self.problems)?;
        if named.gauges.iter().any(|gauge| gauge.name == text.value) {
            return Some(text.value);
        }
        let wrong = Problem::new(format!(
            "the study does not read the gauge `{}`",
            text.value
        ));
        let words = named.gauges.iter().map(|gauge| gauge.name.as_str());
        self.problems.push(
            wrong
                .expected("one listed in `gauges`")
                .nearest(&text.value, words)
                .at(text.span),
        );
        None
    }

    fn subject_named(&mut self, key: &str, reader: &Reader<'_>, named: &Named<'_>) -> Option<Name> {
        let text = reader.text(key, &mut self.problems)?;
        self.known(
            "subject",
            &text,
            named.subjects.iter().map(|subject| &subject.name),
        )
    }

    fn against(&mut self, reader: &Reader<'_>, named: &Named<'_>) -> Option<Against> {
        match reader.text("against", &mut self.problems) {
            None => reader.node("against").is_none().then_some(Against::Nothing),
            Some(text) if text.value == "clean" => Some(Against::Clean),
            Some(_) => self
                .subject_named("against", reader, named)
                .map(Against::Subject),
        }
    }

    fn tested_on(&mut self, reader: &Reader<'_>, of: &Name, named: &Named<'_>) -> Option<Name> {
        let subject = named.subjects.iter().find(|subject| subject.name == *of)?;
        match reader.text("on", &mut self.problems) {
            Some(on) => self.known("tested dataset", &on, subject.test_on.iter()),
            None if subject.test_on.len() == 1 => Some(subject.test_on[0].clone()),
            None => {
                let wrong = Problem::new(format!(
                    "`{of}` is tested on {} datasets",
                    subject.test_on.len()
                ));
                self.problems
                    .push(wrong.expected("`on = \"DATASET\"`").at(reader.span()));
                None
            }
        }
    }

    fn at(&mut self, reader: &Reader<'_>, named: &Named<'_>) -> Option<At> {
        let Some(node) = reader.node("at") else {
            return Some(At::Clean);
        };
        match &node.tree {
            Tree::Table(nodes) => self.at_ladder(node, nodes, named),
            Tree::Leaf(Raw::Text(text)) if text == "clean" => Some(At::Clean),
            Tree::Leaf(Raw::Text(text)) => {
                let text = Spanned {
                    value: text.clone(),
                    span: node.span.clone(),
                };
                let names = named.conditions.iter().map(|condition| &condition.name);
                self.known("condition", &text, names).map(At::Condition)
            }
            _ => {
                let wrong = Problem::new("`at` is neither a name nor a rung");
                let expected = "\"clean\", a condition's name, or { ladder = …, severity = … }";
                self.problems
                    .push(wrong.expected(expected).at(node.span.clone()));
                None
            }
        }
    }

    fn at_ladder(&mut self, node: &Node, nodes: &[Node], named: &Named<'_>) -> Option<At> {
        let reader = Reader::new(
            "`at`",
            node.span.clone(),
            nodes,
            keys::AT_LADDER,
            &mut self.problems,
        );
        reader.no_rest(&mut self.problems);
        let text = reader.text("ladder", &mut self.problems)?;
        let name = self.known(
            "ladder",
            &text,
            named.ladders.iter().map(|ladder| &ladder.name),
        )?;
        let Some(severity) = reader.severity("severity", &mut self.problems) else {
            return reader
                .node("severity")
                .is_none()
                .then_some(At::Ladder(name));
        };
        let rungs = &named
            .ladders
            .iter()
            .find(|ladder| ladder.name == name)?
            .severities;
        if severity.is_clean() {
            return Some(At::Clean);
        }
        match rungs.iter().find(|rung| **rung == severity) {
            Some(rung) => Some(At::Rung(name, rung.clone())),
            None => {
                let rungs: Vec<String> = rungs.iter().map(ToString::to_string).collect();
                let wrong = Problem::new(format!("ladder `{name}` has no rung at {severity}"));
                self.problems.push(
                    wrong
                        .expected(format!("one of {}", rungs.join(", ")))
                        .at(node.span.clone()),
                );
                None
            }
        }
    }
}

/// A section without a name of its own.
struct Section<'a> {
    nodes: &'a [Node],
    span: Range<usize>,
}
