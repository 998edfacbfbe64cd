//! A scene as a PNG at 300 dots per inch, with the tag that says so.

use std::collections::HashMap;

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, StrokeDash, Transform,
};
use ttf_parser::Face;

use crate::font::{self, Fonts, Pen, Placed, Weight};
use crate::ink::{Colour, Ink};
use crate::scene::{Mark, MarkShape, Scene, TextLine};

pub const DPI: f64 = 300.0;
/// Pixels of the image for a pixel of the scene, which is 1/96 inch.
const SCALE: f32 = (DPI / 96.0) as f32;

/// The scene as a PNG file.
pub fn write(scene: &Scene, fonts: &Fonts) -> Result<Vec<u8>, String> {
    let width = (scene.width as f32 * SCALE).ceil() as u32;
    let height = (scene.height as f32 * SCALE).ceil() as u32;
    let mut canvas = Pixmap::new(width, height)
        .ok_or_else(|| format!("{width} × {height} pixels are no image"))?;
    canvas.fill(Color::WHITE);
    let mut pen = Scribe {
        fallback: fonts.fallback(),
        known: HashMap::new(),
    };
    for mark in &scene.marks {
        match &mark.shape {
            MarkShape::Text(text) => pen.paint(&mut canvas, mark, text),
            shape => paint_shape(&mut canvas, mark, shape),
        }
    }
    encode(&canvas).map_err(|error| error.to_string())
}

fn encode(canvas: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, canvas.width(), canvas.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Large even areas: without a filter the lightest compression is both smaller and faster than
    // with one.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_deflate_compression(png::DeflateCompression::Level(1));
    let per_metre = (DPI / 0.0254).round() as u32;
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: per_metre,
        yppu: per_metre,
        unit: png::Unit::Meter,
    }));
    let mut writer = encoder.write_header()?;
    // The ground is opaque, so that nothing of it is left to see through.
    let rgb: Vec<u8> = canvas
        .data()
        .chunks_exact(4)
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .collect();
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(file)
}

fn paint(ink: Ink, opacity: f64) -> Paint<'static> {
    let Colour(r, g, b) = ink.colour();
    let mut paint = Paint {
        anti_alias: true,
        ..Paint::default()
    };
    paint.set_color_rgba8(r, g, b, (opacity * 255.0).round() as u8);
    paint
}

fn paint_shape(canvas: &mut Pixmap, mark: &Mark, shape: &MarkShape) {
    let Some(path) = path_of(shape) else { return };
    let scale = Transform::from_scale(SCALE, SCALE);
    if let Some(ink) = mark.fill {
        canvas.fill_path(
            &path,
            &paint(ink, mark.opacity),
            FillRule::Winding,
            scale,
            None,
        );
    }
    if let Some(stroke) = mark.stroke {
        let dash: Vec<f32> = stroke.dash.iter().map(|&length| length as f32).collect();
        let line = tiny_skia::Stroke {
            width: stroke.width as f32,
            line_join: LineJoin::Round,
            line_cap: LineCap::Butt,
            dash: StrokeDash::new(dash, 0.0),
            ..Default::default()
        };
        canvas.stroke_path(&path, &paint(stroke.ink, mark.opacity), &line, scale, None);
    }
}

fn path_of(shape: &MarkShape) -> Option<Path> {
    match shape {
        MarkShape::Path { points, closed } => {
            let mut path = PathBuilder::new();
            for (i, &(x, y)) in points.iter().enumerate() {
                if i == 0 {
                    path.move_to(x as f32, y as f32)
                } else {
                    path.line_to(x as f32, y as f32)
                }
            }
            if *closed {
                path.close();
            }
            path.finish()
        }
        MarkShape::Circle { centre, radius } => {
            PathBuilder::from_circle(centre.0 as f32, centre.1 as f32, *radius as f32)
        }
        MarkShape::Text(_) => None,
    }
}

