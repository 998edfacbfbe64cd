//! Where recorded answers are: a path with places to be filled in by the circumstances.

use std::path::{Path, PathBuf};

use duress_core::part::{Field, Params, Takes};
use duress_core::problem::Problem;
use duress_core::subject::Circumstances;
use duress_tables::template::Template;

/// What a path may have filled in.
const PLACES: [&str; 5] = ["subject", "seed", "ladder", "severity", "variant"];

/// The key for the file without stress.
pub(crate) const CLEAN: Field = Field {
    name: "clean",
    takes: Takes::Text,
    doc: "where the answers without stress are; when left out, `files` with ladder clean and severity 0",
    default: Some(""),
};

/// A key that is a path with places, and the key for the same without stress.
#[derive(Clone, Copy)]
pub(crate) struct FileKeys {
    /// The one.
    pub files: &'static str,
    /// The other.
    pub clean: &'static str,
}

/// Where answers are.
const ANSWERS: FileKeys = FileKeys {
    files: "files",
    clean: CLEAN.name,
};

/// What such a pair of keys of a recording says.
pub(crate) struct RecordedFiles {
    folder: PathBuf,
    keys: FileKeys,
    files: Template,
    clean: Option<Template>,
}

impl RecordedFiles {
    /// The files of answers.
    pub(crate) fn new(params: &Params) -> Result<RecordedFiles, Problem> {
        let clean = params.text_if(ANSWERS.clean);
        RecordedFiles::under(ANSWERS, params.folder(), params.text(ANSWERS.files), clean)
    }

    /// The files that these texts under these keys lead to, from a folder.
    pub(crate) fn under(
        keys: FileKeys,
        folder: &Path,
        files: &str,
        clean: Option<&str>,
    ) -> Result<RecordedFiles, Problem> {
        Ok(RecordedFiles {
            folder: folder.into(),
            keys,
            files: template(files)?,
            clean: clean.map(template).transpose()?,
        })
    }

    /// The file for these circumstances, where a file may hold those of several.
    pub(crate) fn path(&self, at: &Circumstances) -> Result<PathBuf, Problem> {
        match (at.under.stress(), &self.clean) {
            (None, Some(clean)) => self.find(clean, self.keys.clean, at),
            _ => {
                let ladder = at.under.stress().map_or("clean", |name| name.as_str());
                let values = filled_in(at, ladder);
                self.files.find(&self.folder, self.keys.files, &values)
            }
        }
    }

    /// The file for these circumstances alone; refused where another stress would lead to the same.
    pub(crate) fn own_path(&self, at: &Circumstances) -> Result<PathBuf, Problem> {
        let told = |place: &&str| self.files.has(place);
        let key = self.keys.files;
        if let Some(ladder) = at.under.stress() {
            if at.variant.is_some() && !told(&"variant") {
                return Err(Problem::new(format!(
                    "`{key}` leads to the same file for different ways to press equally hard"
                ))
                .expected(format!(
                    "{{variant}} in it, since `{ladder}` has several at severity {}",
                    severity(at)
                )));
            }
            if !["ladder", "severity", "variant"].iter().any(told) {
                return Err(Problem::new(format!(
                    "`{key}` leads to the same file with and without stress"
                ))
                .expected(format!(
                    "{{ladder}} and {{severity}} in it, since there is a ladder `{ladder}`"
                )));
            }
        }
        self.path(at)
    }

    /// The file without stress that another key leads to.
    pub(crate) fn find(
        &self,
        template: &Template,
        key: &str,
        at: &Circumstances,
    ) -> Result<PathBuf, Problem> {
        template.find(&self.folder, key, &filled_in(at, "clean"))
    }
}

/// A path in which places may be filled in.
pub(crate) fn template(text: &str) -> Result<Template, Problem> {
    Template::parse(text, &PLACES)
}

/// How hard it pressed.
fn severity(at: &Circumstances) -> String {
    at.under
        .severity()
        .map_or(String::new(), |severity| severity.to_string())
}

fn filled_in(at: &Circumstances, ladder: &str) -> Vec<(&'static str, String)> {
    let values = [
        at.subject.to_string(),
        at.seed.to_string(),
        ladder.into(),
        severity(at),
        at.variant.clone().unwrap_or_else(|| "0".into()),
    ];
    PLACES.into_iter().zip(values).collect()
}
