//! What an ONNX file says: nodes with attributes, initializers, inputs and outputs.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

use duress_core::problem::Problem;
use duress_tensors::tensor::{ElementType, FileTensor, KINDS};

use super::wire::{Message, WireValue, damaged};

/// A model, as it was read.
#[derive(Default)]
pub(super) struct OnnxModel {
    /// The version of the operators of ONNX itself.
    pub(super) opset: i64,
    pub(super) nodes: Vec<OnnxNode>,
    pub(super) initializers: HashMap<String, FileTensor>,
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    /// The files beside it that hold weights.
    pub(super) beside: Vec<PathBuf>,
}

/// What goes in or comes out.
pub(super) struct Port {
    pub(super) name: String,
    /// Its size along each axis, where it is fixed.
    pub(super) shape: Vec<Option<usize>>,
}

#[derive(Default)]
pub(super) struct OnnxNode {
    pub(super) name: String,
    pub(super) operator: String,
    pub(super) domain: String,
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
    attributes: HashMap<String, Attribute>,
}

#[derive(Default)]
struct Attribute {
    float: f32,
    whole: i64,
    text: String,
    tensor: Option<FileTensor>,
    wholes: Vec<i64>,
    floats: Vec<f32>,
}

impl OnnxNode {
    pub(super) fn has_attribute(&self, name: &str) -> bool {
        self.attributes.contains_key(name)
    }

    pub(super) fn whole(&self, name: &str, default: i64) -> i64 {
        self.attributes
            .get(name)
            .map_or(default, |attribute| attribute.whole)
    }

    pub(super) fn float(&self, name: &str, default: f32) -> f32 {
        self.attributes
            .get(name)
            .map_or(default, |attribute| attribute.float)
    }

    pub(super) fn text_attribute(&self, name: &str) -> &str {
        self.attributes
            .get(name)
            .map_or("", |attribute| &attribute.text)
    }

    pub(super) fn wholes(&self, name: &str) -> Option<&[i64]> {
        self.attributes
            .get(name)
            .map(|attribute| attribute.wholes.as_slice())
    }

    pub(super) fn floats(&self, name: &str) -> Option<&[f32]> {
        self.attributes
            .get(name)
            .map(|attribute| attribute.floats.as_slice())
    }

    pub(super) fn tensor(&self, name: &str) -> Option<&FileTensor> {
        self.attributes.get(name)?.tensor.as_ref()
    }

    /// A problem with this node.
    pub(super) fn problem(&self, why: impl std::fmt::Display) -> Problem {
        Problem::new(format!("node {}: {why}", self.called()))
    }

    /// Its name and operator, for messages.
    pub(super) fn called(&self) -> String {
        match (self.name.as_str(), self.outputs.first()) {
            ("", Some(output)) => format!("of `{output}` ({})", self.operator),
            (name, _) => format!("`{name}` ({})", self.operator),
        }
    }
}

impl OnnxModel {
    /// Reads a model. Weights it keeps in other files are looked for in `folder`.
    pub(super) fn read_model(bytes: &[u8], folder: &Path) -> Result<OnnxModel, Problem> {
        let mut model = OnnxModel::default();
        let mut message = Message::new(bytes);
        let mut graph = None;
        while let Some((number, field)) = message.next()? {
            match number {
                7 => graph = Some(field.message()?),
                8 => {
                    let (domain, version) = opset(field.message()?)?;
                    if domain.is_empty() || domain == "ai.onnx" {
                        model.opset = version;
                    }
                }
                _ => {}
            }
        }
        model.graph(graph.ok_or_else(damaged)?, folder)?;
        // A model of trees speaks of `ai.onnx.ml` alone.
        let only_other = model.nodes.iter().all(|node| !node.domain.is_empty());
        if model.outputs.is_empty() || model.opset == 0 && (!only_other || model.nodes.is_empty()) {
            return Err(damaged());
        }
        Ok(model)
    }