/// Writes texts, and remembers the outline of every glyph it has written.
struct Scribe<'a> {
    fallback: Option<Face<'a>>,
    known: HashMap<(Weight, char), Option<Path>>,
}

impl Scribe<'_> {
    fn paint(&mut self, canvas: &mut Pixmap, mark: &Mark, text: &TextLine) {
        let Some(ink) = mark.fill else { return };
        let ink = paint(ink, mark.opacity);
        let unit = text.size / 1000.0;
        let mut x = text.start();
        for placed in text.weight.set_glyphs(&text.words) {
            if let Some(path) = self.outline(text.weight, placed) {
                let place = Transform::from_row(
                    unit as f32,
                    0.0,
                    0.0,
                    -unit as f32,
                    x as f32,
                    text.at.1 as f32,
                );
                canvas.fill_path(
                    path,
                    &ink,
                    FillRule::Winding,
                    place.post_scale(SCALE, SCALE),
                    None,
                );
            }
            x += placed.advance * unit;
        }
    }

    fn outline(&mut self, weight: Weight, placed: Placed) -> Option<&Path> {
        let fallback = self.fallback.as_ref();
        let path = self
            .known
            .entry((weight, placed.character))
            .or_insert_with(|| {
                let lent = || {
                    fallback.and_then(|face| {
                        Some(font::outline(face, face.glyph_index(placed.character)?))
                    })
                };
                let strokes = match placed.glyph {
                    Some(glyph) => font::outline(weight.font_face(), glyph),
                    None => lent().unwrap_or_else(font::missing_box),
                };
                glyph_path(&strokes)
            });
        path.as_ref()
    }
}

fn glyph_path(strokes: &[Pen]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for stroke in strokes {
        match *stroke {
            Pen::Move(x, y) => path.move_to(x as f32, y as f32),
            Pen::Line(x, y) => path.line_to(x as f32, y as f32),
            Pen::Quad(x1, y1, x, y) => path.quad_to(x1 as f32, y1 as f32, x as f32, y as f32),
            Pen::Cubic(x1, y1, x2, y2, x, y) => {
                path.cubic_to(
                    x1 as f32, y1 as f32, x2 as f32, y2 as f32, x as f32, y as f32,
                );
            }
            Pen::Close => path.close(),
        }
    }
    path.finish()
}

/// An image of 1 or 3 channels (channels × height × width, each value 0 to 255) as a PNG file.
///
/// ```
/// let png = duress_figure::raster::picture([1, 2, 2], &[0, 255, 255, 0]).unwrap();
/// assert!(png.starts_with(b"\x89PNG"));
/// assert!(duress_figure::raster::picture([1, 2, 2], &[0]).is_err());
/// ```
pub fn picture(shape: [usize; 3], values: &[u8]) -> Result<Vec<u8>, String> {
    let [channels, height, width] = shape;
    let plane = height * width;
    let colour = if channels == 3 {
        png::ColorType::Rgb
    } else {
        png::ColorType::Grayscale
    };
    if plane == 0 || channels == 0 || values.len() != channels * plane {
        return Err(format!(
            "{} values are no image of {channels} × {height} × {width}",
            values.len()
        ));
    }
    // Of an image with another number of channels the first is shown.
    let shown = if channels == 3 { 3 } else { 1 };
    let pixels: Vec<u8> = (0..plane)
        .flat_map(|i| (0..shown).map(move |c| values[c * plane + i]))
        .collect();
    let mut file = Vec::new();
    let side = |length: usize| u32::try_from(length).map_err(|error| error.to_string());
    let mut encoder = png::Encoder::new(&mut file, side(width)?, side(height)?);
    encoder.set_color(colour);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|error| error.to_string())?;
    writer
        .write_image_data(&pixels)
        .map_err(|error| error.to_string())?;
    writer.finish().map_err(|error| error.to_string())?;
    Ok(file)
}
