//! Products: a convolution or a dense layer, forward or back, as rows of values times packed
//! weights.
//!
//! A row is a place of the output; its taps are the places of the input that its window sees. Going
//! back through a convolution is a convolution again: of the slopes, with other taps for each place
//! within a stride.
#![expect(
    unsafe_code,
    reason = "rows are found by pointers into the workspace, within the bounds that geometry gives"
)]

use std::ops::Range;

use crate::compiled::winograd::SquareGrid;
use crate::instructions::InstructionSet;
use crate::kernel::aligned::Aligned;
use crate::kernel::outer;
use crate::kernel::tile::{self, Finish, Tile};
use crate::kernel::winograd::POSITIONS;
use crate::network::{Conv, ItemShape};

/// A convolution by geometry, with its weights packed for the kernels.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    /// Rows per item, down and across.
    pub(super) grid: [usize; 2],
    /// How far the input moves from one row to the next.
    pub(super) step: [usize; 2],
    /// Where the taps of the first row lie in the input.
    pub(super) taps: Vec<[isize; 2]>,
    /// Height and width of the input.
    pub(super) image: [usize; 2],
    /// How many values a pixel of the input has, and the first that is read.
    pub(super) pixel: [usize; 2],
    /// How many consecutive values a tap has.
    pub(super) segment: usize,
    /// How many values a row gives.
    pub(super) outputs: usize,
    pub(super) out: RowPlacement,
    pub(super) map: Map,
    pub(super) packed: Packed,
    /// Whether rows are taken place by place, all items at one place side by side.
    pub(super) by_place: bool,
    /// Where the taps of every place lie within an item, unless there are too many to be listed.
    pub(super) offsets: Vec<u32>,
    /// How its rows are covered with squares, if it is computed so.
    pub(super) squares: Option<SquareGrid>,
}

/// Where rows are stored.
#[derive(Clone, Debug)]
pub(crate) struct RowPlacement {
    /// How many pixels the output of an item has.
    pub(super) size: usize,
    /// Which of them each row of an item is.
    pub(super) pixels: Vec<u32>,
    /// How many values a pixel of the output has, and the first that is written.
    pub(super) pixel: [usize; 2],
}

/// Which weight of a convolution belongs to a tap, a value of its segment and an output.
#[derive(Clone, Debug)]
pub(super) struct Map {
    /// Outputs and inputs of a group, and which group.
    outputs: usize,
    inputs: usize,
    group: usize,
    kernel: [usize; 2],
    form: ProductForm,
}

#[derive(Clone, Debug)]
enum ProductForm {
    /// A tap is a row of the window, with all its columns in one segment.
    Rows,
    /// A tap is a place of the window.
    Taps(Vec<[usize; 2]>),
    /// Going back: a tap is a place of the window, and inputs and outputs change sides.
    Back(Vec<[usize; 2]>),
    /// Going back into cells of `side` × `side` pixels at once.
    Cells {
        side: usize,
        stride: [usize; 2],
        padding: [usize; 2],
        dilation: [usize; 2],
        taps: Vec<[isize; 2]>,
    },
}

/// Weights in panels as wide as a few registers, outputs side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    pub(super) set: Option<InstructionSet>,
    /// Width, first output and start within `weights` of each panel.
    pub(super) panels: Vec<[usize; 3]>,
    pub(super) weights: Aligned,
    pub(super) bias: Aligned,
}

/// What a thread needs to find its rows.
#[derive(Default)]
pub(crate) struct Finder {
    pub(super) pointers: Vec<*const f32>,
    pub(super) at: Vec<usize>,
    pub(super) bits_at: Vec<usize>,
    /// Sums over rows, while weights' slopes are found.
    pub(super) sums: Vec<f32>,
    /// Squares and their products.
    pub(super) scratch: Aligned,
}

// SAFETY: the pointers are written before they are read in every call, by the thread that has the
// finder.
unsafe impl Send for Finder {}

/// Where a product reads and writes: the beginnings of buffers that hold `items` items.
#[derive(Clone, Copy)]
pub(crate) struct ProductBuffers {
    pub(crate) items: usize,
    pub(crate) from: *const f32,
    /// At least as many zeros as a segment is long.
    pub(crate) zeros: *const f32,
    pub(crate) finish: Finish,
}

/// As many pointers as are looked up at once.
const POINTERS: usize = 4096;

