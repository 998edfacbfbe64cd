//! How the units of a text were arranged, as the names of files, sheets, columns and cells say it.

use duress_tables::layout::words::{EXPLANATION_SCORES, ORIGINAL_ORDER};

/// What parts the words of a name.
const SEPARATORS: [char; 4] = ['_', '-', ' ', '.'];

/// Which unit stands at each place; the original order without a number of units is empty.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UnitOrder(pub(super) Vec<usize>);

impl UnitOrder {
    /// Reads `ABDC`, `1243`, `0132` or `original`, also behind other words (`scores_ABDC`).
    pub(super) fn parse(name: &str) -> Option<UnitOrder> {
        UnitOrder::exactly(name.trim().rsplit(SEPARATORS).next()?)
    }

    /// Reads `ABDC`, `1243`, `0132` or `original`, and nothing around it.
    pub(super) fn exactly(name: &str) -> Option<UnitOrder> {
        let word = name.trim().to_ascii_lowercase();
        if ORIGINAL_ORDER.has(&word) {
            return Some(UnitOrder(Vec::new()));
        }
        let first = word.bytes().min()?;
        let order: Vec<usize> = word.bytes().map(|byte| usize::from(byte - first)).collect();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        let whole = [b'a', b'0', b'1'].contains(&first)
            && sorted.iter().enumerate().all(|(at, unit)| at == *unit);
        let same = word
            .bytes()
            .all(|byte| byte.is_ascii_digit() == first.is_ascii_digit());
        (whole && same && order.len() > 1).then_some(if sorted == order {
            UnitOrder(Vec::new())
        } else {
            UnitOrder(order)
        })
    }

    /// Reads the arrangement whose scores a column has: `ABDC_S_Acc`, or `ABDC` alone.
    pub(super) fn of_score_column(name: &str, score: Option<&str>) -> Option<UnitOrder> {
        let Some((order, rest)) = name.split_once(SEPARATORS) else {
            let lettered = name.trim().len() > 2 && !ORIGINAL_ORDER.has(name.trim());
            return UnitOrder::exactly(name).filter(|_| lettered && score.is_none());
        };
        let named = match score {
            Some(score) => rest.eq_ignore_ascii_case(score),
            None => EXPLANATION_SCORES.has(rest),
        };
        named.then(|| UnitOrder::exactly(order)).flatten()
    }

    /// Whether a column is called after the letters of an arrangement and a score: `ABCD_S_Acc`.
    pub(super) fn is_lettered(name: &str) -> bool {
        let order = name.split_once(SEPARATORS).map(|(order, _)| order);
        order.is_some_and(|order| order.len() > 2 && !ORIGINAL_ORDER.has(order))
    }

    /// What the name of a file or sheet says before its arrangement, such as the model.
    pub(super) fn words_before(name: &str) -> &str {
        let before = name.trim().rsplit_once(SEPARATORS);
        before.map_or("", |(before, _)| before)
    }

    /// How many pairs stand in the wrong order.
    pub(super) fn inversions(&self) -> usize {
        let before =
            |(at, unit): (usize, &usize)| self.0[..at].iter().filter(|left| *left > unit).count();
        self.0.iter().enumerate().map(before).sum()
    }
}

impl std::fmt::Display for UnitOrder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() {
            return f.write_str("original");
        }
        let letter = |unit: &usize| char::from(b'A'.saturating_add((*unit).min(25) as u8));
        f.write_str(&self.0.iter().map(letter).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrangements_are_told_from_their_names() {
        let check = |name: &str, expected: Option<usize>| {
            assert_eq!(
                UnitOrder::parse(name).map(|one| one.inversions()),
                expected,
                "{name}"
            );
        };
        check("ABCD", Some(0));
        check("original", Some(0));
        check("abdc", Some(1));
        check("DCBA", Some(6));
        check("scores_BADC", Some(2));
        check("1243", Some(1));
        check("0132", Some(1));
        check("Sheet1", None);
        check("2024", None);
        check("AABB", None);
        check("", None);
        check("猫", None);
    }
}
