//! An attack on its way up a ladder: which items still stand, and what broke the others.

use std::collections::VecDeque;

use duress_core::data::{Images, Inputs, Items};
use duress_core::seed::Seed;
use duress_core::stressor::Spent;
use duress_core::subject::{Failure, FailureKind, Loss};

use super::doubts::AttackDoubts;
use super::seats::{Climber, Seats};
use super::{Ascent, Ask};
use crate::ball::{random_start, step_up, stretch};

/// How many values are asked about at once, in 16 to 256 items: enough to keep a subject busy, few
/// enough for its memory.
const BATCH_VALUES: usize = 1 << 21;

/// The share of items that are looked at twice, where once would settle them.
const SECOND_LOOK: f64 = 0.05;

/// What is known about an item so far.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ItemState {
    /// It was wrong before anyone pressed.
    Wrong,
    /// Nothing has broken it; the loss at the image kept for it.
    Standing(f64),
    /// The image kept for it breaks it.
    Broken,
}

/// An attack on its way up a ladder.
pub(super) struct Attack<'a> {
    how: &'a Ascent,
    items: &'a Items,
    images: &'a Images,
    seed: Seed,
    ask: &'a Ask<'a>,
    batch: usize,
    /// The loss at the clean images.
    clean: Vec<Loss>,
    /// Its gradient there, when every ascent starts there.
    first_gradient: Vec<f32>,
    states: Vec<ItemState>,
    /// The images kept so far, and the budget of the rung they are from.
    pixels: Vec<f32>,
    below: f64,
    pub(super) spent: Spent,
    seen: AttackDoubts,
}

