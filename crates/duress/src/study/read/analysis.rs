//! `[analysis]`: how findings are made.

use duress_core::part::Raw;
use duress_core::problem::Problem;

use super::{Referent, Section, StudyReader};
use crate::study::keys;
use crate::study::reader::{Reader, Spanned};
use crate::study::{AnalysisDecl, ClusterDecl, Correction, Scope, SubjectDecl, Units};

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
        let cluster = reader.text("cluster", problems);
        let cliff_factor = reader
            .number("cliff-factor", 1.0..=1000.0, problems)
            .unwrap_or(4.0);
        let absent_at_most = reader
            .number("absent-at-most", 0.0..=1.0, problems)
            .unwrap_or(0.1);
        let looks = looks(&reader, problems);
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
            cluster: cluster.map(ClusterDecl::from),
            slices,
            level,
            resamples,
            correction,
            reference,
            cliff_factor,
            absent_at_most,
            looks,
        }
    }
}

/// Numbers of seeds, rising.
fn looks(reader: &Reader<'_>, problems: &mut Vec<Problem>) -> Vec<usize> {
    let whole = |raw: &Raw| match raw {
        Raw::Whole(seeds) => usize::try_from(*seeds).ok().filter(|seeds| *seeds > 0),
        _ => None,
    };
    let rising = |raw: &Raw| match raw {
        Raw::List(list) => {
            let seeds = list.iter().map(whole).collect::<Option<Vec<usize>>>()?;
            let rises = seeds.windows(2).all(|pair| pair[0] < pair[1]);
            (rises && !seeds.is_empty()).then_some(seeds)
        }
        _ => None,
    };
    let expected = "numbers of seeds that rise, such as [3, 5, 10]";
    let found = reader.value("looks", expected, problems, rising);
    found.map_or_else(Vec::new, |looks| looks.value)
}
