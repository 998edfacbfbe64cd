//! Attacks: climbing a loss within a budget, up a ladder of budgets in one pass.
//!
//! Work is done only where it can change the answer. An item that is wrong when clean keeps its
//! clean image; an item that is broken keeps the image that broke it on every higher rung, where it
//! is still within the budget. So accuracy never rises with the budget, and a subject is asked
//! about fewer items the higher the rung. What that would hide, an attack that gets weaker as its
//! budget grows, is looked for in a fixed share of the settled items.
//!
//! The image that hurt a standing item most on the rung below shows where to look first on the
//! next: stretched to the new budget it costs one question, and where it breaks the item, all steps
//! are saved. Where it does not, the whole ascent follows, from its own start.
//!
//! Items sit side by side in a batch, each at its own step. Whoever breaks, or has taken its last
//! step, gives its seat to the next, so a subject is asked about full batches until there are no
//! more items. Pixels are moved in place, where the subject reads them.

use std::collections::VecDeque;

use duress_core::data::{Images, InputKind, Inputs, Items};
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Aware, Climb, Pressure, Promise, Spent, Target};
use duress_core::subject::{Failure, FailureKind, Loss};

pub use crate::ball::Norm;
use crate::ball::{random_start, step_up, stretch};

/// Projected gradient ascent (Madry et al., 2018); with one step of the whole budget it is the fast
/// gradient method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ascent {
    /// What the budget bounds.
    pub norm: Norm,
    /// How many steps from each start.
    pub steps: usize,
    /// The size of a step, as a share of the budget.
    pub step: f64,
    pub starts: usize,
    /// Whether a start is a random point of the budget, or the item itself.
    pub random_start: bool,
}

/// Answers how large the loss is for the items at some positions with these pixels, and, if asked,
/// adds its gradient.
pub type Ask<'a> = dyn Fn(&[usize], &[f32], Option<&mut [f32]>) -> Result<Vec<Loss>, Failure> + 'a;

/// How many values are asked about at once, in 16 to 256 items: enough to keep a subject busy, few
/// enough for its memory.
const BATCH_VALUES: usize = 1 << 21;

/// The share of items that are looked at twice, where once would settle them.
const SECOND_LOOK: f64 = 0.05;

/// A loss below which the softmax is called saturated.
const SATURATED: f64 = 1e-6;

/// A difference of the loss at the same point, relative to 1 + loss, that no rounding explains.
const RANDOMISED: f64 = 1e-3;

impl Aware for Ascent {
    fn pressure(&self) -> Pressure {
        let (unit, most, promise) = match self.norm {
            Norm::Linf => ("ε in L∞, in pixel units", 1.0, Promise::Linf),
            Norm::L2 => ("ε in L2, in pixel units", f64::MAX, Promise::L2),
        };
        Pressure {
            accepts: InputKind::Images,
            unit,
            most,
            sees_truth: false,
            promise,
        }
    }

    fn climb(
        &self,
        items: &Items,
        target: &Target<'_>,
        severities: &[Severity],
        seed: Seed,
    ) -> Result<Climb, Failure> {
        self.attack_ladder(items, severities, seed, &|which, pixels, slope| {
            target.loss(which, pixels, slope)
        })
    }
}

impl Ascent {
    /// Attacks `items` at each of the rising `severities`, asking `ask`.
    pub fn attack_ladder(
        &self,
        items: &Items,
        severities: &[Severity],
        seed: Seed,
        ask: &Ask<'_>,
    ) -> Result<Climb, Failure> {
        let images = items.images()?;
        let mut attack = Attack::begin(self, items, images, seed, ask)?;
        let mut climb = Climb {
            rungs: Vec::new(),
            spent: Vec::new(),
            doubts: Vec::new(),
        };
        for severity in severities {
            if severity.is_clean() {
                climb.rungs.push(items.clone());
            } else {
                attack.press(severity.value())?;
                climb.rungs.push(attack.attacked_items()?);
            }
            climb.spent.push(attack.spent.clone());
        }
        climb.doubts = attack.doubts();
        Ok(climb)
    }
}

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
struct Attack<'a> {
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
    spent: Spent,
    seen: AttackDoubts,
}

