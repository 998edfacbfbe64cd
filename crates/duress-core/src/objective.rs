//! What an attack climbs: losses of a classifier's logits at a label, and how they change with each
//! logit.
//!
//! Cross-entropy is what subjects are trained on; where logits are large it is flat, and an attack
//! that climbs it stands still. Margins are not, and two of them do not even change when all logits
//! are multiplied.

use crate::subject::Loss;

crate::words! {
    /// A loss of logits at a label: the higher, the nearer to a wrong answer.
    pub enum Objective {
        /// Cross-entropy. Flat where the softmax is saturated.
        CrossEntropy = "ce",
        /// The largest other logit minus the label's (Carlini and Wagner, 2017).
        Margin = "margin",
        /// The margin divided by the gap between the first and the third logit (Croce and Hein,
        /// 2020): the same when logits are scaled or shifted. Needs three classes, aimed four; with
        /// fewer it is the margin.
        Dlr = "dlr",
        /// The largest other probability minus the label's.
        ProbabilityMargin = "probability-margin",
    }
}

/// A class that an attack aims at. Which one it is stays inside: with the others it would tell the
/// label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim(pub(crate) u32);

/// Keeps a ratio of logits finite where they are all alike.
const TINY: f64 = 1e-12;

impl Objective {
    /// The loss of `logits` at `label`, towards the class aimed at or else towards the nearest,
    /// whether the label is the answer and, if asked for, how the loss changes with each logit.
    ///
    /// ```
    /// use duress_core::objective::Objective;
    /// let found = Objective::Margin.evaluate(&[3.0, 1.0, 2.0], 0, None, None);
    /// assert_eq!((found.loss, found.right), (-1.0, true));
    /// ```
    pub fn evaluate(
        self,
        logits: &[f32],
        label: u32,
        aim: Option<Aim>,
        slope: Option<&mut [f32]>,
    ) -> Loss {
        let rival = aim.map_or_else(|| nearest_rival(logits, label), |aim| aim.0 as usize);
        let loss = match (self, aim) {
            (Objective::CrossEntropy, None) => return cross_entropy(logits, label, 1.0, slope),
            (Objective::CrossEntropy, Some(aim)) => -cross_entropy(logits, aim.0, -1.0, slope).loss,
            (Objective::Margin, _) => margin(logits, label, rival, slope),
            (Objective::Dlr, _) => match spread(logits, aim.is_some()) {
                Some(spread) => ratio(logits, label, rival, &spread, slope),
                None => margin(logits, label, rival, slope),
            },
            (Objective::ProbabilityMargin, _) => probability_margin(logits, label, rival, slope),
        };
        Loss {
            loss,
            right: first_largest(logits) == Some(label as usize),
        }
    }
}

/// The class that is answered: the first of the largest.
fn first_largest(logits: &[f32]) -> Option<usize> {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    logits.iter().position(|&logit| logit == top)
}

/// The class other than the label with the largest logit; the label itself where there is no other.
fn nearest_rival(logits: &[f32], label: u32) -> usize {
    let label = label as usize;
    let others = (0..logits.len()).filter(|&class| class != label);
    others
        .reduce(|best, class| match logits[class] > logits[best] {
            true => class,
            false => best,
        })
        .unwrap_or(label)
}

/// The classes other than the label, the most likely first.
pub(crate) fn rivals(scores: &[f64], label: u32) -> Vec<Aim> {
    let mut classes: Vec<u32> = (0..scores.len() as u32)
        .filter(|class| *class != label)
        .collect();
    classes.sort_by(|a, b| scores[*b as usize].total_cmp(&scores[*a as usize]));
    classes.into_iter().map(Aim).collect()
}

fn margin(logits: &[f32], label: u32, rival: usize, slope: Option<&mut [f32]>) -> f64 {
    let label = label as usize;
    if let Some(slope) = slope {
        slope.fill(0.0);
        slope[rival] += 1.0;
        slope[label] -= 1.0;
    }
    f64::from(logits[rival]) - f64::from(logits[label])
}

/// What a margin is divided by: a sum of logits with these weights.
struct LogitSpread {
    weights: Vec<(usize, f64)>,
}

