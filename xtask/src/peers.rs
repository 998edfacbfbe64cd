//! `cargo xtask peers`: other software on the same data. Heavy, so not in CI; what it makes is
//! committed and compared there.
//!
//! Each folder of `peers/` has pinned `requirements.txt` and a `run.py` that regenerates what is
//! committed, or measures side by side. Everything Python goes into `.venv` in the project's root.

use std::path::Path;

use crate::step::{Done, Steps, command, root};

pub(crate) fn peers(names: &[String]) -> Done {
    let all = folders(&root().join("peers"))?;
    let unknown = names.iter().find(|name| !all.contains(name));
    if let Some(name) = unknown {
        return Err(format!(
            "there is no peers/{name}; there is {}",
            all.join(", ")
        ));
    }
    let mut steps = Steps::default();
    for name in all
        .iter()
        .filter(|name| names.is_empty() || names.contains(name))
    {
        let venv = format!(".venv/{name}");
        if !root().join(&venv).exists() {
            steps.run(
                "python environment",
                &mut command("python3", &["-m", "venv", &venv]),
            )?;
        }
        let python = root().join(&venv).join("bin/python").display().to_string();
        let requirements = format!("peers/{name}/requirements.txt");
        steps.run(
            "python packages",
            &mut command(
                &python,
                &["-m", "pip", "install", "--quiet", "-r", &requirements],
            ),
        )?;
        steps.run(
            &format!("peers/{name}"),
            &mut command(&python, &[&format!("peers/{name}/run.py")]),
        )?;
    }
    Ok(())
}

fn folders(peers: &Path) -> Result<Vec<String>, String> {
    let entries =
        std::fs::read_dir(peers).map_err(|error| format!("{}: {error}", peers.display()))?;
    let with_run = entries
        .flatten()
        .filter(|entry| entry.path().join("run.py").exists());
    let mut names: Vec<String> = with_run
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    Ok(names)
}
