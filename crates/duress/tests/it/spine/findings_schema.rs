//! The JSON schema of findings: it describes what is written, key by key.

use std::collections::BTreeSet;

use duress_core::gauge::{
    Accepted, Bin, Detail, Direction, Gated, Grid, GridCell, Group, GroupSpread, Undefined, Unit,
};
use duress_core::subject::FailureKind;
use duress_core::word::Word;
use duress_findings::{
    About, AbsenceReason, ActsOn, AnswersRead, Caveat, ClaimSide, Correction, Doubt, EdgeShares,
    Exhibit, FigureFormat, FileRead, Findings, Id, IntervalMethod, JudgingMethod, Layout, MapPair,
    Missed, NoBreak, NumberForm, Place, PressedWindows, Reading, Resampled, SCHEMA, Scope, Shape,
    Sight, TestMethod, TestRoute, Under, Units, Verdict,
};
use serde_json::Value;

use super::{found, name, small};

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

/// The first reason why `value` is not what the schema says. A key that the schema does not name is
/// such a reason, which it is not for a reader: keys may be added.
fn misfit(value: &Value, schema: &Value, root: &Value) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return misfit(value, root.pointer(&name[1..]).unwrap(), root);
    }
    for some in ["oneOf", "anyOf"] {
        if let Some(list) = schema[some].as_array() {
            let reasons: Vec<String> = list
                .iter()
                .filter_map(|one| misfit(value, one, root))
                .collect();
            return (reasons.len() == list.len()).then(|| reasons.join("; or "));
        }
    }
    if !schema["const"].is_null() && schema["const"] != *value {
        return Some(format!("{value} is not {}", schema["const"]));
    }
    if let Some(words) = schema["enum"].as_array() {
        return (!words.contains(value)).then(|| format!("{value} is none of {words:?}"));
    }
    match (schema["type"].as_str().unwrap(), value) {
        ("object", Value::Object(_)) => misfit_in_object(value, schema, root),
        ("array", Value::Array(list)) => misfit_in_list(list, schema, root),
        ("string", Value::String(_))
        | ("number", Value::Number(_))
        | ("boolean", Value::Bool(_))
        | ("null", Value::Null) => None,
        ("integer", Value::Number(number)) if number.is_u64() => None,
        // What may be below zero says how far.
        ("integer", Value::Number(number)) if number.as_i64() >= schema["minimum"].as_i64() => None,
        (kind, other) => Some(format!("{other} is not of type {kind}")),
    }
}

fn misfit_in_object(value: &Value, schema: &Value, root: &Value) -> Option<String> {
    let object = value.as_object().unwrap();
    let mut required = schema["required"].as_array().into_iter().flatten();
    if let Some(missing) = required.find(|key| !object.contains_key(key.as_str().unwrap())) {
        return Some(format!("{missing} is missing in {value}"));
    }
    object
        .iter()
        .find_map(|(key, inner)| match &schema["properties"][key] {
            Value::Null => Some(format!("the schema does not name `{key}`")),
            known => misfit(inner, known, root).map(|why| format!("{key}: {why}")),
        })
}

fn misfit_in_list(list: &[Value], schema: &Value, root: &Value) -> Option<String> {
    let wrong_length = |key: &str, wrong: fn(u64, u64) -> bool| {
        schema[key]
            .as_u64()
            .is_some_and(|bound| wrong(list.len() as u64, bound))
    };
    if wrong_length("minItems", |n, least| n < least)
        || wrong_length("maxItems", |n, most| n > most)
    {
        return Some(format!("{} entries", list.len()));
    }
    list.iter().enumerate().find_map(|(i, inner)| {
        let of_place = &schema["prefixItems"][i];
        let of_all = &schema["items"];
        misfit(
            inner,
            if of_place.is_null() { of_all } else { of_place },
            root,
        )
    })
}

fn check(findings: &Findings) {
    let written = serde_json::to_value(findings).unwrap();
    let schema = schema();
    assert_eq!(misfit(&written, &schema, &schema), None);
}

fn rich() -> Findings {
    found(&small(
        "[analysis]\ngauges = [\"accuracy\", \"area\"]\nslices = [\"class\"]\n\n\
         [condition.storm]\npress = [{ use = \"shove\", severity = 0.3 }]\n\n\
         [[level]]\nname = \"chance\"\ngauge = \"accuracy\"\nvalue = 0.5\n\n\
         [[expectation]]\ngauge = \"accuracy\"\nof = \"actor\"\nlow = 0.1\nhigh = 0.2\nsource = \"somebody\"\n\n\
         [[claim]]\nname = \"it holds\"\ngauge = \"accuracy\"\nof = \"actor\"\nagainst = \"clean\"\nat = { ladder = \"shove\", severity = 0.5 }\nmargin = -0.1\n",
    ))
}

