//! Mutants beside what we read in them, for a peer that reads the same bytes (`peers/mutants`).

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use duress_tables::formats;
use duress_tables::table::{Head, Want};
use serde_json::{Value, json};

use crate::mutate;
use crate::readers::READERS;

/// Writes `N.FORMAT` and `N.json` for so many mutants of a format.
pub(crate) fn write(format: &str, count: &str, folder: &str) -> ExitCode {
    let reader = READERS.iter().find(|reader| reader.name == format);
    let (Some(reader), Ok(count)) = (reader, count.parse::<u64>()) else {
        return ExitCode::from(2);
    };
    std::panic::set_hook(Box::new(|_| {}));
    let (seeds, folder) = (reader.seeds(), Path::new(folder));
    fs::create_dir_all(folder).expect("a folder of our own");
    let written = |name: &str, bytes: &[u8]| {
        let file = folder.join(format!("{name}.{format}"));
        fs::write(&file, bytes).expect("a file of our own");
        file
    };
    let undamaged = seeds
        .iter()
        .map(|seed| read(&written("seed", seed), format));
    let undamaged: Vec<Value> = undamaged.collect();
    for number in 0..count {
        let mutant = mutate::input(reader.name, number, &seeds);
        let file = written(&number.to_string(), &mutant);
        let mut ours = read(&file, format);
        // What damage did not change cannot be a wrong number, whoever refuses the file.
        let same = ours.get("columns").is_some() && undamaged.contains(&ours);
        ours["undamaged"] = same.into();
        let text = serde_json::to_vec(&ours).expect("a table is JSON");
        fs::write(file.with_extension("json"), text).expect("a file of our own");
    }
    ExitCode::SUCCESS
}

/// Every column: of texts as texts, of numbers as numbers; or why the file is refused. Where a
/// format does not say which is which, texts are asked for.
fn read(file: &Path, format: &str) -> Value {
    let texts = ["csv", "xlsx"].contains(&format);
    let mut names = Vec::new();
    let numbers = match texts {
        true => None,
        false => Some(columns(file, Want::Numbers, &mut names)),
    };
    match numbers {
        Some(Ok(read)) => read,
        _ => columns(file, Want::Texts, &mut names).unwrap_or_else(|why| json!({ "refused": why })),
    }
}

fn columns(file: &Path, want: Want, names: &mut Vec<String>) -> Result<Value, String> {
    let mut choose = |heads: &[Head]| {
        *names = heads.iter().map(|head| head.name.clone()).collect();
        Ok(vec![want; heads.len()])
    };
    let table = formats::read(file, &mut choose).map_err(|problem| problem.to_string())?;
    let values = names.iter().map(|name| match want {
        Want::Numbers => {
            let (width, values) = table.numbers(name);
            json!({ "name": name, "width": width, "numbers": values })
        }
        _ => json!({ "name": name, "texts": table.texts(name).to_vec() }),
    });
    Ok(json!({ "columns": values.collect::<Vec<Value>>() }))
}
