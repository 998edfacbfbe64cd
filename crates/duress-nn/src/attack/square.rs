//! The Square attack: random squares of the image to the edge of the budget, kept where they hurt; in
//! L2 pairs of bumps (`bumps`).

use std::collections::VecDeque;

use duress_core::seed::Draws;
use duress_core::subject::Failure;

use super::Limits;
use super::bumps::BumpField;
use super::ladder::{Entry, LadderState, Method};
use super::oracle::Goal;
use super::seats::{Seated, Seating, Seats, Waiting};
use crate::ball::Norm;

/// The share of pixels in the first squares.
const FIRST_SHARE: f64 = 0.8;

/// After how many of ten thousand questions the share of pixels is halved.
const HALVED_AFTER: [usize; 9] = [10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000];

/// The Square attack (Andriushchenko et al., 2020) in L∞ and L2: it needs answers only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Square {
    /// How often it may ask about an item, on each rung.
    pub queries: usize,
    /// What bounds it.
    pub limits: Limits,
}

impl Method for Square {
    fn label(&self) -> String {
        "square".into()
    }

    fn goal(&self) -> Goal {
        Goal::Answers
    }

    fn press(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        let roster = ladder.roster().into_iter();
        self.serve(ladder, roster.map(Waiting::first))
    }
}

impl Seating for Square {
    type One = Painter;

    fn sit(
        &mut self,
        Waiting { entry, .. }: Waiting,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Painter>,
    ) {
        let image = ladder.images.image(entry.item);
        let seed = ladder.items.seed(entry.item, ladder.seed.child("square"));
        let painter = Painter::new(entry, seed.draws(), image.len());
        seats.take_seat(painter, image);
        let (painter, here, _) = seats.at_mut(seats.len() - 1);
        painter.begin(ladder, here);
    }

    /// Asks about everyone's proposal, and proposes the next.
    fn step_all(
        &mut self,
        ladder: &mut LadderState<'_>,
        seats: &mut Seats<Painter>,
        _waiting: &mut VecDeque<Waiting>,
    ) -> Result<(), Failure> {
        let found = seats.ask(ladder, Goal::Answers, &[])?;
        for (seat, found) in found.into_iter().enumerate().rev() {
            let entry = seats.seated[seat].entry;
            let fell = ladder.learn(entry, found, seats.pixels_at(seat));
            let (painter, here, _) = seats.at_mut(seat);
            painter.asked += 1;
            if fell || painter.asked == self.queries {
                seats.leave(seat);
                continue;
            }
            painter.keep_the_better(found.loss, here);
            let share = share_of_pixels(painter.asked, self.queries);
            painter.propose(ladder, share, here);
        }
        Ok(())
    }
}

/// The share of pixels in a square, when so many of all questions were asked.
fn share_of_pixels(asked: usize, queries: usize) -> f64 {
    let of_ten_thousand = asked * 10_000 / queries;
    let halved = HALVED_AFTER
        .iter()
        .filter(|after| of_ten_thousand > **after)
        .count();
    FIRST_SHARE / f64::from(1_u32 << halved)
}

fn bump_field<'a>(entry: Entry, ladder: &LadderState<'a>) -> BumpField<'a> {
    BumpField {
        shape: ladder.images.shape(),
        clean: ladder.images.image(entry.item),
        norm: ladder.norm,
        budget: ladder.budget,
    }
}

/// The search of one item.
pub(super) struct Painter {
    entry: Entry,
    draws: Draws,
    asked: usize,
    best_loss: f64,
    best: Vec<f32>,
}

impl Seated for Painter {
    fn entry(&self) -> Entry {
        self.entry
    }
}

impl Painter {
    fn new(entry: Entry, draws: Draws, size: usize) -> Painter {
        Painter {
            entry,
            draws,
            asked: 0,
            best_loss: f64::NEG_INFINITY,
            best: vec![0.0; size],
        }
    }

    fn sign(&mut self) -> f32 {
        match self.draws.chance(0.5) {
            true => 1.0,
            false => -1.0,
        }
    }

    /// The first proposal.
    fn begin(&mut self, ladder: &LadderState<'_>, here: &mut [f32]) {
        match ladder.norm {
            Norm::Linf => self.stripes(ladder, here),
            Norm::L2 | Norm::L1 => {
                bump_field(self.entry, ladder).begin(&mut self.draws, here);
            }
        }
    }

    /// The next proposal, with squares that hold this share of the pixels.
    fn propose(&mut self, ladder: &LadderState<'_>, share: f64, here: &mut [f32]) {
        match ladder.norm {
            Norm::Linf => self.paint_square(ladder, share, here),
            Norm::L2 | Norm::L1 => {
                bump_field(self.entry, ladder).propose(share, &mut self.draws, here);
            }
        }
    }

    /// Every column of every channel up or down.
    fn stripes(&mut self, ladder: &LadderState<'_>, here: &mut [f32]) {
        let [channels, height, width] = ladder.images.shape();
        let clean = ladder.images.image(self.entry.item);
        let budget = ladder.budget as f32;
        for channel in 0..channels {
            for column in 0..width {
                let by = self.sign() * budget;
                for row in 0..height {
                    let at = (channel * height + row) * width + column;
                    here[at] = (clean[at] + by).clamp(0.0, 1.0);
                }
            }
        }
    }

    /// Keeps a proposal that hurts as much; else goes back to the best. (Where answers say no more
    /// than right or wrong, that wanders.)
    fn keep_the_better(&mut self, loss: f64, here: &mut [f32]) {
        if loss >= self.best_loss {
            self.best_loss = loss;
            self.best.copy_from_slice(here);
        } else {
            here.copy_from_slice(&self.best);
        }
    }

    /// A square somewhere, up or down as far as it goes, channel by channel.
    fn paint_square(&mut self, ladder: &LadderState<'_>, share: f64, here: &mut [f32]) {
        let [channels, height, width] = ladder.images.shape();
        let clean = ladder.images.image(self.entry.item);
        let budget = ladder.budget as f32;
        let side = libm::round(libm::sqrt(share * (height * width) as f64)) as usize;
        let side = side.clamp(1, height.min(width));
        let top = self.draws.below(height - side + 1);
        let left = self.draws.below(width - side + 1);
        for channel in 0..channels {
            let by = self.sign() * budget;
            for row in top..top + side {
                let from = (channel * height + row) * width + left;
                for at in from..from + side {
                    here[at] = (clean[at] + by).clamp(0.0, 1.0);
                }
            }
        }
    }
}
