//! Tensors that PyTorch saved (`.pt`, `.pth`) or `.safetensors` files have, as a table; nothing in
//! them is executed.
//!
//! A tensor with one axis is a column, one with two is a list per row; others are no part of a
//! table.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use duress_core::problem::Problem;
use duress_tensors::bound::Bound;
use duress_tensors::{FileTensor, tensors_of};

use super::filling::{FilledCell, Filling};
use crate::table::{Choose, Head, RowPlace, Table, Want};

/// Reads the tensors that `choose` wants.
pub fn read(input: File, file: &Path, choose: &mut Choose<'_>) -> Result<Table, Problem> {
    let bound = Bound::of(&input);
    let mut bytes = Vec::new();
    BufReader::new(input)
        .read_to_end(&mut bytes)
        .map_err(|error| Problem::new(format!("it cannot be read: {error}")))?;
    let mut found = tensors_of(&bytes)?;
    found.retain(|(_, tensor)| matches!(tensor.shape().len(), 1 | 2));
    let heads: Vec<Head> = found
        .iter()
        .map(|(name, tensor)| Head {
            name: name.clone(),
            listed: tensor.shape().len() == 2,
        })
        .collect();
    if heads.is_empty() {
        return Err(Problem::new("no tensor in it has one or two axes").expected("a row per item"));
    }
    let wants = choose(&heads)?;
    let mut filling = Filling::new(&heads, &wants).within(bound);
    for (at, (_, tensor)) in found
        .iter()
        .enumerate()
        .filter(|(at, _)| wants[*at] != Want::Nothing)
    {
        fill(&mut filling, at, tensor)?;
    }
    filling.finish(file, RowPlace::Rows)
}

fn fill(filling: &mut Filling, at: usize, tensor: &FileTensor) -> Result<(), Problem> {
    filling.widen(at, tensor.shape().get(1).copied().unwrap_or(1))?;
    match tensor.wholes() {
        Some(wholes) => wholes
            .into_iter()
            .try_for_each(|x| filling.push(at, FilledCell::Whole(i128::from(x)))),
        None => tensor
            .to_f64()
            .into_iter()
            .try_for_each(|x| filling.push(at, FilledCell::Number(x))),
    }
}
