//! A language model that judges responses, through any server that `endpoint` can ask.
//!
//! # What it does
//! `form` says how. *spans*: the model is asked for every error, as words quoted from the response with
//! a subtype; each span is then weighed by `judges` calls of its own, from 0 to 2; the severity of a
//! span is their mean, that of a dimension (T, B, E) Σ weight × severity, and its quality 100 ·
//! exp(−severity / 2). *score*: a number for each of `dimensions`, at once, from 0 to 100 or within
//! `range` (which `mean-rating` reads). *pass-fail*:
//! `pass` is 100 or 0. *pairwise*: which of two responses (`other` stands beside the first) is better,
//! `prefers-first` is 1, 0, or .5 for a tie. With several `judges` the mean is rated, and each call is
//! kept as a dimension of its own (`T-call-1` …), which `interval-coverage` reads.
//!
//! # Why it matters
//! The judge that most people have. A prompt that asks for spans can be followed: each point lost
//! stands at words of the response.
//!
//! # Promise
//! A reply that cannot be read is asked for once more and then is an item without a rating, never a
//! perfect one: also when a quotation does not stand in the response, a subtype is unknown or a number
//! lies outside its scale. Spans are found by what is quoted, not by offsets. Keys, retries, cache,
//! budget and what is no answer are those of `endpoint`.
//!
//! # Example
//! ```toml
//! [subject.judge]
//! use = "llm-judge"
//! base-url = "http://127.0.0.1:8080/v1"
//! model = "meta-llama/Llama-3.1-8B-Instruct"
//! judges = 3
//! ```
//!
//! # Reference
//! Weights and aggregation are in docs/judge.md, servers in docs/endpoint.md; L. Zheng et al., Judging
//! LLM-as-a-judge with MT-Bench and Chatbot Arena, 2023.

use std::sync::Arc;

use duress_core::cost::CostEstimate;
use duress_core::data::{InputKind, Items};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::subject::{Abilities, Failure, Fitted, Learns, Lesson, Subject, SubjectPart};
use duress_core::word::Word;
use duress_endpoint::prompt::BadPrompt;
use serde_json::json;

use crate::endpoint::heard_models::HeardModels;
use crate::endpoint::keys::{self, server_key};
use crate::endpoint::lazy_client::{LazyClient, seed_in_checkpoint};
use crate::endpoint::ratings::rating_range;
use crate::endpoint::settings::{self, SamplingKey};
use crate::judge::frame::asked_judge::AskedJudge;
use crate::judge::frame::judge_dialogue::{JudgeTerms, identity_of_form, prompts};
use crate::judge::frame::judge_form::{JudgeForm, RatedScale};

/// The part.
pub static PART: Part = Part {
    name: "llm-judge",
    version: 1,
    fields: FIELDS,
    source: include_str!("llm_judge.rs"),
    build: Build::Subject(|params| Ok(SubjectPart::Live(Box::new(LlmJudge::new(params)?)))),
};

const FIELDS: &[Field] = &keys::joined::<{ keys::count(LISTS) }>(LISTS);

const LISTS: &[&[Field]] = &[
    keys::WHOM,
    &[
        Field {
            name: "form",
            takes: Takes::Choice(JudgeForm::spellings),
            doc: "how it judges",
            default: Some("spans"),
        },
        Field {
            name: "judges",
            takes: Takes::Whole(1, 100),
            doc: "how many calls weigh each span, or judge the whole",
            default: Some("1"),
        },
        Field {
            name: "dimensions",
            takes: Takes::Texts,
            doc: "what is rated, for `form = \"score\"`; T, B and E where it is left out",
            default: Some(""),
        },
        server_key("range"),
        server_key("schema"),
        server_key("system"),
        Field {
            name: "template",
            takes: Takes::Text,
            doc: "what the user says about a response, as a template; the form's own where it is left out",
            default: Some(""),
        },
        Field {
            name: "span-template",
            takes: Takes::Text,
            doc: "what the user says about a span, as a template that knows `quote` and `subtype` too",
            default: Some(""),
        },
    ],
    keys::REQUEST,
    keys::LIMITS,
];

/// About so many characters are a token.
const CHARACTERS_PER_TOKEN: u64 = 4;

struct LlmJudge {
    client: LazyClient,
    terms: Arc<JudgeTerms>,
    identity: String,
}

