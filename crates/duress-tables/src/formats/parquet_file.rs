//! A Parquet file whose end is an error.
//!
//! A damaged page header may say that it holds a list of two thousand million entries. The parquet
//! crate passes over each of them, and takes the end of the file for entries without bytes: it would
//! be at it for hours. No sound file is read to its end, since its footer stands there.

use std::fs::File;
use std::io::{self, BufReader, Read};

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

/// A file as the parquet crate asks for pieces of it.
pub(super) struct ParquetFile(File);

impl ParquetFile {
    pub(super) fn new(file: File) -> ParquetFile {
        ParquetFile(file)
    }
}

impl Length for ParquetFile {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for ParquetFile {
    type T = EndIsError;

    fn get_read(&self, start: u64) -> Result<EndIsError> {
        self.0.get_read(start).map(EndIsError)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        self.0.get_bytes(start, length)
    }
}

/// A reader that fails where there is nothing more to read.
pub(super) struct EndIsError(BufReader<File>);

impl Read for EndIsError {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into)? {
            0 if !into.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
            count => Ok(count),
        }
    }
}
