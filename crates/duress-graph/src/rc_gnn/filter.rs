//! The filter: what is known of all states at a step from what was seen up to it.
//!
//! States are taken as jointly normal, with their covariances: what is seen of one says something of
//! those that hear it or that it hears. A reading is taken in exactly on the grid of its own variable
//! and then told to the others along the covariance (assumed density filtering), so noise of any shape
//! will do, and a hidden value is simply not taken in. Features are what is known *before* a step is
//! looked at: who has seen the effect would pass for its cause.

use std::ops::Range;

use duress_stats::parallel::map_list;

use crate::matrix::{Square, add_times};
use crate::rc_gnn::messages::{BASIS, MessageGraph, expected_basis};
use crate::rc_gnn::sensor::{Density, POINTS, SPACING, Sensor, place};
use crate::rc_gnn::series::RobustSeries;

/// Covariances smaller than this, of variables with variance near 1, are nothing.
const NEGLIGIBLE: f64 = 1e-4;

/// Windows are filtered in so many stretches, each on a thread of its own where there is one. The number
/// decides in which order sums are taken, so it does not depend on the machine.
const STRETCHES: usize = 8;

/// What the filter knows along all windows: a row for each step but a window's first.
pub(super) struct FilterPass {
    pub(super) width: usize,
    /// The window of each row.
    pub(super) window: Vec<usize>,
    /// Per row and variable, the expected functions of its state one step before.
    pub(super) features: Vec<f64>,
    /// Per row and variable, what was expected of it.
    pub(super) drive: Vec<f64>,
    /// Per row and variable, how the log-likelihood of its reading moves with the drive, and how
    /// sharply; both 0 where hidden.
    pub(super) slope: Vec<f64>,
    pub(super) weight: Vec<f64>,
    /// Per row and variable, whether there was a reading.
    pub(super) seen: Vec<bool>,
    /// Per variable, how much the innovation variance should be, by one step of EM.
    pub(super) innovation: Vec<f64>,
    /// The log-likelihood of all readings given what was seen before them. The messages were learnt
    /// without these windows, so it is held out.
    evidence: f64,
    /// Per variable, how many readings that are.
    readings: Vec<f64>,
}

/// What a reading makes of a normal.
#[derive(Clone, Copy)]
struct TakenIn {
    prior_mean: f64,
    prior_variance: f64,
    mean: f64,
    variance: f64,
    likelihood: f64,
}

/// The sensors, ready to be read.
pub(super) struct Readout<'a> {
    pub(super) series: &'a RobustSeries,
    pub(super) sensors: &'a [Sensor],
    pub(super) tables: Vec<Vec<Density>>,
    /// How likely a hidden value is at each place, where masks may be evidence.
    pub(super) hidden: Option<Vec<Density>>,
}

impl<'a> Readout<'a> {
    pub(super) fn new(
        series: &'a RobustSeries,
        sensors: &'a [Sensor],
        gaps_speak: bool,
    ) -> Readout<'a> {
        Readout {
            series,
            sensors,
            tables: sensors.iter().map(Sensor::table).collect(),
            hidden: gaps_speak.then(|| sensors.iter().map(hidden_row).collect()),
        }
    }

    /// Which reading a seen value is.
    fn reading(&self, window: usize, step: usize, variable: usize) -> Option<usize> {
        let seen = self.series.get(window, step, variable)?;
        Some(self.sensors[variable].reading(seen))
    }

    fn row(&self, window: usize, step: usize, variable: usize) -> Option<&Density> {
        match self.reading(window, step, variable) {
            Some(reading) => Some(&self.tables[variable][reading]),
            None => self.hidden.as_ref().map(|hidden| &hidden[variable]),
        }
    }
}

fn hidden_row(sensor: &Sensor) -> Density {
    std::array::from_fn(|g| sensor.gaps[g])
}

