//! Recorded answers through the command: in another order, with gaps, with labels of their own.

use std::fs;

use serde_json::Value;

use super::{CLASSES, duress, is_second, probabilities, shuffled, table};

#[test]
fn a_check_reads_recorded_answers_as_a_run_would() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let [a, b, c] = probabilities(i);
        format!("i{i},{a},{b},{c},{}", 0.01 * i as f64)
    };
    let good = table("id,cat,dog,owl,ssim", (0..30).map(row));
    let truth = table(
        "id,label",
        (0..30).map(|i| format!("i{i},{}", CLASSES[i % 3])),
    );
    fs::write(folder.path().join("labels.csv"), truth).unwrap();
    let study = r#"name = "looked-over"
[dataset.items]
use = "labelled"
file = "labels.csv"
classes = ["cat", "dog", "owl"]
[subject.net]
use = "recorded"
files = "a.csv"
scores = ["ssim"]
[analysis]
gauges = ["accuracy"]
"#;
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let check = |answers: &str| {
        fs::write(folder.path().join("a.csv"), answers).unwrap();
        duress(folder.path(), &["check", "study.toml", "--timing", "0"])
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
    fs::write(folder.path().join("validation.csv"), validation).unwrap();
    fs::write(folder.path().join("a.csv"), good).unwrap();
    let fitted = study.replacen(
        "scores",
        "fit-temperature-on = \"validation.csv\"\nignore = [\"label\"]\nscores",
        1,
    );
    fs::write(folder.path().join("study.toml"), fitted).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["check", "study.toml", "--timing", "0"]);
    assert!(
        code == 2 && wrong.contains("is an item of the test too"),
        "{wrong}"
    );
}

#[test]
fn what_one_subject_left_out_says_nothing_about_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let said = |i: usize| {
        let all = probabilities(i);
        (0..3).fold(0, |best, at| if all[at] > all[best] { at } else { best })
    };
    let row = |i: usize| {
        let [a, b, c] = probabilities(i);
        format!("i{i},{a},{b},{c}")
    };
    for seed in 1..=3_usize {
        // Both give the same answers; the shy one leaves out most of those that are wrong, others
        // for every seed.
        let all = table("id,cat,dog,owl", (0..120).map(row));
        let shy = (0..120).filter(|&i| said(i) == i % 3 || i % (3 + seed) == 0);
        fs::write(
            folder.path().join(format!("bold_seed{seed}_clean.csv")),
            all,
        )
        .unwrap();
        let shy = table("id,cat,dog,owl", shy.map(row));
        fs::write(folder.path().join(format!("shy_seed{seed}_clean.csv")), shy).unwrap();
    }
    let truth = table(
        "id,label",
        (0..120).map(|i| format!("i{i},{}", CLASSES[i % 3])),
    );
    fs::write(folder.path().join("labels.csv"), truth).unwrap();
    let subject = |name: &str| {
        format!(
            "[subject.{name}]\nuse = \"recorded\"\nfiles = \"{{subject}}_seed{{seed}}_clean.csv\"\n"
        )
    };
    let claim = |gauge: &str, side: &str, test: &str| {
        format!(
            "[[claim]]\nname = \"{gauge} {side} {test}\"\ngauge = \"{gauge}\"\nof = \"shy\"\nagainst = \"bold\"\nside = \"{side}\"\ntest = \"{test}\"\n"
        )
    };
    let study = [
        "name = \"shy\"\nseeds = [1, 2, 3]\n[dataset.items]\nuse = \"labelled\"\nfile = \"labels.csv\"\nclasses = [\"cat\", \"dog\", \"owl\"]\n",
        &subject("bold"),
        &subject("shy"),
        "[analysis]\ngauges = [\"accuracy\", \"f1\", \"mcc\", \"auroc-macro\", \"aurc\", \"ece\", \"ece-debiased\", \"nll\", \"coverage\"]\nresamples = 200\n",
        &claim("accuracy", "greater", "paired-t"),
        &claim("aurc", "less", "paired-t"),
        &claim("aurc", "less", "bootstrap"),
        // These once never came back, since nobody had seen a number of seeds that would do.
        &claim("mcc", "less", "wilcoxon"),
        &claim("mcc", "less", "sign-flip"),
    ]
    .concat();
    fs::write(folder.path().join("study.toml"), &study).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["run", "study.toml", "--out", "run"]);
    assert_eq!(code, 0, "{wrong}");
    let text = fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap();
    let findings: Value = serde_json::from_str(&text).unwrap();
    let contrasts = findings["contrasts"].as_array().unwrap();
    assert_eq!(contrasts.len(), 9, "{text}");
    for one in contrasts {
        // Sums in another order may differ in their last digit.
        let moved = one["value"]["value"].as_f64().unwrap();
        assert!(moved.abs() <= 1e-15, "{one}");
        assert!(one["items"].as_u64().unwrap() < 120, "{one}");
    }
    for claim in findings["claims"].as_array().unwrap() {
        assert_ne!(claim["verdict"], "upheld", "{claim}");
    }
    // The same as two runs of one subject, the second of which lost answers.
    for name in ["bold", "shy"] {
        let one = subject("net").replace("{subject}", name);
        let study = study.split("[subject.bold]").next().unwrap().to_string() + &one;
        let gauges =
            "[analysis]\ngauges = [\"accuracy\", \"mcc\", \"auroc-macro\", \"aurc\", \"ece\"]\n";
        fs::write(folder.path().join("one.toml"), study + gauges).unwrap();
        assert_eq!(
            duress(folder.path(), &["run", "one.toml", "--out", name]).0,
            0
        );
    }
    let (code, said, wrong) = duress(folder.path(), &["compare", "bold", "shy", "--form", "json"]);
    assert_eq!(code, 0, "{wrong}");
    let compared: Value = serde_json::from_str(&said).unwrap();
    for change in compared["changes"].as_array().unwrap() {
        assert_eq!(
            change["difference"]["value"]["value"].as_f64(),
            Some(0.0),
            "{change}"
        );
        assert_eq!(change["verdict"], "same", "{change}");
    }
}

