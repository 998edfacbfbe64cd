//! Pairs of responses with the one that is better, as public sets of judged pairs have them.
//!
//! JudgeBench (`response_A`, `response_B`, `label` as A>B), RewardBench 1 (`chosen`, `rejected`),
//! RewardBench 2 (lists of them: the first right one with each wrong one), LLMBar (`output_1`,
//! `output_2`, `label` 1 or 2) and MT-Bench (`conversation_a`, `conversation_b`, `winner`, one row
//! per vote). JSON lines, or one JSON list.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use duress_core::problem::Problem;
use serde_json::Value;

duress_core::words! {
    /// Which response of a pair is better.
    pub enum BetterResponse {
        /// The first.
        First = "first",
        /// The second.
        Second = "second",
        /// Neither.
        Tie = "tie",
    }
}

/// Two responses to a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponsePair {
    /// What tells it from others.
    pub id: String,
    /// What was asked.
    pub prompt: String,
    /// One response.
    pub first: String,
    /// The other.
    pub second: String,
    /// Which is better.
    pub better: BetterResponse,
    /// The group it belongs to, where the file says.
    pub group: String,
}

/// Pairs, and what could not be read, with the reason.
#[derive(Clone, Debug, Default)]
pub struct PairsRead {
    /// The pairs.
    pub pairs: Vec<ResponsePair>,
    /// Rows that are no pair: which, and why.
    pub left_out: Vec<(String, String)>,
}

/// Reads a file of pairs.
///
/// # Errors
/// A file that is not there, is no JSON, or has no pair.
pub fn read_pairs(file: &Path) -> Result<PairsRead, Problem> {
    let mut read = PairsRead::default();
    let mut votes: BTreeMap<String, Vec<ResponsePair>> = BTreeMap::new();
    for (at, row) in json_rows(file)?.into_iter().enumerate() {
        match pairs_of(&row, at) {
            Ok(Found::Pairs(pairs)) => read.pairs.extend(pairs),
            Ok(Found::Vote(pair)) => votes.entry(pair.id.clone()).or_default().push(pair),
            Err(why) => read.left_out.push((format!("row {}", at + 1), why)),
        }
    }
    for votes in votes.into_values() {
        read.pairs.extend(decided(votes));
    }
    match read.pairs.is_empty() {
        true => Err(Problem::new("there is no pair of responses in it")
            .expected("rows as JudgeBench, RewardBench, LLMBar or MT-Bench have them")
            .in_file(file)),
        false => Ok(read),
    }
}

/// The objects of a file: JSON lines, or one JSON list.
pub(crate) fn json_rows(file: &Path) -> Result<Vec<Value>, Problem> {
    let text =
        fs::read_to_string(file).map_err(|error| Problem::new(error.to_string()).in_file(file))?;
    let text = text.trim_start_matches('\u{feff}');
    let wrong = |why: serde_json::Error| Problem::new(format!("not JSON: {why}")).in_file(file);
    match text.trim_start().starts_with('[') {
        true => serde_json::from_str(text).map_err(wrong),
        false => {
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            lines
                .map(|line| serde_json::from_str(line).map_err(wrong))
                .collect()
        }
    }
}

enum Found {
    Pairs(Vec<ResponsePair>),
    /// One of several votes about the same pair.
    Vote(ResponsePair),
}

/// What a pair is called: what the row says, or which row it is.
pub(crate) fn id_of_row(row: &Value, at: usize) -> String {
    let mut keys = ["pair_id", "id", "original_id"].iter();
    let id = keys.find_map(|key| text_of(&row[*key]));
    id.unwrap_or_else(|| (at + 1).to_string())
}

/// What a pair of models is called at a turn of a question, whichever of them comes first.
pub(crate) fn id_of_models(row: &Value, [one, other]: [&str; 2]) -> String {
    let question = text_of(&row["question_id"]).unwrap_or_default();
    let turn = row["turn"].as_u64().unwrap_or(1).max(1);
    let (low, high) = if one > other {
        (other, one)
    } else {
        (one, other)
    };
    format!("{question}/{turn}/{low}/{high}")
}

