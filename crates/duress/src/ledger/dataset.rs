//! What is kept of a dataset: ids, sealed truth and columns; not the inputs.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use duress_core::data::Split;
use duress_core::truth::{Labels, Sealed, Truth};

use super::columns::{self, LedgerColumn, LedgerTable, to_json};
use super::version::Unreadable;
use crate::plan::Id;

/// The metadata key that holds where the things are that labels are about.
const MASKS: &str = "duress.masks";

/// A dataset as the ledger has it.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptDataset {
    /// The ids of the items tested on.
    pub ids: Vec<String>,
    /// Their truth, sealed.
    pub truth: Sealed<Truth>,
    /// The columns they can be sliced by.
    pub columns: BTreeMap<String, Vec<String>>,
    /// Whether a checksum vouches for all that; version 1 had none.
    pub checked: bool,
}

impl KeptDataset {
    /// The true classes, as positions, to be exported beside what is kept.
    pub(super) fn labels(&self) -> Option<&[u32]> {
        match self.truth.for_the_ledger() {
            Truth::Labels(labels) => Some(labels.of()),
            _ => None,
        }
    }
}

pub(super) fn write(file: io::BufWriter<File>, owner: Id, split: &Split) -> io::Result<()> {
    let mut columns = vec![(
        "id".to_string(),
        LedgerColumn::Texts(split.items().ids().to_vec()),
    )];
    let named = split.columns().iter();
    columns.extend(named.map(|(name, values)| {
        (
            format!("column {name}"),
            LedgerColumn::Texts(values.clone()),
        )
    }));
    let rest: Vec<(&str, String)> = match split.truth().for_the_ledger() {
        Truth::Labels(labels) => {
            let of = labels.of().iter().map(|label| *label as i32).collect();
            columns.push(("truth".into(), LedgerColumn::Wholes(of)));
            let masks = labels.masks().map(|masks| (MASKS, to_json(masks)));
            let classes = ("duress.classes", to_json(&labels.classes()));
            std::iter::once(classes).chain(masks).collect()
        }
        other => vec![("duress.truth", to_json(other))],
    };
    columns::write(file, owner, &columns, &rest)
}

pub(super) fn read(path: &Path, owner: Id) -> Result<KeptDataset, Unreadable> {
    let mut table = columns::read(path, owner)?;
    from_table(&mut table).map_err(|why| Unreadable::damaged(path, why))
}

fn from_table(table: &mut LedgerTable) -> Result<KeptDataset, String> {
    let ids = table.texts("id")?;
    let truth = if table.metadata.contains_key("duress.classes") {
        let labels = Labels::new(table.json("duress.classes")?, table.counts("truth")?)?;
        Truth::Labels(match table.json_if_there(MASKS)? {
            Some(masks) => labels.with_masks(masks)?,
            None => labels,
        })
    } else {
        table.json("duress.truth")?
    };
    let names: Vec<String> = table.columns.keys().cloned().collect();
    let mut columns = BTreeMap::new();
    for name in names {
        if let Some(short) = name.strip_prefix("column ") {
            columns.insert(short.to_string(), table.texts(&name)?);
        }
    }
    Ok(KeptDataset {
        ids,
        truth: Sealed::new(truth),
        columns,
        checked: table.checked,
    })
}
