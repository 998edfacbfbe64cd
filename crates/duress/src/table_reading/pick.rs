//! Which gauges apply: all of the registry that read what the table holds, or those that were
//! named.

use std::path::Path;

use duress_core::gauge::{self, Detail, Gauge, Scale, Scope};
use duress_core::part::{Build, Params, Part, PartKind, Raw};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_parts::registry::Registry;
use duress_stats::parallel::map_list;

use super::GaugeOptions;
use super::classes::Classes;
use super::doses::DosedRatings;
use super::scored_ladder::ScoredLadder;
use crate::analysis::alone::{self, Resampling};
use duress_findings::{Gauging, Quantity};

/// A gauge with every key at its default.
pub(super) struct Picked {
    part: &'static Part,
    gauge: Gauge,
}

/// A gauge that applies, and what it reads.
pub(super) struct Applying<'a> {
    pub(super) part: &'static Part,
    pub(super) gauge: &'a Gauge,
    pub(super) scale: Scale,
    pub(super) quantity: Quantity,
    pub(super) detail: Option<Detail>,
}

/// Answers as gauges are opened on them.
#[derive(Clone, Copy)]
pub(super) enum Answered<'a> {
    Classes(&'a Classes),
    /// Of ratings with errors put in, also the dimension that is read.
    Scores(&'a ScoredLadder, Option<&'a str>),
}

/// Which gauges are read, and how.
#[derive(Clone, Copy)]
pub(super) struct GaugePicking<'a> {
    registry: &'a Registry,
    only: &'a [String],
    /// Gauge, key and value.
    keys: &'a [(String, String, String)],
    resampling: Option<Resampling>,
    /// Whether what numbers of classes are made of is wanted; of ladders it always is.
    details: bool,
}

/// The gauge that ratings at each dose are read through, and its key.
const RATING: &str = "quality";
const RATED: &str = "dimension";

/// A gauge with these keys; ratings at doses are read in one dimension.
fn build(
    part: &'static Part,
    keys: Vec<(&str, Raw)>,
    dimension: Option<&str>,
) -> Result<Picked, Problem> {
    let Build::Gauge(build) = part.build else {
        return Err(Problem::new(format!("`{}` is no gauge", part.name)));
    };
    let takes_it = part.name == RATING;
    let dimension = dimension.filter(|_| takes_it);
    let rated = dimension.map(|name| (RATED, Raw::Text(name.into())));
    let keys: Vec<(&str, Raw)> = keys.into_iter().chain(rated).collect();
    let params = Params::of(part, &keys, Path::new("")).map_err(|mut problems| {
        let first = problems.swap_remove(0);
        first.hint_if_none(format!(
            "`{}` needs keys, which a study can give it",
            part.name
        ))
    })?;
    Ok(Picked {
        part,
        gauge: build(&params)?,
    })
}

/// The value of a key as it is typed: a number where it is one, else a word.
fn typed(value: &str) -> Raw {
    match (value.parse::<i64>(), value.parse::<f64>()) {
        (Ok(whole), _) => Raw::Whole(whole),
        (_, Ok(number)) => Raw::Number(number),
        _ => Raw::Text(value.into()),
    }
}

