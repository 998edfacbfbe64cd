//! Lists the parts: every `pub mod` of a folder of one kind, so that a new part is its file and that
//! one line, and `cargo fmt` and editors still see ordinary modules.

use std::fs;
use std::io;
use std::path::Path;

const KINDS: [&str; 5] = ["datasets", "gauges", "raters", "stressors", "subjects"];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src");
    let mut parts = Vec::new();
    for family in fs::read_dir("src")? {
        let family = family?;
        let name = family.file_name().to_string_lossy().into_owned();
        for kind in KINDS {
            for (part, condition) in modules(&family.path().join(kind).join("mod.rs"))? {
                let part = format!("    &crate::{name}::{kind}::{part}::PART,\n");
                parts.push((part, condition));
            }
        }
    }
    // Folders are read in no order; the same tree makes the same file.
    parts.sort();
    let listed: String = parts
        .iter()
        .map(|(part, condition)| format!("{condition}{part}"))
        .collect();
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("parts.rs"), format!("&[\n{listed}]\n"))
}

/// The modules that a file declares as public, each with the condition it is there under; none when
/// there is no such file.
fn modules(file: &Path) -> io::Result<Vec<(String, String)>> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(file)?;
    let mut found = Vec::new();
    let mut condition = String::new();
    for line in text.lines() {
        if line.starts_with("#[cfg(") {
            condition = format!("    {line}\n");
            continue;
        }
        let name = line
            .strip_prefix("pub mod ")
            .and_then(|rest| rest.strip_suffix(';'));
        found.extend(name.map(|name| (name.to_string(), condition.clone())));
        condition.clear();
    }
    Ok(found)
}
