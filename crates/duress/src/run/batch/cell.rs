//! The batch folder for the items of one cell: their requests are looked up there, or written.

use duress_core::batch::{Batch, BatchKey, BatchReply, BatchRequest};
use duress_core::data::Items;
use serde_json::{Value, json};

use super::request_id::RequestId;
use super::rows::{CameBack, RequestFate};
use super::{BatchFolder, BatchService, Writing};
use crate::ledger::Partial;
use crate::run::event::BatchState;

/// The same folder for the items of one cell.
pub(in crate::run) struct CellBatch<'a> {
    pub(in crate::run) folder: &'a BatchFolder,
    pub(in crate::run) partial: &'a Partial,
    pub(in crate::run) asked: &'a Items,
}

/// What is known of a request in the folder.
enum RequestState<'a> {
    /// It stands in no input.
    New,
    /// A reply, or an error; the study may have been told before.
    Came(&'a CameBack, WasTold),
    /// It has neither, or is asked again; with the last time it was written.
    Open(&'a Writing, BatchState),
}

/// Whether an earlier run was told what came of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WasTold {
    Yes,
    No,
}

impl CellBatch<'_> {
    /// What a request is called, the same in every run: of letters, digits and dashes, and no longer
    /// than any service takes.
    fn name(&self, key: BatchKey) -> String {
        let cell = self.partial.cell().to_string();
        let item = blake3::hash(self.item(key).as_bytes()).to_hex();
        let repair = if key.repair { "-repair" } else { "" };
        format!("{:.16}-{item:.16}-{}{repair}", cell, key.about.repeat)
    }

    fn item(&self, key: BatchKey) -> &str {
        self.asked.ids().get(key.about.item)
    }

    fn state(&self, key: BatchKey) -> RequestState<'_> {
        let name = self.name(key);
        let folder = self.folder;
        let Some(last) = folder.last_written.get(&name) else {
            return RequestState::New;
        };
        let attempt = last.attempt;
        if let Some(reply) = folder.reply(&name, attempt) {
            return RequestState::Came(reply, WasTold::No);
        }
        let id = RequestId { name, attempt }.to_string();
        match folder.come.get(&id) {
            Some(RequestFate::Came(failed)) => match self.was_told_failed(key) {
                WasTold::Yes if folder.retry => RequestState::Open(last, BatchState::Failed),
                told => RequestState::Came(failed, told),
            },
            Some(RequestFate::Expired) => RequestState::Open(last, BatchState::Expired),
            None if last.has_output => RequestState::Open(last, BatchState::Incomplete),
            None => RequestState::Open(last, BatchState::Waiting),
        }
    }

    /// Whether an earlier run was told that this failed.
    fn was_told_failed(&self, key: BatchKey) -> WasTold {
        let item = self.item(key);
        let partial = self.partial;
        let repeat = partial.known_repeat(item, key.about.repeat);
        match partial.known(item).is_some() || repeat.is_some() {
            true => WasTold::Yes,
            false => WasTold::No,
        }
    }
}

impl Batch for CellBatch<'_> {
    fn find(&self, key: BatchKey) -> BatchReply {
        match self.state(key) {
            RequestState::New => BatchReply::Missing,
            RequestState::Came(came, told) => BatchReply::Came {
                status: came.status,
                body: came.body.to_string(),
                counted: told == WasTold::Yes,
            },
            RequestState::Open(last, BatchState::Waiting) => {
                let mut out = self.folder.outgoing();
                out.count_open(&last.input, BatchState::Waiting);
                let input = self.folder.shown(&last.input);
                BatchReply::Waiting(format!("it is in {input}, whose output is not there"))
            }
            RequestState::Open(..) => BatchReply::Missing,
        }
    }

    fn write(&self, request: BatchRequest) -> String {
        let state = self.state(request.key);
        let mut out = self.folder.outgoing();
        let attempt = match state {
            RequestState::Open(last, state) => {
                out.count_open(&last.input, state);
                last.attempt + 1
            }
            RequestState::New | RequestState::Came(..) => 1,
        };
        let name = self.name(request.key);
        let line = json!({
            "custom_id": RequestId { name, attempt }.to_string(),
            "method": "POST",
            "url": format!("/v1/{}", request.path),
            "body": serde_json::from_str::<Value>(&request.body).unwrap_or_default(),
        });
        let service = BatchService {
            server: request.server,
            model: request.model,
            path: request.path,
        };
        let lines = out.lines.entry(service).or_default();
        lines.insert((self.partial.cell(), request.key), line.to_string());
        let folder = self.folder.folder.display();
        format!("it is written into {folder}, to be sent from there")
    }
}
