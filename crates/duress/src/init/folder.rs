//! A study of answers that were recorded: one table of them, or a folder of tables named after what
//! made them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use duress_core::name::Name;
use duress_core::problem::Problem;
use duress_core::severity::Severity;
use duress_tables::formats::{self, ENDINGS};
use duress_tables::layout::AnswerColumns;
use duress_tables::layout::guess::{TableGuess, TableHints, guess_with_truth_in, has_label};
use duress_tables::layout::words::TRUTH_FILES;

use super::index;
use super::write::{comment, key, lines, list, quoted, way};
use crate::table_reading::{dataset_keys, in_words, subject_keys};

/// The text of a study about the answers at `path`, to stand in the file `out`.
pub(super) fn study(path: &Path, out: &Path) -> Result<String, Problem> {
    let found = if path.is_dir() {
        FoundFiles::in_folder(path)?
    } else {
        FoundFiles::one(path)?
    };
    let home = out.parent().unwrap_or(Path::new(""));
    if way(home, &found.folder).contains(['{', '}']) {
        return Err(Problem::new(
            "the path has braces, which in a study are places to be filled in",
        )
        .in_file(path));
    }
    let sample = found.first_clean()?;
    let truth = found.truth(&sample)?;
    let mut guess = guess_with_truth_in(&sample, &truth, &TableHints::default())?;
    let by_index = index::taken_as_ids(&mut guess, &truth, &found.files());
    let study = text(&found, &guess, &truth, home);
    Ok(match by_index {
        true => study.replacen("\nname = ", BY_INDEX, 1),
        false => study,
    })
}

/// What is said where the index is taken for ids.
const BY_INDEX: &str = "\n# Rows are matched by the index that pandas wrote: take the lines `id` out if rows are in the same order anyway.\nname = ";

/// Which tables there are.
#[derive(Debug)]
struct FoundFiles {
    folder: PathBuf,
    /// What the study is called after.
    name: String,
    ending: String,
    /// The table with the truth alone.
    truth: Option<String>,
    tables: Vec<MadeStudy>,
    shape: FileShape,
    /// What is not in the study, and why.
    left_out: Vec<String>,
}

/// What made the answers in a table, told from its name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MadeStudy {
    subject: String,
    seed: Option<u64>,
    under: FileUnder,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FileUnder {
    /// No stress, in the way its name says so.
    Clean(&'static str),
    /// A rung: the ladder, and the severity as it is written in the name.
    Rung(String, String),
}

/// How the names are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileShape {
    seeded: bool,
    /// What stands behind the subject and the seed of a clean table.
    clean: &'static str,
}

impl MadeStudy {
    /// Reads `{subject}_seed{seed}_{ladder}_{severity}`, with `_clean`, `_clean_0` or nothing in
    /// the place of ladder and severity.
    fn parse(stem: &str, all: &BTreeSet<&str>) -> MadeStudy {
        if let Some((subject, seed, rest)) = seeded(stem)
            && let Some(under) = FileUnder::parse(rest)
        {
            return MadeStudy {
                subject: subject.into(),
                seed: Some(seed),
                under,
            };
        }
        let made = |subject: &str, under| MadeStudy {
            subject: subject.into(),
            seed: None,
            under,
        };
        for clean in ["_clean", "_clean_0"] {
            if let Some(subject) = stem.strip_suffix(clean) {
                return made(subject, FileUnder::Clean(clean));
            }
        }
        // Without a seed in the name, `resnet_50_large` could be anything: it is a rung only where
        // its subject has clean answers.
        let pieces = stem
            .rmatch_indices('_')
            .nth(1)
            .map(|(at, _)| stem.split_at(at));
        if let Some((subject, rest)) = pieces
            && ["", "_clean", "_clean_0"]
                .iter()
                .any(|clean| all.contains(format!("{subject}{clean}").as_str()))
            && let Some(under) = FileUnder::parse(rest)
        {
            return made(subject, under);
        }
        made(stem, FileUnder::Clean(""))
    }
}

/// The subject, the seed and what follows.
fn seeded(stem: &str) -> Option<(&str, u64, &str)> {
    let (subject, rest) = stem.rsplit_once("_seed")?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (digits, rest) = rest.split_at(digits);
    let seed: u64 = digits.parse().ok()?;
    (seed.to_string() == digits && !subject.is_empty()).then_some((subject, seed, rest))
}

