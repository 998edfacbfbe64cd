//! Where answers stand in a table: what a guess makes of names and numbers, and what a study states.

use std::fs;

use duress_core::answer::{ClassAnswers, Said};
use duress_core::problem::Problem;
use duress_tables::formats;
use duress_tables::layout::guess::{Reason, TableGuess, TableHints, guess};
use duress_tables::layout::stated::StatedLayout;
use duress_tables::layout::{AnswerColumns, AnswerForm};
use duress_tables::wording::Wording;

fn guessed_with(text: &str, hints: &TableHints) -> Result<TableGuess, Problem> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    fs::write(&file, text).unwrap();
    guess(&file, hints)
}

fn guessed(text: &str) -> TableGuess {
    guessed_with(text, &TableHints::default()).unwrap_or_else(|problem| panic!("{problem}"))
}

/// What a study that states this makes of a file, every row an item.
fn answers(text: &str, stated: &StatedLayout) -> Result<ClassAnswers, Problem> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.csv");
    fs::write(&file, text).unwrap();
    let mut layout = None;
    let table = formats::read(&file, &mut |heads| {
        let found = stated.layout(heads)?;
        let wants = found.wants(heads)?;
        layout = Some(found);
        Ok(wants)
    })?;
    layout.unwrap().answers(table, None)
}

fn per_class(prefix: &str) -> AnswerColumns {
    AnswerColumns::PerClass {
        prefix: prefix.into(),
    }
}

fn second_class(column: &str) -> AnswerColumns {
    AnswerColumns::SecondClass {
        column: column.into(),
    }
}

fn labels(prediction: &str, confidence: Option<&str>) -> AnswerColumns {
    AnswerColumns::Labels {
        prediction: prediction.into(),
        confidence: confidence.map(String::from),
    }
}

#[test]
fn the_five_places_are_told_from_the_names_of_columns() {
    let check = |text: &str, expected: AnswerColumns, form: AnswerForm, classes: &[&str]| {
        let guess = guessed(text);
        assert_eq!(
            (&guess.answers, guess.form),
            (&expected, form),
            "{text}: {guess:?}"
        );
        assert_eq!(guess.classes, classes, "{text}");
    };
    check(
        "id,cat,dog,label\n1,0.2,0.8,dog\n2,0.7,0.3,cat\n",
        per_class(""),
        AnswerForm::Auto,
        &["cat", "dog"],
    );
    check(
        "sample_id,logit_cat,logit_dog,Target\n1,-2,3,dog\n2,1,0,cat\n",
        per_class("logit_"),
        AnswerForm::Logits,
        &["cat", "dog"],
    );
    check(
        "item,class,prob,y_true\n1,cat,0.2,dog\n1,dog,0.8,dog\n",
        AnswerColumns::Long {
            class: "class".into(),
            value: "prob".into(),
        },
        AnswerForm::Auto,
        &["cat", "dog"],
    );
    check(
        "y_proba,gold\n0.2,0\n0.7,1\n",
        second_class("y_proba"),
        AnswerForm::Auto,
        &["0", "1"],
    );
    check(
        "logit,gold\n-1,0\n2,1\n",
        second_class("logit"),
        AnswerForm::Logits,
        &["0", "1"],
    );
    check(
        "y_pred,conf,truth\ncat,0.9,cat\ndog,0.6,cat\n",
        labels("y_pred", Some("conf")),
        AnswerForm::Labels,
        &["cat", "dog"],
    );
}

#[test]
fn a_guess_has_its_reasons_and_says_what_nobody_reads() {
    let text = "id,pred,score,label,site\n1,no,0.2,no,a\n2,yes,0.4,no,b\n3,yes,0.9,yes,a\n";
    let guess = guessed(text);
    assert_eq!(guess.answers, second_class("score"));
    assert_eq!(guess.unread, ["pred", "site"]);
    let [
        Reason::GoesWithPrediction {
            about, threshold, ..
        },
    ] = guess.reasons.as_slice()
    else {
        panic!("{:?}", guess.reasons)
    };
    let threshold = threshold.unwrap();
    assert_eq!(
        (about.as_str(), threshold.differing, threshold.from),
        ("yes", 1, 0.4)
    );
    let hints = TableHints {
        form: AnswerForm::Labels,
        ..TableHints::default()
    };
    let guess = guessed_with(text, &hints).unwrap();
    assert_eq!(guess.answers, labels("pred", None));
    assert!(matches!(guess.reasons[..], [Reason::IsNoConfidence { .. }]));
}

#[test]
fn the_probability_is_read_where_its_logit_stands_beside_it() {
    let guess = guessed("id,pred,logit,y_prob,label\n1,0,-1,0.27,0\n2,1,2,0.88,1\n");
    assert_eq!(guess.answers, second_class("y_prob"));
}

#[test]
fn what_is_called_a_probability_is_never_read_as_logits() {
    for name in [
        "probability",
        "prob",
        "proba",
        "p",
        "y_prob",
        "y_pred_proba",
    ] {
        let text = format!("id,{name}\na,-2\nb,3\nc,1.5\n");
        let problem = answers(&text, &StatedLayout::default())
            .unwrap_err()
            .to_string();
        let expected = format!("`{name}` is -2, and is called a probability");
        assert!(problem.contains(&expected), "{problem}");
        assert!(problem.contains("say `form = \"logits\"`"), "{problem}");
        let told = StatedLayout {
            form: AnswerForm::Logits,
            ..StatedLayout::default()
        };
        let read = answers(&text, &told).unwrap();
        assert!(matches!(read.said(), Said::Logits(_)), "{name}");
        let beside = format!("pred,{name},label\nno,-2,no\nyes,3,yes\n");
        let problem = guessed_with(&beside, &TableHints::default())
            .unwrap_err()
            .to_string();
        assert!(problem.contains("is called a probability"), "{problem}");
    }
    let long = "id,class,probability\na,x,-2\na,y,3\n";
    let problem = answers(long, &StatedLayout::default())
        .unwrap_err()
        .to_string();
    assert!(problem.contains("sum to 1"), "{problem}");
}

#[test]
fn a_study_reads_a_lone_logit_and_a_long_table_of_them_without_being_told() {
    for text in [
        "id,logit\na,0.2\nb,0.7\n",
        "id,class,logit\na,0,0\na,1,0.2\nb,0,0\nb,1,0.7\n",
    ] {
        let read = answers(text, &StatedLayout::default()).unwrap();
        assert_eq!(read.classes(), ["0", "1"]);
        assert_eq!(
            *read.said(),
            Said::Logits(vec![0.0, 0.2, 0.0, 0.7]),
            "{text}"
        );
    }
}

#[test]
fn a_study_takes_only_the_plainest_words() {
    // `item` may be anything to a study that says nothing of it: here, one more class.
    let stated = StatedLayout::default();
    let read = answers("item,cat\n0.2,0.8\n0.6,0.4\n", &stated).unwrap();
    assert_eq!(read.classes(), ["item", "cat"]);
    let problem = answers("y_pred\ncat\n", &stated).unwrap_err().to_string();
    assert!(problem.contains("there are no answers"), "{problem}");
}

#[test]
fn a_problem_names_settings_as_its_reader_has_them() {
    let text = "id,cat,dog\na,0.2,0.5\nb,0.5,0.5\n";
    let said = |wording| {
        let stated = StatedLayout {
            wording,
            ..StatedLayout::default()
        };
        answers(text, &stated).unwrap_err().to_string()
    };
    assert!(said(Wording::Study).contains("say `form = \"logits\"`"));
    assert!(said(Wording::Flags).contains("say `--form logits`"));
}
