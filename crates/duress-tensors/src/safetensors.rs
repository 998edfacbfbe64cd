//! The safetensors format: the length of a header, the header in JSON, and bytes.

use std::collections::BTreeMap;

use duress_core::problem::Problem;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::tensor::{ElementType, FileTensor, KINDS, NamedTensor};

/// Longer headers are refused by the format itself.
const LONGEST_HEADER: u64 = 100_000_000;

/// What the header says of a tensor.
#[derive(Deserialize)]
struct TensorHeader {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: [usize; 2],
}

/// What the header calls the texts beside the tensors.
const METADATA: &str = "__metadata__";

/// Numbers to be written under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTensor {
    pub name: String,
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// A file of these tensors, one behind the other as they come, with texts beside them.
///
/// ```
/// use duress_tensors::{NewTensor, metadata_of, safetensors_file, tensors_of};
/// let one = NewTensor { name: "fc.bias".into(), shape: vec![2], values: vec![0.5, -1.0] };
/// let bytes = safetensors_file(&[("format".into(), "pt".into())].into(), &[one]);
/// assert_eq!(tensors_of(&bytes).unwrap()[0].1.to_f32(), [0.5, -1.0]);
/// assert_eq!(metadata_of(&bytes)["format"], "pt");
/// ```
pub fn safetensors_file(metadata: &BTreeMap<String, String>, tensors: &[NewTensor]) -> Vec<u8> {
    let mut header = Map::new();
    header.insert(METADATA.into(), json!(metadata));
    let mut end = 0;
    for tensor in tensors {
        let start = end;
        end += size_of::<f32>() * tensor.values.len();
        let entry = json!({"dtype": "F32", "shape": tensor.shape, "data_offsets": [start, end]});
        header.insert(tensor.name.clone(), entry);
    }
    let mut header = Value::Object(header).to_string().into_bytes();
    // Numbers begin at a multiple of eight bytes.
    header.resize(header.len().next_multiple_of(8), b' ');
    let mut bytes = Vec::with_capacity(8 + header.len() + end);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header);
    for tensor in tensors {
        bytes.extend(tensor.values.iter().flat_map(|value| value.to_le_bytes()));
    }
    bytes
}

/// The texts beside the tensors of such a file; none where it is not one, or has none.
pub fn metadata_of(bytes: &[u8]) -> BTreeMap<String, String> {
    let header = || {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = u64::from_le_bytes(*length);
        let header = rest.get(..usize::try_from(length).ok()?)?;
        let mut header: Map<String, Value> = serde_json::from_slice(header).ok()?;
        serde_json::from_value(header.remove(METADATA)?).ok()
    };
    match is_one(bytes) {
        true => header().unwrap_or_default(),
        false => BTreeMap::new(),
    }
}

/// Whether a file looks like one of these: a length, then a brace.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    bytes.get(8) == Some(&b'{')
}

/// The tensors of a file, by name.
pub(super) fn read_safetensors(bytes: &[u8]) -> Result<Vec<NamedTensor>, Problem> {
    let cut = || {
        Problem::new("the file ends in the middle of its header")
            .expected("a file that was written to its end")
    };
    let (length, rest) = bytes.split_first_chunk::<8>().ok_or_else(cut)?;
    let length = u64::from_le_bytes(*length);
    if length > LONGEST_HEADER {
        return Err(
            Problem::new(format!("its header says it has {length} bytes"))
                .expected("a .safetensors file, whose header has at most a hundred million"),
        );
    }
    let (header, data) = rest.split_at_checked(length as usize).ok_or_else(cut)?;
    let header: Map<String, Value> = serde_json::from_slice(header).map_err(|error| {
        Problem::new(format!("its header is no JSON object: {error}"))
            .expected("a .safetensors file")
    })?;
    let entries = header.into_iter().filter(|(name, _)| name != METADATA);
    // Tensors may not overlap, so together they are no larger than the file.
    let mut left = data.len();
    let mut places = Vec::new();
    let named: Result<Vec<NamedTensor>, Problem> = entries
        .map(|(name, entry)| tensor(data, &mut left, &mut places, name, entry))
        .collect();
    let mut named = named?;
    check_cover(places, data.len())?;
    named.sort_by_cached_key(|(name, _)| in_order(name));
    Ok(named)
}

