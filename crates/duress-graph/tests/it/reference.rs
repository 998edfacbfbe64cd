//! Values of other software for the pieces of the learners that have one right answer, made by
//! `cargo xtask peers graphs`.

#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test may panic as the test may"
)]

use duress_core::data::Windows;
use duress_graph::learners::acyclic::{exponential, log_det};
use duress_graph::learners::em_kalman::StateSpaceModel;
use duress_graph::learners::independence::{CorrelationTest, Independence};
use duress_graph::learners::pcmci::Pcmci;
use duress_graph::learners::{lagged_regression, least_squares, nonlinear_var, var_lingam};
use duress_graph::matrix::{Square, add_times};
use duress_graph::panel::{Scaling, StandardisedPanel};
use duress_graph::rows::WeightedRows;
use serde_json::Value;

const CLOSE: f64 = 1e-8;

fn cases() -> Value {
    serde_json::from_str(include_str!("../data/peers.json")).unwrap()
}

fn table(value: &Value) -> Vec<Vec<f64>> {
    let row = |row: &Value| {
        row.as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect()
    };
    value.as_array().unwrap().iter().map(row).collect()
}

/// Their weights are from × to, ours to × from.
fn turned(value: &Value) -> Vec<f64> {
    let rows = table(value);
    (0..rows[0].len())
        .flat_map(|k| rows.iter().map(move |row| row[k]))
        .collect()
}

fn assert_close(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() <= CLOSE * (1.0 + expected.abs()),
        "{what}: {found}, expected {expected}"
    );
}

fn assert_all_close(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len());
    found
        .iter()
        .zip(expected)
        .for_each(|(found, expected)| assert_close(*found, *expected, what));
}

fn moments(rows: &[Vec<f64>], centre: bool) -> Square {
    let (n, d) = (rows.len() as f64, rows[0].len());
    let mut mean = vec![0.0; d];
    rows.iter()
        .filter(|_| centre)
        .for_each(|row| add_times(&mut mean, 1.0 / n, row));
    let mut moments = Square::zeros(d);
    for row in rows {
        let row: Vec<f64> = row.iter().zip(&mean).map(|(x, mean)| x - mean).collect();
        (0..d).for_each(|i| add_times(moments.row_mut(i), row[i] / n, &row));
    }
    moments
}

#[test]
fn tests_of_independence_are_those_of_causal_learn_and_tigramite() {
    let cases = cases();
    let (x, hidden) = (table(&cases["table"]), table(&cases["hidden"]));
    let rows = |gaps: bool| {
        let mut rows = WeightedRows::empty((0..6).map(|i| format!("x{i}")).collect(), 1);
        for (x, hidden) in x.iter().zip(&hidden) {
            let cell = |(x, hidden): (&f64, &f64)| {
                if gaps && *hidden > 0.0 {
                    (0.0, 0.0)
                } else {
                    (*x, 1.0)
                }
            };
            rows.push(0, x.iter().zip(hidden).map(cell));
        }
        rows
    };
    let fisher = Independence::new(&rows(false), CorrelationTest::FisherZ).unwrap();
    let deleted = Independence::new(&rows(true), CorrelationTest::FisherZ).unwrap();
    let student = Independence::new(&rows(false), CorrelationTest::StudentT).unwrap();
    for case in cases["tests"].as_array().unwrap() {
        let given: Vec<usize> = case["given"]
            .as_array()
            .unwrap()
            .iter()
            .map(|k| k.as_u64().unwrap() as usize)
            .collect();
        let expected = |key: &str| case[key].as_f64().unwrap();
        assert_close(
            fisher.test_pair(0, 1, &given).p,
            expected("fisher"),
            "Fisher z",
        );
        assert_close(
            deleted.test_pair(0, 1, &given).p,
            expected("deleted"),
            "Fisher z after test-wise deletion",
        );
        assert_close(student.test_pair(0, 1, &given).r, expected("r"), "ParCorr");
        assert_close(
            student.test_pair(0, 1, &given).p,
            expected("student"),
            "ParCorr's p",
        );
    }
}

