//! Maps as files that other software opens: an archive of arrays for each cell that was asked for
//! maps. What is written can be read again as recorded maps.

use std::fs;
use std::io;
use std::path::Path;

use duress_core::answer::{Absence, Answers, AttributionMap, MapAnswers};
use duress_tables::formats::numpy::{npy, npy_of_texts, npz};
use duress_tables::maps::{EXPLAINED, PRECISION, QUESTION};

use super::export_images::file_stem;
use super::{Ledger, LedgerEntry, write_whole};
use crate::plan::Plan;

/// How exactly maps are kept, as the files say it.
const HALF: &str = "from half precision: eleven bits of the largest value of each map";

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExportedMaps {
    /// Archives, one for each cell with maps.
    pub archives: usize,
    /// Maps in them.
    pub maps: usize,
    /// Items in them that have none.
    pub unexplained: usize,
}

/// Writes the maps of every cell that has some into a folder.
pub fn maps_into(plan: &Plan, ledger: &Ledger, folder: &Path) -> io::Result<ExportedMaps> {
    fs::create_dir_all(folder)?;
    let mut exported = ExportedMaps::default();
    for cell in plan.cells() {
        let entry = ledger.entry(plan.id(cell)).map_err(io::Error::other)?;
        let Some(LedgerEntry::Answered(kept)) = entry else {
            continue;
        };
        let Answers::Maps(said) = &kept.answers else {
            continue;
        };
        let name = file_stem(plan, cell, Some(said.asked()));
        let file = folder.join(name).with_added_extension("npz");
        write_whole(&file, &archive(&kept.ids, said))?;
        let explained = said.maps().iter().filter(|map| map.is_ok()).count();
        exported.archives += 1;
        exported.maps += explained;
        exported.unexplained += said.maps().len() - explained;
    }
    Ok(exported)
}

/// Rows without a map hold zeros, and their flag says so.
fn archive(ids: &[String], said: &MapAnswers) -> Vec<u8> {
    let (height, width) = (said.height(), said.width());
    let nothing = || vec![0.0; height * width];
    let values = |map: &Result<AttributionMap, Absence>| {
        map.as_ref()
            .map_or_else(|_| nothing(), AttributionMap::values)
    };
    let maps = said.maps();
    let bytes: Vec<u8> = maps
        .iter()
        .flat_map(values)
        .flat_map(f32::to_le_bytes)
        .collect();
    let flags: Vec<u8> = maps.iter().map(|map| u8::from(map.is_ok())).collect();
    let question = said.asked().to_string();
    npz(&[
        ("ids", npy_of_texts(ids)),
        ("maps", npy("<f4", &[maps.len(), height, width], &bytes)),
        (EXPLAINED, npy("|b1", &[maps.len()], &flags)),
        (QUESTION, npy_of_texts(&[question])),
        (PRECISION, npy_of_texts(&[HALF.into()])),
    ])
}
