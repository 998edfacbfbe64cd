//! Texts: many short ones in one long one, such as the ids of a million items.

use std::fmt::{Arguments, Write};
use std::ops::Index;

/// Many short texts in one long one: a million ids without a million allocations.
///
/// ```
/// use duress_core::texts::Texts;
/// let mut ids = Texts::from(vec!["a".to_string()]);
/// ids.push("bc");
/// ids.write(format_args!("{}", 7));
/// assert_eq!(ids, ["a", "bc", "7"]);
/// assert_eq!(&ids[1], "bc");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    all: String,
    ends: Vec<usize>,
}

impl Texts {
    /// The whole numbers below `n`, written down: ids where nobody gave any.
    pub fn numbers(n: usize) -> Texts {
        let mut texts = Texts::default();
        texts.ends.reserve_exact(n);
        (0..n).for_each(|number| texts.push_number(number as u64));
        texts
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text at `i`.
    pub fn get(&self, i: usize) -> &str {
        let start = i.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start..self.ends[i]]
    }

    /// The first of them.
    pub fn first(&self) -> Option<&str> {
        (!self.is_empty()).then(|| self.get(0))
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Each as a text of its own.
    pub fn to_vec(&self) -> Vec<String> {
        self.iter().map(String::from).collect()
    }

    /// Where a text stands that stood before, and where it stood first.
    ///
    /// Ids that rise, as numbers or as words, need no memory to be known as different.
    pub fn twice(&self) -> Option<(usize, usize)> {
        let rises = |(before, text): (&str, &str)| (before.len(), before) < (text.len(), text);
        let sorted = |(before, text): (&str, &str)| before < text;
        let pairs = || self.iter().zip(self.iter().skip(1));
        if pairs().all(rises) || pairs().all(sorted) {
            return None;
        }
        let mut seen = std::collections::HashMap::with_capacity(self.len());
        self.iter()
            .enumerate()
            .find_map(|(at, text)| Some((seen.insert(text, at)?, at)))
    }

    /// Adds a text.
    pub fn push(&mut self, text: &str) {
        self.all.push_str(text);
        self.ends.push(self.all.len());
    }

    /// Adds a whole number, written down.
    pub fn push_number(&mut self, number: u64) {
        let mut digits = [0; 20];
        let mut start = 20;
        let mut left = number;
        loop {
            start -= 1;
            digits[start] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        self.all
            .push_str(std::str::from_utf8(&digits[start..]).unwrap_or_default());
        self.ends.push(self.all.len());
    }

    /// Adds what is written down.
    pub fn write(&mut self, text: Arguments<'_>) {
        // Writing into a String cannot fail.
        let _ = self.all.write_fmt(text);
        self.ends.push(self.all.len());
    }

    /// Adds all of others behind these.
    pub fn append(&mut self, others: &Texts) {
        let before = self.all.len();
        self.all.push_str(&others.all);
        self.ends.extend(others.ends.iter().map(|end| before + end));
    }
}

impl Index<usize> for Texts {
    type Output = str;

    fn index(&self, i: usize) -> &str {
        self.get(i)
    }
}

impl From<Vec<String>> for Texts {
    fn from(texts: Vec<String>) -> Texts {
        texts.iter().map(String::as_str).collect()
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Texts {
        let mut all = Texts::default();
        texts.into_iter().for_each(|text| all.push(text));
        all
    }
}

impl<const N: usize> PartialEq<[&str; N]> for Texts {
    fn eq(&self, others: &[&str; N]) -> bool {
        self.iter().eq(others.iter().copied())
    }
}

impl<const N: usize> PartialEq<[&str; N]> for &Texts {
    fn eq(&self, others: &[&str; N]) -> bool {
        **self == *others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_rust_writes_them() {
        let mut texts = Texts::default();
        let numbers = [0, 9, 10, 1_234_567_890, u64::MAX];
        numbers.iter().for_each(|number| texts.push_number(*number));
        assert_eq!(texts.to_vec(), numbers.map(|number| number.to_string()));
        assert_eq!(Texts::numbers(3), ["0", "1", "2"]);
    }

    #[test]
    fn a_text_that_stands_twice_is_found_whatever_the_order() {
        let check = |texts: &[&str], expected| {
            assert_eq!(
                texts.iter().copied().collect::<Texts>().twice(),
                expected,
                "{texts:?}"
            );
        };
        check(&["9", "10", "11"], None);
        check(&["10", "11", "9"], None);
        check(&["b", "a", "c"], None);
        check(&["a", "a"], Some((0, 1)));
        check(&["b", "a", "c", "a"], Some((1, 3)));
        check(&[], None);
    }

    #[test]
    fn texts_behind_others_are_what_they_were() {
        let mut texts: Texts = ["a", ""].into_iter().collect();
        texts.append(&["猫", "b"].into_iter().collect());
        assert_eq!(texts, ["a", "", "猫", "b"]);
    }
}
