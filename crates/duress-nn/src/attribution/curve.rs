//! Deletion and insertion: what becomes of an answer while the places a map points at are taken
//! away, or shown, one share after another.

use duress_core::seed::Seed;
use duress_core::subject::{Failure, LogitSlopes};

use super::batch::{TargetBatch, target_probabilities};
use super::fill::{Imputation, mean_colour};
use super::imputation::fill_missing;
use crate::network::ItemShape;

/// How places are taken away or shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveRecipe {
    /// In how many equal shares; 50 is usual.
    pub steps: usize,
    /// What stands where places are missing.
    pub missing: Imputation,
}

/// The probability of the target while places are taken away, the highest value of the map first
/// (Petsiuk et al., 2018): `steps` + 1 values for each image, from the whole image to nothing of it.
///
/// A place is all channels of a pixel. After step k, as many places are gone as k / `steps` of them,
/// rounded. Places with equal values go in an order drawn from the image's seed: row by row, a map
/// with many zeros would be judged by the upper part of the image.
pub fn deletion(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    maps: &[f32],
    recipe: CurveRecipe,
    seeds: &[Seed],
) -> Result<Vec<f32>, Failure> {
    curves(subject, batch, maps, recipe, seeds, Way::Deletion)
}

/// The same while places are shown, the highest value first: from nothing of the image to the whole.
pub fn insertion(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    maps: &[f32],
    recipe: CurveRecipe,
    seeds: &[Seed],
) -> Result<Vec<f32>, Failure> {
    curves(subject, batch, maps, recipe, seeds, Way::Insertion)
}

/// The area under a curve over [0, 1], by trapezoids.
///
/// ```
/// assert_eq!(duress_nn::attribution::area(&[1.0, 0.5, 0.0]), 0.5);
/// ```
///
/// # Panics
/// When it has fewer than two points.
pub fn area<Value: Copy + Into<f64>>(curve: &[Value]) -> f64 {
    assert!(curve.len() > 1, "a curve has two points at least");
    let trapezoid = |pair: &[Value]| 0.5 * (pair[0].into() + pair[1].into());
    curve.windows(2).map(trapezoid).sum::<f64>() / (curve.len() - 1) as f64
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Deletion,
    Insertion,
}

fn curves(
    subject: &dyn LogitSlopes,
    batch: TargetBatch<'_>,
    maps: &[f32],
    recipe: CurveRecipe,
    seeds: &[Seed],
    way: Way,
) -> Result<Vec<f32>, Failure> {
    assert_eq!(seeds.len(), batch.len(), "one seed for each image");
    assert_eq!(maps.len(), batch.len() * batch.places(), "one map each");
    let steps = recipe.steps.max(1);
    let mut asked = Asked::new(subject, batch.shape(), batch.at_once());
    for (item, map) in maps.chunks_exact(batch.places()).enumerate() {
        let order = places_in_order(map, seeds[item]);
        let mut course = Course::new(batch.image(item), batch.shape(), recipe, seeds[item], way);
        for step in 0..=steps {
            course.go_on(&order[..share(order.len(), step, steps)]);
            asked.ask(&course.current, batch.targets()[item])?;
        }
    }
    asked.answers()
}

/// How many places are gone after a step.
fn share(places: usize, step: usize, steps: usize) -> usize {
    (2 * places * step + steps) / (2 * steps)
}

/// Places by the value of a map, the highest first.
fn places_in_order(map: &[f32], seed: Seed) -> Vec<usize> {
    let mut order: Vec<usize> = (0..map.len()).collect();
    seed.child("ties").draws().shuffle(&mut order);
    order.sort_by(|&a, &b| map[b].total_cmp(&map[a]));
    order
}

/// Images that wait until there are enough of them to be asked about.
struct Asked<'a> {
    subject: &'a dyn LogitSlopes,
    shape: ItemShape,
    at_once: usize,
    pixels: Vec<f32>,
    targets: Vec<u32>,
    probabilities: Vec<f32>,
}

