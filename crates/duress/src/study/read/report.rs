//! `[report]` and `[run]`: how the report looks, and how long anything may take.

use duress_core::name::Name;
use duress_core::word::Word;

use super::{Referent, StudyReader};
use crate::study::keys;
use crate::study::reader::Reader;
use crate::study::{DatasetDecl, FigureFormat, NumberForm, ReportDecl, TextsShown};

impl StudyReader<'_> {
    pub(super) fn report(
        &mut self,
        top: &Reader<'_>,
        name: Option<&Name>,
        datasets: &[DatasetDecl],
    ) -> ReportDecl {
        let section = self.section("report", top);
        let problems = &mut self.problems;
        let reader = Reader::new(
            "[report]",
            section.span.clone(),
            section.nodes,
            keys::REPORT,
            problems,
        );
        reader.no_rest(problems);
        let title = reader.text("title", problems).map(|title| title.value);
        let exhibits = reader.whole("exhibits", 0..=50, problems).unwrap_or(3) as usize;
        let numbers = reader
            .word("numbers", problems)
            .unwrap_or(NumberForm::Intervals);
        let texts = reader.word("texts", problems).unwrap_or(TextsShown::Show);
        let figures = reader.words("figures", problems);
        let layouts = reader.words("layouts", problems);
        let layouts_on = reader.text("layouts-on", problems);
        let layouts_on = layouts_on.and_then(|one| {
            let names = datasets.iter().map(|dataset| &dataset.name);
            self.known(Referent::Dataset, &one, names)
        });
        ReportDecl {
            title: title
                .or_else(|| name.map(ToString::to_string))
                .unwrap_or_default(),
            exhibits,
            figures: figures.map_or_else(|| FigureFormat::ALL.to_vec(), |list| list.value),
            numbers,
            layouts: layouts.map_or_else(Vec::new, |list| list.value),
            layouts_on,
            texts,
        }
    }

    /// Seconds a cell may take, and how far a file may expand.
    pub(super) fn limits(&mut self, top: &Reader<'_>) -> (f64, u64) {
        let section = self.section("run", top);
        let reader = Reader::new(
            "[run]",
            section.span,
            section.nodes,
            keys::RUN,
            &mut self.problems,
        );
        reader.no_rest(&mut self.problems);
        let limit = reader.number("limit", 0.001..=1e7, &mut self.problems);
        let most = 1_000_000;
        let expansion = reader.whole("expansion", 64..=most, &mut self.problems);
        (
            limit.unwrap_or(3600.0),
            expansion.map_or(duress_tensors::bound::TIMES, i64::unsigned_abs),
        )
    }
}
