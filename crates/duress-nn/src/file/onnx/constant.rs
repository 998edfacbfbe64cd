//! Values that do not depend on the image, and the operators that exporters compute them with.

use duress_core::problem::Problem;

use super::axes::sliced;
use super::model::OnnxNode;
use duress_tensors::FileTensor;

/// Stands for the number of images in a batch wherever a shape is computed.
pub(super) const BATCH: i64 = i64::MIN;

/// A value that does not depend on the image.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub(super) shape: Vec<usize>,
    pub(super) values: Values,
}

#[derive(Clone, Debug)]
pub(super) enum Values {
    Floats(Vec<f32>),
    Wholes(Vec<i64>),
}

impl Constant {
    pub(super) fn from_tensor(tensor: &FileTensor) -> Constant {
        let values = match tensor.wholes() {
            Some(wholes) => Values::Wholes(wholes),
            None => Values::Floats(tensor.to_f32()),
        };
        Constant {
            shape: tensor.shape().to_vec(),
            values,
        }
    }

    pub(super) fn from_integers(values: Vec<i64>) -> Constant {
        Constant {
            shape: vec![values.len()],
            values: Values::Wholes(values),
        }
    }

    /// Its numbers, if they are whole.
    pub(super) fn wholes(&self) -> Option<&[i64]> {
        match &self.values {
            Values::Wholes(wholes) => Some(wholes),
            Values::Floats(_) => None,
        }
    }

    /// Its numbers; none if the number of images is among them.
    pub(super) fn floats(&self) -> Option<Vec<f32>> {
        match &self.values {
            Values::Floats(floats) => Some(floats.clone()),
            Values::Wholes(wholes) => wholes
                .iter()
                .map(|&x| (x != BATCH).then_some(x as f32))
                .collect::<Option<_>>(),
        }
    }

