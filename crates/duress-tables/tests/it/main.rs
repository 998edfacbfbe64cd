//! Tables through the library: every format, and where answers stand in a table.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod fixtures;
mod jsonl;
mod layout;
mod logs;
mod many_classes;
mod xlsx;
