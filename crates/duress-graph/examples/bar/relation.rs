//! How pairs of variables stand in the true graph.

use duress_core::graph::Graph;

/// How an ordered pair stands in the true graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Relation {
    Edge,
    /// An edge the other way.
    Reversed,
    /// Cause and effect by way of others.
    Ancestor,
    /// Effect and cause by way of others.
    Descendant,
    /// Effects of one cause.
    Siblings,
    Unrelated,
}

/// How each ordered pair stands in the true graph.
pub(crate) fn relations(truth: &Graph) -> Vec<Relation> {
    let d = truth.variables().len();
    let edge = |i: usize, k: usize| truth.has(i as u32, k as u32);
    let mut leads: Vec<bool> = (0..d * d).map(|at| edge(at / d, at % d)).collect();
    for by in 0..d {
        for at in 0..d * d {
            leads[at] |= leads[at / d * d + by] && leads[by * d + at % d];
        }
    }
    let related = |at: usize| {
        let (i, k) = (at / d, at % d);
        match () {
            () if edge(i, k) => Relation::Edge,
            () if edge(k, i) => Relation::Reversed,
            () if leads[i * d + k] => Relation::Ancestor,
            () if leads[k * d + i] => Relation::Descendant,
            () if (0..d).any(|c| leads[c * d + i] && leads[c * d + k]) => Relation::Siblings,
            () => Relation::Unrelated,
        }
    };
    (0..d * d).map(related).collect()
}
