//! Small networks with every operator, against PyTorch (`peers/networks/run.py`) and against finite
//! differences.

use duress_stats::parallel::Budget;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::compiled::Compiled;
use crate::compiled::trainable::{TrainableNetwork, View};
use crate::instructions::InstructionSet;
use crate::learner::of_each_item;
use crate::network::Network;
use duress_core::objective::cross_entropy;

#[derive(Deserialize)]
struct Case {
    name: String,
    shape: [usize; 3],
    classes: usize,
    items: usize,
    nodes: Vec<Value>,
    logits: Vec<f64>,
    gradient: Vec<f64>,
    loss: f64,
    /// The length of each gradient with a learnt list, and a projection.
    slopes: Vec<[f64; 2]>,
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("../../tests/reference.json")).unwrap()
}

/// Numbers in [0, 1), as `run.py` makes them.
fn generated(count: usize, salt: u32) -> impl Iterator<Item = f64> {
    (0..count as u32).map(move |at| {
        let mut h = at.wrapping_add(salt.wrapping_mul(1_000_003));
        for (shift, factor) in [(16, 0x85eb_ca6b), (13, 0xc2b2_ae35), (16, 1_u32)] {
            h = (h ^ (h >> shift)).wrapping_mul(factor);
        }
        f64::from(h) / 4_294_967_296.0
    })
}

fn list(count: usize, salt: u32, change: impl Fn(f64) -> f64) -> Value {
    generated(count, salt)
        .map(|x| json!(change(x) as f32))
        .collect()
}

impl Case {
    fn network(&self) -> Network {
        self.network_with(&[])
    }

    /// The same with other operators between the image and what takes it.
    fn network_with(&self, operators: &[Value]) -> Network {
        let mut nodes = self.nodes.clone();
        for (at, node) in nodes.iter_mut().enumerate() {
            fill(&mut node["operator"], 8 * at as u32);
            for input in node["inputs"].as_array_mut().unwrap() {
                *input = json!(input.as_u64().unwrap() as usize + operators.len());
            }
        }
        let between = operators.iter().enumerate().map(|(at, operator)| {
            json!({ "name": format!("between {at}"), "inputs": [at], "operator": operator })
        });
        nodes.splice(1..1, between);
        let classes: Vec<String> = (0..self.classes).map(|class| class.to_string()).collect();
        serde_json::from_value(json!({ "input": self.shape, "classes": classes, "nodes": nodes }))
            .unwrap()
    }

    fn pixels(&self) -> Vec<f32> {
        let count = self.items * self.shape.iter().product::<usize>();
        generated(count, 7_777).map(|x| x as f32).collect()
    }

    fn labels(&self) -> Vec<u32> {
        (0..self.items)
            .map(|item| (item % self.classes) as u32)
            .collect()
    }
}

/// Puts the weights where the file has none.
fn fill(operator: &mut Value, salt: u32) {
    let size = |of: &Value| of.as_u64().unwrap() as usize;
    let spread = |count: usize, fan: usize| {
        list(count, salt, |x| {
            (2.0 * x - 1.0) * libm::sqrt(6.0 / fan as f64)
        })
    };
    if let Some(of) = operator.get_mut("conv") {
        let kernel = &of["window"]["kernel"];
        let fan = size(&of["inputs"]) / size(&of["groups"]) * size(&kernel[0]) * size(&kernel[1]);
        let outputs = size(&of["outputs"]);
        let bias = if of["bias"].as_bool().unwrap() {
            outputs
        } else {
            0
        };
        of["weights"] = spread(outputs * fan, fan);
        of["bias"] = list(bias, salt + 1, |x| x - 0.5);
    } else if let Some(of) = operator.get_mut("dense") {
        let inputs = size(&of["inputs"]);
        let outputs = size(&of["outputs"]);
        of["weights"] = spread(outputs * inputs, inputs);
        of["bias"] = list(outputs, salt + 1, |x| x - 0.5);
    } else if let Some(of) = operator.get_mut("batch-norm") {
        let channels = size(&of["channels"]);
        let shifts = [
            ("scale", 0.5),
            ("shift", -0.5),
            ("mean", -0.5),
            ("variance", 0.5),
        ];
        for (at, (name, by)) in shifts.into_iter().enumerate() {
            of[name] = list(channels, salt + at as u32, |x| f64::from(x as f32) + by);
        }
        of.as_object_mut().unwrap().remove("channels");
    }
}

