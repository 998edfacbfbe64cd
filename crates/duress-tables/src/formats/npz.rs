//! NumPy's arrays: one in an npy file, several by name in an npz archive.
//!
//! The arrays of an archive are the columns of a table; the second axis of an array with two is a
//! list in each row. Versions 1 to 3, both orders, both byte orders; numbers, flags and texts.
//! Pickled objects are refused, since opening them means running them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use duress_core::problem::Problem;
use duress_tensors::bound::Bound;
use duress_tensors::tensor::half_to_f32;
use zip::ZipArchive;

use super::archive;
use super::filling::{FilledCell, Filling};
use crate::table::{Choose, Head, RowPlace, Table, Want};

/// What the only array of an npy file is called.
pub const LONE: &str = "array";

/// Reads the arrays that `choose` wants; whether it is an npz or an npy file is told by its first
/// bytes.
pub fn read(input: File, file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
    let bound = Bound::of(&input);
    let mut arrays = Arrays::open(input)?;
    // An array that cannot be read is a problem only if it is wanted.
    let mut headers = Vec::new();
    let mut heads = Vec::new();
    for at in 0..arrays.len() {
        let (name, header) = arrays.visit(at, |name, mut input| {
            Ok((name.to_string(), ArrayHeader::read(&mut input)))
        })?;
        heads.push(Head {
            name,
            listed: header.as_ref().is_ok_and(ArrayHeader::is_listed),
        });
        headers.push(header);
    }
    let wants = choose(&heads)?;
    let mut filling = Filling::new(&heads, &wants).within(bound);
    for (at, header) in headers
        .into_iter()
        .enumerate()
        .filter(|(at, _)| wants[*at] != Want::Nothing)
    {
        arrays.visit(at, |_, mut input| {
            header?;
            ArrayHeader::read(&mut input)?.fill(input, &mut filling, at)
        })?;
    }
    filling.finish(file, RowPlace::Rows)
}

/// The arrays of a file.
enum Arrays {
    Lone(BufReader<File>),
    Archive(Box<ZipArchive<BufReader<File>>>),
}

impl Arrays {
    fn open(input: File) -> Result<Arrays, Problem> {
        let mut input = BufReader::with_capacity(BUFFER, input);
        match input.fill_buf().map_err(broken)? {
            [] => Err(Problem::new("the file is empty").expected("an npz or npy file")),
            [b'P', b'K', ..] => match archive::open(input) {
                Ok(archive) => Ok(Arrays::Archive(Box::new(archive))),
                Err(error) => Err(
                    Problem::new(format!("this is not a whole npz file: {error}"))
                        .expected("a file written by numpy.savez or numpy.savez_compressed"),
                ),
            },
            start if start.starts_with(b"\x93NUMPY") => Ok(Arrays::Lone(input)),
            _ => Err(Problem::new("this is neither an npz nor an npy file")
                .expected("a file written by numpy.savez, numpy.savez_compressed or numpy.save")),
        }
    }

    fn len(&self) -> usize {
        match self {
            Arrays::Lone(_) => 1,
            Arrays::Archive(archive) => archive.len(),
        }
    }

    /// Where the array of this name is.
    fn place(&mut self, name: &str) -> Result<usize, Problem> {
        for at in 0..self.len() {
            if self.visit(at, |found, _| Ok(found == name))? {
                return Ok(at);
            }
        }
        Err(Problem::new(format!("there is no array `{name}`")))
    }

    /// Hands the name and the bytes of an array to `take`.
    fn visit<T>(
        &mut self,
        at: usize,
        take: impl FnOnce(&str, &mut (dyn Read + Send)) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        match self {
            Arrays::Lone(input) => {
                input.rewind().map_err(broken)?;
                take(LONE, input)
            }
            Arrays::Archive(archive) => {
                let mut entry = archive.by_index(at).map_err(broken)?;
                let name = entry
                    .name()
                    .map_err(broken)?
                    .trim_end_matches(".npy")
                    .to_string();
                take(&name, &mut entry).map_err(|problem| about(&name, problem))
            }
        }
    }
}

