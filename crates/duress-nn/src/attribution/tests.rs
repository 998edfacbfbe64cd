//! What attributions promise, on a residual net and on networks that can be worked out by hand.

use duress_core::seed::Seed;
use duress_core::subject::{Failure, LogitSlopes};
use duress_stats::parallel::Budget;

use super::*;
use crate::architecture::Residual;
use crate::compiled::Compiled;
use crate::instructions::InstructionSet;
use crate::network::{Dense, ItemShape, Network, Normalise, Operator};

const SHAPE: ItemShape = [3, 12, 12];

fn classes() -> Vec<String> {
    ["a", "b", "c"].map(String::from).to_vec()
}

/// A residual net whose batch norms are not the beginning's, so that folding them matters.
fn residual() -> Network {
    let normalise = Normalise {
        mean: vec![0.5, 0.4, 0.3],
        scale: vec![2.0, 3.0, 4.0],
        order: Vec::new(),
    };
    let network = Residual::small(6, 1)
        .network(SHAPE, classes(), normalise, Seed::new(1))
        .unwrap();
    let mut draws = Seed::new(2).draws();
    let mut source = network.clone();
    let mut lists = Vec::new();
    for node in source.nodes().to_vec() {
        for held in node.operator.clone().held_mut() {
            lists.push((format!("{}.{}", node.name, held.name), held.values.clone()));
        }
    }
    source = network
        .filled(|name, _| {
            let list = lists.iter().find(|(held, _)| held == name).unwrap();
            let is_norm = list.1.iter().all(|value| *value == 1.0 || *value == 0.0);
            let value = |&value: &f32| match is_norm {
                true => value + 0.2 * draws.uniform() as f32,
                false => value,
            };
            Ok::<_, String>(list.1.iter().map(value).collect())
        })
        .unwrap();
    source
}

/// A logit is a weighted sum of pixels, so that everything can be worked out by hand.
fn linear(shape: ItemShape, weights: Vec<f32>) -> Compiled {
    let inputs = shape.iter().product();
    let dense = Dense {
        inputs,
        outputs: 2,
        weights,
        bias: vec![0.5, -0.5],
    };
    let operators = vec![
        Operator::Normalise(Normalise::identity(shape[0])),
        Operator::Flatten,
        Operator::Dense(dense),
    ];
    let names = vec!["a".to_string(), "b".to_string()];
    Compiled::new(Network::chain(shape, names, operators).unwrap())
}

fn pixels(count: usize, seed: u64) -> Vec<f32> {
    let mut draws = Seed::new(seed).draws();
    (0..count).map(|_| draws.uniform() as f32).collect()
}

fn images(items: usize) -> (Vec<f32>, Vec<u32>, Vec<Seed>) {
    let targets = (0..items as u32).map(|item| item % 3).collect();
    let seeds = (0..items).map(|item| Seed::new(5).child(format!("item {item}")));
    (pixels(items * 432, 3), targets, seeds.collect())
}

#[test]
fn a_residual_net_is_cut_between_its_blocks_and_not_inside_them() {
    let names: Vec<String> = residual()
        .cut_layers()
        .into_iter()
        .map(|layer| layer.name)
        .collect();
    assert_eq!(
        names,
        [
            "conv1",
            "bn1",
            "relu",
            "layer1.0.add",
            "layer1.0.relu",
            "layer2.0.add",
            "layer2.0.relu",
            "layer3.0.add",
            "layer3.0.relu",
            "avgpool"
        ]
    );
    let layer = residual().default_cam_layer().unwrap();
    assert_eq!(layer.name, "layer3.0.relu");
    assert_eq!(layer.shape, [24, 3, 3]);
}

