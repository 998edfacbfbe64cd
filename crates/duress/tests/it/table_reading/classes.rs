//! A row per item and class, a column per class, and one column for two classes.

use std::fs;

use duress::table_reading::{AnswerForm, TableHints};
use duress_tables::testkit::{CLASSES, is_second, probabilities, second, table};

use super::{found, guessed, hinted, refused, same, values};

/// Where it is known which column has the scores.
fn scored(column: Option<&str>) -> TableHints {
    TableHints {
        score: column.map(String::from),
        ..TableHints::default()
    }
}

/// Where it is known in what form the answers are.
fn formed(form: AnswerForm) -> TableHints {
    TableHints {
        form,
        ..TableHints::default()
    }
}

#[test]
fn a_row_per_item_and_class_is_read_as_a_column_per_class_is() {
    let folder = tempfile::tempdir().unwrap();
    let wide = (0..40).map(|i| {
        let [a, b, c] = probabilities(i);
        format!("i{i},{a},{b},{c},{}", CLASSES[i % 3])
    });
    fs::write(
        folder.path().join("wide.csv"),
        table("id,cat,dog,owl,label", wide),
    )
    .unwrap();
    let long = (0..40).flat_map(|i| {
        (0..3).map(move |at| {
            format!(
                "i{i},{},{},{}",
                CLASSES[at],
                probabilities(i)[at],
                CLASSES[i % 3]
            )
        })
    });
    let long = table("item,class,probability,label", long);
    fs::write(folder.path().join("long.csv"), &long).unwrap();
    let read = guessed(folder.path(), "long.csv");
    same(&read, &guessed(folder.path(), "wide.csv"));
    assert!(
        found(&read).contains("a row per item and class, in `class` and `probability`"),
        "{read}"
    );
    assert!(
        found(&read).contains("told to be probabilities, since every row sums to 1"),
        "{read}"
    );
    // An item that changes its true class between its rows, and one that lacks a class.
    fs::write(
        folder.path().join("torn.csv"),
        long.replacen("owl,", "owl,0,cat\nx,owl,", 1),
    )
    .unwrap();
    let changed = long.replacen(",cat\ni0,dog", ",owl\ni0,dog", 1);
    fs::write(folder.path().join("changed.csv"), changed).unwrap();
    let wrong = refused(folder.path(), "changed.csv", TableHints::default());
    assert!(
        wrong.contains("changed.csv:3") && wrong.contains("was \"owl\" before"),
        "{wrong}"
    );
    let gap = long
        .lines()
        .filter(|line| !line.starts_with("i5,dog"))
        .collect::<Vec<_>>()
        .join("\n");
    fs::write(folder.path().join("gap.csv"), gap).unwrap();
    let wrong = refused(folder.path(), "gap.csv", TableHints::default());
    assert!(
        wrong.contains("\"i5\" has no number for the class \"dog\""),
        "{wrong}"
    );
}

