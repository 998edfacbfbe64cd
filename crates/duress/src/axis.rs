//! The axes of a study and the positions on them: one type each, so that none is taken for another.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::slice;

use serde::{Deserialize, Serialize};

/// A place on one axis, counted from 0.
pub trait Position: Copy + Ord {
    /// The place with this number.
    fn new(number: usize) -> Self;

    /// Its number.
    fn number(self) -> usize;
}

macro_rules! positions {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(usize);

        impl Position for $name {
            fn new(number: usize) -> Self {
                $name(number)
            }

            fn number(self) -> usize {
                self.0
            }
        }
    )*};
}

positions! {
    /// A subject of the study.
    SubjectAt;
    /// A seed of the study.
    ReplicateAt;
    /// A dataset of the study.
    DatasetAt;
    /// A dataset as it was loaded for one or more replicates.
    LoadedAt;
    /// A ladder or a condition: the ladders come first.
    StressAt;
    /// A rater of the study.
    RaterAt;
    /// A gauge of the study.
    GaugeAt;
}

impl ReplicateAt {
    /// The first seed, which there always is.
    pub const FIRST: ReplicateAt = ReplicateAt(0);
}

/// A rung of a ladder, or the one rung of a condition. Written as a pair, as it always was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(StressAt, usize)", into = "(StressAt, usize)")]
pub struct RungAt {
    /// Of which ladder or condition.
    pub stress: StressAt,
    /// Which of its rungs; the clean one is not among them.
    pub rung: usize,
}

impl From<(StressAt, usize)> for RungAt {
    fn from((stress, rung): (StressAt, usize)) -> RungAt {
        RungAt { stress, rung }
    }
}

impl From<RungAt> for (StressAt, usize) {
    fn from(at: RungAt) -> (StressAt, usize) {
        (at.stress, at.rung)
    }
}

/// A list that only its own kind of position opens.
pub struct Axis<At, T> {
    entries: Vec<T>,
    position: PhantomData<fn() -> At>,
}

impl<At: Position, T> Axis<At, T> {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries, in order.
    pub fn iter(&self) -> slice::Iter<'_, T> {
        self.entries.iter()
    }

    /// The entries, in order, to be changed.
    pub fn iter_mut(&mut self) -> slice::IterMut<'_, T> {
        self.entries.iter_mut()
    }

    /// The positions, in order.
    pub fn positions(&self) -> impl DoubleEndedIterator<Item = At> + Clone + use<At, T> {
        (0..self.entries.len()).map(At::new)
    }

    /// The entries with their positions.
    pub fn at_each(&self) -> impl DoubleEndedIterator<Item = (At, &T)> + Clone {
        let numbered = self.entries.iter().enumerate();
        numbered.map(|(number, entry)| (At::new(number), entry))
    }

    /// The first position whose entry is wanted.
    pub fn position(&self, wanted: impl FnMut(&T) -> bool) -> Option<At> {
        self.entries.iter().position(wanted).map(At::new)
    }

    /// The first entry, where there is one.
    pub fn first(&self) -> Option<&T> {
        self.entries.first()
    }

    /// One more entry at the end, and where it is.
    pub fn push(&mut self, entry: T) -> At {
        self.entries.push(entry);
        At::new(self.entries.len() - 1)
    }

    /// The entries without their positions.
    pub fn as_slice(&self) -> &[T] {
        &self.entries
    }
}

impl<At: Position, T> Index<At> for Axis<At, T> {
    type Output = T;

    fn index(&self, at: At) -> &T {
        &self.entries[at.number()]
    }
}

impl<At: Position, T> IndexMut<At> for Axis<At, T> {
    fn index_mut(&mut self, at: At) -> &mut T {
        &mut self.entries[at.number()]
    }
}

impl<At, T> From<Vec<T>> for Axis<At, T> {
    fn from(entries: Vec<T>) -> Self {
        Axis {
            entries,
            position: PhantomData,
        }
    }
}

impl<At, T> FromIterator<T> for Axis<At, T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> Self {
        Vec::from_iter(entries).into()
    }
}

impl<'a, At: Position, T> IntoIterator for &'a Axis<At, T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<At, T> Default for Axis<At, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<At, T: Clone> Clone for Axis<At, T> {
    fn clone(&self) -> Self {
        self.entries.clone().into()
    }
}

impl<At, T: std::fmt::Debug> std::fmt::Debug for Axis<At, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.entries.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rung_is_written_as_a_pair_and_read_back() {
        let at = RungAt {
            stress: StressAt::new(2),
            rung: 3,
        };
        let written = serde_json::to_string(&at).unwrap();
        assert_eq!(written, "[2,3]");
        assert_eq!(serde_json::from_str::<RungAt>(&written).unwrap(), at);
    }

    #[test]
    fn a_position_found_on_an_axis_opens_the_entry_it_was_found_by() {
        let seeds: Axis<ReplicateAt, u64> = vec![7, 8, 9].into();
        let at = seeds.position(|seed| *seed == 8).unwrap();
        assert_eq!(seeds[at], 8);
        assert_eq!(seeds.positions().map(|at| seeds[at]).sum::<u64>(), 24);
        assert_eq!(seeds.at_each().next_back(), Some((ReplicateAt::new(2), &9)));
    }
}