/// The first logit minus the third or, aimed, minus the mean of the third and the fourth.
fn spread(logits: &[f32], aimed: bool) -> Option<LogitSpread> {
    let mut order: Vec<usize> = (0..logits.len()).collect();
    order.sort_by(|a, b| logits[*b].total_cmp(&logits[*a]));
    let weights = match (order.as_slice(), aimed) {
        ([first, _, third, ..], false) => vec![(*first, 1.0), (*third, -1.0)],
        ([first, _, third, fourth, ..], true) => {
            vec![(*first, 1.0), (*third, -0.5), (*fourth, -0.5)]
        }
        _ => return None,
    };
    Some(LogitSpread { weights })
}

fn ratio(
    logits: &[f32],
    label: u32,
    rival: usize,
    spread: &LogitSpread,
    slope: Option<&mut [f32]>,
) -> f64 {
    let label = label as usize;
    let weighted = spread.weights.iter();
    let below: f64 = weighted
        .map(|&(class, weight)| weight * f64::from(logits[class]))
        .sum::<f64>()
        + TINY;
    let above = f64::from(logits[rival]) - f64::from(logits[label]);
    if let Some(slope) = slope {
        let mut exact = vec![0.0; logits.len()];
        exact[rival] += 1.0 / below;
        exact[label] -= 1.0 / below;
        for &(class, weight) in &spread.weights {
            exact[class] -= weight * above / (below * below);
        }
        copy_to_single(&exact, slope);
    }
    above / below
}

fn copy_to_single(exact: &[f64], slope: &mut [f32]) {
    for (slope, exact) in slope.iter_mut().zip(exact) {
        *slope = *exact as f32;
    }
}

fn probability_margin(logits: &[f32], label: u32, rival: usize, slope: Option<&mut [f32]>) -> f64 {
    let label = label as usize;
    let exact: Vec<f64> = logits.iter().map(|&logit| f64::from(logit)).collect();
    let p = crate::answer::softmax(&exact);
    let margin = p[rival] - p[label];
    if let Some(slope) = slope {
        let mut exact: Vec<f64> = p.iter().map(|p| -p * margin).collect();
        exact[rival] += p[rival];
        exact[label] -= p[label];
        copy_to_single(&exact, slope);
    }
    margin
}

