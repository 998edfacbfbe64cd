//! Skeletons: which variables no others separate, what separates the rest, and the arrows that
//! follow.
//!
//! Shared by PC and PCMCI+, which differ only in how they look for separators.

use std::collections::BTreeMap;

use duress_core::answer::GraphAnswer;

use crate::cpdag::Pdag;
use crate::learners::independence::CorrelationResult;
use crate::matrix::{Square, row_by_row};
use crate::select;

/// Lines between variables, of which some are earlier than others.
pub(crate) struct Skeleton {
    /// Which step each variable is from: larger is earlier.
    lags: Vec<usize>,
    joined: Vec<bool>,
    separators: BTreeMap<(usize, usize), Vec<usize>>,
    /// The weakest evidence that a pair was ever found with: what its line stands on.
    strengths: Square,
    /// The p of that evidence.
    p: Square,
}

impl Skeleton {
    /// Every pair joined, but those for which `ask` says that they need not be.
    pub(crate) fn fully_joined(lags: Vec<usize>, ask: impl Fn(usize, usize) -> bool) -> Skeleton {
        let size = lags.len();
        let joined = |at: usize| {
            at / size != at % size && ask(at / size, at % size) && ask(at % size, at / size)
        };
        Skeleton {
            joined: (0..size * size).map(joined).collect(),
            separators: BTreeMap::new(),
            strengths: Square::zeros(size),
            p: Square::zeros(size),
            lags,
        }
    }

    pub(crate) fn size(&self) -> usize {
        self.lags.len()
    }

    pub(crate) fn lag_of(&self, a: usize) -> usize {
        self.lags[a]
    }

    pub(crate) fn is_joined(&self, a: usize, b: usize) -> bool {
        self.joined[a * self.size() + b]
    }

    /// Whom `a` is joined with, among variables that are not later.
    pub(crate) fn neighbours(&self, a: usize) -> Vec<usize> {
        (0..self.size())
            .filter(|&b| self.is_joined(a, b) && self.lags[b] >= self.lags[a])
            .collect()
    }

    pub(crate) fn joined_pairs(&self) -> Vec<(usize, usize)> {
        let pairs = (0..self.size()).flat_map(|a| (a + 1..self.size()).map(move |b| (a, b)));
        pairs.filter(|&(a, b)| self.is_joined(a, b)).collect()
    }

    /// Notes how strong the evidence of a test was.
    pub(crate) fn note_evidence(&mut self, (a, b): (usize, usize), evidence: CorrelationResult) {
        let least = if self.strengths[(a, b)] == 0.0 {
            f64::INFINITY
        } else {
            self.strengths[(a, b)]
        };
        let strength = evidence.strength.min(least).max(f64::MIN_POSITIVE);
        (self.strengths[(a, b)], self.strengths[(b, a)]) = (strength, strength);
        self.p[(a, b)] = self.p[(a, b)].max(evidence.p);
    }

    /// Takes lines away until no more than `share` of those left between different variables, of which
    /// there are `variables` a step, are expected to be false (Benjamini and
    /// Hochberg). What a variable remembers of itself is no such line and stays.
    pub(crate) fn keep_false_share(&mut self, share: f64, variables: usize) {
        let other = |(a, b): &(usize, usize)| a % variables != b % variables;
        let mut lines: Vec<(usize, usize)> =
            self.joined_pairs().into_iter().filter(other).collect();
        lines.sort_by(|a, b| self.p[*a].total_cmp(&self.p[*b]));
        let steps = self.size() / variables;
        let asked = variables * (variables - 1) * (2 * steps - 1) / 2;
        let within = |nth: &usize| self.p[lines[*nth]] <= share * (nth + 1) as f64 / asked as f64;
        let kept = (0..lines.len()).rev().find(within).map_or(0, |nth| nth + 1);
        // Not separated by anything: nothing is said about colliders.
        let size = self.size();
        for &(a, b) in &lines[kept..] {
            (self.joined[a * size + b], self.joined[b * size + a]) = (false, false);
        }
    }

    /// Takes the line between `a` and `b` away because of what separates them.
    pub(crate) fn separate(&mut self, (a, b): (usize, usize), by: &[usize]) {
        let size = self.size();
        (self.joined[a * size + b], self.joined[b * size + a]) = (false, false);
        self.separators.insert((a.min(b), a.max(b)), by.to_vec());
    }

    pub(crate) fn strength(&self, a: usize, b: usize) -> f64 {
        self.strengths[(a, b)]
    }

