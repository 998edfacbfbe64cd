//! Sensors: how a hidden state shows itself, learnt from the memory of single variables.
//!
//! The signal is a state x with unit variance that remembers itself. What is seen is x with noise,
//! whose shape is a mixture of normals of seven fixed widths: heavy tails, rare outliers and plain
//! noise are all among them and none is built in. How much of each width there is may depend on how
//! far out the signal is, in four levels. Forward and backward over a grid, exact up to its spacing.

use std::sync::LazyLock;

use duress_stats::parallel::map_list;
use serde::{Deserialize, Serialize};

use crate::rc_gnn::series::RobustSeries;

/// Places of the grid, from −3.2 to 3.2.
pub(super) const POINTS: usize = 33;
pub(super) const SPACING: f64 = 0.2;

/// The widths noise is mixed from, in standard deviations of the signal.
pub(super) const WIDTHS: [f64; 7] = [0.12, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// Levels of how far out the signal is, by their upper ends.
const LEVELS: [f64; 4] = [0.5, 1.1, 1.9, f64::INFINITY];

/// Seen values are told apart to this, and those further out than the reach are taken as there.
const RESOLUTION: f64 = 0.05;
const READINGS: usize = 401;

/// Rounds of EM, and at how many readings of a variable they look: more change little.
const ROUNDS: usize = 3;
const ENOUGH_READINGS: usize = 3000;

/// How many readings the mean over all variables counts for in the noise of one, per level.
const BORROWED: f64 = 30.0;

pub(super) type Density = [f64; POINTS];

/// Where a place of the grid lies.
pub(super) fn place(g: usize) -> f64 {
    (g as f64 - (POINTS / 2) as f64) * SPACING
}

pub(super) fn level(x: f64) -> usize {
    LEVELS
        .iter()
        .position(|end| x.abs() <= *end)
        .unwrap_or(LEVELS.len() - 1)
}

type Shares = [[f64; WIDTHS.len()]; LEVELS.len()];

/// How one variable remembers itself and is seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Sensor {
    /// What is left of the signal after a step.
    pub(super) memory: f64,
    /// The standard deviation of the signal in units of what is seen.
    pub(super) loudness: f64,
    /// The share of each width at each level.
    pub(super) shares: Shares,
    /// How likely a value is hidden at each place of the grid.
    pub(super) gaps: Vec<f64>,
}

impl Sensor {
    /// Where EM starts: the memory and the loudness that correlations one and two steps apart show,
    /// which noise does not enter, and noise for the rest.
    fn guess(series: &RobustSeries, variable: usize) -> Sensor {
        let apart = |lag: usize| {
            let mut sum = 0.0;
            let mut count = 0.0;
            for (w, t) in
                (0..series.windows()).flat_map(|w| (lag..series.steps).map(move |t| (w, t)))
            {
                let before = series.get(w, t - lag, variable);
                if let (Some(a), Some(b)) = (before, series.get(w, t, variable)) {
                    sum += a.clamp(-3.0, 3.0) * b.clamp(-3.0, 3.0);
                    count += 1.0;
                }
            }
            if count > 0.0 { sum / count } else { 0.0 }
        };
        let one = apart(1);
        let two = apart(2);
        let memory = if one > 0.05 {
            (two / one).clamp(0.45, 0.92)
        } else {
            0.6
        };
        let square = (one / memory).clamp(0.15, 0.97);
        let noise = libm::sqrt((1.0 - square) / square);
        let near = |width: f64| {
            let steps = libm::log2(width / noise);
            libm::exp(-0.5 * steps * steps) + 0.01
        };
        let total: f64 = WIDTHS.iter().map(|&width| near(width)).sum();
        Sensor {
            memory,
            loudness: libm::sqrt(square),
            shares: [WIDTHS.map(|width| near(width) / total); LEVELS.len()],
            gaps: vec![0.5; POINTS],
        }
    }

    /// Which row of the table a seen value reads.
    pub(super) fn reading(&self, seen: f64) -> usize {
        let x = seen / self.loudness / RESOLUTION;
        let middle = (READINGS / 2) as f64;
        (x.round().clamp(-middle, middle) + middle) as usize
    }

