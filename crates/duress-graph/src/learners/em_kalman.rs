//! A linear model of hidden states by EM: each variable follows the step before, is seen through
//! noise, or is not seen at all (Shumway and Stoffer, *Journal of Time Series Analysis* 3 (1982)
//! 253–264).
//!
//! x(t) = A x(t−1) + w and y = x + v, with noises that are independent between variables. A Kalman
//! filter takes in the observed values one at a time, so a hidden one is simply skipped, and a
//! smoother looks back from the end of each window; EM then sets A and the two noises. A
//! coefficient's standard error comes from how far single windows pull it (the outer product of
//! their scores), so what hidden values and measurement noise cost is counted.

use duress_core::subject::Failure;

use crate::matrix::{Square, add_times, dot, row_by_row};
use crate::panel::StandardisedPanel;
use crate::select::EdgeScores;

/// Rounds of EM at most, and the change of a coefficient at which it stops.
const ROUNDS: usize = 20;
const SETTLED: f64 = 5e-4;

/// The least variance of either noise, for variables of variance 1: below it the filter divides by
/// nothing.
const LEAST_NOISE: f64 = 1e-3;

/// Below this many windows per variable single transitions are squared instead of sums by window.
const WINDOWS_PER_VARIABLE: usize = 4;

/// Where EM starts states may not grow faster than this. A guess from moments that are each of
/// other pairs can: the covariances of the filter would grow with the states until nothing has an
/// inverse.
const MOST_GROWTH: f64 = 0.98;

/// Fewer transitions per variable than this fit anything.
const TRANSITIONS_PER_VARIABLE: usize = 2;

/// The coefficient of each variable one step ago (row) in each variable now (column), in standard
/// errors.
pub fn score(panel: &StandardisedPanel) -> Result<EdgeScores, Failure> {
    let model = StateSpaceModel::fit(panel)?;
    let d = panel.variables().len();
    let pulls = model.pulls(panel)?;
    let mut z = Square::zeros(d);
    for to in 0..d {
        let mut information = Square::zeros(d);
        for pull in &pulls {
            let row: Vec<f64> = pull.row(to).iter().map(|x| x / model.drift[to]).collect();
            (0..d).for_each(|i| add_times(information.row_mut(i), row[i], &row));
        }
        let size = (0..d)
            .map(|i| information[(i, i)])
            .fold(f64::MIN_POSITIVE, f64::max);
        (0..d).for_each(|i| {
            information
                .row_mut(i)
                .iter_mut()
                .for_each(|cell| *cell /= size)
        });
        let inverse = information
            .plus_diagonal(1e-9)
            .inverse()
            .ok_or_else(unlearnable)?;
        for from in 0..d {
            z[(from, to)] = model.follow[(to, from)] / libm::sqrt(inverse[(from, from)] / size);
        }
    }
    EdgeScores::new(panel.variables().to_vec(), z)
}

fn unlearnable() -> Failure {
    Failure::unable("the variables cannot be told apart: their moments have no inverse")
}

#[derive(Clone, Debug, PartialEq)]
pub struct StateSpaceModel {
    /// A, target × source.
    pub follow: Square,
    pub drift: Vec<f64>,
    /// The variances of v.
    pub noise: Vec<f64>,
    /// The covariance of a window's first state.
    pub start: Square,
}

impl StateSpaceModel {
    /// The parameters after every round of EM, the guess it starts from first.
    pub fn rounds(panel: &StandardisedPanel) -> Result<Vec<StateSpaceModel>, Failure> {
        StateSpaceModel::first_rounds(panel, ROUNDS)
    }

    /// The same, of so many rounds at most.
    pub(crate) fn first_rounds(
        panel: &StandardisedPanel,
        most: usize,
    ) -> Result<Vec<StateSpaceModel>, Failure> {
        let mut models = vec![StateSpaceModel::guess(panel)?];
        for round in 0..most {
            let model = &models[round];
            let next = models[round].improve(panel)?;
            let change = next
                .follow
                .cells()
                .iter()
                .zip(model.follow.cells())
                .map(|(a, b)| (a - b).abs());
            let settled = change.fold(0.0, f64::max) < SETTLED;
            models.push(next);
            if settled {
                break;
            }
        }
        Ok(models)
    }

    fn fit(panel: &StandardisedPanel) -> Result<StateSpaceModel, Failure> {
        let last = StateSpaceModel::rounds(panel)?.pop();
        Ok(last.unwrap_or_else(|| unreachable!("there is the guess at least")))
    }