/// An array of numbers with any number of axes, on its way in; a number may be NaN.
pub struct Array<'a> {
    header: ArrayHeader,
    kind: ArrayKind,
    input: &'a mut (dyn Read + Send),
    /// The rows that are still to come.
    left: usize,
}

/// An array that is read, the last axis running fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    /// The length of each axis.
    pub shape: Vec<usize>,
    /// The numbers.
    pub values: Vec<f64>,
}

/// Hands the array `name` of a file to `take`, row by row.
pub fn rows<T>(
    file: &Path,
    name: &str,
    take: impl FnOnce(Array<'_>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let input = super::open(file)?;
    let mut bound = Bound::of(&input);
    let mut arrays = Arrays::open(input)?;
    let at = arrays.place(name)?;
    arrays.visit(at, |_, mut input| {
        let header = ArrayHeader::read(&mut input)?;
        bound.take(room(header.values(), size_of::<f32>()))?;
        if header.fortran && header.shape.len() > 1 {
            return Err(Problem::new("its values lie column by column")
                .expected("C order")
                .hint("save numpy.ascontiguousarray(…)"));
        }
        take(Array::new(header.numbers()?, header, input))
    })
}

/// The arrays of numbers in an npz or npy file, by name; arrays of anything else are passed over.
pub fn tensors(file: &Path) -> Result<BTreeMap<String, Tensor>, Problem> {
    let read = || {
        let input = super::open(file)?;
        let mut bound = Bound::of(&input);
        let mut arrays = Arrays::open(input)?;
        let mut found = BTreeMap::new();
        for at in 0..arrays.len() {
            found.extend(arrays.visit(at, |name, mut input| {
                let header = ArrayHeader::read(&mut input)?;
                let Ok(kind) = header.numbers() else {
                    return Ok(None);
                };
                bound.take(room(header.values(), size_of::<f64>()))?;
                Ok(Some((
                    name.to_string(),
                    Array::new(kind, header, input).whole()?,
                )))
            })?);
        }
        Ok(found)
    };
    read().map_err(|problem: Problem| problem.in_file(file))
}

impl<'a> Array<'a> {
    fn new(kind: ArrayKind, header: ArrayHeader, input: &'a mut (dyn Read + Send)) -> Array<'a> {
        // What has no axis is one number.
        let left = header.shape.first().copied().unwrap_or(1);
        Array {
            header,
            kind,
            input,
            left,
        }
    }

    /// The length of each axis; the first counts the rows.
    pub fn shape(&self) -> &[usize] {
        &self.header.shape
    }

    /// The largest value of an unsigned kind.
    pub fn most(&self) -> Option<f32> {
        match (self.kind.letter, self.kind.size) {
            (b'u', 1) => Some(255.0),
            (b'u', 2) => Some(65535.0),
            _ => None,
        }
    }

    /// The next row; behind the last, it is made sure that nothing more is there.
    pub fn next_row(&mut self) -> Option<Result<Vec<f32>, Problem>> {
        if self.left == 0 {
            return None;
        }
        let row = self.next_rows(1);
        if row.is_err() {
            self.left = 0;
        }
        Some(row.map(|row| row.into_iter().map(|x| x as f32).collect()))
    }

    fn whole(mut self) -> Result<Tensor, Problem> {
        let values = self.next_rows(self.left)?;
        let ArrayHeader { shape, fortran, .. } = self.header;
        Ok(Tensor {
            values: if fortran {
                last_fastest(&shape, &values)
            } else {
                values
            },
            shape,
        })
    }

    fn next_rows(&mut self, rows: usize) -> Result<Vec<f64>, Problem> {
        let size = self
            .header
            .shape
            .iter()
            .skip(1)
            .try_fold(rows, |size, axis| size.checked_mul(*axis));
        let bytes = self.header.bytes(size, &self.kind)?;
        let mut values = Vec::new();
        read_pieces(&mut self.input, &self.kind, bytes, |piece| {
            self.kind.numbers(piece, &mut values);
            Ok(())
        })?;
        self.left -= rows;
        if self.left == 0 {
            read_end(&mut self.input)?;
        }
        Ok(values)
    }
}

/// The same values with the last axis running fastest, when the first did.
fn last_fastest(shape: &[usize], values: &[f64]) -> Vec<f64> {
    let from = |at: usize| {
        let mut rest = at;
        let mut place = 0;
        let mut step = values.len();
        for &size in shape.iter().rev() {
            step /= size;
            place += rest % size * step;
            rest /= size;
        }
        values[place]
    };
    (0..values.len()).map(from).collect()
}

/// What so many values take in the end.
fn room(values: usize, each: usize) -> u64 {
    values.saturating_mul(each) as u64
}

fn about(name: &str, mut problem: Problem) -> Problem {
    problem.message = format!("array `{name}`: {}", problem.message);
    problem
}

fn broken(error: impl std::fmt::Display) -> Problem {
    Problem::new(format!("the file is damaged: {error}"))
        .expected("a file that was written to its end")
}

/// What stands before an array's values.
struct ArrayHeader {
    descr: String,
    fortran: bool,
    shape: Vec<usize>,
}

/// Longer headers are those of damaged files; NumPy itself refuses above 10,000 characters.
const LONGEST_HEADER: usize = 1 << 20;

impl ArrayHeader {
    fn read(input: &mut impl Read) -> Result<ArrayHeader, Problem> {
        let mut magic = [0; 8];
        input.read_exact(&mut magic).map_err(broken)?;
        let length = match magic {
            [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _] => {
                let mut length = [0; 2];
                input.read_exact(&mut length).map_err(broken)?;
                usize::from(u16::from_le_bytes(length))
            }
            [0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, _] => {
                let mut length = [0; 4];
                input.read_exact(&mut length).map_err(broken)?;
                u32::from_le_bytes(length) as usize
            }
            _ => {
                return Err(Problem::new("not an array of a known version")
                    .expected("npy version 1, 2 or 3"));
            }
        };
        let mut text = Vec::new();
        input
            .take(length.min(LONGEST_HEADER) as u64)
            .read_to_end(&mut text)
            .map_err(broken)?;
        let text = String::from_utf8_lossy(&text);
        ArrayHeader::parse(&text)
            .filter(|_| length <= LONGEST_HEADER)
            .ok_or_else(|| {
                let start: String = text.chars().take(60).collect();
                Problem::new(format!("its header makes no sense: {start:?}"))
                    .expected("descr, fortran_order, shape")
            })
    }

    /// Parses the dictionary that NumPy writes: `{'descr': '<f8', 'fortran_order': False, 'shape':
    /// (3, 2), }`.
    fn parse(text: &str) -> Option<ArrayHeader> {
        let inner = text.trim_matches([' ', '\n']);
        let mut rest = inner
            .strip_prefix('{')?
            .strip_suffix('}')?
            .trim_matches(' ');
        let mut descr = None;
        let mut fortran = None;
        let mut shape = None;
        while !rest.is_empty() {
            let (key, after) = rest.strip_prefix('\'')?.split_once('\'')?;
            let (value, after) = value_of(after.trim_start_matches(' ').strip_prefix(':')?)?;
            match key {
                "descr" => descr = Some(value),
                "fortran_order" => fortran = Some(value),
                "shape" => shape = Some(value),
                _ => return None,
            }
            rest = after;
        }
        let descr = descr?;
        let descr = match descr.strip_prefix('\'') {
            Some(inner) => inner.strip_suffix('\'')?,
            // A list describes a record with named fields.
            None => descr.strip_prefix('[').map(|_| "a record")?,
        };
        let sizes = shape?.strip_prefix('(')?.strip_suffix(')')?.split(',');
        let sizes = sizes
            .map(|size| size.trim_matches(' ').trim_end_matches('L'))
            .filter(|size| !size.is_empty());
        Some(ArrayHeader {
            descr: descr.into(),
            fortran: match fortran? {
                "True" => true,
                "False" => false,
                _ => return None,
            },
            shape: sizes.map(str::parse).collect::<Result<_, _>>().ok()?,
        })
    }

    fn is_listed(&self) -> bool {
        self.shape.len() == 2
    }

    /// Rows and values per row.
    fn size(&self) -> Result<(usize, usize), Problem> {
        match self.shape.as_slice() {
            [rows] => Ok((*rows, 1)),
            [rows, width] if *width > 0 => Ok((*rows, *width)),
            shape => {
                Err(Problem::new(format!("its shape is {shape:?}")).expected("one axis, or two"))
            }
        }
    }

    /// How many values it says there are.
    fn values(&self) -> usize {
        self.shape.iter().copied().fold(1, usize::saturating_mul)
    }

    /// What kind of numbers there are.
    fn numbers(&self) -> Result<ArrayKind, Problem> {
        let kind = ArrayKind::parse(&self.descr)?;
        if kind.is_number() {
            Ok(kind)
        } else {
            Err(Problem::new("it holds texts").expected("numbers"))
        }
    }

    /// How many bytes so many values take, if there can be so many.
    fn bytes(&self, values: Option<usize>, kind: &ArrayKind) -> Result<usize, Problem> {
        let bytes = values.and_then(|values| values.checked_mul(kind.size));
        bytes.ok_or_else(|| broken(format!("its shape {:?} is impossible", self.shape)))
    }

    /// Reads the values into a column.
    fn fill(&self, mut input: impl Read, filling: &mut Filling, at: usize) -> Result<(), Problem> {
        let (rows, width) = self.size()?;
        filling.widen(at, width)?;
        let kind = ArrayKind::parse(&self.descr)?;
        let bytes = self.bytes(rows.checked_mul(width), &kind)?;
        if kind.is_number() && filling.numbers(at).is_some() {
            filling.claim(room(rows.saturating_mul(width), size_of::<f64>()))?;
        }
        match filling.numbers(at).filter(|_| kind.is_number()) {
            Some(values) => {
                read_pieces(&mut input, &kind, bytes, |piece| {
                    kind.numbers(piece, values);
                    Ok(())
                })?;
                if self.fortran && width > 1 {
                    *values = last_fastest(&self.shape, values);
                }
            }
            None => {
                let mut text = String::new();
                read_pieces(&mut input, &kind, bytes, |piece| {
                    let mut values = piece.chunks_exact(kind.size);
                    values.try_for_each(|value| filling.push(at, kind.cell(value, &mut text)?))
                })?;
            }
        }
        read_end(&mut input)
    }
}

/// The value at the beginning of a text, and what follows the comma behind it.
fn value_of(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(' ');
    let end = match text.as_bytes().first()? {
        b'\'' => 2 + text[1..].find('\'')?,
        b'(' => 1 + text.find(')')?,
        // Records may lie in records; NumPy ends the list before the next key.
        b'[' => 1 + text[..text.find("'fortran_order'").unwrap_or(text.len())].rfind(']')?,
        _ => text.find([',', ' ']).unwrap_or(text.len()),
    };
    let after = text[end..].trim_start_matches(' ');
    match after.strip_prefix(',') {
        Some(after) => Some((&text[..end], after.trim_start_matches(' '))),
        None => after.is_empty().then_some((&text[..end], after)),
    }
}

/// Gives the bytes of many values at a time to `take`, the smallest byte of each first.
fn read_pieces(
    input: &mut impl Read,
    kind: &ArrayKind,
    bytes: usize,
    mut take: impl FnMut(&[u8]) -> Result<(), Problem>,
) -> Result<(), Problem> {
    // The memory taken grows with what is really there: a damaged header may promise anything.
    let piece = kind.size.max(1) * (BUFFER / kind.size.max(1)).max(1);
    let mut buffer = Vec::new();
    let mut left = bytes;
    while left > 0 {
        buffer.clear();
        let wanted = left.min(piece);
        input
            .by_ref()
            .take(wanted as u64)
            .read_to_end(&mut buffer)
            .map_err(broken)?;
        if buffer.len() < wanted {
            return Err(broken(format!(
                "{} bytes of values are missing",
                left - buffer.len()
            )));
        }
        left -= wanted;
        kind.turn(&mut buffer);
        take(&buffer)?;
    }
    Ok(())
}

/// Sees to it that nothing is left.
fn read_end(input: &mut impl Read) -> Result<(), Problem> {
    // Reading to the very end also makes the archive compare its checksum.
    match input.read(&mut [0]).map_err(broken)? {
        0 => Ok(()),
        _ => Err(broken("there are bytes behind the last value")),
    }
}

const BUFFER: usize = 1 << 18;

/// What kind of values an array holds.
struct ArrayKind {
    letter: u8,
    size: usize,
    big_endian: bool,
}

impl ArrayKind {
    fn parse(descr: &str) -> Result<ArrayKind, Problem> {
        let refused = || {
            let problem = Problem::new(format!("its values are of type `{descr}`"))
                .expected("numbers, flags or texts (f2 f4 f8 i1–i8 u1–u8 b1 U S)");
            match descr {
                "|O" => {
                    problem.hint("these are pickled objects; texts are saved with .astype(str)")
                }
                _ => problem,
            }
        };
        let [order, letter, digits @ ..] = descr.as_bytes() else {
            return Err(refused());
        };
        let digits = std::str::from_utf8(digits).map_err(|_| refused())?;
        let number: usize = digits.parse().map_err(|_| refused())?;
        let size = match (letter, number) {
            (b'f', 2 | 4 | 8) | (b'i' | b'u', 1 | 2 | 4 | 8) | (b'b', 1) | (b'S', 1..) => number,
            (b'U', 1..) => number.checked_mul(4).ok_or_else(refused)?,
            _ => return Err(refused()),
        };
        // A text longer than this is a damaged header, and would be taken as memory before it is
        // found missing.
        if size > 1 << 24 || !matches!(order, b'<' | b'>' | b'|' | b'=') {
            return Err(refused());
        }
        Ok(ArrayKind {
            letter: *letter,
            size,
            big_endian: *order == b'>',
        })
    }

    /// Whether the values are numbers or flags.
    fn is_number(&self) -> bool {
        matches!(self.letter, b'f' | b'i' | b'u' | b'b')
    }

    /// Turns bytes round that are the other way.
    fn turn(&self, bytes: &mut [u8]) {
        let unit = match self.letter {
            b'U' => 4,
            b'S' => 1,
            _ => self.size,
        };
        if self.big_endian && unit > 1 {
            bytes.chunks_exact_mut(unit).for_each(<[u8]>::reverse);
        }
    }

    /// Adds numbers, of which there are often millions: what they are is asked once for all of
    /// them.
    fn numbers(&self, bytes: &[u8], values: &mut Vec<f64>) {
        match (self.letter, self.size) {
            (b'f', 8) => values.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|bytes| f64::from_le_bytes(*bytes)),
            ),
            (b'f', 4) => {
                values.extend(
                    bytes
                        .as_chunks()
                        .0
                        .iter()
                        .map(|bytes| f64::from(f32::from_le_bytes(*bytes))),
                );
            }
            (b'f', _) => values.extend(
                bytes
                    .as_chunks()
                    .0
                    .iter()
                    .map(|bytes| half(u16::from_le_bytes(*bytes))),
            ),
            (b'b', _) => values.extend(bytes.iter().map(|byte| f64::from(u8::from(*byte != 0)))),
            (b'i', size) => {
                values.extend(bytes.chunks_exact(size).map(|bytes| signed(bytes) as f64))
            }
            (_, size) => values.extend(bytes.chunks_exact(size).map(|bytes| whole(bytes) as f64)),
        }
    }

    /// The value in `bytes`; `text` is where a text is put together.
    fn cell<'a>(&self, bytes: &[u8], text: &'a mut String) -> Result<FilledCell<'a>, Problem> {
        Ok(match (self.letter, bytes) {
            (b'f', [a, b]) => FilledCell::Number(half(u16::from_le_bytes([*a, *b]))),
            (b'f', [a, b, c, d]) => FilledCell::Number(f32::from_le_bytes([*a, *b, *c, *d]).into()),
            (b'f', bytes) => FilledCell::Number(f64::from_bits(whole(bytes))),
            (b'b', bytes) => FilledCell::Flag(bytes != [0]),
            (b'u', bytes) => FilledCell::Whole(whole(bytes).into()),
            (b'i', bytes) => FilledCell::Whole(signed(bytes).into()),
            (b'U', bytes) => {
                let points = bytes
                    .chunks_exact(4)
                    .map(|point| char::from_u32(whole(point) as u32));
                put(points, text)?
            }
            (_, bytes) => put(
                bytes
                    .iter()
                    .map(|byte| byte.is_ascii().then_some(char::from(*byte))),
                text,
            )?,
        })
    }
}

