//! Rows in time, cut into windows and split by time so that no test window shares a step with a
//! fitted one.

use std::ops::Range;

use duress_core::data::{Dataset, Inputs, Items, REGIME, Split, Windows};
use duress_core::part::{Field, Params, Takes};
use duress_core::problem::Problem;
use duress_core::truth::Truth;
use duress_graph::spread::shift_and_scale;

use crate::causal::frame::window_summary;

/// Rows in the order of time: a value per variable where there is one, and a regime per row.
pub(crate) struct TimeSeries {
    pub(crate) variables: Vec<String>,
    /// Row by row, variable by variable.
    pub(crate) values: Vec<Option<f64>>,
    pub(crate) regimes: Vec<u32>,
    /// Rows before which more time has passed than between others, rising: no window crosses them.
    pub(crate) breaks: Vec<usize>,
}

/// How a series is cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowCut {
    /// Steps in a window.
    pub(crate) steps: usize,
    /// Steps from the beginning of a window to that of the next.
    pub(crate) stride: usize,
    /// The share of the windows of each stretch that is tested on: the last ones.
    pub(crate) test_share: f64,
    /// Whether each variable is given mean 0 and variance 1 over the windows fitted.
    pub(crate) standardise: bool,
}

/// The key that says how much is tested on.
pub(crate) const TEST_SHARE: Field = Field {
    name: "test-share",
    takes: Takes::Number(0.01, 0.9),
    doc: "the share of the windows that is tested on: the last ones; those that overlap what is fitted are dropped",
    default: Some("0.2"),
};

/// The key that says whether values are put on one scale.
pub(crate) const STANDARDISE: Field = Field {
    name: "standardise",
    takes: Takes::Flag,
    doc: "whether each variable is given mean 0 and variance 1 over the windows fitted, all regimes together",
    default: Some("true"),
};

impl WindowCut {
    /// The cut that the keys of a part say.
    pub(crate) fn from(params: &Params, steps: usize, stride: usize) -> WindowCut {
        WindowCut {
            steps,
            stride,
            test_share: params.number("test-share"),
            standardise: params.flag("standardise"),
        }
    }

    /// The windows of a series, fitted and tested; windows that share a step with both are dropped.
    pub(crate) fn dataset(&self, series: &TimeSeries, truth: Truth) -> Result<Dataset, Problem> {
        let (fit, test) = self.starts(series);
        let stretches = series.stretches();
        let all: usize = stretches
            .iter()
            .map(|stretch| self.within(stretch).len())
            .sum();
        let too_few = || {
            let rows = series.regimes.len();
            let steps = self.steps;
            let longest = stretches.iter().map(Range::len).max().unwrap_or(0);
            let within = match stretches.len() {
                0 | 1 => String::new(),
                n => {
                    let gaps = if series.breaks.is_empty() {
                        ""
                    } else {
                        " without a gap in time"
                    };
                    format!(
                        " within {n} stretches of one regime{gaps}, the longest of {longest} rows"
                    )
                }
            };
            let wrong = format!(
                "{rows} rows make {all} windows of {steps} steps{within}: too few to fit on some and test on others with a gap in between"
            );
            Problem::new(wrong).expected("more rows, fewer steps, or another `test-share`")
        };
        if fit.is_empty() || test.is_empty() {
            Err(too_few())
        } else {
            self.split(series, &fit, &test, all, truth)
        }
    }

    /// Windows that were cut elsewhere and stand one after the other, fitted and tested with `gap`
    /// windows dropped in between.
    pub(crate) fn ready_made(
        &self,
        series: &TimeSeries,
        gap: usize,
        truth: Truth,
    ) -> Result<Dataset, Problem> {
        let all: Vec<usize> = (0..series.regimes.len()).step_by(self.steps).collect();
        let tested = (self.test_share * all.len() as f64).round() as usize;
        let (fit, rest) = all.split_at(all.len() - tested);
        let test = rest.get(gap..).unwrap_or(&[]);
        if fit.is_empty() || test.is_empty() {
            let wrong = format!(
                "of {} windows the last {tested} are to be tested, and a gap of {gap} leaves {} of them",
                all.len(),
                test.len()
            );
            return Err(Problem::new(wrong).expected(
                "more windows, a larger `test-share`, or a smaller `gap`: 0 for windows that share no step",
            ));
        }
        self.split(series, fit, test, all.len(), truth)
    }