    /// How likely each reading is at each place of the grid.
    pub(super) fn table(&self) -> Vec<Density> {
        let row = |reading: usize| {
            let seen = reading_value(reading);
            std::array::from_fn(|g| {
                let x = place(g);
                let shares = &self.shares[level(x)];
                (0..WIDTHS.len())
                    .map(|k| shares[k] * bell(seen - x, WIDTHS[k]))
                    .sum()
            })
        };
        (0..READINGS).map(row).collect()
    }
}

fn reading_value(reading: usize) -> f64 {
    (reading as f64 - (READINGS / 2) as f64) * RESOLUTION
}

/// How likely a reading is at a place of the grid under each width. Both lie on one lattice, so only
/// their distance counts.
fn bells(reading: usize, g: usize) -> &'static [f64; WIDTHS.len()] {
    const STEPS: usize = 4;
    static BELLS: LazyLock<Vec<[f64; WIDTHS.len()]>> = LazyLock::new(|| {
        let furthest = READINGS / 2 + STEPS * (POINTS / 2);
        let at = |steps: usize| WIDTHS.map(|width| bell(steps as f64 * RESOLUTION, width));
        (0..=furthest).map(at).collect()
    });
    let place = STEPS * g + READINGS / 2 - STEPS * (POINTS / 2);
    &BELLS[reading.abs_diff(place)]
}

/// The normal density.
fn bell(x: f64, width: f64) -> f64 {
    let z = x / width;
    0.398_942_280_401_432_7 / width * libm::exp(-0.5 * z * z)
}

/// What the noise may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoiseShape {
    /// Whether widths beyond the plain noise are learnt; else one width takes all.
    pub(super) mixed: bool,
    /// Whether shares depend on the signal.
    pub(super) by_level: bool,
}

/// The sensors of all variables.
pub(super) fn learn_sensors(series: &RobustSeries, shape: NoiseShape) -> Vec<Sensor> {
    let mut sensors: Vec<Sensor> = (0..series.width())
        .map(|v| Sensor::guess(series, v))
        .collect();
    for _ in 0..ROUNDS {
        let variables: Vec<usize> = (0..sensors.len()).collect();
        let sums = map_list(&variables, |&v| SensorSums::of(series, v, &sensors[v]));
        sensors
            .iter_mut()
            .zip(&sums)
            .for_each(|(sensor, sums)| sums.improve(sensor));
        let readings: Vec<ReadingSums> = sums.into_iter().map(|sums| sums.readings).collect();
        improve_sensors(&mut sensors, &readings, shape);
    }
    sensors
}

fn add_shares(to: &mut Shares, from: &Shares) {
    to.iter_mut()
        .flatten()
        .zip(from.iter().flatten())
        .for_each(|(to, from)| *to += from);
}

/// What readings say of the sensor they came through.
#[derive(Clone, Debug)]
struct ReadingSums {
    /// Seen value times state and state squared, each reading weighed by how little noise it has.
    heard: f64,
    known: f64,
    shares: Shares,
}

impl ReadingSums {
    fn zero() -> ReadingSums {
        ReadingSums {
            heard: 0.0,
            known: 0.0,
            shares: [[0.0; WIDTHS.len()]; LEVELS.len()],
        }
    }

    /// Adds a reading of a state that is `now`, the reading taken in; `row` is how likely the reading
    /// is at each place.
    fn add(&mut self, sensor: &Sensor, row: &Density, reading: usize, now: &Density) {
        let seen = reading_value(reading);
        for g in (0..POINTS).filter(|&g| now[g] > 1e-6) {
            let x = place(g);
            let at = level(x);
            let bells = bells(reading, g);
            let mut calm = 0.0;
            for (k, &width) in WIDTHS.iter().enumerate() {
                let part = now[g] * sensor.shares[at][k] * bells[k] / row[g];
                self.shares[at][k] += part;
                calm += part / (width * width);
            }
            self.heard += calm * seen * x;
            self.known += calm * x * x;
        }
    }

