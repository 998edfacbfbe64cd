//! Reads a network from a file, asks it, and writes what it said: for `cargo xtask peers weights` and
//! `cargo xtask peers probes`.
#![expect(clippy::unwrap_used, reason = "a script may panic")]

use std::io::Read;
use std::time::Instant;

use duress_core::word::Word;
use duress_nn::architecture::{Stem, StrideIn};
use duress_nn::compiled::Compiled;
use duress_nn::file::network::{Architecture, NetworkHints, ResidualHints, network};
use duress_nn::network::{ItemShape, Normalise};
use duress_tensors::tensors;
use serde::Deserialize;

/// What is asked, as JSON on standard input.
#[derive(Deserialize)]
struct Asked {
    file: String,
    input: ItemShape,
    architecture: Option<String>,
    mean: Option<Vec<f32>>,
    std: Option<Vec<f32>>,
    #[serde(default)]
    order: Vec<usize>,
    /// The stride of a residual network's first convolution, and whether a pool follows.
    stem: Option<(usize, bool)>,
    /// Whether its blocks have their stride in the first of their convolutions.
    #[serde(default)]
    stride_first: bool,
    /// What its batch norms add to a variance.
    epsilon: Option<f32>,
    /// A file of f32: the pixels; the logits are written beside it.
    pixels: String,
    /// Whether to write the numbers of all tensors instead, one after another by name.
    #[serde(default)]
    tensors: bool,
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let asked: Asked = serde_json::from_str(&text).unwrap();
    let begun = Instant::now();
    let out: Vec<f32> = if asked.tensors {
        let mut found = tensors(asked.file.as_ref()).unwrap_or_else(|why| panic!("{why}"));
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
            .iter()
            .flat_map(|(_, tensor)| tensor.to_f32())
            .collect()
    } else {
        let scale = |std: Vec<f32>| std.iter().map(|std| 1.0 / std).collect();
        let wanted = NetworkHints {
            architecture: asked.architecture.map_or(Architecture::Auto, |name| {
                Architecture::from_word(&name).unwrap()
            }),
            input: Some(asked.input),
            normalise: asked.mean.zip(asked.std).map(|(mean, std)| Normalise {
                mean,
                scale: scale(std),
                order: Vec::new(),
            }),
            order: asked.order,
            residual: ResidualHints {
                stem: asked.stem.map(|(stride, pool)| Stem { stride, pool }),
                stride_in: asked.stride_first.then_some(StrideIn::Narrowing),
                epsilon: asked.epsilon,
            },
            ..NetworkHints::default()
        };
        let network = network(asked.file.as_ref(), &wanted).unwrap_or_else(|why| panic!("{why}"));
        println!(
            "read {} nodes in {:.2} s",
            network.nodes().len(),
            begun.elapsed().as_secs_f64()
        );
        let bytes = std::fs::read(&asked.pixels).unwrap();
        let pixels: Vec<f32> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| f32::from_le_bytes(bytes))
            .collect();
        Compiled::new(network).logits(&pixels)
    };
    let bytes: Vec<u8> = out.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(format!("{}.logits", asked.pixels), bytes).unwrap();
}
