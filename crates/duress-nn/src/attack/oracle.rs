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

/// A question about some items: their positions, their pixels now, what is wanted, and the class that
/// each aims at if any do.
#[derive(Clone, Copy)]
pub(super) struct Inquiry<'a> {
    pub(super) which: &'a [usize],
    pub(super) pixels: &'a [f32],
    pub(super) goal: Goal,
    pub(super) aims: &'a [Aim],
}

impl<'a> Inquiry<'a> {
    /// One in which nobody aims.
    pub(super) fn aimless(which: &'a [usize], pixels: &'a [f32], goal: Goal) -> Inquiry<'a> {
        Inquiry {
            which,
            pixels,
            goal,
            aims: &[],
        }
    }
}

/// Whoever answers an attack's questions.
pub(super) trait Oracle {
    /// How much can be asked for.
    fn tells(&self) -> Tells;

    /// The loss of each item and, if there is room for it, its gradient, added.
    fn loss(&self, ask: Inquiry<'_>, gradient: Option<&mut [f32]>) -> Result<Vec<Loss>, Failure>;

    /// The most likely classes of each item other than its label.
    fn aims(&self, which: &[usize], pixels: &[f32], most: usize) -> Result<Vec<Vec<Aim>>, Failure>;

    /// Whether what it tells as logits are probabilities already.
    fn tells_probabilities(&self, pixels: &[f32]) -> Result<bool, Failure>;

    /// Another subject, asked about the same items, where there is one.
    fn source(&self) -> Option<&dyn Oracle> {
        None
    }
}

impl Oracle for Target<'_> {
    fn tells(&self) -> Tells {
        Target::tells(self)
    }

    fn loss(&self, ask: Inquiry<'_>, gradient: Option<&mut [f32]>) -> Result<Vec<Loss>, Failure> {
        match ask.goal {
            Goal::Answers => self.answers(ask.which, ask.pixels),
            Goal::Climb(objective) => {
                Target::loss(self, ask.which, ask.pixels, objective, ask.aims, gradient)
            }
        }
    }

    fn aims(&self, which: &[usize], pixels: &[f32], most: usize) -> Result<Vec<Vec<Aim>>, Failure> {
        Target::aims(self, which, pixels, most)
    }

    fn tells_probabilities(&self, pixels: &[f32]) -> Result<bool, Failure> {
        Target::tells_probabilities(self, pixels)
    }

    fn source(&self) -> Option<&dyn Oracle> {
        Target::source(self).map(|source| source as &dyn Oracle)
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

    fn loss(&self, ask: Inquiry<'_>, gradient: Option<&mut [f32]>) -> Result<Vec<Loss>, Failure> {
        (self.0)(ask.which, ask.pixels, gradient)
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
