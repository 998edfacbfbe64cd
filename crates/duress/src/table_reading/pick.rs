//! Which gauges apply: all of the registry that read what the table holds, or those that were
//! named.

use std::path::Path;

use duress_core::gauge::{self, Gauge, Scale, Scope};
use duress_core::part::{Build, Params, Part, PartKind, Raw};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_parts::registry::Registry;
use duress_stats::parallel::map_list;

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
    pub(super) registry: &'a Registry,
    pub(super) only: &'a [String],
    pub(super) resampling: Option<Resampling>,
}

/// The gauge that ratings at each dose are read through, and its key.
const RATING: &str = "quality";
const RATED: &str = "dimension";

/// The gauges named in `only`, or all that need no key and copy no other tool.
pub(super) fn gauges(
    registry: &Registry,
    only: &[String],
    dimension: Option<&str>,
) -> Result<Vec<Picked>, Problem> {
    if only.is_empty() {
        let parts = registry
            .parts()
            .iter()
            .filter(|part| part.kind() == PartKind::Gauge);
        let own = |picked: &Picked| !picked.gauge.scale(None).is_some_and(|scale| scale.compat);
        return Ok(parts
            .filter_map(|part| build(part, dimension).ok())
            .filter(own)
            .collect());
    }
    only.iter()
        .map(|name| build(registry.find(PartKind::Gauge, name)?, dimension))
        .collect()
}

fn build(part: &'static Part, dimension: Option<&str>) -> Result<Picked, Problem> {
    let Build::Gauge(build) = part.build else {
        return Err(Problem::new(format!("`{}` is no gauge", part.name)));
    };
    let takes_it = part.name == RATING;
    let keys: Vec<(&str, Raw)> = dimension
        .filter(|_| takes_it)
        .map(|name| (RATED, Raw::Text(name.into())))
        .into_iter()
        .collect();
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

impl GaugePicking<'_> {
    /// Reads those of the gauges that read such answers, one after the other on every core, and keeps
    /// what `read` makes of each: a meter on millions of items is not kept longer than it is read. A
    /// gauge that was named and does not apply is a problem.
    pub(super) fn applying<T: Send>(
        &self,
        answers: Answered<'_>,
        read: impl Fn(Applying<'_>) -> T + Sync,
    ) -> Result<Vec<T>, Problem> {
        let gauges = gauges(self.registry, self.only, None)?;
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
        let all = gauges(self.registry, self.only, Some(dimension))?.into_iter();
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
    fn apply<'a>(&self, picked: &'a Picked, answers: Answered<'_>) -> Result<Applying<'a>, String> {
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
        let meter = match (gauge, answers) {
            (Gauge::Cell(gauge), Answered::Classes(of)) => match self.resampling {
                Some(_) => gauge::open_viewed(gauge.as_ref(), of.sealed()),
                None => {
                    let quantity = alone::once(gauge::once(gauge.as_ref(), of.sealed()));
                    return Ok(Applying {
                        part,
                        gauge: &picked.gauge,
                        scale,
                        quantity,
                    });
                }
            },
            (Gauge::Cell(gauge), Answered::Scores(scores, _)) => scores.clean(gauge.as_ref()),
            (Gauge::Ladder(_) | Gauge::Subject(_), Answered::Scores(scores, _)) => {
                let Some(Gauge::Cell(through)) = &through else {
                    return Err("it reads through no cell gauge".into());
                };
                // What cannot even be read without stress is about ratings of another kind.
                scores
                    .clean(through.as_ref())
                    .map_err(|undefined| undefined.why)?;
                scores.open(gauge, through.as_ref())
            }
            (Gauge::Pair(_) | Gauge::Ladder(_) | Gauge::Subject(_), _) => {
                return Err(
                    "it compares answers with and without stress, and the table has one of the two"
                        .into(),
                );
            }
        };
        let clusters = match answers {
            Answered::Classes(of) => of.clusters.as_ref(),
            Answered::Scores(of, _) => of.clusters.as_ref(),
        };
        match (gauge, answers, meter) {
            (Gauge::Cell(_), Answered::Scores(..), Err(undefined)) => Err(undefined.why),
            (_, _, meter) => {
                let quantity =
                    alone::quantity(meter, (scale.unit, scale.ends), clusters, self.resampling)
                        .within(scale.ends);
                Ok(Applying {
                    part,
                    gauge,
                    scale,
                    quantity,
                })
            }
        }
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
        build(part, dimension)
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
