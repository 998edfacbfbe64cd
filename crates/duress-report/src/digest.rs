//! Findings arranged for reading: by gauge, dataset and ladder, with each subject's colour.

use std::collections::{BTreeMap, HashMap};

use duress_core::gauge::Direction;
use duress_core::name::Name;

use duress_findings::{
    About, Caveat, ClaimFinding, ClaimFloor, Contrast, Curve, Doubt, Estimate, Findings, GaugeCard,
    LadderCard, Level, Place, Quantity, Under,
};

/// The word on a claim whose margin is below the noise floor.
pub(crate) const REFUSED: &str = "refused";

/// How many subjects get a style of their own; in larger crowds the rest is background.
const NAMED: usize = 16;

/// Findings arranged for reading.
pub(crate) struct Digest<'a> {
    /// All of it.
    pub(crate) findings: &'a Findings,
    /// Curves that share a figure, in the order of gauges, datasets and ladders.
    pub(crate) panels: Vec<Panel<'a>>,
    subjects: HashMap<&'a str, usize>,
    styles: Vec<Option<usize>>,
    estimates: HashMap<(&'a str, &'a Place), &'a Estimate>,
    contrasts: HashMap<(&'a str, &'a Place, &'a Place), &'a Contrast>,
}

/// The curves of one gauge on one dataset along one ladder.
pub(crate) struct Panel<'a> {
    /// The gauge.
    pub(crate) gauge: &'a GaugeCard,
    /// The ladder.
    pub(crate) ladder: &'a LadderCard,
    /// The dataset.
    pub(crate) dataset: &'a Name,
    /// One curve for each subject.
    pub(crate) curves: Vec<&'a Curve>,
}

/// What a caveat is about, as far as it is asked for.
#[derive(Clone, Copy, Default)]
pub(crate) struct CaveatFilter<'a> {
    /// A gauge.
    pub(crate) gauge: Option<&'a str>,
    /// A ladder.
    pub(crate) ladder: Option<&'a Name>,
    /// A claim.
    pub(crate) claim: Option<&'a str>,
}

impl<'a> Digest<'a> {
    /// Arranges findings.
    pub(crate) fn of(findings: &'a Findings) -> Digest<'a> {
        let subjects: HashMap<&str, usize> = findings
            .subjects
            .iter()
            .enumerate()
            .map(|(i, subject)| (subject.name.as_str(), i))
            .collect();
        let estimates = findings
            .estimates
            .iter()
            .map(|e| ((e.gauge.as_str(), &e.place), e))
            .collect();
        let contrasts = findings
            .contrasts
            .iter()
            .map(|c| ((c.gauge.as_str(), &c.of, &c.against), c))
            .collect();
        let panels = panels(findings, &subjects);
        let styles = styles(findings, &subjects, &panels);
        Digest {
            findings,
            panels,
            subjects,
            styles,
            estimates,
            contrasts,
        }
    }

    /// The number of a subject, which is its key on the page.
    pub(crate) fn key(&self, subject: &Name) -> usize {
        self.subjects.get(subject.as_str()).copied().unwrap_or(0)
    }

    /// The place of a subject among the colours; `None` is background.
    pub(crate) fn style(&self, subject: &Name) -> Option<usize> {
        self.styles.get(self.key(subject)).copied().flatten()
    }

    /// That figures do not draw all subjects, where they do not.
    pub(crate) fn left_out(&self) -> &'static str {
        match self.styles.contains(&None) {
            true => " Drawn are the best and the worst; the tables have all.",
            false => "",
        }
    }

    /// Whether numbers must say their dataset.
    pub(crate) fn several_datasets(&self) -> bool {
        self.findings.datasets.len() > 1
    }

    /// Whether the attack of a curve gravely doubts what it left standing.
    pub(crate) fn is_doubted(&self, curve: &Curve) -> bool {
        self.findings.caveats.iter().any(|caveat| {
            let Doubt::Attack { by } = &caveat.doubt else {
                return false;
            };
            let touches = match &caveat.about {
                About::Place(place) => {
                    let under = matches!(&place.under, Under::Everything)
                        || matches!(&place.under, Under::Ladder(name) if name == &curve.ladder);
                    under && place.subject == curve.subject && place.dataset == curve.dataset
                }
                _ => false,
            };
            by.is_grave() && touches
        })
    }

