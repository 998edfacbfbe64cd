//! A hundred `kill -9` of the quickstart, each at a random moment and then resumed: the same
//! findings every time. `cargo bench -p duress-cli --bench kill`

#![expect(
    clippy::unwrap_used,
    reason = "what a bench makes up is known to be right"
)]

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use duress_core::seed::Seed;

const KILLS: usize = 100;

fn main() -> ExitCode {
    let folder = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let expected = finished(&folder.path().join("undisturbed"));
    let whole = begun.elapsed();
    let mut moments = Seed::new(1).child("moments").draws();
    let (mut same, mut interrupted) = (0, 0);
    for nth in 0..KILLS {
        let run = folder.path().join(format!("run-{nth}"));
        interrupted += usize::from(killed(&run, whole.mul_f64(moments.uniform())));
        same += usize::from(finished(&run) == expected);
        std::fs::remove_dir_all(&run).unwrap();
    }
    println!(
        "kill -9 of the quickstart ({:.1} s), {KILLS} times, {interrupted} before it was done: {same} times the same findings, bar {KILLS}: {}",
        whole.as_secs_f64(),
        if same == KILLS { "met" } else { "MISSED" }
    );
    if same == KILLS {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn quickstart(run: &Path) -> Command {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/quickstart/study.toml");
    let mut command = Command::new(env!("CARGO_BIN_EXE_duress"));
    command
        .arg("run")
        .arg(study)
        .arg("--out")
        .arg(run)
        .stdout(Stdio::null())
        .stderr(Stdio::inherit());
    command
}

/// The findings of a run that nobody disturbs.
fn finished(run: &Path) -> Vec<u8> {
    assert!(quickstart(run).status().unwrap().success());
    std::fs::read(run.join("5-findings.json")).unwrap()
}

/// Kills a run after a while; whether it was still at it.
fn killed(run: &Path, after: Duration) -> bool {
    let mut child = quickstart(run).spawn().unwrap();
    sleep(after);
    let at_it = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    at_it
}
