//! Strokes: curved lines drawn with soft edges, for what lies before a lens.

use super::Size;

/// A point in pixels, from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StrokePoint {
    pub(super) down: f32,
    pub(super) right: f32,
}

/// A sheet as large as a picture on which strokes are drawn: how much of each pixel they cover.
pub(super) struct StrokeSheet {
    size: Size,
    coverage: Vec<f32>,
}

impl StrokeSheet {
    pub(super) fn new(size: Size) -> StrokeSheet {
        StrokeSheet {
            size,
            coverage: vec![0.0; size.area()],
        }
    }

    pub(super) fn coverage(&self) -> &[f32] {
        &self.coverage
    }

    /// A straight line of a width.
    pub(super) fn line(&mut self, from: StrokePoint, to: StrokePoint, width: f32) {
        let reach = width / 2.0 + 1.0;
        let rows = span(from.down, to.down, reach, self.size.height);
        for row in rows {
            for column in span(from.right, to.right, reach, self.size.width) {
                let at = StrokePoint {
                    down: row as f32,
                    right: column as f32,
                };
                self.add(
                    row,
                    column,
                    width / 2.0 + 0.5 - distance_to_line(at, from, to),
                );
            }
        }
    }

    /// A curve that leaves `from` towards `through` and arrives at `to` from there.
    pub(super) fn curve(
        &mut self,
        from: StrokePoint,
        through: StrokePoint,
        to: StrokePoint,
        width: f32,
    ) {
        let mut last = from;
        for step in 1..=STEPS {
            let next = on_curve(from, through, to, step as f32 / STEPS as f32);
            self.line(last, next, width);
            last = next;
        }
    }

    /// A disk of a radius, as opaque as `opacity` inside and `rim` within two pixels of its edge.
    pub(super) fn disk(&mut self, centre: StrokePoint, radius: f32, opacity: f32, rim: (f32, f32)) {
        let (rim_width, rim_opacity) = rim;
        let reach = radius + rim_width + 1.0;
        for row in span(centre.down, centre.down, reach, self.size.height) {
            for column in span(centre.right, centre.right, reach, self.size.width) {
                let down = row as f32 - centre.down;
                let right = column as f32 - centre.right;
                let away = libm::sqrtf(down * down + right * right);
                let inside = (radius + 0.5 - away).clamp(0.0, 1.0);
                let within_rim = (radius + rim_width + 0.5 - away).clamp(0.0, 1.0);
                self.add(
                    row,
                    column,
                    rim_opacity * within_rim + (opacity - rim_opacity) * inside,
                );
            }
        }
    }

    fn add(&mut self, row: usize, column: usize, coverage: f32) {
        let here = &mut self.coverage[row * self.size.width + column];
        *here = here.max(coverage.clamp(0.0, 1.0));
    }
}

/// Into how many straight lines a curve is divided.
const STEPS: usize = 16;

fn on_curve(from: StrokePoint, through: StrokePoint, to: StrokePoint, share: f32) -> StrokePoint {
    let between = |a: f32, b: f32, c: f32| {
        let rest = 1.0 - share;
        rest * rest * a + 2.0 * rest * share * b + share * share * c
    };
    StrokePoint {
        down: between(from.down, through.down, to.down),
        right: between(from.right, through.right, to.right),
    }
}

/// The pixels between two places and `reach` beyond them, of `n`.
fn span(a: f32, b: f32, reach: f32, n: usize) -> std::ops::Range<usize> {
    let first = libm::floorf(a.min(b) - reach).max(0.0) as usize;
    let last = libm::ceilf(a.max(b) + reach).max(0.0) as usize;
    first.min(n)..(last + 1).min(n)
}

fn distance_to_line(at: StrokePoint, from: StrokePoint, to: StrokePoint) -> f32 {
    let down = to.down - from.down;
    let right = to.right - from.right;
    let length = down * down + right * right;
    let along = (at.down - from.down) * down + (at.right - from.right) * right;
    let share = if length > 0.0 {
        (along / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let (down, right) = (
        at.down - from.down - share * down,
        at.right - from.right - share * right,
    );
    libm::sqrtf(down * down + right * right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_covers_the_pixels_it_goes_through_and_none_far_away() {
        let size = Size {
            height: 5,
            width: 9,
        };
        let mut sheet = StrokeSheet::new(size);
        let at = |down: f32, right: f32| StrokePoint { down, right };
        sheet.line(at(2.0, 1.0), at(2.0, 7.0), 1.0);
        let covered = |row: usize, column: usize| sheet.coverage()[row * 9 + column];
        assert_eq!([covered(2, 1), covered(2, 4), covered(2, 7)], [1.0; 3]);
        assert_eq!([covered(0, 4), covered(4, 4), covered(1, 0)], [0.0; 3]);
    }

    #[test]
    fn what_is_drawn_beyond_the_sheet_is_not_there() {
        let size = Size {
            height: 3,
            width: 3,
        };
        let mut sheet = StrokeSheet::new(size);
        let far = StrokePoint {
            down: -40.0,
            right: 90.0,
        };
        sheet.disk(far, 5.0, 0.5, (2.0, 0.6));
        sheet.line(far, far, 3.0);
        assert!(sheet.coverage().iter().all(|share| *share == 0.0));
    }
}
