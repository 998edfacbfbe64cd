//! What `torch.save` writes: a pickle, and storages beside it (in a zip archive) or behind it (the
//! legacy form).
//!
//! The pickle is taken apart by a machine that knows the handful of names a state dict is made of.
//! A file that names anything else, as one that means to run something does, is refused with that
//! name.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::sync::Arc;

use duress_core::problem::Problem;
use zip::{CompressionMethod, ZipArchive};

use super::pickle::{self, Heap, PythonValue, World};
use super::tensor::{ElementType, FileTensor, KINDS, NamedTensor, Storage};

/// What the only tensor of a file is called.
pub const LONE: &str = "tensor";

/// The first bytes of a legacy file: a pickle of the number 0x1950a86a20f9469cfc6c. Between them
/// stands the protocol.
const LEGACY: [u8; 12] = [
    0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19,
];

/// Whether a file looks like one of these.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK") || bytes.starts_with(&[0x80])
}

/// The tensors of a file, in its order. A dictionary's keys are joined with dots, a list's items
/// are numbered from 0, and what is no tensor is passed over.
pub(super) fn read_torch(bytes: &[u8]) -> Result<Vec<NamedTensor>, Problem> {
    if bytes.starts_with(b"PK") {
        read_archive(bytes)
    } else {
        read_legacy(bytes)
    }
}

fn read_archive(bytes: &[u8]) -> Result<Vec<NamedTensor>, Problem> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| {
        Problem::new(format!("this is not a whole archive: {error}"))
            .expected("a file that torch.save wrote to its end")
    })?;
    let names: Vec<String> = archive
        .file_names()
        .flatten()
        .map(|name| name.into_owned())
        .collect();
    let within = |name: &str, entry: &str| {
        name.strip_suffix(entry)
            .filter(|folder| folder.is_empty() || folder.ends_with('/'))
            .map(String::from)
    };
    let folder = names
        .iter()
        .find_map(|name| within(name, "data.pkl"))
        .ok_or_else(|| {
            Problem::new("this archive has no data.pkl").expected("a file that torch.save wrote")
        })?;
    if names.contains(&format!("{folder}constants.pkl")) {
        return Err(Problem::new(
            "this is a TorchScript program, not saved weights; nothing was executed",
        )
        .expected("a state dict")
        .hint(
            "save torch.jit.load(…).state_dict() with torch.save, or export the network to ONNX",
        ));
    }
    let order = names.contains(&format!("{folder}byteorder"));
    let order = if order {
        entry(&mut archive, &format!("{folder}byteorder"), 16)?
    } else {
        Vec::new()
    };
    let program = entry(&mut archive, &format!("{folder}data.pkl"), u64::MAX)?;
    let mut saved = Saved::default();
    let root = pickle::load_pickle(&mut program.as_slice(), &mut saved.heap, &mut saved.torch)?;
    // Entries of an archive may name the same bytes, but those of torch.save have their own.
    let mut left = bytes.len();
    saved.tensors(&root, |key, size| {
        left = left
            .checked_sub(size)
            .ok_or_else(|| damaged(format!("storage {key} has no room in the file")))?;
        let bytes = entry(&mut archive, &format!("{folder}data/{key}"), size as u64)?;
        Ok(Storage {
            bytes,
            big_endian: order == b"big",
        })
    })
}

/// At most `most` bytes of an entry. They are stored as they are, so no entry can be larger than
/// the file.
fn entry(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    name: &str,
    most: u64,
) -> Result<Vec<u8>, Problem> {
    let damaged = |error: String| {
        Problem::new(format!("the file is damaged: {name}: {error}"))
            .expected("a file that torch.save wrote to its end")
    };
    let entry = archive
        .by_name(name)
        .map_err(|error| damaged(error.to_string()))?;
    if entry.compression() != CompressionMethod::Stored {
        return Err(Problem::new(format!("{name} is compressed in the archive"))
            .expected("an archive as torch.save writes it, without compression"));
    }
    let mut bytes = Vec::new();
    entry
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| damaged(error.to_string()))?;
    Ok(bytes)
}

