//! Lagged regression: each variable on the whole of the step before (VAR(1); Granger, *Econometrica* 37 (1969) 424–438).
//!
//! Coefficients come from moments over observed pairs, so a row with a hidden value still counts for what it shows. Their
//! standard errors are those of that estimator, not of least squares on complete rows: the influence of every transition on a
//! coefficient is summed by window and squared (Liang and Zeger, *Biometrika* 73 (1986) 13–22), which stays right when the
//! noise is not even and when moments over different pairs do not cancel. Right as long as what is hidden is hidden at random.

use duress_core::subject::Failure;

use crate::matrix::Square;
use crate::panel::{Moments, Panel, Transition};
use crate::select::Scores;

/// Below this many windows per variable, sums by window are too few to be squared, and single transitions are taken instead.
const WINDOWS_PER_VARIABLE: usize = 4;

/// Fewer transitions per variable than this make a regression that fits anything.
const TRANSITIONS_PER_VARIABLE: usize = 2;

/// What is added to the diagonal when the moments over observed pairs are not those of any data, doubled until they are.
const FIRST_RIDGE: f64 = 0.01;

/// The least eigenvalue, nearly, that the moments must have before their inverse is used.
const LEAST_EIGENVALUE: f64 = 0.01;

/// The coefficient of each variable one step ago (row) in each variable now (column), in standard errors.
pub fn regress(panel: &Panel) -> Result<Scores, Failure> {
    let (d, transitions) = (panel.variables().len(), panel.transitions().count());
    if transitions < TRANSITIONS_PER_VARIABLE * d {
        return Err(Failure::unable(format!(
            "{transitions} transitions are too few to tell {d} variables apart"
        )));
    }
    let moments = panel.moments()?;
    let inverse = steady_inverse(&moments.same.mean)?;
    let mut z = Square::zero(d);
    for target in 0..d {
        let regression = Regression::new(panel, &moments, &inverse, target);
        for (from, (value, error)) in regression.coefficients.iter().zip(regression.errors()).enumerate() {
            z[(from, target)] = if error > 0.0 { value / error } else { 0.0 };
        }
    }
    Scores::new(panel.variables().to_vec(), z)
}

/// The inverse of a matrix of moments, with as little added to its diagonal as makes it one.
fn steady_inverse(moments: &Square) -> Result<Square, Failure> {
    let ridges = std::iter::successors(Some(FIRST_RIDGE), |ridge| Some(2.0 * ridge)).take(12);
    std::iter::once(0.0)
        .chain(ridges)
        .filter(|ridge| moments.plus_diagonal(ridge - LEAST_EIGENVALUE).cholesky().is_some())
        .find_map(|ridge| moments.plus_diagonal(ridge).inverse())
        .ok_or_else(|| Failure::unable("the variables cannot be told apart: their moments have no inverse"))
}

/// One variable on all of the step before.
struct Regression<'a> {
    panel: &'a Panel,
    inverse: &'a Square,
    target: usize,
    coefficients: Vec<f64>,
    /// The moment with the target, and one over the count it was taken over, per predictor.
    heard: Vec<(f64, f64)>,
    /// coefficient / count, and moment · coefficient / count, per pair of predictors.
    slopes: Square,
    levels: Square,
}

