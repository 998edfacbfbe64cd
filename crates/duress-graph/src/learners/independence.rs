//! Tests of independence: partial correlation over the rows that show every variable of the test
//! (test-wise deletion).

use duress_core::subject::Failure;
use duress_stats::dist::{FisherF, Normal, StudentT};

use crate::learners::nonlinear_var::{BASIS, hermite_basis};
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
    /// Whether the first four Hermite polynomials of one variable say something of the other that
    /// those of the conditions do not: the F of a regression. A curve whose line is flat is seen.
    Curves,
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
    /// Column by column; of each variable as many, one after the other, as the test has functions.
    values: Vec<Vec<f64>>,
    /// Per variable, a bit per row that shows it.
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
        let functions = match test {
            CorrelationTest::Curves => hermite_basis(rows),
            CorrelationTest::FisherZ | CorrelationTest::StudentT => rows.clone(),
        };
        let column = |k: usize| {
            let cells = (0..n).map(|i| functions.row(i).values[k]);
            cells.collect::<Vec<f64>>()
        };
        let bits = |k: usize| {
            let mut bits = vec![0_u64; n.div_ceil(64)];
            (0..n)
                .filter(|&i| rows.row(i).weights[k] > 0.0)
                .for_each(|i| bits[i / 64] |= 1 << (i % 64));
            bits
        };
        let mut tests = Independence {
            test,
            values: (0..functions.width()).map(column).collect(),
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

    /// How many columns a variable has.
    fn functions(&self) -> usize {
        match self.test {
            CorrelationTest::Curves => BASIS,
            CorrelationTest::FisherZ | CorrelationTest::StudentT => 1,
        }
    }

    /// Whether `a` and `b` are independent given others; of curves, whether those of `a` say anything
    /// of `b`. Of the conditions the last are left out while too few rows show all.
    pub fn test_pair(&self, a: usize, b: usize, given: &[usize]) -> CorrelationResult {
        let per = self.functions();
        let mut variables = vec![a, b];
        variables.extend(given);
        let (correlations, rows) = match &self.correlation {
            Some(all) => {
                variables.truncate(2 + given.len().min((self.rows - FEWEST_ROWS) / per));
                (all.select(&self.columns(&variables)), self.rows)
            }
            None => {
                while variables.len() > 2
                    && self.count(&variables) < FEWEST_ROWS + per * (variables.len() - 2)
                {
                    variables.pop();
                }
                self.correlations(&variables)
            }
        };
        match self.test {
            CorrelationTest::Curves => curves_result(&correlations, rows),
            line => line.result(partial(&correlations), rows, variables.len() - 2),
        }
    }

    /// The columns of these variables.
    fn columns(&self, variables: &[usize]) -> Vec<usize> {
        let per = self.functions();
        variables
            .iter()
            .flat_map(|v| v * per..(v + 1) * per)
            .collect()
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

    /// A column in these rows, with mean 0 and length 1.
    fn standardised(&self, column: usize, rows: &[usize]) -> Vec<f64> {
        let mut values: Vec<f64> = rows.iter().map(|&i| self.values[column][i]).collect();
        let mean = values.iter().sum::<f64>() / rows.len() as f64;
        values.iter_mut().for_each(|x| *x -= mean);
        let length = libm::sqrt(crate::matrix::dot(&values, &values));
        // A column that is constant among these rows correlates with nothing.
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        values.iter_mut().for_each(|x| *x *= scale);
        values
    }

    /// The correlations of the columns of these over the rows that show all of them, and how many
    /// rows those are.
    fn correlations(&self, variables: &[usize]) -> (Square, usize) {
        let which = self.rows_shown(variables);
        let columns: Vec<Vec<f64>> = self
            .columns(variables)
            .into_iter()
            .map(|column| self.standardised(column, &which))
            .collect();
        let mut square = Square::identity(columns.len());
        for (i, k) in (0..columns.len()).flat_map(|i| (0..i).map(move |k| (i, k))) {
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
            CorrelationTest::Curves => unreachable!("curves have no single correlation"),
        };
        CorrelationResult {
            r,
            rows,
            p,
            strength,
        }
    }
}

/// What curves of the first variable add to the line of the second, given curves of the others.
fn curves_result(correlations: &Square, rows: usize) -> CorrelationResult {
    let mut left = correlations.clone();
    let conditions = eliminate(&mut left, 2 * BASIS);
    // The line of the second stays, its curves are no part of the question; then the first goes too.
    let line = BASIS;
    let before = left[(line, line)];
    let mut of_first: Vec<usize> = vec![line];
    of_first.extend(0..BASIS);
    let mut small = left.select(&of_first);
    let curves = eliminate(&mut small, 1);
    let after = small[(0, 0)].max(0.0);
    let gone = if before > 1e-10 {
        (1.0 - after / before).clamp(0.0, NEARLY_ONE)
    } else {
        0.0
    };
    let freedom = rows.saturating_sub(conditions + curves + 1).max(1) as f64;
    let f = gone / (1.0 - gone) * freedom / curves.max(1) as f64;
    let p = FisherF::new(curves.max(1) as f64, freedom).map_or(1.0, |fisher| fisher.sf(f));
    CorrelationResult {
        r: libm::sqrt(gone),
        rows,
        p,
        strength: as_normal(p, f * curves as f64),
    }
}

/// The |z| with this two-sided p; where p is too small for a number, by the size of χ².
fn as_normal(p: f64, chi_squared: f64) -> f64 {
    const SMALLEST: f64 = 1e-280;
    match p > SMALLEST {
        true => Normal.upper_quantile(p / 2.0).unwrap_or(0.0).max(0.0),
        false => libm::sqrt(chi_squared),
    }
}

/// Takes the columns from `first` on out of a matrix of correlations, what they explain with them;
/// how many there were to take. What is a copy of others leaves nothing and is passed over.
fn eliminate(left: &mut Square, first: usize) -> usize {
    let mut taken = 0;
    for pivot in (first..left.size()).rev() {
        let over = left[(pivot, pivot)];
        if over < 1e-10 {
            continue;
        }
        taken += 1;
        for i in 0..pivot {
            let factor = left[(i, pivot)] / over;
            for k in 0..=i {
                let by = factor * left[(pivot, k)];
                left[(i, k)] -= by;
                left[(k, i)] = left[(i, k)];
            }
        }
    }
    taken
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
        _ => {
            // Eliminating the others leaves the 2 × 2 that is wanted.
            let mut left = correlations.clone();
            eliminate(&mut left, 2);
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
    fn curves_see_what_no_line_does_and_no_more_often_than_they_say() {
        let mut draws = Seed::new(9).draws();
        let mut found = 0;
        for round in 0..200 {
            let mut rows = WeightedRows::empty(["a", "b", "c"].map(String::from).to_vec(), 1);
            for _ in 0..300 {
                let a = draws.normal();
                let c = a + draws.normal();
                let bend = if round == 0 {
                    0.5 * (a * a - 1.0)
                } else {
                    0.5 * c
                };
                rows.push(0, [a, bend + draws.normal(), c].map(|x| (x, 1.0)));
            }
            let tests = Independence::new(&rows, CorrelationTest::Curves).unwrap();
            let p = tests.test_pair(0, 1, &[2]).p;
            if round == 0 {
                let line = Independence::new(&rows, CorrelationTest::StudentT).unwrap();
                assert!(p < 1e-6 && line.test_pair(0, 1, &[2]).p > 1e-3);
            } else {
                found += usize::from(p < 0.05);
            }
        }
        assert!((2..=20).contains(&found), "{found} of 199 at 0.05");
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
