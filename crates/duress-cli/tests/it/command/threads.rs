//! The number of threads: it changes no answer, and it is the number of threads that are busy.

use std::fs;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{findings, run, running};

/// Takes its time for each question, and answers one after the other.
const SLOW: &str = r#"
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)
    if "hello" in question:
        reply = {"hello": 1}
    else:
        time.sleep(0.2)
        labels = [sum(image) > 20 for image in question["images"]]
        reply = {"id": question["id"], "labels": [int(label) for label in labels]}
    print(json.dumps(reply), flush=True)
"#;

/// A process, a network and resampled intervals.
fn study(network: &str, more: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        r#"
name = "threads"
seeds = [1]

[dataset.digits]
use = "digits"
fit-share = 0.3

[subject.network]
use = "trained"
{network}

[ladder.noise]
use = "gaussian-noise"
severities = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35]

[analysis]
gauges = ["accuracy", "ece", "auroc-macro"]
resamples = 500
{more}"#
    );
    fs::write(folder.path().join("study.toml"), text).unwrap();
    fs::write(folder.path().join("slow.py"), SLOW).unwrap();
    folder
}

#[test]
fn the_number_of_threads_changes_no_byte_though_a_subject_answers_one_question_at_a_time() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("there is no python3 here: the process is not tested");
        return;
    }
    // Eight questions of 0.2 s to one process: who starts the clock of the last while the first is
    // being answered has no answer to the last.
    let process = r#"
[subject.process]
use = "command"
command = ["python3", "slow.py"]
accepts = "images"
answers = "classes"
classes = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
batch = 10000

[run]
limit = 1.2
"#;
    let found = ["1", "2", "8"].map(|jobs| {
        let folder = study("network = \"linear\"\nepochs = 1", process);
        let ended = run(folder.path(), &["--jobs", jobs]);
        assert_eq!(
            ended.code,
            Some(0),
            "{jobs}: {}{}",
            ended.out,
            ended.complaint
        );
        findings(folder.path())
    });
    assert!(found[0] == found[1] && found[0] == found[2]);
}

#[test]
#[cfg(target_os = "linux")]
fn one_thread_is_one_core_for_subjects_networks_statistics_and_figures_together() {
    let folder = study("hidden = [512, 512]\nepochs = 3", "");
    let mut child = running(folder.path(), &["--jobs", "1"]).spawn().unwrap();
    let begun = Instant::now();
    let busy = busy_until_ended(&child);
    let took = begun.elapsed().as_secs_f64();
    assert!(child.wait().unwrap().success());
    // Other processes make it take longer, never shorter; ticks are hundredths of a second.
    assert!(busy <= 1.1 * took + 0.05, "busy for {busy} s in {took} s");
}

/// The seconds that all threads of a process together were busy, once it has ended.
#[cfg(target_os = "linux")]
fn busy_until_ended(child: &Child) -> f64 {
    let stat = format!("/proc/{}/stat", child.id());
    loop {
        let stat = fs::read_to_string(&stat).unwrap();
        // Fields are counted from behind the name, which may have blanks in it.
        let fields: Vec<&str> = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .collect();
        if fields[0] == "Z" {
            let ticks = |at: usize| fields[at].parse::<f64>().unwrap();
            return (ticks(11) + ticks(12)) / 100.0;
        }
        sleep(Duration::from_millis(5));
    }
}
