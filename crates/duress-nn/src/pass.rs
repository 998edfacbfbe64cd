//! Passes: forward through a network, and back.

use duress_core::subject::Loss;

use crate::kernel;
use crate::loss::cross_entropy;
use crate::network::{Network, Normalise, Operator};

/// What went through a network: what each operator was given, and at the end the logits.
pub(crate) struct Trace {
    values: Vec<Vec<f32>>,
    items: usize,
}

/// How a loss changes with each parameter, in the order of [`Network::parameters_mut`].
pub(crate) type Slopes = Vec<Vec<f32>>;

impl Network {
    /// The logits of each image, item after item.
    ///
    /// # Panics
    /// Like all passes: when `pixels` are not whole images of the network's shape. Check that where images come in.
    pub fn logits(&self, pixels: &[f32]) -> Vec<f32> {
        let items = self.count(pixels);
        let mut values = pixels.to_vec();
        for at in 0..self.nodes().len() {
            values = self.step(at, items, &values);
        }
        values
    }

    /// The cross-entropy of each image at its label and, added to `gradient`, how it changes with each pixel.
    pub fn losses(&self, pixels: &[f32], labels: &[u32], gradient: Option<&mut [f32]>) -> Vec<Loss> {
        let k = self.classes().len();
        let Some(gradient) = gradient else {
            let logits = self.logits(pixels);
            let rows = logits.chunks_exact(k).zip(labels);
            return rows.map(|(row, &label)| cross_entropy(row, label, 1.0, None)).collect();
        };
        let trace = self.trace(pixels);
        let (losses, slope) = self.loss_slopes(&trace, labels, |_| 1.0);
        let back = self.back(&trace, slope, None);
        gradient.iter_mut().zip(back).for_each(|(sum, slope)| *sum += slope);
        losses
    }

    /// The losses as they are added up over a batch, each times the weight of its label, and how their sum changes with
    /// each parameter.
    pub(crate) fn teach(
        &self,
        pixels: &[f32],
        labels: &[u32],
        weight: impl Fn(u32) -> f64,
        slopes: &mut Slopes,
    ) -> f64 {
        let trace = self.trace(pixels);
        let (losses, slope) = self.loss_slopes(&trace, labels, &weight);
        self.back(&trace, slope, Some(slopes));
        losses.iter().zip(labels).map(|(loss, &label)| loss.loss * weight(label)).sum()
    }

    /// A zero for each parameter.
    pub(crate) fn no_slopes(&self) -> Slopes {
        self.clone().parameters_mut().map(|parameter| vec![0.0; parameter.len()]).collect()
    }

    fn count(&self, pixels: &[f32]) -> usize {
        assert!(pixels.len().is_multiple_of(self.input_size()), "pixels must be whole images");
        pixels.len() / self.input_size()
    }

    fn trace(&self, pixels: &[f32]) -> Trace {
        let items = self.count(pixels);
        let mut values = vec![pixels.to_vec()];
        for at in 0..self.nodes().len() {
            values.push(self.step(at, items, &values[at]));
        }
        Trace { values, items }
    }

    fn step(&self, at: usize, items: usize, given: &[f32]) -> Vec<f32> {
        match &self.nodes()[at].operator {
            Operator::Normalise(normalise) => normalised(normalise, self.input_size(), given),
            Operator::Flatten => given.to_vec(),
            Operator::Relu => given.iter().map(|x| x.max(0.0)).collect(),
            Operator::Dense(dense) => {
                let mut out = vec![0.0; items * dense.outputs];
                for (x, out) in given.chunks_exact(dense.inputs).zip(out.chunks_exact_mut(dense.outputs)) {
                    kernel::affine(x, &dense.weights, &dense.bias, out);
                }
                out
            }
            other => unreachable!("{} in a network of dense layers", other.name()),
        }
    }

    fn loss_slopes(
        &self,
        trace: &Trace,
        labels: &[u32],
        weight: impl Fn(u32) -> f64,
    ) -> (Vec<Loss>, Vec<f32>) {
        let logits = &trace.values[self.nodes().len()];
        let k = self.classes().len();
        let mut slopes = vec![0.0; logits.len()];
        let rows = logits.chunks_exact(k).zip(slopes.chunks_exact_mut(k)).zip(labels);
        let losses = rows.map(|((row, slope), &label)| cross_entropy(row, label, weight(label), Some(slope)));
        (losses.collect(), slopes)
    }

    /// Goes back from how the losses change with the logits to how they change with the pixels or, where `slopes` are asked
    /// for, with the parameters; then it stops as soon as there are no more of those.
    fn back(&self, trace: &Trace, mut slope: Vec<f32>, mut slopes: Option<&mut Slopes>) -> Vec<f32> {
        let mut parameters = slopes.as_ref().map_or(0, |slopes| slopes.len());
        for (at, node) in self.nodes().iter().enumerate().rev() {
            let given = &trace.values[at];
            slope = match &node.operator {
                Operator::Flatten => slope,
                Operator::Normalise(normalise) => {
                    scaled(slope, normalise, self.input_size(), |x, _, scale| x * scale)
                }
                Operator::Relu => {
                    slope
                        .iter_mut()
                        .zip(given)
                        .filter(|(_, x)| **x <= 0.0)
                        .for_each(|(slope, _)| *slope = 0.0);
                    slope
                }
                Operator::Dense(dense) => {
                    let rows = || given.chunks_exact(dense.inputs).zip(slope.chunks_exact(dense.outputs));
                    if let Some(slopes) = slopes.as_deref_mut() {
                        parameters -= 2;
                        for (x, above) in rows() {
                            kernel::outer(above, x, &mut slopes[parameters]);
                            kernel::add_scaled(&mut slopes[parameters + 1], 1.0, above);
                        }
                        if parameters == 0 {
                            return Vec::new();
                        }
                    }
                    let mut below = vec![0.0; trace.items * dense.inputs];
                    for (above, below) in
                        slope.chunks_exact(dense.outputs).zip(below.chunks_exact_mut(dense.inputs))
                    {
                        kernel::affine_back(above, &dense.weights, below);
                    }
                    below
                }
                other => unreachable!("{} in a network of dense layers", other.name()),
            };
        }
        slope
    }
}

