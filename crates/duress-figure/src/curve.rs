//! Curves over severity: a line, markers and an interval band for each series, named where it ends.

use crate::axis::PlotAxis;
use crate::font::Weight;
use crate::frame::{self, EDGE, SMALL, Titles};
use crate::ink::Ink;
use crate::label;
use crate::marker;
use crate::reference::ReferenceLine;
use crate::scene::{Anchor, Bounds, Mark, Scene, Stroke};
use crate::tag::{self, Tag, tag_of};

/// Whether something was measured here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataOrigin {
    /// By this study.
    Measured,
    /// By somebody else, or by nobody: an expectation, a paper's number.
    Elsewhere,
}

/// One or more series over a numeric axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    pub titles: Titles,
    /// Where x has ticks, with their words; empty for round numbers.
    pub ticks: Vec<(f64, String)>,
    /// The natural ends of y, where it has such.
    pub ends: (Option<f64>, Option<f64>),
    pub series: Vec<CurveSeries>,
    /// Lines to compare with.
    pub references: Vec<ReferenceLine>,
    /// Values that y must reach as well, so that figures side by side share a scale.
    pub reach: Vec<f64>,
    /// Whether series are named where they end.
    pub tagged: bool,
}

/// One line of a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct CurveSeries {
    pub name: String,
    /// What a page calls it when it hides or shows it.
    pub key: usize,
    /// Its place among all series, which gives colour, dash and marker; `None` is background.
    pub style: Option<usize>,
    /// Whether it was measured.
    pub origin: DataOrigin,
    /// Whether points get markers.
    pub marked: bool,
    /// Whether the line is only there to compare with: thin and unnamed.
    pub thin: bool,
    pub points: Vec<Point>,
}

/// One point of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub x: f64,
    /// The value; `None` where it is undefined, which breaks the line.
    pub y: Option<f64>,
    pub interval: Option<(f64, f64)>,
    /// One standard deviation to either side: whiskers of their own within the band of intervals.
    pub spread: Option<(f64, f64)>,
    /// What to say when pointed at.
    pub tip: String,
}

impl Curves {
    /// Lays the figure out, this wide.
    pub fn draw(&self, width: f64) -> Scene {
        let (mut scene, top) = frame::titled(width, &self.titles, &self.spoken());
        let top = top + if self.titles.y.is_empty() { 2.0 } else { 18.0 };
        let room = (width * 0.3).clamp(60.0, 190.0);
        let tags = if self.tagged {
            self.tags(room)
        } else {
            Vec::new()
        };
        let tall = (width * 0.42)
            .clamp(120.0, 300.0)
            .max(tags.iter().map(Tag::height).sum());
        let y = self.y_axis().between(top + tall, top);
        let left = EDGE + frame::tick_room(&y).max(24.0);
        let widest = tags.iter().map(Tag::width).fold(0.0, f64::max);
        let right = width - EDGE - if widest > 0.0 { widest + 14.0 } else { 8.0 };
        let plot = Bounds {
            left,
            top,
            right,
            bottom: top + tall,
        };
        let x = self.x_axis().between(plot.left + 8.0, plot.right - 8.0);
        frame::draw_y(&mut scene, plot, &y, &self.titles.y);
        scene.height = frame::draw_x(&mut scene, plot, &x, &self.titles.x);
        for line in &self.references {
            let place = line
                .level_y()
                .map(|at| y.place_within(at))
                .or(line.upright_x().map(|at| x.place_within(at)));
            scene.add(line.line_mark(plot, place.unwrap_or(plot.left)));
        }
        self.draw_series(&mut scene, &x, &y);
        for reference in &self.references {
            self.draw_upright_name(&mut scene, reference, plot, &x, &y);
        }
        if self
            .series
            .iter()
            .flat_map(|series| &series.points)
            .all(|point| point.y.is_none())
        {
            frame::draw_nothing(&mut scene, plot);
        }
        tag::draw_tags(&mut scene, &tags, plot, (&x, &y));
        scene
    }

    fn spoken(&self) -> String {
        let names: Vec<&str> = self
            .series
            .iter()
            .filter(|s| s.style.is_some())
            .map(|s| s.name.as_str())
            .collect();
        let lines: Vec<&str> = self
            .references
            .iter()
            .map(|line| line.name.as_str())
            .collect();
        let beside = if lines.is_empty() {
            String::new()
        } else {
            format!(", beside {}", lines.join(", "))
        };
        let Titles { title, x, y, .. } = &self.titles;
        format!("{title}: {y} over {x}, for {}{beside}", names.join(", "))
    }

    /// Every value that y must hold.
    pub(crate) fn values(&self) -> Vec<f64> {
        let points = self.series.iter().flat_map(|series| &series.points);
        let values = points.flat_map(|point| {
            let ends = point.interval.filter(|_| point.y.is_some());
            [point.y, ends.map(|ends| ends.0), ends.map(|ends| ends.1)]
        });
        let lines = self.references.iter().map(ReferenceLine::level_y);
        values.chain(lines).flatten().collect()
    }

