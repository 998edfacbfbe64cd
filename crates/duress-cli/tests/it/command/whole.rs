//! `duress verify`: whatever is damaged, swapped, removed or added in the folder of a run is named.

use std::fs;
use std::path::{Path, PathBuf};

use super::run;
use super::toy::{claim, recorded};
use crate::harness::{Said, duress, said};

/// Every file below a folder but the lock, which holds nothing.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_below(&path)),
            false => files.push(path),
        }
    }
    files.retain(|path| !path.ends_with("4-ledger/lock"));
    files.sort_unstable();
    files
}

fn damaged(run: &Path) -> Vec<PathBuf> {
    let verified = duress::verify(run).unwrap();
    let bad = verified.audit.unreadable.into_iter();
    bad.map(|bad| bad.path).collect()
}

fn verify(run: &Path) -> Said {
    said(duress(&["verify", run.to_str().unwrap()]).output().unwrap())
}

/// A finished run with a report, and its files.
fn finished() -> (tempfile::TempDir, PathBuf, Vec<PathBuf>) {
    let folder = recorded(&claim("better", 0.1));
    let ended = run(folder.path(), &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.complaint);
    let out = folder.path().join("run");
    assert_eq!(damaged(&out), [""; 0].map(PathBuf::from));
    let files = files_below(&out);
    let has = |name: &str| files.iter().any(|file| file.ends_with(name));
    assert!(has("manifest.json") && has("6-report/index.html") && has("3-events.jsonl"));
    (folder, out, files)
}

#[test]
fn a_changed_byte_in_any_file_of_a_run_is_named() {
    let (_folder, out, files) = finished();
    for file in &files {
        let whole = fs::read(file).unwrap();
        for at in [0, whole.len() / 2, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(file, bytes).unwrap();
            assert_eq!(&damaged(&out), std::slice::from_ref(file), "byte {at}");
        }
        fs::write(file, &whole).unwrap();
    }
    let page = out.join("6-report/index.html");
    let text = fs::read_to_string(&page).unwrap();
    fs::write(&page, text.replacen("0.85", "0.95", 1)).unwrap();
    let named = verify(&out);
    assert_eq!(named.code, Some(2), "{}", named.complaint);
    assert!(
        named.complaint.contains("index.html"),
        "{}",
        named.complaint
    );
    assert!(named.out.contains("1 file is not"), "{}", named.out);
    let redrawn = said(duress(&["report", out.to_str().unwrap()]).output().unwrap());
    assert_eq!(redrawn.code, Some(0), "{}", redrawn.complaint);
    assert_eq!(fs::read_to_string(&page).unwrap(), text);
    assert_eq!(verify(&out).code, Some(0));
}

#[test]
fn a_log_that_was_cut_or_removed_is_told_from_then_on() {
    for cut in [true, false] {
        let (folder, out, _) = finished();
        let log = out.join("3-events.jsonl");
        let text = fs::read_to_string(&log).unwrap();
        match cut {
            true => fs::write(&log, text.lines().next().unwrap().to_string() + "\n").unwrap(),
            false => fs::remove_file(&log).unwrap(),
        }
        let report = || said(duress(&["report", out.to_str().unwrap()]).output().unwrap());
        for ended in [report(), report(), run(folder.path(), &[])] {
            assert_eq!(ended.code, Some(0), "{}", ended.complaint);
            let findings = fs::read_to_string(out.join("5-findings.json")).unwrap();
            assert!(findings.contains("log-damaged"), "cut: {cut}");
        }
    }
}

#[test]
fn files_that_are_swapped_or_gone_are_named() {
    let (_folder, out, mut files) = finished();
    // Without its manifest a report has nothing that vouches for it.
    files.retain(|file| !file.ends_with("manifest.json"));
    for pair in files.windows(2) {
        let (one, two) = (fs::read(&pair[0]).unwrap(), fs::read(&pair[1]).unwrap());
        if one == two {
            continue;
        }
        fs::write(&pair[0], &two).unwrap();
        fs::write(&pair[1], &one).unwrap();
        let named = damaged(&out);
        assert!(pair.iter().all(|file| named.contains(file)), "{named:?}");
        fs::write(&pair[0], &one).unwrap();
        fs::write(&pair[1], &two).unwrap();
    }
    for file in &files {
        let whole = fs::read(file).unwrap();
        fs::remove_file(file).unwrap();
        assert!(damaged(&out).contains(file), "{}", file.display());
        fs::write(file, whole).unwrap();
    }
    fs::remove_file(out.join("manifest.json")).unwrap();
    let unsealed = verify(&out);
    assert_eq!(unsealed.code, Some(0), "{}", unsealed.complaint);
    assert!(unsealed.out.contains("no manifest"), "{}", unsealed.out);
}

#[test]
fn files_that_are_no_part_of_a_run_are_told_and_are_no_damage() {
    let (_folder, out, _) = finished();
    let foreign = [
        "notes.txt",
        "4-ledger/x.tmp",
        "4-ledger/cells/y",
        "6-report/z.png",
    ];
    for name in foreign {
        fs::write(out.join(name), "left by a person").unwrap();
    }
    let told = verify(&out);
    assert_eq!(told.code, Some(0), "{}", told.complaint);
    for name in foreign {
        let line = format!("{name}: belongs to no run");
        assert!(told.complaint.contains(&line), "{}", told.complaint);
    }
}

#[test]
fn a_damaged_log_of_events_is_named_by_report_and_mended_by_run() {
    let (folder, out, _) = finished();
    // The report lists the studies that were run before, which only the log knows.
    let study = folder.path().join("study.toml");
    let text = fs::read_to_string(&study).unwrap();
    fs::write(&study, text.replace("margin = 0.1", "margin = 0.2")).unwrap();
    assert_eq!(run(folder.path(), &[]).code, Some(0));
    let before = super::findings(folder.path());
    let events = out.join("3-events.jsonl");
    let log = fs::read_to_string(&events).unwrap();
    let answered = log.replacen("answered", "answerec", 1);
    assert_ne!(answered, log);
    fs::write(&events, answered).unwrap();
    let refused = said(duress(&["report", out.to_str().unwrap()]).output().unwrap());
    assert_eq!(refused.code, Some(2), "{}", refused.out);
    assert!(
        refused.complaint.contains("3-events.jsonl"),
        "{}",
        refused.complaint
    );
    let mended = run(folder.path(), &[]);
    assert_eq!(mended.code, Some(0), "{}", mended.complaint);
    assert!(
        mended.complaint.contains("3-events.jsonl"),
        "{}",
        mended.complaint
    );
    let read = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).unwrap();
    let mut after = read(&super::findings(folder.path()));
    let caveats = after["caveats"].as_array_mut().unwrap();
    let told = caveats
        .iter()
        .position(|one| one.to_string().contains("log-damaged"));
    caveats.remove(told.unwrap());
    assert_eq!(after, read(&before));
    assert!(out.join("4-ledger/damaged/3-events.jsonl").exists());
    assert_eq!(verify(&out).code, Some(0));
}
