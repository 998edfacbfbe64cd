//! A scene as a vector PDF of one page, with its fonts inside.
//!
//! The shipped font is embedded whole, as it is already a subset. Glyphs that a font of the machine
//! lends are drawn into a font of their own (Type 3), which holds only those used. Texts can be
//! searched and copied in both.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use ttf_parser::Face;

use crate::font::{self, Fonts, Pen, Weight};
use crate::ink::{Colour, Ink};
use crate::scene::{Mark, MarkShape, Scene, TextLine};

/// Points (1/72 inch) in a pixel (1/96 inch).
const POINTS: f64 = 0.75;
const WEIGHTS: [Weight; 2] = [Weight::Regular, Weight::Semibold];
/// Codes of one byte, less the one that would be no character.
const LENT: usize = 255;

/// The scene as a PDF file.
pub fn write(scene: &Scene, fonts: &Fonts) -> Vec<u8> {
    let fallback = fonts.fallback();
    let mut painter = Painter {
        fallback: fallback.as_ref(),
        ..Painter::default()
    };
    let _ = write!(
        painter.content,
        "{POINTS} 0 0 -{POINTS} 0 {} cm 1 j ",
        pdf_number(scene.height * POINTS)
    );
    for mark in &scene.marks {
        painter.paint(mark);
    }
    painter.finish(scene)
}

/// What a page is made of, as it is painted.
#[derive(Default)]
struct Painter<'a> {
    content: String,
    fallback: Option<&'a Face<'a>>,
    /// Glyphs used of each shipped face, with what they stand for.
    used: [BTreeMap<u16, char>; 2],
    /// Characters lent by another font, in the order of their codes.
    lent: Vec<char>,
    /// Opacities in hundredths.
    opacities: Vec<u8>,
}

