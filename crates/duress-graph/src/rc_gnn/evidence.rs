//! Evidence: which messages each variable hears, and how surely.
//!
//! Every variable's next reading is regressed on the expected functions of all states one step before,
//! by Fisher scoring of the filter's own likelihood. A message either is one, its weights drawn from a
//! wide normal, or is none, its weights drawn from a narrow one about zero: what a model that is a
//! little wrong makes of pairs that have nothing to do with each other (spike and slab; George and
//! McCulloch, *JASA* 88 (1993) 881–889). How wide both are and how many messages there are is learnt
//! from all pairs together; which pairs they are, pair by pair given the others, until nothing changes
//! (Carbonetto and Stephens, *Bayesian Analysis* 7 (2012) 73–108).

use serde::{Deserialize, Serialize};

use crate::matrix::{Square, add_times, dot, row_by_row};
use crate::rc_gnn::edges::probability;
use crate::rc_gnn::filter::FilterPass;
use crate::rc_gnn::messages::{BASIS, BasisWeights};

/// In how many parts windows are dealt.
pub(super) const FOLDS: usize = 8;

/// How often beliefs about messages and about all of them together are taken in turn.
const SWEEPS: usize = 40;

/// The same without a fold, from what is believed with it.
const FOLD_SWEEPS: usize = 8;

/// The least variance of weights where there is no message. A filter that is a little wrong gives
/// weights of a few hundredths to pairs near true edges, which much data shows to differ from zero;
/// the many pairs far from any edge do not show it.
const LEAST_SPIKE: f64 = 3e-4;

/// The narrow prior is no wider than this share of the wide one.
const WIDEST_SPIKE: f64 = 0.02;

/// Groups differ by at least this share of what the likelihood has it.
const LEAST_DISPERSION: f64 = 0.3;

/// How windows are dealt, even within regimes: a fold for each. Windows of one fold and one regime are
/// a group.
pub(super) struct Dealt {
    pub(super) fold: Vec<usize>,
    group: Vec<usize>,
    pub(super) regimes: usize,
}

impl Dealt {
    /// Deals windows in `order`, regime by regime.
    pub(super) fn new(regime: &[usize], regimes: usize, order: &[usize]) -> Dealt {
        let mut fold = vec![0; regime.len()];
        let mut count = vec![0; regimes];
        for &window in order {
            let of = regime[window];
            fold[window] = count[of] % FOLDS;
            count[of] += 1;
        }
        let group = (0..fold.len()).map(|w| regime[w] * FOLDS + fold[w]);
        Dealt {
            group: group.collect(),
            fold,
            regimes,
        }
    }
}

/// What is believed of all messages before any is looked at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct MessagePrior {
    /// The share of pairs with a message.
    share: f64,
    /// The variance of each weight of a message, and of each weight where there is none.
    slab: BasisWeights,
    spike: f64,
}

impl Default for MessagePrior {
    fn default() -> MessagePrior {
        MessagePrior {
            share: 0.1,
            slab: [0.06, 0.04, 0.02, 0.02],
            spike: 1e-4,
        }
    }
}

/// What a target hears: sums over its readings, group by group, of a regression on a constant and the
/// functions of its candidates.
pub(super) struct TargetSums {
    pub(super) target: usize,
    /// The sources, each with as many columns as there are functions after the constant.
    pub(super) sources: Vec<usize>,
    pub(super) functions: usize,
    gram: Vec<Square>,
    heard: Vec<Vec<f64>>,
}

/// What is believed of the messages to one target.
#[derive(Clone, Debug)]
pub(super) struct Belief {
    /// The constant, then the weights of each source, edge or not.
    mean: Vec<f64>,
    /// Weights of each source if it is one.
    message: Vec<BasisWeights>,
    /// Expected squares of the weights, if there is a message and if there is none.
    squares: Vec<(BasisWeights, f64)>,
    /// Log-odds that each source has a message.
    pub(super) odds: Vec<f64>,
}

/// How loudly a message was heard.
#[derive(Clone, Debug)]
pub(super) struct Loudness {
    /// Loudness in standard errors.
    pub(super) z: f64,
    /// Loudness itself, 1 if it is heard as it was fitted.
    pub(super) value: f64,
    /// The same in each regime, with its standard error.
    pub(super) by_regime: Vec<(f64, f64)>,
}

/// Sums over groups, ready to be regressed on.
struct Merged {
    gram: Square,
    heard: Vec<f64>,
}

