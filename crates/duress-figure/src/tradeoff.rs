//! Clean against robust: every seed a point, the mean with two-way error bars, the Pareto front and the line where both are equal.

use crate::axis::Axis;
use crate::curve::{Origin, tag_of};
use crate::font::Weight;
use crate::frame::{self, BODY, EDGE, SMALL, Titles};
use crate::ink::Ink;
use crate::label;
use crate::marker;
use crate::scene::{Anchor, Bounds, Mark, Scene, Stroke};

/// A scatter of two gauges that should both be good.
#[derive(Clone, Debug, PartialEq)]
pub struct Tradeoff {
    /// The words around it.
    pub titles: Titles,
    /// Whether higher is better, on x and on y.
    pub higher: (bool, bool),
    /// The natural ends of both axes, where they have such.
    pub ends: (Option<f64>, Option<f64>),
    /// The subjects.
    pub subjects: Vec<Subject>,
}

/// From low to high.
pub type Interval = (f64, f64);

/// One subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// What a page calls it when it hides or shows it.
    pub key: usize,
    /// Its colour; `None` is background.
    pub style: Option<usize>,
    /// Whether it was measured.
    pub origin: Origin,
    /// The mean.
    pub mean: (f64, f64),
    /// The interval on x and on y.
    pub intervals: (Option<Interval>, Option<Interval>),
    /// One point for each seed.
    pub seeds: Vec<(f64, f64)>,
    /// What to say when pointed at.
    pub tip: String,
}

impl Tradeoff {
    /// Lays the figure out, this wide.
    pub fn draw(&self, width: f64) -> Scene {
        let name = format!("{}: {} against {}", self.titles.title, self.titles.y, self.titles.x);
        let (mut scene, top) = frame::titled(width, &self.titles, &name);
        let top = top + 18.0;
        let axis = self.axis();
        let left = EDGE + frame::tick_room(&axis).max(24.0);
        // Both axes are the same, so that the diagonal means what it says.
        let side = (width - EDGE - 10.0 - left).min(430.0);
        let plot = Bounds { left, top, right: left + side, bottom: top + side };
        let (x, y) = (axis.clone().between(plot.left, plot.right), axis.between(plot.bottom, plot.top));
        frame::draw_y(&mut scene, plot, &y, &self.titles.y);
        scene.height = frame::draw_x(&mut scene, plot, &x, &self.titles.x);
        if self.subjects.is_empty() {
            frame::draw_nothing(&mut scene, plot);
        }
        let mut taken: Vec<Bounds> =
            scene.marks.iter().filter_map(|m| m.words()).map(|t| t.bounds()).collect();
        self.draw_diagonal(&mut scene, &x, &y, &mut taken);
        self.draw_front(&mut scene, &x, &y);
        for subject in &self.subjects {
            subject.draw(&mut scene, &x, &y);
            let place = |point: &(f64, f64)| (x.place(point.0), y.place(point.1));
            taken.push(Bounds::around(&[place(&subject.mean)]).grown(6.0));
            taken.extend(subject.seeds.iter().map(|seed| Bounds::around(&[place(seed)]).grown(2.5)));
        }
        for subject in self.subjects.iter().filter(|subject| subject.style.is_some()) {
            subject.draw_name(&mut scene, plot, &x, &y, &mut taken);
        }
        scene
    }

    fn axis(&self) -> Axis {
        let both = |point: (f64, f64)| [point.0, point.1];
        let values = self.subjects.iter().flat_map(|subject| {
            let ends = [subject.intervals.0, subject.intervals.1].into_iter().flatten().flat_map(both);
            subject.seeds.iter().copied().chain([subject.mean]).flat_map(both).chain(ends)
        });
        Axis::round(values, self.ends, 5)
    }

    /// The line on which stress takes nothing, as far as both axes go.
    fn draw_diagonal(&self, scene: &mut Scene, x: &Axis, y: &Axis, taken: &mut Vec<Bounds>) {
        let (low, high) = x.values;
        let (from, to) = ((x.place(low), y.place(low)), (x.place(high), y.place(high)));
        scene.add(Mark::line(from, to, Stroke::dashed(Ink::Soft, 1.0, &[4.0, 3.0])));
        let words = "clean = pressed";
        let wide = Weight::Regular.width(words, SMALL);
        for share in [0.92, 0.8, 0.6, 0.4] {
            let at = (from.0 + (to.0 - from.0) * share - 8.0, from.1 + (to.1 - from.1) * share - 4.0);
            let mark = Mark::text(at, words, SMALL, Anchor::End, Ink::Soft);
            if at.0 - wide > x.places.0
                && at.1 > y.places.1 + 14.0
                && taken.iter().all(|other| !other.meets(&mark.bounds()))
            {
                taken.push(mark.bounds());
                scene.add(mark);
                return;
            }
        }
    }

