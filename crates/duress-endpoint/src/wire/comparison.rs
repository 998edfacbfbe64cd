//! Comparisons: OpenAI's embeddings, and the rerank that Jina, Cohere, vLLM and llama.cpp share.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use super::openai::usage;
use super::text;
use crate::reply::Reply;
use crate::request::{Comparison, ComparisonMethod};

/// Where embeddings are asked for.
pub(super) const EMBEDDINGS: &str = "embeddings";

pub(super) fn path(by: ComparisonMethod) -> &'static str {
    match by {
        ComparisonMethod::Embeddings => EMBEDDINGS,
        ComparisonMethod::Rerank => "rerank",
    }
}

pub(super) fn body(asked: &Comparison) -> Value {
    let Comparison {
        model, text, with, ..
    } = asked;
    match asked.by {
        ComparisonMethod::Embeddings => {
            let input: Vec<&String> = std::iter::once(text).chain(with).collect();
            embeddings_body(model, &input)
        }
        ComparisonMethod::Rerank => {
            json!({ "model": model, "query": text, "documents": with, "top_n": with.len() })
        }
    }
}

/// What asks for the embedding of each of these.
pub(super) fn embeddings_body(model: &str, input: &[&String]) -> Value {
    json!({ "model": model, "input": input, "encoding_format": "float" })
}

pub(super) fn read(asked: &Comparison, body: &Value) -> Result<Reply, String> {
    let likeness = match asked.by {
        ComparisonMethod::Embeddings => cosines(asked, body)?,
        ComparisonMethod::Rerank => relevances(asked, body)?,
    };
    Ok(likeness_reply(likeness, body))
}

/// A reply that says how alike texts are.
pub(super) fn likeness_reply(likeness: Vec<f64>, body: &Value) -> Reply {
    Reply {
        likeness,
        usage: usage(body),
        model: text(body, "model").map(String::from),
        ..Reply::default()
    }
}

fn cosines(asked: &Comparison, body: &Value) -> Result<Vec<f64>, String> {
    let vectors = embeddings(body, asked.with.len() + 1)?;
    let others = vectors[1..].iter();
    others.map(|other| cosine(&vectors[0], other)).collect()
}

/// The embeddings of as many inputs, in the order in which they were sent.
pub(super) fn embeddings(body: &Value, sent: usize) -> Result<Vec<Vec<f64>>, String> {
    let listed = body.get("data").and_then(Value::as_array);
    let listed = listed.ok_or("the reply has no list `data`")?;
    by_index(listed, sent, |row| {
        let vector = match row.get("embedding")? {
            Value::Array(numbers) => numbers.iter().map(Value::as_f64).collect(),
            Value::String(packed) => unpacked(packed),
            _ => None,
        };
        vector.filter(|vector: &Vec<f64>| !vector.is_empty())
    })
}

/// The numbers of an embedding that came as `"encoding_format": "base64"`: 32 bits each, the lowest
/// byte first.
fn unpacked(packed: &str) -> Option<Vec<f64>> {
    let bytes = BASE64_STANDARD.decode(packed).ok()?;
    let numbers = bytes.chunks(4).map(|number| {
        let number: [u8; 4] = number.try_into().ok()?;
        Some(f64::from(f32::from_le_bytes(number)))
    });
    numbers.collect()
}

