//! A training that is half done, as bytes: where it is, and every number it goes on from.

use std::collections::{BTreeMap, HashMap};

use duress_tensors::{NewTensor, metadata_of, safetensors_file, tensors_of};
use serde::{Deserialize, Serialize};

use super::session::EpochRecord;
use crate::learner::OptimiserMemory;
use crate::network::Network;

/// The text that says where it is, as JSON.
const WHERE: &str = "duress-training";

/// Where a training is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TrainingPlace {
    /// The epoch it is in, counted from 1.
    pub(super) epoch: usize,
    /// How many batches of it are done, and how many steps in all.
    pub(super) batches: usize,
    pub(super) step: usize,
    /// How much was drawn for the starts of attacks.
    pub(super) noise: u64,
    /// What the epoch has come to so far.
    pub(super) record: EpochRecord,
    /// What epochs before it came to.
    pub(super) epochs: Vec<EpochRecord>,
    /// What was lowest on what is held out, and in which epoch.
    pub(super) best: Option<(f64, usize)>,
    /// The powers of Adam's decay rates.
    pub(super) powers: [f64; 2],
}

/// A training half done.
pub(super) struct HalfDone {
    pub(super) place: TrainingPlace,
    /// The network as it is taught.
    pub(super) network: Network,
    pub(super) memory: OptimiserMemory,
    pub(super) average: Option<Network>,
    pub(super) best: Option<Network>,
    pub(super) concepts: Vec<Vec<f32>>,
}

impl TrainingPlace {
    pub(super) fn start(epochs: usize) -> TrainingPlace {
        TrainingPlace {
            epoch: 1,
            batches: 0,
            step: 0,
            noise: 0,
            record: EpochRecord::begun(1, epochs),
            epochs: Vec::new(),
            best: None,
            powers: [1.0; 2],
        }
    }
}

impl HalfDone {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut place = self.place.clone();
        place.powers = self.memory.powers;
        let place = serde_json::to_string(&place)
            .unwrap_or_else(|why| panic!("a training has only finite losses: {why}"));
        let mut tensors = numbers("network", Some(&self.network));
        tensors.extend(numbers("average", self.average.as_ref()));
        tensors.extend(numbers("best", self.best.as_ref()));
        let steps = self.memory.steps.iter().enumerate();
        tensors.extend(
            steps.flat_map(|(at, [mean, square])| {
                [list("mean", at, mean), list("square", at, square)]
            }),
        );
        let concepts = self.concepts.iter().enumerate();
        tensors.extend(concepts.map(|(at, vector)| list("concept", at, vector)));
        safetensors_file(&BTreeMap::from([(WHERE.into(), place)]), &tensors)
    }

    /// Reads what was kept of a training whose networks have these layers: as taught, and as asked.
    /// Nothing where it does not fit.
    pub(super) fn from_bytes(bytes: &[u8], taught: &Network, asked: &Network) -> Option<HalfDone> {
        let place: TrainingPlace = serde_json::from_str(metadata_of(bytes).get(WHERE)?).ok()?;
        let tensors = tensors_of(bytes).ok()?;
        let mut tensors: HashMap<String, Vec<f32>> = tensors
            .into_iter()
            .map(|(name, tensor)| (name, tensor.to_f32()))
            .collect();
        let network = filled(taught, "network", &mut tensors)?;
        let mut steps = Vec::new();
        while let Some(mean) = tensors.remove(&format!("mean {}", steps.len())) {
            let square = tensors.remove(&format!("square {}", steps.len()))?;
            steps.push([mean, square]);
        }
        let mut concepts = Vec::new();
        while let Some(vector) = tensors.remove(&format!("concept {}", concepts.len())) {
            concepts.push(vector);
        }
        Some(HalfDone {
            memory: OptimiserMemory {
                steps,
                powers: place.powers,
            },
            average: filled(asked, "average", &mut tensors),
            best: filled(asked, "best", &mut tensors),
            place,
            network,
            concepts,
        })
    }
}

fn numbers(what: &str, network: Option<&Network>) -> Vec<NewTensor> {
    let named = |tensor: NewTensor| NewTensor {
        name: format!("{what} {}", tensor.name),
        ..tensor
    };
    let tensors = network.map(Network::tensors).unwrap_or_default();
    tensors.into_iter().map(named).collect()
}

fn list(what: &str, at: usize, values: &[f32]) -> NewTensor {
    NewTensor {
        name: format!("{what} {at}"),
        shape: vec![values.len()],
        values: values.to_vec(),
    }
}

/// A network of some layers with the numbers kept under a word; none where none are kept.
fn filled(
    layers: &Network,
    what: &str,
    tensors: &mut HashMap<String, Vec<f32>>,
) -> Option<Network> {
    let source = |name: &str| tensors.remove(&format!("{what} {name}"));
    layers.outline().filled(source).ok()
}
