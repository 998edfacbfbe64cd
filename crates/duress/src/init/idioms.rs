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
    if let Some(units) = TriedUnits::of(&dataset) {
        text = units.in_study(&text);
    }
    let explained = columns.get("explained");
    if explained.is_some_and(|all| all.iter().all(|one| one == "no")) {
        text = recovery_only(&text);
    }
    Ok(text)
}

/// What is moved where most texts are not of four characters.
enum TriedUnits {
    /// So many characters.
    Characters(usize),
    /// So many words.
    Words(usize),
    /// Words, however many there are: some orders of them are drawn.
    AnyWords,
}

impl TriedUnits {
    /// All orders of so many units are soon tried.
    const MOST: usize = 5;

    fn of(dataset: &Dataset) -> Option<TriedUnits> {
        let texts = dataset.test().items().texts().ok()?;
        let usual = |count: fn(&str) -> usize| {
            let counts: Vec<usize> = texts.iter().map(|text| count(&text.text)).collect();
            let of_most =
                |n: &usize| 2 * counts.iter().filter(|own| *own == n).count() > counts.len();
            (2..=Self::MOST).find(of_most)
        };
        let words = |text: &str| text.split_whitespace().count();
        match (usual(|text| text.chars().count()), usual(words)) {
            (Some(4), _) => None,
            (Some(characters), _) => Some(TriedUnits::Characters(characters)),
            (None, Some(words)) => Some(TriedUnits::Words(words)),
            _ if texts.iter().any(|text| words(&text.text) > 2) => Some(TriedUnits::AnyWords),
            _ => None,
        }
    }

    fn in_study(&self, text: &str) -> String {
        let every = |units: usize| {
            let inversions: Vec<String> = (1..=units * (units - 1) / 2)
                .map(|one| one.to_string())
                .collect();
            format!(
                "severities = [{}] # inversions: all orders",
                inversions.join(", ")
            )
        };
        let keys = match self {
            TriedUnits::Characters(length) => format!("length = {length}\n{}", every(*length)),
            TriedUnits::Words(length) => {
                format!("units = \"words\"\nlength = {length}\n{}", every(*length))
            }
            TriedUnits::AnyWords => "units = \"words\"\nlength = 0                            # texts of any length\norders = \"sampled\"\nseverities = [1, 2, 3]                # inversions; four orders of each are drawn".into(),
        };
        let line = text.lines().find(|line| line.starts_with("severities"));
        let text = text.replacen(line.unwrap_or_default(), &keys, 1);
        text.replacen(
            "four-character idioms while their characters are",
            "texts while their parts are",
            1,
        )
    }
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
