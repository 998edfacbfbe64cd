//! Maps that were made elsewhere, beside the recorded answers that they are about.

use std::path::PathBuf;

use duress_core::answer::MapAnswers;
use duress_core::data::{Items, TableUse};
use duress_core::explanation::{AskedExplanation, Attribution, AttributionMethod, Explanation};
use duress_core::part::{Field, Params, Takes};
use duress_core::problem::Problem;
use duress_core::subject::Circumstances;
use duress_core::word::Word;
use duress_tables::maps::MapsFile;

use super::recorded_files::{FileKeys, RecordedFiles};

/// The key for the files.
pub(crate) const MAPS: Field = Field {
    name: "maps",
    takes: Takes::Text,
    doc: "where maps made elsewhere are (npz or npy, [items, height, width]), with places as in `files`, and {method} where `maps-by` names several",
    default: Some(""),
};

/// The key for the files without stress.
pub(crate) const CLEAN_MAPS: Field = Field {
    name: "clean-maps",
    takes: Takes::Text,
    doc: "where the maps without stress are; when left out, `maps` with ladder clean and severity 0",
    default: Some(""),
};

/// The key for how they were made. What is left out stays out of a subject's identity, so its
/// default is said and not set.
pub(crate) const MAPS_BY: Field = Field {
    name: "maps-by",
    takes: Takes::Texts,
    doc: "the methods that made the maps, as gauges name them (`attribution`); when left out, `grad-cam`",
    default: Some(""),
};

/// The method in a path. It is written there when the keys are read, since maps by two methods are
/// two sets of files.
const METHOD: &str = "{method}";

const KEYS: FileKeys = FileKeys {
    files: MAPS.name,
    clean: CLEAN_MAPS.name,
};

/// Where the maps by each method are.
pub(crate) struct RecordedMaps {
    by_method: Vec<(AttributionMethod, RecordedFiles)>,
}

impl RecordedMaps {
    /// As the keys say; `None` where they name no maps.
    pub(crate) fn new(params: &Params) -> Result<Option<RecordedMaps>, Problem> {
        let named = params.texts(MAPS_BY.name);
        let Some(maps) = params.text_if(MAPS.name) else {
            let needless = params.text_if(CLEAN_MAPS.name).is_some() || !named.is_empty();
            return match needless {
                true => Err(Problem::new(
                    "`clean-maps` and `maps-by` are about maps, and there are none",
                )
                .expected("`maps`, which says where they are")),
                false => Ok(None),
            };
        };
        let clean = params.text_if(CLEAN_MAPS.name);
        let methods = methods(named)?;
        let same = |text: &str| !text.contains(METHOD);
        if methods.len() > 1 && (same(maps) || clean.is_some_and(same)) {
            let wrong = "`maps` or `clean-maps` leads to the same file for several methods";
            return Err(Problem::new(wrong).expected("{method} in it"));
        }
        let files = |method: AttributionMethod| {
            let named = |text: &str| text.replace(METHOD, method.word());
            let clean = clean.map(named);
            let files = RecordedFiles::under(KEYS, params.folder(), &named(maps), clean.as_deref());
            files.map(|files| (method, files))
        };
        let by_method = methods.into_iter().map(files).collect::<Result<_, _>>()?;
        Ok(Some(RecordedMaps { by_method }))
    }

    /// Whether a file holds what is asked. Of its keys only the method is compared: class, layer
    /// and draws are those that whoever made the maps chose. Other draws of the same noise would be
    /// the same file, and no noise at all.
    pub(crate) fn explains(&self, asked: &Explanation) -> bool {
        matches!(asked, Explanation::Map(of) if of.draw == 0 && self.files_by(of.method).is_some())
    }

    fn files_by(&self, method: AttributionMethod) -> Option<&RecordedFiles> {
        let mut all = self.by_method.iter();
        all.find_map(|(by, files)| (*by == method).then_some(files))
    }

    /// All files for these circumstances.
    pub(crate) fn paths(&self, at: &Circumstances) -> Result<Vec<PathBuf>, Problem> {
        let files = self.by_method.iter();
        files.map(|(_, files)| files.own_path(at)).collect()
    }

    /// The file with maps by a method.
    pub(crate) fn path(
        &self,
        at: &Circumstances,
        method: AttributionMethod,
    ) -> Result<PathBuf, Problem> {
        let files = self.files_by(method);
        let files = files.ok_or_else(|| Problem::new(format!("there are no maps by {method}")))?;
        files.own_path(at)
    }

    /// Which arrays of the files are read.
    pub(crate) fn tables(&self, at: &Circumstances) -> Result<Vec<TableUse>, Problem> {
        let files = self.paths(at)?;
        let table_use = |file: &PathBuf| MapsFile::open(file).map(|file| file.table_use());
        files.iter().map(table_use).collect()
    }

    /// The maps of some items.
    pub(crate) fn look_up(
        &self,
        at: &Circumstances,
        (asked, of): (AskedExplanation, &Attribution),
        items: &Items,
    ) -> Result<MapAnswers, Problem> {
        let file = MapsFile::open(&self.path(at, of.method)?)?;
        let found = file.read(items)?;
        Ok(MapAnswers::new(asked, found.size, found.maps))
    }

    /// What a reader should know of them.
    pub(crate) fn remarks(&self, at: &Circumstances, of: &Attribution) -> Vec<String> {
        let Ok(file) = self
            .path(at, of.method)
            .and_then(|path| MapsFile::open(&path))
        else {
            return Vec::new();
        };
        let about = file.about();
        let says = match about.is_empty() {
            false => format!(", which says of them: {}", about.join("; ")),
            true => String::new(),
        };
        let mut remarks = vec![format!(
            "Its maps by {} were made elsewhere: of which class, at which layer and with how many draws is as their file has it{says}.",
            of.method
        )];
        if !file.has_ids() {
            remarks.push(
                "Its maps are taken to be in the order of the items: there are no ids.".into(),
            );
        }
        remarks
    }
}

fn methods(named: &[String]) -> Result<Vec<AttributionMethod>, Problem> {
    if named.is_empty() {
        return Ok(vec![AttributionMethod::GradCam]);
    }
    let mut methods = Vec::new();
    for word in named {
        let method = AttributionMethod::from_word(word).ok_or_else(|| {
            let words = AttributionMethod::spellings();
            Problem::new(format!("`maps-by` names `{word}`"))
                .expected(format!("one of {}", words.join(", ")))
                .nearest(word, words.iter().copied())
        })?;
        if methods.contains(&method) {
            let wrong = format!("`maps-by` names `{word}` twice");
            return Err(Problem::new(wrong).expected("each method once"));
        }
        methods.push(method);
    }
    Ok(methods)
}
