//! `cargo xtask goldens`: findings of every shipped study, made by one binary and compared with
//! those of another.
//!
//! A change that should change no number is shown to change none: goldens of the commit before it,
//! goldens of the commit after it, and a comparison in which every byte counts but those of the
//! card that says when and with which version the findings were made. Findings of an older version
//! are converted first.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::findings;
use crate::shipped::{CiForm, STUDIES, Shipped};
use crate::step::{Done, Steps, fresh, target};

/// Differences that are shown of each study.
const SHOWN: usize = 8;

const HELP: &str = "cargo xtask goldens make DIR [--duress PATH] [--full] | cargo xtask goldens compare OLD NEW | cargo xtask goldens convert OLD.json NEW.json";

pub(crate) fn goldens(args: &[String]) -> Done {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["make", dir, more @ ..] => {
            let duress = match more {
                ["--duress", path, ..] | ["--full", "--duress", path] => PathBuf::from(path),
                [] | ["--full"] => target().join("release/duress"),
                _ => return Err(HELP.into()),
            };
            make(Path::new(dir), &duress, more.contains(&"--full"))
        }
        ["compare", old, new] => compare(Path::new(old), Path::new(new)),
        ["convert", old, new] => findings::convert(Path::new(old), Path::new(new)),
        _ => Err(HELP.into()),
    }
}

fn make(dir: &Path, duress: &Path, full: bool) -> Done {
    let mut steps = Steps::default();
    for study in STUDIES {
        if matches!(study.form, CiForm::Served | CiForm::InTest) {
            // What a server says is not the same every time, and there are no data to run the others on.
            continue;
        }
        if full || !matches!(study.form, CiForm::Quick(_)) {
            make_one(dir, duress, study, &mut steps)?;
        }
    }
    print!("{}", steps.table());
    Ok(())
}

/// Runs a study into `DIR/STUDY`; findings that are there stay.
fn make_one(dir: &Path, duress: &Path, study: &Shipped, steps: &mut Steps) -> Done {
    let out = dir.join(study.folder());
    if out.join(findings::FILE).exists() {
        println!("── {} is there", study.study);
        return Ok(());
    }
    fresh(&out)?;
    let mut run = Command::new(duress);
    run.arg("run").arg(study.file(dir)?).arg("--out").arg(&out);
    steps.run(study.study, &mut run).map(|_| ())
}

/// Says of each study whether its findings are the same; an error if one is not.
fn compare(old: &Path, new: &Path) -> Done {
    let mut equal = 0;
    let mut others = Vec::new();
    for study in STUDIES {
        let name = study.folder();
        let there = [old, new].map(|dir| dir.join(&name).join(findings::FILE).exists());
        match there {
            [false, false] => println!("{name}: in neither"),
            [true, false] | [false, true] => {
                let side = if there[0] { old } else { new };
                println!("{name}: only in {}", side.display());
                others.push(name);
            }
            [true, true] => {
                let (a, b) = (
                    findings::read(&old.join(&name))?,
                    findings::read(&new.join(&name))?,
                );
                let found = findings::compare(&a, &b, SHOWN);
                if found.is_empty() {
                    equal += 1;
                    println!("{name}: equal");
                } else {
                    println!("{name}: DIFFERENT (old | new)\n  {}", found.join("\n  "));
                    others.push(name);
                }
            }
        }
    }
    if others.is_empty() && equal > 0 {
        Ok(())
    } else {
        Err(format!("{equal} equal; not: {}", others.join(", ")))
    }
}
