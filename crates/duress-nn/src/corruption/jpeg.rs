//! What JPEG leaves of a picture: baseline compression and decompression without the bytes between.
//!
//! What loses anything is done here as libjpeg does it under Pillow: colour to luma and chroma,
//! chroma at half size (4:2:0), the cosine transform of blocks, division by the tables of Annex K
//! scaled by quality, rounding; and back, with chroma enlarged by a triangle filter. What loses
//! nothing, the coding of the numbers, is left out: so there is no need for an encoder beside the
//! decoder that reads datasets, and quality may be any real number.

use super::{Picture, Size};

const SIDE: usize = 8;

/// Annex K.1, for luma; rows of frequencies.
#[rustfmt::skip]
const LUMA_TABLE: [u16; 64] = [
    16, 11, 10, 16,  24,  40,  51,  61,
    12, 12, 14, 19,  26,  58,  60,  55,
    14, 13, 16, 24,  40,  57,  69,  56,
    14, 17, 22, 29,  51,  87,  80,  62,
    18, 22, 37, 56,  68, 109, 103,  77,
    24, 35, 55, 64,  81, 104, 113,  92,
    49, 64, 78, 87, 103, 121, 120, 101,
    72, 92, 95, 98, 112, 100, 103,  99,
];

/// Annex K.2, for chroma.
#[rustfmt::skip]
const CHROMA_TABLE: [u16; 64] = [
    17, 18, 24, 47, 99, 99, 99, 99,
    18, 21, 26, 66, 99, 99, 99, 99,
    24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99,
];

/// Compresses and decompresses at a quality from 1 to 100. A picture that is not in colour is
/// compressed channel by channel, each as luma.
pub fn compress(picture: &mut Picture<'_>, quality: f64) {
    let size = picture.size();
    let codec = BlockCodec::new();
    let luma_table = scaled_table(&LUMA_TABLE, quality);
    for pixel in picture.pixels.iter_mut() {
        *pixel = level(*pixel * 255.0);
    }
    match picture.red_green_blue() {
        Some(planes) => {
            let chroma_table = scaled_table(&CHROMA_TABLE, quality);
            compress_colour(planes, size, &codec, &luma_table, &chroma_table);
        }
        None => {
            for plane in picture.planes() {
                codec.round_trip(plane, size, &luma_table);
            }
        }
    }
    picture.pixels.iter_mut().for_each(|pixel| *pixel /= 255.0);
}

/// The nearest level of eight bits.
fn level(value: f32) -> f32 {
    libm::floorf(value + 0.5).clamp(0.0, 255.0)
}

/// The table of a quality, by the rule that every encoder took over from the first one.
fn scaled_table(table: &[u16; 64], quality: f64) -> [f32; 64] {
    let quality = quality.clamp(1.0, 100.0);
    let percent = if quality < 50.0 {
        libm::floor(5000.0 / quality)
    } else {
        200.0 - 2.0 * quality
    };
    table.map(|entry| {
        let scaled = libm::floor((f64::from(entry) * percent + 50.0) / 100.0);
        scaled.clamp(1.0, 255.0) as f32
    })
}

fn compress_colour(
    planes: [&mut [f32]; 3],
    size: Size,
    codec: &BlockCodec,
    luma_table: &[f32; 64],
    chroma_table: &[f32; 64],
) {
    let [red, green, blue] = planes;
    let mut blue_less_luma = vec![0.0; size.area()];
    let mut red_less_luma = vec![0.0; size.area()];
    for at in 0..size.area() {
        let r = red[at];
        let g = green[at];
        let b = blue[at];
        red[at] = level(0.299 * r + 0.587 * g + 0.114 * b);
        blue_less_luma[at] = level(-0.168_736 * r - 0.331_264 * g + 0.5 * b + 128.0);
        red_less_luma[at] = level(0.5 * r - 0.418_688 * g - 0.081_312 * b + 128.0);
    }
    codec.round_trip(red, size, luma_table);
    let half = |full: &[f32]| {
        let (mut small, small_size) = halved(full, size);
        codec.round_trip(&mut small, small_size, chroma_table);
        doubled(&small, small_size, size)
    };
    let blue_less_luma = half(&blue_less_luma);
    let red_less_luma = half(&red_less_luma);
    for at in 0..size.area() {
        let y = red[at];
        let cb = blue_less_luma[at] - 128.0;
        let cr = red_less_luma[at] - 128.0;
        red[at] = level(y + 1.402 * cr);
        green[at] = level(y - 0.344_136 * cb - 0.714_136 * cr);
        blue[at] = level(y + 1.772 * cb);
    }
}

/// Means of two by two, the last row and column repeated where there is no other; halves are rounded
/// down and up in turn.
fn halved(plane: &[f32], size: Size) -> (Vec<f32>, Size) {
    let small = Size {
        height: size.height.div_ceil(2),
        width: size.width.div_ceil(2),
    };
    let value = |row: usize, column: usize| {
        plane[row.min(size.height - 1) * size.width + column.min(size.width - 1)]
    };
    let mean = |at: usize| {
        let row = 2 * (at / small.width);
        let column = 2 * (at % small.width);
        let sum = value(row, column)
            + value(row, column + 1)
            + value(row + 1, column)
            + value(row + 1, column + 1);
        let bias = if (at % small.width).is_multiple_of(2) {
            1.0
        } else {
            2.0
        };
        libm::floorf((sum + bias) / 4.0)
    };
    ((0..small.area()).map(mean).collect(), small)
}

