//! Where variance comes from when each item is asked about with several templates: items, templates,
//! replicates, and what is left.
//!
//! An answer is taken to be `y_its = μ + I_i + T_t + R_s + (IT)_it + (IR)_is + (TR)_ts + E_its`, all
//! crossed. An effect of some of the three factors is what the mean over the others has more than
//! the effects of fewer of them. With `MS` its mean square and `n` the sizes of the factors, the
//! analysis of variance has `σ²_m = Σ ± MS_k / Π n_f`, over all effects k that contain m, with a minus
//! where k has an odd number of factors more, and over the factors f that m has not. A variance that
//! comes out below zero is taken to be zero. With one replicate there is no such factor.
//!
//! Source: S. R. Searle, G. Casella and C. E. McCulloch, *Variance Components* (1992), chapter 4.

use crate::sources::{Factor, Source};
use crate::{UndefinedReason, check};

/// The factors, in the order of the sizes; an effect is a set of them, as bits.
const FACTORS: [Factor; 3] = [Factor::Item, Factor::Template, Factor::Replicate];

/// Where the variance of `answer(item, template, replicate)` comes from.
///
/// ```
/// use duress_stats::sources::Factor;
/// use duress_stats::templates::across_templates;
///
/// // Templates shift every answer alike.
/// let said = [[0.1, 0.3], [0.5, 0.7], [0.2, 0.4]];
/// let found = across_templates([3, 2, 1], |item, template, _| said[item][template]).unwrap();
/// let factors: Vec<Factor> = found.iter().map(|source| source.factor).collect();
/// assert_eq!(factors, [Factor::Item, Factor::Template, Factor::Rest]);
/// assert!((found[1].variance - 0.02).abs() < 1e-12);
/// assert!(found[2].variance.abs() < 1e-12);
/// ```
///
/// # Errors
/// Fewer than two items or templates, no replicate, or values that are not finite.
pub fn across_templates(
    sizes: [usize; 3],
    answer: impl Fn(usize, usize, usize) -> f64,
) -> Result<Vec<Source>, UndefinedReason> {
    check::at_least("items", sizes[0], 2)?;
    check::at_least("templates", sizes[1], 2)?;
    check::at_least("replicates", sizes[2], 1)?;
    let table = CrossedTable::new(sizes, answer);
    check::finite("answers", &table.values)?;
    let squares: Vec<f64> = (0..8).map(|effect| table.mean_square(effect)).collect();
    let mut rest = Source {
        factor: Factor::Rest,
        variance: 0.0,
        error: 0.0,
    };
    let mut found = Vec::new();
    for effect in (1..8).filter(|effect| table.is_there(*effect)) {
        let variance = table.variance(effect, &squares);
        let error = variance / table.size(effect);
        match FACTORS.iter().enumerate().find(|(at, _)| effect == 1 << at) {
            Some((_, &factor)) => found.push(Source {
                factor,
                variance,
                error,
            }),
            None => {
                rest.variance += variance;
                rest.error += error;
            }
        }
    }
    found.push(rest);
    Ok(found)
}

/// Answers by item, template and replicate.
struct CrossedTable {
    sizes: [usize; 3],
    values: Vec<f64>,
}

impl CrossedTable {
    fn new(sizes: [usize; 3], answer: impl Fn(usize, usize, usize) -> f64) -> CrossedTable {
        let mut table = CrossedTable {
            sizes,
            values: Vec::new(),
        };
        let cells = 0..sizes.iter().product();
        let answer = |cell: usize| {
            let [item, template, replicate] = table.levels(cell);
            answer(item, template, replicate)
        };
        table.values = cells.map(answer).collect();
        table
    }

    /// The level of each factor in a cell.
    fn levels(&self, cell: usize) -> [usize; 3] {
        let [_, templates, replicates] = self.sizes;
        let item = cell / (templates * replicates);
        [item, cell / replicates % templates, cell % replicates]
    }

    /// Whether an effect is of factors that vary.
    fn is_there(&self, effect: usize) -> bool {
        (0..3).all(|at| effect & (1 << at) == 0 || self.sizes[at] > 1)
    }

    /// How many levels the factors of an effect have together.
    fn size(&self, effect: usize) -> f64 {
        let own = (0..3).filter(|at| effect & (1 << at) != 0);
        own.map(|at| self.sizes[at] as f64).product()
    }

