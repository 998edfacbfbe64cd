//! One study gives the same findings, byte for byte, with every instruction set this machine has
//! and with one, two and eight jobs.

use std::path::PathBuf;

use crate::findings::{self, ComparedFindings};
use crate::step::{Done, Steps, fresh, target};
use crate::studies::duress;

/// A network trained here, attacked by PGD: what runs through the kernels most.
const STUDY: &str = r#"name = "same-bits"
seeds = [1, 2]
[dataset.digits]
use = "digits"
fit-share = 0.9
[subject.net]
use = "trained"
hidden = [24]
epochs = 3
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
    let study = folder.join("study.toml");
    std::fs::write(&study, STUDY).map_err(|error| format!("{}: {error}", study.display()))?;
    let mut first: Option<(String, ComparedFindings)> = None;
    for set in SETS {
        if !has(set) {
            println!("── same bits with {set}: skipped, this machine does not have it");
            continue;
        }
        for jobs in JOBS {
            let name = format!("same bits with {set}, {jobs} jobs");
            let out: PathBuf = folder.join(format!("{set}-{jobs}"));
            let mut run = duress();
            run.arg("run").arg(&study).arg("--out").arg(&out);
            steps.run(&name, run.args(["--instructions", set, "--jobs", jobs]))?;
            let found = findings::read(&out)?;
            match &first {
                None => first = Some((name, found)),
                Some((before, expected)) => check(before, expected, &name, &found)?,
            }
        }
    }
    Ok(())
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