/// The unsigned number that at most eight bytes are, the smallest first.
fn whole(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The same with its sign.
fn signed(bytes: &[u8]) -> i64 {
    let unused = 64 - 8 * bytes.len() as u32;
    ((whole(bytes) << unused) as i64) >> unused
}

/// Puts a text together, without the zeros that fill up its place.
fn put(
    points: impl Iterator<Item = Option<char>>,
    text: &mut String,
) -> Result<FilledCell<'_>, Problem> {
    text.clear();
    for point in points {
        text.push(point.ok_or_else(|| broken("a text holds what is not a character"))?);
    }
    text.truncate(text.trim_end_matches('\0').len());
    Ok(FilledCell::Text(text))
}

/// A number in half precision, as mixed-precision models save them.
fn half(bits: u16) -> f64 {
    f64::from(half_to_f32(bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_numpy_writes_is_understood() {
        let check = |text: &str, expected: Option<(&str, bool, &[usize])>| {
            let header = ArrayHeader::parse(text);
            let found = header
                .as_ref()
                .map(|h| (h.descr.as_str(), h.fortran, h.shape.as_slice()));
            assert_eq!(found, expected, "{text}");
        };
        check(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }",
            Some(("<f8", false, &[3, 2])),
        );
        check(
            "{'descr': '<U3', 'fortran_order': True, 'shape': (3L,), }",
            Some(("<U3", true, &[3])),
        );
        check(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
            Some(("<f8", false, &[])),
        );
        check(
            "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
            Some(("a record", false, &[1])),
        );
        check("{'descr': '<f8', 'shape': (3, 2), }", None);
        check(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }",
            None,
        );
        check("", None);
    }

    #[test]
    fn values_with_the_first_axis_fastest_are_turned_round() {
        // numpy.arange(12).reshape(2, 3, 2) written with order="F".
        let fortran = [0.0, 6.0, 2.0, 8.0, 4.0, 10.0, 1.0, 7.0, 3.0, 9.0, 5.0, 11.0];
        let rows: Vec<f64> = (0..12).map(f64::from).collect();
        assert_eq!(last_fastest(&[2, 3, 2], &fortran), rows);
    }

    #[test]
    fn half_precision_is_what_numpy_says() {
        // numpy.array([...], dtype=numpy.uint16).view(numpy.float16)
        let check = |bits, expected: f64| assert_eq!(half(bits), expected, "{bits:#x}");
        check(0x3c00, 1.0);
        check(0xc000, -2.0);
        check(0x3555, 0.333_251_953_125);
        check(0x0001, 5.960_464_477_539_063e-8);
        check(0x7bff, 65504.0);
        check(0x7c00, f64::INFINITY);
    }
}
