//! Transfer: images that hurt another subject most, shown to this one.

use duress_core::objective::{Aim, Objective};
use duress_core::severity::Severity;
use duress_core::stressor::Tells;
use duress_core::subject::{Failure, Loss};

use super::Limits;
use super::apgd::{Apgd, ApgdMethod};
use super::ladder::{Entry, LadderState, Method, climb_ladder};
use super::oracle::{Goal, Inquiry, Oracle};

/// Auto-PGD against another subject of the study, to the end of its steps: what it made is shown to
/// the subject, which gives answers only.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    /// What bounds it.
    pub limits: Limits,
    /// Whose slopes are climbed, as the study calls it.
    pub from: String,
    /// What is climbed there.
    pub objective: Objective,
    /// How many steps.
    pub steps: usize,
}

impl Method for Transfer {
    fn label(&self) -> String {
        format!("transfer from `{}`", self.from)
    }

    fn goal(&self) -> Goal {
        Goal::Answers
    }

    fn press(&mut self, ladder: &mut LadderState<'_>) -> Result<(), Failure> {
        let roster = ladder.roster();
        let made = self.climb_source(&roster, ladder)?;
        let size = ladder.images.size();
        let batch = ladder.batch;
        for (entries, pixels) in roster.chunks(batch).zip(made.chunks(batch * size)) {
            let which: Vec<usize> = entries.iter().map(|entry| entry.item).collect();
            let found = ladder.query(Inquiry::aimless(&which, pixels, Goal::Answers), None)?;
            for ((entry, found), here) in entries.iter().zip(found).zip(pixels.chunks(size)) {
                ladder.learn(*entry, found, here);
            }
        }
        Ok(())
    }
}

impl Transfer {
    /// What hurts the other subject most within the budget, item by item.
    fn climb_source(
        &self,
        roster: &[Entry],
        ladder: &mut LadderState<'_>,
    ) -> Result<Vec<f32>, Failure> {
        if roster.is_empty() {
            return Ok(Vec::new());
        }
        let source = ladder.source()?;
        let which: Vec<usize> = roster.iter().map(|entry| entry.item).collect();
        let items = ladder.items.select(&which);
        let severity = Severity::new(ladder.budget)
            .map_err(|why| Failure::unable(format!("the severity is none: {why}")))?;
        let apgd = ApgdMethod::new(Apgd {
            limits: self.limits,
            objective: self.objective,
            targets: 0,
            steps: self.steps,
            starts: 1,
        });
        let source = NeverWrong {
            source,
            which: &which,
        };
        let rungs = (&items, std::slice::from_ref(&severity), ladder.seed);
        let climb = climb_ladder(vec![Box::new(apgd)], self.limits, rungs, &source)?;
        ladder.notes.note_source(&climb.doubts);
        Ok(climb.rungs[0].images()?.pixels().to_vec())
    }
}

/// Another subject, of some of the items, that is never said to be wrong: an image that only just
/// breaks one network seldom breaks another, so every ascent goes on to its end.
struct NeverWrong<'a> {
    source: &'a dyn Oracle,
    /// Which of all items the positions here are.
    which: &'a [usize],
}

impl NeverWrong<'_> {
    fn all_positions(&self, which: &[usize]) -> Vec<usize> {
        which.iter().map(|&at| self.which[at]).collect()
    }
}

impl Oracle for NeverWrong<'_> {
    fn tells(&self) -> Tells {
        self.source.tells()
    }

    fn loss(&self, ask: Inquiry<'_>, gradient: Option<&mut [f32]>) -> Result<Vec<Loss>, Failure> {
        let which = self.all_positions(ask.which);
        let ask = Inquiry {
            which: &which,
            ..ask
        };
        let mut losses = self.source.loss(ask, gradient)?;
        losses.iter_mut().for_each(|loss| loss.right = true);
        Ok(losses)
    }

    fn aims(&self, which: &[usize], pixels: &[f32], most: usize) -> Result<Vec<Vec<Aim>>, Failure> {
        self.source.aims(&self.all_positions(which), pixels, most)
    }

    fn tells_probabilities(&self, pixels: &[f32]) -> Result<bool, Failure> {
        self.source.tells_probabilities(pixels)
    }
}