/// As many values of the input as should stay close at hand.
const CLOSE: usize = 1 << 17;

/// As many places of taps as are looked up in a list.
const LISTED: usize = 1 << 15;

/// In such a list, a tap that lies outside.
const NOWHERE: u32 = u32::MAX;

/// If more of the taps than this share lie outside, rows are taken place by place: rows at one
/// place have the same taps outside, which a tile can pass over.
const OUTSIDE: f64 = 0.05;

impl Product {
    /// A convolution of `image` (one group of it), whose input lies with `padded` borders or
    /// without.
    pub(crate) fn forward(conv: &Conv, group: usize, image: [usize; 2], padded: bool) -> Product {
        let window = &conv.window;
        let grid = window.places(image).unwrap_or_default();
        let each = conv.inputs / conv.groups;
        let outputs = conv.outputs / conv.groups;
        let [top, bottom, left, right] = window.padding;
        // Without borders nothing lies outside, and the columns of a window lie side by side.
        let borderless = window.padding == [0; 4] && window.dilation[1] == 1 && conv.groups == 1;
        let (form, taps, segment, image) = if padded || borderless {
            let taps = (0..window.kernel[0])
                .map(|y| [(y * window.dilation[0]) as isize, 0])
                .collect();
            let image = [image[0] + top + bottom, image[1] + left + right];
            (ProductForm::Rows, taps, each * window.kernel[1], image)
        } else {
            let places = places(window.kernel);
            let tap = |&[y, x]: &[usize; 2]| {
                [
                    offset(y * window.dilation[0], top),
                    offset(x * window.dilation[1], left),
                ]
            };
            let taps = places.iter().map(tap).collect();
            (ProductForm::Taps(places), taps, each, image)
        };
        Product {
            grid,
            step: window.stride,
            taps,
            image,
            pixel: [conv.inputs, group * each],
            segment,
            outputs,
            out: RowPlacement::one_by_one(grid, [conv.outputs, group * outputs]),
            map: Map {
                outputs,
                inputs: each,
                group,
                kernel: window.kernel,
                form,
            },
            packed: Packed::default(),
            by_place: false,
            offsets: Vec::new(),
            squares: None,
        }
    }

    /// The way back through a convolution of `image`, one product for each place within a stride.
    pub(crate) fn backward(conv: &Conv, group: usize, image: [usize; 2]) -> Vec<Product> {
        let window = &conv.window;
        let above = window.places(image).unwrap_or_default();
        let each = conv.inputs / conv.groups;
        let outputs = conv.outputs / conv.groups;
        let phases = places([
            window.stride[0].min(image[0]),
            window.stride[1].min(image[1]),
        ]);
        let product = |start: [usize; 2]| {
            let hits = |side: usize, at: usize| {
                let from = offset(
                    start[side] + window.padding[2 * side],
                    at * window.dilation[side],
                );
                let stride = window.stride[side] as isize;
                (from % stride == 0).then_some(from / stride)
            };
            let hit = |[y, x]: [usize; 2]| Some(([y, x], [hits(0, y)?, hits(1, x)?]));
            let found = places(window.kernel).into_iter().filter_map(hit);
            let (kept, taps): (Vec<_>, Vec<_>) = found.unzip();
            let along = |side: usize| (image[side] - start[side]).div_ceil(window.stride[side]);
            let grid = [along(0), along(1)];
            let pixel = |[y, x]: [usize; 2]| {
                let y = start[0] + y * window.stride[0];
                let x = start[1] + x * window.stride[1];
                (y * image[1] + x) as u32
            };
            Product {
                grid,
                step: [1; 2],
                taps,
                image: above,
                pixel: [conv.outputs, group * outputs],
                segment: outputs,
                outputs: each,
                out: RowPlacement {
                    size: image[0] * image[1],
                    pixels: places(grid).into_iter().map(pixel).collect(),
                    pixel: [conv.inputs, group * each],
                },
                map: Map {
                    outputs,
                    inputs: each,
                    group,
                    kernel: window.kernel,
                    form: ProductForm::Back(kept),
                },
                packed: Packed::default(),
                by_place: false,
                offsets: Vec::new(),
                squares: None,
            }
        };
        phases.into_iter().map(product).collect()
    }

