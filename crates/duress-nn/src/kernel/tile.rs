//! Tiles: a few rows times a panel of weights, summed in registers, and what is done to the sums
//! before they are stored.
//!
//! A row is given by pointers, one per tap of its window, to a segment of consecutive values; so a
//! convolution needs no copy of its input. Each sum starts at the bias and takes its terms tap by
//! tap and value by value, each with one fused multiply-add, whatever the instruction set and
//! however many rows and columns are summed side by side. A tap that lies outside the image for all
//! rows of a tile adds nothing, and is passed over.
//!
//! The order of a sum is part of the contract: it is why a batch, a number of threads and an
//! instruction set change no bit. A long sum is therefore not split over several registers: the
//! result would depend on how many of them there are. Registers are filled with other rows instead.
#![expect(
    unsafe_code,
    reason = "vector registers are loaded and stored through pointers that the caller vouches for"
)]

use crate::instructions::InstructionSet;

/// The most rows a tile has, for any instruction set.
pub(crate) const ROWS: usize = 12;

/// How many columns a tile of so many rows has; a tile of half as many rows has twice as many.
const COLUMNS: usize = 32;

/// Bounds that values are clipped to.
pub(crate) type ClipBounds = (f32, f32);

/// One tile to be computed.
pub(crate) struct Tile {
    /// How many rows are stored.
    pub(crate) rows: usize,
    /// Row by row, a pointer per tap, for as many rows as [`height`] says.
    pub(crate) pointers: *const *const f32,
    pub(crate) taps: usize,
    /// Where a tap points that lies outside.
    pub(crate) zeros: *const f32,
    /// How many consecutive values lie behind a pointer.
    pub(crate) segment: usize,
    /// Taps × segment × the panel's width.
    pub(crate) weights: *const f32,
    /// The panel's width.
    pub(crate) bias: *const f32,
    /// How many columns are stored.
    pub(crate) columns: usize,
    pub(crate) finish: Finish,
}

/// What happens to sums before they are stored.
#[derive(Clone, Copy)]
pub(crate) struct Finish {
    pub(crate) out: *mut f32,
    /// Where each row begins in `out` and `add`.
    pub(crate) at: *const usize,
    /// Added first, unless null.
    pub(crate) add: *const f32,
    /// Then what the mask does not let through becomes zero, unless null.
    pub(crate) mask: *const u16,
    /// Then values are clipped …
    pub(crate) clip: Option<ClipBounds>,
    /// … and a bit is kept for each that lies strictly within, unless null.
    pub(crate) keep: *mut u16,
    /// Where each row begins in `mask` and `keep`.
    pub(crate) bits_at: *const usize,
}

impl Finish {
    /// Whether nothing is done to sums.
    fn only_stores(&self) -> bool {
        self.add.is_null() && self.mask.is_null() && self.clip.is_none()
    }

    /// Stores nothing anywhere, and does nothing to what would be stored.
    pub(crate) fn nothing() -> Finish {
        Finish {
            out: std::ptr::null_mut(),
            at: std::ptr::null(),
            add: std::ptr::null(),
            mask: std::ptr::null(),
            clip: None,
            keep: std::ptr::null_mut(),
            bits_at: std::ptr::null(),
        }
    }
}

/// How many values fit into one register.
pub(crate) fn lanes(set: InstructionSet) -> usize {
    match set {
        InstructionSet::Avx512 => 16,
        InstructionSet::Avx2 | InstructionSet::Portable => 8,
    }
}

/// How wide a panel of half a register is. A few columns that would leave half of a wide register
/// idle are summed in a narrow one, of which many machines compute two at once.
const NARROW: usize = 8;

/// How wide a panel is when `columns` are left: one, two or four registers, none of them idle. (An
/// idle one would touch the bits of the next row.) Where half a register holds all that is left, it
/// is half a register.
pub(crate) fn width(set: InstructionSet, columns: usize) -> usize {
    let lanes = lanes(set);
    match set {
        InstructionSet::Avx512 if columns <= NARROW => NARROW,
        InstructionSet::Avx512 if columns > 3 * lanes => 4 * lanes,
        _ if columns > lanes => 2 * lanes,
        _ => lanes,
    }
}

/// How many rows are summed side by side with a panel of this width, when `rows` are left: as many
/// as registers allow.
pub(crate) fn height(set: InstructionSet, width: usize, rows: usize) -> usize {
    let heights: &[usize] = match set {
        InstructionSet::Avx512 if width == 64 => &[1, 2, 4, 6],
        InstructionSet::Avx512 if width == NARROW => &[1, 2, 4, 6, 12],
        InstructionSet::Avx512 => &[1, 2, 4, 8, 12],
        InstructionSet::Avx2 | InstructionSet::Portable => &[1, 2, 4, 6],
    };
    heights
        .iter()
        .copied()
        .find(|&height| height >= rows)
        .unwrap_or(heights[heights.len() - 1])
}