    /// The only number there is.
    pub(super) fn number(&self) -> Option<f32> {
        match self.floats()?.as_slice() {
            [number] => Some(*number),
            _ => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        match &self.values {
            Values::Floats(floats) => floats.len(),
            Values::Wholes(wholes) => wholes.len(),
        }
    }

    /// The numbers at these places, in a new shape.
    fn taken(&self, shape: Vec<usize>, places: impl Iterator<Item = usize>) -> Constant {
        let values = match &self.values {
            Values::Floats(floats) => Values::Floats(places.map(|at| floats[at]).collect()),
            Values::Wholes(wholes) => Values::Wholes(places.map(|at| wholes[at]).collect()),
        };
        Constant { shape, values }
    }
}

/// What a node computes from constants alone, as long as that is at most so many numbers.
pub(super) fn fold_constants(
    node: &OnnxNode,
    given: &[&Constant],
    most: usize,
) -> Result<Constant, Problem> {
    let folded = match (node.operator.as_str(), given) {
        ("Constant", []) => constant(node),
        ("Identity" | "Dropout", [one, ..]) => Some((*one).clone()),
        ("Cast", [one]) => cast_constant(one, node.whole("to", 1)),
        ("ConstantOfShape", [shape]) => of_shape(node, shape, most),
        ("Gather", [from, places]) if node.whole("axis", 0) == 0 => gather(from, places, most),
        ("Slice", [from, rest @ ..]) => slice(node, from, rest),
        ("Concat", _) if given.iter().all(|one| one.shape.len() == 1) => concat(given, most),
        ("Unsqueeze" | "Squeeze" | "Reshape" | "Flatten", [one, rest @ ..]) => {
            reshape(node, one, rest)
        }
        ("Transpose", [one]) => transpose(node, one),
        ("Add" | "Sub" | "Mul" | "Div", [left, right]) => arithmetic(&node.operator, left, right),
        ("Neg" | "Sqrt" | "Exp" | "Reciprocal" | "Ceil" | "Floor", [one]) => {
            of_each(&node.operator, one)
        }
        _ => None,
    };
    match folded {
        Some(constant) if constant.len() <= most => Ok(constant),
        _ => Err(node
            .problem("it computes a constant in a way, or of a size, that is not known here")
            .hint(
                "ONNX Runtime can compute it once: set `optimized_model_filepath` and the level \
                 `ORT_ENABLE_BASIC` of its session options, and read the file it writes",
            )),
    }
}

fn constant(node: &OnnxNode) -> Option<Constant> {
    if let Some(tensor) = node.tensor("value") {
        return Some(Constant::from_tensor(tensor));
    }
    let single = |values| Constant {
        shape: Vec::new(),
        values,
    };
    if node.has_attribute("value_float") {
        return Some(single(Values::Floats(vec![node.float("value_float", 0.0)])));
    }
    if node.has_attribute("value_int") {
        return Some(single(Values::Wholes(vec![node.whole("value_int", 0)])));
    }
    if let Some(floats) = node.floats("value_floats") {
        return Some(Constant {
            shape: vec![floats.len()],
            values: Values::Floats(floats.to_vec()),
        });
    }
    node.wholes("value_ints")
        .map(|wholes| Constant::from_integers(wholes.to_vec()))
}

fn cast_constant(one: &Constant, to: i64) -> Option<Constant> {
    let floating = matches!(to, 1 | 10 | 11 | 16);
    let values = match &one.values {
        Values::Wholes(_) if floating => Values::Floats(one.floats()?),
        Values::Floats(floats) if !floating => {
            Values::Wholes(floats.iter().map(|&x| x as i64).collect())
        }
        same => same.clone(),
    };
    Some(Constant {
        shape: one.shape.clone(),
        values,
    })
}

fn of_shape(node: &OnnxNode, shape: &Constant, most: usize) -> Option<Constant> {
    let sizes = shape
        .wholes()?
        .iter()
        .map(|&size| usize::try_from(size).ok());
    let shape = sizes.collect::<Option<Vec<usize>>>()?;
    let count = shape
        .iter()
        .try_fold(1_usize, |count, &size| count.checked_mul(size))?;
    let value = node
        .tensor("value")
        .map_or(Values::Floats(vec![0.0]), |tensor| {
            Constant::from_tensor(tensor).values
        });
    (count <= most).then_some(())?;
    let values = match value {
        Values::Floats(one) => Values::Floats(vec![*one.first()?; count]),
        Values::Wholes(one) => Values::Wholes(vec![*one.first()?; count]),
    };
    Some(Constant { shape, values })
}

fn gather(from: &Constant, places: &Constant, most: usize) -> Option<Constant> {
    let (&rows, rest) = from.shape.split_first()?;
    let width: usize = rest.iter().product();
    let place = |&at: &i64| usize::try_from(if at < 0 { at + rows as i64 } else { at }).ok();
    let rows_wanted: Vec<usize> = places.wholes()?.iter().map(place).collect::<Option<_>>()?;
    rows_wanted.iter().all(|&row| row < rows).then_some(())?;
    (rows_wanted.len().checked_mul(width)? <= most).then_some(())?;
    let shape = places.shape.iter().chain(rest).copied().collect();
    Some(
        from.taken(
            shape,
            rows_wanted
                .into_iter()
                .flat_map(|row| row * width..(row + 1) * width),
        ),
    )
}

/// Some places along some axes, with a stride that may lead back.
fn slice(node: &OnnxNode, from: &Constant, rest: &[&Constant]) -> Option<Constant> {
    let numbers = |name: &str, at: usize| match rest.get(at) {
        Some(numbers) => numbers.wholes().map(<[i64]>::to_vec),
        None => node.wholes(name).map(<[i64]>::to_vec),
    };
    let starts = numbers("starts", 0)?;
    let ends = numbers("ends", 1)?;
    let axes = numbers("axes", 2).unwrap_or_else(|| (0..starts.len() as i64).collect());
    let strides = numbers("steps", 3).unwrap_or_else(|| vec![1; starts.len()]);
    let sound = [&ends, &axes, &strides]
        .iter()
        .all(|list| list.len() == starts.len());
    sound.then_some(())?;
    let mut places: Vec<Vec<usize>> = from.shape.iter().map(|&size| (0..size).collect()).collect();
    for (at, &axis) in axes.iter().enumerate() {
        let rank = from.shape.len() as i64;
        let axis = usize::try_from(if axis < 0 { axis + rank } else { axis }).ok()?;
        let size = *from.shape.get(axis)?;
        (strides[at] != 0).then_some(())?;
        places[axis] = sliced(starts[at], ends[at], strides[at], size);
    }
    let shape: Vec<usize> = places.iter().map(Vec::len).collect();
    // Row by row, the last axis fastest.
    let mut flat = vec![0];
    for (axis, along) in places.iter().enumerate() {
        let size = from.shape[axis];
        flat = flat
            .into_iter()
            .flat_map(|row| along.iter().map(move |&at| row * size + at))
            .collect();
    }
    Some(from.taken(shape, flat.into_iter()))
}

fn concat(given: &[&Constant], most: usize) -> Option<Constant> {
    (given.iter().map(|one| one.len()).sum::<usize>() <= most).then_some(())?;
    let wholes = given
        .iter()
        .map(|one| one.wholes())
        .collect::<Option<Vec<_>>>();
    let values = match wholes {
        Some(wholes) => Values::Wholes(wholes.concat()),
        None => Values::Floats(
            given
                .iter()
                .map(|one| one.floats())
                .collect::<Option<Vec<_>>>()?
                .concat(),
        ),
    };
    Some(Constant {
        shape: vec![given.iter().map(|one| one.len()).sum()],
        values,
    })
}

/// Another shape for the same numbers. A list or a single number stays what it is, whatever axes of
/// one it gains or loses.
fn reshape(node: &OnnxNode, one: &Constant, rest: &[&Constant]) -> Option<Constant> {
    let count = one.len();
    let shape = match node.operator.as_str() {
        "Reshape" => {
            let wanted = rest.first()?.wholes()?;
            let known = wanted
                .iter()
                .filter(|&&size| size > 0)
                .try_fold(1_i64, |all, &size| all.checked_mul(size))?;
            let sizes = wanted.iter().map(|&size| match size {
                -1 => Some(count / known as usize),
                size => usize::try_from(size).ok(),
            });
            sizes.collect::<Option<Vec<usize>>>()?
        }
        "Unsqueeze" if one.shape.is_empty() => vec![1],
        "Squeeze" if count == 1 => Vec::new(),
        "Squeeze" => one
            .shape
            .iter()
            .copied()
            .filter(|&size| size != 1)
            .collect(),
        "Flatten" => vec![*one.shape.first()?, count.checked_div(*one.shape.first()?)?],
        _ => {
            let axes = rest
                .first()
                .and_then(|axes| axes.wholes())
                .or_else(|| node.wholes("axes"))?;
            let mut shape = one.shape.clone();
            for &axis in axes {
                let at = if axis < 0 {
                    axis + shape.len() as i64 + 1
                } else {
                    axis
                };
                let at = usize::try_from(at).ok().filter(|&at| at <= shape.len())?;
                shape.insert(at, 1);
            }
            shape
        }
    };
    let held = shape
        .iter()
        .try_fold(1_usize, |all, &size| all.checked_mul(size));
    (held == Some(count)).then(|| Constant {
        shape,
        values: one.values.clone(),
    })
}

fn transpose(node: &OnnxNode, one: &Constant) -> Option<Constant> {
    let rank = one.shape.len();
    let reversed: Vec<i64> = (0..rank as i64).rev().collect();
    let order: Vec<usize> = node
        .wholes("perm")
        .unwrap_or(&reversed)
        .iter()
        .map(|&axis| axis as usize)
        .collect();
    let mut sorted = order.clone();
    sorted.sort_unstable();
    (sorted == (0..rank).collect::<Vec<_>>()).then_some(())?;
    let mut strides = vec![1; rank];
    for axis in (1..rank).rev() {
        strides[axis - 1] = strides[axis] * one.shape[axis];
    }
    let shape: Vec<usize> = order.iter().map(|&axis| one.shape[axis]).collect();
    let place = |mut at: usize| {
        let mut place = 0;
        for (&size, &axis) in shape.iter().zip(&order).rev() {
            place += at % size * strides[axis];
            at /= size;
        }
        place
    };
    let places: Vec<usize> = (0..one.len()).map(place).collect();
    Some(one.taken(shape.clone(), places.into_iter()))
}

fn arithmetic(operator: &str, left: &Constant, right: &Constant) -> Option<Constant> {
    let shape = match (left.len(), right.len()) {
        (_, 1) => left.shape.clone(),
        (1, _) => right.shape.clone(),
        _ if left.shape == right.shape => left.shape.clone(),
        _ => return None,
    };
    let count = left.len().max(right.len());
    let at = |i: usize, n: usize| if n == 1 { 0 } else { i };
    let values = match (&left.values, &right.values) {
        (Values::Wholes(a), Values::Wholes(b)) => {
            let one = |i: usize| {
                let a = a[at(i, a.len())];
                let b = b[at(i, b.len())];
                (a != BATCH && b != BATCH).then_some(())?;
                match operator {
                    "Add" => a.checked_add(b),
                    "Sub" => a.checked_sub(b),
                    "Mul" => a.checked_mul(b),
                    _ => a.checked_div(b),
                }
            };
            Values::Wholes((0..count).map(one).collect::<Option<_>>()?)
        }
        _ => {
            let a = left.floats()?;
            let b = right.floats()?;
            let one = |i: usize| {
                let a = a[at(i, a.len())];
                let b = b[at(i, b.len())];
                match operator {
                    "Add" => a + b,
                    "Sub" => a - b,
                    "Mul" => a * b,
                    _ => a / b,
                }
            };
            Values::Floats((0..count).map(one).collect())
        }
    };
    Some(Constant { shape, values })
}

/// A function of each number by itself.
fn of_each(operator: &str, one: &Constant) -> Option<Constant> {
    let values = match (&one.values, operator) {
        (Values::Wholes(wholes), "Neg") => {
            let negated = wholes.iter().map(|&x| x.checked_neg());
            Values::Wholes(negated.collect::<Option<_>>()?)
        }
        (Values::Wholes(_), _) => return None,
        (Values::Floats(floats), _) => {
            let of = |&x: &f32| match operator {
                "Neg" => -x,
                "Sqrt" => libm::sqrtf(x),
                "Exp" => libm::expf(x),
                "Reciprocal" => 1.0 / x,
                "Ceil" => libm::ceilf(x),
                _ => libm::floorf(x),
            };
            Values::Floats(floats.iter().map(of).collect())
        }
    };
    Some(Constant {
        shape: one.shape.clone(),
        values,
    })
}