pub(super) fn cosine(one: &[f64], other: &[f64]) -> Result<f64, String> {
    if one.len() != other.len() {
        let here = one.len();
        let there = other.len();
        return Err(format!("embeddings of {here} and of {there} numbers"));
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    match lengths > 0.0 && lengths.is_finite() {
        true => Ok(dot(one, other) / lengths),
        false => Err("an embedding has no direction: all of it is 0, or beyond all bounds".into()),
    }
}

fn relevances(asked: &Comparison, body: &Value) -> Result<Vec<f64>, String> {
    let listed = body.get("results").unwrap_or(body).as_array();
    let listed = listed.ok_or("the reply has no list `results`")?;
    by_index(listed, asked.with.len(), |row| {
        row.get("relevance_score")
            .or_else(|| row.get("score"))?
            .as_f64()
    })
}

/// What stands in each row, in the order of what was sent: servers sort as they like, and say which
/// is which.
fn by_index<T>(
    rows: &[Value],
    sent: usize,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Vec<T>, String> {
    let mut found: Vec<Option<T>> = (0..sent).map(|_| None).collect();
    for row in rows {
        let index = row.get("index").and_then(Value::as_u64);
        let index = index.and_then(|index| usize::try_from(index).ok());
        let place = index.and_then(|index| found.get_mut(index));
        let place = place.ok_or_else(|| {
            let said = row.get("index").unwrap_or(&Value::Null);
            format!("a row of the reply has index {said}, of {sent} that were sent")
        })?;
        if place.is_some() {
            return Err(format!("two rows of the reply have index {}", row["index"]));
        }
        *place = read(row);
    }
    let whole: Option<Vec<T>> = found.into_iter().collect();
    whole.ok_or_else(|| format!("the reply does not have numbers for all {sent} that were sent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(by: ComparisonMethod) -> Comparison {
        Comparison {
            model: "m".into(),
            by,
            text: "a".into(),
            with: vec!["b".into(), "c".into()],
        }
    }

    #[test]
    fn embeddings_are_matched_by_index_and_compared_by_their_cosine() {
        let reply = json!({"data": [
            {"index": 2, "embedding": [0, 3]},
            {"index": 0, "embedding": [2.0, 0]},
            {"index": 1, "embedding": [1, 1]},
        ]});
        let read = read(&asked(ComparisonMethod::Embeddings), &reply).unwrap();
        assert!((read.likeness[0] - 0.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(read.likeness[1], 0.0);
    }

    #[test]
    fn embeddings_that_come_packed_are_the_numbers_they_pack() {
        let row = |index: u64, packed: &str| json!({"index": index, "embedding": packed});
        let reply = |first: &str| {
            // 1 and 1, then 0 and 3.
            let others = [row(1, "AACAPwAAgD8="), row(2, "AAAAAAAAQEA=")];
            json!({"data": [row(0, first), others[0], others[1]]})
        };
        let whole = read(&asked(ComparisonMethod::Embeddings), &reply("AAAAQAAAAAA=")).unwrap();
        assert!((whole.likeness[0] - 0.5_f64.sqrt()).abs() < 1e-12);
        assert_eq!(whole.likeness[1], 0.0);
        for broken in ["AAAAQAAA", "no base64!", ""] {
            let why = read(&asked(ComparisonMethod::Embeddings), &reply(broken)).unwrap_err();
            assert!(why.contains("all 3"), "{broken}: {why}");
        }
    }

    #[test]
    fn scores_of_a_reranker_are_matched_by_index_and_left_as_they_are() {
        let reply = json!({"results": [
            {"index": 1, "relevance_score": 3.5}, {"index": 0, "relevance_score": -1.8},
        ]});
        let read = read(&asked(ComparisonMethod::Rerank), &reply).unwrap();
        assert_eq!(read.likeness, [-1.8, 3.5]);
    }

    #[test]
    fn what_is_missing_twice_or_elsewhere_is_no_reply() {
        let why = |results: Value| {
            read(
                &asked(ComparisonMethod::Rerank),
                &json!({ "results": results }),
            )
            .unwrap_err()
        };
        let row = |index: u64| json!({"index": index, "score": 1.0});
        assert!(why(json!([row(0)])).contains("all 2"));
        assert!(why(json!([row(0), row(0)])).contains("two rows"));
        assert!(why(json!([row(0), row(7)])).contains("index 7"));
        assert!(why(json!("none")).contains("no list"));
        let zero = json!({"data": [
            {"index": 0, "embedding": [0.0]}, {"index": 1, "embedding": [1.0]}, {"index": 2, "embedding": [1.0]},
        ]});
        let zero = read(&asked(ComparisonMethod::Embeddings), &zero).unwrap_err();
        assert!(zero.contains("no direction"), "{zero}");
    }
}
