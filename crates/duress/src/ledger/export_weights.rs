//! What subjects learnt, as files that other software opens: one for each subject and seed.

use std::fs;
use std::io;
use std::path::Path;

use duress_core::subject::SubjectPart;

use super::{Ledger, write_whole};
use crate::plan::{Plan, Preparation};

/// What was written, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportedCheckpoints {
    /// The names of the files, such as `trades_seed42_best.safetensors`.
    pub files: Vec<String>,
    /// Subjects that are taught here, and have no such file for one of the seeds: it was not run, or
    /// other software knows no such file of theirs.
    pub without: usize,
}

/// Writes what each subject learnt into a folder, as `{subject}_seed{seed}_best.{ending}`.
pub fn weights_into(
    plan: &Plan,
    ledger: &Ledger,
    folder: &Path,
) -> io::Result<ExportedCheckpoints> {
    fs::create_dir_all(folder)?;
    let mut exported = ExportedCheckpoints::default();
    for subject in plan.subjects.positions() {
        let SubjectPart::Live(live) = &*plan.subjects[subject].subject else {
            continue;
        };
        for (replicate, seed) in plan.study.seeds.at_each() {
            let id = plan.preparation_id(Preparation::clean(subject, replicate));
            let kept = ledger.checkpoint(id).map_err(io::Error::other)?;
            let Some(weights) = kept.and_then(|kept| live.exported(&kept.bytes)) else {
                exported.without += 1;
                continue;
            };
            let name = &plan.study.subjects[subject].name;
            let file = format!("{name}_seed{seed}_best.{}", weights.ending);
            write_whole(&folder.join(&file), &weights.bytes)?;
            exported.files.push(file);
        }
    }
    Ok(exported)
}
