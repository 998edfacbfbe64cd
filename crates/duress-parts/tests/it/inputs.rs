//! Recorded answers in the other shapes people have: long tables, one column for two classes, and
//! scaled by a temperature.

#![expect(clippy::unwrap_used, reason = "in a test an error is a failure")]

use std::path::Path;

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::data::{Inputs, Items};
use duress_core::part::{Build, Params, Raw};
use duress_core::problem::Problem;
use duress_core::subject::{Recording, SubjectPart};
use duress_parts::shared::subjects::recorded::PART;

use crate::built::clean;

fn text(text: &str) -> Raw {
    Raw::Text(text.into())
}

fn list(words: &[&str]) -> Raw {
    Raw::List(words.iter().map(|word| text(word)).collect())
}

fn recording(folder: &Path, keys: &[(&str, Raw)]) -> Result<Box<dyn Recording>, Problem> {
    let mut pairs = vec![("files", text("a.csv"))];
    pairs.extend_from_slice(keys);
    let Build::Subject(build) = PART.build else {
        panic!("recorded is a subject")
    };
    match build(&Params::of(&PART, &pairs, folder).unwrap())? {
        SubjectPart::Recorded(recording) => Ok(recording),
        SubjectPart::Live(_) => panic!("recorded answers are not live"),
    }
}

/// What is read from `a.csv`, beside a `validation.csv`; and what is remarked.
fn read(
    answers: &str,
    validation: &str,
    keys: &[(&str, Raw)],
    ids: &[&str],
) -> Result<(ClassAnswers, Vec<String>), Problem> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.csv"), answers).unwrap();
    std::fs::write(folder.path().join("validation.csv"), validation).unwrap();
    let recording = recording(folder.path(), keys)?;
    let items = Items::new(
        ids.iter().map(|id| (*id).into()).collect(),
        Inputs::Unseen(ids.len()),
    )
    .unwrap();
    let found = recording.look_up(&clean(), recording.answers()[0], &items)?;
    assert_eq!(
        found.validate(ids.len()),
        Ok(()),
        "what is handed on must make sense"
    );
    let remarks = recording.remarks(&clean(), &found);
    let Answers::Classes(said) = found else {
        panic!("classes were asked for")
    };
    Ok((said, remarks))
}

fn said(answers: &str, keys: &[(&str, Raw)], ids: &[&str]) -> Result<ClassAnswers, Problem> {
    read(answers, "", keys, ids).map(|(said, _)| said)
}

fn refused<T>(result: Result<T, Problem>, expected: &str) {
    let problem = result
        .err()
        .unwrap_or_else(|| panic!("this must be refused: {expected}"))
        .to_string();
    assert!(
        problem.contains(expected),
        "found    {problem}\nexpected {expected}"
    );
}

const LONG: &str = "item,class,probability\nx,b,0.25\ny,a,0.5\nx,a,0.75\ny,b,0.5\n";

#[test]
fn a_row_per_item_and_class_is_gathered_by_item() {
    let answers = said(LONG, &[("id", text("item"))], &["y", "x"]).unwrap();
    assert_eq!(answers.classes(), ["a", "b"]);
    assert_eq!(
        *answers.said(),
        Said::Probabilities(vec![0.5, 0.5, 0.75, 0.25])
    );
    let turned = said(
        LONG,
        &[("id", text("item")), ("classes", list(&["b", "a"]))],
        &["x", "y"],
    )
    .unwrap();
    assert_eq!(
        *turned.said(),
        Said::Probabilities(vec![0.25, 0.75, 0.5, 0.5])
    );
    let logits = LONG.replace("probability", "logit").replace("0.25", "-3");
    let logits = said(&logits, &[("id", text("item"))], &["x", "y"]).unwrap();
    assert_eq!(*logits.said(), Said::Logits(vec![0.75, -3.0, 0.5, 0.5]));
}

#[test]
fn a_long_table_with_a_gap_or_a_row_twice_is_refused_with_its_line() {
    let keys = [("id", text("item"))];
    refused(
        said(&LONG.replace("y,b,0.5\n", ""), &keys, &["x", "y"]),
        "a.csv:3: \"y\" has no number for the class \"b\"",
    );
    refused(
        said(&LONG.replace("y,b", "y,a"), &keys, &["x", "y"]),
        "a.csv:5: \"y\" has two numbers for the class \"a\"",
    );
    refused(
        said(&LONG.replace("0.75", "0.9"), &keys, &["x", "y"]),
        "a.csv:2",
    );
    refused(
        said(
            LONG,
            &[("id", text("item")), ("classes", list(&["a", "c"]))],
            &["x"],
        ),
        "none of the classes",
    );
}

