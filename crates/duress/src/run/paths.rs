//! The six paths of a run's folder, one for each stage.

use std::path::{Path, PathBuf};

/// The folder of a run, by its parts. Nothing else in the project spells these names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPaths {
    root: PathBuf,
}

impl RunPaths {
    /// The paths below a folder; nothing is made.
    ///
    /// ```
    /// use duress::run::RunPaths;
    /// assert!(RunPaths::new("runs/a").findings().ends_with("a/5-findings.json"));
    /// ```
    pub fn new(root: impl Into<PathBuf>) -> RunPaths {
        RunPaths { root: root.into() }
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The study as it was run.
    pub fn study(&self) -> PathBuf {
        self.root.join("1-study.toml")
    }

    /// The axes of the plan.
    pub fn plan(&self) -> PathBuf {
        self.root.join("2-plan.json")
    }

    /// What happened, line by line.
    pub fn events(&self) -> PathBuf {
        self.root.join("3-events.jsonl")
    }

    /// The folder with the answers.
    pub fn ledger(&self) -> PathBuf {
        self.root.join("4-ledger")
    }

    /// The file that is locked while a process writes into the folder.
    pub fn lock(&self) -> PathBuf {
        self.ledger().join("lock")
    }

    /// What was found.
    pub fn findings(&self) -> PathBuf {
        self.root.join("5-findings.json")
    }

    /// The folder with the report.
    pub fn report(&self) -> PathBuf {
        self.root.join("6-report")
    }

    /// The page of the report.
    pub fn page(&self) -> PathBuf {
        self.report().join("index.html")
    }
}
