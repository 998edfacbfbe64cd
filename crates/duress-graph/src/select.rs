//! Selection: from a z score per ordered pair to a graph, without the truth.

use duress_core::answer::GraphAnswer;
use duress_core::graph::Graph;
use duress_core::subject::Failure;

use crate::matrix::Square;

/// Fewer ordered pairs than this, as of four variables, show no spread: two or three edges among them would be half of it.
const FEWEST_PAIRS: usize = 20;

/// A z score for each ordered pair of variables, from × to.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    variables: Vec<String>,
    z: Square,
}

impl Scores {
    /// Finite scores; those on the diagonal say how a variable remembers itself and are no edges.
    pub fn new(variables: Vec<String>, z: Square) -> Result<Scores, Failure> {
        assert_eq!(variables.len(), z.size(), "a score for each pair of variables");
        let d = z.size();
        match z.cells().iter().position(|score| !score.is_finite()) {
            Some(at) => Err(Failure::unable(format!(
                "no score can be had for `{}` → `{}`",
                variables[at / d],
                variables[at % d]
            ))),
            None => Ok(Scores { variables, z }),
        }
    }

    /// The score of `from` → `to`.
    pub fn z(&self, from: usize, to: usize) -> f64 {
        self.z[(from, to)]
    }

    /// How widely scores of no edge spread, as far as the weaker half of all scores shows: 1 if they are what theory says.
    /// `None` when there are too few pairs to tell.
    ///
    /// The median of |z| over its value under a standard normal (Efron, *JASA* 99 (2004) 96–104, with the centre held at 0),
    /// and at least 1. A model that is a little wrong, such as a line through a curve, gives every pair a little score; with
    /// enough data all of them differ from zero and only the spread tells which stand out. It takes a graph in which most pairs
    /// have no edge: in a dense one it is too wide, and edges are missed.
    pub fn empirical_spread(&self) -> Option<f64> {
        const MEDIAN_OF_ABSOLUTE_NORMAL: f64 = 0.674_489_750_196_081_7;
        let edges = self.edges();
        let median = edges.get(edges.len() / 2)?.0;
        (edges.len() >= FEWEST_PAIRS).then(|| (median / MEDIAN_OF_ABSOLUTE_NORMAL).max(1.0))
    }

    /// `(|z|, from, to)` of all ordered pairs, strongest first, ties by position.
    fn edges(&self) -> Vec<(f64, usize, usize)> {
        let d = self.z.size();
        let pairs = (0..d).flat_map(|i| (0..d).map(move |k| (i, k))).filter(|(i, k)| i != k);
        let mut edges: Vec<_> = pairs.map(|(i, k)| (self.z[(i, k)].abs(), i, k)).collect();
        edges.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        edges
    }
}

/// What the scores of pairs without an edge are taken to look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Null {
    /// Standard normal.
    Theoretical,
    /// Normal with the spread that the scores themselves show ([`Scores::empirical_spread`]).
    Empirical,
}

impl Null {
    /// The names a study uses.
    pub const NAMES: &'static [&'static str] = &["empirical", "theoretical"];

    /// The null of this name.
    pub fn named(name: &str) -> Option<Null> {
        match name {
            "theoretical" => Some(Null::Theoretical),
            "empirical" => Some(Null::Empirical),
            _ => None,
        }
    }
}

/// How edges are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Selection {
    /// The share of chosen pairs that may be false, by Benjamini and Hochberg (*JRSS B* 57 (1995) 289–300).
    pub false_share: f64,
    /// What scores without an edge look like.
    pub null: Null,
    /// Whether an edge that would close a cycle with stronger ones is left out.
    pub acyclic: bool,
}

impl Selection {
    /// The graph, with the scores it was chosen from and the rule in words.
    pub fn choose(&self, scores: &Scores) -> GraphAnswer {
        let empirical = if self.null == Null::Empirical { scores.empirical_spread() } else { None };
        let spread = empirical.unwrap_or(1.0);
        let mut edges = scores.edges();
        let sizes: Vec<f64> = edges.iter().map(|(size, ..)| size / spread).collect();
        edges.truncate(benjamini_hochberg(&sizes, self.false_share));
        let found: Vec<(usize, usize)> = edges.into_iter().map(|(_, from, to)| (from, to)).collect();
        let kept = if self.acyclic { without_cycles(scores.variables.len(), &found) } else { found };
        let kept = kept.into_iter().map(|(from, to)| (from as u32, to as u32));
        let graph = Graph::new(scores.variables.clone(), kept)
            .unwrap_or_else(|why| unreachable!("pairs of different variables: {why}"));
        let sizes = scores.z.cells().iter().map(|z| z.abs()).collect();
        GraphAnswer { graph, scores: sizes, rule: self.rule(empirical) }
    }