#[test]
fn the_schema_names_all_that_a_run_writes() {
    let findings = rich();
    assert!(!findings.claims.is_empty() && !findings.curves.is_empty());
    assert!(!findings.contrasts.is_empty() && !findings.levels.is_empty());
    check(&findings);
}

/// Every detail, written out: a field more does not compile here, and then is not in the schema.
fn details() -> Vec<(u64, Detail)> {
    let accepted = Accepted {
        threshold: 0.5,
        coverage: 0.9,
        accuracy: None,
    };
    let groups = [Ok(1.0), Err(Undefined { why: "none".into() })].map(|value| Group {
        name: "a".into(),
        n: 1,
        value,
    });
    let cell = GridCell {
        n: 1,
        value: Ok(0.5),
    };
    let grid = Grid {
        row_axis: "arrangement".into(),
        column_axis: "group".into(),
        rows: vec!["ABDC".into()],
        columns: vec!["all".into()],
        cells: vec![cell],
    };
    let spread = GroupSpread {
        groups: groups.to_vec(),
        spread: 0.1,
        net_spread: Some(0.0),
        floor: 0.95,
        p: 0.5,
        shuffles: 99,
    };
    let bin = Bin {
        low: 0.0,
        high: 1.0,
        n: 0,
        confidence: None,
        accuracy: Some(0.5),
    };
    let all = [
        Detail::Groups(groups.into()),
        Detail::Grid(grid),
        Detail::Spread(spread),
        Detail::Bins(vec![bin]),
        Detail::Matrix {
            names: vec!["a".into()],
            counts: vec![1],
        },
        Detail::Curve {
            x: "x".into(),
            y: "y".into(),
            points: vec![(0.0, 1.0)],
        },
        Detail::Thresholds(vec![accepted.clone()]),
        Detail::Gates {
            score: "ssim".into(),
            points: vec![Gated {
                above: 0.1,
                accepted,
            }],
        },
    ];
    all.into_iter().map(|detail| (1, detail)).collect()
}

fn sights() -> Vec<Sight> {
    vec![
        Sight::Image {
            shape: [1, 1, 1],
            before: vec![0],
            after: vec![255],
            maps: vec![MapPair {
                asked: "map by grad-cam towards clean-answer".into(),
                height: 1,
                width: 1,
                before: vec![-127],
                after: vec![127],
            }],
        },
        Sight::Text {
            before: "a".into(),
            after: "b".into(),
        },
        Sight::Graph {
            variables: vec!["a".into(), "b".into()],
            truth: vec![(0, 1)],
            clean: vec![],
            pressed: vec![(1, 0)],
            shares: Some(EdgeShares {
                seeds: 1,
                clean: vec![((0, 1), 0.5)],
                pressed: vec![],
            }),
        },
    ]
}

#[test]
fn the_schema_names_what_only_some_runs_write() {
    let mut findings = rich();
    findings.estimates[0].details = details();
    let place = Place {
        subject: name("actor"),
        dataset: name("tiny"),
        under: Under::Everything,
    };
    findings.exhibits = sights()
        .into_iter()
        .map(|sight| Exhibit {
            place: place.clone(),
            seed: 1,
            item: "i".into(),
            truth: "t".into(),
            said_clean: "c".into(),
            said_pressed: "p".into(),
            sight,
        })
        .collect();
    findings.made.commit = Some("0123abc+".into());
    findings.made.files = vec![FileRead {
        path: "a.csv".into(),
        hash: "00".into(),
        unread: vec!["age".into()],
    }];
    check(&findings);
    for shape in [
        Shape::Graceful { largest_share: 0.4 },
        Shape::NoDrop,
        Shape::Undefined(AbsenceReason::OneSeed),
    ] {
        findings.curves[0].shape = shape;
        check(&findings);
    }
}

/// The kinds that the schema lists for a value that is told by its kind.
fn kinds(schema: &Value, name: &str) -> Vec<String> {
    let alternatives = schema["$defs"][name]["oneOf"].as_array().unwrap();
    let kind = |one: &Value| {
        one["properties"]["kind"]["const"]
            .as_str()
            .unwrap()
            .to_string()
    };
    alternatives.iter().map(kind).collect()
}

