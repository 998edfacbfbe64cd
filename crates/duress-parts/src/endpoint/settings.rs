//! The keys of an `endpoint` as the client takes them, checked.

use std::collections::BTreeMap;
use std::time::Duration;

use duress_core::part::{Params, Raw};
use duress_core::problem::Problem;
use duress_endpoint::address::Address;
use duress_endpoint::chat::Sampling;
use duress_endpoint::client::Server;
use duress_endpoint::limits::{Budget, Limits, Prices};
use duress_endpoint::secret::named_variable;
use serde_json::{Map, Value};

duress_core::words! {
    /// Keys of sampling that can be left out of requests, for servers that refuse them.
    pub(crate) enum SamplingKey {
        Temperature = "temperature",
        TopP = "top-p",
        MaxTokens = "max-tokens",
        Seed = "seed",
    }
}

/// What decides what a server says to a request, and no more: how patiently and how many at a time
/// changes no answer.
pub(crate) fn identity(params: &Params, server: &Server) -> Result<Value, Problem> {
    Ok(serde_json::json!({
        "base-url": server.address.to_string(),
        "wire": server.wire,
        "headers": server.headers,
        "body": json_table(params, "body")?,
        "model": params.text("model"),
        "schema": params.flag("schema"),
        "system": params.text_if("system"),
        "temperature": params.number("temperature"),
        "top-p": params.number("top-p"),
        "max-tokens": params.whole("max-tokens"),
        "stop": params.texts("stop"),
        "omit": params.texts("omit"),
    }))
}

/// The server, and what the client keeps to.
pub(crate) fn server(params: &Params) -> Result<Server, Problem> {
    let address = Address::parse(params.text("base-url")).map_err(|why| {
        // The address is not repeated: it may hold a password.
        Problem::new(format!("`base-url` cannot be used: {why}")).expected(
            "an address such as \"http://127.0.0.1:8080/v1\"; a key goes into an environment variable that `key-env` names",
        )
    })?;
    let key_env = params.text_if("key-env").map(variable).transpose()?;
    Ok(Server {
        wire: params.choice("wire"),
        address,
        key_env,
        headers: headers(params)?,
        extra: extra(params)?,
        limits: limits(params)?,
    })
}

/// A variable's name, with or without `env:` before it.
fn variable(text: &str) -> Result<String, Problem> {
    let name = named_variable(text).unwrap_or(text);
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match !name.is_empty() && name.chars().all(valid) {
        true => Ok(name.into()),
        // What stands there may be the key itself: it is not repeated.
        false => Err(
            Problem::new("`key-env` is not the name of an environment variable")
                .expected("a name such as \"OPENAI_API_KEY\"; the key itself stands in no study"),
        ),
    }
}

fn headers(params: &Params) -> Result<Vec<(String, String)>, Problem> {
    let table = params.table("headers").cloned().unwrap_or_default();
    let header = |(name, raw): (String, Raw)| {
        let value = raw.as_text().ok_or_else(|| {
            Problem::new(format!("`headers.{name}` is {}", raw.in_words())).expected("a text")
        })?;
        if is_secret_by_name(&name) && named_variable(&value).is_none() {
            return Err(
                Problem::new(format!("`headers.{name}` holds a value")).expected(
                    "\"env:NAME\": secrets stand in environment variables, and in no study",
                ),
            );
        }
        Ok((name, value))
    };
    table.into_iter().map(header).collect()
}

/// Whether what stands under such a name is a secret.
fn is_secret_by_name(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "authorization",
        "key",
        "token",
        "secret",
        "password",
        "cookie",
    ]
    .iter()
    .any(|word| name.contains(word))
}

/// Further keys of bodies; not those that ask for a reply which is not read here.
fn extra(params: &Params) -> Result<Map<String, Value>, Problem> {
    let extra = json_table(params, "body")?;
    if extra
        .get("stream")
        .is_some_and(|stream| *stream != Value::Bool(false))
    {
        return Err(Problem::new("`body.stream` asks for a stream")
            .expected("no such key: replies are read whole"));
    }
    if extra.get("n").is_some_and(|n| n.as_u64() != Some(1)) {
        return Err(
            Problem::new("`body.n` asks for several replies to a request")
                .expected("`repeats`: each reply is a request of its own"),
        );
    }
    Ok(extra)
}

