//! Scenes: a figure as marks with coordinates, before anyone writes it.

use crate::font::Weight;
use crate::ink::Ink;

/// A figure, laid out. Lengths are in pixels of 1/96 inch, y runs downwards.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub width: f64,
    pub height: f64,
    /// What the figure is, for who cannot see it.
    pub name: String,
    /// In the order of painting.
    pub marks: Vec<Mark>,
}

/// One thing on the canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    pub shape: MarkShape,
    /// The ink inside; texts have only this.
    pub fill: Option<Ink>,
    /// The line around or along it.
    pub stroke: Option<Stroke>,
    /// 1 is opaque.
    pub opacity: f64,
    /// The series it belongs to, which a page may hide.
    pub series: Option<usize>,
    /// What a page says when one points at it.
    pub tip: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum MarkShape {
    /// Straight lines from point to point.
    Path {
        points: Vec<(f64, f64)>,
        /// Whether the last joins the first.
        closed: bool,
    },
    Circle {
        centre: (f64, f64),
        /// From the centre to the edge.
        radius: f64,
    },
    Text(TextLine),
}

#[derive(Clone, Debug, PartialEq)]
pub struct TextLine {
    /// The point on the baseline that `anchor` is about.
    pub at: (f64, f64),
    pub words: String,
    pub size: f64,
    pub weight: Weight,
    /// Which part of the text is at the point.
    pub anchor: Anchor,
}

/// Which part of a text is at its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    pub ink: Ink,
    pub width: f64,
    /// Painted and skipped, in turn.
    pub dash: &'static [f64],
}

/// A rectangle around something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Scene {
    pub fn new(width: f64, height: f64, name: impl Into<String>) -> Scene {
        Scene {
            width,
            height,
            name: name.into(),
            marks: Vec::new(),
        }
    }

    pub fn add(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// Adds another scene with its upper left corner at `at`.
    pub fn place(&mut self, other: Scene, at: (f64, f64)) {
        self.marks
            .extend(other.marks.into_iter().map(|mark| mark.moved(at)));
    }

    /// Pairs of texts that overlap, as words: none in a good figure.
    pub fn overlaps(&self) -> Vec<(String, String)> {
        let texts: Vec<(&TextLine, Bounds)> = self
            .marks
            .iter()
            .filter_map(|mark| mark.words().map(|text| (text, mark.bounds())))
            .collect();
        let mut found = Vec::new();
        for (i, (a, around_a)) in texts.iter().enumerate() {
            for (b, around_b) in &texts[i + 1..] {
                if around_a.meets(around_b) {
                    found.push((a.words.clone(), b.words.clone()));
                }
            }
        }
        found
    }

    /// What leaves the canvas, as words: nothing in a good figure.
    pub fn strays(&self) -> Vec<String> {
        let inside = |bounds: Bounds| {
            bounds.left >= -0.01
                && bounds.top >= -0.01
                && bounds.right <= self.width + 0.01
                && bounds.bottom <= self.height + 0.01
        };
        let strays = self.marks.iter().filter(|mark| !inside(mark.bounds()));
        strays
            .map(|mark| format!("{:?} {:?}", mark.shape, mark.bounds()))
            .collect()
    }
}

impl Mark {
    pub fn path(points: Vec<(f64, f64)>, stroke: Stroke) -> Mark {
        Mark::new(MarkShape::Path {
            points,
            closed: false,
        })
        .stroked(stroke)
    }

    pub fn line(from: (f64, f64), to: (f64, f64), stroke: Stroke) -> Mark {
        Mark::path(vec![from, to], stroke)
    }

    pub fn area(points: Vec<(f64, f64)>, fill: Ink) -> Mark {
        Mark::new(MarkShape::Path {
            points,
            closed: true,
        })
        .filled(fill)
    }

    pub fn rect(bounds: Bounds, fill: Ink) -> Mark {
        let Bounds {
            left,
            top,
            right,
            bottom,
        } = bounds;
        Mark::area(
            vec![(left, top), (right, top), (right, bottom), (left, bottom)],
            fill,
        )
    }

    pub fn circle(centre: (f64, f64), radius: f64, fill: Ink) -> Mark {
        Mark::new(MarkShape::Circle { centre, radius }).filled(fill)
    }

    /// A text in the regular weight.
    pub fn text(
        at: (f64, f64),
        words: impl Into<String>,
        size: f64,
        anchor: Anchor,
        ink: Ink,
    ) -> Mark {
        let text = TextLine {
            at,
            words: words.into(),
            size,
            weight: Weight::Regular,
            anchor,
        };
        Mark::new(MarkShape::Text(text)).filled(ink)
    }

