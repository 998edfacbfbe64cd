//! Power before the run: how often a claim would be upheld, by what varies and by how much.
//!
//! Nothing is known of the spread yet, so it is given in units that a reader can judge: over seeds in
//! standard deviations of what the seeds differ by, over items by the share of items on which two
//! subjects disagree. Each is told as if the other did not vary; what both do together can only be
//! less.

use duress_core::gauge::Unit;
use duress_core::number;
use duress_stats::Side;
use duress_stats::dist::Normal;
use duress_stats::power::{Setting, equivalence_power, paired_t_power};

use super::look::{self, History};
use super::power::setting;
use crate::axis::ReplicateAt;
use crate::plan::Plan;
use crate::study::{Against, ClaimDecl, ClaimSide, ClaimTest, StatementDecl};

/// The power that "found" means.
const POWER: f64 = 0.8;

/// True distances from the line, in standard deviations of what the seeds differ by.
const DISTANCES: [f64; 4] = [0.5, 1.0, 2.0, 4.0];

/// Standard deviations of what the seeds differ by, as shares of the margin of an equivalence.
const SPREADS: [f64; 4] = [1.0, 0.5, 0.25, 0.125];

/// Shares of the items on which two subjects disagree.
const DISAGREEMENTS: [f64; 4] = [0.02, 0.1, 0.3, 1.0];

/// What the columns of a table are, and what stands below them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PowerOver {
    /// The chance to be upheld, by the distance in standard deviations between seeds.
    Seeds,
    /// The chance that an equivalence is upheld where nothing differs, by the spread between seeds as
    /// a share of the margin.
    SeedsEquivalent,
    /// The smallest distance from the line that is found in four of five studies, by the share of
    /// items on which the subjects disagree.
    Items,
    /// The chance that an equivalence is upheld where nothing differs, by that share.
    ItemsEquivalent,
    /// The smallest distance of a share from its line that is found in four of five studies.
    ItemsOfOne,
}

/// The power of one or several claims, by how many units there are.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerCurve {
    /// The claims that have it.
    pub claims: Vec<String>,
    /// What it is about.
    pub over: PowerOver,
    /// What each p-value has to reach first.
    pub threshold: f64,
    /// What the columns stand for.
    pub columns: Vec<f64>,
    /// How many units, and the number below each column.
    pub rows: Vec<(usize, Vec<f64>)>,
}

impl PowerCurve {
    /// What it says and assumes, in a sentence without its stop.
    pub fn heading(&self) -> String {
        let level = number::level(self.threshold);
        match self.over {
            PowerOver::Seeds => format!(
                "chance to be upheld (p ≤ {level}), if seeds alone varied: by the true distance beyond the margin, in standard deviations between seeds"
            ),
            PowerOver::SeedsEquivalent => format!(
                "chance to be upheld (p ≤ {level}) if nothing differs and seeds alone varied: by the standard deviation between seeds, as a share of the margin"
            ),
            PowerOver::Items => format!(
                "smallest distance beyond the margin that is found (p ≤ {level}) in 80 % of studies, if items alone varied: by the share of items on which the two disagree"
            ),
            PowerOver::ItemsEquivalent => format!(
                "chance to be upheld (p ≤ {level}) if nothing differs and items alone varied: by the share of items on which the two disagree"
            ),
            PowerOver::ItemsOfOne => format!(
                "smallest distance beyond the margin that is found (p ≤ {level}) in 80 % of studies, if items alone varied"
            ),
        }
    }

    /// The heads of the columns.
    pub fn heads(&self) -> Vec<String> {
        let percent = |share: &f64| format!("{} %", number::tidy(100.0 * share));
        match self.over {
            PowerOver::Seeds => self.columns.iter().map(|one| number::tidy(*one)).collect(),
            PowerOver::SeedsEquivalent | PowerOver::Items | PowerOver::ItemsEquivalent => {
                self.columns.iter().map(percent).collect()
            }
            PowerOver::ItemsOfOne => vec!["distance".into()],
        }
    }

    /// A number below a column, as it is written.
    pub fn written(&self, value: f64) -> String {
        match self.over {
            PowerOver::Items | PowerOver::ItemsOfOne => number::fixed(value, 3),
            _ => format!("{} %", number::fixed(100.0 * value, 0)),
        }
    }

    /// What the rows count.
    pub fn units(&self) -> &'static str {
        match self.over {
            PowerOver::Seeds | PowerOver::SeedsEquivalent => "seeds",
            PowerOver::Items | PowerOver::ItemsEquivalent | PowerOver::ItemsOfOne => "items",
        }
    }
}

/// The power of every claim of a plan; claims that have the same share a table.
pub fn power_curves(plan: &Plan) -> Vec<PowerCurve> {
    let mut curves: Vec<PowerCurve> = Vec::new();
    for claim in &plan.study.claims {
        for statement in &claim.statements {
            for curve in of_statement(plan, claim, statement) {
                let same = curves.iter_mut().find(|one| {
                    (one.over, &one.rows) == (curve.over, &curve.rows)
                        && one.threshold == curve.threshold
                });
                match same {
                    Some(one) => one.claims.extend(curve.claims),
                    None => curves.push(curve),
                }
            }
        }
    }
    curves
}

