//! What reaches the terminal: plain text when nobody watches, and nothing that steers it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::toy::{claim, recorded};
use super::{duress, findings, run, said};

#[test]
fn the_output_is_plain_when_it_is_no_terminal() {
    let folder = recorded(&claim("upheld", 0.3));
    let ended = run(folder.path(), &[]);
    for text in [&ended.out, &ended.complaint] {
        assert!(!text.contains('\u{1b}') && !text.contains('\r'), "{text:?}");
    }
    assert_eq!(ended.complaint, "");
    assert!(ended.out.contains("upheld"), "{}", ended.out);
    assert!(
        ended.out.ends_with("6-report/index.html\n"),
        "{}",
        ended.out
    );
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for args in [&["list"][..], &["schema"], &["explain", "pgd"]] {
        let mut child = duress(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut first)
            .unwrap();
        assert!(!first.is_empty());
        let ended = said(child.wait_with_output().unwrap());
        assert_eq!(
            (ended.code, ended.complaint.as_str()),
            (Some(0), ""),
            "{args:?}"
        );
    }
}

#[test]
fn a_reader_of_complaints_that_goes_away_is_no_error_either() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("study.toml");
    let mistakes: String = (0..2000).map(|i| format!("mistake-{i} = {i}\n")).collect();
    fs::write(&study, mistakes).unwrap();
    let mut child = duress(&["check", study.to_str().unwrap()])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

/// Colours the terminal, rings its bell, turns the writing round, and is HTML besides.
const HOSTILE: &str = "\\u001b[31m\\u0007\\u202e<script>alert(1)</script>";

fn is_harmless(text: &str) {
    let steers = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
    assert!(!text.contains(steers), "{text:?}");
}

#[test]
fn hostile_text_in_a_study_reaches_neither_terminal_nor_page_as_it_is() {
    let folder = recorded(&claim(HOSTILE, 0.3));
    let study = folder.path().join("study.toml");
    let check = said(
        duress(&["check", study.to_str().unwrap(), "--timing", "0"])
            .output()
            .unwrap(),
    );
    assert_eq!(check.code, Some(0), "{}", check.complaint);
    let ended = run(folder.path(), &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.complaint);
    [&check.out, &ended.out]
        .into_iter()
        .for_each(|text| is_harmless(text));
    let page = fs::read_to_string(folder.path().join("run/6-report/index.html")).unwrap();
    assert!(!page.contains("<script>alert(1)") && !page.contains('\u{1b}'));
}

#[test]
fn hostile_text_in_complaints_is_shown_and_does_nothing() {
    let check = |text: &[u8]| {
        let folder = tempfile::tempdir().unwrap();
        let study = folder.path().join("study.toml");
        fs::write(&study, text).unwrap();
        let ended = said(
            duress(&["check", study.to_str().unwrap()])
                .output()
                .unwrap(),
        );
        assert_eq!(ended.code, Some(2));
        is_harmless(&ended.complaint);
    };
    check(format!("name = \"{HOSTILE}\"\n").as_bytes());
    check(format!("name = \"x\"\n\"{HOSTILE}\" = 3\n").as_bytes());
    check("name = \"\u{1b}[31m\u{202e}\"\n".as_bytes());
    check("name = \"x\"\nkey\u{202e} = 3 # \u{1b}[2J\n".as_bytes());
    let ended = said(duress(&["explain", "\u{1b}[31m\u{202e}"]).output().unwrap());
    is_harmless(&ended.complaint);
}

#[test]
fn hostile_ids_and_classes_are_data_and_no_more() {
    let folder = recorded(&claim("upheld", 0.3));
    let hostile = "\u{1b}[31m<b>a</b>";
    for entry in fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().is_file())
    {
        let text = fs::read_to_string(entry.path()).unwrap();
        let study = entry.file_name() == "study.toml";
        let class = if study {
            "\"\\u001b[31m<b>a</b>\"".into()
        } else {
            format!(",{hostile}\n")
        };
        let text = text.replace(if study { "\"a\"" } else { ",a\n" }, &class);
        fs::write(
            entry.path(),
            if study {
                text
            } else {
                text.replace("\n3,", &format!("\n{hostile} 3,"))
            },
        )
        .unwrap();
    }
    let ended = run(folder.path(), &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.complaint);
    is_harmless(&ended.out);
    let page = fs::read_to_string(folder.path().join("run/6-report/index.html")).unwrap();
    assert!(!page.contains("<b>a</b>") && !page.contains('\u{1b}'));
    assert!(
        String::from_utf8(findings(folder.path()))
            .unwrap()
            .contains("<b>a</b>")
    );
}

#[test]
fn an_output_that_is_full_is_told_and_does_not_end_as_if_all_were_well() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else {
        return;
    };
    let ended = duress(&["list"])
        .stdout(full)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(
        String::from_utf8(ended.stderr)
            .unwrap()
            .contains("standard output cannot be written")
    );
}

