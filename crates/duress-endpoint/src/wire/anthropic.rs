//! Anthropic's messages.

use serde_json::{Value, json};

use super::{Header, text};
use crate::chat::{Chat, Role};
use crate::reply::{Finish, Reply, Usage};

/// The version of the format, which every request names.
const VERSION: &str = "2023-06-01";

pub(super) fn headers(key: Option<&str>) -> Vec<Header> {
    let version = ("anthropic-version", VERSION.to_string());
    let key = key.map(|key| ("x-api-key", key.to_string()));
    std::iter::once(version).chain(key).collect()
}

/// The format has neither a seed nor log-probabilities nor a schema; a system message stands beside
/// the others.
pub(super) fn body(chat: &Chat) -> Value {
    let said = |message: &&crate::chat::Message| message.role != Role::System;
    let messages: Vec<_> = chat.messages.iter().filter(said).collect();
    let mut body = json!({ "model": chat.model, "messages": messages });
    let system = chat
        .messages
        .iter()
        .filter(|message| message.role == Role::System);
    let system: Vec<&str> = system.map(|message| message.content.as_str()).collect();
    let sampling = &chat.sampling;
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body[key] = value;
        }
    };
    let joined = (!system.is_empty()).then(|| Value::from(system.join("\n\n")));
    set("system", joined);
    set("temperature", sampling.temperature.map(Value::from));
    set("top_p", sampling.top_p.map(Value::from));
    set("max_tokens", sampling.max_tokens.map(Value::from));
    let stop = Some(&sampling.stop).filter(|stop| !stop.is_empty());
    set("stop_sequences", stop.map(|stop| json!(stop)));
    body
}

pub(super) fn read(body: &Value) -> Result<Reply, String> {
    let pieces = body.get("content").and_then(Value::as_array);
    let pieces = pieces.ok_or("the reply has no list `content`")?;
    let joined = |kind: &str, key: &str| -> String {
        let of_kind = pieces
            .iter()
            .filter(|piece| text(piece, "type") == Some(kind));
        of_kind.filter_map(|piece| text(piece, key)).collect()
    };
    let count = |key: &str| body.get("usage")?.get(key)?.as_u64();
    let said = joined("text", "text");
    let finish = match text(body, "stop_reason") {
        Some("max_tokens" | "model_context_window_exceeded") => Finish::Length,
        Some("refusal") => Finish::Refused(said.clone()),
        _ => Finish::Complete,
    };
    Ok(Reply {
        text: said,
        reasoning: Some(joined("thinking", "thinking")).filter(|thought| !thought.is_empty()),
        finish,
        usage: Usage {
            input: count("input_tokens"),
            output: count("output_tokens"),
        },
        model: text(body, "model").map(String::from),
        ..Reply::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Message, Sampling};

    #[test]
    fn a_system_message_stands_beside_the_others() {
        let chat = Chat {
            model: "m".into(),
            messages: vec![
                Message::new(Role::System, "be brief"),
                Message::new(Role::User, "hello"),
            ],
            sampling: Sampling {
                max_tokens: Some(5),
                seed: Some(1),
                ..Sampling::default()
            },
            first_token: None,
            schema: None,
            repeat: 0,
        };
        let expected = json!({
            "model": "m", "system": "be brief", "max_tokens": 5,
            "messages": [{"role": "user", "content": "hello"}],
        });
        assert_eq!(body(&chat), expected);
    }

    #[test]
    fn replies_are_read_with_their_thoughts_apart() {
        let reply = read(&json!({
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "B"}],
            "stop_reason": "end_turn", "usage": {"input_tokens": 3, "output_tokens": 1},
        }));
        let reply = reply.unwrap();
        assert_eq!(
            (reply.text.as_str(), reply.reasoning.as_deref()),
            ("B", Some("hm"))
        );
        assert_eq!(reply.usage.input, Some(3));
        let cut = read(&json!({"content": [], "stop_reason": "max_tokens"})).unwrap();
        assert_eq!(cut.finish, Finish::Length);
        assert!(read(&json!({"content": "B"})).is_err());
    }
}
