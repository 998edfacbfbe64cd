//! Patience: what may pass is asked again, after the wait the server wants, and not for ever.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::net::TcpListener;
use std::time::{Duration, Instant};

use duress_endpoint::client::Client;
use duress_endpoint::limits::{Budget, Limits, Prices};
use duress_endpoint::reply::NoAnswerKind;
use duress_stand_in::{Act, StandIn};

use crate::setup::{ask, ask_one, chat, client, server_at, short_waits};

/// Fails so often, then answers.
fn fails_first(times: usize, act: Act) -> StandIn {
    StandIn::start(move |asked| match asked.number < times {
        true => act.clone(),
        false => Act::says("a tower"),
    })
}

#[test]
fn what_may_pass_is_asked_again_and_every_request_is_counted() {
    for act in [
        Act::error(429, "slow down"),
        Act::error(500, "broken"),
        Act::HangUp,
        Act::CutShort(b"{".to_vec()),
        Act::Reply(200, Vec::new(), b"<html>".to_vec()),
        Act::Stall,
    ] {
        let server = fails_first(2, act.clone());
        let told = ask_one(&client(&server, short_waits()));
        assert!(told.answer.is_ok(), "{act:?}: {:?}", told.answer);
        assert_eq!(told.cost.requests, 3, "{act:?}");
    }
}

#[test]
fn no_retries_means_none() {
    let limits = Limits {
        retries: 0,
        ..short_waits()
    };
    let server = fails_first(1, Act::error(429, "slow down"));
    let no = ask_one(&client(&server, limits)).answer.unwrap_err();
    assert_eq!((no.kind, server.seen().len()), (NoAnswerKind::Error, 1));
}

#[test]
fn the_wait_a_server_asks_for_is_kept_to() {
    let limited = Act::error(429, "slow down").with_header("retry-after-ms", "400");
    let server = fails_first(1, limited);
    let begun = Instant::now();
    assert!(ask_one(&client(&server, short_waits())).answer.is_ok());
    assert!(begun.elapsed() >= Duration::from_millis(400));
}

#[test]
fn a_limit_that_is_used_up_is_waited_for_until_it_is_reset() {
    let limited = Act::error(429, "slow down")
        .with_header("x-ratelimit-remaining-requests", "0")
        .with_header("x-ratelimit-reset-requests", "400ms");
    let server = fails_first(1, limited);
    let begun = Instant::now();
    assert!(ask_one(&client(&server, short_waits())).answer.is_ok());
    assert!(begun.elapsed() >= Duration::from_millis(400));
}

#[test]
fn a_server_that_asks_for_a_day_is_not_waited_for() {
    let limited = Act::error(429, "slow down").with_header("retry-after", "86400");
    let server = fails_first(1, limited);
    let no = ask_one(&client(&server, short_waits())).answer.unwrap_err();
    assert!(no.why.contains("asks to wait 86400 s"), "{}", no.why);
}

#[test]
fn a_server_that_loads_is_polled_and_that_is_no_retry() {
    let limits = Limits {
        retries: 0,
        ..short_waits()
    };
    let server = fails_first(2, Act::error(503, "Loading model"));
    let told = ask_one(&client(&server, limits));
    assert!(told.answer.is_ok(), "{:?}", told.answer);
    assert_eq!(told.cost.requests, 1);
}

#[test]
fn a_server_that_is_not_there_yet_is_waited_for_and_not_for_ever() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let settings = server_at(&format!("http://{address}/v1"), short_waits());
    let late = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        let listener = TcpListener::bind(address).unwrap();
        StandIn::listen(listener, |_| Act::says("a tower"))
    });
    assert!(ask_one(&Client::new(&settings).unwrap()).answer.is_ok());
    drop(late.join().unwrap());
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap();
    drop(nobody);
    let limits = Limits {
        wait_ready: Duration::from_millis(200),
        ..short_waits()
    };
    let settings = server_at(&format!("http://{address}/v1"), limits);
    let client = Client::new(&settings).unwrap();
    let no = ask_one(&client).answer.unwrap_err();
    assert!(no.why.contains("not ready within 0.2 s"), "{}", no.why);
    assert!(client.given_up().is_some());
}

