//! Asking through files: a reply that has come is read as one from a connection would be, and a
//! request without one is written down.

use std::path::Path;

use duress_core::batch::{Batch, BatchKey, BatchReply, BatchRequest, ItemRepeat};
use duress_core::cost::Cost;

use crate::client::{Client, Shared, Told, Try};
use crate::exchange::Answer;
use crate::reply::{NoAnswer, NoAnswerKind};
use crate::request::Request;
use crate::wire::Wire;

/// Why requests to a server cannot stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoBatch {
    /// The format has no such files.
    Wire,
    /// Bodies hold secrets.
    Secret,
}

impl std::fmt::Display for NoBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoBatch::Wire => "batch files are in OpenAI's format: `wire = \"openai\"`",
            NoBatch::Secret => {
                "`body` holds the value of an environment variable, and a batch file must not"
            }
        })
    }
}

impl Client {
    /// Whether what this client sends can stand in a file.
    pub fn check_batch(&self) -> Result<(), NoBatch> {
        let shared = &self.shared;
        match shared.wire {
            Wire::Anthropic => Err(NoBatch::Wire),
            Wire::OpenAi if shared.extra_named != shared.extra_sent => Err(NoBatch::Secret),
            Wire::OpenAi => Ok(()),
        }
    }

    /// Looks all of `requests` up in a batch, writes down those that are missing there, and hands
    /// over what came of each, with its position; what `hear` returns is asked further about the
    /// same position. Nobody is asked in any other way.
    ///
    /// # Errors
    /// What `hear` failed with.
    pub fn ask_in_batch<E>(
        &self,
        requests: Vec<(ItemRepeat, Request)>,
        cache: Option<&Path>,
        batch: &dyn Batch,
        hear: &mut dyn FnMut(usize, Told) -> Result<Option<Request>, E>,
    ) -> Result<(), E> {
        for (position, (about, first)) in requests.into_iter().enumerate() {
            let mut next = Some(first);
            let mut repair = false;
            while let Some(request) = next.take() {
                let key = BatchKey { about, repair };
                let told = self.shared.ask_in_batch(&request, key, cache, batch);
                next = hear(position, told)?;
                repair = true;
            }
        }
        Ok(())
    }
}

impl Shared {
    fn ask_in_batch(
        &self,
        request: &Request,
        key: BatchKey,
        cache: Option<&Path>,
        batch: &dyn Batch,
    ) -> Told {
        let sent = match self.unless_kept(request, cache) {
            Ok(sent) => sent,
            Err(kept) => return *kept,
        };
        let why = match batch.find(key) {
            BatchReply::Came {
                status,
                body,
                counted,
            } => {
                let answer = Answer {
                    status,
                    headers: ureq::http::HeaderMap::new(),
                    body: body.into_bytes(),
                };
                let cost = Cost {
                    requests: u64::from(!counted),
                    ..Cost::default()
                };
                return match self.read(&answer, &sent) {
                    Try::Over(answer) => Told::with_tokens(answer, cost),
                    Try::Again(_, why) | Try::NotReady(why) => {
                        let failed = NoAnswer::new(NoAnswerKind::Error, why);
                        Told::with_tokens(Err(failed), cost)
                    }
                };
            }
            BatchReply::Waiting(why) => why,
            BatchReply::Missing => match self.spending.take_request() {
                Err(spent) => spent,
                Ok(()) => batch.write(BatchRequest {
                    key,
                    server: self.address.to_string(),
                    model: request.model().into(),
                    path: self.wire.path(request).into(),
                    body: sent.body,
                }),
            },
        };
        let not_asked = NoAnswer::new(NoAnswerKind::NotAsked, why);
        Told::with_tokens(Err(not_asked), Cost::default())
    }
}
