//! White space: two blanks or a line break where there was a blank.

use crate::dose::page::Page;
use crate::dose::site::Site;

/// Blanks between the words of English sentences.
pub(super) fn sites(page: &Page<'_>) -> Vec<Site> {
    let all = page.sentences.iter();
    let all = all.flat_map(|sentence| page.words_of(sentence).into_iter().skip(1));
    let blanks = all.filter(|(at, _)| page.text[..*at].ends_with(' '));
    let site = |(at, _): (usize, &str)| {
        let made = vec![
            vec!["  ".to_string()],
            vec!["   ".to_string()],
            vec!["\n".to_string()],
        ];
        Site::of_mistakes(at - 1..at, made)
    };
    blanks.filter_map(site).collect()
}