impl FileUnder {
    fn parse(rest: &str) -> Option<FileUnder> {
        match rest {
            "" => Some(FileUnder::Clean("")),
            "_clean" => Some(FileUnder::Clean("_clean")),
            "_clean_0" => Some(FileUnder::Clean("_clean_0")),
            rest => {
                let (ladder, severity) = rest.strip_prefix('_')?.rsplit_once('_')?;
                let known = severity_of(severity).is_some_and(|severity| !severity.is_clean());
                (known && Name::new(ladder).is_ok())
                    .then(|| FileUnder::Rung(ladder.into(), severity.into()))
            }
        }
    }
}

/// The severity in a name, where `8-255` stands for `8/255`.
fn severity_of(text: &str) -> Option<Severity> {
    Severity::parse(&text.replacen('-', "/", 1)).ok()
}

impl FoundFiles {
    fn one(file: &Path) -> Result<FoundFiles, Problem> {
        let stem = file
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let ending = file
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let made = MadeStudy {
            subject: stem.clone(),
            seed: None,
            under: FileUnder::Clean(""),
        };
        let folder = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        Ok(FoundFiles {
            folder: folder.into(),
            name: stem,
            ending,
            truth: None,
            tables: vec![made],
            shape: FileShape {
                seeded: false,
                clean: "",
            },
            left_out: Vec::new(),
        })
    }

    fn in_folder(folder: &Path) -> Result<FoundFiles, Problem> {
        let (ending, mut stems, mut left_out) = stems(folder)?;
        let truth = stems.iter().find(|stem| TRUTH_FILES.has(stem)).cloned();
        stems.retain(|stem| Some(stem) != truth.as_ref());
        let all: BTreeSet<&str> = stems.iter().map(String::as_str).collect();
        let mut tables: Vec<MadeStudy> = stems
            .iter()
            .map(|stem| MadeStudy::parse(stem, &all))
            .collect();
        let shape = shape(&tables).ok_or_else(|| no_tables(folder))?;
        tables.retain(|made| {
            let clean = matches!(made.under, FileUnder::Clean(clean) if clean != shape.clean);
            let fits =
                made.seed.is_some() == shape.seeded && !clean && Name::new(&made.subject).is_ok();
            if !fits {
                left_out.push(format!(
                    "{}: named otherwise than the rest",
                    made.file(&ending)
                ));
            }
            fits
        });
        tables.sort();
        let mut found = FoundFiles {
            folder: folder.into(),
            name: folder
                .canonicalize()
                .ok()
                .and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
                .unwrap_or_default(),
            ending,
            truth: truth.map(|stem| stem.to_string()),
            tables,
            shape,
            left_out,
        };
        found.complete();
        if found.tables.is_empty() {
            Err(no_tables(folder))
        } else {
            Ok(found)
        }
    }

    /// Leaves out subjects, seeds and rungs for which a table is missing.
    fn complete(&mut self) {
        let seeds = self.seeds();
        let has = |tables: &[MadeStudy], subject: &str, seed: Option<u64>, under: &FileUnder| {
            tables
                .iter()
                .any(|made| made.subject == subject && made.seed == seed && made.under == *under)
        };
        let clean = FileUnder::Clean(self.shape.clean);
        let whole: BTreeSet<String> = self
            .subjects()
            .into_iter()
            .filter(|subject| {
                seeds
                    .iter()
                    .all(|seed| has(&self.tables, subject, *seed, &clean))
            })
            .collect();
        for subject in self.subjects().difference(&whole) {
            self.left_out.push(format!(
                "subject {subject}: no clean answers for some of the seeds"
            ));
        }
        self.tables.retain(|made| whole.contains(&made.subject));
        let tables = self.tables.clone();
        for (ladder, severities) in self.ladders() {
            let pressed = self.pressed(&ladder);
            for severity in severities {
                let rung = FileUnder::Rung(ladder.clone(), severity.clone());
                let there =
                    |subject: &String| seeds.iter().all(|seed| has(&tables, subject, *seed, &rung));
                if !pressed.iter().all(there) {
                    self.left_out.push(format!(
                        "{ladder} {severity}: missing for some subject or seed"
                    ));
                    self.tables.retain(|made| made.under != rung);
                }
            }
        }
    }

    fn subjects(&self) -> BTreeSet<String> {
        self.tables
            .iter()
            .map(|made| made.subject.clone())
            .collect()
    }

    fn seeds(&self) -> BTreeSet<Option<u64>> {
        self.tables.iter().map(|made| made.seed).collect()
    }

