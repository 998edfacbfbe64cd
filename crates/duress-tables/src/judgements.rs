//! What judges of pairs said in both orders, as JudgeBench, LLMBar and MT-Bench (FastChat) keep it.
//!
//! JudgeBench: `judgments`, the first with A first, the second with B first, each decision in its own
//! frame. LLMBar: the last of `results`, with `swap = False` and `swap = True`, the winner mapped back.
//! FastChat: `g1_winner` and `g2_winner`, mapped back. MT-Bench: `winner` of a `judge` that is a list, one
//! verdict out of both orders. What is null, `error` or anything else is no
//! judgement, and says so.

use std::collections::BTreeSet;
use std::path::Path;

use duress_core::problem::Problem;
use serde_json::Value;

use crate::pairs::{id_of_models, id_of_row, json_rows};

/// What a judge said of one pair.
#[derive(Clone, Debug, PartialEq)]
pub struct PairJudgement {
    /// The pair, as [`read_pairs`](crate::pairs::read_pairs) calls it.
    pub id: String,
    /// How far it preferred the one that stood first: 1, 0, or a half for a tie; or why that is not
    /// known.
    pub as_given: Result<f64, String>,
    /// The same when the two had changed places.
    pub swapped: Result<f64, String>,
}

/// Reads what a judge said.
///
/// # Errors
/// A file that is not there, is no JSON, has no judgement, or two of one pair.
pub fn read_judgements(file: &Path) -> Result<Vec<PairJudgement>, Problem> {
    let rows = json_rows(file)?.into_iter().enumerate();
    let found: Vec<PairJudgement> = rows.filter_map(|(at, row)| judgement(&row, at)).collect();
    let mut seen = BTreeSet::new();
    if let Some(twice) = found.iter().find(|one| !seen.insert(&one.id)) {
        let problem = Problem::new(format!(
            "there are two judgements of the pair {:?}",
            twice.id
        ));
        return Err(problem.expected("a file for each judge").in_file(file));
    }
    match found.is_empty() {
        true => Err(Problem::new("there is no judgement in it")
            .expected("`judgments`, `results`, or `g1_winner` and `g2_winner`")
            .in_file(file)),
        false => Ok(found),
    }
}

fn judgement(row: &Value, at: usize) -> Option<PairJudgement> {
    if let Some(said) = row["judgments"].as_array() {
        return Some(of_judgebench(row, at, said));
    }
    if let Some(last) = row["results"].as_array().and_then(|all| all.last()) {
        return Some(of_llmbar(row, at, last));
    }
    if row.get("g1_winner").is_some() {
        return Some(of_fastchat(row));
    }
    // People's votes are called as the judge's verdicts are, but for who gave them.
    row["judge"].as_array()?;
    row.get("winner").map(|_| of_mt_bench(row))
}

/// Each decision is about who stood first when it was made.
fn of_judgebench(row: &Value, at: usize, said: &[Value]) -> PairJudgement {
    let decision = |nth: usize| match said.get(nth).map(|one| &one["decision"]) {
        Some(Value::String(decision)) => match decision.as_str() {
            "A>B" => Ok(1.0),
            "B>A" => Ok(0.0),
            "A=B" => Ok(0.5),
            other => Err(format!("the decision is {other:?}")),
        },
        _ => Err("there is no decision".into()),
    };
    PairJudgement {
        id: id_of_row(row, at),
        as_given: decision(0),
        swapped: decision(1),
    }
}

fn of_llmbar(row: &Value, at: usize, last: &Value) -> PairJudgement {
    let winner = |order: &str| last[order]["winner"].as_str();
    PairJudgement {
        id: id_of_row(row, at),
        as_given: first_won(winner("swap = False"), ["1", "2"]),
        swapped: first_won(winner("swap = True"), ["2", "1"]),
    }
}

/// The keys of two models, the one whose name comes first in the alphabet first, as in the pair.
fn in_order<'a>(row: &Value, keys: [&'a str; 2]) -> [&'a str; 2] {
    let [one, other] = keys.map(|key| row[key].as_str().unwrap_or_default());
    match one > other {
        true => [keys[1], keys[0]],
        false => keys,
    }
}

fn named_models<'a>(row: &'a Value, keys: [&str; 2]) -> [&'a str; 2] {
    keys.map(|key| row[key].as_str().unwrap_or_default())
}

/// In the first game `model_1` stood first, in the second `model_2`.
fn of_fastchat(row: &Value) -> PairJudgement {
    let keys = ["model_1", "model_2"];
    let [first, second] = in_order(row, keys);
    let games = match first == keys[0] {
        true => ["g1_winner", "g2_winner"],
        false => ["g2_winner", "g1_winner"],
    };
    let [as_given, swapped] = games.map(|game| row[game].as_str());
    PairJudgement {
        id: id_of_models(row, named_models(row, keys)),
        as_given: first_won(as_given, [first, second]),
        swapped: first_won(swapped, [second, first]),
    }
}

