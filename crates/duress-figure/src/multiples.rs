//! Small multiples: the same curves for many ladders, on one scale, with one key.

use crate::curve::Curves;
use crate::font::Weight;
use crate::frame::{self, BODY, EDGE, SMALL, Titles};
use crate::ink::Ink;
use crate::label;
use crate::marker;
use crate::scene::{Anchor, Mark, Scene};

/// Panels that share their y axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Multiples {
    pub titles: Titles,
    /// The panels; each is drawn without tags, and y reaches as far in all.
    pub panels: Vec<Curves>,
    /// What the styles stand for: name, key and style.
    pub key: Vec<(String, usize, usize)>,
}

impl Multiples {
    /// Lays the figure out, this wide.
    pub fn draw(&self, width: f64) -> Scene {
        let name = format!("{}: {} panels", self.titles.title, self.panels.len());
        let (mut scene, top) = frame::titled(width, &self.titles, &name);
        let mut top = self.draw_key(&mut scene, top);
        let per_row = if width >= 600.0 {
            self.panels.len().clamp(1, 3)
        } else {
            1
        };
        let wide = (width - 12.0 * (per_row - 1) as f64) / per_row as f64;
        let panels = self.alike();
        for row in panels.chunks(per_row) {
            let mut tall: f64 = 0.0;
            for (i, panel) in row.iter().enumerate() {
                let left = (wide + 12.0) * i as f64;
                let head = label::shorten_to_fit(
                    &panel.titles.title,
                    wide - 2.0 * EDGE,
                    BODY,
                    Weight::Semibold,
                );
                let mark = Mark::text(
                    (left + EDGE, top + 14.0),
                    head,
                    BODY,
                    Anchor::Start,
                    Ink::Text,
                )
                .in_bold();
                scene.add(mark.saying(&panel.titles.title));
                let titles = Titles {
                    x: panel.titles.x.clone(),
                    ..Titles::default()
                };
                let drawn = Curves {
                    titles,
                    ..panel.clone()
                }
                .draw(wide);
                tall = tall.max(drawn.height);
                scene.place(drawn, (left, top + 16.0));
            }
            top += tall + 24.0;
        }
        scene.height = top;
        scene
    }

    /// The panels, without tags and with y axes that hold the values of all.
    pub fn alike(&self) -> Vec<Curves> {
        let reach: Vec<f64> = self.panels.iter().flat_map(Curves::values).collect();
        let (low, high) = reach
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &v| {
                (l.min(v), h.max(v))
            });
        let reach = if low <= high {
            vec![low, high]
        } else {
            Vec::new()
        };
        let alike = |panel: &Curves| Curves {
            tagged: false,
            reach: reach.clone(),
            ..panel.clone()
        };
        self.panels.iter().map(alike).collect()
    }

    fn draw_key(&self, scene: &mut Scene, top: f64) -> f64 {
        if self.key.is_empty() {
            return top;
        }
        let mut x = EDGE;
        let mut y = top + 6.0;
        for (name, key, style) in &self.key {
            let words = label::shorten_to_fit(name, 170.0, SMALL, Weight::Regular);
            let wide = 34.0 + Weight::Regular.width(&words, SMALL);
            if x > EDGE && x + wide > scene.width - EDGE {
                (x, y) = (EDGE, y + 16.0);
            }
            scene.add(
                Mark::line(
                    (x, y - 3.5),
                    (x + 26.0, y - 3.5),
                    marker::stroke(*style, 1.8),
                )
                .in_series(*key),
            );
            scene.add(marker::marker((x + 13.0, y - 3.5), *style, 3.4).in_series(*key));
            scene.add(
                Mark::text(
                    (x + 32.0, y),
                    words,
                    SMALL,
                    Anchor::Start,
                    Ink::Word(*style),
                )
                .in_series(*key)
                .saying(name),
            );
            x += wide + 14.0;
        }
        y + 12.0
    }
}
