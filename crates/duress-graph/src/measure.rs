//! Measures: how near a learnt graph came to the true one.

use std::collections::BTreeSet;

use duress_core::answer::{Answers, GraphAnswer};
use duress_core::gauge::{Group, Undefined};
use duress_core::graph::Graph;
use duress_core::truth::Truth;

use crate::cpdag::Pdag;

/// The true graph and the answer to compare it with, or what is there instead.
pub fn graphs<'a>(
    truth: &'a Truth,
    answers: &'a Answers,
) -> Result<(&'a Graph, &'a GraphAnswer), Undefined> {
    match (truth.graph(), answers) {
        (Some(truth), Answers::Graph(answer)) => Ok((truth, answer)),
        (_, answers) => Err(Undefined::new(format!(
            "compares two graphs; the truth is {}, the answers are about {}",
            truth.kind(),
            answers.question()
        ))),
    }
}

/// How many edges two graphs share, and how many only one of them has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    pub found: usize,
    pub false_found: usize,
    pub missed: usize,
}

impl Overlap {
    /// The overlap of edges with their direction: a reversed edge is one false and one missed.
    pub fn directed(truth: &Graph, answer: &Graph) -> Result<Overlap, Undefined> {
        same_variables(truth, answer)?;
        Ok(Overlap::of_sets(
            &truth.edges().iter().collect(),
            &answer.edges().iter().collect(),
        ))
    }

    /// The overlap of edges without their direction: two variables that act on each other are one
    /// edge.
    pub fn skeleton(truth: &Graph, answer: &Graph) -> Result<Overlap, Undefined> {
        same_variables(truth, answer)?;
        Ok(Overlap::of_sets(&pairs(truth), &pairs(answer)))
    }

    fn of_sets<T: Ord>(truth: &BTreeSet<T>, answer: &BTreeSet<T>) -> Overlap {
        let found = truth.intersection(answer).count();
        Overlap {
            found,
            false_found: answer.len() - found,
            missed: truth.len() - found,
        }
    }

    /// The share of the edges found that are true.
    pub fn precision(self) -> Result<f64, Undefined> {
        let chosen = self.found + self.false_found;
        share(
            self.found,
            chosen,
            "the answer has no edge, so no share of its edges is true",
        )
    }

    /// The share of the true edges that are found.
    pub fn recall(self) -> Result<f64, Undefined> {
        let true_ones = self.found + self.missed;
        share(
            self.found,
            true_ones,
            "the truth has no edge, so no share of its edges can be found",
        )
    }

    /// The harmonic mean of both, 2·found / (2·found + false + missed): 0 for an empty answer to a
    /// truth with edges.
    ///
    /// Undefined whenever the truth has no edge: one false edge and a hundred would both read 0,
    /// and none would read 0/0.
    pub fn f1(self) -> Result<f64, Undefined> {
        if self.found + self.missed == 0 {
            return Err(Undefined::new(
                "the truth has no edge; count the false ones instead (false-edges)",
            ));
        }
        let twice = 2 * self.found;
        share(
            twice,
            twice + self.false_found + self.missed,
            "there is no edge to find",
        )
    }

    /// Precision over the edges chosen and recall over the true ones, to be shown beside F1.
    pub fn groups(self) -> Vec<Group> {
        let group = |name: &str, n, value| Group {
            name: name.into(),
            n,
            value,
        };
        vec![
            group("precision", self.found + self.false_found, self.precision()),
            group("recall", self.found + self.missed, self.recall()),
        ]
    }
}

/// What a reversed edge costs in a structural Hamming distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reversal {
    /// One change, as in Tsamardinos, Brown and Aliferis, *Machine Learning* 65 (2006) 31–78: the
    /// pairs of variables on which the graphs differ are counted.
    One,
    /// Two: the cells in which the two adjacency matrices differ are counted.
    Two,
}

/// The structural Hamming distance: how many edges must be added, removed or reversed to make the
/// answer the truth.
pub fn structural_hamming_distance(
    truth: &Graph,
    answer: &Graph,
    reversal: Reversal,
) -> Result<usize, Undefined> {
    same_variables(truth, answer)?;
    let (truth, answer): (BTreeSet<_>, BTreeSet<_>) = (
        truth.edges().iter().copied().collect(),
        answer.edges().iter().copied().collect(),
    );
    let differing = truth.symmetric_difference(&answer);
    Ok(match reversal {
        Reversal::Two => differing.count(),
        Reversal::One => differing
            .map(|&(from, to)| unordered(from, to))
            .collect::<BTreeSet<_>>()
            .len(),
    })
}

/// Whether both graphs are over the same variables in the same order.
pub(crate) fn same_variables(truth: &Graph, answer: &Graph) -> Result<(), Undefined> {
    if truth.variables() == answer.variables() {
        return Ok(());
    }
    Err(Undefined::new(format!(
        "the variables of the truth are {}, those of the answer are {}",
        truth.variables().join(", "),
        answer.variables().join(", ")
    )))
}

/// Of the true edges between variables that the answer joins too, the share that it points as the
/// truth does; an edge that goes both ways in the answer alone is wrong.
pub fn orientation_accuracy(truth: &Graph, answer: &Graph) -> Result<f64, Undefined> {
    same_variables(truth, answer)?;
    let joined = |&&(from, to): &&(u32, u32)| answer.has(from, to) || answer.has(to, from);
    let shared: Vec<&(u32, u32)> = truth.edges().iter().filter(joined).collect();
    let both = |graph: &Graph, from, to| (graph.has(from, to), graph.has(to, from));
    let right = shared
        .iter()
        .filter(|&&&(from, to)| both(answer, from, to) == both(truth, from, to))
        .count();
    share(
        right,
        shared.len(),
        "the answer joins no two variables that the truth joins",
    )
}

