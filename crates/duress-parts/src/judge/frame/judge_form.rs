//! What a model that judges is asked for, and what its replies mean.

use duress_core::data::Text;
use duress_core::number;
use duress_endpoint::prompt::{Prompt, PromptValues};
use duress_text::judge::{Category, FoundError, SUBTYPES, Subtype, anchor, quality, severity};
use serde_json::{Value, json};

use crate::endpoint::ratings::{self, RatingRange, object_in};
use crate::judge::frame::both_orders::PREFERS_FIRST;

duress_core::words! {
    /// How a model judges.
    pub(crate) enum JudgeForm {
        /// It names spans with errors, and each span is weighed.
        Spans = "spans",
        /// A number for each dimension, at once.
        Score = "score",
        /// Pass or fail.
        PassFail = "pass-fail",
        /// Which of two responses is better.
        Pairwise = "pairwise",
    }
}

/// More spans than this in one reply are a model that does not stop.
const MOST_SPANS: usize = 30;

/// The most that a span can weigh; 1 is one plain error.
const GRAVEST: f64 = 2.0;

/// The best that a score can be.
const BEST: f64 = 100.0;

/// What stands around every response.
const CONTEXT: &str = "{% if prompt is defined and prompt %}Question:\n{{ prompt }}\n\n{% endif %}{% if source is defined and source %}Source:\n{{ source }}\n\n{% endif %}";

const FIND_SPANS: &str = "Response:\n{{ text }}\n\nList every error in the response. Kinds: {{ subtypes | join(', ') }}. Quote the words of the response exactly as they stand. Reply with nothing but JSON: {\"spans\": [{\"quote\": \"...\", \"subtype\": \"...\", \"explanation\": \"...\"}]}. Without an error reply {\"spans\": []}.";

const WEIGH_SPAN: &str = "Response:\n{{ text }}\n\nSomebody says that {{ quote | tojson }} in it is an error of the kind {{ subtype }}. How bad is it? 0: no error at all; 0.5: slight; 1: one plain error; 2: grave. Reply with nothing but JSON: {\"severity\": 1}.";

const SCORE: &str = "Response:\n{{ text }}\n\nRate the response from {{ lowest }} (worst) to {{ highest }} (flawless) in each of {{ dimensions | join(', ') }} (T is trustworthiness, B freedom from bias, E clarity of explanation). Reply with nothing but JSON: {{ example }}.";

const PASS_FAIL: &str = "Response:\n{{ text }}\n\nIs the response right, fair and clear? Reply with nothing but JSON: {\"verdict\": \"pass\"} or {\"verdict\": \"fail\"}.";

const PAIRWISE: &str = "First response:\n{{ text }}\n\nSecond response:\n{{ other }}\n\nWhich response is better? Reply with nothing but JSON: {\"better\": \"first\"}, {\"better\": \"second\"} or {\"better\": \"tie\"}.";

impl JudgeForm {
    /// What the user says first, where the study does not.
    pub(crate) fn template(self) -> String {
        let asks = match self {
            JudgeForm::Spans => FIND_SPANS,
            JudgeForm::Score => SCORE,
            JudgeForm::PassFail => PASS_FAIL,
            JudgeForm::Pairwise => PAIRWISE,
        };
        format!("{CONTEXT}{asks}")
    }

    /// What the user says about a span, where the study does not.
    pub(crate) fn span_template() -> String {
        format!("{CONTEXT}{WEIGH_SPAN}")
    }

    /// The dimensions of its ratings; only scores have some of the study's own.
    pub(crate) fn dimensions(self, own: &[String]) -> Vec<String> {
        match self {
            JudgeForm::Score if !own.is_empty() => own.to_vec(),
            JudgeForm::Score | JudgeForm::Spans => {
                Category::ALL.iter().map(ToString::to_string).collect()
            }
            JudgeForm::PassFail => vec!["pass".into()],
            JudgeForm::Pairwise => vec![PREFERS_FIRST.into()],
        }
    }

    /// The schema of the first reply.
    pub(crate) fn schema(self, dimensions: &[String]) -> Value {
        match self {
            JudgeForm::Score => ratings::schema(dimensions),
            JudgeForm::PassFail => object_of("verdict", json!({"enum": ["pass", "fail"]})),
            JudgeForm::Pairwise => object_of("better", json!({"enum": ["first", "second", "tie"]})),
            JudgeForm::Spans => {
                let names: Vec<&str> = SUBTYPES.iter().map(|subtype| subtype.name).collect();
                let text = json!({"type": "string"});
                let span = json!({
                    "type": "object",
                    "properties": {"quote": text, "subtype": {"enum": names}, "explanation": text},
                    "required": ["quote", "subtype"],
                });
                let most = MOST_SPANS;
                object_of(
                    "spans",
                    json!({"type": "array", "items": span, "maxItems": most}),
                )
            }
        }
    }

    /// The ratings in a reply that says everything at once, or what is wrong with it.
    pub(crate) fn read(self, said: &str, scale: &RatedScale) -> Result<Vec<f64>, String> {
        match self {
            JudgeForm::Score => ratings::read(said, &scale.dimensions, Some(&scale.range)),
            JudgeForm::PassFail => one_word(said, "verdict", &[("pass", BEST), ("fail", 0.0)]),
            JudgeForm::Pairwise => one_word(
                said,
                "better",
                &[("first", 1.0), ("second", 0.0), ("tie", 0.5)],
            ),
            JudgeForm::Spans => Err("spans are read one by one".into()),
        }
    }
}