fn read_legacy(bytes: &[u8]) -> Result<Vec<NamedTensor>, Problem> {
    let mut rest = bytes;
    if bytes.get(2..14) != Some(&LEGACY) {
        return Err(Problem::new(
            "this is a pickle that torch.save did not write; nothing was executed",
        )
        .expected("a file that torch.save wrote"));
    }
    let mut saved = Saved::default();
    let mut next =
        |saved: &mut Saved| pickle::load_pickle(&mut rest, &mut saved.heap, &mut saved.torch);
    let _magic = next(&mut saved)?;
    let _version = next(&mut saved)?;
    let system = next(&mut saved)?;
    let big_endian = saved.heap.pairs(&system).is_some_and(|pairs| {
        pairs.contains(&(
            PythonValue::Text("little_endian".into()),
            PythonValue::Flag(false),
        ))
    });
    let root = next(&mut saved)?;
    let keys = next(&mut saved)?;
    let keys = saved.heap.values(&keys).unwrap_or_default().to_vec();
    let mut behind = BTreeMap::new();
    for key in &keys {
        let PythonValue::Text(key) = key else {
            continue;
        };
        let missing = || {
            Problem::new("the file ends before its last storage")
                .expected("a file that was written to its end")
        };
        let (count, after) = rest.split_first_chunk::<8>().ok_or_else(missing)?;
        let count = if big_endian {
            u64::from_be_bytes(*count)
        } else {
            u64::from_le_bytes(*count)
        };
        // A storage nobody looks at has a kind nobody said, so where the next begins cannot be
        // known.
        let Some(&(_, kind)) = saved.torch.storages.get(&**key) else {
            break;
        };
        let size = usize::try_from(count)
            .ok()
            .and_then(|count| count.checked_mul(kind.map_or(1, ElementType::byte_size)));
        let (storage, after) = size
            .and_then(|size| after.split_at_checked(size))
            .ok_or_else(missing)?;
        behind.insert(key.to_string(), storage.to_vec());
        rest = after;
    }
    saved.tensors(&root, |key, _| {
        let bytes = behind
            .remove(key)
            .ok_or_else(|| damaged(format!("storage {key} is not there")))?;
        Ok(Storage { bytes, big_endian })
    })
}

/// A pickle that was taken apart.
#[derive(Default)]
struct Saved {
    heap: Heap,
    torch: Torch,
}

/// How deep dictionaries and lists may lie in each other, how much may be found in them, and how
/// long a name may be: a hostile file can nest one dictionary in itself, or the same one in another
/// a thousand times.
const DEEPEST: usize = 32;
const MOST: usize = 1 << 20;
const LONGEST: usize = 1 << 10;

impl Saved {
    /// The tensors under `root`, each with its bytes, which `storage` finds by key and size.
    fn tensors(
        &self,
        root: &PythonValue,
        mut storage: impl FnMut(&str, usize) -> Result<Storage, Problem>,
    ) -> Result<Vec<NamedTensor>, Problem> {
        let mut views = Vec::new();
        self.collect(root, "", 0, &mut 0, &mut views)?;
        let mut storages: BTreeMap<&str, Arc<Storage>> = BTreeMap::new();
        let mut named = Vec::with_capacity(views.len());
        for (name, view) in views {
            let bytes = match storages.get(&*view.key) {
                Some(bytes) => bytes.clone(),
                None => {
                    let (size, _) = self.torch.storages[&view.key];
                    let bytes = Arc::new(storage(&view.key, size)?);
                    if bytes.bytes.len() != size {
                        return Err(damaged(format!(
                            "storage {} has {} bytes instead of {size}",
                            view.key,
                            bytes.bytes.len()
                        )));
                    }
                    storages.entry(&view.key).or_insert(bytes).clone()
                }
            };
            let tensor = FileTensor::from_view(
                bytes,
                view.kind,
                view.offset,
                view.shape.clone(),
                view.strides.clone(),
            );
            named.push((
                name.clone(),
                tensor.map_err(|problem| about(&name, problem))?,
            ));
        }
        Ok(named)
    }

