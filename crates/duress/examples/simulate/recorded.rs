//! Made-up answers written out as recorded ones, for the command to read.

use std::fmt::Write;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

use crate::block::{Block, Kind};
use crate::graph;
use crate::model::{CLUSTER, Made, classes, named, sure, truth};

/// The column that a stressor presses, so that each seed has items of its own.
const TEXT: &str = "text";

/// Writes truth, answers and study of several studies at once.
pub(crate) fn write(
    block: &Block,
    seeds: usize,
    studies: Range<usize>,
    folder: &Path,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut text = block.head(seeds);
    for study in studies.clone() {
        if let Kind::Graphs(ceiling) = block.kind {
            text += &graph::record(study, ceiling, seeds, folder)?;
            continue;
        }
        let (data, subjects) = (format!("d{study}"), block.subjects(study));
        text += &dataset(block, &subjects[0], &data, folder)?;
        for one in subjects {
            let name = format!("s{study}-{}", one.who);
            text += &subject(block, &one, [&name, &data], seeds, folder)?;
        }
    }
    write_study(&(text + &block.rest(studies)), folder)
}

/// Writes one of two runs that are compared: each has its own subject, under the name that it has
/// in both.
pub(crate) fn write_run(
    block: &Block,
    seeds: usize,
    study: usize,
    who: u64,
    folder: &Path,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let one = Made {
        who,
        ..block.subjects(study).swap_remove(0)
    };
    let text = block.head(seeds)
        + &dataset(block, &one, "d", folder)?
        + &subject(block, &one, ["s", "d"], seeds, folder)?
        + &block.rest(study..study + 1);
    write_study(&text, folder)
}

fn write_study(text: &str, folder: &Path) -> io::Result<()> {
    let text = format!("{text}\n[report]\nfigures = []\n");
    fs::write(folder.join("study.toml"), text)
}

/// Writes the labels, and says how a study names them. What a stressor pressed is each seed's own:
/// so a study of recorded answers is nested.
fn dataset(block: &Block, subject: &Made, name: &str, folder: &Path) -> io::Result<String> {
    fs::write(folder.join(format!("{name}.csv")), labels(subject))?;
    let column = match subject.spread.together {
        1 => String::new(),
        _ => format!(", columns = [\"{CLUSTER}\"]{}", block.cluster()),
    };
    let labelled = |of: &str, more: &str| {
        format!(
            "dataset.{of} = {{ use = \"labelled\", file = \"{name}.csv\", classes = {:?}{more} }}\n",
            classes()
        )
    };
    Ok(match subject.nested {
        false => labelled(name, &column),
        true => {
            let base = format!("base-{name}");
            labelled(&base, &format!(", text = \"{TEXT}\""))
                + &format!(
                    "dataset.{name} = {{ base = \"{base}\", press = [{{ use = \"arrangement\", severity = 1 }}] }}\n"
                )
        }
    })
}

/// Writes the answers of a subject, and says how a study names them.
fn subject(
    block: &Block,
    one: &Made,
    [name, data]: [&str; 2],
    seeds: usize,
    folder: &Path,
) -> io::Result<String> {
    let severities = if block.has_ladder() { 0..=5 } else { 0..=0 };
    for seed in 1..=seeds as u64 {
        for severity in severities.clone() {
            let file = folder.join(format!("{name}_{seed}_{severity}.csv"));
            fs::write(file, answers(one, seed, f64::from(severity)))?;
        }
    }
    Ok(format!(
        "subject.{name} = {{ use = \"recorded\", on = \"{data}\", files = \"{{subject}}_{{seed}}_{{severity}}.csv\", clean = \"{{subject}}_{{seed}}_0.csv\", classes = {:?} }}\n",
        classes()
    ))
}

fn labels(subject: &Made) -> String {
    let together = subject.spread.together;
    let mut text = format!("id,label,{CLUSTER},{TEXT}\n");
    for item in 0..subject.items {
        let label = &classes()[truth(item) as usize];
        let _ = writeln!(text, "{item},{label},{},abcd", item / together);
    }
    text
}

/// The answers of one cell; an item that has none has no line.
fn answers(subject: &Made, seed: u64, severity: f64) -> String {
    let names = classes();
    let mut text = match subject.sure {
        true => format!("id,{}\n", names.join(",")),
        false => "id,prediction\n".to_string(),
    };
    for (item, margin) in subject.margins(seed, severity).into_iter().enumerate() {
        let Some(margin) = margin else { continue };
        let _ = match subject.sure {
            true => {
                let own = sure(margin);
                let yes = if truth(item) == 1 { own } else { 1.0 - own };
                writeln!(text, "{item},{},{yes}", 1.0 - yes)
            }
            false => writeln!(text, "{item},{}", names[named(item, Some(margin)) as usize]),
        };
    }
    text
}
