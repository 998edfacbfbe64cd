//! Who is asked: a subject with its labels inside, or a function that stands for one.

use duress_core::objective::{Aim, Objective};
use duress_core::stressor::{Target, Tells};
use duress_core::subject::{Failure, Loss};

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    /// What answers alone tell.
    Answers,
    /// A loss, with a gradient where one is wanted.
    Climb(Objective),
}

/// Whoever answers an attack's questions.
pub(super) trait Oracle {
    /// How much can be asked for.
    fn tells(&self) -> Tells;

    /// The loss of the items at some positions with these pixels, towards the class that each aims
    /// at if any do, and, if asked, its gradient, added.
    fn loss(
        &self,
        which: &[usize],
        pixels: &[f32],
        goal: Goal,
        aims: &[Aim],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure>;

    /// The most likely classes of each item other than its label.
    fn aims(&self, which: &[usize], pixels: &[f32], most: usize) -> Result<Vec<Vec<Aim>>, Failure>;

    /// Whether what it tells as logits are probabilities already.
    fn tells_probabilities(&self, pixels: &[f32]) -> Result<bool, Failure>;
}

impl Oracle for Target<'_> {
    fn tells(&self) -> Tells {
        Target::tells(self)
    }

    fn loss(
        &self,
        which: &[usize],
        pixels: &[f32],
        goal: Goal,
        aims: &[Aim],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        match goal {
            Goal::Answers => self.answers(which, pixels),
            Goal::Climb(objective) => Target::loss(self, which, pixels, objective, aims, gradient),
        }
    }

    fn aims(&self, which: &[usize], pixels: &[f32], most: usize) -> Result<Vec<Vec<Aim>>, Failure> {
        Target::aims(self, which, pixels, most)
    }

    fn tells_probabilities(&self, pixels: &[f32]) -> Result<bool, Failure> {
        Target::tells_probabilities(self, pixels)
    }
}

/// Answers how large the loss is for the items at some positions with these pixels, and, if asked,
/// adds its gradient.
pub type Ask<'a> = dyn Fn(&[usize], &[f32], Option<&mut [f32]>) -> Result<Vec<Loss>, Failure> + 'a;

/// A function that answers, whatever the goal.
pub(super) struct Asked<'a>(pub(super) &'a Ask<'a>);

impl Oracle for Asked<'_> {
    fn tells(&self) -> Tells {
        Tells::Loss
    }

    fn loss(
        &self,
        which: &[usize],
        pixels: &[f32],
        _goal: Goal,
        _aims: &[Aim],
        gradient: Option<&mut [f32]>,
    ) -> Result<Vec<Loss>, Failure> {
        (self.0)(which, pixels, gradient)
    }

    fn aims(
        &self,
        which: &[usize],
        _pixels: &[f32],
        _most: usize,
    ) -> Result<Vec<Vec<Aim>>, Failure> {
        Ok(vec![Vec::new(); which.len()])
    }

    fn tells_probabilities(&self, _pixels: &[f32]) -> Result<bool, Failure> {
        Ok(false)
    }
}
