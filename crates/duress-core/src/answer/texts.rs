//! A text for each item.

use serde::{Deserialize, Serialize};

use super::Absence;

/// A text for each item, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextAnswers {
    /// One per item.
    pub texts: Vec<Result<String, Absence>>,
}

impl TextAnswers {
    pub(super) fn validate(&self, items: usize) -> Result<(), String> {
        if self.texts.len() == items {
            Ok(())
        } else {
            Err(format!("{} texts for {items} items", self.texts.len()))
        }
    }
}
