//! A study of somebody's own idioms: what can be asked depends on what the file has.

use std::path::Path;

use duress_core::data::Dataset;
use duress_core::part::{Build, Params, PartKind, Raw};
use duress_core::problem::Problem;
use duress_core::seed::Seed;
use duress_parts::registry::Registry;

use super::write::{comment, quoted, way};

/// The shipped study, of which lines are exchanged.
const SHIPPED: &str = include_str!("order.toml");

/// The study on a table of idioms, looked up in the same table.
pub(super) fn study(table: &Path, out: &Path, registry: &Registry) -> Result<String, Problem> {
    let hint = "scores per arrangement are read by `duress gauge`";
    let dataset = load(table, registry).map_err(|problem| problem.hint_if_none(hint))?;
    let columns = dataset.test().columns();
    let file = quoted(&way(out.parent().unwrap_or(Path::new("")), table));
    let mut text = SHIPPED
        .replacen(
            "that come with duress",
            &format!("of your own, from {}", comment(&table.display().to_string())),
            1,
        )
        .replacen(
            "use = \"idioms\"                        # 241 idioms with explanations, their structure judged by hand",
            &format!("use = \"idioms\"\nfile = {file}"),
            1,
        )
        .replacen(
            "use = \"lookup\"                        # reads by pairs of neighbouring characters: a floor for language models",
            &format!("use = \"lookup\"                        # reads by pairs of neighbouring characters: a floor for language models\ndictionary = {file}"),
            1,
        );
    let groups = |name: &str| {
        let mut values = columns.get(name).cloned().unwrap_or_default();
        values.retain(|value| value != "unlabelled");
        values.sort();
        values.dedup();
        values.len()
    };
    if groups("structure") < 2 {
        text = without_lines(&text, &["slices"])
            .replace(", \"s-struct\", \"s-struct-net\", \"s-rob\"", "");
    }
    let explained = columns.get("explained");
    if explained.is_some_and(|all| all.iter().all(|one| one == "no")) {
        text = recovery_only(&text);
    }
    Ok(text)
}

/// Without explanations nobody can say how good one is: what is left is whether the reader finds the
/// original order again.
fn recovery_only(text: &str) -> String {
    let text = text
        .replacen("dictionary = ", "says = \"idiom\"                        # nothing is explained here: it says which idiom it took it for\ndictionary = ", 1)
        .replacen(
            "use = \"lexical\"                       # compares explanations with the references, without a model",
            "use = \"recovery\"                      # whether the answer is the original again",
            1,
        );
    let gauges = text.lines().find(|line| line.starts_with("gauges"));
    let text = text.replacen(
        gauges.unwrap_or_default(),
        "gauges = [\"recovery-rate\"]",
        1,
    );
    text.replacen("gauge = \"s-acc\"", "gauge = \"recovery-rate\"", 1)
}

fn without_lines(text: &str, beginnings: &[&str]) -> String {
    let kept = |line: &&str| !beginnings.iter().any(|start| line.starts_with(start));
    let lines = text.lines().filter(kept);
    lines.fold(String::new(), |all, line| all + line + "\n")
}

/// The idioms of a table, as a study would read them.
fn load(table: &Path, registry: &Registry) -> Result<Dataset, Problem> {
    let part = registry.find(PartKind::Dataset, "idioms")?;
    let whole = std::path::absolute(table).unwrap_or_else(|_| table.into());
    let file = Raw::Text(whole.display().to_string());
    let params = Params::of(part, &[("file", file)], Path::new(""));
    let params = params.map_err(|mut problems| problems.swap_remove(0))?;
    let Build::Dataset(build) = part.build else {
        unreachable!("a dataset part builds a dataset")
    };
    build(&params)?.load(Seed::new(0))
}
