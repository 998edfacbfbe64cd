//! `[gauge.NAME]`, and the list of gauges in `[analysis]`.

use std::ops::Range;

use duress_core::part::{Params, PartKind};
use duress_core::problem::Problem;

use super::{Referent, Section, StudyReader};
use crate::study::keys;
use crate::study::reader::Reader;
use crate::study::{Chosen, DatasetDecl, GaugeDecl, RaterDecl};

impl StudyReader<'_> {
    pub(super) fn gauges(
        &mut self,
        top: &Reader<'_>,
        analysis: &Section<'_>,
        (datasets, raters): (&[DatasetDecl], &[RaterDecl]),
    ) -> Vec<GaugeDecl> {
        let mut gauges: Vec<GaugeDecl> = Vec::new();
        for (name, nodes) in top.named("gauge", &mut self.problems) {
            let reader = self.named_section("gauge", &name, nodes, keys::GAUGE);
            let chosen = self.chosen(PartKind::Gauge, &reader);
            let of_that_name = self.registry.find(PartKind::Gauge, name.value.as_str());
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
            let rater = rater.and_then(|one| {
                self.known(
                    Referent::Rater,
                    &one,
                    raters.iter().map(|rater| &rater.name),
                )
            });
            let mut dataset_of = |key: &str| {
                let named = reader.text(key, &mut self.problems);
                let names = datasets.iter().map(|dataset| &dataset.name);
                named.and_then(|one| self.known(Referent::Dataset, &one, names))
            };
            let temperature_on = dataset_of("temperature-on");
            let chosen_on = dataset_of("chosen-on");
            if chosen.is_none() {
                self.wrong_gauges.push(name.value.to_string());
            }
            gauges.extend(chosen.map(|chosen| GaugeDecl {
                name: name.value.to_string(),
                chosen,
                rater,
                temperature_on,
                chosen_on,
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
            let known = gauges.iter().any(|gauge| gauge.name == *name);
            if !known && !self.wrong_gauges.contains(name) {
                let gauge = self.plain_gauge(name, span);
                if gauge.is_none() {
                    self.wrong_gauges.push(name.clone());
                }
                gauges.extend(gauge);
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
        let found = self.registry.find(PartKind::Gauge, name);
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
                    temperature_on: None,
                    chosen_on: None,
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
}
