//! What is said between us and a model that judges one item, until there are ratings: requests follow
//! from replies.

use duress_core::data::Text;
use duress_endpoint::chat::{Chat, Message, Role, Sampling};
use duress_endpoint::prompt::{BadPrompt, Prompt};
use duress_endpoint::reply::{NoAnswer, NoAnswerKind, Reply};
use serde_json::{Value, json};

use crate::judge::frame::judge_form::{
    JudgeForm, JudgePrompts, RatedScale, TaggedSpan, prompt_values, read_severity, read_spans,
    severity_schema, span_qualities,
};

/// What every request of a judge is made from.
pub(crate) struct JudgeTerms {
    pub(crate) model: String,
    pub(crate) form: JudgeForm,
    /// How often it is asked: about the whole, or about each span.
    pub(crate) judges: usize,
    pub(crate) scale: RatedScale,
    pub(crate) prompts: JudgePrompts,
    pub(crate) sampling: Sampling,
    pub(crate) sends_seed: bool,
    pub(crate) schema: bool,
}

/// What comes next.
pub(crate) enum NextTurn {
    Ask(Chat),
    Rated(Vec<f64>),
}

/// A dialogue about one item.
pub(crate) struct Dialogue<'a> {
    terms: &'a JudgeTerms,
    text: &'a Text,
    seed: u32,
    stage: Stage,
    asked: Chat,
    /// Whether what was asked last is asked for the second time, because it could not be read.
    repaired: bool,
}

enum Stage {
    /// The ratings of each time that a judge says everything at once.
    Whole(Vec<Vec<f64>>),
    Tagging,
    /// Span by span, and judge by judge within.
    Weighing(Vec<TaggedSpan>, Vec<f64>),
}

impl JudgeTerms {
    /// The dimensions of ratings: those of the form, and with several judges those of each.
    pub(crate) fn all_dimensions(&self) -> Vec<String> {
        let calls = 1..=self.judges;
        let each = calls.flat_map(|call| {
            let names = self.scale.dimensions.iter();
            names.map(move |name| format!("{name}-call-{call}"))
        });
        let own = self.scale.dimensions.iter().cloned();
        match self.judges {
            1 => own.collect(),
            _ => own.chain(each).collect(),
        }
    }

    /// The first request about an item.
    pub(crate) fn opening(&self, text: &Text, seed: u32) -> Result<Chat, BadPrompt> {
        self.chat(&self.prompts.whole, text, (None, 0), seed)
    }

    fn chat(
        &self,
        prompt: &Prompt,
        text: &Text,
        (span, call): (Option<&TaggedSpan>, usize),
        seed: u32,
    ) -> Result<Chat, BadPrompt> {
        let mut values = prompt_values(text, &self.scale);
        if let Some(tagged) = span {
            values.insert("quote".into(), json!(text.text[tagged.span.clone()]));
            values.insert("subtype".into(), json!(tagged.subtype.name));
        }
        let schema = || match span {
            Some(_) => severity_schema(),
            None => self.form.schema(&self.scale.dimensions),
        };
        let seed = i64::from(seed.wrapping_add(call as u32));
        Ok(Chat {
            model: self.model.clone(),
            messages: prompt.messages(&values)?,
            sampling: Sampling {
                seed: self.sends_seed.then_some(seed),
                ..self.sampling.clone()
            },
            first_token: None,
            schema: self.schema.then(schema),
            repeat: call as u32,
        })
    }

    /// What all judges said together: their mean, and each of them where there are several.
    fn together(&self, calls: &[Vec<f64>], mean: Vec<f64>) -> Vec<f64> {
        match self.judges {
            1 => mean,
            _ => mean.into_iter().chain(calls.concat()).collect(),
        }
    }
}

