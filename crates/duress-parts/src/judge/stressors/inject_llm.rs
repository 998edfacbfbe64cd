//! Puts k errors of one kind into a text, written by a language model and kept.
//!
//! # What it does
//! `duress inject STUDY` asks the model for one error after the other, through any server that
//! `endpoint` can ask, and keeps each in `file`. A run reads that file and asks nobody: the text with k
//! errors is the one with k − 1 and exactly one more. Each step is checked: the quoted words stand in
//! the response, something changes, in one span, and errors that were put in before stay as they are.
//! What fails twice is a failed step: it is no error, and the response does not take part at that k and
//! above. `duress review` writes a sheet of the steps; `reviewed` names the sheet with `accepted` or
//! `rejected` in its column `verdict`, and a rejected step counts as a failed one.
//!
//! # Why it matters
//! Errors by rules are alike. A model writes others, and some that are none: hence the checks, and
//! somebody who looks.
//!
//! # Severity
//! The number of errors, a whole number from 0 to 10.
//!
//! # Promise
//! Blind: it sees the text and what stands beside it. The study repeats from the file without the
//! model. Where the judge is the same model, that is said.
//!
//! # Example
//! ```toml
//! [ladder.factual_error]
//! use = "inject-llm"
//! subtype = "factual_error"
//! file = "errors.jsonl"
//! base-url = "http://127.0.0.1:8080/v1"
//! model = "meta-llama/Llama-3.1-8B-Instruct"
//! severities = [1, 2, 3, 4, 5]
//! ```
//!
//! # Reference
//! docs/judge.md; servers are in docs/endpoint.md.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use duress_core::data::{InputKind, Inputs, Items, Text};
use duress_core::part::{Build, Field, Params, Part, Takes};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_core::severity::Severity;
use duress_core::stressor::{
    Blind, PreparedSteps, Pressed, Pressure, Promise, StressStep, Stressor,
};
use duress_core::subject::{Failure, FailureKind};
use duress_core::word::Word;
use duress_endpoint::client::Told;
use duress_endpoint::prompt::Prompt;
use duress_endpoint::request::Request;
use duress_tables::step_verdicts::{StepVerdict, read_step_verdicts};
use duress_text::injection::Injector;

use crate::endpoint::keys::{self, server_key};
use crate::endpoint::lazy_client::LazyClient;
use crate::endpoint::settings;
use crate::judge::frame::error_writing::{AfterReply, ErrorWriting, PUT_IN_ONE, WritingTerms};
use crate::judge::frame::kept_steps::{KeptSteps, StepFile};

/// The part.
pub static PART: Part = Part {
    name: "inject-llm",
    version: 1,
    fields: FIELDS,
    source: include_str!("inject_llm.rs"),
    build: Build::Stressor(|params| Ok(Stressor::Blind(Box::new(InjectLlm::new(params)?)))),
};

const FIELDS: &[Field] = &keys::joined::<{ keys::count(LISTS) }>(LISTS);

const LISTS: &[&[Field]] = &[
    &[
        Field {
            name: "subtype",
            takes: Takes::Choice(Injector::spellings),
            doc: "the kind of error",
            default: None,
        },
        Field {
            name: "file",
            takes: Takes::Text,
            doc: "where the errors are kept, relative to the study; `duress inject` writes it",
            default: None,
        },
        Field {
            name: "reviewed",
            takes: Takes::Text,
            doc: "a sheet of `duress review` with verdicts; rejected steps count as failed",
            default: Some(""),
        },
    ],
    keys::WHOM,
    &[
        server_key("schema"),
        server_key("system"),
        Field {
            name: "template",
            takes: Takes::Text,
            doc: "what the model is told, as a template that knows `text`, `subtype`, `meaning` and the columns beside the text",
            default: Some(""),
        },
    ],
    keys::REQUEST,
    keys::LIMITS,
];

/// The most errors that are put into one text.
const MOST: f64 = 10.0;

struct InjectLlm {
    client: LazyClient,
    terms: WritingTerms,
    kept: KeptSteps,
    out: StepFile,
    verdicts: BTreeMap<String, StepVerdict>,
}

impl InjectLlm {
    fn new(params: &Params) -> Result<InjectLlm, Problem> {
        let server = settings::server(params)?;
        let subtype: Injector = params.choice("subtype");
        let (sampling, _) = settings::sampling(params)?;
        let template = params.text_if("template").unwrap_or(PUT_IN_ONE);
        let prompt = Prompt::new(params.text_if("system"), template)
            .map_err(|bad| Problem::new(bad.to_string()).expected("a Jinja template"))?;
        let within = |file: &str| -> PathBuf { params.folder().join(file) };
        let file = within(params.text("file"));
        let reviewed = params.text_if("reviewed").map(within);
        let terms = WritingTerms {
            model: params.text("model").into(),
            subtype: subtype.word().into(),
            meaning: subtype.meaning(),
            prompt,
            sampling,
            schema: params.flag("schema") && server.wire.has_schemas(),
        };
        Ok(InjectLlm {
            client: LazyClient::new(server),
            kept: KeptSteps::read(&file, &terms.subtype)?,
            out: StepFile {
                path: file,
                subtype: terms.subtype.clone(),
            },
            verdicts: reviewed
                .as_deref()
                .map_or(Ok(BTreeMap::new()), read_step_verdicts)?,
            terms,
        })
    }

