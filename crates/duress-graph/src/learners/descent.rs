//! Descent: the least of a smooth function plus a penalty on absolute values (OWL-QN; Andrew and
//! Gao, ICML 2007).
//!
//! L-BFGS (Nocedal, *Mathematics of Computation* 35 (1980) 773–782) within one orthant at a time: a
//! coordinate that would cross zero stops there, so coordinates that the penalty holds at zero are
//! exactly zero, and products with them can be skipped.

use std::collections::VecDeque;

use crate::matrix::{add_times, dot};

/// How many past steps shape the next.
const MEMORY: usize = 10;

/// How much of the decrease that the slope promises a step must deliver.
const DELIVERED: f64 = 1e-4;

/// The most halvings of a step before it is given up.
const HALVINGS: usize = 40;

/// When a descent is near enough: whichever comes first. Learners run many descents, each from where
/// the last one ended, so a single one need not be exact.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    /// After this many steps.
    pub(crate) steps: usize,
    /// When a step lowers the value by less than this, relative to the value.
    pub(crate) decrease: f64,
    /// When no coordinate's slope is above this.
    pub(crate) slope: f64,
}

/// Goes down from `x`, in place, and returns the value there.
///
/// `smooth` fills in its gradient and returns its value, or `None` where it is not defined; it must
/// be defined at the start. A coordinate with an infinite penalty stays at 0.
pub(crate) fn descend(
    x: &mut [f64],
    penalty: &[f64],
    stop: Stop,
    mut smooth: impl FnMut(&[f64], &mut [f64]) -> Option<f64>,
) -> Option<f64> {
    let n = x.len();
    let mut gradient = vec![0.0; n];
    let mut next = vec![0.0; n];
    let mut next_gradient = vec![0.0; n];
    let mut value = smooth(x, &mut gradient)? + weigh(x, penalty);
    let mut past = Past::default();
    let mut slope = vec![0.0; n];
    let mut direction = vec![0.0; n];
    for _ in 0..stop.steps {
        slopes(x, &gradient, penalty, &mut slope);
        let steepest = slope.iter().fold(0.0, |most: f64, s| most.max(s.abs()));
        if steepest <= stop.slope {
            break;
        }
        past.direct(&slope, &mut direction);
        let mut step = if past.steps.is_empty() {
            1.0 / libm::sqrt(dot(&slope, &slope)).max(1.0)
        } else {
            1.0
        };
        let mut reached = None;
        for _ in 0..HALVINGS {
            let promised = advance(x, &direction, (&slope, penalty), step, &mut next);
            if promised < 0.0
                && let Some(smooth_value) = smooth(&next, &mut next_gradient)
                && smooth_value + weigh(&next, penalty) <= value + DELIVERED * promised
            {
                reached = Some(smooth_value + weigh(&next, penalty));
                break;
            }
            step *= 0.5;
        }
        let Some(lower) = reached else {
            // A direction that leads nowhere is forgotten once; the plain slope then has the last
            // word.
            if past.steps.is_empty() {
                break;
            }
            past = Past::default();
            continue;
        };
        past.learn(x, &next, &gradient, &next_gradient);
        let decrease = (value - lower) / value.abs().max(lower.abs()).max(1.0);
        x.copy_from_slice(&next);
        std::mem::swap(&mut gradient, &mut next_gradient);
        value = lower;
        if decrease <= stop.decrease {
            break;
        }
    }
    Some(value)
}

fn weigh(x: &[f64], penalty: &[f64]) -> f64 {
    // An infinite penalty stands on a zero, and ∞ · 0 is no number.
    x.iter()
        .zip(penalty)
        .map(|(x, penalty)| if *x == 0.0 { 0.0 } else { penalty * x.abs() })
        .sum()
}

/// The slope on the side on which the value falls; 0 where it rises on both.
fn slopes(x: &[f64], gradient: &[f64], penalty: &[f64], slope: &mut [f64]) {
    for i in 0..x.len() {
        let g = gradient[i];
        let l = penalty[i];
        slope[i] = if x[i] > 0.0 {
            g + l
        } else if x[i] < 0.0 {
            g - l
        } else {
            (g + l).min(0.0) + (g - l).max(0.0)
        };
    }
}

