//! What a status means: an answer, a wait, another try, or the end with its explanation.

use std::time::Duration;

use serde_json::Value;

use crate::back_off::asked_wait;
use crate::exchange::Answer;
use crate::reply::{NoAnswer, NoAnswerKind, beginning};
use crate::secret::Secrets;

/// How much of an error's body is shown.
const SHOWN: usize = 500;

/// What is done about what came back.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    /// It is a reply.
    Read,
    /// The server has too much to do: fewer at a time, and this one again after a wait.
    SlowDown(Option<Duration>, String),
    /// Something broke that may be whole the next time.
    Again(Option<Duration>, String),
    /// The server is there, but not ready.
    NotReady(Option<Duration>, String),
    /// Asking again would bring the same.
    Final(NoAnswer),
}

/// Judges a status and its body.
pub(crate) fn judge(answer: &Answer, url: &str, secrets: &Secrets) -> Verdict {
    let said = error_text(&answer.body, secrets);
    let with = |what: &str| match said.is_empty() {
        true => format!("{} {what}", answer.status),
        false => format!("{} {what}: {said}", answer.status),
    };
    let wait = || asked_wait(&|name| answer.header(name));
    let error = |why: String| Verdict::Final(NoAnswer::new(NoAnswerKind::Error, why));
    match answer.status {
        200..=299 => Verdict::Read,
        300..=399 => error(redirected(answer)),
        429 | 529 => Verdict::SlowDown(wait(), with("too many requests")),
        503 => Verdict::NotReady(wait(), with("not available")),
        501 => error(with(
            "not offered: the server has no such service, or was not started for it",
        )),
        408 | 409 | 425 | 500..=599 => Verdict::Again(wait(), with("from the server")),
        401 | 403 => error(with(
            "not allowed: `key-env` names the variable with the key",
        )),
        404 | 405 => error(with(&format!(
            "at {url}: usually `base-url` lacks its `/v1`, has it twice, or the server has no such model"
        ))),
        400 | 413 | 422 if says_too_long(&said) => {
            Verdict::Final(NoAnswer::new(NoAnswerKind::TooLong, with("too long")))
        }
        400 if said.contains("content_filter") || said.contains("content management policy") => {
            Verdict::Final(NoAnswer::new(NoAnswerKind::Refused, with("refused")))
        }
        _ => error(with("not accepted")),
    }
}

/// What the server says about its error: whatever keys it has, in whatever order.
fn error_text(body: &[u8], secrets: &Secrets) -> String {
    let Ok(mut json) = serde_json::from_slice::<Value>(body) else {
        let text = String::from_utf8_lossy(body);
        return beginning(&secrets.strike(text), SHOWN);
    };
    secrets.strike_json(&mut json);
    let error = json.get("error").unwrap_or(&json);
    let pieces = ["type", "code", "message", "detail"]
        .iter()
        .filter_map(|key| match error.get(key)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(_) | Value::Null => None,
            other => Some(other.to_string()),
        });
    let told = pieces.collect::<Vec<_>>().join(": ");
    let all = match (told.is_empty(), error) {
        (false, _) => told,
        (true, Value::String(text)) => text.clone(),
        (true, other) => other.to_string(),
    };
    beginning(&all, SHOWN)
}

fn says_too_long(said: &str) -> bool {
    let said = said.to_lowercase();
    [
        "exceed_context_size",
        "context_length",
        "context length",
        "context window",
        "context size",
        "prompt is too long",
        "too many tokens",
    ]
    .iter()
    .any(|words| said.contains(words))
}

/// Only scheme and host of where it leads: the rest may hold what is nobody's business.
fn redirected(answer: &Answer) -> String {
    let place = answer.header("location").unwrap_or_default();
    let origin: String = place.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    let shown = match place.contains("://") && !origin.contains('@') {
        true => origin,
        false => "another place".into(),
    };
    format!(
        "{} leads to {}, and keys are sent nowhere but to `base-url`: name that server there, if it is meant",
        answer.status,
        beginning(&shown, 100)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(status: u16, body: &str, headers: &[(&'static str, &str)]) -> Verdict {
        let mut map = ureq::http::HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        let answer = Answer {
            status,
            headers: map,
            body: body.into(),
        };
        judge(&answer, "http://host/v1/chat", &Secrets::default())
    }

    fn end(status: u16, body: &str) -> (NoAnswerKind, String) {
        match judged(status, body, &[]) {
            Verdict::Final(no) => (no.kind, no.why),
            other => panic!("{status} is {other:?}"),
        }
    }

    #[test]
    fn statuses_that_may_pass_are_asked_again_and_the_others_are_explained() {
        assert_eq!(judged(200, "", &[]), Verdict::Read);
        let limited = judged(429, "", &[("retry-after", "3")]);
        let expected = Some(Duration::from_secs(3));
        assert!(matches!(limited, Verdict::SlowDown(wait, _) if wait == expected));
        assert!(matches!(judged(500, "", &[]), Verdict::Again(None, _)));
        assert!(matches!(judged(503, "", &[]), Verdict::NotReady(None, _)));
        assert!(end(404, "").1.contains("/v1"));
        assert!(end(501, "").1.contains("not started for it"));
        assert!(end(401, "").1.contains("key-env"));
        assert_eq!(
            end(400, r#"{"error": {"message": "bad"}}"#).1,
            "400 not accepted: bad"
        );
    }

    #[test]
    fn a_prompt_that_is_too_long_is_told_from_other_mistakes() {
        let llama = r#"{"error":{"code":400,"message":"the request exceeds","type":"exceed_context_size_error","n_ctx":256}}"#;
        assert_eq!(end(400, llama).0, NoAnswerKind::TooLong);
        let hosted = r#"{"error":{"message":"maximum context length is 8192","code":"context_length_exceeded"}}"#;
        assert_eq!(end(400, hosted).0, NoAnswerKind::TooLong);
        let filtered = r#"{"error":{"code":"content_filter","message":"triggered"}}"#;
        assert_eq!(end(400, filtered).0, NoAnswerKind::Refused);
        assert_eq!(end(400, "<html>").0, NoAnswerKind::Error);
    }

    #[test]
    fn a_redirect_says_where_to_without_what_is_behind_it() {
        let place = [("location", "https://elsewhere.example/v1?token=abc")];
        let Verdict::Final(no) = judged(307, "", &place) else {
            panic!("a redirect is final")
        };
        assert!(no.why.contains("https://elsewhere.example,"), "{}", no.why);
        assert!(!no.why.contains("token"), "{}", no.why);
    }
}
