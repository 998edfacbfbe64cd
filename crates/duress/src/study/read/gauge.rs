//! `[gauge.NAME]`, and the list of gauges in `[analysis]`.

use std::ops::Range;

use duress_core::name::Name;
use duress_core::part::{Params, PartKind, Raw};
use duress_core::place::Under;
use duress_core::problem::Problem;

use super::{Referent, Section, StudyReader, floor};
use crate::study::keys;
use crate::study::node::Tree;
use crate::study::reader::{Reader, Spanned};
use crate::study::{Chosen, ConditionDecl, DatasetDecl, GaugeDecl, LadderDecl, RaterDecl};

/// What gauges may refer to.
pub(super) struct NamedForGauges<'a> {
    pub(super) datasets: &'a [DatasetDecl],
    pub(super) raters: &'a [RaterDecl],
    pub(super) ladders: &'a [LadderDecl],
    pub(super) conditions: &'a [ConditionDecl],
}

impl StudyReader<'_> {
    pub(super) fn gauges(
        &mut self,
        top: &Reader<'_>,
        analysis: &Section<'_>,
        named: &NamedForGauges<'_>,
    ) -> Vec<GaugeDecl> {
        let (datasets, raters) = (named.datasets, named.raters);
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
            let read_on = self.datasets_read_on(&reader, datasets);
            let at = self.read_under(&reader, named);
            if chosen.is_none() {
                self.wrong_gauges.push(name.value.to_string());
            }
            gauges.extend(chosen.map(|chosen| GaugeDecl {
                name: name.value.to_string(),
                chosen,
                rater,
                temperature_on,
                chosen_on,
                datasets: read_on,
                at,
                floor: None,
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
        let floors = reader.value(
            "floors",
            "true or false",
            &mut self.problems,
            |raw| match raw {
                Raw::Flag(flag) => Some(*flag),
                _ => None,
            },
        );
        match floors.is_none_or(|floors| floors.value) {
            true => floor::beside(gauges),
            false => gauges,
        }
    }

    /// The datasets that a gauge is read on, where it names some.
    fn datasets_read_on(
        &mut self,
        reader: &Reader<'_>,
        datasets: &[DatasetDecl],
    ) -> Option<Vec<Name>> {
        let listed = reader.texts("datasets", &mut self.problems)?;
        let known = |text: &String| {
            let text = Spanned {
                value: text.clone(),
                span: listed.span.clone(),
            };
            self.known(
                Referent::Dataset,
                &text,
                datasets.iter().map(|one| &one.name),
            )
        };
        Some(listed.value.iter().filter_map(known).collect())
    }

    /// Under what a gauge is read, where it says so.
    fn read_under(
        &mut self,
        reader: &Reader<'_>,
        named: &NamedForGauges<'_>,
    ) -> Option<Vec<Under>> {
        let node = reader.node("at")?;
        let text = |text: &str| Spanned {
            value: text.to_string(),
            span: node.span.clone(),
        };
        let ladders = named.ladders;
        Some(match &node.tree {
            Tree::Table(nodes) => {
                let one = self.under_ladder(node.span.clone(), nodes, ladders);
                one.into_iter().collect()
            }
            Tree::Tables(tables) => {
                let each = tables.iter();
                let each =
                    each.filter_map(|(span, one)| self.under_ladder(span.clone(), one, ladders));
                each.collect()
            }
            Tree::Leaf(Raw::Text(one)) => self.under_named(&text(one), named).into_iter().collect(),
            Tree::Leaf(Raw::List(list)) if list.iter().all(|one| matches!(one, Raw::Text(_))) => {
                let texts = list.iter().filter_map(Raw::as_text);
                let each = texts.filter_map(|one| self.under_named(&text(&one), named));
                each.collect()
            }
            Tree::Leaf(_) => {
                let wrong = Problem::new("`at` is no place");
                let expected = "\"clean\", the name of a ladder or a condition, { ladder = …, severity = … }, or a list of either";
                self.problems
                    .push(wrong.expected(expected).at(node.span.clone()));
                Vec::new()
            }
        })
    }

    fn under_named(&mut self, text: &Spanned<String>, named: &NamedForGauges<'_>) -> Option<Under> {
        let is_text = |name: &&Name| name.as_str() == text.value;
        let mut conditions = named.conditions.iter().map(|one| &one.name);
        if text.value == "clean" {
            return Some(Under::Clean);
        }
        if let Some(condition) = conditions.find(is_text) {
            return Some(Under::Condition(condition.clone()));
        }
        let ladders = named.ladders.iter().map(|one| &one.name);
        self.known(Referent::Ladder, text, ladders)
            .map(Under::Ladder)
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
                    datasets: None,
                    at: None,
                    floor: None,
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
