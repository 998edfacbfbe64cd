//! The frame of a plot: titles above, ticks and grid lines around the area where values are drawn.

use crate::axis::PlotAxis;
use crate::font::Weight;
use crate::ink::Ink;
use crate::label;
use crate::scene::{Anchor, Bounds, Mark, Scene, Stroke};

/// The words around a figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Titles {
    pub title: String,
    /// How to read it: n, intervals, convention.
    pub remark: String,
    /// What x is, with its unit.
    pub x: String,
    /// What y is, with its unit and which way is better.
    pub y: String,
}

pub(crate) const TITLE: f64 = 14.0;
pub(crate) const BODY: f64 = 12.0;
pub(crate) const SMALL: f64 = 11.0;
/// Between the edge of the canvas and anything on it.
pub(crate) const EDGE: f64 = 6.0;
const LINE: f64 = 15.0;

/// A canvas with its titles on it; what follows is drawn below `top`.
pub(crate) fn titled(width: f64, titles: &Titles, name: &str) -> (Scene, f64) {
    let mut scene = Scene::new(width, 0.0, name);
    let room = width - 2.0 * EDGE;
    let mut y = EDGE;
    if !titles.title.is_empty() {
        for line in label::wrap_lines(&titles.title, room, TITLE, Weight::Semibold, 2) {
            y += 15.0;
            scene.add(Mark::text((EDGE, y), line, TITLE, Anchor::Start, Ink::Text).in_bold());
            y += 3.0;
        }
    }
    if !titles.remark.is_empty() {
        for line in label::wrap_lines(&titles.remark, room, SMALL, Weight::Regular, 3) {
            y += 13.0;
            scene.add(Mark::text((EDGE, y), line, SMALL, Anchor::Start, Ink::Soft));
            y += 1.5;
        }
    }
    (scene, if y > EDGE { y + 10.0 } else { y })
}

/// The room that the words of ticks on the left need.
pub(crate) fn tick_room(axis: &PlotAxis) -> f64 {
    axis.ticks
        .iter()
        .map(|tick| Weight::Regular.width(&tick.1, SMALL))
        .fold(0.0, f64::max)
        + 8.0
}

/// The y axis: its title above, a grid line and a word per tick.
pub(crate) fn draw_y(scene: &mut Scene, plot: Bounds, axis: &PlotAxis, title: &str) {
    if !title.is_empty() {
        let words = label::shorten_to_fit(title, scene.width - 2.0 * EDGE, SMALL, Weight::Regular);
        scene.add(Mark::text(
            (EDGE, plot.top - 9.0),
            words,
            SMALL,
            Anchor::Start,
            Ink::Soft,
        ));
    }
    for (value, words) in &axis.ticks {
        let y = axis.place(*value);
        scene.add(Mark::line(
            (plot.left, y),
            (plot.right, y),
            Stroke::solid(Ink::Grid, 0.8),
        ));
        scene.add(Mark::text(
            (plot.left - 6.0, y + 3.8),
            words.clone(),
            SMALL,
            Anchor::End,
            Ink::Soft,
        ));
    }
}

/// The x axis: a rule, a tick per value, words where they fit, and its title below. Returns the y
/// below all of it.
pub(crate) fn draw_x(scene: &mut Scene, plot: Bounds, axis: &PlotAxis, title: &str) -> f64 {
    let rule = Stroke::solid(Ink::Rule, 1.0);
    scene.add(Mark::line(
        (plot.left, plot.bottom),
        (plot.right, plot.bottom),
        rule,
    ));
    let shown = fitting(axis, scene.width);
    for (i, (value, words)) in axis.ticks.iter().enumerate() {
        let x = axis.place(*value);
        scene.add(Mark::line((x, plot.bottom), (x, plot.bottom + 4.0), rule));
        if shown[i] {
            let x = within(x, words, scene.width);
            scene.add(Mark::text(
                (x, plot.bottom + LINE),
                words.clone(),
                SMALL,
                Anchor::Middle,
                Ink::Soft,
            ));
        }
    }
    if title.is_empty() {
        return plot.bottom + LINE + 6.0;
    }
    let words = label::shorten_to_fit(title, scene.width - 2.0 * EDGE, SMALL, Weight::Regular);
    let middle = within((plot.left + plot.right) / 2.0, &words, scene.width);
    let y = plot.bottom + 2.0 * LINE + 3.0;
    scene.add(Mark::text(
        (middle, y),
        words,
        SMALL,
        Anchor::Middle,
        Ink::Soft,
    ));
    y + 8.0
}

/// Says that there is nothing to show, rather than leaving a blank.
pub(crate) fn draw_nothing(scene: &mut Scene, plot: Bounds) {
    let middle = (
        (plot.left + plot.right) / 2.0,
        (plot.top + plot.bottom) / 2.0 - 9.0,
    );
    scene.add(Mark::text(
        middle,
        "no values",
        BODY,
        Anchor::Middle,
        Ink::Soft,
    ));
}

/// The middle of words that stay on the canvas.
pub(crate) fn within(x: f64, words: &str, width: f64) -> f64 {
    let half = Weight::Regular.width(words, SMALL) / 2.0 + 1.0;
    x.clamp(half.min(width / 2.0), (width - half).max(width / 2.0))
}

/// Which ticks have room for their words: the first, the last, and those between that touch no
/// other.
fn fitting(axis: &PlotAxis, width: f64) -> Vec<bool> {
    let around = |i: usize| {
        let (value, words) = &axis.ticks[i];
        let x = within(axis.place(*value), words, width);
        let half = Weight::Regular.width(words, SMALL) / 2.0;
        (x - half, x + half)
    };
    let mut shown = vec![false; axis.ticks.len()];
    let Some(last) = axis.ticks.len().checked_sub(1) else {
        return shown;
    };
    let mut order: Vec<usize> = vec![0, last];
    order.extend(1..last);
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for i in order {
        let (left, right) = around(i);
        let free = taken
            .iter()
            .all(|&(from, to)| right + 5.0 <= from || to + 5.0 <= left);
        if free && !shown[i] {
            shown[i] = true;
            taken.push((left, right));
        }
    }
    shown
}
