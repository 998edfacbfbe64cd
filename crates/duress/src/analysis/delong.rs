//! DeLong's test on the items of one seed.

use duress_stats::dist::Normal;
use duress_stats::tests::delong_error;
use duress_stats::{Interval, Side};

use super::reason;
use super::series::Series;
use duress_findings::AbsenceReason;

/// An area under the ROC curve of two classes, or the difference of two on the same items.
pub(super) struct Roc {
    pub(super) items: usize,
    estimate: f64,
    error: f64,
}

impl Roc {
    /// The items that both sides ranked, of the one seed there is.
    pub(super) fn read(of: &Series, against: Option<&Series>) -> Result<Roc, AbsenceReason> {
        let first = ranked(of)?;
        let second = against.map(ranked).transpose()?;
        let mut scores: (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut positives = Vec::new();
        for (at, item) in first.iter().enumerate() {
            let other = second.as_ref().map_or(*item, |second| second[at]);
            if let (Some((score, positive)), Some((other, _))) = (item, other) {
                scores.0.push(*score);
                scores.1.push(other);
                positives.push(*positive);
            }
        }
        let rival = second.is_some().then_some(scores.1.as_slice());
        let found = delong_error(&scores.0, rival, &positives);
        let (estimate, error) = found.map_err(reason::statistic)?;
        Ok(Roc {
            items: positives.len(),
            estimate,
            error,
        })
    }

    /// How many errors the estimate lies above `null`.
    pub(super) fn z(&self, null: f64) -> f64 {
        (self.estimate - null) / self.error
    }

    /// The p-value of the null that the truth is at most (`Greater`) or at least `null`.
    pub(super) fn p(&self, null: f64, side: Side) -> Result<f64, AbsenceReason> {
        Ok(match side {
            Side::Less => Normal.cdf(self.z(null)),
            Side::Greater | Side::TwoSided => Normal.sf(self.z(null)),
        })
    }

    pub(super) fn interval(&self, level: f64) -> Result<Interval, AbsenceReason> {
        let quantile = Normal.upper_quantile(0.5 * (1.0 - level));
        let half = quantile.map_err(reason::statistic)? * self.error;
        let low = self.estimate - half;
        let high = self.estimate + half;
        Interval::new(low, high, level, "Wald by DeLong").map_err(reason::statistic)
    }
}

/// Score and class of every item that takes part.
fn ranked(series: &Series) -> Result<Vec<Option<(f64, bool)>>, AbsenceReason> {
    match series.meters.as_slice() {
        [Ok(meter)] => meter.ranked().ok_or(AbsenceReason::NoRocOfTwoClasses),
        [Err(why)] => Err(why.clone()),
        seeds => Err(AbsenceReason::MoreThanOneSeed { seeds: seeds.len() }),
    }
}
