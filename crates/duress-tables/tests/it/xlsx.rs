//! Workbooks: cells are what they show, and what a table cannot hold is said with its sheet and
//! cell.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use duress_core::problem::Problem;
use duress_tables::formats::read;
use duress_tables::table::{Head, Table, Want};
use rust_xlsxwriter::{ExcelDateTime, Format, Formula, Workbook, Worksheet};

fn wanted(head: &Head) -> Want {
    match head.name.as_str() {
        "id" => Want::Texts,
        name if name.starts_with("note") => Want::Nothing,
        _ => Want::Numbers,
    }
}

fn table(file: &Path) -> Result<Table, Problem> {
    read(file, &mut |heads| Ok(heads.iter().map(wanted).collect()))
}

/// A workbook with a sheet `data` of ids and numbers, changed by `change`.
fn book(folder: &Path, change: impl FnOnce(&mut Worksheet)) -> PathBuf {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("data").unwrap();
    for (at, name) in ["id", "x", "note"].into_iter().enumerate() {
        sheet.write(0, at as u16, name).unwrap();
    }
    for row in 1..=4 {
        sheet.write(row, 0, format!("i{row}")).unwrap();
        sheet.write(row, 1, f64::from(row) / 4.0).unwrap();
    }
    change(sheet);
    let file = folder.join("t.xlsx");
    book.save(&file).unwrap();
    file
}

#[test]
fn cells_are_what_they_show_and_formulas_are_their_stored_values() {
    let folder = tempfile::tempdir().unwrap();
    let file = book(folder.path(), |sheet| {
        sheet.write(1, 0, 7).unwrap();
        sheet.write(2, 0, true).unwrap();
        sheet.write(2, 1, " 0.125 ").unwrap();
        sheet
            .write(3, 1, Formula::new("=1/8").set_result("0.375"))
            .unwrap();
        sheet.write(8, 0, "after a gap").unwrap();
        sheet.write(8, 1, -1).unwrap();
    });
    let read = table(&file).unwrap();
    assert_eq!(
        read.texts("id").iter().collect::<Vec<_>>(),
        ["7", "True", "i3", "i4", "after a gap"]
    );
    assert_eq!(read.numbers("x").1, [0.25, 0.125, 0.375, 1.0, -1.0]);
    assert_eq!(
        read.at(4, Problem::new("here")).message,
        "sheet `data`, row 9: here"
    );
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

/// The first probability of item `i`, as `peers/files/run.py` computes it.
fn first(i: usize) -> f64 {
    let weights = [1 + (7 * i) % 11, 1 + (5 * i) % 13, 1 + (3 * i) % 7].map(|weight| weight as f64);
    weights[0] / weights.iter().sum::<f64>()
}

#[test]
fn workbooks_of_pandas_are_read_to_the_sixteen_digits_it_writes_also_with_its_index() {
    for name in ["pandas.xlsx", "pandas_index.xlsx"] {
        let want = |head: &Head| match head.name.as_str() {
            "id" | "label" => Want::Texts,
            _ => Want::Numbers,
        };
        let read = read(&fixture(name), &mut |heads| {
            Ok(heads.iter().map(want).collect())
        })
        .unwrap();
        assert_eq!(read.texts("id").get(39), "item-39", "{name}");
        let near = |(i, x): (usize, &f64)| (x - first(i)).abs() < 1e-15;
        assert!(read.numbers("cat").1.iter().enumerate().all(near), "{name}");
    }
}

#[test]
fn a_formula_that_nobody_has_computed_is_named_with_the_way_out() {
    let problem = table(&fixture("not_computed.xlsx"))
        .unwrap_err()
        .to_string();
    assert!(
        problem.contains("cell D2: it holds a formula whose value was never stored"),
        "{problem}"
    );
    assert!(
        problem.contains("open the workbook in a spreadsheet program and save it"),
        "{problem}"
    );
}

#[test]
fn a_table_may_begin_anywhere_and_empty_sheets_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut book = Workbook::new();
    book.add_worksheet();
    let sheet = book.add_worksheet();
    sheet.write(4, 3, "id").unwrap();
    sheet.write(4, 4, "x").unwrap();
    sheet.write(5, 3, "a").unwrap();
    sheet.write(5, 4, 2).unwrap();
    let file = folder.path().join("t.xlsx");
    book.save(&file).unwrap();
    assert_eq!(table(&file).unwrap().numbers("x").1, [2.0]);
}

#[test]
fn a_lone_cell_in_the_last_corner_takes_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let file = book(folder.path(), |sheet| {
        sheet.write(1_048_575, 0, "last").unwrap();
        sheet.write(1_048_575, 1, 1).unwrap();
    });
    let read = table(&file).unwrap();
    assert_eq!((read.rows(), read.texts("id").get(4)), (5, "last"));
    let file = book(folder.path(), |sheet| {
        sheet.write(1_048_575, 16_383, "stray").unwrap();
    });
    let problem = table(&file).unwrap_err().to_string();
    assert!(
        problem.contains("cell XFD1048576: it stands in a column without a name"),
        "{problem}"
    );
}

