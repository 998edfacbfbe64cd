//! Events: what happens during a run, told to whoever listens.

use serde::{Deserialize, Serialize};

use duress_core::fitting::FitProgress;
use duress_findings::{Place, Verdict};

duress_core::words! {
    /// What has become of requests that are asked in files.
    pub enum BatchState {
        /// They were written into this file, to be sent.
        Written = "written",
        /// They stand in this file, whose output is not there.
        Waiting = "waiting",
        /// The output of this file is there, without them: they are written again.
        Incomplete = "incomplete",
        /// Nobody was asked before the time of this file was over: they are written again.
        Expired = "expired",
        /// They failed, as the output of this file says: they are written again.
        Failed = "failed",
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "event")]
#[non_exhaustive]
pub enum Event {
    /// A run began.
    Started {
        /// The hash of the study.
        study: String,
        /// Cells in the plan.
        cells: usize,
        /// Cells that an earlier run has finished.
        kept: usize,
    },
    /// A subject, or a rater, is being made ready. Told while it lasts, and kept nowhere.
    Preparing {
        /// The subject, or the rater.
        subject: String,
        /// The seed.
        seed: u64,
        /// How far it is.
        #[serde(flatten)]
        progress: FitProgress,
        /// How long it will take from here, once something can be said.
        seconds_left: Option<f64>,
    },
    /// A subject, or a rater, is ready to be asked.
    Prepared {
        /// The subject, or the rater.
        subject: String,
        /// The seed.
        seed: u64,
        /// How long it took.
        seconds: f64,
        /// Whether a checkpoint was taken up instead of fitting.
        restored: bool,
    },
    /// A cell has answers.
    Answered {
        /// Where.
        place: Place,
        /// The seed.
        seed: u64,
        /// How long it took; for a rung of an attack, its share of the ladder.
        seconds: f64,
        /// Whether it was not asked itself: a cell of another name is the same, and was.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        shared: bool,
    },
    /// A cell has none.
    Failed {
        /// Where.
        place: Place,
        /// The seed.
        seed: u64,
        /// Why.
        why: String,
        /// As for answers.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        shared: bool,
    },
    /// A file of the ledger was not what was written: it was moved to `damaged/`, and what it held
    /// is asked again.
    Damaged {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// Claims were judged: a look at them, which counts where seeds are added later.
    Judged {
        /// The seeds that were there.
        seeds: Vec<u64>,
        /// Each claim that had something to be judged by, and what became of it.
        claims: Vec<(String, Verdict)>,
    },
    /// The log of events was not what was written: it was copied to `damaged/`, and goes on without
    /// the lines that are damaged.
    LogMended {
        /// The file.
        file: String,
        /// What is wrong with it.
        why: String,
    },
    /// Requests in a file of a batch have no replies yet.
    Batch {
        /// The file with the requests.
        file: String,
        /// What has become of them.
        state: BatchState,
        /// How many they are.
        requests: usize,
    },
    /// A run ended.
    Ended {
        /// Cells with answers.
        answered: usize,
        /// Cells without.
        failed: usize,
        /// Cells that were not reached.
        missing: usize,
    },
}
