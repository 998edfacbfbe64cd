//! Tensors as files have them: a view of some bytes, with a kind of number, a shape and strides.

use std::fmt;
use std::sync::Arc;

use duress_core::problem::Problem;

/// Numbers in some shape, as a file has them. Several tensors may look at the same bytes.
///
/// ```
/// use duress_tensors::tensor::{ElementType, FileTensor};
/// let bytes = [1.0_f32, 2.0, 3.0, 4.0].iter().flat_map(|x| x.to_le_bytes()).collect();
/// let tensor = FileTensor::new(ElementType::F32, vec![2, 2], bytes).unwrap();
/// assert_eq!(tensor.to_f64(), [1.0, 2.0, 3.0, 4.0]);
/// assert_eq!(tensor.wholes(), None);
/// ```
#[derive(Clone, Debug)]
pub struct FileTensor {
    storage: Arc<Storage>,
    kind: ElementType,
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
}

/// A tensor with the name the file gives it.
pub type NamedTensor = (String, FileTensor);

/// Bytes that tensors look at.
#[derive(Debug)]
pub(crate) struct Storage {
    pub(crate) bytes: Vec<u8>,
    /// Whether the most significant byte comes first.
    pub(crate) big_endian: bool,
}

/// A kind of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementType {
    F16,
    BF16,
    F32,
    F64,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    Bool,
}

/// The kinds that can be read, in words.
pub const KINDS: &str = "f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 or bool";

/// More numbers than this are those of a damaged or hostile file.
const MOST: usize = 1 << 31;

/// A view may show one number many times, but not so many that a few bytes fill the memory.
const MOST_REPEATED: usize = 1 << 24;

impl FileTensor {
    /// A tensor whose numbers lie one after the other, the last axis fastest, least significant
    /// byte first.
    pub fn new(
        kind: ElementType,
        shape: Vec<usize>,
        bytes: Vec<u8>,
    ) -> Result<FileTensor, Problem> {
        let count = count(&shape)?;
        if bytes.len() != count * kind.byte_size() {
            return Err(Problem::new(format!(
                "there are {} bytes for a tensor of {shape:?} in {kind}",
                bytes.len()
            ))
            .expected(format!("{} bytes", count * kind.byte_size())));
        }
        let strides = contiguous(&shape);
        let storage = Arc::new(Storage {
            bytes,
            big_endian: false,
        });
        Ok(FileTensor {
            storage,
            kind,
            offset: 0,
            shape,
            strides,
        })
    }

    /// A view of some bytes: `offset` and `strides` count numbers, not bytes.
    pub(crate) fn from_view(
        storage: Arc<Storage>,
        kind: ElementType,
        offset: usize,
        shape: Vec<usize>,
        strides: Vec<usize>,
    ) -> Result<FileTensor, Problem> {
        let beyond = || {
            Problem::new(format!(
                "a tensor of {shape:?} with strides {strides:?} from {offset} on goes beyond the {} numbers it looks at",
                storage.bytes.len() / kind.byte_size()
            ))
            .expected("a file that was written to its end")
        };
        let shown = count(&shape)?;
        if shown > 0 {
            let mut steps = shape
                .iter()
                .zip(&strides)
                .map(|(&n, &stride)| (n - 1).checked_mul(stride));
            let last = steps.try_fold(offset, |last, step| last.checked_add(step?));
            let there = storage.bytes.len() / kind.byte_size();
            if shape.len() != strides.len() || last.is_none_or(|last| last >= there) {
                return Err(beyond());
            }
            if shown > there.max(MOST_REPEATED) {
                return Err(Problem::new(format!(
                    "a tensor of {shape:?} shows {there} numbers again and again"
                ))
                .expected("weights that are stored in full"));
            }
        }
        Ok(FileTensor {
            storage,
            kind,
            offset,
            shape,
            strides,
        })
    }

    /// The kind of its numbers.
    pub fn element_type(&self) -> ElementType {
        self.kind
    }

    /// Its size along each axis; none when it is a single number.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Its numbers, the last axis fastest. What f32 cannot hold is rounded.
    pub fn to_f32(&self) -> Vec<f32> {
        match self.kind {
            ElementType::F32 => self.decode_each(f32::from_le_bytes),
            ElementType::F16 => self.decode_each(|bytes| half_to_f32(u16::from_le_bytes(bytes))),
            ElementType::BF16 => self.decode_each(|bytes| brain(u16::from_le_bytes(bytes))),
            _ => self.to_f64().into_iter().map(|x| x as f32).collect(),
        }
    }

