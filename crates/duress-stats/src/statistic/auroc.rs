//! The area under the ROC curve.
//!
//! `AUROC = P(score of a positive > score of a negative) + ½ P(equal)`, the Mann–Whitney form (D.
//! Bamber, J. Math. Psych. 12 (1975) 387). Counted in integers, so ties and weights are exact.

use super::Statistic;
use crate::effect::doubled_wins;
use crate::order::{sort_key, sort_keys, sorted, tied_runs};
use crate::parallel::run_both;
use crate::places::Places;
use crate::{UndefinedReason, check};

const POSITIVE: u32 = 1 << 31;
const LAST_OF_TIE: u32 = 1 << 30;
const INDEX: u32 = LAST_OF_TIE - 1;

/// The AUROC of scored items, sorted once.
///
/// ```
/// use duress_stats::statistic::{Auroc, Statistic};
///
/// let auroc = Auroc::new(&[0.1, 0.4, 0.35, 0.8], &[false, false, true, true]).unwrap();
/// assert_eq!(auroc.value().unwrap(), 0.75);
/// assert!(auroc.at_weights(&[1, 1, 0, 0]).is_err()); // no positive drawn
/// ```
#[derive(Debug, Clone)]
pub struct Auroc {
    /// Item indices by ascending score, with the class and the end of a tie in the top bits.
    items: Vec<u32>,
    tied: bool,
}

impl Auroc {
    /// # Errors
    /// Different lengths, no items, or a score that is not finite. One class only is not an error
    /// here: the value is then undefined.
    pub fn new(scores: &[f64], positives: &[bool]) -> Result<Self, UndefinedReason> {
        check::paired(scores, positives)?;
        check::at_least("items", scores.len(), 1)?;
        check::at_most("the number of items", scores.len(), INDEX as usize)?;
        check::finite("the scores", scores)?;
        let entries = sorted(scores);
        let mut tied = false;
        let mut items: Vec<u32> = Vec::with_capacity(entries.len());
        for tie in tied_runs(&entries) {
            tied |= tie.len() > 1;
            items.extend(
                tie.iter()
                    .map(|e| e.index() as u32 | if positives[e.index()] { POSITIVE } else { 0 }),
            );
            if let Some(last) = items.last_mut() {
                *last |= LAST_OF_TIE;
            }
        }
        Ok(Self { items, tied })
    }

    /// Twice the wins, and the weight of each class, when no two scores are equal.
    fn count_distinct(&self, weights: &[u32]) -> (u64, u64, u64) {
        let mut wins = 0_u64;
        let mut negatives = 0_u64;
        let mut all = 0_u64;
        for &item in &self.items {
            let w = u64::from(weights[(item & INDEX) as usize]);
            let positive = 0_u64.wrapping_sub(u64::from(item >> 31));
            wins += (w & positive) * negatives;
            negatives += w & !positive;
            all += w;
        }
        (2 * wins, all - negatives, negatives)
    }

    fn count_tied(&self, weights: &[u32]) -> (u64, u64, u64) {
        let mut doubled = 0_u64;
        let mut positives = 0_u64;
        let mut negatives = 0_u64;
        let mut here_positive = 0_u64;
        let mut here_negative = 0_u64;
        for &item in &self.items {
            let w = u64::from(weights[(item & INDEX) as usize]);
            let positive = 0_u64.wrapping_sub(u64::from(item >> 31));
            here_positive += w & positive;
            here_negative += w & !positive;
            if item & LAST_OF_TIE != 0 {
                doubled += here_positive * (2 * negatives + here_negative);
                positives += here_positive;
                negatives += here_negative;
                (here_positive, here_negative) = (0, 0);
            }
        }
        (doubled, positives, negatives)
    }

    fn count(&self, weights: &[u32]) -> (u64, u64, u64) {
        if self.tied {
            self.count_tied(weights)
        } else {
            self.count_distinct(weights)
        }
    }
}

impl Statistic for Auroc {
    fn units(&self) -> usize {
        self.items.len()
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let (doubled, positives, negatives) = self.count(weights);
        share(doubled, positives, negatives)
    }

    fn ranked(&self) -> Option<Vec<(f64, bool)>> {
        let mut ranked = vec![(0.0, false); self.items.len()];
        let ties = self.items.split_inclusive(|item| item & LAST_OF_TIE != 0);
        for (place, tie) in ties.enumerate() {
            for &item in tie {
                ranked[(item & INDEX) as usize] = (place as f64, item & POSITIVE != 0);
            }
        }
        Some(ranked)
    }

