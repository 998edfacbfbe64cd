//! Attacks: climbing a loss within a budget, up a ladder of budgets in one pass.
//!
//! Work is done only where it can change the answer. An item that is wrong when clean keeps its clean image; an item that is
//! broken keeps the image that broke it on every higher rung, where it is still within the budget. So accuracy never rises
//! with the budget, and a subject is asked about fewer items the higher the rung. What that would hide, an attack that gets
//! weaker as its budget grows, is looked for in a fixed share of the settled items.

use duress_core::data::{Images, Inputs, Items};
use duress_core::seed::{Draws, Seed};
use duress_core::severity::Severity;
use duress_core::stressor::Climb;
use duress_core::subject::{Failure, FailureKind, Loss};

/// How far an image may move, in which sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// The largest change of a pixel.
    Linf,
    /// The Euclidean length of the change.
    L2,
}

/// Projected gradient ascent (Madry et al., 2018); with one step of the whole budget it is the fast gradient method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ascent {
    /// What the budget bounds.
    pub norm: Norm,
    /// How many steps from each start.
    pub steps: usize,
    /// The size of a step, as a share of the budget.
    pub step: f64,
    /// How many starts.
    pub starts: usize,
    /// Whether a start is a random point of the budget, or the item itself.
    pub random_start: bool,
}

/// Answers how large the loss is for the items at some positions with these pixels, and, if asked, adds its gradient.
pub type Ask<'a> = dyn Fn(&[usize], &[f32], Option<&mut [f32]>) -> Result<Vec<Loss>, Failure> + 'a;

/// How many items are asked about at once: enough to keep a subject busy, few enough to fit in memory.
const BATCH: usize = 128;

/// The share of items that are looked at twice, where once would settle them.
const SECOND_LOOK: f64 = 0.05;

/// A loss below which the softmax is called saturated.
const SATURATED: f64 = 1e-6;

/// A difference of the loss at the same point, relative to 1 + loss, that no rounding explains.
const RANDOMISED: f64 = 1e-3;

impl Ascent {
    /// Attacks `items` at each of the rising `severities`.
    pub fn climb(
        &self,
        items: &Items,
        severities: &[Severity],
        seed: Seed,
        ask: &Ask<'_>,
    ) -> Result<Climb, Failure> {
        let images = items.images()?;
        let mut attack = Attack::begin(self, items, images, seed, ask)?;
        let mut rungs = Vec::with_capacity(severities.len());
        for severity in severities {
            if severity.is_clean() {
                rungs.push(items.clone());
            } else {
                attack.press(severity.value())?;
                rungs.push(attack.now()?);
            }
        }
        Ok(Climb { rungs, doubts: attack.doubts(), queries: attack.queries })
    }
}

/// What is known about an item so far.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
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
    /// The loss at the clean images.
    clean: Vec<Loss>,
    /// Its gradient there, when every ascent starts there.
    first_gradient: Vec<f32>,
    states: Vec<State>,
    /// The images kept so far.
    pixels: Vec<f32>,
    queries: Vec<u32>,
    seen: Seen,
}

/// What gives reason to doubt.
#[derive(Default)]
struct Seen {
    flat: Vec<bool>,
    saturated: usize,
    moody: usize,
    asked_twice: usize,
    weaker: usize,
    looked_at_again: usize,
}

