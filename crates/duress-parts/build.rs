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
            for part in modules(&family.path().join(kind).join("mod.rs"))? {
                parts.push(format!("    &crate::{name}::{kind}::{part}::PART,\n"));
            }
        }
    }
    // Folders are read in no order; the same tree makes the same file.
    parts.sort();
    let out = std::env::var_os("OUT_DIR").expect("cargo sets it");
    fs::write(
        Path::new(&out).join("parts.rs"),
        format!("&[\n{}]\n", parts.concat()),
    )
}

/// The modules that a file declares as public; none when there is no such file.
fn modules(file: &Path) -> io::Result<Vec<String>> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(file)?;
    let names = text
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    Ok(names.map(str::to_string).collect())
}
