//! Answers in files, through the real command.

mod gates;
mod recordings;
mod tables;

use duress_tables::testkit::{CLASSES, is_second, second, table};

use crate::harness::TestFolder;

/// The head of a study of one subject with recorded answers and scores, about what `write_labels`
/// writes.
const NET_WITH_SCORES: &str = r#"name = "net"
[dataset.items]
use = "labelled"
file = "labels.csv"
classes = ["cat", "dog", "owl"]
[subject.net]
use = "recorded"
files = "a.csv"
scores = ["ssim"]
"#;

/// Writes the true classes of the items `i0`, `i1`, … into `labels.csv`.
fn write_labels(folder: &TestFolder, items: usize) {
    let rows = (0..items).map(|i| format!("i{i},{}", CLASSES[i % 3]));
    folder.write("labels.csv", table("id,label", rows));
}

/// Two tables as pandas writes them, of one model: the second in another order, each with its own
/// true classes.
fn shuffled(folder: &TestFolder, index: &str) -> (String, String) {
    let row = |i: usize| {
        let [p, truth] = [second(i), f64::from(is_second(i))];
        format!("{i},{truth},{},{p}", 1.0 - p)
    };
    let header = format!("{index},y_true,prob_0,prob_1");
    let a = table(&header, (0..40).map(row));
    let b = table(&header, (0..40).map(|i| row(i * 7 % 40)));
    folder.write("ix/a_seed1_clean.csv", &a);
    folder.write("ix/b_seed1_clean.csv", &b);
    (a, b)
}
