//! Recorded answers through the command: in another order, with gaps, with labels of their own.

use duress_tables::testkit::{is_second, probabilities, table};

use super::{NET_WITH_SCORES, shuffled, write_labels};
use crate::harness::TestFolder;

#[test]
fn a_check_reads_recorded_answers_as_a_run_would() {
    let folder = TestFolder::new();
    let row = |i: usize| {
        let [a, b, c] = probabilities(i);
        format!("i{i},{a},{b},{c},{}", 0.01 * i as f64)
    };
    let good = table("id,cat,dog,owl,ssim", (0..30).map(row));
    write_labels(&folder, 30);
    let study = format!("{NET_WITH_SCORES}[analysis]\ngauges = [\"accuracy\"]\n");
    let check = |answers: &str| {
        folder.write("a.csv", answers);
        folder.check(&study)
    };
    assert_eq!(check(&good).0, 0);
    let score = good.find(",0.02\n").unwrap();
    for (broken, at, why) in [
        (good.replacen("\ni4,", "\ni3,", 1), "a.csv:6", "i3"),
        (good.replacen("\ni4,", "\nx4,", 1), "a.csv:6", "x4"),
        (good.replacen("\ni4,0", "\ni4,nan0", 1), "a.csv:6", "nan0"),
        (
            format!("{},{}", &good[..score], &good[score + 5..]),
            "a.csv:4",
            "ssim",
        ),
    ] {
        let (code, said, wrong) = check(&broken);
        assert!(
            code == 2 && wrong.contains(at) && wrong.contains(why),
            "{wrong}"
        );
        assert!(!said.contains("sound"), "{said}");
    }
    // A temperature fitted on an item of the test.
    let validation = table(
        "id,cat,dog,owl,ssim,label",
        (0..30).map(|i| row(i) + ",cat"),
    );
    folder.write("validation.csv", validation);
    folder.write("a.csv", good);
    let fitted = study.replacen(
        "scores",
        "fit-temperature-on = \"validation.csv\"\nignore = [\"label\"]\nscores",
        1,
    );
    let (code, _, wrong) = folder.check(&fitted);
    assert!(
        code == 2 && wrong.contains("is an item of the test too"),
        "{wrong}"
    );
}

#[test]
fn an_array_in_another_order_is_put_right_where_the_study_states_it() {
    let folder = TestFolder::new();
    let wide = table(
        "id,cat,dog,owl",
        (0..60).map(|i| {
            let [a, b, c] = probabilities(i);
            format!("i{i},{a},{b},{c}")
        }),
    );
    folder.write("wide.csv", wide);
    let turned = (0..60).map(|i| {
        let [a, b, c] = probabilities(i);
        format!("{{\"id\": \"i{i}\", \"probs\": [{c}, {b}, {a}]}}\n")
    });
    folder.write("turned.jsonl", turned.collect::<String>());
    write_labels(&folder, 60);
    let study = |stated: &str| {
        format!(
            "name = \"turned\"\n[dataset.items]\nuse = \"labelled\"\nfile = \"labels.csv\"\nclasses = [\"cat\", \"dog\", \"owl\"]\n[subject.wide]\nuse = \"recorded\"\nfiles = \"wide.csv\"\n[subject.turned]\nuse = \"recorded\"\nfiles = \"turned.jsonl\"\n{stated}[analysis]\ngauges = [\"accuracy\", \"recall\", \"nll\", \"aurc\"]\n"
        )
    };
    let (_, findings) = folder.run(&study("classes = [\"owl\", \"dog\", \"cat\"]\n"));
    let text = findings.to_string();
    for one in findings["contrasts"].as_array().unwrap() {
        // Sums in another order may differ in their last digit.
        let moved = one["value"]["value"].as_f64().unwrap();
        assert!(moved.abs() <= 1e-15, "{one}");
    }
    assert!(
        text.contains("Its classes stand in the order owl, dog, cat"),
        "{text}"
    );
    // Unstated, they have no names at all, and the study is refused before it is run; a run that
    // goes on fails the cell.
    let (code, _, wrong) = folder.check(&study(""));
    assert!(
        code == 2 && wrong.contains("about the classes 0, 1, 2"),
        "{wrong}"
    );
    assert!(
        wrong.contains("those of the dataset, in its order: cat, dog, owl"),
        "{wrong}"
    );
    assert_eq!(folder.duress(&["run", "study.toml", "--out", "other"]).0, 3);
}

#[test]
fn labels_in_another_spelling_are_compared_all_the_same() {
    let folder = TestFolder::new();
    write_labels(&folder, 30);
    let classes = ["cat", "dog", "owl"];
    // Item i has class i % 3; a file in another order has another item's class in row i.
    let written = |column: &str, shift: usize, label: &dyn Fn(usize) -> String| {
        let row = |i: usize| {
            let [a, b, c] = probabilities(i);
            let label = label((i + shift) % 3);
            format!("i{i},{a},{b},{c},0.5,{label}")
        };
        let head = format!("id,cat,dog,owl,ssim,{column}");
        folder.write("a.csv", table(&head, (0..30).map(row)));
        let subject = NET_WITH_SCORES.replace(
            "scores = ",
            "classes = [\"cat\", \"dog\", \"owl\"]\nscores = ",
        );
        folder.check(&format!("{subject}[analysis]\ngauges = [\"accuracy\"]\n"))
    };
    let spellings: [(&str, &dyn Fn(usize) -> String); 5] = [
        ("y_true", &|class| classes[class].to_uppercase()),
        ("gt", &|class| format!("{} ", classes[class])),
        ("actual", &|class| (class + 1).to_string()),
        ("label", &|class| format!("{class}.0")),
        ("y_true", &|class| match class {
            0 => String::new(),
            other => classes[other].into(),
        }),
    ];
    for (column, label) in spellings {
        let (code, _, wrong) = written(column, 0, label);
        assert_eq!(code, 0, "{column}: {wrong}");
        let (code, _, wrong) = written(column, 1, label);
        assert!(
            code == 2 && wrong.contains("rows differ"),
            "{column}: {wrong}"
        );
    }
    let (code, said, _) = written("y_true", 0, &|class| format!("kind {class}"));
    assert_eq!(code, 0);
    assert!(said.contains("30 of 30 rows are not compared"), "{said}");
}

