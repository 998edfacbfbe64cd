//! Little's test: against maximum likelihood found another way (`peers/causal`), and where it has
//! no value.

use duress_stats::UndefinedReason;
use duress_stats::tests::little;
use serde_json::Value;

#[test]
fn it_agrees_with_maximum_likelihood_found_by_an_optimiser() {
    for line in include_str!("../data/little.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let row = |row: &Value| row.as_array().unwrap().iter().map(Value::as_f64).collect();
        let rows: Vec<Vec<Option<f64>>> =
            case["rows"].as_array().unwrap().iter().map(row).collect();
        let test = little(&rows).unwrap();
        assert_eq!(test.df, case["df"].as_f64());
        // The optimiser works with differences for a gradient, which leaves it five digits of d².
        let expected = case["statistic"].as_f64().unwrap();
        assert!(
            (test.statistic / expected - 1.0).abs() < 1e-4,
            "{} {expected}",
            test.statistic
        );
        assert!((test.p - case["p"].as_f64().unwrap()).abs() < 1e-4);
    }
}

#[test]
fn what_cannot_be_tested_is_said() {
    let check = |rows: &[Vec<Option<f64>>], expected: UndefinedReason| {
        assert_eq!(little(rows), Err(expected))
    };
    let full: Vec<Vec<Option<f64>>> = (0..9)
        .map(|i| vec![Some(f64::from(i)), Some(f64::from(i * i))])
        .collect();
    check(
        &full,
        UndefinedReason::TooFew {
            what: "different patterns of gaps",
            need: 2,
            got: 1,
        },
    );
    check(
        &full[..3],
        UndefinedReason::TooFew {
            what: "rows with a value",
            need: 4,
            got: 3,
        },
    );
    let flat: Vec<Vec<Option<f64>>> = (0..9)
        .map(|i| vec![Some(f64::from(i)), Some(2.0)])
        .collect();
    check(
        &flat,
        UndefinedReason::NoSpread {
            what: "the values of a column",
        },
    );
    check(
        &[vec![Some(1.0)], vec![]],
        UndefinedReason::Unpaired { left: 1, right: 0 },
    );
    check(
        &[vec![Some(f64::NAN)]],
        UndefinedReason::NotFinite {
            what: "a row",
            at: 0,
        },
    );
    let mut copies: Vec<Vec<Option<f64>>> = (0..9)
        .map(|i| vec![Some(f64::from(i)), Some(f64::from(2 * i))])
        .collect();
    copies[4][1] = None;
    check(
        &copies,
        UndefinedReason::NoSpread {
            what: "some columns, given the others,",
        },
    );
}
