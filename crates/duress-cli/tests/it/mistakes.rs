//! One look tells every mistake, whatever layer it is in, and no mistake twice.

use crate::harness::TestFolder;
use crate::study_text::yes_or_no;

#[test]
fn five_mistakes_in_five_layers_are_told_in_one_go() {
    let folder = TestFolder::new();
    let row = |i: usize| format!("i{i},{}\n", ["no", "yes"][i % 2]);
    let labels: String = (0..20).map(row).collect();
    folder.write("labels.csv", format!("id,label\n{labels}"));
    // A file: a row in the middle is no number.
    let answer = |i: usize| match i {
        7 => "i7,0.2,oops\n".to_string(),
        i => format!("i{i},{},{}\n", 0.04 * i as f64, 1.0 - 0.04 * i as f64),
    };
    let answers: String = (0..20).map(answer).collect();
    folder.write("a.csv", format!("id,no,yes\n{answers}"));
    // Another: a class that is none of the dataset's.
    let other = answers.replace("oops", "0.8");
    folder.write("b.csv", format!("id,no,perhaps\n{other}"));
    let more = r#"[subject.b]
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
    let (code, said, wrong) = folder.check(&yes_or_no("labels.csv", "a.csv", more));
    assert_eq!(code, 2, "{said}");
    for words in ["oops", "perhaps", "not-there.csv", "directed-f1", "nobody"] {
        assert!(wrong.contains(words), "{words} is not told: {wrong}");
    }
}
