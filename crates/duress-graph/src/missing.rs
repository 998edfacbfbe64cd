//! Missingness: which values of a window are hidden.

use duress_core::data::Windows;
use duress_core::seed::Draws;

/// Hides each value of `window` with probability `rate`, whatever it is (MCAR; Rubin, *Biometrika* 63 (1976) 581–592).
///
/// Every value has its own draw, also one that is hidden already: a higher rate from the same draws hides the same values and
/// more, on any data.
pub fn completely_at_random(windows: &mut Windows, window: usize, rate: f64, mut draws: Draws) {
    for step in 0..windows.steps() {
        for variable in 0..windows.variables().len() {
            if draws.chance(rate) {
                windows.hide(window, step, variable);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::seed::Seed;

    fn hidden(rate: f64) -> Vec<bool> {
        let mut windows = Windows::new(vec!["a".into(), "b".into()], 500, vec![0], vec![1.0; 1000]).unwrap();
        completely_at_random(&mut windows, 0, rate, Seed::new(4).draws());
        (0..1000).map(|at| windows.get(0, at / 2, at % 2).is_none()).collect()
    }

    #[test]
    fn a_higher_rate_hides_the_same_values_and_more() {
        assert!(hidden(0.0).iter().all(|hidden| !hidden));
        assert!(hidden(1.0).iter().all(|hidden| *hidden));
        let (few, many) = (hidden(0.2), hidden(0.6));
        assert!(few.iter().zip(&many).all(|(few, many)| *many || !*few));
        let count = few.iter().filter(|hidden| **hidden).count();
        assert!((150..250).contains(&count), "{count}");
    }
}
