//! JSON as harnesses write it: Python's `NaN` and `Infinity` stand in it, which JSON does not have.

use std::fs;
use std::path::Path;

use duress_core::problem::Problem;
use serde_json::Value;

/// No log has a line or an object this long that anybody could read.
const LARGEST: u64 = 1 << 31;

/// A line's number, and what stands in it.
pub(super) type NumberedLine = (usize, Value);

/// The whole of a file.
pub(super) fn read_whole(file: &Path) -> Result<Value, Problem> {
    parse(&bytes_of(file)?)
}

/// The lines of a file that are not blank.
pub(super) fn read_lines(file: &Path) -> Result<Vec<NumberedLine>, Problem> {
    let bytes = bytes_of(file)?;
    let lines = bytes.split(|byte| *byte == b'\n').enumerate();
    let full = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    full.map(|(at, line)| {
        let read = parse(line).map_err(|problem| problem.on_line(at + 1))?;
        Ok((at + 1, read))
    })
    .collect()
}

fn bytes_of(file: &Path) -> Result<Vec<u8>, Problem> {
    let cannot = |error| Problem::new(format!("it cannot be read: {error}"));
    let size = fs::metadata(file).map_err(cannot)?.len();
    if size > LARGEST {
        return Err(Problem::new("it is larger than 2 GiB").expected("a log that fits into memory"));
    }
    fs::read(file).map_err(cannot)
}

/// Reads JSON in which `NaN` and `Infinity` are null.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, Problem> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(bytes)
        .or_else(|_| serde_json::from_slice(&without_odd_numbers(bytes)))
        .map_err(|error| Problem::new(format!("this is no JSON: {error}")))
}

/// The same bytes with `null` where `NaN`, `Infinity` or `-Infinity` stands outside of texts.
fn without_odd_numbers(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    let mut in_text = false;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let odd = [&b"NaN"[..], b"-Infinity", b"Infinity"];
        match rest[0] {
            b'\\' if in_text => {
                out.extend(&rest[..rest.len().min(2)]);
                at += 2;
                continue;
            }
            b'"' => in_text = !in_text,
            _ => {}
        }
        match odd.iter().find(|word| !in_text && rest.starts_with(word)) {
            Some(word) => {
                out.extend(b"null");
                at += word.len();
            }
            None => {
                out.push(rest[0]);
                at += 1;
            }
        }
    }
    out
}

/// The text behind a key, where there is one.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// A text, or a number as one.
pub(super) fn text_or_number(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A text, or all texts of a list.
pub(super) fn one_or_several(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(list)) => list.iter().filter_map(text_or_number).collect(),
        Some(one) => text_or_number(one).into_iter().collect(),
        None => Vec::new(),
    }
}

/// What is said in a list of messages, one after another, or the text itself.
pub(super) fn said_in(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(messages) => {
            let said = messages.iter().map(|message| match message {
                Value::String(text) => text.clone(),
                other => said_in(other.get("content").unwrap_or(&other["text"])),
            });
            said.filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join("\n")
        }
        _ => String::new(),
    }
}

/// The position that a letter names, `A` being 0.
pub(super) fn letter_position(letter: &str) -> Option<usize> {
    match letter.trim().as_bytes() {
        [letter @ b'A'..=b'Z'] => Some(usize::from(letter - b'A')),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_does_not_have_are_null_and_texts_are_left() {
        let read = parse(br#"{"a": NaN, "b": [-Infinity, 1], "c": "NaN \" NaN"}"#).unwrap();
        let expected = serde_json::json!({"a": null, "b": [null, 1], "c": "NaN \" NaN"});
        assert_eq!(read, expected);
        assert!(parse(b"{\"a\": ").is_err());
    }
}
