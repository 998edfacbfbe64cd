//! An everyday verb beside the stages: whether the folder of a run is as it was written.

use std::fs;
use std::path::{Path, PathBuf};

use duress_findings::Findings;

use crate::ledger::{Audit, Ledger, Unreadable};
use crate::run::{FolderError, RunPaths, kept_axes};

/// What going through a run's folder came to.
#[derive(Debug)]
pub struct Verified {
    /// What the ledger's files came to, and whatever else in the folder is not as it was written.
    pub audit: Audit,
}

impl Verified {
    /// Whether everything can be read and fits together.
    pub fn is_whole(&self) -> bool {
        self.audit.unreadable.is_empty()
    }
}

/// Reads every file of a run's folder but its report: the plan with its checksum, the study it is
/// of, every file of the ledger, whether or not the plan asks for it, and the findings. Nothing is
/// changed, and a run may be at it meanwhile.
pub fn verify(run: &Path) -> Result<Verified, FolderError> {
    let paths = RunPaths::new(run);
    let axes = kept_axes(run)?;
    let at = |path: &Path| {
        let path: PathBuf = path.into();
        move |error| FolderError::Io(path, error)
    };
    let mut audit = Ledger::open(&paths.ledger())
        .audit()
        .map_err(at(&paths.ledger()))?;
    let study = fs::read(paths.study()).map_err(at(&paths.study()))?;
    if blake3::hash(&study).to_hex().as_str() != axes.study_hash() {
        let why = "it is not the study that the plan was made from";
        audit
            .unreadable
            .push(Unreadable::damaged(&paths.study(), why));
    }
    audit.unreadable.extend(bad_findings(&paths.findings()));
    let ledger = Ledger::open(&paths.ledger());
    let (answered, _) = ledger.cells().map_err(at(&paths.ledger()))?;
    if !answered.is_empty() {
        let tested = axes.tested_fingerprints();
        let lacking = tested.filter(|one| !ledger.has_dataset(*one));
        audit.unreadable.extend(lacking.map(|fingerprint| {
            let why = format!("the dataset {fingerprint}, which answers are about, is not there");
            Unreadable::damaged(&paths.ledger(), why)
        }));
    }
    Ok(Verified { audit })
}

/// Findings are made anew by `report`; here they only have to be findings.
fn bad_findings(path: &Path) -> Option<Unreadable> {
    let bytes = fs::read(path).ok()?;
    let read: Result<Findings, _> = serde_json::from_slice(&bytes);
    let why = read.err()?;
    Some(Unreadable::damaged(path, format!("not findings: {why}")))
}