    fn split(
        &self,
        series: &TimeSeries,
        fit: &[usize],
        test: &[usize],
        all: usize,
        truth: Truth,
    ) -> Result<Dataset, Problem> {
        let steps = self.steps;
        let scales = self
            .standardise
            .then(|| series.scales(&covered(fit, steps)));
        let split =
            |starts: &[usize]| series.split(starts, steps, scales.as_deref(), truth.clone());
        let remark = format!(
            "{all} windows of {steps} steps: {} fitted, {} tested, {} in the gap between dropped",
            fit.len(),
            test.len(),
            all - fit.len() - test.len()
        );
        let dataset = Dataset::new(Some(split(fit)?), split(test)?)?.with_remark(remark);
        let dataset = if self.stride < steps {
            dataset.with_remark(self.overlap())
        } else {
            dataset
        };
        let dataset = series
            .dead(&covered(fit, steps))
            .into_iter()
            .fold(dataset, Dataset::with_remark);
        Ok(dataset.described_by(window_summary::windows))
    }

    /// What a reader should know of windows that share steps.
    fn overlap(&self) -> String {
        format!(
            "windows overlap: a step is in up to {} of them, learners take windows as independent and find edges that are not there, and what is \
             hidden in one window can be read in another; `stride = {}` gives windows that share nothing",
            self.steps.div_ceil(self.stride),
            self.steps
        )
    }

    /// Where windows begin that are fitted, and that are tested; windows stay within a stretch of
    /// one regime.
    fn starts(&self, series: &TimeSeries) -> (Vec<usize>, Vec<usize>) {
        let mut fit = Vec::new();
        let mut test = Vec::new();
        for stretch in series.stretches() {
            let all = self.within(&stretch);
            let tested = (self.test_share * all.len() as f64).round() as usize;
            let (early, late) = all.split_at(all.len() - tested);
            let end = early.last().map_or(stretch.start, |last| last + self.steps);
            fit.extend(early);
            test.extend(late.iter().filter(|&&start| start >= end));
        }
        (fit, test)
    }

    fn within(&self, stretch: &Range<usize>) -> Vec<usize> {
        stretch
            .clone()
            .step_by(self.stride)
            .take_while(|start| start + self.steps <= stretch.end)
            .collect()
    }
}

