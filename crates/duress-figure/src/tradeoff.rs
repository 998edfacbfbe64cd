//! Clean against robust: every seed a point, the mean with two-way error bars, the Pareto front and
//! the line where both are equal.

use crate::axis::PlotAxis;
use crate::curve::DataOrigin;
use crate::font::Weight;
use crate::frame::{self, BODY, EDGE, SMALL, Titles};
use crate::ink::Ink;
use crate::label;
use crate::marker;
use crate::scene::{Anchor, Bounds, Mark, Scene, Stroke};
use crate::tag::tag_of;

/// A scatter of two gauges that should both be good.
#[derive(Clone, Debug, PartialEq)]
pub struct Tradeoff {
    pub titles: Titles,
    /// Whether higher is better, on x and on y.
    pub higher: (bool, bool),
    /// The natural ends of both axes, where they have such.
    pub ends: (Option<f64>, Option<f64>),
    /// What is said of the line on which both are equal.
    pub equal: String,
    pub subjects: Vec<TradeoffSubject>,
}

/// From low to high.
pub type AxisInterval = (f64, f64);

#[derive(Clone, Debug, PartialEq)]
pub struct TradeoffSubject {
    pub name: String,
    /// What a page calls it when it hides or shows it.
    pub key: usize,
    /// Its colour; `None` is background.
    pub style: Option<usize>,
    /// Whether it was measured.
    pub origin: DataOrigin,
    pub mean: (f64, f64),
    /// The interval on x and on y.
    pub intervals: (Option<AxisInterval>, Option<AxisInterval>),
    /// One point for each seed.
    pub seeds: Vec<(f64, f64)>,
    /// The mean in words, for the key.
    pub words: String,
    /// What to say when pointed at.
    pub tip: String,
}

/// How wide the key at the right is.
const KEY: f64 = 205.0;
/// Below this width there is no room for a key beside the plot.
const NARROW: f64 = 480.0;
/// The height of an entry of the key, and of one of a single line.
const ENTRY: f64 = 33.0;
const LINE: f64 = 20.0;

impl Tradeoff {
    /// Lays the figure out, this wide, with a key beside the plot where there is room, else below.
    pub fn draw(&self, width: f64) -> Scene {
        let name = format!(
            "{}: {} against {}",
            self.titles.title, self.titles.y, self.titles.x
        );
        let (mut scene, top) = frame::titled(width, &self.titles, &name);
        let top = top + 18.0;
        let axis = self.axis();
        let left = EDGE + frame::tick_room(&axis).max(24.0);
        let beside = width >= NARROW;
        // Both axes are the same, so that the diagonal means what it says.
        let side = (width - EDGE - left - if beside { KEY + 16.0 } else { 10.0 }).min(430.0);
        let plot = Bounds {
            left,
            top,
            right: left + side,
            bottom: top + side,
        };
        let x = axis.clone().between(plot.left, plot.right);
        let y = axis.between(plot.bottom, plot.top);
        frame::draw_y(&mut scene, plot, &y, &self.titles.y);
        let titles_x = self.draw_x(&mut scene, plot, &x);
        if self.subjects.is_empty() {
            frame::draw_nothing(&mut scene, plot);
        }
        let from = x.values.0;
        let to = x.values.1;
        let line = Mark::line(
            (x.place(from), y.place(from)),
            (x.place(to), y.place(to)),
            equal_stroke(),
        );
        scene.add(line.saying(&self.equal));
        let front = self.draw_front(&mut scene, &x, &y);
        for subject in &self.subjects {
            subject.draw(&mut scene, &x, &y);
        }
        let at = if beside {
            (plot.right + 16.0, plot.top)
        } else {
            (EDGE, titles_x + 4.0)
        };
        scene.height = titles_x.max(self.draw_key(&mut scene, at, front));
        scene
    }

    /// The x axis with its title below the plot, not below the key.
    fn draw_x(&self, scene: &mut Scene, plot: Bounds, x: &PlotAxis) -> f64 {
        let bottom = frame::draw_x(scene, plot, x, "") + 10.0;
        let words = label::shorten_to_fit(&self.titles.x, plot.width(), SMALL, Weight::Regular);
        let middle = f64::midpoint(plot.left, plot.right);
        scene.add(Mark::text(
            (middle, bottom),
            words,
            SMALL,
            Anchor::Middle,
            Ink::Soft,
        ));
        bottom + 8.0
    }

    /// Who is who, with the means, and what the lines are; returns the y below.
    fn draw_key(&self, scene: &mut Scene, (left, top): (f64, f64), front: bool) -> f64 {
        let room = (scene.width - EDGE - left - 20.0).max(40.0);
        let mut y = top + 10.0;
        for subject in self
            .subjects
            .iter()
            .filter(|subject| subject.style.is_some())
        {
            scene.add(subject.marker((left + 8.0, y - 4.0)).in_series(subject.key));
            let name = label::shorten_to_fit(&subject.name, room, BODY, Weight::Regular);
            let name = Mark::text(
                (left + 20.0, y),
                name,
                BODY,
                Anchor::Start,
                subject.label_ink(),
            );
            scene.add(name.in_series(subject.key).saying(&subject.name));
            let words = label::shorten_to_fit(
                &tag_of(&subject.words, subject.origin),
                room,
                SMALL,
                Weight::Regular,
            );
            scene.add(key_text(left, y + 14.0, words).in_series(subject.key));
            y += ENTRY;
        }
        let crowd = self
            .subjects
            .iter()
            .filter(|subject| subject.style.is_none())
            .count();
        if crowd > 0 {
            scene.add(Mark::circle((left + 8.0, y - 4.0), 2.6, Ink::Crowd));
            scene.add(key_text(left, y, format!("{crowd} others")));
            y += LINE;
        }
        let lines = [
            (front, front_stroke(), "Pareto front"),
            (true, equal_stroke(), self.equal.as_str()),
        ];
        for (_, stroke, words) in lines.into_iter().filter(|(drawn, ..)| *drawn) {
            scene.add(Mark::line((left, y - 4.0), (left + 16.0, y - 4.0), stroke));
            let words = label::shorten_to_fit(words, room, SMALL, Weight::Regular);
            scene.add(key_text(left, y, words));
            y += LINE;
        }
        y
    }

