//! How far stress moved items from what they were.

use crate::data::{Inputs, Items, Windows};
use serde::{Deserialize, Serialize};

/// What a press came to, beside what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Realised {
    /// The share hidden of the values that could be seen.
    pub hidden: f64,
    /// The share changed of the values that can still be seen.
    pub changed: f64,
    /// By how much those that can still be seen changed: the root of the mean square, in the data's
    /// own units.
    pub moved: f64,
}

/// What was done to windows between `before` and `after`; `None` for other inputs, and where
/// nothing could be seen.
pub fn realised(before: &Items, after: &Items) -> Option<Realised> {
    let (Inputs::Windows(a), Inputs::Windows(b)) = (before.inputs(), after.inputs()) else {
        return None;
    };
    let mut seen = 0.0;
    let mut left = 0.0;
    let mut changed = 0.0;
    let mut squares = 0.0;
    for (window, (step, variable)) in (0..a.len()).flat_map(|w| places(a).map(move |at| (w, at))) {
        let Some(was) = a.get(window, step, variable) else {
            continue;
        };
        seen += 1.0;
        if let Some(is) = b.get(window, step, variable) {
            left += 1.0;
            changed += f64::from(u8::from(is != was));
            squares += (is - was) * (is - was);
        }
    }
    let share = |part: f64| if left > 0.0 { part / left } else { 0.0 };
    (seen > 0.0).then(|| Realised {
        hidden: 1.0 - left / seen,
        changed: share(changed),
        moved: libm::sqrt(share(squares)),
    })
}

/// How far each item has moved: the Euclidean distance of images; for windows, that of what both
/// show, plus one for each value hidden; for texts, whether they differ.
pub fn distortion(before: &Items, after: &Items) -> Vec<f64> {
    let of = |i: usize| match (before.inputs(), after.inputs()) {
        (Inputs::Images(a), Inputs::Images(b)) => l2(a.image(i), b.image(i)),
        (Inputs::Windows(a), Inputs::Windows(b)) => {
            let moved = places(a).map(|(t, v)| match (a.get(i, t, v), b.get(i, t, v)) {
                (Some(x), Some(y)) => (x - y).powi(2),
                (Some(_), None) => 1.0,
                _ => 0.0,
            });
            moved.sum()
        }
        (Inputs::Texts(a), Inputs::Texts(b)) => f64::from(u8::from(a[i] != b[i])),
        _ => 0.0,
    };
    (0..before.len()).map(of).collect()
}

pub(super) fn places(windows: &Windows) -> impl Iterator<Item = (usize, usize)> {
    let steps = windows.steps();
    let variables = windows.variables().len();
    (0..steps).flat_map(move |step| (0..variables).map(move |variable| (step, variable)))
}

pub(super) fn linf(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs())
        .fold(0.0, f64::max)
}

pub(super) fn l1(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (f64::from(*a) - f64::from(*b)).abs())
        .sum()
}

pub(super) fn l2(a: &[f32], b: &[f32]) -> f64 {
    libm::sqrt(
        a.iter()
            .zip(b)
            .map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2))
            .sum(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Images;

    #[test]
    fn what_a_press_came_to_counts_what_could_be_seen() {
        let mut before = Windows::new(vec!["a".into()], 5, vec![0], vec![1.0; 5]).unwrap();
        before.hide(0, 0, 0);
        let mut after = before.clone();
        after.hide(0, 1, 0);
        after.set(0, 2, 0, 4.0);
        let items =
            |windows: Windows| Items::new(vec!["x".into()], Inputs::Windows(windows)).unwrap();
        let found = realised(&items(before), &items(after)).unwrap();
        assert_eq!((found.hidden, found.changed), (0.25, 1.0 / 3.0));
        assert!((found.moved - libm::sqrt(3.0)).abs() < 1e-12, "{found:?}");
        let images = Images::new([1, 1, 1], vec![0.1]).unwrap();
        let image = Items::new(vec!["x".into()], Inputs::Images(images)).unwrap();
        assert_eq!(realised(&image, &image), None);
    }
}