fn pairs_of(row: &Value, at: usize) -> Result<Found, String> {
    let text = |key: &str| text_of(&row[key]).ok_or_else(|| format!("`{key}` is missing"));
    let id = id_of_row(row, at);
    let mut group = ["source", "subset", "category"].iter();
    let group = group
        .find_map(|key| text_of(&row[*key]))
        .unwrap_or_default();
    let pair = |prompt: String, first: String, second: String, better| ResponsePair {
        id: id.clone(),
        prompt,
        first,
        second,
        better,
        group: group.clone(),
    };
    if row.get("response_A").is_some() {
        let better = match text("label")?.as_str() {
            "A>B" => BetterResponse::First,
            "B>A" => BetterResponse::Second,
            "A=B" => BetterResponse::Tie,
            other => return Err(format!("`label` is {other:?}, not A>B or B>A")),
        };
        let made = pair(
            text("question")?,
            text("response_A")?,
            text("response_B")?,
            better,
        );
        return Ok(Found::Pairs(vec![made]));
    }
    if row.get("output_1").is_some() {
        let better = match text("label")?.as_str() {
            "1" => BetterResponse::First,
            "2" => BetterResponse::Second,
            other => return Err(format!("`label` is {other:?}, not 1 or 2")),
        };
        let made = pair(text("input")?, text("output_1")?, text("output_2")?, better);
        return Ok(Found::Pairs(vec![made]));
    }
    if row.get("chosen").is_some() {
        return chosen(row, &id, &group, text("prompt")?);
    }
    if row.get("conversation_a").is_some() {
        return vote(row);
    }
    Err("it has none of response_A, output_1, chosen and conversation_a".into())
}

/// RewardBench: what was chosen with what was not. Which stands first alternates, so that a judge
/// that always takes the first is right half of the time.
fn chosen(row: &Value, id: &str, group: &str, prompt: String) -> Result<Found, String> {
    let list = |value: &Value| match value {
        Value::Array(all) => all.iter().filter_map(text_of).collect(),
        other => text_of(other).into_iter().collect::<Vec<_>>(),
    };
    let right = list(&row["chosen"]);
    let wrong = list(&row["rejected"]);
    let right = right.first().ok_or("`chosen` is empty")?;
    if wrong.is_empty() {
        return Err("`rejected` is empty".into());
    }
    let several = wrong.len() > 1;
    let pairs = wrong.iter().enumerate().map(|(nth, wrong)| {
        let id = match several {
            true => format!("{id}/{}", nth + 1),
            false => id.to_owned(),
        };
        let swapped = id.bytes().map(usize::from).sum::<usize>() % 2 == 1;
        let (first, second, better) = match swapped {
            true => (wrong, right, BetterResponse::Second),
            false => (right, wrong, BetterResponse::First),
        };
        ResponsePair {
            id,
            prompt: prompt.clone(),
            first: first.clone(),
            second: second.clone(),
            better,
            group: group.to_owned(),
        }
    });
    Ok(Found::Pairs(pairs.collect()))
}

/// MT-Bench: one vote. The same pair may come with the models exchanged.
fn vote(row: &Value) -> Result<Found, String> {
    let turn = row["turn"].as_u64().unwrap_or(1).max(1) as usize;
    let said = |key: &str, role: &str| {
        let turns = row[key].as_array().into_iter().flatten();
        let mut own = turns.filter(|turn| turn["role"] == role);
        own.nth(turn - 1).and_then(|turn| text_of(&turn["content"]))
    };
    let first = said("conversation_a", "assistant").ok_or("`conversation_a` has no such turn")?;
    let second = said("conversation_b", "assistant").ok_or("`conversation_b` has no such turn")?;
    let prompt = said("conversation_a", "user").unwrap_or_default();
    let model = |key: &str| text_of(&row[key]).unwrap_or_default();
    let a = model("model_a");
    let b = model("model_b");
    let better = match text_of(&row["winner"]).as_deref() {
        Some("model_a") => BetterResponse::First,
        Some("model_b") => BetterResponse::Second,
        Some(tie) if tie.starts_with("tie") => BetterResponse::Tie,
        other => return Err(format!("`winner` is {other:?}")),
    };
    let exchanged = a > b;
    let pair = ResponsePair {
        id: id_of_models(row, [&a, &b]),
        prompt,
        first,
        second,
        better,
        group: format!("turn {turn}"),
    };
    Ok(Found::Vote(match exchanged {
        true => exchange(pair),
        false => pair,
    }))
}

