//! Reliability diagrams: how often answers of a confidence are right, with how many there are.

use crate::axis::PlotAxis;
use crate::font::Weight;
use crate::frame::{self, BODY, EDGE, SMALL, Titles};
use crate::ink::Ink;
use crate::label;
use crate::marker;
use crate::scene::{Anchor, Bounds, Mark, Scene, Stroke};
use duress_core::number;

/// One panel per subject.
#[derive(Clone, Debug, PartialEq)]
pub struct Reliability {
    /// The words around it; `x` and `y` name the axes of each panel.
    pub titles: Titles,
    pub panels: Vec<ReliabilityPanel>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReliabilityPanel {
    pub name: String,
    /// What a page calls it when it hides or shows it.
    pub key: usize,
    pub style: usize,
    /// Numbers that sum it up, such as `ECE 0.08`, one to a line.
    pub remarks: Vec<String>,
    /// The bins, from low to high confidence.
    pub bins: Vec<ReliabilityBin>,
}

/// One bin of confidence.
#[derive(Clone, Debug, PartialEq)]
pub struct ReliabilityBin {
    /// Where it begins and ends.
    pub range: (f64, f64),
    /// How many items are in it.
    pub n: u64,
    /// Their mean confidence and the share of them that is right; `None` when the bin is empty.
    pub point: Option<(f64, f64)>,
}

const GAP: f64 = 22.0;
const COUNTS: f64 = 44.0;

impl Reliability {
    /// Lays the figure out, this wide.
    pub fn draw(&self, width: f64) -> Scene {
        let name = format!(
            "{}: {} over {}",
            self.titles.title, self.titles.y, self.titles.x
        );
        let (mut scene, top) = frame::titled(width, &self.titles, &name);
        // Four stand better as two and two than as three and one.
        let per_row = if self.panels.len() == 4 {
            2
        } else {
            self.panels.len().clamp(1, 3)
        };
        let wide = (width - 2.0 * EDGE - GAP * (per_row - 1) as f64) / per_row as f64;
        let side = (wide - 34.0).min(230.0);
        let remarks = self
            .panels
            .iter()
            .map(|panel| panel.remarks.len())
            .max()
            .unwrap_or(0);
        let mut bottom = top;
        for (i, panel) in self.panels.iter().enumerate() {
            let left = EDGE + (wide + GAP) * (i % per_row) as f64;
            let above = top + (side + COUNTS + 96.0 + 14.0 * remarks as f64) * (i / per_row) as f64;
            bottom = bottom.max(self.draw_panel(&mut scene, panel, (left, above), side));
        }
        scene.height = bottom + 4.0;
        scene
    }

    fn draw_panel(
        &self,
        scene: &mut Scene,
        panel: &ReliabilityPanel,
        (left, top): (f64, f64),
        side: f64,
    ) -> f64 {
        let head = label::shorten_to_fit(&panel.name, side + 30.0, BODY, Weight::Semibold);
        let words = Mark::text(
            (left, top + 11.0),
            head,
            BODY,
            Anchor::Start,
            Ink::Word(panel.style),
        )
        .in_bold();
        scene.add(words.in_series(panel.key).saying(&panel.name));
        // Above the plot, where no line can cross them.
        let remarks = panel
            .remarks
            .iter()
            .map(|words| (words, Ink::Text))
            .chain([(&self.titles.y, Ink::Soft)]);
        let mut top = top + 12.0;
        for (words, ink) in remarks {
            top += 14.0;
            let words = label::shorten_to_fit(words, side + 30.0, SMALL, Weight::Regular);
            scene.add(Mark::text((left, top), words, SMALL, Anchor::Start, ink));
        }
        let plot = Bounds {
            left: left + 28.0,
            top: top + 10.0,
            right: left + 28.0 + side,
            bottom: top + 10.0 + side,
        };
        let ticks = || vec![(0.0, "0".into()), (0.5, "0.5".into()), (1.0, "1".into())];
        let x = PlotAxis::with_ticks(ticks()).between(plot.left, plot.right);
        let y = PlotAxis::with_ticks(ticks()).between(plot.bottom, plot.top);
        frame::draw_y(scene, plot, &y, "");
        let diagonal = Stroke::dashed(Ink::Soft, 1.0, &[4.0, 3.0]);
        scene.add(Mark::line(
            (plot.left, plot.bottom),
            (plot.right, plot.top),
            diagonal,
        ));
        panel.draw_bins(scene, &x, &y);
        self.draw_counts(scene, panel, plot, &x)
    }