impl<'a> GaugePicking<'a> {
    /// What the options say.
    pub(super) fn new(registry: &'a Registry, options: &'a GaugeOptions) -> GaugePicking<'a> {
        let resampling = Resampling {
            level: options.level,
            resamples: options.resamples,
        };
        GaugePicking {
            registry,
            only: &options.only,
            keys: &options.keys,
            resampling: options.intervals.then_some(resampling),
            details: options.details,
        }
    }

    /// The gauges named in `only`, or all that need no key and copy no other tool.
    pub(super) fn gauges(&self, dimension: Option<&str>) -> Result<Vec<Picked>, Problem> {
        for (gauge, ..) in self.keys {
            self.registry.find(PartKind::Gauge, gauge)?;
            if !self.only.is_empty() && !self.only.contains(gauge) {
                let wrong = format!("a key of `{gauge}`, which is not read");
                let read = self.only.join(", ");
                return Err(Problem::new(wrong).expected(format!("one of {read}")));
            }
        }
        let build = |part: &'static Part| build(part, self.keys_of(part), dimension);
        if !self.only.is_empty() {
            let named = self.only.iter();
            let named = named.map(|name| build(self.registry.find(PartKind::Gauge, name)?));
            return named.collect();
        }
        let is_gauge = |part: &&&'static Part| part.kind() == PartKind::Gauge;
        let own = |picked: &Picked| !picked.gauge.scale(None).is_some_and(|scale| scale.compat);
        let mut all = Vec::new();
        for part in self.registry.parts().iter().filter(is_gauge) {
            match build(part) {
                Ok(picked) if own(&picked) => all.push(picked),
                // Who gives a gauge a key wants to know what is wrong with it.
                Err(problem) if !self.keys_of(part).is_empty() => return Err(problem),
                _ => {}
            }
        }
        Ok(all)
    }

    /// The keys that a gauge was given.
    fn keys_of(&self, part: &Part) -> Vec<(&'a str, Raw)> {
        let own = self.keys.iter().filter(|(gauge, ..)| gauge == part.name);
        own.map(|(_, key, value)| (key.as_str(), typed(value)))
            .collect()
    }

    /// Reads those of the gauges that read such answers, one after the other on every core, and keeps
    /// what `read` makes of each: a meter on millions of items is not kept longer than it is read. A
    /// gauge that was named and does not apply is a problem.
    pub(super) fn applying<T: Send>(
        &self,
        answers: Answered<'_>,
        read: impl Fn(Applying<'_>) -> T + Sync,
    ) -> Result<Vec<T>, Problem> {
        let gauges = self.gauges(None)?;
        let applying = self.read_each(&gauges, answers, &read)?;
        match applying.is_empty() {
            true => Err(Problem::new("no gauge applies to what this table holds")),
            false => Ok(applying),
        }
    }

    fn read_each<T: Send>(
        &self,
        gauges: &[Picked],
        answers: Answered<'_>,
        read: &(impl Fn(Applying<'_>) -> T + Sync),
    ) -> Result<Vec<T>, Problem> {
        let opened = map_list(gauges, |picked| self.apply(picked, answers).map(read));
        let mut applying = Vec::new();
        for (picked, one) in gauges.iter().zip(opened) {
            let name = picked.part.name;
            match one {
                Ok(one) => applying.push(one),
                Err(why) if !self.only.is_empty() => {
                    return Err(Problem::new(format!(
                        "`{name}` cannot be read from this table: {why}"
                    ))
                    .hint(format!("`duress explain {name}` says what it reads")));
                }
                Err(_) => {}
            }
        }
        Ok(applying)
    }

    /// Ratings in each dimension: without errors once, then each kind of error.
    pub(super) fn of_doses(
        &self,
        doses: &DosedRatings,
        read: impl Fn(Applying<'_>) -> Gauging + Sync,
    ) -> Result<Vec<Gauging>, Problem> {
        let mut all = Vec::new();
        for dimension in &doses.dimensions {
            let (clean, dosed) = self.of_ratings(dimension)?;
            for (at, ladder) in doses.ladders.iter().enumerate() {
                let answers = Answered::Scores(&ladder.scores, Some(dimension));
                if at == 0 {
                    let found = self.read_each(&clean, answers, &read)?;
                    all.extend(found.into_iter().map(|one| named(one, dimension, None)));
                }
                let found = self.read_each(&dosed, answers, &read)?;
                let name = Some(ladder.name.as_str());
                all.extend(found.into_iter().map(|one| named(one, dimension, name)));
            }
        }
        Ok(all)
    }

    /// The gauges of ratings in a dimension: of those without errors, and of doses.
    fn of_ratings(&self, dimension: &str) -> Result<(Vec<Picked>, Vec<Picked>), Problem> {
        let all = self.gauges(Some(dimension))?.into_iter();
        let reads_ratings =
            |picked: &Picked| picked.part.name == RATING || picked.gauge.of() == Some(RATING);
        let (own, others): (Vec<_>, Vec<_>) = all.partition(reads_ratings);
        if let Some(other) = others.first().filter(|_| !self.only.is_empty()) {
            let name = other.part.name;
            return Err(Problem::new(format!("`{name}` reads no ratings at doses"))
                .expected("`quality`, or one that reads through it, such as `dose-kendall`"));
        }
        let clean = |picked: &Picked| picked.gauge.scope() == Scope::Cell;
        Ok(own.into_iter().partition(clean))
    }

    /// Reads a gauge, or says why it does not apply. A gauge that applies may still have no value.
    fn apply<'p>(&self, picked: &'p Picked, answers: Answered<'_>) -> Result<Applying<'p>, String> {
        let Picked { part, gauge } = picked;
        let through = gauge.of().map(|of| self.through(of, answers)).transpose()?;
        let of = through.as_ref().and_then(|gauge| gauge.scale(None));
        let scale = gauge
            .scale(of.as_ref())
            .ok_or("it reads through a gauge that is none")?;
        let question = match answers {
            Answered::Classes(_) => Question::Classes,
            Answered::Scores(..) => Question::Ratings,
        };
        let reads = of.as_ref().map_or(scale.reads, |of| of.reads);
        if reads != question {
            return Err(format!("it reads {reads}, and the table holds {question}"));
        }
        let applying = |quantity: Quantity, detail: Option<Detail>| Applying {
            part,
            gauge,
            scale: scale.clone(),
            quantity,
            detail,
        };
        let (meter, detail, clusters) = match (gauge, answers) {
            (Gauge::Cell(gauge), Answered::Classes(of)) => {
                let detail = self
                    .details
                    .then(|| gauge::detail(gauge.as_ref(), of.sealed()));
                let detail = detail.flatten();
                if self.resampling.is_none() {
                    let once = gauge::once(gauge.as_ref(), of.sealed());
                    return Ok(applying(alone::once(once), detail));
                }
                let meter = gauge::open_viewed(gauge.as_ref(), of.sealed());
                (meter, detail, of.clusters.as_ref())
            }
            (Gauge::Cell(gauge), Answered::Scores(of, _)) => {
                let meter = of.clean(gauge.as_ref());
                let meter = meter.map_err(|undefined| undefined.why)?;
                (Ok(meter), None, of.clusters.as_ref())
            }
            (Gauge::Ladder(_) | Gauge::Subject(_), Answered::Scores(of, _)) => {
                let Some(Gauge::Cell(through)) = &through else {
                    return Err("it reads through no cell gauge".into());
                };
                // What cannot be read at all is about ratings of another kind.
                let read = of.is_read_by(through.as_ref());
                read.map_err(|undefined| undefined.why)?;
                let detail = of.detail(gauge, through.as_ref());
                let meter = of.open(gauge, through.as_ref());
                (meter, detail, of.clusters.as_ref())
            }
            (Gauge::Pair(_) | Gauge::Ladder(_) | Gauge::Subject(_), _) => {
                return Err(
                    "it compares answers with and without stress, and the table has one of the two"
                        .into(),
                );
            }
        };
        let ends = (scale.unit, scale.ends);
        let quantity = alone::quantity(meter, ends, clusters, self.resampling);
        Ok(applying(quantity.within(scale.ends), detail))
    }

    /// The cell gauge that another reads through.
    fn through(&self, name: &str, answers: Answered<'_>) -> Result<Gauge, String> {
        let dimension = match answers {
            Answered::Classes(_) => None,
            Answered::Scores(_, dimension) => dimension,
        };
        let part = self
            .registry
            .find(PartKind::Gauge, name)
            .map_err(|problem| problem.to_string())?;
        build(part, Vec::new(), dimension)
            .map(|picked| picked.gauge)
            .map_err(|problem| problem.to_string())
    }
}

fn named(gauging: Gauging, dimension: &str, ladder: Option<&str>) -> Gauging {
    Gauging {
        dimension: Some(dimension.into()),
        ladder: ladder.map(String::from),
        ..gauging
    }
}
