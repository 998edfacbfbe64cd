//! Outer products: how a loss changes with weights, a few inputs times a few outputs at a time,
//! summed over rows in order.
#![expect(
    unsafe_code,
    reason = "vector registers are loaded through pointers that the caller vouches for"
)]

use crate::instructions::InstructionSet;

/// How many inputs are taken side by side.
pub(crate) const ROWS: usize = 8;

/// Rows whose inputs are multiplied with what is above them.
pub(crate) struct Outer {
    pub(crate) rows: usize,
    /// To a segment of inputs for each row, `stride` apart.
    pub(crate) pointers: *const *const f32,
    pub(crate) stride: usize,
    /// Where a row points that lies outside: it adds nothing.
    pub(crate) zeros: *const f32,
    /// Which inputs of the segment.
    pub(crate) first: usize,
    pub(crate) tall: usize,
    pub(crate) above: *const f32,
    /// Where each row lies in `above`.
    pub(crate) at: *const usize,
    pub(crate) columns: usize,
}

/// How many outputs are taken side by side.
pub(crate) fn columns(set: InstructionSet) -> usize {
    match set {
        InstructionSet::Avx512 => 32,
        InstructionSet::Avx2 | InstructionSet::Portable => 8,
    }
}

/// Adds products to sums that lie input by output, as many of each as are taken side by side.
///
/// # Safety
/// The pointers must be valid for what [`Outer`] says, and the machine must have the instruction
/// set.
pub(crate) unsafe fn compute(set: InstructionSet, sums: &mut [f32], outer: &Outer) {
    assert_eq!(sums.len(), ROWS * columns(set));
    // SAFETY: the caller vouches for the pointers and the instruction set.
    unsafe {
        match set {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 if outer.tall == ROWS && outer.columns > 16 => {
                x86::outer512::<2>(sums, outer);
            }
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 if outer.tall == ROWS && outer.columns == 8 => {
                x86::outer256::<32>(sums, outer);
            }
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 if outer.tall == ROWS => x86::outer512::<1>(sums, outer),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 if outer.tall == ROWS && outer.columns == 8 => {
                x86::outer256::<8>(sums, outer);
            }
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => x86::fused::<32>(sums, outer),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => x86::fused::<8>(sums, outer),
            _ => loops::<8>(sums, outer),
        }
    }
}

#[inline(always)]
unsafe fn loops<const W: usize>(sums: &mut [f32], outer: &Outer) {
    for row in 0..outer.rows {
        // SAFETY: the caller vouches for the pointers.
        let (x, above) = unsafe {
            let from = *outer.pointers.add(row * outer.stride);
            if from == outer.zeros {
                continue;
            }
            let from = from.add(outer.first);
            let above = outer.above.add(*outer.at.add(row));
            (
                std::slice::from_raw_parts(from, outer.tall),
                std::slice::from_raw_parts(above, outer.columns),
            )
        };
        for (sums, &x) in sums.chunks_exact_mut(W).zip(x) {
            sums.iter_mut()
                .zip(above)
                .for_each(|(sum, &above)| *sum = x.mul_add(above, *sum));
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Outer, ROWS, loops};

    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn outer512<const V: usize>(sums: &mut [f32], outer: &Outer) {
        let mut there = [0_u16; V];
        for (v, there) in there.iter_mut().enumerate() {
            *there = ((1_u32 << outer.columns.saturating_sub(16 * v).min(16)) - 1) as u16;
        }
        // SAFETY: the caller vouches for the pointers; columns that are not there are not read.
        unsafe {
            let mut held = [[_mm512_setzero_ps(); V]; ROWS];
            for (input, held) in held.iter_mut().enumerate() {
                for (v, held) in held.iter_mut().enumerate() {
                    *held = _mm512_loadu_ps(sums.as_ptr().add(32 * input + 16 * v));
                }
            }
            for row in 0..outer.rows {
                let from = *outer.pointers.add(row * outer.stride);
                if from == outer.zeros {
                    continue;
                }
                let from = from.add(outer.first);
                let above = outer.above.add(*outer.at.add(row));
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
                    _mm512_storeu_ps(sums.as_mut_ptr().add(32 * input + 16 * v), *held);
                }
            }
        }
    }

    /// Eight outputs, of sums that lie `W` apart.
    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn outer256<const W: usize>(sums: &mut [f32], outer: &Outer) {
        // SAFETY: the caller vouches for the pointers.
        unsafe {
            let mut held = [_mm256_setzero_ps(); ROWS];
            for (input, held) in held.iter_mut().enumerate() {
                *held = _mm256_loadu_ps(sums.as_ptr().add(W * input));
            }
            for row in 0..outer.rows {
                let from = *outer.pointers.add(row * outer.stride);
                if from == outer.zeros {
                    continue;
                }
                let from = from.add(outer.first);
                let g = _mm256_loadu_ps(outer.above.add(*outer.at.add(row)));
                for (input, held) in held.iter_mut().enumerate() {
                    *held = _mm256_fmadd_ps(_mm256_set1_ps(*from.add(input)), g, *held);
                }
            }
            for (input, held) in held.iter().enumerate() {
                _mm256_storeu_ps(sums.as_mut_ptr().add(W * input), *held);
            }
        }
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn fused<const W: usize>(sums: &mut [f32], outer: &Outer) {
        // SAFETY: the caller vouches for the pointers.
        unsafe { loops::<W>(sums, outer) }
    }
}
