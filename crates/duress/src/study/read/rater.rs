//! `[rater.NAME]`.

use super::{Referent, StudyReader};
use crate::study::keys;
use crate::study::reader::Reader;
use crate::study::{DatasetDecl, RaterDecl, SubjectDecl};

impl StudyReader<'_> {
    pub(super) fn raters(
        &mut self,
        top: &Reader<'_>,
        datasets: &[DatasetDecl],
        subjects: &[SubjectDecl],
    ) -> Vec<RaterDecl> {
        let mut raters = Vec::new();
        let sections = top.named("rater", &mut self.problems);
        self.declare(Referent::Rater, &sections);
        for (name, nodes) in sections {
            let reader = self.named_section("rater", &name, nodes, keys::RATER);
            let part = self.part_by(&reader, |registry, name| registry.find_rater(name));
            let chosen = part.and_then(|part| self.with_params(part, &reader));
            let on = reader.text("on", &mut self.problems);
            let names = datasets.iter().map(|dataset| &dataset.name);
            let on = on.and_then(|on| self.known(Referent::Dataset, &on, names));
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
}
