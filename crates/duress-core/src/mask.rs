//! Masks: where in an image the thing is that its label is about.

use serde::{Deserialize, Serialize};

/// For each item which of its pixels belong to what its label is about.
///
/// ```
/// use duress_core::mask::Masks;
/// let masks = Masks::new([1, 3], &[vec![true, false, true]]).unwrap();
/// assert_eq!(masks.mask(0), [true, false, true]);
/// assert!(Masks::new([2, 2], &[vec![true]]).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Masks {
    height: usize,
    width: usize,
    /// A digit for four pixels, row by row: a thousand masks should not be the largest part of what
    /// is kept of a dataset.
    digits: Vec<String>,
}

impl Masks {
    /// Masks of this height and width, one per item, row by row.
    pub fn new([height, width]: [usize; 2], masks: &[Vec<bool>]) -> Result<Masks, String> {
        let places = height * width;
        if let Some(item) = masks.iter().position(|mask| mask.len() != places) {
            let has = masks[item].len();
            return Err(format!(
                "the mask of item {item} has {has} places, not {height} × {width}"
            ));
        }
        let digits = masks.iter().map(|mask| packed(mask)).collect();
        Ok(Masks {
            height,
            width,
            digits,
        })
    }

    /// How many rows a mask has.
    pub fn height(&self) -> usize {
        self.height
    }

    /// How many columns a mask has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.digits.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.digits.is_empty()
    }

    /// The mask of an item, row by row.
    pub fn mask(&self, item: usize) -> Vec<bool> {
        let digits = self.digits[item].chars();
        let bits = digits.flat_map(|digit| {
            let four = digit.to_digit(16).unwrap_or_default();
            [3, 2, 1, 0].map(|bit| four >> bit & 1 == 1)
        });
        bits.take(self.height * self.width).collect()
    }

    /// The masks of the items at these positions.
    pub(crate) fn select(&self, which: &[usize]) -> Masks {
        Masks {
            digits: which
                .iter()
                .map(|&item| self.digits[item].clone())
                .collect(),
            ..*self
        }
    }
}

fn packed(mask: &[bool]) -> String {
    let digit = |four: &[bool]| {
        let bit = |at: usize| u32::from(four.get(at).copied().unwrap_or_default());
        let value = bit(0) << 3 | bit(1) << 2 | bit(2) << 1 | bit(3);
        char::from_digit(value, 16).unwrap_or('0')
    };
    mask.chunks(4).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_of_any_size_come_back() {
        for places in 1..20 {
            let mask: Vec<bool> = (0..places).map(|at| at % 3 == 0).collect();
            let masks = Masks::new([1, places], std::slice::from_ref(&mask)).unwrap();
            assert_eq!(masks.mask(0), mask);
            assert_eq!(masks.select(&[0, 0]).len(), 2);
        }
    }
}
