//! A text that can be pressed, and what stands beside it.

use std::collections::BTreeMap;

/// A text that stressors may press, and what a subject sees beside it and nobody presses: a prompt,
/// a source.
///
/// ```
/// use duress_core::data::Text;
/// let text = Text::new("It opened in 1889.").with("source", "The tower opened in 1889.");
/// assert_eq!(text.beside("source"), Some("The tower opened in 1889."));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What may be pressed.
    pub text: String,
    beside: BTreeMap<String, String>,
}

impl Text {
    /// A text with nothing beside it.
    pub fn new(text: impl Into<String>) -> Text {
        Text {
            text: text.into(),
            beside: BTreeMap::new(),
        }
    }

    /// Puts something beside it.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Text {
        self.beside.insert(name.into(), value.into());
        self
    }

    /// What stands beside it under a name.
    pub fn beside(&self, name: &str) -> Option<&str> {
        self.beside.get(name).map(String::as_str)
    }

    /// Everything that stands beside it, by name.
    pub fn all_beside(&self) -> &BTreeMap<String, String> {
        &self.beside
    }

    /// The same with another text; what stands beside it stays.
    #[must_use]
    pub fn pressed(&self, text: impl Into<String>) -> Text {
        Text {
            text: text.into(),
            beside: self.beside.clone(),
        }
    }

    pub(super) fn feed(&self, sink: &mut dyn FnMut(&[u8])) {
        let pieces = self.beside.iter().flat_map(|(name, value)| [name, value]);
        for piece in std::iter::once(&self.text).chain(pieces) {
            sink(&(piece.len() as u64).to_le_bytes());
            sink(piece.as_bytes());
        }
    }
}
