//! Selection: from a score per ordered pair to a graph, without the truth.
//!
//! What scores of no edge look like is known from theory, from the weaker half of the scores
//! themselves, or from data in which no variable knows of another; and an edge can be asked to come
//! back in most halves of the windows.

use duress_core::answer::GraphAnswer;
use duress_core::graph::Graph;
use duress_core::seed::Seed;
use duress_core::subject::Failure;

use crate::matrix::{Square, row_by_row};
use crate::panel::StandardisedPanel;
use crate::robust::MAD_OF_NORMAL;

/// Fewer ordered pairs than this, as of four variables, show no spread: two or three edges among
/// them would be half of it.
const FEWEST_PAIRS: usize = 20;

/// A score for each ordered pair of variables, from × to: in standard errors (z) where the learner
/// has them, else a weight.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeScores {
    variables: Vec<String>,
    z: Square,
}

impl EdgeScores {
    /// Finite scores; those on the diagonal say how a variable remembers itself and are no edges.
    pub fn new(variables: Vec<String>, z: Square) -> Result<EdgeScores, Failure> {
        assert_eq!(
            variables.len(),
            z.size(),
            "a score for each pair of variables"
        );
        let d = z.size();
        match z.cells().iter().position(|score| !score.is_finite()) {
            Some(at) => Err(Failure::unable(format!(
                "no score can be had for `{}` → `{}`",
                variables[at / d],
                variables[at % d]
            ))),
            None => Ok(EdgeScores { variables, z }),
        }
    }

    /// The score of `from` → `to`.
    pub fn score(&self, from: usize, to: usize) -> f64 {
        self.z[(from, to)]
    }

    /// The sizes of all scores, row by row, as an answer holds them.
    pub fn sizes(&self) -> Vec<f64> {
        self.z.cells().iter().map(|z| z.abs()).collect()
    }

    /// How widely scores of no edge spread, as far as the weaker half of all scores shows: 1 if
    /// they are what theory says. `None` when there are too few pairs to tell.
    ///
    /// The median of |z| over its value under a standard normal (Efron, *JASA* 99 (2004) 96–104,
    /// with the centre held at 0), and at least 1. A model that is a little wrong, such as a line
    /// through a curve, gives every pair a little score; with enough data all of them differ from
    /// zero and only the spread tells which stand out. It takes a graph in which most pairs have no
    /// edge: in a dense one it is too wide, and edges are missed.
    pub fn empirical_spread(&self) -> Option<f64> {
        let edges = self.edges();
        let median = edges.get(edges.len() / 2)?.0;
        (edges.len() >= FEWEST_PAIRS).then(|| (median / MAD_OF_NORMAL).max(1.0))
    }

    /// `(|z|, from, to)` of all ordered pairs, strongest first, ties by position.
    fn edges(&self) -> Vec<(f64, usize, usize)> {
        let d = self.z.size();
        let pairs = row_by_row(d, d).filter(|(i, k)| i != k);
        let mut edges: Vec<_> = pairs.map(|(i, k)| (self.z[(i, k)].abs(), i, k)).collect();
        edges.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        edges
    }
}

duress_core::words! {
    /// What the scores of pairs without an edge are taken to look like.
    pub enum Null {
        /// Normal with the spread that the scores themselves show
        /// ([`EdgeScores::empirical_spread`]).
        Empirical = "empirical",
        /// Standard normal.
        Theoretical = "theoretical",
        /// As the same learner scores the same data once every variable's windows are dealt out
        /// anew ([`StandardisedPanel::shuffled`]).
        Permutation = "permutation",
    }
}

/// Which scores are edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// As many as keep the expected share of false ones low.
    FalseShare {
        /// The share of chosen pairs that may be false, by Benjamini and Hochberg (*JRSS B* 57
        /// (1995) 289–300).
        share: f64,
        /// What scores without an edge look like.
        null: Null,
    },
    /// Those whose size is above a number the study gives.
    Threshold(f64),
}