#[test]
fn the_schema_has_the_kinds_that_findings_have() {
    let schema = schema();
    assert_eq!(kinds(&schema, "AbsenceReason"), AbsenceReason::KINDS);
    assert_eq!(kinds(&schema, "Doubt"), Doubt::KINDS);
    assert_eq!(kinds(&schema, "JudgingMethod"), JudgingMethod::KINDS);
    assert_eq!(kinds(&schema, "Method"), IntervalMethod::KINDS);
    assert_eq!(kinds(&schema, "Missed"), Missed::KINDS);
    assert_eq!(kinds(&schema, "NoBreak"), NoBreak::KINDS);
    assert_eq!(kinds(&schema, "Resampled"), Resampled::KINDS);
    assert_eq!(kinds(&schema, "TestMethod"), TestMethod::KINDS);
    assert_eq!(kinds(&schema, "TestRoute"), TestRoute::KINDS);
}

/// Every reason and every doubt with fields of other types, and every thing a doubt can be about.
#[test]
fn the_schema_names_the_keys_of_reasons_and_doubts() {
    let mut findings = rich();
    let reasons = [
        AbsenceReason::CleanTwin {
            why: Box::new(AbsenceReason::CellNotRun),
        },
        AbsenceReason::CellFailed {
            failure: FailureKind::TimedOut,
            why: "slow".into(),
        },
        AbsenceReason::StreamedWithin {
            low: 0.1,
            high: 0.2,
        },
    ];
    for why in reasons {
        findings.estimates[0].quantity.value = Reading::Undefined(why);
        check(&findings);
    }
    let place = findings.estimates[0].place.clone();
    let abouts = [
        About::Study,
        About::Subject(name("actor")),
        About::Dataset(name("tiny")),
        About::Stress(Under::Ladder(name("shove"))),
        About::Place(place),
        About::Gauge("accuracy".into()),
        About::Claim("it holds".into()),
    ];
    let doubt = || Doubt::IntervalMisses {
        gauge: "accuracy".into(),
        missed: 1,
        places: 2,
        because: Missed::Repeats,
    };
    findings.caveats = abouts
        .map(|about| Caveat::new(about, doubt()))
        .into_iter()
        .collect();
    findings.curves[0].break_point = Err(NoBreak::Unknown {
        at: duress_core::severity::Severity::parse("0.5").unwrap(),
        why: AbsenceReason::OneSeed,
    });
    check(&findings);
    let said = serde_json::to_string(&findings).unwrap();
    assert_eq!(duress_findings::from_json(&said).unwrap(), findings);
}

#[test]
fn ids_are_unique_and_stay_when_a_subject_and_a_gauge_are_added() {
    let few = found(&small("[analysis]\ngauges = [\"accuracy\", \"area\"]\n"));
    let many = found(&small(
        "[subject.earlier]\nuse = \"actor\"\n\n\
         [analysis]\ngauges = [\"nll\", \"accuracy\", \"area\"]\nslices = [\"class\"]\nreference = \"actor\"\n",
    ));
    let ids = |findings: &Findings| -> BTreeSet<Id> { findings.ids().cloned().collect() };
    for findings in [&few, &many, &rich()] {
        assert_eq!(ids(findings).len(), findings.ids().count());
    }
    assert!(ids(&few).len() > 5 && ids(&few).len() < ids(&many).len());
    assert!(ids(&few).is_subset(&ids(&many)));
    let value = |findings: &Findings, id: &Id| {
        let one = findings.estimates.iter().find(|one| one.id == *id);
        one.map(|one| one.quantity.clone())
    };
    for one in &few.estimates {
        assert_eq!(value(&many, &one.id), Some(one.quantity.clone()));
    }
}

#[test]
fn the_schema_has_the_words_that_findings_have() {
    let schema = schema();
    let words = |name: &str| schema["$defs"][name]["enum"].clone();
    assert_eq!(words("ActsOn"), Value::from(ActsOn::spellings()));
    assert_eq!(words("Units"), Value::from(Units::spellings()));
    assert_eq!(words("Verdict"), Value::from(Verdict::spellings()));
    assert_eq!(words("Scope"), Value::from(Scope::spellings()));
    assert_eq!(words("Direction"), Value::from(Direction::spellings()));
    assert_eq!(words("Unit"), Value::from(Unit::spellings()));
    assert_eq!(words("Correction"), Value::from(Correction::spellings()));
    assert_eq!(words("AnswersRead"), Value::from(AnswersRead::spellings()));
    let windows = Value::from(PressedWindows::spellings());
    assert_eq!(words("PressedWindows"), windows);
    assert_eq!(words("ClaimSide"), Value::from(ClaimSide::spellings()));
    assert_eq!(
        words("FigureFormat"),
        Value::from(FigureFormat::spellings())
    );
    assert_eq!(words("NumberForm"), Value::from(NumberForm::spellings()));
    assert_eq!(words("Layout"), Value::from(Layout::spellings()));
    assert_eq!(
        schema["properties"]["version"]["const"],
        Value::from(duress_findings::VERSION)
    );
}
