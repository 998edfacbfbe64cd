//! Inks: what a colour is for, and what it looks like in print and on the page.

use std::borrow::Cow;

/// What a colour is for. A scene knows inks; only a writer knows colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ink {
    /// Titles and what must be read.
    Text,
    /// Tick labels and remarks.
    Soft,
    Rule,
    Grid,
    Paper,
    /// The line or area of a series.
    Series(usize),
    /// The words of a series: the same hue, dark enough to read.
    Word(usize),
    /// A series that is only background.
    Crowd,
    /// What comes from elsewhere and was not measured here.
    Elsewhere,
    /// A place on the sequential scale, 0 to 1.
    Shade(f64),
    /// A place on the diverging scale, −1 to 1.
    Lean(f64),
    /// Words on a dark shade; [`Ink::ink_for_words`] chooses.
    Light,
    /// Words on a light shade, whatever the page's own ground.
    Dark,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

/// How many series have a colour of their own; further ones repeat them with another dash and
/// marker.
pub const SERIES: usize = 9;

/// Okabe and Ito's palette without yellow and with black last, for white paper; then an indigo and a
/// rust that stay apart from those for all kinds of red-green blindness.
const LINES: [u32; SERIES] = [
    0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x333333, 0x332288, 0x882200,
];
/// The same hues, dark enough for words: at least 4.5 : 1 on white.
const WORDS: [u32; SERIES] = [
    0x00639c, 0xb04a00, 0x00714f, 0x9c4876, 0x8a5d00, 0x1c6f9e, 0x333333, 0x332288, 0x882200,
];
/// The same hues on a dark ground.
const DARK_LINES: [u32; SERIES] = [
    0x4aa3df, 0xf08244, 0x2cc296, 0xdf95bd, 0xedb035, 0x8accf2, 0xd6d6d6, 0x6f86ff, 0xd06a58,
];

impl Ink {
    /// The colour on white paper.
    pub fn colour(self) -> Colour {
        colour_of_hex(match self {
            Ink::Text => 0x1a1a1a,
            Ink::Soft => 0x565656,
            Ink::Rule => 0x6e6e6e,
            Ink::Grid => 0xe4e4e2,
            Ink::Paper => 0xffffff,
            Ink::Series(i) => LINES[i % SERIES],
            Ink::Word(i) => WORDS[i % SERIES],
            Ink::Crowd => 0xb9b9b6,
            Ink::Elsewhere => 0x757575,
            Ink::Shade(at) => return shade(at),
            Ink::Lean(at) => return diverging_colour(at),
            Ink::Light => 0xffffff,
            Ink::Dark => 0x0d0d0d,
        })
    }

    /// The ink for words on this one.
    pub fn ink_for_words(self) -> Ink {
        // Below this luminance white has the better contrast, above it black.
        if self.colour().luminance() < 0.18 {
            Ink::Light
        } else {
            Ink::Dark
        }
    }

    /// The colour as CSS for the page: a variable that [`page_css`] defines for light and dark, or
    /// a fixed colour.
    pub fn css_colour(self) -> Cow<'static, str> {
        match self {
            Ink::Text => "var(--ink)".into(),
            Ink::Soft => "var(--soft)".into(),
            Ink::Rule => "var(--rule)".into(),
            Ink::Grid => "var(--grid)".into(),
            Ink::Paper => "var(--paper)".into(),
            Ink::Crowd => "var(--crowd)".into(),
            Ink::Elsewhere => "var(--else)".into(),
            Ink::Series(i) => format!("var(--s{})", i % SERIES).into(),
            Ink::Word(i) => format!("var(--w{})", i % SERIES).into(),
            fixed => fixed.colour().to_string().into(),
        }
    }
}

/// The variables of [`Ink::css_colour`] that hold the colours of series, for light (`false`) or dark
/// (`true`).
pub fn page_css(dark: bool) -> String {
    let (lines, words) = if dark {
        (DARK_LINES, DARK_LINES)
    } else {
        (LINES, WORDS)
    };
    let line = |(i, &colour): (usize, &u32)| format!("--s{i}:{};", colour_of_hex(colour));
    let word = |(i, &colour): (usize, &u32)| format!("--w{i}:{};", colour_of_hex(colour));
    let crowd = if dark {
        "--crowd:#55595e;--else:#a3a3a3;"
    } else {
        "--crowd:#b9b9b6;--else:#757575;"
    };
    let lines: String = lines.iter().enumerate().map(line).collect();
    let words: String = words.iter().enumerate().map(word).collect();
    lines + &words + crowd
}

