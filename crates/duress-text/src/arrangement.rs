//! Arrangements: the permutations of a few units, how far each is from the original order, and
//! which of them are distinct.

use std::fmt;

use duress_core::seed::Draws;

use crate::token::TextUnits;

duress_core::words! {
    /// Which of the orders of some units are tried.
    pub enum OrderChoice {
        /// All of them.
        Full = "full",
        /// Those that move every unit on by as many places, the last becoming the first.
        Cyclic = "cyclic",
        /// Some, drawn by chance.
        Sampled = "sampled",
    }
}

/// A permutation of some units, written as letters: `ABDC` swaps the last two of four.
///
/// ```
/// use duress_text::arrangement::Permutation;
/// let last_two = &Permutation::all_of_length(4)[1];
/// assert_eq!(last_two.to_string(), "ABDC");
/// assert_eq!(last_two.inversions(), 1);
/// assert_eq!(last_two.apply(&['水', '滴', '石', '穿']), ['水', '滴', '穿', '石']);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permutation {
    /// Which unit stands at each place.
    order: Vec<usize>,
}

impl Permutation {
    /// All arrangements of `units` units in lexicographic order, the identity first.
    pub fn all_of_length(units: usize) -> Vec<Permutation> {
        let mut order: Vec<usize> = (0..units).collect();
        let mut all = vec![Permutation {
            order: order.clone(),
        }];
        while to_next(&mut order) {
            all.push(Permutation {
                order: order.clone(),
            });
        }
        all
    }

    /// All arrangements of `units` units, by their number of inversions; within a number in
    /// lexicographic order.
    pub fn by_inversions(units: usize) -> Vec<Vec<Permutation>> {
        let mut by = vec![Vec::new(); most_inversions(units) + 1];
        for arrangement in Permutation::all_of_length(units) {
            by[arrangement.inversions()].push(arrangement);
        }
        by
    }

    /// The arrangements that shift all units around, by their number of inversions.
    ///
    /// ```
    /// use duress_text::arrangement::Permutation;
    /// let shifts = Permutation::shifts_by_inversions(4);
    /// let names: Vec<Vec<String>> = shifts.iter().map(|of| of.iter().map(|p| p.to_string()).collect()).collect();
    /// assert_eq!(names[3], ["BCDA", "DABC"]);
    /// assert_eq!(names[4], ["CDAB"]);
    /// ```
    pub fn shifts_by_inversions(units: usize) -> Vec<Vec<Permutation>> {
        let mut by = vec![Vec::new(); most_inversions(units) + 1];
        for shift in 0..units {
            let order = (0..units).map(|place| (place + shift) % units).collect();
            let shifted = Permutation { order };
            by[shifted.inversions()].push(shifted);
        }
        by
    }

    /// An arrangement of these units with so many inversions, reached by swapping neighbours that
    /// are still in order, chosen by chance; equal units are not swapped. From the same draws, one
    /// with more inversions is reached through one with fewer. None where so many cannot be.
    ///
    /// ```
    /// use duress_core::seed::Seed;
    /// use duress_text::arrangement::Permutation;
    /// let drawn = |k| Permutation::drawn(&["a", "b", "c", "b"], k, &mut Seed::new(1).draws());
    /// assert_eq!(drawn(4).unwrap().inversions(), 4);
    /// assert!(drawn(5).is_none());
    /// ```
    pub fn drawn<T: PartialEq>(
        units: &[T],
        inversions: usize,
        draws: &mut Draws,
    ) -> Option<Permutation> {
        let mut order: Vec<usize> = (0..units.len()).collect();
        for _ in 0..inversions {
            let free: Vec<usize> = (1..order.len())
                .filter(|&at| {
                    let (left, right) = (order[at - 1], order[at]);
                    left < right && units[left] != units[right]
                })
                .collect();
            if free.is_empty() {
                return None;
            }
            let at = free[draws.below(free.len())];
            order.swap(at - 1, at);
        }
        Some(Permutation { order })
    }

    /// The arrangement of this name, `ABDC` or the like.
    ///
    /// ```
    /// use duress_text::arrangement::Permutation;
    /// assert_eq!(Permutation::named("CAB").unwrap().order(), [2, 0, 1]);
    /// assert_eq!(Permutation::named("CAA"), None);
    /// ```
    pub fn named(name: &str) -> Option<Permutation> {
        let order: Vec<usize> = name
            .bytes()
            .map(|letter| letter.checked_sub(b'A').map(usize::from))
            .collect::<Option<_>>()?;
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let whole = sorted.iter().enumerate().all(|(at, unit)| at == *unit);
        whole.then_some(Permutation { order })
    }

    /// Which unit stands at each place.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// How many pairs of units stand in the wrong order.
    pub fn inversions(&self) -> usize {
        let before = |(at, unit): (usize, &usize)| {
            self.order[..at].iter().filter(|left| *left > unit).count()
        };
        self.order.iter().enumerate().map(before).sum()
    }

    /// How many units it is for.
    pub fn units(&self) -> usize {
        self.order.len()
    }

