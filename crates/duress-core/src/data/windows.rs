//! Windows: stretches of a multivariate time series, with values that can be hidden for good.

use std::collections::HashSet;

use crate::problem::Problem;

/// Windows of a multivariate time series: windows × steps × variables, some values hidden, each
/// window in a regime.
///
/// A hidden value is overwritten when it is hidden, and no method gives it back.
///
/// ```
/// use duress_core::data::Windows;
/// let mut windows = Windows::new(vec!["t".into()], 2, vec![0], vec![20.5, 21.0]).unwrap();
/// windows.hide(0, 1, 0);
/// assert_eq!(windows.get(0, 0, 0), Some(20.5));
/// assert_eq!(windows.get(0, 1, 0), None);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Windows {
    variables: Vec<String>,
    steps: usize,
    regimes: Vec<u32>,
    values: Vec<f64>,
    observed: Vec<bool>,
}

impl Windows {
    /// Windows with every value observed; `values` in the order window, step, variable; one regime
    /// per window.
    pub fn new(
        variables: Vec<String>,
        steps: usize,
        regimes: Vec<u32>,
        values: Vec<f64>,
    ) -> Result<Windows, Problem> {
        let expected = variables.len() * steps * regimes.len();
        if variables.is_empty() || steps == 0 || values.len() != expected {
            return Err(
                Problem::new(format!("{} values in windows", values.len())).expected(format!(
                    "{} windows × {steps} steps × {} variables",
                    regimes.len(),
                    variables.len()
                )),
            );
        }
        let mut known = HashSet::new();
        if let Some(twice) = variables.iter().find(|name| !known.insert(name.as_str())) {
            return Err(
                Problem::new(format!("the variable `{twice}` is there twice"))
                    .expected("a name of its own for each variable"),
            );
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(
                Problem::new(format!("a value of {} at position {at}", values[at]))
                    .expected("a finite number")
                    .hint("hide what is missing instead of writing it down as NaN"),
            ),
            None => {
                let observed = vec![true; values.len()];
                Ok(Windows {
                    variables,
                    steps,
                    regimes,
                    values,
                    observed,
                })
            }
        }
    }

    /// How many windows there are.
    pub fn len(&self) -> usize {
        self.regimes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.regimes.is_empty()
    }

    /// Steps in a window.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The names of the variables, in order.
    pub fn variables(&self) -> &[String] {
        &self.variables
    }

    /// The regime of each window.
    pub fn regimes(&self) -> &[u32] {
        &self.regimes
    }

    /// The value, unless it is hidden.
    pub fn get(&self, window: usize, step: usize, variable: usize) -> Option<f64> {
        let at = self.at(window, step, variable);
        self.observed[at].then_some(self.values[at])
    }

    /// Changes a value that can be seen; a hidden one stays hidden.
    ///
    /// # Panics
    /// When `value` is not finite: that is a stressor's bug.
    pub fn set(&mut self, window: usize, step: usize, variable: usize, value: f64) {
        assert!(value.is_finite(), "a stressor wrote {value} into a window");
        let at = self.at(window, step, variable);
        if self.observed[at] {
            self.values[at] = value;
        }
    }

    /// Hides a value for good.
    pub fn hide(&mut self, window: usize, step: usize, variable: usize) {
        let at = self.at(window, step, variable);
        self.observed[at] = false;
        self.values[at] = 0.0;
    }

    /// Puts a window into another regime.
    pub fn set_regime(&mut self, window: usize, regime: u32) {
        self.regimes[window] = regime;
    }

    /// The share of values that are hidden.
    pub fn hidden_share(&self) -> f64 {
        self.observed.iter().filter(|seen| !**seen).count() as f64 / self.observed.len() as f64
    }

    fn at(&self, window: usize, step: usize, variable: usize) -> usize {
        let width = self.variables.len();
        assert!(
            step < self.steps && variable < width,
            "no step {step} or variable {variable} in a window"
        );
        (window * self.steps + step) * width + variable
    }

    fn span(&self, window: usize) -> std::ops::Range<usize> {
        let size = self.steps * self.variables.len();
        window * size..(window + 1) * size
    }

    pub(super) fn feed_window(&self, i: usize, sink: &mut dyn FnMut(&[u8])) {
        sink(&self.regimes[i].to_le_bytes());
        for at in self.span(i) {
            sink(&self.values[at].to_le_bytes());
            sink(&[u8::from(self.observed[at])]);
        }
    }

    pub(super) fn select(&self, which: &[usize]) -> Windows {
        let spans = || which.iter().flat_map(|&i| self.span(i));
        Windows {
            variables: self.variables.clone(),
            steps: self.steps,
            regimes: which.iter().map(|&i| self.regimes[i]).collect(),
            values: spans().map(|at| self.values[at]).collect(),
            observed: spans().map(|at| self.observed[at]).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hiding_a_value_loses_it_and_setting_it_does_not_bring_it_back() {
        let make = |value| Windows::new(vec!["a".into()], 1, vec![0], vec![value]).unwrap();
        let mut one = make(1.0);
        let mut two = make(2.0);
        one.hide(0, 0, 0);
        two.hide(0, 0, 0);
        assert_eq!(one, two, "nothing of a hidden value may be left");
        one.set(0, 0, 0, 5.0);
        assert_eq!(one.get(0, 0, 0), None);
        assert_eq!(one.hidden_share(), 1.0);
    }

    #[test]
    fn a_window_with_a_value_that_is_not_finite_is_refused() {
        assert!(Windows::new(vec!["a".into()], 1, vec![0], vec![f64::NAN]).is_err());
    }
}
