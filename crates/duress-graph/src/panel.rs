//! Panels: windows as a learner reads them, each regime on its own scale.

use duress_core::data::Windows;
use duress_core::seed::Seed;
use duress_core::subject::Failure;

use crate::robust::{MAD_OF_NORMAL, median};
use crate::rows::WeightedRows;

/// The variance, relative to the square of the largest value, that rounding can give to values that
/// are all the same.
const CONSTANT: f64 = 1e-24;

/// How far from the median, in robust standard deviations, a value is still taken as it is.
const REACH: f64 = 3.0;

duress_core::words! {
    /// What a learner makes of values before it standardises them.
    pub enum Scaling {
        /// Nothing: they count as they are.
        Moments = "moments",
        /// Values further than three robust standard deviations (1.4826 times the median distance
        /// from the median) from the median of their variable in their regime are drawn in to there.
        Robust = "robust",
    }
}

/// Windows in which every variable has mean 0 and variance 1 within every regime, over what is
/// observed.
///
/// A regime that multiplies a variable and adds to it therefore changes nothing; without this,
/// offsets that two variables share over regimes would look like edges. What is hidden is not
/// there: its value is 0 *and* its weight is 0.
#[derive(Clone, Debug)]
pub struct StandardisedPanel {
    variables: Vec<String>,
    regimes: Vec<u32>,
    steps: usize,
    values: Vec<f64>,
    weights: Vec<f64>,
}

impl StandardisedPanel {
    /// Reads windows as they are, or says which variable cannot be read.
    pub fn new(windows: &Windows) -> Result<StandardisedPanel, Failure> {
        StandardisedPanel::scaled(windows, Scaling::Moments)
    }

    /// Reads windows, with outliers drawn in or not, or says which variable cannot be read.
    pub fn scaled(windows: &Windows, scaling: Scaling) -> Result<StandardisedPanel, Failure> {
        let apart: Vec<Vec<u32>> = regimes_of(windows).into_iter().map(|r| vec![r]).collect();
        StandardisedPanel::scaled_in(windows, scaling, &apart)
    }

    /// Reads windows with all regimes on one scale, so that what a regime adds stays in the values.
    pub fn pooled(windows: &Windows, scaling: Scaling) -> Result<StandardisedPanel, Failure> {
        StandardisedPanel::scaled_in(windows, scaling, &[regimes_of(windows)])
    }