fn exchange(pair: ResponsePair) -> ResponsePair {
    ResponsePair {
        better: match pair.better {
            BetterResponse::First => BetterResponse::Second,
            BetterResponse::Second => BetterResponse::First,
            BetterResponse::Tie => BetterResponse::Tie,
        },
        first: pair.second,
        second: pair.first,
        ..pair
    }
}

/// The pair with the side that most votes are for.
fn decided(votes: Vec<ResponsePair>) -> Option<ResponsePair> {
    let count = |better| votes.iter().filter(|vote| vote.better == better).count();
    let first = count(BetterResponse::First);
    let second = count(BetterResponse::Second);
    let ties = count(BetterResponse::Tie);
    let better = match first.cmp(&second) {
        _ if ties > first && ties > second => BetterResponse::Tie,
        std::cmp::Ordering::Greater => BetterResponse::First,
        std::cmp::Ordering::Less => BetterResponse::Second,
        std::cmp::Ordering::Equal => BetterResponse::Tie,
    };
    let pair = votes.into_iter().next()?;
    Some(ResponsePair { better, ..pair })
}

/// A text or a number as text; nothing where there is neither, or nothing in it.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> PairsRead {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pairs.json");
        fs::write(&file, text).unwrap();
        read_pairs(&file).unwrap()
    }

    #[test]
    fn every_layout_gives_the_better_response() {
        let one = |text: &str| {
            let pairs = read(text).pairs;
            let pair = &pairs[0];
            match pair.better {
                BetterResponse::First => pair.first.clone(),
                BetterResponse::Second => pair.second.clone(),
                BetterResponse::Tie => "tie".into(),
            }
        };
        assert_eq!(
            one(r#"{"question":"?","response_A":"a","response_B":"b","label":"B>A"}"#),
            "b"
        );
        assert_eq!(
            one(r#"[{"input":"?","output_1":"a","output_2":"b","label":1}]"#),
            "a"
        );
        for id in 0..6 {
            let row = format!(r#"{{"prompt":"?","chosen":"good","rejected":"bad","id":{id}}}"#);
            assert_eq!(one(&row), "good");
        }
    }

    #[test]
    fn votes_about_one_pair_are_counted_together_whatever_their_order() {
        let vote = |a: &str, b: &str, winner: &str| {
            let said = |who: &str| {
                format!(
                    r#"[{{"role":"user","content":"?"}},{{"role":"assistant","content":"{who}"}}]"#
                )
            };
            format!(
                r#"{{"question_id":81,"model_a":"{a}","model_b":"{b}","winner":"{winner}","conversation_a":{},"conversation_b":{},"turn":1}}"#,
                said(a),
                said(b)
            )
        };
        let lines = [
            vote("x", "y", "model_a"),
            vote("y", "x", "model_b"),
            vote("x", "y", "tie"),
        ];
        let pairs = read(&lines.join("\n")).pairs;
        assert_eq!(pairs.len(), 1);
        assert_eq!(
            (pairs[0].better, pairs[0].first.as_str()),
            (BetterResponse::First, "x")
        );
    }

    #[test]
    fn a_row_that_is_no_pair_is_listed_and_the_rest_is_read() {
        let text = "{\"prompt\":\"?\",\"chosen\":[\"a\"],\"rejected\":[\"b\",\"c\",\"d\"],\"id\":\"7\"}\n{\"x\":1}\n";
        let found = read(text);
        assert_eq!(found.pairs.len(), 3);
        assert_eq!(found.left_out[0].0, "row 2");
    }
}
