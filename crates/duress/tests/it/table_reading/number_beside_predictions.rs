//! A number beside predictions: about a class, how sure each was, or neither.

use std::fs;

use duress::table_reading::{AnswerForm, TableHints};
use duress_tables::testkit::{is_second, second, table};

use super::{found, guessed, hinted, refused, same, values};

/// A table of sixty items under this header, in the place of whose words stand: the id, what is
/// said at `threshold`, the number, what is true.
fn beside(header: &str, threshold: f64, number: impl Fn(usize) -> f64) -> String {
    let row = |i: usize| {
        format!(
            "{i},{},{},{}",
            u8::from(second(i) > threshold),
            number(i),
            u8::from(is_second(i))
        )
    };
    table(header, (0..60).map(row))
}

#[test]
fn a_number_beside_predictions_of_two_classes_is_about_the_second_where_it_goes_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let alone = |i: usize| format!("{i},{},{}", second(i), u8::from(is_second(i)));
    write(
        "alone.csv",
        table("id,probability,label", (0..60).map(alone)),
    );
    let expected = guessed(folder.path(), "alone.csv");
    for header in [
        "id,prediction,probability,label",
        "id,y_pred,y_pred_proba,y_true",
        "id,pred,score,label",
        "id,prediction,p,label",
    ] {
        write("beside.csv", beside(header, 0.5, second));
        let guess = guessed(folder.path(), "beside.csv");
        same(&guess, &expected);
        let words: Vec<&str> = header.split(',').collect();
        for said in [
            format!("`{}` is about `1`", words[2]),
            format!("`{}` goes with `{}`, which is not read", words[2], words[1]),
            format!("not read: {}", words[1]),
        ] {
            assert!(found(&guess).contains(&said), "{said} in {}", found(&guess));
        }
    }
    // Said at another threshold: the same numbers, and the difference is told.
    write(
        "low.csv",
        beside("id,prediction,probability,label", 0.3, second),
    );
    let guess = guessed(folder.path(), "low.csv");
    same(&guess, &expected);
    let differ = (0..60)
        .filter(|&i| second(i) > 0.3 && second(i) < 0.5)
        .count();
    assert!(
        found(&guess).contains(&format!("so {differ} of them differ from what is likelier")),
        "{}",
        found(&guess)
    );
    let labels = TableHints {
        form: AnswerForm::Labels,
        ..TableHints::default()
    };
    let labels = hinted(folder.path(), "low.csv", labels);
    assert!(values(&labels)["ece"].is_none(), "{labels}");
    assert!(
        found(&labels).contains("is not how sure each was"),
        "{}",
        found(&labels)
    );
    // About the first class.
    let named = |i: usize| {
        let class = |second: bool| ["sick", "well"][usize::from(!second)];
        format!(
            "{},{},{}",
            class(second(i) > 0.5),
            second(i),
            class(is_second(i))
        )
    };
    write(
        "first.csv",
        table("prediction,probability,label", (0..60).map(named)),
    );
    let guess = guessed(folder.path(), "first.csv");
    same(&guess, &expected);
    assert!(
        found(&guess).contains("`probability` is about `sick`"),
        "{}",
        found(&guess)
    );
    let turned = TableHints {
        classes: vec!["sick".into(), "well".into()],
        ..TableHints::default()
    };
    let wrong = refused(folder.path(), "first.csv", turned);
    assert!(wrong.contains("`--classes well,sick`"), "{wrong}");
}

#[test]
fn a_number_beside_predictions_is_a_confidence_refused_or_as_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let sure = |i: usize| second(i).max(1.0 - second(i));
    write(
        "sure.csv",
        beside("id,prediction,confidence,label", 0.5, sure),
    );
    let expected = guessed(folder.path(), "sure.csv");
    write(
        "largest.csv",
        beside("id,prediction,probability,label", 0.5, sure),
    );
    let guess = guessed(folder.path(), "largest.csv");
    same(&guess, &expected);
    assert!(
        found(&guess).contains("predictions with a confidence"),
        "{}",
        found(&guess)
    );
    // What is called a confidence is one, with a doubt where the largest probability cannot be so
    // low.
    write(
        "low.csv",
        beside("id,prediction,confidence,label", 0.5, second),
    );
    let guess = guessed(folder.path(), "low.csv");
    let below = (0..60).filter(|&i| second(i) < 0.5).count();
    assert!(
        found(&guess).contains(&format!("{below} of 60 confidences are below 1/2")),
        "{}",
        found(&guess)
    );
    assert!(
        !found(&expected).contains("below 1/2"),
        "{}",
        found(&expected)
    );
    // Neither.
    let odd = |i: usize| {
        if i.is_multiple_of(3) {
            1.0 - second(i)
        } else {
            second(i)
        }
    };
    write("odd.csv", beside("id,prediction,score,label", 0.5, odd));
    let wrong = refused(folder.path(), "odd.csv", TableHints::default());
    assert!(wrong.contains("neither the probability of `1`"), "{wrong}");
    assert!(
        wrong.contains("--score score") && wrong.contains("confidence = \"score\""),
        "{wrong}"
    );
    let told = TableHints {
        score: Some("score".into()),
        ..TableHints::default()
    };
    let told = hinted(folder.path(), "odd.csv", told);
    let alone = |i: usize| format!("{i},{},{}", odd(i), u8::from(is_second(i)));
    write(
        "alone.csv",
        table("id,probability,label", (0..60).map(alone)),
    );
    same(&told, &guessed(folder.path(), "alone.csv"));
    let told = TableHints {
        form: AnswerForm::Labels,
        ..TableHints::default()
    };
    let told = hinted(folder.path(), "odd.csv", told);
    assert!(
        found(&told).contains("predictions with a confidence"),
        "{}",
        found(&told)
    );
}
