//! Images that lie one after the other in a file, read as a stream.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use duress_core::problem::Problem;
use duress_tensors::bound::{Bound, BoundedRead};
use flate2::bufread::MultiGzDecoder;

use super::Wanted;
use super::gather::{ImageEntry, Pile, gather};
use super::picture::Picture;

/// What a byte takes as a sample of an image.
const SAMPLE: u64 = size_of::<f32>() as u64;

/// A file from its beginning on, gzipped or not.
pub(crate) struct Stream {
    input: Box<dyn Read + Send>,
    file: PathBuf,
}

/// Records of one size.
#[derive(Clone, Copy)]
pub(crate) struct Records<'a> {
    /// What ids begin with.
    pub(crate) name: &'a str,
    /// How many there are.
    pub(crate) count: usize,
    /// Bytes in each.
    pub(crate) size: usize,
}

impl Stream {
    /// Opens a file; whether it is gzipped is told by its first bytes.
    pub(crate) fn open(file: &Path) -> Result<Stream, Problem> {
        let opened = File::open(file);
        let opened = opened
            .map_err(|error| Problem::new(format!("it cannot be read: {error}")).in_file(file))?;
        let bound = Bound::of(&opened);
        let mut input = BufReader::with_capacity(1 << 18, opened);
        let gzipped = input
            .fill_buf()
            .is_ok_and(|start| start.starts_with(&[0x1f, 0x8b]));
        let input: Box<dyn Read + Send> = if gzipped {
            let within = BoundedRead::new(MultiGzDecoder::new(input), bound, SAMPLE);
            Box::new(BufReader::new(within))
        } else {
            Box::new(input)
        };
        Ok(Stream {
            input,
            file: file.into(),
        })
    }

    /// The file it is from.
    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// The next bytes; the memory taken grows with what is really there.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::new();
        match self
            .input
            .by_ref()
            .take(count as u64)
            .read_to_end(&mut bytes)
        {
            Err(error) => Err(self.damaged(error)),
            Ok(read) if read < count => {
                Err(self.damaged(format!("it stops {} bytes short", count - read)))
            }
            Ok(_) => Ok(bytes),
        }
    }

    /// Sees to it that there is nothing more.
    pub(crate) fn end(&mut self) -> Result<(), Problem> {
        match self.input.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(self.damaged("it goes on behind its last item")),
            Err(error) => Err(self.damaged(error)),
        }
    }

    /// The problem that the file is not what it should be.
    pub(crate) fn damaged(&self, why: impl std::fmt::Display) -> Problem {
        Problem::new(format!("the file is damaged: {why}")).in_file(&self.file)
    }

    /// Gathers the records that are wanted, each with its class, from its position and its bytes,
    /// and its picture. All are read: a file that stops short is broken even if nobody wants its
    /// end.
    pub(crate) fn pile(
        mut self,
        records: Records<'_>,
        wanted: &Wanted,
        label: impl Fn(usize, &[u8]) -> Result<u32, Problem> + Sync,
        picture: impl Fn(Vec<u8>) -> Picture + Sync,
    ) -> Result<Pile, Problem> {
        let what = self.file.display().to_string();
        let ids: Vec<String> = (0..records.count)
            .map(|i| format!("{}-{i:05}", records.name))
            .collect();
        let mut chosen = wanted.limited(&ids).into_iter().peekable();
        let mut broken = None;
        let entries = (0..records.count).map_while(|i| match self.bytes(records.size) {
            Ok(bytes) => Some((i, bytes)),
            Err(problem) => {
                broken = Some(problem);
                None
            }
        });
        // Several threads ask for the next: behind a break there is none.
        let entries = entries.fuse();
        let entries = entries
            .filter(|(i, _)| chosen.next_if_eq(i).is_some())
            .map(|(i, bytes)| {
                Ok(ImageEntry {
                    id: ids[i].clone(),
                    label: label(i, &bytes)?,
                    group: None,
                    values: Vec::new(),
                    from: bytes,
                })
            });
        let pile = gather(&what, entries, wanted, |bytes| Ok(picture(bytes)));
        match broken {
            Some(problem) => Err(problem),
            None => self.end().and(pile),
        }
    }
}