#[test]
fn a_layer_that_something_bypasses_or_that_is_not_there_is_refused_with_the_way_out() {
    fn refused(name: &str, expected: &str) {
        let why = residual().split_at(name).unwrap_err().to_string();
        assert!(why.contains(expected), "{why}");
    }
    refused(
        "layer2.0.conv1",
        "cannot be cut at `layer2.0.conv1`: `layer1.0.relu` reaches `layer2.0.downsample.0` beside it",
    );
    refused("layer2.0.rel", "did you mean `layer2.0.relu`?");
    refused("fc", "a layer between image and logits");
    let flat = linear([1, 2, 2], vec![0.0; 8]);
    let why = flat.network().default_cam_layer().unwrap_err();
    assert!(why.to_string().contains("says where"), "{why}");
}

#[test]
fn both_parts_of_a_cut_network_together_are_the_whole_bit_for_bit() {
    let network = residual();
    let (pixels, ..) = images(5);
    let whole = Compiled::new(network.clone()).logits(&pixels);
    for layer in network.cut_layers() {
        let cut = CutNetwork::new(&network, &layer.name).unwrap();
        let through = cut.above().logits(&cut.below().logits(&pixels));
        if layer.name != "conv1" {
            assert_eq!(through, whole, "{}", layer.name);
        }
        for (through, whole) in through.iter().zip(&whole) {
            assert!((through - whole).abs() < 1e-5, "{through} {whole}");
        }
    }
}

#[test]
fn slopes_are_those_of_finite_differences() {
    let network = Compiled::new(residual());
    let (pixels, targets, _) = images(2);
    let batch = TargetBatch::new(SHAPE, &pixels, &targets);
    let slopes = input_gradient(&network, batch, ChannelReduction::Sum).unwrap();
    // Where a place moves in all channels, the sum of its slopes is the slope.
    let logit = |pixels: &[f32], item: usize| {
        let logits = Compiled::logits(&network, pixels);
        f64::from(logits[3 * item + targets[item] as usize])
    };
    let scale = slopes
        .iter()
        .fold(0.0_f32, |most, slope| most.max(slope.abs()));
    for (at, slope) in slopes.iter().enumerate().step_by(23) {
        let (item, place) = (at / 144, at % 144);
        let moved = |by: f32| {
            let mut moved = pixels.clone();
            (0..3).for_each(|channel| moved[item * 432 + channel * 144 + place] += by);
            logit(&moved, item)
        };
        let step = 1e-3;
        let expected = (moved(step) - moved(-step)) / (2.0 * f64::from(step));
        let off = (f64::from(*slope) - expected).abs();
        assert!(off < 0.02 * f64::from(scale), "{slope} {expected}");
    }
}

#[test]
fn integrated_gradients_sum_to_the_difference_of_the_logits() {
    let network = Compiled::new(residual());
    let (pixels, targets, _) = images(4);
    let batch = TargetBatch::new(SHAPE, &pixels, &targets);
    for baseline in [Fill::Black, Fill::Mean, Fill::Blur { sigma: 2.0 }] {
        let recipe = IntegratedRecipe {
            steps: 300,
            baseline,
            channels: ChannelReduction::Sum,
        };
        let maps = integrated_gradients(&network, batch, recipe).unwrap();
        for (item, map) in maps.chunks_exact(144).enumerate() {
            let sum: f32 = map.iter().sum();
            let logit = |image: &[f32]| Compiled::logits(&network, image)[targets[item] as usize];
            let start = baseline.image_for(batch.image(item), SHAPE);
            let expected = logit(batch.image(item)) - logit(&start);
            assert!((sum - expected).abs() < 2e-3, "{sum} {expected}");
        }
    }
}

