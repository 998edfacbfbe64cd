//! Structural intervention distance: for how many pairs the learnt graph would adjust wrongly.

use duress_core::gauge::Undefined;
use duress_core::graph::Graph;

/// How many ordered pairs (i, j) there are for which adjusting for the parents of i in the answer
/// does not give the effect of i on j in the truth (Peters and Bühlmann, *Neural Computation* 27
/// (2015) 771–799). Both graphs must be without cycles.
///
/// A parent set is right for a pair when no member of it descends from a variable on a causal path
/// from i to j, and it blocks every other path; where j is itself among the parents, the answer
/// says that i has no effect on j.
///
/// ```
/// use duress_core::graph::Graph;
/// use duress_graph::sid::structural_intervention_distance;
/// let graph = |edges: &[(u32, u32)]| Graph::new(vec!["a".into(), "b".into()], edges.iter().copied()).unwrap();
/// // Reversed: the effect of a on b is missed, and one of b on a is invented.
/// assert_eq!(structural_intervention_distance(&graph(&[(0, 1)]), &graph(&[(1, 0)])), Ok(2));
/// // An edge too many costs nothing here: adjusting for nothing is still right.
/// assert_eq!(structural_intervention_distance(&graph(&[]), &graph(&[(0, 1)])), Ok(0));
/// ```
pub fn structural_intervention_distance(truth: &Graph, answer: &Graph) -> Result<usize, Undefined> {
    crate::measure::same_variables(truth, answer)?;
    let d = truth.variables().len();
    let cyclic = |who: &str| {
        Undefined::new(format!(
            "{who} has a cycle, and then no adjustment is defined"
        ))
    };
    let causes = Ancestry::new(truth).ok_or_else(|| cyclic("the truth"))?;
    Ancestry::new(answer).ok_or_else(|| cyclic("the answer"))?;
    let wrong = (0..d).map(|from| {
        let parents: Vec<usize> = (0..d)
            .filter(|&v| answer.has(v as u32, from as u32))
            .collect();
        (0..d)
            .filter(|&to| to != from && !causes.adjusts(from, to, &parents))
            .count()
    });
    Ok(wrong.sum())
}

/// A graph without cycles: who acts on whom, at once and in the end.
struct Ancestry {
    children: Vec<Vec<usize>>,
    parents: Vec<Vec<usize>>,
    /// At a · d + b: whether b is a or descends from a.
    reaches: Vec<bool>,
}

impl Ancestry {
    /// `None` when there is a cycle.
    fn new(graph: &Graph) -> Option<Ancestry> {
        let d = graph.variables().len();
        let mut children = vec![Vec::new(); d];
        let mut parents = vec![Vec::new(); d];
        for &(from, to) in graph.edges() {
            children[from as usize].push(to as usize);
            parents[to as usize].push(from as usize);
        }
        let mut reaches = vec![false; d * d];
        for a in 0..d {
            let mut open = vec![a];
            while let Some(b) = open.pop() {
                if !std::mem::replace(&mut reaches[a * d + b], true) {
                    open.extend(&children[b]);
                }
            }
        }
        let cycle = graph
            .edges()
            .iter()
            .any(|&(from, to)| reaches[to as usize * d + from as usize]);
        (!cycle).then_some(Ancestry {
            children,
            parents,
            reaches,
        })
    }

    fn reaches(&self, a: usize, b: usize) -> bool {
        self.reaches[a * self.children.len() + b]
    }

    /// Whether adjusting for `given` gives the effect of `from` on `to`.
    fn adjusts(&self, from: usize, to: usize, given: &[usize]) -> bool {
        if given.contains(&to) {
            return !self.reaches(from, to);
        }
        let on_the_way = |v: usize| v != from && self.reaches(from, v) && self.reaches(v, to);
        let spoilt = |v: usize| given.iter().any(|&z| self.reaches(v, z));
        let forbidden = (0..self.children.len()).any(|v| on_the_way(v) && spoilt(v));
        !forbidden && !self.connected(from, to, given, |a, b| a == from && on_the_way(b))
    }

