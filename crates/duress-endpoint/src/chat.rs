//! A chat: what is sent to a model, whatever the wire format.

use serde::Serialize;
use serde_json::Value;

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct Chat {
    /// The model, as the server knows it.
    pub model: String,
    /// What is said, in order; a system message comes first.
    pub messages: Vec<Message>,
    /// How the reply is drawn.
    pub sampling: Sampling,
    /// How many alternatives of the first token are asked for, with their log-probabilities; none
    /// where they are not wanted.
    pub first_token: Option<u8>,
    /// The JSON schema the reply has to keep to, where the server can hold it to one.
    pub schema: Option<Value>,
    /// Which of several askings of the same this is; part of what a cache knows it by.
    pub repeat: u32,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What.
    pub content: String,
}

duress_core::words! {
    /// Who says something.
    pub enum Role {
        /// Whoever set the task.
        System = "system",
        /// Who asks.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}

impl Message {
    /// A message.
    pub fn new(role: Role, content: impl Into<String>) -> Message {
        Message {
            role,
            content: content.into(),
        }
    }
}

/// How a reply is drawn. What is there is sent, so that no server's default decides; what is not, is
/// left out because the study says so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampling {
    /// The temperature.
    pub temperature: Option<f64>,
    /// The share of probability that tokens are drawn from.
    pub top_p: Option<f64>,
    /// How long the reply may be.
    pub max_tokens: Option<u64>,
    /// The seed, where the format has one.
    pub seed: Option<i64>,
    /// Where the reply ends.
    pub stop: Vec<String>,
}
