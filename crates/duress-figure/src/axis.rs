//! Axes: from values to places, with ticks at round numbers.

use duress_core::number;

/// A linear scale from values to places on the canvas.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotAxis {
    /// The smallest and the largest value shown.
    pub values: (f64, f64),
    /// Where these are on the canvas.
    pub places: (f64, f64),
    /// Where ticks stand, with their words.
    pub ticks: Vec<(f64, String)>,
}

impl PlotAxis {
    /// An axis that holds all the values, with round ends or those of `bounds` where the values
    /// keep within them.
    ///
    /// ```
    /// use duress_figure::axis::PlotAxis;
    /// let axis = PlotAxis::round([0.12, 0.83], (Some(0.0), Some(1.0)), 5);
    /// assert_eq!(axis.values, (0.0, 1.0));
    /// assert_eq!(axis.ticks[1].1, "0.2");
    /// ```
    pub fn round(
        values: impl IntoIterator<Item = f64>,
        bounds: (Option<f64>, Option<f64>),
        wanted: usize,
    ) -> PlotAxis {
        let mut low = f64::INFINITY;
        let mut high = f64::NEG_INFINITY;
        for value in values.into_iter().filter(|value| value.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (bounds.0.unwrap_or(0.0), bounds.1.unwrap_or(1.0));
        }
        // What lies beyond an end shows that there is no such end.
        let bounds = (
            bounds.0.filter(|end| low >= *end),
            bounds.1.filter(|end| high <= *end),
        );
        if high - low < 1e-12 * high.abs().max(1e-9) {
            let room = if low == 0.0 { 1.0 } else { low.abs() * 0.5 };
            low = bounds.0.map_or(low - room, |end| end.max(low - room));
            high = bounds.1.map_or(high + room, |end| end.min(high + room));
        }
        // An axis that covers most of the way to a natural end may as well show it, and zero more
        // readily than others.
        let near = |end: &f64| {
            low - end
                < if *end == 0.0 {
                    0.6 * (high - end)
                } else {
                    0.35 * (high - low)
                }
        };
        if let Some(end) = bounds.0.filter(near) {
            low = end;
        }
        if let Some(end) = bounds.1.filter(|end| end - high < 0.35 * (end - low)) {
            high = end;
        }
        let step = nice_step((high - low) / wanted.max(1) as f64);
        let first = (low / step + 1e-9).floor();
        let last = (high / step - 1e-9).ceil();
        let values = (
            bounds.0.map_or(first * step, |end| (first * step).max(end)),
            bounds.1.map_or(last * step, |end| (last * step).min(end)),
        );
        let digits = digits_of(step);
        let at = |i: i64| i as f64 * step;
        let inside =
            |value: &f64| *value >= values.0 - step * 1e-6 && *value <= values.1 + step * 1e-6;
        let ticks = (first as i64..=last as i64).map(at).filter(inside);
        let ticks = ticks
            .map(|value| (value, number::fixed(value, digits)))
            .collect();
        PlotAxis {
            values,
            places: (0.0, 1.0),
            ticks,
        }
    }

    /// An axis with a tick at each of these values and no others.
    pub fn with_ticks(ticks: Vec<(f64, String)>) -> PlotAxis {
        let values = ticks.iter().map(|tick| tick.0);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| {
            (l.min(v), h.max(v))
        });
        let values = match (low > high, low == high) {
            (true, _) => (0.0, 1.0),
            (_, true) => (low - 0.5, high + 0.5),
            _ => (low, high),
        };
        PlotAxis {
            values,
            places: (0.0, 1.0),
            ticks,
        }
    }

    /// The same values between other places.
    pub fn between(mut self, from: f64, to: f64) -> PlotAxis {
        self.places = (from, to);
        self
    }

    pub fn place(&self, value: f64) -> f64 {
        let share = (value - self.values.0) / (self.values.1 - self.values.0);
        self.places.0 + share * (self.places.1 - self.places.0)
    }

    /// Where a value is, or the nearest end.
    pub fn place_within(&self, value: f64) -> f64 {
        self.place(value.clamp(self.values.0, self.values.1))
    }

    /// Whether a value is on the axis.
    pub fn holds(&self, value: f64) -> bool {
        value >= self.values.0 && value <= self.values.1
    }
}

/// 1, 2 or 5 times a power of ten, at or above `rough`.
fn nice_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    let lead = rough / power;
    let nice = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .find(|nice| lead <= nice * (1.0 + 1e-9))
        .unwrap_or(10.0);
    nice * power
}

fn digits_of(step: f64) -> usize {
    (0..9)
        .find(|&digits| {
            let scaled = step * 10_f64.powi(digits);
            (scaled - scaled.round()).abs() < 1e-6 * scaled.max(1.0)
        })
        .map_or(9, |digits| digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(values: &[f64], bounds: (Option<f64>, Option<f64>)) -> Vec<String> {
        PlotAxis::round(values.iter().copied(), bounds, 5)
            .ticks
            .into_iter()
            .map(|tick| tick.1)
            .collect()
    }

    #[test]
    fn ticks_are_round_numbers_with_a_real_minus() {
        assert_eq!(
            words(&[-0.3, 0.2], (None, None)),
            ["−0.3", "−0.2", "−0.1", "0.0", "0.1", "0.2"]
        );
        assert_eq!(
            words(&[0.0, 47.0], (None, None)),
            ["0", "10", "20", "30", "40", "50"]
        );
    }

    #[test]
    fn an_axis_goes_to_a_natural_end_only_when_that_is_near() {
        let ends =
            |values: &[f64], bounds| PlotAxis::round(values.iter().copied(), bounds, 5).values;
        assert_eq!(ends(&[-0.1, 0.97], (Some(-1.0), Some(1.0))), (-0.25, 1.0));
        assert_eq!(ends(&[-0.9, 0.97], (Some(-1.0), Some(1.0))), (-1.0, 1.0));
        assert_eq!(ends(&[0.5, 0.9], (Some(0.0), Some(1.0))), (0.0, 1.0));
        // Nothing but zeros is no reason to show what is below zero.
        assert_eq!(ends(&[0.0, 0.0], (Some(0.0), Some(1.0))), (0.0, 1.0));
    }

    #[test]
    fn an_empty_or_constant_axis_still_has_ticks() {
        assert!(words(&[], (None, None)).len() >= 2);
        assert!(words(&[0.4], (None, None)).len() >= 2);
        assert!(words(&[1e9, 1e9], (None, None)).len() >= 2);
    }
}
