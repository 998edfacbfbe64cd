//! Windows as RC-GNN reads them: each variable about its median, in robust standard deviations, regime
//! by regime.

use duress_core::data::Windows;
use duress_core::subject::Failure;

use crate::robust::{MAD_OF_NORMAL, median};

/// Values on the scale of their variable in their regime; nothing is drawn in, what to make of an
/// outlier is for the noise to say.
#[derive(Clone, Debug)]
pub(super) struct RobustSeries {
    pub(super) variables: Vec<String>,
    pub(super) steps: usize,
    /// The regime of each window, numbered from 0 without gaps.
    pub(super) regime: Vec<usize>,
    /// What each regime is called in the windows.
    pub(super) regimes: Vec<u32>,
    /// The median and the scale of each variable in each regime.
    pub(super) scales: Vec<Vec<(f64, f64)>>,
    /// NaN where hidden.
    values: Vec<f64>,
}

impl RobustSeries {
    pub(super) fn read(windows: &Windows, per_regime: bool) -> Result<RobustSeries, Failure> {
        if windows.steps() < 2 {
            return Err(Failure::unable(
                "windows of 1 step have no earlier step to learn from; needs 2 or more",
            ));
        }
        let mut regimes = windows.regimes().to_vec();
        regimes.sort_unstable();
        regimes.dedup();
        let place = |regime: &u32| regimes.binary_search(regime).unwrap_or(0);
        let regime: Vec<usize> = windows.regimes().iter().map(place).collect();
        let d = windows.variables().len();
        let mut series = RobustSeries {
            variables: windows.variables().to_vec(),
            steps: windows.steps(),
            scales: vec![vec![(0.0, 1.0); d]; regimes.len()],
            values: vec![f64::NAN; windows.len() * windows.steps() * d],
            regime,
            regimes,
        };
        for variable in 0..d {
            if !series.scale_variable(windows, variable, per_regime) {
                return Err(Failure::unable(format!(
                    "variable `{}` has no two different observed values in any regime",
                    windows.variables()[variable]
                )));
            }
        }
        Ok(series)
    }

    /// Scales one variable, in each regime apart or in all together; whether it varies anywhere.
    fn scale_variable(&mut self, windows: &Windows, variable: usize, per_regime: bool) -> bool {
        let d = self.variables.len();
        let groups: Vec<Vec<usize>> = if per_regime {
            (0..self.regimes.len()).map(|r| vec![r]).collect()
        } else {
            vec![(0..self.regimes.len()).collect()]
        };
        let mut varies = false;
        for group in groups {
            let seen: Vec<(usize, f64)> = (0..windows.len())
                .filter(|&w| group.contains(&self.regime[w]))
                .flat_map(|w| (0..self.steps).map(move |t| (w, t)))
                .filter_map(|(w, t)| {
                    let at = (w * self.steps + t) * d + variable;
                    Some((at, windows.get(w, t, variable)?))
                })
                .collect();
            let Some((middle, scale)) = robust_scale(seen.iter().map(|(_, x)| *x).collect()) else {
                continue;
            };
            varies = true;
            for (at, x) in seen {
                self.values[at] = (x - middle) / scale;
            }
            group
                .iter()
                .for_each(|&r| self.scales[r][variable] = (middle, scale));
        }
        varies
    }

    pub(super) fn windows(&self) -> usize {
        self.regime.len()
    }

    pub(super) fn width(&self) -> usize {
        self.variables.len()
    }

    /// How often a variable was observed.
    pub(super) fn readings(&self, variable: usize) -> usize {
        let own = self
            .values
            .iter()
            .skip(variable)
            .step_by(self.variables.len());
        own.filter(|x| !x.is_nan()).count()
    }

    /// The value of a variable at a step of a window, if it was observed.
    pub(super) fn get(&self, window: usize, step: usize, variable: usize) -> Option<f64> {
        let x = self.values[(window * self.steps + step) * self.variables.len() + variable];
        (!x.is_nan()).then_some(x)
    }
}

/// Median and robust standard deviation: from the median distance, or, where most values are one,
/// the mean square. `None` where nothing varies.
fn robust_scale(values: Vec<f64>) -> Option<(f64, f64)> {
    let middle = median(values.clone())?;
    let distances: Vec<f64> = values.iter().map(|x| (x - middle).abs()).collect();
    let largest = distances.iter().copied().fold(0.0, f64::max);
    // What rounding leaves of values that are all the same is no spread.
    if largest <= 1e-12 * middle.abs() || !largest.is_finite() || largest == 0.0 {
        return None;
    }
    let squares = distances.iter().map(|x| (x / largest) * (x / largest));
    let fallback = largest * libm::sqrt(squares.sum::<f64>() / values.len() as f64);
    let robust = median(distances)? / MAD_OF_NORMAL;
    Some((
        middle,
        if robust > 1e-9 * largest {
            robust
        } else {
            fallback
        },
    ))
}
