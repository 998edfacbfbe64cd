//! A fixed ensemble of attacks that fail for different reasons, each on what the ones before left.

use duress_core::objective::Objective;
use duress_core::stressor::{AttackDoubt, Tells};
use duress_core::subject::Failure;

use super::apgd::{Apgd, ApgdMethod};
use super::fab::{Fab, FabMethod};
use super::ladder::{LadderState, Method};
use super::oracle::Goal;
use super::rays::{Rays, RaysMethod};
use super::square::Square;
use super::{Limits, Lineup};
use crate::ball::Norm;

/// The ensemble, by what a subject tells. Nothing about it is to be chosen, so that two studies that
/// name it mean the same attack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suite {
    /// What bounds it.
    pub limits: Limits,
}

/// How many steps an ascent has, and how many classes are aimed at.
const STEPS: usize = 100;
const TARGETS: usize = 9;

/// How many steps an ascent of a randomised subject has. Noise halves the step at nearly every check,
/// so that the second half of a hundred would go by without moving.
const NOISY_STEPS: usize = 50;

/// How many questions are asked where answers alone are seen.
const QUERIES: usize = 5000;

/// Which subjects a stage is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum For {
    All,
    /// Those that answer the same question the same way.
    Fixed,
    /// Those that are found to be randomised.
    Randomised,
}

/// An attack of the ensemble, which stands aside where it is not meant.
pub(super) struct Stage {
    method: Box<dyn Method>,
    meant: For,
}

impl Method for Stage {
    fn label(&self) -> String {
        self.method.label()
    }

    fn goal(&self) -> Goal {
        self.method.goal()
    }

    fn looks_ahead(&self) -> bool {
        self.method.looks_ahead()
    }

    fn stands_aside(&self, randomised: bool) -> bool {
        match self.meant {
            For::All => false,
            For::Fixed => randomised,
            For::Randomised => !randomised,
        }
    }

    fn press(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        self.method.press(ladder)
    }
}

impl Suite {
    /// Its attacks, and what is to be said where a subject does not tell all.
    pub(super) fn lineup(&self, tells: Tells) -> Result<Lineup, Failure> {
        let stages = self.stages(tells);
        if stages.is_empty() {
            return Err(Failure::unable(
                "in L1 the ensemble climbs gradients, and the subject gives answers only: `norm = \"linf\"` and `\"l2\"` need no more",
            ));
        }
        Ok((stages, shortened(tells)))
    }

    /// The attacks, in the order they are run: the cheapest first.
    fn stages(&self, tells: Tells) -> Vec<Box<dyn Method>> {
        let stage = |meant: For, method: Box<dyn Method>| -> Box<dyn Method> {
            Box::new(Stage { method, meant })
        };
        let mut stages = Vec::new();
        if tells >= Tells::Loss {
            let ce = Objective::CrossEntropy;
            stages.push(stage(For::Fixed, self.apgd(ce, 0, STEPS)));
            stages.push(stage(For::Randomised, self.apgd(ce, 0, NOISY_STEPS)));
        }
        if tells == Tells::Logits {
            let dlr = Objective::Dlr;
            stages.push(stage(For::Randomised, self.apgd(dlr, 0, NOISY_STEPS)));
            stages.push(stage(For::Fixed, self.apgd(dlr, TARGETS, STEPS)));
            stages.push(stage(For::Fixed, Box::new(FabMethod::new(self.fab()))));
        }
        if self.limits.norm != Norm::L1 {
            // In L2 nothing else needs answers only, so that there it is for randomised subjects too.
            let meant = match (tells, self.limits.norm) {
                (Tells::Answers, Norm::L2) => For::All,
                _ => For::Fixed,
            };
            stages.push(stage(meant, Box::new(self.square())));
        }
        if tells == Tells::Answers && self.limits.norm == Norm::Linf {
            let rays = Rays {
                queries: QUERIES,
                limits: self.limits,
            };
            stages.push(stage(For::All, Box::new(RaysMethod::new(rays))));
        }
        stages
    }

    fn apgd(&self, objective: Objective, targets: usize, steps: usize) -> Box<dyn Method> {
        Box::new(ApgdMethod::new(Apgd {
            limits: self.limits,
            objective,
            targets,
            steps,
            starts: 1,
        }))
    }

    fn fab(&self) -> Fab {
        Fab {
            limits: self.limits,
            targets: TARGETS,
            steps: STEPS,
        }
    }

    fn square(&self) -> Square {
        Square {
            queries: QUERIES,
            limits: self.limits,
        }
    }
}

/// What is to be said of the ensemble where a subject does not tell all.
fn shortened(tells: Tells) -> Option<AttackDoubt> {
    match tells {
        Tells::Answers => Some(AttackDoubt::AnswersOnly),
        Tells::Loss => Some(AttackDoubt::OneLoss),
        Tells::Logits => None,
    }
}
