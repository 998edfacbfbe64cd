//! Tests of independence: partial correlation over the rows that show every variable of the test
//! (test-wise deletion).

use duress_core::subject::Failure;
use duress_stats::dist::StudentT;

use crate::matrix::Square;
use crate::rows::WeightedRows;
use crate::select::two_sided;

/// A test must have this many rows beyond its conditions; where there are fewer, the last
/// conditions are left out until there are.
const FEWEST_ROWS: usize = 30;

/// The correlation of two copies, short of 1, so that its evidence is a number.
const NEARLY_ONE: f64 = 1.0 - 1e-12;

/// How a partial correlation becomes a probability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorrelationTest {
    /// √(n − k − 3) · atanh r against a standard normal (Fisher 1921).
    FisherZ,
    /// r √(n − k − 2) / √(1 − r²) against Student's t with n − k − 2 degrees of freedom, as
    /// tigramite's ParCorr.
    StudentT,
}

/// What a test found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorrelationResult {
    pub r: f64,
    /// Rows that showed every variable.
    pub rows: usize,
    /// The probability of so strong a correlation between variables that are independent given the
    /// rest.
    pub p: f64,
    /// Its strength: |z|, or |t|.
    pub strength: f64,
}

/// Tests on the columns of rows.
pub struct Independence {
    test: CorrelationTest,
    /// Column by column.
    values: Vec<Vec<f64>>,
    /// Per column, a bit per row that shows it.
    seen: Vec<Vec<u64>>,
    /// Of all columns, where every row shows all.
    correlation: Option<Square>,
    rows: usize,
}

impl Independence {
    /// Tests on `rows`, or the reason why none can be done.
    pub fn new(rows: &WeightedRows, test: CorrelationTest) -> Result<Independence, Failure> {
        let n = rows.len();
        let width = rows.width();
        let column = |k: usize| (0..n).map(|i| rows.row(i).values[k]).collect::<Vec<f64>>();
        let bits = |k: usize| {
            let mut bits = vec![0_u64; n.div_ceil(64)];
            (0..n)
                .filter(|&i| rows.row(i).weights[k] > 0.0)
                .for_each(|i| bits[i / 64] |= 1 << (i % 64));
            bits
        };
        let mut tests = Independence {
            test,
            values: (0..width).map(column).collect(),
            seen: (0..width).map(bits).collect(),
            correlation: None,
            rows: n,
        };
        for (a, b) in (0..width).flat_map(|a| (0..=a).map(move |b| (a, b))) {
            let together = tests
                .shown(&[a, b])
                .iter()
                .map(|bits| bits.count_ones() as usize)
                .sum::<usize>();
            if together < FEWEST_ROWS {
                let a = &rows.columns()[a];
                let b = &rows.columns()[b];
                return Err(Failure::unable(format!(
                    "`{a}` and `{b}` are observed together {together} times; a test needs {FEWEST_ROWS} or more"
                )));
            }
        }
        if rows.is_complete() {
            tests.correlation = Some(tests.correlations(&(0..width).collect::<Vec<_>>()).0);
        }
        Ok(tests)
    }

    /// Whether `a` and `b` are independent given others. Of the conditions the last are left out
    /// while too few rows show all.
    pub fn test_pair(&self, a: usize, b: usize, given: &[usize]) -> CorrelationResult {
        let mut variables = vec![a, b];
        variables.extend(given);
        let (correlations, rows) = match &self.correlation {
            Some(all) => {
                variables.truncate(2 + given.len().min(self.rows - FEWEST_ROWS));
                (all.select(&variables), self.rows)
            }
            None => {
                while variables.len() > 2
                    && self.count(&variables) < FEWEST_ROWS + variables.len() - 2
                {
                    variables.pop();
                }
                self.correlations(&variables)
            }
        };
        self.test
            .result(partial(&correlations), rows, variables.len() - 2)
    }

