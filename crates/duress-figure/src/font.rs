//! The font that ships with the binary, and the one found on the machine for what it lacks.

use std::sync::OnceLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

static REGULAR: &[u8] = include_bytes!("../font/DuressSans-Regular.ttf");
static SEMIBOLD: &[u8] = include_bytes!("../font/DuressSans-Semibold.ttf");
static REGULAR_WEB: &[u8] = include_bytes!("../font/DuressSans-Regular.woff2");
static SEMIBOLD_WEB: &[u8] = include_bytes!("../font/DuressSans-Semibold.woff2");

/// The family name of the font that ships here.
pub const FAMILY: &str = "Duress Sans";
/// What a browser or an editor should try, in order.
pub const FAMILIES: &str = "'Duress Sans','Source Sans 3','Source Sans Pro','Noto Sans CJK SC','Noto Sans SC','Helvetica Neue',Arial,sans-serif";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weight {
    Regular,
    Semibold,
}

/// The two faces that ship here, parsed.
struct ShippedFaces {
    regular: Face<'static>,
    semibold: Face<'static>,
}

impl Weight {
    pub fn font_file(self) -> &'static [u8] {
        match self {
            Weight::Regular => REGULAR,
            Weight::Semibold => SEMIBOLD,
        }
    }

    /// The font file for web pages (WOFF2).
    pub fn web_file(self) -> &'static [u8] {
        match self {
            Weight::Regular => REGULAR_WEB,
            Weight::Semibold => SEMIBOLD_WEB,
        }
    }

    /// The weight as CSS counts it.
    pub fn css_weight(self) -> u16 {
        match self {
            Weight::Regular => 400,
            Weight::Semibold => 600,
        }
    }

    pub fn font_face(self) -> &'static Face<'static> {
        static SHIPPED: OnceLock<ShippedFaces> = OnceLock::new();
        let read = |file| match Face::parse(file, 0) {
            Ok(face) => face,
            Err(error) => unreachable!("the font in this binary is sound: {error}"),
        };
        let shipped = SHIPPED.get_or_init(|| ShippedFaces {
            regular: read(REGULAR),
            semibold: read(SEMIBOLD),
        });
        match self {
            Weight::Regular => &shipped.regular,
            Weight::Semibold => &shipped.semibold,
        }
    }

    /// How wide a text is at this size, with kerning.
    ///
    /// ```
    /// use duress_figure::font::Weight;
    /// assert_eq!(Weight::Regular.width("00", 10.0), 9.94);
    /// assert!(Weight::Regular.width("AV", 10.0) < Weight::Regular.width("A", 10.0) + Weight::Regular.width("V", 10.0));
    /// ```
    pub fn width(self, words: &str, size: f64) -> f64 {
        let units: f64 = self.set_glyphs(words).map(|placed| placed.advance).sum();
        units * size / 1000.0
    }

    /// The glyphs of a text, in thousandths of the font size.
    pub fn set_glyphs(self, words: &str) -> impl Iterator<Item = Placed> {
        let face = self.font_face();
        let mut characters = words.chars().peekable();
        std::iter::from_fn(move || {
            let character = characters.next()?;
            let Some(glyph) = face.glyph_index(character) else {
                return Some(Placed {
                    character,
                    glyph: None,
                    advance: fallback_advance(character),
                });
            };
            let next = characters.peek().and_then(|&next| face.glyph_index(next));
            let kerning = next.map_or(0.0, |next| kerning(face, glyph, next));
            let advance = f64::from(face.glyph_hor_advance(glyph).unwrap_or(0)) + kerning;
            Some(Placed {
                character,
                glyph: Some(glyph),
                advance,
            })
        })
    }
}

/// One glyph of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// What it stands for.
    pub character: char,
    /// The glyph in the shipped font; `None` where that has none.
    pub glyph: Option<GlyphId>,
    /// To the next glyph, in thousandths of the font size.
    pub advance: f64,
}

fn kerning(face: &Face<'_>, left: GlyphId, right: GlyphId) -> f64 {
    let tables = face.tables().kern.iter().flat_map(|kern| kern.subtables);
    tables
        .filter_map(|table| table.glyphs_kerning(left, right))
        .map(f64::from)
        .sum()
}

/// Wide scripts are set on an em square; marks that combine take no room; the rest is about as wide
/// as a letter.
fn fallback_advance(character: char) -> f64 {
    match u32::from(character) {
        0x0300..=0x036f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0.0,
        _ if crate::label::is_wide(character) => 1000.0,
        _ => 620.0,
    }
}

/// Where glyphs come from that the shipped font lacks: a font of this machine, looked for once and
/// only if needed.
pub struct Fonts {
    found: Option<SystemFont>,
}

struct SystemFont {
    file: Vec<u8>,
    index: u32,
    family: String,
}

