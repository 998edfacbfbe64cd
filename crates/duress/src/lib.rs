//! The work of duress, in six stages that hand values to each other:
//!
//! ```text
//! study file ─▶ Study ─▶ Plan ─▶ run cells ─▶ Ledger (answers) ─▶ Findings ─▶ report
//!              study/    plan/    run/          ledger/           analysis/    report/
//! ```
//!
//! [`run`](run()) goes through all of them but the last; the report is a crate of its own, which sees
//! findings only.

#![warn(missing_docs)]

pub mod agreement;
pub mod analysis;
pub mod axis;
pub mod compare;
pub mod init;
pub mod ledger;
pub mod plan;
pub mod review;
pub mod run;
pub mod study;
pub mod table_reading;
mod twice;
mod verify;
mod workflow;

pub use duress_findings::Findings;
pub use duress_parts::registry::Registry;
pub use study::Study;
pub use twice::{fresh_seed, run_twice};
pub use verify::{Verified, verify};
pub use workflow::{Finished, RunError, RunOptions, find_again, reopen, run, run_and_hold};
