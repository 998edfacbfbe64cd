//! Maps over the pixels of items, in an npz or npy file: which array they are, and which map is
//! about which item.

use std::path::{Path, PathBuf};

use duress_core::answer::{Absence, AbsenceKind, AttributionMap};
use duress_core::data::{Items, TableUse};
use duress_core::problem::Problem;

use crate::formats::{self, npz};
use crate::layout::answers::no_row_in;
use crate::layout::words::{ID_COLUMNS, MAP_ARRAYS};
use crate::rows::rows_of;
use crate::table::{Head, Table, by_name, find_column};

/// The array that says of each row whether it holds a map at all; without it all do.
pub const EXPLAINED: &str = "explained";

/// The array of one text that says how the maps were made.
pub const QUESTION: &str = "question";

/// The array of one text that says how exactly they were kept.
pub const PRECISION: &str = "precision";

/// Arrays of one text about the maps.
const NOTES: [&str; 2] = [QUESTION, PRECISION];

/// A file with maps in it.
pub struct MapsFile {
    file: PathBuf,
    maps: String,
    id: Option<String>,
    explained: bool,
    heads: Vec<Head>,
}

/// Maps of one size, one per item, or why there is none.
#[derive(Debug)]
pub struct ItemMaps {
    /// Height and width.
    pub size: (usize, usize),
    /// One per item.
    pub maps: Vec<Result<AttributionMap, Absence>>,
}

impl MapsFile {
    /// Looks for the arrays of a file, and reads none.
    pub fn open(file: &Path) -> Result<MapsFile, Problem> {
        let is_numpy = file.extension().is_some_and(|ending| {
            ending.eq_ignore_ascii_case("npz") || ending.eq_ignore_ascii_case("npy")
        });
        if !is_numpy {
            let wrong = Problem::new("the ending of the name is not that of arrays");
            return Err(wrong.expected("maps in an .npz or .npy file").in_file(file));
        }
        let heads = formats::heads(file)?;
        let has = |name: &str| heads.iter().any(|head| head.name == name);
        let maps = find_column(&heads, None, MAP_ARRAYS.plain())?;
        let maps = maps.ok_or_else(|| no_maps(&heads).in_file(file))?;
        Ok(MapsFile {
            file: file.into(),
            maps,
            id: find_column(&heads, None, ID_COLUMNS.plain())?,
            explained: has(EXPLAINED),
            heads,
        })
    }

    /// Whether maps belong to items by their ids, not by their order.
    pub fn has_ids(&self) -> bool {
        self.id.is_some()
    }

    /// Which of its arrays are read.
    pub fn table_use(&self) -> TableUse {
        let flags = self.explained.then_some(EXPLAINED);
        let arrays = [Some(self.maps.as_str()), self.id.as_deref(), flags];
        let mut read: Vec<String> = arrays.into_iter().flatten().map(Into::into).collect();
        read.extend(self.notes().map(Into::into));
        TableUse {
            file: self.file.clone(),
            there: self.heads.iter().map(|head| head.name.clone()).collect(),
            read,
        }
    }

