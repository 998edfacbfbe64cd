//! Numbers with decimal commas, in files whose cells are separated by semicolons.

use std::borrow::Cow;

use duress_core::problem::Problem;

/// How a file writes its numbers: with commas or with points. Where it has both, one of them stands
/// between thousands, and which of them cannot be known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Decimals {
    /// The first line that has a number with a comma.
    comma: Option<usize>,
    /// The first line that has a number with a point.
    point: Option<usize>,
}

impl Decimals {
    /// The cell with a point where it is a number with a comma, as it stands where it is not.
    pub(super) fn with_point<'a>(&mut self, text: &'a str, line: usize) -> Cow<'a, str> {
        if text.trim().parse::<f64>().is_ok() {
            if text.contains('.') {
                self.point.get_or_insert(line);
            }
            return text.into();
        }
        let pointed = text.trim().replacen(',', ".", 1);
        if !text.contains(',') || pointed.parse::<f64>().is_err() {
            return text.into();
        }
        self.comma.get_or_insert(line);
        pointed.into()
    }

    /// Adds what was seen below so many lines.
    pub(super) fn append(&mut self, below: Decimals, lines: usize) {
        self.comma = self.comma.or(below.comma.map(|line| lines + line));
        self.point = self.point.or(below.point.map(|line| lines + line));
    }

    /// Refuses a file that has both.
    pub(super) fn check(self) -> Result<(), Problem> {
        let (Some(comma), Some(point)) = (self.comma, self.point) else {
            return Ok(());
        };
        Err(Problem::new(format!(
            "a number with a point, and one with a comma on line {comma}"
        ))
        .expected("one of them for decimals, and nothing between thousands")
        .on_line(point))
    }
}