impl Belief {
    fn nothing(sums: &TargetSums) -> Belief {
        Belief {
            mean: vec![0.0; sums.width()],
            message: vec![[0.0; BASIS]; sums.sources.len()],
            squares: vec![([0.0; BASIS], 0.0); sums.sources.len()],
            odds: vec![-2.0; sums.sources.len()],
        }
    }

    pub(super) fn base(&self) -> f64 {
        self.mean[0]
    }

    /// What the nth source says, as far as it says anything; a variable always hears itself.
    pub(super) fn said(&self, sums: &TargetSums, nth: usize) -> BasisWeights {
        let sure = match sums.sources[nth] == sums.target {
            true => 1.0,
            false => probability(self.odds[nth]),
        };
        self.message[nth].map(|w| sure * w)
    }
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
        let groups = dealt.regimes * FOLDS;
        let mut sums = TargetSums {
            target,
            gram: vec![Square::zeros(width); groups],
            heard: vec![vec![0.0; width]; groups],
            sources,
            functions,
        };
        let mut row = vec![0.0; width];
        for at in pass.seen_rows(target) {
            sums.fill(pass, at, &mut row);
            let cell = at * pass.width + target;
            let weight = pass.weight[cell];
            let response = pass.slope[cell] + weight * pass.drive[cell];
            let group = dealt.group[pass.window[at]];
            add_times(&mut sums.heard[group], response, &row);
            for i in 0..width {
                let own = &mut sums.gram[group].row_mut(i)[..=i];
                add_times(own, weight * row[i], &row[..=i]);
            }
        }
        sums
    }

    fn width(&self) -> usize {
        1 + self.sources.len() * self.functions
    }

    fn fill(&self, pass: &FilterPass, at: usize, row: &mut [f64]) {
        row[0] = 1.0;
        let all = &pass.features[at * pass.width * BASIS..];
        for (slot, &source) in row[1..].chunks_mut(self.functions).zip(&self.sources) {
            slot.copy_from_slice(&all[source * BASIS..source * BASIS + self.functions]);
        }
    }

    /// All groups together, or all but those of a fold.
    fn merged(&self, without: Option<usize>) -> Merged {
        let width = self.width();
        let mut gram = Square::zeros(width);
        let mut heard = vec![0.0; width];
        let kept = (0..self.gram.len()).filter(|g| Some(g % FOLDS) != without);
        for g in kept {
            add_times(&mut heard, 1.0, &self.heard[g]);
            (0..width).for_each(|i| {
                add_times(&mut gram.row_mut(i)[..=i], 1.0, &self.gram[g].row(i)[..=i])
            });
        }
        for (i, k) in (0..width).flat_map(|i| (0..i).map(move |k| (i, k))) {
            gram[(k, i)] = gram[(i, k)];
        }
        Merged { gram, heard }
    }

    /// How much more groups differ than the filter's own likelihood has it. More, where drift and bias
    /// stay for a window; less, where the noise was taken for wider than it is.
    fn dispersion(&self, belief: &Belief) -> f64 {
        let mut pulls = 0.0;
        let mut known = 0.0;
        let width = self.width();
        for (gram, heard) in self.gram.iter().zip(&self.heard) {
            for i in 1..width {
                let mut expected = 0.0;
                for k in 0..width {
                    expected += gram[(i.max(k), i.min(k))] * belief.mean[k];
                }
                let pull = heard[i] - expected;
                pulls += pull * pull;
                known += gram[(i, i)];
            }
        }
        match known > 0.0 {
            true => (pulls / known).max(LEAST_DISPERSION),
            false => 1.0,
        }
    }

    /// Asks every source once, given what is believed of the others.
    fn sweep(&self, merged: &Merged, prior: &MessagePrior, dispersion: f64, belief: &mut Belief) {
        let functions = self.functions;
        let fitted = merged.gram.times(&belief.mean);
        let mut left: Vec<f64> = (0..self.width())
            .map(|i| (merged.heard[i] - fitted[i]) / dispersion)
            .collect();
        let tell = |left: &mut [f64], at: usize, by: f64| {
            add_times(left, -by / dispersion, merged.gram.row(at));
        };
        let known = merged.gram[(0, 0)] / dispersion;
        let by = (left[0] + known * belief.mean[0]) / (known + 1.0) - belief.mean[0];
        belief.mean[0] += by;
        tell(&mut left, 0, by);
        for (nth, &source) in self.sources.iter().enumerate() {
            let first = 1 + nth * functions;
            let block = Block::of(&merged.gram, first, functions, dispersion);
            let mut pull = [0.0; BASIS];
            for i in 0..functions {
                pull[i] = left[first + i]
                    + dot(
                        &block.known[i][..functions],
                        &belief.mean[first..first + functions],
                    );
            }
            let slab = block.posterior(&pull, &prior.slab);
            let mut mean = slab.mean;
            if source == self.target {
                belief.odds[nth] = f64::INFINITY;
            } else {
                let spike = block.posterior(&pull, &[prior.spike; BASIS]);
                let odds = prior.odds() + slab.evidence - spike.evidence;
                let sure = probability(odds);
                belief.odds[nth] = odds;
                mean = std::array::from_fn(|k| sure * slab.mean[k] + (1.0 - sure) * spike.mean[k]);
                let spread: f64 = spike.squares[..functions].iter().sum();
                belief.squares[nth] = (slab.squares, spread / functions as f64);
            }
            belief.message[nth] = slab.mean;
            for (k, &new) in mean.iter().enumerate().take(functions) {
                let by = new - belief.mean[first + k];
                belief.mean[first + k] = new;
                tell(&mut left, first + k, by);
            }
        }
    }

    /// What is believed without each fold, from what is believed with all.
    pub(super) fn without_folds(&self, prior: &MessagePrior, whole: &Belief) -> Vec<Belief> {
        let dispersion = self.dispersion(whole);
        let of = |fold: usize| {
            let merged = self.merged(Some(fold));
            let mut belief = whole.clone();
            (0..FOLD_SWEEPS).for_each(|_| self.sweep(&merged, prior, dispersion, &mut belief));
            belief
        };
        (0..FOLDS).map(of).collect()
    }

    /// How loudly each source's message, learnt without a fold, is heard in it.
    pub(super) fn loudness(&self, without: &[Belief], regimes: usize) -> Vec<Loudness> {
        let width = 1 + self.sources.len();
        let mut gram = Vec::with_capacity(self.gram.len());
        let mut heard = Vec::with_capacity(self.gram.len());
        for (g, (full, told)) in self.gram.iter().zip(&self.heard).enumerate() {
            let said = |s: usize| match s {
                0 => (0..1, [1.0; BASIS]),
                s => {
                    let first = 1 + (s - 1) * self.functions;
                    (
                        first..first + self.functions,
                        without[g % FOLDS].message[s - 1],
                    )
                }
            };
            let mut small = Square::zeros(width);
            let mut pull = vec![0.0; width];
            for a in 0..width {
                let (of_a, wa) = said(a);
                pull[a] = of_a.clone().zip(wa).map(|(i, w)| w * told[i]).sum();
                for b in 0..=a {
                    let (of_b, wb) = said(b);
                    let mut sum = 0.0;
                    for (i, wi) in of_a.clone().zip(wa) {
                        for (k, wk) in of_b.clone().zip(wb) {
                            sum += wi * wk * full[(i.max(k), i.min(k))];
                        }
                    }
                    (small[(a, b)], small[(b, a)]) = (sum, sum);
                }
            }
            gram.push(small);
            heard.push(pull);
        }
        let regime_of_group: Vec<usize> = (0..regimes * FOLDS).map(|g| g / FOLDS).collect();
        loudness_of_groups(&gram, &heard, &regime_of_group)
    }
}