    /// Whether a path from `from` to `to` is open given `given`, in the graph without the edges
    /// that are `cut`: the reachable ends of Bayes-ball (Shachter, UAI 1998), each variable entered
    /// from a child or from a parent.
    fn connected(
        &self,
        from: usize,
        to: usize,
        given: &[usize],
        cut: impl Fn(usize, usize) -> bool,
    ) -> bool {
        let d = self.children.len();
        let is_given = |v: usize| given.contains(&v);
        let mut seen = vec![[false; 2]; d];
        // `from` is left as if entered from a child: upwards and downwards.
        let mut open = vec![(from, true)];
        while let Some((v, from_child)) = open.pop() {
            if v == to {
                return true;
            }
            if std::mem::replace(&mut seen[v][usize::from(from_child)], true) {
                continue;
            }
            let passes_up = if from_child {
                !is_given(v)
            } else {
                self.has_given_below(v, given, &cut)
            };
            if passes_up {
                open.extend(
                    self.parents[v]
                        .iter()
                        .filter(|&&p| !cut(p, v))
                        .map(|&p| (p, true)),
                );
            }
            if !is_given(v) {
                open.extend(
                    self.children[v]
                        .iter()
                        .filter(|&&c| !cut(v, c))
                        .map(|&c| (c, false)),
                );
            }
        }
        false
    }