/// Takes a reading into a normal, on the grid.
fn take_in(mean: f64, variance: f64, row: &Density) -> TakenIn {
    let prior = bell_on_grid(mean, variance);
    let mut p0 = 0.0;
    let mut p1 = 0.0;
    let mut p2 = 0.0;
    let mut q0 = 0.0;
    let mut q1 = 0.0;
    let mut q2 = 0.0;
    for g in 0..POINTS {
        let x = place(g);
        let before = prior[g];
        let after = before * row[g];
        p0 += before;
        p1 += before * x;
        p2 += before * x * x;
        q0 += after;
        q1 += after * x;
        q2 += after * x * x;
    }
    let prior_mean = p1 / p0;
    let after_mean = q1 / q0;
    TakenIn {
        prior_mean,
        prior_variance: (p2 / p0 - prior_mean * prior_mean).max(1e-6),
        mean: after_mean,
        variance: (q2 / q0 - after_mean * after_mean).max(1e-6),
        likelihood: q0 / p0,
    }
}

/// A normal's shape on the grid, from its middle outwards: each place follows from its neighbour by
/// two products, which is much quicker than as many exponentials.
fn bell_on_grid(mean: f64, variance: f64) -> Density {
    let mean = mean.clamp(place(0), place(POINTS - 1));
    let middle = ((mean - place(0)) / SPACING).round() as usize;
    let off = place(middle) - mean;
    let mut bell = [0.0; POINTS];
    bell[middle] = 1.0;
    let fall = libm::exp(-SPACING * SPACING / variance);
    let half = libm::exp(-0.5 * SPACING * SPACING / variance);
    let lean = libm::exp(-off * SPACING / variance);
    let mut value = 1.0;
    let mut ratio = half * lean;
    for cell in &mut bell[middle + 1..] {
        value *= ratio;
        ratio *= fall;
        *cell = value;
    }
    let mut value = 1.0;
    let mut ratio = half / lean;
    for cell in bell[..middle].iter_mut().rev() {
        value *= ratio;
        ratio *= fall;
        *cell = value;
    }
    bell
}

/// Runs the filter over all windows; `graph_of` gives the messages that hold in a window.
pub(super) fn filter_windows<'g>(
    readout: &Readout<'_>,
    covariance: bool,
    graph_of: impl Fn(usize) -> &'g MessageGraph + Sync,
) -> FilterPass {
    let windows = readout.series.windows();
    let stretch = |k: usize| k * windows / STRETCHES..(k + 1) * windows / STRETCHES;
    let stretches: Vec<Range<usize>> = (0..STRETCHES).map(stretch).collect();
    let parts = map_list(&stretches, |stretch| {
        filter_stretch(readout, covariance, stretch.clone(), &graph_of)
    });
    let mut pass = FilterPass::nothing(readout.series, windows);
    parts.iter().for_each(|part| pass.append(part));
    for v in 0..pass.width {
        pass.innovation[v] /= pass.readings[v].max(1.0);
    }
    pass
}

fn filter_stretch<'g>(
    readout: &Readout<'_>,
    covariance: bool,
    windows: Range<usize>,
    graph_of: &impl Fn(usize) -> &'g MessageGraph,
) -> FilterPass {
    let series = readout.series;
    let d = series.width();
    let mut pass = FilterPass::nothing(series, windows.len());
    for window in windows {
        let graph = graph_of(window);
        let mut state = JointState::start(d, covariance);
        state.take_in_step(readout, window, 0, None);
        for step in 1..series.steps {
            pass.window.push(window);
            for i in 0..d {
                pass.features
                    .extend(expected_basis(state.mean[i], state.spread[(i, i)]));
            }
            state.predict(graph);
            let told = pass.compare(readout, window, step, &state, graph);
            state.take_in_step(readout, window, step, Some(&told));
        }
    }
    pass
}

impl FilterPass {
    /// Before any of so many windows is looked at.
    fn nothing(series: &RobustSeries, windows: usize) -> FilterPass {
        let d = series.width();
        let rows = windows * (series.steps - 1);
        FilterPass {
            width: d,
            window: Vec::with_capacity(rows),
            features: Vec::with_capacity(rows * d * BASIS),
            drive: Vec::with_capacity(rows * d),
            slope: Vec::with_capacity(rows * d),
            weight: Vec::with_capacity(rows * d),
            seen: Vec::with_capacity(rows * d),
            innovation: vec![0.0; d],
            evidence: 0.0,
            readings: vec![0.0; d],
        }
    }

