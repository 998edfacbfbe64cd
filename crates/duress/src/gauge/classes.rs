//! A table of a classifier's answers, read by the parts that a study would name.

use std::path::Path;

use duress_core::answer::{Answers, ClassAnswers, Said};
use duress_core::data::Dataset;
use duress_core::gauge::{self, CellGauge, Detail, Gauge};
use duress_core::part::{Build, Params, Raw};
use duress_core::problem::Problem;
use duress_core::truth::{Sealed, Truth};
use duress_figure::number;
use duress_parts::registry::Registry;
use duress_parts::scored;
use duress_tables::labels::listed;

use super::Told;
use super::look::{self, Look};

/// Answers with what is true.
#[derive(Clone)]
pub(super) struct Classes {
    pub(super) truth: Sealed<Truth>,
    pub(super) answers: Answers,
    pub(super) items: usize,
    pub(super) found: Vec<String>,
}

pub(super) fn read(file: &Path, told: &Told, registry: &Registry) -> Result<Classes, Problem> {
    let look = look::look(file, told)?;
    let params = |kind, name, keys: Vec<(&'static str, Raw)>| {
        let part = registry.find(kind, name)?;
        Params::of(part, &keys, folder(file)).map_err(|mut problems| problems.swap_remove(0))
    };
    let name = file_name(file);
    if name.contains(['{', '}']) {
        // In the paths of recorded answers braces are places to be filled in.
        return Err(Problem::new("the name of the file has braces")
            .expected("a name without")
            .in_file(file));
    }
    let truth = params("dataset", "labelled", look.dataset(&name))?;
    let said = params("subject", "recorded", look.subject(&name))?;
    let (dataset, answers) =
        scored::read(&truth, &said).map_err(|problem| in_flags(problem, file))?;
    let items = dataset.test().items();
    if let Some(nonsense) = answers.nonsense(items.len()) {
        return Err(Problem::new(nonsense).in_file(file));
    }
    let mut found = found(&look, &answers, &dataset);
    found.extend(absent(dataset.test().truth(), &answers, registry));
    let mut read = Classes {
        truth: dataset.test().truth().clone(),
        items: items.len(),
        answers,
        found,
    };
    read.found.extend(turned(&look, told, &read, registry));
    Ok(read)
}

fn folder(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
}

