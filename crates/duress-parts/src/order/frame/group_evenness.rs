//! Groups of items by a column: how evenly they score under scrambling, alone or together with what
//! scrambling takes.

use std::sync::Arc;

use duress_core::gauge::{Columns, Detail, Direction, Meter, Rung, Scale, SubjectGauge, Undefined};
use duress_core::name::Name;
use duress_core::part::{Field, Params, Takes};
use duress_core::word::Word;

use crate::order::frame::degradation::{Degradation, ItemRatio, RungScores};
use crate::order::frame::item_groups::ItemGroups;
use crate::order::frame::scored_groups::ScoredGroups;
use crate::shared::frame::chosen_ladder::chosen_ladder;

/// The key that names the ladder.
pub(crate) const LADDER: Field = Field {
    name: "ladder",
    takes: Takes::Text,
    doc: "the ladder of arrangements; may be left out when there is one only",
    default: Some(""),
};

/// What the spread is divided by.
pub(crate) const NORMALIZE: Field = Field {
    name: "normalize",
    takes: Takes::Choice(Normalize::spellings),
    doc: "what the spread is divided by: 0.5, the largest there can be, or the range of the means",
    default: Some("half"),
};

/// How often items are shuffled over groups.
pub(crate) const SHUFFLES: Field = Field {
    name: "shuffles",
    takes: Takes::Whole(99, 1_000_000),
    doc: "how often items are shuffled over groups, for the floor and its p-value",
    default: Some("9999"),
};

/// What is read of groups.
#[derive(Clone, Copy)]
pub(crate) enum EvennessReading {
    /// S_struct, beside so many shuffles of items over groups.
    Spread { shuffles: usize },
    /// S_struct of a spread without the sampling variance of the means.
    NetSpread,
    /// The harmonic mean of S_struct and S_seq, whose losses are divided so.
    WithLosses(ItemRatio),
}

/// What gauges over groups share.
pub(crate) struct GroupEvennessGauge {
    of: String,
    ladder: Option<String>,
    groups: ItemGroups,
    normalize: Normalize,
    reading: EvennessReading,
}

impl GroupEvennessGauge {
    /// The gauge that the keys say.
    pub(crate) fn new(params: &Params, reading: EvennessReading) -> GroupEvennessGauge {
        let net = matches!(reading, EvennessReading::NetSpread);
        GroupEvennessGauge {
            of: params.text("of").into(),
            ladder: params.text_if("ladder").map(Into::into),
            groups: ItemGroups::new(params),
            normalize: match net {
                true => Normalize::Half,
                false => params.choice("normalize"),
            },
            reading,
        }
    }

    fn scored_groups(
        &self,
        scores: &RungScores,
        columns: &Columns,
    ) -> Result<ScoredGroups, Undefined> {
        let column = &self.groups.column;
        if !columns.contains_key(column) {
            let there: Vec<&str> = columns.keys().map(String::as_str).collect();
            let others = if there.is_empty() {
                "none".into()
            } else {
                there.join(", ")
            };
            return Err(Undefined::new(format!(
                "the dataset has no column `{column}`; there is: {others}"
            )));
        }
        let members = self.groups.members(columns);
        match members.len() {
            0 | 1 => Err(Undefined::new(format!(
                "column `{column}` makes {} group: a spread needs two",
                members.len()
            ))),
            _ => Ok(ScoredGroups::of(scores, members, self.normalize)),
        }
    }
}

impl SubjectGauge for GroupEvennessGauge {
    fn of(&self) -> &str {
        &self.of
    }

    /// Means of groups lie apart by chance, and what that makes is taken out of the net spread alone.
    fn counts_noise(&self) -> bool {
        !matches!(self.reading, EvennessReading::NetSpread)
    }

