//! Networks that were taught here as `.safetensors`: weights with PyTorch's names and layout, and
//! beside them what a state dict does not say.

use std::collections::{BTreeMap, HashMap};

use duress_core::problem::Problem;
use duress_tensors::{metadata_of, safetensors_file, tensors_of};

use crate::network::{Network, Operator, Unchecked};

/// The text that says which layers there are, as JSON.
const LAYERS: &str = "duress-network";

/// A network as a file that PyTorch reads: `safetensors.torch.load_file` gives the state dict of a
/// module of the same layers. Classes and normalisation stand beside the weights, as JSON.
pub fn to_safetensors(network: &Network) -> Vec<u8> {
    let json = |text: serde_json::Result<String>| {
        text.unwrap_or_else(|why| panic!("a network holds only finite numbers and texts: {why}"))
    };
    let mut beside = BTreeMap::from([
        ("format".to_string(), "pt".to_string()),
        (
            LAYERS.into(),
            json(serde_json::to_string(&network.outline())),
        ),
        (
            "classes".into(),
            json(serde_json::to_string(network.classes())),
        ),
    ]);
    if let Operator::Normalise(normalise) = &network.nodes()[0].operator {
        let deviations: Vec<f32> = normalise.scale.iter().map(|scale| 1.0 / scale).collect();
        beside.insert("mean".into(), json(serde_json::to_string(&normalise.mean)));
        beside.insert("std".into(), json(serde_json::to_string(&deviations)));
    }
    safetensors_file(&beside, &network.tensors())
}

/// The network in such a file; none where the file does not say which layers there are.
pub fn from_safetensors(bytes: &[u8]) -> Option<Result<Network, Problem>> {
    let layers = metadata_of(bytes).remove(LAYERS)?;
    Some(read_layers(bytes, &layers))
}

fn read_layers(bytes: &[u8], layers: &str) -> Result<Network, Problem> {
    let outline: Unchecked = serde_json::from_str(layers).map_err(|error| {
        Problem::new(format!("its layers cannot be read: {error}"))
            .expected("a network as this program writes it")
    })?;
    let mut tensors: HashMap<String, Vec<f32>> = tensors_of(bytes)?
        .into_iter()
        .map(|(name, tensor)| (name, tensor.to_f32()))
        .collect();
    let network = outline
        .filled(|name| tensors.remove(name))
        .map_err(|why| Problem::new(why.to_string()))?;
    match tensors.keys().min() {
        None => Ok(network),
        Some(name) => Err(
            Problem::new(format!("its layers have no place for `{name}`"))
                .expected("its weights and nothing else"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use duress_core::seed::Seed;

    use super::*;
    use crate::architecture::Residual;
    use crate::network::Normalise;

    fn network() -> Network {
        let normalise = Normalise {
            mean: vec![0.5, 0.4, 0.3],
            scale: vec![4.0, 5.0, 3.0],
            order: Vec::new(),
        };
        let classes = ["a", "b", "c"].map(String::from).to_vec();
        Residual::small(4, 1)
            .network([3, 8, 8], classes, normalise, Seed::new(1))
            .unwrap()
    }

    #[test]
    fn a_network_comes_back_as_it_was_and_its_weights_have_the_names_of_pytorch() {
        let bytes = to_safetensors(&network());
        assert_eq!(from_safetensors(&bytes).unwrap().unwrap(), network());
        let named: HashMap<String, Vec<usize>> = tensors_of(&bytes)
            .unwrap()
            .into_iter()
            .map(|(name, tensor)| (name, tensor.shape().to_vec()))
            .collect();
        assert_eq!(named["layer2.0.downsample.0.weight"], [8, 4, 1, 1]);
        assert_eq!(named["layer3.0.bn2.running_var"], [16]);
        assert_eq!(named["fc.weight"], [3, 16]);
        assert_eq!(metadata_of(&bytes)["std"], "[0.25,0.2,0.33333334]");
    }

    #[test]
    fn no_cut_and_no_changed_byte_of_the_header_makes_another_network() {
        let bytes = to_safetensors(&network());
        let header = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        for length in (0..bytes.len()).step_by(97) {
            let read = from_safetensors(&bytes[..length]);
            assert!(read.is_none_or(|read| read.is_err()), "cut to {length}");
        }
        for at in (8..header).step_by(3) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            // What is read may have other names for its classes, but never other numbers.
            if let Some(Ok(read)) = from_safetensors(&changed) {
                let numbers = |network: &Network| -> Vec<Vec<f32>> {
                    let tensors = network.tensors();
                    tensors.into_iter().map(|tensor| tensor.values).collect()
                };
                assert_eq!(numbers(&read), numbers(&network()), "byte {at}");
            }
        }
    }
}
