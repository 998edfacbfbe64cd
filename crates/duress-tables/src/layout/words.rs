//! What people call the columns of their tables: every list of such words, each once.

use crate::table::Head;

/// The words for one kind of column, the likeliest first.
///
/// The *plain* words at the beginning are those that a study takes without being told: it states
/// its layout, its numbers must not change because a column got a meaning, and a column that is
/// matched by no plain word is named by a key. A guess takes all of them, and says what it took.
#[derive(Clone, Copy, Debug)]
pub struct ColumnWords {
    all: &'static [&'static str],
    plain: usize,
}

impl ColumnWords {
    const fn new(plain: usize, all: &'static [&'static str]) -> ColumnWords {
        assert!(plain <= all.len(), "plain words are some of all");
        ColumnWords { all, plain }
    }

    /// All of them.
    pub const fn all(self) -> &'static [&'static str] {
        self.all
    }

    /// Those that a study takes without being told.
    pub fn plain(self) -> &'static [&'static str] {
        &self.all[..self.plain]
    }

    /// The likeliest, for messages.
    pub fn first(self) -> &'static str {
        self.all[0]
    }

    /// Whether a column is called so, in whatever case.
    pub fn has(self, name: &str) -> bool {
        self.all.iter().any(|word| name.eq_ignore_ascii_case(word))
    }

    /// The first column of single values that is called so: by the order of the words, not of the
    /// columns.
    pub fn find(self, heads: &[Head]) -> Option<String> {
        let called = |word: &&str| {
            heads
                .iter()
                .find(|head| !head.listed && head.name.eq_ignore_ascii_case(word))
        };
        self.all
            .iter()
            .find_map(called)
            .map(|head| head.name.clone())
    }
}

/// Whether a cell says that there is no value: it is empty, or holds a word that programs write then.
pub fn says_nothing(text: &str) -> bool {
    const WORDS: [&str; 6] = ["", "na", "n/a", "null", "none", "nan"];
    let text = text.trim();
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The true class.
pub const LABEL_COLUMNS: ColumnWords = ColumnWords::new(
    2,
    &[
        "label",
        "labels",
        "y_true",
        "true_label",
        "truth",
        "target",
        "targets",
        "gold",
        "class",
        "y",
        "ground_truth",
        "gt",
        "actual",
        "true_class",
        "y_test",
    ],
);

/// Ids of items.
pub const ID_COLUMNS: ColumnWords = ColumnWords::new(
    2,
    &[
        "id",
        "ids",
        "item",
        "item_id",
        "image_id",
        "sample_id",
        "uid",
    ],
);

/// Which item a score of an arrangement is about: as ids, or by the text that was arranged.
pub const ARRANGED_ITEMS: ColumnWords = ColumnWords::new(
    2,
    &[
        "id",
        "ids",
        "item",
        "item_id",
        "idiom",
        "expression",
        "text",
        "chengyu",
        "原始词语",
        "成语",
        "image_id",
        "sample_id",
        "uid",
    ],
);

/// The text that was arranged.
pub const ARRANGED_TEXTS: ColumnWords = ColumnWords::new(
    0,
    &["idiom", "expression", "text", "chengyu", "原始词语", "成语"],
);

/// Maps over the pixels of items; the lone array of an npy file has a name of its own.
pub const MAP_ARRAYS: ColumnWords =
    ColumnWords::new(3, &["maps", "attributions", crate::formats::npz::LONE]);

/// The class that was said.
pub const PREDICTION_COLUMNS: ColumnWords = ColumnWords::new(
    1,
    &[
        "prediction",
        "predictions",
        "pred",
        "predicted",
        "y_pred",
        "predicted_label",
        "answer",
    ],
);

/// How sure a prediction is, and nothing else.
pub const CONFIDENCE_COLUMNS: ColumnWords =
    ColumnWords::new(1, &["confidence", "conf", "max_prob", "max_probability"]);

/// The class in a row per item and class.
pub const ROW_CLASSES: ColumnWords = ColumnWords::new(1, &["class", "class_name", "category"]);

/// Its number there.
pub const ROW_VALUES: ColumnWords =
    ColumnWords::new(5, &["probability", "prob", "logit", "value", "score", "p"]);

/// A number about the second of two classes; beside predictions, also how sure they are. A logit
/// comes last: where a table has the probability too, that needs no reading.
pub const SECOND_CLASS: ColumnWords = ColumnWords::new(
    10,
    &[
        "probability",
        "prob",
        "proba",
        "p",
        "score",
        "y_prob",
        "y_proba",
        "y_score",
        "y_pred_proba",
        "logit",
    ],
);

/// Of what people call single numbers, what says that they are probabilities, whatever they are.
pub const PROBABILITIES: ColumnWords = ColumnWords::new(
    7,
    &[
        "probability",
        "prob",
        "proba",
        "p",
        "y_prob",
        "y_proba",
        "y_pred_proba",
    ],
);

/// Of what people call numbers, what no class is called.
pub const NO_CLASSES: ColumnWords = ColumnWords::new(3, &["probability", "prob", "score"]);

/// A list with a number per class.
pub const LISTS: ColumnWords = ColumnWords::new(
    3,
    &[
        "probabilities",
        "probs",
        "logits",
        "proba",
        "scores",
        "values",
    ],
);

/// The names of the classes of such a list.
pub const CLASS_NAMES: ColumnWords = ColumnWords::new(3, &["classes", "class_names", "classes_"]);

/// What stands before the name of a class.
pub const PREFIXES: ColumnWords = ColumnWords::new(
    0,
    &[
        "p_",
        "prob_",
        "probs_",
        "proba_",
        "probability_",
        "probs.",
        "probabilities.",
        "logit_",
        "logits_",
        "logits.",
    ],
);

/// The index that pandas wrote without being asked: in CSV, in Parquet, and in CSV that was read
/// and written again.
pub const UNNAMED: ColumnWords = ColumnWords::new(2, &["", "__index_level_0__", "Unnamed: 0"]);

/// The same, and what pandas calls an index that became a column.
pub const INDEX_COLUMNS: ColumnWords =
    ColumnWords::new(0, &["", "Unnamed: 0", "__index_level_0__", "index"]);

/// What items belong to that are not independent of each other.
pub const GROUPS: ColumnWords = ColumnWords::new(
    0,
    &[
        "patient",
        "lesion",
        "subject",
        "user",
        "document",
        "doc",
        "passage",
        "group",
        "cluster",
        "person",
        "participant",
        "speaker",
        "author",
        "annotator",
        "session",
        "conversation",
        "dialogue",
        "thread",
        "case",
        "family",
        "household",
        "animal",
        "scene",
        "video",
    ],
);

/// Whether the name of a column says that it tells items which belong together: one of those words,
/// perhaps in the plural, perhaps as an id.
pub fn says_group(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !["", "id", "ids", "no", "number", "key", "name"].contains(word))
        .collect();
    let [word] = words.as_slice() else {
        return false;
    };
    let bare = word.strip_suffix("id").unwrap_or(word);
    GROUPS.has(word) || GROUPS.has(bare) || GROUPS.has(word.strip_suffix('s').unwrap_or(word))
}

