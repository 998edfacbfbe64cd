//! PC: lines that no conditions take away, and the arrows that follow (Spirtes, Glymour and
//! Scheines 2000), in the form whose result does not depend on the order of the variables (Colombo
//! and Maathuis, *JMLR* 15 (2014) 3741–3782).

use duress_core::answer::GraphAnswer;
use duress_core::subject::Failure;

use crate::cpdag::Pdag;
use crate::learners::independence::{CorrelationTest, Independence};
use crate::learners::skeleton::{Skeleton, false_share_in_words, subsets};
use crate::panel::StandardisedPanel;
use crate::rows::WeightedRows;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pc {
    /// A pair whose independence has at least this p is taken apart.
    pub alpha: f64,
    /// The most variables that are conditioned on at once.
    pub depth: usize,
    /// The share of the lines that may be false, if anything but `alpha` is to keep it.
    pub false_share: Option<f64>,
}

impl Pc {
    /// The summary graph of a panel: each step beside the one before, nothing later conditioned on
    /// for a pair of the past. Of windows of one step, the graph of that step.
    pub fn learn(&self, panel: &StandardisedPanel) -> Result<GraphAnswer, Failure> {
        let d = panel.variables().len();
        let rows = panel.independent_rows();
        let tests = Independence::new(&rows, CorrelationTest::FisherZ)?;
        let lags: Vec<usize> = (0..rows.width()).map(|k| k / d).collect();
        // How the variables of the earlier step act on each other is what the later step is asked
        // for.
        let mut skeleton = Skeleton::fully_joined(lags, |a, b| a < d || b < d);
        self.separate(&mut skeleton, &tests);
        if let Some(share) = self.false_share {
            skeleton.keep_false_share(share, d);
        }
        let share = false_share_in_words(self.false_share);
        let rule = format!("PC, Fisher z at {}{share}", self.alpha);
        Ok(skeleton.summarise(panel.variables(), &rule))
    }

    /// The class of graphs over the columns of independent rows.
    pub fn class(&self, rows: &WeightedRows) -> Result<Pdag, Failure> {
        let tests = Independence::new(rows, CorrelationTest::FisherZ)?;
        let mut skeleton = Skeleton::fully_joined(vec![0; rows.width()], |_, _| true);
        self.separate(&mut skeleton, &tests);
        Ok(skeleton.orient())
    }

    fn separate(&self, skeleton: &mut Skeleton, tests: &Independence) {
        for size in 0..=self.depth {
            // Neighbours as they were before this size, so that what is found does not depend on
            // which pair came first.
            let near: Vec<Vec<usize>> = (0..skeleton.size())
                .map(|a| skeleton.neighbours(a))
                .collect();
            if near.iter().all(|near| near.len() <= size) {
                break;
            }
            for (a, b) in skeleton.joined_pairs() {
                self.test_edge(skeleton, tests, (a, b), &near, size);
            }
        }
    }

    /// Looks for `size` neighbours of either that take `a` and `b` apart. Only the later of two can
    /// have the other's effects among its neighbours, so only its neighbours are asked about then.
    /// All that separate them count together, not the first that is found, which would depend on
    /// the order of the variables.
    fn test_edge(
        &self,
        skeleton: &mut Skeleton,
        tests: &Independence,
        (a, b): (usize, usize),
        near: &[Vec<usize>],
        size: usize,
    ) {
        let sides: &[(usize, usize)] = match skeleton.lag_of(a).cmp(&skeleton.lag_of(b)) {
            std::cmp::Ordering::Equal if size > 0 => &[(a, b), (b, a)],
            std::cmp::Ordering::Greater => &[(b, a)],
            _ => &[(a, b)],
        };
        let mut apart: Option<Vec<usize>> = None;
        for &(of, other) in sides {
            let others: Vec<usize> = near[of].iter().copied().filter(|&c| c != other).collect();
            subsets(&others, size, &mut |given| {
                let evidence = tests.test_pair(a, b, given);
                skeleton.note_evidence((a, b), evidence);
                if evidence.p > self.alpha {
                    apart.get_or_insert_default().extend(given);
                }
                true
            });
        }
        if let Some(by) = apart {
            skeleton.separate((a, b), &by);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::row_by_row;
    use duress_core::seed::Seed;

    /// Rows of a linear model with these edges, causes before effects.
    fn rows(edges: &[(usize, usize)], size: usize) -> WeightedRows {
        let mut draws = Seed::new(11).draws();
        let mut rows = WeightedRows::empty((0..size).map(|i| format!("x{i}")).collect(), 1);
        for _ in 0..5000 {
            let mut x: Vec<f64> = (0..size).map(|_| draws.normal()).collect();
            edges.iter().for_each(|&(from, to)| x[to] += 0.7 * x[from]);
            rows.push(0, x.into_iter().map(|x| (x, 1.0)));
        }
        rows
    }

    #[test]
    fn the_class_of_the_true_graph_is_found() {
        let pc = Pc {
            alpha: 0.001,
            depth: 8,
            false_share: None,
        };
        for edges in [
            vec![(0, 1), (1, 2), (2, 3)],
            vec![(0, 2), (1, 2), (2, 3), (3, 4)],
            vec![(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)],
        ] {
            let found = pc.class(&rows(&edges, 5)).unwrap();
            assert_eq!(Some(found), Pdag::of_dag(5, &edges), "{edges:?}");
        }
    }

    #[test]
    fn the_order_of_the_variables_changes_nothing() {
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)];
        let data = rows(&edges, 5);
        let mut turned = WeightedRows::empty(data.columns().to_vec(), 1);
        for i in 0..data.len() {
            turned.push(0, data.row(i).values.iter().rev().map(|&x| (x, 1.0)));
        }
        let pc = Pc {
            alpha: 0.01,
            depth: 8,
            false_share: None,
        };
        let plain = pc.class(&data).unwrap();
        let turned = pc.class(&turned).unwrap();
        for (a, b) in row_by_row(5, 5) {
            assert_eq!(plain.may_point(a, b), turned.may_point(4 - a, 4 - b));
        }
    }
}