    /// The arrows: from earlier to later; into what does not separate its neighbours (colliders),
    /// unless an arrow says otherwise already; and whatever follows from those (Meek's rules).
    pub(crate) fn orient(&self) -> Pdag {
        let mut graph = Pdag::empty(self.size());
        for (a, b) in self.joined_pairs() {
            match self.lags[a].cmp(&self.lags[b]) {
                std::cmp::Ordering::Equal => graph.set_line(a, b),
                std::cmp::Ordering::Greater => graph.set_arrow(a, b),
                std::cmp::Ordering::Less => graph.set_arrow(b, a),
            }
        }
        for (&(a, b), by) in &self.separators {
            for c in (0..self.size()).filter(|c| self.is_joined(a, *c) && self.is_joined(*c, b)) {
                if !by.contains(&c) && graph.may_point(a, c) && graph.may_point(b, c) {
                    graph.set_arrow(a, c);
                    graph.set_arrow(b, c);
                }
            }
        }
        graph.close();
        graph
    }

    /// The summary graph over the latest step's `variables`, which come first. A line that stays
    /// without a head is answered as the arrow it has in one graph of the class, or both ways where
    /// the arrows belong to no such graph.
    pub(crate) fn summarise(&self, variables: &[String], rule: &str) -> GraphAnswer {
        let d = variables.len();
        let graph = self.orient();
        let member = graph.extension();
        let points = |from: usize, to: usize| match &member {
            Some(edges) => edges.binary_search(&(from, to)).is_ok(),
            None => graph.may_point(from, to),
        };
        let mut edges = Vec::new();
        let mut scores = vec![0.0; d * d];
        for (from, to) in row_by_row(self.size(), d).filter(|(a, b)| a % d != *b) {
            let score: &mut f64 = &mut scores[from % d * d + to];
            let against = self.is_joined(from, to) && !points(from, to);
            *score = score.max(if against {
                0.0
            } else {
                self.strength(from, to)
            });
            if points(from, to) {
                edges.push((from % d, to));
            }
        }
        let lines = match member {
            Some(_) => "lines without a head as in one graph of the class",
            None => {
                "lines without a head both ways, the arrows belonging to no graph without cycles"
            }
        };
        GraphAnswer {
            graph: select::graph(variables, &edges),
            scores,
            rule: format!("{rule}; {lines}"),
        }
    }
}

/// How a rule says what share of lines may be false.
pub(crate) fn false_share_in_words(share: Option<f64>) -> String {
    share.map_or_else(String::new, |share| {
        format!(", at most {share} of the lines expected to be false (Benjamini and Hochberg)")
    })
}

/// All subsets of `size` of these, in order, until `visit` says to stop.
pub(crate) fn subsets(of: &[usize], size: usize, visit: &mut dyn FnMut(&[usize]) -> bool) {
    if size > of.len() {
        return;
    }
    let mut places: Vec<usize> = (0..size).collect();
    let mut chosen: Vec<usize> = places.iter().map(|&at| of[at]).collect();
    while visit(&chosen) {
        let Some(turn) = (0..size)
            .rev()
            .find(|&at| places[at] < of.len() - size + at)
        else {
            return;
        };
        places[turn] += 1;
        (turn + 1..size).for_each(|at| places[at] = places[at - 1] + 1);
        (turn..size).for_each(|at| chosen[at] = of[places[at]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_all_there_each_once() {
        let mut seen = Vec::new();
        subsets(&[4, 5, 6, 7], 2, &mut |some| {
            seen.push(some.to_vec());
            true
        });
        assert_eq!(seen, [[4, 5], [4, 6], [4, 7], [5, 6], [5, 7], [6, 7]]);
        let mut count = 0;
        subsets(&[1, 2], 0, &mut |some| {
            count += 1;
            some.is_empty()
        });
        subsets(&[1, 2], 3, &mut |_| unreachable!("there are none"));
        assert_eq!(count, 1);
    }

    #[test]
    fn time_and_colliders_give_arrows_and_the_rest_is_one_graph_of_the_class() {
        // Two variables now (0, 1) and before (2, 3): 2 → 0 by time, and 2 is apart from 1 without
        // 0: so 1 → 0.
        let mut skeleton = Skeleton::fully_joined(vec![0, 0, 1, 1], |a, b| !(a >= 2 && b >= 2));
        skeleton.separate((1, 2), &[]);
        skeleton.separate((0, 3), &[1]);
        skeleton.separate((1, 3), &[]);
        let graph = skeleton.orient();
        assert!(graph.is_arrow(2, 0) && graph.is_arrow(1, 0));
        let names = ["a".to_string(), "b".to_string()];
        let answer = skeleton.summarise(&names, "tests");
        assert_eq!(answer.graph.edges(), [(1, 0)]);
        assert!(answer.rule.contains("as in one graph"), "{}", answer.rule);
    }
}
