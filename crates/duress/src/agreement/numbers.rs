//! The numbers of a judge beside people, each with its interval.

use duress_findings::{AgreementMeasure, AgreementNumber, JudgeAgreement};
use duress_stats::agreement::{
    AlphaDistance, JudgedRates, KappaWeights, PairCounts, Patterns, RatedUnits, cohen_kappa,
    gwet_ac1, krippendorff_alpha, pair_tau, pattern_interval, prediction_powered, rogan_gladen,
};
use duress_stats::interval::wilson;
use duress_stats::{Interval, UndefinedReason};

use super::AgreementOptions;
use super::consensus::{Coded, LabelScale};

/// The seed of resamples: the same table gives the same intervals.
const SEED: u64 = 20_261_117;

/// A judge beside what people say.
pub(super) struct Judged<'a> {
    name: &'a str,
    coded: &'a Coded,
    judge: &'a [Option<usize>],
    people: &'a [Option<usize>],
    both: Vec<(usize, usize)>,
}

/// What both said of the items that both labelled.
pub(super) fn both(one: &[Option<usize>], other: &[Option<usize>]) -> Vec<(usize, usize)> {
    let pairs = one.iter().zip(other);
    pairs
        .filter_map(|(one, other)| Some(((*one)?, (*other)?)))
        .collect()
}

/// How often each pair was said.
pub(super) fn counts(
    coded: &Coded,
    both: &[(usize, usize)],
) -> Result<PairCounts, UndefinedReason> {
    PairCounts::of_pairs(coded.categories.len(), both)
}

type PairStatistic = fn(&PairCounts) -> Result<f64, UndefinedReason>;

impl<'a> Judged<'a> {
    pub(super) fn new(
        name: &'a str,
        coded: &'a Coded,
        judge: &'a [Option<usize>],
        people: &'a [Option<usize>],
    ) -> Judged<'a> {
        Judged {
            name,
            coded,
            judge,
            people,
            both: both(judge, people),
        }
    }

    pub(super) fn agreement(&self, options: &AgreementOptions) -> JudgeAgreement {
        let only = |one: &[Option<usize>], other: &[Option<usize>]| {
            let pairs = one.iter().zip(other);
            pairs
                .filter(|(one, other)| one.is_some() && other.is_none())
                .count()
        };
        let mut numbers = Vec::new();
        if let Some(rates) = self.rates() {
            numbers.extend(self.shares(&rates, options.level));
        }
        numbers.push(self.observed(options.level));
        let resampled = self.statistics().into_iter();
        numbers.extend(resampled.map(|(measure, of)| self.resampled(measure, of, options)));
        numbers.push(self.alpha(options));
        if let Some(rates) = self.rates() {
            numbers.extend(self.corrected(&rates, options.level));
        }
        JudgeAgreement {
            judge: self.name.into(),
            both: self.both.len(),
            only_judge: only(self.judge, self.people),
            only_people: only(self.people, self.judge),
            numbers,
        }
    }

    /// What both said where labels pass or fail.
    pub(super) fn rates(&self) -> Option<JudgedRates> {
        if self.coded.scale != LabelScale::Binary {
            return None;
        }
        let count = |judge: usize, people: Option<usize>| {
            let pairs = self.judge.iter().zip(self.people);
            let same = pairs.filter(|(one, other)| **one == Some(judge) && **other == people);
            same.count() as u64
        };
        Some(JudgedRates {
            both_pass: count(1, Some(1)),
            only_people_pass: count(0, Some(1)),
            only_judge_passes: count(1, Some(0)),
            both_fail: count(0, Some(0)),
            unlabelled_pass: count(1, None),
            unlabelled_fail: count(0, None),
        })
    }

    fn shares(&self, rates: &JudgedRates, level: f64) -> Vec<AgreementNumber> {
        let judge_pass = rates.both_pass + rates.only_judge_passes + rates.unlabelled_pass;
        let judged = rates.labelled() + rates.unlabelled();
        vec![
            share(
                AgreementMeasure::BaseRate,
                rates.people_pass(),
                rates.labelled(),
                level,
            ),
            share(AgreementMeasure::JudgeRate, judge_pass, judged, level),
            share(
                AgreementMeasure::TruePositive,
                rates.both_pass,
                rates.people_pass(),
                level,
            ),
            share(
                AgreementMeasure::TrueNegative,
                rates.both_fail,
                rates.people_fail(),
                level,
            ),
        ]
    }

    fn observed(&self, level: f64) -> AgreementNumber {
        let same = self.both.iter().filter(|(one, other)| one == other).count();
        share(
            AgreementMeasure::Observed,
            same as u64,
            self.both.len() as u64,
            level,
        )
    }

    /// The statistics of pairs that make sense for these labels.
    fn statistics(&self) -> Vec<(AgreementMeasure, PairStatistic)> {
        let plain: [(AgreementMeasure, PairStatistic); 2] = [
            (AgreementMeasure::Kappa, |counts| {
                cohen_kappa(counts, KappaWeights::Plain)
            }),
            (AgreementMeasure::Ac1, gwet_ac1),
        ];
        let ordered: [(AgreementMeasure, PairStatistic); 3] = [
            (AgreementMeasure::LinearKappa, |counts| {
                cohen_kappa(counts, KappaWeights::Linear)
            }),
            (AgreementMeasure::QuadraticKappa, |counts| {
                cohen_kappa(counts, KappaWeights::Quadratic)
            }),
            (AgreementMeasure::Tau, pair_tau),
        ];
        match self.coded.scale {
            LabelScale::Binary | LabelScale::Named => plain.to_vec(),
            LabelScale::Ordered => plain.into_iter().chain(ordered).collect(),
        }
    }

    fn resampled(
        &self,
        measure: AgreementMeasure,
        statistic: PairStatistic,
        options: &AgreementOptions,
    ) -> AgreementNumber {
        let k = self.coded.categories.len();
        let (patterns, keys) = Patterns::of_keys(&self.both);
        let of_counts = |counts: &[u64]| {
            let mut cells = vec![0; k * k];
            for ((one, other), count) in keys.iter().zip(counts) {
                cells[one * k + other] = *count;
            }
            statistic(&PairCounts::of_counts(k, &cells)?)
        };
        let value = of_counts(patterns.counts());
        let interval =
            pattern_interval(&patterns, of_counts, options.resamples, options.level, SEED);
        number(measure, self.both.len(), value, interval)
    }

    fn alpha(&self, options: &AgreementOptions) -> AgreementNumber {
        let values =
            |(one, other): &(usize, usize)| vec![self.coded.value(*one), self.coded.value(*other)];
        let units: Vec<Vec<f64>> = self.both.iter().map(values).collect();
        alpha_of(&units, self.coded.scale, options)
    }

    fn corrected(&self, rates: &JudgedRates, level: f64) -> Vec<AgreementNumber> {
        // Rogan and Gladen's is the rate of the items without a label alone.
        let unlabelled = rates.unlabelled() as usize;
        let both = [
            (
                AgreementMeasure::RoganGladen,
                unlabelled,
                rogan_gladen(rates, level),
            ),
            (
                AgreementMeasure::PredictionPowered,
                rates.labelled() as usize + unlabelled,
                prediction_powered(rates, level),
            ),
        ];
        let corrected = both.into_iter();
        corrected
            .map(|(measure, items, corrected)| match corrected {
                Ok(corrected) => number(measure, items, Ok(corrected.rate), Ok(corrected.interval)),
                Err(why) => number(measure, items, Err(why.clone()), Err(why)),
            })
            .collect()
    }
}