    fn scale(&self, of: &Scale) -> Scale {
        let spread = self.normalize.words();
        let name = &self.of;
        let column = &self.groups.column;
        let words = match self.reading {
            EvennessReading::Spread { .. } => {
                format!("{spread} of {name} over groups by `{column}`")
            }
            EvennessReading::NetSpread => format!(
                "{spread} of {name} over groups by `{column}`, σ² less (1 − 1/K) times the mean squared standard error of the K means, over items; 0 where that is more"
            ),
            EvennessReading::WithLosses(losses) => format!(
                "harmonic mean of S_seq = 1 − (0.5 MDR + 0.5 MDA) and S_struct; {}; {spread} over groups by `{column}`; S is {name}",
                losses.words()
            ),
        };
        let best = (self.normalize == Normalize::Half).then_some(1.0);
        let convention = format!("{words}: {}", of.convention);
        Scale {
            convention,
            direction: Direction::Higher,
            best,
            ends: (None, None),
            ..of.clone()
        }
    }

    fn open(
        &self,
        ladders: &[(Name, Vec<Rung>)],
        columns: &Columns,
    ) -> Result<Arc<dyn Meter>, Undefined> {
        let (_, rungs) = chosen_ladder(ladders, self.ladder.as_deref())?;
        let scores = RungScores::of(rungs)?;
        let groups = self.scored_groups(&scores, columns)?;
        let read = match self.reading {
            EvennessReading::Spread { .. } => MeterReading::Spread,
            EvennessReading::NetSpread => MeterReading::NetSpread,
            EvennessReading::WithLosses(ratio) => {
                MeterReading::WithLosses(Degradation::of(&scores, ratio)?)
            }
        };
        Ok(Arc::new(Even {
            items: scores.items(),
            groups,
            read,
        }))
    }

    fn detail(&self, ladders: &[(Name, Vec<Rung>)], columns: &Columns) -> Option<Detail> {
        let EvennessReading::Spread { shuffles } = self.reading else {
            return None;
        };
        let (_, rungs) = chosen_ladder(ladders, self.ladder.as_deref()).ok()?;
        let scores = RungScores::of(rungs).ok()?;
        let groups = self.scored_groups(&scores, columns).ok()?;
        groups
            .beside_chance(scores.items(), shuffles)
            .ok()
            .map(Detail::Spread)
    }
}

struct Even {
    items: usize,
    groups: ScoredGroups,
    read: MeterReading,
}

enum MeterReading {
    Spread,
    NetSpread,
    WithLosses(Degradation),
}

impl Meter for Even {
    fn units(&self) -> usize {
        self.items
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let losses = match &self.read {
            MeterReading::Spread => return self.groups.s_struct(weights),
            MeterReading::NetSpread => return self.groups.net_s_struct(weights),
            MeterReading::WithLosses(losses) => losses,
        };
        let seq = losses.s_seq(weights)?;
        let even = self.groups.s_struct(weights)?;
        if seq < 0.0 || even < 0.0 {
            return Err(Undefined::new(format!(
                "a harmonic mean of S_seq = {seq} and S_struct = {even}: one is negative"
            )));
        }
        Ok(if seq + even == 0.0 {
            0.0
        } else {
            2.0 * seq * even / (seq + even)
        })
    }

    /// Where the items are all there are, their means have no sampling variance to take out.
    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, Undefined>> {
        matches!(self.read, MeterReading::NetSpread).then(|| self.groups.s_struct(weights))
    }

    fn takes_part(&self, unit: usize) -> bool {
        let lost = match &self.read {
            MeterReading::WithLosses(losses) => losses.has(unit),
            MeterReading::Spread | MeterReading::NetSpread => false,
        };
        lost || self.groups.has(unit)
    }
}

duress_core::words! {
    /// What the spread of the groups' means is divided by.
    pub(crate) enum Normalize {
        /// 0.5, the largest spread that scores in [0, 1] can have.
        Half = "half",
        /// The range of the means.
        Range = "range",
    }
}

impl Normalize {
    /// In words, for a convention.
    fn words(self) -> &'static str {
        match self {
            Normalize::Half => "1 − σ/0.5 with the population σ of the groups' means",
            Normalize::Range => {
                "1 − σ/range with the population σ of the groups' means; six unequal groups give 0.5 to 0.7113 whatever the spread"
            }
        }
    }
}