    fn collect<'a>(
        &'a self,
        value: &PythonValue,
        name: &str,
        depth: usize,
        seen: &mut usize,
        out: &mut Vec<(String, &'a StorageView)>,
    ) -> Result<(), Problem> {
        *seen += 1;
        if depth > DEEPEST || *seen > MOST {
            return Err(damaged(
                "its dictionaries lie too deep in each other".into(),
            ));
        }
        if name.len() > LONGEST {
            return Err(damaged(format!("a name has {} letters", name.len())));
        }
        let below = |key: &str| {
            if name.is_empty() {
                key.to_string()
            } else {
                format!("{name}.{key}")
            }
        };
        if let PythonValue::Object(at) = value
            && let TorchObject::Tensor(view) = &self.torch.objects[*at]
        {
            out.push((
                if name.is_empty() {
                    LONE.into()
                } else {
                    name.into()
                },
                view,
            ));
        }
        for (key, value) in self.heap.pairs(value).unwrap_or_default() {
            match key {
                PythonValue::Text(key) => self.collect(value, &below(key), depth + 1, seen, out)?,
                PythonValue::Whole(key) => {
                    self.collect(value, &below(&key.to_string()), depth + 1, seen, out)?
                }
                _ => {}
            }
        }
        for (at, value) in self
            .heap
            .values(value)
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            self.collect(value, &below(&at.to_string()), depth + 1, seen, out)?;
        }
        Ok(())
    }
}

/// What a pickle of torch's can be told of.
#[derive(Default)]
struct Torch {
    objects: Vec<TorchObject>,
    /// Size in bytes and kind of each storage, by its key; an untyped one has no kind.
    storages: BTreeMap<String, (usize, Option<ElementType>)>,
}

enum TorchObject {
    Named(KnownName),
    Storage {
        key: String,
        kind: Option<ElementType>,
        offset: usize,
    },
    Tensor(StorageView),
    /// Something that is there and is not looked into.
    Opaque,
}

/// The names that are known.
#[derive(Clone, Copy)]
enum KnownName {
    Dict,
    Size,
    Storage(Option<ElementType>),
    Dtype(Option<ElementType>),
    Tensor,
    TensorOfKind,
    Parameter,
    OfType,
    Opaque,
}

struct StorageView {
    key: String,
    kind: ElementType,
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<usize>,
}

impl Torch {
    fn object(&mut self, object: TorchObject) -> PythonValue {
        self.objects.push(object);
        PythonValue::Object(self.objects.len() - 1)
    }

    fn known(&self, value: &PythonValue) -> Option<KnownName> {
        match value {
            PythonValue::Object(at) => match self.objects[*at] {
                TorchObject::Named(known) => Some(known),
                _ => None,
            },
            _ => None,
        }
    }

    /// A tensor from `(storage, offset, size, stride, …)`; `kind` when the storage has none of its
    /// own.
    fn rebuild(
        &mut self,
        heap: &Heap,
        arguments: &[PythonValue],
        kind: Option<ElementType>,
    ) -> Result<PythonValue, Problem> {
        let odd = || damaged("a tensor is not described as torch.save does".into());
        let [storage, offset, shape, strides, ..] = arguments else {
            return Err(odd());
        };
        let whole = |value: &PythonValue| match value {
            PythonValue::Whole(x) => usize::try_from(*x).ok(),
            _ => None,
        };
        let wholes = |value: &PythonValue| {
            heap.values(value)
                .and_then(|values| values.iter().map(whole).collect::<Option<Vec<_>>>())
        };
        let PythonValue::Object(at) = storage else {
            return Err(odd());
        };
        let TorchObject::Storage {
            key,
            kind: own,
            offset: start,
        } = &self.objects[*at]
        else {
            return Err(odd());
        };
        let view = StorageView {
            key: key.clone(),
            kind: kind.or(*own).ok_or_else(odd)?,
            offset: whole(offset)
                .and_then(|offset| offset.checked_add(*start))
                .ok_or_else(odd)?,
            shape: wholes(shape).ok_or_else(odd)?,
            strides: wholes(strides).ok_or_else(odd)?,
        };
        Ok(self.object(TorchObject::Tensor(view)))
    }
}

