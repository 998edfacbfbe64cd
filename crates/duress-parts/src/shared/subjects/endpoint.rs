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
use std::path::PathBuf;
use std::sync::Arc;

use duress_core::cost::CostEstimate;
use duress_core::data::{InputKind, Items};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::subject::{Abilities, Failure, Fitted, Learns, Lesson, Subject, SubjectPart};
use duress_core::word::Word;
use duress_endpoint::client::Server;
use duress_endpoint::prompt::{BadPrompt, Prompt};
use duress_endpoint::request::ComparisonMethod;
use duress_endpoint::wire::Wire;
use duress_tables::labels::no_class_twice;
use serde_json::{Value, json};

use crate::endpoint::asked_model::AskedModel;
use crate::endpoint::choice::{ChoiceStyle, Choices};
use crate::endpoint::keys::{self, field, server_key};
use crate::endpoint::lazy_client::{LazyClient, seed_in_checkpoint};
use crate::endpoint::ratings::rating_range;
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

const FIELDS: &[Field] = &keys::joined::<{ keys::count(LISTS) }>(LISTS);

const LISTS: &[&[Field]] = &[
    keys::WHOM,
    &[
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
        server_key("range"),
        server_key("schema"),
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
        server_key("system"),
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
    ],
    keys::REQUEST,
    &[field(
        "refusals",
        Takes::Texts,
        Some(""),
        "beginnings of replies that count as refused",
    )],
    keys::LIMITS,
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

/// About so many characters are a token.
const CHARACTERS_PER_TOKEN: u64 = 4;

struct Endpoint {
    client: LazyClient,
    asking: Arc<AskingTerms>,
    identity: String,
    examples: Option<PathBuf>,
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
            client: LazyClient::new(server),
            asking: Arc::new(asking),
            examples,
        })
    }

    fn ready(&self, seed: u32) -> Result<Box<dyn Fitted>, Failure> {
        let terms = Arc::clone(&self.asking);
        Ok(Box::new(AskedModel::new(self.client.get()?, terms, seed)))
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
                range: rating_range(params)?,
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
        Abilities {
            accepts: InputKind::Texts,
            answers: vec![self.asking.question()],
            learns: Learns::Nothing,
            gradients: false,
            reproducible: false,
            batch_tolerance: 0.0,
            at_once: self.client.at_once(),
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
        self.client.remarks()
    }

    fn model(&self) -> Option<&str> {
        Some(&self.asking.model)
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
        let prices = self.client.server.limits.prices;
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
        self.ready(seed_in_checkpoint(checkpoint)?)
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
