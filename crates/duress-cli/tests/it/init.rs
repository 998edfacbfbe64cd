//! `duress init`: what it writes is sound and runs, through the real command.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use duress_tables::testkit::npy_of_numbers;

use crate::harness::ended as duress;

fn done(folder: &Path, args: &[&str]) -> String {
    let (code, said) = duress(folder, args);
    assert_eq!(code, 0, "{args:?}: {said}");
    said
}

fn answers(file: &Path, labelled: bool) {
    let row = |i: usize| {
        let label = if labelled {
            ["", ",cat", ",dog"][1 + i % 2]
        } else {
            ""
        };
        format!(
            "x{i},{},{}{label}\n",
            0.1 * (i % 10) as f64,
            1.0 - 0.1 * (i % 10) as f64
        )
    };
    let header = if labelled {
        "id,cat,dog,label"
    } else {
        "id,cat,dog"
    };
    fs::write(
        file,
        format!("{header}\n{}", (0..40).map(row).collect::<String>()),
    )
    .unwrap();
}

/// A NumPy file of made-up numbers.
fn made_up_numbers(shape: &[usize]) -> Vec<u8> {
    let numbers = (0..shape.iter().product()).map(|i: usize| (i * 7919 % 1013) as f64);
    npy_of_numbers(shape, &numbers.collect::<Vec<f64>>())
}

#[test]
fn every_kind_on_data_that_come_with_duress_is_sound() {
    let folder = tempfile::tempdir().unwrap();
    for kind in ["classify", "causal", "order", "judge"] {
        let file = format!("{kind}.toml");
        let said = done(folder.path(), &["init", kind, "--out", &file]);
        assert!(said.contains(&format!("duress run {file}")), "{said}");
        let said = done(folder.path(), &["check", &file, "--timing", "0"]);
        assert!(said.contains(&format!("{kind}: sound.")), "{said}");
    }
    done(folder.path(), &["init"]);
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("study.toml"), read("classify.toml"));
}

#[test]
fn a_table_becomes_a_study_that_runs_also_from_another_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("data and \"more\"")).unwrap();
    fs::create_dir_all(folder.path().join("studies")).unwrap();
    answers(&folder.path().join("data and \"more\"/my model.csv"), true);
    let args = [
        "init",
        "data and \"more\"/my model.csv",
        "--out",
        "studies/s.toml",
    ];
    done(folder.path(), &args);
    done(folder.path(), &["run", "studies/s.toml", "--out", "run"]);
    assert!(folder.path().join("run/6-report/index.html").exists());
}

#[test]
fn a_folder_becomes_subjects_seeds_and_ladders() {
    let folder = tempfile::tempdir().unwrap();
    let preds = folder.path().join("preds");
    fs::create_dir_all(&preds).unwrap();
    for subject in ["base", "big_v2"] {
        for seed in [1, 20] {
            answers(&preds.join(format!("{subject}_seed{seed}_clean.csv")), true);
            for severity in ["2-255", "8-255", "16-255"] {
                answers(
                    &preds.join(format!("{subject}_seed{seed}_pgd_{severity}.csv")),
                    true,
                );
            }
        }
    }
    for seed in [1, 20] {
        answers(
            &preds.join(format!("base_seed{seed}_gaussian_noise_0.10.csv")),
            true,
        );
    }
    answers(&preds.join("base_seed1_gaussian_noise_0.20.csv"), true);
    fs::write(preds.join("notes.csv"), "a\n1\n").unwrap();
    done(folder.path(), &["init", "classify", "preds"]);
    let study = fs::read_to_string(folder.path().join("study.toml")).unwrap();
    for line in [
        "seeds = [1, 20]",
        "[subject.big_v2]",
        "files = \"preds/{subject}_seed{seed}_{ladder}_{severity}.csv\"",
        "severities = [\"2/255\", \"8/255\", \"16/255\"]",
        "severities = [\"0.10\"]",
        "subjects = [\"base\"]",
        "# Left out: notes.csv",
        "# Left out: gaussian_noise 0.20",
    ] {
        assert!(study.contains(line), "{line} in {study}");
    }
    done(folder.path(), &["run", "study.toml", "--out", "run"]);
}

#[test]
fn true_classes_may_stand_in_a_table_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    answers(&folder.path().join("labels.csv"), true);
    answers(&folder.path().join("one.csv"), false);
    answers(&folder.path().join("two.csv"), false);
    done(folder.path(), &["init", ".", "--out", "study.toml"]);
    let study = fs::read_to_string(folder.path().join("study.toml")).unwrap();
    assert!(
        study.contains("file = \"labels.csv\"") && study.contains("[subject.two]"),
        "{study}"
    );
    done(folder.path(), &["check", "study.toml", "--timing", "0"]);
}

