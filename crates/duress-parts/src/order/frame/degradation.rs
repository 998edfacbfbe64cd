//! Degradation: what scrambling takes from each item, read by the gauges of scrambled order.

use std::sync::Arc;

use duress_core::gauge::{Columns, Direction, LadderGauge, Meter, Rung, Scale, Undefined};
use duress_core::part::{Field, Params, Takes};
use duress_core::word::Word;

/// The score of each item as it was, and under each arrangement it takes part in.
pub(crate) struct RungScores {
    original: Vec<Option<f64>>,
    pressed: Vec<Vec<Option<f64>>>,
}

impl RungScores {
    /// From the rungs of a ladder, the clean one among them.
    pub(crate) fn of(rungs: &[Rung]) -> Result<RungScores, Undefined> {
        let items = |rung: &Rung| {
            let values = rung.meter.per_item().ok_or_else(|| {
                Undefined::new("needs a score per item, from a gauge that is a mean over items")
            });
            values.map(<[Option<f64>]>::to_vec)
        };
        let clean = rungs.iter().find(|rung| rung.severity.is_clean());
        let clean = clean.ok_or_else(|| {
            Undefined::new("there is no rung without stress: S_orig is not known")
        })?;
        let pressed = rungs
            .iter()
            .filter(|rung| !rung.severity.is_clean())
            .map(items);
        let scores = RungScores {
            original: items(clean)?,
            pressed: pressed.collect::<Result<_, _>>()?,
        };
        if scores.pressed.is_empty() {
            return Err(Undefined::new("the ladder has no rung but the clean one"));
        }
        match scores
            .pressed
            .iter()
            .find(|values| values.len() != scores.original.len())
        {
            Some(odd) => Err(Undefined::new(format!(
                "the rungs are about different items: {} when clean, {} under stress",
                scores.original.len(),
                odd.len()
            ))),
            None => Ok(scores),
        }
    }

    /// How many items there are.
    pub(crate) fn items(&self) -> usize {
        self.original.len()
    }

    /// The scores of an item under the arrangements it takes part in.
    pub(crate) fn of_item(&self, item: usize) -> impl Iterator<Item = f64> + '_ {
        self.pressed.iter().filter_map(move |values| values[item])
    }
}

/// How items are put together into the degradation of an arrangement.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum ItemRatio {
    /// The mean over items of (S_orig − S_pert) / S_orig, for items with S_orig at or above this.
    MeanOfRatios(f64),
    /// The same of the sums over items; small S_orig do no harm.
    RatioOfMeans,
}

duress_core::words! {
    /// The words for it; the least score is another key.
    enum RatioWord {
        MeanOfRatios = "mean-of-ratios",
        RatioOfMeans = "ratio-of-means",
    }
}

impl ItemRatio {
    /// The keys that choose it.
    pub(crate) const MIN_S_ORIG: Field = Field {
        name: "min-s-orig",
        takes: Takes::Number(0.0, 1.0),
        doc: "items that score less than this without stress are left out, since their ratios explode",
        default: Some("0.05"),
    };
    pub(crate) const RATIO: Field = Field {
        name: "ratio",
        takes: Takes::Choice(RatioWord::spellings),
        doc: "whether the loss is divided by the score item by item, or over all items",
        default: Some("mean-of-ratios"),
    };

    pub(crate) fn new(params: &Params) -> ItemRatio {
        match params.choice("ratio") {
            RatioWord::RatioOfMeans => ItemRatio::RatioOfMeans,
            RatioWord::MeanOfRatios => ItemRatio::MeanOfRatios(params.number("min-s-orig")),
        }
    }

    /// In words, for a convention.
    pub(crate) fn words(self) -> String {
        match self {
            ItemRatio::MeanOfRatios(least) => format!(
                "d(p) = mean over items of (S_orig − S_pert)/S_orig, items with S_orig below {least} left out, gains negative, not clamped"
            ),
            ItemRatio::RatioOfMeans => {
                "d(p) = (mean S_orig − mean S_pert)/mean S_orig, gains negative, not clamped".into()
            }
        }
    }
}

/// The degradation of each arrangement, as a function of how often each item counts.
pub(crate) struct Degradation {
    items: usize,
    /// By arrangement and item: what is lost, and what it is divided by.
    lost: Vec<Vec<Option<(f64, f64)>>>,
}

