//! Simplified and Traditional characters: the pairs that can be turned into each other and back.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What `peers/characters/run.py` wrote: a Simplified character and its Traditional form per line.
static PAIRS: &str = include_str!("../data/simplified_traditional.txt");

duress_core::words! {
    /// In which characters Chinese is written.
    pub enum ChineseForm {
        /// As on the mainland and in Singapore.
        Simplified = "simplified",
        /// As in Taiwan, Hong Kong and Macau.
        Traditional = "traditional",
    }
}

static COUNTERPARTS: LazyLock<HashMap<char, (ChineseForm, char)>> = LazyLock::new(|| {
    let mut found = HashMap::new();
    for line in PAIRS.lines() {
        let mut characters = line.chars();
        if let (Some(simplified), Some(traditional)) = (characters.next(), characters.next()) {
            found.insert(simplified, (ChineseForm::Simplified, traditional));
            found.insert(traditional, (ChineseForm::Traditional, simplified));
        }
    }
    found
});

/// Which form a character has, and what it is in the other; nothing where both forms are alike, or
/// where the other depends on the word.
///
/// ```
/// use duress_text::chinese_form::{ChineseForm, counterpart};
/// assert_eq!(counterpart('马'), Some((ChineseForm::Simplified, '馬')));
/// assert_eq!(counterpart('馬'), Some((ChineseForm::Traditional, '马')));
/// assert_eq!(counterpart('山'), None);
/// assert_eq!(counterpart('发'), None);
/// ```
pub fn counterpart(character: char) -> Option<(ChineseForm, char)> {
    COUNTERPARTS.get(&character).copied()
}

/// The form that more of a text's characters have; none where nothing tells.
///
/// ```
/// use duress_text::chinese_form::{ChineseForm, form_of};
/// assert_eq!(form_of("掩耳盜鈴"), Some(ChineseForm::Traditional));
/// assert_eq!(form_of("比喻自己欺骗自己"), Some(ChineseForm::Simplified));
/// assert_eq!(form_of("一心一意"), None);
/// ```
pub fn form_of(text: &str) -> Option<ChineseForm> {
    let mut simplified = 0;
    let mut traditional = 0;
    for (form, _) in text.chars().filter_map(counterpart) {
        match form {
            ChineseForm::Simplified => simplified += 1,
            ChineseForm::Traditional => traditional += 1,
        }
    }
    match simplified.cmp(&traditional) {
        std::cmp::Ordering::Greater => Some(ChineseForm::Simplified),
        std::cmp::Ordering::Less => Some(ChineseForm::Traditional),
        std::cmp::Ordering::Equal => None,
    }
}
