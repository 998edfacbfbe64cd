//! The work of duress, in six stages that hand values to each other:
//!
//! ```text
//! study file ─▶ Study ─▶ Plan ─▶ run cells ─▶ Ledger (answers) ─▶ Findings ─▶ report
//!              study/    plan/    run/          ledger/           analysis/    report/
//! ```

pub mod analysis;
pub mod compare;
pub mod init;
pub mod ledger;
pub mod plan;
pub mod report;
pub mod run;
pub mod study;
pub mod table_reading;
