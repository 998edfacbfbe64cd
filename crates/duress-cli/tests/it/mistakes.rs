//! One look tells every mistake, whatever layer it is in, and no mistake twice.

use std::fs;

use crate::harness::ended_at_width;

#[test]
fn five_mistakes_in_five_layers_are_told_in_one_go() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| format!("i{i},{}\n", ["no", "yes"][i % 2]);
    let labels: String = (0..20).map(row).collect();
    fs::write(
        folder.path().join("labels.csv"),
        format!("id,label\n{labels}"),
    )
    .unwrap();
    // A file: a row in the middle is no number.
    let answer = |i: usize| match i {
        7 => "i7,0.2,oops\n".to_string(),
        i => format!("i{i},{},{}\n", 0.04 * i as f64, 1.0 - 0.04 * i as f64),
    };
    let answers: String = (0..20).map(answer).collect();
    fs::write(folder.path().join("a.csv"), format!("id,no,yes\n{answers}")).unwrap();
    // Another: a class that is none of the dataset's.
    let other = answers.replace("oops", "0.8");
    fs::write(
        folder.path().join("b.csv"),
        format!("id,no,perhaps\n{other}"),
    )
    .unwrap();
    let study = r#"name = "five"
[dataset.items]
use = "labelled"
file = "labels.csv"
classes = ["no", "yes"]
[subject.a]
use = "recorded"
files = "a.csv"
classes = ["no", "yes"]
[subject.b]
use = "recorded"
files = "b.csv"
[subject.c]
use = "recorded"
files = "not-there.csv"
[gauge.strange]
use = "`strange`"
[analysis]
gauges = ["accuracy"]
units = "items"
[[claim]]
name = "of nobody"
gauge = "accuracy"
of = "nobody"
"#;
    fs::write(folder.path().join("s.toml"), study).unwrap();
    let args = ["check", "s.toml", "--timing", "0"];
    let (code, said, wrong) = ended_at_width(folder.path(), 200, &args);
    assert_eq!(code, 2, "{said}");
    for words in ["oops", "perhaps", "not-there.csv", "directed-f1", "nobody"] {
        assert!(wrong.contains(words), "{words} is not told: {wrong}");
    }
}