#[test]
fn columns_that_are_no_classes_are_left_to_the_user() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, header: &str, row: &dyn Fn(usize) -> String| {
        let rows: String = (0..40).map(|i| row(i) + "\n").collect();
        fs::write(folder.path().join(name), format!("{header}\n{rows}")).unwrap();
    };
    let p = |i: usize| 0.05 + 0.1 * (i % 10) as f64;
    let said = |i: usize| ["cat", "dog"][i % 2];
    let classes = |name: &str| {
        let out = format!("{name}.toml");
        done(folder.path(), &["init", name, "--out", &out]);
        done(folder.path(), &["check", &out, "--timing", "0"]);
        done(
            folder.path(),
            &["run", &out, "--out", &format!("run-{name}")],
        );
        let study = fs::read_to_string(folder.path().join(&out)).unwrap();
        let line = study
            .lines()
            .find(|line| line.starts_with("classes"))
            .unwrap()
            .to_string();
        (line, study)
    };
    write("one.csv", "id,cat,dog,ssim,site,label", &|i| {
        format!(
            "x{i},{},{},{},left,{}",
            p(i),
            1.0 - p(i),
            0.01 * i as f64,
            said(i)
        )
    });
    let (line, study) = classes("one.csv");
    assert_eq!(line, "classes = [\"cat\", \"dog\"]");
    assert!(study.contains("# scores = [\"ssim\", \"site\"]"), "{study}");
    assert!(
        study.contains("# columns = [\"ssim\", \"site\"]"),
        "{study}"
    );
    // A class that no item has is one: rows sum to 1 only with it, or it is never given anything.
    write("two.csv", "id,cat,owl,dog,label", &|i| {
        format!("x{i},{},0.02,{},{}", p(i) - 0.02, 1.0 - p(i), said(i))
    });
    assert_eq!(
        classes("two.csv").0,
        "classes = [\"cat\", \"owl\", \"dog\"]"
    );
    write("three.csv", "id,cat,owl,dog,label", &|i| {
        format!("x{i},{},0,{},{}", p(i), 1.0 - p(i), said(i))
    });
    assert_eq!(
        classes("three.csv").0,
        "classes = [\"cat\", \"owl\", \"dog\"]"
    );
    // Beside logits nothing tells a class that no item has from anything else.
    write("four.csv", "id,cat,dog,age,label", &|i| {
        format!("x{i},{},{},{},{}", 9.0 * p(i), -3.0, 20 + i, said(i))
    });
    let (code, wrong) = duress(folder.path(), &["init", "four.csv", "--out", "four.toml"]);
    assert!(
        code == 2 && wrong.contains("no item is of the class `age`"),
        "{wrong}"
    );
    let (code, wrong) = duress(folder.path(), &["gauge", "four.csv"]);
    assert!(
        code == 2 && wrong.contains("`--classes` names the columns"),
        "{wrong}"
    );
    done(
        folder.path(),
        &["gauge", "four.csv", "--classes", "cat,dog"],
    );
}

