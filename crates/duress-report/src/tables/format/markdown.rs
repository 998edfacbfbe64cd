//! Tables as Markdown.

use super::Table;

/// All tables in one file.
pub(crate) fn write(tables: &[Table], study: &str) -> String {
    let mut text = format!("# {}\n", safe(study));
    for table in tables {
        text.push_str(&one(table));
    }
    text
}

fn one(table: &Table) -> String {
    let mut text = format!("\n## {}\n\n", safe(&table.title));
    let heads: Vec<String> = table
        .columns
        .iter()
        .map(|column| safe(&column.head))
        .collect();
    let rules: Vec<&str> = table
        .columns
        .iter()
        .map(|column| if column.numeric { "---:" } else { "---" })
        .collect();
    text.push_str(&row(&heads));
    text.push_str(&row(&rules));
    for cells in &table.rows {
        let cells: Vec<String> = cells.iter().map(cell).collect();
        text.push_str(&row(&cells));
    }
    for note in table.spoken_notes() {
        text.push_str(&format!("\n{}\n", safe(&note)));
    }
    text
}

fn row(cells: &[impl AsRef<str>]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn cell(cell: &super::TableCell) -> String {
    let text = safe(&cell.plain());
    match cell {
        super::TableCell::Estimate(number) if number.bold => format!("**{text}**"),
        _ => text,
    }
}

/// Text in which nothing is markup: what Markdown, or HTML within it, would take for its own is
/// escaped.
fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in duress_figure::label::tame(text).chars() {
        match c {
            '\\' | '`' | '*' | '_' | '|' | '#' | '~' => safe.extend(['\\', c]),
            '[' | ']' if text.contains("](") => safe.extend(['\\', c]),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn markup_in_a_name_stays_text() {
        assert_eq!(safe("a|b*c<script>"), "a\\|b\\*c&lt;script&gt;");
        assert_eq!(safe("[x](http://y)"), "\\[x\\](http://y)");
        assert_eq!(safe("line\nbreak\u{1b}[31m"), "line break\u{fffd}[31m");
    }
}
