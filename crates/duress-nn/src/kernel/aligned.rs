//! Numbers that begin at a cache line.
#![expect(
    unsafe_code,
    reason = "a vector of cache lines is looked at as the numbers in it"
)]

use std::ops::{Deref, DerefMut};

#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct CacheLine([f32; 16]);

/// A list of numbers that begins at a cache line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aligned {
    lines: Vec<CacheLine>,
    len: usize,
}

impl Aligned {
    pub(crate) fn zeros(len: usize) -> Aligned {
        Aligned {
            lines: vec![CacheLine([0.0; 16]); len.div_ceil(16)],
            len,
        }
    }

    /// Makes room for `len` numbers; what was there is lost if it has to move.
    pub(crate) fn reserve(&mut self, len: usize) {
        if len > self.len {
            *self = Aligned::zeros(len);
        }
    }
}

impl Deref for Aligned {
    type Target = [f32];
    fn deref(&self) -> &[f32] {
        // SAFETY: a line is sixteen numbers without padding, and there are enough lines for `len`
        // numbers.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as above, and the vector is borrowed for as long as the slice lives.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}
