//! What numbers are made of: reliability, classes, confusion, risk and coverage, at clean and at
//! the hardest rungs.

use std::collections::HashMap;

use duress_core::gauge::{Bin, Detail, Direction, Group, Scope};
use duress_core::name::Name;
use duress_core::number;
use duress_core::question::Question;
use duress_figure::bars::{Bar, BarGroup, BarSeries, Bars};
use duress_figure::curve::DataOrigin;
use duress_figure::frame::Titles;
use duress_figure::reliability::{Reliability, ReliabilityBin, ReliabilityPanel};
use duress_figure::scene::Scene;

use super::WIDTH;
use super::curves::ends_of;
use super::{matrices, selective};
use crate::digest::Digest;
use crate::words;
use duress_findings::{Estimate, GaugeCard, Under};

/// Bars of this many subjects beside each other can still be told apart.
pub(super) const MOST_BARS: usize = 8;

/// Bars of as many datasets are drawn one below the other.
const MOST_DATASETS: usize = 6;

/// Bars of this many classes can be looked at; of more, the worst are shown.
const MOST_CLASSES: usize = 40;

/// The estimates of one gauge at one place that have details and a colour.
pub(super) fn detailed<'a>(
    digest: &Digest<'a>,
    gauge: &GaugeCard,
    under: &Under,
) -> Vec<&'a Estimate> {
    let estimates = digest.coloured(&gauge.name, under);
    estimates
        .filter(|estimate| estimate.detail().is_some())
        .collect()
}

/// Every figure of one gauge's details at one place, with the name of each.
pub(super) fn all(digest: &Digest<'_>, gauge: &GaugeCard, under: &Under) -> Vec<(String, Scene)> {
    let estimates = detailed(digest, gauge, under);
    let scenes = match estimates.first().and_then(|estimate| estimate.detail()) {
        None => Vec::new(),
        Some(Detail::Bins(_)) => vec![(
            "reliability".into(),
            reliability(digest, gauge, under, &estimates),
        )],
        Some(Detail::Grid(_)) => matrices::grids(digest, gauge, under, &estimates),
        Some(Detail::Groups(_) | Detail::Spread(_)) => by_dataset(digest, gauge, under, &estimates),
        Some(Detail::Matrix { .. }) => matrices::confusions(digest, gauge, under, &estimates),
        Some(Detail::Curve { .. }) => selective::all(digest, gauge, under, &estimates),
        Some(Detail::Gates { .. }) => matrices::gates(digest, gauge, under, &estimates),
        Some(Detail::Thresholds(_)) => {
            vec![(
                "thresholds".into(),
                selective::thresholds(digest, gauge, under, &estimates),
            )]
        }
    };
    let place = under.to_string();
    scenes
        .into_iter()
        .map(|(kind, scene)| (format!("{kind}-{}-{place}", gauge.name), scene))
        .collect()
}

/// Which seed is shown, where only one is.
pub(super) fn remark(estimates: &[&Estimate]) -> String {
    let seed = estimates
        .first()
        .and_then(|estimate| estimate.by_seed.first())
        .map(|(seed, _)| *seed);
    seed.map_or_else(String::new, |seed| format!("Seed {seed}."))
}

/// Whose it is; the dataset too where there are several.
pub(super) fn whose(digest: &Digest<'_>, estimate: &Estimate) -> String {
    match digest.several_datasets() {
        true => format!("{}, {}", estimate.place.subject, estimate.place.dataset),
        false => estimate.place.subject.to_string(),
    }
}

