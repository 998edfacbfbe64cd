//! Files with tensors in them, read without executing anything; and how much a file may expand to,
//! whoever reads it.
//!
//! A table reads answers from such files and a network its weights, and neither knows the other.

pub mod bound;
mod pickle;
mod safetensors;
pub mod tensor;
pub mod torch;

use std::io::ErrorKind;
use std::path::Path;

use duress_core::problem::Problem;

use bound::Bound;
pub use safetensors::{NewTensor, metadata_of, safetensors_file};
pub use tensor::{ElementType, FileTensor, NamedTensor};

/// The tensors of a file that `torch.save` wrote (`.pt`, `.pth`) or of a `.safetensors` file, with
/// their names.
///
/// Which of them it is, its first bytes say. A saved tensor without a name is called
/// [`torch::LONE`]; the keys of nested dictionaries are joined with dots, lists are numbered from
/// 0, and what is no tensor is passed over.
pub fn tensors(file: &Path) -> Result<Vec<NamedTensor>, Problem> {
    tensors_of(&file_bytes(file)?).map_err(|problem| problem.in_file(file))
}

/// The tensors in the bytes of such a file.
pub fn tensors_of(bytes: &[u8]) -> Result<Vec<NamedTensor>, Problem> {
    let refused = |why: &str| {
        Err(Problem::new(why).expected("a .pth, .pt or .safetensors file with tensors in it"))
    };
    let found = match bytes {
        [] => return refused("the file is empty"),
        // The length of its header may begin like a pickle, so this comes first.
        _ if safetensors::is_one(bytes) => safetensors::read_safetensors(bytes)?,
        _ if torch::is_one(bytes) => torch::read_torch(bytes)?,
        _ => {
            return refused("this is neither a file that torch.save wrote nor a .safetensors file");
        }
    };
    if found.is_empty() {
        return refused("there is no tensor in it");
    }
    // Views may show the same bytes again and again, each of them within reason.
    let mut bound = Bound::of_size(bytes.len() as u64);
    for (_, tensor) in &found {
        bound.take((tensor.count() as u64).saturating_mul(size_of::<f64>() as u64))?;
    }
    Ok(found)
}

/// All bytes of a file.
pub fn file_bytes(file: &Path) -> Result<Vec<u8>, Problem> {
    let read = || match std::fs::metadata(file)? {
        // A pipe or a device may never end.
        found if !found.is_file() && !found.is_dir() => {
            Err(std::io::Error::other("this is no regular file"))
        }
        _ => std::fs::read(file),
    };
    read().map_err(|error| {
        let why = match error.kind() {
            ErrorKind::NotFound => "there is no such file".to_string(),
            ErrorKind::IsADirectory => "this is a folder, not a file".to_string(),
            _ => format!("it cannot be read: {error}"),
        };
        Problem::new(why)
            .expected("a file that can be read")
            .in_file(file)
    })
}
