//! The JSON schema of a study file, made from the same tables that read it.

use duress_core::part::{Field, Part, PartKind, Takes};
use duress_parts::registry::Registry;
use serde_json::{Map, Value, json};

use super::keys::{self, Key, Schema};

/// The schema of a study that may name the parts of `registry`.
pub fn schema(registry: &Registry) -> Value {
    let mut top = object(keys::TOP);
    let properties = &mut top["properties"];
    let named = |sections: Value| json!({"type": "object", "additionalProperties": sections});
    properties["dataset"] =
        named(json!({"oneOf": [by_part(registry, PartKind::Dataset, keys::DATASET), derived()]}));
    properties["subject"] = named(by_part(registry, PartKind::Subject, keys::SUBJECT));
    properties["ladder"] = named(by_part(registry, PartKind::Stressor, keys::LADDER));
    properties["condition"] = named(condition(registry));
    let raters: Vec<Value> = registry
        .raters()
        .map(|part| with_part(part, keys::RATER))
        .collect();
    properties["rater"] = named(json!({"oneOf": raters}));
    properties["gauge"] = named(by_part(registry, PartKind::Gauge, keys::GAUGE));
    properties["analysis"] = object(keys::ANALYSIS);
    properties["run"] = object(keys::RUN);
    properties["report"] = object(keys::REPORT);
    properties["expectation"] = list_of(object(keys::EXPECTATION));
    properties["level"] = list_of(object(keys::LEVEL));
    properties["contrast"] = list_of(object(keys::CONTRAST));
    properties["claim"] = list_of(claim());
    let gauges: Vec<&str> = names(registry, PartKind::Gauge);
    properties["analysis"]["properties"]["gauges"]["examples"] = json!([gauges]);
    top["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    top["title"] = json!("A duress study");
    top
}

fn list_of(items: Value) -> Value {
    json!({"type": "array", "items": items})
}

fn names(registry: &Registry, kind: PartKind) -> Vec<&'static str> {
    registry
        .parts()
        .iter()
        .filter(|part| part.kind() == kind)
        .map(|part| part.name)
        .collect()
}

fn by_part(registry: &Registry, kind: PartKind, keys: &[Key]) -> Value {
    let of_kind = registry.parts().iter().filter(|part| part.kind() == kind);
    json!({"oneOf": of_kind.map(|part| with_part(part, keys)).collect::<Vec<_>>()})
}

fn with_part(part: &Part, keys: &[Key]) -> Value {
    let own: Vec<&Key> = keys
        .iter()
        .filter(|key| !matches!(key.name, "base") && part_may_have(part, key))
        .collect();
    let mut schema = object(own.iter().copied());
    schema["description"] = json!(part.summary());
    schema["properties"]["use"] = json!({"const": part.name});
    for field in part.fields {
        schema["properties"][field.name] = field_schema(field);
        if field.default.is_none() {
            push(&mut schema["required"], field.name);
        }
    }
    push(&mut schema["required"], "use");
    schema
}

/// `press` belongs to derived datasets, not to those a part makes.
fn part_may_have(part: &Part, key: &Key) -> bool {
    part.kind() != PartKind::Dataset || key.name != "press"
}

fn derived() -> Value {
    let mut schema = object(keys::DATASET.iter().filter(|key| key.name != "use"));
    schema["required"] = json!(["base", "press"]);
    schema
}

fn condition(registry: &Registry) -> Value {
    let mut schema = object(keys::CONDITION);
    let items = by_part(registry, PartKind::Stressor, keys::PRESSED);
    schema["properties"]["press"] = json!({"type": "array", "items": items});
    schema
}

/// A claim says one thing, or has parts; a part takes from its claim what it leaves out.
fn claim() -> Value {
    let whole = object(keys::CLAIM.iter().filter(|key| key.name != keys::PART));
    let mut in_parts = object(keys::CLAIM_OF_PARTS);
    let mut part = object(keys::PART_OF_CLAIM);
    part["required"] = json!(["name"]);
    in_parts["properties"][keys::PART]["items"] = part;
    json!({"oneOf": [whole, in_parts]})
}

fn object<'a>(keys: impl IntoIterator<Item = &'a Key>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for key in keys {
        let mut value = key_schema(key);
        value["description"] = json!(key.doc);
        properties.insert(key.name.into(), value);
        if key.required {
            required.push(key.name);
        }
    }
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

fn key_schema(key: &Key) -> Value {
    match key.schema {
        Schema::OneOf(words) => json!({"enum": words()}),
        Schema::SomeOf(words) => json!({"type": "array", "items": {"enum": words()}}),
        Schema::Json(body) => serde_json::from_str(&format!("{{{body}}}"))
            .unwrap_or_else(|why| panic!("the schema of `{}`: {why}", key.name)),
    }
}

fn push(required: &mut Value, name: &str) {
    if let Value::Array(list) = required
        && !list.iter().any(|one| one == name)
    {
        list.push(json!(name));
    }
}

fn field_schema(field: &Field) -> Value {
    let mut schema = match field.takes {
        Takes::Number(low, high) => {
            json!({"anyOf": [{"type": "number", "minimum": low, "maximum": high}, {"type": "string"}]})
        }
        Takes::Whole(low, high) => json!({"type": "integer", "minimum": low, "maximum": high}),
        Takes::Text | Takes::File | Takes::Subject => json!({"type": "string"}),
        Takes::Choice(words) => json!({"enum": words()}),
        Takes::Flag => json!({"type": "boolean"}),
        Takes::Texts => json!({"type": "array", "items": {"type": "string"}}),
        Takes::Wholes(low, high) => {
            json!({"type": "array", "items": {"type": "integer", "minimum": low, "maximum": high}})
        }
        Takes::Table => json!({"type": "object"}),
        Takes::Numbers(..) => json!({"type": "array", "items": {"type": ["number", "string"]}}),
    };
    schema["description"] = json!(field.doc);
    if let Some(default) = field.default.filter(|text| !text.is_empty()) {
        schema["default"] = json!(default);
    }
    schema
}