/// The format has no bytes that belong to no tensor, nor to two: where there are, a name or a place
/// was changed, and a tensor may be missing.
fn check_cover(mut places: Vec<[usize; 2]>, length: usize) -> Result<(), Problem> {
    places.sort_unstable();
    let mut covered = 0;
    for [start, end] in places {
        if start != covered {
            return Err(not_covered(covered));
        }
        covered = end;
    }
    match covered == length {
        true => Ok(()),
        false => Err(not_covered(covered)),
    }
}

fn not_covered(from: usize) -> Problem {
    Problem::new(format!(
        "its tensors do not lie one behind the other from byte {from} of its data on"
    ))
    .expected("bytes that belong to one tensor each")
}

/// Where a name belongs. The format keeps no order of its own, so names are counted as people count
/// them: 2 before 10, and the weights of a layer before what else it has.
fn in_order(name: &str) -> Vec<(bool, String, u64)> {
    let piece = |piece: &str| {
        let words = piece.trim_end_matches(|c: char| c.is_ascii_digit());
        (
            words != "weight",
            words.to_owned(),
            piece[words.len()..].parse().unwrap_or(0),
        )
    };
    name.split('.').map(piece).collect()
}

fn tensor(
    data: &[u8],
    left: &mut usize,
    places: &mut Vec<[usize; 2]>,
    name: String,
    entry: Value,
) -> Result<NamedTensor, Problem> {
    let tensor = || {
        let entry: TensorHeader = serde_json::from_value(entry).map_err(|error| {
            Problem::new(format!("its entry makes no sense: {error}"))
                .expected("dtype, shape, data_offsets")
        })?;
        let [start, end] = entry.data_offsets;
        let bytes = data.get(start..end).ok_or_else(|| {
            Problem::new(format!(
                "it lies in bytes {start} to {end} of {}",
                data.len()
            ))
            .expected("a file that was written to its end")
        })?;
        *left = left.checked_sub(bytes.len()).ok_or_else(|| {
            Problem::new("it lies where another tensor lies")
                .expected("bytes that belong to one tensor each")
        })?;
        places.push(entry.data_offsets);
        FileTensor::new(element_type(&entry.dtype)?, entry.shape, bytes.to_vec())
    };
    match tensor() {
        Ok(tensor) => Ok((name, tensor)),
        Err(mut problem) => {
            problem.message = format!("tensor `{name}`: {}", problem.message);
            Err(problem)
        }
    }
}

fn element_type(dtype: &str) -> Result<ElementType, Problem> {
    Ok(match dtype {
        "F16" => ElementType::F16,
        "BF16" => ElementType::BF16,
        "F32" => ElementType::F32,
        "F64" => ElementType::F64,
        "I8" => ElementType::I8,
        "I16" => ElementType::I16,
        "I32" => ElementType::I32,
        "I64" => ElementType::I64,
        "U8" => ElementType::U8,
        "U16" => ElementType::U16,
        "U32" => ElementType::U32,
        "U64" => ElementType::U64,
        "BOOL" => ElementType::Bool,
        _ => {
            return Err(Problem::new(format!("its numbers are {dtype}")).expected(KINDS));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_counted_as_people_count_them() {
        let mut names = [
            "net.10.bias",
            "net.10.weight",
            "net.2.bias",
            "net.2.weight",
            "fc2.weight",
            "fc10.weight",
        ];
        names.sort_by_cached_key(|name| in_order(name));
        let counted = [
            "fc2.weight",
            "fc10.weight",
            "net.2.weight",
            "net.2.bias",
            "net.10.weight",
            "net.10.bias",
        ];
        assert_eq!(names, counted);
    }
}
