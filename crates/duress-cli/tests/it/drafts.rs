//! What `init` drafts runs as it stands, and has a claim that a gate can judge.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use crate::harness::ended as duress;

/// Drafts a study, checks it, and looks for its claim.
fn drafted(folder: &Path, about: &[&str], name: &str) {
    let file = format!("{name}.toml");
    let args = [&["init"], about, &["--out", &file]].concat();
    let (code, said) = duress(folder, &args);
    assert_eq!(code, 0, "{about:?}: {said}");
    let text = fs::read_to_string(folder.join(&file)).unwrap();
    assert!(text.contains("\n[[claim]]"), "{about:?}: {text}");
    let (code, said) = duress(folder, &["check", &file, "--timing", "0"]);
    assert!(code == 0 && said.contains("sound."), "{about:?}: {said}");
}

fn own_files(folder: &Path) {
    let idioms = "idiom,explanation\n水滴石穿,to persist\n画蛇添足,to overdo\n守株待兔,to wait for luck\n井底之蛙,to see little\n";
    fs::write(folder.join("idioms.csv"), idioms).unwrap();
    let response = |i: usize| {
        format!(
            "r{i},The river measures {i}4 kilometres from the mountain to the harbour and carries 12 barges through 3 villages every summer\n"
        )
    };
    let responses: String = (1..7).map(response).collect();
    fs::write(
        folder.join("responses.csv"),
        format!("id,response\n{responses}"),
    )
    .unwrap();
    let step = |i: usize| {
        let x = (i * 37 % 101) as f64 / 10.0;
        format!("{x},{},{}\n", i * 11 % 17, x * 0.5 + (i % 7) as f64)
    };
    let steps: String = (0..400).map(step).collect();
    fs::create_dir(folder.join("w")).unwrap();
    fs::write(folder.join("w/steps.csv"), format!("a,b,c\n{steps}")).unwrap();
    let answer = |i: usize| {
        let p = (i % 10) as f64 / 10.0;
        format!("x{i},{p},{},{}\n", 1.0 - p, ["cat", "dog"][i % 2])
    };
    let answers: String = (0..60).map(answer).collect();
    fs::write(
        folder.join("answers.csv"),
        format!("id,cat,dog,label\n{answers}"),
    )
    .unwrap();
}

#[test]
fn every_kind_has_a_claim_and_is_sound() {
    let folder = tempfile::tempdir().unwrap();
    own_files(folder.path());
    for kind in ["classify", "causal", "order", "judge"] {
        drafted(folder.path(), &[kind], kind);
    }
    for (name, about) in [
        ("own-order", &["order", "idioms.csv"][..]),
        ("own-judge", &["judge", "responses.csv"]),
        ("own-causal", &["causal", "w/steps.csv"]),
        ("own-answers", &["answers.csv"]),
    ] {
        drafted(folder.path(), about, name);
    }
}

#[test]
fn a_gate_judges_what_was_drafted() {
    let folder = tempfile::tempdir().unwrap();
    own_files(folder.path());
    for (name, about) in [
        ("order", &["order"][..]),
        ("judge", &["judge"]),
        ("own-answers", &["answers.csv"]),
    ] {
        drafted(folder.path(), about, name);
        let file = format!("{name}.toml");
        let (code, said) = duress(folder.path(), &["run", &file, "--gate"]);
        // Upheld, or not: a claim was judged, and nothing failed.
        assert!([0, 1].contains(&code), "{name}: {said}");
        let verdicts = ["upheld", "refuted", "undecided"];
        assert!(verdicts.iter().any(|word| said.contains(word)), "{said}");
    }
}

#[test]
fn edges_that_are_about_other_windows_are_left_out_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    own_files(folder.path());
    let edges = "from,to\nrain,river\n";
    fs::write(folder.path().join("w/edges.csv"), edges).unwrap();
    drafted(folder.path(), &["causal", "w/steps.csv"], "windows");
    let text = fs::read_to_string(folder.path().join("windows.toml")).unwrap();
    assert!(
        text.contains("# Left out, it does not fit these windows: edges.csv"),
        "{text}"
    );
    assert!(!text.contains("\ntruth ="), "{text}");
}

#[test]
fn a_table_with_semicolons_and_decimal_commas_is_drafted_with_its_gaps_and_regimes() {
    let folder = tempfile::tempdir().unwrap();
    let row = |t: usize| {
        let wave = |k: usize| ((t * (k + 3)) as f64 * 0.37).sin();
        let number = |k: usize| format!("{:.4}", wave(k)).replace('.', ",");
        let last = if t == 5 { "n/a".into() } else { number(2) };
        let shift = ["north", "south"][t / 300];
        format!("{};{};{};{last}\n", number(0), shift, number(1))
    };
    let rows: String = (0..600).map(row).collect();
    let table = format!("heat;region;flow;yield\n{rows}");
    fs::write(folder.path().join("plant.csv"), table).unwrap();
    drafted(folder.path(), &["causal", "plant.csv"], "plant");
    let study = folder.path().join("plant.toml");
    let text = fs::read_to_string(&study).unwrap();
    for line in [
        "\nvariables = [\"heat\", \"flow\", \"yield\"]\n",
        "\n# regime = \"region\"",
        "if its 2 names are regimes: north, south …\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    fs::write(&study, text.replace("# regime", "regime")).unwrap();
    let (code, said) = duress(folder.path(), &["check", "plant.toml", "--timing", "0"]);
    assert!(code == 0 && !said.contains("one regime"), "{said}");
}

/// Both other dimensions are claimed, and who reads the screen can tell the ladders apart.
#[test]
fn a_drafted_study_of_judges_says_of_both_other_scores_that_they_stay() {
    let folder = tempfile::tempdir().unwrap();
    drafted(folder.path(), &["judge"], "judge");
    let (code, said) = duress(folder.path(), &["run", "judge.toml", "--out", "run"]);
    assert_eq!(code, 0, "{said}");
    for part in ["bias-leak", "explanation-leak", "explanation-moved"] {
        assert!(said.contains(&format!("{part} of rules")), "{part}: {said}");
    }
    for ladder in ["rules under spelling", "rules under factual"] {
        assert!(said.contains(ladder), "{ladder}: {said}");
    }
    let upheld = |name: &str| said.contains(&format!("upheld    {name}"));
    assert!(upheld("three false facts cost trust"), "{said}");
    assert!(
        upheld("false facts move the other scores of few responses"),
        "{said}"
    );
}
