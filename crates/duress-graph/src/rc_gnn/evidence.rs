//! Evidence: how surely each variable's message is heard by each other one.
//!
//! Every variable's next reading is regressed on the expected functions of all states one step before,
//! by Fisher scoring of the filter's own likelihood. Messages are fitted without a fifth of the windows
//! and spoken to that fifth; whether one was heard there is asked of a single number, its loudness,
//! with an error from how far groups of windows pull it. A message that was only fitted to noise is as
//! likely heard backwards as forwards.

use crate::matrix::{Square, add_times, dot, row_by_row};
use crate::rc_gnn::filter::FilterPass;
use crate::rc_gnn::messages::{BASIS, BasisWeights};

/// In how many parts windows are dealt.
pub(super) const FOLDS: usize = 5;

/// In how many groups the windows of a regime are pulled apart for errors, all regimes together.
const GROUPS: usize = 40;

/// How many readings speak against any message to begin with.
const RIDGE: f64 = 20.0;

/// How windows are dealt: a fold and a group for each, even within regimes.
pub(super) struct Dealt {
    pub(super) fold: Vec<usize>,
    pub(super) group: Vec<usize>,
    /// The regime of each group.
    pub(super) regime_of_group: Vec<usize>,
}

impl Dealt {
    /// Deals windows in `order`, regime by regime.
    pub(super) fn new(regime: &[usize], regimes: usize, order: &[usize]) -> Dealt {
        let per_regime = GROUPS.div_ceil(regimes).max(4);
        let mut dealt = Dealt {
            fold: vec![0; regime.len()],
            group: vec![0; regime.len()],
            regime_of_group: (0..regimes * per_regime).map(|g| g / per_regime).collect(),
        };
        let mut count = vec![0; regimes];
        for &window in order {
            let of = regime[window];
            dealt.fold[window] = count[of] % FOLDS;
            dealt.group[window] = of * per_regime + count[of] % per_regime;
            count[of] += 1;
        }
        dealt
    }
}

/// What a target hears: sums over its readings, fold by fold, of a regression on a constant and the
/// functions of its candidates.
pub(super) struct TargetSums {
    /// The sources, each with [`BASIS`] columns after the constant.
    pub(super) sources: Vec<usize>,
    pub(super) functions: usize,
    gram: Vec<Square>,
    heard: Vec<Vec<f64>>,
    readings: f64,
}

/// How loudly messages were heard.
#[derive(Clone, Debug)]
pub(super) struct Loudness {
    /// Loudness in standard errors.
    pub(super) z: f64,
    /// Loudness itself, 1 if it is heard as it was fitted.
    pub(super) value: f64,
    /// The same in each regime, with its standard error.
    pub(super) by_regime: Vec<(f64, f64)>,
}

impl TargetSums {
    pub(super) fn of(
        pass: &FilterPass,
        target: usize,
        sources: Vec<usize>,
        functions: usize,
        dealt: &Dealt,
    ) -> TargetSums {
        let width = 1 + sources.len() * functions;
        let mut sums = TargetSums {
            gram: vec![Square::zeros(width); FOLDS],
            heard: vec![vec![0.0; width]; FOLDS],
            sources,
            functions,
            readings: 0.0,
        };
        let mut row = vec![0.0; width];
        for at in pass.seen_rows(target) {
            sums.fill(pass, at, &mut row);
            let cell = at * pass.width + target;
            let weight = pass.weight[cell];
            let response = pass.slope[cell] + weight * pass.drive[cell];
            let fold = dealt.fold[pass.window[at]];
            add_times(&mut sums.heard[fold], response, &row);
            for i in 0..width {
                add_times(
                    &mut sums.gram[fold].row_mut(i)[..=i],
                    weight * row[i],
                    &row[..=i],
                );
            }
            sums.readings += 1.0;
        }
        sums
    }

    fn fill(&self, pass: &FilterPass, at: usize, row: &mut [f64]) {
        row[0] = 1.0;
        let all = &pass.features[at * pass.width * BASIS..];
        for (slot, &source) in row[1..].chunks_mut(self.functions).zip(&self.sources) {
            slot.copy_from_slice(&all[source * BASIS..source * BASIS + self.functions]);
        }
    }

    /// The weights without a fold (or with all of them), of these sources only.
    pub(super) fn solve(&self, without: Option<usize>, kept: &[usize]) -> Option<Vec<f64>> {
        let k = self.functions;
        let which: Vec<usize> = std::iter::once(0)
            .chain(
                kept.iter()
                    .flat_map(|&s| (0..k).map(move |m| 1 + s * k + m)),
            )
            .collect();
        let mut gram = Square::zeros(which.len());
        let mut heard = vec![0.0; which.len()];
        for fold in (0..FOLDS).filter(|fold| Some(*fold) != without) {
            for (i, &a) in which.iter().enumerate() {
                heard[i] += self.heard[fold][a];
                for (j, &b) in which[..=i].iter().enumerate() {
                    gram[(i, j)] += self.gram[fold][(a.max(b), a.min(b))];
                }
            }
        }
        // Per reading, so that pivots are of the size of weights.
        let share = 1.0 / self.readings.max(1.0);
        let mean = (0..which.len()).map(|i| gram[(i, i)]).sum::<f64>() / which.len() as f64;
        let ridge = RIDGE * mean * share;
        for i in 0..which.len() {
            gram.row_mut(i).iter_mut().for_each(|cell| *cell *= share);
            heard[i] *= share;
            gram[(i, i)] += ridge * share;
        }
        gram.solve(heard)
    }

