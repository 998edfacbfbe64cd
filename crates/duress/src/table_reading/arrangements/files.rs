//! The files scores of arrangements come in: a table, a workbook of sheets, a folder of tables.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use duress_core::problem::Problem;
use duress_tables::formats;
use duress_tables::formats::xlsx::{Book, Sheet};
use duress_tables::table::Head;
use duress_tables::two_columns::two_columns;

use super::super::TableHints;
use super::ArrangementScores;
use super::gathered::GatheredModels;
use super::score_table::{ScoreColumns, ScoreTable, has_results, is_summary};
use super::unit_order::UnitOrder;

/// The scores of each model.
pub(in super::super) type ModelScores = Vec<(Option<String>, ArrangementScores)>;

/// Scores of arrangements, if that is what the file holds.
pub(in super::super) fn read(
    file: &Path,
    hints: &TableHints,
) -> Result<Option<ModelScores>, Problem> {
    let mut remarks = Vec::new();
    let mut gathered = GatheredModels::default();
    let found = match file.is_dir() {
        true => folder(file, hints, &mut gathered, &mut remarks).map(|()| true),
        false => table_or_book(file, hints, &mut gathered, &mut remarks),
    };
    if !found? {
        return Ok(None);
    }
    let known = match &hints.structures {
        Some(structures) => two_columns(structures, &["idiom", "text", "item"])?,
        None => Vec::new(),
    };
    let here = |problem: Problem| problem.in_file(file);
    let mut models = gathered.finish(&known).map_err(here)?;
    for (_, scores) in &mut models {
        scores.found.extend(remarks.iter().cloned());
    }
    let clustered = models.into_iter().map(|(model, scores)| {
        let scores = scores
            .clustered_by(hints.cluster.as_deref())
            .map_err(here)?;
        Ok((model, scores))
    });
    clustered.collect::<Result<_, _>>().map(Some)
}

/// One file; whether it has scores of arrangements.
fn table_or_book(
    file: &Path,
    hints: &TableHints,
    gathered: &mut GatheredModels,
    remarks: &mut Vec<String>,
) -> Result<bool, Problem> {
    let is_book = formats::is_workbook(file);
    let called_otherwise = !file
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("xlsx"));
    if is_book && called_otherwise {
        remarks.push("a workbook, whatever its name says".into());
    }
    let sheets = if is_book { sheets(file)? } else { Vec::new() };
    if sheets.len() > 1 {
        for sheet in &sheets {
            let heads = sheet_heads(sheet, file)?;
            if is_summary(sheet.name(), &heads) {
                remarks.push(format!("sheet `{}` is not read: it sums up", sheet.name()));
                continue;
            }
            let read = ScoreTable::read(hints, file, &mut |choose| sheet.table(file, choose))?;
            gathered.take(&read, Some(sheet.name()), None)?;
        }
        return Ok(true);
    }
    let heads = formats::heads(file)?;
    if has_results(&heads) {
        return Err(Problem::new("these are results (MDR, MDA …), no scores")
            .expected("scores per item and arrangement, which results are made of")
            .in_file(file));
    }
    match ScoreColumns::find(&heads, hints) {
        None | Some(ScoreColumns::Named(_)) => Ok(false),
        Some(_) => {
            let read = ScoreTable::read(hints, file, &mut |choose| formats::read(file, choose))?;
            gathered.take(&read, None, None)?;
            Ok(true)
        }
    }
}

/// A folder with one table per arrangement, which its name says.
fn folder(
    folder: &Path,
    hints: &TableHints,
    gathered: &mut GatheredModels,
    remarks: &mut Vec<String>,
) -> Result<(), Problem> {
    let here = |problem: Problem| problem.in_file(folder);
    let entries = std::fs::read_dir(folder)
        .map_err(|why| here(Problem::new(format!("cannot be read: {why}"))))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let (arranged, others): (Vec<PathBuf>, Vec<PathBuf>) = paths
        .into_iter()
        .filter(|path| is_table(path))
        .partition(|path| UnitOrder::parse(&stem(path)).is_some());
    if arranged.is_empty() {
        let none = Problem::new("no file in this folder is called after an arrangement")
            .expected("one table per arrangement, such as ABCD.csv, scores_ABDC.csv or 1243.xlsx")
            .hint(of_answers(folder));
        return Err(here(none));
    }
    let models: BTreeSet<String> = arranged
        .iter()
        .map(|path| UnitOrder::words_before(&stem(path)).to_owned())
        .collect();
    for path in arranged {
        let read = ScoreTable::read(hints, &path, &mut |choose| formats::read(&path, choose))
            .map_err(|problem| problem.hint(of_answers(folder)))?;
        let name = stem(&path);
        // Files whose names begin alike are one model's.
        let model = (models.len() > 1).then(|| UnitOrder::words_before(&name));
        gathered
            .take(&read, Some(&name), model)
            .map_err(|problem| problem.in_file(&path))?;
    }
    if !others.is_empty() {
        let names: Vec<String> = others.iter().map(|path| stem(path)).collect();
        remarks.push(format!(
            "not read, no arrangement in the name: {}",
            names.join(", ")
        ));
    }
    Ok(())
}

fn is_table(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default();
    let ending = ending.to_string_lossy().to_lowercase();
    formats::ENDINGS.contains(&&*ending)
}

fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// The columns of a sheet.
fn sheet_heads(sheet: &Sheet, file: &Path) -> Result<Vec<Head>, Problem> {
    let mut heads = Vec::new();
    let nothing = sheet.table(file, &mut |found| {
        heads = found.to_vec();
        Ok(vec![duress_tables::table::Want::Nothing; found.len()])
    });
    nothing.map(|_| heads)
}

/// The way out for whoever meant tables of a classifier's answers.
fn of_answers(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "if these are a classifier's answers: `duress init {folder}` writes a study for all of them, `duress gauge FILE` reads one"
    )
}

/// The sheets of a workbook in which anything stands.
fn sheets(file: &Path) -> Result<Vec<Sheet>, Problem> {
    let mut book = Book::open(file)?;
    let sheets = book
        .sheets()
        .iter()
        .map(|name| book.sheet(name))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(sheets
        .into_iter()
        .filter(|sheet| !sheet.is_empty())
        .collect())
}