impl World for Torch {
    fn find(&mut self, module: &str, name: &str) -> Result<PythonValue, Problem> {
        let known = known(module, name).ok_or_else(|| {
            if module.starts_with("torch") && name.ends_with("Storage") {
                return Problem::new(format!("it has a `{module}.{name}`"))
                    .expected(format!("numbers in {KINDS}"));
            }
            let hint = if module.starts_with("torch") || name.starts_with(char::is_uppercase) {
                "save the weights alone: torch.save(model.state_dict(), …)"
            } else {
                "weights need no such thing; do not open this file with torch.load"
            };
            Problem::new(format!(
                "its pickle asks for `{module}.{name}`; nothing was executed"
            ))
            .expected("only what a state dict is made of")
            .hint(hint)
        })?;
        Ok(self.object(TorchObject::Named(known)))
    }

    fn call(
        &mut self,
        heap: &mut Heap,
        function: &PythonValue,
        arguments: &[PythonValue],
    ) -> Result<PythonValue, Problem> {
        let known = self
            .known(function)
            .ok_or_else(|| damaged("its pickle calls no function".into()))?;
        match (known, arguments) {
            (KnownName::Dict, _) => {
                // A default dictionary has what makes its defaults first; a counter has a
                // dictionary.
                let from = arguments
                    .iter()
                    .find_map(|value| heap.pairs(value))
                    .map(<[_]>::to_vec);
                let listed = arguments
                    .iter()
                    .find_map(|value| heap.values(value))
                    .unwrap_or_default();
                let pairs = listed.iter().filter_map(|pair| match heap.values(pair) {
                    Some([key, value]) => Some((key.clone(), value.clone())),
                    _ => None,
                });
                let pairs = from.unwrap_or_else(|| pairs.collect());
                Ok(heap.new_dict(pairs))
            }
            (KnownName::Size, [sizes]) => Ok(sizes.clone()),
            (KnownName::Tensor, _) => self.rebuild(heap, arguments, None),
            (KnownName::TensorOfKind, [_, _, _, _, _, _, dtype, ..]) => match self.known(dtype) {
                Some(KnownName::Dtype(Some(kind))) => self.rebuild(heap, arguments, Some(kind)),
                _ => Err(
                    Problem::new("a tensor has a kind of number that cannot be read")
                        .expected(KINDS),
                ),
            },
            (KnownName::Parameter, [tensor, ..]) => Ok(tensor.clone()),
            (KnownName::OfType, [inner, _type, arguments, ..]) => {
                let arguments = heap.values(arguments).unwrap_or_default().to_vec();
                match self.known(inner) {
                    Some(KnownName::OfType) | None => {
                        Err(damaged("a tensor is built of nothing".into()))
                    }
                    Some(_) => self.call(heap, inner, &arguments),
                }
            }
            (KnownName::Opaque | KnownName::Dtype(_), _) => Ok(self.object(TorchObject::Opaque)),
            _ => Err(damaged(
                "its pickle calls a function with too few arguments".into(),
            )),
        }
    }

    fn outside(&mut self, heap: &Heap, id: &PythonValue) -> Result<PythonValue, Problem> {
        let odd = || damaged("a storage is not described as torch.save does".into());
        let id = heap.values(id).ok_or_else(odd)?;
        let [
            PythonValue::Text(word),
            class,
            key,
            _location,
            PythonValue::Whole(count),
            rest @ ..,
        ] = id
        else {
            return Err(odd());
        };
        let (Some(KnownName::Storage(kind)), "storage") = (self.known(class), &**word) else {
            return Err(odd());
        };
        let key = match key {
            PythonValue::Text(key) => key.to_string(),
            PythonValue::Whole(key) => key.to_string(),
            _ => return Err(odd()),
        };
        let size = usize::try_from(*count)
            .ok()
            .and_then(|n| n.checked_mul(kind.map_or(1, ElementType::byte_size)));
        let size = size.ok_or_else(odd)?;
        let known = self.storages.entry(key.clone()).or_insert((size, kind));
        if *known != (size, kind) {
            return Err(damaged(format!("storage {key} is described in two ways")));
        }
        // The legacy form knows views of storages: a key, where it begins, and its size.
        let offset = match rest.first().and_then(|view| heap.values(view)) {
            Some([_, PythonValue::Whole(offset), _]) => {
                usize::try_from(*offset).map_err(|_| odd())?
            }
            _ => 0,
        };
        Ok(self.object(TorchObject::Storage { key, kind, offset }))
    }
}

