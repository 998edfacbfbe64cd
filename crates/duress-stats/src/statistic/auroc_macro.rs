//! The mean over classes of the area under the ROC curve of each class against the rest.
//!
//! Unweighted, over the classes that some items have and some have not; which these are is settled
//! when the items are known, so that resamples estimate one quantity: one in which such a class is
//! missing has no value. Source: F. Provost and P. Domingos (2000), without their weights; D. Hand
//! and R. Till, Mach. Learn. 45 (2001) 171, compare the pairs instead.

use super::auroc::auroc_of;
use super::{Auroc, Statistic};
use crate::parallel;
use crate::{UndefinedReason, check};

/// One AUROC per class, each sorted once.
///
/// ```
/// use duress_stats::statistic::{MacroAuroc, Statistic};
///
/// let scores = [0.8, 0.2, 0.3, 0.7, 0.6, 0.4];
/// let auroc = MacroAuroc::new(&[0, 1, 1], 2, |item, class| scores[2 * item + class]).unwrap();
/// assert_eq!(auroc.value().unwrap(), 1.0);
/// ```
#[derive(Debug, Clone)]
pub struct MacroAuroc {
    classes: Vec<(usize, Auroc)>,
    items: usize,
}

impl MacroAuroc {
    /// The areas of items of these classes, given a score per item and class.
    ///
    /// # Errors
    /// No items, no class that some have and others not, or a score that is not finite.
    pub fn new(
        truth: &[u32],
        classes: usize,
        score: impl Fn(usize, usize) -> f64 + Sync,
    ) -> Result<Self, UndefinedReason> {
        let areas = each_class(truth, classes, &score, |class, _| {
            let scores: Vec<f64> = (0..truth.len()).map(|item| score(item, class)).collect();
            let positives: Vec<bool> = truth.iter().map(|&of| of as usize == class).collect();
            Ok((class, Auroc::new(&scores, &positives)?))
        })?;
        Ok(Self {
            classes: areas,
            items: truth.len(),
        })
    }

    /// The area of one class against the rest.
    ///
    /// # Errors
    /// No item has the class, or every one has.
    pub fn of_class(&self, class: usize, weights: &[u32]) -> Result<f64, UndefinedReason> {
        match self.classes.iter().find(|(at, _)| *at == class) {
            Some((_, auroc)) => auroc.at_weights(weights),
            None => Err(UndefinedReason::Because(
                "it is the class of no item, or of all".into(),
            )),
        }
    }
}

/// The mean over classes once, without preparing for resamples.
///
/// ```
/// use duress_stats::statistic::auroc_macro;
///
/// let scores = [0.8, 0.2, 0.3, 0.7, 0.6, 0.4];
/// assert_eq!(auroc_macro(&[0, 1, 1], 2, |item, class| scores[2 * item + class]).unwrap(), 1.0);
/// ```
///
/// # Errors
/// As [`MacroAuroc::new`].
pub fn auroc_macro(
    truth: &[u32],
    classes: usize,
    score: impl Fn(usize, usize) -> f64 + Sync,
) -> Result<f64, UndefinedReason> {
    let areas = each_class(truth, classes, &score, |class, support| {
        auroc_of(
            truth.len(),
            |item| score(item, class),
            support,
            |item| truth[item] as usize == class,
        )
    })?;
    Ok(areas.iter().sum::<f64>() / areas.len() as f64)
}

/// What `area` makes of every class that some items have and some have not, given how many have it.
fn each_class<T: Send>(
    truth: &[u32],
    classes: usize,
    score: &(impl Fn(usize, usize) -> f64 + Sync),
    area: impl Fn(usize, usize) -> Result<T, UndefinedReason> + Sync,
) -> Result<Vec<T>, UndefinedReason> {
    check::at_least("items", truth.len(), 1)?;
    let mut support = vec![0_usize; classes];
    for &class in truth {
        support[class as usize] += 1;
    }
    let both = |class: &usize| support[*class] > 0 && support[*class] < truth.len();
    let there: Vec<usize> = (0..classes).filter(both).collect();
    if there.is_empty() {
        return Err(UndefinedReason::OneClass {
            positives: truth.len(),
            negatives: 0,
        });
    }
    let finite = |item: usize| there.iter().all(|&class| score(item, class).is_finite());
    if let Some(at) = (0..truth.len()).find(|item| !finite(*item)) {
        return Err(UndefinedReason::NotFinite {
            what: "the scores",
            at,
        });
    }
    parallel::map_list(&there, |&class| area(class, support[class]))
        .into_iter()
        .collect()
}

impl Statistic for MacroAuroc {
    fn units(&self) -> usize {
        self.items
    }

    fn at_weights(&self, weights: &[u32]) -> Result<f64, UndefinedReason> {
        let mut sum = 0.0;
        for (_, auroc) in &self.classes {
            sum += auroc.at_weights(weights)?;
        }
        Ok(sum / self.classes.len() as f64)
    }

    /// Of two classes whose areas are one, since what speaks for the one speaks against the other.
    fn ranked(&self) -> Option<Vec<(f64, bool)>> {
        let [(_, first), (_, second)] = self.classes.as_slice() else {
            return None;
        };
        let apart = first.value().ok()? - second.value().ok()?;
        (libm::fabs(apart) < 1e-12).then(|| second.ranked())?
    }
}