    /// The units in this order.
    ///
    /// # Panics
    /// When there are more or fewer units than it is for.
    pub fn apply<T: Clone>(&self, units: &[T]) -> Vec<T> {
        assert_eq!(
            units.len(),
            self.units(),
            "an arrangement of {} units",
            self.units()
        );
        self.order.iter().map(|&unit| units[unit].clone()).collect()
    }

    /// Whether this is the arrangement to count for its result: equal units keep their order, and
    /// something moves.
    ///
    /// Of all arrangements that give the same result exactly one keeps equal units in order, and it
    /// has the fewest inversions. So each distinct scramble is counted once, at its least severity,
    /// and the original never.
    ///
    /// ```
    /// use duress_text::arrangement::Permutation;
    /// let distinct = |text: &str| {
    ///     let units: Vec<char> = text.chars().collect();
    ///     Permutation::all_of_length(units.len()).iter().filter(|a| a.is_distinct_on(&units)).count()
    /// };
    /// assert_eq!(distinct("水滴石穿"), 23);
    /// assert_eq!(distinct("自言自语"), 11);
    /// assert_eq!(distinct("哈哈哈哈"), 0);
    /// ```
    pub fn is_distinct_on<T: PartialEq>(&self, units: &[T]) -> bool {
        let in_order = |(at, &unit): (usize, &usize)| {
            self.order[..at]
                .iter()
                .all(|&left| left < unit || units[left] != units[unit])
        };
        self.inversions() > 0 && self.order.iter().enumerate().all(in_order)
    }
}

impl fmt::Display for Permutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |&unit: &usize| char::from(b'A' + (unit % 26) as u8);
        f.pad(&self.order.iter().map(letter).collect::<String>())
    }
}

/// Whether the arrangement of this name (`ABDC`) is to be counted for a text: not where the text
/// repeats a unit and another arrangement with fewer inversions gives the same. The units are its
/// characters or, where it has another number of these, its words; a text of other lengths has no
/// such arrangement.
///
/// ```
/// use duress_text::arrangement::counts_for;
/// assert_eq!(counts_for("水滴石穿", "BACD"), Some(true));
/// assert_eq!(counts_for("一心一意", "CBAD"), Some(false));
/// assert_eq!(counts_for("to be or not", "BACD"), Some(true));
/// assert_eq!(counts_for("水滴", "BACD"), None);
/// ```
pub fn counts_for(text: &str, name: &str) -> Option<bool> {
    let order = Permutation::named(name)?;
    [TextUnits::Characters, TextUnits::Words]
        .into_iter()
        .map(|units| units.split(text))
        .find(|units| units.len() == order.units())
        .map(|units| order.is_distinct_on(&units))
}

/// The inversions of the reversed order, the most there are.
pub fn most_inversions(units: usize) -> usize {
    units * units.saturating_sub(1) / 2
}

/// Steps to the next order in lexicographic order; `false` when it was the last.
fn to_next(order: &mut [usize]) -> bool {
    let Some(pivot) = (1..order.len()).rev().find(|&at| order[at - 1] < order[at]) else {
        return false;
    };
    let next = (pivot..order.len())
        .rev()
        .find(|&at| order[at] > order[pivot - 1]);
    if let Some(next) = next {
        order.swap(pivot - 1, next);
        order[pivot..].reverse();
    }
    next.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn four_units_have_23_scrambles_from_abdc_to_dcba() {
        let names: Vec<String> = Permutation::all_of_length(4)
            .iter()
            .skip(1)
            .map(ToString::to_string)
            .collect();
        assert_eq!(names.len(), 23);
        assert_eq!(names[..4], ["ABDC", "ACBD", "ACDB", "ADBC"]);
        assert_eq!(names[22], "DCBA");
        assert!(names.is_sorted());
    }

    #[test]
    fn scrambles_by_inversions_are_3_5_6_5_3_1() {
        let counts: Vec<usize> = Permutation::by_inversions(4).iter().map(Vec::len).collect();
        assert_eq!(counts, [1, 3, 5, 6, 5, 3, 1]);
    }

    #[test]
    fn each_distinct_result_is_counted_once_and_at_its_fewest_inversions() {
        for text in ["ABCD", "AABC", "ABAC", "AABB", "ABBA", "AAAB", "AAAA"] {
            let units: Vec<char> = text.chars().collect();
            let mut fewest: HashMap<Vec<char>, usize> = HashMap::new();
            for arrangement in Permutation::all_of_length(4) {
                let least = fewest
                    .entry(arrangement.apply(&units))
                    .or_insert(usize::MAX);
                *least = (*least).min(arrangement.inversions());
            }
            fewest.remove(&units);
            let all = Permutation::all_of_length(4);
            let counted: Vec<&Permutation> =
                all.iter().filter(|a| a.is_distinct_on(&units)).collect();
            let results: HashSet<Vec<char>> = counted.iter().map(|a| a.apply(&units)).collect();
            assert_eq!(results, fewest.keys().cloned().collect(), "{text}");
            assert_eq!(counted.len(), results.len(), "{text}");
            assert!(
                counted
                    .iter()
                    .all(|a| fewest[&a.apply(&units)] == a.inversions()),
                "{text}"
            );
        }
    }
}
