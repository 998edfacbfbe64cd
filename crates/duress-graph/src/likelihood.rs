//! Likelihood: how well a graph predicts windows that its learner did not see.

use std::collections::BTreeSet;

use duress_core::data::Windows;
use duress_core::graph::Graph;
use duress_core::subject::Failure;

use crate::matrix::{Square, row_by_row};
use crate::sem::causes_first;

/// The variance, relative to the square of the mean, that rounding can give to values that are all
/// the same.
const CONSTANT: f64 = 1e-24;

/// How far from the mean a value may pull: a cube of an outlier would drown everything else.
const FURTHEST: f64 = 3.0;

/// Added to the diagonal of the (mean) products of predictors, which have unit variance: few
/// windows must not fit their noise.
const RIDGE: f64 = 0.02;

/// The standard deviation of x³ − 3x for a standard normal x.
const SQRT_6: f64 = 2.449_489_742_783_178;

/// No residual is taken to be smaller than this, in standard deviations of its variable.
const LEAST_VARIANCE: f64 = 1e-4;

/// For each window, the mean log-density of its observed values given the step before; `Err` with
/// the reason for a window in which there is nothing to predict.
///
/// Each variable is predicted from its own past and that of its parents in `graph` (a cubic of
/// each, one step back), with Gaussian residuals. The graph is carried over, the coefficients are
/// not: they are fitted on one half of the windows and read on the other, both ways. Values are
/// standardised within each regime; one that is hidden counts as its mean. Windows of one step have no
/// past: each variable is predicted from its parents within the step, which is a likelihood only where the
/// graph closes no cycle.
pub fn cross_fitted(windows: &Windows, graph: &Graph) -> Result<Vec<Result<f64, String>>, Failure> {
    let panel = ObservedPanel::new(windows);
    if panel.lag() == 0 && !is_acyclic(graph) {
        let why = "windows of one step have no past to predict from, and within the step the graph closes a cycle";
        return Ok(vec![Err(why.to_string()); windows.len()]);
    }
    let half = windows.len() / 2;
    if half == 0 {
        return Err(Failure::unable(
            "one window cannot be both fitted and read; needs 2 or more",
        ));
    }
    let mut sums = vec![(0.0, 0_usize); windows.len()];
    for variable in 0..graph.variables().len() {
        let heard: Vec<usize> = (0..graph.variables().len())
            .filter(|&other| {
                let own_past = other == variable && panel.lag() > 0;
                own_past || graph.has(other as u32, variable as u32)
            })
            .collect();
        for early in [true, false] {
            let fitted_on = |window: usize| (window < half) == early;
            let Some(model) = PastRegression::fit_to(&panel, variable, &heard, fitted_on) else {
                continue;
            };
            for place in places(&panel).filter(|place| !fitted_on(place.window)) {
                if let Some(density) = model.log_density(place) {
                    let sum = &mut sums[place.window];
                    *sum = (sum.0 + density, sum.1 + 1);
                }
            }
        }
    }
    let mean = |(sum, count): (f64, usize)| match count {
        0 => Err("no value of it can be predicted".to_string()),
        _ => Ok(sum / count as f64),
    };
    Ok(sums.into_iter().map(mean).collect())
}

fn is_acyclic(graph: &Graph) -> bool {
    let edges: Vec<(usize, usize)> = graph
        .edges()
        .iter()
        .map(|&(from, to)| (from as usize, to as usize))
        .collect();
    causes_first(graph.variables().len(), &edges).is_some()
}

/// Windows in which every variable has mean 0 and variance 1 within every regime; one that does not
/// vary there is not seen. A learner refuses such a variable; here the others can still be
/// predicted.
struct ObservedPanel {
    windows: usize,
    steps: usize,
    variables: usize,
    values: Vec<Option<f64>>,
}