    /// The ladders with their severities, rising.
    fn ladders(&self) -> BTreeMap<String, Vec<String>> {
        let mut ladders: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for made in &self.tables {
            if let FileUnder::Rung(ladder, severity) = &made.under {
                ladders
                    .entry(ladder.clone())
                    .or_default()
                    .push(severity.clone());
            }
        }
        for severities in ladders.values_mut() {
            severities.sort_by_key(|severity| (severity_of(severity), severity.clone()));
            severities.dedup();
        }
        ladders
    }

    /// The subjects that a ladder presses.
    fn pressed(&self, name: &str) -> BTreeSet<String> {
        let on =
            |made: &&MadeStudy| matches!(&made.under, FileUnder::Rung(ladder, _) if ladder == name);
        self.tables
            .iter()
            .filter(on)
            .map(|made| made.subject.clone())
            .collect()
    }

    /// The tables of answers.
    fn files(&self) -> Vec<PathBuf> {
        let file = |made: &MadeStudy| self.folder.join(made.file(&self.ending));
        self.tables.iter().map(file).collect()
    }

    fn first_clean(&self) -> Result<PathBuf, Problem> {
        let clean = self
            .tables
            .iter()
            .find(|made| matches!(made.under, FileUnder::Clean(_)));
        clean
            .map(|made| self.folder.join(made.file(&self.ending)))
            .ok_or_else(|| no_tables(&self.folder))
    }

    /// The table with the truth: one of its own, or a table of answers that has it too.
    fn truth(&self, sample: &Path) -> Result<PathBuf, Problem> {
        if let Some(stem) = &self.truth {
            return Ok(self.folder.join(format!("{stem}.{}", self.ending)));
        }
        if has_label(&formats::heads(sample)?) {
            return Ok(sample.into());
        }
        Err(Problem::new("no column is called as true classes are")
            .expected(format!(
                "a column `label` in it, or a table labels.{} beside it",
                self.ending
            ))
            .in_file(sample))
    }
}

impl MadeStudy {
    fn file(&self, ending: &str) -> String {
        let seed = self
            .seed
            .map(|seed| format!("_seed{seed}"))
            .unwrap_or_default();
        let under = match &self.under {
            FileUnder::Clean(clean) => (*clean).to_string(),
            FileUnder::Rung(ladder, severity) => format!("_{ladder}_{severity}"),
        };
        format!("{}{seed}{under}.{ending}", self.subject)
    }
}

/// The names of the tables in a folder without their ending, which is the one that most have.
fn stems(folder: &Path) -> Result<(String, Vec<String>, Vec<String>), Problem> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| Problem::new(format!("it cannot be read: {error}")).in_file(folder))?;
    let mut by_ending: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
    {
        let (Some(stem), Some(ending)) = (path.file_stem(), path.extension()) else {
            continue;
        };
        let (stem, ending) = (
            stem.to_string_lossy().into_owned(),
            ending.to_string_lossy().into_owned(),
        );
        if ENDINGS.contains(&ending.to_lowercase().as_str()) && !stem.contains(['{', '}']) {
            by_ending.entry(ending).or_default().push(stem);
        }
    }
    let most = by_ending
        .iter()
        .max_by_key(|(_, stems)| stems.len())
        .map(|(ending, _)| ending.clone());
    let ending = most.ok_or_else(|| no_tables(folder))?;
    let mut stems = by_ending.remove(&ending).unwrap_or_default();
    stems.sort();
    let others = by_ending
        .iter()
        .flat_map(|(ending, stems)| stems.iter().map(move |stem| format!("{stem}.{ending}")));
    let left_out = others
        .map(|file| format!("{file}: most tables end in .{ending}"))
        .collect();
    Ok((ending, stems, left_out))
}

/// The shape that most of the names have.
fn shape(tables: &[MadeStudy]) -> Option<FileShape> {
    let seeded = 2 * tables.iter().filter(|made| made.seed.is_some()).count() > tables.len();
    let of_shape = tables.iter().filter(|made| made.seed.is_some() == seeded);
    let cleans: Vec<&'static str> = of_shape
        .filter_map(|made| match made.under {
            FileUnder::Clean(clean) => Some(clean),
            FileUnder::Rung(..) => None,
        })
        .collect();
    let count = |clean: &str| cleans.iter().filter(|one| **one == clean).count();
    let clean = cleans.iter().copied().max_by_key(|clean| count(clean))?;
    Some(FileShape { seeded, clean })
}

fn no_tables(folder: &Path) -> Problem {
    Problem::new("there are no tables of answers without stress")
        .expected("tables called SUBJECT.csv, SUBJECT_clean.csv or SUBJECT_seed1_clean.csv, and SUBJECT_seed1_LADDER_SEVERITY.csv for those under stress")
        .in_file(folder)
}