#[test]
fn labels_of_recorded_answers_that_contradict_the_truth_are_refused_with_count_and_first_row() {
    let folder = TestFolder::new();
    shuffled(&folder, "");
    let study = |id: &str| {
        let subject = |name: &str| {
            format!(
                "[subject.{name}]\nuse = \"recorded\"\nfiles = \"ix/{{subject}}_seed{{seed}}_clean.csv\"\n{id}prefix = \"prob_\"\nclasses = [\"0\", \"1\"]\n"
            )
        };
        format!(
            "name = \"ix\"\nseeds = [1]\n[dataset.items]\nuse = \"labelled\"\nfile = \"ix/a_seed1_clean.csv\"\nlabel = \"y_true\"\n{id}classes = [\"0\", \"1\"]\n{}{}[analysis]\ngauges = [\"accuracy\"]\n",
            subject("a"),
            subject("b")
        )
    };
    let check = |text: &str| {
        folder.write("ix.toml", text);
        folder.duress(&["check", "ix.toml", "--timing", "0"])
    };
    let (code, said, wrong) = check(&study(""));
    assert!(code == 2 && !said.contains("sound"), "{said} {wrong}");
    let differing = (0..40).filter(|i| is_second(*i) != is_second(i * 7 % 40));
    let first = differing.clone().next().unwrap();
    for words in [
        format!("b_seed1_clean.csv:{}", first + 2),
        format!("{} of 40 rows differ", differing.count()),
        "`id = \"\"`".into(),
    ] {
        assert!(wrong.contains(&words), "{words}: {wrong}");
    }
    // A run fails the cell instead of giving a number.
    let (code, said, _) = folder.duress(&["run", "ix.toml"]);
    assert!(code == 3 && said.contains("rows differ"), "{said}");
    // With ids the rows belong to their items, and labels agree; unless they are really others.
    let by_index = study("id = \"\"\n");
    let (code, _, wrong) = check(&by_index);
    assert_eq!(code, 0, "{wrong}");
    let (_, b) = shuffled(&folder, "");
    let spoilt = b.replacen("\n7,", "\n7,9", 1).replacen("\n7,9", "\n7,", 1);
    assert_eq!(spoilt, b);
    let line = b.lines().nth(2).unwrap();
    let truth = line.split(',').nth(1).unwrap();
    let other = if truth == "1" { "0" } else { "1" };
    let spoilt = b.replacen(
        line,
        &line.replacen(&format!("7,{truth},"), &format!("7,{other},"), 1),
        1,
    );
    folder.write("ix/b_seed1_clean.csv", spoilt);
    let (code, _, wrong) = check(&by_index);
    assert!(
        code == 2 && wrong.contains("b_seed1_clean.csv:3") && wrong.contains("1 of 40 rows differ"),
        "{wrong}"
    );
    // A column that holds no classes at all is not the true class; that is said.
    let strange = b.replace(&format!(",{truth},"), ",x,");
    folder.write("ix/b_seed1_clean.csv", strange);
    assert_eq!(check(&by_index).0, 0);
    let (_, said, _) = folder.duress(&["run", "ix.toml"]);
    assert!(
        said.contains("rows are not compared with the true classes"),
        "{said}"
    );
}

#[test]
fn init_matches_rows_by_the_index_that_pandas_wrote() {
    for index in ["", "Unnamed: 0", "index"] {
        let folder = TestFolder::new();
        shuffled(&folder, index);
        folder.done(&["init", "ix", "--out", "ix.toml"]);
        let text = folder.read("ix.toml");
        assert_eq!(
            text.matches(&format!("id = {index:?}")).count(),
            3,
            "{text}"
        );
        assert!(text.contains("the index that pandas wrote"), "{text}");
        let said = folder.done(&["run", "ix.toml"]);
        let accuracy = |subject: &str| {
            let line = said
                .lines()
                .find(|line| line.trim().starts_with(&format!("{subject}, clean")));
            line.unwrap()
                .split_once("clean")
                .unwrap()
                .1
                .trim()
                .to_string()
        };
        assert_eq!(accuracy("a"), accuracy("b"), "{said}");
    }
    // An index with a number twice, as two frames put together have it, names no row.
    let folder = TestFolder::new();
    let (a, _) = shuffled(&folder, "");
    for file in ["ix/a_seed1_clean.csv", "ix/b_seed1_clean.csv"] {
        folder.write(file, a.replacen("\n1,", "\n0,", 1));
    }
    folder.duress(&["init", "ix", "--out", "ix.toml"]);
    let text = folder.read("ix.toml");
    assert!(!text.contains("\nid = "), "{text}");
}
