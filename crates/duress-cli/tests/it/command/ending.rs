//! Runs that end before they are done: stopped, killed, in each other's way. The findings are the
//! same in the end.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::toy::trained;
use super::{duress, findings, run, running, said};

/// What the study finds when nobody disturbs it, and how long that takes.
fn undisturbed() -> (Vec<u8>, Duration) {
    let (folder, begun) = (trained(), Instant::now());
    let ended = run(folder.path(), &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.complaint);
    (findings(folder.path()), begun.elapsed())
}

/// Waits until a run in another process has answered something.
fn wait_for_an_answer(folder: &Path, child: &mut Child) {
    let events = folder.join("run/3-events.jsonl");
    while !fs::read_to_string(&events)
        .unwrap_or_default()
        .contains("\"answered\",\"place\"")
    {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the run ended before it was looked at"
        );
        sleep(Duration::from_millis(2));
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([name, &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[test]
fn a_run_that_is_interrupted_ends_with_130_and_goes_on_where_it_was() {
    let (expected, _) = undisturbed();
    for name in ["-INT", "-TERM"] {
        let folder = trained();
        let mut child = running(folder.path(), &["--jobs", "1"]).spawn().unwrap();
        wait_for_an_answer(folder.path(), &mut child);
        signal(&child, name);
        let stopped = said(child.wait_with_output().unwrap());
        assert_eq!(
            stopped.code,
            Some(130),
            "{}{}",
            stopped.out,
            stopped.complaint
        );
        assert!(
            stopped.out.starts_with("Stopped: ") && stopped.out.contains("Run again to go on."),
            "{}",
            stopped.out
        );
        assert!(!folder.path().join("run/5-findings.json").exists());
        assert_eq!(run(folder.path(), &[]).code, Some(0));
        assert_eq!(findings(folder.path()), expected);
    }
}

#[test]
fn a_report_of_a_run_that_is_not_done_says_so() {
    let folder = trained();
    let mut child = running(folder.path(), &["--jobs", "1"]).spawn().unwrap();
    wait_for_an_answer(folder.path(), &mut child);
    signal(&child, "-TERM");
    child.wait().unwrap();
    let out = folder.path().join("run");
    let report = said(duress(&["report", out.to_str().unwrap()]).output().unwrap());
    assert_eq!(report.code, Some(3), "{}{}", report.out, report.complaint);
    assert!(report.out.contains("cells answered"), "{}", report.out);
    assert_eq!(run(folder.path(), &[]).code, Some(0));
}

#[test]
fn a_run_that_is_killed_at_any_moment_loses_nothing() {
    let (expected, whole) = undisturbed();
    for share in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let folder = trained();
        let mut child = running(folder.path(), &[]).spawn().unwrap();
        sleep(whole.mul_f64(share));
        child.kill().unwrap();
        child.wait().unwrap();
        let ended = run(folder.path(), &[]);
        assert_eq!(ended.code, Some(0), "{}", ended.complaint);
        assert_eq!(
            findings(folder.path()),
            expected,
            "killed after {share} of the time"
        );
    }
}

#[test]
fn two_in_one_folder_do_not_get_in_each_others_way() {
    let (expected, _) = undisturbed();
    let folder = trained();
    let mut first = running(folder.path(), &["--jobs", "1"]).spawn().unwrap();
    wait_for_an_answer(folder.path(), &mut first);
    let second = run(folder.path(), &[]);
    assert_eq!(second.code, Some(2));
    assert!(
        second
            .complaint
            .contains("another duress is running in this folder"),
        "{}",
        second.complaint
    );
    let out = folder.path().join("run");
    let report = said(duress(&["report", out.to_str().unwrap()]).output().unwrap());
    assert_eq!(report.code, Some(2));
    assert!(
        report
            .complaint
            .contains("another duress is running in this folder"),
        "{}",
        report.complaint
    );
    let first = said(first.wait_with_output().unwrap());
    assert_eq!(first.code, Some(0), "{}", first.complaint);
    assert_eq!(findings(folder.path()), expected);
}

/// The answers are removed while a run is at it: that is no interrupt, and the folder is named.
fn removed_while_running(which: &str) {
    let folder = trained();
    let mut child = running(folder.path(), &["--jobs", "1"]).spawn().unwrap();
    wait_for_an_answer(folder.path(), &mut child);
    let gone = folder.path().join("run").join(which);
    // The run may put a file into it just now.
    while fs::remove_dir_all(&gone).is_err() {}
    let ended = said(child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(2), "{}{}", ended.out, ended.complaint);
    let complaint = ended.complaint;
    assert!(complaint.contains("4-ledger"), "{complaint}");
    assert!(complaint.contains("run again"), "{complaint}");
    assert!(!complaint.contains("bug in duress"), "{complaint}");
    assert_eq!(run(folder.path(), &[]).code, Some(0));
}

#[test]
fn answers_that_are_removed_under_a_run_are_an_error_and_no_interrupt() {
    removed_while_running("4-ledger/cells");
}

#[test]
fn a_ledger_that_is_removed_under_a_run_is_an_error_with_its_name() {
    removed_while_running("4-ledger");
}