    /// Where EM starts, which is slow from afar: the regression of what is seen, corrected for the
    /// noise that each variable's own memory shows.
    fn guess(panel: &StandardisedPanel) -> Result<StateSpaceModel, Failure> {
        let d = panel.variables().len();
        let (before, now) = panel.before_and_now()?;
        if before.len() < TRANSITIONS_PER_VARIABLE * d {
            return Err(Failure::unable(format!(
                "{} steps are too few to tell {d} variables apart",
                before.len()
            )));
        }
        let mut same = before.moments(&before)?.mean.into_square();
        let heard = before.moments(&now)?.mean.into_square();
        let noise = StateSpaceModel::guess_noise(panel, &heard);
        noise
            .iter()
            .enumerate()
            .for_each(|(i, noise)| same[(i, i)] -= noise);
        let same = same.steady().ok_or_else(unlearnable)?;
        let follow = heard
            .transposed()
            .product(&same.inverse().ok_or_else(unlearnable)?);
        let growth = growth(&follow);
        let follow = if growth > MOST_GROWTH {
            follow.scaled(MOST_GROWTH / growth)
        } else {
            follow
        };
        let left = |j: usize| same[(j, j)] - dot(follow.row(j), heard.transposed().row(j));
        Ok(StateSpaceModel {
            drift: (0..d).map(|j| left(j).max(0.1)).collect(),
            noise,
            start: same,
            follow,
        })
    }

    /// What is left of each variable's variance once its memory is taken back to lag 0: noise is in
    /// that and in no later lag.
    fn guess_noise(panel: &StandardisedPanel, heard: &Square) -> Vec<f64> {
        let farther = (panel.steps() > 2)
            .then(|| panel.rows(&[2], 2).moments(&panel.rows(&[0], 2)).ok())
            .flatten();
        let of = |i: usize| {
            let one = heard[(i, i)];
            let two = farther.as_ref().map_or(0.0, |pairs| pairs.mean[(i, i)]);
            if one > 0.1 && two > 0.1 * one {
                1.0 - one * one / two
            } else {
                0.2
            }
        };
        (0..heard.size()).map(|i| of(i).clamp(0.02, 0.7)).collect()
    }

    /// One round of EM.
    pub fn improve(&self, panel: &StandardisedPanel) -> Result<StateSpaceModel, Failure> {
        let d = self.drift.len();
        let mut sums = MomentSums::zero(d);
        let mut errors = vec![0.0; d];
        let mut seen = vec![0.0; d];
        let mut start = Square::zeros(d);
        self.each_window(panel, |window, states| {
            (0..panel.steps() - 1).for_each(|t| sums.add(states, t));
            for (t, i) in row_by_row(panel.steps(), d) {
                if let Some(y) = panel.get(window, t, i) {
                    let off = y - states.means[t][i];
                    errors[i] += off * off + states.course.spread[t][(i, i)];
                    seen[i] += 1.0;
                }
            }
            add_square(&mut start, &states.moment(0), 1.0 / panel.windows() as f64);
        })?;
        let inverse = sums
            .before
            .scaled(1.0 / sums.count)
            .inverse()
            .ok_or_else(unlearnable)?;
        let follow = sums.across.scaled(1.0 / sums.count).product(&inverse);
        let left = |j: usize| (sums.now[j] - dot(follow.row(j), sums.across.row(j))) / sums.count;
        Ok(StateSpaceModel {
            drift: (0..d).map(|j| left(j).max(LEAST_NOISE)).collect(),
            noise: (0..d)
                .map(|i| (errors[i] / seen[i]).max(LEAST_NOISE))
                .collect(),
            start: start.plus_diagonal(LEAST_NOISE),
            follow,
        })
    }

    /// How far each window pulls each coefficient from where it is; single transitions where
    /// windows are few.
    fn pulls(&self, panel: &StandardisedPanel) -> Result<Vec<Square>, Failure> {
        let d = self.drift.len();
        let by_window = panel.windows() >= WINDOWS_PER_VARIABLE * d;
        let mut pulls = Vec::new();
        let pull = |sums: &MomentSums| {
            let mut pull = sums.across.clone();
            add_square(&mut pull, &self.follow.product(&sums.before), -1.0);
            pull
        };
        self.each_window(panel, |_, states| {
            let mut sums = MomentSums::zero(d);
            for t in 0..panel.steps() - 1 {
                sums.add(states, t);
                if !by_window {
                    pulls.push(pull(&std::mem::replace(&mut sums, MomentSums::zero(d))));
                }
            }
            if by_window {
                pulls.push(pull(&sums));
            }
        })?;
        Ok(pulls)
    }

