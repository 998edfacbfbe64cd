//! Numbers that the documents quote are the numbers that the studies give.

use serde_json::Value;

use crate::findings;
use crate::shipped::STUDIES;
use crate::step::{Done, root};
use crate::studies::runs;

/// A text that a document must contain, and where each of its braces is filled from: a gauge at a
/// place of a study's findings.
struct Quote {
    document: &'static str,
    study: &'static str,
    /// The text, with `{}` for each number.
    text: &'static str,
    numbers: &'static [QuotedNumber],
}

/// One number of the findings: its gauge, its subject (`None`: the first), the rung it is read at
/// (`None`: clean, or none at all), what of it, and the decimals it is quoted with.
#[derive(Clone, Copy)]
struct QuotedNumber {
    gauge: &'static str,
    subject: Option<&'static str>,
    rung: Option<(&'static str, &'static str)>,
    of: NumberPart,
    decimals: usize,
}

#[derive(Clone, Copy)]
enum NumberPart {
    Value,
    Low,
    High,
}

const fn number(gauge: &'static str, of: NumberPart, decimals: usize) -> QuotedNumber {
    QuotedNumber {
        gauge,
        subject: None,
        rung: None,
        of,
        decimals,
    }
}

const fn at(
    gauge: &'static str,
    ladder: &'static str,
    rung: &'static str,
    decimals: usize,
) -> QuotedNumber {
    QuotedNumber {
        gauge,
        subject: None,
        rung: Some((ladder, rung)),
        of: NumberPart::Value,
        decimals,
    }
}

/// The accuracy of a subject of the small real set, clean and attacked.
const fn on_digits(subject: &'static str) -> [QuotedNumber; 2] {
    let clean = number("accuracy", NumberPart::Value, 2);
    let attacked = at("accuracy", "apgd", "16/255", 2);
    let subject = Some(subject);
    [
        QuotedNumber { subject, ..clean },
        QuotedNumber {
            subject,
            ..attacked
        },
    ]
}

const ON_DIGITS: (&str, &str) = ("docs/training.md", "classify/real/study.toml");

const ORDER: (&str, &str) = ("docs/order.md", "order/idioms.toml");

const SENSITIVITY: (&str, &str) = ("docs/judge.md", "judge/sensitivity.toml");

const fn quote(
    (document, study): (&'static str, &'static str),
    text: &'static str,
    numbers: &'static [QuotedNumber],
) -> Quote {
    Quote {
        document,
        study,
        text,
        numbers,
    }
}

/// A gauge over a whole ladder with its interval.
const fn with_interval(gauge: &'static str) -> [QuotedNumber; 3] {
    [
        number(gauge, NumberPart::Value, 3),
        number(gauge, NumberPart::Low, 3),
        number(gauge, NumberPart::High, 3),
    ]
}

const QUOTES: &[Quote] = &[
    quote(ON_DIGITS, "| baseline | {} | {} |", &on_digits("baseline")),
    quote(ON_DIGITS, "| TRADES | {} | {} |", &on_digits("trades")),
    quote(
        ON_DIGITS,
        "| tri-objective | {} | {} |",
        &on_digits("tri-objective"),
    ),
    quote(ORDER, "MDR {} [{}, {}]", &with_interval("mdr")),
    quote(ORDER, "MDA {} [{}, {}]", &with_interval("mda")),
    quote(
        ORDER,
        "worst-per-item {}",
        &[number("worst-per-item", NumberPart::Value, 3)],
    ),
    quote(ORDER, "S_seq {} [{}, {}]", &with_interval("s-seq")),
    quote(ORDER, "S_struct {} [{}, {}]", &with_interval("s-struct")),
    quote(ORDER, "S_rob {} [{}, {}]", &with_interval("s-rob")),
    quote(
        ORDER,
        "with five it scores {}, with one {}",
        &[
            at("s-acc", "scrambled", "5", 3),
            at("s-acc", "scrambled", "1", 3),
        ],
    ),
    quote(
        SENSITIVITY,
        "five misspelt words leave {} of 100 points in T, five false facts {}",
        &[
            at("T", "spelling", "5", 1),
            at("T", "factual_error", "5", 1),
        ],
    ),
    quote(
        SENSITIVITY,
        "five prejudices about women or men {} in B, five empty explanations {} in E",
        &[
            at("B", "gender_bias", "5", 1),
            at("E", "unclear_explanation", "5", 1),
        ],
    ),
];

/// Holds every quote against the findings that CI's runs have just left.
pub(crate) fn quoted() -> Done {
    let mut wrong = Vec::new();
    for quote in QUOTES {
        let study = STUDIES.iter().find(|study| study.study == quote.study);
        let study = study.ok_or_else(|| format!("{} is not shipped", quote.study))?;
        let findings = findings::read(&runs().join(study.folder()))?.value;
        let expected = filled(quote, &findings)?;
        let file = root().join(quote.document);
        let text = std::fs::read_to_string(&file);
        let text = text.map_err(|error| format!("{}: {error}", file.display()))?;
        // Documents are wrapped where a line is full, not where a number ends.
        let words: Vec<&str> = text.split_whitespace().collect();
        if !words.join(" ").contains(&expected) {
            wrong.push(format!("{} does not say {expected:?}", quote.document));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

fn filled(quote: &Quote, findings: &Value) -> Result<String, String> {
    let mut text = quote.text.to_string();
    for number in quote.numbers {
        let value = value_of(number, findings).ok_or_else(|| {
            let rung = number.rung.map_or(String::new(), |(ladder, rung)| {
                format!(" at {ladder} {rung}")
            });
            format!("{} has no {}{rung}", quote.study, number.gauge)
        })?;
        text = text.replacen("{}", &format!("{value:.*}", number.decimals), 1);
    }
    Ok(text)
}

fn value_of(number: &QuotedNumber, findings: &Value) -> Option<f64> {
    let estimates = findings["estimates"].as_array()?.iter();
    let of_subject = |one: &&Value| {
        let subject = one["place"]["subject"].as_str();
        number.subject.is_none_or(|wanted| subject == Some(wanted))
    };
    let mut there = estimates
        .filter(of_subject)
        .filter(|one| one["gauge"] == number.gauge && stands_at(one, number.rung));
    let one = there.next()?;
    match number.of {
        NumberPart::Value => one["value"]["value"].as_f64(),
        NumberPart::Low => one["interval"]["Ok"]["low"].as_f64(),
        NumberPart::High => one["interval"]["Ok"]["high"].as_f64(),
    }
}

fn stands_at(estimate: &Value, rung: Option<(&str, &str)>) -> bool {
    let under = &estimate["place"]["under"];
    match rung {
        None => under["rung"].is_null(),
        Some((ladder, severity)) => {
            under["rung"]["ladder"] == ladder && under["rung"]["severity"] == severity
        }
    }
}
