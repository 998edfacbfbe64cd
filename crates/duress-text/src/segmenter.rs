//! Chinese words, by a segmenter with its dictionary inside.

use std::sync::LazyLock;

use jieba_rs::Jieba;

/// Reading its dictionary takes a quarter of a second: once, and only for who asks.
static SEGMENTER: LazyLock<Jieba> = LazyLock::new(Jieba::new);

/// The words of a run; those that are in no dictionary as its model of characters guesses them.
///
/// ```
/// use duress_text::segmenter::words;
/// assert_eq!(words("比喻自己欺骗自己"), ["比喻", "自己", "欺骗", "自己"]);
/// assert_eq!(words("明明掩盖不住的事情"), ["明明", "掩盖", "不住", "的", "事情"]);
/// ```
pub fn words(run: &str) -> Vec<String> {
    let found = SEGMENTER.cut(run, true);
    found
        .into_iter()
        .map(|token| token.word.to_owned())
        .collect()
}