/// Computes a tile whose panel has this width.
///
/// # Safety
/// The pointers must be valid for what [`Tile`] says, and the machine must have the instruction
/// set.
pub(crate) unsafe fn compute(set: InstructionSet, width: usize, tile: &Tile) {
    let height = height(set, width, tile.rows);
    // SAFETY: the caller vouches for the pointers and the instruction set.
    unsafe {
        match (set, width / lanes(set), height) {
            #[cfg(target_arch = "x86_64")]
            (InstructionSet::Avx512, 0, height) => match height {
                12 => x86::narrow::<12, 1>(tile),
                6 => x86::narrow::<6, 1>(tile),
                4 => x86::narrow::<4, 1>(tile),
                2 => x86::narrow::<2, 1>(tile),
                _ => x86::narrow::<1, 1>(tile),
            },
            #[cfg(target_arch = "x86_64")]
            (InstructionSet::Avx512, registers, height) => match (registers, height) {
                (4, 6) => x86::tile512::<6, 4>(tile),
                (4, 4) => x86::tile512::<4, 4>(tile),
                (4, 2) => x86::tile512::<2, 4>(tile),
                (4, _) => x86::tile512::<1, 4>(tile),
                (2, 12) => x86::tile512::<12, 2>(tile),
                (2, 8) => x86::tile512::<8, 2>(tile),
                (2, 4) => x86::tile512::<4, 2>(tile),
                (2, 2) => x86::tile512::<2, 2>(tile),
                (2, _) => x86::tile512::<1, 2>(tile),
                (_, 12) => x86::tile512::<12, 1>(tile),
                (_, 8) => x86::tile512::<8, 1>(tile),
                (_, 4) => x86::tile512::<4, 1>(tile),
                (_, 2) => x86::tile512::<2, 1>(tile),
                (..) => x86::tile512::<1, 1>(tile),
            },
            #[cfg(target_arch = "x86_64")]
            (InstructionSet::Avx2, registers, height) => match (registers, height) {
                (2, 6) => x86::tile256::<6, 2>(tile),
                (2, 4) => x86::tile256::<4, 2>(tile),
                (2, 2) => x86::tile256::<2, 2>(tile),
                (2, _) => x86::tile256::<1, 2>(tile),
                (_, 6) => x86::tile256::<6, 1>(tile),
                (_, 4) => x86::tile256::<4, 1>(tile),
                (_, 2) => x86::tile256::<2, 1>(tile),
                (..) => x86::tile256::<1, 1>(tile),
            },
            (_, 2, _) => portable::<16>(tile, height),
            (..) => portable::<8>(tile, height),
        }
    }
}

/// Finishes and stores rows of sums that lie one after the other and have all their columns: one or
/// two registers of them.
///
/// # Safety
/// The pointers of `finish` must be valid for these rows and columns, `sums` for as many values, and
/// the machine must have the instruction set.
pub(crate) unsafe fn finish_sums(
    set: InstructionSet,
    finish: &Finish,
    rows: usize,
    columns: usize,
    sums: *mut f32,
) {
    // SAFETY: the caller vouches for the pointers and the instruction set.
    unsafe {
        match (set, columns / lanes(set)) {
            #[cfg(target_arch = "x86_64")]
            (InstructionSet::Avx512, 2) => x86::finish512::<2>(finish, rows, columns, sums),
            #[cfg(target_arch = "x86_64")]
            (InstructionSet::Avx512, 1) => x86::finish512::<1>(finish, rows, columns, sums),
            #[cfg(target_arch = "x86_64")]
            (InstructionSet::Avx2, 2) => x86::finish256::<2>(finish, rows, columns, sums),
            _ => {
                for row in 0..rows {
                    let values = std::slice::from_raw_parts_mut(sums.add(row * columns), columns);
                    finish_row(finish, row, values);
                }
            }
        }
    }
}

/// The sums of a tile, on their way from registers to memory.
#[repr(C, align(64))]
struct TileSums([f32; ROWS * COLUMNS]);

