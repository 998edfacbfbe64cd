//! Kernels: the loops where the time goes, each with a fixed order of summation.
//!
//! Weights lie as inputs × outputs, so that the innermost loops run over outputs: independent sums side by side, which the
//! compiler may put into vector registers without changing a bit.

/// How many outputs are summed side by side: eight registers of four, which every x86-64 and ARM machine has.
const WIDTH: usize = 32;

/// How many partial sums a dot product has.
const LANES: usize = 8;

/// `out = bias + x · weights` for one item, summing over inputs in their order.
pub(crate) fn affine(x: &[f32], weights: &[f32], bias: &[f32], out: &mut [f32]) {
    let outputs = out.len();
    let whole = outputs - outputs % WIDTH;
    for at in (0..whole).step_by(WIDTH) {
        let mut sums = [0.0_f32; WIDTH];
        sums.copy_from_slice(&bias[at..at + WIDTH]);
        for (&x, row) in x.iter().zip(weights.chunks_exact(outputs)) {
            add_scaled(&mut sums, x, &row[at..at + WIDTH]);
        }
        out[at..at + WIDTH].copy_from_slice(&sums);
    }
    out[whole..].copy_from_slice(&bias[whole..]);
    for (&x, row) in x.iter().zip(weights.chunks_exact(outputs)) {
        add_scaled(&mut out[whole..], x, &row[whole..]);
    }
}

/// `slope += weights · above` for one item: how a loss that changes by `above` with the outputs changes with the inputs.
pub(crate) fn affine_back(above: &[f32], weights: &[f32], slope: &mut [f32]) {
    for (slope, row) in slope.iter_mut().zip(weights.chunks_exact(above.len())) {
        *slope += dot(above, row);
    }
}

/// `slope += x ⊗ above` for one item: how the loss changes with the weights.
pub(crate) fn outer(x: &[f32], above: &[f32], slope: &mut [f32]) {
    for (&x, row) in x.iter().zip(slope.chunks_exact_mut(above.len())) {
        add_scaled(row, x, above);
    }
}

/// `sum += x · y`, element by element.
pub(crate) fn add_scaled(sum: &mut [f32], x: f32, y: &[f32]) {
    for (sum, y) in sum.iter_mut().zip(y) {
        *sum += x * y;
    }
}

/// A dot product in [`LANES`] partial sums: always the same ones for the same length.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let (mut left, mut right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let mut sums = [0.0_f32; LANES];
    for (a, b) in left.by_ref().zip(right.by_ref()) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    for (lane, (a, b)) in left.remainder().iter().zip(right.remainder()).enumerate() {
        sums[lane] += a * b;
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(n: usize, start: f32) -> Vec<f32> {
        (0..n).map(|i| start + 0.25 * (i % 7) as f32).collect()
    }

    /// Quarters add up without rounding, so the plain loops must agree exactly.
    #[test]
    fn the_kernels_compute_what_the_plain_loops_do() {
        for (inputs, outputs) in [(1, 1), (3, 10), (8, 32), (5, 77), (64, 64)] {
            let (x, weights, bias) = (ramp(inputs, -0.5), ramp(inputs * outputs, -0.75), ramp(outputs, 0.5));
            let mut out = vec![0.0; outputs];
            affine(&x, &weights, &bias, &mut out);
            for o in 0..outputs {
                let plain = (0..inputs).fold(bias[o], |sum, k| sum + x[k] * weights[k * outputs + o]);
                assert_eq!(out[o], plain);
            }
            let mut back = vec![1.0; inputs];
            affine_back(&bias, &weights, &mut back);
            let mut grown = vec![1.0; inputs * outputs];
            outer(&x, &bias, &mut grown);
            for k in 0..inputs {
                let plain: f32 = (0..outputs).map(|o| bias[o] * weights[k * outputs + o]).sum();
                assert_eq!(back[k], 1.0 + plain);
                assert!((0..outputs).all(|o| grown[k * outputs + o] == 1.0 + x[k] * bias[o]));
            }
        }
    }
}
