//! Two runs of one truth, compared: any change that is shown is false.

use std::fs;
use std::path::{Path, PathBuf};

use duress::ledger::Ledger;
use duress::run::RunPaths;
use duress_findings::Moved;

use crate::binary::{Binary, THROUGH_BINARY};
use crate::block::{Block, Tally, find, registry};
use crate::line::Bar;

/// What is compared, at every rung: with the area, 25 comparisons.
pub(crate) const GAUGES: [&str; 4] = ["accuracy", "brier", "f1", "mcc"];

pub(crate) fn run(
    block: &Block,
    first: usize,
    folder: &Path,
    binary: Option<&Binary>,
    tally: &mut Tally,
) -> Result<(), String> {
    for study in first..first + block.studies {
        for &seeds in &block.looks {
            let row = block.row(seeds);
            let runs = [0, 1].map(|who| one_run(block, study, who, seeds, folder));
            let [before, after] = runs;
            let (before, after) = (before?, after?);
            let found = compare(&before, &after)?;
            let through = (study - first).is_multiple_of(THROUGH_BINARY);
            if let Some(binary) = binary.filter(|_| through) {
                binary.same_comparison(block, seeds, study, &found)?;
            }
            let any = |moved: Moved| found.changes.iter().any(|one| one.verdict == moved);
            tally.count(&row, "any better", Bar::False, any(Moved::Better));
            tally.count(&row, "any worse", Bar::False, any(Moved::Worse));
            for run in [before, after] {
                fs::remove_dir_all(run).map_err(|why| why.to_string())?;
            }
        }
    }
    Ok(())
}

/// A run of a subject whose seeds and noise are its own, under the name that it has in both.
fn one_run(
    block: &Block,
    study: usize,
    who: u64,
    seeds: usize,
    folder: &Path,
) -> Result<PathBuf, String> {
    let together = block.subjects(study)[0].spread.together;
    let text = format!(
        "{}dataset.d = {{ use = \"made-items\", study = {study}, together = {together}{} }}\nsubject.s = {{ use = \"made-answers\", on = \"d\", study = {study}, who = {who}, spread = {}, accuracy = {}, sure = true, marks = {folder:?} }}\n{}",
        block.head(seeds),
        block.cluster(),
        block.spread,
        block.accuracy,
        block.rest(study..study + 1),
    );
    let run = folder.join(format!("run-{study}-{who}"));
    find(&text, &run)?;
    Ok(run)
}

fn compare(before: &Path, after: &Path) -> Result<duress_findings::Comparison, String> {
    let opened = |run: &Path| {
        let plan = duress::reopen(run, &registry()?).map_err(|why| why.to_string())?;
        Ok::<_, String>((plan, Ledger::open(&RunPaths::new(run).ledger())))
    };
    let (before, after) = (opened(before)?, opened(after)?);
    let found = duress::compare::compare((&before.0, &before.1), (&after.0, &after.1));
    found.map_err(|why| why.to_string())
}
