//! What every request of an endpoint is made from, and what its replies mean.

use duress_core::answer::{ItemAnswer, ItemForm};
use duress_core::data::Text;
use duress_core::question::Question;
use duress_endpoint::chat::{Chat, Message, Role, Sampling};
use duress_endpoint::prompt::{BadPrompt, Prompt, PromptValues};
use duress_endpoint::reply::{NoAnswer, NoAnswerKind, Reply};
use duress_endpoint::request::{Comparison, ComparisonMethod, Request, TokenMatch};
use duress_text::dense_tokens::PAIRS;
use duress_text::token;
use serde_json::{Value, json};

use super::choice::{Choices, letter};
use super::ratings::{self, RatingRange};

/// How many alternatives of the first token are asked for: as many as any server gives.
const FIRST_TOKENS: u8 = 20;

/// What is read from a reply.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    Text,
    ClassInText(Choices),
    ClassInFirstToken(Choices),
    Ratings {
        dimensions: Vec<String>,
        schema: bool,
        /// What the study says they lie between.
        range: Option<RatingRange>,
    },
    /// How alike the text is to what stands beside it, in a column and those numbered after it.
    Likeness {
        by: LikenessMethod,
        against: String,
    },
}

/// Who says how alike two texts are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LikenessMethod {
    /// Whoever compares whole texts.
    Whole(ComparisonMethod),
    /// Embeddings of tokens, matched greedily.
    Tokens,
}

impl LikenessMethod {
    /// Whether embeddings are compared.
    fn embeds(self) -> bool {
        !matches!(self, LikenessMethod::Whole(ComparisonMethod::Rerank))
    }

    /// What is rated.
    fn dimension(self) -> &'static str {
        match self {
            LikenessMethod::Whole(ComparisonMethod::Embeddings) => "similarity",
            LikenessMethod::Whole(ComparisonMethod::Rerank) => "relevance",
            LikenessMethod::Tokens => "token-match",
        }
    }
}

/// What every request is made from.
pub(crate) struct AskingTerms {
    pub(crate) model: String,
    pub(crate) prompt: Prompt,
    pub(crate) sampling: Sampling,
    pub(crate) sends_seed: bool,
    pub(crate) wanted: Wanted,
    pub(crate) refusals: Vec<String>,
    pub(crate) examples: Vec<Value>,
    /// How often each item is asked about.
    pub(crate) repeats: u32,
}

impl AskingTerms {
    pub(crate) fn question(&self) -> Question {
        match self.wanted {
            Wanted::Text => Question::Text,
            Wanted::ClassInText(_) | Wanted::ClassInFirstToken(_) => Question::Classes,
            Wanted::Ratings { .. } | Wanted::Likeness { .. } => Question::Ratings,
        }
    }

    pub(crate) fn form(&self) -> ItemForm {
        match &self.wanted {
            Wanted::Text => ItemForm::Texts,
            Wanted::ClassInText(choices) | Wanted::ClassInFirstToken(choices) => {
                ItemForm::Labels(choices.classes.clone())
            }
            Wanted::Ratings { dimensions, .. } => ItemForm::Ratings(dimensions.clone()),
            Wanted::Likeness { by, .. } => ItemForm::Ratings(vec![by.dimension().into()]),
        }
    }

    pub(crate) fn choices(&self) -> Option<&Choices> {
        match &self.wanted {
            Wanted::ClassInText(choices) | Wanted::ClassInFirstToken(choices) => Some(choices),
            Wanted::Text | Wanted::Ratings { .. } | Wanted::Likeness { .. } => None,
        }
    }