/// What is known of the weights of one source.
struct Block {
    functions: usize,
    known: [BasisWeights; BASIS],
}

/// What is believed of the weights of one source under a prior.
struct BlockPosterior {
    mean: BasisWeights,
    squares: BasisWeights,
    /// The log of how well the prior foretold what was heard, up to what all priors share.
    evidence: f64,
}

impl Block {
    fn of(gram: &Square, first: usize, functions: usize, dispersion: f64) -> Block {
        let mut known = [[0.0; BASIS]; BASIS];
        for (i, k) in row_by_row(functions, functions) {
            known[i][k] = gram[(first + i, first + k)] / dispersion;
        }
        Block { functions, known }
    }

    /// Weights with these prior variances, by a Cholesky factor in place.
    fn posterior(&self, pull: &BasisWeights, prior: &BasisWeights) -> BlockPosterior {
        let n = self.functions;
        let mut low = self.known;
        let mut log = 0.0;
        for i in 0..n {
            low[i][i] += 1.0 / prior[i];
            for k in 0..=i {
                let sum: f64 = (0..k).map(|m| low[i][m] * low[k][m]).sum();
                let rest = low[i][k] - sum;
                low[i][k] = if i == k {
                    libm::sqrt(rest.max(1e-300))
                } else {
                    rest / low[k][k]
                };
            }
            log += 2.0 * libm::log(low[i][i]) + libm::log(prior[i]);
        }
        let solved = |b: &BasisWeights| {
            let mut x = *b;
            for i in 0..n {
                let sum: f64 = (0..i).map(|m| low[i][m] * x[m]).sum();
                x[i] = (x[i] - sum) / low[i][i];
            }
            for i in (0..n).rev() {
                let sum: f64 = (i + 1..n).map(|m| low[m][i] * x[m]).sum();
                x[i] = (x[i] - sum) / low[i][i];
            }
            x
        };
        let mean = solved(pull);
        let mut squares = [0.0; BASIS];
        for i in 0..n {
            let mut unit = [0.0; BASIS];
            unit[i] = 1.0;
            squares[i] = mean[i] * mean[i] + solved(&unit)[i];
        }
        BlockPosterior {
            evidence: 0.5 * (dot(&mean[..n], &pull[..n]) - log),
            mean,
            squares,
        }
    }
}

