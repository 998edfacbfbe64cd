//! What a part reads of a table, so that what nobody reads can be named.

use std::path::PathBuf;

crate::words! {
    /// What a table is made of.
    pub enum TablePiece {
        /// A column of a table.
        Column = "column",
        /// An array of an archive.
        Array = "array",
        /// A key of JSON lines.
        Key = "key",
    }
}

/// How many names a sentence has.
const NAMED: usize = 12;

impl TablePiece {
    /// That pieces of these names are not read, in words.
    ///
    /// ```
    /// use duress_core::data::TablePiece;
    /// let names = ["age".to_string(), "site".to_string()];
    /// assert_eq!(TablePiece::Column.not_read(&names), "the columns `age`, `site` are not read");
    /// ```
    pub fn not_read(self, names: &[String]) -> String {
        let quoted = |name: &String| match name.as_str() {
            // The index that pandas wrote.
            "" => "without a name".into(),
            name => format!("`{name}`"),
        };
        let first: Vec<String> = names.iter().take(NAMED).map(quoted).collect();
        let first = first.join(", ");
        match names.len() {
            1 => format!("the {self} {first} is not read"),
            n if n > NAMED => format!("the {self}s {first} … ({n} in all) are not read"),
            _ => format!("the {self}s {first} are not read"),
        }
    }
}

/// A table with what is in it, and what a part reads of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableUse {
    /// The file.
    pub file: PathBuf,
    /// Everything that is in it, by name.
    pub there: Vec<String>,
    /// What is read, or left out because the study says so.
    pub read: Vec<String>,
}