impl Fonts {
    /// The font of this machine that covers most of the characters the shipped font lacks, if any
    /// is needed and found.
    pub fn for_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Fonts {
        let mut missing: Vec<char> = texts.into_iter().flat_map(lacking).collect();
        missing.sort_unstable();
        missing.dedup();
        Fonts {
            found: if missing.is_empty() {
                None
            } else {
                search(&missing)
            },
        }
    }

    /// No font but the shipped one.
    pub fn shipped() -> Fonts {
        Fonts { found: None }
    }

    /// The family of the font found on this machine.
    pub fn found(&self) -> Option<&str> {
        self.found.as_ref().map(|found| found.family.as_str())
    }

    /// The face found on this machine.
    pub fn fallback(&self) -> Option<Face<'_>> {
        let found = self.found.as_ref()?;
        Face::parse(&found.file, found.index).ok()
    }

    /// The characters of these texts that no font here can show, each once.
    pub fn lacks<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> Vec<char> {
        let fallback = self.fallback();
        let shown = |c: &char| {
            fallback
                .as_ref()
                .is_some_and(|face| face.glyph_index(*c).is_some())
        };
        let mut missing: Vec<char> = texts
            .into_iter()
            .flat_map(lacking)
            .filter(|c| !shown(c))
            .collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }
}

fn lacking(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|&c| !c.is_control() && Weight::Regular.font_face().glyph_index(c).is_none())
}

/// Looks through the fonts of this machine for the one that has most of the characters; of several,
/// one without serifs.
fn search(missing: &[char]) -> Option<SystemFont> {
    let mut library = fontdb::Database::new();
    library.load_system_fonts();
    let mut best: Option<((usize, bool), fontdb::ID)> = None;
    for info in library.faces() {
        if info.style != fontdb::Style::Normal
            || info.weight != fontdb::Weight::NORMAL
            || info.monospaced
        {
            continue;
        }
        let covered = library
            .with_face_data(info.id, |file, index| covered(file, index, missing))
            .unwrap_or(0);
        let sans = info
            .families
            .first()
            .is_some_and(|(name, _)| !name.contains("Serif"));
        if covered > 0
            && best
                .as_ref()
                .is_none_or(|(rank, _)| (covered, sans) > *rank)
        {
            best = Some(((covered, sans), info.id));
        }
    }
    let info = library.face(best?.1)?;
    let family = info
        .families
        .first()
        .map_or_else(String::new, |(name, _)| name.clone());
    library.with_face_data(info.id, |file, index| SystemFont {
        file: file.to_vec(),
        index,
        family,
    })
}

fn covered(file: &[u8], index: u32, characters: &[char]) -> usize {
    let Ok(face) = Face::parse(file, index) else {
        return 0;
    };
    characters
        .iter()
        .filter(|&&c| face.glyph_index(c).is_some())
        .count()
}

/// One stroke of a pen that draws a glyph, in font units, y upwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pen {
    /// Lift and set down here.
    Move(f64, f64),
    /// Straight to here.
    Line(f64, f64),
    /// A quadratic curve by a control point to here.
    Quad(f64, f64, f64, f64),
    /// A cubic curve by two control points to here.
    Cubic(f64, f64, f64, f64, f64, f64),
    /// Back to where the pen was set down.
    Close,
}

/// The outline of a glyph, scaled to thousandths of the font size.
pub fn outline(face: &Face<'_>, glyph: GlyphId) -> Vec<Pen> {
    let mut pen = Pens {
        scale: 1000.0 / f64::from(face.units_per_em()),
        strokes: Vec::new(),
    };
    face.outline_glyph(glyph, &mut pen);
    pen.strokes
}

/// The box that stands for a character no font can show.
pub fn missing_box() -> Vec<Pen> {
    let square = |left: f64, low: f64, right: f64, high: f64| {
        [
            Pen::Move(left, low),
            Pen::Line(right, low),
            Pen::Line(right, high),
            Pen::Line(left, high),
            Pen::Close,
        ]
    };
    // The inner square runs the other way round, so that it stays empty.
    [
        square(60.0, -80.0, 560.0, 720.0),
        square(510.0, -30.0, 110.0, 670.0),
    ]
    .concat()
}

struct Pens {
    scale: f64,
    strokes: Vec<Pen>,
}

impl Pens {
    fn at(&self, value: f32) -> f64 {
        f64::from(value) * self.scale
    }
}

impl OutlineBuilder for Pens {
    fn move_to(&mut self, x: f32, y: f32) {
        self.strokes.push(Pen::Move(self.at(x), self.at(y)));
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.strokes.push(Pen::Line(self.at(x), self.at(y)));
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.strokes
            .push(Pen::Quad(self.at(x1), self.at(y1), self.at(x), self.at(y)));
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let x1 = self.at(x1);
        let y1 = self.at(y1);
        let x2 = self.at(x2);
        let y2 = self.at(y2);
        self.strokes
            .push(Pen::Cubic(x1, y1, x2, y2, self.at(x), self.at(y)));
    }
    fn close(&mut self) {
        self.strokes.push(Pen::Close);
    }
}