/// One verdict out of both orders: which of them said what is not kept where they differ.
fn of_mt_bench(row: &Value) -> PairJudgement {
    let keys = ["model_a", "model_b"];
    let [first, second] = in_order(row, keys);
    let id = id_of_models(row, named_models(row, keys));
    let winner = row["winner"].as_str();
    if winner == Some("tie (inconsistent)") {
        let why = || Err("the two orders differ, and the file does not say how".to_string());
        return PairJudgement {
            id,
            as_given: why(),
            swapped: why(),
        };
    }
    PairJudgement {
        id,
        as_given: first_won(winner, [first, second]),
        swapped: first_won(winner, [second, first]),
    }
}

/// Whether the winner, by its own name, is the one that stood first.
fn first_won(winner: Option<&str>, [first, second]: [&str; 2]) -> Result<f64, String> {
    match winner {
        Some(won) if won == first => Ok(1.0),
        Some(won) if won == second => Ok(0.0),
        Some(tie) if tie.starts_with("tie") => Ok(0.5),
        Some(other) => Err(format!("the winner is {other:?}")),
        None => Err("there is no winner".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<PairJudgement> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("said.json");
        std::fs::write(&file, text).unwrap();
        read_judgements(&file).unwrap()
    }

    fn said(one: &PairJudgement) -> (Option<f64>, Option<f64>) {
        (one.as_given.clone().ok(), one.swapped.clone().ok())
    }

    #[test]
    fn decisions_of_judgebench_are_each_in_their_own_frame() {
        // A wins twice: it stood first, then second. And one that always takes the first.
        let rows = r#"{"pair_id":"p","judgments":[{"decision":"A>B"},{"decision":"B>A"}]}
{"pair_id":"q","judgments":[{"decision":"A>B"},{"decision":"A>B"}]}
{"pair_id":"r","judgments":[{"decision":null},null]}"#;
        let found = read(rows);
        assert_eq!(said(&found[0]), (Some(1.0), Some(0.0)));
        assert_eq!(said(&found[1]), (Some(1.0), Some(1.0)));
        assert_eq!(said(&found[2]), (None, None));
    }

    #[test]
    fn winners_of_llmbar_are_mapped_back_and_the_last_result_counts() {
        let rows = r#"[{"input":"?","results":[{"swap = False":{"winner":"2"}},{"swap = False":{"winner":"1"},"swap = True":{"winner":"1"}}]},
            {"input":"?","results":[{"swap = False":{"winner":"1"},"swap = True":{"winner":null}}]}]"#;
        let found = read(rows);
        assert_eq!(said(&found[0]), (Some(1.0), Some(0.0)));
        assert_eq!(said(&found[1]), (Some(1.0), None));
        assert_eq!((found[0].id.as_str(), found[1].id.as_str()), ("1", "2"));
    }

    #[test]
    fn a_verdict_of_mt_bench_stands_for_both_orders_and_an_inconsistent_one_for_none() {
        let row = |winner: &str| {
            format!(
                r#"{{"question_id":8,"turn":1,"model_a":"y","model_b":"x","judge":["gpt-4","pair-v2"],"winner":"{winner}"}}"#
            )
        };
        // x comes first in the alphabet, so it stands first in the pair.
        let found = read(&row("model_b"));
        assert_eq!(
            (found[0].id.as_str(), said(&found[0])),
            ("8/1/x/y", (Some(1.0), Some(0.0)))
        );
        assert_eq!(said(&read(&row("tie"))[0]), (Some(0.5), Some(0.5)));
        assert_eq!(said(&read(&row("tie (inconsistent)"))[0]), (None, None));
    }

    #[test]
    fn winners_of_fastchat_are_mapped_back_whatever_the_order_of_the_models() {
        let row = |one: &str, two: &str, g1: &str, g2: &str| {
            format!(
                r#"{{"question_id":8,"turn":2,"model_1":"{one}","model_2":"{two}","g1_winner":"{g1}","g2_winner":"{g2}"}}"#
            )
        };
        // x wins both games; it stands first in the pair, whichever of the two it is called.
        let found = read(&row("x", "y", "model_1", "model_1"));
        assert_eq!(
            (found[0].id.as_str(), said(&found[0])),
            ("8/2/x/y", (Some(1.0), Some(0.0)))
        );
        let found = read(&row("y", "x", "model_2", "model_2"));
        assert_eq!(
            (found[0].id.as_str(), said(&found[0])),
            ("8/2/x/y", (Some(1.0), Some(0.0)))
        );
        // Whoever is shown first wins: model_1 in the first game, model_2 in the second.
        let found = read(&row("y", "x", "model_1", "model_2"));
        assert_eq!(said(&found[0]), (Some(1.0), Some(1.0)));
        let found = read(&row("x", "y", "tie", "error"));
        assert_eq!(said(&found[0]), (Some(0.5), None));
    }
}
