//! Forest plots: a row for each difference or claim, with its interval, beside the line of no
//! effect.

use crate::axis::PlotAxis;
use crate::curve::DataOrigin;
use crate::font::Weight;
use crate::frame::{self, BODY, EDGE, SMALL, Titles};
use crate::ink::Ink;
use crate::label;
use crate::marker;
use crate::scene::{Anchor, Bounds, Mark, Scene, Stroke};

/// Rows of estimates on one axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Forest {
    /// The words around it; `x` is what the axis counts.
    pub titles: Titles,
    /// The line of no effect.
    pub zero: f64,
    /// The rows, from top to bottom.
    pub rows: Vec<ForestRow>,
    /// Rows before which a new axis begins, since what follows is of another size.
    pub breaks: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ForestRow {
    /// What it is about.
    pub name: String,
    /// The estimate; `None` where it is undefined.
    pub value: Option<f64>,
    pub interval: Option<(f64, f64)>,
    /// The margins it is judged against: one, or two where it must lie between them.
    pub margins: Vec<f64>,
    /// Whether the interval lies clear of what it is judged against.
    pub stands: bool,
    /// Whether it was measured.
    pub origin: DataOrigin,
    /// Words at the right: the number and its interval, or why there is none.
    pub words: String,
    /// What to say when pointed at.
    pub tip: String,
}

const ROW: f64 = 23.0;

/// The share of the width that words leave to the plot and its edges, however long they are.
const PLOT: f64 = 0.36;

impl Forest {
    /// Lays the figure out, this wide.
    pub fn draw(&self, width: f64) -> Scene {
        let name = format!(
            "{}: {} rows, {}",
            self.titles.title,
            self.rows.len(),
            self.titles.x
        );
        let (mut scene, mut top) = frame::titled(width, &self.titles, &name);
        scene.height = top;
        let names = self
            .rows
            .iter()
            .map(|row| Weight::Regular.width(&label::tame(&row.name), BODY));
        let words = self
            .rows
            .iter()
            .map(|row| row.weight().width(&label::tame(&row.words), BODY));
        let words = words.fold(0.0, f64::max).min(width * 0.30);
        let names = names.fold(0.0, f64::max).min(width * (1.0 - PLOT) - words);
        let blocks = self.blocks();
        for (at, block) in blocks.iter().enumerate() {
            let bottom = top + ROW * block.len() as f64 + 4.0;
            let plot = Bounds {
                left: EDGE + names + 14.0,
                top,
                right: width - EDGE - words - 14.0,
                bottom,
            };
            let x = self.axis(block).between(plot.left + 6.0, plot.right - 6.0);
            self.draw_ground(&mut scene, plot, &x);
            let title = if at + 1 == blocks.len() {
                self.titles.x.as_str()
            } else {
                ""
            };
            scene.height = frame::draw_x(&mut scene, plot, &x, title);
            for (i, row) in block.iter().enumerate() {
                let y = top + ROW * (i as f64 + 0.5);
                row.draw(&mut scene, &x, x.place(self.zero), y);
                row.draw_words(&mut scene, y, names, words);
            }
            top = scene.height + 6.0;
        }
        scene
    }

    /// The rows that share an axis.
    fn blocks(&self) -> Vec<&[ForestRow]> {
        let ends = self.breaks.iter().copied().chain([self.rows.len()]);
        let mut from = 0;
        let mut blocks = Vec::new();
        for to in ends.filter(|to| *to <= self.rows.len()) {
            if to > from {
                blocks.push(&self.rows[from..to]);
                from = to;
            }
        }
        blocks
    }

    fn axis(&self, rows: &[ForestRow]) -> PlotAxis {
        let values = rows.iter().flat_map(|row| {
            let measured = [
                row.value,
                row.interval.map(|ends| ends.0),
                row.interval.map(|ends| ends.1),
            ];
            measured
                .into_iter()
                .flatten()
                .chain(row.margins.iter().copied())
        });
        PlotAxis::round(values.chain([self.zero]), (None, None), 5)
    }

    fn draw_ground(&self, scene: &mut Scene, plot: Bounds, x: &PlotAxis) {
        for (value, _) in &x.ticks {
            let at = x.place(*value);
            scene.add(Mark::line(
                (at, plot.top),
                (at, plot.bottom),
                Stroke::solid(Ink::Grid, 0.8),
            ));
        }
        let zero = x.place(self.zero);
        scene.add(Mark::line(
            (zero, plot.top - 2.0),
            (zero, plot.bottom),
            Stroke::solid(Ink::Soft, 1.1),
        ));
    }
}

impl ForestRow {
    fn weight(&self) -> Weight {
        if self.stands {
            Weight::Semibold
        } else {
            Weight::Regular
        }
    }

    /// What it is about at the left, its number at the right.
    fn draw_words(&self, scene: &mut Scene, y: f64, names: f64, words: f64) {
        let left = label::shorten_to_fit(&self.name, names + 0.5, BODY, Weight::Regular);
        scene.add(
            Mark::text((EDGE, y + 4.0), left, BODY, Anchor::Start, Ink::Text).saying(&self.name),
        );
        let right = label::shorten_to_fit(&self.words, words + 0.5, BODY, self.weight());
        let at = (scene.width - EDGE, y + 4.0);
        let mark = Mark::text(at, right, BODY, Anchor::End, Ink::Text).saying(&self.words);
        scene.add(if self.stands { mark.in_bold() } else { mark });
    }

    fn draw(&self, scene: &mut Scene, x: &PlotAxis, zero: f64, y: f64) {
        for &margin in &self.margins {
            let at = x.place(margin);
            let stroke = Stroke::dashed(Ink::Soft, 1.2, &[2.5, 2.0]);
            scene.add(
                Mark::line((at, y - 9.0), (at, y + 9.0), stroke)
                    .saying(&format!("margin {}", duress_core::number::short(margin))),
            );
        }
        let Some(value) = self.value else {
            let right = zero + 6.0 + Weight::Regular.width("undefined", SMALL) < x.places.1;
            let (at, anchor) = if right {
                (zero + 6.0, Anchor::Start)
            } else {
                (zero - 6.0, Anchor::End)
            };
            scene.add(Mark::text(
                (at, y + 4.0),
                "undefined",
                SMALL,
                anchor,
                Ink::Soft,
            ));
            return;
        };
        let ink = match (self.origin, self.stands) {
            (DataOrigin::Elsewhere, _) => Ink::Elsewhere,
            (_, true) => Ink::Series(0),
            (_, false) => Ink::Soft,
        };
        if let Some((low, high)) = self.interval {
            let low = x.place(low);
            let high = x.place(high);
            let stroke = match self.origin {
                DataOrigin::Measured => Stroke::solid(ink, 1.6),
                DataOrigin::Elsewhere => Stroke::dashed(ink, 1.4, marker::ELSEWHERE),
            };
            scene.add(Mark::line((low, y), (high, y), stroke).saying(&self.tip));
            for end in [low, high] {
                scene.add(Mark::line(
                    (end, y - 3.5),
                    (end, y + 3.5),
                    Stroke::solid(ink, 1.4),
                ));
            }
        }
        let at = (x.place(value), y);
        let mark = match (self.origin, self.stands) {
            (DataOrigin::Elsewhere, _) => marker::elsewhere(at, 3.8),
            (_, true) => Mark::circle(at, 4.2, ink),
            (_, false) => Mark::circle(at, 3.6, Ink::Paper).stroked(Stroke::solid(ink, 1.5)),
        };
        scene.add(mark.saying(&self.tip));
    }
}