/// How edges are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeSelection {
    /// Which scores are edges.
    pub rule: Rule,
    /// Whether an edge that would close a cycle with stronger ones is left out.
    pub acyclic: bool,
    /// In which share of random halves of the windows an edge must be chosen as well; 0 asks none.
    pub stable: f64,
}

/// How often the windows are split in halves: 50 halves, as in Shah and Samworth, *JRSS B* 75
/// (2013) 55–80.
const SPLITS: usize = 25;

/// The most times the data are shuffled for a permutation null.
const MOST_SHUFFLES: f64 = 200.0;

/// From a panel to scores.
pub type Score<'a> = &'a dyn Fn(&StandardisedPanel) -> Result<EdgeScores, Failure>;

impl EdgeSelection {
    /// The graph, with the scores it was chosen from and the rule in words.
    pub fn learn(
        &self,
        panel: &StandardisedPanel,
        seed: Seed,
        score: Score<'_>,
    ) -> Result<GraphAnswer, Failure> {
        stable(panel, self.stable, self.acyclic, seed, &|panel, seed| {
            let scores = score(panel)?;
            match self.rule {
                Rule::FalseShare {
                    share,
                    null: Null::Permutation,
                } => Ok(self.choose_against(&scores, &permuted(panel, share, seed, score)?)),
                _ => Ok(self.choose(&scores)),
            }
        })
    }

    /// The graph of scores whose null is known without the data.
    ///
    /// # Panics
    /// When the null is a permutation of the data, which scores do not hold: [`EdgeSelection::learn`]
    /// has them.
    pub fn choose(&self, scores: &EdgeScores) -> GraphAnswer {
        let edges = scores.edges();
        match self.rule {
            Rule::Threshold(threshold) => {
                let above = edges.iter().filter(|(size, ..)| *size > threshold).count();
                self.strongest(scores, above, format!("|weight| above {threshold}"))
            }
            Rule::FalseShare { share, null } => {
                assert_ne!(
                    null,
                    Null::Permutation,
                    "scores alone hold no permutation null"
                );
                let empirical = if null == Null::Empirical {
                    scores.empirical_spread()
                } else {
                    None
                };
                let spread = empirical.unwrap_or(1.0);
                let p: Vec<f64> = edges.iter().map(|(z, ..)| two_sided(z / spread)).collect();
                let against = match (null, empirical) {
                    (Null::Empirical, Some(spread)) => {
                        format!("an empirical null of spread {spread:.2}")
                    }
                    (Null::Empirical, None) => {
                        "a standard normal null, the pairs being too few for an empirical one"
                            .into()
                    }
                    _ => "a standard normal null".into(),
                };
                self.strongest(
                    scores,
                    benjamini_hochberg(&p, share),
                    by_false_share(share, "|z|", &against),
                )
            }
        }
    }

    /// The graph of scores held against those of data without an edge, in any order.
    fn choose_against(&self, scores: &EdgeScores, null: &[f64]) -> GraphAnswer {
        let Rule::FalseShare { share, .. } = self.rule else {
            unreachable!("a threshold has no null")
        };
        let mut null = null.to_vec();
        null.sort_by(f64::total_cmp);
        let n = null.len();
        let p = |size: f64| {
            (1 + n - null.partition_point(|&other| other < size)) as f64 / (n + 1) as f64
        };
        let p: Vec<f64> = scores.edges().iter().map(|(size, ..)| p(*size)).collect();
        let against = format!("a permutation null of {n} scores of shuffled windows");
        self.strongest(
            scores,
            benjamini_hochberg(&p, share),
            by_false_share(share, "|score|", &against),
        )
    }