impl<'a> Attack<'a> {
    pub(super) fn begin(
        how: &'a Ascent,
        items: &'a Items,
        images: &'a Images,
        seed: Seed,
        ask: &'a Ask<'a>,
    ) -> Result<Attack<'a>, Failure> {
        let n = items.len();
        let mut attack = Attack {
            how,
            items,
            images,
            seed,
            ask,
            batch: (BATCH_VALUES / images.size()).clamp(16, 256),
            clean: Vec::with_capacity(n),
            first_gradient: vec![
                0.0;
                if how.random_start {
                    0
                } else {
                    images.pixels().len()
                }
            ],
            states: Vec::new(),
            pixels: images.pixels().to_vec(),
            below: 0.0,
            spent: Spent {
                queries: vec![0; n],
                gradients: vec![0; n],
            },
            seen: AttackDoubts::none(n),
        };
        attack.ask_about_clean()?;
        let state = |clean: &Loss| {
            if clean.right {
                ItemState::Standing(clean.loss)
            } else {
                ItemState::Wrong
            }
        };
        attack.states = attack.clean.iter().map(state).collect();
        attack.ask_about_clean_again()?;
        Ok(attack)
    }

    /// The first look at all items: are they right when clean, and, if every ascent starts there,
    /// which way is up?
    fn ask_about_clean(&mut self) -> Result<(), Failure> {
        let all = (0..self.items.len()).collect::<Vec<_>>();
        let images = self.images;
        let size = self.images.size();
        let mut gradient = std::mem::take(&mut self.first_gradient);
        for batch in all.chunks(self.batch) {
            let values = batch[0] * size..(batch[0] + batch.len()) * size;
            let slope = gradient
                .get_mut(values.clone())
                .filter(|slope| !slope.is_empty());
            let losses = self.query(batch, &images.pixels()[values], slope)?;
            self.clean.extend(losses);
        }
        self.first_gradient = gradient;
        Ok(())
    }

    /// Asks once more about some clean items: a subject that changes its mind cannot be measured by
    /// one attack.
    fn ask_about_clean_again(&mut self) -> Result<(), Failure> {
        let chosen: Vec<usize> = (0..self.items.len())
            .filter(|&i| self.chosen(i, "clean"))
            .collect();
        for batch in chosen.chunks(self.batch) {
            let pixels: Vec<f32> = batch
                .iter()
                .flat_map(|&i| self.images.image(i))
                .copied()
                .collect();
            let again = self.query(batch, &pixels, None)?;
            for (&i, again) in batch.iter().zip(&again) {
                self.seen.note_second_answer(self.clean[i].loss, again.loss);
            }
        }
        Ok(())
    }

    /// Takes every item that still stands as far up as `budget` allows, and looks again at some
    /// that had fallen before.
    pub(super) fn press(&mut self, budget: f64) -> Result<(), Failure> {
        // One step leads where a longer one leads, only further: there is nothing to look ahead to.
        let ahead = self.below > 0.0 && self.how.steps > 1;
        let climber = |item: usize, again: bool| Climber {
            item,
            start: 0,
            step: 0,
            ahead: ahead && !again,
            again,
        };
        let standing = |i: &usize| matches!(self.states[*i], ItemState::Standing(_));
        let again = |i: &usize| self.states[*i] == ItemState::Broken && self.chosen(*i, "fallen");
        let n = 0..self.items.len();
        let mut waiting: VecDeque<Climber> = n
            .clone()
            .filter(standing)
            .map(|i| climber(i, false))
            .collect();
        waiting.extend(n.filter(again).map(|i| climber(i, true)));
        let size = self.images.size();
        // Those who took their last step wait for a full batch of their own: about them only the
        // loss is asked.
        let mut climbing = Seats::new(size, self.batch);
        let mut arrived = Seats::new(size, 2 * self.batch);
        let mut gradient = vec![0.0; size * self.batch];
        loop {
            while climbing.len().max(arrived.len()) < self.batch
                && let Some(next) = waiting.pop_front()
            {
                self.start_climber(next, budget, &mut climbing, &mut arrived);
            }
            match (climbing.is_empty(), arrived.is_empty()) {
                (true, true) => {
                    self.below = budget;
                    return Ok(());
                }
                (false, _) if arrived.len() < self.batch => {
                    self.step_all(budget, &mut climbing, &mut arrived, &mut gradient)?;
                }
                _ => self.arrive(&mut arrived, &mut waiting)?,
            }
        }
    }

    /// Seats a climber at its start. From a clean item the first step is known, and taken.
    fn start_climber(
        &mut self,
        climber: Climber,
        budget: f64,
        climbing: &mut Seats,
        arrived: &mut Seats,
    ) {
        let (item, images) = (climber.item, self.images);
        if climber.ahead {
            let kept = &self.pixels[item * images.size()..][..images.size()];
            arrived.seat_climber(climber, kept);
            stretch(
                self.how.norm,
                budget / self.below,
                budget,
                images.image(item),
                arrived.last_mut(),
            );
            return;
        }
        climbing.seat_climber(climber, images.image(item));
        let seat = climbing.len() - 1;
        if self.how.random_start {
            let draws = self
                .items
                .seed(item, self.seed)
                .child(climber.start.to_string())
                .draws();
            random_start(self.how.norm, budget, draws, climbing.pixels_at_mut(seat));
            return;
        }
        if is_flat(self.first_slope(item)) {
            self.seen.note_flat(item, self.clean[item].loss);
        }
        step_up(
            self.how.norm,
            self.how.step * budget,
            budget,
            images.image(item),
            self.first_slope(item),
            climbing.pixels_at_mut(seat),
        );
        climbing.climbers[seat].step = 1;
        if self.how.steps == 1 {
            arrived.seat_climber(climbing.climbers[seat], climbing.pixels_at(seat));
            climbing.leave(seat);
        }
    }

    fn first_slope(&self, item: usize) -> &[f32] {
        let size = self.images.size();
        &self.first_gradient[item * size..(item + 1) * size]
    }

    /// Asks about all that climb, and takes each a step up unless it broke.
    fn step_all(
        &mut self,
        budget: f64,
        climbing: &mut Seats,
        arrived: &mut Seats,
        gradient: &mut [f32],
    ) -> Result<(), Failure> {
        let size = self.images.size();
        let gradient = &mut gradient[..climbing.len() * size];
        gradient.fill(0.0);
        let losses = self.query(&climbing.which, &climbing.pixels, Some(gradient))?;
        // From the last seat to the first, so that whoever takes a seat that is given up has had
        // its turn.
        for (seat, found) in losses.into_iter().enumerate().rev() {
            let climber = climbing.climbers[seat];
            self.learn(climber, found, climbing.pixels_at(seat));
            if !found.right {
                climbing.leave(seat);
                continue;
            }
            let slope = &gradient[seat * size..(seat + 1) * size];
            if is_flat(slope) {
                self.seen
                    .note_flat(climber.item, self.clean[climber.item].loss);
            }
            step_up(
                self.how.norm,
                self.how.step * budget,
                budget,
                self.images.image(climber.item),
                slope,
                climbing.pixels_at_mut(seat),
            );
            climbing.climbers[seat].step += 1;
            if climber.step + 1 == self.how.steps {
                arrived.seat_climber(climbing.climbers[seat], climbing.pixels_at(seat));
                climbing.leave(seat);
            }
        }
        Ok(())
    }

    /// Asks about all that took their last step. Whoever still stands waits for its next start, if
    /// there is one.
    fn arrive(
        &mut self,
        arrived: &mut Seats,
        waiting: &mut VecDeque<Climber>,
    ) -> Result<(), Failure> {
        let losses = self.query(&arrived.which, &arrived.pixels, None)?;
        for (seat, found) in losses.into_iter().enumerate() {
            let climber = arrived.climbers[seat];
            self.learn(climber, found, arrived.pixels_at(seat));
            if found.right && climber.ahead {
                waiting.push_back(Climber {
                    ahead: false,
                    ..climber
                });
            } else if found.right && climber.start + 1 < self.how.starts {
                waiting.push_back(Climber {
                    start: climber.start + 1,
                    step: 0,
                    ..climber
                });
            } else if found.right && climber.again {
                self.seen.weaker += 1;
                self.seen.looked_at_again += 1;
            }
        }
        arrived.clear();
        Ok(())
    }

    /// Keeps what broke an item, or else whatever hurt it most on this rung or below.
    fn learn(&mut self, climber: Climber, found: Loss, here: &[f32]) {
        if climber.again {
            self.seen.looked_at_again += usize::from(!found.right);
            return;
        }
        let ItemState::Standing(before) = self.states[climber.item] else {
            return;
        };
        if found.right && found.loss <= before {
            return;
        }
        self.pixels[climber.item * here.len()..][..here.len()].copy_from_slice(here);
        self.states[climber.item] = if found.right {
            ItemState::Standing(found.loss)
        } else {
            ItemState::Broken
        };
    }

    fn query(
        &mut self,
        which: &[usize],
        pixels: &[f32],
        mut gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        which.iter().for_each(|&i| self.spent.queries[i] += 1);
        if gradient.is_some() {
            which.iter().for_each(|&i| self.spent.gradients[i] += 1);
        }
        let losses = (self.ask)(which, pixels, gradient.as_deref_mut())?;
        let nonsense = |why: String| Err(Failure::new(FailureKind::Nonsense, why));
        if losses.len() != which.len() {
            return nonsense(format!(
                "{} losses about {} items",
                losses.len(),
                which.len()
            ));
        }
        let size = self.images.size();
        let odd = |i: &usize| {
            let slope = gradient
                .as_ref()
                .map_or(&[][..], |slope| &slope[i * size..(i + 1) * size]);
            // Without a way out of the loop it runs over several values at once.
            !losses[*i].loss.is_finite()
                || !slope.iter().fold(true, |sound, x| sound & x.is_finite())
        };
        match (0..which.len()).find(odd) {
            Some(i) => nonsense(format!(
                "the loss about item `{}` is {}, or its gradient is not finite",
                &self.items.ids()[which[i]],
                losses[i].loss
            )),
            None => Ok(losses),
        }
    }

    /// Whether item `i` is one of the few that are looked at twice.
    fn chosen(&self, i: usize, purpose: &str) -> bool {
        let seed = self
            .items
            .seed(i, self.seed.child("second look").child(purpose));
        seed.draws().chance(SECOND_LOOK)
    }

    pub(super) fn attacked_items(&self) -> Result<Items, Failure> {
        let images = Images::new(self.images.shape(), self.pixels.clone());
        let images =
            images.map_err(|why| Failure::new(FailureKind::OverBudget, why.to_string()))?;
        Ok(self.items.with(Inputs::Images(images)))
    }

    pub(super) fn doubts(&self) -> Vec<String> {
        let right = self.clean.iter().filter(|clean| clean.right).count();
        self.seen.in_words(right)
    }
}

fn is_flat(slope: &[f32]) -> bool {
    slope.iter().all(|x| *x == 0.0)
}
