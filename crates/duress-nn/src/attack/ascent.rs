//! Projected gradient ascent: steps of one length up a loss.

use std::collections::VecDeque;

use duress_core::objective::{Aim, Objective};
use duress_core::subject::{Failure, Loss};

use super::Limits;
use super::aims::Aims;
use super::doubts::AscentEnd;
use super::ladder::{Entry, LadderState, Method, is_flat};
use super::oracle::Goal;
use super::seats::{Seated, Seats};
use crate::ball::{random_start, step_up};

/// From how many steps on it can be told whether a loss still rises at the last.
const LONG_ENOUGH: usize = 8;

/// What the last quarter of an ascent may add to its gain without being called a rise.
const LATE_GAIN: f64 = 0.1;

/// Projected gradient ascent (Madry et al., 2018); with one step of the whole budget it is the fast
/// gradient method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ascent {
    /// What bounds it.
    pub limits: Limits,
    /// What is climbed.
    pub objective: Objective,
    /// How many of the most likely other classes are aimed at, one after the other; with 0 none is.
    pub targets: usize,
    /// How many steps from each start.
    pub steps: usize,
    /// The size of a step, as a share of the budget.
    pub step: f64,
    /// How many starts, for each class aimed at.
    pub starts: usize,
    /// Whether a start is a random point of the budget, or the item itself.
    pub random_start: bool,
}

/// The attack with the classes that it aims at.
pub(super) struct AscentMethod {
    how: Ascent,
    aims: Aims,
}

impl AscentMethod {
    pub(super) fn new(how: Ascent) -> AscentMethod {
        AscentMethod {
            how,
            aims: Aims::new(how.targets, how.starts),
        }
    }
}

/// One ascent of one item.
#[derive(Clone, Copy)]
struct Climber {
    entry: Entry,
    run: usize,
    step: usize,
    /// The losses at the start and three quarters of the way up.
    first: f64,
    late: f64,
}

impl Climber {
    fn new(entry: Entry, run: usize) -> Climber {
        Climber {
            entry,
            run,
            step: 0,
            first: 0.0,
            late: 0.0,
        }
    }

    fn remember(&mut self, loss: f64, steps: usize) {
        if self.step == 0 {
            self.first = loss;
        }
        if self.step == steps * 3 / 4 {
            self.late = loss;
        }
    }

    fn ascent_end(&self, last: f64, steps: usize) -> AscentEnd {
        match steps >= LONG_ENOUGH {
            true => AscentEnd::from_gains(last - self.late, last - self.first, LATE_GAIN),
            false => AscentEnd::Level,
        }
    }
}

impl Seated for Climber {
    fn entry(&self) -> Entry {
        self.entry
    }
}

impl Method for AscentMethod {
    fn label(&self) -> String {
        let aimed = if self.how.targets > 0 { ", aimed" } else { "" };
        format!("pgd on {}{aimed}", self.how.objective)
    }

    fn goal(&self) -> Goal {
        Goal::Climb(self.how.objective)
    }

    fn starts_clean(&self) -> bool {
        self.how.knows_first_step()
    }

    /// One step leads where a longer one leads, only further: there is nothing to look ahead to.
    fn looks_ahead(&self) -> bool {
        self.how.steps > 1
    }

    fn press(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        self.aims.find(ladder)?;
        let climbers = ladder.roster().into_iter();
        let size = ladder.images.size();
        let batch = ladder.batch;
        let mut rung = Rung {
            how: self.how,
            aims: &self.aims,
            waiting: climbers.map(|entry| Climber::new(entry, 0)).collect(),
            climbing: Seats::new(size, batch),
            arrived: Seats::new(size, 2 * batch),
        };
        rung.climb(ladder)
    }
}

impl Ascent {
    /// Whether every ascent of an item begins with the slope at the clean image, which is asked for
    /// once.
    fn knows_first_step(&self) -> bool {
        !self.random_start && self.targets == 0
    }
}

/// The ascents of one rung. Those who took their last step wait for a full batch of their own:
/// about them only the loss is asked.
struct Rung<'a> {
    how: Ascent,
    aims: &'a Aims,
    waiting: VecDeque<Climber>,
    climbing: Seats<Climber>,
    arrived: Seats<Climber>,
}

