//! Mixtures: a weighted sum of what several meters read of the same items.

use std::sync::Arc;

use duress_core::gauge::{Mean, Meter, Rung, Undefined};

/// One of the meters of a mixture.
#[derive(Clone)]
pub(crate) struct Ingredient {
    /// How much it counts.
    pub(crate) share: f64,
    /// Where it reads, in words, for whoever asks why there is no value.
    pub(crate) place: String,
    /// What reads.
    pub(crate) meter: Arc<dyn Meter>,
}

impl Ingredient {
    /// A rung of a ladder.
    pub(crate) fn rung(share: f64, rung: &Rung) -> Ingredient {
        Ingredient {
            share,
            place: format!("at severity {}", rung.severity),
            meter: Arc::clone(&rung.meter),
        }
    }
}

/// The meter of the weighted sum; undefined when the meters are about different items.
pub(crate) fn mixture(ingredients: Vec<Ingredient>) -> Result<Arc<dyn Meter>, Undefined> {
    let Some(first) = ingredients.first() else {
        return Err(Undefined::new("there is nothing to read"));
    };
    let units = first.meter.units();
    if let Some(odd) = ingredients.iter().find(|one| one.meter.units() != units) {
        return Err(Undefined::new(format!(
            "the rungs are about different items: {units} {}, {} {}",
            first.place,
            odd.meter.units(),
            odd.place
        )));
    }
    Ok(match per_item(&ingredients, units) {
        Some(values) => Arc::new(Mean::over(values)),
        None => Arc::new(Mixture { ingredients, units }),
    })
}

/// The mean over the severities that press, the variants of one severity averaged first.
pub(crate) fn mean_over_rungs(rungs: &[Rung]) -> Result<Arc<dyn Meter>, Undefined> {
    let pressed: Vec<&Rung> = rungs
        .iter()
        .filter(|rung| !rung.severity.is_clean())
        .collect();
    let mut severities: Vec<f64> = pressed.iter().map(|rung| rung.severity.value()).collect();
    severities.sort_by(f64::total_cmp);
    severities.dedup();
    if severities.is_empty() {
        return Err(Undefined::new("the ladder has no rung but the clean one"));
    }
    // The clean rung does not enter, but tells which items the ladder is about.
    let units = rungs[0].meter.units();
    if rungs.iter().any(|rung| rung.meter.units() != units) {
        return Err(Undefined::new("the rungs are about different items"));
    }
    let ingredient = |rung: &&Rung| {
        let variants = pressed
            .iter()
            .filter(|other| other.severity == rung.severity)
            .count();
        Ingredient::rung(1.0 / (severities.len() * variants) as f64, rung)
    };
    mixture(pressed.iter().map(ingredient).collect())
}

/// The sum item by item, where every meter is a mean over the same items: then the sum of means is
/// the mean of the items' sums.
fn per_item(ingredients: &[Ingredient], units: usize) -> Option<Vec<Option<f64>>> {
    let means: Vec<(f64, &[Option<f64>])> = ingredients
        .iter()
        .map(|one| Some((one.share, one.meter.per_item()?)))
        .collect::<Option<_>>()?;
    let (_, first) = means.first()?;
    let alike = |values: &[Option<f64>]| {
        values
            .iter()
            .zip(*first)
            .all(|(a, b)| a.is_some() == b.is_some())
    };
    if !means.iter().all(|(_, values)| alike(values)) {
        return None;
    }
    let sum = |i: usize| {
        means
            .iter()
            .map(|(share, values)| Some(share * values[i]?))
            .sum()
    };
    Some((0..units).map(sum).collect())
}

struct Mixture {
    ingredients: Vec<Ingredient>,
    units: usize,
}

impl Meter for Mixture {
    fn units(&self) -> usize {
        self.units
    }

    fn is_rough(&self) -> bool {
        self.ingredients.iter().any(|one| one.meter.is_rough())
    }

    fn read(&self, weights: &[u32]) -> Result<f64, Undefined> {
        self.ingredients
            .iter()
            .map(|one| weighted(one, one.meter.read(weights)))
            .sum()
    }

    fn plug_in_value(&self, weights: &[u32]) -> Option<Result<f64, Undefined>> {
        let at = |one: &Ingredient| Some(weighted(one, one.meter.plug_in_value(weights)?));
        Some(
            self.ingredients
                .iter()
                .map(at)
                .collect::<Option<Vec<_>>>()?
                .into_iter()
                .sum(),
        )
    }
}

fn weighted(one: &Ingredient, read: Result<f64, Undefined>) -> Result<f64, Undefined> {
    let why = |undefined: Undefined| format!("{}: {}", one.place, undefined.why);
    read.map(|value| one.share * value)
        .map_err(|undefined| Undefined::new(why(undefined)))
}