/// Twice as large: three quarters of the nearer and one quarter of the farther, down and across.
fn doubled(small: &[f32], small_size: Size, size: Size) -> Vec<f32> {
    let neighbours = |at: usize, n: usize| {
        let near = at / 2;
        let far = if at.is_multiple_of(2) {
            near.saturating_sub(1)
        } else {
            (near + 1).min(n - 1)
        };
        (near, far)
    };
    let mut large = Vec::with_capacity(size.area());
    for row in 0..size.height {
        let (near, far) = neighbours(row, small_size.height);
        let across = |column: usize| {
            3.0 * small[near * small_size.width + column] + small[far * small_size.width + column]
        };
        for column in 0..size.width {
            let (near, far) = neighbours(column, small_size.width);
            let bias = if column.is_multiple_of(2) { 8.0 } else { 7.0 };
            large.push(libm::floorf(
                (3.0 * across(near) + across(far) + bias) / 16.0,
            ));
        }
    }
    large
}

/// The cosine transform of blocks of 8 × 8, there and back.
struct BlockCodec {
    /// By frequency and place.
    cosines: [[f32; SIDE]; SIDE],
    /// By place and frequency.
    transposed: [[f32; SIDE]; SIDE],
}

type Block = [[f32; SIDE]; SIDE];

impl BlockCodec {
    fn new() -> BlockCodec {
        let mut cosines = [[0.0; SIDE]; SIDE];
        let mut transposed = [[0.0; SIDE]; SIDE];
        for frequency in 0..SIDE {
            for place in 0..SIDE {
                let angle = (2 * place + 1) as f64 * frequency as f64 * std::f64::consts::PI / 16.0;
                let scale = if frequency == 0 {
                    libm::sqrt(0.125)
                } else {
                    0.5
                };
                let value = (scale * libm::cos(angle)) as f32;
                cosines[frequency][place] = value;
                transposed[place][frequency] = value;
            }
        }
        BlockCodec {
            cosines,
            transposed,
        }
    }

    /// What quantisation leaves of a plane of levels; blocks that reach beyond it see its last row
    /// and column repeated.
    fn round_trip(&self, plane: &mut [f32], size: Size, table: &[f32; 64]) {
        for top in (0..size.height).step_by(SIDE) {
            for left in (0..size.width).step_by(SIDE) {
                let block = read_block(plane, size, top, left);
                let block = self.quantised(block, table);
                write_block(plane, size, top, left, &block);
            }
        }
    }

    fn quantised(&self, block: Block, table: &[f32; 64]) -> Block {
        let mut frequencies = product(&product(&self.cosines, &block), &self.transposed);
        for (value, step) in frequencies.iter_mut().flatten().zip(table) {
            let count = libm::floorf(value.abs() / step + 0.5);
            *value = (count * step).copysign(*value);
        }
        product(&product(&self.transposed, &frequencies), &self.cosines)
    }
}

fn product(a: &Block, b: &Block) -> Block {
    let mut out = [[0.0; SIDE]; SIDE];
    for (out, a) in out.iter_mut().zip(a) {
        for (&factor, b) in a.iter().zip(b) {
            for (sum, value) in out.iter_mut().zip(b) {
                *sum += factor * value;
            }
        }
    }
    out
}

fn read_block(plane: &[f32], size: Size, top: usize, left: usize) -> Block {
    let mut block = [[0.0; SIDE]; SIDE];
    for (down, row) in block.iter_mut().enumerate() {
        let start = (top + down).min(size.height - 1) * size.width;
        for (right, value) in row.iter_mut().enumerate() {
            *value = plane[start + (left + right).min(size.width - 1)] - 128.0;
        }
    }
    block
}

fn write_block(plane: &mut [f32], size: Size, top: usize, left: usize, block: &Block) {
    for (down, row) in block.iter().enumerate().take(size.height - top) {
        let start = (top + down) * size.width + left;
        for (right, value) in row.iter().enumerate().take(size.width - left) {
            plane[start + right] = level(value + 128.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flat_picture_keeps_its_colour_and_a_fine_one_nearly() {
        let mut flat = vec![100.0 / 255.0; 3 * 20 * 13];
        compress(&mut Picture::new(&mut flat, [3, 20, 13]), 95.0);
        assert!(
            flat.iter()
                .all(|pixel| (pixel - 100.0 / 255.0).abs() < 1.5 / 255.0)
        );
        let grey: Vec<f32> = (0..17 * 9)
            .map(|at| (at * 37 % 256) as f32 / 255.0)
            .collect();
        let mut changed = grey.clone();
        compress(&mut Picture::new(&mut changed, [1, 17, 9]), 100.0);
        let off = changed.iter().zip(&grey).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f32::max) < 2.5 / 255.0);
    }

    #[test]
    fn tables_are_those_that_encoders_write() {
        assert_eq!(
            scaled_table(&LUMA_TABLE, 50.0)[..4],
            [16.0, 11.0, 10.0, 16.0]
        );
        assert_eq!(
            scaled_table(&LUMA_TABLE, 25.0)[..4],
            [32.0, 22.0, 20.0, 32.0]
        );
        assert_eq!(scaled_table(&LUMA_TABLE, 100.0), [1.0; 64]);
        assert_eq!(scaled_table(&CHROMA_TABLE, 7.0)[0], 121.0);
    }
}
