//! Learned beside true graphs: found, missed and false edges told apart by colour, dash and weight.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::TAU;

use crate::font::Weight;
use crate::frame::{self, BODY, EDGE, SMALL, Titles};
use crate::ink::Ink;
use crate::label;
use crate::scene::{Anchor, Mark, Scene, Stroke};

/// An edge, from and to, with the share of times it was chosen.
pub type ChosenEdge = ((u32, u32), f64);

/// One panel per learned graph, all over the same variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Graphs {
    pub titles: Titles,
    pub variables: Vec<String>,
    /// The true edges, from and to.
    pub truth: Vec<(u32, u32)>,
    /// What was learned, with the name of each: edges with the share of times they were chosen, 1
    /// where there was one time.
    pub learned: Vec<(String, Vec<ChosenEdge>)>,
}

/// Between two panels.
const GAP: f64 = 26.0;

/// An edge that was chosen less often than this is not drawn, unless it is true: one bootstrap in
/// twenty proves nothing.
const SELDOM: f64 = 0.1;

/// What became of an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Found,
    Missed,
    False,
}

impl Fate {
    fn stroke(self) -> Stroke {
        match self {
            Fate::Found => Stroke::solid(Ink::Series(0), 1.7),
            Fate::Missed => Stroke::dashed(Ink::Elsewhere, 1.3, &[2.0, 2.5]),
            Fate::False => Stroke::dashed(Ink::Series(1), 1.4, &[6.0, 3.0]),
        }
    }

    fn label(self) -> &'static str {
        match self {
            Fate::Found => "found",
            Fate::Missed => "missed",
            Fate::False => "not true",
        }
    }
}

/// The canvas of one panel.
#[derive(Clone, Copy)]
struct Ring {
    centre: (f64, f64),
    radius: f64,
    node: f64,
}

impl Graphs {
    /// Lays the figure out, this wide.
    pub fn draw(&self, width: f64) -> Scene {
        let name = format!(
            "{}: {} variables, {} true edges",
            self.titles.title,
            self.variables.len(),
            self.truth.len()
        );
        let (mut scene, top) = frame::titled(width, &self.titles, &name);
        let top = draw_key(&mut scene, top);
        let per_row = self.learned.len().clamp(1, 2);
        let wide = (width - 2.0 * EDGE - GAP * (per_row - 1) as f64) / per_row as f64;
        let ring = self.ring((0.0, 0.0), wide);
        let tall = 2.0 * (ring.radius + ring.node + 20.0);
        let mut bottom = top;
        for (i, (name, edges)) in self.learned.iter().enumerate() {
            let left = EDGE + (wide + GAP) * (i % per_row) as f64;
            let above = top + (tall + 26.0) * (i / per_row) as f64;
            let (hits, words) = self.score(edges);
            let head = label::shorten_to_fit(
                &format!("{name}: {words}"),
                wide - 8.0,
                BODY,
                Weight::Semibold,
            );
            scene.add(
                Mark::text((left, above + 12.0), head, BODY, Anchor::Start, Ink::Text)
                    .in_bold()
                    .saying(&hits),
            );
            let centre = (left + wide / 2.0, above + 20.0 + tall / 2.0);
            self.draw_ring(&mut scene, &Ring { centre, ..ring }, edges);
            bottom = bottom.max(above + 26.0 + tall);
        }
        scene.height = bottom + 4.0;
        scene
    }

    fn score(&self, edges: &[ChosenEdge]) -> (String, String) {
        let truth: BTreeSet<_> = self.truth.iter().collect();
        let learned: BTreeSet<_> = edges
            .iter()
            .filter(|(_, share)| *share >= 0.5)
            .map(|(edge, _)| edge)
            .collect();
        let found = truth.intersection(&learned).count();
        let missed = truth.len() - found;
        let wrong = learned.len() - found;
        let words = format!("{found} found, {missed} missed, {wrong} not true");
        (words.clone(), words)
    }

    /// As large as the names around it allow.
    fn ring(&self, centre: (f64, f64), wide: f64) -> Ring {
        let node = (60.0 / self.variables.len().max(1) as f64).clamp(3.0, 7.0);
        let room = |(i, name): (usize, &String)| {
            let cos = self.angle(i).cos().abs();
            let words = Weight::Regular.width(&self.short(name), SMALL);
            let beside = if cos > 0.3 {
                words + node + 8.0
            } else {
                words / 2.0
            };
            (wide / 2.0 - beside) / cos.max(0.05)
        };
        let radius = self
            .variables
            .iter()
            .enumerate()
            .map(room)
            .fold(150.0, f64::min)
            .max(40.0);
        Ring {
            centre,
            radius,
            node,
        }
    }

    fn short(&self, name: &str) -> String {
        label::shorten_to_fit(name, 76.0, SMALL, Weight::Regular)
    }

