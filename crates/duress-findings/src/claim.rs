//! Claims and what became of them.

use std::fmt;

use duress_core::name::Name;
use duress_core::number;
use duress_core::place::Place;
use serde::{Deserialize, Serialize};

use crate::id::Id;
use crate::method::Method;
use crate::quantity::{Quantity, Range, Reading};
use crate::reason::AbsenceReason;
use crate::resampled::Resampled;
use crate::tagged::tagged;
use crate::test::TestCard;
use crate::words::{ClaimSide, Units, Verdict};

/// A claim and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ClaimFinding {
    /// How it is quoted.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// The family it is corrected in.
    pub family: String,
    /// The claim as a sentence.
    pub sentence: String,
    /// The gauge.
    pub gauge: String,
    /// Where it was read.
    pub of: Option<Place>,
    /// What it was compared with, if anything.
    pub against: Option<Place>,
    /// The dataset of the same items whose reading was taken off on every side first; none where
    /// nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minus_on: Option<Name>,
    /// What became of it.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub why: String,
    /// What would decide it, when it is undecided.
    pub would_decide: Option<String>,
    /// The difference or the value that was judged.
    pub quantity: Quantity,
    /// The interval beside the verdict, by the same method, at `1 − 2α`: not adjusted over the family.
    pub judged_by: Result<Range, AbsenceReason>,
    /// How that interval was made, and over how many units; none where there is none.
    pub judged_how: Option<JudgingMethod>,
    /// The margin.
    pub margin: f64,
    /// The side.
    pub side: ClaimSide,
    /// The test against zero.
    pub test: Result<TestCard, AbsenceReason>,
    /// Effect sizes by name; the name says the denominator.
    pub effects: Vec<(String, Reading)>,
    /// What this n can show at all: smallest reachable p, smallest detectable effect, in sentences.
    pub power: Vec<String>,
    /// Whether, with this many units, no outcome could have stood.
    pub out_of_reach: bool,
    /// The p-values that the verdict comes from; none where there is nothing to judge by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nulls: Option<NullCard>,
    /// Which look at the claim this is; none where it is the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look: Option<Look>,
    /// What it is made of, each judged by itself; none where it says one thing. A claim of parts has
    /// no number, interval or test of its own: gauges are all those of its parts, side and margin
    /// those of the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<ClaimFinding>,
}

/// The p-values of a claim's two nulls, by its own test, and adjusted in each direction over its
/// family.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NullCard {
    /// Of the null that the claim does not hold: small upholds it.
    pub not_beyond: f64,
    /// Of the null that it does: small refutes it.
    pub not_short: f64,
    /// The first, adjusted.
    pub adjusted_not_beyond: f64,
    /// The second, adjusted.
    pub adjusted_not_short: f64,
    /// What an adjusted p-value must not exceed.
    pub alpha: f64,
}

impl NullCard {
    /// The two p-values, the same adjusted, and the level that they are held against.
    pub fn new(p: (f64, f64), adjusted: (f64, f64), alpha: f64) -> NullCard {
        NullCard {
            not_beyond: p.0,
            not_short: p.1,
            adjusted_not_beyond: adjusted.0,
            adjusted_not_short: adjusted.1,
            alpha,
        }
    }
}

/// A look at a claim that may be judged more than once, as seeds are added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Look {
    /// How many seeds are looked at.
    pub seeds: usize,
    /// The level of this look.
    pub alpha: f64,
    /// The level of the claim, of which each look spends something.
    pub of: f64,
    /// Whether the study declared it.
    pub declared: bool,
    /// The looks before it, oldest first.
    pub earlier: Vec<EarlierLook>,
}

/// A look at a claim that came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierLook {
    /// How many seeds were looked at.
    pub seeds: usize,
    /// What became of the claim then.
    pub verdict: Verdict,
}

impl Look {
    /// The look at so many seeds, at the level it has of the claim's.
    pub fn new(seeds: usize, (alpha, of): (f64, f64), declared: bool) -> Look {
        Look {
            seeds,
            alpha,
            of,
            declared,
            earlier: Vec::new(),
        }
    }
}

impl fmt::Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.declared {
            true => "declared",
            false => "not declared",
        };
        let (seeds, alpha, of) = (
            self.seeds,
            number::level(self.alpha),
            number::level(self.of),
        );
        write!(
            f,
            "look {} ({seeds} seeds, {kind}), judged at {alpha} of the claim's {of}",
            self.earlier.len() + 1
        )?;
        for (i, before) in self.earlier.iter().enumerate() {
            let lead = if i == 0 { "; before: " } else { ", " };
            write!(f, "{lead}{} with {} seeds", before.verdict, before.seeds)?;
        }
        Ok(())
    }
}

impl ClaimFinding {
    /// A claim of which nothing is known yet.
    pub fn new(name: &str, family: &str, side: ClaimSide, margin: f64) -> ClaimFinding {
        let nothing = AbsenceReason::NothingToRead;
        ClaimFinding {
            id: Id::claim(name),
            name: name.into(),
            family: family.into(),
            sentence: String::new(),
            gauge: String::new(),
            of: None,
            against: None,
            minus_on: None,
            verdict: Verdict::Undecided,
            why: String::new(),
            would_decide: None,
            quantity: Quantity::absent(nothing.clone()),
            judged_by: Err(nothing.clone()),
            judged_how: None,
            margin,
            side,
            test: Err(nothing),
            effects: Vec::new(),
            power: Vec::new(),
            out_of_reach: false,
            nulls: None,
            look: None,
            parts: Vec::new(),
        }
    }

