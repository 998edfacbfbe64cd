//! Ray search: along which diagonal direction is the nearest wrong answer? Needs no more than the
//! answered label.

use std::collections::VecDeque;

use duress_core::subject::Failure;

use super::Limits;
use super::ladder::{Entry, LadderState};
use super::nearest::{Nearest, ShortestWay};
use super::oracle::Goal;
use super::seats::{Seated, Seating, Seats, Waiting};

/// How exactly the distance along a ray is searched.
const EXACTNESS: f64 = 1e-3;

/// Ray search (Chen and Gu, 2020) in L∞: it sees whether the label is the answer, nothing else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rays {
    /// How often it may ask about an item, for all rungs together.
    pub queries: usize,
    /// What bounds it: L∞.
    pub limits: Limits,
}

/// The attack with what it found.
pub(super) struct RaysMethod {
    how: Rays,
    nearest: Nearest,
}

impl RaysMethod {
    pub(super) fn new(how: Rays) -> RaysMethod {
        RaysMethod {
            how,
            nearest: Nearest::default(),
        }
    }
}

impl ShortestWay for RaysMethod {
    const LABEL: &'static str = "rays";
    const GOAL: Goal = Goal::Answers;

    fn nearest(&mut self) -> &mut Nearest {
        &mut self.nearest
    }
}

impl Seating for RaysMethod {
    type One = Ray;

    fn sit(
        &mut self,
        Waiting { entry, .. }: Waiting,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Ray>,
    ) {
        let image = ladder.images.image(entry.item);
        seats.take_seat(Ray::new(entry, image.len()), image);
        let (ray, here, _) = seats.at_mut(seats.len() - 1);
        ray.show(image, here);
    }

    fn step_all(
        &mut self,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Ray>,
        _waiting: &mut VecDeque<Waiting>,
    ) -> Result<(), Failure> {
        let found = seats.ask(ladder, Goal::Answers, &[])?;
        for (seat, found) in found.into_iter().enumerate().rev() {
            let item = seats.which[seat];
            if !found.right {
                self.nearest.offer(item, seats.pixels_at(seat), ladder);
            }
            let (ray, here, _) = seats.at_mut(seat);
            ray.asked += 1;
            if ray.asked == self.how.queries {
                seats.leave(seat);
                continue;
            }
            ray.take_in_answer(found.right);
            ray.show(ladder.images.image(item), here);
        }
        Ok(())
    }
}

/// What is asked next about a ray.
#[derive(Clone, Copy)]
enum Look {
    /// Whether the direction with a block turned round breaks the item at the best distance.
    Turned,
    /// How near the wrong answer is in a direction that does: between these.
    Between(f64, f64),
}

/// The search of one item.
pub(super) struct Ray {
    entry: Entry,
    asked: usize,
    /// Whether each pixel goes up.
    best: Vec<bool>,
    tried: Vec<bool>,
    /// How far it is to a wrong answer along the best direction; the whole box while none is known.
    radius: f64,
    /// Pixels are turned in so many blocks, of which this one is next.
    blocks: usize,
    block: usize,
    look: Look,
}

impl Seated for Ray {
    fn entry(&self) -> Entry {
        self.entry
    }
}

impl Ray {
    /// The first look is at all pixels up, as far as the box goes.
    fn new(entry: Entry, size: usize) -> Ray {
        Ray {
            entry,
            asked: 0,
            best: vec![true; size],
            tried: vec![true; size],
            radius: 1.0,
            blocks: 1,
            block: 0,
            look: Look::Turned,
        }
    }

    /// The image that is asked about.
    fn show(&self, clean: &[f32], here: &mut [f32]) {
        let far = match self.look {
            Look::Turned => self.radius,
            Look::Between(low, high) => (low + high) / 2.0,
        } as f32;
        for ((x, &clean), up) in here.iter_mut().zip(clean).zip(&self.tried) {
            let by = if *up { far } else { -far };
            *x = (clean + by).clamp(0.0, 1.0);
        }
    }

    /// Takes in an answer, and decides what to look at next.
    fn take_in_answer(&mut self, right: bool) {
        match (self.look, right) {
            (Look::Turned, true) => self.turn_next_block(),
            (Look::Turned, false) => self.narrow(0.0, self.radius),
            (Look::Between(low, high), true) => self.narrow((low + high) / 2.0, high),
            (Look::Between(low, high), false) => self.narrow(low, (low + high) / 2.0),
        }
    }

    fn narrow(&mut self, low: f64, high: f64) {
        if high - low > EXACTNESS {
            self.look = Look::Between(low, high);
            return;
        }
        self.radius = high;
        self.best.copy_from_slice(&self.tried);
        self.turn_next_block();
    }

    /// Turns one block of the best direction round; when every block had its turn, they are halved.
    fn turn_next_block(&mut self) {
        self.tried.copy_from_slice(&self.best);
        let size = self.best.len();
        let (from, to) = (
            self.block * size / self.blocks,
            (self.block + 1) * size / self.blocks,
        );
        self.tried[from..to].iter_mut().for_each(|up| *up = !*up);
        self.block += 1;
        if self.block == self.blocks {
            self.block = 0;
            self.blocks = if self.blocks * 2 > size {
                1
            } else {
                self.blocks * 2
            };
        }
        self.look = Look::Turned;
    }
}