    /// The way back through a convolution with few input channels, into cells of `side` × `side`
    /// pixels: with too few outputs side by side, most of a register would be idle.
    pub(crate) fn backward_in_cells(conv: &Conv, side: usize, image: [usize; 2]) -> Product {
        let window = &conv.window;
        let [top, _, left, _] = window.padding;
        // The places above that any pixel of the first cell has a part in.
        let reach = |of: usize, before: usize| {
            let stride = window.stride[of] as isize;
            let low = offset(before, (window.kernel[of] - 1) * window.dilation[of]);
            let high = (side - 1 + before) as isize;
            low.div_euclid(stride)..=high.div_euclid(stride)
        };
        let taps: Vec<[isize; 2]> = reach(0, top)
            .flat_map(|y| reach(1, left).map(move |x| [y, x]))
            .collect();
        let grid = [image[0].div_ceil(side), image[1].div_ceil(side)];
        let outputs = side * side * conv.inputs;
        let form = ProductForm::Cells {
            side,
            stride: window.stride,
            padding: [top, left],
            dilation: window.dilation,
            taps: taps.clone(),
        };
        Product {
            grid,
            step: [side / window.stride[0], side / window.stride[1]],
            taps,
            image: window.places(image).unwrap_or_default(),
            pixel: [conv.outputs, 0],
            segment: conv.outputs,
            outputs,
            out: RowPlacement::one_by_one(grid, [outputs, 0]),
            map: Map {
                outputs: conv.outputs,
                inputs: conv.inputs,
                group: 0,
                kernel: window.kernel,
                form,
            },
            packed: Packed::default(),
            by_place: false,
            offsets: Vec::new(),
            squares: None,
        }
    }

    /// Sums from the last tap to the first, of a product in cells whose weights are not packed yet.
    pub(crate) fn reverse_taps(&mut self) {
        self.taps.reverse();
        if let ProductForm::Cells { taps, .. } = &mut self.map.form {
            taps.reverse();
        }
    }

    /// Packs the weights, each times `factor` of its output channel.
    pub(crate) fn pack_weights(
        &mut self,
        set: InstructionSet,
        weights: &[f32],
        factor: Option<&[f32]>,
        bias: Option<&[f32]>,
    ) {
        self.make_room(set);
        let outputs = self.outputs;
        if let Some(bias) = bias.filter(|bias| !bias.is_empty()) {
            let first = self.map.group * self.map.outputs;
            self.packed.bias[..outputs].copy_from_slice(&bias[first..first + outputs]);
        }
        if let Some(grid) = self.squares.clone() {
            return self.pack_squares(&grid, weights, factor);
        }
        let map = &self.map;
        let segment = self.segment;
        for &[width, first, start] in &self.packed.panels {
            let columns = width.min(outputs - first);
            let panel = &mut self.packed.weights[start..][..self.taps.len() * segment * width];
            // All taps of an input together: its weights lie side by side.
            for of in 0..segment {
                for tap in 0..self.taps.len() {
                    let row = &mut panel[(tap * segment + of) * width..][..columns];
                    map.fill_row(row, [tap, of, first], weights, factor);
                }
            }
        }
    }

    fn make_room(&mut self, set: InstructionSet) {
        if self.packed.set == Some(set) {
            return;
        }
        self.squares = SquareGrid::of(self);
        let (depth, sets) = match self.squares {
            Some(_) => (self.segment, POSITIONS),
            None => (self.taps.len() * self.segment, 1),
        };
        let mut first = 0;
        let mut start = 0;
        let mut panels = Vec::new();
        while first < self.outputs {
            let width = tile::width(set, self.outputs - first);
            panels.push([width, first, start]);
            (first, start) = (first + width, start + width * depth);
        }
        let weights = Aligned::zeros(sets * start);
        let bias = Aligned::zeros(first);
        self.packed = Packed {
            set: Some(set),
            panels,
            weights,
            bias,
        };
        self.by_place = self.outside() > OUTSIDE;
        self.list_offsets();
    }

    /// Lists where the taps of every place lie, unless there are too many.
    pub(crate) fn list_offsets(&mut self) {
        let places = self.grid[0] * self.grid[1];
        if places * self.taps.len() <= LISTED && self.size() < NOWHERE as usize {
            let mut offsets = Vec::with_capacity(places * self.taps.len());
            for place in 0..places {
                offsets.extend(
                    self.seen_from(place)
                        .map(|at| at.map_or(NOWHERE, |at| at as u32)),
                );
            }
            self.offsets = offsets;
        }
    }

