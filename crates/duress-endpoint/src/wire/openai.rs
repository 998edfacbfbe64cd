//! OpenAI's chat completions.

use serde_json::{Value, json};

use super::{Header, text};
use crate::chat::Chat;
use crate::reply::{Finish, Reply, TokenChance, Usage};

pub(super) fn headers(key: Option<&str>) -> Vec<Header> {
    let bearer = |key| ("authorization", format!("Bearer {key}"));
    key.map(bearer).into_iter().collect()
}

pub(super) fn body(chat: &Chat) -> Value {
    let mut body = json!({ "model": chat.model, "messages": chat.messages });
    let sampling = &chat.sampling;
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            body[key] = value;
        }
    };
    set("temperature", sampling.temperature.map(Value::from));
    set("top_p", sampling.top_p.map(Value::from));
    set("max_tokens", sampling.max_tokens.map(Value::from));
    set("seed", sampling.seed.map(Value::from));
    let stop = Some(&sampling.stop).filter(|stop| !stop.is_empty());
    set("stop", stop.map(|stop| json!(stop)));
    set("logprobs", chat.first_token.map(|_| Value::Bool(true)));
    set("top_logprobs", chat.first_token.map(Value::from));
    let schema = chat.schema.as_ref();
    set("response_format", schema.map(response_format));
    body
}

fn response_format(schema: &Value) -> Value {
    json!({
        "type": "json_schema",
        "json_schema": { "name": "answer", "strict": true, "schema": schema },
    })
}

pub(super) fn read(body: &Value) -> Result<Reply, String> {
    let choices = body.get("choices").and_then(Value::as_array);
    let choices = choices.ok_or("the reply has no `choices`")?;
    let numbered = |choice: &&Value| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
    let choice = match choices.as_slice() {
        [] => return Err("the reply has no choice in its `choices`".into()),
        all => all.iter().find(numbered),
    };
    let choice = choice.ok_or_else(|| {
        let index = &choices[0]["index"];
        format!("the reply has no choice with index 0; its first has index {index}")
    })?;
    let message = choice.get("message");
    let message = message.ok_or("the choice of the reply has no `message`")?;
    let finish = finish(choice, message);
    let content = content(message)?;
    let reasoning = text(message, "reasoning_content").or_else(|| text(message, "reasoning"));
    Ok(Reply {
        text: content,
        reasoning: reasoning.filter(|said| !said.is_empty()).map(String::from),
        finish,
        usage: usage(body),
        model: text(body, "model").map(String::from),
        first_token: first_token(choice),
        likeness: Vec::new(),
    })
}

fn finish(choice: &Value, message: &Value) -> Finish {
    if let Some(refusal) = text(message, "refusal") {
        return Finish::Refused(refusal.into());
    }
    match text(choice, "finish_reason") {
        Some("length") => Finish::Length,
        Some("content_filter") => Finish::Refused(String::new()),
        _ => Finish::Complete,
    }
}

/// The text of a message: a string, null, or a list of pieces.
fn content(message: &Value) -> Result<String, String> {
    match message.get("content") {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(pieces)) => Ok(pieces
            .iter()
            .filter_map(|piece| text(piece, "text"))
            .collect()),
        Some(_) => Err("the content of the reply is neither a text nor a list of pieces".into()),
    }
}

pub(super) fn usage(body: &Value) -> Usage {
    let count = |key: &str| body.get("usage")?.get(key)?.as_u64();
    Usage {
        input: count("prompt_tokens"),
        output: count("completion_tokens"),
    }
}

fn first_token(choice: &Value) -> Vec<TokenChance> {
    let listed = choice.pointer("/logprobs/content/0/top_logprobs");
    let listed = listed
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    let mut chances: Vec<TokenChance> = listed.iter().filter_map(token_chance).collect();
    chances.sort_by(|one, other| other.log_probability.total_cmp(&one.log_probability));
    chances
}

fn token_chance(entry: &Value) -> Option<TokenChance> {
    let token = text(entry, "token")?;
    let bytes = entry.get("bytes").and_then(Value::as_array);
    let bytes = bytes.and_then(|bytes| bytes.iter().map(byte).collect());
    Some(TokenChance {
        token: token.into(),
        bytes: bytes.unwrap_or_else(|| token.as_bytes().to_vec()),
        log_probability: entry.get("logprob")?.as_f64().filter(|log| !log.is_nan())?,
    })
}

fn byte(value: &Value) -> Option<u8> {
    u8::try_from(value.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Message, Role, Sampling};

    #[test]
    fn every_sampling_key_that_is_there_is_sent_and_no_other() {
        let mut chat = Chat {
            model: "m".into(),
            messages: vec![Message::new(Role::User, "hello")],
            sampling: Sampling {
                temperature: Some(0.0),
                top_p: Some(1.0),
                max_tokens: Some(5),
                seed: Some(7),
                stop: vec!["\n".into()],
            },
            first_token: Some(20),
            schema: None,
            repeat: 0,
        };
        let expected = json!({
            "model": "m", "messages": [{"role": "user", "content": "hello"}],
            "temperature": 0.0, "top_p": 1.0, "max_tokens": 5, "seed": 7, "stop": ["\n"],
            "logprobs": true, "top_logprobs": 20,
        });
        assert_eq!(body(&chat), expected);
        chat.sampling = Sampling::default();
        chat.first_token = None;
        let bare = json!({"model": "m", "messages": [{"role": "user", "content": "hello"}]});
        assert_eq!(body(&chat), bare);
    }

    #[test]
    fn replies_of_several_servers_are_read() {
        let read = |message: Value, finish: &str| {
            let choice = json!({"index": 0, "message": message, "finish_reason": finish});
            read(&json!({"choices": [choice], "model": "m"})).unwrap()
        };
        assert_eq!(read(json!({"content": "a"}), "stop").text, "a");
        assert_eq!(read(json!({"content": null}), "stop").text, "");
        let pieces =
            json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]});
        assert_eq!(read(pieces, "stop").text, "ab");
        assert_eq!(
            read(json!({"content": "a"}), "length").finish,
            Finish::Length
        );
        let refused = read(json!({"content": null, "refusal": "no"}), "stop");
        assert_eq!(refused.finish, Finish::Refused("no".into()));
        let filtered = read(json!({"content": ""}), "content_filter");
        assert_eq!(filtered.finish, Finish::Refused(String::new()));
        let thought = read(json!({"content": "B", "reasoning_content": "hm"}), "stop");
        assert_eq!(thought.reasoning.as_deref(), Some("hm"));
    }

    #[test]
    fn a_token_that_is_half_a_character_is_told_by_its_bytes() {
        let chance = |entry: Value| token_chance(&entry).unwrap().bytes;
        let half = json!({"token": "\u{fffd}", "logprob": -0.5, "bytes": [0xe7, 0x8c]});
        assert_eq!(chance(half), [0xe7, 0x8c]);
        let without = json!({"token": "A", "logprob": -0.5, "bytes": null});
        assert_eq!(chance(without), b"A");
    }

    #[test]
    fn what_is_no_reply_says_what_it_lacks() {
        let why = |body: Value| read(&body).unwrap_err();
        assert!(why(json!({})).contains("no `choices`"));
        assert!(why(json!({"choices": []})).contains("no choice"));
        let other = json!({"choices": [{"index": 3, "message": {"content": "a"}}]});
        assert!(why(other).contains("index 3"));
        assert!(why(json!({"choices": [{"index": 0}]})).contains("no `message`"));
    }
}
