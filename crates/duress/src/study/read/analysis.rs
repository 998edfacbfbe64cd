//! `[analysis]`: how findings are made.

use super::{Referent, Section, StudyReader};
use crate::study::keys;
use crate::study::reader::{Reader, Spanned};
use crate::study::{AnalysisDecl, Correction, Scope, SubjectDecl, Units};

impl StudyReader<'_> {
    pub(super) fn analysis(
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
        let reference = reference
            .and_then(|one| self.known(Referent::Subject, &one, subjects.iter().map(|s| &s.name)));
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
}
