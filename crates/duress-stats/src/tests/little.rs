//! Little's test of whether values are missing completely at random.
//!
//! Rows are grouped by which values they have. Under the null the mean of every group differs from
//! the overall mean by chance alone: `d² = Σ_j n_j (ȳ_j − μ_j)ᵀ Σ_j⁻¹ (ȳ_j − μ_j)` over the values
//! that group j has, with μ the maximum-likelihood mean of a normal law under missing values and Σ
//! its covariance times n/(n − 1), is asymptotically χ² with `Σ_j p_j − p` degrees of freedom.
//! Source: R. J. A. Little, A test of missing completely at random for multivariate data with
//! missing values, JASA 83 (1988) 1198. The estimates are found by EM.

use std::collections::BTreeMap;

use crate::dist::ChiSquared;
use crate::{Side, TestResult, UndefinedReason, check};

/// EM stops when no estimate moves by more than this, in standard deviations of its variable.
const SETTLED: f64 = 1e-10;

/// EM is given up after so many steps.
const MOST_STEPS: usize = 20_000;

/// Whether values are missing completely at random, from rows that are independent of each other;
/// `None` is a missing value, and a row without any value does not count.
///
/// ```
/// use duress_stats::tests::little;
///
/// // The second value is missing where the first is high.
/// let row = |i: usize| {
///     let x = ((i * 7919) % 101) as f64;
///     vec![Some(x), (x < 60.0).then(|| x + ((i * 104_729) % 53) as f64)]
/// };
/// let rows: Vec<_> = (0..80).map(row).collect();
/// let test = little(&rows).unwrap();
/// assert_eq!(test.df, Some(1.0));
/// assert!(test.p < 1e-6);
/// ```
///
/// # Errors
/// Rows of different lengths, a value that is not finite, a column without two different values,
/// fewer rows than columns + 2, all rows with the same gaps, or a covariance that has no inverse.
pub fn little(rows: &[Vec<Option<f64>>]) -> Result<TestResult, UndefinedReason> {
    let width = rows.first().map_or(0, Vec::len);
    check::at_least("columns", width, 1)?;
    for row in rows {
        check::paired(&rows[0], row)?;
        let seen: Vec<f64> = row.iter().flatten().copied().collect();
        check::finite("a row", &seen)?;
    }
    let scaled = scaled(rows, width)?;
    let groups = groups(&scaled);
    let n: usize = groups.iter().map(|group| group.rows.len()).sum();
    check::at_least("rows with a value", n, width + 2)?;
    check::at_least("different patterns of gaps", groups.len(), 2)?;
    let normal = MultivariateNormal::fitted(&groups, width, n)?;
    let mut statistic = 0.0;
    for group in &groups {
        let away: Vec<f64> = group
            .seen
            .iter()
            .map(|&v| group.mean(v) - normal.mean[v])
            .collect();
        let inverse = normal.inverse(&group.seen)?;
        let size = group.rows.len() as f64 * (n as f64 - 1.0) / n as f64;
        statistic += size * quadratic(&inverse, &away);
    }
    let df = groups.iter().map(|group| group.seen.len()).sum::<usize>() - width;
    let law = ChiSquared::new(df as f64)?;
    let mut test = TestResult::without_extras(
        "Little's test of MCAR, asymptotic",
        "d²",
        statistic,
        law.sf(statistic),
        Side::Greater,
        n,
    );
    test.df = Some(df as f64);
    Ok(test)
}

/// The rows with mean 0 and variance 1 in every column, so that EM settles alike in all of them; d²
/// does not change.
fn scaled(
    rows: &[Vec<Option<f64>>],
    width: usize,
) -> Result<Vec<Vec<Option<f64>>>, UndefinedReason> {
    let mut scales = Vec::new();
    for column in 0..width {
        let seen: Vec<f64> = rows.iter().filter_map(|row| row[column]).collect();
        let n = seen.len() as f64;
        let mean = seen.iter().sum::<f64>() / n;
        let variance = seen.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        if variance.is_nan() || variance <= 1e-24 * mean * mean || variance == 0.0 {
            return Err(UndefinedReason::NoSpread {
                what: "the values of a column",
            });
        }
        scales.push((mean, libm::sqrt(variance)));
    }
    let row = |row: &Vec<Option<f64>>| {
        row.iter()
            .zip(&scales)
            .map(|(x, (mean, sd))| x.map(|x| (x - mean) / sd))
            .collect()
    };
    Ok(rows.iter().map(row).collect())
}

/// Rows that have the same values.
struct MissingPattern {
    /// The columns they have.
    seen: Vec<usize>,
    rows: Vec<Vec<f64>>,
}

impl MissingPattern {
    fn mean(&self, column: usize) -> f64 {
        let at = self.seen.iter().position(|own| *own == column).unwrap_or(0);
        self.rows.iter().map(|row| row[at]).sum::<f64>() / self.rows.len() as f64
    }
}

fn groups(rows: &[Vec<Option<f64>>]) -> Vec<MissingPattern> {
    let mut by_gaps: BTreeMap<Vec<usize>, Vec<Vec<f64>>> = BTreeMap::new();
    for row in rows {
        let seen: Vec<usize> = (0..row.len()).filter(|&v| row[v].is_some()).collect();
        if !seen.is_empty() {
            by_gaps
                .entry(seen)
                .or_default()
                .push(row.iter().flatten().copied().collect());
        }
    }
    by_gaps
        .into_iter()
        .map(|(seen, rows)| MissingPattern { seen, rows })
        .collect()
}

/// A normal law: mean and covariance, row by row.
struct MultivariateNormal {
    mean: Vec<f64>,
    covariance: Vec<f64>,
}

