//! The words of duress, and nothing else: what a study is made of, before anyone does anything with
//! it.
//!
//! A *subject* answers *questions* about the items of a *dataset* while a *stressor* presses at a
//! *severity*; *gauges* read the answers. Each word is one module. This crate knows no study file,
//! no disk and no report; it holds the rules that must not depend on who calls: truth is sealed
//! here and opened only here ([`truth`]), a masked value cannot be read ([`data::Windows`]), chance
//! has one source ([`seed`]), and a stressor's promise is checked by somebody else than the
//! stressor ([`stressor::Promise`]).
//!
//! # What a learner is handed
//!
//! A learner is handed a [`subject::Lesson`]: items, and labels only where they are what it is
//! taught. There is no way from a lesson to the truth it will be tested on:
//!
//! ```compile_fail,E0599
//! fn cheat(lesson: &duress_core::subject::Lesson<'_>) {
//!     let _ = lesson.truth();
//! }
//! ```
//!
//! and whoever holds a sealed truth cannot open it:
//!
//! ```compile_fail,E0624
//! use duress_core::truth::{Sealed, Truth};
//! fn cheat(sealed: &Sealed<Truth>) -> &Truth {
//!     sealed.open()
//! }
//! ```
//!
//! A value that a mask hides is gone, not merely flagged:
//!
//! ```compile_fail,E0616
//! fn peek(windows: &duress_core::data::Windows) -> f64 {
//!     windows.values[0]
//! }
//! ```
//!
//! The same three lines compile once they ask only for what is theirs to see:
//!
//! ```
//! fn honest(lesson: &duress_core::subject::Lesson<'_>) -> usize {
//!     lesson.items().len()
//! }
//! fn careful(windows: &duress_core::data::Windows) -> Option<f64> {
//!     windows.get(0, 0, 0)
//! }
//! ```

#![warn(missing_docs)]

pub mod answer;
pub mod batch;
pub mod cost;
pub mod csv_field;
pub mod data;
pub mod exhibit;
pub mod explanation;
pub mod fitting;
pub mod floor;
pub mod gauge;
pub mod graph;
pub mod mask;
pub mod name;
pub mod number;
pub mod objective;
pub mod part;
pub mod place;
pub mod problem;
pub mod question;
pub mod rater;
pub mod seed;
pub mod severity;
pub mod steering;
pub mod stressor;
pub mod subject;
pub mod testkit;
pub mod texts;
pub mod truth;
pub mod word;
