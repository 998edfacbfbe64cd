//! A training under way: epochs, batches and their views, what is held out, what is best so far.

use duress_core::fitting::{FitKeeper, FitProgress};
use duress_core::seed::{Draws, Seed};
use serde::{Deserialize, Serialize};

use super::class_maps::{ClassMaps, OutputGrid};
use super::concepts::{ConceptVectors, ConceptWish};
use super::dropout::{with_dropout, without_dropout};
use super::half_done::{HalfDone, TrainingPlace};
use super::inner::{Climbs, InnerAttack};
use super::lesson::{LabelledImages, TrainingSet, channel_scale, divide, items_by_class};
use super::rate::RateCurve;
use super::terms::{BatchLoss, TermValues, TermWeights, ViewPlaces};
use super::{ConceptTerm, Layers, Sampling, TrainingObjective, TrainingRecipe, Untrained};
use crate::compiled::Compiled;
use crate::learner::{BatchLearner, MovedLayer, View};
use crate::lesion::artefact::ArtefactRates;
use crate::network::{Malformed, Network};

/// What an epoch came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

impl EpochRecord {
    /// One of which nothing is known yet.
    pub(super) fn begun(epoch: usize, epochs: usize) -> EpochRecord {
        EpochRecord {
            epoch,
            epochs,
            rate: 0.0,
            loss: 0.0,
            terms: TermValues::default(),
            held_out: None,
        }
    }
}

/// A network that was taught, and how that went.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainedNetwork {
    pub network: Network,
    /// Epoch by epoch.
    pub epochs: Vec<EpochRecord>,
    /// The epoch whose network it is, where something was held out to choose by; else it is the
    /// last one's.
    pub kept: Option<usize>,
}

/// What an objective asks of a batch.
#[derive(Clone, Copy, Debug)]
struct Lowered<'a> {
    weights: TermWeights,
    /// How images are attacked, and whether it is the attacked ones that are taught.
    attack: Option<(&'a InnerAttack, AttackedView)>,
    /// How often each artefact is drawn into the view that should be answered alike.
    artefacts: Option<f64>,
    /// The concepts along which answers should stay, or move.
    concepts: Option<&'a ConceptTerm>,
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
            concepts: None,
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
                    concept: tri.explanation * tri.concept,
                };
                if lowered.weights.robust > 0.0 || lowered.weights.stability > 0.0 {
                    lowered.attack = Some((&tri.attack, AttackedView::Compared));
                }
                lowered.artefacts =
                    (lowered.weights.consistency > 0.0).then_some(tri.consistency_artefacts);
                lowered.concepts = (lowered.weights.concept > 0.0).then_some(&tri.concepts);
            }
        }
        lowered
    }
}

/// A layer moved along a concept, both ways, and what is wanted there.
struct AlongConcept {
    wish: ConceptWish,
    node: usize,
    ends: [Vec<f32>; 2],
}

/// The images of a batch in every view its loss looks at.
struct BatchViews {
    pixels: Vec<Vec<f32>>,
    places: ViewPlaces,
}

pub(super) struct TrainingSession<'a> {
    learner: BatchLearner,
    /// The network as it is asked, while its class maps are taught.
    maps: Option<ClassMaps>,
    grid: OutputGrid,
    /// The same network, asked by attacks; it is given the weights of now before each.
    asked: Compiled,
    average: Option<Network>,
    /// What was best so far on what is held out.
    best: Option<Network>,
    concepts: Option<ConceptVectors>,
    lesson: TrainingSet<'a>,
    recipe: &'a TrainingRecipe,
    taught: Vec<usize>,
    held_out: Vec<usize>,
    rates: RateCurve,
    seed: Seed,
    /// What the starts of attacks are drawn from.
    noise: Draws,
}