impl MultivariateNormal {
    fn fitted(
        groups: &[MissingPattern],
        width: usize,
        n: usize,
    ) -> Result<MultivariateNormal, UndefinedReason> {
        let identity = (0..width * width)
            .map(|at| f64::from(u8::from(at / width == at % width)))
            .collect();
        let mut normal = MultivariateNormal {
            mean: vec![0.0; width],
            covariance: identity,
        };
        for _ in 0..MOST_STEPS {
            let next = normal.step(groups, n)?;
            let moved = |a: &[f64], b: &[f64]| {
                a.iter()
                    .zip(b)
                    .map(|(a, b)| (a - b).abs())
                    .fold(0.0, f64::max)
            };
            let most =
                moved(&next.mean, &normal.mean).max(moved(&next.covariance, &normal.covariance));
            normal = next;
            if most < SETTLED {
                break;
            }
        }
        Ok(normal)
    }

    /// One step of EM: missing values are taken as their regression on what is there, and what that
    /// leaves out is added to the covariance.
    fn step(
        &self,
        groups: &[MissingPattern],
        n: usize,
    ) -> Result<MultivariateNormal, UndefinedReason> {
        let width = self.mean.len();
        let mut sums = vec![0.0; width];
        let mut products = vec![0.0; width * width];
        for group in groups {
            let regression = self.regression(&group.seen)?;
            for row in &group.rows {
                let full = regression.fill(self, &group.seen, row);
                for a in 0..width {
                    sums[a] += full[a];
                    (0..width).for_each(|b| products[a * width + b] += full[a] * full[b]);
                }
            }
            let count = group.rows.len() as f64;
            products
                .iter_mut()
                .zip(&regression.left)
                .for_each(|(sum, left)| *sum += count * left);
        }
        let mean: Vec<f64> = sums.iter().map(|sum| sum / n as f64).collect();
        let covariance = (0..width * width)
            .map(|at| products[at] / n as f64 - mean[at / width] * mean[at % width])
            .collect();
        Ok(MultivariateNormal { mean, covariance })
    }

    /// What is missing, from what is `seen`.
    fn regression(&self, seen: &[usize]) -> Result<MissingRegression, UndefinedReason> {
        let width = self.mean.len();
        let missing: Vec<usize> = (0..width).filter(|v| !seen.contains(v)).collect();
        let inverse = self.inverse(seen)?;
        let cov = |a: usize, b: usize| self.covariance[a * width + b];
        let coefficient = |m: usize, at: usize| {
            (0..seen.len())
                .map(|k| cov(m, seen[k]) * inverse[k * seen.len() + at])
                .sum::<f64>()
        };
        let slopes: Vec<Vec<f64>> = missing
            .iter()
            .map(|&m| (0..seen.len()).map(|at| coefficient(m, at)).collect())
            .collect();
        let mut left = vec![0.0; width * width];
        for (i, &a) in missing.iter().enumerate() {
            for &b in &missing {
                let told: f64 = slopes[i]
                    .iter()
                    .zip(seen)
                    .map(|(slope, &s)| slope * cov(s, b))
                    .sum();
                left[a * width + b] = cov(a, b) - told;
            }
        }
        Ok(MissingRegression {
            missing,
            slopes,
            left,
        })
    }

    /// The inverse of the covariance of some columns.
    fn inverse(&self, of: &[usize]) -> Result<Vec<f64>, UndefinedReason> {
        let width = self.mean.len();
        let k = of.len();
        let mut lower = vec![0.0; k * k];
        for i in 0..k {
            for j in 0..=i {
                let known: f64 = (0..j).map(|c| lower[i * k + c] * lower[j * k + c]).sum();
                let rest = self.covariance[of[i] * width + of[j]] - known;
                if i == j && (rest.is_nan() || rest <= 1e-9) {
                    return Err(UndefinedReason::NoSpread {
                        what: "some columns, given the others,",
                    });
                }
                lower[i * k + j] = if i == j {
                    libm::sqrt(rest)
                } else {
                    rest / lower[j * k + j]
                };
            }
        }
        let mut inverse = vec![0.0; k * k];
        for column in 0..k {
            let mut x = vec![0.0; k];
            for i in 0..k {
                let known: f64 = (0..i).map(|c| lower[i * k + c] * x[c]).sum();
                x[i] = (f64::from(u8::from(i == column)) - known) / lower[i * k + i];
            }
            for i in (0..k).rev() {
                let known: f64 = (i + 1..k).map(|r| lower[r * k + i] * x[r]).sum();
                x[i] = (x[i] - known) / lower[i * k + i];
            }
            (0..k).for_each(|row| inverse[row * k + column] = x[row]);
        }
        Ok(inverse)
    }
}

/// What is missing in a group, from what is there.
struct MissingRegression {
    missing: Vec<usize>,
    slopes: Vec<Vec<f64>>,
    /// The covariance that the regression leaves.
    left: Vec<f64>,
}

impl MissingRegression {
    fn fill(&self, normal: &MultivariateNormal, seen: &[usize], row: &[f64]) -> Vec<f64> {
        let mut full = normal.mean.clone();
        seen.iter().zip(row).for_each(|(&v, x)| full[v] = *x);
        for (&m, slopes) in self.missing.iter().zip(&self.slopes) {
            full[m] += slopes
                .iter()
                .zip(seen)
                .zip(row)
                .map(|((b, &v), x)| b * (x - normal.mean[v]))
                .sum::<f64>();
        }
        full
    }
}

fn quadratic(inverse: &[f64], x: &[f64]) -> f64 {
    let k = x.len();
    (0..k)
        .map(|i| x[i] * (0..k).map(|j| inverse[i * k + j] * x[j]).sum::<f64>())
        .sum()
}
