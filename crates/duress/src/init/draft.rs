//! Studies on the data that come with duress, one for each kind.

use std::path::Path;

use duress_core::problem::Problem;
use duress_parts::registry::Registry;
use duress_tables::formats;
use duress_tables::table::no_column;

use super::ModelKind;
use super::write::{comment, quoted, way};
use crate::study::Study;

/// The study of this kind, if all its parts are there.
pub(super) fn of(kind: ModelKind, registry: &Registry) -> Result<String, Problem> {
    let sound =
        |kind: &ModelKind| Study::parse(Path::new("study.toml"), text(*kind), registry).is_ok();
    if sound(&kind) {
        return Ok(text(kind).into());
    }
    let there: Vec<&str> = ModelKind::ALL
        .iter()
        .filter(|kind| sound(kind))
        .map(|kind| kind.word())
        .collect();
    Err(Problem::new(format!(
        "there are no parts for a study of the kind `{}`",
        kind.word()
    ))
    .hint(format!("there is: {}", there.join(", "))))
}

/// The study of this kind on a table of somebody's own, instead of the data that come with duress.
pub(super) fn on(kind: ModelKind, table: &Path, out: &Path) -> Result<String, Problem> {
    let (part, needed) = match kind {
        ModelKind::Judge | ModelKind::Endpoint => ("judged-responses", ["response"].as_slice()),
        ModelKind::Classify | ModelKind::Causal | ModelKind::Order => {
            unreachable!("answers, windows and idioms are drafted elsewhere")
        }
    };
    let heads = formats::heads(table)?;
    let lacks = needed
        .iter()
        .find(|name| !heads.iter().any(|head| head.name == **name));
    if let Some(lacking) = lacks {
        let hint = "its columns `id`, `prompt` and `source` are used where they are there";
        return Err(no_column(lacking, &heads).hint_if_none(hint).in_file(table));
    }
    let file = quoted(&way(out.parent().unwrap_or(Path::new("")), table));
    let shipped = text(kind);
    let used = format!("use = \"{part}\"");
    let line = shipped
        .lines()
        .find(|line| line.starts_with(&used))
        .unwrap_or_default();
    let own = shipped.replacen(line, &format!("{used}\nfile = {file}"), 1);
    let own = own.replacen(
        "that come with duress",
        &format!(
            "of your own, from {}",
            comment(&table.display().to_string())
        ),
        1,
    );
    Ok(own)
}

fn text(kind: ModelKind) -> &'static str {
    match kind {
        ModelKind::Classify => include_str!("classify.toml"),
        ModelKind::Causal => include_str!("causal.toml"),
        ModelKind::Order => include_str!("order.toml"),
        ModelKind::Judge => include_str!("judge.toml"),
        ModelKind::Endpoint => include_str!("endpoint.toml"),
    }
}
