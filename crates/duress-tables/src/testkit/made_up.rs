//! Answers that nobody gave, about three classes and about two.

/// Three classes.
pub const CLASSES: [&str; 3] = ["cat", "dog", "owl"];

/// The probabilities of item `i`, no two items equally sure; its true class is `i % 3`.
pub fn probabilities(i: usize) -> [f64; 3] {
    let weights = [1 + (7 * i) % 11, 1 + (5 * i) % 13, 1 + (3 * i) % 7];
    let weights = weights.map(|weight| (weight * weight * weight) as f64 + 0.003 * i as f64);
    weights.map(|weight| weight / weights.iter().sum::<f64>())
}

/// The probability of the second of two classes of item `i`; its true class is not always the
/// likelier.
pub fn second(i: usize) -> f64 {
    (1.0 + (7 * i % 97) as f64) / 99.0
}

/// Whether item `i` has the second of two classes.
pub fn is_second(i: usize) -> bool {
    second(i) + 0.25 * ((i % 5) as f64 - 2.0) / 2.0 > 0.5
}

/// A table with commas: its header, and a line per row.
pub fn table(header: &str, rows: impl Iterator<Item = String>) -> String {
    let rows: String = rows.map(|row| row + "\n").collect();
    format!("{header}\n{rows}")
}