/// The structural Hamming distance of the classes that independence alone can tell apart (CPDAGs):
/// the pairs of variables on which they differ. Both graphs must be without cycles.
pub fn class_distance(truth: &Graph, answer: &Graph) -> Result<usize, Undefined> {
    same_variables(truth, answer)?;
    let class = |graph: &Graph, who: &str| {
        let edges: Vec<(usize, usize)> = graph
            .edges()
            .iter()
            .map(|&(from, to)| (from as usize, to as usize))
            .collect();
        Pdag::of_dag(graph.variables().len(), &edges).ok_or_else(|| {
            Undefined::new(format!(
                "{who} has a cycle, and then it is in no such class"
            ))
        })
    };
    Ok(class(truth, "the truth")?.distance(&class(answer, "the answer")?))
}

fn pairs(graph: &Graph) -> BTreeSet<(u32, u32)> {
    graph
        .edges()
        .iter()
        .map(|&(from, to)| unordered(from, to))
        .collect()
}

fn unordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

fn share(part: usize, whole: usize, why: &str) -> Result<f64, Undefined> {
    if whole == 0 {
        Err(Undefined::new(why))
    } else {
        Ok(part as f64 / whole as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbered_graph::graph;

    /// All directed graphs over three variables, two-cycles included.
    fn all_graphs() -> Vec<Graph> {
        let cells = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
        let chosen = |bits: u32| {
            (0..6)
                .filter(|i| bits >> i & 1 == 1)
                .map(|i| cells[i])
                .collect::<Vec<_>>()
        };
        (0..64).map(|bits| graph(3, &chosen(bits))).collect()
    }

    #[test]
    fn every_measure_agrees_with_counting_cells_on_all_graphs_of_three_variables() {
        for truth in all_graphs() {
            for answer in all_graphs() {
                let mut cells = 0;
                let mut unlike_pairs = 0;
                let mut found = 0;
                let mut shared_pairs = 0;
                for (a, b) in [(0, 1), (0, 2), (1, 2)] {
                    let of = |g: &Graph| (g.has(a, b), g.has(b, a));
                    let t = of(&truth);
                    let s = of(&answer);
                    cells += usize::from(t.0 != s.0) + usize::from(t.1 != s.1);
                    unlike_pairs += usize::from(t != s);
                    found += usize::from(t.0 && s.0) + usize::from(t.1 && s.1);
                    shared_pairs += usize::from((t.0 || t.1) && (s.0 || s.1));
                }
                let shd =
                    |reversal| structural_hamming_distance(&truth, &answer, reversal).unwrap();
                assert_eq!(
                    (shd(Reversal::Two), shd(Reversal::One)),
                    (cells, unlike_pairs)
                );
                let directed = Overlap::directed(&truth, &answer).unwrap();
                assert_eq!(directed.found, found);
                assert_eq!(directed.false_found + directed.missed, cells);
                assert_eq!(
                    Overlap::skeleton(&truth, &answer).unwrap().found,
                    shared_pairs
                );
            }
        }
    }

    #[test]
    fn directed_f1_of_one_implies_skeleton_f1_of_one_and_no_distance() {
        for truth in all_graphs() {
            for answer in all_graphs() {
                if Overlap::directed(&truth, &answer).unwrap().f1() == Ok(1.0) {
                    assert_eq!(Overlap::skeleton(&truth, &answer).unwrap().f1(), Ok(1.0));
                    assert_eq!(
                        structural_hamming_distance(&truth, &answer, Reversal::Two),
                        Ok(0)
                    );
                }
            }
        }
    }

    #[test]
    fn known_values() {
        let truth = graph(4, &[(0, 1), (1, 2), (2, 3)]);
        let answer = graph(4, &[(0, 1), (2, 1), (0, 3)]);
        let directed = Overlap::directed(&truth, &answer).unwrap();
        assert_eq!(
            (directed.precision(), directed.recall()),
            (Ok(1.0 / 3.0), Ok(1.0 / 3.0))
        );
        assert_eq!(
            Overlap::skeleton(&truth, &answer).unwrap().f1(),
            Ok(2.0 / 3.0)
        );
        assert_eq!(
            structural_hamming_distance(&truth, &answer, Reversal::One),
            Ok(3)
        );
        assert_eq!(
            structural_hamming_distance(&truth, &answer, Reversal::Two),
            Ok(4)
        );
    }

    #[test]
    fn what_has_no_value_has_a_reason() {
        let empty = graph(2, &[]);
        let full = graph(2, &[(0, 1)]);
        assert!(Overlap::directed(&empty, &empty).unwrap().f1().is_err());
        assert!(Overlap::directed(&empty, &full).unwrap().f1().is_err());
        assert_eq!(Overlap::directed(&full, &empty).unwrap().f1(), Ok(0.0));
        assert!(
            Overlap::directed(&full, &empty)
                .unwrap()
                .precision()
                .is_err()
        );
        assert_eq!(
            structural_hamming_distance(&empty, &full, Reversal::One),
            Ok(1)
        );
        let why = Overlap::directed(&full, &graph(3, &[])).unwrap_err().why;
        assert!(
            why.contains("x0, x1,") && why.contains("x0, x1, x2"),
            "{why}"
        );
    }
}