/// The cross-entropy of softmax(`logits`) at `label`, whether the label is the answer, and, times
/// `weight`, how the loss changes with each logit.
///
/// The slope at the label is minus the sum of the other probabilities, not its own probability
/// minus one: it stays exact where that difference would round to zero, so a confident network does
/// not look flat to an attack.
pub fn cross_entropy(logits: &[f32], label: u32, weight: f64, slope: Option<&mut [f32]>) -> Loss {
    let label = label as usize;
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    // A small network takes less time than the powers of its logits, so each is taken once.
    let raised: Vec<f64> = logits
        .iter()
        .map(|&logit| libm::exp(f64::from(logit) - f64::from(top)))
        .collect();
    let sum: f64 = raised.iter().sum();
    let others: f64 = raised
        .iter()
        .enumerate()
        .filter(|(class, _)| *class != label)
        .map(|(_, raised)| raised)
        .sum();
    if let Some(slope) = slope {
        for (slope, raised) in slope.iter_mut().zip(&raised) {
            *slope = (weight * raised / sum) as f32;
        }
        slope[label] = (-weight * others / sum) as f32;
    }
    // For the same reason: next to 1 the others would be lost, and with them which of two sure
    // answers is the surer.
    let loss = match logits[label] == top {
        true => libm::log1p(others),
        false => libm::log(sum) + f64::from(top) - f64::from(logits[label]),
    };
    Loss {
        loss,
        right: logits.iter().position(|&logit| logit == top) == Some(label),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::Word;

    #[test]
    fn the_loss_is_the_negative_logarithm_of_the_softmax() {
        let logits = [1.0_f32, 3.0, -2.0];
        for label in 0..3 {
            let softmax = crate::answer::softmax(&[1.0, 3.0, -2.0]);
            let found = cross_entropy(&logits, label, 1.0, None);
            assert!((found.loss + libm::log(softmax[label as usize])).abs() < 1e-12);
            assert_eq!(found.right, label == 1);
        }
    }

    #[test]
    fn a_tie_is_answered_with_the_first_class_as_core_does() {
        assert!(cross_entropy(&[1.0, 1.0], 0, 1.0, None).right);
        assert!(!cross_entropy(&[1.0, 1.0], 1, 1.0, None).right);
    }

    #[test]
    fn the_slope_is_that_of_the_loss_and_does_not_vanish_when_the_network_is_sure() {
        let logits = [0.5_f32, -1.0, 2.0];
        let mut slope = [0.0; 3];
        cross_entropy(&logits, 0, 1.0, Some(&mut slope));
        for class in 0..3 {
            let moved = |by: f32| {
                let mut moved = logits;
                moved[class] += by;
                cross_entropy(&moved, 0, 1.0, None).loss
            };
            let finite = (moved(1.0 / 1024.0) - moved(-1.0 / 1024.0)) * 512.0;
            assert!(
                (finite - f64::from(slope[class])).abs() < 1e-5,
                "{finite} {slope:?}"
            );
        }
        cross_entropy(&[60.0, 0.0, 0.0], 0, 1.0, Some(&mut slope));
        assert!(slope[0] < 0.0 && slope[1] > 0.0, "{slope:?}");
        let loss = |sure: f32| cross_entropy(&[sure, 0.0, 0.0], 0, 1.0, None).loss;
        assert!(
            0.0 < loss(60.001) && loss(60.001) < loss(60.0),
            "{} {}",
            loss(60.001),
            loss(60.0)
        );
    }

    /// Logits of four classes with the label in every place, aimed and not.
    fn check_slopes(objective: Objective, logits: [f32; 4]) {
        for label in 0..4 {
            let aims = rivals(&logits.map(f64::from), label);
            for aim in [None].into_iter().chain(aims.into_iter().map(Some)) {
                let mut slope = [0.0; 4];
                objective.evaluate(&logits, label, aim, Some(&mut slope));
                for class in 0..4 {
                    let moved = |by: f32| {
                        let mut moved = logits;
                        moved[class] += by;
                        objective.evaluate(&moved, label, aim, None).loss
                    };
                    let finite = (moved(1.0 / 1024.0) - moved(-1.0 / 1024.0)) * 512.0;
                    assert!(
                        (finite - f64::from(slope[class])).abs() < 1e-4,
                        "{objective} {label} {aim:?} {finite} {slope:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn every_slope_is_that_of_its_loss_aimed_and_not() {
        for objective in Objective::ALL {
            check_slopes(*objective, [0.5, -1.0, 2.0, 1.25]);
        }
    }

    #[test]
    fn losses_rise_towards_a_wrong_answer_and_dlr_is_the_same_at_every_scale() {
        for objective in Objective::ALL {
            let loss = |sure: f32| {
                objective
                    .evaluate(&[sure, 1.0, 0.5, 0.0], 0, None, None)
                    .loss
            };
            assert!(
                loss(1.5) < loss(1.25) && loss(1.25) < loss(0.75),
                "{objective}"
            );
        }
        let scaled = |by: f32| {
            let logits = [3.0, 2.0, 0.5, -1.0].map(|logit: f32| logit * by);
            Objective::Dlr.evaluate(&logits, 0, None, None).loss
        };
        assert!((scaled(1.0) - scaled(1e4)).abs() < 1e-6);
    }

    #[test]
    fn with_too_few_classes_dlr_is_the_margin() {
        let two = Objective::Dlr.evaluate(&[3.0, 1.0], 0, None, None);
        assert_eq!(two, Objective::Margin.evaluate(&[3.0, 1.0], 0, None, None));
        let [aim, _] = rivals(&[3.0, 1.0, 2.0], 0)[..] else {
            panic!("two rivals")
        };
        let three = |objective: Objective| objective.evaluate(&[3.0, 1.0, 2.0], 0, Some(aim), None);
        assert_eq!(three(Objective::Dlr), three(Objective::Margin));
    }

    #[test]
    fn whoever_is_aimed_at_the_answer_is_judged_by_the_label() {
        let aims = rivals(&[1.0, 3.0, 2.0], 1);
        assert_eq!(
            aims,
            [Aim(2), Aim(0)],
            "the most likely first, without the label"
        );
        for objective in Objective::ALL {
            for aim in &aims {
                assert!(
                    objective
                        .evaluate(&[1.0, 3.0, 2.0], 1, Some(*aim), None)
                        .right
                );
            }
        }
    }
}