fn of_statement(plan: &Plan, claim: &ClaimDecl, statement: &StatementDecl) -> Vec<PowerCurve> {
    let alpha = look::level(&plan.study, claim, &History::default()).alpha;
    let setting = setting(&plan.study, claim, statement, alpha);
    let Ok(threshold) = setting.threshold() else {
        return Vec::new();
    };
    let curve = |(over, columns, rows): PowerTable| PowerCurve {
        claims: vec![claim.quoted(statement)],
        over,
        threshold,
        columns,
        rows,
    };
    let seeds = over_seeds(plan, statement, &setting);
    let items = over_items(plan, statement, threshold);
    seeds.into_iter().chain(items).map(curve).collect()
}

type PowerTable = (PowerOver, Vec<f64>, Vec<(usize, Vec<f64>)>);

/// Tests that are, or nearly are, Student's t.
fn is_t(test: ClaimTest) -> bool {
    matches!(
        test,
        ClaimTest::Design | ClaimTest::PairedT | ClaimTest::Tost
    )
}

fn over_seeds(plan: &Plan, statement: &StatementDecl, setting: &Setting) -> Option<PowerTable> {
    let seeds = plan.study.seeds.len();
    if !is_t(statement.test) || statement.by_items || seeds == 1 {
        return None;
    }
    let alpha = setting.threshold().ok()?;
    let equivalent = statement.side == ClaimSide::Equivalent;
    let chance = |n: usize, column: f64| match equivalent {
        true => equivalence_power(1.0 / column, 0.0, n, alpha),
        false => paired_t_power(column, n, alpha, Side::Greater),
    };
    let (over, columns) = match equivalent {
        true => (PowerOver::SeedsEquivalent, SPREADS.to_vec()),
        false => (PowerOver::Seeds, DISTANCES.to_vec()),
    };
    let row = |n: usize| {
        let row: Result<Vec<f64>, _> = columns.iter().map(|column| chance(n, *column)).collect();
        Some((n, row.ok()?))
    };
    // Two seeds decide nothing, and a table would say otherwise.
    let counts = [seeds, 5, 10, 20];
    let rows: Option<Vec<_>> = upward(counts, seeds.max(3)).into_iter().map(row).collect();
    Some((over, columns, rows?))
}

fn over_items(plan: &Plan, statement: &StatementDecl, alpha: f64) -> Option<PowerTable> {
    let gauge = plan
        .study
        .gauges
        .position(|gauge| gauge.name == statement.gauge)?;
    let scale = &plan.gauges[gauge].scale;
    let share = scale.ends == (Some(0.0), Some(1.0)) && scale.unit == Unit::Items;
    if !is_t(statement.test) || !share || statement.minus_on.is_some() {
        return None;
    }
    let dataset = plan
        .study
        .datasets
        .position(|one| one.name == statement.place.dataset)?;
    let items = plan.loaded[plan.dataset_of[dataset][ReplicateAt::FIRST]].test_items;
    let beyond = Normal.upper_quantile(alpha).ok()?;
    let found = beyond + Normal.upper_quantile(1.0 - POWER).ok()?;
    let equivalent = statement.side == ClaimSide::Equivalent;
    let counts = [items, 4 * items, 16 * items, 64 * items];
    let counts = upward(counts, items.max(1));
    if statement.against == Against::Nothing {
        let line = statement.margin;
        let spread = (line * (1.0 - line)).max(0.0).sqrt();
        let row = |n: usize| (n, vec![found * spread / (n as f64).sqrt()]);
        let rows = counts.into_iter().map(row).collect();
        return (!equivalent && spread > 0.0).then_some((PowerOver::ItemsOfOne, vec![1.0], rows));
    }
    // Two readings between 0 and 1 differ by at most 1 where they disagree.
    let error = |n: usize, share: f64| (share / n as f64).sqrt();
    let value = |n: usize, share: f64| match equivalent {
        true => {
            let room = statement.margin / error(n, share) - beyond;
            (2.0 * Normal.cdf(room) - 1.0).max(0.0)
        }
        false => found * error(n, share),
    };
    let over = match equivalent {
        true => PowerOver::ItemsEquivalent,
        false => PowerOver::Items,
    };
    let row = |n: usize| {
        (
            n,
            DISAGREEMENTS.iter().map(|share| value(n, *share)).collect(),
        )
    };
    let rows = counts.into_iter().map(row).collect();
    Some((over, DISAGREEMENTS.to_vec(), rows))
}

/// The counts from the planned one on, rising.
fn upward(counts: [usize; 4], least: usize) -> Vec<usize> {
    let mut counts: Vec<usize> = counts.into_iter().filter(|count| *count >= least).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}
