//! Several answers about one item, put together: the share of them that names each class.

use duress_core::answer::ItemAnswer;

/// One answer from several: which share of them names each class. Where one of them is absent, so is
/// this, for the same reason: shares of those that are left would be of another number of times.
pub(crate) fn together<'a>(
    said: impl Iterator<Item = &'a ItemAnswer>,
    classes: usize,
) -> ItemAnswer {
    let mut shares = vec![0.0; classes];
    let mut times = 0.0;
    for one in said {
        match one {
            ItemAnswer::Label(class, _) => {
                shares[*class as usize] += 1.0;
                times += 1.0;
            }
            other => return other.clone(),
        }
    }
    ItemAnswer::Probabilities(shares.iter().map(|count| count / times).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use duress_core::answer::{Absence, AbsenceKind};

    #[test]
    fn shares_of_classes_are_counted_and_what_is_absent_stays_so() {
        let label = |class| ItemAnswer::Label(class, None);
        let said = [label(0), label(2), label(0), label(0)];
        let shares = ItemAnswer::Probabilities(vec![0.75, 0.0, 0.25]);
        assert_eq!(together(said.iter(), 3), shares);
        let refused = ItemAnswer::Absent(Absence::new(AbsenceKind::Refused, "no"));
        let said = [label(0), refused.clone()];
        assert_eq!(together(said.iter(), 3), refused);
    }
}
