//! A table that is being read: cells come in whatever order a file has them and go where they are
//! wanted.

use std::path::Path;

use duress_core::problem::{Problem, ProblemCause};
use duress_core::texts::Texts;
use duress_tensors::bound::Bound;

use crate::table::{Column, Head, ROW, RowPlace, Table, Want, equally_long};

/// One value, as a file holds it.
#[derive(Clone, Copy, Debug)]
pub enum FilledCell<'a> {
    /// A number with a point.
    Number(f64),
    /// A whole number; wide enough for all of 64 bits, signed or not.
    Whole(i128),
    /// True or false.
    Flag(bool),
    /// A text, perhaps a number written down.
    Text(&'a str),
}

/// A table that is being read, row by row or column by column.
#[derive(Debug)]
pub struct Filling {
    /// What there is of each column of the file, where anything is wanted.
    columns: Vec<Option<Filled>>,
    /// The numbers of the columns that make up rows, row after row: never held as columns, since
    /// there may be as much as fits.
    row: Vec<f64>,
    /// How many of them a row has.
    width: usize,
    /// What it may still take.
    bound: Bound,
}

#[derive(Debug)]
struct Filled {
    name: String,
    into: Into,
    /// How many values there are in a row.
    width: usize,
}

#[derive(Debug)]
enum Into {
    Numbers(Vec<f64>),
    /// A place in the row, which so many rows have filled.
    Row {
        place: usize,
        rows: usize,
    },
    Texts(Texts),
}

/// From this size on memory belongs to one owner and grows without a copy; glibc keeps smaller
/// pieces for others when they are given back.
const OWN: usize = (32 << 20) / size_of::<f64>();

impl Filling {
    /// Nothing yet of what is wanted of each column.
    pub fn new(heads: &[Head], wants: &[Want]) -> Filling {
        let empty = |(head, want): (&Head, &Want)| {
            let into = match want {
                Want::Numbers => Into::Numbers(Vec::new()),
                Want::InRow(place) => Into::Row {
                    place: *place,
                    rows: 0,
                },
                Want::Texts | Want::TextsOrGaps => Into::Texts(Texts::default()),
                Want::Nothing => return None,
            };
            Some(Filled {
                name: head.name.clone(),
                into,
                width: 1,
            })
        };
        let place = |want: &Want| {
            if let Want::InRow(place) = want {
                place + 1
            } else {
                0
            }
        };
        Filling {
            columns: heads.iter().zip(wants).map(empty).collect(),
            row: Vec::new(),
            width: wants.iter().map(place).max().unwrap_or(0),
            bound: Bound::NONE,
        }
    }

    /// The same, for a file that can expand.
    pub fn within(self, bound: Bound) -> Filling {
        Filling { bound, ..self }
    }

    /// Takes room for so many bytes that come otherwise than by [`Filling::push`].
    pub fn claim(&mut self, bytes: u64) -> Result<(), Problem> {
        self.bound.take(bytes)
    }

    /// Makes room for not more than so many rows, where there will be many: a file may promise
    /// anything.
    pub fn expect(&mut self, rows: usize) {
        // Room that cannot be had beforehand is asked for again when it is needed.
        let _ = self
            .row
            .try_reserve_exact(rows.saturating_mul(self.width).min(OWN));
    }

    /// How many columns the file has.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Adds the next value of a column, if it is wanted.
    pub fn push(&mut self, column: usize, cell: FilledCell<'_>) -> Result<(), Problem> {
        let Some(Filled { name, into, .. }) = &mut self.columns[column] else {
            return Ok(());
        };
        self.bound.take(cell.room())?;
        match into {
            Into::Numbers(values) => values.push(cell.number(name)?),
            Into::Row { place, rows } => {
                let number = cell.number(name)?;
                *rows += 1;
                if self.row.len() < *rows * self.width {
                    self.row.resize(*rows * self.width, 0.0);
                }
                self.row[(*rows - 1) * self.width + *place] = number;
            }
            Into::Texts(texts) => match cell {
                FilledCell::Text(text) => texts.push(text),
                FilledCell::Number(x) => texts.write(format_args!("{x}")),
                FilledCell::Whole(x) => match u64::try_from(x) {
                    Ok(x) => texts.push_number(x),
                    Err(_) => texts.write(format_args!("{x}")),
                },
                FilledCell::Flag(x) => texts.push(if x { "True" } else { "False" }),
            },
        }
        Ok(())
    }

    /// Where the numbers of a column go, if they are kept by themselves: for a reader that has many
    /// at once.
    pub fn numbers(&mut self, column: usize) -> Option<&mut Vec<f64>> {
        match &mut self.columns[column] {
            Some(Filled {
                into: Into::Numbers(values),
                ..
            }) => Some(values),
            _ => None,
        }
    }

    /// Says that a column has a list of so many values in each row.
    pub fn widen(&mut self, column: usize, width: usize) -> Result<(), Problem> {
        let Some(filled) = &mut self.columns[column] else {
            return Ok(());
        };
        filled.width = width;
        let expected = match filled.into {
            Into::Texts(_) if width != 1 => "one text per row",
            Into::Row { .. } if width != 1 => "one number per row",
            _ => return Ok(()),
        };
        Err(
            Problem::new(format!("`{}` holds {width} values in a row", filled.name))
                .expected(expected),
        )
    }