    fn graph(&mut self, mut graph: Message<'_>, folder: &Path) -> Result<(), Problem> {
        while let Some((number, field)) = graph.next()? {
            match number {
                1 => self.nodes.push(read_node(field.message()?, folder)?),
                5 => {
                    let held = WrittenTensor::read_tensor(field.message()?)?;
                    if let Some(file) = held.external_file(folder)? {
                        self.beside.push(file);
                    }
                    let name = held.name.clone();
                    let tensor = held.tensor(folder).map_err(|mut problem| {
                        problem.message = format!("initializer `{name}`: {}", problem.message);
                        problem
                    })?;
                    self.initializers.insert(name, tensor);
                }
                11 => self.inputs.push(read_port(field.message()?)?),
                12 => self.outputs.push(read_port(field.message()?)?),
                15 => {
                    return Err(Problem::new("it has a sparse initializer")
                        .expected("weights that are stored in full"));
                }
                _ => {}
            }
        }
        // Old files list initializers among the inputs.
        self.inputs
            .retain(|port| !self.initializers.contains_key(&port.name));
        self.beside.sort();
        self.beside.dedup();
        Ok(())
    }
}

fn opset(mut message: Message<'_>) -> Result<(String, i64), Problem> {
    let mut domain = String::new();
    let mut version = 0;
    while let Some((number, field)) = message.next()? {
        match number {
            1 => domain = field.into_text()?,
            2 => version = field.whole()?,
            _ => {}
        }
    }
    Ok((domain, version))
}

fn read_node(mut message: Message<'_>, folder: &Path) -> Result<OnnxNode, Problem> {
    let mut node = OnnxNode::default();
    while let Some((number, field)) = message.next()? {
        match number {
            1 => node.inputs.push(field.into_text()?),
            2 => node.outputs.push(field.into_text()?),
            3 => node.name = field.into_text()?,
            4 => node.operator = field.into_text()?,
            5 => {
                let (name, attribute) = attribute(field.message()?, folder)?;
                node.attributes.insert(name, attribute);
            }
            7 => node.domain = field.into_text()?,
            _ => {}
        }
    }
    Ok(node)
}

fn attribute(mut message: Message<'_>, folder: &Path) -> Result<(String, Attribute), Problem> {
    let mut name = String::new();
    let mut attribute = Attribute::default();
    let mut floats = Vec::new();
    while let Some((number, field)) = message.next()? {
        match number {
            1 => name = field.into_text()?,
            2 => attribute.float = field.float()?,
            3 => attribute.whole = field.whole()?,
            4 => attribute.text = field.into_text()?,
            5 => {
                attribute.tensor =
                    Some(WrittenTensor::read_tensor(field.message()?)?.tensor(folder)?)
            }
            7 => field.numbers(&mut floats),
            8 => field.wholes(&mut attribute.wholes)?,
            _ => {}
        }
    }
    attribute.floats = floats
        .as_chunks()
        .0
        .iter()
        .map(|&bytes| f32::from_le_bytes(bytes))
        .collect();
    Ok((name, attribute))
}

