//! Grouped bars with error bars and values, from zero.

use crate::axis::PlotAxis;
use crate::curve::DataOrigin;
use crate::font::Weight;
use crate::frame::{self, EDGE, SMALL, Titles};
use crate::ink::Ink;
use crate::label;
use crate::marker;
use crate::reference::ReferenceLine;
use crate::scene::{Anchor, Bounds, Mark, Scene, Stroke};
use crate::tag::tag_of;
use duress_core::number::NumberFormat;

/// Groups of bars, one bar per series in each.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    pub titles: Titles,
    /// The natural ends of y, where it has such.
    pub ends: (Option<f64>, Option<f64>),
    /// The series, in the order of bars within a group.
    pub series: Vec<BarSeries>,
    /// The groups, from left to right.
    pub groups: Vec<BarGroup>,
    /// Level lines to compare with.
    pub references: Vec<ReferenceLine>,
}

/// What one bar of each group belongs to.
#[derive(Clone, Debug, PartialEq)]
pub struct BarSeries {
    pub name: String,
    /// What a page calls it when it hides or shows it.
    pub key: usize,
    /// Its place among all series, which gives the colour.
    pub style: usize,
    /// Whether it was measured.
    pub origin: DataOrigin,
}

/// One group: a class, a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct BarGroup {
    pub name: String,
    /// A second line of its name: how many items it has.
    pub remark: String,
    /// One bar per series; `None` where there is no value.
    pub bars: Vec<Option<Bar>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    /// One standard deviation to either side: a broad faint stroke behind the interval.
    pub spread: Option<(f64, f64)>,
    /// What to say when pointed at.
    pub tip: String,
}

/// One row of groups, and where it is.
struct BarPanel<'a> {
    groups: &'a [BarGroup],
    plot: Bounds,
    y: PlotAxis,
    digits: NumberFormat,
}

/// The size of the numbers above bars.
const NUMBER: f64 = 9.5;

