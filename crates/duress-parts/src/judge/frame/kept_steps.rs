//! Errors that a model put into texts, kept step by step in a file of JSON lines: what a study is
//! repeated from without the model.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use duress_core::data::Text;
use duress_core::problem::Problem;
use duress_core::stressor::StressStep;
use duress_tables::step_verdicts::StepVerdict;
use serde::{Deserialize, Serialize};

use crate::judge::step_id;

/// A line of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KeptLine {
    item: String,
    /// Of which text: a hash of it before the first step.
    of: String,
    subtype: String,
    /// Which step it is, from 1.
    k: usize,
    #[serde(flatten)]
    what: KeptOutcome,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum KeptOutcome {
    Done(StressStep),
    /// Why it could not be done.
    Refused {
        refused: String,
    },
}

/// What is known of one item.
#[derive(Clone, Debug, Default)]
pub(crate) struct ItemSteps {
    pub(crate) steps: Vec<StressStep>,
    /// Why there is no further step, once that was tried.
    pub(crate) refused: Option<String>,
}

/// The steps of one subtype, by item and text.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptSteps {
    known: BTreeMap<(String, String), ItemSteps>,
}

impl KeptSteps {
    /// Reads what a file keeps of a subtype; nothing where there is no file yet.
    pub(crate) fn read(file: &Path, subtype: &str) -> Result<KeptSteps, Problem> {
        let text = match fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Problem::new(error.to_string()).in_file(file)),
        };
        KeptSteps::of_text(&text, subtype, file)
    }

    fn of_text(text: &str, subtype: &str, file: &Path) -> Result<KeptSteps, Problem> {
        let mut kept = KeptSteps::default();
        // What a process that was killed wrote half is not there.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines = whole.lines().enumerate();
        for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |why: String| {
                let wrong = Problem::new(why).in_file(file).on_line(at + 1);
                wrong.expected("lines as `duress inject` writes them, unchanged")
            };
            let line: KeptLine = serde_json::from_str(line)
                .map_err(|why| wrong(format!("not a step that was kept: {why}")))?;
            if line.subtype == subtype {
                kept.add(line).map_err(wrong)?;
            }
        }
        Ok(kept)
    }

    fn add(&mut self, line: KeptLine) -> Result<(), String> {
        let own = self.known.entry((line.item, line.of)).or_default();
        if line.k != own.steps.len() + 1 || own.refused.is_some() {
            return Err(format!("step {} does not follow the one before it", line.k));
        }
        match line.what {
            KeptOutcome::Done(step) => own.steps.push(step),
            KeptOutcome::Refused { refused } => own.refused = Some(refused),
        }
        Ok(())
    }

    /// What is known of an item with this text.
    pub(crate) fn of_item(&self, item: &str, text: &str) -> ItemSteps {
        let known = self.known.get(&(item.to_string(), step_id(text)));
        known.cloned().unwrap_or_default()
    }

    /// The first so many steps of an item, or why there are not so many.
    pub(crate) fn first(
        &self,
        item: &str,
        text: &Text,
        count: usize,
        verdicts: &BTreeMap<String, StepVerdict>,
    ) -> Result<Vec<StressStep>, String> {
        let own = self.of_item(item, &text.text);
        let mut now = text.text.clone();
        for (at, step) in own.steps.iter().take(count).enumerate() {
            if now.get(step.span.clone()) != Some(step.before.as_str()) {
                return Err(format!("step {} is of another text", at + 1));
            }
            if verdicts.get(&step_id(&step.marked(&now))) == Some(&StepVerdict::Rejected) {
                return Err(format!(
                    "step {} was rejected by whoever reviewed it",
                    at + 1
                ));
            }
            now.replace_range(step.span.clone(), &step.after);
        }
        let made = own.steps.len();
        match (made >= count, own.refused) {
            (true, _) => Ok(own.steps.into_iter().take(count).collect()),
            (false, Some(why)) => Err(format!("step {} failed: {why}", made + 1)),
            (false, None) => Err(format!(
                "{made} errors are kept of this text: `duress inject` puts in more"
            )),
        }
    }

    /// What every step of an item is known by.
    pub(crate) fn ids(&self, item: &str, text: &str) -> Vec<String> {
        let mut now = text.to_string();
        let mut ids = Vec::new();
        for step in self.of_item(item, text).steps {
            if now.get(step.span.clone()) != Some(step.before.as_str()) {
                break;
            }
            ids.push(step_id(&step.marked(&now)));
            now.replace_range(step.span.clone(), &step.after);
        }
        ids
    }

    /// What decides the changes: every step that is kept.
    pub(crate) fn fingerprint(&self) -> String {
        let all: Vec<_> = self
            .known
            .iter()
            .map(|((item, of), own)| (item, of, &own.steps))
            .collect();
        let json = serde_json::to_string(&all);
        json.map_or_else(|_| String::new(), |json| step_id(&json))
    }
}

/// Where further steps of a subtype are written.
pub(crate) struct StepFile {
    pub(crate) path: PathBuf,
    pub(crate) subtype: String,
}

impl StepFile {
    /// Opens the file for this process alone. What a process that was killed wrote half is taken away.
    pub(crate) fn open(&self) -> Result<OpenStepFile<'_>, String> {
        let wrong = |error: io::Error| format!("{}: {error}", self.path.display());
        let options = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .to_owned();
        let mut file = options.open(&self.path).map_err(wrong)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                format!("{}: another process is writing to it", self.path.display())
            }
            TryLockError::Error(error) => wrong(error),
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(wrong)?;
        let whole = text
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        file.set_len(whole as u64).map_err(wrong)?;
        text.truncate(whole);
        let text =
            String::from_utf8(text).map_err(|error| format!("{}: {error}", self.path.display()))?;
        let kept = KeptSteps::of_text(&text, &self.subtype, &self.path)
            .map_err(|problem| problem.to_string())?;
        let of = self;
        Ok(OpenStepFile { of, file, kept })
    }
}

/// A file that steps are being written to.
pub(crate) struct OpenStepFile<'a> {
    of: &'a StepFile,
    file: File,
    /// What it keeps, read since nobody else can write to it: another process may have been here
    /// after this one read the study.
    pub(crate) kept: KeptSteps,
}

impl OpenStepFile<'_> {
    /// Writes what came last of an item: why there is no further step, or its last one.
    pub(crate) fn append_last(
        &mut self,
        item: &str,
        text: &str,
        own: &ItemSteps,
    ) -> Result<(), String> {
        let made = own.steps.len();
        let (k, what) = match (&own.refused, own.steps.last()) {
            (Some(why), _) => {
                let refused = why.clone();
                (made + 1, KeptOutcome::Refused { refused })
            }
            (None, Some(step)) => (made, KeptOutcome::Done(step.clone())),
            (None, None) => return Ok(()),
        };
        let line = KeptLine {
            item: item.into(),
            of: step_id(text),
            subtype: self.of.subtype.clone(),
            k,
            what,
        };
        let written = serde_json::to_string(&line)
            .map_err(io::Error::other)
            .and_then(|line| self.file.write_all(format!("{line}\n").as_bytes()));
        written.map_err(|error| format!("{}: {error}", self.of.path.display()))
    }
}
