//! Wire formats: how a chat is written and how a reply is read. One file for each.

mod anthropic;
mod comparison;
mod openai;
mod token_match;

use serde_json::{Map, Value};

use crate::reply::{NoAnswer, NoAnswerKind, Reply};
use crate::request::Request;

duress_core::words! {
    /// The format that a server speaks.
    pub enum Wire {
        /// OpenAI's chat completions, which vLLM, llama.cpp, Ollama and most hosted services speak.
        OpenAi = "openai",
        /// Anthropic's messages.
        Anthropic = "anthropic",
    }
}

/// A header that every request of a format has.
pub(crate) type Header = (&'static str, String);

impl Wire {
    /// Where a request is sent, under the base address.
    pub(crate) fn path(self, request: &Request) -> &'static str {
        match (self, request) {
            (_, Request::Comparison(asked)) => comparison::path(asked.by),
            (_, Request::TokenMatch(_)) => comparison::EMBEDDINGS,
            (Wire::OpenAi, Request::Chat(_)) => "chat/completions",
            (Wire::Anthropic, Request::Chat(_)) => "messages",
        }
    }

    /// The headers of every request.
    pub(crate) fn headers(self, key: Option<&str>) -> Vec<Header> {
        match self {
            Wire::OpenAi => openai::headers(key),
            Wire::Anthropic => anthropic::headers(key),
        }
    }

    /// The body of a request, with further keys, which win over the others.
    pub fn body(self, request: &Request, extra: &Map<String, Value>) -> Value {
        let mut body = match (self, request) {
            (_, Request::Comparison(asked)) => comparison::body(asked),
            (_, Request::TokenMatch(asked)) => token_match::body(asked),
            (Wire::OpenAi, Request::Chat(chat)) => openai::body(chat),
            (Wire::Anthropic, Request::Chat(chat)) => anthropic::body(chat),
        };
        if let Value::Object(map) = &mut body {
            map.extend(extra.clone());
        }
        body
    }

    /// Reads the body of a reply to a request.
    pub fn read(self, request: &Request, body: &Value) -> Result<Reply, NoAnswer> {
        let read = match (self, request) {
            (_, Request::Comparison(asked)) => comparison::read(asked, body),
            (_, Request::TokenMatch(asked)) => token_match::read(asked, body),
            (Wire::OpenAi, Request::Chat(_)) => openai::read(body),
            (Wire::Anthropic, Request::Chat(_)) => anthropic::read(body),
        };
        let unparsable = |why| NoAnswer::new(NoAnswerKind::Unparsable, why);
        read.map(Reply::set_reasoning_apart).map_err(unparsable)
    }

    /// Whether log-probabilities of the first token can be asked for.
    pub fn has_log_probabilities(self) -> bool {
        self == Wire::OpenAi
    }

    /// Whether a reply can be held to a JSON schema.
    pub fn has_schemas(self) -> bool {
        self == Wire::OpenAi
    }
}

/// The text behind a key, where there is one.
fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}