fn reliability(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Scene {
    let bin = |bin: &Bin| ReliabilityBin {
        range: (bin.low, bin.high),
        n: bin.n as u64,
        point: bin.confidence.zip(bin.accuracy),
    };
    let panel = |estimate: &&Estimate| match estimate.detail() {
        Some(Detail::Bins(bins)) => Some(ReliabilityPanel {
            name: whose(digest, estimate),
            key: digest.key(&estimate.place.subject),
            style: digest.style(&estimate.place.subject)?,
            remarks: summed_up(gauge, estimate),
            bins: bins.iter().map(bin).collect(),
        }),
        _ => None,
    };
    let figure = Reliability {
        titles: Titles {
            title: format!("Reliability, {}", under),
            remark: format!(
                "Points: mean confidence and share right of each bin; dashed: perfect. Below: how many items. Bins: {}",
                remark(estimates).to_lowercase()
            ),
            x: "confidence".into(),
            y: "share that is right".into(),
        },
        panels: estimates.iter().filter_map(panel).collect(),
    };
    figure.draw(WIDTH)
}

/// The gauge for the seed whose bins are drawn, and over all seeds.
fn summed_up(gauge: &GaugeCard, estimate: &Estimate) -> Vec<String> {
    let whole = words::quantity(&estimate.quantity);
    let drawn = estimate.details.first().map(|(seed, _)| *seed);
    let own = estimate
        .by_seed
        .iter()
        .find(|(seed, _)| Some(*seed) == drawn);
    match own.and_then(|(seed, reading)| Some((seed, reading.value()?))) {
        Some((seed, value)) if estimate.by_seed.len() > 1 => vec![
            format!("{} {} (seed {seed})", gauge.name, number::short(value)),
            format!("mean {whole}, {} seeds", estimate.quantity.replicates),
        ],
        _ => vec![format!("{} {whole}", gauge.name)],
    }
}

/// The values of a class or group for every seed that has one.
struct Member {
    name: String,
    /// The smallest and the largest number of items, over subjects and seeds.
    n: (usize, usize),
    /// The sum of its values over subjects and seeds, and how many there are.
    sum: (f64, usize),
}

impl Member {
    fn mean(&self) -> Option<f64> {
        (self.sum.1 > 0).then(|| self.sum.0 / self.sum.1 as f64)
    }
}

/// Bars for each of the first datasets: of many, the table has all.
fn by_dataset(
    digest: &Digest<'_>,
    gauge: &GaugeCard,
    under: &Under,
    estimates: &[&Estimate],
) -> Vec<(String, Scene)> {
    let mut datasets: Vec<&Name> = Vec::new();
    for estimate in estimates {
        let dataset = &estimate.place.dataset;
        if !datasets.contains(&dataset) && datasets.len() < MOST_DATASETS {
            datasets.push(dataset);
        }
    }
    let several = datasets.len() > 1;
    let draw = |dataset: &&Name| {
        let own = estimates.iter().copied();
        let own = own.filter(|one| one.place.dataset == **dataset);
        let own: Vec<&Estimate> = own.take(MOST_BARS).collect();
        let (file, place) = match several {
            true => (
                format!("classes-{dataset}"),
                format!("{under}, on {dataset}"),
            ),
            false => ("classes".into(), under.to_string()),
        };
        (file, classes(digest, gauge, &place, &own))
    };
    datasets.iter().map(draw).collect()
}

/// Bars of the subjects asked about one dataset.
fn classes(digest: &Digest<'_>, gauge: &GaugeCard, place: &str, estimates: &[&Estimate]) -> Scene {
    let (members, all) = worst(members(estimates), gauge.scale.direction);
    let group = |member: &Member| BarGroup {
        name: member.name.clone(),
        remark: match member.n {
            (least, most) if least == most => format!("n = {most}"),
            (least, most) => format!("n = {least} to {most}"),
        },
        bars: estimates
            .iter()
            .map(|estimate| member_bar(gauge, estimate, &member.name))
            .collect(),
    };
    let groups: Vec<BarGroup> = members.iter().map(group).collect();
    let values: Vec<f64> = groups
        .iter()
        .flat_map(|group| group.bars.iter().flatten())
        .map(|bar| bar.value)
        .collect();
    // Of classes the gauge has a value each; of other groups, such as precision and recall, or the
    // positions of options over a ladder, it is made.
    let of_classes = gauge.scale.reads == Question::Classes;
    let by_class = of_classes && gauge.scope == Scope::Cell;
    let seeds = estimates
        .iter()
        .map(|estimate| estimate.details.len())
        .max()
        .unwrap_or(0);
    let mean = match seeds {
        0 | 1 => remark(estimates),
        seeds => format!("Mean of {seeds} seeds; whiskers: the lowest and the highest of them."),
    };
    let figure = Bars {
        titles: Titles {
            title: match by_class {
                true => format!("{} by class, {}", gauge.name, place),
                false => format!("What {} is made of, {}", gauge.name, place),
            },
            remark: format!(
                "{mean} A dash: no value.{}{}",
                shown_of(members.len(), all),
                digest.left_out()
            ),
            x: String::new(),
            y: if by_class {
                words::axis(gauge)
            } else {
                "value of each part".into()
            },
        },
        ends: ends_of(gauge.scale.ends, values.iter().copied()),
        series: estimates
            .iter()
            .map(|estimate| bar_series(digest, estimate))
            .collect(),
        groups,
        references: Vec::new(),
    };
    figure.draw(WIDTH)
}

fn groups_of(estimate: &Estimate) -> impl Iterator<Item = &Group> {
    estimate
        .details
        .iter()
        .flat_map(|(_, detail)| match detail {
            Detail::Groups(groups) => groups.as_slice(),
            Detail::Spread(spread) => spread.groups.as_slice(),
            _ => &[],
        })
}

/// The classes or groups of these estimates, in the order in which they come.
///
/// Subjects can differ in how many items each has: a precision counts what each of them found.
fn members(estimates: &[&Estimate]) -> Vec<Member> {
    let mut found: Vec<Member> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for group in estimates.iter().flat_map(|estimate| groups_of(estimate)) {
        let place = *places.entry(&group.name).or_insert(found.len());
        if place == found.len() {
            found.push(Member {
                name: group.name.clone(),
                n: (group.n, group.n),
                sum: (0.0, 0),
            });
        }
        let member = &mut found[place];
        member.n = (group.n.min(member.n.0), group.n.max(member.n.1));
        if let Ok(value) = &group.value {
            member.sum = (member.sum.0 + value, member.sum.1 + 1);
        }
    }
    found
}

/// The worst of many, in the order in which they came, and how many there were.
fn worst(members: Vec<Member>, direction: Direction) -> (Vec<Member>, usize) {
    let all = members.len();
    let mut order: Vec<usize> = (0..all).collect();
    let badness = |place: usize| {
        let mean = members[place].mean().unwrap_or(f64::NAN);
        match direction {
            Direction::Lower => -mean,
            Direction::Higher | Direction::Neither => mean,
        }
    };
    // What has no value comes last: there is nothing to be seen of it.
    let last = |value: f64| if value.is_nan() { f64::INFINITY } else { value };
    order.sort_by(|a, b| last(badness(*a)).total_cmp(&last(badness(*b))));
    let mut shown = vec![false; all];
    for place in order.into_iter().take(MOST_CLASSES) {
        shown[place] = true;
    }
    let members = members.into_iter().zip(shown);
    let kept = members.filter_map(|(member, shown)| shown.then_some(member));
    (kept.collect(), all)
}

fn shown_of(shown: usize, all: usize) -> String {
    match all - shown {
        0 => String::new(),
        _ => format!(" The {shown} of {all} with the worst means; the others are in the findings."),
    }
}

/// The mean over seeds; the whiskers reach from the lowest to the highest.
fn member_bar(gauge: &GaugeCard, estimate: &Estimate, name: &str) -> Option<Bar> {
    let values = groups_of(estimate).filter(|group| group.name == name);
    let values: Vec<f64> = values
        .filter_map(|group| group.value.as_ref().ok().copied())
        .collect();
    let value = words::mean_and_sd(&values).0?;
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let tip = format!(
        "{}, {name}: {} {}, {}",
        estimate.place.subject,
        gauge.name,
        number::short(value),
        words::counted(values.len(), "seed")
    );
    Some(Bar {
        spread: None,
        value,
        interval: (values.len() > 1).then_some((low, high)),
        tip,
    })
}

pub(super) fn bar_series(digest: &Digest<'_>, estimate: &Estimate) -> BarSeries {
    BarSeries {
        name: whose(digest, estimate),
        key: digest.key(&estimate.place.subject),
        style: digest.style(&estimate.place.subject).unwrap_or(0),
        origin: DataOrigin::Measured,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_ten_thousand_classes_the_worst_are_shown_in_their_order() {
        let member = |at: usize| Member {
            name: at.to_string(),
            n: (1, 1),
            sum: match at {
                7 => (0.0, 0),
                at => (((at * 7919) % 10_000) as f64, 1),
            },
        };
        let many = || (0..10_000).map(member).collect::<Vec<_>>();
        for direction in [Direction::Higher, Direction::Lower] {
            let (kept, all) = worst(many(), direction);
            assert_eq!((kept.len(), all), (MOST_CLASSES, 10_000));
            let places: Vec<usize> = kept.iter().map(|one| one.name.parse().unwrap()).collect();
            assert!(places.is_sorted());
            let bad = |one: &Member| match direction {
                Direction::Lower => one.mean().unwrap() >= 9_959.0,
                _ => one.mean().unwrap() <= 40.0,
            };
            assert!(kept.iter().all(bad));
        }
        let (kept, all) = worst((0..10).map(member).collect(), Direction::Higher);
        assert_eq!((kept.len(), all), (10, 10));
        assert_eq!(shown_of(10, 10), "");
    }
}
