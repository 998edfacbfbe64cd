//! Retrieval: the entry of a dictionary that shares the most pairs of neighbouring characters with
//! a text.

use std::collections::{BTreeSet, HashMap};

use crate::token;

/// An index over the pairs of neighbouring characters of some headwords.
///
/// ```
/// use duress_text::retrieval::Index;
/// let index = Index::new(["水滴石穿", "水落石出"]);
/// assert_eq!(index.nearest("水滴穿石"), Some(0));
/// assert_eq!(index.nearest("穿石滴水"), None);
/// ```
pub struct Index {
    /// By pair: how rare it is, and the entries that have it.
    pairs: HashMap<String, (f64, Vec<usize>)>,
    /// The length of each entry, in the same weights.
    norms: Vec<f64>,
}

impl Index {
    /// Indexes headwords; an entry is known by its position.
    pub fn new<'a>(headwords: impl IntoIterator<Item = &'a str>) -> Index {
        let sets: Vec<BTreeSet<String>> = headwords
            .into_iter()
            .map(|word| token::pairs(word).collect())
            .collect();
        let mut pairs: HashMap<String, (f64, Vec<usize>)> = HashMap::new();
        for (entry, set) in sets.iter().enumerate() {
            for pair in set {
                pairs.entry(pair.clone()).or_default().1.push(entry);
            }
        }
        for (rarity, entries) in pairs.values_mut() {
            *rarity = libm::log(1.0 + sets.len() as f64 / entries.len() as f64);
        }
        let norm =
            |set: &BTreeSet<String>| libm::sqrt(set.iter().map(|pair| pairs[pair].0.powi(2)).sum());
        let norms = sets.iter().map(norm).collect();
        Index { pairs, norms }
    }

    /// The entry whose pairs, weighted by how rare they are, have the largest cosine with those of
    /// `text`; the first of several. `None` when no entry shares a pair.
    pub fn nearest(&self, text: &str) -> Option<usize> {
        let asked: BTreeSet<String> = token::pairs(text).collect();
        let mut shared: HashMap<usize, f64> = HashMap::new();
        for (rarity, entries) in asked.iter().filter_map(|pair| self.pairs.get(pair)) {
            for &entry in entries {
                *shared.entry(entry).or_default() += rarity.powi(2);
            }
        }
        let scored = shared
            .into_iter()
            .map(|(entry, score)| (score / self.norms[entry], entry));
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        best.map(|(_, entry)| entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_nearest_to_itself_and_ties_go_to_the_first() {
        let words = ["一心一意", "一意孤行", "心心相印", "一言一行"];
        let index = Index::new(words);
        for (at, word) in words.iter().enumerate() {
            assert_eq!(index.nearest(word), Some(at));
        }
        assert_eq!(Index::new(["甲乙", "甲乙"]).nearest("甲乙"), Some(0));
        assert_eq!(index.nearest(""), None);
        assert_eq!(index.nearest("一"), None);
    }
}
