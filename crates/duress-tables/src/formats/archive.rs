//! Zip archives, which npz files and workbooks are: what an archive says twice has to be the same.
//!
//! Each entry has a header before its bytes and another in the directory at the end. Readers differ
//! in which of the two they believe; where the two differ, the file is damaged.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};

use zip::ZipArchive;

/// A header's length before the entry's name: of the one before the bytes, and of that in the
/// directory.
const LOCAL: usize = 30;
const CENTRAL: usize = 46;

/// Where in these the mark, the flags with the method, and the length of the name are.
const END: usize = 22;
const END_MARK: &[u8] = b"PK\x05\x06";
const LOCAL_MARK: &[u8] = b"PK\x03\x04";
const CENTRAL_MARK: &[u8] = b"PK\x01\x02";
const LOCAL_FLAGS: usize = 6;
const CENTRAL_FLAGS: usize = 8;
const LOCAL_NAME: usize = 26;
const CENTRAL_NAME: usize = 28;

/// Opens an archive whose headers agree; why not, in words.
pub(super) fn open(input: BufReader<File>) -> Result<ZipArchive<BufReader<File>>, String> {
    let mut archive = ZipArchive::new(input).map_err(|error| error.to_string())?;
    let mut entries = Vec::new();
    for at in 0..archive.len() {
        let entry = archive
            .by_index_raw(at)
            .map_err(|error| error.to_string())?;
        let name = entry.name_raw().to_vec();
        entries.push((name, entry.header_start(), entry.central_header_start()));
    }
    let mut input = archive.into_inner();
    check_directory(
        &mut input,
        entries.iter().map(|(.., central)| *central).min(),
    )?;
    for (name, local, central) in &entries {
        let shown = String::from_utf8_lossy(name);
        let before = header(&mut input, *local, LOCAL + name.len())?;
        let listed = header(&mut input, *central, CENTRAL + name.len())?;
        let same = before.starts_with(LOCAL_MARK)
            && listed.starts_with(CENTRAL_MARK)
            && before[LOCAL_FLAGS..LOCAL_FLAGS + 4] == listed[CENTRAL_FLAGS..CENTRAL_FLAGS + 4]
            && before[LOCAL_NAME..LOCAL_NAME + 2] == listed[CENTRAL_NAME..CENTRAL_NAME + 2]
            && before[LOCAL..] == name[..]
            && listed[CENTRAL..] == name[..];
        if !same {
            return Err(format!("what it says of `{shown}` in two places differs"));
        }
    }
    input.rewind().map_err(|error| error.to_string())?;
    ZipArchive::new(input).map_err(|error| error.to_string())
}

/// The end of an archive says where its directory begins and how long it is: one behind the other.
fn check_directory(input: &mut BufReader<File>, begins: Option<u64>) -> Result<(), String> {
    let length = input
        .seek(SeekFrom::End(0))
        .map_err(|error| error.to_string())?;
    let last = length.min(END as u64 + u64::from(u16::MAX));
    let tail = header(input, length - last, last as usize)?;
    let is_end = |at: &usize| {
        let end = &tail[*at..];
        end.starts_with(END_MARK) && end.len() == END + usize::from(u16_at(end, END - 2))
    };
    let Some(at) = (0..tail.len().saturating_sub(END - 1)).rev().find(is_end) else {
        return Err("its end is damaged".into());
    };
    let is_large = at >= 20 && tail[at - 20..].starts_with(b"PK\x06\x07");
    let size = u64::from(u32_at(&tail[at..], 12));
    let place = length - last + at as u64;
    match begins {
        Some(begins) if !is_large && begins + size != place => {
            Err("its directory is not where its end says".into())
        }
        _ => Ok(()),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn header(input: &mut BufReader<File>, at: u64, length: usize) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; length];
    let read = input
        .seek(SeekFrom::Start(at))
        .and_then(|_| input.read_exact(&mut bytes));
    read.map(|()| bytes)
        .map_err(|error| format!("a header is cut short: {error}"))
}
