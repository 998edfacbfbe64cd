//! How much a file may expand to: a small one must not take all memory of whoever opens it.
//!
//! Compressed data, runs, dictionaries and references make more of a file than its size shows, a
//! thousand times and beyond. A file may expand to 64 times its size, and to 1 GiB in any case; who
//! knows that a file is as it should be says so (`expansion` under `[run]`, `--expansion`).

use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};

use duress_core::problem::Problem;

/// How many times its size a file may expand to, unless somebody says otherwise.
pub const TIMES: u64 = 64;

/// What every file may expand to.
const ALWAYS: u64 = 1 << 30;

/// Readers are called from far apart, by parts that know nothing of a study: as the instruction set
/// of networks, this belongs to the process.
static ALLOWED: AtomicU64 = AtomicU64::new(TIMES);

/// Lets files expand to so many times their size, if that is more than they may already; this holds
/// for the process.
pub fn allow(times: u64) {
    ALLOWED.fetch_max(times, Ordering::Relaxed);
}

/// What is left of what a file may expand to.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    left: u64,
    most: u64,
}

impl Bound {
    /// None: for a format that cannot expand.
    pub const NONE: Bound = Bound {
        left: u64::MAX,
        most: u64::MAX,
    };

    /// Of a file with so many bytes.
    pub fn of_size(bytes: u64) -> Bound {
        let times = ALLOWED.load(Ordering::Relaxed);
        let most = bytes.saturating_mul(times).max(ALWAYS);
        Bound { left: most, most }
    }

    /// Of a file that is open.
    pub fn of(file: &File) -> Bound {
        Bound::of_size(file.metadata().map_or(0, |about| about.len()))
    }

    /// Takes so many bytes of what is left.
    pub fn take(&mut self, bytes: u64) -> Result<(), Problem> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.exceeded()),
        }
    }

    fn exceeded(&self) -> Problem {
        let most = self.most >> 20;
        Problem::new(format!(
            "it expands to more than {most} MiB, out of all proportion to its size"
        ))
        .expected("a file that is no larger than it looks")
        .hint("if it is as it should be, raise `expansion` under [run], or `--expansion`; a file may expand to 64 times its size")
    }
}

/// A stream that expands, within a bound.
pub struct BoundedRead<R> {
    input: R,
    bound: Bound,
    /// What a byte takes in the end.
    each: u64,
}

impl<R> BoundedRead<R> {
    /// Reads from `input`, each byte of which takes `each` bytes in the end.
    pub fn new(input: R, bound: Bound, each: u64) -> BoundedRead<R> {
        BoundedRead { input, bound, each }
    }
}

impl<R: Read> Read for BoundedRead<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        let taken = self.bound.take(self.each.saturating_mul(read as u64));
        match taken {
            Ok(()) => Ok(read),
            Err(problem) => Err(io::Error::other(problem.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_expand_to_64_times_its_size_and_to_a_gibibyte_in_any_case() {
        let most = |bytes: u64| Bound::of_size(bytes).most;
        assert_eq!(most(0), 1 << 30);
        assert_eq!(most(1 << 24), 1 << 30);
        assert_eq!(most(1 << 25), 1 << 31);
        let mut bound = Bound::of_size(1);
        bound.take((1 << 30) - 1).unwrap();
        bound.take(1).unwrap();
        assert!(bound.take(1).unwrap_err().to_string().contains("1024 MiB"));
    }

    #[test]
    fn a_stream_ends_with_an_error_when_it_is_beyond_the_bound() {
        let bound = Bound { left: 10, most: 10 };
        let mut read = Vec::new();
        let zeros = io::repeat(0).take(100);
        let ended = BoundedRead::new(zeros, bound, 4).read_to_end(&mut read);
        assert!(ended.is_err());
        assert!(read.len() <= 32);
    }
}
