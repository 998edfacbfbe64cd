//! Secrets: sent where they belong, and struck from whatever comes back.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use duress_endpoint::client::{Client, Server};
use duress_stand_in::{Act, StandIn, chat_reply};
use serde_json::json;

use crate::setup::{ask_one, server_at, short_waits};

/// A variable that every test has, and whose value is long enough to be taken for a key.
const VARIABLE: &str = "CARGO_MANIFEST_DIR";

fn value() -> String {
    std::env::var(VARIABLE).unwrap()
}

fn with_secrets(base: &str) -> Client {
    let mut settings = Server {
        key_env: Some(VARIABLE.into()),
        headers: vec![("x-team".into(), format!("env:{VARIABLE}"))],
        ..server_at(base, short_waits())
    };
    settings
        .extra
        .insert("user".into(), json!(format!("env:{VARIABLE}")));
    Client::new(&settings).unwrap()
}

#[test]
fn keys_go_into_headers_and_body_and_nowhere_else() {
    let server = StandIn::start(|_| Act::says("a tower"));
    ask_one(&with_secrets(&server.base())).answer.unwrap();
    let asked = &server.seen()[0];
    let bearer = format!("Bearer {}", value());
    assert_eq!(asked.header("authorization"), Some(bearer.as_str()));
    assert_eq!(asked.header("x-team"), Some(value().as_str()));
    assert_eq!(asked.body["user"], value());
}

#[test]
fn a_key_that_is_echoed_back_is_struck_from_replies_and_errors() {
    let echoed = format!("your key is {}!", value());
    let escaped = chat_reply("KEY")
        .to_string()
        .replace("KEY", &echoed.replace('/', "\\/"));
    let acts = [
        Act::says(&echoed),
        Act::Reply(200, Vec::new(), escaped.into_bytes()),
        Act::error(400, &echoed),
        Act::Reply(400, Vec::new(), echoed.clone().into_bytes()),
        Act::Reply(200, Vec::new(), echoed.clone().into_bytes()),
    ];
    for act in acts {
        let server = StandIn::start(move |_| act.clone());
        let told = ask_one(&with_secrets(&server.base()));
        let shown = format!("{told:?}");
        assert!(!shown.contains(&value()), "{shown}");
        assert!(shown.contains("[env:CARGO_MANIFEST_DIR]"), "{shown}");
    }
}

#[test]
fn a_prompt_that_looks_like_the_name_of_a_variable_is_sent_as_it_is() {
    let server = StandIn::start(|asked| Act::says(asked.prompt()));
    let client = with_secrets(&server.base());
    let prompt = format!("env:{VARIABLE}");
    let told = crate::setup::ask(&client, vec![crate::setup::chat(&prompt)]).remove(0);
    assert_eq!(told.answer.unwrap().text, prompt);
}