    /// Visits every window with its states given all that is seen in it. Windows in which
    /// everything is seen share their covariances, which do not depend on the values.
    fn each_window(
        &self,
        panel: &StandardisedPanel,
        mut visit: impl FnMut(usize, &States<'_>),
    ) -> Result<(), Failure> {
        let d = self.drift.len();
        let mut complete: Option<SmoothedCovariances> = None;
        for window in 0..panel.windows() {
            let seen: Vec<bool> = (0..panel.steps() * d)
                .map(|at| panel.get(window, at / d, at % d).is_some())
                .collect();
            let own;
            let course = if seen.iter().all(|seen| *seen) {
                if complete.is_none() {
                    complete = Some(self.course(&seen).ok_or_else(unlearnable)?);
                }
                complete
                    .as_ref()
                    .unwrap_or_else(|| unreachable!("it was just made"))
            } else {
                own = self.course(&seen).ok_or_else(unlearnable)?;
                &own
            };
            visit(
                window,
                &States {
                    means: self.means(panel, window, course),
                    course,
                },
            );
        }
        Ok(())
    }

    /// Visits every step of every window with the mean and the covariance of its state given what
    /// is seen up to it.
    pub(crate) fn each_filtered(
        &self,
        panel: &StandardisedPanel,
        mut visit: impl FnMut(usize, usize, &[f64], &Square),
    ) {
        let d = self.drift.len();
        for window in 0..panel.windows() {
            let seen: Vec<bool> = (0..panel.steps() * d)
                .map(|at| panel.get(window, at / d, at % d).is_some())
                .collect();
            let forward = self.forward(&seen);
            let means = self.forward_means(panel, window, &forward.gains).0;
            for (step, (mean, spread)) in means.iter().zip(&forward.filtered).enumerate() {
                visit(window, step, mean, spread);
            }
        }
    }

    /// The covariances along a window, forwards with what is seen.
    fn forward(&self, seen: &[bool]) -> FilteredCovariances {
        let d = self.drift.len();
        let turned = self.follow.transposed();
        let (mut gains, mut filtered, mut predicted) =
            (Vec::new(), Vec::<Square>::new(), Vec::new());
        for seen in seen.chunks(d) {
            let mut spread = match filtered.last() {
                None => self.start.clone(),
                Some(before) => {
                    let mut spread = self.follow.product(before).product(&turned);
                    (0..d).for_each(|i| spread[(i, i)] += self.drift[i]);
                    spread
                }
            };
            predicted.push(spread.clone());
            gains.push(
                (0..d)
                    .filter(|&i| seen[i])
                    .map(|i| (i, self.take_in(&mut spread, i)))
                    .collect(),
            );
            filtered.push(spread);
        }
        FilteredCovariances {
            gains,
            filtered,
            predicted,
        }
    }

    /// The covariances along a window: forwards with what is seen, then back from the end.
    fn course(&self, seen: &[bool]) -> Option<SmoothedCovariances> {
        let turned = self.follow.transposed();
        let FilteredCovariances {
            gains,
            filtered,
            predicted,
        } = self.forward(seen);
        let last = filtered.len() - 1;
        let mut spread = filtered.clone();
        let mut back = Vec::new();
        let mut across = Vec::new();
        for t in (0..last).rev() {
            let gain = filtered[t]
                .product(&turned)
                .product(&predicted[t + 1].inverse()?);
            let mut surprise = spread[t + 1].clone();
            add_square(&mut surprise, &predicted[t + 1], -1.0);
            let change = gain.product(&surprise).product(&gain.transposed());
            add_square(&mut spread[t], &change, 1.0);
            across.push(spread[t + 1].product(&gain.transposed()));
            back.push(gain);
        }
        back.reverse();
        across.reverse();
        Some(SmoothedCovariances {
            gains,
            back,
            spread,
            across,
        })
    }

    /// What variable `i`, once seen, says about every state; the spread that is left is put in
    /// place.
    fn take_in(&self, spread: &mut Square, i: usize) -> Vec<f64> {
        let row = spread.row(i).to_vec();
        let gain: Vec<f64> = row.iter().map(|x| x / (row[i] + self.noise[i])).collect();
        gain.iter()
            .enumerate()
            .for_each(|(k, gain)| add_times(spread.row_mut(k), -gain, &row));
        gain
    }

    /// The expected states of a window given all that is seen in it.
    fn means(
        &self,
        panel: &StandardisedPanel,
        window: usize,
        course: &SmoothedCovariances,
    ) -> Vec<Vec<f64>> {
        let (mut means, expected) = self.forward_means(panel, window, &course.gains);
        for t in (0..means.len() - 1).rev() {
            let surprise: Vec<f64> = means[t + 1]
                .iter()
                .zip(&expected[t + 1])
                .map(|(a, b)| a - b)
                .collect();
            let change = course.back[t].times(&surprise);
            add_times(&mut means[t], 1.0, &change);
        }
        means
    }

    /// The expected state of each step of a window given what is seen up to it, and as it was
    /// expected from the step before.
    fn forward_means(
        &self,
        panel: &StandardisedPanel,
        window: usize,
        gains: &[Vec<(usize, Vec<f64>)>],
    ) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let d = self.drift.len();
        let mut means = Vec::<Vec<f64>>::new();
        let mut expected = Vec::new();
        for (t, gains) in gains.iter().enumerate() {
            let mut mean = means
                .last()
                .map_or(vec![0.0; d], |before| self.follow.times(before));
            expected.push(mean.clone());
            for (i, gain) in gains {
                let seen = panel
                    .get(window, t, *i)
                    .unwrap_or_else(|| unreachable!("it is seen"));
                let surprise = seen - mean[*i];
                add_times(&mut mean, surprise, gain);
            }
            means.push(mean);
        }
        (means, expected)
    }
}

