//! Bad input: a clear message, exit code 2 (or 3 where the rest of the study could go on), and
//! nothing lost.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::toy::{claim, recorded, write_study};
use super::{Said, duress, findings, run, said};

/// What `run` says when one file of the toy study has other content.
fn with_file(file: &str, content: impl AsRef<[u8]>) -> Said {
    let folder = recorded("");
    fs::write(folder.path().join(file), content).unwrap();
    let ended = run(folder.path(), &[]);
    let reasons = fs::read_to_string(folder.path().join("run/5-findings.json")).unwrap_or_default();
    Said {
        complaint: ended.complaint + &reasons,
        ..ended
    }
}

fn check(file: &str, content: impl AsRef<[u8]>, code: i32, expected: &[&str]) {
    with_file(file, content).assert_complains(code, expected);
}

/// Puts other words into a file of the toy study.
fn replace(folder: &Path, file: &str, from: &str, to: &str) {
    let file = folder.join(file);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from:?} is not in {text}");
    fs::write(file, text.replace(from, to)).unwrap();
}

/// What `report` says about the run of a folder.
fn report(folder: &Path, more: &[&str]) -> Said {
    let run = folder.join("run");
    let args = [&["report", run.to_str().unwrap()], more].concat();
    said(duress(&args).output().unwrap())
}

#[test]
fn a_study_that_is_none_is_told_where_and_why() {
    check(
        "study.toml",
        b"name = \"x\"\nseeds = [\xff]",
        2,
        &[
            "study.toml:2: this is not UTF-8 text",
            "1 problem; nothing was run",
        ],
    );
    check("study.toml", "", 2, &["the study is empty"]);
    check("study.toml", "name = ", 2, &["not TOML: ", "study.toml:1:"]);
    let missing = said(duress(&["run", "nowhere/study.toml"]).output().unwrap());
    missing.assert_complains(2, &["nowhere/study.toml: cannot be read: "]);
}

#[test]
fn a_table_in_the_place_of_a_study_is_told_once_with_what_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("preds.csv"),
        "id,a,b,label\n1,0.5,0.5,a\n2,0.5,0.5,b\n",
    )
    .unwrap();
    for verb in ["run", "check", "plan"] {
        let ended = said(
            duress(&[verb, "preds.csv"])
                .current_dir(folder.path())
                .output()
                .unwrap(),
        );
        ended.assert_complains(
            2,
            &[
                "this is a table and no study",
                "duress gauge preds.csv",
                "duress init preds.csv",
                "1 problem;",
            ],
        );
        assert!(!ended.complaint.contains("TOML:"), "{}", ended.complaint);
    }
}

#[test]
fn names_that_stand_for_another_gauge_and_numbers_beyond_all_are_refused() {
    let more = "[gauge.ece]\nuse = \"selective-accuracy\"\n";
    let ended = run(recorded(more).path(), &[]);
    ended.assert_complains(2, &["gauge `ece` uses `selective-accuracy`"]);
    let study = "name = \"x\"\nseeds = [99999999999999999999999]\n";
    check(
        "study.toml",
        study,
        2,
        &[
            "`seeds` is [100000000000000000000000]",
            "whole numbers at or above 0, below 2⁶³",
        ],
    );
}

#[test]
fn all_mistakes_of_a_study_are_shown_as_people_read_them() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let output = duress(&["check", "mistakes.toml"])
        .current_dir(&golden)
        .output()
        .unwrap();
    let ended = said(output);
    assert_eq!(ended.code, Some(2));
    if std::env::var_os("WRITE_GOLDEN").is_some() {
        fs::write(golden.join("mistakes.txt"), &ended.complaint).unwrap();
    }
    assert_eq!(
        ended.complaint,
        fs::read_to_string(golden.join("mistakes.txt")).unwrap()
    );
}

#[test]
fn a_table_of_labels_that_is_broken_is_refused_with_its_line() {
    check("labels.csv", "id,label\n0,a\n1\n", 2, &["labels.csv:3: "]);
    check("labels.csv", "id,class\n0,a\n", 2, &["labels.csv", "label"]);
    check(
        "labels.csv",
        "id,label\n0,a\n0,b\n",
        2,
        &["labels.csv:3: the id \"0\" is there twice"],
    );
    check("labels.csv", "", 2, &["labels.csv"]);
}