/// The largest difference, as a share of the largest value.
fn largest_difference(found: &[f32], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let largest = expected
        .iter()
        .fold(0.0_f64, |largest, x| largest.max(x.abs()));
    let gap = found
        .iter()
        .zip(expected)
        .map(|(a, b)| (f64::from(*a) - b).abs())
        .fold(0.0, f64::max);
    gap / largest
}

#[test]
fn logits_and_gradients_are_those_of_pytorch() {
    for case in cases() {
        let compiled = Compiled::new(case.network());
        let mut gradient = vec![0.0; case.gradient.len()];
        let logits = compiled.logits(&case.pixels());
        assert!(
            largest_difference(&logits, &case.logits) < 1e-5,
            "{}: {}",
            case.name,
            largest_difference(&logits, &case.logits)
        );
        compiled.losses(&case.pixels(), &case.labels(), Some(&mut gradient));
        let gap = largest_difference(&gradient, &case.gradient);
        assert!(gap < 1e-5, "{}: the gradient is {gap} apart", case.name);
    }
}

#[test]
fn weight_gradients_with_the_statistics_of_the_batch_are_those_of_pytorch() {
    for case in cases() {
        let mut taught =
            TrainableNetwork::new(case.network(), InstructionSet::best_available(), 2).unwrap();
        let labels = case.labels();
        let pixels = case.pixels();
        let loss = of_each_item(taught.network().classes().len(), |item, logits, slope| {
            let weight = f64::from(labels[item] + 1);
            weight * cross_entropy(logits, labels[item], weight, Some(slope)).loss
        });
        let loss = taught.accumulate_gradients(&[View::measured(&pixels)], loss);
        assert!(
            (loss / case.loss - 1.0).abs() < 1e-5,
            "{}: {loss} {}",
            case.name,
            case.loss
        );
        let longest = case
            .slopes
            .iter()
            .fold(0.0_f64, |longest, slope| longest.max(slope[0]));
        for (at, ((_, slope), &[length, along])) in taught.gradients().zip(&case.slopes).enumerate()
        {
            let found = libm::sqrt(slope.iter().map(|x| f64::from(*x) * f64::from(*x)).sum());
            let projected: f64 = slope
                .iter()
                .zip(generated(slope.len(), 9_999))
                .map(|(x, way)| f64::from(*x) * (way - 0.5))
                .sum();
            // What should cancel exactly (a bias before a norm) leaves rounding of the size of what
            // it is made of.
            let allowed = 1e-5 * (length + 0.01 * longest);
            assert!(
                (found - length).abs() < allowed,
                "{}: list {at}: {found} {length}",
                case.name
            );
            assert!(
                (projected - along).abs() < allowed,
                "{}: list {at}: {projected} {along}",
                case.name
            );
        }
    }
}

#[test]
fn every_instruction_set_and_number_of_threads_gives_the_same_bits() {
    for case in cases() {
        let pixels = case.pixels();
        let labels = case.labels();
        let ask = |set: InstructionSet, threads: usize| {
            let mut compiled = Compiled::with(case.network(), set, threads);
            compiled.worthwhile = 0;
            let mut gradient = vec![0.0; pixels.len()];
            let losses = compiled.losses(&pixels, &labels, Some(&mut gradient));
            let mut one = vec![0.0; pixels.len() / case.items];
            compiled.losses(&pixels[..one.len()], &labels[..1], Some(&mut one));
            assert_eq!(one, gradient[..one.len()], "an item shared by threads");
            let mut taught = TrainableNetwork::new(case.network(), set, threads).unwrap();
            taught.worthwhile = 0;
            let loss = of_each_item(taught.network().classes().len(), |item, logits, slope| {
                cross_entropy(logits, labels[item], 1.0, Some(slope)).loss
            });
            let loss = taught.accumulate_gradients(&[View::measured(&pixels)], loss);
            let slopes: Vec<Vec<f32>> = taught
                .gradients()
                .map(|(_, slope)| slope.to_vec())
                .collect();
            (losses, gradient, loss, slopes)
        };
        let expected = ask(InstructionSet::Portable, 1);
        for set in InstructionSet::available() {
            for threads in [1, 2, 3] {
                assert!(
                    Budget::new(threads).enter(|| ask(set, threads)) == expected,
                    "{}: {set}, {threads} threads",
                    case.name
                );
            }
        }
    }
}

