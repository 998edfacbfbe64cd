//! The wire format of protocol buffers: numbered fields, each a whole number, four or eight bytes,
//! or a run of bytes.

use duress_core::problem::Problem;

/// A message, field by field.
#[derive(Clone, Copy)]
pub(super) struct Message<'a>(&'a [u8]);

#[derive(Clone, Copy)]
pub(super) enum WireValue<'a> {
    Whole(u64),
    Eight([u8; 8]),
    Bytes(&'a [u8]),
    Four([u8; 4]),
}

impl<'a> Message<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Message<'a> {
        Message(bytes)
    }

    /// The next field and its number; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<(u64, WireValue<'a>)>, Problem> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let key = varint(&mut self.0)?;
        let field = match key & 7 {
            0 => WireValue::Whole(varint(&mut self.0)?),
            1 => WireValue::Eight(array(&mut self.0)?),
            2 => {
                let length = usize::try_from(varint(&mut self.0)?).unwrap_or(usize::MAX);
                let (bytes, rest) = self.0.split_at_checked(length).ok_or_else(damaged)?;
                self.0 = rest;
                WireValue::Bytes(bytes)
            }
            5 => WireValue::Four(array(&mut self.0)?),
            _ => return Err(damaged()),
        };
        Ok(Some((key >> 3, field)))
    }
}

impl<'a> WireValue<'a> {
    pub(super) fn bytes(self) -> Result<&'a [u8], Problem> {
        match self {
            WireValue::Bytes(bytes) => Ok(bytes),
            _ => Err(damaged()),
        }
    }

    pub(super) fn message(self) -> Result<Message<'a>, Problem> {
        self.bytes().map(Message)
    }

    pub(super) fn into_text(self) -> Result<String, Problem> {
        self.bytes()
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    pub(super) fn whole(self) -> Result<i64, Problem> {
        match self {
            // Negative numbers are written as the 64 bits they have.
            WireValue::Whole(number) => Ok(number as i64),
            _ => Err(damaged()),
        }
    }

    /// Adds the whole numbers of a repeated field, packed or one by one.
    pub(super) fn wholes(self, to: &mut Vec<i64>) -> Result<(), Problem> {
        match self {
            WireValue::Bytes(mut bytes) => {
                while !bytes.is_empty() {
                    to.push(varint(&mut bytes)? as i64);
                }
            }
            _ => to.push(self.whole()?),
        }
        Ok(())
    }

    /// Adds the bytes of a repeated field of numbers with a fixed size, packed or one by one.
    pub(super) fn numbers(self, to: &mut Vec<u8>) {
        match self {
            WireValue::Bytes(bytes) => to.extend_from_slice(bytes),
            WireValue::Four(bytes) => to.extend_from_slice(&bytes),
            WireValue::Eight(bytes) => to.extend_from_slice(&bytes),
            WireValue::Whole(_) => {}
        }
    }

    pub(super) fn float(self) -> Result<f32, Problem> {
        match self {
            WireValue::Four(bytes) => Ok(f32::from_le_bytes(bytes)),
            _ => Err(damaged()),
        }
    }
}

/// Seven bits per byte, the lowest first; the highest bit says that more follow.
fn varint(bytes: &mut &[u8]) -> Result<u64, Problem> {
    let mut number = 0;
    for place in 0..10 {
        let [byte] = array(bytes)?;
        number |= u64::from(byte & 127) << (7 * place);
        if byte < 128 {
            return Ok(number);
        }
    }
    Err(damaged())
}

fn array<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], Problem> {
    let (array, rest) = bytes.split_first_chunk::<N>().ok_or_else(damaged)?;
    *bytes = rest;
    Ok(*array)
}

pub(super) fn damaged() -> Problem {
    Problem::new("this is not a whole ONNX file")
        .expected("a file that an ONNX exporter wrote to its end")
}
