//! A language model behind an address: any server that speaks OpenAI's chat completions (vLLM,
//! llama.cpp, Ollama, most hosted services) or Anthropic's messages.
//!
//! # What it does
//! Fills `system` and `template` in for each item and sends one request per item, at most
//! `in-flight` at a time over all cells. A template knows `text`, every column that stands beside
//! it, `classes`, `choices` (each with `letter` and `name`) and the lines of the file `examples`;
//! a name that is not there is refused before anyone is asked. With `answers = "text"` the reply is
//! the answer. With `"classes"` it has to name one of `classes`, by letter or by name; with
//! `class-from = "first-token"` the log-probabilities of the first token are the probabilities of
//! the classes, so that every gauge of classifiers works on language models. With `"ratings"` it is
//! a JSON object with a number for each of `dimensions`: where the server can be held to a schema it
//! is, fences are stripped, and a reply that cannot be read is asked for once more. With
//! `"similarity"` the text and the column `against` are sent to the server's embeddings, and their
//! cosine is the rating; with `"relevance"` they are sent to its rerank, and the score is. Both are
//! what raters of other subjects' texts need, whose references stand in `reference`.
//!
//! With `repeats` an item is asked about several times, each in a request of its own, and the share
//! of replies that name a class is its probability: gauges of classifiers read how sure a model is
//! from how often it says the same (`repeat-stability`, `pass-all`).
//!
//! Every sampling key is sent, so that no server's default decides; `omit` leaves out those that a
//! server refuses. 429 and 5xx are asked again after the wait the server wants, or twice as long each
//! time, and fewer are sent at a time meanwhile; what cannot pass (400, 404, 501) is not, and is
//! explained. A server that loads is polled for `wait-ready` seconds. After `stop-after` failures in a row, or when the
//! `budget` of a run is spent, nobody else is asked. How to name servers is in `docs/endpoint.md`.
//!
//! # Why it matters
//! The prompt is in the study, and so in its identity and its report: base-url, model, prompt and
//! parameters decide which answers are kept, and nothing else does. Every answer is kept the moment
//! it comes; after Ctrl-C, `kill -9`, a spent budget or a dead server, running again asks only what
//! is missing.
//!
//! # Promise
//! What is no answer is never counted as one: refused, cut off, empty, unparsable, too long and
//! failed are told apart. Keys stand in environment variables (`key-env`, and `env:NAME` in `headers`
//! and `body`) and are written nowhere, also when a server sends them back. Redirects are not followed.
//!
//! # Example
//! ```toml
//! [subject.small]
//! use = "endpoint"
//! base-url = "http://127.0.0.1:8080/v1"
//! model = "smollm2"
//! answers = "classes"
//! classes = ["negative", "positive"]
//! template = "Is this review negative or positive? Reply with one word.\n\n{{ text }}"
//! max-tokens = 4
//! ```
//!
//! # Reference
//! `docs/endpoint.md`; the OpenAI chat completions and the Anthropic messages format; RFC 9110 for
//! Retry-After.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use duress_core::cost::CostEstimate;
use duress_core::data::{InputKind, Items};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::subject::{
    Abilities, AtOnce, Failure, FailureKind, Fitted, Learns, Lesson, Subject, SubjectPart,
};
use duress_core::word::Word;
use duress_endpoint::client::{Client, Server};
use duress_endpoint::prompt::{BadPrompt, Prompt};
use duress_endpoint::request::ComparisonMethod;
use duress_endpoint::secret::NoSecret;
use duress_endpoint::wire::Wire;
use duress_tables::labels::no_class_twice;
use serde_json::{Value, json};

use crate::endpoint::asked_model::AskedModel;
use crate::endpoint::choice::{ChoiceStyle, Choices};
use crate::endpoint::ratings::RatingRange;
use crate::endpoint::settings::{self, SamplingKey};
use crate::endpoint::terms::{AskingTerms, Wanted};

/// The part.
pub static PART: Part = Part {
    name: "endpoint",
    version: 1,
    fields: FIELDS,
    source: include_str!("endpoint.rs"),
    build: Build::Subject(|params| Ok(SubjectPart::Live(Box::new(Endpoint::new(params)?)))),
};

