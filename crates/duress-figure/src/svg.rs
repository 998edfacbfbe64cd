//! A scene as SVG.

use std::fmt::Write;

use duress_core::steering::steers;

use crate::font::{self, Weight};
use crate::ink::Ink;
use crate::label::excerpt;
use crate::scene::{Anchor, Mark, MarkShape, Scene};

/// For whom the SVG is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dress {
    /// A file of its own: fixed colours, white ground, the font inside.
    Alone,
    /// Part of a page: colours as CSS variables, marks that answer when pointed at.
    Page,
}

impl Dress {
    /// A coordinate: a hundredth of a pixel for print, a tenth for the screen; more would only be
    /// bytes.
    fn place(self, value: f64) -> String {
        match self {
            Dress::Alone => round(value, 2),
            Dress::Page => round(value, 1),
        }
    }
}

pub fn write(scene: &Scene, dress: Dress) -> String {
    let mut svg = String::with_capacity(scene.marks.len() * 80);
    open_svg(&mut svg, scene, dress);
    let mut series = None;
    for mark in &scene.marks {
        if dress == Dress::Page && mark.series != series {
            switch_series(&mut svg, series, mark.series);
            series = mark.series;
        }
        paint(&mut svg, mark, dress);
    }
    if dress == Dress::Page {
        switch_series(&mut svg, series, None);
    }
    svg.push_str("</svg>\n");
    svg
}

fn open_svg(svg: &mut String, scene: &Scene, dress: Dress) {
    let width = round(scene.width, 2);
    let height = round(scene.height, 2);
    let name = escape(&excerpt(&scene.name));
    match dress {
        Dress::Alone => {
            append(
                svg,
                format_args!(
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{name}\" fill=\"none\" stroke-linejoin=\"round\" font-family=\"{}\">\n<title>{name}</title>\n<style>{}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
                    font::FAMILIES,
                    font_faces(),
                ),
            );
        }
        Dress::Page => append(
            svg,
            format_args!(
                "<svg viewBox=\"0 0 {width} {height}\" style=\"max-width:{}px\" role=\"img\" aria-label=\"{name}\" fill=\"none\" stroke-linejoin=\"round\" tabindex=\"0\">",
                // On the page, text of figures should be about as large as text of tables.
                round(scene.width * 1.2, 0),
            ),
        ),
    }
}

/// CSS that carries the shipped font within the file.
pub fn font_faces() -> String {
    let face = |weight: Weight| {
        format!(
            "@font-face{{font-family:'{}';font-weight:{};src:url(data:font/woff2;base64,{}) format('woff2')}}",
            font::FAMILY,
            weight.css_weight(),
            base64(weight.web_file()),
        )
    };
    face(Weight::Regular) + &face(Weight::Semibold)
}

fn switch_series(svg: &mut String, from: Option<usize>, to: Option<usize>) {
    if from.is_some() {
        svg.push_str("</g>");
    }
    if let Some(series) = to {
        append(svg, format_args!("<g data-s=\"{series}\">"));
    }
}

fn paint(svg: &mut String, mark: &Mark, dress: Dress) {
    let at = |value: f64| dress.place(value);
    match &mark.shape {
        MarkShape::Path { points, closed } => write_path(svg, points, *closed, dress),
        MarkShape::Circle { centre, radius } => {
            let x = at(centre.0);
            let y = at(centre.1);
            append(
                svg,
                format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{}\"", at(*radius)),
            );
        }
        MarkShape::Text(text) => {
            let x = at(text.at.0);
            let y = at(text.at.1);
            append(
                svg,
                format_args!(
                    "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\"",
                    round(text.size, 1)
                ),
            );
            match text.anchor {
                Anchor::Start => {}
                Anchor::Middle => svg.push_str(" text-anchor=\"middle\""),
                Anchor::End => svg.push_str(" text-anchor=\"end\""),
            }
            if text.weight == Weight::Semibold {
                svg.push_str(" font-weight=\"600\"");
            }
        }
    }
    write_inks(svg, mark, dress);
    match &mark.shape {
        MarkShape::Text(text) => append(
            svg,
            format_args!(">{}</text>", escape(&excerpt(&text.words))),
        ),
        _ => svg.push_str("/>"),
    }
    if dress == Dress::Alone {
        svg.push('\n');
    }
}

/// Level and upright lines need only one coordinate.
fn write_path(svg: &mut String, points: &[(f64, f64)], closed: bool, dress: Dress) {
    svg.push_str("<path d=\"");
    let mut before: Option<(String, String)> = None;
    for &(x, y) in points {
        let x = dress.place(x);
        let y = dress.place(y);
        match &before {
            None => append(svg, format_args!("M{x} {y}")),
            Some((_, last)) if *last == y => append(svg, format_args!("H{x}")),
            Some((last, _)) if *last == x => append(svg, format_args!("V{y}")),
            Some(_) => append(svg, format_args!("L{x} {y}")),
        }
        before = Some((x, y));
    }
    svg.push_str(if closed { "Z\"" } else { "\"" });
}

fn write_inks(svg: &mut String, mark: &Mark, dress: Dress) {
    let colour = |ink: Ink| match dress {
        Dress::Alone => ink.colour().to_string(),
        Dress::Page => ink.css_colour().into_owned(),
    };
    if let Some(ink) = mark.fill {
        append(svg, format_args!(" fill=\"{}\"", colour(ink)));
    }
    if let Some(stroke) = mark.stroke {
        append(
            svg,
            format_args!(
                " stroke=\"{}\" stroke-width=\"{}\"",
                colour(stroke.ink),
                round(stroke.width, 2)
            ),
        );
        if !stroke.dash.is_empty() {
            let dash: Vec<String> = stroke.dash.iter().map(|&length| round(length, 2)).collect();
            append(
                svg,
                format_args!(" stroke-dasharray=\"{}\"", dash.join(" ")),
            );
        }
    }
    if mark.opacity < 1.0 {
        append(svg, format_args!(" opacity=\"{}\"", round(mark.opacity, 2)));
    }
    if let (Dress::Page, Some(tip)) = (dress, &mark.tip) {
        append(svg, format_args!(" data-tip=\"{}\"", escape(&excerpt(tip))));
    }
}

fn append(svg: &mut String, text: std::fmt::Arguments<'_>) {
    if svg.write_fmt(text).is_err() {
        unreachable!("writing to a string cannot fail");
    }
}

/// A number with at most this many digits after the point.
fn round(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    if text == "-0" {
        "0".into()
    } else {
        text.into()
    }
}

/// Text as it may stand in SVG and HTML, in an element or an attribute. Control characters become a
/// visible sign.
///
/// ```
/// assert_eq!(duress_figure::svg::escape("<b a=\"1\">&\u{1b}"), "&lt;b a=&quot;1&quot;&gt;&amp;\u{fffd}");
/// ```
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(c),
            c if steers(c) => safe.push('\u{fffd}'),
            // Not characters at all in XML.
            '\u{fffe}' | '\u{ffff}' => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

/// Bytes in base 64.
///
/// ```
/// assert_eq!(duress_figure::svg::base64(b"duress"), "ZHVyZXNz");
/// assert_eq!(duress_figure::svg::base64(b"a"), "YQ==");
/// ```
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i > chunk.len() {
                '='
            } else {
                char::from(letter)
            });
        }
    }
    text
}
