//! Kinds of answers: what is none is told apart, and never taken for one.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use duress_endpoint::client::{Client, Server};
use duress_endpoint::reply::NoAnswerKind;
use duress_endpoint::wire::Wire;
use duress_stand_in::{Act, StandIn, chat_reply, messages_reply};
use serde_json::{Value, json};

use crate::setup::{ask_one, client, server_at, short_waits};

fn reply_with(pointer: &str, value: Value) -> Act {
    let mut body = chat_reply("a tower");
    *body.pointer_mut(pointer).unwrap() = value;
    Act::json(200, &body)
}

/// What kind of no answer a client makes of what a server does.
fn kind(act: Act) -> NoAnswerKind {
    let server = StandIn::start(move |_| act.clone());
    match ask_one(&client(&server, short_waits())).answer {
        Err(no) => no.kind,
        Ok(reply) => reply.whole_text().unwrap_err().kind,
    }
}

#[test]
fn an_answer_comes_with_what_the_server_counted_and_calls_itself() {
    let server = StandIn::start(|_| Act::says("a tower"));
    let told = ask_one(&client(&server, short_waits()));
    let reply = told.answer.unwrap();
    assert_eq!(reply.whole_text().unwrap(), "a tower");
    assert_eq!(reply.model.as_deref(), Some("stand-in"));
    assert_eq!(told.cost.requests, 1);
    assert_eq!(
        (told.cost.input_tokens, told.cost.output_tokens),
        (Some(10), Some(2))
    );
    let asked = &server.seen()[0];
    assert_eq!(asked.path, "/v1/chat/completions");
    assert_eq!(asked.body["temperature"], 0.0);
}

#[test]
fn messages_go_through_the_same_client() {
    let server = StandIn::start(|_| Act::json(200, &messages_reply("a tower")));
    let settings = Server {
        wire: Wire::Anthropic,
        ..server_at(&server.base(), short_waits())
    };
    let told = ask_one(&Client::new(&settings).unwrap());
    assert_eq!(told.answer.unwrap().whole_text().unwrap(), "a tower");
    let asked = &server.seen()[0];
    assert_eq!(asked.path, "/v1/messages");
    assert!(asked.header("anthropic-version").is_some());
}

#[test]
fn whatever_is_no_answer_has_its_kind() {
    use NoAnswerKind::{CutOff, Empty, Error, Refused, TooLong, Unparsable};
    let long = json!({"error": {"type": "exceed_context_size_error", "message": "n_ctx"}});
    let page = Act::Reply(200, Vec::new(), b"<html>busy</html>".to_vec());
    let huge = format!("\"{}\"", "x".repeat(10 << 20));
    let cases = [
        (
            reply_with("/choices/0/finish_reason", json!("length")),
            CutOff,
        ),
        (
            reply_with("/choices/0/finish_reason", json!("content_filter")),
            Refused,
        ),
        (reply_with("/choices/0/message/content", json!("")), Empty),
        (
            reply_with("/choices/0/message/content", json!("<think>hm</think>")),
            Empty,
        ),
        (reply_with("/choices", json!([])), Unparsable),
        (reply_with("/choices/0/index", json!(3)), Unparsable),
        (Act::json(200, &json!(["not", "a", "reply"])), Unparsable),
        (Act::Reply(200, Vec::new(), huge.into_bytes()), Unparsable),
        (Act::json(400, &long), TooLong),
        (Act::error(400, "bad"), Error),
        (page, Error),
        (Act::CutShort(b"{\"choices\": [".to_vec()), Error),
        (Act::HangUp, Error),
        (Act::Stall, Error),
        (Act::error(500, "broken"), Error),
    ];
    for (act, expected) in cases {
        let shown = format!("{act:?}");
        assert_eq!(kind(act), expected, "{}", &shown[..shown.len().min(200)]);
    }
}

#[test]
fn what_cannot_pass_is_asked_once_and_explained() {
    let cases = [
        (400, "not accepted"),
        (401, "key-env"),
        (404, "`/v1`"),
        (501, "not started for it"),
    ];
    for (status, explained) in cases {
        let server = StandIn::start(move |_| Act::error(status, "no"));
        let no = ask_one(&client(&server, short_waits())).answer.unwrap_err();
        assert_eq!(server.seen().len(), 1, "{status}");
        assert!(no.why.contains(explained), "{}", no.why);
    }
}

#[test]
fn a_redirect_to_elsewhere_is_not_followed() {
    let elsewhere = StandIn::start(|_| Act::says("stolen"));
    let place = format!("{}/chat/completions", elsewhere.base());
    let server = StandIn::start(move |_| Act::error(307, "").with_header("location", &place));
    let no = ask_one(&client(&server, short_waits())).answer.unwrap_err();
    assert!(
        no.why.contains("keys are sent nowhere but to `base-url`"),
        "{}",
        no.why
    );
    assert!(elsewhere.seen().is_empty());
}
