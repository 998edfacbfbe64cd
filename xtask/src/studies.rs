//! The worked examples that run in CI, each into a fresh folder and within its time.

use std::process::Command;
use std::time::Instant;

use crate::quickstart::target;
use crate::step::{Done, root, step};

/// A study, the seconds it may take, and a file that it must leave in its report.
const STUDIES: [(&str, f64, &str); 2] = [
    (
        "classify/attack-spectrum/study.toml",
        120.0,
        "6-report/results/rq1_attack_spectrum/attack_spectrum.csv",
    ),
    (
        "classify/recorded/study.toml",
        60.0,
        "6-report/results/rq3_selective/curve_baseline_seed42.csv",
    ),
];

pub(crate) fn studies() -> Done {
    for (name, limit, leaves) in STUDIES {
        let out = target().join("xtask-studies").join(name.replace('/', "-"));
        if out.exists() {
            std::fs::remove_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        }
        let begun = Instant::now();
        let mut run = Command::new(target().join("release/duress"));
        step(
            &format!("study {name}"),
            run.arg("run")
                .arg(root().join("studies").join(name))
                .arg("--out")
                .arg(&out),
        )?;
        let took = begun.elapsed().as_secs_f64();
        if took > limit {
            return Err(format!("{name} took {took:.0} s, more than {limit} s"));
        }
        if !out.join(leaves).exists() {
            return Err(format!("{name} left no {leaves}"));
        }
    }
    Ok(())
}