impl Colour {
    /// The relative luminance of WCAG 2: 0 is black, 1 is white.
    pub fn luminance(self) -> f64 {
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

/// How much light a channel of sRGB stands for, 0 to 1.
fn linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.04045 {
        c / 12.92
    } else {
        ((c + 0.055) / 1.055).powf(2.4)
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

fn colour_of_hex(code: u32) -> Colour {
    Colour((code >> 16) as u8, (code >> 8) as u8, code as u8)
}

/// Light to dark blue, even steps in lightness, so that grey print keeps the order.
fn shade(at: f64) -> Colour {
    along(
        &[0xf7f9fb, 0xd3e3ef, 0x9cc4dc, 0x3a7fae, 0x0f4f80, 0x0a2f52],
        at,
    )
}

/// Vermilion over white to blue.
fn diverging_colour(at: f64) -> Colour {
    along(
        &[
            0x9a3412, 0xd9743f, 0xf3c3a4, 0xf8f8f6, 0xb5d3e7, 0x4d92bf, 0x0b5488,
        ],
        (at + 1.0) / 2.0,
    )
}

fn along(stops: &[u32], at: f64) -> Colour {
    let place = at.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let low = (place.floor() as usize).min(stops.len() - 2);
    let a = colour_of_hex(stops[low]);
    let b = colour_of_hex(stops[low + 1]);
    let share = place - low as f64;
    let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
    Colour(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast ratio of WCAG 2.
    fn contrast(a: Colour, b: Colour) -> f64 {
        let light = |c: Colour| c.luminance() + 0.05;
        let a = light(a);
        let b = light(b);
        a.max(b) / a.min(b)
    }

    #[test]
    fn words_can_be_read_on_their_ground() {
        for (i, dark) in DARK_LINES.into_iter().enumerate() {
            assert!(
                contrast(Ink::Word(i).colour(), colour_of_hex(0xffffff)) >= 4.5,
                "series {i}"
            );
            assert!(
                contrast(colour_of_hex(dark), colour_of_hex(0x16181b)) >= 4.5,
                "series {i} in the dark"
            );
        }
        for ink in [Ink::Text, Ink::Soft, Ink::Elsewhere] {
            assert!(
                contrast(ink.colour(), Ink::Paper.colour()) >= 4.5,
                "{ink:?}"
            );
        }
    }

    #[test]
    fn words_can_be_read_on_every_shade() {
        for step in 0..=20 {
            let at = f64::from(step) / 20.0;
            for ground in [Ink::Shade(at), Ink::Lean(2.0 * at - 1.0)] {
                assert!(
                    contrast(ground.ink_for_words().colour(), ground.colour()) >= 4.2,
                    "{ground:?}"
                );
            }
        }
    }

    /// What is left of linear red, green and blue for people who see all three, without long-wave
    /// cones, and without middle-wave cones (Machado, Oliveira and Fernandes 2009).
    const EYES: [[[f64; 3]; 3]; 3] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ];

    /// The place of a colour in CIE L*a*b*, as these eyes see it.
    fn lab(colour: u32, eyes: &[[f64; 3]; 3]) -> [f64; 3] {
        let Colour(r, g, b) = colour_of_hex(colour);
        let light = [r, g, b].map(linear);
        let times = |row: &[f64; 3]| row.iter().zip(light).map(|(a, x)| a * x).sum::<f64>();
        let [r, g, b] = eyes.each_ref().map(|row| times(row).clamp(0.0, 1.0));
        let cube = |t: f64| match t > 0.008856 {
            true => t.cbrt(),
            false => 7.787 * t + 16.0 / 116.0,
        };
        let x = cube((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
        let y = cube(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
        let z = cube((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn colours_of_series_stay_apart_without_red_or_green_cones() {
        for lines in [LINES, DARK_LINES] {
            for eyes in &EYES {
                let seen = lines.map(|colour| lab(colour, eyes));
                for (i, a) in seen.iter().enumerate() {
                    for (j, b) in seen[..i].iter().enumerate() {
                        let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
                        let apart = squares.sum::<f64>().sqrt();
                        assert!(apart > 14.0, "{i} and {j}: {apart}");
                    }
                }
            }
        }
    }

    #[test]
    fn shades_darken_steadily() {
        let grey = |at: f64| {
            let Colour(r, g, b) = Ink::Shade(at).colour();
            0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b)
        };
        assert!((0..20).all(|i| grey(f64::from(i) / 20.0) > grey(f64::from(i + 1) / 20.0)));
    }
}
