//! What units add to the readings of a series, and resamples of them.

use std::sync::{Arc, OnceLock};

use duress_core::gauge::{Meter, Undefined};
use duress_stats::bootstrap::{self, Config, Design};
use duress_stats::{UndefinedReason, statistic};

use crate::analysis::added::Added;
use crate::analysis::clusters::Clusters;

use super::draws::Draws;

/// A series that a sample is made of, and how much it counts.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) weight: f64,
    pub(super) series: Arc<SeriesParts>,
}

impl Part {
    /// The part of one seed.
    pub(super) fn only(&self, seed: usize) -> Part {
        let SeriesParts {
            meters,
            clusters,
            config,
            ..
        } = &*self.series;
        let clusters = of_replicate(clusters.as_ref(), seed);
        let meters = vec![meters[seed].clone()];
        Part {
            weight: self.weight,
            series: Arc::new(SeriesParts::new(meters, clusters, *config)),
        }
    }
}

/// What units add to each reading of a series.
pub(super) struct SeriesParts {
    /// With their plain readings.
    pub(super) meters: Vec<Option<(Arc<dyn Meter>, f64)>>,
    clusters: Option<Arc<Clusters>>,
    /// Found when it is wanted: not every scope needs it.
    added: OnceLock<Vec<Option<Added>>>,
    pub(super) rough: bool,
    pub(super) config: Config,
}

/// A meter and its plain reading.
type ReadMeter = (Arc<dyn Meter>, f64);

/// The resamples of every seed, undefined ones among them; none where a seed has no reading.
pub(super) type DrawsBySeed = Vec<Option<Vec<Option<f64>>>>;

impl SeriesParts {
    pub(super) fn new(
        meters: Vec<Option<(Arc<dyn Meter>, f64)>>,
        clusters: Option<Arc<Clusters>>,
        config: Config,
    ) -> SeriesParts {
        SeriesParts {
            rough: meters.iter().flatten().any(|(meter, _)| meter.is_rough()),
            added: OnceLock::new(),
            meters,
            clusters,
            config,
        }
    }

    /// What units add to the reading of each seed; nothing is known of readings that are rough.
    pub(super) fn added(&self) -> &[Option<Added>] {
        self.added.get_or_init(|| {
            let of_seed = |(seed, meter): (usize, &Option<ReadMeter>)| {
                let (meter, value) = meter.as_ref().filter(|_| !self.rough)?;
                let clusters = self.clusters.as_ref();
                let clusters = clusters.map(|all| (all.labels(seed), all.count()));
                Added::of(meter, *value, clusters)
            };
            self.meters.iter().enumerate().map(of_seed).collect()
        })
    }

    /// Resamples of a gauge that is biased or rough, by which its own interval is made; others have
    /// no need of them.
    pub(super) fn draws_of_biased(&self) -> Option<Draws> {
        let population = self.population();
        (self.rough || population.is_some()).then(|| Draws {
            by_seed: self.draws(),
            population,
        })
    }

    /// What biased meters would read in the mean if their items were all there are; `None` where
    /// one is not biased.
    fn population(&self) -> Option<f64> {
        let read =
            |(meter, _): &(Arc<dyn Meter>, f64)| meter.plug_in_value(&vec![1; meter.units()])?.ok();
        let all = self.meters.iter().flatten().map(read);
        let all = all.collect::<Option<Vec<f64>>>()?;
        (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
    }

    /// The same draws of items, or of clusters, for all seeds that have as many.
    pub(super) fn draws(&self) -> DrawsBySeed {
        let drawn = |(seed, meter): (usize, &Option<ReadMeter>)| {
            let (meter, _) = meter.as_ref()?;
            let drawn = match &self.clusters {
                None => self.drawn(meter.units(), |weights| meter.read(weights)),
                Some(all) => self.drawn(all.count(), |weights| {
                    meter.read(&all.weights_of_items(seed, weights))
                }),
            };
            Some(drawn?.into_iter().map(Result::ok).collect())
        };
        self.meters.iter().enumerate().map(drawn).collect()
    }

    fn drawn(
        &self,
        units: usize,
        read: impl Fn(&[u32]) -> Result<f64, Undefined> + Sync,
    ) -> Option<Vec<Result<f64, UndefinedReason>>> {
        let read = |weights: &[u32]| read(weights).map_err(because);
        let read = statistic::from_fn(units, read);
        bootstrap::distribution(&read, Design::Simple, self.config).ok()
    }
}

fn because(undefined: Undefined) -> duress_stats::UndefinedReason {
    duress_stats::UndefinedReason::Because(undefined.why)
}

/// The clusters of one replicate, where some of its items belong together.
pub(super) fn of_replicate(
    clusters: Option<&Arc<Clusters>>,
    replicate: usize,
) -> Option<Arc<Clusters>> {
    clusters?.of_replicate(replicate).map(Arc::new)
}