    /// What templates know about an item.
    pub(crate) fn values(&self, text: &Text) -> PromptValues {
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

    pub(crate) fn messages(&self, text: &Text) -> Result<Vec<Message>, BadPrompt> {
        self.prompt.messages(&self.values(text))
    }

    /// What is sent about an item for the `repeat`th time, from 0; why not, where that cannot be.
    pub(crate) fn request(&self, text: &Text, seed: u32, repeat: u32) -> Result<Request, String> {
        if let Wanted::Likeness { by, against } = &self.wanted {
            return self.likeness(text, *by, against);
        }
        let messages = self.messages(text).map_err(|bad| bad.to_string())?;
        Ok(Request::Chat(self.chat(messages, seed, repeat)))
    }

    /// What is known of an item without asking: servers embed no empty text, and it is like nothing.
    /// A reranker's scores have no zero, so it is asked.
    pub(crate) fn answer_unasked(&self, text: &Text) -> Option<ItemAnswer> {
        let embeds = match &self.wanted {
            Wanted::Likeness { by, .. } => by.embeds(),
            _ => false,
        };
        (embeds && text.text.trim().is_empty()).then(|| ItemAnswer::Ratings(vec![0.0]))
    }

    /// How many characters are sent about an item.
    pub(crate) fn characters(&self, text: &Text) -> usize {
        let length = |text: &String| text.chars().count();
        match self.request(text, 0, 0) {
            Ok(Request::Chat(chat)) => {
                let said = chat.messages.iter().map(|message| &message.content);
                said.map(length).sum()
            }
            Ok(Request::Comparison(asked)) => {
                asked.with.iter().chain([&asked.text]).map(length).sum()
            }
            Ok(Request::TokenMatch(asked)) => {
                let tokens = asked.with.iter().chain([&asked.text]).flatten();
                tokens.map(length).sum()
            }
            Err(_) => 0,
        }
    }

    fn chat(&self, messages: Vec<Message>, seed: u32, repeat: u32) -> Chat {
        let seed = i64::from(seed.wrapping_add(repeat));
        Chat {
            model: self.model.clone(),
            messages,
            sampling: Sampling {
                seed: self.sends_seed.then_some(seed),
                ..self.sampling.clone()
            },
            first_token: matches!(self.wanted, Wanted::ClassInFirstToken(_))
                .then_some(FIRST_TOKENS),
            schema: match &self.wanted {
                Wanted::Ratings {
                    dimensions,
                    schema: true,
                    ..
                } => Some(ratings::schema(dimensions)),
                _ => None,
            },
            repeat,
        }
    }

    fn likeness(&self, text: &Text, by: LikenessMethod, against: &str) -> Result<Request, String> {
        let numbered = (2..).map(|nth| format!("{against}-{nth}"));
        let names = std::iter::once(against.to_string()).chain(numbered);
        let with: Vec<String> = names
            .map_while(|name| text.beside(&name).map(String::from))
            .collect();
        if with.is_empty() {
            return Err(format!("nothing called `{against}` stands beside the text"));
        }
        let model = self.model.clone();
        Ok(match by {
            LikenessMethod::Whole(by) => Request::Comparison(Comparison {
                model,
                by,
                text: text.text.clone(),
                with,
            }),
            LikenessMethod::Tokens => Request::TokenMatch(TokenMatch {
                model,
                text: matched_tokens(&text.text),
                with: with.iter().map(|other| matched_tokens(other)).collect(),
            }),
        })
    }

    /// What a reply says about an item.
    pub(crate) fn read(&self, reply: &Reply) -> Result<ItemAnswer, NoAnswer> {
        reply.not_refused()?;
        let said = reply.text.trim();
        let opens = |opening: &String| said.starts_with(opening.as_str());
        if self.refusals.iter().any(opens) {
            return Err(NoAnswer::new(NoAnswerKind::Refused, shown(said)));
        }
        match &self.wanted {
            Wanted::Text => Ok(ItemAnswer::Text(reply.whole_text()?.into())),
            Wanted::ClassInText(choices) => class_in_text(reply, choices),
            Wanted::ClassInFirstToken(choices) => first_token(reply, choices),
            Wanted::Ratings {
                dimensions, range, ..
            } => {
                let read = ratings::read(reply.whole_text()?, dimensions, range.as_ref());
                let unparsable = |why| NoAnswer::new(NoAnswerKind::Unparsable, why);
                read.map(ItemAnswer::Ratings).map_err(unparsable)
            }
            Wanted::Likeness { .. } => {
                // The reference that it is most like is the one it was meant to say.
                let most = reply
                    .likeness
                    .iter()
                    .copied()
                    .fold(f64::NEG_INFINITY, f64::max);
                Ok(ItemAnswer::Ratings(vec![most]))
            }
        }
    }

    /// The further request to a model whose reply could not be read, where one is made.
    pub(crate) fn repair(&self, asked: &Request, reply: &Reply, why: &str) -> Option<Request> {
        let (Wanted::Ratings { dimensions, .. }, Request::Chat(chat)) = (&self.wanted, asked)
        else {
            return None;
        };
        let mut further = chat.clone();
        let said = Message::new(Role::Assistant, reply.text.clone());
        let asked = Message::new(Role::User, ratings::repair(why, dimensions));
        further.messages.extend([said, asked]);
        Some(Request::Chat(further))
    }
}

/// The tokens that are matched: words, and pairs of neighbours where a script has no spaces. A text
/// that has none is matched whole.
fn matched_tokens(text: &str) -> Vec<String> {
    let tokens = token::largest_terms(text, &PAIRS);
    match tokens.is_empty() {
        true => vec![text.into()],
        false => tokens,
    }
}

/// A class may be named before the reply is cut off.
fn class_in_text(reply: &Reply, choices: &Choices) -> Result<ItemAnswer, NoAnswer> {
    if let Some(class) = choices.named_in(reply.text.trim()) {
        return Ok(ItemAnswer::Label(class as u32, None));
    }
    let said = shown(reply.whole_text()?);
    let why = format!("the reply names no class, or several: {said}");
    Err(NoAnswer::new(NoAnswerKind::Unparsable, why))
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
