//! `[subject.NAME]`.

use duress_core::name::Name;
use duress_core::part::PartKind;
use duress_core::problem::Problem;

use super::{Referent, StudyReader};
use crate::study::keys;
use crate::study::node::Node;
use crate::study::reader::{Reader, Spanned};
use crate::study::{DatasetDecl, SubjectDecl};

impl StudyReader<'_> {
    pub(super) fn subjects(
        &mut self,
        top: &Reader<'_>,
        datasets: &[DatasetDecl],
    ) -> Vec<SubjectDecl> {
        let sections = top.named("subject", &mut self.problems);
        if sections.is_empty() {
            self.problems
                .push(Problem::new("the study has no subject").expected("`[subject.NAME]`"));
        }
        self.declare(Referent::Subject, &sections);
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
        let reader = self.named_section("subject", &name, nodes, keys::SUBJECT);
        if name.value.as_str() == "clean" {
            let wrong = Problem::new(
                "a subject cannot be called `clean`: claims say \"clean\" for the unstressed twin",
            );
            self.problems.push(wrong.at(name.span.clone()));
        }
        let chosen = self.chosen(PartKind::Subject, &reader);
        let names = || datasets.iter().map(|dataset| &dataset.name);
        let on = match reader.text("on", &mut self.problems) {
            Some(on) => self.known(Referent::Dataset, &on, names()),
            None if reader.node("on").is_some() => None,
            None if self
                .declared
                .iter()
                .filter(|(kind, _)| *kind == Referent::Dataset)
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
                        Referent::Dataset,
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

    pub(super) fn some_subjects(
        &mut self,
        reader: &Reader<'_>,
        all: &[SubjectDecl],
    ) -> Option<Spanned<Vec<Name>>> {
        let names: Vec<&Name> = all.iter().map(|subject| &subject.name).collect();
        self.some_of("subjects", Referent::Subject, reader, &names)
    }

    pub(super) fn some_datasets(
        &mut self,
        reader: &Reader<'_>,
        all: &[DatasetDecl],
    ) -> Option<Spanned<Vec<Name>>> {
        let names: Vec<&Name> = all.iter().map(|dataset| &dataset.name).collect();
        self.some_of("datasets", Referent::Dataset, reader, &names)
    }

    /// The names that a key lists, as far as there is something of that name.
    fn some_of(
        &mut self,
        key: &str,
        kind: Referent,
        reader: &Reader<'_>,
        all: &[&Name],
    ) -> Option<Spanned<Vec<Name>>> {
        let list = reader.texts(key, &mut self.problems)?;
        let mut names = Vec::new();
        for one in &list.value {
            let one = Spanned {
                value: one.clone(),
                span: list.span.clone(),
            };
            names.extend(self.known(kind, &one, all.iter().copied()));
        }
        Some(Spanned {
            value: names,
            span: list.span,
        })
    }
}