    /// A gauge at a place.
    pub(crate) fn estimate(&self, gauge: &str, place: &Place) -> Option<&'a Estimate> {
        self.estimates.get(&(gauge, place)).copied()
    }

    /// What a gauge read for one seed.
    pub(crate) fn of_seed(&self, gauge: &str, place: &Place, seed: u64) -> Option<f64> {
        let by_seed = &self.estimate(gauge, place)?.by_seed;
        by_seed.iter().find(|(known, _)| *known == seed)?.1.value()
    }

    /// Where the curves of a panel are over fewer items than were read clean: how many, and of how
    /// many, of the curve that lost most.
    pub(crate) fn fewest_items(&self, panel: &Panel<'_>) -> Option<(usize, usize)> {
        let counts = panel.curves.iter().filter_map(|curve| {
            let first = curve.points.first()?;
            let clean = Place {
                subject: curve.subject.clone(),
                dataset: curve.dataset.clone(),
                under: Under::Clean,
            };
            let all = self.estimate(&curve.gauge, &clean)?.quantity.items;
            Some((first.quantity.items, all))
        });
        counts
            .filter(|(some, all)| some < all)
            .min_by_key(|(some, _)| *some)
    }

    /// The curve that a rung stands on, and the rung's place on it.
    pub(crate) fn curve_at(&self, gauge: &str, place: &Place) -> Option<(&'a Curve, usize)> {
        let Under::Rung { ladder, severity } = &place.under else {
            return None;
        };
        let curve = self.findings.curves.iter().find(|curve| {
            curve.gauge == gauge
                && curve.subject == place.subject
                && curve.dataset == place.dataset
                && curve.ladder == *ladder
        })?;
        let mut points = curve.points.iter();
        let at = points.position(|point| point.severity == *severity)?;
        Some((curve, at))
    }

    /// The difference of a gauge at two places.
    pub(crate) fn contrast(
        &self,
        gauge: &str,
        of: &Place,
        against: &Place,
    ) -> Option<&'a Contrast> {
        self.contrasts.get(&(gauge, of, against)).copied()
    }

    /// Whether a fall counts as a loss: where higher is better, and where neither way is.
    pub(crate) fn rises(&self, gauge: &str) -> bool {
        let card = self.findings.gauges.iter().find(|card| card.name == gauge);
        card.is_none_or(|card| card.scale.direction != Direction::Lower)
    }

    /// The levels to compare a gauge with on a dataset.
    pub(crate) fn levels(&self, gauge: &str, dataset: &Name) -> impl Iterator<Item = &'a Level> {
        let fits = move |level: &&Level| {
            level.gauge == gauge && level.dataset.as_ref().is_none_or(|name| name == dataset)
        };
        self.findings.levels.iter().filter(fits)
    }

    /// Whether `best` is better than `other` by a paired difference whose interval excludes zero.
    pub(crate) fn beats(&self, gauge: &GaugeCard, best: &Place, other: &Place) -> bool {
        let stands = |contrast: &Contrast, sign: f64| {
            let sign = match gauge.scale.direction {
                Direction::Higher => sign,
                Direction::Lower => -sign,
                Direction::Neither => return false,
            };
            contrast
                .quantity
                .interval
                .as_ref()
                .is_ok_and(|range| (range.low * sign).min(range.high * sign) > 0.0)
        };
        let find = |of, against| self.contrasts.get(&(gauge.name.as_str(), of, against));
        find(best, other).is_some_and(|c| stands(c, 1.0))
            || find(other, best).is_some_and(|c| stands(c, -1.0))
    }

    /// The estimates of one gauge at one place whose subjects have a colour.
    pub(crate) fn coloured(
        &self,
        gauge: &str,
        under: &Under,
    ) -> impl Iterator<Item = &'a Estimate> {
        self.findings.estimates.iter().filter(move |estimate| {
            estimate.gauge == gauge
                && estimate.place.under == *under
                && self.style(&estimate.place.subject).is_some()
        })
    }

    /// Why a claim, or the part of one that has this name among all of them, is refused.
    pub(crate) fn refusal(&self, name: &str) -> Option<&'a ClaimFloor> {
        let floor = self.findings.noise_floor.as_ref()?;
        let mut claims = self.findings.claims.iter();
        let whole = claims.find(|claim| claim.name == name);
        match whole {
            Some(claim) => floor.refuses(claim),
            None => floor.refused().find(|part| part.claim == name),
        }
    }

    /// The word on such a claim or part: its verdict, or that it is refused.
    pub(crate) fn word_on(&self, name: &str, claim: &ClaimFinding) -> String {
        match self.refusal(name) {
            Some(_) => REFUSED.into(),
            None => claim.verdict.to_string(),
        }
    }

    /// The doubts that belong exactly here; a doubt about less is shown where that is.
    pub(crate) fn caveats(&self, wanted: CaveatFilter<'_>) -> impl Iterator<Item = &'a Caveat> {
        self.findings.caveats.iter().filter(move |caveat| {
            let about = &caveat.about;
            about.gauge() == wanted.gauge
                && about.stress() == wanted.ladder
                && about.claim() == wanted.claim
        })
    }

    /// The gauges that have a section: a floor stands beside its gauge instead.
    pub(crate) fn gauges(&self) -> impl Iterator<Item = &'a GaugeCard> {
        let gauges = self.findings.gauges.iter();
        gauges.filter(|card| card.floor.is_none())
    }

    /// The floors of a gauge.
    pub(crate) fn floors_of(&self, gauge: &'a str) -> impl Iterator<Item = &'a GaugeCard> {
        let gauges = self.findings.gauges.iter();
        gauges.filter(move |card| card.is_floor_of(gauge))
    }

    /// The clean places and named conditions at which a gauge has estimates, then ladders and all,
    /// in the order of the study.
    pub(crate) fn unders(&self, gauge: &str) -> Vec<(&'a Name, &'a Under)> {
        let findings = self.findings;
        let mut found = BTreeMap::new();
        for Estimate { place, .. } in findings
            .estimates
            .iter()
            .filter(|estimate| estimate.gauge == gauge)
        {
            let rank = match &place.under {
                Under::Clean => (0, None),
                Under::Rung { .. } => continue,
                Under::Condition(name) => (
                    1,
                    findings.conditions.iter().position(|one| one.name == *name),
                ),
                Under::Ladder(name) => {
                    (2, findings.ladders.iter().position(|one| one.name == *name))
                }
                Under::Everything => (3, None),
            };
            let dataset = findings
                .datasets
                .iter()
                .position(|one| one.name == place.dataset);
            // The names stand last for places that no card describes, so that none takes another's.
            found.insert((rank.0, dataset, rank.1, &place.dataset, &place.under), ());
        }
        found
            .into_keys()
            .map(|(.., dataset, under)| (dataset, under))
            .collect()
    }
}