impl Bars {
    /// Lays the figure out, this wide; groups that do not fit beside each other go into further
    /// rows.
    pub fn draw(&self, width: f64) -> Scene {
        let name = format!(
            "{}: {} for {} groups",
            self.titles.title,
            self.titles.y,
            self.groups.len()
        );
        let (mut scene, mut top) = frame::titled(width, &self.titles, &name);
        if self.series.len() > 1 {
            top = self.draw_key(&mut scene, top);
        }
        let y = self.y_axis();
        let left = EDGE + frame::tick_room(&y).max(24.0);
        let digits = self.digits();
        let numbers = self
            .bars()
            .map(|bar| Weight::Regular.width(&digits.write(bar.value), NUMBER));
        let per_bar = numbers.fold(17.5, |widest, number| f64::max(widest, number + 2.0));
        let per_group = (self.series.len() as f64 * per_bar + 14.0).max(40.0);
        let tags = self
            .references
            .iter()
            .map(|line| Weight::Regular.width(&reference_name(line), SMALL) + 6.0);
        let right = width - EDGE - tags.fold(0.0, f64::max);
        let per_row = (((right - left) / per_group) as usize).max(1);
        let rows = self.groups.len().div_ceil(per_row).max(1);
        let per_row = self.groups.len().div_ceil(rows).max(1);
        for (row, groups) in self.groups.chunks(per_row).enumerate() {
            top += 20.0;
            let plot = Bounds {
                left,
                top,
                right,
                bottom: top + 165.0,
            };
            let title = if row == 0 { self.titles.y.as_str() } else { "" };
            frame::draw_y(
                &mut scene,
                plot,
                &y.clone().between(plot.bottom, plot.top),
                title,
            );
            let panel = BarPanel {
                groups,
                plot,
                y: y.clone().between(plot.bottom, plot.top),
                digits,
            };
            self.draw_references(&mut scene, &panel);
            top = self.draw_panel(&mut scene, &panel, per_row);
        }
        if !self.titles.x.is_empty() {
            let words =
                label::shorten_to_fit(&self.titles.x, width - 2.0 * EDGE, SMALL, Weight::Regular);
            scene.add(Mark::text(
                ((left + width) / 2.0, top + 8.0),
                words,
                SMALL,
                Anchor::Middle,
                Ink::Soft,
            ));
            top += 14.0;
        }
        scene.height = top + 2.0;
        scene
    }

    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups
            .iter()
            .flat_map(|group| group.bars.iter().flatten())
    }

    /// As many digits as tell the bars apart: two where they are long, more where all are short.
    fn digits(&self) -> NumberFormat {
        let values: Vec<f64> = self.bars().map(|bar| bar.value).collect();
        match values
            .iter()
            .fold(0.0_f64, |largest, value| largest.max(value.abs()))
        {
            size if size >= 100.0 => NumberFormat::Fixed(0),
            size if size >= 10.0 => NumberFormat::Fixed(1),
            size if size >= 0.1 => NumberFormat::Fixed(2),
            _ => NumberFormat::alike(&values),
        }
    }

    fn y_axis(&self) -> PlotAxis {
        let values = self.bars().flat_map(|bar| {
            [
                Some(bar.value),
                bar.interval.map(|i| i.0),
                bar.interval.map(|i| i.1),
            ]
        });
        let lines = self.references.iter().filter_map(ReferenceLine::level_y);
        let mut axis = PlotAxis::round(values.flatten().chain(lines).chain([0.0]), self.ends, 5);
        // Room for the number above the longest bar.
        axis.values.1 += (axis.values.1 - axis.values.0) * 0.07;
        axis
    }

    /// Under the bars, so that no number is struck through; its name stands at the right edge.
    fn draw_references(&self, scene: &mut Scene, panel: &BarPanel<'_>) {
        for line in &self.references {
            let Some(at) = line.level_y().map(|y| panel.y.place_within(y)) else {
                continue;
            };
            scene.add(line.line_mark(panel.plot, at));
            let words = Mark::text(
                (panel.plot.right + 6.0, at + 3.8),
                reference_name(line),
                SMALL,
                Anchor::Start,
                Ink::Elsewhere,
            );
            scene.add(words.saying(&line.name));
        }
    }

    /// A key of squares and names, in as many lines as it takes.
    fn draw_key(&self, scene: &mut Scene, top: f64) -> f64 {
        let mut x = EDGE;
        let mut y = top + 8.0;
        for series in &self.series {
            let room = scene.width - 2.0 * EDGE - 15.0;
            let words = label::shorten_to_fit(
                &tag_of(&series.name, series.origin),
                room,
                SMALL,
                Weight::Regular,
            );
            let wide = 15.0 + Weight::Regular.width(&words, SMALL);
            if x > EDGE && x + wide > scene.width - EDGE {
                (x, y) = (EDGE, y + 16.0);
            }
            let square = Bounds {
                left: x,
                top: y - 9.5,
                right: x + 11.0,
                bottom: y + 1.5,
            };
            scene.add(bar_mark(square, series).in_series(series.key));
            self.draw_sign(scene, (x + 5.5, y - 4.0), series);
            scene.add(
                Mark::text((x + 15.0, y), words, SMALL, Anchor::Start, Ink::Text)
                    .in_series(series.key)
                    .saying(&series.name),
            );
            x += wide + 16.0;
        }
        y + 6.0
    }

    fn draw_panel(&self, scene: &mut Scene, panel: &BarPanel<'_>, per_row: usize) -> f64 {
        let plot = panel.plot;
        let wide = plot.width() / per_row as f64;
        let bar = ((wide - 10.0) / self.series.len() as f64).min(34.0);
        let mut bottom = plot.bottom;
        for (i, group) in panel.groups.iter().enumerate() {
            let middle = plot.left + wide * (i as f64 + 0.5);
            let left = middle - bar * self.series.len() as f64 / 2.0;
            for (j, value) in group.bars.iter().enumerate() {
                self.draw_bar(
                    scene,
                    panel,
                    (left + bar * j as f64, bar),
                    j,
                    value.as_ref(),
                );
            }
            bottom = bottom.max(draw_name(
                scene,
                group,
                middle,
                plot.bottom + 14.0,
                wide - 6.0,
            ));
        }
        let zero = panel.y.place_within(0.0);
        scene.add(Mark::line(
            (plot.left, zero),
            (plot.right, zero),
            Stroke::solid(Ink::Rule, 1.0),
        ));
        bottom + 6.0
    }

    fn draw_bar(
        &self,
        scene: &mut Scene,
        panel: &BarPanel<'_>,
        (left, wide): (f64, f64),
        j: usize,
        bar: Option<&Bar>,
    ) {
        let y = &panel.y;
        let series = &self.series[j];
        let middle = left + wide / 2.0;
        let zero = y.place_within(0.0);
        let Some(bar) = bar else {
            let cross = Mark::text((middle, zero - 4.0), "–", SMALL, Anchor::Middle, Ink::Soft);
            scene.add(cross.in_series(series.key).saying("no value"));
            return;
        };
        let end = y.place_within(bar.value);
        let bounds = Bounds {
            left: left + 1.2,
            top: end.min(zero),
            right: left + wide - 1.2,
            bottom: end.max(zero),
        };
        scene.add(
            bar_mark(bounds, series)
                .in_series(series.key)
                .saying(&bar.tip),
        );
        if bounds.height() > 16.0 && self.series.len() > 1 {
            self.draw_sign(scene, (middle, zero - 8.0 * (zero - end).signum()), series);
        }
        let mut above = bounds.top;
        if let Some((low, high)) = bar.spread {
            let ends = (
                (middle, y.place_within(low)),
                (middle, y.place_within(high)),
            );
            let broad = Stroke::solid(Ink::Soft, 4.0);
            scene.add(
                Mark::line(ends.0, ends.1, broad)
                    .faint(0.5)
                    .in_series(series.key),
            );
            above = above.min(ends.1.1);
        }
        if let Some((low, high)) = bar.interval {
            let low = y.place_within(low);
            let high = y.place_within(high);
            let stroke = Stroke::solid(Ink::Text, 1.0);
            scene.add(Mark::line((middle, low), (middle, high), stroke).in_series(series.key));
            for at in [low, high] {
                scene.add(
                    Mark::line((middle - 2.5, at), (middle + 2.5, at), stroke)
                        .in_series(series.key),
                );
            }
            above = above.min(high);
        }
        let words = panel.digits.write(bar.value);
        if Weight::Regular.width(&words, NUMBER) <= wide - 1.0 {
            let number = Mark::text(
                (middle, above - 3.5),
                words,
                NUMBER,
                Anchor::Middle,
                Ink::Text,
            );
            if !self.references.is_empty() {
                // No line may strike a number through.
                scene.add(Mark::rect(number.bounds().grown(0.6), Ink::Paper).in_series(series.key));
            }
            scene.add(number.in_series(series.key));
        }
    }

    /// The marker of a series on its bars, for who cannot tell the colours.
    fn draw_sign(&self, scene: &mut Scene, at: (f64, f64), series: &BarSeries) {
        if series.origin == DataOrigin::Measured {
            scene.add(marker::paper_marker(at, series.style, 2.7).in_series(series.key));
        }
    }
}