impl<'a> Regression<'a> {
    fn new(panel: &'a Panel, moments: &Moments, inverse: &'a Square, target: usize) -> Regression<'a> {
        let d = inverse.size();
        let column: Vec<f64> = (0..d).map(|i| moments.lagged.mean[(i, target)]).collect();
        let coefficients = inverse.times(&column);
        let (mut slopes, mut levels) = (Square::zero(d), Square::zero(d));
        for (i, k) in (0..d).flat_map(|i| (0..d).map(move |k| (i, k))) {
            slopes[(i, k)] = coefficients[k] / moments.same.count[(i, k)];
            levels[(i, k)] = slopes[(i, k)] * moments.same.mean[(i, k)];
        }
        let heard =
            column.iter().enumerate().map(|(i, &mean)| (mean, 1.0 / moments.lagged.count[(i, target)]));
        Regression { panel, inverse, target, heard: heard.collect(), coefficients, slopes, levels }
    }

    /// The standard error of each coefficient.
    fn errors(&self) -> Vec<f64> {
        let d = self.coefficients.len();
        let by_window = self.panel.windows() >= WINDOWS_PER_VARIABLE * d;
        let (mut squares, mut sums, mut group) = (vec![0.0; d], vec![0.0; d], None);
        for transition in self.panel.transitions() {
            if !by_window || group != Some(transition.window) {
                self.square(&mut sums, &mut squares);
                group = Some(transition.window);
            }
            self.add_influence(transition, &mut sums);
        }
        self.square(&mut sums, &mut squares);
        squares.into_iter().map(libm::sqrt).collect()
    }

    /// How far this transition pulls each moment condition away from zero.
    fn add_influence(&self, transition: Transition<'_>, sums: &mut [f64]) {
        let (x, seen) = (transition.before.values, transition.before.weights);
        let (y, y_seen) = (transition.now.values[self.target], transition.now.weights[self.target]);
        for i in (0..sums.len()).filter(|&i| seen[i] > 0.0) {
            let (mean, share) = self.heard[i];
            let mut pull = y_seen * (x[i] * y - mean) * share;
            let (slopes, levels) = (self.slopes.row(i), self.levels.row(i));
            for k in 0..sums.len() {
                pull -= x[i] * x[k] * slopes[k] - seen[k] * levels[k];
            }
            sums[i] += pull;
        }
    }

    fn square(&self, sums: &mut [f64], squares: &mut [f64]) {
        let moved = self.inverse.times(sums);
        squares.iter_mut().zip(moved).for_each(|(square, moved)| *square += moved * moved);
        sums.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Overlap;
    use crate::missing;
    use crate::select::{Null, Selection};
    use crate::sem::{Family, Recipe, Sem};
    use duress_core::data::Windows;
    use duress_core::graph::Graph;
    use duress_core::seed::Seed;

    fn simulate(recipe: &Recipe, windows: usize, rate: f64, seed: u64) -> (Graph, Windows) {
        let seed = Seed::new(seed);
        let sem = Sem::draw(recipe, seed.child("model"));
        let regimes: Vec<u32> = (0..windows).map(|w| (w % recipe.regimes) as u32).collect();
        let values = (0..windows)
            .flat_map(|w| sem.window(regimes[w] as usize, 24, seed.child(format!("window-{w}"))))
            .collect();
        let truth = sem.graph();
        let mut windows = Windows::new(truth.variables().to_vec(), 24, regimes, values).unwrap();
        for w in 0..windows.len() {
            missing::completely_at_random(&mut windows, w, rate, seed.child(format!("hide-{w}")).draws());
        }
        (truth, windows)
    }

    fn f1(family: Family, rate: f64, seed: u64) -> f64 {
        let (truth, windows) = simulate(&Recipe { family, ..Recipe::default() }, 300, rate, seed);
        let scores = regress(&Panel::new(&windows).unwrap()).unwrap();
        let answer = Selection { false_share: 0.05, null: Null::Empirical, acyclic: true }.choose(&scores);
        Overlap::directed(&truth, &answer.graph).unwrap().f1().unwrap()
    }

    #[test]
    fn a_linear_model_is_recovered_also_when_values_are_missing() {
        for seed in 1..4 {
            let (clean, masked) = (f1(Family::Linear, 0.0, seed), f1(Family::Linear, 0.3, seed));
            assert!(clean > 0.9 && masked > 0.9, "seed {seed}: {clean} {masked}");
        }
    }

    #[test]
    fn the_mix_is_not_recovered_by_lines() {
        let mean = (1..5).map(|seed| f1(Family::Mix, 0.0, seed)).sum::<f64>() / 4.0;
        assert!((0.6..0.95).contains(&mean), "{mean}");
    }

    #[test]
    fn z_scores_without_an_edge_have_the_spread_they_claim() {
        for rate in [0.0, 0.5] {
            let recipe = Recipe { variables: 6, edges: 0, ..Recipe::default() };
            let mut squares = Vec::new();
            for seed in 0..12 {
                let (_, windows) = simulate(&recipe, 100, rate, seed);
                let scores = regress(&Panel::new(&windows).unwrap()).unwrap();
                let pairs = (0..6).flat_map(|i| (0..6).map(move |k| (i, k))).filter(|(i, k)| i != k);
                squares.extend(pairs.map(|(i, k)| scores.z(i, k).powi(2)));
            }
            let mean = squares.iter().sum::<f64>() / squares.len() as f64;
            assert!((0.8..1.3).contains(&mean), "rate {rate}: variance of z is {mean}");
        }
    }

    #[test]
    fn without_missing_values_the_coefficients_are_those_of_least_squares() {
        let recipe = Recipe { variables: 4, edges: 3, regimes: 1, ..Recipe::default() };
        let (_, windows) = simulate(&recipe, 40, 0.0, 5);
        let panel = Panel::new(&windows).unwrap();
        let moments = panel.moments().unwrap();
        let inverse = steady_inverse(&moments.same.mean).unwrap();
        let regression = Regression::new(&panel, &moments, &inverse, 2);
        let gradient = panel.transitions().fold(vec![0.0; 4], |mut sum, row| {
            let fitted: f64 = (0..4).map(|k| regression.coefficients[k] * row.before.values[k]).sum();
            let rest = row.now.values[2] - fitted;
            sum.iter_mut().zip(row.before.values).for_each(|(sum, x)| *sum += rest * x);
            sum
        });
        assert!(
            gradient.iter().all(|g| g.abs() < 1e-9),
            "residuals and predictors are orthogonal: {gradient:?}"
        );
    }

    #[test]
    fn moments_that_no_data_could_have_are_mended() {
        let mut impossible = Square::identity(3);
        for (i, k, r) in [(0, 1, 0.9), (1, 2, 0.9), (0, 2, -0.9)] {
            (impossible[(i, k)], impossible[(k, i)]) = (r, r);
        }
        assert!(impossible.inverse().is_none());
        assert!(steady_inverse(&impossible).unwrap().cells().iter().all(|x| x.is_finite()));
    }

    #[test]
    fn too_few_transitions_are_refused_with_their_number() {
        let recipe = Recipe { variables: 30, edges: 10, ..Recipe::default() };
        let (_, windows) = simulate(&recipe, 2, 0.0, 1);
        let failure = regress(&Panel::new(&windows).unwrap()).unwrap_err();
        assert!(failure.why.contains("46 transitions") && failure.why.contains("30 variables"), "{failure}");
    }
}
