//! Auto-PGD: ascent with a momentum, whose step is halved where the loss no longer rises.

use std::collections::VecDeque;

use duress_core::objective::{Aim, Objective};
use duress_core::subject::Failure;

use super::Limits;
use super::aims::Aims;
use super::doubts::AscentEnd;
use super::ladder::{Entry, LadderState, Method, is_flat};
use super::oracle::Goal;
use super::seats::{Seated, Seating, Seats, Waiting};
use crate::ball::{into_the_budget, random_start, step_up};

/// The share of a move that is the new step; the rest is the last move's.
const NEW_STEP: f64 = 0.75;

/// A period in which a smaller share of steps than this raised the loss halves the step.
const ENOUGH_RISES: f64 = 0.75;

/// The first period, the least, and by how much each is shorter, as shares of all steps.
const FIRST_PERIOD: f64 = 0.22;
const LEAST_PERIOD: f64 = 0.06;
const SHORTER: f64 = 0.03;

/// What the last period may add to an ascent's gain without being called a rise.
const LATE_GAIN: f64 = 0.1;

/// Auto-PGD (Croce and Hein, 2020): no step length to choose, the best point is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Apgd {
    /// What bounds it.
    pub limits: Limits,
    /// What is climbed.
    pub objective: Objective,
    /// How many of the most likely other classes are aimed at, one after the other; with 0 none is.
    pub targets: usize,
    /// How many steps from each start.
    pub steps: usize,
    /// How many starts, for each class aimed at.
    pub starts: usize,
}

/// The attack with what it found out about items on the way.
pub(super) struct ApgdMethod {
    how: Apgd,
    aims: Aims,
}

impl ApgdMethod {
    pub(super) fn new(how: Apgd) -> ApgdMethod {
        ApgdMethod {
            how,
            aims: Aims::new(how.targets, how.starts),
        }
    }
}

impl Method for ApgdMethod {
    fn label(&self) -> String {
        let aimed = if self.how.targets > 0 { ", aimed" } else { "" };
        format!("apgd on {}{aimed}", self.how.objective)
    }

    fn goal(&self) -> Goal {
        Goal::Climb(self.how.objective)
    }

    fn press(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        self.aims.find(ladder)?;
        let roster = ladder.roster().into_iter();
        self.serve(ladder, roster.map(Waiting::first))
    }
}

impl Seating for ApgdMethod {
    type One = Walker;

    fn sit(
        &mut self,
        Waiting { entry, run }: Waiting,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Walker>,
    ) {
        if run == self.aims.runs(entry.item) {
            return;
        }
        let image = ladder.images.image(entry.item);
        let seed = ladder.items.seed(entry.item, ladder.seed.child("apgd"));
        seats.take_seat(Walker::new(entry, run, image.len(), self.how.steps), image);
        let seat = seats.len() - 1;
        let draws = seed.child(run.to_string()).draws();
        random_start(ladder.norm, ladder.budget, draws, seats.pixels_at_mut(seat));
    }

    fn step_all(
        &mut self,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Walker>,
        waiting: &mut VecDeque<Waiting>,
    ) -> Result<(), Failure> {
        let aims: Vec<Aim> = seats
            .seated
            .iter()
            .filter_map(|walker| self.aims.aim(walker.entry.item, walker.run))
            .collect();
        let goal = self.goal();
        let losses = seats.ask_slopes(ladder, goal, &aims)?;
        for (seat, found) in losses.into_iter().enumerate().rev() {
            let entry = seats.seated[seat].entry;
            let run = seats.seated[seat].run;
            if ladder.learn(entry, found, seats.pixels_at(seat)) {
                self.note_last_start(entry, run, true, ladder);
                seats.leave(seat);
                continue;
            }
            if is_flat(seats.slope_at(seat)) {
                ladder.ascent_notes().note_flat(entry.item);
            }
            let (walker, here, slope) = seats.at_mut(seat);
            if walker.walk(self.how.steps, ladder, found.loss, slope, here) {
                continue;
            }
            let walker = seats.leave(seat);
            self.note_last_start(entry, run, false, ladder);
            if run + 1 < self.aims.runs(entry.item) {
                waiting.push_back(Waiting { entry, run }.next());
            } else if !entry.again {
                ladder.ascent_notes().note_end(walker.ascent_end());
            }
        }
        Ok(())
    }
}

impl ApgdMethod {
    fn note_last_start(&self, entry: Entry, run: usize, broke: bool, ladder: &mut LadderState<'_>) {
        let several = self.how.starts > 1 && self.how.targets == 0;
        if several && run + 1 == self.how.starts && !entry.again {
            ladder.ascent_notes().note_last_start(broke);
        }
    }
}