    /// Adds what was read of the same columns further down.
    pub fn append(&mut self, below: Filling) {
        for (own, more) in self
            .columns
            .iter_mut()
            .flatten()
            .zip(below.columns.into_iter().flatten())
        {
            match (&mut own.into, more.into) {
                (Into::Numbers(values), Into::Numbers(more)) => values.extend(more),
                (Into::Row { rows, .. }, Into::Row { rows: more, .. }) => *rows += more,
                (Into::Texts(texts), Into::Texts(more)) => texts.append(&more),
                _ => unreachable!("the same is wanted of a column all the way down"),
            }
        }
        self.row.extend(below.row);
    }

    /// The table, once all is read.
    pub fn finish(mut self, file: &Path, place: RowPlace) -> Result<Table, Problem> {
        let all = || self.columns.iter().flatten();
        equally_long(
            file,
            all().map(|column| (column.name.as_str(), column.rows())),
        )?;
        let mut names = vec![String::new(); self.width];
        let mut columns = Vec::new();
        for Filled { name, into, width } in self.columns.into_iter().flatten() {
            match into {
                Into::Numbers(values) => columns.push((name, Column::Numbers { width, values })),
                Into::Texts(texts) => columns.push((name, Column::Texts(texts))),
                Into::Row { place, .. } => names[place] = name,
            }
        }
        if self.width > 0 {
            self.row.shrink_to_fit();
            columns.push((
                ROW.into(),
                Column::Row {
                    names,
                    values: self.row,
                },
            ));
        }
        Table::new(file, place, columns)
    }
}

impl Filled {
    fn rows(&self) -> usize {
        match &self.into {
            Into::Numbers(values) => values.len() / self.width.max(1),
            Into::Row { rows, .. } => *rows,
            Into::Texts(texts) => texts.len(),
        }
    }
}

impl FilledCell<'_> {
    /// What it takes in a table: a number, or a text and where it ends.
    fn room(&self) -> u64 {
        match self {
            FilledCell::Text(text) => 8 + text.len() as u64,
            _ => 8,
        }
    }

    fn number(self, name: &str) -> Result<f64, Problem> {
        match self {
            FilledCell::Number(x) => Ok(x),
            FilledCell::Whole(x) => Ok(x as f64),
            FilledCell::Flag(x) => Ok(f64::from(u8::from(x))),
            FilledCell::Text(text) => text.parse().or_else(|_| text.trim().parse()).map_err(|_| {
                let found = if text.trim().is_empty() {
                    "empty".into()
                } else {
                    format!("{text:?}")
                };
                Problem::new(format!("`{name}` is {found}"))
                    .expected("a number")
                    .because(ProblemCause::NotANumber)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filling(wants: &[Want]) -> Filling {
        let head = |at: usize| Head {
            name: ["a", "b", "c"][at].into(),
            listed: false,
        };
        Filling::new(&(0..wants.len()).map(head).collect::<Vec<_>>(), wants)
    }

    fn finish(filling: Filling) -> Result<Table, Problem> {
        filling.finish(Path::new("t.csv"), RowPlace::Rows)
    }

    #[test]
    fn any_value_can_be_a_text_and_whole_numbers_stay_exact() {
        let mut column = filling(&[Want::Texts]);
        for cell in [
            FilledCell::Number(3.0),
            FilledCell::Whole(u64::MAX.into()),
            FilledCell::Flag(true),
            FilledCell::Text(" x"),
        ] {
            column.push(0, cell).unwrap();
        }
        assert_eq!(
            finish(column).unwrap().texts("a"),
            ["3", "18446744073709551615", "True", " x"]
        );
    }

    #[test]
    fn columns_become_rows_in_the_order_wanted_whichever_comes_first() {
        let wants = [Want::InRow(1), Want::Nothing, Want::InRow(0)];
        let cell = |row: usize, column: usize| FilledCell::Whole((10 * row + column) as i128);
        let (mut by_rows, mut by_columns, mut below) =
            (filling(&wants), filling(&wants), filling(&wants));
        let mut cells: Vec<(usize, usize)> = (0..4)
            .flat_map(|row| (0..3).map(move |column| (row, column)))
            .collect();
        for &(row, column) in &cells {
            let part = if row < 3 { &mut by_rows } else { &mut below };
            part.push(column, cell(row, column)).unwrap();
        }
        by_rows.append(below);
        cells.sort_by_key(|(_, column)| *column);
        cells
            .iter()
            .for_each(|&(row, column)| by_columns.push(column, cell(row, column)).unwrap());
        for table in [by_rows, by_columns].map(|filling| finish(filling).unwrap()) {
            let expected = [2.0, 0.0, 12.0, 10.0, 22.0, 20.0, 32.0, 30.0];
            assert_eq!((table.rows(), table.numbers(ROW)), (4, (2, &expected[..])));
        }
    }

    #[test]
    fn columns_that_make_up_rows_are_equally_long_finite_and_one_number_wide() {
        let wants = [Want::InRow(0), Want::InRow(1)];
        let check = |cells: &[(usize, f64)], expected: &str| {
            let mut filling = filling(&wants);
            cells
                .iter()
                .for_each(|(column, x)| filling.push(*column, FilledCell::Number(*x)).unwrap());
            let problem = finish(filling).unwrap_err().to_string();
            assert!(problem.contains(expected), "{problem}");
        };
        check(
            &[(0, 1.0), (0, 2.0), (1, 1.0)],
            "t.csv: `b` has 1 rows, `a` has 2",
        );
        check(
            &[(0, 1.0), (0, 2.0), (1, 1.0), (1, f64::NAN)],
            "row 1 (counted from 0): `b` is NaN",
        );
        let problem = filling(&wants).widen(1, 3).unwrap_err().to_string();
        assert!(
            problem.contains("`b` holds 3 values in a row; expected one number per row"),
            "{problem}"
        );
    }
}