    fn axis(&self) -> PlotAxis {
        let both = |point: (f64, f64)| [point.0, point.1];
        let values = self.subjects.iter().flat_map(|subject| {
            let ends = [subject.intervals.0, subject.intervals.1]
                .into_iter()
                .flatten()
                .flat_map(both);
            subject
                .seeds
                .iter()
                .copied()
                .chain([subject.mean])
                .flat_map(both)
                .chain(ends)
        });
        PlotAxis::round(values, self.ends, 5)
    }

    /// Those that no other measured subject beats on both axes, joined; whether there are several.
    fn draw_front(&self, scene: &mut Scene, x: &PlotAxis, y: &PlotAxis) -> bool {
        let sign = |higher: bool| if higher { 1.0 } else { -1.0 };
        let worth = |s: &TradeoffSubject| {
            (
                s.mean.0 * sign(self.higher.0),
                s.mean.1 * sign(self.higher.1),
            )
        };
        let measured: Vec<&TradeoffSubject> = self
            .subjects
            .iter()
            .filter(|s| s.origin == DataOrigin::Measured)
            .collect();
        let beaten = |s: &TradeoffSubject| {
            let (a, b) = worth(s);
            measured.iter().any(|other| {
                let (c, d) = worth(other);
                c >= a && d >= b && (c > a || d > b)
            })
        };
        let mut front: Vec<(f64, f64)> = measured
            .iter()
            .filter(|s| !beaten(s))
            .map(|s| s.mean)
            .collect();
        front.sort_by(|a, b| a.0.total_cmp(&b.0));
        if front.len() > 1 {
            let points = front.iter().map(|p| (x.place(p.0), y.place(p.1))).collect();
            scene.add(Mark::path(points, front_stroke()).saying("Pareto front"));
        }
        front.len() > 1
    }
}

fn front_stroke() -> Stroke {
    Stroke::solid(Ink::Crowd, 1.8)
}

fn equal_stroke() -> Stroke {
    Stroke::dashed(Ink::Soft, 1.0, &[4.0, 3.0])
}

impl TradeoffSubject {
    fn mark_ink(&self) -> Ink {
        match (self.style, self.origin) {
            (_, DataOrigin::Elsewhere) => Ink::Elsewhere,
            (Some(style), _) => Ink::Series(style),
            (None, _) => Ink::Crowd,
        }
    }

    fn label_ink(&self) -> Ink {
        match (self.style, self.origin) {
            (Some(style), DataOrigin::Measured) => Ink::Word(style),
            _ => Ink::Elsewhere,
        }
    }

    fn marker(&self, at: (f64, f64)) -> Mark {
        match (self.style, self.origin) {
            (_, DataOrigin::Elsewhere) => marker::elsewhere(at, 4.6),
            (Some(style), _) => marker::marker(at, style, 4.8),
            (None, _) => Mark::circle(at, 2.6, self.mark_ink()),
        }
    }

    /// Seeds small and in the shape of the mean; intervals as far as the axes go, with an end only
    /// where it is theirs.
    fn draw(&self, scene: &mut Scene, x: &PlotAxis, y: &PlotAxis) {
        let at = (x.place(self.mean.0), y.place(self.mean.1));
        for seed in &self.seeds {
            let place = (x.place_within(seed.0), y.place_within(seed.1));
            let dot = match self.style {
                Some(style) => marker::marker(place, style, 2.6),
                None => Mark::circle(place, 1.8, self.mark_ink()),
            };
            scene.add(dot.faint(0.6).in_series(self.key).saying(&self.tip));
        }
        let dash: &'static [f64] = if self.origin == DataOrigin::Elsewhere {
            marker::ELSEWHERE
        } else {
            &[]
        };
        let stroke = Stroke::dashed(self.mark_ink(), 1.2, dash);
        if let Some(interval) = self.intervals.0 {
            let level = |place: f64, off: f64| (place, at.1 + off);
            self.draw_interval(scene, x, interval, stroke, level);
        }
        if let Some(interval) = self.intervals.1 {
            let upright = |place: f64, off: f64| (at.0 + off, place);
            self.draw_interval(scene, y, interval, stroke, upright);
        }
        scene.add(self.marker(at).in_series(self.key).saying(&self.tip));
    }

    /// `point` turns a place along the axis, and how far off the line, into a point.
    fn draw_interval(
        &self,
        scene: &mut Scene,
        axis: &PlotAxis,
        (low, high): (f64, f64),
        stroke: Stroke,
        point: impl Fn(f64, f64) -> (f64, f64),
    ) {
        let from = point(axis.place_within(low), 0.0);
        let to = point(axis.place_within(high), 0.0);
        scene.add(Mark::line(from, to, stroke).in_series(self.key));
        let cap = Stroke::solid(self.mark_ink(), 1.2);
        for end in [low, high] {
            if axis.holds(end) {
                let place = axis.place(end);
                let line = Mark::line(point(place, -3.0), point(place, 3.0), cap);
                scene.add(line.in_series(self.key));
            }
        }
    }
}

/// Small words in the key that begins at `left`, beside its markers.
fn key_text(left: f64, y: f64, words: String) -> Mark {
    Mark::text((left + 20.0, y), words, SMALL, Anchor::Start, Ink::Soft)
}