impl ObservedPanel {
    fn new(windows: &Windows) -> ObservedPanel {
        let n = windows.len();
        let steps = windows.steps();
        let d = windows.variables().len();
        let mut panel = ObservedPanel {
            windows: n,
            steps,
            variables: d,
            values: vec![None; n * steps * d],
        };
        let regimes: BTreeSet<u32> = windows.regimes().iter().copied().collect();
        for (regime, v) in regimes
            .iter()
            .flat_map(|regime| (0..d).map(move |v| (*regime, v)))
        {
            let within = (0..n).filter(|&w| windows.regimes()[w] == regime);
            let seen: Vec<(usize, f64)> = within
                .flat_map(|w| (0..steps).map(move |t| (w, t)))
                .filter_map(|(w, t)| Some(((w * steps + t) * d + v, windows.get(w, t, v)?)))
                .collect();
            let count = seen.len().max(1) as f64;
            let mean = seen.iter().map(|(_, x)| x).sum::<f64>() / count;
            let variance = seen.iter().map(|(_, x)| (x - mean).powi(2)).sum::<f64>() / count;
            if variance > CONSTANT * mean * mean && variance.is_finite() {
                let scale = 1.0 / libm::sqrt(variance);
                seen.into_iter()
                    .for_each(|(at, x)| panel.values[at] = Some((x - mean) * scale));
            }
        }
        panel
    }

    /// How many steps before a value its predictors are.
    fn lag(&self) -> usize {
        usize::from(self.steps > 1)
    }

    fn get(&self, window: usize, step: usize, variable: usize) -> Option<f64> {
        self.values[(window * self.steps + step) * self.variables + variable]
    }
}

/// A step of a window that has one before it, or the only one.
#[derive(Clone, Copy)]
struct PredictedStep<'a> {
    panel: &'a ObservedPanel,
    window: usize,
    step: usize,
}

fn places(panel: &ObservedPanel) -> impl Iterator<Item = PredictedStep<'_>> {
    (0..panel.windows).flat_map(move |window| {
        (panel.lag()..panel.steps).map(move |step| PredictedStep {
            panel,
            window,
            step,
        })
    })
}

impl PredictedStep<'_> {
    fn value_now(&self, variable: usize) -> Option<f64> {
        self.panel.get(self.window, self.step, variable)
    }

    /// A constant, and the first three Hermite polynomials of each variable heard, one step before.
    fn predictors(&self, heard: &[usize]) -> Vec<f64> {
        let mut all = Vec::with_capacity(1 + 3 * heard.len());
        all.push(1.0);
        for &variable in heard {
            let step = self.step - self.panel.lag();
            let before = self.panel.get(self.window, step, variable);
            all.extend(match before.map(|x| x.clamp(-FURTHEST, FURTHEST)) {
                Some(x) => [
                    x,
                    (x * x - 1.0) / std::f64::consts::SQRT_2,
                    (x * x * x - 3.0 * x) / SQRT_6,
                ],
                None => [0.0; 3],
            });
        }
        all
    }
}

/// A regression of one variable on the past of some.
struct PastRegression<'a> {
    variable: usize,
    heard: &'a [usize],
    coefficients: Vec<f64>,
    variance: f64,
}