unsafe fn portable<const W: usize>(tile: &Tile, height: usize) {
    let mut sums = TileSums([0.0; ROWS * COLUMNS]);
    // SAFETY: the caller vouches for the pointers.
    unsafe {
        for row in 0..height {
            let mut sum = [0.0_f32; W];
            sum.copy_from_slice(std::slice::from_raw_parts(tile.bias, W));
            let mut weights = tile.weights;
            for tap in 0..tile.taps {
                let from = *tile.pointers.add(row * tile.taps + tap);
                if from == tile.zeros {
                    weights = weights.add(W * tile.segment);
                    continue;
                }
                for at in 0..tile.segment {
                    let x = *from.add(at);
                    let w = std::slice::from_raw_parts(weights, W);
                    sum.iter_mut()
                        .zip(w)
                        .for_each(|(sum, w)| *sum = x.mul_add(*w, *sum));
                    weights = weights.add(W);
                }
            }
            sums.0[row * W..(row + 1) * W].copy_from_slice(&sum);
        }
        for row in 0..tile.rows {
            finish_row(
                &tile.finish,
                row,
                &mut sums.0[row * W..row * W + tile.columns],
            );
        }
    }
}

/// Finishes and stores the values of one row.
///
/// # Safety
/// The pointers of `finish` must be valid for `values.len()` columns of row `row`.
#[inline(always)]
unsafe fn finish_row(finish: &Finish, row: usize, values: &mut [f32]) {
    // SAFETY: the caller vouches for the pointers.
    unsafe {
        let at = *finish.at.add(row);
        let bits = *finish.bits_at.add(row);
        let words = values.len().div_ceil(16);
        if !finish.add.is_null() {
            add_values(
                values,
                std::slice::from_raw_parts(finish.add.add(at), values.len()),
            );
        }
        if !finish.mask.is_null() {
            apply_mask(
                values,
                std::slice::from_raw_parts(finish.mask.add(bits), words),
            );
        }
        if let Some(bounds) = finish.clip {
            if !finish.keep.is_null() {
                keep_bits(
                    values,
                    bounds,
                    std::slice::from_raw_parts_mut(finish.keep.add(bits), words),
                );
            }
            clip_values(values, bounds);
        }
        std::slice::from_raw_parts_mut(finish.out.add(at), values.len()).copy_from_slice(values);
    }
}

/// Adds what else there is.
#[inline(always)]
pub(crate) fn add_values(values: &mut [f32], more: &[f32]) {
    values.iter_mut().zip(more).for_each(|(x, more)| *x += more);
}

/// Makes zero what the bits do not let through.
#[inline(always)]
pub(crate) fn apply_mask(values: &mut [f32], bits: &[u16]) {
    for (values, &word) in values.chunks_mut(16).zip(bits) {
        for (at, x) in values.iter_mut().enumerate() {
            let through = u32::from(word >> at & 1).wrapping_neg();
            *x = f32::from_bits(x.to_bits() & through);
        }
    }
}

/// A bit for each value that lies strictly within the bounds.
#[inline(always)]
pub(crate) fn keep_bits(values: &[f32], (low, high): ClipBounds, bits: &mut [u16]) {
    for (values, word) in values.chunks(16).zip(bits) {
        let within = |(at, x): (usize, &f32)| u32::from(*x > low && *x < high) << at;
        *word = values.iter().enumerate().map(within).sum::<u32>() as u16;
    }
}

