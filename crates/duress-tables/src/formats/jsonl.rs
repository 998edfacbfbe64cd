//! JSON lines: an object a line, its keys the columns.
//!
//! Keys may differ from line to line: a key nobody asks for may be missing, one that is wanted may
//! not. Objects inside are columns with a point in their names (`{"p": {"cat": 0.9}}` has `p.cat`),
//! lists are one value per class. The file is read twice, once for its keys and once for its
//! values, and never held as a whole.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use duress_core::problem::Problem;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

use super::filling::{FilledCell, Filling};
use crate::table::{Choose, Head, RowPlace, Table, Want};

/// No object is written on a line this long; a file without line ends is.
const LONGEST_LINE: usize = 1 << 26;

/// How many broken lines a message names.
const NAMED: usize = 5;

/// Reads the keys that `choose` wants.
pub fn read(input: File, file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
    read_from(BufReader::with_capacity(1 << 18, input), file, choose)
}

fn read_from(
    mut input: impl BufRead + Seek,
    file: &Path,
    choose: &mut Choose<'_>,
) -> Result<Table, Problem> {
    let heads = heads(&mut Lines::new(&mut input))?;
    let wants = choose(&heads)?;
    input
        .rewind()
        .map_err(|error| Problem::new(format!("reading stopped: {error}")))?;
    let mut filling = Filling::new(&heads, &wants);
    let wanted = heads
        .iter()
        .enumerate()
        .filter(|(at, _)| wants[*at] != Want::Nothing);
    let mut intake: Vec<LineIntake> = wanted
        .map(|(at, head)| LineIntake {
            at,
            head,
            width: None,
        })
        .collect();
    let (mut lines, mut rows, mut jumps, mut expected_line) =
        (Lines::new(&mut input), 0, Vec::new(), 0);
    while let Some(line) = lines.advance()? {
        if line != expected_line {
            jumps.push((rows, line));
        }
        expected_line = line + 1;
        let object = lines.object()?;
        let taken = intake
            .iter_mut()
            .try_for_each(|one| one.take(&object, &mut filling));
        taken.map_err(|problem| problem.on_line(line))?;
        rows += 1;
    }
    filling.finish(file, RowPlace::Lines(jumps))
}

/// All keys, in the order they first come; every line is seen to be an object, and all that are not
/// are named.
fn heads<R: BufRead>(lines: &mut Lines<R>) -> Result<Vec<Head>, Problem> {
    let (mut heads, mut places): (Vec<Head>, HashMap<String, usize>) = (Vec::new(), HashMap::new());
    let mut first = None;
    let mut others = Vec::new();
    while let Some(line) = lines.advance()? {
        match lines.object() {
            Ok(object) => object.walk(&mut |name, value| {
                let at = *places.entry(name.to_string()).or_insert_with(|| {
                    heads.push(Head {
                        name: name.into(),
                        listed: false,
                    });
                    heads.len() - 1
                });
                heads[at].listed |= value.is_array();
            }),
            Err(problem) if first.is_none() => first = Some(problem),
            Err(_) => others.push(line),
        }
    }
    match first {
        Some(problem) if others.is_empty() => Err(problem),
        Some(problem) => Err(problem.hint(also_broken(&others))),
        None if heads.is_empty() => {
            Err(Problem::new("the file is empty").expected("an object a line"))
        }
        None => Ok(heads),
    }
}

fn also_broken(lines: &[usize]) -> String {
    let named: Vec<String> = lines.iter().take(NAMED).map(ToString::to_string).collect();
    let more = lines.len().saturating_sub(NAMED);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("also broken: line {}{more}", named.join(", "))
}

/// The lines of a file, one at a time in a buffer that is used again.
struct Lines<R> {
    input: R,
    text: Vec<u8>,
    read: usize,
}

impl<R: BufRead> Lines<R> {
    fn new(input: R) -> Lines<R> {
        Lines {
            input,
            text: Vec::new(),
            read: 0,
        }
    }

    /// Goes to the next line that is not blank, and says which it is.
    fn advance(&mut self) -> Result<Option<usize>, Problem> {
        loop {
            self.text.clear();
            self.read += 1;
            let read = self
                .input
                .by_ref()
                .take(LONGEST_LINE as u64)
                .read_until(b'\n', &mut self.text);
            let wrong = |message: String| Problem::new(message).on_line(self.read);
            if read.map_err(|error| wrong(format!("reading stopped: {error}")))? == 0 {
                return Ok(None);
            }
            if self.text.len() == LONGEST_LINE {
                return Err(
                    wrong("the line is longer than 64 MiB".into()).expected("an object a line")
                );
            }
            // Windows programs write a byte-order mark, which is no JSON.
            if self.read == 1 && self.text.starts_with(b"\xef\xbb\xbf") {
                self.text.drain(..3);
            }
            if !self.text.trim_ascii().is_empty() {
                return Ok(Some(self.read));
            }
        }
    }

