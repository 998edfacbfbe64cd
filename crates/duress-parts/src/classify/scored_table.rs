//! A table that holds answers and what is true beside them: what a study has as a `labelled`
//! dataset and a `recorded` subject, in one pass over the file.

use duress_core::answer::Answers;
use duress_core::data::Dataset;
use duress_core::part::Params;
use duress_core::problem::Problem;
use duress_tables::formats;
use duress_tables::table::both;
use duress_tables::wording::Wording;

use crate::classify::datasets::labelled::Labelled;
use crate::shared::subjects::recorded::Recorded;

/// What is true and what was said in the file of a `labelled` dataset, in which the answers of a
/// `recorded` subject are too. Problems name settings in the wording given.
pub fn read(
    dataset: &Params,
    subject: &Params,
    wording: Wording,
) -> Result<(Dataset, Answers), Problem> {
    let mut labelled = Labelled::new(dataset)?;
    let mut recorded = Recorded::new(subject)?;
    (labelled.wording, recorded.stated.wording) = (wording, wording);
    let mut layouts = None;
    let table = formats::read(&labelled.file, &mut |heads| {
        let truth = labelled.layout(heads)?;
        let said = recorded.stated.layout(heads)?;
        let wants = both(heads, labelled.wants(heads, &truth), said.wants(heads)?)?;
        layouts = Some((truth, said));
        Ok(wants)
    })?;
    let (truth, said) = layouts.ok_or_else(|| Problem::new("the table has no header"))?;
    let dataset = labelled.dataset(&table, truth)?;
    let answers = said.answers(table, Some(dataset.test().items()))?;
    Ok((dataset, Answers::Classes(answers)))
}