#[test]
fn labels_outside_the_classes_are_refused_with_their_line() {
    let folder = recorded("");
    replace(
        folder.path(),
        "study.toml",
        "file = \"labels.csv\"",
        "file = \"labels.csv\"\nclasses = [\"a\", \"c\"]",
    );
    run(folder.path(), &[]).assert_complains(2, &["labels.csv:3: ", "\"b\""]);
}

#[test]
fn recorded_answers_that_are_broken_fail_their_cell_with_file_and_line_and_a_wrong_header_is_refused()
 {
    let file = "two_1_storm_1.csv";
    let at = |line: usize| format!("{file}:{line}: ");
    check(file, "id,prediction\n0,a\n1\n", 3, &[&at(3)]);
    check(
        file,
        "id,answer\n0,a\n",
        2,
        &[file, "there is no column `a`"],
    );
    check(file, "id,prediction\n0,z\n", 3, &[&at(2), "\\\"z\\\""]);
    check(file, "id,a,b\n0,0.5,0.5\n1,0.9,0.9\n", 3, &[&at(3)]);
    check(file, "id,a,b\n0,0.5,0.5\n1,NaN,0.9\n", 3, &[&at(3), "NaN"]);
    check(
        file,
        "id,prediction\nno such item,a\n",
        3,
        &[&at(2), "no such item"],
    );
}

#[test]
fn an_npz_that_is_none_is_refused() {
    let folder = recorded("");
    replace(
        folder.path(),
        "study.toml",
        "file = \"labels.csv\"",
        "file = \"labels.npz\"",
    );
    fs::write(folder.path().join("labels.npz"), "this is no archive").unwrap();
    run(folder.path(), &[]).assert_complains(2, &["labels.npz: "]);
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let folder = recorded("");
    fs::remove_file(folder.path().join("two_3_storm_1.csv")).unwrap();
    run(folder.path(), &[]).assert_complains(2, &["two_3_storm_1.csv"]);
    fs::remove_file(folder.path().join("labels.csv")).unwrap();
    run(folder.path(), &[]).assert_complains(2, &["labels.csv"]);
}

#[test]
fn a_run_folder_of_another_study_is_left_alone() {
    let folder = recorded("");
    assert_eq!(run(folder.path(), &[]).code, Some(0));
    let before = findings(folder.path());
    replace(
        folder.path(),
        "study.toml",
        "name = \"toy\"",
        "name = \"other\"",
    );
    run(folder.path(), &[]).assert_complains(
        2,
        &["this run folder belongs to the study `toy`, not to `other`"],
    );
    assert_eq!(findings(folder.path()), before);
}

#[test]
fn a_changed_study_in_the_same_folder_is_remembered() {
    let folder = recorded(&claim("c", 0.3));
    assert_eq!(run(folder.path(), &[]).code, Some(0));
    write_study(folder.path(), &claim("c", 0.1));
    assert_eq!(run(folder.path(), &[]).code, Some(0));
    let text = String::from_utf8(findings(folder.path())).unwrap();
    assert!(text.contains("This folder holds 1 earlier version of the study"));
}

#[test]
fn a_folder_that_is_no_run_folder_is_refused_by_run_and_report() {
    let folder = recorded("");
    fs::create_dir(folder.path().join("run")).unwrap();
    fs::write(folder.path().join("run/thesis.tex"), "years of work").unwrap();
    run(folder.path(), &[]).assert_complains(2, &["not a run folder: there is `thesis.tex` in it"]);
    report(folder.path(), &[])
        .assert_complains(2, &["not a run folder: `2-plan.json` cannot be read"]);
}

#[test]
fn a_run_folder_whose_study_was_edited_is_told_apart_from_a_bug() {
    let folder = recorded("");
    assert_eq!(run(folder.path(), &[]).code, Some(0));
    replace(
        folder.path(),
        "run/1-study.toml",
        "seeds = [1, 2, 3]",
        "seeds = [1, 2, 3, 4]",
    );
    report(folder.path(), &[]).assert_complains(
        2,
        &["the plan that was kept is of another version of this study"],
    );
}

