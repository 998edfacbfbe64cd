//! Outer products: how a loss changes with weights, a few inputs times a few outputs at a time, summed over rows in order.
#![expect(unsafe_code, reason = "vector registers are loaded through pointers that the caller vouches for")]

use crate::instructions::InstructionSet;

/// How many inputs are taken side by side.
pub(crate) const ROWS: usize = 8;

/// As many outputs as are taken side by side at most.
const COLUMNS: usize = 32;

/// Sums over rows, input by output.
#[repr(C, align(64))]
#[derive(Default)]
pub(crate) struct Sums(pub(crate) [[f32; COLUMNS]; ROWS]);

/// How many outputs are taken side by side.
pub(crate) fn columns(set: InstructionSet) -> usize {
    match set {
        InstructionSet::Avx512 => 32,
        InstructionSet::Avx2 | InstructionSet::Portable => 8,
    }
}

/// Adds up, over `rows` rows, the inputs `first..first + tall` behind each row's pointer times `columns` values above.
///
/// # Safety
/// `pointers` must lead, `stride` apart, to a segment for each row, `at` to where each row lies in `above`; and the machine
/// must have the instruction set.
#[expect(clippy::too_many_arguments, reason = "a kernel: two inputs by pointer, with their extents")]
pub(crate) unsafe fn compute(
    set: InstructionSet,
    sums: &mut Sums,
    rows: usize,
    pointers: *const *const f32,
    stride: usize,
    first: usize,
    tall: usize,
    above: *const f32,
    at: *const usize,
    columns: usize,
) {
    // SAFETY: the caller vouches for the pointers and the instruction set.
    unsafe {
        match set {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 if tall == ROWS && columns > 16 => {
                x86::outer512::<2>(sums, rows, pointers, stride, first, above, at, columns);
            }
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 if tall == ROWS => {
                x86::outer512::<1>(sums, rows, pointers, stride, first, above, at, columns);
            }
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 if tall == ROWS && columns == 8 => {
                x86::outer256(sums, rows, pointers, stride, first, above, at);
            }
            _ => plain(set, sums, rows, pointers, stride, first, tall, above, at, columns),
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "as above")]
unsafe fn plain(
    set: InstructionSet,
    sums: &mut Sums,
    rows: usize,
    pointers: *const *const f32,
    stride: usize,
    first: usize,
    tall: usize,
    above: *const f32,
    at: *const usize,
    columns: usize,
) {
    // SAFETY: the caller vouches for the pointers and the instruction set.
    unsafe {
        match set {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 | InstructionSet::Avx2 => {
                x86::plain_fused(sums, rows, pointers, stride, first, tall, above, at, columns);
            }
            _ => loops(sums, rows, pointers, stride, first, tall, above, at, columns),
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "as above")]
#[inline(always)]
unsafe fn loops(
    sums: &mut Sums,
    rows: usize,
    pointers: *const *const f32,
    stride: usize,
    first: usize,
    tall: usize,
    above: *const f32,
    at: *const usize,
    columns: usize,
) {
    for row in 0..rows {
        // SAFETY: the caller vouches for the pointers.
        let (x, above) = unsafe {
            let from = (*pointers.add(row * stride)).add(first);
            let above = above.add(*at.add(row));
            (std::slice::from_raw_parts(from, tall), std::slice::from_raw_parts(above, columns))
        };
        for (sums, &x) in sums.0.iter_mut().zip(x) {
            sums.iter_mut().zip(above).for_each(|(sum, &above)| *sum = x.mul_add(above, *sum));
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{ROWS, Sums, loops};

    #[target_feature(enable = "avx512f")]
    #[expect(clippy::too_many_arguments, reason = "as above")]
    pub(super) unsafe fn outer512<const V: usize>(
        sums: &mut Sums,
        rows: usize,
        pointers: *const *const f32,
        stride: usize,
        first: usize,
        above: *const f32,
        at: *const usize,
        columns: usize,
    ) {
        let mut there = [0_u16; V];
        for (v, there) in there.iter_mut().enumerate() {
            *there = ((1_u32 << columns.saturating_sub(16 * v).min(16)) - 1) as u16;
        }
        // SAFETY: the caller vouches for the pointers; columns that are not there are not read.
        unsafe {
            let mut held = [[_mm512_setzero_ps(); V]; ROWS];
            for row in 0..rows {
                let from = (*pointers.add(row * stride)).add(first);
                let above = above.add(*at.add(row));
                let mut g = [_mm512_setzero_ps(); V];
                for (v, g) in g.iter_mut().enumerate() {
                    *g = _mm512_maskz_loadu_ps(there[v], above.add(16 * v));
                }
                for (input, held) in held.iter_mut().enumerate() {
                    let x = _mm512_set1_ps(*from.add(input));
                    for v in 0..V {
                        held[v] = _mm512_fmadd_ps(x, g[v], held[v]);
                    }
                }
            }
            for (input, held) in held.iter().enumerate() {
                for (v, held) in held.iter().enumerate() {
                    _mm512_storeu_ps(sums.0[input].as_mut_ptr().add(16 * v), *held);
                }
            }
        }
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn outer256(
        sums: &mut Sums,
        rows: usize,
        pointers: *const *const f32,
        stride: usize,
        first: usize,
        above: *const f32,
        at: *const usize,
    ) {
        // SAFETY: the caller vouches for the pointers.
        unsafe {
            let mut held = [_mm256_setzero_ps(); ROWS];
            for row in 0..rows {
                let from = (*pointers.add(row * stride)).add(first);
                let g = _mm256_loadu_ps(above.add(*at.add(row)));
                for (input, held) in held.iter_mut().enumerate() {
                    *held = _mm256_fmadd_ps(_mm256_set1_ps(*from.add(input)), g, *held);
                }
            }
            for (input, held) in held.iter().enumerate() {
                _mm256_storeu_ps(sums.0[input].as_mut_ptr(), *held);
            }
        }
    }

    #[target_feature(enable = "avx2,fma")]
    #[expect(clippy::too_many_arguments, reason = "as above")]
    pub(super) unsafe fn plain_fused(
        sums: &mut Sums,
        rows: usize,
        pointers: *const *const f32,
        stride: usize,
        first: usize,
        tall: usize,
        above: *const f32,
        at: *const usize,
        columns: usize,
    ) {
        // SAFETY: the caller vouches for the pointers.
        unsafe { loops(sums, rows, pointers, stride, first, tall, above, at, columns) }
    }
}