    /// Its numbers, the last axis fastest. Whole numbers beyond 2⁵³ are rounded.
    pub fn to_f64(&self) -> Vec<f64> {
        match self.kind {
            ElementType::F64 => self.decode_each(f64::from_le_bytes),
            ElementType::F16 | ElementType::BF16 | ElementType::F32 => {
                self.to_f32().into_iter().map(f64::from).collect()
            }
            ElementType::U64 => self.decode_each(|bytes| u64::from_le_bytes(bytes) as f64),
            _ => self
                .wholes()
                .into_iter()
                .flatten()
                .map(|x| x as f64)
                .collect(),
        }
    }

    /// Its numbers if they are whole (and flags as 0 and 1), the last axis fastest. A `u64` beyond
    /// the range is `i64::MAX`.
    pub fn wholes(&self) -> Option<Vec<i64>> {
        Some(match self.kind {
            ElementType::F16 | ElementType::BF16 | ElementType::F32 | ElementType::F64 => {
                return None;
            }
            ElementType::I8 => self.decode_each(|bytes| i64::from(i8::from_le_bytes(bytes))),
            ElementType::I16 => self.decode_each(|bytes| i64::from(i16::from_le_bytes(bytes))),
            ElementType::I32 => self.decode_each(|bytes| i64::from(i32::from_le_bytes(bytes))),
            ElementType::I64 => self.decode_each(i64::from_le_bytes),
            ElementType::U8 => self.decode_each(|[byte]| i64::from(byte)),
            ElementType::U16 => self.decode_each(|bytes| i64::from(u16::from_le_bytes(bytes))),
            ElementType::U32 => self.decode_each(|bytes| i64::from(u32::from_le_bytes(bytes))),
            ElementType::U64 => self
                .decode_each(|bytes| i64::try_from(u64::from_le_bytes(bytes)).unwrap_or(i64::MAX)),
            ElementType::Bool => self.decode_each(|[byte]| i64::from(byte != 0)),
        })
    }

    /// Decodes every number, in order. `N` is the size of the kind.
    fn decode_each<const N: usize, T>(&self, decode: impl Fn([u8; N]) -> T) -> Vec<T> {
        let (numbers, _) = self.storage.bytes.as_chunks::<N>();
        let decode = |mut bytes: [u8; N]| {
            if self.storage.big_endian {
                bytes.reverse();
            }
            decode(bytes)
        };
        let count = self.count();
        if count == 0 {
            return Vec::new();
        }
        if self.strides == contiguous(&self.shape) {
            return numbers[self.offset..self.offset + count]
                .iter()
                .map(|&bytes| decode(bytes))
                .collect();
        }
        let mut at = vec![0; self.shape.len()];
        let mut position = self.offset;
        let mut out = Vec::with_capacity(count);
        loop {
            out.push(decode(numbers[position]));
            // Like the wheels of a counter: the last axis turns fastest.
            let mut axis = self.shape.len();
            loop {
                if axis == 0 {
                    return out;
                }
                axis -= 1;
                at[axis] += 1;
                position += self.strides[axis];
                if at[axis] < self.shape[axis] {
                    break;
                }
                position -= self.shape[axis] * self.strides[axis];
                at[axis] = 0;
            }
        }
    }
}

/// Two tensors are equal when their kinds, shapes and numbers are, however they are stored.
impl PartialEq for FileTensor {
    fn eq(&self, other: &FileTensor) -> bool {
        self.kind == other.kind
            && self.shape == other.shape
            && self.wholes() == other.wholes()
            && self.to_f64() == other.to_f64()
    }
}

impl ElementType {
    /// How many bytes a number takes.
    pub fn byte_size(self) -> usize {
        match self {
            ElementType::I8 | ElementType::U8 | ElementType::Bool => 1,
            ElementType::F16 | ElementType::BF16 | ElementType::I16 | ElementType::U16 => 2,
            ElementType::F32 | ElementType::I32 | ElementType::U32 => 4,
            ElementType::F64 | ElementType::I64 | ElementType::U64 => 8,
        }
    }

    /// Whether it holds fractions.
    pub fn is_floating(self) -> bool {
        matches!(
            self,
            ElementType::F16 | ElementType::BF16 | ElementType::F32 | ElementType::F64
        )
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", format!("{self:?}").to_lowercase())
    }
}

/// The strides of a tensor whose numbers lie one after the other. An axis of one is passed over by
/// no step, so any stride is as good; writers differ there, and so a view that differs only there
/// is merely read more slowly.
fn contiguous(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1);
    }
    strides
}

