//! `[ladder.NAME]` and `[condition.NAME]`: where stress acts, and on whom.

use duress_core::name::Name;
use duress_core::part::PartKind;
use duress_core::problem::Problem;

use super::{Referent, StudyReader};
use crate::study::keys;
use crate::study::node::Node;
use crate::study::reader::{Reader, Spanned};
use crate::study::{ActsOn, ConditionDecl, DatasetDecl, LadderDecl, PRESSED_HERE, SubjectDecl};

impl StudyReader<'_> {
    pub(super) fn ladders(
        &mut self,
        top: &Reader<'_>,
        datasets: &[DatasetDecl],
        subjects: &[SubjectDecl],
    ) -> Vec<LadderDecl> {
        let sections = top.named("ladder", &mut self.problems);
        self.declare(Referent::Ladder, &sections);
        sections
            .into_iter()
            .filter_map(|(name, nodes)| self.ladder(name, nodes, (datasets, subjects)))
            .collect()
    }

    fn ladder(
        &mut self,
        name: Spanned<Name>,
        nodes: &[Node],
        (datasets, subjects): (&[DatasetDecl], &[SubjectDecl]),
    ) -> Option<LadderDecl> {
        let reader = self.named_section("ladder", &name, nodes, keys::LADDER);
        let chosen = self.chosen(PartKind::Stressor, &reader);
        let severities = reader.severities("severities", &mut self.problems);
        let acts_on = self.acts_on(&reader);
        let keeps = reader.word("keep", &mut self.problems).unwrap_or_default();
        let subjects = self.some_subjects(&reader, subjects);
        let datasets = self.some_datasets(&reader, datasets);
        let severities = severities?.value;
        Some(LadderDecl {
            name: name.value,
            chosen: chosen?,
            severities,
            acts_on,
            keeps,
            subjects,
            datasets,
            span: name.span,
        })
    }

    pub(super) fn conditions(
        &mut self,
        top: &Reader<'_>,
        (datasets, subjects): (&[DatasetDecl], &[SubjectDecl]),
        ladders: &[LadderDecl],
    ) -> Vec<ConditionDecl> {
        let sections = top.named("condition", &mut self.problems);
        self.declare(Referent::Condition, &sections);
        let mut conditions = Vec::new();
        for (name, nodes) in sections {
            let reader = self.named_section("condition", &name, nodes, keys::CONDITION);
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
            let datasets = self.some_datasets(&reader, datasets);
            conditions.push(ConditionDecl {
                name: name.value,
                press,
                acts_on,
                subjects,
                datasets,
                span: name.span,
            });
        }
        conditions
    }

    fn acts_on(&mut self, reader: &Reader<'_>) -> ActsOn {
        reader
            .word_among("on", PRESSED_HERE, &mut self.problems)
            .unwrap_or(ActsOn::Test)
    }
}