fn object_of(name: &str, value: Value) -> Value {
    json!({
        "type": "object",
        "properties": {name: value},
        "required": [name],
        "additionalProperties": false,
    })
}

/// The schema of what is said about a span.
pub(crate) fn severity_schema() -> Value {
    object_of("severity", json!({"type": "number"}))
}

/// What is rated, and between which numbers.
pub(crate) struct RatedScale {
    pub(crate) dimensions: Vec<String>,
    pub(crate) range: RatingRange,
}

impl RatedScale {
    /// The range where the study names none.
    pub(crate) const USUAL_RANGE: RatingRange = 0.0..=BEST;
}

/// What templates know about an item beside what its own columns say.
pub(crate) fn prompt_values(text: &Text, scale: &RatedScale) -> PromptValues {
    let RatedScale { dimensions, range } = scale;
    let example: serde_json::Map<String, Value> = dimensions
        .iter()
        .map(|name| (name.clone(), json!(range.end())))
        .collect();
    let subtypes: Vec<&str> = SUBTYPES.iter().map(|subtype| subtype.name).collect();
    let mut values = PromptValues::new();
    values.insert("subtypes".into(), json!(subtypes));
    values.insert("dimensions".into(), json!(dimensions));
    values.insert("lowest".into(), json!(number::tidy(*range.start())));
    values.insert("highest".into(), json!(number::tidy(*range.end())));
    values.insert("example".into(), json!(Value::Object(example).to_string()));
    let beside = text.all_beside().iter();
    values.extend(beside.map(|(name, value)| (name.clone(), json!(value))));
    values.insert("text".into(), json!(text.text));
    values
}

/// Both prompts of a judge: about the whole, and about a span.
pub(crate) struct JudgePrompts {
    pub(crate) whole: Prompt,
    pub(crate) span: Prompt,
}

fn json_in(said: &str) -> Result<Value, String> {
    serde_json::from_str(object_in(said))
        .map_err(|why| format!("the reply is no JSON object: {why}"))
}

/// The number that the word under `key` stands for.
fn one_word(said: &str, key: &str, words: &[(&str, f64)]) -> Result<Vec<f64>, String> {
    let json = json_in(said)?;
    let word = json[key].as_str().unwrap_or_default().to_lowercase();
    let found = words.iter().find(|(name, _)| *name == word);
    let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
    let none = || {
        format!(
            "`{key}` of the reply is {}, not {}",
            json[key],
            names.join(" or ")
        )
    };
    found.map(|(_, number)| vec![*number]).ok_or_else(none)
}

/// A span that a model named, found in the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TaggedSpan {
    pub(crate) subtype: Subtype,
    pub(crate) span: std::ops::Range<usize>,
}

/// The spans that a reply names. One that is not in the text, or of a kind that is none, makes the
/// reply unreadable: left out in silence, it would be a better score.
pub(crate) fn read_spans(said: &str, text: &str) -> Result<Vec<TaggedSpan>, String> {
    let json = json_in(said)?;
    let named = json["spans"]
        .as_array()
        .ok_or("the reply has no list `spans`")?;
    if named.len() > MOST_SPANS {
        return Err(format!(
            "the reply names {} spans, more than {MOST_SPANS}",
            named.len()
        ));
    }
    let mut spans: Vec<TaggedSpan> = Vec::new();
    for one in named {
        let field = |name: &str| one[name].as_str().ok_or(format!("a span has no `{name}`"));
        let (quote, subtype) = (field("quote")?, field("subtype")?);
        let subtype = Subtype::named(subtype).map_err(|unknown| unknown.to_string())?;
        let taken: Vec<_> = spans.iter().map(|span| span.span.clone()).collect();
        let span = anchor(text, quote, &taken)
            .ok_or_else(|| format!("{quote:?} does not stand in the response"))?;
        let tagged = TaggedSpan { subtype, span };
        if !spans.contains(&tagged) {
            spans.push(tagged);
        }
    }
    Ok(spans)
}

/// How bad a judge says that a span is.
pub(crate) fn read_severity(said: &str) -> Result<f64, String> {
    let json = json_in(said)?;
    let number = json["severity"].as_f64();
    number
        .filter(|severity| (0.0..=GRAVEST).contains(severity))
        .ok_or_else(|| {
            format!(
                "`severity` of the reply is {}, not a number from 0 to {GRAVEST}",
                json["severity"]
            )
        })
}

/// The quality of each category, given how bad each span is.
pub(crate) fn span_qualities(spans: &[TaggedSpan], severities: &[f64]) -> Vec<f64> {
    let both = spans.iter().zip(severities);
    let found: Vec<FoundError> = both
        .map(|(tagged, severity)| FoundError {
            subtype: tagged.subtype,
            span: tagged.span.clone(),
            severity: *severity,
        })
        .collect();
    let of_category = |category: &Category| quality(severity(&found, *category));
    Category::ALL.iter().map(of_category).collect()
}