    /// Where the taps of a place lie within an item, if they do.
    fn seen_from(&self, place: usize) -> impl Iterator<Item = Option<usize>> {
        let [height, width] = self.image;
        let [y, x] = [place / self.grid[1], place % self.grid[1]];
        let [top, left] = [(y * self.step[0]) as isize, (x * self.step[1]) as isize];
        self.taps.iter().map(move |&[dy, dx]| {
            let [y, x] = [(top + dy) as usize, (left + dx) as usize];
            // What is negative has become too large.
            (y < height && x < width).then(|| (y * width + x) * self.pixel[0] + self.pixel[1])
        })
    }

    /// The share of the taps that lie outside the image.
    fn outside(&self) -> f64 {
        let inside = |side: usize, tap: isize| {
            let at = |place: usize| (place * self.step[side]) as isize + tap;
            (0..self.grid[side])
                .filter(|&place| (0..self.image[side] as isize).contains(&at(place)))
                .count()
        };
        let seen: usize = self
            .taps
            .iter()
            .map(|&[y, x]| inside(0, y) * inside(1, x))
            .sum();
        1.0 - seen as f64 / (self.taps.len() * self.grid[0] * self.grid[1]).max(1) as f64
    }

    /// Whether it goes forward: only then is there a bias.
    pub(crate) fn is_forward(&self) -> bool {
        matches!(self.map.form, ProductForm::Rows | ProductForm::Taps(_))
    }

    /// How long a segment is: as many zeros stand for a tap outside.
    pub(crate) fn segment(&self) -> usize {
        self.segment
    }

    /// How many multiplications an item takes.
    pub(crate) fn multiplications(&self) -> usize {
        self.grid[0] * self.grid[1] * self.taps.len() * self.segment * self.outputs
    }

    /// The set that its weights were packed for.
    pub(super) fn instruction_set(&self) -> InstructionSet {
        self.packed
            .set
            .expect("weights are packed before they are used")
    }

    /// Computes the rows that fall to one of several threads.
    ///
    /// # Safety
    /// The ends must be buffers of as many items as they say, of this product's input and output.
    pub(crate) unsafe fn compute_rows(
        &self,
        ends: &ProductBuffers,
        finder: &mut Finder,
        part: usize,
        parts: usize,
    ) {
        let set = self.instruction_set();
        // SAFETY: a set is only chosen where the machine has it; the caller vouches for the rest.
        unsafe {
            if let Some(grid) = &self.squares {
                return self.compute_squares(grid, ends, finder, part, parts);
            }
            match set {
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512 => self.compute_rows_avx512(ends, finder, part, parts),
                _ => self.compute_rows_with(set, ends, finder, part, parts),
            }
        }
    }

    /// Finding rows takes as long as computing them where channels are few, so it is compiled for
    /// wide registers as well.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx2")]
    unsafe fn compute_rows_avx512(
        &self,
        ends: &ProductBuffers,
        finder: &mut Finder,
        part: usize,
        parts: usize,
    ) {
        // SAFETY: the caller vouches for it.
        unsafe { self.compute_rows_with(InstructionSet::Avx512, ends, finder, part, parts) }
    }

    #[inline(always)]
    unsafe fn compute_rows_with(
        &self,
        set: InstructionSet,
        ends: &ProductBuffers,
        finder: &mut Finder,
        part: usize,
        parts: usize,
    ) {
        let rows = ends.items * self.grid[0] * self.grid[1];
        let tallest = tile::ROWS;
        let most = (POINTERS / self.taps.len().max(1)).min(CLOSE / self.segment.max(1));
        let most = most
            .min(rows.div_ceil(2 * parts))
            .max(1)
            .next_multiple_of(tallest);
        let blocks = rows.div_ceil(most);
        for block in part * blocks / parts..(part + 1) * blocks / parts {
            let begin = block * most;
            let count = most.min(rows - begin);
            self.locate_rows(ends, finder, begin, count, self.by_place);
            // Rows that are computed beside the last ones, and not stored.
            let spare = (count.next_multiple_of(tallest) - count) * self.taps.len();
            finder
                .pointers
                .extend(std::iter::repeat_n(ends.zeros, spare));
            // SAFETY: the finder holds pointers for these rows, and the caller vouches for the
            // buffers.
            unsafe { self.compute_block(set, ends, finder, count) };
        }
    }