/// How many numbers a shape has, if that many can be.
fn count(shape: &[usize]) -> Result<usize, Problem> {
    let count = shape
        .iter()
        .try_fold(1_usize, |count, &n| count.checked_mul(n.max(1)));
    match count {
        Some(count) if count <= MOST => Ok(if shape.contains(&0) { 0 } else { count }),
        _ => Err(
            Problem::new(format!("a tensor of {shape:?} has too many numbers"))
                .expected(format!("at most {MOST}")),
        ),
    }
}

/// IEEE 754 half precision: 1 bit of sign, 5 of exponent, 10 of fraction.
pub fn half_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let exponent = u32::from(bits >> 10) & 31;
    let fraction = u32::from(bits) & 1023;
    match exponent {
        // Subnormal: the fraction counts steps of 2⁻²⁴, which f32 holds exactly.
        0 => f32::from_bits(sign | (fraction as f32 * (1.0 / 16_777_216.0)).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// The upper half of an f32.
fn brain(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(big_endian: bool) -> Arc<Storage> {
        let bytes = (0..12_i16).flat_map(|x| {
            if big_endian {
                x.to_be_bytes()
            } else {
                x.to_le_bytes()
            }
        });
        Arc::new(Storage {
            bytes: bytes.collect(),
            big_endian,
        })
    }

    #[test]
    fn a_view_is_read_along_its_strides_in_either_byte_order() {
        let check = |shape: &[usize], strides: &[usize], offset: usize, expected: &[i64]| {
            for big_endian in [false, true] {
                let view = FileTensor::from_view(
                    ramp(big_endian),
                    ElementType::I16,
                    offset,
                    shape.into(),
                    strides.into(),
                )
                .unwrap();
                assert_eq!(view.wholes().unwrap(), expected);
            }
        };
        check(&[2, 3], &[3, 1], 0, &[0, 1, 2, 3, 4, 5]);
        check(&[3, 2], &[1, 3], 0, &[0, 3, 1, 4, 2, 5]);
        check(&[2, 2, 2], &[6, 1, 3], 1, &[1, 4, 2, 5, 7, 10, 8, 11]);
        check(&[3], &[0], 7, &[7, 7, 7]);
        check(&[], &[], 5, &[5]);
        check(&[4, 0], &[9, 1], 500, &[]);
        check(&[1, 3], &[77, 1], 9, &[9, 10, 11]);
    }

    #[test]
    fn a_view_beyond_its_bytes_is_refused() {
        let check = |shape: &[usize], strides: &[usize], offset: usize, expected: &str| {
            let why = FileTensor::from_view(
                ramp(false),
                ElementType::I16,
                offset,
                shape.into(),
                strides.into(),
            )
            .unwrap_err();
            assert!(why.to_string().contains(expected), "{why}");
        };
        check(&[13], &[1], 0, "beyond the 12 numbers");
        check(&[2], &[12], 0, "beyond");
        check(&[1], &[1], 12, "beyond");
        check(&[2], &[usize::MAX], 2, "beyond");
        check(&[2, 2], &[1], 0, "beyond");
        check(&[1 << 40], &[0], 0, "too many numbers");
        check(&[usize::MAX, 2], &[0, 0], 0, "too many numbers");
        check(&[1 << 25], &[0], 0, "shows 12 numbers again and again");
    }

    #[test]
    fn short_floats_are_what_their_formats_say() {
        let check = |bits: u16, half: f32, brain: f32| {
            let of = |kind| {
                FileTensor::new(kind, vec![], bits.to_le_bytes().to_vec())
                    .unwrap()
                    .to_f32()[0]
            };
            assert_eq!(
                (of(ElementType::F16), of(ElementType::BF16)),
                (half, brain),
                "{bits:04x}"
            );
        };
        check(0x3c00, 1.0, 0.007_812_5);
        check(0xc000, -2.0, -2.0);
        check(0x0001, 5.960_464_5e-8, 9.183_55e-41);
        check(0x83ff, -6.097_555e-5, -1.498_755_3e-36);
        check(0x7bff, 65504.0, 2.648_071_4e36);
        check(0xfc00, f32::NEG_INFINITY, -2.658_456e36);
        check(0x8000, -0.0, -0.0);
        let nan = FileTensor::new(ElementType::F16, vec![1], vec![0x01, 0x7e]).unwrap();
        assert!(nan.to_f32()[0].is_nan());
    }
}