    fn draw_ring(&self, scene: &mut Scene, ring: &Ring, learned: &[ChosenEdge]) {
        let shares: BTreeMap<_, _> = learned.iter().copied().collect();
        let truth: BTreeSet<_> = self.truth.iter().copied().collect();
        let shown: BTreeSet<_> = learned
            .iter()
            .filter(|(_, share)| *share >= SELDOM)
            .map(|(edge, _)| *edge)
            .collect();
        for &edge in truth.union(&shown) {
            let share = shares.get(&edge).copied().unwrap_or(0.0);
            let fate = match (truth.contains(&edge), share >= 0.5) {
                (true, true) => Fate::Found,
                (true, false) => Fate::Missed,
                (false, _) => Fate::False,
            };
            self.draw_edge(scene, ring, edge, fate, share);
        }
        let mut taken: Vec<crate::scene::Bounds> = Vec::new();
        for (i, name) in self.variables.iter().enumerate() {
            let at = self.place(ring, i);
            let node =
                Mark::circle(at, ring.node, Ink::Paper).stroked(Stroke::solid(Ink::Text, 1.1));
            scene.add(node.saying(name));
            let (sin, cos) = self.angle(i).sin_cos();
            let anchor = if cos > 0.3 {
                Anchor::Start
            } else if cos < -0.3 {
                Anchor::End
            } else {
                Anchor::Middle
            };
            let off = ring.node + 5.0;
            let at = (
                at.0 + off * cos,
                at.1 + off * sin
                    + if anchor == Anchor::Middle {
                        5.0 * sin.signum() + 3.5
                    } else {
                        3.8
                    },
            );
            let mark = Mark::text(at, self.short(name), SMALL, anchor, Ink::Text).saying(name);
            if taken.iter().all(|other| !other.meets(&mark.bounds())) {
                taken.push(mark.bounds());
                scene.add(mark);
            }
        }
    }

    fn angle(&self, i: usize) -> f64 {
        TAU * i as f64 / self.variables.len().max(1) as f64 - TAU / 4.0
    }

    fn place(&self, ring: &Ring, i: usize) -> (f64, f64) {
        let (sin, cos) = self.angle(i).sin_cos();
        (
            ring.centre.0 + ring.radius * cos,
            ring.centre.1 + ring.radius * sin,
        )
    }

    /// An arrow that bends a little towards its right, so that both directions of a pair can be
    /// seen.
    fn draw_edge(
        &self,
        scene: &mut Scene,
        ring: &Ring,
        (from, to): (u32, u32),
        fate: Fate,
        share: f64,
    ) {
        let name = |i: u32| self.variables.get(i as usize).map_or("?", String::as_str);
        let often = match share > 0.0 && share < 1.0 {
            true => format!(", chosen {:.0} % of times", 100.0 * share),
            false => String::new(),
        };
        let tip = format!("{} → {}: {}{often}", name(from), name(to), fate.label());
        let a = self.place(ring, from as usize);
        let b = self.place(ring, to as usize);
        let mut stroke = fate.stroke();
        if share > 0.0 && share < 1.0 {
            stroke.width *= 0.35 + 0.65 * share;
        }
        if from == to {
            let (sin, cos) = self.angle(from as usize).sin_cos();
            let inner = (a.0 - cos * (ring.node + 8.0), a.1 - sin * (ring.node + 8.0));
            let mut circle = Mark::circle(inner, 8.0, Ink::Paper).stroked(stroke);
            circle.fill = None;
            scene.add(circle.saying(&tip));
            return;
        }
        let dx = b.0 - a.0;
        let dy = b.1 - a.1;
        let long = dx.hypot(dy).max(1e-9);
        let bend = (
            a.0 + dx / 2.0 - dy / long * long * 0.10,
            a.1 + dy / 2.0 + dx / long * long * 0.10,
        );
        let along = |t: f64| {
            let mix = |p: f64, q: f64, r: f64| {
                (1.0 - t).powi(2) * p + 2.0 * t * (1.0 - t) * q + t * t * r
            };
            (mix(a.0, bend.0, b.0), mix(a.1, bend.1, b.1))
        };
        let trim = ((ring.node + 1.5) / long).min(0.4);
        let steps = 14;
        let at = |i: i32| along(trim + (1.0 - 2.0 * trim) * f64::from(i) / f64::from(steps));
        scene.add(Mark::path((0..=steps).map(at).collect(), stroke).saying(&tip));
        let end = at(steps);
        let before = at(steps - 2);
        scene.add(arrow_head(before, end, stroke.ink).saying(&tip));
    }
}

fn arrow_head(from: (f64, f64), to: (f64, f64), ink: Ink) -> Mark {
    let dx = to.0 - from.0;
    let dy = to.1 - from.1;
    let long = dx.hypot(dy).max(1e-9);
    let ux = dx / long;
    let uy = dy / long;
    let back = (to.0 - 7.5 * ux, to.1 - 7.5 * uy);
    Mark::area(
        vec![
            to,
            (back.0 - 3.2 * uy, back.1 + 3.2 * ux),
            (back.0 + 3.2 * uy, back.1 - 3.2 * ux),
        ],
        ink,
    )
}

fn draw_key(scene: &mut Scene, top: f64) -> f64 {
    let mut x = EDGE;
    for fate in [Fate::Found, Fate::Missed, Fate::False] {
        scene.add(Mark::line(
            (x, top + 4.0),
            (x + 26.0, top + 4.0),
            fate.stroke(),
        ));
        scene.add(Mark::text(
            (x + 32.0, top + 8.0),
            fate.label(),
            SMALL,
            Anchor::Start,
            Ink::Text,
        ));
        x += 46.0 + Weight::Regular.width(fate.label(), SMALL);
    }
    top + 18.0
}
