//! Heat maps and confusion matrices: a number and a shade in every cell.

use crate::font::Weight;
use crate::frame::{self, EDGE, SMALL, Titles};
use crate::ink::Ink;
use crate::label;
use crate::scene::{Anchor, Bounds, Mark, Scene, Stroke};
use duress_core::number;

#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// The words around it; `y` names the rows, `x` the columns.
    pub titles: Titles,
    /// The names of rows, from top to bottom.
    pub rows: Vec<String>,
    /// The names of columns, from left to right.
    pub columns: Vec<String>,
    /// Wider gaps stand before these columns, with a name over each group: (first column, name).
    pub groups: Vec<(usize, String)>,
    /// Row by row; `None` where there is no number.
    pub cells: Vec<Option<HeatCell>>,
    /// How numbers become shades.
    pub scale: HeatScale,
    /// What the shades show.
    pub shade: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct HeatCell {
    /// What its shade shows.
    pub value: f64,
    /// What is written in it.
    pub words: String,
    /// What to say when pointed at.
    pub tip: String,
}

/// How numbers become shades.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeatScale {
    /// From light to dark between two values.
    Sequential(f64, f64),
    /// From one hue over white at zero to another, as far on both sides.
    Diverging(f64),
}

impl HeatScale {
    fn shade(self, value: f64) -> Ink {
        match self {
            HeatScale::Sequential(low, high) if high > low => {
                Ink::Shade((value - low) / (high - low))
            }
            HeatScale::Sequential(..) => Ink::Shade(0.0),
            HeatScale::Diverging(most) => Ink::Lean(if most > 0.0 { value / most } else { 0.0 }),
        }
    }
}

const ROW: f64 = 24.0;
const GROUP: f64 = 8.0;
const KEY: f64 = 30.0;

impl Heat {
    /// Lays the figure out, this wide or less.
    pub fn draw(&self, width: f64) -> Scene {
        let name = format!(
            "{}: {} by {}",
            self.titles.title, self.titles.y, self.titles.x
        );
        let (mut scene, top) = frame::titled(width, &self.titles, &name);
        let names = self
            .rows
            .iter()
            .map(|row| Weight::Regular.width(&label::tame(row), SMALL));
        let names = names
            .fold(Weight::Regular.width(&self.titles.y, SMALL), f64::max)
            .min(width * 0.28);
        let left = EDGE + names + 10.0;
        let gaps = GROUP * self.groups.len().saturating_sub(1) as f64;
        let wide = ((width - EDGE - left - gaps) / self.columns.len().max(1) as f64).min(64.0);
        let top = self.draw_heads(&mut scene, left, wide, top);
        for (r, row) in self.rows.iter().enumerate() {
            let y = top + ROW * r as f64;
            let words = label::shorten_to_fit(row, names + 0.5, SMALL, Weight::Regular);
            scene.add(
                Mark::text((left - 8.0, y + 16.0), words, SMALL, Anchor::End, Ink::Text)
                    .saying(row),
            );
            for c in 0..self.columns.len() {
                let x = self.column_left(left, wide, c);
                let bounds = Bounds {
                    left: x + 0.75,
                    top: y + 0.75,
                    right: x + wide - 0.75,
                    bottom: y + ROW - 0.75,
                };
                self.draw_cell(
                    &mut scene,
                    bounds,
                    self.cells
                        .get(r * self.columns.len() + c)
                        .and_then(Option::as_ref),
                );
            }
        }
        let bottom = top + ROW * self.rows.len() as f64;
        self.draw_key(&mut scene, left, bottom + 10.0);
        scene.height = bottom + 10.0 + KEY;
        scene
    }

    fn column_left(&self, left: f64, wide: f64, column: usize) -> f64 {
        let gaps = self
            .groups
            .iter()
            .skip(1)
            .filter(|(first, _)| *first <= column)
            .count();
        left + wide * column as f64 + GROUP * gaps as f64
    }

    /// The names of groups and columns, in up to three lines; returns where cells begin.
    fn draw_heads(&self, scene: &mut Scene, left: f64, wide: f64, top: f64) -> f64 {
        let mut top = top;
        let words = label::shorten_to_fit(
            &self.titles.x,
            scene.width - left - EDGE,
            SMALL,
            Weight::Regular,
        );
        scene.add(Mark::text(
            (left, top + 9.0),
            words,
            SMALL,
            Anchor::Start,
            Ink::Soft,
        ));
        top += 16.0;
        for (i, (first, name)) in self.groups.iter().enumerate() {
            let end = self
                .groups
                .get(i + 1)
                .map_or(self.columns.len(), |next| next.0);
            let from = self.column_left(left, wide, *first);
            let to = self.column_left(left, wide, end.max(first + 1) - 1) + wide;
            let words = label::shorten_to_fit(name, to - from, SMALL, Weight::Semibold);
            scene.add(
                Mark::text(
                    (from + 1.0, top + 10.0),
                    words,
                    SMALL,
                    Anchor::Start,
                    Ink::Text,
                )
                .in_bold()
                .saying(name),
            );
        }
        top += if self.groups.is_empty() { 0.0 } else { 17.0 };
        let heads: Vec<Vec<String>> = self
            .columns
            .iter()
            .map(|name| head_lines(name, wide - 3.0))
            .collect();
        let lines = heads.iter().map(Vec::len).max().unwrap_or(1);
        for (c, head) in heads.iter().enumerate() {
            let middle = self.column_left(left, wide, c) + wide / 2.0;
            for (i, line) in head.iter().enumerate() {
                let y = top + 10.0 + 12.0 * (lines - head.len() + i) as f64;
                scene.add(
                    Mark::text((middle, y), line.clone(), SMALL, Anchor::Middle, Ink::Soft)
                        .saying(&self.columns[c]),
                );
            }
        }
        let y = top + 10.0 + 12.0 * (lines - 1) as f64;
        let rows = label::shorten_to_fit(&self.titles.y, left - EDGE - 8.0, SMALL, Weight::Regular);
        scene.add(Mark::text(
            (left - 8.0, y),
            rows,
            SMALL,
            Anchor::End,
            Ink::Soft,
        ));
        y + 7.0
    }

