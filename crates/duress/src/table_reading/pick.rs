//! Which gauges apply: all of the registry that read what the table holds, or those that were
//! named.

use std::path::Path;

use duress_core::gauge::{self, Gauge, Scale};
use duress_core::part::{Build, Params, Part, PartKind};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_parts::registry::Registry;
use duress_stats::parallel::map_list;

use super::Of;
use crate::analysis::alone::{self, Resampling};
use duress_findings::Quantity;

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

/// The gauges named in `only`, or all that need no key and copy no other tool.
pub(super) fn gauges(registry: &Registry, only: &[String]) -> Result<Vec<Picked>, Problem> {
    if only.is_empty() {
        let parts = registry
            .parts()
            .iter()
            .filter(|part| part.kind() == PartKind::Gauge);
        let own = |picked: &Picked| !picked.gauge.scale(None).is_some_and(|scale| scale.compat);
        return Ok(parts
            .filter_map(|part| build(part).ok())
            .filter(own)
            .collect());
    }
    only.iter()
        .map(|name| build(registry.find(PartKind::Gauge, name)?))
        .collect()
}

fn build(part: &'static Part) -> Result<Picked, Problem> {
    let Build::Gauge(build) = part.build else {
        return Err(Problem::new(format!("`{}` is no gauge", part.name)));
    };
    let params = Params::of(part, &[], Path::new("")).map_err(|mut problems| {
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

/// Reads those of the gauges that read such answers, one after the other on every core, and keeps
/// what `read` makes of each: a meter on millions of items is not kept longer than it is read. A
/// gauge that was named and does not apply is a problem.
pub(super) fn applying<T: Send>(
    gauges: &[Picked],
    answers: &Of,
    only: &[String],
    registry: &Registry,
    resampling: Option<Resampling>,
    read: impl Fn(Applying<'_>) -> T + Sync,
) -> Result<Vec<T>, Problem> {
    let opened = map_list(gauges, |picked| {
        apply(picked, answers, registry, resampling).map(&read)
    });
    let mut applying = Vec::new();
    for (picked, one) in gauges.iter().zip(opened) {
        let name = picked.part.name;
        match one {
            Ok(one) => applying.push(one),
            Err(why) if !only.is_empty() => {
                return Err(Problem::new(format!(
                    "`{name}` cannot be read from this table: {why}"
                ))
                .hint(format!("`duress explain {name}` says what it reads")));
            }
            Err(_) => {}
        }
    }
    if applying.is_empty() {
        return Err(Problem::new("no gauge applies to what this table holds"));
    }
    Ok(applying)
}

/// Reads a gauge, or says why it does not apply. A gauge that applies may still have no value.
fn apply<'a>(
    picked: &'a Picked,
    answers: &Of,
    registry: &Registry,
    resampling: Option<Resampling>,
) -> Result<Applying<'a>, String> {
    let Picked { part, gauge } = picked;
    let through = gauge.of().map(|of| through(registry, of)).transpose()?;
    let of = through.as_ref().and_then(|gauge| gauge.scale(None));
    let scale = gauge
        .scale(of.as_ref())
        .ok_or("it reads through a gauge that is none")?;
    let question = match answers {
        Of::Classes(_) => Question::Classes,
        Of::Scores(_) => Question::Ratings,
    };
    let reads = of.as_ref().map_or(scale.reads, |of| of.reads);
    if reads != question {
        return Err(format!("it reads {reads}, and the table holds {question}"));
    }
    let meter = match (gauge, answers) {
        (Gauge::Cell(gauge), Of::Classes(of)) => match resampling {
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
        (Gauge::Cell(gauge), Of::Scores(scores)) => scores.clean(gauge.as_ref()),
        (Gauge::Ladder(_) | Gauge::Subject(_), Of::Scores(scores)) => {
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
        Of::Classes(of) => of.clusters.as_ref(),
        Of::Scores(of) => of.clusters.as_ref(),
    };
    match (gauge, answers, meter) {
        (Gauge::Cell(_), Of::Scores(_), Err(undefined)) => Err(undefined.why),
        (_, _, meter) => {
            let quantity = alone::quantity(meter, (scale.unit, scale.ends), clusters, resampling)
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
fn through(registry: &Registry, name: &str) -> Result<Gauge, String> {
    let part = registry
        .find(PartKind::Gauge, name)
        .map_err(|problem| problem.to_string())?;
    build(part)
        .map(|picked| picked.gauge)
        .map_err(|problem| problem.to_string())
}
