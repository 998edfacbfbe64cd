//! Lines to compare with: level or upright, the same in every figure.

use crate::curve::DataOrigin;
use crate::ink::Ink;
use crate::marker;
use crate::scene::{Bounds, Mark, Stroke};

/// A line to compare with.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceLine {
    pub name: String,
    pub at: ReferencePosition,
    /// Whether it was measured.
    pub origin: DataOrigin,
}

/// Where a line to compare with is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReferencePosition {
    /// Level, at this y.
    Y(f64),
    /// Upright, at this x.
    X(f64),
}

impl ReferenceLine {
    /// Where it is level, if it is.
    pub(crate) fn level_y(&self) -> Option<f64> {
        if let ReferencePosition::Y(y) = self.at {
            Some(y)
        } else {
            None
        }
    }

    /// Where it is upright, if it is.
    pub(crate) fn upright_x(&self) -> Option<f64> {
        if let ReferencePosition::X(x) = self.at {
            Some(x)
        } else {
            None
        }
    }

    /// The line through a plot, where `place` says on its own axis.
    pub(crate) fn line_mark(&self, plot: Bounds, place: f64) -> Mark {
        let (from, to) = match self.at {
            ReferencePosition::Y(_) => ((plot.left, place), (plot.right, place)),
            ReferencePosition::X(_) => ((place, plot.bottom), (place, plot.top)),
        };
        let stroke = match self.origin {
            DataOrigin::Measured => Stroke::dashed(Ink::Soft, 1.1, &[5.0, 3.0]),
            DataOrigin::Elsewhere => Stroke::dashed(Ink::Elsewhere, 1.4, marker::ELSEWHERE),
        };
        Mark::line(from, to, stroke)
    }
}
