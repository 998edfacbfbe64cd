//! The keys of every part that asks a server: where it is, how replies are drawn, and what the client
//! keeps to.

use duress_core::part::{Field, Takes};
use duress_core::word::Word;
use duress_endpoint::wire::Wire;

/// A key with its meaning.
pub(crate) const fn field(
    name: &'static str,
    takes: Takes,
    default: Option<&'static str>,
    doc: &'static str,
) -> Field {
    Field {
        name,
        takes,
        doc,
        default,
    }
}

const SECONDS: Takes = Takes::Number(0.0, 1e7);
const SOME_SECONDS: Takes = Takes::Number(0.001, 1e7);

/// The keys, in the order in which they are explained.
const SERVER_KEYS: &[Field] = &[
    field(
        "base-url",
        Takes::Text,
        None,
        "the address of the server, usually with `/v1` at its end; no password in it",
    ),
    field(
        "wire",
        Takes::Choice(Wire::spellings),
        Some("openai"),
        "the format that the server speaks",
    ),
    field(
        "model",
        Takes::Text,
        None,
        "the model, as the server calls it",
    ),
    field(
        "key-env",
        Takes::Text,
        Some(""),
        "the environment variable with the key",
    ),
    field(
        "range",
        Takes::Numbers(-1e12, 1e12),
        Some(""),
        "what ratings lie between, such as [0, 100]: what lies outside cannot be read",
    ),
    field(
        "schema",
        Takes::Flag,
        Some("true"),
        "whether the server is asked to hold ratings to a JSON schema, where its format can",
    ),
    field(
        "system",
        Takes::Text,
        Some(""),
        "the system message, as a template",
    ),
    field(
        "temperature",
        Takes::Number(0.0, 100.0),
        Some("0"),
        "the temperature that replies are drawn at",
    ),
    field(
        "top-p",
        Takes::Number(0.0, 1.0),
        Some("1"),
        "the share of probability that tokens are drawn from",
    ),
    field(
        "max-tokens",
        Takes::Whole(1, 1_000_000),
        Some("256"),
        "how long a reply may be",
    ),
    field("stop", Takes::Texts, Some(""), "texts that end a reply"),
    field(
        "omit",
        Takes::Texts,
        Some(""),
        "sampling keys that the server refuses, and that are not sent: temperature, top-p, max-tokens, seed",
    ),
    field(
        "body",
        Takes::Table,
        Some(""),
        "further keys of every request; `env:NAME` stands for a variable",
    ),
    field(
        "headers",
        Takes::Table,
        Some(""),
        "further headers of every request; `env:NAME` stands for a variable",
    ),
    field(
        "in-flight",
        Takes::Whole(1, 4096),
        Some("8"),
        "requests under way at a time, at most, over all cells; changes no answer",
    ),
    field(
        "retries",
        Takes::Whole(0, 1000),
        Some("5"),
        "how often a request that failed for a reason that may pass is sent again",
    ),
    field(
        "first-wait",
        SECONDS,
        Some("1"),
        "seconds before it is sent again; they double from one time to the next",
    ),
    field(
        "longest-wait",
        SECONDS,
        Some("300"),
        "seconds anybody waits; a server that asks for more is not asked again",
    ),
    field(
        "wait-ready",
        SECONDS,
        Some("60"),
        "seconds a server is waited for that has not answered yet",
    ),
    field(
        "stop-after",
        Takes::Whole(1, 1_000_000),
        Some("10"),
        "failures in a row after which nobody else is asked",
    ),
    field(
        "connect-timeout",
        SOME_SECONDS,
        Some("10"),
        "seconds a connection may take",
    ),
    field(
        "first-byte-timeout",
        SOME_SECONDS,
        Some("300"),
        "seconds until a reply begins",
    ),
    field(
        "idle-timeout",
        SOME_SECONDS,
        Some("60"),
        "seconds in which nothing may come of a reply that has begun",
    ),
    field(
        "timeout",
        SOME_SECONDS,
        Some("600"),
        "seconds a request may take in all",
    ),
    field(
        "budget",
        Takes::Table,
        Some(""),
        "what one run may spend: `requests`, `tokens`, `cost`",
    ),
    field(
        "price",
        Takes::Table,
        Some(""),
        "what a million tokens cost: `input`, `output`",
    ),
];

/// The key of this name.
///
/// # Panics
/// When there is no such key, while this is compiled.
pub(crate) const fn server_key(name: &str) -> Field {
    let mut at = 0;
    while at < SERVER_KEYS.len() {
        if same(SERVER_KEYS[at].name.as_bytes(), name.as_bytes()) {
            return SERVER_KEYS[at];
        }
        at += 1;
    }
    panic!("no server takes such a key")
}

/// Where the server is, and which model is asked.
pub(crate) const WHOM: &[Field] = &keys_named::<4>(["base-url", "wire", "model", "key-env"]);

/// How replies are drawn, and what else stands in a request.
pub(crate) const REQUEST: &[Field] = &keys_named::<7>([
    "temperature",
    "top-p",
    "max-tokens",
    "stop",
    "omit",
    "body",
    "headers",
]);

/// What the client keeps to: pace, patience and budget.
pub(crate) const LIMITS: &[Field] = &keys_named::<12>([
    "in-flight",
    "retries",
    "first-wait",
    "longest-wait",
    "wait-ready",
    "stop-after",
    "connect-timeout",
    "first-byte-timeout",
    "idle-timeout",
    "timeout",
    "budget",
    "price",
]);

const fn keys_named<const N: usize>(names: [&str; N]) -> [Field; N] {
    let mut keys = [SERVER_KEYS[0]; N];
    let mut at = 0;
    while at < N {
        keys[at] = server_key(names[at]);
        at += 1;
    }
    keys
}

/// How many keys these lists have together.
pub(crate) const fn count(lists: &[&[Field]]) -> usize {
    let mut keys = 0;
    let mut at = 0;
    while at < lists.len() {
        keys += lists[at].len();
        at += 1;
    }
    keys
}

/// The keys of these lists, one after the other; `N` is their [`count`].
pub(crate) const fn joined<const N: usize>(lists: &[&[Field]]) -> [Field; N] {
    let mut keys = [SERVER_KEYS[0]; N];
    let mut filled = 0;
    let mut at = 0;
    while at < lists.len() {
        let mut own = 0;
        while own < lists[at].len() {
            keys[filled] = lists[at][own];
            filled += 1;
            own += 1;
        }
        at += 1;
    }
    keys
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
