//! A training under way: epochs, batches and their views, what is held out, what is best so far.

use duress_core::data::Images;
use duress_core::seed::{Draws, Seed};
use duress_core::truth::Labels;

use super::class_maps::{ClassMaps, OutputGrid};
use super::inner::{Climbs, InnerAttack};
use super::rate::RateCurve;
use super::terms::{BatchLoss, TermValues, TermWeights, ViewPlaces};
use super::{
    ClassWeights, EarlyStopping, Layers, Sampling, TrainingObjective, TrainingRecipe, Untrained,
};
use crate::compiled::Compiled;
use crate::learner::{BatchLearner, View};
use crate::lesion::artefact::ArtefactRates;
use crate::network::{Malformed, Network, Normalise};

/// What an epoch came to.
#[derive(Clone, Debug, PartialEq)]
pub struct EpochRecord {
    /// Counted from 1.
    pub epoch: usize,
    pub epochs: usize,
    /// The size of its last step.
    pub rate: f64,
    /// The mean over its batches of what was lowered, and of each term of it.
    pub loss: f64,
    pub terms: TermValues,
    /// The same objective on what is held out, where something is.
    pub held_out: Option<f64>,
}

/// What an objective asks of a batch.
#[derive(Clone, Copy, Debug)]
struct Lowered<'a> {
    weights: TermWeights,
    /// How images are attacked, and whether it is the attacked ones that are taught.
    attack: Option<(&'a InnerAttack, AttackedView)>,
    /// How often each artefact is drawn into the view that should be answered alike.
    artefacts: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AttackedView {
    /// Taught instead of the images.
    Taught,
    /// Compared with the images.
    Compared,
}

impl TrainingObjective {
    fn lowered(&self) -> Lowered<'_> {
        let mut lowered = Lowered {
            weights: TermWeights::default(),
            attack: None,
            artefacts: None,
        };
        match self {
            TrainingObjective::Baseline => {}
            TrainingObjective::Adversarial(attack) => {
                lowered.attack = Some((attack, AttackedView::Taught));
            }
            TrainingObjective::Trades { beta, attack } => {
                lowered.weights.robust = *beta;
                lowered.attack = Some((attack, AttackedView::Compared));
            }
            TrainingObjective::TriObjective(tri) => {
                lowered.weights = TermWeights {
                    robust: tri.robust,
                    stability: tri.explanation * tri.stability,
                    consistency: tri.explanation * tri.consistency,
                };
                if lowered.weights.robust > 0.0 || lowered.weights.stability > 0.0 {
                    lowered.attack = Some((&tri.attack, AttackedView::Compared));
                }
                lowered.artefacts = (lowered.weights.consistency > 0.0).then_some(tri.artefacts);
            }
        }
        lowered
    }
}

/// The images of a batch in every view its loss looks at.
struct BatchViews {
    pixels: Vec<Vec<f32>>,
    places: ViewPlaces,
}

/// Images, labels, and what each class counts.
struct TrainingSet<'a> {
    images: &'a Images,
    labels: &'a Labels,
    class_weights: Vec<f64>,
}

pub(super) struct TrainingSession<'a> {
    learner: BatchLearner,
    /// The network as it is asked, while its class maps are taught.
    maps: Option<ClassMaps>,
    grid: OutputGrid,
    /// The same network, asked by attacks; it is given the weights of now before each.
    asked: Compiled,
    average: Option<Network>,
    lesson: TrainingSet<'a>,
    recipe: &'a TrainingRecipe,
    taught: Vec<usize>,
    held_out: Vec<usize>,
    rates: RateCurve,
    seed: Seed,
    /// What the starts of attacks are drawn from.
    noise: Draws,
    step: usize,
}