/// Krippendorff's α over some raters.
pub(super) fn panel_alpha(
    coded: &Coded,
    raters: &[usize],
    options: &AgreementOptions,
) -> AgreementNumber {
    let items = coded.codes.first().map_or(0, Vec::len);
    let unit = |item: usize| {
        let said = raters.iter().filter_map(|rater| coded.codes[*rater][item]);
        said.map(|code| coded.value(code)).collect()
    };
    let units: Vec<Vec<f64>> = (0..items).map(unit).collect();
    alpha_of(&units, coded.scale, options)
}

fn alpha_of(units: &[Vec<f64>], scale: LabelScale, options: &AgreementOptions) -> AgreementNumber {
    let distance = match scale {
        LabelScale::Ordered => AlphaDistance::Ordinal,
        LabelScale::Binary | LabelScale::Named => AlphaDistance::Nominal,
    };
    let pairable = units.iter().filter(|unit| unit.len() > 1).count();
    let rated = match RatedUnits::new(units) {
        Ok(rated) => rated,
        Err(why) => {
            return number(
                AgreementMeasure::Alpha,
                pairable,
                Err(why.clone()),
                Err(why),
            );
        }
    };
    let of_counts = |counts: &[u64]| krippendorff_alpha(&rated, counts, distance);
    let value = of_counts(rated.patterns().counts());
    let interval = pattern_interval(
        rated.patterns(),
        of_counts,
        options.resamples,
        options.level,
        SEED,
    );
    number(AgreementMeasure::Alpha, pairable, value, interval)
}

fn share(measure: AgreementMeasure, part: u64, whole: u64, level: f64) -> AgreementNumber {
    let value = match whole {
        0 => Err(UndefinedReason::TooFew {
            what: "items",
            need: 1,
            got: 0,
        }),
        _ => Ok(part as f64 / whole as f64),
    };
    number(measure, whole as usize, value, wilson(part, whole, level))
}

fn number(
    measure: AgreementMeasure,
    items: usize,
    value: Result<f64, UndefinedReason>,
    interval: Result<Interval, UndefinedReason>,
) -> AgreementNumber {
    let why = value.as_ref().err().or(interval.as_ref().err());
    AgreementNumber {
        measure,
        undefined: why.map(UndefinedReason::in_words),
        method: interval
            .as_ref()
            .ok()
            .map(|interval| interval.method.clone()),
        interval: interval.ok().map(|interval| (interval.low, interval.high)),
        value: value.ok(),
        items,
    }
}