/// Brings values within bounds, as the vector instructions do it.
#[inline(always)]
pub(crate) fn clip_values(values: &mut [f32], (low, high): ClipBounds) {
    for x in values {
        let below = if *x < high { *x } else { high };
        *x = if below > low { below } else { low };
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;
    use std::mem::MaybeUninit;

    use super::{Finish, Tile, TileSums};

    /// How many steps ahead weights are fetched: they come from further away than the rows.
    const AHEAD: usize = 8;

    /// A tile of R rows and V registers: the same sums whatever a register holds.
    macro_rules! tile {
        ($name:ident, $set:literal, $lanes:literal, $zero:ident, $load:ident, $all:ident, $fused:ident, $store:ident, $store_anywhere:ident, $finish:ident) => {
            #[target_feature(enable = $set)]
            pub(super) unsafe fn $name<const R: usize, const V: usize>(tile: &Tile) {
                let mut buffer = MaybeUninit::<TileSums>::uninit();
                let buffer: *mut f32 = buffer.as_mut_ptr().cast();
                // SAFETY: the caller vouches for the pointers; the buffer is written as far as it
                // is read.
                unsafe {
                    let mut sums = [[$zero(); V]; R];
                    for v in 0..V {
                        let bias = $load(tile.bias.add($lanes * v));
                        for row in &mut sums {
                            row[v] = bias;
                        }
                    }
                    let mut weights = tile.weights;
                    for tap in 0..tile.taps {
                        let mut from = [std::ptr::null::<f32>(); R];
                        for (row, from) in from.iter_mut().enumerate() {
                            *from = *tile.pointers.add(row * tile.taps + tap);
                        }
                        if from.iter().all(|from| *from == tile.zeros) {
                            weights = weights.add($lanes * V * tile.segment);
                            continue;
                        }
                        for at in 0..tile.segment {
                            let mut w = [$zero(); V];
                            for (v, w) in w.iter_mut().enumerate() {
                                *w = $load(weights.add($lanes * v));
                                let later = weights.wrapping_add($lanes * (V * AHEAD + v));
                                _mm_prefetch::<_MM_HINT_T0>(later.cast());
                            }
                            for row in 0..R {
                                let x = $all(*from[row].add(at));
                                for v in 0..V {
                                    sums[row][v] = $fused(x, w[v], sums[row][v]);
                                }
                            }
                            weights = weights.add($lanes * V);
                        }
                    }
                    if tile.rows == R && tile.columns == V * $lanes && tile.finish.only_stores() {
                        for (row, sums) in sums.iter().enumerate() {
                            let out = tile.finish.out.add(*tile.finish.at.add(row));
                            for (v, sum) in sums.iter().enumerate() {
                                $store_anywhere(out.add(v * $lanes), *sum);
                            }
                        }
                        return;
                    }
                    for (row, sums) in sums.iter().enumerate() {
                        for (v, sum) in sums.iter().enumerate() {
                            $store(buffer.add((row * V + v) * $lanes), *sum);
                        }
                    }
                    $finish::<V>(&tile.finish, tile.rows, tile.columns, buffer);
                }
            }
        };
    }

    tile!(
        tile512,
        "avx512f",
        16,
        _mm512_setzero_ps,
        _mm512_loadu_ps,
        _mm512_set1_ps,
        _mm512_fmadd_ps,
        _mm512_store_ps,
        _mm512_storeu_ps,
        finish512
    );
    tile!(
        tile256,
        "avx2,fma",
        8,
        _mm256_setzero_ps,
        _mm256_loadu_ps,
        _mm256_set1_ps,
        _mm256_fmadd_ps,
        _mm256_store_ps,
        _mm256_storeu_ps,
        finish256
    );

    // The narrow registers of a machine that has the wide ones: a value is multiplied from where it
    // lies, which takes half the instructions.
    tile!(
        narrow,
        "avx512f,avx512vl,avx2,fma",
        8,
        _mm256_setzero_ps,
        _mm256_loadu_ps,
        _mm256_set1_ps,
        _mm256_fmadd_ps,
        _mm256_store_ps,
        _mm256_storeu_ps,
        finish256
    );

    /// Finishes a tile in the way that is asked for; each way has its own loop, because tiles can
    /// be shallow.
    macro_rules! finish {
        ($name:ident, $set:literal, $rows:ident) => {
            #[target_feature(enable = $set)]
            #[inline]
            pub(super) unsafe fn $name<const V: usize>(
                finish: &Finish,
                rows: usize,
                columns: usize,
                sums: *const f32,
            ) {
                let asked = [
                    !finish.add.is_null(),
                    !finish.mask.is_null(),
                    finish.clip.is_some(),
                    !finish.keep.is_null(),
                ];
                // SAFETY: the caller vouches for the pointers.
                unsafe {
                    match asked {
                        [false, false, false, _] => {
                            $rows::<V, false, false, false, false>(finish, rows, columns, sums)
                        }
                        [true, false, false, _] => {
                            $rows::<V, true, false, false, false>(finish, rows, columns, sums)
                        }
                        [false, true, false, _] => {
                            $rows::<V, false, true, false, false>(finish, rows, columns, sums)
                        }
                        [true, true, false, _] => {
                            $rows::<V, true, true, false, false>(finish, rows, columns, sums)
                        }
                        [false, _, true, false] => {
                            $rows::<V, false, false, true, false>(finish, rows, columns, sums)
                        }
                        [true, _, true, false] => {
                            $rows::<V, true, false, true, false>(finish, rows, columns, sums)
                        }
                        [false, _, true, true] => {
                            $rows::<V, false, false, true, true>(finish, rows, columns, sums)
                        }
                        [true, _, true, true] => {
                            $rows::<V, true, false, true, true>(finish, rows, columns, sums)
                        }
                    }
                }
            }
        };
    }

    finish!(finish512, "avx512f", rows512);
    finish!(finish256, "avx2,fma", rows256);

    #[target_feature(enable = "avx512f")]
    unsafe fn rows512<
        const V: usize,
        const ADD: bool,
        const MASK: bool,
        const CLIP: bool,
        const KEEP: bool,
    >(
        finish: &Finish,
        rows: usize,
        columns: usize,
        sums: *const f32,
    ) {
        debug_assert!(
            !CLIP || finish.mask.is_null(),
            "nothing is masked and clipped at once"
        );
        let (low, high) = finish.clip.unwrap_or_default();
        let low = _mm512_set1_ps(low);
        let high = _mm512_set1_ps(high);
        let mut there = [0_u16; V];
        for (v, there) in there.iter_mut().enumerate() {
            *there = ((1_u32 << columns.saturating_sub(16 * v).min(16)) - 1) as u16;
        }
        for row in 0..rows {
            // SAFETY: the caller vouches for the pointers; columns that are not there are neither
            // read nor written.
            unsafe {
                let at = *finish.at.add(row);
                for (v, &there) in there.iter().enumerate() {
                    let mut x = _mm512_loadu_ps(sums.add((row * V + v) * 16));
                    if ADD {
                        x = _mm512_add_ps(
                            x,
                            _mm512_maskz_loadu_ps(there, finish.add.add(at + 16 * v)),
                        );
                    }
                    if MASK {
                        x = _mm512_maskz_mov_ps(*finish.mask.add(*finish.bits_at.add(row) + v), x);
                    }
                    if KEEP {
                        let above = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(x, low);
                        let below = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(x, high);
                        *finish.keep.add(*finish.bits_at.add(row) + v) = above & below & there;
                    }
                    if CLIP {
                        x = _mm512_max_ps(_mm512_min_ps(x, high), low);
                    }
                    _mm512_mask_storeu_ps(finish.out.add(at + 16 * v), there, x);
                }
            }
        }
    }

    #[target_feature(enable = "avx2,fma")]
    unsafe fn rows256<
        const V: usize,
        const ADD: bool,
        const MASK: bool,
        const CLIP: bool,
        const KEEP: bool,
    >(
        finish: &Finish,
        rows: usize,
        columns: usize,
        sums: *const f32,
    ) {
        debug_assert!(
            !CLIP || finish.mask.is_null(),
            "nothing is masked and clipped at once"
        );
        let (low, high) = finish.clip.unwrap_or_default();
        let low = _mm256_set1_ps(low);
        let high = _mm256_set1_ps(high);
        let bit_of_lane = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        // Which lanes are told by some bits.
        let lanes = |bits: u8| {
            let bits = _mm256_and_si256(_mm256_set1_epi32(bits.into()), bit_of_lane);
            _mm256_cmpeq_epi32(bits, bit_of_lane)
        };
        let mut there_bits = [0_u8; V];
        let mut there = [_mm256_setzero_si256(); V];
        for v in 0..V {
            there_bits[v] = ((1_u32 << columns.saturating_sub(8 * v).min(8)) - 1) as u8;
            there[v] = lanes(there_bits[v]);
        }
        for row in 0..rows {
            // SAFETY: the caller vouches for the pointers; columns that are not there are neither
            // read nor written.
            unsafe {
                let at = *finish.at.add(row);
                let mut kept = 0_u16;
                for v in 0..V {
                    let mut x = _mm256_loadu_ps(sums.add((row * V + v) * 8));
                    if ADD {
                        let more = _mm256_maskload_ps(finish.add.add(at + 8 * v), there[v]);
                        x = _mm256_add_ps(x, more);
                    }
                    if MASK {
                        let word = *finish.mask.add(*finish.bits_at.add(row));
                        let through = lanes((word >> (8 * v)) as u8);
                        x = _mm256_and_ps(x, _mm256_castsi256_ps(through));
                    }
                    if KEEP {
                        let above = _mm256_cmp_ps::<_CMP_GT_OQ>(x, low);
                        let below = _mm256_cmp_ps::<_CMP_LT_OQ>(x, high);
                        let within = _mm256_movemask_ps(_mm256_and_ps(above, below)) as u8;
                        kept |= u16::from(within & there_bits[v]) << (8 * v);
                    }
                    if CLIP {
                        x = _mm256_max_ps(_mm256_min_ps(x, high), low);
                    }
                    let out = finish.out.add(at + 8 * v);
                    match there_bits[v] {
                        u8::MAX => _mm256_storeu_ps(out, x),
                        _ => _mm256_maskstore_ps(out, there[v], x),
                    }
                }
                if KEEP {
                    *finish.keep.add(*finish.bits_at.add(row)) = kept;
                }
            }
        }
    }
}
