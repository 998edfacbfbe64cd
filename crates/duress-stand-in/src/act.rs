//! What a server does about a request.

use std::time::Duration;

use serde_json::{Value, json};

/// What is done.
#[derive(Clone, Debug)]
pub enum Act {
    /// Answers with a status, further headers and a body.
    Reply(u16, Vec<(String, String)>, Vec<u8>),
    /// Promises a longer body than it sends, and hangs up.
    CutShort(Vec<u8>),
    /// Sends the head of a reply, then nothing until the client leaves.
    Stall,
    /// Hangs up without a word.
    HangUp,
    /// Waits first.
    After(Duration, Box<Act>),
}

impl Act {
    /// Answers a chat in OpenAI's format.
    pub fn says(text: &str) -> Act {
        Act::json(200, &chat_reply(text))
    }

    /// Answers with JSON.
    pub fn json(status: u16, body: &Value) -> Act {
        Act::Reply(status, Vec::new(), body.to_string().into_bytes())
    }

    /// Answers with a status and an error as servers write them.
    pub fn error(status: u16, message: &str) -> Act {
        let error = json!({"error": {"message": message, "type": "error", "code": status}});
        Act::json(status, &error)
    }

    /// The same reply with one more header.
    #[must_use]
    pub fn with_header(self, name: &str, value: &str) -> Act {
        match self {
            Act::Reply(status, mut headers, body) => {
                headers.push((name.into(), value.into()));
                Act::Reply(status, headers, body)
            }
            other => other,
        }
    }

    /// The same after a while.
    #[must_use]
    pub fn after(self, milliseconds: u64) -> Act {
        Act::After(Duration::from_millis(milliseconds), Box::new(self))
    }
}

/// A reply to a chat in OpenAI's format.
pub fn chat_reply(text: &str) -> Value {
    json!({
        "model": "stand-in",
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
        }],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2},
    })
}

/// A reply to a chat in Anthropic's format.
pub fn messages_reply(text: &str) -> Value {
    json!({
        "model": "stand-in",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 10, "output_tokens": 2},
    })
}
