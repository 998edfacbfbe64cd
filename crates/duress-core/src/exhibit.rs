//! Exhibits: which items are worth showing.

use crate::answer::Answers;
use crate::truth::{Sealed, Truth};

/// The positions of the `most` items whose answers are furthest from the truth, worst first; ties
/// by position.
///
/// Only answers about single items have a worst item: for a graph the list is empty.
pub fn worst(truth: &Sealed<Truth>, answers: &Answers, most: usize) -> Vec<usize> {
    let (Truth::Labels(labels), Answers::Classes(said)) = (truth.open(), answers) else {
        return Vec::new();
    };
    let mut ranked: Vec<(f64, usize)> = (0..said.len().min(labels.of().len()))
        .filter_map(|i| {
            let label = labels.of()[i];
            let right = f64::from(u8::from(said.label(i)? == label));
            let known = (label as usize) < said.classes().len();
            Some((
                known
                    .then(|| said.probability(i, label))
                    .flatten()
                    .unwrap_or(right),
                i,
            ))
        })
        .collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().take(most).map(|(_, i)| i).collect()
}

/// What the truth says about item `i`, in words, for showing beside its answer.
pub fn truth_in_words(truth: &Sealed<Truth>, i: usize) -> Option<String> {
    match truth.open() {
        Truth::Labels(labels) => Some(labels.classes()[labels.of()[i] as usize].clone()),
        Truth::References(references) => Some(references[i].join(" || ")),
        Truth::Graph(_) | Truth::Regimes { .. } | Truth::Nothing => None,
    }
}

/// The true graph, for showing beside a learned one.
pub fn true_graph(truth: &Sealed<Truth>) -> Option<&crate::graph::Graph> {
    truth.open().graph()
}