    /// An item's own part in the count is twice the rivals it beats plus those it ties with.
    fn leave_one_out(&self) -> Option<Vec<Result<f64, UndefinedReason>>> {
        let (doubled, positives, negatives) = self.count(&vec![1; self.items.len()]);
        let mut without = vec![
            Err(UndefinedReason::OneClass {
                positives: 0,
                negatives: 0
            });
            self.items.len()
        ];
        let mut positives_below = 0;
        let mut negatives_below = 0;
        for tie in self.items.split_inclusive(|item| item & LAST_OF_TIE != 0) {
            let here = tie.iter().filter(|&&item| item & POSITIVE != 0).count() as u64;
            let rest = tie.len() as u64 - here;
            let won = 2 * negatives_below + rest;
            let lost = 2 * (positives - positives_below - here) + here;
            for &item in tie {
                without[(item & INDEX) as usize] = match item & POSITIVE != 0 {
                    true => share(doubled - won, positives - 1, negatives),
                    false => share(doubled - lost, positives, negatives - 1),
                };
            }
            positives_below += here;
            negatives_below += rest;
        }
        Some(without)
    }
}

fn share(doubled: u64, positives: u64, negatives: u64) -> Result<f64, UndefinedReason> {
    if positives == 0 || negatives == 0 {
        return Err(UndefinedReason::OneClass {
            positives: positives as usize,
            negatives: negatives as usize,
        });
    }
    Ok(doubled as f64 / (2.0 * positives as f64 * negatives as f64))
}

/// The AUROC once, without preparing for resamples: the rarer class is sorted, and every item of
/// the other finds its place in it; where neither is rare, both are sorted, each on a thread.
///
/// ```
/// use duress_stats::statistic::auroc;
///
/// assert_eq!(auroc(&[0.1, 0.4, 0.35, 0.8], &[false, false, true, true]).unwrap(), 0.75);
/// ```
///
/// # Errors
/// Different lengths, one class only, or a score that is not finite.
pub fn auroc(scores: &[f64], positives: &[bool]) -> Result<f64, UndefinedReason> {
    check::paired(scores, positives)?;
    check::finite("the scores", scores)?;
    let count = positives.iter().filter(|positive| **positive).count();
    if 4 * count.min(scores.len() - count) < scores.len() {
        return auroc_of(scores.len(), |i| scores[i], count, |i| positives[i]);
    }
    check::at_most("the number of items", scores.len(), INDEX as usize)?;
    let (mut above, mut below) = by_class(scores, positives, count);
    run_both(
        scores.len(),
        || sort_keys(&mut above),
        || sort_keys(&mut below),
    );
    share(
        doubled_wins(&above, &below),
        above.len() as u64,
        below.len() as u64,
    )
}

/// The keys of the positives and of the others; each is written to both, and stays where it
/// belongs, without a branch.
fn by_class(scores: &[f64], positives: &[bool], count: usize) -> (Vec<u64>, Vec<u64>) {
    let mut above = vec![0; count + 1];
    let mut below = vec![0; scores.len() - count + 1];
    let mut i = 0;
    let mut j = 0;
    for (&score, &positive) in scores.iter().zip(positives) {
        let key = sort_key(score);
        above[i] = key;
        below[j] = key;
        i += usize::from(positive);
        j += usize::from(!positive);
    }
    above.truncate(count);
    below.truncate(scores.len() - count);
    (above, below)
}

/// The same of finite scores that a function tells, with the positives counted and told.
pub(super) fn auroc_of(
    items: usize,
    score: impl Fn(usize) -> f64 + Sync,
    positives: usize,
    positive: impl Fn(usize) -> bool + Sync,
) -> Result<f64, UndefinedReason> {
    check::at_most("the number of items", items, INDEX as usize)?;
    let negatives = items - positives;
    let rarer = positives <= negatives;
    let places = Places::from_numbers((0..items).filter(|&i| positive(i) == rarer).map(&score));
    let below = |from: usize, to: usize| -> u64 {
        // What is of the rarer class adds nothing, without a branch.
        let counts = |i: usize| 0_u64.wrapping_sub(u64::from(positive(i) != rarer));
        (from..to)
            .map(|i| places.doubled_below(score(i)) & counts(i))
            .sum()
    };
    let middle = items / 2;
    let (first, second) = run_both(items, || below(0, middle), || below(middle, items));
    let doubled = match rarer {
        true => 2 * (positives as u64) * (negatives as u64) - first - second,
        false => first + second,
    };
    share(doubled, positives as u64, negatives as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    #[test]
    fn the_area_is_the_same_however_rare_a_class_is() {
        let mut stream = RandomStream::new(1, 5);
        for share in [0.01, 0.2, 0.24, 0.26, 0.5, 0.77, 0.99] {
            let positives: Vec<bool> = (0..5000).map(|_| stream.next_unit() < share).collect();
            let score =
                |u: f64, positive: bool| libm::floor(50.0 * u) / 50.0 + 0.1 * f64::from(positive);
            let scores: Vec<f64> = positives
                .iter()
                .map(|positive| score(stream.next_unit(), *positive))
                .collect();
            let prepared = Auroc::new(&scores, &positives).unwrap().value();
            assert_eq!(
                auroc(&scores, &positives).unwrap(),
                prepared.unwrap(),
                "{share}"
            );
        }
    }
}