    /// Adds what the windows after these came to.
    fn append(&mut self, later: &FilterPass) {
        self.window.extend(&later.window);
        self.features.extend(&later.features);
        self.drive.extend(&later.drive);
        self.slope.extend(&later.slope);
        self.weight.extend(&later.weight);
        self.seen.extend(&later.seen);
        add_times(&mut self.innovation, 1.0, &later.innovation);
        self.evidence += later.evidence;
        add_times(&mut self.readings, 1.0, &later.readings);
    }

    /// The mean negative log-likelihood of a reading.
    pub(super) fn loss(&self) -> f64 {
        let readings: f64 = self.readings.iter().sum();
        -self.evidence / readings.max(1.0)
    }

    /// The rows in which a variable was seen.
    pub(super) fn seen_rows(&self, variable: usize) -> Vec<usize> {
        let seen = |at: &usize| self.weight[at * self.width + variable] > 0.0;
        (0..self.window.len()).filter(seen).collect()
    }

    /// Holds what was expected of a step against its readings.
    fn compare(
        &mut self,
        readout: &Readout<'_>,
        window: usize,
        step: usize,
        state: &JointState,
        graph: &MessageGraph,
    ) -> Vec<Option<TakenIn>> {
        let mut told = Vec::with_capacity(self.width);
        for v in 0..self.width {
            let expected = state.mean[v];
            let spread = state.spread[(v, v)];
            let taken = readout
                .row(window, step, v)
                .map(|row| take_in(expected, spread, row));
            self.drive.push(expected);
            self.seen
                .push(readout.series.get(window, step, v).is_some());
            let (slope, weight) = taken.as_ref().map_or((0.0, 0.0), |taken| {
                let off = taken.mean - taken.prior_mean;
                let wide = taken.prior_variance;
                let known = (wide - taken.variance).max(0.0) / (wide * wide);
                let own = graph.innovation[v];
                // Per unit of what is seen, so that rounds with other sensors can be compared.
                let unit = libm::log(readout.sensors[v].loudness);
                self.evidence += libm::log(taken.likelihood.max(1e-300)) - unit;
                let share = own / wide;
                let change = share * share * (off * off + taken.variance - wide);
                self.innovation[v] += own + change;
                self.readings[v] += 1.0;
                (off / wide, known)
            });
            self.slope.push(slope);
            self.weight.push(weight);
            told.push(taken);
        }
        told
    }
}

/// Means and covariances of all states.
struct JointState {
    mean: Vec<f64>,
    spread: Square,
    covariance: bool,
    scratch: Square,
}

impl JointState {
    fn start(d: usize, covariance: bool) -> JointState {
        JointState {
            mean: vec![0.0; d],
            spread: Square::identity(d),
            covariance,
            scratch: Square::zeros(d),
        }
    }

    /// The next step as the messages have it.
    fn predict(&mut self, graph: &MessageGraph) {
        let d = self.mean.len();
        let mut mean = graph.base.clone();
        let mut slopes: Vec<Vec<(usize, f64)>> = Vec::with_capacity(d);
        let mut bends = graph.innovation.clone();
        for (to, messages) in graph.into.iter().enumerate() {
            let mut into = Vec::with_capacity(messages.len());
            for message in messages {
                let from = message.from;
                let heard = message.heard(self.mean[from], self.spread[(from, from)]);
                mean[to] += heard.mean;
                bends[to] += heard.bend;
                into.push((from, heard.slope));
            }
            slopes.push(into);
        }
        self.mean = mean;
        self.predict_spread(&slopes, &bends);
    }

