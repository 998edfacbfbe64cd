//! An attack on its way up a ladder: which items still stand, and what broke the others.

use duress_core::data::{Images, Inputs, Items};
use duress_core::objective::Aim;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{Climb, Spent, Tells};
use duress_core::subject::{Failure, FailureKind, Loss};

use super::Limits;
use super::doubts::{AscentNotes, DoubtNotes, Settled};
use super::oracle::{Goal, Inquiry, Oracle};
use crate::ball::{Norm, step_up, stretch};

/// How many values are asked about at once, in 16 to 256 items: enough to keep a subject busy, few
/// enough for its memory.
const BATCH_VALUES: usize = 1 << 21;

/// The share of items that are looked at twice, where once would settle them.
const SECOND_LOOK: f64 = 0.05;

/// How many clean items are asked about twice at least, if there are as many: whether a subject is
/// randomised has to be known before the first step.
const ASKED_TWICE: usize = 8;

/// How many items are probed for gradients that do not lead up.
const PROBED: usize = 16;

/// How long a probe's step is, as a share of the budget.
const PROBE_STEP: f64 = 0.05;

/// By how many further answers a break of a randomised subject is confirmed, for each of which a loss
/// is the mean.
const CONFIRMING: usize = 3;

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

/// An item that is attacked on a rung.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) item: usize,
    /// Whether it has fallen below, and is only attacked to see whether a larger budget is weaker;
    /// then nothing of it is kept.
    pub(super) again: bool,
}

/// A loss below which the softmax is called saturated.
const SATURATED: f64 = 1e-6;

/// A way of attacking the items that stand, rung after rung.
pub(super) trait Method {
    /// What it is called where it is one of several.
    fn label(&self) -> String;

    /// What it asks for.
    fn goal(&self) -> Goal;

    /// Whether it needs the gradient at the clean images.
    fn starts_clean(&self) -> bool {
        false
    }

    /// Whether what hurt most on a rung shows where to look on the next.
    fn looks_ahead(&self) -> bool {
        true
    }

    /// Whether it is not meant for a subject that is `randomised`, or for one that is not.
    fn stands_aside(&self, _randomised: bool) -> bool {
        false
    }

    /// Takes every item of the ladder's roster as far as its budget allows.
    fn press(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure>;
}

/// What is known about all items on the way up.
pub(super) struct LadderState<'a> {
    pub(super) items: &'a Items,
    pub(super) images: &'a Images,
    pub(super) seed: Seed,
    pub(super) norm: Norm,
    oracle: &'a dyn Oracle,
    pub(super) batch: usize,
    /// The loss at the clean images.
    pub(super) clean: Vec<Loss>,
    /// Its gradient there, where a method asked for it.
    pub(super) first_gradient: Vec<f32>,
    states: Vec<ItemState>,
    /// The images kept so far, and the budget of the rung they are from.
    pixels: Vec<f32>,
    below: f64,
    /// How far items may move on this rung.
    pub(super) budget: f64,
    /// Items that fell below this rung and are attacked again.
    again: Vec<usize>,
    /// Whether images that hurt and do not break are kept: losses of one method only can be
    /// compared.
    keeping: bool,
    /// Of how many answers a loss is the mean; of more than one where the subject changes its mind.
    repeats: usize,
    pub(super) spent: Spent,
    pub(super) notes: DoubtNotes,
    /// Which of the methods is at work.
    method: usize,
}

/// Attacks up a ladder with each method in turn.
pub(super) fn climb_ladder(
    mut methods: Vec<Box<dyn Method>>,
    limits: Limits,
    (items, severities, seed): (&Items, &[Severity], Seed),
    oracle: &dyn Oracle,
) -> Result<Climb, Failure> {
    let images = items.images()?;
    let mut ladder = LadderState::new(items, images, seed, limits.norm, oracle);
    let notes = methods.iter().map(|method| method.label());
    let notes = notes.map(|label| AscentNotes::none(label, items.len()));
    ladder.notes.ascents = notes.collect();
    ladder.look_at_clean(&*methods[0], limits.repeats)?;
    let mut climb = Climb {
        rungs: Vec::new(),
        spent: Vec::new(),
        doubts: Vec::new(),
    };
    for severity in severities {
        if severity.is_clean() {
            climb.rungs.push(items.clone());
        } else {
            ladder.press_rung(&mut methods, severity.value())?;
            climb.rungs.push(ladder.attacked_items()?);
        }
        climb.spent.push(ladder.spent.clone());
    }
    climb.doubts = ladder.notes.said(&ladder.settled());
    Ok(climb)
}

