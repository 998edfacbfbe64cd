//! An attack up a ladder against a subject: what it is run on, what came of it, what it cost.

use super::doubt::AttackDoubt;
use super::target::{Target, other_classes};
use super::{Aware, Needs};
use crate::data::{Items, Split};
use crate::seed::Seed;
use crate::severity::Severity;
use crate::subject::{Failure, Fitted};
use crate::truth::Truth;

/// What came of an attack up a ladder.
#[derive(Clone, Debug)]
pub struct Climb {
    /// The items at each severity.
    pub rungs: Vec<Items>,
    /// What it had cost when each severity was done, from the beginning on.
    pub spent: Vec<Spent>,
    /// What a reader should know before trusting these numbers.
    pub doubts: Vec<AttackDoubt>,
}

/// How often a subject was asked about each item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// For its loss, with or without a gradient.
    pub queries: Vec<u32>,
    /// For a gradient as well.
    pub gradients: Vec<u32>,
}

/// Runs an attack up a ladder against a subject, on the split it is tested on.
pub fn climb(
    attack: &dyn Aware,
    subject: &dyn Fitted,
    split: &Split,
    severities: &[Severity],
    seed: Seed,
) -> Result<Climb, Failure> {
    climb_from(attack, subject, None, split, severities, seed)
}

/// The same with another subject at hand, whose slopes the attack climbs instead.
pub fn climb_from(
    attack: &dyn Aware,
    subject: &dyn Fitted,
    source: Option<&dyn Fitted>,
    split: &Split,
    severities: &[Severity],
    seed: Seed,
) -> Result<Climb, Failure> {
    let source = source.map(|source| target(source, Needs::Gradients, None, split));
    let source = source.transpose()?.map(Box::new);
    let target = target(subject, attack.needs(), source, split)?;
    let climb = attack.climb(split.items(), &target, severities, seed)?;
    let promise = attack.pressure().promise;
    for (rung, severity) in climb.rungs.iter().zip(severities) {
        promise.check(split.items(), rung, severity)?;
    }
    Ok(climb)
}

/// A subject as an attack that needs so much asks it.
fn target<'a>(
    subject: &'a dyn Fitted,
    needs: Needs,
    source: Option<Box<Target<'a>>>,
    split: &'a Split,
) -> Result<Target<'a>, Failure> {
    let Truth::Labels(labels) = split.truth().open() else {
        return Err(Failure::unable(format!(
            "an attack needs labels, not {}",
            split.truth().open().kind()
        )));
    };
    let slopes = subject.differentiable();
    if needs == Needs::Gradients && slopes.is_none() {
        return Err(Failure::unable(
            "it said it offers gradients, but gave none",
        ));
    }
    if let Some(other) = slopes.filter(|slopes| slopes.classes() != labels.classes()) {
        return Err(other_classes(other.classes(), labels.classes()));
    }
    Ok(Target {
        subject,
        slopes,
        items: split.items(),
        labels,
        source,
    })
}
