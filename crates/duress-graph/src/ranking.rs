//! Rankings: how well the scores of a learner order the ordered pairs of variables, whatever edges
//! it chose.

use duress_core::answer::GraphAnswer;
use duress_core::gauge::Undefined;
use duress_core::graph::Graph;

use crate::matrix::row_by_row;
use crate::measure::same_variables;

/// Every ordered pair (or, for a skeleton, every pair) with its score and whether it is a true
/// edge, highest first.
pub struct Ranking {
    pairs: Vec<(f64, bool)>,
    edges: usize,
}

impl Ranking {
    pub fn directed(truth: &Graph, answer: &GraphAnswer) -> Result<Ranking, Undefined> {
        let d = truth.variables().len();
        let pairs = row_by_row(d, d).filter(|(i, k)| i != k);
        Ranking::of(
            truth,
            answer,
            pairs.map(|(i, k)| (answer.scores.get(i * d + k), has_edge(truth, i, k))),
        )
    }

    /// The pairs without their direction, each with the higher of its two scores.
    pub fn skeleton(truth: &Graph, answer: &GraphAnswer) -> Result<Ranking, Undefined> {
        let d = truth.variables().len();
        let pairs = (0..d).flat_map(|i| (i + 1..d).map(move |k| (i, k)));
        let score = |i: usize, k: usize| {
            let a = answer.scores.get(i * d + k)?;
            let b = answer.scores.get(k * d + i)?;
            Some(if a >= b { a } else { b })
        };
        let pairs =
            pairs.map(|(i, k)| (score(i, k), has_edge(truth, i, k) || has_edge(truth, k, i)));
        Ranking::of(truth, answer, pairs)
    }

    fn of<'a>(
        truth: &Graph,
        answer: &GraphAnswer,
        pairs: impl Iterator<Item = (Option<&'a f64>, bool)>,
    ) -> Result<Ranking, Undefined> {
        same_variables(truth, &answer.graph)?;
        let scored: Option<Vec<(f64, bool)>> =
            pairs.map(|(score, edge)| Some((*score?, edge))).collect();
        let mut pairs =
            scored.ok_or_else(|| Undefined::new("the answer has no score for every pair"))?;
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
        let edges = pairs.iter().filter(|(_, edge)| *edge).count();
        Ok(Ranking { pairs, edges })
    }

    /// The probability that a true edge scores higher than a pair without one; a tie counts half.
    pub fn auroc(&self) -> Result<f64, Undefined> {
        let others = self.pairs.len() - self.edges;
        if self.edges == 0 || others == 0 {
            let what = if self.edges == 0 {
                "no edge"
            } else {
                "an edge between every pair"
            };
            return Err(Undefined::new(format!(
                "the truth has {what}: there is nothing to tell apart"
            )));
        }
        let mut below = others as f64;
        let mut won = 0.0;
        for (true_ones, false_ones) in self.ties() {
            below -= false_ones;
            won += true_ones * (below + 0.5 * false_ones);
        }
        Ok(won / (self.edges as f64 * others as f64))
    }

    /// Average precision: the precision at each score, weighed by the recall gained there.
    pub fn average_precision(&self) -> Result<f64, Undefined> {
        self.needs_an_edge()?;
        let mut found = 0.0;
        let mut taken = 0.0;
        let mut sum = 0.0;
        for (true_ones, false_ones) in self.ties() {
            found += true_ones;
            taken += true_ones + false_ones;
            sum += true_ones / self.edges as f64 * (found / taken);
        }
        Ok(sum)
    }

    /// F1 of as many of the highest pairs as there are true edges; where the last place is tied,
    /// its mean over the ties.
    pub fn f1_at_the_true_count(&self) -> Result<f64, Undefined> {
        self.needs_an_edge()?;
        let mut left = self.edges as f64;
        let mut found = 0.0;
        for (true_ones, false_ones) in self.ties() {
            let taken = left.min(true_ones + false_ones);
            found += true_ones * taken / (true_ones + false_ones);
            left -= taken;
        }
        Ok(found / self.edges as f64)
    }

    fn needs_an_edge(&self) -> Result<(), Undefined> {
        match self.edges {
            0 => Err(Undefined::new(
                "the truth has no edge; count the false ones instead (false-edges)",
            )),
            _ => Ok(()),
        }
    }

    /// How many true edges and how many others share each score, highest first.
    fn ties(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.pairs.chunk_by(|a, b| a.0 == b.0).map(|tied| {
            let edges = tied.iter().filter(|(_, edge)| *edge).count();
            (edges as f64, (tied.len() - edges) as f64)
        })
    }
}

fn has_edge(graph: &Graph, from: usize, to: usize) -> bool {
    graph.has(from as u32, to as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    fn case(seed: u64, levels: usize) -> (Graph, GraphAnswer) {
        let mut draws = Seed::new(seed).draws();
        let names: Vec<String> = (0..5).map(|i| format!("x{i}")).collect();
        let pairs = row_by_row(5, 5).filter(|(i, k)| i != k);
        let drawn = pairs.filter(|_| draws.chance(0.3));
        let edges: Vec<(u32, u32)> = drawn.map(|(i, k)| (i as u32, k as u32)).collect();
        let scores = (0..25).map(|_| draws.below(levels) as f64).collect();
        let answer = Graph::new(names.clone(), []).unwrap();
        (
            Graph::new(names, edges).unwrap(),
            GraphAnswer {
                graph: answer,
                scores,
                rule: String::new(),
            },
        )
    }

    #[test]
    fn auroc_is_the_share_of_pairs_in_the_right_order_and_oracle_k_the_mean_over_ties() {
        for seed in 0..200 {
            let (truth, answer) = case(seed, 4);
            let ranking = Ranking::directed(&truth, &answer).unwrap();
            let pairs: Vec<(f64, bool)> = (0..25)
                .filter(|at| at / 5 != at % 5)
                .map(|at| (answer.scores[at], truth.has(at as u32 / 5, at as u32 % 5)))
                .collect();
            type Pairs = Vec<(f64, bool)>;
            let (yes, no): (Pairs, Pairs) = pairs.iter().copied().partition(|(_, edge)| *edge);
            if yes.is_empty() {
                assert!(ranking.auroc().is_err() && ranking.f1_at_the_true_count().is_err());
                continue;
            }
            let order =
                |a: f64, b: f64| f64::from(u8::from(a > b)) + 0.5 * f64::from(u8::from(a == b));
            let won: f64 = yes
                .iter()
                .flat_map(|y| no.iter().map(|n| order(y.0, n.0)))
                .sum();
            assert!((ranking.auroc().unwrap() - won / (yes.len() * no.len()) as f64).abs() < 1e-12);
            // Many random orders of the ties.
            let mut draws = Seed::new(seed + 999).draws();
            let mut sum = 0.0;
            for _ in 0..4000 {
                let mut shuffled = pairs.clone();
                draws.shuffle(&mut shuffled);
                shuffled.sort_by(|a, b| b.0.total_cmp(&a.0));
                sum += shuffled[..yes.len()]
                    .iter()
                    .filter(|(_, edge)| *edge)
                    .count() as f64;
            }
            let mean = sum / 4000.0 / yes.len() as f64;
            assert!(
                (ranking.f1_at_the_true_count().unwrap() - mean).abs() < 0.03,
                "seed {seed}"
            );
        }
    }
}
