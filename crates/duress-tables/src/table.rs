//! A table: named columns of numbers or texts, and the way from a row back to its place in the
//! file.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use duress_core::problem::Problem;
use duress_core::texts::Texts;

use crate::excerpt::excerpt_of_name;

/// A column as a file announces it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its name.
    pub name: String,
    /// Whether each row holds a list of values, not one.
    pub listed: bool,
}

/// What is wanted of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Its numbers.
    Numbers,
    /// Its numbers, at this place of the row that all such columns make up: what is read is called
    /// [`ROW`].
    InRow(usize),
    /// Its values as texts: whole numbers without a point, flags as `True` and `False`.
    Texts,
    /// The same, and an empty text where there is no value.
    TextsOrGaps,
    /// Nothing: it is not read.
    Nothing,
}

/// Says what is wanted of each column, once it is known which there are.
pub type Choose<'a> = dyn FnMut(&[Head]) -> Result<Vec<Want>, Problem> + 'a;

/// What is wanted, by name: `numbers` as numbers, `texts` as texts, of the rest nothing.
pub fn by_name(heads: &[Head], numbers: &[&str], texts: &[&str]) -> Vec<Want> {
    let (numbers, texts): (HashSet<&str>, HashSet<&str>) = (
        numbers.iter().copied().collect(),
        texts.iter().copied().collect(),
    );
    let want = |head: &Head| match head.name.as_str() {
        name if texts.contains(name) => Want::Texts,
        name if numbers.contains(name) => Want::Numbers,
        _ => Want::Nothing,
    };
    heads.iter().map(want).collect()
}

/// What is wanted, by name: of `columns` the numbers, as rows in this order; of the rest nothing.
pub fn in_row(heads: &[Head], columns: &[String]) -> Vec<Want> {
    let places: BTreeMap<&str, usize> = columns.iter().map(String::as_str).zip(0..).collect();
    let want = |head: &Head| {
        places
            .get(head.name.as_str())
            .map_or(Want::Nothing, |place| Want::InRow(*place))
    };
    heads.iter().map(want).collect()
}

/// What two readers of one table want, who must not want different things of a column.
pub fn both(heads: &[Head], one: Vec<Want>, other: Vec<Want>) -> Result<Vec<Want>, Problem> {
    let either = |(head, (one, other)): (&Head, (Want, Want))| match (one, other) {
        (want, Want::Nothing) | (Want::Nothing, want) => Ok(want),
        (one, other) if one == other => Ok(one),
        _ => Err(
            Problem::new(format!("`{}` would be read in two ways", head.name))
                .expected("one meaning for a column: an id, a true class, or numbers"),
        ),
    };
    heads
        .iter()
        .zip(one.into_iter().zip(other))
        .map(either)
        .collect()
}

/// The problem that a column is not there, with the nearest that is.
pub fn no_column(name: &str, heads: &[Head]) -> Problem {
    let named = heads.iter().filter(|head| !head.name.trim().is_empty());
    let shown: Vec<Cow<'_, str>> = named.map(|head| excerpt_of_name(&head.name)).collect();
    Problem::new(format!("there is no column `{name}`"))
        .nearest(name, shown.iter().map(|name| &**name))
}

/// The column called `name`, which must be there; without a name the first of `usual` that is.
pub fn find_column(
    heads: &[Head],
    name: Option<&str>,
    usual: &[&str],
) -> Result<Option<String>, Problem> {
    let has = |name: &&str| heads.iter().any(|head| head.name == *name);
    match name {
        Some(name) if has(&name) => Ok(Some(name.into())),
        Some(name) => Err(no_column(name, heads)),
        None => Ok(usual
            .iter()
            .find(|name| has(name))
            .map(|name| (*name).into())),
    }
}

/// Every column with one value in a row, as texts.
pub fn plain_texts(heads: &[Head]) -> Vec<Want> {
    let want = |head: &Head| match head.listed {
        true => Want::Nothing,
        false => Want::Texts,
    };
    heads.iter().map(want).collect()
}

/// The columns that items are told by or can be sliced by: single values with a name.
pub fn named_columns(heads: &[Head]) -> Vec<String> {
    other_columns(heads, &[])
}

/// The columns of single values that are none of `own`: what items can be sliced by.
pub fn other_columns(heads: &[Head], own: &[&str]) -> Vec<String> {
    let other =
        |head: &&Head| !head.listed && !head.name.is_empty() && !own.contains(&head.name.as_str());
    heads
        .iter()
        .filter(other)
        .map(|head| head.name.clone())
        .collect()
}

/// The columns that were wanted, all of the same length, all numbers finite.
#[derive(Clone, Debug)]
pub struct Table {
    file: PathBuf,
    place: RowPlace,
    rows: usize,
    columns: Vec<(String, Column)>,
    /// Where the column of a name is: there may be as many as there are classes.
    places: BTreeMap<String, usize>,
}

