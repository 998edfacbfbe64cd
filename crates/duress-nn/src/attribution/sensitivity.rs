//! Max-sensitivity: how far a map moves when the image moves a little.

use duress_core::seed::Seed;
use duress_core::subject::Failure;
use duress_stats::UndefinedReason;

use super::batch::TargetBatch;

/// Makes one map for each image. The seeds are those of the images, for methods that draw.
pub type Explain<'a> = dyn Fn(TargetBatch<'_>, &[Seed]) -> Result<Vec<f32>, Failure> + 'a;

duress_core::words! {
    /// What the way a map moves is measured in.
    pub enum SensitivityForm {
        /// The map's own units, as published. Says nothing between methods.
        Absolute = "absolute",
        /// The length of the map of the unmoved image, as in Captum and Quantus.
        Relative = "relative",
    }
}

/// How an image is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensitivityRecipe {
    /// How many ways.
    pub draws: usize,
    /// How far, at most, in any value.
    pub radius: f64,
    pub form: SensitivityForm,
}

/// Max-sensitivity (Yeh et al., 2019): the largest Euclidean distance between the map of an image and
/// the maps of images around it, each value of which is drawn uniformly within the radius and clipped
/// to [0, 1]. `maps` are those of the images as they are; the targets stay.
pub fn max_sensitivity(
    explain: &Explain<'_>,
    batch: TargetBatch<'_>,
    maps: &[f32],
    recipe: SensitivityRecipe,
    seeds: &[Seed],
) -> Result<Vec<Result<f64, UndefinedReason>>, Failure> {
    assert_eq!(seeds.len(), batch.len(), "one seed for each image");
    assert_eq!(maps.len(), batch.len() * batch.places(), "one map each");
    let mut farthest = vec![0.0_f64; batch.len()];
    for draw in 0..recipe.draws.max(1) {
        for items in batch.parts(1) {
            let part = batch.part(items.clone());
            let drawn = |seed: &Seed| seed.child(format!("sensitivity {draw}"));
            let moved = moved(part, recipe.radius, &seeds[items.clone()], drawn);
            let moved = TargetBatch::new(part.shape(), &moved, part.targets());
            let moved_maps = explain(moved, &seeds[items.clone()])?;
            assert_eq!(moved_maps.len(), part.len() * part.places(), "one map each");
            for (item, moved_map) in items.zip(moved_maps.chunks_exact(part.places())) {
                let map = &maps[item * part.places()..][..part.places()];
                farthest[item] = farthest[item].max(distance(map, moved_map));
            }
        }
    }
    let both = farthest.into_iter().zip(maps.chunks_exact(batch.places()));
    Ok(both
        .map(|(far, map)| in_form(far, map, recipe.form))
        .collect())
}

/// Images each value of which is uniform within the radius of that of the image, within [0, 1]. What
/// is drawn follows from what `drawn` makes of the seed of the image.
pub fn moved(
    batch: TargetBatch<'_>,
    radius: f64,
    seeds: &[Seed],
    drawn: impl Fn(&Seed) -> Seed,
) -> Vec<f32> {
    let image = |(item, seed): (usize, &Seed)| {
        let mut draws = drawn(seed).draws();
        let pixel = move |&pixel: &f32| {
            let moved = f64::from(pixel) + draws.between(-radius, radius);
            moved.clamp(0.0, 1.0) as f32
        };
        batch.image(item).iter().map(pixel)
    };
    seeds.iter().enumerate().flat_map(image).collect()
}

fn distance(a: &[f32], b: &[f32]) -> f64 {
    let square = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).powi(2);
    a.iter().zip(b).map(square).sum::<f64>().sqrt()
}

fn in_form(far: f64, map: &[f32], form: SensitivityForm) -> Result<f64, UndefinedReason> {
    if form == SensitivityForm::Absolute {
        return Ok(far);
    }
    let length = map
        .iter()
        .map(|&value| f64::from(value).powi(2))
        .sum::<f64>();
    match length == 0.0 {
        true => Err(UndefinedReason::NoSpread {
            what: "the values of the map",
        }),
        false => Ok(far / length.sqrt()),
    }
}