fn file_name(file: &Path) -> String {
    file.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// What the parts say about the keys of a study, said about flags.
fn in_flags(problem: Problem, file: &Path) -> Problem {
    let flags = |text: String| {
        text.replace("`form = \"logits\"`", "`--form logits`")
            .replace("`label = …`", "`--label`")
            .replace("`classes = […]`", "`--classes`")
            .replace("`classes`", "`--classes`")
    };
    let number = problem.expected.as_deref() == Some("a number");
    let problem = Problem {
        message: flags(problem.message),
        expected: problem.expected.map(flags),
        hint: problem.hint.map(flags),
        file: problem.file.or_else(|| Some(file.into())),
        ..problem
    };
    if number {
        return problem
            .hint_if_none("`--classes` names the columns that are classes, if this is none");
    }
    problem
}

/// The classes that no item is of.
fn absent(truth: &Sealed<Truth>, answers: &Answers, registry: &Registry) -> Option<String> {
    let recall = plain("recall", registry)?;
    let Some(Detail::Groups(groups)) = gauge::detail(recall.as_ref(), truth, answers) else {
        return None;
    };
    let absent: Vec<String> = groups
        .into_iter()
        .filter(|one| one.n == 0)
        .map(|one| one.name)
        .collect();
    (!absent.is_empty()).then(|| format!("no item is {}", listed(&absent)))
}

/// Where one column was taken to be about the class that comes second by letter, whether it rather
/// goes with the first.
fn turned(look: &Look, told: &Told, of: &Classes, registry: &Registry) -> Option<String> {
    let (look::Body::Second { name }, [first, second], true) =
        (&look.body, &look.classes[..], told.classes.is_empty())
    else {
        return None;
    };
    let auroc = plain("auroc-macro", registry)?;
    let (area, _) = gauge::once(auroc.as_ref(), &of.truth, &of.answers).ok()?;
    (area < 0.5).then(|| {
        format!("items of `{second}` have the lower numbers: if `{name}` is about `{first}`, say `--classes {second},{first}`")
    })
}

/// A gauge with every key at its default.
fn plain(name: &str, registry: &Registry) -> Option<Box<dyn CellGauge>> {
    let part = registry.find("gauge", name).ok()?;
    let (Build::Gauge(build), params) = (&part.build, Params::of(part, &[], Path::new("")).ok()?)
    else {
        return None;
    };
    match build(&params) {
        Ok(Gauge::Cell(gauge)) => Some(gauge),
        _ => None,
    }
}

/// What was found, in words.
fn found(look: &Look, answers: &Answers, dataset: &Dataset) -> Vec<String> {
    let Answers::Classes(said) = answers else {
        return Vec::new();
    };
    let form = match said.said() {
        Said::Probabilities(_) => "probabilities of",
        Said::Logits(_) => "logits of",
        Said::Labels {
            confidence: Some(_),
            ..
        } => "predictions with a confidence, of",
        Said::Labels {
            confidence: None, ..
        } => "predictions without a confidence, of",
    };
    let count = number::count(said.classes().len() as u64);
    let mut found = vec![format!(
        "{form} {count} classes: {}",
        listed(said.classes())
    )];
    found.extend(look.in_words(said));
    found.extend(look.told.iter().cloned());
    found.extend(unlikely(
        said.below_chance(),
        said.len(),
        said.classes().len(),
    ));
    found.push(format!("true classes in `{}`", look.label));
    found.extend(look.id.as_ref().map(|id| format!("ids in `{id}`")));
    if !look.unread.is_empty() {
        found.push(format!("not read: {}", listed(&look.unread)));
    }
    found.extend(
        dataset
            .remarks()
            .iter()
            .map(|remark| remark.replace("`classes`", "the list of classes")),
    );
    found
}

/// That some confidences are lower than the largest of `classes` probabilities can be.
pub(super) fn unlikely(below: usize, all: usize, classes: usize) -> Option<String> {
    let (below, all) = (number::count(below as u64), number::count(all as u64));
    (below != "0").then(|| format!("{below} of {all} confidences are below 1/{classes}, which the largest of {classes} probabilities is not"))
}

impl Look {
    /// How the numbers were read, where somebody could have read them otherwise.
    fn in_words(&self, said: &ClassAnswers) -> Vec<String> {
        let mut words = Vec::new();
        match (&self.body, said.classes()) {
            (look::Body::Long { class, value }, _) => {
                words.push(format!(
                    "a row per item and class, in `{class}` and `{value}`"
                ));
            }
            (look::Body::Second { name }, [_, second]) => {
                words.push(format!(
                    "`{name}` is about `{second}`, the second of the two"
                ));
            }
            _ => {}
        }
        match (self.form, &self.body, said.said()) {
            ("auto", look::Body::Second { .. }, Said::Probabilities(_)) => {
                words.push("told to be probabilities, since all are from 0 to 1".into());
            }
            // An array called so is what it is called.
            ("auto", look::Body::List { name }, _) if name.starts_with("prob") => {}
            ("auto", _, Said::Probabilities(_)) => {
                words.push("told to be probabilities, since every row sums to 1".into());
            }
            ("auto", _, Said::Logits(_)) => {
                words.push("told to be logits, since some are outside [0, 1]".into());
            }
            _ => {}
        }
        words
    }

    /// The keys of a `labelled` dataset on this table.
    pub(crate) fn dataset(&self, file: &str) -> Vec<(&'static str, Raw)> {
        let mut keys = vec![
            ("file", Raw::Text(file.into())),
            ("label", Raw::Text(self.label.clone())),
        ];
        keys.extend(self.label_id.clone().map(|id| ("id", Raw::Text(id))));
        if matches!(self.body, look::Body::Long { .. }) {
            keys.push(("long", Raw::Flag(true)));
        }
        keys.push(("classes", texts(&self.classes)));
        keys
    }

    /// The keys of a `recorded` subject whose answers are in `files`.
    pub(crate) fn subject(&self, files: &str) -> Vec<(&'static str, Raw)> {
        let text = |text: &str| Raw::Text(text.into());
        let mut keys = vec![("files", text(files))];
        keys.extend(self.id.as_deref().map(|id| ("id", text(id))));
        match &self.body {
            look::Body::Columns { prefix } if !prefix.is_empty() => {
                keys.push(("prefix", text(prefix)))
            }
            look::Body::Columns { .. } => {}
            look::Body::List { name } => keys.push(("values", text(name))),
            look::Body::Long { class, value } => {
                keys.push(("class", text(class)));
                keys.push(("values", text(value)));
            }
            look::Body::Second { name } => keys.push(("positive", text(name))),
            look::Body::Labels {
                prediction,
                confidence,
            } => {
                keys.push(("prediction", text(prediction)));
                keys.extend(confidence.as_deref().map(|name| ("confidence", text(name))));
            }
        }
        keys.push(("form", text(self.form)));
        keys.push(("classes", texts(&self.classes)));
        keys
    }
}

fn texts(all: &[String]) -> Raw {
    Raw::List(all.iter().cloned().map(Raw::Text).collect())
}
