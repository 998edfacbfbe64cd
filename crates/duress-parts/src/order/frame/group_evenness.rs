//! Groups of items by a column: how evenly they score under scrambling, alone or together with what
//! scrambling takes.

use std::sync::Arc;

use duress_core::gauge::{Columns, Direction, Meter, Rung, Scale, SubjectGauge, Undefined};
use duress_core::name::Name;
use duress_core::part::{Field, Params, Takes};
use duress_core::word::Word;

use crate::order::frame::degradation::{Degradation, ItemRatio, RungScores};
use crate::shared::frame::chosen_ladder::chosen_ladder;

/// The key that names the ladder.
pub(crate) const LADDER: Field = Field {
    name: "ladder",
    takes: Takes::Text,
    doc: "the ladder of arrangements; may be left out when there is one only",
    default: Some(""),
};

/// The column that makes the groups.
pub(crate) const COLUMN: Field = Field {
    name: "column",
    takes: Takes::Text,
    doc: "the column of the dataset whose values are the groups",
    default: Some("structure"),
};

/// What of it makes none.
pub(crate) const EXCEPT: Field = Field {
    name: "except",
    takes: Takes::Texts,
    doc: "values of that column that are no group",
    default: Some("unlabelled"),
};

/// What the spread is divided by.
pub(crate) const NORMALIZE: Field = Field {
    name: "normalize",
    takes: Takes::Choice(Normalize::spellings),
    doc: "what the spread is divided by: 0.5, the largest there can be, or the range of the means",
    default: Some("half"),
};

/// What gauges over groups share: S_struct alone, or its harmonic mean with S_seq.
pub(crate) struct GroupEvennessGauge {
    of: String,
    ladder: Option<String>,
    column: String,
    except: Vec<String>,
    normalize: Normalize,
    /// How losses are divided, where S_seq is read as well.
    losses: Option<ItemRatio>,
}

impl GroupEvennessGauge {
    /// The gauge that the keys say.
    pub(crate) fn new(params: &Params, losses: Option<ItemRatio>) -> GroupEvennessGauge {
        GroupEvennessGauge {
            of: params.text("of").into(),
            ladder: params.text_if("ladder").map(Into::into),
            column: params.text("column").into(),
            except: params.texts("except").to_vec(),
            normalize: params.choice("normalize"),
            losses,
        }
    }
}

impl SubjectGauge for GroupEvennessGauge {
    fn of(&self) -> &str {
        &self.of
    }

    fn scale(&self, of: &Scale) -> Scale {
        let spread = self.normalize.words();
        let name = &self.of;
        let column = &self.column;
        let words = match self.losses {
            None => format!("{spread} of {name} over groups by `{column}`"),
            Some(losses) => format!(
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
        let groups = Groups::of(&scores, columns, &self.column, &self.except, self.normalize)?;
        let losses = self
            .losses
            .map(|ratio| Degradation::of(&scores, ratio))
            .transpose()?;
        Ok(Arc::new(Even {
            items: scores.items(),
            groups,
            losses,
        }))
    }
}

struct Even {
    items: usize,
    groups: Groups,
    losses: Option<Degradation>,
}

impl Meter for Even {
    fn units(&self) -> usize {
        self.items
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let Some(losses) = &self.losses else {
            return self.groups.s_struct(weights);
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

    fn takes_part(&self, unit: usize) -> bool {
        let lost = self.losses.as_ref().is_some_and(|losses| losses.has(unit));
        lost || self.groups.has(unit)
    }
}

duress_core::words! {
    /// What the spread of the groups' means is divided by.
    enum Normalize {
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

/// An item's position, and the sum and number of its scores under stress.
type Scored = (usize, f64, f64);

/// Groups of items by a column, with what each scores under stress.
struct Groups {
    /// By group: its name and its items.
    members: Vec<(String, Vec<Scored>)>,
    normalize: Normalize,
}

impl Groups {
    fn of(
        scores: &RungScores,
        columns: &Columns,
        column: &str,
        except: &[String],
        normalize: Normalize,
    ) -> Result<Groups, Undefined> {
        let values = columns.get(column).ok_or_else(|| {
            let there: Vec<&str> = columns.keys().map(String::as_str).collect();
            let others = if there.is_empty() {
                "none".into()
            } else {
                there.join(", ")
            };
            Undefined::new(format!(
                "the dataset has no column `{column}`; there is: {others}"
            ))
        })?;
        let mut names: Vec<&String> = values
            .iter()
            .filter(|value| !except.contains(value))
            .collect();
        names.sort();
        names.dedup();
        let own = |name: &String| {
            let of = (0..scores.items()).filter(|&item| values[item] == *name);
            let summed = of.map(|item| {
                let (sum, count) = scores
                    .of_item(item)
                    .fold((0.0, 0.0), |(sum, n), score| (sum + score, n + 1.0));
                (item, sum, count)
            });
            summed
                .filter(|(_, _, count)| *count > 0.0)
                .collect::<Vec<_>>()
        };
        let members: Vec<_> = names
            .into_iter()
            .map(|name| (name.clone(), own(name)))
            .collect();
        match members.len() {
            0 | 1 => Err(Undefined::new(format!(
                "column `{column}` makes {} group: a spread needs two",
                members.len()
            ))),
            _ => Ok(Groups { members, normalize }),
        }
    }

    /// Whether an item is in one of them.
    fn has(&self, item: usize) -> bool {
        let mut members = self.members.iter().flat_map(|(_, members)| members);
        members.any(|(member, ..)| *member == item)
    }

    /// The mean score of each group over its items and their arrangements.
    fn means(&self, weights: &[u32]) -> Result<Vec<f64>, Undefined> {
        let mean = |(name, members): &(String, Vec<(usize, f64, f64)>)| {
            let mut sum = 0.0;
            let mut count = 0.0;
            for (item, own, arrangements) in members {
                sum += own * f64::from(weights[*item]);
                count += arrangements * f64::from(weights[*item]);
            }
            match count > 0.0 {
                true => Ok(sum / count),
                false => Err(Undefined::new(format!(
                    "no item of group `{name}` has a score under stress"
                ))),
            }
        };
        self.members.iter().map(mean).collect()
    }

    /// 1 − the normalized spread of the means.
    fn s_struct(&self, weights: &[u32]) -> Result<f64, Undefined> {
        let means = self.means(weights)?;
        let n = means.len() as f64;
        let centre = means.iter().sum::<f64>() / n;
        let spread = libm::sqrt(
            means
                .iter()
                .map(|mean| (mean - centre).powi(2))
                .sum::<f64>()
                / n,
        );
        let least = means.iter().copied().fold(f64::INFINITY, f64::min);
        let range = means.iter().copied().fold(f64::NEG_INFINITY, f64::max) - least;
        match self.normalize {
            Normalize::Half => Ok(1.0 - spread / 0.5),
            Normalize::Range if range == 0.0 => Err(Undefined::new(
                "all groups have the same mean: there is no range to divide by",
            )),
            Normalize::Range => Ok(1.0 - spread / range),
        }
    }
}
