//! Greedy matching of tokens by the cosine of their embeddings, each token an input of its own.
//!
//! As BERTScore has it, but for the context: every token of one text is matched with the likest of
//! the other; the mean over the tokens of the text is the precision, that over those of the other
//! the recall, and their harmonic mean is what is said. T. Zhang and others, ICLR 2020.

use std::collections::BTreeMap;

use serde_json::Value;

use super::comparison::{cosine, embeddings, embeddings_body, likeness_reply};
use crate::reply::Reply;
use crate::request::TokenMatch;

/// A token that stands in several places is sent once.
pub(super) fn body(asked: &TokenMatch) -> Value {
    embeddings_body(&asked.model, &distinct(asked))
}

pub(super) fn read(asked: &TokenMatch, body: &Value) -> Result<Reply, String> {
    let tokens = distinct(asked);
    let vectors = embeddings(body, tokens.len())?;
    let numbered = tokens.into_iter().zip(&vectors);
    let known: BTreeMap<&String, &Vec<f64>> = numbered.collect();
    let of = |tokens: &[String]| tokens.iter().map(|token| known[token]).collect();
    let text: Vec<&Vec<f64>> = of(&asked.text);
    let each = asked.with.iter().map(|other| matched(&text, &of(other)));
    let likeness: Result<Vec<f64>, String> = each.collect();
    Ok(likeness_reply(likeness?, body))
}

/// Every token once, in order.
fn distinct(asked: &TokenMatch) -> Vec<&String> {
    let all = asked.text.iter().chain(asked.with.iter().flatten());
    let mut tokens: Vec<&String> = all.collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// The harmonic mean of precision and recall; 0 where they cancel out.
fn matched(text: &[&Vec<f64>], other: &[&Vec<f64>]) -> Result<f64, String> {
    let mut of_text = vec![f64::NEG_INFINITY; text.len()];
    let mut of_other = vec![f64::NEG_INFINITY; other.len()];
    for (i, one) in text.iter().enumerate() {
        for (j, two) in other.iter().enumerate() {
            let alike = cosine(one, two)?;
            of_text[i] = of_text[i].max(alike);
            of_other[j] = of_other[j].max(alike);
        }
    }
    let precision = mean(&of_text)?;
    let recall = mean(&of_other)?;
    Ok(match precision + recall > 0.0 {
        true => 2.0 * precision * recall / (precision + recall),
        false => 0.0,
    })
}

fn mean(values: &[f64]) -> Result<f64, String> {
    match values.is_empty() {
        true => Err("a text without a token matches nothing".into()),
        false => Ok(values.iter().sum::<f64>() / values.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked() -> TokenMatch {
        let tokens = |all: &[&str]| all.iter().map(|token| (*token).into()).collect();
        TokenMatch {
            model: "m".into(),
            text: tokens(&["b", "a", "b"]),
            with: vec![tokens(&["a", "c"]), tokens(&["b"])],
        }
    }

    #[test]
    fn every_token_is_sent_once() {
        assert_eq!(body(&asked())["input"], json!(["a", "b", "c"]));
    }

    #[test]
    fn every_token_is_matched_with_the_likest_of_the_other_text() {
        let reply = json!({"data": [
            {"index": 0, "embedding": [1, 0]},
            {"index": 1, "embedding": [3, 4]},
            {"index": 2, "embedding": [0, 2]},
        ]});
        let read = read(&asked(), &reply).unwrap();
        // Cosines: a with b .6, b with c .8, a with c 0. Precision (.8 + 1 + .8)/3, recall (1 + .8)/2.
        let precision = 2.6 / 3.0;
        let expected = 2.0 * precision * 0.9 / (precision + 0.9);
        assert!((read.likeness[0] - expected).abs() < 1e-12);
        // Precision (1 + .6 + 1)/3, recall 1.
        let expected = 2.0 * precision / (precision + 1.0);
        assert!((read.likeness[1] - expected).abs() < 1e-12);
    }

    #[test]
    fn what_is_missing_or_has_no_token_is_no_reply() {
        let short = json!({"data": [{"index": 0, "embedding": [1, 0]}]});
        assert!(read(&asked(), &short).unwrap_err().contains("all 3"));
        let whole = json!({"data": [
            {"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}, {"index": 2, "embedding": [1]},
        ]});
        let mut empty = asked();
        empty.with.push(Vec::new());
        assert!(
            read(&empty, &whole)
                .unwrap_err()
                .contains("without a token")
        );
    }
}
