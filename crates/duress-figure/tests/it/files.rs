//! PNG and PDF files: readable, with the right size, resolution and fonts.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its files has failed"
)]

use duress_figure::font::Fonts;
use duress_figure::scene::Scene;
use duress_figure::{pdf, raster};

use crate::kinds;

fn scene(name: &str) -> Scene {
    kinds::all()
        .into_iter()
        .find(|(kind, _)| *kind == name)
        .unwrap()
        .1
}

#[test]
fn a_png_is_tagged_with_300_dots_per_inch_and_as_large_as_that_makes_it() {
    let scene = scene("curves");
    let file = raster::write(&scene, &Fonts::shipped()).unwrap();
    let reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .unwrap();
    let info = reader.info();
    let dots = info.pixel_dims.unwrap();
    assert_eq!(
        (dots.xppu, dots.yppu, dots.unit),
        (11811, 11811, png::Unit::Meter)
    );
    assert_eq!(info.width, (scene.width * 300.0 / 96.0).ceil() as u32);
}

#[test]
fn a_png_shows_ink_and_paper() {
    let file = raster::write(&scene("forest"), &Fonts::shipped()).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let count = |wanted: [u8; 3]| {
        pixels
            .chunks_exact(3)
            .filter(|pixel| **pixel == wanted)
            .count()
    };
    assert_eq!(pixels[..3], [255, 255, 255]);
    assert!(
        count([0x00, 0x72, 0xb2]) > 500,
        "the rows that stand are blue"
    );
    assert!(count([255, 255, 255]) > pixels.len() / 3 / 2);
}

#[test]
fn a_pdf_has_one_page_its_fonts_and_an_honest_table_of_contents() {
    for (name, scene) in kinds::all() {
        let file = pdf::write(&scene, &Fonts::shipped());
        let text = String::from_utf8_lossy(&file);
        assert!(
            text.starts_with("%PDF-1.7") && text.ends_with("%%EOF\n"),
            "{name}"
        );
        assert!(
            text.contains("/FontFile2") && text.contains("/ToUnicode") && text.contains("/Count 1"),
            "{name}"
        );
        // Every entry of the table points at the object it names.
        let start: usize = text
            .rsplit("startxref\n")
            .next()
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .parse()
            .unwrap();
        let table = String::from_utf8_lossy(&file[start..]).into_owned();
        for (i, line) in table
            .lines()
            .skip(3)
            .take_while(|line| line.ends_with("n "))
            .enumerate()
        {
            let at: usize = line[..10].parse().unwrap();
            let head = format!("{} 0 obj", i + 1);
            assert!(
                file[at..].starts_with(head.as_bytes()),
                "{name}: object {}",
                i + 1
            );
        }
    }
}

#[test]
fn what_no_font_has_is_said() {
    assert_eq!(
        Fonts::shipped().lacks(["plain − text ± 1", "黑 색 黑"]),
        ['黑', '색']
    );
    assert_eq!(
        Fonts::for_texts(["all in the shipped font: αβγ → ≤"]).found(),
        None
    );
}
