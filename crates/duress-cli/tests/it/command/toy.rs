//! Studies that take no time: recorded answers about twenty items; and one that takes a little.

use std::fmt::Write;
use std::fs;
use std::path::Path;

const ITEMS: usize = 20;

/// Recorded answers of two subjects for three seeds, one better than two by 0.4, 0.35 and 0.45; and
/// the study `more` ends.
pub(crate) fn recorded(more: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("labels.csv"), table("label", ITEMS)).unwrap();
    for (subject, right) in [("one", [18, 16, 17]), ("two", [10, 9, 8])] {
        for (seed, right) in (1..).zip(right) {
            for under in ["clean_0", "storm_1"] {
                let file = format!("{subject}_{seed}_{under}.csv");
                fs::write(folder.path().join(file), table("prediction", right)).unwrap();
            }
        }
    }
    write_study(folder.path(), more);
    folder
}

/// The items with their classes, the first `right` of them as they are and the rest the other way
/// round.
fn table(head: &str, right: usize) -> String {
    let class = |i: usize| {
        if (i + usize::from(i >= right)).is_multiple_of(2) {
            "a"
        } else {
            "b"
        }
    };
    (0..ITEMS).fold(format!("id,{head}\n"), |mut table, i| {
        writeln!(table, "{i},{}", class(i)).unwrap();
        table
    })
}

pub(crate) fn write_study(folder: &Path, more: &str) {
    let files = "files = \"{subject}_{seed}_{ladder}_{severity}.csv\"\nclasses = [\"a\", \"b\"]";
    let text = format!(
        "name = \"toy\"\nseeds = [1, 2, 3]\n\n[dataset.toy]\nuse = \"labelled\"\nfile = \"labels.csv\"\n\n\
         [subject.one]\nuse = \"recorded\"\n{files}\n\n[subject.two]\nuse = \"recorded\"\n{files}\n\n\
         [ladder.storm]\nuse = \"elsewhere\"\nseverities = [1]\n\n\
         [analysis]\ngauges = [\"accuracy\"]\nresamples = 100\nunits = \"seeds\"\n\n{more}"
    );
    fs::write(folder.join("study.toml"), text).unwrap();
}

/// That subject one beats two by more than a margin.
pub(crate) fn claim(name: &str, margin: f64) -> String {
    format!(
        "[[claim]]\nname = \"{name}\"\nfamily = \"{name}\"\ngauge = \"accuracy\"\nof = \"one\"\nagainst = \"two\"\nmargin = {margin}\ntest = \"paired-t\"\n\n"
    )
}

/// Networks that are trained and attacked: long enough to be stopped in the middle.
pub(crate) fn trained() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
name = "trained"
seeds = [1, 2, 3, 4]

[dataset.digits]
use = "digits"
fit-share = 0.3

[subject.linear]
use = "trained"
network = "linear"
epochs = 4

[subject.mlp]
use = "trained"
hidden = [16]
epochs = 4

[ladder.noise]
use = "gaussian-noise"
severities = [0.1, 0.2, 0.3]

[ladder.pgd]
use = "pgd"
severities = ["4/255", "8/255"]
steps = 3

[analysis]
gauges = ["accuracy", "attack-success-rate"]
resamples = 100

[[claim]]
name = "depth helps"
gauge = "accuracy"
of = "mlp"
against = "linear"
"#;
    fs::write(folder.path().join("study.toml"), text).unwrap();
    folder
}