    /// All panels times some rows that have been found.
    unsafe fn compute_block(
        &self,
        set: InstructionSet,
        ends: &ProductBuffers,
        finder: &Finder,
        count: usize,
    ) {
        for &[width, first, start] in &self.packed.panels {
            let tallest = tile::height(set, width, tile::ROWS);
            for row in (0..count).step_by(tallest) {
                // SAFETY: offsets stay within the buffers because rows, panels and outputs do.
                unsafe {
                    let finish = Finish {
                        out: ends.finish.out.add(first),
                        at: finder.at.as_ptr().add(row),
                        add: moved(ends.finish.add, first),
                        mask: moved(ends.finish.mask, first / 16),
                        keep: moved(ends.finish.keep.cast_const(), first / 16).cast_mut(),
                        bits_at: finder.bits_at.as_ptr().add(row),
                        clip: ends.finish.clip,
                    };
                    let tile = Tile {
                        rows: tallest.min(count - row),
                        pointers: finder.pointers.as_ptr().add(row * self.taps.len()),
                        taps: self.taps.len(),
                        zeros: ends.zeros,
                        segment: self.segment,
                        weights: self.packed.weights.as_ptr().add(start),
                        bias: self.packed.bias.as_ptr().add(first),
                        columns: width.min(self.outputs - first),
                        finish,
                    };
                    tile::compute(set, width, &tile);
                }
            }
        }
    }

    /// Looks up where the taps of `count` rows lie, and where the rows are stored. Rows go item by
    /// item or, if asked, place by place.
    #[inline(always)]
    fn locate_rows(
        &self,
        ends: &ProductBuffers,
        finder: &mut Finder,
        begin: usize,
        count: usize,
        by_place: bool,
    ) {
        finder.pointers.clear();
        finder.at.clear();
        finder.bits_at.clear();
        let inner = if by_place {
            ends.items
        } else {
            self.grid[0] * self.grid[1]
        };
        let end = begin + count;
        let mut row = begin;
        // In whole runs: with few channels, finding a row by itself takes longer than computing it.
        while row < end {
            let outer = row / inner;
            let first = row % inner;
            let last = inner.min(first + end - row);
            match by_place {
                true => self.locate_items(ends, finder, outer, first..last),
                false => self.locate_places(ends, finder, outer, first..last),
            }
            row += last - first;
        }
    }

    /// The same for one place of some items.
    #[inline(always)]
    fn locate_items(
        &self,
        ends: &ProductBuffers,
        finder: &mut Finder,
        place: usize,
        items: Range<usize>,
    ) {
        let taps = self.taps.len();
        let begun = finder.pointers.len();
        let pointers = begun + items.len() * taps;
        finder.pointers.resize(pointers, ends.zeros);
        for (tap, at) in self.seen_from(place).enumerate() {
            let Some(at) = at else { continue };
            let from = ends.from.wrapping_add(items.start * self.size() + at);
            let of_tap = finder.pointers[begun + tap..].iter_mut().step_by(taps);
            for (item, pointer) in of_tap.enumerate() {
                *pointer = from.wrapping_add(item * self.size());
            }
        }
        let pixel = self.out.pixels[place] as usize;
        let size = self.out.size;
        self.locate_pixels(finder, items.map(|item| item * size + pixel));
    }

    /// The same for some places of one item.
    #[inline(always)]
    fn locate_places(
        &self,
        ends: &ProductBuffers,
        finder: &mut Finder,
        item: usize,
        places: Range<usize>,
    ) {
        let taps = self.taps.len();
        let from = ends.from.wrapping_add(item * self.size());
        match self.offsets.get(places.start * taps..places.end * taps) {
            Some(offsets) => finder.pointers.extend(offsets.iter().map(|&at| match at {
                NOWHERE => ends.zeros,
                at => from.wrapping_add(at as usize),
            })),
            None => {
                let seen = places.clone().flat_map(|place| self.seen_from(place));
                let pointers = seen.map(|at| at.map_or(ends.zeros, |at| from.wrapping_add(at)));
                finder.pointers.extend(pointers);
            }
        }
        let first = item * self.out.size;
        let pixels = self.out.pixels[places].iter();
        self.locate_pixels(finder, pixels.map(|&pixel| first + pixel as usize));
    }

