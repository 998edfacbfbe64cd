//! Products by squares: large convolutions with 3 × 3 windows that move by one, two by two rows at a
//! time, with less than half of the multiplications (Winograd's way, see `kernel/winograd.rs`).
//!
//! A square is sixteen pixels of the input that four rows of the output see together. Its sixteen
//! transformed values are multiplied with sixteen transformed weights by the same tiles that other
//! products use, so each sum has one order here as well, whatever the batch, the threads and the
//! instruction set. Whether a convolution is computed so depends on its own size alone.
#![expect(
    unsafe_code,
    reason = "squares are found by pointers into the workspace, within the bounds that geometry gives"
)]

use std::ops::Range;

use crate::compiled::product::{Finder, Product, ProductBuffers, moved};
use crate::instructions::InstructionSet;
use crate::kernel::tile::{self, Finish, Tile};
use crate::kernel::winograd::{
    LANES, POSITIONS, transform_products, transform_square, transform_windows,
};

/// Fewer multiplications of an item than this are not worth transforming weights for, and narrower
/// layers than this spend in transforms what they save in products.
const WORTHWHILE: usize = 1 << 22;
const NARROWEST: usize = 32;

/// In smaller images than this most of a window lies outside, where products pass over it.
const SMALLEST: usize = 4;

/// As many values of squares and products as should stay close at hand.
const CLOSE: usize = 1 << 18;

/// Squares that are multiplied at once: a multiple of what every tile is high.
const AT_ONCE: Range<usize> = tile::ROWS..8 * tile::ROWS;

/// The most columns that are finished at once, and that a panel has.
const WIDEST: usize = 64;

/// The bias is added at the end, not to each of the sixteen products.
static NO_BIAS: [f32; WIDEST] = [0.0; WIDEST];

/// How the rows of a product are covered with squares.
#[derive(Clone, Debug)]
pub(crate) struct SquareGrid {
    /// Squares of an item, down and across.
    squares: [usize; 2],
    /// Where the first square begins in the input.
    corner: [isize; 2],
    /// Which tap of the product lies where in a window, row by row.
    taps: [usize; 9],
}

impl SquareGrid {
    /// How the squares of a product lie, if it is one that is worth it.
    pub(crate) fn of(product: &Product) -> Option<SquareGrid> {
        let [height, width] = product.grid;
        let is_large = product.multiplications() >= WORTHWHILE
            && product.segment.min(product.outputs) >= NARROWEST
            && height.min(width) >= SMALLEST;
        let is_whole = product.segment.is_multiple_of(LANES)
            && product.outputs.is_multiple_of(LANES)
            && product.pixel == [product.segment, 0]
            && product.out.pixel == [product.outputs, 0];
        if !is_large || !is_whole || product.step != [1; 2] {
            return None;
        }
        let corner = [0, 1].map(|side| product.taps.iter().map(|tap| tap[side]).min());
        let corner = [corner[0]?, corner[1]?];
        Some(SquareGrid {
            squares: [height.div_ceil(2), width.div_ceil(2)],
            corner,
            taps: window_of(&product.taps, corner)?,
        })
    }

    fn count(&self) -> usize {
        self.squares[0] * self.squares[1]
    }
}

/// Which tap lies where in a window of three by three, if these are the taps of one.
fn window_of(taps: &[[isize; 2]], corner: [isize; 2]) -> Option<[usize; 9]> {
    let mut window = [None; 9];
    for (tap, &[y, x]) in taps.iter().enumerate() {
        let [y, x] = [y - corner[0], x - corner[1]];
        let place = (y < 3 && x < 3).then_some((3 * y + x) as usize)?;
        if window[place].replace(tap).is_some() {
            return None;
        }
    }
    let mut found = [0; 9];
    for (found, tap) in found.iter_mut().zip(window) {
        *found = tap?;
    }
    Some(found)
}

impl Product {
    /// Packs the transformed weights: one set of panels for each of the sixteen positions.
    pub(crate) fn pack_squares(
        &mut self,
        grid: &SquareGrid,
        weights: &[f32],
        factor: Option<&[f32]>,
    ) {
        let apart = self.segment * self.outputs;
        for panel in self.packed.panels.clone() {
            let [width, first, start] = panel;
            for of in 0..self.segment {
                for column in (0..width).step_by(LANES) {
                    let windows = self.windows(grid, [of, first + column], weights, factor);
                    let to = start + of * width + column;
                    for (position, values) in transform_windows(&windows).iter().enumerate() {
                        let to = &mut self.packed.weights[position * apart + to..];
                        to[..LANES].copy_from_slice(values);
                    }
                }
            }
        }
    }