#[test]
fn one_column_is_about_the_second_of_two_classes_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let p = |i: usize| probabilities(i)[0];
    let write = |name: &str, header: &str, row: &dyn Fn(usize) -> String| {
        fs::write(folder.path().join(name), table(header, (0..60).map(row))).unwrap();
    };
    let word = |i: usize| ["benign", "malignant"][usize::from(i.is_multiple_of(3))];
    write("two.csv", "benign,malignant,label", &|i| {
        format!("{},{},{}", 1.0 - p(i), p(i), word(i))
    });
    write("score.csv", "score,label", &|i| {
        format!("{},{}", p(i), word(i))
    });
    write("named.csv", "id,malignant,label", &|i| {
        format!("i{i},{},{}", p(i), word(i))
    });
    write("first.csv", "benign,label", &|i| {
        format!("{},{}", 1.0 - p(i), word(i))
    });
    write("class.csv", "id,class,probability", &|i| {
        format!("{i},{},{}", word(i), p(i))
    });
    write("odd.csv", "risk,label", &|i| {
        format!("{},{}", p(i), word(i))
    });
    let expected = guessed(folder.path(), "two.csv");
    for (file, score) in [
        ("score.csv", None),
        ("named.csv", None),
        ("class.csv", None),
        ("odd.csv", Some("risk")),
    ] {
        let read = hinted(folder.path(), file, scored(score));
        same(&read, &expected);
        assert!(
            found(&read).contains("is about `malignant`, the second of the two"),
            "{}",
            found(&read)
        );
        assert!(
            found(&read).contains("told to be probabilities"),
            "{}",
            found(&read)
        );
    }
    // A column called as the class that comes first by letter is about that class.
    let first = guessed(folder.path(), "first.csv");
    assert!(
        found(&first).contains("`benign` is about `benign`"),
        "{}",
        found(&first)
    );
    assert_eq!(values(&first)["accuracy"], values(&expected)["accuracy"]);
    // What comes second by letter may not be what the column is about.
    write("turned.csv", "score,label", &|i| {
        format!(
            "{},{}",
            if word(i) == "benign" { 0.8 } else { 0.3 },
            word(i)
        )
    });
    let turned = guessed(folder.path(), "turned.csv");
    assert!(
        found(&turned).contains("say `--classes malignant,benign`"),
        "{}",
        found(&turned)
    );
    let told = TableHints {
        classes: vec!["malignant".into(), "benign".into()],
        ..TableHints::default()
    };
    let told = hinted(folder.path(), "turned.csv", told);
    assert!(!found(&told).contains("say `--classes"), "{}", found(&told));
    // Beyond [0, 1] they are logits against 0.
    write("logit.csv", "score,label", &|i| {
        format!("{},{}", (p(i) / (1.0 - p(i))).ln(), word(i))
    });
    let logits = guessed(folder.path(), "logit.csv");
    assert!(
        found(&logits).contains("told to be logits"),
        "{}",
        found(&logits)
    );
    let close = |name: &str| {
        (values(&logits)[name].unwrap() - values(&expected)[name].unwrap()).abs() < 1e-12
    };
    assert!(close("accuracy") && close("brier"));
    // One beyond [0, 1] among sixty does not turn the others into logits.
    write("stray.csv", "score,label", &|i| {
        format!("{},{}", if i == 7 { 1.7 } else { p(i) }, word(i))
    });
    let wrong = refused(folder.path(), "stray.csv", TableHints::default());
    assert!(
        wrong.contains("stray.csv:9: `score` is 1.7, and 59 of 60"),
        "{wrong}"
    );
    assert!(wrong.contains("--form logits"), "{wrong}");
    let told = hinted(folder.path(), "stray.csv", formed(AnswerForm::Logits));
    assert!(
        found(&told).contains("logits of 2 classes"),
        "{}",
        found(&told)
    );
}

#[test]
fn what_is_called_a_probability_or_looks_like_percentages_is_never_read_as_logits() {
    let folder = tempfile::tempdir().unwrap();
    let percent = |header: &str| {
        table(
            header,
            (0..40).map(|i| format!("i{i},{},{}", 100.0 * second(i), u8::from(is_second(i)))),
        )
    };
    let logits = |header: &str| {
        table(
            header,
            (0..40).map(|i| format!("i{i},{},{}", 9.0 * second(i) - 4.5, u8::from(is_second(i)))),
        )
    };
    let write = |content: &str| fs::write(folder.path().join("t.csv"), content).unwrap();
    for (header, score) in [
        ("id,probability,label", None),
        ("id,p,label", None),
        ("id,score,label", None),
        ("id,p_pos,label", Some("p_pos")),
        ("id,prob_yes,label", Some("prob_yes")),
    ] {
        write(&percent(header));
        let wrong = refused(folder.path(), "t.csv", scored(score));
        assert!(wrong.contains("percent?"), "{header}: {wrong}");
    }
    for (header, score) in [
        ("id,prob,label", None),
        ("id,prob_yes,label", Some("prob_yes")),
    ] {
        write(&logits(header));
        let wrong = refused(folder.path(), "t.csv", scored(score));
        assert!(wrong.contains("called a probability"), "{header}: {wrong}");
        // Whoever says so may have logits under any name.
        let told = TableHints {
            form: AnswerForm::Logits,
            ..scored(score)
        };
        hinted(folder.path(), "t.csv", told);
    }
    write(&logits("id,score,label"));
    let said = found(&guessed(folder.path(), "t.csv"));
    assert!(said.contains("logits of 2 classes"), "{said}");
    // A column per class, called probabilities, whatever the rows sum to.
    let per_class = |scale: f64| {
        table(
            "id,prob_0,prob_1,label",
            (0..40).map(|i| {
                format!(
                    "i{i},{},{},{}",
                    scale * second(i),
                    scale,
                    u8::from(is_second(i))
                )
            }),
        )
    };
    write(&per_class(-3.0));
    refused(folder.path(), "t.csv", TableHints::default());
}