/// An item on its way: where it is now, and the best place so far.
struct Climber {
    item: usize,
    here: Vec<f32>,
    best: Vec<f32>,
    loss: f64,
    right: bool,
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
            clean: Vec::with_capacity(n),
            first_gradient: Vec::new(),
            states: Vec::new(),
            pixels: images.pixels().to_vec(),
            queries: vec![0; n],
            seen: Seen { flat: vec![false; n], ..Seen::default() },
        };
        for batch in (0..n).collect::<Vec<_>>().chunks(BATCH) {
            attack.look(batch)?;
        }
        let state = |clean: &Loss| if clean.right { State::Standing(clean.loss) } else { State::Wrong };
        attack.states = attack.clean.iter().map(state).collect();
        attack.look_again()?;
        Ok(attack)
    }

    /// The first look at some items: are they right when clean, and which way is up?
    fn look(&mut self, batch: &[usize]) -> Result<(), Failure> {
        let pixels: Vec<f32> = batch.iter().flat_map(|&i| self.images.image(i)).copied().collect();
        let mut gradient = vec![0.0; if self.how.random_start { 0 } else { pixels.len() }];
        let losses = self.query(batch, &pixels, (!self.how.random_start).then_some(&mut gradient))?;
        self.clean.extend(losses);
        self.first_gradient.extend(gradient);
        Ok(())
    }

    /// Asks once more about some clean items: a subject that changes its mind cannot be measured by one attack.
    fn look_again(&mut self) -> Result<(), Failure> {
        let chosen: Vec<usize> = (0..self.items.len()).filter(|&i| self.chosen(i, "clean")).collect();
        for batch in chosen.chunks(BATCH) {
            let pixels: Vec<f32> = batch.iter().flat_map(|&i| self.images.image(i)).copied().collect();
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

    /// Takes every item that still stands as far up as `budget` allows, and looks again at some that had fallen before.
    fn press(&mut self, budget: f64) -> Result<(), Failure> {
        let of = |wanted: fn(&State) -> bool| -> Vec<usize> {
            (0..self.states.len()).filter(|&i| wanted(&self.states[i])).collect()
        };
        let standing = of(|state| matches!(state, State::Standing(_)));
        let fallen = of(|state| matches!(state, State::Broken));
        for batch in standing.chunks(BATCH) {
            for climber in self.ascend(batch, budget)? {
                self.keep(climber);
            }
        }
        let again: Vec<usize> = fallen.into_iter().filter(|&i| self.chosen(i, "fallen")).collect();
        for batch in again.chunks(BATCH) {
            let climbers = self.ascend(batch, budget)?;
            self.seen.weaker += climbers.iter().filter(|climber| climber.right).count();
            self.seen.looked_at_again += climbers.len();
        }
        Ok(())
    }

    /// Keeps what broke an item, or else whatever hurt it most on this rung or below.
    fn keep(&mut self, climber: Climber) {
        let before = match self.states[climber.item] {
            State::Standing(loss) => loss,
            State::Wrong | State::Broken => return,
        };
        if climber.right && climber.loss <= before {
            return;
        }
        let size = self.images.size();
        self.pixels[climber.item * size..(climber.item + 1) * size].copy_from_slice(&climber.best);
        self.states[climber.item] = if climber.right { State::Standing(climber.loss) } else { State::Broken };
    }

    /// Climbs from every start until an item breaks or the steps are used up.
    fn ascend(&mut self, which: &[usize], budget: f64) -> Result<Vec<Climber>, Failure> {
        let mut all: Vec<Climber> = which.iter().map(|&item| self.at_rest(item)).collect();
        for start in 0..self.how.starts {
            for climber in all.iter_mut().filter(|climber| climber.right) {
                climber.here = self.start(climber.item, start, budget);
            }
            for step in 0..=self.how.steps {
                let mut live: Vec<&mut Climber> = all.iter_mut().filter(|climber| climber.right).collect();
                let last = step == self.how.steps;
                let gradient = self.look_around(&mut live, step, last)?;
                let ways = live.into_iter().zip(gradient.chunks_exact(self.images.size()));
                for (climber, gradient) in ways.filter(|(climber, _)| climber.right) {
                    self.note_flat(climber.item, gradient);
                    step_up(self.how, budget, self.images.image(climber.item), gradient, &mut climber.here);
                }
            }
        }
        Ok(all)
    }

    /// The loss where each climber is, and its gradient unless this is the `last` look; climbers remember the best place.
    fn look_around(
        &mut self,
        live: &mut [&mut Climber],
        step: usize,
        last: bool,
    ) -> Result<Vec<f32>, Failure> {
        let size = self.images.size();
        if live.is_empty() {
            return Ok(Vec::new());
        }
        if step == 0 && !self.how.random_start {
            // Every rung starts from the clean item, whose gradient is known.
            let of = |climber: &&mut Climber| &self.first_gradient[climber.item * size..][..size];
            return Ok(live.iter().flat_map(of).copied().collect());
        }
        let which: Vec<usize> = live.iter().map(|climber| climber.item).collect();
        let pixels: Vec<f32> = live.iter().flat_map(|climber| &climber.here).copied().collect();
        let mut gradient = vec![0.0; if last { 0 } else { pixels.len() }];
        let losses = self.query(&which, &pixels, (!last).then_some(&mut gradient))?;
        for (climber, found) in live.iter_mut().zip(losses) {
            climber.learn(found);
        }
        Ok(gradient)
    }

    fn at_rest(&self, item: usize) -> Climber {
        let image = self.images.image(item).to_vec();
        Climber { item, best: image.clone(), here: image, loss: self.clean[item].loss, right: true }
    }

    /// Where start number `start` is; its draws are the same on every rung.
    fn start(&self, item: usize, start: usize, budget: f64) -> Vec<f32> {
        let image = self.images.image(item);
        if !self.how.random_start {
            return image.to_vec();
        }
        let mut draws = self.items.seed(item, self.seed).child(start.to_string()).draws();
        let offset = match self.how.norm {
            Norm::Linf => (0..image.len()).map(|_| draws.between(-budget, budget)).collect(),
            Norm::L2 => in_the_ball(image.len(), budget, &mut draws),
        };
        image.iter().zip(offset).map(|(&x, by)| (x + by as f32).clamp(0.0, 1.0)).collect()
    }

    fn query(
        &mut self,
        which: &[usize],
        pixels: &[f32],
        mut gradient: Option<&mut Vec<f32>>,
    ) -> Result<Vec<Loss>, Failure> {
        which.iter().for_each(|&i| self.queries[i] += 1);
        let losses = (self.ask)(which, pixels, gradient.as_mut().map(|slope| slope.as_mut_slice()))?;
        let nonsense = |why: String| Failure::new(FailureKind::Nonsense, why);
        if losses.len() != which.len() {
            return Err(nonsense(format!("{} losses about {} items", losses.len(), which.len())));
        }
        let size = self.images.size();
        let odd = (0..which.len()).find(|&i| {
            let steep = gradient.as_ref().map_or(&[][..], |slope| &slope[i * size..(i + 1) * size]);
            !losses[i].loss.is_finite() || steep.iter().any(|x| !x.is_finite())
        });
        match odd {
            Some(i) => Err(nonsense(format!(
                "the loss about item `{}` is {}, or its gradient is not finite",
                self.items.ids()[which[i]],
                losses[i].loss
            ))),
            None => Ok(losses),
        }
    }

    fn note_flat(&mut self, item: usize, gradient: &[f32]) {
        if !self.seen.flat[item] && gradient.iter().all(|x| *x == 0.0) {
            self.seen.flat[item] = true;
            self.seen.saturated += usize::from(self.clean[item].loss < SATURATED);
        }
    }

    /// Whether item `i` is one of the few that are looked at twice.
    fn chosen(&self, i: usize, purpose: &str) -> bool {
        let seed = self.items.seed(i, self.seed.child("second look").child(purpose));
        seed.draws().chance(SECOND_LOOK)
    }

    fn now(&self) -> Result<Items, Failure> {
        let images = Images::new(self.images.shape(), self.pixels.clone());
        let images = images.map_err(|why| Failure::new(FailureKind::OverBudget, why.to_string()))?;
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

impl Climber {
    fn learn(&mut self, found: Loss) {
        self.right = found.right;
        if !found.right || found.loss > self.loss {
            self.loss = found.loss;
            self.best.copy_from_slice(&self.here);
        }
    }
}

/// One step up, then back into the budget and the box.
fn step_up(how: &Ascent, budget: f64, image: &[f32], gradient: &[f32], here: &mut [f32]) {
    let step = how.step * budget;
    match how.norm {
        Norm::Linf => {
            let (step, budget) = (step as f32, budget as f32);
            for ((x, &clean), &slope) in here.iter_mut().zip(image).zip(gradient) {
                let way = if slope == 0.0 { 0.0 } else { slope.signum() };
                *x = (*x + step * way).clamp((clean - budget).max(0.0), (clean + budget).min(1.0));
            }
        }
        Norm::L2 => {
            let stride = step / length(gradient.iter().copied()).max(f64::MIN_POSITIVE);
            let moved: Vec<f64> = (here.iter().zip(image).zip(gradient))
                .map(|((&x, &clean), &slope)| f64::from(x) - f64::from(clean) + stride * f64::from(slope))
                .collect();
            let far = libm::sqrt(moved.iter().map(|by| by * by).sum());
            let shrink = if far > budget { budget / far } else { 1.0 };
            // Clipping to the box moves towards the clean image, so it cannot leave the ball again.
            for ((x, &clean), by) in here.iter_mut().zip(image).zip(moved) {
                *x = ((f64::from(clean) + shrink * by) as f32).clamp(0.0, 1.0);
            }
        }
    }
}

fn length(values: impl Iterator<Item = f32>) -> f64 {
    libm::sqrt(values.map(|x| f64::from(x) * f64::from(x)).sum())
}

/// A uniform point of the ball: a uniform direction, at a distance whose `size`-th power is uniform.
fn in_the_ball(size: usize, radius: f64, draws: &mut Draws) -> Vec<f64> {
    let way: Vec<f64> = (0..size).map(|_| draws.normal()).collect();
    let far = libm::sqrt(way.iter().map(|x| x * x).sum()).max(f64::MIN_POSITIVE);
    let reach = radius * libm::pow(draws.uniform(), 1.0 / size as f64);
    way.into_iter().map(|x| x * reach / far).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    const PGD: Ascent = Ascent { norm: Norm::Linf, steps: 4, step: 0.25, starts: 1, random_start: true };
    const FGSM: Ascent = Ascent { norm: Norm::Linf, steps: 1, step: 1.0, starts: 1, random_start: false };

    /// `n` grey images of two pixels.
    fn items(n: usize) -> Items {
        let images = Images::new([1, 1, 2], vec![0.5; 2 * n]).unwrap();
        Items::new((0..n).map(|i| i.to_string()).collect(), Inputs::Images(images)).unwrap()
    }

    fn rungs(values: &[f64]) -> Vec<Severity> {
        values.iter().map(|&value| Severity::new(value).unwrap()).collect()
    }

    /// A loss that is the first pixel; item i breaks once it reaches 0.5 + i/100.
    fn slope(which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>) -> Result<Vec<Loss>, Failure> {
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
        let climb = FGSM.climb(&items(10), &rungs(&[0.035, 0.065]), Seed::new(1), &slope).unwrap();
        assert_eq!(pixel(&climb.rungs[0], 3), 0.535);
        assert_eq!(pixel(&climb.rungs[1], 3), 0.535, "broken below, and kept");
        assert_eq!(pixel(&climb.rungs[1], 5), 0.565, "broken here");
        assert_eq!(pixel(&climb.rungs[1], 9), 0.565, "not broken, hurt as far as it goes");
        assert_eq!(climb.queries[3], 2, "once clean, once at the rung that broke it");
        assert_eq!(climb.queries[9], 3, "once clean, once per rung");
        assert!(climb.doubts.is_empty(), "{:?}", climb.doubts);
    }

    #[test]
    fn an_item_that_is_wrong_when_clean_keeps_its_clean_image() {
        let wrong = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            let losses = slope(which, pixels, gradient)?;
            Ok(losses.into_iter().map(|loss| Loss { right: false, ..loss }).collect())
        };
        let climb = PGD.climb(&items(3), &rungs(&[0.1, 0.2]), Seed::new(1), &wrong).unwrap();
        assert!(climb.rungs.iter().all(|rung| *rung == items(3)));
        assert_eq!(climb.queries, [1, 2, 1], "one look, and a second at the few chosen for one");
    }

    #[test]
    fn the_clean_rung_is_the_identity_and_costs_nothing_more() {
        let climb = FGSM.climb(&items(3), &rungs(&[0.0]), Seed::new(1), &slope).unwrap();
        assert_eq!(climb.rungs, [items(3)]);
        assert_eq!(climb.queries, [1, 2, 1], "one look, and a second at the few chosen for one");
    }

    #[test]
    fn no_image_leaves_its_budget_or_the_box() {
        for norm in [Norm::Linf, Norm::L2] {
            for random_start in [true, false] {
                let how = Ascent { norm, random_start, step: 0.7, ..PGD };
                for budget in [0.01, 0.3, 5.0] {
                    let climb = how.climb(&items(200), &rungs(&[budget]), Seed::new(2), &slope).unwrap();
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
            let climb = how.climb(&items(400), &rungs(&[0.01, 0.02]), Seed::new(3), ask).unwrap();
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
            gradient.into_iter().flatten().for_each(|slope| *slope += 1.0);
            right(which, calls.get())
        };
        check(&PGD, &moody, "two different losses");
        // Broken by a small step, mended by a large one.
        let fragile = |which: &[usize], pixels: &[f32], gradient: Option<&mut [f32]>| {
            gradient.into_iter().flatten().for_each(|slope| *slope += 1.0);
            let at = |image: &[f32]| Loss { loss: 1.0, right: !(0.505..0.515).contains(&image[0]) };
            assert_eq!(which.len(), pixels.len() / 2);
            Ok(pixels.chunks(2).map(at).collect())
        };
        check(&FGSM, &fragile, "a larger severity looks weaker");
    }

    #[test]
    fn a_loss_that_is_not_a_number_is_nonsense_not_robustness() {
        let odd = |which: &[usize], _: &[f32], _: Option<&mut [f32]>| {
            Ok(vec![Loss { loss: f64::NAN, right: true }; which.len()])
        };
        let failure = FGSM.climb(&items(2), &rungs(&[0.1]), Seed::new(1), &odd).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Nonsense);
    }

    #[test]
    fn starts_are_shared_by_all_rungs_and_differ_between_items_and_starts() {
        let (items, images) = (items(2), items(2));
        let ask: &Ask<'_> = &slope;
        let attack = Attack::begin(&PGD, &items, images.images().unwrap(), Seed::new(4), ask).unwrap();
        let (low, high) = (attack.start(0, 0, 0.1), attack.start(0, 0, 0.2));
        assert!(((high[1] - 0.5) / (low[1] - 0.5) - 2.0).abs() < 1e-4);
        assert_ne!(low, attack.start(1, 0, 0.1));
        assert_ne!(low, attack.start(0, 1, 0.1));
    }
}