#[test]
fn after_failures_in_a_row_nobody_is_asked_any_more() {
    let limits = Limits {
        in_flight: 1,
        retries: 0,
        failures_in_a_row: 3,
        ..short_waits()
    };
    let server = StandIn::start(|_| Act::error(400, "bad"));
    let client = client(&server, limits);
    let come = ask(&client, (0..10).map(|i| chat(&i.to_string())).collect());
    let kinds = come
        .iter()
        .map(|told| told.answer.as_ref().unwrap_err().kind);
    let errors = kinds.filter(|kind| *kind == NoAnswerKind::Error).count();
    assert_eq!((errors, server.seen().len()), (3, 3));
    assert!(client.given_up().unwrap().contains("3 failures in a row"));
}

#[test]
fn a_spent_budget_asks_nobody_else() {
    let limits = Limits {
        in_flight: 1,
        budget: Budget {
            requests: Some(4),
            ..Budget::default()
        },
        ..short_waits()
    };
    let server = StandIn::start(|_| Act::says("a tower"));
    let client = client(&server, limits);
    let come = ask(&client, (0..10).map(|i| chat(&i.to_string())).collect());
    let answered = come.iter().filter(|told| told.answer.is_ok()).count();
    assert_eq!((answered, server.seen().len()), (4, 4));
    let no = come[9].answer.as_ref().unwrap_err();
    assert_eq!(no.kind, NoAnswerKind::NotAsked);
    assert!(no.why.contains("4 requests is spent"), "{}", no.why);
}

/// What a budget leaves of ten requests, each of which costs 12 tokens.
fn answered_within(budget: Budget) -> (usize, String) {
    let limits = Limits {
        in_flight: 1,
        budget,
        prices: Some(Prices {
            input: 1e5,
            output: 0.0,
        }),
        ..short_waits()
    };
    let server = StandIn::start(|_| Act::says("a tower"));
    let come = ask(
        &client(&server, limits),
        (0..10).map(|i| chat(&i.to_string())).collect(),
    );
    let last = come[9].answer.as_ref().unwrap_err();
    assert_eq!(last.kind, NoAnswerKind::NotAsked);
    (server.seen().len(), last.why.clone())
}

#[test]
fn budgets_of_tokens_and_of_money_ask_nobody_else_either() {
    let (asked, why) = answered_within(Budget {
        tokens: Some(30),
        ..Budget::default()
    });
    assert_eq!(asked, 3, "the third reply passes 30: {why}");
    assert!(why.contains("30 tokens is spent (36 used)"), "{why}");
    let (asked, why) = answered_within(Budget {
        cost: Some(2.5),
        ..Budget::default()
    });
    assert_eq!(asked, 3, "each costs 1: {why}");
    assert!(why.contains("2.5 is spent"), "{why}");
}

/// How a request ends, and that it does not take longer than it may.
fn given_up_within(limits: Limits, act: Act) -> String {
    let server = StandIn::start(move |_| act.clone());
    let limits = Limits {
        retries: 0,
        ..limits
    };
    let begun = Instant::now();
    let no = ask_one(&client(&server, limits)).answer.unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(4), "{}", no.why);
    assert_eq!(no.kind, NoAnswerKind::Error, "{}", no.why);
    no.why
}

#[test]
fn a_reply_that_does_not_begin_or_stops_half_way_is_not_waited_for() {
    let soon = Duration::from_millis(150);
    let late = Act::says("late").after(5_000);
    let first_byte = Limits {
        first_byte: soon,
        ..short_waits()
    };
    let whole = Limits {
        whole: soon,
        ..short_waits()
    };
    let idle = Limits {
        idle: soon,
        ..short_waits()
    };
    for (limits, act) in [
        (first_byte, late.clone()),
        (whole, late),
        (idle, Act::Stall),
    ] {
        let why = given_up_within(limits, act);
        assert!(why.contains("timeout"), "{why}");
    }
}

/// A listener that takes no more connections: those that wait to be taken fill its queue.
#[cfg(target_os = "linux")]
#[test]
fn a_connection_that_nobody_takes_is_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let connect = || std::net::TcpStream::connect_timeout(&address, Duration::from_millis(200));
    let queued: Vec<_> = (0..20_000).map_while(|_| connect().ok()).collect();
    assert!(connect().is_err(), "{} are queued", queued.len());
    let limits = Limits {
        connect: Duration::from_millis(200),
        wait_ready: Duration::ZERO,
        ..short_waits()
    };
    let settings = server_at(&format!("http://{address}/v1"), limits);
    let begun = Instant::now();
    let no = ask_one(&Client::new(&settings).unwrap())
        .answer
        .unwrap_err();
    assert!(begun.elapsed() < Duration::from_secs(4));
    assert!(no.why.contains("not ready"), "{}", no.why);
}
