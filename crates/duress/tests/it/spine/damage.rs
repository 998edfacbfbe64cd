//! Damage on disk: noticed, named, set aside and asked again; never read as an answer.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use duress::RunOptions;
use duress::ledger::{Ledger, UnreadableKind};
use duress::plan::Plan;
use duress::run::Event;

use super::{findings_in, parts, planned, run_in, small};

fn files_in(folder: &Path, shelf: &str) -> Vec<PathBuf> {
    let shelves = fs::read_dir(folder.join("4-ledger").join(shelf)).unwrap();
    let mut files: Vec<PathBuf> = shelves
        .flat_map(|shelf| fs::read_dir(shelf.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .collect();
    files.sort_unstable();
    files
}

/// Runs the study of a plan again, from its beginning to its findings; the files that were damaged.
fn again(plan: &Plan, folder: &Path) -> Vec<String> {
    let mut options = RunOptions::in_folder(folder);
    options.jobs = 2;
    options.registry = parts::registry();
    let damaged = Mutex::new(Vec::new());
    let tell = |event: &Event| {
        if let Event::Damaged { file, .. } = event {
            damaged.lock().unwrap().push(file.clone());
        }
    };
    // What a later duress wrote is refused in the end.
    let _ = duress::run(&plan.study, &options, &tell);
    damaged.into_inner().unwrap()
}

fn flip(file: &Path, bit: usize) {
    let mut bytes = fs::read(file).unwrap();
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(file, bytes).unwrap();
}

/// Flips bits one at a time, all over a file: whatever is read afterwards is what was written.
fn no_bit_changes_a_finding(text: &str, shelf: &str) {
    let (plan, folder) = (planned(text), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let before = findings_in(&plan, folder.path());
    let ledger = Ledger::open(&folder.path().join("4-ledger"));
    let mut noticed = 0;
    for file in files_in(folder.path(), shelf).iter().take(3) {
        let bits = 8 * fs::read(file).unwrap().len();
        for bit in (0..bits).step_by(13) {
            flip(file, bit);
            match duress::analysis::analyse(&plan, &ledger, &duress::analysis::History::default()) {
                Ok(findings) => assert_eq!(findings, before, "bit {bit} of {}", file.display()),
                Err(bad) => {
                    assert_eq!(bad.path, *file);
                    noticed += 1;
                }
            }
            flip(file, bit);
        }
    }
    assert!(noticed > 50, "{noticed}");
}

#[test]
fn a_flipped_bit_in_a_cell_or_in_a_dataset_is_noticed_or_harmless() {
    no_bit_changes_a_finding(&small(""), "cells");
    no_bit_changes_a_finding(&small(""), "datasets");
}

#[test]
fn swapped_cells_are_named_and_both_asked_again() {
    let (plan, folder) = (planned(&tallied("swapped")), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let before = findings_in(&plan, folder.path());
    let cells = files_in(folder.path(), "cells");
    let (one, two) = (fs::read(&cells[0]).unwrap(), fs::read(&cells[1]).unwrap());
    fs::write(&cells[0], two).unwrap();
    fs::write(&cells[1], one).unwrap();
    let mut named = again(&plan, folder.path());
    named.sort_unstable();
    let expected: Vec<String> = cells[..2]
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    assert_eq!(named, expected);
    assert_eq!(parts::asked("swapped"), 8);
    assert_eq!(findings_in(&plan, folder.path()), before);
}

#[test]
fn a_damaged_dataset_is_named_and_written_again() {
    let (plan, folder) = (
        planned(&tallied("truth file")),
        tempfile::tempdir().unwrap(),
    );
    run_in(&plan, folder.path());
    let before = findings_in(&plan, folder.path());
    let dataset = &files_in(folder.path(), "datasets")[0];
    let whole = fs::read(dataset).unwrap();
    fs::write(dataset, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(again(&plan, folder.path()), [dataset.display().to_string()]);
    assert_eq!(fs::read(dataset).unwrap(), whole);
    assert_eq!(
        parts::asked("truth file"),
        6,
        "no answer is asked again for it"
    );
    assert_eq!(findings_in(&plan, folder.path()), before);
}

#[test]
fn a_damaged_checkpoint_is_named_and_its_subject_fitted_again() {
    let (plan, folder) = (planned(&tallied("fit")), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let before = findings_in(&plan, folder.path());
    let fitted = parts::fitted("fit");
    let checkpoint = &files_in(folder.path(), "preparations")[0];
    // Within the line that says what the file is: not to be taken for a file of version 1.
    flip(checkpoint, 8 * 3 + 1);
    fs::remove_dir_all(folder.path().join("4-ledger/cells")).unwrap();
    assert_eq!(
        again(&plan, folder.path()),
        [checkpoint.display().to_string()]
    );
    assert_eq!(parts::fitted("fit"), fitted + 1);
    assert_eq!(findings_in(&plan, folder.path()), before);
}

#[test]
fn ratings_of_damaged_answers_are_asked_again_with_them() {
    let text = "name = \"rated\"\nseeds = [1]\n[dataset.idioms]\nuse = \"idioms\"\n[subject.lookup]\nuse = \"lookup\"\n\
                [rater.critic]\nuse = \"critic\"\ndoes = \"rate\"\ntally = \"rerated\"\n[analysis]\ngauges = [\"s-acc\"]\n";
    let (plan, folder) = (planned(text), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let before = parts::asked("rerated");
    let answered = plan.cells().find(|cell| cell.rater.is_none()).unwrap();
    let name = plan.id(answered).to_string();
    let all = files_in(folder.path(), "cells");
    let file = all
        .iter()
        .find(|file| file.to_string_lossy().contains(&name));
    fs::write(file.unwrap(), "").unwrap();
    assert_eq!(again(&plan, folder.path()).len(), 2);
    assert_eq!(parts::asked("rerated"), before + 1);
}

#[test]
fn a_cell_of_a_later_version_is_left_where_it_is() {
    let (plan, folder) = (planned(&small("")), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let cell = &files_in(folder.path(), "cells")[0];
    let bytes = fs::read(cell).unwrap();
    let key = b"duress.ledger";
    let at = bytes
        .windows(key.len())
        .position(|piece| piece == key)
        .unwrap();
    let at = at + bytes[at..].iter().position(|byte| *byte == b'2').unwrap();
    let mut later = bytes.clone();
    later[at] = b'3';
    fs::write(cell, &later).unwrap();
    assert_eq!(again(&plan, folder.path()), [""; 0]);
    let ledger = Ledger::open(&folder.path().join("4-ledger"));
    let refused = duress::analysis::analyse(&plan, &ledger, &duress::analysis::History::default())
        .unwrap_err();
    assert_eq!(refused.kind, UnreadableKind::Newer, "{refused}");
    assert_eq!(fs::read(cell).unwrap(), later);
}

#[test]
fn a_ledger_without_checksums_is_read_and_that_is_said() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/ledger-v1");
    let registry = parts::registry();
    let plan = duress::reopen(&folder, &registry).unwrap();
    let findings = findings_in(&plan, &folder);
    let said = |text: &str| text.contains("no checksum");
    assert!(
        findings
            .caveats
            .iter()
            .any(|caveat| said(&caveat.doubt.to_string()))
    );
    let ledger = Ledger::open(&folder.join("4-ledger"));
    let compared = duress::compare::compare((&plan, &ledger), (&plan, &ledger)).unwrap();
    assert_eq!(
        compared
            .caveats
            .iter()
            .filter(|doubt| said(&doubt.to_string()))
            .count(),
        2
    );
    let verified = duress::verify(&folder).unwrap();
    assert!(verified.is_whole(), "{:?}", verified.audit.unreadable);
    assert!(verified.audit.unchecked > 0);
    assert_eq!(verified.audit.unchecked, verified.audit.whole);
}

#[test]
fn verify_names_every_file_that_is_not_as_it_was_written_and_changes_none() {
    let (plan, folder) = (planned(&small("")), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let verified = duress::verify(folder.path()).unwrap();
    assert!(verified.is_whole());
    assert_eq!(verified.audit.unchecked, 0);
    let bad: Vec<PathBuf> = ["cells", "datasets", "preparations"]
        .iter()
        .map(|shelf| files_in(folder.path(), shelf)[0].clone())
        .collect();
    bad.iter()
        .for_each(|file| fs::write(file, "not this").unwrap());
    let stray = folder.path().join("4-ledger/cells/notes.txt");
    fs::write(&stray, "left by a person").unwrap();
    fs::write(folder.path().join("5-findings.json"), "{}").unwrap();
    let verified = duress::verify(folder.path()).unwrap();
    let mut named: Vec<PathBuf> = verified
        .audit
        .unreadable
        .iter()
        .map(|one| one.path.clone())
        .collect();
    named.sort_unstable();
    let mut expected = bad.clone();
    expected.push(folder.path().join("5-findings.json"));
    expected.sort_unstable();
    // Eight bytes that are no checkpoint of today could be one of version 1.
    expected.retain(|file| !file.to_string_lossy().contains("preparations"));
    assert_eq!(named, expected);
    assert_eq!(verified.audit.unchecked, 1);
    assert_eq!(verified.audit.strange, [stray]);
    assert!(
        bad.iter()
            .all(|file| fs::read(file).unwrap() == b"not this")
    );
}

#[test]
fn a_plan_that_was_edited_is_refused() {
    let (plan, folder) = (planned(&small("")), tempfile::tempdir().unwrap());
    run_in(&plan, folder.path());
    let file = folder.path().join("2-plan.json");
    let whole = fs::read_to_string(&file).unwrap();
    let refused = |text: &str| {
        fs::write(&file, text).unwrap();
        let Err(error) = duress::reopen(folder.path(), &parts::registry()) else {
            panic!("an edited plan was taken");
        };
        error.to_string()
    };
    let edit = |pointer: &str, to: serde_json::Value| {
        let mut json: serde_json::Value = serde_json::from_str(&whole).unwrap();
        *json.pointer_mut(pointer).unwrap() = to;
        json
    };
    for (pointer, to) in [
        ("/datasets/0/of_replicate/0", 99_999.into()),
        ("/datasets/0/fingerprints", serde_json::json!([])),
        ("/datasets/0/fit_items", 1.into()),
        ("/datasets", serde_json::json!([])),
        ("/seeds/0", 77.into()),
    ] {
        let mut edited = edit(pointer, to);
        assert!(refused(&edited.to_string()).contains("edited"), "{pointer}");
        // Nor is it taken for a plan of the time before there were checksums, where it matters.
        edited.as_object_mut().unwrap().remove("checksum");
        assert!(refused(&edited.to_string()).contains("edited"), "{pointer}");
        edited["version"] = 1.into();
        if pointer != "/datasets/0/fit_items" {
            assert!(refused(&edited.to_string()).contains("edited"), "{pointer}");
        }
    }
    let recordings = edit("/checksum", "no".into());
    assert!(refused(&recordings.to_string()).contains("edited"));
    fs::write(&file, &whole).unwrap();
    assert!(duress::reopen(folder.path(), &parts::registry()).is_ok());
}

/// The small study, whose actor counts what it is asked.
fn tallied(tally: &str) -> String {
    small("").replace(
        "use = \"actor\"",
        &format!("use = \"actor\"\ntally = \"{tally}\""),
    )
}