/// What gives reason to doubt that a standing item is robust: an attack that cannot see where to go
/// leaves items standing as well.
#[derive(Default)]
struct AttackDoubts {
    /// Per item, whether some gradient was zero everywhere.
    flat: Vec<bool>,
    /// How many of those items have a saturated softmax when clean.
    saturated: usize,
    /// How many of the `asked_twice` clean items had another loss the second time.
    moody: usize,
    asked_twice: usize,
    /// How many of the fallen items that were `looked_at_again` withstood a larger budget.
    weaker: usize,
    looked_at_again: usize,
}

/// One ascent of one item.
#[derive(Clone, Copy)]
struct Climber {
    item: usize,
    start: usize,
    step: usize,
    /// Whether it is only looked at where the rung below leads to; its ascent follows.
    ahead: bool,
    /// Whether it only looks whether a larger budget is weaker; then nothing of it is kept.
    again: bool,
}

/// Climbers side by side, each with where it is now.
struct Seats {
    size: usize,
    climbers: Vec<Climber>,
    which: Vec<usize>,
    pixels: Vec<f32>,
}

impl Seats {
    fn new(size: usize, room: usize) -> Seats {
        let pixels = Vec::with_capacity(size * room);
        Seats {
            size,
            climbers: Vec::with_capacity(room),
            which: Vec::with_capacity(room),
            pixels,
        }
    }

    fn len(&self) -> usize {
        self.climbers.len()
    }

    fn is_empty(&self) -> bool {
        self.climbers.is_empty()
    }

    fn pixels_at(&self, seat: usize) -> &[f32] {
        &self.pixels[seat * self.size..(seat + 1) * self.size]
    }

    fn pixels_at_mut(&mut self, seat: usize) -> &mut [f32] {
        &mut self.pixels[seat * self.size..(seat + 1) * self.size]
    }

    fn last_mut(&mut self) -> &mut [f32] {
        self.pixels_at_mut(self.len() - 1)
    }

    fn seat_climber(&mut self, climber: Climber, here: &[f32]) {
        self.climbers.push(climber);
        self.which.push(climber.item);
        self.pixels.extend_from_slice(here);
    }

    /// Gives up a seat; whoever has the last one takes it.
    fn leave(&mut self, seat: usize) {
        let last = self.len() - 1;
        self.climbers.swap_remove(seat);
        self.which.swap_remove(seat);
        self.pixels
            .copy_within(last * self.size.., seat * self.size);
        self.pixels.truncate(last * self.size);
    }

    fn clear(&mut self) {
        self.climbers.clear();
        self.which.clear();
        self.pixels.clear();
    }
}

impl<'a> Attack<'a> {
    fn begin(
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
            seen: AttackDoubts {
                flat: vec![false; n],
                ..AttackDoubts::default()
            },
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
            let moody = batch.iter().zip(&again).filter(|(i, again)| {
                let first = self.clean[**i].loss;
                (first - again.loss).abs() > RANDOMISED * (1.0 + first.abs())
            });
            self.seen.moody += moody.count();
            self.seen.asked_twice += batch.len();
        }
        Ok(())
    }

    /// Takes every item that still stands as far up as `budget` allows, and looks again at some
    /// that had fallen before.
    fn press(&mut self, budget: f64) -> Result<(), Failure> {
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
            self.note_flat(item);
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
                self.note_flat(climber.item);
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

    fn note_flat(&mut self, item: usize) {
        if !self.seen.flat[item] {
            self.seen.flat[item] = true;
            self.seen.saturated += usize::from(self.clean[item].loss < SATURATED);
        }
    }

    /// Whether item `i` is one of the few that are looked at twice.
    fn chosen(&self, i: usize, purpose: &str) -> bool {
        let seed = self
            .items
            .seed(i, self.seed.child("second look").child(purpose));
        seed.draws().chance(SECOND_LOOK)
    }

    fn attacked_items(&self) -> Result<Items, Failure> {
        let images = Images::new(self.images.shape(), self.pixels.clone());
        let images =
            images.map_err(|why| Failure::new(FailureKind::OverBudget, why.to_string()))?;
        Ok(self.items.with(Inputs::Images(images)))
    }

    fn doubts(&self) -> Vec<String> {
        let seen = &self.seen;
        let right = self.clean.iter().filter(|clean| clean.right).count();
        let flat = seen.flat.iter().filter(|flat| **flat).count();
        let mut doubts = Vec::new();
        if flat > 0 {
            doubts.push(format!(
                "the gradient was exactly zero somewhere on the way for {flat} of {right} items ({} with a saturated \
                 softmax): the attack could not move there, and what it did not break says little",
                seen.saturated
            ));
        }
        if seen.moody > 0 {
            doubts.push(format!(
                "{} of {} clean items asked about twice gave two different losses: the subject is randomised, and one \
                 attack overstates its robustness",
                seen.moody, seen.asked_twice
            ));
        }
        if seen.weaker > 0 {
            doubts.push(format!(
                "a larger severity looks weaker: {} of {} looks again at items broken lower down did not break them",
                seen.weaker, seen.looked_at_again
            ));
        }
        doubts
    }
}

