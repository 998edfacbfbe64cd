//! Panels: windows as a learner reads them, each regime on its own scale, with the moments of what was seen.

use duress_core::data::Windows;
use duress_core::subject::Failure;

use crate::matrix::Square;

/// Fewer observed pairs than this make a moment that is nothing but noise.
const FEWEST_PAIRS: u32 = 10;

/// The variance, relative to the square of the largest value, that rounding can give to values that are all the same.
const CONSTANT: f64 = 1e-24;

/// Windows in which every variable has mean 0 and variance 1 within every regime, over what is observed.
///
/// A regime that multiplies a variable and adds to it therefore changes nothing; without this, offsets that two variables share
/// over regimes would look like edges. What is hidden is not there: its value is 0 *and* its weight is 0.
#[derive(Clone, Debug)]
pub struct Panel {
    variables: Vec<String>,
    windows: usize,
    steps: usize,
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl Panel {
    /// Reads windows, or says which variable cannot be read.
    pub fn new(windows: &Windows) -> Result<Panel, Failure> {
        let (n, steps, d) = (windows.len(), windows.steps(), windows.variables().len());
        if steps < 2 {
            return Err(Failure::unable(
                "windows of 1 step have no earlier step to learn from; needs 2 or more",
            ));
        }
        let mut panel = Panel {
            variables: windows.variables().to_vec(),
            windows: n,
            steps,
            values: vec![0.0; n * steps * d],
            weights: vec![0.0; n * steps * d],
        };
        let mut regimes: Vec<u32> = windows.regimes().to_vec();
        regimes.sort_unstable();
        regimes.dedup();
        for variable in 0..d {
            let readable = regimes.iter().filter(|&&regime| panel.read(windows, regime, variable)).count();
            if readable == 0 {
                return Err(Failure::unable(format!(
                    "variable `{}` has no two different observed values in any regime",
                    windows.variables()[variable]
                )));
            }
        }
        Ok(panel)
    }

    /// The names of the variables, in order.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// How many windows there are.
    pub fn windows(&self) -> usize {
        self.windows
    }

    /// Each pair of a step and the next within a window, with the number of the window.
    pub fn transitions(&self) -> impl Iterator<Item = Transition<'_>> {
        let d = self.variables.len();
        (0..self.windows).flat_map(move |window| {
            (1..self.steps).map(move |step| {
                let now = (window * self.steps + step) * d;
                let (before, now) = (now - d..now, now..now + d);
                Transition {
                    window,
                    before: Row { values: &self.values[before.clone()], weights: &self.weights[before] },
                    now: Row { values: &self.values[now.clone()], weights: &self.weights[now] },
                }
            })
        })
    }

    /// The moments of one step with itself and with the next, each over the pairs in which both were observed.
    pub fn moments(&self) -> Result<Moments, Failure> {
        let d = self.variables.len();
        let mut moments = Moments { same: Pairs::none(d), lagged: Pairs::none(d) };
        for transition in self.transitions() {
            moments.same.add(transition.before, transition.before);
            moments.lagged.add(transition.before, transition.now);
        }
        moments.same.finish(&self.variables)?;
        moments.lagged.finish(&self.variables)?;
        Ok(moments)
    }

    /// Standardises one variable in one regime; whether there was something to standardise.
    fn read(&mut self, windows: &Windows, regime: u32, variable: usize) -> bool {
        let d = self.variables.len();
        let places = (0..self.windows)
            .filter(|&w| windows.regimes()[w] == regime)
            .flat_map(|w| (0..self.steps).map(move |t| (w, t)));
        let seen: Vec<(usize, f64)> = places
            .filter_map(|(w, t)| Some(((w * self.steps + t) * d + variable, windows.get(w, t, variable)?)))
            .collect();
        // Relative to the largest, so that no square of a large value overflows and none of a small one vanishes.
        let size = seen.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max);
        let n = seen.len() as f64;
        let mean = seen.iter().map(|(_, x)| x / size).sum::<f64>() / n;
        let variance = seen.iter().map(|(_, x)| (x / size - mean).powi(2)).sum::<f64>() / n;
        // Rounding leaves a constant with a variance a little above 0; where nothing was seen, or only zeros, it is NaN.
        if variance.is_nan() || variance <= CONSTANT {
            return false;
        }
        let scale = 1.0 / libm::sqrt(variance);
        for (at, x) in seen {
            self.values[at] = (x / size - mean) * scale;
            self.weights[at] = 1.0;
        }
        true
    }
}