#[test]
fn one_column_is_about_the_second_of_two_classes() {
    let names = [("classes", list(&["no", "yes"]))];
    let answers = said(
        "id,y_pred_proba,label\n1,0.25,no\n2,1,yes\n",
        &names,
        &["1", "2"],
    )
    .unwrap();
    assert_eq!(answers.classes(), ["no", "yes"]);
    assert_eq!(
        *answers.said(),
        Said::Probabilities(vec![0.75, 0.25, 0.0, 1.0])
    );
    let named = [("positive", text("risk"))];
    let logits = said(
        "id,risk,age,site\n1,-2.5,40,a\n2,3,50,b\n",
        &named,
        &["1", "2"],
    )
    .unwrap();
    assert_eq!(logits.classes(), ["0", "1"]);
    assert_eq!(*logits.said(), Said::Logits(vec![0.0, -2.5, 0.0, 3.0]));
    let told = [("positive", text("risk")), ("form", text("probabilities"))];
    refused(
        said("id,risk\n1,-2.5\n", &told, &["1"]),
        "a.csv:2: `risk` is -2.5",
    );
    let three = [
        ("positive", text("risk")),
        ("classes", list(&["a", "b", "c"])),
    ];
    refused(
        said("id,risk\n1,0.5\n", &three, &["1"]),
        "one column of numbers for 3 classes",
    );
}

const TEST: &str = "id,a,b\n1,2,0\n2,0,4\n";
const VALIDATION: &str = "id,a,b,label\nv1,2,0,a\nv2,2,0,a\nv3,2,0,b\n";

#[test]
fn a_temperature_is_fitted_on_the_validation_file_and_applied_to_the_others() {
    let fitted = [("fit-temperature-on", text("validation.csv"))];
    let (answers, remarks) = read(TEST, VALIDATION, &fitted, &["1", "2"]).unwrap();
    // Two of three are right at a difference of 2: the temperature makes that say two thirds.
    let t = 2.0 / 2.0_f64.ln();
    let Said::Logits(rows) = answers.said() else {
        panic!("logits stay logits")
    };
    let expected = [2.0 / t, 0.0, 0.0, 4.0 / t];
    assert!(
        rows.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9),
        "{rows:?}"
    );
    assert!(
        remarks
            .iter()
            .any(|one| one.contains("2.8854, fitted on validation.csv")),
        "{remarks:?}"
    );
    assert!(
        remarks.iter().any(|one| one.contains("read as logits")),
        "{remarks:?}"
    );
}

#[test]
fn probabilities_are_scaled_as_the_logits_behind_them_would_be() {
    let probabilities = "id,a,b\n1,0.8,0.2\n2,0,1\n";
    let (answers, _) = read(
        probabilities,
        "",
        &[("temperature", Raw::Number(2.0))],
        &["1", "2"],
    )
    .unwrap();
    let Said::Probabilities(rows) = answers.said() else {
        panic!("probabilities stay probabilities")
    };
    let expected = [2.0 / 3.0, 1.0 / 3.0, 0.0, 1.0];
    assert!(
        rows.iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-12),
        "{rows:?}"
    );
}

#[test]
fn a_temperature_is_never_fitted_on_what_is_tested_nor_where_none_fits() {
    let fitted = [("fit-temperature-on", text("validation.csv"))];
    let same = VALIDATION.replace("v2", "2");
    refused(
        read(TEST, &same, &fitted, &["1", "2"]),
        "validation.csv:3: \"2\" is an item of the test too",
    );
    let right = VALIDATION.replace("v3,2,0,b", "v3,2,0,a");
    refused(
        read(TEST, &right, &fitted, &["1", "2"]),
        "no finite temperature exists",
    );
    refused(
        read(TEST, "id,a,b\nv1,2,0\n", &fitted, &["1", "2"]),
        "there is no column `label`",
    );
    let both = [
        ("fit-temperature-on", text("validation.csv")),
        ("temperature", Raw::Number(2.0)),
    ];
    refused(read(TEST, VALIDATION, &both, &["1", "2"]), "one of the two");
    let labels = [
        ("form", text("labels")),
        ("classes", list(&["a", "b"])),
        ("temperature", Raw::Number(2.0)),
    ];
    refused(
        read("id,prediction\n1,a\n2,b\n", "", &labels, &["1", "2"]),
        "these are labels",
    );
}

#[test]
fn the_classes_are_known_from_the_head_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let classes = |content: &str, keys: &[(&str, Raw)]| {
        std::fs::write(folder.path().join("a.csv"), content).unwrap();
        recording(folder.path(), keys)
            .unwrap()
            .classes(&clean())
            .unwrap()
    };
    let named = |names: &[&str]| {
        Some(
            names
                .iter()
                .map(|name| (*name).to_string())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(classes("id,dog,cat\nbroken\n", &[]), named(&["dog", "cat"]));
    assert_eq!(classes("id,p\n1,0.5\n", &[]), named(&["0", "1"]));
    assert_eq!(classes(LONG, &[("id", text("item"))]), None);
}