    fn y_axis(&self) -> PlotAxis {
        PlotAxis::round(
            self.values().into_iter().chain(self.reach.iter().copied()),
            self.ends,
            5,
        )
    }

    fn x_axis(&self) -> PlotAxis {
        if self.ticks.is_empty() {
            let xs = self
                .series
                .iter()
                .flat_map(|series| &series.points)
                .map(|point| point.x);
            PlotAxis::round(
                xs.chain(self.references.iter().filter_map(ReferenceLine::upright_x)),
                (None, None),
                6,
            )
        } else {
            PlotAxis::with_ticks(self.ticks.clone())
        }
    }

    /// Background first, so that nothing that is named is covered by it.
    fn draw_series(&self, scene: &mut Scene, x: &PlotAxis, y: &PlotAxis) {
        let (named, crowd): (Vec<_>, Vec<_>) = self
            .series
            .iter()
            .partition(|series| series.style.is_some());
        // Bands of many series lie on each other: the more, the fainter.
        let faint = 0.13 * (8.0 / named.len() as f64).min(1.0).powi(2);
        for series in crowd.iter().chain(&named) {
            series.draw_band(scene, x, y, faint);
        }
        for series in crowd.iter().chain(&named) {
            series.draw_line(scene, x, y);
        }
        for series in &named {
            series.draw_markers(scene, x, y);
        }
    }

    /// The names at the right edge: of series, of level lines, and of all that is background.
    fn tags(&self, room: f64) -> Vec<Tag> {
        let last = |series: &CurveSeries| series.points.iter().rev().find_map(|point| point.y);
        let named = self.series.iter().filter(|series| series.is_named());
        let named = named.filter_map(|series| {
            let tag = Tag::new(
                &series.name,
                series.origin,
                last(series)?,
                series.label_ink(),
                room,
            );
            let marked = series.marked && series.origin == DataOrigin::Measured;
            Some(tag.in_series(series.key, series.style.filter(|_| marked)))
        });
        let levels = self.references.iter().filter(|line| !line.name.is_empty());
        let levels = levels.filter_map(|line| {
            Some(Tag::new(
                &line.name,
                line.origin,
                line.level_y()?,
                Ink::Elsewhere,
                room,
            ))
        });
        let crowd: Vec<f64> = self
            .series
            .iter()
            .filter(|series| series.style.is_none())
            .filter_map(last)
            .collect();
        let middle = crowd.iter().sum::<f64>() / crowd.len().max(1) as f64;
        let others = format!(
            "{} others",
            self.series.iter().filter(|s| s.style.is_none()).count()
        );
        let others = (!crowd.is_empty())
            .then(|| Tag::new(&others, DataOrigin::Measured, middle, Ink::Soft, room));
        named.chain(levels).chain(others).collect()
    }

    /// The name of an upright line: beside it, at whichever end fewer points are covered.
    fn draw_upright_name(
        &self,
        scene: &mut Scene,
        line: &ReferenceLine,
        plot: Bounds,
        x: &PlotAxis,
        y: &PlotAxis,
    ) {
        let (Some(at), false) = (line.upright_x(), line.name.is_empty()) else {
            return;
        };
        let at = x.place_within(at);
        let room = (at - plot.left).max(plot.right - at) - 10.0;
        let words = label::shorten_to_fit(
            &tag_of(&line.name, line.origin),
            room,
            SMALL,
            Weight::Regular,
        );
        let points: Vec<(f64, f64)> = self
            .series
            .iter()
            .flat_map(|series| series.trace(x, y))
            .collect();
        let fits =
            |mark: &Mark| mark.bounds().left >= plot.left && mark.bounds().right <= plot.right;
        let covers = |mark: &Mark| {
            let around = mark.bounds().grown(3.0);
            points
                .iter()
                .filter(|point| around.meets(&Bounds::around(&[**point]).grown(0.5)))
                .count()
        };
        let sides = [(at - 5.0, Anchor::End), (at + 5.0, Anchor::Start)];
        let ends = [plot.bottom - 8.0, plot.top + 13.0];
        let places = ends
            .into_iter()
            .flat_map(|end| sides.map(|(side, anchor)| ((side, end), anchor)));
        let marks =
            places.map(|(at, anchor)| Mark::text(at, words.clone(), SMALL, anchor, Ink::Elsewhere));
        if let Some(mark) = marks.filter(fits).min_by_key(covers) {
            scene.add(mark.saying(&line.name));
        }
    }
}

impl CurveSeries {
    fn is_named(&self) -> bool {
        self.style.is_some() && !self.thin && !self.name.is_empty()
    }

    fn label_ink(&self) -> Ink {
        match (self.origin, self.style) {
            (DataOrigin::Measured, Some(style)) => Ink::Word(style),
            _ => Ink::Elsewhere,
        }
    }