#[test]
fn a_damaged_cell_is_named_with_the_way_out_and_asked_again_by_a_run() {
    let folder = recorded("");
    assert_eq!(run(folder.path(), &[]).code, Some(0));
    let before = findings(folder.path());
    let cells = folder.path().join("run/4-ledger/cells");
    let shelf = fs::read_dir(cells).unwrap().next().unwrap().unwrap().path();
    let cell = fs::read_dir(shelf).unwrap().next().unwrap().unwrap().path();
    let out = folder.path().join("run");
    let out = out.to_str().unwrap();
    let verify = || said(duress(&["verify", out]).output().unwrap());
    let whole = verify();
    assert_eq!(whole.code, Some(0), "{}", whole.complaint);
    assert!(whole.out.ends_with("files, whole.\n"), "{}", whole.out);
    fs::write(&cell, "PAR1").unwrap();
    let report = report(folder.path(), &[]);
    let compared = said(duress(&["compare", out, out]).output().unwrap());
    let named = verify();
    for ended in [report, compared, named] {
        ended.assert_complains(2, &[cell.to_str().unwrap(), "run the study again"]);
        let complaint = ended.complaint;
        assert!(!complaint.contains("bug in duress"), "{complaint}");
    }
    run(folder.path(), &[]).assert_complains(0, &[cell.to_str().unwrap(), "asked again"]);
    assert_eq!(findings(folder.path()), before);
    assert_eq!(verify().code, Some(0));
}

#[test]
#[cfg(unix)]
fn a_folder_that_cannot_be_written_is_told_with_the_way_out() {
    use std::os::unix::fs::PermissionsExt;
    let folder = recorded("");
    let locked = folder.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o500)).unwrap();
    let out = if fs::write(locked.join("probe"), "").is_ok() {
        // Permissions do not bind root; the kernel's own folders bind everybody.
        eprintln!("permissions do not bind this user: trying /proc instead");
        "/proc/duress-run".to_string()
    } else {
        locked.join("run").display().to_string()
    };
    let study = folder.path().join("study.toml");
    let ended = said(
        duress(&["run", study.to_str().unwrap(), "--out", &out])
            .output()
            .unwrap(),
    );
    ended.assert_complains(2, &[&out, "finished cells are kept"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told_with_the_way_out() {
    let folder = recorded("");
    fs::create_dir_all(folder.path().join("run/4-ledger")).unwrap();
    // What the run writes first goes to a device that is always full: under a name with the id of
    // its process, which is the shell's.
    let script = "ln -s /dev/full \"$1/run/$$-0.unfinished\" && exec \"$2\" run \"$1/study.toml\" --out \"$1/run\"";
    let ended = Command::new("sh")
        .args(["-c", script, "sh", folder.path().to_str().unwrap()])
        .arg(env!("CARGO_BIN_EXE_duress"))
        .output()
        .unwrap();
    let ended = said(ended);
    ended.assert_complains(
        2,
        &[
            "No space left on device",
            "make room, then run again: finished cells are kept",
        ],
    );
    assert_eq!(
        run(folder.path(), &[]).code,
        Some(0),
        "what was left over is cleared away"
    );
    report(folder.path(), &["--answers", "/dev/full"])
        .assert_complains(2, &["/dev/full: No space left on device"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_disk_that_fills_up_in_the_middle_keeps_what_was_finished() {
    let folder = recorded("");
    let (study, disk) = (folder.path().join("study.toml"), folder.path().join("disk"));
    fs::create_dir(&disk).unwrap();
    // A small disk of our own, in a name space that ends with the command.
    let script = "mount -t tmpfs -o size=64k tmpfs \"$1\" || exit 99; \"$2\" run \"$3\" --out \"$1/run\"; echo \"code $?\"; \
                  mount -o remount,size=16m \"$1\" || exit 99; \"$2\" run \"$3\" --out \"$1/run\"; echo \"code $?\"; cp \"$1/run/5-findings.json\" \"$4\"";
    let output = Command::new("unshare")
        .args([
            "--mount",
            "--map-root-user",
            "sh",
            "-c",
            script,
            "sh",
            disk.to_str().unwrap(),
        ])
        .args([env!("CARGO_BIN_EXE_duress"), study.to_str().unwrap()])
        .arg(folder.path().join("found.json"))
        .output();
    let Some(ended) = output
        .ok()
        .map(said)
        .filter(|ended| ended.out.contains("code "))
    else {
        eprintln!("skipped: no small disk can be mounted here");
        return;
    };
    let codes: Vec<&str> = ended
        .out
        .lines()
        .filter(|line| line.starts_with("code "))
        .collect();
    assert_eq!(
        codes,
        ["code 2", "code 0"],
        "{}{}",
        ended.out,
        ended.complaint
    );
    assert!(
        ended
            .complaint
            .contains("make room, then run again: finished cells are kept"),
        "{}",
        ended.complaint
    );
    assert_eq!(run(folder.path(), &[]).code, Some(0));
    assert_eq!(
        fs::read(folder.path().join("found.json")).unwrap(),
        findings(folder.path())
    );
}
