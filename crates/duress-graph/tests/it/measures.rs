//! Gauges of graphs against other software: the values come from `peers/causal`.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use duress_core::answer::GraphAnswer;
use duress_core::graph::Graph;
use duress_graph::measure::class_distance;
use duress_graph::ranking::Ranking;
use duress_graph::sid::structural_intervention_distance;
use serde_json::Value;

#[test]
fn distances_and_rankings_agree_with_gadjid_causal_learn_and_scikit_learn() {
    let cases = include_str!("../data/graphs.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let mut count = 0;
    for case in cases {
        let case: Value = case;
        let (truth, answer) = (graph(&case, "truth"), graph(&case, "answer"));
        assert_eq!(
            structural_intervention_distance(&truth, &answer).unwrap() as u64,
            case["sid"],
            "{case}"
        );
        assert_eq!(
            class_distance(&truth, &answer).unwrap() as u64,
            case["shd_cpdag"],
            "{case}"
        );
        let scores = case["scores"]
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect();
        let answer = GraphAnswer {
            graph: answer,
            scores,
            rule: String::new(),
        };
        let ranking = Ranking::directed(&truth, &answer).unwrap();
        close(ranking.auroc().ok(), &case["auroc"]);
        close(ranking.average_precision().ok(), &case["auprc"]);
        count += 1;
    }
    assert_eq!(count, 300);
}

fn graph(case: &Value, key: &str) -> Graph {
    let names = (0..case["d"].as_u64().unwrap())
        .map(|i| format!("x{i}"))
        .collect();
    let end = |edge: &Value, at: usize| edge[at].as_u64().unwrap() as u32;
    let edges = case[key]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| (end(edge, 0), end(edge, 1)));
    Graph::new(names, edges).unwrap()
}

fn close(found: Option<f64>, expected: &Value) {
    match (found, expected.as_f64()) {
        (Some(found), Some(expected)) => {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}")
        }
        (found, expected) => assert_eq!(found, expected, "both have a value, or neither"),
    }
}