    /// Places on its line, a few pixels apart.
    fn trace(&self, x: &PlotAxis, y: &PlotAxis) -> Vec<(f64, f64)> {
        let place = |point: &Point| Some((x.place(point.x), y.place_within(point.y?)));
        let steps = self
            .points
            .windows(2)
            .filter_map(|pair| Some((place(&pair[0])?, place(&pair[1])?)));
        let between = |(from, to): ((f64, f64), (f64, f64))| {
            let count = ((to.0 - from.0).hypot(to.1 - from.1) / 4.0).ceil().max(1.0);
            let at = move |share: f64| {
                (
                    from.0 + (to.0 - from.0) * share,
                    from.1 + (to.1 - from.1) * share,
                )
            };
            (0..=count as u32).map(move |i| at(f64::from(i) / count))
        };
        steps.flat_map(between).collect()
    }

    /// Points without a gap between them.
    fn unbroken_runs(&self) -> impl Iterator<Item = &[Point]> {
        self.points
            .split(|point| point.y.is_none())
            .filter(|run| !run.is_empty())
    }

    fn draw_band(&self, scene: &mut Scene, x: &PlotAxis, y: &PlotAxis, faint: f64) {
        if self.origin == DataOrigin::Elsewhere {
            self.points
                .split(|point| point.y.is_none())
                .for_each(|run| self.draw_whiskers(scene, run, x, y));
        }
        let (Some(style), DataOrigin::Measured) = (self.style, self.origin) else {
            return;
        };
        for run in self
            .unbroken_runs()
            .flat_map(|run| run.split(|point| point.interval.is_none()))
        {
            let edge = |pick: fn((f64, f64)) -> f64| {
                run.iter().filter_map(move |point| {
                    point
                        .interval
                        .map(|ends| (x.place(point.x), y.place_within(pick(ends))))
                })
            };
            if run.len() > 1 {
                let upper = edge(|ends| ends.1);
                let lower: Vec<_> = edge(|ends| ends.0).collect();
                let points = upper.chain(lower.into_iter().rev()).collect();
                scene.add(
                    Mark::area(points, Ink::Series(style))
                        .faint(faint)
                        .in_series(self.key),
                );
            }
            if self.marked {
                self.draw_whiskers(scene, run, x, y);
            }
        }
    }

    fn draw_whiskers(&self, scene: &mut Scene, run: &[Point], x: &PlotAxis, y: &PlotAxis) {
        let stroke = match (self.origin, self.style) {
            (DataOrigin::Elsewhere, _) => Stroke::dashed(Ink::Elsewhere, 1.3, marker::ELSEWHERE),
            (_, Some(style)) => Stroke::solid(Ink::Series(style), 0.9),
            (_, None) => return,
        };
        for point in run {
            let Some((low, high)) = point.spread.or(point.interval) else {
                continue;
            };
            let at = x.place(point.x);
            let (low, high) = (y.place_within(low), y.place_within(high));
            let mut lines = vec![((at, low), (at, high))];
            if point.spread.is_some() {
                lines.extend([low, high].map(|end| ((at - 2.5, end), (at + 2.5, end))));
            }
            for (from, to) in lines {
                scene.add(Mark::line(from, to, stroke).faint(0.6).in_series(self.key));
            }
        }
    }

    fn draw_line(&self, scene: &mut Scene, x: &PlotAxis, y: &PlotAxis) {
        let stroke = match (self.origin, self.style) {
            (DataOrigin::Elsewhere, _) => Stroke::dashed(Ink::Elsewhere, 1.5, marker::ELSEWHERE),
            (_, Some(style)) if self.thin => marker::stroke(style, 0.8),
            (_, Some(style)) => marker::stroke(style, 1.8),
            (_, None) => Stroke::solid(Ink::Crowd, 0.8),
        };
        for run in self.unbroken_runs().filter(|run| run.len() > 1) {
            let points = run.iter().filter_map(|point| {
                point
                    .y
                    .map(|value| (x.place(point.x), y.place_within(value)))
            });
            let mark = Mark::path(points.collect(), stroke);
            scene.add(match self.style {
                Some(_) => mark.in_series(self.key),
                None => mark.faint(0.7).in_series(self.key).saying(&self.name),
            });
        }
    }

    fn draw_markers(&self, scene: &mut Scene, x: &PlotAxis, y: &PlotAxis) {
        let Some(style) = self.style else { return };
        for point in &self.points {
            let Some(value) = point.y else { continue };
            let at = (x.place(point.x), y.place_within(value));
            let mark = match (self.marked, self.origin) {
                (true, DataOrigin::Measured) => marker::marker(at, style, 3.6),
                (true, DataOrigin::Elsewhere) => marker::elsewhere(at, 3.6),
                (false, _) if point.tip.is_empty() => continue,
                // Nothing to see, but something to point at.
                (false, _) => Mark::circle(at, 4.0, Ink::Series(style)).faint(0.0),
            };
            scene.add(mark.in_series(self.key).saying(&point.tip));
        }
    }
}