    fn improve(&self, sensor: &mut Sensor, pooled: &Shares, shape: NoiseShape) {
        if self.known > 0.0 {
            sensor.loudness *= (self.heard / self.known).clamp(0.7, 1.4);
            sensor.loudness = sensor.loudness.clamp(0.3, 1.1);
        }
        let mut own = self.shares;
        for (own, pooled) in own.iter_mut().zip(pooled) {
            let total: f64 = pooled.iter().sum();
            own.iter_mut()
                .zip(pooled)
                .for_each(|(own, p)| *own += BORROWED * p / total);
        }
        if !shape.by_level {
            let mut all = [0.0; WIDTHS.len()];
            own.iter()
                .for_each(|level| (0..all.len()).for_each(|k| all[k] += level[k]));
            own = [all; LEVELS.len()];
        }
        if !shape.mixed {
            own.iter_mut().for_each(one_width);
        }
        for (shares, own) in sensor.shares.iter_mut().zip(own) {
            let total: f64 = own.iter().sum();
            *shares = own.map(|share| share / total);
        }
    }
}

/// Sets loudness and noise of all sensors by what readings said, each borrowing from all.
fn improve_sensors(sensors: &mut [Sensor], sums: &[ReadingSums], shape: NoiseShape) {
    let mut pooled = [[1e-6; WIDTHS.len()]; LEVELS.len()];
    sums.iter()
        .for_each(|sums| add_shares(&mut pooled, &sums.shares));
    for (sensor, sums) in sensors.iter_mut().zip(sums) {
        sums.improve(sensor, &pooled, shape);
    }
}

/// What a round of EM over single variables sums up for one of them.
struct SensorSums {
    /// Expected products of neighbouring states, and squares of the earlier one.
    across: f64,
    square: f64,
    readings: ReadingSums,
    /// How often the state was at each place, hidden or not, and hidden.
    there: Density,
    hidden: Density,
}

impl SensorSums {
    fn of(series: &RobustSeries, variable: usize, sensor: &Sensor) -> SensorSums {
        let table = sensor.table();
        let moves = Transition::of(sensor.memory);
        let mut sums = SensorSums {
            across: 0.0,
            square: 0.0,
            readings: ReadingSums::zero(),
            there: [0.0; POINTS],
            hidden: [0.0; POINTS],
        };
        let every = (series.readings(variable) / ENOUGH_READINGS).max(1);
        for window in (0..series.windows()).step_by(every) {
            let seen: Vec<Option<usize>> = (0..series.steps)
                .map(|t| series.get(window, t, variable).map(|y| sensor.reading(y)))
                .collect();
            if seen.iter().flatten().count() > 1 {
                sums.add_window(sensor, &table, &moves, &seen);
            }
        }
        sums
    }

    fn add_window(
        &mut self,
        sensor: &Sensor,
        table: &[Density],
        moves: &Transition,
        seen: &[Option<usize>],
    ) {
        let forward = moves.forward(table, seen);
        // What later readings say of each place; and the same times where the state goes next.
        let mut later = [1.0; POINTS];
        for t in (0..seen.len()).rev() {
            let mut now: Density = std::array::from_fn(|g| forward[t][g] * later[g]);
            let total: f64 = now.iter().sum();
            now.iter_mut().for_each(|p| *p /= total);
            (0..POINTS).for_each(|g| self.there[g] += now[g]);
            match seen[t] {
                Some(reading) => self.readings.add(sensor, &table[reading], reading, &now),
                None => (0..POINTS).for_each(|g| self.hidden[g] += now[g]),
            }
            if t == 0 {
                break;
            }
            let weighed: Density = match seen[t] {
                Some(reading) => std::array::from_fn(|g| later[g] * table[reading][g]),
                None => later,
            };
            let (mut reached, next) = moves.backward(&weighed);
            let total: f64 = (0..POINTS).map(|g| forward[t - 1][g] * reached[g]).sum();
            for g in 0..POINTS {
                let x = place(g);
                self.across += forward[t - 1][g] * next[g] * x / total;
                self.square += forward[t - 1][g] * reached[g] * x * x / total;
            }
            reached.iter_mut().for_each(|p| *p /= total);
            later = reached;
        }
    }