impl<'a> Asked<'a> {
    fn new(subject: &'a dyn LogitSlopes, shape: ItemShape, at_once: usize) -> Asked<'a> {
        Asked {
            subject,
            shape,
            at_once,
            pixels: Vec::new(),
            targets: Vec::new(),
            probabilities: Vec::new(),
        }
    }

    fn ask(&mut self, image: &[f32], target: u32) -> Result<(), Failure> {
        self.pixels.extend_from_slice(image);
        self.targets.push(target);
        match self.targets.len() < self.at_once {
            true => Ok(()),
            false => self.flush(),
        }
    }

    fn flush(&mut self) -> Result<(), Failure> {
        let batch = TargetBatch::new(self.shape, &self.pixels, &self.targets);
        let answers = target_probabilities(self.subject, batch)?;
        self.probabilities.extend(answers);
        self.pixels.clear();
        self.targets.clear();
        Ok(())
    }

    fn answers(mut self) -> Result<Vec<f32>, Failure> {
        self.flush()?;
        Ok(self.probabilities)
    }
}

/// An image on its way from whole to nothing, or back.
struct Course<'a> {
    image: &'a [f32],
    shape: ItemShape,
    way: Way,
    missing: Missing,
    /// How many places in the order of the map were passed.
    passed: usize,
    current: Vec<f32>,
}

/// What stands where places are missing.
enum Missing {
    Fill(Vec<f32>),
    NoisyLinear {
        known: Vec<bool>,
        smooth: Vec<f32>,
        noise: Vec<f32>,
    },
}

impl<'a> Course<'a> {
    fn new(
        image: &'a [f32],
        shape: ItemShape,
        recipe: CurveRecipe,
        seed: Seed,
        way: Way,
    ) -> Course<'a> {
        let missing = match recipe.missing {
            Imputation::Fill(fill) => Missing::Fill(fill.image_for(image, shape)),
            Imputation::NoisyLinear { noise } => noisy_linear(image, shape, noise, seed, way),
        };
        let current = match (way, &missing) {
            (Way::Insertion, Missing::Fill(fill)) => fill.clone(),
            _ => image.to_vec(),
        };
        Course {
            image,
            shape,
            way,
            missing,
            passed: 0,
            current,
        }
    }

    /// Goes on until these places were passed, which begin with those that were already.
    fn go_on(&mut self, places: &[usize]) {
        let area = self.shape[1] * self.shape[2];
        let new = &places[self.passed..];
        self.passed = places.len();
        match &mut self.missing {
            Missing::Fill(fill) => {
                let source = match self.way {
                    Way::Deletion => &fill[..],
                    Way::Insertion => self.image,
                };
                for channel in 0..self.shape[0] {
                    for place in new {
                        self.current[channel * area + place] = source[channel * area + place];
                    }
                }
            }
            Missing::NoisyLinear {
                known,
                smooth,
                noise,
            } => {
                for &place in new {
                    known[place] = self.way == Way::Insertion;
                }
                for (at, smooth) in smooth.iter_mut().enumerate() {
                    if known[at % area] {
                        *smooth = self.image[at];
                    }
                }
                fill_missing(smooth, self.shape, known);
                for (at, current) in self.current.iter_mut().enumerate() {
                    *current = match known[at % area] {
                        true => self.image[at],
                        false => (smooth[at] + noise[at]).clamp(0.0, 1.0),
                    };
                }
            }
        }
    }
}

/// The noise of a place is drawn once, so that steps differ by the places that go, not by draws. Where
/// nothing is known any more stands the mean colour.
fn noisy_linear(image: &[f32], shape: ItemShape, noise: f64, seed: Seed, way: Way) -> Missing {
    let mut draws = seed.child("imputation").draws();
    Missing::NoisyLinear {
        known: vec![way == Way::Deletion; shape[1] * shape[2]],
        smooth: mean_colour(image, shape),
        noise: (0..image.len())
            .map(|_| (noise * draws.normal()) as f32)
            .collect(),
    }
}
