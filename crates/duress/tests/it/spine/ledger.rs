//! The ledger's files: what was written once is read forever.

use std::fs;
use std::path::{Path, PathBuf};

use duress::ledger::{Ledger, LedgerEntry};
use duress::run::Folder;
use duress::study::Study;
use duress_core::answer::Answers;
use serde_json::{Value, json};

use super::{parts, planned, planned_at, run_in, small};

/// Every form of answer a ledger can hold that a part can give: probabilities, logits, labels,
/// absent ones, graphs, failures.
const GOLDEN: &str = r#"
name = "golden"
seeds = [1, 2]

[dataset.tiny]
use = "tiny"

[dataset.sensors]
use = "temporal-sem"
variables = 3
edges = 2
windows = 40
test-windows = 2
steps = 6

[subject.probabilities]
use = "actor"
on = "tiny"

[subject.logits]
use = "actor"
on = "tiny"
does = "logits"

[subject.labels]
use = "actor"
on = "tiny"
does = "labels"

[subject.skipping]
use = "actor"
on = "tiny"
does = "skip"

[subject.crashing]
use = "actor"
on = "tiny"
does = "panic"

[subject.correlation]
use = "correlation"
on = "sensors"

[ladder.shove]
use = "shove"
severities = [0.2]

[analysis]
gauges = ["accuracy", "ece", "attack-success-rate", "directed-f1", "shd"]
resamples = 100
"#;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name)
}

/// What a run folder says, without what may rightly change: intervals, versions, the machine.
fn readings(folder: &Path) -> Value {
    let axes = duress::run::kept_axes(folder).unwrap();
    let registry = parts::registry();
    let study = duress::study::Study::read(&folder.join("1-study.toml"), &registry).unwrap();
    let plan = duress::plan::reopen(study, &registry, &axes).unwrap();
    let findings = crate::spine::findings_in(&plan, folder);
    let ledger = Ledger::open(&folder.join("4-ledger"));
    let cells: Vec<Value> = plan
        .cells()
        .map(|cell| {
            let entry = match ledger.entry(plan.id(cell)).unwrap().unwrap() {
                LedgerEntry::Answered(kept) => json!([kept.ids, kept.doubts, told(&kept.answers)]),
                LedgerEntry::Failed(failure) => failure.to_string().into(),
            };
            json!([plan.id(cell).to_string(), plan.place(cell), entry])
        })
        .collect();
    let estimates: Vec<Value> = findings
        .estimates
        .iter()
        .map(|one| json!([one.place, one.gauge, one.by_seed]))
        .collect();
    let shown = findings.exhibits.iter();
    let exhibits: Vec<Value> = shown
        .map(|one| {
            json!([
                one.place,
                one.item,
                one.truth,
                one.said_clean,
                one.said_pressed
            ])
        })
        .collect();
    json!({"cells": cells, "estimates": estimates, "exhibits": exhibits, "failures": findings.failures})
}

/// What was said, whatever the types that hold it are called.
fn told(answers: &Answers) -> Value {
    match answers {
        Answers::Classes(said) => {
            let items: Vec<Value> = (0..said.len())
                .map(|i| {
                    let absent = said.absent().get(&i).map(|absence| &absence.why);
                    json!([said.label(i), said.confidence(i), absent])
                })
                .collect();
            json!([said.classes(), items])
        }
        Answers::Graph(said) => json!([said.graph, said.scores, said.rule]),
        other => panic!("the golden ledger has no answers to {}", other.question()),
    }
}

/// Writes the golden ledger when `WRITE_GOLDEN` is set: for a new version of it, under a new name.
fn write_golden(folder: &Path) {
    run_in(&planned(GOLDEN), folder);
    fs::remove_file(folder.join("4-ledger/lock")).unwrap();
    fs::remove_dir(folder.join("4-ledger/unfinished")).unwrap();
    fs::write(
        folder.join("readings.json"),
        serde_json::to_string_pretty(&readings(folder)).unwrap(),
    )
    .unwrap();
}

