//! A sample in the words of findings: a quantity with its interval, method, scope and variance.

use duress_core::gauge::Unit;
use duress_stats::evidence::EvidenceMethod;
use duress_stats::sources::{self, Factor, Source};

use crate::analysis::clusters::Clusters;
use duress_findings::{
    AbsenceReason, IntervalMethod, Method, Quantity, Range, Reading, Resampled, VariancePart,
    VarianceSource,
};

use super::Sample;
use super::known::{Basis, Known};

impl Sample {
    /// The number with what it takes to trust it.
    pub(crate) fn quantity(&self, level: f64) -> Quantity {
        self.quantity_by(&self.known(), level)
    }

    /// The same, and where its variance comes from.
    pub(in crate::analysis) fn quantity_and_variance(
        &self,
        level: f64,
    ) -> (Quantity, Vec<VariancePart>) {
        let known = self.known();
        let variance = known.as_ref().map(|known| self.variance(known));
        (
            self.quantity_by(&known, level),
            variance.unwrap_or_default(),
        )
    }

    fn quantity_by(&self, known: &Result<Known, AbsenceReason>, level: f64) -> Quantity {
        let interval = known.as_ref().map_err(AbsenceReason::clone);
        let interval = interval.and_then(|known| known.interval(level));
        let interval = interval.map(|found| Range {
            low: found.low,
            high: found.high,
            level,
        });
        let method = known.as_ref().map(|known| self.method(known));
        let unit = self.drawn(known.as_ref().ok().map(|known| known.basis));
        Quantity::new(reading(&self.value), interval)
            .of(self.items, self.seeds().len())
            .by(unit, method.unwrap_or(IntervalMethod::None.into()))
    }

    pub(in crate::analysis) fn method(&self, known: &Known) -> Method {
        let resamples = self
            .parts
            .first()
            .map_or(0, |part| part.series.config.resamples);
        let biased = self
            .draws
            .as_ref()
            .is_some_and(|draws| draws.population.is_some());
        let made = match (known.evidence.method(), known.basis) {
            (EvidenceMethod::Bootstrap, _) if biased => IntervalMethod::Basic { resamples },
            (EvidenceMethod::Bootstrap, _) => IntervalMethod::Percentile { resamples },
            (EvidenceMethod::Wilson, _) => IntervalMethod::Wilson,
            (EvidenceMethod::BoundedMean, _) => IntervalMethod::BoundedMean,
            (EvidenceMethod::Unvaried, _) => IntervalMethod::Unvaried,
            (_, Basis::Seeds) => IntervalMethod::TOverSeeds,
            (EvidenceMethod::LogOdds, Basis::Crossed) => IntervalMethod::CrossedLogOdds,
            (EvidenceMethod::LogOdds, _) if self.clusters.is_some() => {
                IntervalMethod::ClustersLogOdds
            }
            (EvidenceMethod::LogOdds, _) => IntervalMethod::ItemsLogOdds,
            (_, Basis::Crossed) => IntervalMethod::Crossed,
            _ if self.clusters.is_some() => IntervalMethod::TOverClusters,
            _ => IntervalMethod::TOverItems,
        };
        made.into()
    }

    /// What was drawn and might have been drawn otherwise; narrower scopes say so.
    fn drawn(&self, basis: Option<Basis>) -> Resampled {
        let items = self.items;
        let seeds = self.seeds().len();
        match (basis, &self.clusters) {
            (Some(Basis::Seeds), _) => self.drawn_seeds(seeds),
            (Some(basis), Some(clusters)) => self.drawn_clusters(basis, clusters, seeds),
            (Some(Basis::Crossed), None) => Resampled::Crossed { items, seeds },
            (Some(Basis::Items), None) if !self.in_study => Resampled::Items { items },
            (Some(Basis::Items), None) if seeds == 1 => Resampled::ItemsOfOneSeed { items },
            (Some(Basis::Items), None) => Resampled::ItemsOfEqualSeeds { items, seeds },
            (Some(Basis::ItemsKeptSeeds), None) => Resampled::ItemsForSeeds { items, seeds },
            (None, _) if items > 0 => Resampled::Items { items },
            (None, _) => Resampled::Seeds { seeds },
        }
    }

    /// Data that are the same for all seeds are these data and no others.
    fn drawn_seeds(&self, seeds: usize) -> Resampled {
        match (self.unit, self.crossed) {
            (_, false) => Resampled::Seeds { seeds },
            (Unit::Replicates, true) => Resampled::SeedsOfOneDataset { seeds },
            (Unit::Items, true) => Resampled::SeedsItemsKept { seeds },
        }
    }

    fn drawn_clusters(&self, basis: Basis, all: &Clusters, seeds: usize) -> Resampled {
        let clusters = all.count();
        let column = all.column().into();
        let items = self.items;
        match basis {
            Basis::Crossed | Basis::Seeds => Resampled::CrossedClusters {
                clusters,
                column,
                items,
                seeds,
            },
            Basis::Items if !self.in_study => Resampled::Clusters {
                clusters,
                column,
                items,
            },
            Basis::Items if seeds == 1 => Resampled::ClustersOfOneSeed {
                clusters,
                column,
                items,
            },
            Basis::Items => Resampled::ClustersOfEqualSeeds {
                clusters,
                column,
                items,
                seeds,
            },
            Basis::ItemsKeptSeeds => Resampled::ClustersForSeeds {
                clusters,
                column,
                items,
                seeds,
            },
        }
    }

    /// Where the variance comes from, as far as what is known tells.
    fn variance(&self, known: &Known) -> Vec<VariancePart> {
        let Some(components) = known.components else {
            return Vec::new();
        };
        let sources = match self.within_clusters() {
            Some(sources) => sources,
            None if self.clusters.is_some() => components.sources(Factor::Cluster),
            None => components.sources(Factor::Item),
        };
        variance_parts(&sources)
    }

    /// Clusters apart from their items: of a mean, where all seeds met the same items.
    fn within_clusters(&self) -> Option<Vec<Source>> {
        let table = self.added().ok()?;
        let (first, rest) = table.labels()?.split_first()?;
        if rest.iter().any(|own| own != first) {
            return None;
        }
        let added = |seed: usize, item: usize| table.added(seed, item);
        sources::within_clusters(&self.seeds(), added, first).ok()
    }
}

/// Where variance comes from, in the words of the contract.
pub(in crate::analysis) fn variance_parts(sources: &[Source]) -> Vec<VariancePart> {
    let found: Vec<(VarianceSource, f64, f64)> = sources
        .iter()
        .map(|source| (named(source.factor), source.variance, source.error))
        .collect();
    VariancePart::all(&found)
}

/// A factor in the words of the contract.
fn named(factor: Factor) -> VarianceSource {
    match factor {
        Factor::Cluster => VarianceSource::Cluster,
        Factor::Item => VarianceSource::Item,
        Factor::Replicate => VarianceSource::Replicate,
        Factor::Template => VarianceSource::Template,
        Factor::Rest => VarianceSource::Rest,
    }
}

pub(in crate::analysis) fn reading(value: &Result<f64, AbsenceReason>) -> Reading {
    match value {
        Ok(value) if value.is_finite() => Reading::Value(*value),
        Ok(value) => Reading::Undefined(AbsenceReason::NotFinite {
            value: value.to_string(),
        }),
        Err(why) => Reading::Undefined(why.clone()),
    }
}
