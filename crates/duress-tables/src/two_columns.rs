//! A table of two columns that is joined to another by a text: what is known of each text. Such
//! tables often have no header.

use std::path::Path;

use duress_core::problem::Problem;

use crate::formats;
use crate::table::plain_texts;

/// A cell without the white space, or the byte-order mark, around its text.
///
/// ```
/// assert_eq!(duress_tables::two_columns::plain_cell("\u{feff}一心一意 "), "一心一意");
/// ```
pub fn plain_cell(cell: &str) -> &str {
    cell.trim().trim_start_matches('\u{feff}').trim()
}

/// The rows of such a table; its first row is a header where its first cell is one of `headings`.
/// Rows that lack either are left out.
pub fn two_columns(file: &Path, headings: &[&str]) -> Result<Vec<(String, String)>, Problem> {
    let mut heads = Vec::new();
    let table = formats::read_if_any(file, &mut |found| {
        heads = found.to_vec();
        Ok(plain_texts(found))
    })?;
    let [first, second] = heads.as_slice() else {
        let wrong = format!("there are {} columns", heads.len());
        return Err(Problem::new(wrong)
            .expected("two: a text, and what is known of it")
            .in_file(file));
    };
    let is_heading = |word: &&str| plain_cell(&first.name).eq_ignore_ascii_case(word);
    let headed = headings.iter().any(is_heading);
    let of_header = (!headed).then_some((first.name.as_str(), second.name.as_str()));
    let texts = table.texts(&first.name).iter();
    let known = table.texts(&second.name).iter();
    let rows = of_header.into_iter().chain(texts.zip(known));
    Ok(rows
        .map(|(text, known)| (plain_cell(text).to_owned(), plain_cell(known).to_owned()))
        .filter(|(text, known)| !text.is_empty() && !known.is_empty())
        .collect())
}