fn read_port(mut message: Message<'_>) -> Result<Port, Problem> {
    let mut port = Port {
        name: String::new(),
        shape: Vec::new(),
    };
    while let Some((number, field)) = message.next()? {
        match number {
            1 => port.name = field.into_text()?,
            // A type holds a tensor type, which holds a shape, which holds dimensions.
            2 => {
                if let Some(tensor) = inside(field.message()?, 1)?
                    && let Some(mut shape) = inside(tensor, 2)?
                {
                    while let Some((number, field)) = shape.next()? {
                        if number == 1 {
                            port.shape.push(dimension(field.message()?)?);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    Ok(port)
}

fn inside(mut message: Message<'_>, wanted: u64) -> Result<Option<Message<'_>>, Problem> {
    while let Some((number, field)) = message.next()? {
        if number == wanted {
            return field.message().map(Some);
        }
    }
    Ok(None)
}

fn dimension(mut message: Message<'_>) -> Result<Option<usize>, Problem> {
    let mut size = None;
    while let Some((number, field)) = message.next()? {
        if number == 1 {
            // Exporters write 0 and −1 for what they do not know.
            size = usize::try_from(field.whole()?)
                .ok()
                .filter(|&size| size > 0);
        }
    }
    Ok(size)
}

/// A tensor as it is written: with its numbers as they are in memory, as lists, or in a file
/// beside.
#[derive(Default)]
struct WrittenTensor<'a> {
    name: String,
    shape: Vec<i64>,
    kind: i64,
    raw: Option<&'a [u8]>,
    floats: Vec<u8>,
    wholes: Vec<i64>,
    doubles: Vec<u8>,
    elsewhere: bool,
    place: HashMap<String, String>,
}

impl<'a> WrittenTensor<'a> {
    fn read_tensor(mut message: Message<'a>) -> Result<WrittenTensor<'a>, Problem> {
        let mut held = WrittenTensor::default();
        while let Some((number, field)) = message.next()? {
            match number {
                1 => field.wholes(&mut held.shape)?,
                2 => held.kind = field.whole()?,
                4 => field.numbers(&mut held.floats),
                5 | 7 | 11 => field.wholes(&mut held.wholes)?,
                8 => held.name = field.into_text()?,
                9 => held.raw = Some(field.bytes()?),
                10 => field.numbers(&mut held.doubles),
                13 => {
                    let (key, value) = entry(field)?;
                    held.place.insert(key, value);
                }
                14 => held.elsewhere = field.whole()? == 1,
                _ => {}
            }
        }
        Ok(held)
    }

    fn tensor(&self, folder: &Path) -> Result<FileTensor, Problem> {
        let sizes = self.shape.iter().map(|&size| usize::try_from(size).ok());
        let shape = sizes.collect::<Option<Vec<usize>>>().ok_or_else(damaged)?;
        let kind = element_type(self.kind)?;
        let bytes = match self.raw {
            _ if self.elsewhere => {
                let numbers = shape
                    .iter()
                    .try_fold(kind.byte_size(), |size, &side| size.checked_mul(side));
                self.bytes_beside(folder, numbers.ok_or_else(damaged)?)?
            }
            Some(raw) => raw.to_vec(),
            None if kind == ElementType::F32 => self.floats.clone(),
            None if kind == ElementType::F64 => self.doubles.clone(),
            // Smaller kinds, halves among them, are written as the whole number that their bits
            // make.
            None => self
                .wholes
                .iter()
                .flat_map(|x| x.to_le_bytes().into_iter().take(kind.byte_size()))
                .collect(),
        };
        FileTensor::new(kind, shape, bytes)
    }

    /// The file that holds its numbers: beside the model and nowhere else.
    fn external_file(&self, folder: &Path) -> Result<Option<PathBuf>, Problem> {
        if !self.elsewhere {
            return Ok(None);
        }
        let location = Path::new(self.place.get("location").ok_or_else(damaged)?);
        let within = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        if !location.components().all(within) {
            return Err(
                Problem::new(format!("its weights are in `{}`", location.display()))
                    .expected("a file in the folder of the model"),
            );
        }
        Ok(Some(folder.join(location)))
    }

    /// Its bytes, no more than it needs and one to show that there are too many.
    fn bytes_beside(&self, folder: &Path, needed: usize) -> Result<Vec<u8>, Problem> {
        let Some(file) = self.external_file(folder)? else {
            return Ok(Vec::new());
        };
        let number = |key: &str| {
            self.place
                .get(key)
                .map(|text| text.parse::<u64>())
                .transpose()
        };
        let (Ok(offset), Ok(length)) = (number("offset"), number("length")) else {
            return Err(damaged());
        };
        let read = || {
            let mut input = File::open(&file)?;
            input.seek(SeekFrom::Start(offset.unwrap_or(0)))?;
            let mut bytes = Vec::new();
            let most = (needed as u64).saturating_add(1);
            input
                .take(length.unwrap_or(needed as u64).min(most))
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(|error: std::io::Error| {
            Problem::new(format!(
                "its weights are in {}, which cannot be read: {error}",
                file.display()
            ))
            .expected("the file with the weights beside the model")
        })
    }
}

fn entry(field: WireValue<'_>) -> Result<(String, String), Problem> {
    let mut message = field.message()?;
    let mut key = String::new();
    let mut value = String::new();
    while let Some((number, field)) = message.next()? {
        match number {
            1 => key = field.into_text()?,
            2 => value = field.into_text()?,
            _ => {}
        }
    }
    Ok((key, value))
}

/// The kind of number that ONNX has this number for.
fn element_type(number: i64) -> Result<ElementType, Problem> {
    Ok(match number {
        1 => ElementType::F32,
        2 => ElementType::U8,
        3 => ElementType::I8,
        4 => ElementType::U16,
        5 => ElementType::I16,
        6 => ElementType::I32,
        7 => ElementType::I64,
        9 => ElementType::Bool,
        10 => ElementType::F16,
        11 => ElementType::F64,
        12 => ElementType::U32,
        13 => ElementType::U64,
        16 => ElementType::BF16,
        other => {
            return Err(
                Problem::new(format!("it has numbers of ONNX type {other}")).expected(KINDS)
            );
        }
    })
}