    fn new(shape: MarkShape) -> Mark {
        Mark {
            shape,
            fill: None,
            stroke: None,
            opacity: 1.0,
            series: None,
            tip: None,
        }
    }

    /// The same, filled.
    pub fn filled(mut self, ink: Ink) -> Mark {
        self.fill = Some(ink);
        self
    }

    /// The same, with a line.
    pub fn stroked(mut self, stroke: Stroke) -> Mark {
        self.stroke = Some(stroke);
        self
    }

    /// The same, in semibold, if it is a text.
    pub fn in_bold(mut self) -> Mark {
        if let MarkShape::Text(text) = &mut self.shape {
            text.weight = Weight::Semibold;
        }
        self
    }

    /// The same, translucent.
    pub fn faint(mut self, opacity: f64) -> Mark {
        self.opacity = opacity;
        self
    }

    /// The same, as part of a series.
    pub fn in_series(mut self, series: usize) -> Mark {
        self.series = Some(series);
        self
    }

    /// The same, with what to say when pointed at; nothing where there is nothing to say.
    pub fn saying(mut self, tip: &str) -> Mark {
        self.tip = (!tip.is_empty()).then(|| tip.to_owned());
        self
    }

    /// The same, elsewhere.
    pub fn moved(mut self, by: (f64, f64)) -> Mark {
        let shift = |point: &mut (f64, f64)| *point = (point.0 + by.0, point.1 + by.1);
        match &mut self.shape {
            MarkShape::Path { points, .. } => points.iter_mut().for_each(shift),
            MarkShape::Circle { centre, .. } => shift(centre),
            MarkShape::Text(text) => shift(&mut text.at),
        }
        self
    }

    /// The text, if it is one.
    pub fn words(&self) -> Option<&TextLine> {
        match &self.shape {
            MarkShape::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The rectangle around it, line included.
    pub fn bounds(&self) -> Bounds {
        let bounds = match &self.shape {
            MarkShape::Text(text) => return text.bounds(),
            MarkShape::Circle {
                centre: (x, y),
                radius,
            } => Bounds {
                left: x - radius,
                top: y - radius,
                right: x + radius,
                bottom: y + radius,
            },
            MarkShape::Path { points, .. } => Bounds::around(points),
        };
        bounds.grown(self.stroke.map_or(0.0, |stroke| stroke.width / 2.0))
    }
}

impl TextLine {
    /// From its first to its last glyph.
    pub fn width(&self) -> f64 {
        self.weight.width(&self.words, self.size)
    }

    /// Where it begins on the x axis.
    pub fn start(&self) -> f64 {
        match self.anchor {
            Anchor::Start => self.at.0,
            Anchor::Middle => self.at.0 - self.width() / 2.0,
            Anchor::End => self.at.0 - self.width(),
        }
    }

    /// The rectangle from the top of capitals to the foot of descenders.
    pub fn bounds(&self) -> Bounds {
        let left = self.start();
        Bounds {
            left,
            top: self.at.1 - 0.70 * self.size,
            right: left + self.width(),
            bottom: self.at.1 + 0.20 * self.size,
        }
    }
}

impl Stroke {
    pub fn solid(ink: Ink, width: f64) -> Stroke {
        Stroke {
            ink,
            width,
            dash: &[],
        }
    }

    pub fn dashed(ink: Ink, width: f64, dash: &'static [f64]) -> Stroke {
        Stroke { ink, width, dash }
    }
}

impl Bounds {
    /// The smallest rectangle around these points.
    pub fn around(points: &[(f64, f64)]) -> Bounds {
        let mut bounds = Bounds {
            left: f64::INFINITY,
            top: f64::INFINITY,
            right: f64::NEG_INFINITY,
            bottom: f64::NEG_INFINITY,
        };
        for &(x, y) in points {
            bounds.left = bounds.left.min(x);
            bounds.right = bounds.right.max(x);
            bounds.top = bounds.top.min(y);
            bounds.bottom = bounds.bottom.max(y);
        }
        bounds
    }

    /// The rectangle, larger on every side.
    pub fn grown(self, by: f64) -> Bounds {
        Bounds {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }

    /// Whether two rectangles share an area.
    pub fn meets(&self, other: &Bounds) -> bool {
        self.left < other.right - 0.01
            && other.left < self.right - 0.01
            && self.top < other.bottom - 0.01
            && other.top < self.bottom - 0.01
    }

    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }
}
