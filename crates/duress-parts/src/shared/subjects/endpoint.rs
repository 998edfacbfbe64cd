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
//! is, fences are stripped, and a reply that cannot be read is asked for once more.
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

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use duress_core::answer::{Absence, AbsenceKind, Answers, ItemAnswer, ItemForm};
use duress_core::cost::{Cost, CostEstimate};
use duress_core::data::{InputKind, Items, Text};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{
    Abilities, AtOnce, Failure, Fitted, Intake, ItemByItem, Learns, Lesson, Subject, SubjectPart,
};
use duress_core::word::Word;
use duress_endpoint::chat::{Chat, Message, Role, Sampling};
use duress_endpoint::client::{Client, Server, Told};
use duress_endpoint::prompt::{BadPrompt, Prompt, PromptValues};
use duress_endpoint::reply::{NoAnswer, NoAnswerKind, Reply};
use duress_endpoint::wire::Wire;
use duress_tables::labels::no_class_twice;
use serde_json::{Value, json};

use crate::endpoint::choice::{ChoiceStyle, Choices, letter};
use crate::endpoint::ratings;
use crate::endpoint::settings::{self, SamplingKey};

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
    }
}

duress_core::words! {
    /// Where a class is read from.
    enum ClassFrom {
        Text = "text",
        FirstToken = "first-token",
    }
}

/// How many alternatives of the first token are asked for: as many as any server gives.
const FIRST_TOKENS: u8 = 20;

/// Cells that are asked about at the same time: enough to keep all requests under way, and few
/// enough to be in memory.
const CELLS_AT_ONCE: usize = 16;

/// About so many characters are a token.
const CHARACTERS_PER_TOKEN: u64 = 4;

/// What is read from a reply.
#[derive(Clone, Debug)]
enum Wanted {
    Text,
    ClassInText(Choices),
    ClassInFirstToken(Choices),
    Ratings {
        dimensions: Vec<String>,
        schema: bool,
    },
}

struct Endpoint {
    server: Server,
    asking: Arc<AskingTerms>,
    identity: String,
    examples: Option<PathBuf>,
    /// Made when it is first needed, and shared by all that is fitted: one pool of requests.
    client: Mutex<Option<Arc<Client>>>,
}

/// What every request is made from.
struct AskingTerms {
    model: String,
    prompt: Prompt,
    sampling: Sampling,
    sends_seed: bool,
    wanted: Wanted,
    refusals: Vec<String>,
    examples: Vec<Value>,
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
        };
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
        let made = Client::new(&self.server).map_err(|none| Failure::unable(none.to_string()))?;
        Ok(Arc::clone(client.insert(Arc::new(made))))
    }

    fn ready(&self, seed: u32) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(AskedModel {
            client: self.client()?,
            terms: Arc::clone(&self.asking),
            seed,
            models: Mutex::default(),
        }))
    }
}

/// What decides answers, and no more: how patiently and how many at a time changes none of them.
fn identity(params: &Params, server: &Server) -> Result<String, Problem> {
    let identity = json!({
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
    });
    Ok(identity.to_string())
}

