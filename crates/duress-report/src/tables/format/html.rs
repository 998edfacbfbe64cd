//! Tables as HTML: in the page, and in a file to copy from.

use super::{Table, TableCell, letter};
use crate::page::html::Html;

/// One table, with its caption and notes.
pub(crate) fn write(page: &mut Html, table: &Table) {
    page.raw("<p class=\"cap\" aria-hidden=\"true\">")
        .text(&table.title)
        .raw("</p>");
    page.raw("<div class=\"scroll\"><table aria-label=\"")
        .text(&table.title)
        .raw("\"><thead><tr>");
    for column in &table.columns {
        page.raw(if column.numeric {
            "<th scope=\"col\" class=\"n\">"
        } else {
            "<th scope=\"col\">"
        });
        page.text(&column.head).raw("</th>");
    }
    page.raw("</tr></thead><tbody>");
    for cells in &table.rows {
        page.raw("<tr");
        if let Some(TableCell::Words(subject)) = cells.first() {
            page.raw(" data-row=\"").text(subject).raw("\"");
        }
        page.raw(">");
        for (i, cell) in cells.iter().enumerate() {
            let numeric = table.columns.get(i).is_some_and(|column| column.numeric);
            write_cell(page, cell, i == 0, numeric);
        }
        page.raw("</tr>");
    }
    page.raw("</tbody></table></div>");
    if !table.notes.is_empty() {
        page.raw("<p class=\"note\">");
        for note in table.spoken_notes() {
            page.text(&note).raw(" ");
        }
        page.raw("</p>");
    }
}

fn write_cell(page: &mut Html, cell: &TableCell, head: bool, numeric: bool) {
    match cell {
        TableCell::Words(words) if head => {
            page.raw("<th scope=\"row\">").text(words).raw("</th>");
        }
        TableCell::Words(words) => {
            page.raw(if numeric { "<td>" } else { "<td class=w>" })
                .text(words)
                .raw("</td>");
        }
        TableCell::Nothing => {
            page.raw("<td></td>");
        }
        TableCell::Undefined(note) => {
            page.raw("<td class=u>undefined<sup>")
                .text(&letter(*note))
                .raw("</sup></td>");
        }
        TableCell::Estimate(number) => {
            let (open, close) = if number.bold {
                ("<b>", "</b>")
            } else {
                ("", "")
            };
            page.raw("<td>").raw(open).text(&number.text()).raw(close);
            if let Some(note) = number.note {
                page.raw("<sup>").text(&letter(note)).raw("</sup>");
            }
            if let Some(spread) = number.spread_text() {
                page.raw("<i>").text(&spread).raw("</i>");
            }
            page.raw("</td>");
        }
    }
}

/// All tables in a file of their own.
pub(crate) fn document(tables: &[Table], study: &str) -> String {
    let mut page = Html::default();
    page.raw("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>")
        .text(study);
    page.raw("</title><style>body{font:15px/1.45 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}");
    page.raw("table{border-collapse:collapse}.cap{font-weight:600;margin:1.5em 0 0}");
    page.raw("th,td{padding:.2em .8em .2em 0;text-align:left;border-bottom:1px solid #ddd;font-weight:400}thead th{border-bottom:1px solid #333}");
    page.raw(".n,td{text-align:right;font-variant-numeric:tabular-nums}td.w{text-align:left}td i{color:#666;font-style:normal;margin-left:.5em}.note{color:#555;font-size:.9em}</style>");
    for table in tables {
        write(&mut page, table);
    }
    page.raw("</html>\n");
    page.finish()
}