/// Covariances along a window, given what is seen up to each step.
struct FilteredCovariances {
    /// Per step, what each seen variable says about every state.
    gains: Vec<Vec<(usize, Vec<f64>)>>,
    filtered: Vec<Square>,
    predicted: Vec<Square>,
}

/// Covariances along a window.
struct SmoothedCovariances {
    /// Per step, what each seen variable says about every state.
    gains: Vec<Vec<(usize, Vec<f64>)>>,
    /// How a surprise at the next step changes this one.
    back: Vec<Square>,
    /// Of each step, given the whole window.
    spread: Vec<Square>,
    /// Of the next step with this one.
    across: Vec<Square>,
}

/// The states of one window, given all that is seen in it.
struct States<'a> {
    means: Vec<Vec<f64>>,
    course: &'a SmoothedCovariances,
}

impl States<'_> {
    fn moment(&self, t: usize) -> Square {
        let mut moment = self.course.spread[t].clone();
        self.means[t]
            .iter()
            .enumerate()
            .for_each(|(i, x)| add_times(moment.row_mut(i), *x, &self.means[t]));
        moment
    }
}

/// By what factor states grow from step to step in the long run: the size of the largest
/// eigenvalue, nearly.
fn growth(follow: &Square) -> f64 {
    const STEPS: i32 = 100;
    // Unequal, so as to be orthogonal to nothing in particular.
    let mut state: Vec<f64> = (0..follow.size()).map(|i| 1.0 + 0.1 * i as f64).collect();
    let mut logarithm = 0.0;
    for _ in 0..STEPS {
        state = follow.times(&state);
        let length = libm::sqrt(dot(&state, &state));
        if length == 0.0 {
            return 0.0;
        }
        state.iter_mut().for_each(|x| *x /= length);
        logarithm += libm::log(length);
    }
    libm::exp(logarithm / f64::from(STEPS))
}

/// Expected products of neighbouring states, summed.
struct MomentSums {
    before: Square,
    /// Now × before.
    across: Square,
    /// The squares now.
    now: Vec<f64>,
    count: f64,
}

impl MomentSums {
    fn zero(d: usize) -> MomentSums {
        MomentSums {
            before: Square::zeros(d),
            across: Square::zeros(d),
            now: vec![0.0; d],
            count: 0.0,
        }
    }

    fn add(&mut self, states: &States<'_>, t: usize) {
        let before = &states.means[t];
        let now = &states.means[t + 1];
        add_square(&mut self.before, &states.course.spread[t], 1.0);
        add_square(&mut self.across, &states.course.across[t], 1.0);
        for i in 0..before.len() {
            add_times(self.before.row_mut(i), before[i], before);
            add_times(self.across.row_mut(i), now[i], before);
            self.now[i] += now[i] * now[i] + states.course.spread[t + 1][(i, i)];
        }
        self.count += 1.0;
    }
}