    fn object(&self) -> Result<Object, Problem> {
        let wrong = |message: String| {
            Problem::new(message)
                .expected("an object such as {\"id\": 1, \"label\": \"cat\"}")
                .on_line(self.read)
        };
        let text = std::str::from_utf8(&self.text);
        let text = text.map_err(|_| wrong("the line is not UTF-8".into()))?;
        serde_json::from_str(text).map_err(|error| {
            // The line that serde names is that of a text of one line.
            let said = error.to_string();
            let said = said
                .split(" at line ")
                .next()
                .unwrap_or_default()
                .to_string();
            wrong(format!(
                "this is not a whole JSON object: {said}, at column {}",
                error.column()
            ))
        })
    }
}

/// An object in which no key is there twice.
struct Object(Vec<(String, Value)>);

impl Object {
    /// Gives every value that is no object to `see`, with the way to it as its name.
    fn walk(&self, see: &mut dyn FnMut(&str, &Value)) {
        self.0
            .iter()
            .for_each(|(name, value)| walk(name, value, see));
    }

    /// The value under a name, which may lead through objects.
    fn get(&self, name: &str) -> Option<&Value> {
        let mut own = self.0.iter();
        if let Some((_, value)) = own.find(|(key, _)| key == name) {
            return Some(value);
        }
        self.0
            .iter()
            .find_map(|(key, value)| below(value, name.strip_prefix(key.as_str())?))
    }
}

fn walk(name: &str, value: &Value, see: &mut dyn FnMut(&str, &Value)) {
    match value {
        Value::Object(inner) => {
            inner
                .iter()
                .for_each(|(key, value)| walk(&format!("{name}.{key}"), value, see));
        }
        value => see(name, value),
    }
}

fn below<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let path = path.strip_prefix('.')?;
    let inner = value.as_object()?;
    inner.get(path).or_else(|| {
        inner
            .iter()
            .find_map(|(key, value)| below(value, path.strip_prefix(key.as_str())?))
    })
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Object, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Object;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
                let mut all: Vec<(String, Value)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if all.iter().any(|(other, _)| *other == key) {
                        return Err(A::Error::custom(format!("the key {key:?} is there twice")));
                    }
                    all.push((key, value));
                }
                Ok(Object(all))
            }
        }
        from.deserialize_map(Keys)
    }
}

/// A key on its way into the table.
struct LineIntake<'a> {
    at: usize,
    head: &'a Head,
    width: Option<usize>,
}

impl LineIntake<'_> {
    fn take(&mut self, object: &Object, filling: &mut Filling) -> Result<(), Problem> {
        let name = &self.head.name;
        match object.get(name) {
            None => Err(Problem::new(format!("`{name}` is missing")).expected("it in every line")),
            Some(Value::Array(values)) => {
                let width = *self.width.get_or_insert(values.len());
                if values.len() != width || width == 0 {
                    let expected = if width == 0 {
                        "a value per class".into()
                    } else {
                        format!("{width}, as before")
                    };
                    return Err(
                        Problem::new(format!("`{name}` holds {} values", values.len()))
                            .expected(expected),
                    );
                }
                filling.widen(self.at, width)?;
                values
                    .iter()
                    .try_for_each(|value| self.push(value, filling))
            }
            Some(_) if self.head.listed => Err(Problem::new(format!("`{name}` is one value"))
                .expected("a list, as in other lines")),
            Some(value) => self.push(value, filling),
        }
    }

    fn push(&self, value: &Value, filling: &mut Filling) -> Result<(), Problem> {
        let odd = |what: &str| {
            let problem = Problem::new(format!("`{}` is {what}", self.head.name));
            Err(problem.expected("a number, a flag or a text"))
        };
        let cell = match value {
            Value::Null => return odd("null"),
            Value::Array(_) => return odd("a list of lists"),
            Value::Object(_) => return odd("an object"),
            Value::Bool(flag) => FilledCell::Flag(*flag),
            Value::String(text) => FilledCell::Text(text),
            Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(whole), ..) => FilledCell::Whole(whole.into()),
                (None, Some(whole), _) => FilledCell::Whole(whole.into()),
                (None, None, Some(x)) => FilledCell::Number(x),
                (None, None, None) => return odd("a number beyond all bounds"),
            },
        };
        filling.push(self.at, cell)
    }
}