impl<'a> TrainingSession<'a> {
    pub(super) fn new(
        lesson: LabelledImages<'a>,
        recipe: &'a TrainingRecipe,
        seed: Seed,
    ) -> Result<TrainingSession<'a>, Untrained> {
        let (taught, held_out) = divide(
            lesson.images.len(),
            lesson.clusters,
            recipe.early_stopping,
            seed.child("validation"),
        );
        if taught.is_empty() {
            return Err(Untrained::NothingToLearn(format!(
                "{} images are too few",
                lesson.images.len()
            )));
        }
        let network = first_network(lesson, &taught, recipe, seed).map_err(Untrained::Malformed)?;
        let lowered = recipe.objective.lowered();
        let concepts = lowered
            .concepts
            .map(|term| ConceptVectors::new(term, &network, seed.child("concepts")))
            .transpose()
            .map_err(Untrained::Malformed)?;
        let shown = shown_network(&network, recipe.dropout).map_err(Untrained::Malformed)?;
        let maps = (lowered.weights.stability > 0.0)
            .then(|| ClassMaps::new(&shown))
            .transpose()
            .map_err(Untrained::Malformed)?;
        let (grid, shown) = match &maps {
            Some(maps) => (maps.grid(), maps.taught().map_err(Untrained::Malformed)?),
            None => (OutputGrid::of_logits(&network), shown),
        };
        let learner = BatchLearner::new(shown, recipe.optimiser, recipe.weight_decay);
        let batches = taught.len().div_ceil(recipe.batch.max(1));
        Ok(TrainingSession {
            learner: learner.map_err(Untrained::Malformed)?,
            maps,
            grid,
            average: recipe.averaging.map(|_| network.clone()),
            best: None,
            concepts,
            asked: Compiled::new(network),
            lesson: TrainingSet::new(lesson, &taught, recipe.class_weights),
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
        })
    }

    pub(super) fn run(mut self, keeper: &dyn FitKeeper) -> Result<TrainedNetwork, Untrained> {
        let mut place = self.begin(keeper);
        let mut order = self.taught.clone();
        let mut draws = self.seed.child("order").draws();
        // Each order is drawn from the one before.
        (1..place.epoch).for_each(|_| self.draw_order(&mut order, &mut draws));
        while place.epoch <= self.recipe.epochs {
            self.draw_order(&mut order, &mut draws);
            self.run_epoch(&mut place, &order, keeper)?;
            if self.end_epoch(&mut place) {
                break;
            }
        }
        Ok(TrainedNetwork {
            network: self.best.take().unwrap_or_else(|| self.result()),
            epochs: place.epochs,
            kept: place.best.map(|(_, epoch)| epoch),
        })
    }

    /// Where it begins: at the start, or where an earlier training was kept half done.
    fn begin(&mut self, keeper: &dyn FitKeeper) -> TrainingPlace {
        let kept = keeper.half_done().and_then(|bytes| {
            let asked = self.asked.network();
            HalfDone::from_bytes(&bytes, self.learner.network(), asked)
        });
        let Some(kept) = kept else {
            return TrainingPlace::start(self.recipe.epochs);
        };
        self.learner.take_up(kept.network, kept.memory);
        self.average = kept.average;
        self.best = kept.best;
        if let Some(concepts) = &mut self.concepts {
            concepts.vectors = kept.concepts;
        }
        self.noise = self.seed.child("adversarial").draws_after(kept.place.noise);
        kept.place
    }

    /// Everything that it goes on from.
    fn half_done(&self, place: &TrainingPlace) -> HalfDone {
        let vectors = self
            .concepts
            .as_ref()
            .map(|concepts| concepts.vectors.clone());
        HalfDone {
            place: TrainingPlace {
                noise: self.noise.drawn(),
                ..place.clone()
            },
            network: self.learner.network().clone(),
            memory: self.learner.memory(),
            average: self.average.clone(),
            best: self.best.clone(),
            concepts: vectors.unwrap_or_default(),
        }
    }

    /// Takes an epoch into the record; true where it was the last, because none of late was better.
    fn end_epoch(&mut self, place: &mut TrainingPlace) -> bool {
        let next = EpochRecord::begun(place.epoch + 1, self.recipe.epochs);
        let mut record = std::mem::replace(&mut place.record, next);
        let network = self.result();
        record.held_out = (!self.held_out.is_empty()).then(|| self.held_out_loss(&network));
        let held_out = record.held_out;
        place.epochs.push(record);
        let epoch = place.epoch;
        (place.epoch, place.batches) = (epoch + 1, 0);
        let (Some(stopping), Some(loss)) = (self.recipe.early_stopping, held_out) else {
            return false;
        };
        match place.best {
            Some((lowest, at)) if lowest <= loss || loss.is_nan() => {
                epoch - at >= stopping.patience
            }
            _ => {
                place.best = Some((loss, epoch));
                self.best = Some(network);
                false
            }
        }
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

    /// Does what is left of an epoch.
    fn run_epoch(
        &mut self,
        place: &mut TrainingPlace,
        order: &[usize],
        keeper: &dyn FitKeeper,
    ) -> Result<(), Untrained> {
        let batches: Vec<&[usize]> = order.chunks(self.recipe.batch.max(1)).collect();
        let share = 1.0 / batches.len() as f64;
        for batch in &batches[place.batches..] {
            let epoch = place.epoch;
            place.record.rate = self.rates.at(place.step);
            let (loss, terms) = self
                .learn(place, batch)
                .ok_or(Untrained::Diverged { epoch })?;
            place.record.loss += share * loss;
            place.record.terms.add(&terms, share);
            place.batches += 1;
            place.step += 1;
            keeper.hear(&self.progress(place, loss));
            if keeper.is_due() {
                let half_done = self.half_done(place).to_bytes();
                keeper.keep(&half_done).map_err(Untrained::NotKept)?;
            }
        }
        Ok(())
    }

    fn progress(&self, place: &TrainingPlace, loss: f64) -> FitProgress {
        let mut watched = vec![
            ("loss".to_string(), loss),
            ("learning rate".to_string(), place.record.rate),
        ];
        let held_out = place.epochs.last().and_then(|record| record.held_out);
        watched.extend(held_out.map(|held_out| ("validation".to_string(), held_out)));
        FitProgress {
            done: place.step as u64,
            of: self.rates.steps as u64,
            watched,
        }
    }

    /// One step: what was lowered, or nothing when it is no longer a number.
    fn learn(&mut self, place: &TrainingPlace, batch: &[usize]) -> Option<(f64, TermValues)> {
        let recipe = self.recipe;
        let plain = TrainingObjective::Baseline;
        let objective = match place.epoch > recipe.plain_epochs {
            true => &recipe.objective,
            false => &plain,
        };
        let lowered = objective.lowered();
        let step = place.step;
        let (pixels, labels) = self.gather(batch, Some((place.epoch, step)));
        if lowered.attack.is_some() {
            self.asked.refill(self.network());
        }
        let rendered = self.seed.child(format!("artefacts {step}"));
        let noise = &mut self.noise;
        let mut views = views(&lowered, &self.asked, pixels, &labels, noise, rendered);
        let ends = lowered.concepts.and_then(|_| self.along_concept(step));
        if let Some(along) = &ends {
            let first = views.pixels.len();
            views.places.concept = Some(([first, first + 1], along.wish));
        }
        let loss = BatchLoss {
            grid: self.grid,
            labels: &labels,
            item_shares: &self.lesson.item_shares(&labels),
            weights: lowered.weights,
            places: views.places,
        };
        let shown = self.shown(&views, ends.as_ref(), step);
        let mut terms = TermValues::default();
        let of_batch = |outputs: &[Vec<f32>], slopes: &mut [Vec<f32>]| {
            terms = loss.evaluate(outputs, slopes);
            lowered.weights.total(&terms)
        };
        let rate = place.record.rate;
        let total = self.learner.step_down_views(&shown, of_batch, rate)?;
        if let Some((average, kept)) = self.average.take().zip(self.recipe.averaging) {
            self.average = Some(average.moved_toward(&self.network(), 1.0 - kept));
        }
        Some((total, terms))
    }

    /// The concept that is a step's, with vectors of late.
    fn along_concept(&mut self, step: usize) -> Option<AlongConcept> {
        let network = self.network();
        let concepts = self.concepts.as_mut()?;
        concepts.refresh(step, &network);
        let concept = concepts.turn(step);
        Some(AlongConcept {
            wish: concepts.wish(concept),
            node: concepts.node(self.learner.network()),
            ends: concepts.ends(concept),
        })
    }

    /// The views of a batch as the network is shown them: what is taught as a batch is measured, and
    /// both ends of a concept as it answers.
    fn shown<'v>(
        &self,
        views: &'v BatchViews,
        along: Option<&'v AlongConcept>,
        step: usize,
    ) -> Vec<View<'v>> {
        let dropout = self.seed.child(format!("dropout {step}"));
        let taught = views.pixels.iter().enumerate().map(|(view, pixels)| View {
            dropout: Some(dropout.child(format!("view {view}"))),
            ..View::measured(pixels)
        });
        let ends = along.into_iter().flat_map(|along| {
            along.ends.iter().map(move |by| View {
                moved: Some(MovedLayer {
                    node: along.node,
                    by,
                }),
                ..View::remembered(&views.pixels[0])
            })
        });
        taught.chain(ends).collect()
    }

    /// The network as it is now, with its pooling and its classes.
    fn network(&self) -> Network {
        without_dropout(match &self.maps {
            Some(maps) => maps.pooled(self.learner.network()),
            None => self.learner.network().clone(),
        })
    }

    /// The network that would be handed over now.
    fn result(&self) -> Network {
        self.average.clone().unwrap_or_else(|| self.network())
    }

    /// The pixels and labels of some items, changed as an epoch and a step of it change them.
    fn gather(&self, which: &[usize], taught: Option<(usize, usize)>) -> (Vec<f32>, Vec<u32>) {
        let shape = self.lesson.images.shape();
        let chance = self.recipe.artefact_augmentation;
        let artefacts = (chance > 0.0).then(|| ArtefactRates::all(chance));
        let mut pixels = Vec::with_capacity(which.len() * shape.iter().product::<usize>());
        for (place, &item) in which.iter().enumerate() {
            let start = pixels.len();
            pixels.extend_from_slice(self.lesson.images.image(item));
            let Some((epoch, step)) = taught else {
                continue;
            };
            let seed = self.seed.child(format!("augmentation {epoch}"));
            // An item that balanced sampling shows twice in an epoch is changed twice.
            let seed = seed.child(format!("{item} at {place} of {step}"));
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
        let concept = match (&self.concepts, lowered.concepts) {
            (Some(concepts), Some(_)) => concepts.mean_loss(network, &pixels),
            _ => 0.0,
        };
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
        TermValues {
            concept,
            ..loss.evaluate(&outputs, &mut slopes)
        }
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

/// The network that is taught: with what forgets, where something is to be forgotten.
fn shown_network(network: &Network, dropout: f64) -> Result<Network, Malformed> {
    match dropout > 0.0 {
        true => with_dropout(network, dropout),
        false => Ok(network.clone()),
    }
}

fn first_network(
    lesson: LabelledImages<'_>,
    taught: &[usize],
    recipe: &TrainingRecipe,
    seed: Seed,
) -> Result<Network, Malformed> {
    let shape = lesson.images.shape();
    let classes = lesson.labels.classes();
    let normalise = || channel_scale(lesson.images, taught);
    let first = seed.child("weights");
    match &recipe.layers {
        Layers::Dense(hidden) => {
            Network::fresh(shape, classes.to_vec(), normalise(), hidden, first)
        }
        Layers::Residual(residual) => residual.network(shape, classes.to_vec(), normalise(), first),
        Layers::Given(network) if network.input() != shape => Err(Malformed::new(format!(
            "it takes images of {:?}, the lesson has {shape:?}",
            network.input()
        ))),
        Layers::Given(network) if network.classes() != classes => Err(Malformed::new(format!(
            "its classes are {}, those of the lesson {}",
            network.classes().join(", "),
            classes.join(", ")
        ))),
        Layers::Given(network) => Ok((**network).clone()),
    }
}