#[test]
fn an_answer_that_is_missing_under_stress_neither_moves_nor_narrows_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize, of: usize| {
        let [a, b, c] = probabilities(of);
        format!("i{i},{a},{b},{c}")
    };
    for seed in 1..=3_usize {
        for (subject, shift) in [("one", 0), ("same", 0), ("other", 5), ("nearly", 5)] {
            for (condition, more) in [("clean_0", 0), ("fog_0.5", 11)] {
                // `same` leaves out items under fog, others for every seed; `nearly` leaves out a
                // single one.
                let fog = more > 0;
                let there = |i: &usize| match subject {
                    "same" => !fog || !i.is_multiple_of(4 + seed),
                    "nearly" => !fog || seed > 1 || *i != 7,
                    _ => true,
                };
                let rows = (0..150)
                    .filter(there)
                    .map(|i| row(i, i + shift + more * (seed + 1)));
                let file = format!("{subject}_seed{seed}_{condition}.csv");
                fs::write(folder.path().join(file), table("id,cat,dog,owl", rows)).unwrap();
            }
        }
    }
    let truth = table(
        "id,label",
        (0..150).map(|i| format!("i{i},{}", CLASSES[i % 3])),
    );
    fs::write(folder.path().join("labels.csv"), truth).unwrap();
    let subjects: String = ["one", "same", "other", "nearly"].map(|name| {
        format!("[subject.{name}]\nuse = \"recorded\"\nfiles = \"{{subject}}_seed{{seed}}_{{ladder}}_{{severity}}.csv\"\n")
    }).concat();
    let study = format!(
        "name = \"fog\"\nseeds = [1, 2, 3]\n[dataset.items]\nuse = \"labelled\"\nfile = \"labels.csv\"\nclasses = [\"cat\", \"dog\", \"owl\"]\n{subjects}[ladder.fog]\nuse = \"elsewhere\"\nseverities = [0.5]\n[analysis]\ngauges = [\"accuracy\", \"aurc\", \"ece\", \"area\", \"attack-success-rate\", \"accuracy-gap\"]\nunits = \"items\"\nreference = \"one\"\n"
    );
    fs::write(folder.path().join("study.toml"), study).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["run", "study.toml", "--out", "run"]);
    assert_eq!(code, 0, "{wrong}");
    let text = fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap();
    let findings: Value = serde_json::from_str(&text).unwrap();
    let against_one = |subject: &str| -> Vec<Value> {
        let contrasts = findings["contrasts"].as_array().unwrap().iter();
        let of =
            |one: &&Value| one["of"]["subject"] == subject && one["against"]["subject"] == "one";
        contrasts.filter(of).cloned().collect()
    };
    let same = against_one("same");
    assert!(same.len() >= 9, "{text}");
    for one in same {
        // Sums in another order may differ in their last digit.
        let moved = one["value"]["value"].as_f64().unwrap();
        assert!(moved.abs() <= 1e-15, "{one}");
    }
    for (full, nearly) in against_one("other").iter().zip(&against_one("nearly")) {
        assert_eq!(full["gauge"], nearly["gauge"]);
        let width = |one: &Value| {
            one["interval"]["Ok"]["high"].as_f64().unwrap()
                - one["interval"]["Ok"]["low"].as_f64().unwrap()
        };
        let ratio = width(nearly) / width(full);
        assert!((0.85..1.15).contains(&ratio), "{ratio}: {full} {nearly}");
    }
}