impl Painter<'_> {
    fn paint(&mut self, mark: &Mark) {
        if mark.opacity <= 0.0 {
            return;
        }
        let state = self.opacity(mark.opacity);
        let _ = write!(self.content, "q /G{state} gs ");
        match &mark.shape {
            MarkShape::Text(text) => self.paint_text(text, mark.fill.unwrap_or(Ink::Text)),
            shape => self.paint_shape(mark, shape),
        }
        self.content.push_str("Q\n");
    }

    fn opacity(&mut self, opacity: f64) -> u8 {
        let state = (opacity * 100.0).round().clamp(0.0, 100.0) as u8;
        if !self.opacities.contains(&state) {
            self.opacities.push(state);
        }
        state
    }

    fn paint_shape(&mut self, mark: &Mark, shape: &MarkShape) {
        if let Some(ink) = mark.fill {
            let _ = write!(self.content, "{} rg ", rgb_operands(ink));
        }
        if let Some(stroke) = mark.stroke {
            let dash: Vec<String> = stroke
                .dash
                .iter()
                .map(|&length| pdf_number(length))
                .collect();
            let _ = write!(
                self.content,
                "{} RG {} w [{}] 0 d ",
                rgb_operands(stroke.ink),
                pdf_number(stroke.width),
                dash.join(" ")
            );
        }
        match shape {
            MarkShape::Path { points, closed } => {
                for (i, &(x, y)) in points.iter().enumerate() {
                    let _ = write!(
                        self.content,
                        "{} {} {} ",
                        pdf_number(x),
                        pdf_number(y),
                        if i == 0 { "m" } else { "l" }
                    );
                }
                self.content.push_str(if *closed { "h " } else { "" });
            }
            MarkShape::Circle { centre, radius } => circle(&mut self.content, *centre, *radius),
            MarkShape::Text(_) => {}
        }
        self.content.push_str(match (mark.fill, mark.stroke) {
            (Some(_), Some(_)) => "B ",
            (Some(_), None) => "f ",
            (None, Some(_)) => "S ",
            (None, None) => "n ",
        });
    }

    /// Glyphs in a row that share a font are shown together; kerning stands between them.
    fn paint_text(&mut self, text: &TextLine, ink: Ink) {
        let _ = write!(self.content, "{} rg BT ", rgb_operands(ink));
        let face = WEIGHTS
            .iter()
            .position(|weight| *weight == text.weight)
            .unwrap_or(0);
        let mut x = text.start();
        let mut open = false;
        for placed in text.weight.set_glyphs(&text.words) {
            if let Some(glyph) = placed.glyph {
                if !open {
                    let _ = write!(self.content, "/F{face} 1 Tf {} [", matrix(text, x));
                    open = true;
                }
                let natural = f64::from(
                    text.weight
                        .font_face()
                        .glyph_hor_advance(glyph)
                        .unwrap_or(0),
                );
                let _ = write!(self.content, "<{:04x}>", glyph.0);
                if natural != placed.advance {
                    let _ = write!(self.content, "{}", pdf_number(natural - placed.advance));
                }
                self.used[face].insert(glyph.0, placed.character);
            } else {
                self.content.push_str(if open { "] TJ " } else { "" });
                open = false;
                self.lend_glyph(placed.character, text, x);
            }
            x += placed.advance * text.size / 1000.0;
        }
        self.content.push_str(if open { "] TJ ET " } else { "ET " });
    }

    /// One character that the shipped font lacks; beyond what one font of bytes can hold, the box
    /// stands for it.
    fn lend_glyph(&mut self, character: char, text: &TextLine, x: f64) {
        let code = self
            .lent
            .iter()
            .position(|lent| *lent == character)
            .unwrap_or_else(|| {
                if self.lent.len() < LENT {
                    self.lent.push(character);
                }
                self.lent.len() - 1
            });
        let _ = write!(
            self.content,
            "/F2 1 Tf {} <{code:02x}> Tj ",
            matrix(text, x)
        );
    }

    fn finish(self, scene: &Scene) -> Vec<u8> {
        let mut file = PdfObjects::default();
        let catalog = file.reserve();
        let pages = file.reserve();
        let page = file.reserve();
        let content = file.reserve();
        let mut fonts = String::new();
        for (i, used) in self
            .used
            .iter()
            .enumerate()
            .filter(|(_, used)| !used.is_empty())
        {
            let id = embed(&mut file, WEIGHTS[i], used);
            let _ = write!(fonts, "/F{i} {id} 0 R ");
        }
        if !self.lent.is_empty() {
            let id = lent_font(&mut file, &self.lent, self.fallback);
            let _ = write!(fonts, "/F2 {id} 0 R ");
        }
        let states: String = (self.opacities.iter())
            .map(|&state| {
                let alpha = pdf_number(f64::from(state) / 100.0);
                format!("/G{state} <</ca {alpha} /CA {alpha}>> ")
            })
            .collect();
        file.put_object(
            catalog,
            &format!(
                "<</Type/Catalog/Pages {pages} 0 R/Lang(en)/ViewerPreferences<</DisplayDocTitle true>>>>"
            ),
        );
        file.put_object(pages, &format!("<</Type/Pages/Kids[{page} 0 R]/Count 1>>"));
        let wide = pdf_number(scene.width * POINTS);
        let tall = pdf_number(scene.height * POINTS);
        file.put_object(page, &format!(
            "<</Type/Page/Parent {pages} 0 R/MediaBox[0 0 {wide} {tall}]/Contents {content} 0 R/Group<</S/Transparency/CS/DeviceRGB>>/Resources<</Font<<{fonts}>>/ExtGState<<{states}>>>>>>"
        ));
        file.put_stream(content, "", &deflate(self.content.as_bytes()));
        let info = file.reserve();
        file.put_object(
            info,
            &format!("<</Title {}/Producer(duress)>>", utf16(&scene.name)),
        );
        file.finish(catalog, info)
    }
}

/// A PDF file: numbered objects, and where each begins.
#[derive(Default)]
struct PdfObjects {
    objects: Vec<Vec<u8>>,
}

impl PdfObjects {
    fn reserve(&mut self) -> usize {
        self.objects.push(Vec::new());
        self.objects.len()
    }

    fn put_object(&mut self, id: usize, body: &str) {
        self.objects[id - 1] = body.as_bytes().to_vec();
    }

    fn add(&mut self, body: &str) -> usize {
        let id = self.reserve();
        self.put_object(id, body);
        id
    }

    fn put_stream(&mut self, id: usize, extra: &str, deflated: &[u8]) {
        let mut body = format!(
            "<</Length {}/Filter/FlateDecode{extra}>>stream\n",
            deflated.len()
        )
        .into_bytes();
        body.extend_from_slice(deflated);
        body.extend_from_slice(b"\nendstream");
        self.objects[id - 1] = body;
    }