    /// The steps that whoever looked at them rejected.
    fn rejected(&self) -> impl Iterator<Item = &String> {
        let all = self.verdicts.iter();
        all.filter(|(_, verdict)| **verdict == StepVerdict::Rejected)
            .map(|(id, _)| id)
    }

    fn first(
        &self,
        items: &Items,
        item: usize,
        severity: &Severity,
    ) -> Result<Vec<StressStep>, String> {
        let count = severity.value();
        if count.fract() != 0.0 || count > MOST {
            return Err(format!(
                "severity {severity}: errors are whole numbers up to {MOST}"
            ));
        }
        let texts = items.texts().map_err(|failure| failure.why)?;
        let (id, text) = (items.ids().get(item), &texts[item]);
        self.kept.first(id, text, count as usize, &self.verdicts)
    }

    /// Asks for what is missing, and keeps every step the moment it is made.
    fn write_missing(&self, items: &Items, most: usize) -> Result<PreparedSteps, Failure> {
        let texts = items.texts()?;
        let mut file = self.out.open().map_err(Failure::unable)?;
        let mut prepared = PreparedSteps {
            items: texts.len(),
            made: 0,
            refused: 0,
        };
        let mut missing = Vec::new();
        let mut writings = Vec::new();
        for (item, text) in texts.iter().enumerate() {
            let own = file.kept.of_item(items.ids().get(item), &text.text);
            if own.steps.len() >= most {
                continue;
            }
            if own.refused.is_some() {
                prepared.refused += 1;
            } else {
                let writing = ErrorWriting::new(&self.terms, text, own);
                writings.push(writing.map_err(|bad| Failure::unable(bad.to_string()))?);
                missing.push(item);
            }
        }
        let requests: Vec<Request> = writings.iter().map(|one| one.asked().into()).collect();
        let mut unheard = None;
        let mut hear = |position: usize, told: Told| {
            let (item, writing) = (missing[position], &mut writings[position]);
            let next = match writing.hear(told.answer, most) {
                AfterReply::Again(chat) => return Ok(Some(Request::Chat(chat))),
                AfterReply::Unheard(why) => {
                    unheard = Some(why);
                    return Ok(None);
                }
                AfterReply::Refused => {
                    prepared.refused += 1;
                    None
                }
                AfterReply::Made(next) => {
                    prepared.made += 1;
                    next
                }
            };
            let kept = file.append_last(items.ids().get(item), &texts[item].text, &writing.own);
            kept.map_err(Failure::unable)?;
            Ok::<_, Failure>(next.map(Request::Chat))
        };
        let client = self.client.get()?;
        client.ask_all(requests, None, &|| false, &mut hear)?;
        match unheard {
            Some(why) => Err(Failure::new(FailureKind::NotAsked, why)),
            None => Ok(prepared),
        }
    }
}

impl Blind for InjectLlm {
    fn pressure(&self) -> Pressure {
        Pressure {
            accepts: InputKind::Texts,
            unit: "errors",
            most: MOST,
            sees_truth: false,
            promise: Promise::KeepsShape,
        }
    }

    fn counts_steps(&self) -> bool {
        true
    }

    fn identity(&self) -> Option<String> {
        let rejected: Vec<&String> = self.rejected().collect();
        Some(format!(
            "{} {} {rejected:?}",
            self.terms.subtype,
            self.kept.fingerprint()
        ))
    }

    fn made_by(&self) -> Option<&str> {
        Some(&self.terms.model)
    }

    fn prepare(&self, items: &Items, most: usize) -> Option<Result<PreparedSteps, Failure>> {
        Some(self.write_missing(items, most))
    }

    fn rejected_elsewhere(&self, items: &Items) -> BTreeSet<String> {
        let mut rejected: BTreeSet<String> = self.rejected().cloned().collect();
        let texts = items.texts().unwrap_or_default();
        for (id, text) in items.ids().iter().zip(texts) {
            for own in self.kept.ids(id, &text.text) {
                rejected.remove(&own);
            }
        }
        rejected
    }

    fn takes_part(&self, items: &Items, item: usize, severity: &Severity, _variant: usize) -> bool {
        self.first(items, item, severity).is_ok()
    }

    fn press(
        &self,
        pressed: Pressed<'_>,
        severity: &Severity,
        _seed: Seed,
    ) -> Result<Items, Failure> {
        let items = pressed.items;
        let press = |(item, text): (usize, &Text)| {
            let Ok(steps) = self.first(items, item, severity) else {
                return text.clone();
            };
            let mut now = text.text.clone();
            for step in steps {
                now.replace_range(step.span, &step.after);
            }
            text.pressed(now)
        };
        let texts = items.texts()?.iter().enumerate().map(press).collect();
        Ok(items.with(Inputs::Texts(texts)))
    }

    fn steps(
        &self,
        items: &Items,
        item: usize,
        severity: &Severity,
        _seed: Seed,
    ) -> Option<Result<Vec<StressStep>, String>> {
        Some(self.first(items, item, severity))
    }
}
