//! The shipped responses, read by the dataset that has them judged and the judge whose speller
//! should know their words.

use std::sync::LazyLock;

use serde::Deserialize;

/// A response to a prompt that follows from a source.
#[derive(Deserialize)]
pub(crate) struct Response {
    pub(crate) id: String,
    pub(crate) topic: String,
    pub(crate) prompt: String,
    pub(crate) source: String,
    pub(crate) response: String,
}

/// All of them.
pub(crate) static RESPONSES: LazyLock<Vec<Response>> = LazyLock::new(|| {
    let read = |line| {
        serde_json::from_str(line)
            .unwrap_or_else(|why| panic!("a shipped response is broken: {why}"))
    };
    include_str!("../../../data/responses.jsonl")
        .lines()
        .map(read)
        .collect()
});