    fn add_stream(&mut self, extra: &str, deflated: &[u8]) -> usize {
        let id = self.reserve();
        self.put_stream(id, extra, deflated);
        id
    }

    fn finish(self, catalog: usize, info: usize) -> Vec<u8> {
        let mut file = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", self.objects.len() + 1);
        for (i, object) in self.objects.iter().enumerate() {
            let _ = writeln!(table, "{:010} 00000 n ", file.len());
            file.extend_from_slice(format!("{} 0 obj\n", i + 1).as_bytes());
            file.extend_from_slice(object);
            file.extend_from_slice(b"\nendobj\n");
        }
        let start = file.len();
        file.extend_from_slice(table.as_bytes());
        let count = self.objects.len() + 1;
        let tail = format!(
            "trailer\n<</Size {count}/Root {catalog} 0 R/Info {info} 0 R>>\nstartxref\n{start}\n%%EOF\n"
        );
        file.extend_from_slice(tail.as_bytes());
        file
    }
}

/// The shipped font, with the widths and meanings of the glyphs used.
fn embed(file: &mut PdfObjects, weight: Weight, used: &BTreeMap<u16, char>) -> usize {
    static PACKED: [OnceLock<Vec<u8>>; 2] = [OnceLock::new(), OnceLock::new()];
    let (face, name) = match weight {
        Weight::Regular => (0, "DuressSans-Regular"),
        Weight::Semibold => (1, "DuressSans-Semibold"),
    };
    let packed = PACKED[face].get_or_init(|| deflate(weight.font_file()));
    let program = file.add_stream(&format!("/Length1 {}", weight.font_file().len()), packed);
    let descriptor = file.add(&format!(
        "<</Type/FontDescriptor/FontName/{name}/Flags 4/FontBBox[-454 -335 2159 1024]/ItalicAngle 0/Ascent 1000/Descent -326/CapHeight 660/StemV 80/FontFile2 {program} 0 R>>"
    ));
    let widths: String = (used.keys())
        .map(|&glyph| {
            let width = weight
                .font_face()
                .glyph_hor_advance(ttf_parser::GlyphId(glyph))
                .unwrap_or(0);
            format!("{glyph}[{width}]")
        })
        .collect();
    let cid = file.add(&format!(
        "<</Type/Font/Subtype/CIDFontType2/BaseFont/{name}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor {descriptor} 0 R/CIDToGIDMap/Identity/DW 500/W[{widths}]>>"
    ));
    let meanings: Vec<(String, char)> = used
        .iter()
        .map(|(glyph, c)| (format!("{glyph:04x}"), *c))
        .collect();
    let unicode = file.add_stream(
        "",
        &deflate(to_unicode(&meanings, "<0000><ffff>").as_bytes()),
    );
    file.add(&format!(
        "<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding/Identity-H/DescendantFonts[{cid} 0 R]/ToUnicode {unicode} 0 R>>"
    ))
}

/// A font made of the outlines of the characters used, and no others.
fn lent_font(file: &mut PdfObjects, lent: &[char], fallback: Option<&Face<'_>>) -> usize {
    let (mut procedures, mut differences, mut widths) =
        (String::new(), String::new(), String::new());
    for (code, &character) in lent.iter().enumerate() {
        let glyph =
            fallback.and_then(|face| face.glyph_index(character).map(|glyph| (face, glyph)));
        let strokes = glyph.map_or_else(font::missing_box, |(face, glyph)| {
            font::outline(face, glyph)
        });
        let mut program = "1000 0 -500 -500 1500 1500 d1 ".to_owned();
        trace(&mut program, &strokes);
        program.push('f');
        let id = file.add_stream("", &deflate(program.as_bytes()));
        let _ = write!(procedures, "/c{code} {id} 0 R ");
        let _ = write!(differences, "/c{code} ");
        widths.push_str("1000 ");
    }
    let meanings: Vec<(String, char)> = lent
        .iter()
        .enumerate()
        .map(|(i, c)| (format!("{i:02x}"), *c))
        .collect();
    let unicode = file.add_stream("", &deflate(to_unicode(&meanings, "<00><ff>").as_bytes()));
    file.add(&format!(
        "<</Type/Font/Subtype/Type3/FontBBox[-500 -500 1500 1500]/FontMatrix[.001 0 0 .001 0 0]/FirstChar 0/LastChar {}/Widths[{widths}]/Encoding<</Type/Encoding/Differences[0 {differences}]>>/CharProcs<<{procedures}>>/Resources<<>>/ToUnicode {unicode} 0 R>>",
        lent.len() - 1
    ))
}