/// Reserved name of the synthetic column that holds the columns in [`Want::InRow`], row by row; no
/// file has a column of this name.
pub const ROW: &str = "\u{0}";

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers, row after row.
    Numbers {
        /// How many there are in a row.
        width: usize,
        /// All of them.
        values: Vec<f64>,
    },
    /// The numbers of several columns, row after row.
    Row {
        /// What they are called.
        names: Vec<String>,
        /// All of them.
        values: Vec<f64>,
    },
    /// One text per row.
    Texts(Texts),
}

impl Column {
    fn rows(&self) -> usize {
        match (self, self.numbers()) {
            (_, Some((width, values))) => values.len() / width.max(1),
            (Column::Texts(texts), None) => texts.len(),
            (_, None) => 0,
        }
    }

    /// How many numbers a row holds, and all of them.
    fn numbers(&self) -> Option<(usize, &[f64])> {
        match self {
            Column::Numbers { width, values } => Some((*width, values)),
            Column::Row { names, values } => Some((names.len(), values)),
            Column::Texts(_) => None,
        }
    }
}

/// How a row is found again.
#[derive(Clone, Debug)]
pub enum RowPlace {
    /// By its line. Rows mostly follow line by line; listed are the rows that do not, each with its
    /// line, the first row included.
    Lines(Vec<(usize, usize)>),
    /// By its number, from 0 as in NumPy and pandas.
    Rows,
    /// By its row in a sheet of a workbook.
    Sheet {
        /// The sheet.
        name: String,
        /// As for lines.
        rows: Vec<(usize, usize)>,
    },
}

impl Table {
    /// Checks that the columns are equally long and their numbers finite.
    pub fn new(
        file: &Path,
        place: RowPlace,
        columns: Vec<(String, Column)>,
    ) -> Result<Table, Problem> {
        let rows = equally_long(
            file,
            columns
                .iter()
                .map(|(name, column)| (name.as_str(), column.rows())),
        )?;
        let places = columns
            .iter()
            .map(|(name, _)| name.clone())
            .zip(0..)
            .collect();
        let table = Table {
            file: file.into(),
            place,
            rows,
            columns,
            places,
        };
        table
            .columns
            .iter()
            .try_for_each(|(name, column)| table.check_finite(name, column))?;
        Ok(table)
    }

    /// The file it is from.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many numbers a row of `name` holds, and all of them.
    ///
    /// # Panics
    /// Like [`Table::texts`]: when that is not what was asked for. The table holds what its reader
    /// was told to read.
    pub fn numbers(&self, name: &str) -> (usize, &[f64]) {
        let numbers = self.column(name).and_then(Column::numbers);
        numbers.unwrap_or_else(|| panic!("column {name} was not read as numbers"))
    }

    /// The names of the columns that make up [`ROW`].
    pub fn names(&self) -> &[String] {
        match self.column(ROW) {
            Some(Column::Row { names, .. }) => names,
            _ => &[],
        }
    }

    /// The texts of `name`.
    pub fn texts(&self, name: &str) -> &Texts {
        match self.column(name) {
            Some(Column::Texts(texts)) => texts,
            _ => panic!("column {name} was not read as texts"),
        }
    }

    /// A table of a row for each of `rows` of this one, which are where a reader finds it again.
    pub fn gathered(
        &self,
        rows: &[usize],
        ids: (String, Column),
        name: &str,
        width: usize,
        values: Vec<f64>,
    ) -> Result<Table, Problem> {
        let numbers = (name.to_string(), Column::Numbers { width, values });
        Table::new(&self.file, self.place.of(rows), vec![ids, numbers])
    }

    /// The same table with other numbers under a name, `width` of them in a row.
    #[must_use]
    pub fn with_numbers(mut self, name: &str, width: usize, values: Vec<f64>) -> Table {
        assert_eq!(
            values.len(),
            width * self.rows,
            "a row of numbers for every row"
        );
        let column = Column::Numbers { width, values };
        match self.places.get(name) {
            Some(&at) => self.columns[at].1 = column,
            None => {
                self.places.insert(name.into(), self.columns.len());
                self.columns.push((name.into(), column));
            }
        }
        self
    }

    /// All numbers of `name`, which the table then no longer has.
    pub fn take_numbers(&mut self, name: &str) -> Vec<f64> {
        let column = self.places.remove(name).map(|at| &mut self.columns[at].1);
        match column {
            Some(Column::Numbers { values, .. } | Column::Row { values, .. }) => {
                std::mem::take(values)
            }
            _ => panic!("column {name} was not read as numbers"),
        }
    }

