//! A model that puts errors into one text, one at a time: each step is checked before the next is asked
//! for.

use std::ops::Range;

use duress_core::data::Text;
use duress_core::stressor::StressStep;
use duress_endpoint::chat::{Chat, Message, Role, Sampling};
use duress_endpoint::prompt::{BadPrompt, Prompt, PromptValues};
use duress_endpoint::reply::{NoAnswer, NoAnswerKind, Reply};
use duress_text::judge::anchor;
use serde_json::{Value, json};

use crate::endpoint::ratings::object_in;
use crate::judge::frame::kept_steps::ItemSteps;

/// What a model is told, where the study does not.
pub(crate) const PUT_IN_ONE: &str = "{% if prompt is defined and prompt %}Question:\n{{ prompt }}\n\n{% endif %}{% if source is defined and source %}Source:\n{{ source }}\n\n{% endif %}Response:\n{{ text }}\n\nPut exactly one error into the response. Its kind is {{ subtype }}: {{ meaning }}. Change one place, and nothing else. Reply with nothing but JSON: {\"quote\": \"the words that you change, exactly as they stand in the response\", \"replacement\": \"what stands there instead\"}.";

/// What every request is made from.
pub(crate) struct WritingTerms {
    pub(crate) model: String,
    pub(crate) subtype: String,
    pub(crate) meaning: &'static str,
    pub(crate) prompt: Prompt,
    pub(crate) sampling: Sampling,
    pub(crate) schema: bool,
}

impl WritingTerms {
    fn chat(&self, text: &Text, now: &str) -> Result<Chat, BadPrompt> {
        let beside = text.all_beside().iter();
        let mut values: PromptValues = beside
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        values.insert("text".into(), json!(now));
        values.insert("subtype".into(), json!(self.subtype));
        values.insert("meaning".into(), json!(self.meaning));
        Ok(Chat {
            model: self.model.clone(),
            messages: self.prompt.messages(&values)?,
            sampling: self.sampling.clone(),
            first_token: None,
            schema: self.schema.then(schema),
            repeat: 0,
        })
    }
}

fn schema() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "properties": {"quote": text, "replacement": text},
        "required": ["quote", "replacement"],
        "additionalProperties": false,
    })
}

/// What comes of a reply.
pub(crate) enum AfterReply {
    /// One more step was made; this asks for the next, where one is wanted.
    Made(Option<Chat>),
    /// It was none, and is asked for once more.
    Again(Chat),
    /// It was none again: the text takes no further step.
    Refused,
    /// Nothing was said of the text, which can be asked about another time.
    Unheard(String),
}

/// Whether a reply is missing for a reason that has nothing to do with the text.
fn says_nothing_of_the_text(kind: NoAnswerKind) -> bool {
    matches!(kind, NoAnswerKind::Error | NoAnswerKind::NotAsked)
}

/// A text that errors are put into.
pub(crate) struct ErrorWriting<'a> {
    terms: &'a WritingTerms,
    text: &'a Text,
    now: String,
    /// Where earlier errors stand in the text as it is now.
    errors: Vec<Range<usize>>,
    pub(crate) own: ItemSteps,
    asked: Chat,
    repaired: bool,
}

