//! An everyday verb beside the stages: whether the folder of a run is as it was written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use duress_findings::Findings;

use crate::ledger::{Audit, Ledger, Unreadable};
use crate::plan::Axes;
use crate::run::{EventLog, FolderError, Manifest, RunPaths, kept_axes, present};

/// What going through a run's folder came to.
#[derive(Debug)]
#[non_exhaustive]
pub struct Verified {
    /// What the ledger's files came to, and whatever else in the folder is not as it was written.
    pub audit: Audit,
    /// How many files there are, of whatever kind.
    pub files: usize,
    /// Whether there is a manifest, which vouches for every byte of every file. Without one, a run
    /// is at it, did not reach its end, or was made by an earlier version: findings and report are
    /// then vouched for by nothing.
    pub sealed: bool,
}

impl Verified {
    /// Whether everything can be read and fits together.
    pub fn is_whole(&self) -> bool {
        self.audit.unreadable.is_empty()
    }
}

/// Reads every file of a run's folder: each that has a checksum of its own by that, and all by the
/// manifest. Nothing is changed, and a run may be at it meanwhile.
pub fn verify(run: &Path) -> Result<Verified, FolderError> {
    let paths = RunPaths::new(run);
    let at = |error| FolderError::Io(run.into(), error);
    let axes = match kept_axes(run) {
        // What has neither plan nor manifest is no run.
        Err(error) if !paths.plan().exists() && !paths.manifest().exists() => return Err(error),
        axes => axes,
    };
    let mut audit = Ledger::open(&paths.ledger()).audit().map_err(at)?;
    match axes {
        Ok(axes) => {
            let bad = &mut audit.unreadable;
            bad.extend(bad_study(&paths, &axes));
            bad.extend(lacking_datasets(&paths, &axes).map_err(at)?);
        }
        Err(error) => {
            let bad = Unreadable::damaged(&paths.plan(), error);
            audit.unreadable.push(bad);
        }
    }
    audit_events(&mut audit, &paths.events());
    audit.unreadable.extend(bad_findings(&paths.findings()));
    let manifest = Manifest::read(&paths).unwrap_or_else(|bad| {
        audit.unreadable.push(bad);
        None
    });
    let files = present(&paths).map_err(at)?;
    audit.strange.extend(strangers(manifest.as_ref(), &files));
    if let Some(manifest) = &manifest {
        for bad in manifest.changed(&paths) {
            if audit.unreadable.iter().all(|one| one.path != bad.path) {
                audit.unreadable.push(bad);
            }
        }
    }
    Ok(Verified {
        audit,
        files: files.len(),
        sealed: manifest.is_some(),
    })
}

fn bad_study(paths: &RunPaths, axes: &Axes) -> Option<Unreadable> {
    let file = paths.study();
    match fs::read(&file) {
        Err(error) => Some(Unreadable::disk(&file, &error)),
        Ok(study) if blake3::hash(&study).to_hex().as_str() == axes.study_hash() => None,
        Ok(_) => {
            let why = "it is not the study that the plan was made from";
            Some(Unreadable::damaged(&file, why))
        }
    }
}

/// Answers are read against what was true, which is kept beside them.
fn lacking_datasets(paths: &RunPaths, axes: &Axes) -> io::Result<Vec<Unreadable>> {
    let ledger = Ledger::open(&paths.ledger());
    if ledger.cells()?.0.is_empty() {
        return Ok(Vec::new());
    }
    let lacking = axes
        .tested_fingerprints()
        .filter(|one| !ledger.has_dataset(*one));
    let named = lacking.map(|fingerprint| {
        let why = format!("the dataset {fingerprint}, which answers are about, is not there");
        Unreadable::damaged(&paths.ledger(), why)
    });
    Ok(named.collect())
}

fn audit_events(audit: &mut Audit, path: &Path) {
    match EventLog::check(path) {
        Ok(checked) => audit.unchecked += usize::from(!checked),
        Err(bad) => audit.unreadable.push(bad),
    }
}

/// Findings are made anew by `report`; by themselves they only have to be findings.
fn bad_findings(path: &Path) -> Option<Unreadable> {
    let bytes = fs::read(path).ok()?;
    let read: Result<Findings, _> = serde_json::from_slice(&bytes);
    let why = read.err()?;
    Some(Unreadable::damaged(path, format!("not findings: {why}")))
}

/// Files that are no part of a run. What is on the ledger's shelves, the audit has told apart; it
/// may have been copied there from another run of the study.
fn strangers(manifest: Option<&Manifest>, files: &[(String, PathBuf)]) -> Vec<PathBuf> {
    let strange = |name: &str| match manifest {
        _ if RunPaths::shelves(name) => false,
        Some(manifest) => !manifest.lists(name),
        None => !RunPaths::has(name),
    };
    let found = files.iter().filter(|(name, _)| strange(name));
    found.map(|(_, path)| path.clone()).collect()
}