    /// Where rows are stored that give these pixels.
    #[inline(always)]
    fn locate_pixels(&self, finder: &mut Finder, pixels: impl Iterator<Item = usize> + Clone) {
        let [each, first] = self.out.pixel;
        let words = each.div_ceil(16);
        let at = pixels.clone().map(|pixel| pixel * each + first);
        finder.at.extend(at);
        finder.bits_at.extend(pixels.map(|pixel| pixel * words));
    }

    /// How many values an item of the input has.
    pub(super) fn size(&self) -> usize {
        self.image[0] * self.image[1] * self.pixel[0]
    }

    /// How a loss that changes by `above` with the output changes with the weights: added to
    /// `slopes`, which lie as the convolution's own weights do. Only the share of the weights that
    /// falls to one of several threads.
    ///
    /// # Safety
    /// `from` and `above` must be buffers of `items` items of this product's input and output,
    /// which must be a forward one; no other thread may touch the same share of `slopes`.
    #[expect(
        clippy::too_many_arguments,
        reason = "the ends of a product that has two inputs and belongs to a team"
    )]
    pub(crate) unsafe fn weight_gradients(
        &self,
        set: InstructionSet,
        ends: &ProductBuffers,
        above: *const f32,
        slopes: *mut f32,
        finder: &mut Finder,
        part: usize,
        parts: usize,
    ) {
        let rows = ends.items * self.grid[0] * self.grid[1];
        let wide = outer::columns(set);
        let high = self.segment.div_ceil(outer::ROWS);
        let units = self.taps.len() * high;
        let mine = part * units / parts..(part + 1) * units / parts;
        let panels = self.outputs.div_ceil(wide);
        let most = (POINTERS / self.taps.len())
            .min(CLOSE / (self.segment + self.outputs))
            .clamp(16, 512);
        let mut sums = std::mem::take(&mut finder.sums);
        sums.clear();
        sums.resize(mine.len() * panels * outer::ROWS * wide, 0.0);
        for begin in (0..rows).step_by(most) {
            let count = most.min(rows - begin);
            self.locate_rows(ends, finder, begin, count, false);
            for (at, sums) in sums.chunks_exact_mut(outer::ROWS * wide).enumerate() {
                let unit = mine.start + at / panels;
                let column = at % panels * wide;
                let tap = unit / high;
                let first = unit % high * outer::ROWS;
                // SAFETY: the pointers of the finder lead to segments, `at` to rows of the output.
                unsafe {
                    let outer = outer::Outer {
                        rows: count,
                        pointers: finder.pointers.as_ptr().add(tap),
                        stride: self.taps.len(),
                        zeros: ends.zeros,
                        first,
                        tall: outer::ROWS.min(self.segment - first),
                        above: above.add(column),
                        at: finder.at.as_ptr(),
                        columns: wide.min(self.outputs - column),
                    };
                    outer::compute(set, sums, &outer);
                }
            }
        }
        // All taps of a few inputs together: their weights lie side by side.
        for part_of_segment in 0..high {
            for unit in (part_of_segment..units).step_by(high) {
                if !mine.contains(&unit) {
                    continue;
                }
                let of_unit = &sums[(unit - mine.start) * panels * outer::ROWS * wide..];
                for panel in 0..panels {
                    let of_panel = &of_unit[panel * outer::ROWS * wide..][..outer::ROWS * wide];
                    // SAFETY: each weight belongs to one unit, and each unit to one thread.
                    unsafe { self.add_gradients(unit, high, panel * wide, of_panel, slopes) };
                }
            }
        }
        finder.sums = sums;
    }

    /// Adds the sums of a few inputs at one tap and a few outputs to the weights' slopes.
    unsafe fn add_gradients(
        &self,
        unit: usize,
        high: usize,
        column: usize,
        sums: &[f32],
        slopes: *mut f32,
    ) {
        let (stride, _) = self
            .map
            .stride()
            .expect("gradients are those of the way forward");
        let first = unit % high * outer::ROWS;
        let wide = sums.len() / outer::ROWS;
        let columns = wide.min(self.outputs - column);
        for (of, sums) in (first..self.segment).zip(sums.chunks_exact(wide)) {
            let Some((at, _)) = self.map.weight(unit / high, of, column) else {
                continue;
            };
            for (nth, sum) in sums[..columns].iter().enumerate() {
                // SAFETY: the caller vouches for the weights.
                unsafe { *slopes.add(at + nth * stride) += sum };
            }
        }
    }
}

