//! The binary frame: 48 bytes that say what follows, then the numbers, all little-endian.
//!
//! | Bytes | What |
//! |---|---|
//! | 0–3 | `DRSF` |
//! | 4–5 | version, 1 |
//! | 6 | kind: 1 images, 2 windows, 3 probabilities, 4 logits, 5 gradient, 6 checkpoint |
//! | 7 | type: 0 bytes, 1 f32, 2 f64 |
//! | 8–15 | length of what follows, in bytes |
//! | 16–47 | shape: four sizes of eight bytes; axes that are not there are 0, and stand last |

/// The version of the protocol, in hellos and in frames.
pub const VERSION: u16 = 1;

/// The bytes of a header.
pub const HEADER: usize = 48;

const MAGIC: [u8; 4] = *b"DRSF";

/// What the numbers of a frame are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// Images: items × channels × height × width, in [0, 1].
    Images = 1,
    /// Windows: items × steps × variables; what is hidden is NaN.
    Windows = 2,
    /// Probabilities: items × classes.
    Probabilities = 3,
    /// Logits: items × classes.
    Logits = 4,
    /// The derivative of the loss by each pixel, in the shape of the images.
    Gradient = 5,
    /// What a process has learnt, in a form only it understands.
    Checkpoint = 6,
}

const KINDS: [(NumberKind, &str); 6] = [
    (NumberKind::Images, "images"),
    (NumberKind::Windows, "windows"),
    (NumberKind::Probabilities, "probabilities"),
    (NumberKind::Logits, "logits"),
    (NumberKind::Gradient, "gradient"),
    (NumberKind::Checkpoint, "checkpoint"),
];

impl NumberKind {
    /// The word for it in the head of a message.
    pub fn word(self) -> &'static str {
        KINDS[self as usize - 1].1
    }

    /// The kind of this word.
    pub fn of_word(word: &str) -> Option<NumberKind> {
        KINDS
            .iter()
            .find(|(_, known)| *known == word)
            .map(|(kind, _)| *kind)
    }
}

/// In what form numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// Bytes that mean nothing here.
    Bytes = 0,
    /// Single precision.
    F32 = 1,
    /// Double precision.
    F64 = 2,
}

impl Dtype {
    /// Bytes per number.
    pub fn size(self) -> usize {
        match self {
            Dtype::Bytes => 1,
            Dtype::F32 => 4,
            Dtype::F64 => 8,
        }
    }
}

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the numbers are.
    pub kind: NumberKind,
    /// How they are written.
    pub dtype: Dtype,
    /// The sizes of the axes; those that are not there are 0.
    pub shape: [u64; 4],
}

impl Header {
    /// A header for numbers of this shape.
    ///
    /// # Panics
    /// With more than four axes: no message has them.
    pub fn new(kind: NumberKind, dtype: Dtype, axes: &[usize]) -> Header {
        let mut shape = [0; 4];
        axes.iter()
            .enumerate()
            .for_each(|(at, size)| shape[at] = *size as u64);
        Header { kind, dtype, shape }
    }

    /// The sizes of the axes that are there.
    pub fn axes(&self) -> &[u64] {
        let there = self
            .shape
            .iter()
            .position(|size| *size == 0)
            .unwrap_or(self.shape.len());
        &self.shape[..there]
    }

    /// The bytes that follow; `None` when they cannot be counted.
    pub fn length(&self) -> Option<u64> {
        let numbers = self
            .axes()
            .iter()
            .try_fold(1_u64, |all, size| all.checked_mul(*size))?;
        if self.axes().is_empty() {
            Some(0)
        } else {
            numbers.checked_mul(self.dtype.size() as u64)
        }
    }

    /// The header as it is sent.
    pub fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&VERSION.to_le_bytes());
        (bytes[6], bytes[7]) = (self.kind as u8, self.dtype as u8);
        bytes[8..16].copy_from_slice(&self.length().unwrap_or(u64::MAX).to_le_bytes());
        for (at, size) in self.shape.iter().enumerate() {
            bytes[16 + 8 * at..24 + 8 * at].copy_from_slice(&size.to_le_bytes());
        }
        bytes
    }

    /// Reads a header, or says what is wrong with it.
    pub fn parse(bytes: &[u8; HEADER]) -> Result<Header, String> {
        if bytes[..4] != MAGIC {
            let came = String::from_utf8_lossy(&bytes[..16]).into_owned();
            return Err(format!(
                "expected a frame, which begins with `DRSF`; what came begins with {came:?}"
            ));
        }
        let version = u16::from_le_bytes([bytes[4], bytes[5]]);
        if version != VERSION {
            return Err(format!(
                "expected a frame of version {VERSION}, came one of version {version}"
            ));
        }
        let kind = KINDS.iter().find(|(kind, _)| *kind as u8 == bytes[6]);
        let Some((kind, _)) = kind else {
            return Err(format!("no frame has kind {}", bytes[6]));
        };
        let dtype = match bytes[7] {
            0 => Dtype::Bytes,
            1 => Dtype::F32,
            2 => Dtype::F64,
            other => {
                return Err(format!(
                    "no frame has type {other}: 0 is bytes, 1 is f32, 2 is f64"
                ));
            }
        };
        let header = Header {
            kind: *kind,
            dtype,
            shape: std::array::from_fn(|at| word(bytes, 16 + 8 * at)),
        };
        header.checked(word(bytes, 8))
    }

    fn checked(self, length: u64) -> Result<Header, String> {
        if self.shape[self.axes().len()..]
            .iter()
            .any(|size| *size != 0)
        {
            return Err(format!(
                "the frame has shape {:?}: an axis after one that is not there",
                self.shape
            ));
        }
        if self.length() != Some(length) {
            let axes = self.axes();
            let dtype = self.dtype;
            return Err(format!(
                "the frame says {length} bytes, but its shape {axes:?} of {dtype:?} does not"
            ));
        }
        Ok(self)
    }
}