fn wanted(params: &Params, wire: Wire) -> Result<Wanted, Problem> {
    match params.choice("answers") {
        EndpointAnswers::Text => Ok(Wanted::Text),
        EndpointAnswers::Ratings => {
            let dimensions = params.texts("dimensions").to_vec();
            if dimensions.is_empty() {
                return Err(Problem::new("`answers = \"ratings\"` without `dimensions`")
                    .expected("the names of what is rated"));
            }
            let schema = params.flag("schema") && wire.has_schemas();
            Ok(Wanted::Ratings { dimensions, schema })
        }
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

fn choices(params: &Params) -> Result<Choices, Problem> {
    let (classes, style) = (params.texts("classes").to_vec(), params.choice("choices"));
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
        let prompts = texts
            .iter()
            .filter_map(|text| self.asking.messages(text).ok());
        let characters: usize = prompts
            .flatten()
            .map(|message| message.content.chars().count())
            .sum();
        let requests = texts.len() as u64;
        let input_tokens = (characters as u64).div_ceil(CHARACTERS_PER_TOKEN);
        let output_tokens = self.asking.sampling.max_tokens.map(|most| most * requests);
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

impl AskingTerms {
    fn question(&self) -> Question {
        match self.wanted {
            Wanted::Text => Question::Text,
            Wanted::ClassInText(_) | Wanted::ClassInFirstToken(_) => Question::Classes,
            Wanted::Ratings { .. } => Question::Ratings,
        }
    }

    fn choices(&self) -> Option<&Choices> {
        match &self.wanted {
            Wanted::ClassInText(choices) | Wanted::ClassInFirstToken(choices) => Some(choices),
            Wanted::Text | Wanted::Ratings { .. } => None,
        }
    }

    /// What templates know about an item.
    fn values(&self, text: &Text) -> PromptValues {
        let mut values = PromptValues::new();
        if let Some(Choices { classes, .. }) = self.choices() {
            let choice = |(at, name): (usize, &String)| json!({"letter": letter(at), "name": name});
            let choices = classes.iter().enumerate().map(choice).collect();
            values.insert("classes".into(), json!(classes));
            values.insert("choices".into(), Value::Array(choices));
        }
        values.insert("examples".into(), Value::Array(self.examples.clone()));
        let beside = text.all_beside().iter();
        values.extend(beside.map(|(name, value)| (name.clone(), json!(value))));
        values.insert("text".into(), json!(text.text));
        values
    }

    fn messages(&self, text: &Text) -> Result<Vec<Message>, BadPrompt> {
        self.prompt.messages(&self.values(text))
    }

    fn chat(&self, messages: Vec<Message>, seed: u32) -> Chat {
        Chat {
            model: self.model.clone(),
            messages,
            sampling: Sampling {
                seed: self.sends_seed.then_some(i64::from(seed)),
                ..self.sampling.clone()
            },
            first_token: matches!(self.wanted, Wanted::ClassInFirstToken(_))
                .then_some(FIRST_TOKENS),
            schema: match &self.wanted {
                Wanted::Ratings { dimensions, schema } if *schema => {
                    Some(ratings::schema(dimensions))
                }
                _ => None,
            },
            repeat: 0,
        }
    }

    /// What a reply says about an item.
    fn read(&self, reply: &Reply) -> Result<ItemAnswer, NoAnswer> {
        reply.not_refused()?;
        let said = reply.text.trim();
        if self
            .refusals
            .iter()
            .any(|opening| said.starts_with(opening.as_str()))
        {
            return Err(NoAnswer::new(NoAnswerKind::Refused, shown(said)));
        }
        match &self.wanted {
            Wanted::Text => Ok(ItemAnswer::Text(reply.whole_text()?.into())),
            // A class may be named before the reply is cut off.
            Wanted::ClassInText(choices) => match choices.named_in(said) {
                Some(class) => Ok(ItemAnswer::Label(class as u32, None)),
                None => {
                    reply.whole_text()?;
                    let why = format!("the reply names no class, or several: {}", shown(said));
                    Err(NoAnswer::new(NoAnswerKind::Unparsable, why))
                }
            },
            Wanted::ClassInFirstToken(choices) => first_token(reply, choices),
            Wanted::Ratings { dimensions, .. } => {
                let read = ratings::read(reply.whole_text()?, dimensions);
                let unparsable = |why| NoAnswer::new(NoAnswerKind::Unparsable, why);
                read.map(ItemAnswer::Ratings).map_err(unparsable)
            }
        }
    }
}

fn first_token(reply: &Reply, choices: &Choices) -> Result<ItemAnswer, NoAnswer> {
    let unparsable = |why: &str| NoAnswer::new(NoAnswerKind::Unparsable, why);
    if reply.first_token.is_empty() {
        return Err(unparsable(
            "the server gave no log-probabilities: not all of them can",
        ));
    }
    let probabilities = choices.probabilities(&reply.first_token);
    probabilities
        .map(ItemAnswer::Probabilities)
        .ok_or_else(|| unparsable("no class is among the likeliest first tokens"))
}

/// The beginning of a reply, for messages.
fn shown(said: &str) -> String {
    let mut begin: String = said.chars().take(100).collect();
    if begin.len() < said.len() {
        begin.push('…');
    }
    format!("{begin:?}")
}

/// A model that can be asked.
struct AskedModel {
    client: Arc<Client>,
    terms: Arc<AskingTerms>,
    seed: u32,
    /// What the server called the model.
    models: Mutex<BTreeSet<String>>,
}

impl AskedModel {
    fn models(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What came of a request about an item: its answer, or a further request, once.
    fn hear(&self, told: Told, chat: &Chat, may_repair: bool) -> Heard {
        if let Ok(reply) = &told.answer {
            self.models().extend(reply.model.clone());
        }
        let read = match &told.answer {
            Ok(reply) => self.terms.read(reply),
            Err(no) => Err(no.clone()),
        };
        match (read, &self.terms.wanted, &told.answer) {
            (Ok(answer), ..) => Heard::Answer(answer),
            (Err(no), _, _) if no.kind == NoAnswerKind::NotAsked => Heard::NotAsked(no.why),
            (Err(no), Wanted::Ratings { dimensions, .. }, Ok(reply))
                if no.kind == NoAnswerKind::Unparsable && may_repair =>
            {
                let mut further = chat.clone();
                let said = Message::new(Role::Assistant, reply.text.clone());
                let asked = Message::new(Role::User, ratings::repair(&no.why, dimensions));
                further.messages.extend([said, asked]);
                Heard::Further(further)
            }
            (Err(no), ..) => Heard::Answer(ItemAnswer::Absent(absence(no))),
        }
    }
}

/// What came of a request.
enum Heard {
    Answer(ItemAnswer),
    Further(Chat),
    NotAsked(String),
}

fn absence(no: NoAnswer) -> Absence {
    let kind = match no.kind {
        NoAnswerKind::Refused => AbsenceKind::Refused,
        NoAnswerKind::CutOff => AbsenceKind::CutOff,
        NoAnswerKind::Empty => AbsenceKind::Empty,
        NoAnswerKind::Unparsable => AbsenceKind::Unparsable,
        NoAnswerKind::TooLong => AbsenceKind::TooLong,
        NoAnswerKind::Error | NoAnswerKind::NotAsked => AbsenceKind::Failed,
    };
    Absence::new(kind, no.why)
}

impl Fitted for AskedModel {
    fn answer(&self, question: Question, items: &Items) -> Result<Answers, Failure> {
        let kept = GatheringIntake {
            come: Mutex::default(),
        };
        self.answer_items(question, items, &kept)?;
        let mut come = kept
            .come
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let none = || ItemAnswer::Absent(Absence::from("it gave no answer"));
        let all = (0..items.len()).map(|item| come.remove(&item).unwrap_or_else(none));
        Ok(self.form(question).answers(all.collect()))
    }

    fn item_by_item(&self) -> Option<&dyn ItemByItem> {
        Some(self)
    }

    fn checkpoint(&self) -> Vec<u8> {
        self.seed.to_string().into_bytes()
    }

    fn remarks(&self) -> Vec<String> {
        let (models, asked) = (self.models(), &self.terms.model);
        let others: Vec<String> = models
            .iter()
            .filter(|model| *model != asked)
            .map(|model| format!("{model:?}"))
            .collect();
        match others.is_empty() {
            true => Vec::new(),
            false => vec![format!(
                "asked for the model {asked:?}, and the server says it is {}",
                others.join(" and ")
            )],
        }
    }
}

impl ItemByItem for AskedModel {
    fn bounds_its_waiting(&self) -> bool {
        true
    }

    fn form(&self, _question: Question) -> ItemForm {
        match &self.terms.wanted {
            Wanted::Text => ItemForm::Texts,
            Wanted::ClassInText(choices) | Wanted::ClassInFirstToken(choices) => {
                ItemForm::Labels(choices.classes.clone())
            }
            Wanted::Ratings { dimensions, .. } => ItemForm::Ratings(dimensions.clone()),
        }
    }

    fn answer_items(
        &self,
        question: Question,
        items: &Items,
        intake: &dyn Intake,
    ) -> Result<(), Failure> {
        if question != self.terms.question() {
            let answers = self.terms.question();
            return Err(Failure::unable(format!(
                "answers {answers}, was asked for {question}"
            )));
        }
        let fill = |text: &Text| {
            let filled = self.terms.messages(text);
            let filled = filled.map_err(|bad| Failure::unable(bad.to_string()));
            filled.map(|messages| self.terms.chat(messages, self.seed))
        };
        let chats: Vec<Chat> = items.texts()?.iter().map(fill).collect::<Result<_, _>>()?;
        let mut before: BTreeMap<usize, Cost> = BTreeMap::new();
        let mut not_asked = None;
        let asked = chats.clone();
        let mut hear = |item: usize, told: Told| {
            let first = before.remove(&item);
            let cost = told.cost + first.unwrap_or_default();
            match self.hear(told, &asked[item], first.is_none()) {
                Heard::Answer(answer) => intake.keep(item, answer, cost)?,
                Heard::NotAsked(why) => not_asked = Some(why),
                Heard::Further(further) => {
                    before.insert(item, cost);
                    return Ok(Some(further));
                }
            }
            Ok::<_, Failure>(None)
        };
        let stopping = || intake.stopping();
        self.client
            .ask_all(chats, intake.cache(), &stopping, &mut hear)?;
        match not_asked {
            Some(why) if !intake.stopping() => Err(Failure::unable(why)),
            _ => Ok(()),
        }
    }
}

/// Takes answers in where nobody keeps them one by one.
struct GatheringIntake {
    come: Mutex<BTreeMap<usize, ItemAnswer>>,
}

impl Intake for GatheringIntake {
    fn keep(&self, item: usize, answer: ItemAnswer, _cost: Cost) -> Result<(), Failure> {
        let mut come = self.come.lock().unwrap_or_else(PoisonError::into_inner);
        come.insert(item, answer);
        Ok(())
    }

    fn stopping(&self) -> bool {
        false
    }
}