/// A pointer further on, unless there is none.
pub(super) fn moved<T>(pointer: *const T, by: usize) -> *const T {
    if pointer.is_null() {
        pointer
    } else {
        pointer.wrapping_add(by)
    }
}

impl RowPlacement {
    /// Every row in the pixel that has its number.
    fn one_by_one(grid: [usize; 2], pixel: [usize; 2]) -> RowPlacement {
        let size = grid[0] * grid[1];
        RowPlacement {
            size,
            pixels: (0..size as u32).collect(),
            pixel,
        }
    }
}

impl Map {
    /// Packs the weights of one value of a segment, from output `first` on, each times `factor` of
    /// its output channel.
    fn fill_row(
        &self,
        row: &mut [f32],
        [tap, of, first]: [usize; 3],
        weights: &[f32],
        factor: Option<&[f32]>,
    ) {
        let Some((stride, channel_stride)) = self.stride() else {
            for (column, weight) in row.iter_mut().enumerate() {
                let found = self.weight(tap, of, first + column);
                *weight = found.map_or(0.0, |(at, channel)| {
                    weights[at] * factor.map_or(1.0, |factor| factor[channel])
                });
            }
            return;
        };
        let Some((from, channel)) = self.weight(tap, of, first) else {
            return;
        };
        let weights = weights[from..].iter().step_by(stride);
        match factor {
            None => row.iter_mut().zip(weights).for_each(|(to, x)| *to = *x),
            Some(factor) => {
                for (column, (to, x)) in row.iter_mut().zip(weights).enumerate() {
                    *to = x * factor[channel + column * channel_stride];
                }
            }
        }
    }

    /// How far apart the weights of an output and the next lie, and their channels, if that is the
    /// same for all.
    pub(super) fn stride(&self) -> Option<(usize, usize)> {
        let [height, width] = self.kernel;
        match self.form {
            ProductForm::Rows | ProductForm::Taps(_) => Some((self.inputs * height * width, 1)),
            ProductForm::Back(_) => Some((height * width, 0)),
            ProductForm::Cells { .. } => None,
        }
    }

    /// Where the weight lies, and which output channel of the convolution it belongs to.
    pub(super) fn weight(&self, tap: usize, of: usize, output: usize) -> Option<(usize, usize)> {
        let (channel, input, [y, x]) = match &self.form {
            ProductForm::Rows => (output, of % self.inputs, [tap, of / self.inputs]),
            ProductForm::Taps(places) => (output, of, places[tap]),
            ProductForm::Back(places) => (of, output, places[tap]),
            ProductForm::Cells {
                side,
                stride,
                padding,
                dilation,
                taps,
            } => {
                let pixel = output / self.inputs;
                let inside = [pixel / side, pixel % side];
                let place = |at: usize| {
                    let from =
                        (inside[at] + padding[at]) as isize - taps[tap][at] * stride[at] as isize;
                    let dilation = dilation[at] as isize;
                    let place = usize::try_from(from / dilation).ok()?;
                    (from >= 0 && from % dilation == 0 && place < self.kernel[at]).then_some(place)
                };
                (of, output % self.inputs, [place(0)?, place(1)?])
            }
        };
        let channel = self.group * self.outputs + channel;
        let [height, width] = self.kernel;
        Some((
            ((channel * self.inputs + input) * height + y) * width + x,
            channel,
        ))
    }
}

fn places([height, width]: [usize; 2]) -> Vec<[usize; 2]> {
    (0..height)
        .flat_map(|y| (0..width).map(move |x| [y, x]))
        .collect()
}

fn offset(to: usize, from: usize) -> isize {
    to as isize - from as isize
}

/// How large the cells are that a gradient with this shape is better computed in, if there are any.
pub(crate) fn cells(conv: &Conv, [channels, ..]: ItemShape) -> Option<usize> {
    let stride = conv.window.stride;
    let fits = |side: &usize| {
        side * side * channels <= 16
            && side.is_multiple_of(stride[0])
            && side.is_multiple_of(stride[1])
    };
    if conv.groups > 1 {
        return None;
    }
    (1..=4).rev().find(fits)
}
