//! Winograd's transforms: a 3 × 3 window at two by two places with 16 products in the place of 36.
//!
//! Of a square of 4 × 4 pixels Bᵀ d B, of a window G g Gᵀ, of their sixteen products Aᵀ m A: F(2 × 2,
//! 3 × 3) of Lavin and Gray (2016). Squares and products are only added and subtracted, channel by
//! channel and in one order, so that every instruction set gives the same bits.
#![expect(
    unsafe_code,
    reason = "vector registers are loaded and stored through pointers that the caller vouches for"
)]

use crate::instructions::InstructionSet;

/// How many values stand for a square, and for a window.
pub(crate) const POSITIONS: usize = 16;

/// Channels come in whole registers of every instruction set.
pub(crate) const LANES: usize = 16;

/// G g Gᵀ of several windows side by side, row by row.
pub(crate) fn transform_windows(g: &[[f32; LANES]; 9]) -> [[f32; LANES]; POSITIONS] {
    let mut found = [[0.0; LANES]; POSITIONS];
    for lane in 0..LANES {
        let columns = [0, 1, 2].map(|x| along(g[x][lane], g[3 + x][lane], g[6 + x][lane]));
        for y in 0..4 {
            let row = along(columns[0][y], columns[1][y], columns[2][y]);
            for (x, value) in row.into_iter().enumerate() {
                found[4 * y + x][lane] = value;
            }
        }
    }
    found
}

/// G times three values.
fn along(a: f32, b: f32, c: f32) -> [f32; 4] {
    let ends = a + c;
    [a, 0.5 * (ends + b), 0.5 * (ends - b), c]
}

/// Bᵀ d B of the channels behind sixteen pointers, row by row of a square; each of the sixteen
/// results is written `apart` values after the one before.
///
/// # Safety
/// The pointers must be valid for `channels` values, a multiple of [`LANES`], and the machine must
/// have the instruction set.
pub(crate) unsafe fn transform_square(
    set: InstructionSet,
    from: &[*const f32; POSITIONS],
    channels: usize,
    to: *mut f32,
    apart: usize,
) {
    // SAFETY: the caller vouches for the pointers and the instruction set.
    unsafe {
        match set {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => wide::transform_square(from, channels, to, apart),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => middle::transform_square(from, channels, to, apart),
            _ => plain::transform_square(from, channels, to, apart),
        }
    }
}

/// Aᵀ m A of sixteen products that lie `apart` from each other, and the bias: what the two by two
/// places get, row by row, each behind its own pointer.
///
/// # Safety
/// The pointers must be valid for `columns` values, a multiple of [`LANES`], and the machine must
/// have the instruction set.
pub(crate) unsafe fn transform_products(
    set: InstructionSet,
    from: *const f32,
    apart: usize,
    bias: *const f32,
    columns: usize,
    to: &[*mut f32; 4],
) {
    // SAFETY: the caller vouches for the pointers and the instruction set.
    unsafe {
        match set {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => wide::transform_products(from, apart, bias, columns, to),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => middle::transform_products(from, apart, bias, columns, to),
            _ => plain::transform_products(from, apart, bias, columns, to),
        }
    }
}

/// Both transforms with the instructions of one set.
macro_rules! transforms {
    ($(#[$set:meta])? $lanes:literal, $load:path, $store:path, $add:path, $sub:path) => {
        $(#[$set])?
        pub(super) unsafe fn transform_square(
            from: &[*const f32; 16],
            channels: usize,
            to: *mut f32,
            apart: usize,
        ) {
            for at in (0..channels).step_by($lanes) {
                // SAFETY: the caller vouches for the pointers.
                unsafe {
                    let d = |y: usize, x: usize| $load(from[4 * y + x].add(at));
                    let column = |x: usize| {
                        let [a, b, c, e] = [d(0, x), d(1, x), d(2, x), d(3, x)];
                        [$sub(a, c), $add(b, c), $sub(c, b), $sub(b, e)]
                    };
                    let columns = [column(0), column(1), column(2), column(3)];
                    for y in 0..4 {
                        let [a, b, c, e] = [columns[0][y], columns[1][y], columns[2][y], columns[3][y]];
                        let to = to.add(4 * y * apart + at);
                        $store(to, $sub(a, c));
                        $store(to.add(apart), $add(b, c));
                        $store(to.add(2 * apart), $sub(c, b));
                        $store(to.add(3 * apart), $sub(b, e));
                    }
                }
            }
        }

        $(#[$set])?
        pub(super) unsafe fn transform_products(
            from: *const f32,
            apart: usize,
            bias: *const f32,
            columns: usize,
            to: &[*mut f32; 4],
        ) {
            for at in (0..columns).step_by($lanes) {
                // SAFETY: the caller vouches for the pointers.
                unsafe {
                    let m = |y: usize, x: usize| $load(from.add((4 * y + x) * apart + at));
                    let column = |x: usize| {
                        let [a, b, c, e] = [m(0, x), m(1, x), m(2, x), m(3, x)];
                        [$add($add(a, b), c), $sub($sub(b, c), e)]
                    };
                    let columns = [column(0), column(1), column(2), column(3)];
                    let bias = $load(bias.add(at));
                    for y in 0..2 {
                        let [a, b, c, e] = [columns[0][y], columns[1][y], columns[2][y], columns[3][y]];
                        $store(to[2 * y].add(at), $add($add($add(a, b), c), bias));
                        $store(to[2 * y + 1].add(at), $add($sub($sub(b, c), e), bias));
                    }
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use std::arch::x86_64::*;

    transforms!(
        #[target_feature(enable = "avx512f")]
        16,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_add_ps,
        _mm512_sub_ps
    );
}

#[cfg(target_arch = "x86_64")]
mod middle {
    use std::arch::x86_64::*;

    transforms!(
        #[target_feature(enable = "avx2")]
        8,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_sub_ps
    );
}

mod plain {
    transforms!(4, load, store, add, sub);

    type Four = [f32; 4];

    unsafe fn load(from: *const f32) -> Four {
        // SAFETY: the caller vouches for the pointer.
        unsafe { from.cast::<Four>().read_unaligned() }
    }

    unsafe fn store(to: *mut f32, values: Four) {
        // SAFETY: the caller vouches for the pointer.
        unsafe { to.cast::<Four>().write_unaligned(values) }
    }

    fn add(a: Four, b: Four) -> Four {
        std::array::from_fn(|at| a[at] + b[at])
    }

    fn sub(a: Four, b: Four) -> Four {
        std::array::from_fn(|at| a[at] - b[at])
    }
}