impl<'a> Dialogue<'a> {
    pub(crate) fn new(
        terms: &'a JudgeTerms,
        text: &'a Text,
        seed: u32,
    ) -> Result<Dialogue<'a>, BadPrompt> {
        Ok(Dialogue {
            terms,
            text,
            seed,
            stage: match terms.form {
                JudgeForm::Spans => Stage::Tagging,
                _ => Stage::Whole(Vec::new()),
            },
            asked: terms.opening(text, seed)?,
            repaired: false,
        })
    }

    /// What was asked last.
    pub(crate) fn asked(&self) -> Chat {
        self.asked.clone()
    }

    /// What follows from a reply. One that cannot be read is asked for once more; then the item has
    /// no rating.
    pub(crate) fn hear(&mut self, reply: &Reply) -> Result<NextTurn, NoAnswer> {
        let said = reply.whole_text()?;
        let next = match self.read(said) {
            Ok(next) => {
                self.repaired = false;
                next
            }
            Err(why) if self.repaired => return Err(NoAnswer::new(NoAnswerKind::Unparsable, why)),
            Err(why) => {
                self.repaired = true;
                NextTurn::Ask(self.repair(said, &why))
            }
        };
        if let NextTurn::Ask(chat) = &next {
            self.asked = chat.clone();
        }
        Ok(next)
    }

    fn repair(&self, said: &str, why: &str) -> Chat {
        let mut further = self.asked.clone();
        let again =
            format!("That could not be read: {why}. Reply with nothing but the JSON object.");
        further.messages.push(Message::new(Role::Assistant, said));
        further.messages.push(Message::new(Role::User, again));
        further
    }

    fn read(&mut self, said: &str) -> Result<NextTurn, String> {
        match &mut self.stage {
            Stage::Whole(calls) => {
                calls.push(self.terms.form.read(said, &self.terms.scale)?);
            }
            Stage::Tagging => {
                self.stage = Stage::Weighing(read_spans(said, &self.text.text)?, Vec::new());
            }
            Stage::Weighing(_, severities) => severities.push(read_severity(said)?),
        }
        self.next()
    }

    fn next(&self) -> Result<NextTurn, String> {
        let (terms, judges) = (self.terms, self.terms.judges);
        let next = match &self.stage {
            Stage::Whole(calls) if calls.len() < judges => terms.chat(
                &terms.prompts.whole,
                self.text,
                (None, calls.len()),
                self.seed,
            ),
            Stage::Whole(calls) => {
                let mean = mean_of_calls(calls);
                return Ok(NextTurn::Rated(terms.together(calls, mean)));
            }
            Stage::Weighing(spans, said) if said.len() < spans.len() * judges => {
                let (span, call) = (&spans[said.len() / judges], said.len() % judges);
                terms.chat(
                    &terms.prompts.span,
                    self.text,
                    (Some(span), call),
                    self.seed,
                )
            }
            Stage::Weighing(spans, said) => {
                return Ok(NextTurn::Rated(weighed(terms, spans, said)));
            }
            Stage::Tagging => terms.opening(self.text, self.seed),
        };
        next.map(NextTurn::Ask).map_err(|bad| bad.to_string())
    }
}

fn mean_of_calls(calls: &[Vec<f64>]) -> Vec<f64> {
    let width = calls.first().map_or(0, Vec::len);
    let mean = |at: usize| calls.iter().map(|call| call[at]).sum::<f64>() / calls.len() as f64;
    (0..width).map(mean).collect()
}

/// Qualities by the mean severity of each span, and by each judge alone.
fn weighed(terms: &JudgeTerms, spans: &[TaggedSpan], said: &[f64]) -> Vec<f64> {
    let judges = terms.judges;
    let means: Vec<f64> = said
        .chunks(judges)
        .map(|of_span| of_span.iter().sum::<f64>() / judges as f64)
        .collect();
    let of_judge = |judge: usize| {
        let own: Vec<f64> = said.iter().skip(judge).step_by(judges).copied().collect();
        span_qualities(spans, &own)
    };
    let calls: Vec<Vec<f64>> = (0..judges).map(of_judge).collect();
    terms.together(&calls, span_qualities(spans, &means))
}

/// A template of the study, or the one that comes with the form.
pub(crate) fn prompts(
    form: JudgeForm,
    system: Option<&str>,
    whole: Option<&str>,
    span: Option<&str>,
) -> Result<JudgePrompts, BadPrompt> {
    let whole = whole.map_or_else(|| form.template(), String::from);
    let span = span.map_or_else(JudgeForm::span_template, String::from);
    Ok(JudgePrompts {
        whole: Prompt::new(system, &whole)?,
        span: Prompt::new(system, &span)?,
    })
}

/// What decides a judge's answers, beside the server.
pub(crate) fn identity_of_form(form: JudgeForm, whole: Option<&str>, span: Option<&str>) -> Value {
    json!({
        "whole": whole.map_or_else(|| form.template(), String::from),
        "span": span.map_or_else(JudgeForm::span_template, String::from),
    })
}