fn text(found: &FoundFiles, guess: &TableGuess, truth: &Path, home: &Path) -> String {
    let ladders = found.ladders();
    let seeds: Vec<String> = found
        .seeds()
        .into_iter()
        .flatten()
        .map(|seed| seed.to_string())
        .collect();
    let mut text = head(found);
    text.push_str(&format!("name = {}\n", quoted(&study_name(&found.name))));
    if !seeds.is_empty() {
        text.push_str(&format!(
            "seeds = [{}]                      # one replicate each, as in the names of the files\n",
            seeds.join(", ")
        ));
    }
    text.push_str("\n[dataset.items]\nuse = \"labelled\"                    # ids and true classes; subjects are scored against these and no others\n");
    text.push_str(&lines(&dataset_keys(guess, &way(home, truth))));
    if !guess.label_unread.is_empty() {
        text.push_str(&offered(
            "columns",
            &guess.label_unread,
            "to slice by, with `slices` below",
        ));
    }
    for subject in found.subjects() {
        text.push_str(&format!(
            "\n[subject.{}]\nuse = \"recorded\"\n",
            key(&subject_name(&subject))
        ));
        guess
            .reasons
            .iter()
            .flat_map(in_words)
            .for_each(|how| text.push_str(&format!("# {}\n", comment(&how))));
        text.push_str(&recorded_keys(found, guess, home, &subject));
        if !guess.unread.is_empty() && !matches!(guess.answers, AnswerColumns::Long { .. }) {
            text.push_str(&offered(
                "scores",
                &guess.unread,
                "numbers about each answer, for `stability` of a gauge",
            ));
        }
    }
    for (ladder, severities) in &ladders {
        text.push_str(&format!("\n[ladder.{}]\nuse = \"elsewhere\"                   # it pressed before the answers were recorded\n", key(ladder)));
        text.push_str(&format!(
            "severities = [{}]\n",
            severities
                .iter()
                .map(|one| number(one))
                .collect::<Vec<_>>()
                .join(", ")
        ));
        let pressed = found.pressed(ladder);
        if pressed != found.subjects() {
            text.push_str(&format!(
                "subjects = {}\n",
                list(pressed.iter().map(String::as_str))
            ));
        }
    }
    text.push_str(&analysis(guess, !ladders.is_empty(), !seeds.is_empty()));
    text.push_str(&first_claim(found, guess.classes.len()));
    text
}

/// A claim to begin with: of two subjects that one is right more often, of one under stress that it
/// holds, of one alone that it is better than chance.
fn first_claim(found: &FoundFiles, classes: usize) -> String {
    let subjects: Vec<String> = found
        .subjects()
        .iter()
        .map(|one| subject_name(one))
        .collect();
    let hardest = found
        .ladders()
        .into_iter()
        .find_map(|(ladder, severities)| {
            let subject = found.pressed(&ladder).into_iter().next()?;
            Some((subject_name(&subject), ladder, severities.last()?.clone()))
        });
    let (name, keys) = match (subjects.as_slice(), hardest) {
        ([one, other, ..], _) => (
            format!("{one} is right more often than {other}"),
            format!("of = {}\nagainst = {}\n", quoted(one), quoted(other)),
        ),
        (_, Some((one, ladder, severity))) => (
            format!("{one} loses less than 0.1 under {ladder}"),
            format!(
                "of = {}\nagainst = \"clean\"\nat = {{ ladder = {}, severity = {} }}\nmargin = -0.1\n",
                quoted(&one),
                quoted(&ladder),
                number(&severity)
            ),
        ),
        (only, None) => (
            "it is right more often than chance".into(),
            format!(
                "of = {}\nmargin = {:.3}\n",
                quoted(only.first().map_or("", String::as_str)),
                1.0 / classes.max(1) as f64
            ),
        ),
    };
    // One seed says nothing about how results vary from seed to seed.
    let unit = match found.seeds().len() {
        0 | 1 => "unit = \"items\"\n",
        _ => "",
    };
    format!(
        "\n[[claim]]                             # a first one: make it what you want to show, before the run; `duress run --gate` judges by it\nname = {}\ngauge = \"accuracy\"\n{keys}{unit}",
        quoted(&name)
    )
}