    /// The windows from one input to [`LANES`] outputs, place by place.
    fn windows(
        &self,
        grid: &SquareGrid,
        [of, first]: [usize; 2],
        weights: &[f32],
        factor: Option<&[f32]>,
    ) -> [[f32; LANES]; 9] {
        let (stride, channel_stride) = self.map.stride().expect("squares are no cells");
        let mut windows = [[0.0; LANES]; 9];
        for (window, &tap) in windows.iter_mut().zip(&grid.taps) {
            let (at, channel) = self.map.weight(tap, of, first).expect("taps have weights");
            for (column, value) in window.iter_mut().enumerate() {
                let factor = factor.map_or(1.0, |factor| factor[channel + column * channel_stride]);
                *value = weights[at + column * stride] * factor;
            }
        }
        windows
    }

    /// Computes the squares that fall to one of several threads.
    ///
    /// # Safety
    /// The ends must be buffers of as many items as they say, of this product's input and output,
    /// and the machine must have the instruction set.
    pub(crate) unsafe fn compute_squares(
        &self,
        grid: &SquareGrid,
        ends: &ProductBuffers,
        finder: &mut Finder,
        part: usize,
        parts: usize,
    ) {
        let total = ends.items * grid.count();
        let most = CLOSE / (POSITIONS * (self.segment + self.outputs));
        let most = most
            .min(total.div_ceil(parts))
            .clamp(AT_ONCE.start, AT_ONCE.end)
            .next_multiple_of(tile::ROWS);
        let blocks = total.div_ceil(most);
        let mut block = SquareBlock::new(self, grid, ends, finder, most);
        for nth in part * blocks / parts..(part + 1) * blocks / parts {
            let squares = nth * most..total.min((nth + 1) * most);
            // SAFETY: the caller vouches for the buffers and the instruction set.
            unsafe {
                block.take_in(squares.clone());
                block.multiply(squares.len());
                block.give_out(squares);
            }
        }
    }
}

/// Squares on their way from one buffer to the other.
struct SquareBlock<'a> {
    product: &'a Product,
    grid: &'a SquareGrid,
    ends: &'a ProductBuffers,
    set: InstructionSet,
    /// How many squares there is room for.
    most: usize,
    /// How far apart the positions of squares lie in the scratch, and those of products: further than
    /// they are long, since at a power of two all of them would share a few lines of the cache.
    apart: [usize; 2],
    finder: &'a mut Finder,
}

