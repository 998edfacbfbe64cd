//! A comparison of two runs as text: for a terminal, for a pull request, for a test runner.

mod junit;
mod markdown;
mod table;

pub use junit::junit;
pub use markdown::markdown;
pub use table::table;