#[test]
fn a_gradient_in_cells_behind_a_norm_has_the_bits_it_has_without_cells() {
    for case in cases() {
        let mut norm = json!({ "batch-norm": { "channels": case.shape[0], "epsilon": 1e-5 } });
        fill(&mut norm, 9_000);
        let nothing = json!({ "dropout": 0.0 });
        let ask = |operators: &[Value], set: InstructionSet, threads: usize| {
            let mut compiled = Compiled::with(case.network_with(operators), set, threads);
            compiled.worthwhile = 0;
            let mut gradient = vec![0.0; case.gradient.len()];
            let losses = compiled.losses(&case.pixels(), &case.labels(), Some(&mut gradient));
            (losses, gradient)
        };
        // A convolution that takes the norm's value through a node that does nothing has no cells.
        let expected = ask(
            &[norm.clone(), nothing.clone()],
            InstructionSet::Portable,
            1,
        );
        for set in InstructionSet::available() {
            for threads in [1, 3] {
                let operators = [nothing.clone(), norm.clone()];
                let found = Budget::new(threads).enter(|| ask(&operators, set, threads));
                assert!(found == expected, "{}: {set}, {threads} threads", case.name);
            }
        }
    }
}

#[test]
fn what_is_said_about_an_item_has_the_same_bits_in_any_batch() {
    for case in cases() {
        let (compiled, pixels, labels) =
            (Compiled::new(case.network()), case.pixels(), case.labels());
        let mut together = vec![0.0; pixels.len()];
        let losses = compiled.losses(&pixels, &labels, Some(&mut together));
        let size = pixels.len() / case.items;
        for item in 0..case.items {
            let mut alone = vec![0.0; size];
            let image = &pixels[item * size..][..size];
            let loss = compiled.losses(image, &labels[item..=item], Some(&mut alone));
            assert_eq!(loss, losses[item..=item], "{}", case.name);
            assert_eq!(alone, together[item * size..][..size], "{}", case.name);
        }
    }
}

#[test]
fn the_gradient_is_added_to_what_is_there_and_follows_any_slope_above() {
    let case = &cases()[0];
    let compiled = Compiled::new(case.network());
    let pixels = case.pixels();
    let labels = case.labels();
    let mut once = vec![0.0; pixels.len()];
    let mut again = vec![1.0; pixels.len()];
    compiled.losses(&pixels, &labels, Some(&mut once));
    compiled.losses(&pixels, &labels, Some(&mut again));
    assert!(once.iter().zip(&again).all(|(a, b)| a + 1.0 == *b));
    let mut twice = vec![0.0; pixels.len()];
    let above = |item: usize, logits: &[f32], slope: &mut [f32]| {
        cross_entropy(logits, labels[item], 2.0, Some(slope));
    };
    compiled.backward(&pixels, &above, &mut twice);
    assert!(once.iter().zip(&twice).all(|(a, b)| 2.0 * a == *b));
}

/// In f32 a step must be large to rise above rounding, so kinks are stepped over: a few values may
/// be off.
#[test]
fn gradients_are_those_of_finite_differences() {
    const STEP: f32 = 1.0 / 512.0;
    for case in cases() {
        let compiled = Compiled::new(case.network());
        let pixels = case.pixels();
        let labels = case.labels();
        let mut gradient = vec![0.0; pixels.len()];
        compiled.losses(&pixels, &labels, Some(&mut gradient));
        let size = pixels.len() / case.items;
        let largest = gradient[..size]
            .iter()
            .fold(0.0_f32, |largest, x| largest.max(x.abs()));
        let checked: Vec<usize> = (0..size).step_by(size.div_ceil(60)).collect();
        let off = checked.iter().filter(|&&at| {
            let loss = |by: f32| {
                let mut moved = pixels[..size].to_vec();
                moved[at] += by;
                compiled.losses(&moved, &labels[..1], None)[0].loss
            };
            let finite = (loss(STEP) - loss(-STEP)) / (2.0 * f64::from(STEP));
            (finite - f64::from(gradient[at])).abs() > 0.03 * f64::from(largest)
        });
        let off = off.count();
        assert!(
            off * 10 <= checked.len(),
            "{}: {off} of {} are off",
            case.name,
            checked.len()
        );
    }
}