impl<'a> SquareBlock<'a> {
    fn new(
        product: &'a Product,
        grid: &'a SquareGrid,
        ends: &'a ProductBuffers,
        finder: &'a mut Finder,
        most: usize,
    ) -> SquareBlock<'a> {
        let apart = [product.segment, product.outputs].map(|each| most * each + LANES);
        let room = POSITIONS * (apart[0] + apart[1]) + 5 * WIDEST;
        finder.scratch.reserve(room);
        let squares = finder.scratch.as_ptr();
        finder.pointers.clear();
        for position in 0..POSITIONS {
            let first = squares.wrapping_add(position * apart[0]);
            let row = |row: usize| first.wrapping_add(row * product.segment);
            finder.pointers.extend((0..most).map(row));
        }
        finder.at.clear();
        finder
            .at
            .extend((0..most).map(|square| square * product.outputs));
        finder.bits_at.clear();
        finder.bits_at.resize(most, 0);
        SquareBlock {
            product,
            grid,
            ends,
            set: product.instruction_set(),
            most,
            apart,
            finder,
        }
    }

    /// Where transformed squares, their products and four rows lie in the scratch.
    fn squares(&mut self) -> *mut f32 {
        self.finder.scratch.as_mut_ptr()
    }

    fn products(&mut self) -> *mut f32 {
        let before = POSITIONS * self.apart[0];
        self.squares().wrapping_add(before)
    }

    fn rows(&mut self) -> *mut f32 {
        let before = POSITIONS * self.apart[1];
        self.products().wrapping_add(before)
    }

    /// A square's item, and the first of its rows there, down and across.
    fn place(&self, square: usize) -> (usize, [usize; 2]) {
        let within = square % self.grid.count();
        let across = self.grid.squares[1];
        let first = [2 * (within / across), 2 * (within % across)];
        (square / self.grid.count(), first)
    }

    /// Transforms some squares of the input.
    unsafe fn take_in(&mut self, squares: Range<usize>) {
        let segment = self.product.segment;
        let to = self.squares();
        for (nth, square) in squares.enumerate() {
            let pixels = self.pixels(square);
            let to = to.wrapping_add(nth * segment);
            // SAFETY: pixels lie in the input or are zeros, and there is room for every square.
            unsafe { transform_square(self.set, &pixels, segment, to, self.apart[0]) };
        }
    }

    /// Where the sixteen pixels of a square lie.
    fn pixels(&self, square: usize) -> [*const f32; POSITIONS] {
        let [height, width] = self.product.image;
        let (item, first) = self.place(square);
        let from = self.ends.from.wrapping_add(item * self.product.size());
        let [top, left] = [0, 1].map(|side| first[side] as isize + self.grid.corner[side]);
        std::array::from_fn(|at| {
            // What is negative has become too large.
            let y = (top + (at / 4) as isize) as usize;
            let x = (left + (at % 4) as isize) as usize;
            match y < height && x < width {
                true => from.wrapping_add((y * width + x) * self.product.segment),
                false => self.ends.zeros,
            }
        })
    }

    /// Multiplies `count` squares with the weights, position by position.
    unsafe fn multiply(&mut self, count: usize) {
        let Product {
            segment,
            outputs,
            packed,
            ..
        } = self.product;
        let products = self.products();
        for position in 0..POSITIONS {
            let weights = packed.weights[position * segment * outputs..].as_ptr();
            let out = products.wrapping_add(position * self.apart[1]);
            for &[width, first, start] in &packed.panels {
                let tallest = tile::height(self.set, width, tile::ROWS);
                for row in (0..count).step_by(tallest) {
                    let pointers = &self.finder.pointers[position * self.most + row..];
                    let tile = Tile {
                        rows: tallest.min(count - row),
                        pointers: pointers.as_ptr(),
                        taps: 1,
                        zeros: self.ends.zeros,
                        segment: *segment,
                        weights: weights.wrapping_add(start),
                        bias: NO_BIAS.as_ptr(),
                        columns: width,
                        finish: Finish {
                            out: out.wrapping_add(first),
                            at: self.finder.at[row..].as_ptr(),
                            bits_at: self.finder.bits_at[row..].as_ptr(),
                            ..Finish::nothing()
                        },
                    };
                    // SAFETY: there is room for as many rows as tiles are high, and for all panels.
                    unsafe { tile::compute(self.set, width, &tile) };
                }
            }
        }
    }

    /// Transforms products into rows of the output, and finishes them.
    unsafe fn give_out(&mut self, squares: Range<usize>) {
        let outputs = self.product.outputs;
        let words = outputs.div_ceil(16);
        let columns = match outputs.is_multiple_of(2 * tile::lanes(self.set)) {
            true => 2 * tile::lanes(self.set),
            false => LANES,
        };
        let products = self.products();
        let rows = self.rows();
        for (nth, square) in squares.enumerate() {
            let Placed { count, pixels, row } = self.placed(square);
            let at = pixels.map(|pixel| pixel * outputs);
            let bits_at = pixels.map(|pixel| pixel * words);
            for first in (0..outputs).step_by(columns) {
                let from = products.wrapping_add(nth * outputs + first);
                let to = row.map(|row| rows.wrapping_add(row * columns));
                let ends = &self.ends.finish;
                let finish = Finish {
                    out: ends.out.wrapping_add(first),
                    at: at.as_ptr(),
                    add: moved(ends.add, first),
                    mask: moved(ends.mask, first / 16),
                    clip: ends.clip,
                    keep: moved(ends.keep.cast_const(), first / 16).cast_mut(),
                    bits_at: bits_at.as_ptr(),
                };
                // SAFETY: rows lie within the output, and there is room for five of them.
                unsafe {
                    let bias = self.product.packed.bias[first..].as_ptr();
                    transform_products(self.set, from, self.apart[1], bias, columns, &to);
                    tile::finish_sums(self.set, &finish, count, columns, rows);
                }
            }
        }
    }

    /// Which pixels of the output a square gives.
    fn placed(&self, square: usize) -> Placed {
        let [height, width] = self.product.grid;
        let (item, [top, left]) = self.place(square);
        let mut placed = Placed {
            count: 0,
            pixels: [0; 4],
            row: [4; 4],
        };
        for (at, row) in placed.row.iter_mut().enumerate() {
            let [y, x] = [top + at / 2, left + at % 2];
            if y < height && x < width {
                *row = placed.count;
                placed.pixels[placed.count] = item * self.product.out.size + y * width + x;
                placed.count += 1;
            }
        }
        placed
    }
}

