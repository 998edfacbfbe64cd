//! The same studies through the command, the findings held against those of the library call.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use duress_findings::{Comparison, Findings, Moved, Quantity};
use serde::Deserialize;

use crate::block::Block;
use crate::recorded;

/// One study in so many goes through the command too.
pub(crate) const THROUGH_BINARY: usize = 50;

/// The command, and where it may work.
pub(crate) struct Binary {
    pub(crate) command: PathBuf,
    pub(crate) folder: PathBuf,
}

/// What `duress compare --form json` says, as far as it is held against the library.
#[derive(Deserialize)]
struct ToldComparison {
    changes: Vec<ToldChange>,
}

#[derive(Deserialize)]
struct ToldChange {
    gauge: String,
    difference: Quantity,
    verdict: Moved,
}

impl Binary {
    /// Runs the studies of a file through the command and fails where a verdict or an interval is
    /// another than the library's.
    pub(crate) fn same_findings(
        &self,
        block: &Block,
        seeds: usize,
        studies: Range<usize>,
        expected: &Findings,
    ) -> Result<(), String> {
        let folder = self.own_folder(studies.start, seeds);
        let written = recorded::write(block, seeds, studies, &folder);
        written.map_err(|why| why.to_string())?;
        same(expected, &self.run(&folder)?)?;
        fs::remove_dir_all(&folder).map_err(|why| why.to_string())
    }

    /// The same of two runs of one truth that are compared.
    pub(crate) fn same_comparison(
        &self,
        block: &Block,
        seeds: usize,
        study: usize,
        expected: &Comparison,
    ) -> Result<(), String> {
        let folder = self.own_folder(study, seeds);
        let mut command = Command::new(&self.command);
        command.args(["compare", "--form", "json"]);
        for who in [0, 1] {
            let own = folder.join(who.to_string());
            let written = recorded::write_run(block, seeds, study, who, &own);
            written.map_err(|why| why.to_string())?;
            self.run(&own)?;
            command.arg(run_of(&own));
        }
        let done = command.output().map_err(|why| why.to_string())?;
        let found: ToldComparison = serde_json::from_slice(&done.stdout).map_err(|why| {
            let said = String::from_utf8_lossy(&done.stderr);
            format!("the command compares nothing: {why}: {said}")
        })?;
        same_changes(expected, &found)?;
        fs::remove_dir_all(&folder).map_err(|why| why.to_string())
    }

    fn own_folder(&self, study: usize, seeds: usize) -> PathBuf {
        self.folder.join(format!("binary-{study}-{seeds}"))
    }

    /// The findings of the study in a folder.
    fn run(&self, folder: &Path) -> Result<Findings, String> {
        let run = run_of(folder);
        let mut command = Command::new(&self.command);
        command
            .arg("run")
            .arg(folder.join("study.toml"))
            .arg("--out")
            .arg(&run)
            .args(["--jobs", "1"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let done = command.output().map_err(|why| why.to_string())?;
        let said = fs::read(run.join("5-findings.json")).map_err(|_| {
            let said = String::from_utf8_lossy(&done.stderr);
            format!("the command has no findings: {said}")
        })?;
        serde_json::from_slice(&said).map_err(|why| why.to_string())
    }
}

fn run_of(folder: &Path) -> PathBuf {
    folder.join("run")
}

fn same_changes(expected: &Comparison, found: &ToldComparison) -> Result<(), String> {
    if expected.changes.len() != found.changes.len() {
        return Err("the command compared something else".into());
    }
    for (one, other) in expected.changes.iter().zip(&found.changes) {
        let same = one.gauge == other.gauge && one.verdict == other.verdict;
        if !same || !alike(&one.difference, &other.difference) {
            return Err(format!(
                "{}: {:?} {:?} by the library, {:?} {:?} by the command",
                one.id, one.verdict, one.difference, other.verdict, other.difference
            ));
        }
    }
    Ok(())
}

fn same(expected: &Findings, found: &Findings) -> Result<(), String> {
    if expected.claims.len() != found.claims.len()
        || expected.estimates.len() != found.estimates.len()
    {
        return Err("the command found other claims or estimates".into());
    }
    for (one, other) in expected.claims.iter().zip(&found.claims) {
        if one.verdict != other.verdict || !alike(&one.quantity, &other.quantity) {
            return Err(format!(
                "{}: {:?} {:?} by the library, {:?} {:?} by the command",
                one.name, one.verdict, one.quantity, other.verdict, other.quantity
            ));
        }
    }
    for (one, other) in expected.estimates.iter().zip(&found.estimates) {
        if !alike(&one.quantity, &other.quantity) {
            return Err(format!(
                "{}: {:?} by the library, {:?} by the command",
                one.id, one.quantity, other.quantity
            ));
        }
    }
    let shapes = expected.curves.iter().zip(&found.curves);
    for (one, other) in shapes {
        if one.break_point != other.break_point || one.shape != other.shape {
            return Err(format!("{}: another shape by the command", one.id));
        }
    }
    Ok(())
}

fn alike(one: &Quantity, other: &Quantity) -> bool {
    match (&one.interval, &other.interval) {
        (Ok(a), Ok(b)) => (a.low - b.low).abs() <= 1e-12 && (a.high - b.high).abs() <= 1e-12,
        (Err(_), Err(_)) => true,
        _ => false,
    }
}
