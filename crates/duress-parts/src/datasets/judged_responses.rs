//! Responses to be judged, each with its prompt and the source it follows from, shipped with duress.
//!
//! # What it does
//! Gives 24 English responses of three to five sentences as texts, with `prompt` and `source` beside them, in the column `topic`: bridges and
//! buildings, exploration, astronomy, biology, geography, technology, history, or earth science. The responses say nothing that is not in
//! their source and are written to be clear and fair.
//!
//! # Why it matters
//! Errors can be put into a text that has none and counted. Sources full of numbers, dates and names make it plain what is false.
//!
//! # Promise
//! Written for duress; the facts are common knowledge in encyclopaedias, checked by memory and not against one. A judge is scored by how it
//! follows the errors put in, so a wrong date in both source and response does no harm. Every response has places for five errors of each
//! kind that can be injected. There is no true score.
//!
//! # Example
//! ```toml
//! [dataset.responses]
//! use = "judged-responses"
//! ```
//!
//! # Reference
//! `crates/duress-parts/data/responses.jsonl`, under duress's own licence.

use duress_core::data::{Dataset, InputKind, Inputs, Items, Source, Split, Text};
use duress_core::part::{Build, Part};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_core::seed::Seed;
use duress_core::truth::Truth;

use crate::responses::RESPONSES;

/// The part.
pub static PART: Part = Part {
    name: "judged-responses",
    version: 1,
    fields: &[],
    source: include_str!("judged_responses.rs"),
    build: Build::Dataset(|_| Ok(Box::new(JudgedResponses))),
};

struct JudgedResponses;

impl Source for JudgedResponses {
    fn kind(&self) -> InputKind {
        InputKind::Texts
    }

    fn offers(&self) -> Question {
        Question::Ratings
    }

    fn varies(&self) -> bool {
        false
    }

    fn load(&self, _seed: Seed) -> Result<Dataset, Problem> {
        let ids = RESPONSES.iter().map(|shipped| shipped.id.clone()).collect();
        let texts = RESPONSES.iter().map(|shipped| {
            let text = Text::new(shipped.response.as_str());
            text.with("prompt", shipped.prompt.as_str()).with("source", shipped.source.as_str())
        });
        let items = Items::new(ids, Inputs::Texts(texts.collect()))?;
        let topics = RESPONSES.iter().map(|shipped| shipped.topic.clone()).collect();
        Dataset::new(None, Split::new(items, Truth::Nothing)?.with_column("topic", topics))
    }
}
