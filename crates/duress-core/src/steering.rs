//! Characters that steer whatever shows a text instead of being seen in it.

/// Whether a character is one: a control character, or one that turns the direction of what follows,
/// which makes a text read as another.
///
/// ```
/// use duress_core::steering::steers;
/// assert!(steers('\u{1b}') && steers('\u{202e}') && steers('\u{200f}'));
/// assert!(!steers('é') && !steers('א'));
/// ```
pub fn steers(c: char) -> bool {
    let turns = matches!(
        c,
        '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
    );
    c.is_control() || turns
}
