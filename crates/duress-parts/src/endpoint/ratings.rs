//! Ratings in a reply: a JSON object with a number for each dimension.

use std::ops::RangeInclusive;

use duress_core::part::Params;
use duress_core::problem::Problem;
use serde_json::{Map, Value, json};

/// The schema of such a reply.
pub(crate) fn schema(dimensions: &[String]) -> Value {
    let number = |name: &String| (name.clone(), json!({"type": "number"}));
    let properties: Map<String, Value> = dimensions.iter().map(number).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": dimensions,
        "additionalProperties": false,
    })
}

/// What ratings must lie between.
pub(crate) type RatingRange = RangeInclusive<f64>;

/// The range that the key `range` names, where it is set.
pub(crate) fn rating_range(params: &Params) -> Result<Option<RatingRange>, Problem> {
    match params.numbers("range") {
        None => Ok(None),
        Some([low, high]) if low < high => Ok(Some(*low..=*high)),
        Some(_) => Err(
            Problem::new("`range` does not name what ratings lie between")
                .expected("two numbers, the smaller first: [0, 100]"),
        ),
    }
}

/// The rating in each dimension, or what is wrong with the reply.
pub(crate) fn read(
    text: &str,
    dimensions: &[String],
    range: Option<&RatingRange>,
) -> Result<Vec<f64>, String> {
    let json: Value = serde_json::from_str(object_in(text))
        .map_err(|why| format!("the reply is no JSON object: {why}"))?;
    let rating = |name: &String| {
        let value = json.get(name);
        let number = value.and_then(Value::as_f64).filter(|x| x.is_finite());
        let number = number.ok_or_else(|| match value {
            None => format!("the reply has no `{name}`"),
            Some(other) => format!("`{name}` of the reply is {other}, not a number"),
        })?;
        match range.filter(|range| !range.contains(&number)) {
            None => Ok(number),
            Some(range) => Err(format!(
                "`{name}` of the reply is {number}, not from {} to {}",
                range.start(),
                range.end()
            )),
        }
    };
    dimensions.iter().map(rating).collect()
}

/// The object in a reply, without fences and what is said around them.
pub(crate) fn object_in(text: &str) -> &str {
    let text = text.trim();
    match (text.find('{'), text.rfind('}')) {
        (Some(start), Some(end)) if start < end => &text[start..=end],
        _ => text,
    }
}

/// What a model is told whose reply could not be read.
pub(crate) fn repair(why: &str, dimensions: &[String]) -> String {
    let keys: Vec<String> = dimensions
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect();
    format!(
        "That could not be read: {why}. Reply with nothing but one JSON object that has a number for each of {}.",
        keys.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_with_and_without_fences() {
        let dimensions = ["T".to_string(), "B".to_string()];
        let read = |text| read(text, &dimensions, None);
        assert_eq!(read(r#"{"B": 2, "T": 1.5}"#), Ok(vec![1.5, 2.0]));
        assert_eq!(
            read("```json\n{\"T\": 1, \"B\": 2}\n```"),
            Ok(vec![1.0, 2.0])
        );
        assert_eq!(
            read("Here it is: {\"T\": 1, \"B\": 2}."),
            Ok(vec![1.0, 2.0])
        );
        assert!(read("```json\n").unwrap_err().contains("no JSON"));
        assert!(read(r#"{"T": 1}"#).unwrap_err().contains("no `B`"));
        assert!(
            read(r#"{"T": "high", "B": 1}"#)
                .unwrap_err()
                .contains("`T`")
        );
    }

    #[test]
    fn a_rating_beyond_its_range_is_none() {
        let dimensions = ["T".to_string()];
        let read = |text| read(text, &dimensions, Some(&(0.0..=100.0)));
        assert_eq!(read(r#"{"T": 100}"#), Ok(vec![100.0]));
        let why = read(r#"{"T": 5000}"#).unwrap_err();
        assert!(
            why.contains("`T` of the reply is 5000, not from 0 to 100"),
            "{why}"
        );
    }
}
