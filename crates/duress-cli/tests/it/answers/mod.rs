//! Answers in files, through the real command.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod gates;
mod recordings;
mod tables;

use std::fs;
use std::path::Path;

use crate::harness::ended_at_width;

fn duress(folder: &Path, args: &[&str]) -> (i32, String, String) {
    ended_at_width(folder, 200, args)
}

const CLASSES: [&str; 3] = ["cat", "dog", "owl"];

/// The probabilities of item `i`, no two items equally sure; its true class is `i % 3`.
fn probabilities(i: usize) -> [f64; 3] {
    let weights = [1 + (7 * i) % 11, 1 + (5 * i) % 13, 1 + (3 * i) % 7];
    let weights = weights.map(|weight| (weight * weight * weight) as f64 + 0.003 * i as f64);
    weights.map(|weight| weight / weights.iter().sum::<f64>())
}

fn table(header: &str, rows: impl Iterator<Item = String>) -> String {
    format!(
        "{header}\n{}",
        rows.map(|row| row + "\n").collect::<String>()
    )
}

/// The probability of `1` of item `i`; its true class is not always the likelier.
fn second(i: usize) -> f64 {
    (1.0 + (7 * i % 97) as f64) / 99.0
}

fn is_second(i: usize) -> bool {
    second(i) + 0.25 * ((i % 5) as f64 - 2.0) / 2.0 > 0.5
}

/// Two tables as pandas writes them, of one model: the second in another order, each with its own
/// true classes.
fn shuffled(folder: &Path, index: &str) -> (String, String) {
    let row = |i: usize| {
        let [p, truth] = [second(i), f64::from(is_second(i))];
        format!("{i},{truth},{},{p}", 1.0 - p)
    };
    let header = format!("{index},y_true,prob_0,prob_1");
    let a = table(&header, (0..40).map(row));
    let b = table(&header, (0..40).map(|i| row(i * 7 % 40)));
    fs::create_dir_all(folder.join("ix")).unwrap();
    fs::write(folder.join("ix/a_seed1_clean.csv"), &a).unwrap();
    fs::write(folder.join("ix/b_seed1_clean.csv"), &b).unwrap();
    (a, b)
}
