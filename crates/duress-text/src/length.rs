//! Lengths of texts, in bins to slice by.

use crate::token::TextUnits;

/// How many bins there are at most.
const BINS: usize = 4;

/// For each text the bin of its length in characters: quarters of the texts, named by the lengths
/// they reach from and to. Texts of one length share a bin, so there can be fewer.
///
/// ```
/// use duress_text::length::length_bins;
/// assert_eq!(length_bins(&["a", "ab", "abc", "abcd"]), ["1 character", "2 characters", "3 characters", "4 characters"]);
/// assert_eq!(length_bins(&["水滴石穿", "自言自语"]), ["4 characters", "4 characters"]);
/// ```
pub fn length_bins(texts: &[&str]) -> Vec<String> {
    let lengths: Vec<usize> = texts
        .iter()
        .map(|text| TextUnits::Characters.split(text).len())
        .collect();
    let mut sorted = lengths.clone();
    sorted.sort_unstable();
    let mut tops: Vec<usize> = (1..=BINS)
        .filter_map(|k| sorted.get((sorted.len() * k).div_ceil(BINS).max(1) - 1))
        .copied()
        .collect();
    tops.dedup();
    let bin_of = |length: &usize| tops.partition_point(|top| top < length);
    let name = |bin: usize| {
        let first = sorted.partition_point(|length| bin_of(length) < bin);
        match (sorted[first], tops[bin]) {
            (1, 1) => "1 character".to_owned(),
            (low, high) if low == high => format!("{low} characters"),
            (low, high) => format!("{low}–{high} characters"),
        }
    };
    let names: Vec<String> = (0..tops.len()).map(name).collect();
    lengths
        .iter()
        .map(|length| names[bin_of(length)].clone())
        .collect()
}
