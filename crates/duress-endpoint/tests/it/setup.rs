//! A client with short waits, and one question.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::time::Duration;

use duress_endpoint::address::Address;
use duress_endpoint::chat::{Chat, Message, Role, Sampling};
use duress_endpoint::client::{Client, Server, Told};
use duress_endpoint::limits::Limits;
use duress_endpoint::wire::Wire;
use duress_stand_in::StandIn;

/// Limits with waits that a test can wait for.
pub(crate) fn short_waits() -> Limits {
    Limits {
        in_flight: 4,
        retries: 2,
        first_wait: Duration::from_millis(5),
        longest_wait: Duration::from_secs(5),
        wait_ready: Duration::from_secs(5),
        connect: Duration::from_secs(5),
        first_byte: Duration::from_secs(5),
        idle: Duration::from_millis(300),
        whole: Duration::from_secs(10),
        ..Limits::default()
    }
}

pub(crate) fn server_at(base: &str, limits: Limits) -> Server {
    Server {
        wire: Wire::OpenAi,
        address: Address::parse(base).unwrap(),
        key_env: None,
        headers: Vec::new(),
        extra: serde_json::Map::new(),
        limits,
    }
}

pub(crate) fn client(server: &StandIn, limits: Limits) -> Client {
    Client::new(&server_at(&server.base(), limits)).unwrap()
}

pub(crate) fn chat(prompt: &str) -> Chat {
    Chat {
        model: "m".into(),
        messages: vec![Message::new(Role::User, prompt)],
        sampling: Sampling {
            temperature: Some(0.0),
            max_tokens: Some(16),
            ..Sampling::default()
        },
        first_token: None,
        schema: None,
        repeat: 0,
    }
}

/// What came of each chat, in order.
pub(crate) fn ask(client: &Client, chats: Vec<Chat>) -> Vec<Told> {
    let mut come: Vec<Option<Told>> = chats.iter().map(|_| None).collect();
    let mut hear = |position: usize, told: Told| {
        come[position] = Some(told);
        Ok::<_, ()>(None)
    };
    client.ask_all(chats, None, &|| false, &mut hear).unwrap();
    come.into_iter().map(Option::unwrap).collect()
}

pub(crate) fn ask_one(client: &Client) -> Told {
    ask(client, vec![chat("hello")]).remove(0)
}
