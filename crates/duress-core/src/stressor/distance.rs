//! How far stress moved items from what they were.

use crate::data::{Inputs, Items, Text, Windows};
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
    /// For texts, of which `changed` is the share that differs: the mean edit distance of those from
    /// what they were, in characters put in, taken out or replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<f64>,
}

/// What was done to windows or texts between `before` and `after`; `None` for other inputs, and
/// where nothing could be seen.
pub fn realised(before: &Items, after: &Items) -> Option<Realised> {
    match (before.inputs(), after.inputs()) {
        (Inputs::Windows(a), Inputs::Windows(b)) => of_windows(a, b),
        (Inputs::Texts(a), Inputs::Texts(b)) => of_texts(a, b),
        _ => None,
    }
}

/// Texts beyond this many characters are not compared: it would take longer than asking about them.
const COMPARED: usize = 20_000;

fn of_texts(a: &[Text], b: &[Text]) -> Option<Realised> {
    let short = |text: &Text| text.text.len() <= COMPARED;
    let changed: Vec<(&Text, &Text)> = a.iter().zip(b).filter(|(was, is)| was != is).collect();
    if a.is_empty() || !changed.iter().all(|(was, is)| short(was) && short(is)) {
        return None;
    }
    let edits = changed
        .iter()
        .map(|(was, is)| edit_distance(&was.text, &is.text));
    let edits: usize = edits.sum();
    Some(Realised {
        hidden: 0.0,
        changed: changed.len() as f64 / a.len() as f64,
        moved: 0.0,
        edits: Some(edits as f64 / changed.len().max(1) as f64),
    })
}

/// How many characters have to be put in, taken out or replaced to make one text of the other.
///
/// ```
/// assert_eq!(duress_core::stressor::edit_distance("kitten", "sitting"), 3);
/// ```
pub fn edit_distance(a: &str, b: &str) -> usize {
    let mut a: Vec<char> = a.chars().collect();
    let mut b: Vec<char> = b.chars().collect();
    // What both begin and end with costs nothing.
    let alike = |a: &[char], b: &[char]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let start = alike(&a, &b);
    a.drain(..start);
    b.drain(..start);
    while !a.is_empty() && a.last() == b.last() {
        a.pop();
        b.pop();
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn of_windows(a: &Windows, b: &Windows) -> Option<Realised> {
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
        edits: None,
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
