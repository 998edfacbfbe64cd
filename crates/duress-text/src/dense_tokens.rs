//! How runs of ideographs, kana or hangul, which have no spaces, are cut into tokens.

use std::collections::HashSet;

use crate::token::TextUnits;

/// How such a run is cut.
#[derive(Clone, Debug)]
pub enum DenseTokens {
    /// Into groups of neighbouring characters, up to so many: no wrong cut between words can hide a
    /// match.
    Groups(usize),
    /// Into the words of a list, the longest that fits first; what is in no word stands alone.
    Words(WordList),
    /// Into the words that a segmenter of Chinese finds.
    #[cfg(feature = "jieba")]
    Segmented,
}

/// Characters and pairs of neighbours.
pub const PAIRS: DenseTokens = DenseTokens::Groups(2);

impl DenseTokens {
    /// All tokens of a run: of groups, those of every size.
    ///
    /// ```
    /// use duress_text::dense_tokens::{DenseTokens, PAIRS};
    /// assert_eq!(PAIRS.all("好人"), ["好", "人", "好人"]);
    /// assert_eq!(DenseTokens::Groups(3).all("작심삼"), ["작", "심", "삼", "작심", "심삼", "작심삼"]);
    /// ```
    pub fn all(&self, run: &str) -> Vec<String> {
        match self {
            DenseTokens::Groups(most) => (1..=*most).flat_map(|size| groups(run, size)).collect(),
            DenseTokens::Words(list) => list.cut(run),
            #[cfg(feature = "jieba")]
            DenseTokens::Segmented => crate::segmenter::words(run),
        }
    }

    /// The tokens that carry the content of a run: of groups, the largest; a shorter run is one
    /// itself.
    ///
    /// ```
    /// use duress_text::dense_tokens::PAIRS;
    /// assert_eq!(PAIRS.largest("水滴石"), ["水滴", "滴石"]);
    /// assert_eq!(PAIRS.largest("水"), ["水"]);
    /// ```
    pub fn largest(&self, run: &str) -> Vec<String> {
        match self {
            DenseTokens::Groups(most) => {
                let length = run.chars().count();
                groups(run, length.min(*most))
            }
            DenseTokens::Words(list) => list.cut(run),
            #[cfg(feature = "jieba")]
            DenseTokens::Segmented => crate::segmenter::words(run),
        }
    }
}

/// The groups of so many neighbouring characters; none of nothing.
fn groups(run: &str, size: usize) -> Vec<String> {
    let characters: Vec<char> = run.chars().collect();
    match size {
        0 => Vec::new(),
        size => characters
            .windows(size)
            .map(|group| group.iter().collect())
            .collect(),
    }
}

/// A list of words, as a dictionary has them.
#[derive(Clone, Debug, Default)]
pub struct WordList {
    words: HashSet<String>,
    longest: usize,
}

impl WordList {
    /// Reads a list with a word at the beginning of each line, as the dictionaries of segmenters are
    /// (`word frequency tag`).
    ///
    /// ```
    /// use duress_text::dense_tokens::WordList;
    /// let list = WordList::parse("比喻 12 v\n自己\n欺骗 3 v\n");
    /// assert_eq!(list.cut("比喻自己欺骗自己也"), ["比喻", "自己", "欺骗", "自己", "也"]);
    /// ```
    pub fn parse(text: &str) -> WordList {
        let words: HashSet<String> = text
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .map(|word| word.trim_start_matches('\u{feff}').to_owned())
            .collect();
        let longest = words.iter().map(|word| word.chars().count()).max();
        WordList {
            longest: longest.unwrap_or(0),
            words,
        }
    }

    /// How many words it has.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// A run cut into words from its start, the longest that fits first.
    pub fn cut(&self, run: &str) -> Vec<String> {
        let characters = TextUnits::Characters.split(run);
        let mut found = Vec::new();
        let mut at = 0;
        while at < characters.len() {
            let most = self.longest.clamp(1, characters.len() - at);
            let fits = |size: &usize| {
                let word = characters[at..at + size].concat();
                *size == 1 || self.words.contains(&word)
            };
            let size = (1..=most).rev().find(fits).unwrap_or(1);
            found.push(characters[at..at + size].concat());
            at += size;
        }
        found
    }
}
