//! Files with networks in them, read without executing anything.

pub mod network;
mod onnx;
pub mod own_weights;
mod state_dict;