    /// Whether `v` or what descends from it without the edges cut is given: then a collider at `v`
    /// is open.
    fn has_given_below(
        &self,
        v: usize,
        given: &[usize],
        cut: impl Fn(usize, usize) -> bool,
    ) -> bool {
        let mut seen = vec![false; self.children.len()];
        let mut open = vec![v];
        while let Some(v) = open.pop() {
            if given.contains(&v) {
                return true;
            }
            if !std::mem::replace(&mut seen[v], true) {
                open.extend(self.children[v].iter().filter(|&&c| !cut(v, c)));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbered_graph::graph;
    use duress_core::seed::Seed;

    #[test]
    fn the_example_of_its_authors_reads_as_they_say() {
        // Their figure 1: G has 1→2, 1→3, 2→3 (and more leaves); H1 adds an edge, H2 reverses the
        // first.
        let truth = graph(5, &[(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)]);
        let added = graph(
            5,
            &[
                (0, 1),
                (0, 2),
                (0, 3),
                (0, 4),
                (1, 2),
                (1, 3),
                (1, 4),
                (2, 3),
            ],
        );
        let reversed = graph(5, &[(1, 0), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4)]);
        assert_eq!(structural_intervention_distance(&truth, &added), Ok(0));
        assert_eq!(structural_intervention_distance(&truth, &reversed), Ok(8));
    }

    /// The weights of a linear model on these edges, and the effect of `from` on `to` in it.
    struct Linear {
        d: usize,
        weights: Vec<f64>,
        covariance: Vec<f64>,
    }

    impl Linear {
        fn new(graph: &Graph, seed: u64) -> Linear {
            let d = graph.variables().len();
            let mut draws = Seed::new(seed).draws();
            let mut weights = vec![0.0; d * d];
            for &(from, to) in graph.edges() {
                weights[from as usize * d + to as usize] = draws.between(0.5, 1.5);
            }
            // Total effects are Σ weightsᵏ; x = effectsᵀ noise.
            let mut effects: Vec<f64> = (0..d * d)
                .map(|at| f64::from(u8::from(at / d == at % d)))
                .collect();
            let mut power = effects.clone();
            for _ in 0..d {
                power = times(&power, &weights, d);
                effects
                    .iter_mut()
                    .zip(&power)
                    .for_each(|(sum, term)| *sum += term);
            }
            let scales: Vec<f64> = (0..d).map(|_| draws.between(0.5, 2.0)).collect();
            let cov = |a: usize, b: usize| {
                (0..d)
                    .map(|e| effects[e * d + a] * effects[e * d + b] * scales[e])
                    .sum::<f64>()
            };
            let covariance = (0..d * d).map(|at| cov(at / d, at % d)).collect();
            Linear {
                d,
                weights: effects,
                covariance,
            }
        }

        /// The coefficient of `from` in the regression of `to` on it and `given`.
        fn regression(&self, from: usize, to: usize, given: &[usize]) -> f64 {
            let on: Vec<usize> = std::iter::once(from).chain(given.iter().copied()).collect();
            let mut rows: Vec<Vec<f64>> = on
                .iter()
                .map(|&a| {
                    on.iter()
                        .chain([&to])
                        .map(|&b| self.covariance[a * self.d + b])
                        .collect()
                })
                .collect();
            let n = on.len();
            for i in 0..n {
                let pivot = (i..n)
                    .max_by(|&a, &b| rows[a][i].abs().total_cmp(&rows[b][i].abs()))
                    .unwrap();
                rows.swap(i, pivot);
                for r in (0..n).filter(|&r| r != i) {
                    let factor = rows[r][i] / rows[i][i];
                    let above = rows[i].clone();
                    rows[r]
                        .iter_mut()
                        .zip(above)
                        .for_each(|(cell, above)| *cell -= factor * above);
                }
            }
            rows[0][n] / rows[0][0]
        }
    }

    fn times(a: &[f64], b: &[f64], d: usize) -> Vec<f64> {
        let cell = |i: usize, j: usize| (0..d).map(|k| a[i * d + k] * b[k * d + j]).sum();
        (0..d * d).map(|at| cell(at / d, at % d)).collect()
    }

    fn random_dag(d: u32, seed: u64) -> Graph {
        let mut draws = Seed::new(seed).draws();
        let mut order: Vec<u32> = (0..d).collect();
        draws.shuffle(&mut order);
        let pairs = (0..d as usize).flat_map(|i| (i + 1..d as usize).map(move |j| (i, j)));
        let edges: Vec<(u32, u32)> = pairs
            .filter(|_| draws.chance(0.45))
            .map(|(i, j)| (order[i], order[j]))
            .collect();
        graph(d, &edges)
    }

    #[test]
    fn it_counts_the_pairs_for_which_adjusting_in_a_linear_model_gives_another_effect() {
        for seed in 0..120 {
            let truth = random_dag(6, seed);
            let answer = random_dag(6, 1000 + seed);
            let models = [Linear::new(&truth, seed), Linear::new(&truth, seed + 77)];
            let mut wrong = 0;
            for (from, to) in (0..6)
                .flat_map(|i| (0..6).map(move |j| (i, j)))
                .filter(|(i, j)| i != j)
            {
                let parents: Vec<usize> = (0..6)
                    .filter(|&v| answer.has(v, from as u32))
                    .map(|v| v as usize)
                    .collect();
                let off = |model: &Linear| {
                    let claimed = if parents.contains(&to) {
                        0.0
                    } else {
                        model.regression(from, to, &parents)
                    };
                    (claimed - model.weights[from * 6 + to]).abs() > 1e-9
                };
                // Generic weights: an adjustment that is wrong shows in either model.
                wrong += usize::from(models.iter().any(off));
            }
            assert_eq!(
                structural_intervention_distance(&truth, &answer),
                Ok(wrong),
                "seed {seed}"
            );
        }
    }

    #[test]
    fn a_graph_with_a_cycle_has_no_distance() {
        let cyclic = graph(3, &[(0, 1), (1, 2), (2, 0)]);
        let chain = graph(3, &[(0, 1)]);
        let why = |a, b| structural_intervention_distance(a, b).unwrap_err().why;
        assert!(why(&chain, &cyclic).starts_with("the answer has a cycle"));
        assert!(why(&cyclic, &chain).starts_with("the truth has a cycle"));
    }
}