#[test]
fn an_array_in_another_order_is_put_right_where_the_study_states_it() {
    let folder = tempfile::tempdir().unwrap();
    let wide = table(
        "id,cat,dog,owl",
        (0..60).map(|i| {
            let [a, b, c] = probabilities(i);
            format!("i{i},{a},{b},{c}")
        }),
    );
    fs::write(folder.path().join("wide.csv"), wide).unwrap();
    let turned = (0..60).map(|i| {
        let [a, b, c] = probabilities(i);
        format!("{{\"id\": \"i{i}\", \"probs\": [{c}, {b}, {a}]}}\n")
    });
    fs::write(
        folder.path().join("turned.jsonl"),
        turned.collect::<String>(),
    )
    .unwrap();
    let truth = table(
        "id,label",
        (0..60).map(|i| format!("i{i},{}", CLASSES[i % 3])),
    );
    fs::write(folder.path().join("labels.csv"), truth).unwrap();
    let study = |stated: &str| {
        format!(
            "name = \"turned\"\n[dataset.items]\nuse = \"labelled\"\nfile = \"labels.csv\"\nclasses = [\"cat\", \"dog\", \"owl\"]\n[subject.wide]\nuse = \"recorded\"\nfiles = \"wide.csv\"\n[subject.turned]\nuse = \"recorded\"\nfiles = \"turned.jsonl\"\n{stated}[analysis]\ngauges = [\"accuracy\", \"recall\", \"nll\", \"aurc\"]\n"
        )
    };
    fs::write(
        folder.path().join("study.toml"),
        study("classes = [\"owl\", \"dog\", \"cat\"]\n"),
    )
    .unwrap();
    let (code, _, wrong) = duress(folder.path(), &["run", "study.toml", "--out", "run"]);
    assert_eq!(code, 0, "{wrong}");
    let text = fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap();
    let findings: Value = serde_json::from_str(&text).unwrap();
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
    fs::write(folder.path().join("study.toml"), study("")).unwrap();
    let (code, _, wrong) = duress(folder.path(), &["check", "study.toml", "--timing", "0"]);
    assert!(
        code == 2 && wrong.contains("about the classes 0, 1, 2"),
        "{wrong}"
    );
    assert!(
        wrong.contains("those of the dataset, in its order: cat, dog, owl"),
        "{wrong}"
    );
    assert_eq!(
        duress(folder.path(), &["run", "study.toml", "--out", "other"]).0,
        3
    );
}

#[test]
fn labels_of_recorded_answers_that_contradict_the_truth_are_refused_with_count_and_first_row() {
    let folder = tempfile::tempdir().unwrap();
    shuffled(folder.path(), "");
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
        fs::write(folder.path().join("ix.toml"), text).unwrap();
        duress(folder.path(), &["check", "ix.toml", "--timing", "0"])
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
    let (code, said, _) = duress(folder.path(), &["run", "ix.toml"]);
    assert!(code == 3 && said.contains("rows differ"), "{said}");
    // With ids the rows belong to their items, and labels agree; unless they are really others.
    let by_index = study("id = \"\"\n");
    let (code, _, wrong) = check(&by_index);
    assert_eq!(code, 0, "{wrong}");
    let (_, b) = shuffled(folder.path(), "");
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
    fs::write(folder.path().join("ix/b_seed1_clean.csv"), spoilt).unwrap();
    let (code, _, wrong) = check(&by_index);
    assert!(
        code == 2 && wrong.contains("b_seed1_clean.csv:3") && wrong.contains("1 of 40 rows differ"),
        "{wrong}"
    );
    // A column that holds no classes at all is not the true class; that is said.
    let strange = b.replace(&format!(",{truth},"), ",x,");
    fs::write(folder.path().join("ix/b_seed1_clean.csv"), strange).unwrap();
    assert_eq!(check(&by_index).0, 0);
    let (_, said, _) = duress(folder.path(), &["run", "ix.toml"]);
    assert!(said.contains("`y_true` is not compared"), "{said}");
}

#[test]
fn init_matches_rows_by_the_index_that_pandas_wrote() {
    for index in ["", "Unnamed: 0", "index"] {
        let folder = tempfile::tempdir().unwrap();
        shuffled(folder.path(), index);
        let (code, _, wrong) = duress(folder.path(), &["init", "ix", "--out", "ix.toml"]);
        assert_eq!(code, 0, "{wrong}");
        let text = fs::read_to_string(folder.path().join("ix.toml")).unwrap();
        assert_eq!(
            text.matches(&format!("id = {index:?}")).count(),
            3,
            "{text}"
        );
        assert!(text.contains("the index that pandas wrote"), "{text}");
        let (code, said, wrong) = duress(folder.path(), &["run", "ix.toml"]);
        assert_eq!(code, 0, "{wrong}");
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
    let folder = tempfile::tempdir().unwrap();
    let (a, _) = shuffled(folder.path(), "");
    for file in ["ix/a_seed1_clean.csv", "ix/b_seed1_clean.csv"] {
        fs::write(folder.path().join(file), a.replacen("\n1,", "\n0,", 1)).unwrap();
    }
    duress(folder.path(), &["init", "ix", "--out", "ix.toml"]);
    let text = fs::read_to_string(folder.path().join("ix.toml")).unwrap();
    assert!(!text.contains("\nid = "), "{text}");
}