impl<'a> TrainingSession<'a> {
    pub(super) fn new(
        images: &'a Images,
        labels: &'a Labels,
        recipe: &'a TrainingRecipe,
        seed: Seed,
    ) -> Result<TrainingSession<'a>, Untrained> {
        let (taught, held_out) = divide(
            images.len(),
            recipe.early_stopping,
            seed.child("validation"),
        );
        if taught.is_empty() {
            return Err(Untrained::NothingToLearn(format!(
                "{} images are too few",
                images.len()
            )));
        }
        let network =
            first_network(images, labels, &taught, recipe, seed).map_err(Untrained::Malformed)?;
        let needs_maps = recipe.objective.lowered().weights.stability > 0.0;
        let maps = needs_maps
            .then(|| ClassMaps::new(&network))
            .transpose()
            .map_err(Untrained::Malformed)?;
        let (grid, shown) = match &maps {
            Some(maps) => (maps.grid(), maps.taught().map_err(Untrained::Malformed)?),
            None => (OutputGrid::of_logits(&network), network.clone()),
        };
        let learner = BatchLearner::new(shown, recipe.optimiser, recipe.weight_decay);
        let batches = taught.len().div_ceil(recipe.batch.max(1));
        Ok(TrainingSession {
            learner: learner.map_err(Untrained::Malformed)?,
            maps,
            grid,
            average: recipe.averaging.map(|_| network.clone()),
            asked: Compiled::new(network),
            lesson: TrainingSet {
                images,
                labels,
                class_weights: class_weights(labels, &taught, recipe.class_weights),
            },
            recipe,
            taught,
            held_out,
            rates: RateCurve {
                schedule: recipe.schedule,
                highest: recipe.rate,
                rising: recipe.warm_up * batches,
                steps: recipe.epochs * batches,
            },
            seed,
            noise: seed.child("adversarial").draws(),
            step: 0,
        })
    }

    pub(super) fn run(mut self, watch: &mut dyn FnMut(&EpochRecord)) -> Result<Network, Untrained> {
        let mut order = self.taught.clone();
        let mut draws = self.seed.child("order").draws();
        let mut best: Option<(f64, usize, Network)> = None;
        for epoch in 1..=self.recipe.epochs {
            self.draw_order(&mut order, &mut draws);
            let mut record = self.run_epoch(epoch, &order)?;
            let network = self.result();
            record.held_out = (!self.held_out.is_empty()).then(|| self.held_out_loss(&network));
            watch(&record);
            let (Some(stopping), Some(loss)) = (self.recipe.early_stopping, record.held_out) else {
                continue;
            };
            if best.as_ref().is_none_or(|(lowest, ..)| loss < *lowest) {
                best = Some((loss, epoch, network));
            } else if best
                .as_ref()
                .is_some_and(|(_, at, _)| epoch - at >= stopping.patience)
            {
                break;
            }
        }
        Ok(best.map_or_else(|| self.result(), |(.., network)| network))
    }

    /// The items of the next epoch.
    fn draw_order(&self, order: &mut [usize], draws: &mut Draws) {
        match self.recipe.sampling {
            Sampling::Shuffled => draws.shuffle(order),
            Sampling::Balanced => {
                let classes = items_by_class(self.lesson.labels, &self.taught);
                for item in order {
                    let class = &classes[draws.below(classes.len())];
                    *item = class[draws.below(class.len())];
                }
            }
        }
    }

    fn run_epoch(&mut self, epoch: usize, order: &[usize]) -> Result<EpochRecord, Untrained> {
        let mut record = EpochRecord {
            epoch,
            epochs: self.recipe.epochs,
            rate: 0.0,
            loss: 0.0,
            terms: TermValues::default(),
            held_out: None,
        };
        let batches: Vec<&[usize]> = order.chunks(self.recipe.batch.max(1)).collect();
        let share = 1.0 / batches.len() as f64;
        for batch in batches {
            record.rate = self.rates.at(self.step);
            let (loss, terms) = self
                .learn(epoch, batch, record.rate)
                .ok_or(Untrained::Diverged { epoch })?;
            record.loss += share * loss;
            record.terms.add(&terms, share);
        }
        Ok(record)
    }

    /// One step: what was lowered, or nothing when it is no longer a number.
    fn learn(&mut self, epoch: usize, batch: &[usize], rate: f64) -> Option<(f64, TermValues)> {
        let plain = TrainingObjective::Baseline;
        let objective = match epoch > self.recipe.plain_epochs {
            true => &self.recipe.objective,
            false => &plain,
        };
        let lowered = objective.lowered();
        let (pixels, labels) = self.gather(batch, Some(epoch));
        if lowered.attack.is_some() {
            self.asked.refill(self.network());
        }
        let rendered = self.seed.child(format!("artefacts {}", self.step));
        let noise = &mut self.noise;
        let views = views(&lowered, &self.asked, pixels, &labels, noise, rendered);
        let loss = BatchLoss {
            grid: self.grid,
            labels: &labels,
            item_shares: &self.lesson.item_shares(&labels),
            weights: lowered.weights,
            places: views.places,
        };
        let shown: Vec<View<'_>> = views
            .pixels
            .iter()
            .map(|view| View::measured(view))
            .collect();
        let mut terms = TermValues::default();
        let of_batch = |outputs: &[Vec<f32>], slopes: &mut [Vec<f32>]| {
            terms = loss.evaluate(outputs, slopes);
            lowered.weights.total(&terms)
        };
        let total = self.learner.step_down_views(&shown, of_batch, rate)?;
        self.step += 1;
        if let Some((average, kept)) = self.average.take().zip(self.recipe.averaging) {
            self.average = Some(average.moved_toward(&self.network(), 1.0 - kept));
        }
        Some((total, terms))
    }

    /// The network as it is now, with its pooling and its classes.
    fn network(&self) -> Network {
        match &self.maps {
            Some(maps) => maps.pooled(self.learner.network()),
            None => self.learner.network().clone(),
        }
    }

    /// The network that would be handed over now.
    fn result(&self) -> Network {
        self.average.clone().unwrap_or_else(|| self.network())
    }

    /// The pixels and labels of some items, changed as an epoch changes them.
    fn gather(&self, which: &[usize], epoch: Option<usize>) -> (Vec<f32>, Vec<u32>) {
        let shape = self.lesson.images.shape();
        let seed = epoch.map(|epoch| self.seed.child(format!("augmentation {epoch}")));
        let artefacts =
            (self.recipe.artefacts > 0.0).then(|| ArtefactRates::all(self.recipe.artefacts));
        let mut pixels = Vec::with_capacity(which.len() * shape.iter().product::<usize>());
        for (place, &item) in which.iter().enumerate() {
            let start = pixels.len();
            pixels.extend_from_slice(self.lesson.images.image(item));
            let Some(seed) = seed else { continue };
            // An item that balanced sampling shows twice in an epoch is changed twice.
            let seed = seed.child(format!("{item} at {place} of {}", self.step));
            let image = &mut pixels[start..];
            self.recipe.augmentation.apply(image, shape, seed);
            if let Some(artefacts) = &artefacts {
                artefacts.render(image, shape, seed.child("artefacts"));
            }
        }
        let labels = which.iter().map(|&item| self.lesson.labels.of()[item]);
        (pixels, labels.collect())
    }

    /// The objective on images that are not taught, of a network as it answers. The same draws every
    /// time, so that epochs can be compared.
    fn held_out_loss(&self, network: &Network) -> f64 {
        let terms = self.terms(network, &self.held_out);
        self.recipe.objective.lowered().weights.total(&terms)
    }

    /// Every term on some items, of a network as it answers.
    fn terms(&self, network: &Network, which: &[usize]) -> TermValues {
        let lowered = self.recipe.objective.lowered();
        let (pixels, labels) = self.gather(which, None);
        let asked = Compiled::new(network.clone());
        let mut noise = self.seed.child("held-out attack").draws();
        let rendered = self.seed.child("held-out artefacts");
        let views = views(&lowered, &asked, pixels, &labels, &mut noise, rendered);
        let answering = match ClassMaps::new(network) {
            Ok(maps) if self.maps.is_some() => {
                Compiled::new(maps.taught().expect("it was taught with the same maps"))
            }
            _ => asked,
        };
        let outputs: Vec<Vec<f32>> = views
            .pixels
            .iter()
            .map(|view| answering.logits(view))
            .collect();
        let mut slopes: Vec<Vec<f32>> = outputs.iter().map(|of| vec![0.0; of.len()]).collect();
        let loss = BatchLoss {
            grid: self.grid,
            labels: &labels,
            item_shares: &self.lesson.item_shares(&labels),
            weights: lowered.weights,
            places: views.places,
        };
        loss.evaluate(&outputs, &mut slopes)
    }

    /// Every term on the whole lesson, of the network as it is.
    #[cfg(test)]
    pub(super) fn terms_on_all(&self) -> TermValues {
        self.terms(&self.network(), &self.taught)
    }
}

