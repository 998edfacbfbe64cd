//! Explanations of a classifier that tells its logits: maps, and what becomes of them when they are
//! put to the test.

use duress_core::answer::{
    Absence, AbsenceKind, Answers, AttributionMap, CurveAnswers, MapAnswers,
};
use duress_core::data::Items;
use duress_core::explanation::{
    AskedExplanation, Attribution, AttributionMethod, Erasure, Explanation, Fill, MapMeasure,
};
use duress_core::seed::Seed;
use duress_core::subject::{Failure, LogitSlopes};
use duress_nn::attribution::{
    self, CamSign, ChannelReduction, CurveRecipe, CutNetwork, Imputation, InfidelityForm,
    InfidelityRecipe, IntegratedRecipe, OcclusionRecipe, SensitivityForm, SensitivityRecipe,
    SmoothRecipe, TargetBatch,
};
use duress_nn::compiled::Compiled;
use duress_nn::network::Network;
use duress_stats::UndefinedReason;

use super::concept_direction::{along_concept, concept_cut};
use super::map_likeness::likeness;

/// Rows of numbers, one per item, or why there is none.
pub(super) type Rows = Vec<Result<Vec<f64>, Absence>>;

/// The deviation of the blur that takes the place of pixels, as a share of the longer side.
const BLUR: f64 = 1.0 / 16.0;

/// The deviation of the noise on what neighbours suggest, as in ROAD.
const IMPUTATION_NOISE: f64 = 0.01;

/// The deviation of the bump in the middle, as a share of the side.
const CENTRE: f64 = 0.25;

/// A classifier that is explained.
pub(crate) struct Explaining<'a> {
    /// Its logits, and how they change with the pixels.
    pub slopes: &'a dyn LogitSlopes,
    /// Its layers, where they are known.
    pub network: Option<&'a Network>,
}

/// Whether a classifier can be explained in this way, given what it tells: `gradients` with any slope
/// of its logits, and its `layers`.
pub(crate) fn can_explain(asked: &Explanation, gradients: bool, layers: bool) -> bool {
    let needs_layers = matches!(
        asked,
        Explanation::Randomised { .. } | Explanation::Concept { .. }
    );
    let method = asked.attribution().map(|of| of.method);
    let map_needs_layers = method.is_some_and(AttributionMethod::has_layer);
    let map_needs_gradients = method.is_some_and(|method| {
        !method.is_floor() && method != AttributionMethod::Occlusion && !method.has_layer()
    });
    (layers || !(needs_layers || map_needs_layers)) && (gradients || !map_needs_gradients)
}