#[test]
fn a_ledger_of_version_1_is_read_forever() {
    let folder = golden("ledger-v1");
    if std::env::var_os("WRITE_GOLDEN").is_some() {
        write_golden(&folder);
    }
    let expected = fs::read_to_string(folder.join("readings.json")).unwrap();
    assert_eq!(
        readings(&folder),
        serde_json::from_str::<Value>(&expected).unwrap()
    );
}

#[test]
fn what_is_written_today_reads_as_the_golden_ledger_does() {
    // The graphs come from simulated numbers, whose last bits are the platform's; the rest is
    // exact.
    let folder = tempfile::tempdir().unwrap();
    run_in(&planned(GOLDEN), folder.path());
    let exact = |folder: &Path| {
        let cells = readings(folder)["cells"].as_array().unwrap().clone();
        cells
            .into_iter()
            .filter(|cell| cell[1]["subject"] != "correlation")
            .collect::<Vec<Value>>()
    };
    assert_eq!(exact(folder.path()), exact(&golden("ledger-v1")));
}

#[test]
fn a_ledger_of_the_future_is_refused_with_its_version() {
    let (plan, folder) = (
        planned(&crate::spine::small("")),
        tempfile::tempdir().unwrap(),
    );
    run_in(&plan, folder.path());
    let ledger = Ledger::open(&folder.path().join("4-ledger"));
    let id = plan.id(plan.cells().next().unwrap());
    let name = id.to_string();
    let file = folder
        .path()
        .join("4-ledger/cells")
        .join(&name[..2])
        .join(format!("{name}.parquet"));
    let bytes = fs::read(&file).unwrap();
    // The metadata has the key, a length of one, and the version.
    let key = b"duress.ledger";
    let at = bytes
        .windows(key.len())
        .position(|window| window == key)
        .unwrap()
        + key.len();
    let version = at + bytes[at..].iter().position(|byte| *byte == b'2').unwrap();
    let mut future = bytes.clone();
    future[version] = b'9';
    fs::write(&file, future).unwrap();
    let Err(unreadable) = ledger.entry(id) else {
        panic!("version 9 was read")
    };
    assert_eq!(
        unreadable.why,
        "ledger version 9; this duress reads up to 2"
    );
}

#[test]
fn half_written_files_of_a_killed_run_are_cleared_away() {
    let (plan, folder) = (
        planned(&crate::spine::small("")),
        tempfile::tempdir().unwrap(),
    );
    let held = Folder::take(folder.path(), &plan).unwrap();
    let desk = folder.path().join("4-ledger/unfinished");
    fs::create_dir_all(&desk).unwrap();
    fs::write(desk.join("1234-5"), "PAR1").unwrap();
    held.ledger().unwrap();
    assert_eq!(fs::read_dir(desk).unwrap().count(), 0);
}

#[test]
fn what_another_process_is_writing_is_not_cleared_away() {
    let (plan, folder) = (planned(&super::small("")), tempfile::tempdir().unwrap());
    let aside = folder.path().join("4-ledger/unfinished");
    fs::create_dir_all(&aside).unwrap();
    let theirs = fs::File::create(aside.join("1234-5.unfinished")).unwrap();
    theirs.lock().unwrap();
    let held = Folder::take(folder.path(), &plan).unwrap();
    held.ledger().unwrap();
    assert!(aside.join("1234-5.unfinished").exists());
    // Its process ends, however: so does its lock.
    drop(theirs);
    held.ledger().unwrap();
    assert_eq!(fs::read_dir(aside).unwrap().count(), 0);
}