/// The rows of a square that lie in the output.
struct Placed {
    count: usize,
    /// Which pixels of the output they are.
    pixels: [usize; 4],
    /// Which of them each of the two by two is; what lies outside comes after the last.
    row: [usize; 4],
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::aligned::Aligned;
    use crate::network::{Conv, ItemShape, Window};
    use duress_core::seed::Seed;

    const ITEMS: usize = 3;

    fn normals(label: &str, count: usize) -> Vec<f32> {
        let mut draws = Seed::new(3).child(label).draws();
        (0..count).map(|_| draws.normal() as f32).collect()
    }

    fn conv(inputs: usize, outputs: usize, padding: [usize; 4]) -> Conv {
        let spread = libm::sqrtf(2.0 / (9 * inputs) as f32);
        let weights = normals("weights", inputs * outputs * 9);
        Conv {
            inputs,
            outputs,
            groups: 1,
            window: Window {
                kernel: [3; 2],
                stride: [1; 2],
                padding,
                dilation: [1; 2],
                ceil: false,
            },
            weights: weights.into_iter().map(|x| x * spread).collect(),
            bias: normals("bias", outputs),
        }
    }

    /// The sum that a convolution is by definition, and what its output is like.
    fn by_definition(conv: &Conv, [height, width]: [usize; 2], from: &[f32]) -> Vec<f64> {
        let [top, _, left, _] = conv.window.padding;
        let [rows, columns] = conv.window.places([height, width]).unwrap();
        let mut found = Vec::new();
        for at in 0..ITEMS * rows * columns {
            let [item, y, x] = [at / (rows * columns), at / columns % rows, at % columns];
            for output in 0..conv.outputs {
                let mut sum = f64::from(conv.bias[output]);
                for tap in 0..9 {
                    let (y, x) = (y + tap / 3, x + tap % 3);
                    if y < top || x < left || y - top >= height || x - left >= width {
                        continue;
                    }
                    let pixel = (item * height + y - top) * width + x - left;
                    for input in 0..conv.inputs {
                        let weight = conv.weights[(output * conv.inputs + input) * 9 + tap];
                        sum += f64::from(weight) * f64::from(from[pixel * conv.inputs + input]);
                    }
                }
                found.push(sum);
            }
        }
        found
    }

    /// What a product gives, shared by so many threads.
    fn computed(product: &Product, from: &[f32], finish: Finish, parts: usize) -> Vec<f32> {
        let zeros = Aligned::zeros(product.segment());
        let mut out = vec![f32::NAN; ITEMS * product.out.size * product.outputs];
        let ends = ProductBuffers {
            items: ITEMS,
            from: from.as_ptr(),
            zeros: zeros.as_ptr(),
            finish: Finish {
                out: out.as_mut_ptr(),
                ..finish
            },
        };
        for part in 0..parts {
            // SAFETY: the buffers have the sizes that the product asks for.
            unsafe { product.compute_rows(&ends, &mut Finder::default(), part, parts) };
        }
        out
    }

    fn packed(mut product: Product, conv: &Conv, set: InstructionSet) -> Product {
        let bias = product.is_forward().then_some(&conv.bias[..]);
        product.pack_weights(set, &conv.weights, None, bias);
        assert!(product.squares.is_some(), "it is large enough");
        product
    }

    fn assert_near(found: &[f32], expected: &[f64], tolerance: f64) {
        let pairs = found.iter().zip(expected);
        let apart = pairs.map(|(found, expected)| (f64::from(*found) - expected).abs());
        let apart = apart.fold(0.0, f64::max);
        assert_eq!(found.len(), expected.len());
        assert!(apart < tolerance, "{apart}");
    }

    /// Odd and even sides, borders of several widths, channels of every kind of panel.
    const CASES: [(ItemShape, usize, [usize; 4]); 4] = [
        ([64, 12, 11], 64, [1; 4]),
        ([96, 9, 13], 48, [1, 2, 0, 1]),
        ([32, 24, 23], 48, [2; 4]),
        ([64, 7, 17], 112, [0, 1, 1, 0]),
    ];

