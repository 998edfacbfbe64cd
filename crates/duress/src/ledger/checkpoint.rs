//! A fitted subject's checkpoint as a file: a line that says what it is, a checksum, the bytes.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::checksum;
use super::version::{self, Unreadable};
use crate::plan::Id;

/// What a file of today begins with; older ones begin with the checkpoint itself.
const HEAD: &[u8] = b"duress checkpoint 2\n";

/// In so many places a beginning may differ from today's and still be today's, damaged: no
/// checkpoint of version 1 begins nearly so.
const NEARLY: usize = 8;

/// A checkpoint that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCheckpoint {
    /// What the subject made of itself.
    pub bytes: Vec<u8>,
    /// Whether a checksum vouches for it; version 1 had none.
    pub checked: bool,
}

pub(super) fn write(mut file: BufWriter<File>, owner: Id, bytes: &[u8]) -> io::Result<()> {
    file.write_all(HEAD)?;
    file.write_all(seal(owner, bytes).bytes())?;
    file.write_all(bytes)?;
    file.flush()
}

pub(super) fn read(path: &Path, owner: Id) -> Result<Option<KeptCheckpoint>, Unreadable> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Unreadable::disk(path, &error)),
        Ok(bytes) => bytes,
    };
    if is_of_version_1(&bytes) {
        let checked = false;
        return Ok(Some(KeptCheckpoint { bytes, checked }));
    }
    let sealed = bytes.strip_prefix(HEAD);
    match sealed.and_then(|sealed| sealed.split_at_checked(32)) {
        Some((said, rest)) if said == seal(owner, rest).bytes() => Ok(Some(KeptCheckpoint {
            bytes: rest.to_vec(),
            checked: true,
        })),
        _ => Err(Unreadable::damaged(path, version::WRONG_CHECKSUM)),
    }
}

/// An empty file is no old checkpoint but one that lost its content: what it costs to fit anew is
/// nothing where there is nothing to remember.
fn is_of_version_1(bytes: &[u8]) -> bool {
    if bytes.len() < HEAD.len() {
        return !HEAD.starts_with(bytes);
    }
    HEAD.iter().zip(bytes).filter(|(a, b)| a != b).count() > NEARLY
}

fn seal(owner: Id, bytes: &[u8]) -> Id {
    checksum::of_bytes(owner, "checkpoint 2", bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_every_cut_and_a_swap_are_noticed_and_version_1_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.bin");
        let owner = Id::joined("a preparation", &[]);
        let kept = b"{\"weights\": [0.25, -1.5]}";
        write(BufWriter::new(File::create(&path).unwrap()), owner, kept).unwrap();
        let whole = fs::read(&path).unwrap();
        let came = read(&path, owner).unwrap().unwrap();
        assert_eq!((came.bytes.as_slice(), came.checked), (&kept[..], true));
        assert!(read(&path, Id::joined("another", &[])).is_err());
        let bad = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            read(&path, owner).is_err()
        };
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(bad(&bytes), "bit {bit}");
        }
        for length in 0..whole.len() {
            assert!(bad(&whole[..length]), "cut to {length}");
        }
        fs::write(&path, kept).unwrap();
        let came = read(&path, owner).unwrap().unwrap();
        assert_eq!((came.bytes.as_slice(), came.checked), (&kept[..], false));
    }
}
