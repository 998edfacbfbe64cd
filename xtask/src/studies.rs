//! Every shipped study runs, each into a fresh folder and within its time, and leaves what it must.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::findings;
use crate::shipped::{CiForm, STUDIES, Shipped};
use crate::step::{Done, Steps, fresh, target};

/// The six names a run leaves behind.
const NAMES: [&str; 6] = [
    "1-study.toml",
    "2-plan.json",
    "3-events.jsonl",
    "4-ledger",
    "5-findings.json",
    "6-report/index.html",
];

/// Where the runs are kept until the next time: a folder for each study.
pub(crate) fn runs() -> PathBuf {
    target().join("xtask-studies")
}

/// The command that the release build made.
pub(crate) fn duress() -> Command {
    Command::new(target().join("release/duress"))
}

/// Runs all; returns the folder of the quickstart's run.
pub(crate) fn studies(steps: &mut Steps) -> Result<PathBuf, String> {
    let quickstart = &STUDIES[0];
    let file = quickstart.file(&runs())?;
    steps.run("check the quickstart", duress().arg("check").arg(file))?;
    for study in STUDIES {
        if !matches!(
            study.form,
            CiForm::Quick(_) | CiForm::Served | CiForm::InTest
        ) {
            run_one(steps, study)?;
        }
    }
    let out = runs().join(quickstart.folder());
    redrawn_is_the_same(steps, &out)?;
    Ok(out)
}

fn run_one(steps: &mut Steps, study: &Shipped) -> Done {
    let out = runs().join(study.folder());
    fresh(&out)?;
    let mut run = duress();
    run.arg("run")
        .arg(study.file(&runs())?)
        .arg("--out")
        .arg(&out);
    let took = steps.run(&format!("study {}", study.study), &mut run)?;
    if took > study.seconds {
        let name = study.study;
        let limit = study.seconds;
        return Err(format!("{name} took {took:.0} s, more than {limit} s"));
    }
    let expected = NAMES.iter().chain([&study.leaves]);
    match expected.into_iter().find(|name| !out.join(name).exists()) {
        Some(name) => Err(format!("{} left no {name}", study.study)),
        None => Ok(()),
    }
}

/// A report from the ledger alone has the same findings, byte for byte.
fn redrawn_is_the_same(steps: &mut Steps, out: &Path) -> Done {
    let file = out.join(findings::FILE);
    let read = || std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()));
    let before = read()?;
    steps.run("redraw the quickstart", duress().arg("report").arg(out))?;
    if read()? == before {
        Ok(())
    } else {
        Err("a redrawn report has other findings".into())
    }
}
