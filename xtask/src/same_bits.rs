//! One study gives the same findings, byte for byte, with every instruction set this machine has
//! and with one, two and eight jobs.

use std::path::Path;

use crate::findings::{self, ComparedFindings};
use crate::step::{Done, Steps, fresh, target};
use crate::studies::duress;

/// A network trained here, attacked by PGD: what runs through the kernels most. Its batches are
/// large enough for several threads to share one.
const STUDY: &str = r#"name = "same-bits"
seeds = [1, 2]
[dataset.digits]
use = "digits"
fit-share = 0.9
[subject.net]
use = "trained"
hidden = [256, 64]
epochs = 3
batch = 256
[ladder.pgd]
use = "pgd"
steps = 5
severities = ["8/255", "32/255"]
[analysis]
gauges = ["accuracy", "ece", "nll"]
resamples = 200
[report]
figures = ["svg"]
"#;

const SETS: [&str; 3] = ["portable", "avx2", "avx512"];
const JOBS: [&str; 3] = ["1", "2", "8"];

pub(crate) fn same_bits(steps: &mut Steps) -> Done {
    let folder = target().join("xtask-same-bits");
    fresh(&folder)?;
    let mut first: Option<(String, ComparedFindings)> = None;
    for set in SETS {
        if !has(set) {
            println!("── same bits with {set}: skipped, this machine does not have it");
            continue;
        }
        for jobs in JOBS {
            let name = format!("same bits with {set}, {jobs} jobs");
            let out = folder.join(format!("{set}-{jobs}"));
            let settings = ["--instructions", set, "--jobs", jobs];
            let found = found(steps, &name, STUDY, &settings, &out)?;
            match &first {
                None => first = Some((name, found)),
                Some((before, expected)) => check(before, expected, &name, &found)?,
            }
        }
    }
    match first {
        Some((_, expected)) => notices_a_change(steps, &expected, &folder.join("changed")),
        None => Err("no instruction set was tried".into()),
    }
}

/// A comparison that finds everything the same proves nothing: weights that differ must show in it.
fn notices_a_change(steps: &mut Steps, expected: &ComparedFindings, out: &Path) -> Done {
    let study = STUDY.replace("epochs = 3", "epochs = 4");
    let name = "other bits with another epoch";
    let other = found(steps, name, &study, &[], out)?;
    let moved = |path: &String| path.starts_with(".estimates");
    match findings::compare(expected, &other, usize::MAX)
        .iter()
        .any(moved)
    {
        true => Ok(()),
        false => Err(
            "a network taught for longer gives the same estimates: the comparison is blind".into(),
        ),
    }
}

/// Runs the study and reads what it found.
fn found(
    steps: &mut Steps,
    name: &str,
    study: &str,
    settings: &[&str],
    out: &Path,
) -> Result<ComparedFindings, String> {
    let file = out.with_extension("toml");
    std::fs::write(&file, study).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut run = duress();
    run.arg("run").arg(&file).arg("--out").arg(out);
    steps.run(name, run.args(settings))?;
    findings::read(out)
}

fn check(before: &str, expected: &ComparedFindings, name: &str, found: &ComparedFindings) -> Done {
    let differences = findings::compare(expected, found, 5);
    if differences.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{before} | {name} differ:\n  {}",
        differences.join("\n  ")
    ))
}

/// Whether this machine has an instruction set.
fn has(set: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = match set {
        "avx2" => {
            std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
        }
        "avx512" => has("avx2") && std::arch::is_x86_feature_detected!("avx512f"),
        _ => true,
    };
    #[cfg(not(target_arch = "x86_64"))]
    let has = set == "portable";
    has
}
