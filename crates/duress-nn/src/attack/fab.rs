//! Fast adaptive boundary: to where the network, taken for linear, would change its mind, and from
//! there back towards the item.

use std::collections::VecDeque;

use duress_core::objective::{Aim, Objective};
use duress_core::subject::{Failure, Loss};

use super::Limits;
use super::aims::Aims;
use super::ladder::{Entry, LadderState, is_flat};
use super::nearest::{Nearest, ShortestWay};
use super::oracle::Goal;
use super::seats::{Seated, Seating, Seats, Waiting};
use crate::ball::{distance, to_hyperplane};

/// How far beyond the boundary a step goes.
const OVERSHOOT: f64 = 1.05;

/// The most weight that the clean image gets in a step.
const MOST_BIAS: f64 = 0.1;

/// How much of the way from the clean image is kept after a break.
const BACK: f64 = 0.9;

/// The fast adaptive boundary attack (Croce and Hein, 2020), aimed at the most likely other classes
/// in turn: how little it takes to break each item, in one pass for all budgets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fab {
    /// What is to be small.
    pub limits: Limits,
    /// How many classes are aimed at.
    pub targets: usize,
    /// How many steps towards each.
    pub steps: usize,
}

/// The attack with what it found.
pub(super) struct FabMethod {
    how: Fab,
    nearest: Nearest,
    aims: Aims,
}

impl FabMethod {
    pub(super) fn new(how: Fab) -> FabMethod {
        FabMethod {
            how,
            nearest: Nearest::default(),
            aims: Aims::new(how.targets, 1),
        }
    }
}

impl ShortestWay for FabMethod {
    const LABEL: &'static str = "fab";
    const GOAL: Goal = Goal::Climb(Objective::Margin);

    fn nearest(&mut self) -> &mut Nearest {
        &mut self.nearest
    }

    fn prepare(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        self.aims.find(ladder)
    }
}

impl Seating for FabMethod {
    type One = Crosser;

    fn sit(&mut self, turn: Waiting, ladder: &mut LadderState<'_>, seats: &mut Seats<Crosser>) {
        let item = turn.entry.item;
        if let Some(aim) = self.aims.aim(item, turn.run) {
            let crosser = Crosser { turn, aim, step: 0 };
            seats.take_seat(crosser, ladder.images.image(item));
        }
    }

    fn step_all(
        &mut self,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Crosser>,
        waiting: &mut VecDeque<Waiting>,
    ) -> Result<(), Failure> {
        let aims: Vec<Aim> = seats.seated.iter().map(|crosser| crosser.aim).collect();
        let losses = seats.ask_slopes(ladder, FabMethod::GOAL, &aims)?;
        for (seat, found) in losses.into_iter().enumerate().rev() {
            self.nearest.take_in(seat, found, seats, ladder);
            let (crosser, here, slope) = seats.at_mut(seat);
            if crosser.step_on(&self.how, ladder, found, slope, here) {
                continue;
            }
            let crosser = seats.leave(seat);
            waiting.push_back(crosser.turn.next());
        }
        Ok(())
    }
}

/// One way of one item across a boundary.
pub(super) struct Crosser {
    turn: Waiting,
    aim: Aim,
    step: usize,
}

impl Seated for Crosser {
    fn entry(&self) -> Entry {
        self.turn.entry
    }
}

impl Crosser {
    /// Takes in what was found `here`, and moves on; tells whether there is a way on.
    fn step_on(
        &mut self,
        how: &Fab,
        ladder: &LadderState<'_>,
        found: Loss,
        slope: &[f32],
        here: &mut [f32],
    ) -> bool {
        let norm = ladder.norm;
        let clean = ladder.images.image(self.turn.entry.item);
        if self.step == how.steps || is_flat(slope) {
            return false;
        }
        self.step += 1;
        if !found.right {
            for (x, &clean) in here.iter_mut().zip(clean) {
                *x = clean + BACK as f32 * (*x - clean);
            }
            return true;
        }
        if found.loss > 0.0 {
            // A randomised subject is wrong on average and right at times: further out.
            for (x, &clean) in here.iter_mut().zip(clean) {
                *x = (clean + (*x - clean) / BACK as f32).clamp(0.0, 1.0);
            }
            return true;
        }
        // The margin is `found.loss` here and taken for linear: from the clean image it is as much
        // more or less as the slope says.
        let between = slope.iter().zip(here.iter().zip(clean));
        let from_clean: f64 = between
            .map(|(&slope, (&x, &clean))| f64::from(slope) * (f64::from(x) - f64::from(clean)))
            .sum();
        let on = to_hyperplane(norm, here, slope, -found.loss);
        let over = to_hyperplane(norm, clean, slope, from_clean - found.loss);
        let near = distance(norm, here, &on);
        let far = distance(norm, clean, &over);
        let bias = (near / (near + far).max(f64::MIN_POSITIVE)).min(MOST_BIAS);
        for (at, x) in here.iter_mut().enumerate() {
            let beyond = |from: f32, to: f32| {
                f64::from(from) + OVERSHOOT * (f64::from(to) - f64::from(from))
            };
            let next = (1.0 - bias) * beyond(*x, on[at]) + bias * beyond(clean[at], over[at]);
            *x = (next as f32).clamp(0.0, 1.0);
        }
        true
    }
}