fn known(module: &str, name: &str) -> Option<KnownName> {
    Some(match (module, name) {
        ("collections", "OrderedDict" | "defaultdict" | "Counter") => KnownName::Dict,
        ("builtins" | "__builtin__", "dict") => KnownName::Dict,
        ("torch", "Size") => KnownName::Size,
        ("torch._utils", "_rebuild_tensor" | "_rebuild_tensor_v2") => KnownName::Tensor,
        ("torch._utils", "_rebuild_tensor_v3") => KnownName::TensorOfKind,
        ("torch._utils", "_rebuild_parameter" | "_rebuild_parameter_with_state") => {
            KnownName::Parameter
        }
        ("torch._tensor", "_rebuild_from_type_v2") => KnownName::OfType,
        ("torch.storage", "UntypedStorage") => KnownName::Storage(None),
        ("torch" | "torch.cuda", name) if name.ends_with("Storage") => {
            KnownName::Storage(Some(storage_kind(name.strip_suffix("Storage")?)?))
        }
        ("torch", name) if dtype(name).is_some() => KnownName::Dtype(dtype(name)?),
        ("torch", "device" | "Tensor") => KnownName::Opaque,
        ("torch.nn.parameter", "Parameter") => KnownName::Opaque,
        // Numbers that training scripts keep beside the weights.
        ("numpy.core.multiarray" | "numpy._core.multiarray", "scalar") => KnownName::Opaque,
        ("numpy", "dtype")
        | ("_codecs", "encode")
        | ("builtins" | "__builtin__", "set" | "int" | "float") => KnownName::Opaque,
        ("numpy.dtypes", _) => KnownName::Opaque,
        _ => return None,
    })
}

fn storage_kind(name: &str) -> Option<ElementType> {
    Some(match name {
        "Half" => ElementType::F16,
        "BFloat16" => ElementType::BF16,
        "Float" => ElementType::F32,
        "Double" => ElementType::F64,
        "Char" => ElementType::I8,
        "Short" => ElementType::I16,
        "Int" => ElementType::I32,
        "Long" => ElementType::I64,
        "Byte" => ElementType::U8,
        "Bool" => ElementType::Bool,
        _ => return None,
    })
}

/// The kind of a dtype by its name; `Some(None)` for one that exists and cannot be read.
fn dtype(name: &str) -> Option<Option<ElementType>> {
    Some(Some(match name {
        "float16" => ElementType::F16,
        "bfloat16" => ElementType::BF16,
        "float32" => ElementType::F32,
        "float64" => ElementType::F64,
        "int8" => ElementType::I8,
        "int16" => ElementType::I16,
        "int32" => ElementType::I32,
        "int64" => ElementType::I64,
        "uint8" => ElementType::U8,
        "uint16" => ElementType::U16,
        "uint32" => ElementType::U32,
        "uint64" => ElementType::U64,
        "bool" => ElementType::Bool,
        _ if ["complex", "float8", "qint", "quint"]
            .iter()
            .any(|start| name.starts_with(start)) =>
        {
            return Some(None);
        }
        _ => return None,
    }))
}

fn about(name: &str, mut problem: Problem) -> Problem {
    problem.message = format!("tensor `{name}`: {}", problem.message);
    problem
}

fn damaged(why: String) -> Problem {
    Problem::new(format!("the file is damaged: {why}"))
        .expected("a file that torch.save wrote to its end")
}