/// The answers of the small study with one seed, as they are listed.
fn listed(more: &str) -> String {
    let plan = planned(&small(more).replace("[1, 2]", "[1]"));
    let folder = tempfile::tempdir().unwrap();
    run_in(&plan, folder.path());
    let mut out = Vec::new();
    let ledger = Ledger::open(&folder.path().join("4-ledger"));
    duress::ledger::export::answers_csv(&plan, &ledger, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn answers_can_be_listed_item_by_item() {
    let text = listed("");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "subject,dataset,under,seed,item,answer,confidence,absent"
    );
    assert_eq!(lines[1], "actor,tiny,clean,1,item 0,dark,0.75,");
    assert_eq!(lines[11], "actor,tiny,shove 0.2,1,item 0,light,0.75,");
    assert_eq!(lines.len(), 1 + 30);
}

#[test]
fn a_condition_is_listed_by_its_name_and_has_no_severity() {
    let fog = "[condition.fog]\npress = [{ use = \"shove\", severity = 0.3 }]\n";
    let text = listed(fog);
    assert_eq!(
        text.lines().nth(31),
        Some("actor,tiny,fog,1,item 0,light,0.75,")
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told_and_nothing_half_written_is_kept() {
    let (plan, folder) = (
        planned(&crate::spine::small("")),
        tempfile::tempdir().unwrap(),
    );
    run_in(&plan, folder.path());
    let id = plan.id(plan.cells().next().unwrap());
    let Some(LedgerEntry::Answered(kept)) = Ledger::open(&folder.path().join("4-ledger"))
        .entry(id)
        .unwrap()
    else {
        panic!("the first cell has no answers")
    };
    let other = tempfile::tempdir().unwrap();
    let ledger = Ledger::create(other.path()).unwrap();
    // What the ledger writes next, and where: a device that is always full. Files are numbered for
    // the whole process, in which other tests write too.
    let full = |nth: usize| {
        let name = format!("{}-{nth}.unfinished", std::process::id());
        let aside = other.path().join("unfinished").join(name);
        std::os::unix::fs::symlink("/dev/full", aside).unwrap();
    };
    (0..20_000).for_each(full);
    let told = [
        ledger.keep(id, &kept),
        ledger.keep_failure(id, &duress_core::subject::Failure::unable("it was tired")),
        ledger.keep_checkpoint(id, b"a small one"),
    ];
    for result in &told {
        let error = result.as_ref().unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    }
    assert!(ledger.entry(id).unwrap().is_none() && ledger.checkpoint(id).unwrap().is_none());
    let left = fs::read_dir(other.path().join("unfinished")).unwrap();
    assert_eq!(
        left.count(),
        20_000 - told.len(),
        "each has taken its own away"
    );
}

#[test]
fn answers_that_are_kept_under_an_earlier_identity_of_a_subject_are_found_again() {
    let text = small("").replace("use = \"actor\"", "use = \"actor\"\ntally = \"earlier\"");
    let folder = tempfile::tempdir().unwrap();
    let mut plan = planned_at(Path::new("study.toml"), &text).unwrap();
    let today = plan.subjects.iter().next().unwrap().identity;
    let earlier = duress::plan::Id::joined("an identity of before", &[]);
    plan.subjects
        .iter_mut()
        .for_each(|one| one.identity.id = earlier);
    let plan = std::sync::Arc::new(plan);
    run_in(&plan, folder.path());
    let asked = parts::asked("earlier");
    let study = Study::parse(Path::new("study.toml"), &text, &parts::registry()).unwrap();
    let mut options = duress::RunOptions::in_folder(folder.path());
    options.registry = parts::registry();
    let findings = duress::run(&study, &options, &|_| {}).unwrap();
    assert_eq!(findings.cells.answered, findings.cells.planned);
    assert_eq!(parts::asked("earlier"), asked, "somebody was asked again");
    let reopened = duress::reopen(folder.path(), &parts::registry()).unwrap();
    let kept = reopened.subjects.iter().next().unwrap().identity;
    assert_eq!((kept.id, kept.content), (earlier, today.content));
    // What decides its answers has changed: it is another subject.
    let other = text.replace(
        "tally = \"earlier\"",
        "tally = \"earlier\"\ndoes = \"logits\"",
    );
    let study = Study::parse(Path::new("study.toml"), &other, &parts::registry()).unwrap();
    duress::run(&study, &options, &|_| {}).unwrap();
    assert!(parts::asked("earlier") > asked, "nobody was asked");
}