    /// The strongest `count` pairs as a graph.
    fn strongest(&self, scores: &EdgeScores, count: usize, rule: String) -> GraphAnswer {
        let found: Vec<(usize, usize)> = scores
            .edges()
            .into_iter()
            .take(count)
            .map(|(_, from, to)| (from, to))
            .collect();
        let kept = if self.acyclic {
            without_cycles(scores.variables.len(), &found)
        } else {
            found
        };
        let cycles = if self.acyclic {
            ", strongest first, none that closes a cycle"
        } else {
            ""
        };
        GraphAnswer {
            graph: graph(&scores.variables, &kept),
            scores: scores.sizes(),
            rule: format!("{rule}{cycles}"),
        }
    }
}

/// From a panel to a graph, for a seed.
pub type Learn<'a> = &'a dyn Fn(&StandardisedPanel, Seed) -> Result<GraphAnswer, Failure>;

/// What `learn` learns from all windows, without the edges that it does not learn from `share` of
/// random halves of them (stability selection; Meinshausen and Bühlmann, *JRSS B* 72 (2010)
/// 417–473, with complementary halves). 0 asks for none.
pub fn stable(
    panel: &StandardisedPanel,
    share: f64,
    acyclic: bool,
    seed: Seed,
    learn: Learn<'_>,
) -> Result<GraphAnswer, Failure> {
    let whole = learn(panel, seed.child("whole"))?;
    if share <= 0.0 {
        return Ok(whole);
    }
    let n = panel.windows();
    let d = panel.variables().len();
    if n < 4 {
        return Err(Failure::unable(format!(
            "{n} windows cannot be halved to see which edges come back"
        )));
    }
    let mut counts = Square::zeros(d);
    for split in 0..SPLITS {
        let seed = seed.child(format!("split-{split}"));
        let mut order: Vec<usize> = (0..n).collect();
        seed.draws().shuffle(&mut order);
        for half in [&order[..n / 2], &order[n / 2..2 * (n / 2)]] {
            let part = learn(&panel.select(half), seed).map_err(|failure| {
                Failure::unable(format!("in half of the windows: {}", failure.why))
            })?;
            part.graph
                .edges()
                .iter()
                .for_each(|&(from, to)| counts[(from as usize, to as usize)] += 1.0);
        }
    }
    let often = EdgeScores {
        variables: whole.graph.variables().to_vec(),
        z: counts,
    };
    let halves = (2 * SPLITS) as f64;
    let enough = |(count, from, to): (f64, usize, usize)| {
        (count >= share * halves && count > 0.0).then_some((from, to))
    };
    let found: Vec<(usize, usize)> = often.edges().into_iter().filter_map(enough).collect();
    let kept = if acyclic {
        without_cycles(d, &found)
    } else {
        found
    };
    let rule = format!(
        "{}; chosen in at least {share} of {halves} random halves of the windows",
        whole.rule
    );
    Ok(GraphAnswer {
        graph: graph(&often.variables, &kept),
        rule,
        ..whole
    })
}

/// The sizes of all scores of shuffled data, as many times as a false share of `share` needs to be
/// resolved.
fn permuted(
    panel: &StandardisedPanel,
    share: f64,
    seed: Seed,
    score: Score<'_>,
) -> Result<Vec<f64>, Failure> {
    if panel.largest_regime() < 2 {
        return Err(Failure::unable(
            "no regime has two windows to be dealt out anew for a permutation null",
        ));
    }
    // The strongest of m pairs passes at p = share / m, and each shuffle adds m scores to hold it
    // against.
    let shuffles = (1.0 / share).ceil().clamp(1.0, MOST_SHUFFLES) as usize;
    let mut sizes = Vec::new();
    for shuffle in 0..shuffles {
        let scores = score(&panel.shuffled(seed.child(format!("shuffle-{shuffle}"))))?;
        sizes.extend(scores.edges().into_iter().map(|(size, ..)| size));
    }
    Ok(sizes)
}

/// A graph from pairs of different variables.
pub(crate) fn graph(variables: &[String], edges: &[(usize, usize)]) -> Graph {
    let edges = edges.iter().map(|&(from, to)| (from as u32, to as u32));
    Graph::new(variables.to_vec(), edges)
        .unwrap_or_else(|why| unreachable!("pairs of different variables: {why}"))
}