impl<'a> LadderState<'a> {
    fn new(
        items: &'a Items,
        images: &'a Images,
        seed: Seed,
        norm: Norm,
        oracle: &'a dyn Oracle,
    ) -> LadderState<'a> {
        let n = items.len();
        LadderState {
            items,
            images,
            seed,
            norm,
            oracle,
            batch: (BATCH_VALUES / images.size()).clamp(16, 256),
            clean: Vec::with_capacity(n),
            first_gradient: Vec::new(),
            states: Vec::new(),
            pixels: images.pixels().to_vec(),
            below: 0.0,
            budget: 0.0,
            again: Vec::new(),
            keeping: true,
            repeats: 1,
            spent: Spent {
                queries: vec![0; n],
                gradients: vec![0; n],
            },
            notes: DoubtNotes::default(),
            method: 0,
        }
    }

    /// The first look at all items: are they right when clean, is the subject of one mind, and, if
    /// every ascent starts there, which way is up?
    fn look_at_clean(&mut self, first: &dyn Method, repeats: usize) -> Result<(), Failure> {
        let goal = first.goal();
        self.ask_about_clean(goal, first.starts_clean())?;
        self.ask_about_clean_again(goal)?;
        if self.notes.is_randomised() {
            self.repeats = repeats;
            self.ask_about_clean(goal, first.starts_clean())?;
        }
        let state = |clean: &Loss| match clean.right {
            true => ItemState::Standing(clean.loss),
            false => ItemState::Wrong,
        };
        self.states = self.clean.iter().map(state).collect();
        if self.oracle.tells() == Tells::Logits && !self.items.is_empty() {
            let few: Vec<usize> = (0..self.items.len().min(ASKED_TWICE)).collect();
            let pixels = self.clean_pixels(&few);
            self.notes.probabilities = self.oracle.tells_probabilities(&pixels)?;
        }
        Ok(())
    }

    fn ask_about_clean(&mut self, goal: Goal, with_gradient: bool) -> Result<(), Failure> {
        let all = (0..self.items.len()).collect::<Vec<_>>();
        let images = self.images;
        let size = images.size();
        let values = if with_gradient {
            images.pixels().len()
        } else {
            0
        };
        let mut gradient = vec![0.0; values];
        self.clean.clear();
        for batch in all.chunks(self.batch) {
            let values = batch[0] * size..(batch[0] + batch.len()) * size;
            let slope = gradient
                .get_mut(values.clone())
                .filter(|slope| !slope.is_empty());
            let losses = self.query(
                Inquiry::aimless(batch, &images.pixels()[values], goal),
                slope,
            )?;
            self.clean.extend(losses);
        }
        self.first_gradient = gradient;
        Ok(())
    }

    /// Asks once more about some clean items: a subject that changes its mind cannot be measured by
    /// one attack.
    fn ask_about_clean_again(&mut self, goal: Goal) -> Result<(), Failure> {
        let chosen: Vec<usize> = (0..self.items.len())
            .filter(|&i| i < ASKED_TWICE || self.chosen(i, "clean"))
            .collect();
        for batch in chosen.chunks(self.batch) {
            let pixels = self.clean_pixels(batch);
            let again = self.query(Inquiry::aimless(batch, &pixels, goal), None)?;
            for (&i, again) in batch.iter().zip(&again) {
                self.notes
                    .note_second_answer(self.clean[i].loss, again.loss);
            }
        }
        Ok(())
    }

    fn clean_pixels(&self, which: &[usize]) -> Vec<f32> {
        let images = which.iter().flat_map(|&i| self.images.image(i));
        images.copied().collect()
    }

    /// Attacks with each method in turn whoever the one before has left standing.
    fn press_rung(&mut self, methods: &mut [Box<dyn Method>], budget: f64) -> Result<(), Failure> {
        self.budget = budget;
        let fallen = |i: &usize| self.states[*i] == ItemState::Broken && self.chosen(*i, "fallen");
        self.again = (0..self.items.len()).filter(fallen).collect();
        let looked = self.again.len();
        self.keeping = true;
        self.method = 0;
        if self.below > 0.0 && methods[0].looks_ahead() {
            self.look_ahead(methods[0].goal())?;
        }
        let randomised = self.is_randomised();
        let mut gradients_tried = false;
        for (at, method) in methods.iter_mut().enumerate() {
            if method.stands_aside(randomised) {
                continue;
            }
            self.method = at;
            if self.below == 0.0 {
                self.probe_gradients(method.goal())?;
            }
            let answers_only = method.goal() == Goal::Answers;
            let before = self.standing_count();
            method.press(self)?;
            self.keeping = false;
            if answers_only && gradients_tried {
                let fell = before - self.standing_count();
                self.notes.note_answers(fell, before);
            }
            gradients_tried |= !answers_only;
        }
        self.notes.looked_at_again += looked;
        self.notes.weaker += self.again.len();
        self.below = budget;
        Ok(())
    }

    /// Who is attacked on this rung and has not fallen on it yet.
    pub(super) fn roster(&self) -> Vec<Entry> {
        let standing = (0..self.items.len()).filter(|&item| self.stands(item));
        let standing = standing.map(|item| Entry { item, again: false });
        let again = self.again.iter().map(|&item| Entry { item, again: true });
        standing.chain(again).collect()
    }

    /// Whether the subject was found to change its mind.
    pub(super) fn is_randomised(&self) -> bool {
        self.repeats > 1
    }

    pub(super) fn stands(&self, item: usize) -> bool {
        matches!(self.states[item], ItemState::Standing(_))
    }

    fn standing_count(&self) -> usize {
        (0..self.items.len()).filter(|&i| self.stands(i)).count()
    }

    /// Looks where the image that hurt each standing item most below leads to, stretched to the new
    /// budget: one question without a gradient may save all steps.
    fn look_ahead(&mut self, goal: Goal) -> Result<(), Failure> {
        let budget = self.budget;
        let size = self.images.size();
        let standing: Vec<usize> = (0..self.items.len()).filter(|&i| self.stands(i)).collect();
        for batch in standing.chunks(self.batch) {
            let mut pixels = Vec::with_capacity(batch.len() * size);
            for &item in batch {
                pixels.extend_from_slice(&self.pixels[item * size..(item + 1) * size]);
                let from = pixels.len() - size;
                stretch(
                    self.norm,
                    budget / self.below,
                    budget,
                    self.images.image(item),
                    &mut pixels[from..],
                );
            }
            let found = self.query(Inquiry::aimless(batch, &pixels, goal), None)?;
            for ((&item, found), here) in batch.iter().zip(found).zip(pixels.chunks(size)) {
                self.learn(Entry { item, again: false }, found, here);
            }
        }
        Ok(())
    }

    /// Asks some items whether a small step along the gradient raises the loss at all: where it
    /// does not, gradients are there and lead nowhere. What a small step does to a randomised subject
    /// is hidden by its noise, so that there it is the whole budget.
    fn probe_gradients(&mut self, goal: Goal) -> Result<(), Failure> {
        let budget = self.budget;
        let share = if self.is_randomised() {
            1.0
        } else {
            PROBE_STEP
        };
        if goal == Goal::Answers {
            return Ok(());
        }
        let standing = (0..self.items.len()).filter(|&i| self.stands(i));
        let few: Vec<usize> = standing.take(PROBED.min(self.batch)).collect();
        if few.is_empty() {
            return Ok(());
        }
        let size = self.images.size();
        let mut pixels = self.clean_pixels(&few);
        let mut gradient = vec![0.0; pixels.len()];
        let before = self.query(Inquiry::aimless(&few, &pixels, goal), Some(&mut gradient))?;
        let images = self.images;
        for (at, here) in pixels.chunks_mut(size).enumerate() {
            let slope = &gradient[at * size..(at + 1) * size];
            let clean = images.image(few[at]);
            step_up(self.norm, share * budget, budget, clean, slope, here);
        }
        let after = self.query(Inquiry::aimless(&few, &pixels, goal), None)?;
        let noisy = self.is_randomised();
        for (at, (before, after)) in before.iter().zip(&after).enumerate() {
            if !is_flat(&gradient[at * size..(at + 1) * size]) {
                let rose = after.loss > before.loss;
                self.ascent_notes().note_probe(rose, noisy);
            }
        }
        Ok(())
    }

    /// Keeps what broke an item, or else whatever hurt it most on this rung or below. Tells whether
    /// it has fallen.
    pub(super) fn learn(&mut self, entry: Entry, found: Loss, here: &[f32]) -> bool {
        let item = entry.item;
        let fell = !found.right;
        if entry.again {
            if fell {
                self.again.retain(|other| *other != item);
            }
            return fell;
        }
        let ItemState::Standing(before) = self.states[item] else {
            return true;
        };
        if fell || (self.keeping && found.loss > before) {
            self.pixels[item * here.len()..][..here.len()].copy_from_slice(here);
            self.states[item] = match fell {
                true => ItemState::Broken,
                false => ItemState::Standing(found.loss),
            };
        }
        fell
    }

    /// Asks about some items. A randomised subject is asked several times, and the mean is its answer;
    /// it is wrong only where it was wrong every time, and goes on to be.
    pub(super) fn query(
        &mut self,
        ask: Inquiry<'_>,
        mut gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        let mut mean = self.query_once(ask, gradient.as_deref_mut())?;
        if !self.is_randomised() {
            return Ok(mean);
        }
        for _ in 1..self.repeats {
            let more = self.query_once(ask, gradient.as_deref_mut())?;
            for (sum, more) in mean.iter_mut().zip(more) {
                sum.loss += more.loss;
                sum.right |= more.right;
            }
        }
        let share = 1.0 / self.repeats as f64;
        mean.iter_mut().for_each(|sum| sum.loss *= share);
        let slopes = gradient.into_iter().flatten();
        slopes.for_each(|slope| *slope *= share as f32);
        self.confirm_the_wrong(ask, &mut mean)?;
        Ok(mean)
    }

    /// Asks on about whoever was wrong every time so far, until it is right once or there is no doubt
    /// left: most who are wrong by luck cost a question or two.
    fn confirm_the_wrong(&mut self, ask: Inquiry<'_>, found: &mut [Loss]) -> Result<(), Failure> {
        for _ in 0..CONFIRMING * self.repeats {
            let wrong: Vec<usize> = (0..found.len()).filter(|&at| !found[at].right).collect();
            if wrong.is_empty() {
                return Ok(());
            }
            let which: Vec<usize> = wrong.iter().map(|&at| ask.which[at]).collect();
            let size = self.images.size();
            let images = wrong.iter().map(|&at| &ask.pixels[at * size..][..size]);
            let pixels = images.collect::<Vec<_>>().concat();
            let answers = self.query_once(Inquiry::aimless(&which, &pixels, ask.goal), None)?;
            for (at, answer) in wrong.into_iter().zip(answers) {
                found[at].right = answer.right;
            }
        }
        Ok(())
    }

    fn query_once(
        &mut self,
        ask: Inquiry<'_>,
        mut gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        let which = ask.which;
        which.iter().for_each(|&i| self.spent.queries[i] += 1);
        if gradient.is_some() {
            which.iter().for_each(|&i| self.spent.gradients[i] += 1);
            self.ascent_notes().note_climbed(which);
        }
        let losses = self.oracle.loss(ask, gradient.as_deref_mut())?;
        self.check_finite(which, &losses, gradient.as_deref())?;
        Ok(losses)
    }

    fn check_finite(
        &self,
        which: &[usize],
        losses: &[Loss],
        gradient: Option<&[f32]>,
    ) -> Result<(), Failure> {
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
            let slope = gradient.map_or(&[][..], |slope| &slope[i * size..(i + 1) * size]);
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
            None => Ok(()),
        }
    }

    /// The most likely classes of some clean items, other than the label.
    pub(super) fn aims(&mut self, which: &[usize], most: usize) -> Result<Vec<Vec<Aim>>, Failure> {
        let mut aims = Vec::with_capacity(which.len());
        for batch in which.chunks(self.batch) {
            let pixels = self.clean_pixels(batch);
            batch.iter().for_each(|&i| self.spent.queries[i] += 1);
            aims.extend(self.oracle.aims(batch, &pixels, most)?);
        }
        Ok(aims)
    }

    /// What the method at work notices about its ascents.
    pub(super) fn ascent_notes(&mut self) -> &mut AscentNotes {
        &mut self.notes.ascents[self.method]
    }

    /// Another subject, asked about the same items.
    pub(super) fn source(&self) -> Result<&'a dyn Oracle, Failure> {
        let none = || Failure::unable("there is no other subject whose slopes could be climbed");
        self.oracle.source().ok_or_else(none)
    }

    /// What became of the items.
    fn settled(&self) -> Settled {
        let states = self.states.iter();
        let saturated = |clean: &Loss| clean.loss.abs() < SATURATED;
        Settled {
            right: states.filter(|state| **state != ItemState::Wrong).count(),
            standing: (0..self.items.len()).map(|i| self.stands(i)).collect(),
            saturated: self.clean.iter().map(saturated).collect(),
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
}

pub(super) fn is_flat(slope: &[f32]) -> bool {
    slope.iter().all(|x| *x == 0.0)
}