#[test]
fn what_a_table_cannot_hold_is_said_with_its_cell() {
    let folder = tempfile::tempdir().unwrap();
    let check = |change: fn(&mut Worksheet), expected: &[&str]| {
        let problem = table(&book(folder.path(), change)).unwrap_err().to_string();
        expected
            .iter()
            .for_each(|words| assert!(problem.contains(words), "{words} in {problem}"));
    };
    check(
        |sheet| {
            sheet
                .merge_range(1, 1, 2, 1, "0.5", &Format::new())
                .unwrap();
        },
        &["sheet `data`: B2:B3 are merged", "unmerge"],
    );
    check(
        |sheet| {
            sheet
                .merge_range(0, 0, 0, 2, "Results", &Format::new())
                .unwrap();
        },
        &["A1:C1 are merged, in the header"],
    );
    check(
        |sheet| {
            let date = ExcelDateTime::parse_from_str("2024-03-01").unwrap();
            sheet
                .write_with_format(2, 0, &date, &Format::new().set_num_format("yyyy-mm-dd"))
                .unwrap();
        },
        &[
            "sheet `data`, cell A3: it holds a date or a time",
            "format the column as text",
        ],
    );
    check(
        |sheet| {
            sheet
                .write(3, 1, Formula::new("=1/0").set_result("#DIV/0!"))
                .unwrap();
        },
        &["cell B4"],
    );
    check(
        |sheet| {
            sheet.write(3, 1, "n/a").unwrap();
        },
        &["sheet `data`, cell B4: `x` is \"n/a\"; expected a number"],
    );
    check(
        |sheet| {
            sheet.write(5, 0, "no number").unwrap();
        },
        &["sheet `data`, cell B6: the cell is empty; expected a number"],
    );
    check(
        |sheet| {
            sheet.write(0, 2, "x").unwrap();
        },
        &["cell C1: the column `x` is there twice"],
    );
    check(
        |sheet| {
            sheet.write(2, 5, "stray").unwrap();
        },
        &["cell F3: it stands in a column without a name", "row 1"],
    );
}

#[test]
fn merged_cells_and_dates_where_nobody_reads_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let file = book(folder.path(), |sheet| {
        sheet
            .merge_range(1, 2, 3, 2, "same for three", &Format::new())
            .unwrap();
        let date = ExcelDateTime::parse_from_str("2024-03-01").unwrap();
        sheet
            .write_with_format(4, 2, &date, &Format::new().set_num_format("yyyy-mm-dd"))
            .unwrap();
    });
    assert_eq!(table(&file).unwrap().rows(), 4);
}

#[test]
fn several_sheets_empty_ones_and_files_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.xlsx");
    let check = |expected: &str| {
        let problem = table(&file).unwrap_err().to_string();
        assert!(problem.contains(expected), "{expected} in {problem}");
    };
    let mut book = Workbook::new();
    for name in ["one", "two"] {
        book.add_worksheet()
            .set_name(name)
            .unwrap()
            .write(0, 0, "id")
            .unwrap();
    }
    book.save(&file).unwrap();
    check("there are 2 sheets: one, two; expected one sheet with a table");
    let mut book = Workbook::new();
    book.add_worksheet().set_name("nothing").unwrap();
    book.save(&file).unwrap();
    check("every sheet is empty: nothing");
    let mut book = Workbook::new();
    book.add_worksheet().write(0, 0, "id").unwrap();
    book.save(&file).unwrap();
    check("there is no row");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    check("this is not a whole workbook");
    fs::write(&file, "id,x\n1,2\n").unwrap();
    check("this is not a whole workbook");
    fs::write(&file, "").unwrap();
    check("this is not a whole workbook");
}

/// The same workbook with a text in one of its pieces replaced.
fn edited(book: &Path, piece: &str, from: &str, to: &str) -> PathBuf {
    let mut archive = zip::ZipArchive::new(File::open(book).unwrap()).unwrap();
    let file = book.with_file_name("edited.xlsx");
    let mut out = zip::ZipWriter::new(File::create(&file).unwrap());
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).unwrap();
        let (name, mut text) = (entry.name().unwrap().into_owned(), String::new());
        entry.read_to_string(&mut text).unwrap();
        if name == piece {
            assert!(text.contains(from), "{name}: {text}");
            text = text.replacen(from, to, 1);
        }
        let options = zip::write::SimpleFileOptions::default();
        out.start_file(name, options).unwrap();
        out.write_all(text.as_bytes()).unwrap();
    }
    out.finish().unwrap();
    file
}

#[test]
fn damage_beside_the_cells_is_refused_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let whole = book(folder.path(), |_| {});
    let check = |piece: &str, from: &str, to: &str, expected: &str| {
        let refused = table(&edited(&whole, piece, from, to)).unwrap_err();
        let said = refused.to_string();
        assert!(said.contains(piece) && said.contains(expected), "{said}");
    };
    let sheet = "xl/worksheets/sheet1.xml";
    assert!(table(&edited(&whole, sheet, "<row", "<row")).is_ok());
    check(sheet, "/2006/main", "/2007/main", "namespace");
    check(sheet, "</sheetData>", "</sheetdata>", "not open");
    check("xl/styles.xml", "<fonts", "<fonts <", "no name");
    check("xl/theme/theme1.xml", "</a:theme>", "", "without an end");
    check("docProps/core.xml", "?>", "?>x", "outside of the root");
    // What an archive says twice of an entry.
    let mut bytes = fs::read(&whole).unwrap();
    let name = sheet.as_bytes();
    let at = bytes.windows(name.len()).position(|piece| piece == name);
    bytes[at.unwrap()] = b'y';
    let file = folder.path().join("headers.xlsx");
    fs::write(&file, bytes).unwrap();
    let said = table(&file).unwrap_err().to_string();
    assert!(said.contains("two places differs"), "{said}");
}

#[test]
fn damage_anywhere_is_a_message_and_no_crash() {
    let folder = tempfile::tempdir().unwrap();
    let file = book(folder.path(), |_| {});
    let whole = fs::read(&file).unwrap();
    for at in (0..whole.len()).step_by(37) {
        let mut broken = whole.clone();
        broken[at] ^= 0x5a;
        fs::write(&file, &broken).unwrap();
        // Either the damage is found, or it hit a byte that says nothing.
        if let Ok(read) = table(&file) {
            assert_eq!(read.rows(), 4);
        }
    }
}
