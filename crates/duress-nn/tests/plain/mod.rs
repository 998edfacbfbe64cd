//! The plain way to run a network: loops over everything in f64, nothing fused and nothing clever, to check others against.

use duress_nn::network::{Conv, Network, Operator, Shape, Window};

/// The logits of each image.
pub(crate) fn logits(network: &Network, pixels: &[f32]) -> Vec<f64> {
    pixels.chunks_exact(network.input_size()).flat_map(|image| one(network, image)).collect()
}

fn one(network: &Network, image: &[f32]) -> Vec<f64> {
    let mut values: Vec<Vec<f64>> = Vec::new();
    for (at, node) in network.nodes().iter().enumerate() {
        let shapes: Vec<Shape> = node.inputs.iter().map(|&from| network.shapes()[from]).collect();
        let given: Vec<&[f64]> = node.inputs.iter().map(|&from| values[from].as_slice()).collect();
        let value = match (&node.operator, given.first()) {
            (Operator::Normalise(normalise), _) => {
                let plane = image.len() / normalise.mean.len();
                let at = |(i, x): (usize, &f32)| {
                    (f64::from(*x) - f64::from(normalise.mean[i / plane]))
                        * f64::from(normalise.scale[i / plane])
                };
                image.iter().enumerate().map(at).collect()
            }
            (operator, Some(x)) => apply(operator, x, &given, &shapes, network.shapes()[at]),
            _ => panic!("a node without inputs"),
        };
        values.push(value);
    }
    values.pop().unwrap()
}

fn apply(operator: &Operator, x: &[f64], given: &[&[f64]], shapes: &[Shape], out: Shape) -> Vec<f64> {
    let each = |f: &dyn Fn(f64) -> f64| x.iter().map(|&x| f(x)).collect::<Vec<f64>>();
    let shape = shapes[0];
    let plane = shape[1] * shape[2];
    match operator {
        Operator::Conv(conv) => convolved(conv, x, shape, out),
        Operator::BatchNorm(norm) => {
            let one = |(i, x): (usize, &f64)| {
                let c = i / plane;
                let deviation = (f64::from(norm.variance[c]) + f64::from(norm.epsilon)).sqrt();
                (x - f64::from(norm.mean[c])) / deviation * f64::from(norm.scale[c])
                    + f64::from(norm.shift[c])
            };
            x.iter().enumerate().map(one).collect()
        }
        Operator::Relu => each(&|x| x.max(0.0)),
        Operator::LeakyRelu(by) => each(&|x| if x < 0.0 { x * f64::from(*by) } else { x }),
        Operator::Clip { low, high } => each(&|x| x.clamp(f64::from(*low), f64::from(*high))),
        Operator::Sigmoid => each(&|x| 1.0 / (1.0 + (-x).exp())),
        Operator::Silu => each(&|x| x / (1.0 + (-x).exp())),
        Operator::HardSigmoid => each(&|x| (x / 6.0 + 0.5).clamp(0.0, 1.0)),
        Operator::HardSwish => each(&|x| x * (x / 6.0 + 0.5).clamp(0.0, 1.0)),
        Operator::MaxPool(window) => {
            let best = |values: &[f64], _: usize| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            pooled(window, x, shape, out, best)
        }
        Operator::AvgPool { window, count_outside } => pooled(window, x, shape, out, |values, whole| {
            let n = if *count_outside { whole } else { values.len() };
            values.iter().sum::<f64>() / n as f64
        }),
        Operator::GlobalAvgPool => {
            x.chunks_exact(plane).map(|x| x.iter().sum::<f64>() / plane as f64).collect()
        }
        Operator::Add => x.iter().zip(given[1]).map(|(a, b)| a + b).collect(),
        Operator::Mul => {
            let by = |i: usize| if given[1].len() == x.len() { given[1][i] } else { given[1][i / plane] };
            x.iter().enumerate().map(|(i, x)| x * by(i)).collect()
        }
        Operator::Concat => given.concat(),
        Operator::Flatten | Operator::Dropout(_) => x.to_vec(),
        Operator::Dense(dense) => {
            let row = |o: usize| {
                let weights = &dense.weights[o * dense.inputs..(o + 1) * dense.inputs];
                let sum: f64 = weights.iter().zip(x).map(|(w, x)| f64::from(*w) * x).sum();
                sum + dense.bias.get(o).map_or(0.0, |bias| f64::from(*bias))
            };
            (0..dense.outputs).map(row).collect()
        }
        other => panic!("an operator without a plain form: {}", other.name()),
    }
}

/// For each place of a window: where each of its values lies in a plane, if it lies inside.
fn places(window: &Window, shape: Shape, out: Shape) -> Vec<Vec<(usize, Option<usize>)>> {
    let [_, height, width] = shape;
    let mut all = Vec::new();
    for y in 0..out[1] {
        for x in 0..out[2] {
            let mut taps = Vec::new();
            for ky in 0..window.kernel[0] {
                for kx in 0..window.kernel[1] {
                    let at = |o: usize, stride: usize, k: usize, dilation: usize, pad: usize, side: usize| {
                        (o * stride + k * dilation).checked_sub(pad).filter(|&at| at < side)
                    };
                    let row = at(y, window.stride[0], ky, window.dilation[0], window.padding[0], height);
                    let column = at(x, window.stride[1], kx, window.dilation[1], window.padding[2], width);
                    let inside = row.zip(column).map(|(row, column)| row * width + column);
                    taps.push((ky * window.kernel[1] + kx, inside));
                }
            }
            all.push(taps);
        }
    }
    all
}

fn convolved(conv: &Conv, x: &[f64], shape: Shape, out: Shape) -> Vec<f64> {
    let places = places(&conv.window, shape, out);
    let plane = shape[1] * shape[2];
    let (each, area) = (conv.inputs / conv.groups, conv.window.kernel[0] * conv.window.kernel[1]);
    let mut values = Vec::new();
    for o in 0..conv.outputs {
        let first = o / (conv.outputs / conv.groups) * each;
        for taps in &places {
            let mut sum = conv.bias.get(o).map_or(0.0, |bias| f64::from(*bias));
            for i in 0..each {
                for &(k, inside) in taps {
                    let weight = f64::from(conv.weights[(o * each + i) * area + k]);
                    sum += inside.map_or(0.0, |at| weight * x[(first + i) * plane + at]);
                }
            }
            values.push(sum);
        }
    }
    values
}

/// `of` is told the values inside and how many places the window has within the padded image.
fn pooled(
    window: &Window,
    x: &[f64],
    shape: Shape,
    out: Shape,
    of: impl Fn(&[f64], usize) -> f64,
) -> Vec<f64> {
    let places = places(window, shape, out);
    let plane = shape[1] * shape[2];
    let mut values = Vec::new();
    for channel in x.chunks_exact(plane) {
        for taps in &places {
            let inside: Vec<f64> = taps.iter().filter_map(|(_, at)| at.map(|at| channel[at])).collect();
            values.push(of(&inside, taps.len()));
        }
    }
    values
}