/// A batch in every view that an objective looks at.
fn views(
    lowered: &Lowered<'_>,
    asked: &Compiled,
    pixels: Vec<f32>,
    labels: &[u32],
    noise: &mut Draws,
    rendered: Seed,
) -> BatchViews {
    let mut views = BatchViews {
        pixels: Vec::new(),
        places: ViewPlaces::default(),
    };
    let with_artefacts = lowered
        .artefacts
        .map(|chance| with_artefacts(asked.network(), &pixels, chance, rendered));
    match lowered.attack {
        None => views.pixels.push(pixels),
        Some((attack, AttackedView::Taught)) => {
            let climbs = Climbs::CrossEntropy(labels);
            views
                .pixels
                .push(attack.attacked(asked, &pixels, climbs, noise));
        }
        Some((attack, AttackedView::Compared)) => {
            let attacked = attack.attacked(asked, &pixels, Climbs::Divergence, noise);
            views.pixels.extend([pixels, attacked]);
            views.places.attacked = Some(1);
        }
    }
    if let Some(rendered) = with_artefacts {
        views.places.with_artefacts = Some(views.pixels.len());
        views.pixels.push(rendered);
    }
    views
}

/// Images with artefacts drawn into them, whatever their labels.
fn with_artefacts(network: &Network, pixels: &[f32], chance: f64, seed: Seed) -> Vec<f32> {
    let rates = ArtefactRates::all(chance);
    let mut pixels = pixels.to_vec();
    for (item, image) in pixels.chunks_exact_mut(network.input_size()).enumerate() {
        rates.render(image, network.input(), seed.child(format!("{item}")));
    }
    pixels
}

