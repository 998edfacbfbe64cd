//! What a server called the model that answered, and what is said when nobody was asked.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use duress_core::subject::{Failure, FailureKind, Intake};
use duress_endpoint::reply::Reply;

/// The models that answered, as the server calls them.
#[derive(Default)]
pub(crate) struct HeardModels(Mutex<BTreeSet<String>>);

impl HeardModels {
    /// Takes down who gave a reply.
    pub(crate) fn hear(&self, reply: &Reply) {
        self.names().extend(reply.model.clone());
    }

    /// That a server calls the model otherwise than it was asked for.
    pub(crate) fn remarks(&self, asked: &str) -> Vec<String> {
        let names = self.names();
        let others = names.iter().filter(|model| model.as_str() != asked);
        let others: Vec<String> = others.map(|model| format!("{model:?}")).collect();
        match others.is_empty() {
            true => Vec::new(),
            false => vec![format!(
                "asked for the model {asked:?}, and the server says it is {}",
                others.join(" and ")
            )],
        }
    }

    fn names(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Items that were not asked about are a failure, but for a run that is being stopped.
pub(crate) fn unless_stopping(
    not_asked: Option<String>,
    intake: &dyn Intake,
) -> Result<(), Failure> {
    match not_asked {
        Some(why) if !intake.stopping() => Err(Failure::new(FailureKind::NotAsked, why)),
        _ => Ok(()),
    }
}
