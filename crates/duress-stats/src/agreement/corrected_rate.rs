//! Corrected rates: how many items people would have passed, from a judge that errs and some labels
//! of people.
//!
//! Two ways. *Rogan–Gladen* divides by what the judge gets right, `(q + TNR − 1) / (TPR + TNR − 1)`;
//! its interval is that of Lang and Reiczigel, which counts the error of all three. *Prediction
//! powered* starts from the labels of people and takes from the judge what it knows about the rest,
//! as much of it as helps (λ): it needs no model of errors, and is never much worse than the labels
//! alone.
//!
//! Both ask that the labelled items are a random draw of all. W. J. Rogan and B. Gladen, American
//! Journal of Epidemiology 107 (1978) 71; Z. Lang and J. Reiczigel, Preventive Veterinary Medicine
//! 113 (2014) 13; A. N. Angelopoulos, J. C. Duchi and T. Zrnic, PPI++, 2023.

use crate::dist::{Normal, StudentT};
use crate::{Interval, UndefinedReason, check};

/// What a judge said of items that people labelled, and of items that nobody did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgedRates {
    /// Passed by both.
    pub both_pass: u64,
    /// Passed by people and failed by the judge.
    pub only_people_pass: u64,
    /// Passed by the judge and failed by people.
    pub only_judge_passes: u64,
    /// Failed by both.
    pub both_fail: u64,
    /// Passed by the judge, without a label.
    pub unlabelled_pass: u64,
    /// Failed by the judge, without a label.
    pub unlabelled_fail: u64,
}

/// A rate with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct CorrectedRate {
    /// The rate.
    pub rate: f64,
    /// Where it may lie.
    pub interval: Interval,
}

impl JudgedRates {
    /// Items that people labelled.
    #[must_use]
    pub fn labelled(&self) -> u64 {
        self.both_pass + self.only_people_pass + self.only_judge_passes + self.both_fail
    }

    /// Items that nobody labelled.
    #[must_use]
    pub fn unlabelled(&self) -> u64 {
        self.unlabelled_pass + self.unlabelled_fail
    }

    /// Items that people passed, among those they labelled.
    #[must_use]
    pub fn people_pass(&self) -> u64 {
        self.both_pass + self.only_people_pass
    }

    /// Items that people failed.
    #[must_use]
    pub fn people_fail(&self) -> u64 {
        self.only_judge_passes + self.both_fail
    }
}

/// The Rogan–Gladen rate of the unlabelled items' population, with the interval of Lang and
/// Reiczigel.
///
/// ```
/// use duress_stats::agreement::{JudgedRates, rogan_gladen};
/// let judged = JudgedRates {
///     both_pass: 45, only_people_pass: 5, only_judge_passes: 10, both_fail: 40,
///     unlabelled_pass: 550, unlabelled_fail: 450,
/// };
/// let corrected = rogan_gladen(&judged, 0.95).unwrap();
/// assert!((corrected.rate - 0.5).abs() < 1e-12);
/// assert!(corrected.interval.contains(0.5));
/// ```
///
/// # Errors
/// Nobody passed or failed by people, no item without a label, or a judge no better than chance.
pub fn rogan_gladen(judged: &JudgedRates, level: f64) -> Result<CorrectedRate, UndefinedReason> {
    check::at_least("items that people passed", judged.people_pass() as usize, 1)?;
    check::at_least("items that people failed", judged.people_fail() as usize, 1)?;
    check::at_least("items without a label", judged.unlabelled() as usize, 1)?;
    let z = Normal.upper_quantile(0.5 * (1.0 - level))?;
    let positives = judged.people_pass() as f64;
    let negatives = judged.people_fail() as f64;
    let n = judged.unlabelled() as f64;
    let tpr = judged.both_pass as f64 / positives;
    let tnr = judged.both_fail as f64 / negatives;
    let apparent = judged.unlabelled_pass as f64 / n;
    let rate = true_rate(apparent, tpr, tnr)?;
    // As if one more of each had been seen, and z² more without a label, half of them passed.
    let positives = positives + 2.0;
    let negatives = negatives + 2.0;
    let n = n + z * z;
    let tpr = (judged.both_pass as f64 + 1.0) / positives;
    let tnr = (judged.both_fail as f64 + 1.0) / negatives;
    let apparent = (judged.unlabelled_pass as f64 + z * z / 2.0) / n;
    let middle = true_rate(apparent, tpr, tnr)?;
    let of_tpr = tpr * (1.0 - tpr) / positives;
    let of_tnr = tnr * (1.0 - tnr) / negatives;
    let shift = 2.0 * z * z * (middle * of_tpr - (1.0 - middle) * of_tnr);
    let variance = apparent * (1.0 - apparent) / n
        + middle * middle * of_tpr
        + (1.0 - middle) * (1.0 - middle) * of_tnr;
    let half = z * libm::sqrt(variance) / (tpr + tnr - 1.0);
    let interval = Interval::new(
        (middle + shift - half).clamp(0.0, 1.0),
        (middle + shift + half).clamp(0.0, 1.0),
        level,
        "Lang–Reiczigel",
    )?;
    Ok(CorrectedRate {
        rate: rate.clamp(0.0, 1.0),
        interval,
    })
}

