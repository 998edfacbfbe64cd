//! The shipped dictionary of idioms, read by the dataset that asks about them and the subject that
//! looks them up.

use std::sync::LazyLock;

/// One idiom of four characters.
pub(crate) struct Idiom {
    /// The idiom.
    pub(crate) word: &'static str,
    /// What it means.
    pub(crate) explanation: &'static str,
    /// Its grammatical structure, where somebody has judged it.
    pub(crate) structure: Option<&'static str>,
    /// What it means in English, where somebody has said it.
    pub(crate) translation: Option<&'static str>,
}

/// All of them, in the order of the package they come from.
pub(crate) static IDIOMS: LazyLock<Vec<Idiom>> =
    LazyLock::new(|| TABLE.lines().map(idiom).collect());

/// What `peers/idioms/run.py` wrote: idiom, explanation, structure and translation, parted by tabs.
static TABLE: &str = include_str!("../../../data/idioms.tsv");

fn idiom(line: &'static str) -> Idiom {
    let mut cells = line.split('\t');
    let mut cell = || cells.next().unwrap_or_default();
    let word = cell();
    let explanation = cell();
    let structure = Some(cell()).filter(|structure| !structure.is_empty());
    let translation = Some(cell()).filter(|translation| !translation.is_empty());
    Idiom {
        word,
        explanation,
        structure,
        translation,
    }
}
