//! Fast minimum norm: steps of falling length in a ball that shrinks where they break the item and
//! grows where they do not.

use std::collections::VecDeque;
use std::f64::consts::PI;

use duress_core::objective::Objective;
use duress_core::subject::{Failure, Loss};

use super::Limits;
use super::ladder::{Entry, LadderState, is_flat};
use super::nearest::{Nearest, ShortestWay};
use super::oracle::Goal;
use super::seats::{Seated, Seating, Seats, Waiting};
use crate::ball::{distance, dual_length, step_up, widest};

/// The first and the last step, as shares of the ball.
const STEP: (f64, f64) = (1.0, 0.01);

/// By which share the ball shrinks or grows, at first and at last.
const CHANGE: (f64, f64) = (0.05, 0.001);

/// The fast minimum-norm attack (Pintor et al., 2021): how little it takes to break each item, in
/// one pass for all budgets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fmn {
    /// What is to be small.
    pub limits: Limits,
    /// How many steps.
    pub steps: usize,
}

/// The attack with what it found.
pub(super) struct FmnMethod {
    how: Fmn,
    nearest: Nearest,
}

impl FmnMethod {
    pub(super) fn new(how: Fmn) -> FmnMethod {
        FmnMethod {
            how,
            nearest: Nearest::default(),
        }
    }
}

impl ShortestWay for FmnMethod {
    const LABEL: &'static str = "fmn";
    const GOAL: Goal = Goal::Climb(Objective::Margin);

    fn nearest(&mut self) -> &mut Nearest {
        &mut self.nearest
    }
}

impl Seating for FmnMethod {
    type One = Searcher;

    fn sit(
        &mut self,
        Waiting { entry, .. }: Waiting,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Searcher>,
    ) {
        seats.take_seat(Searcher::new(entry), ladder.images.image(entry.item));
    }

    fn step_all(
        &mut self,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Searcher>,
        _waiting: &mut VecDeque<Waiting>,
    ) -> Result<(), Failure> {
        let losses = seats.ask_slopes(ladder, FmnMethod::GOAL, &[])?;
        for (seat, found) in losses.into_iter().enumerate().rev() {
            self.nearest.take_in(seat, found, seats, ladder);
            let (searcher, here, slope) = seats.at_mut(seat);
            let far = self.nearest.far(searcher.entry.item);
            if !searcher.step_on(&self.how, ladder, found, far, slope, here) {
                seats.leave(seat);
            }
        }
        Ok(())
    }
}

/// The search of one item.
pub(super) struct Searcher {
    entry: Entry,
    step: usize,
    radius: f64,
}

impl Seated for Searcher {
    fn entry(&self) -> Entry {
        self.entry
    }
}

impl Searcher {
    fn new(entry: Entry) -> Searcher {
        Searcher {
            entry,
            step: 0,
            radius: 0.0,
        }
    }

    /// Takes in what was found `here`, and moves on; tells whether there is a way on.
    fn step_on(
        &mut self,
        how: &Fmn,
        ladder: &LadderState<'_>,
        found: Loss,
        nearest: Option<f64>,
        slope: &[f32],
        here: &mut [f32],
    ) -> bool {
        let norm = ladder.norm;
        let clean = ladder.images.image(self.entry.item);
        if self.step == how.steps || is_flat(slope) {
            return false;
        }
        let change = annealed(CHANGE, self.step, how.steps);
        self.radius = match (nearest, found.right) {
            (Some(nearest), false) => self.radius.min(nearest) * (1.0 - change),
            (Some(_), true) => self.radius * (1.0 + change),
            // A randomised subject is wrong on average and right at times: further out.
            (None, _) if found.loss > 0.0 => distance(norm, clean, here) * (1.0 + change),
            // Nothing has broken it: as far as it is to where the margin would be gone, if it fell
            // as it does here.
            (None, _) => {
                let here = distance(norm, clean, here);
                here + -found.loss / dual_length(norm, slope).max(f64::MIN_POSITIVE)
            }
        };
        self.radius = self.radius.min(widest(norm, clean.len()));
        let stride = annealed(STEP, self.step, how.steps) * self.radius;
        // What the box forbids would use up the step and then be cut off.
        let allowed = |(&slope, &x): (&f32, &f32)| match slope > 0.0 {
            true if x >= 1.0 => 0.0,
            false if x <= 0.0 => 0.0,
            _ => slope,
        };
        let slope: Vec<f32> = slope.iter().zip(here.iter()).map(allowed).collect();
        step_up(norm, stride, self.radius, clean, &slope, here);
        self.step += 1;
        true
    }
}

/// A value that falls along a cosine from the first to the last step.
fn annealed((first, last): (f64, f64), step: usize, steps: usize) -> f64 {
    let way = step as f64 / steps as f64;
    last + (first - last) * (1.0 + libm::cos(PI * way)) / 2.0
}
