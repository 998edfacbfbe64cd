//! Cross-entropy: what training lowers and an attack raises.

use duress_core::subject::Loss;

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

    #[test]
    fn the_loss_is_the_negative_logarithm_of_the_softmax() {
        let logits = [1.0_f32, 3.0, -2.0];
        for label in 0..3 {
            let softmax = duress_core::answer::softmax(&[1.0, 3.0, -2.0]);
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
}