    /// Sets memory and gaps.
    fn improve(&self, sensor: &mut Sensor) {
        // Places where the state hardly ever is borrow from all.
        let usual =
            (1.0 + self.hidden.iter().sum::<f64>()) / (2.0 + self.there.iter().sum::<f64>());
        sensor.gaps = (0..POINTS)
            .map(|g| (self.hidden[g] + BORROWED * usual) / (self.there[g] + BORROWED))
            .collect();
        if self.square > 0.0 {
            sensor.memory = (self.across / self.square).clamp(0.3, 0.95);
        }
    }
}

/// All of the shares to the width nearest to their root mean square without the widest two.
fn one_width(shares: &mut [f64; WIDTHS.len()]) {
    let plain = WIDTHS.len() - 2;
    let total: f64 = shares[..plain].iter().sum();
    let square: f64 = (0..plain)
        .map(|k| shares[k] * WIDTHS[k] * WIDTHS[k])
        .sum::<f64>()
        / total;
    let far = |k: usize| libm::log(WIDTHS[k] * WIDTHS[k] / square).abs();
    let near = (0..plain)
        .min_by(|&a, &b| far(a).total_cmp(&far(b)))
        .unwrap_or(0);
    *shares = std::array::from_fn(|k| f64::from(u8::from(k == near)));
}

/// Where a state goes in a step: N(memory · x, 1 − memory²), places too far to matter left out.
struct Transition {
    /// Per place the first one reached, and the probabilities from there on.
    reach: Vec<(usize, Vec<f64>)>,
    start: Density,
}

impl Transition {
    fn of(memory: f64) -> Transition {
        let spread = libm::sqrt(1.0 - memory * memory);
        let from = |g: usize| {
            let all: Density = std::array::from_fn(|h| bell(place(h) - memory * place(g), spread));
            let total: f64 = all.iter().sum();
            let kept: Vec<usize> = (0..POINTS).filter(|&h| all[h] > 1e-4 * total).collect();
            let first = kept[0];
            let last = kept[kept.len() - 1];
            let total: f64 = all[first..=last].iter().sum();
            (first, all[first..=last].iter().map(|p| p / total).collect())
        };
        let start: Density = std::array::from_fn(|g| bell(place(g), 1.0) * SPACING);
        Transition {
            reach: (0..POINTS).map(from).collect(),
            start,
        }
    }

    /// What each step is, given what is seen up to it.
    fn forward(&self, table: &[Density], seen: &[Option<usize>]) -> Vec<Density> {
        let mut course: Vec<Density> = Vec::with_capacity(seen.len());
        for reading in seen {
            let mut now = match course.last() {
                None => self.start,
                Some(before) => {
                    let mut now = [0.0; POINTS];
                    for (p, (first, row)) in before.iter().zip(&self.reach) {
                        let reached = now[*first..].iter_mut().zip(row);
                        reached.for_each(|(now, move_)| *now += p * move_);
                    }
                    now
                }
            };
            if let Some(reading) = reading {
                (0..POINTS).for_each(|g| now[g] *= table[*reading][g]);
            }
            let total: f64 = now.iter().sum();
            now.iter_mut().for_each(|p| *p /= total);
            course.push(now);
        }
        course
    }

    /// Per place, what is expected of a weight at the next step, and of the weight times the state.
    fn backward(&self, weighed: &Density) -> (Density, Density) {
        let mut reached = [0.0; POINTS];
        let mut times = [0.0; POINTS];
        let along: Density = std::array::from_fn(|h| weighed[h] * place(h));
        for (g, (first, row)) in self.reach.iter().enumerate() {
            for (h, move_) in row.iter().enumerate() {
                reached[g] += move_ * weighed[first + h];
                times[g] += move_ * along[first + h];
            }
        }
        (reached, times)
    }
}
