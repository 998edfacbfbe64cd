//! A machine for Python's pickles that runs nothing: it builds numbers, texts, lists and
//! dictionaries, and asks a [`World`] about everything else.
//!
//! A pickle is a program that names functions of Python and calls them. Here a name is only ever
//! looked up among the few that the world knows; all others are refused by name.

use std::collections::HashMap;
use std::rc::Rc;

use duress_core::problem::Problem;

/// A value of Python.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PythonValue {
    None,
    Flag(bool),
    Whole(i64),
    Number(f64),
    Text(Rc<str>),
    /// A tuple, by its place in the heap; like all containers, so that none of them owns another
    /// and a deep nest cannot overflow the stack.
    Tuple(usize),
    List(usize),
    Dict(usize),
    /// Something of the world's.
    Object(usize),
    /// A value nobody here needs: bytes, sets, numbers too long to hold.
    Other,
}

/// Whoever knows the functions and classes that a pickle names.
pub(crate) trait World {
    /// Looks up a name. What it does not know it must refuse.
    fn find(&mut self, module: &str, name: &str) -> Result<PythonValue, Problem>;

    /// What a call of something it knows gives.
    fn call(
        &mut self,
        heap: &mut Heap,
        function: &PythonValue,
        arguments: &[PythonValue],
    ) -> Result<PythonValue, Problem>;

    /// What an id of something outside the pickle stands for.
    fn outside(&mut self, heap: &Heap, id: &PythonValue) -> Result<PythonValue, Problem>;
}

/// All containers of a pickle.
#[derive(Default)]
pub(crate) struct Heap {
    tuples: Vec<Vec<PythonValue>>,
    lists: Vec<Vec<PythonValue>>,
    dicts: Vec<Vec<(PythonValue, PythonValue)>>,
    /// How many values calls were given.
    given: usize,
}

/// More values than this are given to calls by no file but one that means to fill the memory: it
/// can call with the same long list again and again.
const MOST_GIVEN: usize = 1 << 24;

impl Heap {
    pub(crate) fn tuple(&mut self, values: Vec<PythonValue>) -> PythonValue {
        self.tuples.push(values);
        PythonValue::Tuple(self.tuples.len() - 1)
    }

    fn new_list(&mut self) -> PythonValue {
        self.lists.push(Vec::new());
        PythonValue::List(self.lists.len() - 1)
    }

    pub(crate) fn new_dict(&mut self, pairs: Vec<(PythonValue, PythonValue)>) -> PythonValue {
        self.dicts.push(pairs);
        PythonValue::Dict(self.dicts.len() - 1)
    }

    /// The values of a tuple or a list.
    pub(crate) fn values(&self, value: &PythonValue) -> Option<&[PythonValue]> {
        match value {
            PythonValue::Tuple(at) => Some(&self.tuples[*at]),
            PythonValue::List(at) => Some(&self.lists[*at]),
            _ => None,
        }
    }

    /// The pairs of a dictionary, in the order they were put in.
    pub(crate) fn pairs(&self, value: &PythonValue) -> Option<&[(PythonValue, PythonValue)]> {
        match value {
            PythonValue::Dict(at) => Some(&self.dicts[*at]),
            _ => None,
        }
    }
}

/// Runs one pickle from the beginning of `input`, and moves `input` behind it.
pub(crate) fn load_pickle(
    input: &mut &[u8],
    heap: &mut Heap,
    world: &mut dyn World,
) -> Result<PythonValue, Problem> {
    let mut machine = Machine {
        input,
        heap,
        world,
        stack: Vec::new(),
        marks: Vec::new(),
        memo: HashMap::new(),
    };
    loop {
        if let Some(value) = machine.run_instruction()? {
            return Ok(value);
        }
    }
}

struct Machine<'a, 'b> {
    input: &'a mut &'b [u8],
    heap: &'a mut Heap,
    world: &'a mut dyn World,
    stack: Vec<PythonValue>,
    /// How high the stack was at each mark.
    marks: Vec<usize>,
    memo: HashMap<u32, PythonValue>,
}