fn add_square(to: &mut Square, other: &Square, times: f64) {
    (0..to.size()).for_each(|i| add_times(to.row_mut(i), times, other.row(i)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::data::Windows;
    use duress_core::seed::Seed;

    /// b follows a; c is alone. Seen through noise, and in part not at all.
    fn panel(noise: f64, hidden: f64, windows: usize) -> StandardisedPanel {
        let mut draws = Seed::new(6).draws();
        let mut values = Vec::new();
        for _ in 0..windows {
            let mut x = [0.0; 3];
            for step in 0..36 {
                let mut fresh = || draws.normal();
                x = [
                    0.7 * x[0] + fresh(),
                    0.6 * x[1] + 0.5 * x[0] + fresh(),
                    0.7 * x[2] + fresh(),
                ];
                if step >= 20 {
                    values.extend(x.map(|x| x + noise * draws.normal()));
                }
            }
        }
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let mut data = Windows::new(names, 16, vec![0; windows], values).unwrap();
        for (w, t, v) in
            (0..windows).flat_map(|w| (0..16).flat_map(move |t| (0..3).map(move |v| (w, t, v))))
        {
            if draws.chance(hidden) {
                data.hide(w, t, v);
            }
        }
        StandardisedPanel::new(&data).unwrap()
    }

    #[test]
    fn noise_and_hidden_values_do_not_make_edges_of_echoes() {
        for (noise, hidden) in [(0.0, 0.0), (1.0, 0.0), (0.7, 0.3)] {
            let scores = score(&panel(noise, hidden, 150)).unwrap();
            assert!(
                scores.score(0, 1) > 6.0,
                "{noise} {hidden}: {}",
                scores.score(0, 1)
            );
            let others = [(1, 0), (0, 2), (2, 0), (1, 2), (2, 1)];
            let z: Vec<f64> = others.iter().map(|&(i, k)| scores.score(i, k)).collect();
            assert!(z.iter().all(|z| z.abs() < 4.0), "{noise} {hidden}: {z:?}");
        }
    }

    #[test]
    fn measurement_noise_does_not_shrink_a_memory() {
        let noisy = panel(1.0, 0.0, 150);
        let seen = noisy
            .rows(&[1], 1)
            .moments(&noisy.rows(&[0], 1))
            .unwrap()
            .mean[(0, 0)];
        let fitted = StateSpaceModel::fit(&noisy).unwrap();
        let memory = fitted.follow[(0, 0)];
        assert!(
            seen < 0.55 && (memory - 0.7).abs() < 0.08,
            "{seen} {memory}"
        );
        // a has variance 1/(1 − 0.49) ≈ 1.96 and is seen with 1 more: a third of what is seen is
        // noise.
        assert!(
            (fitted.noise[0] - 1.0 / 2.96).abs() < 0.1,
            "{}",
            fitted.noise[0]
        );
    }

    #[test]
    fn complete_windows_share_covariances_with_what_they_would_have_alone() {
        let data = panel(0.5, 0.0, 20);
        let model = StateSpaceModel::guess(&data).unwrap();
        let alone = model.course(&[true; 48]).unwrap();
        model
            .each_window(&data, |_, states| {
                assert_eq!(states.course.spread[3], alone.spread[3])
            })
            .unwrap();
    }

    #[test]
    fn a_smoothed_state_is_the_regression_on_everything_seen() {
        // One variable, three steps, the middle one hidden: its expectation is a known mixture of
        // its neighbours.
        let mut data = Windows::new(
            vec!["a".into()],
            3,
            vec![0; 12],
            (0..36).map(|i| f64::from(i * 7 % 11)).collect(),
        )
        .unwrap();
        data.hide(0, 1, 0);
        let panel = StandardisedPanel::new(&data).unwrap();
        let mut follow = Square::zeros(1);
        follow[(0, 0)] = 0.5;
        let model = StateSpaceModel {
            follow,
            drift: vec![0.75],
            noise: vec![0.2],
            start: Square::identity(1),
        };
        // Stationary with variance 1: cov(x_s, x_t) = 0.5^|s−t|, seen with 0.2 more.
        let y0 = panel.get(0, 0, 0).unwrap();
        let y2 = panel.get(0, 2, 0).unwrap();
        let v = 1.2;
        let c = 0.25;
        let weight = 0.5 / (v + c);
        let expected = weight * (y0 + y2);
        model
            .each_window(&panel, |window, states| {
                if window == 0 {
                    assert!((states.means[1][0] - expected).abs() < 1e-12);
                    assert!(
                        (states.course.spread[1][(0, 0)] - (1.0 - 2.0 * 0.5 * weight)).abs()
                            < 1e-12
                    );
                }
            })
            .unwrap();
    }
}
