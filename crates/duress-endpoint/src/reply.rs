//! Replies: what a model said, and what is no answer, told apart by kind.

use std::fmt;

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The text, without what it thought aloud.
    pub text: String,
    /// What it thought aloud, where it did.
    pub reasoning: Option<String>,
    /// Why it ended.
    pub finish: Finish,
    /// What the server counted.
    pub usage: Usage,
    /// What the server calls the model.
    pub model: Option<String>,
    /// The alternatives of the first token, likeliest first, where they were asked for and came.
    pub first_token: Vec<TokenChance>,
    /// How alike a text is to each that it was compared with, where that was asked.
    pub likeness: Vec<f64>,
}

/// A token and how likely it was.
#[derive(Clone, Debug, PartialEq)]
pub struct TokenChance {
    /// The token.
    pub token: String,
    /// Its bytes: it may end within a character, which the text cannot show.
    pub bytes: Vec<u8>,
    /// The logarithm of its probability.
    pub log_probability: f64,
}

/// Why a reply ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// It was at its end.
    #[default]
    Complete,
    /// It was longer than it may be.
    Length,
    /// The model, or a filter before it, would not answer; with what was said instead.
    Refused(String),
}

/// Tokens that a server counted; absent where it did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Read.
    pub input: Option<u64>,
    /// Written.
    pub output: Option<u64>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// What kept it away.
    pub kind: NoAnswerKind,
    /// What happened, in words, without any secret.
    pub why: String,
}

/// What kept an answer away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoAnswerKind {
    /// The model would not answer.
    Refused,
    /// The reply broke off before its end.
    CutOff,
    /// The reply holds nothing.
    Empty,
    /// What came is no reply of this format.
    Unparsable,
    /// The prompt is longer than the model takes.
    TooLong,
    /// The server, or the way to it, failed.
    Error,
    /// Nobody was asked: the run is being stopped, the budget is spent, or the server is given up.
    NotAsked,
}

impl NoAnswer {
    /// Why there is none.
    pub fn new(kind: NoAnswerKind, why: impl Into<String>) -> NoAnswer {
        NoAnswer {
            kind,
            why: why.into(),
        }
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl Reply {
    /// The whole text of a reply that is one: neither refused, nor cut off, nor empty.
    pub fn whole_text(&self) -> Result<&str, NoAnswer> {
        self.not_refused()?;
        let text = self.text.trim();
        match self.finish {
            Finish::Length => {
                let why = match self.usage.output {
                    Some(tokens) => format!("the reply was cut off after {tokens} tokens"),
                    None => "the reply was cut off".into(),
                };
                Err(NoAnswer::new(NoAnswerKind::CutOff, why))
            }
            _ if text.is_empty() => Err(NoAnswer::new(
                NoAnswerKind::Empty,
                match self.reasoning {
                    Some(_) => "the reply holds nothing beside its reasoning",
                    None => "the reply holds nothing",
                },
            )),
            _ => Ok(text),
        }
    }

    /// Whether the model answered at all.
    pub fn not_refused(&self) -> Result<(), NoAnswer> {
        match &self.finish {
            Finish::Refused(said) if said.is_empty() => Err(NoAnswer::new(
                NoAnswerKind::Refused,
                "the model, or a filter before it, would not answer",
            )),
            Finish::Refused(said) => {
                Err(NoAnswer::new(NoAnswerKind::Refused, beginning(said, 200)))
            }
            _ => Ok(()),
        }
    }

    /// Takes what stands in `<think>` out of the text. A thought that does not end has no answer
    /// behind it.
    pub(crate) fn set_reasoning_apart(mut self) -> Reply {
        const OPEN: &str = "<think>";
        const CLOSE: &str = "</think>";
        let Some((thought, rest)) = self.text.split_once(CLOSE) else {
            if let Some(thought) = self.text.trim_start().strip_prefix(OPEN) {
                self.reasoning = Some(thought.trim().into());
                self.text = String::new();
            }
            return self;
        };
        // Some templates open the thought in the prompt, so that only its end comes back.
        let thought = thought.trim_start();
        let thought = thought.strip_prefix(OPEN).unwrap_or(thought);
        self.reasoning = Some(thought.trim().into());
        self.text = rest.trim_start().into();
        self
    }
}

/// The beginning of a text, for messages.
pub(crate) fn beginning(text: &str, bytes: usize) -> String {
    let text = text.trim();
    let end = (0..=bytes.min(text.len()))
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    let more = if end < text.len() { " …" } else { "" };
    let line = text[..end].replace(char::is_control, " ");
    format!("{line}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(text: &str) -> Reply {
        Reply {
            text: text.into(),
            ..Reply::default()
        }
    }

    #[test]
    fn thoughts_are_set_apart_wherever_they_open() {
        let check = |text: &str, answer: &str, thought: Option<&str>| {
            let reply = says(text).set_reasoning_apart();
            assert_eq!(reply.text, answer, "{text}");
            assert_eq!(reply.reasoning.as_deref(), thought, "{text}");
        };
        check("B", "B", None);
        check("<think>A or B?</think>\n\nB", "B", Some("A or B?"));
        check("A or B?</think>B", "B", Some("A or B?"));
        check("<think>A or", "", Some("A or"));
    }

    #[test]
    fn only_a_whole_reply_is_a_text() {
        let kind = |reply: &Reply| reply.whole_text().unwrap_err().kind;
        assert_eq!(says(" a tower\n").whole_text().unwrap(), "a tower");
        assert_eq!(kind(&says("  ")), NoAnswerKind::Empty);
        let cut = Reply {
            finish: Finish::Length,
            ..says("a tow")
        };
        assert_eq!(kind(&cut), NoAnswerKind::CutOff);
        let refused = Reply {
            finish: Finish::Refused("I cannot".into()),
            ..says("")
        };
        assert_eq!(kind(&refused), NoAnswerKind::Refused);
    }

    #[test]
    fn a_beginning_ends_between_characters_and_on_one_line() {
        assert_eq!(beginning("猫猫", 4), "猫 …");
        assert_eq!(beginning("a\nb", 9), "a b");
    }
}