    fn draw_cell(&self, scene: &mut Scene, bounds: Bounds, cell: Option<&HeatCell>) {
        let middle = (
            (bounds.left + bounds.right) / 2.0,
            (bounds.top + bounds.bottom) / 2.0 + 3.8,
        );
        let Some(cell) = cell else {
            // A stroke across says that there is no number here, which no shade could.
            let stroke = Stroke::solid(Ink::Crowd, 0.8);
            scene.add(Mark::line(
                (bounds.left + 2.0, bounds.bottom - 2.0),
                (bounds.right - 2.0, bounds.top + 2.0),
                stroke,
            ));
            return;
        };
        let ink = self.scale.shade(cell.value);
        scene.add(Mark::rect(bounds, ink).saying(&cell.tip));
        if let Some((words, size)) = fitting_words(&cell.words, bounds.width()) {
            scene.add(Mark::text(
                middle,
                words,
                size,
                Anchor::Middle,
                ink.ink_for_words(),
            ));
        }
    }

    fn draw_key(&self, scene: &mut Scene, left: f64, top: f64) {
        let (low, high) = match self.scale {
            HeatScale::Sequential(low, high) => (low, high),
            HeatScale::Diverging(most) => (-most, most),
        };
        let steps = 24;
        for i in 0..steps {
            let value = low + (high - low) * (f64::from(i) + 0.5) / f64::from(steps);
            let from = left + 5.0 * f64::from(i);
            let bounds = Bounds {
                left: from,
                top,
                right: from + 5.2,
                bottom: top + 8.0,
            };
            scene.add(Mark::rect(bounds, self.scale.shade(value)));
        }
        let right = left + 5.0 * f64::from(steps);
        for (at, value, anchor) in [(left, low, Anchor::Start), (right, high, Anchor::End)] {
            scene.add(Mark::text(
                (at, top + 19.0),
                number::tidy(value),
                9.5,
                anchor,
                Ink::Soft,
            ));
        }
        let struck = if self.cells.iter().any(Option::is_none) {
            "; struck out: no number"
        } else {
            ""
        };
        let words = format!("{}{struck}", self.shade);
        let words = label::shorten_to_fit(
            &words,
            scene.width - EDGE - right - 10.0,
            SMALL,
            Weight::Regular,
        );
        scene.add(Mark::text(
            (right + 10.0, top + 8.0),
            words,
            SMALL,
            Anchor::Start,
            Ink::Soft,
        ));
    }
}

/// What is written in a cell this wide, and how large: whole numbers may lose their `.0`, and nothing
/// else is cut.
fn fitting_words(words: &str, wide: f64) -> Option<(String, f64)> {
    let whole = match words.split_once('.') {
        Some((whole, zeros)) if zeros.chars().all(|c| c == '0') => whole,
        _ => words,
    };
    let ways = [(words, SMALL, 4.0), (words, 9.0, 2.0), (whole, 9.0, 2.0)];
    let fits = |(words, size, margin): &(&str, f64, f64)| {
        Weight::Regular.width(words, *size) <= wide - margin
    };
    let way = ways.into_iter().find(fits);
    way.map(|(words, size, _)| (words.to_string(), size))
}

/// The name of a column in up to three lines; a fraction may break behind its stroke.
fn head_lines(name: &str, room: f64) -> Vec<String> {
    let fits = Weight::Regular.width(&label::tame(name), SMALL) <= room;
    let name = if fits {
        name.to_owned()
    } else {
        name.replace('/', "/ ")
    };
    label::wrap_lines(&name, room, SMALL, Weight::Regular, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_is_written_where_a_number_of_two_digits_is() {
        let wide = Weight::Regular.width("99.7", 9.0) + 2.5;
        let words = |words: &str| fitting_words(words, wide).map(|(words, _)| words);
        assert_eq!(words("99.7").as_deref(), Some("99.7"));
        assert_eq!(words("100.0").as_deref(), Some("100"));
        assert_eq!(words("104.5"), None);
    }
}
