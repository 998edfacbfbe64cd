//! Items of an attack side by side in a batch, each at its own step.

use std::collections::VecDeque;

use duress_core::objective::Aim;
use duress_core::subject::{Failure, Loss};

use super::ladder::{Entry, LadderState};
use super::oracle::{Goal, Inquiry};

/// Whoever takes a seat: one way of attacking one item.
pub(super) trait Seated {
    /// The item it attacks.
    fn entry(&self) -> Entry;
}

/// One of possibly several runs of an attack on an item, before it has a seat.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    pub(super) entry: Entry,
    pub(super) run: usize,
}

impl Waiting {
    pub(super) fn first(entry: Entry) -> Waiting {
        Waiting { entry, run: 0 }
    }

    pub(super) fn next(self) -> Waiting {
        Waiting {
            run: self.run + 1,
            ..self
        }
    }
}

/// A way of attacking items that sit side by side.
pub(super) trait Seating {
    /// Whoever takes a seat.
    type One: Seated;

    /// Gives whoever waited a seat, if it has something to do.
    fn sit(&mut self, next: Waiting, ladder: &mut LadderState<'_>, seats: &mut Seats<Self::One>);

    /// Asks about all who sit, and takes each a step on. Whoever is done leaves, and may wait again.
    fn step_all(
        &mut self,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Self::One>,
        waiting: &mut VecDeque<Waiting>,
    ) -> Result<(), Failure>;

    /// Attacks all who wait, in full batches until the last of them.
    fn serve(
        &mut self,
        ladder: &mut LadderState<'_>,
        waiting: impl IntoIterator<Item = Waiting>,
    ) -> Result<(), Failure> {
        let mut waiting: VecDeque<Waiting> = waiting.into_iter().collect();
        let mut seats = Seats::new(ladder.images.size(), ladder.batch);
        loop {
            while seats.len() < ladder.batch
                && let Some(next) = waiting.pop_front()
            {
                self.sit(next, ladder, &mut seats);
            }
            if seats.is_empty() {
                return Ok(());
            }
            self.step_all(ladder, &mut seats, &mut waiting)?;
        }
    }
}

/// Attackers side by side, each with where it is now.
pub(super) struct Seats<T> {
    size: usize,
    pub(super) seated: Vec<T>,
    pub(super) which: Vec<usize>,
    pub(super) pixels: Vec<f32>,
    /// How the loss changed with the pixels when that was last asked.
    slopes: Vec<f32>,
}

impl<T: Seated> Seats<T> {
    pub(super) fn new(size: usize, room: usize) -> Seats<T> {
        Seats {
            size,
            seated: Vec::with_capacity(room),
            which: Vec::with_capacity(room),
            pixels: Vec::with_capacity(size * room),
            slopes: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.seated.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.seated.is_empty()
    }

    pub(super) fn pixels_at(&self, seat: usize) -> &[f32] {
        &self.pixels[seat * self.size..(seat + 1) * self.size]
    }

    pub(super) fn pixels_at_mut(&mut self, seat: usize) -> &mut [f32] {
        &mut self.pixels[seat * self.size..(seat + 1) * self.size]
    }

    /// The slope that was last asked for, of whoever had this seat then.
    pub(super) fn slope_at(&self, seat: usize) -> &[f32] {
        let values = seat * self.size..(seat + 1) * self.size;
        self.slopes.get(values).unwrap_or_default()
    }

    /// Whoever has a seat, where it is now, and the slope there.
    pub(super) fn at_mut(&mut self, seat: usize) -> (&mut T, &mut [f32], &[f32]) {
        let values = seat * self.size..(seat + 1) * self.size;
        let slope = self.slopes.get(values.clone()).unwrap_or_default();
        (&mut self.seated[seat], &mut self.pixels[values], slope)
    }

    /// Asks about all who sit, towards the class that each aims at if any do.
    pub(super) fn ask(
        &self,
        ladder: &mut LadderState<'_>,
        goal: Goal,
        aims: &[Aim],
    ) -> Result<Vec<Loss>, Failure> {
        let inquiry = Inquiry {
            which: &self.which,
            pixels: &self.pixels,
            goal,
            aims,
        };
        ladder.query(inquiry, None)
    }

    /// The same with slopes. Answers are to be looked at from the last seat to the first: whoever
    /// takes a seat that is given up has had its turn.
    pub(super) fn ask_slopes(
        &mut self,
        ladder: &mut LadderState<'_>,
        goal: Goal,
        aims: &[Aim],
    ) -> Result<Vec<Loss>, Failure> {
        self.slopes.clear();
        self.slopes.resize(self.pixels.len(), 0.0);
        let inquiry = Inquiry {
            which: &self.which,
            pixels: &self.pixels,
            goal,
            aims,
        };
        ladder.query(inquiry, Some(&mut self.slopes))
    }

    pub(super) fn take_seat(&mut self, one: T, here: &[f32]) {
        self.which.push(one.entry().item);
        self.seated.push(one);
        self.pixels.extend_from_slice(here);
    }

    /// Gives up a seat; whoever has the last one takes it.
    pub(super) fn leave(&mut self, seat: usize) -> T {
        let last = self.len() - 1;
        self.which.swap_remove(seat);
        self.pixels
            .copy_within(last * self.size.., seat * self.size);
        self.pixels.truncate(last * self.size);
        self.seated.swap_remove(seat)
    }

    pub(super) fn clear(&mut self) {
        self.seated.clear();
        self.which.clear();
        self.pixels.clear();
    }
}