impl Degradation {
    pub(crate) fn of(scores: &RungScores, ratio: ItemRatio) -> Result<Degradation, Undefined> {
        let loss = |original: Option<f64>, pressed: Option<f64>| {
            let original = original?;
            let pressed = pressed?;
            match ratio {
                ItemRatio::RatioOfMeans => Some((original - pressed, original)),
                ItemRatio::MeanOfRatios(least) if original < least || original == 0.0 => None,
                ItemRatio::MeanOfRatios(_) => Some(((original - pressed) / original, 1.0)),
            }
        };
        let of = |pressed: &Vec<Option<f64>>| {
            scores
                .original
                .iter()
                .zip(pressed)
                .map(|(original, pressed)| loss(*original, *pressed))
                .collect()
        };
        let lost: Vec<Vec<Option<(f64, f64)>>> = scores.pressed.iter().map(of).collect();
        // An arrangement that is distinct for no item is nobody's arrangement.
        let lost: Vec<_> = lost
            .into_iter()
            .filter(|values| values.iter().any(Option::is_some))
            .collect();
        match lost.is_empty() {
            true => Err(Undefined::new(
                "no item has a score both without stress, high enough to divide by, and under stress",
            )),
            false => Ok(Degradation {
                items: scores.items(),
                lost,
            }),
        }
    }

    pub(crate) fn items(&self) -> usize {
        self.items
    }

    /// Whether an item entered any of it.
    pub(crate) fn has(&self, item: usize) -> bool {
        self.lost.iter().any(|values| values[item].is_some())
    }

    /// d(p) for each arrangement.
    pub(crate) fn by_arrangement(&self, weights: &[u32]) -> Result<Vec<f64>, Undefined> {
        let degradation = |values: &Vec<Option<(f64, f64)>>| {
            let mut above = 0.0;
            let mut below = 0.0;
            for (value, &weight) in values.iter().zip(weights) {
                if let Some((lost, of)) = value {
                    above += lost * f64::from(weight);
                    below += of * f64::from(weight);
                }
            }
            match below > 0.0 {
                true => Ok(above / below),
                false => Err(Undefined::new(
                    "no item takes part in an arrangement, or all score 0 without stress",
                )),
            }
        };
        self.lost.iter().map(degradation).collect()
    }

    /// The mean over arrangements.
    pub(crate) fn mdr(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.by_arrangement(weights)
            .map(|all| all.iter().sum::<f64>() / all.len() as f64)
    }

    /// The worst arrangement.
    pub(crate) fn mda(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.by_arrangement(weights)
            .map(|all| all.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }

    /// 1 − (0.5 MDR + 0.5 MDA).
    pub(crate) fn s_seq(&self, weights: &[u32]) -> Result<f64, Undefined> {
        Ok(1.0 - (0.5 * self.mdr(weights)? + 0.5 * self.mda(weights)?))
    }

    /// Each item's own worst degradation; of ratios.
    pub(crate) fn worst(&self) -> Vec<Option<f64>> {
        let worst = |item: usize| {
            let own = self
                .lost
                .iter()
                .filter_map(|values| values[item])
                .map(|(lost, _)| lost);
            own.reduce(f64::max)
        };
        (0..self.items).map(worst).collect()
    }
}

/// The key that names the gauge read through.
pub(crate) const OF: Field = Field {
    name: "of",
    takes: Takes::Text,
    doc: "the gauge of single cells that says how good an explanation is",
    default: Some("s-acc"),
};

/// What gauges of degradation share: the gauge they read through, how ratios are taken, and one
/// number of it all.
pub(crate) struct DegradationGauge {
    of: String,
    ratio: ItemRatio,
    words: &'static str,
    better: (Direction, Option<f64>),
    read: fn(&Degradation, &[u32]) -> Result<f64, Undefined>,
}

impl DegradationGauge {
    /// The gauge that `words` describe; `better` is its direction and what perfection gives.
    pub(crate) fn new(
        params: &Params,
        words: &'static str,
        better: (Direction, Option<f64>),
        read: fn(&Degradation, &[u32]) -> Result<f64, Undefined>,
    ) -> DegradationGauge {
        DegradationGauge {
            of: params.text("of").into(),
            ratio: ItemRatio::new(params),
            words,
            better,
            read,
        }
    }
}

impl LadderGauge for DegradationGauge {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let convention = format!(
            "{}; {}; S is {}: {}",
            self.words,
            self.ratio.words(),
            self.of,
            of.convention
        );
        Scale {
            convention,
            direction: self.better.0,
            best: self.better.1,
            ends: (None, None),
            ..of.clone()
        }
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        let degradation = Degradation::of(&RungScores::of(rungs)?, self.ratio)?;
        Ok(Arc::new(Degraded {
            degradation,
            read: self.read,
        }))
    }
}

struct Degraded {
    degradation: Degradation,
    read: fn(&Degradation, &[u32]) -> Result<f64, Undefined>,
}

impl Meter for Degraded {
    fn units(&self) -> usize {
        self.degradation.items()
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        (self.read)(&self.degradation, weights)
    }

    fn takes_part(&self, unit: usize) -> bool {
        self.degradation.has(unit)
    }
}