/// Steps from `x` along `direction`, stopping at zero where there is a penalty; how much the slope
/// promises for it.
fn advance(
    x: &[f64],
    direction: &[f64],
    (slope, penalty): (&[f64], &[f64]),
    step: f64,
    next: &mut [f64],
) -> f64 {
    let mut promised = 0.0;
    for i in 0..x.len() {
        let moved = x[i] + step * direction[i];
        // From zero a coordinate leaves only the way its own slope falls; the promise is the better
        // for what stays.
        let side = if x[i] == 0.0 { -slope[i] } else { x[i] };
        next[i] = if penalty[i] == 0.0 || moved * side > 0.0 {
            moved
        } else {
            0.0
        };
        promised += slope[i] * (next[i] - x[i]);
    }
    promised
}

/// What past steps say about the curvature.
#[derive(Default)]
struct Past {
    /// Step, change of gradient, and one over their product; oldest first.
    steps: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

impl Past {
    fn learn(&mut self, x: &[f64], next: &[f64], gradient: &[f64], next_gradient: &[f64]) {
        let difference =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let step = difference(next, x);
        let change = difference(next_gradient, gradient);
        let product = dot(&step, &change);
        // Where the function bends down it says nothing about where its least is.
        if product > 1e-10 * dot(&change, &change) {
            if self.steps.len() == MEMORY {
                self.steps.pop_front();
            }
            self.steps.push_back((step, change, 1.0 / product));
        }
    }

    /// The direction that curvature and slope give together, by two loops over the past.
    fn direct(&self, slope: &[f64], direction: &mut [f64]) {
        direction
            .iter_mut()
            .zip(slope)
            .for_each(|(direction, slope)| *direction = -slope);
        let mut shares = Vec::with_capacity(self.steps.len());
        for (step, change, over) in self.steps.iter().rev() {
            let share = over * dot(step, direction);
            add_times(direction, -share, change);
            shares.push(share);
        }
        if let Some((_, change, over)) = self.steps.back() {
            let scale = 1.0 / (over * dot(change, change));
            direction.iter_mut().for_each(|x| *x *= scale);
        }
        for ((step, change, over), share) in self.steps.iter().zip(shares.into_iter().rev()) {
            let back = over * dot(change, direction);
            add_times(direction, share - back, step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STOP: Stop = Stop {
        steps: 500,
        decrease: 1e-15,
        slope: 1e-9,
    };

    #[test]
    fn the_penalty_shrinks_a_separable_square_by_its_own_amount() {
        let aims = [3.0, -2.0, 0.4, -0.1, 5.0];
        let penalty = [1.0, 1.0, 1.0, 1.0, f64::INFINITY];
        let mut x = [0.0; 5];
        descend(&mut x, &penalty, STOP, |x, gradient| {
            (0..5).for_each(|i| gradient[i] = x[i] - aims[i]);
            Some((0..5).map(|i| 0.5 * (x[i] - aims[i]).powi(2)).sum())
        });
        for (found, expected) in x.iter().zip([2.0, -1.0, 0.0, 0.0, 0.0]) {
            assert!((found - expected).abs() < 1e-8, "{x:?}");
        }
    }

    #[test]
    fn a_bent_valley_is_followed_to_its_end() {
        let mut x = [-1.2, 1.0];
        let value = descend(&mut x, &[0.0, 0.0], STOP, |x, gradient| {
            gradient[0] = -400.0 * x[0] * (x[1] - x[0] * x[0]) - 2.0 * (1.0 - x[0]);
            gradient[1] = 200.0 * (x[1] - x[0] * x[0]);
            Some(100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2))
        });
        assert!(value.unwrap() < 1e-12 && (x[0] - 1.0).abs() < 1e-5, "{x:?}");
    }

    #[test]
    fn a_wall_is_not_walked_through() {
        let mut x = [0.5];
        descend(&mut x, &[0.0], STOP, |x, gradient| {
            gradient[0] = -1.0 + 0.01 / (1.0 - x[0]);
            (x[0] < 1.0).then(|| -x[0] - 0.01 * (1.0 - x[0]).ln())
        });
        assert!((x[0] - 0.99).abs() < 1e-6, "{x:?}");
        assert_eq!(descend(&mut [2.0], &[0.0], STOP, |_, _| None), None);
    }
}