/// The rows that windows beginning there cover.
fn covered(starts: &[usize], steps: usize) -> Vec<usize> {
    let mut rows: Vec<usize> = starts
        .iter()
        .flat_map(|&start| start..start + steps)
        .collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

impl TimeSeries {
    /// Rows that follow each other in one regime, without a gap in time.
    fn stretches(&self) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for (row, regime) in self.regimes.iter().enumerate() {
            let goes_on = |last: &Range<usize>| {
                self.regimes[last.start] == *regime && self.breaks.binary_search(&row).is_err()
            };
            match found.last_mut() {
                Some(last) if goes_on(last) => last.end = row + 1,
                _ => found.push(row..row + 1),
            }
        }
        found
    }

    /// Which variables nothing can be learnt about from some rows: never seen, or always the same.
    fn dead(&self, rows: &[usize]) -> Vec<String> {
        let mut unseen = Vec::new();
        let mut constant = Vec::new();
        for (v, name) in self.variables.iter().enumerate() {
            let mut seen = rows.iter().filter_map(|&row| self.get(row, v));
            match seen.next() {
                None => unseen.push(name.as_str()),
                Some(first) if seen.all(|x| x == first) => constant.push(name.as_str()),
                Some(_) => {}
            }
        }
        let said = |names: &[&str], what: &str| {
            let verb = if names.len() == 1 { "is" } else { "are" };
            (!names.is_empty()).then(|| {
                format!(
                    "`{}` {verb} {what} in the windows fitted: learners that scale or invert will fail; leave it out of `variables`",
                    names.join("`, `")
                )
            })
        };
        let unseen = said(&unseen, "never seen");
        unseen
            .into_iter()
            .chain(said(&constant, "constant"))
            .collect()
    }

    fn get(&self, row: usize, variable: usize) -> Option<f64> {
        self.values[row * self.variables.len() + variable]
    }

    /// Mean and standard deviation of each variable over some rows; one that does not vary keeps
    /// its scale.
    fn scales(&self, rows: &[usize]) -> Vec<(f64, f64)> {
        let of = |variable: usize| {
            let seen: Vec<f64> = rows
                .iter()
                .filter_map(|&row| self.get(row, variable))
                .collect();
            shift_and_scale(&seen)
        };
        (0..self.variables.len()).map(of).collect()
    }

    fn split(
        &self,
        starts: &[usize],
        steps: usize,
        scales: Option<&[(f64, f64)]>,
        truth: Truth,
    ) -> Result<Split, Problem> {
        let d = self.variables.len();
        let scaled = |row: usize, v: usize| {
            let (mean, deviation) = scales.map_or((0.0, 1.0), |scales| scales[v]);
            self.get(row, v).map(|x| (x - mean) / deviation)
        };
        let rows = || starts.iter().flat_map(|&start| start..start + steps);
        let values = rows()
            .flat_map(|row| (0..d).map(move |v| scaled(row, v).unwrap_or(0.0)))
            .collect();
        let regimes: Vec<u32> = starts.iter().map(|&start| self.regimes[start]).collect();
        let mut windows = Windows::new(self.variables.clone(), steps, regimes.clone(), values)?;
        for (window, &start) in starts.iter().enumerate() {
            let gaps = (0..steps).flat_map(|t| (0..d).map(move |v| (t, v)));
            gaps.filter(|&(t, v)| self.get(start + t, v).is_none())
                .for_each(|(t, v)| windows.hide(window, t, v));
        }
        let ids = starts.iter().map(|start| format!("row-{start}")).collect();
        let column = regimes.iter().map(u32::to_string).collect();
        Ok(
            Split::new(Items::new(ids, Inputs::Windows(windows))?, truth)?
                .with_column(REGIME, column),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(rows: usize, regimes: &[u32]) -> TimeSeries {
        let values = (0..rows * 2)
            .map(|at| (at % 7 != 3).then_some(at as f64))
            .collect();
        let regimes = (0..rows)
            .map(|row| regimes[row * regimes.len() / rows])
            .collect();
        TimeSeries {
            variables: vec!["a".into(), "b".into()],
            values,
            regimes,
            breaks: Vec::new(),
        }
    }

    fn rows(split: &Split, steps: usize) -> Vec<usize> {
        let starts = split
            .items()
            .ids()
            .iter()
            .map(|id| id.trim_start_matches("row-").parse::<usize>().unwrap());
        covered(&starts.collect::<Vec<_>>(), steps)
    }

    #[test]
    fn no_test_window_shares_a_step_with_a_fitted_one_and_none_crosses_regimes() {
        for (stride, regimes) in [(1, &[0][..]), (3, &[0, 1]), (5, &[0, 1, 0])] {
            let cut = WindowCut {
                steps: 5,
                stride,
                test_share: 0.3,
                standardise: true,
            };
            let data = cut.dataset(&series(120, regimes), Truth::Nothing).unwrap();
            let fit = rows(data.fit().unwrap(), 5);
            let test = rows(data.test(), 5);
            assert!(fit.iter().all(|row| !test.contains(row)), "stride {stride}");
            let part = 120 / regimes.len();
            let inside = |id: &str| {
                let start: usize = id.trim_start_matches("row-").parse().unwrap();
                start / part == (start + 4) / part
            };
            assert!(
                data.fit()
                    .unwrap()
                    .items()
                    .ids()
                    .iter()
                    .chain(data.test().items().ids().iter())
                    .all(inside)
            );
        }
    }

    #[test]
    fn gaps_stay_gaps_and_the_scale_is_that_of_what_is_fitted() {
        let cut = WindowCut {
            steps: 4,
            stride: 4,
            test_share: 0.25,
            standardise: true,
        };
        let data = cut.dataset(&series(80, &[0]), Truth::Nothing).unwrap();
        let windows = data.fit().unwrap().items().windows().unwrap();
        assert!((windows.hidden_share() - 1.0 / 7.0).abs() < 0.02);
        let seen: Vec<f64> = (0..windows.len())
            .flat_map(|w| (0..4).filter_map(move |t| windows.get(w, t, 0)))
            .collect();
        let mean = seen.iter().sum::<f64>() / seen.len() as f64;
        assert!(mean.abs() < 1e-12);
    }

    #[test]
    fn too_few_rows_are_named() {
        let cut = WindowCut {
            steps: 24,
            stride: 1,
            test_share: 0.2,
            standardise: true,
        };
        let problem = cut.dataset(&series(30, &[0]), Truth::Nothing).unwrap_err();
        assert!(
            problem
                .to_string()
                .contains("30 rows make 7 windows of 24 steps"),
            "{problem}"
        );
    }
}