impl LlmJudge {
    fn new(params: &Params) -> Result<LlmJudge, Problem> {
        let server = settings::server(params)?;
        let form: JudgeForm = params.choice("form");
        let (whole, span) = (params.text_if("template"), params.text_if("span-template"));
        let bad = |bad: BadPrompt| Problem::new(bad.to_string()).expected("a Jinja template");
        let (sampling, omit) = settings::sampling(params)?;
        let scale = rated_scale(params, form)?;
        let terms = JudgeTerms {
            model: params.text("model").into(),
            form,
            judges: params.count("judges"),
            scale,
            prompts: prompts(form, params.text_if("system"), whole, span).map_err(bad)?,
            sampling,
            sends_seed: !omit.contains(&SamplingKey::Seed),
            schema: params.flag("schema") && server.wire.has_schemas(),
        };
        let identity = json!({
            "server": settings::identity(params, &server)?,
            "form": form,
            "judges": terms.judges,
            "dimensions": terms.scale.dimensions,
            "range": terms.scale.range,
            "templates": identity_of_form(form, whole, span),
        });
        Ok(LlmJudge {
            client: LazyClient::new(server),
            terms: Arc::new(terms),
            identity: identity.to_string(),
        })
    }

    fn ready(&self, seed: u32) -> Result<Box<dyn Fitted>, Failure> {
        Ok(Box::new(AskedJudge {
            client: self.client.get()?,
            terms: Arc::clone(&self.terms),
            seed,
            models: HeardModels::default(),
        }))
    }
}

/// What it rates: scores of whatever the study names, the other forms what they are about.
fn rated_scale(params: &Params, form: JudgeForm) -> Result<RatedScale, Problem> {
    let own = params.texts("dimensions");
    let range = rating_range(params)?;
    let of_scores = |key: &str| {
        Problem::new(format!("`{key}` with `form = \"{form}\"`"))
            .expected("`form = \"score\"`: the others have dimensions and numbers of their own")
    };
    match form {
        JudgeForm::Score => {}
        _ if !own.is_empty() => return Err(of_scores("dimensions")),
        _ if range.is_some() => return Err(of_scores("range")),
        _ => {}
    }
    Ok(RatedScale {
        dimensions: form.dimensions(own),
        range: range.unwrap_or(RatedScale::USUAL_RANGE),
    })
}

impl Subject for LlmJudge {
    fn abilities(&self) -> Abilities {
        Abilities {
            accepts: InputKind::Texts,
            answers: vec![Question::Ratings],
            learns: Learns::Nothing,
            gradients: false,
            reproducible: false,
            batch_tolerance: 0.0,
            at_once: self.client.at_once(),
        }
    }

    fn suits(
        &self,
        _replicate: u64,
        items: &Items,
        _classes: Option<&[String]>,
    ) -> Result<(), Problem> {
        let known = "`text` and the columns beside it; `other` for `form = \"pairwise\"`";
        match items.texts().ok().and_then(|texts| texts.first()) {
            None => Ok(()),
            Some(first) => match self.terms.opening(first, 0) {
                Ok(_) => Ok(()),
                Err(bad) => Err(Problem::new(bad.to_string()).expected(known)),
            },
        }
    }

    fn remarks(&self, _replicate: u64, _items: &Items) -> Vec<String> {
        self.client.remarks()
    }

    fn identity(&self) -> Option<String> {
        Some(self.identity.clone())
    }

    fn model(&self) -> Option<&str> {
        Some(&self.terms.model)
    }

    /// As if there were one span in every response: how many there are nobody knows.
    fn estimate(&self, items: &Items) -> Option<CostEstimate> {
        let texts = items.texts().ok()?;
        let calls = match self.terms.form {
            JudgeForm::Spans => 1 + self.terms.judges as u64,
            _ => self.terms.judges as u64,
        };
        let length = |text| {
            let opening = self.terms.opening(text, 0).ok()?;
            let said = opening
                .messages
                .iter()
                .map(|one| one.content.chars().count());
            Some(said.sum::<usize>() as u64)
        };
        let characters: u64 = texts.iter().filter_map(length).sum();
        let requests = texts.len() as u64 * calls;
        let input_tokens = (characters * calls).div_ceil(CHARACTERS_PER_TOKEN);
        let output_tokens = self.terms.sampling.max_tokens.map(|most| most * requests);
        let prices = self.client.server.limits.prices.zip(output_tokens);
        Some(CostEstimate {
            requests,
            input_tokens,
            output_tokens,
            price: prices.map(|(prices, output)| prices.of(input_tokens, output)),
        })
    }

    fn fit(&self, _lesson: &Lesson<'_>, seed: Seed) -> Result<Box<dyn Fitted>, Failure> {
        self.ready(seed.draws().bits32())
    }

    fn restore(&self, checkpoint: &[u8]) -> Result<Box<dyn Fitted>, Failure> {
        self.ready(seed_in_checkpoint(checkpoint)?)
    }
}
