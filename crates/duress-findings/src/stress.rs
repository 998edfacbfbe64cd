//! What stress came to: what attacks asked, how much was really hidden or moved.

use duress_core::name::Name;
use duress_core::place::{Place, Under};
use duress_core::stressor::Realised;
use serde::{Deserialize, Serialize};

use crate::words::PressedWindows;

/// What an attack had asked when it was done with a rung, from the beginning of its ladder on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Effort {
    /// Where.
    pub place: Place,
    /// Items, over all seeds.
    pub items: usize,
    /// How often the subject was asked about an item, on average.
    pub queries: f64,
    /// How often that was for a gradient.
    pub gradients: f64,
    /// How often it was asked about the item it was asked about most.
    pub most: u32,
}

/// What stress came to, beside what was asked for; the same for every subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RealisedStress {
    /// What was pressed.
    pub dataset: Name,
    /// Which of its windows.
    pub windows: PressedWindows,
    /// By what.
    pub under: Under,
    /// In which of several ways that press equally hard, where they have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Over how many seeds the means are taken.
    pub seeds: usize,
    /// Means of what each press came to.
    pub mean: Realised,
}
