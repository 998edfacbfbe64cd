//! Degradation: what scrambling takes from each item, read by the gauges of scrambled order.

use std::sync::Arc;

use duress_core::gauge::{
    Columns, Detail, Direction, Grid, GridCell, LadderGauge, Meter, Rung, Scale, Undefined,
};
use duress_core::part::{Field, Params, Takes};
use duress_core::word::Word;

use crate::order::frame::item_groups::ItemGroups;

/// The score of each item as it was, and under each arrangement it takes part in.
pub(crate) struct RungScores {
    /// None where nobody measured it.
    original: Option<Vec<Option<f64>>>,
    pressed: Vec<Vec<Option<f64>>>,
    /// What the arrangements are called.
    names: Vec<String>,
}

impl RungScores {
    /// From the rungs of a ladder, the clean one among them if there is one.
    pub(crate) fn of(rungs: &[Rung]) -> Result<RungScores, Undefined> {
        let items = |rung: &Rung| {
            let values = rung.meter.per_item().ok_or_else(|| {
                Undefined::new("needs a score per item, from a gauge that is a mean over items")
            });
            values.map(<[Option<f64>]>::to_vec)
        };
        let clean = rungs.iter().find(|rung| rung.severity.is_clean());
        let pressed = || rungs.iter().filter(|rung| !rung.severity.is_clean());
        let scores = RungScores {
            original: clean.map(items).transpose()?,
            pressed: pressed().map(items).collect::<Result<_, _>>()?,
            names: pressed().map(arrangement_name).collect(),
        };
        if scores.pressed.is_empty() {
            return Err(Undefined::new("the ladder has no rung but the clean one"));
        }
        let lengths = scores.pressed.iter().chain(&scores.original).map(Vec::len);
        match lengths.clone().find(|length| *length != scores.items()) {
            Some(odd) => Err(Undefined::new(format!(
                "the rungs are about different items: {} at one, {odd} at another",
                scores.items()
            ))),
            None => Ok(scores),
        }
    }

    /// How many items there are.
    pub(crate) fn items(&self) -> usize {
        self.pressed[0].len()
    }

    /// The scores of an item under the arrangements it takes part in.
    pub(crate) fn of_item(&self, item: usize) -> impl Iterator<Item = f64> + '_ {
        self.pressed.iter().filter_map(move |values| values[item])
    }
}