#[test]
fn the_trace_of_the_exponential_is_that_of_scipy() {
    for case in cases()["exponential"].as_array().unwrap() {
        let weights = turned(&case["weights"]);
        let mut gradient = vec![0.0; weights.len()];
        assert_close(
            exponential(&weights, 8, &mut gradient),
            case["h"].as_f64().unwrap(),
            "h",
        );
        assert_all_close(&gradient, &turned(&case["gradient"]), "the gradient of h");
    }
}

#[test]
fn the_score_and_the_log_determinant_are_those_of_dagma() {
    let cases = cases();
    let moments = moments(&table(&cases["table"]), true);
    for case in cases["dagma"].as_array().unwrap() {
        let weights = turned(&case["weights"]);
        let mut gradient = vec![0.0; weights.len()];
        let score = least_squares::error(&moments, &weights, 6, &mut gradient);
        assert_close(score, case["score"].as_f64().unwrap(), "the score");
        assert_all_close(
            &gradient,
            &turned(&case["score_gradient"]),
            "the gradient of the score",
        );
        let h = log_det(&weights, 6, case["s"].as_f64().unwrap(), &mut gradient).unwrap();
        assert_close(h, case["h"].as_f64().unwrap(), "log det");
        assert_all_close(
            &gradient,
            &turned(&case["h_gradient"]),
            "the gradient of log det",
        );
    }
}

#[test]
fn the_objective_of_notears_and_dynotears_is_that_of_causalnex() {
    for case in cases()["dynotears"].as_array().unwrap() {
        let (now, before) = (table(&case["now"]), table(&case["before"]));
        let rows: Vec<Vec<f64>> = now
            .iter()
            .zip(&before)
            .map(|(a, b)| [a.as_slice(), b].concat())
            .collect();
        let moments = moments(&rows, false);
        let beside = |w: &[f64], a: &[f64]| {
            w.chunks(4)
                .zip(a.chunks(4))
                .flat_map(|(w, a)| [w, a].concat())
                .collect::<Vec<f64>>()
        };
        let w = turned(&case["w"]);
        let weights = beside(&w, &turned(&case["a"]));
        let (mut gradient, mut slopes) = (vec![0.0; 32], vec![0.0; 16]);
        let error = least_squares::error(&moments, &weights, 4, &mut gradient);
        let h = exponential(&w, 4, &mut slopes);
        assert_close(
            error + 0.5 * h * h,
            case["value"].as_f64().unwrap(),
            "the objective",
        );
        for (gradient, slopes) in gradient.chunks_mut(8).zip(slopes.chunks(4)) {
            add_times(&mut gradient[..4], h, slopes);
        }
        let expected = beside(&turned(&case["w_gradient"]), &turned(&case["a_gradient"]));
        assert_all_close(&gradient, &expected, "its gradient");
    }
}

/// Windows of three variables; `null` is hidden.
fn panel(case: &Value) -> StandardisedPanel {
    let cells: Vec<Option<f64>> = case["windows"]
        .as_array()
        .unwrap()
        .iter()
        .map(Value::as_f64)
        .collect();
    let steps = case["steps"].as_u64().unwrap() as usize;
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let values = cells.iter().map(|cell| cell.unwrap_or(0.0)).collect();
    let mut windows =
        Windows::new(names, steps, vec![0; cells.len() / (3 * steps)], values).unwrap();
    for at in (0..cells.len()).filter(|&at| cells[at].is_none()) {
        windows.hide(at / (3 * steps), at / 3 % steps, at % 3);
    }
    StandardisedPanel::new(&windows).unwrap()
}