    /// Reads windows, each group of regimes on its own scale.
    fn scaled_in(
        windows: &Windows,
        scaling: Scaling,
        groups: &[Vec<u32>],
    ) -> Result<StandardisedPanel, Failure> {
        let n = windows.len();
        let steps = windows.steps();
        let d = windows.variables().len();
        let mut panel = StandardisedPanel {
            variables: windows.variables().to_vec(),
            regimes: windows.regimes().to_vec(),
            steps,
            values: vec![0.0; n * steps * d],
            weights: vec![0.0; n * steps * d],
        };
        for variable in 0..d {
            let readable = groups
                .iter()
                .filter(|group| panel.standardise(windows, scaling, group, variable))
                .count();
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

    pub fn windows(&self) -> usize {
        self.regimes.len()
    }

    /// The steps `lags` before each step from `first` on, side by side: a row for each such step of
    /// each window.
    ///
    /// # Panics
    /// When a lag reaches before the first step of a window: the caller asks for steps that have
    /// one.
    pub fn rows(&self, lags: &[usize], first: usize) -> WeightedRows {
        assert!(
            lags.iter().all(|&lag| lag <= first),
            "every step has the steps before it"
        );
        let d = self.variables.len();
        let columns = lags
            .iter()
            .flat_map(|_| self.variables.iter().cloned())
            .collect();
        let mut rows = WeightedRows::empty(columns, self.windows());
        for (window, step) in
            (0..self.windows()).flat_map(|w| (first..self.steps).map(move |t| (w, t)))
        {
            let starts = lags
                .iter()
                .map(|lag| (window * self.steps + step - lag) * d);
            let cells = starts.flat_map(|start| start..start + d);
            rows.push(window, cells.map(|at| (self.values[at], self.weights[at])));
        }
        rows
    }

    /// Every step that has one before it: the step before, and the step itself. Windows of one step
    /// have none.
    pub fn before_and_now(&self) -> Result<(WeightedRows, WeightedRows), Failure> {
        match self.steps {
            1 => Err(Failure::unable(
                "windows of 1 step have no earlier step to learn from; needs 2 or more",
            )),
            _ => Ok((self.rows(&[1], 1), self.rows(&[0], 1))),
        }
    }

    /// What is given to those who know nothing of time: each step and the one before it, side by
    /// side, columns now, then columns before; of windows of one step, that step alone.
    pub fn independent_rows(&self) -> WeightedRows {
        match self.steps {
            1 => self.rows(&[0], 0),
            _ => self.rows(&[0, 1], 1),
        }
    }

    /// How many steps a window has.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The regime of each window.
    pub fn regimes(&self) -> &[u32] {
        &self.regimes
    }

    /// How many windows the regime with the most of them has.
    pub fn largest_regime(&self) -> usize {
        let count = |regime: &u32| self.regimes.iter().filter(|other| *other == regime).count();
        self.regimes.iter().map(count).max().unwrap_or(0)
    }

    /// The value of a variable at a step of a window, if it was observed.
    pub fn get(&self, window: usize, step: usize, variable: usize) -> Option<f64> {
        let at = (window * self.steps + step) * self.variables.len() + variable;
        (self.weights[at] > 0.0).then(|| self.values[at])
    }

    /// These windows only, on the scale of all.
    pub fn select(&self, windows: &[usize]) -> StandardisedPanel {
        let size = self.steps * self.variables.len();
        let cells = |of: &[f64]| {
            windows
                .iter()
                .flat_map(|&w| of[w * size..(w + 1) * size].to_vec())
                .collect()
        };
        StandardisedPanel {
            variables: self.variables.clone(),
            regimes: windows.iter().map(|&w| self.regimes[w]).collect(),
            steps: self.steps,
            values: cells(&self.values),
            weights: cells(&self.weights),
        }
    }

    /// Every variable's windows dealt out anew among the windows of their regime: each keeps its
    /// course in time and what hides it, and no variable knows of another.
    pub fn shuffled(&self, seed: Seed) -> StandardisedPanel {
        let d = self.variables.len();
        let mut dealt = self.clone();
        let mut regimes = self.regimes.clone();
        regimes.sort_unstable();
        regimes.dedup();
        for variable in 0..d {
            let mut draws = seed.child(variable.to_string()).draws();
            for &regime in &regimes {
                let places: Vec<usize> = (0..self.windows())
                    .filter(|&w| self.regimes[w] == regime)
                    .collect();
                let mut from = places.clone();
                draws.shuffle(&mut from);
                for (to, from) in places.into_iter().zip(from) {
                    for step in 0..self.steps {
                        let at = |w: usize| (w * self.steps + step) * d + variable;
                        (dealt.values[at(to)], dealt.weights[at(to)]) =
                            (self.values[at(from)], self.weights[at(from)]);
                    }
                }
            }
        }
        dealt
    }

    /// Standardises one variable in regimes that share a scale; whether there was something to standardise.
    fn standardise(
        &mut self,
        windows: &Windows,
        scaling: Scaling,
        regimes: &[u32],
        variable: usize,
    ) -> bool {
        let d = self.variables.len();
        let places = (0..self.windows())
            .filter(|&w| regimes.contains(&windows.regimes()[w]))
            .flat_map(|w| (0..self.steps).map(move |t| (w, t)));
        let mut seen: Vec<(usize, f64)> = places
            .filter_map(|(w, t)| {
                Some((
                    (w * self.steps + t) * d + variable,
                    windows.get(w, t, variable)?,
                ))
            })
            .collect();
        if scaling == Scaling::Robust {
            draw_in(&mut seen);
        }
        // Relative to the largest, so that no square of a large value overflows and none of a small
        // one vanishes.
        let size = seen.iter().map(|(_, x)| x.abs()).fold(0.0, f64::max);
        let n = seen.len() as f64;
        let mean = seen.iter().map(|(_, x)| x / size).sum::<f64>() / n;
        let variance = seen
            .iter()
            .map(|(_, x)| (x / size - mean).powi(2))
            .sum::<f64>()
            / n;
        // Rounding leaves a constant with a variance a little above 0; where nothing was seen, or
        // only zeros, it is NaN.
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

/// The regimes there are, in order.
fn regimes_of(windows: &Windows) -> Vec<u32> {
    let mut regimes = windows.regimes().to_vec();
    regimes.sort_unstable();
    regimes.dedup();
    regimes
}

/// Draws values in to [`REACH`] robust standard deviations from their median. Where most of them
/// are one value there is no such measure, and they stay.
fn draw_in(seen: &mut [(usize, f64)]) {
    let values: Vec<f64> = seen.iter().map(|(_, x)| *x).collect();
    let Some(middle) = median(values.clone()) else {
        return;
    };
    let distances = values.iter().map(|x| (x - middle).abs()).collect();
    let reach = median(distances).map_or(0.0, |mad| REACH * mad / MAD_OF_NORMAL);
    if reach > 0.0 {
        seen.iter_mut()
            .for_each(|(_, x)| *x = x.clamp(middle - reach, middle + reach));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::row_by_row;
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
    fn outliers_drawn_in_leave_the_others_on_their_scale() {
        let plain = windows(60, 20, |_, draws| draws.normal());
        let mut spoilt = plain.clone();
        (0..60).for_each(|w| spoilt.set(w, 3, 0, 500.0));
        let scale = |data: &Windows, scaling| {
            let panel = StandardisedPanel::scaled(data, scaling).unwrap();
            let at = |w: usize| panel.get(w, 0, 0).unwrap();
            (at(0) - at(2)) / (plain.get(0, 0, 0).unwrap() - plain.get(2, 0, 0).unwrap())
        };
        let undisturbed = scale(&plain, Scaling::Robust);
        assert!((scale(&plain, Scaling::Moments) / undisturbed - 1.0).abs() < 0.02);
        assert!((scale(&spoilt, Scaling::Robust) / undisturbed - 1.0).abs() < 0.3);
        assert!(scale(&spoilt, Scaling::Moments) < 0.02 * undisturbed);
    }

    #[test]
    fn most_values_alike_are_not_drawn_in_to_one() {
        let mostly = windows(
            20,
            10,
            |at, draws| {
                if at % 5 == 0 { draws.normal() } else { 0.0 }
            },
        );
        assert!(StandardisedPanel::scaled(&mostly, Scaling::Robust).is_ok());
    }

    #[test]
    fn a_gain_and_an_offset_per_regime_leave_nothing_behind() {
        let plain = windows(20, 6, |_, draws| draws.normal());
        let mut shifted = plain.clone();
        for (w, t) in row_by_row(20, 6) {
            let x = plain.get(w, t, 1).unwrap();
            shifted.set(w, t, 1, if w % 2 == 0 { x } else { 3.0 * x - 7.0 });
        }
        let (a, b) = (
            StandardisedPanel::new(&plain).unwrap(),
            StandardisedPanel::new(&shifted).unwrap(),
        );
        assert!(
            a.values
                .iter()
                .zip(&b.values)
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
    }

    #[test]
    fn moments_over_observed_pairs_agree_with_counting() {
        let mut data = windows(30, 5, |_, draws| draws.normal());
        (0..30).for_each(|w| data.hide(w, w % 5, w % 2));
        let panel = StandardisedPanel::new(&data).unwrap();
        let moments = panel.rows(&[1], 1).moments(&panel.rows(&[0], 1)).unwrap();
        let mut sum = 0.0;
        let mut count = 0.0;
        for (w, t) in (0..30).flat_map(|w| (1..5).map(move |t| (w, t))) {
            if data.get(w, t - 1, 0).is_some() && data.get(w, t, 1).is_some() {
                let at = |t: usize, v: usize| panel.values[(w * 5 + t) * 2 + v];
                sum += at(t - 1, 0) * at(t, 1);
                count += 1.0;
            }
        }
        assert_eq!(moments.count[(0, 1)], count);
        assert!((moments.mean[(0, 1)] - sum / count).abs() < 1e-12);
    }

    #[test]
    fn what_cannot_be_learnt_from_is_named() {
        let check = |data: &Windows, expected: &str| {
            let moments = |panel: StandardisedPanel| {
                let (before, now) = panel.before_and_now()?;
                before.moments(&now)
            };
            let failed = StandardisedPanel::new(data).and_then(moments).unwrap_err();
            assert!(failed.why.contains(expected), "{failed}");
        };
        check(
            &windows(20, 1, |_, draws| draws.normal()),
            "windows of 1 step",
        );
        check(
            &windows(
                20,
                5,
                |at, draws| if at % 2 == 1 { 0.1 } else { draws.normal() },
            ),
            "`b` has no two",
        );
        check(
            &windows(2, 4, |_, draws| draws.normal()),
            "observed together 6 times",
        );
        let mut gone = windows(20, 5, |_, draws| draws.normal());
        (0..20).for_each(|w| (0..5).for_each(|t| gone.hide(w, t, 0)));
        check(&gone, "`a` has no two");
    }

    #[test]
    fn windows_of_one_step_are_rows_by_themselves() {
        let widths = [1, 2].map(|steps| {
            let rows = StandardisedPanel::new(&windows(20, steps, |_, draws| draws.normal()))
                .unwrap()
                .independent_rows();
            (rows.len(), rows.width())
        });
        assert_eq!(widths, [(20, 2), (20, 4)]);
    }

    #[test]
    fn shuffling_keeps_each_variable_within_its_regime_and_selecting_keeps_the_scale() {
        let mut data = windows(20, 4, |_, draws| draws.normal());
        (0..20).for_each(|w| data.hide(w, w % 4, 0));
        let panel = StandardisedPanel::new(&data).unwrap();
        let dealt = panel.shuffled(Seed::new(1));
        assert_ne!(panel.values, dealt.values);
        for (regime, variable) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let courses = |panel: &StandardisedPanel| {
                let of = |w: usize| {
                    (0..4)
                        .map(|t| panel.get(w, t, variable).map(f64::to_bits))
                        .collect::<Vec<_>>()
                };
                let mut all: Vec<_> = (0..20).filter(|w| w % 2 == regime).map(of).collect();
                all.sort();
                all
            };
            assert_eq!(courses(&panel), courses(&dealt));
        }
        let some = panel.select(&[3, 7]);
        assert_eq!((some.windows(), some.get(1, 2, 1)), (2, panel.get(7, 2, 1)));
    }
}