fn normalised(normalise: &Normalise, size: usize, given: &[f32]) -> Vec<f32> {
    scaled(given.to_vec(), normalise, size, |x, mean, scale| (x - mean) * scale)
}

fn scaled(
    mut values: Vec<f32>,
    normalise: &Normalise,
    size: usize,
    change: impl Fn(f32, f32, f32) -> f32,
) -> Vec<f32> {
    let plane = size / normalise.mean.len();
    let channels = || normalise.mean.iter().zip(&normalise.scale).cycle();
    for (values, (&mean, &scale)) in values.chunks_exact_mut(plane).zip(channels()) {
        values.iter_mut().for_each(|x| *x = change(*x, mean, scale));
    }
    values
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;

    const STEP: f32 = 1.0 / 1024.0;

    fn network(hidden: &[usize]) -> Network {
        let normalise = Normalise { mean: vec![0.4, 0.2], scale: vec![2.0, 3.0] };
        let classes = ["a", "b", "c"].map(String::from).to_vec();
        Network::fresh([2, 2, 3], classes, normalise, hidden, Seed::new(5)).unwrap()
    }

    fn pixels(items: usize) -> Vec<f32> {
        let mut draws = Seed::new(6).draws();
        (0..items * 12).map(|_| draws.uniform() as f32).collect()
    }

    fn assert_near(finite: f64, slope: f32, what: &str) {
        assert!((finite - f64::from(slope)).abs() < 2e-3 + 1e-3 * finite.abs(), "{what}: {finite} {slope}");
    }

    #[test]
    fn the_input_gradient_is_the_one_finite_differences_give() {
        for hidden in [&[][..], &[7], &[9, 5]] {
            let (network, pixels, labels) = (network(hidden), pixels(4), [0, 1, 2, 1]);
            let mut gradient = vec![0.0; pixels.len()];
            network.losses(&pixels, &labels, Some(&mut gradient));
            let total =
                |pixels: &[f32]| network.losses(pixels, &labels, None).iter().map(|l| l.loss).sum::<f64>();
            for at in 0..pixels.len() {
                let moved = |by: f32| {
                    let mut moved = pixels.clone();
                    moved[at] += by;
                    total(&moved)
                };
                let finite = (moved(STEP) - moved(-STEP)) / (2.0 * f64::from(STEP));
                assert_near(finite, gradient[at], &format!("{hidden:?} pixel {at}"));
            }
        }
    }

    #[test]
    fn the_weight_gradients_are_the_ones_finite_differences_give() {
        for hidden in [&[][..], &[7], &[9, 5]] {
            let (network, pixels, labels) = (network(hidden), pixels(4), [0, 1, 2, 1]);
            let weight = |label: u32| f64::from(label + 1);
            let mut slopes = network.no_slopes();
            network.teach(&pixels, &labels, weight, &mut slopes);
            for (which, slope) in slopes.iter().enumerate() {
                for (at, &slope) in slope.iter().enumerate() {
                    let moved = |by: f32| {
                        let mut moved = network.clone();
                        moved.parameters_mut().nth(which).unwrap()[at] += by;
                        moved.teach(&pixels, &labels, weight, &mut network.no_slopes())
                    };
                    let finite = (moved(STEP) - moved(-STEP)) / (2.0 * f64::from(STEP));
                    assert_near(finite, slope, &format!("{hidden:?} parameter {which}[{at}]"));
                }
            }
        }
    }

    #[test]
    fn what_is_said_about_an_item_has_the_same_bits_in_any_batch() {
        let (network, pixels, labels) = (network(&[33, 40]), pixels(5), [0, 1, 2, 1, 0]);
        let mut together = vec![0.0; pixels.len()];
        let losses = network.losses(&pixels, &labels, Some(&mut together));
        let logits = network.logits(&pixels);
        for i in 0..5 {
            let image = &pixels[i * 12..(i + 1) * 12];
            let mut alone = vec![0.0; 12];
            assert_eq!(network.losses(image, &labels[i..=i], Some(&mut alone)), losses[i..=i]);
            assert_eq!(alone, together[i * 12..(i + 1) * 12]);
            assert_eq!(network.logits(image), logits[i * 3..(i + 1) * 3]);
        }
    }

    #[test]
    fn the_gradient_is_added_to_what_is_there() {
        let (network, pixels) = (network(&[7]), pixels(1));
        let (mut once, mut again) = (vec![0.0; 12], vec![1.0; 12]);
        network.losses(&pixels, &[2], Some(&mut once));
        network.losses(&pixels, &[2], Some(&mut again));
        assert!(once.iter().zip(&again).all(|(a, b)| a + 1.0 == *b));
    }
}
