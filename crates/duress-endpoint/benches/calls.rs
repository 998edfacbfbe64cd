//! What a call costs here: wall and CPU time against a stand-in with 50 ms latency and 64 slots, and
//! replays from a cache. The stand-in is a process of its own, so that its work is not counted. The
//! ideal rate is that of the slots: more in flight than that only wait, and should cost nothing.
#![expect(clippy::unwrap_used, reason = "a bench may panic")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use duress_endpoint::address::Address;
use duress_endpoint::chat::{Chat, Message, Role, Sampling};
use duress_endpoint::client::{Client, Server, Told};
use duress_endpoint::limits::Limits;
use duress_endpoint::wire::Wire;
use duress_stand_in::{Act, StandIn};

const LATENCY: u64 = 50;
const SLOTS: usize = 64;

fn main() {
    if std::env::args().any(|word| word == "serve") {
        return serve();
    }
    let program = std::env::current_exe().unwrap();
    let mut served = Command::new(program)
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut base = String::new();
    BufReader::new(served.stdout.take().unwrap())
        .read_line(&mut base)
        .unwrap();
    calls(base.trim(), 64, 3_000);
    calls(base.trim(), 512, 6_000);
    replays(base.trim(), 100_000);
    // The stand-in ends when nobody holds its input.
    drop(served.stdin.take());
    served.wait().unwrap();
}

fn serve() {
    let server = StandIn::with_slots(SLOTS, |asked| match asked.prompt().starts_with("kept") {
        true => Act::says("yes"),
        false => Act::says("yes").after(LATENCY),
    });
    println!("{}", server.base());
    let mut line = String::new();
    let _ = std::io::stdin().read_line(&mut line);
}

fn client(base: &str, in_flight: usize) -> Client {
    let server = Server {
        wire: Wire::OpenAi,
        address: Address::parse(base).unwrap(),
        key_env: None,
        headers: Vec::new(),
        extra: serde_json::Map::new(),
        limits: Limits {
            in_flight,
            ..Limits::default()
        },
    };
    Client::new(&server).unwrap()
}

fn chats(kind: &str, calls: usize) -> Vec<Chat> {
    let chat = |i: usize| Chat {
        model: "stand-in".into(),
        messages: vec![Message::new(
            Role::User,
            format!("{kind} {i}: is this a tower?"),
        )],
        sampling: Sampling::default(),
        first_token: None,
        schema: None,
        repeat: 0,
    };
    (0..calls).map(chat).collect()
}

/// Asks all; every one of them has to be answered.
fn ask(client: &Client, chats: Vec<Chat>, cache: Option<&Path>) -> (Duration, Duration) {
    let (begun, cpu) = (Instant::now(), cpu_time());
    let mut hear = |_: usize, told: Told| {
        assert!(told.answer.is_ok(), "{:?}", told.answer);
        Ok::<_, ()>(None)
    };
    client.ask_all(chats, cache, &|| false, &mut hear).unwrap();
    (begun.elapsed(), cpu_time().saturating_sub(cpu))
}

fn calls(base: &str, in_flight: usize, calls: usize) {
    let client = client(base, in_flight);
    ask(&client, chats("warm", in_flight), None);
    let (wall, cpu) = ask(&client, chats("call", calls), None);
    let ideal = LATENCY as f64 / 1e3 * (calls as f64 / in_flight.min(SLOTS) as f64);
    println!(
        "{calls} calls, {in_flight} in flight: {:.2} s, {:.0} % of the ideal rate, {:.3} ms CPU a call",
        wall.as_secs_f64(),
        100.0 * ideal / wall.as_secs_f64(),
        cpu.as_secs_f64() * 1e3 / calls as f64
    );
}

fn replays(base: &str, calls: usize) {
    let folder = tempfile::tempdir().unwrap();
    let client = client(base, 8);
    ask(&client, chats("kept", calls), Some(folder.path()));
    let (wall, cpu) = ask(&client, chats("kept", calls), Some(folder.path()));
    println!(
        "{calls} cached calls replayed: {:.2} s (bar 10 s), {:.3} ms CPU a call",
        wall.as_secs_f64(),
        cpu.as_secs_f64() * 1e3 / calls as f64
    );
}

/// What this process has used of all cores, where the system tells.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}