fn head(found: &FoundFiles) -> String {
    let mut head = format!(
        "# Answers that were recorded in {}.\n#   duress check FILE      what is wrong, what n can show\n#   duress run   FILE      find, report\n# Keys are explained by `duress explain recorded` and `duress explain labelled`.\n",
        comment(&found.folder.file_name().map_or_else(
            || "this folder".into(),
            |name| name.to_string_lossy().into_owned()
        ))
    );
    for one in &found.left_out {
        head.push_str(&format!("# Left out: {}\n", comment(one)));
    }
    head
}

/// A key that would read columns nobody reads, left for the user to decide.
fn offered(key: &str, columns: &[String], why: &str) -> String {
    format!(
        "# {key} = {}   # {why}\n",
        comment(&list(columns.iter().map(String::as_str)))
    )
}

/// The keys of a subject: where its answers are, and how they are to be read.
fn recorded_keys(found: &FoundFiles, guess: &TableGuess, home: &Path, subject: &str) -> String {
    let named = subject_name(subject) == subject;
    let place = if named {
        "{subject}".to_string()
    } else {
        subject.to_string()
    };
    let seed = if found.shape.seeded {
        "_seed{seed}"
    } else {
        ""
    };
    let folder = way(home, &found.folder);
    let folder = if folder.is_empty() {
        folder
    } else {
        folder + "/"
    };
    let at = |under: &str| format!("{folder}{place}{seed}{under}.{}", found.ending);
    if found.ladders().is_empty() {
        return lines(&subject_keys(guess, &at(found.shape.clean)));
    }
    let mut keys = subject_keys(guess, &at("_{ladder}_{severity}"));
    if found.shape.clean != "_clean_0" {
        keys.insert(
            1,
            ("clean", duress_core::part::Raw::Text(at(found.shape.clean))),
        );
    }
    lines(&keys)
}

/// A severity as a study writes it, so that it is written back into the name of the file as it
/// stands there.
fn number(text: &str) -> String {
    match severity_of(text) {
        Some(severity) if severity.value().to_string() == text => text.into(),
        _ => quoted(&text.replacen('-', "/", 1)),
    }
}

fn analysis(guess: &TableGuess, ladders: bool, seeds: bool) -> String {
    let sure = !matches!(
        guess.answers,
        AnswerColumns::Labels {
            confidence: None,
            ..
        }
    );
    let mut gauges = vec!["accuracy"];
    gauges.extend(sure.then_some(["ece", "aurc"]).into_iter().flatten());
    gauges.extend(
        ladders
            .then_some(["attack-success-rate", "area"])
            .into_iter()
            .flatten(),
    );
    let units = if seeds { "items-and-seeds" } else { "items" };
    format!(
        "\n[analysis]\ngauges = {}   # `duress list gauge` names them all\nunits = {}              # what intervals resample\n",
        list(gauges),
        quoted(units)
    )
}

fn study_name(text: &str) -> String {
    let name: String = text
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .take(64)
        .collect();
    let name = name.trim_matches('-').to_string();
    if name.is_empty() {
        "recorded".into()
    } else {
        name
    }
}

/// The file's own name where a study can name a subject so.
fn subject_name(text: &str) -> String {
    if Name::new(text).is_ok() {
        text.into()
    } else {
        study_name(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_made_a_table_is_told_from_its_name() {
        let all = BTreeSet::from(["a_clean", "b", "c_clean_0"]);
        let check = |stem: &str, subject: &str, seed: Option<u64>, under: FileUnder| {
            assert_eq!(
                MadeStudy::parse(stem, &all),
                MadeStudy {
                    subject: subject.into(),
                    seed,
                    under
                },
                "{stem}"
            );
        };
        let rung = |ladder: &str, severity: &str| FileUnder::Rung(ladder.into(), severity.into());
        check(
            "base_seed42_pgd_8-255",
            "base",
            Some(42),
            rung("pgd", "8-255"),
        );
        check(
            "base_v2_seed1_gaussian_noise_0.10",
            "base_v2",
            Some(1),
            rung("gaussian_noise", "0.10"),
        );
        check(
            "base_seed1_clean",
            "base",
            Some(1),
            FileUnder::Clean("_clean"),
        );
        check("base_seed1", "base", Some(1), FileUnder::Clean(""));
        check("a_pgd_2", "a", None, rung("pgd", "2"));
        check("b_pgd_2", "b", None, rung("pgd", "2"));
        check("resnet_50_2", "resnet_50_2", None, FileUnder::Clean(""));
        check("x_seed01", "x_seed01", None, FileUnder::Clean(""));
        check("x_seed1_pgd_0", "x_seed1_pgd_0", None, FileUnder::Clean(""));
    }
}
