//! `[[contrast]]`, `[[expectation]]` and `[[level]]`: what values are compared with.

use std::ops::Range;

use duress_core::problem::Problem;

use super::{NamedInStudy, Referent, StudyReader};
use crate::study::keys;
use crate::study::node::Node;
use crate::study::reader::Reader;
use crate::study::{ContrastDecl, DatasetDecl, ExpectationDecl, LevelDecl};

impl StudyReader<'_> {
    pub(super) fn contrasts(
        &mut self,
        top: &Reader<'_>,
        named: &NamedInStudy<'_>,
    ) -> Vec<ContrastDecl> {
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
        named: &NamedInStudy<'_>,
    ) -> Option<ContrastDecl> {
        let reader = self.unnamed_section("a contrast", span, nodes, keys::CONTRAST);
        let (gauge, place) = self.gauge_at_place(&reader, named);
        let against = self.subject_named("against", &reader, named);
        Some(ContrastDecl {
            gauge: gauge?,
            place: place?,
            against: against?,
        })
    }

    pub(super) fn expectations(
        &mut self,
        top: &Reader<'_>,
        named: &NamedInStudy<'_>,
    ) -> Vec<ExpectationDecl> {
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
        named: &NamedInStudy<'_>,
    ) -> Option<ExpectationDecl> {
        let reader = self.unnamed_section("an expectation", span, nodes, keys::EXPECTATION);
        let (gauge, place) = self.gauge_at_place(&reader, named);
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
            place: place?,
            low: low?,
            high: high?,
            source,
        })
    }

    pub(super) fn levels(
        &mut self,
        top: &Reader<'_>,
        named: &NamedInStudy<'_>,
        datasets: &[DatasetDecl],
    ) -> Vec<LevelDecl> {
        let tables = top.tables("level", &mut self.problems);
        let mut levels = Vec::new();
        for (span, nodes) in tables {
            let reader = self.unnamed_section("a level", span, nodes, keys::LEVEL);
            let name = reader.text("name", &mut self.problems);
            let gauge = self.gauge_named(&reader, named);
            let value = reader.number("value", -1e12..=1e12, &mut self.problems);
            let on = reader.text("on", &mut self.problems);
            let on = on.map(|on| {
                self.known(
                    Referent::Dataset,
                    &on,
                    datasets.iter().map(|dataset| &dataset.name),
                )
            });
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
}
