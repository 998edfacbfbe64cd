//! What a part is known by: its name, its version and its keys, or less where not all of them decide
//! what it answers.

use duress_core::stressor::Stressor;
use duress_core::subject::Subject;
use serde::Serialize;
use serde_json::json;

use super::{Id, Plan};
use crate::study::Chosen;

/// The identity of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubjectIdentity {
    /// What its answers are kept under.
    pub id: Id,
    /// What decides its answers. A folder in which they were kept before that was told from other keys
    /// has them under another identity, and they are the same answers.
    pub content: Id,
}

impl SubjectIdentity {
    /// Of a part all of whose keys decide what it answers.
    pub(super) fn of_all_keys(chosen: &Chosen) -> SubjectIdentity {
        let id = chosen_id(chosen);
        SubjectIdentity { id, content: id }
    }

    /// Of a subject that says which of its keys decide what it answers.
    pub(super) fn of_subject(chosen: &Chosen, subject: &dyn Subject) -> SubjectIdentity {
        let id = subject_id(chosen, subject);
        SubjectIdentity { id, content: id }
    }
}

impl Plan {
    /// Goes on under the identities under which an earlier plan of the same folder kept answers of
    /// subjects and raters, where what decides these is what it was.
    pub fn take_up_identities(&mut self, before: &Plan) {
        for subject in self.subjects.iter_mut() {
            let known = before.subjects.iter().map(|one| one.identity);
            subject.identity.take_up(known);
        }
        for rater in self.raters.iter_mut() {
            let known = before.raters.iter().map(|one| one.identity);
            rater.identity.take_up(known);
        }
    }
}

impl SubjectIdentity {
    fn take_up(&mut self, mut known: impl Iterator<Item = SubjectIdentity>) {
        let before = known.find(|one| one.content == self.content);
        self.id = before.map_or(self.id, |before| before.id);
    }
}

/// The identity of a subject: its part with its keys, or with what it says decides its answers.
fn subject_id(chosen: &Chosen, subject: &dyn Subject) -> Id {
    match subject.identity() {
        Some(identity) => part_id(chosen, &identity),
        None => {
            let idle = subject.keys_without_effect();
            let fields = chosen.part.fields;
            part_id(chosen, &chosen.params.with_defaults(fields, idle))
        }
    }
}

/// The identity of a stressor: its part with its keys, or with what it says decides its changes.
pub(super) fn stressor_id(chosen: &Chosen, stressor: &Stressor) -> Id {
    match stressor {
        Stressor::Blind(blind) => match blind.identity() {
            Some(identity) => part_id(chosen, &identity),
            None => chosen_id(chosen),
        },
        Stressor::Aware(_) | Stressor::Elsewhere { .. } => chosen_id(chosen),
    }
}

/// The identity that a subject had before it could say which keys decide nothing.
pub(super) fn earlier_subject_id(chosen: &Chosen, subject: &dyn Subject) -> Id {
    match subject.identity() {
        Some(_) => subject_id(chosen, subject),
        None => chosen_id(chosen),
    }
}

/// The identity of a part with its keys.
pub(super) fn chosen_id(chosen: &Chosen) -> Id {
    part_id(chosen, &chosen.params)
}

fn part_id(chosen: &Chosen, decided_by: &impl Serialize) -> Id {
    let part = chosen.part;
    Id::of(
        "part 1",
        &json!([part.kind(), part.name, part.version, decided_by]),
    )
}
