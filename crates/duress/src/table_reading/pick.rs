//! Which gauges apply: all of the registry that read what the table holds, or those that were
//! named.

use std::path::Path;

use duress_core::gauge::{self, Detail, Gauge, Scale};
use duress_core::part::{Build, Params, Part, PartKind, Raw};
use duress_core::problem::Problem;
use duress_core::question::Question;
use duress_parts::registry::Registry;
use duress_stats::parallel::map_list;

use super::{GaugeOptions, OfModel};
use crate::analysis::alone::{self, Resampling};
use duress_findings::Quantity;

/// A gauge with every key at its default.
pub(super) struct Picked {
    part: &'static Part,
    gauge: Gauge,
}

/// How gauges are read.
#[derive(Clone, Copy)]
pub(super) struct HowRead {
    /// How intervals are made, if they are wanted.
    pub(super) resampling: Option<Resampling>,
    /// Whether what numbers of classes are made of is wanted; of arrangements it always is.
    pub(super) details: bool,
}

/// A gauge that applies, and what it reads.
pub(super) struct Applying<'a> {
    pub(super) part: &'static Part,
    pub(super) gauge: &'a Gauge,
    pub(super) scale: Scale,
    pub(super) quantity: Quantity,
    pub(super) detail: Option<Detail>,
}

/// The gauges named in `only`, or all that need no key and copy no other tool.
pub(super) fn gauges(registry: &Registry, options: &GaugeOptions) -> Result<Vec<Picked>, Problem> {
    let only = &options.only;
    let mut named = options.keys.iter().map(|(gauge, _, _)| gauge);
    if let Some(other) = named.find(|gauge| !only.is_empty() && !only.contains(gauge)) {
        return Err(
            Problem::new(format!("a key of `{other}`, which is not read"))
                .expected(format!("one of {}", only.join(", "))),
        );
    }
    for (gauge, _, _) in &options.keys {
        registry.find(PartKind::Gauge, gauge)?;
    }
    let build = |part: &'static Part| build(part, &keys_of(part, options));
    if only.is_empty() {
        let parts = registry
            .parts()
            .iter()
            .filter(|part| part.kind() == PartKind::Gauge);
        let own = |picked: &Picked| !picked.gauge.scale(None).is_some_and(|scale| scale.compat);
        let keyed = |part: &Part| options.keys.iter().any(|(gauge, ..)| gauge == part.name);
        let built = parts.filter_map(|part| match build(part) {
            Err(problem) if keyed(part) => Some(Err(problem)),
            built => built.ok().map(Ok),
        });
        let built = built.collect::<Result<Vec<Picked>, Problem>>()?;
        return Ok(built.into_iter().filter(own).collect());
    }
    only.iter()
        .map(|name| build(registry.find(PartKind::Gauge, name)?))
        .collect()
}

/// The keys of a gauge that were given: numbers where they are such, else words.
fn keys_of<'a>(part: &Part, options: &'a GaugeOptions) -> Vec<(&'a str, Raw)> {
    let own = options.keys.iter().filter(|(gauge, ..)| gauge == part.name);
    let raw = |value: &str| match (value.parse::<i64>(), value.parse::<f64>()) {
        (Ok(whole), _) => Raw::Whole(whole),
        (_, Ok(number)) => Raw::Number(number),
        _ => Raw::Text(value.into()),
    };
    own.map(|(_, key, value)| (key.as_str(), raw(value)))
        .collect()
}

fn build(part: &'static Part, keys: &[(&str, Raw)]) -> Result<Picked, Problem> {
    let Build::Gauge(build) = part.build else {
        return Err(Problem::new(format!("`{}` is no gauge", part.name)));
    };
    let params = Params::of(part, keys, Path::new("")).map_err(|mut problems| {
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
    answers: OfModel<'_>,
    only: &[String],
    registry: &Registry,
    how: HowRead,
    read: impl Fn(Applying<'_>) -> T + Sync,
) -> Result<Vec<T>, Problem> {
    let opened = map_list(gauges, |picked| {
        apply(picked, answers, registry, how).map(&read)
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
    answers: OfModel<'_>,
    registry: &Registry,
    HowRead {
        resampling,
        details,
    }: HowRead,
) -> Result<Applying<'a>, String> {
    let Picked { part, gauge } = picked;
    let through = gauge.of().map(|of| through(registry, of)).transpose()?;
    let of = through.as_ref().and_then(|gauge| gauge.scale(None));
    let scale = gauge
        .scale(of.as_ref())
        .ok_or("it reads through a gauge that is none")?;
    let question = match answers {
        OfModel::Classes(_) => Question::Classes,
        OfModel::Scores(_) => Question::Ratings,
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
        (Gauge::Cell(gauge), OfModel::Classes(of)) => {
            let detail = details.then(|| gauge::detail(gauge.as_ref(), of.sealed()));
            let detail = detail.flatten();
            if resampling.is_none() {
                let once = gauge::once(gauge.as_ref(), of.sealed());
                return Ok(applying(alone::once(once), detail));
            }
            let meter = gauge::open_viewed(gauge.as_ref(), of.sealed());
            (meter, detail, of.clusters.as_ref())
        }
        (Gauge::Cell(gauge), OfModel::Scores(of)) => {
            let meter = of
                .clean(gauge.as_ref())
                .map_err(|undefined| undefined.why)?;
            (Ok(meter), None, of.clusters.as_ref())
        }
        (Gauge::Ladder(_) | Gauge::Subject(_), OfModel::Scores(of)) => {
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
    let quantity = alone::quantity(meter, (scale.unit, scale.ends), clusters, resampling);
    Ok(applying(quantity.within(scale.ends), detail))
}

/// The cell gauge that another reads through.
fn through(registry: &Registry, name: &str) -> Result<Gauge, String> {
    let part = registry
        .find(PartKind::Gauge, name)
        .map_err(|problem| problem.to_string())?;
    build(part, &[])
        .map(|picked| picked.gauge)
        .map_err(|problem| problem.to_string())
}