    /// A claim that is upheld when each of these parts is, and refuted when one is.
    pub fn of_parts(name: &str, family: &str, parts: Vec<ClaimFinding>) -> ClaimFinding {
        let first = parts.first();
        let side = first.map_or(ClaimSide::Greater, |part| part.side);
        let margin = first.map_or(0.0, |part| part.margin);
        let why = AbsenceReason::InParts;
        let mut gauges: Vec<&str> = Vec::new();
        for part in &parts {
            if !gauges.contains(&part.gauge.as_str()) {
                gauges.push(&part.gauge);
            }
        }
        let same = |place: &Option<Place>| parts.iter().all(|part| part.of == *place);
        ClaimFinding {
            gauge: gauges.join(" and "),
            of: first.map(|part| part.of.clone()).filter(same).flatten(),
            quantity: Quantity::absent(why.clone()),
            judged_by: Err(why.clone()),
            test: Err(why),
            out_of_reach: parts.iter().all(|part| part.out_of_reach),
            parts,
            ..ClaimFinding::new(name, family, side, margin)
        }
    }

    /// What is judged by numbers: the claim itself, or its parts. Each with the name it has among
    /// all of them.
    pub fn judged(&self) -> impl Iterator<Item = (String, &ClaimFinding)> {
        let alone = self.parts.is_empty().then(|| (self.name.clone(), self));
        let parts = self.parts.iter();
        let parts = parts.map(|part| (format!("{}: {}", self.name, part.name), part));
        alone.into_iter().chain(parts)
    }

    /// Whether the interval beside the verdict lies beyond a margin by itself.
    pub fn interval_decides(&self) -> bool {
        let Ok(range) = &self.judged_by else {
            return false;
        };
        match (self.side, self.margins().as_slice()) {
            (ClaimSide::Equivalent, [low, high]) => {
                let inside = *low < range.low && range.high < *high;
                inside || range.high < *low || *high < range.low
            }
            (_, lines) => lines
                .iter()
                .any(|line| *line < range.low || range.high < *line),
        }
    }

    /// Every place whose number it rests on.
    pub fn places(&self) -> Vec<Place> {
        let read: Vec<Place> = self.of.iter().chain(&self.against).cloned().collect();
        let minus = self.minus_on.iter();
        let minus = minus.flat_map(|other| read.iter().map(|place| place.on(other)));
        let minus: Vec<Place> = minus.collect();
        [read, minus].concat()
    }

    /// Whether a difference was judged; else the value itself.
    pub fn is_difference(&self) -> bool {
        self.against.is_some()
    }

    /// The lines its interval is judged by.
    pub fn margins(&self) -> Vec<f64> {
        match self.side {
            ClaimSide::Equivalent => vec![-self.margin, self.margin],
            ClaimSide::Less if self.is_difference() => vec![-self.margin],
            _ => vec![self.margin],
        }
    }
}

tagged! {
    /// How the interval beside a verdict was made.
    pub enum JudgingMethod {
        /// As that of the estimate, at the claim's own level.
        AsEstimated {
            /// How that is made.
            method: Method,
            /// Of what.
            unit: Resampled,
        } = "as-estimated" => "{method} over {unit}";
        /// Student's t over seeds that met the same items, which are taken as they are.
        TOverSeeds {
            /// How many.
            seeds: usize,
        } = "t-over-seeds" => "t over {seeds} seeds, for these items only";
        /// Student's t over items, the seeds taken as they are.
        TOverItems {
            /// How many.
            items: usize,
        } = "t-over-items" => "t over {items} items, for these seeds only";
        /// Student's t on values.
        T {
            /// How many.
            n: usize,
            /// Of what.
            unit: Units,
        } = "t" => "t over {n} {unit}";
        /// Student's t on paired differences.
        PairedT {
            /// How many.
            n: usize,
            /// Of what.
            unit: Units,
        } = "paired-t" => "paired t over {n} {unit}";
        /// DeLong's error of an area under the ROC curve.
        Delong {
            /// How many.
            items: usize,
        } = "delong" => "DeLong's error over {items} items, for this seed only";
    }
}

impl JudgingMethod {
    /// What the verdict holds for, where that is less than new items and new seeds.
    pub fn narrower(&self) -> Option<String> {
        match self {
            JudgingMethod::AsEstimated { unit, .. } => unit.narrower(),
            JudgingMethod::TOverSeeds { .. } => Some("for these items only".into()),
            JudgingMethod::TOverItems { .. } => Some("for these seeds only".into()),
            JudgingMethod::Delong { .. } => Some("for this seed only".into()),
            JudgingMethod::T { .. }
            | JudgingMethod::PairedT { .. }
            | JudgingMethod::Other { .. } => None,
        }
    }
}
