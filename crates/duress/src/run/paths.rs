//! The paths of a run's folder: one for each of six stages, and the manifest of all.

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

    /// Whether a run writes a file of this name, which is its path within the folder.
    pub(crate) fn has(name: &str) -> bool {
        let paths = RunPaths::new("");
        let path = Path::new(name);
        [
            paths.study(),
            paths.plan(),
            paths.events(),
            paths.findings(),
        ]
        .contains(&path.into())
            || path.starts_with(paths.ledger().join(crate::ledger::DAMAGED))
            || path.starts_with(paths.report())
            || path.starts_with(paths.twice())
    }

    /// Whether a file of this name is on a shelf of the ledger.
    pub(crate) fn shelves(name: &str) -> bool {
        let ledger = RunPaths::new("").ledger();
        let mut shelves = crate::ledger::SHELVES.iter();
        shelves.any(|shelf| Path::new(name).starts_with(ledger.join(shelf)))
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

    /// The folder of a second run with fresh seeds, a run's folder itself.
    pub fn twice(&self) -> PathBuf {
        self.root.join("twice")
    }

    /// The folder with the report.
    pub fn report(&self) -> PathBuf {
        self.root.join("6-report")
    }

    /// The hashes of all of these, once a run is done.
    pub fn manifest(&self) -> PathBuf {
        self.root.join("manifest.json")
    }

    /// The page of the report.
    pub fn page(&self) -> PathBuf {
        self.report().join("index.html")
    }
}