impl Explaining<'_> {
    /// The explanations of some items, each towards a class.
    pub(crate) fn explain(
        &self,
        asked: AskedExplanation,
        items: &Items,
        towards: &[u32],
    ) -> Result<Answers, Failure> {
        let images = items.images()?;
        let batch = TargetBatch::of_images(images, towards);
        if let Explanation::Map(of) = &*asked {
            let [_, height, width] = images.shape();
            let maps = self.maps(of, batch, &item_seeds(items, of.draw))?;
            let maps = maps.chunks_exact(batch.places());
            let maps = maps.map(|map| Ok(AttributionMap::new(map))).collect();
            let maps = MapAnswers::new(asked, (height, width), maps);
            return Ok(Answers::Maps(maps));
        }
        let (points, rows) = self.put_to_the_test(&asked, items, batch)?;
        Ok(Answers::Curves(CurveAnswers::new(asked, points, rows)))
    }

    /// What becomes of the maps of some items: the points, and a row for each item.
    fn put_to_the_test(
        &self,
        asked: &Explanation,
        items: &Items,
        batch: TargetBatch<'_>,
    ) -> Result<(Vec<String>, Rows), Failure> {
        let seeds = &item_seeds(items, asked.attribution().map_or(0, |of| of.draw));
        match asked {
            Explanation::Map(_) => unreachable!("a map is no test of maps"),
            Explanation::Curve {
                of,
                erasure,
                fill,
                steps,
            } => {
                let rows = self.curves(of, *erasure, (*fill, *steps), batch, seeds)?;
                let points = (0..=*steps).map(|at| format!("{at}/{steps}"));
                Ok((points.collect(), rows))
            }
            Explanation::Infidelity {
                of,
                draws,
                noise,
                scaled,
            } => {
                let recipe = InfidelityRecipe {
                    draws: *draws as usize,
                    sigma: noise.value(),
                    form: match scaled {
                        true => InfidelityForm::Scaled,
                        false => InfidelityForm::Plain,
                    },
                };
                let maps = self.maps(of, batch, seeds)?;
                let found = attribution::infidelity(self.slopes, batch, &maps, recipe, seeds)?;
                Ok(one_number("infidelity", found.into_iter().map(Ok)))
            }
            Explanation::MaxSensitivity { of, draws, radius } => {
                let recipe = SensitivityRecipe {
                    draws: *draws as usize,
                    radius: radius.value(),
                    form: SensitivityForm::Relative,
                };
                let maps = self.maps(of, batch, seeds)?;
                let again = |batch: TargetBatch<'_>, seeds: &[Seed]| self.maps(of, batch, seeds);
                let found = attribution::max_sensitivity(&again, batch, &maps, recipe, seeds)?;
                Ok(one_number("max-sensitivity", found))
            }
            Explanation::Steadiness {
                of,
                measure,
                draws,
                radius,
            } => {
                let next_to = |draw: u32| {
                    let moved = attribution::moved(batch, radius.value(), seeds, |seed| {
                        seed.child(format!("neighbour {draw}"))
                    });
                    let moved = TargetBatch::new(batch.shape(), &moved, batch.targets());
                    self.maps(of, moved, seeds)
                };
                let own = self.maps(of, batch, seeds)?;
                let others = (0..*draws).map(next_to);
                let found = furthest((*measure, TOP), &own, others, batch)?;
                Ok(one_number("steadiness", found))
            }
            Explanation::Redrawn {
                of,
                measure,
                top,
                draws,
            } => {
                let own = self.maps(of, batch, seeds)?;
                let again = |draw: u32| {
                    let seeds = item_seeds(items, of.draw.wrapping_add(1 + draw));
                    self.maps(of, batch, &seeds)
                };
                let top = top.as_ref().map_or(TOP, |top| top.value());
                let found = furthest((*measure, top), &own, (0..*draws).map(again), batch)?;
                Ok(one_number("other draws", found))
            }
            Explanation::Randomised { of, measure } => self.randomised(of, *measure, batch, seeds),
            Explanation::Concept {
                concept,
                layer,
                sets,
                images,
                ..
            } => {
                let cut = concept_cut(self.layers()?, layer.as_deref())?;
                along_concept(&cut, concept, (*sets, *images), batch)
            }
        }
    }

    /// The probability of the class while pixels go or come back, a row for each image.
    fn curves(
        &self,
        of: &Attribution,
        erasure: Erasure,
        (fill, steps): (Fill, u32),
        batch: TargetBatch<'_>,
        seeds: &[Seed],
    ) -> Result<Rows, Failure> {
        let [_, height, width] = batch.shape();
        let recipe = CurveRecipe {
            steps: steps as usize,
            missing: imputation(fill, height.max(width)),
        };
        let maps = self.maps(of, batch, seeds)?;
        let erase = match erasure {
            Erasure::Deletion => attribution::deletion,
            Erasure::Insertion => attribution::insertion,
        };
        let curves = erase(self.slopes, batch, &maps, recipe, seeds)?;
        let row = |row: &[f32]| Ok(row.iter().copied().map(f64::from).collect());
        Ok(curves.chunks_exact(steps as usize + 1).map(row).collect())
    }

    /// One map per image, one after the other.
    fn maps(
        &self,
        of: &Attribution,
        batch: TargetBatch<'_>,
        seeds: &[Seed],
    ) -> Result<Vec<f32>, Failure> {
        maps_of(self.slopes, self.network, of, batch, seeds)
    }

    /// How alike maps are to those of networks whose last layers are drawn anew. A map that is the
    /// same everywhere afterwards is not alike.
    fn randomised(
        &self,
        of: &Attribution,
        measure: MapMeasure,
        batch: TargetBatch<'_>,
        seeds: &[Seed],
    ) -> Result<(Vec<String>, Rows), Failure> {
        let network = self.layers()?;
        let own = self.maps(of, batch, seeds)?;
        let seed = Seed::new(0).child("randomised layers");
        let mut points = vec!["0".to_string()];
        // What cannot even be compared with itself cannot be compared with others.
        let itself = alike_each((measure, TOP), &own, &own, batch);
        let first = itself.map(|alike| {
            alike
                .map(|alike| vec![alike])
                .map_err(|why| no_number(why.to_string()))
        });
        let mut rows: Rows = first.collect();
        for random in attribution::cascading_randomisation(network, seed) {
            let compiled = Compiled::new(random.network);
            let forgetful = Some(compiled.network());
            let others = maps_of(&compiled, forgetful, of, batch, seeds)?;
            let alike = alike_each((measure, TOP), &own, &others, batch);
            for (row, alike) in rows.iter_mut().zip(alike) {
                if let Ok(row) = row {
                    row.push(alike.unwrap_or(0.0));
                }
            }
            points.push(random.layer);
        }
        Ok((points, rows))
    }

    fn layers(&self) -> Result<&Network, Failure> {
        self.network
            .ok_or_else(|| Failure::unable("its layers are not known here"))
    }
}

