//! The work of duress, in six stages that hand values to each other:
//!
//! ```text
//! study file ─▶ Study ─▶ Plan ─▶ run cells ─▶ Ledger (answers) ─▶ Findings ─▶ report
//!              study/    plan/    run/          ledger/           analysis/    report/
//! ```

#![warn(missing_docs)]

pub mod analysis;
pub mod compare;
pub mod gauge;
pub mod init;
pub mod ledger;
pub mod plan;
pub mod report;
pub mod run;
pub mod study;
