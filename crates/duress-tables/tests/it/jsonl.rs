//! JSON lines: nothing is lost, and what is broken is said with its line.

use std::fs;

use duress_core::problem::Problem;
use duress_tables::formats::{heads, read};
use duress_tables::table::{Head, Table, Want};

/// Reads what `want` says of each column from a file with this text.
fn table(text: impl AsRef<[u8]>, want: fn(&Head) -> Want) -> Result<Table, Problem> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.jsonl");
    fs::write(&file, text).unwrap();
    read(&file, &mut |heads| Ok(heads.iter().map(want).collect()))
}

fn texts(_: &Head) -> Want {
    Want::Texts
}

fn numbers(_: &Head) -> Want {
    Want::Numbers
}

#[test]
fn keys_are_columns_in_the_order_they_come_and_objects_inside_have_a_point() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.ndjson");
    fs::write(
        &file,
        "{\"b\": 1, \"p\": {\"cat\": 0.1, \"dog\": 0.9}}\n{\"b\": 1, \"probs\": [1], \"a.b\": 2}\n",
    )
    .unwrap();
    let found: Vec<(String, bool)> = heads(&file)
        .unwrap()
        .into_iter()
        .map(|head| (head.name, head.listed))
        .collect();
    let expected = [
        ("b", false),
        ("p.cat", false),
        ("p.dog", false),
        ("probs", true),
        ("a.b", false),
    ];
    assert_eq!(
        found,
        expected.map(|(name, listed)| (name.to_string(), listed))
    );
}

#[test]
fn values_are_what_was_written() {
    let text = "\u{feff}{\"x\": \"猫\\n\\u0001\"}\r\n\r\n{\"x\": 18446744073709551615}\n{\"x\": -3}\n{\"x\": 2.0}\n{\"x\": true}";
    let read = table(text, texts).unwrap();
    let all: Vec<&str> = read.texts("x").iter().collect();
    assert_eq!(
        all,
        ["猫\n\u{1}", "18446744073709551615", "-3", "2", "True"]
    );
    let problem = read.at(1, Problem::new("here"));
    assert_eq!(problem.line, Some(3), "blank lines count");
    let nested = table("{\"p\": {\"a\": 1, \"b\": {\"c\": 2}}}\n", numbers).unwrap();
    assert_eq!(nested.numbers("p.b.c"), (1, [2.0].as_slice()));
}

#[test]
fn lists_are_several_values_in_a_row() {
    let read = table("{\"p\": [0.25, 0.75]}\n{\"p\": [1, 0]}\n", numbers).unwrap();
    assert_eq!(read.numbers("p"), (2, [0.25, 0.75, 1.0, 0.0].as_slice()));
}

#[test]
fn what_nobody_asks_for_may_be_missing() {
    let want = |head: &Head| {
        if head.name == "x" {
            Want::Numbers
        } else {
            Want::Nothing
        }
    };
    let read = table(
        "{\"x\": 1, \"note\": null}\n{\"x\": 2, \"other\": {}}\n",
        want,
    )
    .unwrap();
    assert_eq!(read.numbers("x").1, [1.0, 2.0]);
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    let check = |text: &[u8], expected: &str| {
        let problem = table(text, numbers).unwrap_err().to_string();
        assert!(problem.contains(expected), "{expected} in {problem}");
    };
    check(b"", "the file is empty");
    check(b"\n \n", "the file is empty");
    check(
        b"{\"x\": 1}\n\n{\"x\": 1\n",
        "t.jsonl:3: this is not a whole JSON object",
    );
    check(
        b"{\"x\": 1}\n{\"x\": NaN}\n",
        "t.jsonl:2: this is not a whole JSON object: expected value, at column",
    );
    check(
        b"{\"x\": 1}\n{\"x\": 1} {\"x\": 2}\n",
        "t.jsonl:2: this is not a whole JSON object: trailing characters",
    );
    check(
        b"[1]\n{\"x\": 1}\n3\n\"a\"\n",
        "t.jsonl:1: this is not a whole JSON object",
    );
    check(b"[1]\n{\"x\": 1}\n3\n\"a\"\n", "also broken: line 3, 4");
    check(
        b"{\"x\": 1, \"x\": 2}\n",
        "t.jsonl:1: this is not a whole JSON object: the key \"x\" is there twice",
    );
    check(
        b"{\"x\": 1}\n{\"x\": \"\xff\"}\n",
        "t.jsonl:2: the line is not UTF-8",
    );
    check(b"{\"x\": 1}\n{\"y\": 1}\n", "t.jsonl:1: `y` is missing");
    check(b"{\"x\": 1}\n{\"x\": null}\n", "t.jsonl:2: `x` is null");
    check(
        b"{\"x\": 1}\n{\"x\": \"one\"}\n",
        "t.jsonl:2: `x` is \"one\"; expected a number",
    );
    check(
        b"{\"x\": [1, 2]}\n{\"x\": [1]}\n",
        "t.jsonl:2: `x` holds 1 values; expected 2, as before",
    );
    check(
        b"{\"x\": [1, 2]}\n{\"x\": 3}\n",
        "t.jsonl:2: `x` is one value; expected a list",
    );
    check(
        b"{\"x\": [[1], [2]]}\n",
        "t.jsonl:1: `x` is a list of lists",
    );
    check(b"{\"x\": []}\n", "t.jsonl:1: `x` holds 0 values");
    check(
        b"{\"x\": 1e999}\n",
        "t.jsonl:1: this is not a whole JSON object",
    );
    check(
        &[b"{\"x\": ".repeat(200), b"\n".to_vec()].concat(),
        "t.jsonl:1: this is not a whole JSON object",
    );
}