fn true_rate(apparent: f64, tpr: f64, tnr: f64) -> Result<f64, UndefinedReason> {
    let better = tpr + tnr - 1.0;
    match better > 0.0 {
        true => Ok((apparent + tnr - 1.0) / better),
        false => Err(UndefinedReason::OutOfRange {
            what: "TPR + TNR − 1 of the judge",
            value: better,
            expected: "above 0: a judge no better than chance corrects nothing",
        }),
    }
}

/// What the variance of a prediction-powered rate is made of.
struct Powered {
    rate: f64,
    /// Of one labelled item: people's label less λ times the judge's.
    of_label: f64,
    /// What the judge's rate over items without a label adds, whatever the number of labels.
    of_judge: f64,
    labelled: f64,
}

impl Powered {
    fn of_judged(judged: &JudgedRates) -> Result<Powered, UndefinedReason> {
        check::at_least("labels of people", judged.labelled() as usize, 3)?;
        let n = judged.labelled() as f64;
        let people = judged.people_pass() as f64 / n;
        let judge = (judged.both_pass + judged.only_judge_passes) as f64 / n;
        let together = judged.both_pass as f64 / n;
        let sample = n / (n - 1.0);
        let covariance = (together - people * judge) * sample;
        let others = judged.unlabelled() as f64;
        let all_pass =
            (judged.both_pass + judged.only_judge_passes + judged.unlabelled_pass) as f64;
        let pooled = all_pass / (n + others);
        let spread = pooled * (1.0 - pooled) * (n + others) / (n + others - 1.0);
        let helps = match spread > 0.0 && others > 0.0 {
            true => (covariance / ((1.0 + n / others) * spread)).clamp(0.0, 1.0),
            false => 0.0,
        };
        let elsewhere = match others > 0.0 {
            true => judged.unlabelled_pass as f64 / others,
            false => judge,
        };
        let variance = |share: f64| share * (1.0 - share) * sample;
        let of_label =
            variance(people) + helps * helps * variance(judge) - 2.0 * helps * covariance;
        let of_judge = match others > 1.0 {
            true => helps * helps * elsewhere * (1.0 - elsewhere) / (others - 1.0),
            false => 0.0,
        };
        Ok(Powered {
            rate: people + helps * (elsewhere - judge),
            of_label: of_label.max(0.0),
            of_judge,
            labelled: n,
        })
    }
}

/// The prediction-powered rate, with a t interval kept within 0 and 1.
///
/// ```
/// use duress_stats::agreement::{JudgedRates, prediction_powered};
/// let judged = JudgedRates {
///     both_pass: 45, only_people_pass: 5, only_judge_passes: 10, both_fail: 40,
///     unlabelled_pass: 550, unlabelled_fail: 450,
/// };
/// let powered = prediction_powered(&judged, 0.95).unwrap();
/// assert!((powered.rate - 0.5).abs() < 1e-12);
/// assert!(powered.interval.width() < 0.2); // the labels alone give 0.2
/// ```
///
/// # Errors
/// Fewer than three labels, or labels that are all the same.
pub fn prediction_powered(
    judged: &JudgedRates,
    level: f64,
) -> Result<CorrectedRate, UndefinedReason> {
    let powered = Powered::of_judged(judged)?;
    if powered.of_label == 0.0 {
        return Err(UndefinedReason::NoSpread {
            what: "people's labels beside the judge's",
        });
    }
    let t = StudentT::new(powered.labelled - 1.0)?.upper_quantile(0.5 * (1.0 - level))?;
    let half = t * libm::sqrt(powered.of_label / powered.labelled + powered.of_judge);
    let rate = powered.rate.clamp(0.0, 1.0);
    let interval = Interval::new(
        (powered.rate - half).clamp(0.0, rate),
        (powered.rate + half).clamp(rate, 1.0),
        level,
        "prediction-powered t",
    )?;
    Ok(CorrectedRate { rate, interval })
}

/// How many further labels of people would show on which side of a bar a rate lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelsNeeded {
    /// The labels there are show it.
    Decided,
    /// About so many more, if the rate is what it seems to be.
    Further(u64),
    /// No number of labels: the judge must be asked about more items, or the rate is too near the
    /// bar.
    MoreItems,
}

/// How many further labels would decide whether the prediction-powered rate is above `bar`.
///
/// # Errors
/// As [`prediction_powered`].
pub fn labels_to_decide(
    judged: &JudgedRates,
    bar: f64,
    level: f64,
) -> Result<LabelsNeeded, UndefinedReason> {
    let now = prediction_powered(judged, level)?;
    if !now.interval.contains(bar) {
        return Ok(LabelsNeeded::Decided);
    }
    let powered = Powered::of_judged(judged)?;
    let z = Normal.upper_quantile(0.5 * (1.0 - level))?;
    let reach = (powered.rate - bar) * (powered.rate - bar) / (z * z);
    let left = reach - powered.of_judge;
    if left <= 0.0 {
        return Ok(LabelsNeeded::MoreItems);
    }
    let needed = libm::ceil(powered.of_label / left) as u64;
    Ok(LabelsNeeded::Further(
        needed.saturating_sub(judged.labelled()).max(1),
    ))
}