    /// Below, on the same x: how many items each bin holds.
    fn draw_counts(
        &self,
        scene: &mut Scene,
        panel: &ReliabilityPanel,
        above: Bounds,
        x: &PlotAxis,
    ) -> f64 {
        let floor = above.bottom + 12.0 + COUNTS;
        let most = panel.bins.iter().map(|bin| bin.n).max().unwrap_or(0).max(1);
        scene.add(Mark::line(
            (above.left, above.bottom),
            (above.right, above.bottom),
            Stroke::solid(Ink::Rule, 1.0),
        ));
        for bin in &panel.bins {
            let high = (COUNTS - 12.0) * bin.n as f64 / most as f64;
            let from = x.place_within(bin.range.0);
            let to = x.place_within(bin.range.1);
            let bar = Bounds {
                left: from + 0.7,
                top: floor - high,
                right: to - 0.7,
                bottom: floor,
            };
            let tip = format!(
                "{} to {}: n = {}",
                number::short(bin.range.0),
                number::short(bin.range.1),
                bin.n
            );
            scene.add(
                Mark::rect(bar, Ink::Crowd)
                    .in_series(panel.key)
                    .saying(&tip),
            );
        }
        let words = format!("n, at most {} a bin", number::count(most));
        scene.add(Mark::text(
            (above.left + 2.0, above.bottom + 13.0),
            words,
            9.5,
            Anchor::Start,
            Ink::Soft,
        ));
        let plot = Bounds {
            top: above.bottom,
            bottom: floor,
            ..above
        };
        let canvas = scene.width;
        let bottom = frame::draw_x(scene, plot, x, "");
        let words =
            label::shorten_to_fit(&self.titles.x, above.width() + 20.0, SMALL, Weight::Regular);
        let middle = frame::within((above.left + above.right) / 2.0, &words, canvas);
        scene.add(Mark::text(
            (middle, bottom + 8.0),
            words,
            SMALL,
            Anchor::Middle,
            Ink::Soft,
        ));
        bottom + 14.0
    }
}

impl ReliabilityPanel {
    /// The bar says how often the bin is right; the gap to the diagonal is shaded by its side.
    fn draw_bins(&self, scene: &mut Scene, x: &PlotAxis, y: &PlotAxis) {
        let mut line = Vec::new();
        for bin in &self.bins {
            let Some((confidence, right)) = bin.point else {
                continue;
            };
            let from = x.place_within(bin.range.0);
            let to = x.place_within(bin.range.1);
            let bar = Bounds {
                left: from + 0.7,
                top: y.place_within(right),
                right: to - 0.7,
                bottom: y.places.0,
            };
            let tip = format!(
                "{}: confidence {}, right {}, n = {}",
                self.name,
                number::short(confidence),
                number::short(right),
                bin.n
            );
            scene.add(
                Mark::rect(bar, Ink::Series(self.style))
                    .faint(0.22)
                    .in_series(self.key)
                    .saying(&tip),
            );
            line.push(((x.place_within(confidence), y.place_within(right)), tip));
        }
        let path = line.iter().map(|(at, _)| *at).collect::<Vec<_>>();
        if path.len() > 1 {
            scene.add(
                Mark::path(path, Stroke::solid(Ink::Series(self.style), 1.6)).in_series(self.key),
            );
        }
        for (at, tip) in line {
            scene.add(
                marker::marker(at, self.style, 3.2)
                    .in_series(self.key)
                    .saying(&tip),
            );
        }
    }
}
