//! Degradation: what scrambling takes from each item, read by the gauges of scrambled order.

use std::sync::Arc;

use duress_core::gauge::{Columns, Direction, LadderGauge, Meter, Rung, Scale, Undefined};
use duress_core::name::Name;
use duress_core::part::{Field, Params, Takes};

/// The score of each item as it was, and under each arrangement it takes part in.
pub(crate) struct Scores {
    original: Vec<Option<f64>>,
    pressed: Vec<Vec<Option<f64>>>,
}

impl Scores {
    /// From the rungs of a ladder, the clean one among them.
    pub(crate) fn of(rungs: &[Rung]) -> Result<Scores, Undefined> {
        let items = |rung: &Rung| {
            let values = rung.meter.per_item().ok_or_else(|| {
                Undefined::new("needs a score per item, from a gauge that is a mean over items")
            });
            values.map(<[Option<f64>]>::to_vec)
        };
        let clean = rungs.iter().find(|rung| rung.severity.is_clean());
        let clean =
            clean.ok_or_else(|| Undefined::new("there is no rung without stress: S_orig is not known"))?;
        let pressed = rungs.iter().filter(|rung| !rung.severity.is_clean()).map(items);
        let scores = Scores { original: items(clean)?, pressed: pressed.collect::<Result<_, _>>()? };
        if scores.pressed.is_empty() {
            return Err(Undefined::new("the ladder has no rung but the clean one"));
        }
        match scores.pressed.iter().find(|values| values.len() != scores.original.len()) {
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
pub(crate) enum Ratio {
    /// The mean over items of (S_orig − S_pert) / S_orig, for items with S_orig at or above this.
    MeanOfRatios(f64),
    /// The same of the sums over items; small S_orig do no harm.
    RatioOfMeans,
}

impl Ratio {
    /// The keys that choose it.
    pub(crate) const MIN_S_ORIG: Field = Field {
        name: "min-s-orig",
        takes: Takes::Number(0.0, 1.0),
        doc: "items that score less than this without stress are left out, since their ratios explode",
        default: Some("0.05"),
    };
    pub(crate) const RATIO: Field = Field {
        name: "ratio",
        takes: Takes::Choice(&["mean-of-ratios", "ratio-of-means"]),
        doc: "whether the loss is divided by the score item by item, or over all items",
        default: Some("mean-of-ratios"),
    };

    pub(crate) fn new(params: &Params) -> Ratio {
        match params.text("ratio") {
            "ratio-of-means" => Ratio::RatioOfMeans,
            _ => Ratio::MeanOfRatios(params.number("min-s-orig")),
        }
    }

    /// In words, for a convention.
    pub(crate) fn words(self) -> String {
        match self {
            Ratio::MeanOfRatios(least) => format!(
                "d(p) = mean over items of (S_orig − S_pert)/S_orig, items with S_orig below {least} left out, gains negative, not clamped"
            ),
            Ratio::RatioOfMeans => {
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
    pub(crate) fn of(scores: &Scores, ratio: Ratio) -> Result<Degradation, Undefined> {
        let loss = |original: Option<f64>, pressed: Option<f64>| {
            let (original, pressed) = (original?, pressed?);
            match ratio {
                Ratio::RatioOfMeans => Some((original - pressed, original)),
                Ratio::MeanOfRatios(least) if original < least || original == 0.0 => None,
                Ratio::MeanOfRatios(_) => Some(((original - pressed) / original, 1.0)),
            }
        };
        let of = |pressed: &Vec<Option<f64>>| {
            scores.original.iter().zip(pressed).map(|(original, pressed)| loss(*original, *pressed)).collect()
        };
        let lost: Vec<Vec<Option<(f64, f64)>>> = scores.pressed.iter().map(of).collect();
        // An arrangement that is distinct for no item is nobody's arrangement.
        let lost: Vec<_> = lost.into_iter().filter(|values| values.iter().any(Option::is_some)).collect();
        match lost.is_empty() {
            true => Err(Undefined::new(
                "no item has a score both without stress, high enough to divide by, and under stress",
            )),
            false => Ok(Degradation { items: scores.items(), lost }),
        }
    }

    pub(crate) fn items(&self) -> usize {
        self.items
    }

    /// d(p) for each arrangement.
    pub(crate) fn by_arrangement(&self, weights: &[u32]) -> Result<Vec<f64>, Undefined> {
        let degradation = |values: &Vec<Option<(f64, f64)>>| {
            let (mut above, mut below) = (0.0, 0.0);
            for (value, &weight) in values.iter().zip(weights) {
                if let Some((lost, of)) = value {
                    above += lost * f64::from(weight);
                    below += of * f64::from(weight);
                }
            }
            match below > 0.0 {
                true => Ok(above / below),
                false => {
                    Err(Undefined::new("no item takes part in an arrangement, or all score 0 without stress"))
                }
            }
        };
        self.lost.iter().map(degradation).collect()
    }

    /// The mean over arrangements.
    pub(crate) fn mdr(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.by_arrangement(weights).map(|all| all.iter().sum::<f64>() / all.len() as f64)
    }

    /// The worst arrangement.
    pub(crate) fn mda(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.by_arrangement(weights).map(|all| all.into_iter().fold(f64::NEG_INFINITY, f64::max))
    }

    /// 1 − (0.5 MDR + 0.5 MDA).
    pub(crate) fn s_seq(&self, weights: &[u32]) -> Result<f64, Undefined> {
        Ok(1.0 - (0.5 * self.mdr(weights)? + 0.5 * self.mda(weights)?))
    }

    /// Each item's own worst degradation; of ratios.
    pub(crate) fn worst(&self) -> Vec<Option<f64>> {
        let worst = |item: usize| {
            let own = self.lost.iter().filter_map(|values| values[item]).map(|(lost, _)| lost);
            own.reduce(f64::max)
        };
        (0..self.items).map(worst).collect()
    }
}

/// What the spread of the groups' means is divided by.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Normalize {
    /// 0.5, the largest spread that scores in [0, 1] can have.
    Half,
    /// The range of the means.
    Range,
}

impl Normalize {
    /// The key that chooses it.
    pub(crate) const FIELD: Field = Field {
        name: "normalize",
        takes: Takes::Choice(&["half", "range"]),
        doc: "what the spread is divided by: 0.5, the largest there can be, or the range of the means",
        default: Some("half"),
    };

    pub(crate) fn new(params: &Params) -> Normalize {
        if params.text("normalize") == "range" { Normalize::Range } else { Normalize::Half }
    }

    /// In words, for a convention.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Normalize::Half => "1 − σ/0.5 with the population σ of the groups' means",
            Normalize::Range => {
                "1 − σ/range with the population σ of the groups' means; six unequal groups give 0.5 to 0.7113 whatever the spread"
            }
        }
    }
}

/// An item's position, and the sum and number of its scores under stress.
type Scored = (usize, f64, f64);

/// Groups of items by a column, with what each scores under stress.
pub(crate) struct Groups {
    /// By group: its name and its items.
    members: Vec<(String, Vec<Scored>)>,
    normalize: Normalize,
}

impl Groups {
    /// The keys that say what a group is.
    pub(crate) const COLUMN: Field = Field {
        name: "column",
        takes: Takes::Text,
        doc: "the column of the dataset whose values are the groups",
        default: Some("structure"),
    };
    pub(crate) const EXCEPT: Field = Field {
        name: "except",
        takes: Takes::Texts,
        doc: "values of that column that are no group",
        default: Some("unlabelled"),
    };

    pub(crate) fn of(
        scores: &Scores,
        columns: &Columns,
        column: &str,
        except: &[String],
        normalize: Normalize,
    ) -> Result<Groups, Undefined> {
        let values = columns.get(column).ok_or_else(|| {
            let there: Vec<&str> = columns.keys().map(String::as_str).collect();
            let others = if there.is_empty() { "none".into() } else { there.join(", ") };
            Undefined::new(format!("the dataset has no column `{column}`; there is: {others}"))
        })?;
        let mut names: Vec<&String> = values.iter().filter(|value| !except.contains(value)).collect();
        names.sort();
        names.dedup();
        let own = |name: &String| {
            let of = (0..scores.items()).filter(|&item| values[item] == *name);
            let summed = of.map(|item| {
                let (sum, count) =
                    scores.of_item(item).fold((0.0, 0.0), |(sum, n), score| (sum + score, n + 1.0));
                (item, sum, count)
            });
            summed.filter(|(_, _, count)| *count > 0.0).collect::<Vec<_>>()
        };
        let members: Vec<_> = names.into_iter().map(|name| (name.clone(), own(name))).collect();
        match members.len() {
            0 | 1 => Err(Undefined::new(format!(
                "column `{column}` makes {} group: a spread needs two",
                members.len()
            ))),
            _ => Ok(Groups { members, normalize }),
        }
    }

    /// The mean score of each group over its items and their arrangements.
    pub(crate) fn means(&self, weights: &[u32]) -> Result<Vec<f64>, Undefined> {
        let mean = |(name, members): &(String, Vec<(usize, f64, f64)>)| {
            let (mut sum, mut count) = (0.0, 0.0);
            for (item, own, arrangements) in members {
                sum += own * f64::from(weights[*item]);
                count += arrangements * f64::from(weights[*item]);
            }
            match count > 0.0 {
                true => Ok(sum / count),
                false => Err(Undefined::new(format!("no item of group `{name}` has a score under stress"))),
            }
        };
        self.members.iter().map(mean).collect()
    }

    /// 1 − the normalized spread of the means.
    pub(crate) fn s_struct(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let means = self.means(weights)?;
        let n = means.len() as f64;
        let centre = means.iter().sum::<f64>() / n;
        let spread = libm::sqrt(means.iter().map(|mean| (mean - centre).powi(2)).sum::<f64>() / n);
        let least = means.iter().copied().fold(f64::INFINITY, f64::min);
        let range = means.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
        match self.normalize {
            Normalize::Half => Ok(1.0 - spread / 0.5),
            Normalize::Range if range == 0.0 => {
                Err(Undefined::new("all groups have the same mean: there is no range to divide by"))
            }
            Normalize::Range => Ok(1.0 - spread / range),
        }
    }
}

/// The key that names the ladder of a subject gauge.
pub(crate) const LADDER: Field = Field {
    name: "ladder",
    takes: Takes::Text,
    doc: "the ladder of arrangements; may be left out when there is one only",
    default: Some(""),
};

/// The key that names the gauge read through.
pub(crate) const OF: Field = Field {
    name: "of",
    takes: Takes::Text,
    doc: "the gauge of single cells that says how good an explanation is",
    default: Some("s-acc"),
};

/// The rungs of the ladder that was named, or of the only one.
pub(crate) fn choose<'a>(
    ladders: &'a [(Name, Vec<Rung>)],
    wanted: Option<&str>,
) -> Result<&'a [Rung], Undefined> {
    let names = || ladders.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
    match (wanted, ladders) {
        (Some(wanted), _) => {
            let found = ladders.iter().find(|(name, _)| name.as_str() == wanted);
            found.map(|(_, rungs)| rungs.as_slice()).ok_or_else(|| {
                Undefined::new(format!("no ladder `{wanted}` presses it; there is {}", names()))
            })
        }
        (None, [(_, rungs)]) => Ok(rungs),
        (None, []) => Err(Undefined::new("no ladder presses it")),
        (None, _) => Err(Undefined::new(format!("several ladders press it: {}; name one", names()))),
    }
}
/// What gauges of degradation share: the gauge they read through, how ratios are taken, and one number of it all.
pub(crate) struct Degrading {
    of: String,
    ratio: Ratio,
    words: &'static str,
    better: (Direction, Option<f64>),
    read: fn(&Degradation, &[u32]) -> Result<f64, Undefined>,
}

impl Degrading {
    /// The gauge that `words` describe; `better` is its direction and what perfection gives.
    pub(crate) fn new(
        params: &Params,
        words: &'static str,
        better: (Direction, Option<f64>),
        read: fn(&Degradation, &[u32]) -> Result<f64, Undefined>,
    ) -> Degrading {
        Degrading { of: params.text("of").into(), ratio: Ratio::new(params), words, better, read }
    }
}

impl LadderGauge for Degrading {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let convention =
            format!("{}; {}; S is {}: {}", self.words, self.ratio.words(), self.of, of.convention);
        Scale { convention, direction: self.better.0, best: self.better.1, ..of.clone() }
    }

    fn open(&self, rungs: &[Rung], _columns: &Columns) -> Result<Arc<dyn Meter>, Undefined> {
        let degradation = Degradation::of(&Scores::of(rungs)?, self.ratio)?;
        Ok(Arc::new(Degraded { degradation, read: self.read }))
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
}
