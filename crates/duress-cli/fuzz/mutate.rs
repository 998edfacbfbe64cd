//! The mutator: from a number and some seeds comes one input, the same every time.

use std::io::{Cursor, Read, Write};

use duress_core::seed::{Draws, Seed};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Numbers at which readers stumble, as bytes of any width.
const EDGES: [u64; 14] = [
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
];

/// Pieces of text at which readers stumble.
const WORDS: [&[u8]; 16] = [
    b"NaN",
    b"-inf",
    b"1e999",
    b"-0",
    b"0x10",
    b"99999999999999999999",
    b"\"",
    b"\"\"",
    b",",
    b"\r\n",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"{{{{{{{{{{{{{{{{",
    b"[[[[[[[[[[[[[[[[",
    b"null",
];

/// The input of this number.
pub(crate) fn input(reader: &str, number: u64, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut draws = Seed::new(number).child("fuzz").child(reader).draws();
    let seed = &seeds[draws.below(seeds.len())];
    let other = &seeds[draws.below(seeds.len())];
    // What is in an archive is behind a checksum: half of the mutants are made inside.
    if seed.starts_with(b"PK") && draws.chance(0.6) {
        if let Some(bytes) = within_archive(seed, other, &mut draws) {
            return bytes;
        }
    }
    let mut bytes = seed.clone();
    mutate(&mut bytes, other, &mut draws);
    bytes
}

fn mutate(bytes: &mut Vec<u8>, other: &[u8], draws: &mut Draws) {
    // Mostly little: what is far from any file is refused at its first byte.
    let most = 1 << draws.below(5);
    let times = 1 + draws.below(most);
    for _ in 0..times {
        once(bytes, other, draws);
    }
    bytes.truncate(1 << 20);
}

fn once(bytes: &mut Vec<u8>, other: &[u8], draws: &mut Draws) {
    let length = bytes.len();
    let at = draws.below(length + 1);
    let span = |draws: &mut Draws| {
        let most = 2 << draws.below(8);
        draws.below(most)
    };
    match draws.below(11) {
        0 if at < length => bytes[at] ^= 1 << draws.below(8),
        1 if at < length => bytes[at] = draws.below(256) as u8,
        2 => edge(bytes, at, draws),
        3 => bytes.truncate(at),
        4 => {
            let end = (at + span(draws)).min(length);
            bytes.drain(at..end);
        }
        5 => {
            let end = (at + span(draws)).min(length);
            let piece = bytes[at..end].to_vec();
            splice(bytes, at, &piece.repeat(1 + draws.below(3)));
        }
        6 if !other.is_empty() => {
            let from = draws.below(other.len());
            let to = (from + span(draws)).min(other.len());
            splice(bytes, at, &other[from..to]);
        }
        7 => splice(bytes, at, WORDS[draws.below(WORDS.len())]),
        8 => digit(bytes, at, draws),
        9 => {
            let end = (at + span(draws)).min(length);
            bytes[at..end].fill(draws.below(256) as u8);
        }
        _ => {
            let piece: Vec<u8> = (0..span(draws)).map(|_| draws.below(256) as u8).collect();
            splice(bytes, at, &piece);
        }
    }
}

/// Overwrites a number of 1 to 8 bytes with one at which readers stumble.
fn edge(bytes: &mut [u8], at: usize, draws: &mut Draws) {
    let width = 1 << draws.below(4);
    let edge = EDGES[draws.below(EDGES.len())];
    let raw = if draws.chance(0.8) {
        edge.to_le_bytes()
    } else {
        edge.rotate_left(8 * (8 - width as u32)).to_be_bytes()
    };
    for (to, from) in bytes.iter_mut().skip(at).zip(&raw[..width]) {
        *to = *from;
    }
}

/// Changes a number that is written in digits, if there is one further on.
fn digit(bytes: &mut [u8], at: usize, draws: &mut Draws) {
    let mut after = bytes.iter_mut().skip(at);
    if let Some(digit) = after.find(|byte| byte.is_ascii_digit()) {
        *digit = b'0' + draws.below(10) as u8;
    }
}

fn splice(bytes: &mut Vec<u8>, at: usize, piece: &[u8]) {
    bytes.splice(at..at, piece.iter().copied());
}

/// The same archive with one entry changed.
fn within_archive(seed: &[u8], other: &[u8], draws: &mut Draws) -> Option<Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(seed)).ok()?;
    let chosen = draws.below(archive.len().max(1));
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).ok()?;
        let (name, method) = (entry.name().ok()?.into_owned(), entry.compression());
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).ok()?;
        if at == chosen {
            mutate(&mut bytes, other, draws);
        }
        let method = match method {
            CompressionMethod::Stored => CompressionMethod::Stored,
            _ => CompressionMethod::Deflated,
        };
        let options = SimpleFileOptions::default().compression_method(method);
        out.start_file(name, options).ok()?;
        out.write_all(&bytes).ok()?;
    }
    Some(out.finish().ok()?.into_inner())
}