    fn rule(&self, empirical: Option<f64>) -> String {
        let null = match (self.null, empirical) {
            (Null::Theoretical, _) => "a standard normal null".into(),
            (Null::Empirical, Some(spread)) => format!("an empirical null of spread {spread:.2}"),
            (Null::Empirical, None) => {
                "a standard normal null, the pairs being too few for an empirical one".into()
            }
        };
        let cycles = if self.acyclic { ", strongest first, none that closes a cycle" } else { "" };
        format!(
            "Benjamini–Hochberg at {} over |z| of all ordered pairs against {null}{cycles}",
            self.false_share
        )
    }
}

/// How many of these |z|, strongest first, are chosen so that at most `share` of them are false.
fn benjamini_hochberg(sizes: &[f64], share: f64) -> usize {
    let p = |z: f64| libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2);
    let passes = |k: usize| p(sizes[k - 1]) <= share * k as f64 / sizes.len() as f64;
    (1..=sizes.len()).rev().find(|&k| passes(k)).unwrap_or(0)
}

/// The edges that, taken in order, close no cycle with those taken before.
fn without_cycles(d: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // reaches[a·d + b]: b can be reached from a.
    let mut reaches: Vec<bool> = (0..d * d).map(|at| at / d == at % d).collect();
    let mut kept = Vec::new();
    for &(from, to) in edges {
        if reaches[to * d + from] {
            continue;
        }
        kept.push((from, to));
        for a in (0..d).filter(|&a| reaches[a * d + from]).collect::<Vec<_>>() {
            (0..d).for_each(|b| reaches[a * d + b] |= reaches[to * d + b]);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    fn has_cycle(d: usize, edges: &[(usize, usize)]) -> bool {
        let mut left: Vec<usize> = (0..d).collect();
        while let Some(at) = left.iter().position(|v| !edges.iter().any(|(a, b)| b == v && left.contains(a)))
        {
            left.remove(at);
        }
        !left.is_empty()
    }

    #[test]
    fn edges_in_order_never_close_a_cycle_and_none_is_dropped_in_vain() {
        let mut draws = Seed::new(8).draws();
        for _ in 0..200 {
            let mut all: Vec<(usize, usize)> =
                (0..5).flat_map(|i| (0..5).map(move |k| (i, k))).filter(|(i, k)| i != k).collect();
            draws.shuffle(&mut all);
            all.truncate(1 + draws.below(19));
            let kept = without_cycles(5, &all);
            assert!(!has_cycle(5, &kept), "{kept:?}");
            for (place, edge) in all.iter().enumerate().filter(|(_, edge)| !kept.contains(edge)) {
                let mut with: Vec<_> = kept.iter().filter(|k| all[..place].contains(k)).copied().collect();
                with.push(*edge);
                assert!(has_cycle(5, &with), "{edge:?} would have closed no cycle");
            }
        }
    }

    #[test]
    fn benjamini_and_hochberg_give_the_number_of_their_own_example() {
        // The fifteen p values of their section 3.2: four are rejected at 0.05, where Bonferroni rejects three.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.0,
        ];
        let z: Vec<f64> = p.iter().map(|&p| quantile(p)).collect();
        assert_eq!(benjamini_hochberg(&z, 0.05), 4);
        assert_eq!(benjamini_hochberg(&[], 0.05), 0);
    }

    /// The |z| with this two-sided p, by bisection.
    fn quantile(p: f64) -> f64 {
        let (mut low, mut high) = (0.0, 10.0);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if libm::erfc(middle / std::f64::consts::SQRT_2) > p { low = middle } else { high = middle }
        }
        low
    }

    #[test]
    fn noise_gives_no_edges_and_the_spread_is_that_of_noise() {
        let mut draws = Seed::new(3).draws();
        let (mut edges, mut spread) = (0, 0.0);
        for _ in 0..40 {
            let mut z = Square::zero(10);
            (0..100).for_each(|at| z[(at / 10, at % 10)] = 3.0 * draws.normal());
            let scores = Scores::new((0..10).map(|i| i.to_string()).collect(), z).unwrap();
            let selection = Selection { false_share: 0.05, null: Null::Empirical, acyclic: true };
            edges += selection.choose(&scores).graph.edges().len();
            spread += scores.empirical_spread().unwrap() / 40.0;
        }
        assert!((spread - 3.0).abs() < 0.2, "{spread}");
        assert!(edges <= 8, "{edges} false edges in 40 graphs of noise");
    }

    #[test]
    fn few_pairs_are_held_against_theory_and_the_rule_says_so() {
        let mut z = Square::zero(2);
        (z[(0, 1)], z[(1, 0)]) = (-8.0, 7.0);
        let scores = Scores::new(vec!["a".into(), "b".into()], z).unwrap();
        let choose =
            |acyclic| Selection { false_share: 0.05, null: Null::Empirical, acyclic }.choose(&scores);
        assert_eq!(choose(true).graph.edges(), [(0, 1)]);
        assert_eq!(choose(false).graph.edges(), [(0, 1), (1, 0)]);
        assert!(choose(true).rule.contains("too few for an empirical one"));
    }
}