/// One map per image by a method, of a classifier whose layers may be known.
fn maps_of(
    slopes: &dyn LogitSlopes,
    network: Option<&Network>,
    of: &Attribution,
    batch: TargetBatch<'_>,
    seeds: &[Seed],
) -> Result<Vec<f32>, Failure> {
    let samples = of.samples.unwrap_or(1) as usize;
    let longer = batch.shape()[1].max(batch.shape()[2]);
    let fill = whole_fill(of.fill.unwrap_or(Fill::Black), longer);
    match of.method {
        AttributionMethod::GradCam | AttributionMethod::GradCamPlusPlus => {
            let network =
                network.ok_or_else(|| Failure::unable("its layers are not known here"))?;
            let cut = cut(network, of.layer.as_deref())?;
            match of.method {
                AttributionMethod::GradCam => attribution::grad_cam(&cut, batch, CamSign::Positive),
                _ => attribution::grad_cam_plus_plus(&cut, batch, CamSign::Positive),
            }
        }
        AttributionMethod::InputGradient => {
            attribution::input_gradient(slopes, batch, ChannelReduction::AbsoluteMax)
        }
        AttributionMethod::GradientTimesInput => {
            attribution::gradient_times_input(slopes, batch, ChannelReduction::Sum)
        }
        AttributionMethod::IntegratedGradients => {
            let recipe = IntegratedRecipe {
                steps: samples,
                baseline: fill,
                channels: ChannelReduction::Sum,
            };
            attribution::integrated_gradients(slopes, batch, recipe)
        }
        AttributionMethod::SmoothGrad => {
            let recipe = SmoothRecipe {
                draws: samples,
                sigma: of.noise.as_ref().map_or(0.0, |noise| noise.value()),
                channels: ChannelReduction::AbsoluteMax,
            };
            attribution::smooth_grad(slopes, batch, recipe, seeds)
        }
        AttributionMethod::Occlusion => {
            let patch = of.patch.unwrap_or(4) as usize;
            let recipe = OcclusionRecipe::new(patch, patch.div_ceil(2), fill);
            let recipe = recipe.map_err(|problem| Failure::unable(problem.to_string()))?;
            attribution::occlusion(slopes, batch, recipe)
        }
        AttributionMethod::CentreGaussian => {
            let [_, height, width] = batch.shape();
            let one = attribution::centre_gaussian([height, width], CENTRE);
            Ok(one.repeat(batch.len()))
        }
        AttributionMethod::EdgeDetector => Ok(attribution::edge_detector(batch)),
    }
}

