//! Names at the right edge of a figure, beside what they name.

use crate::axis::PlotAxis;
use crate::curve::DataOrigin;
use crate::font::Weight;
use crate::frame::BODY;
use crate::ink::Ink;
use crate::label;
use crate::marker;
use crate::scene::{Anchor, Bounds, Mark, Scene, Stroke};

/// A name, and what it would like to stand beside.
pub(crate) struct Tag {
    name: String,
    lines: Vec<String>,
    /// The y value of what it names.
    value: f64,
    ink: Ink,
    /// The series it names, if it is one.
    series: Option<usize>,
    /// The style of that series, whose marker stands before the name: colours come again.
    style: Option<usize>,
}

const ROW: f64 = 14.5;
/// Between the lines of one tag.
const LINE: f64 = 13.0;
/// What a marker before the name takes.
const MARKER_ROOM: f64 = 10.0;
const NOT_MEASURED: &str = "(not measured)";

/// A name, with a remark where it was not measured.
pub(crate) fn tag_of(name: &str, origin: DataOrigin) -> String {
    match origin {
        DataOrigin::Measured => name.to_owned(),
        DataOrigin::Elsewhere if name.is_empty() => String::new(),
        DataOrigin::Elsewhere => format!("{name} {NOT_MEASURED}"),
    }
}

/// Draws tags right of a plot, apart from each other.
pub(crate) fn draw_tags(
    scene: &mut Scene,
    tags: &[Tag],
    plot: Bounds,
    (x, y): (&PlotAxis, &PlotAxis),
) {
    let wishes: Vec<f64> = tags.iter().map(|tag| y.place_within(tag.value)).collect();
    let heights: Vec<f64> = tags.iter().map(Tag::height).collect();
    let places = label::spread(&wishes, &heights, plot.top + 3.0, plot.bottom - 3.0);
    for ((tag, wish), place) in tags.iter().zip(wishes).zip(places) {
        // A series ends where x does, a line where the plot does.
        let from = if tag.series.is_some() {
            x.places.1 + 5.0
        } else {
            plot.right
        };
        tag.draw(scene, (from, wish), (plot.right, place));
    }
}

impl Tag {
    /// A name in one line of at most this width, or in two where it is longer; that it was not
    /// measured is never cut, and has a line of its own then.
    pub(crate) fn new(name: &str, origin: DataOrigin, value: f64, ink: Ink, room: f64) -> Tag {
        let whole = label::tame(&tag_of(name, origin));
        let lines = match origin {
            _ if Weight::Regular.width(&whole, BODY) <= room => vec![whole],
            DataOrigin::Measured => label::wrap_lines(name, room, BODY, Weight::Regular, 2),
            DataOrigin::Elsewhere => {
                let mut lines = label::wrap_lines(name, room, BODY, Weight::Regular, 2);
                lines.push(NOT_MEASURED.into());
                lines
            }
        };
        Tag {
            name: tag_of(name, origin),
            lines,
            value,
            ink,
            series: None,
            style: None,
        }
    }

    /// The same, as the name of a series, with its marker if it has one.
    pub(crate) fn in_series(self, series: usize, style: Option<usize>) -> Tag {
        Tag {
            series: Some(series),
            style,
            ..self
        }
    }

    fn marker_room(&self) -> f64 {
        self.style.map_or(0.0, |_| MARKER_ROOM)
    }

    /// How tall its lines are.
    pub(crate) fn height(&self) -> f64 {
        ROW + LINE * self.lines.len().saturating_sub(1) as f64
    }

    /// How wide its lines are, with the marker before them.
    pub(crate) fn width(&self) -> f64 {
        let widths = self
            .lines
            .iter()
            .map(|line| Weight::Regular.width(line, BODY));
        widths.fold(0.0, f64::max) + self.marker_room()
    }

    /// The lines at their place, and a leader where that is not where they would like to be.
    fn draw(&self, scene: &mut Scene, from: (f64, f64), (right, place): (f64, f64)) {
        let mine = |mark: Mark| match self.series {
            Some(series) => mark.in_series(series),
            None => mark,
        };
        if (place - from.1).abs() > 2.5 {
            let points = vec![from, (right + 2.0, place), (right + 5.0, place)];
            scene.add(mine(
                Mark::path(points, Stroke::solid(self.ink, 0.6)).faint(0.7),
            ));
        }
        let first = place + 4.1 - LINE * self.lines.len().saturating_sub(1) as f64 / 2.0;
        if let Some(style) = self.style {
            let at = (right + 10.5, first - 4.1);
            scene.add(mine(marker::marker(at, style, 3.2)));
        }
        for (i, line) in self.lines.iter().enumerate() {
            let at = (right + 8.0 + self.marker_room(), first + LINE * i as f64);
            let mark = Mark::text(at, line.clone(), BODY, Anchor::Start, self.ink);
            scene.add(mine(mark.saying(&self.name)));
        }
    }
}