pub(crate) fn json_table(params: &Params, key: &str) -> Result<Map<String, Value>, Problem> {
    match params.table(key).map(serde_json::to_value) {
        None => Ok(Map::new()),
        Some(Ok(Value::Object(map))) => Ok(map),
        Some(_) => Err(Problem::new(format!("`{key}` cannot be sent as JSON"))
            .expected("texts, finite numbers, flags, lists and tables")),
    }
}

fn limits(params: &Params) -> Result<Limits, Problem> {
    let seconds = |key| Duration::from_secs_f64(params.number(key));
    let prices = numbers(params, "price", ["input", "output"])?;
    let prices = match prices {
        [None, None] => None,
        [input, output] => Some(Prices {
            input: input.unwrap_or(0.0),
            output: output.unwrap_or(0.0),
        }),
    };
    let [requests, tokens, cost] = numbers(params, "budget", ["requests", "tokens", "cost"])?;
    if cost.is_some() && prices.is_none() {
        return Err(Problem::new("`budget.cost` without `price`")
            .expected("`price = { input = …, output = … }`, for a million tokens"));
    }
    Ok(Limits {
        in_flight: params.count("in-flight"),
        retries: u32::try_from(params.count("retries")).unwrap_or(u32::MAX),
        first_wait: seconds("first-wait"),
        longest_wait: seconds("longest-wait"),
        wait_ready: seconds("wait-ready"),
        failures_in_a_row: u32::try_from(params.count("stop-after")).unwrap_or(u32::MAX),
        connect: seconds("connect-timeout"),
        first_byte: seconds("first-byte-timeout"),
        idle: seconds("idle-timeout"),
        whole: seconds("timeout"),
        budget: Budget {
            requests: requests.map(|most| most as u64),
            tokens: tokens.map(|most| most as u64),
            cost,
        },
        prices,
        ..Limits::default()
    })
}

/// The numbers of a table with these keys and no others.
fn numbers<const N: usize>(
    params: &Params,
    key: &str,
    names: [&str; N],
) -> Result<[Option<f64>; N], Problem> {
    let empty = BTreeMap::new();
    let table = params.table(key).unwrap_or(&empty);
    if let Some(unknown) = table.keys().find(|name| !names.contains(&name.as_str())) {
        return Err(Problem::new(format!("unknown key `{key}.{unknown}`")).nearest(unknown, names));
    }
    let mut found = [None; N];
    for (number, name) in found.iter_mut().zip(names) {
        let Some(raw) = table.get(name) else {
            continue;
        };
        let value = raw.as_number().filter(|value| *value >= 0.0);
        *number = Some(value.ok_or_else(|| {
            Problem::new(format!("`{key}.{name}` is {}", raw.in_words()))
                .expected("a number at or above 0")
        })?);
    }
    Ok(found)
}

/// How replies are drawn; everything is sent that the study does not leave out.
pub(crate) fn sampling(params: &Params) -> Result<(Sampling, Vec<SamplingKey>), Problem> {
    use duress_core::word::Word;
    let read = |word: &String| {
        SamplingKey::from_word(word).ok_or_else(|| {
            Problem::new(format!("`omit` names {word:?}")).nearest(word, SamplingKey::spellings())
        })
    };
    let omit: Vec<SamplingKey> = params
        .texts("omit")
        .iter()
        .map(read)
        .collect::<Result<_, _>>()?;
    let sent = |key| !omit.contains(&key);
    let sampling = Sampling {
        temperature: Some(params.number("temperature")).filter(|_| sent(SamplingKey::Temperature)),
        top_p: Some(params.number("top-p")).filter(|_| sent(SamplingKey::TopP)),
        max_tokens: Some(params.count("max-tokens") as u64)
            .filter(|_| sent(SamplingKey::MaxTokens)),
        seed: None,
        stop: params.texts("stop").to_vec(),
    };
    Ok((sampling, omit))
}