    /// The mean over all factors but those of an effect, for each cell.
    fn means(&self, effect: usize) -> Vec<f64> {
        let place = |cell: usize| {
            let levels = self.levels(cell);
            let own = (0..3).filter(|at| effect & (1 << at) != 0);
            own.fold(0, |place, at| place * self.sizes[at] + levels[at])
        };
        let mut sums = vec![0.0; self.size(effect) as usize];
        for (cell, value) in self.values.iter().enumerate() {
            sums[place(cell)] += value;
        }
        let each = self.values.len() as f64 / self.size(effect);
        (0..self.values.len())
            .map(|cell| sums[place(cell)] / each)
            .collect()
    }

    /// The mean square of an effect: of its means, less the effects within it.
    fn mean_square(&self, effect: usize) -> f64 {
        let freedom: f64 = (0..3)
            .filter(|at| effect & (1 << at) != 0)
            .map(|at| self.sizes[at] as f64 - 1.0)
            .product();
        if freedom == 0.0 {
            return 0.0;
        }
        let mut own = vec![0.0; self.values.len()];
        for within in subsets(effect) {
            let sign = sign(effect, within);
            let means = self.means(within);
            own.iter_mut()
                .zip(means)
                .for_each(|(own, mean)| *own += sign * mean);
        }
        own.iter().map(|value| value * value).sum::<f64>() / freedom
    }

    fn variance(&self, effect: usize, squares: &[f64]) -> f64 {
        let above = (0..8).filter(|other| other & effect == effect && self.is_there(*other));
        let sum: f64 = above
            .map(|other| sign(other, effect) * squares[other])
            .sum();
        let others = self.values.len() as f64 / self.size(effect);
        (sum / others).max(0.0)
    }
}

/// The effects within one, itself and the mean over everything among them.
fn subsets(effect: usize) -> impl Iterator<Item = usize> {
    (0..8).filter(move |within| within & effect == *within)
}

/// Minus where one has an odd number of factors more than the other.
fn sign(effect: usize, within: usize) -> f64 {
    match (effect ^ within).count_ones() % 2 {
        0 => 1.0,
        _ => -1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::Components;

    fn noise(seed: usize) -> f64 {
        let mixed = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    #[test]
    fn with_one_replicate_it_is_the_two_way_analysis_of_variance() {
        let said = |item: usize, template: usize| {
            noise(item) + noise(1000 + template) / 2.0 + noise(7919 * item + template + 31)
        };
        let found = across_templates([40, 5, 1], |i, t, _| said(i, t)).unwrap();
        let mean = |t: usize| (0..40).map(|i| said(i, t)).sum::<f64>() / 40.0;
        let means: Vec<f64> = (0..5).map(mean).collect();
        let added = |t: usize, i: usize| Some((said(i, t) - means[t]) / 40.0);
        let other = Components::crossed(&means, 40, added, None).unwrap();
        for (source, variance) in found.iter().zip(other.variances()) {
            assert!((source.variance - variance).abs() < 1e-12, "{source:?}");
        }
    }

    #[test]
    fn each_factor_is_found_where_it_alone_varies() {
        for (at, factor) in FACTORS.into_iter().enumerate() {
            let levels = [6, 4, 3];
            let found = across_templates(levels, |i, t, s| noise([i, t, s][at] + 50)).unwrap();
            let own: Vec<f64> = (0..levels[at]).map(|level| noise(level + 50)).collect();
            let mean = own.iter().sum::<f64>() / own.len() as f64;
            let squares = own.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
            for source in found {
                let expected = match source.factor == factor {
                    true => squares / (own.len() - 1) as f64,
                    false => 0.0,
                };
                assert!((source.variance - expected).abs() < 1e-12, "{source:?}");
            }
        }
    }

    #[test]
    fn known_variances_come_back_in_the_mean() {
        let truth: [f64; 4] = [0.04, 0.01, 0.02, 0.03];
        let mut sums = [0.0; 4];
        let tables = 400;
        for table in 0..tables {
            let base = table * 1_000_003;
            let draw = |at: usize, seed: usize| noise(base + seed) * (12.0 * truth[at]).sqrt();
            let said = |i: usize, t: usize, s: usize| {
                let rest = draw(3, 5000 + i * 100 + t * 10 + s);
                draw(0, i) + draw(1, 1000 + t) + draw(2, 2000 + s) + rest
            };
            let found = across_templates([20, 6, 5], said).unwrap();
            sums.iter_mut()
                .zip(found)
                .for_each(|(sum, source)| *sum += source.variance);
        }
        for (sum, truth) in sums.into_iter().zip(truth) {
            let mean = sum / tables as f64;
            assert!((mean - truth).abs() < 0.1 * truth, "{mean}, not {truth}");
        }
    }
}