impl PastRegression<'_> {
    /// `None` when the variable is never observed after an earlier step.
    fn fit_to<'a>(
        panel: &ObservedPanel,
        variable: usize,
        heard: &'a [usize],
        fitted_on: impl Fn(usize) -> bool,
    ) -> Option<PastRegression<'a>> {
        let size = 1 + 3 * heard.len();
        let mut products = Square::zeros(size);
        let mut targets = vec![0.0; size];
        let mut count = 0.0;
        let seen = || places(panel).filter(|place| fitted_on(place.window));
        for (row, target) in
            seen().filter_map(|place| Some((place.predictors(heard), place.value_now(variable)?)))
        {
            for i in 0..size {
                targets[i] += row[i] * target;
                (0..size).for_each(|k| products[(i, k)] += row[i] * row[k]);
            }
            count += 1.0;
        }
        if count == 0.0 {
            return None;
        }
        let mut mean = Square::zeros(size);
        for (i, k) in row_by_row(size, size) {
            mean[(i, k)] = products[(i, k)] / count;
        }
        targets.iter_mut().for_each(|sum| *sum /= count);
        let coefficients = mean.plus_diagonal(RIDGE).inverse()?.times(&targets);
        let mut model = PastRegression {
            variable,
            heard,
            coefficients,
            variance: 1.0,
        };
        let squares: f64 = seen()
            .filter_map(|place| Some(model.residual(place)?.powi(2)))
            .sum();
        model.variance = (squares / count).max(LEAST_VARIANCE);
        Some(model)
    }

    fn residual(&self, place: PredictedStep<'_>) -> Option<f64> {
        let target = place.value_now(self.variable)?;
        let row = place.predictors(self.heard);
        Some(
            target
                - row
                    .iter()
                    .zip(&self.coefficients)
                    .map(|(x, b)| x * b)
                    .sum::<f64>(),
        )
    }

    fn log_density(&self, place: PredictedStep<'_>) -> Option<f64> {
        let rest = self.residual(place)?;
        Some(
            -0.5 * (libm::log(std::f64::consts::TAU * self.variance) + rest * rest / self.variance),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sem::{Sem, SemRecipe};
    use duress_core::seed::Seed;

    fn simulate(seed: u64) -> (Graph, Windows) {
        let recipe = SemRecipe {
            variables: 5,
            edges: 5,
            ..SemRecipe::default()
        };
        let sem = Sem::draw_model(&recipe, Seed::new(seed));
        let regimes: Vec<u32> = (0..200).map(|w| w % 3).collect();
        let of = |w: u32| sem.window(w as usize % 3, 24, Seed::new(seed).child(w.to_string()));
        let values = (0..200).flat_map(of).collect();
        (
            sem.graph(),
            Windows::new(sem.graph().variables().to_vec(), 24, regimes, values).unwrap(),
        )
    }

    fn mean(windows: &Windows, graph: &Graph) -> f64 {
        let all = cross_fitted(windows, graph).unwrap();
        all.iter().map(|one| one.as_ref().unwrap()).sum::<f64>() / all.len() as f64
    }

    #[test]
    fn the_true_graph_predicts_better_than_none_and_than_its_reverse() {
        for seed in 1..5 {
            let (truth, windows) = simulate(seed);
            let turned = truth.edges().iter().map(|&(from, to)| (to, from));
            let turned = Graph::new(truth.variables().to_vec(), turned).unwrap();
            let none = Graph::new(truth.variables().to_vec(), []).unwrap();
            let (right, wrong, blank) = (
                mean(&windows, &truth),
                mean(&windows, &turned),
                mean(&windows, &none),
            );
            assert!(
                right > wrong + 0.02 && right > blank + 0.02,
                "{right} {wrong} {blank}"
            );
        }
    }

    #[test]
    fn rows_without_time_are_predicted_within_the_step_unless_the_graph_closes_a_cycle() {
        let mut draws = Seed::new(3).draws();
        let mut values = Vec::new();
        for _ in 0..400 {
            let cause = draws.normal();
            values.extend([cause, 0.8 * cause + 0.6 * draws.normal()]);
        }
        let names = ["cause", "effect"].map(String::from).to_vec();
        let windows = Windows::new(names.clone(), 1, vec![0; 400], values).unwrap();
        let graph = |edges: &[(u32, u32)]| Graph::new(names.clone(), edges.to_vec()).unwrap();
        let gain = mean(&windows, &graph(&[(0, 1)])) - mean(&windows, &graph(&[]));
        // Half of log(1 / 0.36), over two variables.
        assert!((gain - 0.25).abs() < 0.05, "{gain}");
        let both = cross_fitted(&windows, &graph(&[(0, 1), (1, 0)])).unwrap();
        assert!(both[0].as_ref().unwrap_err().contains("cycle"));
    }

    #[test]
    fn of_noise_the_density_is_that_of_a_standard_normal() {
        let mut draws = Seed::new(8).draws();
        let values = (0..400 * 10).map(|_| draws.normal()).collect();
        let windows = Windows::new(vec!["a".into()], 10, vec![0; 400], values).unwrap();
        let graph = Graph::new(vec!["a".into()], []).unwrap();
        let entropy = 0.5 * (1.0 + libm::log(std::f64::consts::TAU));
        assert!((mean(&windows, &graph) + entropy).abs() < 0.03);
    }

    #[test]
    fn a_window_without_values_has_no_density_and_one_window_is_too_few() {
        let (truth, mut windows) = simulate(2);
        (0..24).for_each(|t| (0..5).for_each(|v| windows.hide(7, t, v)));
        let all = cross_fitted(&windows, &truth).unwrap();
        assert!(all[7].is_err() && all[8].is_ok());
        let mut blind = simulate(2).1;
        (0..200).for_each(|w| (0..24).for_each(|t| blind.hide(w, t, 3)));
        assert!(
            cross_fitted(&blind, &truth).unwrap()[0].is_ok(),
            "what is left can be predicted"
        );
        let lone = Windows::new(vec!["a".into()], 3, vec![0], vec![1.0, 2.0, 0.0]).unwrap();
        let graph = Graph::new(vec!["a".into()], []).unwrap();
        assert!(
            cross_fitted(&lone, &graph)
                .unwrap_err()
                .why
                .contains("needs 2 or more")
        );
    }
}