fn first_network(
    images: &Images,
    labels: &Labels,
    taught: &[usize],
    recipe: &TrainingRecipe,
    seed: Seed,
) -> Result<Network, Malformed> {
    let shape = images.shape();
    let classes = labels.classes().to_vec();
    let normalise = || channel_scale(images, taught);
    let first = seed.child("weights");
    match &recipe.layers {
        Layers::Dense(hidden) => Network::fresh(shape, classes, normalise(), hidden, first),
        Layers::Residual(residual) => residual.network(shape, classes, normalise(), first),
        Layers::Given(network) if network.input() != shape => Err(Malformed::new(format!(
            "it takes images of {:?}, the lesson has {shape:?}",
            network.input()
        ))),
        Layers::Given(network) if network.classes() != labels.classes() => {
            Err(Malformed::new(format!(
                "its classes are {}, those of the lesson {}",
                network.classes().join(", "),
                labels.classes().join(", ")
            )))
        }
        Layers::Given(network) => Ok((**network).clone()),
    }
}

/// Which images are taught, and which are held out.
pub(super) fn divide(
    images: usize,
    stopping: Option<EarlyStopping>,
    seed: Seed,
) -> (Vec<usize>, Vec<usize>) {
    let mut order: Vec<usize> = (0..images).collect();
    let Some(stopping) = stopping else {
        return (order, Vec::new());
    };
    seed.draws().shuffle(&mut order);
    // At least one is held out, or there would be nothing to stop by.
    let held_out = ((images as f64 * stopping.share) as usize)
        .max(1)
        .min(images);
    let taught = order.split_off(held_out);
    (taught, order)
}

/// Mean zero and variance one over the images taught; a channel that never varies is only shifted.
fn channel_scale(images: &Images, which: &[usize]) -> Normalise {
    let [channels, height, width] = images.shape();
    let plane = height * width;
    let mut normalise = Normalise::identity(channels);
    for channel in 0..channels {
        let values = || {
            let of = move |&i: &usize| &images.image(i)[channel * plane..(channel + 1) * plane];
            which.iter().flat_map(of).map(|&x| f64::from(x))
        };
        let n = (which.len() * plane) as f64;
        let mean = values().sum::<f64>() / n;
        let variance = values().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        normalise.mean[channel] = mean as f32;
        if variance > 1e-12 {
            normalise.scale[channel] = (1.0 / libm::sqrt(variance)) as f32;
        }
    }
    normalise
}

/// The items of each class that has some.
fn items_by_class(labels: &Labels, which: &[usize]) -> Vec<Vec<usize>> {
    let mut classes = vec![Vec::new(); labels.classes().len()];
    which
        .iter()
        .for_each(|&item| classes[labels.of()[item] as usize].push(item));
    classes.retain(|items| !items.is_empty());
    classes
}

fn class_weights(labels: &Labels, which: &[usize], how: ClassWeights) -> Vec<f64> {
    let classes = labels.classes().len();
    if how == ClassWeights::Equal {
        return vec![1.0; classes];
    }
    let mut counts = vec![0_usize; classes];
    which
        .iter()
        .for_each(|&i| counts[labels.of()[i] as usize] += 1);
    // A class nobody is taught has no item whose weight could matter.
    counts
        .iter()
        .map(|&count| which.len() as f64 / (classes * count.max(1)) as f64)
        .collect()
}

impl TrainingSet<'_> {
    /// What each item of a batch counts in its cross-entropy; together one.
    fn item_shares(&self, labels: &[u32]) -> Vec<f64> {
        let weight = |label: &u32| self.class_weights[*label as usize];
        let total: f64 = labels.iter().map(weight).sum();
        labels.iter().map(|label| weight(label) / total).collect()
    }
}
