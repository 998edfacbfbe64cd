//! What gauges of maps share: one number for each map, with the mask of its item where they need it.

use std::sync::Arc;

use duress_core::answer::{Answers, MapAnswers};
use duress_core::floor::Floor;
use duress_core::gauge::{CellGauge, CellRead, Direction, Mean, Meter, SHARE, Scale, Undefined};
use duress_core::mask::Masks;
use duress_core::part::Params;
use duress_core::problem::Problem;
use duress_core::truth::Truth;

use super::attribution_keys::map_question;
use super::explanation_scale::{explanation_scale, maps_that_know_nothing};

/// One map and what is known beside it.
pub(crate) struct MapRead<'a> {
    /// Its values, row by row.
    pub values: &'a [f32],
    /// How many rows it has.
    pub height: usize,
    /// How many columns it has.
    pub width: usize,
    /// Which places belong to what the label is about; empty where the gauge needs no mask.
    pub mask: &'a [bool],
}

/// The number that a gauge makes of a map; `None` where it makes nothing of it.
pub(crate) type MapNumber = dyn Fn(MapRead<'_>) -> Option<f64> + Send + Sync;

/// A gauge that is the mean of one number for each map.
pub(crate) struct MapGauge {
    pub scale: Scale,
    pub needs_mask: bool,
    pub is_share: bool,
    /// Why there is no number at all, where no map has one.
    pub nobody: &'static str,
    pub number: Box<MapNumber>,
}

impl MapGauge {
    /// A gauge of where maps lie, a share that is 1 at best. `nobody` says why no map
    /// takes part, where none does.
    pub(crate) fn of_place(
        params: &Params,
        convention: &str,
        nobody: &'static str,
        number: Box<MapNumber>,
    ) -> Result<MapGauge, Problem> {
        let reads = map_question(params)?;
        Ok(MapGauge {
            scale: explanation_scale(reads, Direction::Higher, Some(1.0), SHARE, convention),
            needs_mask: true,
            is_share: false,
            nobody,
            number,
        })
    }
}

impl CellGauge for MapGauge {
    fn scale(&self) -> Scale {
        self.scale.clone()
    }

    fn floors(&self) -> &'static [Floor] {
        match self.needs_mask {
            true => maps_that_know_nothing(self.scale.reads),
            false => &[],
        }
    }

    fn open(&self, read: CellRead<'_>) -> Result<Arc<dyn Meter>, Undefined> {
        let maps = maps(read.answers)?;
        let masks = match self.needs_mask {
            true => Some(fitting_masks(read.truth, maps)?),
            false => None,
        };
        let number = |(item, map): (usize, &Result<_, _>)| {
            let map: &duress_core::answer::AttributionMap = map.as_ref().ok()?;
            let mask = masks.map(|masks| masks.mask(item)).unwrap_or_default();
            (self.number)(MapRead {
                values: &map.values(),
                height: maps.height(),
                width: maps.width(),
                mask: &mask,
            })
        };
        let numbers: Vec<Option<f64>> = maps.maps().iter().enumerate().map(number).collect();
        if numbers.iter().all(Option::is_none) {
            return Err(Undefined::new(self.nobody));
        }
        Ok(Arc::new(match self.is_share {
            true => Mean::share(numbers),
            false => Mean::over(numbers),
        }))
    }
}

/// The maps that were answered.
pub(crate) fn maps(answers: &Answers) -> Result<&MapAnswers, Undefined> {
    match answers {
        Answers::Maps(maps) => Ok(maps),
        other => Err(Undefined::new(format!(
            "needs maps, was given answers to `{}`",
            other.question()
        ))),
    }
}

fn fitting_masks<'a>(truth: &'a Truth, maps: &MapAnswers) -> Result<&'a Masks, Undefined> {
    let masks = match truth {
        Truth::Labels(labels) => labels.masks(),
        _ => None,
    };
    let masks = masks.ok_or_else(|| {
        Undefined::new("the dataset has no masks: nothing says where the thing is")
    })?;
    let same = (masks.height(), masks.width()) == (maps.height(), maps.width());
    match same && masks.len() == maps.maps().len() {
        true => Ok(masks),
        false => Err(Undefined::new("masks and maps are not of the same images")),
    }
}
