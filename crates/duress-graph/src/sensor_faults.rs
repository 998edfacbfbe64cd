//! Sensor faults: readings that are stuck, late, early, or rarer than those of others.

use duress_core::data::Windows;
use duress_core::seed::{Draws, Seed};

/// Sensors die: with probability `rate` a variable repeats, from a step of the window on, what it read
/// there.
pub fn stuck(windows: &mut Windows, window: usize, rate: f64, mut draws: Draws) {
    for variable in 0..windows.variables().len() {
        let dies = draws.chance(rate);
        let from = draws.below(windows.steps());
        let mut last = None;
        for step in (0..windows.steps()).filter(|_| dies) {
            let Some(x) = windows.get(window, step, variable) else {
                continue;
            };
            match last {
                Some(stuck) if step > from => windows.set(window, step, variable, stuck),
                _ => last = Some(x),
            }
        }
    }
}

/// Clocks are off: each value is read up to `most` of a step early or late, on the line between its
/// neighbours. Where the neighbour is hidden or there is none, it is read in time.
pub fn jitter(windows: &mut Windows, window: usize, most: f64, mut draws: Draws) {
    let before = windows.clone();
    for step in 0..windows.steps() {
        for variable in 0..windows.variables().len() {
            let off = most * draws.between(-1.0, 1.0);
            let neighbour = if off < 0.0 {
                step.checked_sub(1)
            } else {
                Some(step + 1)
            };
            let neighbour = neighbour.filter(|&at| at < windows.steps());
            let beside = neighbour.and_then(|at| before.get(window, at, variable));
            if let (Some(x), Some(beside)) = (before.get(window, step, variable), beside) {
                let size = off.abs();
                windows.set(window, step, variable, (1.0 - size) * x + size * beside);
            }
        }
    }
}

/// Slow sensors: with probability `share`, once for the data set, a variable is read at every
/// `every`-th step only. Windows begin anywhere in between.
pub fn slow(
    windows: &mut Windows,
    share: f64,
    every: usize,
    seed: Seed,
    of_window: impl Fn(usize) -> Draws,
) {
    let mut draws = seed.child("slow").draws();
    let slow: Vec<bool> = windows
        .variables()
        .iter()
        .map(|_| draws.chance(share))
        .collect();
    for window in 0..windows.len() {
        let mut draws = of_window(window);
        for (variable, slow) in slow.iter().enumerate() {
            let first = draws.below(every);
            for step in (0..windows.steps()).filter(|step| *slow && step % every != first) {
                windows.hide(window, step, variable);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(windows: usize) -> Windows {
        let values = (0..windows * 40).map(|at| (at / 2) as f64).collect();
        Windows::new(vec!["a".into(), "b".into()], 20, vec![0; windows], values).unwrap()
    }

    fn draws(w: usize) -> Draws {
        Seed::new(3).child(w.to_string()).draws()
    }

    #[test]
    fn a_stuck_sensor_repeats_and_others_do_not() {
        let mut windows = counting(200);
        (0..200).for_each(|w| stuck(&mut windows, w, 0.3, draws(w)));
        let repeats = |w: usize| windows.get(w, 19, 0) == windows.get(w, 18, 0);
        let count = (0..200).filter(|&w| repeats(w)).count();
        // Of those that die, one in twenty does so at the last step.
        assert!((40..75).contains(&count), "{count}");
        let before = |w: usize| windows.get(w, 0, 0) == Some((20 * w) as f64);
        assert!((0..200).all(before));
    }

    #[test]
    fn jitter_stays_between_neighbours() {
        let mut windows = counting(3);
        jitter(&mut windows, 1, 0.4, draws(1));
        let plain = counting(3);
        let off = |t: usize| windows.get(1, t, 0).unwrap() - plain.get(1, t, 0).unwrap();
        assert!((0..20).all(|t| off(t).abs() <= 0.4));
        assert!((1..19).any(|t| off(t).abs() > 0.05));
        assert_eq!(windows.get(0, 4, 0), plain.get(0, 4, 0));
    }

    #[test]
    fn a_slow_sensor_reads_at_every_nth_step() {
        let mut windows = counting(4);
        slow(&mut windows, 1.0, 4, Seed::new(1), draws);
        for w in 0..4 {
            let seen: Vec<usize> = (0..20)
                .filter(|&t| windows.get(w, t, 0).is_some())
                .collect();
            assert_eq!(seen.len(), 5);
            assert!(seen.windows(2).all(|pair| pair[1] - pair[0] == 4));
        }
    }
}
