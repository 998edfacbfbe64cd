//! A map over the pixels of each item: how much each place had to do with the answer.

use super::Absence;
use crate::explanation::AskedExplanation;

/// One map, kept in half precision beside its largest value.
///
/// A map is divided by its largest absolute value first, so that its shape keeps eleven bits
/// whatever its size: gradients may be smaller than half precision could tell from zero.
#[derive(Clone, Debug, PartialEq)]
pub struct AttributionMap {
    largest: f32,
    halves: Vec<u16>,
}

impl AttributionMap {
    /// A map with these values.
    ///
    /// ```
    /// use duress_core::answer::AttributionMap;
    /// let map = AttributionMap::new(&[1e-9, -5e-10, 0.0]);
    /// assert_eq!(map.values().len(), 3);
    /// assert!((map.values()[1] + 5e-10).abs() < 1e-12);
    /// ```
    pub fn new(values: &[f32]) -> AttributionMap {
        let largest = values
            .iter()
            .fold(0.0_f32, |top, value| top.max(value.abs()));
        let share = |value: &f32| match largest > 0.0 {
            true => value / largest,
            false => 0.0,
        };
        AttributionMap {
            largest,
            halves: values.iter().map(|value| to_half(share(value))).collect(),
        }
    }

    /// A map as it was kept.
    pub fn from_halves(largest: f32, halves: Vec<u16>) -> AttributionMap {
        AttributionMap { largest, halves }
    }

    /// Its largest absolute value.
    pub fn largest(&self) -> f32 {
        self.largest
    }

    /// Its values divided by the largest, in half precision.
    pub fn halves(&self) -> &[u16] {
        &self.halves
    }

    /// Its values, row by row.
    pub fn values(&self) -> Vec<f32> {
        let value = |half: &u16| from_half(*half) * self.largest;
        self.halves.iter().map(value).collect()
    }
}

/// A map of each item, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct MapAnswers {
    pub(super) asked: AskedExplanation,
    pub(super) height: usize,
    pub(super) width: usize,
    pub(super) maps: Vec<Result<AttributionMap, Absence>>,
}

impl MapAnswers {
    /// Maps of this height and width, one per item.
    pub fn new(
        asked: AskedExplanation,
        (height, width): (usize, usize),
        maps: Vec<Result<AttributionMap, Absence>>,
    ) -> MapAnswers {
        MapAnswers {
            asked,
            height,
            width,
            maps,
        }
    }

    /// What was asked.
    pub fn asked(&self) -> AskedExplanation {
        self.asked
    }

    /// How many rows a map has.
    pub fn height(&self) -> usize {
        self.height
    }

    /// How many columns a map has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// One map per item.
    pub fn maps(&self) -> &[Result<AttributionMap, Absence>] {
        &self.maps
    }

    /// The same about other items: with these maps.
    pub(crate) fn with_maps(&self, maps: Vec<Result<AttributionMap, Absence>>) -> MapAnswers {
        MapAnswers {
            maps,
            ..self.clone()
        }
    }

    pub(super) fn validate(&self, items: usize) -> Result<(), String> {
        if self.maps.len() != items {
            return Err(format!("{} maps for {items} items", self.maps.len()));
        }
        let places = self.height * self.width;
        for (item, map) in self.maps.iter().enumerate() {
            let Ok(map) = map else { continue };
            let finite = map.largest.is_finite();
            let finite = finite && map.halves.iter().all(|half| from_half(*half).is_finite());
            if map.halves.len() != places || !finite {
                return Err(format!(
                    "the map of item {item} is not {places} finite numbers"
                ));
            }
        }
        Ok(())
    }
}

/// The nearest number of half precision, ties to even.
fn to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let size = value.abs();
    if size.is_nan() {
        return sign | 0x7e00;
    }
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    // Below the smallest normal number places are 2⁻²⁴ apart; above, eleven bits are kept.
    if size < 6.103_515_6e-5 {
        let steps = (size * 16_777_216.0).round_ties_even();
        return sign | steps as u16;
    }
    let exponent = ((bits >> 23) & 0xff) - 112;
    let fraction = bits & 0x007f_ffff;
    let whole = (exponent << 10) | (fraction >> 13);
    let rest = fraction & 0x1fff;
    let up = rest > 0x1000 || (rest == 0x1000 && whole & 1 == 1);
    sign | (whole + u32::from(up)) as u16
}

fn from_half(half: u16) -> f32 {
    let sign = if half & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = u32::from(half >> 10) & 0x1f;
    let fraction = u32::from(half & 0x3ff);
    let size = match exponent {
        0 => fraction as f32 / 16_777_216.0,
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from_bits(((exponent + 112) << 23) | (fraction << 13)),
    };
    sign * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back_as_it_was_and_halfway_goes_to_the_even_one() {
        for half in (0..=0xffff_u16).filter(|half| (half >> 10) & 0x1f != 31) {
            assert_eq!(to_half(from_half(half)), half, "{half:#x}");
        }
        // numpy.float16: 1 + 2⁻¹¹ is halfway to the next one.
        assert_eq!(to_half(1.0 + 1.0 / 2048.0), 0x3c00);
        assert_eq!(to_half(1.0 + 3.0 / 2048.0), 0x3c02);
        assert_eq!(to_half(0.1), 0x2e66);
        assert_eq!(to_half(-2.0), 0xc000);
        assert_eq!(to_half(70000.0), 0x7c00);
    }

    #[test]
    fn small_maps_keep_their_shape() {
        let values: Vec<f32> = (0..100).map(|i| (i as f32 - 40.0) * 1e-12).collect();
        let kept = AttributionMap::new(&values).values();
        for (value, kept) in values.iter().zip(&kept) {
            assert!((value - kept).abs() <= value.abs() * 5e-4, "{value} {kept}");
        }
        assert_eq!(AttributionMap::new(&[0.0, 0.0]).values(), [0.0, 0.0]);
    }
}