const fn field(
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

const FIELDS: &[Field] = &[
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
        "answers",
        Takes::Choice(EndpointAnswers::spellings),
        Some("text"),
        "what it says about an item",
    ),
    field(
        "classes",
        Takes::Texts,
        Some(""),
        "the names of the classes, for `answers = \"classes\"`",
    ),
    field(
        "choices",
        Takes::Choice(ChoiceStyle::spellings),
        Some("names"),
        "whether a reply names a class by its letter (A for the first of `classes`) or by its name",
    ),
    field(
        "class-from",
        Takes::Choice(ClassFrom::spellings),
        Some("text"),
        "whether the class is read from the text of the reply, or its probability from the log-probabilities of the first token",
    ),
    field(
        "dimensions",
        Takes::Texts,
        Some(""),
        "what is rated, for `answers = \"ratings\"`",
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
        "against",
        Takes::Text,
        Some("reference"),
        "the column that the text is compared with, for `answers = \"similarity\"` and `\"relevance\"`; with those called as it and numbered (`reference-2`), the likest counts",
    ),
    field(
        "repeats",
        Takes::Whole(1, 1000),
        Some("1"),
        "how often each item is asked about, in requests of their own; the share of replies that name a class is its probability",
    ),
    field(
        "system",
        Takes::Text,
        Some(""),
        "the system message, as a template",
    ),
    field(
        "template",
        Takes::Text,
        Some("{{ text }}"),
        "what the user says, as a template",
    ),
    field(
        "examples",
        Takes::File,
        Some(""),
        "a file of JSON lines that templates know as `examples`",
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
        "refusals",
        Takes::Texts,
        Some(""),
        "beginnings of replies that count as refused",
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

duress_core::words! {
    /// What a model is asked for.
    enum EndpointAnswers {
        Text = "text",
        Classes = "classes",
        Ratings = "ratings",
        Similarity = "similarity",
        Relevance = "relevance",
    }
}

duress_core::words! {
    /// Where a class is read from.
    enum ClassFrom {
        Text = "text",
        FirstToken = "first-token",
    }
}

/// Cells that are asked about at the same time: enough to keep all requests under way, and few
/// enough to be in memory.
const CELLS_AT_ONCE: usize = 16;

/// About so many characters are a token.
const CHARACTERS_PER_TOKEN: u64 = 4;

struct Endpoint {
    server: Server,
    asking: Arc<AskingTerms>,
    identity: String,
    examples: Option<PathBuf>,
    /// Made when it is first needed, and shared by all that is fitted: one pool of requests.
    client: Mutex<Option<Arc<Client>>>,
}

impl Endpoint {
    fn new(params: &Params) -> Result<Endpoint, Problem> {
        let server = settings::server(params)?;
        let wanted = wanted(params, server.wire)?;
        let (sampling, omit) = settings::sampling(params)?;
        let prompt = Prompt::new(params.text_if("system"), params.text("template"))
            .map_err(|bad| Problem::new(bad.to_string()).expected("a Jinja template"))?;
        let examples = params.file_if("examples");
        let asking = AskingTerms {
            model: params.text("model").into(),
            prompt,
            sampling,
            sends_seed: !omit.contains(&SamplingKey::Seed),
            wanted,
            refusals: params.texts("refusals").to_vec(),
            examples: examples.as_ref().map_or(Ok(Vec::new()), read_examples)?,
            repeats: params.whole("repeats") as u32,
        };
        if asking.repeats > 1 && !matches!(asking.wanted, Wanted::ClassInText(_)) {
            return Err(Problem::new("`repeats` without classes that are read from texts")
                .expected("`answers = \"classes\"` and `class-from = \"text\"`; of texts and ratings, several seeds are several answers"));
        }
        Ok(Endpoint {
            identity: identity(params, &server)?,
            server,
            asking: Arc::new(asking),
            examples,
            client: Mutex::default(),
        })
    }

    fn client(&self) -> Result<Arc<Client>, Failure> {
        let mut client = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*client {
            return Ok(Arc::clone(client));
        }
        // Once the variable is set, running again asks.
        let unset = |none: NoSecret| Failure::new(FailureKind::NotAsked, none.to_string());
        let made = Client::new(&self.server).map_err(unset)?;
        Ok(Arc::clone(client.insert(Arc::new(made))))
    }

    fn ready(&self, seed: u32) -> Result<Box<dyn Fitted>, Failure> {
        let terms = Arc::clone(&self.asking);
        Ok(Box::new(AskedModel::new(self.client()?, terms, seed)))
    }
}

/// What decides answers, and no more: how patiently and how many at a time changes none of them.
fn identity(params: &Params, server: &Server) -> Result<String, Problem> {
    let mut identity = json!({
        "base-url": server.address.to_string(),
        "wire": server.wire,
        "headers": server.headers,
        "body": settings::json_table(params, "body")?,
        "model": params.text("model"),
        "answers": params.text("answers"),
        "classes": params.texts("classes"),
        "choices": params.text("choices"),
        "class-from": params.text("class-from"),
        "dimensions": params.texts("dimensions"),
        "schema": params.flag("schema"),
        "system": params.text_if("system"),
        "template": params.text("template"),
        "temperature": params.number("temperature"),
        "top-p": params.number("top-p"),
        "max-tokens": params.whole("max-tokens"),
        "stop": params.texts("stop"),
        "omit": params.texts("omit"),
        "refusals": params.texts("refusals"),
        "repeats": params.whole("repeats"),
        "against": params.text("against"),
    });
    // Not named where it is not set: what was asked before there was this key is found again.
    if let Some(range) = params.numbers("range") {
        identity["range"] = json!(range);
    }
    Ok(identity.to_string())
}

fn wanted(params: &Params, wire: Wire) -> Result<Wanted, Problem> {
    let answers = params.choice("answers");
    if params.numbers("range").is_some() && answers != EndpointAnswers::Ratings {
        return Err(
            Problem::new(format!("`range` with `answers = \"{answers}\"`"))
                .expected("`answers = \"ratings\"`"),
        );
    }
    match answers {
        EndpointAnswers::Text => Ok(Wanted::Text),
        EndpointAnswers::Ratings => {
            let dimensions = params.texts("dimensions").to_vec();
            if dimensions.is_empty() {
                return Err(Problem::new("`answers = \"ratings\"` without `dimensions`")
                    .expected("the names of what is rated"));
            }
            let schema = params.flag("schema") && wire.has_schemas();
            Ok(Wanted::Ratings {
                dimensions,
                schema,
                range: params.numbers("range").map(rating_range).transpose()?,
            })
        }
        EndpointAnswers::Similarity => likeness(params, wire, ComparisonMethod::Embeddings),
        EndpointAnswers::Relevance => likeness(params, wire, ComparisonMethod::Rerank),
        EndpointAnswers::Classes => {
            let choices = choices(params)?;
            match params.choice("class-from") {
                ClassFrom::Text => Ok(Wanted::ClassInText(choices)),
                ClassFrom::FirstToken if wire.has_log_probabilities() => {
                    Ok(Wanted::ClassInFirstToken(choices))
                }
                ClassFrom::FirstToken => Err(Problem::new(format!(
                    "`class-from = \"first-token\"` with `wire = \"{wire}\"`"
                ))
                .expected("`wire = \"openai\"`: this format has no log-probabilities")),
            }
        }
    }
}

fn rating_range(said: &[f64]) -> Result<RatingRange, Problem> {
    match said {
        [low, high] if low < high => Ok(*low..=*high),
        _ => Err(
            Problem::new("`range` does not name what ratings lie between")
                .expected("two numbers, the smaller first: [0, 100]"),
        ),
    }
}

fn likeness(params: &Params, wire: Wire, by: ComparisonMethod) -> Result<Wanted, Problem> {
    match wire {
        Wire::OpenAi => Ok(Wanted::Likeness {
            by,
            against: params.text("against").into(),
        }),
        Wire::Anthropic => Err(Problem::new(format!(
            "`answers = \"{}\"` with `wire = \"{wire}\"`",
            params.text("answers")
        ))
        .expected("`wire = \"openai\"`: this format has neither embeddings nor rerank")),
    }
}

fn choices(params: &Params) -> Result<Choices, Problem> {
    let classes = params.texts("classes").to_vec();
    let style = params.choice("choices");
    no_class_twice(&classes)?;
    if classes.len() < 2 {
        return Err(
            Problem::new("`answers = \"classes\"` without two `classes`")
                .expected("the names of the classes that a reply may name"),
        );
    }
    if style == ChoiceStyle::Letters && classes.len() > Choices::MOST_LETTERS {
        return Err(
            Problem::new(format!("{} classes with letters", classes.len()))
                .expected("`choices = \"names\"`: there are 26 letters"),
        );
    }
    Ok(Choices { style, classes })
}

fn read_examples(file: &PathBuf) -> Result<Vec<Value>, Problem> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Problem::new(error.to_string()).in_file(file))?;
    let numbered = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let read = |(at, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|why| {
            let wrong = Problem::new(format!("not JSON: {why}"));
            wrong
                .expected("one JSON object a line")
                .in_file(file)
                .on_line(at + 1)
        })
    };
    numbered.map(read).collect()
}