/// What the line is called, beside it.
fn reference_name(line: &ReferenceLine) -> String {
    label::shorten_to_fit(
        &tag_of(&line.name, line.origin),
        120.0,
        SMALL,
        Weight::Regular,
    )
}

/// A bar that was measured is filled; one from elsewhere is a dotted outline.
fn bar_mark(bounds: Bounds, series: &BarSeries) -> Mark {
    match series.origin {
        DataOrigin::Measured => Mark::rect(bounds, Ink::Series(series.style)),
        DataOrigin::Elsewhere => Mark::rect(bounds, Ink::Paper).stroked(Stroke::dashed(
            Ink::Elsewhere,
            1.2,
            marker::ELSEWHERE,
        )),
    }
}

/// The name of a group in up to two lines, with its remark below; returns the y below it.
fn draw_name(scene: &mut Scene, group: &BarGroup, middle: f64, y: f64, room: f64) -> f64 {
    let mut y = y;
    for line in label::wrap_lines(&group.name, room, SMALL, Weight::Regular, 2) {
        scene.add(
            Mark::text((middle, y), line, SMALL, Anchor::Middle, Ink::Text).saying(&group.name),
        );
        y += 13.0;
    }
    if !group.remark.is_empty() {
        let words = label::shorten_to_fit(&group.remark, room, 9.5, Weight::Regular);
        scene.add(Mark::text(
            (middle, y),
            words,
            9.5,
            Anchor::Middle,
            Ink::Soft,
        ));
        y += 12.0;
    }
    y
}