/// Everything that makes maps or curves, as one function of a batch.
type Method = Box<dyn Fn(&Compiled, &CutNetwork, TargetBatch<'_>, &[Seed]) -> Vec<f32>>;

fn methods() -> Vec<Method> {
    let channels = ChannelReduction::Sum;
    let curve = |missing: Imputation| CurveRecipe { steps: 7, missing };
    let fill = curve(Imputation::Fill(Fill::Mean));
    let linear = curve(Imputation::NoisyLinear { noise: 0.01 });
    let infidel = InfidelityRecipe {
        draws: 9,
        sigma: 0.2,
        form: InfidelityForm::Plain,
    };
    let smooth = SmoothRecipe {
        draws: 5,
        sigma: 0.1,
        channels,
    };
    let sensitive = SensitivityRecipe {
        draws: 3,
        radius: 0.05,
        form: SensitivityForm::Relative,
    };
    let integrated = IntegratedRecipe {
        steps: 9,
        baseline: Fill::Black,
        channels,
    };
    let covered = OcclusionRecipe::new(4, 3, Fill::Black).unwrap();
    vec![
        Box::new(move |_, cut, batch, _| grad_cam(cut, batch, CamSign::Signed).unwrap()),
        Box::new(move |_, cut, batch, _| {
            grad_cam_plus_plus(cut, batch, CamSign::Positive).unwrap()
        }),
        Box::new(move |net, _, batch, _| input_gradient(net, batch, channels).unwrap()),
        Box::new(move |net, _, batch, _| gradient_times_input(net, batch, channels).unwrap()),
        Box::new(move |net, _, batch, _| integrated_gradients(net, batch, integrated).unwrap()),
        Box::new(move |net, _, batch, seeds| smooth_grad(net, batch, smooth, seeds).unwrap()),
        Box::new(move |net, _, batch, _| occlusion(net, batch, covered).unwrap()),
        Box::new(move |_, _, batch, _| edge_detector(batch)),
        Box::new(move |net, _, batch, seeds| {
            let maps = edge_detector(batch);
            let mut all = deletion(net, batch, &maps, fill, seeds).unwrap();
            all.extend(insertion(net, batch, &maps, linear, seeds).unwrap());
            let curves = all.chunks_exact(8);
            let n = batch.len();
            // Both curves of an item beside each other, so that items can be told apart.
            let rows: Vec<Vec<f32>> = curves.map(<[f32]>::to_vec).collect();
            (0..n)
                .flat_map(|item| [rows[item].clone(), rows[n + item].clone()].concat())
                .collect()
        }),
        Box::new(move |net, _, batch, seeds| {
            let maps = edge_detector(batch);
            let found = infidelity(net, batch, &maps, infidel, seeds).unwrap();
            found.into_iter().map(|x| x as f32).collect()
        }),
        Box::new(move |net, _, batch, seeds| {
            let explain =
                |batch: TargetBatch<'_>, seeds: &[Seed]| smooth_grad(net, batch, smooth, seeds);
            let maps = explain(batch, seeds).unwrap();
            let found = max_sensitivity(&explain, batch, &maps, sensitive, seeds).unwrap();
            found.into_iter().map(|x| x.unwrap() as f32).collect()
        }),
    ]
}

#[test]
fn batches_threads_and_order_change_nothing() {
    let network = residual();
    let (pixels, targets, seeds) = images(5);
    let batch = TargetBatch::new(SHAPE, &pixels, &targets);
    let made = |threads: usize| {
        let set = InstructionSet::best_available();
        let cut = CutNetwork::with(&network, "layer3.0.relu", set, threads).unwrap();
        (Compiled::with(network.clone(), set, threads), cut)
    };
    let (one, one_cut) = made(1);
    let (three, three_cut) = made(3);
    for (number, method) in methods().iter().enumerate() {
        let together = Budget::new(3).enter(|| method(&three, &three_cut, batch, &seeds));
        let alone = (0..5).rev().map(|item| {
            let range = item..item + 1;
            method(&one, &one_cut, batch.part(range.clone()), &seeds[range])
        });
        let mut alone: Vec<Vec<f32>> = alone.collect();
        alone.reverse();
        assert_eq!(together, alone.concat(), "method {number}");
        assert!(together.iter().all(|x| x.is_finite()), "method {number}");
        assert!(together.iter().any(|x| *x != 0.0), "method {number}");
    }
}

#[test]
fn a_target_that_is_no_class_is_refused() {
    let network = Compiled::new(residual());
    let (pixels, ..) = images(1);
    let batch = TargetBatch::new(SHAPE, &pixels, &[3]);
    let why = input_gradient(&network, batch, ChannelReduction::Sum).unwrap_err();
    assert!(
        why.to_string().contains("class 3, and there are 3"),
        "{why}"
    );
    let recipe = OcclusionRecipe::new(4, 4, Fill::Black).unwrap();
    assert!(occlusion(&network, batch, recipe).is_err());
}

#[test]
fn covering_a_patch_takes_what_a_linear_network_has_from_it() {
    let weights = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let network = linear([1, 2, 3], weights);
    let pixels = [1.0; 6];
    let batch = TargetBatch::new([1, 2, 3], &pixels, &[0]);
    let recipe = OcclusionRecipe::new(2, 2, Fill::Black).unwrap();
    // Patches begin at columns 0 and 2; the second reaches beyond the edge.
    let map = occlusion(&network, batch, recipe).unwrap();
    assert_eq!(map, [12.0, 12.0, 9.0, 12.0, 12.0, 9.0]);
    let recipe = OcclusionRecipe::new(2, 1, Fill::Black).unwrap();
    let map = occlusion(&network, batch, recipe).unwrap();
    assert_eq!(map, [12.0, 14.0, 16.0, 12.0, 14.0, 16.0]);
    let recipe = OcclusionRecipe::new(1, 1, Fill::Mean).unwrap();
    let map = occlusion(&network, batch, recipe).unwrap();
    assert!(map.iter().all(|fall| fall.abs() < 1e-5), "{map:?}");
    assert!(OcclusionRecipe::new(2, 3, Fill::Black).is_err());
}

#[test]
fn a_gradient_foretells_a_linear_network_without_fault() {
    let weights = pixels(24, 8);
    let network = linear([3, 2, 2], weights);
    let image = pixels(12, 9);
    let seeds = [Seed::new(1)];
    let batch = TargetBatch::new([3, 2, 2], &image, &[1]);
    let map = input_gradient(&network, batch, ChannelReduction::Sum).unwrap();
    let doubled: Vec<f32> = map.iter().map(|slope| 2.0 * slope).collect();
    let found = |map: &[f32], form| {
        let recipe = InfidelityRecipe {
            draws: 50,
            sigma: 0.2,
            form,
        };
        infidelity(&network, batch, map, recipe, &seeds).unwrap()[0]
    };
    assert!(found(&map, InfidelityForm::Plain) < 1e-10);
    assert!(found(&doubled, InfidelityForm::Plain) > 1e-3);
    assert!(found(&doubled, InfidelityForm::Scaled) < 1e-10);
    assert!(found(&[0.0; 4], InfidelityForm::Scaled) > 1e-3);
    let explain =
        |batch: TargetBatch<'_>, _: &[Seed]| input_gradient(&network, batch, ChannelReduction::Sum);
    let recipe = SensitivityRecipe {
        draws: 5,
        radius: 0.1,
        form: SensitivityForm::Relative,
    };
    let still = max_sensitivity(&explain, batch, &map, recipe, &seeds).unwrap();
    assert_eq!(still, [Ok(0.0)]);
    let empty = max_sensitivity(&explain, batch, &[0.0; 4], recipe, &seeds).unwrap();
    assert!(empty[0].is_err());
}

#[test]
fn curves_go_from_the_whole_image_to_its_fill_and_back() {
    // The second logit is nothing: the probability is the logistic of the first.
    let weights = vec![8.0, 4.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let network = linear([1, 2, 2], weights);
    let batch = TargetBatch::new([1, 2, 2], &[1.0; 4], &[0]);
    let recipe = CurveRecipe {
        steps: 4,
        missing: Imputation::Fill(Fill::Black),
    };
    let seeds = [Seed::new(1)];
    let probability = |logit: f32| 1.0 / (1.0 + (-(logit + 1.0)).exp());
    let near = |curve: Vec<f32>, logits: [f32; 5]| {
        for (found, logit) in curve.iter().zip(logits) {
            assert!((found - probability(logit)).abs() < 1e-6, "{curve:?}");
        }
    };
    let best = [8.0, 4.0, 2.0, 1.0];
    let found = deletion(&network, batch, &best, recipe, &seeds).unwrap();
    near(found, [15.0, 7.0, 3.0, 1.0, 0.0]);
    let found = insertion(&network, batch, &best, recipe, &seeds).unwrap();
    near(found, [0.0, 8.0, 12.0, 14.0, 15.0]);
    let worst = [1.0, 2.0, 4.0, 8.0];
    let found = deletion(&network, batch, &worst, recipe, &seeds).unwrap();
    near(found, [15.0, 14.0, 12.0, 8.0, 0.0]);
}

#[test]
fn equal_values_go_in_an_order_that_is_drawn() {
    let network = linear([1, 2, 2], vec![8.0, 4.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    let batch = TargetBatch::new([1, 2, 2], &[1.0; 4], &[0]);
    let recipe = CurveRecipe {
        steps: 4,
        missing: Imputation::Fill(Fill::Black),
    };
    let curve = |seed| deletion(&network, batch, &[0.0; 4], recipe, &[Seed::new(seed)]).unwrap();
    assert_eq!(curve(1), curve(1));
    assert!((2..9).any(|seed| curve(seed) != curve(1)));
}

#[test]
fn a_subject_without_slopes_has_curves_and_no_gradients() {
    let inside = linear([1, 2, 2], pixels(8, 1));
    let subject = OnlyLogits(|images: &[f32]| Ok::<_, Failure>(Compiled::logits(&inside, images)));
    let batch = TargetBatch::new([1, 2, 2], &[0.5; 4], &[0]);
    let recipe = CurveRecipe {
        steps: 2,
        missing: Imputation::Fill(Fill::Black),
    };
    let seeds = [Seed::new(1)];
    let map = [4.0, 3.0, 2.0, 1.0];
    let expected = deletion(&inside, batch, &map, recipe, &seeds).unwrap();
    assert_eq!(
        deletion(&subject, batch, &map, recipe, &seeds).unwrap(),
        expected
    );
    assert!(input_gradient(&subject, batch, ChannelReduction::Sum).is_err());
}

#[test]
fn a_cascade_of_randomisation_ends_with_nothing_that_was_taught() {
    let network = residual();
    let cascade: Vec<RandomisedNetwork> = cascading_randomisation(&network, Seed::new(4)).collect();
    assert_eq!(cascade.first().unwrap().layer, "fc");
    assert_eq!(cascade.last().unwrap().layer, "conv1");
    assert_eq!(cascade.last().unwrap().layers, cascade.len());
    let same = |other: &Network| {
        let both = network.nodes().iter().zip(other.nodes());
        both.filter(|(node, _)| node.operator.clone().held_mut().len() > 1)
            .filter(|(a, b)| a == b)
            .count()
    };
    let counts: Vec<usize> = cascade.iter().map(|step| same(&step.network)).collect();
    assert!(counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
    assert_eq!(counts.last(), Some(&0));
    // What two networks of the cascade both drew is the same.
    let last = |step: &RandomisedNetwork| step.network.nodes().last().unwrap().clone();
    assert_eq!(last(&cascade[0]), last(&cascade[5]));
    let (pixels, targets, _) = images(2);
    let batch = TargetBatch::new(SHAPE, &pixels, &targets);
    for step in &cascade {
        let compiled = Compiled::new(step.network.clone());
        let map = input_gradient(&compiled, batch, ChannelReduction::Sum).unwrap();
        assert!(map.iter().all(|x| x.is_finite()), "{}", step.layer);
    }
}

#[test]
fn many_steps_need_no_more_memory_than_few() {
    // A subject that remembers how many values it was asked about at once.
    struct Watched(Compiled, std::sync::atomic::AtomicUsize);
    impl LogitSlopes for Watched {
        fn logits(&self, images: &[f32]) -> Result<Vec<f32>, Failure> {
            self.1
                .fetch_max(images.len(), std::sync::atomic::Ordering::Relaxed);
            Ok(Compiled::logits(&self.0, images))
        }
        fn backward(
            &self,
            images: &[f32],
            slope: &duress_core::subject::LogitSlope<'_>,
            gradient: &mut [f32],
        ) -> Result<Vec<f32>, Failure> {
            self.1
                .fetch_max(images.len(), std::sync::atomic::Ordering::Relaxed);
            Ok(Compiled::backward(&self.0, images, slope, gradient))
        }
    }
    let side = 512;
    let shape = [1, side, side];
    let network = linear(shape, vec![0.01; 2 * side * side]);
    let watched = Watched(network, Default::default());
    let image = vec![0.5; side * side];
    let batch = TargetBatch::new(shape, &image, &[0]);
    let recipe = IntegratedRecipe {
        steps: 100,
        baseline: Fill::Black,
        channels: ChannelReduction::Sum,
    };
    integrated_gradients(&watched, batch, recipe).unwrap();
    let recipe = CurveRecipe {
        steps: 100,
        missing: Imputation::Fill(Fill::Black),
    };
    let map = edge_detector(batch);
    deletion(&watched, batch, &map, recipe, &[Seed::new(1)]).unwrap();
    let most = watched.1.into_inner();
    assert!(4 * most <= AT_ONCE, "{most}");
}

#[test]
fn a_concept_that_a_class_is_made_of_raises_its_logit_and_no_other() {
    // The first class looks at red alone, the second at green.
    let mut weights = vec![0.0; 3 * 48];
    weights[..16].fill(1.0);
    weights[48 + 16..48 + 32].fill(1.0);
    let dense = |weights: Vec<f32>, inputs: usize, outputs: usize| {
        Operator::Dense(Dense {
            inputs,
            outputs,
            weights,
            bias: vec![0.1; outputs],
        })
    };
    let head = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let operators = vec![
        Operator::Normalise(Normalise::identity(3)),
        Operator::Flatten,
        dense(weights, 48, 3),
        Operator::Relu,
        dense(head, 3, 3),
    ];
    let network = Network::chain([3, 4, 4], classes(), operators).unwrap();
    let cut = CutNetwork::new(&network, "3").unwrap();
    let set = |seed: u64, red: f32| -> Vec<f32> {
        let values = pixels(12 * 48, seed);
        let pixel = |(at, value): (usize, f32)| match at % 48 < 16 {
            true => 0.5 * value + red,
            false => 0.5 * value,
        };
        values.into_iter().enumerate().map(pixel).collect()
    };
    let with = set(1, 0.5);
    let counter_sets: Vec<Vec<f32>> = (2..6).map(|seed| set(seed, 0.0)).collect();
    let examples = ConceptExamples {
        with: &with,
        counter_sets: &counter_sets,
    };
    let images = set(9, 0.0);
    for space in [LayerSpace::Values, LayerSpace::ChannelMeans] {
        let scores = |target: u32| {
            let targets = vec![target; 12];
            let batch = TargetBatch::new([3, 4, 4], &images, &targets);
            let recipe = ConceptScoreRecipe {
                space,
                vector: VectorRecipe::usual(),
            };
            concept_scores(&cut, examples, batch, recipe, Seed::new(1)).unwrap()
        };
        let red = scores(0);
        assert_eq!((red.concept.len(), red.random.len()), (4, 4));
        assert!(red.concept.iter().all(|score| score.score == 1.0));
        assert!(red.concept.iter().all(|score| score.vector.accuracy > 0.9));
        assert!(
            red.concept[0]
                .sensitivities
                .iter()
                .all(|along| *along > 0.9)
        );
        assert!(red.random.iter().any(|score| score.score != 1.0));
        let green = scores(1);
        let along = green.concept[0].sensitivities[0];
        assert!(along.abs() < 0.3, "{along}");
    }
}