fn word(bytes: &[u8; HEADER], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

/// The numbers of a frame.
#[derive(Clone, Debug, PartialEq)]
pub enum Numbers {
    /// Bytes that mean nothing here.
    Bytes(Vec<u8>),
    /// Single precision.
    F32(Vec<f32>),
    /// Double precision.
    F64(Vec<f64>),
}

impl Numbers {
    /// Room for `bytes` bytes of numbers, in `spare` where it fits: fresh memory costs more than
    /// filling it.
    fn with_room(dtype: Dtype, bytes: usize, mut spare: Vec<f32>) -> Numbers {
        match dtype {
            Dtype::Bytes => Numbers::Bytes(Vec::with_capacity(bytes)),
            Dtype::F32 => {
                spare.clear();
                spare.reserve_exact(bytes / 4);
                Numbers::F32(spare)
            }
            Dtype::F64 => Numbers::F64(Vec::with_capacity(bytes / 8)),
        }
    }

    fn extend(&mut self, bytes: &[u8]) {
        match self {
            Numbers::Bytes(all) => all.extend_from_slice(bytes),
            Numbers::F32(all) => all.extend(
                bytes
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .map(|b| f32::from_le_bytes(*b)),
            ),
            Numbers::F64(all) => all.extend(
                bytes
                    .as_chunks::<8>()
                    .0
                    .iter()
                    .map(|b| f64::from_le_bytes(*b)),
            ),
        }
    }

    /// The numbers in double precision; none where they are bytes.
    pub fn doubles(self) -> Vec<f64> {
        match self {
            Numbers::Bytes(_) => Vec::new(),
            Numbers::F32(all) => all.into_iter().map(f64::from).collect(),
            Numbers::F64(all) => all,
        }
    }
}

/// Appends `numbers` to `out` as they are sent.
pub fn put_f32(out: &mut Vec<u8>, numbers: &[f32]) {
    let from = out.len();
    out.resize(from + 4 * numbers.len(), 0);
    let places = out[from..].as_chunks_mut::<4>().0;
    places
        .iter_mut()
        .zip(numbers)
        .for_each(|(place, number)| *place = number.to_le_bytes());
}

/// Appends `numbers` to `out` as they are sent.
pub fn put_f64(out: &mut Vec<u8>, numbers: &[f64]) {
    numbers
        .iter()
        .for_each(|number| out.extend_from_slice(&number.to_le_bytes()));
}

/// A frame that comes in pieces.
#[derive(Debug)]
pub struct Incoming {
    head: Vec<u8>,
    header: Option<Header>,
    numbers: Numbers,
    /// The beginning of a number whose rest has not come.
    torn: Vec<u8>,
    left: u64,
    most: u64,
    spare: Vec<f32>,
}

impl Incoming {
    /// A frame of at most `most` bytes; one that announces more is refused before room is made for
    /// it.
    pub fn new(most: u64) -> Incoming {
        Incoming::into_spare(most, Vec::new())
    }

    /// The same, into memory that was used before.
    pub fn into_spare(most: u64, spare: Vec<f32>) -> Incoming {
        let numbers = Numbers::Bytes(Vec::new());
        Incoming {
            head: Vec::new(),
            header: None,
            numbers,
            torn: Vec::new(),
            left: 0,
            most,
            spare,
        }
    }

    /// Takes what belongs to the frame from the front of `bytes`, and says how many bytes that
    /// were.
    pub fn take(&mut self, bytes: &[u8]) -> Result<usize, String> {
        let mut taken = 0;
        if self.header.is_none() {
            taken = bytes.len().min(HEADER - self.head.len());
            self.head.extend_from_slice(&bytes[..taken]);
            let Ok(head) = <[u8; HEADER]>::try_from(self.head.as_slice()) else {
                return Ok(taken);
            };
            self.open(Header::parse(&head)?)?;
        }
        let mine = bytes
            .len()
            .saturating_sub(taken)
            .min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.append(&bytes[taken..taken + mine]);
        self.left -= mine as u64;
        Ok(taken + mine)
    }

    fn open(&mut self, header: Header) -> Result<(), String> {
        self.left = header.length().unwrap_or(u64::MAX);
        if self.left > self.most {
            let axes = header.axes();
            let most = self.most;
            return Err(format!(
                "expected a frame of at most {most} bytes, came one of shape {axes:?}"
            ));
        }
        let spare = std::mem::take(&mut self.spare);
        self.numbers = Numbers::with_room(header.dtype, self.left as usize, spare);
        self.header = Some(header);
        Ok(())
    }

    fn append(&mut self, mut bytes: &[u8]) {
        let size = self.header.map_or(1, |header| header.dtype.size());
        if !self.torn.is_empty() {
            let rest = bytes.len().min(size - self.torn.len());
            self.torn.extend_from_slice(&bytes[..rest]);
            bytes = &bytes[rest..];
            if self.torn.len() < size {
                return;
            }
            self.numbers.extend(&std::mem::take(&mut self.torn));
        }
        let whole = bytes.len() / size * size;
        self.numbers.extend(&bytes[..whole]);
        self.torn.extend_from_slice(&bytes[whole..]);
    }

    /// Whether all of it has come.
    pub fn is_whole(&self) -> bool {
        self.header.is_some() && self.left == 0
    }

    /// How far it has come, for messages.
    pub fn progress(&self) -> String {
        match self.header {
            None => format!(
                "{} of the {HEADER} bytes of a frame's header",
                self.head.len()
            ),
            Some(header) => {
                let length = header.length().unwrap_or(u64::MAX);
                format!(
                    "{} of the {length} bytes of a frame of {}",
                    length - self.left,
                    header.kind.word()
                )
            }
        }
    }

    /// The frame, once it is whole.
    pub fn finish(self) -> Option<(Header, Numbers)> {
        let whole = self.is_whole();
        self.header
            .filter(|_| whole)
            .map(|header| (header, self.numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(numbers: &[f32]) -> Vec<u8> {
        let mut bytes = Header::new(NumberKind::Logits, Dtype::F32, &[2, numbers.len() / 2])
            .bytes()
            .to_vec();
        put_f32(&mut bytes, numbers);
        bytes
    }

    #[test]
    fn a_frame_is_the_same_however_it_is_torn() {
        let numbers = [1.0, -2.5, 3.25, f32::MIN_POSITIVE, 5.0, 6.0];
        let mut bytes = frame(&numbers);
        bytes.extend_from_slice(b"next");
        for piece in 1..bytes.len() {
            let mut incoming = Incoming::new(1000);
            let mut rest = bytes.as_slice();
            while !incoming.is_whole() {
                let taken = incoming.take(&rest[..piece.min(rest.len())]).unwrap();
                rest = &rest[taken..];
            }
            assert_eq!(rest, b"next", "what follows is left alone");
            let (header, came) = incoming.finish().unwrap();
            assert_eq!(
                (header.axes(), came),
                ([2, 3].as_slice(), Numbers::F32(numbers.to_vec()))
            );
        }
    }

    #[test]
    fn the_header_is_what_the_documentation_says() {
        let bytes = Header::new(NumberKind::Images, Dtype::F32, &[2, 1, 8, 8]).bytes();
        assert_eq!(&bytes[..8], b"DRSF\x01\x00\x01\x01");
        assert_eq!(bytes[8..16], 512_u64.to_le_bytes());
        assert_eq!(bytes[16..24], 2_u64.to_le_bytes());
        assert_eq!(bytes[40..48], 8_u64.to_le_bytes());
    }

    #[test]
    fn a_header_that_cannot_be_is_refused_with_what_is_wrong() {
        let check = |at: usize, byte: u8, expected: &str| {
            let mut bytes = frame(&[1.0, 2.0]);
            bytes[at] = byte;
            let why = Incoming::new(1000).take(&bytes).unwrap_err();
            assert!(why.contains(expected), "{why}");
        };
        check(0, b'{', "begins with `DRSF`");
        check(4, 9, "version 9");
        check(6, 77, "kind 77");
        check(7, 9, "type 9");
        check(8, 9, "says 9 bytes");
        check(23, 255, "does not");
        check(40, 1, "an axis after one that is not there");
    }

    #[test]
    fn no_room_is_made_for_more_than_is_expected() {
        let why = Incoming::new(15).take(&frame(&[1.0; 4])).unwrap_err();
        assert!(why.contains("at most 15 bytes"), "{why}");
    }

    #[test]
    fn half_a_frame_says_how_far_it_came() {
        let mut incoming = Incoming::new(1000);
        let bytes = frame(&[1.0; 4]);
        incoming.take(&bytes[..10]).unwrap();
        assert!(
            incoming.progress().contains("10 of the 48 bytes"),
            "{}",
            incoming.progress()
        );
        incoming.take(&bytes[10..50]).unwrap();
        assert_eq!(
            incoming.progress(),
            "2 of the 16 bytes of a frame of logits"
        );
        assert!(incoming.finish().is_none());
    }
}