impl<'a> ErrorWriting<'a> {
    /// Goes on where earlier steps ended.
    pub(crate) fn new(
        terms: &'a WritingTerms,
        text: &'a Text,
        own: ItemSteps,
    ) -> Result<ErrorWriting<'a>, BadPrompt> {
        let mut writing = ErrorWriting {
            asked: terms.chat(text, &text.text)?,
            terms,
            text,
            now: text.text.clone(),
            errors: Vec::new(),
            own: ItemSteps::default(),
            repaired: false,
        };
        for step in own.steps {
            writing.take(step);
        }
        writing.asked = terms.chat(text, &writing.now)?;
        Ok(writing)
    }

    /// What was asked last.
    pub(crate) fn asked(&self) -> Chat {
        self.asked.clone()
    }

    /// Takes a reply in. A step that is none is asked for once more.
    pub(crate) fn hear(&mut self, reply: Result<Reply, NoAnswer>, most: usize) -> AfterReply {
        let said = match reply.and_then(|reply| reply.whole_text().map(String::from)) {
            Ok(said) => said,
            Err(no) if says_nothing_of_the_text(no.kind) => return AfterReply::Unheard(no.why),
            Err(no) => return self.refuse(no.why),
        };
        match self.checked(&said) {
            Ok(step) => {
                self.take(step);
                self.repaired = false;
                self.next(most)
            }
            Err(why) if self.repaired => self.refuse(why),
            Err(why) => {
                self.repaired = true;
                let again = format!(
                    "That is not one error put in: {why}. Try again, with nothing but the JSON object."
                );
                let asked = &mut self.asked.messages;
                asked.push(Message::new(Role::Assistant, said));
                asked.push(Message::new(Role::User, again));
                AfterReply::Again(self.asked.clone())
            }
        }
    }

    fn next(&mut self, most: usize) -> AfterReply {
        if self.own.steps.len() >= most {
            return AfterReply::Made(None);
        }
        match self.terms.chat(self.text, &self.now) {
            Ok(chat) => {
                self.asked = chat.clone();
                AfterReply::Made(Some(chat))
            }
            Err(bad) => AfterReply::Unheard(bad.to_string()),
        }
    }

    fn refuse(&mut self, why: String) -> AfterReply {
        self.own.refused = Some(why);
        AfterReply::Refused
    }

    /// The step that a reply describes: it changes the text, in one span, and leaves earlier errors as
    /// they are.
    fn checked(&self, said: &str) -> Result<StressStep, String> {
        let json: Value = serde_json::from_str(object_in(said))
            .map_err(|why| format!("the reply is no JSON object: {why}"))?;
        let field = |name: &str| {
            json[name]
                .as_str()
                .ok_or(format!("the reply has no `{name}`"))
        };
        let (quote, replacement) = (field("quote")?, field("replacement")?);
        let place = anchor(&self.now, quote, &[])
            .ok_or_else(|| format!("{quote:?} does not stand in the response"))?;
        let (span, after) = smallest_change(&self.now, place, replacement);
        let before = self.now[span.clone()].to_string();
        if before == after {
            return Err("nothing was changed".into());
        }
        if 2 * span.len() > self.now.len() {
            return Err("more than half of the response was changed".into());
        }
        // Closed at both ends: what was taken out is an error of no length, and what is put in
        // beside it could be the same again.
        let touches = |error: &&Range<usize>| span.start <= error.end && error.start <= span.end;
        match self.errors.iter().find(touches) {
            Some(error) => Err(format!(
                "{:?} was put in before and has to stay",
                &self.now[error.clone()]
            )),
            None => Ok(StressStep {
                kind: self.terms.subtype.clone(),
                by: self.terms.model.clone(),
                span,
                before,
                after,
            }),
        }
    }

    fn take(&mut self, step: StressStep) {
        let by = step.after.len() as isize - step.span.len() as isize;
        for error in &mut self.errors {
            if error.start >= step.span.end {
                *error = error.start.saturating_add_signed(by)..error.end.saturating_add_signed(by);
            }
        }
        self.now.replace_range(step.span.clone(), &step.after);
        self.errors
            .push(step.span.start..step.span.start + step.after.len());
        self.own.steps.push(step);
    }
}

/// What differs between the text at a place and what replaces it, without what both begin and end
/// with.
fn smallest_change(text: &str, place: Range<usize>, replacement: &str) -> (Range<usize>, String) {
    let old = &text[place.clone()];
    let same = |(one, other): &(char, char)| one == other;
    let begin: usize = old
        .chars()
        .zip(replacement.chars())
        .take_while(same)
        .map(|(one, _)| one.len_utf8())
        .sum();
    let (old, new) = (&old[begin..], &replacement[begin..]);
    let end: usize = old
        .chars()
        .rev()
        .zip(new.chars().rev())
        .take_while(same)
        .map(|(one, _)| one.len_utf8())
        .sum();
    let span = place.start + begin..place.end - end;
    (span, new[..new.len() - end].to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_what_differs_and_no_more() {
        let change = |text: &str, new: &str| smallest_change(text, 0..text.len(), new);
        assert_eq!(change("in 1889.", "in 1789."), (4..5, "7".into()));
        assert_eq!(
            change("It is.", "It is. So it is."),
            (6..6, " So it is.".into())
        );
        assert_eq!(change("größer", "größer"), (8..8, String::new()));
        assert_eq!(change("aé", "aè"), (1..3, "è".into()));
    }
}