/// The time of a row.
pub const TIME_COLUMNS: ColumnWords = ColumnWords::new(
    0,
    &["time", "timestamp", "datetime", "date_time", "date", "ts"],
);

/// A score of an explanation.
pub const EXPLANATION_SCORES: ColumnWords =
    ColumnWords::new(0, &["s-acc", "s_acc", "sacc", "score", "scores", "rating"]);

/// How an item was arranged.
pub const ARRANGEMENTS: ColumnWords =
    ColumnWords::new(0, &["arrangement", "permutation", "perm", "order"]);

/// Means of scores over arrangements, one per item.
pub const AVERAGE_SCORES: ColumnWords = ColumnWords::new(
    0,
    &["average_s_acc", "avg_s_acc", "mean_s_acc", "s_acc_mean"],
);

/// Whose scores a row has.
pub const MODELS: ColumnWords = ColumnWords::new(0, &["model", "model_name", "subject", "llm"]);

/// How cells without a value are filled, beside an empty one.
pub const GAP_MARKS: ColumnWords =
    ColumnWords::new(0, &["nan", "n/a", "na", "-", "none", "null", "#n/a"]);

/// The original order among arrangements, beside `ABCD`.
pub const ORIGINAL_ORDER: ColumnWords =
    ColumnWords::new(0, &["original", "orig", "identity", "clean", "normal"]);

/// The name of a file with the true classes alone.
pub const TRUTH_FILES: ColumnWords = ColumnWords::new(
    0,
    &[
        "labels",
        "label",
        "truth",
        "targets",
        "target",
        "y_true",
        "ground_truth",
        "gold",
    ],
);

/// Whether a name says that numbers are logits.
pub fn says_logits(name: &str) -> bool {
    name.starts_with("logit")
}

/// Whether a name, or a word in it, says that numbers are probabilities: then they are never
/// logits, whatever they are.
pub fn says_probabilities(name: &str) -> bool {
    let lists = ["probs", "probabilities"];
    let says = |word: &str| {
        PROBABILITIES.has(word) || lists.iter().any(|list| word.eq_ignore_ascii_case(list))
    };
    let mut words = name.split(['_', '.', '-', ' ']);
    !says_logits(name) && (says(name) || words.any(says))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_says_two_things_about_one_number() {
        for word in PROBABILITIES.all() {
            assert!(!says_logits(word) && says_probabilities(word), "{word}");
            assert!(SECOND_CLASS.has(word), "{word}");
        }
    }

    #[test]
    fn a_name_with_a_word_for_probability_in_it_says_that_it_is_one() {
        for name in [
            "p_pos",
            "prob_1",
            "y_prob_malignant",
            "Proba.cat",
            "probs_",
            "P",
        ] {
            assert!(says_probabilities(name), "{name}");
        }
        for name in ["score", "logit_p", "logits", "value", "problem", "cat", ""] {
            assert!(!says_probabilities(name), "{name}");
        }
    }

    #[test]
    fn a_column_is_of_groups_by_one_word_with_or_without_an_id() {
        for name in [
            "patient",
            "Patient_ID",
            "lesion_id",
            "userId",
            "docs",
            "passage-no",
            "cluster",
        ] {
            assert!(says_group(name), "{name}");
        }
        for name in [
            "id",
            "site",
            "class",
            "patient_age",
            "length",
            "",
            "user_group",
        ] {
            assert!(!says_group(name), "{name}");
        }
    }

    #[test]
    fn columns_are_found_by_the_order_of_the_words_in_whatever_case() {
        let head = |name: &str, listed| Head {
            name: name.into(),
            listed,
        };
        let heads = [head("y", false), head("Label", false), head("labels", true)];
        assert_eq!(LABEL_COLUMNS.find(&heads).as_deref(), Some("Label"));
        assert_eq!(ID_COLUMNS.find(&heads), None);
    }
}
