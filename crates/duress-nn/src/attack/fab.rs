//! Fast adaptive boundary: to where the network, taken for linear, would change its mind, and from
//! there back towards the item.

use std::collections::VecDeque;

use duress_core::objective::{Aim, Objective};
use duress_core::subject::{Failure, Loss};

use super::ladder::{Entry, LadderState, Method, is_flat};
use super::nearest::Nearest;
use super::oracle::Goal;
use super::seats::{Seated, Seats};
use crate::ball::{Norm, distance, to_hyperplane};

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
    pub norm: Norm,
    /// How many classes are aimed at.
    pub targets: usize,
    /// How many steps towards each.
    pub steps: usize,
    /// How many answers of a randomised subject make one.
    pub repeats: usize,
}

impl Fab {
    pub(super) fn norm(&self) -> Norm {
        self.norm
    }

    pub(super) fn method(&self) -> FabMethod {
        FabMethod::new(*self)
    }
}

/// The attack with what it found.
pub(super) struct FabMethod {
    how: Fab,
    nearest: Nearest,
    aims: Vec<Vec<Aim>>,
}

impl FabMethod {
    pub(super) fn new(how: Fab) -> FabMethod {
        FabMethod {
            how,
            nearest: Nearest::default(),
            aims: Vec::new(),
        }
    }

    fn step_all(
        &mut self,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Crosser>,
        gradient: &mut [f32],
        waiting: &mut VecDeque<(Entry, usize)>,
    ) -> Result<(), Failure> {
        let size = ladder.images.size();
        let gradient = &mut gradient[..seats.len() * size];
        gradient.fill(0.0);
        let aims: Vec<Aim> = seats.seated.iter().map(|crosser| crosser.aim).collect();
        let (which, pixels) = (&seats.which, &seats.pixels);
        let losses = ladder.query(which, pixels, self.goal(), &aims, Some(gradient))?;
        for (seat, found) in losses.into_iter().enumerate().rev() {
            let slope = &gradient[seat * size..(seat + 1) * size];
            let item = seats.seated[seat].entry.item;
            if is_flat(slope) {
                ladder.note_flat(item);
            }
            if !found.right {
                self.nearest.offer(item, seats.pixels_at(seat), ladder);
            }
            let (crosser, here) = seats.at_mut(seat);
            if crosser.step_on(&self.how, ladder.images.image(item), found, slope, here) {
                continue;
            }
            let crosser = seats.leave(seat);
            if crosser.run + 1 < self.aims[item].len() {
                waiting.push_back((crosser.entry, crosser.run + 1));
            }
        }
        Ok(())
    }
}

impl Method for FabMethod {
    fn goal(&self) -> Goal {
        Goal::Climb(Objective::Margin)
    }

    fn looks_ahead(&self) -> bool {
        false
    }

    fn press(&mut self, ladder: &mut LadderState<'_>, budget: f64) -> Result<(), Failure> {
        self.aims.resize(ladder.items.len(), Vec::new());
        let untried = self.nearest.untried(ladder);
        let which: Vec<usize> = untried.iter().map(|entry| entry.item).collect();
        for (item, aims) in which.iter().zip(ladder.aims(&which, self.how.targets)?) {
            self.aims[*item] = aims;
        }
        let mut waiting: VecDeque<(Entry, usize)> =
            untried.into_iter().map(|one| (one, 0)).collect();
        let size = ladder.images.size();
        let mut seats: Seats<Crosser> = Seats::new(size, ladder.batch);
        let mut gradient = vec![0.0; size * ladder.batch];
        loop {
            while seats.len() < ladder.batch
                && let Some((entry, run)) = waiting.pop_front()
            {
                if let Some(aim) = self.aims[entry.item].get(run) {
                    let crosser = Crosser::new(entry, run, *aim);
                    seats.take_seat(crosser, ladder.images.image(entry.item));
                }
            }
            if seats.is_empty() {
                break;
            }
            self.step_all(ladder, &mut seats, &mut gradient, &mut waiting)?;
        }
        self.nearest.settle(ladder, budget, self.goal())
    }
}

/// One way of one item across a boundary.
struct Crosser {
    entry: Entry,
    run: usize,
    aim: Aim,
    step: usize,
}

impl Seated for Crosser {
    fn entry(&self) -> Entry {
        self.entry
    }
}

impl Crosser {
    fn new(entry: Entry, run: usize, aim: Aim) -> Crosser {
        Crosser {
            entry,
            run,
            aim,
            step: 0,
        }
    }

    /// Takes in what was found `here`, and moves on; tells whether there is a way on.
    fn step_on(
        &mut self,
        how: &Fab,
        clean: &[f32],
        found: Loss,
        slope: &[f32],
        here: &mut [f32],
    ) -> bool {
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
        // The margin is `found.loss` here and taken for linear: from the clean image it is as much
        // more or less as the slope says.
        let between = slope.iter().zip(here.iter().zip(clean));
        let from_clean: f64 = between
            .map(|(&slope, (&x, &clean))| f64::from(slope) * (f64::from(x) - f64::from(clean)))
            .sum();
        let on = to_hyperplane(how.norm, here, slope, -found.loss);
        let over = to_hyperplane(how.norm, clean, slope, from_clean - found.loss);
        let (near, far) = (
            distance(how.norm, here, &on),
            distance(how.norm, clean, &over),
        );
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