    fn predict_spread(&mut self, slopes: &[Vec<(usize, f64)>], bends: &[f64]) {
        let d = self.mean.len();
        if !self.covariance {
            let alone = |to: usize| {
                let heard = slopes[to].iter().map(|&(i, j)| j * j * self.spread[(i, i)]);
                bends[to] + heard.sum::<f64>()
            };
            let variances: Vec<f64> = (0..d).map(alone).collect();
            (0..d).for_each(|i| self.spread[(i, i)] = variances[i]);
            return;
        }
        for (to, into) in slopes.iter().enumerate() {
            let row = self.scratch.row_mut(to);
            row.fill(0.0);
            for &(from, slope) in into {
                add_times(row, slope, self.spread.row(from));
            }
        }
        for (to, bend) in bends.iter().enumerate() {
            for (other, into) in slopes[..=to].iter().enumerate() {
                let along = into
                    .iter()
                    .map(|&(from, slope)| slope * self.scratch[(to, from)]);
                let across: f64 = along.sum();
                self.spread[(to, other)] = across;
                self.spread[(other, to)] = across;
            }
            self.spread[(to, to)] += bend;
        }
    }

    /// Takes in all readings of a step, one after the other. What was worked out before is used
    /// where no other reading has changed the variable since.
    fn take_in_step(
        &mut self,
        readout: &Readout<'_>,
        window: usize,
        step: usize,
        told: Option<&[Option<TakenIn>]>,
    ) {
        let d = self.mean.len();
        let mut touched = vec![false; d];
        for v in 0..d {
            let Some(row) = readout.row(window, step, v) else {
                continue;
            };
            let known = told.and_then(|told| told[v]).filter(|_| !touched[v]);
            let taken = known.unwrap_or_else(|| take_in(self.mean[v], self.spread[(v, v)], row));
            self.tell_others(v, taken, &mut touched);
        }
    }

    /// Moves a variable to where its reading says, and the others along the covariance.
    fn tell_others(&mut self, v: usize, taken: TakenIn, touched: &mut [bool]) {
        let before = self.spread[(v, v)];
        let shift = (taken.mean - taken.prior_mean) / before;
        // Relative to the prior on the grid, which has no tails.
        let shrink = (taken.prior_variance - taken.variance).min(0.99 * before) / (before * before);
        if !self.covariance {
            self.mean[v] += shift * before;
            self.spread[(v, v)] -= shrink * before * before;
            return;
        }
        let column: Vec<(usize, f64)> = self
            .spread
            .row(v)
            .iter()
            .enumerate()
            .filter(|(_, c)| c.abs() > NEGLIGIBLE)
            .map(|(k, c)| (k, *c))
            .collect();
        for &(k, c) in &column {
            touched[k] = true;
            self.mean[k] += shift * c;
            let row = self.spread.row_mut(k);
            for &(other, across) in &column {
                row[other] -= shrink * c * across;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_and_weight_are_the_derivatives_of_the_log_likelihood() {
        // Noise of two widths, a reading at 1.4.
        let row: Density = std::array::from_fn(|g| {
            let off = 1.4 - place(g);
            libm::exp(-off * off / 0.5) + 0.02
        });
        for (mean, variance) in [(0.3, 0.5), (-0.8, 0.3), (1.2, 0.7)] {
            let log = |mean: f64| libm::log(take_in(mean, variance, &row).likelihood);
            let taken = take_in(mean, variance, &row);
            let slope = (taken.mean - taken.prior_mean) / taken.prior_variance;
            let weight = (taken.prior_variance - taken.variance) / taken.prior_variance.powi(2);
            let step = 1e-3;
            let first = (log(mean + step) - log(mean - step)) / (2.0 * step);
            let second = (log(mean + step) - 2.0 * log(mean) + log(mean - step)) / (step * step);
            assert!((slope - first).abs() < 0.02, "{slope} {first}");
            assert!((weight + second).abs() < 0.1, "{weight} {second}");
        }
    }

    #[test]
    fn a_bell_by_recurrence_is_a_bell() {
        let bell = bell_on_grid(0.37, 0.21);
        let at = |g: usize| libm::exp(-(place(g) - 0.37).powi(2) / 0.42);
        for g in 0..POINTS - 1 {
            assert!((bell[g] * at(18) - bell[18] * at(g)).abs() < 1e-12);
        }
    }
}