/// A step and the next.
#[derive(Clone, Copy, Debug)]
pub struct Transition<'a> {
    /// The window it is in.
    pub window: usize,
    /// The earlier step.
    pub before: Row<'a>,
    /// The later step.
    pub now: Row<'a>,
}

/// One step of one window: a value and a weight per variable, both 0 where nothing was observed.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The standardised values.
    pub values: &'a [f64],
    /// 1 where there is a value.
    pub weights: &'a [f64],
}

/// Second moments over observed pairs.
#[derive(Clone, Debug)]
pub struct Moments {
    /// Of the variables one step ago with each other.
    pub same: Pairs,
    /// Of the variables one step ago (rows) with those now (columns).
    pub lagged: Pairs,
}

/// Means of products, and over how many pairs each was taken.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// The mean of the products.
    pub mean: Square,
    /// How many there were.
    pub count: Square,
}

impl Pairs {
    fn none(d: usize) -> Pairs {
        Pairs { mean: Square::zero(d), count: Square::zero(d) }
    }

    fn add(&mut self, a: Row<'_>, b: Row<'_>) {
        let d = self.mean.size();
        for i in (0..d).filter(|&i| a.weights[i] > 0.0) {
            for k in 0..d {
                self.mean[(i, k)] += a.values[i] * b.values[k];
                self.count[(i, k)] += b.weights[k];
            }
        }
    }

    fn finish(&mut self, variables: &[String]) -> Result<(), Failure> {
        let d = self.mean.size();
        for (i, k) in (0..d).flat_map(|i| (0..d).map(move |k| (i, k))) {
            let count = self.count[(i, k)];
            if count < f64::from(FEWEST_PAIRS) {
                return Err(Failure::unable(format!(
                    "`{}` and `{}` are observed together {count} times; needs {FEWEST_PAIRS} or more",
                    variables[i], variables[k]
                )));
            }
            self.mean[(i, k)] /= count;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    fn windows(
        n: usize,
        steps: usize,
        value: impl Fn(usize, &mut duress_core::seed::Draws) -> f64,
    ) -> Windows {
        let mut draws = Seed::new(6).draws();
        let values = (0..n * steps * 2).map(|at| value(at, &mut draws)).collect();
        let regimes = (0..n as u32).map(|w| w % 2).collect();
        Windows::new(vec!["a".into(), "b".into()], steps, regimes, values).unwrap()
    }

    #[test]
    fn a_gain_and_an_offset_per_regime_leave_nothing_behind() {
        let plain = windows(20, 6, |_, draws| draws.normal());
        let mut shifted = plain.clone();
        for (w, t) in (0..20).flat_map(|w| (0..6).map(move |t| (w, t))) {
            let x = plain.get(w, t, 1).unwrap();
            shifted.set(w, t, 1, if w % 2 == 0 { x } else { 3.0 * x - 7.0 });
        }
        let (a, b) = (Panel::new(&plain).unwrap(), Panel::new(&shifted).unwrap());
        assert!(a.values.iter().zip(&b.values).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn moments_over_observed_pairs_agree_with_counting() {
        let mut data = windows(30, 5, |_, draws| draws.normal());
        (0..30).for_each(|w| data.hide(w, w % 5, w % 2));
        let panel = Panel::new(&data).unwrap();
        let moments = panel.moments().unwrap();
        let (mut sum, mut count) = (0.0, 0.0);
        for (w, t) in (0..30).flat_map(|w| (1..5).map(move |t| (w, t))) {
            if data.get(w, t - 1, 0).is_some() && data.get(w, t, 1).is_some() {
                let at = |t: usize, v: usize| panel.values[(w * 5 + t) * 2 + v];
                sum += at(t - 1, 0) * at(t, 1);
                count += 1.0;
            }
        }
        assert_eq!(moments.lagged.count[(0, 1)], count);
        assert!((moments.lagged.mean[(0, 1)] - sum / count).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_learnt_from_is_named() {
        let check = |data: &Windows, expected: &str| {
            let failed = Panel::new(data).and_then(|panel| panel.moments()).unwrap_err();
            assert!(failed.why.contains(expected), "{failed}");
        };
        check(&windows(20, 1, |_, draws| draws.normal()), "windows of 1 step");
        check(&windows(20, 5, |at, draws| if at % 2 == 1 { 0.1 } else { draws.normal() }), "`b` has no two");
        check(&windows(2, 4, |_, draws| draws.normal()), "observed together 6 times");
        let mut gone = windows(20, 5, |_, draws| draws.normal());
        (0..20).for_each(|w| (0..5).for_each(|t| gone.hide(w, t, 0)));
        check(&gone, "`a` has no two");
    }
}
