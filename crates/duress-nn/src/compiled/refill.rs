//! Refilling: the weights of a network that has learnt, in a program that was made for it before.

use std::sync::Arc;

use crate::compiled::lower::{depthwise, folded, folded_with};
use crate::compiled::program::{CompiledProgram, StepKernel};
use crate::instructions::InstructionSet;
use crate::network::{Network, Operator};

impl CompiledProgram {
    /// Takes over the weights of a network of the same layers: everything that does not depend on
    /// them, as steps, places and taps, stays.
    pub(crate) fn refill(&mut self, network: &Network, set: InstructionSet) {
        let forward_steps = self.forward_steps;
        for (at, step) in self.steps.iter_mut().enumerate() {
            refill_step(&mut step.kernel, at < forward_steps, network, set);
        }
    }
}

fn refill_step(kernel: &mut StepKernel, is_forward: bool, network: &Network, set: InstructionSet) {
    match kernel {
        StepKernel::Product {
            product,
            node,
            norm,
            ..
        } => {
            let product = own(product);
            let bias_is_wanted = product.is_forward();
            match &network.nodes()[*node].operator {
                Operator::Conv(conv) => {
                    let (factor, bias) = folded_with(network, conv, *norm);
                    let bias = bias_is_wanted.then_some(&bias[..]);
                    product.pack_weights(set, &conv.weights, factor.as_deref(), bias);
                }
                Operator::Dense(dense) => {
                    let bias = bias_is_wanted.then_some(&dense.bias[..]);
                    product.pack_weights(set, &dense.weights, None, bias);
                }
                _ => unreachable!("only convolutions and dense layers are products"),
            }
        }
        StepKernel::Depthwise {
            weights,
            bias,
            node,
            norm,
            ..
        } => {
            let Operator::Conv(conv) = &network.nodes()[*node].operator else {
                unreachable!("only convolutions are depthwise");
            };
            let (new_weights, new_bias) = depthwise(network, conv, *norm);
            *own(weights) = new_weights;
            if is_forward {
                *own(bias) = new_bias;
            }
        }
        StepKernel::Affine {
            node, scale, shift, ..
        } => {
            let Operator::BatchNorm(norm) = &network.nodes()[*node].operator else {
                unreachable!("only batch norms are affine");
            };
            let (new_scale, new_shift) = folded(norm, &[]);
            *own(scale) = new_scale;
            if let Some(shift) = shift {
                *own(shift) = new_shift;
            }
        }
        _ => {}
    }
}

fn own<T>(shared: &mut Arc<T>) -> &mut T {
    Arc::get_mut(shared).expect("a step has its weights to itself")
}