impl Rung<'_> {
    fn climb(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        loop {
            while self.climbing.len().max(self.arrived.len()) < ladder.batch
                && let Some(next) = self.waiting.pop_front()
            {
                self.start(next, ladder);
            }
            match (self.climbing.is_empty(), self.arrived.is_empty()) {
                (true, true) => return Ok(()),
                (false, _) if self.arrived.len() < ladder.batch => self.step_all(ladder)?,
                _ => self.arrive(ladder)?,
            }
        }
    }

    /// Seats a climber at its start. From a clean item the first step is known, and taken.
    fn start(&mut self, climber: Climber, ladder: &mut LadderState<'_>) {
        let item = climber.entry.item;
        if climber.run == self.aims.runs(item) {
            return;
        }
        let images = ladder.images;
        self.climbing.take_seat(climber, images.image(item));
        let seat = self.climbing.len() - 1;
        if self.how.random_start {
            let draws = ladder
                .items
                .seed(item, ladder.seed)
                .child(climber.run.to_string())
                .draws();
            let here = self.climbing.pixels_at_mut(seat);
            random_start(ladder.norm, ladder.budget, draws, here);
        }
        if !self.how.knows_first_step() {
            return;
        }
        let size = images.size();
        let found = ladder.clean[item];
        let slope = ladder.first_gradient[item * size..(item + 1) * size].to_vec();
        self.step_one(seat, found, &slope, ladder);
    }

    /// The class that each of some climbers aims at, if they do.
    fn aims_of(&self, climbers: &Seats<Climber>) -> Vec<Aim> {
        let seated = climbers.seated.iter();
        let aim = |one: &Climber| self.aims.aim(one.entry.item, one.run);
        seated.filter_map(aim).collect()
    }

    /// Asks about all that climb, and takes each a step up unless it broke.
    fn step_all(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        let goal = Goal::Climb(self.how.objective);
        let aims = self.aims_of(&self.climbing);
        let losses = self.climbing.ask_slopes(ladder, goal, &aims)?;
        for (seat, found) in losses.into_iter().enumerate().rev() {
            let climber = self.climbing.seated[seat];
            if ladder.learn(climber.entry, found, self.climbing.pixels_at(seat)) {
                self.note_last_start(climber, true, ladder);
                self.climbing.leave(seat);
                continue;
            }
            let slope = self.climbing.slope_at(seat).to_vec();
            self.step_one(seat, found, &slope, ladder);
        }
        Ok(())
    }

    /// Takes one climber a step up; after its last step it has arrived.
    fn step_one(&mut self, seat: usize, found: Loss, slope: &[f32], ladder: &mut LadderState<'_>) {
        let how = &self.how;
        let (climber, here, _) = self.climbing.at_mut(seat);
        climber.remember(found.loss, how.steps);
        let item = climber.entry.item;
        if is_flat(slope) {
            ladder.ascent_notes().note_flat(item);
        }
        let stride = how.step * ladder.budget;
        let clean = ladder.images.image(item);
        step_up(ladder.norm, stride, ladder.budget, clean, slope, here);
        climber.step += 1;
        if climber.step == how.steps {
            self.arrived
                .take_seat(self.climbing.seated[seat], self.climbing.pixels_at(seat));
            self.climbing.leave(seat);
        }
    }

    /// Asks about all that took their last step. Whoever still stands waits for its next start, if
    /// there is one.
    fn arrive(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        let goal = Goal::Climb(self.how.objective);
        let aims = self.aims_of(&self.arrived);
        let losses = self.arrived.ask(ladder, goal, &aims)?;
        for (seat, found) in losses.into_iter().enumerate() {
            let climber = self.arrived.seated[seat];
            let fell = ladder.learn(climber.entry, found, self.arrived.pixels_at(seat));
            self.note_last_start(climber, fell, ladder);
            if fell {
                continue;
            }
            if climber.run + 1 < self.aims.runs(climber.entry.item) {
                let next = Climber::new(climber.entry, climber.run + 1);
                self.waiting.push_back(next);
            } else if !climber.entry.again {
                let end = climber.ascent_end(found.loss, self.how.steps);
                ladder.ascent_notes().note_end(end);
            }
        }
        self.arrived.clear();
        Ok(())
    }

    fn note_last_start(&self, climber: Climber, broke: bool, ladder: &mut LadderState<'_>) {
        let several = self.how.starts > 1 && self.how.targets == 0;
        if several && climber.run + 1 == self.how.starts && !climber.entry.again {
            ladder.ascent_notes().note_last_start(broke);
        }
    }
}