#[test]
fn every_kind_of_part_is_listed_and_nonsense_is_refused() {
    for (kind, name) in [
        ("rater", "lexical"),
        ("gauge", "accuracy"),
        ("gauges", "accuracy"),
        ("dataset", "digits"),
        ("subject", "recorded"),
    ] {
        let listed = said(duress(&["list", kind]).output().unwrap());
        assert_eq!(listed.code, Some(0), "{}", listed.complaint);
        assert!(listed.out.contains(name), "{}", listed.out);
    }
    let explained = said(duress(&["explain", "AURC"]).output().unwrap());
    assert!(
        explained.code == Some(0) && explained.out.starts_with("gauge aurc"),
        "{}",
        explained.complaint
    );
    let folder = crate::command::toy::recorded("");
    let none = crate::command::run(folder.path(), &["--jobs", "0"]);
    assert_eq!(none.code, Some(2), "{}", none.complaint);
}

#[test]
fn answers_as_a_table_hold_no_formula_and_no_terminal_code() {
    let folder = crate::command::toy::recorded("");
    let evil = "id,prediction\n";
    let (red, turned) = ("\u{1b}[31mred", "\u{202e}gpj.exe");
    let ids = ["=1+1", "@SUM(A1)", "+cmd|x", red, turned, "plain"];
    let table = |head: &str| {
        let rows = ids.iter().map(|id| format!("{id},a\n"));
        evil.replace("prediction", head) + &rows.collect::<String>()
    };
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let head = match path.file_name().unwrap().to_str().unwrap() {
            "study.toml" => continue,
            "labels.csv" => "label",
            _ => "prediction",
        };
        std::fs::write(&path, table(head)).unwrap();
    }
    // One class of two is there: the study names both.
    let text = std::fs::read_to_string(folder.path().join("study.toml")).unwrap();
    let text = text.replace(
        "file = \"labels.csv\"",
        "file = \"labels.csv\"\nclasses = [\"a\", \"b\"]",
    );
    std::fs::write(folder.path().join("study.toml"), text).unwrap();
    let ended = crate::command::run(folder.path(), &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.complaint);
    let (out, csv) = (folder.path().join("run"), folder.path().join("answers.csv"));
    let (out, csv_name) = (out.to_str().unwrap(), csv.to_str().unwrap());
    let ended = said(
        duress(&["report", out, "--answers", csv_name])
            .output()
            .unwrap(),
    );
    assert_eq!(ended.code, Some(0), "{}", ended.complaint);
    assert_eq!(ended.complaint, "");
    let written = std::fs::read_to_string(csv).unwrap();
    assert!(written.contains(",'=1+1,a,"), "{written}");
    assert!(!written.contains(['\u{1b}', '\u{202e}']));
    assert!(written.lines().all(|line| {
        line.split(',')
            .all(|field| !field.starts_with(['=', '@', '+']))
    }));
}

#[test]
fn answers_that_cannot_be_a_table_of_items_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let text = "name = \"g\"\nseeds = [1]\n[dataset.s]\nuse = \"temporal-sem\"\nvariables = 3\nedges = 2\nwindows = 20\n\
                [subject.lagged]\nuse = \"lagged-regression\"\n[analysis]\ngauges = [\"directed-f1\"]\n";
    std::fs::write(folder.path().join("study.toml"), text).unwrap();
    assert_eq!(crate::command::run(folder.path(), &[]).code, Some(0));
    let (out, csv) = (folder.path().join("run"), folder.path().join("answers.csv"));
    let args = [
        "report",
        out.to_str().unwrap(),
        "--answers",
        csv.to_str().unwrap(),
    ];
    let ended = said(duress(&args).output().unwrap());
    assert!(
        ended.complaint.contains("nothing to write"),
        "{}",
        ended.complaint
    );
    assert!(
        ended.complaint.contains("1 cell about graph"),
        "{}",
        ended.complaint
    );
}

/// An error of a megabyte is kept whole in the ledger, and cut where it is shown.
#[test]
fn a_reply_of_a_megabyte_is_cut_where_it_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let script = "read -r hello\necho '{\"hello\": 1, \"dimensions\": [\"T\"]}'\nread -r question\n\
                  id=$(echo \"$question\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/')\n\
                  printf '{\"id\": %s, \"error\": \"' \"$id\"\nhead -c 1000000 /dev/zero | tr '\\0' 'x'\nprintf '\"}\\n'\n";
    std::fs::write(folder.path().join("judge.sh"), script).unwrap();
    let text = "name = \"s\"\n[dataset.d]\nuse = \"judged-responses\"\n[subject.mine]\nuse = \"command\"\n\
                command = [\"sh\", \"judge.sh\"]\naccepts = \"texts\"\nanswers = \"ratings\"\nbatch = 100\n\
                [analysis]\ngauges = [\"quality\"]\n";
    std::fs::write(folder.path().join("study.toml"), text).unwrap();
    let ended = crate::command::run(folder.path(), &[]);
    assert_eq!(ended.code, Some(3), "{}", ended.complaint);
    assert!(
        ended.out.len() < 20_000,
        "{} bytes on the terminal",
        ended.out.len()
    );
    let page = std::fs::read_to_string(folder.path().join("run/6-report/index.html")).unwrap();
    assert!(page.contains("letters left out"));
    assert!(!page.contains(&"x".repeat(5000)));
}
