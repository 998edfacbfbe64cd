//! What the columns of tables with ratings are called.

use duress_tables::table::Head;

/// Ids of the items.
pub(crate) const ID_WORDS: [&str; 4] = ["id", "item", "sample_id", "unique_dataset_id"];
/// The ladder that a response was pressed by.
pub(crate) const LADDER_WORDS: [&str; 2] = ["ladder", "subtype"];
/// How hard.
pub(crate) const DOSE_WORDS: [&str; 3] = ["severity", "k", "dose"];

/// The first column that is called by one of these words.
pub(crate) fn column_called(heads: &[Head], words: &[&str]) -> Option<String> {
    let known = |head: &&Head| {
        words
            .iter()
            .any(|word| head.name.eq_ignore_ascii_case(word))
    };
    heads.iter().find(known).map(|head| head.name.clone())
}