impl Subject for Endpoint {
    fn abilities(&self) -> Abilities {
        let at_once = NonZero::new(self.server.limits.in_flight.min(CELLS_AT_ONCE));
        Abilities {
            accepts: InputKind::Texts,
            answers: vec![self.asking.question()],
            learns: Learns::Nothing,
            gradients: false,
            reproducible: false,
            batch_tolerance: 0.0,
            at_once: AtOnce::Elsewhere(at_once.unwrap_or(NonZero::<usize>::MIN)),
        }
    }

    fn sources(&self, _replicate: u64) -> Result<Vec<PathBuf>, Problem> {
        Ok(self.examples.iter().cloned().collect())
    }

    fn suits(
        &self,
        _replicate: u64,
        items: &Items,
        classes: Option<&[String]>,
    ) -> Result<(), Problem> {
        let wrong = |bad: BadPrompt| {
            let known = items.texts().ok().and_then(|texts| texts.first());
            let known = known
                .map(|text| self.asking.values(text))
                .unwrap_or_default();
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            Problem::new(bad.to_string()).expected(format!("one of {}", names.join(", ")))
        };
        if let Some(first) = items.texts().ok().and_then(|texts| texts.first()) {
            self.asking.messages(first).map_err(wrong)?;
            let request = self.asking.request(first, 0, 0);
            request.map_err(|why| Problem::new(why).expected("`against`, a column of `beside`"))?;
        }
        match (self.asking.choices(), classes) {
            (Some(own), Some(true_ones)) => same_classes(&own.classes, true_ones),
            _ => Ok(()),
        }
    }

