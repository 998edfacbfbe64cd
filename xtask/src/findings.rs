//! Findings of a run as CI compares them: in today's version, and everything but the card that says
//! when and with what they were made.

use std::path::Path;

use serde_json::Value;

use crate::step::Done;

/// The file of findings in a run's folder.
pub(crate) const FILE: &str = "5-findings.json";

/// The findings of a run's folder, without the card `made`.
pub(crate) struct ComparedFindings {
    /// As they are written, byte for byte.
    pub(crate) text: String,
    pub(crate) value: Value,
}

pub(crate) fn read(run: &Path) -> Result<ComparedFindings, String> {
    let file = run.join(FILE);
    let said = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(&file).map_err(|error| said(&error))?;
    let text = in_todays_version(&text).map_err(|error| said(&error))?;
    let mut value: Value = serde_json::from_str(&text).map_err(|error| said(&error))?;
    if let Some(all) = value.as_object_mut() {
        all.remove("made");
    }
    let text = without_made(&text).ok_or_else(|| said(&"has no card `made`"))?;
    Ok(ComparedFindings { text, value })
}

/// The text as it is where it is of today's version, else as today's version writes what it says.
fn in_todays_version(text: &str) -> Result<String, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if value["version"] == duress_findings::VERSION {
        return Ok(text.into());
    }
    converted(text)
}

/// Findings of any version as a run of today writes them.
fn converted(text: &str) -> Result<String, String> {
    let findings = duress_findings::from_json(text).map_err(|error| error.to_string())?;
    serde_json::to_string_pretty(&findings).map_err(|error| error.to_string())
}

/// Writes a file of an older version anew, in today's.
pub(crate) fn convert(old: &Path, new: &Path) -> Done {
    let said = |file: &Path, error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(old).map_err(|error| said(old, &error))?;
    let text = converted(&text).map_err(|error| said(old, &error))?;
    std::fs::write(new, text).map_err(|error| said(new, &error))
}

/// The text without the member `made` of the outermost object, which is written two blanks deep.
fn without_made(text: &str) -> Option<String> {
    let (before, rest) = text.split_once("\n  \"made\": {")?;
    let (_, after) = rest.split_once("\n  }")?;
    Some(format!("{before}{after}"))
}

/// What differs between two runs' findings: nothing only if every byte is the same.
pub(crate) fn compare(
    old: &ComparedFindings,
    new: &ComparedFindings,
    at_most: usize,
) -> Vec<String> {
    let found = differences(&old.value, &new.value, at_most);
    if found.is_empty() && old.text != new.text {
        return vec!["the values are the same and are written differently".into()];
    }
    found
}

/// The first places at which two values differ, each with what stands there on both sides.
fn differences(old: &Value, new: &Value, at_most: usize) -> Vec<String> {
    let mut found = Vec::new();
    walk("", old, new, at_most, &mut found);
    found
}

fn walk(path: &str, old: &Value, new: &Value, at_most: usize, found: &mut Vec<String>) {
    if found.len() >= at_most || same(old, new) {
        return;
    }
    match (old, new) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys().filter(|key| !a.contains_key(*key))) {
                let side = |map: &serde_json::Map<String, Value>| map.get(key).cloned();
                let (a, b) = (
                    side(a).unwrap_or(Value::Null),
                    side(b).unwrap_or(Value::Null),
                );
                walk(&format!("{path}.{key}"), &a, &b, at_most, found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                walk(&format!("{path}[{i}]"), a, b, at_most, found);
            }
        }
        _ => found.push(format!("{path}: {} | {}", short(old), short(new))),
    }
}

/// Equal as written: numbers by their bits, so that −0 is not 0.
fn same(a: &Value, b: &Value) -> bool {
    let written = Value::to_string;
    written(a) == written(b)
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::Array(all) => format!("a list of {}", all.len()),
        other => other.to_string(),
    };
    if text.chars().count() > 120 {
        text.chars().take(119).chain(['…']).collect()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_card_is_left_out() {
        let text = "{\n  \"a\": 1,\n  \"made\": {\n    \"b\": {\n    }\n  },\n  \"c\": 2\n}";
        let left = "{\n  \"a\": 1,,\n  \"c\": 2\n}";
        assert_eq!(without_made(text).as_deref(), Some(left));
    }

    #[test]
    fn differences_name_the_place_and_both_sides() {
        let old = json!({"a": [{"v": 1.0}, {"v": 2.0}], "b": "x"});
        let new = json!({"a": [{"v": 1.0}, {"v": 2.5}], "c": null});
        let expected = [".a[1].v: 2.0 | 2.5", ".b: \"x\" | null"];
        assert_eq!(differences(&old, &new, 9), expected);
        assert_eq!(differences(&old, &new, 1), expected[..1]);
        assert_eq!(differences(&old, &old, 9), Vec::<String>::new());
        assert_eq!(differences(&json!([0.0]), &json!([-0.0]), 9).len(), 1);
        assert_eq!(differences(&json!([1]), &json!([1, 2]), 9).len(), 1);
    }
}