/// What is believed of the messages to all targets, and learnt of all messages together.
pub(super) fn believe(all: &[TargetSums], prior: &mut MessagePrior) -> Vec<Belief> {
    let merged: Vec<Merged> = all.iter().map(|sums| sums.merged(None)).collect();
    let mut beliefs: Vec<Belief> = all.iter().map(Belief::nothing).collect();
    let mut dispersions = vec![1.0; all.len()];
    for sweep in 0..SWEEPS {
        for (to, sums) in all.iter().enumerate() {
            if sweep < SWEEPS / 2 {
                dispersions[to] = sums.dispersion(&beliefs[to]);
            }
            sums.sweep(&merged[to], prior, dispersions[to], &mut beliefs[to]);
        }
        if sweep > 1 {
            prior.learn(all, &beliefs);
        }
    }
    beliefs
}

impl MessagePrior {
    /// How many messages, and how many pairs without one, what is believed beforehand counts for.
    const OWN: f64 = 2.0;
    const PAIRS: f64 = 10.0;

    /// The log-odds of a message before anything is heard.
    pub(super) fn odds(&self) -> f64 {
        libm::log(self.share / (1.0 - self.share))
    }

    /// Learns from what is believed of all pairs.
    fn learn(&mut self, all: &[TargetSums], beliefs: &[Belief]) {
        let start = MessagePrior::default();
        let mut slab = start.slab.map(|v| Self::OWN * v);
        let mut spike = Self::PAIRS * start.spike;
        let mut found = 1.0;
        let mut none = Self::PAIRS;
        for (sums, belief) in all.iter().zip(beliefs) {
            for (nth, (squares, narrow)) in belief.squares.iter().enumerate() {
                if sums.sources[nth] == sums.target {
                    continue;
                }
                let sure = probability(belief.odds[nth]);
                found += sure;
                none += 1.0 - sure;
                add_times(&mut slab, sure, squares);
                spike += (1.0 - sure) * narrow;
            }
        }
        self.share = (found / (found + none)).min(0.5);
        self.slab = slab.map(|v| v / (found - 1.0 + Self::OWN));
        let widest = (WIDEST_SPIKE * self.slab[0]).max(LEAST_SPIKE);
        self.spike = (spike / none).clamp(LEAST_SPIKE, widest);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_evidence_of_a_prior_is_what_it_expects_of_the_likelihood() {
        let known = 30.0;
        let pull = 4.0;
        let prior = 0.05;
        let block = Block {
            functions: 1,
            known: [[known; BASIS]; BASIS],
        };
        let found = block.posterior(&[pull, 0.0, 0.0, 0.0], &[prior; BASIS]);
        let step = 1e-4;
        let mut total = 0.0;
        let mut mean = 0.0;
        for at in -30_000..=30_000 {
            let w = f64::from(at) * step;
            let density =
                libm::exp(-0.5 * w * w / prior) / libm::sqrt(2.0 * std::f64::consts::PI * prior);
            let part = step * density * libm::exp(pull * w - 0.5 * known * w * w);
            total += part;
            mean += part * w;
        }
        assert!((found.evidence - libm::log(total)).abs() < 1e-6);
        assert!((found.mean[0] - mean / total).abs() < 1e-6);
    }
}
