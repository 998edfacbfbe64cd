//! What `gauge`, `of`, `at` and `on` name together: a gauge at a place.

use std::ops::Range;

use duress_core::name::Name;
use duress_core::part::Raw;
use duress_core::place::{Place, Under};
use duress_core::problem::Problem;

use super::{LadderDecl, NamedInStudy, Referent, StudyReader};
use crate::study::keys;
use crate::study::node::{Node, Tree};
use crate::study::reader::{Reader, Spanned};

impl StudyReader<'_> {
    /// The gauge and the place that a claim, a contrast or an expectation is about. Each is there
    /// or not by itself, so that whoever asks complains about everything at once.
    pub(super) fn gauge_at_place(
        &mut self,
        reader: &Reader<'_>,
        named: &NamedInStudy<'_>,
    ) -> (Option<String>, Option<Place>) {
        let gauge = self.gauge_named(reader, named);
        let subject = self.subject_named("of", reader, named);
        let under = self.under(reader, named);
        let dataset = subject
            .as_ref()
            .and_then(|subject| self.tested_on(reader, subject, named));
        let place = || {
            Some(Place {
                subject: subject?,
                dataset: dataset?,
                under: under?,
            })
        };
        let place = place();
        self.is_read_there(reader, named, gauge.as_deref(), place.as_ref());
        (gauge, place)
    }

    /// Whether a gauge is read where something is said about it.
    fn is_read_there(
        &mut self,
        reader: &Reader<'_>,
        named: &NamedInStudy<'_>,
        gauge: Option<&str>,
        place: Option<&Place>,
    ) {
        let decl = gauge.and_then(|name| named.gauges.iter().find(|one| one.name == name));
        let (Some(decl), Some(place)) = (decl, place) else {
            return;
        };
        if !decl.is_read_on(&place.dataset) || !decl.is_read_under(&place.under) {
            let wrong = format!(
                "gauge `{}` is not read on {} under {}",
                decl.name, place.dataset, place.under
            );
            let expected = "a place that its `datasets` and `at` name";
            self.problems
                .push(Problem::new(wrong).expected(expected).at(reader.span()));
        }
    }

    pub(super) fn gauge_named(
        &mut self,
        reader: &Reader<'_>,
        named: &NamedInStudy<'_>,
    ) -> Option<String> {
        let text = reader.text("gauge", &mut self.problems)?;
        if named.gauges.iter().any(|gauge| gauge.name == text.value) {
            return Some(text.value);
        }
        if self.wrong_gauges.contains(&text.value) {
            return None;
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

    pub(super) fn subject_named(
        &mut self,
        key: &str,
        reader: &Reader<'_>,
        named: &NamedInStudy<'_>,
    ) -> Option<Name> {
        let text = reader.text(key, &mut self.problems)?;
        self.known(
            Referent::Subject,
            &text,
            named.subjects.iter().map(|subject| &subject.name),
        )
    }

    fn tested_on(
        &mut self,
        reader: &Reader<'_>,
        of: &Name,
        named: &NamedInStudy<'_>,
    ) -> Option<Name> {
        let subject = named.subjects.iter().find(|subject| subject.name == *of)?;
        match reader.text("on", &mut self.problems) {
            Some(on) => self.known(Referent::TestedDataset, &on, subject.test_on.iter()),
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

    fn under(&mut self, reader: &Reader<'_>, named: &NamedInStudy<'_>) -> Option<Under> {
        let Some(node) = reader.node("at") else {
            return Some(Under::Clean);
        };
        match &node.tree {
            Tree::Table(nodes) => self.under_ladder(node.span.clone(), nodes, named.ladders),
            Tree::Leaf(Raw::Text(text)) if text == "clean" => Some(Under::Clean),
            Tree::Leaf(Raw::Text(text)) => {
                let text = Spanned {
                    value: text.clone(),
                    span: node.span.clone(),
                };
                let names = named.conditions.iter().map(|condition| &condition.name);
                self.known(Referent::Condition, &text, names)
                    .map(Under::Condition)
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

    /// A ladder or one of its rungs, as `{ ladder = …, severity = … }` names it.
    pub(super) fn under_ladder(
        &mut self,
        span: Range<usize>,
        nodes: &[Node],
        ladders: &[LadderDecl],
    ) -> Option<Under> {
        let reader = Reader::new(
            "`at`",
            span.clone(),
            nodes,
            keys::AT_LADDER,
            &mut self.problems,
        );
        reader.no_rest(&mut self.problems);
        let text = reader.text("ladder", &mut self.problems)?;
        let name = self.known(
            Referent::Ladder,
            &text,
            ladders.iter().map(|ladder| &ladder.name),
        )?;
        let Some(severity) = reader.severity("severity", &mut self.problems) else {
            return reader
                .node("severity")
                .is_none()
                .then_some(Under::Ladder(name));
        };
        let rungs = &ladders
            .iter()
            .find(|ladder| ladder.name == name)?
            .severities;
        if severity.is_clean() {
            return Some(Under::Clean);
        }
        match rungs.iter().find(|rung| **rung == severity) {
            Some(rung) => Some(Under::Rung {
                ladder: name,
                severity: rung.clone(),
            }),
            // What is wrong with its severities has been said.
            None if rungs.is_empty() => None,
            None => {
                let rungs: Vec<String> = rungs.iter().map(ToString::to_string).collect();
                let wrong = Problem::new(format!("ladder `{name}` has no rung at {severity}"));
                self.problems.push(
                    wrong
                        .expected(format!("one of {}", rungs.join(", ")))
                        .at(span),
                );
                None
            }
        }
    }
}