    /// The problem, with the place of row `row` said.
    pub fn at(&self, row: usize, problem: Problem) -> Problem {
        self.place.say(row, problem).in_file(&self.file)
    }

    /// The problem that row `row` has the id of a row before it.
    pub fn twice(&self, id: &str, before: usize, row: usize) -> Problem {
        let first = match &self.place {
            RowPlace::Lines(jumps) => format!("line {}", line_of(jumps, before)),
            RowPlace::Sheet { rows, .. } => format!("row {}", line_of(rows, before)),
            RowPlace::Rows => format!("row {before}"),
        };
        self.at(
            row,
            Problem::new(format!("the id {id:?} is there twice, first in {first}"))
                .expected("one row per id"),
        )
    }

    fn column(&self, name: &str) -> Option<&Column> {
        self.places.get(name).map(|&at| &self.columns[at].1)
    }

    fn check_finite(&self, name: &str, column: &Column) -> Result<(), Problem> {
        let Some((width, values)) = column.numbers() else {
            return Ok(());
        };
        let Some(at) = values.iter().position(|x| !x.is_finite()) else {
            return Ok(());
        };
        let name = if let Column::Row { names, .. } = column {
            &names[at % width]
        } else {
            name
        };
        let problem =
            Problem::new(format!("`{name}` is {}", values[at])).expected("a finite number");
        Err(self.at(at / width, problem))
    }
}

/// How long columns are, which are given by name; that two differ is a problem.
pub(crate) fn equally_long<'a>(
    file: &Path,
    mut columns: impl Iterator<Item = (&'a str, usize)>,
) -> Result<usize, Problem> {
    let Some((first, rows)) = columns.next() else {
        return Ok(0);
    };
    match columns.find(|(_, length)| *length != rows) {
        None => Ok(rows),
        Some((name, length)) => Err(Problem::new(format!(
            "`{name}` has {length} rows, `{first}` has {rows}"
        ))
        .expected("as many in one as in the other")
        .in_file(file)),
    }
}

impl RowPlace {
    /// The places of some rows, as a table of them has.
    fn of(&self, rows: &[usize]) -> RowPlace {
        let jumps = |lines: &[(usize, usize)]| {
            rows.iter()
                .enumerate()
                .map(|(at, &row)| (at, line_of(lines, row)))
                .collect()
        };
        match self {
            RowPlace::Lines(lines) => RowPlace::Lines(jumps(lines)),
            RowPlace::Sheet { name, rows } => RowPlace::Sheet {
                name: name.clone(),
                rows: jumps(rows),
            },
            RowPlace::Rows => RowPlace::Rows,
        }
    }

    /// The problem, with the place of row `row` said.
    pub fn say(&self, row: usize, mut problem: Problem) -> Problem {
        match self {
            RowPlace::Lines(jumps) => problem.on_line(line_of(jumps, row)),
            RowPlace::Sheet { name, rows } => {
                problem.message = format!(
                    "sheet `{name}`, row {}: {}",
                    line_of(rows, row),
                    problem.message
                );
                problem
            }
            RowPlace::Rows => {
                problem.message = format!("row {row} (counted from 0): {}", problem.message);
                problem
            }
        }
    }
}

/// The line of a row, from the rows that do not follow the one before.
fn line_of(jumps: &[(usize, usize)], row: usize) -> usize {
    let before = jumps.partition_point(|(first, _)| *first <= row);
    let (first, line) = before.checked_sub(1).map_or((0, 2), |at| jumps[at]);
    line + (row - first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_found_again_on_its_line_also_behind_blank_lines() {
        let place = RowPlace::Lines(vec![(0, 2), (3, 7)]);
        let line = |row| place.say(row, Problem::new("x")).line.unwrap();
        assert_eq!([line(0), line(2), line(3), line(5)], [2, 4, 7, 9]);
        assert_eq!(
            RowPlace::Rows.say(4, Problem::new("x")).message,
            "row 4 (counted from 0): x"
        );
    }

    #[test]
    fn columns_of_other_lengths_and_numbers_that_are_not_finite_are_refused() {
        let numbers = |values: &[f64]| Column::Numbers {
            width: 1,
            values: values.to_vec(),
        };
        let check = |columns: Vec<(String, Column)>, expected: &str| {
            let problem = Table::new(Path::new("t.npz"), RowPlace::Rows, columns).unwrap_err();
            assert!(problem.to_string().contains(expected), "{problem}");
        };
        check(
            vec![("a".into(), numbers(&[1.0])), ("b".into(), numbers(&[]))],
            "`b` has 0 rows, `a` has 1",
        );
        check(
            vec![("a".into(), numbers(&[1.0, f64::NAN]))],
            "t.npz: row 1 (counted from 0): `a` is NaN",
        );
    }
}