/// One ascent of one item.
pub(super) struct Walker {
    entry: Entry,
    run: usize,
    step: usize,
    /// The length of a step, as a share of the budget.
    stride: f64,
    /// Steps until the next check, and between it and the one before.
    until_check: usize,
    period: usize,
    /// How many steps of this period raised the loss.
    rises: usize,
    halved: bool,
    first_loss: f64,
    last_loss: f64,
    best_loss: f64,
    best_at_check: f64,
    best: Vec<f32>,
    best_slope: Vec<f32>,
    /// Where it was before its last move; empty before the first.
    before: Vec<f32>,
}

impl Seated for Walker {
    fn entry(&self) -> Entry {
        self.entry
    }
}

impl Walker {
    fn new(entry: Entry, run: usize, size: usize, steps: usize) -> Walker {
        let period = share_of(steps, FIRST_PERIOD);
        Walker {
            entry,
            run,
            step: 0,
            stride: 2.0,
            until_check: period,
            period,
            rises: 0,
            halved: true,
            first_loss: 0.0,
            last_loss: 0.0,
            best_loss: f64::NEG_INFINITY,
            best_at_check: f64::NEG_INFINITY,
            best: vec![0.0; size],
            best_slope: vec![0.0; size],
            before: Vec::new(),
        }
    }

    /// Takes in what was found `here`, and moves on; tells whether there is a way on.
    fn walk(
        &mut self,
        steps: usize,
        ladder: &LadderState<'_>,
        loss: f64,
        slope: &[f32],
        here: &mut [f32],
    ) -> bool {
        self.remember(loss, slope, here);
        let turns_back = self.step > 0 && self.check(steps) || is_flat(slope);
        if self.step == steps || is_flat(&self.best_slope) {
            return false;
        }
        if turns_back {
            // What the last move was is kept, as in the original: only place and slope are the best
            // point's.
            here.copy_from_slice(&self.best);
        }
        self.step += 1;
        let best_slope = turns_back.then(|| std::mem::take(&mut self.best_slope));
        self.step_on(ladder, best_slope.as_deref().unwrap_or(slope), here);
        if let Some(slope) = best_slope {
            self.best_slope = slope;
        }
        true
    }

    fn remember(&mut self, loss: f64, slope: &[f32], here: &[f32]) {
        if self.step == 0 {
            self.first_loss = loss;
        }
        self.rises += usize::from(self.step > 0 && loss > self.last_loss);
        self.last_loss = loss;
        if loss > self.best_loss {
            self.best_loss = loss;
            self.best.copy_from_slice(here);
            self.best_slope.copy_from_slice(slope);
            if self.step == 0 {
                self.best_at_check = loss;
            }
        }
    }

    /// At the end of a period: whether the step was halved, because too few steps led up or nothing
    /// better was found with a step that was not halved before.
    fn check(&mut self, steps: usize) -> bool {
        self.until_check -= 1;
        if self.until_check > 0 {
            return false;
        }
        let few_rises = self.rises as f64 <= ENOUGH_RISES * self.period as f64;
        let stuck = !self.halved && self.best_at_check >= self.best_loss;
        self.halved = few_rises || stuck;
        if self.halved {
            self.stride /= 2.0;
        }
        if self.step < steps {
            self.best_at_check = self.best_loss;
        }
        let shorter = self.period.saturating_sub(share_of(steps, SHORTER));
        self.period = shorter.max(share_of(steps, LEAST_PERIOD));
        self.until_check = self.period;
        self.rises = 0;
        self.halved
    }

    /// One step up, with a share of the last move.
    fn step_on(&mut self, ladder: &LadderState<'_>, slope: &[f32], here: &mut [f32]) {
        let norm = ladder.norm;
        let budget = ladder.budget;
        let clean = ladder.images.image(self.entry.item);
        let from = here.to_vec();
        step_up(norm, self.stride * budget, budget, clean, slope, here);
        if !self.before.is_empty() {
            let new = NEW_STEP as f32;
            let old = (1.0 - NEW_STEP) as f32;
            for ((x, &from), &before) in here.iter_mut().zip(&from).zip(&self.before) {
                *x = from + new * (*x - from) + old * (from - before);
            }
            into_the_budget(norm, budget, clean, here);
        }
        self.before = from;
    }

    fn ascent_end(&self) -> AscentEnd {
        let gain = self.best_loss - self.first_loss;
        AscentEnd::from_gains(self.best_loss - self.best_at_check, gain, LATE_GAIN)
    }
}

/// A share of some steps, at least one.
fn share_of(steps: usize, share: f64) -> usize {
    ((steps as f64 * share) as usize).max(1)
}