fn cut(network: &Network, layer: Option<&str>) -> Result<CutNetwork, Failure> {
    let named = match layer {
        Some(layer) => Ok(layer.to_string()),
        None => network.default_cam_layer().map(|layer| layer.name),
    };
    let cut = named.and_then(|name| CutNetwork::new(network, &name));
    cut.map_err(|problem| Failure::unable(problem.to_string()))
}

/// What a whole image becomes that says little.
fn whole_fill(fill: Fill, longer: usize) -> attribution::Fill {
    match fill {
        Fill::Black | Fill::NoisyLinear => attribution::Fill::Black,
        Fill::Mean => attribution::Fill::Mean,
        Fill::Blur => attribution::Fill::Blur {
            sigma: BLUR * longer as f64,
        },
    }
}

fn imputation(fill: Fill, longer: usize) -> Imputation {
    match fill {
        Fill::NoisyLinear => Imputation::NoisyLinear {
            noise: IMPUTATION_NOISE,
        },
        whole => Imputation::Fill(whole_fill(whole, longer)),
    }
}

/// How alike the maps of each image are.
fn alike_each<'a>(
    (measure, top): (MapMeasure, f64),
    own: &'a [f32],
    others: &'a [f32],
    batch: TargetBatch<'a>,
) -> impl Iterator<Item = Result<f64, UndefinedReason>> + 'a {
    let [_, height, width] = batch.shape();
    let own = own.chunks_exact(batch.places());
    let pairs = own.zip(others.chunks_exact(batch.places()));
    pairs.map(move |(own, other)| likeness(measure, top, own, other, [height, width]))
}

/// The share of places that count as strongest where nothing says another.
const TOP: f64 = 0.1;

/// How alike the map of each image is to the one of some others that is furthest from it.
fn furthest(
    (measure, top): (MapMeasure, f64),
    own: &[f32],
    others: impl Iterator<Item = Result<Vec<f32>, Failure>>,
    batch: TargetBatch<'_>,
) -> Result<Vec<Result<f64, UndefinedReason>>, Failure> {
    let (nearest, further): (f64, fn(f64, f64) -> f64) = match measure {
        MapMeasure::L2 => (0.0, f64::max),
        MapMeasure::Ssim | MapMeasure::Spearman | MapMeasure::Cosine | MapMeasure::TopK => {
            (1.0, f64::min)
        }
    };
    let mut found: Vec<Result<f64, UndefinedReason>> = vec![Ok(nearest); batch.len()];
    for other in others {
        let other = other?;
        let alike = alike_each((measure, top), own, &other, batch);
        let both = found.into_iter().zip(alike);
        found = both
            .map(|(so_far, alike)| Ok(further(so_far?, alike?)))
            .collect();
    }
    Ok(found)
}

/// Rows of one number each, under its name.
fn one_number(
    name: &str,
    found: impl IntoIterator<Item = Result<f64, UndefinedReason>>,
) -> (Vec<String>, Rows) {
    let row = |one: Result<f64, UndefinedReason>| {
        one.map(|value| vec![value])
            .map_err(|why| no_number(why.to_string()))
    };
    (vec![name.into()], found.into_iter().map(row).collect())
}

/// A seed for each item: by its id and by which of several draws is asked for, so that neither other
/// items nor other subjects change what is drawn.
fn item_seeds(items: &Items, draw: u32) -> Vec<Seed> {
    let asked = Seed::new(0).child("explanation").child(draw.to_string());
    (0..items.len())
        .map(|item| items.seed(item, asked))
        .collect()
}

fn no_number(why: String) -> Absence {
    Absence::new(AbsenceKind::NotTakingPart, why)
}