/// What an arrangement is called; one without a name by how hard it presses.
fn arrangement_name(rung: &Rung) -> String {
    rung.name
        .clone()
        .unwrap_or_else(|| format!("{}.{}", rung.severity, rung.variant + 1))
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

/// What each item loses and what that is divided by; none of an item that does not take part.
type ItemLosses = Vec<Option<(f64, f64)>>;

/// The degradation of each arrangement, as a function of how often each item counts.
pub(crate) struct Degradation {
    items: usize,
    /// The arrangements that are distinct for some item.
    names: Vec<String>,
    /// By item and arrangement: what is lost; 0 where the item does not take part.
    lost: Vec<f64>,
    /// What it is divided by; likewise.
    of: Vec<f64>,
    /// Whether the item takes part.
    counted: Vec<bool>,
}

impl Degradation {
    pub(crate) fn of(scores: &RungScores, ratio: ItemRatio) -> Result<Degradation, Undefined> {
        let original = scores.original.as_ref().ok_or_else(|| {
            Undefined::new("there is no rung without stress: S_orig is not known")
        })?;
        let loss = |original: Option<f64>, pressed: Option<f64>| {
            let original = original?;
            let pressed = pressed?;
            match ratio {
                ItemRatio::RatioOfMeans => Some((original - pressed, original)),
                ItemRatio::MeanOfRatios(least) if original < least || original == 0.0 => None,
                ItemRatio::MeanOfRatios(_) => Some(((original - pressed) / original, 1.0)),
            }
        };
        let of_arrangement = |(name, pressed): (&String, &Vec<Option<f64>>)| {
            let both = original.iter().zip(pressed);
            let lost: ItemLosses = both.map(|(was, is)| loss(*was, *is)).collect();
            // An arrangement that is distinct for no item is nobody's arrangement.
            let is_some_items = lost.iter().any(Option::is_some);
            is_some_items.then(|| (name.clone(), lost))
        };
        let arrangements = scores.names.iter().zip(&scores.pressed);
        let kept: Vec<_> = arrangements.filter_map(of_arrangement).collect();
        match kept.is_empty() {
            true => Err(Undefined::new(
                "no item has a score both without stress, high enough to divide by, and under stress",
            )),
            false => Ok(Degradation::by_item(scores.items(), kept)),
        }
    }

    /// Side by side for each item, since a resample counts items: it then goes through memory once.
    fn by_item(items: usize, arrangements: Vec<(String, ItemLosses)>) -> Degradation {
        let cells = || {
            let at = |item: usize| arrangements.iter().map(move |(_, lost)| lost[item]);
            (0..items).flat_map(at)
        };
        Degradation {
            items,
            lost: cells()
                .map(|cell| cell.map_or(0.0, |(lost, _)| lost))
                .collect(),
            of: cells().map(|cell| cell.map_or(0.0, |(_, of)| of)).collect(),
            counted: cells().map(|cell| cell.is_some()).collect(),
            names: arrangements.into_iter().map(|(name, _)| name).collect(),
        }
    }

    pub(crate) fn items(&self) -> usize {
        self.items
    }

    /// Whether an item entered any of it.
    pub(crate) fn has(&self, item: usize) -> bool {
        let width = self.names.len();
        self.counted[item * width..][..width].contains(&true)
    }

    /// d(p) for each arrangement; none where no item that counts takes part in it.
    fn each(&self, weights: &[u32]) -> Vec<Option<f64>> {
        let width = self.names.len();
        let mut above = vec![0.0; width];
        let mut below = vec![0.0; width];
        let items = self
            .lost
            .chunks_exact(width)
            .zip(self.of.chunks_exact(width));
        for ((lost, of), &weight) in items.zip(weights).filter(|(_, weight)| **weight > 0) {
            let weight = f64::from(weight);
            for at in 0..width {
                above[at] += lost[at] * weight;
                below[at] += of[at] * weight;
            }
        }
        let divided = above.into_iter().zip(below);
        divided
            .map(|(above, below)| (below > 0.0).then(|| above / below))
            .collect()
    }

    /// d(p) for each arrangement.
    pub(crate) fn by_arrangement(&self, weights: &[u32]) -> Result<Vec<f64>, Undefined> {
        let all: Option<Vec<f64>> = self.each(weights).into_iter().collect();
        all.ok_or_else(nobody)
    }

    /// d(p) by arrangement and group; the first column is all items.
    pub(crate) fn grid(&self, groups: &[(String, Vec<usize>)]) -> Grid {
        let width = self.names.len();
        let everyone = ("all".to_owned(), (0..self.items).collect());
        let columns: Vec<&(String, Vec<usize>)> =
            std::iter::once(&everyone).chain(groups).collect();
        let of_column = |(_, members): &&(String, Vec<usize>)| {
            let mut weights = vec![0; self.items];
            members.iter().for_each(|&item| weights[item] = 1);
            let taking_part = |at: usize| {
                let counts = |item: &&usize| self.counted[**item * width + at];
                members.iter().filter(counts).count()
            };
            let values = self.each(&weights).into_iter().enumerate();
            let cells = values.map(|(at, value)| GridCell {
                n: taking_part(at),
                value: value.ok_or_else(nobody),
            });
            cells.collect::<Vec<GridCell>>()
        };
        let by_column: Vec<Vec<GridCell>> = columns.iter().map(of_column).collect();
        let row = |at: usize| by_column.iter().map(move |cells| cells[at].clone());
        Grid {
            row_axis: "arrangement".into(),
            column_axis: "group".into(),
            rows: self.names.clone(),
            columns: columns.iter().map(|(name, _)| name.clone()).collect(),
            cells: (0..width).flat_map(row).collect(),
        }
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
        let width = self.names.len();
        let worst = |item: usize| {
            let own = item * width..(item + 1) * width;
            let counted = own.filter(|&at| self.counted[at]);
            counted.map(|at| self.lost[at]).reduce(f64::max)
        };
        (0..self.items).map(worst).collect()
    }
}

fn nobody() -> Undefined {
    Undefined::new("no item takes part in an arrangement, or all score 0 without stress")
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
    /// The groups that d(p) is told for as well, where it is told at all.
    told_by: Option<ItemGroups>,
    /// Whether it reads the largest of several means: chance alone makes one of them the largest.
    picks_largest: bool,
}

impl DegradationGauge {
    /// The same, which also tells d(p) by arrangement and group.
    pub(crate) fn telling_by(self, groups: ItemGroups) -> DegradationGauge {
        DegradationGauge {
            told_by: Some(groups),
            ..self
        }
    }

    /// The same, of which the largest of several means is a part.
    pub(crate) fn picking_largest(self) -> DegradationGauge {
        DegradationGauge {
            picks_largest: true,
            ..self
        }
    }

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
            told_by: None,
            picks_largest: false,
        }
    }
}

impl LadderGauge for DegradationGauge {
    fn of(&self) -> &str {
        &self.of
    }

    fn counts_noise(&self) -> bool {
        self.picks_largest
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

    fn detail(&self, rungs: &[Rung], columns: &Columns) -> Option<Detail> {
        let groups = self.told_by.as_ref()?.members(columns);
        let scores = RungScores::of(rungs).ok()?;
        let degradation = Degradation::of(&scores, self.ratio).ok()?;
        Some(Detail::Grid(degradation.grid(&groups)))
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
