//! `[dataset.NAME]`: from a part, or derived from another dataset.

use duress_core::name::Name;
use duress_core::part::PartKind;
use duress_core::problem::Problem;

use super::{Referent, StudyReader};
use crate::study::keys;
use crate::study::reader::{Reader, Spanned};
use crate::study::{ClusterDecl, DatasetDecl, NO_CLUSTER, Origin};

impl From<Spanned<String>> for ClusterDecl {
    fn from(said: Spanned<String>) -> ClusterDecl {
        match said.value.as_str() {
            NO_CLUSTER => ClusterDecl::Independent,
            _ => ClusterDecl::By(said),
        }
    }
}

impl StudyReader<'_> {
    pub(super) fn datasets(&mut self, top: &Reader<'_>) -> Vec<DatasetDecl> {
        let sections = top.named("dataset", &mut self.problems);
        if sections.is_empty() {
            self.problems
                .push(Problem::new("the study has no dataset").expected("`[dataset.NAME]`"));
        }
        self.declare(Referent::Dataset, &sections);
        let mut datasets: Vec<DatasetDecl> = Vec::new();
        for (name, nodes) in sections {
            let reader = self.named_section("dataset", &name, nodes, keys::DATASET);
            let from = match (reader.node("use"), reader.text("base", &mut self.problems)) {
                (Some(_), None) => self.chosen(PartKind::Dataset, &reader).map(Origin::Part),
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
            let cluster = reader.text("cluster", &mut self.problems);
            datasets.extend(from.map(|from| DatasetDecl {
                name: name.value,
                from,
                cluster: cluster.map(ClusterDecl::from),
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
        let base = self.known(
            Referent::Dataset,
            &base,
            known.iter().map(|dataset| &dataset.name),
        )?;
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
}