    fn count(&self, variables: &[usize]) -> usize {
        self.shown(variables)
            .iter()
            .map(|bits| bits.count_ones() as usize)
            .sum()
    }

    /// The rows that show all of these, as bits.
    fn shown(&self, variables: &[usize]) -> Vec<u64> {
        let mut bits = self.seen[variables[0]].clone();
        for &variable in &variables[1..] {
            bits.iter_mut()
                .zip(&self.seen[variable])
                .for_each(|(bits, seen)| *bits &= seen);
        }
        bits
    }

    fn rows_shown(&self, variables: &[usize]) -> Vec<usize> {
        let mut which = Vec::with_capacity(self.rows);
        for (word, mut bits) in self.shown(variables).into_iter().enumerate() {
            while bits != 0 {
                which.push(word * 64 + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
        which
    }

    /// A variable in these rows, with mean 0 and length 1.
    fn standardised(&self, variable: usize, rows: &[usize]) -> Vec<f64> {
        let mut values: Vec<f64> = rows.iter().map(|&i| self.values[variable][i]).collect();
        let mean = values.iter().sum::<f64>() / rows.len() as f64;
        values.iter_mut().for_each(|x| *x -= mean);
        let length = libm::sqrt(crate::matrix::dot(&values, &values));
        // A column that is constant among these rows correlates with nothing.
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        values.iter_mut().for_each(|x| *x *= scale);
        values
    }

    /// The correlations of these over the rows that show all of them, and how many rows those are.
    fn correlations(&self, variables: &[usize]) -> (Square, usize) {
        let which = self.rows_shown(variables);
        let columns: Vec<Vec<f64>> = variables
            .iter()
            .map(|&variable| self.standardised(variable, &which))
            .collect();
        let mut square = Square::identity(variables.len());
        for (i, k) in (0..variables.len()).flat_map(|i| (0..i).map(move |k| (i, k))) {
            let r = crate::matrix::dot(&columns[i], &columns[k]);
            (square[(i, k)], square[(k, i)]) = (r, r);
        }
        (square, which.len())
    }
}

impl CorrelationTest {
    fn result(self, r: f64, rows: usize, conditions: usize) -> CorrelationResult {
        let r = r.clamp(-NEARLY_ONE, NEARLY_ONE);
        let (strength, p) = match self {
            CorrelationTest::FisherZ => {
                let z = (libm::sqrt((rows - conditions - 3) as f64) * libm::atanh(r)).abs();
                (z, two_sided(z))
            }
            CorrelationTest::StudentT => {
                let freedom = (rows - conditions - 2) as f64;
                let t = (r * libm::sqrt(freedom / (1.0 - r * r))).abs();
                (
                    t,
                    StudentT::new(freedom).map_or(1.0, |student| student.two_sided(t)),
                )
            }
        };
        CorrelationResult {
            r,
            rows,
            p,
            strength,
        }
    }
}

/// The correlation of the first two variables given the others.
fn partial(correlations: &Square) -> f64 {
    let r = |i: usize, k: usize| correlations[(i, k)];
    match correlations.size() {
        2 => r(0, 1),
        3 => {
            let rest = (1.0 - r(0, 2) * r(0, 2)) * (1.0 - r(1, 2) * r(1, 2));
            if rest > 0.0 {
                (r(0, 1) - r(0, 2) * r(1, 2)) / libm::sqrt(rest)
            } else {
                0.0
            }
        }
        size => {
            // Eliminating the others leaves the 2 × 2 that is wanted; what is a copy of others
            // leaves nothing and is passed over.
            let mut left = correlations.clone();
            for pivot in (2..size).rev() {
                let over = left[(pivot, pivot)];
                if over < 1e-10 {
                    continue;
                }
                for i in 0..pivot {
                    let factor = left[(i, pivot)] / over;
                    for k in 0..=i {
                        let by = factor * left[(pivot, k)];
                        left[(i, k)] -= by;
                        left[(k, i)] = left[(i, k)];
                    }
                }
            }
            let rest = left[(0, 0)] * left[(1, 1)];
            if rest > 1e-20 {
                left[(0, 1)] / libm::sqrt(rest)
            } else {
                0.0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    fn rows(hidden: f64) -> WeightedRows {
        let mut draws = Seed::new(5).draws();
        let mut rows = WeightedRows::empty((0..5).map(|i| format!("x{i}")).collect(), 1);
        for _ in 0..3000 {
            let a = draws.normal();
            let b = 0.8 * a + draws.normal();
            let c = 0.8 * a + draws.normal();
            let cells = [a, b, c, 0.5 * b - 0.5 * c + draws.normal(), draws.normal()];
            rows.push(
                0,
                cells.map(|x| {
                    if draws.chance(hidden) {
                        (0.0, 0.0)
                    } else {
                        (x, 1.0)
                    }
                }),
            );
        }
        rows
    }

    #[test]
    fn a_common_cause_explains_a_correlation_also_where_values_are_hidden() {
        for hidden in [0.0, 0.3] {
            for test in [CorrelationTest::FisherZ, CorrelationTest::StudentT] {
                let tests = Independence::new(&rows(hidden), test).unwrap();
                assert!(tests.test_pair(1, 2, &[]).p < 1e-10);
                assert!(tests.test_pair(1, 2, &[0]).p > 0.01);
                assert!(tests.test_pair(1, 2, &[0, 4]).p > 0.01);
                assert!(
                    tests.test_pair(1, 2, &[0, 3]).p < 1e-4,
                    "a collider opens the path"
                );
            }
        }
    }

    #[test]
    fn every_number_of_conditions_gives_the_correlation_of_residuals() {
        let data = rows(0.0);
        let tests = Independence::new(&data, CorrelationTest::FisherZ).unwrap();
        for given in [vec![3], vec![0, 3], vec![0, 3, 4]] {
            let mut kept = vec![1, 2];
            kept.extend(&given);
            let inverse = tests.correlations(&kept).0.inverse().unwrap();
            let expected = -inverse[(0, 1)] / libm::sqrt(inverse[(0, 0)] * inverse[(1, 1)]);
            assert!((tests.test_pair(1, 2, &given).r - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn rows_are_those_that_show_every_variable_of_the_test() {
        let data = rows(0.3);
        let tests = Independence::new(&data, CorrelationTest::FisherZ).unwrap();
        let shown = |i: usize| [1, 2, 0].iter().all(|&k| data.row(i).weights[k] > 0.0);
        assert_eq!(
            tests.test_pair(1, 2, &[0]).rows,
            (0..3000).filter(|&i| shown(i)).count()
        );
    }

    #[test]
    fn conditions_that_leave_no_rows_are_left_out_and_copies_are_no_trouble() {
        let sparse = Independence::new(&rows(0.85), CorrelationTest::FisherZ).unwrap();
        let evidence = sparse.test_pair(0, 1, &[2, 3, 4]);
        assert!(
            evidence.rows >= FEWEST_ROWS && evidence.p.is_finite(),
            "{evidence:?}"
        );
        let mut copies = WeightedRows::empty(vec!["a".into(), "b".into(), "c".into()], 1);
        (0..100).for_each(|i| {
            copies.push(
                0,
                [
                    (f64::from(i), 1.0),
                    (f64::from(i), 1.0),
                    (f64::from(i), 1.0),
                ],
            )
        });
        let tests = Independence::new(&copies, CorrelationTest::StudentT).unwrap();
        assert!(
            tests.test_pair(0, 1, &[2]).p.is_finite()
                && tests.test_pair(0, 1, &[]).strength.is_finite()
        );
        assert!(
            Independence::new(&rows(0.95), CorrelationTest::FisherZ)
                .err()
                .unwrap()
                .why
                .contains("observed together")
        );
    }
}
