//! Fast minimum norm: steps of falling length in a ball that shrinks where they break the item and
//! grows where they do not.

use std::f64::consts::PI;

use duress_core::objective::Objective;
use duress_core::subject::{Failure, Loss};

use super::ladder::{Entry, LadderState, Method, is_flat};
use super::nearest::Nearest;
use super::oracle::Goal;
use super::seats::{Seated, Seats};
use crate::ball::{Norm, dual_length, step_up};

/// The first and the last step, as shares of the ball.
const STEP: (f64, f64) = (1.0, 0.01);

/// By which share the ball shrinks or grows, at first and at last.
const CHANGE: (f64, f64) = (0.05, 0.001);

/// The fast minimum-norm attack (Pintor et al., 2021): how little it takes to break each item, in
/// one pass for all budgets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fmn {
    /// What is to be small.
    pub norm: Norm,
    /// How many steps.
    pub steps: usize,
    /// How many answers of a randomised subject make one.
    pub repeats: usize,
}

impl Fmn {
    pub(super) fn norm(&self) -> Norm {
        self.norm
    }

    pub(super) fn method(&self) -> FmnMethod {
        FmnMethod::new(*self)
    }
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

    fn step_all(
        &mut self,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Searcher>,
        gradient: &mut [f32],
    ) -> Result<(), Failure> {
        let size = ladder.images.size();
        let gradient = &mut gradient[..seats.len() * size];
        gradient.fill(0.0);
        let (which, pixels) = (&seats.which, &seats.pixels);
        let losses = ladder.query(which, pixels, self.goal(), &[], Some(gradient))?;
        for (seat, found) in losses.into_iter().enumerate().rev() {
            let slope = &gradient[seat * size..(seat + 1) * size];
            let item = seats.seated[seat].entry.item;
            if is_flat(slope) {
                ladder.note_flat(item);
            }
            if !found.right {
                self.nearest.offer(item, seats.pixels_at(seat), ladder);
            }
            let (searcher, here) = seats.at_mut(seat);
            let clean = ladder.images.image(item);
            let far = self.nearest.far(item);
            if !searcher.step_on(&self.how, clean, found, far, slope, here) {
                seats.leave(seat);
            }
        }
        Ok(())
    }
}

impl Method for FmnMethod {
    fn goal(&self) -> Goal {
        Goal::Climb(Objective::Margin)
    }

    fn looks_ahead(&self) -> bool {
        false
    }

    fn press(&mut self, ladder: &mut LadderState<'_>, budget: f64) -> Result<(), Failure> {
        let mut waiting = self.nearest.untried(ladder).into_iter();
        let size = ladder.images.size();
        let mut seats: Seats<Searcher> = Seats::new(size, ladder.batch);
        let mut gradient = vec![0.0; size * ladder.batch];
        loop {
            while seats.len() < ladder.batch
                && let Some(entry) = waiting.next()
            {
                seats.take_seat(Searcher::new(entry), ladder.images.image(entry.item));
            }
            if seats.is_empty() {
                break;
            }
            self.step_all(ladder, &mut seats, &mut gradient)?;
        }
        self.nearest.settle(ladder, budget, self.goal())
    }
}

/// The search of one item.
struct Searcher {
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
        clean: &[f32],
        found: Loss,
        nearest: Option<f64>,
        slope: &[f32],
        here: &mut [f32],
    ) -> bool {
        if self.step == how.steps || is_flat(slope) {
            return false;
        }
        let change = annealed(CHANGE, self.step, how.steps);
        self.radius = match (nearest, found.right) {
            (Some(nearest), false) => self.radius.min(nearest) * (1.0 - change),
            (Some(_), true) => self.radius * (1.0 + change),
            // Nothing has broken it: as far as it is to where the margin would be gone, if it fell
            // as it does here.
            (None, _) => {
                let here = crate::ball::distance(how.norm, clean, here);
                here + -found.loss / dual_length(how.norm, slope).max(f64::MIN_POSITIVE)
            }
        };
        // Nothing is further than the box is wide.
        self.radius = self.radius.min(libm::sqrt(clean.len() as f64));
        let stride = annealed(STEP, self.step, how.steps) * self.radius;
        // What the box forbids would use up the step and then be cut off.
        let allowed = |(&slope, &x): (&f32, &f32)| match slope > 0.0 {
            true if x >= 1.0 => 0.0,
            false if x <= 0.0 => 0.0,
            _ => slope,
        };
        let slope: Vec<f32> = slope.iter().zip(here.iter()).map(allowed).collect();
        step_up(how.norm, stride, self.radius, clean, &slope, here);
        self.step += 1;
        true
    }
}

/// A value that falls along a cosine from the first to the last step.
fn annealed((first, last): (f64, f64), step: usize, steps: usize) -> f64 {
    let way = step as f64 / steps as f64;
    last + (first - last) * (1.0 + libm::cos(PI * way)) / 2.0
}