    #[test]
    fn squares_give_what_a_convolution_is_by_definition_on_every_machine() {
        for ([inputs, height, width], outputs, padding) in CASES {
            let conv = conv(inputs, outputs, padding);
            let from = normals("values", ITEMS * height * width * inputs);
            let expected = by_definition(&conv, [height, width], &from);
            let mut first = None;
            for set in InstructionSet::available() {
                let product = Product::forward(&conv, 0, [height, width], false);
                let product = packed(product, &conv, set);
                for parts in 1..4 {
                    let found = computed(&product, &from, Finish::nothing(), parts);
                    assert_near(&found, &expected, 2e-5);
                    let bits: Vec<u32> = found.iter().map(|x| x.to_bits()).collect();
                    assert_eq!(&bits, first.get_or_insert_with(|| bits.clone()), "{set}");
                }
            }
        }
    }

    #[test]
    fn the_way_back_through_squares_is_the_transposed_convolution() {
        for ([inputs, height, width], outputs, padding) in CASES {
            let mut conv = conv(inputs, outputs, padding);
            conv.bias.fill(0.0);
            let [rows, columns] = conv.window.places([height, width]).unwrap();
            let above = normals("above", ITEMS * rows * columns * outputs);
            let along = normals("along", ITEMS * height * width * inputs);
            let set = InstructionSet::best_available();
            let back = Product::backward(&conv, 0, [height, width]).pop().unwrap();
            let slopes = computed(&packed(back, &conv, set), &above, Finish::nothing(), 1);
            let product = |a: &[f32], b: &mut dyn Iterator<Item = f64>| -> f64 {
                a.iter().zip(b).map(|(a, b)| f64::from(*a) * b).sum()
            };
            let forward = by_definition(&conv, [height, width], &along);
            let one = product(&above, &mut forward.into_iter());
            let other = product(&along, &mut slopes.iter().map(|x| f64::from(*x)));
            assert!(
                (one - other).abs() < 1e-4 * one.abs().max(100.0),
                "{one} {other}"
            );
        }
    }

    #[test]
    fn rows_of_squares_are_added_masked_and_clipped_like_others() {
        let conv = conv(64, 64, [1; 4]);
        let side = 11;
        let size = ITEMS * side * side;
        let from = normals("values", size * 64);
        let add = normals("add", size * 64);
        let mask: Vec<u16> = (0..size * 4).map(|at| (at * 40_503) as u16).collect();
        let plain = by_definition(&conv, [side; 2], &from);
        for set in InstructionSet::available() {
            let product = packed(Product::forward(&conv, 0, [side; 2], false), &conv, set);
            let mut keep = vec![0_u16; size * 4];
            let clipped = Finish {
                add: add.as_ptr(),
                clip: Some((0.0, 1.0)),
                keep: keep.as_mut_ptr(),
                ..Finish::nothing()
            };
            let found = computed(&product, &from, clipped, 2);
            let sums: Vec<f64> = plain
                .iter()
                .zip(&add)
                .map(|(a, b)| a + f64::from(*b))
                .collect();
            let expected: Vec<f64> = sums.iter().map(|x| x.clamp(0.0, 1.0)).collect();
            assert_near(&found, &expected, 2e-5);
            for (at, x) in found.iter().enumerate() {
                let kept = keep[at / 16] >> (at % 16) & 1 == 1;
                assert_eq!(kept, *x > 0.0 && *x < 1.0, "{set}, {at}");
            }
            let masked = Finish {
                mask: mask.as_ptr(),
                ..Finish::nothing()
            };
            let through = |at: usize| f64::from(mask[at / 16] >> (at % 16) & 1);
            let expected: Vec<f64> = plain
                .iter()
                .enumerate()
                .map(|(at, x)| x * through(at))
                .collect();
            assert_near(&computed(&product, &from, masked, 2), &expected, 2e-5);
        }
    }

    #[test]
    fn only_large_layers_go_by_squares() {
        let goes = |inputs: usize, outputs: usize, side: usize| {
            let conv = conv(inputs, outputs, [1; 4]);
            let mut product = Product::forward(&conv, 0, [side; 2], false);
            product.pack_weights(InstructionSet::Portable, &conv.weights, None, None);
            product.squares.is_some()
        };
        assert!(goes(32, 32, 32));
        assert!(!goes(32, 32, 8));
        assert!(!goes(16, 512, 32));
        assert!(!goes(512, 512, 2));
        assert!(!goes(100, 100, 16));
    }
}
