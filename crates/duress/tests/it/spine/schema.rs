//! The JSON schema: what it allows is what the reader takes.

use std::path::Path;

use duress::study::schema::schema;
use duress_core::part::Part;
use duress_parts::registry::Registry;
use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::small;

/// As much of a JSON Schema validator as our schema uses; the first reason why `value` does not
/// fit.
fn misfit(value: &Value, schema: &Value) -> Option<String> {
    let all = |key: &str| schema[key].as_array().into_iter().flatten();
    if schema["oneOf"].is_array() {
        let fits = all("oneOf")
            .filter(|one| misfit(value, one).is_none())
            .count();
        return (fits != 1).then(|| format!("{value} fits {fits} of the schemas, not one"));
    }
    if schema["anyOf"].is_array() && all("anyOf").all(|one| misfit(value, one).is_some()) {
        return Some(format!("{value} fits none of the schemas"));
    }
    if !schema["const"].is_null() && schema["const"] != *value {
        return Some(format!("{value} is not {}", schema["const"]));
    }
    if schema["enum"].is_array() && !all("enum").any(|one| one == value) {
        return Some(format!("{value} is none of {}", schema["enum"]));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(some) => some.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|one| is_a(value, one)) {
        return Some(format!("{value} is not of type {types:?}"));
    }
    if let (Some(x), Some(least)) = (value.as_f64(), schema["minimum"].as_f64())
        && x < least
    {
        return Some(format!("{x} is below {least}"));
    }
    misfit_inside(value, schema)
}

fn misfit_inside(value: &Value, schema: &Value) -> Option<String> {
    let required = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    match value {
        Value::Object(object) => {
            if let Some(missing) = required.into_iter().find(|key| !object.contains_key(*key)) {
                return Some(format!("`{missing}` is missing in {value}"));
            }
            object.iter().find_map(|(key, inner)| {
                match (&schema["properties"][key], &schema["additionalProperties"]) {
                    (Value::Null, Value::Bool(false)) => {
                        Some(format!("`{key}` is not allowed in {value}"))
                    }
                    (Value::Null, more @ Value::Object(_)) => misfit(inner, more),
                    (Value::Null, _) => None,
                    (known, _) => misfit(inner, known),
                }
            })
        }
        Value::Array(list) if schema["items"].is_object() => list
            .iter()
            .find_map(|inner| misfit(inner, &schema["items"])),
        _ => None,
    }
}

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64(),
        "boolean" => value.is_boolean(),
        other => panic!("the schema has type {other}"),
    }
}

fn json_of(text: &str) -> Value {
    json_table(DeTable::parse(text).unwrap().get_ref())
}

fn json_table(table: &DeTable<'_>) -> Value {
    table
        .iter()
        .map(|(key, value)| (key.get_ref().to_string(), json_value(value.get_ref())))
        .collect()
}

fn json_value(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(whole) => i64::from_str_radix(whole.as_str(), whole.radix())
            .unwrap()
            .into(),
        DeValue::Float(number) => number.as_str().parse::<f64>().unwrap().into(),
        DeValue::Boolean(flag) => (*flag).into(),
        DeValue::Array(list) => list.iter().map(|one| json_value(one.get_ref())).collect(),
        DeValue::Table(table) => json_table(table),
        DeValue::Datetime(date) => date.to_string().into(),
    }
}

#[test]
fn the_schema_allows_the_quickstart_and_the_small_study() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/quickstart/study.toml");
    let quickstart = std::fs::read_to_string(root).unwrap();
    assert_eq!(
        misfit(&json_of(&quickstart), &schema(&Registry::standard())),
        None
    );
    assert_eq!(
        misfit(
            &json_of(&small("")),
            &schema(&crate::spine::parts::registry())
        ),
        None
    );
}

#[test]
fn the_schema_allows_what_is_rarely_written() {
    let more = "[run]\nlimit = 3\n\n[analysis]\nlevel = 0.9\nresamples = 500\nreference = \"actor\"\n\n\
        [condition.storm]\npress = [{ use = \"shove\", severity = \"1/10\" }]\n\n\
        [dataset.worn]\nbase = \"tiny\"\npress = [{ use = \"shove\", severity = 0.1 }]\n\n\
        [gauge.calm]\nuse = \"accuracy\"\n\n\
        [[contrast]]\ngauge = \"calm\"\nof = \"actor\"\nagainst = \"actor\"\nat = \"storm\"\n\n\
        [[claim]]\nname = \"c\"\ngauge = \"calm\"\nof = \"actor\"\nat = { ladder = \"shove\", severity = 0.2 }\nalpha = 0.01\n";
    let text = small(more).replace("use = \"actor\"", "use = \"actor\"\non = \"tiny\"");
    assert_eq!(
        misfit(&json_of(&text), &schema(&crate::spine::parts::registry())),
        None
    );
    assert!(crate::spine::planned_at(Path::new("study.toml"), &text).is_ok());
}

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let schema = schema(&crate::spine::parts::registry());
    let check = |from: &str, to: &str| {
        let text = small("").replace(from, to);
        assert!(misfit(&json_of(&text), &schema).is_some(), "{text}");
        assert!(
            crate::spine::planned_at(Path::new("study.toml"), &text).is_err(),
            "{text}"
        );
    };
    check("seeds = [1, 2]", "seed = 1");
    check("seeds = [1, 2]", "seeds = [-1]");
    check("use = \"actor\"", "use = \"factor\"");
    check("use = \"actor\"", "use = \"actor\"\ndoes = \"dance\"");
    check("severities = [0.2, 0.5]", "on = \"train\"");
    check("gauges = [\"accuracy\"]", "gauges = \"accuracy\"");
}

#[test]
fn every_key_of_every_part_is_in_the_schema() {
    let registry = Registry::standard();
    let text = schema(&registry).to_string();
    let fields = registry.parts().iter().flat_map(|part| part.fields);
    fields.for_each(|field| {
        assert!(
            text.contains(&format!("\"{}\":", field.name)),
            "{}",
            field.name
        )
    });
}

/// The TOML between the fences of a part's explanation.
fn examples(part: &Part) -> Vec<String> {
    let text = part.explanation();
    let fenced = text.split("```toml\n").skip(1);
    fenced
        .filter_map(|rest| Some(rest.split_once("```")?.0.to_string()))
        .collect()
}

#[test]
fn every_example_in_an_explanation_is_what_the_schema_allows() {
    let registry = Registry::standard();
    let schema = schema(&registry);
    for part in registry.parts() {
        let examples = examples(part);
        assert!(!examples.is_empty(), "{} has no example", part.name);
        for example in examples {
            let mut value = json_of(&example);
            value["name"] = "example".into();
            assert_eq!(misfit(&value, &schema), None, "{}: {example}", part.name);
        }
    }
}