impl<'b> Machine<'_, 'b> {
    /// Does what the next instruction says; gives the value of the pickle when it was the last.
    fn run_instruction(&mut self) -> Result<Option<PythonValue>, Problem> {
        let [code] = self.array()?;
        match code {
            b'.' => return self.pop().map(Some),
            0x80 => self.proto()?,
            // The length of a frame: only a hint for whoever reads ahead.
            0x95 => drop(self.array::<8>()?),
            b'(' => self.marks.push(self.stack.len()),
            b'0' => drop(self.pop()?),
            b'1' => drop(self.since_mark()?),
            b'2' => {
                let top = self.peek()?.clone();
                self.stack.push(top);
            }
            b'N' | 0x88 | 0x89 | b'K' | b'M' | b'J' | 0x8a | 0x8b | b'G' | b'I' | b'L' | b'F' => {
                self.number(code)?;
            }
            b'X' | 0x8c | 0x8d | b'U' | b'T' | b'B' | b'C' | 0x8e | b'S' | b'V' => {
                self.push_text(code)?
            }
            b')' | b't' | 0x85 | 0x86 | 0x87 | b']' | b'l' | b'}' | b'd' | 0x8f => {
                self.container(code)?
            }
            b'a' | b'e' | b's' | b'u' | 0x90 => self.fill_container(code)?,
            b'q' | b'r' | b'p' | 0x94 | b'h' | b'j' | b'g' => self.remember(code)?,
            b'c' | 0x93 | b'R' | 0x81 | b'b' | b'Q' => self.ask_world(code)?,
            _ => {
                return Err(Problem::new(format!(
                    "its pickle has the instruction 0x{code:02x}, which torch.save does not write; nothing was executed"
                ))
                .expected("tensors, and lists and dictionaries of tensors")
                .hint("save it again with torch.save(model.state_dict(), …)"));
            }
        }
        Ok(None)
    }

    fn proto(&mut self) -> Result<(), Problem> {
        let [version] = self.array()?;
        if version > 5 {
            return Err(damaged(format!(
                "its pickle says it is of protocol {version}"
            )));
        }
        Ok(())
    }

    fn number(&mut self, code: u8) -> Result<(), Problem> {
        let value = match code {
            b'N' => PythonValue::None,
            0x88 => PythonValue::Flag(true),
            0x89 => PythonValue::Flag(false),
            b'K' => PythonValue::Whole(i64::from(u8::from_le_bytes(self.array()?))),
            b'M' => PythonValue::Whole(i64::from(u16::from_le_bytes(self.array()?))),
            b'J' => PythonValue::Whole(i64::from(i32::from_le_bytes(self.array()?))),
            0x8a => {
                let [length] = self.array()?;
                long_integer(self.take_bytes(usize::from(length))?)
            }
            0x8b => {
                let length = u32::from_le_bytes(self.array()?);
                long_integer(self.take_bytes(length as usize)?)
            }
            b'G' => PythonValue::Number(f64::from_be_bytes(self.array()?)),
            b'F' => PythonValue::Number(self.parsed()?),
            _ => match self.take_line()?.trim_end_matches('L') {
                "00" => PythonValue::Flag(false),
                "01" => PythonValue::Flag(true),
                text => text.parse().map_or(PythonValue::Other, PythonValue::Whole),
            },
        };
        self.stack.push(value);
        Ok(())
    }

    fn push_text(&mut self, code: u8) -> Result<(), Problem> {
        let length = match code {
            0x8c | b'U' | b'C' => usize::from(u8::from_le_bytes(self.array()?)),
            b'X' | b'T' | b'B' => u32::from_le_bytes(self.array()?) as usize,
            0x8d | 0x8e => usize::try_from(u64::from_le_bytes(self.array()?)).unwrap_or(usize::MAX),
            _ => {
                let line = self.take_line()?;
                // Python 2 wrote texts as literals in quotes.
                let text = if code == b'S' {
                    line.trim_matches(['\'', '"'])
                } else {
                    line
                };
                self.stack.push(PythonValue::Text(text.into()));
                return Ok(());
            }
        };
        let bytes = self.take_bytes(length)?;
        self.stack.push(match code {
            b'B' | b'C' | 0x8e => PythonValue::Other,
            _ => match std::str::from_utf8(bytes) {
                Ok(text) => PythonValue::Text(text.into()),
                Err(_) => PythonValue::Other,
            },
        });
        Ok(())
    }

    fn container(&mut self, code: u8) -> Result<(), Problem> {
        let value = match code {
            b')' => self.heap.tuple(Vec::new()),
            b't' => {
                let values = self.since_mark()?;
                self.heap.tuple(values)
            }
            0x85..=0x87 => {
                let values = self.pop_many(usize::from(code - 0x84))?;
                self.heap.tuple(values)
            }
            b']' => self.heap.new_list(),
            b'l' => {
                let values = self.since_mark()?;
                self.heap.lists.push(values);
                PythonValue::List(self.heap.lists.len() - 1)
            }
            b'}' => self.heap.new_dict(Vec::new()),
            b'd' => {
                let pairs = paired(self.since_mark()?)?;
                self.heap.new_dict(pairs)
            }
            _ => PythonValue::Other,
        };
        self.stack.push(value);
        Ok(())
    }

    fn fill_container(&mut self, code: u8) -> Result<(), Problem> {
        let values = match code {
            b'a' => self.pop_many(1)?,
            b's' => self.pop_many(2)?,
            _ => self.since_mark()?,
        };
        match (code, self.peek()?.clone()) {
            (b'a' | b'e', PythonValue::List(at)) => self.heap.lists[at].extend(values),
            (b's' | b'u', PythonValue::Dict(at)) => self.heap.dicts[at].extend(paired(values)?),
            (_, PythonValue::Object(_) | PythonValue::Other) => {}
            _ => {
                return Err(damaged(
                    "its pickle fills something that is no list and no dictionary",
                ));
            }
        }
        Ok(())
    }

    fn remember(&mut self, code: u8) -> Result<(), Problem> {
        let key = match code {
            b'q' | b'h' => u32::from(u8::from_le_bytes(self.array()?)),
            b'r' | b'j' => u32::from_le_bytes(self.array()?),
            b'p' | b'g' => self.parsed()?,
            _ => self.memo.len() as u32,
        };
        match code {
            b'h' | b'j' | b'g' => {
                let kept = self.memo.get(&key).cloned();
                self.stack
                    .push(kept.ok_or_else(|| damaged("its pickle recalls what it never kept"))?);
            }
            _ => {
                let top = self.peek()?.clone();
                self.memo.insert(key, top);
            }
        }
        Ok(())
    }

    /// What only the world knows: names, calls, states of objects, things outside.
    fn ask_world(&mut self, code: u8) -> Result<(), Problem> {
        let value = match code {
            b'c' => {
                let module = self.take_line()?;
                let name = self.take_line()?;
                self.world.find(module, name)?
            }
            0x93 => match self.pop_many(2)?.as_slice() {
                [PythonValue::Text(module), PythonValue::Text(name)] => {
                    self.world.find(module, name)?
                }
                _ => return Err(damaged("its pickle names something without a name")),
            },
            b'Q' => {
                let id = self.pop()?;
                self.world.outside(self.heap, &id)?
            }
            b'b' => {
                // The state of an object: what is in it does not change what is read here.
                self.pop()?;
                return self.peek().map(drop);
            }
            _ => {
                let pair = self.pop_many(2)?;
                let arguments = self.heap.values(&pair[1]).map(<[PythonValue]>::to_vec);
                let arguments =
                    arguments.ok_or_else(|| damaged("its pickle calls without arguments"))?;
                self.count(&arguments)?;
                self.world.call(self.heap, &pair[0], &arguments)?
            }
        };
        self.stack.push(value);
        Ok(())
    }

    /// Counts what a call is given, and what lies in it.
    fn count(&mut self, arguments: &[PythonValue]) -> Result<(), Problem> {
        let inside = |value: &PythonValue| {
            let values = self.heap.values(value).map_or(0, <[_]>::len);
            values + self.heap.pairs(value).map_or(0, <[_]>::len)
        };
        let given = arguments
            .iter()
            .map(|value| 1 + inside(value))
            .sum::<usize>();
        self.heap.given = self.heap.given.saturating_add(given);
        match self.heap.given {
            0..=MOST_GIVEN => Ok(()),
            _ => Err(damaged(
                "its pickle calls with the same long lists again and again",
            )),
        }
    }

    fn pop(&mut self) -> Result<PythonValue, Problem> {
        let floor = self.marks.last().copied().unwrap_or(0);
        if self.stack.len() <= floor {
            return Err(damaged("its pickle takes from an empty stack"));
        }
        self.stack
            .pop()
            .ok_or_else(|| damaged("its pickle takes from an empty stack"))
    }

    fn peek(&self) -> Result<&PythonValue, Problem> {
        self.stack
            .last()
            .ok_or_else(|| damaged("its pickle takes from an empty stack"))
    }

    fn pop_many(&mut self, n: usize) -> Result<Vec<PythonValue>, Problem> {
        let floor = self.marks.last().copied().unwrap_or(0);
        match self.stack.len().checked_sub(n) {
            Some(at) if at >= floor => Ok(self.stack.split_off(at)),
            _ => Err(damaged("its pickle takes from an empty stack")),
        }
    }

    fn since_mark(&mut self) -> Result<Vec<PythonValue>, Problem> {
        let mark = self
            .marks
            .pop()
            .ok_or_else(|| damaged("its pickle goes back to a mark it never made"))?;
        Ok(self.stack.split_off(mark))
    }

    fn take_bytes(&mut self, n: usize) -> Result<&'b [u8], Problem> {
        let (taken, rest) = self.input.split_at_checked(n).ok_or_else(cut_short)?;
        *self.input = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let (taken, rest) = self.input.split_first_chunk::<N>().ok_or_else(cut_short)?;
        *self.input = rest;
        Ok(*taken)
    }

    fn take_line(&mut self) -> Result<&'b str, Problem> {
        let end = self
            .input
            .iter()
            .position(|&byte| byte == b'\n')
            .ok_or_else(cut_short)?;
        let line = &self.take_bytes(end + 1)?[..end];
        std::str::from_utf8(line).map_err(|_| damaged("its pickle has a line that is no text"))
    }

    fn parsed<T: std::str::FromStr>(&mut self) -> Result<T, Problem> {
        self.take_line()?
            .parse()
            .map_err(|_| damaged("its pickle has a line that is no number"))
    }
}

/// A whole number of any length, least significant byte first, in two's complement.
fn long_integer(bytes: &[u8]) -> PythonValue {
    let negative = bytes.last().is_some_and(|&byte| byte >= 0x80);
    let mut full = [if negative { 0xff } else { 0 }; 8];
    match full.get_mut(..bytes.len()) {
        Some(low) => low.copy_from_slice(bytes),
        None => return PythonValue::Other,
    }
    PythonValue::Whole(i64::from_le_bytes(full))
}

fn paired(values: Vec<PythonValue>) -> Result<Vec<(PythonValue, PythonValue)>, Problem> {
    if !values.len().is_multiple_of(2) {
        return Err(damaged("its pickle has a key without a value"));
    }
    let mut values = values.into_iter();
    let mut pairs = Vec::with_capacity(values.len() / 2);
    while let (Some(key), Some(value)) = (values.next(), values.next()) {
        pairs.push((key, value));
    }
    Ok(pairs)
}

fn cut_short() -> Problem {
    Problem::new("the file ends in the middle of its pickle")
        .expected("a file that was written to its end")
}

fn damaged(why: impl Into<String>) -> Problem {
    Problem::new(format!("the file is damaged: {}", why.into()))
        .expected("a file that torch.save wrote")
}