    fn remarks(&self, _replicate: u64, _items: &Items) -> Vec<String> {
        let unset = |name: &String| std::env::var_os(name).is_none();
        let unset = self.server.key_env.iter().filter(|name| unset(name));
        unset
            .map(|name| format!("the environment variable {name} is not set, and a run needs it"))
            .collect()
    }

    fn identity(&self) -> Option<String> {
        Some(self.identity.clone())
    }

    fn estimate(&self, items: &Items) -> Option<CostEstimate> {
        let texts = items.texts().ok()?;
        let repeats = u64::from(self.asking.repeats);
        let characters: usize = texts.iter().map(|text| self.asking.characters(text)).sum();
        let requests = texts.len() as u64 * repeats;
        let input_tokens = (characters as u64 * repeats).div_ceil(CHARACTERS_PER_TOKEN);
        let output_tokens = match self.asking.wanted {
            Wanted::Likeness { .. } => Some(0),
            _ => self.asking.sampling.max_tokens.map(|most| most * requests),
        };
        let prices = self.server.limits.prices;
        Some(CostEstimate {
            requests,
            input_tokens,
            output_tokens,
            price: prices
                .zip(output_tokens)
                .map(|(prices, output)| prices.of(input_tokens, output)),
        })
    }

    fn fit(&self, _lesson: &Lesson<'_>, seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        self.ready(seed.draws().bits32())
    }

    fn restore(&self, checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        let seed = std::str::from_utf8(checkpoint)
            .ok()
            .and_then(|text| text.parse().ok());
        let none = || Failure::unable("the checkpoint cannot be read: it is no seed");
        self.ready(seed.ok_or_else(none)?)
    }
}

fn same_classes(own: &[String], true_ones: &[String]) -> Result<(), Problem> {
    let set = |classes: &[String]| classes.iter().cloned().collect::<BTreeSet<String>>();
    match set(own) == set(true_ones) {
        true => Ok(()),
        false => Err(Problem::new(format!(
            "`classes` is {own:?}, and the dataset has {true_ones:?}"
        ))
        .expected("the classes of the dataset, in any order")),
    }
}
