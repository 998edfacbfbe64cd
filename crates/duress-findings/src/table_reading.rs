//! What was read from one table, without a study.

use duress_core::gauge::{Detail, Scale, Scope};
use serde::Serialize;

use crate::quantity::Quantity;

/// What was read from a table.
#[derive(Clone, Debug, Serialize)]
pub struct Gauged {
    /// The table.
    pub file: String,
    /// What was found in it, in words.
    pub found: Vec<String>,
    /// How many items it is about.
    pub items: usize,
    /// Every gauge that applies.
    pub gauges: Vec<Gauging>,
    /// Whether intervals were asked for; where they were not, their absence needs no reason.
    #[serde(skip)]
    pub with_intervals: bool,
}

/// One gauge on the table.
#[derive(Clone, Debug, Serialize)]
pub struct Gauging {
    /// Whose answers they are, where the table has several models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The gauge.
    pub gauge: String,
    /// The dimension of ratings that it reads, where a table has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimension: Option<String>,
    /// The kind of error whose doses it reads, where a table has some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ladder: Option<String>,
    /// Whether it reads a cell, a ladder or all of a subject.
    pub scope: Scope,
    /// What it is, in one sentence.
    pub summary: String,
    /// What it is like.
    pub scale: Scale,
    /// What it reads.
    #[serde(flatten)]
    pub quantity: Quantity,
    /// What the number is made of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Detail>,
}