    /// How loudly each source is heard where its message was not fitted.
    pub(super) fn loudness(
        &self,
        pass: &FilterPass,
        target: usize,
        dealt: &Dealt,
    ) -> Option<Vec<Loudness>> {
        let everyone: Vec<usize> = (0..self.sources.len()).collect();
        let fitted: Option<Vec<Vec<f64>>> = (0..FOLDS)
            .map(|fold| self.solve(Some(fold), &everyone))
            .collect();
        let fitted = fitted?;
        let width = 1 + self.sources.len();
        let groups = dealt.regime_of_group.len();
        let mut gram = vec![Square::zeros(width); groups];
        let mut heard = vec![vec![0.0; width]; groups];
        let mut row = vec![0.0; 1 + self.sources.len() * self.functions];
        let mut said = vec![1.0; width];
        for at in pass.seen_rows(target) {
            self.fill(pass, at, &mut row);
            let window = pass.window[at];
            let weights = &fitted[dealt.fold[window]][1..];
            for (s, said) in said[1..].iter_mut().enumerate() {
                let of = s * self.functions..(s + 1) * self.functions;
                *said = dot(&weights[of.clone()], &row[1..][of]);
            }
            let cell = at * pass.width + target;
            let group = dealt.group[window];
            let weight = pass.weight[cell];
            let response = pass.slope[cell] + weight * pass.drive[cell];
            add_times(&mut heard[group], response, &said);
            for i in 0..width {
                add_times(gram[group].row_mut(i), weight * said[i], &said);
            }
        }
        Some(loudness_of_groups(&gram, &heard, &dealt.regime_of_group))
    }
}

/// The loudness of each message from sums by group, with errors from how far groups pull.
fn loudness_of_groups(gram: &[Square], heard: &[Vec<f64>], regimes: &[usize]) -> Vec<Loudness> {
    let count = 1 + regimes.iter().copied().max().unwrap_or(0);
    let all: Vec<usize> = (0..gram.len()).collect();
    let whole = pulled(gram, heard, &all);
    let apart: Vec<Vec<(f64, f64)>> = (0..count)
        .map(|regime| {
            let own: Vec<usize> = all
                .iter()
                .copied()
                .filter(|&g| regimes[g] == regime)
                .collect();
            pulled(gram, heard, &own)
        })
        .collect();
    (1..whole.len())
        .map(|s| {
            let (value, error) = whole[s];
            Loudness {
                z: if error > 0.0 { value / error } else { 0.0 },
                value,
                by_regime: apart.iter().map(|regime| regime[s]).collect(),
            }
        })
        .collect()
}

/// Coefficients over these groups, and their errors.
fn pulled(gram: &[Square], heard: &[Vec<f64>], groups: &[usize]) -> Vec<(f64, f64)> {
    let width = gram[0].size();
    let mut total = Square::zeros(width);
    let mut sum = vec![0.0; width];
    for &g in groups {
        (0..width).for_each(|i| add_times(total.row_mut(i), 1.0, gram[g].row(i)));
        add_times(&mut sum, 1.0, &heard[g]);
    }
    // Messages of any size, a silent one too: each on its own scale.
    let scale: Vec<f64> = (0..width)
        .map(|i| 1.0 / libm::sqrt(total[(i, i)].max(1e-12)))
        .collect();
    let mut scaled = Square::zeros(width);
    for (i, k) in row_by_row(width, width) {
        scaled[(i, k)] = total[(i, k)] * scale[i] * scale[k];
    }
    let Some(inverse) = scaled.plus_diagonal(1e-6).inverse() else {
        return vec![(0.0, 0.0); width];
    };
    let rescaled = |v: &[f64]| {
        v.iter()
            .zip(&scale)
            .map(|(a, b)| a * b)
            .collect::<Vec<f64>>()
    };
    let value = rescaled(&inverse.times(&rescaled(&sum)));
    let mut squares = vec![0.0; width];
    for &g in groups {
        let pull: Vec<f64> = (0..width)
            .map(|i| heard[g][i] - dot(gram[g].row(i), &value))
            .collect();
        let moved = rescaled(&inverse.times(&rescaled(&pull)));
        squares
            .iter_mut()
            .zip(moved)
            .for_each(|(sum, m)| *sum += m * m);
    }
    let n = groups.len() as f64;
    let freedom = if n > 1.0 { n / (n - 1.0) } else { 1.0 };
    value
        .into_iter()
        .zip(squares)
        .map(|(v, s)| (v, libm::sqrt(freedom * s)))
        .collect()
}

/// How much each variable, on its own, would move each target: a quick look for when there are many.
pub(super) fn quick_look(pass: &FilterPass, target: usize, functions: usize) -> Vec<f64> {
    let d = pass.width;
    let mut strength = vec![0.0; d];
    let seen = pass.seen_rows(target);
    for (source, strength) in strength.iter_mut().enumerate() {
        let mut gram = Square::zeros(functions);
        let mut pull = vec![0.0; functions];
        for &at in &seen {
            let features = &pass.features[(at * d + source) * BASIS..][..functions];
            add_times(&mut pull, pass.slope[at * d + target], features);
            let weight = pass.weight[at * d + target];
            for i in 0..functions {
                add_times(gram.row_mut(i), weight * features[i], features);
            }
        }
        let n = seen.len().max(1) as f64;
        let inverse = gram.scaled(1.0 / n).plus_diagonal(1e-3).inverse();
        *strength = inverse.map_or(0.0, |inverse| dot(&pull, &inverse.times(&pull)) / n);
    }
    strength
}

/// Weights of a source as a message has them.
pub(super) fn basis_weights(fitted: &[f64], nth: usize, functions: usize) -> BasisWeights {
    std::array::from_fn(|k| {
        if k < functions {
            fitted[1 + nth * functions + k]
        } else {
            0.0
        }
    })
}
