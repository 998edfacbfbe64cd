//! Tables: the formats people have, and where answers and what is true stand in them.
//!
//! A file becomes a [`table::Table`] by one of the [`formats`]; everything else here works on
//! tables, whatever format they came in.

pub mod excerpt;
pub mod formats;
pub mod graph;
pub mod guard;
pub mod judgements;
pub mod labels;
pub mod layout;
pub mod logs;
pub mod long;
pub mod maps;
pub mod own_labels;
pub mod pairs;
pub mod raters;
pub mod rows;
pub mod scores;
pub mod step_verdicts;
pub mod table;
pub mod template;
pub mod testkit;
pub mod two_columns;
pub mod wording;
