//! Tables as one workbook, a sheet each; numbers stay numbers.

use std::io;
use std::path::Path;

use rust_xlsxwriter::{Format, FormatAlign, Workbook, Worksheet, XlsxError};

use super::{Number, Spread, Table, TableCell};

/// Excel's limits, which LibreOffice shares.
const SHEETS: usize = 250;
const SHEET_NAME: usize = 31;
const CELL: usize = 32_000;

/// Writes the workbook. Every estimate takes three columns: value, low, high.
pub(crate) fn write(tables: &[Table], path: &Path) -> io::Result<()> {
    let mut book = Workbook::new();
    let fill = |book: &mut Workbook| -> Result<(), XlsxError> {
        for (i, table) in tables.iter().take(SHEETS).enumerate() {
            let sheet = book.add_worksheet();
            sheet.set_name(sheet_name(i, &table.file))?;
            fill_sheet(sheet, table)?;
        }
        if tables.is_empty() {
            book.add_worksheet().set_name("empty")?;
        }
        Ok(())
    };
    fill(&mut book).map_err(io::Error::other)?;
    let bytes = book.save_to_buffer().map_err(io::Error::other)?;
    std::fs::write(path, bytes)
}

fn sheet_name(i: usize, file: &str) -> String {
    let safe: String = file
        .chars()
        .map(|c| if "[]:*?/\\'".contains(c) { '-' } else { c })
        .collect();
    format!("{} {safe}", i + 1)
        .chars()
        .take(SHEET_NAME)
        .collect()
}

fn fill_sheet(sheet: &mut Worksheet, table: &Table) -> Result<(), XlsxError> {
    let bold = Format::new().set_bold();
    let head = Format::new().set_bold().set_align(FormatAlign::Center);
    sheet.write_string_with_format(0, 0, short(&table.title), &bold)?;
    let mut column = 0_u16;
    for spec in &table.columns {
        sheet.write_string_with_format(
            2,
            column,
            short(&spec.head),
            if spec.numeric { &head } else { &bold },
        )?;
        if spec.numeric && table.deviates() {
            sheet.write_string(2, column + 1, "sd")?;
        } else if spec.numeric {
            sheet
                .write_string(2, column + 1, "low")?
                .write_string(2, column + 2, "high")?;
        }
        column += if spec.numeric { 3 } else { 1 };
    }
    for (i, cells) in table.rows.iter().enumerate() {
        fill_row(sheet, 3 + i as u32, table, cells)?;
    }
    for (row, note) in (4 + table.rows.len() as u32..).zip(table.spoken_notes()) {
        sheet.write_string(row, 0, short(&note))?;
    }
    sheet.set_column_width(0, 24)?.set_freeze_panes(3, 1)?;
    Ok(())
}

fn fill_row(
    sheet: &mut Worksheet,
    row: u32,
    table: &Table,
    cells: &[TableCell],
) -> Result<(), XlsxError> {
    let bold = Format::new().set_bold();
    let mut column = 0_u16;
    for (cell, spec) in cells.iter().zip(&table.columns) {
        match cell {
            TableCell::Estimate(Number {
                value,
                spread,
                bold: stands,
                ..
            }) => {
                if *stands {
                    sheet.write_number_with_format(row, column, *value, &bold)?;
                } else {
                    sheet.write_number(row, column, *value)?;
                }
                match spread {
                    Spread::Unsaid => {}
                    Spread::Interval(low, high) => {
                        sheet.write_number(row, column + 1, *low)?.write_number(
                            row,
                            column + 2,
                            *high,
                        )?;
                    }
                    Spread::Deviation(sd) => {
                        sheet.write_number(row, column + 1, *sd)?;
                    }
                }
            }
            TableCell::Nothing => {}
            other => {
                sheet.write_string(row, column, short(&other.plain()))?;
            }
        }
        column += if spec.numeric { 3 } else { 1 };
    }
    Ok(())
}

fn short(text: &str) -> String {
    duress_figure::label::tame(text)
        .chars()
        .take(CELL)
        .collect()
}
