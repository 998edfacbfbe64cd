//! Temperature scaling: one number that divides all logits so that confidence fits what is right.
//!
//! The temperature minimises the mean negative log-likelihood of labels under `softmax(logits /
//! T)`. In `b = 1/T` that mean is convex, so its minimum is where the derivative `mean(E_p[z] −
//! z_label)` changes sign: Newton's steps between two bounds that always hold it. Source: C. Guo et
//! al., ICML 2017, arXiv:1706.04599.

use crate::{UndefinedReason, check};

/// The range in which a temperature is looked for.
const COLDEST: f64 = 1e-3;
const HOTTEST: f64 = 1e3;

/// The temperature that fits labels best, given a row of `classes` logits per label.
///
/// ```
/// // Two thirds are right at logits that claim 88 %: the temperature rises to where they claim two thirds.
/// let logits = [2.0, 0.0, 2.0, 0.0, 2.0, 0.0];
/// let t = duress_stats::temperature::fit_temperature(&logits, 2, &[0, 0, 1]).unwrap();
/// assert!((t - 2.0 / 2.0_f64.ln()).abs() < 1e-9);
/// ```
///
/// # Errors
/// No labels, lengths that do not fit, a logit that is not finite, a label that is no class, or no
/// finite optimum: when every label has the highest logit, the colder the better.
pub fn fit_temperature(
    logits: &[f64],
    classes: usize,
    labels: &[u32],
) -> Result<f64, UndefinedReason> {
    check::at_least("labels", labels.len(), 1)?;
    check::at_least("classes", classes, 2)?;
    if logits.len() != labels.len() * classes {
        return Err(UndefinedReason::Unpaired {
            left: logits.len(),
            right: labels.len() * classes,
        });
    }
    check::finite("the logits", logits)?;
    if let Some(&label) = labels.iter().find(|label| **label as usize >= classes) {
        let expected = "a class below the number of classes";
        return Err(UndefinedReason::OutOfRange {
            what: "a label",
            value: f64::from(label),
            expected,
        });
    }
    let slope = |b: f64| slope(logits, classes, labels, b);
    let mut low = 1.0 / HOTTEST;
    let mut high = 1.0 / COLDEST;
    if slope(low).0 >= 0.0 || slope(high).0 <= 0.0 {
        return Err(UndefinedReason::Unreachable {
            what: "temperature",
        });
    }
    let mut b = 1.0;
    for _ in 0..200 {
        let (first, second) = slope(b);
        if first < 0.0 {
            low = b;
        } else {
            high = b;
        }
        let newton = b - first / second;
        let next = if newton > low && newton < high {
            newton
        } else {
            libm::sqrt(low * high)
        };
        if libm::fabs(next - b) <= 4.0 * f64::EPSILON * b || first == 0.0 {
            break;
        }
        b = next;
    }
    Ok(1.0 / b)
}

/// First and second derivative of the mean negative log-likelihood in `b`.
fn slope(logits: &[f64], classes: usize, labels: &[u32], b: f64) -> (f64, f64) {
    let rows = logits.chunks_exact(classes).zip(labels);
    let slopes = rows.map(|(row, &label)| slope_of_item(row, label, b));
    let (first, second) = slopes.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (first / labels.len() as f64, second / labels.len() as f64)
}

fn slope_of_item(row: &[f64], label: u32, b: f64) -> (f64, f64) {
    let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut all = 0.0;
    let mut mean = 0.0;
    let mut square = 0.0;
    for &logit in row {
        // Relative to the highest, so that nothing overflows and nothing cancels.
        let z = logit - top;
        let p = libm::exp(b * z);
        all += p;
        mean += p * z;
        square += p * z * z;
    }
    let mean = mean / all;
    (
        mean - (row[label as usize] - top),
        square / all - mean * mean,
    )
}

/// How the temperature that fits best depends on how often items count: one step of Newton's from
/// the temperature of all, so that a resample costs two sums and no fit.
///
/// ```
/// use duress_stats::temperature::{TemperatureSlopes, fit_temperature};
/// let logits = [2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 1.0, 0.0];
/// let labels = [0, 0, 1, 0];
/// let slopes = TemperatureSlopes::new(&logits, 2, &labels).unwrap();
/// let all = fit_temperature(&logits, 2, &labels).unwrap();
/// assert!((slopes.at_weights(&[1, 1, 1, 1]).unwrap() - all).abs() < 1e-9);
/// ```
#[derive(Clone, Debug)]
pub struct TemperatureSlopes {
    /// One over the temperature of all items.
    inverse: f64,
    /// First and second derivative of what each item adds to the negative log-likelihood.
    slopes: Vec<(f64, f64)>,
}

impl TemperatureSlopes {
    /// Of labels, given a row of `classes` logits per label.
    ///
    /// # Errors
    /// Those of [`fit_temperature`].
    pub fn new(
        logits: &[f64],
        classes: usize,
        labels: &[u32],
    ) -> Result<TemperatureSlopes, UndefinedReason> {
        let inverse = 1.0 / fit_temperature(logits, classes, labels)?;
        let rows = logits.chunks_exact(classes).zip(labels);
        let slopes = rows.map(|(row, &label)| slope_of_item(row, label, inverse));
        Ok(TemperatureSlopes {
            inverse,
            slopes: slopes.collect(),
        })
    }

    /// The temperature when item `i` counts `weights[i]` times.
    ///
    /// # Errors
    /// The step leads to no temperature.
    pub fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let counted = weights.iter().map(|times| f64::from(*times));
        let sums = counted
            .zip(&self.slopes)
            .fold((0.0, 0.0), |sums, (times, slope)| {
                (sums.0 + times * slope.0, sums.1 + times * slope.1)
            });
        let inverse = self.inverse - sums.0 / sums.1;
        match inverse > 0.0 && inverse.is_finite() {
            true => Ok(1.0 / inverse),
            false => Err(UndefinedReason::Unreachable {
                what: "temperature",
            }),
        }
    }
}