#[test]
fn idioms_responses_and_windows_of_ones_own_become_studies_that_run() {
    let folder = tempfile::tempdir().unwrap();
    let idioms = ["水滴石穿", "画蛇添足", "守株待兔", "对牛弹琴"];
    let row = |(i, idiom): (usize, &&str)| {
        format!("{idiom},explanation number {i},{}\n", ["a", "b"][i % 2])
    };
    let rows: String = idioms.iter().enumerate().map(row).collect();
    fs::write(
        folder.path().join("idioms.csv"),
        format!("idiom,explanation,structure\n{rows}"),
    )
    .unwrap();
    fs::write(
        folder.path().join("plain.csv"),
        "idiom,explanation\n水滴石穿,constancy wins\n画蛇添足,to overdo\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("sayings.csv"),
        "idiom,explanation\nbreak a big leg,good luck\nkick the old bucket,to die\nspill the hot beans,to tell\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("proverbs.csv"),
        "idiom,explanation\na stitch in time saves nine,act early\nall that glitters is not gold,looks deceive\n",
    )
    .unwrap();
    let response = |i: usize| {
        format!(
            "{{\"response\": \"The bridge opened in {} and is {} metres long. It was built by Anna Berg.\", \"prompt\": \"Tell me of bridge {i}.\", \"source\": \"Bridge {i} opened in {} and is {} metres long. Anna Berg built it.\", \"kind\": \"{}\"}}\n",
            1900 + i,
            100 + i,
            1900 + i,
            100 + i,
            ["old", "new"][i % 2]
        )
    };
    fs::write(
        folder.path().join("mine.jsonl"),
        (0..6).map(response).collect::<String>(),
    )
    .unwrap();
    for (kind, file) in [
        ("order", "idioms.csv"),
        ("order", "plain.csv"),
        ("order", "sayings.csv"),
        ("order", "proverbs.csv"),
        ("judge", "mine.jsonl"),
    ] {
        let study = format!("{kind}-{}.toml", file.split('.').next().unwrap());
        done(folder.path(), &["init", kind, file, "--out", &study]);
        let text = fs::read_to_string(folder.path().join(&study)).unwrap();
        assert!(
            text.contains(&format!("file = \"{file}\"")) && !text.contains("241"),
            "{text}"
        );
        done(
            folder.path(),
            &["run", &study, "--out", &format!("{study}.run")],
        );
    }
    let step = |t: usize| {
        let wave =
            |k: usize| ((t * (k + 3)) as f64 * 0.37).sin() + ((t * t * (k + 1)) % 17) as f64 / 17.0;
        format!(
            "2026-{:02}-{:02} {:02}:00,{},{},{},{}\n",
            1 + t / 672,
            1 + t / 24 % 28,
            t % 24,
            wave(0),
            wave(1),
            wave(2),
            ["day", "night"][t / 600 % 2]
        )
    };
    let rows = (0..1200).map(step).collect::<String>();
    fs::write(
        folder.path().join("plant.csv"),
        format!("date,heat,flow,yield,regime\n{rows}"),
    )
    .unwrap();
    for truth in [false, true] {
        if truth {
            fs::write(folder.path().join("edges.csv"), "from,to\nheat,flow\n").unwrap();
        }
        let study = format!("plant-{truth}.toml");
        done(
            folder.path(),
            &["init", "causal", "plant.csv", "--out", &study],
        );
        let text = fs::read_to_string(folder.path().join(&study)).unwrap();
        assert!(
            text.contains("variables = [\"heat\", \"flow\", \"yield\"]\ntime = \"date\"")
                && text.contains("\nregime = \"regime\""),
            "{text}"
        );
        assert!(
            !text.contains("# Left out") && text.contains("\ntruth = \"edges.csv\"") == truth,
            "{text}"
        );
        let said = done(folder.path(), &["check", &study, "--timing", "0"]);
        assert_eq!(said.contains("R²-sortability"), truth, "{said}");
        done(
            folder.path(),
            &["run", &study, "--out", &format!("{study}.run")],
        );
    }
    // Rows without time: no learner of lags, nothing to predict from the past; and nothing at all
    // without a truth.
    fs::create_dir(folder.path().join("timeless")).unwrap();
    fs::write(
        folder.path().join("timeless/x.npy"),
        made_up_numbers(&[800, 1, 3]),
    )
    .unwrap();
    let args = ["init", "causal", "timeless/x.npy", "--out", "timeless.toml"];
    let (code, said) = duress(folder.path(), &args);
    assert!(
        code == 2 && said.contains("without a list of true edges"),
        "{said}"
    );
    fs::write(folder.path().join("timeless/edges.csv"), "from,to\n0,1\n").unwrap();
    done(folder.path(), &args);
    done(
        folder.path(),
        &["run", "timeless.toml", "--out", "timeless.run"],
    );
    let (code, said) = duress(
        folder.path(),
        &["init", "judge", "plain.csv", "--out", "x.toml"],
    );
    assert!(
        code == 2 && said.contains("there is no column `response`"),
        "{said}"
    );
}

#[test]
fn nothing_is_overwritten_and_what_cannot_be_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let check = |args: &[&str], expected: &str| {
        let (code, said) = duress(folder.path(), args);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(expected), "{expected} in {said}");
    };
    fs::write(folder.path().join("study.toml"), "mine").unwrap();
    check(&["init"], "is not overwritten");
    assert_eq!(
        fs::read_to_string(folder.path().join("study.toml")).unwrap(),
        "mine"
    );
    check(&["init", "clasify"], "did you mean `classify`?");
    check(
        &["init", "order", "x.csv"],
        "there is no such file or folder",
    );
    check(
        &["init", "classify", "x.csv"],
        "there is no such file or folder",
    );
    fs::create_dir(folder.path().join("empty")).unwrap();
    check(
        &["init", "empty", "--out", "a.toml"],
        "there are no tables of answers",
    );
    answers(&folder.path().join("p.csv"), false);
    check(
        &["init", "p.csv", "--out", "a.toml"],
        "or a table labels.csv beside it",
    );
    check(&["init", "--out", "nowhere/a.toml"], "it cannot be written");
}