/// The table that says which characters the codes stand for, so that text can be copied.
fn to_unicode(meanings: &[(String, char)], space: &str) -> String {
    let mut map = format!(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Meanings def /CMapType 2 def 1 begincodespacerange {space} endcodespacerange\n"
    );
    for chunk in meanings.chunks(100) {
        let _ = writeln!(map, "{} beginbfchar", chunk.len());
        for (code, character) in chunk {
            let units: String = character
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("{unit:04x}"))
                .collect();
            let _ = writeln!(map, "<{code}> <{units}>");
        }
        map.push_str("endbfchar\n");
    }
    map.push_str("endcmap CMapName currentdict /CMap defineresource pop end end");
    map
}

fn trace(content: &mut String, strokes: &[Pen]) {
    let mut at = (0.0, 0.0);
    for stroke in strokes {
        let _ = match *stroke {
            Pen::Move(x, y) => write!(content, "{} {} m ", pdf_number(x), pdf_number(y)),
            Pen::Line(x, y) => write!(content, "{} {} l ", pdf_number(x), pdf_number(y)),
            Pen::Quad(x1, y1, x, y) => {
                // A quadratic curve as a cubic one: two thirds of the way to its control point.
                let near = |from: f64, to: f64| pdf_number(from + (to - from) * 2.0 / 3.0);
                let a = (near(at.0, x1), near(at.1, y1));
                let b = (near(x, x1), near(y, y1));
                write!(
                    content,
                    "{} {} {} {} {} {} c ",
                    a.0,
                    a.1,
                    b.0,
                    b.1,
                    pdf_number(x),
                    pdf_number(y)
                )
            }
            Pen::Cubic(x1, y1, x2, y2, x, y) => {
                let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(pdf_number);
                write!(
                    content,
                    "{x1} {y1} {x2} {y2} {} {} c ",
                    pdf_number(x),
                    pdf_number(y)
                )
            }
            Pen::Close => write!(content, "h "),
        };
        match *stroke {
            Pen::Move(x, y)
            | Pen::Line(x, y)
            | Pen::Quad(_, _, x, y)
            | Pen::Cubic(_, _, _, _, x, y) => at = (x, y),
            Pen::Close => {}
        }
    }
}

/// Four curves that differ from a circle by less than a thousandth of its radius.
fn circle(content: &mut String, (x, y): (f64, f64), r: f64) {
    let k = 0.552_284_75 * r;
    let corners = [
        ((r, 0.0), (r, k), (k, r), (0.0, r)),
        ((0.0, r), (-k, r), (-r, k), (-r, 0.0)),
        ((-r, 0.0), (-r, -k), (-k, -r), (0.0, -r)),
        ((0.0, -r), (k, -r), (r, -k), (r, 0.0)),
    ];
    let _ = write!(content, "{} {} m ", pdf_number(x + r), pdf_number(y));
    for (_, a, b, to) in corners {
        for point in [a, b, to] {
            let _ = write!(
                content,
                "{} {} ",
                pdf_number(x + point.0),
                pdf_number(y + point.1)
            );
        }
        content.push_str("c ");
    }
    content.push_str("h ");
}

fn matrix(text: &TextLine, x: f64) -> String {
    let size = pdf_number(text.size);
    format!(
        "{size} 0 0 -{size} {} {} Tm",
        pdf_number(x),
        pdf_number(text.at.1)
    )
}

fn rgb_operands(ink: Ink) -> String {
    let Colour(r, g, b) = ink.colour();
    [r, g, b]
        .map(|channel| pdf_number(f64::from(channel) / 255.0))
        .join(" ")
}

fn pdf_number(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

/// A text as PDF wants it when it is not plain ASCII.
fn utf16(text: &str) -> String {
    let units: String = text
        .encode_utf16()
        .map(|unit| format!("{unit:04x}"))
        .collect();
    format!("<feff{units}>")
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    match encoder.write_all(bytes).and_then(|()| encoder.finish()) {
        Ok(packed) => packed,
        Err(error) => unreachable!("writing to memory cannot fail: {error}"),
    }
}