    fn notes(&self) -> impl Iterator<Item = &'static str> {
        let has = |name: &&str| self.heads.iter().any(|head| head.name == *name);
        NOTES.into_iter().filter(has)
    }

    /// What it says itself about how its maps were made and kept.
    pub fn about(&self) -> Vec<String> {
        let text = |name: &str| {
            let table = self.texts(name).ok()?;
            table.texts(name).first().map(Into::into)
        };
        self.notes().filter_map(text).collect()
    }

    /// The map of each item. Those of images have the size of these.
    pub fn read(&self, items: &Items) -> Result<ItemMaps, Problem> {
        let read = || {
            let explained = self.explained()?;
            let ids = self.ids()?;
            let (size, maps) = npz::rows(&self.file, &self.maps, |rows| {
                let [count, height, width] = axes(rows.shape())?;
                self.as_many(count, ids.as_ref(), explained.as_deref(), items)?;
                same_size([height, width], items)?;
                let maps = finite_maps(rows, explained.as_deref())?;
                Ok(((height, width), maps))
            })?;
            let rows = match (&ids, &self.id) {
                (Some(table), id) => rows_of(table, id.as_deref(), items)?,
                (None, _) => (0..maps.len()).map(Some).collect(),
            };
            let map = |row: Option<usize>| match row.map(|row| &maps[row]) {
                None => Err(no_row_in(&self.file)),
                Some(None) => Err(not_explained(&self.file)),
                Some(Some(map)) => Ok(map.clone()),
            };
            let maps = rows.into_iter().map(map).collect();
            Ok(ItemMaps { size, maps })
        };
        read().map_err(|problem: Problem| problem.in_file(&self.file))
    }

    /// A table with the ids alone, where there are some.
    fn ids(&self) -> Result<Option<Table>, Problem> {
        let read = |id: &String| self.texts(id);
        self.id.as_ref().map(read).transpose()
    }

    /// Which rows hold a map, where the file says so.
    fn explained(&self) -> Result<Option<Vec<bool>>, Problem> {
        if !self.explained {
            return Ok(None);
        }
        let table = self.texts(EXPLAINED)?;
        let flags = table.texts(EXPLAINED).iter();
        Ok(Some(
            flags.map(|flag| flag == "True" || flag == "1").collect(),
        ))
    }

    fn texts(&self, name: &str) -> Result<Table, Problem> {
        formats::read(&self.file, &mut |heads| Ok(by_name(heads, &[], &[name])))
    }

    /// As many maps as there is said to be in the same file; without ids as many as items.
    fn as_many(
        &self,
        maps: usize,
        ids: Option<&Table>,
        explained: Option<&[bool]>,
        items: &Items,
    ) -> Result<(), Problem> {
        let other = |of: &str, count: usize| {
            let wrong = Problem::new(format!("there are {maps} maps and {count} {of}"));
            Err(wrong.expected("as many of one as of the other"))
        };
        match (ids.map(Table::rows), explained.map(<[bool]>::len)) {
            (_, Some(flags)) if flags != maps => other("flags in `explained`", flags),
            (Some(ids), _) if ids != maps => other("ids", ids),
            (None, _) if maps != items.len() => {
                let wrong = format!("there are {maps} maps for {} items", items.len());
                let wanted = "as many maps as items, in their order, or an array `ids` beside them";
                Err(Problem::new(wrong).expected(wanted))
            }
            _ => Ok(()),
        }
    }
}

fn no_maps(heads: &[Head]) -> Problem {
    let names: Vec<&str> = heads.iter().map(|head| head.name.as_str()).collect();
    Problem::new(format!(
        "there is no array of maps, but {}",
        names.join(", ")
    ))
    .expected(format!("one called {}", MAP_ARRAYS.plain().join(" or ")))
}

/// How many maps, how high and how wide; an axis of one channel may stand between.
fn axes(shape: &[usize]) -> Result<[usize; 3], Problem> {
    match *shape {
        [count, height, width] | [count, 1, height, width] if height * width > 0 => {
            Ok([count, height, width])
        }
        _ => Err(Problem::new(format!("its shape is {shape:?}"))
            .expected("[items, height, width]: one number for each place of an image")),
    }
}

/// Maps of images have a number for each pixel; of items that nobody sees they may have any size.
fn same_size([height, width]: [usize; 2], items: &Items) -> Result<(), Problem> {
    let Ok(images) = items.images() else {
        return Ok(());
    };
    let [_, high, wide] = images.shape();
    match [height, width] == [high, wide] {
        true => Ok(()),
        false => Err(
            Problem::new(format!("its maps are {height} × {width} places"))
                .expected(format!("{high} × {wide}, as the images are"))
                .hint("bring them to the size of the images where they are made: how is a choice of the method"),
        ),
    }
}

/// Each row as a map; `None` where it is said to hold none.
fn finite_maps(
    mut rows: npz::Array<'_>,
    explained: Option<&[bool]>,
) -> Result<Vec<Option<AttributionMap>>, Problem> {
    let mut maps = Vec::new();
    while let Some(row) = rows.next_row() {
        let (at, values) = (maps.len(), row?);
        if explained.is_some_and(|flags| !flags[at]) {
            maps.push(None);
            continue;
        }
        if let Some(place) = values.iter().position(|value| !value.is_finite()) {
            let wrong = format!(
                "map {at} (counted from 0) has {} at place {place}",
                values[place]
            );
            let wanted = format!(
                "finite numbers, or an array `{EXPLAINED}` that says which rows hold no map"
            );
            return Err(Problem::new(wrong).expected(wanted));
        }
        maps.push(Some(AttributionMap::new(&values)));
    }
    Ok(maps)
}

fn not_explained(file: &Path) -> Absence {
    let file = file.file_name().unwrap_or_default().to_string_lossy();
    let why = format!("{file} says that it is not explained");
    Absence::new(AbsenceKind::Unrecorded, why)
}
