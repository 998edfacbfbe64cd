//! The schema as people read it: what a key is for, in a sentence.

use duress_findings::SCHEMA;
use serde_json::Value;

#[test]
fn descriptions_are_sentences_and_not_code() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut found = 0;
    each_description(&schema, &mut |text| {
        found += 1;
        let is_code = ["pub ", "///", "{\n", "=>"];
        assert!(!is_code.iter().any(|sign| text.contains(sign)), "{text}");
    });
    assert!(found > 100, "{found} descriptions");
}

fn each_description(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::Object(keys) => {
            for (key, value) in keys {
                match value.as_str().filter(|_| key == "description") {
                    Some(text) => see(text),
                    None => each_description(value, see),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|one| each_description(one, see)),
        _ => {}
    }
}
