//! Decoding PNG and JPEG files.
//!
//! What kind a file is, its first bytes say, not its name. Alpha is dropped, palettes are looked
//! up, CMYK becomes RGB by Adobe's convention, 16 bits stay 16 bits, and the orientation in EXIF is
//! ignored: as torchvision's image folders do it with Pillow.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use duress_core::problem::Problem;
use duress_tensors::bound::Bound;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::picture::{Depth, Picture};

/// More samples than this in one picture are a damaged header, or an attack on the memory of
/// whoever opens it.
const MOST_SAMPLES: usize = 1 << 30;

/// The longest side of a picture.
const LONGEST_SIDE: usize = 1 << 16;

/// The picture in a file.
pub fn read(file: &Path) -> Result<Picture, Problem> {
    let bytes = fs::read(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Problem::new("there is no such file"),
        _ => Problem::new(format!("it cannot be read: {error}")),
    });
    bytes
        .and_then(|bytes| decode(&bytes))
        .map_err(|problem| problem.in_file(file))
}

/// The picture in these bytes.
pub fn decode(bytes: &[u8]) -> Result<Picture, Problem> {
    let refused = |what: &str| Err(Problem::new(what).expected("a PNG or JPEG image"));
    match bytes {
        [] => refused("the file is empty"),
        [0x89, b'P', b'N', b'G', ..] => png(bytes),
        [0xff, 0xd8, 0xff, ..] => jpeg(bytes),
        [b'G', b'I', b'F', b'8', ..] => refused("this is a GIF image"),
        [b'B', b'M', ..] => refused("this is a BMP image"),
        [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => refused("this is a TIFF image"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => refused("this is a WebP image"),
        [b'v', b'e', b'r', b's', b'i', b'o', b'n', b' ', ..] => {
            refused("this is a pointer of Git LFS, not the image")
                .map_err(|problem| problem.hint("run `git lfs pull`"))
        }
        _ => refused("this is neither a PNG nor a JPEG image"),
    }
}

fn damaged(error: impl std::fmt::Display) -> Problem {
    Problem::new(format!("the image is damaged: {error}"))
}

fn samples(width: usize, height: usize, channels: usize) -> Result<usize, Problem> {
    let samples = width
        .checked_mul(height)
        .and_then(|pixels| pixels.checked_mul(channels));
    samples
        .filter(|&samples| {
            samples > 0 && samples <= MOST_SAMPLES && width.max(height) <= LONGEST_SIDE
        })
        .ok_or_else(|| damaged(format!("{width} × {height} pixels cannot be")))
}

/// Refuses a picture that takes more than a file of that size may.
fn room_for(samples: usize, bytes: &[u8]) -> Result<(), Problem> {
    let mut bound = Bound::of_size(bytes.len() as u64);
    bound.take((samples as u64).saturating_mul(size_of::<f32>() as u64))
}

fn png(bytes: &[u8]) -> Result<Picture, Problem> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // Palettes become colours, one to four bits become eight; sixteen stay.
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(damaged)?;
    let width = reader.info().width as usize;
    let height = reader.info().height as usize;
    let expected = samples(width, height, 4)?;
    room_for(expected, bytes)?;
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| damaged("its size overflows"))?;
    let mut buffer = vec![0; size];
    let frame = reader.next_frame(&mut buffer).map_err(damaged)?;
    buffer.truncate(frame.buffer_size());
    reader.finish().map_err(damaged)?;
    let (given, depth) = match frame.bit_depth {
        png::BitDepth::Sixteen => {
            let pairs = buffer
                .chunks_exact(2)
                .map(|pair| f32::from(u16::from_be_bytes([pair[0], pair[1]])));
            (pairs.collect::<Vec<f32>>(), Depth::Levels(65535.0))
        }
        _ => (
            buffer.iter().map(|&byte| f32::from(byte)).collect(),
            Depth::Levels(255.0),
        ),
    };
    let (channels, alpha) = match frame.color_type {
        png::ColorType::Grayscale => (1, 0),
        png::ColorType::GrayscaleAlpha => (1, 1),
        png::ColorType::Rgba => (3, 1),
        png::ColorType::Rgb | png::ColorType::Indexed => (3, 0),
    };
    let opaque = |pixel: &[f32]| pixel[..channels].to_vec();
    let samples = if alpha == 0 {
        given
    } else {
        given
            .chunks_exact(channels + alpha)
            .flat_map(opaque)
            .collect()
    };
    Ok(Picture {
        width,
        height,
        channels,
        depth,
        samples,
    })
}

fn jpeg(bytes: &[u8]) -> Result<Picture, Problem> {
    // The decoder makes up a few missing bytes of the last scan. Within a scan no 0xff is followed
    // by one of these two.
    let last = |marker: u8| bytes.windows(2).rposition(|pair| pair == [0xff, marker]);
    if last(0xd9) < last(0xda) {
        return Err(damaged("its end is missing"));
    }
    // Whatever stops short is refused: a lenient decoder would fill the rest with grey.
    let options = DecoderOptions::default()
        .set_strict_mode(true)
        .set_max_width(LONGEST_SIDE)
        .set_max_height(LONGEST_SIDE);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(damaged)?;
    let grey = decoder.input_colorspace() == Some(ColorSpace::Luma);
    let (space, channels) = if grey {
        (ColorSpace::Luma, 1)
    } else {
        (ColorSpace::RGB, 3)
    };
    decoder.set_options(options.jpeg_set_out_colorspace(space));
    let (width, height) = decoder
        .info()
        .map(|info| (info.width.into(), info.height.into()))
        .unwrap_or_default();
    let expected = samples(width, height, channels)?;
    room_for(expected, bytes)?;
    let decoded = decoder.decode().map_err(damaged)?;
    if decoded.len() != expected {
        return Err(damaged(format!(
            "{} samples for {width} × {height} pixels",
            decoded.len()
        )));
    }
    let samples = decoded.iter().map(|&byte| f32::from(byte)).collect();
    Ok(Picture::of_bytes(width, height, channels, samples))
}