    /// Those that no other measured subject beats on both axes, joined.
    fn draw_front(&self, scene: &mut Scene, x: &Axis, y: &Axis) {
        let sign = |higher: bool| if higher { 1.0 } else { -1.0 };
        let worth = |s: &Subject| (s.mean.0 * sign(self.higher.0), s.mean.1 * sign(self.higher.1));
        let measured: Vec<&Subject> = self.subjects.iter().filter(|s| s.origin == Origin::Measured).collect();
        let beaten = |s: &Subject| {
            let (a, b) = worth(s);
            measured.iter().any(|other| {
                let (c, d) = worth(other);
                c >= a && d >= b && (c > a || d > b)
            })
        };
        let mut front: Vec<(f64, f64)> = measured.iter().filter(|s| !beaten(s)).map(|s| s.mean).collect();
        front.sort_by(|a, b| a.0.total_cmp(&b.0));
        if front.len() > 1 {
            let points = front.iter().map(|p| (x.place(p.0), y.place(p.1))).collect();
            scene.add(Mark::path(points, Stroke::solid(Ink::Crowd, 1.6)).saying("Pareto front"));
        }
    }
}

impl Subject {
    fn draw(&self, scene: &mut Scene, x: &Axis, y: &Axis) {
        let at = (x.place(self.mean.0), y.place(self.mean.1));
        let ink = match (self.style, self.origin) {
            (_, Origin::Elsewhere) => Ink::Elsewhere,
            (Some(style), _) => Ink::Series(style),
            (None, _) => Ink::Crowd,
        };
        for seed in &self.seeds {
            let dot = Mark::circle((x.place(seed.0), y.place(seed.1)), 2.2, ink).faint(0.55);
            scene.add(dot.of(self.key).saying(&self.tip));
        }
        let dash: &'static [f64] = if self.origin == Origin::Elsewhere { marker::ELSEWHERE } else { &[] };
        let stroke = Stroke::dashed(ink, 1.2, dash);
        if let Some((low, high)) = self.intervals.0 {
            scene.add(Mark::line((x.place(low), at.1), (x.place(high), at.1), stroke).of(self.key));
        }
        if let Some((low, high)) = self.intervals.1 {
            scene.add(Mark::line((at.0, y.place(low)), (at.0, y.place(high)), stroke).of(self.key));
        }
        let mark = match (self.style, self.origin) {
            (_, Origin::Elsewhere) => marker::elsewhere(at, 4.6),
            (Some(style), _) => marker::marker(at, style, 4.8),
            (None, _) => Mark::circle(at, 2.6, ink),
        };
        scene.add(mark.of(self.key).saying(&self.tip));
    }

    /// The name at the first place around the point where it covers nothing; none where there is no such place.
    fn draw_name(&self, scene: &mut Scene, plot: Bounds, x: &Axis, y: &Axis, taken: &mut Vec<Bounds>) {
        let at = (x.place(self.mean.0), y.place(self.mean.1));
        let words = label::fit(&tag_of(&self.name, self.origin), 150.0, BODY, Weight::Regular);
        let ink = match (self.style, self.origin) {
            (Some(style), Origin::Measured) => Ink::Word(style),
            _ => Ink::Elsewhere,
        };
        let around = (1..=8).flat_map(|ring| {
            let far = 9.0 * f64::from(ring);
            [
                (far, -far, Anchor::Start),
                (-far, -far, Anchor::End),
                (far, far + 8.0, Anchor::Start),
                (-far, far + 8.0, Anchor::End),
                (far + 2.0, 4.0, Anchor::Start),
                (-far - 2.0, 4.0, Anchor::End),
            ]
        });
        for (dx, dy, anchor) in around {
            let mark = Mark::text((at.0 + dx, at.1 + dy), words.clone(), BODY, anchor, ink);
            let bounds = mark.bounds();
            let inside = bounds.left > plot.left
                && bounds.right < plot.right
                && bounds.top > plot.top
                && bounds.bottom < plot.bottom;
            if inside && taken.iter().all(|other| !other.meets(&bounds.grown(1.0))) {
                if dx.abs() > 14.0 {
                    let near = (at.0 + dx.signum() * (dx.abs() - 2.0), at.1 + dy - 4.0);
                    scene.add(Mark::line(at, near, Stroke::solid(ink, 0.6)).faint(0.6).of(self.key));
                }
                taken.push(bounds);
                scene.add(mark.of(self.key).saying(&self.name));
                return;
            }
        }
    }
}
