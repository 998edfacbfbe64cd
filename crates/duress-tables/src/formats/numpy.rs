//! Arrays and archives of them, written as NumPy writes them.

use std::io::{Cursor, Write};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// An array of this type (`<f8`, `|u1`, `<U3`, …) and shape, with these bytes.
///
/// # Panics
/// When the shape has more axes than a header holds.
pub fn npy(descr: &str, shape: &[usize], values: &[u8]) -> Vec<u8> {
    let axes: Vec<String> = shape.iter().map(|length| format!("{length},")).collect();
    let shape = axes.join(" ");
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    let header = format!("{header:<117}\n");
    let length = u16::try_from(header.len()).expect("a header of a few axes is short");
    [
        b"\x93NUMPY\x01\x00",
        &length.to_le_bytes()[..],
        header.as_bytes(),
        values,
    ]
    .concat()
}

/// An array of 64-bit floats.
pub fn npy_of_numbers(shape: &[usize], values: &[f64]) -> Vec<u8> {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    npy("<f8", shape, &bytes)
}

/// An array of texts.
pub fn npy_of_texts(texts: &[String]) -> Vec<u8> {
    let longest = texts.iter().map(|text| text.chars().count()).max();
    let width = longest.unwrap_or(0).max(1);
    let mut bytes = Vec::with_capacity(4 * width * texts.len());
    for text in texts {
        let codes = text.chars().map(|letter| letter as u32);
        let padded = codes.chain(std::iter::repeat(0)).take(width);
        bytes.extend(padded.flat_map(u32::to_le_bytes));
    }
    npy(&format!("<U{width}"), &[texts.len()], &bytes)
}

/// An archive of arrays by their names.
///
/// # Panics
/// When a name is there twice.
pub fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        archive
            .start_file(format!("{name}.npy"), SimpleFileOptions::default())
            .expect("no name is there twice");
        archive.write_all(bytes).expect("memory takes it");
    }
    archive.finish().expect("memory takes it").into_inner()
}