fn is_flat(slope: &[f32]) -> bool {
    slope.iter().all(|x| *x == 0.0)
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    const PGD: Ascent = Ascent {
        norm: Norm::Linf,
        steps: 4,
        step: 0.25,
        starts: 1,
        random_start: true,
    };
    const FGSM: Ascent = Ascent {
        norm: Norm::Linf,
        steps: 1,
        step: 1.0,
        starts: 1,
        random_start: false,
    };

    /// `n` grey images of two pixels.
    fn items(n: usize) -> Items {
        let images = Images::new([1, 1, 2], vec![0.5; 2 * n]).unwrap();
        Items::new(
            (0..n).map(|i| i.to_string()).collect(),
            Inputs::Images(images),
        )
        .unwrap()
    }

    fn rungs(values: &[f64]) -> Vec<Severity> {
        values
            .iter()
            .map(|&value| Severity::new(value).unwrap())
            .collect()
    }

    /// A loss that is the first pixel; item i breaks once it reaches 0.5 + i/100.
    fn slope(
        which: &[usize],
        pixels: &[f32],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        if let Some(gradient) = gradient {
            gradient.chunks_mut(2).for_each(|of| of[0] += 1.0);
        }
        let at = |(&i, image): (&usize, &[f32])| Loss {
            loss: f64::from(image[0]),
            right: f64::from(image[0]) <= 0.5 + i as f64 / 100.0,
        };
        Ok(which.iter().zip(pixels.chunks(2)).map(at).collect())
    }

    fn pixel(rung: &Items, i: usize) -> f32 {
        rung.images().unwrap().image(i)[0]
    }

    #[test]
    fn a_break_is_kept_and_nothing_is_asked_about_it_again() {
        let climb = FGSM
            .attack_ladder(&items(10), &rungs(&[0.035, 0.065]), Seed::new(1), &slope)
            .unwrap();
        assert_eq!(pixel(&climb.rungs[0], 3), 0.535);
        assert_eq!(pixel(&climb.rungs[1], 3), 0.535, "broken below, and kept");
        assert_eq!(pixel(&climb.rungs[1], 5), 0.565, "broken here");
        assert_eq!(
            pixel(&climb.rungs[1], 9),
            0.565,
            "not broken, hurt as far as it goes"
        );
        assert_eq!(
            climb.spent[1].queries[3], 2,
            "once clean, once at the rung that broke it"
        );
        assert_eq!(climb.spent[1].queries[9], 3, "once clean, once per rung");
        assert!(climb.doubts.is_empty(), "{:?}", climb.doubts);
    }

    #[test]
    fn an_item_that_is_wrong_when_clean_keeps_its_clean_image() {
        let wrong = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            let losses = slope(which, pixels, gradient)?;
            Ok(losses
                .into_iter()
                .map(|loss| Loss {
                    right: false,
                    ..loss
                })
                .collect())
        };
        let climb = PGD
            .attack_ladder(&items(3), &rungs(&[0.1, 0.2]), Seed::new(1), &wrong)
            .unwrap();
        assert!(climb.rungs.iter().all(|rung| *rung == items(3)));
        assert_eq!(
            climb.spent[0].queries,
            [1, 2, 1],
            "one look, and a second at the few chosen for one"
        );
    }

    #[test]
    fn the_clean_rung_is_the_identity_and_costs_nothing_more() {
        let climb = FGSM
            .attack_ladder(&items(3), &rungs(&[0.0]), Seed::new(1), &slope)
            .unwrap();
        assert_eq!(climb.rungs, [items(3)]);
        assert_eq!(
            climb.spent[0].queries,
            [1, 2, 1],
            "one look, and a second at the few chosen for one"
        );
    }

    #[test]
    fn no_image_leaves_its_budget_or_the_box() {
        for norm in [Norm::Linf, Norm::L2] {
            for random_start in [true, false] {
                let how = Ascent {
                    norm,
                    random_start,
                    step: 0.7,
                    ..PGD
                };
                for budget in [0.01, 0.3, 5.0] {
                    let climb = how
                        .attack_ladder(&items(200), &rungs(&[budget]), Seed::new(2), &slope)
                        .unwrap();
                    for image in climb.rungs[0].images().unwrap().pixels().chunks(2) {
                        let by = image.iter().map(|x| (f64::from(*x) - 0.5).abs());
                        let used = match norm {
                            Norm::Linf => by.fold(0.0, f64::max),
                            Norm::L2 => libm::sqrt(by.map(|x| x * x).sum()),
                        };
                        assert!(used <= budget + 1e-6, "{how:?} {budget} {used}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_trusted_is_said() {
        let check = |how: &Ascent, ask: &Ask<'_>, expected: &str| {
            let climb = how
                .attack_ladder(&items(400), &rungs(&[0.01, 0.02]), Seed::new(3), ask)
                .unwrap();
            assert_eq!(climb.doubts.len(), 1, "{:?}", climb.doubts);
            assert!(climb.doubts[0].contains(expected), "{:?}", climb.doubts);
        };
        let right = |which: &[usize], loss: f64| Ok(vec![Loss { loss, right: true }; which.len()]);
        check(
            &PGD,
            &|which, _, _| right(which, 0.0),
            "zero somewhere on the way for 400 of 400 items (400 with",
        );
        let calls = Cell::new(0.0);
        let moody = |which: &[usize], _: &[f32], gradient: Option<&mut [f32]>| {
            calls.set(calls.get() + 1.0);
            gradient
                .into_iter()
                .flatten()
                .for_each(|slope| *slope += 1.0);
            right(which, calls.get())
        };
        check(&PGD, &moody, "two different losses");
        // Broken by a small step, mended by a large one.
        let fragile = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            gradient
                .into_iter()
                .flatten()
                .for_each(|slope| *slope += 1.0);
            let at = |image: &[f32]| Loss {
                loss: 1.0,
                right: !(0.505..0.515).contains(&image[0]),
            };
            assert_eq!(which.len(), pixels.len() / 2);
            Ok(pixels.chunks(2).map(at).collect())
        };
        check(&FGSM, &fragile, "a larger severity looks weaker");
    }

    #[test]
    fn what_hurt_below_is_looked_at_further_out_before_anything_else() {
        let rungs = rungs(&[0.2, 0.4]);
        let stands = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            let losses = slope(which, pixels, gradient)?;
            Ok(losses
                .into_iter()
                .map(|loss| Loss {
                    right: loss.loss < 0.75,
                    ..loss
                })
                .collect())
        };
        for norm in [Norm::Linf, Norm::L2] {
            let how = Ascent {
                norm,
                steps: 10,
                ..PGD
            };
            let climb = how
                .attack_ladder(&items(40), &rungs, Seed::new(1), &stands)
                .unwrap();
            for i in 0..40 {
                let [low, high] = [pixel(&climb.rungs[0], i), pixel(&climb.rungs[1], i)];
                assert!(low < 0.75 && (0.75..=0.9).contains(&high), "{low} {high}");
                let [below, there] = [0, 1].map(|rung| climb.spent[rung].gradients[i]);
                assert_eq!(
                    (below, there),
                    (10, 10),
                    "one look ahead was enough, and asked for no gradient"
                );
                let asked = climb.spent[1].queries[i] - climb.spent[0].queries[i];
                assert_eq!(asked, 1);
            }
        }
        // Where the look ahead does not break an item, its ascent is the one it would have had.
        let corner = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            let losses = slope(which, pixels, gradient)?;
            let broken = |image: &[f32]| image[0] > 0.5 && image[1] < 0.35;
            let turned = losses.into_iter().zip(pixels.chunks(2));
            Ok(turned
                .map(|(loss, image)| Loss {
                    right: !broken(image),
                    ..loss
                })
                .collect())
        };
        let alone = PGD
            .attack_ladder(&items(40), &rungs[1..], Seed::new(1), &corner)
            .unwrap();
        let both = PGD
            .attack_ladder(&items(40), &rungs, Seed::new(1), &corner)
            .unwrap();
        let broken = |climb: &Climb, i: usize| {
            let image = climb
                .rungs
                .last()
                .unwrap()
                .images()
                .unwrap()
                .image(i)
                .to_vec();
            image[0] > 0.5 && image[1] < 0.35
        };
        assert!(
            (0..40).all(|i| broken(&both, i) || !broken(&alone, i)),
            "nothing is lost by looking"
        );
        let hit = (0..40).filter(|&i| broken(&alone, i)).count();
        assert!((1..40).contains(&hit), "{hit}");
    }

    #[test]
    fn a_loss_that_is_not_a_number_is_nonsense_not_robustness() {
        let odd = |which: &[usize], _: &[f32], _: Option<&mut [f32]>| {
            Ok(vec![
                Loss {
                    loss: f64::NAN,
                    right: true
                };
                which.len()
            ])
        };
        let failure = FGSM
            .attack_ladder(&items(2), &rungs(&[0.1]), Seed::new(1), &odd)
            .unwrap_err();
        assert_eq!(failure.kind, FailureKind::Nonsense);
    }

    #[test]
    fn starts_are_shared_by_all_rungs_and_differ_between_items_and_starts() {
        let at = |item: &str, start: &str, budget: f64| {
            let mut here = [0.5; 2];
            let draws = Seed::new(4).child(item).child(start).draws();
            random_start(Norm::Linf, budget, draws, &mut here);
            here
        };
        let (low, high) = (at("a", "0", 0.1), at("a", "0", 0.2));
        assert!(((high[1] - 0.5) / (low[1] - 0.5) - 2.0).abs() < 1e-4);
        assert_ne!(low, at("b", "0", 0.1));
        assert_ne!(low, at("a", "1", 0.1));
    }

    /// Item i breaks after about i/100 of the way, so items leave at very different steps.
    #[test]
    fn seats_that_are_given_up_are_taken_so_that_batches_stay_full() {
        let n = 3000;
        let batch = 256;
        let sizes = RefCell::new(Vec::new());
        let counting = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            let twice = which.iter().collect::<std::collections::HashSet<_>>().len() < which.len();
            assert!(!twice, "an item is asked about once in a batch");
            if gradient.is_some() {
                sizes.borrow_mut().push(which.len());
            }
            let which: Vec<usize> = which.iter().map(|i| i % 30).collect();
            slope(&which, pixels, gradient)
        };
        let how = Ascent {
            steps: 20,
            step: 0.1,
            ..PGD
        };
        let climb = how
            .attack_ladder(&items(n), &rungs(&[0.2]), Seed::new(6), &counting)
            .unwrap();
        let sizes = sizes.into_inner();
        let full = sizes.iter().filter(|&&size| size == batch).count();
        assert!(
            full >= sizes.len() - 20,
            "{sizes:?}: only the last items, at most twenty steps, sit in a batch with free seats"
        );
        assert!(
            (0..n).all(|i| pixel(&climb.rungs[0], i) > 0.5),
            "everyone had a turn"
        );
        let asked: u32 = climb.spent[0].gradients.iter().sum();
        assert_eq!(
            asked as usize,
            sizes.iter().sum::<usize>(),
            "every gradient is counted"
        );
        assert!(
            climb.spent[0]
                .queries
                .iter()
                .zip(&climb.spent[0].gradients)
                .all(|(all, some)| all > some)
        );
    }

    #[test]
    fn every_start_is_tried_until_one_breaks_the_item() {
        // Broken only within a corner that few starts reach, and no step does: there is no slope.
        let corner = |which: &[usize], pixels: &[f32], _: Option<&mut [f32]>| {
            let at = |image: &[f32]| Loss {
                loss: 1.0,
                right: !(image[0] > 0.58 && image[1] > 0.58),
            };
            assert_eq!(which.len(), pixels.len() / 2);
            Ok(pixels.chunks(2).map(at).collect())
        };
        let broken = |starts: usize| {
            let how = Ascent {
                starts,
                steps: 1,
                ..PGD
            };
            let climb = how
                .attack_ladder(&items(500), &rungs(&[0.1]), Seed::new(7), &corner)
                .unwrap();
            let queries = climb.spent[0].queries.iter().max().copied().unwrap();
            (
                (0..500)
                    .filter(|&i| pixel(&climb.rungs[0], i) > 0.58)
                    .count(),
                queries,
            )
        };
        let ((one, _), (fifty, most)) = (broken(1), broken(50));
        assert!(one < 20 && fifty > 150, "{one} {fifty}");
        assert!(
            (100..=102).contains(&most),
            "a look, then two queries from each start: {most}"
        );
    }
}
