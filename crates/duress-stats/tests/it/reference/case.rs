//! A reference case: reading it, and holding an answer against it.

use std::collections::BTreeMap;
use std::path::Path;

use duress_stats::{Route, Side, TestResult, UndefinedReason};
use serde_json::Value;

/// Named numbers; a single number has the name "value", a list the names "0", "1", ….
pub(crate) type Answer = BTreeMap<String, f64>;

pub(crate) struct Case(Value);

impl Case {
    pub(crate) fn ask(&self) -> &str {
        self.0["ask"].as_str().expect("a case asks for something")
    }

    pub(crate) fn number(&self, key: &str) -> f64 {
        number(&self.0[key])
    }

    pub(crate) fn count(&self, key: &str) -> usize {
        self.0[key]
            .as_u64()
            .unwrap_or_else(|| panic!("{key} is a count in {}", self.0)) as usize
    }

    pub(crate) fn text(&self, key: &str) -> &str {
        self.0[key]
            .as_str()
            .unwrap_or_else(|| panic!("{key} is a word in {}", self.0))
    }

    /// A sample: numbers, or the recipe of a long one.
    pub(crate) fn sample(&self, key: &str) -> Vec<f64> {
        match &self.0[key] {
            Value::Array(values) => values.iter().map(number).collect(),
            recipe => weyl(recipe),
        }
    }

    pub(crate) fn bools(&self, key: &str) -> Vec<bool> {
        self.array(key)
            .iter()
            .map(|v| v.as_bool().expect("a truth"))
            .collect()
    }

    pub(crate) fn weights(&self, key: &str) -> Vec<u32> {
        self.array(key)
            .iter()
            .map(|v| v.as_u64().expect("a weight") as u32)
            .collect()
    }

    pub(crate) fn rows(&self, key: &str) -> Vec<Vec<f64>> {
        let row = |v: &Value| v.as_array().expect("a row").iter().map(number).collect();
        self.array(key).iter().map(row).collect()
    }

    fn array(&self, key: &str) -> &Vec<Value> {
        self.0[key]
            .as_array()
            .unwrap_or_else(|| panic!("{key} is a list in {}", self.0))
    }

    pub(crate) fn side(&self) -> Side {
        match self.text("side") {
            "two-sided" => Side::TwoSided,
            "greater" => Side::Greater,
            _ => Side::Less,
        }
    }

    pub(crate) fn route(&self) -> Route {
        match self.text("route") {
            "exact" => Route::Exact,
            "asymptotic" => Route::Asymptotic { continuity: false },
            "corrected" => Route::Asymptotic { continuity: true },
            _ => Route::Auto,
        }
    }

    fn expected(&self) -> Option<Answer> {
        match &self.0["out"] {
            Value::Null => None,
            Value::Object(named) => {
                Some(named.iter().map(|(k, v)| (k.clone(), number(v))).collect())
            }
            Value::Array(list) => Some(listed(list.iter().map(number))),
            single => Some(one(number(single))),
        }
    }

    /// What is wrong with an answer, and how far off it is at worst.
    fn judge(&self, answer: Result<Answer, UndefinedReason>) -> Result<f64, String> {
        let tolerance = self.number("tol");
        let (answer, expected) = match (answer, self.expected()) {
            (Err(_), None) => return Ok(0.0),
            (Ok(answer), None) => return Err(format!("should be undefined, got {answer:?}")),
            (Err(why), Some(_)) => return Err(why.to_string()),
            (Ok(answer), Some(expected)) => (answer, expected),
        };
        let mut worst: f64 = 0.0;
        for (name, want) in expected {
            let got = answer
                .get(&name)
                .copied()
                .ok_or(format!("no {name} in {answer:?}"))?;
            let error = relative(got, want);
            if error.is_nan() || error > tolerance {
                return Err(format!(
                    "{name}: got {got:e}, want {want:e}, off by {error:.1e}"
                ));
            }
            worst = worst.max(error);
        }
        Ok(worst)
    }
}

/// Relative however small the value is: an absolute floor would let any far tail pass.
pub(crate) fn relative(got: f64, want: f64) -> f64 {
    if got == want {
        0.0
    } else {
        ((got - want) / want).abs()
    }
}

fn number(value: &Value) -> f64 {
    match value {
        Value::String(text) if text == "inf" => f64::INFINITY,
        Value::String(text) if text == "-inf" => f64::NEG_INFINITY,
        value => value
            .as_f64()
            .unwrap_or_else(|| panic!("{value} is a number")),
    }
}

fn weyl(recipe: &Value) -> Vec<f64> {
    let part = |i: usize| recipe["weyl"][i].as_u64().expect("a recipe");
    let (n, multiplier, levels) = (part(0), part(1), part(2) as f64);
    let shift = number(&recipe["shift"]);
    let unit = |i: u64| (i.wrapping_mul(multiplier) % (1 << 32)) as f64 / (1_u64 << 32) as f64;
    (1..=n).map(|i| if levels > 0.0 { (unit(i) * levels).floor() } else { unit(i) } + shift).collect()
}

pub(crate) fn one(value: f64) -> Answer {
    BTreeMap::from([("value".to_owned(), value)])
}

pub(crate) fn listed(values: impl IntoIterator<Item = f64>) -> Answer {
    values
        .into_iter()
        .enumerate()
        .map(|(i, v)| (i.to_string(), v))
        .collect()
}

pub(crate) fn of_test(test: TestResult) -> Answer {
    let mut answer = BTreeMap::from([("statistic", test.statistic), ("p", test.p)]);
    answer.insert("square", test.statistic * test.statistic);
    answer.extend(test.df.map(|df| ("df", df)));
    answer.extend(test.estimate.map(|estimate| ("estimate", estimate)));
    if let Some(interval) = test.interval {
        answer.extend([("low", interval.low), ("high", interval.high)]);
    }
    answer.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()
}

/// Checks all cases of a file and prints the worst error per question.
pub(crate) fn check_file(
    name: &str,
    at_least: usize,
    answer: fn(&Case) -> Result<Answer, UndefinedReason>,
) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(format!("{name}.jsonl"));
    let text = std::fs::read_to_string(path).expect("reference values are committed");
    let cases: Vec<Case> = text
        .lines()
        .map(|l| Case(serde_json::from_str(l).expect("a case")))
        .collect();
    assert!(cases.len() >= at_least, "{} cases", cases.len());
    let mut worst: BTreeMap<String, (usize, f64)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in &cases {
        match case.judge(answer(case)) {
            Ok(error) => {
                let entry = worst.entry(case.ask().to_owned()).or_default();
                *entry = (entry.0 + 1, entry.1.max(error));
            }
            Err(what) => wrong.push(format!("{what}\n    in {:.300}", case.0.to_string())),
        }
    }
    for (ask, (count, error)) in worst {
        println!("{ask:24} {count:5} cases, worst relative error {error:.1e}");
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}
