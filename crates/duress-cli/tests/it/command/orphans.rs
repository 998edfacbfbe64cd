//! Nobody is left behind: a process that is a subject, and whoever helps it, end when duress ends,
//! however it ends.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::{run, running};

/// Longer than anything here takes on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// A subject in a few lines of shell, with a helper that never ends by itself. Both hold a pipe
/// open for as long as they live, and a line goes into it with each question.
fn study(then: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = "name = \"s\"\n[dataset.d]\nuse = \"judged-responses\"\n[subject.mine]\nuse = \"command\"\n\
                command = [\"sh\", \"judge.sh\"]\naccepts = \"texts\"\nanswers = \"ratings\"\nbatch = 100\n\
                [analysis]\ngauges = [\"quality\"]\n";
    let script = format!(
        "exec 3>alive\n(trap '' HUP INT TERM; exec sleep 1000) </dev/null >/dev/null 2>&1 &\n\
         read -r hello\necho '{{\"hello\": 1, \"dimensions\": [\"T\"]}}'\n\
         while read -r question; do\n  echo asked >&3\n  {then}\ndone\n"
    );
    fs::write(folder.path().join("study.toml"), text).unwrap();
    fs::write(folder.path().join("judge.sh"), script).unwrap();
    let pipe = Command::new("mkfifo")
        .arg(folder.path().join("alive"))
        .status();
    assert!(pipe.unwrap().success());
    folder
}

/// What goes into the pipe; hung up when nobody holds it any more.
fn listen(folder: &Path) -> Receiver<String> {
    let (send, receive) = channel();
    let pipe: PathBuf = folder.join("alive");
    std::thread::spawn(move || {
        let lines = BufReader::new(File::open(pipe).unwrap()).lines();
        for line in lines {
            send.send(line.unwrap()).unwrap();
        }
    });
    receive
}

/// Waits until nobody holds the pipe.
fn all_gone(from: &Receiver<String>) -> bool {
    use std::sync::mpsc::RecvTimeoutError::{Disconnected, Timeout};
    loop {
        match from.recv_timeout(PATIENCE) {
            Ok(_) => {}
            Err(Disconnected) => return true,
            Err(Timeout) => return false,
        }
    }
}

fn ends_with_duress(signal: &str) {
    let folder = study("exec sleep 1000");
    let alive = listen(folder.path());
    let mut child = running(folder.path(), &[]).spawn().unwrap();
    assert_eq!(alive.recv_timeout(PATIENCE).as_deref(), Ok("asked"));
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    child.wait().unwrap();
    assert!(all_gone(&alive), "after {signal} somebody is left running");
}

#[test]
fn an_interrupt_while_a_question_is_open_leaves_nobody_running() {
    ends_with_duress("-INT");
}

#[test]
fn a_termination_while_a_question_is_open_leaves_nobody_running() {
    ends_with_duress("-TERM");
}

#[test]
fn a_closed_terminal_while_a_question_is_open_leaves_nobody_running() {
    ends_with_duress("-HUP");
}

#[test]
fn a_kill_while_a_question_is_open_leaves_nobody_running() {
    ends_with_duress("-KILL");
}

#[test]
fn a_run_that_ends_well_leaves_no_helper_running() {
    let folder = study(
        "n=$(echo \"$question\" | grep -o '\"text\":' | wc -l)\n  \
         rows=$(yes '[50]' | head -n \"$n\" | paste -sd, -)\n  \
         id=$(echo \"$question\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/')\n  \
         echo \"{\\\"id\\\": $id, \\\"ratings\\\": [$rows]}\"",
    );
    let alive = listen(folder.path());
    let ended = run(folder.path(), &[]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.complaint);
    assert!(all_gone(&alive), "the helper is left running");
}