#[test]
fn regressions_have_the_p_of_least_squares_with_errors_by_window() {
    for case in cases()["regressions"].as_array().unwrap() {
        let panel = panel(case);
        let linear = lagged_regression::regress(&panel).unwrap();
        let nonlinear = nonlinear_var::regress(&panel).unwrap();
        for (key, scores) in [("linear", linear), ("nonlinear", nonlinear)] {
            for (from, row) in table(&case[key]).into_iter().enumerate() {
                for (to, p) in row.into_iter().enumerate() {
                    let found = libm::erfc(scores.score(from, to).abs() / std::f64::consts::SQRT_2);
                    // The Wald test of four coefficients holds its covariance up by 1e-8 of its
                    // size.
                    assert!(
                        (found - p).abs() <= 1e-6 * p,
                        "{key} {from} → {to}: {found}, expected {p}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_order_within_a_step_is_that_of_var_lingam_of_its_authors() {
    let cases = cases();
    let cases = cases["lingam"].as_array().unwrap();
    assert!(cases.len() >= 9);
    for case in cases {
        let series = table(&case["series"]);
        let names = (0..series[0].len()).map(|v| format!("x{v}")).collect();
        let steps = series.len();
        let windows = Windows::new(names, steps, vec![0], series.concat()).unwrap();
        let panel = StandardisedPanel::new(&windows).unwrap();
        let expected: Vec<usize> = serde_json::from_value(case["order"].clone()).unwrap();
        assert_eq!(var_lingam::order_within_step(&panel).unwrap(), expected);
    }
}

#[test]
fn edges_over_regimes_are_those_of_j_pcmci_of_tigramite() {
    let cases = cases();
    let cases = cases["jpcmci"].as_array().unwrap();
    assert!(cases.len() >= 4);
    for case in cases {
        let regimes: Vec<Vec<Vec<f64>>> = serde_json::from_value(case["series"].clone()).unwrap();
        let steps = regimes[0].len();
        let names: Vec<String> = (0..regimes[0][0].len()).map(|v| format!("x{v}")).collect();
        let numbers = (0..regimes.len() as u32).collect();
        let values = regimes.concat().concat();
        let windows = Windows::new(names, steps, numbers, values).unwrap();
        let panel = StandardisedPanel::pooled(&windows, Scaling::Moments).unwrap();
        let learner = Pcmci {
            context: true,
            ..Pcmci::default()
        };
        let found = learner.learn(&panel).unwrap().graph;
        let expected: Vec<(u32, u32)> = serde_json::from_value(case["edges"].clone()).unwrap();
        let ours = found.edges();
        let missed = expected.iter().filter(|edge| !ours.contains(edge)).count();
        let added = ours.iter().filter(|edge| !expected.contains(edge)).count();
        // Where a p-value is near the level, the order of tests decides.
        assert!(missed <= 1 && added <= 1, "{ours:?}, expected {expected:?}");
    }
}

#[test]
fn a_round_of_em_is_what_the_smoother_of_statsmodels_makes_of_it() {
    let numbers = |value: &Value| -> Vec<f64> {
        value
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect()
    };
    let model = |value: &Value| StateSpaceModel {
        follow: square(&numbers(&value["follow"])),
        drift: numbers(&value["drift"]),
        noise: numbers(&value["noise"]),
        start: square(&numbers(&value["start"])),
    };
    for case in cases()["kalman"].as_array().unwrap() {
        let (found, expected) = (
            model(&case["given"]).improve(&panel(case)).unwrap(),
            model(&case["after"]),
        );
        assert_all_close(found.follow.cells(), expected.follow.cells(), "A");
        assert_all_close(&found.drift, &expected.drift, "the variances of w");
        assert_all_close(&found.noise, &expected.noise, "the variances of v");
        assert_all_close(
            found.start.cells(),
            expected.start.cells(),
            "the covariance at the start",
        );
        let likelihood = numbers(&case["likelihood"]);
        assert!(
            likelihood[1] > likelihood[0],
            "a round of EM raises the likelihood"
        );
    }
}

fn square(cells: &[f64]) -> Square {
    let mut square = Square::zeros(3);
    cells
        .chunks(3)
        .enumerate()
        .for_each(|(i, row)| square.row_mut(i).copy_from_slice(row));
    square
}