fn panels<'a>(findings: &'a Findings, subjects: &HashMap<&str, usize>) -> Vec<Panel<'a>> {
    let mut panels: BTreeMap<(usize, usize, usize), Panel<'a>> = BTreeMap::new();
    for curve in &findings.curves {
        let gauge = findings
            .gauges
            .iter()
            .position(|gauge| gauge.name == curve.gauge);
        let ladder = findings
            .ladders
            .iter()
            .position(|ladder| ladder.name == curve.ladder);
        let dataset = findings
            .datasets
            .iter()
            .position(|dataset| dataset.name == curve.dataset)
            .unwrap_or(0);
        let (Some(g), Some(l)) = (gauge, ladder) else {
            continue;
        };
        let empty = || Panel {
            gauge: &findings.gauges[g],
            ladder: &findings.ladders[l],
            dataset: &curve.dataset,
            curves: Vec::new(),
        };
        panels
            .entry((g, dataset, l))
            .or_insert_with(empty)
            .curves
            .push(curve);
    }
    for panel in panels.values_mut() {
        panel
            .curves
            .sort_by_key(|curve| subjects.get(curve.subject.as_str()).copied());
    }
    panels.into_values().collect()
}

/// Every subject gets a style where there are few. Of many, those do that rank best and worst over
/// all curves, or, where there are none, over all gauges without stress, and the first, whatever
/// its rank: a study begins with what the others are held against. All that among the subjects
/// first asked about the same dataset, which stand in one figure.
fn styles(
    findings: &Findings,
    subjects: &HashMap<&str, usize>,
    panels: &[Panel<'_>],
) -> Vec<Option<usize>> {
    let count = findings.subjects.len();
    if count <= NAMED {
        return (0..count).map(Some).collect();
    }
    let end = |gauge: &GaugeCard, subject: &Name, quantity: &Quantity| {
        let sign = match gauge.scale.direction {
            Direction::Higher => -1.0,
            Direction::Lower => 1.0,
            Direction::Neither => return None,
        };
        Some((
            sign * quantity.value.value()?,
            *subjects.get(subject.as_str())?,
        ))
    };
    let of_panel = |panel: &Panel<'_>| {
        panel
            .curves
            .iter()
            .filter_map(|curve| end(panel.gauge, &curve.subject, &curve.area))
            .collect()
    };
    let of_gauge = |gauge: &GaugeCard| {
        let clean = |one: &&Estimate| one.gauge == gauge.name && one.place.under == Under::Clean;
        let estimates = findings.estimates.iter().filter(clean);
        estimates
            .filter_map(|one| end(gauge, &one.place.subject, &one.quantity))
            .collect()
    };
    let fields: Vec<Vec<(f64, usize)>> = match panels.is_empty() {
        true => findings.gauges.iter().map(of_gauge).collect(),
        false => panels.iter().map(of_panel).collect(),
    };
    let mut ranks = vec![0.0; count];
    for mut ends in fields {
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (rank, (_, subject)) in ends.iter().enumerate() {
            ranks[*subject] += rank as f64 / ends.len() as f64;
        }
    }
    let mut first = vec![None; count];
    for Estimate { place, .. } in &findings.estimates {
        if let Some(&at) = subjects.get(place.subject.as_str()) {
            first[at] = first[at].or(Some(&place.dataset));
        }
    }
    let mut styles = vec![None; count];
    for dataset in &findings.datasets {
        let mut group: Vec<usize> = (0..count)
            .filter(|&at| first[at] == Some(&dataset.name))
            .collect();
        if group.len() > NAMED {
            let first = group[0];
            group.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
            let worst = group.split_off(group.len() - 3);
            group.truncate(4);
            group.extend(worst);
            if !group.contains(&first) {
                group.push(first);
            }
        }
        group
            .iter()
            .enumerate()
            .for_each(|(style, &subject)| styles[subject] = Some(style));
    }
    styles
}
