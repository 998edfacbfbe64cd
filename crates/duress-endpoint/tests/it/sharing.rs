//! Requests in flight: as many as may be, fewer when the server complains, none after a stop.

use std::sync::atomic::{AtomicBool, Ordering};

use duress_endpoint::client::Told;
use duress_endpoint::limits::Limits;
use duress_endpoint::reply::NoAnswerKind;
use duress_stand_in::{Act, StandIn};

use crate::setup::{ask, chat, client, short_waits};

#[test]
fn all_who_ask_share_one_number_of_requests_in_flight() {
    let server = StandIn::start(|asked| Act::says(asked.prompt()).after(20));
    let client = client(&server, short_waits());
    std::thread::scope(|scope| {
        for who in 0..3 {
            let client = &client;
            scope.spawn(move || {
                let prompts: Vec<String> = (0..20).map(|i| format!("{who} {i}")).collect();
                let chats = prompts.iter().map(|prompt| chat(prompt)).collect();
                let said = ask(client, chats);
                for (prompt, told) in prompts.iter().zip(said) {
                    assert_eq!(told.answer.unwrap().text, *prompt, "an answer to another");
                }
            });
        }
    });
    assert_eq!(server.seen().len(), 60);
    let most = server.most_at_once();
    assert!((2..=4).contains(&most), "{most} at once");
}

#[test]
fn a_complaint_lowers_what_is_in_flight_and_nothing_is_lost() {
    let server = StandIn::start(|asked| match asked.number {
        3 => Act::error(429, "slow down"),
        _ => Act::says(asked.prompt()).after(5),
    });
    let limits = Limits {
        in_flight: 8,
        ..short_waits()
    };
    let client = client(&server, limits);
    let said = ask(&client, (0..12).map(|i| chat(&i.to_string())).collect());
    assert!(said.iter().all(|told| told.answer.is_ok()));
    assert!(client.in_flight_now() < 8, "{}", client.in_flight_now());
    ask(&client, (0..100).map(|i| chat(&i.to_string())).collect());
    assert_eq!(client.in_flight_now(), 8, "more again while it goes well");
}

#[test]
fn after_a_stop_nobody_is_asked_and_what_is_in_flight_is_handed_over() {
    let server = StandIn::start(|asked| Act::says(asked.prompt()).after(100));
    let client = client(&server, short_waits());
    let (stop, mut answered, mut not_asked) = (AtomicBool::new(false), 0, 0);
    let chats = (0..50).map(|i| chat(&i.to_string())).collect();
    let mut hear = |_: usize, told: Told| {
        stop.store(true, Ordering::Relaxed);
        match told.answer {
            Ok(_) => answered += 1,
            Err(no) => {
                assert_eq!(no.kind, NoAnswerKind::NotAsked);
                not_asked += 1;
            }
        }
        Ok::<_, ()>(None)
    };
    let stopping = || stop.load(Ordering::Relaxed);
    client.ask_all(chats, None, &stopping, &mut hear).unwrap();
    assert_eq!(answered + not_asked, 50);
    assert_eq!(
        answered,
        server.seen().len(),
        "what was asked was handed over"
    );
    assert!(answered < 20, "{answered}");
}

#[test]
fn what_is_asked_further_is_about_the_same_position() {
    let server = StandIn::start(|asked| Act::says(asked.prompt()));
    let client = client(&server, short_waits());
    let mut heard = Vec::new();
    let mut hear = |position: usize, told: Told| {
        let text = told.answer.unwrap().text;
        let further = (text == "1").then(|| chat("once more").into());
        heard.push((position, text));
        Ok::<_, ()>(further)
    };
    let chats = (0..3).map(|i| chat(&i.to_string())).collect();
    client.ask_all(chats, None, &|| false, &mut hear).unwrap();
    assert!(heard.contains(&(1, "once more".into())), "{heard:?}");
    assert_eq!(heard.len(), 4);
}

#[test]
fn a_kept_reply_is_not_asked_for_again_and_a_failure_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let server = StandIn::start(|asked| match asked.prompt() {
        "bad" => Act::error(400, "bad"),
        prompt => Act::says(prompt),
    });
    let client = client(&server, short_waits());
    let mut requests = Vec::new();
    for _ in 0..2 {
        let chats = vec![chat("good"), chat("bad")];
        let mut hear = |_: usize, _: Told| Ok::<_, ()>(None);
        let cache = Some(folder.path());
        client.ask_all(chats, cache, &|| false, &mut hear).unwrap();
        requests.push(server.seen().len());
    }
    assert_eq!(requests, [2, 3]);
}