fn by_false_share(share: f64, what: &str, against: &str) -> String {
    format!("Benjamini–Hochberg at {share} over {what} of all ordered pairs against {against}")
}

/// The probability that a standard normal is as far from 0.
pub(crate) fn two_sided(z: f64) -> f64 {
    libm::erfc(z.abs() * std::f64::consts::FRAC_1_SQRT_2)
}

/// How many of these p, smallest first, are chosen so that at most `share` of them are false.
fn benjamini_hochberg(p: &[f64], share: f64) -> usize {
    let passes = |k: usize| p[k - 1] <= share * k as f64 / p.len() as f64;
    (1..=p.len()).rev().find(|&k| passes(k)).unwrap_or(0)
}

/// The edges that, taken in order, close no cycle with those taken before.
pub(crate) fn without_cycles(d: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // reaches[a·d + b]: b can be reached from a.
    let mut reaches: Vec<bool> = (0..d * d).map(|at| at / d == at % d).collect();
    let mut kept = Vec::new();
    for &(from, to) in edges {
        if reaches[to * d + from] {
            continue;
        }
        kept.push((from, to));
        for a in (0..d)
            .filter(|&a| reaches[a * d + from])
            .collect::<Vec<_>>()
        {
            (0..d).for_each(|b| reaches[a * d + b] |= reaches[to * d + b]);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    fn against(null: Null, acyclic: bool) -> EdgeSelection {
        EdgeSelection {
            rule: Rule::FalseShare { share: 0.05, null },
            acyclic,
            stable: 0.0,
        }
    }

    fn has_cycle(d: usize, edges: &[(usize, usize)]) -> bool {
        let mut left: Vec<usize> = (0..d).collect();
        while let Some(at) = left
            .iter()
            .position(|v| !edges.iter().any(|(a, b)| b == v && left.contains(a)))
        {
            left.remove(at);
        }
        !left.is_empty()
    }

    #[test]
    fn edges_in_order_never_close_a_cycle_and_none_is_dropped_in_vain() {
        let mut draws = Seed::new(8).draws();
        for _ in 0..200 {
            let mut all: Vec<(usize, usize)> = row_by_row(5, 5).filter(|(i, k)| i != k).collect();
            draws.shuffle(&mut all);
            all.truncate(1 + draws.below(19));
            let kept = without_cycles(5, &all);
            assert!(!has_cycle(5, &kept), "{kept:?}");
            for (place, edge) in all
                .iter()
                .enumerate()
                .filter(|(_, edge)| !kept.contains(edge))
            {
                let mut with: Vec<_> = kept
                    .iter()
                    .filter(|k| all[..place].contains(k))
                    .copied()
                    .collect();
                with.push(*edge);
                assert!(has_cycle(5, &with), "{edge:?} would have closed no cycle");
            }
        }
    }

    #[test]
    fn benjamini_and_hochberg_give_the_number_of_their_own_example() {
        // The fifteen p values of their section 3.2: four are rejected at 0.05, where Bonferroni
        // rejects three.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0,
        ];
        assert_eq!(benjamini_hochberg(&p, 0.05), 4);
        assert_eq!(benjamini_hochberg(&[], 0.05), 0);
    }

    #[test]
    fn noise_gives_no_edges_and_the_spread_is_that_of_noise() {
        let mut draws = Seed::new(3).draws();
        let mut edges = 0;
        let mut spread = 0.0;
        for _ in 0..40 {
            let mut z = Square::zeros(10);
            (0..100).for_each(|at| z[(at / 10, at % 10)] = 3.0 * draws.normal());
            let scores = EdgeScores::new((0..10).map(|i| i.to_string()).collect(), z).unwrap();
            let selection = against(Null::Empirical, true);
            edges += selection.choose(&scores).graph.edges().len();
            spread += scores.empirical_spread().unwrap() / 40.0;
        }
        assert!((spread - 3.0).abs() < 0.2, "{spread}");
        assert!(edges <= 8, "{edges} false edges in 40 graphs of noise");
    }

    #[test]
    fn few_pairs_are_held_against_theory_and_the_rule_says_so() {
        let mut z = Square::zeros(2);
        (z[(0, 1)], z[(1, 0)]) = (-8.0, 7.0);
        let scores = EdgeScores::new(vec!["a".into(), "b".into()], z).unwrap();
        let choose = |acyclic| against(Null::Empirical, acyclic).choose(&scores);
        assert_eq!(choose(true).graph.edges(), [(0, 1)]);
        assert_eq!(choose(false).graph.edges(), [(0, 1), (1, 0)]);
        assert!(choose(true).rule.contains("too few for an empirical one"));
    }

    /// Four variables of which the second follows the first; a score that says by how much each
    /// follows each.
    fn following() -> (
        StandardisedPanel,
        impl Fn(&StandardisedPanel) -> Result<EdgeScores, Failure>,
    ) {
        let mut draws = Seed::new(4).draws();
        let mut values = Vec::new();
        for _ in 0..60 {
            let mut before = 0.0;
            for _ in 0..10 {
                let first = draws.normal();
                values.extend([
                    first,
                    0.5 * before + draws.normal(),
                    draws.normal(),
                    draws.normal(),
                ]);
                before = first;
            }
        }
        let names = (0..4).map(|i| format!("x{i}")).collect();
        let windows = duress_core::data::Windows::new(names, 10, vec![0; 60], values).unwrap();
        let score = |panel: &StandardisedPanel| {
            let pairs = panel.rows(&[1], 1).moments(&panel.rows(&[0], 1))?;
            EdgeScores::new(panel.variables().to_vec(), pairs.mean.into_square())
        };
        (StandardisedPanel::new(&windows).unwrap(), score)
    }

    #[test]
    fn shuffled_windows_and_halves_of_them_show_which_edge_is_one() {
        let (panel, score) = following();
        let shuffled = against(Null::Permutation, true)
            .learn(&panel, Seed::new(1), &score)
            .unwrap();
        assert_eq!(shuffled.graph.edges(), [(0, 1)]);
        assert!(
            shuffled.rule.contains("a permutation null of 240 scores"),
            "{}",
            shuffled.rule
        );
        let loose = EdgeSelection {
            rule: Rule::Threshold(0.05),
            acyclic: true,
            stable: 0.0,
        };
        let all = loose.learn(&panel, Seed::new(1), &score).unwrap();
        let often = EdgeSelection {
            stable: 0.9,
            ..loose
        }
        .learn(&panel, Seed::new(1), &score)
        .unwrap();
        assert!(all.graph.edges().len() > 1 && all.rule.starts_with("|weight| above 0.05"));
        assert_eq!(often.graph.edges(), [(0, 1)]);
        assert!(
            often.rule.contains("0.9 of 50 random halves"),
            "{}",
            often.rule
        );
    }

    #[test]
    fn one_window_can_be_neither_shuffled_nor_halved() {
        let (panel, score) = following();
        let one = panel.select(&[0]);
        let why = |selection: EdgeSelection, panel: &StandardisedPanel| {
            selection
                .learn(panel, Seed::new(1), &score)
                .unwrap_err()
                .why
        };
        assert!(
            why(
                against(Null::Permutation, true),
                &panel.select(&[0, 1]).select(&[0])
            )
            .contains("observed together")
        );
        let enough =
            |_: &StandardisedPanel| EdgeScores::new(vec!["a".into(), "b".into()], Square::zeros(2));
        let failed = against(Null::Permutation, true)
            .learn(&one, Seed::new(1), &enough)
            .unwrap_err();
        assert!(failed.why.contains("no regime has two windows"), "{failed}");
        let halved = EdgeSelection {
            stable: 0.6,
            ..against(Null::Theoretical, true)
        };
        assert!(
            halved
                .learn(&one, Seed::new(1), &enough)
                .unwrap_err()
                .why
                .contains("cannot be halved")
        );
    }
}
